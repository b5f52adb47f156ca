// SPDX-License-Identifier: GPL-2.0
/* test_libresch_assign.c - task splitting: worked examples, edges, refusals */
#include "assign_rig.h"

static void assert_reserve(const struct resch_layout *layout, uint32_t at, uint32_t cpu,
			   uint32_t group, uint64_t begin, uint64_t end)
{
	const struct resch_layout_reserve *reserve = &layout->reserves[at];

	assert_true(at < layout->nr_reserves);
	assert_int_equal(reserve->cpu, cpu);
	assert_int_equal(reserve->group, group);
	assert_int_equal(reserve->begin, begin);
	assert_int_equal(reserve->end, end);
}

/* ---- the worked example ---------------------------------------------------------------------- */

static void worked_sekg(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_SEKG, example, EXAMPLE, 4, 4);
	struct resch_layout *layout = must(&request);
	static const uint32_t groups[EXAMPLE] = { 1, 2, 3, 4, 5, 6, 6 };
	static const uint32_t nr_reserves[] = { 1, 1, 2, 1, 2, 1 };
	uint32_t i;

	assert_int_equal(layout->slot, 2000000);
	assert_int_equal(layout->delta, 4);
	assert_int_equal(layout->nr_groups, 6);
	assert_memory_equal(layout->task_group, groups, sizeof(groups));
	for (i = 0; i < 6; i++)
		assert_int_equal(layout->groups[i].nr_reserves, nr_reserves[i]);
	assert_int_equal(layout->nr_reserves, 8);
	assert_reserve(layout, 0, 0, 1, 0, 2000000);
	assert_reserve(layout, 1, 1, 2, 0, 1267184);
	assert_reserve(layout, 2, 1, 3, 1267184, 2000000);
	assert_reserve(layout, 3, 2, 3, 0, 258641);
	assert_reserve(layout, 4, 2, 4, 258641, 258641 + 1111455);
	assert_reserve(layout, 5, 2, 5, 2000000 - 629904, 2000000);
	assert_reserve(layout, 6, 3, 5, 0, 281553);
	assert_reserve(layout, 7, 3, 6, 281553, 281553 + 1718447);
	assert_int_equal(layout->groups[2].size, 732816 + 258641);
	assert_int_equal(layout->groups[2].cpu, 1);
	resch_layout_free(layout);
}

static void worked_npsf(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, example, EXAMPLE, 4, 4);
	struct resch_layout *layout = must(&request);
	static const uint32_t groups[EXAMPLE] = { 1, 2, 2, 3, 3, 4, 4 };
	static const uint64_t sizes[] = { 1869919, 1983968, 1836735, 1397850 };
	uint32_t i;

	assert_int_equal(layout->slot, 2000000);
	assert_int_equal(layout->nr_groups, 4);
	assert_memory_equal(layout->task_group, groups, sizeof(groups));
	for (i = 0; i < 4; i++) {
		assert_int_equal(layout->groups[i].need, sizes[i]);
		assert_int_equal(layout->groups[i].size, sizes[i]);
	}
	assert_int_equal(layout->nr_reserves, 7);
	assert_reserve(layout, 0, 0, 1, 0, 1869919);
	assert_reserve(layout, 1, 0, 2, 1869919, 2000000);
	assert_reserve(layout, 2, 1, 2, 0, 1853887);
	assert_reserve(layout, 3, 1, 3, 2000000 - 146113, 2000000);
	assert_reserve(layout, 4, 2, 3, 0, 1690622);
	assert_reserve(layout, 5, 2, 4, 2000000 - 309378, 2000000);
	assert_reserve(layout, 6, 3, 4, 0, 1088472);
	resch_layout_free(layout);
}

