// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sweep.c - bring every affinity to its place: what it was, less all RT CPUs
 *
 * One rule serves a new shield, the watch over a standing one, the end of one of several, and the
 * end of the last: only the set of RT CPUs differs. An object whose affinity is not what we made it
 * was changed by somebody else, and that stands.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "shield.h"

/* Tasks that fork faster than we look: the keeper catches the rest. */
#define PASSES_MAX 10
/* Generations that were all born since the last look. */
#define DEPTH_MAX 64

/* ---- what there is --------------------------------------------------------------------------- */

/* What only the module knows. */
static void load_registered(struct sweep *sweep)
{
	struct resch_task_stat stat = {};
	void *more;
	int fd;

	if (*sweep->state->root)
		return;
	fd = resch_open();
	while (fd >= 0 && resch_task_next(fd, &stat) > 0) {
		if (stat.pid <= 0 || stat.state == RESCH_STATE_GONE)
			continue;
		more = reallocarray(sweep->registered, sweep->nr_registered + 1,
				    sizeof(*sweep->registered));
		if (!more)
			break;
		sweep->registered = more;
		sweep->registered[sweep->nr_registered++] =
			(struct registered){ .tid = stat.pid, .id = stat.id };
	}
	guards_cpus(fd, &sweep->standing);
	sweep->guarded = sweep->standing;
	if (fd >= 0)
		close(fd);
}

void sweep_begin(struct sweep *sweep, struct state *state)
{
	*sweep = (struct sweep){ .state = state };
	state_cpus(state, &sweep->rt);
	if (machine_cpus(state->root, "online", &sweep->online) <= 0)
		sweep->error = -ENODEV;
	sweep->nrt = sweep->online;
	cpus_subtract(&sweep->nrt, &sweep->rt);
	load_registered(sweep);
}

void sweep_end(struct sweep *sweep)
{
	free(sweep->registered);
	sweep->registered = NULL;
	sweep->nr_registered = 0;
}

/* ---- one object ------------------------------------------------------------------------------ */

/** struct sighting - an object as it is now */
struct sighting {
	enum object_kind kind;
	uint64_t id, start;
	struct resch_cpus now;
	const struct setting *setting;
	const struct thread *thread;
	uint32_t task; /* a task, whose affinity is what it goes back to; 0: any other */
	bool stays, registered, lent;
	struct resch_cpus off; /* where it has no business: of shields that don't keep it */
	struct resch_cpus to; /* where it is sent; none: nowhere */
	struct object *object; /* NULL: not known yet */
	const struct object *from; /* whose child it may be */
};

static void target(const struct sweep *sweep, const struct sighting *sighting,
		   struct resch_cpus *want)
{
	const struct resch_cpus *orig = &sighting->object->orig;

	if (resch_cpus_count(&sighting->to)) {
		*want = sighting->to;
		return;
	}
	*want = *orig;
	cpus_subtract(want, &sighting->off);
	if (!cpus_equal(want, orig) && !cpus_overlap(want, &sweep->online))
		*want = sweep->nrt;
}

static int affinity_set(const struct sweep *sweep, const struct sighting *sighting,
			const struct resch_cpus *cpus)
{
	const char *root = sweep->state->root;

	switch (sighting->kind) {
	case OBJECT_SETTING:
		return setting_set(root, sighting->setting, cpus);
	case OBJECT_INTERRUPT:
		return interrupt_set(root, sighting->id, cpus);
	default:
		if (sighting->task)
			return resch_affinity_set(sweep->fd, sighting->task, cpus);
		return thread_set(root, sighting->thread, cpus);
	}
}

bool sweep_at(const struct sweep *sweep, const struct resch_cpus *now, const struct resch_cpus *set)
{
	struct resch_cpus cut = *set;

	cpus_subtract(&cut, now);
	return cpus_within(now, set) && !cpus_overlap(&cut, &sweep->online);
}

/*
 * Is it at what we made it? Or about to be there: somebody crashed between the word and the deed.
 */
static bool is_ours(const struct sweep *sweep, const struct object *object,
		    const struct resch_cpus *now)
{
	return sweep_at(sweep, now, &object->set) ||
	       (object->undecided && cpus_equal(now, &object->prev));
}

