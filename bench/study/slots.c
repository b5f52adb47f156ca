// SPDX-License-Identifier: GPL-2.0
/* slots.c - a machine that schedules by time slots, simulated */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "slots.h"

#define NOBODY UINT32_MAX
/* After the end of all time, and far from overflow. */
#define NEVER (UINT64_MAX / 4)

/* Jobs of one task wait in the order of their arrivals: only the first one is looked at. */
struct task {
	uint64_t arrival; /* of the current or next job */
	uint64_t left; /* of the current job; 0: it has not come */
	uint64_t next_arrival; /* of the one after it */
	uint32_t last_cpu;
};

struct cpu {
	uint32_t nr, at; /* its reserves, and the one that is next or open */
	const struct slots_reserve **reserves;
	uint64_t stolen_until; /* by interrupts, and at the beginning of a reserve */
	uint64_t edge; /* when the reserve, or the gap before it, ends */
	uint32_t group; /* that the time is for now; 0: nobody */
	uint32_t own; /* the group that is only here, for reclaiming */
	uint32_t running;
};

struct machine {
	const struct slots *slots;
	struct slots_result *result;
	struct task *tasks;
	struct cpu *cpus;
	const struct slots_reserve **lists;
	uint32_t *reserves_of; /* by group: how many */
	uint64_t *window_end; /* by group: where in the slot its window ends */
	uint32_t *busy; /* by group: how many CPUs run it */
	uint64_t *irq_next; /* by CPU and source */
	uint32_t nr_groups, nr_changes;
	uint64_t now, random;
};

static uint64_t random_to(struct machine *machine, uint64_t most)
{
	uint64_t x = machine->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	machine->random = x;
	return most == UINT64_MAX ? x : x % (most + 1);
}

/* ---- arrivals -------------------------------------------------------------------------------- */

/* The first end of a window of the task's group from @time on. */
static uint64_t window_from(const struct machine *machine, uint32_t task, uint64_t time)
{
	uint64_t slot = machine->slots->slot;
	uint64_t at = machine->window_end[machine->slots->tasks[task].group];
	uint64_t in = time % slot;

	return time - in + at + (in > at ? slot : 0);
}

static uint64_t first_arrival(struct machine *machine, uint32_t task)
{
	uint64_t joins = machine->slots->tasks[task].joins;

	switch (machine->slots->pattern) {
	case SLOTS_SYNCHRONOUS:
		return joins;
	case SLOTS_WINDOW:
	case SLOTS_ADVERSARIAL:
		return window_from(machine, task,
				   joins + random_to(machine, 1) * machine->slots->slot);
	default:
		return joins + random_to(machine, machine->slots->tasks[task].period);
	}
}

static uint64_t next_arrival(struct machine *machine, uint32_t task, uint64_t arrival)
{
	uint64_t period = machine->slots->tasks[task].period;

	if (machine->slots->pattern == SLOTS_SPORADIC)
		return arrival + period + random_to(machine, period);
	if (machine->slots->pattern == SLOTS_ADVERSARIAL && random_to(machine, 3))
		return window_from(machine, task, arrival + period);
	return arrival + period;
}

static uint64_t ready_at(const struct machine *machine, const struct task *task)
{
	return task->arrival + machine->slots->release_jitter;
}

static bool is_ready(const struct machine *machine, uint32_t task)
{
	return ready_at(machine, &machine->tasks[task]) <= machine->now;
}

/* ---- the slots of a CPU ---------------------------------------------------------------------- */

/* What is open at the present time, and until when. */
static void find_edge(const struct machine *machine, struct cpu *cpu)
{
	const struct slots *slots = machine->slots;
	uint64_t in = machine->now % slots->slot, start = machine->now - in;
	uint32_t i;

	cpu->group = 0;
	cpu->edge = start + slots->slot;
	for (i = 0; i < cpu->nr; i++) {
		const struct slots_reserve *reserve = cpu->reserves[i];

		if (in < reserve->begin) {
			cpu->edge = start + reserve->begin;
			return;
		}
		if (in >= reserve->end)
			continue;
		cpu->group = reserve->group;
		cpu->edge = start + reserve->end;
		/* who has all of a CPU is not handed over */
		if (in == reserve->begin && reserve->end - reserve->begin < slots->slot &&
		    cpu->stolen_until < machine->now + slots->reserve_jitter)
			cpu->stolen_until = machine->now + slots->reserve_jitter;
		return;
	}
}

