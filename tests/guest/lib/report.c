// SPDX-License-Identifier: GPL-2.0
/* report.c - what the module says about everything, see report.h */
#include "report.h"

#include <dirent.h>
#include <stdarg.h>

void report_say(struct report *report, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report->length += vsnprintf(report->text + report->length,
				    sizeof(report->text) - report->length, format, args);
	va_end(args);
	check(report->length < sizeof(report->text), "a report of more than %zu characters",
	      sizeof(report->text));
}

static void report_plan(struct report *report, uint32_t domain)
{
	struct resch_reserve reserves[16];
	struct resch_plan_get get = { .domain = domain,
				      .count = 16,
				      .reserves = (uintptr_t)reserves };
	uint32_t i;

	must(call(dev, RESCH_IOC_PLAN_GET, &get));
	if (!get.count)
		return;
	report_say(report, "  plan of %llu ns:", (unsigned long long)get.slot);
	for (i = 0; i < get.count && i < 16; i++)
		report_say(report, " %u on %u %llu-%llu", reserves[i].group, reserves[i].cpu,
			   (unsigned long long)reserves[i].begin,
			   (unsigned long long)reserves[i].end);
	report_say(report, "\n");
}

static void report_guard(struct report *report, uint32_t domain)
{
	struct resch_guard_stat guard = { .domain = domain, .cpu = -1 };
	struct resch_balance_stat balance = { .domain = domain, .cpu = -1 };
	unsigned int i;

	must(call(dev, RESCH_IOC_GUARD_STAT, &guard));
	if (!guard.flags)
		return;
	must(call(dev, RESCH_IOC_BALANCE_STAT, &balance));
	report_say(report, "  guard %#x balance %#x in force %#x exempt", guard.flags,
		   balance.policies, balance.in_force);
	for (i = 0; i < RESCH_CALLS_MAX / 64; i++)
		report_say(report, " %#llx", (unsigned long long)guard.exempt.bits[i]);
	report_say(report, "\n");
}

static void report_servers(struct report *report, uint32_t domain)
{
	struct resch_server_stat stat = { .domain = domain };
	const struct resch_server_params *params = &stat.params;

	while (must(resch_server_next(dev, &stat)) == 1)
		report_say(report,
			   "  server %llu/%llu quantum %llu kind %u policy %u cpu %d flags %#x "
			   "\"%s\" tasks %u band %d %s(%s)%s holder %u %u: %u %u %u\n",
			   (unsigned long long)params->budget, (unsigned long long)params->period,
			   (unsigned long long)params->quantum, params->kind, params->policy,
			   params->cpu, params->flags, params->name, stat.tasks, stat.band != 0,
			   stat.plugin, stat.options, stat.fault, stat.holder, stat.who,
			   stat.holder_tasks, stat.holder_priority, stat.holder_rate);
}

static void report_domains(struct report *report)
{
	struct resch_domain_stat stat = {};

	while (must(resch_domain_next(dev, &stat)) == 1) {
		report_say(report,
			   "domain %#llx %s(%s) capacity %u overhead %u tasks %u ejections %u\n",
			   (unsigned long long)stat.cpus.bits[0], stat.plugin, stat.options,
			   stat.capacity, stat.overhead, stat.tasks, stat.ejections);
		report_plan(report, stat.domain);
		report_guard(report, stat.domain);
		report_servers(report, stat.domain);
	}
}

static void report_tasks(struct report *report)
{
	struct resch_task_stat stat = {};
	const struct resch_task_params *params = &stat.params;
	struct resch_cpus cpus;

	while (must(resch_task_next(dev, &stat)) == 1) {
		report_say(report,
			   "task %llu %llu %llu offset %llu kind %u %u %u signal %u priority %u "
			   "cpu %d flags %#x group %d \"%s\" on %d, %s, lead %llu distance %llu",
			   (unsigned long long)params->period, (unsigned long long)params->deadline,
			   (unsigned long long)params->wcet, (unsigned long long)params->offset,
			   params->kind, params->overrun, params->miss, params->signal,
			   params->priority, params->cpu, params->flags, params->group != 0,
			   params->name, stat.cpu,
			   stat.state == RESCH_STATE_GONE ? "gone" : "there",
			   (unsigned long long)stat.lead, (unsigned long long)stat.distance);
		if (!resch_affinity_get(dev, stat.id, &cpus))
			report_say(report, " goes back to %#llx", (unsigned long long)cpus.bits[0]);
		report_say(report, "\n");
	}
}

static void report_chains(struct report *report)
{
	struct resch_chain_stat stat = {};

	while (must(resch_chain_next(dev, &stat, NULL, 0, NULL)) == 1)
		report_say(report,
			   "chain of %u protocol %u flags %#x %llu %llu stopped %u \"%s\"\n",
			   stat.count, stat.protocol, stat.flags, (unsigned long long)stat.period,
			   (unsigned long long)stat.deadline, stat.stopped, stat.name);
}

static void report_plugins(struct report *report)
{
	struct resch_plugin_stat stat = {};
	uint32_t i;

	for (i = 0; !resch_plugin_stat(dev, i, &stat); i++)
		report_say(report, "plugin %s users %u servers %u\n", stat.name, stat.users,
			   stat.servers);
}

/* Descriptors that the process has: what was opened may not have been told. */
static void report_files(struct report *report)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int count = 0;

	check(dir, "/proc/self/fd: %s", strerror(errno));
	while (readdir(dir))
		count++;
	closedir(dir);
	report_say(report, "files %u\n", count);
}

void report_all(struct report *report)
{
	report_domains(report);
	report_tasks(report);
	report_chains(report);
	report_plugins(report);
	report_files(report);
}
