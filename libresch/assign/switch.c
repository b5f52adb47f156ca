// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * switch.c - from a standing layout to another one without a missed deadline
 *
 * What a window of l in each slot of S supplies at least in an interval of length t,
 *
 *   sbf(t) = k l + max(0, t - k S - (S - l)),   k = floor(t / S)
 *
 * it does because the beginnings of two windows, one after the other, are never more than S apart;
 * that they are exactly S apart is not needed. So tasks that this carries are safe as long as there
 * is, in the time that their group has on any CPU, a sequence of windows of length l whose
 * beginnings are at most S apart, however plans change meanwhile. Windows may come earlier from
 * slot to slot, never later. Each step is made such that there is one for each group that has
 * tasks; where all at once does not go, CPUs change one after the other, so that a group that moves
 * forward to the CPU before has its old place still while it gets the new one.
 *
 * A group that becomes smaller keeps its tasks' deadlines by the window that is left; but work that
 * was done for tasks that have left since may have been done in what is taken away. So it has to
 * have been idle once (settle). Likewise, a group that gets more tasks is idle once before they
 * come (rest): the window carries old and new ones only together with itself in the past, and
 * without those who left.
 */
#include "assign.h"

/* Slots before and after a boundary that are looked at. */
#define SLOTS_BEFORE 2
#define SLOTS_AFTER RESCH_SWITCH_HOLD
/* Waiting longer than this for an idle instant is no answer, ns. */
#define IDLE_MOST 60000000000

struct window {
	int64_t begin;
	int64_t end;
};

/** struct mover - a group that has tasks, on its way */
struct mover {
	uint32_t group;
	int64_t length; /* of the window that carries its tasks, all the time */
	int64_t at; /* where that begins in the slot, in the step that has been made last */
	int64_t next; /* the same, in the one that is being tried */
};

struct way {
	struct assign assign;
	const struct resch_layout *from;
	const struct resch_layout *to;
	struct resch_switch *answer;
	struct mover *movers;
	uint32_t nr;
	struct resch_layout_reserve *now; /* by CPU and time; groups without tasks left out */
	struct resch_layout_reserve *then; /* likewise */
	uint32_t nr_now, nr_then;
	uint8_t *changed; /* by CPU: has been */
	struct window *time; /* scratch: of one group, around a boundary */
	uint32_t nr_time;
};

/* ---- windows --------------------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b)
{
	const struct window *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void add_slots(struct way *way, uint32_t group, const struct resch_layout_reserve *reserves,
		      uint32_t nr, int64_t first, int64_t last)
{
	int64_t slot = (int64_t)way->from->slot, k;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		for (k = first; reserves[i].group == group && k < last; k++)
			way->time[way->nr_time++] = (struct window){
				k * slot + (int64_t)reserves[i].begin,
				k * slot + (int64_t)reserves[i].end,
			};
	}
}

/*
 * When the group is on, on whatever CPU, before and after the boundary at 0. false: twice at once
 */
static bool look(struct way *way, uint32_t group)
{
	uint32_t i;

	way->nr_time = 0;
	add_slots(way, group, way->now, way->nr_now, -SLOTS_BEFORE, 0);
	add_slots(way, group, way->then, way->nr_then, 0, SLOTS_AFTER);
	qsort(way->time, way->nr_time, sizeof(*way->time), by_begin);
	for (i = 1; i < way->nr_time; i++) {
		if (way->time[i - 1].end > way->time[i].begin)
			return false;
	}
	return true;
}

/*
 * Is all of [@begin, @begin + @length) there? Of more than two pieces more would be lost than what
 * sizes are made for.
 */
static bool is_there(const struct way *way, int64_t begin, int64_t length)
{
	int64_t at = begin;
	uint32_t i, pieces = 0;

	for (i = 0; i < way->nr_time && at < begin + length; i++) {
		if (way->time[i].end <= at)
			continue;
		if (way->time[i].begin > at || ++pieces > 2)
			return false;
		at = way->time[i].end;
	}
	return at >= begin + length;
}

/* The latest beginning of a window in [@first, @last]; below @first: there is none. */
static int64_t latest(const struct way *way, int64_t first, int64_t last, int64_t length)
{
	int64_t best = first - 1, begin;
	uint32_t i;

	if (is_there(way, last, length))
		return last;
	for (i = 0; i < way->nr_time; i++) {
		begin = way->time[i].end - length;
		if (begin > best && begin <= last && is_there(way, begin, length))
			best = begin;
	}
	return best;
}

