/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * resch-server.h - applications in servers: how large a server has to be, or becomes as it is used,
 * and jobs as functions
 *
 * Sizes are what the plugin `server` admits: a server that resch_server_size() has found takes the
 * tasks, one whose budget is 1 ns smaller refuses one of them (or cannot be shown to carry them
 * without a long search, which counts as no). The kinds of servers and the bounds
 * are described in docs/servers.md. Nothing in the first two parts talks to the kernel. Times are
 * nanoseconds.
 */
#ifndef _RESCH_SERVER_H
#define _RESCH_SERVER_H

#include <resch.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RESCH_SERVER_TASKS_MAX 4096
/* Shares of a processor are given in these. */
#define RESCH_SHARE_UNIT 1000000000ULL
/* A buffer of this size takes any text that resch_open_text() makes. */
#define RESCH_OPEN_TEXT 320

/* ---- sizes ----------------------------------------------------------------------------------- */

/**
 * struct resch_server_task - a task that is to be in a server
 * @wcet:     longest execution of a job, ns; at least 1
 * @deadline: relative, ns; 0: the period
 * @period:   least time between two releases, ns; 1 us to 1 h
 * @priority: for RESCH_SERVER_PRIORITY: smaller first, 0: after those, as DM
 * @reserved: zero
 *
 * Of tasks that are equal under a policy the one that registers first goes first: give them in the
 * order in which they will.
 */
struct resch_server_task {
	uint64_t wcet;
	uint64_t deadline;
	uint64_t period;
	uint32_t priority;
	uint32_t reserved;
};

/**
 * resch_server_fits - would a server take the tasks?
 * @params:   kind, policy, budget, period and quantum count
 * @overhead: that of the domain: added to each wcet, ns
 * @verdict:  out, with -EBUSY: the bound that is broken; @task is a number from 1; may be NULL
 *
 * Return: 0; -EBUSY: no; -EINVAL: something is out of range.
 */
int resch_server_fits(const struct resch_server_params *params,
		      const struct resch_server_task *tasks, uint32_t count, uint64_t overhead,
		      struct resch_verdict *verdict);

/**
 * resch_server_size - the smallest server that takes the tasks
 * @params:   in: kind, policy, quantum, period; out: budget. A period of 0: it is chosen, too, such
 *            that (budget + overhead) / period is the least among the whole fractions, down to a
 *            64th and to 100 us, of all periods and deadlines; of equal ones the longest
 * @overhead: that of the domain: added to each wcet, and once a period to the budget, ns
 * @verdict:  out, with -EBUSY: what even a server of all the CPU breaks; may be NULL
 *
 * Return: 0; -EBUSY: no server with this period takes them; -EINVAL: something is out of range.
 */
int resch_server_size(struct resch_server_params *params, const struct resch_server_task *tasks,
		      uint32_t count, uint64_t overhead, struct resch_verdict *verdict);

/**
 * resch_server_capacity - the speed of the slowest processor of their own on which the tasks meet
 * their deadlines: the required capacity
 * @policy:   enum resch_server_policy; with RESCH_SERVER_RR @quantum is a turn, ns
 * @capacity: out: in units of 1 / RESCH_SHARE_UNIT, rounded up
 *
 * Deng, Liu, Scheduling real-time applications in an open environment, RTSS 1997; under fixed
 * priorities it is that of Lehoczky, Sha, Ding, RTSS 1989.
 *
 * Return: 0; -EBUSY: not even with all of a processor; -EINVAL: something is out of range.
 */
int resch_server_capacity(uint32_t policy, uint64_t quantum, const struct resch_server_task *tasks,
			  uint32_t count, uint64_t *capacity);

/* ---- budgets that follow what is used -------------------------------------------------------- */

#define RESCH_TUNE_WINDOW 64 /* samples at most */
/* Room over what was used, in percent. */
#define RESCH_TUNE_SPARE_MIN 5
#define RESCH_TUNE_SPARE_MAX 400

/**
 * struct resch_tune - how a budget follows what is used, and what has been seen
 * @least, @most: bounds of the budget, ns; @least is at least 1
 * @spare:    room over what was used, percent: RESCH_TUNE_SPARE_MIN to RESCH_TUNE_SPARE_MAX
 * @window:   so many samples count, 1 to RESCH_TUNE_WINDOW: the time for which it keeps a budget
 *            that has become too large
 * @ignore:   so many of the largest of them don't; less than @window
 * @seen:     samples that there were, by which the last one is found in @used; 0 at first
 * @since:    when the last one ended, CLOCK_MONOTONIC, ns; 0 at first
 * @consumed: resch_server_stat.consumed then
 * @period:   the server's then
 * @used:     what was used in a period, on an average over each sample, ns; the last one is at
 *            (@seen - 1) % @window
 */
