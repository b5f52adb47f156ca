// SPDX-License-Identifier: GPL-2.0
/*
 * pretended_device.c - a /dev/resch for programs that know no better: preloaded, it answers from a
 * file
 *
 * The file that RESCH_FAKE names has lines of
 *
 *   domain ID CPU-MASK PLUGIN
 *   plan SLOT FROM
 *   reserve GROUP CPU BEGIN END
 *   task ID GROUP WCET PERIOD NAME [MISSES]
 *   lead TASK LEAD WAY LATE  of one of these
 *   refuse TASK              the next plan is, and a lead of that task
 *   chain ID NAME MISSES     of two stages; with each look 10 more instances are complete, after 3
 *                            and 2 ms, and MISSES more too late
 *
 * and gets what is asked of it appended: "set DOMAIN SLOT FROM COUNT" and COUNT lines of "to GROUP
 * CPU BEGIN END" for each plan, "plugin DOMAIN NAME" for each domain that changes. All times are
 * ns. Together with pretended_machine.c it keeps what it is told where RESCH_MACHINE is set.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/resch.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "opened.h"
#include "pretended_machine.h"

static int fake_fd = -1;

static int opened(const char *path, int flags, int mode, open_function *next)
{
	if (strcmp(path, RESCH_DEVICE))
		return next(path, flags, mode);
	fake_fd = next("/dev/null", O_RDWR);
	return fake_fd;
}

/* Calls @look with each line until that returns not 0. */
static int lines(int (*look)(const char *line, void *arg), void *arg)
{
	FILE *file = fopen(getenv("RESCH_FAKE"), "r");
	char line[256];
	int found = 0;

	while (file && !found && fgets(line, sizeof(line), file))
		found = look(line, arg);
	if (file)
		fclose(file);
	return found;
}

static int answer(int error)
{
	if (!error)
		return 0;
	errno = -error;
	return -1;
}

static int look_lead(const char *line, void *arg)
{
	struct resch_task_stat *stat = arg;
	unsigned long long lead, way, late;
	unsigned int id;

	if (sscanf(line, "lead %u %llu %llu %llu", &id, &lead, &way, &late) != 4 || id != stat->id)
		return 0;
	stat->lead = lead;
	stat->lead_way = way;
	stat->lead_late = late;
	return 0;
}

static int count_task(const char *line, void *arg)
{
	struct resch_domain_stat *stat = arg;

	stat->tasks += !strncmp(line, "task ", 5);
	return 0;
}

static int look_domain(const char *line, void *arg)
{
	struct resch_domain_stat *stat = arg;
	unsigned long long mask;
	unsigned int id;
	char plugin[16];

	if (sscanf(line, "domain %u %llx %15s", &id, &mask, plugin) != 3 || id <= stat->domain)
		return 0;
	memset(stat, 0, sizeof(*stat));
	stat->domain = id;
	stat->cpus.bits[0] = mask;
	strcpy(stat->plugin, plugin);
	lines(count_task, stat);
	return 1;
}

static int look_task(const char *line, void *arg)
{
	struct resch_task_stat *stat = arg;
	struct resch_task_stat found = { .pid = 1, .domain = 1, .state = RESCH_STATE_SLEEPING };
	unsigned long long wcet, period, misses = 0;

	if (sscanf(line, "task %u %u %llu %llu %15s %llu", &found.id, &found.params.group, &wcet,
		   &period, found.params.name, &misses) < 5 ||
	    found.id <= stat->id)
		return 0;
	found.params.wcet = wcet;
	found.params.period = period;
	found.misses = misses;
	lines(look_lead, &found);
	*stat = found;
	return 1;
}

/* A look at all of them ends with the one that finds no more. */
static unsigned int looks = 1;

static int look_chain(const char *line, void *arg)
{
	struct resch_chain_stat *stat = arg, found = { .count = 2, .protocol = RESCH_CHAIN_RG };
	struct resch_stage_stat *stages = (struct resch_stage_stat *)(uintptr_t)stat->stages;
	unsigned int misses;

	if (sscanf(line, "chain %u %15s %u", &found.id, found.name, &misses) != 3 ||
	    (stat->next ? found.id <= stat->id : found.id != stat->id))
		return 0;
	found.instances = found.completed = 10 * looks;
	found.missed = misses * looks;
	found.response_total = found.completed * 5000000;
	found.response_max = 5000000 + found.id;
	stages[0] = (struct resch_stage_stat){ .completed = found.completed,
					       .response_total = found.completed * 3000000 };
	stages[1] = (struct resch_stage_stat){ .completed = found.completed,
					       .response_total = found.completed * 5000000,
					       .waiting = found.id };
	*stat = found;
	return 1;
}

static int chain_stat(struct resch_chain_stat *stat)
{
	if (lines(look_chain, stat))
		return 0;
	looks++;
	return -ENOENT;
}

