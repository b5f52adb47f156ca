// SPDX-License-Identifier: GPL-2.0
/* abi_sizes.c - requests of other sizes, with bad pointers, with numbers that nobody knows */
#include "lib.h"

#include <stddef.h>

/* The request as a program with a structure of this size would make it. */
#define SIZED(request, size) _IOC(_IOC_DIR(request), _IOC_TYPE(request), _IOC_NR(request), size)

static const unsigned long requests[] = {
	RESCH_IOC_INFO,	       RESCH_IOC_REGISTER,    RESCH_IOC_UNREGISTER,   RESCH_IOC_WAIT,
	RESCH_IOC_DELAY,       RESCH_IOC_RELEASE,     RESCH_IOC_START,	      RESCH_IOC_TASK_STAT,
	RESCH_IOC_DOMAIN_SET,  RESCH_IOC_DOMAIN_DEL,  RESCH_IOC_DOMAIN_STAT,  RESCH_IOC_PLUGIN_LOAD,
	RESCH_IOC_PLUGIN_STAT, RESCH_IOC_PLAN_SET,    RESCH_IOC_SERVER_SET,   RESCH_IOC_SERVER_DEL,
	RESCH_IOC_SERVER_STAT, RESCH_IOC_PLAN_GET,    RESCH_IOC_GUARD_SET,    RESCH_IOC_GUARD_STAT,
	RESCH_IOC_GUARD_LEND,  RESCH_IOC_BALANCE_SET, RESCH_IOC_BALANCE_STAT, RESCH_IOC_CALL,
	RESCH_IOC_CALL_END,    RESCH_IOC_SERVE,	      RESCH_IOC_SERVE_END,    RESCH_IOC_SERVER_OPEN,
	RESCH_IOC_SERVERS_SET, RESCH_IOC_SERVERS_DEL, RESCH_IOC_CHAIN_OFFER,  RESCH_IOC_CHAIN_SET,
	RESCH_IOC_CHAIN_DEL,   RESCH_IOC_CHAIN_STAT,  RESCH_IOC_CHAIN_JOB,    RESCH_IOC_AFFINITY,
	RESCH_IOC_CHAIN_OPEN,  RESCH_IOC_LEAD,	      RESCH_IOC_DELEGATE,     RESCH_IOC_PACE,
};
#define REQUESTS (sizeof(requests) / sizeof(requests[0]))

static bool known(unsigned int number)
{
	unsigned int i;

	for (i = 0; i < REQUESTS; i++)
		if (_IOC_NR(requests[i]) == number)
			return true;
	return false;
}

TEST(unknown, "unknown requests are ENOTTY")
{
	char argument[4096] = "";
	unsigned int number;

	for (number = 0; number < 256; number++) {
		if (!known(number))
			refused(call(dev, _IOWR(RESCH_IOC_MAGIC, number, struct resch_info),
				     argument),
				ENOTTY);
		refused(call(dev, _IOWR(0xE4, number, struct resch_info), argument), ENOTTY);
	}
	refused(call(dev, 0, argument), ENOTTY);
}

/*
 * Fields of the structure that are not zero where they must be make a size test pass for the wrong
 * reason: use good ones.
 */
static struct {
	struct resch_register reg;
	char more[64];
} longer;

TEST(longer_zero, "a longer structure passes when the rest is zero")
{
	use("edf");
	longer.reg = periodic(100 * MS, MS);
	must(call(dev, SIZED(RESCH_IOC_REGISTER, sizeof(longer)), &longer));
	check(longer.reg.id, "no id came back");
	must(resch_unregister(dev, 0));
}

TEST(longer_full, "a longer structure with something in the rest is E2BIG, and nothing happens")
{
	struct resch_domain_set want[2];
	unsigned int i;

	use("edf");
	longer.reg = periodic(100 * MS, MS);
	for (i = 0; i < sizeof(longer.more); i += 9) {
		longer.more[i] = 1;
		refused(call(dev, SIZED(RESCH_IOC_REGISTER, sizeof(longer)), &longer), E2BIG);
		longer.more[i] = 0;
	}
	check_is(tasks_registered(), 0);
	memset(want, 0, sizeof(want));
	want[0].cpus.bits[0] = 1;
	strcpy(want[0].plugin, "fifo");
	want[1].domain = 1;
	refused(call(dev, SIZED(RESCH_IOC_DOMAIN_SET, sizeof(want)), want), E2BIG);
	check_is(info().domains, 1);
}

