/* SPDX-License-Identifier: GPL-2.0 */
/* helper.h - the thread of a CPU that sets policies and affinities, above all registered threads */
#ifndef _RESCH_CORE_HELPER_H
#define _RESCH_CORE_HELPER_H

#include <linux/init.h>

int __init resch_helper_start(void);
void resch_helper_stop(void); /* ... which may be called as __init fails */

#endif /* _RESCH_CORE_HELPER_H */
