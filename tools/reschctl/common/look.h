/* SPDX-License-Identifier: GPL-2.0-or-later */
/* look.h - all that the module has of a kind, at one time */
#ifndef _RESCHCTL_LOOK_H
#define _RESCHCTL_LOOK_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct look_kind - what is looked at
 * @size: of one
 * @id:   where a uint32_t in it is its id
 * @next: the one with the next id; zeros: the first. Return: 1, 0: there is none, or -errno
 */
struct look_kind {
	size_t size, id;
	int (*next)(int fd, void *one);
};

/** struct look - all of that kind, ids ascending; zeros before the first look_take() */
struct look {
	char *all;
	size_t count, room;
	uint64_t time;
};

/** look_take - look now, in the place of what was seen before. Return: 0 or -errno */
int look_take(int fd, const struct look_kind *kind, struct look *look);
/** look_at - the one at @index */
const void *look_at(const struct look *look, const struct look_kind *kind, size_t index);
uint32_t look_id(const struct look_kind *kind, const void *one);
/** look_find - the one with that id, or NULL */
const void *look_find(const struct look *look, const struct look_kind *kind, uint32_t id);
void look_free(struct look *look);

/* Tasks: struct resch_task_stat. */
extern const struct look_kind look_tasks;

#endif
