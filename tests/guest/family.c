// SPDX-License-Identifier: GPL-2.0
/*
 * family.c - whole processes in a server: whatever threads and children they make are in it, too
 *
 * resch-test: timeout=240
 */
#include "lib.h"

#include <spawn.h>

#define PERIOD (20 * MS)
#define MEMBERS 40 /* see limit() */
#define KIDS 64

static __attribute__((constructor)) void limit(void)
{
	test_limit = 60;
	test_params = "members=40";
}

/* What the members of a case tell it. */
struct told {
	atomic_ullong used; /* by members that compute, ns */
	atomic_int alive, ready, stop, count;
	atomic_int bad;
	char what[80];
	struct attributes before;
	pid_t pids[KIDS];
};

static struct told *told;

static const struct initial {
	const char *what;
	uint32_t policy, priority;
	int32_t nice;
	uint64_t flags;
} initials[] = {
	{ "ordinary", SCHED_OTHER, 0, 3, 0 },
	{ "real-time", SCHED_RR, 7, 0, 0 },
	{ "reset on fork", SCHED_FIFO, 5, 0, FLAG_RESET_ON_FORK },
};
#define INITIALS (sizeof(initials) / sizeof(initials[0]))

/* ---- servers and members ------------------------------------------------------------------------ */

static uint32_t server_make(uint32_t domain, uint64_t budget, uint32_t flags, int fd)
{
	struct resch_server_set set = {
		.domain = domain,
		.params = { .budget = budget,
			    .period = PERIOD,
			    .quantum = MS,
			    .policy = RESCH_SERVER_RR,
			    .cpu = -1,
			    .flags = flags },
	};

	must(resch_server_set(fd, &set));
	return set.id;
}

static struct resch_server_stat server_stat(uint32_t domain, uint32_t id)
{
	struct resch_server_stat stat = { .id = id };

	must(resch_server_stat(dev, domain, id, &stat));
	return stat;
}

static struct resch_register member(uint32_t domain, uint32_t id)
{
	struct resch_register reg = {
		.domain = domain,
		.params = { .kind = RESCH_WAKEUP, .cpu = -1, .flags = RESCH_F_FAMILY, .group = id },
	};

	return reg;
}

struct family {
	uint32_t domain, id;
	int (*body)(void);
	int fd; /* 0: the case's */
	const struct initial *initial; /* what it is at first; NULL: as the case */
};

static int family_main(void *arg)
{
	const struct family *family = arg;
	struct resch_register reg = member(family->domain, family->id);

	const struct initial *initial = family->initial;

	if (family->fd)
		dev = family->fd;
	if (initial)
		must(attributes_set(0, initial->policy, initial->priority, initial->nice,
				    initial->flags));
	told->before = attributes_of(0);
	must(resch_register_self(dev, &reg));
	return family->body();
}

static pid_t family_start(uint32_t domain, uint32_t id, int (*body)(void))
{
	struct family family = { .domain = domain, .id = id, .body = body };

	if (!told)
		told = shared(sizeof(*told));
	return child(family_main, &family);
}

static bool told_bad(const char *what)
{
	if (!atomic_exchange(&told->bad, 1))
		snprintf(told->what, sizeof(told->what), "%s", what);
	return true;
}

/* Whoever runs this is in the server, and was so from its first instruction on. */
static bool look(const char *who)
{
	struct resch_task_stat stat;

	memset(&stat, 0, sizeof(stat));
	if (resch_task_stat(dev, 0, &stat))
		return told_bad(who);
	/* READY: the budget ran out in this very call. */
	if (!(stat.params.flags & RESCH_F_FAMILY) || !stat.params.group ||
	    (stat.state != RESCH_STATE_SELECTED && stat.state != RESCH_STATE_READY) ||
	    stat.pid != gettid() || sched_getcpu() != CPU)
		return told_bad(who);
	atomic_fetch_add(&told->count, 1);
	return false;
}

static void *thread_looks(void *who)
{
	look(who);
	return NULL;
}

static void wait_for(pid_t pid, const char *who)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status))
		told_bad(who);
}

