// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* open.c - the device, and what to do when it does not open */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "request.h"

#ifndef RESCH_VERSION
#define RESCH_VERSION "0"
#endif

int resch_open(void)
{
	struct resch_info info;
	int saved = errno;
	int result, fd;

	fd = open(RESCH_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		result = -errno;
		errno = saved;
		return result;
	}

	result = resch_info(fd, &info);
	/*
	 * A newer module still takes what this library says: structures only grow. An older one may
	 * lack its calls.
	 */
	if (!result && info.abi < RESCH_ABI_VERSION)
		result = -EPROTONOSUPPORT;
	/* Some other device under our name. */
	if (result == -ENOTTY || result == -EINVAL)
		result = -EPROTONOSUPPORT;
	if (result) {
		close(fd);
		errno = saved;
		return result;
	}
	return fd;
}

const char *resch_open_reason(int error)
{
	switch (abs(error)) {
	case 0:
		return "the device is open";
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return "the kernel module resch is not loaded: run `modprobe resch` as root "
		       "(`reschctl doctor` tells what keeps it from loading)";
	case EACCES:
	case EPERM:
		return "no permission to open " RESCH_DEVICE
		       ": become root (sudo), or a member of the device's group (`usermod -aG resch USER`, then log "
		       "in anew); to change something needs CAP_SYS_NICE besides";
	case EPROTONOSUPPORT:
		return "the loaded module resch is older than this program: install the matching module, then run "
		       "`modprobe -r resch && modprobe resch`";
	case EBUSY:
		return "the module resch is being unloaded: load it again with `modprobe resch`";
	case EMFILE:
	case ENFILE:
		return "too many open files: close some, or raise the limit (`ulimit -n`)";
	case ENOMEM:
		return "out of memory";
	case EINTR:
		return "a signal came while " RESCH_DEVICE " was being opened: try again";
	default:
		return RESCH_DEVICE
			" cannot be opened: see the kernel's log (`dmesg | grep resch`)";
	}
}

int resch_info(int fd, struct resch_info *info)
{
	*info = (struct resch_info){};
	return resch_request(fd, RESCH_IOC_INFO, info);
}

const char *resch_version(void)
{
	return RESCH_VERSION;
}
