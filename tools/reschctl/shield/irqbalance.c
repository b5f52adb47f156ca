// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * irqbalance.c - the CPUs to which irqbalance may move interrupts, asked and told at its socket
 *
 * It would move back what a shield has moved. Its protocol is that of irqbalance-ui: a connection a
 * request, from root; "setup" is answered with the CPUs that are banned, "settings cpus LIST" bans
 * these instead, and NULL what its configuration says. What it was told it says only after its next
 * look around, ten seconds or so later; until then a file beside the journal knows better.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "shield.h"

#define FOLDER "/run/irqbalance"
#define TOLD "/run/resch/shield/irqbalance"
/* It answers between two looks around, which take it milliseconds. */
#define PATIENCE_US 300000

/** struct told - the last word to an irqbalance, kept as a line "SOCKET WAS NOW" of masks */
struct told {
	char socket[120];
	struct resch_cpus was, now; /* banned, as it said, and as it was told */
};

bool balancer_find(const char *root, char *path, size_t size)
{
	DIR *dir = opendir(machine_path(root, FOLDER));
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		size_t length = strlen(entry->d_name);

		found = length > 5 && length < 60 && !strncmp(entry->d_name, "irqbalance", 10) &&
			!strcmp(entry->d_name + length - 5, ".sock");
		if (found)
			snprintf(path, size, FOLDER "/%.60s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* It takes requests of root only, and wants to be told by whom they are. */
static int send_signed(int fd, const char *request)
{
	struct ucred self = { .pid = getpid(), .uid = geteuid(), .gid = getegid() };
	char control[CMSG_SPACE(sizeof(self))] = { 0 };
	struct iovec text = { .iov_base = (void *)request, .iov_len = strlen(request) };
	struct msghdr message = {
		.msg_iov = &text,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_CREDENTIALS;
	header->cmsg_len = CMSG_LEN(sizeof(self));
	memcpy(CMSG_DATA(header), &self, sizeof(self));
	return sendmsg(fd, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Return: bytes of the answer, which ends where it closes; or -errno */
static int request(const char *root, const char *path, const char *text, char *answer, size_t size)
{
	struct timeval patience = { .tv_usec = PATIENCE_US };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, result, length = 0;
	ssize_t n = 1;

	if ((size_t)snprintf(address.sun_path, sizeof(address.sun_path), "%s",
			     machine_path(root, "%s", path)) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	result = connect(fd, (struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
	if (!result)
		result = send_signed(fd, text);
	while (!result && n > 0 && (size_t)length + 1 < size) {
		n = recv(fd, answer + length, size - 1 - (size_t)length, 0);
		result = n < 0 ? -errno : 0;
		length += n > 0 ? (int)n : 0;
	}
	close(fd);
	answer[length] = 0;
	return result ? result : length;
}

/* What it says that it has banned. */
static int banned_read(const char *root, const char *path, struct resch_cpus *cpus)
{
	char answer[8192], *at;
	int result = request(root, path, "setup", answer, sizeof(answer));

	if (result < 0)
		return result;
	at = strstr(answer, "BANNED ");
	return at ? mask_parse(at + 7, cpus) : -EPROTO;
}

static bool told_read(const char *root, const char *path, struct told *told)
{
	char line[3 * RESCH_CPUS_MAX], was[RESCH_CPUS_MAX], now[RESCH_CPUS_MAX];

	return read_text(machine_path(root, TOLD), line, sizeof(line)) > 0 &&
	       sscanf(line, "%119s %1023s %1023s", told->socket, was, now) == 3 &&
	       !strcmp(told->socket, path) && mask_parse(was, &told->was) >= 0 &&
	       mask_parse(now, &told->now) >= 0;
}

static int told_write(const char *root, const struct told *told)
{
	char line[3 * RESCH_CPUS_MAX], was[MASK_TEXT], now[MASK_TEXT];
	int length;

	mask_format(&told->was, was);
	mask_format(&told->now, now);
	length = snprintf(line, sizeof(line), "%s %s %s\n", told->socket, was, now);
	return text_replace(machine_path(root, TOLD), line, (size_t)length);
}

/* What it has banned or is about to. */
static int banned_get(const char *root, const char *path, struct resch_cpus *said,
		      struct resch_cpus *cpus)
{
	struct told told;
	int result = banned_read(root, path, said);

	if (result < 0)
		return result;
	*cpus = told_read(root, path, &told) && cpus_equal(said, &told.was) ? told.now : *said;
	return 0;
}

int balancer_get(const char *root, const char *path, struct resch_cpus *cpus)
{
	struct resch_cpus said, banned;
	int result = banned_get(root, path, &said, &banned);

	if (!result)
		result = machine_cpus(root, "possible", cpus);
	if (result < 0)
		return result;
	cpus_subtract(cpus, &banned);
	return resch_cpus_count(cpus);
}

int balancer_set(const char *root, const char *path, const struct resch_cpus *cpus)
{
	char text[LIST_MAX + 32], answer[16];
	struct told told;
	int result = banned_get(root, path, &told.was, &told.now);

	if (!result)
		result = machine_cpus(root, "possible", &told.now);
	if (result < 0)
		return result;
	cpus_subtract(&told.now, cpus);
	snprintf(told.socket, sizeof(told.socket), "%s", path);
	result = told_write(root, &told);
	if (result)
		return result;
	snprintf(text, sizeof(text), "settings cpus %s",
		 resch_cpus_count(&told.now) ? cpus_text(&told.now) : "NULL");
	result = request(root, path, text, answer, sizeof(answer));
	return result < 0 ? result : 0;
}
