// SPDX-License-Identifier: GPL-2.0
/*
 * plan.c - time slots: plans from files, groups, and whether tasks kept to their windows
 *
 * A plan is a text file (times with units, ns without):
 *
 *   slot, 2ms
 *   from, 0
 *   # group, cpu, begin, end
 *   1, 0, 0, 1.5ms
 *   2, 0, 1.5ms, 2ms
 */
#include <ctype.h>

#include "sim.h"

#define LINE_LEN 256

/* ---- files ----------------------------------------------------------------------------------- */

static int plan_fail(u32 line, const char *what, char *error, size_t size)
{
	snprintf(error, size, "line %u: %s", line, what);
	return -EINVAL;
}

static char *plan_word(char **line)
{
	char *word = strsep(line, ","), *end;

	if (!word)
		return NULL;
	word += strspn(word, " \t");
	end = word + strlen(word);
	while (end > word && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return word;
}

static int plan_add_reserve(struct sim_plan_file *file, const char *group, char *rest)
{
	const char *cpu = plan_word(&rest), *from = plan_word(&rest), *to = plan_word(&rest);
	struct resch_reserve reserve = { 0 }, *reserves = file->reserves;
	u64 begin, end;

	if (!to || rest || kstrtou32(group, 10, &reserve.group) ||
	    kstrtou32(cpu, 10, &reserve.cpu) || sim_parse_time(from, &begin) ||
	    sim_parse_time(to, &end))
		return -EINVAL;
	reserve.begin = begin;
	reserve.end = end;
	if (!(file->count & (file->count - 1)))
		reserves = realloc(reserves, max(1U, 2 * file->count) * sizeof(*reserves));
	if (!reserves)
		return -ENOMEM;
	file->reserves = reserves;
	reserves[file->count++] = reserve;
	return 0;
}

static int plan_read_line(struct sim_plan_file *plan, char *line)
{
	char *word = plan_word(&line);

	if (!strcmp(word, "slot"))
		return line ? sim_parse_time(plan_word(&line), &plan->slot) : -EINVAL;
	if (!strcmp(word, "from"))
		return line ? sim_parse_time(plan_word(&line), &plan->from) : -EINVAL;
	if (!strcmp(word, "group"))
		return 0; /* a heading */
	return plan_add_reserve(plan, word, line);
}

int sim_plan_read(FILE *file, struct sim_plan_file *plan, char *error, size_t size)
{
	char line[LINE_LEN];
	u32 number = 0;
	int err = 0;

	memset(plan, 0, sizeof(*plan));
	while (!err && fgets(line, sizeof(line), file)) {
		number++;
		line[strcspn(line, "#\r\n")] = '\0';
		if (line[strspn(line, " \t")])
			err = plan_read_line(plan, line);
	}
	if (err)
		plan_fail(number, "not slot,TIME, from,TIME or group,cpu,begin,end", error, size);
	else if (!plan->slot || !plan->count)
		err = plan_fail(number, "a plan needs a slot and reserves", error, size);
	if (err) {
		free(plan->reserves);
		plan->reserves = NULL;
	}
	return err;
}

/* ---- plans ----------------------------------------------------------------------------------- */

static int by_cpu(const void *a, const void *b)
{
	const struct resch_reserve *one = a, *other = b;

	if (one->cpu != other->cpu)
		return one->cpu < other->cpu ? -1 : 1;
	return one->begin < other->begin ? -1 : one->begin > other->begin;
}

static void plan_free(struct sim_plan *plan)
{
	if (!plan)
		return;
	free((void *)plan->plan.parts);
	free((void *)plan->plan.start);
	free((void *)plan->plan.windows);
	free(plan->reserves);
	free(plan);
}

static struct sim_plan *plan_alloc(const struct sim_plan_file *file, u32 cpus)
{
	struct sim_plan *plan = calloc(1, sizeof(*plan));
	u32 i;

	if (!plan)
		return NULL;
	for (i = 0; i < file->count; i++)
		plan->plan.nr_groups = max(plan->plan.nr_groups, file->reserves[i].group);
	plan->count = file->count;
	plan->reserves = calloc(file->count, sizeof(*plan->reserves));
	plan->plan.slot = file->slot;
	plan->plan.from = file->from;
	plan->plan.parts = calloc((size_t)plan->plan.nr_groups + 1, sizeof(*plan->plan.parts));
	plan->plan.start = calloc(cpus + 1, sizeof(*plan->plan.start));
	plan->plan.windows = calloc(file->count, sizeof(*plan->plan.windows));
	if (!plan->reserves || !plan->plan.parts || !plan->plan.start || !plan->plan.windows) {
		plan_free(plan);
		return NULL;
	}
	memcpy(plan->reserves, file->reserves, file->count * sizeof(*plan->reserves));
	qsort(plan->reserves, file->count, sizeof(*plan->reserves), by_cpu);
	return plan;
}

/* Keeps the parts in order. -EINVAL: one too many, or two overlap */
static int plan_part(struct resch_parts *parts, const struct resch_reserve *reserve)
{
	struct resch_part *part = parts->part;
	u32 at = parts->count;

	if (at == RESCH_PARTS_MAX)
		return -EINVAL;
	for (; at && part[at - 1].begin > reserve->begin; at--)
		part[at] = part[at - 1];
	part[at] = (struct resch_part){ reserve->begin, reserve->end, reserve->cpu };
	parts->count++;
	if ((at && part[at - 1].end > reserve->begin) ||
	    (at + 1 < parts->count && part[at + 1].begin < reserve->end))
		return -EINVAL;
	return 0;
}

static int plan_fill(struct sim_plan *plan, u32 cpus)
{
	struct resch_window *windows = (struct resch_window *)plan->plan.windows;
	struct resch_parts *parts = (struct resch_parts *)plan->plan.parts;
	u32 *start = (u32 *)plan->plan.start;
	u32 i, filled = 0;

	if (plan->plan.nr_groups > RESCH_GROUPS_MAX)
		return -EINVAL;
	for (i = 0; i < plan->count; i++) {
		const struct resch_reserve *reserve = &plan->reserves[i];

		if (!reserve->group || reserve->cpu >= cpus || reserve->begin >= reserve->end ||
		    reserve->end > plan->plan.slot)
			return -EINVAL;
		if (i && reserve[-1].cpu == reserve->cpu && reserve[-1].end > reserve->begin)
			return -EINVAL;
		while (filled <= reserve->cpu)
			start[filled++] = i;
		windows[i] = (struct resch_window){ reserve->begin, reserve->end, reserve->group };
		if (plan_part(&parts[reserve->group], reserve))
			return -EINVAL;
	}
	while (filled <= cpus)
		start[filled++] = plan->count;
	return 0;
}

const struct resch_plan *sim_plan_latest(const struct sim *sim)
{
	return sim->nr_plans ? &sim->plans[sim->nr_plans - 1]->plan : NULL;
}

static int plan_groups(struct sim *sim, u32 count)
{
	u32 id;

	if (!sim->groups)
		sim->groups = calloc(RESCH_GROUPS_MAX + 1, sizeof(*sim->groups));
	for (id = 1; sim->groups && id <= count; id++) {
		struct sim_group *group;

		if (sim->groups[id])
			continue;
		group = calloc(1, sizeof(*group));
		if (!group)
			return -ENOMEM;
		group->group.id = id;
		sim->groups[id] = &group->group;
	}
	return sim->groups ? 0 : -ENOMEM;
}

static void plan_show(struct sim *sim, const struct resch_plan *plan)
{
	u32 i;

	for (i = 0; i < sim->config.cpus; i++) {
		sim->cpus[i].rq.plan = plan;
		sim->cpus[i].rq.groups = sim->groups;
	}
}

int sim_plan_add(struct sim *sim, const struct sim_plan_file *file, struct resch_verdict *verdict)
{
	const struct resch_plan *before = sim_plan_latest(sim);
	struct sim_plan **plans, *plan = plan_alloc(file, sim->config.cpus);
	int err = plan ? plan_fill(plan, sim->config.cpus) : -ENOMEM;

	if (!err)
		err = plan_groups(sim, plan->plan.nr_groups);
	if (!err && before) {
		u64 least = max(file->from, before->from + 1) - before->from;

		plan->plan.from =
			before->from + (least + before->slot - 1) / before->slot * before->slot;
	}
	if (!err && sim->plugin->flags & RESCH_PLUGIN_PLAN)
		err = sim_readmit(sim, sim->plugin, sim->domain, &plan->plan, verdict);
	plans = err ? NULL : realloc(sim->plans, (sim->nr_plans + 1) * sizeof(*plans));
	if (!plans) {
		plan_free(plan);
		return err ? err : -ENOMEM;
	}
	sim->plans = plans;
	plans[sim->nr_plans++] = plan;
	if (!before) {
		sim->plan = 1;
		plan_show(sim, &plan->plan);
	}
	return 0;
}

void sim_plan_free(struct sim *sim)
{
	u32 i;

	for (i = 0; i < sim->nr_plans; i++)
		plan_free(sim->plans[i]);
	for (i = 1; sim->groups && i <= RESCH_GROUPS_MAX; i++)
		if (sim->groups[i])
			free(container_of(sim->groups[i], struct sim_group, group));
	free(sim->groups);
	free(sim->plans);
}

int sim_plan_home(const struct sim *sim, const struct resch_task_params *params)
{
	const struct resch_plan *plan = sim_plan_latest(sim);

	if (!plan || !params->group || params->group > plan->nr_groups ||
	    !plan->parts[params->group].count)
		return -EINVAL;
	return (int)plan->parts[params->group].part[0].index;
}

u64 sim_plan_update(struct sim_cpu *cpu, u64 now)
{
	struct sim *sim = cpu->sim;
	u32 i;

	while (sim->plan < sim->nr_plans && now >= sim->plans[sim->plan]->plan.from) {
		plan_show(sim, &sim->plans[sim->plan++]->plan);
		for (i = 0; i < sim->config.cpus; i++)
			if (&sim->cpus[i] != cpu)
				resch_rq_kick(&cpu->rq, &sim->cpus[i].rq);
	}
	return sim->plan < sim->nr_plans ? sim->plans[sim->plan]->plan.from : RESCH_NEVER;
}

/* ---- who was where when ---------------------------------------------------------------------- */

/*
 * The end of the stretch that begins at @at in which the group has this CPU, or (*@inside) hasn't.
 */
static u64 plan_stretch(const struct resch_plan *plan, u32 index, u32 group, u64 at, bool *inside)
{
	u64 slot = plan->slot, offset = (at - plan->from) % slot, end = slot;
	u32 i;

	*inside = false;
	for (i = plan->start[index]; i < plan->start[index + 1]; i++) {
		const struct resch_window *window = &plan->windows[i];

		if (window->group != group || window->end <= offset)
			continue;
		*inside = window->begin <= offset;
		end = *inside ? window->end : window->begin;
		break;
	}
	return at - offset + end;
}

static void plan_note(struct sim_cpu *cpu, struct sim_task *task, u64 from, u64 to, bool inside)
{
	if (inside) {
		cpu->stray_from = 0;
		return;
	}
	if (!cpu->stray_from)
		cpu->stray_from = from + 1; /* so that time 0 is not "never" */
	task->outside += to - from;
	task->outside_max = max(task->outside_max, to + 1 - cpu->stray_from);
}

void sim_plan_account(struct sim_cpu *cpu, struct sim_task *task, u64 from, u64 to)
{
	struct sim *sim = cpu->sim;
	u32 k = 0;

	if (!sim->nr_plans || !task->task.group)
		return;
	while (from < to) {
		const struct resch_plan *plan;
		u64 end = to;
		bool inside = false;

		while (k + 1 < sim->nr_plans && sim->plans[k + 1]->plan.from <= from)
			k++;
		plan = &sim->plans[k]->plan;
		if (from < plan->from)
			end = min(end, plan->from);
		else
			end = min(end, plan_stretch(plan, cpu->rq.index, task->task.group->id, from,
						    &inside));
		if (k + 1 < sim->nr_plans)
			end = min(end, sim->plans[k + 1]->plan.from);
		plan_note(cpu, task, from, end, inside);
		from = end;
	}
}
