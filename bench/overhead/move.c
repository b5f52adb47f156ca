// SPDX-License-Identifier: GPL-2.0
/*
 * move.c - a thread goes from one CPU to another: by its own call, or as its reserves are there
 *
 * Both CPUs are idle otherwise, and what is counted is what both of them execute meanwhile. By its
 * call: sched_setaffinity(), of SCHED_FIFO. A split task computes without end, and looks where it
 * was stopped, and where it goes on. In each slot of its plan it has
 *
 *    CPU FROM  ..........|===|            it goes over as the slot ends, to its next reserve
 *    CPU TO    |===|.........|===|        and here, to come back, it waits for one
 *
 * so that one way it is stopped and moved, and the other way, from the begin of its reserve on, it
 * is fetched asleep.
 */
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <resch.h>

#include "clock.h"
#include "mark.h"
#include "measure.h"
#include "result.h"
#include "task.h"

#define MOVES_WARMUP 10
#define MOVES 40
#define MOVES_ALL (MOVES_WARMUP + MOVES)

/* A little off the kernel's ticks. */
#define SLOT 20000000u
#define FIRST_END 5300000u /* of the reserve that begins the slot */
#define SECOND_BEGIN 12300000u /* of the one that ends it */

/* Longer than what a thread does from one look to the next; shorter than any move. */
#define GAP 1000

/* So long before it is stopped a thread marks that it will be. */
#define NEAR 500

enum { OVER, BACK };

struct move {
	int from, to;
	uint64_t values[2][MOVES_ALL];
	unsigned int count[2];
};

static struct move move;

/* ---- by its own call ------------------------------------------------------------------------- */

static void move_by_call(void)
{
	struct sched_param param = { .sched_priority = 50 };
	unsigned int i;

	pin(move.from);
	must(sched_setscheduler(0, SCHED_FIFO, &param), "SCHED_FIFO");
	for (i = 0; i < 2 * MOVES_ALL; i++) {
		uint64_t begin;

		/* Away from the tick, with the other CPU asleep. */
		sleep_until(base_soon());
		mark(MARK_END);
		begin = stamp();
		pin(i % 2 ? move.from : move.to);
		move.values[i % 2][i / 2] = stamp() - begin;
		mark(MARK_BEGIN);
	}
}

/* ---- as its reserves are --------------------------------------------------------------------- */

static bool move_done(void)
{
	return move.count[OVER] >= MOVES_ALL && move.count[BACK] >= MOVES_ALL;
}

static void move_note(int way, uint64_t value)
{
	if (move.count[way] < MOVES_ALL)
		move.values[way][move.count[way]++] = value;
}

/* The times of a plan, in ticks. */
struct slots {
	uint64_t origin;
	uint64_t length;
	uint64_t first_end;
	uint64_t second_begin;
};

static struct slots slots_of(const struct moment *begin, uint64_t from)
{
	struct moment end = moment_now();

	return (struct slots){
		.origin = moment_ticks(begin, &end, from),
		.length = moment_span(begin, &end, SLOT),
		.first_end = moment_span(begin, &end, FIRST_END),
		.second_begin = moment_span(begin, &end, SECOND_BEGIN),
	};
}

/* When the slot has begun that @now is in. */
static uint64_t slot_of(const struct slots *slots, uint64_t now)
{
	return now - (now - slots->origin) % slots->length;
}

/* When the thread, which runs, will be stopped. */
static uint64_t slots_stop(const struct slots *slots, uint64_t now)
{
	uint64_t slot = slot_of(slots, now);

	return slot + (now < slot + slots->first_end ? slots->first_end : slots->length);
}

/* From @last to @first it did not run, and is on another CPU. */
static void move_seen(const struct slots *slots, uint64_t last, uint64_t first)
{
	if (sched_getcpu() == move.to)
		move_note(OVER, first - last);
	else
		move_note(BACK, first - slot_of(slots, first) - slots->second_begin);
}

static void move_compute(const struct slots *slots)
{
	uint64_t last = stamp(), stop = slots_stop(slots, last);
	int cpu = sched_getcpu();

	while (!move_done()) {
		uint64_t first = stamp();

		if (first >= stop - NEAR) {
			mark(MARK_END);
			stop = UINT64_MAX;
		}
		if (first - last > GAP && sched_getcpu() != cpu) {
			mark(MARK_BEGIN);
			move_seen(slots, last, first);
			cpu = sched_getcpu();
			first = stamp();
			stop = slots_stop(slots, first);
		}
		last = first;
	}
}

static void move_by_plan(const char *plugin)
{
	const struct resch_reserve plan[] = {
		{ .group = 1, .cpu = (uint32_t)move.to, .begin = 0, .end = FIRST_END },
		{ .group = 1, .cpu = (uint32_t)move.from, .begin = SECOND_BEGIN, .end = SLOT },
	};
	struct resch_domain_set want = { 0 };
	struct resch_register reg = {
		.params = {
			.period = 3600ull * 1000000000u,
			.deadline = 3600ull * 1000000000u,
			.wcet = 3600ull * 1000000000u,
			.kind = RESCH_PERIODIC,
			.cpu = -1,
			.group = 1,
			.flags = RESCH_F_SKIP_ADMISSION,
		},
	};
	uint64_t from = base_soon() + SLOT;
	struct moment begin = moment_now();
	struct slots slots;
	int fd = resch_open();

	if (fd < 0)
		fail("%s", resch_open_reason(fd));
	resch_cpus_add(&want.cpus, (uint32_t)move.from);
	resch_cpus_add(&want.cpus, (uint32_t)move.to);
	strncpy(want.plugin, plugin, sizeof(want.plugin) - 1);
	must(resch_domain_set(fd, &want), "making a domain");
	must(resch_plan_set(fd, want.domain, SLOT, &from, plan, 2, NULL), "giving it a plan");
	reg.domain = want.domain;
	must(resch_register_self(fd, &reg), "registering a task");
	must(resch_wait(fd, NULL), "waiting for its job");
	slots = slots_of(&begin, from);
	move_compute(&slots);
	must(resch_unregister(fd, 0), "ending its registration");
	must(resch_domain_del(fd, want.domain), "removing the domain");
}

void measure_move(const char *name, int from, int to)
{
	static const char *const ways[] = { "over", "back" };
	char what[120];
	int way;

	move.from = from;
	move.to = to;
	if (!strcmp(name, "call"))
		move_by_call();
	else
		move_by_plan(name);
	for (way = 0; way < 2; way++) {
		snprintf(what, sizeof(what),
			 "\"measure\": \"move\", \"by\": \"%s\", \"way\": \"%s\"", name, ways[way]);
		result_print(what, move.values[way] + MOVES_WARMUP, MOVES);
	}
}
