/* SPDX-License-Identifier: GPL-2.0 */
/*
 * plugin.h - the plugin author's manual
 *
 * A plugin answers one question: who runs on this CPU now, and until when does that answer hold?
 * The core does everything else: it releases jobs, tells the plugin who became ready and who no
 * longer is, asks it to pick, makes the pick run, arms one timer for its `until`, and charges
 * budgets. A plugin is queues and arithmetic. It calls nothing but what this header, queue.h and
 * types.h declare, so the very same source runs in the kernel, in the simulator and in the unit
 * tests.
 *
 *   plugin                              core
 *     |  <- option()  once per option     |   process context; nothing runs yet
 *     |  <- admit()   one new task        |   process context, under the domain's mutex
 *     |  <- attach()                      |  \
 *     |  <- enqueue() a job became ready  |   |
 *     |  <- dequeue() it no longer is     |   |  under that CPU's lock, interrupts off:
 *     |  <- pick()    who, until when?    |   |  O(log n), no allocation, no waiting
 *     |  <- stopped() it has left the CPU |   |
 *     |  <- detach()                      |  /
 *
 * One struct resch_rq stands for one CPU; the core never calls two of the ops marked "CPU lock" for
 * the same struct resch_rq at once, and calls them for different ones concurrently. A plugin that
 * keeps to its own rq and to the tasks on it needs no locks. docs/writing-a-plugin.md is the
 * tutorial, plugins/demo.c its example.
 *
 * A plugin with RESCH_PLUGIN_WHOLE decides for all CPUs of its domain: one lock serializes all
 * "CPU lock" ops of the domain, it may look at the other CPUs (resch_rq_peer()), have them decide
 * again (resch_rq_kick()), and pick a task that is on another one, which then moves over.
 *
 * A plugin with RESCH_PLUGIN_INNER may also be asked to order the tasks of one server:
 * resch/inner.h. One with RESCH_PLUGIN_ORDERED says once by what its queue is ordered (struct
 * resch_order), and is not even asked.
 */
#ifndef _RESCH_PLUGIN_H
#define _RESCH_PLUGIN_H

#include "job.h"
#include "queue.h"
#include "trace-words.h"
#include "types.h"
#ifdef __KERNEL__
#include <linux/resch.h>
#else
#include "../../../uapi/linux/resch.h"
#endif

#define RESCH_PLUGIN_ABI 9

/*
 * Private areas that the core keeps for a plugin, so many u64 each; check yours with
 * RESCH_PLUGIN_PRIVATE(). Zeroed before attach().
 */
#define RESCH_TASK_PRIVATE 8
#define RESCH_RQ_PRIVATE 32
#define RESCH_DOMAIN_PRIVATE 16
#define RESCH_GROUP_PRIVATE 16
#define RESCH_SERVER_PRIVATE 24

struct resch_rq;
struct resch_inner;

/** struct resch_part - a reserve: [@begin, @end) of each time slot, ns, on the CPU with @index */
struct resch_part {
	u64 begin;
	u64 end;
	u32 index;
};

/** struct resch_window - a reserve as its CPU sees it: [@begin, @end) of each slot for @group */
struct resch_window {
	u64 begin;
	u64 end;
	u32 group;
};

/**
 * struct resch_parts - the reserves of one group, by @begin; no two of them overlap in time, so
 * that no group is ever due on two CPUs
 */
struct resch_parts {
	u32 count;
	struct resch_part part[RESCH_PARTS_MAX];
};

/**
 * struct resch_plan - who has which CPU when: time slots of one length, the same on all CPUs of a
 * domain. Constant; another plan comes into force for the whole domain at a slot boundary.
 * @slot:      length of a slot, ns
 * @from:      a slot begins here, absolute time; the others a multiple of @slot later
 * @nr_groups: groups are 1 to this
 * @parts:     group g's reserves are parts[g]
 * @start:     the windows of the CPU with index i are windows[start[i]] to windows[start[i + 1] -
 *             1], by begin, not overlapping; between them nobody has a reserve
 */
