// SPDX-License-Identifier: GPL-2.0
/* react.c - overruns and missed deadlines: what the user has chosen happens */
#include "lib.h"

/* Spins in its first job until told to stop, then runs two short ones. */
static void body_first_long(struct task *task)
{
	task_wait(task);
	spin_until(&task->stop);
	task_wait(task);
	task->number = task->job.job;
	task->step = 1;
	task_wait(task);
	task->step = 2;
}

/* The first job of body_spin_once(), at its beginning, at its end, and after it. */
static struct resch_wait begun;
static struct resch_task_stat during, after;

/* Spins for so long in its first job that WCET and deadline pass, whatever the machine does. */
static void body_spin_once(struct task *task)
{
	task_wait(task);
	begun = task->job;
	spin((long)task->arg * MS);
	during = stat_of(0);
	task_wait(task);
	after = stat_of(0);
	task->step = 2;
}

static struct resch_event event_of(uint32_t type, uint32_t task)
{
	struct resch_event event = event_await(type, task);

	check_is(event.job, 1);
	check(event.time <= resch_now(), "an event of the future");
	return event;
}

static void no_event(void)
{
	struct resch_event event;

	fcntl(dev, F_SETFL, O_NONBLOCK);
	refused(resch_event_read(dev, &event, 1), EAGAIN);
	check_is(resch_event_wait(dev, 0), 0);
}

/*
 * No further event of the first job. Later ones are short, and yet may have theirs: a machine that
 * is emulated on a busy one stands still for longer than their WCET now and then.
 */
static void no_other_event(void)
{
	struct resch_event event;

	fcntl(dev, F_SETFL, O_NONBLOCK);
	while (resch_event_read(dev, &event, 1) == 1)
		check(event.job > 1, "event %u once more", event.type);
	no_event();
}

TEST(overrun_count, "COUNT: an overrun is counted when the job ends, without an event")
{
	struct task task = { .reg = periodic(100 * MS, 5 * MS), .arg = (void *)40 };

	use("edf");
	task_start(&task, body_spin_once);
	await(task.step == 2);
	check_is(during.overruns, 0);
	check_is(after.overruns, 1);
	task_join(&task);
	no_event();
}

TEST(overrun_notify, "NOTIFY: an overrun is an event while the job runs")
{
	struct task task = { .reg = periodic(SEC, 20 * MS) };
	struct resch_event event;

	use("edf");
	task.reg.params.overrun = RESCH_NOTIFY;
	task_start(&task, body_first_long);
	event = event_of(RESCH_EVENT_OVERRUN, task.id);
	check(event.value >= 20 * MS, "executed %llu at the overrun", event.value);
	check_is(stat_of(task.id).overruns, 1);
	check_is(stat_of(task.id).completed, 0);
	check_is(state_of(task.id), RESCH_STATE_SELECTED);
	task_join(&task);
	no_other_event();
}

TEST(overrun_tiny, "a budget of a nanosecond is overrun, and does no harm")
{
	struct task task = { .reg = periodic(5 * MS, 1) }, other = { .reg = periodic(MS, 1) };

	use("edf");
	task.reg.params.overrun = RESCH_NOTIFY;
	other.reg.params.overrun = RESCH_THROTTLE;
	task_start(&task, body_idle);
	task_start(&other, body_idle);
	await(atomic_load(&task.jobs) >= 20);
	check(stat_of(task.id).overruns >= 1, "no job has been seen to execute for a nanosecond");
	task_join(&task);
	task_join(&other);
}

TEST(miss_notify, "NOTIFY: a missed deadline is an event while the job runs")
{
	struct task task = { .reg = periodic(200 * MS, 20 * MS) };
	struct resch_event event;

	use("edf");
	task.reg.params.miss = RESCH_NOTIFY;
	task.reg.params.deadline = 60 * MS;
	task_start(&task, body_first_long);
	event = event_of(RESCH_EVENT_MISS, task.id);
	check_is(event.value, stat_of(task.id).deadline);
	check(event.time >= event.value, "missed before the deadline");
	check_is(stat_of(task.id).misses, 1);
	check_is(stat_of(task.id).completed, 0);
	task_join(&task);
}

static int ends[2];

static void body_blocks(struct task *task)
{
	char byte;

	task_wait(task);
	must_libc(read(ends[0], &byte, 1));
}

