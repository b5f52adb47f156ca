/* SPDX-License-Identifier: GPL-2.0 */
/* slots_layout.h - CPUs with a plan in which groups are split, for the tests of sekg and npsf */
#ifndef _RESCH_SLOTS_LAYOUT_H
#define _RESCH_SLOTS_LAYOUT_H

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

static inline void begin(const struct resch_plugin *plugin)
{
	slots_init(&rig, plugin);
	slots_plan(&rig, SLOT, FROM, layout, COUNT(layout));
}

static inline void option(const char *key, const char *value)
{
	assert_int_equal(rig.plugin->option(rig.domain, key, value), 0);
}

/* Everybody decides. */
static inline void all(u64 now)
{
	u32 cpu;

	for (cpu = 0; cpu < SLOTS_CPUS; cpu++)
		slots_pick(&rig, cpu, now);
}

static inline void no_kicks(void)
{
	memset(rig.kicked, 0, sizeof(rig.kicked));
}

#endif /* _RESCH_SLOTS_LAYOUT_H */
