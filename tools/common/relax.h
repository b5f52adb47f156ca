/* SPDX-License-Identifier: GPL-2.0-or-later */
/* relax.h - in loops that compute */
#ifndef _RESCH_RELAX_H
#define _RESCH_RELAX_H

/*
 * Kind to the other half of the core. And the CPUs of an emulated machine take turns, of which this
 * ends one: without, the others stand still for milliseconds.
 */
static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

#endif /* _RESCH_RELAX_H */
