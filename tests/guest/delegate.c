// SPDX-License-Identifier: GPL-2.0
/*
 * delegate.c - a server that is given to a user or a group: what they may do with it, and nothing
 * more
 *
 * resch-test: timeout=240
 */
#include "delegate.h"

#include <grp.h>
#include <sys/prctl.h>

/* ---- what they may do ------------------------------------------------------------------------ */

static int uses_it(void *arg)
{
	struct resch_register reg = task_in_server(), other = task_in_server();
	struct resch_start start = { .domain = her_domain, .group = her_server };
	pid_t pid;

	become(ALICE, arg != NULL);
	reg.params.flags = RESCH_F_SYNC;
	must(resch_register_self(dev, &reg));
	must(resch_release(dev, reg.id));
	must(call(dev, RESCH_IOC_START, &start));
	must(resch_wait(dev, NULL));
	must(resch_unregister(dev, reg.id));
	pid = fork();
	if (!pid)
		for (;;)
			pause();
	other.params.kind = RESCH_WAKEUP;
	must(resch_register_thread(dev, pid, &other));
	check_is(stat_of(other.id).pid, pid);
	must(resch_unregister(dev, other.id));
	reg = member(her_domain, her_server);
	must(resch_register_thread(dev, pid, &reg));
	await(server_stat(her_domain, her_server).tasks == 1);
	kill(pid, SIGKILL);
	child_wait(pid);
	return 0;
}

TEST(user, "the user that has it registers, starts, releases and ends tasks of its own")
{
	struct resch_server_stat stat;

	server_with(5 * MS);
	refused(call(dev, RESCH_IOC_DELEGATE, NULL), EFAULT);
	give(RESCH_HOLDER_USER, ALICE);
	stat = server_stat(her_domain, her_server);
	check_is(stat.holder, RESCH_HOLDER_USER);
	check_is(stat.who, ALICE);
	check_is(stat.holder_tasks, TASKS);
	check_is(stat.holder_rate, 10000);
	child_ok(child(uses_it, NULL));
	take_back();
	check_is(server_stat(her_domain, her_server).holder, RESCH_HOLDER_NONE);
	check_is(server_stat(her_domain, her_server).holder_tasks, 0);
}

TEST(group, "so does whoever is in the group that has it")
{
	server_with(5 * MS);
	give(RESCH_HOLDER_GROUP, CREW);
	child_ok(child(uses_it, &her_server));
}

/* ---- and nothing more ------------------------------------------------------------------------ */

/* Everything else that changes something. */
static void powerless(uint32_t other, uint32_t strange)
{
	struct resch_server_set resized = { .domain = her_domain, .id = her_server };
	struct resch_servers_set band = { .domain = her_domain };
	struct resch_delegate again = to(RESCH_HOLDER_USER, BOB);
	struct resch_domain_set want = { .domain = her_domain, .plugin = "edf" };
	struct resch_start start = { .domain = her_domain };
	struct resch_plan_set plan = { .domain = her_domain };
	struct resch_cpus cpus = { .bits = { 3 } };

	resized.params = server_stat(her_domain, her_server).params;
	resized.params.budget *= 2;
	refused(resch_server_set(dev, &resized), EPERM);
	refused(resch_servers_set(dev, &band), EPERM);
	refused(resch_server_del(dev, her_domain, her_server), EPERM);
	refused(resch_servers_del(dev, her_domain, her_server), EPERM);
	refused(resch_server_delegate(dev, &again), EPERM);
	refused(resch_domain_set(dev, &want), EPERM);
	refused(resch_domain_del(dev, her_domain), EPERM);
	refused(resch_plugin_load(dev, "fp"), EPERM);
	refused(call(dev, RESCH_IOC_START, &start), EPERM);
	start.group = strange;
	refused(call(dev, RESCH_IOC_START, &start), EPERM);
	refused(resch_unregister(dev, other), EPERM);
	refused(resch_release(dev, other), EPERM);
	refused(resch_lead_set(dev, 0, MS / 2, NULL), EPERM);
	refused(resch_affinity_get(dev, 0, &cpus), EPERM);
	refused(resch_affinity_set(dev, 0, &cpus), EPERM);
	refused(resch_chain_offer(dev, 0, 1), EPERM);
	refused(resch_chain_del(dev, 1), EPERM);
	refused(call(dev, RESCH_IOC_PLAN_SET, &plan), EPERM);
	refused(resch_guard_set(dev, her_domain, RESCH_GUARD_ON, NULL), EPERM);
	refused(resch_guard_lend(dev, 0, CPU), EPERM);
	refused(resch_balance_set(dev, her_domain, 0), EPERM);
	refused(resch_server_open(dev, her_domain, strange), EPERM);
}

