// SPDX-License-Identifier: GPL-2.0
/* memory.c - loads of the memory management: new processes, and mappings that go away */
#include <err.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load.h"
#include "relax.h"

#define PAGE 4096
#define PAGES 64

static char *fresh(const char *who)
{
	char *memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	if (memory == MAP_FAILED)
		err(1, "%s: memory", who);
	return memory;
}

/* A fault a page. */
static void touch(char *memory)
{
	unsigned int page;

	for (page = 0; page < PAGES; page++)
		((volatile char *)memory)[(size_t)page * PAGE]++;
}

/* Page tables are copied, written pages too, and all of it is given back. */
void load_fork(volatile uint64_t *done, const char *disk, unsigned int worker)
{
	char *memory = fresh("fork");

	(void)disk;
	(void)worker;
	touch(memory);
	for (;;) {
		pid_t child = fork();

		if (child < 0)
			err(1, "fork");
		if (!child) {
			touch(memory);
			_exit(0);
		}
		if (waitpid(child, NULL, 0) != child)
			err(1, "fork: wait");
		(*done)++;
	}
}

/* So that the address space is in use on another CPU, too. */
static void *other(void *unused)
{
	unsigned int i;

	for (i = 0;; i++)
		if (!(i & 127))
			relax();
	return unused;
}

/* What is unmapped has to be forgotten by each CPU that runs one of these threads: interrupts. */
void load_unmap(volatile uint64_t *done, const char *disk, unsigned int worker)
{
	pthread_t thread;

	(void)disk;
	(void)worker;
	if (pthread_create(&thread, NULL, other, NULL))
		errx(1, "unmap: no thread");
	for (;;) {
		char *memory = fresh("unmap");

		touch(memory);
		if (munmap(memory, PAGES * PAGE))
			err(1, "unmap");
		(*done)++;
	}
}
