// SPDX-License-Identifier: GPL-2.0-or-later
/* terminal.c - reschtop on a terminal's screen, by ncurses */
#include <errno.h>
#include <ncurses.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "pages.h"
#include "screen.h"
#include "top.h"

/* ---- styles ---------------------------------------------------------------------------------- */

static chtype styles[STYLES] = {
	[STYLE_TITLE] = A_BOLD,	    [STYLE_HEADING] = A_REVERSE, [STYLE_SORTED] = A_BOLD,
	[STYLE_CHOSEN] = A_REVERSE, [STYLE_BAD] = A_BOLD,	 [STYLE_PALE] = A_DIM,
};

static void colour(enum style style, short number, short foreground)
{
	init_pair(number, foreground, -1);
	styles[style] |= (chtype)COLOR_PAIR(number);
}

static void colours_begin(void)
{
	if (getenv("NO_COLOR") || !has_colors() || start_color() == ERR ||
	    use_default_colors() == ERR)
		return;
	colour(STYLE_BAD, 1, COLOR_RED);
	colour(STYLE_SORTED, 2, COLOR_CYAN);
	colour(STYLE_BAR, 3, COLOR_GREEN);
}

/* ---- the screen ------------------------------------------------------------------------------ */

static void show(const struct canvas *canvas)
{
	erase();
	for (size_t row = 0; row < canvas->rows; row++) {
		move((int)row, 0);
		for (size_t column = 0; column < canvas->columns; column++) {
			const struct cell *cell = &canvas->cells[row * canvas->columns + column];

			attrset((int)styles[cell->style]);
			addstr(cell->text);
		}
	}
	attrset(A_NORMAL);
	refresh();
}

/** struct screen - what it shows, and of what */
struct screen {
	struct state *state;
	struct view view;
	struct scene scene;
};

static int draw(struct screen *screen)
{
	struct state *state = screen->state;
	const struct look *look = &state->looks[state->turn];
	struct scene *scene = &screen->scene;
	struct canvas canvas;

	*scene = (struct scene){ .look = look,
				 .before = state->looked ? &state->looks[!state->turn] : NULL,
				 .rows = scene->rows };
	scene->rows = reallocarray(scene->rows, look->tasks.count + 1, sizeof(*scene->rows));
	if (!scene->rows || canvas_begin(&canvas, (size_t)LINES, (size_t)COLS))
		return -ENOMEM;
	scene->count = view_rows(&screen->view, look, scene->rows);
	pages_draw(&canvas, &screen->view, scene);
	show(&canvas);
	canvas_end(&canvas);
	return 0;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static int key_of(int key)
{
	static const struct {
		int curses, key;
	} keys[] = {
		{ KEY_UP, VIEW_UP },
		{ KEY_DOWN, VIEW_DOWN },
		{ KEY_PPAGE, VIEW_PAGE_UP },
		{ KEY_NPAGE, VIEW_PAGE_DOWN },
		{ KEY_HOME, VIEW_HOME },
		{ KEY_END, VIEW_END },
		{ KEY_ENTER, VIEW_ENTER },
		{ '\n', VIEW_ENTER },
		{ '\r', VIEW_ENTER },
		{ 033, VIEW_ESCAPE },
		{ KEY_BACKSPACE, VIEW_BACKSPACE },
		{ 0x7f, VIEW_BACKSPACE },
		{ '\b', VIEW_BACKSPACE },
		{ '\t', VIEW_TAB },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (keys[i].curses == key)
			return keys[i].key;
	}
	return key < 0x100 ? key : 0;
}

static void press(struct screen *screen, int key)
{
	struct view *view = &screen->view;
	const struct top_task *const *rows = view->page == VIEW_TASKS ? screen->scene.rows : NULL;

	view_press(view, key_of(key), rows, screen->scene.count, pages_room((size_t)LINES));
}

/* Until a look is due, or a key was pressed. Return: false: it is over */
static bool wait_for(struct screen *screen, uint64_t until)
{
	struct pollfd keys = { .fd = STDIN_FILENO, .events = POLLIN };
	uint64_t now = resch_now();
	int key, ready;

	ready = poll(&keys, 1, until > now ? (int)((until - now) / 1000000 + 1) : 0);
	if (ready > 0 && !(keys.revents & POLLIN))
		return false;
	/* also where a signal has come: the terminal may have another size */
	while (!watch_stopped() && (key = getch()) != ERR) {
		if (key != KEY_RESIZE)
			press(screen, key);
	}
	return !watch_stopped() && !screen->view.quit;
}

static int go_on(struct screen *screen, uint64_t interval)
{
	uint64_t next = resch_now() + interval;
	int status = state_look(screen->state);

	if (!status && draw(screen))
		return -ENOMEM;
	while (!status && wait_for(screen, next)) {
		if (resch_now() >= next) {
			next = resch_now() + interval;
			if (!screen->view.frozen)
				status = state_look(screen->state);
		}
		if (!status && draw(screen))
			return -ENOMEM;
	}
	return status;
}

int terminal_watch(struct state *state, uint64_t interval)
{
	struct screen screen = { .state = state, .view = { .sort = 0, .measure = TOP_RESPONSE } };
	const char *name = getenv("TERM");
	SCREEN *terminal;
	int status;

	/* Signals are main.c's: with ncurses' own the programs would be left to the kernel. */
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal)
		return fail("the terminal '%s' is not known (TERM): --once and --json do without",
			    name ? name : "");
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	colours_begin();
	status = go_on(&screen, interval);
	endwin();
	delscreen(terminal);
	free(screen.scene.rows);
	return status ? fail("%s", error_text(status)) : EXIT_DONE;
}
