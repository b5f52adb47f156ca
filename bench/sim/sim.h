/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sim.h - a simulated machine under the very plugins that the kernel loads
 *
 * The simulator stands where the core stands in the kernel: it releases jobs, tells the plugin,
 * asks it to pick, and reacts to overruns and misses as uapi/linux/resch.h says. Time is in ns and
 * jumps from event to event; switching costs nothing unless told otherwise. The same task set,
 * options and seed give the same schedule everywhere.
 *
 *   engine.c   events, decisions                events.c  which comes next
 *   place.c    admission, placement, change of plugins
 *   main.c     the command                      jobs.c    the life of jobs, reactions
 *   options.c  its options
 *   layout.c   task sets with their plans, from reschctl assign
 *   whole.c    plugins that decide for all CPUs at once: moves, kicks, ways out of a CPU
 *   plan.c     time slots: plans from files, groups, who was where when
 *   server.c   servers: from files, admitted            chain*.c  chains of stages, see chain.h
 *   trace.c    the events as lines of text      report.c  tables, JSON
 */
#ifndef _RESCH_SIM_H
#define _RESCH_SIM_H

#include <stdio.h>

#include <resch/inner.h>
#include <resch/trace-words.h>

#include <resch.h>

#include "random.h"
#include "taskset.h"

#define SIM_SWAPS_MAX 16
#define SIM_IRQS_MAX 8
/* how long a plugin may leave ready tasks waiting for nobody, ns; as in the core */
#define SIM_WATCHDOG 1000000000ULL

/** struct sim_swap - at @at another plugin takes over */
struct sim_swap {
	u64 at;
	char plugin[RESCH_NAME_LEN];
	char options[RESCH_OPTIONS_LEN];
};

/**
 * struct sim_irq - an interrupt that takes @cost from its CPU every @period, ns
 * @cpu: where, or -1: on each CPU. The first one comes at random in the first period
 */
struct sim_irq {
	u64 period;
	u64 cost;
	s32 cpu;
};

/**
 * struct sim_config
 * @plugin, @options: as for a domain
 * @cpus:      how many
 * @end:       when to stop, ns
 * @seed:      for everything random
 * @capacity:  parts per million
 * @overhead:  what admission adds to each wcet, ns
 * @switch_cost:  what a CPU loses when it changes to another task, ns
 * @release_cost: what a release takes from whoever runs there, ns
 * @jitter:    timers and kicks arrive late by up to this, at random, ns
 * @release_jitter: releases (and what else a task waits for) likewise, ns
 * @stop_min, @stop_max: how long a deselected task takes to leave its CPU, at random, ns.
 *   RESCH_PLUGIN_WHOLE only
 * @force:     take every task, whatever admission says
 * @trace:     where events go, or NULL
 */
struct sim_config {
	char plugin[RESCH_NAME_LEN];
	char options[RESCH_OPTIONS_LEN];
	u32 cpus;
	u64 end;
	u64 seed;
	u32 capacity;
	u32 overhead;
	u64 switch_cost;
	u64 release_cost;
	u64 jitter;
	u64 release_jitter;
	u64 stop_min;
	u64 stop_max;
	struct sim_irq irqs[SIM_IRQS_MAX];
	u32 nr_irqs;
	bool force;
	bool general; /* nothing goes by resch/straight.h */
	FILE *trace;
	struct sim_swap swaps[SIM_SWAPS_MAX];
	u32 nr_swaps;
};

/** struct sim_event - a member of at most one struct sim_events; all zero is one that isn't in it
 * @key: when; @tie: smallest first among equal keys; both meaningful while it is in there
 * @at:  its place, plus one
 */
struct sim_event {
	u64 key;
	u64 tie;
	u32 at;
};

/** struct sim_entry - a place in the heap */
struct sim_entry {
	u64 key;
	u64 tie;
	struct sim_event *event;
};

/** struct sim_events - a heap with room for @room of them */
struct sim_events {
	struct sim_entry *heap;
	u32 count;
	u32 room;
};

