/* SPDX-License-Identifier: GPL-2.0 */
/* trace-words.h - words and numbers of trace events, for who writes them and who reads them */
#ifndef _RESCH_TRACE_WORDS_H
#define _RESCH_TRACE_WORDS_H

/* Why a task stopped being its CPU's choice (resch_deselect): each reason and its word. */
#define RESCH_OFFS(each, last)                                                   \
	each(PREEMPT, "preempt") each(COMPLETE, "complete") each(BLOCK, "block") \
		each(THROTTLE, "throttle") last(DETACH, "detach")

#define RESCH_OFF_NUMBER(name, word) RESCH_OFF_##name,

enum resch_off { RESCH_OFFS(RESCH_OFF_NUMBER, RESCH_OFF_NUMBER) };

/* What happened to the budget of a server (resch_server); bits, see resch_server_note(). */
#define RESCH_SERVER_EXHAUSTED 1 /* used up, with work left */
#define RESCH_SERVER_REPLENISHED 2 /* a new one */
#define RESCH_SERVER_POSTPONED 4 /* ... at once, with a later deadline */
/* Nothing happened to it: the plugin inside the server has erred, see resch/inner.h. */
#define RESCH_SERVER_FAULT 8

/*
 * What became of an instance of a chain as a stage's job ended (resch_chain); bits. The last two
 * come at no end of a job.
 */
#define RESCH_INSTANCE_HANDED 1 /* it goes on to the stages that this one releases */
#define RESCH_INSTANCE_COMPLETE 2
#define RESCH_INSTANCE_LATE 4 /* ... after its deadline */
#define RESCH_INSTANCE_LOST 8 /* one of these has no room; with SKIPPED: this one has none */
#define RESCH_INSTANCE_GONE 16 /* the stage is gone, and the chain has stopped */
#define RESCH_INSTANCE_SKIPPED 32 /* late before the stage turned to it */

#endif /* _RESCH_TRACE_WORDS_H */
