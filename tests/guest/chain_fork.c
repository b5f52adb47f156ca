// SPDX-License-Identifier: GPL-2.0
/* chain_fork.c - chains whose stages release several, and wait for several */
#include "stages.h"

#include <resch-chain.h>

/*
 * resch-test: timeout=300
 */

#define NODES 5
#define TIMES 300
#define LAST (NODES - 1)

/*
 * 0 releases 1, 2 and 3, and 4 waits for these: on CPUs 1, 2 and 3 and, the first one, with the
 * last on CPU 1.
 */
static const uint32_t branches[NODES] = { 0, 1, 1, 1, 0xe };
static const int spread[NODES] = { 1, 2, 3, 1, 1 };
static const int narrow[NODES] = { 1, 1, 1, 1, 1 };

struct node_seen {
	uint64_t origin;
	uint64_t release;
	uint64_t done;
};

static struct graph {
	struct task tasks[NODES];
	uint32_t ids[NODES];
	uint32_t from[NODES];
	bool any; /* the last one waits for the first */
	atomic_uint done[NODES]; /* the number of the last instance */
	atomic_uint jobs[NODES];
	atomic_int hold[NODES]; /* jobs of it go on when it's 0 */
	struct node_seen seen[NODES][TIMES + 1];
	uint32_t chain;
	uint32_t fed;
} graph;

/* What releases a job of the stage has happened, and of how many there had to be one. */
static void node_check_before(uint32_t node, uint32_t instance)
{
	uint32_t i, have = 0, all = 0;

	for (i = 0; i < node; i++) {
		if (!(graph.from[node] >> i & 1))
			continue;
		all++;
		have += atomic_load(&graph.done[i]) >= instance;
	}
	check(have == all || (graph.any && node == LAST && have),
	      "instance %u is in stage %u when %u of the %u stages before have done it", instance,
	      node, have, all);
}

static void node_works(struct task *task)
{
	uint32_t node = task->number;
	struct resch_chain_job job;
	struct node_seen *seen;

	for (;;) {
		task_wait(task);
		if (atomic_load(&task->stop))
			return;
		must(resch_chain_current(dev, &job));
		check_is(job.stage, node);
		check(job.instance > atomic_load(&graph.done[node]) && job.instance <= TIMES,
		      "stage %u: instance %llu follows %u", node, (unsigned long long)job.instance,
		      atomic_load(&graph.done[node]));
		node_check_before(node, job.instance);
		while (atomic_load(&graph.hold[node]) && !atomic_load(&task->stop))
			sleep_ms(1);
		if (atomic_load(&task->stop))
			return;
		seen = &graph.seen[node][job.instance];
		seen->origin = job.origin;
		seen->release = task->job.release;
		seen->done = resch_now();
		atomic_store(&graph.done[node], job.instance);
		atomic_fetch_add(&graph.jobs[node], 1);
	}
}

static void graph_start(const int cpus[NODES], const uint32_t from[NODES])
{
	int i;

	memset(&graph, 0, sizeof(graph));
	memcpy(graph.from, from, sizeof(graph.from));
	domain_on("1-3", "edf", "");
	for (i = 0; i < NODES; i++) {
		struct task *task = &graph.tasks[i];

		task->number = i;
		task->reg = sporadic(MS, MS / 10);
		task->reg.params.cpu = cpus[i];
		task_start(task, node_works);
		graph.ids[i] = task->id;
		must(resch_chain_offer(dev, task->id, stage_key(task->id)));
	}
	for (i = 0; i < NODES; i++)
		await(state_of(graph.ids[i]) == RESCH_STATE_SLEEPING);
}

/* As RESCH_IOC_CHAIN_SET returns. */
static int graph_make(struct resch_chain_set *want, const uint64_t *phases)
{
	struct resch_chain_stage stage[NODES];
	int i;

	memset(stage, 0, sizeof(stage));
	for (i = 0; i < NODES; i++) {
		stage[i].task = graph.ids[i];
		stage[i].from_mask = graph.from[i];
		stage[i].key = stage_key(graph.ids[i]);
		stage[i].phase = phases ? phases[i] : 0;
	}
	stage[LAST].flags = graph.any ? RESCH_STAGE_F_ANY : 0;
	want->count = NODES;
	return resch_chain_set(dev, want, stage);
}

