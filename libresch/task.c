// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* task.c - what a task does: register, wait, delay, release, start */
#include <limits.h>

#include <unistd.h>

#include "request.h"

/*
 * What the kernel fills in goes down as zeros, so that a later kernel may give these fields a
 * meaning on the way in.
 */
static int do_register(int fd, struct resch_register *reg)
{
	reg->id = 0;
	reg->cpu = 0;
	reg->verdict = (struct resch_verdict){};
	return resch_request(fd, RESCH_IOC_REGISTER, reg);
}

int resch_register_self(int fd, struct resch_register *reg)
{
	reg->pid = 0;
	reg->start_time = 0;
	return do_register(fd, reg);
}

int resch_register_thread(int fd, pid_t tid, struct resch_register *reg)
{
	uint64_t start_time;
	int result;

	/* 0 would be the caller, which nobody means by another thread. */
	if (tid <= 0)
		return -EINVAL;
	if (!reg->start_time) {
		result = resch_start_time(tid, &start_time);
		if (result)
			return result;
		reg->start_time = start_time;
	}
	reg->pid = tid;
	return do_register(fd, reg);
}

int resch_unregister(int fd, uint32_t id)
{
	struct resch_target target = { .id = id };

	return resch_request(fd, RESCH_IOC_UNREGISTER, &target);
}

int resch_wait(int fd, struct resch_wait *job)
{
	int saved = errno;
	int result;

	if (job)
		return resch_request(fd, RESCH_IOC_WAIT, job);
	/* The same call, on a shorter way into the kernel. */
	result = fdatasync(fd);
	if (result < 0) {
		result = -errno;
		errno = saved;
	}
	return result;
}

int resch_delay(int fd, uint64_t until)
{
	struct resch_delay delay = { .until = until };

	return resch_request(fd, RESCH_IOC_DELAY, &delay);
}

int resch_release(int fd, uint32_t id)
{
	struct resch_target target = { .id = id };

	return resch_request(fd, RESCH_IOC_RELEASE, &target);
}

int resch_start(int fd, uint32_t domain, uint64_t time)
{
	return resch_start_group(fd, domain, 0, time);
}

int resch_start_group(int fd, uint32_t domain, uint32_t group, uint64_t time)
{
	struct resch_start start = { .time = time, .domain = domain, .group = group };
	int result = resch_request(fd, RESCH_IOC_START, &start);

	if (result < 0)
		return result;
	return start.waiting > INT_MAX ? INT_MAX : (int)start.waiting;
}

int resch_lead_set(int fd, uint32_t id, uint64_t lead, struct resch_verdict *verdict)
{
	struct resch_lead want = { .id = id, .lead = lead };
	int result = resch_request(fd, RESCH_IOC_LEAD, &want);

	if (verdict)
		*verdict = want.verdict;
	return result;
}

int resch_affinity_get(int fd, uint32_t id, struct resch_cpus *cpus)
{
	struct resch_affinity affinity = { .id = id };
	int result = resch_request(fd, RESCH_IOC_AFFINITY, &affinity);

	if (!result)
		*cpus = affinity.cpus;
	return result;
}

int resch_affinity_set(int fd, uint32_t id, const struct resch_cpus *cpus)
{
	struct resch_affinity affinity = {
		.id = id,
		.flags = RESCH_AFFINITY_F_SET,
		.cpus = *cpus,
	};

	return resch_request(fd, RESCH_IOC_AFFINITY, &affinity);
}
