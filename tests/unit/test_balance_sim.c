// SPDX-License-Identifier: GPL-2.0
/*
 * test_balance_sim - the three scenarios of RR-5781, section 5.3, on a machine of paper: what each
 * policy is to bring about comes about with it, and not without it
 *
 * Time goes in steps of 100 us. On a CPU an RT0 task comes first, then soft real-time tasks in the
 * order of their arrival, then ordinary ones by turns. Calls on an RT CPU send the caller to the
 * NRT CPU with the fewest tasks. Beside our rounds, the kernel evens out heads among CPUs of one
 * kind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include "guard/rules.h"

#include <cmocka.h>

#define STEP 100000ULL
#define MS 1000000ULL
#define CPUS 4
#define TASKS 16
#define TURN (4 * MS)

struct sim_task {
	struct resch_balance_task seen;
	u64 every; /* executes this long from call to call; 0: calls nothing */
	u64 on_rt; /* time on RT CPUs */
	u64 queued; /* when it came to the end of its CPU's queue */
	u32 sent_away;
};

struct sim {
	struct resch_balance balance;
	struct resch_balance_cpu cpus[CPUS];
	struct resch_rt_share shares[CPUS];
	struct sim_task tasks[TASKS];
	u32 count;
	u64 hard_busy[CPUS]; /* of each 10 ms, an RT0 task's */
	u64 turn[CPUS];
	u64 now;
	u64 arrivals;
};

static const u64 everywhere[16] = { ~0ULL };

static void sim_init(struct sim *sim, u32 rt_cpus, u32 policies)
{
	u32 i;

	memset(sim, 0, sizeof(*sim));
	sim->balance = (struct resch_balance){ sim->cpus, CPUS, policies, RESCH_ATTEMPT_GAP };
	for (i = 0; i < CPUS; i++) {
		sim->cpus[i].cpu = i;
		sim->cpus[i].rt = rt_cpus >> i & 1;
	}
}

static void sim_add(struct sim *sim, u32 class, u32 cpu, u64 every)
{
	struct sim_task *task = &sim->tasks[sim->count++];

	assert_true(sim->count <= TASKS);
	task->seen =
		(struct resch_balance_task){ .class = class, .from = cpu, .allowed = everywhere };
	task->every = every;
	task->queued = sim->arrivals++;
}

static void sim_count(struct sim *sim)
{
	u32 i;

	for (i = 0; i < CPUS; i++) {
		sim->cpus[i].ordinary = 0;
		sim->cpus[i].realtime = sim->hard_busy[i] != 0;
		sim->cpus[i].share = sim->shares[i].value;
	}
	for (i = 0; i < sim->count; i++) {
		struct resch_balance_task *task = &sim->tasks[i].seen;

		if (task->class == RESCH_CLASS_LINUX)
			sim->cpus[task->from].ordinary++;
		else
			sim->cpus[task->from].realtime++;
	}
}

static struct sim_task *sim_head(struct sim *sim, u32 cpu)
{
	struct sim_task *head = NULL;
	u32 i;

	for (i = 0; i < sim->count; i++) {
		struct sim_task *task = &sim->tasks[i];

		if (task->seen.from != cpu)
			continue;
		if (!head || task->seen.class > head->seen.class ||
		    (task->seen.class == head->seen.class && task->queued < head->queued))
			head = task;
	}
	return head;
}

static u32 sim_heads(const struct sim *sim, u32 cpu)
{
	return sim->cpus[cpu].ordinary + sim->cpus[cpu].realtime;
}

static void sim_go(struct sim *sim, struct sim_task *task, u32 to)
{
	resch_balance_move(&sim->balance, &task->seen, to);
	task->queued = sim->arrivals++;
}

/* What the guard does to a call on an RT CPU. */
static void sim_call(struct sim *sim, struct sim_task *task)
{
	u32 i, best = CPUS;

	resch_attempt_note(&task->seen.attempts, task->seen.executed);
	if (!sim->cpus[task->seen.from].rt)
		return;
	sim_count(sim);
	for (i = 0; i < CPUS; i++) {
		if (!sim->cpus[i].rt && (best == CPUS || sim_heads(sim, i) < sim_heads(sim, best)))
			best = i;
	}
	sim_go(sim, task, best);
	task->sent_away++;
}

