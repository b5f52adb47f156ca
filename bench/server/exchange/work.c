// SPDX-License-Identifier: GPL-2.0
/* work.c - computing for a known time */
#include "exchange.h"
#include "relax.h"

#define TRIALS 20
#define LOOPS 1000000u
/* Where CPUs are emulated and take turns, one that computes gives the others theirs. */
#define TURN 10000u

static void loops(uint64_t count)
{
	uint64_t i;

	for (i = 1; i <= count; i++) {
		__asm__ volatile("" ::: "memory");
		if (i % TURN == 0)
			relax();
	}
}

/* Loops in a ms: of a few trials the one that was disturbed the least. */
uint64_t work_rate(void)
{
	uint64_t least = UINT64_MAX, began, took;
	int i;

	for (i = 0; i < TRIALS; i++) {
		began = resch_now();
		loops(LOOPS);
		took = resch_now() - began;
		if (took < least)
			least = took;
	}
	return LOOPS * 1000000ull / least;
}

void work(uint64_t rate, uint64_t ns)
{
	loops(ns * rate / 1000000);
}
