// SPDX-License-Identifier: GPL-2.0
/*
 * test_server_linux - the server of the rest of Linux, by what it is for
 *
 * The oracle knows no budgets and deadlines: it adds up, in each period of the server, for how long
 * nobody was picked. That must be the budget at least, whatever the others ask for; exactly the
 * budget while somebody has endless work and takes what others leave; and others with a guarantee
 * keep it.
 */
#include "sim_rig.h"

#define US 1000ULL
#define MS 1000000ULL
#define OTHERS 3

const struct resch_plugin *resch_server(void);

struct oracle {
	u64 budget, period;
	u64 window; /* its number */
	u64 idle; /* in it */
	u64 windows; /* looked at */
	bool exactly;
};

static void check_window(struct oracle *oracle)
{
	if (oracle->exactly)
		assert_int_equal(oracle->idle, oracle->budget);
	else
		assert_true(oracle->idle >= oracle->budget);
	oracle->windows++;
	oracle->window++;
	oracle->idle = 0;
}

static void watch(struct sim *sim, struct sim_task *task, u64 from, u64 to)
{
	struct oracle *oracle = sim->watcher;
	bool idle = !task || task->state != SIM_READY;

	while (from < to) {
		u64 end = (oracle->window + 1) * oracle->period;
		u64 until = min(end, to);

		if (idle)
			oracle->idle += until - from;
		if (until == end)
			check_window(oracle);
		from = until;
	}
}

static int serve(struct sim *sim, u32 kind, u64 budget, u64 period, u32 flags,
		 struct resch_verdict *verdict)
{
	struct resch_server_params params = {
		.kind = kind, .budget = budget, .period = period, .cpu = -1, .flags = flags
	};

	memset(verdict, 0, sizeof(*verdict));
	return sim_server_add(sim, &params, verdict);
}

/* Jobs of at most @most from time 0 on; @most 0: one that never ends. */
static void work(struct sim *sim, u32 group, u64 wcet, u64 period, u64 most)
{
	struct taskset_task spec = spec_of(wcet, period, period, 0);

	spec.params.group = group;
	spec.params.flags = most ? 0 : RESCH_F_SKIP_ADMISSION;
	spec.exec_min = most ? 1 : 1000000 * MS;
	spec.exec_max = most ? most : 1000000 * MS;
	spec.gap_max = period * 3 / 2;
	add(sim, &spec);
}

/* The last of the servers is greedy, and what is not given away to the others is its own. */
static void play(u64 seed, u64 *random)
{
	static const u32 kinds[] = { RESCH_SERVER_CBS_HARD, RESCH_SERVER_CBS, RESCH_SERVER_TBS };
	struct sim *sim = make_serving(400 * MS, seed, 1000000);
	u64 period = rig_between(random, 4, 40) * MS / 2, used;
	struct oracle oracle = { .period = period };
	u32 others = (u32)rig_between(random, 0, OTHERS), i,
	    kind = kinds[rig_between(random, 0, 2)];
	struct resch_verdict verdict;
	bool before = rig_between(random, 0, 1);

	used = rig_between(random, 5, 60);
	oracle.budget = period * used / 100;
	if (before)
		assert_int_equal(serve(sim, RESCH_SERVER_LINUX, oracle.budget, period, 0, &verdict),
				 0);
	for (i = 0; i < others; i++) {
		u64 share = rig_between(random, 2, (95 - used) / OTHERS), length;

		used += share;
		length = rig_between(random, 4, 40) * MS / 2;
		assert_int_equal(serve(sim, RESCH_SERVER_CBS_HARD, length * share / 100, length, 0,
				       &verdict),
				 0);
		work(sim, i + 1 + before, length * share / 100, length, length * share / 100);
	}
	assert_int_equal(serve(sim, kind, 10 * MS * (100 - used) / 100, 10 * MS,
			       kind != RESCH_SERVER_TBS && rig_between(random, 0, 1) ?
				       RESCH_SERVER_F_RECLAIM :
				       0,
			       &verdict),
			 0);
	work(sim, others + 1 + before, MS, 10000 * MS, 0);
	if (!before)
		assert_int_equal(serve(sim, RESCH_SERVER_LINUX, oracle.budget, period, 0, &verdict),
				 0);
	oracle.exactly = kind != RESCH_SERVER_CBS_HARD;
	sim->watch = watch;
	sim->watcher = &oracle;
	assert_int_equal(sim_run(sim), 0);
	for (i = 0; i < others; i++)
		assert_int_equal(sim->tasks[i]->stats.misses, 0);
	assert_true(oracle.windows >= 400 * MS / period - 1);
	sim_free(sim);
}

static void both_directions(void **state)
{
	u64 random = 77;
	u32 round;

	for (round = 0; round < 400; round++)
		play(round, &random);
}

/*
 * By hand: 2 of 10 for the rest, and a soft server of 4 of 8 that is never satisfied: it goes
 * first, its deadline 8 before 10, then they alternate as deadlines 10 and 16, 20 and 24, 30 and 32
 * come.
 */
static const u64 idle_from[] = { 4, 10, 20, 30 };
static u32 idles;

