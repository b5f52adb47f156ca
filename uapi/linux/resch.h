/* SPDX-License-Identifier: (LGPL-2.1 OR MIT) WITH Linux-syscall-note */
/*
 * resch.h - what a program says to /dev/resch
 *
 * Conventions, true for every call in this file:
 *
 * - Times are nanoseconds; absolute times are CLOCK_MONOTONIC.
 * - Structures have fixed-width fields only and the same layout for 32- and 64-bit programs.
 * - Structures are versioned by their size, which the request number carries. A newer program may
 *   pass a longer structure as long as the part that this kernel does not know is zero (-E2BIG
 *   otherwise); an older program may pass a shorter one, the rest then reads as zero.
 * - Fields named `reserved`, and bits of `flags` not defined here, must be zero (-EINVAL).
 * - A call that fails has changed nothing.
 * - Every call that changes something needs CAP_SYS_NICE (-EPERM), but for what a registered thread
 *   does with its own jobs and budget, and for what the holder of a delegated server may do: see
 *   struct resch_delegate. Queries need only the open device.
 *
 * Errors beside those named at each request: -EFAULT (an unreadable pointer), -ENOTTY (an unknown
 * request), -EINTR (a signal came first), -ENOMEM.
 */
#ifndef _UAPI_LINUX_RESCH_H
#define _UAPI_LINUX_RESCH_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define RESCH_DEVICE "/dev/resch"

/* Raised when a structure or a meaning changes; RESCH_IOC_INFO tells the module's. */
#define RESCH_ABI_VERSION 1

#define RESCH_NAME_LEN 16 /* task and plugin names, with the terminating zero */
#define RESCH_OPTIONS_LEN 64 /* plugin options, with the terminating zero */
#define RESCH_REASON_LEN 96 /* sentences for people, with the terminating zero */
#define RESCH_CPUS_MAX 1024 /* CPUs that a mask can name */

/* A time that never comes. */
#define RESCH_NEVER (~0ULL)

/* ---- tasks ----------------------------------------------------------------------------------- */

/** enum resch_kind - what releases the jobs of a task */
enum resch_kind {
	/*
	 * The clock: one job each `period` from the first release on. The task ends each job with
	 * RESCH_IOC_WAIT.
	 */
	RESCH_PERIODIC = 0,
	/*
	 * RESCH_IOC_RELEASE, at most one job each `period`; earlier calls are held back until then.
	 * Ends jobs with RESCH_IOC_WAIT.
	 */
	RESCH_SPORADIC = 1,
	/*
	 * Its own wake-ups, for programs that know nothing of resch: a job starts when the thread
	 * becomes runnable and ends when it blocks. The deadline is wake-up + `deadline`, or the
	 * previous one where the constant-bandwidth rule asks for it (what is left of `wcet` would
	 * exceed the task's share of what is left until then).
	 */
	RESCH_WAKEUP = 2,
};
#define RESCH_KINDS 3 /* so many; more may follow */

/** enum resch_react - what happens when a job overruns its `wcet`, or misses its deadline */
enum resch_react {
	RESCH_COUNT = 0, /* count it, when the job ends */
	RESCH_NOTIFY = 1, /* as it happens, put an event where read() and poll() see it */
	RESCH_SIGNAL = 2, /* NOTIFY, and send the thread `signal` */
	RESCH_SKIP = 3, /* NOTIFY, and skip the releases that the job is too late for */
	/*
	 * NOTIFY, and stop the job until the next release (50 µs at least), which then goes on
	 * with it
	 */
	RESCH_THROTTLE = 4,
	RESCH_DEMOTE = 5, /* NOTIFY, and let the rest of the job run below all registered tasks */
};
#define RESCH_REACTIONS 6 /* so many; more may follow */

/* resch_task_params.flags */
#define RESCH_F_SYNC (1U << 0) /* the first release waits for RESCH_IOC_START */
#define RESCH_F_SKIP_ADMISSION (1U << 1) /* take the task without a test (and without a promise) */
/*
 * for a RESCH_WAKEUP task of a server: it has no runtime and no deadline of its own, and all
 * threads and children that it will have join its server, as theirs do; see struct resch_register
 */
#define RESCH_F_FAMILY (1U << 2)
#define RESCH_F_ALL (RESCH_F_SYNC | RESCH_F_SKIP_ADMISSION | RESCH_F_FAMILY)

/**
 * struct resch_task_params - what a task asks for
 * @period:   period or minimum inter-arrival time; 1 µs to 1 h
 * @deadline: relative deadline; 0 means @period; may be shorter or longer; at most 1 h
 * @wcet:     worst-case execution time; 1 ns to @deadline and to @period
 * @offset:   first release after the start (time zero, or the first RESCH_IOC_WAIT); at most 1 h
 * @kind:     enum resch_kind
 * @overrun:  enum resch_react, for a job that has executed for @wcet
 * @miss:     enum resch_react, for a job that is not complete at its deadline
 * @signal:   for RESCH_SIGNAL: 1 to 64, else 0
 * @priority: for plugins with explicit priorities: 1 (most urgent) to 10000; 0: let the plugin
 *            choose
 * @cpu:      the CPU to run on, or -1: any CPU of the domain that the plugin finds room on
 * @flags:    RESCH_F_*
 * @group:    for plugins with reserves: the group of the domain's plan whose reserves it shares;
 *            for plugins with servers: the id of its server, or of one of the band that it is to be
 *            in (see struct resch_servers_set); 0: none
 * @name:     for people; need not be unique; empty: the thread's own name
 */
struct resch_task_params {
	__aligned_u64 period;
	__aligned_u64 deadline;
	__aligned_u64 wcet;
	__aligned_u64 offset;
	__u32 kind;
	__u32 overrun;
	__u32 miss;
	__u32 signal;
	__u32 priority;
	__s32 cpu;
	__u32 flags;
	__u32 group;
	char name[RESCH_NAME_LEN];
};

/** enum resch_bound - the test that a refused task or set failed */
enum resch_bound {
	RESCH_BOUND_NONE = 0,
	RESCH_BOUND_UTILIZATION = 1, /* value and limit in parts per million */
	RESCH_BOUND_DEMAND = 2, /* demand `value` in an interval of length `limit`; ns */
	/* response time `value` of `task` past its deadline `limit`; ns */
	RESCH_BOUND_RESPONSE = 3,
	RESCH_BOUND_LIU_LAYLAND = 4, /* parts per million */
	RESCH_BOUND_HYPERBOLIC = 5, /* product of (u+1), parts per million, against 2000000 */
	RESCH_BOUND_PLUGIN = 6, /* a limit of the plugin itself */
	/* demand `value` in an interval in which the group's reserves supply only `limit`; ns */
	RESCH_BOUND_RESERVE = 7,
	/*
	 * the server may take until `value` to supply what is to be complete within `limit`; ns,
	 * from the release on
	 */
	RESCH_BOUND_SERVER = 8,
	/*
	 * the local deadlines of the stages of a chain, with its phases, add up to `value`, past
	 * its deadline `limit`; ns
	 */
	RESCH_BOUND_CHAIN = 9,
};

/** struct resch_verdict - why something was refused, and what would pass
 * @bound:        enum resch_bound
 * @task:         the task that would miss its deadline (0: the new one)
 * @cpu:          the CPU that came nearest, or -1
 * @value:        what the test computed; unit: see enum resch_bound
 * @limit:        what it may be at most
 * @suggest_wcet: with this @wcet instead, and all else the same, the task would pass; 0: none
 * @suggest_period: likewise for @period (and an implicit @deadline); 0: none
 */
struct resch_verdict {
	__u32 bound;
	__u32 task;
	__s32 cpu;
	__u32 reserved;
	__aligned_u64 value;
	__aligned_u64 limit;
	__aligned_u64 suggest_wcet;
	__aligned_u64 suggest_period;
};

/**
 * struct resch_register - RESCH_IOC_REGISTER: make a thread a task
 * @params:     in
 * @pid:        in: thread id in the caller's pid namespace, or 0 for the calling thread. Naming
 *              another thread needs a kernel that exports task_work_add (-EOPNOTSUPP)
 * @reserved:   zero
 * @start_time: in: with @pid, that thread's start time: field 22 of /proc/PID/stat; a reused pid
 *              has another one and is refused (-ESRCH)
 * @domain:     in: domain id, or 0: the one that @params.cpu is in
 * @id:         out: the task's id, unique while the module is loaded
 * @cpu:        out: the CPU that it was given
 * @reserved2:  zero
 * @verdict:    out: with -EBUSY, why it was refused
 *
 * A RESCH_WAKEUP task is under the plugin's control at once; the others from their first
 * RESCH_IOC_WAIT on. The open file description owns the registration: it ends when the last
 * descriptor closes, when the thread exits or calls execve() (a RESCH_WAKEUP task survives execve()
 * while its descriptor stays open elsewhere), or with RESCH_IOC_UNREGISTER. The thread then has the
 * policy, priority and affinity that it had before. One that ended by itself (RESCH_EVENT_GONE) can
 * still be read with RESCH_IOC_TASK_STAT, state RESCH_STATE_GONE, until the descriptor closes or
 * unregisters it.
 *
 * With RESCH_F_FAMILY whole processes run in a server. The thread is a *member* of the server that
 * @params.group names, and so is, before its first instruction, every thread and process that a
 * member makes, whatever it executes and whoever it becomes (execve(), setuid()), until it exits.
 * No times are given (all 0) and no reactions: members share the budget by the server's policy. A
 * server either has members or makes promises to its other tasks, not both (-EBUSY). Registrations
 * made so belong to the descriptor that the first one was made through; those of children end
 * without an event when they exit, and unregistering the first one ends the inheritance, not its
 * descendants' own registrations. When a server has as many tasks as the module's parameter
 * `members` allows, new children wait, in the kernel, for others to exit (-ENOSPC for a thread that
 * is registered by hand). What they had before is for children what they would have had without all
 * this. Needs task_work_add, too (-EOPNOTSUPP).
 *
 * -EINVAL: a parameter is out of range. -EBUSY: admission refused it, see @verdict. -ENODEV: no
 * such domain, or the CPU is in none. -EEXIST: the thread is registered already. -ESRCH: no such
 * thread. -EPERM: also for kernel threads, for the kernel's threads in a process (of io_uring), and
 * for threads that the caller may not signal; where the caller is in a container (has a cgroup
 * namespace of its own), for CPUs that the thread's affinity lacks, too, of domains with a plan for
 * any such CPU: its cpuset can't be asked, but bounds that. A server that was delegated is its
 * holder's with its CPU.
 */
