// SPDX-License-Identifier: GPL-2.0
/*
 * any.c - any request, now and then with something wrong in it, and what else a descriptor is good
 * for
 */
#include "torture.h"

/*
 * One of those that have yet to succeed, each as likely as the next: where a round takes minutes
 * there are few, and one of them a round would not be enough.
 */
int request_wanted(struct life *life)
{
	int missing[REQUESTS] = { NONE };
	int i, n = 0;

	if (!atomic_load(&world->wanting))
		return NONE;
	for (i = 0; i < REQUESTS; i++)
		if (!atomic_load(&world->requests[i].succeeded))
			missing[n++] = i;
	return missing[n ? below(life, n) : 0];
}

/* Those that take away what others need come seldom. */
static int which_any(struct life *life)
{
	int wanted = request_wanted(life);

	if (wanted != NONE && one_in(life, 2))
		return wanted;
	for (;;) {
		int which = below(life, REQUESTS);

		switch (which) {
		case REQUEST_DOMAIN_DEL:
		case REQUEST_SERVER_DEL:
		case REQUEST_SERVERS_DEL:
		case REQUEST_PLUGIN_LOAD:
		case REQUEST_GUARD_SET:
			if (!one_in(life, 4))
				continue;
		}
		return which;
	}
}

static uint64_t interesting(struct life *life)
{
	static const uint64_t numbers[] = {
		0,
		1,
		2,
		64,
		4096,
		10000,
		1000000,
		3600000000000,
		3600000000001,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		INT64_MAX,
		UINT64_MAX,
	};

	return one_in(life, 2) ? numbers[below(life, sizeof(numbers) / sizeof(*numbers))] :
				 random_number(life);
}

/* Something in it is not as it should be: a word, the size, the place. But nobody else's thread. */
static void request_odd(struct life *life, int which, union argument *argument)
{
	unsigned long number = request_number(which);
	void *place = argument;

	if (one_in(life, 2))
		((uint32_t *)argument)[below(life, _IOC_SIZE(number) / 4)] = interesting(life);
	if (which == REQUEST_REGISTER)
		argument->register_.pid = 0;
	if (which == REQUEST_GUARD_LEND)
		argument->guard_lend.pid = 0;
	if (one_in(life, 4))
		number = (number & ~((unsigned long)_IOC_SIZEMASK << _IOC_SIZESHIFT)) |
			 below(life, 4096) << _IOC_SIZESHIFT;
	if (one_in(life, 8))
		number ^= (1 + below(life, 3)) << _IOC_DIRSHIFT;
	if (one_in(life, 8))
		place = one_in(life, 2) ? NULL : (void *)(uintptr_t)interesting(life);
	call(life->fd, number, place);
}

/* What else can be done with a descriptor. */
static void descriptor_any(struct life *life, union argument *argument)
{
	struct pollfd poll_fd = { .fd = life->fd, .events = POLLIN | POLLOUT };
	void *page;
	int other;

	switch (below(life, 6)) {
	case 0:
		fcntl(life->fd, F_SETFL, O_NONBLOCK);
		if (read(life->fd, argument, below(life, sizeof(*argument))) < 0)
			break;
		break;
	case 1:
		poll(&poll_fd, 1, below(life, 3));
		break;
	case 2:
		fdatasync(life->fd);
		break;
	case 3:
		other = dup(life->fd);
		if (other >= 0)
			close(other);
		break;
	case 4:
		page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, life->fd, 0);
		if (page != MAP_FAILED)
			munmap(page, 4096);
		break;
	case 5:
		/* Through another file: what is registered by it ends when it closes. */
		other = resch_open();
		if (other < 0)
			break;
		close(life->fd);
		life->fd = other;
		life->task = 0;
		break;
	}
}

void request_any(struct life *life, union argument *argument)
{
	int which = which_any(life);

	if (one_in(life, 12)) {
		descriptor_any(life, argument);
		return;
	}
	request_fill(life, which, argument);
	if (one_in(life, 12))
		request_odd(life, which, argument);
	else
		request(life, which, argument);
}
