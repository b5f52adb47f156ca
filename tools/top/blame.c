// SPDX-License-Identifier: GPL-2.0-or-later
/* blame.c - who had the CPU while a job was there */
#include <stdlib.h>
#include <string.h>

#include "screen.h"
#include "symbols.h"
#include "top.h"
#include "who.h"

/* A job's end writes it in some hundred ns; who waits for longer than that meets the next one. */
#define READS 1000

static const char *const of_names[TOP_BLAMES] = {
	[TOP_SLOWEST] = "slowest",
	[TOP_LATE] = "late",
};

/** struct share - @who had it for @ns */
struct share {
	uint64_t ns;
	const struct top_who *who;
};

void blame_read(struct top_blame *blame, const struct top_blame *from)
{
	for (int i = 0; i < READS; i++) {
		uint32_t turn = __atomic_load_n(&from->turn, __ATOMIC_ACQUIRE);

		*blame = *from;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (turn % 2 || turn != __atomic_load_n(&from->turn, __ATOMIC_RELAXED))
			continue;
		for (int j = 0; j < TOP_BLAMED; j++) {
			blame->who[j].name[TOP_NAME - 1] = 0;
			text_clean(blame->who[j].name);
		}
		return;
	}
	*blame = (struct top_blame){};
}

static int compare_shares(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	return x->ns > y->ns ? -1 : x->ns < y->ns;
}

/* Those who had it, the longest first. Return: how many; *@unknown: the time of nobody */
static int shares_of(const struct top_blame *blame, struct share *shares, uint64_t *unknown)
{
	uint64_t all = blame->complete - blame->release;
	int count = 0;

	*unknown = all > blame->others ? all - blame->others : 0;
	for (int i = 0; i < TOP_BLAMED; i++) {
		if (!blame->ns[i])
			continue;
		*unknown -= blame->ns[i] < *unknown ? blame->ns[i] : *unknown;
		/* from before anybody told */
		if (blame->who[i].kind == TOP_UNKNOWN)
			*unknown += blame->ns[i];
		else
			shares[count++] = (struct share){ blame->ns[i], &blame->who[i] };
	}
	qsort(shares, (size_t)count, sizeof(*shares), compare_shares);
	return count;
}

/* What it is, in a word. */
static const char *who_kind(const struct top_task *task, const struct top_who *who)
{
	if (who->kind == TOP_IRQ)
		return "irq";
	if (who->kind == TOP_SOFTIRQ)
		return "softirq";
	if (who->kind == TOP_OWN_IRQ)
		return "own-irq";
	if (!who->id)
		return "idle";
	return who->id == task->pid ? "itself" : "thread";
}

/* ---- for people ------------------------------------------------------------------------------ */

static void print_who(const struct top_task *task, const struct share *share, FILE *to)
{
	const struct top_who *who = share->who;

	if (who->kind == TOP_THREAD && who->id == task->pid)
		fputs("itself", to);
	else
		who_print(who, to);
	fprintf(to, " %s", time_short(share->ns));
}

char *blame_text(const struct top_task *task, enum top_of of)
{
	const struct top_blame *blame = &task->blames[of];
	struct share shares[TOP_BLAMED];
	uint64_t unknown;
	int count = shares_of(blame, shares, &unknown);
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	for (int i = 0; i < count; i++) {
		fputs(i ? ", " : "", to);
		print_who(task, &shares[i], to);
	}
	if (blame->others)
		fprintf(to, ", others %s", time_short(blame->others));
	if (unknown)
		fprintf(to, "%sunknown %s", count ? ", " : "", time_short(unknown));
	fclose(to);
	return text;
}

static void add_blame(struct table *table, const struct top_task *task, enum top_of of)
{
	const struct top_blame *blame = &task->blames[of];
	char *who;

	if (!blame->complete)
		return;
	table_add(table, "%u", task->id);
	table_add(table, "%s", task->name[0] ? task->name : "-");
	table_add(table, "%s", of_names[of]);
	table_add(table, "%llu", (unsigned long long)blame->job);
	table_add(table, "%u", blame->cpu);
	table_add(table, "%s",
		  blame->ran > blame->release ? time_short(blame->ran - blame->release) : "-");
	table_add(table, "%s", time_short(blame->complete - blame->release));
	table_add(table, "%s",
		  blame->complete > blame->deadline ?
			  time_short(blame->complete - blame->deadline) :
			  "-");
	who = blame_text(task, of);
	table_add(table, "%s", who ? who : "?");
	free(who);
}

