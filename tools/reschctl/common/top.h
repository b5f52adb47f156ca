/* SPDX-License-Identifier: GPL-2.0-or-later */
/* top.h - a command whose table renews itself, with what each did since the last look */
#ifndef _RESCHCTL_TOP_H
#define _RESCHCTL_TOP_H

#include "../reschctl.h"
#include "look.h"

/** struct top_line - one of them; @before: as last seen, or zeros */
struct top_line {
	const void *now, *before;
	uint32_t id;
	uint64_t key; /* of the sort that is chosen */
};

/** struct top_sort - by what the table may be sorted; NULL: the last */
struct top_sort {
	const char *column;
	/* the largest comes first, then the lowest id; NULL: all are alike */
	uint64_t (*key)(const struct top_line *line);
};

/**
 * struct top - what differs between commands
 * @command, @name: "chain", "chain top"
 * @list:     of the JSON
 * @headings, @drop: of the table, see struct table
 * @head:     lines above the table, or NULL
 * @add:      adds a row
 * @interval: in ns, since the look before
 */
struct top {
	const char *command, *name;
	const char *help;
	const char *list;
	const struct look_kind *kind;
	const struct top_sort *sorts;
	const char *const *headings, *const *drop;
	void (*head)(int fd, FILE *to);
	void (*add)(struct table *table, const struct top_line *line, uint64_t interval);
	struct json_object *(*json)(const struct top_line *line, uint64_t interval);
};

/** top_run - the command, with --interval, --once and --json. Return: an exit status */
int top_run(int argc, char **argv, const struct top *top);

#endif
