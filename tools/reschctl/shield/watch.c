// SPDX-License-Identifier: GPL-2.0-or-later
/* watch.c - reschctl shield status --watch: what disturbs RT CPUs, live */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/screen.h"
#include "watch.h"

/* Between two readings of the buffers; they hold what comes meanwhile. */
#define READ_NS 50000000ULL
#define BUFFER_KB 1024
#define SENDERS_KB 64

/** struct watch - one that runs */
struct watch {
	const struct watch_request *request;
	struct state *state; /* as last read; not locked */
	struct sweep sweep;
	struct resch_cpus cpus;
	struct trace trace, senders;
	bool has_senders; /* this kernel says who sends interrupts: 6.4 and later */
	struct disturb disturb;
	uint64_t begin, end; /* of what was recorded */
	struct screen_order order; /* of row_sorts */
	bool screen;
};

/* ---- what is to be seen ---------------------------------------------------------------------- */

/* Shields and resch tasks as they are now. Return: 0 or -errno */
static int look_again(struct watch *watch)
{
	int result = state_open(watch->state, watch->request->root, false);

	if (!result) {
		sweep_end(&watch->sweep);
		sweep_begin(&watch->sweep, watch->state);
		if (resch_cpus_count(&watch->cpus))
			watch->sweep.rt = watch->cpus;
	}
	state_close(watch->state);
	return result;
}

/* Ranges of CPUs, for a field that is a number; all kernels know these operators. */
static void range_filter(const struct resch_cpus *cpus, char *text, size_t size)
{
	unsigned int cpu, first;
	size_t n = 0;

	*text = 0;
	for (cpu = 0; cpu < RESCH_CPUS_MAX && n < size; cpu++) {
		if (!resch_cpus_has(cpus, cpu))
			continue;
		first = cpu;
		while (cpu + 1 < RESCH_CPUS_MAX && resch_cpus_has(cpus, cpu + 1))
			cpu++;
		n += (size_t)snprintf(text + n, size - n, "%s(cpu >= %u && cpu <= %u)",
				      n ? " || " : "", first, cpu);
	}
}

static int begin_senders(struct watch *watch)
{
	struct trace *trace = &watch->senders;
	char filter[2][4000];
	size_t i;
	int result;

	result = trace_make(trace, watch->request->root, "senders", &watch->sweep.online,
			    SENDERS_KB);
	if (result)
		return result;
	range_filter(&watch->cpus, filter[0], sizeof(filter[0]));
	snprintf(filter[1], sizeof(filter[1]), "cpumask & CPUS{%s}", cpus_text(&watch->cpus));
	for (i = 0; i < nr_sender_events; i++) {
		if (trace_load(trace, &sender_events[i]))
			continue;
		/* What a kernel cannot filter we leave out ourselves. */
		trace_filter(trace, &sender_events[i], filter[i]);
		watch->has_senders |= !trace_enable(trace, &sender_events[i]);
	}
	if (!watch->has_senders)
		trace_remove(trace);
	return 0;
}

static int begin_events(struct watch *watch)
{
	struct trace *trace = &watch->trace;
	size_t i;
	int result;

	result = trace_make(trace, watch->request->root, "cpus", &watch->cpus, BUFFER_KB);
	for (i = 0; !result && i < nr_disturb_events; i++) {
		result = trace_load(trace, &disturb_events[i]);
		if (!result)
			result = trace_enable(trace, &disturb_events[i]);
		/* Without this one nobody knows who runs; each other may be missing. */
		if (i && result == -ENOENT)
			result = 0;
	}
	return result;
}

/* We are no disturbance ourselves. */
static void stand_aside(const struct watch *watch)
{
	struct resch_cpus rest = watch->sweep.online;
	cpu_set_t set;

	cpus_subtract(&rest, &watch->cpus);
	if (*watch->request->root || !resch_cpus_count(&rest))
		return;
	_Static_assert(sizeof(set) == sizeof(rest), "both have 1024 bits");
	memcpy(&set, &rest, sizeof(set));
	sched_setaffinity(0, sizeof(set), &set);
}

