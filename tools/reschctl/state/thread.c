// SPDX-License-Identifier: GPL-2.0-or-later
/* thread.c - levels of programs: those of the threads that they have now */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state.h"

static int get_cpus(pid_t tid, struct resch_cpus *cpus)
{
	/* The kernel's sets have the same bits. */
	*cpus = (struct resch_cpus){};
	return sched_getaffinity(tid, sizeof(*cpus), (cpu_set_t *)(void *)cpus->bits) ? -errno : 0;
}

static pid_t tid_of(const struct item *item)
{
	return (pid_t)strtol(item_text(item, KEY_ID), NULL, 10);
}

/* Is it the thread that it was? */
static bool same_thread(const struct item *item)
{
	uint64_t start;

	return !resch_start_time(tid_of(item), &start) &&
	       start == strtoull(item_text(item, KEY_START), NULL, 10);
}

int thread_now(struct item *thread)
{
	pid_t tid = tid_of(thread);
	struct sched_param param;
	struct resch_cpus cpus;
	char text[VALUE_MAX];
	int policy;

	if (!same_thread(thread))
		return -ESRCH;
	policy = sched_getscheduler(tid) & ~SCHED_RESET_ON_FORK;
	if (policy < 0 || sched_getparam(tid, &param) || get_cpus(tid, &cpus))
		return -ESRCH;
	resch_cpus_format(&cpus, text, sizeof(text));
	if (!class_word(policy))
		return -EBUSY;
	return item_put(thread, KEY_POLICY, "%s", class_word(policy)) ||
			       item_put(thread, KEY_PRIORITY, "%d", param.sched_priority) ||
			       item_put(thread, KEY_CPUS, "%s", text) ?
		       -ENOMEM :
		       0;
}

bool thread_is_at(const struct item *thread, const struct item *level)
{
	if (item_level(level) == LEVEL_RT0)
		return item_class(thread) == SCHED_FIFO && item_is(thread, KEY_PRIORITY, "99") &&
		       item_is(thread, KEY_CPUS, item_text(level, KEY_CPU));
	if (item_level(level) == LEVEL_RT1)
		return item_is(thread, KEY_POLICY, item_text(level, KEY_POLICY)) &&
		       item_is(thread, KEY_PRIORITY, item_text(level, KEY_PRIORITY));
	return item_class(thread) != SCHED_FIFO && item_class(thread) != SCHED_RR;
}

static int give_cpus(pid_t tid, const char *text)
{
	struct resch_cpus cpus, now;

	if (resch_cpus_parse(text, &cpus) <= 0)
		return -EINVAL;
	if (!get_cpus(tid, &now) && cpus_equal(&cpus, &now))
		return 0;
	return sched_setaffinity(tid, sizeof(cpus), (cpu_set_t *)(void *)cpus.bits) ? -errno : 0;
}

static int give_back(const struct item *item)
{
	struct sched_param param = { .sched_priority = atoi(item_text(item, KEY_PRIORITY)) };
	pid_t tid = tid_of(item);

	if (item_class(item) < 0)
		return -EINVAL;
	if (sched_setscheduler(tid, item_class(item), &param))
		return -errno;
	return give_cpus(tid, item_text(item, KEY_CPUS));
}

int thread_make(const struct item *item)
{
	pid_t tid = tid_of(item);

	if (!same_thread(item))
		return -ESRCH;
	switch (item_level(item)) {
	case LEVEL_RT0:
		return resch_enter_rt0(tid, (uint32_t)atoi(item_text(item, KEY_CPU)));
	case LEVEL_RT1:
		return resch_enter_rt1plus(tid, item_class(item),
					   atoi(item_text(item, KEY_PRIORITY)));
	case LEVEL_LINUX:
		return resch_leave_rt1plus(tid);
	default:
		return give_back(item);
	}
}

/* ---- which threads -------------------------------------------------------------------------- */

static int read_name(pid_t pid, pid_t tid, char *name, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	return read_text(path, name, size);
}

/*
 * By the path of what it executes, where that is asked for, or else by its name. The kernel's own
 * have no path.
 */
static bool is_program(pid_t pid, const char *program)
{
	char path[64], name[PATH_MAX];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	length = readlink(path, name, sizeof(name) - 1);
	if (length <= 0 || pid == 1 || pid == getpid())
		return false;
	name[length] = 0;
	if (strchr(program, '/'))
		return !strcmp(name, program);
	return read_name(pid, pid, name, sizeof(name)) > 0 && !strcmp(name, program);
}