static int wants_more(void *arg)
{
	const uint32_t *ids = arg; /* a task of root's, another server, another domain */
	struct resch_register reg = task_in_server();

	become(ALICE, false);
	powerless(ids[0], ids[1]);
	reg.params.group = ids[1];
	refused(resch_register_self(dev, &reg), EPERM);
	reg.params.group = 0;
	refused(resch_register_self(dev, &reg), EPERM);
	reg = task_in_server();
	reg.domain = ids[2];
	refused(resch_register_self(dev, &reg), EPERM);
	reg.domain = 77;
	refused(resch_register_self(dev, &reg), EPERM);
	reg.domain = 0;
	reg.params.cpu = 0;
	refused(resch_register_self(dev, &reg), EPERM);
	reg = task_in_server();
	reg.params.flags = RESCH_F_SKIP_ADMISSION;
	refused(resch_register_self(dev, &reg), EPERM);
	reg = member(her_domain, her_server);
	reg.params.flags |= RESCH_F_SKIP_ADMISSION;
	refused(resch_register_self(dev, &reg), EPERM);
	reg = task_in_server();
	must(resch_register_self(dev, &reg));
	powerless(ids[0], ids[1]);
	must(resch_unregister(dev, 0));
	return 0;
}

TEST(no_more, "other servers and domains, and all other requests, are not theirs")
{
	struct task task = { .reg = sporadic(100 * MS, MS) };
	uint32_t ids[3];

	server_with(5 * MS);
	give(RESCH_HOLDER_USER, ALICE);
	ids[1] = server_make(her_domain, 5 * MS, FAMILY_PERIOD);
	ids[2] = domain_on("0", "server", "");
	task.reg.params.group = ids[1];
	task_start(&task, body_idle);
	ids[0] = task.id;
	child_ok(child(wants_more, ids));
	check_is(state_of(task.id) == RESCH_STATE_GONE, 0);
	task.stop = 1;
	must(resch_release(dev, task.id));
	task_join(&task);
}

/* Users of threads that aren't hers: of programs that have root's rights, or may have them again */
static const uid_t users[][3] = {
	{ ALICE, 0, 0 }, { ALICE, ALICE, 0 }, { 0, ALICE, ALICE }, { BOB, BOB, BOB }
};
#define OTHERS 4

struct other {
	atomic_int ready;
	uid_t users[3];
};

static int somebody(void *arg)
{
	struct other *other = arg;

	must_libc(setresuid(other->users[0], other->users[1], other->users[2]));
	other->ready = 1;
	for (;;)
		pause();
	return 0;
}

static int wants_others(void *arg)
{
	struct resch_register reg = member(her_domain, her_server), task = task_in_server();
	pid_t *others = arg;
	int i;

	become(ALICE, false);
	/* She may send it signals: so her login shell may a program that she has. */
	must_libc(kill(others[0], 0));
	task.params.kind = RESCH_WAKEUP;
	for (i = 0; i <= OTHERS; i++) {
		refused(resch_register_thread(dev, others[i], &reg), EPERM);
		refused(resch_register_thread(dev, others[i], &task), EPERM);
	}
	return 0;
}

TEST(others, "threads of others are not theirs, nor a program of theirs with another's rights")
{
	struct other *told_of = shared(OTHERS * sizeof(*told_of));
	pid_t others[OTHERS + 1];
	int i;

	server_with(5 * MS);
	give(RESCH_HOLDER_USER, ALICE);
	for (i = 0; i < OTHERS; i++) {
		memcpy(told_of[i].users, users[i], sizeof(users[i]));
		others[i] = child(somebody, &told_of[i]);
	}
	others[OTHERS] = getpid();
	for (i = 0; i < OTHERS; i++)
		await(told_of[i].ready);
	child_ok(child(wants_others, others));
	for (i = 0; i < OTHERS; i++)
		kill(others[i], SIGKILL);
}

/* ---- who they are ---------------------------------------------------------------------------- */

/* A descriptor that somebody else has opened, and a task that somebody else has registered. */
struct passed {
	int fd;
	uint32_t id;
};

