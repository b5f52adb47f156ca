// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lock.c - the shields' folder, and its locks
 *
 * The locks are those of fcntl(2): they end with their process, and no child inherits them. A
 * process that closes any descriptor of a file loses its locks on it: nobody asks for the holder of
 * a role of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shield.h"

int state_file(const struct state *state, const char *name, int flags)
{
	char path[700];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", state->folder, name);
	fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0644);
	return fd < 0 ? -errno : fd;
}

int state_lock(const struct state *state, const char *name, short type, bool wait)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET };
	int fd = state_file(state, name, type == F_WRLCK ? O_RDWR | O_CREAT : O_RDONLY);
	int result;

	if (fd < 0)
		return fd;
	do {
		result = fcntl(fd, wait ? F_SETLKW : F_SETLK, &lock) ? -errno : 0;
	} while (wait && result == -EINTR);
	if (!result)
		return fd;
	close(fd);
	return result;
}

int state_role(const struct state *state, const char *name)
{
	return state_lock(state, name, F_WRLCK, false);
}

pid_t state_holder(const struct state *state, const char *name)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = state_file(state, name, O_RDONLY);

	if (fd < 0)
		return 0;
	/* A write lock may be asked about on any descriptor. */
	if (fcntl(fd, F_GETLK, &lock))
		lock.l_type = F_UNLCK;
	close(fd);
	return lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}

int state_folder(const struct state *state)
{
	char parent[320];

	snprintf(parent, sizeof(parent), "%s", state->folder);
	*strrchr(parent, '/') = 0;
	if (mkdir(machine_path(state->root, "/run"), 0755) && errno != EEXIST)
		return -errno;
	if (mkdir(parent, 0755) && errno != EEXIST)
		return -errno;
	if (mkdir(state->folder, 0755) && errno != EEXIST)
		return -errno;
	return 0;
}
