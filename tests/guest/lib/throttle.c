// SPDX-License-Identifier: GPL-2.0
/* throttle.c - what the kernel keeps from real-time threads for others, see lib.h */
#include "lib.h"

#define THROTTLE "/proc/sys/kernel/sched_rt_runtime_us"
#define USUAL "950000"
/* the same of CPU 1 from 6.12 on: the fair server's, which the former does not stop */
#define FAIR "/sys/kernel/debug/sched/fair_server/cpu1/runtime"
#define FAIR_USUAL "50000000"

static pid_t parent;
static atomic_int *changed; /* by any case, each of which is a process */

static __attribute__((constructor)) void throttle_begin(void)
{
	parent = getpid();
	changed = shared(sizeof(*changed));
}

static bool fair_write(bool on)
{
	return access(FAIR, F_OK) || file_write(FAIR, on ? FAIR_USUAL : "0");
}

/*
 * What could not be written, or NULL. 6.12 takes no limit of the former for as long as the fair
 * server is off.
 */
static const char *throttle_write(bool on)
{
	if (on && !fair_write(true))
		return FAIR;
	if (!file_write(THROTTLE, on ? USUAL : "-1"))
		return THROTTLE;
	return on || fair_write(false) ? NULL : FAIR;
}

static __attribute__((destructor)) void throttle_end(void)
{
	if (getpid() != parent || !atomic_load(changed))
		return;
	fair_write(true);
	file_write(THROTTLE, USUAL);
}

void throttle(bool on)
{
	const char *failed;

	atomic_store(changed, 1);
	failed = throttle_write(on);
	check(!failed, "%s: %s", failed, strerror(errno));
}
