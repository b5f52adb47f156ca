// SPDX-License-Identifier: GPL-2.0
/* test_slots - what sekg and npsf pick in time slots, rule by rule, and against a naive model */
#include "slots_rig.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SLOT 100
#define FROM 1000

static struct slots_rig rig;

/*
 * x | N | y on three CPUs: groups 2 and 4 are split, 1, 3 and 5 are the CPUs' own.
 *
 *   CPU 0:  1 1 1 1 1 1 2 2 2 2
 *   CPU 1:  2 2 3 3 3 3 3 - 4 4
 *   CPU 2:  4 4 4 5 5 5 5 5 5 5     CPU 3 has no windows
 */
static const struct resch_reserve layout[] = {
	{ 0, 60, 1, 0 },   { 60, 100, 2, 0 }, { 0, 20, 2, 1 },	 { 20, 70, 3, 1 },
	{ 80, 100, 4, 1 }, { 0, 30, 4, 2 },   { 30, 100, 5, 2 },
};

static void begin(const struct resch_plugin *plugin)
{
	slots_init(&rig, plugin);
	slots_plan(&rig, SLOT, FROM, layout, COUNT(layout));
}

static void option(const char *key, const char *value)
{
	assert_int_equal(rig.plugin->option(rig.domain, key, value), 0);
}

/* Everybody decides. */
static void all(u64 now)
{
	u32 cpu;

	for (cpu = 0; cpu < SLOTS_CPUS; cpu++)
		slots_pick(&rig, cpu, now);
}

static void no_kicks(void)
{
	memset(rig.kicked, 0, sizeof(rig.kicked));
}

/* ---- windows ----------------------------------------------------------------------------------- */

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

/* ---- who runs in a window ---------------------------------------------------------------------- */

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

/* ---- hand-overs -------------------------------------------------------------------------------- */

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
	option("retry", "2000");
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

/* ---- releases on the wrong CPU ----------------------------------------------------------------- */

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

/* ---- coming and going -------------------------------------------------------------------------- */

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
		rig.plugin->enqueue(task[i]->rq, task[i], RESCH_WHY_HANDOVER, FROM);
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
		{ "retry", "1000", 0, 0 },
		{ "retry", "1000000", 0, 0 },
		{ "retry", "999", -EINVAL, -EINVAL },
		{ "retry", "1000001", -EINVAL, -EINVAL },
		{ "retry", "5us", -EINVAL, -EINVAL },
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

/* ---- against a naive model --------------------------------------------------------------------- */

#define EVENTS 60000

/* A plan that nobody would make, but the core would take. */
static void random_plan(struct slots_room *room, u64 *random, u64 from)
{
	u64 slot = rig_between(random, 20, 200), taken[SLOTS_GROUPS + 1] = { 0 };
	struct resch_reserve reserves[SLOTS_WINDOWS];
	u32 cpu, count = 0, parts[SLOTS_GROUPS + 1] = { 0 };

	/* each ns of the slot has a bit by group: slots are cut into 20 pieces */
	for (cpu = 0; cpu < SLOTS_CPUS; cpu++) {
		u64 at = rig_between(random, 0, 4);

		while (at < 20 && count < SLOTS_WINDOWS) {
			u64 wanted = at + rig_between(random, 1, 8);
			u64 end = min(20ULL, wanted), k, mask = 0;
			u32 group = rig_between(random, 1, SLOTS_GROUPS);

			for (k = at; k < end; k++)
				mask |= 1ULL << k;
			if (!(taken[group] & mask) && parts[group] < RESCH_PARTS_MAX) {
				taken[group] |= mask;
				parts[group]++;
				reserves[count++] = (struct resch_reserve){ at * slot / 20,
									    end * slot / 20, group,
									    cpu };
			}
			at = end + rig_between(random, 0, 1) * rig_between(random, 0, 3);
		}
	}
	slots_make(room, slot, from, reserves, count);
}