static void change(struct sweep *sweep, struct sighting *sighting, const struct resch_cpus *want)
{
	struct object *object = sighting->object;
	struct resch_cpus before = sighting->now, was = object->set;
	int result;

	if (object->stuck && !sweep->retry)
		return;
	sweep->error = state_intend(sweep->state, object, &before, want);
	if (sweep->error)
		return;
	result = affinity_set(sweep, sighting, want);
	if (!result) {
		sweep->moved[object->kind]++;
		return;
	}
	/* Somebody changes it just now: another look, in the next pass or by the keeper. */
	if (result == -EAGAIN) {
		sweep->error = state_intend(sweep->state, object, &was, &was);
		sweep->noted++;
		return;
	}
	/* Whatever the kernel did or did not do: it is where it was. */
	sweep->error = state_intend(sweep->state, object, &before, &before);
	if (result == -ESRCH || result == -ENOENT || sweep->error)
		return;
	sweep->stuck[object->kind]++;
	if (object->kind == OBJECT_SETTING && object->id == SETTING_NEW_IRQS &&
	    resch_cpus_count(&sweep->fresh))
		sweep->denied = -result;
	sweep->error = state_stuck(sweep->state, object, -result);
}

/* Is it at what a guard makes of our doing? */
static bool is_guards(struct sweep *sweep, const struct sighting *sighting,
		      const struct object *object)
{
	return sighting->thread && !sighting->task &&
	       sweep_guards(sweep, sighting->thread, &object->set);
}

/*
 * A child has its parent's affinity. If that was our doing, it is to go back to the parent's old
 * one.
 */
static void meet(struct sweep *sweep, struct sighting *sighting)
{
	const struct object *from = sighting->from;
	struct resch_cpus orig = sighting->now, set = sighting->now;

	if (from && is_ours(sweep, from, &sighting->now)) {
		orig = from->orig;
	} else if (from && is_guards(sweep, sighting, from)) {
		orig = from->orig;
		set = from->set;
	}
	sighting->object =
		state_add(sweep->state, sighting->kind, sighting->id, sighting->start, &orig, &set);
	if (!sighting->object)
		sweep->error = -ENOMEM;
	sweep->noted++;
}

/*
 * The kernel sets some threads' affinities anew when a CPU goes or comes (6.1-rt: rcub/N): to all
 * that is online, of their part of the machine. A mask with less than what the thread had was
 * chosen by somebody.
 */
static bool kernel_widened(const struct sweep *sweep, const struct sighting *sighting)
{
	struct resch_cpus had = sighting->object->orig, lacks;

	if (sighting->kind != OBJECT_THREAD || !(sighting->thread->flags & PF_KTHREAD) ||
	    !cpus_overlap(&sighting->now, &sweep->rt) || cpus_within(&sighting->now, &sweep->rt))
		return false;
	lacks = sweep->online;
	cpus_subtract(&lacks, &sighting->now);
	return !cpus_overlap(&had, &lacks);
}

/*
 * A program's thread that was given RT CPUs and others is like a newcomer with these: a reset of
 * its affinity (container runtimes, up to 6.1 cpusets) is not meant for RT CPUs. One with RT CPUs
 * alone was sent. A setting of the kernel has no business there.
 */
static bool leaves_again(const struct sweep *sweep, const struct sighting *sighting)
{
	const struct resch_cpus *now = &sighting->now;

	if (!cpus_overlap(now, &sighting->off))
		return false;
	return sighting->kind == OBJECT_SETTING ||
	       (sighting->kind == OBJECT_THREAD && !(sighting->thread->flags & PF_KTHREAD) &&
		!cpus_within(now, &sweep->rt));
}

/*
 * It is not where we put it. Return: that stands, it is none of our business any more. What it will
 * go back to is adopted from who changed it, or kept, where the kernel has put it out of its place.
 */
static bool stands_changed(struct sweep *sweep, const struct sighting *sighting)
{
	const struct resch_cpus *now = &sighting->now;
	struct object *object = sighting->object;
	struct resch_cpus all = object->orig;

	if (sighting->stays)
		return true;
	if (kernel_widened(sweep, sighting)) {
		cpus_unite(&all, now);
		sweep->error = state_adopt(sweep->state, object, &all);
		return false;
	}
	if (cpus_overlap(now, &sweep->fresh)) {
		sweep->error = state_adopt(sweep->state, object, now);
		return false;
	}
	/* Its CPUs may have gone offline: then the kernel has sent it anywhere. */
	if (!cpus_overlap(&object->set, &sweep->online) && cpus_overlap(now, &sweep->rt))
		return false;
	if (leaves_again(sweep, sighting)) {
		sweep->error = state_adopt(sweep->state, object, now);
		return false;
	}
	sweep->theirs += !cpus_equal(&object->orig, &object->set);
	return true;
}

/*
 * A task goes back to more than we left it. From 6.2 on that is cut to what sched_setaffinity(2)
 * said last, which was us if it became a task under a shield. So it stays on the list until its
 * registration has ended, and is put right then, with those of its children that come before.
 */
static void widen_task(struct sweep *sweep, const struct sighting *sighting,
		       const struct resch_cpus *want)
{
	if (!cpus_equal(&sighting->now, want))
		affinity_set(sweep, sighting, want);
	sweep->pending++;
}

