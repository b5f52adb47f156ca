// SPDX-License-Identifier: GPL-2.0
/* test_plugins - what the plugins pick, event by event, against naive models */
#include "rig.h"

#define TASKS 60
#define ROUNDS 60000
#define QUANTUM 50000

static struct rig rig;

/* What the naive models know: for each ready task its place in the order of arrival. */
static u64 arrival[RIG_TASKS + 1];
static u64 arrivals;

struct model {
	const struct resch_plugin *plugin;
	const char *order; /* for fp */
	/* is @a, which is ready, ahead of @b? NULL: round robin */
	bool (*ahead)(const struct resch_task *a, const struct resch_task *b);
};

static bool by_two(u64 a1, u64 b1, u64 a2, u64 b2)
{
	return a1 < b1 || (a1 == b1 && a2 < b2);
}

static bool ahead_edf(const struct resch_task *a, const struct resch_task *b)
{
	return by_two(a->job.deadline, b->job.deadline, arrival[a->id], arrival[b->id]);
}

static bool ahead_fifo(const struct resch_task *a, const struct resch_task *b)
{
	return by_two(a->job.release, b->job.release, a->id, b->id);
}

static bool ahead_dm(const struct resch_task *a, const struct resch_task *b)
{
	return by_two(a->params.deadline, b->params.deadline, a->id, b->id);
}

static bool ahead_rm(const struct resch_task *a, const struct resch_task *b)
{
	return by_two(a->params.period, b->params.period, a->id, b->id);
}

static bool ahead_explicit(const struct resch_task *a, const struct resch_task *b)
{
	if (!a->params.priority != !b->params.priority)
		return a->params.priority;
	if (!a->params.priority)
		return ahead_dm(a, b);
	return by_two(a->params.priority, b->params.priority, a->id, b->id);
}

/*
 * Whose turn it is in round robin: the model is the turn, and who has waited longest since theirs.
 */
static struct {
	struct resch_task *task;
	u64 end;
} turn;

static struct resch_task *expect_turn(u64 now)
{
	struct resch_task *task, *best = NULL;

	if (turn.task && now >= turn.end) {
		arrival[turn.task->id] = ++arrivals;
		turn.task = NULL;
	}
	if (turn.task)
		return turn.task;
	resch_rq_for_each(&rig.rq, task)
		if (task->ready && (!best || arrival[task->id] < arrival[best->id]))
			best = task;
	turn.task = best;
	turn.end = now + QUANTUM;
	return best;
}

static struct resch_task *expect(const struct model *model, u64 now)
{
	struct resch_task *task, *best = NULL;

	if (!model->ahead)
		return expect_turn(now);
	resch_rq_for_each(&rig.rq, task)
		if (task->ready && (!best || model->ahead(task, best)))
			best = task;
	return best;
}

static struct resch_task *ask(u64 now)
{
	struct resch_pick pick = { .until = RESCH_NEVER };

	rig.plugin->pick(&rig.rq, now, &pick);
	assert_true(pick.until > now);
	if (pick.task) {
		assert_ptr_equal(pick.task->rq, &rig.rq);
		assert_true(pick.task->ready);
	}
	return pick.task;
}

static void make_ready(struct resch_task *task, enum resch_why why, u64 now)
{
	task->ready = true;
	arrival[task->id] = ++arrivals;
	rig.plugin->enqueue(&rig.rq, task, why, now);
}

static void make_unready(struct resch_task *task, enum resch_why why, u64 now)
{
	task->ready = false;
	rig.plugin->dequeue(&rig.rq, task, why, now);
	if (turn.task == task)
		turn.task = NULL;
}

/* Few different values, so that there are ties. */
static void draw_params(struct resch_task *task, u64 *random)
{
	memset(task->private, 0, sizeof(task->private));
	task->params.period = rig_between(random, 1, 12) * 1000000;
	task->params.deadline = rig_between(random, 1, 12) * 1000000;
	task->params.wcet = 1000;
	task->params.priority = rig_between(random, 0, 9);
	task->rq = &rig.rq;
	task->job.index = 0;
}

static bool attached(const struct resch_task *task)
{
	const struct resch_task *other;

	resch_rq_for_each(&rig.rq, other)
		if (other == task)
			return true;
	return false;
}

/* One random event: a task comes or goes, becomes ready or not. */
static void event(u64 *random, u64 now)
{
	static const enum resch_why off[] = { RESCH_WHY_COMPLETE, RESCH_WHY_BLOCK,
					      RESCH_WHY_THROTTLE };
	struct resch_task *task = &rig.tasks[rig_random(random) % TASKS];
	u64 dice = rig_random(random) % 100;

	if (!attached(task)) {
		draw_params(task, random);
		rig_join(&rig, task);
	} else if (task->ready && dice < 4) {
		make_unready(task, RESCH_WHY_DETACH, now);
		rig_leave(&rig, task);
	} else if (task->ready) {
		make_unready(task, off[dice % 3], now);
	} else if (dice < 50 && task->job.index) {
		make_ready(task, RESCH_WHY_WAKE, now);
	} else {
		task->job.index++;
		task->job.release = now - now % 100000;
		task->job.deadline = task->job.release + task->params.deadline;
		make_ready(task, RESCH_WHY_RELEASE, now);
	}
}

