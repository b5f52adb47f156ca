// SPDX-License-Identifier: GPL-2.0
/* waking.c - when the kernel began to wake a thread */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "waking.h"

#define PAGES 16

static int tracepoint_id(void)
{
	static const char *const at[] = {
		"/sys/kernel/tracing/events/sched/sched_waking/id",
		"/sys/kernel/debug/tracing/events/sched/sched_waking/id",
	};
	unsigned int i;

	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		FILE *file = fopen(at[i], "r");
		int id = -1, read = 0;

		if (!file)
			continue;
		read = fscanf(file, "%d", &id);
		fclose(file);
		if (read == 1)
			return id;
	}
	return -1;
}

int waking_open(struct waking *waking, int cpu, pid_t tid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.disabled = 1,
	};
	char filter[40];
	int id = tracepoint_id();

	if (id < 0)
		return -1;
	attr.config = (unsigned int)id;
	waking->fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (waking->fd < 0)
		return -1;
	snprintf(filter, sizeof(filter), "pid==%d", tid);
	waking->ring = mmap(NULL, (size_t)(PAGES + 1) * (size_t)getpagesize(),
			    PROT_READ | PROT_WRITE, MAP_SHARED, waking->fd, 0);
	if (waking->ring == MAP_FAILED || ioctl(waking->fd, PERF_EVENT_IOC_SET_FILTER, filter) ||
	    ioctl(waking->fd, PERF_EVENT_IOC_ENABLE, 0)) {
		int error = errno;

		close(waking->fd);
		errno = error;
		return -1;
	}
	return 0;
}

void waking_close(struct waking *waking)
{
	munmap(waking->ring, (size_t)(PAGES + 1) * (size_t)getpagesize());
	close(waking->fd);
}

/* Records are multiples of 8 bytes, and so is the ring: a time never wraps. */
uint64_t waking_next(struct waking *waking, uint64_t from)
{
	struct perf_event_mmap_page *page = waking->ring;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail, found = 0;
	char *data = (char *)waking->ring + page->data_offset;

	while (tail < head && !found) {
		struct perf_event_header header;
		uint64_t time;

		memcpy(&header, data + tail % page->data_size, sizeof(header));
		memcpy(&time, data + (tail + sizeof(header)) % page->data_size, sizeof(time));
		if (header.type == PERF_RECORD_SAMPLE && time >= from)
			found = time;
		tail += header.size;
	}
	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
	return found;
}