struct resch_tune {
	uint64_t least;
	uint64_t most;
	uint32_t spare;
	uint32_t window;
	uint32_t ignore;
	uint32_t seen;
	uint64_t since;
	uint64_t consumed;
	uint64_t period;
	uint64_t used[RESCH_TUNE_WINDOW];
};

/**
 * resch_tune_budget - the budget that a server is to have
 * @tune: a call is a sample: of the time since the call before, if that is a period or more and the
 *        server has tasks
 * @stat: of the server, as it is at @now
 * @now:  CLOCK_MONOTONIC, ns: resch_now()
 *
 * (1 + @spare) times the largest but @ignore of the last @window samples, between @least and @most
 * (and the period): the feedback of Cucinotta, Checconi, Abeni, Palopoli, Self-tuning schedulers
 * for legacy real-time applications, EuroSys 2010, with a quantile as the predictor. While a server
 * is used up it grows by @spare each sample; what needs d in each period then has (1 + @spare) d,
 * to a 50th, for as long as it does, and @window samples longer. A change by less than a 50th is
 * none, but to the upper bound.
 *
 * Return: it, ns; the server's own: leave it; 0: a member of @tune is out of range.
 */
uint64_t resch_tune_budget(struct resch_tune *tune, const struct resch_server_stat *stat,
			   uint64_t now);

/**
 * resch_server_tune - have a server's budget follow what is used: to be called again and again,
 * each ten of its periods, say
 * @want: in: domain and id; out: params are the server's, verdict is why it does not get all
 *
 * Asks for what resch_tune_budget() says; where admission refuses that, for what it would take of
 * it.
 *
 * Return: 1: the server has another budget from its next replenishment on; 0: it has the same;
 * -EBUSY: it has the same, for @want->verdict; -EINVAL: a member of @tune is out of range, or the
 * server is one of a band; others as resch_server_stat(), resch_server_set().
 */
int resch_server_tune(int fd, struct resch_tune *tune, struct resch_server_set *want);

/* ---- the open system ------------------------------------------------------------------------- */

/** enum resch_open_kind - what is known of an application's future */
enum resch_open_kind {
	/* Its jobs do not preempt each other. */
	RESCH_OPEN_NONPREEMPTIVE = 0,
	/*
	 * They do, and when the next one is released or ends is known: refused. Its size, the
	 * capacity alone, suffices a server whose budgets end at that event, which no server of
	 * resch's do: tasks would miss deadlines. Say non-predictable, or ask resch_server_size().
	 */
	RESCH_OPEN_PREDICTABLE = 1,
	/* They do, at any time. */
	RESCH_OPEN_NONPREDICTABLE = 2,
};

/**
 * struct resch_open_app - an application at the door of the open system
 * @capacity: required capacity, as resch_server_capacity() finds it
 * @shortest: its shortest relative deadline, ns
 * @section:  its longest non-preemptable section, ns
 * @kind:     enum resch_open_kind
 * @reserved: zero
 */
struct resch_open_app {
	uint64_t capacity;
	uint64_t shortest;
	uint64_t section;
	uint32_t kind;
	uint32_t reserved;
};

/**
 * struct resch_open_verdict - why an application was refused
 * @app:      which would lose its guarantee
 * @blocker:  whose section blocks it longest; the same as @app: nobody's
 * @sizes:    the sum of all sizes
 * @blocking: what blocks @app, as a share of its shortest deadline
 *
 * Shares are in units of 1 / RESCH_SHARE_UNIT; @sizes + @blocking is above that.
 */
struct resch_open_verdict {
	uint32_t app;
	uint32_t blocker;
	uint64_t sizes;
	uint64_t blocking;
};

/**
 * resch_open_size - the size of the server that an application needs
 * @quantum: the longest time that a budget covers in the non-predictable case, ns
 *
 * The required capacity c; in the non-predictable case c d / (d - q), for d the shortest deadline.
 *
 * Return: it, in units of 1 / RESCH_SHARE_UNIT, rounded up; UINT64_MAX: there is none, or the
 * application is predictable.
 */
uint64_t resch_open_size(const struct resch_open_app *app, uint64_t quantum);

/**
 * resch_open_admit - may these applications share a processor?
 * @quantum: see resch_open_size()
 * @tick:    decisions are made each tick only, ns; 0: whenever they are due
 * @verdict: out, with -EBUSY: the first one that would lose its guarantee; may be NULL
 *
 * They may if for each one the sizes of all, and the longest section of another one and the tick as
 * a share of its shortest deadline, add up to 1 at most.
 *
 * Return: 0; -EBUSY: they may not; -EOPNOTSUPP: one is predictable; -EINVAL: something is out of
 * range.
 */
