/* SPDX-License-Identifier: GPL-2.0 */
/* trace-words.h - words of trace events that module and simulator write */
#ifndef _RESCH_TRACE_WORDS_H
#define _RESCH_TRACE_WORDS_H

/* Why a task stopped being its CPU's choice (resch_deselect): each reason and its word. */
#define RESCH_OFFS(each, last)                                                   \
	each(PREEMPT, "preempt") each(COMPLETE, "complete") each(BLOCK, "block") \
		each(THROTTLE, "throttle") last(DETACH, "detach")

#define RESCH_OFF_NUMBER(name, word) RESCH_OFF_##name,

enum resch_off { RESCH_OFFS(RESCH_OFF_NUMBER, RESCH_OFF_NUMBER) };

#endif /* _RESCH_TRACE_WORDS_H */
