// SPDX-License-Identifier: GPL-2.0
/*
 * faults.c - single page faults, from user mode to user mode; and how late they make who is woken
 *
 * A fault's work is done where it comes, an RT CPU included. On a kernel that is preempted at its
 * own choice only, who is woken meanwhile waits for that.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <resch.h>

#include "clock.h"
#include "measure.h"
#include "result.h"
#include "task.h"

#define PAGE 4096UL
#define HUGE (512 * PAGE)
#define BATCHES 10
#define BATCH 200
#define WAKES 3000

static char *memory;
static size_t memory_size;

/* ---- kinds ----------------------------------------------------------------------------------- */

static void map(size_t size, int flags, int fd)
{
	/* Room to begin where a huge page can. */
	size_t room = fd < 0 ? HUGE : 0;
	char *at = mmap(NULL, size + room, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (at == MAP_FAILED)
		fail("no memory");
	if (room)
		at += HUGE - (unsigned long)at % HUGE;
	memory = at;
	memory_size = size;
}

static void map_anonymous(void)
{
	map(1024 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	madvise(memory, memory_size, MADV_NOHUGEPAGE);
}

static void map_huge(void)
{
	map(8 * HUGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	must(madvise(memory, memory_size, MADV_HUGEPAGE), "huge pages");
}

/* A file whose pages are all in memory. */
static void map_file(int flags)
{
	static const char page[PAGE] = { 1 };
	int fd = (int)must(memfd_create("pages", 0), "a file in memory"), i;

	for (i = 0; i < 1024; i++)
		must(write(fd, page, sizeof(page)), "writing");
	map(1024 * PAGE, flags, fd);
}

static void map_shared(void)
{
	map_file(MAP_SHARED);
}

static void map_private(void)
{
	map_file(MAP_PRIVATE);
}

/* Larger than what the cgroup may have: each page has another one written out. */
static void map_large(void)
{
	map(6144 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	madvise(memory, memory_size, MADV_NOHUGEPAGE);
}

static void forget(void)
{
	must(madvise(memory, memory_size, MADV_DONTNEED), "forgetting pages");
}

static void write_out(void)
{
	unsigned long i;

	for (i = 0; i < memory_size; i += PAGE)
		memory[i] = 1;
	must(madvise(memory, memory_size, MADV_PAGEOUT), "writing pages out");
}

static void keep(void)
{
}

static const struct kind {
	const char *name;
	void (*prepare)(void);
	void (*again)(void); /* when all pages have been touched */
	unsigned long step;
	bool writes;
} kinds[] = {
	{ "anonymous", map_anonymous, forget, PAGE, true },
	/* Sixteen pages are mapped at once. */
	{ "cached", map_shared, forget, 16 * PAGE, false },
	{ "copied", map_private, forget, PAGE, true },
	{ "huge", map_huge, forget, HUGE, true },
	{ "swapped", map_anonymous, write_out, 8 * PAGE, false },
	{ "limit", map_large, keep, PAGE, true },
};

static const struct kind *kind_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	}
	fail("no kind of fault '%s'", name);
}

/* The next page that it takes a fault to touch; the preparations are somebody else's time. */
static volatile char *page_next(const struct kind *kind)
{
	static unsigned long at;

	if (!memory) {
		kind->prepare();
		kind->again();
	} else if (at >= memory_size) {
		kind->again();
		at = 0;
	}
	at += kind->step;
	return memory + at - kind->step;
}

static void touch(const struct kind *kind, volatile char *page)
{
	if (kind->writes)
		*page = 1;
	else
		(void)*page;
}

/* ---- alone ----------------------------------------------------------------------------------- */

void measure_fault(const char *name)
{
	static uint64_t values[BATCHES * BATCH];
	const struct kind *kind = kind_of(name);
	char what[120];
	int i;

	for (i = 0; i < BATCH; i++)
		touch(kind, page_next(kind));
	for (i = 0; i < BATCHES * BATCH; i++) {
		volatile char *page = page_next(kind);
		uint64_t start = stamp();

		touch(kind, page);
		values[i] = stamp() - start;
	}
	snprintf(what, sizeof(what), "\"measure\": \"fault\", \"kind\": \"%s\", \"longest\": %llu",
		 name, (unsigned long long)longest_own(values, BATCHES * BATCH, BATCH));
	result_print(what, values, BATCHES * BATCH);
}

/* ---- beside somebody who is woken ------------------------------------------------------------ */

static volatile unsigned long faults;

static void say(int signal)
{
	char text[80];
	int length =
		snprintf(text, sizeof(text), "{\"measure\": \"faults\", \"count\": %lu}\n", faults);

	(void)signal;
	_exit(write(1, text, (size_t)length) != length);
}

void measure_faulting(const char *name, int cpu, bool lent)
{
	const struct kind *kind = strcmp(name, "none") ? kind_of(name) : NULL;
	int fd = lent ? (int)must(resch_open(), "opening /dev/resch") : -1;

	signal(SIGTERM, say);
	if (!lent)
		pin(cpu);
	for (;;) {
		volatile char *page = kind ? page_next(kind) : NULL;

		while (lent && sched_getcpu() != cpu)
			must(resch_guard_lend(fd, 0, (uint32_t)cpu), "lending");
		if (kind)
			touch(kind, page);
		faults++;
	}
}

void measure_woken(const char *word, int cpu)
{
	static uint64_t values[WAKES];
	uint64_t at = now_ns(), seed = 1;
	char what[120];
	int i;

	if (cpu >= 0) {
		struct sched_param param = { .sched_priority = 80 };

		pin(cpu);
		must(sched_setscheduler(0, SCHED_FIFO, &param), "SCHED_FIFO");
	}
	for (i = -10; i < WAKES; i++) {
		/* Anywhere in a fault, whatever time those take. */
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		at += 300000 + (seed >> 33) % 200000;
		sleep_until(at);
		if (i >= 0)
			values[i] = now_ns() - at;
	}
	snprintf(what, sizeof(what), "\"measure\": \"woken\", \"beside\": \"%s\"", word);
	result_print(what, values, WAKES);
}
