// SPDX-License-Identifier: GPL-2.0
/*
 * server.c - the servers of a domain: made, resized, deleted, looked at
 *
 * The core keeps servers, counts their tasks and knows whom they belong to; what they mean is the
 * plugin's. They stand when another plugin takes over, and are admitted anew when one with servers
 * does.
 */
#include <linux/capability.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "domain.h"
#include "event.h"
#include "family.h"
#include "inner.h"
#include "page.h"
#include "readmit.h"
#include "server.h"
#include "server-set.h"
#include "trace.h"

#define SERVER_BUDGET_MIN (10 * NSEC_PER_USEC)
#define SERVER_PERIOD_MAX (3600 * NSEC_PER_SEC)
#define SERVER_QUANTUM_MAX NSEC_PER_SEC
#define SERVER_SIZES 10000

static struct server *server_of(struct resch_server *server)
{
	return container_of(server, struct server, server);
}

static bool server_linux(const struct resch_server *server)
{
	return server->params.kind == RESCH_SERVER_LINUX;
}

/* The server that the rest of Linux has there, or NULL: it is the first. */
static struct resch_server *server_rest(const struct resch_cpu *rc)
{
	struct resch_server *first = rc->rq.servers;

	return first && server_linux(first) && first->params.budget ? first : NULL;
}

struct server *resch_server_find(struct resch_domain *domain, u32 id)
{
	lockdep_assert_held(&resch_lock);
	return xa_load(&domain->servers.ids, id);
}

/* ---- lists --------------------------------------------------------------------------------------- */

/* How long somebody may have to wait: kept, since each decision of a CPU that waits asks. cpu->lock. */
static void server_measure(struct resch_cpu *rc)
{
	const struct resch_server *server;

	rc->longest_period = 0;
	resch_rq_for_each_server(&rc->rq, server)
		rc->longest_period =
			max3(rc->longest_period, server->params.period, server->held_period);
}

static void server_list(struct server *server)
{
	struct resch_rq *rq = &server->rc->rq;
	struct resch_server **link = &rq->servers;

	resch_cpu_lock_irq(server->rc);
	/* That of the rest of Linux is where the plugin finds it. */
	while (*link && !server_linux(&server->server))
		link = &(*link)->next;
	server->server.next = *link;
	*link = &server->server;
	resch_inner_renew(server);
	server_measure(server->rc);
	resch_cpu_unlock_irq(server->rc);
	server->domain->servers.count++;
}

static void server_unlist(struct server *server)
{
	struct resch_server **link = &server->rc->rq.servers;

	resch_cpu_lock_irq(server->rc);
	resch_server_flush(server->rc);
	resch_passive_forget(server->rc, &server->server);
	if (server->rc->plugin && server->rc->plugin->remove_server)
		server->rc->plugin->remove_server(&server->rc->rq, &server->server);
	while (*link != &server->server)
		link = &(*link)->next;
	*link = server->server.next;
	server_measure(server->rc);
	resch_cpu_unlock_irq(server->rc);
	server->domain->servers.count--;
	kfree(server);
}

/* What was held for long enough is free now. */
static void server_expire(struct resch_cpu *rc)
{
	struct resch_server *server, *next;
	u64 now = ktime_get();

	for (server = rc->rq.servers; server; server = next) {
		next = server->next;
		if (!server->held_budget || server_of(server)->held_until > now)
			continue;
		resch_cpu_lock_irq(rc);
		server->held_budget = 0;
		server->held_period = 0;
		server_measure(rc);
		resch_cpu_unlock_irq(rc);
		if (!server->params.budget)
			server_unlist(server_of(server));
	}
}

/*
 * The size that it has had so far counts until the deadline that it has now. A soft server that has
 * run far ahead of time did so when nobody else wanted to: that is not waited for. cpu->lock.
 */
static void server_hold(struct server *server, u64 now)
{
	struct resch_server *inner = &server->server;
	u64 deadline = inner->state.deadline;

	if (deadline <= now)
		return;
	if (!inner->held_budget ||
	    div64_u64(inner->held_budget * SERVER_SIZES, inner->held_period) <
		    div64_u64(inner->params.budget * SERVER_SIZES, inner->params.period)) {
		inner->held_budget = inner->params.budget;
		inner->held_period = inner->params.period;
	}
	server->held_until = max(server->held_until, min(deadline, now + 2 * inner->held_period));
}