static void graph_chain(uint32_t protocol, uint64_t deadline, uint32_t flags)
{
	struct resch_chain_set want = chain_of(protocol, 10 * MS, deadline);

	want.flags = flags | RESCH_CHAIN_F_SKIP_ADMISSION;
	must(graph_make(&want, NULL));
	graph.chain = want.id;
}

/* So many more instances, of which the last stage gets through with all but 16. */
static void graph_feed(uint32_t count)
{
	for (; count; count--) {
		await(graph.fed - atomic_load(&graph.done[LAST]) < 16);
		must(resch_release(dev, graph.ids[0]));
		graph.fed++;
	}
	await(atomic_load(&graph.done[LAST]) == graph.fed);
}

/* Begun, whatever becomes of them. */
static void graph_begin(uint32_t count)
{
	for (; count; count--) {
		must(resch_release(dev, graph.ids[0]));
		graph.fed++;
		await(atomic_load(&graph.done[0]) == graph.fed);
	}
}

static void graph_end(void)
{
	int i;

	for (i = 0; i < NODES; i++)
		atomic_store(&graph.tasks[i].stop, 1);
	must(resch_chain_del(dev, graph.chain));
	for (i = 0; i < NODES; i++) {
		while (!atomic_load(&graph.tasks[i].ended)) {
			resch_release(dev, graph.ids[i]);
			sleep_ms(1);
		}
		task_join(&graph.tasks[i]);
	}
}

/* ---- what is released, and when -------------------------------------------------------------- */

static void all_of(const int *cpus, uint32_t protocol)
{
	struct resch_chain_stat stat;
	unsigned int i, j;

	graph_start(cpus, branches);
	graph_chain(protocol, SEC, 0);
	graph_feed(TIMES);
	await(chain_stat(graph.chain).completed == TIMES);
	stat = chain_stat(graph.chain);
	check_is(stat.instances, TIMES);
	check_is(stat.lost + stat.skipped, 0);
	for (j = 0; j < NODES; j++) {
		check_is(atomic_load(&graph.jobs[j]), TIMES);
		check_is(stage_stat(graph.chain, j).completed, TIMES);
		check_is(stage_stat(graph.chain, j).waiting, 0);
		for (i = 1; i <= TIMES; i++) {
			check_is(graph.seen[j][i].origin, graph.seen[0][i].release);
			check(protocol != RESCH_CHAIN_RG1 || i == 1 ||
				      graph.seen[j][i].release >= graph.seen[j][i - 1].release + MS,
			      "stage %u is released early", j);
		}
	}
	graph_end();
}

TEST(all, "a stage that waits for three gets a job when all have completed the instance")
{
	all_of(spread, RESCH_CHAIN_DS);
}

TEST(guards, "likewise with guards")
{
	all_of(spread, RESCH_CHAIN_RG1);
}

TEST(idle, "likewise with guards that idle points end")
{
	all_of(spread, RESCH_CHAIN_RG);
}

TEST(together, "likewise where all are on one CPU")
{
	all_of(narrow, RESCH_CHAIN_DS);
}

TEST(any, "a stage that waits for the first of three gets a job for each instance, once")
{
	unsigned int i;

	graph_start(spread, branches);
	graph.any = true;
	graph_chain(RESCH_CHAIN_DS, SEC, 0);
	graph_feed(TIMES);
	await(chain_stat(graph.chain).completed == TIMES);
	check_is(atomic_load(&graph.jobs[LAST]), TIMES);
	for (i = 1; i < LAST; i++)
		await(atomic_load(&graph.jobs[i]) == TIMES);
	check_is(chain_stat(graph.chain).lost, 0);
	graph_end();
}