static int has_no_right(void *arg)
{
	const struct passed *passed = arg;
	struct resch_register reg = task_in_server();

	become(BOB, false);
	refused(resch_register_self(passed->fd, &reg), EPERM);
	refused(resch_unregister(passed->fd, passed->id), EPERM);
	refused(resch_release(passed->fd, passed->id), EPERM);
	return 0;
}

static int passes_it_on(void *arg)
{
	struct resch_register reg = task_in_server();
	struct passed passed;

	(void)arg;
	must_libc(setgroups(0, NULL));
	passed.fd = must(resch_open());
	/* The right to become somebody else is all that it keeps. */
	must_libc(seteuid(ALICE));
	must(resch_register_self(passed.fd, &reg));
	passed.id = reg.id;
	must_libc(seteuid(0));
	child_ok(child(has_no_right, &passed));
	return 0;
}

TEST(passed,
     "who gets their descriptor has none of their rights, and who has a server only his own")
{
	struct resch_delegate bobs;

	server_with(5 * MS);
	give(RESCH_HOLDER_USER, ALICE);
	child_ok(child(passes_it_on, NULL));
	bobs = to(RESCH_HOLDER_USER, BOB);
	bobs.id = server_make(her_domain, 5 * MS, FAMILY_PERIOD);
	must(resch_server_delegate(dev, &bobs));
	child_ok(child(passes_it_on, NULL));
}

static int ends_roots(void *arg)
{
	struct resch_start start = { .domain = her_domain, .group = her_server };
	uint32_t id = (long)arg;

	become(ALICE, false);
	refused(resch_unregister(dev, id), EPERM);
	refused(resch_release(dev, id), EPERM);
	must(call(dev, RESCH_IOC_START, &start));
	check_is(start.waiting, 0);
	return 0;
}

TEST(roots, "who has root's descriptor does not have root's tasks, not even in that server")
{
	struct task task = { .reg = periodic(100 * MS, MS) };

	server_with(5 * MS);
	give(RESCH_HOLDER_USER, ALICE);
	task.reg.params.group = her_server;
	task.reg.params.flags |= RESCH_F_SYNC;
	task_start(&task, body_idle);
	await(proc_state(task.tid) == 'S');
	child_ok(child(ends_roots, (void *)(long)task.id));
	check_is(must(resch_start(dev, her_domain, 0)), 1);
	task.stop = 1;
	task_join(&task);
}

/* Root of a user namespace; on the host it is @arg. */
static int mapped_root(void *arg)
{
	uid_t uid = (long)arg;
	struct resch_register reg = task_in_server();
	char map[32];

	become(uid, false);
	/* Its files in /proc are root's otherwise. */
	must_libc(prctl(PR_SET_DUMPABLE, 1));
	if (unshare(CLONE_NEWUSER))
		return 77;
	snprintf(map, sizeof(map), "0 %u 1", uid);
	if (!file_write("/proc/self/uid_map", map))
		return 77;
	check_is(geteuid(), 0);
	if (uid == ALICE) {
		must(resch_register_self(dev, &reg));
		check_is(server_stat(her_domain, her_server).holder, RESCH_HOLDER_USER);
		check_is(server_stat(her_domain, her_server).who, geteuid());
		refused(resch_server_del(dev, her_domain, her_server), EPERM);
		must(resch_unregister(dev, 0));
	} else {
		refused(resch_register_self(dev, &reg), EPERM);
	}
	return 0;
}

static void user_namespace(uint32_t holder, uid_t caller)
{
	int status;

	give(RESCH_HOLDER_USER, holder);
	status = child_wait(child(mapped_root, (void *)(long)caller));
	check(WIFEXITED(status), "it died");
	if (WEXITSTATUS(status) == 77)
		skip("no user namespace can be made");
	check_is(WEXITSTATUS(status), 0);
}

TEST(user_namespace, "in a user namespace one is who one is outside of it, and root is not root")
{
	server_with(5 * MS);
	user_namespace(ALICE, ALICE);
	user_namespace(ALICE, BOB);
	user_namespace(0, BOB);
}

/* ---- ceilings -------------------------------------------------------------------------------- */

static int body_pauses(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return 0;
}

/* A thread that does nothing is registered: 0 or -errno. */
static int register_idle(int fd, pid_t pid, struct resch_register reg)
{
	reg.params.kind = RESCH_WAKEUP;
	return resch_register_thread(fd, pid, &reg);
}

