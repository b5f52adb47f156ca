/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace.h - the resch:* trace events
 *
 * Every event names the task (`id`), its thread (`pid`, of the initial namespace) and the `cpu`
 * that the event is about, which is not always the one that records it. Times are ns: `now` and
 * everything absolute is CLOCK_MONOTONIC, so record with `trace-cmd record -C mono` to compare them
 * with the events' own stamps.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM resch

#if !defined(_RESCH_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _RESCH_TRACE_H

/* clang-format off: the macros of tracepoints have a layout of their own */

#include <linux/tracepoint.h>

#include "thread.h"

#define RESCH_TRACE_OFF_NUMBER(name, word) TRACE_DEFINE_ENUM(RESCH_OFF_##name);
RESCH_OFFS(RESCH_TRACE_OFF_NUMBER, RESCH_TRACE_OFF_NUMBER)

#define RESCH_TRACE_OFF(name, word) { RESCH_OFF_##name, word },
#define RESCH_TRACE_OFF_LAST(name, word) \
	{                                \
		RESCH_OFF_##name, word   \
	}
#define RESCH_TRACE_WHY RESCH_OFFS(RESCH_TRACE_OFF, RESCH_TRACE_OFF_LAST)

TRACE_DEFINE_ENUM(RESCH_GONE_EXIT);
TRACE_DEFINE_ENUM(RESCH_GONE_EXEC);
TRACE_DEFINE_ENUM(RESCH_GONE_EJECT);
TRACE_DEFINE_ENUM(RESCH_GONE_OFFLINE);
TRACE_DEFINE_ENUM(RESCH_GONE_SYSRQ);
TRACE_DEFINE_ENUM(RESCH_GONE_WITHDRAWN);

#define RESCH_TRACE_GONE                                                          \
	{ 0, "asked" }, { RESCH_GONE_EXIT, "exit" }, { RESCH_GONE_EXEC, "exec" }, \
		{ RESCH_GONE_EJECT, "eject" }, { RESCH_GONE_OFFLINE, "offline" }, \
		{ RESCH_GONE_SYSRQ, "sysrq" },                                    \
	{                                                                         \
		RESCH_GONE_WITHDRAWN, "withdrawn"                                 \
	}

/*
 * A thread came under a plugin. From here on, until detach, its jobs follow from these parameters.
 */
TRACE_EVENT(
	resch_attach, TP_PROTO(const struct resch_thread *thread, const char *plugin),
	TP_ARGS(thread, plugin),
	TP_STRUCT__entry(__field(u32, id) __field(s32, pid) __field(u32, cpu) __field(
		u32, group) __field(u32, kind) __field(u32, overrun) __field(u32, miss)
				 __field(u32, priority) __field(u64, period) __field(u64, deadline)
					 __field(u64, wcet) __field(u64, offset)
						 __array(char, name, RESCH_NAME_LEN)
							 __array(char, plugin, RESCH_NAME_LEN)),
	TP_fast_assign(__entry->id = thread->task.id; __entry->pid = thread->linux_task->pid;
		       __entry->cpu = thread->cpu; __entry->group = thread->task.params.group;
		       __entry->kind = thread->task.params.kind;
		       __entry->overrun = thread->task.params.overrun;
		       __entry->miss = thread->task.params.miss;
		       __entry->priority = thread->task.params.priority;
		       __entry->period = thread->task.params.period;
		       __entry->deadline = thread->task.params.deadline;
		       __entry->wcet = thread->task.params.wcet;
		       __entry->offset = thread->task.params.offset;
		       memcpy(__entry->name, thread->task.params.name, RESCH_NAME_LEN);
		       strscpy(__entry->plugin, plugin, RESCH_NAME_LEN);),
	TP_printk(
		"id=%u pid=%d cpu=%u name=%s plugin=%s kind=%u period=%llu deadline=%llu wcet=%llu offset=%llu priority=%u overrun=%u miss=%u group=%u",
		__entry->id, __entry->pid, __entry->cpu, __entry->name, __entry->plugin,
		__entry->kind, __entry->period, __entry->deadline, __entry->wcet, __entry->offset,
		__entry->priority, __entry->overrun, __entry->miss, __entry->group));