struct resch_plan {
	u64 slot;
	u64 from;
	u32 nr_groups;
	const struct resch_parts *parts;
	const u32 *start;
	const struct resch_window *windows;
};

/**
 * struct resch_group - tasks that share reserves: a notional processor
 * @private: yours; zero when no task of the group is attached, as far as you leave it so
 * @id:      its number in the plan, from 1
 */
struct resch_group {
	u64 private[RESCH_GROUP_PRIVATE];
	u32 id;
};

/* 1 as a rate: a ns of budget for a ns of time. */
#define RESCH_SERVER_RATE (1U << 20)

/**
 * struct resch_server_state - what the plugin says of a server, for whoever asks. CPU lock
 * @left:     budget as of @since; negative: overdrawn, as a timer came late
 * @deadline: absolute; 0: none yet
 * @since:    a task of it has been the CPU's choice since then, or nobody, for the rest of Linux;
 *            0: it does not serve
 * @rate:     what a ns costs of @left then, in 1 / RESCH_SERVER_RATE
 * @consumed, @replenished, @exhausted, @postponed: in all
 */
struct resch_server_state {
	s64 left;
	u64 deadline;
	u64 since;
	u32 rate;
	u64 consumed;
	u64 replenished;
	u64 exhausted;
	u64 postponed;
};

/**
 * struct resch_server - tasks that share a budget. RESCH_PLUGIN_SERVERS
 * @private: yours; zero at first, and when another plugin takes over
 * @state:   yours, too
 * @next:    the next server on that CPU; read only, like all that follows
 * @next_noted, @noted, @notes: see resch_server_note()
 * @id:      what tasks name as their params.group, from 1
 * @inner:   RESCH_SERVER_PLUGIN: what orders its tasks; else NULL. Changes only while it has none
 * @params:  as last admitted. A server whose budget is 0 has been deleted, but for @held
 * @held_budget, @held_period: a size that it had before and may still be using: admission counts
 * the
 *           larger one. The core forgets it once the deadline of then is past. 0: none
 */
struct resch_server {
	u64 private[RESCH_SERVER_PRIVATE];
	struct resch_server_state state;
	struct resch_server *next;
	struct resch_server *next_noted;
	u32 noted;
	u32 notes;
	u32 id;
	struct resch_inner *inner;
	struct resch_server_params params;
	u64 held_budget;
	u64 held_period;
};

/**
 * struct resch_task - a task as a plugin sees it
 * @node:    yours: a place in one queue of yours
 * @private: yours
 * @outer:   of a plugin with servers, whose tasks may have another plugin inside their server,
 *           which has the two above; zeroed as @private
 * @rq:      the CPU that it is on; read only, like all that follows
 * @next:    the next task on that CPU; see resch_rq_for_each()
 * @id:      for messages and traces
 * @params:  what it asked for. @deadline and @priority as given (@deadline is never 0 here)
 * @job:     the current job while it is ready, the last or next one otherwise
 * @lead:    enqueue() comes so much before a job's release, ns, and its thread spends the rest of
 *           that time on the CPU; see resch_task_cost()
 * @group:   the one that @params.group names, or NULL: none, or the domain has no plan
 * @server:  the one that @params.group names, or NULL: none, or the domain has no such server; of a
 *           task that works for a client: the client's
 * @client:  whom a task of a passive server works for, in the end, in whose place; or NULL.
 *           Registered on the same rq. Changes only while the task is not in a queue of yours
 * @depth:   by how many calls in a row it works for @client; 0: for nobody
 * @ready:   between enqueue() and dequeue()
 * @busy:    it may be executing: it was picked, or (RESCH_PLUGIN_WHOLE) woke in the kernel, and has
 *           not left the CPU since (stopped() tells)
 */