/* By how much it is too late at the earliest, ns; a slot: it does not come */
static int64_t lateness(const struct way *way, int64_t last, int64_t length)
{
	int64_t slot = (int64_t)way->from->slot, best = slot, begin;
	uint32_t i;

	for (i = 0; i < way->nr_time; i++) {
		begin = way->time[i].begin;
		if (begin > last && begin - last < best && is_there(way, begin, length))
			best = begin - last;
	}
	return best;
}

/* A sequence of windows through the boundary, and on as it ends. */
static int follow(struct way *way, struct mover *mover)
{
	int64_t slot = (int64_t)way->from->slot, at = mover->at - SLOTS_BEFORE * slot, next;

	if (!look(way, mover->group))
		return resch_assign_refuse(&way->assign, RESCH_ASSIGN_OVERLAP, 0, mover->group, 0,
					   0);
	while (at + slot + mover->length <= SLOTS_AFTER * slot) {
		next = latest(way, at + mover->length, at + slot, mover->length);
		if (next < at + mover->length)
			return resch_assign_refuse(
				&way->assign, RESCH_ASSIGN_SWITCH, 0, mover->group,
				(uint64_t)(at + slot > 0 ? at + slot : 0),
				(uint64_t)lateness(way, at + slot, mover->length));
		at = next;
	}
	mover->next = at % slot < 0 ? at % slot + slot : at % slot;
	/* that is where it stays */
	if (is_there(way, at - slot, mover->length))
		return 0;
	return resch_assign_refuse(&way->assign, RESCH_ASSIGN_SWITCH, 0, mover->group, (uint64_t)at,
				   (uint64_t)slot);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static bool parts_fit(const struct way *way)
{
	uint32_t i, j, nr;

	for (i = 0; i < way->nr_then; i++) {
		for (j = 0, nr = 0; j < way->nr_then; j++)
			nr += way->then[j].group == way->then[i].group;
		if (nr > RESCH_PARTS_MAX)
			return false;
	}
	return true;
}

/* 0: nobody misses anything by the step to @way->then; -EBUSY */
static int try_step(struct way *way)
{
	uint32_t i;
	int error = 0;

	if (!parts_fit(way))
		return -EBUSY;
	for (i = 0; i < way->nr && !error; i++)
		error = follow(way, &way->movers[i]);
	/* groups without tasks have their reserves checked by the kernel, too */
	for (i = 0; i < way->nr_then && !error; i++) {
		if (!look(way, way->then[i].group))
			error = -EBUSY;
	}
	return error;
}

/* What is tried: the new layout on @cpu and where it is already, the old one elsewhere. */
static void compose(struct way *way, uint32_t cpu)
{
	uint32_t at, i;

	way->nr_then = 0;
	for (at = 0; at < RESCH_CPUS_MAX; at++) {
		bool is_new = cpu == ASSIGN_NONE || way->changed[at] || at == cpu;
		const struct resch_layout_reserve *list = is_new ? way->to->reserves : way->now;
		uint32_t nr = is_new ? way->to->nr_reserves : way->nr_now;

		for (i = 0; i < nr; i++) {
			if (list[i].cpu == at)
				way->then[way->nr_then++] = list[i];
		}
	}
}

static int make_step(struct way *way)
{
	struct resch_switch *answer = way->answer;
	struct resch_switch_step *steps, *step;
	struct resch_layout_reserve *swap = way->now;
	uint32_t i;

	steps = realloc(answer->steps, (answer->nr_steps + 1) * sizeof(*steps));
	if (!steps)
		return -ENOMEM;
	answer->steps = steps;
	step = &steps[answer->nr_steps];
	step->nr_reserves = way->nr_then;
	step->reserves = calloc((size_t)way->nr_then + 1, sizeof(*step->reserves));
	if (!step->reserves)
		return -ENOMEM;
	memcpy(step->reserves, way->then, way->nr_then * sizeof(*step->reserves));
	answer->nr_steps++;
	for (i = 0; i < way->nr; i++)
		way->movers[i].at = way->movers[i].next;
	way->now = way->then;
	way->nr_now = way->nr_then;
	way->then = swap;
	return 0;
}

static bool same(const struct resch_layout_reserve *a, uint32_t nr_a,
		 const struct resch_layout_reserve *b, uint32_t nr_b)
{
	return nr_a == nr_b && !memcmp(a, b, nr_a * sizeof(*a));
}

/* A CPU that can change next, and what was in the way of the last one that could not. */
static int step_cpu(struct way *way)
{
	uint32_t cpu;
	int error = -EBUSY;

	for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
		if (way->changed[cpu])
			continue;
		compose(way, cpu);
		/* nothing changes there: no step, and no CPU to think of any more */
		if (same(way->now, way->nr_now, way->then, way->nr_then)) {
			way->changed[cpu] = 1;
			continue;
		}
		error = try_step(way);
		if (error == -EBUSY)
			continue;
		way->changed[cpu] = 1;
		return error ? error : make_step(way);
	}
	return error;
}

