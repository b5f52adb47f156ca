/* SPDX-License-Identifier: GPL-2.0 */
/* event.h - an open file: the registrations that it owns, and the events that read() returns */
#ifndef _RESCH_EVENT_H
#define _RESCH_EVENT_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/poll.h>

#include "thread.h"
#include "wake.h"

#define RESCH_EVENT_RING 256 /* a power of two */

struct resch_file {
	struct list_head threads; /* resch_lock */
	struct list_head servers; /* resch_lock */
	struct list_head chains; /* resch_lock */
	raw_spinlock_t events_lock;
	struct resch_event ring[RESCH_EVENT_RING]; /* events_lock */
	u32 head; /* events_lock: written so far */
	u32 tail; /* events_lock: read so far */
	struct resch_wake wake; /* who waits for events */
};

extern atomic64_t resch_events_lost;

void resch_event_init(struct resch_file *file);
void resch_event_exit(struct resch_file *file);

/* Any context, interrupts off. A full ring loses the new event and counts it. */
void resch_event_add(struct resch_file *file, const struct resch_event *event);

/* Likewise, of a thread. cpu->lock of @thread. */
void resch_event_put(struct resch_thread *thread, u32 type, u64 now, u64 value);

/* Process context. */
ssize_t resch_event_read(struct file *filp, char __user *buf, size_t len, loff_t *pos);
__poll_t resch_event_poll(struct file *filp, poll_table *table);

#endif /* _RESCH_EVENT_H */
