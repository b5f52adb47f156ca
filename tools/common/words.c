// SPDX-License-Identifier: GPL-2.0-or-later
/* words.c - help texts and refusals that name the words of a list */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <resch.h>

#include "words.h"

/* A line for each word of the list, @column characters from the left, where the first begins. */
static void print_abouts(const char *what, int column, FILE *to)
{
	char words[WORDS_TEXT], *rest = words, *word;
	bool first = true;

	resch_names(what, words, sizeof(words));
	while ((word = strsep(&rest, ","))) {
		word += *word == ' ';
		fprintf(to, "%s%*s%s: %s", first ? "" : "\n", first ? 0 : column, "", word,
			resch_name_about(what, word));
		first = false;
	}
}

void words_print(const char *text, FILE *to)
{
	char what[32], words[WORDS_TEXT];
	const char *line = text;

	while (*text) {
		const char *end = *text == '@' ? strchr(text + 1, '@') : NULL;
		size_t length = end ? (size_t)(end - text - 1) : 0;
		bool abouts = end && text[length] == '?';

		if (*text == '\n')
			line = text + 1;
		if (!end || length >= sizeof(what)) {
			fputc(*text++, to);
			continue;
		}
		snprintf(what, sizeof(what), "%.*s", (int)(length - abouts), text + 1);
		if (abouts) {
			print_abouts(what, (int)(text - line), to);
		} else {
			resch_names(what, words, sizeof(words));
			fputs(words, to);
		}
		text = end + 1;
	}
}

void words_refusal(const char *what, char *text, size_t size)
{
	const char *dash = strrchr(what, '-');
	char words[WORDS_TEXT];

	resch_names(what, words, sizeof(words));
	snprintf(text, size, "%s are %s", dash ? dash + 1 : what, words);
}

void words_unit(const char *options, char *text, size_t size)
{
	const char *value;

	*text = '\0';
	while ((value = strchr(options, '='))) {
		size_t digits = strspn(++value, "0123456789");

		options = value + digits;
		/* 0 and 1 are no and yes. */
		if (digits && (!*options || *options == ',') && strtoul(value, NULL, 10) > 1) {
			snprintf(text, size,
				 "; if %.*s is a time, it needs a unit: ns, us, ms or s",
				 (int)digits, value);
			return;
		}
	}
}