TRACE_EVENT(resch_detach, TP_PROTO(const struct resch_thread *thread, u32 gone),
	    TP_ARGS(thread, gone),
	    TP_STRUCT__entry(__field(u32, id) __field(s32, pid) __field(u32, cpu)
				     __field(u32, gone)),
	    TP_fast_assign(__entry->id = thread->task.id; __entry->pid = thread->linux_task->pid;
			   __entry->cpu = thread->cpu; __entry->gone = gone;),
	    TP_printk("id=%u pid=%d cpu=%u why=%s", __entry->id, __entry->pid, __entry->cpu,
		      __print_symbolic(__entry->gone, RESCH_TRACE_GONE)));

/* A job event: which job of which task, with its nominal release and deadline. */
DECLARE_EVENT_CLASS(
	resch_job_class, TP_PROTO(const struct resch_thread *thread, u64 now, u64 value),
	TP_ARGS(thread, now, value),
	TP_STRUCT__entry(__field(u32, id) __field(s32, pid) __field(u32, cpu) __field(u64, job)
				 __field(u64, release) __field(u64, deadline) __field(u64, now)
					 __field(u64, value)),
	TP_fast_assign(__entry->id = thread->task.id; __entry->pid = thread->linux_task->pid;
		       __entry->cpu = thread->cpu; __entry->job = thread->task.job.index;
		       __entry->release = thread->task.job.release;
		       __entry->deadline = thread->task.job.deadline; __entry->now = now;
		       __entry->value = value;),
	TP_printk("id=%u pid=%d cpu=%u job=%llu release=%llu deadline=%llu now=%llu value=%llu",
		  __entry->id, __entry->pid, __entry->cpu, __entry->job, __entry->release,
		  __entry->deadline, __entry->now, __entry->value));

#define RESCH_JOB_EVENT(name)                                                         \
	DEFINE_EVENT(resch_job_class, name,                                           \
		     TP_PROTO(const struct resch_thread *thread, u64 now, u64 value), \
		     TP_ARGS(thread, now, value))

/* A job was released and is ready. value: releases skipped just before it. */
RESCH_JOB_EVENT(resch_release);
/* A job ended. value: its execution time. */
RESCH_JOB_EVENT(resch_complete);
/*
 * A job blocked in the kernel (or in RESCH_IOC_DELAY), and became ready again. value: execution
 * time so far.
 */
RESCH_JOB_EVENT(resch_block);
RESCH_JOB_EVENT(resch_wake);
/* A deadline was missed. value: tardiness; 0 when noted at the deadline itself. */
RESCH_JOB_EVENT(resch_miss);
/* A job executed for its wcet. value: execution time so far. */
RESCH_JOB_EVENT(resch_overrun);
/* The budget of a throttled job was replenished. value: the budget. */
RESCH_JOB_EVENT(resch_budget);
/*
 * A job was stopped by an overrun or a miss until its budget is replenished. value: execution time
 * so far.
 */
RESCH_JOB_EVENT(resch_throttle);
/* The CPU's choice fell on this job. value: until when the choice holds. */
RESCH_JOB_EVENT(resch_select);
/*
 * A task with a lead got the CPU ahead of its release, and begins its job now. value: time since it
 * was there.
 */
RESCH_JOB_EVENT(resch_begin);
/* The lead of a task from now on. value: ns. */
RESCH_JOB_EVENT(resch_lead);
/* The distance of a task's releases, from its current or next one on. value: ns. */
RESCH_JOB_EVENT(resch_pace);
/* A deselected thread arrived at its parking place (it ran until here). value: 0. */
RESCH_JOB_EVENT(resch_park);
/*
 * A deselected thread stayed in the kernel for too long and is demoted. value: time since it was
 * deselected.
 */
