/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rules.h - which task should change between RT and NRT CPUs
 *
 * The four policies of ARTiS (Piel, Marquet, Soula, Osuna, Dekeyser, ARTiS, an asymmetric real-time
 * scheduler for Linux on multi-processor architectures, INRIA RR-5781, 2005, section 3.2), as
 * arithmetic on what is handed in. Each can be left out.
 *
 * - Weight (3.2.2). A CPU's load is L / (1 - RT): L ordinary tasks that want to run, RT the share
 *   of the time that real-time tasks have had lately. Without it all runnable tasks count alike.
 * - Push (3.2.3) is about how tasks travel, see channel.h; not here.
 * - Estimate (3.2.4). A task that is likely to leave an RT CPU soon, because of a system call, is
 *   not sent there.
 * - Associate (3.2.5). Soft real-time tasks belong on RT CPUs, ordinary ones on the others.
 *
 * The report leaves three constants of the estimate to a thesis, in French; those here are ours and
 * are given where they stand.
 */
#ifndef _RESCH_GUARD_RULES_H
#define _RESCH_GUARD_RULES_H

#include <resch/types.h>

/*
 * Which policies are on: a bit mask. The values are those of enum resch_balance in the user
 * interface.
 */
#define RESCH_POLICY_WEIGHT (1U << 0)
#define RESCH_POLICY_PUSH (1U << 1)
#define RESCH_POLICY_ESTIMATE (1U << 2)
#define RESCH_POLICY_ASSOCIATE (1U << 3)
#define RESCH_POLICY_ALL 15U

/* ---- the real-time share of a CPU ------------------------------------------------------------ */

#define RESCH_RT_BITS 32
#define RESCH_RT_ONE (1ULL << RESCH_RT_BITS)

/* A sample covers this much, ns, ... */
#define RESCH_RT_SAMPLE 1000000ULL
/* ... and this many of them count: exp(-1 / 500). */
#define RESCH_RT_DECAY 4286385946ULL
/* After so many equal samples nothing is left of what was before: exp(-64). */
#define RESCH_RT_FORGOTTEN 32000

/* What the load calculation takes a CPU to be busy with at most: 1023/1024. */
#define RESCH_RT_CAP (RESCH_RT_ONE - RESCH_RT_ONE / 1024)

/**
 * struct resch_rt_share - share of the time that real-time tasks have on a CPU, smoothed; zeros:
 * none
 * @value: in units of RESCH_RT_ONE, as of the last complete sample
 * @since: absolute time up to which all is accounted, ns
 * @part:  how much of the sample under way is accounted, ns ...
 * @busy:  ... and what real-time tasks had of that, ns
 *
 * The report samples 0 or 1 at each tick. Here a sample is what real-time tasks had of a
 * millisecond, so that a task whose period is a multiple of the tick is not always, or never, seen;
 * and there is no tick that has to happen: whoever knows when the CPU changed hands accounts what
 * was in between, at once.
 */
struct resch_rt_share {
	u64 value;
	u64 since;
	u64 part;
	u64 busy;
};

/* Product of a factor in [0, 1) and a share in [0, 1], rounded to nearest. */
static inline u64 resch_rt_mul(u64 factor, u64 share)
{
	if (share >= RESCH_RT_ONE)
		return factor;
	return (factor * share + RESCH_RT_ONE / 2) >> RESCH_RT_BITS;
}

/** resch_rt_decay - what is left of @share after @samples samples of nothing */
static inline u64 resch_rt_decay(u64 share, u64 samples)
{
	u64 factor = RESCH_RT_DECAY;

	if (samples >= RESCH_RT_FORGOTTEN)
		return 0;
	for (; samples; samples >>= 1) {
		if (samples & 1)
			share = resch_rt_mul(factor, share);
		factor = resch_rt_mul(factor, factor);
	}
	return share;
}

/* @samples samples that are all 1, or all 0. */
static inline void resch_rt_same(struct resch_rt_share *share, bool busy, u64 samples)
{
	if (busy)
		share->value = RESCH_RT_ONE - resch_rt_decay(RESCH_RT_ONE - share->value, samples);
	else
		share->value = resch_rt_decay(share->value, samples);
}

/**
 * resch_rt_account - until @now, absolute time in ns, the CPU belonged to real-time tasks (@busy)
 * or not
 *
 * A clock that has gone back is left to catch up. Constant time.
 */
