/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * turn.bpf.h - the turn of who has a CPU is over
 *
 * A CPU's turns are told on it alone. But whoever tells one may be interrupted, and the interrupt
 * tells its own: then `since` is later than a time that was taken before, and a turn to there would
 * end before it began, with a share of the CPU below zero, which is 584 years. So who it was and
 * when are taken again until nobody has come in between. No two turns overlap, and no time between
 * them is left out.
 *
 * Another thread must not come in between, for that may be for long: until this one goes on, its
 * place among the turns has what was there 512 turns ago. In trace events no thread is preempted,
 * but under PREEMPT_RT since Linux 7.2, or a little before: there turn_alone() sees to it, in those
 * events that come with preemption, which are the softirqs'. What it calls is there since 6.12, so
 * the programs are compiled with it and without (TOP_ALONE), and probe.c loads those that fit.
 */
#ifndef _TOP_TURN_BPF_H
#define _TOP_TURN_BPF_H

/*
 * Interrupts that come in between one after the other, each in some ten ns. After the last one
 * nothing is told: who has the CPU by then gets the time since it.
 */
#define TURN_TRIES 4

#ifdef TOP_ALONE
extern void bpf_preempt_disable(void) __ksym;
extern void bpf_preempt_enable(void) __ksym;

static __always_inline void turn_alone(void)
{
	bpf_preempt_disable();
}

static __always_inline void turn_alone_end(void)
{
	bpf_preempt_enable();
}
#else
static __always_inline void turn_alone(void)
{
}

static __always_inline void turn_alone_end(void)
{
}
#endif

/* Return: false: others have come in between all the time. @turn: what has ended */
static __always_inline bool turn_take(struct top_cpu *cpu, struct top_turn *turn)
{
	__u32 i;

#pragma unroll
	for (i = 0; i < TURN_TRIES; i++) {
		turn->from = *(volatile __u64 *)&cpu->since;
		turn->who = *top_who_now(cpu);
		turn->to = bpf_ktime_get_ns();
		if (__sync_val_compare_and_swap(&cpu->since, turn->from, turn->to) == turn->from)
			return true;
	}
	return false;
}

static __always_inline void turn_end(struct top_cpu *cpu)
{
	struct top_turn turn = {};
	__u64 place;
	__u32 share;

	/* When the first one began nobody knows. */
	if (!turn_take(cpu, &turn) || !turn.from)
		return;
	place = __sync_fetch_and_add(&cpu->turn, 1) & (TOP_TURNS - 1);
	cpu->turns[place] = turn;
	share = top_share_of(cpu, &turn.who);
	if (share < TOP_SHARES)
		__sync_fetch_and_add(&cpu->shares[share], turn.to - turn.from);
}

#endif
