// SPDX-License-Identifier: GPL-2.0
/* test_server - the plugin `server`: rules by vectors, budgets when all comes late */
#include "server_rig.h"

/* ---- vectors --------------------------------------------------------------------------------- */

#define EVENTS 16

/* What the plugin notes about its one server: at that time, a new budget until that deadline. */
struct history {
	u32 count;
	struct {
		u64 at, deadline;
	} event[EVENTS];
};

static void record(struct sim *sim, struct resch_server *server)
{
	struct history *history = sim->watcher;

	if (!(server->notes & RESCH_SERVER_REPLENISHED))
		return;
	assert_true(history->count < EVENTS);
	history->event[history->count].at = sim->now;
	history->event[history->count++].deadline = server->state.deadline;
}

struct vector {
	u32 kind;
	u64 budget, period;
	struct {
		u64 release, needs, ends; /* jobs, in us; needs 0: no more */
	} job[4];
	u64 at[8], deadline[8]; /* of budgets; deadline 0: no more */
};

/*
 * Abeni, Buttazzo's rules and those of Deng, Liu, worked out by hand: Q = 2, T = 6 alone on its CPU
 * with jobs (2, 3), (6, 1), (15, 1), and U = 1/4 with jobs (3, 1), (6.9, 2), (14, 2).
 */
static const struct vector vectors[] = {
	{ RESCH_SERVER_CBS,
	  2000,
	  6000,
	  { { 2000, 3000, 5000 }, { 6000, 1000, 7000 }, { 15000, 1000, 16000 } },
	  { 2000, 4000, 7000, 15000 },
	  { 8000, 14000, 20000, 21000 } },
	{ RESCH_SERVER_CBS_HARD,
	  2000,
	  6000,
	  { { 2000, 3000, 9000 }, { 6000, 1000, 10000 }, { 15000, 1000, 16000 } },
	  { 2000, 8000, 15000 },
	  { 8000, 14000, 21000 } },
	{ RESCH_SERVER_TBS,
	  2000,
	  8000,
	  { { 3000, 1000, 4000 }, { 6900, 2000, 8900 }, { 14000, 2000, 16000 } },
	  { 3000, 6900, 14000 },
	  { 7000, 15000, 23000 } },
	{ RESCH_SERVER_CUS,
	  2000,
	  8000,
	  { { 3000, 1000, 4000 }, { 6900, 2000, 9000 }, { 14000, 2000, 17000 } },
	  { 3000, 7000, 15000 },
	  { 7000, 15000, 23000 } },
	/* TBS, jobs that queue: the next deadline comes as one ends, or a budget of 2 does */
	{ RESCH_SERVER_TBS,
	  2000,
	  8000,
	  { { 0, 1000, 1000 }, { 0, 3000, 4000 } },
	  { 0, 1000, 3000 },
	  { 4000, 12000, 16000 } },
};

static void check_vector(const struct vector *vector)
{
	struct resch_server_params params =
		size_of(vector->kind, RESCH_SERVER_FIFO, vector->budget * US, vector->period * US);
	struct sim *sim = make("server", "", 1, 40 * MS);
	struct resch_verdict verdict;
	struct history history = { 0 };
	u32 i;

	assert_int_equal(sim_server_add(sim, &params, &verdict), 0);
	for (i = 0; i < 4 && vector->job[i].needs; i++) {
		u64 needs = vector->job[i].needs * US;
		struct taskset_task spec =
			spec_of(needs, 1000 * MS, 1000 * MS, vector->job[i].release * US);

		spec.params.group = 1;
		add(sim, &spec);
	}
	sim->watch_server = record;
	sim->watcher = &history;
	assert_int_equal(sim_run(sim), 0);
	for (i = 0; i < 4 && vector->job[i].needs; i++)
		assert_int_equal(sim->tasks[i]->stats.response_max,
				 (vector->job[i].ends - vector->job[i].release) * US);
	for (i = 0; vector->deadline[i]; i++) {
		assert_true(i < history.count);
		assert_int_equal(history.event[i].at, vector->at[i] * US);
		assert_int_equal(history.event[i].deadline, vector->deadline[i] * US);
	}
	/* A soft CBS whose last job leaves nothing gets the next budget at once. */
	assert_true(history.count <= i + 1);
	sim_free(sim);
}

