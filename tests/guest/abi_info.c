// SPDX-License-Identifier: GPL-2.0
/* abi_info.c - what can be asked of a module that does nothing */
#include "lib.h"

#include <sys/stat.h>

TEST(tells, "RESCH_IOC_INFO tells what the module is")
{
	struct resch_info now = info();
	bool demotes = getenv("RESCH_PARAMS") && strstr(getenv("RESCH_PARAMS"), "demote");

	check_is(now.abi, RESCH_ABI_VERSION);
	check_is(now.level, 80);
	check_is(now.escalate, MS);
	check_is(now.tasks, 0);
	check_is(now.domains, 0);
	check(now.plugins >= 1, "there is no plugin, not even fifo");
	check_is(now.reserved, 0);
	check(!strcmp(now.version, resch_version()), "the module is %s, the library %s",
	      now.version, resch_version());
	check_is(now.features & (RESCH_FEATURE_PARK | RESCH_FEATURE_DEMOTE),
		 demotes ? RESCH_FEATURE_DEMOTE : RESCH_FEATURE_PARK);
}

TEST(private_device, "the device is for root only")
{
	struct stat status;

	must_libc(stat(RESCH_DEVICE, &status));
	check(!(status.st_mode & 07), "mode of the device: %o", status.st_mode);
	check_is(status.st_uid, 0);
}

TEST(any_access, "queries need only the open device, however it was opened")
{
	struct resch_info now;
	int fd = must_libc(open(RESCH_DEVICE, O_RDONLY));

	must(resch_info(fd, &now));
	close(fd);
	fd = must_libc(open(RESCH_DEVICE, O_WRONLY));
	must(resch_info(fd, &now));
	close(fd);
}

TEST(fifo_is_there, "the fallback plugin is built in")
{
	struct resch_plugin_stat stat;
	bool found = false;
	uint32_t index;
	int err;

	for (index = 0; !(err = resch_plugin_stat(dev, index, &stat)); index++) {
		check_is(stat.index, index);
		check_is(stat.users, 0);
		check_is(stat.ejections, 0);
		check(strnlen(stat.about, sizeof(stat.about)) < sizeof(stat.about),
		      "no end of the text");
		found |= !strcmp(stat.name, "fifo");
	}
	check_is(err, -ENOENT);
	check_is(index, info().plugins);
	check(found, "no fifo among %u plugins", index);
	refused(resch_plugin_stat(dev, ~0U, &stat), ENOENT);
}

TEST(nothing, "there are no tasks and domains before somebody makes them")
{
	struct resch_domain_stat domain;
	struct resch_task_stat task;

	memset(&task, 0, sizeof(task));
	check_is(resch_task_next(dev, &task), 0);
	memset(&domain, 0, sizeof(domain));
	check_is(resch_domain_next(dev, &domain), 0);
	refused(resch_task_stat(dev, 0, &task), ENOENT);
	refused(resch_task_stat(dev, 12345, &task), ENOENT);
	refused(resch_domain_stat(dev, 12345, &domain), ENOENT);
}

TEST(no_seek, "the device is a stream: no write, no positions, no mmap")
{
	char byte = 0;

	check_is(write(dev, &byte, 1), -1);
	check_is(lseek(dev, 10, SEEK_SET) == 10, 0);
	check(mmap(NULL, 4096, PROT_READ, MAP_SHARED, dev, 0) == MAP_FAILED, "it can be mapped");
}

TEST(many_open, "it can be opened hundreds of times")
{
	int fds[300];
	struct resch_info now;
	unsigned int i;

	for (i = 0; i < 300; i++) {
		fds[i] = resch_open();
		check(fds[i] >= 0, "descriptor %u: %s", i, errno_name(fds[i]));
	}
	must(resch_info(fds[299], &now));
	for (i = 0; i < 300; i++)
		close(fds[i]);
}