RESCH_JOB_EVENT(resch_escalate);

TRACE_EVENT(resch_deselect, TP_PROTO(const struct resch_thread *thread, u64 now, u32 why),
	    TP_ARGS(thread, now, why),
	    TP_STRUCT__entry(__field(u32, id) __field(s32, pid) __field(u32, cpu) __field(u32, why)
				     __field(u64, job) __field(u64, now)),
	    TP_fast_assign(__entry->id = thread->task.id; __entry->pid = thread->linux_task->pid;
			   __entry->cpu = thread->cpu; __entry->why = why;
			   __entry->job = thread->task.job.index; __entry->now = now;),
	    TP_printk("id=%u pid=%d cpu=%u job=%llu now=%llu why=%s", __entry->id, __entry->pid,
		      __entry->cpu, __entry->job, __entry->now,
		      __print_symbolic(__entry->why, RESCH_TRACE_WHY)));

/* A domain's CPU went over to another plugin; one event a CPU. */
/* A plan: `count` resch_reserve events of the same domain follow. It holds from `from` on. */
TRACE_EVENT(resch_plan, TP_PROTO(u32 domain, u64 slot, u64 from, u32 count),
	    TP_ARGS(domain, slot, from, count),
	    TP_STRUCT__entry(__field(u32, domain) __field(u64, slot) __field(u64, from)
				     __field(u32, count)),
	    TP_fast_assign(__entry->domain = domain; __entry->slot = slot; __entry->from = from;
			   __entry->count = count;),
	    TP_printk("domain=%u slot=%llu from=%llu count=%u", __entry->domain, __entry->slot,
		      __entry->from, __entry->count));

/* [begin, end) of each slot belongs to `group` on `cpu`. */
TRACE_EVENT(resch_reserve, TP_PROTO(u32 domain, const struct resch_reserve *reserve),
	    TP_ARGS(domain, reserve),
	    TP_STRUCT__entry(__field(u32, domain) __field(u32, group) __field(u32, cpu)
				     __field(u64, begin) __field(u64, end)),
	    TP_fast_assign(__entry->domain = domain; __entry->group = reserve->group;
			   __entry->cpu = reserve->cpu; __entry->begin = reserve->begin;
			   __entry->end = reserve->end;),
	    TP_printk("domain=%u group=%u cpu=%u begin=%llu end=%llu", __entry->domain,
		      __entry->group, __entry->cpu, __entry->begin, __entry->end));

/*
 * A server was made, or resized, or a plugin takes over while it stands; budget=0: it is gone.
 * overhead: what the domain adds to each job; capacity: what of the CPU it gives to servers, ppm.
 */
TRACE_EVENT(
	resch_server_set,
	TP_PROTO(const struct resch_rq *rq, u32 domain, u32 id,
		 const struct resch_server_params *params),
	TP_ARGS(rq, domain, id, params),
	TP_STRUCT__entry(__field(u32, domain) __field(u32, cpu) __field(u32, server) __field(
		u32, kind) __field(u32, policy) __field(u32, overhead) __field(u32, flags)
				 __field(u32, capacity) __field(u64, budget) __field(u64, period)
					 __field(u64, quantum) __array(char, name, RESCH_NAME_LEN)),
	TP_fast_assign(__entry->domain = domain; __entry->cpu = rq->cpu; __entry->server = id;
		       __entry->kind = params->kind; __entry->policy = params->policy;
		       __entry->overhead = rq->overhead; __entry->flags = params->flags;
		       __entry->capacity = rq->capacity; __entry->budget = params->budget;
		       __entry->period = params->period; __entry->quantum = params->quantum;
		       memcpy(__entry->name, params->name, RESCH_NAME_LEN);),
	TP_printk(
		"domain=%u cpu=%u server=%u name=%s kind=%u policy=%u budget=%llu period=%llu quantum=%llu overhead=%u flags=%u capacity=%u",
		__entry->domain, __entry->cpu, __entry->server, __entry->name, __entry->kind,
		__entry->policy, __entry->budget, __entry->period, __entry->quantum,
		__entry->overhead, __entry->flags, __entry->capacity));

