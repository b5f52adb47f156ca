// SPDX-License-Identifier: GPL-2.0
/*
 * server.c - servers: made, refused, resized, deleted; who is in one does no harm to who is in
 * another
 *
 * resch-test: timeout=240
 */
#include "lib.h"

#define PERIOD (20 * MS)

static int server_look(uint32_t domain, uint32_t id, uint32_t next, struct resch_server_stat *stat)
{
	memset(stat, 0, sizeof(*stat));
	stat->domain = domain;
	stat->id = id;
	stat->next = next;
	return call(dev, RESCH_IOC_SERVER_STAT, stat);
}

/* A task that says little and takes all it can get. */
static void greedy_start(struct task *task, uint32_t id)
{
	memset(task, 0, sizeof(*task));
	task->reg = in_server(id, PERIOD, 1);
	task->reg.params.flags = RESCH_F_SKIP_ADMISSION;
	task_start(task, body_spin);
}

TEST(refused, "what can't be a server is refused, and nothing changes")
{
	struct resch_server_set want;
	uint32_t domain = use("server"), first;

#define REFUSED_SET(error, change)                         \
	do {                                               \
		want = server_of(domain, 8 * MS, 20 * MS); \
		change;                                    \
		refused(server_set(&want), error);         \
		check_is(servers_of(domain), made);        \
	} while (0)
	uint32_t made = 0;

	REFUSED_SET(ENODEV, want.domain = 77);
	REFUSED_SET(ENODEV, want.params.cpu = 0);
	REFUSED_SET(ENOENT, want.id = 1);
	REFUSED_SET(EINVAL, want.reserved = 1);
	REFUSED_SET(EINVAL, want.params.cpu = -2);
	REFUSED_SET(EINVAL, want.params.cpu = 1023);
	REFUSED_SET(EINVAL, want.params.budget = 0);
	REFUSED_SET(EINVAL, want.params.budget = 9999);
	REFUSED_SET(EINVAL, want.params.budget = want.params.period + 1);
	REFUSED_SET(EINVAL, want.params.period = ~0ULL);
	REFUSED_SET(EINVAL, want.params.budget = ~0ULL; want.params.period = ~0ULL);
	REFUSED_SET(EINVAL, want.params.budget = SEC; want.params.period = 3600 * SEC + 1);
	REFUSED_SET(EINVAL, want.params.budget = 10000; want.params.period = 100 * MS + 1);
	REFUSED_SET(EINVAL, want.params.kind = RESCH_SERVER_KINDS);
	REFUSED_SET(EINVAL, want.params.kind = RESCH_SERVER_LINUX;
		    want.params.policy = RESCH_SERVER_FIFO);
	REFUSED_SET(EINVAL, want.params.policy = RESCH_SERVER_POLICIES);
	REFUSED_SET(EINVAL, want.params.policy = RESCH_SERVER_RR);
	REFUSED_SET(EINVAL, want.params.policy = RESCH_SERVER_RR; want.params.quantum = 9999);
	REFUSED_SET(EINVAL, want.params.policy = RESCH_SERVER_RR; want.params.quantum = SEC + 1);
	REFUSED_SET(EINVAL, want.params.quantum = MS);
	REFUSED_SET(EINVAL, want.params.flags = RESCH_SERVER_F_ALL + 1);
	REFUSED_SET(EINVAL, want.params.flags |= RESCH_SERVER_F_RECLAIM;
		    want.params.kind = RESCH_SERVER_TBS);
	REFUSED_SET(EINVAL, memset(want.params.name, 'x', sizeof(want.params.name)));
	REFUSED_SET(EBUSY, want.params.budget = 20 * MS);
	check_is(want.verdict.bound, RESCH_BOUND_UTILIZATION);
	check_is(want.verdict.cpu, CPU);
	check_is(want.verdict.suggest_wcet, 19 * MS);

	first = server_make(domain, 10 * MS, 20 * MS);
	made = 1;
	REFUSED_SET(EBUSY, want.params.budget = 10 * MS);
	check_is(want.verdict.suggest_wcet, 9 * MS);
	REFUSED_SET(EBUSY, want.id = first; want.params.budget = 20 * MS);
	REFUSED_SET(EINVAL, want.id = first; want.params.kind = RESCH_SERVER_CBS);
	REFUSED_SET(EINVAL, want.id = first; want.params.policy = RESCH_SERVER_DM);
	REFUSED_SET(EINVAL, want.id = first; want.params.flags = 0);
	check_is(server_stat(domain, first).params.budget, 10 * MS);
	refused(server_del(77, first), ENODEV);
	refused(server_del(domain, first + 1), ENOENT);
	refused(server_look(domain, 0, 0, &(struct resch_server_stat){}), ENOENT);
	refused(server_look(domain, first, 1, &(struct resch_server_stat){}), ENOENT);
	refused(server_look(domain, first, 2, &(struct resch_server_stat){}), EINVAL);
	refused(server_look(77, first, 0, &(struct resch_server_stat){}), ENODEV);
	must(server_del(domain, first));
	refused(server_del(domain, first), ENOENT);
	check_is(servers_of(domain), 0);
	server_make(domain, 19 * MS, 20 * MS);
}