struct resch_task {
	struct resch_node node;
	u64 private[RESCH_TASK_PRIVATE];
	u64 outer;
	struct resch_rq *rq;
	struct resch_task *next;
	struct resch_group *group;
	struct resch_server *server;
	struct resch_task *client;
	u32 id;
	u8 depth;
	bool ready;
	bool busy;
	struct resch_task_params params;
	struct resch_job job;
	u64 lead;
};

/**
 * struct resch_rq - one CPU of a domain as a plugin sees it
 * @private:  yours
 * @domain:   the plugin's private area of the whole domain: written by option() alone, so every op
 *            may read it
 * @tasks:    all tasks that joined on this CPU; changes only under both the domain's mutex and the
 *            CPU's lock
 * @nr_tasks: how many
 * @cpu:      its number
 * @index:    its place among the CPUs of the domain, from 0
 * @plan:     the plan in force, or NULL
 * @groups:   by id, for 1 to plan->nr_groups; valid where @plan is. Not in admit()
 * @peers:    see resch_rq_peer()
 * @nr_peers: CPUs of the domain
 * @servers:  those of this CPU; changes as @tasks does. That of the rest of Linux, which has no
 *            tasks and comes and goes without an op, is the first. See resch_rq_for_each_server()
 * @kicks, @next_kicked, @kicked: see resch_rq_kick()
 * @noted:    see resch_server_note()
 * @capacity: share of the CPU that admission may give away, parts per million
 * @overhead: what each job costs beside its execution, ns: see resch_task_cost()
 */
struct resch_rq {
	u64 private[RESCH_RQ_PRIVATE];
	const u64 *domain;
	const struct resch_plan *plan;
	struct resch_group *const *groups;
	struct resch_rq *const *peers;
	struct resch_rq *kicks;
	struct resch_rq *next_kicked;
	struct resch_task *tasks;
	struct resch_server *servers;
	struct resch_server *noted;
	u32 nr_tasks;
	u32 nr_peers;
	u32 index;
	u32 cpu;
	u32 capacity;
	u32 overhead;
	bool kicked;
};

#define resch_rq_for_each(rq, task) for ((task) = (rq)->tasks; (task); (task) = (task)->next)
#define resch_rq_for_each_server(rq, server) \
	for ((server) = (rq)->servers; (server); (server) = (server)->next)

/**
 * resch_task_cost - what a job of @task takes from the CPU @rq at most, ns: what admit() is to
 * count as its execution time
 */
static inline u64 resch_task_cost(const struct resch_rq *rq, const struct resch_task *task)
{
	return task->params.wcet + rq->overhead + task->lead;
}

/* The CPU with @index of the same domain. RESCH_PLUGIN_WHOLE. */
static inline struct resch_rq *resch_rq_peer(const struct resch_rq *rq, u32 index)
{
	return rq->peers[index];
}

/*
 * From an op for @rq: @other is to decide again as soon as it can. RESCH_PLUGIN_WHOLE. It costs an
 * interrupt there.
 */
static inline void resch_rq_kick(struct resch_rq *rq, struct resch_rq *other)
{
	if (other->kicked)
		return;
	other->kicked = true;
	other->next_kicked = rq->kicks;
	rq->kicks = other;
}

/*
 * From an op for @rq: RESCH_SERVER_EXHAUSTED and so on have happened to @server, which serves
 * there; for traces. The core looks at rq->noted after its ops.
 */
static inline void resch_server_note(struct resch_rq *rq, struct resch_server *server, u32 what)
{
	server->notes |= what;
	if (!server->noted) {
		server->noted = 1;
		server->next_noted = rq->noted;
		rq->noted = server;
	}
}

