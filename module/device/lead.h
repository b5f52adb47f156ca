/* SPDX-License-Identifier: GPL-2.0 */
/* lead.h - how far ahead of its releases a task is woken */
#ifndef _RESCH_DEVICE_LEAD_H
#define _RESCH_DEVICE_LEAD_H

#include <linux/resch.h>

/* RESCH_IOC_LEAD. Process context, resch_lock. */
int resch_lead_set(struct resch_lead *want);

#endif /* _RESCH_DEVICE_LEAD_H */