static void record(struct sim *sim, struct sim_task *task, u64 from, u64 to)
{
	if (task || from == to)
		return;
	assert_true(idles < 4);
	assert_int_equal(from, idle_from[idles] * MS);
	assert_int_equal(to, from + 2 * MS);
	idles++;
}

static void vector(void **state)
{
	struct sim *sim = make_serving(35 * MS, 1, 1000000);
	struct resch_verdict verdict;

	assert_int_equal(serve(sim, RESCH_SERVER_LINUX, 2 * MS, 10 * MS, 0, &verdict), 0);
	assert_int_equal(serve(sim, RESCH_SERVER_CBS, 4 * MS, 8 * MS, 0, &verdict), 0);
	work(sim, 2, MS, 10000 * MS, 0);
	sim->watch = record;
	assert_int_equal(sim_run(sim), 0);
	assert_int_equal(idles, 4);
	assert_int_equal(sim->servers[0]->server.state.consumed, 8 * MS);
	assert_int_equal(sim->servers[0]->server.state.exhausted, 4);
	sim_free(sim);
}

static void door(void **state)
{
	struct sim *sim = make_serving(MS, 1, 950000);
	struct resch_verdict verdict;

	/* 5 % are what the domain keeps in any case. */
	assert_int_equal(serve(sim, RESCH_SERVER_LINUX, MS, 20 * MS, 0, &verdict), 0);
	assert_int_equal(serve(sim, RESCH_SERVER_CBS, 19 * MS, 20 * MS, 0, &verdict), 0);
	sim_free(sim);

	sim = make_serving(MS, 1, 950000);
	assert_int_equal(serve(sim, RESCH_SERVER_LINUX, 4 * MS, 20 * MS, 0, &verdict), 0);
	assert_int_equal(serve(sim, RESCH_SERVER_CBS, 17 * MS, 20 * MS, 0, &verdict), -EBUSY);
	assert_int_equal(verdict.bound, RESCH_BOUND_UTILIZATION);
	assert_int_equal(verdict.value, 850000);
	assert_int_equal(verdict.limit, 800000);
	assert_in_range(verdict.suggest_wcet, 16 * MS - 2, 16 * MS);
	assert_int_equal(serve(sim, RESCH_SERVER_CBS, 15 * MS, 20 * MS, 0, &verdict), 0);
	sim_free(sim);

	/* And the other way round. */
	sim = make_serving(MS, 1, 950000);
	assert_int_equal(serve(sim, RESCH_SERVER_CBS, 15 * MS, 20 * MS, 0, &verdict), 0);
	assert_int_equal(serve(sim, RESCH_SERVER_LINUX, 6 * MS, 20 * MS, 0, &verdict), -EBUSY);
	assert_int_equal(verdict.value, 1050000);
	assert_int_equal(verdict.limit, 1000000);
	assert_int_equal(serve(sim, RESCH_SERVER_LINUX, 4 * MS, 20 * MS, 0, &verdict), 0);
	sim_free(sim);
}

/*
 * As far away from the core's limit as can be asked for: hard servers as long as that of Linux,
 * which has nearly all, and tasks that are always ready. The simulator has the core's watchdog.
 */
static void patience(void **state)
{
	struct sim *sim = make_serving(60000 * MS, 1, 1000000);
	struct resch_verdict verdict;

	assert_int_equal(serve(sim, RESCH_SERVER_LINUX, 9990 * MS, 10000 * MS, 0, &verdict), 0);
	assert_int_equal(serve(sim, RESCH_SERVER_CBS_HARD, 5 * MS, 10000 * MS, 0, &verdict), 0);
	assert_int_equal(serve(sim, RESCH_SERVER_CBS_HARD, MS, 9999 * MS, 0, &verdict), 0);
	work(sim, 2, MS, 10000 * MS, 0);
	work(sim, 3, MS, 10000 * MS, 0);
	assert_int_equal(sim_run(sim), 0);
	assert_string_equal(sim->fault, "");
	assert_in_range(sim->servers[1]->server.state.consumed, 25 * MS, 35 * MS);
	sim_free(sim);
}

/* ---- without the simulator: what only a kernel does ------------------------------------------ */

struct cpu {
	struct resch_rq rq;
	struct resch_server rest, soft;
	struct resch_task task;
	struct resch_pick pick;
};

static void cpu_pick(struct cpu *cpu, u64 now)
{
	cpu->pick = (struct resch_pick){ .until = RESCH_NEVER };
	resch_server()->pick(&cpu->rq, now, &cpu->pick);
	cpu->rq.noted = NULL;
	cpu->rq.kicks = NULL;
	cpu->rq.kicked = false;
	cpu->rest.noted = cpu->soft.noted = 0;
}

