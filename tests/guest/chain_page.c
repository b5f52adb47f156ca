// SPDX-License-Identifier: GPL-2.0
/* chain_page.c - a chain is mapped: what a stage works on, who may look, and for how long */
#include "stages.h"

#include <resch-chain.h>

#define DEADLINE SEC

static const struct resch_chain_page *page; /* of the chain that the stages are of */
static uint32_t seen_instances[STAGES];
static atomic_int in_job[STAGES], hold, leave; /* hold, leave: a stage, from 1 */

static const struct resch_chain_page *mapped(int fd)
{
	const struct resch_chain_page *map = resch_chain_map(fd);

	check(map, "cannot map: %s", strerror(errno));
	return map;
}

static const struct resch_chain_page *opened(uint32_t chain)
{
	int fd = (int)must(resch_chain_open(dev, chain));
	const struct resch_chain_page *map = mapped(fd);

	close(fd);
	return map;
}

/* The page and the system call say the same, from the begin of the job to its end. */
static void stage_looks(uint32_t stage, const struct task *task)
{
	struct resch_chain_job job;
	struct resch_stage_page copy;
	uint64_t before, rest = (STAGES - 1 - stage) * (MS / 10);
	int64_t slack;

	must(resch_chain_current(dev, &job));
	must(resch_chain_read(page, stage, &copy));
	check_is(copy.task, task->id);
	check_is(copy.instance, job.instance);
	check_is(copy.instance, ++seen_instances[stage]);
	check_is(copy.origin, job.origin);
	check_is(copy.deadline, job.deadline);
	check_is(copy.release, task->job.release);
	check_is(copy.rest, rest);
	before = resch_now();
	slack = resch_chain_slack(page, stage);
	check(slack <= (int64_t)(job.deadline - rest - before) &&
		      slack >= (int64_t)(job.deadline - rest - resch_now()),
	      "a slack of %lld ns", (long long)slack);
}

static void body_looks(struct task *task)
{
	uint32_t stage = (uint32_t)task->number;

	while (!atomic_load(&task->stop)) {
		task_wait(task);
		if (atomic_load(&task->stop))
			return;
		if (atomic_load(&leave) == (int)stage + 1)
			return;
		atomic_store(&in_job[stage], 1);
		while (atomic_load(&hold) == (int)stage + 1)
			;
		if (page)
			stage_looks(stage, task);
		atomic_store(&in_job[stage], 0);
		atomic_fetch_add(&stages.done[stage], 1);
	}
}

static void start_chain(const int cpus[STAGES])
{
	page = NULL;
	atomic_store(&hold, 0);
	atomic_store(&leave, 0);
	memset(seen_instances, 0, sizeof(seen_instances));
	stages_start_as(body_looks, cpus, one_ms);
	stages_chain(RESCH_CHAIN_DS, 10 * MS, DEADLINE, 0);
}

static void start(const int cpus[STAGES])
{
	domain_on("1-3", "edf", "");
	start_chain(cpus);
}

static void check_nobody(const struct resch_chain_page *map)
{
	struct resch_stage_page copy;
	uint32_t j;

	for (j = 0; j < STAGES; j++) {
		check_is(resch_chain_read(map, j, &copy), -ENOENT);
		check_is(copy.instance | copy.origin | copy.deadline | copy.release, 0);
		check(resch_chain_slack(map, j) == INT64_MAX, "slack of nothing");
	}
}

static void all_look(const int *cpus)
{
	struct resch_stage_page copy;

	start(cpus);
	page = opened(stages.chain);
	check_is(page->id, stages.chain);
	check_is(page->count, STAGES);
	check_is(page->flags, 0);
	check_is(page->stopped, 0);
	check_is(page->period, 10 * MS);
	check_is(page->deadline, DEADLINE);
	check_nobody(page);
	check_is(resch_chain_read(page, STAGES, &copy), -EINVAL);
	stages_feed(200, NULL);
	await(chain_stat(stages.chain).completed == 200);
	check_nobody(page);
	check_is(seen_instances[0], 200);
	check_is(seen_instances[STAGES - 1], 200);
	stages_end();
	check_is(page->flags, RESCH_PAGE_GONE);
	check_nobody(page);
}

TEST(seen, "on three CPUs: each stage sees its instance, and when it has none")
{
	all_look(three_cpus);
}

TEST(together, "likewise on one CPU")
{
	static const int one_cpu[STAGES] = { 1, 1, 1 };

	all_look(one_cpu);
}

TEST(amid, "who looks first in the middle of a job finds its instance there")
{
	const struct resch_chain_page *map;
	struct resch_stage_page copy;
	uint32_t j;

	start(three_cpus);
	for (j = 0; j < STAGES; j++) {
		atomic_store(&hold, (int)j + 1);
		must(resch_release(dev, stages.tasks[0].id));
		stages.fed++;
		await(atomic_load(&in_job[j]));
		map = opened(stages.chain);
		must(resch_chain_read(map, j, &copy));
		check_is(copy.instance, j + 1);
		check_is(resch_chain_read(map, (j + 1) % STAGES, &copy), -ENOENT);
		atomic_store(&hold, 0);
		await(chain_stat(stages.chain).completed == j + 1);
		check_nobody(map);
		must_libc(munmap((void *)map, 4096));
	}
	stages_end();
}

