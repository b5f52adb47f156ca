// SPDX-License-Identifier: GPL-2.0
/*
 * test_sim - the simulator against a schedule made unit by unit, and what it promises about itself
 */
#include "sim_rig.h"

#define TASKS 4

/* ---- unit by unit ---------------------------------------------------------------------------- */

struct unit_task {
	struct taskset_task spec;
	u64 next; /* arrival not yet counted in waiting */
	u64 waiting; /* jobs behind the current one */
	u64 release; /* of the current job */
	u64 left; /* 0: there is none */
	u64 came; /* order in which jobs became ready */
	u64 completed, misses, response_total, response_max;
};

static u64 unit_counter;

static void unit_begin(struct unit_task *task, u64 release)
{
	task->release = release;
	task->left = task->spec.params.wcet;
	task->came = ++unit_counter;
}

static bool unit_before(const struct unit_task *a, const struct unit_task *b, const char *plugin)
{
	u64 key_a, key_b;

	if (!strcmp(plugin, "edf")) {
		key_a = a->release + a->spec.params.deadline;
		key_b = b->release + b->spec.params.deadline;
		return key_a < key_b || (key_a == key_b && a->came < b->came);
	}
	if (!strcmp(plugin, "fp")) {
		key_a = a->spec.params.deadline;
		key_b = b->spec.params.deadline;
	} else {
		key_a = a->release;
		key_b = b->release;
	}
	return key_a < key_b || (key_a == key_b && a < b); /* array order is the order of ids */
}

static void unit_end(struct unit_task *task, u64 now)
{
	u64 response = now - task->release;

	task->completed++;
	task->misses += response > task->spec.params.deadline;
	task->response_total += response;
	task->response_max = max(task->response_max, response);
	/*
	 * a job that is due at this very moment comes before those of other tasks: its task asks
	 * for it now
	 */
	if (!task->waiting && task->next == now)
		task->next += task->spec.params.period;
	else if (task->waiting)
		task->waiting--;
	else
		return;
	unit_begin(task, task->release + task->spec.params.period);
}

static void unit_run(struct unit_task *tasks, u32 count, const char *plugin, u64 end)
{
	struct unit_task *running = NULL;
	u64 now;
	u32 i;

	unit_counter = 0;
	for (now = 0; now <= end; now++) {
		if (running && !--running->left)
			unit_end(running, now);
		for (i = 0; i < count; i++) {
			if (tasks[i].next != now)
				continue;
			tasks[i].next += tasks[i].spec.params.period;
			if (tasks[i].left)
				tasks[i].waiting++;
			else
				unit_begin(&tasks[i], now);
		}
		for (running = NULL, i = 0; i < count; i++)
			if (tasks[i].left && (!running || unit_before(&tasks[i], running, plugin)))
				running = &tasks[i];
	}
}

static void against_units(void **state)
{
	static const char *const plugins[] = { "edf", "fp", "fifo" };
	u64 random = 4;
	u32 round, i;

	for (round = 0; round < 3000; round++) {
		const char *plugin = plugins[round % 3];
		struct unit_task tasks[TASKS] = { 0 };
		struct sim *sim = make(plugin, "", 1, 500);
		u32 count = rig_between(&random, 1, TASKS);

		sim->config.force = true; /* overload, too */
		for (i = 0; i < count; i++) {
			u64 period = rig_between(&random, 2, 20),
			    deadline = rig_between(&random, 1, 30);
			u64 wcet =
				rig_between(&random, 1, max(1ULL, min(period, deadline) * 2 / 3));

			tasks[i].spec =
				spec_of(wcet, deadline, period, rig_between(&random, 0, 10));
			tasks[i].next = tasks[i].spec.params.offset;
			add(sim, &tasks[i].spec);
		}
		unit_run(tasks, count, plugin, 500);
		assert_int_equal(sim_run(sim), 0);
		for (i = 0; i < count; i++) {
			const struct resch_stats *stats = &sim->tasks[i]->stats;
			u64 open = tasks[i].left &&
				   tasks[i].release + tasks[i].spec.params.deadline < 500;

			assert_int_equal(stats->completed, tasks[i].completed);
			assert_int_equal(stats->response_total, tasks[i].response_total);
			assert_int_equal(stats->response_max, tasks[i].response_max);
			assert_int_equal(stats->misses, tasks[i].misses + open);
		}
		sim_free(sim);
	}
}