static void sim_execute(struct sim *sim, u32 cpu)
{
	bool hard = sim->now % (10 * MS) < sim->hard_busy[cpu];
	struct sim_task *task = hard ? NULL : sim_head(sim, cpu);

	resch_rt_account(&sim->shares[cpu], sim->now + STEP,
			 hard || (task && task->seen.class != RESCH_CLASS_LINUX));
	if (!task)
		return;
	task->seen.executed += STEP;
	if (sim->cpus[cpu].rt)
		task->on_rt += STEP;
	sim->turn[cpu] += STEP;
	if (task->seen.class == RESCH_CLASS_LINUX && sim->turn[cpu] >= TURN) {
		sim->turn[cpu] = 0;
		task->queued = sim->arrivals++;
	}
	if (task->every && task->seen.executed % task->every == 0)
		sim_call(sim, task);
}

/*
 * The kernel, among CPUs of one kind: the first waiting task of a longer queue goes to a shorter
 * one.
 */
static void sim_kernel(struct sim *sim)
{
	u32 i, a, b;

	for (i = 0; i < sim->count; i++) {
		a = sim->tasks[i].seen.from;
		for (b = 0; b < CPUS; b++) {
			if (sim->cpus[a].rt == sim->cpus[b].rt &&
			    sim_heads(sim, b) + 1 < sim_heads(sim, a)) {
				sim_go(sim, &sim->tasks[i], b);
				break;
			}
		}
	}
}

static void sim_round(struct sim *sim, bool only_rt)
{
	struct resch_balance_choice choice;
	struct resch_balance_task seen[TASKS];
	u32 i, moves;

	sim_count(sim);
	for (i = 0; i < sim->count; i++)
		seen[i] = sim->tasks[i].seen;
	for (moves = 0; moves < 1000; moves++) {
		if (!resch_balance_choose(&sim->balance, seen, sim->count, only_rt, &choice))
			break;
		resch_balance_move(&sim->balance, &seen[choice.task], choice.to);
		sim->tasks[choice.task].seen.from = choice.to;
		sim->tasks[choice.task].queued = sim->arrivals++;
	}
	assert_true(moves < 1000);
}

static void sim_run(struct sim *sim, u64 until)
{
	u32 i;

	for (; sim->now < until; sim->now += STEP) {
		for (i = 0; i < CPUS; i++)
			sim_execute(sim, i);
		if (sim->now % (20 * MS) == 0) {
			sim_count(sim);
			sim_kernel(sim);
		}
		if (sim->now % (5 * MS) == 0)
			sim_round(sim, sim->now % (20 * MS) != 0);
	}
}

/* Of a group of tasks, [first, last): share of their execution that was on RT CPUs. */
static double sim_share(const struct sim *sim, u32 first, u32 last)
{
	u64 on_rt = 0, all = 0;

	for (; first < last; first++) {
		on_rt += sim->tasks[first].on_rt;
		all += sim->tasks[first].seen.executed;
	}
	return (double)on_rt / (double)all;
}

/*
 * Table 3: with the weight, ordinary tasks get the same, though the CPUs have little or much for
 * them.
 */
static void test_weight(void **state)
{
	struct sim sim;
	double spread[2];
	u32 weight, i;

	for (weight = 0; weight < 2; weight++) {
		u64 least = ~0ULL, most = 0;

		sim_init(&sim, 0xe,
			 weight ? RESCH_POLICY_ALL : RESCH_POLICY_ALL & ~RESCH_POLICY_WEIGHT);
		for (i = 1; i < CPUS; i++)
			sim.hard_busy[i] = 9 * MS;
		for (i = 0; i < 13; i++)
			sim_add(&sim, RESCH_CLASS_LINUX, i % CPUS, 0);
		sim_run(&sim, 3000 * MS);
		for (i = 0; i < 13; i++)
			sim.tasks[i].seen.executed = 0;
		sim_run(&sim, 20000 * MS);
		for (i = 0; i < 13; i++) {
			least = min(least, sim.tasks[i].seen.executed);
			most = max(most, sim.tasks[i].seen.executed);
		}
		spread[weight] = (double)most / (double)least;
	}
	print_message(
		"Table 3: most over least that 13 ordinary tasks got: %.2f, with the weight %.2f\n",
		spread[0], spread[1]);
	assert_true(spread[0] > 4);
	assert_true(spread[1] < 1.3);
}

