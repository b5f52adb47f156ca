// SPDX-License-Identifier: GPL-2.0-or-later
/* lead.c - reschctl lead: tasks that are woken ahead of their releases */
#include <errno.h>
#include <unistd.h>

#include "lead.h"
#include "common/look.h"

static const char help[] =
	"usage: reschctl lead list [--json]\n"
	"       reschctl lead set ID TIME\n"
	"       reschctl lead measure --cpu=N [--jobs=N] [--period=TIME] [--json]\n"
	"\n"
	"A periodic task with a lead is woken so much ahead of each release, waits for it in the kernel, and begins\n"
	"its job with it. `list` shows those that have one; `set` gives a task one (below 1ms; 0: none); `measure`\n"
	"says what lead a CPU needs, and what it brings: with a task of its own, without a lead and then with the\n"
	"one that it has found.\n"
	"\n"
	"      --cpu=N             the CPU to measure, in the domain that it is in, else in one under edf\n"
	"      --jobs=N            so many each time (default: 2000)\n"
	"      --period=TIME       of the task (default: 1ms)\n"
	"  -j, --json              print JSON; times in ns\n"
	"  -h, --help              this text\n";

/* ---- list ------------------------------------------------------------------------------------ */

static struct json_object *lead_json(const struct resch_task_stat *stat)
{
	struct json_object *task = json_object_new_object();

	json_add(task, "id", json_object_new_int64(stat->id));
	json_add_text(task, "name", stat->params.name);
	json_add(task, "cpu", json_object_new_int(stat->cpu));
	json_add_time(task, "lead", stat->lead);
	json_add_time(task, "way_max", stat->lead_way);
	json_add_number(task, "late", stat->lead_late);
	json_add_number(task, "jobs", stat->completed);
	return task;
}

static int list_fill(int fd, struct table *table, struct json_object *list)
{
	static const char *const headings[] = { ">ID",	    "NAME",  ">CPU",  ">LEAD",
						">WAY MAX", ">LATE", ">JOBS", NULL };
	struct resch_task_stat stat = {};
	int result;

	table_begin(table, headings);
	while ((result = resch_task_next(fd, &stat)) > 0) {
		if (!stat.lead)
			continue;
		text_clean(stat.params.name);
		json_object_array_add(list, lead_json(&stat));
		table_add(table, "%u", stat.id);
		table_add(table, "%s", stat.params.name);
		table_add(table, "%d", stat.cpu);
		table_add(table, "%s", time_text(stat.lead));
		table_add(table, "%s", time_short(stat.lead_way));
		table_add(table, "%llu", stat.lead_late);
		table_add(table, "%llu", stat.completed);
	}
	return result;
}

static int lead_list(int argc, char **argv)
{
	static const struct listing listing = {
		"lead",	 "lead list", help,
		"tasks", list_fill,   "no task has a lead: `reschctl lead set` gives one"
	};

	return list_run(argc, argv, &listing);
}

/* ---- set ------------------------------------------------------------------------------------- */

int lead_refused(int error, const struct resch_verdict *verdict)
{
	char text[RESCH_VERDICT_TEXT] = "";

	switch (-error) {
	case EBUSY:
		if (verdict->bound == RESCH_BOUND_NONE)
			return fail("stages of chains have no leads");
		verdict_words_of(0, verdict, text, sizeof(text));
		return fail("with that lead in each job: %s", text);
	case EINVAL:
		return fail("a lead is below 1ms and the period, and for periodic tasks");
	case EOPNOTSUPP:
		return fail("its plugin has servers or plans, whose tasks have no leads");
	case ENOTTY:
		return fail("the module that is loaded knows no leads");
	default:
		return fail("lead: %s", error_text(error));
	}
}

static int lead_set(int argc, char **argv)
{
	struct resch_verdict verdict;
	uint64_t id, lead;
	int fd, result;
	bool json;

	result = options_plain(argc, argv, "lead", help, "tasks", &json);
	if (result >= 0)
		return result;
	if (optind + 2 != argc || number_parse(argv[optind], UINT32_MAX, &id) || !id)
		return usage("lead", "lead set takes the id of a task, and a time");
	if (resch_time_parse(argv[optind + 1], &lead))
		return usage("lead", "'%s' is no time: 40us", argv[optind + 1]);
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	result = resch_lead_set(fd, (uint32_t)id, lead, &verdict);
	close(fd);
	if (result == -ENOENT)
		return fail("there is no task %lu: see `reschctl tasks`", (unsigned long)id);
	return result ? lead_refused(result, &verdict) : EXIT_DONE;
}

/* ---- measure --------------------------------------------------------------------------------- */

static int lead_measure_options(int argc, char **argv)
{
	struct lead_measure asked = { .jobs = 2000, .period = MS, .cpu = -1 };
	const struct option_row rows[] = {
		{ "cpu", 0, "cpu", option_cpu, &asked.cpu },
		{ "jobs", 0, "number", option_number, &asked.jobs, 10, 10000000 },
		{ "period", 0, "time", option_time, &asked.period, MS / 10, 60 * 1000 * MS },
		OPTION_JSON(&asked.json),
		{},
	};
	const struct option_table table = { "lead", help, .rows = rows };
	int result = options_run(argc, argv, &table);

	if (result >= 0)
		return result;
	if (optind != argc)
		return usage("lead", "lead measure takes no arguments");
	if (asked.cpu < 0)
		return usage("lead", "which CPU? --cpu=N");
	return lead_measure(&asked);
}

int cmd_lead(int argc, char **argv)
{
	static const struct action actions[] = {
		{ "list", lead_list },
		{ "set", lead_set },
		{ "measure", lead_measure_options },
		{},
	};

	return action_run(argc, argv, actions, help, "list, set and measure");
}