/* ---- what admission promises ----------------------------------------------------------------- */

static struct taskset_task draw(u64 *random, bool constrained)
{
	u64 period = rig_between(random, 1000000, 20000000), deadline = period;
	struct taskset_task spec;

	if (constrained)
		deadline = rig_between(random, period / 3, 2 * period);
	spec = spec_of(rig_between(random, 1000, min(period, deadline) / 3), deadline, period, 0);
	spec.offset_max = rig_between(random, 0, 20000000);
	if (rig_random(random) % 2)
		spec.exec_min = spec.exec_max / 2;
	if (rig_random(random) % 2) {
		spec.gap_max = 2 * period;
		spec.params.kind = RESCH_SPORADIC;
	}
	return spec;
}

/*
 * Random sets until a CPU is refused on, random jobs, switches that cost: whoever was taken misses
 * nothing.
 */
static void accepted_sets_keep_deadlines(void **state)
{
	static const struct {
		const char *plugin, *options;
	} table[] = { { "edf", "" },
		      { "fp", "" },
		      { "fp", "order=rm" },
		      { "fp", "test=hyperbolic" },
		      { "demo", "quantum=200us" } };
	u64 random = 6, jobs = 0, accepted = 0, refused = 0;
	u32 round, i;

	for (round = 0; round < 250; round++) {
		struct sim *sim = make(table[round % 5].plugin, table[round % 5].options,
				       1 + round % 3, 1000000000);
		bool costly = round % 2 && strcmp(table[round % 5].plugin, "demo");

		sim->config.switch_cost = costly ? 3000 : 0;
		for (i = 0; i < sim->config.cpus; i++)
			sim->cpus[i].rq.overhead = costly ? 6000 : 0;
		for (i = 0; i < 8 * sim->config.cpus; i++) {
			struct taskset_task spec = draw(&random, round % 4 > 1);
			struct resch_verdict verdict = { 0 };
			int err = sim_add(sim, &spec, &verdict);

			accepted += !err;
			refused += !!err;
		}
		assert_int_equal(sim_run(sim), 0);
		for (i = 0; i < sim->nr_tasks; i++) {
			if (sim->tasks[i]->stats.misses)
				fail_msg("round %u: %s misses", round, sim->plugin->name);
			jobs += sim->tasks[i]->stats.completed;
		}
		sim_free(sim);
	}
	print_message("%llu tasks accepted, %llu refused, %llu jobs, no deadline missed\n",
		      (unsigned long long)accepted, (unsigned long long)refused,
		      (unsigned long long)jobs);
	assert_true(refused > 100 && accepted > 1000);
}

/* ---- determinism ----------------------------------------------------------------------------- */

static char *run_to_text(u64 seed)
{
	struct sim *sim = make("edf", "", 2, 300000000);
	size_t size;
	char *text;
	u64 random = 77;
	u32 i;

	sim->config.trace = open_memstream(&text, &size);
	sim->config.seed = seed;
	sim->config.force = true;
	for (i = 0; i < 9; i++) {
		struct taskset_task spec = draw(&random, true);

		add(sim, &spec);
	}
	assert_int_equal(sim_run(sim), 0);
	sim_report_json(sim, sim->config.trace);
	fclose(sim->config.trace);
	sim_free(sim);
	return text;
}

static void deterministic(void **state)
{
	char *one = run_to_text(5), *again = run_to_text(5), *other = run_to_text(6);

	assert_string_equal(one, again);
	assert_string_not_equal(one, other);
	free(one);
	free(again);
	free(other);
}

/* ---- reactions ------------------------------------------------------------------------------- */

/*
 * A task that executes for 25 where it said 10, every 20, beside one of 5 in 20 with the longer
 * deadline.
 */
