// SPDX-License-Identifier: GPL-2.0
/* chains.c - requests for chains that are more than a call with resch_lock */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "chains.h"
#include "query.h"
#include "chain/chain.h"
#include "core/params.h"
#include "domain/table.h"

int resch_chains_set(struct resch_file *file, struct resch_chain_set *want)
{
	struct resch_chain_stage *stages;
	int err;

	if (!want->count || want->count > RESCH_CHAIN_STAGES_MAX)
		return -EINVAL;
	stages = memdup_user(u64_to_user_ptr(want->stages), want->count * sizeof(*stages));
	if (IS_ERR(stages))
		return PTR_ERR(stages);
	mutex_lock(&resch_lock);
	err = resch_chain_set(file, want, stages);
	mutex_unlock(&resch_lock);
	kfree(stages);
	return err;
}

int resch_chains_open(struct resch_file *file, struct resch_chain_open *open)
{
	int err;

	/* Opening takes a while: whoever may not is told so first. */
	resch_query_lock();
	err = resch_chain_may_open(file, open);
	resch_query_unlock();
	if (err)
		return err;
	mutex_lock(&resch_lock);
	err = resch_chain_open(file, open);
	mutex_unlock(&resch_lock);
	return err;
}

/* What a chain tells beside its own numbers: it goes to where the caller has room. */
struct chains_more {
	u64 histogram[RESCH_CHAIN_BUCKETS];
	struct resch_stage_stat stages[RESCH_CHAIN_STAGES_MAX];
};

int resch_chains_stat(struct resch_chain_stat *stat)
{
	void __user *histogram = u64_to_user_ptr(stat->histogram);
	void __user *stages = u64_to_user_ptr(stat->stages);
	struct chains_more *more;
	size_t size;
	int err;

	more = kzalloc(sizeof(*more), GFP_KERNEL_ACCOUNT);
	if (!more)
		return -ENOMEM;
	resch_query_lock();
	err = resch_chain_stat(stat, more->histogram, more->stages);
	resch_query_unlock();
	size = min(stat->room, stat->count) * sizeof(more->stages[0]);
	if (!err && size && copy_to_user(stages, more->stages, size))
		err = -EFAULT;
	if (!err && histogram && copy_to_user(histogram, more->histogram, sizeof(more->histogram)))
		err = -EFAULT;
	kfree(more);
	return err;
}