static void rules(void **state)
{
	u32 i;

	for (i = 0; i < COUNT(vectors); i++)
		check_vector(&vectors[i]);
}

/* ---- event by event -------------------------------------------------------------------------- */

static void ready(struct resch_task *task, enum resch_why why, u64 now)
{
	task->ready = true;
	if (why == RESCH_WHY_RELEASE) {
		task->job.release = now;
		task->job.deadline = now + task->params.deadline;
	}
	rig.plugin->enqueue(&rig.rq, task, why, now);
}

static void unready(struct resch_task *task, enum resch_why why, u64 now)
{
	task->ready = false;
	rig.plugin->dequeue(&rig.rq, task, why, now);
}

static u64 picks(const struct resch_task *task, u64 now)
{
	struct resch_pick pick = { .until = RESCH_NEVER }, again = pick;

	rig.plugin->pick(&rig.rq, now, &pick);
	assert_ptr_equal(pick.task, task);
	assert_true(pick.until > now);
	/* Who asks again gets the same answer. */
	rig.plugin->pick(&rig.rq, now, &again);
	assert_ptr_equal(again.task, task);
	assert_true(again.until == pick.until);
	return pick.until;
}

static void isolates(void **state)
{
	struct resch_task *greedy, *other;

	rig_init(&rig, resch_server());
	greedy = member(serve(1, RESCH_SERVER_CBS_HARD, RESCH_SERVER_EDF, 300, 1000), 1, 1000);
	other = member(serve(2, RESCH_SERVER_CBS, RESCH_SERVER_EDF, 500, 2000), 500, 2000);
	ready(greedy, RESCH_WHY_RELEASE, 10000);
	ready(other, RESCH_WHY_RELEASE, 10000);
	assert_int_equal(picks(greedy, 10000), 10300);
	assert_int_equal(picks(other, 10300), 10800);
	/* Used up: the deadline is put off to 14000, but nobody else may. */
	assert_int_equal(picks(other, 10800), 11000);
	assert_int_equal(servers[1].state.postponed, 1);
	assert_int_equal(servers[1].state.deadline, 14000);
	assert_int_equal(picks(greedy, 11000), 11300);
	unready(other, RESCH_WHY_COMPLETE, 11300);
	assert_int_equal(picks(NULL, 11300), 12000);
	assert_int_equal(servers[0].state.exhausted, 2);
	unready(greedy, RESCH_WHY_BLOCK, 11500);
	assert_true(picks(NULL, 11500) == RESCH_NEVER);
	/* Back before its deadline: it has nothing left until then. */
	ready(greedy, RESCH_WHY_WAKE, 11900);
	assert_int_equal(picks(NULL, 11900), 12000);
	assert_int_equal(picks(greedy, 12000), 12300);
	assert_int_equal(servers[0].state.consumed, 600);
}

/* A timer that comes late lets a server overdraw; it pays with its next budgets. */
static void pays_debts(void **state)
{
	struct resch_server *server;
	struct resch_task *task;

	rig_init(&rig, resch_server());
	server = serve(1, RESCH_SERVER_CBS_HARD, RESCH_SERVER_EDF, 300, 1000);
	task = member(server, 1, 1000);
	ready(task, RESCH_WHY_RELEASE, 10000);
	assert_int_equal(picks(task, 10000), 10300);
	assert_int_equal(picks(NULL, 10450), 11000);
	assert_int_equal(picks(task, 11000), 11150);
	assert_int_equal(server->state.deadline, 12000);
	/* Very late: 850 beyond the 150, three budgets for a deadline three periods later. */
	assert_int_equal(picks(task, 12000), 12050);
	assert_int_equal(server->state.left, 50);
	assert_int_equal(server->state.deadline, 15000);
	/* The machine has stood still: no right over others for that. */
	unready(task, RESCH_WHY_BLOCK, 12010);
	ready(task, RESCH_WHY_WAKE, 900000);
	assert_int_equal(server->state.deadline, 901000);
	/* Time that goes back a little is no time. */
	assert_int_equal(picks(task, 900100), 900400);
	assert_int_equal(picks(task, 900150), 900400);
	assert_int_equal(picks(task, 900120), 900400);
	assert_int_equal(server->state.left, 250);
}

