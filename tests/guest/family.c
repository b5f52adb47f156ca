// SPDX-License-Identifier: GPL-2.0
/*
 * family.c - whole processes in a server: whatever threads and children they make are in it, too
 *
 * resch-test: timeout=240
 */
#include <spawn.h>

#include "family.h"

#define MEMBERS 40 /* see params() */

static __attribute__((constructor)) void params(void)
{
	test_params = "members=40";
}

/* ---- who is a member ------------------------------------------------------------------------- */

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
	for (i = 0; i < 2; i++) {
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
	id = family_server(domain, 15 * MS, RESCH_SERVER_F_PERSIST, dev);
	child_ok(family_start(domain, id, body_relatives));
	check(!told->bad, "%s is not as it should be", told->what);
	await(told->ready);
	check(!told->bad, "%s is not as it should be", told->what);
	check_is(told->count, 1 + 2 * 4 + 1);
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

/* ---- what is refused ------------------------------------------------------------------------- */

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
	struct resch_server_set want;
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
	id = family_server(domain, 4 * MS, RESCH_SERVER_F_PERSIST, dev);
	other = family_server(domain, 4 * MS, RESCH_SERVER_F_PERSIST, dev);
	REFUSED(EINVAL, reg.params.period = FAMILY_PERIOD);
	REFUSED(EINVAL, reg.params.deadline = FAMILY_PERIOD);
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
	reg = periodic(FAMILY_PERIOD, MS);
	reg.params.flags = 0;
	reg.params.cpu = -1;
	reg.params.group = id;
	refused(resch_register_self(dev, &reg), EBUSY);
	check_is(reg.verdict.bound, RESCH_BOUND_UTILIZATION);
	reg = periodic(FAMILY_PERIOD, MS);
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
	want = (struct resch_server_set){ .domain = domain, .id = id };
	want.params = server_stat(domain, id).params;
	want.params.budget = 2 * MS;
	must(resch_server_set(dev, &want));
	check_is(server_stat(domain, id).tasks, 1);
	told->stop = 1;
	child_ok(pid);
}

/* ---- everything at once ---------------------------------------------------------------------- */

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

TEST(isolated, "a pipeline, a busy program and a fork bomb share one budget; others keep theirs")
{
	struct task good = { .number = 1 };
	struct resch_server_stat before, after;
	uint64_t begin, used;
	uint32_t domain, id, id_good;
	pid_t pids[3];

	pin(0, "0");
	domain = use("server");
	id = family_server(domain, 8 * MS, RESCH_SERVER_F_PERSIST, dev);
	id_good = family_server(domain, 4 * MS, RESCH_SERVER_F_PERSIST, dev);
	good.reg = in_server(id_good, FAMILY_PERIOD, 4 * MS);
	task_start(&good, body_short);
	pids[0] = family_start(domain, id, body_threads);
	pids[1] = family_start(domain, id, body_bomb);
	pids[2] = family_start(domain, id, body_pipeline);
	await(server_stat(domain, id).tasks > 8);
	before = server_stat(domain, id);
	used = told->used;
	begin = resch_now();
	await(atomic_load(&good.jobs) >= 25);
	after = share_await(&before, begin, SEC, 20 * SEC);
	used = told->used - used;
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

/* ---- too many -------------------------------------------------------------------------------- */

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
	id = family_server(domain, 18 * MS, RESCH_SERVER_F_PERSIST, dev);
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

/* ---- rights ---------------------------------------------------------------------------------- */

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
	id = family.id = family_server(domain, 15 * MS, RESCH_SERVER_F_PERSIST, dev);
	pid = fork();
	if (!pid)
		_exit(family_main(&family));
	await(told->ready == 2);
	check(!told->bad, "%s is not as it should be", told->what);
	check_is(server_stat(domain, id).tasks, 2);
	family_unregister(family.fd);
	for (i = 0; i < 2; i++) {
		await(attributes_of(told->pids[i]).policy == SCHED_OTHER);
		now = attributes_of(told->pids[i]);
		check_is(now.flags, 0);
		kill(told->pids[i], SIGKILL);
	}
	child_wait(pid);
}
