/* SPDX-License-Identifier: GPL-2.0 */
/*
 * note.pml - the note of a blocked thread (module/linux/hooks.c, resch_cpu_note(), engine_drain())
 *
 * A thread blocks and is woken, each time somebody notes it on the list of the CPU that it is on;
 * the CPU takes its list in and does what the thread is. Meanwhile a domain's plugin moves it from
 * one CPU to another, with a lock of its own.
 *
 * To hold: a thread is on one list at most; when all is quiet what the engine thinks is what the
 * thread is.
 *
 * BROKEN=1: the bit is cleared after the look at the thread.
 * BROKEN=2: who finds a thread that has left for another CPU lets the note go.
 */
#define TURNS 2

bool kblocked; /* the thread's */
bool noted; /* its bit */
byte on; /* lists that it is on */
bool list[2]; /* cpu->noted: the thread is on it */
bool kicked[2]; /* that CPU is going to look */
byte rc; /* where the thread is */
bool blocked; /* what the engine thinks */
bool lock[2]; /* of each CPU */
byte working = 3; /* the sleeper, the waker, the mover */
bool asleep; /* as the kernel has it: under its rq->lock */

inline note()
{
	target = rc;
	atomic {
		was = noted;
		noted = true;
	}
	if
	:: was -> skip
	:: else ->
		atomic {
			assert(!on);
			on++;
			list[target] = true;
		}
		kicked[target] = true
	fi
}

/* hooks_sched_out(), and once it has been woken hooks_sched_in() */
active proctype sleeper()
{
	byte turn = 0, target;
	bool was;

	do
	:: turn < TURNS ->
		turn++;
		kblocked = true;
		note();
		asleep = true;
		!asleep;
		if
		:: kblocked ->
			kblocked = false;
			note()
		:: else -> skip
		fi
	:: else -> break
	od;
	working--
}

/*
 * hooks_sched_wakeup(): it may come before the hook of the one that blocks has done, not before it
 * is asleep
 */
active proctype waker()
{
	byte turn = 0, target;
	bool was;

	do
	:: turn < TURNS ->
		turn++;
		asleep;
		if
		:: kblocked ->
			kblocked = false;
			note()
		:: true -> skip /* a wake-up without an event */
		fi;
		asleep = false
	:: else -> break
	od;
	working--
}

/* To the other CPU and back, as a plugin's swap does: under both locks. */
active proctype mover()
{
	byte turn = 0;

	do
	:: turn < 2 ->
		turn++;
		atomic { !lock[0] -> lock[0] = true };
		atomic { !lock[1] -> lock[1] = true };
		rc = 1 - rc;
		lock[1] = false;
		lock[0] = false
	:: else -> break
	od;
	working--
}

/* A CPU's interrupt: resch_engine_update() under its lock. */
active [2] proctype cpu()
{
	byte me = _pid - 3, target;
	bool was, taken, look;

end:	do
	:: kicked[me] ->
		kicked[me] = false;
		atomic { !lock[me] -> lock[me] = true };
		atomic {
			taken = list[me];
			list[me] = false;
			if
			:: taken -> on--
			:: else -> skip
			fi
		}
		if
		:: taken ->
#if BROKEN != 1
			noted = false;
#endif
			if
			:: rc == me ->
				look = kblocked;
				blocked = look
			:: else ->
#if BROKEN != 2
				note()
#endif
				skip
			fi;
#if BROKEN == 1
			noted = false
#endif
		:: else -> skip
		fi;
		lock[me] = false
	od
}

active proctype end_of_it()
{
	atomic {
		!working && !kicked[0] && !kicked[1] && !lock[0] && !lock[1] && cpu[3]@end &&
			cpu[4]@end ->
		assert(blocked == kblocked);
		assert(!on)
	}
}
