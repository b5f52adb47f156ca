// SPDX-License-Identifier: GPL-2.0
/* lead.c - tasks that are woken ahead of their releases, and begin with them */
#include "lib.h"

/*
 * resch-test: timeout=300
 */

#define PERIOD (20 * MS)
#define LEAD (900000)

static atomic_ullong handled;

static void on_signal(int signal)
{
	(void)signal;
	atomic_fetch_add(&handled, 1);
}

/* Jobs of no length, none of which may begin before its release. */
static void body_punctual(struct task *task)
{
	struct resch_wait job;

	while (!atomic_load(&task->stop)) {
		int result = resch_wait(dev, &job);

		if (result == -EINTR)
			continue;
		if (result) {
			task->result = result;
			task->unregistered_end = true;
			return;
		}
		check(resch_now() >= job.release, "job %llu begins before its release",
		      (unsigned long long)job.job);
		atomic_fetch_add(&task->jobs, 1);
	}
}

static uint64_t begins_at(uint32_t id)
{
	struct resch_task_stat stat = stat_of(id);

	return stat.state == RESCH_STATE_SELECTED ? stat.release : 0;
}

/* Somebody on another CPU sees it chosen before its release. */
static void await_early(const struct task *task)
{
	uint64_t before, release;

	do {
		release = begins_at(task->id);
		before = resch_now();
	} while (!release || before >= release);
}

TEST(early, "a task is chosen ahead of its release, and begins no job before it")
{
	struct task task = { .reg = periodic(PERIOD, MS) };
	struct resch_task_stat stat;

	use("edf");
	task_start(&task, body_punctual);
	must(resch_lead_set(dev, task.id, LEAD, NULL));
	check_is(stat_of(task.id).lead, LEAD);
	await_early(&task);
	await(task.jobs >= 20);
	stat = stat_of(task.id);
	check(stat.lead_way > 0, "nobody was woken");
	check(stat.lead_late <= stat.completed + 1, "%llu of %llu jobs were late",
	      (unsigned long long)stat.lead_late, (unsigned long long)stat.completed);
	task_join(&task);
}

TEST(grid, "releases and deadlines are where they are without a lead")
{
	struct task task = { .reg = periodic(PERIOD, MS) };
	struct resch_wait first;
	unsigned long long jobs;

	use("edf");
	task_start(&task, body_idle);
	await(task.jobs >= 1);
	/* It goes on meanwhile. */
	do {
		jobs = atomic_load(&task.jobs);
		first = task.job;
	} while (jobs != atomic_load(&task.jobs));
	must(resch_lead_set(dev, task.id, LEAD, NULL));
	await(task.jobs >= 10);
	must(resch_lead_set(dev, task.id, 0, NULL));
	check_is(stat_of(task.id).lead, 0);
	await(task.jobs >= 15);
	task_join(&task);
	check_is(task.job.release - first.release, (task.job.job - first.job) * PERIOD);
	check_is(task.job.deadline - task.job.release, PERIOD);
}

/* The shortest execution of forty jobs that do nothing, ns. */
static void body_shortest(struct task *task)
{
	uint64_t *shortest = task->arg, last = 0, completed = 0;
	int jobs;

	*shortest = UINT64_MAX;
	for (jobs = 0; jobs < 40;) {
		struct resch_task_stat stat;

		task_wait(task);
		stat = stat_of(0);
		if (completed && stat.completed == completed + 1) {
			uint64_t executed = stat.exec_total - last;

			*shortest = executed < *shortest ? executed : *shortest;
			jobs++;
		}
		completed = stat.completed;
		last = stat.exec_total;
	}
}

static uint64_t shortest_with(uint64_t lead)
{
	uint64_t shortest = 0;
	struct task task = { .reg = periodic(PERIOD, MS), .arg = &shortest };

	task_start(&task, body_shortest);
	must(resch_lead_set(dev, task.id, lead, NULL));
	task_join(&task);
	return shortest;
}

