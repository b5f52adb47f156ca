/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h - the wanted state in files, the present one, and the steps from one to the other
 *
 * Everything that a file can say is an *item* of a section, with texts as values: the words that
 * --json prints, in one form only ("1000us" is "1ms"), so that to compare is to compare texts. The
 * present state is items, too. The plan is the steps between them; each says what was before and
 * what is to be after, so that a step backwards is a step with these two exchanged. The journal has
 * the steps that were taken, each written before it is.
 */
#ifndef _RESCHCTL_STATE_H
#define _RESCHCTL_STATE_H

#include <stdarg.h>

#include "common/levels.h"
#include "reschctl.h"
#include "shield/shield.h"

/** enum section - of a file; in the order in which things are made */
enum section {
	SECTION_PLUGINS,
	SECTION_DOMAINS,
	SECTION_SERVERS,
	SECTION_SHIELDS,
	SECTION_LEVELS,
	NR_FILE_SECTIONS,
	SECTION_THREADS = NR_FILE_SECTIONS, /* what levels are for; in no file */
	NR_SECTIONS,
};

enum key {
	KEY_NAME,
	KEY_CPUS,
	KEY_CPU,
	KEY_PLUGIN,
	KEY_OPTIONS,
	KEY_CAPACITY,
	KEY_OVERHEAD,
	KEY_GUARD, /* off, on, all */
	KEY_MANUAL,
	KEY_EXEMPT,
	KEY_BALANCE,
	KEY_KIND,
	KEY_POLICY,
	KEY_BUDGET,
	KEY_PERIOD,
	KEY_QUANTUM,
	KEY_RECLAIM,
	KEY_HOLDER,
	KEY_TASKS,
	KEY_TOP_PRIORITY,
	KEY_RATE,
	KEY_KEEP_IRQ,
	KEY_KEEP_TASK,
	KEY_LATENCY,
	KEY_IRQ,
	KEY_PROGRAM,
	KEY_LEVEL,
	KEY_PRIORITY,
	KEY_THREADS,
	KEY_UNGUARDED,
	KEY_ID, /* of a thread */
	KEY_START, /* when it was started, see resch_start_time() */
	NR_KEYS,
};

#define KEY_BIT(key) (1ULL << (key)) /* in a set of keys */

#define VALUE_MAX 8192 /* bytes of a value: a list of 1024 CPUs, or of 512 system calls */

/**
 * struct item - one thing that is wanted, or that there is
 * @file, @line: where it is said; NULL: it is a present one
 * @lines:       of the values
 * @domain, @id: of a present one: its domain, its server (or band)
 * @tasks:       that a present one has
 * @taken:       a present one that a wanted one was found for
 */
struct item {
	enum section section;
	const char *file;
	unsigned int line, lines[NR_KEYS];
	char *values[NR_KEYS];
	uint32_t domain, id, tasks;
	bool taken;
};

struct items {
	struct item *list;
	size_t count;
};

/* ---- item.c: words and values --------------------------------------------------------------- */

/** section_word - "domains"; NULL: there are no more */
const char *section_word(enum section section);
/** section_key - what a word means in a section. Return: a key, or -1 */
int section_key(enum section section, const char *word);
/** section_has - may an item of the section have that key? */
bool section_has(enum section section, enum key key);
/** section_near - the key that may have been meant, or NULL */
const char *section_near(enum section section, const char *word);
/** key_word - "keep_irq" */
const char *key_word(enum key key);
/** key_is_list - is its value a list, which may be written as one? */
bool key_is_list(enum key key);