static void interrupt(struct machine *machine, uint32_t index)
{
	const struct slots *slots = machine->slots;
	struct cpu *cpu = &machine->cpus[index];
	uint32_t i;

	for (i = 0; i < slots->nr_irqs; i++) {
		uint64_t *next = &machine->irq_next[index * slots->nr_irqs + i];

		if (*next > machine->now)
			continue;
		if (cpu->stolen_until < machine->now)
			cpu->stolen_until = machine->now;
		cpu->stolen_until += slots->irqs[i].cost;
		*next += slots->irqs[i].period;
	}
}

/* ---- choices --------------------------------------------------------------------------------- */

static uint64_t due(const struct machine *machine, uint32_t task)
{
	return machine->tasks[task].arrival + machine->slots->tasks[task].deadline;
}

static uint32_t earliest(const struct machine *machine, uint32_t group)
{
	uint32_t i, best = NOBODY;

	for (i = 0; i < machine->slots->nr_tasks; i++) {
		if (machine->slots->tasks[i].group != group || !is_ready(machine, i))
			continue;
		if (best == NOBODY || due(machine, i) < due(machine, best))
			best = i;
	}
	return best;
}

static void choose(struct machine *machine, uint32_t index)
{
	struct cpu *cpu = &machine->cpus[index];
	uint32_t before = cpu->running, group = cpu->group, task;

	cpu->running = NOBODY;
	if (!group || cpu->stolen_until > machine->now)
		return;
	task = earliest(machine, group);
	if (task == NOBODY && machine->slots->reclaim && machine->reserves_of[group] > 1)
		task = earliest(machine, cpu->own);
	if (task == NOBODY)
		return;
	group = machine->slots->tasks[task].group;
	if (machine->busy[group]++)
		machine->result->parallel++;
	if (machine->tasks[task].last_cpu != NOBODY && machine->tasks[task].last_cpu != index)
		machine->result->migrations++;
	if (before != task && before != NOBODY && machine->tasks[before].last_cpu == index)
		machine->result->preemptions++;
	machine->tasks[task].last_cpu = index;
	cpu->running = task;
}

/* ---- reserves, and other ones ---------------------------------------------------------------- */

static void install(struct machine *machine, const struct slots_reserve *reserves, uint32_t nr)
{
	const struct slots *slots = machine->slots;
	uint32_t i;

	memset(machine->reserves_of, 0, (machine->nr_groups + 1) * sizeof(*machine->reserves_of));
	memset(machine->window_end, 0, (machine->nr_groups + 1) * sizeof(*machine->window_end));
	for (i = 0; i < slots->nr_cpus; i++) {
		machine->cpus[i].nr = 0;
		machine->cpus[i].own = 0;
	}
	for (i = 0; i < nr; i++) {
		const struct slots_reserve *reserve = &reserves[i];
		struct cpu *cpu = &machine->cpus[reserve->cpu];

		if (!cpu->nr)
			cpu->reserves = &machine->lists[i];
		cpu->reserves[cpu->nr++] = reserve;
		machine->reserves_of[reserve->group]++;
		/*
		 * a window goes around the slot boundary where it ends at it and goes on elsewhere
		 */
		if (!machine->window_end[reserve->group] || reserve->end < slots->slot)
			machine->window_end[reserve->group] = reserve->end;
	}
	for (i = 0; i < nr; i++) {
		if (machine->reserves_of[reserves[i].group] == 1)
			machine->cpus[reserves[i].cpu].own = reserves[i].group;
	}
}

static void change(struct machine *machine)
{
	const struct slots *slots = machine->slots;
	const struct slots_change *next = &slots->changes[machine->nr_changes];
	uint32_t i;

	if (machine->nr_changes == slots->nr_changes || next->from > machine->now)
		return;
	install(machine, next->reserves, next->nr_reserves);
	machine->nr_changes++;
	for (i = 0; i < slots->nr_cpus; i++)
		machine->cpus[i].edge = machine->now;
}

