// SPDX-License-Identifier: GPL-2.0-or-later
/* report.c - what was counted, for people and for programs */
#include "percentile.h"
#include "screen.h"
#include "top.h"

static const char *const measure_names[TOP_MEASURES] = {
	[TOP_START] = "start",
	[TOP_RESPONSE] = "response",
	[TOP_EXEC] = "exec",
	[TOP_TARDINESS] = "tardiness",
};

static const struct {
	unsigned int permille;
	const char *name;
} permilles[] = { { 500, "p50" }, { 900, "p90" }, { 990, "p99" }, { 999, "p99_9" } };

/* ---- a table --------------------------------------------------------------------------------- */

static void add_time(struct table *table, const struct histogram *histogram, unsigned int permille)
{
	uint64_t ns = permille == 1000 ? histogram->most : percentile(histogram, permille);

	table_add(table, "%s", histogram->count ? time_short(ns) : "-");
}

static void add_task(struct table *table, const struct top_task *task,
		     const struct top_task *before)
{
	table_add(table, "%u", task->id);
	table_add(table, "%s", task->name[0] ? task->name : "-");
	if (screen_colour() && before && task->misses > before->misses)
		table_style(table, "31");
	else if (screen_colour() && task->gone)
		table_style(table, "2");
	table_add(table, "%u", task->cpu);
	table_add(table, "%llu", (unsigned long long)task->jobs);
	table_add(table, "%llu", (unsigned long long)task->misses);
	table_add(table, "%llu", (unsigned long long)task->overruns);
	add_time(table, &task->measures[TOP_START], 500);
	add_time(table, &task->measures[TOP_START], 990);
	add_time(table, &task->measures[TOP_START], 1000);
	add_time(table, &task->measures[TOP_RESPONSE], 500);
	add_time(table, &task->measures[TOP_RESPONSE], 900);
	add_time(table, &task->measures[TOP_RESPONSE], 990);
	add_time(table, &task->measures[TOP_RESPONSE], 999);
	add_time(table, &task->measures[TOP_RESPONSE], 1000);
	add_time(table, &task->measures[TOP_EXEC], 500);
	add_time(table, &task->measures[TOP_EXEC], 1000);
	table_add(table, "%s", task->wcet ? time_text(task->wcet) : "-");
	add_time(table, &task->measures[TOP_TARDINESS], 1000);
}

static const char *const task_headings[] = {
	">ID",	     "NAME",	   ">CPU",	  ">JOBS",	">MISS",
	">OVER",     ">START 50%", ">START 99%",  ">START MAX", ">RESP 50%",
	">RESP 90%", ">RESP 99%",  ">RESP 99.9%", ">RESP MAX",	">EXEC 50%",
	">EXEC MAX", ">RUNTIME",   ">LATE MAX",	  NULL,
};
static const char *const task_drop[] = { "RESP 90%", "EXEC 50%",  "RESP 99.9%", "START 50%",
					 "RESP 50%", "START 99%", "RUNTIME",	"LATE MAX",
					 "EXEC MAX", "OVER",	  NULL };

void report_rows(const struct top_task *const *rows, size_t count, size_t width, FILE *to)
{
	struct table table;

	table_begin(&table, task_headings);
	table.width = width;
	table.drop = task_drop;
	for (size_t i = 0; i < count; i++)
		add_task(&table, rows[i], NULL);
	table_print(&table, to);
}

void report_tasks(const struct look *now, const struct look *before, FILE *to)
{
	struct table table;

	table_begin(&table, task_headings);
	table.width = screen_width();
	table.drop = task_drop;
	for_each_task(task, now)
		add_task(&table, task, before ? look_find(before, task->id) : NULL);
	table_print(&table, to);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

struct json_object *histogram_json(const struct histogram *histogram)
{
	struct json_object *out = json_object_new_object();
	size_t i;

	json_add_number(out, "count", histogram->count);
	json_add_time(out, "total", histogram->sum);
	json_add_time(out, "min", histogram_least(histogram));
	json_add_time(out, "avg", histogram_average(histogram));
	for (i = 0; i < sizeof(permilles) / sizeof(permilles[0]); i++)
		json_add_time(out, permilles[i].name, percentile(histogram, permilles[i].permille));
	json_add_time(out, "max", histogram->most);
	return out;
}

static struct json_object *task_seen_json(const struct top_task *task)
{
	struct json_object *out = json_object_new_object();
	size_t i;

	json_add(out, "id", json_object_new_int64(task->id));
	json_add_text(out, "name", task->name);
	json_add(out, "pid", json_object_new_int(task->pid));
	json_add(out, "cpu", json_object_new_int64(task->cpu));
	json_add_text(out, "plugin", task->plugin);
	json_add(out, "ended", json_object_new_boolean(task->gone != 0));
	if (task->attached) {
		json_add_text(out, "kind", resch_kind_name(task->kind));
		json_add_time(out, "runtime", task->wcet);
		json_add_time(out, "period", task->period);
		json_add_time(out, "deadline", task->deadline);
	}
	json_add_number(out, "jobs", task->jobs);
	json_add_number(out, "misses", task->misses);
	json_add_number(out, "overruns", task->overruns);
	json_add_number(out, "skipped", task->skipped);
	json_add_number(out, "preemptions", task->preemptions);
	json_add_number(out, "unseen", task->unseen);
	for (i = 0; i < TOP_MEASURES; i++)
		json_add(out, measure_names[i], histogram_json(&task->measures[i]));
	json_add(out, "slowest", blame_json(task, TOP_SLOWEST));
	json_add(out, "late", blame_json(task, TOP_LATE));
	return out;
}

struct json_object *report_json(const struct look *look)
{
	struct json_object *out = json_object_new_object();
	struct json_object *tasks = json_object_new_array();

	json_add_time(out, "time", look->time);
	json_add_time(out, "watched", look->time - look->since);
	json_add_number(out, "left_out", look->left_out);
	for_each_task(task, look)
		json_object_array_add(tasks, task_seen_json(task));
	json_add(out, "tasks", tasks);
	groups_json(out, look);
	return out;
}
