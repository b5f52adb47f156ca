/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.h - a page on the terminal that renews itself, and keys */
#ifndef _RESCHCTL_SCREEN_H
#define _RESCHCTL_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What screen_wait() returns beside letters. */
enum screen_key {
	KEY_NONE = 0, /* the time is over */
	KEY_QUIT = 'q', /* also for a signal */
	KEY_RESIZED = 1, /* the terminal has another size, or has come back: draw again */
};

/**
 * screen_begin - take the terminal: the alternate screen, no cursor, keys one by one and unseen
 *
 * Given back by screen_end(), at the process's end, and while ^Z stops it. Return: whether the
 * output is a terminal; if not, nothing is done, and pages go to it as they are.
 */
bool screen_begin(void);
void screen_end(void);

/** screen_width - columns of a line, 0: no limit */
size_t screen_width(void);
/** screen_colour - whether colours are wanted: on a terminal, without NO_COLOR */
bool screen_colour(void);

/** struct screen_order - by which of @sorts columns a table is sorted; frozen: it stands still */
struct screen_order {
	unsigned int sort, sorts;
	bool frozen;
};

/** screen_order_key - Return: whether @key changes what is to be seen */
bool screen_order_key(struct screen_order *order, int key);
/** screen_order_print - the line that says how it stands, and the keys; @column: it is sorted by */
void screen_order_print(const struct screen_order *order, const char *column, FILE *to);

/** screen_page - begin a page. Return: where to print it, lines of any number and width */
FILE *screen_page(void);
/**
 * screen_show - show it: lines cut at the width; where the height has no room for all, the last one
 * says how many are left
 */
void screen_show(void);

/** watch_signals - SIGINT, SIGTERM, SIGHUP and SIGQUIT end waiting, and not the process */
void watch_signals(void);
/** watch_stopped - whether one of them has come */
bool watch_stopped(void);
/** screen_wait - for @interval ns at most. Return: the key, or of enum screen_key */
int screen_wait(uint64_t interval);
/** watch_wait - for @interval ns. Return: true: q was pressed or a signal came */
bool watch_wait(uint64_t interval);

#endif
