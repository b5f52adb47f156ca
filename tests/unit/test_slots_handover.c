// SPDX-License-Identifier: GPL-2.0
/*
 * test_slots_handover - groups that go from CPU to CPU under sekg and npsf, and releases on the
 * wrong CPU
 */
#include "slots_layout.h"

/* ---- hand-overs ------------------------------------------------------------------------------ */

/* Group 2 executes on CPU 0 when its window on CPU 1 begins. */
static void late_giver(const struct resch_plugin *plugin, struct resch_task **split,
		       struct resch_task **own)
{
	begin(plugin);
	*split = slots_join(&rig, 2);
	*own = slots_join(&rig, 3);
	all(FROM);
	slots_ready(&rig, *split, 9000, FROM + 60);
	slots_ready(&rig, *own, 9000, FROM + 60);
	assert_ptr_equal(slots_pick(&rig, 0, FROM + 60), *split);
	no_kicks();
}

static void handover_notified(void **state)
{
	struct resch_task *split, *own;

	late_giver(resch_sekg(), &split, &own);
	/* it does not wait with empty hands */
	assert_ptr_equal(slots_pick(&rig, 1, FROM + 100), own);
	assert_int_equal(rig.until[1], FROM + 120);
	assert_true(slots_kicked(&rig, 0));
	slots_pick(&rig, 0, FROM + 103);
	/* CPU 0 has decided, only the thread is not gone yet: no use in kicking again */
	assert_ptr_equal(slots_pick(&rig, 1, FROM + 104), own);
	assert_false(slots_kicked(&rig, 0));
	slots_stop(&rig, split, FROM + 106);
	assert_true(slots_kicked(&rig, 1));
	assert_ptr_equal(slots_pick(&rig, 1, FROM + 106), split);
}

static void handover_retried(void **state)
{
	struct resch_task *split, *own;

	late_giver(resch_npsf(), &split, &own);
	option("handover", "retry");
	assert_null(slots_pick(&rig, 1, FROM + 100));
	/* 5 us are longer than this window */
	assert_int_equal(rig.until[1], FROM + 120);
	assert_true(slots_kicked(&rig, 0));
	slots_pick(&rig, 0, FROM + 103);
	slots_stop(&rig, split, FROM + 106);
	assert_false(slots_kicked(&rig, 1));
	assert_ptr_equal(slots_pick(&rig, 1, FROM + 110), split);
}

static void retry_is_until(void **state)
{
	static const struct resch_reserve wide[] = { { 0, 50000, 1, 0 }, { 50000, 90000, 1, 1 } };
	struct resch_task *task;

	slots_init(&rig, resch_npsf());
	slots_plan(&rig, 100000, FROM, wide, COUNT(wide));
	option("handover", "retry");
	task = slots_join(&rig, 1);
	slots_ready(&rig, task, 900000, FROM);
	assert_ptr_equal(slots_pick(&rig, 0, FROM), task);
	assert_null(slots_pick(&rig, 1, FROM + 50000));
	assert_int_equal(rig.until[1], FROM + 55000);
	option("retry", "2us");
	assert_null(slots_pick(&rig, 1, FROM + 55000));
	assert_int_equal(rig.until[1], FROM + 57000);
	assert_null(slots_pick(&rig, 1, FROM + 89000));
	assert_int_equal(rig.until[1], FROM + 90000);
}

/* Two of the group are on their way out of CPU 0: CPU 1 waits for both. */
static void handover_of_several(void **state)
{
	struct resch_task *one, *other;

	begin(resch_npsf());
	one = slots_join(&rig, 2);
	other = slots_join(&rig, 2);
	slots_ready(&rig, one, 9000, FROM);
	assert_ptr_equal(slots_pick(&rig, 0, FROM + 60), one);
	slots_ready(&rig, other, 8000, FROM + 70);
	assert_ptr_equal(slots_pick(&rig, 0, FROM + 70), other);
	slots_pick(&rig, 0, FROM + 100);
	assert_null(slots_pick(&rig, 1, FROM + 100));
	no_kicks();
	slots_stop(&rig, other, FROM + 101);
	assert_false(slots_kicked(&rig, 1));
	assert_null(slots_pick(&rig, 1, FROM + 102)); /* though it is first, and not busy */
	slots_stop(&rig, one, FROM + 103);
	assert_true(slots_kicked(&rig, 1));
	assert_ptr_equal(slots_pick(&rig, 1, FROM + 103), other);
}

