// SPDX-License-Identifier: GPL-2.0
/* test_top_view.c - reschtop's screen without a terminal: rows, filter, keys, canvas, bars */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bars.h"
#include "canvas.h"
#include "view.h"

#define TASKS 6

static struct top_task tasks[TASKS];
static struct look look;
static const struct top_task *rows[TASKS];

static int setup(void **state)
{
	static const char *const names[TASKS] = { "camera", "Control", "log", "ctl-2", "x", "y" };

	memset(tasks, 0, sizeof(tasks));
	for (uint32_t i = 0; i < TASKS; i++) {
		tasks[i].id = i + 1;
		tasks[i].pid = (int)(1000 + i);
		tasks[i].cpu = i % 2;
		tasks[i].jobs = 10 * i;
		tasks[i].misses = i % 3;
		strcpy(tasks[i].name, names[i]);
		strcpy(tasks[i].plugin, i < 3 ? "edf" : "fp");
		tasks[i].measures[TOP_RESPONSE].most = 1000 - i;
	}
	look = (struct look){ .tasks = { tasks, TASKS, TASKS, sizeof(tasks[0]) } };
	return 0;
}

/* ids: of the rows, one after another, 0 at the end */
static void rows_are(const struct view *view, const uint32_t *ids)
{
	size_t count = view_rows(view, &look, rows), i;

	for (i = 0; ids[i]; i++) {
		assert_true(i < count);
		assert_int_equal(rows[i]->id, ids[i]);
	}
	assert_int_equal(count, i);
}

static unsigned int sort_of(const char *name)
{
	unsigned int i = 0;

	while (strcmp(view_sort_names[i], name)) {
		i++;
		assert_true(i < VIEW_SORTS);
	}
	return i;
}

static void order(void **state)
{
	struct view view = {};

	rows_are(&view, (uint32_t[]){ 1, 2, 3, 4, 5, 6, 0 });
	view.reverse = true;
	rows_are(&view, (uint32_t[]){ 6, 5, 4, 3, 2, 1, 0 });
	view = (struct view){ .sort = sort_of("MISS") };
	rows_are(&view, (uint32_t[]){ 3, 6, 2, 5, 1, 4, 0 });
	view.sort = sort_of("JOBS");
	rows_are(&view, (uint32_t[]){ 6, 5, 4, 3, 2, 1, 0 });
	view.sort = sort_of("RESP MAX");
	rows_are(&view, (uint32_t[]){ 1, 2, 3, 4, 5, 6, 0 });
	view.sort = sort_of("CPU");
	rows_are(&view, (uint32_t[]){ 1, 3, 5, 2, 4, 6, 0 });
}

static void type(struct view *view, const char *text)
{
	for (; *text; text++)
		view_press(view, *text, rows, view_rows(view, &look, rows), 10);
}

static void filter(void **state)
{
	struct view view = {};
	int i;

	type(&view, "/c");
	assert_true(view.typing);
	rows_are(&view, (uint32_t[]){ 1, 2, 4, 0 });
	/* a letter of the filter, and no key */
	type(&view, "q");
	assert_false(view.quit);
	rows_are(&view, (uint32_t[]){ 0 });
	view_press(&view, VIEW_BACKSPACE, rows, 0, 10);
	type(&view, "ONT");
	view_press(&view, VIEW_ENTER, rows, 1, 10);
	assert_false(view.typing);
	rows_are(&view, (uint32_t[]){ 2, 0 });
	view_press(&view, VIEW_ESCAPE, rows, 1, 10);
	rows_are(&view, (uint32_t[]){ 1, 2, 3, 4, 5, 6, 0 });
	strcpy(view.filter, "edf");
	rows_are(&view, (uint32_t[]){ 1, 2, 3, 0 });
	strcpy(view.filter, "1004");
	rows_are(&view, (uint32_t[]){ 5, 0 });
	strcpy(view.filter, "6");
	rows_are(&view, (uint32_t[]){ 6, 0 });
	/* as long as it likes */
	view = (struct view){ .typing = true };
	for (i = 0; i < 100; i++)
		view_press(&view, 'a', rows, 0, 10);
	assert_int_equal(strlen(view.filter), VIEW_FILTER - 1);
	for (i = 0; i < 100; i++)
		view_press(&view, VIEW_BACKSPACE, rows, 0, 10);
	assert_int_equal(strlen(view.filter), 0);
	view_press(&view, VIEW_ESCAPE, rows, 0, 10);
	assert_false(view.typing);
}

static void moves(void **state)
{
	struct view view = {};
	size_t count = view_rows(&view, &look, rows);

	view_place(&view, rows, count, 3);
	assert_int_equal(view.task, 1);
	view_press(&view, VIEW_UP, rows, count, 3);
	assert_int_equal(view.task, 1);
	view_press(&view, VIEW_DOWN, rows, count, 3);
	view_press(&view, 'j', rows, count, 3);
	assert_int_equal(view.task, 3);
	assert_int_equal(view.first, 0);
	view_press(&view, VIEW_DOWN, rows, count, 3);
	assert_int_equal(view.task, 4);
	assert_int_equal(view.first, 1);
	view_press(&view, VIEW_PAGE_DOWN, rows, count, 3);
	assert_int_equal(view.task, 6);
	assert_int_equal(view.first, 3);
	view_press(&view, VIEW_HOME, rows, count, 3);
	assert_int_equal(view.task, 1);
	view_press(&view, VIEW_END, rows, count, 3);
	assert_int_equal(view.task, 6);
	/* it is the task that is chosen, and not the row */
	view.reverse = true;
	count = view_rows(&view, &look, rows);
	view_place(&view, rows, count, 3);
	assert_int_equal(view.task, 6);
	assert_int_equal(view.at, 0);
	assert_int_equal(view.first, 0);
	/* it has gone */
	look.tasks.count = 2;
	count = view_rows(&view, &look, rows);
	view_place(&view, rows, count, 3);
	assert_true(view.task == 1 || view.task == 2);
	look.tasks.count = 0;
	view_place(&view, rows, 0, 3);
	assert_int_equal(view.task, 0);
	view_press(&view, VIEW_DOWN, rows, 0, 0);
	assert_int_equal(view.at, 0);
}

