// SPDX-License-Identifier: GPL-2.0-or-later
/* top.c - reschctl chain top: the chains that run, and what each did since the last look */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chain/chain.h"
#include "common/screen.h"

/** struct look - all chains at one time; ids ascend */
struct look {
	struct chain_seen *chains;
	size_t count, room;
	uint64_t time;
};

/** struct top - the table as it is shown */
struct top {
	struct look looks[2];
	unsigned int turn; /* the newer one */
	unsigned int sort; /* of top_sorts */
	bool looked, frozen, screen;
};

/** struct line - a chain, and what is of the last interval alone */
struct line {
	const struct chain_seen *seen;
	uint64_t completed, missed, skipped, lost, average; /* ns, of those completed */
	uint32_t waiting; /* instances, before all stages */
	uint32_t longest; /* the stage that took most of the average ... */
	uint32_t percent; /* ... and how much */
	uint64_t key;
};

/* Return: 0 or -errno. */
static int look_take(int fd, struct look *look)
{
	struct chain_seen seen = {};
	int result;

	look->count = 0;
	while ((result = resch_chain_next(fd, &seen.stat, seen.stages, RESCH_CHAIN_STAGES_MAX,
					  seen.histogram)) > 0) {
		if (look->count == look->room) {
			look->room = look->room ? 2 * look->room : 16;
			look->chains =
				reallocarray(look->chains, look->room, sizeof(*look->chains));
			if (!look->chains)
				return -ENOMEM;
		}
		look->chains[look->count++] = seen;
	}
	look->time = resch_now();
	return result;
}

static const struct chain_seen *look_find(const struct look *look, uint32_t id)
{
	static const struct chain_seen none;
	size_t i;

	for (i = 0; i < look->count; i++)
		if (look->chains[i].stat.id == id)
			return &look->chains[i];
	return &none;
}

/* From the origin to the completions of stage @index since the last look, on average. */
static uint64_t until(const struct chain_seen *now, const struct chain_seen *before, uint32_t index)
{
	uint64_t count = now->stages[index].completed - before->stages[index].completed;

	if (!count)
		return 0;
	return (now->stages[index].response_total - before->stages[index].response_total) / count;
}

static void line_fill(struct line *line, const struct chain_seen *now,
		      const struct chain_seen *before)
{
	uint64_t end = 0, most = 0;
	uint32_t i;

	*line = (struct line){ .seen = now };
	line->completed = now->stat.completed - before->stat.completed;
	line->missed = now->stat.missed - before->stat.missed;
	line->skipped = now->stat.skipped - before->stat.skipped;
	line->lost = now->stat.lost - before->stat.lost;
	if (line->completed)
		line->average =
			(now->stat.response_total - before->stat.response_total) / line->completed;
	for (i = 0; i < now->stat.count; i++) {
		uint64_t begin = end;

		line->waiting += now->stages[i].waiting;
		end = until(now, before, i);
		if (end <= begin || end - begin <= most)
			continue;
		most = end - begin;
		line->longest = i;
	}
	if (line->average)
		line->percent = (uint32_t)(most * 100 / line->average);
	if (line->percent > 100)
		line->percent = 100; /* the last stage has not completed all of them yet */
}

static uint64_t by_id(const struct line *line)
{
	return UINT32_MAX - line->seen->stat.id;
}

static uint64_t by_misses(const struct line *line)
{
	return line->seen->stat.missed + line->seen->stat.skipped + line->seen->stat.lost;
}

static uint64_t by_response(const struct line *line)
{
	return line->seen->stat.response_max;
}

static uint64_t by_waiting(const struct line *line)
{
	return line->waiting;
}

static const struct {
	const char *column;
	uint64_t (*key)(const struct line *line); /* the largest comes first */
} top_sorts[] = {
	{ "ID", by_id }, { "MISSED", by_misses }, { "MAX", by_response }, { "WAITING", by_waiting }
};

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	return x->seen->stat.id < y->seen->stat.id ? -1 : x->seen->stat.id > y->seen->stat.id;
}

/* The lines, sorted; to be freed. NULL: no memory. */
static struct line *top_lines(const struct top *top)
{
	const struct look *now = &top->looks[top->turn], *before = &top->looks[!top->turn];
	struct line *lines = calloc(now->count + 1, sizeof(*lines));
	size_t i;

	for (i = 0; lines && i < now->count; i++) {
		line_fill(&lines[i], &now->chains[i], look_find(before, now->chains[i].stat.id));
		lines[i].key = top_sorts[top->sort].key(&lines[i]);
	}
	if (lines)
		qsort(lines, now->count, sizeof(*lines), compare_lines);
	return lines;
}

static void top_add(struct table *table, const struct line *line, uint64_t interval)
{
	const struct resch_chain_stat *stat = &line->seen->stat;
	char name[RESCH_NAME_LEN];

	snprintf(name, sizeof(name), "%.15s", stat->name);
	text_clean(name);
	table_add(table, "%u", stat->id);
	table_add(table, "%s", *name ? name : "-");
	if (screen_colour() && (line->missed || line->skipped || line->lost))
		table_style(table, "31");
	else if (screen_colour() && stat->stopped)
		table_style(table, "2");
	table_add(table, "%s", resch_chain_protocol_name(stat->protocol));
	table_add(table, "%s", time_text(stat->deadline));
	table_add(table, "%.1f", (double)line->completed * 1e9 / (double)interval);
	table_add(table, "%llu", (unsigned long long)stat->completed);
	table_add(table, "%llu", (unsigned long long)stat->missed);
	table_add(table, "%llu", (unsigned long long)stat->skipped);
	table_add(table, "%llu", (unsigned long long)stat->lost);
	table_add(table, "%u", line->waiting);
	table_add(table, "%s", line->completed ? time_short(line->average) : "-");
	table_add(table, "%s", stat->completed ? time_short(stat->response_max) : "-");
	if (stat->stopped)
		table_add(table, "stopped at %u", stat->stopped - 1);
	else if (line->completed)
		table_add(table, "%u, %u %%", line->longest, line->percent);
	else
		table_add(table, "-");
}