TEST(doors, "tasks that don't fit their server, or have none, are refused")
{
	uint32_t domain = use("server"), id = server_make(domain, 5 * MS, 20 * MS);
	struct resch_register reg;
	struct resch_server_set want;

	reg = in_server(0, PERIOD, MS);
	refused(resch_register_self(dev, &reg), EINVAL);
	reg = in_server(id + 1, PERIOD, MS);
	refused(resch_register_self(dev, &reg), EINVAL);
	reg = in_server(id, PERIOD, MS);
	reg.params.cpu = 0;
	refused(resch_register_self(dev, &reg), ENODEV);
	reg = in_server(id, PERIOD, 6 * MS);
	refused(resch_register_self(dev, &reg), EBUSY);
	check_is(reg.verdict.bound, RESCH_BOUND_UTILIZATION);
	check_is(reg.verdict.suggest_wcet, 5 * MS);
	reg = in_server(id, PERIOD, 4 * MS);
	reg.params.deadline = 19 * MS;
	refused(resch_register_self(dev, &reg), EBUSY);
	check_is(reg.verdict.bound, RESCH_BOUND_SERVER);
	check_is(server_stat(domain, id).tasks, 0);
	reg = in_server(id, PERIOD, 4 * MS);
	must(resch_register_self(dev, &reg));
	check_is(reg.cpu, CPU);
	check_is(server_stat(domain, id).tasks, 1);
	refused(server_del(domain, id), EBUSY);
	/* Too small for the task that is in it. */
	want = server_of(domain, 3 * MS, 20 * MS);
	want.id = id;
	refused(server_set(&want), EBUSY);
	check_is(want.verdict.task, reg.id);
	check_is(server_stat(domain, id).params.budget, 5 * MS);
	want.params.budget = 4 * MS;
	must(server_set(&want));
	check_is(server_stat(domain, id).params.budget, 4 * MS);
	must(resch_unregister(dev, 0));
	check_is(server_stat(domain, id).tasks, 0);
	must(server_del(domain, id));
}

TEST(many, "there are so many servers and no more, and all of them go with their domain")
{
	uint32_t domain = use("server");
	struct resch_server_set want;
	int i;

	for (i = 0; i < RESCH_SERVERS_MAX; i++)
		check_is(server_make(domain, 20 * 1000, 200 * MS), i + 1);
	want = server_of(domain, 20 * 1000, 200 * MS);
	refused(server_set(&want), ENOSPC);
	must(server_del(domain, 7));
	/* The number of one that is gone is not used again at once. */
	check_is(server_make(domain, 20 * 1000, 200 * MS), RESCH_SERVERS_MAX + 1);
	check_is(servers_of(domain), RESCH_SERVERS_MAX);
	must(resch_domain_del(dev, domain));
	domain = use("server");
	check_is(servers_of(domain), 0);
	server_make(domain, 19 * MS, 20 * MS);
}

