/* SPDX-License-Identifier: GPL-2.0-or-later */
/* near.h - what was meant by a word that there is not */
#ifndef _RESCH_NEAR_H
#define _RESCH_NEAR_H

#include <getopt.h>
#include <stdbool.h>

/** word_near - is @other what somebody may have meant who typed @word? */
bool word_near(const char *word, const char *other);
/** words_option - after getopt_long() has refused @typed: the option that may have been meant */
void words_option(const char *program, const char *typed, const struct option *options);

#endif /* _RESCH_NEAR_H */