static inline void resch_rt_account(struct resch_rt_share *share, u64 now, bool busy)
{
	u64 elapsed, whole;

	if (now <= share->since)
		return;
	elapsed = now - share->since;
	share->since = now;
	if (share->part) {
		u64 step = min(elapsed, RESCH_RT_SAMPLE - share->part);

		share->part += step;
		share->busy += busy ? step : 0;
		elapsed -= step;
		if (share->part < RESCH_RT_SAMPLE)
			return;
		share->value =
			resch_rt_decay(share->value, 1) +
			div64_u64((RESCH_RT_ONE - RESCH_RT_DECAY) * share->busy, RESCH_RT_SAMPLE);
	}
	whole = div64_u64(elapsed, RESCH_RT_SAMPLE);
	resch_rt_same(share, busy, whole);
	share->part = elapsed - whole * RESCH_RT_SAMPLE;
	share->busy = busy ? share->part : 0;
}

/**
 * resch_rt_read - the share at @now if the CPU has belonged to real-time tasks since (@busy) or not
 */
static inline u64 resch_rt_read(const struct resch_rt_share *share, u64 now, bool busy)
{
	struct resch_rt_share copy = *share;

	resch_rt_account(&copy, now, busy);
	return copy.value;
}

/* ---- the next system call that asks for an NRT CPU ------------------------------------------- */

/*
 * G: shorter stays on an RT CPU are not worth the way there and back, ns of execution. 10 ms is a
 * few hundred times the cost of two migrations with cold caches.
 */
#define RESCH_ATTEMPT_GAP 10000000ULL
/* rho: a call is given up after this many periods without one. */
#define RESCH_ATTEMPT_PATIENCE 1
/* A new interval has the weight 1/8 in the mean. */
#define RESCH_ATTEMPT_WEIGHT 8

/**
 * struct resch_attempts - when a task made calls that may not be executed on an RT CPU; zeros: none
 * yet
 * @last:   time of the last one, ns
 * @period: weighted mean of the time between two, ns; meaningful from the second on
 * @count:  how many, up to 2
 *
 * Times are the task's own execution time: a task that waits for its turn on a crowded CPU makes no
 * call either, and by the clock on the wall would soon look as if it had given up calling.
 */
struct resch_attempts {
	u64 last;
	u64 period;
	u32 count;
};

/** resch_attempt_note - there was one, at @now; on whichever CPU */
static inline void resch_attempt_note(struct resch_attempts *attempts, u64 now)
{
	u64 delta = now > attempts->last ? now - attempts->last : 0;

	if (attempts->count >= 2) {
		if (delta >= attempts->period)
			attempts->period += (delta - attempts->period) / RESCH_ATTEMPT_WEIGHT;
		else
			attempts->period -= (attempts->period - delta) / RESCH_ATTEMPT_WEIGHT;
	} else if (attempts->count == 1) {
		attempts->period = delta;
	}
	if (attempts->count < 2)
		attempts->count++;
	attempts->last = now;
}

/**
 * resch_attempt_far - is the next one far enough from @now for a stay on an RT CPU?
 * @gap: G, ns
 *
 * RR-5781, 3.2.4: with next = last + P, either the next one is ahead, by at least G, or it is
 * overdue, by at least rho P; and by G, too, here: of irregular calls with a short period many are
 * late by more than that period. A task that has no period yet may go.
 */
static inline bool resch_attempt_far(const struct resch_attempts *attempts, u64 now, u64 gap)
{
	u64 next = attempts->last + attempts->period;

	if (attempts->count < 2)
		return true;
	if (next >= now)
		return next - now >= gap;
	return now - next >= max(RESCH_ATTEMPT_PATIENCE * attempts->period, gap);
}

/* ---- CPUs and tasks -------------------------------------------------------------------------- */

/** enum resch_class - RR-5781, 2.1 */
enum resch_class {
	RESCH_CLASS_LINUX, /* neither of the others */
	RESCH_CLASS_RT1, /* "RT1+": SCHED_FIFO and SCHED_RR */
	RESCH_CLASS_RT0, /* has its RT CPU to itself and never moves */
};

/**
 * struct resch_balance_cpu
 * @cpu:      its number
 * @rt:       it is an RT CPU
 * @ordinary: runnable ordinary tasks on it, the executing one, too
 * @realtime: runnable real-time tasks on it
 * @share:    of the time, that real-time tasks have had; units of RESCH_RT_ONE
 * @hard:     that RT0 tasks have had, likewise
 */
struct resch_balance_cpu {
	u32 cpu;
	bool rt;
	u32 ordinary;
	u32 realtime;
	u64 share;
	u64 hard;
};

