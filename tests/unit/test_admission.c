// SPDX-License-Identifier: GPL-2.0
/*
 * test_admission - the tests of fp, edf, fifo and demo against worked examples and at their edges
 */
#include "rig.h"

#include "analysis/qpa.h"
#include "analysis/rta.h"
#include "analysis/utilization.h"

#define HOUR 3600000000000ULL
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct rig rig, other;

struct row {
	u64 wcet, deadline, period;
};

/* Adds all rows, without a test; the last one stays outside, as the newcomer. */
static struct resch_tasks tasks_of(const struct row *rows, u32 count)
{
	struct resch_task *task = NULL;
	u32 i;

	for (i = 0; i < count; i++) {
		task = rig_task(&rig, rows[i].wcet, rows[i].deadline, rows[i].period);
		if (i + 1 < count)
			rig_join(&rig, task);
	}
	return (struct resch_tasks){ .rq = &rig.rq, .extra = task, .work = RESCH_WORK_TEST };
}

static u64 by_deadline(const u64 *domain, const struct resch_task *task)
{
	return task->params.deadline;
}

/* ---- the arithmetic -------------------------------------------------------------------------- */

static void shares(void **state)
{
	u64 random = 3;
	u32 i;

	assert_true(resch_share(1, 1) == RESCH_SHARE_ONE);
	assert_true(resch_share(1, 2) == RESCH_SHARE_ONE / 2);
	assert_true(resch_share(0, 5) == 0);
	assert_true(resch_share(HOUR, HOUR) == RESCH_SHARE_ONE);
	assert_true(resch_share(8, 1) == 8 * RESCH_SHARE_ONE);
	assert_true(resch_share(HOUR, 1000) == 8 * RESCH_SHARE_ONE);
	for (i = 0; i < 200000; i++) {
		u64 whole = rig_between(&random, 1, HOUR),
		    part = rig_between(&random, 0, min(7 * whole, HOUR));
		u64 factor = rig_between(&random, 0, HOUR);

		assert_true(resch_share(part, whole) == (u64)(((__uint128_t)part << 60) / whole));
		part = rig_between(&random, 0, HOUR);
		factor = min(factor, whole);
		assert_true(resch_scale(part, factor, whole) ==
			    (u64)((__uint128_t)part * factor / whole));
	}
}

static void shares_in_ppm(void **state)
{
	u64 random = 4;
	u32 i;

	assert_int_equal(resch_share_ppm(RESCH_SHARE_ONE), 1000000);
	assert_int_equal(resch_share_ppm(RESCH_SHARE_ONE + 1), 1000001);
	assert_int_equal(resch_share_ppm(0), 0);
	assert_int_equal(resch_share_ppm(1), 1);
	for (i = 0; i < 100000; i++) {
		u64 share = rig_random(&random) >> rig_between(&random, 1, 40);
		__uint128_t exact = (__uint128_t)share * 1000000;

		assert_true(resch_share_ppm(share) == (u64)((exact + RESCH_SHARE_ONE - 1) >> 60));
	}
}

/* n (2^(1/n) - 1), from the tables */
static void liu_layland_bound(void **state)
{
	static const struct {
		u32 n, ppm;
	} table[] = { { 1, 1000000 }, { 2, 828427 },  { 3, 779763 },   { 4, 756828 },
		      { 5, 743491 },  { 10, 717734 }, { 100, 695555 }, { 10000, 693171 } };
	u32 i;

	for (i = 0; i < COUNT(table); i++)
		assert_int_equal(resch_bound_liu_layland(table[i].n), table[i].ppm);
}

/* ---- fixed priorities ------------------------------------------------------------------------ */

static void rta_example(void **state)
{
	static const struct row rows[] = { { 3, 7, 7 }, { 3, 12, 12 }, { 5, 20, 20 } };
	static const u64 response[] = { 3, 6, 20 };
	struct resch_tasks tasks;
	u32 i;

	rig_init(&rig, resch_fp());
	tasks = tasks_of(rows, 3);
	for (i = 0; i < 3; i++)
		assert_int_equal(resch_rta_response(&tasks, by_deadline, &rig.tasks[i]),
				 response[i]);

	rig_init(&rig, resch_fp());
	for (i = 0; i < 3; i++)
		assert_int_equal(rig_add(&rig, rows[i].wcet, rows[i].deadline, rows[i].period), 0);
	/* one more unit, and the last one does not make it */
	rig_init(&rig, resch_fp());
	assert_int_equal(rig_add(&rig, 3, 7, 7), 0);
	assert_int_equal(rig_add(&rig, 3, 12, 12), 0);
	assert_int_equal(rig_add(&rig, 6, 20, 20), -EBUSY);
	assert_int_equal(rig.verdict.bound, RESCH_BOUND_RESPONSE);
	assert_int_equal(rig.verdict.task, 0);
	assert_int_equal(rig.verdict.value, 21);
	assert_int_equal(rig.verdict.limit, 20);
	assert_int_equal(rig.verdict.suggest_wcet, 5);
}

