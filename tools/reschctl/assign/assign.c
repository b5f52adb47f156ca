// SPDX-License-Identifier: GPL-2.0-or-later
/* assign.c - reschctl assign */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assign.h"
#include "common/progress.h"
#include "common/sets.h"

static const char help[] =
	"usage: reschctl assign [OPTION...] FILE\n"
	"       reschctl assign --keep [OPTION...] [FILE]\n"
	"\n"
	"Finds time slots for a task set by task splitting: which tasks form a group, which part of\n"
	"each slot on which CPU a group gets, and which groups are split over two CPUs. Says what does\n"
	"not fit otherwise. Without --apply or --run nothing is said to the module.\n"
	"\n"
	"  -m, --method=METHOD     how tasks are split (default: npsf)\n"
	"                          @assign-methods?@\n"
	"  -c, --cpus=LIST         the CPUs (default: those that are online; --apply and --run need it)\n"
	"  -d, --delta=N           slots in the shortest period: more of them lose less capacity and\n"
	"                          switch more often (default: the least with which all fits)\n"
	"      --delta-max=N       limit of the search for it (default: 64)\n"
	"      --cluster=N         CPUs in each cluster, for cnpsf\n"
	"      --slot-min=TIME     no shorter slots (default: 100us)\n"
	"  -e, --exact             reserves by demand and supply instead of the papers' formulas\n"
	"  -o, --overheads=LIST    what the kernel takes, KEY=TIME,...: reserve (jitter of a reserve's\n"
	"                          beginning), release (jitter), switch, cost (of a release), cache,\n"
	"                          irq=COST/PERIOD[@CPU]; or paper4, paper24: as measured by Sousa and\n"
	"                          others, 2011, on 4 and 24 CPUs. May be repeated\n"
	"      --join=WCET/PERIOD[/DEADLINE]  which group has room for such a task, too?\n"
	"  -k, --keep              count the tasks in that run in the domain of these CPUs: each stays\n"
	"                          in its group, and the tasks of FILE find room beside them. With\n"
	"                          --join, that task does, too, where the standing plan has none\n"
	"      --draw=PICTURE      NAME.png or NAME.svg, drawn by resch-draw\n"
	"      --apply             make these CPUs a domain with that plan; tasks then register with\n"
	"                          their group (reschctl run --group=N, resch_register_self(3))\n"
	"      --force             with --keep and --apply: also where tasks that run could miss a\n"
	"                          deadline meanwhile\n"
	"      --run=TIME          likewise, and run the set there: each job computes for a time between\n"
	"                          min_C and max_C, releases come between min_T and max_T apart\n"
	"      --jobs=N            each task for N jobs, if the time is enough for them\n"
	"      --seed=N            of what is random in that (default: 1)\n"
	"  -j, --json              print JSON\n"
	"  -h, --help              this text\n"
	"\n"
	"FILE (-: standard input) is a CSV file as resch-sim reads it: lines of id,min_C,max_C,min_T,\n"
	"max_T,D,min_off,max_off in ns, or with a header of name, wcet, deadline, period and so on.\n";

struct assign_options {
	const char *join;
	const char *draw;
	struct run run;
	bool apply;
	bool force;
	bool json;
	bool cpus;
	bool keep;
	bool method; /* was given */
};

/* ---- the command line ------------------------------------------------------------------------ */

static int take_overheads(const struct option_table *table, const struct option_row *row,
			  const char *value)
{
	(void)table;
	return overheads_parse(row->to, value) ? EXIT_USAGE : -1;
}

/* What is read first as a number of any size. */
struct numbers {
	uint64_t delta, delta_max, cluster;
	bool exact;
};

