// SPDX-License-Identifier: GPL-2.0-or-later
/* show.c - reschctl chain list, show: chains that the module runs */
#include <errno.h>
#include <unistd.h>

#include "chain/chain.h"

static uint64_t average(uint64_t total, uint64_t count)
{
	return count ? total / count : 0;
}

static const char *chain_state(const struct resch_chain_stat *stat, char *text, size_t size)
{
	if (stat->stopped)
		snprintf(text, size, "stopped at %u", stat->stopped - 1);
	else
		snprintf(text, size, "runs");
	return text;
}

void chain_stat_table(struct table *table)
{
	static const char *const headings[] = { ">ID",	   "NAME",	"PROTOCOL",   ">STAGES",
						">PERIOD", ">DEADLINE", ">INSTANCES", ">COMPLETE",
						">MISSED", ">SKIPPED",	">LOST",      ">MIN",
						">AVG",	   ">MAX",	"STATE",      NULL };

	table_begin(table, headings);
}

const char *chain_name(const struct resch_chain_stat *stat, char *name)
{
	snprintf(name, RESCH_NAME_LEN, "%.15s", stat->name);
	text_clean(name);
	return name;
}

void chain_stat_add(struct table *table, const struct resch_chain_stat *stat)
{
	char text[32], name[RESCH_NAME_LEN];

	table_add(table, "%u", stat->id);
	table_add(table, "%s", *chain_name(stat, name) ? name : "-");
	table_add(table, "%s", resch_chain_protocol_name(stat->protocol));
	table_add(table, "%u", stat->count);
	table_add(table, "%s", time_text(stat->period));
	table_add(table, "%s", time_text(stat->deadline));
	table_add(table, "%llu", (unsigned long long)stat->instances);
	table_add(table, "%llu", (unsigned long long)stat->completed);
	table_add(table, "%llu", (unsigned long long)stat->missed);
	table_add(table, "%llu", (unsigned long long)stat->skipped);
	table_add(table, "%llu", (unsigned long long)stat->lost);
	table_add(table, "%s", time_short(stat->response_min));
	table_add(table, "%s", time_short(average(stat->response_total, stat->completed)));
	table_add(table, "%s", time_short(stat->response_max));
	table_add(table, "%s", chain_state(stat, text, sizeof(text)));
}

static struct json_object *stage_json(const struct resch_stage_stat *stage)
{
	struct json_object *out = json_object_new_object();

	json_add_number(out, "task", stage->task);
	json_add(out, "cpu", json_object_new_int(stage->cpu));
	json_add_number(out, "completed", stage->completed);
	json_add_number(out, "held", stage->held);
	json_add_time(out, "held_total", stage->held_total);
	json_add_number(out, "late", stage->late);
	json_add_number(out, "skipped", stage->skipped);
	json_add_number(out, "lost", stage->lost);
	json_add_time(out, "response_min", stage->response_min);
	json_add_time(out, "response_avg", average(stage->response_total, stage->completed));
	json_add_time(out, "response_max", stage->response_max);
	json_add_number(out, "waiting", stage->waiting);
	json_add_number(out, "waiting_max", stage->waiting_max);
	return out;
}

struct json_object *chain_stat_json(const struct chain_seen *seen)
{
	const struct resch_chain_stat *stat = &seen->stat;
	struct json_object *out = json_object_new_object(), *list = json_object_new_array();
	char name[RESCH_NAME_LEN];
	uint32_t i;

	json_add_number(out, "id", stat->id);
	json_add_text(out, "name", chain_name(stat, name));
	json_add_text(out, "protocol", resch_chain_protocol_name(stat->protocol));
	json_add_time(out, "period", stat->period);
	json_add_time(out, "deadline", stat->deadline);
	json_add(out, "stopped", stat->stopped ? json_object_new_int64(stat->stopped - 1) : NULL);
	if (stat->protocol == RESCH_CHAIN_RG)
		json_add(out, "ruled", json_object_new_boolean(stat->ruled != 0));
	json_add_number(out, "instances", stat->instances);
	json_add_number(out, "completed", stat->completed);
	json_add_number(out, "missed", stat->missed);
	json_add_number(out, "skipped", stat->skipped);
	json_add_number(out, "lost", stat->lost);
	json_add_time(out, "response_min", stat->response_min);
	json_add_time(out, "response_avg", average(stat->response_total, stat->completed));
	json_add_time(out, "response_max", stat->response_max);
	json_add_time(out, "tardiness_max", stat->tardiness_max);
	for (i = 0; i < stat->count; i++)
		json_object_array_add(list, stage_json(&seen->stages[i]));
	json_add(out, "stages", list);
	list = json_object_new_array();
	for (i = 0; i < RESCH_CHAIN_BUCKETS; i++)
		json_object_array_add(list, json_object_new_int64((int64_t)seen->histogram[i]));
	json_add(out, "histogram", list);
	return out;
}