static void run(const struct model *model)
{
	u64 random = 2, now = 1000000;
	u32 round, i;

	rig_init(&rig, model->plugin);
	turn.task = NULL;
	if (model->order)
		rig_option(&rig, "order", model->order);
	if (!model->ahead)
		rig_option(&rig, "quantum", "50us");
	for (i = 0; i < TASKS; i++)
		rig.tasks[i].id = i + 1;
	for (round = 0; round < ROUNDS; round++) {
		struct resch_task *expected;

		now += rig_random(&random) % 3 ? 0 : rig_between(&random, 1, 40000);
		event(&random, now);
		if (rig_random(&random) % 4 == 0)
			continue; /* several events between two questions */
		expected = expect(model, now);
		assert_ptr_equal(ask(now), expected);
		assert_ptr_equal(ask(now), expected); /* asking changes nothing */
	}
}

static void edf(void **state)
{
	run(&(struct model){ resch_edf(), NULL, ahead_edf });
}

static void fifo(void **state)
{
	run(&(struct model){ &resch_plugin_fallback, NULL, ahead_fifo });
}

static void fp_deadline(void **state)
{
	run(&(struct model){ resch_fp(), "dm", ahead_dm });
}

static void fp_rate(void **state)
{
	run(&(struct model){ resch_fp(), "rm", ahead_rm });
}

static void fp_explicit(void **state)
{
	run(&(struct model){ resch_fp(), "explicit", ahead_explicit });
}

static void demo(void **state)
{
	run(&(struct model){ resch_demo(), NULL, NULL });
}

/*
 * Tasks go from plugin to plugin as they are, some with a job under way: private words are zeroed,
 * as the core does it, and nothing that the last plugin left in the nodes matters.
 */
static void takeover(void **state)
{
	const struct model chain[] = {
		{ &resch_plugin_fallback, NULL, ahead_fifo },
		{ resch_edf(), NULL, ahead_edf },
		{ resch_fp(), NULL, ahead_dm },
		{ resch_demo(), NULL, NULL },
	};
	u64 random = 8, now = 5000000;
	struct resch_task *task;
	u32 round, i;

	rig_init(&rig, chain[0].plugin);
	for (i = 0; i < TASKS; i++)
		rig.tasks[i].id = i + 1;
	for (round = 0; round < 400; round++) {
		const struct model *model = &chain[rig_random(&random) % 4];

		resch_rq_for_each(&rig.rq, task) {
			if (task->ready)
				rig.plugin->dequeue(&rig.rq, task, RESCH_WHY_DETACH, now);
			if (rig.plugin->detach)
				rig.plugin->detach(&rig.rq, task);
		}
		memset(rig.domain, 0, sizeof(rig.domain));
		memset(rig.rq.private, 0, sizeof(rig.rq.private));
		rig.plugin = model->plugin;
		turn.task = NULL;
		if (!model->ahead)
			rig_option(&rig, "quantum", "50us");
		resch_rq_for_each(&rig.rq, task) {
			memset(task->private, 0, sizeof(task->private));
			if (rig.plugin->attach)
				rig.plugin->attach(&rig.rq, task);
			if (task->ready)
				make_ready(task, RESCH_WHY_TAKEOVER, now);
		}
		for (i = 0; i < 40; i++) {
			now += rig_between(&random, 0, 30000);
			event(&random, now);
			assert_ptr_equal(ask(now), expect(model, now));
		}
	}
}

static void nobody(void **state)
{
	const struct resch_plugin *const plugins[] = { resch_edf(), &resch_plugin_fallback,
						       resch_fp(), resch_demo() };
	u32 i;

	for (i = 0; i < 4; i++) {
		struct resch_pick pick = { .until = RESCH_NEVER };

		rig_init(&rig, plugins[i]);
		rig.plugin->pick(&rig.rq, 1, &pick);
		assert_null(pick.task);
		assert_true(pick.until == RESCH_NEVER);
		assert_int_equal(rig.plugin->abi, RESCH_PLUGIN_ABI);
		assert_true(rig.plugin->admit && rig.plugin->enqueue && rig.plugin->dequeue &&
			    rig.plugin->pick);
		assert_true(strlen(rig.plugin->about) < RESCH_REASON_LEN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edf),	       cmocka_unit_test(fifo),
		cmocka_unit_test(fp_deadline), cmocka_unit_test(fp_rate),
		cmocka_unit_test(fp_explicit), cmocka_unit_test(demo),
		cmocka_unit_test(takeover),    cmocka_unit_test(nobody),
	};

	return cmocka_run_group_tests_name("plugins", tests, NULL, NULL);
}
