/* SPDX-License-Identifier: GPL-2.0-or-later */
/* look.h - what was counted up to one time */
#ifndef _TOP_LOOK_H
#define _TOP_LOOK_H

#include <stddef.h>
#include <stdint.h>

#include "shared.h"

/* So long who has gone is there in looks that are taken again and again, ns. */
#define LOOK_GONE 10000000000ULL

/** struct list - @count of @items, each @size bytes */
struct list {
	void *items;
	size_t count, room, size;
};

/** list_more - Return: the new last one, all zero, or NULL: no memory */
void *list_more(struct list *list);

/**
 * struct look - what there is at one time
 * @tasks, @servers, @chains: struct top_task and so on, by their ids
 * @cpus:  struct top_cpu by their numbers; its turn that goes on is in @shares, too
 * @since: when counting began
 */
struct look {
	struct list tasks, servers, chains, cpus;
	uint64_t time, since;
	uint64_t left_out, groups_left_out;
};

/* clang-format off */

#define for_each_in(type, each, list) \
	for (struct type *each = (list)->items; \
	     each && each < (struct type *)(list)->items + (list)->count; each++)

/* for_each_task(task, look) and so on, of the look's */
#define for_each_task(task, look) for_each_in(top_task, task, &(look)->tasks)
#define for_each_server(server, look) for_each_in(top_server, server, &(look)->servers)
#define for_each_chain(chain, look) for_each_in(top_chain, chain, &(look)->chains)
#define for_each_cpu(cpu, look) for_each_in(top_cpu, cpu, &(look)->cpus)

/* clang-format on */

/** look_find - Return: the task, or NULL */
const struct top_task *look_find(const struct look *look, uint32_t id);

#endif
