/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.h - what the screen shows of a look: which page, which rows, in which order; and keys */
#ifndef _TOP_VIEW_H
#define _TOP_VIEW_H

#include <stdbool.h>

#include "look.h"

enum view_page {
	VIEW_TASKS,
	VIEW_CPUS,
	VIEW_SERVERS,
	VIEW_CHAINS,
	VIEW_TASK, /* one, with a histogram */
	VIEW_HELP,
	VIEW_PAGES,
};

/* Keys beside letters. */
enum view_key {
	VIEW_UP = 0x1000,
	VIEW_DOWN,
	VIEW_PAGE_UP,
	VIEW_PAGE_DOWN,
	VIEW_HOME,
	VIEW_END,
	VIEW_ENTER,
	VIEW_ESCAPE,
	VIEW_BACKSPACE,
	VIEW_TAB,
};

#define VIEW_FILTER 32

/**
 * struct view - what is shown
 * @back:    the page before the help, or before a task's
 * @sort:    which of view_sort_names
 * @reverse: the other way round
 * @frozen:  the same look all the time
 * @typing:  keys are letters of the filter
 * @filter:  only rows with that in them
 * @task:    the chosen one; 0: none
 * @at:      where it is among the rows
 * @first:   the first row that is seen
 * @measure: enum top_measure, of the histogram
 * @quit:    that's it
 */
struct view {
	enum view_page page, back;
	unsigned int sort;
	bool reverse, frozen, typing, quit;
	char filter[VIEW_FILTER];
	uint32_t task;
	size_t at, first;
	unsigned int measure;
};

#define VIEW_SORTS 9
/** view_sort_names - the headings of the columns */
extern const char *const view_sort_names[VIEW_SORTS];

/** view_matches - has a text the filter in it, large and small letters alike? */
bool view_matches(const struct view *view, const char *text);

/**
 * view_rows - the tasks to show, in their order
 * @rows: room for all of the look
 *
 * Return: how many.
 */
size_t view_rows(const struct view *view, const struct look *look, const struct top_task **rows);

/**
 * view_place - let the chosen row be among @count, and be seen among @room
 * @rows: the tasks, or NULL: rows are not chosen, but go past
 */
void view_place(struct view *view, const struct top_task *const *rows, size_t count, size_t room);

/** view_press - what a key does; @rows, @count, @room: as they are shown */
void view_press(struct view *view, int key, const struct top_task *const *rows, size_t count,
		size_t room);

#endif
