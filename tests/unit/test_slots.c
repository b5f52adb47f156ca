// SPDX-License-Identifier: GPL-2.0
/* test_slots - what sekg and npsf pick in time slots, rule by rule */
#include "slots_layout.h"

/* ---- windows --------------------------------------------------------------------------------- */

static void window_edges(void **state)
{
	struct resch_task *own, *split;

	begin(resch_npsf());
	own = slots_join(&rig, 1);
	split = slots_join(&rig, 2);
	slots_ready(&rig, own, 9000, FROM);
	slots_ready(&rig, split, 9000, FROM);
	assert_ptr_equal(slots_pick(&rig, 0, FROM), own);
	assert_int_equal(rig.until[0], FROM + 60);
	assert_ptr_equal(slots_pick(&rig, 0, FROM + 59), own);
	assert_ptr_equal(slots_pick(&rig, 0, FROM + 60), split);
	assert_int_equal(rig.until[0], FROM + 100);
	assert_ptr_equal(slots_pick(&rig, 0, FROM + 99), split);
	assert_ptr_equal(slots_pick(&rig, 0, FROM + 100), own);
	slots_stop(&rig, split, FROM + 100);
	assert_ptr_equal(slots_pick(&rig, 1, FROM + 100), split);
	assert_int_equal(rig.until[1], FROM + 120);
	assert_null(slots_pick(&rig, 1, FROM + 120));
}

static void gaps_and_no_windows(void **state)
{
	struct resch_task *task;

	begin(resch_sekg());
	task = slots_join(&rig, 3);
	slots_ready(&rig, task, 9000, FROM);
	assert_ptr_equal(slots_pick(&rig, 1, FROM + 69), task);
	assert_null(slots_pick(&rig, 1, FROM + 70));
	assert_int_equal(rig.until[1], FROM + 80);
	assert_null(slots_pick(&rig, 3, FROM + 70));
	assert_true(rig.until[3] == RESCH_NEVER);
}

static void before_and_without_a_plan(void **state)
{
	struct resch_task *task;

	begin(resch_npsf());
	task = slots_join(&rig, 3);
	slots_ready(&rig, task, 9000, 5);
	assert_null(slots_pick(&rig, 1, 5));
	assert_int_equal(rig.until[1], FROM);
	assert_null(slots_pick(&rig, 1, FROM - 1));
	assert_int_equal(rig.until[1], FROM);
	assert_null(slots_pick(&rig, 3, 5));
	assert_true(rig.until[3] == RESCH_NEVER);
	slots_show(&rig, NULL);
	assert_null(slots_pick(&rig, 1, FROM + 30));
	assert_true(rig.until[1] == RESCH_NEVER);
}

/* The last window does not reach the end, the first does not begin at the begin. */
static void over_the_slot_end(void **state)
{
	static const struct resch_reserve late[] = { { 40, 50, 1, 0 } };
	struct resch_task *task;

	slots_init(&rig, resch_npsf());
	slots_plan(&rig, SLOT, FROM, late, 1);
	task = slots_join(&rig, 1);
	slots_ready(&rig, task, 9000, FROM);
	assert_null(slots_pick(&rig, 0, 7));
	assert_int_equal(rig.until[0], FROM + 40);
	assert_ptr_equal(slots_pick(&rig, 0, FROM + 40), task);
	assert_null(slots_pick(&rig, 0, FROM + 50));
	assert_int_equal(rig.until[0], FROM + 140);
	/* much later, and back again */
	assert_ptr_equal(slots_pick(&rig, 0, FROM + (1ULL << 55) * SLOT + 49), task);
	assert_true(rig.until[0] == FROM + (1ULL << 55) * SLOT + 50);
	assert_null(slots_pick(&rig, 0, FROM + 39));
	assert_int_equal(rig.until[0], FROM + 40);
}

