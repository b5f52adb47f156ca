// SPDX-License-Identifier: GPL-2.0-or-later
/* keep.c - layouts for domains whose tasks run: who they are, and the way to another plan */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assign.h"

#define SECOND 1000000000ULL

/* ---- what stands ----------------------------------------------------------------------------- */

static int read_plan(struct standing *standing, int fd)
{
	struct resch_reserve *reserves = calloc(RESCH_RESERVES_MAX, sizeof(*reserves));
	struct resch_layout *layout = &standing->layout;
	int i, count;

	layout->reserves = calloc(RESCH_RESERVES_MAX, sizeof(*layout->reserves));
	if (!reserves || !layout->reserves) {
		free(reserves);
		return fail("out of memory");
	}
	count = resch_plan_get(fd, standing->domain.domain, &layout->slot, &standing->from,
			       reserves, RESCH_RESERVES_MAX);
	for (i = 0; i < count; i++) {
		layout->reserves[i] =
			(struct resch_layout_reserve){ reserves[i].cpu, reserves[i].group,
						       reserves[i].begin, reserves[i].end };
		if (reserves[i].group > layout->nr_groups)
			layout->nr_groups = reserves[i].group;
	}
	free(reserves);
	if (count < 0)
		return fail("assign: the plan of domain %u: %s", standing->domain.domain,
			    error_text(count));
	layout->nr_reserves = (uint32_t)count;
	return EXIT_DONE;
}

static int add_task(struct assignment *assignment, const struct resch_task_stat *stat)
{
	struct standing *standing = &assignment->standing;
	struct taskset *set = &assignment->set;
	struct taskset_task *tasks;
	uint32_t *keep;

	if (!stat->params.group)
		return fail("assign: task %u (%s) runs in no group, and would have to", stat->id,
			    stat->params.name);
	tasks = realloc(set->tasks, (set->count + 1) * sizeof(*tasks));
	if (!tasks)
		return fail("out of memory");
	set->tasks = tasks;
	keep = realloc(standing->keep, (standing->nr_tasks + 1) * sizeof(*keep));
	if (!keep)
		return fail("out of memory");
	standing->keep = keep;
	tasks[set->count++] = (struct taskset_task){
		.params = stat->params,
		.exec_min = stat->params.wcet,
		.exec_max = stat->params.wcet,
		.gap_max = stat->params.period,
	};
	if (!stat->params.deadline)
		tasks[set->count - 1].params.deadline = stat->params.period;
	text_clean(tasks[set->count - 1].params.name);
	keep[standing->nr_tasks++] = stat->params.group;
	return EXIT_DONE;
}

int standing_read(struct assignment *assignment, int fd)
{
	struct standing *standing = &assignment->standing;
	struct resch_task_stat stat = {};
	int more = standing_domain(fd, &assignment->request.cpus, &standing->domain), result;

	if (more < 0)
		return fail("assign: %s", error_text(more));
	if (!more)
		return EXIT_DONE;
	result = read_plan(standing, fd);
	while (!result && (more = resch_task_next(fd, &stat)) > 0) {
		if (stat.domain == standing->domain.domain && stat.state != RESCH_STATE_GONE)
			result = add_task(assignment, &stat);
	}
	standing->read = resch_now();
	if (!result && more < 0)
		return fail("assign: %s", error_text(more));
	return result;
}

int standing_request(struct assignment *assignment)
{
	struct standing *standing = &assignment->standing;
	uint32_t count = assignment->set.count, new = count - standing->nr_tasks;
	struct resch_assign *request = &assignment->request;
	uint32_t *keep;

	if (!standing->nr_tasks)
		return EXIT_DONE;
	keep = calloc(count, sizeof(*keep));
	if (!keep)
		return fail("out of memory");
	/* those of the file come first, and are free */
	memcpy(keep + new, standing->keep, standing->nr_tasks * sizeof(*keep));
	free(standing->keep);
	standing->keep = keep;
	request->keep = keep;
	request->standing = standing->layout.nr_reserves ? &standing->layout : NULL;
	return EXIT_DONE;
}

void standing_free(struct standing *standing)
{
	free(standing->keep);
	free(standing->layout.reserves);
	resch_switch_free(standing->way);
}

