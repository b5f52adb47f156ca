/* SPDX-License-Identifier: GPL-2.0 */
/* mark.h - for whoever traces the emulated CPU: an instruction that does nothing; see trace/run */
#ifndef _OVERHEAD_MARK_H
#define _OVERHEAD_MARK_H

/* What is measured begins, or somebody's job ends; and what that one waited for has come. */
#define MARK_END 2
#define MARK_BEGIN 1

#define mark(number) \
	__asm__ volatile(".byte 0x0f, 0x1f, 0x84, 0x00; .long %c0" : : "i"(0x7e5c0000 + (number)))

#endif /* _OVERHEAD_MARK_H */
