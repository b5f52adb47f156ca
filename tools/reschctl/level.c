// SPDX-License-Identifier: GPL-2.0-or-later
/* level.c - reschctl level: RT0, RT1+ and Linux tasks */
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

static const char help[] =
	"usage: reschctl level rt0 --cpu=N [--threads] PID | -- PROGRAM [ARGUMENT...]\n"
	"       reschctl level rt1 [--policy=fifo|rr] [--priority=N] [--threads] PID | -- PROGRAM [ARGUMENT...]\n"
	"       reschctl level linux [--threads] PID | -- PROGRAM [ARGUMENT...]\n"
	"\n"
	"Moves a running thread, or starts a program, at a level. rt0 has a guarded CPU to itself, system calls\n"
	"included: SCHED_FIFO 99, bound to that CPU. rt1 has a real-time priority, and uses guarded CPUs in user mode\n"
	"only, as ordinary (linux) threads do. Linux after rt0 may run on all CPUs again.\n"
	"\n"
	"      --cpu=N             the CPU of rt0\n"
	"      --policy=POLICY     fifo (default) or rr\n"
	"      --priority=N        1 to 98 (default: 50)\n"
	"      --threads           all threads that the process has now\n"
	"  -h, --help              this text\n";

enum level { LEVEL_RT0, LEVEL_RT1, LEVEL_LINUX };

struct level_options {
	enum level level;
	uint64_t cpu, priority;
	bool has_cpu, threads;
	int policy;
};

/* Return: 0 or -errno. */
static int level_set(const struct level_options *given, pid_t tid)
{
	struct sched_param param;

	switch (given->level) {
	case LEVEL_RT0:
		return resch_enter_rt0(tid, (uint32_t)given->cpu);
	case LEVEL_RT1:
		return resch_enter_rt1plus(tid, given->policy, (int)given->priority);
	default:
		if (sched_getscheduler(tid) == SCHED_FIFO && !sched_getparam(tid, &param) &&
		    param.sched_priority == 99)
			return resch_leave_rt0(tid);
		return resch_leave_rt1plus(tid);
	}
}

static int level_threads(const struct level_options *given, pid_t pid)
{
	DIR *dir = threads_open(pid);
	int result = -ESRCH, one;
	pid_t tid;

	while (dir && (tid = threads_next(dir))) {
		one = level_set(given, tid);
		/* One that has ended meanwhile is no matter. */
		if (one != -ESRCH)
			result = one;
		if (one && one != -ESRCH)
			break;
	}
	if (dir)
		closedir(dir);
	return result;
}

/* Return: -1: go on at optind; else an exit status. */
static int level_parse(int argc, char **argv, struct level_options *given)
{
	static const struct option options[] = {
		{ "cpu", required_argument, NULL, 'c' },
		{ "policy", required_argument, NULL, 'p' },
		{ "priority", required_argument, NULL, 'P' },
		{ "threads", no_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
		switch (option) {
		case 'c':
			if (number_parse(optarg, RESCH_CPUS_MAX - 1, &given->cpu))
				return usage("level", "--cpu=%s: it is the number of a CPU",
					     optarg);
			given->has_cpu = true;
			break;
		case 'p':
			if (strcmp(optarg, "fifo") && strcmp(optarg, "rr"))
				return usage("level", "--policy=%s: it is fifo or rr", optarg);
			given->policy = strcmp(optarg, "rr") ? SCHED_FIFO : SCHED_RR;
			break;
		case 'P':
			if (number_parse(optarg, 98, &given->priority) || !given->priority)
				return usage("level", "--priority=%s: it is 1 to 98", optarg);
			break;
		case 't':
			given->threads = true;
			break;
		case 'h':
			fputs(help, stdout);
			return EXIT_DONE;
		default:
			return options_bad("level", argv);
		}
	}
	return -1;
}

static int level_run(const struct level_options *given, char **program)
{
	int result = level_set(given, 0);

	if (result)
		return fail("%s", strerror(-result)), EXIT_RUN;
	execvp(program[0], program);
	return program_refused(program[0], errno);
}

int cmd_level(int argc, char **argv)
{
	static const char *const names[] = { "rt0", "rt1", "linux" };
	struct level_options given = { .policy = SCHED_FIFO, .priority = 50 };
	uint64_t pid;
	int result;

	if (argc >= 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(help, stdout);
		return EXIT_DONE;
	}
	for (given.level = LEVEL_RT0; argc >= 2 && given.level <= LEVEL_LINUX; given.level++) {
		if (!strcmp(argv[1], names[given.level]))
			break;
	}
	if (argc < 2 || given.level > LEVEL_LINUX)
		return usage("level", "level rt0, level rt1 or level linux");
	argc--;
	argv++;
	result = level_parse(argc, argv, &given);
	if (result >= 0)
		return result;
	if ((given.level == LEVEL_RT0) != given.has_cpu)
		return usage("level",
			     given.has_cpu ? "--cpu is for rt0" : "rt0 on which CPU? --cpu=N");
	if (!strcmp(argv[optind - 1], "--") && optind < argc)
		return level_run(&given, argv + optind);
	if (optind + 1 != argc || number_parse(argv[optind], INT32_MAX, &pid) || !pid)
		return usage("level", "a process or thread id, or -- and a program");
	result = given.threads ? level_threads(&given, (pid_t)pid) : level_set(&given, (pid_t)pid);
	if (result == -ESRCH)
		return fail("there is no thread %lu", (unsigned long)pid);
	if (result == -EINVAL)
		return fail("CPU %lu is not there, or not for that thread",
			    (unsigned long)given.cpu);
	return result ? fail("level: %s", strerror(-result)) : EXIT_DONE;
}
