// SPDX-License-Identifier: GPL-2.0
/* blocking.c - a job that sleeps in the kernel lets others run, and goes on as the same job */
#include "lib.h"

#include <sys/stat.h>

static int ends[2];

static void body_reads(struct task *task)
{
	char byte;

	task_wait(task);
	note('A');
	must_libc(read(ends[0], &byte, 1));
	note('a');
	task->step = 1;
	task_wait(task);
}

static void body_writes(struct task *task)
{
	task_wait(task);
	note('B');
	spin(10 * MS);
	must_libc(write(ends[1], "x", 1));
	note('b');
	task->step = 1;
	spin_until(&task->stop);
}

TEST(pipe, "a job that reads from a pipe lets a lesser one run, and preempts it when that writes")
{
	struct task high = { .reg = periodic(600 * MS, 100 * MS) };
	struct task low = { .reg = periodic(5 * SEC, SEC) };

	use("edf");
	must_libc(pipe(ends));
	task_start(&high, body_reads);
	await(state_of(high.id) == RESCH_STATE_BLOCKED);
	check_is(stat_of(high.id).completed, 0);
	task_start(&low, body_writes);
	await(low.step);
	check(!strcmp(notes(), "ABab"), "the order is %s", notes());
	task_join(&low);
	task_join(&high);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void body_locks(struct task *task)
{
	int i;

	for (i = 0; i < 15; i++) {
		task_wait(task);
		pthread_mutex_lock(&mutex);
		spin(task->number ? 12 * MS : MS);
		pthread_mutex_unlock(&mutex);
		check_is(task->job.job, i + 1);
		check_is(task->job.skipped, 0);
	}
}

TEST(futex, "two tasks that contend for a lock lose no job")
{
	struct task high = { .reg = periodic(17 * MS, 5 * MS) };
	struct task low = { .reg = periodic(29 * MS, 15 * MS) };

	use("edf");
	high.number = 0;
	low.number = 1;
	task_start(&high, body_locks);
	task_start(&low, body_locks);
	task_join(&high);
	task_join(&low);
}

static void body_faults(struct task *task)
{
	size_t size = 1 << 20;
	int i;

	for (i = 0; i < 10; i++) {
		char *memory;

		task_wait(task);
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
		check(memory != MAP_FAILED, "mmap: %s", strerror(errno));
		memset(memory, i, size);
		check(memory[size / 2] == i, "the memory is not what was written");
		munmap(memory, size);
		check_is(task->job.job, i + 1);
	}
}

TEST(faults, "page faults within jobs, with preemption between them, are harmless")
{
	struct task high = { .reg = periodic(11 * MS, MS) };
	struct task low = { .reg = periodic(40 * MS, 20 * MS) };

	use("edf");
	task_start(&high, body_faults);
	task_start(&low, body_faults);
	task_join(&low);
	task_join(&high);
}

static void body_disk(struct task *task)
{
	static char buffer[65536];
	int fd, i;

	for (i = 0; i < 5; i++) {
		task_wait(task);
		fd = must_libc(open(task->arg, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
		must_libc(pwrite(fd, buffer, sizeof(buffer), i * sizeof(buffer)));
		fsync(fd);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		must_libc(pread(fd, buffer, sizeof(buffer), 0));
		close(fd);
		check_is(task->job.job, i + 1);
	}
}

TEST(files, "file I/O within jobs is harmless, and lets lesser jobs run")
{
	struct task high = { .reg = periodic(50 * MS, MS), .arg = "/var/tmp/resch-test" };
	struct task low = { .reg = periodic(10 * SEC, SEC) };

	use("edf");
	task_start(&low, body_counts);
	await(low.step);
	task_start(&high, body_disk);
	task_join(&high);
	task_join(&low);
	unlink("/var/tmp/resch-test");
}

static void body_naps(struct task *task)
{
	int i;

	for (i = 0; i < 20; i++) {
		task_wait(task);
		usleep(1);
		sched_yield();
		usleep(1000);
		check_is(task->job.job, i + 1);
		check_is(task->job.skipped, 0);
	}
}

TEST(naps, "jobs that sleep for a moment, or yield, stay in step")
{
	struct task tasks[3];
	int i;

	use("edf");
	memset(tasks, 0, sizeof(tasks));
	for (i = 0; i < 3; i++) {
		tasks[i].reg = periodic((10 + 3 * i) * MS, MS);
		task_start(&tasks[i], body_naps);
	}
	for (i = 0; i < 3; i++)
		task_join(&tasks[i]);
}

static int there[2], back[2];

/* The other side of the conversation that ask() begins. */
static void answer(void)
{
	char byte;
	int i;

	for (i = 0; i < 300; i++) {
		must_libc(read(there[0], &byte, 1));
		must_libc(write(back[1], &byte, 1));
	}
}

static void ask(void)
{
	char byte = 0;
	int i;

	for (i = 0; i < 300; i++) {
		must_libc(write(there[1], &byte, 1));
		must_libc(read(back[0], &byte, 1));
	}
}

static void body_talks(struct task *task)
{
	task_wait(task);
	if (task->number)
		answer();
	else
		ask();
}

TEST(conversation, "two jobs that wait for each other all the time get on")
{
	struct task high = { .reg = periodic(5 * SEC, SEC) };
	struct task low = { .reg = periodic(9 * SEC, SEC), .number = 1 };

	use("edf");
	must_libc(pipe(there));
	must_libc(pipe(back));
	task_start(&high, body_talks);
	task_start(&low, body_talks);
	task_join(&high);
	task_join(&low);
}

TEST(outside, "a job and an ordinary thread on another CPU that wait for each other get on")
{
	struct task inside = { .reg = periodic(5 * SEC, SEC) };

	use("edf");
	must_libc(pipe(there));
	must_libc(pipe(back));
	task_start(&inside, body_talks);
	answer();
	task_join(&inside);
}
