// SPDX-License-Identifier: GPL-2.0
/*
 * jobs.c - applications of the library: jobs that start together, counted, stopped; in servers, or
 * under any plugin
 */
#include <resch-server.h>

#include "lib.h"

#define PERIOD (50 * MS)

static struct resch_jobs *app(uint32_t domain, uint64_t budget)
{
	struct resch_server_set want = server_of(domain, budget, PERIOD);
	struct resch_jobs *jobs;

	want.params.flags = 0;
	must(resch_jobs_new(dev, &want, &jobs));
	check_is(want.cpu, CPU);
	return jobs;
}

struct seen {
	atomic_uint jobs;
	uint64_t first, last;
};

static void body(struct resch_job *job, void *data)
{
	struct seen *seen = data;

	seen->first = resch_job_current(job)->release;
	do {
		atomic_fetch_add(&seen->jobs, 1);
		seen->last = resch_job_current(job)->release;
	} while (resch_job_next(job) == 1);
}

static struct resch_register reg_of(uint64_t wcet, uint64_t offset)
{
	struct resch_register reg = { .params = {
					      .period = PERIOD, .wcet = wcet, .offset = offset } };

	return reg;
}

TEST(together, "jobs of one application start together, those of another one do not")
{
	struct seen seen[3] = {};
	struct resch_register reg;
	struct resch_jobs *one, *two;
	uint32_t domain;
	uint64_t zero;

	pin(0, "0");
	domain = use("server");
	one = app(domain, 10 * MS);
	two = app(domain, 10 * MS);
	reg = reg_of(4 * MS, 0);
	must(resch_jobs_add(one, &reg, 6, body, &seen[0]));
	reg = reg_of(4 * MS, 10 * MS);
	must(resch_jobs_add(one, &reg, 4, body, &seen[1]));
	reg = reg_of(4 * MS, 0);
	must(resch_jobs_add(two, &reg, 0, body, &seen[2]));
	/* What does not fit is refused, and the others stand. */
	reg = reg_of(4 * MS, 0);
	refused(resch_jobs_add(one, &reg, 0, body, &seen[2]), EBUSY);
	check_is(reg.verdict.bound, RESCH_BOUND_UTILIZATION);
	check_is(tasks_registered(), 3);
	zero = resch_now() + 100 * MS;
	check_is(must(resch_jobs_start(one, zero)), 2);
	resch_jobs_join(one);
	check_is(seen[0].jobs, 6);
	check_is(seen[0].first, zero);
	check_is(seen[1].jobs, 4);
	check_is(seen[1].first, zero + 10 * MS);
	check_is(seen[1].last, zero + 10 * MS + 3 * PERIOD);
	check_is(tasks_registered(), 1);
	check_is(seen[2].jobs, 0);
	must(resch_jobs_free(one));
	check_is(servers_of(domain), 1);
	check_is(must(resch_jobs_start(two, 0)), 1);
	await(atomic_load(&seen[2].jobs) >= 3);
	must(resch_jobs_free(two));
	check_is(servers_of(domain), 0);
	check_is(tasks_registered(), 0);
	check_is(domain_stat(domain).ejections, 0);
}

static void body_enters(struct task *task)
{
	struct resch_jobs *jobs = task->arg;
	struct resch_register reg = reg_of(2 * MS, 0);
	struct resch_job *job;

	reg.params.kind = RESCH_PERIODIC;
	must(resch_jobs_enter(jobs, &reg, 5, &job));
	atomic_store(&task->step, 1);
	while (resch_job_next(job) == 1)
		atomic_fetch_add(&task->jobs, 1);
	resch_job_leave(job);
}

TEST(own, "a program's own threads are tasks like the others; who waits is stopped at once")
{
	struct task threads[2] = { { .number = 0 }, { .number = 1 } };
	struct seen seen = {};
	struct resch_register reg = reg_of(2 * MS, 3600 * SEC);
	struct resch_jobs *jobs;
	uint32_t domain;
	int i;

	pin(0, "0");
	domain = use("server");
	jobs = app(domain, 10 * MS);
	/* One whose first release is an hour away. */
	must(resch_jobs_add(jobs, &reg, 0, body, &seen));
	for (i = 0; i < 2; i++) {
		threads[i].arg = jobs;
		thread_start(&threads[i], body_enters);
		await(atomic_load(&threads[i].step) == 1);
	}
	check_is(must(resch_jobs_start(jobs, 0)), 3);
	for (i = 0; i < 2; i++) {
		await(atomic_load(&threads[i].ended));
		check_is(atomic_load(&threads[i].jobs), 5);
		task_join(&threads[i]);
	}
	must(resch_jobs_free(jobs));
	check_is(seen.jobs, 0);
	check_is(tasks_registered(), 0);
}

/* Without a server, jobs are the domain's own tasks, in @group of its plan if it has one. */
static void plays(const char *plugin, uint32_t domain, uint32_t group)
{
	struct resch_server_set want = { .domain = domain };
	struct resch_register reg = reg_of(4 * MS, 10 * MS);
	struct seen seen = {};
	struct resch_jobs *jobs;
	uint64_t zero;

	printf("# %s\n", plugin);
	must(resch_jobs_new(dev, &want, &jobs));
	check_is(want.id, 0);
	reg.params.cpu = CPU;
	reg.params.group = group;
	must(resch_jobs_add(jobs, &reg, 5, body, &seen));
	check_is(reg.cpu, CPU);
	check_is(tasks_registered(), 1);
	zero = resch_now() + 1000 * MS; /* a slow machine has to be in time */
	check_is(must(resch_jobs_start(jobs, zero)), 1);
	resch_jobs_join(jobs);
	check_is(seen.jobs, 5);
	check_is(seen.first, zero + 10 * MS);
	check_is(seen.last, zero + 10 * MS + 4 * PERIOD);
	must(resch_jobs_free(jobs));
	check_is(tasks_registered(), 0);
	must(resch_domain_del(dev, domain));
}

TEST(plugins, "jobs are functions under every plugin, in the reserves of a plan or without any")
{
	static const char *const plain[] = { "edf", "fp", "fifo", "demo", "artis" };
	static const char *const slotted[] = { "sekg", "npsf" };
	struct resch_reserve whole = { .end = 10 * MS, .group = 1, .cpu = CPU };
	uint32_t domain;
	size_t i;

	pin(0, "0");
	for (i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		plays(plain[i], use(plain[i]), 0);
	for (i = 0; i < sizeof(slotted) / sizeof(*slotted); i++) {
		domain = use(slotted[i]);
		must(resch_plan_set(dev, domain, 10 * MS, NULL, &whole, 1, NULL));
		plays(slotted[i], domain, 1);
	}
}
