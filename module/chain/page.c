// SPDX-License-Identifier: GPL-2.0
/*
 * page.c - the instances that a chain's stages work on, seen without a system call
 *
 * RESCH_IOC_CHAIN_OPEN gives a descriptor to map: one page, read only. The chain has its page from
 * the first of them on, until it ends; a page that is mapped or open outlives it, and says so. The
 * file holds the module.
 *
 * What the page has of a stage is written under the lock of its thread's CPU, where a job of it is
 * released and where it completes (stage.c), and read by user space by its sequence counter. A
 * chain that nobody ever looked at costs a test for each.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "page.h"
#include "stage.h"
#include "core/cpu.h"
#include "core/mapped.h"
#include "core/params.h"

/* Whose page it is: the chain's, and of as many open files. */
struct resch_chain_view {
	struct resch_chain_page *page;
	u32 users; /* resch_lock */
};

static_assert(sizeof(struct resch_chain_page) <= PAGE_SIZE);
static_assert(sizeof(struct resch_stage_page) == 64);

static void view_free(struct resch_chain_view *view)
{
	free_page((unsigned long)view->page);
	kfree(view);
}

/* One user less. resch_lock. Returns the view if that was the last one: free it. */
static struct resch_chain_view *view_put(struct resch_chain_view *view)
{
	lockdep_assert_held(&resch_lock);
	return --view->users ? NULL : view;
}

static int page_mmap(struct file *filp, struct vm_area_struct *vma)
{
	const struct resch_chain_view *view = filp->private_data;

	return resch_mapped(vma, view->page);
}

static int page_release(struct inode *inode, struct file *filp)
{
	struct resch_chain_view *last;

	resch_query_lock();
	last = view_put(filp->private_data);
	resch_query_unlock();
	if (last)
		view_free(last);
	return 0;
}

static const struct file_operations page_fops = {
	.owner = THIS_MODULE,
	.release = page_release,
	.mmap = page_mmap,
};

/* ---- opening --------------------------------------------------------------------------------- */

/* The longest way from the stage's end on, by the wcet of who is on it, whose `rest` is there. */
static u64 page_rest(const struct resch_chain *chain, const struct resch_chain_page *page,
		     u32 index)
{
	u64 rest = 0;
	u32 to;

	for (to = chain->attached ? chain->stages[index].to : 0; to; to &= to - 1) {
		u32 i = __ffs(to);

		rest = max(rest, page->stages[i].rest + chain->stages[i].thread->task.params.wcet);
	}
	return rest;
}

/* What does not change, and what the stages have to do just now. resch_lock. */
static void page_publish(struct resch_chain *chain, struct resch_chain_page *page)
{
	u32 i;

	page->id = chain->id;
	page->count = chain->count;
	page->stopped = READ_ONCE(chain->stopped);
	page->period = chain->period;
	page->deadline = chain->deadline;
	for (i = chain->count; i--;) {
		page->stages[i].task = chain->stages[i].task;
		page->stages[i].rest = page_rest(chain, page, i);
	}
	/* pairs with the load in resch_stage_show_viewed() */
	smp_store_release(&chain->page, page);
	/* Stopped meanwhile, by who did not see it. */
	smp_mb(); /* pairs with that of cmpxchg() in resch_stage_gone() */
	WRITE_ONCE(page->stopped, READ_ONCE(chain->stopped));
	for (i = 0; chain->attached && i < chain->count; i++) {
		struct resch_thread *thread = chain->stages[i].thread;

		resch_thread_lock_irq(thread);
		resch_stage_show(thread);
		resch_thread_unlock_irq(thread);
	}
}

/* The chain's view, one user more. resch_lock. */
static struct resch_chain_view *view_get(struct resch_chain *chain)
{
	struct resch_chain_view *view = chain->view;

	lockdep_assert_held(&resch_lock);
	if (view) {
		view->users++;
		return view;
	}
	view = kzalloc(sizeof(*view), GFP_KERNEL_ACCOUNT);
	if (!view)
		return NULL;
	view->page = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!view->page) {
		kfree(view);
		return NULL;
	}
	view->users = 2; /* the chain's, too */
	chain->view = view;
	page_publish(chain, view->page);
	return view;
}

int resch_chain_page_open(struct resch_chain *chain)
{
	struct resch_chain_view *view = view_get(chain);
	int fd;

	if (!view)
		return -ENOMEM;
	fd = anon_inode_getfd("[resch-chain]", &page_fops, view, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		view_put(view); /* the chain still has it */
	return fd;
}

/* ---- the end --------------------------------------------------------------------------------- */

void resch_stage_clear(struct resch_stage *stage)
{
	struct resch_chain_page *page = stage->chain->page;

	if (page)
		resch_stage_page_write(&page->stages[stage->index], NULL, 0);
}

void resch_chain_page_end(struct resch_chain *chain)
{
	struct resch_chain_view *last;

	lockdep_assert_held(&resch_lock);
	if (!chain->view)
		return;
	WRITE_ONCE(chain->page->flags, RESCH_PAGE_GONE);
	last = view_put(chain->view);
	if (last)
		view_free(last);
}