/**
 * item_take - give an item a value, in whatever form somebody writes it
 * @why: gets what values are like, where this is none; static
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int item_take(struct item *item, enum key key, const char *text, const char **why);
/** item_put - likewise, with a text in the one form, printed. Return: 0 or -ENOMEM */
int item_put(struct item *item, enum key key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/** item_text - the value, or "" */
const char *item_text(const struct item *item, enum key key);
/** item_level - enum level, or -EINVAL: it has none */
int item_level(const struct item *item);
/** item_class - SCHED_FIFO or its like, or -EINVAL */
int item_class(const struct item *item);
/** item_is - has it that value? */
bool item_is(const struct item *item, enum key key, const char *text);
/** item_cpus - those of KEY_CPUS or KEY_CPU */
void item_cpus(const struct item *item, struct resch_cpus *cpus);
/** item_time, item_share - 0: not given */
uint64_t item_time(const struct item *item, enum key key);
uint32_t item_share(const struct item *item, enum key key);
/** item_differs - does @have lack a value that @want has? */
bool item_differs(const struct item *want, const struct item *have, enum key key);
/** item_title - "domain 2-3", for people; static, for one call each of two */
const char *item_title(const struct item *item);
int item_copy(struct item *to, const struct item *from);
void item_free(struct item *item);
/** items_add - a new, empty one; NULL: no memory, after a message */
struct item *items_add(struct items *items, enum section section);
void items_free(struct items *items);

/* ---- file.c, check.c, write.c --------------------------------------------------------------- */

/** file_read - append the items of a file. Return: 0, or an exit status after a message */
int file_read(const char *path, struct items *items);
/** file_bad - say what is wrong in a line of a file. Return: EXIT_USAGE */
int file_bad(const char *path, size_t line, const char *format, va_list arguments)
	__attribute__((format(printf, 3, 0)));
/**
 * item_bad - say what is wrong with an item, or with a value of it (@key; -1: with all). Return:
 * EXIT_USAGE
 */
int item_bad(const struct item *item, int key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/**
 * items_check - do the items agree with themselves and each other? Fills in defaults. Return: as
 * file_read()
 */
int items_check(struct items *items);
/** items_write - as a file */
void items_write(const struct items *items, FILE *to);
struct json_object *item_json(const struct item *item);

/* ---- present.c ------------------------------------------------------------------------------ */

/** struct machine - the device, and where the shields' files are */
struct machine {
	const char *root;
	int fd; /* -1: there is no device, or it isn't needed */
};

/**
 * present_read - what there is, in all sections but levels. Return: 0, or an exit status after a
 * message
 */
int present_read(const struct machine *machine, struct items *items);
/** present_domain - the domain with exactly these CPUs. Return: its id, 0, or -errno */
int present_domain(int fd, const struct resch_cpus *cpus, struct resch_domain_stat *stat);
/** present_guard - fill in the guard and the balancing of a domain. Return: 0 or -errno */
int present_guard(int fd, struct item *domain);
/** present_levels - append the programs that are RT0 on guarded CPUs */
int present_levels(const struct items *present, struct items *items);

/* ---- thread.c ------------------------------------------------------------------------------- */

/**
 * thread_items - the threads that @level is for, as they are: before they become that
 * Return: how many, or -errno
 */
int thread_items(const struct item *level, struct items *threads);
/** thread_is_at - is the thread at that level already? */
bool thread_is_at(const struct item *thread, const struct item *level);
/** thread_now - read one anew. Return: 0; -ESRCH */
int thread_now(struct item *thread);
/** thread_make - make a thread what @item says. Return: 0 or -errno */
int thread_make(const struct item *item);

/* ---- plan.c, step.c, text.c ----------------------------------------------------------------- */

/** enum part - of the machine's state, in the order in which steps are taken */
enum part {
	PART_PLUGIN,
	PART_DOMAIN,
	PART_SERVER,
	PART_HOLDER,
	PART_SHIELD,
	PART_GUARD,
	PART_BALANCE,
	PART_THREAD,
	NR_PARTS,
};

enum deed { DEED_MAKE, DEED_CHANGE, DEED_REMOVE };

/**
 * struct step - one thing to do. @before: unless it makes; @after: unless it removes. @file: for
 * messages
 */
struct step {
	enum part part;
	enum deed deed;
	struct item before, after;
	const char *file;
	unsigned int line;
};

struct plan {
	struct step *list;
	size_t count;
};

/**
 * plan_make - the steps from @present to what is wanted of @file (NULL: of all files)
 * @present: is changed to what will be then. Return: 0, or an exit status after a message
 */
int plan_make(const struct items *wanted, const char *file, struct items *present,
	      struct plan *plan);
void plan_free(struct plan *plan);
/**
 * server_match - find the present server that is wanted, by its name or all of its values; NULL:
 * none
 */
struct item *server_match(const struct item *want, struct items *present);
/** of who would be rt0 where others are not kept off, and on which CPU */
#define LEVEL_UNGUARDED                                                                           \
	"%s: CPU %s is not guarded, rt0 would take it from all others: guard: on of its domain, " \
	"or unguarded: true if you mean it"
/** part_has - is a key a matter of that part? */
bool part_has(enum part part, enum key key);
const char *part_word(enum part part);

/** step_do - Return: 0, or an exit status after a message */
int step_do(const struct machine *machine, const struct step *step);
/**
 * step_undo - back, where the state is still what the step has made it
 * Return: 0, *@backwards is what was done; 1: nothing was to be done; 2: somebody else has
 * changed it, which stays, or there is nobody left to change; -1: it can't be done now, after a
 * message
 */
int step_undo(const struct machine *machine, const struct step *step, struct step *backwards);
void step_free(struct step *step);
/** step_print - one line for people */
void step_print(const struct step *step, FILE *to);
struct json_object *step_json(const struct step *step);
/** step_parse - the reverse of step_json(). Return: 0 or -EINVAL */
int step_parse(struct json_object *json, struct step *step);

/* ---- journal.c ------------------------------------------------------------------------------ */

/** struct journal - steps that stand, of this boot, while its lock is held */
struct journal {
	struct state folder; /* for its lock and its folder alone */
	int fd;
	struct step *steps; /* all that were ever written, */
	bool *undone; /* which of them don't stand any more, */
	size_t *runs; /* and which call of apply has taken each */
	size_t count, run;
	/* of the steps: those after them are of a file that somebody has begun, and not ended */
	size_t kept;
};

/**
 * journal_open - lock and read; to be closed
 * Return: 0, or an exit status after a message: then there is no journal
 */
int journal_open(struct journal **journal, const char *root);
/** journal_run - another call of apply begins. Return: 0 or -errno */
int journal_run(struct journal *journal);
/** journal_step - a step is about to be taken; before it is. Return: 0 or -errno */
int journal_step(struct journal *journal, const struct step *step);
/** journal_keep - all steps of a file are done. Return: 0 or -errno */
int journal_keep(struct journal *journal);
/** journal_undone - step @index does not stand any more. Return: 0 or -errno */
int journal_undone(struct journal *journal, size_t index);
/** journal_close - let the lock go; without a step that stands the journal goes, too */
void journal_close(struct journal *journal);

#endif /* _RESCHCTL_STATE_H */
