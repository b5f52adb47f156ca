/* SPDX-License-Identifier: GPL-2.0 */
/* progress.h - how far a long simulation is, on a terminal, for who waits for it */
#ifndef _RESCH_SIM_PROGRESS_H
#define _RESCH_SIM_PROGRESS_H

#include "sim.h"

/** struct sim_progress - start from a zeroed one */
struct sim_progress {
	u64 begun, told; /* CLOCK_MONOTONIC, ns */
	u32 calls;
	bool silent; /* nobody looks */
};

/** sim_progress_tell - it is @now, of @end, simulated; from 2 s on, ten times a second at most */
void sim_progress_tell(struct sim_progress *progress, u64 now, u64 end);
/** sim_progress_admit - @done of @count tasks are admitted; likewise */
void sim_progress_admit(struct sim_progress *progress, u32 done, u32 count);
/** sim_progress_done - the line goes, if there is one */
void sim_progress_done(struct sim_progress *progress);

#endif /* _RESCH_SIM_PROGRESS_H */
