/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deliver.pml - a channel and its bell: threads on their way to an RT CPU (module/guard/deliver.c)
 *
 * The writer, resch-guard, puts a parcel into the channel and rings: resch_balance_deliver(). Where
 * the kernel says -EBUSY a bell is still on its way, and whoever hears it finds this parcel, too.
 * The reader's interrupt takes the kernel's mark off the csd, and then pulls what there is:
 * deliver_fetch().
 *
 * Memory is as on x86, and not as if all CPUs saw it alike: what a CPU writes is on its way for a
 * while, in order, and what it reads meanwhile may be older than that. A fence waits for it; an
 * atomic operation is one.
 *
 * To hold: every parcel is found, sooner or later.
 *
 * BROKEN=1: no fence between the parcel and the look at the mark.
 * BROKEN=2: no fence between the mark and the look for parcels.
 */
#define PARCELS 3

byte pushed; /* how many parcels the reader would find */
bool locked; /* CSD_FLAG_LOCK */
bool queued; /* the csd is on the reader's list: it is interrupted */
byte found;
bool done;

chan links = [PARCELS] of { byte }; /* the writer's stores of `pushed` that are on their way */
chan marks = [1] of { bool }; /* the reader's of `locked` */

active proctype writer()
{
	byte parcel = 0;
	bool was;

	do
	:: parcel < PARCELS ->
		parcel++;
		links!parcel;
#if BROKEN != 1
		empty(links);
#endif
		/* smp_call_function_single_async() */
		was = locked;
		if
		:: was -> skip /* -EBUSY */
		:: else ->
			locked = true;
			empty(links); /* llist_add() is atomic */
			queued = true
		fi
	:: else -> break
	od;
	done = true
}

active proctype reader()
{
end:	do
	:: queued ->
		queued = false; /* llist_del_all() is atomic */
		marks!false;
#if BROKEN != 2
		empty(marks);
#endif
		found = pushed
	od
}

/* What is on its way arrives. */
active proctype memory()
{
end:	do
	:: links?pushed
	:: marks?locked
	od
}

/* When nothing is under way any more. */
active proctype end_of_it()
{
	atomic {
		done && !queued && !locked && empty(links) && empty(marks) && reader@end ->
		assert(found == PARCELS)
	}
}