static struct sim *with_overrun(u32 overrun, u32 miss)
{
	struct sim *sim = make("edf", "", 1, 200);
	struct taskset_task wild = spec_of(10, 20, 20, 0), tame = spec_of(5, 40, 20, 0);

	wild.exec_min = wild.exec_max = 25;
	wild.params.overrun = overrun;
	wild.params.miss = miss;
	add(sim, &wild);
	add(sim, &tame);
	assert_int_equal(sim_run(sim), 0);
	return sim;
}

static void overrun_counted(void **state)
{
	struct sim *sim = with_overrun(RESCH_COUNT, RESCH_COUNT);

	assert_true(sim->tasks[0]->stats.overruns == sim->tasks[0]->stats.completed);
	assert_int_equal(sim->tasks[0]->stats.exec_max, 25);
	assert_true(sim->tasks[1]->stats.misses > 0); /* nobody held it back */
	sim_free(sim);
}

/* 10 in each 20: a job of 25 takes three periods, and the other one keeps its deadlines. */
static void overrun_throttled(void **state)
{
	struct sim *sim = with_overrun(RESCH_THROTTLE, RESCH_COUNT);

	assert_int_equal(sim->tasks[0]->stats.completed, 3); /* at 45, 105, 165 */
	/* two a job, and the fourth job's first */
	assert_int_equal(sim->tasks[0]->stats.overruns, 7);
	/* its release at 200 is the last event */
	assert_int_equal(sim->tasks[0]->stats.skipped, 7);
	assert_int_equal(sim->tasks[1]->stats.misses, 0);
	assert_int_equal(sim->tasks[1]->stats.completed, 10);
	assert_int_equal(sim->tasks[1]->stats.response_max, 15);
	sim_free(sim);
}

/* 10 at its own priority, then in the background: the five units that are left in each 20. */
static void overrun_demoted(void **state)
{
	struct sim *sim = with_overrun(RESCH_DEMOTE, RESCH_COUNT);

	assert_int_equal(sim->tasks[1]->stats.misses, 0);
	assert_int_equal(sim->tasks[1]->stats.completed, 10);
	/*
	 * first job: 0..10, then 15..20, 25..35: done at 35; the next, released at 20, starts at
	 * once
	 */
	assert_true(sim->tasks[0]->stats.completed >= 5);
	assert_int_equal(sim->cpus[0].busy, 200);
	sim_free(sim);
}

/*
 * One that said 5 executes for 10, so that the other one, of 10, has had 5 at its deadline, 15.
 * From there on it is in the background, where nobody watches its budget: that it took 25 is
 * counted at its end, 35.
 */
static void miss_demoted(void **state)
{
	struct taskset_task first = spec_of(5, 5, 100, 0), second = spec_of(10, 15, 100, 0);
	struct sim *sim = make("edf", "", 1, 99);

	first.exec_min = first.exec_max = 10;
	second.exec_min = second.exec_max = 25;
	second.params.overrun = RESCH_THROTTLE;
	second.params.miss = RESCH_DEMOTE;
	add(sim, &first);
	add(sim, &second);
	assert_int_equal(sim_run(sim), 0);
	assert_int_equal(sim->tasks[1]->stats.completed, 1);
	assert_int_equal(sim->tasks[1]->stats.response_max, 35);
	assert_int_equal(sim->tasks[1]->stats.misses, 1);
	assert_int_equal(sim->tasks[1]->stats.overruns, 1);
	sim_free(sim);
}

static void miss_skips(void **state)
{
	struct sim *sim = with_overrun(RESCH_COUNT, RESCH_SKIP);
	const struct resch_stats *stats = &sim->tasks[0]->stats;

	/* released on the grid of 20 only, and each late job leaves releases out */
	assert_int_equal(sim->tasks[0]->task.job.release % 20, 0);
	assert_true(stats->skipped > 0);
	assert_true(stats->completed + stats->skipped <= 11);
	sim_free(sim);
}

/*
 * With random inter-arrival times the releases left out are drawn, too, and the deadline goes with
 * the release.
 */
