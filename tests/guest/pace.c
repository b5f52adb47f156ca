// SPDX-License-Identifier: GPL-2.0
/* pace.c - periodic tasks whose releases are further apart than their periods, and follow clocks */
#include "lib.h"

/*
 * resch-test: timeout=200
 */

#define PERIOD (10 * MS)
#define TURNS 12

/* What each job says of the next distance, and when the jobs were released. */
static uint64_t wanted[TURNS + 1], releases[TURNS + 1], skips[TURNS + 1], overruns;

static void body_varies(struct task *task)
{
	unsigned int turn;

	for (turn = 0; turn <= TURNS; turn++) {
		task_wait(task);
		releases[turn] = task->job.release;
		skips[turn] = task->job.skipped;
		check_is(task->job.deadline, task->job.release + PERIOD);
		must(resch_pace_set(dev, 0, wanted[turn]));
		if (task->arg && turn == TURNS / 2)
			spin(5 * PERIOD);
	}
	overruns = stat_of(task->id).overruns;
}

static void varied(uint32_t overrun, uint32_t miss)
{
	unsigned int turn;

	use("edf");
	for (turn = 0; turn <= TURNS; turn++)
		wanted[turn] = PERIOD + turn % 4 * 3 * MS;
	do {
		struct task task = { .reg = periodic(PERIOD, PERIOD / 2) };

		task.reg.params.overrun = overrun;
		task.reg.params.miss = miss;
		if (miss == RESCH_SKIP)
			task.arg = &task;
		task_start(&task, body_varies);
		task_join(&task);
		/* A machine that stands still uses budgets up: that moves a job's own release. */
	} while (overrun == RESCH_THROTTLE && overruns);
	for (turn = 1; turn <= TURNS; turn++)
		check_is(releases[turn] - releases[turn - 1], (1 + skips[turn]) * wanted[turn - 1]);
	if (miss == RESCH_SKIP)
		check(skips[TURNS / 2 + 1] >= 1, "nothing was skipped after five periods");
}

TEST(plain, "each job says how far away the next one is, to the nanosecond")
{
	varied(RESCH_COUNT, RESCH_COUNT);
}

TEST(budget, "likewise of a task whose budget is enforced")
{
	varied(RESCH_THROTTLE, RESCH_COUNT);
}

TEST(skipping, "releases that are left out are as far apart")
{
	varied(RESCH_COUNT, RESCH_SKIP);
}

TEST(outside, "who has registered a task says it for the task, which sleeps or works")
{
	struct task task = { .reg = periodic(PERIOD, PERIOD / 2) };
	uint64_t before;

	use("edf");
	task_start(&task, body_idle);
	check_is(stat_of(task.id).distance, PERIOD);
	must(resch_pace_set(dev, task.id, SEC / 2));
	check_is(stat_of(task.id).distance, SEC / 2);
	/* One release may have been foreseen. */
	before = atomic_load(&task.jobs);
	await(atomic_load(&task.jobs) >= before + 2);
	before = stat_of(task.id).release;
	await(stat_of(task.id).release != before);
	check_is(stat_of(task.id).release - before, SEC / 2);
	must(resch_pace_set(dev, task.id, PERIOD));
	task_join(&task);
}

TEST(refused, "what is no distance is refused, and changes nothing")
{
	struct task task = { .reg = periodic(PERIOD, PERIOD / 2) };
	struct resch_register reg = sporadic(PERIOD, PERIOD / 2);
	struct resch_pace pace = { .reserved = 1, .distance = PERIOD };
	int other = resch_open();

	use("edf");
	task_start(&task, body_idle);
	refused(resch_pace_set(dev, task.id, PERIOD - 1), EINVAL);
	refused(resch_pace_set(dev, task.id, 0), EINVAL);
	refused(resch_pace_set(dev, task.id, 3600 * SEC + 1), EINVAL);
	pace.id = task.id;
	refused(call(dev, RESCH_IOC_PACE, &pace), EINVAL);
	refused(resch_pace_set(other, task.id, PERIOD), EPERM);
	refused(resch_pace_set(dev, 0, PERIOD), ENOENT);
	refused(resch_pace_set(dev, 0x7fffffff, PERIOD), ENOENT);
	check_is(stat_of(task.id).distance, PERIOD);
	task_join(&task);
	must(resch_register_self(dev, &reg));
	refused(resch_pace_set(dev, 0, 2 * PERIOD), EINVAL);
	must(resch_unregister(dev, 0));
	close(other);
}

/* ---- a clock that isn't ours ----------------------------------------------------------------- */

#define CYCLE (20 * MS)
#define MOST (MS)

static const struct resch_pace_goal goal = {
	.clock = CLOCK_TAI, .cycle = CYCLE, .phase = 7 * MS, .most = MOST
};
static atomic_ullong distance_min, distance_max;
static atomic_int near; /* jobs in a row that were where they should be */

static void body_follows(struct task *task)
{
	uint64_t last = 0, ahead;
	int64_t off;

	while (!atomic_load(&task->stop)) {
		struct timespec time;

		task_wait(task);
		if (last) {
			uint64_t distance = task->job.release - last;

			if (distance < atomic_load(&distance_min))
				atomic_store(&distance_min, distance);
			if (distance > atomic_load(&distance_max))
				atomic_store(&distance_max, distance);
		}
		last = task->job.release;
		must_libc(clock_gettime(CLOCK_TAI, &time));
		ahead = time.tv_sec * SEC + time.tv_nsec - resch_now();
		off = (int64_t)((last + ahead - goal.phase + CYCLE / 2) % CYCLE) - CYCLE / 2;
		if (llabs(off) < (long long)MOST)
			atomic_fetch_add(&near, 1);
		else
			atomic_store(&near, 0);
		must(resch_pace_follow(dev, 0, &goal, last));
	}
}

TEST(follow, "releases go to where CLOCK_TAI has them, step by step, and go with it when it's set")
{
	struct task task = { .reg = periodic(CYCLE - MOST, MS) };
	struct resch_pace_goal wrong = goal;
	struct timespec time;

	atomic_store(&distance_min, UINT64_MAX);
	use("edf");
	task_start(&task, body_follows);
	await(atomic_load(&near) >= 10);
	must_libc(clock_gettime(CLOCK_REALTIME, &time));
	time.tv_nsec = time.tv_nsec < 500000000 ? time.tv_nsec + 108000000 :
						  time.tv_nsec - 92000000;
	must_libc(clock_settime(CLOCK_REALTIME, &time));
	await(!atomic_load(&near));
	await(atomic_load(&near) >= 10);
	check(atomic_load(&distance_min) >= CYCLE - MOST &&
		      atomic_load(&distance_max) <= CYCLE + MOST,
	      "from %llu to %llu ns", (unsigned long long)atomic_load(&distance_min),
	      (unsigned long long)atomic_load(&distance_max));
	check(atomic_load(&distance_max) > CYCLE || atomic_load(&distance_min) < CYCLE,
	      "all were a cycle apart");
	wrong.most = CYCLE;
	refused(resch_pace_follow(dev, task.id, &wrong, resch_now()), EINVAL);
	wrong.most = 0;
	wrong.cycle = 0;
	refused(resch_pace_follow(dev, task.id, &wrong, resch_now()), EINVAL);
	wrong.cycle = CYCLE;
	wrong.clock = 99;
	refused(resch_pace_follow(dev, task.id, &wrong, resch_now()), EINVAL);
	task_join(&task);
}