static int body_relatives(void)
{
	char *argv[] = { "sh", "-c", "true | true", NULL };
	pthread_t thread;
	pid_t pid;
	int i;

	look("the first one");
	for (i = 0; i < 3; i++) {
		pid = fork();
		if (!pid) {
			look("a child");
			pid = fork();
			if (!pid)
				_exit(look("a grandchild"));
			wait_for(pid, "the grandchild's end");
			_exit(0);
		}
		wait_for(pid, "the child's end");
		pid = vfork();
		if (!pid)
			_exit(look("a child of vfork()"));
		wait_for(pid, "the end of vfork()'s child");
		must_libc(pthread_create(&thread, NULL, thread_looks, "a thread"));
		pthread_join(thread, NULL);
		if (posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ))
			told_bad("posix_spawn()");
		wait_for(pid, "the end of a spawned shell");
	}
	/* An orphan. */
	pid = fork();
	if (!pid) {
		pid = fork();
		if (!pid) {
			while (getppid() != 1 && !told->stop)
				sleep_ms(1);
			look("an orphan");
			atomic_store(&told->ready, 1);
			while (!told->stop)
				sleep_ms(1);
		}
		_exit(0);
	}
	wait_for(pid, "the end of an orphan's parent");
	return 0;
}

TEST(relatives, "threads, children and grandchildren of a member are members from the beginning")
{
	struct resch_server_stat stat;
	uint32_t domain, id;

	pin(0, "0");
	domain = use("server");
	id = server_make(domain, 15 * MS, RESCH_SERVER_F_PERSIST, dev);
	child_ok(family_start(domain, id, body_relatives));
	check(!told->bad, "%s is not as it should be", told->what);
	await(told->ready);
	check(!told->bad, "%s is not as it should be", told->what);
	check_is(told->count, 1 + 3 * 4 + 1);
	/* The first one has gone, the orphan is there still. */
	await(server_stat(domain, id).tasks == 1);
	stat = server_stat(domain, id);
	check(stat.consumed, "nothing was charged");
	refused(resch_server_del(dev, domain, id), EBUSY);
	told->stop = 1;
	await(server_stat(domain, id).tasks == 0);
	must(resch_server_del(dev, domain, id));
	check_is(domain_stat(domain).ejections, 0);
}

/* ---- what is refused ----------------------------------------------------------------------------- */

static int body_waits(void)
{
	atomic_store(&told->ready, 1);
	while (!told->stop)
		sleep_ms(2);
	return 0;
}

static int body_is_refused(void *reg)
{
	return resch_register_self(dev, reg) != -EBUSY;
}

