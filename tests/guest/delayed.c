// SPDX-License-Identifier: GPL-2.0
/*
 * delayed.c - threads that have been made ordinary ones block while others want their CPU
 *
 * From 6.12 on such a thread stays on its run queue for a while, if it has had more than its share:
 * one of low weight beside another that never sleeps.
 */
#include <sys/eventfd.h>

#include "lib.h"

#define ROUNDS 10
#define PIPE_BYTES (8U << 20)

static struct task load;
static int ends[2];

/* One that is registered, and will be an ordinary thread of low weight beside the load. */
static void light_start(struct task *task, void (*body)(struct task *task))
{
	thread_start(&load, body_load);
	must(attributes_set(0, SCHED_OTHER, 0, 19, 0));
	task_start(task, body);
	must(attributes_set(0, SCHED_OTHER, 0, 0, 0));
}

/* Each job overruns, and is an ordinary thread by the time that it ends. */
static void body_overruns(struct task *task)
{
	uint64_t value;

	for (;;) {
		must_libc(read(ends[0], &value, sizeof(value)));
		spin(6 * MS);
		atomic_fetch_add(&task->step, 1);
	}
}

TEST(demoted, "the end of a job in background is seen beside other load")
{
	struct task task = { .reg = wakeup(200 * MS, 2 * MS) };
	uint64_t one = 1;
	int i;

	use("edf");
	ends[0] = ends[1] = must_libc(eventfd(0, EFD_CLOEXEC));
	task.reg.params.overrun = RESCH_DEMOTE;
	light_start(&task, body_overruns);
	await(state_of(task.id) == RESCH_STATE_SLEEPING);
	for (i = 1; i <= ROUNDS; i++) {
		must_libc(write(ends[1], &one, sizeof(one)));
		await(atomic_load(&task.step) == i);
		await(proc_state(task.tid) == 'S');
		await(state_of(task.id) == RESCH_STATE_SLEEPING);
	}
	check(stat_of(task.id).overruns >= ROUNDS, "it was not demoted each time");
	atomic_store(&load.stop, 1);
}

/*
 * What fills the pipe: copied at one or two percent of a CPU, in one call that is to be long enough
 * for an escalation. A power of two, as pipes are.
 */
static unsigned int pipe_bytes(void)
{
	return test_slower() > 1 ? PIPE_BYTES / 4 : PIPE_BYTES;
}

/* In one call it computes for long, and then blocks. */
static void body_fills(struct task *task)
{
	char *bytes = mmap(NULL, pipe_bytes() + 4096, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	check(bytes != MAP_FAILED, "mmap: %s", strerror(errno));
	task_wait(task);
	must_libc(write(ends[1], bytes, pipe_bytes() + 4096));
	atomic_store(&task->step, 1);
	spin_until(&task->stop);
}

TEST(escalated, "a thread that was escalated in a call, and blocks in it, is seen to")
{
	uint32_t domain = use("server");
	struct resch_server_set want = server_of(domain, 10 * MS, 20 * SEC);
	struct task task = { .reg = periodic(100 * SEC, SEC) };
	char buffer[4096];

	must_libc(pipe(ends));
	must_libc(fcntl(ends[1], F_SETPIPE_SZ, pipe_bytes()));
	must(server_set(&want));
	task.reg.params.group = want.id;
	light_start(&task, body_fills);
	await(state_of(task.id) == RESCH_STATE_BLOCKED);
	if (!stat_of(task.id).escalations)
		skip("%u MB are copied too fast", pipe_bytes() >> 20);
	/* It gets on when there is room, and waits for its next budget then. */
	must_libc(read(ends[0], buffer, sizeof(buffer)));
	await(state_of(task.id) != RESCH_STATE_BLOCKED);
}