static void top_show(const struct top *top)
{
	static const char *const headings[] = {
		">ID",	    "NAME",  "PROTOCOL", ">DEADLINE", ">PER S", ">COMPLETE",	 ">MISSED",
		">SKIPPED", ">LOST", ">WAITING", ">AVG",      ">MAX",	"LONGEST STAGE", NULL,
	};
	static const char *const drop[] = { "PROTOCOL", "COMPLETE", "SKIPPED",
					    "WAITING",	"DEADLINE", NULL };
	const struct look *now = &top->looks[top->turn], *before = &top->looks[!top->turn];
	struct line *lines = top_lines(top);
	FILE *to = screen_page();
	struct table table;
	size_t i;

	if (!lines)
		return;
	if (top->screen)
		fprintf(to, "sorted by %s (s: the next), %s (f), q: quit\n\n",
			top_sorts[top->sort].column, top->frozen ? "FROZEN" : "f: freeze");
	table_begin(&table, headings);
	table.width = screen_width();
	table.drop = drop;
	for (i = 0; i < now->count; i++)
		top_add(&table, &lines[i], now->time - before->time);
	table_print(&table, to);
	free(lines);
	screen_show();
}

static void top_json(const struct top *top)
{
	const struct look *now = &top->looks[top->turn], *before = &top->looks[!top->turn];
	struct json_object *out = json_object_new_object(), *list = json_object_new_array();
	struct line *lines = top_lines(top);
	uint64_t interval = now->time - before->time;
	size_t i;

	for (i = 0; lines && i < now->count; i++) {
		struct json_object *one = chain_stat_json(lines[i].seen);

		json_add(one, "per_second",
			 json_object_new_double((double)lines[i].completed * 1e9 /
						(double)interval));
		json_add_number(one, "recent", lines[i].completed);
		json_add_number(one, "recent_missed", lines[i].missed);
		json_add_number(one, "recent_skipped", lines[i].skipped);
		json_add_number(one, "recent_lost", lines[i].lost);
		json_add_time(one, "recent_avg", lines[i].average);
		json_add(one, "longest_stage",
			 lines[i].completed ? json_object_new_int64(lines[i].longest) : NULL);
		json_add(one, "longest_percent",
			 lines[i].completed ? json_object_new_int64(lines[i].percent) : NULL);
		json_object_array_add(list, one);
	}
	free(lines);
	json_add_time(out, "interval", interval);
	json_add(out, "chains", list);
	json_show(out, stdout);
}

/* Return: whether that key changes what is to be seen */
static bool top_key(struct top *top, int key)
{
	switch (key) {
	case 's':
		top->sort = (top->sort + 1) % (sizeof(top_sorts) / sizeof(top_sorts[0]));
		return true;
	case 'f':
	case ' ':
		top->frozen = !top->frozen;
		return true;
	default:
		return key == KEY_RESIZED;
	}
}

/* The next look, at its time or as keys want it. Return: 0, -errno (-EAGAIN: no news), 1: over */
static int top_next(int fd, struct top *top, uint64_t interval, uint64_t *next)
{
	uint64_t now = resch_now();
	int key = screen_wait(*next > now ? *next - now : 0);

	if (key == KEY_QUIT)
		return 1;
	if (key != KEY_NONE)
		return top_key(top, key) && top->looked ? 0 : -EAGAIN;
	*next = resch_now() + interval;
	if (top->frozen)
		return -EAGAIN;
	top->turn = !top->turn;
	top->looked = true;
	return look_take(fd, &top->looks[top->turn]);
}

static int top_loop(int fd, uint64_t interval, bool once, bool json)
{
	struct top top = {};
	uint64_t next;
	int result;

	watch_signals();
	top.screen = !once && screen_begin();
	result = look_take(fd, &top.looks[0]);
	next = resch_now() + interval;
	while (!result) {
		result = top_next(fd, &top, interval, &next);
		if (result == -EAGAIN)
			result = 0;
		else if (!result && json)
			top_json(&top);
		else if (!result)
			top_show(&top);
		else
			break;
		if (!json && !top.screen && !once)
			putchar('\n');
		fflush(stdout);
		if (once && top.looked)
			break;
	}
	screen_end();
	free(top.looks[0].chains);
	free(top.looks[1].chains);
	return result < 0 ? fail("chain top: %s", error_text(result)) : EXIT_DONE;
}

int chain_top(int argc, char **argv)
{
	bool once = false, json = false;
	uint64_t interval = 1000000000;
	const struct option_row rows[] = {
		{ "interval", 'i', "time", option_time, &interval, 100 * MS, HOUR },
		{ "once", '1', NULL, option_flag, &once },
		OPTION_JSON(&json),
		{},
	};
	const struct option_table table = { "chain", chain_help, .rows = rows };
	int fd, result;

	result = options_run(argc, argv, &table);
	if (result >= 0)
		return result;
	if (optind != argc)
		return usage("chain", "chain top takes no arguments");
	if (json && !once)
		return usage("chain", "chain top: --json goes with --once");
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	result = top_loop(fd, interval, once, json);
	close(fd);
	return result;
}
