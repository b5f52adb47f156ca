// SPDX-License-Identifier: GPL-2.0-or-later
/* top.c - a command whose table renews itself, with what each did since the last look */
#include "top.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "screen.h"

/** struct view - one that runs, as it is shown */
struct view {
	const struct top *top;
	int fd;
	struct look looks[2];
	unsigned int turn; /* the newer one */
	struct screen_order order;
	bool looked, screen, once, json;
	uint64_t interval, next; /* look */
};

static const struct look *view_now(const struct view *view)
{
	return &view->looks[view->turn];
}

static uint64_t view_since(const struct view *view)
{
	return view_now(view)->time - view->looks[!view->turn].time;
}

static int compare_lines(const void *a, const void *b)
{
	const struct top_line *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* The lines, sorted. Those that were not there before have done all since. */
static void view_lines(const struct view *view, struct top_line *lines, const void *none)
{
	const struct look_kind *kind = view->top->kind;
	const struct top_sort *sort = &view->top->sorts[view->order.sort];
	const struct look *now = view_now(view);
	size_t i;

	for (i = 0; i < now->count; i++) {
		struct top_line *line = &lines[i];

		line->now = look_at(now, kind, i);
		line->id = look_id(kind, line->now);
		line->before = look_find(&view->looks[!view->turn], kind, line->id);
		if (!line->before)
			line->before = none;
		line->key = sort->key ? sort->key(line) : 0;
	}
	qsort(lines, now->count, sizeof(*lines), compare_lines);
}

static void view_table(const struct view *view, const struct top_line *lines)
{
	const struct top *top = view->top;
	FILE *to = screen_page();
	struct table table;
	size_t i;

	if (view->screen)
		screen_order_print(&view->order, top->sorts[view->order.sort].column, to);
	if (top->head)
		top->head(view->fd, to);
	if (view->screen || top->head)
		fputc('\n', to);
	table_begin(&table, top->headings);
	table.width = screen_width();
	table.drop = top->drop;
	for (i = 0; i < view_now(view)->count; i++)
		top->add(&table, &lines[i], view_since(view));
	table_print(&table, to);
	screen_show();
}

static void view_json(const struct view *view, const struct top_line *lines)
{
	struct json_object *out = json_object_new_object(), *list = json_object_new_array();
	size_t i;

	for (i = 0; i < view_now(view)->count; i++)
		json_object_array_add(list, view->top->json(&lines[i], view_since(view)));
	json_add_time(out, "interval", view_since(view));
	json_add(out, view->top->list, list);
	if (view->once)
		json_show(out, stdout);
	else
		json_show_line(out, stdout);
}

/* Return: 0 or -errno */
static int view_show(const struct view *view)
{
	struct top_line *lines = calloc(view_now(view)->count + 1, sizeof(*lines));
	void *none = calloc(1, view->top->kind->size);
	bool room = lines && none;

	if (room) {
		view_lines(view, lines, none);
		if (view->json)
			view_json(view, lines);
		else
			view_table(view, lines);
		if (!view->json && !view->screen && !view->once)
			putchar('\n');
		fflush(stdout);
	}
	free(lines);
	free(none);
	return room ? 0 : -ENOMEM;
}

/* The next look, at its time or as keys want it. Return: 0, -errno (-EAGAIN: no news), 1: over */
static int view_next(struct view *view)
{
	uint64_t now = resch_now();
	int key = screen_wait(view->next > now ? view->next - now : 0);

	if (key == KEY_QUIT)
		return 1;
	if (key != KEY_NONE)
		return screen_order_key(&view->order, key) && view->looked ? 0 : -EAGAIN;
	view->next = resch_now() + view->interval;
	if (view->order.frozen)
		return -EAGAIN;
	view->turn = !view->turn;
	view->looked = true;
	return look_take(view->fd, view->top->kind, &view->looks[view->turn]);
}

static int view_loop(struct view *view)
{
	int result;

	watch_signals();
	while (view->top->sorts[view->order.sorts].column)
		view->order.sorts++;
	view->screen = !view->once && !view->json && screen_begin();
	result = look_take(view->fd, view->top->kind, &view->looks[0]);
	view->next = resch_now() + view->interval;
	while (!result) {
		result = view_next(view);
		if (!result) {
			result = view_show(view);
			if (view->once)
				break;
		} else if (result == -EAGAIN) {
			result = 0;
		}
	}
	screen_end();
	look_free(&view->looks[0]);
	look_free(&view->looks[1]);
	return result < 0 ? fail("%s: %s", view->top->name, error_text(result)) : EXIT_DONE;
}

int top_run(int argc, char **argv, const struct top *top)
{
	struct view view = { .top = top, .interval = 1000 * MS };
	const struct option_row rows[] = {
		{ "interval", 'i', "time", option_time, &view.interval, 100 * MS, HOUR },
		{ "once", '1', NULL, option_flag, &view.once },
		OPTION_JSON(&view.json),
		{},
	};
	const struct option_table table = { top->command, top->help, .rows = rows };
	int result;

	result = options_run(argc, argv, &table);
	if (result >= 0)
		return result;
	if (optind != argc)
		return usage(top->command, "%s takes no arguments", top->name);
	view.fd = device_open();
	if (view.fd < 0)
		return EXIT_NO_MODULE;
	result = view_loop(&view);
	close(view.fd);
	return result;
}
