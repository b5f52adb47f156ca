/* SPDX-License-Identifier: GPL-2.0 */
/* assign_keep_rig.h - layouts for tasks that have their groups */
#ifndef _RESCH_ASSIGN_KEEP_RIG_H
#define _RESCH_ASSIGN_KEEP_RIG_H

#include "assign_rig.h"

#define TASKS 48

static inline struct resch_assign ask_keep(uint32_t method, const struct resch_assign_task *tasks,
					   uint32_t nr, uint32_t cpus, const uint32_t *keep,
					   const struct resch_layout *standing)
{
	struct resch_assign request = { .method = method,
					.tasks = tasks,
					.nr_tasks = nr,
					.slot_min = 1,
					.keep = keep,
					.standing = standing };

	while (cpus--)
		resch_cpus_add(&request.cpus, cpus);
	return request;
}

static inline struct resch_layout *must_keep(const struct resch_assign *request)
{
	struct resch_layout *layout = must(request);
	uint32_t i;

	for (i = 0; request->keep && i < request->nr_tasks; i++) {
		if (request->keep[i])
			assert_int_equal(layout->task_group[i], request->keep[i]);
	}
	return layout;
}

static inline struct resch_switch *must_switch(const struct resch_assign *request,
					       const struct resch_layout *layout)
{
	struct resch_assign_refusal refusal;
	struct resch_switch *way;
	char text[RESCH_ASSIGN_TEXT];
	int error = resch_layout_switch(request, layout, &way, &refusal);

	if (error) {
		resch_assign_text(&refusal, text, sizeof(text));
		fail_msg("%d: %s", error, text);
	}
	return way;
}

static inline struct slots_reserve *reserves_of(const struct resch_layout_reserve *from,
						uint32_t nr)
{
	struct slots_reserve *to = calloc(nr + 1, sizeof(*to));
	uint32_t i;

	for (i = 0; i < nr; i++)
		to[i] = (struct slots_reserve){ from[i].cpu, from[i].group, from[i].begin,
						from[i].end };
	return to;
}

#endif /* _RESCH_ASSIGN_KEEP_RIG_H */