/* No plan of the core has one, but it would do no harm. */
static void empty_window(void **state)
{
	static const struct resch_reserve odd[] = { { 0, 10, 1, 0 },
						    { 10, 10, 2, 0 },
						    { 10, 90, 1, 0 } };
	struct resch_task *task, *never;

	slots_init(&rig, resch_npsf());
	slots_plan(&rig, SLOT, FROM, odd, COUNT(odd));
	task = slots_join(&rig, 1);
	never = slots_join(&rig, 2);
	slots_ready(&rig, task, 9000, FROM);
	slots_ready(&rig, never, 900, FROM);
	assert_ptr_equal(slots_pick(&rig, 0, FROM + 9), task);
	assert_ptr_equal(slots_pick(&rig, 0, FROM + 10), task);
	assert_int_equal(rig.until[0], FROM + 90);
}

/* ---- who runs in a window -------------------------------------------------------------------- */

static void edf_within_a_group(void **state)
{
	struct resch_task *one, *other;

	begin(resch_npsf());
	one = slots_join(&rig, 5);
	other = slots_join(&rig, 5);
	slots_ready(&rig, one, 5000, FROM);
	slots_ready(&rig, other, 4000, FROM);
	assert_ptr_equal(slots_pick(&rig, 2, FROM + 30), other);
	slots_done(&rig, other, FROM + 40);
	assert_ptr_equal(slots_pick(&rig, 2, FROM + 40), one);
	slots_ready(&rig, other, 5000, FROM + 50); /* a tie: who came first */
	assert_ptr_equal(slots_pick(&rig, 2, FROM + 50), one);
}

static void sekg_reclaims_idle_split_windows(void **state)
{
	struct resch_task *own, *split;

	begin(resch_sekg());
	own = slots_join(&rig, 3);
	split = slots_join(&rig, 2);
	slots_ready(&rig, own, 2000, FROM);
	assert_ptr_equal(slots_pick(&rig, 1, FROM), own); /* x, idle */
	assert_int_equal(rig.until[1], FROM + 20);
	slots_ready(&rig, split, 9000, FROM + 10); /* on CPU 1 or wherever: it preempts at once */
	assert_true(slots_kicked(&rig, 1) || split->rq == &rig.rqs[1]);
	assert_ptr_equal(slots_pick(&rig, 1, FROM + 10), split);
	assert_ptr_equal(slots_pick(&rig, 1, FROM + 20), own); /* N */
	slots_stop(&rig, split, FROM + 21);
	assert_ptr_equal(slots_pick(&rig, 1, FROM + 80), own); /* y of group 4, idle */
	assert_null(slots_pick(&rig, 1, FROM + 75)); /* but not between windows */
}

/* In N the split task waits, even if nobody else is there. */
static void sekg_keeps_split_tasks_out_of_n(void **state)
{
	struct resch_task *split;

	begin(resch_sekg());
	split = slots_join(&rig, 2);
	slots_ready(&rig, split, 9000, FROM);
	assert_null(slots_pick(&rig, 0, FROM + 59));
	assert_null(slots_pick(&rig, 1, FROM + 20));
	assert_null(slots_pick(&rig, 2, FROM + 20));
}

/* With two groups on one CPU alone the one with the first window is its own. */
static void sekg_first_group_is_own(void **state)
{
	static const struct resch_reserve two[] = {
		{ 0, 20, 1, 0 },  { 20, 40, 2, 0 },  { 40, 60, 3, 0 },
		{ 60, 80, 4, 0 }, { 80, 100, 1, 1 },
	};
	struct resch_task *second, *third;

	slots_init(&rig, resch_sekg());
	slots_plan(&rig, SLOT, FROM, two, COUNT(two));
	second = slots_join(&rig, 2);
	third = slots_join(&rig, 3);
	slots_ready(&rig, third, 2000, FROM);
	assert_null(slots_pick(&rig, 0, FROM)); /* group 1 is split, but 3 is not the own group */
	slots_ready(&rig, second, 9000, FROM + 1);
	assert_ptr_equal(slots_pick(&rig, 0, FROM + 1), second);
	slots_stop(&rig, second, FROM + 1);
	assert_ptr_equal(slots_pick(&rig, 0, FROM + 40), third);
	assert_null(slots_pick(&rig, 0, FROM + 60)); /* nor does it get an own group's window */
}

