/* SPDX-License-Identifier: GPL-2.0 */
/*
 * task.h - the two parts that every measurement has
 *
 * The worker is released each period, does nothing and waits again. The spinner is what runs
 * meanwhile: it reads the clock without end and notes where time went missing. A gap with a job
 * of the worker in it is what that job took from the spinner:
 *
 *    spinner ......|                                      |.......
 *             last |-- in --| worker: begin ... end |- out -| first
 *
 * from which `in` (interrupt, wake-up, switch) and `out` (the wait, switch back) follow to the
 * instruction, and their sum, the job cycle, contains no instruction of either program.
 *
 * Over an idle CPU the kernel's own account of idle time stands for the spinner: from the end of
 * a job to the begin of the next there is the cycle, and idle time.
 */
#ifndef _OVERHEAD_TASK_H
#define _OVERHEAD_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "clock.h"
#include "policy.h"

#define JOBS_WARMUP 10
#define JOBS 120
#define JOBS_ALL (JOBS_WARMUP + JOBS)
#define JOBS_MAX 10000
#define GAPS_MAX (4 * JOBS_MAX)

struct gap {
	uint64_t last;
	uint64_t first;
};

/* One measurement; shared by its processes. */
struct setting {
	const struct policy *policy;
	const struct policy *over; /* of the spinner; NULL: there is none */
	uint64_t period; /* of the worker */
	volatile uint64_t base; /* its first release, CLOCK_MONOTONIC; 0: not known yet */
	uint32_t wanted; /* jobs, after those that warm up: JOBS; at most JOBS_MAX */
	bool threads; /* one process */
	bool spread; /* prints every value */

	volatile uint32_t ready;
	volatile bool stop;
	struct moment before, after;
	uint32_t jobs;
	uint64_t begin[JOBS_WARMUP + JOBS_MAX + 1];
	uint64_t end[JOBS_WARMUP + JOBS_MAX + 1];
	uint64_t idle[JOBS_WARMUP + JOBS_MAX + 1]; /* of the CPU so far, ns; without a spinner */
	uint64_t loop; /* ticks of one round of the spinner */
	uint32_t gaps;
	struct gap gap[GAPS_MAX];
};

struct setting *setting_create(const struct policy *policy, const struct policy *over,
			       uint64_t period);

/* Once @tasks of them are ready: gives them a base, soon, and away from the kernel's ticks. */
void setting_start(struct setting *setting, uint32_t tasks);

/* A time to begin at, soon, and away from the kernel's ticks: ns. */
uint64_t base_soon(void);

/* Binds the calling thread to that CPU. */
void pin(int cpu);

/* Sleeps until an absolute time. */
void sleep_until(uint64_t ns);

/* Notes one job in the setting. */
void setting_job(struct setting *setting, uint64_t begin);

/* The two parts; each is a process, or with setting->threads a thread, of its own. */
void task_spin(struct setting *setting);
void task_start(struct setting *setting, void (*part)(struct setting *setting));
void task_worker(struct setting *setting);
void task_spinner(struct setting *setting);

/* Until the worker has done its jobs. */
void task_wait(const struct setting *setting);

/* Until the tasks that task_start() has started have ended. */
void task_join(void);

/* Prints what the setting holds; @what: the inside of a JSON object. */
void setting_print(struct setting *setting, const char *what);

#endif /* _OVERHEAD_TASK_H */
