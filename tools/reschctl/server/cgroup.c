// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cgroup.c - reschctl server attach --cgroup, --slice: a control group in a server, all the time
 *
 * Who is in it, and whoever comes, is taken in; what those make the module takes in. Nothing tells
 * of processes that are moved into a group, or started there from outside of it (as by systemd): it
 * is looked at again and again.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/screen.h"
#include "hall.h"

#define CGROUPS "/sys/fs/cgroup"
/* How often, ms: so long somebody who has come may be an ordinary process. */
#define CGROUP_LOOK 100

/** struct crowd - processes, by their numbers */
struct crowd {
	pid_t *pids;
	size_t count, room;
};

/* ---- where it is ----------------------------------------------------------------------------- */

/* "a-b" is in /a.slice/a-b.slice: systemd.slice(5). */
static int slice_path(const char *slice, char *path, size_t size)
{
	size_t length = strlen(slice), at, used = strlen(CGROUPS);

	if (length > 6 && !strcmp(slice + length - 6, ".slice"))
		length -= 6;
	if (!length || *slice == '-' || slice[length - 1] == '-' || strchr(slice, '/'))
		return -EINVAL;
	snprintf(path, size, CGROUPS);
	for (at = 1; at <= length; at++) {
		int n;

		if (at < length && slice[at] != '-')
			continue;
		n = snprintf(path + used, size - used, "/%.*s.slice", (int)at, slice);
		used += (size_t)n;
		if (n < 0 || used >= size)
			return -EINVAL;
	}
	return 0;
}

int cgroup_find(const char *cgroup, const char *slice, char *path, size_t size)
{
	const char *place = cgroup ? cgroup : "";
	size_t length;
	struct stat found;

	if (access(CGROUPS "/cgroup.controllers", F_OK))
		return fail("there is no cgroup2 at " CGROUPS);
	if (!strncmp(place, CGROUPS, strlen(CGROUPS)))
		place += strlen(CGROUPS);
	place += strspn(place, "/");
	if (slice && slice_path(slice, path, size))
		return usage("server", "--slice=%s: a slice is like audio or audio.slice", slice);
	if (!slice && (size_t)snprintf(path, size, CGROUPS "/%s", place) >= size)
		return usage("server", "--cgroup: too long");
	length = strlen(path);
	while (path[length - 1] == '/')
		path[--length] = 0;
	if (!strcmp(path, CGROUPS))
		return usage("server", "the root of all control groups has the kernel's threads");
	if (stat(path, &found) || !S_ISDIR(found.st_mode))
		return fail("there is no control group %s", path);
	return 0;
}

/* The CPUs that its processes may use. Return: false: nothing is said. */
static bool cgroup_cpus(const char *cgroup, struct resch_cpus *cpus)
{
	char path[CGROUP_PATH], file[CGROUP_PATH + 32], text[1024], *slash;

	snprintf(path, sizeof(path), "%s", cgroup);
	for (;;) {
		snprintf(file, sizeof(file), "%s/cpuset.cpus.effective", path);
		if (read_text(file, text, sizeof(text)) > 0)
			return resch_cpus_parse(text, cpus) > 0;
		slash = strrchr(path, '/');
		if (!strcmp(path, CGROUPS) || !slash)
			return false;
		*slash = 0;
	}
}

int cgroup_allows(const char *path, const struct hall *hall)
{
	struct resch_cpus cpus;
	size_t i;

	if (!cgroup_cpus(path, &cpus))
		return 0;
	for (i = 0; i < hall->count; i++) {
		int cpu = hall->stats[i].params.cpu;

		if (cpu >= 0 && !resch_cpus_has(&cpus, (unsigned int)cpu))
			return fail("server %u:%u is on CPU %d, and the cpuset of %s is %s",
				    hall->stat.domain, hall->stats[i].id, cpu, path,
				    cpus_text(&cpus));
	}
	return 0;
}

/* ---- who is in it ---------------------------------------------------------------------------- */

static bool crowd_add(struct crowd *crowd, pid_t pid)
{
	pid_t *grown;

	if (crowd->count == crowd->room) {
		crowd->room = 2 * crowd->room + 64;
		grown = reallocarray(crowd->pids, crowd->room, sizeof(*grown));
		if (!grown)
			return false;
		crowd->pids = grown;
	}
	crowd->pids[crowd->count++] = pid;
	return true;
}

/* Those of one directory; without a word where it has no processes of its own. */
static void read_procs(const char *path, struct crowd *crowd)
{
	char file[CGROUP_PATH + 32];
	FILE *procs;
	int pid;

	snprintf(file, sizeof(file), "%s/cgroup.procs", path);
	procs = fopen(file, "re");
	if (!procs)
		return;
	while (fscanf(procs, "%d", &pid) == 1) {
		/* 0: outside of our pid namespace */
		if (pid > 0 && !crowd_add(crowd, pid))
			break;
	}
	fclose(procs);
}

/* Those of it, and of all groups in it. Return: false: it has gone. */
static bool read_crowd(const char *path, struct crowd *crowd)
{
	char below[CGROUP_PATH];
	struct dirent *entry;
	DIR *dir = opendir(path);

	if (!dir)
		return false;
	read_procs(path, crowd);
	while ((entry = readdir(dir))) {
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
		    (size_t)snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) <
			    sizeof(below))
			read_crowd(below, crowd);
	}
	closedir(dir);
	return true;
}

static int by_number(const void *one, const void *other)
{
	const pid_t *first = one, *second = other;

	return (*first > *second) - (*first < *second);
}

/* Whoever is not in @known, which becomes what is there. Return: false: the group has gone. */
static bool take_in(const char *path, struct hall *hall, struct crowd *known)
{
	struct crowd now = {};
	bool there = read_crowd(path, &now);
	size_t i;

	if (now.count)
		qsort(now.pids, now.count, sizeof(*now.pids), by_number);
	for (i = 0; i < now.count; i++) {
		/* Who can't be taken in is told of once. */
		if (!known->count || !bsearch(&now.pids[i], known->pids, known->count,
					      sizeof(*known->pids), by_number))
			hall_attach(hall, now.pids[i]);
	}
	free(known->pids);
	*known = now;
	return there;
}

int cgroup_follow(const char *path, struct hall *hall)
{
	struct crowd known = {};

	watch_signals();
	note("%s is in server %u:%u", path, hall->stat.domain, hall->stat.id);
	while (take_in(path, hall, &known) && !watch_wait(CGROUP_LOOK * 1000000))
		hall_look(hall);
	free(known.pids);
	return EXIT_DONE;
}
