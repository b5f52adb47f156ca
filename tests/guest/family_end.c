// SPDX-License-Identifier: GPL-2.0
/*
 * family_end.c - whole processes in a server: what becomes of members that are given back, and of
 * servers whose maker has gone
 *
 * resch-test: timeout=240
 */
#include "family.h"

static const struct initial initials[] = {
	{ "ordinary", SCHED_OTHER, 0, 3, 0 },
	{ "real-time", SCHED_RR, 7, 0, 0 },
	{ "reset on fork", SCHED_FIFO, 5, 0, FLAG_RESET_ON_FORK },
};
#define INITIALS (sizeof(initials) / sizeof(initials[0]))

/* ---- given back ------------------------------------------------------------------------------ */

/* Ends a household somehow; its members are then what they would be without us. */
static void ended(void (*end)(int fd))
{
	uint32_t domain, id, way;
	struct attributes wanted;
	struct family family;
	pid_t pid;
	int fd, i;

	pin(0, "0");
	told = shared(sizeof(*told));
	domain = use("server");
	id = family_server(domain, 15 * MS, RESCH_SERVER_F_PERSIST, dev);
	for (way = 0; way < INITIALS; way++) {
		fd = must(resch_open());
		family = (struct family){ domain, id, body_household, fd, &initials[way] };
		pid = fork();
		if (!pid) {
			close(dev);
			_exit(family_main(&family));
		}
		await(told->ready && server_stat(domain, id).tasks >= 5);
		/*
		 * The members' copies of the descriptor are those of one open file: it has to go.
		 */
		end(fd);
		await(server_stat(domain, id).tasks == 0);
		wanted = told->before;
		attributes_await(pid, &wanted, initials[way].what);
		if (wanted.flags & FLAG_RESET_ON_FORK) {
			wanted.policy = SCHED_OTHER;
			wanted.priority = 0;
			wanted.flags = 0;
		}
		for (i = 0; i < 4; i++) {
			attributes_await(told->pids[i], &wanted, initials[way].what);
			kill(told->pids[i], SIGKILL);
		}
		kill(pid, SIGKILL);
		child_wait(pid);
		close(fd);
		await(tasks_registered() == 0);
		memset(told, 0, sizeof(*told));
	}
	must(resch_server_del(dev, domain, id));
}

TEST(unregistered, "members that are unregistered have what they would have without us")
{
	ended(family_unregister);
}

/* Makes told->count children, who do nothing. */
static int body_births(void)
{
	int i;

	for (i = 0; i < told->count; i++) {
		pid_t pid = fork();

		while (!pid)
			sleep_ms(5);
		told->pids[i] = pid;
	}
	told->ready = 1;
	for (;;)
		pause();
	return 0;
}

TEST(newborn, "so have those that are unregistered as they are born, with no budget left")
{
	uint32_t domain = use("server"),
		 id = family_server(domain, MS, RESCH_SERVER_F_PERSIST, dev);
	struct attributes wanted;
	pid_t pid;
	int i, round;

	pin(0, "0");
	told = shared(sizeof(*told));
	for (round = 0; round < 8; round++) {
		told->count = 2 + round;
		pid = family_start(domain, id, body_births);
		await(told->ready);
		family_unregister(dev);
		wanted = told->before;
		attributes_await(pid, &wanted, "the first");
		for (i = 0; i < told->count; i++)
			attributes_await(told->pids[i], &wanted, "a child");
		kill(pid, SIGKILL);
		child_wait(pid);
		for (i = 0; i < told->count; i++)
			kill(told->pids[i], SIGKILL);
		await(tasks_registered() == 0);
		memset(told, 0, sizeof(*told));
	}
	must(resch_server_del(dev, domain, id));
}

static void end_sysrq(int fd)
{
	(void)fd;
	check(file_write("/proc/sysrq-trigger", "y"), "no SysRq");
}

TEST(sysrq, "SysRq gives members back, and who is born just then")
{
	ended(end_sysrq);
}

/* ---- whose maker has gone -------------------------------------------------------------------- */

/* The owner, whom somebody kills: the program that it runs has no descriptor. */
static int body_owner(void *arg)
{
	struct resch_register reg = *(struct resch_register *)arg;
	pid_t pid;

	close(dev);
	dev = must(resch_open());
	reg.params.group = family_server(reg.domain, 10 * MS, 0, dev);
	pid = fork();
	if (!pid) {
		told->before = attributes_of(0);
		must(resch_register_self(dev, &reg));
		close(dev);
		dev = -1;
		_exit(body_household());
	}
	told->pids[5] = pid;
	for (;;)
		pause();
	return 0;
}

