/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between processors: the only file in module/ that names one. On x86-64 everything is
 * tested; for arm64 it is compiled (tests/harness/arm64.sh) and has never been run.
 *
 * The arguments of a system call need nothing here: syscall_get_arguments() of <asm/syscall.h>.
 */
#ifndef _RESCH_COMPAT_ARCH_H
#define _RESCH_COMPAT_ARCH_H

#include <asm/unistd.h>
#include <linux/types.h>

#if defined(CONFIG_X86_64)
/* A guard's visitors are seen at page faults by the tracepoint page_fault_user. */
#define RESCH_ARCH_SEES_FAULTS true

/* Calls as cheap as those in guard.c that newer processors have not got. */
static inline bool resch_arch_is_cheap(long nr)
{
	return nr == __NR_getpgrp || nr == __NR_time;
}

/* Calls that make a thread, besides clone() and clone3(). */
static inline bool resch_arch_forks(long nr)
{
	return nr == __NR_fork || nr == __NR_vfork;
}
#elif defined(CONFIG_ARM64)
#define RESCH_ARCH_SEES_FAULTS false

static inline bool resch_arch_is_cheap(long nr)
{
	return false;
}

static inline bool resch_arch_forks(long nr)
{
	return false;
}
#else
#error "resch knows x86-64 and, compiled only, arm64: see compat/"
#endif

#endif /* _RESCH_COMPAT_ARCH_H */