static void miss_skips_sporadic(void **state)
{
	struct sim *sim = make("edf", "", 1, 100000);
	struct taskset_task wild = spec_of(10, 20, 20, 0);
	struct sim_task *task;

	wild.exec_min = wild.exec_max = 75;
	wild.gap_max = 30;
	wild.params.kind = RESCH_SPORADIC;
	wild.params.miss = RESCH_SKIP;
	task = add(sim, &wild);
	assert_int_equal(sim_run(sim), 0);
	assert_int_equal(task->task.job.deadline, task->task.job.release + 20);
	assert_true(task->stats.skipped > task->stats.completed);
	assert_true(task->stats.response_max == 75); /* never late at its start */
	sim_free(sim);
}

static void miss_throttles(void **state)
{
	struct sim *sim = with_overrun(RESCH_COUNT, RESCH_THROTTLE);

	assert_true(sim->tasks[0]->stats.misses > 0);
	sim_free(sim);
}

/* ---- change of plugins ----------------------------------------------------------------------- */

static void add_swap(struct sim *sim, const char *plugin, u64 at)
{
	struct sim_swap *swap = &sim->config.swaps[sim->config.nr_swaps++];

	swap->at = at;
	snprintf(swap->plugin, sizeof(swap->plugin), "%s", plugin);
}

static void swap_loses_nothing(void **state)
{
	static const char *const plugins[] = { "fp", "fifo", "demo", "edf" };
	u64 random = 2;
	u32 round, i;

	for (round = 0; round < 200; round++) {
		struct sim *sim = make("edf", "", 2, 100000000);

		sim->config.force = true;
		for (i = 0; i < 8; i++) {
			struct taskset_task spec = draw(&random, true);

			spec.params.wcet = spec.exec_min = spec.exec_max = 1 + spec.params.wcet / 3;
			spec.gap_max = spec.params.period;
			spec.params.kind = RESCH_PERIODIC;
			spec.offset_max = 0;
			add(sim, &spec);
		}
		for (i = 0; i < 12; i++)
			add_swap(sim, plugins[rig_random(&random) % 4],
				 5000000 + i * 7000000 + rig_random(&random) % 6000000);
		assert_int_equal(sim_run(sim), 0);
		for (i = 0; i < 8; i++) {
			const struct sim_task *task = sim->tasks[i];

			/* numbers without a gap, on the grid, and no job left behind */
			assert_int_equal(task->task.job.release % task->spec.params.period, 0);
			assert_int_equal(task->task.job.release / task->spec.params.period + 1,
					 task->task.job.index);
			assert_true(task->released - task->stats.completed <= 1);
			assert_true(task->task.job.release + 2 * task->spec.params.period >
				    100000000);
		}
		sim_free(sim);
	}
}

static void swap_refused(void **state)
{
	struct sim *sim = make("edf", "", 1, 1000);
	struct taskset_task a = spec_of(5, 10, 10, 0), b = spec_of(7, 14, 14, 0);
	struct sim_swap swap = { .plugin = "fp" };
	struct resch_verdict verdict = { 0 };

	add(sim, &a);
	add(sim, &b); /* at full load: edf takes it, fp can't */
	assert_int_equal(sim_swap(sim, &swap, &verdict), -EBUSY);
	assert_int_equal(verdict.bound, RESCH_BOUND_RESPONSE);
	assert_int_equal(verdict.task, 2);
	assert_string_equal(sim->plugin->name, "edf");
	strcpy(swap.plugin, "none");
	assert_int_equal(sim_swap(sim, &swap, &verdict), -ENOENT);
	strcpy(swap.plugin, "fp");
	strcpy(swap.options, "order=none");
	assert_int_equal(sim_swap(sim, &swap, &verdict), -EINVAL);
	assert_int_equal(sim_run(sim), 0);
	assert_int_equal(sim->tasks[0]->stats.misses + sim->tasks[1]->stats.misses, 0);
	sim_free(sim);
}

/* ---- plugins that err ------------------------------------------------------------------------ */

static enum { FAULT_PAST, FAULT_NOT_READY, FAULT_NOBODY, FAULT_OTHER_CPU } fault;
static struct resch_task *faulty_task;

