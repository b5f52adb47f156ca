// SPDX-License-Identifier: GPL-2.0
/*
 * test_server_faulty - plugins inside servers that pick whom they like, or nobody: promises hold
 * all the same, and one that errs costs its server alone
 */
#include "sim_rig.h"

#define US 1000ULL
#define MS 1000000ULL

const struct resch_plugin *resch_server(void);

/* ---- a plugin of our own --------------------------------------------------------------------- */

#define CANARY 0x6b65657020796f75ULL

/*
 * Any order: keys at random, drawn anew for all at random times, or the latest deadline first. It
 * keeps to what resch/inner.h allows, and finds out if others use what is its own.
 */
struct any_rq {
	struct resch_queue ready;
	u64 random;
	u64 turn_end;
};

struct any_task {
	u64 key;
	u64 attached;
};

RESCH_PLUGIN_PRIVATE(struct any_rq, RESCH_RQ_PRIVATE);
RESCH_PLUGIN_PRIVATE(struct any_task, RESCH_TASK_PRIVATE);

/* What the plugin below is to do wrong, after so many picks. */
enum wrong { NOTHING, NOBODY, UNREADY, STRANGER, PAST, WRONGS };

static struct {
	enum wrong wrong;
	u32 after;
	u32 picks, attached, detached;
	const struct sim *sim;
	struct resch_task *stranger;
} any;

/* One of the first server that is not ready, or NULL. */
static struct resch_task *any_sleeper(void)
{
	u32 i;

	for (i = 0; i < any.sim->nr_tasks; i++)
		if (any.sim->tasks[i]->spec.params.group == 1 && !any.sim->tasks[i]->task.ready)
			return &any.sim->tasks[i]->task;
	return NULL;
}

static int any_option(u64 *domain, const char *key, const char *value)
{
	u32 seed;

	if (strcmp(key, "seed") || kstrtou32(value, 10, &seed))
		return -EINVAL;
	domain[0] = seed;
	return 0;
}

static int any_admit(const struct resch_rq *rq, const struct resch_task *task,
		     struct resch_verdict *verdict)
{
	fail_msg("admit() of a plugin inside a server was asked");
	return 0;
}

static void any_attach(struct resch_rq *rq, struct resch_task *task)
{
	struct any_task *words = resch_private(task, struct any_task);

	assert_int_equal(words->attached, 0);
	words->attached = CANARY;
	any.attached++;
}

static void any_detach(struct resch_rq *rq, struct resch_task *task)
{
	assert_true(resch_private(task, struct any_task)->attached == CANARY);
	any.detached++;
}

static u64 any_key(struct resch_rq *rq, const struct resch_task *task)
{
	struct any_rq *words = resch_private(rq, struct any_rq);

	if (!rq->domain[0])
		return U64_MAX - task->job.deadline;
	if (!words->random)
		words->random = rq->domain[0];
	return rig_random(&words->random);
}

static void any_enqueue(struct resch_rq *rq, struct resch_task *task, enum resch_why why, u64 now)
{
	struct any_rq *words = resch_private(rq, struct any_rq);

	assert_null(rq->tasks);
	assert_true(resch_private(task, struct any_task)->attached == CANARY);
	assert_false(resch_node_queued(&task->node));
	resch_private(task, struct any_task)->key = any_key(rq, task);
	resch_queue_insert(&words->ready, &task->node, resch_private(task, struct any_task)->key);
}

static void any_dequeue(struct resch_rq *rq, struct resch_task *task, enum resch_why why, u64 now)
{
	assert_true(resch_private(task, struct any_task)->attached == CANARY);
	assert_true(task->node.key == resch_private(task, struct any_task)->key);
	resch_queue_erase(&resch_private(rq, struct any_rq)->ready, &task->node);
}

/* Whoever has had a turn gets a new place. */
static void any_turn(struct resch_rq *rq, u64 now)
{
	struct any_rq *words = resch_private(rq, struct any_rq);
	struct resch_node *node = resch_queue_pop(&words->ready);
	struct resch_task *task = container_of(node, struct resch_task, node);

	resch_private(task, struct any_task)->key = any_key(rq, task);
	resch_queue_insert(&words->ready, node, resch_private(task, struct any_task)->key);
	words->turn_end = now + rig_between(&words->random, 1, MS);
}