static void pages(void **state)
{
	struct view view = {};
	size_t count = view_rows(&view, &look, rows);

	view_place(&view, rows, count, 10);
	type(&view, "3");
	assert_int_equal(view.page, VIEW_SERVERS);
	view_press(&view, VIEW_TAB, NULL, 0, 10);
	assert_int_equal(view.page, VIEW_CHAINS);
	view_press(&view, VIEW_TAB, NULL, 0, 10);
	assert_int_equal(view.page, VIEW_TASKS);
	view_press(&view, VIEW_ENTER, rows, count, 10);
	assert_int_equal(view.page, VIEW_TASK);
	type(&view, "h");
	assert_int_equal(view.page, VIEW_HELP);
	view_press(&view, VIEW_ESCAPE, NULL, 0, 10);
	assert_int_equal(view.page, VIEW_TASKS);
	type(&view, "mmmmm");
	assert_int_equal(view.measure, 5 % TOP_MEASURES);
	type(&view, "s>><");
	assert_int_equal(view.sort, 2);
	type(&view, "<<<");
	assert_int_equal(view.sort, VIEW_SORTS - 1);
	type(&view, "f");
	assert_true(view.frozen);
	type(&view, " ");
	assert_false(view.frozen);
	type(&view, "q");
	assert_true(view.quit);
}

static void row_is(const struct canvas *canvas, size_t row, const char *text)
{
	char *found = canvas_row(canvas, row);

	assert_string_equal(found, text);
	free(found);
}

static void canvas_cuts(void **state)
{
	struct canvas canvas;

	assert_int_equal(canvas_begin(&canvas, 3, 8), 0);
	assert_int_equal(canvas_put(&canvas, 0, 0, STYLE_PLAIN, "12345"), 5);
	assert_int_equal(canvas_put(&canvas, 0, 5, STYLE_BAD, "67890"), 8);
	row_is(&canvas, 0, "12345678");
	row_is(&canvas, 1, "");
	assert_int_equal(canvas.cells[5].style, STYLE_BAD);
	canvas_style(&canvas, 0, 6, 100, STYLE_CHOSEN);
	assert_int_equal(canvas.cells[7].style, STYLE_CHOSEN);
	assert_int_equal(canvas.cells[8].style, STYLE_PLAIN);
	/* beyond its end */
	canvas_put(&canvas, 3, 0, STYLE_PLAIN, "no");
	canvas_style(&canvas, 3, 0, 1, STYLE_PLAIN);
	canvas_put(&canvas, 1, 8, STYLE_PLAIN, "no");
	row_is(&canvas, 1, "");
	/* what a terminal might obey, and what is no letter */
	canvas_put(&canvas, 1, 0, STYLE_PLAIN, "a\033\377b");
	row_is(&canvas, 1, "a??b");
	if (setlocale(LC_CTYPE, "C.UTF-8")) {
		canvas_put(&canvas, 2, 0, STYLE_PLAIN, "\u00e4\u6f22x\u0301y");
		assert_int_equal(canvas_put(&canvas, 2, 5, STYLE_PLAIN, "\u6f22\u6f22"), 7);
		row_is(&canvas, 2, "\u00e4\u6f22xy\u6f22");
		setlocale(LC_CTYPE, "C");
	}
	canvas_end(&canvas);
	assert_int_equal(canvas_begin(&canvas, 0, 0), 0);
	canvas_put(&canvas, 0, 0, STYLE_PLAIN, "no");
	canvas_end(&canvas);
}

static void bars(void **state)
{
	static struct histogram histogram;
	struct bar found[40];
	uint64_t sum;
	size_t count, room, i;

	assert_int_equal(bars_of(&histogram, found, 10), 0);
	for (i = 0; i < 1000; i++)
		histogram.buckets[histogram_bucket(i * i * 1000)]++;
	for (room = 1; room <= 40; room++) {
		count = bars_of(&histogram, found, room);
		assert_true(count >= 1 && count <= room);
		for (i = 0, sum = 0; i < count; i++) {
			sum += found[i].count;
			assert_true(!found[i].to || found[i].from < found[i].to);
			if (i)
				assert_int_equal(found[i].from, found[i - 1].to);
		}
		assert_int_equal(sum, 1000);
		assert_true(room == 1 || (found[0].count && found[count - 1].count));
	}
	assert_int_equal(bars_of(&histogram, found, 0), 0);
	/* the last bucket has no end */
	histogram.buckets[HISTOGRAM_BUCKETS - 1]++;
	count = bars_of(&histogram, found, 40);
	assert_int_equal(found[count - 1].to, 0);
	assert_int_equal(bar_length(0, 10, 20), 0);
	assert_int_equal(bar_length(1, 1000000, 20), 1);
	assert_int_equal(bar_length(1000000, 1000000, 20), 20);
	assert_int_equal(bar_length(5, 10, 20), 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(order, setup), cmocka_unit_test_setup(filter, setup),
		cmocka_unit_test_setup(moves, setup), cmocka_unit_test_setup(pages, setup),
		cmocka_unit_test(canvas_cuts),	      cmocka_unit_test(bars),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
