/* SPDX-License-Identifier: GPL-2.0 */
/* chain_sim_rig.h - chains of chain_rig.h, for tests that simulate them */
#ifndef _RESCH_CHAIN_SIM_RIG_H
#define _RESCH_CHAIN_SIM_RIG_H

#include "chain_rig.h"

#include "chain.h"

static inline void begin(struct sim_chain_play *play, const struct chain_rig *rig,
			 const char *plugin, const char *options)
{
	memset(play, 0, sizeof(*play));
	play->model = rig->model;
	play->sim.seed = 1;
	play->sim.capacity = 1000000;
	snprintf(play->sim.plugin, sizeof(play->sim.plugin), "%s", plugin);
	snprintf(play->sim.options, sizeof(play->sim.options), "%s", options);
}

static inline void run(struct sim_chain_play *play)
{
	char error[RESCH_CHAIN_TEXT] = "";

	assert_int_equal(sim_chain_play(play, error, sizeof(error)), 0);
	assert_string_equal(error, "");
}

#endif /* _RESCH_CHAIN_SIM_RIG_H */