/*
 * What happened to the budget of a server: RESCH_SERVER_EXHAUSTED and its like. left and deadline:
 * from then on.
 */
TRACE_EVENT(resch_server, TP_PROTO(u32 domain, u32 cpu, const struct resch_server *server, u64 now),
	    TP_ARGS(domain, cpu, server, now),
	    TP_STRUCT__entry(__field(u32, domain) __field(u32, cpu) __field(u32, server)
				     __field(u32, what) __field(s64, left) __field(u64, deadline)
					     __field(u64, now)),
	    TP_fast_assign(__entry->domain = domain; __entry->cpu = cpu;
			   __entry->server = server->id; __entry->what = server->notes;
			   __entry->left = server->state.left;
			   __entry->deadline = server->state.deadline; __entry->now = now;),
	    TP_printk("domain=%u cpu=%u server=%u what=%u left=%lld deadline=%llu now=%llu",
		      __entry->domain, __entry->cpu, __entry->server, __entry->what, __entry->left,
		      __entry->deadline, __entry->now));

/*
 * `thread` takes up a call of `client`, and is in its server from then on; begin=0: it is back in
 * its own. discard=1: what is left of the client's budget is given up with that.
 */
TRACE_EVENT(resch_serve,
	    TP_PROTO(const struct resch_thread *thread, const struct resch_thread *client,
		     bool begin, bool discard, u64 now),
	    TP_ARGS(thread, client, begin, discard, now),
	    TP_STRUCT__entry(__field(u32, id) __field(u32, client) __field(u32, cpu)
				     __field(u32, server) __field(u32, begin) __field(u32, discard)
					     __field(u64, now)),
	    TP_fast_assign(__entry->id = thread->task.id; __entry->client = client->task.id;
			   __entry->cpu = thread->cpu; __entry->server = thread->task.server->id;
			   __entry->begin = begin; __entry->discard = discard; __entry->now = now;),
	    TP_printk("id=%u client=%u cpu=%u server=%u begin=%u discard=%u now=%llu", __entry->id,
		      __entry->client, __entry->cpu, __entry->server, __entry->begin,
		      __entry->discard, __entry->now));

/*
 * A chain is made of as many tasks, each a resch_chain_stage that follows; stages=0: they are none
 * of it any more.
 */
TRACE_EVENT(resch_chain_set,
	    TP_PROTO(u32 chain, u32 protocol, u32 stages, u64 period, u64 deadline,
		     const char *name),
	    TP_ARGS(chain, protocol, stages, period, deadline, name),
	    TP_STRUCT__entry(__field(u32, chain) __field(u32, protocol) __field(u32, stages)
				     __field(u64, period) __field(u64, deadline)
					     __array(char, name, RESCH_NAME_LEN)),
	    TP_fast_assign(__entry->chain = chain; __entry->protocol = protocol;
			   __entry->stages = stages; __entry->period = period;
			   __entry->deadline = deadline;
			   memcpy(__entry->name, name, RESCH_NAME_LEN);),
	    TP_printk("chain=%u name=%s protocol=%u stages=%u period=%llu deadline=%llu",
		      __entry->chain, __entry->name, __entry->protocol, __entry->stages,
		      __entry->period, __entry->deadline));

