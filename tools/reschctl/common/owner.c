// SPDX-License-Identifier: GPL-2.0-or-later
/* owner.c - tasks that this process has registered */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "owner.h"

struct owned *owner_find(struct owner *owner, pid_t tid, uint64_t start_time)
{
	size_t i;

	for (i = 0; i < owner->count; i++) {
		if (owner->tasks[i].tid == tid && owner->tasks[i].start_time == start_time)
			return &owner->tasks[i];
	}
	return NULL;
}

struct owned *owner_add(struct owner *owner, pid_t tid, uint64_t start_time)
{
	struct owned *owned;

	if (owner->count == owner->room) {
		owner->room = owner->room ? 2 * owner->room : 16;
		owner->tasks = reallocarray(owner->tasks, owner->room, sizeof(*owner->tasks));
		if (!owner->tasks) {
			fail("out of memory");
			exit(EXIT_RUN);
		}
	}
	owned = &owner->tasks[owner->count++];
	*owned = (struct owned){ .tid = tid, .start_time = start_time, .seen = resch_now() };
	return owned;
}

int owner_register(struct owner *owner, struct owned *owned, const struct spec *spec)
{
	struct resch_register reg = {
		.params = spec->params,
		.start_time = owned->start_time,
		.domain = owner->domain,
	};
	int result = resch_register_thread(owner->fd, owned->tid, &reg);

	owned->tried = true;
	if (!result) {
		owned->id = reg.id;
		owned->stat =
			(struct resch_task_stat){ .id = reg.id, .pid = owned->tid, .cpu = reg.cpu };
		owned->stat.params = reg.params;
		return 0;
	}
	snprintf(owned->refused, sizeof(owned->refused), "%s", refusal_text(result, &reg));
	/* A thread that has ended by now is no news. */
	if (result != -ESRCH)
		fail("thread %d (%s) runs without promises: %s", owned->tid, owned->name,
		     owned->refused);
	return result;
}

void owner_refresh(struct owner *owner)
{
	struct resch_task_stat stat;
	size_t i;

	for (i = 0; i < owner->count; i++) {
		struct owned *owned = &owner->tasks[i];

		if (!owned->id || owned->stat.state == RESCH_STATE_GONE)
			continue;
		if (resch_task_stat(owner->fd, owned->id, &stat)) {
			owned->stat.state = RESCH_STATE_GONE;
			continue;
		}
		/* A thread that has ended has no number any more. */
		if (!stat.pid)
			stat.pid = owned->tid;
		if (!stat.params.name[0])
			memcpy(stat.params.name, owned->name, sizeof(stat.params.name));
		owned->stat = stat;
	}
}

static const char *owned_name(const struct owner *owner, uint32_t id)
{
	size_t i;

	for (i = 0; i < owner->count; i++) {
		if (owner->tasks[i].id == id)
			return owner->tasks[i].name;
	}
	return "?";
}

static void show_event(const struct owner *owner, const struct resch_event *event)
{
	char detail[96] = "";

	if (event->type == RESCH_EVENT_OVERRUN)
		snprintf(detail, sizeof(detail), " after %s of execution",
			 time_short(event->value));
	else if (event->type == RESCH_EVENT_MISS)
		snprintf(detail, sizeof(detail), " of the deadline at %.6f",
			 (double)event->value / 1e9);
	else if (event->type == RESCH_EVENT_GONE)
		snprintf(detail, sizeof(detail), ": %s", resch_gone_name(event->value));
	note("%.6f task %u (%s), job %llu: %s%s", (double)event->time / 1e9, event->task,
	     owned_name(owner, event->task), (unsigned long long)event->job,
	     resch_event_name(event->type), detail);
}

static const char *gone_text(uint64_t gone)
{
	switch (gone) {
	case RESCH_GONE_EXEC:
		return "it called execve()";
	case RESCH_GONE_EJECT:
		return "the plugin was thrown out: see `reschctl domain list` and the kernel's log";
	case RESCH_GONE_OFFLINE:
		return "its CPU went offline";
	case RESCH_GONE_SYSRQ:
		return "SysRq was pressed";
	case RESCH_GONE_WITHDRAWN:
		return "its server is not delegated to us any more";
	default:
		return "for a reason unknown to reschctl";
	}
}

int owner_events(struct owner *owner)
{
	struct resch_event events[64];
	int i, n, gone = 0;

	while (resch_event_wait(owner->fd, 0) > 0) {
		n = resch_event_read(owner->fd, events, sizeof(events) / sizeof(events[0]));
		if (n <= 0)
			break;
		for (i = 0; i < n; i++) {
			if (owner->show_events)
				show_event(owner, &events[i]);
			if (events[i].type != RESCH_EVENT_GONE)
				continue;
			gone++;
			/* Promises that end while the thread goes on are told in any case. */
			if (events[i].value != RESCH_GONE_EXIT)
				note("task %u (%s) runs without promises from here on: %s",
				     events[i].task, owned_name(owner, events[i].task),
				     gone_text(events[i].value));
		}
	}
	return gone;
}

static void report_json(struct owner *owner, struct json_object *extra, FILE *to)
{
	struct json_object *list = json_object_new_array(), *refused = json_object_new_array();
	struct json_object *thread;
	size_t i;

	for (i = 0; i < owner->count; i++) {
		struct owned *owned = &owner->tasks[i];

		if (owned->id) {
			json_object_array_add(list, task_json(&owned->stat));
		} else if (owned->refused[0]) {
			thread = json_object_new_object();
			json_add(thread, "pid", json_object_new_int(owned->tid));
			json_add_text(thread, "name", owned->name);
			json_add_text(thread, "reason", owned->refused);
			json_object_array_add(refused, thread);
		}
	}
	json_add(extra, "domain", json_object_new_int64(owner->domain));
	json_add(extra, "tasks", list);
	json_add(extra, "refused", refused);
	json_show(extra, to);
}

void owner_report(struct owner *owner, struct json_object *extra)
{
	FILE *to = owner->json ? stdout : stderr;
	struct table table;
	size_t i;

	if (owner->output) {
		to = fopen(owner->output, "we");
		if (!to) {
			fail("%s: %s", owner->output, strerror(errno));
			json_object_put(extra);
			return;
		}
	}
	if (owner->json) {
		report_json(owner, extra, to);
	} else {
		task_table_begin(&table);
		for (i = 0; i < owner->count; i++) {
			if (owner->tasks[i].id)
				task_table_add(&table, &owner->tasks[i].stat);
		}
		table_print(&table, to);
		json_object_put(extra);
	}
	if (owner->output)
		fclose(to);
	else
		fflush(to);
}

void owner_end(struct owner *owner)
{
	size_t i;

	for (i = 0; i < owner->count; i++) {
		if (owner->tasks[i].id)
			resch_unregister(owner->fd, owner->tasks[i].id);
	}
	free(owner->tasks);
	owner->tasks = NULL;
	owner->count = 0;
	owner->room = 0;
}