static void leave(struct machine *machine)
{
	const struct slots *slots = machine->slots;
	uint32_t i;

	for (i = 0; i < slots->nr_tasks; i++) {
		if (slots->tasks[i].leaves && slots->tasks[i].leaves <= machine->now)
			machine->tasks[i].arrival = NEVER;
	}
}

/* ---- time ------------------------------------------------------------------------------------ */

static void complete(struct machine *machine, uint32_t index)
{
	struct task *task = &machine->tasks[index];
	uint64_t deadline = due(machine, index);

	machine->result->jobs++;
	if (machine->now > deadline)
		machine->result->misses++;
	else if (deadline - machine->now < machine->result->margin)
		machine->result->margin = deadline - machine->now;
	task->arrival = task->next_arrival;
	task->next_arrival = next_arrival(machine, index, task->arrival);
	task->left = machine->slots->tasks[index].wcet + machine->slots->job_cost;
	task->last_cpu = NOBODY;
}

static uint64_t next_event(const struct machine *machine)
{
	const struct slots *slots = machine->slots;
	uint64_t next = slots->end;
	uint32_t i, j;

#define EARLIER(time)                                       \
	do {                                                \
		if ((time) > machine->now && (time) < next) \
			next = (time);                      \
	} while (0)
	for (i = 0; i < slots->nr_cpus; i++) {
		const struct cpu *cpu = &machine->cpus[i];

		EARLIER(cpu->edge);
		EARLIER(cpu->stolen_until);
		for (j = 0; j < slots->nr_irqs; j++)
			EARLIER(machine->irq_next[i * slots->nr_irqs + j]);
		if (cpu->running != NOBODY)
			EARLIER(machine->now + machine->tasks[cpu->running].left);
	}
	for (i = 0; i < slots->nr_tasks; i++) {
		EARLIER(ready_at(machine, &machine->tasks[i]));
		EARLIER(slots->tasks[i].leaves);
	}
	if (machine->nr_changes < slots->nr_changes)
		EARLIER(slots->changes[machine->nr_changes].from);
#undef EARLIER
	return next;
}

static void step(struct machine *machine)
{
	const struct slots *slots = machine->slots;
	uint64_t next = next_event(machine), ran = next - machine->now;
	uint32_t i;

	machine->now = next;
	for (i = 0; i < slots->nr_cpus; i++) {
		uint32_t task = machine->cpus[i].running;

		if (task == NOBODY)
			continue;
		/* one that runs twice at once was counted; it does not get ahead of itself here */
		machine->tasks[task].left -=
			ran < machine->tasks[task].left ? ran : machine->tasks[task].left;
		if (!machine->tasks[task].left)
			complete(machine, task);
	}
	memset(machine->busy, 0, (machine->nr_groups + 1) * sizeof(*machine->busy));
	leave(machine);
	change(machine);
	for (i = 0; i < slots->nr_cpus; i++) {
		if (machine->cpus[i].edge <= next)
			find_edge(machine, &machine->cpus[i]);
		interrupt(machine, i);
		choose(machine, i);
	}
}

/* ---- building up ----------------------------------------------------------------------------- */

static int check_reserves(const struct slots *slots, const struct slots_reserve *reserves,
			  uint32_t nr, uint32_t *nr_groups)
{
	uint32_t i;

	for (i = 0; i < nr; i++) {
		const struct slots_reserve *reserve = &reserves[i];

		if (reserve->cpu >= slots->nr_cpus || reserve->begin >= reserve->end ||
		    reserve->end > slots->slot || !reserve->group)
			return -EINVAL;
		if (i && reserve[-1].cpu == reserve->cpu && reserve[-1].end > reserve->begin)
			return -EINVAL;
		if (i && reserve[-1].cpu > reserve->cpu)
			return -EINVAL;
		if (reserve->group > *nr_groups)
			*nr_groups = reserve->group;
	}
	return 0;
}

static int check(const struct slots *slots, uint32_t *nr_groups)
{
	uint32_t i;
	int error;

	*nr_groups = 0;
	if (!slots->slot || !slots->nr_cpus || !slots->nr_tasks)
		return -EINVAL;
	error = check_reserves(slots, slots->reserves, slots->nr_reserves, nr_groups);
	for (i = 0; i < slots->nr_changes && !error; i++) {
		if (slots->changes[i].from % slots->slot ||
		    (i && slots->changes[i - 1].from >= slots->changes[i].from))
			return -EINVAL;
		error = check_reserves(slots, slots->changes[i].reserves,
				       slots->changes[i].nr_reserves, nr_groups);
	}
	if (error)
		return error;
	for (i = 0; i < slots->nr_tasks; i++) {
		if (!slots->tasks[i].group || slots->tasks[i].group > *nr_groups ||
		    !slots->tasks[i].wcet || !slots->tasks[i].period)
			return -EINVAL;
	}
	return 0;
}

