// SPDX-License-Identifier: GPL-2.0
/* direct.c - threads whose SCHED_FIFO priorities are their plugin's order go by the engine */
#include <stddef.h>

#include "lib.h"

/*
 * resch-test: timeout=300
 */

#define PERIOD (20 * MS)

/* The domain decides hardly ever while the task completes @jobs: so it is direct. */
static void await_direct(uint32_t domain, const struct task *task, unsigned int jobs)
{
	uint64_t end = resch_now() + PATIENCE * SEC;

	for (;;) {
		uint64_t decided = domain_stat(domain).decisions;
		unsigned long long begun = task->jobs;

		await(task->jobs >= begun + jobs);
		if (domain_stat(domain).decisions - decided < jobs)
			return;
		check(resch_now() < end, "the engine decides for each job");
	}
}

/* ... or for each of them. */
static bool is_decided(uint32_t domain, const struct task *task, unsigned int jobs)
{
	uint64_t decided = domain_stat(domain).decisions;
	unsigned long long begun = task->jobs;

	await(task->jobs >= begun + jobs);
	return domain_stat(domain).decisions - decided >= jobs;
}

TEST(alone, "jobs of a task under fp are released without a decision, and counted")
{
	struct task task = { .reg = periodic(PERIOD, MS) };
	uint32_t domain = use("fp");
	struct resch_task_stat stat;
	struct resch_wait first;
	unsigned long long jobs;

	task_start(&task, body_idle);
	await(task.jobs >= 3);
	do {
		jobs = task.jobs;
		first = task.job;
	} while (jobs != task.jobs);
	await_direct(domain, &task, 20);
	/* whoever looks has it come back, as a task like any other */
	stat = stat_of(task.id);
	check(stat.completed + 3 >= task.jobs && stat.completed <= task.jobs + 1,
	      "%llu jobs are counted, of %llu", (unsigned long long)stat.completed,
	      (unsigned long long)task.jobs);
	check(stat.exec_total > 0, "nothing has been executed");
	check(stat.exec_max <= stat.exec_total, "one job has executed more than all");
	await_direct(domain, &task, 5);
	task_join(&task);
	check_is(task.job.release - first.release, (task.job.job - first.job) * PERIOD);
	check_is(task.job.deadline - task.job.release, PERIOD);
}

TEST(decided, "edf decides, and so does fp for tasks of one level")
{
	struct task task = { .reg = periodic(PERIOD, MS) };
	struct task equal = { .reg = periodic(PERIOD, MS) };
	uint32_t domain = use("edf");

	task_start(&task, body_idle);
	check(is_decided(domain, &task, 10), "not under edf");
	must(domain_swap(domain, "fp", ""));
	await_direct(domain, &task, 10);
	task_start(&equal, body_idle);
	check(is_decided(domain, &task, 10), "not among equals");
	must(domain_swap(domain, "edf", ""));
	check(is_decided(domain, &task, 10), "not under edf any more");
	task_join(&equal);
	task_join(&task);
}

struct log {
	atomic_int count;
	struct {
		int task;
		bool begins;
	} entry[4000];
};

static struct log *log_;

static void log_put(int task, bool begins)
{
	int at = atomic_fetch_add(&log_->count, 1);

	if (at < 4000) {
		log_->entry[at].task = task;
		log_->entry[at].begins = begins;
	}
}

static void body_logs(struct task *task)
{
	while (!atomic_load(&task->stop)) {
		task_wait(task);
		log_put(task->number, true);
		spin((uint64_t)task->number * MS);
		log_put(task->number, false);
	}
}

TEST(order, "nobody begins a job while one of a more urgent task is under way")
{
	struct task tasks[3] = {
		{ .reg = periodic(11 * MS, 5 * MS), .number = 1 },
		{ .reg = periodic(23 * MS, 10 * MS), .number = 2 },
		{ .reg = periodic(47 * MS, 20 * MS), .number = 3 },
	};
	int under_way[4] = { 0 }, preempted = 0, i, other;
	uint32_t domain = use("fp");

	log_ = shared(sizeof(*log_));
	for (i = 2; i >= 0; i--)
		task_start(&tasks[i], body_logs);
	await_direct(domain, &tasks[2], 4);
	await(log_->count >= 1000);
	for (i = 0; i < 3; i++)
		task_join(&tasks[i]);
	for (i = 0; i < log_->count && i < 4000; i++) {
		int task = log_->entry[i].task;

		for (other = 1; other < task; other++)
			check(!under_way[other], "entry %d: task %d goes on while %d is under way",
			      i, task, other);
		for (other = task + 1; other <= 3; other++)
			preempted += under_way[other] && log_->entry[i].begins;
		under_way[task] = log_->entry[i].begins;
	}
	check(preempted > 0, "nobody was ever preempted");
}

