// SPDX-License-Identifier: GPL-2.0
/*
 * page.c - a server seen from user space without a system call, and its overruns waited for
 *
 * RESCH_IOC_SERVER_OPEN gives a descriptor, which is mapped (one page, read only) and polled (the
 * server has used up a budget with work left). Its view is there as long as such a descriptor is,
 * and with it whatever maps it: every mapping holds its file. The last one takes the view off its
 * server; a server that goes leaves its view behind, which then says so. The file holds the module.
 *
 * resch_lock guards which view is whose. The page is written under the lock of the server's CPU
 * alone, where its state changes, and read by user space by its sequence counter. A server that
 * nobody looks at has no view, and a CPU none of whose servers has one (resch_cpu.viewed) asks no
 * further.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "entry.h"
#include "page.h"
#include "show.h"
#include "view.h"
#include "core/cpu.h"
#include "core/mapped.h"
#include "core/wake.h"

/* An open file. Who reads from one in two threads has to share what is to be seen. */
struct page_file {
	struct resch_view *view;
	atomic64_t seen;
};

/* ---- files ----------------------------------------------------------------------------------- */

static u64 page_news(const struct page_file *file)
{
	return atomic64_read(&file->view->exhausted) - atomic64_read(&file->seen);
}

/*
 * What has come since the last read is this one's alone, whoever else reads. `seen` first, as it is
 * never ahead of the count.
 */
static u64 page_take(struct page_file *file)
{
	s64 seen, now;

	do {
		/* pairs with the exchange by another reader, who has seen that much */
		seen = atomic64_read_acquire(&file->seen);
		now = atomic64_read(&file->view->exhausted);
	} while (atomic64_cmpxchg(&file->seen, seen, now) != seen);
	return now - seen;
}

/*
 * How many budgets were used up with work left since the last read, a u64. 0: the server has gone.
 */
static ssize_t page_read(struct file *filp, char __user *buf, size_t len, loff_t *pos)
{
	struct page_file *file = filp->private_data;
	struct resch_view *view = file->view;
	u64 count;
	int err;

	if (len < sizeof(count))
		return -EINVAL;
	for (;;) {
		if (!page_news(file) && !READ_ONCE(view->gone)) {
			if (filp->f_flags & O_NONBLOCK)
				return -EAGAIN;
			err = wait_event_interruptible(view->wake.queue,
						       page_news(file) || READ_ONCE(view->gone));
			if (err)
				return err;
		}
		count = page_take(file);
		/* Another reader may have been faster. */
		if (count || READ_ONCE(view->gone))
			break;
	}
	if (!copy_to_user(buf, &count, sizeof(count)))
		return sizeof(count);
	/* It is news again, to other readers, too, which have found none meanwhile. */
	atomic64_sub(count, &file->seen);
	resch_wake_up(&view->wake);
	return -EFAULT;
}

static __poll_t page_poll(struct file *filp, poll_table *table)
{
	struct page_file *file = filp->private_data;
	__poll_t mask = 0;

	poll_wait(filp, &file->view->wake.queue, table);
	if (page_news(file))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(file->view->gone))
		mask |= EPOLLIN | EPOLLRDNORM | EPOLLHUP;
	return mask;
}

static int page_mmap(struct file *filp, struct vm_area_struct *vma)
{
	const struct page_file *file = filp->private_data;

	return resch_mapped(vma, file->view->page);
}

static void view_free(struct resch_view *view)
{
	resch_wake_end(&view->wake);
	free_page((unsigned long)view->page);
	kfree(view);
}

/*
 * One user less. Process context, resch_lock. Returns the view if that was the last one: free it.
 */
static struct resch_view *view_put(struct resch_view *view)
{
	lockdep_assert_held(&resch_lock);
	if (--view->users)
		return NULL;
	if (view->link) {
		resch_cpu_lock_irq(view->rc);
		resch_view_unlink(view);
		resch_cpu_unlock_irq(view->rc);
	}
	return view;
}

static int page_release(struct inode *inode, struct file *filp)
{
	struct page_file *file = filp->private_data;
	struct resch_view *last;

	resch_query_lock();
	last = view_put(file->view);
	resch_query_unlock();
	if (last)
		view_free(last);
	kfree(file);
	return 0;
}

static const struct file_operations page_fops = {
	.owner = THIS_MODULE,
	.release = page_release,
	.read = page_read,
	.poll = page_poll,
	.mmap = page_mmap,
};

/* ---- opening --------------------------------------------------------------------------------- */

/* The view of the server whose it is to be, one user more. */
static struct resch_view *view_get(struct resch_view **link, struct resch_cpu *rc,
				   const struct resch_server *server, u32 domain)
{
	struct resch_view *view = *link;

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
	resch_wake_init(&view->wake);
	view->page->domain = domain;
	view->page->id = server->id;
	view->rc = rc;
	view->link = link;
	view->users = 1;
	resch_cpu_lock_irq(rc);
	resch_page_write(view, server);
	*link = view;
	rc->viewed++;
	resch_cpu_straighten(rc);
	resch_cpu_unlock_irq(rc);
	return view;
}

int resch_page_open(struct resch_view **link, struct resch_cpu *rc,
		    const struct resch_server *server, u32 domain)
{
	struct page_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);
	struct resch_view *last = NULL;
	int fd = -ENOMEM;

	if (!file)
		return -ENOMEM;
	file->view = view_get(link, rc, server, domain);
	if (file->view) {
		atomic64_set(&file->seen, atomic64_read(&file->view->exhausted));
		fd = anon_inode_getfd("[resch-server]", &page_fops, file, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			last = view_put(file->view);
	}
	if (last)
		view_free(last);
	if (fd < 0)
		kfree(file);
	return fd;
}
