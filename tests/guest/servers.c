// SPDX-License-Identifier: GPL-2.0
/*
 * servers.c - bands of servers: one on each of several CPUs, made and resized together, and who is
 * put into which
 */
#include "lib.h"

#define PERIOD (20 * MS)
#define CPUS 3 /* CPU 1 to 3 */
#define KIDS 6

static struct resch_servers_set band_of(uint32_t domain, uint64_t budget, uint64_t cpus)
{
	return (struct resch_servers_set){
		.domain = domain,
		.cpus = { .bits = { cpus } },
		.params = { .budget = budget,
			    .period = PERIOD,
			    .quantum = MS,
			    .policy = RESCH_SERVER_RR,
			    .cpu = -1,
			    .flags = RESCH_SERVER_F_PERSIST },
	};
}

static uint32_t band_make(uint32_t domain, uint64_t budget, uint64_t cpus)
{
	struct resch_servers_set want = band_of(domain, budget, cpus);

	must(resch_servers_set(dev, &want));
	check_is(want.count, __builtin_popcountll(cpus));
	return want.id;
}

/* The server of the band on that CPU; there is exactly one. */
static struct resch_server_stat on_cpu(uint32_t domain, uint32_t band, int cpu)
{
	struct resch_server_stat stat = { .domain = domain }, found = {};

	while (must(resch_server_next(dev, &stat)) > 0) {
		if (stat.band != band || stat.params.cpu != cpu)
			continue;
		check(!found.id, "two servers of band %u on CPU %d", band, cpu);
		found = stat;
	}
	check(found.id, "no server of band %u on CPU %d", band, cpu);
	return found;
}

static int set_maker(void *domain)
{
	struct resch_servers_set want = band_of(*(uint32_t *)domain, MS, 6);
	int fd = must(resch_open());

	want.params.flags = 0;
	return resch_servers_set(fd, &want) || servers_of(*(uint32_t *)domain) != 3;
}

TEST(together, "all CPUs take their server, or the new size, or nothing changes")
{
	uint32_t domain = domain_on("1-2", "server", NULL), band, alone;
	struct resch_servers_set wanted;
	struct resch_server_set one = { .domain = domain };

#define REFUSED(error, change)                                   \
	do {                                                     \
		wanted = band_of(domain, 4 * MS, 6);             \
		change;                                          \
		refused(resch_servers_set(dev, &wanted), error); \
	} while (0)
	REFUSED(EINVAL, wanted.cpus.bits[0] = 0);
	REFUSED(EINVAL, wanted.params.cpu = 1);
	REFUSED(EINVAL, wanted.reserved = 1);
	REFUSED(EINVAL, wanted.params.budget = PERIOD + 1);
	REFUSED(ENODEV, wanted.cpus.bits[0] = 14);
	REFUSED(ENODEV, wanted.cpus.bits[RESCH_CPUS_MAX / 64 - 1] = 1ULL << 63);
	REFUSED(ENODEV, wanted.domain = 77);
	REFUSED(ENOENT, wanted.id = 77; wanted.cpus.bits[0] = 0);
	one.params = band_of(domain, 14 * MS, 0).params;
	one.params.cpu = 2;
	must(resch_server_set(dev, &one));
	alone = one.id;
	REFUSED(EBUSY, wanted.params.budget = 6 * MS);
	check_is(wanted.verdict.cpu, 2);
	check_is(wanted.verdict.suggest_wcet, 5 * MS);
	check_is(servers_of(domain), 1);
	REFUSED(ENOENT, wanted.id = alone; wanted.cpus.bits[0] = 0);

	band = band_make(domain, 4 * MS, 6);
	REFUSED(EBUSY, wanted.id = band; wanted.cpus.bits[0] = 0; wanted.params.budget = 6 * MS);
	check_is(wanted.verdict.cpu, 2);
	check_is(on_cpu(domain, band, 1).params.budget, 4 * MS);
	check_is(on_cpu(domain, band, 2).params.budget, 4 * MS);
	REFUSED(EINVAL, wanted.id = band);
	one.id = band;
	one.params.cpu = -1;
	one.params.budget = MS;
	refused(resch_server_set(dev, &one), EINVAL);
	refused(resch_server_del(dev, domain, band), EINVAL);
	wanted = band_of(domain, 3 * MS, 0);
	wanted.id = band;
	must(resch_servers_set(dev, &wanted));
	check_is(wanted.count, 2);
	check_is(on_cpu(domain, band, 1).params.budget, 3 * MS);
	check_is(on_cpu(domain, band, 2).params.budget, 3 * MS);
	refused(resch_servers_del(dev, domain, alone), ENOENT);
	must(resch_servers_del(dev, domain, band));
	check_is(servers_of(domain), 1);
	refused(resch_servers_del(dev, domain, band), ENOENT);
	/* One that is not to stay goes with who has made it. */
	child_ok(child(set_maker, &domain));
	await(servers_of(domain) == 1);
}

