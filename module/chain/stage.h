/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stage.h - a stage of a chain: whose instance a job is, and what goes on to the next stage
 *
 * A stage is a thread's (thread->stage), under the lock of the thread's CPU. What its completion
 * hands to another stage goes through a port that the other stage has for it: the one writer is the
 * stage before, under its own CPU's lock, and the one reader the stage after, under its CPU's. So
 * neither CPU takes the other's lock; the thread of the stage after is noted, as one is that has
 * blocked or woken, and its CPU looks into the ports as it takes the note.
 *
 * Where one stage releases a stage, that one's port is its queue. Where several do, each has a port
 * of its own, and the stage's CPU moves from them to the queue what has joined: what all of them
 * have completed, or the first.
 *
 * A queue is in one order: instances are handed over, begun and completed as they came. So the one
 * at `tail` is the one that the stage's current job, or its next one, belongs to.
 */
#ifndef _RESCH_CHAIN_STAGE_H
#define _RESCH_CHAIN_STAGE_H

#include "core/thread.h"

/*
 * Instances that a stage may have to do: a power of two, and no more than the releases of a
 * sporadic task that may wait.
 */
#define RESCH_INSTANCES RESCH_REQUESTS

/**
 * struct resch_instance - what is handed over
 * @number:   of the instance, from 1
 * @origin:   release of its first stage
 * @released: release of the stage that hands it over
 * @at:       when that one has completed
 */
struct resch_instance {
	u64 number;
	u64 origin;
	u64 released;
	u64 at;
};

/**
 * struct resch_port - instances on their way from one stage to another, a ring
 * @lost:        found no room; lock of the writer's CPU, as all to @head; read by anybody
 * @waiting_max: the most that there have been; likewise
 * @head:        how many have come; read by the reader's CPU
 * @tail:        how many are done with; lock of the reader's CPU, read by the writer's
 */
struct resch_port {
	u64 lost;
	u32 waiting_max;
	struct resch_instance instances[RESCH_INSTANCES];
	u32 head;
	u32 tail ____cacheline_aligned;
};

/** struct resch_stage - see above */
struct resch_stage {
	struct resch_chain *chain; /* constant, as what follows */
	struct resch_port *ports; /* one for each stage of `from`; NULL: of one, `queue` */
	u16 from; /* bit n: stage n releases it */
	u16 to; /* bit n: it releases stage n; 0: the last */
	bool any; /* the first of `from` does, not all */
	struct resch_thread *thread; /* constant until nobody is a stage of the chain; counted */
	u32 index; /* constant, as what follows */
	u32 task;
	u64 phase;

	/* lock of the thread's CPU */
	struct list_head guarded; /* on the CPU's list; it may be held back */
	u32 taken; /* instances that a job was asked for */
	u64 came; /* when its last job was released here: perhaps later than that says */
	u64 joined; /* of several ports: the number of the last instance */
	u64 completed;
	u64 held;
	u64 held_total;
	u64 late;
	u64 skipped;
	u64 response_min;
	u64 response_max;
	u64 response_total;

	struct resch_port queue;
};

/** struct resch_chain - what the stages of one chain share */
struct resch_chain {
	u32 id; /* this and what follows: constant */
	u32 protocol;
	u32 flags;
	u32 count;
	u64 period;
	u64 deadline;
	u64 began; /* jobs released before are no instances; lock of the first stage's CPU */
	char name[RESCH_NAME_LEN];
	struct resch_file *file; /* its maker's; outlives the chain */
	struct list_head in_file; /* resch_lock */
	bool attached; /* resch_lock; threads know their stages */
	struct resch_chain_view *view; /* resch_lock; NULL: nobody has looked yet */
	struct resch_chain_page *page; /* its page: set once, under resch_lock */
	struct resch_port *ports; /* of all stages that several release */
	u32 stopped; /* set once, by anybody: the number of a stage that is gone, from 1 */

	u64 instances; /* lock of the first stage's CPU */

