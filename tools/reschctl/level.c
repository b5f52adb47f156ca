// SPDX-License-Identifier: GPL-2.0-or-later
/* level.c - reschctl level: RT0, RT1+ and Linux tasks */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/levels.h"
#include "common/program.h"
#include "guard.h"

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
	"      --unguarded         rt0 also on a CPU that no guard keeps others off: they may wait for it for ever\n"
	"      --force             process 1 and kernel threads, too\n"
	"  -h, --help              this text\n";

struct level_options {
	enum level level;
	int32_t cpu;
	uint64_t priority;
	bool has_cpu, threads, unguarded, force;
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

static int take_policy(const struct option_table *table, const struct option_row *row,
		       const char *value)
{
	int policy = class_of(value);

	if (policy != SCHED_FIFO && policy != SCHED_RR)
		return usage(table->command, "--policy=%s: it is %s or %s", value,
			     class_word(SCHED_FIFO), class_word(SCHED_RR));
	*(int *)row->to = policy;
	return -1;
}

/* Return: -1: go on at optind; else an exit status. */
static int level_parse(int argc, char **argv, struct level_options *given)
{
	char classes[16];
	const struct option_row rows[] = {
		{ "cpu", 0, "cpu", option_cpu, &given->cpu, .given = &given->has_cpu },
		{ "policy", 0, classes, take_policy, &given->policy },
		{ "priority", 0, "number", option_number, &given->priority, 1, 98 },
		{ "threads", 0, NULL, option_flag, &given->threads },
		{ "unguarded", 0, NULL, option_flag, &given->unguarded },
		{ "force", 0, NULL, option_flag, &given->force },
		{},
	};
	const struct option_table table = { "level", help, "threads", true, rows };

	snprintf(classes, sizeof(classes), ",%s,%s", class_word(SCHED_FIFO), class_word(SCHED_RR));
	return options_run(argc, argv, &table);
}

/*
 * Visitors of a guarded CPU are taken home when RT0 needs it; where there is no guard all others of
 * that CPU, threads of the kernel included, wait until the thread sleeps.
 * Return: 0, or an exit status after a message
 */
static int level_contained(const struct level_options *given)
{
	uint32_t domain;
	int fd, stands;

	if (given->level != LEVEL_RT0 || given->unguarded)
		return 0;
	fd = device_open();
	if (fd < 0) {
		note("so no CPU is guarded: rt0 would take CPU %d from all others; --unguarded if you mean it",
		     given->cpu);
		return EXIT_NO_MODULE;
	}
	stands = guard_stands(fd, (uint32_t)given->cpu, &domain);
	close(fd);
	if (stands < 0)
		return fail("level: %s", error_text(stands));
	if (stands)
		return 0;
	if (domain)
		return fail("CPU %d is not guarded, rt0 would take it from all others: "
			    "`reschctl guard on %u` first, or --unguarded if you mean it",
			    given->cpu, domain);
	return fail("CPU %d is not guarded, rt0 would take it from all others: "
		    "`reschctl domain set %d --plugin=artis` first, or --unguarded if you mean it",
		    given->cpu, given->cpu);
}

static int level_run(const struct level_options *given, char **program)
{
	int result;

	if (level_contained(given))
		return EXIT_RUN;
	result = level_set(given, 0);
	if (result)
		return fail("%s", strerror(-result)), EXIT_RUN;
	execvp(program[0], program);
	return program_refused(program[0], errno);
}

/* Without whom the machine stands still. */
static bool level_vital(pid_t pid)
{
	return pid == 1 || thread_is_kernels(pid);
}

/* What has become of it, on standard error: it is no result that somebody reads on. */
static void level_tell(const struct level_options *given, pid_t pid)
{
	char path[64], name[32];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (read_text(path, name, sizeof(name)) <= 0)
		return;
	text_clean(name);
	if (given->level == LEVEL_RT0)
		note("thread %d (%s) is RT0 on CPU %d: SCHED_FIFO 99", pid, name, given->cpu);
	else if (given->level == LEVEL_RT1)
		note("thread %d (%s) is RT1+: SCHED_%s %lu", pid, name,
		     given->policy == SCHED_RR ? "RR" : "FIFO", (unsigned long)given->priority);
	else
		note("thread %d (%s) is an ordinary one", pid, name);
}

/* What completions ask: the words that may come first. */
static int level_list(void)
{
	enum level level;

	putchar(':');
	for (level = 0; level < LEVELS; level++)
		printf(",%s", level_word(level));
	putchar('\n');
	return EXIT_DONE;
}

int cmd_level(int argc, char **argv)
{
	struct level_options given = { .policy = SCHED_FIFO, .priority = 50 };
	int result, level;
	uint64_t pid;

	if (argc >= 2 && options_help(argv[1], help))
		return EXIT_DONE;
	if (options_listing && argc < 2)
		return level_list();
	level = argc < 2 ? -EINVAL : level_of(argv[1]);
	if (level < 0)
		return usage("level", "level rt0, level rt1 or level linux");
	given.level = (enum level)level;
	argc--;
	argv++;
	result = level_parse(argc, argv, &given);
	if (result >= 0)
		return result;
	if ((given.level == LEVEL_RT0) != given.has_cpu)
		return usage("level",
			     given.has_cpu ? "--cpu is for rt0" : "rt0 on which CPU? --cpu=N");
	if (given.unguarded && given.level != LEVEL_RT0)
		return usage("level", "--unguarded is for rt0");
	if (!strcmp(argv[optind - 1], "--") && optind < argc)
		return level_run(&given, argv + optind);
	if (optind + 1 != argc || number_parse(argv[optind], INT32_MAX, &pid) || !pid)
		return usage("level", "a process or thread id, or -- and a program");
	if (given.level != LEVEL_LINUX && !given.force && level_vital((pid_t)pid))
		return fail(
			"process 1 and kernel threads are needed by all others: --force if you mean it");
	result = level_contained(&given);
	if (result)
		return result;
	result = given.threads ? level_threads(&given, (pid_t)pid) : level_set(&given, (pid_t)pid);
	if (result == -ESRCH)
		return fail("there is no thread %lu", (unsigned long)pid);
	if (result == -EINVAL)
		return fail("CPU %d is not there, or not for that thread", given.cpu);
	if (result)
		return fail("level: %s", strerror(-result));
	level_tell(&given, (pid_t)pid);
	return EXIT_DONE;
}
