// SPDX-License-Identifier: GPL-2.0
/*
 * demo - a whole algorithm in one short file, to learn from: round robin
 *
 * Jobs stand in a circle. The first one runs for at most a quantum, then goes to the back and the
 * next one has its turn. That shows all that a plugin can say: a queue of its own, an option, an
 * admission test, state that changes by events, and above all an answer that does not hold for
 * ever. docs/writing-a-plugin.md walks through this file.
 *
 * Option: quantum=TIME, 10us to 1s; default 1ms.
 */
#include <resch/option.h>
#include <resch/plugin.h>

#include "analysis/suggest.h"

#define DEMO_QUANTUM_MIN 10000U
#define DEMO_QUANTUM_MAX 1000000000U
#define DEMO_QUANTUM_DEFAULT 1000000U

/*
 * 1. What we keep. The core hands each plugin three private areas, all zeros at first: one a
 * domain, which only option() writes; one a CPU; and one a task (we need none). All-zero must be a
 * valid start: a zero quantum means the default here.
 */
struct demo_domain {
	u32 quantum;
};

struct demo_rq {
	/* ready jobs; all keys equal, so they stand in the order in which they came */
	struct resch_queue circle;
	struct resch_task *running; /* whose turn it is, NULL: nobody's */
	u64 turn_end; /* absolute, ns; while somebody is running */
};

/* They must fit. The compiler checks. */
RESCH_PLUGIN_PRIVATE(struct demo_domain, RESCH_DOMAIN_PRIVATE);
RESCH_PLUGIN_PRIVATE(struct demo_rq, RESCH_RQ_PRIVATE);

static u64 demo_quantum(const struct resch_rq *rq)
{
	const struct demo_domain *domain = (const struct demo_domain *)rq->domain;

	return domain->quantum ? domain->quantum : DEMO_QUANTUM_DEFAULT;
}

/*
 * 2. Options: `reschctl domain set ... --plugin=demo:quantum=500us` comes here as key and value.
 * Nothing runs yet. Refuse what you don't know, so that a misspelt option does not pass in silence.
 * Times have units, and are read by resch_option_time().
 */
static int demo_option(u64 *private, const char *key, const char *value)
{
	struct demo_domain *domain = (struct demo_domain *)private;

	if (strcmp(key, "quantum"))
		return -EINVAL;
	return resch_option_time(key, value, DEMO_QUANTUM_MIN, DEMO_QUANTUM_MAX, &domain->quantum);
}

/*
 * 3. Admission: a promise that deadlines are met. A job that executes for C gets that in ceil(C /
 * quantum) turns, and before each of them every other task has at most one turn, if one job of each
 * is ready at a time:
 *
 *   R_i = C_i + ceil(C_i / quantum) * sum over the others of min(quantum, C_j)
 *
 * which holds while R_i is within the period of i, too. Sufficient, simple, and not the best that
 * could be proved. @tasks are those of a CPU and the new one; every turn costs the overhead that
 * the user measured, so it counts each time.
 */
static u64 demo_response(const struct resch_tasks *tasks, const struct resch_task *task)
{
	u64 quantum = demo_quantum(tasks->rq), overhead = tasks->rq->overhead, others = 0;
	u64 need = task->params.wcet + task->lead;
	u64 turns = div64_u64(need - 1, quantum) + 1;
	const struct resch_task *other;

	resch_tasks_for_each(tasks, other)
		if (other != task)
			others += min(quantum, other->params.wcet + other->lead) + overhead;
	/*
	 * turns has at most 29 bits; hours of waiting each would overflow, but no deadline is that
	 * long
	 */
	others = min(others, RESCH_TIME_MAX);
	return need + min(turns * overhead, RESCH_TIME_MAX) +
	       (turns > div64_u64(RESCH_TIME_MAX, others + 1) ? RESCH_TIME_MAX : turns * others);
}

static int demo_test(struct resch_tasks *tasks, struct resch_verdict *verdict)
{
	const struct resch_task *task;

	/* never more than the share of the CPU that admission may give away ... */
	if (resch_tasks_fits(tasks, resch_tasks_share(tasks), verdict))
		return -EBUSY;
	/* ... and everybody, not only the new one, still makes it */
	resch_tasks_for_each(tasks, task) {
		u64 response = demo_response(tasks, task);
		u64 limit = min(task->params.deadline, task->params.period);

		if (response > limit)
			return resch_verdict_refuse(verdict, RESCH_BOUND_RESPONSE,
						    resch_tasks_name(tasks, task), response, limit);
	}
	return 0;
}

/*
 * resch_admit() runs the test, and where it refuses looks for the nearest parameters that it takes.
 */
static int demo_admit(const struct resch_rq *rq, const struct resch_task *task,
		      struct resch_verdict *verdict)
{
	return resch_admit(rq, task, demo_test, verdict);
}

/*
 * 4. Events. A job became ready: it goes to the back. The task's node is ours; a queue is a heap by
 * key, and equal keys leave in the order in which they came. `why` tells a new job from one that
 * goes on; round robin need not know. The core calls this under the CPU's lock, with interrupts
 * off: O(log n), no waiting.
 */
static void demo_enqueue(struct resch_rq *rq, struct resch_task *task, enum resch_why why, u64 now)
{
	resch_queue_insert(&resch_private(rq, struct demo_rq)->circle, &task->node, 0);
}

/*
 * A job is no longer ready: it ended, blocked, was stopped, or its task leaves. Its turn, if it was
 * its turn, is over.
 */
static void demo_dequeue(struct resch_rq *rq, struct resch_task *task, enum resch_why why, u64 now)
{
	struct demo_rq *demo = resch_private(rq, struct demo_rq);

	resch_queue_erase(&demo->circle, &task->node);
	if (demo->running == task)
		demo->running = NULL;
}

/*
 * 5. The question: who runs now, and until when? The core asks after every event, and at every
 * `until` that it was given. Asking twice must give the same answer, so we change something only
 * when a turn is really over. An answer whose `until` is not in the future would have us ejected;
 * turn_end is: a turn that is over has just been replaced.
 */
static void demo_pick(struct resch_rq *rq, u64 now, struct resch_pick *pick)
{
	struct demo_rq *demo = resch_private(rq, struct demo_rq);
	bool over = demo->running && now >= demo->turn_end;
	struct resch_node *first;

	if (over) {
		resch_queue_erase(&demo->circle, &demo->running->node);
		resch_queue_insert(&demo->circle, &demo->running->node, 0);
		demo->running = NULL;
	}
	first = resch_queue_first(&demo->circle);
	if (!first)
		return; /* nobody: *pick came as { NULL, RESCH_NEVER } */
	if (!demo->running) {
		demo->running = container_of(first, struct resch_task, node);
		demo->turn_end = now + demo_quantum(rq);
	}
	pick->task = demo->running;
	pick->until = demo->turn_end;
}

/*
 * 6. The plugin: its name (the module is resch-demo), a line for people, and the ops. Left out: the
 * default is enough.
 */
static const struct resch_plugin demo = {
	.name = "demo",
	.about = "round robin (quantum=TIME), the tutorial's example",
	.abi = RESCH_PLUGIN_ABI,
	.flags = RESCH_PLUGIN_INNER,
	.option = demo_option,
	.admit = demo_admit,
	.enqueue = demo_enqueue,
	.dequeue = demo_dequeue,
	.pick = demo_pick,
};

resch_plugin_module(demo);
MODULE_DESCRIPTION("resch plugin: round robin, the tutorial's example");
