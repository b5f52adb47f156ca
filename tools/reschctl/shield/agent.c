// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * agent.c - the last guardian: the kernel itself
 *
 * Keeper and guardian live in a control group of a hierarchy of its own, without controllers. When
 * its last process has ended, however it did, the kernel starts the hierarchy's release agent,
 * which is this program with the group's path as its only argument (cgroups(7), release_agent); it
 * puts back what was left. Where such a hierarchy cannot be mounted, the next reschctl does that.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "shield.h"

#define PLACE "/run/resch/shield/cgroup"
#define GROUP PLACE AGENT_COMMAND
#define NAME "name=resch-shield"
/* Waits are 20 ms. */
#define LEAVE_TRIES 5
#define LEAVE_WAITS 25

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), result = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		result = -errno;
	close(fd);
	return result;
}

static int hierarchy_mount(void)
{
	char self[512];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length <= 0)
		return -errno;
	self[length] = 0;
	if (mkdir(PLACE, 0700) && errno != EEXIST)
		return -errno;
	/* Is it there? Its root has this file. */
	if (access(PLACE "/release_agent", F_OK) &&
	    mount("resch-shield", PLACE, "cgroup", MS_NOSUID | MS_NODEV | MS_NOEXEC, "none," NAME))
		return -errno;
	return put(PLACE "/release_agent", self);
}

/* Whoever starts from the caller from now on is in the group, too. */
void agent_join(const char *root)
{
	int result;

	if (*root)
		return;
	result = hierarchy_mount();
	if (!result && mkdir(GROUP, 0700) && errno != EEXIST)
		result = -errno;
	if (!result)
		result = put(GROUP "/notify_on_release", "1");
	if (!result)
		result = put(GROUP "/cgroup.procs", "0");
	if (result)
		syslog(LOG_NOTICE,
		       "no release agent: %s; if all processes of the shield are killed, the next "
		       "reschctl puts all back",
		       strerror(-result));
}

static bool hierarchy_stands(void)
{
	char text[4096];

	return read_text("/proc/self/cgroup", text, sizeof(text)) > 0 && strstr(text, NAME);
}

/*
 * The kernel lets the hierarchy go a moment after it is unmounted; but not where it was unmounted
 * before the group that had been removed was gone: then once more.
 */
void agent_leave(const char *root)
{
	int tries, waits;

	/* Somebody is in it: then there will be another end. */
	if (*root || (rmdir(GROUP) && errno != ENOENT))
		return;
	for (tries = 0; tries < LEAVE_TRIES && !umount2(PLACE, 0); tries++) {
		for (waits = 0; waits < LEAVE_WAITS && hierarchy_stands(); waits++)
			usleep(20000);
		if (!hierarchy_stands() || mount("resch-shield", PLACE, "cgroup", 0, "none," NAME))
			break;
	}
	rmdir(PLACE);
}

/* Under the lock, so that no new shield begins meanwhile. */
static void put_back(struct state *state)
{
	struct sweep sweep;
	int result = 0;

	if (state_holder(state, "keeper"))
		return;
	if (state_exists(state)) {
		syslog(LOG_WARNING,
		       "all processes of the shield were killed: all affinities go back");
		result = shield_recover(state);
		if (result >= 0 && state_exists(state))
			result = shield_drop(state, NULL, &sweep);
	}
	if (result < 0)
		syslog(LOG_ERR, "%s", strerror(-result));
	/* Registered tasks go back later: somebody must wait for that. */
	if (state_exists(state))
		keeper_start(state);
	else
		agent_leave("");
}

/* The kernel starts it without any open file. */
int agent_run(void)
{
	struct state *state = malloc(sizeof(*state));
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
	if (!state || geteuid())
		return EXIT_FAILED;
	openlog("reschctl", LOG_PID, LOG_DAEMON);
	if (!state_open(state, "", true))
		put_back(state);
	state_close(state);
	free(state);
	return EXIT_DONE;
}
