// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * del.c - reschctl chain del: end a chain that somebody else has made
 *
 * A chain is its maker's descriptor's, and nobody else may end it through another one. So that
 * descriptor is looked for, in all processes that we may look into, and borrowed: pidfd_getfd(2)
 * needs the right to trace them. Its owner, its stages and their tasks go on without the chain.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "chain/chain.h"

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

/** struct search - for the descriptor that made a chain */
struct search {
	uint32_t id;
	dev_t device;
	bool closed; /* there was a process that we may not look into */
};

/* Through descriptor @number of a process. Return: 0, or -errno of resch_chain_del(), or -EPERM. */
static int del_by(struct search *search, int pidfd, int number)
{
	int fd = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0), result;

	if (fd < 0) {
		search->closed = search->closed || errno == EPERM;
		return -EPERM;
	}
	result = resch_chain_del(fd, search->id);
	close(fd);
	return result;
}

/* Through those of process @pid. Return: as above; -EPERM: it is none of them. */
static int del_in(struct search *search, pid_t pid)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0), result = -EPERM;
	const struct dirent *entry;
	char path[48];
	DIR *dir;

	if (pidfd < 0)
		return -EPERM;
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	if (!dir)
		search->closed = search->closed || errno == EACCES || errno == EPERM;
	while (dir && result == -EPERM && (entry = readdir(dir))) {
		struct stat stat;

		if (*entry->d_name == '.' || fstatat(dirfd(dir), entry->d_name, &stat, 0))
			continue;
		if (S_ISCHR(stat.st_mode) && stat.st_rdev == search->device)
			result = del_by(search, pidfd, atoi(entry->d_name));
	}
	if (dir)
		closedir(dir);
	close(pidfd);
	return result;
}

static int del(int fd, struct search *search)
{
	int result = resch_chain_del(fd, search->id);
	struct stat stat;
	DIR *processes;
	pid_t pid;

	if (result != -EPERM)
		return result;
	if (fstat(fd, &stat))
		return -errno;
	search->device = stat.st_rdev;
	processes = opendir("/proc");
	if (!processes)
		return -errno;
	while (result == -EPERM && (pid = threads_next(processes)))
		result = del_in(search, pid);
	closedir(processes);
	return result;
}

int chain_del(int argc, char **argv)
{
	struct search search = {};
	uint64_t id = 0;
	int fd, result;
	bool json;

	result = options_plain(argc, argv, "chain", chain_help, "chains", &json);
	if (result >= 0)
		return result;
	if (optind + 1 != argc || number_parse(argv[optind], UINT32_MAX, &id) || !id)
		return usage("chain", "chain del takes the ID of a chain (`reschctl chain list`)");
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	search.id = (uint32_t)id;
	result = del(fd, &search);
	close(fd);
	if (result == -ENOENT)
		return fail("there is no chain %u (`reschctl chain list`)", search.id);
	if (result == -EPERM && search.closed)
		return fail(
			"chain %u: its maker may be a process that we may not look into: as root",
			search.id);
	if (result == -EPERM)
		return fail("chain %u: no process that can be seen here has made it", search.id);
	return result ? fail("chain %u: %s", search.id, error_text(result)) : EXIT_DONE;
}