/* ---- tasks with runtimes --------------------------------------------------------------------- */

struct wish {
	struct resch_register reg;
	const char *affinity;
	atomic_int done;
	int result;
};

/* It stays registered until the case ends. */
static void *wish_thread(void *arg)
{
	struct wish *wish = arg;

	pin(0, wish->affinity);
	wish->result = resch_register_self(dev, &wish->reg);
	atomic_store(&wish->done, 1);
	for (;;)
		pause();
	return NULL;
}

/* The CPU that such a thread gets, or -errno. */
static int wish_for(uint32_t domain, uint32_t band, uint64_t wcet, int cpu, const char *affinity)
{
	static struct wish wishes[16];
	static int count;
	struct wish *wish = &wishes[count++];
	struct resch_server_stat stat;
	pthread_t thread;

	wish->reg.domain = domain;
	wish->reg.params = (struct resch_task_params){
		.period = PERIOD, .wcet = wcet, .cpu = cpu, .group = band
	};
	wish->affinity = affinity;
	must_libc(pthread_create(&thread, NULL, wish_thread, wish));
	await(wish->done);
	if (wish->result)
		return wish->result;
	must(resch_server_stat(dev, domain, band, &stat));
	check_is(stat_of(wish->reg.id).params.group, on_cpu(domain, stat.band, wish->reg.cpu).id);
	check_is(stat_of(wish->reg.id).cpu, wish->reg.cpu);
	return wish->reg.cpu;
}

TEST(worst_fit,
     "tasks with runtimes: where most is to spare, in their affinity, or where they ask to be")
{
	uint32_t domain = domain_on("1-3", "server", NULL), band = band_make(domain, 10 * MS, 14);
	struct resch_servers_set wanted;

	check_is(wish_for(domain, band, 4 * MS, -1, "0-3"), 1);
	check_is(wish_for(domain, band, 3 * MS, -1, "0-3"), 2);
	check_is(wish_for(domain, band, 2 * MS, -1, "0-3"), 3);
	check_is(wish_for(domain, band, 2 * MS, -1, "0-3"), 3); /* 4, 3, 4 */
	check_is(wish_for(domain, band, MS, -1, "1,3"), 1); /* 5, 3, 4 */
	check_is(wish_for(domain, band, MS, 1, "0-3"), 1); /* 6, 3, 4 */
	/* By another one's id, and with an affinity that has nothing to do with the band. */
	check_is(wish_for(domain, on_cpu(domain, band, 3).id, 4 * MS, -1, "0"), 2); /* 6, 7, 4 */
	check_is(wish_for(domain, band, 7 * MS, -1, "0-3"), -EBUSY);
	check_is(wish_for(domain, band, 5 * MS, -1, "1-2"), -EBUSY);
	check_is(wish_for(domain, band, 5 * MS, 2, "0-3"), -EBUSY);
	check_is(wish_for(domain, band, MS, 0, "0-3"), -ENODEV);
	check_is(wish_for(domain, band, 6 * MS, -1, "0-3"), 3); /* 6, 7, 10 */
	/* Its tasks would not fit on one of the CPUs. */
	wanted = band_of(domain, 9 * MS, 0);
	wanted.id = band;
	refused(resch_servers_set(dev, &wanted), EBUSY);
	check_is(wanted.verdict.cpu, 3);
	check_is(on_cpu(domain, band, 1).params.budget, 10 * MS);
	refused(resch_servers_del(dev, domain, band), EBUSY);
}