static void npsf_leaves_idle_windows_idle(void **state)
{
	struct resch_task *own;

	begin(resch_npsf());
	own = slots_join(&rig, 3);
	slots_ready(&rig, own, 2000, FROM);
	assert_null(slots_pick(&rig, 1, FROM));
	assert_int_equal(rig.until[1], FROM + 20);
	assert_ptr_equal(slots_pick(&rig, 1, FROM + 20), own);
	assert_null(slots_pick(&rig, 1, FROM + 80));
}

static void npsf_reclaims_when_told(void **state)
{
	struct resch_task *own, *split, *other;

	begin(resch_npsf());
	option("reclaim", "1");
	own = slots_join(&rig, 3);
	split = slots_join(&rig, 2);
	other = slots_join(&rig, 4);
	slots_ready(&rig, other, 1500, FROM);
	assert_null(slots_pick(&rig, 1, FROM)); /* 4 is split: not here, not now */
	slots_ready(&rig, own, 2000, FROM);
	assert_ptr_equal(slots_pick(&rig, 1, FROM), own);
	slots_ready(&rig, split, 9000, FROM + 1);
	assert_ptr_equal(slots_pick(&rig, 1, FROM + 1), split);
	slots_done(&rig, split, FROM + 5);
	assert_ptr_equal(slots_pick(&rig, 1, FROM + 5), own);
	assert_null(slots_pick(&rig, 1, FROM + 70)); /* between windows: ordinary tasks */
	option("reclaim", "0");
	assert_null(slots_pick(&rig, 1, FROM + 100));
}

/* ---- coming and going ------------------------------------------------------------------------ */

static bool zero(const u64 *words, u32 count)
{
	while (count--)
		if (*words++)
			return false;
	return true;
}

static void detach_leaves_nothing(void **state)
{
	struct resch_task *one, *other;
	u32 i;

	begin(resch_sekg());
	one = slots_join(&rig, 2);
	other = slots_join(&rig, 2);
	slots_ready(&rig, one, 9000, FROM);
	slots_ready(&rig, other, 9500, FROM);
	all(FROM + 60);
	assert_true(one->busy);
	rig.plugin->dequeue(one->rq, one, RESCH_WHY_DETACH, FROM + 61);
	rig.plugin->detach(one->rq, one); /* a swap: busy as it is */
	assert_false(zero(rig.groups[2].private, RESCH_GROUP_PRIVATE));
	/* its memory may go before this CPU is asked again */
	for (i = 0; i < RESCH_RQ_PRIVATE; i++)
		assert_true(one->rq->private[i] != (u64)(uintptr_t)one);
	rig.plugin->dequeue(other->rq, other, RESCH_WHY_DETACH, FROM + 61);
	rig.plugin->detach(other->rq, other);
	assert_true(zero(rig.groups[2].private, RESCH_GROUP_PRIVATE));
	/* an empty group stays untouched by decisions */
	one->busy = false;
	all(FROM + 70);
	all(FROM + 100);
	assert_true(zero(rig.groups[2].private, RESCH_GROUP_PRIVATE));
}

/* Tasks that come from a plugin that knew no groups may be busy anywhere. */
static void busy_when_they_come(void **state)
{
	struct resch_task *task[3];
	u32 i;

	begin(resch_npsf());
	for (i = 0; i < 3; i++) {
		task[i] = slots_task(&rig, 2, 1, 1000, 1000);
		task[i]->rq = &rig.rqs[i];
		task[i]->busy = true;
		slots_list(&rig, task[i]);
		rig.plugin->attach(task[i]->rq, task[i]);
		task[i]->ready = true;
		task[i]->job.deadline = 9000;
		rig.plugin->enqueue(task[i]->rq, task[i], RESCH_WHY_TAKEOVER, FROM);
		slots_kicks(&rig, task[i]->rq);
	}
	assert_true(slots_kicked(&rig, 1)); /* the one of its windows' CPUs that would not know */
	assert_null(slots_pick(&rig, 1, FROM + 100));
	slots_stop(&rig, task[0], FROM + 101);
	assert_null(slots_pick(&rig, 1, FROM + 101));
	slots_stop(&rig, task[1], FROM + 102);
	assert_null(slots_pick(&rig, 1, FROM + 102));
	no_kicks();
	slots_stop(&rig, task[2], FROM + 103);
	assert_true(slots_kicked(&rig, 1));
	assert_ptr_equal(slots_pick(&rig, 1, FROM + 103), task[0]);
}

