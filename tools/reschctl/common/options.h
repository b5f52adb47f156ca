/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - the options of a command in a table: read, refused, explained, and told to
 * completions
 *
 * Each command has one table and one call of options_run(). What else it would have to say of its
 * options, to the shells above all, is taken from there: `reschctl --options COMMAND [ACTION]` goes
 * the way of the command, and options_run() prints the table in the place of reading by it.
 */
#ifndef _RESCHCTL_OPTIONS_H
#define _RESCHCTL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct option_table;

/**
 * struct option_row - an option
 * @name:   the long one
 * @letter: the short one; 0: it has none
 * @value:  what its value is: a list of resch_names(), ",on,off" for words of its own, or one of
 *          the words that tools/completion knows more of (file, directory, plugins, domains,
 *          servers, chains, tasks, threads, signals, calls, users, groups), or another word for
 *          people. Begins with '?' where it may be left out; NULL: there is none
 * @take:   what becomes of it. Return: -1: go on; else an exit status after a message
 * @to:     where it goes, as @take has it
 * @least, @most: for option_time(), in ns, and option_number(); no @most: any
 * @given:  becomes true, or NULL
 */
struct option_row {
	const char *name;
	int letter;
	const char *value;
	int (*take)(const struct option_table *table, const struct option_row *row,
		    const char *value);
	void *to;
	uint64_t least, most;
	bool *given;
};

/**
 * struct option_table - all that a command takes, beside --help
 * @command:   for messages
 * @help:      for --help; with words_print()
 * @arguments: what stands behind the options, as option_row.value; NULL: nothing that a shell would
 *   know
 * @program:   they end at the first word that is none: the rest is a program's
 * @rows:      one of no name is the last
 */
struct option_table {
	const char *command;
	const char *help;
	const char *arguments;
	bool program;
	const struct option_row *rows;
};

/* Options are listed, and nothing is done. Set by main.c alone. */
extern bool options_listing;

/** options_run - Return: -1: go on at optind; else an exit status */
int options_run(int argc, char **argv, const struct option_table *table);

/* What becomes of an option: @to is what stands before the name. */

/* bool: true */
int option_flag(const struct option_table *table, const struct option_row *row, const char *value);
/* const char *: as it is */
int option_text(const struct option_table *table, const struct option_row *row, const char *value);
/* uint64_t: @least to @most */
int option_number(const struct option_table *table, const struct option_row *row,
		  const char *value);
/* uint64_t: ns, @least to @most */
int option_time(const struct option_table *table, const struct option_row *row, const char *value);
/* int32_t: the number of a CPU */
int option_cpu(const struct option_table *table, const struct option_row *row, const char *value);
/* struct resch_cpus: at least one */
int option_cpus(const struct option_table *table, const struct option_row *row, const char *value);
/* uint32_t: the number of a word of the list @value */
int option_word(const struct option_table *table, const struct option_row *row, const char *value);

#define OPTION_JSON(to_bool)                            \
	{                                               \
		"json", 'j', NULL, option_flag, to_bool \
	}

/**
 * options_plain - for commands that take no options but --json and --help
 * @arguments: as in struct option_table
 *
 * Return: as options_run().
 */
int options_plain(int argc, char **argv, const char *command, const char *help,
		  const char *arguments, bool *json);
/**
 * options_help - is @word a request for help? Then that is printed. For commands whose first word
 * is no option
 */
bool options_help(const char *word, const char *help);

#endif /* _RESCHCTL_OPTIONS_H */