struct resch_register {
	struct resch_task_params params;
	__s32 pid;
	__u32 reserved;
	__aligned_u64 start_time;
	__u32 domain;
	__u32 id;
	__s32 cpu;
	__u32 reserved2;
	struct resch_verdict verdict;
};

/**
 * struct resch_wait - RESCH_IOC_WAIT: end the current job, return when the next one is selected to
 * run
 * @release:  out: absolute release of the job that starts
 * @deadline: out: its absolute deadline
 * @job:      out: its number, from 1
 * @skipped:  out: releases skipped just before it
 *
 * The argument may be a null pointer: nothing is returned then. fdatasync() on the descriptor does
 * the same on a shorter way into the kernel.
 *
 * -ENOENT: the caller is not registered. -ECANCELED: the registration has ended meanwhile: the
 * plugin was ejected, or the CPU went offline. -EINTR: a signal handler ran; call again to go on
 * waiting (the job does not end twice). Such a handler, between two jobs, has the deadline of the
 * next one; and its budget, where jobs are stopped at the end of theirs (RESCH_THROTTLE,
 * RESCH_DEMOTE): what it executes is taken from that. At its end a handler is throttled as the job
 * would be, and takes the next release over, or demoted; neither is an overrun. Where no job is due
 * within a period, handlers have a job's budget a period. -EINVAL: a RESCH_WAKEUP task.
 */
struct resch_wait {
	__aligned_u64 release;
	__aligned_u64 deadline;
	__aligned_u64 job;
	__aligned_u64 skipped;
};

/** struct resch_delay - RESCH_IOC_DELAY: suspend the current job until an absolute time
 * @until: in. In the past: returns at once.
 * Errors as for RESCH_IOC_WAIT. The job keeps its release, deadline and number; one that is stopped
 * (RESCH_THROTTLE) gets its next budget before its delay begins.
 */
struct resch_delay {
	__aligned_u64 until;
};

/**
 * struct resch_target - RESCH_IOC_UNREGISTER, RESCH_IOC_RELEASE: a task by id
 * @id: 0 means the calling thread's. RELEASE takes a RESCH_SPORADIC task (-EINVAL); 64 of them may
 *      wait (-ENOSPC); not one that its chain releases (-EBUSY).
 * -ENOENT: no such task. -EPERM: it was registered through another descriptor.
 */
struct resch_target {
	__u32 id;
	__u32 reserved;
};

/** enum resch_state - where a task is */
enum resch_state {
	RESCH_STATE_NEW = 0, /* registered, has not waited yet */
	RESCH_STATE_SLEEPING = 1, /* between two jobs */
	RESCH_STATE_READY = 2, /* has a job, is not selected */
	RESCH_STATE_SELECTED = 3, /* has a job, is its CPU's choice */
	RESCH_STATE_BLOCKED = 4, /* has a job, sleeps in the kernel or in RESCH_IOC_DELAY */
	RESCH_STATE_THROTTLED = 5, /* has a job, stopped by an overrun or a miss */
	RESCH_STATE_GONE = 6, /* registration ended */
};

/**
 * struct resch_task_stat - RESCH_IOC_TASK_STAT: parameters and statistics of a task
 * @id:          in: task id, or 0 for the calling thread; or, with @next, the id after which to
 *               look
 * @next:        in: 1: the task with the smallest id above @id (to list them all: start from 0);
 *               -ENOENT: no more
 * The rest is out. Times are ns; execution times are the thread's CPU time; response times run from
 * release to completion.
 * @params:      as they were given, and with what was filled in: deadline, cpu, group, name
 * @cpu:         the CPU that it belongs to
 * @domain:      its domain's id
 * @completed:   jobs that have ended
 * @misses:      of these and the current one, how many were not complete at their deadlines
 * @overruns:    ... and how many executed for longer than the task's wcet
 * @skipped:     releases left out
 * @migrations:  how often it went over to another CPU
 * @exec_total:  execution time of all ended jobs; may have their ways into the next wait in it
 * @response_min, @response_max, @response_total: of ended jobs: the shortest, the longest, the sum
 * @tardiness_max: longest time by which a job was complete after its deadline
 * @lead:        see struct resch_lead
 * @lead_late:   jobs with a lead whose threads came after their release
 * @lead_way:    longest time from the lead before a release to the thread's being there
 * @distance:    of its releases, see struct resch_pace; of other tasks the period
 */
struct resch_task_stat {
	__u32 id;
	__u32 next;
	struct resch_task_params params;
	__s32 pid; /* in the caller's pid namespace, 0 where it is not visible there */
	__s32 cpu;
	__u32 domain;
	__u32 state; /* enum resch_state */
	__aligned_u64 job; /* number of the current or last job */
	__aligned_u64 release; /* its release ... */
	__aligned_u64 deadline; /* ... and absolute deadline */
	__aligned_u64 completed;
	__aligned_u64 misses;
	__aligned_u64 overruns;
	__aligned_u64 skipped;
	__aligned_u64 preemptions; /* deselected with a job unfinished */
	__aligned_u64 migrations;
	__aligned_u64 exec_total;
	__aligned_u64 exec_max; /* largest execution time of a job */
	__aligned_u64 response_min;
	__aligned_u64 response_max;
	__aligned_u64 response_total;
	__aligned_u64 tardiness_max;
	__aligned_u64 escalations; /* times it stayed in the kernel after it was deselected */
	__aligned_u64 lead;
	__aligned_u64 lead_late;
	__aligned_u64 lead_way;
	__aligned_u64 distance;
};

/** struct resch_cpus - a set of CPUs
 * @bits: bit n%64 of bits[n/64] is CPU n
 */
struct resch_cpus {
	__aligned_u64 bits[RESCH_CPUS_MAX / 64];
};

#define RESCH_AFFINITY_F_SET (1U << 0) /* change it, rather than only tell */

/**
 * struct resch_affinity - RESCH_IOC_AFFINITY: the CPUs that a task goes back to, and its children
 * @id:    in: the task; 0 means the calling thread's
 * @flags: in: RESCH_AFFINITY_F_*
 * @cpus:  in with RESCH_AFFINITY_F_SET; out otherwise
 *
 * While it is registered the task is where its plugin has it. Its children begin with what it had
 * before, and it has that again when its registration ends. sched_setaffinity(2) changes this, too,
 * but takes the task off its CPU for a moment, and nothing else tells what it is. From Linux 6.2 on
 * what the thread gets is cut to what sched_setaffinity(2) was told for it last, unless nothing is
 * left of it then.
 *
 * Errors: -ENOENT: no such task. -ESRCH: it has what it had: its registration has ended, or it has
 * not come under its plugin yet. -EPERM: the caller may not signal the thread; or adds CPUs to
 * those that it goes back to, and lacks CAP_SYS_ADMIN: its cpuset is not asked. -EINVAL: a flag
 * that there is not, or no CPU that is online.
 */
struct resch_affinity {
	__u32 id;
	__u32 flags;
	struct resch_cpus cpus;
};

#define RESCH_LEAD_MAX 1000000 /* ns */

/**
 * struct resch_lead - RESCH_IOC_LEAD: a task is woken ahead of its releases, to begin with them
 * @id:       in: the task; 0 means the calling thread's
 * @reserved: zero
 * @lead:     in: so much earlier, ns; below RESCH_LEAD_MAX and the task's period; 0: not
 * @verdict:  out: with -EBUSY from admission, why
 *
 * Each job's thread is let go @lead before the job's release, and waits for that in the kernel,
 * where it has the CPU unless somebody more urgent is ready: what lies between a timer and user
 * mode is behind it then, and the job begins within a fraction of a microsecond, if @lead is as
 * long as that way. Admission counts @lead into every job; it is not charged to the task's wcet.
 * Releases, deadlines and responses are what they were.
 *
 * Errors: -ENOENT: no such task. -EINVAL: @lead is out of range, or the task is not
 * RESCH_PERIODIC. -EOPNOTSUPP: its domain's plugin has plans, servers, or decides for all CPUs at
 * once. -EBUSY: admission refused it, see @verdict; or, with a bound of RESCH_BOUND_NONE there, the
 * task is a stage of a chain. -EPERM: the caller may not signal the thread.
 */
struct resch_lead {
	__u32 id;
	__u32 reserved;
	__aligned_u64 lead;
	struct resch_verdict verdict;
};