static int faulty_admit(const struct resch_rq *rq, const struct resch_task *task,
			struct resch_verdict *verdict)
{
	return 0;
}

static void faulty_event(struct resch_rq *rq, struct resch_task *task, enum resch_why why, u64 now)
{
}

static void faulty_pick(struct resch_rq *rq, u64 now, struct resch_pick *pick)
{
	if (fault == FAULT_PAST)
		pick->until = now;
	else if (fault == FAULT_NOBODY)
		pick->until = now + 1000000;
	else if (fault == FAULT_OTHER_CPU)
		pick->task = faulty_task;
	else
		pick->task = rq->tasks;
}

static const struct resch_plugin faulty = {
	.name = "faulty",
	.about = "does what it should not",
	.abi = RESCH_PLUGIN_ABI,
	.admit = faulty_admit,
	.enqueue = faulty_event,
	.dequeue = faulty_event,
	.pick = faulty_pick,
};

static void plugins_that_err(void **state)
{
	static const char *const reasons[] = {
		"asked to be asked again in the past",
		"picked a task that is not ready",
		"picked nobody for too long while tasks were ready",
		"picked a task of another CPU",
	};
	struct taskset_task spec = spec_of(5, 10, 10, 0);
	int i;

	for (i = FAULT_PAST; i <= FAULT_OTHER_CPU; i++) {
		struct sim *sim = make("edf", "", 2, 3000000000);

		sim->plugin = &faulty;
		fault = i;
		faulty_task = NULL;
		spec.params.cpu = 0;
		spec.params.offset = spec.offset_max = 0;
		add(sim, &spec);
		spec.params.cpu = 1;
		spec.params.offset = spec.offset_max = 50;
		faulty_task = &add(sim, &spec)->task;
		assert_int_equal(sim_run(sim), -EPROTO);
		assert_string_equal(sim->fault, reasons[i]);
		if (i == FAULT_NOBODY)
			assert_in_range(sim->now, SIM_WATCHDOG - 2, SIM_WATCHDOG + 1000000);
		sim_free(sim);
	}
}

/* ---- placement ------------------------------------------------------------------------------- */

static void first_fit(void **state)
{
	struct sim *sim = make("edf", "", 2, 1000);
	struct taskset_task half = spec_of(5, 10, 10, 0), most = spec_of(6, 10, 10, 0),
			    pinned = spec_of(1, 10, 10, 0);
	struct resch_verdict verdict = { 0 };

	assert_int_equal(add(sim, &half)->cpu->rq.cpu, 0);
	assert_int_equal(add(sim, &most)->cpu->rq.cpu, 1);
	assert_int_equal(add(sim, &half)->cpu->rq.cpu, 0);
	assert_int_equal(sim_add(sim, &half, &verdict), -EBUSY);
	assert_int_equal(verdict.cpu, 1); /* it came nearest */
	assert_int_equal(verdict.suggest_wcet, 4);
	pinned.params.cpu = 0;
	assert_int_equal(sim_add(sim, &pinned, &verdict), -EBUSY);
	pinned.params.cpu = 1;
	assert_int_equal(add(sim, &pinned)->cpu->rq.cpu, 1);
	pinned.params.cpu = 2;
	assert_int_equal(sim_add(sim, &pinned, &verdict), -ENODEV);
	sim_free(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_units),
		cmocka_unit_test(accepted_sets_keep_deadlines),
		cmocka_unit_test(deterministic),
		cmocka_unit_test(overrun_counted),
		cmocka_unit_test(overrun_throttled),
		cmocka_unit_test(overrun_demoted),
		cmocka_unit_test(miss_demoted),
		cmocka_unit_test(miss_skips),
		cmocka_unit_test(miss_skips_sporadic),
		cmocka_unit_test(miss_throttles),
		cmocka_unit_test(swap_loses_nothing),
		cmocka_unit_test(swap_refused),
		cmocka_unit_test(plugins_that_err),
		cmocka_unit_test(first_fit),
	};

	return cmocka_run_group_tests_name("sim", tests, NULL, NULL);
}
