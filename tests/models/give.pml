/* SPDX-License-Identifier: GPL-2.0 */
/*
 * give.pml - an affinity given back, while the thread is bound (module/linux/restore.c
 * resch_restore_bind() and resch_restore_give())
 *
 * The thread binds itself to its CPU again, and the helper binds it to another one, as its
 * registration ends at any moment: from somewhere else, by who then gives it back what it had.
 *
 * To hold: when all is quiet it has what it had.
 *
 * BROKEN=1: the thread takes no second look whether its registration has ended.
 * BROKEN=2: the helper takes none.
 * BROKEN=3: what somebody has bound it to is noted as if the other one had not done so, too, since.
 */
#define TURNS 2
#define HAD 9 /* the affinity that it came with; the others are CPUs */

byte mask; /* the thread's affinity, as the kernel has it */
byte pinned; /* what has been noted of it */
byte cpu; /* where it is to be */
bool gone; /* its registration has ended */
byte working = 4; /* the thread, the helper, the plugin, who ends it */

/* restore_cpus(): what somebody else has given it stands; what @by has bound it to does not */
inline give(by)
{
	atomic {
		if
		:: mask == pinned || mask == cpu || mask == by -> mask = HAD
		:: else -> skip
		fi
	}
}

inline bind(broken)
{
	do
	:: true ->
		to = cpu;
		seen = gone;
		if
		:: seen -> break
		:: else -> skip
		fi;
		mask = to;
		atomic { /* cpu->lock */
			if
			:: mask == to || BROKEN == 3 -> pinned = to
			:: else -> skip
			fi;
			seen = gone && BROKEN != broken;
			again = !gone && cpu != to
		}
		if
		:: seen ->
			give(to);
			break
		:: again -> skip
		:: else -> break
		fi
	od
}

active proctype thread()
{
	byte turn = 0, to;
	bool seen, again;

	do
	:: turn < TURNS ->
		turn++;
		bind(1)
	:: else -> break
	od;
	working--
}

active proctype helper()
{
	byte turn = 0, to;
	bool seen, again;

	do
	:: turn < TURNS ->
		turn++;
		bind(2)
	:: else -> break
	od;
	working--
}

/* A plugin that moves its tasks: until the end */
active proctype plugin()
{
	byte turn = 0;

	do
	:: turn < TURNS ->
		turn++;
		atomic { /* cpu->lock */
			if
			:: gone -> skip
			:: else -> cpu = 1 - cpu
			fi
		}
	:: else -> break
	od;
	working--
}

/* resch_thread_retire(), resch_restore_give() */
active proctype end()
{
	gone = true;
	give(HAD);
	working--
}

active proctype quiet()
{
	!working;
	assert(mask == HAD)
}