static void utilization_bounds_example(void **state)
{
	rig_init(&rig, resch_fp());
	rig_option(&rig, "order", "rm");
	rig_option(&rig, "test", "ll");
	assert_int_equal(rig_add(&rig, 3, 7, 7), 0);
	assert_int_equal(rig_add(&rig, 3, 12, 12), 0);
	assert_int_equal(rig_add(&rig, 5, 20, 20), -EBUSY);
	assert_int_equal(rig.verdict.bound, RESCH_BOUND_LIU_LAYLAND);
	assert_int_equal(rig.verdict.value, 928572); /* .928571... rounded up */
	assert_int_equal(rig.verdict.limit, 779763);

	rig_init(&rig, resch_fp());
	rig_option(&rig, "test", "hyperbolic");
	assert_int_equal(rig_add(&rig, 3, 7, 7), 0);
	assert_int_equal(rig_add(&rig, 3, 12, 12), 0);
	assert_int_equal(rig_add(&rig, 5, 20, 20), -EBUSY);
	assert_int_equal(rig.verdict.bound, RESCH_BOUND_HYPERBOLIC);
	assert_int_equal(rig.verdict.value, 2232143); /* 10/7 * 5/4 * 5/4 */
	assert_int_equal(rig.verdict.limit, 2000000);
}

/*
 * Accepted by the hyperbolic bound (3/2 * 4/3 = 2 exactly), not by Liu and Layland's (.8333 >
 * .8284).
 */
static void hyperbolic_beats_liu_layland(void **state)
{
	rig_init(&rig, resch_fp());
	rig_option(&rig, "test", "hyperbolic");
	assert_int_equal(rig_add(&rig, 1, 2, 2), 0);
	assert_int_equal(rig_add(&rig, 1, 3, 3), 0);
	rig_init(&rig, resch_fp());
	rig_option(&rig, "test", "ll");
	assert_int_equal(rig_add(&rig, 1, 2, 2), 0);
	assert_int_equal(rig_add(&rig, 1, 3, 3), -EBUSY);
	rig_init(&rig, resch_fp()); /* one task may fill the CPU under all of them */
	rig_option(&rig, "test", "ll");
	assert_int_equal(rig_add(&rig, 5, 5, 5), 0);
}

/* Lehoczky's example: with deadlines longer than periods a later job is the worst. */
static void rta_long_deadlines(void **state)
{
	static const struct row rows[] = { { 26, 70, 70 }, { 62, 118, 100 } };
	struct resch_tasks tasks;

	rig_init(&rig, resch_fp());
	tasks = tasks_of(rows, 2);
	/* his figures for the jobs: 114, 102, 116, 104, 118, 106, 94 */
	assert_int_equal(resch_rta_response(&tasks, by_deadline, &rig.tasks[1]), 118);
	rig_init(&rig, resch_fp());
	assert_int_equal(rig_add(&rig, 26, 70, 70), 0);
	assert_int_equal(rig_add(&rig, 62, 117, 100), -EBUSY);
	assert_int_equal(rig.verdict.value, 118);
	assert_int_equal(rig_add(&rig, 62, 118, 100), 0);
}

/* The newcomer is fine, but somebody below it would not be: named. */
static void names_the_victim(void **state)
{
	rig_init(&rig, resch_fp());
	assert_int_equal(rig_add(&rig, 5, 10, 10), 0);
	assert_int_equal(rig_add(&rig, 3, 4, 6), -EBUSY);
	assert_int_equal(rig.verdict.bound, RESCH_BOUND_RESPONSE);
	assert_int_equal(rig.verdict.task, 1);
	assert_int_equal(rig.verdict.value, 11); /* 5 + 2 * 3 */
	assert_int_equal(rig.verdict.limit, 10);
	assert_int_equal(rig.verdict.suggest_wcet, 2);
}

