/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lib.h - what the guest tests written in C share
 *
 * A test is a file of cases: TEST(name, "what is true") { ... }. main() is in lib.c: it loads
 * resch.ko and, for each case, forks. The case runs in the child, on CPU 0, with `dev` open; it
 * ends by returning (pass), check() and friends (fail), or skip(). After each case the parent kills
 * what the case has left, waits until no task is registered any more, deletes the domains, and at
 * the end unloads the modules: leaks fail the test.
 *
 * Tests run on emulated machines that others use too: a thread may lose its CPU for tens of
 * milliseconds. So nothing here judges durations closely; tests look at states, orders, counts, and
 * what is restored.
 */
#ifndef _TEST_LIB_H
#define _TEST_LIB_H

#include <errno.h>
#include <fcntl.h>
#include <linux/resch.h>
#include <poll.h>
#include <pthread.h>
#include <resch.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "relax.h"

#define MS 1000000ULL
#define SEC 1000000000ULL

/* Registered threads of most tests run here; the tests themselves on CPU 0. */
#define CPU 1

/* ---- cases ----------------------------------------------------------------------------------- */

struct test_case {
	const char *name;
	void (*run)(void);
	struct test_case *next;
};

void test_add(struct test_case *test);

#define TEST(function, sentence)                                                       \
	static void case_##function(void);                                             \
	static struct test_case function##_case = { sentence, case_##function, NULL }; \
	static __attribute__((constructor)) void function##_add(void)                  \
	{                                                                              \
		test_add(&function##_case);                                            \
	}                                                                              \
	static void case_##function(void)

/* Seconds that a case may take; a test may change it in a constructor. */
extern unsigned int test_limit;

/* So many times slower than a distribution's is this kernel: what computes for long may do less. */
unsigned int test_slower(void);

/*
 * Module parameters for resch.ko, after those of all tests and before what $RESCH_PARAMS says; set
 * in a constructor. An emulated CPU can be away for longer than a plugin may pick nobody: the
 * watchdog of all tests has the patience of TEST_PARAMS.
 */
extern const char *test_params;
#define TEST_PARAMS "watchdog_ms=20000"

/* Load resch.ko with them, as is done before the first case; 0 or -errno. */
int test_load(void);

/* The device, open, in the case's process. */
extern int dev;

/* End the case, from any thread or child of it. */
void fail_at(const char *file, int line, const char *format, ...)
	__attribute__((noreturn, format(printf, 3, 4)));
void skip(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#define fail(...) fail_at(__FILE__, __LINE__, __VA_ARGS__)

/* check(what must be true, "sentence", ...): the sentence says what was found instead. */
#define check(condition, ...)              \
	do {                               \
		if (!(condition))          \
			fail(__VA_ARGS__); \
	} while (0)

/* The two values are the same number. */
#define check_is(is, wanted)                                                    \
	do {                                                                    \
		long long is_ = (long long)(is), wanted_ = (long long)(wanted); \
		if (is_ != wanted_)                                             \
			fail("%s is %lld, not %lld", #is, is_, wanted_);        \
	} while (0)

/* A call that must succeed (returns -errno, as libresch does); its value. */
#define must(call)                                               \
	({                                                       \
		long must_ = (call);                             \
		if (must_ < 0)                                   \
			fail("%s: %s", #call, strerror(-must_)); \
		must_;                                           \
	})

/* A call of the C library that must succeed (-1 and errno). */
#define must_libc(call)                                         \
	({                                                      \
		long must_ = (long)(call);                      \
		if (must_ == -1)                                \
			fail("%s: %s", #call, strerror(errno)); \
		must_;                                          \
	})

/* A call that must be refused with this error. */
#define refused(call, error)                                                                       \
	do {                                                                                       \
		long refused_ = (call);                                                            \
		if (refused_ != -(error))                                                          \
			fail("%s: %s, not %s", #call, errno_name(refused_), errno_name(-(error))); \
	} while (0)

/*
 * Seconds that a test waits for what has to come: in vain, or else the machine is slower than any
 * that tests should run on. How long something takes is never judged.
 */
#define PATIENCE 60

/* Wait, with patience, until the condition holds. */
#define await(condition)                                                    \
	do {                                                                \
		uint64_t await_ = resch_now() + PATIENCE * SEC;             \
		while (!(condition)) {                                      \
			if (resch_now() > await_)                           \
				fail("waited in vain for: %s", #condition); \
			sleep_ms(2);                                        \
		}                                                           \
	} while (0)

/* basic.c, as the calls below. */
const char *errno_name(long error);

/* The same as resch.h's calls, with the request and structure as they are: 0 or -errno. */
long call(int fd, unsigned long request, void *argument);

/* ---- time ------------------------------------------------------------------------------------ */

void sleep_ms(unsigned int ms);

/* Use this much CPU time, in user mode. */
void spin(uint64_t ns);
uint64_t cpu_time(void);

/* Some microseconds of computing, and a pause: for loops that compute for ever. */
void compute_a_while(void);

/* Spin until *flag, without ever blocking. */
void spin_until(const atomic_int *flag);

/* ---- domain.c: modules and domains ----------------------------------------------------------- */

/* Load $RESCH_MODULES/NAME.ko, or do nothing where it is live; 0 or -errno. Remove it again. */
int module_load(const char *name, const char *params);
int module_unload(const char *name);
bool module_loaded(const char *name);

/* Remove the plugins, then the core: how many are left, one of them in @left. */
int modules_unload(char *left, size_t size);

/* A domain with these CPUs; the plugin's module is loaded. */
uint32_t domain_on(const char *cpus, const char *plugin, const char *options);

/* The one that nearly all tests want: CPU 1. */
uint32_t use(const char *plugin);

/* Change a domain's plugin: 0 or -errno. */
int domain_swap(uint32_t domain, const char *plugin, const char *options);

struct resch_domain_stat domain_stat(uint32_t domain);

/* The plugin with that name, which is loaded. */
struct resch_plugin_stat plugin_stat(const char *name);

struct resch_info info(void);

/* ---- task.c: threads ------------------------------------------------------------------------- */

/* A periodic task on CPU 1, admitted without a test. */
struct resch_register periodic(uint64_t period, uint64_t wcet);
struct resch_register sporadic(uint64_t period, uint64_t wcet);
struct resch_register wakeup(uint64_t period, uint64_t wcet);

/* A thread of the case that registers itself. */
struct task {
	struct resch_register reg; /* what it asks for, then what it got */
	void (*body)(struct task *task);
	uint32_t id;
	pid_t tid;
	pthread_t thread;
	void *arg;
	int number;
	atomic_int stop; /* for the body */
	atomic_int step; /* of the body, for those who wait for it */
	atomic_int ended;
	atomic_ullong jobs;
	struct resch_wait job; /* what its last wait() returned */
	int result;
	atomic_int registered;
	bool unregistered_end; /* it ended its registration itself, or lost it */
};

/*
 * Start it and wait until it is registered. body() then runs; before its end the thread
 * unregisters.
 */
void task_start(struct task *task, void (*body)(struct task *task));
void task_join(struct task *task);

/* Likewise one that waits for releases, or ends. */
void task_join_sporadic(struct task *task);

/* resch_wait() again after each -EINTR; counts task->jobs. Fails the case on other errors. */
void task_wait(struct task *task);

/* A body: jobs that do nothing, until task->stop. */
void body_idle(struct task *task);

/* A body: one endless job of computing, until task->stop. */
void body_spin(struct task *task);

/* A body for thread_start(): an ordinary thread that keeps CPU 1 busy, until task->stop. */
void body_load(struct task *task);

/* A body: jobs of a tenth of a millisecond, until task->stop. */
void body_short(struct task *task);

/*
 * A body: one job in which task->step counts, until task->stop. Leaves some time to ordinary
 * threads: those of the kernel, which complete I/O, are among them.
 */
void body_counts(struct task *task);

/*
 * Starts tasks with RESCH_F_SYNC, and then @domain; joins them. They must have noted @wanted, or
 * the case fails.
 */
void tasks_in_order(struct task *tasks, int count, void (*body)(struct task *task), uint32_t domain,
		    const char *wanted);

/* A thread of the case that is not registered, on CPU 0; its tid is known when this returns. */
void thread_start(struct task *task, void (*body)(struct task *task));

struct resch_task_stat stat_of(uint32_t id);

/* The state of a task; RESCH_STATE_GONE where there is none. */
uint32_t state_of(uint32_t id);

/* How many tasks are registered, through whomever. */
uint32_t tasks_registered(void);

/* The next event, which must be this one. */
struct resch_event event_await(uint32_t type, uint32_t task);

/* ---- server.c: servers and their members ----------------------------------------------------- */

/* What a server asks for that stays when its maker goes: RESCH_SERVER_CBS_HARD, on any CPU. */
struct resch_server_set server_of(uint32_t domain, uint64_t budget, uint64_t period);

/* The calls, for tests of their results: 0 or -errno. */
int server_set(struct resch_server_set *want);
int server_del(uint32_t domain, uint32_t id);

/* Make one as server_of() describes it, which is on CPU 1: its number. */
uint32_t server_make(uint32_t domain, uint64_t budget, uint64_t period);

struct resch_server_stat server_stat(uint32_t domain, uint32_t id);

/* How many servers the domain has. */
uint32_t servers_of(uint32_t domain);

/*
 * Fail unless a server that always has work gets its share of the time since @begin, when it was as
 * in @before, and no more, and has been suspended more than three times. What a late timer lets it
 * have it pays for in the periods after, so sooner or later its share is seen to hold: from @least
 * to @most ns after @begin. What its counters are then.
 */
struct resch_server_stat share_await(const struct resch_server_stat *before, uint64_t begin,
				     uint64_t least, uint64_t most);

/* A periodic task in the server, with an admission test. */
struct resch_register in_server(uint32_t id, uint64_t period, uint64_t wcet);

/* ---- guard.c: guarded CPUs ------------------------------------------------------------------- */

/* No call is exempt. */
extern const struct resch_calls calls_none;

/*
 * A domain of CPU 1 under @plugin, guarded: CPU 0 is for calls, and the case may be on both.
 * @flags: RESCH_GUARD_MANUAL; @exempt: NULL: the default list.
 */
uint32_t guard_on(const char *plugin, uint32_t flags, const struct resch_calls *exempt);
void guard_off(uint32_t domain);

/* The affinity of a thread: bit 0 for CPU 0, bit 1 for CPU 1. */
int cpus_of(pid_t tid);

/* ---- attributes.c: what a thread was --------------------------------------------------------- */

struct attributes {
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	cpu_set_t cpus;
};

struct attributes attributes_of(pid_t tid);

/* Fail unless @tid, called @who, is what it was. */
void attributes_check(pid_t tid, const struct attributes *before, const char *who);

/* Wait for it, for restoring may take a moment after the call that causes it. */
void attributes_await(pid_t tid, const struct attributes *before, const char *who);

/* Give the thread these; flags: SCHED_FLAG_RESET_ON_FORK. */
int attributes_set(pid_t tid, uint32_t policy, uint32_t priority, int32_t nice, uint64_t flags);
void pin(pid_t tid, const char *cpus);

#define FLAG_RESET_ON_FORK 1

/* ---- a log of what ran when ------------------------------------------------------------------ */

/* One character each, in the order of the calls; any thread, also of children. At most 255. */
void note(char what);
const char *notes(void);
void notes_clear(void);

/* ---- process.c: processes and files ---------------------------------------------------------- */

/* A child that runs @body and exits with its result; it dies with the case. */
pid_t child(int (*body)(void *arg), void *arg);

/* Wait for it: its wait status. child_ok(): it must have exited with 0. */
int child_wait(pid_t pid);
void child_ok(pid_t pid);

/* The letter of /proc/TID/stat; 'X' where there is none. */
char proc_state(pid_t tid);

/* Memory that children share. Zeros. */
void *shared(size_t size);

/*
 * Whether real-time threads leave 5 % of CPU 1 to others, as is usual: up to 6.11 of each CPU. A
 * case that fails does not leave other tests without it.
 */
void throttle(bool on);

bool file_write(const char *path, const char *text);
bool file_read(const char *path, char *text, size_t size);

#endif /* _TEST_LIB_H */
