// SPDX-License-Identifier: GPL-2.0
/*
 * test_server_reclaim - servers that use what others leave, beside the rule as its authors put it
 *
 * The oracle knows no budgets: a server has a virtual time V and a deadline d. While it executes V
 * goes on at U_active / U, U_active being the sizes of the servers that have work or whose V is
 * still to come. When V reaches d, d is put off by T; work that finds V past sets V = now, d = now
 * + T. Lipari, Baruah, ECRTS 2000. In long double, from 0-lag time to 0-lag time.
 */
#include "sim_rig.h"

#include "reclaim.h"

#define US 1000ULL
#define MS 1000000ULL
#define SERVERS 4

const struct resch_plugin *resch_server(void);

struct oracle {
	long double v[SERVERS], d[SERVERS];
	const struct sim *sim;
	bool work[SERVERS];
	u64 compared;
};

static u64 sums;

static const struct resch_server *server_at(const struct sim *sim, u32 index)
{
	return &sim->servers[index]->server;
}

static long double rate_of(const struct sim *sim, u32 index)
{
	const struct resch_server_params *params = &server_at(sim, index)->params;

	return (long double)params->budget / (long double)params->period;
}

/* What rounding may come to: shares are rounded to a millionth, charges to a ns. */
static void check_near(long double a, long double b, const struct resch_server *server)
{
	long double most = (long double)server->params.budget * 2e-5L + 300;

	if (a - b > most || b - a > most)
		fail_msg("server %u: %Lf, not %Lf", server->id, a, b);
}

/* Does it have jobs, and did they all come at @from? */
static bool has_work(const struct sim *sim, u32 index, u64 from, bool *new)
{
	bool work = false;
	u32 i;

	*new = true;
	for (i = 0; i < sim->nr_tasks; i++) {
		const struct resch_task *task = &sim->tasks[i]->task;

		if (!task->ready || task->params.group != index + 1)
			continue;
		work = true;
		*new = *new && task->job.release >= from;
	}
	return work;
}

static long double active(const struct oracle *oracle, long double at)
{
	long double sum = 0;
	u32 i;

	for (i = 0; i < oracle->sim->nr_servers; i++)
		if (oracle->work[i] || oracle->v[i] > at)
			sum += rate_of(oracle->sim, i);
	return sum;
}

/* The next 0-lag time after @at, or @to. */
static long double next_change(const struct oracle *oracle, long double at, long double to)
{
	u32 i;

	for (i = 0; i < oracle->sim->nr_servers; i++)
		if (!oracle->work[i] && oracle->v[i] > at && oracle->v[i] < to)
			to = oracle->v[i];
	return to;
}

/*
 * Is the sum that the plugin keeps that of the servers that are active? By whole numbers, at @now.
 */
static void check_sum(struct sim *sim, u64 now)
{
	const struct reclaim *reclaim = resch_private(&sim->cpus[0].rq, const struct reclaim);
	u64 sum = 0;
	u32 i;

	if (!reclaim->kept)
		return;
	for (i = 0; i < sim->nr_servers; i++) {
		const struct resch_server *server = server_at(sim, i);
		__int128 until = server->state.deadline;
		bool new;

		if (server->state.left > 0)
			until -= (__int128)server->state.left * server->params.period /
				 server->params.budget;
		if (has_work(sim, i, 0, &new) || until > now)
			sum += (server->params.budget << 20) / server->params.period + 1;
	}
	assert_int_equal(reclaim->active, sum);
	sums++;
}

static void execute(struct oracle *oracle, u32 index, u64 from, u64 to)
{
	long double at = from, end;
	bool reclaims = server_at(oracle->sim, index)->params.flags & RESCH_SERVER_F_RECLAIM;

	for (; at < to; at = end) {
		long double speed = 1;

		end = next_change(oracle, at, to);
		if (reclaims)
			speed = active(oracle, at);
		oracle->v[index] += (end - at) * speed / rate_of(oracle->sim, index);
	}
}

static void watch(struct sim *sim, struct sim_task *task, u64 from, u64 to)
{
	struct oracle *oracle = sim->watcher;
	u32 i;

	check_sum(sim, from);
	for (i = 0; i < sim->nr_servers; i++) {
		bool new;

		oracle->work[i] = has_work(sim, i, from, &new);
		/* The new deadline has been noted; V is to be what it was for that. */
		if (oracle->work[i] && new && oracle->v[i] < from &&
		    server_at(sim, i)->state.deadline == from + server_at(sim, i)->params.period)
			oracle->v[i] = from;
	}
	if (task && task->state == SIM_READY)
		execute(oracle, task->task.params.group - 1, from, to);
}

/* A new budget: used up, or V is past. */
static void noted(struct sim *sim, struct resch_server *server)
{
	long double period = server->params.period;
	struct oracle *oracle = sim->watcher;
	u32 i = server->id - 1;

	if (!(server->notes & RESCH_SERVER_REPLENISHED))
		return;
	oracle->compared++;
	if (server->notes & (RESCH_SERVER_EXHAUSTED | RESCH_SERVER_POSTPONED) ||
	    server->state.deadline != sim->now + server->params.period) {
		check_near(oracle->v[i] * rate_of(sim, i), oracle->d[i] * rate_of(sim, i), server);
		oracle->v[i] = oracle->d[i];
		oracle->d[i] += period;
	} else if (oracle->d[i] + period == (long double)server->state.deadline &&
		   oracle->v[i] + 1 > oracle->d[i]) {
		oracle->v[i] = oracle->d[i];
		oracle->d[i] += period;
	} else {
		check_near(max(oracle->v[i] - (long double)sim->now, 0.0L) * rate_of(sim, i), 0,
			   server);
		oracle->v[i] = sim->now;
		oracle->d[i] = sim->now + period;
	}
	assert_true(oracle->d[i] == (long double)server->state.deadline);
	check_near((oracle->d[i] - oracle->v[i]) * rate_of(sim, i), server->state.left, server);
}

