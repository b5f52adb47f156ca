/* SPDX-License-Identifier: GPL-2.0 */
/* affinity.h - what tasks go back to, and their children begin with */
#ifndef _RESCH_DEVICE_AFFINITY_H
#define _RESCH_DEVICE_AFFINITY_H

#include <linux/resch.h>

/* RESCH_IOC_AFFINITY. Process context, resch_lock. */
int resch_affinity(struct resch_affinity *affinity);

#endif /* _RESCH_DEVICE_AFFINITY_H */
