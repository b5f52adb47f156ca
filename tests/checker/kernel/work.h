/* SPDX-License-Identifier: GPL-2.0 */
/* work.h - to keep a CPU busy for some time of its own */
#ifndef _RESCH_CHECKER_WORK_H
#define _RESCH_CHECKER_WORK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t cpu_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* As long as the thread has executed for @ns, whoever preempts it. */
static inline void work(uint64_t ns)
{
	uint64_t begin = cpu_time();

	while (cpu_time() - begin < ns)
		;
}

#endif /* _RESCH_CHECKER_WORK_H */
