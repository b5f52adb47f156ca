// SPDX-License-Identifier: GPL-2.0
/*
 * compat32.c - the calls of a 32-bit program, which have the same structures
 *
 * Made by this 64-bit program through the kernel's 32-bit entry (int 0x80), since not every system
 * can compile 32-bit programs.
 */
#include "lib.h"

#define SYS32_READ 3
#define SYS32_OPEN 5
#define SYS32_CLOSE 6
#define SYS32_IOCTL 54

static void *low; /* memory that 32-bit pointers reach */

static long call32(long number, long a, long b, long c)
{
	long result;

#ifdef __x86_64__
	asm volatile("int $0x80"
		     : "=a"(result)
		     : "a"(number), "b"(a), "c"(b), "d"(c)
		     : "memory", "r8", "r9", "r10", "r11");
#else
	result = number + a + b + c;
	skip("not an x86 machine");
#endif
	return (int)result;
}

static long ioctl32(int fd, unsigned long request, void *argument, size_t size)
{
	long result;

	memcpy(low, argument, size);
	result = call32(SYS32_IOCTL, fd, (long)request, (long)low);
	memcpy(argument, low, size);
	return result;
}

static int open32(void)
{
	static const char probe[] = RESCH_DEVICE;
	struct sigaction action = { .sa_handler = SIG_DFL };
	pid_t pid;
	int status;

	sigaction(SIGSEGV, &action, NULL);
	low = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1,
		   0);
	check(low != MAP_FAILED, "mmap: %s", strerror(errno));
	memcpy(low, probe, sizeof(probe));
	/* A kernel without 32-bit programs answers with SIGSEGV. */
	pid = fork();
	if (!pid)
		_exit(call32(SYS32_CLOSE, -1, 0, 0) != -EBADF);
	status = child_wait(pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		skip("this kernel runs no 32-bit programs");
	return must(call32(SYS32_OPEN, (long)low, O_RDWR | O_CLOEXEC, 0));
}

static void body_32(struct task *task)
{
	struct resch_register reg = periodic(20 * MS, 2 * MS);
	struct resch_target target = { .id = 0 };
	struct resch_task_stat stat;
	struct resch_wait job = { 0 };
	uint64_t first = 0;
	int fd = *(int *)task->arg;
	long err, i;

	must(ioctl32(fd, RESCH_IOC_REGISTER, &reg, sizeof(reg)));
	check(reg.id, "no id came back");
	check_is(reg.cpu, CPU);
	for (i = 1; i <= 5; i++) {
		do
			err = ioctl32(fd, RESCH_IOC_WAIT, &job, sizeof(job));
		while (err == -EINTR);
		must(err);
		check_is(job.job, i);
		if (i == 1)
			first = job.release;
		check_is(job.release, first + (i - 1) * 20 * MS);
		check_is(job.deadline, job.release + 20 * MS);
	}
	must(call32(SYS32_IOCTL, fd, RESCH_IOC_WAIT, 0));
	memset(&stat, 0, sizeof(stat));
	must(ioctl32(fd, RESCH_IOC_TASK_STAT, &stat, sizeof(stat)));
	check_is(stat.id, reg.id);
	check_is(stat.job, 6);
	check_is(stat.params.period, 20 * MS);
	must(ioctl32(fd, RESCH_IOC_UNREGISTER, &target, sizeof(target)));
	refused(ioctl32(fd, RESCH_IOC_UNREGISTER, &target, sizeof(target)), ENOENT);
}

TEST(life, "a task's life through 32-bit calls")
{
	struct task task = { .number = 0 };
	int fd = open32();

	use("edf");
	task.arg = &fd;
	thread_start(&task, body_32);
	task_join(&task);
	check_is(tasks_registered(), 0);
}

TEST(queries, "domains, plugins and the module through 32-bit calls")
{
	struct resch_domain_set want = { .plugin = "fifo" };
	struct resch_domain_stat stat;
	struct resch_plugin_stat plugin;
	struct resch_info told = { 0 };
	int fd = open32();

	resch_cpus_add(&want.cpus, 1);
	must(ioctl32(fd, RESCH_IOC_DOMAIN_SET, &want, sizeof(want)));
	check(want.domain, "no id came back");
	memset(&stat, 0, sizeof(stat));
	stat.domain = want.domain;
	must(ioctl32(fd, RESCH_IOC_DOMAIN_STAT, &stat, sizeof(stat)));
	check(!strcmp(stat.plugin, "fifo") && resch_cpus_has(&stat.cpus, 1), "another domain came");
	memset(&plugin, 0, sizeof(plugin));
	must(ioctl32(fd, RESCH_IOC_PLUGIN_STAT, &plugin, sizeof(plugin)));
	check(!strcmp(plugin.name, "fifo"), "the first plugin is %s", plugin.name);
	must(ioctl32(fd, RESCH_IOC_INFO, &told, sizeof(told)));
	check_is(told.abi, RESCH_ABI_VERSION);
	check_is(told.domains, 1);
	refused(ioctl32(fd, _IO(RESCH_IOC_MAGIC, 99), &told, sizeof(told)), ENOTTY);
	refused(call32(SYS32_IOCTL, fd, RESCH_IOC_INFO, 8), EFAULT);
	refused(call32(SYS32_READ, fd, (long)low, 8), EINVAL);
}
