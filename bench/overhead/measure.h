/* SPDX-License-Identifier: GPL-2.0 */
/* measure.h - the measurements */
#ifndef _OVERHEAD_MEASURE_H
#define _OVERHEAD_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A periodic task under @policy over a spinner under @over, or "idle"; both processes, or threads
 * of one.
 */
void measure_cycle(const char *policy, const char *over, bool threads);

/* Over an ordinary program, with each value; @jobs: at most JOBS_MAX. */
void measure_spread(const char *policy, uint32_t jobs);

/*
 * One short-period task of resch among @count: the others "sleeping", "ready", or sharing its
 * work, "cycling"; spread over @servers, where the policy has servers.
 */
void measure_crowd(const char *policy, const char *mode, unsigned int count, unsigned int servers);

/*
 * Round trips of two ordinary programs over a pair of pipes; @state: what the module does
 * meanwhile.
 */
void measure_pipe(const char *state, bool pinned);

/* On CPU 0, each of so many of them by itself. */
void measure_trips(const char *state, uint32_t count);

/*
 * From one thread's call on CPU @from to another one's first instruction on CPU @to: of SCHED_FIFO,
 * woken by "eventfd", "pipe" or "futex" above the first, or by "eventfd-below" it; or stages of a
 * chain under a plugin, "edf" or "fp".
 */
void measure_pass(const char *way, int from, int to);

/*
 * A thread goes from CPU @from to CPU @to, and back: by its own "call", or as its reserves are,
 * under a plugin that has plans.
 */
void measure_move(const char *name, int from, int to);

/*
 * Registers @count tasks that sleep, each in a server of its own where the policy has servers, says
 * so, and stays until it is killed.
 */
void measure_hold(const char *policy, unsigned int count);

/*
 * System calls one by one; @state: what the module does meanwhile. @cpu: a guarded CPU that we are
 * lent to before each of them, or -1.
 */
void measure_calls(const char *state, int cpu);

/*
 * The same on @cpu, pinned to it, or, where @state is "lent", lent to it before each (the exempt
 * ones alone), while each CPU with a lower number makes the "same" call in a thread of ours, or in
 * a process of its own "fork"s, adjusts the "clock", or does "compute", without a pause.
 */
void measure_contended(const char *state, int cpu, const char *how);

/* Page faults of a @kind one by one; see kinds in faults.c. */
void measure_fault(const char *kind);

/*
 * Nothing but such faults, or "none", on @cpu: pinned to it, or lent to it before each. Ends by
 * SIGTERM, and says how many they were.
 */
void measure_faulting(const char *kind, int cpu, bool lent);

/*
 * How late a timer wakes us; pinned to @cpu at SCHED_FIFO 80, or as we are where it is -1. @beside:
 * a word for the report.
 */
void measure_woken(const char *beside, int cpu);

/* So many threads more, which sleep. */
void sleepers_start(unsigned int count);

/* Has so many threads, which sleep, says so, and stays until it is killed. */
void measure_sleepers(unsigned int count);

#endif /* _OVERHEAD_MEASURE_H */