static int read_options(int argc, char **argv, struct assignment *assignment,
			struct assign_options *options)
{
	struct resch_assign *request = &assignment->request;
	struct numbers numbers = {};
	const struct option_row rows[] = {
		{ "method", 'm', "assign-methods", option_word, &request->method,
		  .given = &options->method },
		{ "cpus", 'c', "cpus", option_cpus, &request->cpus, .given = &options->cpus },
		{ "delta", 'd', "number", option_number, &numbers.delta, 1,
		  RESCH_ASSIGN_DELTA_MAX },
		{ "delta-max", 0, "number", option_number, &numbers.delta_max, 1,
		  RESCH_ASSIGN_DELTA_MAX },
		{ "cluster", 0, "number", option_number, &numbers.cluster, 1, RESCH_CPUS_MAX },
		{ "slot-min", 0, "time", option_time, &request->slot_min, 1,
		  RESCH_ASSIGN_TIME_MAX },
		{ "exact", 'e', NULL, option_flag, &numbers.exact },
		{ "overheads", 'o', "overheads", take_overheads, &request->overheads },
		{ "join", 0, "task", option_text, &options->join },
		{ "keep", 'k', NULL, option_flag, &options->keep },
		{ "force", 0, NULL, option_flag, &options->force },
		{ "draw", 0, "file", option_text, &options->draw },
		{ "apply", 0, NULL, option_flag, &options->apply },
		{ "run", 0, "time", option_time, &options->run.time, 1, RESCH_ASSIGN_TIME_MAX,
		  &options->apply },
		{ "jobs", 0, "number", option_number, &options->run.jobs, 1, UINT32_MAX },
		{ "seed", 0, "number", option_number, &options->run.seed, 0, UINT32_MAX },
		OPTION_JSON(&options->json),
		{},
	};
	const struct option_table table = { "assign", help, "file", .rows = rows };
	int result = options_run(argc, argv, &table);

	request->delta = (uint32_t)numbers.delta;
	if (numbers.delta_max)
		request->delta_max = (uint32_t)numbers.delta_max;
	request->cluster = (uint32_t)numbers.cluster;
	if (numbers.exact)
		request->sizing = RESCH_ASSIGN_EXACT;
	return result;
}

/* -1: go on at optind; else an exit status */
static int parse(int argc, char **argv, struct assignment *assignment,
		 struct assign_options *options)
{
	int result = read_options(argc, argv, assignment, options);

	if (result >= 0)
		return result;
	if (optind + 1 != argc && (!options->keep || optind != argc))
		return usage("assign", "assign takes one file with a task set");
	if (options->force && !(options->keep && options->apply))
		return usage("assign", "--force goes with --keep and --apply");
	if (options->apply && !options->cpus)
		return usage("assign", "%s needs --cpus: those that nobody else is to have",
			     options->run.time ? "--run" : "--apply");
	if (options->run.jobs && !options->run.time)
		return usage("assign", "--jobs goes with --run");
	if (assignment->request.method == RESCH_ASSIGN_CNPSF && !assignment->request.cluster)
		return usage("assign", "--method=cnpsf needs --cluster=N");
	if (options->draw && !strstr(options->draw, ".png") && !strstr(options->draw, ".svg"))
		return usage("assign", "--draw=%s: a picture is NAME.png or NAME.svg",
			     options->draw);
	return -1;
}

static int online_cpus(struct resch_cpus *cpus)
{
	char text[4096];

	if (read_text("/sys/devices/system/cpu/online", text, sizeof(text)) < 0 ||
	    resch_cpus_parse(text, cpus) <= 0)
		return usage("assign", "which CPUs are online is not known: --cpus=LIST");
	return EXIT_DONE;
}

/* ---- answers --------------------------------------------------------------------------------- */

static int read_set(const char *path, struct taskset *set)
{
	int result = sets_read_tasks(path, set);
	uint32_t i;

	if (result != EXIT_DONE)
		return result;
	if (set->count > RESCH_ASSIGN_TASKS_MAX)
		return fail("%s: %u tasks, at most %u", path, set->count, RESCH_ASSIGN_TASKS_MAX);
	for (i = 0; i < set->count; i++)
		text_clean(set->tasks[i].params.name);
	return EXIT_DONE;
}

static int build_tasks(struct assignment *assignment)
{
	const struct taskset *set = &assignment->set;
	uint32_t i;

	/* one more, for --join */
	assignment->tasks = calloc(set->count + 1, sizeof(*assignment->tasks));
	if (!assignment->tasks)
		return fail("out of memory");
	for (i = 0; i < set->count; i++) {
		const struct resch_task_params *params = &set->tasks[i].params;

		assignment->tasks[i] = (struct resch_assign_task){
			.wcet = params->wcet,
			.deadline = params->deadline,
			.period = params->period,
		};
	}
	assignment->request.tasks = assignment->tasks;
	assignment->request.nr_tasks = set->count;
	return EXIT_DONE;
}

int assign_refused(const struct assignment *assignment, int error,
		   const struct resch_assign_refusal *refusal)
{
	char text[RESCH_ASSIGN_TEXT], name[48] = "";

	if (error == -ENOMEM)
		return fail("out of memory");
	if (error == -EINVAL && !refusal->reason)
		return fail("assign: the request is outside of what the library takes");
	if (refusal->task < assignment->set.count && refusal->reason != RESCH_ASSIGN_SLOT)
		snprintf(name, sizeof(name), "; task %u is %s", refusal->task + 1,
			 assignment->set.tasks[refusal->task].params.name);
	resch_assign_text(refusal, text, sizeof(text));
	return fail("refused: %s%s", text, name);
}

