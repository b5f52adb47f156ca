/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offline.pml - a CPU goes offline while its helper has threads to adjust (module/core/helper.c)
 *
 * Any CPU puts a thread on the list of its CPU's helper, once until the helper takes it off, and
 * with a reference: resch_cpu_adjust(), under the lock of that CPU. The hotplug thread ends all
 * registrations there under that lock, so that nobody else is put on the list: hotplug_offline();
 * after that it parks the helper. The helper, smpboot_thread_fn() of the kernel, looks whether it
 * is to park before it looks at the list, and sleeps in what it does for a thread, so that all of
 * this may come in between.
 *
 * To hold: once the helper is parked, nobody is on the list, then or later. Who is would hold its
 * reference, and the module, until the CPU is online again.
 *
 * BROKEN=1: the helper does not look at the list as it parks.
 * BROKEN=2: who is gone is put on the list, too.
 * BROKEN=3: registrations are ended after the helper has been parked.
 */
#define THREADS 3
#define TIMES 2 /* that each CPU has something to adjust of each */

bool listed[THREADS]; /* on the list, `adjusting` */
bool gone;
bool lock;
bool should_park;
bool parked;
byte refs; /* that the list holds */
byte done;

#define ANYBODY (listed[0] || listed[1] || listed[2])

/* Off the list, one by one: from then on it may be put there again. */
inline run_list()
{
	byte i;
	i = 0;
	do
	:: i < THREADS ->
		if
		:: listed[i] -> atomic { listed[i] = false; refs-- }
		:: else
		fi;
		i++
	:: else -> break
	od
}

active proctype helper()
{
	do
	:: should_park ->
#if BROKEN != 1
		run_list();
#endif
		parked = true;
		break
	:: else ->
		if
		:: ANYBODY -> run_list()
		:: else -> (ANYBODY || should_park)
		fi
	od
}

/* Two CPUs, which have found out something about each thread. */
active [2] proctype other_cpu()
{
	byte i, times;

	do
	:: times < TIMES ->
		i = 0;
		do
		:: i < THREADS ->
			atomic { !lock -> lock = true };
#if BROKEN != 2
			if
			:: gone
			:: else ->
#endif
				atomic {
					if
					:: !listed[i] -> listed[i] = true; refs++
					:: else
					fi
				}
#if BROKEN != 2
			fi
#endif
			;
			lock = false;
			i++
		:: else -> break
		od;
		times++
	:: else -> break
	od;
	done++
}

inline end_registrations()
{
	atomic { !lock -> lock = true };
	gone = true;
	lock = false
}

active proctype hotplug()
{
#if BROKEN != 3
	end_registrations();
#endif
	should_park = true;
	(parked);
#if BROKEN == 3
	end_registrations();
#endif
	(done == 2);
	assert(!ANYBODY && !refs)
}