/* ---- making and resizing ------------------------------------------------------------------------ */

static bool server_params_valid(const struct resch_server_params *params)
{
	bool turns = params->policy == RESCH_SERVER_RR;

	if (params->kind > RESCH_SERVER_LINUX || params->policy > RESCH_SERVER_PLUGIN)
		return false;
	if (params->kind == RESCH_SERVER_LINUX && params->policy != RESCH_SERVER_EDF)
		return false;
	if (params->policy == RESCH_SERVER_PLUGIN && !resch_kind_takes_inner(params->kind))
		return false;
	if (params->budget < SERVER_BUDGET_MIN || params->budget > params->period ||
	    params->period > SERVER_PERIOD_MAX || params->budget * SERVER_SIZES < params->period)
		return false;
	if (turns ? params->quantum < SERVER_BUDGET_MIN || params->quantum > SERVER_QUANTUM_MAX :
		    params->quantum)
		return false;
	if (params->flags & RESCH_SERVER_F_RECLAIM && params->kind != RESCH_SERVER_CBS_HARD &&
	    params->kind != RESCH_SERVER_CBS)
		return false;
	if (params->flags & ~RESCH_SERVER_F_ALL ||
	    strnlen(params->name, sizeof(params->name)) == sizeof(params->name))
		return false;
	return params->cpu >= -1 && (params->cpu < 0 || params->cpu < nr_cpu_ids);
}

/* The first CPU that takes it, or the wanted one. */
static int server_place(struct resch_domain *domain, const struct resch_server *server,
			struct resch_verdict *verdict)
{
	s32 wanted = server->params.cpu;
	int err = -ENODEV;
	unsigned int cpu;

	for_each_cpu(cpu, &domain->cpus) {
		struct resch_cpu *rc = resch_cpu_get(cpu);

		if ((wanted >= 0 && wanted != cpu) || !READ_ONCE(rc->online))
			continue;
		server_expire(rc);
		if (server_linux(server) && server_rest(rc)) {
			err = -EEXIST;
			continue;
		}
		err = rc->plugin->admit_server(&rc->rq, server, verdict);
		if (!err)
			return cpu;
		verdict->cpu = cpu;
	}
	return err;
}

int resch_server_make(struct resch_domain *domain, struct resch_file *file,
		      struct resch_server_set *set)
{
	struct server *server;
	int cpu = -1, err;

	if (domain->servers.count >= RESCH_SERVERS_MAX)
		return -ENOSPC;
	server = kzalloc(sizeof(*server), GFP_KERNEL_ACCOUNT);
	if (!server)
		return -ENOMEM;
	INIT_LIST_HEAD(&server->waiting);
	INIT_LIST_HEAD(&server->in_set);
	server->server.params = set->params;
	err = resch_inner_make(server, set->plugin, set->options);
	if (!err)
		err = cpu = server_place(domain, &server->server, &set->verdict);
	if (err >= 0)
		err = xa_alloc_cyclic(&domain->servers.ids, &server->server.id, server,
				      XA_LIMIT(1, RESCH_GROUPS_MAX), &domain->servers.next_id,
				      GFP_KERNEL);
	if (err < 0) {
		resch_inner_free(server);
		kfree(server);
		return err;
	}
	memset(&set->verdict, 0, sizeof(set->verdict));
	server->domain = domain;
	server->rc = resch_cpu_get(cpu);
	server->server.params.cpu = cpu;
	if (!(set->params.flags & RESCH_SERVER_F_PERSIST)) {
		server->file = file;
		list_add_tail(&server->in_file, &file->servers);
	}
	server_list(server);
	if (server_linux(&server->server))
		resch_cpu_kick(server->rc); /* nobody's job has to come first */
	set->id = server->server.id;
	set->cpu = cpu;
	trace_resch_server_set(&server->rc->rq, domain->id, set->id, &server->server.params);
	return 0;
}

int resch_server_try(struct resch_domain *domain, struct server *server,
		     struct resch_server_params *params, struct resch_verdict *verdict)
{
	const struct resch_server_params *old = &server->server.params;
	struct resch_server *wanted;
	int err;

	if (params->cpu < 0)
		params->cpu = old->cpu;
	if (params->kind != old->kind || params->policy != old->policy ||
	    params->flags != old->flags || params->cpu != old->cpu)
		return -EINVAL;
	if (server->doomed)
		return -ENOENT;
	server_expire(server->rc);
	wanted = kmemdup(&server->server, sizeof(*wanted), GFP_KERNEL);
	if (!wanted)
		return -ENOMEM;
	wanted->params = *params;
	err = resch_readmit_server(domain, wanted, verdict);
	kfree(wanted);
	return err;
}