/* Both are just their utilization: all periods are multiples of the slot. A ns less does not do. */
static void worked_exact(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, example, EXAMPLE, 4, 4);
	struct resch_layout *layout;

	request.sizing = RESCH_ASSIGN_EXACT;
	layout = must(&request);
	assert_int_equal(layout->groups[0].need, 1840000);
	assert_int_equal(layout->groups[1].need, 1980000);
	assert_int_equal(layout->groups[2].need, 1800000);
	/* periods of 9 and 30 ms: not of these, but there is no worse window */
	assert_int_equal(layout->groups[3].need, 1300000);
	resch_layout_free(layout);
}

static uint64_t size_of(struct assign *assign, uint32_t first, uint32_t nr, int32_t next)
{
	const uint32_t tasks[] = { first, first + 1 };
	uint64_t size = resch_assign_size(assign, tasks, nr, 0, next);

	return size == ASSIGN_NEVER ? size : (size + 999) / 1000;
}

/* In us, rounded up. */
static void worked_overheads(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, example, EXAMPLE, 4, 4);
	struct resch_assign_refusal refusal;
	struct assign assign = {
		.request = &request, .refusal = &refusal, .slot = 2 * MS, .delta = 3
	};

	request.sizing = RESCH_ASSIGN_EXACT;
	assert_int_equal(resch_assign_size_init(&assign), 0);
	assert_int_equal(size_of(&assign, 0, 1, -1), 1840);
	assert_int_equal(size_of(&assign, 5, 2, -1), 1300);
	request.overheads.reserve_jitter = 9 * US;
	request.overheads.release_jitter = 32 * US;
	request.overheads.switch_cost = 3 * US;
	assert_int_equal(size_of(&assign, 5, 2, -1), 1312);
	assert_int_equal(size_of(&assign, 5, 2, 1), 1321);
	assert_int_equal(size_of(&assign, 0, 1, -1), 1857);
	assert_int_equal(size_of(&assign, 0, 1, 1), 1866);
	assert_int_equal(size_of(&assign, 1, 2, -1), 1995);
	assert_true(size_of(&assign, 1, 2, 1) == ASSIGN_NEVER);
	resch_assign_size_free(&assign);
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* 4 sqrt(2) - 5 = .65685424949238019520...: SEP of delta 1 */
#define LONG 3600000000000ULL
#define SEP_BELOW 2364675298172ULL /* of LONG, rounded down */

static void light_and_heavy(void **state)
{
	struct resch_assign_task tasks[] = { { SEP_BELOW, 0, LONG }, { LONG / 10, 0, LONG } };
	struct resch_assign request = ask(RESCH_ASSIGN_SEKG, tasks, 2, 2, 1);
	struct resch_layout *layout = must(&request);

	/* light: what is next is split */
	assert_int_equal(layout->groups[1].nr_reserves, 2);
	resch_layout_free(layout);
	tasks[0].wcet++;
	/* heavy: it has its CPU, and what is next goes to another */
	layout = must(&request);
	assert_int_equal(layout->nr_reserves, 2);
	assert_reserve(layout, 0, 0, 1, 0, LONG);
	assert_reserve(layout, 1, 1, 2, 0, LONG);
	resch_layout_free(layout);
	/* a heavy one after light ones comes first all the same */
	tasks[1] = tasks[0];
	tasks[0] = (struct resch_assign_task){ LONG / 10, 0, LONG };
	layout = must(&request);
	assert_reserve(layout, 0, 0, layout->task_group[1], 0, LONG);
	assert_reserve(layout, 1, 1, layout->task_group[0], 0, LONG);
	resch_layout_free(layout);
}

/* SEP is irrational, so that a sum is never equal to it; these are the next below and above. */
static void full_to_the_bound(void **state)
{
	struct resch_assign_task tasks[] = { { LONG / 2, 0, LONG },
					     { SEP_BELOW - LONG / 2, 0, LONG } };
	struct resch_assign request = ask(RESCH_ASSIGN_SEKG, tasks, 2, 1, 1);
	struct resch_assign_refusal refusal;
	struct resch_layout *layout = must(&request);

	assert_int_equal(layout->nr_groups, 1);
	assert_reserve(layout, 0, 0, 1, 0, LONG);
	resch_layout_free(layout);
	tasks[1].wcet++;
	refusal = must_not(&request);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_FULL);
	assert_int_equal(refusal.task, 1);
	/* by demand it fits: a CPU is a CPU */
	request.sizing = RESCH_ASSIGN_EXACT;
	layout = must(&request);
	resch_layout_free(layout);
	/* and on two CPUs it is split, however little is left */
	request.sizing = RESCH_ASSIGN_PAPER;
	cpus_first(&request, 2);
	layout = must(&request);
	assert_int_equal(layout->groups[1].nr_reserves, 2);
	resch_layout_free(layout);
}

