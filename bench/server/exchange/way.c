// SPDX-License-Identifier: GPL-2.0
/* way.c - how a thread is scheduled */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "exchange.h"
#include "thread-attr.h"

static const char *const names[] = { "other", "fifo", "deadline", "server", "passive" };

int way_parse(struct options *options, const char *text)
{
	size_t length = strcspn(text, "="), way;
	const char *rest = text[length] ? text + length + 1 : "";
	unsigned long long budget, period;
	char end;

	for (way = 0; way < sizeof(names) / sizeof(*names); way++)
		if (strlen(names[way]) == length && !strncmp(text, names[way], length))
			break;
	if (way == sizeof(names) / sizeof(*names))
		return -1;
	options->way = (enum way)way;
	if (way == WAY_OTHER)
		return *rest ? -1 : 0;
	if (way == WAY_FIFO)
		return sscanf(rest, "%d%c", &options->priority, &end) == 1 ? 0 : -1;
	if (sscanf(rest, "%llu/%llu%c", &budget, &period, &end) != 2)
		return -1;
	options->budget = budget * 1000;
	options->period = period * 1000;
	return 0;
}

int way_is_resch(const struct options *options)
{
	return options->way == WAY_SERVER || options->way == WAY_PASSIVE;
}

static _Noreturn void refuse(const char *name, const char *why)
{
	printf("refused: %s: %s\n", name, why);
	exit(EXCHANGE_REFUSED);
}

/* A failure that may have a verdict. */
static void check(int result, const struct resch_verdict *verdict, const char *name)
{
	char text[RESCH_VERDICT_TEXT];

	if (!result)
		return;
	if (result != -EBUSY)
		die(name, result);
	resch_verdict_text(verdict, text, sizeof(text));
	refuse(name, text);
}

int way_prepare(const struct options *options, const char *name, uint32_t *server)
{
	struct resch_server_set want = {
		.domain = options->domain,
		.params = { .kind = options->way == WAY_PASSIVE ? RESCH_SERVER_PASSIVE :
								  RESCH_SERVER_CBS_HARD,
			    .budget = options->budget,
			    .period = options->period,
			    .cpu = options->cpu },
	};
	int fd;

	*server = 0;
	if (!way_is_resch(options))
		return -1;
	fd = resch_open();
	if (fd < 0)
		die(resch_open_reason(fd), fd);
	snprintf(want.params.name, sizeof(want.params.name), "%s", name);
	check(resch_server_set(fd, &want), &want.verdict, name);
	*server = want.id;
	return fd;
}

static void enter_server(const struct options *options, int fd, uint32_t server, uint32_t kind,
			 const char *name)
{
	int wakeup = kind == RESCH_WAKEUP;
	struct resch_register reg = {
		.domain = options->domain,
		.params = {
			.kind = kind,
			.period = wakeup ? options->period : options->cycle,
			.wcet = wakeup || !options->wcet ? options->budget : options->wcet,
			.cpu = -1,
			.group = server,
			/*
			 * Who works for others is admitted with them, and has no jobs of its own.
			 */
			.flags = wakeup ? RESCH_F_SKIP_ADMISSION : 0,
		},
	};

	snprintf(reg.params.name, sizeof(reg.params.name), "%s", name);
	check(resch_register_self(fd, &reg), &reg.verdict, name);
}

static void enter_stock(const struct options *options, const char *name)
{
	struct thread_attr attr = { .policy = SCHED_OTHER };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(options->cpu, &cpus);
	if (options->cpu >= 0 && sched_setaffinity(0, sizeof(cpus), &cpus))
		die("affinity", -errno);
	if (options->way == WAY_FIFO) {
		attr.policy = SCHED_FIFO;
		attr.priority = (uint32_t)options->priority;
	} else if (options->way == WAY_DEADLINE) {
		attr.policy = SCHED_DEADLINE;
		attr.runtime = options->budget;
		attr.deadline = options->period;
		attr.period = options->period;
	}
	if (!thread_attr_set(0, &attr))
		return;
	if (errno == EBUSY && options->way == WAY_DEADLINE)
		refuse(name, "SCHED_DEADLINE: over the limit");
	die("scheduling", -errno);
}

void way_enter(const struct options *options, int fd, uint32_t server, uint32_t kind,
	       const char *name)
{
	if (way_is_resch(options))
		enter_server(options, fd, server, kind, name);
	else
		enter_stock(options, name);
}