TEST(slow, "nor does it wait for the other ones, which end later than the instance")
{
	graph_start(spread, branches);
	graph.any = true;
	graph_chain(RESCH_CHAIN_DS, SEC, 0);
	atomic_store(&graph.hold[1], 1);
	atomic_store(&graph.hold[2], 1);
	graph_feed(20);
	check_is(chain_stat(graph.chain).completed, 20);
	check_is(atomic_load(&graph.done[1]) + atomic_load(&graph.done[2]), 0);
	atomic_store(&graph.hold[1], 0);
	atomic_store(&graph.hold[2], 0);
	await(atomic_load(&graph.done[1]) == 20 && atomic_load(&graph.done[2]) == 20);
	graph_feed(20);
	check_is(atomic_load(&graph.jobs[LAST]), 40);
	check_is(chain_stat(graph.chain).completed, 40);
	graph_end();
}

TEST(phases, "a fixed time after the origin, whichever of them was the last")
{
	const uint64_t phase[NODES] = { 0, 20 * MS, 40 * MS, 30 * MS, 60 * MS };
	struct resch_chain_set want = chain_of(RESCH_CHAIN_PM, 100 * MS, SEC);
	unsigned int i, j, late;

	graph_start(spread, branches);
	want.flags = RESCH_CHAIN_F_SKIP_ADMISSION;
	must(graph_make(&want, phase));
	graph.chain = want.id;
	for (i = 0; i < 10; i++)
		graph_feed(1);
	for (j = 1; j < NODES; j++) {
		for (i = 1, late = 0; i <= 10; i++) {
			const struct node_seen *seen = &graph.seen[j][i];

			check(seen->release >= seen->origin + phase[j], "stage %u: early", j);
			late += seen->release != seen->origin + phase[j];
		}
		check_is(stage_stat(graph.chain, j).late, late);
	}
	graph_end();
}

/* ---- lost and skipped ------------------------------------------------------------------------ */

TEST(full,
     "what finds no room in one of the ways is lost, and the stage that waits for all goes on")
{
	int i;

	graph_start(spread, branches);
	graph_chain(RESCH_CHAIN_DS, SEC, 0);
	atomic_store(&graph.hold[2], 1);
	graph_begin(70);
	/* 64 are with the one that is held; and so many the last one has of each other one. */
	await(stage_stat(graph.chain, LAST).lost == 12);
	check_is(stage_stat(graph.chain, 2).lost, 6);
	check_is(stage_stat(graph.chain, 2).waiting, 64);
	check_is(stage_stat(graph.chain, LAST).waiting, 0);
	check_is(stage_stat(graph.chain, LAST).waiting_max, 64);
	check_is(chain_stat(graph.chain).completed, 0);
	check_is(chain_stat(graph.chain).lost, 18);
	atomic_store(&graph.hold[2], 0);
	await(atomic_load(&graph.done[LAST]) == 64);
	graph_feed(3);
	check_is(chain_stat(graph.chain).completed, 67);
	check_is(atomic_load(&graph.jobs[LAST]), 67);
	for (i = 1; i < LAST; i++)
		check_is(atomic_load(&graph.done[i]), 73);
	graph_end();
}

TEST(skipped, "what one of them has skipped is done by the others for nothing")
{
	graph_start(spread, branches);
	graph_chain(RESCH_CHAIN_DS, 2 * SEC, RESCH_CHAIN_F_SKIP_LATE);
	atomic_store(&graph.hold[1], 1);
	graph_begin(3);
	await(atomic_load(&graph.done[2]) == 3 && atomic_load(&graph.done[3]) == 3);
	sleep_ms(2500);
	atomic_store(&graph.hold[1], 0);
	/* It had begun with the first one, of which the last stage has it all, late. */
	await(stage_stat(graph.chain, 1).skipped == 2);
	await(stage_stat(graph.chain, LAST).skipped == 1);
	check_is(atomic_load(&graph.done[LAST]), 0);
	graph_feed(1);
	check_is(atomic_load(&graph.jobs[LAST]), 1);
	check_is(chain_stat(graph.chain).completed, 1);
	check_is(chain_stat(graph.chain).skipped, 3);
	/* Nor does what they have done for nothing stand for a later one. */
	atomic_store(&graph.hold[2], 1);
	graph_begin(1);
	await(atomic_load(&graph.done[1]) == 5 && atomic_load(&graph.done[3]) == 5);
	sleep_ms(50);
	check_is(atomic_load(&graph.jobs[LAST]), 1);
	atomic_store(&graph.hold[2], 0);
	await(atomic_load(&graph.done[LAST]) == 5);
	graph_end();
}

