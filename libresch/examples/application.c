// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * application.c - two periodic jobs in a server of their own, which is as small as it can be
 *
 * usage: application [DOMAIN [JOBS]]     make one with `reschctl domain set 1 --plugin=server`
 */
#include <errno.h>
#include <inttypes.h>
#include <resch-server.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct work {
	const char *name;
	uint64_t jobs;
	uint64_t first;
};

/* Called at the first release. What the job has to do goes where it counts. */
static void periodic(struct resch_job *job, void *data)
{
	struct work *work = data;

	work->first = resch_job_current(job)->release;
	do
		work->jobs++;
	while (resch_job_next(job) == 1);
}

static int refused(const char *what, int result, const struct resch_verdict *verdict)
{
	char why[RESCH_VERDICT_TEXT];

	if (result == -EBUSY)
		resch_verdict_text(verdict, why, sizeof(why));
	fprintf(stderr, "application: %s: %s\n", what, result == -EBUSY ? why : strerror(-result));
	return 1;
}

int main(int argc, char **argv)
{
	static const struct resch_server_task tasks[] = {
		{ .wcet = 2000000, .period = 20000000 },
		{ .wcet = 5000000, .period = 50000000 },
	};
	struct work work[] = { { .name = "fast" }, { .name = "slow" } };
	struct resch_server_set want = {
		.domain = argc > 1 ? (uint32_t)atoi(argv[1]) : 1,
		.params = {
			.policy = RESCH_SERVER_RM,
			.period = 10000000,
			.cpu = -1,
			.name = "application",
		},
	};
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 100, zero;
	struct resch_verdict verdict;
	struct resch_jobs *jobs;
	int fd, result, i;

	result = resch_server_size(&want.params, tasks, 2, 0, &verdict);
	if (result)
		return refused("no server", result, &verdict);
	printf("server: %" PRIu64 " of %" PRIu64 " ns\n", (uint64_t)want.params.budget,
	       (uint64_t)want.params.period);
	fd = resch_open();
	if (fd < 0) {
		fprintf(stderr, "application: %s\n", resch_open_reason(fd));
		return 1;
	}
	/* A page fault in a job takes longer than the job. */
	mlockall(MCL_CURRENT | MCL_FUTURE);
	result = resch_jobs_new(fd, &want, &jobs);
	if (result)
		return refused("the server", result, &want.verdict);
	for (i = 0; i < 2; i++) {
		struct resch_register reg = RESCH_REGISTER_INIT;

		reg.params.wcet = tasks[i].wcet;
		reg.params.period = tasks[i].period;
		result = resch_jobs_add(jobs, &reg, count, periodic, &work[i]);
		if (result)
			return refused(work[i].name, result, &reg.verdict);
	}
	zero = resch_now() + 100000000;
	result = resch_jobs_start(jobs, zero);
	if (result < 0)
		return refused("the start", result, NULL);
	resch_jobs_join(jobs);
	for (i = 0; i < 2; i++)
		printf("%s: %" PRIu64 " jobs, the first one at zero + %" PRIu64 " ns\n",
		       work[i].name, work[i].jobs, work[i].first - zero);
	return resch_jobs_free(jobs) != 0;
}