/* ---- whole processes ------------------------------------------------------------------------- */

struct told {
	atomic_int count, stop, bad;
	int cpu[KIDS];
};

static struct told *told;

/*
 * A member that never blocks: in the server of the CPU where it is, from its first instruction on.
 */
static void kid(int number)
{
	struct resch_task_stat stat;

	must(resch_task_stat(dev, 0, &stat));
	told->cpu[number] = sched_getcpu();
	if (stat.cpu != told->cpu[number])
		told->bad = 1;
	atomic_fetch_add(&told->count, 1);
	while (!told->stop)
		if (sched_getcpu() != told->cpu[number])
			told->bad = 1;
	_exit(0);
}

static int family_body(void *arg)
{
	struct resch_register reg = *(struct resch_register *)arg;
	pid_t pids[KIDS];
	int i;

	pin(0, "0-3");
	must(resch_register_self(dev, &reg));
	for (i = 1; i < KIDS; i++) {
		pids[i] = fork();
		if (!pids[i])
			kid(i);
	}
	told->cpu[0] = sched_getcpu();
	while (!told->stop)
		;
	for (i = 1; i < KIDS; i++)
		waitpid(pids[i], NULL, 0);
	return 0;
}

TEST(family, "children are spread over the CPUs of the band, and execute there")
{
	uint32_t domain = domain_on("1-3", "server", NULL), band = band_make(domain, 12 * MS, 14);
	struct resch_register reg = {
		.domain = domain,
		.params = { .kind = RESCH_WAKEUP, .cpu = -1, .flags = RESCH_F_FAMILY },
	};
	struct resch_server_stat stat;
	int i, cpu, count[CPUS + 1] = {};
	pid_t pid;

	reg.params.group = band;
	pin(0, "0");
	told = shared(sizeof(*told));
	pid = child(family_body, &reg);
	await(told->count == KIDS - 1 && told->cpu[0]);
	for (i = 0; i < KIDS; i++)
		count[told->cpu[i]]++;
	for (cpu = 1; cpu <= CPUS; cpu++) {
		stat = on_cpu(domain, band, cpu);
		check_is(stat.tasks, KIDS / CPUS);
		check_is(count[cpu], KIDS / CPUS);
		check(stat.consumed, "nothing was charged on CPU %d", cpu);
	}
	told->stop = 1;
	child_ok(pid);
	check(!told->bad, "a member was not on the CPU of its server");
	await(!on_cpu(domain, band, 1).tasks && !on_cpu(domain, band, 2).tasks &&
	      !on_cpu(domain, band, 3).tasks);
	must(resch_servers_del(dev, domain, band));
	check_is(servers_of(domain), 0);
	check_is(domain_stat(domain).ejections, 0);
}

/* ---- the rest of Linux ----------------------------------------------------------------------- */

static int greedy_body(void *arg)
{
	struct resch_register reg = *(struct resch_register *)arg;

	must(resch_register_self(dev, &reg));
	for (;;)
		;
}

static int ordinary_body(void *arg)
{
	volatile uint64_t *steps = arg;

	pin(0, "1");
	while (++*steps)
		;
	return 0;
}

/*
 * In how many budgets of Linux on CPU 1 an ordinary program gets on, of the first 15, or 5 if that
 * is soon found. They come every 100 ms: the kernel itself gives such a program 50 ms once a
 * second.
 */