/**
 * struct resch_pace - RESCH_IOC_PACE: how far apart the releases of a periodic task are
 * @id:       in: the task; 0 means the calling thread's
 * @reserved: zero
 * @distance: in: from the nominal release of the job that it is in, or that it waits for, to the
 *            next, and so on; its period to 1 h, ns
 *
 * Releases that are to follow another clock than CLOCK_MONOTONIC, a master's on a fieldbus or
 * CLOCK_TAI, are brought there, and kept there, job by job: register the shortest distance that
 * there will be as the period, which is what admission counts on, and say the next one in each job.
 * So nothing that was promised to anybody suffers, whatever is said here.
 *
 * -EINVAL: @distance is out of range, or the task is not RESCH_PERIODIC. -ENOENT: no such task.
 * -EPERM: it was registered through another descriptor.
 */
struct resch_pace {
	__u32 id;
	__u32 reserved;
	__aligned_u64 distance;
};

/** struct resch_start - RESCH_IOC_START: time zero for the RESCH_F_SYNC tasks of a domain
 * @time:    in: absolute; 0: as soon as all CPUs can be told (now + 1 ms). -ETIME: it is past
 * @domain:  in
 * @waiting: out: tasks that were waiting for it
 * @group:   in: only those of this group, for example a server; 0: all
 * @reserved: zero
 */
struct resch_start {
	__aligned_u64 time;
	__u32 domain;
	__u32 waiting;
	__u32 group;
	__u32 reserved;
};

/* ---- domains and plugins --------------------------------------------------------------------- */

/**
 * struct resch_domain_set - RESCH_IOC_DOMAIN_SET: make a domain, or change its plugin
 * @domain:  in: 0: make one, and its id comes back; else the domain to change
 * @flags:   in: zero
 * @cpus:    in: for a new domain: its CPUs, online and in no other domain (-EBUSY); otherwise empty
 * @plugin:  in: name; the module resch-NAME is loaded where it is missing (-ENOENT: there is none)
 * @options: in: "key=value,key=value" for the plugin (-EINVAL)
 * @capacity: in: share of each CPU that admission may give away, parts per million, 1 to 1000000;
 *            0: what the kernel leaves to real-time tasks (950000 with the usual settings)
 * @overhead: in: time that each job costs beside its @wcet (release, two switches), ns, as
 *            measured; below 1 ms
 * @verdict: out: with -EBUSY from the admission of the standing tasks, why
 *
 * The standing tasks and their current jobs go over to the new plugin; no release moves. If it
 * refuses them the old plugin stays.
 */
struct resch_domain_set {
	__u32 domain;
	__u32 flags;
	struct resch_cpus cpus;
	char plugin[RESCH_NAME_LEN];
	char options[RESCH_OPTIONS_LEN];
	__u32 capacity;
	__u32 overhead;
	struct resch_verdict verdict;
};

/** struct resch_domain_stat - RESCH_IOC_DOMAIN_STAT: what a domain is and has done
 * @domain: in: id, or, with @next, the id after which to look
 * @next:   in: 1: the domain with the smallest id above @domain; -ENOENT: no more
 * The rest is out.
 * @cpus:      its CPUs
 * @plugin, @options: as they were given
 * @capacity:  share of each CPU that admission may give away, parts per million
 * @overhead:  that each job costs beside its wcet, ns
 * @tasks:     registered ones
 * @swaps:     how often its plugin was changed
 * @decisions: how often a CPU of it has asked the plugin
 *
 * -ENODEV: no such domain.
 */
struct resch_domain_stat {
	__u32 domain;
	__u32 next;
	struct resch_cpus cpus;
	char plugin[RESCH_NAME_LEN];
	char options[RESCH_OPTIONS_LEN];
	__u32 capacity;
	__u32 overhead;
	__u32 tasks;
	__u32 ejections; /* plugins thrown out of this domain */
	__aligned_u64 swaps;
	__aligned_u64 decisions;
	char eject_plugin[RESCH_NAME_LEN]; /* the last one thrown out ... */
	char eject_reason[RESCH_REASON_LEN]; /* ... and why */
};

/** struct resch_reserve - [@begin, @end) of each time slot belongs to a group
 * @begin, @end: ns from the beginning of the slot; @end at most the slot's length
 * @group:       1 to RESCH_GROUPS_MAX
 * @cpu:         one of the domain's
 */
struct resch_reserve {
	__aligned_u64 begin;
	__aligned_u64 end;
	__u32 group;
	__u32 cpu;
};

#define RESCH_GROUPS_MAX 4096 /* groups of a plan */
#define RESCH_RESERVES_MAX 8192 /* reserves of a plan */
#define RESCH_PARTS_MAX 4 /* reserves of one group */

/**
 * struct resch_plan_set - RESCH_IOC_PLAN_SET: who has which CPU when
 * @domain:   in
 * @count:    in: how many reserves there are; 0: no plan any more
 * @slot:     in: length of the time slots, the same on all CPUs of the domain; 10 µs to 1 s
 * @from:     in: absolute time at which a slot begins; 0: soon. out: from when the plan holds: the
 *            first slot boundary of the plan before that which is not past
 * @reserves: in: pointer to @count struct resch_reserve
 * @verdict:  out: with -EBUSY, which standing task would lose its guarantee
 *
 * -EINVAL: a reserve is empty, beyond the slot or on a CPU of another domain, two reserves of a CPU
 * overlap, two of a group overlap in time, or a group has too many. -EBUSY: a standing task has no
 * group in it, or not enough of one. -EAGAIN: the last change has not come into force yet.
 */
struct resch_plan_set {
	__u32 domain;
	__u32 count;
	__aligned_u64 slot;
	__aligned_u64 from;
	__aligned_u64 reserves;
	struct resch_verdict verdict;
};

/** enum resch_server_kind - how a server's budget comes and goes; @budget / @period is its size */
enum resch_server_kind {
	/*
	 * Constant bandwidth: @budget each @period. When it is used up the server waits for its
	 * deadline (a hard reservation): no more than its supply bound, whoever else is idle.
	 */
	RESCH_SERVER_CBS_HARD = 0,
	/*
	 * Likewise, but a used up budget is replenished at once and the deadline put off by one
	 * @period: what others leave is used.
	 */
	RESCH_SERVER_CBS = 1,
	/*
	 * Constant utilization: the budget is what the job at the head of the server needs (at most
	 * @budget), its deadline follows from the size, and the next one comes at that deadline.
	 */
	RESCH_SERVER_CUS = 2,
	/* Total bandwidth: likewise, but the next one comes at once. */
	RESCH_SERVER_TBS = 3,
	/*
	 * For providers of services: @budget each @period, as RESCH_SERVER_CBS_HARD, for what its
	 * tasks do on their own account. What they do for clients (RESCH_IOC_SERVE) is done on the
	 * clients' servers.
	 */
	RESCH_SERVER_PASSIVE = 4,
	/*
	 * The rest of Linux on the CPU, which counts as always having work: @budget each @period,
	 * before whatever real-time servers do beyond theirs, and no more while these have budgets
	 * and work. It takes no tasks; one a CPU (-EEXIST); RESCH_SERVER_EDF.
	 */
	RESCH_SERVER_LINUX = 5,
};
#define RESCH_SERVER_KINDS 6 /* so many; more may follow */

/** enum resch_server_policy - how a server orders the ready jobs of its tasks */
enum resch_server_policy {
	RESCH_SERVER_EDF = 0, /* earliest absolute deadline first */
	RESCH_SERVER_DM = 1, /* shorter relative deadline first */
	RESCH_SERVER_RM = 2, /* shorter period first */
	RESCH_SERVER_PRIORITY = 3, /* smaller `priority` first; tasks with 0 after those, as DM */
	RESCH_SERVER_FIFO = 4, /* in the order of releases */
	RESCH_SERVER_RR = 5, /* in turns of @quantum execution time each */
	/*
	 * by another plugin, inside the server: struct resch_server_set.plugin.
	 * RESCH_SERVER_CBS_HARD and RESCH_SERVER_CBS only
	 */
	RESCH_SERVER_PLUGIN = 6,
};
#define RESCH_SERVER_POLICIES 7 /* so many; more may follow */

/* resch_server_params.flags */
#define RESCH_SERVER_F_PERSIST (1U << 0) /* stays when the descriptor that made it closes */
/*
 * RESCH_SERVER_CBS_HARD and RESCH_SERVER_CBS: while other servers have nothing to do its budget
 * lasts longer, in proportion (GRUB). What the domain keeps from servers is not given to it.
 */
#define RESCH_SERVER_F_RECLAIM (1U << 1)
#define RESCH_SERVER_F_ALL (RESCH_SERVER_F_PERSIST | RESCH_SERVER_F_RECLAIM)

/**
 * struct resch_server_params - what a server is
 * @budget:   10 µs to @period, and at least @period / 10000
 * @period:   at most 1 h
 * @quantum:  for RESCH_SERVER_RR: 10 µs to 1 s; else 0
 * @kind:     enum resch_server_kind
 * @policy:   enum resch_server_policy
 * @cpu:      the CPU that it serves, or -1: the first one of the domain with room for it
 * @flags:    RESCH_SERVER_F_*
 * @name:     for people; need not be unique
 */
struct resch_server_params {
	__aligned_u64 budget;
	__aligned_u64 period;
	__aligned_u64 quantum;
	__u32 kind;
	__u32 policy;
	__s32 cpu;
	__u32 flags;
	char name[RESCH_NAME_LEN];
};

#define RESCH_SERVERS_MAX 1024 /* servers of a domain */