TEST(miss_blocked, "a deadline is missed also by a job that sleeps")
{
	struct task task = { .reg = periodic(200 * MS, 20 * MS) };

	use("edf");
	must_libc(pipe(ends));
	task.reg.params.miss = RESCH_NOTIFY;
	task_start(&task, body_blocks);
	event_of(RESCH_EVENT_MISS, task.id);
	check_is(state_of(task.id), RESCH_STATE_BLOCKED);
	must_libc(write(ends[1], "x", 1));
	task_join(&task);
}

TEST(miss_count, "COUNT: a missed deadline is counted when the job ends")
{
	struct task task = { .reg = periodic(30 * MS, 5 * MS), .arg = (void *)100 };

	use("edf");
	task_start(&task, body_spin_once);
	await(task.step == 2);
	check_is(during.misses, 0);
	check_is(after.misses, 1);
	check_is(after.completed, 1);
	check(after.tardiness_max >= 70 * MS, "tardiness %llu", after.tardiness_max);
	task_join(&task);
	no_event();
}

static atomic_int handled;
static atomic_int handled_by;

static void handler(int signal)
{
	(void)signal;
	handled_by = gettid();
	handled++;
}

/* What the first job has had at its end, which comes long after its signal. */
static void body_until_signal(struct task *task)
{
	task_wait(task);
	spin_until(&handled);
	spin(20 * MS);
	task->number = handled;
	task->step = 1;
	task_wait(task);
}

static void signalled(struct resch_register reg, uint32_t type)
{
	struct sigaction action = { .sa_handler = handler };
	struct task task = { .reg = reg };

	use("edf");
	sigaction(SIGUSR2, &action, NULL);
	task.reg.params.signal = SIGUSR2;
	task_start(&task, body_until_signal);
	await(task.step);
	check_is(task.number, 1);
	check_is(handled_by, task.tid);
	event_of(type, task.id);
	task_join(&task);
}

TEST(overrun_signal, "SIGNAL: the thread gets its signal on an overrun, and there is an event")
{
	struct resch_register reg = periodic(SEC, 20 * MS);

	reg.params.overrun = RESCH_SIGNAL;
	signalled(reg, RESCH_EVENT_OVERRUN);
}

TEST(miss_signal, "SIGNAL: the thread gets its signal on a miss, and there is an event")
{
	struct resch_register reg = periodic(SEC, 20 * MS);

	reg.params.deadline = 50 * MS;
	reg.params.miss = RESCH_SIGNAL;
	signalled(reg, RESCH_EVENT_MISS);
}

static void skipped(struct resch_register reg)
{
	struct task task = { .reg = reg, .arg = (void *)130 };

	use("edf");
	task_start(&task, body_spin_once);
	await(task.step == 2);
	task_join(&task);
	check_is(task.job.job, 2);
	check(task.job.skipped >= 2, "%llu releases skipped", task.job.skipped);
	check_is(task.job.release - begun.release, (task.job.skipped + 1) * 40 * MS);
	check_is(task.job.deadline - task.job.release,
		 task.reg.params.deadline ? task.reg.params.deadline : 40 * MS);
}

TEST(overrun_skip,
     "SKIP on an overrun: the releases that the job is too late for are skipped, the others stay")
{
	struct resch_register reg = periodic(40 * MS, 10 * MS);

	reg.params.overrun = RESCH_SKIP;
	skipped(reg);
}

TEST(miss_skip,
     "SKIP on a miss: the releases that the job is too late for are skipped, the others stay")
{
	struct resch_register reg = periodic(40 * MS, 10 * MS);

	reg.params.miss = RESCH_SKIP;
	skipped(reg);
}

TEST(overrun_throttle, "THROTTLE: the job stops until the next release, which then goes on with it")
{
	struct task low = { .reg = periodic(10 * SEC, MS) };
	struct task task = { .reg = periodic(400 * MS, 40 * MS) };
	struct resch_task_stat stat;
	uint64_t first;
	int steps;

	use("edf");
	task_start(&low, body_counts);
	await(low.step);
	task.reg.params.overrun = RESCH_THROTTLE;
	task_start(&task, body_first_long);
	event_of(RESCH_EVENT_OVERRUN, task.id);
	first = task.job.release; /* of the only wait so far */
	await(state_of(task.id) == RESCH_STATE_THROTTLED);
	steps = low.step;
	await(low.step > steps);
	/* it has used its budget up again and again */
	await(stat_of(task.id).skipped >= 2);
	stat = stat_of(task.id);
	check_is(stat.job, 1);
	check_is(stat.completed, 0);
	check_is((stat.release - first) % (400 * MS), 0);
	check_is((stat.release - first) / (400 * MS), stat.skipped);
	check_is(stat.deadline - stat.release, 400 * MS);
	check(stat.overruns >= 2, "%llu overruns", stat.overruns);
	task.stop = 1;
	await(task.step >= 1);
	check_is(task.number, 2);
	task_join(&task);
	task_join(&low);
}

