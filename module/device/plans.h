/* SPDX-License-Identifier: GPL-2.0 */
/* plans.h - requests for plans, which have more to copy than their own structure */
#ifndef _RESCH_DEVICE_PLANS_H
#define _RESCH_DEVICE_PLANS_H

#include <linux/resch.h>

/* RESCH_IOC_PLAN_SET, RESCH_IOC_PLAN_GET. Process context, no locks. */
int resch_plans_set(struct resch_plan_set *want);
int resch_plans_get(struct resch_plan_get *get);

#endif /* _RESCH_DEVICE_PLANS_H */
