// SPDX-License-Identifier: GPL-2.0
/*
 * test_campaign - admission against brute force
 *
 * Thousands of small random sets. The oracle plays the synchronous start unit by unit over the
 * hyperperiod and looks for a missed deadline; it knows neither response times nor demand. Both
 * tests claim to be exact, so both ways are checked: what they accept must not miss, what they
 * refuse must.
 */
#include "rig.h"

#define TASKS 4
#define SETS 20000

struct row {
	u32 wcet, deadline, period;
};

struct jobs {
	u64 head; /* release of the oldest unfinished job */
	u64 ready; /* released and unfinished jobs */
	u32 left; /* of the oldest one */
};

enum order { BY_ABSOLUTE, BY_DEADLINE, BY_PERIOD, BY_INDEX };

static struct rig rig;

static u64 rank(const struct row *row, const struct jobs *jobs, enum order order, u32 index)
{
	switch (order) {
	case BY_ABSOLUTE:
		return jobs->head + row->deadline;
	case BY_DEADLINE:
		return row->deadline;
	case BY_PERIOD:
		return row->period;
	default:
		return index;
	}
}

static u64 lcm_of(const struct row *rows, u32 count)
{
	u64 lcm = 1;
	u32 i;

	for (i = 0; i < count; i++) {
		u64 a = lcm, b = rows[i].period, t;

		while (b) {
			t = a % b;
			a = b;
			b = t;
		}
		lcm = lcm / a * rows[i].period;
	}
	return lcm;
}

/*
 * Does any job miss its deadline, from a common start up to an idle instant or the hyperperiod?
 * Load at most 1.
 */
static bool misses(const struct row *rows, u32 count, enum order order)
{
	struct jobs jobs[TASKS] = { 0 };
	u64 now, end = lcm_of(rows, count);
	u32 i;

	for (now = 0; now < end; now++) {
		u32 best = count;

		for (i = 0; i < count; i++) {
			if (now % rows[i].period)
				continue;
			if (!jobs[i].ready++) {
				jobs[i].head = now;
				jobs[i].left = rows[i].wcet;
			}
		}
		for (i = 0; i < count; i++) {
			if (!jobs[i].ready)
				continue;
			if (now >= jobs[i].head + rows[i].deadline)
				return true;
			if (best == count || rank(&rows[i], &jobs[i], order, i) <
						     rank(&rows[best], &jobs[best], order, best))
				best = i;
		}
		if (best == count || --jobs[best].left)
			continue;
		jobs[best].ready--;
		jobs[best].head += rows[best].period;
		jobs[best].left = rows[best].wcet;
	}
	/*
	 * everything is done at the hyperperiod, as the load is at most 1 and the start was with
	 * nothing to do
	 */
	return false;
}

static bool overloaded(const struct row *rows, u32 count)
{
	u64 end = lcm_of(rows, count), sum = 0;
	u32 i;

	for (i = 0; i < count; i++)
		sum += end / rows[i].period * rows[i].wcet;
	return sum > end;
}

/* @kind 0: deadlines = periods, 1: at most, 2: any */
static u32 draw(u64 *random, struct row *rows, u32 kind)
{
	static const u32 periods[] = { 3, 4, 5, 6, 8, 10, 12, 15, 16, 20, 24 };
	u32 count = rig_between(random, 2, TASKS), i;

	for (i = 0; i < count; i++) {
		struct row *row = &rows[i];

		row->period = periods[rig_random(random) % (sizeof(periods) / sizeof(periods[0]))];
		row->deadline = row->period;
		if (kind == 1)
			row->deadline = rig_between(random, (row->period + 3) / 4, row->period);
		if (kind == 2)
			row->deadline = rig_between(random, (row->period + 3) / 4, 3 * row->period);
		row->wcet = rig_between(random, 1,
					max(1U, min(row->deadline, row->period) * 2 / (count + 1)));
	}
	return count;
}

struct tally {
	u32 accepted, refused, tight; /* tight: refused although the load is at most 1 */
};

/*
 * Tasks come one by one; each time the answer must be the oracle's for those that are in and the
 * new one.
 */
