/* SPDX-License-Identifier: GPL-2.0 */
/* page.h - the instances that a chain's stages work on, seen without a system call */
#ifndef _RESCH_CHAIN_PAGE_H
#define _RESCH_CHAIN_PAGE_H

struct resch_chain;
struct resch_stage;

/*
 * A descriptor for who may look at the chain. Process context, resch_lock; CPU locks are taken
 * inside, one after the other. -ENOMEM, -EMFILE, -ENFILE
 */
int resch_chain_page_open(struct resch_chain *chain);

/* The stage has no thread any more. Lock of the CPU of the one that it had, or resch_lock. */
void resch_stage_clear(struct resch_stage *stage);

/* The chain, which has no threads any more, goes: its page says so. Process context, resch_lock. */
void resch_chain_page_end(struct resch_chain *chain);

#endif /* _RESCH_CHAIN_PAGE_H */