TEST(isolated,
     "a greedy member gets its budgets, a well-behaved one keeps its pace, one may be killed")
{
	uint32_t domain, greedy_id, good_id;
	struct resch_server_stat before, after;
	struct task greedy, good = { .number = 1 };
	uint64_t begin;

	pin(0, "0");
	domain = use("server");
	greedy_id = server_make(domain, 8 * MS, 20 * MS);
	good_id = server_make(domain, 4 * MS, 20 * MS);
	greedy_start(&greedy, greedy_id);
	good.reg = in_server(good_id, PERIOD, 4 * MS);
	task_start(&good, body_short);
	before = server_stat(domain, greedy_id);
	begin = resch_now();
	await(atomic_load(&good.jobs) >= 25);
	after = share_await(&before, begin, SEC, 20 * SEC);
	check(after.replenished > before.replenished + 3, "replenished %llu times",
	      (unsigned long long)(after.replenished - before.replenished));
	check_is(after.postponed, 0);
	check_is(stat_of(greedy.id).completed, 0);
	task_join(&greedy);
	task_join(&good);
	check_is(domain_stat(domain).ejections, 0);
}

/* A program with a server of its own, that computes until it is killed. */
static int body_program(void *arg)
{
	struct resch_server_set want = server_of(*(uint32_t *)arg, 4 * MS, 20 * MS);
	struct task greedy;

	dev = resch_open();
	want.params.flags = 0;
	want.params.kind = RESCH_SERVER_CBS;
	must(server_set(&want));
	greedy_start(&greedy, want.id);
	for (;;)
		pause();
	return 0;
}

TEST(killed, "a program that is killed takes its server along, and nobody else notices")
{
	struct task good = { .number = 1 };
	uint32_t domain, id, i;
	uint64_t jobs;
	pid_t pid;

	pin(0, "0");
	domain = use("server");
	id = server_make(domain, 4 * MS, 20 * MS);
	good.reg = in_server(id, PERIOD, 4 * MS);
	task_start(&good, body_short);
	for (i = 0; i < 5; i++) {
		pid = child(body_program, &domain);
		await(servers_of(domain) == 2 && tasks_registered() == 2);
		jobs = atomic_load(&good.jobs);
		await(atomic_load(&good.jobs) >= jobs + 5);
		kill(pid, SIGKILL);
		child_wait(pid);
		await(servers_of(domain) == 1 && tasks_registered() == 1);
		jobs = atomic_load(&good.jobs);
		await(atomic_load(&good.jobs) >= jobs + 5);
	}
	task_join(&good);
	check_is(domain_stat(domain).ejections, 0);
}

TEST(owner, "a server goes with the descriptor that made it, or with its last task")
{
	uint32_t domain = use("server");
	struct resch_server_set want = server_of(domain, 4 * MS, 20 * MS);
	struct resch_register reg;
	int own = dev, other = resch_open();

	want.params.flags = 0;
	must(call(other, RESCH_IOC_SERVER_SET, &want));
	/* Whoever may, may resize it. */
	want.params.budget = 5 * MS;
	must(server_set(&want));
	close(other);
	await(servers_of(domain) == 0);
	other = resch_open();
	want.id = 0;
	must(call(other, RESCH_IOC_SERVER_SET, &want));
	reg = in_server(want.id, PERIOD, MS);
	must(resch_register_self(own, &reg));
	close(other);
	check_is(server_stat(domain, want.id).tasks, 1);
	refused(server_set(&want), ENOENT);
	must(resch_unregister(own, 0));
	await(servers_of(domain) == 0);
	refused(resch_register_self(own, &reg), EINVAL);
	/* A domain may go before the descriptor. */
	other = resch_open();
	want.id = 0;
	must(call(other, RESCH_IOC_SERVER_SET, &want));
	must(resch_domain_del(dev, domain));
	close(other);
}