/** enum resch_why - what an enqueue() or dequeue() is about */
enum resch_why {
	RESCH_WHY_RELEASE, /* enqueue: a new job, see task->job */
	RESCH_WHY_WAKE, /* enqueue: the job goes on after it blocked, or was throttled */
	RESCH_WHY_TAKEOVER, /* enqueue: a job under way comes over from another plugin */
	RESCH_WHY_COMPLETE, /* dequeue: the job ended */
	RESCH_WHY_BLOCK, /* dequeue: it sleeps in the kernel */
	RESCH_WHY_THROTTLE, /* dequeue: an overrun or a miss stopped it */
	RESCH_WHY_DETACH, /* dequeue: the task leaves */
	/* dequeue: its work for a client ends, and what the client's budget has left goes, too */
	RESCH_WHY_DISCARD,
};

/**
 * struct resch_pick - an answer
 * @task:  a task of this rq that is ready, or NULL: nobody (the CPU goes to ordinary tasks).
 *         RESCH_PLUGIN_WHOLE: a task of another rq, too, unless it is busy there; its rq is this
 *         one from then on
 * @until: absolute time at which to ask again even if nothing happens; RESCH_NEVER where only
 *         events can change the answer
 */
struct resch_pick {
	struct resch_task *task;
	u64 until;
};

/**
 * resch_pick_first - the pick of a plugin with RESCH_PLUGIN_ORDERED: the first of its ready tasks,
 * if there is one
 */
static inline void resch_pick_first(struct resch_rq *rq, u64 now, struct resch_pick *pick)
{
	const struct resch_queue *ready = (const struct resch_queue *)rq->private;
	struct resch_node *first = resch_queue_first(ready);

	if (first)
		pick->task = container_of(first, struct resch_task, node);
}

/**
 * struct resch_order - by what the queue of a plugin with RESCH_PLUGIN_ORDERED is ordered
 * @key:   offsetof(struct resch_task, ...) of a u64 that does not change while the task is ready;
 *         the smallest goes first
 * @by_id: among equal keys the smaller id goes first; otherwise who became ready first
 */
struct resch_order {
	u32 key;
	bool by_id;
};

/** resch_order_key - the key of @task */
static inline u64 resch_order_key(const struct resch_order *order, const struct resch_task *task)
{
	return *(const u64 *)((const char *)task + order->key);
}

/** resch_order_enqueue - what enqueue() of such a plugin does */
static inline void resch_order_enqueue(const struct resch_order *order, struct resch_rq *rq,
				       struct resch_task *task)
{
	struct resch_queue *ready = (struct resch_queue *)rq->private;

	resch_queue_insert_tie(ready, &task->node, resch_order_key(order, task),
			       order->by_id ? task->id : ready->seq++);
}

/** resch_order_dequeue - the dequeue() of such a plugin */
static inline void resch_order_dequeue(struct resch_rq *rq, struct resch_task *task,
				       enum resch_why why, u64 now)
{
	resch_queue_erase((struct resch_queue *)rq->private, &task->node);
}

/**
 * resch_pick_nonsense - why the answer of a plugin, RESCH_PLUGIN_WHOLE or not, can't be true; or
 * NULL
 */
static inline const char *resch_pick_nonsense(const struct resch_rq *rq, bool whole,
					      const struct resch_pick *pick, u64 now)
{
	const struct resch_task *task = pick->task;

	if (task && task->rq != rq && (!whole || task->rq->peers != rq->peers))
		return "picked a task of another CPU";
	if (task && task->rq != rq && task->busy)
		return "picked a task that is busy on another CPU";
	if (task && !task->ready)
		return "picked a task that is not ready";
	return pick->until <= now ? "asked to be asked again in the past" : NULL;
}

/**
 * struct resch_plugin - an algorithm
 *
 * Ops left NULL get the default that is named with each; admit, enqueue, dequeue and pick are
 * required.
 */
struct resch_plugin {
	/** @name: lower case, digits and dashes; the module is resch-NAME */
	char name[RESCH_NAME_LEN];
	/** @about: one line for people */
	const char *about;
	/** @abi: RESCH_PLUGIN_ABI */
	u32 abi;
	/** @flags: RESCH_PLUGIN_* */
	u32 flags;
	/**
	 * @stand_in: what orders the tasks of a server whose plugin (resch/inner.h) has erred, in a
	 *  word for
	 * people. Default: nameless
	 */
	const char *stand_in;
	/** @order: with RESCH_PLUGIN_ORDERED, and required there */
	const struct resch_order *order;