/* A soft server that runs alone for long: its deadline stops somewhere, nothing overflows. */
static void runs_ahead(void **state)
{
	u64 now = 10000000, period = 3600000000000ULL;
	struct resch_server *server;
	struct resch_task *task;
	u32 i;

	rig_init(&rig, resch_server());
	server = serve(1, RESCH_SERVER_CBS, RESCH_SERVER_EDF, period / 10000, period);
	task = member(server, 1, 1000);
	ready(task, RESCH_WHY_RELEASE, now);
	for (i = 0; i < 3000; i++) {
		u64 before = server->state.deadline;

		now += period;
		picks(task, now);
		assert_true(server->state.deadline >= before);
		assert_true(server->state.left > 0 &&
			    (u64)server->state.left <= server->params.budget);
	}
	assert_true(server->state.deadline == BUDGET_DEADLINE_LAST);
	unready(task, RESCH_WHY_BLOCK, now);
	ready(task, RESCH_WHY_WAKE, now + 5);
	picks(task, now + 5);
}

/* A resized server keeps the budget that it has. */
static void resizes(void **state)
{
	static const u32 kinds[] = { RESCH_SERVER_CBS_HARD, RESCH_SERVER_CBS };
	struct resch_server *server;
	struct resch_task *task;
	u32 i;

	for (i = 0; i < 2; i++) {
		rig_init(&rig, resch_server());
		server = serve(1, kinds[i], RESCH_SERVER_EDF, 300, 1000);
		task = member(server, 1, 1000);
		ready(task, RESCH_WHY_RELEASE, 10000);
		picks(task, 10000);
		server->params.budget = 100;
		server->params.period = 500;
		assert_int_equal(picks(task, 10100), 10300);
		assert_int_equal(server->state.left, 200);
		assert_int_equal(server->state.deadline, 11000);
		if (i) {
			assert_int_equal(picks(task, 10300), 10400);
		} else {
			assert_int_equal(picks(NULL, 10300), 11000);
			assert_int_equal(picks(task, 11000), 11100);
		}
		assert_int_equal(server->state.left, 100);
		assert_int_equal(server->state.deadline, 11500);
	}
	/* One whose budgets follow its jobs: what is left may be more than it will have again. */
	rig_init(&rig, resch_server());
	server = serve(1, RESCH_SERVER_TBS, RESCH_SERVER_FIFO, 300, 1000);
	task = member(server, 300, 1000);
	ready(task, RESCH_WHY_RELEASE, 10000);
	assert_int_equal(picks(task, 10000), 10300);
	server->params.budget = 100;
	unready(task, RESCH_WHY_BLOCK, 10010);
	ready(task, RESCH_WHY_WAKE, 10010);
	picks(task, 10010);
	assert_true(server->state.left > 0 && server->state.left <= 290);
	assert_true(server->state.deadline >= 11000);
}

/* A signal handler between two jobs needs what a job does, however far the last one came. */
static void between_jobs(void **state)
{
	static const u32 kinds[] = { RESCH_SERVER_CUS, RESCH_SERVER_TBS };
	static const u64 executed[] = { 100, 150, 550 };
	u32 i, j;

	for (i = 0; i < COUNT(kinds); i++) {
		for (j = 0; j < COUNT(executed); j++) {
			struct resch_server *server;
			struct resch_task *task;
			u64 now = 10000;

			rig_init(&rig, resch_server());
			server = serve(1, kinds[i], RESCH_SERVER_FIFO, 300, 1000);
			task = member(server, 150, 1000);
			ready(task, RESCH_WHY_RELEASE, now);
			/* 150 at 300 of 1000 */
			assert_int_equal(server->state.deadline, now + 500);
			picks(task, now);
			if (executed[j] > 150) /* with another budget */
				picks(task, now + 500);
			unready(task, RESCH_WHY_COMPLETE, now + executed[j]);
			now = 20000;
			ready(task, RESCH_WHY_WAKE, now);
			assert_int_equal(server->state.deadline, now + 500);
			assert_int_equal(picks(task, now), now + 150);
		}
	}
}