TEST(resized, "a server is resized under its tasks; what it gives up is for others, a little later")
{
	struct resch_server_set want;
	struct task greedy;
	uint32_t domain, id;
	uint64_t count;
	int i;

	pin(0, "0");
	domain = use("server");
	id = server_make(domain, 15 * MS, 20 * MS);
	greedy_start(&greedy, id);
	for (i = 0; i < 20; i++) {
		want = server_of(domain, i & 1 ? 15 * MS : 2 * MS, 20 * MS);
		want.id = id;
		/* Just after the last change what was given up then may not be free yet. */
		await(server_set(&want) == 0);
		check_is(server_stat(domain, id).params.budget, i & 1 ? 15 * MS : 2 * MS);
		count = server_stat(domain, id).replenished;
		await(server_stat(domain, id).replenished > count);
	}
	check(server_stat(domain, id).left <= 15 * MS, "it has more than it may");
	want.params.budget = 5 * MS;
	must(server_set(&want));
	want = server_of(domain, 12 * MS, 20 * MS);
	await(server_set(&want) == 0);
	await(server_stat(domain, id).replenished > count + 5);
	check(server_stat(domain, id).left <= 5 * MS, "it has more than it may");
	want.id = id;
	want.params.budget = 15 * MS;
	refused(server_set(&want), EBUSY);
	task_join(&greedy);
}

TEST(kinds, "all kinds of servers serve by all policies")
{
	struct task tasks[2];
	uint32_t domain, kind, policy, i;

	pin(0, "0");
	domain = use("server");
	for (kind = RESCH_SERVER_CBS_HARD; kind <= RESCH_SERVER_PASSIVE; kind++) {
		for (policy = RESCH_SERVER_EDF; policy <= RESCH_SERVER_RR; policy++) {
			struct resch_server_set want = server_of(domain, 10 * MS, 20 * MS);

			want.params.kind = kind;
			want.params.policy = policy;
			want.params.quantum = policy == RESCH_SERVER_RR ? MS : 0;
			await(server_set(&want) == 0);
			memset(tasks, 0, sizeof(tasks));
			for (i = 0; i < 2; i++) {
				tasks[i].reg = in_server(want.id, PERIOD, 4 * MS);
				tasks[i].number = i;
				task_start(&tasks[i], body_short);
			}
			for (i = 0; i < 2; i++)
				await(atomic_load(&tasks[i].jobs) >= 2);
			for (i = 0; i < 2; i++)
				task_join(&tasks[i]);
			check(server_stat(domain, want.id).consumed, "nothing was charged");
			check(server_stat(domain, want.id).replenished, "it never had a budget");
			must(server_del(domain, want.id));
		}
	}
	check_is(domain_stat(domain).ejections, 0);
}

TEST(patience, "a server that waits for longer than the watchdog does no wrong")
{
	static const char file[] = "/sys/module/resch/parameters/watchdog_ms";
	struct resch_server_set want;
	struct resch_server_stat stat;
	struct task greedy;
	uint32_t domain, id;

	pin(0, "0");
	/* Two periods are added to it for servers: so late no machine's timer should be. */
	check(file_write(file, "300\n"), "%s: %s", file, strerror(errno));
	domain = use("server");
	id = server_make(domain, 2 * MS, SEC);
	greedy_start(&greedy, id);
	await((stat = server_stat(domain, id)).replenished >= 3);
	check(stat.exhausted >= 2, "exhausted %llu times", (unsigned long long)stat.exhausted);
	check_is(domain_stat(domain).ejections, 0);
	check(file_write(file, "20000\n"), "%s: %s", file, strerror(errno));
	/* It would take it many budgets to end, on a slow machine. */
	want = server_of(domain, 900 * MS, SEC);
	want.id = id;
	must(server_set(&want));
	task_join(&greedy);
}

static atomic_int enough;

/*
 * Takes the CPU from everybody for much longer than the budget: in its server's turn, or just after
 * it.
 */
static void body_away(struct task *task)
{
	resch_wait(dev, NULL);
	while (!enough)
		check(file_write("/sys/module/resch_away/parameters/ms", "200\n"), "ms: %s",
		      strerror(errno));
	atomic_store(&task->step, 1);
	body_spin(task);
}