int chain_see(int fd, uint32_t id, struct chain_seen *seen)
{
	return resch_chain_stat(fd, id, &seen->stat, seen->stages, RESCH_CHAIN_STAGES_MAX,
				seen->histogram);
}

static int list_fill(int fd, struct table *table, struct json_object *list)
{
	struct chain_seen seen = {};
	int result;

	chain_stat_table(table);
	while ((result = resch_chain_next(fd, &seen.stat, seen.stages, RESCH_CHAIN_STAGES_MAX,
					  seen.histogram)) > 0) {
		chain_stat_add(table, &seen.stat);
		json_object_array_add(list, chain_stat_json(&seen));
	}
	return result;
}

int chain_list(int argc, char **argv)
{
	static const struct listing listing = {
		"chain",  "chain list", chain_help,
		"chains", list_fill,	"no chains: `reschctl chain run` makes those of a file"
	};

	return list_run(argc, argv, &listing);
}

/* A bar for each power of two that has something. */
static void show_histogram(const struct chain_seen *seen)
{
	uint64_t most = 1;
	uint32_t i;

	for (i = 0; i < RESCH_CHAIN_BUCKETS; i++)
		if (seen->histogram[i] > most)
			most = seen->histogram[i];
	for (i = 0; i < RESCH_CHAIN_BUCKETS; i++) {
		int length = (int)((seen->histogram[i] * 50 + most - 1) / most);

		if (!seen->histogram[i])
			continue;
		printf("below %8s  %10llu  %.*s\n", time_short(1ULL << i),
		       (unsigned long long)seen->histogram[i], length,
		       "##################################################");
	}
}

void chain_seen_show(const struct chain_seen *seen)
{
	static const char *const headings[] = { ">STAGE", ">TASK",     ">CPU",	">COMPLETE",
						">HELD",  ">HELD AVG", ">LATE", ">SKIPPED",
						">LOST",  ">WAITING",  ">MOST", ">MIN",
						">AVG",	  ">MAX",      NULL };
	struct table table;
	uint32_t i;

	chain_stat_table(&table);
	chain_stat_add(&table, &seen->stat);
	table_print(&table, stdout);
	printf("\n");
	table_begin(&table, headings);
	for (i = 0; i < seen->stat.count; i++) {
		const struct resch_stage_stat *stage = &seen->stages[i];

		table_add(&table, "%u", i);
		table_add(&table, "%u", stage->task);
		table_add(&table, "%d", stage->cpu);
		table_add(&table, "%llu", (unsigned long long)stage->completed);
		table_add(&table, "%llu", (unsigned long long)stage->held);
		table_add(&table, "%s", time_short(average(stage->held_total, stage->held)));
		table_add(&table, "%llu", (unsigned long long)stage->late);
		table_add(&table, "%llu", (unsigned long long)stage->skipped);
		table_add(&table, "%llu", (unsigned long long)stage->lost);
		table_add(&table, "%u", stage->waiting);
		table_add(&table, "%u", stage->waiting_max);
		table_add(&table, "%s", time_short(stage->response_min));
		table_add(&table, "%s",
			  time_short(average(stage->response_total, stage->completed)));
		table_add(&table, "%s", time_short(stage->response_max));
	}
	table_print(&table, stdout);
	printf("\n");
	show_histogram(seen);
}

int chain_show(int argc, char **argv)
{
	struct chain_seen seen = {};
	uint64_t id = 0;
	bool json = false;
	int fd, result;

	result = options_plain(argc, argv, "chain", chain_help, "chains", &json);
	if (result >= 0)
		return result;
	if (optind + 1 != argc || number_parse(argv[optind], UINT32_MAX, &id) || !id)
		return usage("chain", "chain show takes the ID of a chain (`reschctl chain list`)");
	fd = device_open();
	if (fd < 0)
		return EXIT_FAILED;
	result = chain_see(fd, (uint32_t)id, &seen);
	close(fd);
	if (result == -ENOENT)
		return fail("there is no chain %s (`reschctl chain list`)", argv[optind]);
	if (result)
		return fail("chain %s: %s", argv[optind], error_text(result));
	if (json)
		json_show(chain_stat_json(&seen), stdout);
	else
		chain_seen_show(&seen);
	return EXIT_DONE;
}
