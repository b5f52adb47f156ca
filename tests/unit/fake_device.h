/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fake_device.h - a device for the library, in the test's own process
 *
 * The system calls that the library makes are defined in fake_device.c and go before those of the C
 * library: each call's structure is looked at as the kernel would see it, answers and errors are
 * made up.
 */
#ifndef _RESCH_FAKE_DEVICE_H
#define _RESCH_FAKE_DEVICE_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <resch.h>

/* What open() returns for the device. */
#define FD 77

/* What is to happen, and what has happened. */
struct fake {
	int open_error, error; /* errno to fail with; 0: succeed */
	int opens, closes, calls, syncs;
	int flags;
	int fd;
	unsigned long request;
	bool null;
	unsigned char seen[1024] __attribute__((aligned(8))); /* the argument as it came */
	size_t size;
	void (*answer)(void *argument); /* fills it in */
	uint32_t abi;
	struct resch_event events[4];
	size_t nr_events;
	short revents;
};

extern struct fake fake;

/* For cmocka: nothing has happened, and nothing is to fail. */
int fake_reset(void **state);

/* The argument of the only call there was, which must be this one. */
void *seen(unsigned long request);

/* Each call passes errors on as negative numbers, and errno stays as it was. */
#define assert_fails(call)                        \
	do {                                      \
		fake.error = EBADMSG;             \
		errno = 12345;                    \
		assert_int_equal(call, -EBADMSG); \
		assert_int_equal(errno, 12345);   \
		fake.error = 0;                   \
	} while (0)

#endif /* _RESCH_FAKE_DEVICE_H */