static void any_pick(struct resch_rq *rq, u64 now, struct resch_pick *pick)
{
	struct any_rq *words = resch_private(rq, struct any_rq);
	enum wrong wrong = any.picks++ < any.after ? NOTHING : any.wrong;

	assert_non_null(resch_queue_first(&words->ready));
	if (wrong == UNREADY && !any_sleeper()) {
		wrong = NOTHING;
		any.after++;
	}
	if (rq->domain[0] && now >= words->turn_end)
		any_turn(rq, now);
	pick->task = container_of(resch_queue_first(&words->ready), struct resch_task, node);
	if (rq->domain[0])
		pick->until = words->turn_end;
	if (wrong == NOBODY)
		pick->task = NULL;
	else if (wrong == UNREADY)
		pick->task = any_sleeper();
	else if (wrong == STRANGER)
		pick->task = any.stranger;
	else if (wrong == PAST)
		pick->until = now;
	/* One that has erred may have lost its queue, too. */
	if (wrong != NOTHING)
		memset(words, 0x5a, sizeof(*words));
}

static const struct resch_plugin any_plugin = {
	.name = "any",
	.about = "any order",
	.abi = RESCH_PLUGIN_ABI,
	.flags = RESCH_PLUGIN_INNER,
	.option = any_option,
	.admit = any_admit,
	.attach = any_attach,
	.detach = any_detach,
	.enqueue = any_enqueue,
	.dequeue = any_dequeue,
	.pick = any_pick,
};

/* ---- promises, whoever is picked ------------------------------------------------------------- */

/* A task that is cut down until the server takes it; or none. */
static void add_task(struct sim *sim, u64 *random, const struct resch_server_params *server)
{
	u64 period = rig_between(random, server->period, 12 * server->period);
	struct taskset_task spec =
		spec_of(rig_between(random, 1, server->budget), period, period, 0);
	struct resch_verdict verdict = { 0 };

	spec.params.group = 1;
	spec.params.deadline = rig_between(random, max(spec.params.wcet, period / 2), period);
	spec.offset_max = rig_between(random, 0, 1) ? period : 0;
	spec.gap_max = rig_between(random, 0, 1) ? period * 3 / 2 : period;
	if (!sim_add(sim, &spec, &verdict) || !verdict.suggest_wcet)
		return;
	spec.params.wcet = verdict.suggest_wcet;
	spec.exec_min = spec.exec_max = spec.params.wcet;
	assert_int_equal(sim_add(sim, &spec, &verdict), 0);
}

/* What the door lets in is in time, though the plugin picks the wrong one on purpose. */
static void promises(void **state)
{
	u32 round, rounds = getenv("RESCH_TEST_LONG") ? 20000 : 500, i, admitted = 0, several = 0;
	u64 random = 11, jobs = 0;

	for (round = 0; round < rounds; round++) {
		struct sim *sim = make("server", "", 1, 400 * MS);
		u64 period = rig_between(&random, 1, 12) * MS;
		struct resch_server_params params = { .kind = round & 1, .cpu = -1 };
		struct resch_verdict verdict;
		char options[32] = "";
		u64 count;

		memset(&any, 0, sizeof(any));
		params.policy = RESCH_SERVER_PLUGIN;
		params.period = period;
		params.budget = rig_between(&random, period / 5, period * 2 / 3);
		assert_int_equal(sim_server_add(sim, &params, &verdict), 0);
		if (round & 2)
			snprintf(options, sizeof(options), "seed=%u", round);
		assert_int_equal(sim_server_put_inside(sim->servers[0], &any_plugin, options), 0);
		/* The rest is for one that takes it as late as can be for the first. */
		params.policy = RESCH_SERVER_EDF;
		params.kind = RESCH_SERVER_CBS;
		params.period = rig_between(&random, 1, 10) * MS;
		params.budget =
			params.period * (period - sim->servers[0]->server.params.budget) / period;
		if (!sim_server_add(sim, &params, &verdict))
			add_greedy(sim, 2);
		count = sim->nr_tasks;
		for (i = 0; i < 5; i++)
			add_task(sim, &random, &sim->servers[0]->server.params);
		assert_int_equal(sim_run(sim), 0);
		assert_null(sim->servers[0]->inner.fault);
		for (i = 0; i < sim->nr_tasks; i++) {
			const struct sim_task *task = sim->tasks[i];

			if (task->spec.params.flags & RESCH_F_SKIP_ADMISSION)
				continue;
			jobs += task->stats.completed;
			if (task->stats.misses) {
				sim_report_table(sim, stderr);
				fail_msg("system %u: task %u is late", round, task->task.id);
			}
		}
		admitted += sim->nr_tasks - count;
		several += sim->nr_tasks - count > 1;
		sim_free(sim);
	}
	print_message("%u tasks, %llu jobs\n", admitted, (unsigned long long)jobs);
	assert_true(admitted > rounds && several > rounds / 3 && jobs > 20 * rounds);
}