static int add_thread(struct items *threads, pid_t pid, pid_t tid)
{
	struct item *item = items_add(threads, SECTION_THREADS);
	char name[64];
	uint64_t start;
	int result;

	if (!item)
		return -ENOMEM;
	result = resch_start_time(tid, &start);
	if (!result && read_name(pid, tid, name, sizeof(name)) <= 0)
		result = -ESRCH;
	if (!result) {
		text_clean(name);
		if (item_put(item, KEY_ID, "%d", tid) ||
		    item_put(item, KEY_START, "%lu", (unsigned long)start) ||
		    item_put(item, KEY_NAME, "%s", name))
			return -ENOMEM;
		result = thread_now(item);
	}
	/* It has ended meanwhile. */
	if (result == -ESRCH || result == -EBUSY) {
		item_free(item);
		threads->count--;
		return result == -EBUSY ? result : 0;
	}
	return result;
}

static int add_process(const struct item *level, struct items *threads, pid_t pid)
{
	DIR *dir;
	pid_t tid;
	int result = 0;

	if (!item_is(level, KEY_THREADS, "true"))
		return add_thread(threads, pid, pid);
	dir = threads_open(pid);
	while (dir && !result && (tid = threads_next(dir)))
		result = add_thread(threads, pid, tid);
	if (dir)
		closedir(dir);
	return result;
}

int thread_items(const struct item *level, struct items *threads)
{
	DIR *dir = opendir("/proc");
	int result = 0;
	pid_t pid;

	*threads = (struct items){};
	while (dir && !result && (pid = threads_next(dir))) {
		if (is_program(pid, item_text(level, KEY_PROGRAM)))
			result = add_process(level, threads, pid);
	}
	if (dir)
		closedir(dir);
	return result ?: (int)threads->count;
}

/* ---- the present ones ----------------------------------------------------------------------- */

static bool guarded(const struct items *present, const char *cpus)
{
	struct resch_cpus cpu, domain;
	size_t i;

	if (resch_cpus_parse(cpus, &cpu) != 1)
		return false;
	for (i = 0; i < present->count; i++) {
		const struct item *item = &present->list[i];

		item_cpus(item, &domain);
		if (item->section == SECTION_DOMAINS && item->values[KEY_GUARD] &&
		    !item_is(item, KEY_GUARD, "off") && cpus_within(&cpu, &domain))
			return true;
	}
	return false;
}

static int add_level(struct items *items, const struct item *thread)
{
	struct item *item;
	size_t i;

	for (i = 0; i < items->count; i++) {
		if (items->list[i].section == SECTION_LEVELS &&
		    item_is(&items->list[i], KEY_PROGRAM, item_text(thread, KEY_NAME)))
			return 0;
	}
	item = items_add(items, SECTION_LEVELS);
	return !item || item_put(item, KEY_PROGRAM, "%s", item_text(thread, KEY_NAME)) ||
			       item_put(item, KEY_LEVEL, "%s", level_word(LEVEL_RT0)) ||
			       item_put(item, KEY_CPU, "%s", item_text(thread, KEY_CPUS)) ?
		       -ENOMEM :
		       0;
}

/* Threads are told from each other by the names of their programs: the first of a name counts. */
int present_levels(const struct items *present, struct items *items)
{
	struct items threads = {};
	DIR *dir = opendir("/proc");
	char path[64], name[PATH_MAX];
	int result = 0;
	size_t i;
	pid_t pid;

	while (dir && !result && (pid = threads_next(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/exe", pid);
		if (pid != 1 && readlink(path, name, sizeof(name)) > 0)
			result = add_thread(&threads, pid, pid);
		if (result == -EBUSY)
			result = 0;
	}
	if (dir)
		closedir(dir);
	for (i = 0; !result && i < threads.count; i++) {
		const struct item *thread = &threads.list[i];

		if (item_class(thread) == SCHED_FIFO && item_is(thread, KEY_PRIORITY, "99") &&
		    guarded(present, item_text(thread, KEY_CPUS)))
			result = add_level(items, thread);
	}
	items_free(&threads);
	return result;
}
