// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * disturb.c - who had a CPU, and how long
 *
 * What runs on a CPU is a stack: a thread, a work item or a soft interrupt in it, an interrupt over
 * that, a timer's function in the interrupt. The time between two events belongs to whoever is on
 * top. So times are net, and add up to what the CPU was away from its RT0 tasks, or from idling.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "softirq.h"
#include "watch.h"

/* ---- events ---------------------------------------------------------------------------------- */

/** struct meaning - what an event says */
struct meaning {
	enum { ENTER, LEAVE, SWITCH, SPENT } mark;
	enum culprit kind;
	const char *name; /* where the event is the culprit */
};

/* clang-format off */
#define EVENT(SYSTEM, NAME, ...) { .system = (SYSTEM), .name = (NAME), .fields = { __VA_ARGS__ } }
#define PAIR(SYSTEM, BEGIN, END, ...) EVENT(SYSTEM, BEGIN, __VA_ARGS__), EVENT(SYSTEM, END, NULL)
#define VECTOR(NAME) PAIR("irq_vectors", NAME "_entry", NAME "_exit", NULL)
#define BOTH(KIND, NAME) { ENTER, KIND, NAME }, { LEAVE, KIND, NULL }
/* clang-format on */

/* Each with its meaning in the same place of the next table. */
struct trace_event disturb_events[] = {
	EVENT("sched", "sched_switch", "prev_state", "next_pid", "next_comm", "prev_pid"),
	EVENT("nmi", "nmi_handler", "delta_ns", "handler"),
	PAIR("irq", "irq_handler_entry", "irq_handler_exit", "irq", "name"),
	PAIR("irq", "softirq_entry", "softirq_exit", "vec"),
	PAIR("timer", "hrtimer_expire_entry", "hrtimer_expire_exit", "function"),
	PAIR("timer", "timer_expire_entry", "timer_expire_exit", "function"),
	PAIR("csd", "csd_function_entry", "csd_function_exit", "func"),
	PAIR("workqueue", "workqueue_execute_start", "workqueue_execute_end", "function"),
	VECTOR("local_timer"),
	VECTOR("reschedule"),
	VECTOR("call_function"),
	VECTOR("call_function_single"),
	VECTOR("irq_work"),
	VECTOR("x86_platform_ipi"),
	VECTOR("thermal_apic"),
	VECTOR("threshold_apic"),
	VECTOR("deferred_error_apic"),
	VECTOR("error_apic"),
	VECTOR("spurious_apic"),
};
const size_t nr_disturb_events = sizeof(disturb_events) / sizeof(disturb_events[0]);

static const struct meaning meanings[] = {
	{ SWITCH, BY_THREAD, NULL },
	{ SPENT, BY_NMI, NULL },
	BOTH(BY_INTERRUPT, NULL),
	BOTH(BY_SOFTIRQ, NULL),
	BOTH(BY_TIMER, NULL),
	BOTH(BY_TIMER, NULL),
	BOTH(BY_CALL, NULL),
	BOTH(BY_WORK, NULL),
	BOTH(BY_VECTOR, "local timer"),
	BOTH(BY_VECTOR, "reschedule IPI"),
	BOTH(BY_VECTOR, "function call IPI, many CPUs"),
	BOTH(BY_VECTOR, "function call IPI"),
	BOTH(BY_VECTOR, "irq_work"),
	BOTH(BY_VECTOR, "platform IPI"),
	BOTH(BY_VECTOR, "thermal event"),
	BOTH(BY_VECTOR, "machine check threshold"),
	BOTH(BY_VECTOR, "deferred machine check"),
	BOTH(BY_VECTOR, "APIC error"),
	BOTH(BY_VECTOR, "spurious"),
};

_Static_assert(sizeof(meanings) / sizeof(meanings[0]) ==
		       sizeof(disturb_events) / sizeof(disturb_events[0]),
	       "one meaning an event");

struct trace_event sender_events[] = {
	EVENT("ipi", "ipi_send_cpu", "cpu", "callback", "callsite"),
	EVENT("ipi", "ipi_send_cpumask", "cpumask", "callback", "callsite"),
};
const size_t nr_sender_events = sizeof(sender_events) / sizeof(sender_events[0]);

