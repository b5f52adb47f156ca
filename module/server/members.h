/* SPDX-License-Identifier: GPL-2.0 */
/* members.h - whom a server takes, and who waits for room */
#ifndef _RESCH_SERVER_MEMBERS_H
#define _RESCH_SERVER_MEMBERS_H

struct resch_domain;
struct resch_task;
struct resch_task_params;
struct resch_thread;
struct resch_entry;

/*
 * The CPU that a task with these parameters lives on. -EINVAL: there is no such server. resch_lock.
 */
int resch_server_home(struct resch_domain *domain, const struct resch_task_params *params);

/*
 * A thread that is registered by hand is to be a member of the server that @params name: what it
 * does not say itself is filled in. -EINVAL: there is none with that id. -ENOSPC: there is no room
 * in it. resch_lock.
 */
int resch_server_take(struct resch_domain *domain, struct resch_task_params *params);

/*
 * A child of a member is to join. 0, or -EAGAIN: there is no room, it waits, and
 * resch_family_call() is called for it when there is; other errors: there is nothing to join any
 * more. resch_lock.
 */
int resch_server_queue(struct resch_domain *domain, struct resch_thread *thread);

/* One that was let in did not come: there is room for the next. resch_lock. */
void resch_server_pass(struct resch_domain *domain, const struct resch_task_params *params);

/* Sets task->server. resch_lock. */
void resch_server_bind(struct resch_domain *domain, struct resch_task *task);

/* The thread counts among the tasks of task->server, and no longer does. resch_lock. */
void resch_server_join(struct resch_thread *thread);
void resch_server_quit(struct resch_thread *thread);

/* Is there room for one more in the server, or another one of its band? */
bool resch_band_has_room(struct resch_entry *entry);

/* Is there room for one more in it? */
bool resch_server_room_in(const struct resch_entry *entry);

#endif /* _RESCH_SERVER_MEMBERS_H */