/**
 * struct resch_server_set - RESCH_IOC_SERVER_SET: make a server, or resize one
 * @domain:   in
 * @id:       in: 0: make one, and its id comes back, which tasks then name as their @group; else
 *            the one to resize: @kind, @policy and @flags as they are, @cpu as it is or -1
 * @cpu:      out: the CPU that it was given
 * @reserved: zero
 * @params:   in
 * @verdict:  out: with -EBUSY, why. @suggest_wcet and @suggest_period are a budget and a period
 *            that would pass
 * @plugin:   in: with RESCH_SERVER_PLUGIN, the plugin that orders the tasks of the server; empty
 *            for an old server, and with other policies
 * @options:  in: for that plugin, as in struct resch_domain_set
 *
 * A plugin inside a server stays loaded while the server is there. Where it errs the server goes on
 * by RESCH_SERVER_EDF, which struct resch_server_stat tells; nobody else notices. Tasks of such a
 * server make no calls to passive servers.
 *
 * Admission is at two doors: the servers of a CPU must fit its capacity, and the tasks of a server
 * what it supplies. A resized server changes at its next replenishment; until the deadline that it
 * has now, what it gives up is not given to others. Without RESCH_SERVER_F_PERSIST the server goes
 * with the open file description that made it, or, if others have tasks in it, with the last of
 * those.
 *
 * -EINVAL: a parameter is out of range, or must not change; @plugin can't run inside a server, or
 * does not take @options. -ENODEV: no such domain, or a CPU that is not in it. -ENOENT: no such
 * server; for a new one: no such plugin. -EBUSY: refused, see @verdict. -EOPNOTSUPP: the domain's
 * plugin has no servers. -ENOSPC: the domain has too many. -EAGAIN: the plugin is being thrown out.
 */
struct resch_server_set {
	__u32 domain;
	__u32 id;
	__s32 cpu;
	__u32 reserved;
	struct resch_server_params params;
	struct resch_verdict verdict;
	char plugin[RESCH_NAME_LEN];
	char options[RESCH_OPTIONS_LEN];
};

/**
 * struct resch_server_del - RESCH_IOC_SERVER_DEL; RESCH_IOC_SERVERS_DEL: a band, all or nothing
 * @domain: in
 * @id:     in: of the server, or of the band
 *
 * -EBUSY: it has tasks. -ENOENT: there is none such. -EINVAL: a server of a band, alone.
 */
struct resch_server_del {
	__u32 domain;
	__u32 id;
};

/**
 * struct resch_server_open - RESCH_IOC_SERVER_OPEN: a descriptor of the server, to map or to
 * wait on
 * @domain, @id: in
 * @flags:       zero
 * @fd:          out: close-on-exec
 *
 * mmap() of a page of it, PROT_READ and MAP_SHARED, is a struct resch_server_page. poll() says that
 * the server has used up a budget with work left, read() how often since the last read (a __u64);
 * both also return when it has gone (POLLHUP).
 *
 * -EPERM: for CAP_SYS_NICE, processes with a thread in the server, and the descriptor that made it.
 * -ENODEV, -ENOENT: no such domain, no such server.
 */
struct resch_server_open {
	__u32 domain;
	__u32 id;
	__u32 flags;
	__s32 fd;
};

#define RESCH_PAGE_RUNNING (1U << 0) /* a task of it is its CPU's choice */
#define RESCH_PAGE_GONE (1U << 1) /* it was removed */

/* A @rate of 1. */
#define RESCH_PAGE_RATE (1U << 20)

/**
 * struct resch_server_page - what a server has, as of its last change
 * @sequence: odd while the rest changes: read it before and after, with fences between
 * @flags:    RESCH_PAGE_*
 * @domain, @id: which server it is
 * @left:     budget, ns; what is left now is less by @rate / RESCH_PAGE_RATE times the time since
 *            @since while it runs
 * @deadline: absolute; 0: it has not served anybody yet
 * @budget, @period: its parameters, ns
 * @since:    CLOCK_MONOTONIC, ns; 0: it does not run
 * @rate:     what a ns costs then, in 1 / RESCH_PAGE_RATE
 * @consumed: up to @since, or up to now
 * @exhausted, @replenished, @postponed: as in struct resch_server_stat
 */
struct resch_server_page {
	__u32 sequence;
	__u32 flags;
	__u32 domain;
	__u32 id;
	__s64 left; /* at a multiple of 8, as all that follow */
	__aligned_u64 deadline;
	__aligned_u64 since;
	__aligned_u64 budget;
	__aligned_u64 period;
	__aligned_u64 consumed;
	__aligned_u64 replenished;
	__aligned_u64 exhausted;
	__aligned_u64 postponed;
	__u32 rate;
	__u32 reserved;
};

/**
 * struct resch_server_stat - RESCH_IOC_SERVER_STAT: parameters and state of a server
 * @domain: in
 * @id:     in: its id; or, with @next, the id after which to look
 * @next:   in: 1: the server of the domain with the smallest id above @id; -ENOENT: no more
 * The rest is out.
 * @tasks:       registered ones that name it
 * @params:      as in struct resch_server_set
 * @left:        what is left of the budget now, ns
 * @deadline:    absolute; 0: it has not served anybody yet
 * @consumed:    all that it was charged, ns: the time for which its tasks were their CPU's choice
 * @replenished: how often it got a new budget
 * @exhausted:   how often it used one up with work left
 * @postponed:   how often its deadline was put off then, at once
 * @waiting:     threads made by RESCH_F_FAMILY tasks that wait until there is room for them
 * @band:        id of the band that it belongs to; 0: none
 * @plugin, @options: RESCH_SERVER_PLUGIN: what orders its tasks
 * @fault:       why that is not asked any more; empty: it is
 * @holder, @who: whom it is delegated to, as in struct resch_delegate ...
 * @holder_tasks, @holder_priority, @holder_rate: ... and the ceilings there
 *
 * Counts and @consumed start again from 0 when a plugin takes over.
 */
struct resch_server_stat {
	__u32 domain;
	__u32 id;
	__u32 next;
	__u32 tasks;
	struct resch_server_params params;
	__aligned_u64 left;
	__aligned_u64 deadline;
	__aligned_u64 consumed;
	__aligned_u64 replenished;
	__aligned_u64 exhausted;
	__aligned_u64 postponed;
	__u32 waiting;
	__u32 band;
	char plugin[RESCH_NAME_LEN];
	char options[RESCH_OPTIONS_LEN];
	char fault[RESCH_REASON_LEN];
	__u32 holder;
	__u32 who;
	__u32 holder_tasks;
	__u32 holder_priority;
	__u32 holder_rate;
	__u32 reserved;
};

/** enum resch_holder - whom a server is delegated to */
enum resch_holder {
	RESCH_HOLDER_NONE = 0,
	RESCH_HOLDER_USER = 1, /* who has this effective user id */
	RESCH_HOLDER_GROUP = 2, /* who has this effective or supplementary group id */
};
#define RESCH_HOLDERS 3 /* so many; more may follow */

#define RESCH_DELEGATE_TASKS_MAX 4096
#define RESCH_DELEGATE_RATE_MAX 1000000

/**
 * struct resch_delegate - RESCH_IOC_DELEGATE: give a server to somebody without CAP_SYS_NICE, or
 * take it back
 * @domain:   in
 * @id:       in: of the server; or of a band, which is given as a whole. Not RESCH_SERVER_LINUX
 * @holder:   in: enum resch_holder; RESCH_HOLDER_NONE: it is taken back, and the rest is 0
 * @who:      in: user or group id, in the caller's user namespace
 * @tasks:    in: how many tasks the server, or the band, may have for the holder to register one
 *            more; and how many of the holder's registrations may stand that have not been closed
 *            or unregistered. 1 to RESCH_DELEGATE_TASKS_MAX. New children of RESCH_F_FAMILY tasks
 *            wait for room, as where there are too many for the module
 * @priority: in: the smallest resch_task_params.priority beside 0 that the holder may ask for;
 *            0: any
 * @rate:     in: how many releases a second the holder's tasks may have, all together, those of
 *            RESCH_F_FAMILY apart: they are not paid for by any budget. At most
 *            RESCH_DELEGATE_RATE_MAX; 0: 10000
 * @reserved: zero
 *
 * The holder may register threads in the server (RESCH_IOC_REGISTER, with its id, or that of one of
 * its band, as @group), end and release what it has registered so (RESCH_IOC_UNREGISTER,
 * RESCH_IOC_RELEASE), and start those of its tasks that wait for it (RESCH_IOC_START, with a
 * server's id as @group; all of the band). It is asked for at each call: who calls counts, and not
 * who has opened the descriptor, by ids as they are outside of all user namespaces. Threads must be
 * the holder's own: their real, effective and saved user ids are all the caller's effective one.
 * RESCH_F_SKIP_ADMISSION is refused, and calls to passive servers of others are. All else stays
 * with CAP_SYS_NICE.
 *
 * What is registered so ends when the server is taken back, is given to another holder, or goes
 * with its descriptor (RESCH_GONE_WITHDRAWN): its threads are given back what they had, and what
 * they go on making are ordinary threads. Other ceilings for the same holder change nothing for
 * those that are there. While such tasks stand the domain takes no plugin without servers.
 *
 * -EINVAL: a parameter is out of range, or a server of a band is named alone. -ENODEV, -ENOENT: no
 * such domain, no such server. The holder's calls: -EPERM: not the holder, or not this way;
 * -ENOSPC: @tasks or @rate.
 */
