// SPDX-License-Identifier: GPL-2.0-or-later
/* top.c - reschctl chain top: the chains that run, and what each did since the last look */
#include "chain/chain.h"
#include "common/screen.h"
#include "common/top.h"

/** struct recent - what a chain did in the last interval */
struct recent {
	uint64_t completed, missed, skipped, lost, average; /* ns, of those completed */
	uint32_t longest; /* the stage that took most of the average ... */
	uint32_t percent; /* ... and how much */
};

static int chain_next(int fd, void *one)
{
	struct chain_seen *seen = one;

	return resch_chain_next(fd, &seen->stat, seen->stages, RESCH_CHAIN_STAGES_MAX,
				seen->histogram);
}

static const struct look_kind chains = { sizeof(struct chain_seen),
					 offsetof(struct chain_seen, stat.id), chain_next };

/* From the origin to the completions of stage @index since the last look, on average. */
static uint64_t until(const struct chain_seen *now, const struct chain_seen *before, uint32_t index)
{
	uint64_t count = now->stages[index].completed - before->stages[index].completed;

	if (!count)
		return 0;
	return (now->stages[index].response_total - before->stages[index].response_total) / count;
}

static struct recent recent_of(const struct top_line *line)
{
	const struct chain_seen *now = line->now, *before = line->before;
	uint64_t end = 0, most = 0, response;
	struct recent recent = {};
	uint32_t i;

	recent.completed = now->stat.completed - before->stat.completed;
	recent.missed = now->stat.missed - before->stat.missed;
	recent.skipped = now->stat.skipped - before->stat.skipped;
	recent.lost = now->stat.lost - before->stat.lost;
	response = now->stat.response_total - before->stat.response_total;
	if (recent.completed)
		recent.average = response / recent.completed;
	for (i = 0; i < now->stat.count; i++) {
		uint64_t begin = end;

		end = until(now, before, i);
		if (end <= begin || end - begin <= most)
			continue;
		most = end - begin;
		recent.longest = i;
	}
	if (recent.average)
		recent.percent = (uint32_t)(most * 100 / recent.average);
	if (recent.percent > 100)
		recent.percent = 100; /* the last stage has not completed all of them yet */
	return recent;
}

static const struct resch_chain_stat *stat_of(const struct top_line *line)
{
	const struct chain_seen *now = line->now;

	return &now->stat;
}

static uint64_t by_misses(const struct top_line *line)
{
	return stat_of(line)->missed + stat_of(line)->skipped + stat_of(line)->lost;
}

static uint64_t by_response(const struct top_line *line)
{
	return stat_of(line)->response_max;
}

/* Instances, before all stages. */
static uint64_t by_waiting(const struct top_line *line)
{
	const struct chain_seen *now = line->now;
	uint64_t waiting = 0;
	uint32_t i;

	for (i = 0; i < now->stat.count; i++)
		waiting += now->stages[i].waiting;
	return waiting;
}

static const struct top_sort sorts[] = {
	{ "ID", NULL },
	{ "MISSED", by_misses },
	{ "MAX", by_response },
	{ "WAITING", by_waiting },
	{},
};

static void chain_add(struct table *table, const struct top_line *line, uint64_t interval)
{
	const struct resch_chain_stat *stat = stat_of(line);
	struct recent recent = recent_of(line);
	char name[RESCH_NAME_LEN];

	table_add(table, "%u", stat->id);
	table_add(table, "%s", *chain_name(stat, name) ? name : "-");
	if (screen_colour() && (recent.missed || recent.skipped || recent.lost))
		table_style(table, "31");
	else if (screen_colour() && stat->stopped)
		table_style(table, "2");
	table_add(table, "%s", resch_chain_protocol_name(stat->protocol));
	table_add(table, "%s", time_text(stat->deadline));
	table_add(table, "%.1f", (double)recent.completed * 1e9 / (double)interval);
	table_add(table, "%llu", (unsigned long long)stat->completed);
	table_add(table, "%llu", (unsigned long long)stat->missed);
	table_add(table, "%llu", (unsigned long long)stat->skipped);
	table_add(table, "%llu", (unsigned long long)stat->lost);
	table_add(table, "%llu", (unsigned long long)by_waiting(line));
	table_add(table, "%s", recent.completed ? time_short(recent.average) : "-");
	table_add(table, "%s", stat->completed ? time_short(stat->response_max) : "-");
	if (stat->stopped)
		table_add(table, "stopped at %u", stat->stopped - 1);
	else if (recent.completed)
		table_add(table, "%u, %u %%", recent.longest, recent.percent);
	else
		table_add(table, "-");
}

static struct json_object *top_json(const struct top_line *line, uint64_t interval)
{
	struct json_object *one = chain_stat_json(line->now);
	struct recent recent = recent_of(line);

	json_add(one, "per_second",
		 json_object_new_double((double)recent.completed * 1e9 / (double)interval));
	json_add_number(one, "recent", recent.completed);
	json_add_number(one, "recent_missed", recent.missed);
	json_add_number(one, "recent_skipped", recent.skipped);
	json_add_number(one, "recent_lost", recent.lost);
	json_add_time(one, "recent_avg", recent.average);
	json_add(one, "longest_stage",
		 recent.completed ? json_object_new_int64(recent.longest) : NULL);
	json_add(one, "longest_percent",
		 recent.completed ? json_object_new_int64(recent.percent) : NULL);
	return one;
}

int chain_top(int argc, char **argv)
{
	static const char *const headings[] = {
		">ID",	    "NAME",  "PROTOCOL", ">DEADLINE", ">PER S", ">COMPLETE",	 ">MISSED",
		">SKIPPED", ">LOST", ">WAITING", ">AVG",      ">MAX",	"LONGEST STAGE", NULL,
	};
	static const char *const drop[] = { "PROTOCOL", "COMPLETE", "SKIPPED",
					    "WAITING",	"DEADLINE", NULL };
	static const struct top top = {
		.command = "chain",
		.name = "chain top",
		.help = chain_help,
		.list = "chains",
		.kind = &chains,
		.sorts = sorts,
		.headings = headings,
		.drop = drop,
		.add = chain_add,
		.json = top_json,
	};

	return top_run(argc, argv, &top);
}
