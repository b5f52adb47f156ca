// SPDX-License-Identifier: GPL-2.0
/* policy.c - the ways of being scheduled that are compared */
#include <resch.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "policy.h"
#include "result.h"
#include "task.h"
#include "thread-attr.h"

/* Of one second in which the kernel lets real-time tasks have 0.95. */
#define DEADLINE_SHARE_URGENT 20 /* percent */
#define DEADLINE_SHARE_LATER 70
#define DEADLINE_PERIOD_LATER 250000000u
#define RESCH_PERIOD_LATER 3600000000000u
/* More than the longest way to user mode, in instructions. */
#define LEAD 8000

/* Budgets of these last for all that is measured. */
#define SERVER_PERIOD_NEXT 10000000000u
#define SERVER_PERIOD_LATER 100000000000u

#define SERVERS(what) \
	.kind = POLICY_RESCH, .plugin = "server", .serves = true, .server_kind = (what)

static const struct policy policies[] = {
	{ .name = "fifo", .kind = POLICY_FIFO },
	{ .name = "deadline", .kind = POLICY_DEADLINE },
	{ .name = "deadline-yield", .kind = POLICY_YIELD },
	{ .name = "edf", .kind = POLICY_RESCH, .plugin = "edf" },
	{ .name = "edf-lead", .kind = POLICY_RESCH, .plugin = "edf", .lead = LEAD },
	{ .name = "fp", .kind = POLICY_RESCH, .plugin = "fp" },
	{ SERVERS(RESCH_SERVER_CBS_HARD) },
	{ SERVERS(RESCH_SERVER_CBS) },
	{ SERVERS(RESCH_SERVER_CUS) },
	{ SERVERS(RESCH_SERVER_TBS) },
	{ SERVERS(RESCH_SERVER_CBS_HARD), .name = "reclaim",
	  .server_flags = RESCH_SERVER_F_RECLAIM },
	{ .name = "other", .kind = POLICY_OTHER },
};

static uint32_t resch_domain;

const struct policy *policy_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(policies) / sizeof(*policies); i++) {
		const struct policy *policy = &policies[i];

		if (!strcmp(policy->name ? policy->name :
					   resch_server_kind_name(policy->server_kind),
			    name))
			return policy;
	}
	return NULL;
}

static void enter_deadline(uint64_t period, unsigned int percent)
{
	struct thread_attr attr = {
		.policy = SCHED_DEADLINE,
		.runtime = period * percent / 100,
		.deadline = period,
		.period = period,
	};

	must(thread_attr_set(0, &attr), "SCHED_DEADLINE");
}

static void enter_fifo(int priority)
{
	struct sched_param param = { .sched_priority = priority };

	must(sched_setscheduler(0, SCHED_FIFO, &param), "SCHED_FIFO");
}

void policy_register(int fd, uint64_t period, uint64_t deadline, uint64_t offset,
		     unsigned int priority, unsigned int server)
{
	struct resch_register reg = {
		.params = {
			.period = period,
			.deadline = deadline,
			.wcet = period / 5,
			.offset = offset,
			.kind = RESCH_PERIODIC,
			.priority = priority,
			.group = server,
			.cpu = 0,
			.flags = RESCH_F_SYNC | RESCH_F_SKIP_ADMISSION,
		},
	};

	must(resch_register_self(fd, &reg), "registering a task");
}

static int open_resch(void)
{
	int fd = resch_open();

	if (fd < 0)
		fail("%s", resch_open_reason(fd));
	return fd;
}

void policy_call(struct call *call, int fd)
{
	*call = (struct call){ .number = SYS_fdatasync,
			       .args = { fd },
			       .fd = fd }; /* as resch_wait() does */
}

void policy_enter(const struct policy *policy, enum urgency urgency, uint64_t period,
		  struct call *call)
{
	pin(0);
	memset(call, 0, sizeof(*call));
	call->fd = -1;
	call->number = SYS_clock_nanosleep;
	call->args[0] = CLOCK_MONOTONIC;
	call->args[1] = TIMER_ABSTIME;
	call->args[2] = (long)&call->until;
	switch (policy->kind) {
	case POLICY_OTHER:
		break;
	case POLICY_FIFO:
		enter_fifo(urgency == URGENT ? 90 : 50);
		break;
	case POLICY_YIELD:
		if (urgency == URGENT)
			call->number = SYS_sched_yield;
		/* fallthrough */
	case POLICY_DEADLINE:
		if (urgency == URGENT)
			enter_deadline(period, DEADLINE_SHARE_URGENT);
		else
			enter_deadline(DEADLINE_PERIOD_LATER, DEADLINE_SHARE_LATER);
		break;
	case POLICY_RESCH:
		policy_call(call, open_resch());
		if (urgency == URGENT)
			policy_register(call->fd, period, period, 0, 1, policy->serves ? 1 : 0);
		else
			policy_register(call->fd, RESCH_PERIOD_LATER, RESCH_PERIOD_LATER, 0, 2,
					policy->serves ? 2 : 0);
		if (urgency == URGENT && policy->lead)
			must(resch_lead_set(call->fd, 0, policy->lead, NULL), "a lead");
		break;
	}
}

void policy_prepare(const struct policy *policy)
{
	struct resch_domain_set want = { 0 };
	int fd;

	if (policy->kind != POLICY_RESCH)
		return;
	fd = open_resch();
	resch_cpus_add(&want.cpus, 0);
	strcpy(want.plugin, policy->plugin);
	if (!strcmp(policy->plugin, "fp"))
		strcpy(want.options, "order=explicit");
	must(resch_domain_set(fd, &want), "making a domain");
	resch_domain = want.domain;
	close(fd);
}

static void server_add(const struct policy *policy, int fd, uint64_t period, double share)
{
	struct resch_server_set want = {
		.domain = resch_domain,
		.params = { .budget = (uint64_t)((double)period * share),
			    .period = period,
			    .kind = policy->server_kind,
			    .cpu = 0,
			    .flags = policy->server_flags | RESCH_SERVER_F_PERSIST },
	};

	must(resch_server_set(fd, &want), "making a server");
}

void policy_serve(const struct policy *policy, unsigned int count, uint64_t period)
{
	unsigned int i;
	int fd;

	if (!policy->serves)
		return;
	fd = open_resch();
	server_add(policy, fd, period, 0.2);
	server_add(policy, fd, SERVER_PERIOD_NEXT, 0.4);
	for (i = 2; i < count; i++)
		server_add(policy, fd, SERVER_PERIOD_LATER, 0.3 / (count - 2));
	close(fd);
}

void policy_serve_alike(const struct policy *policy, unsigned int count, uint64_t period)
{
	unsigned int i;
	int fd;

	if (!policy->serves)
		return;
	fd = open_resch();
	for (i = 0; i < count; i++)
		server_add(policy, fd, count * period, 0.9 / count);
	close(fd);
}

void policy_finish(const struct policy *policy)
{
	int fd, err;

	if (policy->kind != POLICY_RESCH)
		return;
	fd = open_resch();
	do {
		usleep(10000);
		err = resch_domain_del(fd, resch_domain);
	} while (err == -16);
	must(err, "removing the domain");
	close(fd);
}

void policy_start(const struct policy *policy, uint64_t base)
{
	int fd;

	if (policy->kind != POLICY_RESCH)
		return;
	fd = open_resch();
	if (must(resch_start(fd, resch_domain, base), "starting the tasks") == 0)
		fail("no task waits for its start");
	close(fd);
}