int resch_open_admit(const struct resch_open_app *apps, uint32_t count, uint64_t quantum,
		     uint64_t tick, struct resch_open_verdict *verdict);

/**
 * resch_open_text - a refusal as a sentence without its full stop; applications count from 1
 *
 * Return: as snprintf(3); RESCH_OPEN_TEXT bytes always suffice.
 */
int resch_open_text(const struct resch_open_verdict *verdict, char *text, size_t size);

/* ---- jobs ------------------------------------------------------------------------------------ */

struct resch_jobs; /* an application: tasks, in a server or not */
struct resch_job; /* one of its tasks, for its own thread */

/* The jobs of a task: called at its first release; it ends each job with resch_job_next(). */
typedef void (*resch_job_function)(struct resch_job *job, void *data);

/**
 * resch_jobs_new - make an application, with a server of its own
 * @fd:   of resch_open(); must stay open until resch_jobs_free()
 * @want: domain and params go in (start from a zeroed one, with params.cpu -1), id, cpu and verdict
 *        come out. Budget and period 0: without a server, under whatever plugin the domain has
 * @jobs: out: for resch_jobs_free()
 *
 * Return: 0; as resch_server_set(); -ENODEV: neither a server nor a domain; -ENOMEM.
 */
int resch_jobs_new(int fd, struct resch_server_set *want, struct resch_jobs **jobs);

/**
 * resch_jobs_add - add a periodic task, with a thread of its own
 * @reg:      params go in (kind, domain and RESCH_F_SYNC are filled in, and with a server cpu and
 *            group), id, cpu and verdict come out
 * @count:    how many jobs it has; 0: no end
 * @function: is called at the first release, in the new thread; when it returns, the task ends
 * @data:     for @function
 *
 * The thread waits for resch_jobs_start().
 *
 * Return: 0; -EBUSY: admission refused it, see @reg->verdict; others as resch_register_self(), and
 * of pthread_create(3).
 */
int resch_jobs_add(struct resch_jobs *jobs, struct resch_register *reg, uint64_t count,
		   resch_job_function function, void *data);

/**
 * resch_jobs_enter - make the calling thread a task of the application
 * @reg, @count: as for resch_jobs_add(), but for the kind, which may be RESCH_SPORADIC: such a task
 *               does not wait for resch_jobs_start()
 * @job:         out: for this thread, up to resch_job_leave()
 *
 * It waits for its first release with resch_job_next().
 *
 * Return: 0; -errno as resch_jobs_add().
 */
int resch_jobs_enter(struct resch_jobs *jobs, struct resch_register *reg, uint64_t count,
		     struct resch_job **job);

/**
 * resch_jobs_start - give the tasks that have been added a common time zero
 * @time: absolute; 0: as soon as possible
 *
 * Waits until they all wait for it. The tasks of other applications are not concerned, but where
 * this one has no server: then all tasks of the domain that wait for a time zero get it.
 *
 * Return: how many have been started; -ETIME: @time is past; -EAGAIN: a thread that has entered is
 * not waiting after 1 s; -errno.
 */
int resch_jobs_start(struct resch_jobs *jobs, uint64_t time);

/**
 * resch_job_next - end the job, and sleep until the next one may run; or learn that there is none
 *
 * Return: 1: the next one; 0: that was the last one, or resch_jobs_stop() was called; -ECANCELED:
 * the registration has ended otherwise; -errno.
 */
int resch_job_next(struct resch_job *job);

/** resch_job_current - release, deadline and number of the job; of the thread of @job */
const struct resch_wait *resch_job_current(const struct resch_job *job);

/** resch_job_leave - the thread that has entered is an ordinary one again; @job is gone */
void resch_job_leave(struct resch_job *job);

/**
 * resch_jobs_stop - have resch_job_next() return 0 in all tasks, at once where they wait
 *
 * Jobs that are under way go on until they call it.
 */
void resch_jobs_stop(struct resch_jobs *jobs);

/** resch_jobs_join - wait until the functions of all tasks that have been added have returned */
void resch_jobs_join(struct resch_jobs *jobs);

/**
 * resch_jobs_free - stop, join, and remove the server
 *
 * Return: 0; -EBUSY: a thread that has entered has not left, and nothing was freed; -errno: the
 * server could not be removed, which its descriptor will do; the rest is gone.
 */
int resch_jobs_free(struct resch_jobs *jobs);

#ifdef __cplusplus
}
#endif

#endif /* _RESCH_SERVER_H */