/* A job that has just completed on CPU 0 is on its way to its wait; another is released. */
static void handover_after_completion(void **state)
{
	struct resch_task *one, *other;

	begin(resch_npsf());
	one = slots_join(&rig, 2);
	other = slots_join(&rig, 2);
	all(FROM);
	slots_ready(&rig, one, 9000, FROM);
	assert_ptr_equal(slots_pick(&rig, 0, FROM + 60), one);
	all(FROM + 100); /* CPU 0 is not late */
	slots_done(&rig, one, FROM + 101);
	no_kicks();
	other->rq = &rig.rqs[0];
	slots_ready(&rig, other, 9500, FROM + 102);
	assert_true(slots_kicked(&rig, 1));
	assert_null(slots_pick(&rig, 1, FROM + 102));
	slots_stop(&rig, one, FROM + 103);
	assert_true(slots_kicked(&rig, 1));
	assert_ptr_equal(slots_pick(&rig, 1, FROM + 103), other);
}

/* ---- releases on the wrong CPU --------------------------------------------------------------- */

static void release_elsewhere(void **state)
{
	struct resch_task *task, *later;

	begin(resch_npsf());
	task = slots_join(&rig, 2);
	later = slots_join(&rig, 2);
	assert_ptr_equal(task->rq, &rig.rqs[1]); /* its first reserve */
	all(FROM + 60);
	no_kicks();
	slots_ready(&rig, task, 9000, FROM + 70);
	assert_true(slots_kicked(&rig, 0));
	assert_false(slots_kicked(&rig, 1) || slots_kicked(&rig, 2) || slots_kicked(&rig, 3));
	assert_ptr_equal(slots_pick(&rig, 0, FROM + 70), task);
	/* one that changes nothing kicks nobody */
	slots_ready(&rig, later, 9001, FROM + 71);
	assert_false(slots_kicked(&rig, 0));
	/* nobody is in a window of it: nobody to tell */
	slots_done(&rig, later, FROM + 72);
	slots_done(&rig, task, FROM + 72);
	slots_stop(&rig, task, FROM + 73);
	all(FROM + 120);
	no_kicks();
	slots_ready(&rig, task, 9000, FROM + 130);
	assert_false(slots_kicked(&rig, 0) || slots_kicked(&rig, 1) || slots_kicked(&rig, 2));
}

/* The CPU went into the window before the group had a task. */
static void release_into_a_running_window(void **state)
{
	struct resch_task *task;

	begin(resch_npsf());
	all(FROM + 60);
	task = slots_join(&rig, 2);
	no_kicks();
	slots_ready(&rig, task, 9000, FROM + 70);
	assert_true(slots_kicked(&rig, 0));
	assert_ptr_equal(slots_pick(&rig, 0, FROM + 70), task);
}

/*
 * CPU 0 is late, and decides as of an instant in its window when CPU 1 is in the next one already:
 * it neither takes the group nor the news of it.
 */
static void late_decision_takes_nothing(void **state)
{
	struct resch_task *task;

	begin(resch_npsf());
	task = slots_join(&rig, 2);
	all(FROM + 60);
	slots_pick(&rig, 1, FROM + 100);
	slots_ready(&rig, task, 9000, FROM + 90);
	assert_null(slots_pick(&rig, 0, FROM + 90));
	slots_done(&rig, task, FROM + 101);
	no_kicks();
	task->rq = &rig.rqs[0];
	slots_ready(&rig, task, 9000, FROM + 102);
	assert_true(slots_kicked(&rig, 1));
	assert_ptr_equal(slots_pick(&rig, 1, FROM + 102), task);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handover_notified),
		cmocka_unit_test(handover_retried),
		cmocka_unit_test(retry_is_until),
		cmocka_unit_test(handover_of_several),
		cmocka_unit_test(handover_after_completion),
		cmocka_unit_test(release_elsewhere),
		cmocka_unit_test(release_into_a_running_window),
		cmocka_unit_test(late_decision_takes_nothing),
	};

	return cmocka_run_group_tests_name("slots_handover", tests, NULL, NULL);
}
