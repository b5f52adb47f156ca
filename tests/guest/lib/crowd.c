// SPDX-License-Identifier: GPL-2.0
/* crowd.c - a task in every state, see crowd.h */
#include "crowd.h"

enum { ASLEEP, DELAYED, WAITING, NEW, COMPUTING, READY, CROWD };

static struct task crowd[CROWD];
static struct attributes crowd_were;
static atomic_int crowd_end;

static const char *const crowd_names[CROWD] = {
	"the one asleep", "the one in a delay", "the one between jobs",
	"the new one",	  "the computing one",	"the ready one",
};

/*
 * It was not inside a call that could tell it: the next one does, or doesn't know the thread any
 * more.
 */
static void crowd_told_late(struct task *task)
{
	int err = resch_wait(dev, NULL);

	if (err != -ECANCELED && err != -ENOENT)
		fail("%s: resch_wait: %s", crowd_names[task->number], errno_name(err));
}

static void crowd_told(struct task *task, int err)
{
	if (err != -ECANCELED)
		fail("%s: its call ended with %s", crowd_names[task->number], errno_name(err));
	atomic_store(&task->step, 2);
	while (!atomic_load(&crowd_end))
		sleep_ms(5);
}

static void crowd_body(struct task *task)
{
	int err;

	task->unregistered_end = true;
	pin(0, "0,1");
	if (task->number == NEW) {
		while (!atomic_load(&crowd_end))
			sleep_ms(5);
		crowd_told_late(task);
		return;
	}
	if (task->number == WAITING || task->number == READY) {
		do
			err = resch_wait(dev, NULL);
		while (err == -EINTR);
		crowd_told(task, err);
		return;
	}
	task_wait(task);
	atomic_store(&task->step, 1);
	if (task->number == DELAYED) {
		crowd_told(task, resch_delay(dev, resch_now() + 600 * SEC));
		return;
	}
	if (task->number == ASLEEP)
		while (!atomic_load(&crowd_end))
			usleep(200000000);
	else
		spin_until(&crowd_end);
	crowd_told_late(task);
}

static void crowd_wake(int signal)
{
	(void)signal;
}

void crowd_start(void)
{
	static const uint32_t states[CROWD] = {
		RESCH_STATE_BLOCKED, RESCH_STATE_BLOCKED,  RESCH_STATE_SLEEPING,
		RESCH_STATE_NEW,     RESCH_STATE_SELECTED, RESCH_STATE_READY,
	};
	struct sigaction action = { .sa_handler = crowd_wake };
	struct task *task;
	int i;

	sigaction(SIGUSR1, &action, NULL);
	must(attributes_set(0, SCHED_BATCH, 0, 5, 0));
	pin(0, "0,1");
	crowd_were = attributes_of(0);
	/*
	 * On PREEMPT_RT the sleep of an ordinary thread ends in a kernel thread of the CPU where it
	 * began, and one of ours is going to keep CPU 1 busy.
	 */
	pin(0, "0");
	atomic_store(&crowd_end, 0);
	for (i = 0; i < CROWD; i++) {
		task = &crowd[i];
		memset(task, 0, sizeof(*task));
		task->number = i;
		/* In this order under fifo, edf and fp alike. */
		task->reg = periodic((400 + i) * SEC, 100 * SEC);
		if (i == WAITING)
			task->reg.params.offset = 600 * SEC;
		task_start(task, crowd_body);
		await(state_of(task->id) == states[i]);
	}
}

/* sched_getaffinity() leaves out CPUs that are offline; this does not. */
static bool crowd_has_cpus(pid_t tid)
{
	char path[64], text[4096], *at;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	check(file_read(path, text, sizeof(text)), "%s: %s", path, strerror(errno));
	at = strstr(text, "Cpus_allowed_list:\t");
	return at && !strncmp(strchr(at, '\t') + 1, "0-1\n", 4);
}

static void crowd_events(uint64_t gone)
{
	struct resch_event events[CROWD];
	bool seen[CROWD] = { false };
	int count = 0, got, i, j;

	while (count < CROWD) {
		check(must(resch_event_wait(dev, PATIENCE * 1000)) == 1,
		      "only %d of %d GONE events came", count, CROWD);
		got = must(resch_event_read(dev, events, CROWD));
		for (i = 0; i < got; i++) {
			check_is(events[i].type, RESCH_EVENT_GONE);
			check_is(events[i].value, gone);
			for (j = 0; j < CROWD && crowd[j].id != events[i].task; j++)
				;
			check(j < CROWD, "an event of task %u", events[i].task);
			check(!seen[j], "two events of %s", crowd_names[j]);
			seen[j] = true;
			count++;
		}
	}
}

void crowd_gone(uint64_t gone)
{
	struct attributes were = crowd_were;
	int i;

	if (gone == RESCH_GONE_OFFLINE)
		CPU_CLR(CPU, &were.cpus);
	for (i = 0; i < CROWD; i++) {
		await(state_of(crowd[i].id) == RESCH_STATE_GONE);
		attributes_await(crowd[i].tid, &were, crowd_names[i]);
		await(crowd_has_cpus(crowd[i].tid));
	}
	crowd_events(gone);
	await(atomic_load(&crowd[WAITING].step) == 2);
	await(atomic_load(&crowd[READY].step) == 2);
	await(atomic_load(&crowd[DELAYED].step) == 2);
	check_is(tasks_registered(), 0);
	atomic_store(&crowd_end, 1);
	pthread_kill(crowd[ASLEEP].thread, SIGUSR1);
	for (i = 0; i < CROWD; i++)
		task_join(&crowd[i]);
	must(attributes_set(0, SCHED_OTHER, 0, 0, 0));
	pin(0, "0");
}

void crowd_after(void)
{
	struct task task = { .reg = periodic(30 * MS, 5 * MS) };

	task_start(&task, body_idle);
	await(atomic_load(&task.jobs) >= 3);
	task_join(&task);
}