static void check_set(const struct row *rows, u32 count, enum order order, struct tally *tally)
{
	struct row in[TASKS];
	u32 n = 0, i;

	for (i = 0; i < count; i++) {
		bool overload, late, refused;

		in[n] = rows[i];
		overload = overloaded(in, n + 1);
		late = overload || misses(in, n + 1, order);
		refused = rig_add(&rig, rows[i].wcet, rows[i].deadline, rows[i].period);
		if (refused != late)
			fail_msg("%s (%u,%u,%u) as number %u, the oracle says %s",
				 refused ? "refused" : "accepted", rows[i].wcet, rows[i].deadline,
				 rows[i].period, n + 1, late ? "late" : "in time");
		tally->accepted += !refused;
		tally->refused += refused;
		tally->tight += refused && !overload;
		n += !refused;
	}
}

static void campaign(const struct resch_plugin *plugin, const char *option, enum order order,
		     u32 kinds, const char *label)
{
	struct tally tally = { 0 };
	u64 random = 99;
	u32 i;

	for (i = 0; i < SETS; i++) {
		struct row rows[TASKS];
		u32 count = draw(&random, rows, i % kinds);

		rig_init(&rig, plugin);
		if (option)
			rig_option(&rig, "order", option);
		check_set(rows, count, order, &tally);
	}
	print_message("%s: %u sets, accepted %u tasks, refused %u, of those %u below full load\n",
		      label, SETS, tally.accepted, tally.refused, tally.tight);
	assert_true(tally.accepted > SETS && tally.tight > SETS / 100);
}

static void edf(void **state)
{
	campaign(resch_edf(), NULL, BY_ABSOLUTE, 3, "edf");
}

static void fp_deadline(void **state)
{
	campaign(resch_fp(), NULL, BY_DEADLINE, 3, "fp, order=dm");
}

static void fp_rate(void **state)
{
	campaign(resch_fp(), "rm", BY_PERIOD, 3, "fp, order=rm");
}

/*
 * Explicit priorities in the order of arrival: unlike the others, no help from any theory about the
 * order.
 */
static void fp_explicit(void **state)
{
	struct tally tally = { 0 };
	u64 random = 7;
	u32 i, n, task;

	for (i = 0; i < SETS; i++) {
		struct row rows[TASKS], in[TASKS];
		u32 count = draw(&random, rows, i % 3);

		rig_init(&rig, resch_fp());
		rig_option(&rig, "order", "explicit");
		for (n = 0, task = 0; task < count; task++) {
			struct resch_task *t = rig_task(&rig, rows[task].wcet, rows[task].deadline,
							rows[task].period);
			bool late, refused;

			t->params.priority = 1 + n;
			in[n] = rows[task];
			late = overloaded(in, n + 1) || misses(in, n + 1, BY_INDEX);
			refused = rig_try(&rig, t);
			assert_int_equal(refused, late);
			tally.accepted += !refused;
			tally.refused += refused;
			if (refused)
				continue;
			rig_join(&rig, t);
			n++;
		}
	}
	print_message("fp, order=explicit: accepted %u, refused %u\n", tally.accepted,
		      tally.refused);
	assert_true(tally.accepted > SETS && tally.refused > SETS / 100);
}

/* The bounds are only sufficient: what they accept must not miss. */
static void bounds(void **state)
{
	static const char *const tests[] = { "ll", "hyperbolic" };
	u32 accepted[2] = { 0 }, test, i, task;
	u64 random = 31;

	for (i = 0; i < SETS; i++) {
		struct row rows[TASKS];
		u32 count = draw(&random, rows, i % 2);

		for (test = 0; test < 2; test++) {
			int err = 0;

			rig_init(&rig, resch_fp());
			rig_option(&rig, "test", tests[test]);
			for (task = 0; task < count && !err; task++)
				err = rig_add(&rig, rows[task].wcet, rows[task].deadline,
					      rows[task].period);
			if (err)
				continue;
			accepted[test]++;
			assert_false(misses(rows, count, BY_DEADLINE));
		}
	}
	print_message("of %u sets ll takes %u, hyperbolic %u\n", SETS, accepted[0], accepted[1]);
	assert_true(accepted[0] > 100 && accepted[1] > accepted[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edf),	   cmocka_unit_test(fp_deadline),
		cmocka_unit_test(fp_rate), cmocka_unit_test(fp_explicit),
		cmocka_unit_test(bounds),
	};

	return cmocka_run_group_tests_name("campaign", tests, NULL, NULL);
}
