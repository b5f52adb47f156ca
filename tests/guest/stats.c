// SPDX-License-Identifier: GPL-2.0
/* stats.c - what the statistics say agrees with what happened */
#include "lib.h"

#define JOBS 10

static void body_ten(struct task *task)
{
	while (task->jobs < JOBS) {
		task_wait(task);
		spin((task->jobs == 4 ? 12 : 4) * MS);
	}
	/* the tenth ends here */
	task_wait(task);
	task->step = 1;
	spin_until(&task->stop);
}

TEST(sums, "jobs, execution and response times add up")
{
	struct task task = { .reg = periodic(30 * MS, 2 * MS) };
	struct resch_task_stat stat;

	use("edf");
	task_start(&task, body_ten);
	await(task.step);
	stat = stat_of(task.id);
	check_is(stat.job, JOBS + 1);
	check_is(stat.completed, JOBS);
	check_is(stat.overruns, JOBS);
	check_is(stat.skipped, 0);
	check_is(stat.migrations, 0);
	check_is(stat.release, task.job.release);
	check_is(stat.deadline, task.job.deadline);
	check(stat.exec_max >= 12 * MS, "longest execution: %llu", stat.exec_max);
	check(stat.exec_total >= 48 * MS, "total execution: %llu", stat.exec_total);
	check(stat.exec_total >= stat.exec_max && stat.exec_total <= JOBS * stat.exec_max,
	      "executions: total %llu, longest %llu", stat.exec_total, stat.exec_max);
	check(stat.response_min <= stat.response_max, "responses: %llu to %llu", stat.response_min,
	      stat.response_max);
	check(stat.response_max >= stat.exec_max, "longest response %llu, execution %llu",
	      stat.response_max, stat.exec_max);
	check(stat.response_min >= 4 * MS, "shortest response: %llu", stat.response_min);
	check(stat.response_total >= JOBS * stat.response_min &&
		      stat.response_total <= JOBS * stat.response_max,
	      "responses: total %llu, %llu to %llu", stat.response_total, stat.response_min,
	      stat.response_max);
	check(stat.misses <= JOBS, "%llu misses", stat.misses);
	check(!stat.misses == !stat.tardiness_max, "%llu misses, tardiness %llu", stat.misses,
	      stat.tardiness_max);
	check(stat.response_max <= stat.params.deadline + stat.tardiness_max,
	      "response %llu, tardiness %llu", stat.response_max, stat.tardiness_max);
	task_join(&task);
}

TEST(own_time, "execution times are the thread's CPU time")
{
	struct resch_register reg = periodic(SEC, 500 * MS);
	struct resch_task_stat stat;
	uint64_t begin, end, asked;

	use("edf");
	must(resch_register_self(dev, &reg));
	must(resch_wait(dev, NULL));
	begin = cpu_time();
	spin(50 * MS);
	end = cpu_time();
	must(resch_wait(dev, NULL));
	asked = cpu_time();
	stat = stat_of(0);
	check_is(stat.completed, 1);
	check(stat.exec_total >= end - begin, "executed %llu of %llu", stat.exec_total,
	      (unsigned long long)(end - begin));
	check(stat.exec_total <= asked, "executed %llu, used in all %llu", stat.exec_total,
	      (unsigned long long)asked);
	must(resch_unregister(dev, 0));
}

TEST(blocked_time, "time asleep is no execution time, but response time")
{
	struct resch_register reg = periodic(SEC, 500 * MS);
	struct resch_task_stat stat;

	use("edf");
	must(resch_register_self(dev, &reg));
	must(resch_wait(dev, NULL));
	sleep_ms(200);
	must(resch_wait(dev, NULL));
	stat = stat_of(0);
	check(stat.exec_max < 150 * MS, "executed %llu", stat.exec_max);
	check(stat.response_min >= 200 * MS, "response time %llu", stat.response_min);
	must(resch_unregister(dev, 0));
}

TEST(before, "before the first job is complete there are no times")
{
	struct resch_register reg = periodic(SEC, MS);
	struct resch_task_stat stat;

	use("edf");
	must(resch_register_self(dev, &reg));
	must(resch_wait(dev, NULL));
	stat = stat_of(0);
	check_is(stat.completed, 0);
	check_is(stat.response_min, 0);
	check_is(stat.response_max, 0);
	check_is(stat.exec_max, 0);
	must(resch_unregister(dev, 0));
}

static void body_is_preempted(struct task *task)
{
	uint32_t other = (long)task->arg;
	int i;

	task_wait(task);
	for (i = 0; i < 8; i++) {
		must(resch_release(dev, other));
		spin(3 * MS);
	}
	task->step = 1;
	spin_until(&task->stop);
}

TEST(preemptions, "a preemption counts for the task that is preempted")
{
	struct task high = { .reg = sporadic(MS, 1000) };
	struct task low = { .reg = periodic(10 * SEC, MS) };

	use("edf");
	task_start(&high, body_idle);
	await(state_of(high.id) == RESCH_STATE_SLEEPING);
	low.arg = (void *)(long)high.id;
	task_start(&low, body_is_preempted);
	await(low.step);
	check_is(high.jobs, 8);
	check_is(stat_of(low.id).preemptions, 8);
	check_is(stat_of(high.id).preemptions, 0);
	high.stop = 1;
	must(resch_release(dev, high.id));
	task_join(&high);
	task_join(&low);
}

TEST(decisions, "a domain counts its decisions and tasks")
{
	struct task task = { .reg = periodic(10 * MS, MS) };
	uint32_t domain = use("edf");
	struct resch_domain_stat stat = domain_stat(domain);

	check_is(stat.tasks, 0);
	check_is(stat.ejections, 0);
	check_is(stat.swaps, 0);
	check_is(stat.capacity, 950000);
	check_is(resch_cpus_count(&stat.cpus), 1);
	check(resch_cpus_has(&stat.cpus, CPU), "CPU 1 is not in the domain");
	task_start(&task, body_idle);
	await(task.jobs >= 5);
	check_is(domain_stat(domain).tasks, 1);
	check(domain_stat(domain).decisions >= stat.decisions + 5,
	      "%llu decisions before, %llu after", stat.decisions, domain_stat(domain).decisions);
	task_join(&task);
	check_is(domain_stat(domain).tasks, 0);
}
