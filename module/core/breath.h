/* SPDX-License-Identifier: GPL-2.0 */
/* breath.h - what takes long lets others have the CPU */
#ifndef _RESCH_CORE_BREATH_H
#define _RESCH_CORE_BREATH_H

#include "thread.h"

/*
 * In a loop over threads, of which there may be any number: a breath (resch_breathe()) after each
 * portion of them. The caller's @count begins with 0. Process context; sleeps, with resch_lock in
 * hand or without.
 */
void resch_breathe_each(u32 *count);

#endif /* _RESCH_CORE_BREATH_H */
