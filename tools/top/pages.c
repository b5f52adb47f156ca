// SPDX-License-Identifier: GPL-2.0-or-later
/* pages.c - draw what is shown of a look */
#include "pages.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bars.h"
#include "percentile.h"
#include "top.h"

/* Lines of the screen: the title, what is looked for, headings, rows, and what keys do. */
#define TITLE 0
#define FILTER 1
#define HEADINGS 2
#define ROWS 3

size_t pages_room(size_t lines)
{
	return lines > ROWS + 1 ? lines - ROWS - 1 : 1;
}

static size_t put(struct canvas *canvas, size_t row, size_t column, enum style style,
		  const char *format, ...) __attribute__((format(printf, 5, 6)));

static size_t put(struct canvas *canvas, size_t row, size_t column, enum style style,
		  const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	if (text)
		column = canvas_put(canvas, row, column, style, text);
	free(text);
	return column;
}

/* ---- what all pages have --------------------------------------------------------------------- */

static void draw_title(struct canvas *canvas, const struct view *view, const struct scene *scene)
{
	static const char *const names[] = { "tasks", "CPUs", "servers", "chains" };
	const struct look *look = scene->look;
	uint64_t misses = 0;
	size_t column;

	for_each_task(task, look)
		misses += task->misses;
	column = put(canvas, TITLE, 0, STYLE_TITLE, "reschtop");
	column = put(canvas, TITLE, column, STYLE_PLAIN,
		     "  %zu tasks, %llu deadlines missed, watched for %s ", look->tasks.count,
		     (unsigned long long)misses, time_short(look->time - look->since));
	if (look->left_out || look->groups_left_out)
		column = put(canvas, TITLE, column, STYLE_BAD, " %llu left out ",
			     (unsigned long long)(look->left_out + look->groups_left_out));
	if (view->frozen)
		put(canvas, TITLE, column, STYLE_SORTED, " [frozen]");
	if (view->page >= VIEW_TASK)
		return;
	column = 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		column = put(canvas, FILTER, column, i == view->page ? STYLE_SORTED : STYLE_PLAIN,
			     "%zu %s", i + 1, names[i]);
		column += 2;
	}
	if (view->page == VIEW_TASKS)
		column = put(canvas, FILTER, column, STYLE_PLAIN, "by %s%s  ",
			     view_sort_names[view->sort], view->reverse ? ", reverse" : "");
	if (view->typing)
		put(canvas, FILTER, column, STYLE_TITLE, "filter: %s_", view->filter);
	else if (view->filter[0])
		put(canvas, FILTER, column, STYLE_PLAIN, "filter: %s", view->filter);
}

static void draw_keys(struct canvas *canvas, const struct view *view)
{
	const char *keys = "q quit  h help  1-4 pages  f freeze  / filter";

	if (view->typing)
		keys = "Enter done  Esc no filter";
	else if (view->page == VIEW_TASKS)
		keys = "q quit  h help  1-4 pages  s sort  / filter  f freeze  Enter histogram";
	else if (view->page == VIEW_TASK)
		keys = "q quit  h help  m next measure  f freeze  Esc back";
	else if (view->page == VIEW_HELP)
		keys = "q quit  Esc back";
	if (canvas->rows > ROWS)
		canvas_put(canvas, canvas->rows - 1, 0, STYLE_PALE, keys);
}

/** struct text - lines that were printed: @to until text_cut() */
struct text {
	FILE *to;
	char *all;
	size_t size;
	char **lines;
	size_t count;
};

static bool text_begin(struct text *text)
{
	*text = (struct text){};
	text->to = open_memstream(&text->all, &text->size);
	return text->to != NULL;
}

static void text_cut(struct text *text)
{
	char *at, *end;

	fclose(text->to);
	text->lines = calloc(text->size + 1, sizeof(*text->lines));
	for (at = text->all; text->lines && at && *at; at = end + 1) {
		end = strchrnul(at, '\n');
		text->lines[text->count++] = at;
		if (!*end)
			break;
		*end = 0;
	}
}