	/**
	 * @option: set @key to @value in the domain's private area (which starts as zeros).
	 * Process context; nothing runs under the plugin yet. -EINVAL: unknown key or value.
	 * Times have units: resch_option_time() of resch/option.h reads them.
	 * Default: knows no option.
	 */
	int (*option)(u64 *domain, const char *key, const char *value);

	/**
	 * @admit: may @task join the tasks that are on @rq?
	 * Process context, domain mutex. Reads the list of tasks, their params, and nothing that
	 * the CPU lock guards. May take time polynomial in the number of tasks; must end. 0, or
	 * -EBUSY with @verdict filled in. @task is not on the list. When a plugin takes over
	 * standing tasks, or a plan changes, they join an empty list one by one, on each CPU in the
	 * order of their ids. RESCH_PLUGIN_PLAN: @rq has the first reserve of the task's group, and
	 * rq->plan is the one to admit by.
	 */
	int (*admit)(const struct resch_rq *rq, const struct resch_task *task,
		     struct resch_verdict *verdict);

	/**
	 * @server_valid: does the plugin have such servers: this kind, with this policy, these
	 *  flags, and a
	 * quantum or none? No more of @params counts, and nothing but them: the same answer at all
	 * times. The core has seen to it that their sizes can be (resch/sizes.h) and that there are
	 * such flags. Process context, domain mutex. Required with RESCH_PLUGIN_SERVERS.
	 */
	bool (*server_valid)(const struct resch_server_params *params);

	/**
	 * @admit_server: do the servers on @rq->servers fit the CPU, with @server, which is new, or
	 * in place of the one with its id? Process context, domain mutex; as admit(). Whether the
	 * tasks of a server fit what it supplies is admit()'s to say, which the core asks for each
	 * of them anew. Required with RESCH_PLUGIN_SERVERS.
	 */
	int (*admit_server)(const struct resch_rq *rq, const struct resch_server *server,
			    struct resch_verdict *verdict);

	/** @attach: @task joins @rq. CPU lock. Default: nothing. */
	void (*attach)(struct resch_rq *rq, struct resch_task *task);

	/** @detach: @task leaves @rq; it is not ready any more. CPU lock. Default: nothing. */
	void (*detach)(struct resch_rq *rq, struct resch_task *task);

	/** @enqueue: @task has become ready; task->job is current. CPU lock. O(log n). */
	void (*enqueue)(struct resch_rq *rq, struct resch_task *task, enum resch_why why, u64 now);

	/** @dequeue: @task, which was ready, no longer is. CPU lock. O(log n). */
	void (*dequeue)(struct resch_rq *rq, struct resch_task *task, enum resch_why why, u64 now);

	/**
	 * @pick: who runs now, until when? CPU lock. O(log n), idempotent: called after every event
	 *        and at every `until`.
	 * @pick comes zeroed but for until = RESCH_NEVER. A task that is not on @rq or not ready,
	 * an `until` that is not after
	 * @now, or nobody for longer than the watchdog's patience while tasks are ready, gets the
	 * plugin ejected.
	 */
	void (*pick)(struct resch_rq *rq, u64 now, struct resch_pick *pick);

	/**
	 * @stopped: @task, which was busy, has left the CPU: it arrived where a deselected task
	 * waits, blocked, completed its job, or is gone. CPU lock. O(log n). Default: nothing.
	 */
	void (*stopped)(struct resch_rq *rq, struct resch_task *task, u64 now);

	/**
	 * @remove_server: @server, which has no tasks, leaves @rq and ceases to exist. CPU lock.
	 * O(log n). Default: nothing.
	 */
	void (*remove_server)(struct resch_rq *rq, struct resch_server *server);
};