static int steps(struct way *way)
{
	struct resch_assign_refusal first;
	int error;

	if (same(way->from->reserves, way->from->nr_reserves, way->to->reserves,
		 way->to->nr_reserves))
		return 0;
	compose(way, ASSIGN_NONE);
	error = try_step(way);
	first = *way->assign.refusal;
	if (!error)
		return make_step(way);
	while (error == -EBUSY) {
		error = step_cpu(way);
		if (error == -EBUSY)
			*way->assign.refusal = first;
		if (error)
			return error;
		compose(way, ASSIGN_NONE);
		if (same(way->now, way->nr_now, way->then, way->nr_then))
			return 0;
		error = try_step(way);
	}
	return error ? error : make_step(way);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static uint32_t members(struct way *way, uint32_t group, bool *joins)
{
	const uint32_t *kept = way->assign.request->keep;
	uint32_t i, nr = 0;

	*joins = false;
	for (i = 0; i < way->to->nr_tasks; i++) {
		if (way->to->task_group[i] != group)
			continue;
		if (kept[i])
			way->assign.members[nr++] = i;
		else
			*joins = true;
	}
	return nr;
}

/* In how long the tasks that stand are idle once in a window of that length. */
static int idle(struct way *way, const struct mover *mover, uint32_t nr, uint64_t size,
		uint64_t *longest)
{
	const struct resch_assign *request = way->assign.request;
	uint64_t backlog = 0, time, loss = 2 * resch_assign_loss(request);
	const struct assign_demand *demand = &way->assign.demand;
	size_t i;

	if (size == way->from->slot)
		loss = 0;
	for (i = 0; i < demand->nr_jobs; i++)
		backlog +=
			(demand->jobs[i].due / demand->jobs[i].period + 2) * demand->jobs[i].cost;
	time = size > loss ?
		       resch_assign_idle(demand, way->from->slot, size - loss, backlog, IDLE_MOST) :
		       ASSIGN_NEVER;
	if (time == ASSIGN_NEVER)
		return resch_assign_refuse(&way->assign, RESCH_ASSIGN_BUSY,
					   way->assign.members[nr - 1], mover->group, IDLE_MOST, 0);
	*longest = time > *longest ? time : *longest;
	return 0;
}

static uint64_t sum_of(const struct resch_layout_reserve **found, uint32_t nr)
{
	return found[0]->end - found[0]->begin + (nr == 2 ? found[1]->end - found[1]->begin : 0);
}

/* The interrupts of a CPU that it has not been on are not in what carries it. */
static bool other_irqs(const struct way *way, const struct resch_layout_reserve **from,
		       uint32_t nr_from, const struct resch_layout_reserve **to, uint32_t nr_to)
{
	const struct resch_assign_overheads *overheads = &way->assign.request->overheads;
	uint32_t i, k;

	for (i = 0; i < overheads->nr_irqs; i++) {
		for (k = 0; k < nr_to; k++) {
			if (overheads->irqs[i].cpu == (int32_t)to[k]->cpu &&
			    from[0]->cpu != to[k]->cpu &&
			    (nr_from < 2 || from[1]->cpu != to[k]->cpu))
				return true;
		}
	}
	return false;
}

static int add_mover(struct way *way, uint32_t group)
{
	const struct resch_layout_reserve *from[2], *to[2];
	uint32_t nr_from = resch_layout_find(way->from, group, from), nr, nr_to, first = 0;
	struct assign *assign = &way->assign;
	struct mover *mover = &way->movers[way->nr];
	int32_t next = ASSIGN_CPU_NONE;
	uint64_t was, is;
	bool joins;
	int error = 0;

	nr = members(way, group, &joins);
	if (!nr)
		return 0;
	nr_to = resch_layout_find(way->to, group, to);
	if (!nr_to || nr_to > 2 || !nr_from || nr_from > 2)
		return resch_assign_refuse(assign, RESCH_ASSIGN_OVERLAP, assign->members[0], group,
					   0, 0);
	if (nr_from == 2 && (from[0]->end != way->from->slot || from[1]->begin))
		first = 1;
	was = sum_of(from, nr_from);
	is = sum_of(to, nr_to);
	if (nr_from == 2 && (from[first]->end != way->from->slot || from[!first]->begin))
		return resch_assign_refuse(assign, RESCH_ASSIGN_OVERLAP, assign->members[0], group,
					   0, 0);
	*mover = (struct mover){ .group = group, .length = (int64_t)(is < was ? is : was) };
	mover->at = (int64_t)(from[first]->begin + was) - mover->length;
	mover->at %= (int64_t)way->from->slot;
	way->nr++;
	if (nr_from == 2 || nr_to == 2)
		next = (int32_t)(nr_from == 2 ? from[!first]->cpu : to[nr_to - 1]->cpu);
	if (!resch_assign_enough(assign, assign->members, nr, (int32_t)from[first]->cpu, next,
				 (uint64_t)mover->length))
		return resch_assign_refuse(assign, RESCH_ASSIGN_SHORT, assign->members[0], group,
					   resch_assign_size(assign, assign->members, nr,
							     (int32_t)from[first]->cpu, next),
					   (uint64_t)mover->length);
	if (other_irqs(way, from, nr_from, to, nr_to))
		return resch_assign_refuse(assign, RESCH_ASSIGN_SWITCH, assign->members[0], group,
					   0, way->from->slot);
	if (!resch_assign_demand(assign, assign->members, nr, (int32_t)from[first]->cpu, next))
		return -EINVAL;
	if (is < was)
		error = idle(way, mover, nr, was, &way->answer->settle);
	if (!error && joins)
		error = idle(way, mover, nr, is, &way->answer->rest);
	return error;
}

/* Tasks have their neighbours of before and those of afterwards. */
static void learn_near(struct way *way)
{
	struct resch_layout before = *way->from;

	before.nr_tasks = way->to->nr_tasks;
	before.task_group = (uint32_t *)way->assign.request->keep;
	resch_assign_near_learn(&way->assign, &before);
	resch_assign_near_learn(&way->assign, way->to);
}

static int plan_way(struct way *way)
{
	uint32_t group, i, most = way->from->nr_reserves + way->to->nr_reserves;
	bool joins;
	int error = 0;

	way->movers = calloc((size_t)way->to->nr_groups + 1, sizeof(*way->movers));
	way->now = calloc((size_t)most + 1, sizeof(*way->now));
	way->then = calloc((size_t)most + 1, sizeof(*way->then));
	way->time = calloc(((size_t)most + 1) * (SLOTS_BEFORE + SLOTS_AFTER), sizeof(*way->time));
	way->changed = calloc(RESCH_CPUS_MAX, 1);
	if (!way->movers || !way->now || !way->then || !way->time || !way->changed)
		return -ENOMEM;
	learn_near(way);
	for (group = 1; group <= way->to->nr_groups && !error; group++)
		error = add_mover(way, group);
	if (error)
		return error;
	for (i = 0; i < way->from->nr_reserves; i++) {
		group = way->from->reserves[i].group;
		if (group <= way->to->nr_groups && members(way, group, &joins))
			way->now[way->nr_now++] = way->from->reserves[i];
	}
	error = steps(way);
	if (!error && way->answer->nr_steps)
		way->answer->rest += RESCH_SWITCH_HOLD * way->from->slot;
	return error;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static int ask(struct way *way, const struct resch_assign *request)
{
	uint32_t cpus[RESCH_CPUS_MAX];
	int error = resch_assign_begin(&way->assign, request, way->to, cpus);

	if (error)
		return error;
	if (way->from->slot != way->to->slot)
		error = resch_assign_refuse(&way->assign, RESCH_ASSIGN_SWITCH, 0, 0, 0, 0);
	else
		error = plan_way(way);
	resch_assign_end(&way->assign);
	free(way->movers);
	free(way->now);
	free(way->then);
	free(way->time);
	free(way->changed);
	return error;
}

int resch_layout_switch(const struct resch_assign *request, const struct resch_layout *layout,
			struct resch_switch **answer, struct resch_assign_refusal *refusal)
{
	struct resch_assign_refusal ignored = {};
	struct way way = {
		.assign.refusal = refusal ? refusal : &ignored,
		.from = request->standing,
		.to = layout,
	};
	struct resch_assign exact = *request;
	int error;

	*answer = NULL;
	if (!request->keep || !request->standing || layout->nr_tasks != request->nr_tasks)
		return -EINVAL;
	exact.sizing = RESCH_ASSIGN_EXACT;
	way.answer = calloc(1, sizeof(*way.answer));
	if (!way.answer)
		return -ENOMEM;
	error = ask(&way, &exact);
	if (error) {
		resch_switch_free(way.answer);
		return error;
	}
	*way.assign.refusal = (struct resch_assign_refusal){ .reason = RESCH_ASSIGN_FITS };
	*answer = way.answer;
	return 0;
}

void resch_switch_free(struct resch_switch *way)
{
	uint32_t i;

	if (!way)
		return;
	for (i = 0; i < way->nr_steps; i++)
		free(way->steps[i].reserves);
	free(way->steps);
	free(way);
}