	/* lock of the last stage's CPU */
	u64 completed;
	u64 missed;
	u64 response_min;
	u64 response_max;
	u64 response_total;
	u64 tardiness_max;
	u64 histogram[RESCH_CHAIN_BUCKETS];

	struct resch_stage stages[];
};

/*
 * The current job of a stage ends. Bit n: stage n has a thread of the same CPU, whose job may have
 * to be released in the same decision. cpu->lock.
 */
u32 resch_stage_complete(struct resch_thread *thread, u64 now);

/*
 * The next of the instances that were handed to the stage and for which no job was asked:
 * @release, when the protocol has it released. false: there is none. cpu->lock.
 */
bool resch_stage_take(struct resch_stage *stage, u64 *release, u64 now);

/* Something may have been handed to it that resch_stage_take() has not taken. cpu->lock. */
static inline bool resch_stage_waited_for(const struct resch_stage *stage)
{
	return stage->ports || stage->taken != READ_ONCE(stage->queue.head);
}

/* Its chain skips what is late. */
static inline bool resch_stage_skips(const struct resch_stage *stage)
{
	return stage->chain->flags & RESCH_CHAIN_F_SKIP_LATE;
}

/*
 * The instance that the stage would turn to next, for which a job was asked, is late, and the chain
 * is one of those: it is dropped, and so is to be the request. false: it is not. cpu->lock.
 */
bool resch_stage_skip(struct resch_stage *stage, u64 now);

/*
 * How far apart the last release of the stage's task and the next one have to be, ns. cpu->lock.
 */
u64 resch_stage_distance(const struct resch_thread *thread);

/* The time of the stage's next job is set. cpu->lock. */
void resch_stage_set(struct resch_thread *thread);

/*
 * Whether the CPU's idle points are those of its tasks: its plugin never idles while there is work.
 * cpu->lock.
 */
bool resch_stage_rules(const struct resch_cpu *rc);

/* Whether an idle point ends the stage's guard. cpu->lock. */
static inline bool resch_stage_ruled(const struct resch_stage *stage)
{
	return stage->index && stage->chain->protocol == RESCH_CHAIN_RG;
}

/*
 * The stage's next job, which was to be held until @until, need not be since @now. When it is
 * released: not before the stage before was complete, by that one's clock. cpu->lock.
 */
u64 resch_stage_free(struct resch_stage *stage, u64 until, u64 now);

/* The instance of the thread's job. -ENOENT: it has none. cpu->lock. */
int resch_stage_job(const struct resch_thread *thread, struct resch_chain_job *job);

/* What the page says of a stage; @job: NULL: that it has none. Lock of its thread's CPU. */
void resch_stage_page_write(struct resch_stage_page *to, const struct resch_chain_job *job,
			    u64 release);

/* What the page of the chain, which has one, says of the thread's stage. cpu->lock. */
void resch_stage_show_viewed(const struct resch_thread *thread);

/* The same where somebody looks. cpu->lock. */
static inline void resch_stage_show(const struct resch_thread *thread)
{
	if (unlikely(READ_ONCE(thread->stage->chain->page)))
		resch_stage_show_viewed(thread);
}

/* The thread's job is released, at @now. cpu->lock. */
static inline void resch_stage_released(const struct resch_thread *thread, u64 now)
{
	thread->stage->came = now;
	resch_stage_show(thread);
}

/*
 * The thread's job, throttled, goes on with a later release than @before. One of the first stage
 * that began before there was a chain is no instance for that. cpu->lock.
 */
void resch_stage_renew(const struct resch_thread *thread, u64 before);

/* The registration of a stage's thread ends: its chain stops. cpu->lock. */
void resch_stage_gone(struct resch_thread *thread, u64 now);

/* How many instances are with the stage. cpu->lock. */
static inline u32 resch_stage_waiting(const struct resch_stage *stage)
{
	return READ_ONCE(stage->queue.head) - stage->queue.tail;
}

#endif /* _RESCH_CHAIN_STAGE_H */
