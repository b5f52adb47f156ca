/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assign.h - what the sources of reschctl assign share */
#ifndef _RESCHCTL_ASSIGN_H
#define _RESCHCTL_ASSIGN_H

#include <resch-assign.h>

#include "reschctl.h"
#include "taskset.h"

/**
 * struct standing - a domain whose tasks run, for --keep
 * @domain:   domain 0: there is none
 * @layout:   its plan: the slot, nr_groups and the reserves
 * @from:     when a slot begins, ns
 * @read:     when tasks were as they are here, ns
 * @keep:     the groups of all tasks; 0: of the file
 * @nr_tasks: those that run: the last ones of the set
 * @way:      to the new layout; NULL: nothing stands that could be in the way
 */
struct standing {
	struct resch_domain_stat domain;
	struct resch_layout layout;
	uint64_t from;
	uint64_t read;
	uint32_t *keep;
	uint32_t nr_tasks;
	struct resch_switch *way;
};

/** struct assignment - the question and the answer */
struct assignment {
	struct taskset set;
	struct resch_assign_task *tasks;
	struct resch_assign request;
	struct resch_layout *layout;
	struct standing standing;
};

/** standing_domain - the one of exactly these CPUs. Return: 1; 0: there is none; -errno */
int standing_domain(int fd, const struct resch_cpus *cpus, struct resch_domain_stat *found);
/**
 * standing_read - the domain of request.cpus, its plan, and its tasks, which are added to the set.
 * Return: an exit status, after a message where it is not EXIT_DONE
 */
int standing_read(struct assignment *assignment, int fd);
/**
 * standing_request - adds to the request what stands, once the set is complete. Return: as before
 */
int standing_request(struct assignment *assignment);
/** standing_join - resch_layout_join() for the layout that stands; -EINVAL: there is none */
int standing_join(const struct assignment *assignment, const struct resch_assign_task *task,
		  struct resch_layout_reserve *place, struct resch_assign_refusal *refusal);
/** standing_plan_way - finds the way to the layout. Return: as standing_read() */
int standing_plan_way(struct assignment *assignment, bool forced);
/** standing_go - goes it, and waits until tasks may join. Return: as standing_read() */
int standing_go(const struct assignment *assignment, int fd);
void standing_free(struct standing *standing);

/**
 * plan_apply - give a domain a plan, when the one before has come into force. Return: as
 * standing_read()
 */
int plan_apply(int fd, uint32_t domain, uint64_t slot, uint64_t *from,
	       const struct resch_layout_reserve *reserves, uint32_t nr_reserves);

/** assign_refused - says why. Return: an exit status */
int assign_refused(const struct assignment *assignment, int error,
		   const struct resch_assign_refusal *refusal);

/** join_show - who has room in the layout for a task of @text, printed or added to @out */
int join_show(const struct assignment *assignment, const char *text, struct json_object *out);
/** join_add - that task as one of the set. Return: an exit status */
int join_add(struct assignment *assignment, const char *text);
/** join_standing - does the plan that stands have room for it? Then it is said where. */
bool join_standing(const struct assignment *assignment, const char *text, bool json);
/** join_show_kept - where the one of join_add() is in the layout */
void join_show_kept(const struct assignment *assignment, const char *text, struct json_object *out);

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
 * layout_apply - make a domain of the CPUs, or change the one that there is: plugin and plan.
 * Return: an exit status, after a message where it is not EXIT_DONE
 */
int layout_apply(const struct assignment *assignment, int fd, struct applied *applied);

/**
 * struct run - @time: how long at most, ns; @jobs: of each task, 0: any number; @seed: of all that
 * is random
 */
struct run {
	uint64_t time;
	uint64_t jobs;
	uint64_t seed;
};

/**
 * layout_run - run the task set in the domain that it was applied to, print what became of the
 * jobs, or add it to @out. Return: as layout_apply()
 */
int layout_run(const struct assignment *assignment, int fd, const struct applied *applied,
	       const struct run *run, struct json_object *out);

/** layout_draw - a picture by resch-draw, NAME.png or NAME.svg. Return: 0, or -1 after a message */
int layout_draw(const struct assignment *assignment, const char *path);

#endif /* _RESCHCTL_ASSIGN_H */