static void print_stack(const struct top_task *task, enum top_of of, FILE *to)
{
	const struct top_stack *stack = &task->blames[of].stack;

	if (!task->blames[of].complete || !stack->count)
		return;
	fprintf(to, "\n%s, job %llu: where its CPU was when %s:\n",
		task->name[0] ? task->name : "-", (unsigned long long)stack->job,
		stack->late ? "its deadline had passed" : "it was released");
	for (uint32_t i = 0; i < stack->count && i < TOP_STACK; i++) {
		struct symbol symbol = { .address = stack->at[i] };

		symbol_find(&symbol);
		fprintf(to, "  %s\n", symbol.name);
	}
}

/* The slowest one may be the last late one. */
static bool late_is_another(const struct top_task *task)
{
	return task->blames[TOP_LATE].job != task->blames[TOP_SLOWEST].job;
}

void blame_table(const struct look *look, FILE *to)
{
	static const char *const headings[] = { ">ID",	 "NAME",  "WHICH",
						">JOB",	 ">CPU",  ">START",
						">RESP", ">LATE", "WHO HAD THE CPU",
						NULL };
	struct table table;

	table_begin(&table, headings);
	table.width = screen_width();
	for_each_task(task, look) {
		add_blame(&table, task, TOP_SLOWEST);
		if (late_is_another(task))
			add_blame(&table, task, TOP_LATE);
	}
	if (table.count) {
		putc('\n', to);
		table_print(&table, to);
	} else {
		table_free(&table);
	}
	for_each_task(task, look) {
		print_stack(task, TOP_SLOWEST, to);
		if (late_is_another(task))
			print_stack(task, TOP_LATE, to);
	}
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static struct json_object *share_json(const struct top_task *task, const struct share *share)
{
	struct json_object *out = json_object_new_object();
	const struct top_who *who = share->who;

	json_add_text(out, "kind", who_kind(task, who));
	json_add(out, "number", json_object_new_int(who->id));
	json_add_text(out, "name", who_name(who));
	json_add_time(out, "time", share->ns);
	return out;
}

static struct json_object *stack_json(const struct top_stack *stack)
{
	struct json_object *out, *functions;

	if (!stack->count)
		return NULL;
	out = json_object_new_object();
	functions = json_object_new_array();
	json_add_text(out, "when", stack->late ? "late" : "released");
	for (uint32_t i = 0; i < stack->count && i < TOP_STACK; i++) {
		struct symbol symbol = { .address = stack->at[i] };

		symbol_find(&symbol);
		json_object_array_add(functions, json_object_new_string(symbol.name));
	}
	json_add(out, "functions", functions);
	return out;
}

struct json_object *blame_json(const struct top_task *task, enum top_of of)
{
	const struct top_blame *blame = &task->blames[of];
	struct json_object *out, *who;
	struct share shares[TOP_BLAMED];
	uint64_t unknown;
	int count;

	if (!blame->complete)
		return NULL;
	out = json_object_new_object();
	who = json_object_new_array();
	json_add_number(out, "job", blame->job);
	json_add_number(out, "cpu", blame->cpu);
	json_add_time(out, "release", blame->release);
	if (blame->ran)
		json_add_time(out, "start",
			      blame->ran > blame->release ? blame->ran - blame->release : 0);
	json_add_time(out, "response", blame->complete - blame->release);
	json_add_time(out, "tardiness",
		      blame->complete > blame->deadline ? blame->complete - blame->deadline : 0);
	count = shares_of(blame, shares, &unknown);
	for (int i = 0; i < count; i++)
		json_object_array_add(who, share_json(task, &shares[i]));
	json_add(out, "who", who);
	json_add_time(out, "others", blame->others);
	json_add_time(out, "unknown", unknown);
	json_add(out, "stack", stack_json(&blame->stack));
	return out;
}
