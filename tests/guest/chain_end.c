// SPDX-License-Identifier: GPL-2.0
/* chain_end.c - what chains refuse, what they lose, and how they end */
#include "members.h"

/*
 * resch-test: timeout=300
 */

static void begin(uint32_t protocol, uint32_t flags)
{
	domain_on("1-3", "edf", "");
	stages_start(three_cpus, one_ms);
	stages_chain(protocol, 10 * MS, SEC, flags);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static uint32_t ids[STAGES];

static void three(void)
{
	int i;

	domain_on("1-3", "edf", "");
	stages_start(three_cpus, one_ms);
	for (i = 0; i < STAGES; i++)
		ids[i] = stages.tasks[i].id;
}

/* A chain of the three, but for one thing. */
#define REFUSED(error, change)                                                                   \
	do {                                                                                     \
		struct resch_chain_set want = chain_of(RESCH_CHAIN_DS, 10 * MS, SEC);            \
		struct resch_chain_stage stage[STAGES] = {                                       \
			{ .task = ids[0], .key = stage_key(ids[0]) },                            \
			{ .task = ids[1], .key = stage_key(ids[1]), .from_mask = 1 },            \
			{ .task = ids[2], .key = stage_key(ids[2]), .from_mask = 2 },            \
		};                                                                               \
		struct resch_chain_stat none = { .id = 0 };                                      \
		int err_;                                                                        \
		change;                                                                          \
		want.stages = (uintptr_t)stage;                                                  \
		err_ = call(dev, RESCH_IOC_CHAIN_SET, &want);                                    \
		check(err_ == -(error), "%s: %s, not %s", #change, errno_name(err_), #error);    \
		check(!resch_chain_next(dev, &none, NULL, 0, NULL), "%s: a chain has been left", \
		      #change);                                                                  \
	} while (0)

TEST(refused, "what can't be is refused, each with its error, and nothing is left of it")
{
	three();
	REFUSED(EINVAL, want.id = 1);
	REFUSED(EINVAL, want.count = 0);
	REFUSED(EINVAL, want.count = RESCH_CHAIN_STAGES_MAX + 1);
	REFUSED(EINVAL, want.protocol = RESCH_CHAIN_RG + 1);
	REFUSED(EINVAL, want.flags = RESCH_CHAIN_F_ALL + 1);
	REFUSED(EINVAL, want.period = 999);
	REFUSED(EINVAL, want.period = 3600 * SEC + 1);
	REFUSED(EINVAL, want.deadline = 0);
	REFUSED(EINVAL, want.deadline = 3600 * SEC + 1);
	REFUSED(EINVAL, memset(want.name, 'x', sizeof(want.name)));
	REFUSED(EINVAL, stage[0].from_mask = 1);
	REFUSED(EINVAL, stage[1].from_mask = 0);
	REFUSED(EINVAL, stage[1].from_mask = 2);
	REFUSED(EINVAL, stage[2].from_mask = 1);
	REFUSED(EINVAL, stage[2].from_mask = 1U << 31 | 2);
	REFUSED(EINVAL, want.protocol = RESCH_CHAIN_MPM; stage[2].from_mask = 3);
	REFUSED(EINVAL, stage[0].flags = RESCH_STAGE_F_ANY);
	REFUSED(EINVAL, stage[1].flags = RESCH_STAGE_F_ANY << 1);
	REFUSED(EINVAL, stage[1].reserved32 = 1);
	REFUSED(EINVAL, stage[1].reserved[1] = 1);
	REFUSED(EINVAL, stage[1].phase = 1);
	REFUSED(EINVAL, want.protocol = RESCH_CHAIN_PM; stage[0].phase = 1);
	REFUSED(EINVAL, want.protocol = RESCH_CHAIN_PM; stage[1].phase = 3600 * SEC + 1);
	REFUSED(EINVAL, want.period = MS - 1);
	REFUSED(ENOENT, stage[1].task = 0);
	REFUSED(ENOENT, stage[1].task = 0x7fffffff);
	REFUSED(EPERM, stage[1].key++);
	REFUSED(EPERM, stage[1].key = 0);
	REFUSED(EBUSY, stage[1].task = ids[0]; stage[1].key = stage_key(ids[0]));
	stages_end();
}

TEST(sum, "local deadlines that add up to more than the chain's are refused, with what they are")
{
	struct resch_chain_set want = chain_of(RESCH_CHAIN_RG1, 10 * MS, 3 * MS - 1);
	const uint64_t phases[STAGES] = { 0, 5 * MS, 5 * MS };

	three();
	refused(chain_make(dev, &want, ids, NULL), EBUSY);
	check_is(want.verdict.bound, RESCH_BOUND_CHAIN);
	check_is(want.verdict.value, 3 * MS);
	check_is(want.verdict.limit, 3 * MS - 1);
	want.deadline = 3 * MS;
	must(chain_make(dev, &want, ids, NULL));
	must(resch_chain_del(dev, want.id));
	/* After the origin: 5 and 6 ms; after the release before: 5 and 10. */
	want.protocol = RESCH_CHAIN_PM;
	refused(chain_make(dev, &want, ids, phases), EBUSY);
	check_is(want.verdict.value, 7 * MS);
	want.protocol = RESCH_CHAIN_MPM;
	refused(chain_make(dev, &want, ids, phases), EBUSY);
	check_is(want.verdict.value, 11 * MS);
	want.flags = RESCH_CHAIN_F_SKIP_ADMISSION;
	must(chain_make(dev, &want, ids, phases));
	must(resch_chain_del(dev, want.id));
	/* Nobody promises anything of it here. */
	want = chain_of(RESCH_CHAIN_DS, 10 * MS, 1);
	must(chain_make(dev, &want, ids, NULL));
	must(resch_chain_del(dev, want.id));
	stages_end();
}

TEST(kinds, "later stages are sporadic and have nothing to do, and nobody else releases them")
{
	struct task clock = { .reg = periodic(5 * MS, MS / 10) };
	struct task next = { .reg = sporadic(MS, MS / 10) };
	struct resch_chain_set want = chain_of(RESCH_CHAIN_DS, 10 * MS, SEC);
	struct resch_register own = sporadic(MS, MS / 10);
	uint32_t with[STAGES];

	domain_on("1-3", "edf", "");
	task_start(&clock, body_idle);
	task_start(&next, body_idle);
	await(state_of(next.id) == RESCH_STATE_SLEEPING);
	must(resch_chain_offer(dev, clock.id, stage_key(clock.id)));
	must(resch_chain_offer(dev, next.id, stage_key(next.id)));
	with[0] = next.id;
	with[1] = clock.id;
	want.count = 2;
	refused(chain_make(dev, &want, with, NULL), EINVAL);
	/* Requests that are not the chain's would be taken for instances. */
	must(resch_register_self(dev, &own));
	must(resch_chain_offer(dev, 0, stage_key(own.id)));
	must(resch_release(dev, 0));
	with[0] = clock.id;
	with[1] = own.id;
	refused(chain_make(dev, &want, with, NULL), EBUSY);
	must(resch_wait(dev, NULL));
	refused(chain_make(dev, &want, with, NULL), EBUSY);
	must(resch_unregister(dev, 0));
	/* The first one may be of any kind. */
	with[1] = next.id;
	must(chain_make(dev, &want, with, NULL));
	refused(resch_release(dev, next.id), EBUSY);
	/* And nobody is in two chains. */
	await(chain_stat(want.id).completed >= 10);
	with[0] = want.id;
	want.count = 1;
	refused(chain_make(dev, &want, &clock.id, NULL), EBUSY);
	must(resch_chain_del(dev, with[0]));
	task_join(&clock);
	atomic_store(&next.stop, 1);
	await(!resch_release(dev, next.id) || atomic_load(&next.ended));
	task_join(&next);
}

TEST(rights, "a task is offered by who has registered it, and a chain ended by who has made it")
{
	struct resch_chain_job job;
	int other = resch_open();
	struct resch_chain_stat stat;

	begin(RESCH_CHAIN_DS, 0);
	refused(resch_chain_offer(other, stages.tasks[0].id, 1), EPERM);
	refused(resch_chain_offer(dev, 0, 1), ENOENT);
	refused(resch_chain_offer(dev, 0x7fffffff, 1), ENOENT);
	refused(resch_chain_del(other, stages.chain), EPERM);
	refused(resch_chain_del(dev, stages.chain + 1), ENOENT);
	refused(resch_chain_current(dev, &job), ENOENT);
	/* Anybody may look. */
	must(resch_chain_stat(other, stages.chain, &stat, NULL, 0, NULL));
	refused(resch_chain_stat(other, stages.chain + 1, &stat, NULL, 0, NULL), ENOENT);
	stat.id = 0;
	check_is(must(resch_chain_next(other, &stat, NULL, 0, NULL)), 1);
	check_is(stat.id, stages.chain);
	check_is(must(resch_chain_next(other, &stat, NULL, 0, NULL)), 0);
	close(other);
	stages_feed(5, NULL);
	stages_end();
}

/* ---- lost and late --------------------------------------------------------------------------- */

TEST(late, "an instance that is late is a miss, and an event")
{
	struct resch_event event;
	uint32_t tasks[STAGES];
	struct resch_chain_set want = chain_of(RESCH_CHAIN_DS, 10 * MS, 1);
	int i;

	domain_on("1-3", "edf", "");
	stages_start(three_cpus, one_ms);
	for (i = 0; i < STAGES; i++)
		tasks[i] = stages.tasks[i].id;
	want.flags = RESCH_CHAIN_F_MISS;
	must(chain_make(dev, &want, tasks, NULL));
	stages.chain = want.id;
	stages_feed(5, NULL);
	await(chain_stat(want.id).missed == 5);
	check(chain_stat(want.id).tardiness_max, "late by nothing");
	for (i = 1; i <= 5; i++) {
		event = event_await(RESCH_EVENT_CHAIN_MISS, want.id);
		check_is(event.job, i);
		check_is(event.value, stages.seen[0][i].origin + 1);
	}
	stages_end();
}

TEST(full, "64 instances wait before a stage that does not begin; the others are lost")
{
	struct task first = { .reg = sporadic(MS, MS / 10) },
		    last = { .reg = sporadic(MS, MS / 10) };
	struct resch_chain_set want = chain_of(RESCH_CHAIN_DS, 10 * MS, SEC);
	struct resch_event event;
	uint32_t tasks[2];
	int i;

	domain_on("1-3", "edf", "");
	last.reg.params.cpu = 2;
	task_start(&first, body_idle);
	must(resch_register_self(dev, &last.reg));
	tasks[0] = first.id;
	tasks[1] = last.reg.id;
	must(resch_chain_offer(dev, tasks[0], stage_key(tasks[0])));
	must(resch_chain_offer(dev, tasks[1], stage_key(tasks[1])));
	want.count = 2;
	want.flags = RESCH_CHAIN_F_MISS;
	must(chain_make(dev, &want, tasks, NULL));
	for (i = 1; i <= 70; i++) {
		must(resch_release(dev, tasks[0]));
		await(chain_stat(want.id).instances == (unsigned int)i);
	}
	await(chain_stat(want.id).lost == 6);
	check_is(stage_stat(want.id, 1).lost, 6);
	check_is(stage_stat(want.id, 1).waiting, 64);
	check_is(stage_stat(want.id, 1).waiting_max, 64);
	for (i = 65; i <= 70; i++) {
		event = event_await(RESCH_EVENT_CHAIN_MISS, want.id);
		check_is(event.job, i);
	}
	/* What has found room is done, in order. */
	for (i = 1; i <= 64; i++) {
		struct resch_chain_job job;

		must(resch_wait(dev, NULL));
		must(resch_chain_current(dev, &job));
		check_is(job.instance, i);
		check_is(job.stage, 1);
	}
	check_is(chain_stat(want.id).completed, 63);
	must(resch_chain_del(dev, want.id));
	must(resch_unregister(dev, 0));
	atomic_store(&first.stop, 1);
	must(resch_release(dev, first.id));
	task_join(&first);
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* The tasks are their owners' again. */
static void free_again(void)
{
	int i;

	for (i = 0; i < STAGES; i++)
		if (state_of(stages.tasks[i].id) != RESCH_STATE_GONE)
			await(!resch_release(dev, stages.tasks[i].id));
}

TEST(deleted, "a chain that is deleted leaves tasks, which may be stages of another one")
{
	int turn;

	begin(RESCH_CHAIN_DS, 0);
	for (turn = 0; turn < 20; turn++) {
		stages_feed(3, NULL);
		must(resch_chain_del(dev, stages.chain));
		check_is(tasks_registered(), STAGES);
		stages.fed = 0;
		memset(stages.done, 0, sizeof(stages.done));
		stages_chain(turn % 4 == 2 ? RESCH_CHAIN_DS : RESCH_CHAIN_RG1, 10 * MS, SEC, 0);
	}
	stages_feed(20, NULL);
	stages_end();
}

TEST(closed, "a chain ends with the descriptor that made it, the tasks don't")
{
	uint32_t tasks[STAGES], id;
	struct resch_chain_set want = chain_of(RESCH_CHAIN_DS, 10 * MS, SEC);
	struct resch_chain_stat stat;
	int other = resch_open(), i;

	three();
	memcpy(tasks, ids, sizeof(tasks));
	must(chain_make(other, &want, tasks, NULL));
	id = want.id;
	stages_feed(10, NULL);
	refused(resch_release(dev, tasks[1]), EBUSY);
	close(other);
	refused(resch_chain_stat(dev, id, &stat, NULL, 0, NULL), ENOENT);
	check_is(tasks_registered(), STAGES);
	for (i = 0; i < STAGES; i++)
		atomic_store(&stages.tasks[i].stop, 1);
	free_again();
	for (i = 0; i < STAGES; i++)
		task_join(&stages.tasks[i]);
}

static uint32_t domain;

static void each_swap(void)
{
	static const char *const plugins[] = { "fp", "fifo", "edf", "sekg", "edf" };
	static unsigned int turn;

	if (++turn % 10 == 0)
		must(domain_swap(domain, plugins[turn / 10 % 3], ""));
}

TEST(swapped, "the domain's plugin changes under a chain: nothing is lost")
{
	must(module_load("resch-fp", ""));
	domain = domain_on("1-3", "edf", "");
	stages_start(three_cpus, one_ms);
	stages_chain(RESCH_CHAIN_RG1, 10 * MS, SEC, 0);
	stages_feed(300, each_swap);
	await(chain_stat(stages.chain).completed == 300);
	check_is(chain_stat(stages.chain).lost, 0);
	stages_end();
}

/* ---- stages of different processes ----------------------------------------------------------- */

TEST(killed, "a stage that is killed stops the chain; the others stay what they are")
{
	int turn, who;

	domain_on("1-3", "edf", "");
	for (turn = 0; turn < 4; turn++)
		for (who = 0; who < STAGES; who++) {
			uint32_t chain = members_chain();

			kill(member_pids[who], SIGKILL);
			members_end(chain, who, STAGES - 1);
		}
}

TEST(left, "so does one that unregisters, closes its descriptor, or becomes another program")
{
	int how, who;

	domain_on("1-3", "fp", "");
	for (how = MEMBER_UNREGISTERS; how <= MEMBER_EXECUTES; how++)
		for (who = 0; who < STAGES; who++) {
			uint32_t chain = members_chain();

			atomic_store(&members[who].leave, how);
			members_end(chain, who, STAGES - 1);
		}
}

TEST(all_killed, "all stages are killed at once")
{
	int turn, i;

	domain_on("1-3", "edf", "");
	for (turn = 0; turn < 4; turn++) {
		uint32_t chain = members_chain();

		for (i = 0; i < STAGES; i++)
			kill(member_pids[i], SIGKILL);
		for (i = 0; i < STAGES; i++)
			child_wait(member_pids[i]);
		await(!tasks_registered());
		check(chain_stat(chain).stopped, "it goes on without stages");
		must(resch_chain_del(dev, chain));
	}
}

TEST(offline, "a stage's CPU goes offline: the chain stops")
{
	const char *path = "/sys/devices/system/cpu/cpu3/online";
	uint32_t chain;

	domain_on("1-3", "edf", "");
	chain = members_chain();
	check(file_write(path, "0"), "CPU 3 does not go offline");
	members_end(chain, 2, STAGES - 1);
	check(file_write(path, "1"), "CPU 3 does not come back");
	/* And again, with nobody the worse for it. */
	chain = members_chain();
	kill(member_pids[1], SIGKILL);
	members_end(chain, 1, STAGES - 1);
}
