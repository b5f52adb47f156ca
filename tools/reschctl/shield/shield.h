/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shield.h - RT CPUs without a reboot: what was where, what is kept off, how all goes back
 *
 * An *object* is whatever has an affinity: an interrupt, a thread, a setting of the kernel. Before
 * an affinity is changed, the journal says which object, what it was and what it is to be; so
 * whoever comes after a crash, at any instant, can put back what is still as we set it. One journal
 * serves all shields: an object's place is always what it was first, less all RT CPUs.
 *
 * Whoever changes anything holds the state's lock, which the kernel drops when its owner dies, and
 * reads the journal anew: tools, the keeper (which watches for newcomers) and its guardian (which
 * takes over from a killed keeper to give everything back) share nothing else.
 */
#ifndef _RESCHCTL_SHIELD_H
#define _RESCHCTL_SHIELD_H

#include "reschctl.h"

enum object_kind { OBJECT_SETTING, OBJECT_INTERRUPT, OBJECT_THREAD, NR_OBJECT_KINDS };

/**
 * struct object - something with an affinity, as the journal knows it
 * @id:        setting: its number; interrupt: likewise; thread: its thread id
 * @start:     thread: when it was started (field 22 of its stat); else 0
 * @orig:      its affinity before any shield
 * @set:       what we made it, or @orig where nothing had to be done
 * @prev:      while @undecided: what @set was before; a change from @prev to @set was begun
 * @stuck:     errno of the last change that the kernel refused; 0: none
 * @seen:      in the present look around
 */
struct object {
	enum object_kind kind;
	uint64_t id, start;
	struct resch_cpus orig, set, prev;
	int stuck;
	bool undecided, seen;
	int next; /* of the same bucket; -1: last */
};

enum shield_phase { SHIELD_RISING, SHIELD_STANDS, SHIELD_FALLING };

#define KEEP_MAX 1024 /* bytes of a list */

/** struct shield - one set of RT CPUs */
struct shield {
	struct resch_cpus cpus;
	enum shield_phase phase;
	char keep_irqs[KEEP_MAX]; /* with commas; "-": none */
	char keep_tasks[KEEP_MAX]; /* thread or process ids */
	char irqs[KEEP_MAX]; /* that go to its CPUs, as NAME:CPU; likewise */
	bool latency; /* with the values of knob.c */
	uint32_t domain; /* that was made with it; 0: none */
	bool module; /* resch was loaded: the shield ends with it */
};

#define KNOB_VALUE 40 /* bytes of a value */

/** struct knob - a file with a value; as struct object, of which it is the like for words */
struct knob {
	char path[120];
	char orig[KNOB_VALUE], set[KNOB_VALUE], prev[KNOB_VALUE];
	int stuck;
	bool undecided, wanted; /* wanted: by a shield that stands */
};

#define KNOBS_MAX (4 * RESCH_CPUS_MAX)
#define SHIELDS_MAX 64
#define OBJECT_BUCKETS 4096

/** struct state - all shields and objects: the journal in memory, while the lock is held */
struct state {
	const char *root; /* directory that stands for /, "" on the machine itself */
	char folder[300]; /* of the journal and the locks */
	int lock, journal; /* descriptors; -1: not held, not open */
	unsigned int lines; /* of the journal, */
	off_t length; /* and its bytes: whole lines */
	bool intents; /* since the last commit */
	struct shield shields[SHIELDS_MAX];
	size_t nr_shields;
	struct object *objects;
	size_t nr_objects, room;
	struct knob *knobs;
	size_t nr_knobs;
	int buckets[OBJECT_BUCKETS];
};

/* ---- journal.c ------------------------------------------------------------------------------- */

/**
 * state_open - lock and read. Return: 0, or -errno after a message
 * @write: to change something; else only to look, and there need not be anything
 */
int state_open(struct state *state, const char *root, bool write);
/** state_close - let the lock go, and free */
void state_close(struct state *state);
/** state_exists - is there a journal? */
bool state_exists(const struct state *state);
/** state_remove - no shield stands and all is back: remove the journal */
void state_remove(struct state *state);
/** state_compact - write the journal anew, without threads that have ended; after a whole sweep */
int state_compact(struct state *state);