TEST(budget, "waiting for a release is not charged to the job")
{
	uint64_t without, with;

	use("edf");
	without = shortest_with(0);
	with = shortest_with(LEAD);
	check(with < without + LEAD / 2, "a job takes %llu ns, and %llu with a lead",
	      (unsigned long long)without, (unsigned long long)with);
}

/* Its budget is used up at most once in a while: the machine's own time is not the guest's. */
TEST(contained, "who waits for a release is not stopped for that")
{
	struct task task = { .reg = periodic(PERIOD, 8 * MS) };
	struct resch_task_stat stat;

	task.reg.params.overrun = RESCH_THROTTLE;
	use("edf");
	task_start(&task, body_punctual);
	must(resch_lead_set(dev, task.id, LEAD, NULL));
	do {
		sleep_ms(20);
		stat = stat_of(task.id);
		check(stat.overruns < 200, "%llu of %llu jobs have overrun",
		      (unsigned long long)stat.overruns, (unsigned long long)stat.completed);
	} while (stat.completed < stat.overruns + 20);
	task_join(&task);
}

TEST(preempted, "who is preempted as he waits for his release still begins no job before it")
{
	struct task patient = { .reg = periodic(PERIOD, 2 * MS), .number = 1 };
	struct task urgent = { .reg = periodic(PERIOD, 2 * MS), .number = 2 };
	uint32_t domain = use("edf");

	patient.reg.params.flags |= RESCH_F_SYNC;
	patient.reg.params.offset = PERIOD / 2;
	urgent.reg.params.flags |= RESCH_F_SYNC;
	urgent.reg.params.offset = PERIOD / 2 - LEAD / 2;
	urgent.reg.params.deadline = 5 * MS;
	task_start(&patient, body_punctual);
	task_start(&urgent, body_short);
	must(resch_lead_set(dev, patient.id, LEAD, NULL));
	await(state_of(patient.id) == RESCH_STATE_SLEEPING);
	await(state_of(urgent.id) == RESCH_STATE_SLEEPING);
	check_is(must(resch_start(dev, domain, 0)), 2);
	await(stat_of(patient.id).preemptions >= 5 && patient.jobs >= 20);
	task_join(&urgent);
	task_join(&patient);
}

TEST(signals, "handlers run between jobs or in them, and no job begins early")
{
	struct sigaction action = { .sa_handler = on_signal };
	struct task task = { .reg = periodic(5 * MS, MS) };

	must_libc(sigaction(SIGUSR1, &action, NULL));
	use("edf");
	task_start(&task, body_punctual);
	must(resch_lead_set(dev, task.id, LEAD, NULL));
	while (atomic_load(&handled) < 100 || task.jobs < 50) {
		must_libc(tgkill(getpid(), task.tid, SIGUSR1));
		usleep(700);
	}
	task_join(&task);
}

TEST(ended, "a registration may end as its thread waits for a release")
{
	struct attributes before = attributes_of(0);
	int i;

	use("edf");
	for (i = 0; i < 20; i++) {
		struct task task = { .reg = periodic(2 * MS, MS / 2) };

		task_start(&task, body_punctual);
		must(resch_lead_set(dev, task.id, LEAD, NULL));
		await(task.jobs >= 1);
		usleep(100 * i);
		must(resch_unregister(dev, task.id));
		await(atomic_load(&task.ended));
		check(task.result == -ECANCELED || task.result == -ENOENT, "its wait said %s",
		      errno_name(task.result));
		task_join(&task);
	}
	attributes_check(0, &before, "the case");
}

static int killed(void *arg)
{
	struct resch_register reg = periodic(2 * MS, MS);

	(void)arg;
	must(resch_register_self(dev, &reg));
	must(resch_lead_set(dev, 0, LEAD, NULL));
	for (;;)
		resch_wait(dev, NULL);
}