TEST(refused, "what can't be a member is refused; a server has members or promises")
{
	struct resch_server_set set;
	struct resch_register reg;
	uint32_t domain = use("server"), id, other, edf = domain_on("0", "edf", NULL);
	uint64_t start_time;
	pid_t pid;

#define REFUSED(error, change)                                  \
	do {                                                    \
		reg = member(domain, id);                       \
		change;                                         \
		refused(resch_register_self(dev, &reg), error); \
		check_is(tasks_registered(), 0);                \
	} while (0)
	pin(0, "0");
	id = server_make(domain, 4 * MS, RESCH_SERVER_F_PERSIST, dev);
	other = server_make(domain, 4 * MS, RESCH_SERVER_F_PERSIST, dev);
	REFUSED(EINVAL, reg.params.period = PERIOD);
	REFUSED(EINVAL, reg.params.deadline = PERIOD);
	REFUSED(EINVAL, reg.params.wcet = 1);
	REFUSED(EINVAL, reg.params.offset = 1);
	REFUSED(EINVAL, reg.params.kind = RESCH_PERIODIC);
	REFUSED(EINVAL, reg.params.overrun = RESCH_NOTIFY);
	REFUSED(EINVAL, reg.params.miss = RESCH_SKIP);
	REFUSED(EINVAL, reg.params.signal = 9);
	REFUSED(EINVAL, reg.params.flags |= RESCH_F_SYNC);
	REFUSED(EINVAL, reg.params.flags |= 8);
	REFUSED(EINVAL, reg.params.group = 0);
	REFUSED(EINVAL, reg.params.group = other + 1);
	REFUSED(EINVAL, reg.params.group = RESCH_GROUPS_MAX + 1);
	REFUSED(EINVAL, reg.domain = edf);
	REFUSED(EINVAL, reg.params.priority = 10001);
	REFUSED(EINVAL, reg.params.cpu = -2);
	REFUSED(ENODEV, reg.params.cpu = 0);

	pid = family_start(domain, id, body_waits);
	await(told->ready);
	reg = periodic(PERIOD, MS);
	reg.params.flags = 0;
	reg.params.cpu = -1;
	reg.params.group = id;
	refused(resch_register_self(dev, &reg), EBUSY);
	check_is(reg.verdict.bound, RESCH_BOUND_UTILIZATION);
	reg = periodic(PERIOD, MS);
	reg.params.flags = 0;
	reg.params.cpu = -1;
	reg.params.group = other;
	must(resch_register_self(dev, &reg));
	reg = member(domain, other);
	must(resch_start_time(pid, &start_time));
	reg.start_time = start_time;
	refused(resch_register_thread(dev, pid, &reg), EEXIST);
	child_ok(child(body_is_refused, &reg));
	must(resch_unregister(dev, 0));
	/* Another plugin would not keep members to a budget; other sizes do. */
	refused(domain_swap(domain, "edf", ""), EBUSY);
	refused(domain_swap(domain, "fifo", ""), EBUSY);
	must(domain_swap(domain, "server", ""));
	set = (struct resch_server_set){ .domain = domain, .id = id };
	set.params = server_stat(domain, id).params;
	set.params.budget = 2 * MS;
	must(resch_server_set(dev, &set));
	check_is(server_stat(domain, id).tasks, 1);
	told->stop = 1;
	child_ok(pid);
}

/* ---- everything at once -------------------------------------------------------------------------- */

/* Computes for a while, and says how long it did. */
static void burn(uint64_t ns)
{
	uint64_t began = cpu_time();

	spin(ns);
	atomic_fetch_add(&told->used, cpu_time() - began);
}

static void *thread_burns(void *arg)
{
	(void)arg;
	while (!told->stop)
		burn(MS);
	return NULL;
}

static int body_threads(void)
{
	pthread_t threads[3];
	int i;

	for (i = 0; i < 3; i++)
		must_libc(pthread_create(&threads[i], NULL, thread_burns, NULL));
	thread_burns(NULL);
	return 0;
}

/* Never more than a dozen at a time, which make others as fast as they can. */
static int body_bomb(void)
{
	bool first = true;
	int rounds = 0;

	signal(SIGCHLD, SIG_IGN);
	while (!told->stop) {
		burn(MS / 2);
		if (atomic_fetch_add(&told->alive, 1) >= 12) {
			atomic_fetch_sub(&told->alive, 1);
		} else if (!must_libc(fork())) {
			first = false;
			rounds = 0;
		}
		if (!first && ++rounds > 4)
			break;
	}
	atomic_fetch_sub(&told->alive, 1);
	_exit(0);
}

static int body_pipeline(void)
{
	execl("/bin/sh", "sh", "-c", "while :; do echo resch | cat | cat >/dev/null; done", NULL);
	return 1;
}

static void body_short(struct task *task)
{
	while (!atomic_load(&task->stop)) {
		task_wait(task);
		spin(MS / 10);
	}
}

