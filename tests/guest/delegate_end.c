// SPDX-License-Identifier: GPL-2.0
/*
 * delegate_end.c - a server that was given to somebody: what becomes of threads in it, and of their
 * priority
 *
 * resch-test: timeout=240
 */
#include "delegate.h"

#include <linux/futex.h>
#include <sys/resource.h>

/* ---- the end --------------------------------------------------------------------------------- */

/* What a holder's thread tells that would go on as a real-time one. */
struct keeper {
	atomic_int ready, step;
	int fd; /* which is the case's alone; 0: none */
	uint32_t id;
	struct attributes before;
};

static int keeps_it(void *arg)
{
	struct keeper *keeper = arg;
	struct resch_register reg = task_in_server();
	struct rlimit none = { 0, 0 };

	if (keeper->fd)
		must_libc(close(keeper->fd));
	must_libc(setrlimit(RLIMIT_RTPRIO, &none));
	become(ALICE, false);
	keeper->before = attributes_of(0);
	reg.params.kind = RESCH_WAKEUP;
	must(resch_register_self(dev, &reg));
	keeper->id = reg.id;
	must(attributes_set(0, SCHED_FIFO, 3, 0, FLAG_RESET_ON_FORK));
	check(attributes_set(0, SCHED_FIFO, 99, 0, FLAG_RESET_ON_FORK) != 0,
	      "it got a priority that it has no right to");
	keeper->ready = 1;
	while (!keeper->step)
		usleep(1000);
	refused(resch_register_self(dev, &reg), EPERM);
	keeper->ready = 2;
	for (;;)
		pause();
	return 0;
}

static void ends(void (*end)(int fd), int fd, const char *how)
{
	struct keeper *keeper = shared(sizeof(*keeper));
	struct resch_event event;
	pid_t pid;

	give(RESCH_HOLDER_USER, ALICE);
	keeper->fd = fd;
	pid = child(keeps_it, keeper);
	await(keeper->ready == 1);
	end(fd);
	attributes_await(pid, &keeper->before, how);
	event = event_await(RESCH_EVENT_GONE, keeper->id);
	check_is(event.value, RESCH_GONE_WITHDRAWN);
	keeper->step = 1;
	await(keeper->ready == 2);
	kill(pid, SIGKILL);
	child_wait(pid);
	must(resch_unregister(dev, keeper->id));
}

static void end_closed(int fd)
{
	close(fd);
}

static void end_taken(int fd)
{
	(void)fd;
	take_back();
}

static void end_given(int fd)
{
	(void)fd;
	give(RESCH_HOLDER_USER, BOB);
}

TEST(withdrawn, "nobody stays a real-time thread when the server is not his any more")
{
	struct resch_server_set want;
	int fd;

	server_with(5 * MS);
	ends(end_taken, 0, "taken back");
	ends(end_given, 0, "given to another");
	/* One that goes with its maker's descriptor. */
	want = server_of(her_domain, 5 * MS, FAMILY_PERIOD);
	want.params.flags = 0;
	fd = must(resch_open());
	must(resch_server_set(fd, &want));
	her_server = want.id;
	ends(end_closed, fd, "its maker has gone");
	await(servers_of(her_domain) == 1);
}

static int dies(void *arg)
{
	struct keeper *keeper = arg;
	struct resch_register reg = task_in_server();

	become(ALICE, false);
	keeper->before = attributes_of(0);
	if (keeper->step)
		reg.params.kind = RESCH_WAKEUP;
	must(resch_register_self(dev, &reg));
	keeper->id = reg.id;
	keeper->ready = 1;
	if (!keeper->step) {
		must(resch_release(dev, reg.id));
		must(resch_wait(dev, NULL));
		execl("/bin/sleep", "sleep", "100", NULL);
	}
	for (;;)
		pause();
	return 0;
}

TEST(died, "nor who executes another program; and kill -9 leaves nothing")
{
	struct keeper *keeper = shared(sizeof(*keeper));
	pid_t pid;

	server_with(5 * MS);
	give(RESCH_HOLDER_USER, ALICE);
	pid = child(dies, keeper);
	await(keeper->ready && state_of(keeper->id) == RESCH_STATE_GONE);
	attributes_await(pid, &keeper->before, "a program that it executes");
	kill(pid, SIGKILL);
	child_wait(pid);
	keeper->ready = 0;
	keeper->step = 1;
	pid = child(dies, keeper);
	await(keeper->ready);
	kill(pid, SIGKILL);
	child_wait(pid);
	await(server_stat(her_domain, her_server).tasks == 0);
	must(resch_server_del(dev, her_domain, her_server));
}

