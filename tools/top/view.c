// SPDX-License-Identifier: GPL-2.0-or-later
/* view.c - what the screen shows of a look, and keys */
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "percentile.h"

/* ---- order ----------------------------------------------------------------------------------- */

static uint64_t by_id(const struct top_task *task)
{
	return UINT32_MAX - task->id;
}

static uint64_t by_cpu(const struct top_task *task)
{
	return UINT32_MAX - task->cpu;
}

static uint64_t by_jobs(const struct top_task *task)
{
	return task->jobs;
}

static uint64_t by_misses(const struct top_task *task)
{
	return task->misses;
}

static uint64_t by_start(const struct top_task *task)
{
	return task->measures[TOP_START].most;
}

static uint64_t by_response99(const struct top_task *task)
{
	return percentile(&task->measures[TOP_RESPONSE], 990);
}

static uint64_t by_response(const struct top_task *task)
{
	return task->measures[TOP_RESPONSE].most;
}

static uint64_t by_exec(const struct top_task *task)
{
	return task->measures[TOP_EXEC].most;
}

static uint64_t by_tardiness(const struct top_task *task)
{
	return task->measures[TOP_TARDINESS].most;
}

const char *const view_sort_names[VIEW_SORTS] = { "ID",	      "CPU",	   "JOBS",
						  "MISS",     "START MAX", "RESP 99%",
						  "RESP MAX", "EXEC MAX",  "LATE MAX" };

/* The greatest comes first. */
static uint64_t (*const sort_keys[VIEW_SORTS])(const struct top_task *task) = {
	by_id,	       by_cpu,	    by_jobs, by_misses,	   by_start,
	by_response99, by_response, by_exec, by_tardiness,
};

/** struct sorted - a task, and what it is sorted by */
struct sorted {
	uint64_t key;
	const struct top_task *task;
};

static int compare_sorted(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return x->task->id < y->task->id ? -1 : x->task->id > y->task->id;
}

/* ---- which rows ------------------------------------------------------------------------------ */

bool view_matches(const struct view *view, const char *text)
{
	return !view->filter[0] || strcasestr(text, view->filter);
}

static bool task_matches(const struct view *view, const struct top_task *task)
{
	char number[16];

	if (view_matches(view, task->name) || view_matches(view, task->plugin))
		return true;
	snprintf(number, sizeof(number), "%u", task->id);
	if (!strcmp(number, view->filter))
		return true;
	snprintf(number, sizeof(number), "%d", task->pid);
	return !strcmp(number, view->filter);
}

size_t view_rows(const struct view *view, const struct look *look, const struct top_task **rows)
{
	struct sorted *sorted = calloc(look->tasks.count + 1, sizeof(*sorted));
	size_t count = 0;

	if (!sorted)
		return 0;
	for_each_task(task, look) {
		if (task_matches(view, task))
			sorted[count++] = (struct sorted){ sort_keys[view->sort](task), task };
	}
	qsort(sorted, count, sizeof(*sorted), compare_sorted);
	for (size_t i = 0; i < count; i++)
		rows[view->reverse ? count - 1 - i : i] = sorted[i].task;
	free(sorted);
	return count;
}

void view_place(struct view *view, const struct top_task *const *rows, size_t count, size_t room)
{
	if (!room)
		room = 1;
	if (!rows) {
		if (view->first + room > count)
			view->first = count > room ? count - room : 0;
		return;
	}
	/* It stays chosen wherever it has gone to. */
	for (size_t i = 0; view->task && i < count; i++) {
		if (rows[i]->id == view->task) {
			view->at = i;
			break;
		}
	}
	if (view->at >= count)
		view->at = count ? count - 1 : 0;
	view->task = count ? rows[view->at]->id : 0;
	if (view->first > view->at)
		view->first = view->at;
	if (view->at >= view->first + room)
		view->first = view->at - room + 1;
	if (view->first + room > count)
		view->first = count > room ? count - room : 0;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void press_filter(struct view *view, int key)
{
	size_t length = strlen(view->filter);

	if (key == VIEW_ENTER)
		view->typing = false;
	if (key == VIEW_ESCAPE) {
		view->typing = false;
		view->filter[0] = 0;
	}
	if (key == VIEW_BACKSPACE && length)
		view->filter[length - 1] = 0;
	if (key >= ' ' && key < 0x7f && length + 1 < VIEW_FILTER) {
		view->filter[length] = (char)key;
		view->filter[length + 1] = 0;
	}
}

/* By how many rows a key goes, up or down. Return: false: it is none of these */
static bool press_move(struct view *view, int key, const struct top_task *const *rows, size_t count,
		       size_t room)
{
	size_t *place = rows ? &view->at : &view->first, step = 1;

	if (key == VIEW_PAGE_UP || key == VIEW_PAGE_DOWN)
		step = room ? room : 1;
	if (key == VIEW_HOME || key == VIEW_END)
		step = count;
	switch (key) {
	case VIEW_UP:
	case 'k':
	case VIEW_PAGE_UP:
	case VIEW_HOME:
		*place = *place > step ? *place - step : 0;
		break;
	case VIEW_DOWN:
	case 'j':
	case VIEW_PAGE_DOWN:
	case VIEW_END:
		*place = *place + step < count ? *place + step : count ? count - 1 : 0;
		break;
	default:
		return false;
	}
	if (rows)
		view->task = count ? rows[view->at]->id : 0;
	view_place(view, rows, count, room);
	return true;
}

static void go_to(struct view *view, enum view_page page)
{
	if (view->page == page)
		return;
	if (page >= VIEW_TASK && view->page < VIEW_TASK)
		view->back = view->page;
	view->page = page;
	view->first = 0;
}

static void press_escape(struct view *view)
{
	if (view->page >= VIEW_TASK)
		go_to(view, view->back);
	else
		view->filter[0] = 0;
}

void view_press(struct view *view, int key, const struct top_task *const *rows, size_t count,
		size_t room)
{
	if (view->typing) {
		press_filter(view, key);
		return;
	}
	if (press_move(view, key, rows, count, room))
		return;
	if (key >= '1' && key <= '4')
		go_to(view, (enum view_page)(key - '1'));
	switch (key) {
	case 'q':
		view->quit = true;
		break;
	case 'h':
	case '?':
		go_to(view, VIEW_HELP);
		break;
	case 's':
	case '>':
		view->sort = (view->sort + 1) % VIEW_SORTS;
		break;
	case '<':
		view->sort = (view->sort + VIEW_SORTS - 1) % VIEW_SORTS;
		break;
	case 'r':
		view->reverse = !view->reverse;
		break;
	case 'f':
	case ' ':
		view->frozen = !view->frozen;
		break;
	case '/':
		view->typing = true;
		break;
	case 'm':
		view->measure = (view->measure + 1) % TOP_MEASURES;
		break;
	case VIEW_TAB:
		go_to(view, view->page < VIEW_CHAINS ? view->page + 1 : VIEW_TASKS);
		break;
	case VIEW_ENTER:
		if (view->page == VIEW_TASKS && view->task)
			go_to(view, VIEW_TASK);
		break;
	case VIEW_ESCAPE:
		press_escape(view);
		break;
	default:
		break;
	}
}