static void orders(void **state)
{
	struct resch_task *task;

	/* (3,D=10,T=5) and (4,D=8,T=20): dm puts the second first, rm the first */
	rig_init(&rig, resch_fp());
	rig_option(&rig, "order", "rm");
	assert_int_equal(rig_add(&rig, 3, 10, 5), 0);
	assert_int_equal(rig_add(&rig, 4, 8, 20), -EBUSY); /* 4 + 2*3 = 10, 4 + 2*3: 10 > 8 */
	assert_int_equal(rig.verdict.value, 10);
	rig_init(&rig, resch_fp());
	assert_int_equal(rig_add(&rig, 3, 10, 5), 0);
	assert_int_equal(rig_add(&rig, 4, 8, 20), 0); /* the first: 7, 5, 3 */

	rig_init(&rig, resch_fp());
	rig_option(&rig, "order", "explicit");
	task = rig_task(&rig, 3, 10, 5);
	task->params.priority = 7;
	assert_int_equal(rig_try(&rig, task), 0);
	rig_join(&rig, task);
	task = rig_task(&rig, 4, 8, 20);
	task->params.priority = 8;
	assert_int_equal(rig_try(&rig, task), -EBUSY);
	task->params.priority = 7; /* equal: the newcomer goes last */
	assert_int_equal(rig_try(&rig, task), -EBUSY);
	task->params.priority = 0; /* none: behind all that have one */
	assert_int_equal(rig_try(&rig, task), -EBUSY);
	task->params.priority = 6;
	assert_int_equal(rig_try(&rig, task), 0);
}

static void fp_options(void **state)
{
	static const char *const bad[][2] = { { "order", "edf" }, { "order", "" },
					      { "test", "RTA" },  { "quantum", "1" },
					      { "", "" },	  { "orde", "rm" } };
	const struct resch_plugin *fp = resch_fp();
	u64 domain[RESCH_DOMAIN_PRIVATE] = { 0 }, before[RESCH_DOMAIN_PRIVATE];
	u32 i;

	for (i = 0; i < COUNT(bad); i++) {
		memcpy(before, domain, sizeof(domain));
		assert_int_equal(fp->option(domain, bad[i][0], bad[i][1]), -EINVAL);
		assert_memory_equal(before, domain, sizeof(domain));
	}
	/*
	 * the bounds know rate- and deadline-monotonic orders only, in whichever order the options
	 * come
	 */
	assert_int_equal(fp->option(domain, "order", "explicit"), 0);
	assert_int_equal(fp->option(domain, "test", "ll"), -EINVAL);
	assert_int_equal(fp->option(domain, "test", "rta"), 0);
	memset(domain, 0, sizeof(domain));
	assert_int_equal(fp->option(domain, "test", "hyperbolic"), 0);
	assert_int_equal(fp->option(domain, "order", "explicit"), -EINVAL);
	assert_int_equal(fp->option(domain, "order", "rm"), 0);
}

/*
 * Where the order is not the one that a bound needs, the bound does not apply, and that is what it
 * says.
 */
static void bounds_refuse_what_they_do_not_know(void **state)
{
	rig_init(&rig, resch_fp());
	rig_option(&rig, "order", "rm");
	rig_option(&rig, "test", "hyperbolic");
	assert_int_equal(rig_add(&rig, 1, 5, 10), -EBUSY);
	assert_int_equal(rig.verdict.bound, RESCH_BOUND_PLUGIN);
	assert_int_equal(rig.verdict.suggest_period, 10); /* with an implicit deadline */
	rig_init(&rig, resch_fp());
	rig_option(&rig, "test", "ll");
	assert_int_equal(rig_add(&rig, 1, 20, 10), -EBUSY);
	assert_int_equal(rig.verdict.bound, RESCH_BOUND_PLUGIN);
	assert_int_equal(rig_add(&rig, 1, 5, 10), 0);
}

/* ---- edf ------------------------------------------------------------------------------------- */

