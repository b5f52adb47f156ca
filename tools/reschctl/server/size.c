// SPDX-License-Identifier: GPL-2.0-or-later
/* size.c - reschctl server size: the smallest server for the tasks of a file */
#include <errno.h>
#include <resch-server.h>
#include <unistd.h>

#include "common/progress.h"
#include "common/sets.h"
#include "server.h"

static const char help[] =
	"usage: reschctl server size [OPTION...] FILE\n"
	"\n"
	"The smallest server that takes the tasks of FILE (-: standard input), for each kind and policy; needs no module.\n"
	"FILE has lines of id,min_C,max_C,min_T,max_T,D,min_off,max_off in ns, or a header of words such as\n"
	"name,wcet,deadline,period,priority and times with units.\n"
	"\n"
	"      --period=TIME       of the server (default: the best of the tasks' periods, deadlines and their fractions)\n"
	"  -k, --kind=KIND         only this one; see `reschctl server --help`\n"
	"      --policy=POLICY     only this one: @server-policies@ (whatever one inside it does)\n"
	"      --quantum=TIME      a turn under rr (default: 1ms)\n"
	"      --overhead=TIME     what the domain adds to each job, and each budget (default: 5us)\n"
	"  -j, --json              print JSON; times in ns, shares in parts per million\n"
	"  -h, --help              this text\n";

#define TIME_MIN 10000
#define QUANTUM_MAX 1000000000

struct question {
	int kind, policy; /* -1: all */
	uint64_t period, quantum, overhead;
	bool json;
	struct resch_server_task *tasks;
	uint32_t count;
};

/* Do servers of that kind and policy promise anything to their tasks? */
static bool promises(uint32_t kind, uint32_t policy)
{
	struct resch_server_params params = {
		.kind = kind,
		.policy = policy,
		.budget = 1000000,
		.period = 1000000,
		.quantum = policy == RESCH_SERVER_RR ? 1000000 : 0,
	};
	struct resch_server_task any = { .wcet = 1000, .period = 1000000 };

	return resch_server_fits(&params, &any, 1, 0, NULL) != -EINVAL;
}

static int parse(int argc, char **argv, struct question *question)
{
	const struct option_row rows[] = {
		{ "period", 0, "time", option_time, &question->period, TIME_MIN, HOUR },
		{ "kind", 'k', "server-kinds", option_word, &question->kind },
		{ "policy", 0, "server-policies", option_word, &question->policy },
		{ "quantum", 0, "time", option_time, &question->quantum, TIME_MIN, QUANTUM_MAX },
		{ "overhead", 0, "time", option_time, &question->overhead, 0, HOUR },
		OPTION_JSON(&question->json),
		{},
	};
	const struct option_table table = { "server", help, "file", .rows = rows };
	int result = options_run(argc, argv, &table);

	if (result < 0 && optind + 1 != argc)
		return usage("server", "server size takes one FILE");
	if (result < 0 && question->kind >= 0 &&
	    !promises((uint32_t)question->kind, RESCH_SERVER_EDF))
		return usage("server", "%s servers have no tasks to be as large for",
			     resch_server_kind_name((uint32_t)question->kind));
	return result;
}

static int read_tasks(const char *path, struct question *question)
{
	struct taskset set;
	int result = sets_read_tasks(path, &set);
	uint32_t i;

	if (result != EXIT_DONE)
		return result;
	question->tasks = calloc(set.count ? set.count : 1, sizeof(*question->tasks));
	for (i = 0; question->tasks && i < set.count; i++) {
		const struct resch_task_params *params = &set.tasks[i].params;

		question->tasks[i] = (struct resch_server_task){ .wcet = params->wcet,
								 .deadline = params->deadline,
								 .period = params->period,
								 .priority = params->priority };
	}
	question->count = set.count;
	taskset_free(&set);
	return question->tasks ? EXIT_DONE : fail("out of memory");
}

static uint32_t size_ppm(const struct resch_server_params *params, uint64_t overhead)
{
	unsigned __int128 sum = (unsigned __int128)(params->budget + overhead) * 1000000;

	return (uint32_t)((sum + params->period - 1) / params->period);
}

