// SPDX-License-Identifier: GPL-2.0
/* test_server_doors - admission to the CPU and to a server: what they supply, whom they take */
#include "server_rig.h"

/* sbf of 3 in 5, from the literature: the least supply in 0 to 10. */
static void supplies(void **state)
{
	static const u64 least[] = { 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 4 };
	struct resch_server_params params = size_of(RESCH_SERVER_CBS_HARD, 0, 3, 5);
	struct resch_served served = { .params = &params, .budget = 3, .period = 5 };
	u64 t, work;

	for (t = 0; t < COUNT(least); t++) {
		for (work = 0; resch_served_wait(&served, work + 1) <= t; work++)
			;
		assert_int_equal(work, least[t]);
	}
}

static int door(u32 policy, u64 budget, u64 period, const u64 (*tasks)[2], u32 count)
{
	struct resch_server *server;
	struct resch_task *task;
	int err = 0;
	u32 i;

	rig_init(&rig, resch_server());
	server = serve(1, RESCH_SERVER_CBS_HARD, policy, budget, period);
	for (i = 0; i < count && !err; i++) {
		task = rig_task(&rig, tasks[i][0] * 1000 * MS, tasks[i][1] * 1000 * MS,
				tasks[i][1] * 1000 * MS);
		task->params.group = 1;
		task->server = server;
		err = rig_try(&rig, task);
		if (!err)
			rig_join(&rig, task);
	}
	return err;
}

/*
 * Capacities that are needed on a processor of that speed; a server of 10 us comes near one. Worked
 * out in exact arithmetic: .6, .56 and .5 under RM, the utilization under EDF.
 */
static void speeds(void **state)
{
	static const u64 first[][2] = { { 1, 4 }, { 1, 6 }, { 1, 10 } };
	static const u64 second[][2] = { { 1, 5 }, { 2, 9 }, { 3, 25 } };
	static const u64 third[][2] = { { 2, 4 } };
	static const struct {
		u32 policy;
		const u64 (*tasks)[2];
		u32 count;
		u64 fails, passes; /* budgets of 100 us */
	} table[] = {
		{ RESCH_SERVER_RM, first, 3, 59990, 60010 },
		{ RESCH_SERVER_DM, second, 3, 55990, 56010 },
		{ RESCH_SERVER_RM, third, 1, 49990, 50010 },
		{ RESCH_SERVER_EDF, first, 3, 51660, 51680 },
		{ RESCH_SERVER_EDF, second, 3, 54220, 54230 },
	};
	u32 i;

	for (i = 0; i < COUNT(table); i++) {
		assert_int_equal(door(table[i].policy, table[i].fails, 100000, table[i].tasks,
				      table[i].count),
				 -EBUSY);
		assert_int_equal(door(table[i].policy, table[i].passes, 100000, table[i].tasks,
				      table[i].count),
				 0);
	}
}

/* The door of the CPU: sizes with overheads within the capacity; a refusal says what would pass. */
static void sizes(void **state)
{
	struct resch_verdict verdict = { 0 };
	struct resch_server *server, other;

	rig_init(&rig, resch_server());
	rig.rq.capacity = 900000;
	rig.rq.overhead = 10 * US;
	server = serve(1, RESCH_SERVER_CBS, 0, 490 * US, MS);
	assert_int_equal(rig.plugin->admit_server(&rig.rq, server, &verdict), 0);
	other = *server;
	other.id = 2;
	other.params.budget = 400 * US;
	assert_int_equal(rig.plugin->admit_server(&rig.rq, &other, &verdict), -EBUSY);
	assert_int_equal(verdict.bound, RESCH_BOUND_UTILIZATION);
	assert_int_equal(verdict.value, 910000);
	assert_int_equal(verdict.limit, 900000);
	assert_int_equal(verdict.suggest_wcet, 390 * US);
	assert_int_equal(verdict.suggest_period, 1025 * US);
	other.params.budget = 390 * US;
	assert_int_equal(rig.plugin->admit_server(&rig.rq, &other, &verdict), 0);
	/* In place of the first one. */
	other.id = 1;
	other.params.budget = 890 * US;
	assert_int_equal(rig.plugin->admit_server(&rig.rq, &other, &verdict), 0);
	/* What it had before still counts, with tasks and without. */
	server->params.budget = 100 * US;
	server->held_budget = 490 * US;
	server->held_period = MS;
	other.id = 2;
	other.params.budget = 391 * US;
	assert_int_equal(rig.plugin->admit_server(&rig.rq, &other, &verdict), -EBUSY);
	server->params.budget = 0;
	assert_int_equal(rig.plugin->admit_server(&rig.rq, &other, &verdict), -EBUSY);
	server->held_budget = 0;
	assert_int_equal(rig.plugin->admit_server(&rig.rq, &other, &verdict), 0);
}

