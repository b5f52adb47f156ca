// SPDX-License-Identifier: GPL-2.0
/* task.c - threads that are registered, see lib.h */
#include "lib.h"

#include <sys/rseq.h>
#include <sys/syscall.h>

struct resch_register periodic(uint64_t period, uint64_t wcet)
{
	struct resch_register reg = {
		.params = {
			.period = period,
			.wcet = wcet,
			.kind = RESCH_PERIODIC,
			.cpu = CPU,
			.flags = RESCH_F_SKIP_ADMISSION,
		},
	};

	return reg;
}

struct resch_register sporadic(uint64_t period, uint64_t wcet)
{
	struct resch_register reg = periodic(period, wcet);

	reg.params.kind = RESCH_SPORADIC;
	return reg;
}

struct resch_register wakeup(uint64_t period, uint64_t wcet)
{
	struct resch_register reg = periodic(period, wcet);

	reg.params.kind = RESCH_WAKEUP;
	return reg;
}

static void *task_main(void *arg)
{
	struct task *task = arg;
	int err;

	task->tid = gettid();
	if (task->registered) {
		err = resch_register_self(dev, &task->reg);
		if (err)
			fail("a task could not register: %s", errno_name(err));
		task->id = task->reg.id;
	}
	atomic_store(&task->registered, 2);
	task->body(task);
	if (task->id && !task->unregistered_end) {
		err = resch_unregister(dev, 0);
		if (err)
			fail("a task could not unregister: %s", errno_name(err));
	}
	atomic_store(&task->ended, 1);
	return NULL;
}

static void task_run(struct task *task, void (*body)(struct task *task), int registered)
{
	pthread_attr_t attr;
	int err;

	task->body = body;
	atomic_store(&task->registered, registered);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	err = pthread_create(&task->thread, &attr, task_main, task);
	pthread_attr_destroy(&attr);
	if (err)
		fail("pthread_create: %s", strerror(err));
	while (atomic_load(&task->registered) != 2)
		sleep_ms(1);
}

void task_start(struct task *task, void (*body)(struct task *task))
{
	task_run(task, body, 1);
}

void thread_start(struct task *task, void (*body)(struct task *task))
{
	task_run(task, body, 0);
}

void task_join(struct task *task)
{
	struct timespec end;
	int err;

	atomic_store(&task->stop, 1);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += PATIENCE;
	err = pthread_timedjoin_np(task->thread, NULL, &end);
	if (err)
		fail("task %d (thread %d, state %s) does not end: %s", task->number, task->tid,
		     resch_state_name(state_of(task->id)), strerror(err));
}

void task_join_sporadic(struct task *task)
{
	atomic_store(&task->stop, 1);
	await(atomic_load(&task->ended) || !resch_release(dev, task->id));
	task_join(task);
}

/*
 * What the kernel tells programs about the CPU that they are on is true after a wait, which spares
 * the kernel the telling where there is nothing new.
 */
static void task_look(const struct task *task)
{
	const struct rseq *rseq =
		(const struct rseq *)((const char *)__builtin_thread_pointer() + __rseq_offset);
	unsigned int cpu, node;
	int i;

	if (!__rseq_size)
		return;
	/* It may be moved between the two looks. */
	for (i = 0; i < 10; i++) {
		must_libc(syscall(SYS_getcpu, &cpu, &node, NULL));
		if (*(const volatile uint32_t *)&rseq->cpu_id == cpu)
			return;
	}
	fail("task %d: rseq says CPU %u, it is on CPU %u", task->number, rseq->cpu_id, cpu);
}

void task_wait(struct task *task)
{
	int err;

	do
		err = resch_wait(dev, &task->job);
	while (err == -EINTR);
	if (err)
		fail("task %d: resch_wait: %s", task->number, errno_name(err));
	task_look(task);
	atomic_fetch_add(&task->jobs, 1);
}

void body_idle(struct task *task)
{
	while (!atomic_load(&task->stop))
		task_wait(task);
}

void body_spin(struct task *task)
{
	task_wait(task);
	spin_until(&task->stop);
}

void body_load(struct task *task)
{
	char cpu[8];

	snprintf(cpu, sizeof(cpu), "%d", CPU);
	pin(0, cpu);
	spin_until(&task->stop);
}

void body_short(struct task *task)
{
	while (!atomic_load(&task->stop)) {
		task_wait(task);
		spin(MS / 10);
	}
}

void body_counts(struct task *task)
{
	task_wait(task);
	while (!atomic_load(&task->stop)) {
		spin(2 * MS);
		sleep_ms(2);
		atomic_fetch_add(&task->step, 1);
	}
}

void tasks_in_order(struct task *tasks, int count, void (*body)(struct task *task), uint32_t domain,
		    const char *wanted)
{
	int i;

	for (i = 0; i < count; i++) {
		task_start(&tasks[i], body);
		await(state_of(tasks[i].id) == RESCH_STATE_SLEEPING);
	}
	check_is(must(resch_start(dev, domain, resch_now() + SEC)), count);
	for (i = 0; i < count; i++)
		task_join(&tasks[i]);
	check(!strcmp(notes(), wanted), "the order is %s, not %s", notes(), wanted);
}

struct resch_task_stat stat_of(uint32_t id)
{
	struct resch_task_stat stat;
	int err;

	memset(&stat, 0, sizeof(stat));
	err = resch_task_stat(dev, id, &stat);
	if (err)
		fail("statistics of task %u: %s", id, errno_name(err));
	return stat;
}

uint32_t state_of(uint32_t id)
{
	struct resch_task_stat stat;

	memset(&stat, 0, sizeof(stat));
	return resch_task_stat(dev, id, &stat) ? RESCH_STATE_GONE : stat.state;
}

uint32_t tasks_registered(void)
{
	return info().tasks;
}

struct resch_event event_await(uint32_t type, uint32_t task)
{
	uint64_t end = resch_now() + PATIENCE * SEC;
	struct resch_event event;

	check_is(resch_event_wait(dev, PATIENCE * 1000), 1);
	check(resch_now() < end, "the event was there, but did not wake who waited for it");
	check_is(resch_event_read(dev, &event, 1), 1);
	check_is(event.type, type);
	check_is(event.task, task);
	return event;
}
