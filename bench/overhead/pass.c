// SPDX-License-Identifier: GPL-2.0
/*
 * pass.c - one thread has done its part, and another one begins: by what wakes threads of
 * SCHED_FIFO, or as stages of a chain
 *
 * The first thread makes a call each period, on an otherwise idle machine: the write that wakes the
 * other one, after which it sleeps till its next period by another call; or, as a stage, the wait
 * that ends its job, which is both. The other one is in the call that waits for that.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <resch.h>

#include "clock.h"
#include "mark.h"
#include "measure.h"
#include "result.h"
#include "task.h"

/* No tick of the kernel meets them; see base_soon(). */
#define PASS_PERIOD 20000000u
#define PASS_KEY 0x7e5cu
#define PASSES_WARMUP 10
#define PASSES 30
#define PASSES_ALL (PASSES_WARMUP + PASSES)

enum { GIVER, TAKER };

static const struct way {
	const char *name;
	const char *plugin; /* NULL: SCHED_FIFO */
	int priority[2];
	int (*open)(int fds[2]);
} * way;

/* What one of the two does each period: a system call with up to four arguments. */
struct part {
	long number;
	long args[4];
	int cpu;
	int fd; /* of /dev/resch; its task's registration */
	uint32_t task;
	uint64_t stamp[PASSES_ALL];
	volatile bool ready;
};

static struct part parts[2];
static volatile uint64_t base;
static volatile int word; /* the futex */
static uint64_t eight = 1;
static char byte;

static long part_call(const struct part *part)
{
	register long fourth __asm__("r10");
	long result;

	fourth = part->args[3];
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(part->number), "D"(part->args[0]), "S"(part->args[1]),
			   "d"(part->args[2]), "r"(fourth)
			 : "rcx", "r11", "memory");
	return result;
}

/* ---- by what wakes --------------------------------------------------------------------------- */

static int open_eventfd(int fds[2])
{
	fds[0] = fds[1] = eventfd(0, EFD_CLOEXEC);
	return fds[0];
}

static int open_pipe(int fds[2])
{
	return pipe2(fds, O_CLOEXEC);
}

static const struct way ways[] = {
	{ "eventfd", NULL, { 50, 90 }, open_eventfd },
	{ "eventfd-below", NULL, { 90, 50 }, open_eventfd },
	{ "pipe", NULL, { 50, 90 }, open_pipe },
	{ "futex", NULL, { 50, 90 }, NULL },
	{ "edf", "edf", { 0, 0 }, NULL },
	{ "fp", "fp", { 0, 0 }, NULL },
};

static void calls_wake(void)
{
	struct part *giver = &parts[GIVER], *taker = &parts[TAKER];
	bool pipes = way->open == open_pipe;
	int fds[2];

	if (way->open) {
		must(way->open(fds), way->name);
		giver->number = SYS_write;
		taker->number = SYS_read;
		giver->args[0] = fds[1];
		taker->args[0] = fds[0];
		giver->args[1] = taker->args[1] = pipes ? (long)&byte : (long)&eight;
		giver->args[2] = taker->args[2] = pipes ? 1 : 8;
		return;
	}
	giver->number = taker->number = SYS_futex;
	giver->args[0] = taker->args[0] = (long)&word;
	giver->args[1] = FUTEX_WAKE_PRIVATE;
	giver->args[2] = 1;
	taker->args[1] = FUTEX_WAIT_PRIVATE;
}

/* ---- as stages ------------------------------------------------------------------------------- */

static int pass_fd; /* the chain's */
static uint32_t pass_domain;

static void domain_make(void)
{
	struct resch_domain_set want = { 0 };
	int i;

	pass_fd = resch_open();
	if (pass_fd < 0)
		fail("%s", resch_open_reason(pass_fd));
	for (i = 0; i < 2; i++)
		resch_cpus_add(&want.cpus, (uint32_t)parts[i].cpu);
	strcpy(want.plugin, way->plugin);
	must(resch_domain_set(pass_fd, &want), "making a domain");
	pass_domain = want.domain;
}