static void another_plan(void **state)
{
	/* group 2 goes to CPU 3, its slots are longer; group 3 stays */
	static const struct resch_reserve next[] = { { 20, 150, 3, 1 }, { 50, 150, 2, 3 } };
	static struct slots_room room;
	struct resch_task *split, *own;

	begin(resch_npsf());
	split = slots_join(&rig, 2);
	own = slots_join(&rig, 3);
	slots_ready(&rig, split, 9000, FROM);
	slots_ready(&rig, own, 9000, FROM);
	all(FROM + 60);
	assert_ptr_equal(rig.selected[0], split);
	assert_ptr_equal(rig.selected[1], own);
	slots_make(&room, 150, FROM + 100, next, COUNT(next));
	slots_show(&rig, &room);
	all(FROM + 100);
	assert_null(rig.selected[0]);
	assert_true(rig.until[0] == RESCH_NEVER);
	assert_null(rig.selected[1]);
	assert_int_equal(rig.until[1], FROM + 120);
	assert_int_equal(rig.until[3], FROM + 150);
	slots_stop(&rig, split, FROM + 101);
	slots_stop(&rig, own, FROM + 101);
	assert_ptr_equal(slots_pick(&rig, 1, FROM + 120), own);
	assert_ptr_equal(slots_pick(&rig, 3, FROM + 150), split);
	assert_int_equal(rig.until[3], FROM + 250);
	assert_null(slots_pick(&rig, 3, FROM + 250));
	assert_int_equal(rig.until[3], FROM + 300);
}

static void options(void **state)
{
	static const struct {
		const char *key, *value;
		int npsf, sekg;
	} table[] = {
		{ "handover", "retry", 0, 0 },
		{ "handover", "notify", 0, 0 },
		{ "handover", "both", -EINVAL, -EINVAL },
		{ "handover", "", -EINVAL, -EINVAL },
		{ "retry", "1us", 0, 0 },
		{ "retry", "1000000ns", 0, 0 },
		{ "retry", "1.5us", 0, 0 },
		{ "retry", "0.999us", -EINVAL, -EINVAL },
		{ "retry", "1.000001ms", -EINVAL, -EINVAL },
		{ "retry", "0", -EINVAL, -EINVAL },
		{ "retry", "5000", -EINVAL, -EINVAL },
		{ "retry", "5 us", -EINVAL, -EINVAL },
		{ "retry", "4294972296ns", -EINVAL, -EINVAL },
		{ "reclaim", "0", 0, -EINVAL },
		{ "reclaim", "1", 0, -EINVAL },
		{ "reclaim", "2", -EINVAL, -EINVAL },
		{ "slot", "1000", -EINVAL, -EINVAL },
	};
	u64 words[RESCH_DOMAIN_PRIVATE] = { 0 };
	u32 i;

	for (i = 0; i < COUNT(table); i++) {
		assert_int_equal(resch_npsf()->option(words, table[i].key, table[i].value),
				 table[i].npsf);
		assert_int_equal(resch_sekg()->option(words, table[i].key, table[i].value),
				 table[i].sekg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(window_edges),
		cmocka_unit_test(gaps_and_no_windows),
		cmocka_unit_test(before_and_without_a_plan),
		cmocka_unit_test(over_the_slot_end),
		cmocka_unit_test(empty_window),
		cmocka_unit_test(edf_within_a_group),
		cmocka_unit_test(sekg_reclaims_idle_split_windows),
		cmocka_unit_test(sekg_keeps_split_tasks_out_of_n),
		cmocka_unit_test(sekg_first_group_is_own),
		cmocka_unit_test(npsf_leaves_idle_windows_idle),
		cmocka_unit_test(npsf_reclaims_when_told),
		cmocka_unit_test(detach_leaves_nothing),
		cmocka_unit_test(busy_when_they_come),
		cmocka_unit_test(another_plan),
		cmocka_unit_test(options),
	};

	return cmocka_run_group_tests_name("slots", tests, NULL, NULL);
}