struct object *state_find(const struct state *state, enum object_kind kind, uint64_t id,
			  uint64_t start);
/**
 * state_intend - say that an object's affinity is to become @set; before it is made so
 * @now: what it is. Return: 0 or -errno
 */
int state_intend(struct state *state, struct object *object, const struct resch_cpus *now,
		 const struct resch_cpus *set);
/**
 * state_add - a new object that is at @set, and was or would have been at @orig. NULL: no memory
 */
struct object *state_add(struct state *state, enum object_kind kind, uint64_t id, uint64_t start,
			 const struct resch_cpus *orig, const struct resch_cpus *set);
/** state_adopt - what somebody else has made of an object is now what it goes back to */
int state_adopt(struct state *state, struct object *object, const struct resch_cpus *orig);
/** state_stuck - the kernel has refused */
int state_stuck(struct state *state, struct object *object, int error);
/** state_knob_find - NULL: it was never changed */
struct knob *state_knob_find(const struct state *state, const char *path);
/** state_knob_add - a new one, which is at @now; in memory. NULL: no memory, or too many */
struct knob *state_knob_add(struct state *state, const char *path, const char *now);
/** state_knob - say that its value, which is @now, is to become @set. Return: 0 or -errno */
int state_knob(struct state *state, struct knob *knob, const char *now, const char *set);
/** state_knob_stuck - the kernel has refused it */
int state_knob_stuck(struct state *state, struct knob *knob, int error);
/** state_commit - all that was intended is done */
int state_commit(struct state *state);
/** state_shield - write a shield's phase down. Return: 0 or -errno */
int state_shield(struct state *state, struct shield *shield, enum shield_phase phase);
/** state_forget - drop a shield from memory; its last line is SHIELD_FALLING */
void state_forget(struct state *state, struct shield *shield);
/** state_cpus - the CPUs of all shields that rise or stand */
void state_cpus(const struct state *state, struct resch_cpus *cpus);

/* ---- lock.c ---------------------------------------------------------------------------------- */

/** state_folder - make it. Return: 0 or -errno */
int state_folder(const struct state *state);
/**
 * state_lock - lock one of its files. @type: F_WRLCK or F_RDLCK. Return: a descriptor, or -errno
 */
int state_lock(const struct state *state, const char *name, short type, bool wait);
/**
 * state_file - open one of the folder's files. Return: a descriptor, or -errno
 */
int state_file(const struct state *state, const char *name, int flags);
/**
 * state_role - take the lock @name for as long as this process lives. Return: a descriptor, or
 * -errno
 */
int state_role(const struct state *state, const char *name);
/** state_holder - the process that has it; 0: nobody */
pid_t state_holder(const struct state *state, const char *name);

/* ---- machine.c: affinities, as the kernel shows and takes them ------------------------------- */

/** struct thread - what /proc says of one */
struct thread {
	pid_t tid, tgid, ppid;
	char comm[64];
	char run; /* R, S, D, Z... */
	unsigned int flags; /* PF_* */
	int policy, cpu; /* cpu: where it ran last */
	uint64_t start, switches;
	struct resch_cpus allowed;
};

#define PF_KTHREAD 0x00200000U
#define PF_NO_SETAFFINITY 0x04000000U

bool cpus_equal(const struct resch_cpus *a, const struct resch_cpus *b);
bool cpus_overlap(const struct resch_cpus *a, const struct resch_cpus *b);
bool cpus_within(const struct resch_cpus *inner, const struct resch_cpus *outer);
void cpus_subtract(struct resch_cpus *from, const struct resch_cpus *cpus);
void cpus_unite(struct resch_cpus *to, const struct resch_cpus *cpus);