TRACE_EVENT(resch_chain_stage,
	    TP_PROTO(u32 chain, u32 stage, u32 task, u64 phase, u32 from, bool any),
	    TP_ARGS(chain, stage, task, phase, from, any),
	    TP_STRUCT__entry(__field(u32, chain) __field(u32, stage) __field(u32, task)
				     __field(u64, phase) __field(u32, from_mask) __field(u32, any)),
	    TP_fast_assign(__entry->chain = chain; __entry->stage = stage; __entry->task = task;
			   __entry->phase = phase; __entry->from_mask = from; __entry->any = any;),
	    TP_printk("chain=%u stage=%u task=%u phase=%llu from_mask=%u any=%u", __entry->chain,
		      __entry->stage, __entry->task, __entry->phase, __entry->from_mask,
		      __entry->any));

/*
 * A stage's job ended: what became of its instance, RESCH_INSTANCE_HANDED and its like. The last
 * two come at no end of a job.
 */
TRACE_EVENT(resch_chain,
	    TP_PROTO(u32 chain, u64 instance, u32 stage, u32 task, u32 what, u64 origin, u64 now),
	    TP_ARGS(chain, instance, stage, task, what, origin, now),
	    TP_STRUCT__entry(__field(u32, chain) __field(u32, stage) __field(u32, task)
				     __field(u32, what) __field(u64, instance) __field(u64, origin)
					     __field(u64, now)),
	    TP_fast_assign(__entry->chain = chain; __entry->instance = instance;
			   __entry->stage = stage; __entry->task = task; __entry->what = what;
			   __entry->origin = origin; __entry->now = now;),
	    TP_printk("chain=%u instance=%llu stage=%u task=%u what=%u origin=%llu now=%llu",
		      __entry->chain, __entry->instance, __entry->stage, __entry->task,
		      __entry->what, __entry->origin, __entry->now));

TRACE_EVENT(resch_swap, TP_PROTO(u32 domain, u32 cpu, const char *from, const char *to),
	    TP_ARGS(domain, cpu, from, to),
	    TP_STRUCT__entry(__field(u32, domain) __field(u32, cpu)
				     __array(char, from, RESCH_NAME_LEN)
					     __array(char, to, RESCH_NAME_LEN)),
	    TP_fast_assign(__entry->domain = domain; __entry->cpu = cpu;
			   strscpy(__entry->from, from, RESCH_NAME_LEN);
			   strscpy(__entry->to, to, RESCH_NAME_LEN);),
	    TP_printk("domain=%u cpu=%u from=%s to=%s", __entry->domain, __entry->cpu,
		      __entry->from, __entry->to));

TRACE_EVENT(resch_eject, TP_PROTO(u32 domain, u32 cpu, const char *plugin, const char *reason),
	    TP_ARGS(domain, cpu, plugin, reason),
	    TP_STRUCT__entry(__field(u32, domain) __field(u32, cpu)
				     __array(char, plugin, RESCH_NAME_LEN)
					     __array(char, reason, RESCH_REASON_LEN)),
	    TP_fast_assign(__entry->domain = domain; __entry->cpu = cpu;
			   strscpy(__entry->plugin, plugin, RESCH_NAME_LEN);
			   strscpy(__entry->reason, reason, RESCH_REASON_LEN);),
	    TP_printk("domain=%u cpu=%u plugin=%s reason=%s", __entry->domain, __entry->cpu,
		      __entry->plugin, __entry->reason));

/*
 * A thread is asked to go from an RT CPU or to one, to balance the load or (`home`) to where it
 * belongs.
 */
TRACE_EVENT(resch_move, TP_PROTO(s32 pid, u32 from, u32 to, bool realtime, bool home),
	    TP_ARGS(pid, from, to, realtime, home),
	    TP_STRUCT__entry(__field(s32, pid) __field(u32, cpu) __field(u32, to)
				     __field(u32, realtime) __field(u32, home)),
	    TP_fast_assign(__entry->pid = pid; __entry->cpu = from; __entry->to = to;
			   __entry->realtime = realtime; __entry->home = home;),
	    TP_printk("pid=%d cpu=%u to=%u realtime=%u home=%u", __entry->pid, __entry->cpu,
		      __entry->to, __entry->realtime, __entry->home));

#endif /* _RESCH_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