struct resch_delegate {
	__u32 domain;
	__u32 id;
	__u32 holder;
	__u32 who;
	__u32 tasks;
	__u32 priority;
	__u32 rate;
	__u32 reserved;
};

/**
 * struct resch_servers_set - RESCH_IOC_SERVERS_SET: make a band of servers, one on each of several
 * CPUs, or resize all of a band
 * @domain:  in
 * @id:      in: the band's; 0: make one, and its id comes back, which is that of its first server
 * @count:   out: servers of the band
 * @reserved: zero
 * @cpus:    in: for a new band: CPUs of the domain; otherwise empty
 * @params:  in: of each of them, @cpu -1; for an old band: as in struct resch_server_set
 * @verdict: out: with -EBUSY, which CPU refused, and why
 * @plugin, @options: in: of each of them, as in struct resch_server_set
 *
 * All or nothing: all CPUs take their server, or the new size, or nothing changes. The servers of a
 * band are resized and removed together (-EINVAL if one is named alone). Each is a server of its
 * own: the guarantee is its budget in each period on its CPU, and nothing goes from one to another.
 *
 * Who registers and names one of them as its @group is put into the one that has the most to spare
 * (worst fit), of those whose CPUs are in the thread's affinity, or of all if none is: where the
 * tasks have the least utilization; for RESCH_F_FAMILY tasks, that have none: where the fewest of
 * them are ready, and of these where there are the fewest. Equals go by CPU. Where one refuses the
 * next is asked. With resch_task_params.cpu it is that CPU's. Threads and children of
 * RESCH_F_FAMILY tasks are put into one in the same way, each when it is made (with
 * resch_task_params.cpu: into the same). Nobody is moved later; @group in struct resch_task_stat
 * says where a task is.
 *
 * Errors: as for RESCH_IOC_SERVER_SET.
 */
struct resch_servers_set {
	__u32 domain;
	__u32 id;
	__u32 count;
	__u32 reserved;
	struct resch_cpus cpus;
	struct resch_server_params params;
	struct resch_verdict verdict;
	char plugin[RESCH_NAME_LEN];
	char options[RESCH_OPTIONS_LEN];
};

/**
 * struct resch_plan_get - RESCH_IOC_PLAN_GET: the plan that was set last
 * @domain:   in
 * @count:    in: how many reserves there is room for; out: how many the plan has; 0: there is no
 *            plan
 * @slot:     out: length of the time slots
 * @from:     out: when the plan began, or begins if that is still to come
 * @reserves: in: pointer to room for @count struct resch_reserve, which gets the first ones, by CPU
 *            and begin
 *
 * -ENODEV: no such domain.
 */
struct resch_plan_get {
	__u32 domain;
	__u32 count;
	__aligned_u64 slot;
	__aligned_u64 from;
	__aligned_u64 reserves;
};

/* ---- service on the client's budget ---------------------------------------------------------- */

/* resch_call.flags, resch_call_end.flags */
#define RESCH_CALL_F_WAIT (1U << 0) /* sleep until the call has ended */
#define RESCH_CALL_F_DISCARD (1U << 1) /* with its end, what the budget has left is given up, too */

/**
 * struct resch_call - RESCH_IOC_CALL: the calling thread lets a provider work on its server
 * @server:   in: a RESCH_SERVER_PASSIVE one, of the domain and CPU of the caller
 * @flags:    in: RESCH_CALL_F_*
 * @data:     in: whatever the two agree on; the provider gets it
 * @handle:   out: names the call, which one thread of @server may take up, once (RESCH_IOC_SERVE)
 * @consumed: out, with RESCH_CALL_F_WAIT: what the provider has executed for it, and those that
 *            the provider has called for that, ns
 *
 * That thread is in the caller's server from then on, charged to it, ordered in it as if it were
 * the caller, suspended with it, until the provider ends the call, the caller withdraws it, or one
 * of the two is gone. So a call gives away nothing but the caller's own share of the CPU. A thread
 * has one call at a time. It may do what it likes meanwhile; mostly it waits, here or for an answer
 * on a socket.
 *
 * Who works for a client may call others in turn: they are in that client's server, too, at its
 * expense, and what they do ends when the work ends that they were called for. Who is in a passive
 * server, and works for nobody, can't make any (-EINVAL).
 *
 * -ENOENT: the caller is not registered, or there is no such server on its CPU. -EINVAL: a flag, or
 * @server is not passive, or the caller's is, or RESCH_CALL_F_DISCARD by who works for a client.
 * -EOPNOTSUPP: the domain's plugin has no servers, or another plugin orders the tasks of the
 * caller's (RESCH_SERVER_PLUGIN). -EBUSY: the caller's last call is still under way. -ELOOP: the
 * caller works for a client by eight calls in a row already. -ECANCELED: the registration has
 * ended. With RESCH_CALL_F_WAIT also -EOWNERDEAD: the provider is gone, perhaps half way; -EINTR: a
 * signal handler ran, and the call goes on: RESCH_IOC_CALL_END with RESCH_CALL_F_WAIT waits on.
 */
struct resch_call {
	__u32 server;
	__u32 flags;
	__aligned_u64 data;
	__aligned_u64 handle;
	__aligned_u64 consumed;
};

/**
 * struct resch_call_end - RESCH_IOC_CALL_END: how the caller's call has ended, or end it now;
 * RESCH_IOC_SERVE_END: the caller's work for a client is done
 * @handle:   in: of the call; 0: the caller's
 * @flags:    in, for CALL_END: RESCH_CALL_F_WAIT: wait for the end; else zero
 * @reserved: zero
 * @consumed: out: what the provider has executed for it, ns
 *
 * RESCH_IOC_CALL_END: 0: the provider had ended it; -ECANCELED: nobody had, and it is withdrawn:
 * who works on it goes on at the expense of its own server; or plugins were changed meanwhile.
 * -EOWNERDEAD: the provider is gone. -ENOENT: the caller has no such call. -EINTR: as above.
 *
 * RESCH_IOC_SERVE_END: 0; -ECANCELED: the client has withdrawn the call, or is gone; -ENOENT: the
 * caller works for no client, or for another one.
 */
struct resch_call_end {
	__aligned_u64 handle;
	__u32 flags;
	__u32 reserved;
	__aligned_u64 consumed;
};

/* resch_serve.flags */
#define RESCH_SERVE_F_WAIT (1U << 0) /* with @handle 0: sleep until there is a call */

/**
 * struct resch_serve - RESCH_IOC_SERVE: the calling thread, of a passive server, works for a client
 * @handle:   in: the call, or 0: of those that wait for the caller's server, the one whose client's
 *            server has the earliest deadline; out: the call
 * @flags:    in: RESCH_SERVE_F_*
 * @client:   out: the client's task id
 * @pid:      in, with @handle: the process that the client has to be of, for requests that come
 *            over a socket whose peer is known; 0: any; out: the client's process
 * @reserved: zero
 * @data:     out: as the client gave it
 * @deadline: out: of the client's server, absolute
 * @left:     out: of its budget, ns
 *
 * Until RESCH_IOC_SERVE_END the caller is in the client's server. Whoever sleeps here when a call
 * comes gets it at once, and already wakes up at the client's expense.
 *
 * -ENOENT: the caller is not registered, or there is no such call for its server. -EAGAIN: there is
 * none at all. -EINVAL: a flag, or the caller's server is not passive, or its `overrun` or `miss`
 * is not RESCH_COUNT, or it has not begun, or its job is stopped. -EBUSY: it works for a client.
 * -EOPNOTSUPP: the domain's plugin has no servers. -ECANCELED: the registration has ended. -EINTR:
 * a signal handler ran.
 */
struct resch_serve {
	__aligned_u64 handle;
	__u32 flags;
	__u32 client;
	__s32 pid;
	__u32 reserved;
	__aligned_u64 data;
	__aligned_u64 deadline;
	__aligned_u64 left;
};

/* ---- chains: jobs that release jobs, on other CPUs, of other processes ----------------------- */

#define RESCH_CHAIN_STAGES_MAX 16
#define RESCH_CHAIN_BUCKETS 64 /* of the histogram of responses */

/** enum resch_chain_protocol - when the next stage of an instance is released */
enum resch_chain_protocol {
	/* Direct synchronisation: as the stage before it completes. */
	RESCH_CHAIN_DS = 0,
	/* Phase modification: a fixed time after the origin. */
	RESCH_CHAIN_PM = 1,
	/* Modified phase modification: a fixed time after the release of the stage before it. */
	RESCH_CHAIN_MPM = 2,
	/* Release guard, rule 1: and not before a period after its last release. */
	RESCH_CHAIN_RG1 = 3,
	/* Release guard, rules 1 and 2: likewise, but at once where its CPU has an idle point. */
	RESCH_CHAIN_RG = 4,
};

/**
 * struct resch_chain_offer - RESCH_IOC_CHAIN_OFFER: a task may become a stage of a chain
 * @task:     in: its id, 0: the calling thread's
 * @reserved: zero
 * @key:      in: a random number: who knows it may make the task a stage; 0: nobody may
 *
 * What is a stage already stays one.
 *
 * -ENOENT: no such task. -EPERM: it was registered through another descriptor. -EINVAL: it is a
 * member of a server (RESCH_F_FAMILY).
 */
struct resch_chain_offer {
	__u32 task;
	__u32 reserved;
	__aligned_u64 key;
};

