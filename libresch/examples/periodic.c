// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * periodic.c - a job every 10 ms, with 2 ms of execution time promised to it
 *
 * usage: periodic [CPU [JOBS]]; the CPU must be in a domain: `reschctl domain set 1 --plugin edf`
 */
#include <errno.h>
#include <inttypes.h>
#include <resch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	struct resch_register reg = RESCH_REGISTER_INIT;
	uint64_t jobs = argc > 2 ? strtoull(argv[2], NULL, 10) : 100;
	char why[RESCH_VERDICT_TEXT];
	struct resch_task_stat stat;
	struct resch_wait job = {};
	int fd, result;

	reg.params.kind = RESCH_PERIODIC;
	reg.params.period = 10000000;
	reg.params.wcet = 2000000;
	reg.params.cpu = argc > 1 ? atoi(argv[1]) : 1;
	strcpy(reg.params.name, "periodic");
	fd = resch_open();
	if (fd < 0) {
		fprintf(stderr, "periodic: %s\n", resch_open_reason(fd));
		return 1;
	}
	/* A page fault in a job takes longer than the job. */
	mlockall(MCL_CURRENT | MCL_FUTURE);

	result = resch_register_self(fd, &reg);
	if (result == -EBUSY) {
		resch_verdict_text(&reg.verdict, why, sizeof(why));
		fprintf(stderr, "periodic: refused: %s\n", why);
		return 1;
	}
	if (result) {
		fprintf(stderr, "periodic: cannot register: %s\n", strerror(-result));
		return 1;
	}

	while (job.job < jobs) {
		/*
		 * The first call waits for the first release; each later one ends a job and waits
		 * for the next.
		 */
		result = resch_wait(fd, &job);
		if (result == -EINTR)
			continue;
		if (result) {
			fprintf(stderr, "periodic: the registration ended: %s\n",
				strerror(-result));
			return 1;
		}
		/* The work of one job goes here, and is complete before job.deadline. */
	}

	result = resch_task_stat(fd, 0, &stat);
	if (!result)
		printf("%" PRIu64 " jobs, %" PRIu64 " misses, response at most %" PRIu64 " ns\n",
		       (uint64_t)stat.completed, (uint64_t)stat.misses,
		       (uint64_t)stat.response_max);
	/* The end of the program closes the descriptor, and that ends the registration. */
	return 0;
}
