/* SPDX-License-Identifier: GPL-2.0 */
/*
 * thread-attr.h - sched_setattr(2) and sched_getattr(2), for programs that measure and test
 *
 * Newer C libraries have both calls and struct sched_attr, older ones have neither; the kernel's
 * own header has the structure, but in Debian 12 together with another struct sched_param than
 * <sched.h>.
 */
#ifndef _RESCH_THREAD_ATTR_H
#define _RESCH_THREAD_ATTR_H

#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/** struct thread_attr - as struct sched_attr of sched_setattr(2); @size is set by the calls */
struct thread_attr {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime;
	uint64_t deadline;
	uint64_t period;
};

/* @tid 0: the calling thread. 0, or -1 and errno. */
static inline long thread_attr_set(pid_t tid, struct thread_attr *attr)
{
	attr->size = sizeof(*attr);
	return syscall(SYS_sched_setattr, tid, attr, 0);
}

static inline long thread_attr_get(pid_t tid, struct thread_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	return syscall(SYS_sched_getattr, tid, attr, sizeof(*attr), 0);
}

#endif /* _RESCH_THREAD_ATTR_H */