/*
 *               release                      done
 *   SLEEPING -------------> READY --------------------> SLEEPING
 *                           |   ^
 *      throttle             v   | replenished at the next release
 *                         THROTTLED
 *   READY -- demote --> BACKGROUND (runs when nobody is selected) -- done --> SLEEPING
 */
enum sim_state { SIM_SLEEPING, SIM_READY, SIM_THROTTLED, SIM_BACKGROUND };

struct sim_cpu;
struct sim_stage;
struct sim_chains;

struct sim_task {
	struct resch_task task;
	struct taskset_task spec;
	struct sim *sim;
	struct sim_cpu *cpu;
	struct sim_cpu *home; /* where it joined */
	enum sim_state state;
	/* in sim->events: release, replenishment or watched deadline, whichever is first */
	struct sim_event timer;
	struct resch_node back; /* in cpu->background */
	struct sim_event stop; /* in sim->events: has left its CPU */
	struct sim_task *member; /* the next one of its group */
	struct sim_stage *stage; /* of a chain, see chain.h; or NULL */
	u64 due; /* when its timer should have fired */
	u64 random;
	u64 need; /* what the job executes for in all, ns */
	u64 executed; /* so far: what is the CPU time of a thread in the kernel */
	struct resch_life life;
	struct resch_stats stats;
	u64 released;
	u64 outside; /* executed outside the windows of its group, ns */
	u64 outside_max; /* the longest stretch of that */
};

/** struct sim_tick - the next interrupt of a kind on a CPU */
struct sim_tick {
	struct sim_event event; /* in sim->events */
	const struct sim_irq *irq;
	struct sim_cpu *cpu;
};

struct sim_cpu {
	struct resch_rq rq;
	struct sim *sim;
	/* in sim->events: end of what is running, of its budget, or of the pick */
	struct sim_event event;
	struct sim_event kick; /* in sim->events */
	struct sim_task *selected;
	struct sim_task *running; /* selected, or the first one in the background */
	struct sim_task *last; /* whom a switch to would be free */
	struct resch_queue background;
	struct sim_cpu *next_changed;
	bool changed;
	bool link; /* who has it keeps it to the end of the job */
	u64 since; /* execution is accounted up to here ... */
	u64 lost_to; /* ... and none happens before this */
	u64 until; /* of the pick ... */
	u64 heard; /* ... and when its timer really fires */
	u64 as_of; /* the time that its interrupt was meant for, 0: now */
	u64 asked; /* the latest time that the plugin was told here */
	u64 random;
	u64 stray_from; /* since when it executes outside the group's windows */
	u64 starved; /* since when ready tasks wait for nobody, 0: they don't */
	u64 busy; /* ns that tasks executed */
	u32 nr_ready;
};

/** struct sim_plan - a plan, and the room that it takes */
struct sim_plan {
	struct resch_plan plan;
	struct resch_reserve *reserves; /* by CPU and begin */
	u32 count;
};

/** struct sim_group - a group of a plan, and its tasks */
struct sim_group {
	struct resch_group group;
	struct sim_task *members;
};

/**
 * struct sim_server - a server, on its CPU; @inner: what server.inner points to; @policy: its name
 */
struct sim_server {
	struct resch_server server;
	struct resch_inner inner;
	struct sim_cpu *cpu;
	char policy[8 + RESCH_NAME_LEN];
};