/* By hand: Q = 2, T = 10; two jobs take 8 + 8 + 2 at the worst, three 8 + 8 + 10 + 1. */
static void bound(void **state)
{
	struct resch_server_params params = {
		.policy = RESCH_SERVER_PLUGIN, .budget = 2 * MS, .period = 10 * MS, .cpu = -1
	};
	struct sim *sim = make("server", "", 1, MS);
	struct taskset_task spec = spec_of(MS, 17 * MS, 40 * MS, 0);
	struct resch_verdict verdict = { 0 };

	assert_int_equal(sim_server_add(sim, &params, &verdict), 0);
	spec.params.group = 1;
	/* One budget for one job of each. */
	add(sim, &spec);
	add(sim, &spec);
	/* One more: 27 ms. */
	spec.params.deadline = 40 * MS;
	assert_int_equal(sim_add(sim, &spec, &verdict), -EBUSY);
	assert_int_equal(verdict.bound, RESCH_BOUND_SERVER);
	assert_int_equal(verdict.value, 27 * MS);
	assert_int_equal(verdict.limit, 17 * MS);
	sim_free(sim);
	sim = make("server", "", 1, MS);
	assert_int_equal(sim_server_add(sim, &params, &verdict), 0);
	spec.params.deadline = 27 * MS;
	add(sim, &spec);
	add(sim, &spec);
	add(sim, &spec);
	/* By EDF it would: dbf(27) = 3, dbf(41) = 4. */
	spec.params.deadline = 41 * MS;
	spec.params.period = 41 * MS;
	assert_int_equal(sim_add(sim, &spec, &verdict), -EBUSY);
	assert_int_equal(verdict.bound, RESCH_BOUND_SERVER);
	assert_int_equal(verdict.value, 28 * MS);
	sim_free(sim);
}

/* ---- plugins that err ------------------------------------------------------------------------ */

static u32 faults;

static void count_faults(struct sim *sim, struct resch_server *server)
{
	if (!(server->notes & RESCH_SERVER_FAULT))
		return;
	assert_int_equal(server->id, 1);
	faults++;
}

