/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fifo.h - the algorithm that is always there: part of the core module, so it has no module of its
 * own.
 */
#ifndef _RESCH_FIFO_H
#define _RESCH_FIFO_H

#include <resch/plugin.h>

extern const struct resch_plugin resch_plugin_fallback;

#endif /* _RESCH_FIFO_H */
