// SPDX-License-Identifier: GPL-2.0-or-later
/* near.c - what was meant by a word that there is not; on the C library alone */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "near.h"

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