void resch_server_change(struct resch_domain *domain, struct server *server,
			 const struct resch_server_params *params)
{
	resch_cpu_lock_irq(server->rc);
	server_hold(server, ktime_get());
	server->server.params = *params;
	resch_server_show(server->rc, &server->server);
	server_measure(server->rc);
	resch_cpu_unlock_irq(server->rc);
	resch_cpu_kick(server->rc);
	trace_resch_server_set(&server->rc->rq, domain->id, server->server.id, params);
}

static int server_resize(struct resch_domain *domain, struct server *server,
			 struct resch_server_set *set)
{
	int err;

	if (server->set || !resch_inner_is(server, set->plugin, set->options))
		return -EINVAL;
	err = resch_server_try(domain, server, &set->params, &set->verdict);
	if (err)
		return err;
	resch_server_change(domain, server, &set->params);
	set->cpu = set->params.cpu;
	return 0;
}

int resch_server_ready(struct resch_domain *domain, const struct resch_server_params *params)
{
	if (!domain)
		return -ENODEV;
	if (!server_params_valid(params))
		return -EINVAL;
	if (params->cpu >= 0 && !cpumask_test_cpu(params->cpu, &domain->cpus))
		return -ENODEV;
	resch_thread_reap_all();
	if (test_bit(0, &domain->ejecting))
		return -EAGAIN;
	if (!(domain->algorithm->plugin->flags & RESCH_PLUGIN_SERVERS))
		return -EOPNOTSUPP;
	return 0;
}

int resch_server_set(struct resch_file *file, struct resch_server_set *set)
{
	struct resch_domain *domain = resch_domain_find(set->domain);
	struct server *server;
	int err;

	memset(&set->verdict, 0, sizeof(set->verdict));
	err = resch_server_ready(domain, &set->params);
	if (!err && set->reserved)
		err = -EINVAL;
	if (err)
		return err;
	if (!set->id)
		return resch_server_make(domain, file, set);
	server = resch_server_find(domain, set->id);
	return server ? server_resize(domain, server, set) : -ENOENT;
}

/* ---- the end ------------------------------------------------------------------------------------ */

/* Whoever has waited longest for room may look again. */
static bool server_recall(struct server *server)
{
	struct resch_thread *first =
		list_first_entry_or_null(&server->waiting, struct resch_thread, waiting);

	if (!first)
		return false;
	list_del_init(&first->waiting);
	resch_family_call(first);
	return true;
}

/* There is room for one more in it: for its own, or for those of others of its set. */
static void server_has_room(struct server *server)
{
	struct server *other = server;

	while (!server_recall(other)) {
		other = list_next_entry(other, in_set);
		if (other == server)
			return;
	}
}

void resch_server_end(struct server *server)
{
	bool rest = server_linux(&server->server);
	struct resch_server_params none = { .kind = server->server.params.kind,
					    .cpu = server->server.params.cpu };
	struct resch_cpu *rc = server->rc;

	while (server_recall(server))
		;
	if (server->file)
		list_del(&server->in_file);
	server->file = NULL;
	if (server->view)
		resch_page_gone(server->view);
	list_del_init(&server->in_set);
	xa_erase(&server->domain->servers.ids, server->server.id);
	resch_inner_free(server);
	trace_resch_server_set(&rc->rq, server->domain->id, server->server.id, &none);
	resch_cpu_lock_irq(rc);
	server_hold(server, ktime_get());
	server->server.params = none;
	server_measure(rc);
	resch_cpu_unlock_irq(rc);
	if (!server->server.held_budget)
		server_unlist(server);
	if (rest)
		resch_cpu_kick(rc); /* somebody may go on at once */
}

int resch_server_del(const struct resch_server_del *del)
{
	struct resch_domain *domain = resch_domain_find(del->domain);
	struct server *server;

	if (!domain)
		return -ENODEV;
	resch_thread_reap_all();
	server = resch_server_find(domain, del->id);
	if (!server)
		return -ENOENT;
	if (server->set)
		return -EINVAL;
	if (server->nr_tasks)
		return -EBUSY;
	resch_server_end(server);
	return 0;
}