static void bins_filled_to_one(void **state)
{
	struct resch_assign_task tasks[] = { { 1 * MS, 0, 2 * MS },
					     { 1 * MS, 0, 3 * MS },
					     { 1 * MS, 0, 6 * MS },
					     { 4 * MS, 0, 4 * MS } };
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, tasks, 4, 2, 1);
	struct resch_layout *layout = must(&request);

	/* inflate(1) is 1 */
	assert_int_equal(layout->nr_groups, 2);
	assert_int_equal(layout->nr_reserves, 2);
	assert_reserve(layout, 0, 0, 1, 0, 2 * MS);
	assert_reserve(layout, 1, 1, 2, 0, 2 * MS);
	resch_layout_free(layout);
	request.sizing = RESCH_ASSIGN_EXACT;
	layout = must(&request);
	assert_int_equal(layout->nr_groups, 2);
	resch_layout_free(layout);
	/* one nanosecond more in 6 ms is too much */
	tasks[2].wcet++;
	assert_int_equal(must_not(&request).reason, RESCH_ASSIGN_BIN);
}

/* The rate is all that is needed where all periods are multiples of the slot. */
static void harmonic(void **state)
{
	static const struct resch_assign_task tasks[] = { { 2 * MS, 0, 10 * MS },
							  { 6 * MS, 0, 20 * MS },
							  { 4 * MS, 0, 40 * MS } };
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, tasks, 3, 1, 1);
	struct resch_layout *layout;

	request.sizing = RESCH_ASSIGN_EXACT;
	layout = must(&request);
	assert_int_equal(layout->groups[0].need, 6 * MS);
	resch_layout_free(layout);
}

static void ranges(void **state)
{
	struct resch_assign_task task = { 1 * MS, 0, 4 * MS };
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, &task, 1, 1, 1), bad;
	struct resch_assign_refusal refusal;
	struct resch_layout *layout;

	resch_layout_free(must(&request));
#define REFUSED(change)                                                           \
	do {                                                                      \
		bad = request;                                                    \
		change;                                                           \
		assert_int_equal(resch_assign(&bad, &layout, &refusal), -EINVAL); \
		assert_int_equal(refusal.reason, RESCH_ASSIGN_FITS);              \
	} while (0)
	REFUSED(bad.method = 3);
	REFUSED(bad.sizing = 2);
	REFUSED(bad.nr_tasks = 0);
	REFUSED(bad.nr_tasks = RESCH_ASSIGN_TASKS_MAX + 1);
	REFUSED(bad.delta = RESCH_ASSIGN_DELTA_MAX + 1);
	REFUSED(bad.delta_max = RESCH_ASSIGN_DELTA_MAX + 1);
	REFUSED(bad.method = RESCH_ASSIGN_CNPSF);
	REFUSED(cpus_first(&bad, 0));
	REFUSED(bad.overheads.nr_irqs = RESCH_ASSIGN_IRQS_MAX + 1);
	REFUSED(bad.overheads.nr_irqs = 1);
	REFUSED(bad.overheads.cache = LONG + 1);