/* How the plan came into force, or would. */
static void report_way(const struct assignment *assignment)
{
	const struct resch_switch *way = assignment->standing.way;

	if (!way)
		return;
	printf("%u tasks stay in their groups; the way there: %s before it, %u %s, %s after it.\n",
	       assignment->standing.nr_tasks, time_text(way->settle), way->nr_steps,
	       way->nr_steps == 1 ? "change of plan" : "changes of plan", time_text(way->rest));
}

static int apply(const struct assignment *assignment, const struct assign_options *options,
		 struct json_object *out)
{
	struct applied applied;
	int fd = device_open(), result;

	if (fd < 0)
		return EXIT_NO_MODULE;
	result = layout_apply(assignment, fd, &applied);
	if (!result && out)
		json_add(out, "domain", json_object_new_int64(applied.domain));
	else if (!result)
		printf("\nDomain %u: CPUs %s under %s, with this plan.\n", applied.domain,
		       cpus_text(&assignment->request.cpus), applied.plugin);
	if (!result && !out)
		report_way(assignment);
	if (!result && options->run.time) {
		fflush(stdout);
		result = layout_run(assignment, fd, &applied, &options->run, out);
		if (applied.made)
			resch_domain_del(fd, applied.domain);
	}
	close(fd);
	return result;
}

static int answer(struct assignment *assignment, const struct assign_options *options)
{
	struct json_object *out = options->json ? layout_json(assignment) : NULL;
	int result = EXIT_DONE;

	if (!out)
		layout_print(assignment, stdout);
	if (options->join && options->keep)
		join_show_kept(assignment, options->join, out);
	else if (options->join)
		result = join_show(assignment, options->join, out);
	if (!result && options->apply)
		result = apply(assignment, options, out);
	else if (!result && !out)
		report_way(assignment);
	if (out)
		json_show(out, stdout);
	if (!result && options->draw && layout_draw(assignment, options->draw))
		return EXIT_FAILED;
	return result;
}

/* The file's tasks, the one that wants to join, and those that run. */
static int read_tasks(struct assignment *assignment, const struct assign_options *options,
		      const char *path)
{
	int result = path ? read_set(path, &assignment->set) : EXIT_DONE, fd;
	struct resch_domain_stat *domain = &assignment->standing.domain;

	if (!options->keep)
		return result ? result : build_tasks(assignment);
	if (!result && options->join)
		result = join_add(assignment, options->join);
	if (result)
		return result;
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	result = standing_read(assignment, fd);
	close(fd);
	if (!result && !assignment->set.count)
		return fail("assign: no tasks run on CPUs %s, and there is no file of others",
			    cpus_text(&assignment->request.cpus));
	if (!options->method && !strcmp(domain->plugin, "sekg"))
		assignment->request.method = RESCH_ASSIGN_SEKG;
	if (!result)
		result = build_tasks(assignment);
	return result ? result : standing_request(assignment);
}

static int find_layout(struct assignment *assignment, const struct assign_options *options)
{
	struct resch_assign_refusal refusal = {};
	int error, result;

	progress_while("looking for time slots");
	error = resch_assign(&assignment->request, &assignment->layout, &refusal);
	progress_end();
	if (error)
		return assign_refused(assignment, error, &refusal);
	result = options->keep ? standing_plan_way(assignment, options->force) : EXIT_DONE;
	return result ? result : answer(assignment, options);
}

int cmd_assign(int argc, char **argv)
{
	struct assignment assignment = { .request = { .method = RESCH_ASSIGN_NPSF } };
	struct assign_options options = { .run = { .seed = 1 } };
	int result;

	result = parse(argc, argv, &assignment, &options);
	if (result >= 0)
		return result;
	if (!options.cpus)
		result = online_cpus(&assignment.request.cpus);
	if (result > 0)
		return result;
	result = read_tasks(&assignment, &options, argv[optind]);
	/* the standing plan will do */
	if (!result && options.keep && options.join && !argv[optind] &&
	    join_standing(&assignment, options.join, options.json))
		goto out;
	if (!result)
		result = find_layout(&assignment, &options);
out:
	resch_layout_free(assignment.layout);
	standing_free(&assignment.standing);
	free(assignment.tasks);
	taskset_free(&assignment.set);
	return result;
}