/* As a question about the tasks that run, and nothing else. -EINVAL: there are none */
int standing_join(const struct assignment *assignment, const struct resch_assign_task *task,
		  struct resch_layout_reserve *place, struct resch_assign_refusal *refusal)
{
	const struct standing *standing = &assignment->standing;
	uint32_t i, new = assignment->set.count - standing->nr_tasks;
	struct resch_layout layout = standing->layout;
	struct resch_assign request = assignment->request;
	uint64_t least = RESCH_ASSIGN_TIME_MAX;
	int error;

	if (!standing->nr_tasks || !layout.nr_reserves)
		return -EINVAL;
	request.tasks = assignment->tasks + new;
	request.nr_tasks = standing->nr_tasks;
	request.keep = NULL;
	request.standing = NULL;
	for (i = 0; i < request.nr_tasks; i++) {
		if (request.tasks[i].period < least)
			least = request.tasks[i].period;
	}
	layout.delta = (uint32_t)(least / layout.slot);
	layout.delta = layout.delta ? layout.delta : 1;
	if (layout.delta > RESCH_ASSIGN_DELTA_MAX)
		layout.delta = RESCH_ASSIGN_DELTA_MAX;
	layout.nr_tasks = request.nr_tasks;
	layout.task_group = standing->keep + new;
	layout.groups = calloc(layout.nr_groups, sizeof(*layout.groups));
	if (!layout.groups)
		return -ENOMEM;
	error = resch_layout_join(&request, &layout, task, place, refusal);
	free(layout.groups);
	return error;
}

/* ---- the way --------------------------------------------------------------------------------- */

static void sleep_until(uint64_t time)
{
	struct timespec at = { .tv_sec = (time_t)(time / SECOND),
			       .tv_nsec = (long)(time % SECOND) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

/* All at once, whatever that does to deadlines. */
static int force(struct assignment *assignment)
{
	const struct resch_layout *layout = assignment->layout;
	struct resch_switch *way = calloc(1, sizeof(*way));
	size_t size = layout->nr_reserves * sizeof(*layout->reserves);

	assignment->standing.way = way;
	if (way)
		way->steps = calloc(1, sizeof(*way->steps));
	if (way && way->steps) {
		way->nr_steps = 1;
		way->steps->reserves = malloc(size);
	}
	if (!way || !way->steps || !way->steps->reserves)
		return fail("out of memory");
	way->steps->nr_reserves = layout->nr_reserves;
	memcpy(way->steps->reserves, layout->reserves, size);
	return EXIT_DONE;
}

int standing_plan_way(struct assignment *assignment, bool forced)
{
	struct standing *standing = &assignment->standing;
	struct resch_assign_refusal refusal = {};
	char text[RESCH_ASSIGN_TEXT];
	int error = -EBUSY;

	if (!assignment->request.standing)
		return EXIT_DONE;
	if (!forced)
		error = resch_layout_switch(&assignment->request, assignment->layout,
					    &standing->way, &refusal);
	if (!error)
		return EXIT_DONE;
	if (forced)
		return force(assignment);
	if (error != -EBUSY)
		return fail("assign: the way to this layout: %s", error_text(error));
	resch_assign_text(&refusal, text, sizeof(text));
	return fail("refused: tasks that run could miss a deadline on the way to this layout: %s; "
		    "--force goes there all the same",
		    text);
}

int standing_go(const struct assignment *assignment, int fd)
{
	const struct standing *standing = &assignment->standing;
	const struct resch_switch *way = standing->way;
	uint64_t hold = RESCH_SWITCH_HOLD * assignment->layout->slot, from = standing->read;
	uint32_t i;
	int result;

	sleep_until(standing->read + way->settle);
	for (i = 0; i < way->nr_steps; i++) {
		if (i)
			sleep_until(from + hold);
		from = standing->from;
		result = plan_apply(fd, standing->domain.domain, assignment->layout->slot, &from,
				    way->steps[i].reserves, way->steps[i].nr_reserves);
		if (result)
			return result;
	}
	sleep_until(from + way->rest);
	return EXIT_DONE;
}