static struct json_object *answer_json(const struct resch_server_params *params, int result,
				       const struct resch_verdict *verdict, uint64_t overhead)
{
	struct json_object *answer = json_object_new_object();
	char why[RESCH_VERDICT_TEXT];

	json_add_text(answer, "kind", resch_server_kind_name(params->kind));
	json_add_text(answer, "policy", resch_server_policy_name(params->policy));
	if (result) {
		resch_verdict_text(verdict, why, sizeof(why));
		json_add_text(answer, "refused", why);
		return answer;
	}
	json_add_time(answer, "budget", params->budget);
	json_add_time(answer, "period", params->period);
	json_add(answer, "size", json_object_new_int64(size_ppm(params, overhead)));
	return answer;
}

static void answer_row(struct table *table, const struct resch_server_params *params, int result,
		       const struct resch_verdict *verdict, uint64_t overhead)
{
	char why[RESCH_VERDICT_TEXT] = "";
	uint32_t ppm = result ? 0 : size_ppm(params, overhead);

	table_add(table, "%s", resch_server_kind_name(params->kind));
	table_add(table, "%s", resch_server_policy_name(params->policy));
	if (result)
		resch_verdict_text(verdict, why, sizeof(why));
	table_add(table, "%s", result ? "-" : time_text(params->budget));
	table_add(table, "%s", result ? "-" : time_text(params->period));
	if (result)
		table_add(table, "-");
	else
		table_add(table, "%u.%02u %%", ppm / 10000, ppm % 10000 / 100);
	table_add(table, "%s", why);
}

/* Are there tasks, and within their ranges? */
static bool tasks_valid(const struct question *question)
{
	struct resch_server_params params = { .budget = 1000000, .period = 1000000 };

	return resch_server_fits(&params, question->tasks, question->count, 0, NULL) != -EINVAL;
}

/* Return: is there one? */
static bool answer(const struct question *question, uint32_t kind, uint32_t policy,
		   struct table *table, struct json_object *list)
{
	struct resch_server_params params = {
		.kind = kind,
		.policy = policy,
		.period = question->period,
		.quantum = policy == RESCH_SERVER_RR ? question->quantum : 0,
	};
	struct resch_verdict verdict;
	int result = resch_server_size(&params, question->tasks, question->count,
				       question->overhead, &verdict);

	if (question->json)
		json_object_array_add(list,
				      answer_json(&params, result, &verdict, question->overhead));
	else
		answer_row(table, &params, result, &verdict, question->overhead);
	return !result;
}

/* Return: were there any? */
static bool answer_all(const struct question *question, struct table *table,
		       struct json_object *list)
{
	uint32_t kind, policy;
	bool found = false;

	progress_begin();
	progress_by_alarm();
	for (kind = 0; kind < RESCH_SERVER_KINDS; kind++) {
		for (policy = 0; policy < RESCH_SERVER_POLICIES; policy++) {
			/* plugins only where they are asked for */
			if ((policy == RESCH_SERVER_PLUGIN && question->policy < 0) ||
			    !promises(kind, policy))
				continue;
			if ((question->kind >= 0 && (uint32_t)question->kind != kind) ||
			    (question->policy >= 0 && (uint32_t)question->policy != policy))
				continue;
			progress("kinds and policies of servers sized",
				 kind * RESCH_SERVER_POLICIES + policy,
				 RESCH_SERVER_KINDS * RESCH_SERVER_POLICIES);
			found |= answer(question, kind, policy, table, list);
		}
	}
	progress_end();
	return found;
}

int server_size(int argc, char **argv)
{
	static const char *const headings[] = {
		"KIND", "POLICY", ">BUDGET", ">PERIOD", ">SIZE", "REFUSED", NULL,
	};
	struct question question = {
		.kind = -1, .policy = -1, .quantum = SERVER_QUANTUM, .overhead = 5000
	};
	struct json_object *list;
	struct table table;
	bool found;
	int result;

	result = parse(argc, argv, &question);
	if (result >= 0)
		return result;
	result = read_tasks(argv[optind], &question);
	if (result)
		return result;
	if (question.count > RESCH_SERVER_TASKS_MAX) {
		free(question.tasks);
		return fail("%s: %u tasks, at most %d", argv[optind], question.count,
			    RESCH_SERVER_TASKS_MAX);
	}
	if (!tasks_valid(&question)) {
		free(question.tasks);
		return fail("%s: no tasks, more than %d, or one with a period outside 1us to 1h",
			    argv[optind], RESCH_SERVER_TASKS_MAX);
	}
	list = json_object_new_array();
	table_begin(&table, headings);
	found = answer_all(&question, &table, list);
	free(question.tasks);
	list_show(&table, list, "servers", question.json, NULL);
	return found ? EXIT_DONE : EXIT_FAILED;
}