/* The second job computes until it has used up more than its budget. */
static void body_overruns(struct task *task)
{
	while (!atomic_load(&task->stop)) {
		task_wait(task);
		if (atomic_exchange(&task->step, 0))
			spin(5 * MS);
	}
}

/* What the statistics of a task say at this offset. */
static uint64_t counted(uint32_t id, size_t counter)
{
	struct resch_task_stat stat = stat_of(id);
	uint64_t count;

	memcpy(&count, (const char *)&stat + counter, sizeof(count));
	return count;
}

/* A job of a task with this period that takes too long is found in its statistics at @counter. */
static void await_counted(uint32_t domain, uint64_t period, size_t counter)
{
	struct task task = { .reg = periodic(period, MS) };
	uint64_t before;

	task_start(&task, body_overruns);
	await(task.jobs >= 3);
	await_direct(domain, &task, 10);
	before = counted(task.id, counter);
	atomic_store(&task.step, 1);
	await(counted(task.id, counter) > before);
	await_direct(domain, &task, 10);
	task_join(&task);
}

TEST(overrun, "a budget that is overrun, and a deadline that is missed, are counted")
{
	uint32_t domain = use("fp");

	await_counted(domain, PERIOD, offsetof(struct resch_task_stat, overruns));
	await_counted(domain, 3 * MS, offsetof(struct resch_task_stat, misses));
}

static void on_signal(int signal)
{
	(void)signal;
	note('s');
}

TEST(signal, "a signal reaches who sleeps, and the next job comes as ever")
{
	struct sigaction action = { .sa_handler = on_signal };
	struct task task = { .reg = periodic(300 * MS, MS) };
	uint32_t domain = use("fp");
	int i;

	sigaction(SIGUSR1, &action, NULL);
	task_start(&task, body_idle);
	await_direct(domain, &task, 2);
	for (i = 0; i < 5; i++) {
		unsigned long long jobs = task.jobs;

		notes_clear();
		must_libc(tgkill(getpid(), task.tid, SIGUSR1));
		await(notes()[0] == 's');
		await(task.jobs > jobs);
		sleep_ms(30);
	}
	await_direct(domain, &task, 2);
	task_join(&task);
}

static void body_until_gone(struct task *task)
{
	while (!resch_wait(dev, &task->job))
		atomic_fetch_add(&task->jobs, 1);
	task->unregistered_end = true;
	atomic_store(&task->step, 1);
	while (!atomic_load(&task->stop))
		sleep_ms(1);
}

TEST(gone, "who is unregistered in the midst of it gets back what it had")
{
	uint32_t domain = use("fp");
	int i;

	for (i = 0; i < 6; i++) {
		struct task task = { .reg = periodic(PERIOD + (uint64_t)i * MS, MS) };

		task_start(&task, body_until_gone);
		await_direct(domain, &task, 3 + (unsigned int)i);
		must(resch_unregister(dev, task.id));
		await(task.step == 1);
		check_is(attributes_of(task.tid).policy, SCHED_OTHER);
		task_join(&task);
	}
}

static int dies(void *arg)
{
	struct task task = { .reg = periodic(PERIOD, MS) };
	atomic_int *id = arg;

	task_start(&task, body_idle);
	atomic_store(id, (int)task.id);
	for (;;)
		sleep_ms(1000);
	return 0;
}

TEST(dies, "a process that is killed in the midst of it leaves nothing")
{
	uint32_t domain = use("fp");
	int i;

	for (i = 0; i < 5; i++) {
		atomic_int *id = shared(4096);
		uint64_t completed, decided;
		pid_t pid = child(dies, id);

		await(*id);
		completed = stat_of((uint32_t)*id).completed;
		await(stat_of((uint32_t)*id).completed > completed + 2);
		decided = domain_stat(domain).decisions;
		sleep_ms(100 + 7 * (unsigned int)i);
		check(domain_stat(domain).decisions - decided < 20, "the engine decides");
		kill(pid, SIGKILL);
		child_wait(pid);
		await(tasks_registered() == 0);
	}
}

TEST(blocks, "a job that sleeps in the kernel, or delays itself, is the engine's")
{
	struct task task = { .reg = periodic(PERIOD, MS) };

	use("fp");
	task_start(&task, body_counts);
	await(task.step > 10);
	check(state_of(task.id) != RESCH_STATE_GONE, "it is gone");
	task_join(&task);
}
