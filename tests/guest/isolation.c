// SPDX-License-Identifier: GPL-2.0
/*
 * isolation.c - three programs in servers of one CPU: one never stops, one crashes and is started
 * again and again, and the third keeps its deadlines
 *
 * Deadlines are long, and an emulated machine may stand still for longer. So a round in which one
 * was missed is played again: a server that does not keep the others out fails in every round.
 * Where each deadline is held to is the deterministic guest: tests/checker/kernel/isolation.c.
 *
 * resch-test: timeout=180
 */
#include <sys/resource.h>

#include "lib.h"

#define PERIOD (200 * MS)
#define GOOD (60 * MS)
#define GREEDY (70 * MS)
#define CRASHING (20 * MS)
#define ROUNDS 6
#define JOBS 12
#define CRASHES 3

/* A server that goes with its maker. */
static struct resch_server_set set_of(uint32_t domain, uint64_t budget)
{
	struct resch_server_set want = server_of(domain, budget, PERIOD);

	want.params.flags = 0;
	return want;
}

/* A program of its own: a server, and its thread in it, in the first job. */
static void enter(uint32_t domain, uint64_t budget)
{
	struct resch_server_set want = set_of(domain, budget);
	struct resch_register reg;

	dev = resch_open();
	must(dev);
	/* What the one before had is free again at its deadline. */
	await(resch_server_set(dev, &want) == 0);
	reg = in_server(want.id, PERIOD, budget);
	must(resch_register_self(dev, &reg));
	must(resch_wait(dev, NULL));
}

static int body_greedy(void *domain)
{
	enter(*(uint32_t *)domain, GREEDY);
	for (;;)
		compute_a_while();
	return 0;
}

/* In the middle of a job, after more than it may need. */
static int body_crashing(void *domain)
{
	volatile int *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	enter(*(uint32_t *)domain, CRASHING);
	spin(CRASHING + 10 * MS);
	*nowhere = 1;
	return 0;
}

static void body_good(struct task *task)
{
	while (!atomic_load(&task->stop)) {
		task_wait(task);
		spin(5 * MS);
	}
}

/* Starts the crashing one and sees it crash. */
static void crash(uint32_t *domain)
{
	int status = child_wait(child(body_crashing, domain));

	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "wait status %x", status);
}

/* Budgets that the greedy one has used up. */
static uint64_t used_up(uint32_t domain)
{
	struct resch_server_stat stat = { .domain = domain };

	while (resch_server_next(dev, &stat) > 0)
		if (stat.params.budget == GREEDY)
			return stat.exhausted;
	return 0;
}

/*
 * How many deadlines the well-behaved one misses in some jobs, between which the crashing one
 * crashes.
 */
static uint64_t play(struct task *good, uint32_t *domain)
{
	struct resch_task_stat before = stat_of(good->id), after;
	uint64_t budgets = used_up(*domain);
	int crashes = 0;

	do {
		crash(domain);
		crashes++;
		after = stat_of(good->id);
	} while (crashes < CRASHES || after.completed < before.completed + JOBS);
	check(used_up(*domain) > budgets, "the greedy one was satisfied");
	return after.misses - before.misses;
}

TEST(three, "a greedy and a crashing program cost a well-behaved one no deadline")
{
	struct task good = { .number = 1 };
	struct resch_server_set want;
	uint32_t domain, round = 0;
	uint64_t misses;
	pid_t greedy;

	pin(0, "0");
	domain = use("server");
	want = set_of(domain, GOOD);
	must(resch_server_set(dev, &want));
	good.reg = in_server(want.id, PERIOD, GOOD);
	task_start(&good, body_good);
	greedy = child(body_greedy, &domain);
	await(used_up(domain) > 0);
	do
		misses = play(&good, &domain);
	while (misses && ++round < ROUNDS);
	check(!misses, "%llu deadlines missed in round %u", (unsigned long long)misses, round);
	kill(greedy, SIGKILL);
	child_wait(greedy);
	/* Both programs have taken their servers along. */
	await(servers_of(domain) == 1 && tasks_registered() == 1);
	task_join(&good);
	check_is(domain_stat(domain).ejections, 0);
}
