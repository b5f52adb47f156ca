// SPDX-License-Identifier: GPL-2.0-or-later
/* options.c - the options of a command: read, refused, explained, listed */
#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "common/help.h"
#include "common/options.h"
#include "near.h"
#include "reschctl.h"
#include "words.h"

#define OPTIONS_MAX 40

bool options_listing;

/*
 * ---- what is wrong with one --------------------------------------------------------------------
 */

/* What a message about a command begins with; "": the program is the command. */
static const char *label(const char *command)
{
	static char text[64];

	snprintf(text, sizeof(text), "%s%s", command, *command ? ": " : "");
	return text;
}

/*
 * A long option as it was typed, "--NAME" or "--NAME=VALUE": which of the three is wrong with it.
 */
static int long_option_bad(const char *command, const char *typed, const struct option *options)
{
	size_t length = strcspn(typed + 2, "=");
	bool valued = typed[2 + length] == '=';
	const struct option *each, *meant = NULL;
	char name[32];

	snprintf(name, sizeof(name), "%.*s", (int)length, typed + 2);
	for (each = options; each->name; each++) {
		if (strncmp(each->name, name, length))
			continue;
		if (each->name[length] && meant)
			return usage(command, "%s--%s can be --%s or --%s", label(command), name,
				     meant->name, each->name);
		meant = each;
		if (!each->name[length])
			break;
	}
	if (meant && meant->has_arg == no_argument && valued)
		return usage(command, "%s--%s takes no value", label(command), meant->name);
	if (meant)
		return usage(command, "%s--%s needs a value: --%s=...", label(command), meant->name,
			     meant->name);
	for (each = options; each->name; each++) {
		if (word_near(name, each->name))
			return usage(command, "%sunknown option --%s: --%s?", label(command), name,
				     each->name);
	}
	return usage(command, "%sunknown option --%s", label(command), name);
}

/* For '?' from getopt_long() with opterr 0. Return: EXIT_USAGE after a message */
static int option_bad(const char *command, char **argv, const struct option *options,
		      const struct option_row *rows)
{
	const char *typed = argv[optind - 1];

	if (!strncmp(typed, "--", 2) && typed[2])
		return long_option_bad(command, typed, options);
	for (; rows->name && optopt; rows++) {
		if (rows->letter == optopt)
			return usage(command, "%s-%c needs a value", label(command), optopt);
	}
	return usage(command, "%sunknown option -%c", label(command), optopt ? optopt : '-');
}

/*
 * ---- the table listed --------------------------------------------------------------------------
 */

/* What the help says of an option, in its first line; "" of one that is another one's alias. */
static const char *option_about(const char *help, const char *name)
{
	size_t length = strlen(name);
	const char *at = help, *line;

	while ((at = strstr(at, "--")) != NULL) {
		at += 2;
		if (strncmp(at, name, length) || !strchr("=[, ", at[length]))
			continue;
		for (line = at; line > help && line[-1] != '\n'; line--)
			;
		if (strncmp(line, "  ", 2) || line[strspn(line, " ")] != '-')
			continue;
		at = strstr(at, "  ");
		return at ? at + strspn(at, " ") : "";
	}
	return "";
}

static int options_list(const struct option_table *table)
{
	const struct option_row *row;
	char *all = NULL;
	size_t size;
	FILE *to = open_memstream(&all, &size);

	if (!to)
		return fail("out of memory");
	words_print(table->help, to);
	fclose(to);
	for (row = table->rows; row->name; row++) {
		const char *about = option_about(all, row->name);

		if (!*about)
			continue;
		printf("--%s%s%s\t%.*s\n", row->name, row->value ? "=" : "",
		       row->value ? row->value + (*row->value == '?') : "",
		       (int)strcspn(about, "\n"), about);
		/* Who has typed the short one looks for its value. */
		if (row->letter && row->value && *row->value != '?')
			printf("-%c=%s\t%.*s\n", row->letter, row->value, (int)strcspn(about, "\n"),
			       about);
	}
	puts("--help\tthis text");
	if (table->arguments)
		printf(":%s\n", table->arguments);
	free(all);
	return EXIT_DONE;
}

/*
 * ---- the table read by --------------------------------------------------------------------------
 */

