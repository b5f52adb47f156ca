/* SPDX-License-Identifier: GPL-2.0 */
/* chain.h - chains: made of tasks that their owners have offered, ended, asked how they get on */
#ifndef _RESCH_CHAIN_CHAIN_H
#define _RESCH_CHAIN_CHAIN_H

#include <linux/resch.h>
#include <linux/types.h>

struct resch_file;
struct resch_thread;

/* The requests. resch_lock; CPU locks are taken inside, one after the other. */
int resch_chain_offer(struct resch_file *file, const struct resch_chain_offer *offer);
int resch_chain_set(struct resch_file *file, struct resch_chain_set *want,
		    const struct resch_chain_stage *stages);
int resch_chain_del(struct resch_file *file, u32 id);
int resch_chain_open(struct resch_file *file, struct resch_chain_open *open);

/* Whether it may be opened: 0 or the error. resch_lock, perhaps with preemption off (query.h). */
int resch_chain_may_open(struct resch_file *file, const struct resch_chain_open *open);

/*
 * @histogram and @stages have room for as many as there may be. resch_lock, perhaps with preemption
 * off (query.h); CPU locks are taken inside, one after the other.
 */
int resch_chain_stat(struct resch_chain_stat *stat, u64 *histogram,
		     struct resch_stage_stat *stages);

/* The instance of the calling thread's job. Process context, no locks. */
int resch_chain_current(struct resch_thread *thread, struct resch_chain_job *job);

/* The descriptor closes: its chains end. Process context, no locks. */
void resch_chain_close(struct resch_file *file);

/*
 * The registration has ended, and with it its chain: nobody is a stage of it any more, so that
 * nobody points to the thread. resch_lock; CPU locks are taken inside, one after the other.
 */
void resch_chain_quit(struct resch_thread *thread);

void resch_chain_exit(void);

#endif /* _RESCH_CHAIN_CHAIN_H */
