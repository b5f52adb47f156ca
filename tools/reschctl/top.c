// SPDX-License-Identifier: GPL-2.0-or-later
/* top.c - reschctl top: the tasks that are registered, and what each did since the last look */
#include "common/screen.h"
#include "common/top.h"

static const char help[] =
	"usage: reschctl top [--interval=TIME] [--once] [--json]\n"
	"\n"
	"A table of the registered tasks that refreshes itself. JOBS/S and %CPU are of\n"
	"the last interval, the rest is since the task was registered. Red: it missed a\n"
	"deadline in the last interval; pale: it has ended.\n"
	"\n"
	"Keys: s sorts by the next of id, misses, share of the CPU, longest response;\n"
	"f freezes the table, and lets it go on; q quits.\n"
	"\n"
	"  -i, --interval=TIME     between two looks; 100ms to 1h (default: 1s)\n"
	"  -1, --once              one table, after one interval\n"
	"  -j, --json              print JSON, an object a line each interval; times in ns,\n"
	"                          cpu in parts per million\n"
	"  -h, --help              this text\n";

static const struct resch_task_stat *now_of(const struct top_line *line)
{
	return line->now;
}

static uint64_t exec_since(const struct top_line *line)
{
	const struct resch_task_stat *before = line->before;

	return now_of(line)->exec_total - before->exec_total;
}

static uint64_t completed_since(const struct top_line *line)
{
	const struct resch_task_stat *before = line->before;

	return now_of(line)->completed - before->completed;
}

static uint64_t by_misses(const struct top_line *line)
{
	return now_of(line)->misses;
}

static uint64_t by_response(const struct top_line *line)
{
	return now_of(line)->response_max;
}

static const struct top_sort sorts[] = {
	{ "ID", NULL },
	{ "MISS", by_misses },
	{ "%CPU", exec_since },
	{ "RESP MAX", by_response },
	{},
};

static void task_add(struct table *table, const struct top_line *line, uint64_t interval)
{
	const struct resch_task_stat *now = line->now, *before = line->before;
	double seconds = (double)interval / 1e9;

	table_add(table, "%u", now->id);
	table_add(table, "%s", thread_name(now));
	if (screen_colour() && now->misses > before->misses)
		table_style(table, "31");
	else if (screen_colour() && now->state == RESCH_STATE_GONE)
		table_style(table, "2");
	table_add(table, "%d", now->pid);
	table_add(table, "%d", now->cpu);
	table_add(table, "%s", resch_state_name(now->state));
	table_add(table, "%s", time_text(now->params.wcet));
	table_add(table, "%s", time_text(now->params.period));
	table_add(table, "%.1f", (double)completed_since(line) / seconds);
	table_add(table, "%.1f", (double)exec_since(line) / (double)interval * 100);
	table_add(table, "%llu", (unsigned long long)now->completed);
	table_add(table, "%llu", (unsigned long long)now->misses);
	table_add(table, "%llu", (unsigned long long)now->overruns);
	task_times_add(table, now);
}

static void top_domains(int fd, FILE *to)
{
	struct resch_domain_stat domain = {};

	while (resch_domain_next(fd, &domain) > 0)
		fprintf(to, "domain %u: CPUs %s, %s%s%s, %u task%s%s\n", domain.domain,
			cpus_text(&domain.cpus), domain.plugin, domain.options[0] ? ":" : "",
			domain.options, domain.tasks, domain.tasks == 1 ? "" : "s",
			domain.ejections ? ", plugins were thrown out: see `reschctl domain list`" :
					   "");
}

static struct json_object *top_json(const struct top_line *line, uint64_t interval)
{
	struct json_object *task = task_json(line->now);

	json_add(task, "cpu_share",
		 json_object_new_int64(
			 (int64_t)((double)exec_since(line) / (double)interval * 1e6)));
	json_add(task, "jobs_per_second",
		 json_object_new_double((double)completed_since(line) * 1e9 / (double)interval));
	return task;
}

int cmd_top(int argc, char **argv)
{
	static const char *const headings[] = {
		">ID",	     "NAME",	  ">PID",      ">CPU",	"STATE", ">RUNTIME",
		">PERIOD",   ">JOBS/S",	  ">%CPU",     ">JOBS", ">MISS", ">OVER",
		">RESP AVG", ">RESP MAX", ">EXEC MAX", NULL,
	};
	static const char *const drop[] = {
		"EXEC MAX", "RESP AVG", "PERIOD", "RUNTIME", "PID", NULL
	};
	static const struct top top = {
		.command = "top",
		.name = "top",
		.help = help,
		.list = "tasks",
		.kind = &look_tasks,
		.sorts = sorts,
		.headings = headings,
		.drop = drop,
		.head = top_domains,
		.add = task_add,
		.json = top_json,
	};

	return top_run(argc, argv, &top);
}
