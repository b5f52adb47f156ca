// SPDX-License-Identifier: GPL-2.0
/* escalate.c - a deselected task that stays in the kernel for long is demoted */
#include "lib.h"

#include <sys/syscall.h>

#define LONG_READ (24U << 20)

static char *buffer;

/* A long time in the kernel: the system call, for libc may do it in user mode (vDSO, from 6.11). */
static void read_long(void)
{
	long got = syscall(SYS_getrandom, buffer, LONG_READ, 0);

	check(got > 0, "getrandom: %s", strerror(errno));
}

/* Its job is one long call. */
static void body_in_kernel(struct task *task)
{
	task_wait(task);
	atomic_store(&task->step, 1);
	read_long();
	atomic_store(&task->step, 2);
	while (!atomic_load(&task->stop))
		sleep_ms(5);
}

static void body_urgent(struct task *task)
{
	while (!atomic_load(&task->stop)) {
		task_wait(task);
		spin(2 * MS);
	}
}

TEST(escalate,
     "a deselected task that stays in the kernel is demoted, and real-time again when its turn comes")
{
	struct task slow = { .number = 0, .reg = periodic(200 * SEC, SEC) };
	struct task urgent = { .number = 1, .reg = periodic(40 * MS, 5 * MS) };
	struct attributes were = attributes_of(0);
	uint64_t begin;

	buffer = mmap(NULL, LONG_READ, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	check(buffer != MAP_FAILED, "mmap: %s", strerror(errno));
	begin = resch_now();
	read_long();
	begin = resch_now() - begin;
	if (begin < 100 * MS)
		skip("%u MB of random numbers take only %llu ms", LONG_READ >> 20,
		     (unsigned long long)begin / 1000000);
	/*
	 * Against the order of the deadlines, which levels follow: so the slow one has to be
	 * stopped.
	 */
	domain_on("1", "fp", "order=explicit");
	slow.reg.params.deadline = 10 * MS;
	slow.reg.params.wcet = MS;
	slow.reg.params.priority = 2;
	urgent.reg.params.priority = 1;
	task_start(&urgent, body_urgent);
	await(atomic_load(&urgent.jobs) >= 2);
	task_start(&slow, body_in_kernel);
	await(stat_of(slow.id).escalations >= 1);
	await(atomic_load(&urgent.jobs) >= 20);
	task_join(&urgent);
	await(atomic_load(&slow.step) == 2);
	task_join(&slow);
	attributes_check(0, &were, "the main thread");
}