/**
 * struct resch_chain_stage - a stage of a chain that is to be made
 * @task:      id
 * @from_mask: bit n: stage n, one that comes before it, releases it: when all of these have
 *             completed the instance. 0 for the first stage alone. Each stage but the last is to
 *             release another one
 * @key:       that its owner has offered it with
 * @phase:     for RESCH_CHAIN_PM from the origin, for RESCH_CHAIN_MPM from the release of the one
 *             stage that releases it; at most 1 h; 0 for the first stage and under other protocols
 * @flags:     RESCH_STAGE_F_*; 0 for the first stage
 * @reserved32, @reserved: zero
 */
struct resch_chain_stage {
	__u32 task;
	__u32 from_mask;
	__aligned_u64 key;
	__aligned_u64 phase;
	__u32 flags;
	__u32 reserved32;
	__aligned_u64 reserved[2];
};

/* resch_chain_stage.flags */
#define RESCH_STAGE_F_ANY (1U << 0) /* released when the first of @from_mask has completed */

/* resch_chain_set.flags */
#define RESCH_CHAIN_F_COMPLETE (1U << 0) /* an event for each instance that is complete */
#define RESCH_CHAIN_F_MISS (1U << 1) /* an event for each that was not in time, skipped, or lost */
#define RESCH_CHAIN_F_SKIP_ADMISSION (1U << 2) /* without a test, and without a promise */
/*
 * An instance that a later stage turns to only after the chain's deadline is dropped, with what is
 * left to be done for it.
 */
#define RESCH_CHAIN_F_SKIP_LATE (1U << 3)
#define RESCH_CHAIN_F_ALL                                                             \
	(RESCH_CHAIN_F_COMPLETE | RESCH_CHAIN_F_MISS | RESCH_CHAIN_F_SKIP_ADMISSION | \
	 RESCH_CHAIN_F_SKIP_LATE)

/**
 * struct resch_chain_set - RESCH_IOC_CHAIN_SET: make a chain of tasks
 * @id:       out
 * @count:    in: 1 to RESCH_CHAIN_STAGES_MAX stages
 * @protocol: in: enum resch_chain_protocol
 * @flags:    in: RESCH_CHAIN_F_*
 * @period:   in: least time between two instances, or their period; 1 µs to 1 h
 * @deadline: in: end to end, from the origin; 1 ns to 1 h
 * @stages:   in: pointer to @count struct resch_chain_stage, in their order
 * @name:     in: for people; need not be unique
 * @verdict:  out: with -EBUSY from admission, why
 *
 * Each job of the first stage that is released from now on is an *instance*, numbered from 1 as
 * they complete; its release is the instance's *origin*. As it completes, the tasks of the stages
 * that it releases get a job, whatever CPU and process they are of, and so on to the last one,
 * whose completion is the instance's. A stage that several release gets one as the last of them has
 * completed the instance, or with RESCH_STAGE_F_ANY the first; instances keep their order. At most
 * 64 instances are with a later stage, or wait between two; those that find no room are lost: their
 * way ends there, and so does what waits for all of several where one of them has none. A task is
 * in one chain at a time. What else it is, its own deadlines, statistics and reactions, stays as it
 * is, but that nobody else may release a later stage.
 *
 * All protocols but RESCH_CHAIN_DS also keep the releases of a stage its task's period apart, so
 * that each stage is the sporadic task that was admitted (RESCH_CHAIN_RG: unless all that was
 * released on its CPU before is complete). The test is that the local deadlines, the tasks' own,
 * and where they are later the phases, add up to no more than @deadline on the longest way from the
 * first stage to the last: then, with all tasks admitted, no instance is late. RESCH_CHAIN_DS has
 * no test and no promise here; resch_chain_analyse() of libresch has.
 *
 * The chain ends with RESCH_IOC_CHAIN_DEL or with the open file description that made it. If the
 * registration of a stage ends before that, or its CPU goes offline, the chain stops: instances
 * under way are lost, RESCH_EVENT_CHAIN_GONE tells, and the other stages are tasks like any other.
 * They are so, too, when the chain ends; what was handed to them and has not begun is dropped, but
 * for a job whose time has been set already.
 *
 * -EINVAL: a field is out of range; a later stage is not RESCH_SPORADIC; a task has a longer
 * period than the chain. -ENOENT: no such task. -EPERM: the key is not that of its owner. -EBUSY:
 * a task is a stage already, or is named twice; a later stage has a job, or releases wait for it;
 * or admission refused, see @verdict.
 */
struct resch_chain_set {
	__u32 id;
	__u32 count;
	__u32 protocol;
	__u32 flags;
	__aligned_u64 period;
	__aligned_u64 deadline;
	__aligned_u64 stages;
	char name[RESCH_NAME_LEN];
	struct resch_verdict verdict;
};

/** struct resch_chain_del - RESCH_IOC_CHAIN_DEL: end a chain
 * @id: in
 *
 * -ENOENT: no such chain. -EPERM: it was made through another descriptor.
 */
struct resch_chain_del {
	__u32 id;
	__u32 reserved;
};

/**
 * struct resch_chain_open - RESCH_IOC_CHAIN_OPEN: a descriptor of the chain, to map
 * @id:       in
 * @flags:    zero
 * @fd:       out: close-on-exec
 * @reserved: zero
 *
 * mmap() of a page of it, PROT_READ and MAP_SHARED, is a struct resch_chain_page.
 *
 * -EPERM: for CAP_SYS_NICE, processes with a thread that is a stage, and the descriptor that made
 * it. -ENOENT: no such chain.
 */
struct resch_chain_open {
	__u32 id;
	__u32 flags;
	__s32 fd;
	__u32 reserved;
};

/**
 * struct resch_stage_page - which instance a stage works on
 * @sequence: odd while the rest changes: read it before and after, with fences between
 * @task:     its id
 * @instance: that its job belongs to, from the job's release to its completion; 0: none
 * @origin:   of the instance; CLOCK_MONOTONIC, ns, as all times here
 * @deadline: @origin and the chain's deadline
 * @release:  of the stage's job
 * @rest:     what the stages after this one take at most, on the longest way to the last, by their
 *            tasks' wcet as the page was opened first, ns: done with its part @rest before
 *            @deadline, the stage has done what it could
 */
struct resch_stage_page {
	__u32 sequence;
	__u32 task;
	__aligned_u64 instance;
	__aligned_u64 origin;
	__aligned_u64 deadline;
	__aligned_u64 release;
	__aligned_u64 rest;
	__aligned_u64 reserved[2];
};

/**
 * struct resch_chain_page - which instances a chain's stages work on, as of the last change of each
 * @id:       which chain it is
 * @count:    how many stages it has
 * @flags:    RESCH_PAGE_GONE: it was deleted; no stage has an instance any more
 * @stopped:  as in struct resch_chain_stat
 * @period, @deadline: as in struct resch_chain_set
 * @stages:   each written by its own CPU, without a word of the others'
 */
struct resch_chain_page {
	__u32 id;
	__u32 count;
	__u32 flags;
	__u32 stopped;
	__aligned_u64 period;
	__aligned_u64 deadline;
	__aligned_u64 reserved[4];
	struct resch_stage_page stages[RESCH_CHAIN_STAGES_MAX];
};

/**
 * struct resch_stage_stat - what a stage has done for its chain
 * @task:       its id
 * @cpu:        that the task belongs to; -1: the chain has stopped
 * @completed:  jobs of instances
 * @held:       of these and of those that wait, how many the protocol has held back ...
 * @held_total: ... and for how long in all, ns
 * @late:       whose phase was over before what releases it had completed
 * @lost:       instances that found no room before this stage, each way to it counted
 * @skipped:    instances that were dropped here, see RESCH_CHAIN_F_SKIP_LATE
 * @response_min, @response_max, @response_total: of completions, from the origin, ns
 * @waiting:    instances that are here, the one that it works on included ...
 * @waiting_max: ... and the most there have been
 */
struct resch_stage_stat {
	__u32 task;
	__s32 cpu;
	__aligned_u64 completed;
	__aligned_u64 held;
	__aligned_u64 held_total;
	__aligned_u64 late;
	__aligned_u64 lost;
	__aligned_u64 skipped;
	__aligned_u64 response_min;
	__aligned_u64 response_max;
	__aligned_u64 response_total;
	__u32 waiting;
	__u32 waiting_max;
};

/**
 * struct resch_chain_stat - RESCH_IOC_CHAIN_STAT: what a chain is and has done
 * @id:     in: its id; or, with @next, the id after which to look
 * @next:   in: 1: the chain with the smallest id above @id; -ENOENT: no more
 * @room:   in: how many struct resch_stage_stat there is room for at @stages
 * @stages: in: pointer to them, which get the first stages; with @room 0: not wanted
 * @histogram: in: pointer to room for RESCH_CHAIN_BUCKETS __u64: bucket 0: responses of 0, bucket
 *          n: of 2^(n-1) ns up to 2^n ns; 0: not wanted
 * The rest is out.
 * @count, @protocol, @flags, @period, @deadline, @name: as in struct resch_chain_set
 * @stopped:   0: it goes on; else the number, from 1, of the stage whose registration has ended
 * @ruled:     1: rule 2 of RESCH_CHAIN_RG is in force for all stages; 0: a stage is where a CPU's
 *             idle points are not seen (servers, time slots, a plugin for the whole domain), and is
 *             guarded by rule 1
 * @instances: whose first stage is complete
 * @completed: of these
 * @missed:    of these, after their deadlines
 * @skipped:   dropped by a later stage, see RESCH_CHAIN_F_SKIP_LATE; where stages release several,
 *             each way of an instance counts
 * @lost:      for want of room, likewise; of a chain that has stopped, all others that are not
 *             complete
 * @response_min, @response_max, @response_total: end to end, of complete ones, ns
 * @tardiness_max: longest time by which an instance was complete after its deadline
 */