/* The table as getopt_long() wants it. @letters: of room for three a row, and four. */
static void options_translate(const struct option_table *table, struct option *list, char *letters)
{
	const struct option_row *row;
	int i = 0;

	if (table->program)
		*letters++ = '+';
	for (row = table->rows; row->name && i < OPTIONS_MAX; row++, i++) {
		bool optional = row->value && *row->value == '?';

		list[i] = (struct option){ .name = row->name,
					   .has_arg = optional	 ? optional_argument :
						      row->value ? required_argument :
								   no_argument,
					   .val = 256 + i };
		if (!row->letter)
			continue;
		*letters++ = (char)row->letter;
		if (row->value)
			*letters++ = ':';
		if (optional)
			*letters++ = ':';
	}
	list[i] = (struct option){ .name = "help", .val = 'h' };
	list[i + 1] = (struct option){};
	*letters++ = 'h';
	*letters = 0;
}

static const struct option_row *option_find(const struct option_table *table, int option)
{
	const struct option_row *row = table->rows;

	if (option >= 256)
		return &row[option - 256];
	while (row->letter != option)
		row++;
	return row;
}

int options_run(int argc, char **argv, const struct option_table *table)
{
	struct option list[OPTIONS_MAX + 2];
	char letters[3 * OPTIONS_MAX + 4];
	const struct option_row *row;
	int option, result = -1;

	if (options_listing)
		return options_list(table);
	options_translate(table, list, letters);
	opterr = 0;
	while (result < 0 && (option = getopt_long(argc, argv, letters, list, NULL)) != -1) {
		if (option == '?')
			return option_bad(table->command, argv, list, table->rows);
		if (option == 'h') {
			help_print(table->help);
			return EXIT_DONE;
		}
		row = option_find(table, option);
		if (row->given)
			*row->given = true;
		result = row->take(table, row, optarg);
	}
	return result;
}

int options_plain(int argc, char **argv, const char *command, const char *help,
		  const char *arguments, bool *json)
{
	const struct option_row rows[] = { OPTION_JSON(json), {} };
	const struct option_table table = {
		.command = command, .help = help, .arguments = arguments, .rows = rows
	};

	*json = false;
	return options_run(argc, argv, &table);
}

bool options_help(const char *word, const char *help)
{
	if (strcmp(word, "--help") && strcmp(word, "-h"))
		return false;
	help_print(help);
	return true;
}

/*
 * ---- values -------------------------------------------------------------------------------------
 */

int option_flag(const struct option_table *table, const struct option_row *row, const char *value)
{
	(void)table;
	(void)value;
	*(bool *)row->to = true;
	return -1;
}

int option_text(const struct option_table *table, const struct option_row *row, const char *value)
{
	(void)table;
	*(const char **)row->to = value;
	return -1;
}

int option_number(const struct option_table *table, const struct option_row *row, const char *value)
{
	uint64_t number;

	if (number_parse(value, row->most, &number) || number < row->least)
		return usage(table->command, "--%s=%s: a number from %llu to %llu", row->name,
			     value, (unsigned long long)row->least, (unsigned long long)row->most);
	*(uint64_t *)row->to = number;
	return -1;
}

int option_time(const struct option_table *table, const struct option_row *row, const char *value)
{
	char range[64] = "";
	uint64_t ns;

	if (!resch_time_parse(value, &ns) && ns >= row->least && (!row->most || ns <= row->most)) {
		*(uint64_t *)row->to = ns;
		return -1;
	}
	if (row->most)
		snprintf(range, sizeof(range), ", from %s to %s",
			 row->least ? time_text(row->least) : "0", time_text(row->most));
	return usage(table->command,
		     "--%s=%s: a time is a number with its unit, such as 500us or 1.5s%s",
		     row->name, value, range);
}

int option_cpu(const struct option_table *table, const struct option_row *row, const char *value)
{
	uint64_t cpu;

	if (number_parse(value, RESCH_CPUS_MAX - 1, &cpu))
		return usage(table->command, "--%s=%s: it is the number of a CPU", row->name,
			     value);
	*(int32_t *)row->to = (int32_t)cpu;
	return -1;
}

int option_cpus(const struct option_table *table, const struct option_row *row, const char *value)
{
	if (resch_cpus_parse(value, row->to) > 0)
		return -1;
	return usage(table->command, "--%s=%s: a list of CPUs is like 1,3-5 or 0", row->name,
		     value);
}

int option_word(const struct option_table *table, const struct option_row *row, const char *value)
{
	int word = resch_name_parse(row->value, value);
	char words[WORDS_TEXT];

	if (word >= 0) {
		*(uint32_t *)row->to = (uint32_t)word;
		return -1;
	}
	words_refusal(row->value, words, sizeof(words));
	return usage(table->command, "--%s=%s: %s", row->name, value, words);
}