/** machine_path - a path below the root; static, for one call each of four */
const char *machine_path(const char *root, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int machine_cpus(const char *root, const char *which, struct resch_cpus *cpus);
/** text_replace - write a file whole and at once, by a rename. Return: 0 or -errno */
int text_replace(const char *path, const char *text, size_t length);
/** text_write - as the kernel takes it, at once or not at all. Return: 0 or -errno */
int text_write(const char *root, const char *path, const char *text);
#define LIST_MAX 4096 /* bytes of every other one of 1024 CPUs, as a list */
#define MASK_TEXT (RESCH_CPUS_MAX / 4 + RESCH_CPUS_MAX / 32 + 8) /* of all, as a mask */
/* Masks of CPUs, as lists (0-3) and as numbers (f). Reading returns how many, or -errno */
int mask_parse(const char *text, struct resch_cpus *cpus);
/** mask_format - @text: MASK_TEXT bytes */
void mask_format(const struct resch_cpus *cpus, char *text);
int list_read(const char *path, struct resch_cpus *cpus);
int list_write(const char *root, const char *path, const struct resch_cpus *cpus);
int mask_read(const char *path, struct resch_cpus *cpus);
int mask_write(const char *root, const char *path, const struct resch_cpus *cpus);

int interrupt_get(const char *root, uint64_t irq, struct resch_cpus *cpus);
int interrupt_set(const char *root, uint64_t irq, const struct resch_cpus *cpus);
/** interrupt_effective - where it really goes. Return: how many CPUs, or -errno */
int interrupt_effective(const char *root, uint64_t irq, struct resch_cpus *cpus);
/** interrupt_name - of its device; "" where it has none; static */
const char *interrupt_name(const char *root, uint64_t irq);
int thread_read(const char *root, pid_t tgid, pid_t tid, struct thread *thread);
/** thread_set - Return: 0; -EAGAIN: it has another affinity than @thread says; or -errno */
int thread_set(const char *root, const struct thread *thread, const struct resch_cpus *cpus);

/**
 * each_* - call for each that there is; errors of reading are skipped, those of opendir() returned
 */
int each_interrupt(const char *root, void (*call)(void *arg, uint64_t irq), void *arg);
int each_thread(const char *root, void (*call)(void *arg, const struct thread *thread), void *arg);

/* ---- setting.c: masks of CPUs of the kernel, and of irqbalance ------------------------------- */

#define SETTING_NEW_IRQS 0 /* default_smp_affinity */

/**
 * struct setting - a file with a mask
 * @id:       of the journal
 * @list:     as 0-3, else as f
 * @balancer: it is the socket of irqbalance
 */
struct setting {
	uint64_t id;
	char path[120];
	bool list, balancer;
};

/** each_setting - call for each that there is now */
void each_setting(const char *root, void (*call)(void *arg, const struct setting *setting),
		  void *arg);
/** setting_get - Return: how many CPUs it has, or -errno */
int setting_get(const char *root, const struct setting *setting, struct resch_cpus *cpus);
int setting_set(const char *root, const struct setting *setting, const struct resch_cpus *cpus);

/* ---- irqbalance.c: the CPUs to which it may move interrupts ---------------------------------- */

/** balancer_find - @path: becomes its socket's. Return: it runs, and has one */
bool balancer_find(const char *root, char *path, size_t size);
/** balancer_get - Return: how many CPUs it may use, or -errno */
int balancer_get(const char *root, const char *path, struct resch_cpus *cpus);
/** balancer_set - so many that it bans what its configuration says: that again */
int balancer_set(const char *root, const char *path, const struct resch_cpus *cpus);

/* ---- keep.c: what a shield leaves alone ------------------------------------------------------ */

/** interrupt_listed - is it in a list of numbers, ranges, names and patterns? */
bool interrupt_listed(const char *root, const char *list, uint64_t irq);
/** number_listed - is it in a list of numbers and ranges? */
bool number_listed(const char *list, uint64_t number);
/** interrupt_steered - is it in a list of NAME:CPU? @cpus: where it is to go */
bool interrupt_steered(const char *root, const char *list, uint64_t irq, struct resch_cpus *cpus);
/** steer_outside - Return: the first word of such a list that names no CPU of @cpus, or NULL */
const char *steer_outside(const char *list, const struct resch_cpus *cpus);
/**
 * keep_lacks_irq, keep_lacks_task - Return: the first word of @list that no interrupt, process or
 * thread has now, valid until the next call; NULL: there is none. A pattern may match later.
 * @steers: each has a CPU behind it
 */
const char *keep_lacks_irq(const char *root, const char *list, bool steers);
const char *keep_lacks_task(const char *root, const char *list);

struct sweep;

/* ---- knob.c: values for the sake of latency -------------------------------------------------- */

/** knobs_sweep - bring each to what its shield wants, or back; part of sweep_run() */
void knobs_sweep(struct sweep *sweep);

/* ---- stay.c: who stays, and why -------------------------------------------------------------- */

/** enum stay - why a thread or interrupt on RT CPUs is left there */
enum stay {
	STAY_NOT, /* it isn't */
	STAY_FIXED, /* the kernel binds it */
	STAY_KEPT, /* we were told to leave it */
	STAY_REGISTERED, /* it is a resch task */
	STAY_BOUND, /* a real-time thread that is bound to RT CPUs */
	STAY_CHOSEN, /* was put on RT CPUs, and nowhere else, while they were shielded */
	STAY_ENDED,
};

/** stay_thread - why this one stays where it is, if it does; @known: it has an object */
enum stay stay_thread(const struct sweep *sweep, const struct thread *thread, bool known);
bool stay_interrupt(const struct sweep *sweep, uint64_t irq);
/** stay_own - why, of one that is where its own affinity lets it be. @moved: by a shield */
enum stay stay_own(const struct sweep *sweep, const struct thread *thread, bool moved);
/** stay_registered - its id as a resch task; 0: it is none */
uint32_t stay_registered(const struct sweep *sweep, pid_t tid);
/**
 * stay_kept - does any shield keep @thread, or where that is NULL the interrupt @irq?
 * @off: becomes the CPUs of those that don't; or NULL
 */
bool stay_kept(const struct sweep *sweep, uint64_t irq, const struct thread *thread,
	       struct resch_cpus *off);
/** stay_steered - does any shield send this interrupt to its CPUs? @to: which */
bool stay_steered(const struct sweep *sweep, uint64_t irq, struct resch_cpus *to);

/* ---- sweep.c: who is to be where ------------------------------------------------------------- */

/** struct registered - a thread that is a resch task */
struct registered {
	pid_t tid;
	uint32_t id;
};

/** struct sweep - one look around, with what was done */
struct sweep {
	struct state *state;
	struct resch_cpus rt, online, nrt;
	struct resch_cpus fresh; /* CPUs that are being shielded now */
	struct resch_cpus guarded; /* those of all guards: see guard.c */
	struct resch_cpus standing; /* likewise, when that was looked at last */
	unsigned int depth; /* of a family that is being met */
	bool look; /* only note what there is */
	bool retry; /* try what was refused before, too */
	struct registered *registered; /* threads that are resch tasks */
	size_t nr_registered;
	int fd; /* sweep_run()'s, to ask what these go back to; -1: there are none */
	unsigned int moved[NR_OBJECT_KINDS], stuck[NR_OBJECT_KINDS];
	unsigned int values; /* of knobs that were written */
	unsigned int theirs; /* changed by somebody else: left alone */
	unsigned int pending; /* registered: cannot go back yet */
	unsigned int noted; /* new objects in the journal */
	int error; /* journal */
	int denied; /* a setting that root may always write was refused: errno */
};

/**
 * sweep_run - bring every object to its place: what it was, less all RT CPUs
 * @fresh: CPUs that are being shielded now; NULL: none
 *
 * Repeats until nothing new turns up: tasks fork meanwhile. Return: 0 or -errno.
 */
int sweep_run(struct sweep *sweep, struct state *state, const struct resch_cpus *fresh, bool retry);
/** sweep_begin, sweep_end - the part that only looks: CPUs, registered threads */
void sweep_begin(struct sweep *sweep, struct state *state);
void sweep_end(struct sweep *sweep);
/** sweep_at - is @now what became of @set? The kernel leaves out CPUs that are not online */
bool sweep_at(const struct sweep *sweep, const struct resch_cpus *now,
	      const struct resch_cpus *set);
/** sweep_lent - has a guard sent it there, to compute until its next call? */
bool sweep_lent(const struct sweep *sweep, const struct thread *thread);
/**
 * sweep_guards - is @thread where a guard has it, while its user's affinity is @set?
 *
 * Where no guard that @sweep knows of explains it, it looks whether they have changed.
 */
bool sweep_guards(struct sweep *sweep, const struct thread *thread, const struct resch_cpus *set);
/** shield_drop - take shields down: those with @cpus, or all (NULL). Return: 0 or -errno */
int shield_drop(struct state *state, const struct resch_cpus *cpus, struct sweep *sweep);
/**
 * shield_recover - take down what was never finished. Return: 0 or -errno; 1: there was something
 */
int shield_recover(struct state *state);

/* ---- shield.c -------------------------------------------------------------------------------- */

/**
 * shield_up - raise one: its CPUs and what they keep. Return: 0, or an exit status after a message
 */
int shield_up(const char *root, const struct shield *shield);
/**
 * shield_change - what one that stands keeps, and whether it has the values of knob.c, becomes what
 * @shield says; its CPUs stay shielded throughout. Return: as shield_up()
 */
int shield_change(const char *root, const struct shield *shield);
/** shield_down - take the one with exactly these CPUs down. Return: likewise */
int shield_down(const char *root, const struct resch_cpus *cpus);

/* ---- guard.c: threads' affinities are the guard's while one stands --------------------------- */

/** guards_cpus - the CPUs of all guards; none without the module. @fd: the device, or -1 */
void guards_cpus(int fd, struct resch_cpus *cpus);
/** struct guards - that were lifted, to come back as they were */
struct guards;
/**
 * guards_lift - threads get what their users want; NULL: there is none, or no memory. @fd: likewise
 */
struct guards *guards_lift(int fd);
/** guards_return - they stand again, as they did; frees */
void guards_return(int fd, struct guards *guards);
/** shield_unguard - threads that were lent to its CPUs have what the shield gave them */
void shield_unguard(const struct state *state, const struct shield *shield);
/** shield_undomain - the domain that was made with it goes, unless it has tasks */
void shield_undomain(const struct state *state, const struct shield *shield);

/* ---- keeper.c -------------------------------------------------------------------------------- */

/** keeper_start - see that there is a keeper, and its guardian. Return: 0, or -errno */
int keeper_start(const struct state *state);
/** keeper_poke - have it look at once; after the lock was let go */
void keeper_poke(const struct state *state);

/* ---- agent.c: who restores when all processes are killed ------------------------------------- */

/* What the kernel starts the release agent with: the path of the group in its hierarchy. */
#define AGENT_COMMAND "/resch-shield"
/** agent_join - put the calling process where its end, and its children's, is noticed */
void agent_join(const char *root);
/** agent_leave - the hierarchy goes, if nobody is in the group; with the lock held */
void agent_leave(const char *root);
/** agent_run - that end has come. Return: an exit status */
int agent_run(void);

/* ---- gaps.c ---------------------------------------------------------------------------------- */

/** gaps_find - what comes to the shielded CPUs all the same, and what to do: a list of sentences */
struct json_object *gaps_find(const struct state *state);

/* ---- counters.c: /proc/interrupts, then and now ---------------------------------------------- */

/** counters_write - remember what it was; an error leaves the counts without a beginning */
void counters_write(const struct state *state);
/** counters_look - add to @list what has come to @rt since */
void counters_look(const struct state *state, const struct resch_cpus *rt,
		   struct json_object *list);

/* ---- status.c -------------------------------------------------------------------------------- */

int shield_status(int argc, char **argv);
/** status_entry - one more in a list of the report; @cpus or NULL. Return: it, for more */
struct json_object *status_entry(struct json_object *list, const char *kind, uint64_t id,
				 const char *name, const struct resch_cpus *cpus);
/** baseline_write - remember what has run until now */
void baseline_write(const struct state *state);

#endif /* _RESCHCTL_SHIELD_H */