TEST(gone, "a branch that ends stops the chain")
{
	struct resch_chain_stat stat;

	graph_start(spread, branches);
	graph_chain(RESCH_CHAIN_DS, SEC, 0);
	graph_feed(5);
	atomic_store(&graph.hold[3], 1);
	graph_begin(2);
	await(atomic_load(&graph.done[1]) == 7 && atomic_load(&graph.done[2]) == 7);
	must(resch_unregister(dev, graph.ids[3]));
	graph.tasks[3].unregistered_end = true;
	await(chain_stat(graph.chain).stopped == 4);
	stat = chain_stat(graph.chain);
	check_is(stat.completed, 5);
	check_is(stat.lost, 2);
	atomic_store(&graph.tasks[3].stop, 1);
	graph_end();
}

/* ---- before it begins ------------------------------------------------------------------------ */

TEST(sum,
     "local deadlines are added up on the longest way, or to the first of several the shortest")
{
	const uint64_t phase[NODES] = { 0, 5 * MS, 0, 7 * MS, 2 * MS };
	struct resch_chain_set want;

	graph_start(spread, branches);
	want = chain_of(RESCH_CHAIN_RG1, 10 * MS, 3 * MS - 1);
	refused(graph_make(&want, NULL), EBUSY);
	check_is(want.verdict.bound, RESCH_BOUND_CHAIN);
	check_is(want.verdict.task, graph.ids[LAST]);
	check_is(want.verdict.value, 3 * MS);
	want.deadline = 3 * MS;
	must(graph_make(&want, NULL));
	must(resch_chain_del(dev, want.id));
	want = chain_of(RESCH_CHAIN_PM, 10 * MS, 1);
	refused(graph_make(&want, phase), EBUSY);
	check_is(want.verdict.value, 9 * MS);
	graph.any = true;
	refused(graph_make(&want, phase), EBUSY);
	check_is(want.verdict.value, 3 * MS);
	/* After the release of the stage before, which is one. */
	graph.from[LAST] = 1 << 3;
	graph.from[3] = 1 << 1;
	graph.from[1] = 1 << 2;
	graph.from[2] = 1 << 0;
	want = chain_of(RESCH_CHAIN_MPM, 10 * MS, 1);
	refused(graph_make(&want, NULL), EINVAL); /* 1 is before 2 */
	graph.from[1] = graph.from[2] = 1 << 0;
	graph.from[3] = 1 << 1;
	refused(graph_make(&want, phase), EINVAL); /* nobody waits for 2 */
	graph.from[3] = 1 << 2;
	graph.from[2] = 1 << 1;
	refused(graph_make(&want, phase), EBUSY);
	check_is(want.verdict.value, 16 * MS);
	want = chain_of(RESCH_CHAIN_RG1, 10 * MS, SEC);
	must(graph_make(&want, NULL));
	graph.chain = want.id;
	graph.any = false;
	graph_feed(3);
	graph_end();
}

TEST(page, "what is left to be done after a stage is that of the longest way")
{
	static const uint32_t from[NODES] = { 0, 1, 1 << 1, 1, 1 << 2 | 1 << 3 };
	static const uint64_t rest[NODES] = { 3 * MS / 10, 2 * MS / 10, MS / 10, MS / 10, 0 };
	const struct resch_chain_page *page;
	int i, fd;

	graph_start(spread, from);
	graph_chain(RESCH_CHAIN_DS, SEC, 0);
	fd = must(resch_chain_open(dev, graph.chain));
	page = resch_chain_map(fd);
	check(page, "cannot map: %s", strerror(errno));
	for (i = 0; i < NODES; i++)
		check_is(page->stages[i].rest, rest[i]);
	graph_feed(3);
	graph_end();
}
