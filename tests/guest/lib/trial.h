/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trial.h - each memory allocation, and each copy from or to user space, of something fails
 *
 * A thread can ask the kernel that the Nth of its next allocations or copies fails
 * (/proc/thread-self/fail-nth, with CONFIG_FAULT_INJECTION). Kernels without that skip the case:
 * debug kernels have it.
 */
#ifndef _TEST_LIB_TRIAL_H
#define _TEST_LIB_TRIAL_H

#include "report.h"

struct trial {
	void (*ready)(void); /* bring about what is so before each attempt; NULL: it always is */
	long (*act)(void); /* 0 or more, or -errno */
	void (*tell)(struct report *report); /* what it could change */
};

/*
 * For N = 1, 2, ... until there are not that many: it is refused for want of memory or of the copy,
 * and then all is as before, but for a result that could not be told; or it succeeds nevertheless.
 * It is ready once more at the end.
 */
void each_fails(const struct trial *trial);

/* The descriptor that this needs has a number from here on. */
#define TRIAL_FILE 100

/* Only what the module itself asks for fails from now on. */
void faults_of_modules(void);

/* The Nth fails from now on; 0: none. The copy of this number may be what fails. */
void fail_nth(unsigned int nth);

/* Has it failed by now? */
bool has_failed(void);

#endif /* _TEST_LIB_TRIAL_H */