/* The calling thread becomes a task that is on offer. */
static void part_register(struct part *part)
{
	bool first = part == &parts[GIVER];
	struct resch_register reg = {
		.params = {
			.period = PASS_PERIOD / 2,
			.deadline = PASS_PERIOD / 2,
			.wcet = PASS_PERIOD / 8,
			.kind = first ? RESCH_PERIODIC : RESCH_SPORADIC,
			.cpu = part->cpu,
			.flags = first ? RESCH_F_SYNC : 0,
		},
	};

	if (first)
		reg.params.period = PASS_PERIOD;
	part->fd = (int)must(resch_open(), "opening /dev/resch");
	must(resch_register_self(part->fd, &reg), "registering a task");
	part->task = reg.id;
	must(resch_chain_offer(part->fd, reg.id, PASS_KEY), "offering a task");
	part->number = SYS_fdatasync; /* as resch_wait() does */
	part->args[0] = part->fd;
}

static void chain_make(void)
{
	struct resch_chain_stage stages[2] = {
		{ .task = parts[GIVER].task, .key = PASS_KEY },
		{ .task = parts[TAKER].task, .key = PASS_KEY, .from_mask = 1 },
	};
	struct resch_chain_set want = {
		.count = 2,
		.protocol = RESCH_CHAIN_DS,
		.period = PASS_PERIOD,
		.deadline = PASS_PERIOD,
		.name = "pass",
	};

	must(resch_chain_set(pass_fd, &want, stages), "making a chain");
	must(resch_start(pass_fd, pass_domain, base), "starting the chain");
}

static void domain_end(void)
{
	int err;

	do {
		usleep(10000);
		err = resch_domain_del(pass_fd, pass_domain);
	} while (err == -EBUSY);
	must(err, "removing the domain");
	close(pass_fd);
}

/* ---- the two --------------------------------------------------------------------------------- */

static void part_enter(struct part *part)
{
	struct sched_param param = { .sched_priority = way->priority[part - parts] };

	pin(part->cpu);
	if (way->plugin)
		part_register(part);
	else
		must(sched_setscheduler(0, SCHED_FIFO, &param), "SCHED_FIFO");
	part->ready = true;
}

static void *giver_main(void *arg)
{
	struct part *part = arg;
	int i;

	part_enter(part);
	while (!way->plugin && !base)
		usleep(1000);
	if (way->plugin)
		part_call(part); /* until its first job */
	for (i = 0; i < PASSES_ALL; i++) {
		if (!way->plugin)
			sleep_until(base + (uint64_t)i * PASS_PERIOD);
		word = i + 1;
		mark(MARK_END);
		part->stamp[i] = stamp();
		part_call(part);
	}
	if (way->plugin)
		close(part->fd);
	return NULL;
}

static void *taker_main(void *arg)
{
	struct part *part = arg;
	int i;

	part_enter(part);
	for (i = 0; i < PASSES_ALL; i++) {
		if (!way->plugin && !way->open)
			part->args[2] = i; /* as long as the futex says so */
		must(part_call(part), "waiting");
		part->stamp[i] = stamp();
		mark(MARK_BEGIN);
	}
	if (way->plugin)
		close(part->fd);
	return NULL;
}

static void both_run(void)
{
	void *(*const mains[2])(void *part) = { giver_main, taker_main };
	pthread_t threads[2];
	int i;

	for (i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, mains[i], &parts[i]))
			fail("no thread");
	while (!parts[GIVER].ready || !parts[TAKER].ready)
		usleep(1000);
	usleep(50000);
	base = base_soon();
	if (way->plugin)
		chain_make();
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

void measure_pass(const char *name, int from, int to)
{
	static uint64_t values[PASSES];
	struct moment before, after;
	char what[120];
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways) && !way; i++)
		if (!strcmp(ways[i].name, name))
			way = &ways[i];
	if (!way)
		fail("no such way: %s", name);
	parts[GIVER].cpu = from;
	parts[TAKER].cpu = to;
	if (way->plugin)
		domain_make();
	else
		calls_wake();
	before = moment_now();
	both_run();
	after = moment_now();
	if (way->plugin)
		domain_end();
	for (i = 0; i < PASSES; i++)
		values[i] = (uint64_t)(moment_ns(&before, &after,
						 parts[TAKER].stamp[PASSES_WARMUP + i] -
							 parts[GIVER].stamp[PASSES_WARMUP + i]) +
				       0.5);
	snprintf(what, sizeof(what),
		 "\"measure\": \"pass\", \"way\": \"%s\", \"from\": %d, \"to\": %d", name, from,
		 to);
	result_print(what, values, PASSES);
}
