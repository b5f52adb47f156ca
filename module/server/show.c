// SPDX-License-Identifier: GPL-2.0
/* show.c - what who looks at a server sees */
#include <linux/poll.h>

#include "entry.h"
#include "show.h"
#include "view.h"
#include "core/trace.h"
#include "core/wake.h"
#include "domain/domain.h"

struct work_struct resch_fault_work;

struct resch_server *resch_server_rest(const struct resch_cpu *rc)
{
	struct resch_server *first = rc->rq.servers;

	return first && resch_server_linux(first) && first->params.budget ? first : NULL;
}

void resch_server_flush(struct resch_cpu *rc)
{
	struct resch_server *server = rc->rq.noted, *next;

	resch_cpu_assert_locked(rc);
	rc->rq.noted = NULL;
	for (; server; server = next) {
		struct resch_view *view = resch_server_of(server)->view;

		next = server->next_noted;
		if (unlikely(view)) {
			resch_page_write(view, server);
			if (server->notes & RESCH_SERVER_EXHAUSTED)
				resch_page_exhausted(view);
		}
		if (unlikely(server->notes & RESCH_SERVER_FAULT))
			resch_inner_faulted();
		trace_resch_server(resch_server_of(server)->domain->id, rc->number, server,
				   rc->now);
		server->next_noted = NULL;
		server->noted = 0;
		server->notes = 0;
	}
}

void resch_server_show_viewed(struct resch_cpu *rc, struct resch_server *inner)
{
	const struct resch_entry *entry = resch_server_of(inner);

	/* The view of one on another CPU is guarded by that CPU's lock. */
	if (entry->rc == rc && entry->view)
		resch_page_write(entry->view, inner);
}

void resch_server_show_rest(struct resch_cpu *rc)
{
	struct resch_server *rest = resch_server_rest(rc);

	if (rest)
		resch_server_show_viewed(rc, rest);
}

static void page_write_begin(struct resch_server_page *page)
{
	WRITE_ONCE(page->sequence, page->sequence + 1);
	/* pairs with the fences of the reader, in user space: odd before anything changes */
	smp_wmb();
}

static void page_write_end(struct resch_server_page *page)
{
	smp_wmb(); /* likewise: all is there before it is even */
	WRITE_ONCE(page->sequence, page->sequence + 1);
}

void resch_page_write(struct resch_view *view, const struct resch_server *server)
{
	const struct resch_server_state *state = &server->state;
	struct resch_server_page *page = view->page;

	resch_cpu_assert_locked(view->rc);
	page_write_begin(page);
	WRITE_ONCE(page->flags, state->since ? RESCH_PAGE_RUNNING : 0);
	WRITE_ONCE(page->left, state->left);
	WRITE_ONCE(page->deadline, state->deadline);
	WRITE_ONCE(page->since, state->since);
	WRITE_ONCE(page->rate, state->rate);
	WRITE_ONCE(page->budget, server->params.budget);
	WRITE_ONCE(page->period, server->params.period);
	WRITE_ONCE(page->consumed, state->consumed);
	WRITE_ONCE(page->replenished, state->replenished);
	WRITE_ONCE(page->exhausted, state->exhausted);
	WRITE_ONCE(page->postponed, state->postponed);
	page_write_end(page);
}

void resch_page_exhausted(struct resch_view *view)
{
	resch_cpu_assert_locked(view->rc);
	atomic64_inc(&view->exhausted);
	resch_wake_up(&view->wake);
}

void resch_view_unlink(struct resch_view *view)
{
	*view->link = NULL;
	view->link = NULL;
	view->rc->viewed--;
	resch_cpu_straighten(view->rc);
}

void resch_page_gone(struct resch_view *view)
{
	lockdep_assert_held(&resch_lock);
	resch_cpu_lock_irq(view->rc);
	resch_view_unlink(view);
	page_write_begin(view->page);
	WRITE_ONCE(view->page->flags, RESCH_PAGE_GONE);
	WRITE_ONCE(view->page->left, 0);
	WRITE_ONCE(view->page->since, 0);
	page_write_end(view->page);
	resch_cpu_unlock_irq(view->rc);
	WRITE_ONCE(view->gone, true);
	wake_up_interruptible_poll(&view->wake.queue, EPOLLIN | EPOLLRDNORM | EPOLLHUP);
}

void resch_inner_faulted(void)
{
	queue_work(resch_workqueue, &resch_fault_work);
}
