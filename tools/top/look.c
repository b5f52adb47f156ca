// SPDX-License-Identifier: GPL-2.0-or-later
/* look.c - what the programs in the kernel have counted, and of whom */
#include "top.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists ----------------------------------------------------------------------------------- */

void *list_more(struct list *list)
{
	char *item;

	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 16;
		void *items = reallocarray(list->items, room, list->size);

		if (!items)
			return NULL;
		list->items = items;
		list->room = room;
	}
	item = (char *)list->items + list->count++ * list->size;
	memset(item, 0, list->size);
	return item;
}

/* By what they begin with: tasks and chains. */
static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static int compare_servers(const void *a, const void *b)
{
	const struct top_server *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static void list_sort(struct list *list, int (*compare)(const void *, const void *))
{
	if (list->count)
		qsort(list->items, list->count, list->size, compare);
}

const struct top_task *look_find(const struct look *look, uint32_t id)
{
	if (!look->tasks.count)
		return NULL;
	return bsearch(&id, look->tasks.items, look->tasks.count, look->tasks.size, compare_ids);
}

/* ---- places in the maps ---------------------------------------------------------------------- */

bool place_copy(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	/* Whoever gets a place of another one's has it cleared. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return *(uint32_t *)to && *(uint32_t *)to == *(const uint32_t *)from;
}

void place_free(void *place, size_t size, size_t id, uint32_t *gone)
{
	uint32_t had = *gone;
	char *from = (char *)place + id;

	/* As the programs in the kernel do: one of those who want it gets it. */
	if (!had ||
	    !__atomic_compare_exchange_n(gone, &had, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	memset(from, 0, size - id);
	if (id == sizeof(uint64_t))
		__atomic_store_n((uint64_t *)place, 0, __ATOMIC_RELEASE);
	else
		__atomic_store_n((uint32_t *)place, 0, __ATOMIC_RELEASE);
}

bool place_old(const struct look *look, const struct look *before, uint64_t ended)
{
	return before && ended < before->time && look->time > ended + LOOK_GONE;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

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
		struct top_task *task = &probe->tasks[(top_first(id) + i) & (probe->places - 1)];

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
		task = list_more(&look->tasks);
		if (!task)
			return -ENOMEM;
		task->id = stat.id;
		task_know(task, &stat, fd);
	}
	return result;
}

/*
 * Of the first @known, which had no place. If it has one by now the next look has what is counted
 * there.
 */
static bool look_knows(const struct look *look, size_t known, uint32_t id)
{
	return known && bsearch(&id, look->tasks.items, known, look->tasks.size, compare_ids);
}

static int tasks_take(struct look *look, const struct look *before, const struct probe *probe)
{
	size_t known = look->tasks.count;

	list_sort(&look->tasks, compare_ids);
	for (size_t i = 0; i < probe->places; i++) {
		struct top_task *place = &probe->tasks[i], *task;

		if (!place->id || look_knows(look, known, place->id))
			continue;
		if (place->gone && place_old(look, before, place->ended)) {
			place_free(place, sizeof(*place), sizeof(place->id), &place->gone);
			continue;
		}
		task = list_more(&look->tasks);
		if (!task)
			return -ENOMEM;
		if (!place_copy(task, place, sizeof(*task))) {
			look->tasks.count--;
			continue;
		}
		for (int of = 0; of < TOP_BLAMES; of++)
			blame_read(&task->blames[of], &place->blames[of]);
		task->name[TOP_NAME - 1] = 0;
		task->plugin[TOP_NAME - 1] = 0;
		text_clean(task->name);
	}
	return 0;
}

int look_take(struct look *look, const struct look *before, const struct probe *probe, int fd)
{
	int result;

	look->tasks.size = sizeof(struct top_task);
	look->tasks.count = 0;
	look->time = resch_now();
	look->since = probe->since;
	look->left_out = probe_left_out(probe);
	look->groups_left_out = probe_groups_left_out(probe);
	result = look_know(look, probe, fd);
	if (!result)
		result = tasks_take(look, before, probe);
	if (!result)
		result = groups_take(look, before, probe, fd);
	list_sort(&look->tasks, compare_ids);
	list_sort(&look->servers, compare_servers);
	list_sort(&look->chains, compare_ids);
	return result;
}

void look_free(struct look *look)
{
	free(look->tasks.items);
	free(look->servers.items);
	free(look->chains.items);
	free(look->cpus.items);
	*look = (struct look){};
}
