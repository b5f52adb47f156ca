/* SPDX-License-Identifier: GPL-2.0 */
/* register.h - registrations: asked for, ended, given up with their descriptor */
#ifndef _RESCH_REGISTER_H
#define _RESCH_REGISTER_H

#include "core/event.h"

/* The ioctls; errors as in the uapi. Process context, no locks. */
int resch_register(struct resch_file *file, struct resch_register *reg);
int resch_unregister(struct resch_file *file, u32 id);

/* All that @file owns. Process context, no locks. */
void resch_register_close(struct resch_file *file);

#endif /* _RESCH_REGISTER_H */
