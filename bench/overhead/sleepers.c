// SPDX-License-Identifier: GPL-2.0
/* sleepers.c - threads that somebody has to look at, and that do nothing */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "measure.h"
#include "result.h"

static void *sleeper(void *arg)
{
	for (;;)
		pause();
	return arg;
}

void sleepers_start(unsigned int count)
{
	pthread_attr_t attr;
	pthread_t thread;
	unsigned int i;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
	for (i = 0; i < count; i++) {
		if (pthread_create(&thread, &attr, sleeper, NULL))
			fail("no thread %u", i + 1);
	}
}

void measure_sleepers(unsigned int count)
{
	sleepers_start(count);
	puts("{\"measure\": \"sleepers\"}");
	fflush(stdout);
	sleeper(NULL);
}
