// SPDX-License-Identifier: GPL-2.0
/* chains.c - requests that are about chains, see faults.h */
#include "faults.h"
#include "stages.h"

static struct task pair[2];
static struct resch_chain_stage links[2] = { {}, { .from_mask = 1 } };

static void pair_start(void)
{
	int i;

	domain = use("edf");
	for (i = 0; i < 2; i++) {
		pair[i].reg = sporadic(MS, MS / 10);
		task_start(&pair[i], body_idle);
		await(state_of(pair[i].id) == RESCH_STATE_SLEEPING);
		links[i].task = pair[i].id;
		links[i].key = stage_key(pair[i].id);
		must(resch_chain_offer(dev, pair[i].id, links[i].key));
	}
}

static struct resch_chain_set chain_of_pair(void)
{
	struct resch_chain_set want = chain_of(RESCH_CHAIN_DS, 10 * MS, SEC);

	want.count = 2;
	want.stages = (uintptr_t)links;
	return want;
}

static void no_chain(void)
{
	struct resch_chain_stat stat = {};

	while (resch_chain_next(dev, &stat, NULL, 0, NULL) == 1)
		must(resch_chain_del(dev, stat.id));
}

static void a_chain(void)
{
	struct resch_chain_set want = chain_of_pair();
	struct resch_chain_stat stat = {};

	if (resch_chain_next(dev, &stat, NULL, 0, NULL) == 1)
		return;
	must(resch_chain_set(dev, &want, links));
	asked.chain_del.id = want.id;
}

static void pair_end(void)
{
	int i;

	no_chain();
	for (i = 0; i < 2; i++)
		task_join_sporadic(&pair[i]);
}

TRIALS(chain_offer)
{
	pair_start();
	asked.chain_offer.task = pair[0].id;
	asked.chain_offer.key = 4711;
	fails(NULL);
	pair_end();
}

TRIALS(chain_set)
{
	pair_start();
	asked.chain_set = chain_of_pair();
	fails(no_chain);
	pair_end();
}

TRIALS(chain_del)
{
	pair_start();
	fails(a_chain);
	pair_end();
}

TRIALS(chain_stat)
{
	struct resch_stage_stat stages[2];
	uint64_t histogram[RESCH_CHAIN_BUCKETS];

	pair_start();
	a_chain();
	asked.chain_stat = (struct resch_chain_stat){
		.next = 1,
		.room = 2,
		.stages = (uintptr_t)stages,
		.histogram = (uintptr_t)histogram,
	};
	fails(NULL);
	pair_end();
}

TRIALS(chain_open)
{
	pair_start();
	a_chain();
	asked.chain_open = (struct resch_chain_open){ .id = asked.chain_del.id };
	files_begin();
	fails(no_file);
	pair_end();
}

/* The case is in a job of the only stage. */
TRIALS(chain_job)
{
	struct resch_register reg = sporadic(MS, MS / 10);
	struct resch_chain_set want = chain_of(RESCH_CHAIN_DS, 10 * MS, SEC);

	domain = use("edf");
	must(resch_register_self(dev, &reg));
	must(resch_chain_offer(dev, reg.id, stage_key(reg.id)));
	want.count = 1;
	must(chain_make(dev, &want, &reg.id, NULL));
	must(resch_release(dev, 0));
	must(resch_wait(dev, NULL));
	fails(NULL);
}
