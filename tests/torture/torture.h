/* SPDX-License-Identifier: GPL-2.0 */
/*
 * torture.h - everything at once and at random, what its files share
 *
 * main.c plays rounds: it loads the modules, starts processes, "lives", whose threads do what
 * lives.c says, at random, with the requests of requests.c; others, "storms", do to them and to the
 * machine what storms.c says. All of them are killed at any moment and followed by others. When the
 * time of a round is over all are killed, and account.c looks whether everything is what it was.
 *
 * What all processes see is the world, in shared memory which survives execve(). A thread's random
 * numbers come from the run's seed and the number of its life; what comes of them depends on the
 * machine.
 */
#ifndef _TORTURE_H
#define _TORTURE_H

#include "requests.h"

/* ---- the world ------------------------------------------------------------------------------- */

/* What is counted beside requests. */
#define EVENTS(X)                                                 \
	X(LIVES, "processes")                                     \
	X(KILLS, "kills")                                         \
	X(EXECS, "programs executed")                             \
	X(FORKS, "children")                                      \
	X(SIGNALS, "signals")                                     \
	X(STOPS, "stopped and continued")                         \
	X(TRACES, "traced")                                       \
	X(POLICIES, "policies set by others")                     \
	X(AFFINITIES, "affinities set by others")                 \
	X(OWN, "policies and affinities set by themselves")       \
	X(GROUPS, "moves between control groups")                 \
	X(LIMITS, "changes of cpu.max, cpuset.cpus, memory.high") \
	X(FREEZES, "control groups frozen")                       \
	X(HOTPLUGS, "CPUs offline and online")                    \
	X(SWAPS, "plugins swapped")                               \
	X(LOADS, "modules loaded")                                \
	X(UNLOADS, "modules unloaded")                            \
	X(REFUSALS, "unloads refused")                            \
	X(EJECTIONS, "plugins thrown out")

enum event {
#define X(NAME, text) EVENT_##NAME,
	EVENTS(X)
#undef X
		EVENTS_COUNT
};

/* No request: lives choose at random. */
#define NONE (-1)

struct count {
	atomic_ullong called;
	atomic_ullong succeeded;
};

/* A process that outlives a round, so that one can see what it has then. */
struct sentinel {
	pid_t pid;
	/* What it may have at the end: what it began with, and what it was given since. */
	atomic_uint given;
	struct sentinel_has {
		uint32_t policy;
		uint32_t priority;
		int32_t nice;
		uint32_t cpus; /* bit n: CPU n */
	} has[64];
};

/* The first ones are left alone by strangers, the next are given policies and affinities. */
#define SENTINELS 12
#define SENTINELS_LEFT_ALONE 6

/* Few, so that two of them are often there at the same time. */
#define OFFERED 8

struct options {
	uint64_t seed;
	unsigned int seconds; /* of all rounds together */
	unsigned int round; /* seconds of one */
	unsigned int processes;
	bool hotplug;
	bool verbose;
	bool eager; /* lives make requests most of the time, one after the other */
	bool strict; /* what is known and not mended fails, too */
	const char *plant;
};

struct world {
	struct options options;
	unsigned int cpus; /* online when it began: 0 to cpus - 1 */
	int fd; /* of this memory, for who has executed another program */
	int pool[2]; /* sockets that descriptors of the device are passed through */
	atomic_uint lives; /* numbers them */
	struct count requests[REQUESTS];
	/* When all else is done: whether there are requests that have yet to succeed. */
	atomic_bool wanting;
	atomic_ullong events[EVENTS_COUNT];
	struct sentinel sentinels[SENTINELS];
	atomic_uint offered[OFFERED]; /* tasks that were offered as stages, of late */
	char failure[400]; /* of a child: see fail_at() */
};

extern struct world *world;

static inline void happened(enum event event)
{
	atomic_fetch_add_explicit(&world->events[event], 1, memory_order_relaxed);
}

/* ---- random numbers -------------------------------------------------------------------------- */

/* A thread of a life, or of a storm. */
struct life {
	uint64_t seed;
	int fd; /* of the device */
	uint32_t task; /* registered through it as this thread; 0: none */
	struct resch_domain_stat domain; /* the one that was picked last */
	struct resch_server_stat server; /* likewise */
	struct resch_reserve *reserves;
	struct resch_chain_stage stages[4];
};

static inline uint64_t random_number(struct life *life)
{
	life->seed ^= life->seed << 13;
	life->seed ^= life->seed >> 7;
	life->seed ^= life->seed << 17;
	return life->seed * 0x2545f4914f6cdd1d >> 16;
}