static int watch_begin(struct watch *watch)
{
	int result = look_again(watch);

	if (result)
		return fail("%s: %s", watch->state->folder, strerror(-result));
	watch->cpus = watch->request->cpus;
	if (!resch_cpus_count(&watch->cpus))
		watch->cpus = watch->sweep.rt;
	if (!resch_cpus_count(&watch->cpus))
		return fail("there is no shield; --cpus=LIST watches CPUs without one");
	if (!cpus_within(&watch->cpus, &watch->sweep.online))
		return fail("CPUs %s are not all online: those that are: %s",
			    cpus_text(&watch->cpus), cpus_text(&watch->sweep.online));
	watch->sweep.rt = watch->cpus;
	if (disturb_begin(&watch->disturb, &watch->sweep))
		return fail("out of memory");
	stand_aside(watch);
	symbols_load(watch->request->root);
	trace_sweep(watch->request->root);
	result = begin_events(watch);
	if (result == -EPERM || result == -EACCES)
		return fail("the kernel's tracer is root's, and lockdown may close it: %s",
			    strerror(-result));
	if (result)
		return fail("the kernel's tracer (/sys/kernel/tracing): %s", strerror(-result));
	result = begin_senders(watch);
	if (result)
		note("who sends interrupts will not be known: %s", strerror(-result));
	/* Not before all is prepared: enabling an event interrupts every CPU. */
	if (watch->has_senders)
		trace_on(&watch->senders, true);
	trace_on(&watch->trace, true);
	watch->begin = resch_now();
	return EXIT_DONE;
}

static int read_all(struct watch *watch)
{
	unsigned int cpu;
	int result = 0;

	for (cpu = 0; !result && cpu < RESCH_CPUS_MAX; cpu++) {
		result = trace_read(&watch->trace, cpu, disturb_record, disturb_lost,
				    &watch->disturb);
		if (!result && watch->has_senders)
			result = trace_read(&watch->senders, cpu, disturb_sent, NULL,
					    &watch->disturb);
	}
	return result;
}

