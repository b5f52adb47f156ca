// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * oris.c - figure 7 of the paper on ORiS Linux, typed in: an application that needs half of a CPU
 *
 * usage: oris [INSTANCES]     make a domain with `reschctl domain set 1 --plugin=server`
 */
#include <resch-oris.h>
#include <stdio.h>

static unsigned int instances;

/* The work of each job goes where it counts. */
static void RealTimeJobFunction_1(void *data)
{
	(void)data;
	for (;;) {
		instances++;
		if (!RT_rewind())
			break;
	}
}

int main(int argc, char **argv)
{
	KSERVER application = { 0 }, *server = &application;
	KRRTASK task = { 0 }, *RTtask = &task;
	int SerId;

	server->type = ConstantUtilizationServer;
	server->algorithm = RateMonotonic;
	server->size = 5000; /* acceptance test */
	SerId = RT_init_server(server);
	if (SerId == -1) {
		perror("RT_init_server() fails");
		return 1;
	}
	RTtask->id = SerId;
	RTtask->period = 4; /* ticks */
	RTtask->executionTime = 2;
	RTtask->readyTime = 10;
	RTtask->relativeDeadline = 4;
	RTtask->totalInstance = argc > 1 ? (unsigned int)atoi(argv[1]) : 256;
	if (RT_add_job(RealTimeJobFunction_1, NULL, RTtask)) {
		perror("RT_add_job() fails");
		return 1;
	}
	if (RT_start_job(SerId)) {
		perror("RT_start_job() fails");
		return 1;
	}
	if (resch_oris_end(SerId)) {
		perror("the server stays");
		return 1;
	}
	printf("%u instances\n", instances);
	return 0;
}