static inline uint64_t below(struct life *life, uint64_t limit)
{
	/* cppcheck-suppress zerodiv ; it does not see the list of requests, which is made */
	return random_number(life) % limit;
}

/* True one time in @n. */
static inline bool one_in(struct life *life, unsigned int n)
{
	return !below(life, n);
}

/* ---- requests.c ------------------------------------------------------------------------------ */

/*
 * Make request number @which with what is in @argument: 0, a positive value, or -errno. Counts it,
 * and does what follows from it: descriptors that come are closed.
 */
int request(struct life *life, int which, union argument *argument);
/* Likewise, and nothing follows. */
int request_counted(struct life *life, int which, union argument *argument);

/* Fill @argument with what request @which is likely to take. */
void request_fill(struct life *life, int which, union argument *argument);
/* Make it, filled like that. */
int request_likely(struct life *life, int which);

const char *request_name(int which);
unsigned long request_number(int which);

/* The domain under the plugin @name, or another one swapped to it, or a new one: picked. */
bool domain_under(struct life *life, const char *name);

/* ---- standing.c ------------------------------------------------------------------------------ */

/*
 * Ids are given out in turn, so most of those below the last one are gone: look from any of them
 * on.
 */
uint32_t id_any(struct life *life);

/* A domain, one of its servers, a task, as they are now, at random: false where there is none. */
bool domain_any(struct life *life);
bool server_any(struct life *life, uint32_t domain);
uint32_t task_any(struct life *life);

/* Any online CPU of the domain picked last. */
int domain_cpu(struct life *life);

/* ---- any.c ----------------------------------------------------------------------------------- */

/* Any request with any contents, mostly valid; and the other calls on a descriptor. */
void request_any(struct life *life, union argument *argument);
/* A request that has yet to succeed, where the torture is looking for such; NONE otherwise. */
int request_wanted(struct life *life);

/* ---- lives.c --------------------------------------------------------------------------------- */

/* Be a life until killed. */
void life_main(uint64_t number) __attribute__((noreturn));

/* Send the descriptor on its way to another process, take one that comes. */
void live_pool(struct life *life);

/* Be a registered thread with jobs, as programs are. */
void live_jobs(struct life *life);

/* Be a stage of chains, and make some. */
void live_chain(struct life *life);

/* What a program does between two requests. */
void life_something(struct life *life);

/* End the registration that the life has. */
void life_leave(struct life *life);

/* Register under a plugin that tasks of chains may have, and leads, whatever is promised. */
bool life_register(struct life *life, uint32_t kind);

/* Write to a pipe of its own and read from it. */
void life_pipe(struct life *life);

/* Go on as one after execve(): @arguments as life_exec() has given them. */
void life_again(char **arguments) __attribute__((noreturn));

/* What lives that are dead were passing on: a descriptor on its way holds the module, too. */
void descriptors_drop(void);

void sentinels_start(void);
void sentinels_end(void);

/* ---- storms.c -------------------------------------------------------------------------------- */

enum storm { STORM_STRANGER, STORM_GROUPS, STORM_MODULES, STORM_HOTPLUG, STORMS };

/* Be one until killed. */
void storm_main(enum storm storm, uint64_t number) __attribute__((noreturn));

/* Make the control groups, remove them; move the calling process into one of those for lives. */
void groups_make(void);
void groups_remove(void);
void groups_join(struct life *life);

/* Kill all that is in them, and wait. */
void groups_kill(void);

/* A process of a life, at random; 0: none. */
pid_t groups_any(struct life *life);

/* All CPUs online, all groups thawed and without limits. */
void storms_calm(void);

/* Load what there is of plugins, but for those that tests need. */
void plugins_load(void);

/* ---- account.c ------------------------------------------------------------------------------- */

/*
 * Note what every thread of the machine is; then complain unless each that is still there is it
 * again.
 */
void threads_note(void);
void threads_check(void);

/* Likewise for the sentinels, and what they were given. */
void sentinels_check(void);

/* Nobody is registered, domains can be deleted: end the round. */
void tasks_check(void);

/* No plugin was thrown out in any round. */
void ejections_check(void);

/* The modules go. */
void modules_check(void);

/* The kernel's memory after a round, without the modules; whether it has grown since the first. */
void memory_note(void);
void memory_check(void);

/* How many complaints there were. */
extern unsigned int complaints;

/* Affinities that were not what they were, and were excused. */
extern unsigned int affinities_lost;

void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* _TORTURE_H */