/* 2 of 10 for the rest, 8 of 20 for a soft one with endless work from 1 on. */
static void cpu_init(struct cpu *cpu, u32 flags)
{
	memset(cpu, 0, sizeof(*cpu));
	cpu->rq.capacity = 1000000;
	cpu->rest.id = 1;
	cpu->rest.params = (struct resch_server_params){ .kind = RESCH_SERVER_LINUX,
							 .budget = 2 * MS,
							 .period = 10 * MS };
	cpu->soft.id = 2;
	cpu->soft.params = (struct resch_server_params){
		.kind = RESCH_SERVER_CBS, .budget = 8 * MS, .period = 20 * MS, .flags = flags
	};
	cpu->rq.servers = &cpu->rest;
	cpu->rest.next = &cpu->soft;
	cpu->task.rq = &cpu->rq;
	cpu->task.server = &cpu->soft;
	cpu->task.params.group = 2;
	cpu->task.params.wcet = MS;
	cpu_pick(cpu, MS);
	cpu->task.ready = true;
	cpu->task.job.release = MS;
	resch_server()->enqueue(&cpu->rq, &cpu->task, RESCH_WHY_RELEASE, MS);
	cpu_pick(cpu, MS);
	assert_null(cpu->pick.task);
	assert_int_equal(cpu->pick.until, 3 * MS);
}

/* It is deleted in its turn: the others go on at once, and nobody looks at it any more. */
static void deleted(void **state)
{
	struct cpu cpu;

	cpu_init(&cpu, 0);
	cpu.rest.params.budget = 0;
	cpu_pick(&cpu, 2 * MS);
	assert_ptr_equal(cpu.pick.task, &cpu.task);
	assert_int_equal(cpu.pick.until, 10 * MS);
	assert_int_equal(cpu.rest.state.since, 0);
	assert_int_equal(cpu.rest.state.consumed, MS);
	resch_server()->remove_server(&cpu.rq, &cpu.rest);
	cpu.rq.servers = &cpu.soft;
	memset(&cpu.rest, 0xff, sizeof(cpu.rest));
	cpu_pick(&cpu, 10 * MS);
	assert_ptr_equal(cpu.pick.task, &cpu.task);

	/* without a decision between the two */
	cpu_init(&cpu, 0);
	cpu.rest.params.budget = 0;
	resch_server()->remove_server(&cpu.rq, &cpu.rest);
	cpu.rq.servers = &cpu.soft;
	memset(&cpu.rest, 0xff, sizeof(cpu.rest));
	cpu_pick(&cpu, 2 * MS);
	assert_ptr_equal(cpu.pick.task, &cpu.task);
}

/*
 * A server that reclaims is charged for what Linux has been promised, and until the time at which
 * it would get a new budget (its 0-lag time) for what it had: deadline 11 - left 1 / U = 6.
 * U_active is 6 / 10 until then, 4 / 10 after it.
 */
static void reclaimed(void **state)
{
	struct cpu cpu;

	cpu_init(&cpu, RESCH_SERVER_F_RECLAIM);
	cpu_pick(&cpu, 3 * MS);
	assert_ptr_equal(cpu.pick.task, &cpu.task);
	assert_in_range(cpu.soft.state.rate, RESCH_SERVER_RATE * 6 / 10,
			RESCH_SERVER_RATE * 6 / 10 + 3);
	cpu_pick(&cpu, 8 * MS);
	assert_in_range(cpu.soft.state.left, 5 * MS - 100, 5 * MS);

	cpu_init(&cpu, RESCH_SERVER_F_RECLAIM);
	cpu_pick(&cpu, 2 * MS);
	cpu.rest.params.budget = 0;
	cpu_pick(&cpu, 2 * MS);
	assert_ptr_equal(cpu.pick.task, &cpu.task);
	cpu_pick(&cpu, 11 * MS);
	assert_in_range(cpu.soft.state.left, 8 * MS - 24 * MS / 10 - 2 * MS - 100,
			8 * MS - 24 * MS / 10 - 2 * MS);

	/* What the domain keeps is more. */
	cpu_init(&cpu, RESCH_SERVER_F_RECLAIM);
	cpu.rq.capacity = 700000;
	cpu_pick(&cpu, 3 * MS);
	assert_in_range(cpu.soft.state.rate, RESCH_SERVER_RATE * 7 / 10,
			RESCH_SERVER_RATE * 7 / 10 + 3);
}

/*
 * The machine stood still for a second: Linux pays for it with one budget, and not with a hundred.
 */
static void stood_still(void **state)
{
	struct cpu cpu;

	cpu_init(&cpu, 0);
	cpu_pick(&cpu, 1001 * MS);
	assert_int_equal(cpu.rest.state.consumed, 4 * MS);
	assert_int_equal(cpu.rest.state.left, 2 * MS);
	assert_int_equal(cpu.rest.state.deadline, 1011 * MS);
	/* the other one has waited for longer */
	assert_ptr_equal(cpu.pick.task, &cpu.task);
	cpu_pick(&cpu, 1009 * MS);
	assert_null(cpu.pick.task);
	assert_int_equal(cpu.pick.until, 1011 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vector),	   cmocka_unit_test(door),
		cmocka_unit_test(both_directions), cmocka_unit_test(patience),
		cmocka_unit_test(deleted),	   cmocka_unit_test(reclaimed),
		cmocka_unit_test(stood_still),
	};

	return cmocka_run_group_tests_name("server_linux", tests, NULL, NULL);
}