/* ---- rows ------------------------------------------------------------------------------------ */

static unsigned int bucket_of(enum culprit kind, uint64_t id, uint64_t address)
{
	return (unsigned int)((id * 31 + address / 16 * 7 + (unsigned int)kind) % ROW_BUCKETS);
}

/* The culprit's row; a new one where there is none. NULL: no memory */
static struct row *row_of(struct disturb *disturb, enum culprit kind, uint64_t id, uint64_t address,
			  const char *name)
{
	struct row **bucket = &disturb->buckets[bucket_of(kind, id, address)], *row;
	void *more;

	for (row = *bucket; row; row = row->next) {
		/* A vector, an NMI's handler: known by name. */
		if (row->kind == kind && row->id == id && row->function.address == address &&
		    (id || address || !strcmp(row->name, name)))
			return row;
	}
	if (disturb->nr_rows == disturb->room) {
		more = reallocarray(disturb->rows, disturb->room ? 2 * disturb->room : 64,
				    sizeof(*disturb->rows));
		if (!more)
			return NULL;
		disturb->rows = more;
		disturb->room = disturb->room ? 2 * disturb->room : 64;
	}
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->kind = kind;
	row->id = id;
	row->function.address = address;
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->next = *bucket;
	*bucket = row;
	disturb->rows[disturb->nr_rows++] = row;
	return row;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Return: false: it has ended */
static bool known_ask(const struct disturb *disturb, struct known *known)
{
	struct thread thread;
	enum stay stay;

	if (thread_read(disturb->sweep->state->root, known->pid, known->pid, &thread))
		return false;
	known->kthread = thread.flags & PF_KTHREAD;
	stay = stay_thread(disturb->sweep, &thread, false);
	known->rt0 = stay == STAY_REGISTERED || (stay == STAY_BOUND && !known->kthread);
	return true;
}

static const struct known *known_find(struct disturb *disturb, pid_t pid)
{
	static const struct known stranger;
	struct known *known;
	size_t i;

	for (i = disturb->nr_known; i-- > 0;) {
		if (disturb->known[i].pid == pid)
			return &disturb->known[i];
	}
	if (disturb->nr_known == KNOWN_MAX)
		return &stranger;
	known = &disturb->known[disturb->nr_known++];
	*known = (struct known){ .pid = pid };
	known_ask(disturb, known);
	return known;
}

void disturb_refresh(struct disturb *disturb)
{
	size_t i = 0;

	while (i < disturb->nr_known) {
		/* Those that have ended make room; their number may come again. */
		if (known_ask(disturb, &disturb->known[i]))
			i++;
		else
			disturb->known[i] = disturb->known[--disturb->nr_known];
	}
}

/* ---- time ------------------------------------------------------------------------------------ */

/* What has passed since the CPU's last event belongs to the topmost frame. */
static void pass(struct cpu_watch *cpu, uint64_t now)
{
	struct frame *top = cpu->depth ? &cpu->frames[cpu->depth - 1] : NULL;

	if (top && cpu->last && now > cpu->last) {
		top->time += now - cpu->last;
		if (cpu->interrupted && top->row && top->time > cpu->worst_time) {
			cpu->worst_time = top->time;
			cpu->worst = top->row;
		}
	}
	cpu->last = now;
}

static void post(struct frame *frame)
{
	struct row *row = frame->row;

	if (!row)
		return;
	row->total += frame->time - frame->posted;
	frame->posted = frame->time;
	if (frame->time > row->longest)
		row->longest = frame->time;
}

static void push(struct cpu_watch *cpu, enum culprit kind, struct row *row)
{
	if (cpu->depth == FRAMES_MAX)
		return;
	cpu->frames[cpu->depth++] = (struct frame){ .kind = kind, .row = row };
}

static void count(struct row *row, unsigned int cpu, bool hit)
{
	if (!row)
		return;
	row->count++;
	row->hits += hit;
	resch_cpus_add(&row->cpus, cpu);
}

/* Does an RT0 task have the CPU now? That ends an interruption; its absence begins none. */
static void settle(struct disturb *disturb, unsigned int number, struct cpu_watch *cpu)
{
	uint64_t length = cpu->last - cpu->interrupted;

	if (!cpu->interrupted || cpu->depth != 1)
		return;
	if (cpu->rt0) {
		disturb->interruptions++;
		if (length > disturb->longest) {
			disturb->longest = length;
			disturb->longest_cpu = number;
			disturb->longest_by = cpu->worst;
			disturb->longest_part = cpu->worst_time;
		}
	} else if (cpu->pid) {
		return;
	}
	/* Else it idles: whoever waited is somewhere else. */
	cpu->interrupted = 0;
}

static void interrupt(struct cpu_watch *cpu)
{
	if (cpu->interrupted)
		return;
	cpu->interrupted = cpu->last;
	cpu->worst = NULL;
	cpu->worst_time = 0;
}

/* ---- records --------------------------------------------------------------------------------- */

static void enter(struct disturb *disturb, struct cpu_watch *cpu, const struct trace_event *event,
		  const struct meaning *meaning, const struct record *record)
{
	uint64_t id = trace_number(record, event->at[0]), address = 0;
	const char *name = meaning->name;
	struct row *row;
	char text[64];

	switch (meaning->kind) {
	case BY_INTERRUPT:
		name = trace_text(record, event->at[1], text, sizeof(text));
		break;
	case BY_SOFTIRQ:
		name = softirq_name(id);
		break;
	case BY_VECTOR:
		id = 0;
		break;
	default:
		name = "";
		address = id;
		id = 0;
	}
	row = row_of(disturb, meaning->kind, id, address, name);
	count(row, record->cpu, cpu->rt0 && cpu->depth == 1);
	if (cpu->rt0 && cpu->depth == 1)
		interrupt(cpu);
	if (cpu->depth)
		push(cpu, meaning->kind, row);
}

/* Frames over it, whose ends were not seen, end with it; an end without a beginning is none. */
static void leave(struct cpu_watch *cpu, enum culprit kind)
{
	unsigned int depth = cpu->depth;

	while (depth > 1 && cpu->frames[depth - 1].kind != kind)
		depth--;
	if (depth <= 1)
		return;
	while (cpu->depth >= depth)
		post(&cpu->frames[--cpu->depth]);
}

/*
 * A frame in a thread that leaves the CPU (a work item that sleeps, with PREEMPT_RT a soft
 * interrupt) ends there; what it does later counts as the thread's.
 */
static void switch_to(struct disturb *disturb, struct cpu_watch *cpu,
		      const struct trace_event *event, const struct record *record)
{
	pid_t next = (pid_t)trace_number(record, event->at[1]);
	uint64_t state = trace_number(record, event->at[0]);
	bool preempted = cpu->depth && cpu->rt0 && !(state & 0xff);
	const struct known *known;
	struct row *row = NULL;
	char comm[64];

	while (cpu->depth)
		post(&cpu->frames[--cpu->depth]);
	cpu->pid = next;
	cpu->rt0 = false;
	if (next) {
		known = known_find(disturb, next);
		cpu->rt0 = known->rt0;
		trace_text(record, event->at[2], comm, sizeof(comm));
		if (!cpu->rt0)
			row = row_of(disturb, BY_THREAD, (uint64_t)next, 0, comm);
		/* A program that was started since has another name. */
		if (row) {
			row->kthread = known->kthread;
			snprintf(row->name, sizeof(row->name), "%s", comm);
		}
		count(row, record->cpu, preempted);
	}
	if (preempted && !cpu->rt0)
		interrupt(cpu);
	push(cpu, BY_THREAD, row);
}

/* An NMI's handler says at its end how long it took. */
static void spent(struct disturb *disturb, struct cpu_watch *cpu, const struct trace_event *event,
		  const struct record *record)
{
	uint64_t length = trace_number(record, event->at[0]);
	struct row *row = row_of(disturb, BY_NMI, 0, trace_number(record, event->at[1]), "");
	struct frame *top;

	if (!row)
		return;
	count(row, record->cpu, cpu->rt0 && cpu->depth == 1);
	row->total += length;
	if (length > row->longest)
		row->longest = length;
	top = cpu->depth ? &cpu->frames[cpu->depth - 1] : NULL;
	if (top && top->time - top->posted >= length)
		top->time -= length;
}

void disturb_record(void *arg, const struct record *record)
{
	struct disturb *disturb = arg;
	struct cpu_watch *cpu = &disturb->cpus[record->cpu];
	const struct meaning *meaning;
	size_t i;

	for (i = 0; i < nr_disturb_events && disturb_events[i].id != record->id; i++)
		;
	if (i == nr_disturb_events || !record->id)
		return;
	meaning = &meanings[i];
	pass(cpu, record->event.ts);
	switch (meaning->mark) {
	case ENTER:
		enter(disturb, cpu, &disturb_events[i], meaning, record);
		break;
	case LEAVE:
		leave(cpu, meaning->kind);
		break;
	case SWITCH:
		switch_to(disturb, cpu, &disturb_events[i], record);
		break;
	default:
		spent(disturb, cpu, &disturb_events[i], record);
	}
	settle(disturb, record->cpu, cpu);
}

void disturb_lost(void *arg, unsigned int number)
{
	struct disturb *disturb = arg;
	struct cpu_watch *cpu = &disturb->cpus[number];

	while (cpu->depth)
		post(&cpu->frames[--cpu->depth]);
	*cpu = (struct cpu_watch){};
}

/* ---- senders --------------------------------------------------------------------------------- */

void disturb_sent(void *arg, const struct record *record)
{
	struct disturb *disturb = arg;
	const struct trace_event *event = &sender_events[sender_events[1].id == record->id];
	uint64_t callback = trace_number(record, event->at[1]);
	struct resch_cpus to = {};
	struct sender *sender;
	struct thread thread;

	if (event->id != record->id)
		return;
	if (event == &sender_events[1])
		trace_cpumask(record, event->at[0], &to);
	else
		resch_cpus_add(&to, (unsigned int)trace_number(record, event->at[0]));
	if (!cpus_overlap(&to, &disturb->sweep->rt))
		return;
	for (sender = disturb->senders; sender; sender = sender->next) {
		if (sender->pid == record->pid && sender->function.address == callback)
			break;
	}
	if (!sender) {
		sender = calloc(1, sizeof(*sender));
		if (!sender)
			return;
		sender->pid = record->pid;
		sender->function.address = callback;
		sender->next = disturb->senders;
		disturb->senders = sender;
		strcpy(sender->name, record->pid ? "?" : "idle");
		if (record->pid &&
		    !thread_read(disturb->sweep->state->root, record->pid, record->pid, &thread))
			strcpy(sender->name, thread.comm);
	}
	sender->cpu = record->cpu;
	if (!sender->site.address)
		sender->site.address = trace_number(record, event->at[2]);
	sender->count++;
}

/* ---- the whole ------------------------------------------------------------------------------- */

int disturb_begin(struct disturb *disturb, struct sweep *sweep)
{
	*disturb = (struct disturb){ .sweep = sweep };
	disturb->cpus = calloc(RESCH_CPUS_MAX, sizeof(*disturb->cpus));
	disturb->known = calloc(KNOWN_MAX, sizeof(*disturb->known));
	return disturb->cpus && disturb->known ? 0 : -ENOMEM;
}

void disturb_end(struct disturb *disturb)
{
	struct sender *sender;
	size_t i;

	for (i = 0; i < disturb->nr_rows; i++)
		free(disturb->rows[i]);
	while ((sender = disturb->senders)) {
		disturb->senders = sender->next;
		free(sender);
	}
	free(disturb->rows);
	free(disturb->cpus);
	free(disturb->known);
}

static int by_longest(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

	if (x->longest != y->longest)
		return x->longest < y->longest ? 1 : -1;
	return x->total < y->total ? 1 : x->total > y->total ? -1 : 0;
}

void disturb_post(struct disturb *disturb)
{
	unsigned int number, depth;

	for (number = 0; number < RESCH_CPUS_MAX; number++) {
		struct cpu_watch *cpu = &disturb->cpus[number];

		for (depth = 0; depth < cpu->depth; depth++)
			post(&cpu->frames[depth]);
	}
	if (disturb->nr_rows)
		qsort(disturb->rows, disturb->nr_rows, sizeof(*disturb->rows), by_longest);
}