/* Its server goes on by EDF, and all others do as if nothing had happened. */
static void err(enum wrong wrong, const char *why, bool swapped)
{
	struct resch_server_params params = {
		.policy = RESCH_SERVER_PLUGIN, .budget = 4 * MS, .period = 10 * MS, .cpu = -1
	};
	struct sim *sim = make("server", "", 1, 500 * MS);
	struct taskset_task spec = spec_of(3 * MS, 10 * MS, 10 * MS, 0);
	struct resch_verdict verdict;
	u32 i;

	memset(&any, 0, sizeof(any));
	any.wrong = wrong;
	any.after = 30;
	any.sim = sim;
	faults = 0;
	sim->watch_server = count_faults;
	assert_int_equal(sim_server_add(sim, &params, &verdict), 0);
	assert_int_equal(sim_server_put_inside(sim->servers[0], &any_plugin, ""), 0);
	params.policy = RESCH_SERVER_EDF;
	params.budget = 3 * MS;
	assert_int_equal(sim_server_add(sim, &params, &verdict), 0);
	params.kind = RESCH_SERVER_CBS;
	assert_int_equal(sim_server_add(sim, &params, &verdict), 0);
	spec.params.group = 2;
	any.stranger = &add(sim, &spec)->task;
	add_greedy(sim, 3);
	spec.params.group = 1;
	spec.params.wcet = spec.exec_min = spec.exec_max = MS;
	add(sim, &spec);
	spec.params.period = spec.params.deadline = 20 * MS;
	add(sim, &spec);
	spec.params.period = spec.params.deadline = 31 * MS;
	add(sim, &spec);
	if (swapped) {
		struct sim_swap swaps[2] = { { .plugin = "edf", .at = 333 * MS },
					     { .plugin = "server", .at = 344 * MS } };

		memcpy(sim->config.swaps, swaps, sizeof(swaps));
		sim->config.nr_swaps = 2;
		sim->config.force = true;
	}
	assert_int_equal(sim_run(sim), 0);
	if (!sim->servers[0]->inner.fault || strcmp(sim->servers[0]->inner.fault, why))
		fail_msg("the fault is '%s', not '%s'",
			 sim->servers[0]->inner.fault ? sim->servers[0]->inner.fault : "none", why);
	/* Who takes over anew may ask it again, once. */
	assert_int_equal(faults, swapped ? 2 : 1);
	assert_int_equal(any.picks, any.after + (swapped ? 2 : 1));
	for (i = 0; i < sim->nr_tasks; i++) {
		if (sim->tasks[i]->spec.params.flags & RESCH_F_SKIP_ADMISSION || swapped)
			continue;
		assert_int_equal(sim->tasks[i]->stats.misses, 0);
		assert_true(sim->tasks[i]->stats.completed >=
			    500 * MS / sim->tasks[i]->spec.params.period - 1);
	}
	sim_free(sim);
}

static void faulty(void **state)
{
	static const char *const why[] = { NULL, "picked nobody while tasks were ready",
					   "picked a task that is not ready",
					   "picked a task of another server",
					   "asked to be asked again in the past" };
	enum wrong wrong;

	for (wrong = NOBODY; wrong < WRONGS; wrong++) {
		err(wrong, why[wrong], false);
		err(wrong, why[wrong], true);
	}
}

/* It is told of all that come and go, and of nobody else. */
static void told(void **state)
{
	struct resch_server_params params = {
		.policy = RESCH_SERVER_PLUGIN, .budget = 4 * MS, .period = 10 * MS, .cpu = -1
	};
	struct sim *sim = make("server", "", 1, 100 * MS);
	struct taskset_task spec = spec_of(MS, 20 * MS, 20 * MS, 0);
	struct sim_swap swap = { .plugin = "edf", .at = 50 * MS };
	struct resch_verdict verdict;

	memset(&any, 0, sizeof(any));
	assert_int_equal(sim_server_add(sim, &params, &verdict), 0);
	assert_int_equal(sim_server_put_inside(sim->servers[0], &any_plugin, "seed=3"), 0);
	params.policy = RESCH_SERVER_RM;
	assert_int_equal(sim_server_add(sim, &params, &verdict), 0);
	spec.params.group = 1;
	add(sim, &spec);
	add(sim, &spec);
	spec.params.group = 2;
	add(sim, &spec);
	sim->config.swaps[0] = swap;
	sim->config.nr_swaps = 1;
	assert_int_equal(any.attached, 2);
	assert_int_equal(sim_run(sim), 0);
	assert_int_equal(any.detached, 2);
	assert_true(any.picks > 5);
	sim_free(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(promises),
		cmocka_unit_test(bound),
		cmocka_unit_test(faulty),
		cmocka_unit_test(told),
	};

	return cmocka_run_group_tests_name("server_faulty", tests, NULL, NULL);
}
