// SPDX-License-Identifier: GPL-2.0
/* many.c - two thousand tasks on one CPU. resch-test: timeout=180 */
#include "lib.h"

#include <limits.h>

#define MANY 2000

static struct many {
	pthread_t thread;
	uint32_t id;
	int jobs;
} many[MANY];

static atomic_int registered, finished;

static __attribute__((constructor)) void many_limit(void)
{
	test_limit = 150;
}

static void *many_thread(void *arg)
{
	struct many *self = arg;
	struct resch_register reg = periodic((2 + (self - many) % 2) * SEC / 2, MS);
	struct resch_wait job;
	int err;

	reg.params.flags |= RESCH_F_SYNC;
	err = resch_register_self(dev, &reg);
	if (err)
		fail("task %d could not register: %s", (int)(self - many), errno_name(err));
	self->id = reg.id;
	atomic_fetch_add(&registered, 1);
	for (self->jobs = 0; self->jobs < 2; self->jobs++) {
		do
			err = resch_wait(dev, &job);
		while (err == -EINTR);
		if (err)
			fail("task %d, job %d: resch_wait: %s", (int)(self - many), self->jobs + 1,
			     errno_name(err));
		check_is(job.job, self->jobs + 1);
	}
	atomic_fetch_add(&finished, 1);
	return NULL;
}

TEST(many, "two thousand tasks on one CPU: two jobs each, all complete")
{
	uint32_t domain = use("edf");
	pthread_attr_t attr;
	int i;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN > 16384 ? PTHREAD_STACK_MIN : 16384);
	for (i = 0; i < MANY; i++)
		check(!pthread_create(&many[i].thread, &attr, many_thread, &many[i]),
		      "no thread %d", i);
	await(atomic_load(&registered) == MANY);
	check_is(info().tasks, MANY);
	check_is(domain_stat(domain).tasks, MANY);
	/* All in their first wait. */
	for (i = 0; i < MANY; i++)
		await(state_of(many[i].id) == RESCH_STATE_SLEEPING);
	check_is(must(resch_start(dev, domain, 0)), MANY);
	await(atomic_load(&finished) == MANY);
	for (i = 0; i < MANY; i++)
		pthread_join(many[i].thread, NULL);
	check_is(domain_stat(domain).ejections, 0);
	await(tasks_registered() == 0);
}