TEST(stopped, "a stage ends: the page says which, and no stage has an instance any more")
{
	start(three_cpus);
	page = opened(stages.chain);
	stages_feed(3, NULL);
	atomic_store(&leave, 2);
	must(resch_release(dev, stages.tasks[0].id));
	await(page->stopped);
	check_is(page->stopped, 2);
	await(chain_stat(stages.chain).stopped == 2);
	await(tasks_registered() == STAGES - 1);
	check_nobody(page);
	check_is(page->flags, 0);
	/* Who comes later is told so, too. */
	check_is(opened(stages.chain)->stopped, 2);
	stages_end();
	check_is(page->flags, RESCH_PAGE_GONE);
}

static int module_users(void)
{
	FILE *file = fopen("/sys/module/resch/refcnt", "r");
	int users = -1;

	check(file && fscanf(file, "%d", &users) == 1, "no count of the module's users");
	fclose(file);
	return users;
}

TEST(gone, "a chain ends with its maker's descriptor and leaves its page, which holds the module")
{
	uint32_t tasks[STAGES];
	struct resch_chain_set want = chain_of(RESCH_CHAIN_RG, 10 * MS, DEADLINE);
	int i, fd, users, maker = (int)must(resch_open());
	const struct resch_chain_page *map;

	start(three_cpus);
	must(resch_chain_del(dev, stages.chain));
	for (i = 0; i < STAGES; i++)
		tasks[i] = stages.tasks[i].id;
	want.flags = RESCH_CHAIN_F_SKIP_ADMISSION;
	must(chain_make(maker, &want, tasks, NULL));
	stages.chain = 0;
	fd = (int)must(resch_chain_open(maker, want.id));
	map = mapped(fd);
	check_is(map->id, want.id);
	check_is(map->flags, 0);
	close(maker);
	check_is(map->flags, RESCH_PAGE_GONE);
	refused(resch_chain_open(dev, want.id), ENOENT);
	users = module_users();
	close(fd);
	check_is(module_users(), users);
	must_libc(munmap((void *)map, 4096));
	check_is(module_users(), users - 1);
	stages_end();
}

TEST(refused, "the page is one, shared and for reading, whatever is tried")
{
	struct resch_chain_open open = { .flags = 1 };
	char *map;
	int fd;

	start(three_cpus);
	open.id = stages.chain;
	refused(call(dev, RESCH_IOC_CHAIN_OPEN, &open), EINVAL);
	open.flags = 0;
	open.reserved = 1;
	refused(call(dev, RESCH_IOC_CHAIN_OPEN, &open), EINVAL);
	refused(resch_chain_open(dev, stages.chain + 1), ENOENT);
	refused(resch_chain_open(dev, 0), ENOENT);
	fd = (int)must(resch_chain_open(dev, stages.chain));
	check(fcntl(fd, F_GETFD) & FD_CLOEXEC, "it would be inherited");
	check(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED,
	      "writable");
	check(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED, "private");
	check(mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED, "two pages");
	check(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 4096) == MAP_FAILED, "the second page");
	map = (char *)mapped(fd);
	check(mprotect(map, 4096, PROT_READ | PROT_WRITE) == -1, "writable afterwards");
	check(write(fd, map, 8) == -1 && read(fd, map, 8) == -1, "it is to be mapped only");
	stages_end();
}

static int body_stranger(void *arg)
{
	const int *what = arg;

	dev = resch_open();
	must_libc(setresuid(65534, 65534, 65534));
	refused(resch_chain_open(dev, (uint32_t)what[0]), EPERM);
	/* What was passed on is one's own. */
	check_is(mapped(what[1])->id, (uint32_t)what[0]);
	return 0;
}

TEST(strangers, "others may not look at it unless they are given a descriptor")
{
	int what[2];

	start(three_cpus);
	what[0] = (int)stages.chain;
	what[1] = (int)must(resch_chain_open(dev, stages.chain));
	child_ok(child(body_stranger, what));
	stages_end();
}

TEST(storm, "chains and pages come and go in any order")
{
	const struct resch_chain_page *map;
	int i, fd, more;

	domain_on("1-3", "edf", "");
	for (i = 0; i < 8; i++) {
		start_chain(three_cpus);
		fd = (int)must(resch_chain_open(dev, stages.chain));
		more = (int)must(resch_chain_open(dev, stages.chain));
		map = mapped(i & 1 ? fd : more);
		if (i & 2)
			close(fd);
		stages_feed(3, NULL);
		if (i & 4)
			close(more);
		stages_end();
		check_is(map->flags, RESCH_PAGE_GONE);
		if (i & 1)
			must_libc(munmap((void *)map, 4096));
		if (!(i & 2))
			close(fd);
		if (!(i & 4))
			close(more);
	}
}