TEST(shorter_in, "a shorter structure passes, and what is missing counts as zero")
{
	size_t size = offsetof(struct resch_register, verdict);
	struct resch_register reg;

	use("edf");
	reg = periodic(100 * MS, MS);
	memset(&reg.verdict, 0x5a, sizeof(reg.verdict));
	must(call(dev, SIZED(RESCH_IOC_REGISTER, size), &reg));
	check(reg.id, "no id came back");
	check_is(reg.verdict.value, 0x5a5a5a5a5a5a5a5aULL);
	must(resch_unregister(dev, 0));

	/* Without the part that says which thread, domain and so on. */
	reg = periodic(100 * MS, MS);
	reg.id = 0;
	must(call(dev, SIZED(RESCH_IOC_REGISTER, sizeof(reg.params)), &reg));
	check_is(reg.id, 0);
	check_is(tasks_registered(), 1);
	must(resch_unregister(dev, 0));
}

TEST(shorter_out, "no more is written than the program has room for")
{
	union {
		struct resch_info info;
		unsigned char bytes[sizeof(struct resch_info)];
	} now;
	size_t size, i;

	for (size = 0; size <= sizeof(now); size += 4) {
		memset(&now, 0x5a, sizeof(now));
		must(call(dev, SIZED(RESCH_IOC_INFO, size), &now));
		if (size)
			check_is(now.info.abi, RESCH_ABI_VERSION);
		for (i = size; i < sizeof(now); i++)
			check_is(now.bytes[i], 0x5a);
	}
}

TEST(longer_out, "a program with more room gets what there is")
{
	struct {
		struct resch_info info;
		unsigned char more[32];
	} now;

	memset(&now, 0, sizeof(now));
	must(call(dev, SIZED(RESCH_IOC_INFO, sizeof(now)), &now));
	check_is(now.info.abi, RESCH_ABI_VERSION);
	check_is(now.more[0], 0);
}

TEST(pointers, "unreadable pointers are EFAULT")
{
	void *bad[] = { NULL, (void *)8, (void *)0x7fffffffe000UL, (void *)0xffff888000000000UL,
			(void *)-1L };
	unsigned int i, j;

	for (i = 0; i < REQUESTS; i++) {
		if (requests[i] == RESCH_IOC_WAIT)
			continue;
		for (j = 0; j < sizeof(bad) / sizeof(bad[0]); j++)
			refused(call(dev, requests[i], bad[j]), EFAULT);
	}
}

TEST(half_mapped, "a structure that ends in nowhere is EFAULT")
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	munmap(page + 4096, 4096);
	for (i = 0; i < REQUESTS; i++)
		if (requests[i] != RESCH_IOC_WAIT)
			refused(call(dev, requests[i], page + 4092), EFAULT);
}

static void *read_only(const void *from, size_t size)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(page, from, size);
	mprotect(page, 4096, PROT_READ);
	return page;
}

TEST(result_nowhere,
     "where the result can't be written, the call is EFAULT and has changed nothing")
{
	struct resch_domain_set want = { .plugin = "fifo" };
	struct resch_register reg;

	use("edf");
	reg = periodic(100 * MS, MS);
	refused(call(dev, RESCH_IOC_REGISTER, read_only(&reg, sizeof(reg))), EFAULT);
	check_is(tasks_registered(), 0);
	want.cpus.bits[0] = 1;
	refused(call(dev, RESCH_IOC_DOMAIN_SET, read_only(&want, sizeof(want))), EFAULT);
	check_is(info().domains, 1);
}

static void waits_nowhere(struct task *task)
{
	task_wait(task);
	task->result = call(dev, RESCH_IOC_WAIT, (void *)8);
	task->number = 1;
	must(resch_wait(dev, NULL));
}

TEST(wait_nowhere, "RESCH_IOC_WAIT with a bad pointer is EFAULT, with none it works")
{
	struct task task = { .reg = periodic(20 * MS, MS) };

	use("edf");
	task_start(&task, waits_nowhere);
	task_join(&task);
	check_is(task.result, -EFAULT);
}

TEST(reserved, "reserved fields and unknown flags are EINVAL")
{
	struct resch_target target = { .reserved = 1 };
	struct resch_domain_del del = { .reserved = 1 };
	struct resch_plugin_stat plugin = { .reserved = 1 };
	struct resch_task_stat task = { .next = 2 };
	struct resch_affinity affinity = { .flags = 2 };
	struct resch_domain_stat domain = { .next = 2 };
	struct resch_domain_set want = { .plugin = "fifo", .flags = 1 };

	want.cpus.bits[0] = 1;
	refused(call(dev, RESCH_IOC_UNREGISTER, &target), EINVAL);
	refused(call(dev, RESCH_IOC_RELEASE, &target), EINVAL);
	refused(call(dev, RESCH_IOC_DOMAIN_DEL, &del), EINVAL);
	refused(call(dev, RESCH_IOC_PLUGIN_STAT, &plugin), EINVAL);
	refused(call(dev, RESCH_IOC_TASK_STAT, &task), EINVAL);
	refused(call(dev, RESCH_IOC_AFFINITY, &affinity), EINVAL);
	refused(call(dev, RESCH_IOC_DOMAIN_STAT, &domain), EINVAL);
	refused(call(dev, RESCH_IOC_DOMAIN_SET, &want), EINVAL);
}