struct resch_chain_stat {
	__u32 id;
	__u32 next;
	__u32 room;
	__u32 count;
	__aligned_u64 stages;
	__aligned_u64 histogram;
	__u32 protocol;
	__u32 flags;
	__u32 stopped;
	__u32 ruled;
	__aligned_u64 period;
	__aligned_u64 deadline;
	__aligned_u64 instances;
	__aligned_u64 completed;
	__aligned_u64 missed;
	__aligned_u64 skipped;
	__aligned_u64 lost;
	__aligned_u64 response_min;
	__aligned_u64 response_max;
	__aligned_u64 response_total;
	__aligned_u64 tardiness_max;
	char name[RESCH_NAME_LEN];
};

/**
 * struct resch_chain_job - RESCH_IOC_CHAIN_JOB: the instance that the caller's job belongs to
 * @chain:    out: id
 * @stage:    out: which one the caller is, from 0
 * @instance: out: its number
 * @origin:   out: release of its first stage
 * @deadline: out: @origin and the chain's deadline
 *
 * -ENOENT: the caller is not registered, is no stage, or its job belongs to no instance.
 */
struct resch_chain_job {
	__u32 chain;
	__u32 stage;
	__aligned_u64 instance;
	__aligned_u64 origin;
	__aligned_u64 deadline;
};

/** struct resch_domain_del - RESCH_IOC_DOMAIN_DEL: remove a domain, and its servers
 * @domain: in
 *
 * -EBUSY: it has tasks. -ENODEV: there is none such.
 */
struct resch_domain_del {
	__u32 domain;
	__u32 reserved;
};

/** struct resch_plugin_stat - RESCH_IOC_PLUGIN_STAT: list the loaded plugins
 * @index:   in: 0, 1, ...; -ENOENT: no more
 * The rest is out.
 * @ejections: how often it was thrown out of a domain
 * @name:    that domains give
 * @about:   a sentence
 * @servers: that it orders the tasks of
 * @inner:   1: it may run inside a server
 */
struct resch_plugin_stat {
	__u32 index;
	__u32 users; /* domains */
	__u32 ejections;
	__u32 reserved;
	char name[RESCH_NAME_LEN];
	char about[RESCH_REASON_LEN];
	__u32 servers;
	__u32 inner;
};

/** struct resch_plugin_load - RESCH_IOC_PLUGIN_LOAD: load a plugin's module
 * @name: in: NAME of the module resch-NAME: lower-case letters, digits and -
 *
 * -ENOENT: there is none such. -EINVAL: that can't be a name.
 */
struct resch_plugin_load {
	char name[RESCH_NAME_LEN];
};

/* ---- guards: RT CPUs that others may use, in user mode only ---------------------------------- */

#define RESCH_CALLS_MAX 512 /* system call numbers that an exempt list can name */

/** struct resch_calls - a set of 64-bit system calls
 * @bits: bit n%64 of bits[n/64] is call n
 */
struct resch_calls {
	__aligned_u64 bits[RESCH_CALLS_MAX / 64];
};

/* resch_guard_set.flags */
#define RESCH_GUARD_ON (1U << 0) /* a guard is to stand; without it: it is to go */
/* take @exempt; without it: what stands, or the default list */
#define RESCH_GUARD_EXEMPT (1U << 1)
/*
 * A thread that may run on every CPU outside of the guarded ones may be lent to those, too, even if
 * its affinity does not name them: threads that a shield has moved away, and their children.
 */
#define RESCH_GUARD_ALL (1U << 2)
/* Nobody is sent to the CPUs by the module itself: RESCH_IOC_GUARD_LEND alone does. */
#define RESCH_GUARD_MANUAL (1U << 3)
#define RESCH_GUARD_FLAGS \
	(RESCH_GUARD_ON | RESCH_GUARD_EXEMPT | RESCH_GUARD_ALL | RESCH_GUARD_MANUAL)

/**
 * struct resch_guard_set - RESCH_IOC_GUARD_SET: guard the CPUs of a domain, or stop it
 * @domain: in
 * @flags:  in: RESCH_GUARD_*
 * @exempt: in: calls that do not send a thread away
 *
 * The CPUs of a guarded domain are RT CPUs, all that are in no guarded domain NRT CPUs. On an RT
 * CPU a user thread that is not RT0 is moved to an NRT CPU before a system call that is not exempt
 * begins. RT0 are the registered tasks and the threads that are SCHED_FIFO 99 and bound to one RT
 * CPU. While a guard stands the others have no RT CPU in their affinity but while they are lent to
 * one; when the last guard over a CPU goes each gets the affinity back that it had, or that
 * somebody gave it meanwhile. A guard goes with its domain.
 *
 * -ENODEV: no such domain. -EINVAL: @exempt names a call that makes threads or programs (fork,
 * vfork, clone, clone3, execve, execveat), or no NRT CPU would be left.
 */
struct resch_guard_set {
	__u32 domain;
	__u32 flags;
	struct resch_calls exempt;
};

/**
 * struct resch_guard_stat - RESCH_IOC_GUARD_STAT: what a guard is and has done
 * @domain: in
 * @cpu:    in: one of its CPUs, or -1: the sum
 * @calls:  in: pointer to room for RESCH_CALLS_MAX __u64, which get how many threads were sent away
 *          by each system call; 0: not wanted
 * The rest is out.
 * @flags:    RESCH_GUARD_*; 0: there is no guard
 * @threads:  of the whole machine, whose affinity is ours at the moment
 * @exempt:   calls that do not send a thread away
 * @moved:    sent away before a system call
 * @moved_other: of these, by a call that @calls has no place for: those of 32-bit programs
 * @faults:   sent away after a page fault
 * @signals:  sent away by a signal that it was about to die of
 * @exempted: exempt calls, which stayed
 * @lent:     sent to the CPU
 * @recalled: taken back without having called: the CPU had no time for it
 * @failed:   not sent away, since no NRT CPU was left
 */
struct resch_guard_stat {
	__u32 domain;
	__s32 cpu;
	__aligned_u64 calls;
	__u32 flags;
	__u32 threads;
	struct resch_calls exempt;
	__aligned_u64 moved;
	__aligned_u64 moved_other;
	__aligned_u64 faults;
	__aligned_u64 signals;
	__aligned_u64 exempted;
	__aligned_u64 lent;
	__aligned_u64 recalled;
	__aligned_u64 failed;
};

/**
 * struct resch_guard_lend - RESCH_IOC_GUARD_LEND: a thread is to go on, in user mode, on an RT CPU
 * @pid: thread id in the caller's pid namespace; 0: the calling thread
 * @cpu: a guarded CPU
 *
 * It goes when it is next on its way to user mode, and comes back with its next system call that is
 * not exempt. A calling thread is there when the request returns.
 *
 * -ESRCH: no such thread. -EINVAL: the CPU is not guarded, or the thread is RT0 or a thread of the
 * kernel. -EPERM: also for threads that the caller may not signal. -EOPNOTSUPP: this kernel does
 * not export task_work_add.
 */
struct resch_guard_lend {
	__s32 pid;
	__u32 cpu;
};

/* resch_balance_set.policies: which threads a guard has sent to its CPUs, and how */
/* runnable threads count by what real-time tasks leave them */
#define RESCH_BALANCE_WEIGHT (1U << 0)
#define RESCH_BALANCE_PUSH (1U << 1) /* threads go by way of queues that no CPU ever waits for */
#define RESCH_BALANCE_ESTIMATE (1U << 2) /* not those that are likely to call soon */
/* SCHED_FIFO and SCHED_RR rather than others, and sooner */
#define RESCH_BALANCE_ASSOCIATE (1U << 3)
#define RESCH_BALANCE_ALL 15U

/**
 * struct resch_balance_set - RESCH_IOC_BALANCE_SET: policies of the balancing between RT and
 * NRT CPUs
 * @domain:   in
 * @policies: in: RESCH_BALANCE_*; a guard that is raised has all of them
 *
 * What several guards have in common is in force.
 *
 * -ENODEV: no such domain. -ENOENT: it is not guarded.
 */
struct resch_balance_set {
	__u32 domain;
	__u32 policies;
};

/**
 * struct resch_balance_stat - RESCH_IOC_BALANCE_STAT: what the balancing sees and has done
 * @domain: in
 * @cpu:    in: one of its CPUs, or -1: all, the sum, and of shares the largest
 * The rest is out.
 * @policies:  RESCH_BALANCE_* of the domain's guard ...
 * @in_force:  ... and those that all guards have
 * @share:     of the time, that real-time tasks have had lately (half a second), parts per million
 * @share_rt0: that RT0 tasks have had
 * @ordinary:  runnable threads that are no real-time ones, as last seen
 * @realtime:  runnable real-time threads
 * @to_load:   sent to the CPU since the load is less there
 * @to_home:   real-time threads sent to the CPU since they belong on RT CPUs
 * @from_load: sent away since the load is less elsewhere
 * @pushed:    sent to the CPU by way of its queue, for these reasons or on request
 * @kept:      times that a thread was not sent, since it was likely to call soon
 *
 * Errors: as RESCH_IOC_BALANCE_SET.
 */
struct resch_balance_stat {
	__u32 domain;
	__s32 cpu;
	__u32 policies;
	__u32 in_force;
	__u32 share;
	__u32 share_rt0;
	__u32 ordinary;
	__u32 realtime;
	__aligned_u64 to_load;
	__aligned_u64 to_home;
	__aligned_u64 from_load;
	__aligned_u64 pushed;
	__aligned_u64 kept;
};