static void serve(struct sim *sim, u32 kind, u64 budget, u64 period, u32 flags)
{
	struct resch_server_params params = {
		.kind = kind, .budget = budget, .period = period, .cpu = -1, .flags = flags
	};
	struct resch_verdict verdict;

	assert_int_equal(sim_server_add(sim, &params, &verdict), 0);
}

static void work(struct sim *sim, u32 group, u64 wcet, u64 period, u64 most)
{
	struct taskset_task spec = spec_of(wcet, period, period, 0);

	spec.params.group = group;
	spec.params.flags = RESCH_F_SKIP_ADMISSION;
	spec.exec_min = 1;
	spec.exec_max = most;
	spec.gap_max = period * 3 / 2;
	spec.offset_max = period;
	add(sim, &spec);
}

/*
 * CBS servers, one task each that asks for more or less than its server has; who reclaims is
 * random.
 */
static void beside_the_oracle(void **state)
{
	u64 random = 31, compared = 0;
	u32 round, i;

	for (round = 0; round < 300; round++) {
		struct sim *sim = make_serving(200 * MS, round, 1000000);
		u32 count = (u32)rig_between(&random, 1, SERVERS);
		struct oracle oracle = { .sim = sim };

		for (i = 0; i < count; i++) {
			u64 period = rig_between(&random, 2, 20) * MS / 2;
			u64 budget = rig_between(&random, period / 20, period / count);

			serve(sim, (u32)rig_between(&random, 0, 1), budget, period,
			      rig_between(&random, 0, 2) ? RESCH_SERVER_F_RECLAIM : 0);
			work(sim, i + 1, budget, period * rig_between(&random, 1, 3),
			     budget * rig_between(&random, 1, 4));
		}
		sim->watch = watch;
		sim->watch_server = noted;
		sim->watcher = &oracle;
		assert_int_equal(sim_run(sim), 0);
		compared += oracle.compared;
		sim_free(sim);
	}
	assert_true(compared > 300 * 20);
	assert_true(sums > 300 * 20);
}

/* What a greedy member of server 1 gets in a second, beside one that has little to do. */
static u64 greedy(u32 kind, u32 flags, u32 capacity)
{
	struct sim *sim = make_serving(1000 * MS, 1, capacity);
	u64 consumed;

	serve(sim, kind, 4 * MS, 10 * MS, flags);
	serve(sim, RESCH_SERVER_CBS_HARD, 5 * MS, 10 * MS, 0);
	work(sim, 1, MS, 10000 * MS, 1);
	sim->tasks[0]->spec.exec_min = sim->tasks[0]->spec.exec_max = 1000000 * MS;
	sim->tasks[0]->spec.offset_max = 0;
	work(sim, 2, 5 * MS, 10 * MS, 5 * MS);
	assert_int_equal(sim_run(sim), 0);
	assert_int_equal(sim->tasks[1]->stats.misses, 0);
	consumed = server_at(sim, 0)->state.consumed;
	sim_free(sim);
	return consumed;
}

static void gets_more(void **state)
{
	u64 alone = greedy(RESCH_SERVER_CBS_HARD, 0, 1000000);
	u64 more = greedy(RESCH_SERVER_CBS_HARD, RESCH_SERVER_F_RECLAIM, 1000000);
	u64 less = greedy(RESCH_SERVER_CBS_HARD, RESCH_SERVER_F_RECLAIM, 900000);

	assert_true(alone >= 396 * MS && alone <= 400 * MS);
	assert_true(more > 550 * MS && less > 450 * MS && less < more);
}

/*
 * Alone, with U = 0.4: as long as the CPU is its own it runs. With a capacity of 0.8 the others'
 * 0.2 counts as active: 0.4 / 0.6 of the time.
 */
static void alone(void **state)
{
	static const struct {
		u32 capacity;
		u64 least, most;
	} by[] = { { 1000000, 999 * MS, 1000 * MS }, { 800000, 666 * MS, 668 * MS } };
	u32 i;

	for (i = 0; i < 2; i++) {
		struct sim *sim = make_serving(1000 * MS, 1, by[i].capacity);
		u64 consumed;

		serve(sim, RESCH_SERVER_CBS_HARD, 4 * MS, 10 * MS, RESCH_SERVER_F_RECLAIM);
		work(sim, 1, MS, 10000 * MS, 1);
		sim->tasks[0]->spec.exec_min = sim->tasks[0]->spec.exec_max = 1000000 * MS;
		sim->tasks[0]->spec.offset_max = 0;
		assert_int_equal(sim_run(sim), 0);
		consumed = server_at(sim, 0)->state.consumed;
		assert_true(consumed >= by[i].least && consumed <= by[i].most);
		sim_free(sim);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alone),
		cmocka_unit_test(gets_more),
		cmocka_unit_test(beside_the_oracle),
	};

	return cmocka_run_group_tests_name("server_reclaim", tests, NULL, NULL);
}