static void consider(struct sweep *sweep, struct sighting *sighting)
{
	const struct resch_cpus *now = &sighting->now;
	struct object *object = sighting->object;
	struct resch_cpus want;
	bool ours, guards;

	if (sweep->error || !resch_cpus_count(now))
		return;
	if (!object && (sighting->stays || (sighting->lent && !sighting->from)))
		return;
	if (!object)
		meet(sweep, sighting);
	object = sighting->object;
	if (!object)
		return;
	object->seen = true;
	if (sweep->look)
		return;
	ours = is_ours(sweep, object, now);
	guards = !ours && is_guards(sweep, sighting, object);
	target(sweep, sighting, &want);
	/* Where it belongs it is right, whoever has put it there: a guard that has gone, say. */
	if (!ours && !guards && !sweep_at(sweep, now, &want)) {
		if (stands_changed(sweep, sighting))
			return;
		target(sweep, sighting, &want);
	}
	if (sighting->task && !sighting->stays && !cpus_within(&want, &object->set)) {
		widen_task(sweep, sighting, &want);
	} else if (sighting->stays) {
		sweep->pending += sighting->registered && !cpus_equal(&object->orig, &object->set);
	} else if (guards) {
		if (!cpus_equal(&want, &object->set))
			change(sweep, sighting, &want);
	} else if (!sweep_at(sweep, now, &want)) {
		if (resch_cpus_count(&want))
			change(sweep, sighting, &want);
	} else if (!cpus_equal(&want, &object->set)) {
		sweep->error = state_intend(sweep->state, object, now, &want);
	}
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void sweep_setting(void *arg, const struct setting *setting)
{
	struct sweep *sweep = arg;
	struct sighting sighting = {
		.kind = OBJECT_SETTING, .id = setting->id, .setting = setting, .off = sweep->rt
	};

	sighting.object = state_find(sweep->state, OBJECT_SETTING, setting->id, 0);
	if (setting_get(sweep->state->root, setting, &sighting.now) > 0)
		consider(sweep, &sighting);
}

static void sweep_interrupt(void *arg, uint64_t irq)
{
	struct sweep *sweep = arg;
	struct sighting sighting = { .kind = OBJECT_INTERRUPT, .id = irq };

	if (interrupt_get(sweep->state->root, irq, &sighting.now) <= 0)
		return;
	sighting.object = state_find(sweep->state, OBJECT_INTERRUPT, irq, 0);
	/* New ones get the default, which we have changed. */
	sighting.from = state_find(sweep->state, OBJECT_SETTING, SETTING_NEW_IRQS, 0);
	stay_kept(sweep, irq, NULL, &sighting.off);
	stay_steered(sweep, irq, &sighting.to);
	consider(sweep, &sighting);
}

static void sweep_thread(void *arg, const struct thread *thread);

/*
 * The object of the first thread of process @pid: what a thread has its affinity from. It may be
 * new itself, and met later than its child.
 */
static const struct object *family(struct sweep *sweep, pid_t pid)
{
	struct thread thread;
	const struct object *object;

	if (pid <= 0 || sweep->depth > DEPTH_MAX ||
	    thread_read(sweep->state->root, pid, pid, &thread))
		return NULL;
	object = state_find(sweep->state, OBJECT_THREAD, (uint64_t)pid, thread.start);
	if (object || sweep->look)
		return object;
	sweep->depth++;
	sweep_thread(sweep, &thread);
	sweep->depth--;
	return state_find(sweep->state, OBJECT_THREAD, (uint64_t)pid, thread.start);
}

/*
 * A task stays where it is; its children begin with what it goes back to itself. That has its place
 * like any other affinity, and may be changed without the task's notice.
 */
static enum stay stay_task(const struct sweep *sweep, const struct thread *thread,
			   struct sighting *sighting, bool moved)
{
	struct resch_cpus cpus;
	uint32_t id = stay_registered(sweep, thread->tid);
	int result = resch_affinity_get(sweep->fd, id, &cpus);

	/* Not yet, or no more. */
	if (result == -ESRCH || result == -ENOENT)
		return stay_own(sweep, thread, moved);
	if (result)
		return STAY_REGISTERED;
	sighting->task = id;
	sighting->now = cpus;
	if (stay_kept(sweep, 0, thread, NULL))
		return STAY_KEPT;
	return moved || !cpus_within(&cpus, &sweep->rt) ? STAY_NOT : STAY_BOUND;
}

static void sweep_thread(void *arg, const struct thread *thread)
{
	struct sweep *sweep = arg;
	struct sighting sighting = {
		.kind = OBJECT_THREAD,
		.id = (uint64_t)thread->tid,
		.start = thread->start,
		.now = thread->allowed,
		.thread = thread,
	};
	enum stay stay;
	bool moved;

	sighting.object = state_find(sweep->state, OBJECT_THREAD, sighting.id, sighting.start);
	moved = sighting.object && !cpus_equal(&sighting.object->orig, &sighting.object->set);
	stay = stay_thread(sweep, thread, moved);
	if (stay == STAY_ENDED)
		return;
	if (stay == STAY_REGISTERED)
		stay = stay_task(sweep, thread, &sighting, moved);
	/*
	 * A newcomer that was lent before we saw it is where its family would be, without the
	 * guard.
	 */
	sighting.lent = (stay == STAY_CHOSEN || stay == STAY_BOUND) && !sighting.task &&
			sweep_lent(sweep, thread);
	if (sighting.lent)
		stay = STAY_NOT;
	sighting.stays = stay != STAY_NOT && stay != STAY_KEPT;
	sighting.off = sweep->rt;
	if (stay == STAY_KEPT)
		stay_kept(sweep, 0, thread, &sighting.off);
	sighting.registered = stay == STAY_REGISTERED;
	if (!sighting.object && !sighting.stays && !(thread->flags & PF_KTHREAD))
		sighting.from =
			family(sweep, thread->tid == thread->tgid ? thread->ppid : thread->tgid);
	consider(sweep, &sighting);
}

static void forget_sightings(struct state *state)
{
	size_t i;

	for (i = 0; i < state->nr_objects; i++)
		state->objects[i].seen = false;
}

static unsigned int done(const struct sweep *sweep)
{
	return sweep->noted + sweep->values + sweep->moved[OBJECT_SETTING] +
	       sweep->moved[OBJECT_INTERRUPT] + sweep->moved[OBJECT_THREAD];
}

int sweep_run(struct sweep *sweep, struct state *state, const struct resch_cpus *fresh, bool retry)
{
	unsigned int before, pass;

	sweep_begin(sweep, state);
	sweep->fd = sweep->nr_registered ? resch_open() : -1;
	if (fresh)
		sweep->fresh = *fresh;
	sweep->retry = retry;
	/*
	 * Before anything moves, all are noted as they are; so whoever turns up later has come
	 * later, and has its affinity from a parent that may have been moved.
	 */
	sweep->look = fresh;
	for (pass = 0; pass < PASSES_MAX && !sweep->error && !sweep->denied; pass++) {
		before = done(sweep);
		sweep->theirs = 0;
		sweep->pending = 0;
		forget_sightings(state);
		each_setting(state->root, sweep_setting, sweep);
		if (!sweep->error && !sweep->look)
			knobs_sweep(sweep);
		if (!sweep->error)
			each_interrupt(state->root, sweep_interrupt, sweep);
		if (!sweep->error && each_thread(state->root, sweep_thread, sweep))
			sweep->error = -errno;
		if (done(sweep) == before && !sweep->look)
			break;
		/* What the kernel refuses once it refuses twice. */
		sweep->retry = sweep->retry && sweep->look;
		sweep->look = false;
	}
	if (sweep->fd >= 0)
		close(sweep->fd);
	sweep_end(sweep);
	if (!sweep->error && !sweep->denied)
		sweep->error = state_commit(state);
	return sweep->error;
}

/* ---- ends ------------------------------------------------------------------------------------ */

int shield_drop(struct state *state, const struct resch_cpus *cpus, struct sweep *sweep)
{
	struct sweep first;
	size_t i;
	int result;

	/*
	 * Who has come since the last look must be known while its parent still is where we put it.
	 * Not that this is needed to go on.
	 */
	sweep_run(&first, state, NULL, false);
	for (i = 0; i < state->nr_shields; i++) {
		struct shield *shield = &state->shields[i];

		if (cpus && !cpus_equal(cpus, &shield->cpus))
			continue;
		result = state_shield(state, shield, SHIELD_FALLING);
		if (result)
			return result;
		shield_unguard(state, shield);
	}
	result = sweep_run(sweep, state, NULL, true);
	for (i = state->nr_shields; !result && i-- > 0;) {
		if (state->shields[i].phase != SHIELD_FALLING)
			continue;
		shield_undomain(state, &state->shields[i]);
		state_forget(state, &state->shields[i]);
	}
	if (!result && (state->nr_shields || sweep->pending))
		result = state_compact(state);
	else if (!result)
		state_remove(state);
	return result;
}

int shield_recover(struct state *state)
{
	struct resch_cpus none = {};
	struct sweep sweep;
	bool unfinished = false;
	size_t i;
	int result;

	for (i = 0; i < state->nr_shields; i++) {
		struct shield *shield = &state->shields[i];

		if (shield->phase == SHIELD_STANDS)
			continue;
		unfinished = true;
		shield->phase = SHIELD_FALLING;
	}
	if (!unfinished)
		return 0;
	/* No shield has no CPUs: those that are falling are what falls. */
	result = shield_drop(state, &none, &sweep);
	return result ? result : 1;
}