static uint32_t shares_used(uint32_t domain, uint32_t id)
{
	struct resch_servers_set want = band_of(domain, 20 * MS, 0);
	uint64_t *steps = shared(sizeof(*steps)), before, used;
	pid_t pid = child(ordinary_body, steps);
	const struct resch_server_page *page;
	struct resch_server_page now;
	struct resch_server_stat then;
	uint32_t count = 0, i;
	int fd;

	want.id = id;
	want.params.kind = RESCH_SERVER_LINUX;
	want.params.policy = RESCH_SERVER_EDF;
	want.params.quantum = 0;
	want.params.period = 100 * MS;
	must(resch_servers_set(dev, &want));
	/*
	 * Before it is open: what is used up from then on can be read, perhaps before the page was.
	 */
	then = on_cpu(domain, id, 1);
	fd = must(resch_server_open(dev, domain, then.id));
	page = resch_server_map(fd);
	check(page, "its page can't be mapped");
	for (i = 0; i < 15 && count < 5; i++) {
		before = *(volatile uint64_t *)steps;
		check_is(read(fd, &used, sizeof(used)), sizeof(used));
		count += *(volatile uint64_t *)steps != before;
	}
	resch_server_read(page, &now);
	check(now.exhausted >= then.exhausted + i && now.consumed > then.consumed,
	      "its page has %llu budgets used up of %u", (unsigned long long)now.exhausted, i);
	await((resch_server_read(page, &now), now.flags & RESCH_PAGE_RUNNING));
	await((resch_server_read(page, &now), !(now.flags & RESCH_PAGE_RUNNING)));
	kill(pid, SIGKILL);
	child_wait(pid);
	close(fd);
	return count;
}

TEST(rest,
     "the rest of Linux has its server beside one that takes all it can get, and no tasks in it")
{
	uint32_t domain = domain_on("1-2", "server", NULL);
	struct resch_servers_set want = band_of(domain, 4 * MS, 6);
	struct resch_register reg = {
		.domain = domain,
		.params = { .kind = RESCH_WAKEUP, .cpu = -1, .flags = RESCH_F_FAMILY }
	};
	struct resch_server_set soft = { .domain = domain };
	struct resch_server_stat rest, stat;
	uint64_t had;
	pid_t pid;

	want.params.kind = RESCH_SERVER_LINUX;
	refused(resch_servers_set(dev, &want), EINVAL);
	want.params.policy = RESCH_SERVER_EDF;
	want.params.quantum = 0;
	must(resch_servers_set(dev, &want));
	rest = on_cpu(domain, want.id, 1);
	soft.params = band_of(domain, 17 * MS, 0).params;
	soft.params.kind = RESCH_SERVER_CBS;
	soft.params.cpu = 1;
	refused(resch_server_set(dev, &soft), EBUSY);
	check_is(soft.verdict.limit, 800000);
	soft.params.budget = 16 * MS;
	must(resch_server_set(dev, &soft));
	want.id = 0;
	refused(resch_servers_set(dev, &want), EEXIST);
	check_is(servers_of(domain), 3);
	reg.params.group = rest.id;
	refused(resch_register_self(dev, &reg), EINVAL);
	reg.params.group = soft.id;
	pid = child(greedy_body, &reg);
	/* a new process may take longer to come here than ten budgets of the others */
	await((must(resch_server_stat(dev, domain, soft.id, &stat)), stat.consumed));
	rest = on_cpu(domain, rest.band, 1);
	await(on_cpu(domain, rest.band, 1).exhausted >= rest.exhausted + 10);
	had = on_cpu(domain, rest.band, 1).consumed - rest.consumed;
	check(had >= 9 * 4 * MS, "it has had %llu ns of 10 budgets", (unsigned long long)had);
	check(shares_used(domain, rest.band) >= 5, "an ordinary program was kept waiting");
	kill(pid, SIGKILL);
	child_wait(pid);
	must(resch_servers_del(dev, domain, rest.band));
	check_is(domain_stat(domain).ejections, 0);
}
