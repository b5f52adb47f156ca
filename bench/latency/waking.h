/* SPDX-License-Identifier: GPL-2.0 */
/*
 * waking.h - when the kernel began to wake a thread
 *
 * The tracepoint sched_waking, seen through perf_event_open(): its stamps are CLOCK_MONOTONIC in
 * ns, where the text of a trace has microseconds, and reading them costs the thread that is
 * measured nothing.
 */
#ifndef _LATENCY_WAKING_H
#define _LATENCY_WAKING_H

#include <stdint.h>
#include <sys/types.h>

struct waking {
	int fd;
	void *ring;
};

/* Watch @cpu, the one that @tid's timer expires on. Needs root. Returns 0 or -1, with errno. */
int waking_open(struct waking *waking, int cpu, pid_t tid);

void waking_close(struct waking *waking);

/* The first waking at @from or later, ns, or 0; earlier ones are forgotten. */
uint64_t waking_next(struct waking *waking, uint64_t from);

#endif /* _LATENCY_WAKING_H */
