// SPDX-License-Identifier: GPL-2.0
/* main.c - resch-overhead: what resch costs, beside what the kernel's own policies cost */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "measure.h"
#include "result.h"

static _Noreturn void usage(void)
{
	fputs("resch-overhead cycle POLICY OVER [threads]\n"
	      "    POLICY: fifo deadline deadline-yield edf edf-lead fp, or of servers: their kinds (reschctl\n"
	      "    --list server-kinds) but passive and linux, and reclaim; OVER: a policy, other, or idle\n"
	      "resch-overhead crowd POLICY sleeping|ready|cycling TASKS [SERVERS]\n"
	      "    POLICY: edf fp, or of servers\n"
	      "resch-overhead pipe STATE [pinned]\n"
	      "    STATE: any word, for the report\n"
	      "resch-overhead spread POLICY JOBS\n"
	      "    cycle, over an ordinary program, with each value: 1 to 10000 jobs\n"
	      "resch-overhead trips STATE COUNT\n"
	      "    pipe pinned, with each trip by itself: 1 to 10000\n"
	      "resch-overhead pass WAY FROM TO\n"
	      "    from a thread on CPU FROM to one on CPU TO; WAY: eventfd eventfd-below pipe futex edf fp\n"
	      "resch-overhead move BY FROM TO\n"
	      "    a thread, from CPU FROM to CPU TO and back; BY: its own call, or reserves: sekg npsf\n"
	      "resch-overhead calls STATE [CPU]\n"
	      "    single system calls; CPU: one that is guarded, and lent to us before each\n"
	      "resch-overhead calls lent|pinned CPU compute|same|fork|clock\n"
	      "    while all CPUs below it compute, make the same call, fork, or adjust the clock\n"
	      "resch-overhead fault KIND\n"
	      "    single page faults: anonymous cached copied huge swapped limit\n"
	      "resch-overhead fault KIND|none CPU pinned|lent\n"
	      "    nothing else on that CPU, until it is killed\n"
	      "resch-overhead woken BESIDE [CPU]\n"
	      "    how late a timer wakes us; BESIDE: any word, for the report\n"
	      "resch-overhead sleepers COUNT\n"
	      "    so many threads, until it is killed\n"
	      "resch-overhead hold POLICY TASKS\n"
	      "    keeps tasks registered until it is killed\n"
	      "\n"
	      "Prints one JSON object a line. Times are ns; in a guest whose clock counts\n"
	      "instructions they are instructions.\n",
	      stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const char *last = argc > 2 ? argv[argc - 1] : "";

	mlockall(MCL_CURRENT);
	if (!strcmp(what, "cycle") && argc >= 4)
		measure_cycle(argv[2], argv[3], !strcmp(last, "threads"));
	else if (!strcmp(what, "crowd") && (argc == 5 || argc == 6))
		measure_crowd(argv[2], argv[3], (unsigned int)atoi(argv[4]),
			      argc == 6 ? (unsigned int)atoi(argv[5]) : 0);
	else if (!strcmp(what, "pipe") && argc >= 3)
		measure_pipe(argv[2], !strcmp(last, "pinned"));
	else if (!strcmp(what, "spread") && argc == 4)
		measure_spread(argv[2], (uint32_t)atoi(argv[3]));
	else if (!strcmp(what, "trips") && argc == 4)
		measure_trips(argv[2], (uint32_t)atoi(argv[3]));
	else if (!strcmp(what, "pass") && argc == 5)
		measure_pass(argv[2], atoi(argv[3]), atoi(argv[4]));
	else if (!strcmp(what, "move") && argc == 5)
		measure_move(argv[2], atoi(argv[3]), atoi(argv[4]));
	else if (!strcmp(what, "calls") && (argc == 3 || argc == 4))
		measure_calls(argv[2], argc == 4 ? atoi(argv[3]) : -1);
	else if (!strcmp(what, "calls") && argc == 5)
		measure_contended(argv[2], atoi(argv[3]), argv[4]);
	else if (!strcmp(what, "fault") && argc == 3)
		measure_fault(argv[2]);
	else if (!strcmp(what, "fault") && argc == 5)
		measure_faulting(argv[2], atoi(argv[3]), !strcmp(last, "lent"));
	else if (!strcmp(what, "woken") && (argc == 3 || argc == 4))
		measure_woken(argv[2], argc == 4 ? atoi(argv[3]) : -1);
	else if (!strcmp(what, "sleepers") && argc == 3)
		measure_sleepers((unsigned int)atoi(argv[2]));
	else if (!strcmp(what, "hold") && argc == 4)
		measure_hold(argv[2], (unsigned int)atoi(argv[3]));
	else
		usage();
	return 0;
}
