/* SPDX-License-Identifier: GPL-2.0-or-later */
/* guard.h - what guarded CPUs have seen: for reschctl guard, and for reschctl shield status */
#ifndef _RESCHCTL_GUARD_H
#define _RESCHCTL_GUARD_H

#include "reschctl.h"

/* For table_begin(), of guard_collect()'s table. */
extern const char *const guard_headings[];

/**
 * guard_collect - a row of @table and a member of @list for each guarded CPU
 * @cpus: of these alone; NULL: all
 * @table, @list: NULL: not wanted
 *
 * Return: 0, or the library's negative error
 */
int guard_collect(int fd, const struct resch_cpus *cpus, struct table *table,
		  struct json_object *list);

/**
 * guard_stands - is a CPU guarded?
 * @domain: gets the one that the CPU is in, or 0
 *
 * Return: 1, 0, or the library's negative error
 */
int guard_stands(int fd, uint32_t cpu, uint32_t *domain);

/**
 * guard_print_calls - of the guarded domains that have @cpus: exempt calls, and those that send
 * most threads away
 */
void guard_print_calls(int fd, const struct resch_cpus *cpus);

/**
 * guard_calls_parse - "getpid,39" into a set; with signs, "+getpid,-39", into what it is already
 * Return: 0; -EINVAL: there is no such call
 */
int guard_calls_parse(const char *text, struct resch_calls *chosen);
/** guard_calls_format - such a list. Return: 0; -E2BIG */
int guard_calls_format(const struct resch_calls *chosen, char *text, size_t size);

#endif /* _RESCHCTL_GUARD_H */