struct sim {
	struct sim_config config;
	const struct resch_plugin *plugin;
	u64 domain[RESCH_DOMAIN_PRIVATE];
	struct sim_cpu *cpus;
	struct sim_task **tasks; /* by id - 1 */
	u32 nr_tasks;
	struct sim_events events;
	struct sim_event swap; /* in events */
	u32 next_swap;
	struct sim_cpu *changed;
	struct resch_rq **peers;
	struct sim_tick *ticks; /* config.nr_irqs for each CPU */
	struct sim_plan **plans; /* in the order in which they come into force */
	u32 nr_plans;
	u32 plan; /* how many are, or were, in force */
	struct resch_group **groups; /* by id; all that a plan can have */
	struct sim_server **servers; /* by id - 1 */
	u32 nr_servers;
	struct sim_chains *chains; /* or NULL */
	/* for tests: a CPU executes nothing, or the task, in [@from, @to) */
	void (*watch)(struct sim *sim, struct sim_task *task, u64 from, u64 to);
	/* for tests: the plugin has noted something about the server */
	void (*watch_server)(struct sim *sim, struct resch_server *server);
	void *watcher;
	u64 served; /* when a CPU last had somebody to pick */
	u64 now;
	u64 told; /* now, or earlier: what ops are told of an event that came late */
	bool straight; /* what happens now goes by resch/straight.h */
	u64 decisions;
	u64 straights; /* of these, those that went so */
	u64 kicks;
	u64 parallel; /* times that a group came to be on two CPUs at once */
	char fault[RESCH_REASON_LEN]; /* what the plugin did wrong; the simulation ended there */
};

/*
 * Which of several events at one time comes first: what a job achieves by its deadline, it achieves
 * in time.
 */
enum sim_order {
	SIM_EVENT_CPU,
	SIM_EVENT_STOP,
	SIM_EVENT_KICK,
	SIM_EVENT_SWAP,
	SIM_EVENT_TIMER,
	SIM_EVENT_FORWARD, /* as SIM_EVENT_TIMER, of a stage that another one releases */
	SIM_EVENT_TICK
};

static inline u64 sim_tie(enum sim_order order, u32 number)
{
	return ((u64)order << 32) | number;
}

/* Uniform in [low, high]. */
static inline u64 sim_random(u64 *state, u64 low, u64 high)
{
	u64 z = random_mix(*state += RANDOM_STEP);

	if (low >= high)
		return low;
	return low + mul_u64_u64_shr(z, high - low + 1, 64);
}

/* Times of options and plans are written as everywhere: with a unit. */
static inline int sim_parse_time(const char *text, u64 *ns)
{
	return resch_time_parse(text, ns);
}

/* ---- place.c --------------------------------------------------------------------------------- */

const struct resch_plugin *sim_plugin_find(const char *name);
/* Names for a message: the @index-th plugin, or NULL. */
const struct resch_plugin *sim_plugin_at(u32 index);
/* "key=value,key=value" -> option() for each, into @domain. -EINVAL */
int sim_plugin_options(const struct resch_plugin *plugin, const char *options, u64 *domain);

/*
 * NULL: no such plugin, a bad option, or no memory; a sentence in @error. The caller owns it:
 * sim_free().
 */
struct sim *sim_new(const struct sim_config *config, char *error, size_t size);
void sim_free(struct sim *sim);

/*
 * A task joins before the start: on its CPU, or on the first that takes it. -EBUSY with @verdict,
 * -ENODEV: no such CPU
 */
int sim_add(struct sim *sim, const struct taskset_task *spec, struct resch_verdict *verdict);

/*
 * Another plugin takes the tasks and their jobs over. -EBUSY with @verdict, -ENOENT, -EINVAL: the
 * old one stays
 */
int sim_swap(struct sim *sim, const struct sim_swap *swap, struct resch_verdict *verdict);

/* Would @plugin, with its words in @domain, take all tasks under @plan? -EBUSY with @verdict */
int sim_readmit(const struct sim *sim, const struct resch_plugin *plugin, const u64 *domain,
		const struct resch_plan *plan, struct resch_verdict *verdict);

/* ---- events.c -------------------------------------------------------------------------------- */

static inline bool sim_event_queued(const struct sim_event *event)
{
	return event->at;
}

static inline struct sim_event *sim_event_first(const struct sim_events *events)
{
	return events->count ? events->heap[0].event : NULL;
}

/* Puts @event in, or moves it. There has to be room: sim_events_grow() */
void sim_event_set(struct sim_events *events, struct sim_event *event, u64 key, u64 tie);
/* Takes @event, which is in it, out. */
void sim_event_drop(struct sim_events *events, struct sim_event *event);
/* Makes room for @room events in all. -ENOMEM */
int sim_events_grow(struct sim_events *events, u32 room);

