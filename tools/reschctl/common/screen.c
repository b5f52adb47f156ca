// SPDX-License-Identifier: GPL-2.0-or-later
/* screen.c - a page on the terminal that renews itself, and keys */
#include "screen.h"

#include <poll.h>
#include <resch.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define ENTER "\033[?1049h\033[?25l\033[H\033[2J"
#define LEAVE "\033[?25h\033[?1049l"

static volatile sig_atomic_t stopped, resized, suspended;

static bool taken; /* the screen is ours until screen_end() */
static bool raw; /* keys come one by one */
static struct termios terminal; /* what it was like */
static char *page_text;
static size_t page_size;
static FILE *page;

/* ---- signals --------------------------------------------------------------------------------- */

static void on_signal(int signal)
{
	if (signal == SIGWINCH)
		resized = 1;
	else if (signal == SIGTSTP)
		suspended = 1;
	else
		stopped = 1;
}

void watch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGQUIT, &action, NULL);
}

bool watch_stopped(void)
{
	return stopped;
}

/* ---- the terminal ---------------------------------------------------------------------------- */

static void say(const char *text)
{
	fputs(text, stdout);
	fflush(stdout);
}

static void keys_begin(void)
{
	struct termios keys;

	if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &terminal))
		return;
	keys = terminal;
	keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw = !tcsetattr(STDIN_FILENO, TCSANOW, &keys);
}

static void keys_end(void)
{
	if (raw)
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
	raw = false;
}

bool screen_begin(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	static bool registered;

	if (!isatty(STDOUT_FILENO))
		return false;
	sigaction(SIGWINCH, &action, NULL);
	sigaction(SIGTSTP, &action, NULL);
	if (!registered)
		atexit(screen_end);
	registered = true;
	keys_begin();
	taken = true;
	say(ENTER);
	return true;
}

void screen_end(void)
{
	if (!taken)
		return;
	taken = false;
	say(LEAVE);
	keys_end();
}

/* ^Z: the terminal is the shell's until we are in the foreground again. */
static void suspend(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	suspended = 0;
	say(LEAVE);
	keys_end();
	sigaction(SIGTSTP, &action, NULL);
	raise(SIGTSTP);
	action.sa_handler = on_signal;
	sigaction(SIGTSTP, &action, NULL);
	keys_begin();
	say(ENTER);
	resized = 1;
}

/* Of a terminal that doesn't say: what terminals once were. */
static struct winsize size_now(void)
{
	struct winsize size = {};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row)
		size = (struct winsize){ .ws_col = 80, .ws_row = 24 };
	return size;
}

size_t screen_width(void)
{
	return taken ? size_now().ws_col : 0;
}

bool screen_colour(void)
{
	return taken && !getenv("NO_COLOR");
}

/* ---- the order of a table -------------------------------------------------------------------- */

bool screen_order_key(struct screen_order *order, int key)
{
	switch (key) {
	case 's':
		order->sort = (order->sort + 1) % order->sorts;
		return true;
	case 'f':
	case ' ':
		order->frozen = !order->frozen;
		return true;
	default:
		return key == KEY_RESIZED;
	}
}

void screen_order_print(const struct screen_order *order, const char *column, FILE *to)
{
	fprintf(to, "sorted by %s (s: the next), %s (f), q: quit\n", column,
		order->frozen ? "FROZEN" : "f: freeze");
}

/* ---- pages ----------------------------------------------------------------------------------- */

FILE *screen_page(void)
{
	if (!taken)
		return stdout;
	page = open_memstream(&page_text, &page_size);
	return page ? page : stdout;
}

/* As much of a line as there are columns for: colours take none, letters of several bytes one. */
static void show_line(const char *at, const char *end, size_t columns)
{
	bool coloured = false;

	while (at < end) {
		size_t length = 1;

		if (*at == '\033') {
			length = strcspn(at, "m") + 1;
			coloured = true;
		} else if (((unsigned char)*at & 0xc0) != 0x80) {
			if (!columns)
				break;
			columns--;
		} else if (!columns) {
			/* the rest of the last letter */
			length = 1;
		}
		if (length > (size_t)(end - at))
			break;
		fwrite(at, 1, length, stdout);
		at += length;
	}
	fputs(coloured ? "\033[0m\033[K" : "\033[K", stdout);
}

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text; text += strcspn(text, "\n"), text += *text != 0)
		lines++;
	return lines;
}

void screen_show(void)
{
	struct winsize size = size_now();
	size_t lines, line, room = size.ws_row;
	const char *at, *end;

	if (!page) {
		fflush(stdout);
		return;
	}
	fclose(page);
	page = NULL;
	lines = count_lines(page_text);
	fputs("\033[H", stdout);
	for (line = 0, at = page_text; line < lines && line < room; line++) {
		if (line)
			putchar('\n');
		if (line + 1 == room && lines > room) {
			printf("... %zu more\033[K", lines - line);
			break;
		}
		end = at + strcspn(at, "\n");
		show_line(at, end, size.ws_col);
		at = end + (*end != 0);
	}
	say("\033[J");
	free(page_text);
	page_text = NULL;
}

/* ---- waiting --------------------------------------------------------------------------------- */

int screen_wait(uint64_t interval)
{
	struct pollfd keys = { .fd = raw ? STDIN_FILENO : -1, .events = POLLIN };
	uint64_t now, end = resch_now() + interval;
	char key;

	while (!stopped && (now = resch_now()) < end) {
		int ready = poll(&keys, 1, (int)((end - now) / 1000000 + 1));

		if (suspended && !stopped)
			suspend();
		if (resized && !stopped) {
			resized = 0;
			return KEY_RESIZED;
		}
		if (ready > 0)
			return read(STDIN_FILENO, &key, 1) == 1 ? key : KEY_QUIT;
	}
	return stopped ? KEY_QUIT : KEY_NONE;
}

bool watch_wait(uint64_t interval)
{
	uint64_t now, end = resch_now() + interval;
	int key = KEY_NONE;

	while (key != KEY_QUIT && (now = resch_now()) < end)
		key = screen_wait(end - now);
	return key == KEY_QUIT;
}