/**
 * struct resch_balance_task - a runnable task
 * @class:    enum resch_class
 * @from:     the CPU that it is on, an index
 * @allowed:  CPUs that its user allows: bit n % 64 of word n / 64 is CPU n
 * @attempts: its calls
 * @executed: its execution time, ns
 * @kept_from: out: 1 + the RT CPU to which it would have gone, but for the estimate; an index
 */
struct resch_balance_task {
	u32 class;
	u32 from;
	u32 kept_from;
	const u64 *allowed;
	struct resch_attempts attempts;
	u64 executed;
};

/**
 * struct resch_balance - a machine, as it is seen once
 * @cpus:     @count of them
 * @policies: RESCH_POLICY_*
 * @gap:      G of resch_attempt_far(), ns
 */
struct resch_balance {
	struct resch_balance_cpu *cpus;
	u32 count;
	u32 policies;
	u64 gap;
};

/* Soft real-time tasks have no place on a CPU of which RT0 tasks leave less than 1/20. */
#define RESCH_BALANCE_FULL (RESCH_RT_ONE - RESCH_RT_ONE / 20)

/**
 * resch_balance_load - of a CPU with @extra ordinary tasks more; units of 1/65536 of a task
 *
 * RR-5781, 3.2.2: L / (1 - RT). Nothing, where there is no ordinary task, however busy the CPU is.
 */
static inline u64 resch_balance_load(const struct resch_balance *balance,
				     const struct resch_balance_cpu *cpu, u32 extra)
{
	u64 tasks = min(cpu->ordinary + extra, 32767U);

	if (!(balance->policies & RESCH_POLICY_WEIGHT))
		return (tasks + min(cpu->realtime, 32767U)) << 16;
	return div64_u64(tasks << (16 + RESCH_RT_BITS),
			 RESCH_RT_ONE - min(cpu->share, RESCH_RT_CAP));
}

/*
 * Does the larger load of the two become smaller if a task goes? Then no move is ever followed by
 * its opposite as long as nothing else changes. The load says nothing of real-time tasks: for them,
 * heads count.
 */
static inline bool resch_balance_evens(const struct resch_balance *balance,
				       const struct resch_balance_cpu *from,
				       const struct resch_balance_cpu *to, u32 class)
{
	if (class == RESCH_CLASS_LINUX)
		return resch_balance_load(balance, to, 1) < resch_balance_load(balance, from, 0);
	return to->ordinary + to->realtime + 1 < from->ordinary + from->realtime;
}

static inline bool resch_balance_allowed(const struct resch_balance_task *task, u32 cpu)
{
	return task->allowed[cpu / 64] >> (cpu % 64) & 1;
}

/* A soft real-time task, where such tasks have a place of their own. */
static inline bool resch_balance_associated(const struct resch_balance *balance,
					    const struct resch_balance_task *task)
{
	return balance->policies & RESCH_POLICY_ASSOCIATE && task->class == RESCH_CLASS_RT1;
}

/*
 * May the task go from a CPU to one of the other kind? An associated one goes home however long the
 * queue there is, and leaves only where RT0 tasks leave it nothing: an RT CPU must not look
 * attractive and repulsive at once.
 */
static inline bool resch_balance_may(const struct resch_balance *balance,
				     const struct resch_balance_task *task,
				     const struct resch_balance_cpu *to)
{
	const struct resch_balance_cpu *from = &balance->cpus[task->from];

	if (!resch_balance_allowed(task, to->cpu))
		return false;
	if (!resch_balance_associated(balance, task))
		return resch_balance_evens(balance, from, to, task->class);
	return from->rt ? from->hard >= RESCH_BALANCE_FULL : to->hard < RESCH_BALANCE_FULL;
}

/* Does @a suit the task better than @b? Both are possible. */
static inline bool resch_balance_better(const struct resch_balance *balance,
					const struct resch_balance_task *task,
					const struct resch_balance_cpu *a,
					const struct resch_balance_cpu *b)
{
	if (resch_balance_associated(balance, task) && a->realtime != b->realtime)
		return a->realtime < b->realtime;
	return resch_balance_load(balance, a, 1) < resch_balance_load(balance, b, 1);
}

/** resch_balance_early - does the estimate keep the task off RT CPUs for now? */
static inline bool resch_balance_early(const struct resch_balance *balance,
				       const struct resch_balance_task *task)
{
	return balance->policies & RESCH_POLICY_ESTIMATE &&
	       !resch_attempt_far(&task->attempts, task->executed, balance->gap);
}

