/* SPDX-License-Identifier: GPL-2.0-or-later */
/* who.h - somebody who has a CPU, in words */
#ifndef _TOP_WHO_H
#define _TOP_WHO_H

#include <stdio.h>

#include "shared.h"

/** who_name - of a thread, a device's interrupt, a softirq, an interrupt of the CPU's own */
const char *who_name(const struct top_who *who);

/** who_print - what it is, its number where it has one, and its name */
void who_print(const struct top_who *who, FILE *to);

#endif /* _TOP_WHO_H */
