/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reap.pml - the end of a registration: retire, reap, the last reference (module/core/retire.c,
 * reap.c)
 *
 * The thread blocks, and at any moment leaves by its task work or dies; its owner closes the
 * descriptor at any moment; its CPU takes its notes in; the worker reaps and buries.
 *
 * To hold: no reference is given back twice, or taken when the last one is gone; the thread is not
 * freed while it is on a list or a CPU takes it in; it is freed in the end.
 *
 * BROKEN=1: who leaves does not wait until its note is taken.
 * BROKEN=2: the death of one that has been retired does not have it reaped again.
 * BROKEN=3: the worker does not wait for the note of one that has died.
 * BROKEN=4: it does not let a grace period pass before: who dies is between its word and its note.
 * BROKEN=5: nor after: the CPU that has taken the note is about to take a reference.
 * BROKEN=6: the CPU that the thread has left takes its note in, and notes it once more where it is
 *           now.
 */
byte refs = 2; /* the registration's and the notifier's */
bool freed;
bool taking; /* interrupts off on the CPU: what is freed by RCU waits for that */
bool mutex; /* resch_lock */

bool noted; /* thread->noted: on the CPU's list */
bool hooked = true;
bool dead;
bool dying; /* it is in its notifier, interrupts off */
bool gone; /* state RESCH_GONE */
bool todo; /* RESCH_TODO_LEAVE */
bool file = true;
bool reaping, reap; /* the bit; on the list of those to be reaped */
bool reaped, forgotten;
bool grave; /* on the list of graves, or the worker's own */
bool dug; /* the list of graves has it */
byte working = 2; /* the thread, the owner */
byte moves = 1; /* to CPUs with another lock */

inline get()
{
	atomic {
		assert(refs > 0);
		refs++
	}
}

inline put()
{
	atomic {
		assert(refs > 0);
		refs--;
		if
		:: !refs ->
			assert(!noted && !reap && !grave);
			freed = true
		:: else -> skip
		fi
	}
}

inline reap_later()
{
	atomic {
		was = reaping;
		reaping = true
	}
	if
	:: was -> skip
	:: else ->
		get();
		reap = true
	fi
}

/* cpu->lock */
inline retire()
{
	if
	:: gone -> skip
	:: else ->
		gone = true;
		todo = true;
		reap_later()
	fi
}

/* resch_lock */
inline reap_all()
{
	if
	:: reap ->
		reap = false;
		reaping = false;
		reaped = true;
		if
		:: !forgotten && !file ->
			forgotten = true;
			put()
		:: else -> skip
		fi;
		if
		:: !grave ->
			grave = true;
			dug = true
		:: else -> put()
		fi
	:: else -> skip
	fi
}

active proctype thread()
{
	byte turn = 0;

	do
	:: turn < 2 -> turn++; noted = true /* it blocks, or wakes up */
	:: todo && gone -> /* resch_thread_leave() */
		/* its notifier is off: nobody notes it any more */
#if BROKEN != 1
		!noted;
#endif
		hooked = false;
		put();
		break
	:: true -> /* TASK_DEAD, with its notifier on */
		dying = true;
		dead = true;
		noted = true;
		dying = false;
		break
	od;
	working--
}

active proctype cpu()
{
	bool was;

end:	do
	:: noted && moves -> /* it is somewhere else by now, where its note goes */
		atomic { assert(!freed); taking = true };
		moves--;
#if BROKEN == 6
		noted = false;
		noted = true;
#endif
		taking = false
	:: noted ->
		atomic { assert(!freed); taking = true };
		noted = false;
		if
		:: dead ->
#if BROKEN == 2
			if
			:: gone -> skip
			:: else -> retire()
			fi
#else
			retire();
			reap_later()
#endif
		:: else -> skip
		fi;
		taking = false
	od
}

active proctype owner()
{
	bool was;

	atomic { !mutex -> mutex = true };
	if
	:: forgotten -> skip
	:: else ->
		file = false;
		retire();
		reap_later();
		reap_all()
	fi;
	mutex = false;
	working--
}

active proctype worker()
{
	bool died;

end:	do
	:: reap || dug ->
		atomic { !mutex -> mutex = true };
		reap_all();
		if
		:: dug -> /* thread_graves_take() */
			dug = false;
			grave = false;
			died = dead;
			mutex = false;
#if BROKEN != 4
			!dying; /* synchronize_rcu() */
#endif
#if BROKEN != 3
			if
			:: !hooked || died -> !noted /* thread_quiesce() */
			:: else -> skip
			fi;
#endif
#if BROKEN != 5
			if
			:: died -> !taking /* synchronize_rcu() */
			:: else -> skip
			fi;
#endif
			if
			:: hooked && died ->
				hooked = false;
				put()
			:: else -> skip
			fi;
			put()
		:: else -> mutex = false
		fi
	od
}

active proctype end_of_it()
{
	atomic {
		!working && !noted && !reap && !dug && !grave && !taking && cpu@end && worker@end ->
		assert(freed)
	}
}
