/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch.h - what disturbs RT CPUs: read from the kernel's trace events, told by culprit
 *
 * A watch is a trace instance of its own: its events are enabled while somebody looks, on the
 * watched CPUs, and nothing of it is left afterwards. The reader polls; were it woken for each
 * event, the wake-up would be a disturbance itself.
 */
#ifndef _RESCHCTL_SHIELD_WATCH_H
#define _RESCHCTL_SHIELD_WATCH_H

#include <event-parse.h>
#include <kbuffer.h>
#include <tracefs.h>

#include "common/symbols.h"
#include "shield.h"

/* ---- trace.c: an instance of the kernel's tracer --------------------------------------------- */

#define TRACE_FIELDS 4

/** struct trace_event - one that we know, as this kernel has it; @id 0: it has none such */
struct trace_event {
	const char *system, *name;
	const char *fields[TRACE_FIELDS]; /* that are wanted; NULL: no more */
	unsigned int id;
	struct tep_format_field *at[TRACE_FIELDS]; /* NULL: this kernel's event has none such */
};

/** struct trace - an instance */
struct trace {
	struct tracefs_instance *instance;
	struct tep_handle *formats;
	struct kbuffer *buffer; /* the page that is read */
	struct resch_cpus cpus;
	struct tracefs_cpu *files[RESCH_CPUS_MAX]; /* NULL: none */
	uint64_t lost; /* times that the buffer ran over */
};

/** struct record - one event; valid during the call */
struct record {
	struct tep_record event; /* its time is ns, of the tracer's clock */
	unsigned int cpu, id;
	pid_t pid; /* of whom it found running */
};

/**
 * trace_make - an instance for @cpus, that records nothing yet
 * @suffix: a word for its name, which has this process's id, too
 * @kb:     of buffer for each of @cpus
 *
 * Return: 0, or -errno with nothing left behind.
 */
int trace_make(struct trace *trace, const char *root, const char *suffix,
	       const struct resch_cpus *cpus, unsigned int kb);
/** trace_remove - stop, and leave nothing; of one that was not made or is removed, too */
void trace_remove(struct trace *trace);
/** trace_sweep - remove what killed watchers have left; nobody reads those */
void trace_sweep(const char *root);
/**
 * trace_load - find an event and its fields, until the trace is removed
 *
 * Return: 0, -ENOENT: this kernel has none, or -errno
 */
int trace_load(const struct trace *trace, struct trace_event *event);
/** trace_filter - let only some through. @filter: in the kernel's words. Return: 0 or -errno */
int trace_filter(const struct trace *trace, const struct trace_event *event, const char *filter);
int trace_enable(const struct trace *trace, const struct trace_event *event);
/** trace_on - begin or end to record */
int trace_on(const struct trace *trace, bool on);
/**
 * trace_read - call for each record of a CPU that has come since; @lost, if any, where some are
 * missing
 *
 * Return: 0 or -errno.
 */
int trace_read(struct trace *trace, unsigned int cpu,
	       void (*call)(void *arg, const struct record *record),
	       void (*lost)(void *arg, unsigned int cpu), void *arg);
/** trace_number - a field as a number; 0 where there is none */
uint64_t trace_number(const struct record *record, const struct tep_format_field *field);
/** trace_text - a field that is a text, fixed or of variable length. Return: @text */
const char *trace_text(const struct record *record, const struct tep_format_field *field,
		       char *text, size_t size);
/** trace_cpumask - a field that is a bitmap of variable length */
void trace_cpumask(const struct record *record, const struct tep_format_field *field,
		   struct resch_cpus *cpus);

/* ---- disturb.c: who had the CPU, and how long ------------------------------------------------ */

enum culprit { BY_INTERRUPT, BY_VECTOR, BY_NMI, BY_SOFTIRQ, BY_TIMER, BY_CALL, BY_WORK, BY_THREAD };

/** struct row - one culprit. Times in ns, without what interrupted it: rows add up */
struct row {
	enum culprit kind;
	uint64_t id; /* interrupt, softirq, thread id; else 0 */
	char name[64];
	bool kthread;
	struct symbol function; /* of timers, calls and works */
	struct resch_cpus cpus;
	uint64_t count, total, longest;
	uint64_t hits; /* times that an RT0 task was running, or was preempted for it */
	struct row *next; /* of the same bucket */
};

#define FRAMES_MAX 16

/** struct frame - a piece of work that has begun on a CPU and not ended */
struct frame {
	struct row *row; /* NULL: an RT0 task, idle, unknown */
	enum culprit kind;
	uint64_t time, posted; /* it has had; of that the row has got */
};

/** struct cpu_watch - a CPU between two events; frames[0] is the thread */
struct cpu_watch {
	struct frame frames[FRAMES_MAX];
	unsigned int depth; /* of frames; 0: not known who runs */
	pid_t pid;
	bool rt0; /* the thread is an RT0 task */
	uint64_t last; /* event */
	uint64_t interrupted; /* since when an RT0 task waits; 0: none does */
	struct row *worst; /* of this interruption, */
	uint64_t worst_time; /* with its part */
};

/** struct sender - who sent interrupts to watched CPUs */
struct sender {
	pid_t pid;
	unsigned int cpu;
	char name[64];
	struct symbol function, site;
	uint64_t count;
	struct sender *next;
};

#define ROW_BUCKETS 1024
#define KNOWN_MAX 4096

/** struct known - a thread that was seen on a watched CPU */
struct known {
	pid_t pid;
	bool rt0, kthread;
};

/** struct disturb - a watch's accounts */
struct disturb {
	struct sweep *sweep; /* who is an RT0 task; its rt are the watched CPUs */
	struct cpu_watch *cpus; /* RESCH_CPUS_MAX */
	struct row *buckets[ROW_BUCKETS];
	struct row **rows;
	size_t nr_rows, room;
	struct sender *senders;
	struct known *known;
	size_t nr_known;
	uint64_t interruptions; /* of RT0 tasks, */
	uint64_t longest, longest_part; /* the longest, and its culprit's part, */
	unsigned int longest_cpu;
	struct row *longest_by;
};

/* Events of the watched CPUs, and of all others. */
extern struct trace_event disturb_events[];
extern const size_t nr_disturb_events;
extern struct trace_event sender_events[];
extern const size_t nr_sender_events;

/** disturb_begin - Return: 0 or -ENOMEM */
int disturb_begin(struct disturb *disturb, struct sweep *sweep);
void disturb_end(struct disturb *disturb);
/** disturb_record, disturb_lost - for trace_read() of the watched CPUs, @arg: struct disturb */
void disturb_record(void *arg, const struct record *record);
void disturb_lost(void *arg, unsigned int cpu);
/** disturb_sent - likewise for the senders' instance */
void disturb_sent(void *arg, const struct record *record);
/** disturb_post - the rows get what has not ended yet; sorts them by their longest */
void disturb_post(struct disturb *disturb);
/** disturb_refresh - who is an RT0 task may have changed: ask anew */
void disturb_refresh(struct disturb *disturb);

/* ---- watch.c -------------------------------------------------------------------------- */

/** struct watch_request - a watch as the command line asks for it */
struct watch_request {
	const char *root;
	struct resch_cpus cpus; /* none: those of all shields */
	uint64_t length; /* ns; 0: until it is stopped */
	uint64_t interval; /* ns */
	bool json;
};

/** shield_watch - Return: an exit status */
int shield_watch(const struct watch_request *request);

#endif /* _RESCHCTL_SHIELD_WATCH_H */
