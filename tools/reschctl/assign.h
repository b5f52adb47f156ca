/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assign.h - what the sources of reschctl assign share */
#ifndef _RESCHCTL_ASSIGN_H
#define _RESCHCTL_ASSIGN_H

#include <resch-assign.h>

#include "reschctl.h"
#include "taskset.h"

/** struct assignment - the question and the answer */
struct assignment {
	struct taskset set;
	struct resch_assign_task *tasks;
	struct resch_assign request;
	struct resch_layout *layout;
};

/** overheads_parse - "reserve=9us,irq=571ns/1ms". Return: 0, or -1 after a message */
int overheads_parse(struct resch_assign_overheads *overheads, const char *text);

/** layout_print - tables and a picture of the slots */
void layout_print(const struct assignment *assignment, FILE *to);
/** layout_json - the same as JSON; the caller's */
struct json_object *layout_json(const struct assignment *assignment);
/** struct applied - the domain that a layout has become the plan of; @made: by layout_apply() */
struct applied {
	uint32_t domain;
	bool made;
	const char *plugin;
};

/**
 * layout_apply - make a domain of the CPUs, or change the one that there is: plugin and plan. Return:
 * an exit status, after a message where it is not EXIT_DONE
 */
int layout_apply(const struct assignment *assignment, int fd, struct applied *applied);

/** struct run - @time: how long, ns; @seed: of all that is random */
struct run {
	uint64_t time;
	uint64_t seed;
};

/**
 * layout_run - run the task set in the domain that it was applied to, print what became of the jobs,
 * or add it to @out. Return: as layout_apply()
 */
int layout_run(const struct assignment *assignment, int fd, const struct applied *applied,
	       const struct run *run, struct json_object *out);

/** layout_draw - a picture by resch-draw, NAME.png or NAME.svg. Return: 0, or -1 after a message */
int layout_draw(const struct assignment *assignment, const char *path);

#endif /* _RESCHCTL_ASSIGN_H */