/**
 * resch_balance_target - the CPU that a task should go to, as an index, or -1: it stays
 *
 * From RT to NRT CPUs or back; among CPUs of one kind the kernel balances. find_idlest_queue() of
 * RR-5781, 3.2.3. The estimate is the caller's to ask for (resch_balance_early()), so that it can
 * count what that avoids.
 */
static inline s32 resch_balance_target(const struct resch_balance *balance,
				       const struct resch_balance_task *task)
{
	const struct resch_balance_cpu *from = &balance->cpus[task->from];
	s32 best = -1;
	u32 i;

	if (task->class == RESCH_CLASS_RT0)
		return -1;
	for (i = 0; i < balance->count; i++) {
		const struct resch_balance_cpu *to = &balance->cpus[i];

		if (to->rt == from->rt || !resch_balance_may(balance, task, to))
			continue;
		if (best < 0 || resch_balance_better(balance, task, to, &balance->cpus[best]))
			best = (s32)i;
	}
	return best;
}

/**
 * resch_balance_first - of two tasks on CPUs of one kind, both with a target: should @a go rather?
 *
 * RR-5781, 3.2.5: to NRT CPUs ordinary tasks first, to RT CPUs soft real-time ones. Among equals
 * the one that calls less often.
 */
static inline bool resch_balance_first(const struct resch_balance *balance,
				       const struct resch_balance_task *a,
				       const struct resch_balance_task *b)
{
	if (balance->policies & RESCH_POLICY_ASSOCIATE && a->class != b->class) {
		if (balance->cpus[a->from].rt)
			return a->class == RESCH_CLASS_LINUX;
		return a->class == RESCH_CLASS_RT1;
	}
	if (!(balance->policies & RESCH_POLICY_ESTIMATE))
		return false;
	if ((a->attempts.count < 2) != (b->attempts.count < 2))
		return a->attempts.count < 2;
	return a->attempts.period > b->attempts.period;
}

/** struct resch_balance_choice - @task and @to are indexes */
struct resch_balance_choice {
	u32 task;
	u32 to;
};

/* Of two tasks with a target: by class and calls on CPUs of one kind, else from the higher load. */
static inline bool resch_balance_before(const struct resch_balance *balance,
					const struct resch_balance_task *a,
					const struct resch_balance_task *b)
{
	const struct resch_balance_cpu *x = &balance->cpus[a->from], *y = &balance->cpus[b->from];

	if (x->rt == y->rt) {
		if (resch_balance_first(balance, a, b))
			return true;
		if (resch_balance_first(balance, b, a))
			return false;
	}
	return resch_balance_load(balance, x, 0) > resch_balance_load(balance, y, 0);
}

/**
 * resch_balance_choose - which of @count @tasks goes where; false: none has a reason to go
 * @only_rt: consider only soft real-time tasks that are on NRT CPUs ("only_rt" of RR-5781, 3.2.5),
 *           which is for rounds that come more often
 *
 * A round repeats this, with resch_balance_move() for each answer, until it is false: see
 * resch_balance_evens() on why that ends.
 */
static inline bool resch_balance_choose(const struct resch_balance *balance,
					struct resch_balance_task *tasks, u32 count, bool only_rt,
					struct resch_balance_choice *choice)
{
	bool found = false;
	u32 i;

	for (i = 0; i < count; i++) {
		struct resch_balance_task *task = &tasks[i];
		bool rt = balance->cpus[task->from].rt;
		s32 to;

		if (only_rt && (rt || !resch_balance_associated(balance, task)))
			continue;
		to = resch_balance_target(balance, task);
		if (to < 0)
			continue;
		if (!rt && resch_balance_early(balance, task)) {
			task->kept_from = (u32)to + 1;
			continue;
		}
		if (found && !resch_balance_before(balance, task, &tasks[choice->task]))
			continue;
		choice->task = i;
		choice->to = (u32)to;
		found = true;
	}
	return found;
}

/** resch_balance_move - the machine as it is when the task has gone to @to, an index */
static inline void resch_balance_move(struct resch_balance *balance,
				      struct resch_balance_task *task, u32 to)
{
	if (task->class == RESCH_CLASS_LINUX) {
		balance->cpus[task->from].ordinary--;
		balance->cpus[to].ordinary++;
	} else {
		balance->cpus[task->from].realtime--;
		balance->cpus[to].realtime++;
	}
	task->from = to;
}

#endif /* _RESCH_GUARD_RULES_H */
