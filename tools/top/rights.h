/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rights.h - which right is missing */
#ifndef TOP_RIGHTS_H
#define TOP_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>

/** RIGHTS_TEXT - bytes for the names of all of them */
#define RIGHTS_TEXT 32

/**
 * capabilities_missing - of those that loading programs into the kernel takes
 * @root: before all paths, for tests; where that has no /proc nothing is missing
 * @text: of at least RIGHTS_TEXT bytes; gets the names of what is missing, as setpriv(1) has them
 */
bool capabilities_missing(const char *root, char *text, size_t size);
/**
 * perf_capability_missing - whether attaching to trace events takes sys_admin, which is not there
 *
 * Debian's kernels have a level 3 of kernel.perf_event_paranoid, which is their default: no
 * perf_event_open() without it, whatever for.
 */
bool perf_capability_missing(const char *root);

#endif