/* Eight tasks that call often, with the estimate or without. */
static void callers(struct sim *sim, bool estimate)
{
	u32 i;

	sim_init(sim, 0xc, estimate ? RESCH_POLICY_ALL : RESCH_POLICY_ALL & ~RESCH_POLICY_ESTIMATE);
	for (i = 0; i < 8; i++)
		sim_add(sim, RESCH_CLASS_LINUX, i % CPUS, 2 * STEP);
}

/*
 * Table 4: with the estimate, tasks that call often are not sent to RT CPUs, and not sent away from
 * there.
 */
static void test_estimate(void **state)
{
	struct sim sim;
	double often[2], seldom[2];
	u32 sent[2] = { 0, 0 }, estimate, i;

	for (estimate = 0; estimate < 2; estimate++) {
		callers(&sim, estimate);
		for (i = 8; i < 16; i++)
			sim_add(&sim, RESCH_CLASS_LINUX, i % CPUS, 2000 * STEP);
		sim_run(&sim, 20000 * MS);
		often[estimate] = sim_share(&sim, 0, 8);
		seldom[estimate] = sim_share(&sim, 8, 16);
		for (i = 0; i < 8; i++)
			sent[estimate] += sim.tasks[i].sent_away;
	}
	print_message(
		"Table 4: on RT CPUs: callers %.3f, others %.3f; with the estimate %.3f, %.3f\n",
		often[0], seldom[0], often[1], seldom[1]);
	print_message("Table 4: callers sent away %u times, with the estimate %u\n", sent[0],
		      sent[1]);
	assert_true(sent[1] * 20 < sent[0]);
	assert_true(often[1] < .001);
	assert_true(seldom[1] > seldom[0]);
}

/* Nobody else is there to fill the RT CPUs: callers keep away from them all the same. */
static void test_estimate_alone(void **state)
{
	struct sim sim;
	u32 sent[2] = { 0, 0 }, estimate, i;

	for (estimate = 0; estimate < 2; estimate++) {
		callers(&sim, estimate);
		sim_run(&sim, 5000 * MS);
		for (i = 0; i < 8; i++)
			sent[estimate] += sim.tasks[i].sent_away;
	}
	assert_true(sent[0] > 500);
	assert_true(sent[1] <= 8);
}

/*
 * Table 5: with the association, soft real-time tasks are on RT CPUs, ordinary ones on the others.
 */
static void test_associate(void **state)
{
	struct sim sim;
	double realtime[2];
	u32 associate, i;

	for (associate = 0; associate < 2; associate++) {
		sim_init(&sim, 0xc,
			 associate ? RESCH_POLICY_ALL : RESCH_POLICY_ALL & ~RESCH_POLICY_ASSOCIATE);
		for (i = 0; i < 8; i++)
			sim_add(&sim, RESCH_CLASS_RT1, i % CPUS, 0);
		for (i = 8; i < 16; i++)
			sim_add(&sim, RESCH_CLASS_LINUX, i % CPUS, 0);
		sim_run(&sim, 10000 * MS);
		realtime[associate] = sim_share(&sim, 0, 8);
		for (i = 0; i < 8 && associate; i++)
			assert_true(sim.cpus[sim.tasks[i].seen.from].rt);
	}
	print_message("Table 5: soft real-time tasks on RT CPUs: %.2f, with the association %.2f\n",
		      realtime[0], realtime[1]);
	assert_true(realtime[0] < .6);
	assert_true(realtime[1] > .99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weight),
		cmocka_unit_test(test_estimate),
		cmocka_unit_test(test_estimate_alone),
		cmocka_unit_test(test_associate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