static int fills_it(void *arg)
{
	int i, fd = must(resch_open());
	pid_t pids[TASKS + 1];

	(void)arg;
	become(ALICE, false);
	for (i = 0; i < TASKS; i++) {
		pids[i] = child(body_pauses, NULL);
		must(register_idle(fd, pids[i], task_in_server()));
	}
	pids[i] = child(body_pauses, NULL);
	refused(register_idle(fd, pids[i], task_in_server()), ENOSPC);
	for (i = 0; i < TASKS; i++) {
		kill(pids[i], SIGKILL);
		child_wait(pids[i]);
	}
	await(server_stat(her_domain, her_server).tasks == 0);
	refused(register_idle(fd, pids[i], task_in_server()), ENOSPC);
	must_libc(close(fd));
	/* Others have it open, too: they are dead. */
	kill(pids[i], SIGKILL);
	child_wait(pids[i]);
	pids[i] = child(body_pauses, NULL);
	must(register_idle(dev, pids[i], task_in_server()));
	return 0;
}

static int asks_for_much(void *arg)
{
	struct resch_register reg = task_in_server();

	(void)arg;
	become(ALICE, false);
	must(resch_register_self(dev, &reg));
	/* Ten a second are all there may be. */
	refused(register_idle(dev, child(body_pauses, NULL), task_in_server()), ENOSPC);
	must(resch_unregister(dev, 0));
	reg = task_in_server();
	reg.params.priority = 9;
	refused(resch_register_self(dev, &reg), EPERM);
	reg.params.priority = 10;
	must(resch_register_self(dev, &reg));
	must(resch_unregister(dev, 0));
	return 0;
}

TEST(ceilings, "they get as many tasks, releases and priorities as was said, and no more")
{
	struct resch_delegate want;

	server_with(5 * MS);
	want = to(RESCH_HOLDER_USER, ALICE);
	want.priority = 10;
	want.rate = 10;
	must(resch_server_delegate(dev, &want));
	child_ok(child(asks_for_much, NULL));
	await(tasks_registered() == 0);
}

TEST(records, "registrations that have ended count until they are closed")
{
	server_with(5 * MS);
	give(RESCH_HOLDER_USER, ALICE);
	child_ok(child(fills_it, NULL));
}

/* Four times as many children as there is room for. */
static int body_bomb(void)
{
	int i;

	for (i = 0; i < 4 * TASKS; i++) {
		pid_t pid = fork();

		while (!pid)
			pause();
		told->pids[i] = pid;
		atomic_store(&told->count, i + 1);
	}
	for (;;)
		pause();
	return 0;
}

static int starts_bomb(void *arg)
{
	struct resch_register reg = member(her_domain, her_server);

	(void)arg;
	become(ALICE, false);
	told->before = attributes_of(0);
	must(resch_register_self(dev, &reg));
	return body_bomb();
}

static void bomb_ends(pid_t pid, const char *how)
{
	int i;

	await(server_stat(her_domain, her_server).tasks == 0);
	check_is(server_stat(her_domain, her_server).waiting, 0);
	attributes_await(pid, &told->before, how);
	for (i = 0; i < told->count; i++)
		attributes_await(told->pids[i], &told->before, how);
	for (i = 0; i < told->count; i++)
		kill(told->pids[i], SIGKILL);
	kill(pid, SIGKILL);
	child_wait(pid);
	memset(told, 0, sizeof(*told));
}

TEST(bomb, "a fork bomb waits for room, and is ordinary processes when the server is taken back")
{
	struct resch_delegate want;
	pid_t pid;

	server_with(15 * MS);
	give(RESCH_HOLDER_USER, ALICE);
	told = shared(sizeof(*told));
	pid = child(starts_bomb, NULL);
	await(server_stat(her_domain, her_server).tasks == TASKS && told->count == 4 * TASKS);
	await(server_stat(her_domain, her_server).waiting == 4 * TASKS + 1 - TASKS);
	/* Another ceiling is for those who wait, too. */
	want = to(RESCH_HOLDER_USER, ALICE);
	want.tasks = TASKS + 2;
	must(resch_server_delegate(dev, &want));
	await(server_stat(her_domain, her_server).tasks == TASKS + 2);
	want.tasks = 1;
	must(resch_server_delegate(dev, &want));
	check_is(server_stat(her_domain, her_server).tasks, TASKS + 2);
	take_back();
	bomb_ends(pid, "withdrawn");
	give(RESCH_HOLDER_USER, ALICE);
	pid = child(starts_bomb, NULL);
	await(server_stat(her_domain, her_server).tasks == TASKS);
	give(RESCH_HOLDER_USER, BOB);
	bomb_ends(pid, "given to another");
}