/* ---- the module ------------------------------------------------------------------------------ */

/* resch_info.features */
#define RESCH_FEATURE_PARK (1ULL << 0) /* stops a task by parking it */
#define RESCH_FEATURE_DEMOTE (1ULL << 1) /* stops a task by demoting it */
#define RESCH_FEATURE_REMOTE (1ULL << 2) /* may register other threads */
#define RESCH_FEATURE_SERVERS (1ULL << 3) /* has RESCH_IOC_SERVER_SET and its like */
#define RESCH_FEATURE_GUARDS (1ULL << 4) /* has RESCH_IOC_GUARD_SET and its like */
#define RESCH_FEATURE_CHAINS (1ULL << 5) /* has RESCH_IOC_CHAIN_SET and its like */
#define RESCH_FEATURE_LEAD (1ULL << 6) /* has RESCH_IOC_LEAD */
#define RESCH_FEATURE_DELEGATE (1ULL << 7) /* has RESCH_IOC_DELEGATE */
#define RESCH_FEATURE_FORKS (1ULL << 8) /* knows more than one bit in a from_mask */
#define RESCH_FEATURE_PACE (1ULL << 9) /* has RESCH_IOC_PACE */
#define RESCH_FEATURE_PASSIVE (1ULL << 12) /* has RESCH_IOC_CALL and its like */

/** struct resch_info - RESCH_IOC_INFO: what this module is and does
 * @abi:      RESCH_ABI_VERSION of the module
 * @level:    highest SCHED_FIFO priority of registered tasks
 * @features: RESCH_FEATURE_*
 * @tasks, @domains, @plugins: how many there are
 * @escalate: a deselected task that is still in the kernel after this time is demoted; ns
 * @restored: threads given back after an ejection, an offline CPU, SysRq, or a withdrawal
 * @events_lost: events that no reader fetched in time
 * @version:  of the release
 */
struct resch_info {
	__u32 abi;
	__u32 level;
	__aligned_u64 features;
	__u32 tasks;
	__u32 domains;
	__u32 plugins;
	__u32 reserved;
	__aligned_u64 escalate;
	__aligned_u64 restored;
	__aligned_u64 events_lost;
	char version[RESCH_NAME_LEN];
};

/* ---- events: what read() on the device returns ----------------------------------------------- */

/** enum resch_event_type - what has happened to a task, or to a chain */
enum resch_event_type {
	RESCH_EVENT_OVERRUN = 1, /* value: execution time so far, ns */
	RESCH_EVENT_MISS = 2, /* value: the deadline missed */
	RESCH_EVENT_GONE = 3, /* the registration ended; value: enum resch_gone */
	/* Of chains: `task` is the chain's id, `job` the instance. */
	RESCH_EVENT_CHAIN_COMPLETE = 4, /* value: end-to-end response, ns */
	RESCH_EVENT_CHAIN_MISS =
		5, /* complete too late, skipped or lost; value: the deadline missed */
	/* the chain has stopped: the registration of a stage has ended; value: which, from 0 */
	RESCH_EVENT_CHAIN_GONE = 6,
};

/** enum resch_gone - why a registration ended without being asked to */
enum resch_gone {
	RESCH_GONE_EXIT = 1,
	RESCH_GONE_EXEC = 2,
	RESCH_GONE_EJECT = 3,
	RESCH_GONE_OFFLINE = 4,
	RESCH_GONE_SYSRQ = 5,
	RESCH_GONE_WITHDRAWN = 6, /* the server was delegated, and is not any more */
};

/**
 * struct resch_event - what has happened to a task, or to a chain
 * @type:  enum resch_event_type
 * @task:  its id
 * @time:  when, CLOCK_MONOTONIC, ns
 * @job:   number of the job that it was in, or had last; of a chain: of the instance
 * @value: see enum resch_event_type
 *
 * read() returns whole ones: those of the tasks registered, and of the chains made, through this
 * descriptor. poll() says when.
 */
struct resch_event {
	__u32 type;
	__u32 task;
	__aligned_u64 time;
	__aligned_u64 job;
	__aligned_u64 value;
};

/* ---- requests -------------------------------------------------------------------------------- */

#define RESCH_IOC_MAGIC 0xE5
#define RESCH_IOC_INFO _IOR(RESCH_IOC_MAGIC, 0, struct resch_info)
#define RESCH_IOC_REGISTER _IOWR(RESCH_IOC_MAGIC, 1, struct resch_register)
#define RESCH_IOC_UNREGISTER _IOW(RESCH_IOC_MAGIC, 2, struct resch_target)
#define RESCH_IOC_WAIT _IOR(RESCH_IOC_MAGIC, 3, struct resch_wait)
#define RESCH_IOC_DELAY _IOW(RESCH_IOC_MAGIC, 4, struct resch_delay)
#define RESCH_IOC_RELEASE _IOW(RESCH_IOC_MAGIC, 5, struct resch_target)
#define RESCH_IOC_START _IOWR(RESCH_IOC_MAGIC, 6, struct resch_start)
#define RESCH_IOC_TASK_STAT _IOWR(RESCH_IOC_MAGIC, 7, struct resch_task_stat)
#define RESCH_IOC_AFFINITY _IOWR(RESCH_IOC_MAGIC, 8, struct resch_affinity)
#define RESCH_IOC_LEAD _IOWR(RESCH_IOC_MAGIC, 9, struct resch_lead)
#define RESCH_IOC_PACE _IOW(RESCH_IOC_MAGIC, 10, struct resch_pace)
#define RESCH_IOC_DOMAIN_SET _IOWR(RESCH_IOC_MAGIC, 16, struct resch_domain_set)
#define RESCH_IOC_DOMAIN_DEL _IOW(RESCH_IOC_MAGIC, 17, struct resch_domain_del)
#define RESCH_IOC_DOMAIN_STAT _IOWR(RESCH_IOC_MAGIC, 18, struct resch_domain_stat)
#define RESCH_IOC_PLUGIN_LOAD _IOW(RESCH_IOC_MAGIC, 19, struct resch_plugin_load)
#define RESCH_IOC_PLUGIN_STAT _IOWR(RESCH_IOC_MAGIC, 20, struct resch_plugin_stat)
#define RESCH_IOC_PLAN_SET _IOWR(RESCH_IOC_MAGIC, 21, struct resch_plan_set)
#define RESCH_IOC_SERVER_SET _IOWR(RESCH_IOC_MAGIC, 22, struct resch_server_set)
#define RESCH_IOC_SERVER_DEL _IOW(RESCH_IOC_MAGIC, 23, struct resch_server_del)
#define RESCH_IOC_SERVER_STAT _IOWR(RESCH_IOC_MAGIC, 24, struct resch_server_stat)
#define RESCH_IOC_PLAN_GET _IOWR(RESCH_IOC_MAGIC, 25, struct resch_plan_get)
#define RESCH_IOC_GUARD_SET _IOW(RESCH_IOC_MAGIC, 26, struct resch_guard_set)
#define RESCH_IOC_GUARD_STAT _IOWR(RESCH_IOC_MAGIC, 27, struct resch_guard_stat)
#define RESCH_IOC_GUARD_LEND _IOW(RESCH_IOC_MAGIC, 28, struct resch_guard_lend)
#define RESCH_IOC_BALANCE_SET _IOW(RESCH_IOC_MAGIC, 30, struct resch_balance_set)
#define RESCH_IOC_BALANCE_STAT _IOWR(RESCH_IOC_MAGIC, 31, struct resch_balance_stat)
#define RESCH_IOC_CALL _IOWR(RESCH_IOC_MAGIC, 35, struct resch_call)
#define RESCH_IOC_CALL_END _IOWR(RESCH_IOC_MAGIC, 36, struct resch_call_end)
#define RESCH_IOC_SERVE _IOWR(RESCH_IOC_MAGIC, 37, struct resch_serve)
#define RESCH_IOC_SERVE_END _IOWR(RESCH_IOC_MAGIC, 38, struct resch_call_end)
#define RESCH_IOC_DELEGATE _IOW(RESCH_IOC_MAGIC, 39, struct resch_delegate)
#define RESCH_IOC_SERVER_OPEN _IOWR(RESCH_IOC_MAGIC, 40, struct resch_server_open)
#define RESCH_IOC_SERVERS_SET _IOWR(RESCH_IOC_MAGIC, 41, struct resch_servers_set)
#define RESCH_IOC_SERVERS_DEL _IOW(RESCH_IOC_MAGIC, 42, struct resch_server_del)
#define RESCH_IOC_CHAIN_OFFER _IOW(RESCH_IOC_MAGIC, 43, struct resch_chain_offer)
#define RESCH_IOC_CHAIN_SET _IOWR(RESCH_IOC_MAGIC, 44, struct resch_chain_set)
#define RESCH_IOC_CHAIN_DEL _IOW(RESCH_IOC_MAGIC, 45, struct resch_chain_del)
#define RESCH_IOC_CHAIN_STAT _IOWR(RESCH_IOC_MAGIC, 46, struct resch_chain_stat)
#define RESCH_IOC_CHAIN_JOB _IOR(RESCH_IOC_MAGIC, 47, struct resch_chain_job)
#define RESCH_IOC_CHAIN_OPEN _IOWR(RESCH_IOC_MAGIC, 48, struct resch_chain_open)

#endif /* _UAPI_LINUX_RESCH_H */
