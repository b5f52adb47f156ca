// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* near.c - who releases jobs on whose CPUs */
#include "assign.h"

int resch_assign_near_init(struct assign *assign)
{
	size_t nr = assign->request->nr_tasks;

	if (!assign->request->overheads.release_cost)
		return 0;
	assign->near = calloc(nr, nr);
	return assign->near ? 0 : -ENOMEM;
}

static void mark(struct assign *assign, const struct resch_layout *layout, uint32_t group_a,
		 uint32_t group_b, bool *news)
{
	size_t nr = layout->nr_tasks, i, j;

	for (i = 0; i < nr; i++) {
		for (j = 0; layout->task_group[i] == group_a && j < nr; j++) {
			if (layout->task_group[j] != group_b || assign->near[i * nr + j])
				continue;
			assign->near[i * nr + j] = 1;
			assign->near[j * nr + i] = 1;
			*news = true;
		}
	}
}

bool resch_assign_near_learn(struct assign *assign, const struct resch_layout *layout)
{
	bool news = false;
	uint32_t i, j;

	for (i = 0; assign->near && i < layout->nr_reserves; i++) {
		const struct resch_layout_reserve *a = &layout->reserves[i];

		/* they are sorted by CPU */
		for (j = i + 1; j < layout->nr_reserves && a->cpu == layout->reserves[j].cpu; j++) {
			if (a->group != layout->reserves[j].group)
				mark(assign, layout, a->group, layout->reserves[j].group, &news);
		}
	}
	return news;
}