static void watch_end(struct watch *watch)
{
	trace_remove(&watch->trace);
	trace_remove(&watch->senders);
	disturb_end(&watch->disturb);
	symbols_free();
	sweep_end(&watch->sweep);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void find_symbols(struct disturb *disturb)
{
	struct sender *sender;
	size_t i;

	for (i = 0; i < disturb->nr_rows; i++)
		symbol_find(&disturb->rows[i]->function);
	for (sender = disturb->senders; sender; sender = sender->next) {
		symbol_find(&sender->function);
		symbol_find(&sender->site);
	}
}

static const char *kind_of(const struct row *row)
{
	static const char *const kinds[] = {
		[BY_INTERRUPT] = "interrupt", [BY_VECTOR] = "interrupt", [BY_NMI] = "nmi",
		[BY_SOFTIRQ] = "softirq",     [BY_TIMER] = "timer",	 [BY_CALL] = "call",
		[BY_WORK] = "work",	      [BY_THREAD] = "task",
	};

	return row->kthread ? "kthread" : kinds[row->kind];
}

static const char *name_of(const struct row *row)
{
	return row->function.address ? row->function.name : row->name;
}

static bool has_id(const struct row *row)
{
	return row->kind == BY_INTERRUPT || row->kind == BY_THREAD;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_json(const struct watch *watch, bool last)
{
	const struct disturb *disturb = &watch->disturb;
	struct json_object *out = json_object_new_object(), *rows = json_object_new_array(),
			   *senders = json_object_new_array(), *line;
	const struct sender *sender;
	size_t i;

	for (i = 0; i < disturb->nr_rows; i++) {
		const struct row *row = disturb->rows[i];

		line = json_object_new_object();
		json_add_text(line, "kind", kind_of(row));
		json_add(line, "id", has_id(row) ? json_object_new_int64((int64_t)row->id) : NULL);
		json_add_text(line, "name", name_of(row));
		json_add_text(line, "cpus", cpus_text(&row->cpus));
		json_add_number(line, "count", row->count);
		json_add_time(line, "total", row->total);
		json_add_time(line, "longest", row->longest);
		json_add_number(line, "rt0", row->hits);
		json_object_array_add(rows, line);
	}
	for (sender = disturb->senders; sender; sender = sender->next) {
		line = json_object_new_object();
		json_add(line, "id", json_object_new_int64(sender->pid));
		json_add_text(line, "name", sender->name);
		json_add(line, "cpu", json_object_new_int64(sender->cpu));
		json_add_text(line, "function", sender->function.name);
		json_add_text(line, "from", sender->site.name);
		json_add_number(line, "count", sender->count);
		json_object_array_add(senders, line);
	}
	json_add_text(out, "cpus", cpus_text(&watch->cpus));
	json_add_time(out, "time", watch->end - watch->begin);
	json_add(out, "last", json_object_new_boolean(last));
	json_add_number(out, "lost", watch->trace.lost);
	json_add_number(out, "interruptions", disturb->interruptions);
	json_add_time(out, "longest", disturb->longest);
	json_add(out, "disturbances", rows);
	json_add(out, "senders", watch->has_senders ? senders : NULL);
	if (!watch->has_senders)
		json_object_put(senders);
	json_show_line(out, stdout);
}

static void print_head(const struct watch *watch, FILE *to)
{
	const struct disturb *disturb = &watch->disturb;

	fprintf(to, "CPUs %s, %.1f s: RT0 tasks were interrupted %llu times",
		cpus_text(&watch->cpus), (double)(watch->end - watch->begin) / 1e9,
		(unsigned long long)disturb->interruptions);
	if (disturb->longest)
		fprintf(to, ", at most for %llu ns, on CPU %u",
			(unsigned long long)disturb->longest, disturb->longest_cpu);
	if (disturb->longest && disturb->longest_by)
		fprintf(to, "; %llu ns of that: %s %s", (unsigned long long)disturb->longest_part,
			kind_of(disturb->longest_by), name_of(disturb->longest_by));
	fputc('\n', to);
	if (watch->trace.lost)
		fprintf(to,
			"%llu times events came faster than they could be read: there is more than this\n",
			(unsigned long long)watch->trace.lost);
	fputc('\n', to);
}

static void print_senders(const struct watch *watch, FILE *to)
{
	static const char *const headings[] = { "SENDER", ">PID",   ">CPU", "FUNCTION",
						"FROM",	  ">TIMES", NULL };
	const struct sender *sender;
	struct table table;

	if (!watch->disturb.senders)
		return;
	fputs("\ninterrupts from CPU to CPU were sent to them by:\n", to);
	table_begin(&table, headings);
	table.width = screen_width();
	for (sender = watch->disturb.senders; sender; sender = sender->next) {
		table_add(&table, "%s", sender->name);
		table_add(&table, "%d", sender->pid);
		table_add(&table, "%u", sender->cpu);
		table_add(&table, "%s", sender->function.address ? sender->function.name : "-");
		table_add(&table, "%s", sender->site.name);
		table_add(&table, "%llu", (unsigned long long)sender->count);
	}
	table_print(&table, to);
}

static int by_total(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

	return x->total < y->total ? 1 : -(x->total > y->total);
}

static int by_count(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

	return x->count < y->count ? 1 : -(x->count > y->count);
}

static int by_hits(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

	return x->hits < y->hits ? 1 : -(x->hits > y->hits);
}

/* The first is what disturb_post() leaves. */
static const struct {
	const char *column;
	int (*compare)(const void *a, const void *b);
} row_sorts[] = {
	{ "LONGEST", NULL }, { "TOTAL", by_total }, { "TIMES", by_count }, { "RT0", by_hits }
};

static void print_text(const struct watch *watch, FILE *to)
{
	static const char *const headings[] = { "KIND",	       ">ID",	 "NAME",
						"CPUS",	       ">TIMES", ">TOTAL ns",
						">LONGEST ns", ">RT0",	 NULL };
	static const char *const drop[] = { "CPUS", "ID", "TOTAL ns", NULL };
	const struct disturb *disturb = &watch->disturb;
	struct table table;
	size_t i;

	print_head(watch, to);
	table_begin(&table, headings);
	table.width = screen_width();
	table.drop = drop;
	for (i = 0; i < disturb->nr_rows; i++) {
		const struct row *row = disturb->rows[i];

		table_add(&table, "%s", kind_of(row));
		if (has_id(row))
			table_add(&table, "%llu", (unsigned long long)row->id);
		else
			table_add(&table, "%s", "");
		table_add(&table, "%s", name_of(row));
		table_add(&table, "%s", cpus_text(&row->cpus));
		table_add(&table, "%llu", (unsigned long long)row->count);
		table_add(&table, "%llu", (unsigned long long)row->total);
		table_add(&table, "%llu", (unsigned long long)row->longest);
		table_add(&table, "%llu", (unsigned long long)row->hits);
		if (screen_colour() && row->hits)
			table_style(&table, "31");
	}
	table_print(&table, to);
	print_senders(watch, to);
}

/* On a terminal the table is renewed; elsewhere only the last one is of use. JSON always comes. */
static void show(struct watch *watch, bool last)
{
	struct disturb *disturb = &watch->disturb;
	FILE *to;

	watch->end = resch_now();
	if (!last && !watch->screen && !watch->request->json)
		return;
	disturb_post(disturb);
	find_symbols(disturb);
	if (watch->request->json) {
		print_json(watch, last);
		fflush(stdout);
		return;
	}
	if (disturb->nr_rows && row_sorts[watch->order.sort].compare)
		qsort(disturb->rows, disturb->nr_rows, sizeof(*disturb->rows),
		      row_sorts[watch->order.sort].compare);
	if (last)
		screen_end();
	to = screen_page();
	if (watch->screen && !last)
		screen_order_print(&watch->order, row_sorts[watch->order.sort].column, to);
	print_text(watch, to);
	screen_show();
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Return: whether that key ends it */
static bool watch_key(struct watch *watch, int key)
{
	if (watch->screen && screen_order_key(&watch->order, key))
		show(watch, false);
	return key == KEY_QUIT;
}

static int watch_run(struct watch *watch)
{
	const struct watch_request *request = watch->request;
	uint64_t now, next = watch->begin + request->interval, end = UINT64_MAX;
	bool quit = false;
	int result = 0;

	if (request->length)
		end = watch->begin + request->length;
	while (!result && !quit) {
		now = resch_now();
		if (now >= end)
			break;
		quit = watch_key(watch, screen_wait(end - now < READ_NS ? end - now : READ_NS));
		result = read_all(watch);
		now = resch_now();
		if (result || quit || now < next || now >= end)
			continue;
		if (!watch->order.frozen)
			show(watch, false);
		next += request->interval;
		if (next < now)
			next = now + request->interval;
		result = look_again(watch);
		disturb_refresh(&watch->disturb);
	}
	trace_on(&watch->trace, false);
	if (!result)
		result = read_all(watch);
	show(watch, true);
	return result ? fail("watch: %s", strerror(-result)) : EXIT_DONE;
}

int shield_watch(const struct watch_request *request)
{
	struct watch *watch = calloc(1, sizeof(*watch));
	int status;

	if (!watch)
		return fail("out of memory");
	watch->request = request;
	watch->order.sorts = sizeof(row_sorts) / sizeof(row_sorts[0]);
	watch->state = malloc(sizeof(*watch->state));
	if (!watch->state) {
		free(watch);
		return fail("out of memory");
	}
	watch_signals();
	status = watch_begin(watch);
	if (status == EXIT_DONE) {
		watch->screen = !request->json && screen_begin();
		status = watch_run(watch);
		screen_end();
	}
	watch_end(watch);
	free(watch->state);
	free(watch);
	return status;
}
