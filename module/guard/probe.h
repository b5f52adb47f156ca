/* SPDX-License-Identifier: GPL-2.0 */
/* probe.h - where visitors enter the kernel; attached only while a guard stands */
#ifndef _RESCH_GUARD_PROBE_H
#define _RESCH_GUARD_PROBE_H

#include <linux/init.h>

void __init resch_guard_probe_init(void); /* finds the tracepoints */
int __must_check resch_guard_attach(void); /* process context, resch_lock */
void resch_guard_detach(void);

/* The guards have changed: what they have in common. resch_guard_mutex. */
void resch_guard_probe_summarize(void);

#endif /* _RESCH_GUARD_PROBE_H */