/* ---- bands, and what can't be ---------------------------------------------------------------- */

static int fills_band(void *arg)
{
	const struct resch_register reg = member(her_domain, her_server);
	int i;

	(void)arg;
	become(ALICE, false);
	for (i = 0; i < TASKS; i++)
		must(register_idle(dev, child(body_pauses, NULL), reg));
	refused(register_idle(dev, child(body_pauses, NULL), reg), ENOSPC);
	return 0;
}

/* So many are in the servers of the band, and so many wait. */
static bool band_has(uint32_t tasks, uint32_t waiting)
{
	struct resch_server_stat one = server_stat(her_domain, her_server);
	struct resch_server_stat two = server_stat(her_domain, her_server + 1);

	return one.tasks + two.tasks == tasks && one.waiting + two.waiting == waiting;
}

TEST(band, "a band is given as a whole, and so is its ceiling")
{
	struct resch_servers_set want = { .cpus = { .bits = { 3 } } };
	struct resch_delegate other;
	pid_t pid;

	pin(0, "0");
	her_domain = domain_on("0-1", "server", "");
	want.domain = her_domain;
	want.params = server_of(her_domain, 2 * MS, FAMILY_PERIOD).params;
	want.params.policy = RESCH_SERVER_RR;
	want.params.quantum = MS;
	must(resch_servers_set(dev, &want));
	her_server = want.id;
	other = to(RESCH_HOLDER_USER, ALICE);
	other.id = her_server + 1;
	refused(resch_server_delegate(dev, &other), EINVAL);
	give(RESCH_HOLDER_USER, ALICE);
	check_is(server_stat(her_domain, her_server + 1).who, ALICE);
	child_ok(child(fills_band, NULL));
	take_back();
	check_is(tasks_registered(), 0);
	give(RESCH_HOLDER_USER, ALICE);
	told = shared(sizeof(*told));
	pin(0, "0-1"); /* who may be on both CPUs is put on both */
	pid = child(starts_bomb, NULL);
	await(told->count == 4 * TASKS && band_has(TASKS, 4 * TASKS + 1 - TASKS));
	take_back();
	await(band_has(0, 0));
	bomb_ends(pid, "withdrawn");
	check_is(server_stat(her_domain, her_server + 1).holder, RESCH_HOLDER_NONE);
	must(resch_servers_del(dev, her_domain, her_server));
}

static void refuses(struct resch_delegate want, int error)
{
	if (resch_server_delegate(dev, &want) != -error)
		fail("holder %u, who %u, tasks %u, priority %u, rate %u, server %u:%u: not %s",
		     want.holder, want.who, want.tasks, want.priority, want.rate, want.domain,
		     want.id, errno_name(-error));
}

TEST(refused, "what can't be given is refused, and what was given stays")
{
	const struct resch_delegate good = {
		.domain = 1, .id = 1, .holder = 1, .who = ALICE, .tasks = 1
	};
	struct resch_delegate want;

	server_with(5 * MS);
	give(RESCH_HOLDER_USER, BOB);
#define WITH(field, value, error)         \
	do {                              \
		want = good;              \
		want.domain = her_domain; \
		want.id = her_server;     \
		want.field = value;       \
		refuses(want, error);     \
	} while (0)
	WITH(domain, 77, ENODEV);
	WITH(id, 77, ENOENT);
	WITH(id, 0, ENOENT);
	WITH(holder, RESCH_HOLDERS, EINVAL);
	WITH(holder, RESCH_HOLDER_NONE, EINVAL);
	WITH(who, UINT32_MAX, EINVAL);
	WITH(tasks, 0, EINVAL);
	WITH(tasks, RESCH_DELEGATE_TASKS_MAX + 1, EINVAL);
	WITH(rate, RESCH_DELEGATE_RATE_MAX + 1, EINVAL);
	WITH(priority, 10001, EINVAL);
	WITH(reserved, 1, EINVAL);
	check_is(server_stat(her_domain, her_server).who, BOB);
}