static void qpa_traces(void **state)
{
	static const struct row accepted[] = {
		{ 2, 4, 8 }, { 3, 6, 12 }, { 4, 9, 20 }, { 2, 20, 24 }
	};
	static const struct row refused[] = {
		{ 2, 4, 8 }, { 3, 6, 12 }, { 4, 8, 20 }, { 2, 10, 24 }
	};
	static const u64 lengths[] = { 12, 11, 9, 6, 5 }, demands[] = { 11, 9, 9, 5, 2 };
	struct resch_verdict verdict;
	struct resch_tasks tasks;
	u64 t, h;
	u32 i;

	rig_init(&rig, resch_edf());
	tasks = tasks_of(accepted, 4);
	assert_int_equal(resch_qpa_busy_period(&tasks, RESCH_HORIZON), 16);
	t = resch_qpa_deadline_until(&tasks, 16);
	for (i = 0; i < COUNT(lengths); i++) {
		assert_int_equal(t, lengths[i]);
		h = resch_qpa_demand(&tasks, t);
		assert_int_equal(h, demands[i]);
		t = h < t ? h : resch_qpa_deadline_until(&tasks, t - 1);
	}
	assert_int_equal(resch_test_qpa(&tasks, resch_tasks_share(&tasks), &verdict), 0);

	rig_init(&rig, resch_edf());
	tasks = tasks_of(refused, 4);
	assert_int_equal(resch_test_qpa(&tasks, resch_tasks_share(&tasks), &verdict), -EBUSY);
	assert_int_equal(verdict.bound, RESCH_BOUND_DEMAND);
	assert_int_equal(verdict.value, 13);
	assert_int_equal(verdict.limit, 12);
}

static void edf_by_admission(void **state)
{
	rig_init(&rig, resch_edf());
	assert_int_equal(rig_add(&rig, 2, 4, 8), 0);
	assert_int_equal(rig_add(&rig, 3, 6, 12), 0);
	assert_int_equal(rig_add(&rig, 4, 9, 20), 0);
	assert_int_equal(rig_add(&rig, 2, 20, 24), 0);
	rig_init(&rig, resch_edf());
	assert_int_equal(rig_add(&rig, 2, 4, 8), 0);
	assert_int_equal(rig_add(&rig, 3, 6, 12), 0);
	assert_int_equal(rig_add(&rig, 4, 8, 20), -EBUSY); /* already without the fourth: 9 in 8 */
	assert_int_equal(rig.verdict.bound, RESCH_BOUND_DEMAND);
}

/* 1/2 + 1/3 + 1/6 fills the CPU and passes; a billionth more does not. */
static void exactly_one(void **state)
{
	const struct resch_plugin *const plugins[] = { resch_edf(), &resch_plugin_fallback };
	u32 i;

	for (i = 0; i < COUNT(plugins); i++) {
		rig_init(&rig, plugins[i]);
		assert_int_equal(rig_add(&rig, 1000000000, 2000000000, 2000000000), 0);
		assert_int_equal(rig_add(&rig, 1000000000, 3000000000, 3000000000), 0);
		assert_int_equal(rig_add(&rig, 1000000001, 6000000000, 6000000000), -EBUSY);
		assert_int_equal(rig.verdict.bound, RESCH_BOUND_UTILIZATION);
		assert_int_equal(rig.verdict.value, 1000001);
		assert_int_equal(rig.verdict.limit, 1000000);
		assert_int_equal(rig.verdict.suggest_wcet, 1000000000);
		assert_int_equal(rig_add(&rig, 1000000000, 6000000000, 6000000000), 0);
		assert_int_equal(rig_add(&rig, 1, HOUR, HOUR), -EBUSY);
		assert_int_equal(rig.verdict.suggest_wcet, 0); /* not even 1 ns */
		assert_int_equal(rig.verdict.suggest_period, 0);
	}
	/* seven sevenths: roundings don't add up to a refusal */
	rig_init(&rig, resch_edf());
	for (i = 0; i < 7; i++)
		assert_int_equal(rig_add(&rig, 1001, 7007, 7007), 0);
	assert_int_equal(rig_add(&rig, 1, 1000000, 1000000), -EBUSY);
}

/* QPA at a utilization of exactly one, where only the busy period bounds the search. */
static void qpa_at_full_load(void **state)
{
	rig_init(&rig, resch_edf());
	assert_int_equal(rig_add(&rig, 10, 10, 20), 0);
	assert_int_equal(rig_add(&rig, 10, 20, 30), 0);
	assert_int_equal(rig_add(&rig, 10, 59, 60), -EBUSY);
	assert_int_equal(rig.verdict.bound, RESCH_BOUND_DEMAND);
	assert_int_equal(rig.verdict.value, 60);
	assert_int_equal(rig.verdict.limit, 59);
	assert_int_equal(rig.verdict.suggest_wcet, 9);
	assert_int_equal(rig.verdict.suggest_period, 60);
	assert_int_equal(rig_add(&rig, 10, 60, 60), 0);
}