/* ---- engine.c -------------------------------------------------------------------------------- */

/* Runs up to config.end. 0, or -EPROTO: the plugin misbehaved, see sim->fault. */
int sim_run(struct sim *sim);

void sim_enqueue(struct sim_task *task, enum resch_why why);
void sim_dequeue(struct sim_task *task, enum resch_why why);
/* Takes the CPU from its choice. @why: the trace's word. */
void sim_deselect(struct sim_cpu *cpu, enum resch_off why);
void sim_lose(struct sim_cpu *cpu, u64 cost);
/* Brings what @cpu has executed up to date; every event on it begins so. Asks for a decision. */
void sim_touch(struct sim_cpu *cpu);
void sim_fault(struct sim *sim, const char *reason, const struct sim_cpu *cpu);

/* ---- whole.c --------------------------------------------------------------------------------- */

static inline bool sim_whole(const struct sim *sim)
{
	return sim->plugin->flags & RESCH_PLUGIN_WHOLE;
}

/* It is the CPU's choice, and on it: a task of another CPU moves. */
void sim_arrive(struct sim_cpu *cpu, struct sim_task *task);
/* It is no longer chosen: on its way out, or out. */
void sim_depart(struct sim_task *task);
/* Its way out has ended. */
void sim_stopped(struct sim_task *task);
void sim_move(struct sim_task *task, struct sim_cpu *to);
/* The CPUs that the plugin kicked in an op for @rq. */
void sim_flush_kicks(struct sim *sim, struct resch_rq *rq);
/* When an interrupt of @cpu comes that is due at @due and late by up to @jitter. */
u64 sim_late(struct sim_cpu *cpu, u64 due, u64 jitter);

/* ---- plan.c ---------------------------------------------------------------------------------- */

/** struct sim_plan_file - what a file held; @reserves is the caller's to free */
struct sim_plan_file {
	struct resch_reserve *reserves;
	u32 count;
	u64 slot;
	u64 from;
};

/*
 * "slot,TIME", "from,TIME", then lines of group,cpu,begin,end; # begins a comment. -EINVAL,
 * -ENOMEM, with a sentence in @error
 */
int sim_plan_read(FILE *file, struct sim_plan_file *plan, char *error, size_t size);

/*
 * One more plan: in force from file->from on, or the first slot boundary of the plan before that is
 * not earlier. -EINVAL: as for RESCH_IOC_PLAN_SET. -EBUSY with @verdict: a task that is there would
 * lose its guarantee
 */
int sim_plan_add(struct sim *sim, const struct sim_plan_file *file, struct resch_verdict *verdict);
void sim_plan_free(struct sim *sim);

/* The plan that holds after all that were added, or NULL. */
const struct resch_plan *sim_plan_latest(const struct sim *sim);
/* Where the core puts a task: the CPU of its group's first reserve. -EINVAL: it has none */
int sim_plan_home(const struct sim *sim, const struct resch_task_params *params);
/* Brings a plan into force whose time has come. When the next one's will: for the CPU's timer. */
u64 sim_plan_update(struct sim_cpu *cpu, u64 now);
/* The task has executed on @cpu in [@from, @to): where it should? */
void sim_plan_account(struct sim_cpu *cpu, struct sim_task *task, u64 from, u64 to);

/* ---- layout.c -------------------------------------------------------------------------------- */

/** struct sim_layout - a task set, its plan, and the @plugin that carries it out */
struct sim_layout {
	struct taskset set;
	struct sim_plan_file plan;
	const char *plugin;
};

/* Is what comes next in @file an object of JSON? Only blanks are read. */
bool sim_is_json(FILE *file);
/*
 * What reschctl assign --json prints. -EINVAL, -ENOMEM, with a sentence in @error; else the caller
 * is to sim_layout_free()
 */
