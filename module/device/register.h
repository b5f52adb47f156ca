/* SPDX-License-Identifier: GPL-2.0 */
/* register.h - registrations: asked for, ended, given up with their descriptor */
#ifndef _RESCH_REGISTER_H
#define _RESCH_REGISTER_H

#include "core/event.h"

/*
 * RESCH_IOC_RELEASE, RESCH_IOC_PACE: of task @id, or of the calling thread. @holder: by who may do
 * no more than the holder of a delegated server. Process context, no locks.
 */
int resch_register_release(const struct resch_file *file, u32 id, bool holder);
int resch_register_pace(const struct resch_file *file, const struct resch_pace *pace, bool holder);

/*
 * The ioctls; errors as in the uapi. @holder: the caller has no CAP_SYS_NICE, and may do what a
 * delegated server is for (server/grant.h). Process context, no locks.
 */
int resch_register(struct resch_file *file, struct resch_register *reg, bool holder);
int resch_unregister(struct resch_file *file, u32 id, bool holder);

/* May the caller end the thread's registration, and release its jobs? Process context. */
bool resch_register_may(const struct resch_file *file, const struct resch_thread *thread,
			bool holder);

/* All that @file owns. Process context, no locks. */
void resch_register_close(struct resch_file *file);

#endif /* _RESCH_REGISTER_H */
