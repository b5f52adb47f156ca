// SPDX-License-Identifier: GPL-2.0-or-later
/* words.c - help texts and refusals that name the words of a list */
#include <stdbool.h>
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

/* Letters to change, add, leave out or swap to make one word of the other: at most @most + 1. */
static int distance(const char *one, const char *other, int most)
{
	int least, n;

	while (*one && *one == *other) {
		one++;
		other++;
	}
	if (!*one && !*other)
		return 0;
	if (!most)
		return 1;
	most--;
	if (!*one)
		return 1 + distance(one, other + 1, most);
	if (!*other)
		return 1 + distance(one + 1, other, most);
	least = distance(one + 1, other + 1, most);
	n = distance(one + 1, other, most);
	least = n < least ? n : least;
	n = distance(one, other + 1, most);
	least = n < least ? n : least;
	if (one[1] && one[0] == other[1] && one[1] == other[0]) {
		n = distance(one + 2, other + 2, most);
		least = n < least ? n : least;
	}
	return 1 + least;
}

bool word_near(const char *word, const char *other)
{
	/* In a word of three letters two changes are another word. */
	int most = strlen(other) > 4 ? 2 : 1;

	return distance(word, other, most) <= most;
}

void words_option(const char *program, const char *typed, const struct option *options)
{
	char name[32];

	if (!typed || strncmp(typed, "--", 2))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(typed + 2, "="), typed + 2);
	for (; options->name; options++) {
		if (!word_near(name, options->name))
			continue;
		fprintf(stderr, "%s: --%s?\n", program, options->name);
		return;
	}
}