void resch_server_close(struct resch_file *file)
{
	struct server *server, *next;

	if (list_empty(&file->servers))
		return; /* nobody makes one through a descriptor that closes */
	mutex_lock(&resch_lock);
	resch_thread_reap_all();
	list_for_each_entry_safe(server, next, &file->servers, in_file) {
		list_del(&server->in_file);
		server->file = NULL;
		server->doomed = true;
		if (!server->nr_tasks)
			resch_server_end(server);
	}
	mutex_unlock(&resch_lock);
}

void resch_server_init(struct resch_servers *servers)
{
	xa_init_flags(&servers->ids, XA_FLAGS_ALLOC1);
}

void resch_server_free(struct resch_servers *servers)
{
	struct server *server;
	unsigned long id;

	lockdep_assert_held(&resch_lock);
	xa_for_each(&servers->ids, id, server) {
		if (server->file)
			list_del(&server->in_file);
		if (server->view)
			resch_page_gone(server->view);
		resch_inner_free(server);
	}
	xa_destroy(&servers->ids);
}

void resch_server_free_list(struct resch_server *list)
{
	struct resch_server *next;

	for (; list; list = next) {
		next = list->next;
		kfree(server_of(list));
	}
}

/* ---- tasks -------------------------------------------------------------------------------------- */

/* A doomed one takes nobody but the children of those who are in it. */
static bool server_takes(const struct server *server, const struct resch_task_params *params)
{
	if (server_linux(&server->server))
		return false;
	return !server->doomed || params->flags & RESCH_F_FAMILY;
}

int resch_server_home(struct resch_domain *domain, const struct resch_task_params *params)
{
	struct server *server = resch_server_find(domain, params->group);

	if (!server || !server_takes(server, params))
		return -EINVAL;
	return server->rc->number;
}

int resch_server_take(struct resch_domain *domain, struct resch_task_params *params)
{
	struct server *server = resch_server_find(domain, params->group);

	if (!(domain->algorithm->plugin->flags & RESCH_PLUGIN_SERVERS) || !server ||
	    server->doomed || server_linux(&server->server))
		return -EINVAL;
	if (!resch_set_has_room(server))
		return -ENOSPC;
	params->period = server->server.params.period;
	params->deadline = params->period;
	params->wcet = server->server.params.budget;
	return 0;
}

int resch_server_queue(struct resch_domain *domain, struct resch_thread *thread)
{
	struct server *server = resch_server_find(domain, thread->task.params.group);

	if (!(domain->algorithm->plugin->flags & RESCH_PLUGIN_SERVERS) || !server)
		return -ECANCELED;
	if (resch_set_has_room(server))
		return 0;
	list_add_tail(&thread->waiting, &server->waiting);
	return -EAGAIN;
}

void resch_server_pass(struct resch_domain *domain, const struct resch_task_params *params)
{
	struct server *server = resch_server_find(domain, params->group);

	if (server && resch_set_has_room(server))
		server_has_room(server);
}

void resch_server_bind(struct resch_domain *domain, struct resch_task *task)
{
	struct server *server = resch_server_find(domain, task->params.group);

	task->server = server && server_takes(server, &task->params) ? &server->server : NULL;
}

void resch_server_join(struct resch_thread *thread)
{
	lockdep_assert_held(&resch_lock);
	if (thread->task.server)
		server_of(thread->task.server)->nr_tasks++;
}

void resch_server_quit(struct resch_thread *thread)
{
	struct resch_server *inner = thread->task.server;

	lockdep_assert_held(&resch_lock);
	if (!inner)
		return;
	thread->task.server = NULL;
	server_has_room(server_of(inner));
	if (!--server_of(inner)->nr_tasks && server_of(inner)->doomed)
		resch_server_end(server_of(inner));
}

bool resch_server_fits(const struct resch_task *task, const struct resch_rq *rq)
{
	return task->server && &server_of(task->server)->rc->rq == rq;
}

/* ---- under cpu->lock ---------------------------------------------------------------------------- */

void resch_server_reset(struct resch_cpu *rc)
{
	struct resch_server *server;

	resch_cpu_assert_locked(rc);
	resch_server_flush(rc);
	resch_passive_reset(rc);
	resch_rq_for_each_server(&rc->rq, server) {
		memset(server->private, 0, sizeof(server->private));
		memset(&server->state, 0, sizeof(server->state));
		resch_inner_renew(server_of(server));
		resch_server_show(rc, server);
		if (server->params.budget)
			trace_resch_server_set(&rc->rq, server_of(server)->domain->id, server->id,
					       &server->params);
	}
}

