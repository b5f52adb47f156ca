/* SPDX-License-Identifier: GPL-2.0 */
/* sim_rig.h - a simulated machine in a line, for tests */
#ifndef _RESCH_SIM_RIG_H
#define _RESCH_SIM_RIG_H

#include "rig.h"
#include "sim.h"

static inline struct sim *make_of(const struct sim_config *config)
{
	char error[200] = "";
	struct sim *sim = sim_new(config, error, sizeof(error));

	assert_string_equal(error, "");
	return sim;
}

static inline struct sim *make(const char *plugin, const char *options, u32 cpus, u64 end)
{
	struct sim_config config = { .cpus = cpus, .end = end, .seed = 1, .capacity = 1000000 };

	snprintf(config.plugin, sizeof(config.plugin), "%s", plugin);
	snprintf(config.options, sizeof(config.options), "%s", options);
	return make_of(&config);
}

/* One CPU with servers. */
static inline struct sim *make_serving(u64 end, u64 seed, u32 capacity)
{
	const struct sim_config config = {
		.plugin = "server", .cpus = 1, .end = end, .seed = seed, .capacity = capacity
	};

	return make_of(&config);
}

static inline struct taskset_task spec_of(u64 wcet, u64 deadline, u64 period, u64 offset)
{
	struct taskset_task spec = { .params = { .wcet = wcet,
						 .deadline = deadline,
						 .period = period,
						 .offset = offset,
						 .cpu = -1 },
				     .exec_min = wcet,
				     .exec_max = wcet,
				     .gap_max = period,
				     .offset_max = offset };

	return spec;
}

static inline struct sim_task *add(struct sim *sim, const struct taskset_task *spec)
{
	struct resch_verdict verdict = { 0 };

	assert_int_equal(sim_add(sim, spec, &verdict), 0);
	return sim->tasks[sim->nr_tasks - 1];
}

/* One that is never satisfied: it says a little, and takes all that it gets. */
static inline void add_greedy(struct sim *sim, u32 group)
{
	struct taskset_task spec = spec_of(1, 10000000, 10000000, 0);

	spec.params.group = group;
	spec.params.flags = RESCH_F_SKIP_ADMISSION;
	spec.exec_min = spec.exec_max = 1000000000000;
	add(sim, &spec);
}

#endif /* _RESCH_SIM_RIG_H */
