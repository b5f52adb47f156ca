/* SPDX-License-Identifier: GPL-2.0-or-later */
/* help.h - help texts, on terminals narrower than they are */
#ifndef _RESCHCTL_HELP_H
#define _RESCHCTL_HELP_H

#include <stddef.h>

/** terminal_width - columns of the terminal that standard output is, 60 at least; 0: it is none */
size_t terminal_width(void);

/**
 * help_print - words_print() to standard output; on a terminal, lines that it has no room for are
 * broken between words, under what they go on with
 */
void help_print(const char *help);

#endif /* _RESCHCTL_HELP_H */