/* One budget for one job of each task; what the tasks of one server do is no other one's matter. */
static void doors(void **state)
{
	static const u32 kinds[] = { RESCH_SERVER_CBS_HARD, RESCH_SERVER_CBS, RESCH_SERVER_CUS,
				     RESCH_SERVER_TBS, RESCH_SERVER_PASSIVE };
	struct resch_server *server, *full;
	struct resch_task *task;
	u32 kind, policy;

	for (kind = 0; kind < COUNT(kinds); kind++) {
		for (policy = RESCH_SERVER_EDF; policy <= RESCH_SERVER_RR; policy++) {
			rig_init(&rig, resch_server());
			server = serve(1, kinds[kind], policy, 3 * MS, 10 * MS);
			full = serve(2, kinds[kind], policy, 3 * MS, 10 * MS);
			task = member(full, 3 * MS, 10 * MS);
			task = rig_task(&rig, 3 * MS, 10 * MS, 10 * MS);
			task->params.group = 1;
			assert_int_equal(rig_try(&rig, task), 0);
			task->params.group = 2;
			assert_int_equal(rig_try(&rig, task), -EBUSY);
			task->params.group = 1;
			task->params.deadline = 10 * MS - 1;
			assert_int_equal(rig_try(&rig, task), -EBUSY);
			task->params.deadline = 10 * MS;
			/* The budget that it had before the last change may be what it gets. */
			server->held_budget = 2 * MS;
			server->held_period = 10 * MS;
			assert_int_equal(rig_try(&rig, task), -EBUSY);
			assert_true(rig.verdict.suggest_wcet > 0);
			task->params.wcet = rig.verdict.suggest_wcet;
			assert_int_equal(rig_try(&rig, task), 0);
			/* a server that is no more, one that is not here */
			server->params.budget = 0;
			assert_int_equal(rig_try(&rig, task), -EBUSY);
			assert_int_equal(rig.verdict.bound, RESCH_BOUND_PLUGIN);
			task->params.group = 3;
			assert_int_equal(rig_try(&rig, task), -EBUSY);
		}
	}
}

/*
 * Members may use all of a server: it has either them or promises. Who was promised nothing is
 * neither.
 */
static void families(void **state)
{
	static const u32 kinds[] = { RESCH_SERVER_CBS_HARD, RESCH_SERVER_CBS, RESCH_SERVER_CUS,
				     RESCH_SERVER_TBS };
	struct resch_task *task, *family;
	struct resch_server *server;
	u32 kind, policy;

	for (kind = 0; kind < 4; kind++) {
		for (policy = RESCH_SERVER_EDF; policy <= RESCH_SERVER_RR; policy++) {
			rig_init(&rig, resch_server());
			rig.rq.overhead = 5 * US;
			server = serve(1, kinds[kind], policy, 3 * MS, 10 * MS);
			serve(2, kinds[kind], policy, 3 * MS, 10 * MS);
			family = rig_task(&rig, 3 * MS, 10 * MS, 10 * MS);
			family->params.group = 1;
			family->params.flags = RESCH_F_FAMILY;
			assert_int_equal(rig_try(&rig, family), 0);
			rig_join(&rig, family);
			/* another one by hand, after a change of size, too */
			server->params.budget = 2 * MS;
			assert_int_equal(rig_try(&rig, family), 0);
			server->params.budget = 3 * MS;
			task = rig_task(&rig, 1, 10 * MS, 10 * MS);
			task->params.group = 1;
			assert_int_equal(rig_try(&rig, task), -EBUSY);
			assert_int_equal(rig.verdict.bound, RESCH_BOUND_UTILIZATION);
			assert_int_equal(rig.verdict.limit, 300000);
			assert_true(rig.verdict.value > 300000);
			assert_int_equal(rig.verdict.suggest_wcet, 0);
			assert_int_equal(rig.verdict.suggest_period, 0);
			task->params.group = 2;
			assert_int_equal(rig_try(&rig, task), 0);
			rig_join(&rig, task);
			family = rig_task(&rig, 3 * MS, 10 * MS, 10 * MS);
			family->params.group = 2;
			family->params.flags = RESCH_F_FAMILY;
			assert_int_equal(rig_try(&rig, family), -EBUSY);
			task->params.flags = RESCH_F_SKIP_ADMISSION;
			assert_int_equal(rig_try(&rig, family), 0);
		}
	}
}

/* Thousands of tasks are refused or taken in bounded time. */
static void bounded(void **state)
{
	struct resch_server *server;
	u32 policy, i;

	for (policy = RESCH_SERVER_EDF; policy <= RESCH_SERVER_RR; policy++) {
		rig_init(&rig, resch_server());
		server = serve(1, RESCH_SERVER_CBS_HARD, policy, 500 * US, MS);
		for (i = 0; i < 400; i++)
			member(server, 1000 + i, 997 * MS + 7919 * i);
		for (i = 0; i < 3; i++) {
			struct resch_task *task =
				rig_task(&rig, 100 * MS * i + MS, 997 * MS, 997 * MS);

			task->params.group = 1;
			rig_try(&rig, task);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(supplies), cmocka_unit_test(speeds),	cmocka_unit_test(sizes),
		cmocka_unit_test(doors),    cmocka_unit_test(families), cmocka_unit_test(bounded),
	};

	return cmocka_run_group_tests_name("server_doors", tests, NULL, NULL);
}