static const struct resch_window *model_window(u32 cpu, u64 now, u64 *until)
{
	const struct resch_plan *plan = rig.rqs[cpu].plan;
	u64 k = now < plan->from ? 0 : (now - plan->from) / plan->slot, s;
	u32 i;

	*until = RESCH_NEVER;
	for (s = k; s < k + 2; s++) {
		for (i = plan->start[cpu]; i < plan->start[cpu + 1]; i++) {
			u64 begin = plan->from + s * plan->slot + plan->windows[i].begin;
			u64 end = plan->from + s * plan->slot + plan->windows[i].end;

			if (now >= end || begin == end)
				continue;
			*until = now < begin ? begin : end;
			return now < begin ? NULL : &plan->windows[i];
		}
	}
	return NULL;
}

static u64 came[SLOTS_TASKS + 1], arrivals;

static struct resch_task *model_first(u32 group, u32 cpu)
{
	struct resch_task *task, *best = NULL;

	for (task = rig.tasks; task < rig.tasks + rig.count; task++) {
		if (task->params.group != group)
			continue;
		if (task->busy && task->rq != &rig.rqs[cpu])
			return NULL; /* others have the group */
		if (task->ready &&
		    (!best || task->job.deadline < best->job.deadline ||
		     (task->job.deadline == best->job.deadline && came[task->id] < came[best->id])))
			best = task;
	}
	return best;
}

static bool model_alone(u32 group, u32 cpu)
{
	const struct resch_parts *parts = &rig.rqs[cpu].plan->parts[group];
	u32 i;

	for (i = 0; i < parts->count; i++)
		if (parts->part[i].index != cpu)
			return false;
	return true;
}

static struct resch_task *model_reclaim(const struct resch_window *window, u32 cpu, bool reclaim)
{
	const struct resch_plan *plan = rig.rqs[cpu].plan;
	u32 i, at = window - plan->windows, low = plan->start[cpu], high = plan->start[cpu + 1];
	struct resch_task *task = NULL;

	if (rig.plugin == resch_sekg()) {
		for (i = low; i < high && !model_alone(window->group, cpu); i++)
			if (model_alone(plan->windows[i].group, cpu))
				return model_first(plan->windows[i].group, cpu);
		return NULL;
	}
	for (i = 1; reclaim && i < high - low && i <= 8 && !task; i++) {
		u32 group = plan->windows[low + (at - low + i) % (high - low)].group;

		if (model_alone(group, cpu))
			task = model_first(group, cpu);
	}
	return task;
}

static struct resch_task *model_pick(u32 cpu, u64 now, bool reclaim, u64 *until)
{
	const struct resch_window *window = model_window(cpu, now, until);
	struct resch_task *task = window ? model_first(window->group, cpu) : NULL;

	return window && !task ? model_reclaim(window, cpu, reclaim) : task;
}

/* Which CPUs have not heard yet of what has happened. */
static bool pending[SLOTS_CPUS];
static u64 asked[SLOTS_CPUS];

static void hear(void)
{
	u32 i;

	for (i = 0; i < SLOTS_CPUS; i++)
		pending[i] |= slots_kicked(&rig, i);
}

/* A decision as the core makes it: as of the time of the timer, then as of now, if that is over. */
static void decide(u32 cpu, u64 now)
{
	u64 as_of = max(min(now, rig.until[cpu]), asked[cpu]);

	pending[cpu] = false;
	asked[cpu] = as_of;
	slots_pick(&rig, cpu, as_of);
	if (rig.until[cpu] <= now || rig.until[cpu] == RESCH_NEVER) {
		asked[cpu] = now;
		slots_pick(&rig, cpu, now);
	}
	hear();
}

/* Those decide who have to, some of them late; and when none has to, all are as the model says. */
static void settle(u64 *random, u64 now, bool reclaim, u32 late)
{
	u64 until;
	u32 i;

	for (i = 0; i < SLOTS_CPUS; i++)
		pending[i] |= rig.until[i] <= now;
	for (i = 0; i < SLOTS_CPUS;) {
		if (pending[i] && !(late && !rig_between(random, 0, late))) {
			decide(i, now);
			i = 0;
		} else {
			i++;
		}
	}
	for (i = 0; i < SLOTS_CPUS; i++)
		if (pending[i])
			return;
	for (i = 0; i < SLOTS_CPUS; i++) {
		assert_ptr_equal(rig.selected[i], model_pick(i, now, reclaim, &until));
		assert_true(rig.until[i] == until);
	}
}