static int stays(void *arg)
{
	struct keeper *keeper = arg;
	struct resch_register reg = task_in_server();

	become(ALICE, false);
	reg.params.kind = RESCH_WAKEUP;
	must(resch_register_self(dev, &reg));
	keeper->ready = 1;
	for (;;)
		pause();
	return 0;
}

TEST(confined, "the domain takes no plugin without servers while they have tasks in it")
{
	struct keeper *keeper = shared(sizeof(*keeper));
	pid_t pid;

	server_with(5 * MS);
	give(RESCH_HOLDER_USER, ALICE);
	pid = child(stays, keeper);
	await(keeper->ready);
	refused(domain_swap(her_domain, "edf", ""), EBUSY);
	must(domain_swap(her_domain, "server", ""));
	check_is(server_stat(her_domain, her_server).tasks, 1);
	take_back();
	must(domain_swap(her_domain, "edf", ""));
	/* Without servers it is nobody's. */
	give(RESCH_HOLDER_USER, ALICE);
	kill(pid, SIGKILL);
	child_wait(pid);
}

/* ---- lent priority --------------------------------------------------------------------------- */

/* A lock with priority inheritance, whose owner never lets go of it. */
struct lock {
	uint32_t futex;
	atomic_int held, waits, registered;
	pid_t owner;
};

static int owns_lock(void *arg)
{
	struct lock *lock = arg;

	become(ALICE, false);
	lock->owner = getpid();
	must_libc(syscall(SYS_futex, &lock->futex, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
	lock->held = 1;
	for (;;)
		usleep(1000);
	return 0;
}

static int wants_lock(void *arg)
{
	struct lock *lock = arg;
	struct resch_register reg = task_in_server();

	become(ALICE, false);
	reg.params.kind = RESCH_WAKEUP;
	while (!lock->registered)
		usleep(1000);
	if (lock->registered == 1)
		must(resch_register_self(dev, &reg));
	lock->waits = 1;
	must_libc(syscall(SYS_futex, &lock->futex, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
	return 0;
}

/* Of the scheduler, as others lend it: from -100 to -1 it is a real-time one. */
static int priority_of(pid_t pid)
{
	char path[64], text[512], *at;
	int field;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	check(file_read(path, text, sizeof(text)), "%s can't be read", path);
	at = strrchr(text, ')');
	for (field = 2; at && field < 18; field++)
		at = strchr(at + 1, ' ');
	check(at != NULL, "%s is short", path);
	return atoi(at + 1);
}

/*
 * Does the owner of a lock have a real-time priority while somebody waits for it who is registered
 * by root, or by right of the grant?
 */
static bool lends(bool roots)
{
	struct lock *lock = shared(sizeof(*lock));
	pid_t owner = child(owns_lock, lock), waiter;
	struct resch_register reg = task_in_server();
	bool lent;
	int i;

	await(lock->held);
	waiter = child(wants_lock, lock);
	if (roots) {
		reg.params.kind = RESCH_WAKEUP;
		must(resch_register_thread(dev, waiter, &reg));
		lock->registered = 2;
	} else {
		lock->registered = 1;
	}
	await(lock->waits && proc_state(waiter) == 'S');
	/* Who goes to sleep has its priority still. */
	for (i = 0; i < 100 && (priority_of(owner) < 0) != roots; i++)
		sleep_ms(5);
	sleep_ms(50);
	lent = priority_of(owner) < 0;
	kill(waiter, SIGKILL);
	child_wait(waiter);
	kill(owner, SIGKILL);
	child_wait(owner);
	return lent;
}

/*
 * Where the machine is slow the budget may be used up before root's thread waits, and then that has
 * no priority to lend, either: more than once.
 */
TEST(lent, "who waits for a lock of an ordinary thread lends it no priority but root's own")
{
	int i;

	server_with(5 * MS);
	give(RESCH_HOLDER_USER, ALICE);
	check(!lends(false), "a holder's thread lends what it has");
	for (i = 0; i < 20 && !lends(true); i++)
		;
	check(i < 20, "root's thread lends nothing, so this test sees nothing");
}