TEST(killed, "a thread may be killed as it waits for a release")
{
	int i;

	use("edf");
	for (i = 0; i < 20; i++) {
		pid_t pid = child(killed, NULL);

		await(tasks_registered() == 1);
		usleep(3000 + 130 * i);
		must_libc(kill(pid, SIGKILL));
		check(WIFSIGNALED(child_wait(pid)), "it was not killed");
		await(tasks_registered() == 0);
	}
}

TEST(refused, "leads that can't be are refused, and change nothing")
{
	struct resch_lead want = { .reserved = 1 };
	struct task task = { .reg = periodic(PERIOD, MS) };
	struct task brief = { .reg = periodic(MS / 2, MS / 10) };
	struct resch_register asked = sporadic(PERIOD, MS);

	use("edf");
	refused(resch_lead_set(dev, 0, LEAD, NULL), ENOENT);
	task_start(&task, body_idle);
	task_start(&brief, body_idle);
	must(resch_register_self(dev, &asked));
	refused(call(dev, RESCH_IOC_LEAD, &want), EINVAL);
	refused(resch_lead_set(dev, 1000000, LEAD, NULL), ENOENT);
	refused(resch_lead_set(dev, task.id, RESCH_LEAD_MAX, NULL), EINVAL);
	refused(resch_lead_set(dev, brief.id, MS / 2, NULL), EINVAL);
	refused(resch_lead_set(dev, asked.id, LEAD, NULL), EINVAL);
	must(resch_lead_set(dev, brief.id, MS / 2 - 1, NULL));
	must(resch_lead_set(dev, task.id, RESCH_LEAD_MAX - 1, NULL));
	check_is(stat_of(task.id).lead, RESCH_LEAD_MAX - 1);
	task_join(&brief);
	task_join(&task);
}

TEST(plugins, "plugins with servers or plans take no task with a lead, and give none")
{
	struct task task = { .reg = periodic(PERIOD, MS) };
	uint32_t domain = use("edf"), server;

	task_start(&task, body_idle);
	must(resch_lead_set(dev, task.id, LEAD, NULL));
	refused(domain_swap(domain, "server", NULL), EBUSY);
	refused(domain_swap(domain, "npsf", NULL), EBUSY);
	must(domain_swap(domain, "fp", NULL));
	await_early(&task);
	must(domain_swap(domain, "demo", NULL));
	await_early(&task);
	task_join(&task);

	must(domain_swap(domain, "server", NULL));
	server = server_make(domain, 10 * MS, 20 * MS);
	memset(&task, 0, sizeof(task));
	task.reg = in_server(server, 100 * MS, MS);
	task_start(&task, body_idle);
	refused(resch_lead_set(dev, task.id, LEAD, NULL), EOPNOTSUPP);
	task_join(&task);
}

TEST(admitted, "admission counts a lead into every job")
{
	struct resch_verdict verdict;
	struct task large = { .reg = periodic(10 * MS, 8550000) };
	struct task small = { .reg = periodic(10 * MS, 500000) };

	use("edf");
	large.reg.params.flags = 0;
	small.reg.params.flags = 0;
	task_start(&large, body_idle);
	refused(resch_lead_set(dev, large.id, RESCH_LEAD_MAX - 1, &verdict), EBUSY);
	check(verdict.bound != RESCH_BOUND_NONE, "no reason is given");
	check_is(verdict.suggest_wcet, 0);
	check_is(stat_of(large.id).lead, 0);
	must(resch_lead_set(dev, large.id, LEAD, &verdict));
	refused(resch_register_self(dev, &small.reg), EBUSY);
	must(resch_lead_set(dev, large.id, 0, &verdict));
	task_start(&small, body_idle);
	refused(resch_lead_set(dev, large.id, LEAD, &verdict), EBUSY);
	check_is(stat_of(large.id).lead, 0);
	task_join(&small);
	task_join(&large);
}