static void capacity(void **state)
{
	const struct resch_plugin *const plugins[] = { resch_edf(), &resch_plugin_fallback,
						       resch_fp(), resch_demo() };
	u32 i;

	for (i = 0; i < COUNT(plugins); i++) {
		rig_init(&rig, plugins[i]);
		rig.rq.capacity = 950000;
		assert_int_equal(rig_add(&rig, 950001, 1000000, 1000000), -EBUSY);
		assert_int_equal(rig.verdict.bound, RESCH_BOUND_UTILIZATION);
		assert_int_equal(rig.verdict.value, 950001);
		assert_int_equal(rig.verdict.limit, 950000);
		assert_int_equal(rig.verdict.suggest_wcet, 950000);
		/* 950001 / .95 = 1000001.05 */
		assert_int_equal(rig.verdict.suggest_period, 1000002);
		assert_int_equal(rig_add(&rig, 950000, 1000000, 1000000), 0);
	}
}

static void overhead_counts(void **state)
{
	const struct resch_plugin *const plugins[] = { resch_edf(), &resch_plugin_fallback,
						       resch_fp(), resch_demo() };
	u32 i;

	for (i = 0; i < COUNT(plugins); i++) {
		rig_init(&rig, plugins[i]);
		rig.rq.overhead = 5000;
		assert_int_equal(rig_add(&rig, 95001, 100000, 100000), -EBUSY);
		assert_int_equal(rig.verdict.suggest_wcet, 95000);
		assert_int_equal(rig_add(&rig, 95000, 100000, 100000), 0);
		/* more overhead than period: refused, not wrapped around */
		rig_init(&rig, plugins[i]);
		rig.rq.overhead = 999999;
		assert_int_equal(rig_add(&rig, 1, 1000, 1000), -EBUSY);
		assert_int_equal(rig.verdict.suggest_wcet, 0);
		assert_true(rig.verdict.suggest_period >= 1000000);
	}
}

/* ---- all of them ----------------------------------------------------------------------------- */

/*
 * The largest and smallest parameters of the ABI: no overflow (the sanitizer watches), and an end.
 */
static void extremes(void **state)
{
	const struct resch_plugin *const plugins[] = { resch_edf(), &resch_plugin_fallback,
						       resch_fp(), resch_demo() };
	static const u64 times[] = { 1000, 1001, 999999937, HOUR - 1, HOUR };
	u64 random = 12;
	u32 plugin, round, i;

	for (plugin = 0; plugin < COUNT(plugins); plugin++)
		for (round = 0; round < 30; round++) {
			rig_init(&rig, plugins[plugin]);
			rig.rq.overhead = round % 2 ? 999999 : 0;
			for (i = 0; i < 8; i++) {
				u64 period = times[rig_random(&random) % 5],
				    deadline = times[rig_random(&random) % 5];
				u64 most = min(period, deadline);

				rig_add(&rig,
					rig_random(&random) % 2 ? rig_between(&random, 1, most) :
								  1 + most / 5,
					deadline, period);
			}
		}
}

/* Tasks without a promise load the CPU, but nobody is refused on their behalf. */
static void unpromised(void **state)
{
	struct resch_task *task;

	rig_init(&rig, resch_fp());
	task = rig_task(&rig, 60, 50, 200); /* can't make it, ever */
	task->params.flags = RESCH_F_SKIP_ADMISSION;
	rig_join(&rig, task);
	assert_int_equal(rig_add(&rig, 10, 40, 100), 0);
	assert_int_equal(rig_add(&rig, 10, 69, 100), -EBUSY); /* 10 + 10 + 60 */
	assert_int_equal(rig.verdict.value, 80);
	assert_int_equal(rig_add(&rig, 10, 80, 100), 0);
}

/* A lead takes as much of the CPU as so much more execution time in each job. */
static void leads(void **state)
{
	const struct resch_plugin *const plugins[] = { resch_edf(), &resch_plugin_fallback,
						       resch_fp(), resch_demo() };
	u32 taken = 0, refused = 0, plugin, round, i;
	u64 random = 17;

	for (round = 0; round < 400; round++) {
		plugin = round % COUNT(plugins);
		rig_init(&rig, plugins[plugin]);
		rig_init(&other, plugins[plugin]);
		for (i = 0; i < 8; i++) {
			u64 period = rig_between(&random, 10, 100) * 100000;
			u64 deadline = rig_between(&random, period / 2, period);
			u64 lead = rig_between(&random, 0, period / 20);
			u64 wcet = rig_between(&random, 1, period / 4);
			struct resch_task *led = rig_task(&rig, wcet, deadline, period);
			struct resch_task *longer = rig_task(&other, wcet + lead, deadline, period);
			int err;

			led->lead = lead;
			err = rig_try(&rig, led);
			assert_int_equal(err, rig_try(&other, longer));
			assert_int_equal(rig.verdict.bound, other.verdict.bound);
			assert_true(rig.verdict.value == other.verdict.value);
			assert_true(rig.verdict.limit == other.verdict.limit);
			taken += !err;
			refused += err == -EBUSY;
			if (err)
				continue;
			rig_join(&rig, led);
			rig_join(&other, longer);
		}
	}
	assert_true(taken > 500 && refused > 500);
}

