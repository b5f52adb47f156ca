/* SPDX-License-Identifier: GPL-2.0 */
/* bisect.h - where an answer turns from yes to no */
#ifndef _RESCH_ANALYSIS_BISECT_H
#define _RESCH_ANALYSIS_BISECT_H

#include <resch/plugin.h>

/**
 * resch_bisect - the value nearest to @fails that fits
 * @passes: one that fits, or 0
 * @fails:  one that does not, above @passes or below it
 */
static inline u64 resch_bisect(u64 passes, u64 fails, bool (*fits)(void *question, u64 value),
			       void *question)
{
	u64 least, most, middle;

	for (;;) {
		least = min(passes, fails);
		most = max(passes, fails);
		if (most - least <= 1)
			return passes;
		middle = least + (most - least) / 2;
		if (fits(question, middle))
			passes = middle;
		else
			fails = middle;
	}
}

#endif /* _RESCH_ANALYSIS_BISECT_H */
