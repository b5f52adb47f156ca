// SPDX-License-Identifier: GPL-2.0
/* sysrq.c - SysRq-y gives every thread back what it had */
#include "crowd.h"

static void sysrq(void)
{
	if (!file_write("/proc/sysrq-trigger", "y"))
		skip("/proc/sysrq-trigger can't be written: %s", strerror(errno));
}

static void restores(const char *plugin)
{
	uint64_t restored = info().restored;
	uint32_t domain = use(plugin);

	crowd_start();
	sysrq();
	crowd_gone(RESCH_GONE_SYSRQ);
	check_is(info().restored, restored + 6);
	check_is(domain_stat(domain).tasks, 0);
	check_is(domain_stat(domain).ejections, 0);
	check(!strcmp(domain_stat(domain).plugin, plugin), "the domain is on %s",
	      domain_stat(domain).plugin);
	/* The domain stays and works. */
	crowd_after();
}

TEST(edf, "SysRq-y restores every thread (edf)")
{
	restores("edf");
}

TEST(fifo, "SysRq-y restores every thread (fifo)")
{
	restores("fifo");
}

static void body_either(struct task *task)
{
	int err;

	task->unregistered_end = true;
	do
		err = resch_wait(dev, NULL);
	while (err == -EINTR);
	if (!err)
		err = resch_unregister(dev, 0);
	check(!err || err == -ECANCELED || err == -ENOENT, "it is told %s", errno_name(err));
}

/* A worker does it, and until then nobody is selected: who has a job, or has not, knows. */
static void sysrq_over(void)
{
	struct task task = { .reg = periodic(30 * MS, 5 * MS) };
	struct resch_event event;

	task_start(&task, body_either);
	task_join(&task);
	while (must(resch_event_wait(dev, 0)))
		must(resch_event_read(dev, &event, 1));
}

TEST(again, "again and again, with tasks or without")
{
	uint32_t domain = use("edf");
	int i;

	for (i = 0; i < 5; i++) {
		sysrq();
		sleep_ms(i * 3);
		sysrq_over();
		crowd_start();
		sysrq();
		crowd_gone(RESCH_GONE_SYSRQ);
	}
	check_is(domain_stat(domain).tasks, 0);
	crowd_after();
}