TEST(isolated, "a pipeline, a busy program and a fork bomb share one budget; others keep theirs")
{
	struct task good = { .number = 1 };
	struct resch_server_stat before, after;
	uint64_t began, ended, used;
	uint32_t domain, id;
	pid_t pids[3];

	pin(0, "0");
	domain = use("server");
	id = server_make(domain, 8 * MS, RESCH_SERVER_F_PERSIST, dev);
	good.reg = periodic(PERIOD, 4 * MS);
	good.reg.params.flags = 0;
	good.reg.params.cpu = -1;
	good.reg.params.group = server_make(domain, 4 * MS, RESCH_SERVER_F_PERSIST, dev);
	task_start(&good, body_short);
	pids[0] = family_start(domain, id, body_threads);
	pids[1] = family_start(domain, id, body_bomb);
	pids[2] = family_start(domain, id, body_pipeline);
	await(server_stat(domain, id).tasks > 8);
	before = server_stat(domain, id);
	used = told->used;
	ended = resch_now();
	await(atomic_load(&good.jobs) >= 25);
	/* As in server.c: what a late timer has given is paid for in the periods after. */
	do {
		began = resch_now();
		after = server_stat(domain, id);
		sleep_ms(20);
	} while (began < ended + 8 * SEC &&
		 (began < ended + 2 * SEC ||
		  (after.consumed - before.consumed) * 20 > (began - ended) * 8 + 16 * 20 * MS));
	used = told->used - used;
	check((after.consumed - before.consumed) * 20 <= (began - ended) * 8 + 16 * 20 * MS,
	      "8 ms of 20 ms have become %llu of %llu ns",
	      (unsigned long long)(after.consumed - before.consumed),
	      (unsigned long long)(began - ended));
	check(after.exhausted > before.exhausted + 3, "exhausted %llu times",
	      (unsigned long long)(after.exhausted - before.exhausted));
	/* Nobody has computed elsewhere; but some had begun before. */
	check(used <= (after.consumed - before.consumed) * 11 / 10 + 40 * MS,
	      "members have computed for %llu ns, and their server was charged %llu",
	      (unsigned long long)used, (unsigned long long)(after.consumed - before.consumed));
	check(used, "no member has computed");
	kill(pids[2], SIGKILL);
	told->stop = 1;
	child_ok(pids[0]);
	await(server_stat(domain, id).tasks == 0);
	task_join(&good);
	check_is(domain_stat(domain).ejections, 0);
}

/* ---- too many ------------------------------------------------------------------------------------ */

static pthread_mutex_t crowd_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t crowd_ends = PTHREAD_COND_INITIALIZER;

static void *thread_counts(void *arg)
{
	(void)arg;
	atomic_fetch_add(&told->count, 1);
	pthread_mutex_lock(&crowd_lock);
	while (!told->stop)
		pthread_cond_wait(&crowd_ends, &crowd_lock);
	pthread_mutex_unlock(&crowd_lock);
	return NULL;
}

#define MORE 20

static int body_crowd(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	int i;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 32768);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	for (i = 0; i < MEMBERS - 1 + MORE; i++)
		must_libc(pthread_create(&thread, &attr, thread_counts, NULL));
	atomic_store(&told->ready, 1);
	while (!told->stop)
		sleep_ms(100);
	pthread_mutex_lock(&crowd_lock);
	pthread_cond_broadcast(&crowd_ends);
	pthread_mutex_unlock(&crowd_lock);
	/* Those who wait come in as others go. */
	while (told->count < MEMBERS - 1 + MORE)
		sleep_ms(2);
	return 0;
}

TEST(crowded, "who finds no room waits for it, and does nothing meanwhile")
{
	uint32_t domain, id, round;
	pid_t pid;

	pin(0, "0");
	domain = use("server");
	id = server_make(domain, 18 * MS, RESCH_SERVER_F_PERSIST, dev);
	for (round = 0; round < 2; round++) {
		pid = family_start(domain, id, body_crowd);
		await(told->ready);
		await(server_stat(domain, id).waiting == MORE);
		await(told->count == MEMBERS - 1);
		check_is(server_stat(domain, id).tasks, MEMBERS);
		if (round)
			kill(pid, SIGKILL);
		else
			told->stop = 1;
		child_wait(pid);
		await(server_stat(domain, id).tasks == 0);
		check_is(server_stat(domain, id).waiting, 0);
		check_is(told->count, MEMBERS - 1 + (round ? 0 : MORE));
		memset(told, 0, sizeof(*told));
	}
}

/* ---- the end ------------------------------------------------------------------------------------- */

/*
 * Who has been given back as a real-time thread leaves something of the CPU to others, the case among
 * them: with PREEMPT_RT what ends their sleep is a thread of a lower priority. Members are SCHED_FIFO.
 */