#undef REFUSED
	task.wcet = 0;
	assert_int_equal(resch_assign(&request, &layout, NULL), -EINVAL);
	assert_int_equal(resch_assign(&request, &layout, &refusal), -EINVAL);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_TASK);
	task = (struct resch_assign_task){ 2 * MS, 1 * MS, 4 * MS };
	assert_int_equal(resch_assign(&request, &layout, &refusal), -EINVAL);
	task = (struct resch_assign_task){ 1, 0, LONG + 1 };
	assert_int_equal(resch_assign(&request, &layout, &refusal), -EINVAL);
	resch_layout_free(NULL);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refusals(void **state)
{
	struct resch_assign_task tasks[] = { { 9 * MS, 0, 10 * MS },
					     { 9 * MS, 0, 10 * MS },
					     { 9 * MS, 0, 10 * MS } };
	struct resch_assign request = ask(RESCH_ASSIGN_SEKG, tasks, 3, 2, 1);
	struct resch_assign_refusal refusal = must_not(&request);

	assert_int_equal(refusal.reason, RESCH_ASSIGN_HEAVY);
	assert_int_equal(refusal.task, 2);
	assert_int_equal(refusal.available, 2);
	assert_says(&refusal, "task 3 needs a CPU of its own");

	request.method = RESCH_ASSIGN_NPSF;
	refusal = must_not(&request);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_BIN);
	assert_int_equal(refusal.group, 3);
	assert_int_equal(refusal.task, 2);
	/* .9 inflated by 2 / 1.9 */
	assert_int_equal(refusal.needed, 9473685);
	assert_int_equal(refusal.available, 2 * (10 * MS - 9473685));
	assert_int_equal(refusal.slot, 10 * MS);
	assert_says(&refusal, "bin 3, with task 3, needs 9.473685ms of each slot of 10ms, and "
			      "1.05263ms is left (delta 1)");

	request.slot_min = 3 * MS;
	request.delta = 4;
	refusal = must_not(&request);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_SLOT);
	assert_int_equal(refusal.needed, 3 * MS);
	assert_int_equal(refusal.available, 2500 * US);
	assert_says(&refusal, "slots are 2.5ms long, and at least 3ms is asked for");
	/* a search that ends at the shortest slot says what did not fit into the one before */
	request.delta = 0;
	refusal = must_not(&request);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_BIN);
	assert_int_equal(refusal.delta, 3);

	request.overheads.release_jitter = 2 * MS;
	refusal = must_not(&request);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_ALONE);
	assert_int_equal(refusal.needed, 9 * MS);
	assert_int_equal(refusal.available, 8 * MS);
	assert_says(&refusal, "task 1 alone needs 9ms, with overheads, of 8ms");

	tasks[2].wcet = 1;
	tasks[1].wcet = 11 * MS;
	assert_int_equal(resch_assign(&request, &(struct resch_layout *){ NULL }, &refusal),
			 -EINVAL);
	assert_int_equal(refusal.task, 1);
	assert_says(&refusal, "task 2 needs a period");
}

static void words(void **state)
{
	uint32_t method;

	for (method = 0; method < 3; method++)
		assert_int_equal(resch_assign_parse(resch_assign_name(method)), method);
	assert_string_equal(resch_assign_name(3), "?");
	assert_int_equal(resch_assign_parse("?"), -EINVAL);
	assert_int_equal(resch_assign_parse(""), -EINVAL);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void search_delta(void **state)
{
	/* .92 + .99 + .90 + .65 of 4; the S-EKG bound is above .865 from delta 4 on */
	struct resch_assign request = ask(RESCH_ASSIGN_SEKG, example, EXAMPLE, 4, 0);
	struct resch_layout *layout;
	uint32_t delta;

	request.slot_min = 0;
	layout = must(&request);
	for (delta = 1; delta < layout->delta; delta++) {
		request.delta = delta;
		must_not(&request);
	}
	request.delta = layout->delta;
	resch_layout_free(layout);
	resch_layout_free(must(&request));
	request.delta = 0;
	request.delta_max = 1;
	assert_int_equal(must_not(&request).delta, 1);
}

/* CPUs need not be the first ones, nor next to each other. */
static void any_cpus(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, example, EXAMPLE, 4, 4);
	struct resch_layout *layout;

	assert_int_equal(resch_cpus_parse("2,5-6,1023", &request.cpus), 4);
	layout = must(&request);
	assert_reserve(layout, 1, 2, 2, 1869919, 2000000);
	assert_reserve(layout, 2, 5, 2, 0, 1853887);
	assert_reserve(layout, 6, 1023, 4, 0, 1088472);
	resch_layout_free(layout);
}