/* resch_plugin.flags */
#define RESCH_PLUGIN_WHOLE (1U << 0) /* decides for all CPUs of the domain, under one lock */
#define RESCH_PLUGIN_PLAN (1U << 1) /* needs a plan, and tasks that name their group */
/* has servers, and tasks that name theirs and join on its CPU; not with one of the above */
#define RESCH_PLUGIN_SERVERS (1U << 2)
/* the domain's CPUs are guarded as soon as it is there: others make no system calls on them */
#define RESCH_PLUGIN_GUARD (1U << 3)
/*
 * may run inside a server, too, as resch/inner.h says: it keeps to the tasks that it is given, and
 * picks one whenever one is ready. Has no stopped(); not with one of the above
 */
#define RESCH_PLUGIN_INNER (1U << 4)
/*
 * on each CPU the task that runs is the first one of a struct resch_queue at the begin of
 * rq->private, in which the ready tasks are with their nodes, by @order, and it runs without end:
 * the core looks there itself, and puts tasks there and takes them out. pick is resch_pick_first(),
 * enqueue does what resch_order_enqueue() does and no more, dequeue is resch_order_dequeue(). Not
 * with a flag above INNER
 */
#define RESCH_PLUGIN_ORDERED (1U << 5)
/*
 * ORDERED, and from attach() to detach() a task's key in that order is one and the same: fixed
 * priorities. Where the kernel's are in the same order the core asks nobody, not even its queue
 */
#define RESCH_PLUGIN_FIXED (1U << 6)

#define RESCH_PLUGIN_PRIVATE(type, room)                     \
	_Static_assert(sizeof(type) <= (room) * sizeof(u64), \
		       "private area of the plugin is too large")

/* That of a plugin with RESCH_PLUGIN_ORDERED has this one. */
RESCH_PLUGIN_PRIVATE(struct resch_queue, RESCH_RQ_PRIVATE);

/* The private area of a task, an rq or a domain as a plugin's own type. */
#define resch_private(holder, type) ((type *)(holder)->private)

/** resch_verdict_refuse - fill in a verdict; returns -EBUSY, to be returned from admit() */
static inline int resch_verdict_refuse(struct resch_verdict *verdict, u32 bound, u32 task,
				       u64 value, u64 limit)
{
	verdict->bound = bound;
	verdict->task = task;
	verdict->value = value;
	verdict->limit = limit;
	return -EBUSY;
}

#ifdef __KERNEL__
#include <linux/module.h>

/*
 * The core keeps a reference on @owner while a domain uses the plugin. -EINVAL: a required op or
 * the name is missing or the ABI is another; -EEXIST: the name is taken. Process context.
 */
int __must_check resch_plugin_register(const struct resch_plugin *plugin, struct module *owner);
void resch_plugin_unregister(const struct resch_plugin *plugin);

#define resch_plugin_module(plugin)                                   \
	static int __init plugin##_init(void)                         \
	{                                                             \
		return resch_plugin_register(&(plugin), THIS_MODULE); \
	}                                                             \
	static void __exit plugin##_exit(void)                        \
	{                                                             \
		resch_plugin_unregister(&(plugin));                   \
	}                                                             \
	module_init(plugin##_init);                                   \
	module_exit(plugin##_exit);                                   \
	MODULE_LICENSE("GPL")
#else
/* In user space a plugin source defines `const struct resch_plugin *resch_plugin_NAME(void)`. */
#define resch_plugin_module(plugin)                      \
	const struct resch_plugin *resch_##plugin(void); \
	const struct resch_plugin *resch_##plugin(void)  \
	{                                                \
		return &(plugin);                        \
	}                                                \
	_Static_assert(1, "")
#define MODULE_DESCRIPTION(text) _Static_assert(1, "")
#define MODULE_AUTHOR(text) _Static_assert(1, "")
#endif

#endif /* _RESCH_PLUGIN_H */