/* Thousands of tasks, one by one, in a time that nobody notices. */
static void many(void **state)
{
	const struct resch_plugin *const plugins[] = { resch_edf(), &resch_plugin_fallback,
						       resch_fp() };
	u32 i, plugin;

	for (plugin = 0; plugin < COUNT(plugins); plugin++) {
		rig_init(&rig, plugins[plugin]);
		for (i = 0; i < RIG_TASKS; i++)
			assert_int_equal(rig_add(&rig, 10000 + i, 9000000 + i, 10000000 + 1000 * i),
					 0);
	}
}

/*
 * A set that the exact test would need ages for is refused in bounded time, not accepted and not
 * waited for.
 */
static void bounded_work(void **state)
{
	struct resch_tasks tasks;
	struct row rows[3] = { { 1, 3, 2 },
			       { HOUR / 4, HOUR - 7, HOUR - 7 },
			       { HOUR / 4 - 10, HOUR, HOUR } };
	struct resch_verdict verdict;

	rig_init(&rig, resch_edf());
	rows[0].deadline = 1; /* h(t) is close to t for long */
	tasks = tasks_of(rows, 3);
	tasks.work = 50;
	assert_int_equal(resch_test_qpa(&tasks, resch_tasks_share(&tasks), &verdict), -EBUSY);
	rig_init(&rig, resch_fp());
	tasks = tasks_of(rows, 3);
	tasks.work = 50;
	assert_int_equal(resch_test_rta(&tasks, by_deadline, &verdict), -EBUSY);
	assert_int_equal(verdict.bound, RESCH_BOUND_PLUGIN);
}

/* Round robin, quantum 10 µs: C_i + ceil(C_i / q) * what the others may take in between. */
static void demo_bound(void **state)
{
	rig_init(&rig, resch_demo());
	rig_option(&rig, "quantum", "10us");
	assert_int_equal(rig_add(&rig, 25000, 100000, 100000), 0);
	/* 3 turns, 10000 before each */
	assert_int_equal(rig_add(&rig, 30000, 59999, 100000), -EBUSY);
	assert_int_equal(rig.verdict.bound, RESCH_BOUND_RESPONSE);
	assert_int_equal(rig.verdict.value, 60000);
	assert_int_equal(rig.verdict.limit, 59999);
	assert_int_equal(rig_add(&rig, 30000, 60000, 100000), 0);
	assert_int_equal(resch_demo()->option(rig.domain, "quantum", "9.999us"), -EINVAL);
	assert_int_equal(resch_demo()->option(rig.domain, "quantum", "20000"), -EINVAL);
	assert_int_equal(resch_demo()->option(rig.domain, "quantum", "1000000001ns"), -EINVAL);
	assert_int_equal(resch_demo()->option(rig.domain, "quanta", "20us"), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares),
		cmocka_unit_test(shares_in_ppm),
		cmocka_unit_test(liu_layland_bound),
		cmocka_unit_test(rta_example),
		cmocka_unit_test(utilization_bounds_example),
		cmocka_unit_test(hyperbolic_beats_liu_layland),
		cmocka_unit_test(rta_long_deadlines),
		cmocka_unit_test(names_the_victim),
		cmocka_unit_test(orders),
		cmocka_unit_test(fp_options),
		cmocka_unit_test(bounds_refuse_what_they_do_not_know),
		cmocka_unit_test(qpa_traces),
		cmocka_unit_test(edf_by_admission),
		cmocka_unit_test(exactly_one),
		cmocka_unit_test(qpa_at_full_load),
		cmocka_unit_test(capacity),
		cmocka_unit_test(overhead_counts),
		cmocka_unit_test(extremes),
		cmocka_unit_test(unpromised),
		cmocka_unit_test(leads),
		cmocka_unit_test(many),
		cmocka_unit_test(bounded_work),
		cmocka_unit_test(demo_bound),
	};

	return cmocka_run_group_tests_name("admission", tests, NULL, NULL);
}
