/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unload.pml - a guard's probe of system calls, and the module unloads (module/guard/probe.c,
 * compat/probe_sleep.h, up to Linux 6.12)
 *
 * The kernel calls a probe with preemption off, which is RCU's. One that sends a thread away takes
 * SRCU, lets RCU go, and sleeps until resch-guard has moved the thread; then it is the other way
 * round. Who unloads drops the guard, detaches the probe, waits until nobody is in it that may need
 * resch-guard (resch_probe_sleep_synchronize()), ends resch-guard, and waits once more before the
 * kernel frees the probe's code. A grace period waits for all who were in such a section as it
 * began, and for nobody else.
 *
 * To hold: nobody sleeps once resch-guard has ended, and nobody is in the probe once it is freed.
 *
 * BROKEN=1: SRCU is waited for, and then RCU, as tracepoint_synchronize_unregister() does.
 * BROKEN=2: SRCU is not waited for before resch-guard is ended.
 * BROKEN=3: RCU is not waited for after SRCU.
 */
#define CALLERS 2
#define CALLS 2 /* of each */

bool guarded = true;
bool attached = true;
bool freed;
bool rcu[CALLERS], srcu[CALLERS];
bool asleep[CALLERS];
bool guard_ended; /* resch-guard */

proctype caller(byte i)
{
	byte calls;

	do
	:: calls < CALLS ->
		rcu[i] = true;
		if
		:: attached ->
			assert(!freed);
			if
			:: guarded ->
				srcu[i] = true;
				rcu[i] = false;
				assert(!freed);
				asleep[i] = true;
				(!asleep[i]);
				rcu[i] = true;
				srcu[i] = false;
				assert(!freed)
			:: else
			fi;
			assert(!freed)
		:: else
		fi;
		rcu[i] = false;
		calls++
	:: else -> break
	od
}

/* It moves who is asleep, until it is told to end. */
proctype resch_guard()
{
end:	do
	:: guard_ended -> break
	:: asleep[0] && !guard_ended -> asleep[0] = false
	:: asleep[1] && !guard_ended -> asleep[1] = false
	od
}

/* Grace periods: each reader that was there is seen to have left once. */
inline rcu_passes()
{
	(!rcu[0]);
	(!rcu[1])
}

inline srcu_passes()
{
	(!srcu[0]);
	(!srcu[1])
}

init
{
	atomic {
		run caller(0);
		run caller(1);
		run resch_guard()
	};
	guarded = false;
	attached = false;
#if BROKEN != 1
	rcu_passes();
#endif
#if BROKEN != 2
	srcu_passes();
#endif
#if BROKEN != 3
	rcu_passes();
#endif
	guard_ended = true;
	assert(!asleep[0] && !asleep[1]);
	srcu_passes();
#if BROKEN != 3
	rcu_passes();
#endif
	freed = true
}