/* A task that fills a CPU goes where no disk interrupts it, whichever CPU that is. */
static void quiet_cpus_first(void **state)
{
	struct resch_assign_task tasks[] = { { 2 * MS, 0, 10 * MS }, { 9990 * US, 0, 10 * MS } };
	struct resch_assign request;
	struct resch_layout *layout;
	int32_t disk;
	uint32_t method, i;

	for (method = RESCH_ASSIGN_SEKG; method <= RESCH_ASSIGN_CNPSF; method++) {
		for (disk = 0; disk < 2; disk++) {
			request = ask(method, tasks, 2, 2, 1);
			request.cluster = 2;
			request.overheads.nr_irqs = 1;
			request.overheads.irqs[0] =
				(struct resch_assign_irq){ 10 * MS, 25 * US, disk };
			layout = must(&request);
			for (i = 0; i < layout->nr_reserves; i++) {
				if (layout->reserves[i].group == layout->task_group[1])
					assert_int_equal(layout->reserves[i].cpu, 1 - disk);
			}
			assert_no_miss(&request, layout);
			resch_layout_free(layout);
		}
		/* both of them have a disk */
		request.overheads.irqs[request.overheads.nr_irqs++] =
			(struct resch_assign_irq){ 10 * MS, 25 * US, 0 };
		must_not(&request);
	}
}

/*
 * A bin that is nearly full stays whole where hand-overs cost too much, and the rest is left idle.
 */
static void full_bins_stay_whole(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, example, 3, 2, 4);
	struct resch_layout *layout;

	request.sizing = RESCH_ASSIGN_EXACT;
	request.overheads.reserve_jitter = 9 * US;
	request.overheads.release_jitter = 32 * US;
	request.overheads.switch_cost = 3 * US;
	layout = must(&request);
	assert_int_equal(layout->nr_groups, 2);
	assert_int_equal(layout->nr_reserves, 2);
	assert_int_equal(layout->reserves[1].cpu, 1);
	assert_int_equal(layout->reserves[1].begin, 0);
	resch_layout_free(layout);
}

/* 1,024 CPUs, which has to be quick, too. */
static void many(void **state)
{
	enum { CPUS = 1024, TASKS = 5000 };
	struct resch_assign_task *tasks = calloc(TASKS, sizeof(*tasks));
	uint32_t i, method;

	assert_non_null(tasks);
	for (i = 0; i < TASKS; i++) {
		uint64_t period = between(5000, 50000) * US;

		tasks[i] = (struct resch_assign_task){ period * between(5, 29) / 100, 0, period };
	}
	for (method = RESCH_ASSIGN_SEKG; method <= RESCH_ASSIGN_CNPSF; method++) {
		struct resch_assign request = ask(method, tasks, TASKS, CPUS, 4);

		request.cluster = 8;
		resch_layout_free(must(&request));
	}
	free(tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_sekg),
		cmocka_unit_test(worked_npsf),
		cmocka_unit_test(worked_exact),
		cmocka_unit_test(worked_overheads),
		cmocka_unit_test(light_and_heavy),
		cmocka_unit_test(full_to_the_bound),
		cmocka_unit_test(bins_filled_to_one),
		cmocka_unit_test(harmonic),
		cmocka_unit_test(ranges),
		cmocka_unit_test(refusals),
		cmocka_unit_test(words),
		cmocka_unit_test(search_delta),
		cmocka_unit_test(any_cpus),
		cmocka_unit_test(quiet_cpus_first),
		cmocka_unit_test(full_bins_stay_whole),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests_name("libresch_assign", tests, NULL, NULL);
}
