// SPDX-License-Identifier: GPL-2.0-or-later
/* look.c - all that the module has of a kind, at one time */
#include "look.h"

#include <errno.h>
#include <resch.h>
#include <stdlib.h>
#include <string.h>

static int task_next(int fd, void *one)
{
	return resch_task_next(fd, one);
}

const struct look_kind look_tasks = { sizeof(struct resch_task_stat),
				      offsetof(struct resch_task_stat, id), task_next };

/* Room for one more. Return: 0 or -ENOMEM */
static int look_grow(const struct look_kind *kind, struct look *look)
{
	size_t room = look->room ? 2 * look->room : 64;
	char *all;

	if (look->count < look->room)
		return 0;
	all = reallocarray(look->all, room, kind->size);
	if (!all)
		return -ENOMEM;
	look->all = all;
	look->room = room;
	return 0;
}

int look_take(int fd, const struct look_kind *kind, struct look *look)
{
	char *one = calloc(1, kind->size);
	int result = one ? 0 : -ENOMEM;

	look->count = 0;
	while (!result && (result = kind->next(fd, one)) > 0) {
		result = look_grow(kind, look);
		if (!result)
			memcpy(look->all + look->count++ * kind->size, one, kind->size);
	}
	free(one);
	look->time = resch_now();
	return result;
}

const void *look_at(const struct look *look, const struct look_kind *kind, size_t index)
{
	return look->all + index * kind->size;
}

uint32_t look_id(const struct look_kind *kind, const void *one)
{
	uint32_t id;

	memcpy(&id, (const char *)one + kind->id, sizeof(id));
	return id;
}

const void *look_find(const struct look *look, const struct look_kind *kind, uint32_t id)
{
	size_t low = 0, high = look->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (look_id(kind, look_at(look, kind, middle)) < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == look->count || look_id(kind, look_at(look, kind, low)) != id)
		return NULL;
	return look_at(look, kind, low);
}

void look_free(struct look *look)
{
	free(look->all);
	*look = (struct look){};
}
