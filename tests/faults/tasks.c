// SPDX-License-Identifier: GPL-2.0
/* tasks.c - requests that are about tasks, see faults.h */
#include "faults.h"

/* Its number may not have been told. */
static void no_task(void)
{
	struct resch_task_stat stat = {};

	while (resch_task_next(dev, &stat) == 1)
		must(resch_unregister(dev, stat.id));
}

/* The calling thread. */
static void a_task(void)
{
	struct resch_register reg = periodic(50 * MS, MS);

	if (!tasks_registered())
		must(resch_register_self(dev, &reg));
}

/* ... which is in a job. */
static void a_job(void)
{
	a_task();
	must(resch_wait(dev, NULL));
}

TRIALS(info)
{
	fails(NULL);
}

static int sleeps(void *arg)
{
	(void)arg;
	close(dev);
	for (;;)
		sleep_ms(5);
	return 0;
}

/* It comes under the plugin when it is next on its way to user mode: then that is told, too. */
static void tell_settled(struct report *report)
{
	struct resch_task_stat stat = {};
	struct resch_cpus cpus;

	while (resch_task_next(dev, &stat) == 1)
		await(!resch_affinity_get(dev, stat.id, &cpus));
	report_all(report);
}

static const struct trial another = { no_task, act, tell_settled };

TRIALS(register_)
{
	struct attributes before = attributes_of(0);
	uint64_t started;
	struct resch_task_params family = { .kind = RESCH_WAKEUP,
					    .cpu = -1,
					    .flags = RESCH_F_FAMILY };

	domain = use("edf");
	asked.register_ = periodic(50 * MS, MS);
	fails(no_task);
	if (info().features & RESCH_FEATURE_REMOTE) {
		asked.register_.pid = child(sleeps, NULL);
		must(resch_start_time(asked.register_.pid, &started));
		asked.register_.start_time = started;
		each_fails(&another);
	}
	must(domain_swap(domain, "server", NULL));
	asked.register_ = in_server(server_make(domain, 10 * MS, 50 * MS), 50 * MS, MS);
	fails(no_task);
	if (info().features & RESCH_FEATURE_REMOTE) {
		family.group = asked.register_.params.group;
		asked.register_.params = family;
		each_fails(&another);
	}
	attributes_await(0, &before, "the case");
}

TRIALS(unregister)
{
	domain = use("edf");
	fails(a_task);
	fails(a_job);
}

TRIALS(wait)
{
	domain = use("edf");
	a_job();
	fails(NULL);
}

static void soon(void)
{
	asked.delay.until = resch_now() + MS;
}

TRIALS(delay)
{
	domain = use("edf");
	a_job();
	fails(soon);
}

/* Another thread. */
static struct task other;

static void other_start(struct resch_register reg)
{
	other = (struct task){ .reg = reg };
	task_start(&other, body_idle);
	await(state_of(other.id) == RESCH_STATE_SLEEPING);
}

static uint64_t done_before;

static void done(void)
{
	await(state_of(other.id) == RESCH_STATE_SLEEPING);
	done_before = stat_of(other.id).completed;
}

static void tell_done(struct report *report)
{
	sleep_ms(3);
	await(state_of(other.id) == RESCH_STATE_SLEEPING);
	report_all(report);
	report_say(report, "%llu jobs more\n",
		   (unsigned long long)(stat_of(other.id).completed - done_before));
}

TRIALS(release)
{
	domain = use("edf");
	other_start(sporadic(MS, MS / 10));
	asked.release.id = other.id;
	each_fails(&(struct trial){ done, act, tell_done });
	task_join_sporadic(&other);
}

/* A thread that waits for time zero. */
static void not_started(void)
{
	struct resch_register reg = periodic(10 * MS, MS);

	reg.params.flags |= RESCH_F_SYNC;
	if (other.id && !stat_of(other.id).release)
		return;
	if (other.id)
		task_join(&other);
	other_start(reg);
}

static void tell_started(struct report *report)
{
	report_all(report);
	report_say(report, stat_of(other.id).release ? "it was started" : "it waits");
}

TRIALS(start)
{
	domain = use("edf");
	asked.start.domain = domain;
	each_fails(&(struct trial){ not_started, act, tell_started });
	must(resch_start(dev, domain, 0));
	task_join(&other);
}

TRIALS(task_stat)
{
	domain = use("edf");
	a_task();
	asked.task_stat.next = 1;
	fails(NULL);
}

static void two_cpus(void)
{
	must(resch_affinity_set(dev, other.id, &(struct resch_cpus){ .bits = { 3 } }));
}

TRIALS(affinity)
{
	domain = use("edf");
	other_start(periodic(20 * MS, MS));
	asked.affinity.id = other.id;
	fails(NULL);
	asked.affinity.flags = RESCH_AFFINITY_F_SET;
	asked.affinity.cpus.bits[0] = 1;
	fails(two_cpus);
	task_join(&other);
}

static void no_lead(void)
{
	must(resch_lead_set(dev, other.id, 0, NULL));
}

TRIALS(lead)
{
	domain = use("edf");
	other_start(periodic(20 * MS, MS));
	asked.lead.id = other.id;
	asked.lead.lead = 100000;
	fails(no_lead);
	task_join(&other);
}

static void no_pace(void)
{
	struct resch_pace pace = { .distance = 50 * MS };

	must(call(dev, RESCH_IOC_PACE, &pace));
}

TRIALS(pace)
{
	domain = use("edf");
	a_job();
	asked.pace.distance = 80 * MS;
	fails(no_pace);
}
