// SPDX-License-Identifier: GPL-2.0-or-later
/* hall.c - a server, or a band of them, and the processes that are to be in it, see hall.h */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hall.h"

int hall_open(struct hall *hall, uint32_t domain, uint32_t id)
{
	/* Where there is none, registering will say so. */
	if (resch_server_stat(hall->fd, domain, id, &hall->stat))
		hall->stat = (struct resch_server_stat){ .domain = domain, .id = id };
	hall->stats = server_band_stats(hall->fd, &hall->stat, &hall->count);
	return hall->stats ? 0 : fail("out of memory");
}

bool server_place(struct server_given *given)
{
	const struct resch_server_params *params = &given->params;

	if (!given->in) {
		/* For processes that know nothing of each other. */
		if (!given->policy && !*given->plugin) {
			given->params.policy = RESCH_SERVER_RR;
			given->policy = true;
		}
		return !server_complete(given);
	}
	if (params->budget || params->period || params->quantum || given->kind || given->policy ||
	    params->flags || *given->plugin || given->cpu || given->band || given->domain ||
	    given->name) {
		usage("server", "%s is a server that there is: it has its size and place",
		      given->in);
		return false;
	}
	return true;
}

/* The first server of that name, of those that stay. Return: 1, 0: there is none, or -errno */
static int find_name(int fd, const char *name, struct resch_server_stat *found)
{
	struct resch_domain_stat domain = {};
	int result;

	while ((result = resch_domain_next(fd, &domain)) > 0) {
		struct resch_server_stat stat = { .domain = domain.domain };

		while ((result = resch_server_next(fd, &stat)) > 0) {
			if (!(stat.params.flags & RESCH_SERVER_F_PERSIST) ||
			    strcmp(stat.params.name, name))
				continue;
			*found = stat;
			return 1;
		}
		if (result < 0 && result != -ENODEV)
			break;
	}
	return result;
}

/* In a server that there is, whose others are no business of ours. */
static int hall_in(struct hall *hall, const char *in)
{
	struct resch_server_stat stat;
	uint32_t domain, id;

	hall->guest = true;
	if (!server_parse_id(in, &domain, &id))
		return resch_server_stat(hall->fd, domain, id, &stat) ?
			       server_explain(-ENOENT, domain, id, NULL) :
			       hall_open(hall, domain, id);
	if (find_name(hall->fd, in, &stat) <= 0)
		return fail("there is no server %s: see `reschctl server list`", in);
	return hall_open(hall, stat.domain, stat.id);
}

int hall_make(struct hall *hall, const struct server_given *given)
{
	struct resch_servers_set several;
	struct resch_server_set one;
	int result;

	if (given->in)
		return hall_in(hall, given->in);
	if (given->band) {
		result = server_band_make(hall->fd, given, 0, &several);
		return result ? result : hall_open(hall, several.domain, several.id);
	}
	result = server_make(hall->fd, given, 0, &one);
	return result ? result : hall_open(hall, one.domain, one.id);
}

struct resch_register hall_member(const struct hall *hall)
{
	struct resch_register reg = {
		.domain = hall->stat.domain,
		.params = { .kind = RESCH_WAKEUP,
			    .cpu = -1,
			    .flags = RESCH_F_FAMILY,
			    .group = hall->stat.id },
	};

	return reg;
}

bool hall_look(struct hall *hall)
{
	struct resch_server_stat stat;
	struct resch_event events[64];
	bool some = false;
	size_t i;

	/* Nobody waits for them, but they would be counted as lost. */
	while (resch_event_wait(hall->fd, 0) > 0 && resch_event_read(hall->fd, events, 64) > 0)
		;
	for (i = 0; i < hall->count; i++) {
		if (resch_server_stat(hall->fd, hall->stat.domain, hall->stats[i].id, &stat))
			continue;
		hall->stats[i] = stat;
		some = some || stat.tasks || stat.waiting;
	}
	return some;
}

const char *hall_explain(int error, const struct resch_register *reg)
{
	switch (-error) {
	case EBUSY:
		return "the server has tasks with promises; whole processes need one for themselves";
	case EINVAL:
		return "there is no such server, or the thread is under SCHED_DEADLINE, or the module is older "
		       "than reschctl";
	case ENOSPC:
		return "the server has as many tasks as the module's parameter `members` allows, or whoever has "
		       "delegated it";
	case EOPNOTSUPP:
		return "this kernel does not export task_work_add, which whole processes need";
	default:
		return refusal_text(error, reg);
	}
}

/*
 * One walk over the threads of a process. Return: how many have become members; -1 after a message.
 */
static int walk(struct hall *hall, pid_t pid)
{
	struct resch_register reg;
	uint64_t start_time;
	int result, count = 0;
	DIR *dir = threads_open(pid);
	pid_t tid;

	if (!dir)
		return 0;
	while (count >= 0 && (tid = threads_next(dir))) {
		if (resch_start_time(tid, &start_time))
			continue;
		reg = hall_member(hall);
		reg.start_time = start_time;
		result = resch_register_thread(hall->fd, tid, &reg);
		if (!result) {
			count++;
		} else if (result != -ESRCH && result != -EEXIST) {
			fail("thread %d: %s", tid, hall_explain(result, &reg));
			count = -1;
		}
	}
	closedir(dir);
	return count;
}

/* A thread that is not registered yet can make others, which are not either; one that is can't. */
int hall_attach(struct hall *hall, pid_t pid)
{
	int count = 0, more;

	do {
		more = walk(hall, pid);
		count += more;
	} while (more > 0);
	return more < 0 ? -1 : count;
}