TEST(miss_throttle, "THROTTLE on a miss stops the job, too")
{
	struct task low = { .reg = periodic(10 * SEC, MS) };
	struct task task = { .reg = periodic(600 * MS, 500 * MS) };
	int steps;

	use("fp");
	task_start(&low, body_counts);
	await(low.step);
	task.reg.params.deadline = 500 * MS;
	task.reg.params.period = 900 * MS;
	task.reg.params.miss = RESCH_THROTTLE;
	task_start(&task, body_first_long);
	event_of(RESCH_EVENT_MISS, task.id);
	await(state_of(task.id) == RESCH_STATE_THROTTLED);
	steps = low.step;
	await(low.step > steps);
	task.stop = 1;
	await(task.step >= 1);
	check_is(task.number, 2);
	task_join(&low);
	task_join(&task);
}

/* Its budget is gone before it has read what its wait returns, and its job is another one soon. */
static void body_breathless(struct task *task)
{
	uint64_t first;

	task_wait(task);
	first = task->job.release;
	/* and until a job has taken the next release over: most may end before their timer */
	while (atomic_load(&task->jobs) < 300 || !stat_of(task->id).skipped) {
		task_wait(task);
		check_is(task->job.deadline - task->job.release, MS);
		check_is((task->job.release - first) % MS, 0);
	}
}

TEST(one_job, "THROTTLE: what a wait returns is of one job, whatever becomes of it")
{
	struct task task = { .reg = periodic(MS, 1) };

	use("edf");
	task.reg.params.overrun = RESCH_THROTTLE;
	task_start(&task, body_breathless);
	task_join(&task);
}

static void body_begins(struct task *task)
{
	task_wait(task);
	spin_until(&task->stop);
}

TEST(overrun_first, "THROTTLE: a first job is stopped also where its budget was gone as it began")
{
	struct task task = { .reg = periodic(5 * MS, 1) };

	use("edf");
	task.reg.params.overrun = RESCH_THROTTLE;
	task_start(&task, body_begins);
	await(stat_of(task.id).overruns >= 5);
	task_join(&task);
}

static void demoted(struct resch_register reg, uint32_t type)
{
	struct task low = { .reg = periodic(10 * SEC, MS) };
	struct task task = { .reg = reg };
	struct attributes before = attributes_of(0);
	int steps;

	use("edf");
	task_start(&low, body_counts);
	await(low.step);
	task_start(&task, body_first_long);
	event_of(type, task.id);
	await(attributes_of(task.tid).policy == SCHED_OTHER);
	steps = low.step;
	await(low.step > steps);
	check_is(stat_of(task.id).completed, 0);
	/* and runs below all others: when those sleep, not only then */
	task_join(&low);
	task.stop = 1;
	await(task.step >= 1);
	check_is(task.number, 2);
	await(task.ended || attributes_of(task.tid).policy == SCHED_FIFO);
	await(task.ended);
	pthread_join(task.thread, NULL);
	attributes_check(0, &before, "the starter");
}

TEST(overrun_demote,
     "DEMOTE: the rest of the job runs below all registered tasks, the next job does not")
{
	struct resch_register reg = periodic(600 * MS, 20 * MS);

	reg.params.overrun = RESCH_DEMOTE;
	demoted(reg, RESCH_EVENT_OVERRUN);
}

TEST(miss_demote, "DEMOTE on a miss: likewise")
{
	struct resch_register reg = periodic(600 * MS, 20 * MS);

	reg.params.deadline = 50 * MS;
	reg.params.miss = RESCH_DEMOTE;
	demoted(reg, RESCH_EVENT_MISS);
}

TEST(within, "a job that keeps to its WCET and deadline has no overrun, no miss, no event")
{
	struct task task = { .reg = periodic(2 * SEC, SEC), .arg = (void *)5 };

	use("edf");
	task.reg.params.overrun = RESCH_NOTIFY;
	task.reg.params.miss = RESCH_NOTIFY;
	task_start(&task, body_spin_once);
	await(task.step == 2);
	check_is(after.overruns + after.misses, 0);
	no_event();
	task_join(&task);
}