void resch_server_flush(struct resch_cpu *rc)
{
	struct resch_server *server = rc->rq.noted, *next;

	resch_cpu_assert_locked(rc);
	rc->rq.noted = NULL;
	for (; server; server = next) {
		struct resch_view *view = server_of(server)->view;

		next = server->next_noted;
		if (unlikely(view)) {
			resch_page_write(view, server);
			if (server->notes & RESCH_SERVER_EXHAUSTED)
				resch_page_exhausted(view);
		}
		if (unlikely(server->notes & RESCH_SERVER_FAULT))
			resch_inner_faulted();
		trace_resch_server(server_of(server)->domain->id, rc->number, server, rc->now);
		server->next_noted = NULL;
		server->noted = 0;
		server->notes = 0;
	}
}

void resch_server_show_viewed(struct resch_cpu *rc, struct resch_server *inner)
{
	const struct server *server = server_of(inner);

	/* The view of one on another CPU is guarded by that CPU's lock. */
	if (server->rc == rc && server->view)
		resch_page_write(server->view, inner);
}

void resch_server_show_rest(struct resch_cpu *rc)
{
	struct resch_server *rest = server_rest(rc);

	if (rest)
		resch_server_show_viewed(rc, rest);
}

/* ---- looking ------------------------------------------------------------------------------------ */

/* Who made it, who has a thread in it, and who might change it anyway. */
static bool server_may_open(const struct server *server, const struct resch_file *file)
{
	const struct resch_thread *thread;

	if (server->file == file || capable(CAP_SYS_NICE))
		return true;
	list_for_each_entry(thread, &server->domain->threads, in_domain)
		if (thread->task.server == &server->server &&
		    thread->linux_task->signal == current->signal)
			return true;
	return false;
}

int resch_server_open(struct resch_file *file, struct resch_server_open *open)
{
	struct resch_domain *domain = resch_domain_find(open->domain);
	struct server *server;
	int fd;

	if (open->flags)
		return -EINVAL;
	if (!domain)
		return -ENODEV;
	resch_thread_reap_all();
	server = resch_server_find(domain, open->id);
	if (!server)
		return -ENOENT;
	if (!server_may_open(server, file))
		return -EPERM;
	fd = resch_page_open(&server->view, server->rc, &server->server, domain->id);
	open->fd = fd;
	return min(fd, 0);
}

static void server_fill(struct resch_server_stat *stat, struct server *server)
{
	const struct resch_server_state *state = &server->server.state;
	const struct list_head *waiting;
	u64 now, since = 0, cost;

	resch_cpu_lock_irq(server->rc);
	now = ktime_get();
	if (state->since && now > state->since)
		since = now - state->since;
	/* It is picked for as long as its budget lasts, whatever becomes of the CPU meanwhile. */
	if (server_linux(&server->server))
		since = min(since, state->left > 0 ? (u64)state->left : 0);
	stat->params = server->server.params;
	cost = mul_u64_u32_shr(since, state->rate, ilog2(RESCH_SERVER_RATE));
	stat->left = state->left > (s64)cost ? state->left - cost : 0;
	stat->deadline = state->deadline;
	stat->consumed = state->consumed + since;
	stat->replenished = state->replenished;
	stat->exhausted = state->exhausted;
	stat->postponed = state->postponed;
	resch_cpu_unlock_irq(server->rc);
	stat->id = server->server.id;
	stat->tasks = server->nr_tasks;
	stat->set = server->set;
	resch_inner_fill(stat, server);
	list_for_each(waiting, &server->waiting) stat->waiting++;
}

int resch_server_query(struct resch_server_stat *stat)
{
	u32 id = stat->id, next = stat->next, domain_id = stat->domain;
	struct resch_domain *domain = resch_domain_find(domain_id);
	unsigned long index = id;
	struct server *server;

	if (next > 1)
		return -EINVAL;
	if (!domain)
		return -ENODEV;
	memset(stat, 0, sizeof(*stat));
	stat->domain = domain_id;
	resch_thread_reap_all();
	server = next ? xa_find_after(&domain->servers.ids, &index, INT_MAX, XA_PRESENT) :
			resch_server_find(domain, id);
	if (!server)
		return -ENOENT;
	server_fill(stat, server);
	return 0;
}