static void text_end(struct text *text)
{
	free(text->lines);
	free(text->all);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static enum style row_style(const struct view *view, const struct scene *scene,
			    const struct top_task *task)
{
	const struct top_task *then = scene->before ? look_find(scene->before, task->id) : NULL;

	if (task->id == view->task)
		return STYLE_CHOSEN;
	if (then && task->misses > then->misses)
		return STYLE_BAD;
	return task->gone ? STYLE_PALE : STYLE_PLAIN;
}

static void draw_headings(struct canvas *canvas, const char *headings, const char *sorted)
{
	const char *at = sorted ? strstr(headings, sorted) : NULL;

	canvas_put(canvas, HEADINGS, 0, STYLE_HEADING, headings);
	canvas_style(canvas, HEADINGS, 0, canvas->columns, STYLE_HEADING);
	if (at)
		canvas_style(canvas, HEADINGS, (size_t)(at - headings), strlen(sorted),
			     STYLE_SORTED);
}

static void draw_tasks(struct canvas *canvas, struct view *view, struct scene *scene)
{
	size_t room = pages_room(canvas->rows), i;
	struct text text;

	view_place(view, scene->rows, scene->count, room);
	if (!text_begin(&text))
		return;
	report_rows(scene->rows, scene->count, canvas->columns, text.to);
	text_cut(&text);
	if (text.count)
		draw_headings(canvas, text.lines[0], view_sort_names[view->sort]);
	for (i = 0; i < room && view->first + i < scene->count; i++) {
		size_t row = view->first + i;
		enum style style = row_style(view, scene, scene->rows[row]);

		if (row + 1 >= text.count || ROWS + i + 1 >= canvas->rows)
			break;
		canvas_put(canvas, ROWS + i, 0, style, text.lines[row + 1]);
		if (style == STYLE_CHOSEN)
			canvas_style(canvas, ROWS + i, 0, canvas->columns, style);
	}
	if (!scene->count)
		canvas_put(canvas, ROWS, 0, STYLE_PLAIN,
			   scene->look->tasks.count ? "(none matches the filter)" : "(no tasks)");
	text_end(&text);
}

/* A table that goes past as it is: what is filtered are its lines. */
static void draw_table(struct canvas *canvas, struct view *view, struct scene *scene)
{
	size_t room = pages_room(canvas->rows), width = canvas->columns, i;
	struct text text;

	if (!text_begin(&text))
		return;
	if (view->page == VIEW_CPUS)
		cpus_table(scene->look, scene->before, width, text.to);
	else if (view->page == VIEW_SERVERS)
		servers_table(scene->look, width, text.to);
	else
		chains_table(scene->look, width, text.to);
	text_cut(&text);
	scene->count = 0;
	for (i = 1; i < text.count; i++) {
		if (view_matches(view, text.lines[i]))
			text.lines[1 + scene->count++] = text.lines[i];
	}
	view_place(view, NULL, scene->count, room);
	if (text.count)
		draw_headings(canvas, text.lines[0], NULL);
	for (i = 0; i < room && view->first + i < scene->count; i++) {
		if (ROWS + i + 1 < canvas->rows)
			canvas_put(canvas, ROWS + i, 0, STYLE_PLAIN,
				   text.lines[1 + view->first + i]);
	}
	if (!scene->count)
		canvas_put(canvas, ROWS, 0, STYLE_PLAIN, "(none)");
	text_end(&text);
}

/* ---- one task -------------------------------------------------------------------------------- */

static const char *const measure_titles[TOP_MEASURES] = {
	[TOP_START] = "START: from the release until it has the CPU",
	[TOP_RESPONSE] = "RESP: from the release until it is complete",
	[TOP_EXEC] = "EXEC: execution time",
	[TOP_TARDINESS] = "LATE: how late it was, of jobs that were",
};

/* Long lines go on in the next one. Return: the line behind it */
static size_t draw_long(struct canvas *canvas, size_t row, size_t end, const char *text)
{
	size_t columns = canvas->columns ? canvas->columns : 1;

	while (row < end && *text) {
		size_t length = strlen(text), cut = length;
		char *line;

		if (length > columns) {
			for (cut = columns; cut && text[cut] != ' '; cut--)
				;
			cut = cut ? cut : columns;
		}
		line = strndup(text, cut);
		canvas_put(canvas, row++, 0, STYLE_PLAIN, line ? line : "");
		free(line);
		text += cut;
		text += strspn(text, " ");
	}
	return row;
}

static size_t draw_blame(struct canvas *canvas, size_t row, size_t end, const struct top_task *task,
			 enum top_of of, const char *name)
{
	const struct top_blame *blame = &task->blames[of];
	char *who, *text = NULL;

	if (!blame->complete)
		return row;
	who = blame_text(task, of);
	if (asprintf(&text, "%s job %llu, %s: %s", name, (unsigned long long)blame->job,
		     time_short(blame->complete - blame->release), who ? who : "?") < 0)
		text = NULL;
	if (text)
		row = draw_long(canvas, row, end, text);
	free(text);
	free(who);
	return row;
}

static void draw_bars(struct canvas *canvas, size_t row, size_t end,
		      const struct histogram *histogram)
{
	struct bar bars[HISTOGRAM_BUCKETS];
	size_t count = end > row ? bars_of(histogram, bars, end - row) : 0, i, column;
	size_t wide = canvas->columns > 50 ? canvas->columns - 45 : 5;
	uint64_t most = 0, total = 0;

	for (i = 0; i < count; i++) {
		most = bars[i].count > most ? bars[i].count : most;
		total += bars[i].count;
	}
	for (i = 0; i < count; i++) {
		size_t length = bar_length(bars[i].count, most, wide);

		put(canvas, row + i, 0, STYLE_PLAIN, "%8s - %-8s %8llu %5.1f%%",
		    time_short(bars[i].from), bars[i].to ? time_short(bars[i].to) : "",
		    (unsigned long long)bars[i].count, (double)bars[i].count * 100 / (double)total);
		for (column = 0; column < length; column++)
			canvas_put(canvas, row + i, 37 + column, STYLE_BAR, "#");
	}
	if (!count)
		canvas_put(canvas, row, 0, STYLE_PLAIN, "(none yet)");
}

static void draw_task(struct canvas *canvas, struct view *view, struct scene *scene)
{
	const struct top_task *task = look_find(scene->look, view->task);
	const struct histogram *histogram;
	size_t end = canvas->rows ? canvas->rows - 1 : 0, below, lines;
	enum top_measure measure = view->measure;

	scene->count = 0;
	if (!task) {
		canvas_put(canvas, ROWS, 0, STYLE_PLAIN, "(the task has gone)");
		return;
	}
	histogram = &task->measures[measure];
	put(canvas, 1, 0, STYLE_TITLE, "%s  id %u  pid %d  CPU %u  %s  runtime %s  period %s%s",
	    task->name[0] ? task->name : "-", task->id, task->pid, task->cpu, task->plugin,
	    time_text(task->wcet), time_text(task->period), task->gone ? "  (ended)" : "");
	put(canvas, 2, 0, STYLE_PLAIN, "%llu jobs, %llu missed, %llu overruns, %llu preemptions",
	    (unsigned long long)task->jobs, (unsigned long long)task->misses,
	    (unsigned long long)task->overruns, (unsigned long long)task->preemptions);
	put(canvas, 3, 0, STYLE_SORTED, "%s", measure_titles[measure]);
	put(canvas, 4, 0, STYLE_PLAIN,
	    "least %s  average %s  50%% %s  90%% %s  99%% %s  99.9%% %s  greatest %s",
	    time_short(histogram_least(histogram)), time_short(histogram_average(histogram)),
	    time_short(percentile(histogram, 500)), time_short(percentile(histogram, 900)),
	    time_short(percentile(histogram, 990)), time_short(percentile(histogram, 999)),
	    time_short(histogram->most));
	/* A third is for who had the CPU. */
	lines = end > 6 ? (end - 6) / 3 : 0;
	below = draw_blame(canvas, end - lines, end, task, TOP_SLOWEST, "slowest:");
	if (task->blames[TOP_LATE].job != task->blames[TOP_SLOWEST].job)
		draw_blame(canvas, below, end, task, TOP_LATE, "late:");
	if (end - lines > 6)
		draw_bars(canvas, 5, end - lines - 1, histogram);
}

/* ---- help ------------------------------------------------------------------------------------ */

static const char *const help_lines[] = {
	"1 2 3 4, Tab    tasks; CPUs: who had them; servers; chains",
	"s >, <          tasks: sort by the next column, by the one before",
	"r               ... the other way round",
	"/               only rows with a text in them: a task's name, plugin, id, pid;",
	"                Enter when it is typed, Esc for all rows again",
	"f, Space        freeze what is shown, and let it go on; counting goes on",
	"Up k, Down j    another task; PgUp, PgDn, Home, End likewise",
	"Enter           a histogram of the task, and who had the CPU while its slowest",
	"                job, and its last late one, was there",
	"m               ... of the next measure: START, RESP, EXEC, LATE",
	"Esc             back",
	"h ?             this help",
	"q               quit",
	"",
	"A row is red when a deadline was missed since the look before, pale when the",
	"task has ended; it leaves a while later. NO_COLOR set: no colours.",
	"START: from a job's release until it has the CPU. RESP: until it is done.",
	"EXEC: its execution time. LATE: how late it was. Since reschtop began.",
};

static void draw_help(struct canvas *canvas, struct view *view, struct scene *scene)
{
	size_t room = pages_room(canvas->rows), i;

	scene->count = sizeof(help_lines) / sizeof(help_lines[0]);
	view_place(view, NULL, scene->count, room);
	for (i = 0; i < room && view->first + i < scene->count; i++)
		canvas_put(canvas, 2 + i, 0, STYLE_PLAIN, help_lines[view->first + i]);
}

void pages_draw(struct canvas *canvas, struct view *view, struct scene *scene)
{
	if (!canvas->rows)
		return;
	draw_title(canvas, view, scene);
	switch (view->page) {
	case VIEW_TASKS:
		draw_tasks(canvas, view, scene);
		break;
	case VIEW_TASK:
		draw_task(canvas, view, scene);
		break;
	case VIEW_HELP:
		draw_help(canvas, view, scene);
		break;
	default:
		draw_table(canvas, view, scene);
		break;
	}
	draw_keys(canvas, view);
}
