/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lock.pml - the lock of a CPU, which is its own or that of its whole domain (module/core/cpu.h,
 * module/domain/takeover.c)
 *
 * resch_cpu_lock() reads the pointer, takes that lock and looks whether it still is the one;
 * resch_thread_lock() likewise with the CPU of a thread, which a plugin for the whole domain moves.
 * resch_takeover() swaps plugins: from one for each CPU to one for all of them, and back.
 *
 * To hold: what belongs to a CPU is touched by one at a time; who has locked a thread's CPU has the
 * thread; nobody waits for ever.
 *
 * BROKEN=1: no second look at the pointer.
 * BROKEN=2: the pointer is changed without the CPU's own lock.
 * BROKEN=3: no second look at where the thread is.
 */
#define DOMAIN 2 /* locks 0 and 1 are the CPUs' own */

bool taken[3];
byte pointer[2] = { 0, 1 };
byte inside[2]; /* how many touch what belongs to the CPU */
byte rc; /* of the thread */
bool whole;
byte swaps;

inline take(which)
{
	atomic { !taken[which] -> taken[which] = true }
}

inline cpu_lock(cpu)
{
	do
	:: true ->
		mine = pointer[cpu];
		take(mine);
#if BROKEN != 1
		if
		:: pointer[cpu] == mine -> break
		:: else -> taken[mine] = false
		fi
#else
		break
#endif
	od
}

inline cpu_unlock(cpu)
{
	taken[pointer[cpu]] = false
}

inline touch(cpu)
{
	inside[cpu]++;
	assert(inside[cpu] == 1);
	inside[cpu]--
}

/* Interrupts and requests, by CPU and by thread; where the domain is one, the thread is moved. */
active [2] proctype user()
{
	byte mine, cpu, turn = 0;

	do
	:: turn < 3 ->
		turn++;
		if
		:: cpu = 0; cpu_lock(cpu)
		:: cpu = 1; cpu_lock(cpu)
		:: /* resch_thread_lock() */
			do
			:: true ->
				cpu = rc;
				cpu_lock(cpu);
#if BROKEN != 3
				if
				:: rc == cpu -> break
				:: else -> cpu_unlock(cpu)
				fi
#else
				break
#endif
			od;
			assert(rc == cpu);
			if
			:: pointer[cpu] == DOMAIN -> rc = 1 - rc /* resch_agenda_move() */
			:: true -> skip
			fi
		fi;
		touch(cpu);
		cpu_unlock(cpu)
	:: else -> break
	od
}

/* takeover_all(), to a plugin for the whole domain and from it */
active proctype swapper()
{
	byte cpu;

	do
	:: swaps < 2 ->
		swaps++;
		take(DOMAIN);
		cpu = 0;
		do
		:: cpu < 2 && whole -> touch(cpu); cpu++
		:: else -> break
		od;
		if
		:: whole -> rc = 0 /* takeover_go_home() */
		:: else -> skip
		fi;
		cpu = 0;
		do
		:: cpu < 2 ->
#if BROKEN != 2
			take(cpu);
#endif
			touch(cpu);
			if
			:: whole -> pointer[cpu] = cpu
			:: else -> pointer[cpu] = DOMAIN
			fi;
			touch(cpu);
#if BROKEN != 2
			taken[cpu] = false;
#endif
			cpu++
		:: else -> break
		od;
		whole = !whole;
		taken[DOMAIN] = false
	:: else -> break
	od
}