TEST(killed,
     "kill -9 for their owner: members are ordinary, the server is gone, the module unloads")
{
	struct resch_register reg;
	uint32_t domain;
	pid_t pid;
	int i;

	pin(0, "0");
	told = shared(sizeof(*told));
	domain = use("server");
	reg = member(domain, 0);
	pid = child(body_owner, &reg);
	await(told->ready && tasks_registered() >= 5);
	kill(pid, SIGKILL);
	child_wait(pid);
	await(tasks_registered() == 0);
	attributes_await(told->pids[5], &told->before, "the program");
	for (i = 0; i < 4; i++)
		attributes_await(told->pids[i], &told->before, "a child");
	must(resch_domain_del(dev, domain));
	close(dev);
	for (i = 0; i < 6; i++) {
		if (i == 4)
			continue;
		check(proc_state(told->pids[i]) != 'X', "process %d has gone, too", i);
		/* Who sleeps keeps the module until it wakes. */
		kill(told->pids[i], SIGKILL);
	}
	check_is(modules_unload((char[120]){ 0 }, 120), 0);
	must(test_load());
}

static int body_maker(void *domain)
{
	int fd = must(resch_open());

	told->alive = family_server(*(uint32_t *)domain, 15 * MS, 0, fd);
	while (!told->stop)
		sleep_ms(1);
	return 0;
}

TEST(doomed, "a server whose maker has gone takes children of its members, and nobody else")
{
	struct resch_register reg;
	uint32_t domain, id;
	pid_t pid, maker;
	int count;

	pin(0, "0");
	told = shared(sizeof(*told));
	domain = use("server");
	maker = child(body_maker, &domain);
	await((id = told->alive));
	pid = family_start(domain, id, body_household);
	await(told->ready && server_stat(domain, id).tasks >= 5);
	told->stop = 1;
	child_ok(maker);
	reg = member(domain, id);
	refused(resch_register_self(dev, &reg), EINVAL);
	kill(pid, SIGKILL);
	child_wait(pid);
	kill(told->pids[0], SIGKILL);
	kill(told->pids[2], SIGKILL);
	kill(told->pids[3], SIGKILL);
	/* One is left, and those that it makes. */
	count = told->count;
	await(told->count > count + 3);
	check(!told->bad, "%s is not as it should be", told->what);
	kill(told->pids[1], SIGKILL);
	await(tasks_registered() == 0);
	reg.params.group = id;
	refused(resch_register_self(dev, &reg), EINVAL);
}

/* ---- whose domain has gone ------------------------------------------------------------------- */

#define MEMBERS "/sys/module/resch/parameters/members"

/* Makes told->count children; each says that it has run. */
static int body_crowd(void)
{
	int i;

	for (i = 0; i < told->count; i++) {
		pid_t pid = fork();

		if (!pid) {
			told->alive++;
			for (;;)
				pause();
		}
		told->pids[i] = pid;
	}
	told->ready = 1;
	for (;;)
		pause();
	return 0;
}

/*
 * Leaves nothing to ordinary threads. It yields to those of its own priority: on PREEMPT_RT they
 * expire timers and end RCU's grace periods, and nobody would ever end this.
 */
static int body_busy(void *cpu)
{
	char number[12];

	snprintf(number, sizeof(number), "%d", *(int *)cpu);
	pin(0, number);
	must(attributes_set(0, SCHED_FIFO, 1, 0, 0));
	told->stop++;
	for (;;)
		sched_yield();
	return 0;
}

TEST(no_room, "children that wait for room are let go when the domain is deleted")
{
	uint32_t domain = use("server"),
		 id = family_server(domain, 15 * MS, RESCH_SERVER_F_PERSIST, dev);
	struct resch_task_stat stat;
	char members[16];
	int err, i, cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	pid_t pid, busy[64];

	check(cpus <= 64, "%d CPUs", cpus);
	pin(0, "0");
	told = shared(sizeof(*told));
	told->count = 12;
	check(file_read(MEMBERS, members, sizeof(members)) && file_write(MEMBERS, "1"),
	      "can't set " MEMBERS);
	pid = family_start(domain, id, body_crowd);
	await(told->ready && server_stat(domain, id).waiting == 12);
	check_is(told->alive, 0);
	/*
	 * Keeps the worker that lets children join from every CPU, for as long as that can be. Not
	 * this thread, which would have to do with what throttling leaves of CPU 0.
	 */
	must(attributes_set(0, SCHED_FIFO, 2, 0, 0));
	for (i = 0; i < cpus; i++)
		busy[i] = child(body_busy, &i);
	await(told->stop == cpus);
	/* Who is unregistered makes room for one of them; it has to join before the domain goes. */
	for (;;) {
		stat.id = 0;
		if (resch_task_next(dev, &stat) > 0)
			resch_unregister(dev, stat.id);
		err = resch_domain_del(dev, domain);
		if (err != -EBUSY)
			break;
		/* One was faster. Who spins at this priority keeps CPU 0 from what is to end it. */
		sleep_ms(1);
	}
	must(err);
	for (i = 0; i < cpus; i++)
		kill(busy[i], SIGKILL);
	must(attributes_set(0, SCHED_OTHER, 0, 0, 0));
	await(told->alive == 12);
	for (i = 0; i < told->count; i++)
		attributes_await(told->pids[i], &told->before, "a child");
	file_write(MEMBERS, members);
	kill(pid, SIGKILL);
	child_wait(pid);
	for (i = 0; i < told->count; i++)
		kill(told->pids[i], SIGKILL);
}
