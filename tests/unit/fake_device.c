// SPDX-License-Identifier: GPL-2.0
/* fake_device.c - system calls that the library makes, see fake_device.h */
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fake_device.h"

struct fake fake;

int open(const char *path, int flags, ...)
{
	if (strcmp(path, RESCH_DEVICE))
		return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0);
	fake.opens++;
	fake.flags = flags;
	if (fake.open_error) {
		errno = fake.open_error;
		return -1;
	}
	return FD;
}

int close(int fd)
{
	if (fd != FD)
		return (int)syscall(SYS_close, fd);
	fake.closes++;
	return 0;
}

int fdatasync(int fd)
{
	assert_int_equal(fd, FD);
	fake.syncs++;
	if (!fake.error)
		return 0;
	errno = fake.error;
	return -1;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	void *argument;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	fake.calls++;
	fake.fd = fd;
	fake.request = request;
	fake.null = !argument;
	fake.size = _IOC_SIZE(request);
	assert_true(fake.size <= sizeof(fake.seen));
	if (argument)
		memcpy(fake.seen, argument, fake.size);
	if (fake.answer)
		fake.answer(argument);
	if (fake.error) {
		errno = fake.error;
		return -1;
	}
	if (request == RESCH_IOC_INFO && !fake.answer)
		((struct resch_info *)argument)->abi = fake.abi;
	return 0;
}

ssize_t read(int fd, void *buffer, size_t size)
{
	size_t bytes = fake.nr_events * sizeof(fake.events[0]);

	if (fd != FD)
		return syscall(SYS_read, fd, buffer, size);
	if (fake.error) {
		errno = fake.error;
		return -1;
	}
	if (bytes > size)
		bytes = size;
	memcpy(buffer, fake.events, bytes);
	return (ssize_t)bytes;
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	assert_int_equal(count, 1);
	assert_int_equal(fds[0].fd, FD);
	assert_int_equal(fds[0].events, POLLIN);
	assert_int_equal(timeout, 123);
	if (fake.error) {
		errno = fake.error;
		return -1;
	}
	fds[0].revents = fake.revents;
	return fake.revents != 0;
}

int fake_reset(void **state)
{
	(void)state;
	fake = (struct fake){ .abi = RESCH_ABI_VERSION };
	return 0;
}

void *seen(unsigned long request)
{
	assert_int_equal(fake.calls, 1);
	assert_int_equal(fake.fd, FD);
	assert_int_equal(fake.request, request);
	return fake.seen;
}
