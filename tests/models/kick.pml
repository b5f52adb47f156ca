/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kick.pml - kick and drain: several CPUs tell one that something has changed (module/core/cpu.c)
 *
 * Each sender makes a change, then kicks the target: resch_cpu_kick(), cpu_send(). The kernel's
 * smp_call_function_single_async() is as it is: its look at the mark on the csd and its setting of
 * it are two steps. The target's interrupt, resch_clock_call(), takes the mark off before it calls.
 *
 * To hold: a csd is never put on the target's list while it is there; every change is seen, sooner
 * or later.
 *
 * BROKEN=1: without the bit `kicked`, by the kernel's mark alone.
 * BROKEN=2: the bit is cleared after the look at what has changed.
 */
#define SENDERS 3
#define TURNS 2

bool kicked; /* resch_cpu.kicked */
bool locked; /* CSD_FLAG_LOCK */
bool queued; /* the csd is on the target's list */
byte changes; /* what has changed */
byte seen; /* and what of it the target has seen */
byte working = SENDERS;

inline send()
{
#if BROKEN != 1
	atomic {
		was = kicked;
		kicked = true;
	}
	if
	:: was -> skip
	:: else ->
#endif
		/* smp_call_function_single_async() */
		was = locked;
		if
		:: was -> skip /* -EBUSY */
		:: else ->
			locked = true;
			assert(!queued);
			queued = true
		fi
#if BROKEN != 1
	fi
#endif
}

active [SENDERS] proctype sender()
{
	byte turn = 0;
	bool was;

	do
	:: turn < TURNS ->
		turn++;
		changes++;
		send()
	:: else -> break
	od;
	working--
}

active proctype target()
{
	byte look;

end:	do
	:: queued ->
		queued = false;
		locked = false;
#if BROKEN != 2
		kicked = false;
#endif
		look = changes;
		seen = look;
#if BROKEN == 2
		kicked = false
#endif
	od
}

/* When nothing is under way any more. */
active proctype end_of_it()
{
	atomic {
		!working && !queued && !locked && target@end ->
		assert(seen == changes)
	}
}
