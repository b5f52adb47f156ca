// SPDX-License-Identifier: GPL-2.0
/* test_libresch_fifo.c - what one thread puts another one gets: all of it, once, in order */
#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "resch-fifo.h"
#include "rig.h"

/* Where the counters are: what the other side can write. */
#define PUT_AT 64
#define GOT_AT 128

static struct resch_fifo *fresh(uint32_t slots, uint32_t size)
{
	struct resch_fifo *fifo = NULL;

	assert_int_equal(resch_fifo_new(slots, size, &fifo), 0);
	return fifo;
}

static void test_sizes(void **state)
{
	static const struct {
		uint32_t slots, size;
	} bad[] = { { 0, 4 },
		    { 3, 4 },
		    { 1, 0 },
		    { 1U << 25, 1 },
		    { 1, (1U << 20) + 1 },
		    { 1U << 12, 1U << 20 } };
	struct resch_fifo *fifo;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(resch_fifo_new(bad[i].slots, bad[i].size, &fifo), -EINVAL);
	fifo = fresh(1, 1 << 20);
	assert_int_equal(resch_fifo_size(fifo), 1 << 20);
	assert_true(resch_fifo_fd(fifo) >= 0);
	assert_true(fcntl(resch_fifo_fd(fifo), F_GETFD) & FD_CLOEXEC);
	resch_fifo_free(fifo);
	resch_fifo_free(NULL);
}

/* Laps of each length, so that full, empty and the seam meet in all ways. */
static void test_laps(void **state)
{
	uint32_t slots, in = 0, out = 0, got, filled, i;

	for (slots = 1; slots <= 16; slots *= 2) {
		struct resch_fifo *fifo = fresh(slots, sizeof(in));

		for (filled = 0; filled <= slots; filled++) {
			assert_int_equal(resch_fifo_get(fifo, &got), -EAGAIN);
			for (i = 0; i < filled; i++, in++)
				assert_int_equal(resch_fifo_put(fifo, &in), 0);
			if (filled == slots)
				assert_int_equal(resch_fifo_put(fifo, &in), -EAGAIN);
			for (i = 0; i < filled; i++, out++) {
				assert_int_equal(resch_fifo_get(fifo, &got), 0);
				assert_int_equal(got, out);
			}
		}
		resch_fifo_free(fifo);
	}
}

/* ---- two threads ----------------------------------------------------------------------------- */

#define ITEMS 200000

struct item {
	uint64_t number, words[3];
};

static void *putter(void *argument)
{
	struct resch_fifo *fifo = argument;
	struct item item = {};

	for (item.number = 0; item.number < ITEMS;) {
		item.words[0] = item.words[1] = item.words[2] = ~item.number;
		if (!resch_fifo_put(fifo, &item))
			item.number++;
		else
			sched_yield();
	}
	return NULL;
}

/* Return: how many came in order, and whole */
static uint64_t get_all(struct resch_fifo *fifo)
{
	uint64_t number = 0;
	struct item item;

	while (number < ITEMS) {
		if (resch_fifo_get(fifo, &item)) {
			sched_yield();
			continue;
		}
		if (item.number != number || item.words[0] != ~number || item.words[1] != ~number ||
		    item.words[2] != ~number)
			break;
		number++;
	}
	return number;
}

static void test_threads(void **state)
{
	static const uint32_t slots[] = { 1, 2, 64, 4096 };
	size_t i;

	for (i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		struct resch_fifo *fifo = fresh(slots[i], sizeof(struct item));
		pthread_t thread;

		assert_int_equal(pthread_create(&thread, NULL, putter, fifo), 0);
		assert_int_equal(get_all(fifo), ITEMS);
		pthread_join(thread, NULL);
		resch_fifo_free(fifo);
	}
}

