// SPDX-License-Identifier: GPL-2.0
/* plans.c - requests for plans, which have more to copy than their own structure */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "plans.h"
#include "core/params.h"
#include "domain/plan.h"
#include "domain/table.h"

int resch_plans_set(struct resch_plan_set *want)
{
	struct resch_reserve *reserves = NULL;
	int err;

	if (want->count > RESCH_RESERVES_MAX)
		return -EINVAL;
	if (want->count)
		reserves = vmemdup_user(u64_to_user_ptr(want->reserves),
					want->count * sizeof(*reserves));
	if (IS_ERR(reserves))
		return PTR_ERR(reserves);
	mutex_lock(&resch_lock);
	err = resch_plan_set(want, reserves);
	mutex_unlock(&resch_lock);
	kvfree(reserves);
	return err;
}

int resch_plans_get(struct resch_plan_get *get)
{
	struct resch_reserve *reserves;
	int count;

	/* No plan has more, so there need be no room for more. */
	get->count = min_t(u32, get->count, RESCH_RESERVES_MAX);
	reserves = kvcalloc(get->count + 1, sizeof(*reserves), GFP_KERNEL_ACCOUNT);
	if (!reserves)
		return -ENOMEM;
	resch_query_lock();
	count = resch_plan_get(get, reserves);
	resch_query_unlock();
	if (count > 0 &&
	    copy_to_user(u64_to_user_ptr(get->reserves), reserves, count * sizeof(*reserves)))
		count = -EFAULT;
	kvfree(reserves);
	return min(count, 0);
}