static int chain_del(const struct resch_chain_del *del)
{
	struct resch_stage_stat stages[2];
	struct resch_chain_stat stat = { .id = del->id, .stages = (uintptr_t)stages };

	return lines(look_chain, &stat) ? 0 : -ENOENT;
}

static int look_plan(const char *line, void *arg)
{
	struct resch_plan_get *get = arg;
	struct resch_reserve *reserves = (struct resch_reserve *)(uintptr_t)get->reserves;
	unsigned long long begin, end;
	unsigned int group, cpu;

	if (sscanf(line, "plan %llu %llu", &begin, &end) == 2) {
		get->slot = begin;
		get->from = end;
	}
	if (sscanf(line, "reserve %u %u %llu %llu", &group, &cpu, &begin, &end) == 4)
		reserves[get->count++] = (struct resch_reserve){ begin, end, group, cpu };
	return 0;
}

static int look_refuse(const char *line, void *arg)
{
	struct resch_plan_set *want = arg;
	unsigned int task;

	if (sscanf(line, "refuse %u", &task) != 1)
		return 0;
	want->verdict = (struct resch_verdict){
		.bound = RESCH_BOUND_RESERVE, .task = task, .value = 3000, .limit = 2000
	};
	return -EBUSY;
}

static int plan_set(struct resch_plan_set *want)
{
	const struct resch_reserve *reserves =
		(const struct resch_reserve *)(uintptr_t)want->reserves;
	int refused = lines(look_refuse, want);
	struct timespec now;
	FILE *file;
	uint32_t i;

	if (refused)
		return answer(refused);
	clock_gettime(CLOCK_MONOTONIC, &now);
	file = fopen(getenv("RESCH_FAKE"), "a");
	fprintf(file, "set %u %llu %llu %u\n", want->domain, (unsigned long long)want->slot,
		(unsigned long long)want->from, want->count);
	for (i = 0; i < want->count; i++)
		fprintf(file, "to %u %u %llu %llu\n", reserves[i].group, reserves[i].cpu,
			(unsigned long long)reserves[i].begin, (unsigned long long)reserves[i].end);
	fclose(file);
	want->from = (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
	return 0;
}

static int lead_set(struct resch_lead *want)
{
	struct resch_task_stat stat = { .id = want->id - 1 };
	struct resch_plan_set refused = {};
	FILE *file;

	if (!lines(look_task, &stat) || stat.id != want->id)
		return -ENOENT;
	if (want->lead >= RESCH_LEAD_MAX)
		return -EINVAL;
	if (lines(look_refuse, &refused) && refused.verdict.task == want->id) {
		want->verdict = refused.verdict;
		return -EBUSY;
	}
	file = fopen(getenv("RESCH_FAKE"), "a");
	fprintf(file, "lead %u %llu 0 0\n", want->id, (unsigned long long)want->lead);
	fclose(file);
	return 0;
}

static int domain_set(struct resch_domain_set *want)
{
	FILE *file = fopen(getenv("RESCH_FAKE"), "a");

	fprintf(file, "plugin %u %s\n", want->domain, want->plugin);
	fclose(file);
	want->domain = want->domain ? want->domain : 9;
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int file, unsigned long number, ...) = dlsym(RTLD_NEXT, "ioctl");
	va_list list;
	void *arg;
	int result;

	va_start(list, request);
	arg = va_arg(list, void *);
	va_end(list);
	if (fd != fake_fd || _IOC_TYPE(request) != RESCH_IOC_MAGIC)
		return next(fd, request, arg);
	result = machine_ioctl ? machine_ioctl(request, arg) : 1;
	if (result <= 0)
		return answer(result);
	switch (request) {
	case RESCH_IOC_INFO:
		memset(arg, 0, sizeof(struct resch_info));
		((struct resch_info *)arg)->abi = RESCH_ABI_VERSION;
		return 0;
	case RESCH_IOC_DOMAIN_STAT:
		return answer(lines(look_domain, arg) ? 0 : -ENOENT);
	case RESCH_IOC_TASK_STAT:
		return answer(lines(look_task, arg) ? 0 : -ENOENT);
	case RESCH_IOC_LEAD:
		return answer(lead_set(arg));
	case RESCH_IOC_PLAN_GET:
		((struct resch_plan_get *)arg)->count = 0;
		return answer(lines(look_plan, arg));
	case RESCH_IOC_PLAN_SET:
		return plan_set(arg);
	case RESCH_IOC_DOMAIN_SET:
		return domain_set(arg);
	case RESCH_IOC_CHAIN_STAT:
		return answer(chain_stat(arg));
	case RESCH_IOC_CHAIN_DEL:
		return answer(chain_del(arg));
	default:
		return answer(-ENOTTY);
	}
}
