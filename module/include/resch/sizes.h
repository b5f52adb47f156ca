/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sizes.h - how large and how small servers may be, whatever their kind
 *
 * For the core, which asks nothing else of a server's parameters, for admission, which suggests
 * what would pass, and for the simulator. Which policies and flags a kind goes with is what a
 * plugin with servers says: resch_plugin.server_valid().
 */
#ifndef _RESCH_SIZES_H
#define _RESCH_SIZES_H

#include "types.h"
#ifdef __KERNEL__
#include <linux/resch.h>
#else
#include "../../../uapi/linux/resch.h"
#endif

/* ns; a turn is as short as a budget at least */
#define RESCH_SERVER_BUDGET_MIN 10000ULL
#define RESCH_SERVER_PERIOD_MAX 3600000000000ULL
#define RESCH_SERVER_QUANTUM_MAX 1000000000ULL
/* A budget is at least the period divided by this. */
#define RESCH_SERVER_SIZES 10000ULL

/** resch_server_size_valid - may a server have @budget in every @period, ns? */
static inline bool resch_server_size_valid(u64 budget, u64 period)
{
	return budget >= RESCH_SERVER_BUDGET_MIN && budget <= period &&
	       period <= RESCH_SERVER_PERIOD_MAX && budget * RESCH_SERVER_SIZES >= period;
}

/** resch_server_sizes_valid - likewise, and is the quantum none or one that may be? */
static inline bool resch_server_sizes_valid(const struct resch_server_params *params)
{
	if (params->quantum && (params->quantum < RESCH_SERVER_BUDGET_MIN ||
				params->quantum > RESCH_SERVER_QUANTUM_MAX))
		return false;
	return resch_server_size_valid(params->budget, params->period);
}

#endif /* _RESCH_SIZES_H */
