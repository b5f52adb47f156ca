// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * irqbalance.c - the CPUs to which irqbalance may move interrupts, told at its socket
 *
 * It would move back what a shield has moved. Its protocol is that of irqbalance-ui: a connection a
 * request, from root; "settings cpus LIST" bans these CPUs instead of those that its configuration
 * says, and NULL those again. It is never asked which it has banned: up to 1.9.3 it answers ten
 * seconds later while it looks around, and who doesn't wait for that ends it by SIGPIPE. So what it
 * was told is kept in a file beside the journal, and what its configuration says is read from its
 * environment.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "shield.h"

#define FOLDER "/run/irqbalance"
#define TOLD "/run/resch/shield/irqbalance"

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

static int tell(const char *root, const char *path, const char *text)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, result;

	if ((size_t)snprintf(address.sun_path, sizeof(address.sun_path), "%s",
			     machine_path(root, "%s", path)) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	/* One that hangs is not waited for. */
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	result = connect(fd, (struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
	if (!result)
		result = send_signed(fd, text);
	close(fd);
	return result;
}

/* A variable of a process's environment, or NULL; static. */
static const char *environment(const char *root, pid_t pid, const char *name)
{
	static char text[1 << 16];
	size_t length = 0, at, size = strlen(name);
	FILE *file = fopen(machine_path(root, "/proc/%d/environ", pid), "re");

	if (file) {
		length = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[length] = 0;
	for (at = 0; at < length; at += strlen(text + at) + 1) {
		if (!strncmp(text + at, name, size) && text[at + size] == '=')
			return text + at + size + 1;
	}
	return NULL;
}

/* What it bans when nobody tells it anything. */
static void configured(const char *root, const char *path, struct resch_cpus *cpus)
{
	pid_t pid = atoi(path + strlen(FOLDER "/irqbalance"));
	const char *list = environment(root, pid, "IRQBALANCE_BANNED_CPULIST");
	struct resch_cpus more;

	*cpus = (struct resch_cpus){};
	if (list) {
		if (resch_cpus_parse(list, cpus) < 0)
			*cpus = (struct resch_cpus){};
		return;
	}
	if (machine_cpus(root, "isolated", &more) > 0)
		cpus_unite(cpus, &more);
	if (machine_cpus(root, "nohz_full", &more) > 0)
		cpus_unite(cpus, &more);
}

/* A line "SOCKET MASK": those that it was told to ban. Return: it was told at all */
static bool told_read(const char *root, const char *path, struct resch_cpus *cpus)
{
	char line[MASK_TEXT + 140], socket[120], mask[MASK_TEXT];

	return read_text(machine_path(root, TOLD), line, sizeof(line)) > 0 &&
	       sscanf(line, "%119s %295s", socket, mask) == 2 && !strcmp(socket, path) &&
	       mask_parse(mask, cpus) >= 0;
}

static int told_write(const char *root, const char *path, const struct resch_cpus *cpus)
{
	char line[MASK_TEXT + 140], mask[MASK_TEXT];
	int length;

	mask_format(cpus, mask);
	length = snprintf(line, sizeof(line), "%s %s\n", path, mask);
	return text_replace(machine_path(root, TOLD), line, (size_t)length);
}

int balancer_get(const char *root, const char *path, struct resch_cpus *cpus)
{
	struct resch_cpus banned;
	int result = machine_cpus(root, "possible", cpus);

	if (result < 0)
		return result;
	if (!told_read(root, path, &banned))
		configured(root, path, &banned);
	cpus_subtract(cpus, &banned);
	return resch_cpus_count(cpus);
}

int balancer_set(const char *root, const char *path, const struct resch_cpus *cpus)
{
	struct resch_cpus banned, before, own;
	char list[LIST_MAX], text[LIST_MAX + 32];
	int result = machine_cpus(root, "possible", &banned);

	if (result < 0)
		return result;
	cpus_subtract(&banned, cpus);
	configured(root, path, &own);
	resch_cpus_format(&banned, list, sizeof(list));
	snprintf(text, sizeof(text), "settings cpus %s", cpus_equal(&banned, &own) ? "NULL" : list);
	/* Who dies between these must not leave one that was told and nobody knows. */
	if (!told_read(root, path, &before))
		before = own;
	result = told_write(root, path, &banned);
	if (result)
		return result;
	result = tell(root, path, text);
	if (result)
		told_write(root, path, &before);
	return result;
}
