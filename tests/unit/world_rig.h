/* SPDX-License-Identifier: GPL-2.0 */
/*
 * world_rig.h - simulated machines with time slots, on which all comes late or nothing, and an
 * example
 */
#ifndef _RESCH_WORLD_RIG_H
#define _RESCH_WORLD_RIG_H

#include "sim_rig.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define US 1000ULL
#define MS 1000000ULL
#define RETRY (5 * US)
#define FROM 12345 /* when the first slot begins */

/*
 * Seven tasks on four CPUs: utilization 3.46, delta = 4, so slots of 2 ms. Under S-EKG tasks 2 and
 * 4 are split, each a group of its own; under NPS-F the groups are the bins that First-Fit fills.
 */
static const struct {
	u64 wcet, period;
	u32 sekg, npsf; /* groups */
} example[] = {
	{ 9200 * US, 10 * MS, 1, 1 }, { 4400 * US, 8 * MS, 2, 2 },  { 5280 * US, 12 * MS, 3, 2 },
	{ 8000 * US, 16 * MS, 4, 3 }, { 8000 * US, 20 * MS, 5, 3 }, { 3150 * US, 9 * MS, 6, 4 },
	{ 9000 * US, 30 * MS, 6, 4 },
};

/* x | N | y: split tasks at the end of the slot on one CPU, at its begin on the next. */
static const struct resch_reserve sekg_layout[] = {
	{ 0, 2000000, 1, 0 }, { 0, 1267184, 2, 1 },	 { 1267184, 2000000, 3, 1 },
	{ 0, 258641, 3, 2 },  { 258641, 1370096, 4, 2 }, { 1370096, 2000000, 5, 2 },
	{ 0, 281553, 5, 3 },  { 281553, 2000000, 6, 3 },
};

/* Bins one after the other, cut where a CPU is full. */
static const struct resch_reserve npsf_layout[] = {
	{ 0, 1869919, 1, 0 },	    { 1869919, 2000000, 2, 0 }, { 0, 1853887, 2, 1 },
	{ 1853887, 2000000, 3, 1 }, { 0, 1690622, 3, 2 },	{ 1690622, 2000000, 4, 2 },
	{ 0, 1088472, 4, 3 },
};

struct world {
	const char *plugin;
	const char *options;
	u64 end;
	u64 seed;
	u64 jitter;
	u64 stop;
};

/* One on which nothing is late. */
static inline struct world exact(const char *plugin, const char *options, u64 end, u64 seed)
{
	return (struct world){ plugin, options, end, seed, 0, 0 };
}

static inline struct sim *make_world(const struct world *world, u32 cpus,
				     const struct resch_reserve *reserves, u32 count, u64 slot)
{
	struct sim_config config = { .cpus = cpus,
				     .end = world->end,
				     .seed = world->seed,
				     .capacity = 1000000,
				     .jitter = world->jitter,
				     .release_jitter = world->jitter,
				     .stop_max = world->stop };
	struct sim_plan_file file = { (struct resch_reserve *)reserves, count, slot, FROM };
	struct resch_verdict verdict;
	char error[200] = "";
	struct sim *sim;

	snprintf(config.plugin, sizeof(config.plugin), "%s", world->plugin);
	snprintf(config.options, sizeof(config.options), "%s", world->options);
	sim = sim_new(&config, error, sizeof(error));
	assert_string_equal(error, "");
	assert_int_equal(sim_plan_add(sim, &file, &verdict), 0);
	return sim;
}

static inline struct sim *make_example(const struct world *world, bool sekg)
{
	if (sekg)
		return make_world(world, 4, sekg_layout, COUNT(sekg_layout), 2 * MS);
	return make_world(world, 4, npsf_layout, COUNT(npsf_layout), 2 * MS);
}

enum arrivals { TOGETHER, OFFSETS, SPORADIC, EARLY_ENDS };

/* The tasks of the example, with this share of their execution times. */
static inline void add_example(struct sim *sim, bool sekg, enum arrivals arrivals, u32 percent)
{
	u32 i;

	for (i = 0; i < COUNT(example); i++) {
		struct taskset_task spec = spec_of(example[i].wcet * percent / 100,
						   example[i].period, example[i].period, FROM);

		spec.params.group = sekg ? example[i].sekg : example[i].npsf;
		if (arrivals != TOGETHER)
			spec.offset_max = 40 * MS;
		if (arrivals >= SPORADIC)
			spec.gap_max = spec.params.period * 3 / 2;
		if (arrivals == EARLY_ENDS)
			spec.exec_min = 1;
		add(sim, &spec);
	}
}

static inline u64 misses(const struct sim *sim)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < sim->nr_tasks; i++)
		sum += sim->tasks[i]->stats.misses;
	return sum;
}

/*
 * No task was outside its windows for more than @late at a time, but that under sekg the tasks of a
 * CPU's own group may be anywhere on that CPU.
 */
static inline void check_windows(const struct sim *sim, bool sekg, u64 late)
{
	u32 i;

	for (i = 0; i < sim->nr_tasks; i++) {
		const struct sim_task *task = sim->tasks[i];
		const struct resch_parts *parts =
			&sim->plans[0]->plan.parts[task->task.params.group];

		if (sekg && parts->part[0].index == parts->part[parts->count - 1].index)
			assert_int_equal(task->stats.migrations, 0);
		else
			assert_true(task->outside_max <= late);
		assert_true(task->stats.completed > 0);
	}
	assert_int_equal(sim->parallel, 0);
}

#endif /* _RESCH_WORLD_RIG_H */