static void test_processes(void **state)
{
	struct resch_fifo *fifo = fresh(64, sizeof(struct item)), *end;
	struct item item = {};
	int status;
	pid_t pid = fork();

	if (!pid) {
		/* Not what it inherited, but what it was passed. */
		if (resch_fifo_open(resch_fifo_fd(fifo), &end))
			_exit(2);
		putter(end);
		_exit(0);
	}
	assert_int_equal(get_all(fifo), ITEMS);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* Who opens it later goes on where it is. */
	assert_int_equal(resch_fifo_open(resch_fifo_fd(fifo), &end), 0);
	item.number = 7;
	assert_int_equal(resch_fifo_put(end, &item), 0);
	resch_fifo_free(end);
	assert_int_equal(resch_fifo_get(fifo, &item), 0);
	assert_int_equal(item.number, 7);
	resch_fifo_free(fifo);
}

/* ---- the other side -------------------------------------------------------------------------- */

static void test_no_fifo(void **state)
{
	char header[192] = {};
	struct resch_fifo *fifo = NULL, *one = fresh(4, 8);
	int fd = memfd_create("x", MFD_ALLOW_SEALING), zero = open("/dev/zero", O_RDWR);

	assert_int_equal(resch_fifo_open(-1, &fifo), -EBADF);
	assert_int_equal(resch_fifo_open(zero, &fifo), -EINVAL);
	assert_int_equal(resch_fifo_open(fd, &fifo), -EINVAL);
	/* As one is, but its maker could take memory away. */
	assert_int_equal(pread(resch_fifo_fd(one), header, sizeof(header), 0), sizeof(header));
	assert_int_equal(pwrite(fd, header, sizeof(header), 0), sizeof(header));
	assert_int_equal(ftruncate(fd, 192 + 32), 0);
	assert_int_equal(resch_fifo_open(fd, &fifo), -EINVAL);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
	assert_int_equal(resch_fifo_open(fd, &fifo), 0);
	resch_fifo_free(fifo);
	/* Of another length than it says. */
	header[4] = 8;
	assert_int_equal(pwrite(fd, header, sizeof(header), 0), sizeof(header));
	assert_int_equal(resch_fifo_open(fd, &fifo), -EINVAL);
	assert_int_equal(ftruncate(resch_fifo_fd(one), 0), -1);
	resch_fifo_free(one);
	close(fd);
	close(zero);
}

/* Nonsense in the memory is told, and nothing outside of it is touched. */
static void test_hostile(void **state)
{
	static const uint64_t wrong[] = { 5, 1ULL << 32, UINT64_MAX, 1ULL << 63 };
	uint64_t item = 1;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct resch_fifo *fifo = fresh(4, sizeof(item));
		char *shared =
			mmap(NULL, 192, PROT_READ | PROT_WRITE, MAP_SHARED, resch_fifo_fd(fifo), 0);
		uint32_t huge = 1 << 20;

		/* Sizes are not asked again. */
		memcpy(shared + 4, &huge, sizeof(huge));
		memcpy(shared + 8, &huge, sizeof(huge));
		memcpy(shared + PUT_AT, &wrong[i], sizeof(wrong[i]));
		assert_int_equal(resch_fifo_get(fifo, &item), -EBADMSG);
		assert_int_equal(resch_fifo_get(fifo, &item), -EBADMSG);
		memset(shared + PUT_AT, 0, 8);
		assert_int_equal(resch_fifo_get(fifo, &item), -EAGAIN);
		while (!resch_fifo_put(fifo, &item))
			;
		memcpy(shared + GOT_AT, &wrong[i], sizeof(wrong[i]));
		assert_int_equal(resch_fifo_put(fifo, &item), -EBADMSG);
		memset(shared + GOT_AT, 0, 8);
		assert_int_equal(resch_fifo_put(fifo, &item), -EAGAIN);
		munmap(shared, 192);
		resch_fifo_free(fifo);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),	cmocka_unit_test(test_laps),
		cmocka_unit_test(test_threads), cmocka_unit_test(test_processes),
		cmocka_unit_test(test_no_fifo), cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