static void spare(void)
{
	if (sched_getscheduler(0) == SCHED_RR)
		sleep_ms(5);
}

/* Children of several sorts, one of which is busy, and one that makes more of them. */
static int body_household(void)
{
	int i;

	for (i = 0; i < 4; i++) {
		pid_t child = fork();

		if (child) {
			told->pids[i] = child;
			continue;
		}
		while (i == 0 && !told->stop) {
			burn(MS);
			spare();
		}
		while (i == 1) {
			pid_t pid = fork();

			if (!pid)
				_exit(look("a child of the household"));
			waitpid(pid, NULL, 0);
			spare();
		}
		if (i == 2)
			execl("/bin/sleep", "sleep", "100", NULL);
		for (;;)
			sleep_ms(1);
	}
	atomic_store(&told->ready, 1);
	for (;;)
		pause();
	return 0;
}

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
	id = server_make(domain, 15 * MS, RESCH_SERVER_F_PERSIST, dev);
	for (way = 0; way < INITIALS; way++) {
		fd = must(resch_open());
		family = (struct family){ domain, id, body_household, fd, &initials[way] };
		pid = fork();
		if (!pid) {
			close(dev);
			_exit(family_main(&family));
		}
		await(told->ready && server_stat(domain, id).tasks >= 5);
		/* The members' copies of the descriptor are those of one open file: it has to go. */
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

static void end_unregister(int fd)
{
	struct resch_task_stat stat = { .id = 0 };
	uint64_t until = resch_now() + 5 * SEC;

	/* Again and again: children come as long as their first one is there. */
	while (tasks_registered() && resch_now() < until) {
		stat.id = 0;
		while (resch_task_next(dev, &stat) > 0)
			resch_unregister(fd, stat.id);
	}
}

TEST(unregistered, "members that are unregistered have what they would have without us")
{
	ended(end_unregister);
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

/* The owner, whom somebody kills: the program that it runs has no descriptor. */
static int body_owner(void *arg)
{
	struct resch_register reg = *(struct resch_register *)arg;
	pid_t pid;

	close(dev);
	dev = must(resch_open());
	reg.params.group = server_make(reg.domain, 10 * MS, 0, dev);
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
	must(module_load("resch", test_params));
}

/* ---- rights -------------------------------------------------------------------------------------- */

static int body_escapes(void)
{
	struct sched_param low = { .sched_priority = 1 };
	cpu_set_t cpus;
	pid_t pid;

	if (setresuid(65534, 65534, 65534))
		return 1;
	pid = fork();
	if (pid < 0)
		return 1;
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	/* Whatever works of it must be of no use. */
	sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &low);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	look("who has left root behind");
	told->pids[pid ? 0 : 1] = getpid();
	atomic_fetch_add(&told->ready, 1);
	for (;;)
		pause();
	return 0;
}

TEST(rights, "a member without privileges gains none, and does not get out")
{
	struct family family;
	struct attributes now;
	uint32_t domain, id;
	pid_t pid;
	int i;

	pin(0, "0");
	told = shared(sizeof(*told));
	domain = use("server");
	family = (struct family){ .domain = domain, .body = body_escapes };
	family.fd = must(resch_open());
	id = family.id = server_make(domain, 15 * MS, RESCH_SERVER_F_PERSIST, dev);
	pid = fork();
	if (!pid)
		_exit(family_main(&family));
	await(told->ready == 2);
	check(!told->bad, "%s is not as it should be", told->what);
	check_is(server_stat(domain, id).tasks, 2);
	end_unregister(family.fd);
	for (i = 0; i < 2; i++) {
		await(attributes_of(told->pids[i]).policy == SCHED_OTHER);
		now = attributes_of(told->pids[i]);
		check_is(now.flags, 0);
		kill(told->pids[i], SIGKILL);
	}
	child_wait(pid);
}

static int body_maker(void *domain)
{
	int fd = must(resch_open());

	told->alive = server_make(*(uint32_t *)domain, 15 * MS, 0, fd);
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
