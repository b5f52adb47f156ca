// SPDX-License-Identifier: GPL-2.0
/*
 * kicks.c - several CPUs have another one decide again, at the same time
 *
 * The kernel leaves it to the module that an interrupt is not sent twice at once (cpu_send());
 * where it sees that done it says so to the module, which warns, and the kernel's log is judged
 * with each test.
 */
#include <sys/eventfd.h>

#include "lib.h"

#define RELEASES 5000
#define WAKES 2000
#define SENDERS 3

static uint32_t victim;
static int wakes;
static atomic_int beginning;

/* All begin together. */
static void meet(struct task *task)
{
	char cpu[8];

	snprintf(cpu, sizeof(cpu), "%d", task->number);
	pin(0, cpu);
	atomic_fetch_add(&beginning, 1);
	while (atomic_load(&beginning) < SENDERS)
		relax();
}

/* Most find that no more fit, which is as good a reason to look. */
static void body_releases(struct task *task)
{
	long err;
	int i;

	meet(task);
	for (i = 0; i < RELEASES; i++) {
		err = resch_release(dev, victim);
		check(!err || err == -ENOSPC, "resch_release: %s", errno_name(err));
	}
}

static void body_wakes(struct task *task)
{
	uint64_t one = 1;
	int i;

	meet(task);
	for (i = 0; i < WAKES; i++)
		must_libc(write(wakes, &one, sizeof(one)));
	atomic_store(&task->stop, 1);
}

/* A wake-up task: each read blocks until there is something to read. */
static void body_reads(struct task *task)
{
	uint64_t value;

	while (!atomic_load(&task->stop)) {
		must_libc(read(wakes, &value, sizeof(value)));
		atomic_fetch_add(&task->jobs, 1);
	}
}

TEST(storm, "two CPUs release jobs of a third one, and one more wakes a thread there, all at once")
{
	struct task sleeper = { .reg = sporadic(100 * SEC, SEC) };
	struct task reader = { .reg = wakeup(10 * MS, MS) };
	struct task senders[SENDERS] = { { .number = 2 }, { .number = 3 }, { .number = 0 } };
	uint64_t one = 1;
	int i;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 4)
		skip("needs four CPUs");
	use("edf");
	wakes = must_libc(eventfd(0, EFD_CLOEXEC));
	task_start(&sleeper, body_idle);
	await(state_of(sleeper.id) == RESCH_STATE_SLEEPING);
	victim = sleeper.id;
	task_start(&reader, body_reads);
	for (i = 0; i < SENDERS; i++)
		thread_start(&senders[i], i < 2 ? body_releases : body_wakes);
	for (i = 0; i < SENDERS; i++)
		task_join(&senders[i]);
	await(atomic_load(&reader.jobs) >= 1);
	check(atomic_load(&sleeper.jobs) >= 1, "no job was released");
	/* Nothing is lost: the last kick of all is heard. */
	await(state_of(reader.id) == RESCH_STATE_SLEEPING);
	atomic_store(&reader.jobs, 0);
	must_libc(write(wakes, &one, sizeof(one)));
	await(atomic_load(&reader.jobs) == 1);
	atomic_store(&reader.stop, 1);
	must_libc(write(wakes, &one, sizeof(one)));
	task_join(&reader);
}
