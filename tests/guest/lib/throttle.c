// SPDX-License-Identifier: GPL-2.0
/* throttle.c - what the kernel keeps from real-time threads for others, see lib.h */
#include "lib.h"

#define THROTTLE "/proc/sys/kernel/sched_rt_runtime_us"
#define USUAL "950000"

static pid_t parent;
static atomic_int *changed; /* by any case, each of which is a process */

static __attribute__((constructor)) void throttle_begin(void)
{
	parent = getpid();
	changed = shared(sizeof(*changed));
}

static __attribute__((destructor)) void throttle_end(void)
{
	if (getpid() == parent && atomic_load(changed))
		file_write(THROTTLE, USUAL);
}

void throttle(bool on)
{
	atomic_store(changed, 1);
	check(file_write(THROTTLE, on ? USUAL : "-1"), THROTTLE ": %s", strerror(errno));
}
