// SPDX-License-Identifier: GPL-2.0
/* event.c - the events that read() returns */
#include <linux/uaccess.h>

#include "cpu.h"
#include "event.h"

atomic64_t resch_events_lost;

void resch_event_init(struct resch_file *file)
{
	raw_spin_lock_init(&file->events_lock);
	resch_wake_init(&file->wake);
}

void resch_event_exit(struct resch_file *file)
{
	resch_wake_end(&file->wake);
}

void resch_event_add(struct resch_file *file, const struct resch_event *event)
{
	raw_spin_lock(&file->events_lock);
	if (file->head - file->tail == RESCH_EVENT_RING)
		atomic64_inc(&resch_events_lost);
	else
		file->ring[file->head++ % RESCH_EVENT_RING] = *event;
	raw_spin_unlock(&file->events_lock);
	resch_wake_up(&file->wake);
}

void resch_event_put(struct resch_thread *thread, u32 type, u64 now, u64 value)
{
	const struct resch_event event = {
		.type = type,
		.task = thread->task.id,
		.time = now,
		.job = thread->task.job.index,
		.value = value,
	};

	resch_cpu_assert_locked(thread->rc);
	if (thread->file)
		resch_event_add(thread->file, &event);
}

static bool event_pending(const struct resch_file *file)
{
	return READ_ONCE(file->head) != READ_ONCE(file->tail);
}

static bool event_take(struct resch_file *file, struct resch_event *event)
{
	unsigned long flags;
	bool taken = false;

	raw_spin_lock_irqsave(&file->events_lock, flags);
	if (file->head != file->tail) {
		*event = file->ring[file->tail++ % RESCH_EVENT_RING];
		taken = true;
	}
	raw_spin_unlock_irqrestore(&file->events_lock, flags);
	return taken;
}

/* It could not be handed over: it is the first one again, if nothing has come in its place. */
static void event_put_back(struct resch_file *file, const struct resch_event *event)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&file->events_lock, flags);
	if (file->head - file->tail == RESCH_EVENT_RING)
		atomic64_inc(&resch_events_lost);
	else
		file->ring[--file->tail % RESCH_EVENT_RING] = *event;
	raw_spin_unlock_irqrestore(&file->events_lock, flags);
	/* Other readers have found nothing meanwhile. */
	resch_wake_up(&file->wake);
}

ssize_t resch_event_read(struct file *filp, char __user *buf, size_t len, loff_t *pos)
{
	struct resch_file *file = filp->private_data;
	struct resch_event event;
	size_t done = 0;
	int err;

	if (len < sizeof(event))
		return -EINVAL;
	while (!event_take(file, &event)) {
		if (filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		/* Another reader may be faster. */
		err = wait_event_interruptible(file->wake.queue, event_pending(file));
		if (err)
			return err;
	}
	do {
		if (copy_to_user(buf + done, &event, sizeof(event))) {
			event_put_back(file, &event);
			return done ? done : -EFAULT;
		}
		done += sizeof(event);
	} while (len - done >= sizeof(event) && event_take(file, &event));
	return done;
}

__poll_t resch_event_poll(struct file *filp, poll_table *table)
{
	struct resch_file *file = filp->private_data;

	poll_wait(filp, &file->wake.queue, table);
	return event_pending(file) ? EPOLLIN | EPOLLRDNORM : 0;
}