/* Round robin within a server; its turns are execution time, which others interrupt. */
static void takes_turns(void **state)
{
	struct resch_task *a, *b, *urgent;
	struct resch_server *server;

	rig_init(&rig, resch_server());
	server = serve(1, RESCH_SERVER_CBS, RESCH_SERVER_RR, 1000, 10000);
	server->params.quantum = 100;
	a = member(server, 500, 10000);
	b = member(server, 500, 10000);
	urgent = member(serve(2, RESCH_SERVER_CBS, RESCH_SERVER_EDF, 50, 500), 50, 500);
	ready(a, RESCH_WHY_RELEASE, 10000);
	picks(a, 10000);
	ready(b, RESCH_WHY_RELEASE, 10010);
	assert_int_equal(picks(a, 10010), 10100);
	ready(urgent, RESCH_WHY_RELEASE, 10060);
	assert_int_equal(picks(urgent, 10060), 10110);
	unready(urgent, RESCH_WHY_COMPLETE, 10090);
	assert_int_equal(picks(a, 10090), 10130);
	assert_int_equal(picks(b, 10130), 10230);
	/* b ends: a has a whole turn; alone it needs none. */
	unready(b, RESCH_WHY_COMPLETE, 10150);
	assert_int_equal(picks(a, 10150), 11030);
}

/* In a server jobs go in the order of its policy. */
static void orders(void **state)
{
	/* wcet, deadline, period, priority; as released: 1 first, then 2, 3 */
	static const u64 tasks[3][3] = { { 900, 950, 3 }, { 800, 990, 1 }, { 850, 900, 2 } };
	static const u32 expected[][3] = {
		{ 2, 3, 1 }, /* EDF, released 10 apart: deadlines 900, 810, 870 from the first */
		{ 2, 3, 1 }, /* DM */
		{ 3, 1, 2 }, /* RM */
		{ 2, 3, 1 }, /* priorities 3, 1, 2 */
		{ 1, 2, 3 }, /* FIFO */
		{ 1, 2, 3 }, /* RR */
	};
	struct resch_server *server;
	u32 policy, i;

	for (policy = RESCH_SERVER_EDF; policy <= RESCH_SERVER_RR; policy++) {
		rig_init(&rig, resch_server());
		server = serve(1, RESCH_SERVER_CBS, policy, 1000000, 1000000);
		for (i = 0; i < 3; i++) {
			struct resch_task *task = member(server, 10, tasks[i][1]);

			task->params.deadline = tasks[i][0];
			task->params.priority = (u32)tasks[i][2];
		}
		for (i = 0; i < 3; i++)
			ready(&rig.tasks[i], RESCH_WHY_RELEASE, 10000 + 10 * i);
		for (i = 0; i < 3; i++) {
			struct resch_task *task = &rig.tasks[expected[policy][i] - 1];

			picks(task, 10030 + i);
			unready(task, RESCH_WHY_COMPLETE, 10030 + i);
		}
		assert_true(picks(NULL, 11000) == RESCH_NEVER);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules),      cmocka_unit_test(isolates),
		cmocka_unit_test(pays_debts), cmocka_unit_test(runs_ahead),
		cmocka_unit_test(resizes),    cmocka_unit_test(takes_turns),
		cmocka_unit_test(orders),     cmocka_unit_test(between_jobs),
	};

	return cmocka_run_group_tests_name("server", tests, NULL, NULL);
}