TEST(overdrawn,
     "a server that has to pay for a CPU that was away waits for long, and does no wrong")
{
	static const char file[] = "/sys/module/resch/parameters/watchdog_ms";
	struct task late = { .number = 1 };
	struct resch_server_stat stat;
	struct resch_server_set want;
	uint32_t domain;
	uint64_t count;

	must(module_load("resch-away", ""));
	pin(0, "0");
	check(file_write(file, "200\n"), "%s: %s", file, strerror(errno));
	domain = use("server");
	want = server_of(domain, 10 * MS, 100 * MS);
	must(server_set(&want));
	late.reg = in_server(want.id, 100 * MS, 1);
	late.reg.params.flags = RESCH_F_SKIP_ADMISSION;
	task_start(&late, body_away);
	/*
	 * What comes while the CPU is away is looked at before its timer, and all the time counts:
	 * up to 20 budgets, for which the server waits at once, for much longer than two periods
	 * and the watchdog.
	 */
	do {
		sleep_ms(1);
		must(server_set(&want));
		stat = server_stat(domain, want.id);
	} while (stat.deadline < resch_now() + SEC);
	enough = 1;
	await(late.step || domain_stat(domain).ejections);
	count = server_stat(domain, want.id).replenished;
	await(server_stat(domain, want.id).replenished >= count + 3 ||
	      domain_stat(domain).ejections);
	check_is(domain_stat(domain).ejections, 0);
	check(file_write(file, "20000\n"), "%s: %s", file, strerror(errno));
	task_join(&late);
	must(module_unload("resch-away"));
}

TEST(swapped, "servers stand when another plugin takes over, and are admitted again")
{
	uint32_t domain, id, i;
	struct resch_server_set want;
	struct task good = { .number = 1 }, none = { .reg = periodic(PERIOD, MS) };
	uint64_t jobs;

	pin(0, "0");
	domain = use("server");
	id = server_make(domain, 4 * MS, 20 * MS);
	good.reg = in_server(id, PERIOD, 4 * MS);
	task_start(&good, body_short);
	for (i = 0; i < 6; i++) {
		must(domain_swap(domain, i & 1 ? "server" : "edf", ""));
		jobs = atomic_load(&good.jobs);
		await(atomic_load(&good.jobs) >= jobs + 3);
		check_is(server_stat(domain, id).tasks, 1);
	}
	must(domain_swap(domain, "fifo", ""));
	check_is(server_stat(domain, id).consumed, 0);
	want = server_of(domain, MS, 20 * MS);
	refused(server_set(&want), EOPNOTSUPP);
	/* One that is in no server does not fit under the plugin. */
	task_start(&none, body_idle);
	refused(domain_swap(domain, "server", ""), EBUSY);
	task_join(&none);
	await(tasks_registered() == 1);
	must(domain_swap(domain, "server", ""));
	jobs = atomic_load(&good.jobs);
	await(atomic_load(&good.jobs) >= jobs + 3);
	task_join(&good);
	check_is(domain_stat(domain).ejections, 0);
}

static void body_until_gone(struct task *task)
{
	task->unregistered_end = true;
	while (!resch_wait(dev, NULL))
		spin(MS / 10);
	atomic_store(&task->step, 1);
}

TEST(offline, "a CPU goes offline under a server, which is there when it comes back")
{
	uint32_t domain, id;
	struct task good = { .number = 1 }, again = { .number = 2 };

	pin(0, "0");
	domain = use("server");
	id = server_make(domain, 4 * MS, 20 * MS);
	good.reg = in_server(id, PERIOD, 4 * MS);
	task_start(&good, body_until_gone);
	check(file_write("/sys/devices/system/cpu/cpu1/online", "0"), "offline: %s",
	      strerror(errno));
	await(atomic_load(&good.step) == 1);
	await(server_stat(domain, id).tasks == 0);
	again.reg = in_server(id, PERIOD, 4 * MS);
	refused(resch_register_self(dev, &again.reg), ENODEV);
	refused(server_set(&(struct resch_server_set){
			.domain = domain,
			.params = { .budget = MS, .period = PERIOD, .cpu = -1 } }),
		ENODEV);
	check(file_write("/sys/devices/system/cpu/cpu1/online", "1"), "online: %s",
	      strerror(errno));
	task_start(&again, body_short);
	await(atomic_load(&again.jobs) >= 5);
	task_join(&again);
	task_join(&good);
}