static void random_event(u64 *random, u64 now)
{
	struct resch_task *task = &rig.tasks[rig_between(random, 0, rig.count - 1)];

	pending[task->rq->index] = true;
	if (task->ready && rig_between(random, 0, 2)) {
		slots_done(&rig, task, now);
	} else if (!task->ready) {
		came[task->id] = ++arrivals;
		slots_ready(&rig, task, now + rig_between(random, 1, 300), now);
	}
	if (task->busy && rig.selected[task->rq->index] != task)
		slots_stop(&rig, task, now);
	hear();
}

/* The next plan, at a slot boundary of the last one. */
static u64 switch_plan(struct slots_room *room, u64 *random, u64 now)
{
	const struct resch_plan *old = rig.rqs[0].plan;
	u64 gone = now < old->from ? 0 : (now - old->from) / old->slot + 1;
	u32 i;

	now = old->from + gone * old->slot;
	random_plan(room, random, now);
	slots_show(&rig, room);
	for (i = 0; i < SLOTS_CPUS; i++)
		pending[i] = true;
	return now;
}

/*
 * Random jobs, threads that leave when they like, plans that change; a CPU decides when it was told
 * to and not otherwise, one time in @late + 1 (0: never) later than that.
 */
static void against_the_model(const struct resch_plugin *plugin, bool reclaim, u32 late, u64 seed)
{
	static struct slots_room rooms[2];
	u64 random = seed, now = 0, picked = 0;
	u32 event, i, side = 0;

	slots_init(&rig, plugin);
	memset(asked, 0, sizeof(asked));
	if (reclaim)
		option("reclaim", "1");
	random_plan(&rooms[0], &random, 500);
	slots_show(&rig, &rooms[0]);
	for (i = 0; i < 24; i++)
		slots_join(&rig, 1 + i % SLOTS_GROUPS);
	for (i = 0; i < SLOTS_CPUS; i++)
		pending[i] = true;
	for (event = 0; event < EVENTS; event++) {
		now += rig_between(&random, 0, event % 1000 ? 15 : 100000);
		if (event % 500 == 499) {
			side = !side;
			now = switch_plan(&rooms[side], &random, now);
		} else {
			random_event(&random, now);
		}
		settle(&random, now, reclaim, late);
		for (i = 0; i < SLOTS_CPUS; i++)
			picked += !!rig.selected[i];
	}
	assert_true(picked > EVENTS / 4);
}

static void sekg_against_the_model(void **state)
{
	against_the_model(resch_sekg(), false, 0, 1);
	against_the_model(resch_sekg(), false, 1, 4);
	against_the_model(resch_sekg(), false, 5, 5);
}

static void npsf_against_the_model(void **state)
{
	against_the_model(resch_npsf(), false, 0, 2);
	against_the_model(resch_npsf(), true, 0, 3);
	against_the_model(resch_npsf(), false, 1, 6);
	against_the_model(resch_npsf(), true, 1, 7);
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
		cmocka_unit_test(handover_notified),
		cmocka_unit_test(handover_retried),
		cmocka_unit_test(retry_is_until),
		cmocka_unit_test(handover_of_several),
		cmocka_unit_test(handover_after_completion),
		cmocka_unit_test(release_elsewhere),
		cmocka_unit_test(release_into_a_running_window),
		cmocka_unit_test(late_decision_takes_nothing),
		cmocka_unit_test(detach_leaves_nothing),
		cmocka_unit_test(busy_when_they_come),
		cmocka_unit_test(another_plan),
		cmocka_unit_test(options),
		cmocka_unit_test(sekg_against_the_model),
		cmocka_unit_test(npsf_against_the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