static bool allocate(struct machine *machine)
{
	const struct slots *slots = machine->slots;
	uint32_t most = slots->nr_reserves, i;

	for (i = 0; i < slots->nr_changes; i++) {
		if (slots->changes[i].nr_reserves > most)
			most = slots->changes[i].nr_reserves;
	}
	machine->tasks = calloc(slots->nr_tasks, sizeof(*machine->tasks));
	machine->cpus = calloc(slots->nr_cpus, sizeof(*machine->cpus));
	machine->lists = calloc(most + 1, sizeof(*machine->lists));
	machine->reserves_of = calloc(machine->nr_groups + 1, sizeof(*machine->reserves_of));
	machine->window_end = calloc(machine->nr_groups + 1, sizeof(*machine->window_end));
	machine->busy = calloc(machine->nr_groups + 1, sizeof(*machine->busy));
	machine->irq_next = calloc(slots->nr_cpus * slots->nr_irqs + 1, sizeof(*machine->irq_next));
	return machine->tasks && machine->cpus && machine->lists && machine->reserves_of &&
	       machine->window_end && machine->busy && machine->irq_next;
}

static void release(struct machine *machine)
{
	free(machine->tasks);
	free(machine->cpus);
	free(machine->lists);
	free(machine->reserves_of);
	free(machine->window_end);
	free(machine->busy);
	free(machine->irq_next);
}

static void prepare_cpus(struct machine *machine)
{
	const struct slots *slots = machine->slots;
	uint32_t i, j;

	install(machine, slots->reserves, slots->nr_reserves);
	for (i = 0; i < slots->nr_cpus; i++) {
		machine->cpus[i].running = NOBODY;
		for (j = 0; j < slots->nr_irqs; j++)
			machine->irq_next[i * slots->nr_irqs + j] =
				slots->irqs[j].cpu == -1 || slots->irqs[j].cpu == (int32_t)i ?
					random_to(machine, slots->irqs[j].period - 1) :
					UINT64_MAX;
	}
}

static void prepare_tasks(struct machine *machine)
{
	uint32_t i;

	for (i = 0; i < machine->slots->nr_tasks; i++) {
		struct task *task = &machine->tasks[i];

		task->arrival = first_arrival(machine, i);
		task->next_arrival = next_arrival(machine, i, task->arrival);
		task->left = machine->slots->tasks[i].wcet + machine->slots->job_cost;
		task->last_cpu = NOBODY;
	}
}

static void start(struct machine *machine)
{
	uint32_t i;

	for (i = 0; i < machine->slots->nr_cpus; i++) {
		find_edge(machine, &machine->cpus[i]);
		interrupt(machine, i);
		choose(machine, i);
	}
}

/* Jobs that are late without ever being complete. */
static void finish(struct machine *machine)
{
	uint32_t i;

	for (i = 0; i < machine->slots->nr_tasks; i++) {
		if (due(machine, i) < machine->now) {
			machine->result->jobs++;
			machine->result->misses++;
		}
	}
	if (machine->result->misses)
		machine->result->margin = 0;
}

int slots_run(const struct slots *slots, struct slots_result *result)
{
	struct machine machine = { .slots = slots, .result = result };
	int error = check(slots, &machine.nr_groups);

	*result = (struct slots_result){ .margin = UINT64_MAX };
	if (error)
		return error;
	machine.random = slots->seed * 0x9e3779b97f4a7c15ULL + 0x2545f4914f6cdd1dULL;
	if (!machine.random)
		machine.random = 1;
	if (allocate(&machine)) {
		prepare_cpus(&machine);
		prepare_tasks(&machine);
		start(&machine);
		while (machine.now < slots->end)
			step(&machine);
		finish(&machine);
	} else {
		error = -ENOMEM;
	}
	release(&machine);
	return error;
}
