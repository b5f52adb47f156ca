/* SPDX-License-Identifier: GPL-2.0-or-later */
/* chain.h - what the actions of reschctl chain share */
#ifndef _RESCHCTL_CHAIN_H
#define _RESCHCTL_CHAIN_H

#include <signal.h>

#include "chainset.h"
#include "reschctl.h"

/**
 * struct chain_question - a file, and what is asked about it
 * @method: enum resch_chain_method
 * @rule:   enum resch_chain_rule; -1: none was asked for
 * @made:   by which local deadlines and priorities were made; -1: they are the file's
 */
struct chain_question {
	struct chainset set;
	struct resch_chain_result result;
	const char *path;
	uint32_t method;
	int rule;
	int made;
	int protocol; /* for all chains; -1: the file's */
	bool json;
	/* of run */
	bool force; /* even if it is refused */
	bool skip_late; /* see RESCH_CHAIN_F_SKIP_LATE */
	uint64_t duration;
	uint64_t load; /* how much of each wcet is computed, percent */
	const char *output; /* where what each instance took is written, or NULL */
};

/** chain_ask - command line and file. Return: -1: go on, and chain_end(); else an exit status */
int chain_ask(int argc, char **argv, const char *action, struct chain_question *question);
void chain_end(struct chain_question *question);

/**
 * chain_make - local deadlines and priorities, where wanted. Return: -1, or an exit status after a
 * message
 */
int chain_make(struct chain_question *question, bool always);
/**
 * chain_judge - resch_chain_analyse(). Return: -1: its result is there; or an exit status after a
 * message
 */
int chain_judge(struct chain_question *question);
/**
 * chain_why - why chain @index does not pass, without a full stop
 *
 * Return: @text, of RESCH_CHAIN_TEXT bytes.
 */
const char *chain_why(const struct chain_question *question, uint32_t index, char *text);
/** chain_would - what would make it pass, as the rest of that sentence; "" if nothing was found */
void chain_would(const struct chain_question *question, uint32_t index,
		 const struct resch_chain_suggestion *suggestion, char *text, size_t size);

/**
 * chain_json - the chains as a file has them, with what is known of them where @bounds is not NULL
 */
struct json_object *chain_json(const struct chain_question *question,
			       const struct resch_chain_bound *bounds);

/** chain_time - a time exactly, or "-" for what is not bounded; lives as long as time_text()'s */
const char *chain_time(uint64_t ns);

/* 15 names and what is between them. */
#define CHAIN_FROM_TEXT (RESCH_CHAIN_STAGES_MAX * RESCH_CHAIN_NAME)

/**
 * chain_from_text - which stages release stage @index, as a file has it: "a+b", "a|b"; nothing
 * where that is the one before it. Return: @text
 */
const char *chain_from_text(const struct resch_chain_spec *chain, uint32_t index, char *text,
			    size_t size);

/** struct chain_seen - a chain of the module, with all that it says of it */
struct chain_seen {
	struct resch_chain_stat stat;
	struct resch_stage_stat stages[RESCH_CHAIN_STAGES_MAX];
	uint64_t histogram[RESCH_CHAIN_BUCKETS];
};

/** chain_see - what the module says of chain @id. Return: 0 or -errno */
int chain_see(int fd, uint32_t id, struct chain_seen *seen);
/** chain_name - that of a chain of the module, printable; @name, of RESCH_NAME_LEN bytes */
const char *chain_name(const struct resch_chain_stat *stat, char *name);
struct json_object *chain_stat_json(const struct chain_seen *seen);
/** chain_stat_table - the columns of chains; then a row a chain */
void chain_stat_table(struct table *table);
void chain_stat_add(struct table *table, const struct resch_chain_stat *stat);
/** chain_seen_show - all of one */
void chain_seen_show(const struct chain_seen *seen);

/** struct chain_record - what each instance took, in a file, as it is known
 * @chains, @ids, @count: of the file, and the module's
 */
struct chain_record {
	FILE *file;
	const struct resch_chain_spec *chains;
	const uint32_t *ids;
	uint32_t count;
};

/** record_open - if @path is not NULL. Return: -1, or an exit status after a message */
int record_open(struct chain_record *record, const char *path);
/** record_until - until then, or one of these signals: events of @fd */
void record_until(struct chain_record *record, int fd, const sigset_t *mask, uint64_t end);
int record_close(struct chain_record *record, const char *path);

extern const char chain_help[];

int chain_list(int argc, char **argv);
int chain_show(int argc, char **argv);
int chain_top(int argc, char **argv);
int chain_del(int argc, char **argv);
int chain_run(int argc, char **argv);
int chain_check(int argc, char **argv);
int chain_assign(int argc, char **argv);
int chain_size(int argc, char **argv);

#endif /* _RESCHCTL_CHAIN_H */