int sim_layout_read(FILE *file, struct sim_layout *layout, char *error, size_t size);
void sim_layout_free(struct sim_layout *layout);

/* ---- server.c -------------------------------------------------------------------------------- */

#define SIM_SERVERS_MAX 64

/** struct sim_inside - the plugin inside a server, and its options; no name: there is none */
struct sim_inside {
	char plugin[RESCH_NAME_LEN];
	char options[RESCH_OPTIONS_LEN];
};

/** struct sim_server_file - what a file held */
struct sim_server_file {
	struct resch_server_params params[SIM_SERVERS_MAX];
	struct sim_inside inside[SIM_SERVERS_MAX];
	u32 count;
};

/* -EINVAL, with a sentence in @error */
int sim_server_read(FILE *file, struct sim_server_file *servers, char *error, size_t size);

/*
 * One more server, before the start: on its CPU, or on the first that takes it. -EBUSY with
 * @verdict, -ENODEV: no such CPU, -EOPNOTSUPP: the plugin has no servers, -EINVAL: or none of that
 * kind with that policy, quantum and flags, -ENOMEM
 */
int sim_server_add(struct sim *sim, const struct resch_server_params *params,
		   struct resch_verdict *verdict);
/*
 * A RESCH_SERVER_PLUGIN one, just added, gets its plugin (else it goes by EDF). -EINVAL: that can't
 * run inside a server of that kind, or does not take the options
 */
int sim_server_put_inside(struct sim_server *server, const struct resch_plugin *plugin,
			  const char *options);
void sim_server_free(struct sim *sim);
/* Another plugin takes over. */
void sim_server_reset(struct sim *sim);

/* NULL: there is none with this id. */
struct sim_server *sim_server_find(const struct sim *sim, u32 id);
/* Where the core puts a task: the CPU of its server. -EINVAL: it has none */
int sim_server_home(const struct sim *sim, const struct resch_task_params *params);
/* Would @plugin take the servers on @rq? -EBUSY with @verdict */
int sim_server_admit(const struct sim *sim, const struct resch_plugin *plugin,
		     const struct resch_rq *rq, struct resch_verdict *verdict);
/* What the plugin has noted in an op for @rq goes to the trace. */
void sim_server_flush(struct sim *sim, struct resch_rq *rq);
/* The longest period of a server on the CPU. */
u64 sim_server_period(const struct sim_cpu *cpu);
const char *sim_server_kind(const struct sim_server *server);

/* ---- jobs.c ---------------------------------------------------------------------------------- */

void sim_job_first(struct sim_task *task);
/* The task, which sleeps, waits for the release that its chain has for it. */
void sim_job_await(struct sim_task *task);
void sim_job_expire(struct sim_task *task);
/* The running job of @cpu may be done, or over its budget. */
void sim_job_progress(struct sim_cpu *cpu);
/* Unfinished jobs past their deadlines count as misses at the end. */
void sim_job_finish(struct sim_task *task);

/* ---- trace.c --------------------------------------------------------------------------------- */

/* The first line, a comment: which plugins with which options, which machine. */
void sim_trace_begin(const struct sim *sim);
void sim_trace_attach(const struct sim_task *task);
void sim_trace_plan(const struct sim *sim, const struct sim_plan *plan);
void sim_trace_server_set(const struct sim *sim, const struct sim_server *server);
void sim_trace_server(const struct sim *sim, const struct resch_server *server);
void sim_trace_job(const char *event, const struct sim_task *task, u64 value);
void sim_trace_deselect(const struct sim_task *task, enum resch_off why);
void sim_trace_swap(const struct sim_cpu *cpu, const char *from, const char *to);
void sim_trace_eject(const struct sim_cpu *cpu, const char *reason);

/* ---- report.c -------------------------------------------------------------------------------- */

void sim_report_table(const struct sim *sim, FILE *out);
void sim_report_json(const struct sim *sim, FILE *out);
/* A JSON string. Bytes beyond ASCII pass as they are. */
void sim_report_text(const char *text, FILE *out);

#endif /* _RESCH_SIM_H */
