// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * setting.c - the kernel's own masks of CPUs
 *
 * Those of network queues among them: to which CPUs a queue's packets are handed on to be received
 * (RPS). Which CPUs send by a queue (XPS) is left alone: an RT CPU that lost its own would share
 * the lock of somebody else's.
 *
 * irqbalance's is with them, which is no file: by it interrupts would come back.
 *
 * Work queues with a cpumask of their own need nothing: it is cut to the common one, and where
 * nothing remains the common one is taken.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "shield.h"

/* Of a queue: this, its device's number, its own. */
#define QUEUE_ID (1ULL << 62)
#define QUEUE_SHIFT 16

static const struct setting fixed[] = {
	{ SETTING_NEW_IRQS, "/proc/irq/default_smp_affinity", false, false },
	{ 1, "/sys/devices/virtual/workqueue/cpumask", false, false },
	{ 2, "/proc/sys/kernel/watchdog_cpumask", true, false },
};
#define BALANCER_ID 3

static void each_queue(const char *root, const char *device,
		       void (*call)(void *arg, const struct setting *setting), void *arg)
{
	struct setting setting = {};
	char text[32];
	uint64_t index, queue;
	struct dirent *entry;
	DIR *dir;

	if (read_text(machine_path(root, "/sys/class/net/%s/ifindex", device), text,
		      sizeof(text)) <= 0 ||
	    number_parse(text, UINT32_MAX, &index))
		return;
	dir = opendir(machine_path(root, "/sys/class/net/%s/queues", device));
	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "rx-", 3) ||
		    number_parse(entry->d_name + 3, UINT16_MAX, &queue))
			continue;
		setting.id = QUEUE_ID | index << QUEUE_SHIFT | queue;
		snprintf(setting.path, sizeof(setting.path),
			 "/sys/class/net/%.40s/queues/%.20s/rps_cpus", device, entry->d_name);
		call(arg, &setting);
	}
	if (dir)
		closedir(dir);
}

void each_setting(const char *root, void (*call)(void *arg, const struct setting *setting),
		  void *arg)
{
	struct setting balancer = { .id = BALANCER_ID, .balancer = true };
	struct dirent *entry;
	size_t i;
	DIR *dir;

	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		call(arg, &fixed[i]);
	if (balancer_find(root, balancer.path, sizeof(balancer.path)))
		call(arg, &balancer);
	dir = opendir(machine_path(root, "/sys/class/net"));
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			each_queue(root, entry->d_name, call, arg);
	}
	if (dir)
		closedir(dir);
}

int setting_get(const char *root, const struct setting *setting, struct resch_cpus *cpus)
{
	const char *path = machine_path(root, "%s", setting->path);

	if (setting->balancer)
		return balancer_get(root, setting->path, cpus);
	return setting->list ? list_read(path, cpus) : mask_read(path, cpus);
}

int setting_set(const char *root, const struct setting *setting, const struct resch_cpus *cpus)
{
	const char *path = machine_path(root, "%s", setting->path);

	if (setting->balancer)
		return balancer_set(root, setting->path, cpus);
	return setting->list ? list_write(root, path, cpus) : mask_write(root, path, cpus);
}
