// SPDX-License-Identifier: GPL-2.0-or-later
/* look.c - what the programs in the kernel have counted, and of whom */
#include "top.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_ids(const void *a, const void *b)
{
	const struct top_task *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

const struct top_task *look_find(const struct look *look, uint32_t id)
{
	size_t least = 0, most = look->count;

	while (least < most) {
		size_t i = (least + most) / 2;

		if (look->tasks[i].id == id)
			return &look->tasks[i];
		if (look->tasks[i].id < id)
			least = i + 1;
		else
			most = i;
	}
	return NULL;
}

static struct top_task *look_add(struct look *look)
{
	if (look->count == look->room) {
		size_t room = look->room ? 2 * look->room : 64;
		struct top_task *tasks = reallocarray(look->tasks, room, sizeof(*tasks));

		if (!tasks)
			return NULL;
		look->tasks = tasks;
		look->room = room;
	}
	return &look->tasks[look->count++];
}

static void plugin_of(int fd, uint32_t domain, char *name)
{
	struct resch_domain_stat stat;

	if (!resch_domain_stat(fd, domain, &stat))
		memcpy(name, stat.plugin, TOP_NAME);
}

/* What its attachment would have told, had it been seen. */
static void task_know(struct top_task *task, const struct resch_task_stat *stat, int fd)
{
	task->kind = stat->params.kind;
	task->group = stat->params.group;
	task->period = stat->params.period;
	task->deadline = stat->params.deadline;
	task->wcet = stat->params.wcet;
	task->cpu = (uint32_t)stat->cpu;
	if (!task->pid)
		task->pid = stat->pid;
	snprintf(task->name, sizeof(task->name), "%s", thread_name(stat));
	plugin_of(fd, stat->domain, task->plugin);
	task->attached = 1;
}

static struct top_task *place_of(const struct probe *probe, uint32_t id)
{
	for (uint32_t i = 0; i < TOP_PROBES; i++) {
		struct top_task *task = &probe->tasks[(id + i) & (probe->places - 1)];

		if (task->id == id)
			return task;
	}
	return NULL;
}

/* Tasks that were there before, or that nothing has happened to. */
static int look_know(struct look *look, const struct probe *probe, int fd)
{
	struct resch_task_stat stat = {};
	int result;

	while ((result = resch_task_next(fd, &stat)) > 0) {
		struct top_task *seen = place_of(probe, stat.id), *task;

		if (seen) {
			/* It stays known when it has ended. */
			if (!seen->attached)
				task_know(seen, &stat, fd);
			continue;
		}
		if (stat.state == RESCH_STATE_GONE)
			continue;
		task = look_add(look);
		if (!task)
			return -ENOMEM;
		*task = (struct top_task){ .id = stat.id };
		task_know(task, &stat, fd);
	}
	return result;
}

int look_take(struct look *look, const struct probe *probe, int fd)
{
	int result;
	size_t i;

	look->count = 0;
	result = look_know(look, probe, fd);
	for (i = 0; i < probe->places && !result; i++) {
		struct top_task *task;

		if (!probe->tasks[i].id)
			continue;
		task = look_add(look);
		if (!task)
			return -ENOMEM;
		*task = probe->tasks[i];
		for (int of = 0; of < TOP_BLAMES; of++)
			blame_read(&task->blames[of], &probe->tasks[i].blames[of]);
		task->name[TOP_NAME - 1] = 0;
		task->plugin[TOP_NAME - 1] = 0;
		text_clean(task->name);
	}
	qsort(look->tasks, look->count, sizeof(*look->tasks), compare_ids);
	look->time = resch_now();
	return result;
}

void look_free(struct look *look)
{
	free(look->tasks);
	*look = (struct look){};
}
