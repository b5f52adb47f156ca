/* SPDX-License-Identifier: GPL-2.0 */
/* start.h - time zero for the tasks of a domain that wait for it */
#ifndef _RESCH_DEVICE_START_H
#define _RESCH_DEVICE_START_H

#include <linux/resch.h>

/* RESCH_IOC_START; @holder: as in register.h. Process context, no locks. */
int resch_start(struct resch_start *start, bool holder);

#endif /* _RESCH_DEVICE_START_H */
