// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * fifo.c - a wait-free queue from one thread to another, in memory that processes share
 *
 * Two counters go up for ever: how many items were put, how many were got. Each has one writer, and
 * a cache line of its own; each side remembers the other's and looks at it again only when it
 * needs to, so that two CPUs share a line once a lap and not once an item.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create() */
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "resch-fifo.h"

#define MAGIC 0x4f464946U
#define SLOTS_MAX (1U << 24)
#define ITEM_MAX (1U << 20)
#define LENGTH_MAX (1U << 30) /* of all items: who opens one has them in memory at once */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

/** struct shared - the memory; items follow */
struct shared {
	uint32_t magic, slots, size;
	char apart[64 - 3 * 4];
	uint64_t put; /* by who puts */
	char apart_too[64 - 8];
	uint64_t got; /* by who gets */
	char apart_from_items[64 - 8];
};

/** struct side - the counters as one side has seen them last; in a process may be both */
struct side {
	uint64_t put, got;
	char apart[64 - 2 * 8];
};

/* One process's end: what the memory says of sizes was looked at once, and is not asked again. */
struct resch_fifo {
	struct shared *shared;
	size_t length;
	uint32_t slots, size;
	int fd;
	char apart[64 - 2 * sizeof(void *) - 3 * 4];
	struct side putter, getter;
};

static size_t fifo_length(uint32_t slots, uint32_t size)
{
	return sizeof(struct shared) + (size_t)slots * size;
}

static bool fifo_sensible(uint32_t slots, uint32_t size)
{
	return slots && slots <= SLOTS_MAX && !(slots & (slots - 1)) && size && size <= ITEM_MAX &&
	       (uint64_t)slots * size <= LENGTH_MAX;
}

/* Return: 0 or -errno; errno stays */
static int fifo_map(int fd, size_t length, struct resch_fifo **fifo)
{
	struct resch_fifo *fresh = calloc(1, sizeof(*fresh));
	int result;
	void *at;

	if (!fresh)
		return -ENOMEM;
	at = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (at == MAP_FAILED) {
		result = -errno;
		free(fresh);
		return result;
	}
	/* Whose limit is too low lives with a page fault after the memory was short. */
	(void)mlock(at, length);
	fresh->shared = at;
	fresh->length = length;
	fresh->fd = fd;
	*fifo = fresh;
	return 0;
}

static int fifo_make(uint32_t slots, uint32_t size, struct resch_fifo **fifo)
{
	size_t length = fifo_length(slots, size);
	int fd = memfd_create("resch-fifo", MFD_CLOEXEC | MFD_ALLOW_SEALING), result;

	if (fd < 0)
		return -errno;
	/* Nobody can take the memory away under the other side. */
	if (ftruncate(fd, (off_t)length) || fcntl(fd, F_ADD_SEALS, SEALS | F_SEAL_SEAL))
		result = -errno;
	else
		result = fifo_map(fd, length, fifo);
	if (result) {
		close(fd);
		return result;
	}
	(*fifo)->slots = slots;
	(*fifo)->size = size;
	(*fifo)->shared->slots = slots;
	(*fifo)->shared->size = size;
	(*fifo)->shared->magic = MAGIC;
	return 0;
}

int resch_fifo_new(uint32_t slots, uint32_t size, struct resch_fifo **fifo)
{
	int saved = errno, result;

	if (!fifo_sensible(slots, size))
		return -EINVAL;
	result = fifo_make(slots, size, fifo);
	errno = saved;
	return result;
}

/* What it says of itself is read, and believed, before any of it is mapped. */
static int fifo_join(int fd, struct resch_fifo **fifo)
{
	int seals = fcntl(fd, F_GET_SEALS), result;
	struct shared shared;
	struct stat stat;

	if (fstat(fd, &stat))
		return -errno;
	if (seals < 0 || (seals & SEALS) != SEALS ||
	    pread(fd, &shared, sizeof(shared), 0) != sizeof(shared))
		return -EINVAL;
	if (shared.magic != MAGIC || !fifo_sensible(shared.slots, shared.size) ||
	    (uint64_t)stat.st_size != fifo_length(shared.slots, shared.size))
		return -EINVAL;
	result = fifo_map(fd, (size_t)stat.st_size, fifo);
	if (result)
		return result;
	(*fifo)->slots = shared.slots;
	(*fifo)->size = shared.size;
	(*fifo)->putter.put = __atomic_load_n(&(*fifo)->shared->put, __ATOMIC_ACQUIRE);
	(*fifo)->putter.got = __atomic_load_n(&(*fifo)->shared->got, __ATOMIC_ACQUIRE);
	(*fifo)->getter = (*fifo)->putter;
	return 0;
}

int resch_fifo_open(int fd, struct resch_fifo **fifo)
{
	int saved = errno, copy = fcntl(fd, F_DUPFD_CLOEXEC, 0), result;

	result = copy < 0 ? -errno : fifo_join(copy, fifo);
	if (result && copy >= 0)
		close(copy);
	errno = saved;
	return result;
}

void resch_fifo_free(struct resch_fifo *fifo)
{
	if (!fifo)
		return;
	munmap(fifo->shared, fifo->length);
	close(fifo->fd);
	free(fifo);
}

int resch_fifo_fd(const struct resch_fifo *fifo)
{
	return fifo->fd;
}

uint32_t resch_fifo_size(const struct resch_fifo *fifo)
{
	return fifo->size;
}

static char *fifo_item(const struct resch_fifo *fifo, uint64_t number)
{
	return (char *)(fifo->shared + 1) + (size_t)(number & (fifo->slots - 1)) * fifo->size;
}

int resch_fifo_put(struct resch_fifo *fifo, const void *item)
{
	struct side *side = &fifo->putter;

	if (side->put - side->got >= fifo->slots) {
		side->got = __atomic_load_n(&fifo->shared->got, __ATOMIC_ACQUIRE);
		if (side->put - side->got > fifo->slots)
			return -EBADMSG;
		if (side->put - side->got == fifo->slots)
			return -EAGAIN;
	}
	memcpy(fifo_item(fifo, side->put), item, fifo->size);
	side->put++;
	/* pairs with the load in resch_fifo_get(): the item is there before it counts */
	__atomic_store_n(&fifo->shared->put, side->put, __ATOMIC_RELEASE);
	return 0;
}

int resch_fifo_get(struct resch_fifo *fifo, void *item)
{
	struct side *side = &fifo->getter;

	if (side->put == side->got) {
		side->put = __atomic_load_n(&fifo->shared->put, __ATOMIC_ACQUIRE);
		if (side->put - side->got > fifo->slots) {
			side->put = side->got;
			return -EBADMSG;
		}
		if (side->put == side->got)
			return -EAGAIN;
	}
	memcpy(item, fifo_item(fifo, side->got), fifo->size);
	side->got++;
	/* pairs with the load in resch_fifo_put(): the slot is read before it is free */
	__atomic_store_n(&fifo->shared->got, side->got, __ATOMIC_RELEASE);
	return 0;
}
