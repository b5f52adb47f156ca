/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.h - help texts and refusals that name the words of a list, for reschctl and resch-sim */
#ifndef _RESCH_WORDS_H
#define _RESCH_WORDS_H

#include <stdio.h>

/* Enough for all words of any list. */
#define WORDS_TEXT 256

/**
 * words_print - print @text, with lists of resch_names() for what stands between two @
 *
 * "@reactions@": its words, with commas. "@reactions?@", which ends a line: a line for each, with
 * what it means, all as far right as the first.
 */
void words_print(const char *text, FILE *to);
/**
 * words_refusal - "reactions are count, notify, ..." for the list @what, as a sentence for who gave
 * another word; of lists of one kind of thing, such as chain-methods, the kind is left out
 */
void words_refusal(const char *what, char *text, size_t size);
/**
 * words_unit - what may be wrong with a plugin's options, "key=value,...", that were refused: a
 * number alone, which no option takes for a time; to stand behind a sentence, "" if there is none
 */
void words_unit(const char *options, char *text, size_t size);

#endif /* _RESCH_WORDS_H */
