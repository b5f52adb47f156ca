// SPDX-License-Identifier: GPL-2.0-or-later
/* cpus.c - CPUs: frequency, sleep, siblings, interrupts, isolation, and a host beneath */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"

#define CPU "/sys/devices/system/cpu"

/* An exit from a sleep state that takes longer than this is worth a warning; us. */
#define IDLE_LATENCY 20

#define for_each_cpu(doctor, cpu)                        \
	for ((cpu) = 0; (cpu) < RESCH_CPUS_MAX; (cpu)++) \
		if (resch_cpus_has(&(doctor)->cpus, (cpu)))

static void find_count(struct doctor *doctor)
{
	struct resch_cpus online;
	char text[1024];

	if (doctor_read(doctor, text, sizeof(text), CPU "/online") <= 0 ||
	    resch_cpus_parse(text, &online) <= 0)
		return;
	if (resch_cpus_count(&online) == 1)
		doctor_find(doctor, "cpus", WARN,
			    "Real-time and ordinary tasks and interrupts share it.", NULL,
			    "there is one CPU");
	else
		doctor_find(doctor, "cpus", OK, NULL, NULL, "CPUs %s are online", text);
}

static void find_frequency(struct doctor *doctor)
{
	struct resch_cpus slow = {};
	char governor[64], last[64] = "";
	unsigned int cpu;
	bool seen = false;

	for_each_cpu(doctor, cpu) {
		if (doctor_read(doctor, governor, sizeof(governor),
				CPU "/cpu%u/cpufreq/scaling_governor", cpu) <= 0)
			continue;
		seen = true;
		if (strcmp(governor, "performance")) {
			resch_cpus_add(&slow, cpu);
			snprintf(last, sizeof(last), "%s", governor);
		}
	}
	if (!seen)
		doctor_find(doctor, "frequency", OK, NULL, NULL,
			    "the kernel does not scale the CPUs' frequency");
	else if (!*last)
		doctor_find(doctor, "frequency", OK, NULL, NULL, "the governor is performance");
	else
		doctor_find(
			doctor, "frequency", WARN,
			"Execution times depend on what ran before: a WCET that was measured at full speed is exceeded at a "
			"lower one.",
			"for c in " CPU
			"/cpu*/cpufreq; do echo performance > $c/scaling_governor; done",
			"the governor of CPUs %s is %s", cpus_text(&slow), last);
}

static void find_idle(struct doctor *doctor)
{
	long long latency, disabled, worst = 0;
	char name[64] = "", fix[256];
	unsigned int cpu;
	int state;

	for_each_cpu(doctor, cpu) {
		for (state = 0; state < 16; state++) {
			if (doctor_number(doctor, &latency, CPU "/cpu%u/cpuidle/state%d/latency",
					  cpu, state))
				break;
			if (doctor_number(doctor, &disabled, CPU "/cpu%u/cpuidle/state%d/disable",
					  cpu, state) ||
			    disabled || latency <= worst)
				continue;
			worst = latency;
			doctor_read(doctor, name, sizeof(name), CPU "/cpu%u/cpuidle/state%d/name",
				    cpu, state);
		}
	}
	if (worst <= IDLE_LATENCY) {
		doctor_find(doctor, "idle", OK, NULL, NULL,
			    "no sleep state takes longer than %d us to leave", IDLE_LATENCY);
		return;
	}
	snprintf(
		fix, sizeof(fix),
		"cpupower idle-set -D %d   (apt install linux-cpupower)\nor keep /dev/cpu_dma_latency open with a 0 in it",
		IDLE_LATENCY);
	doctor_find(doctor, "idle", WARN,
		    "A release that finds its CPU asleep comes that much later.", fix,
		    "sleep state %s takes up to %lld us to leave", name, worst);
}

static void find_siblings(struct doctor *doctor)
{
	char text[64];

	if (doctor_read(doctor, text, sizeof(text), CPU "/smt/active") <= 0)
		return;
	if (text[0] == '1')
		doctor_find(
			doctor, "smt", WARN,
			"Whatever runs on a CPU's sibling slows its tasks down, by up to a half.",
			"echo off > " CPU "/smt/control   (or boot with nosmt)",
			"simultaneous multithreading is on");
	else
		doctor_find(doctor, "smt", OK, NULL, NULL, "no simultaneous multithreading");
}

/*
 * In which of the lists of a line of /proc/interrupts do our CPUs stand? Only those that have fired
 * count.
 */
static int count_interrupts(const struct doctor *doctor)
{
	char path[512], list[512], name[300];
	struct resch_cpus cpus;
	struct dirent *entry;
	int count = 0;
	size_t i;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/proc/irq", doctor->root);
	dir = opendir(path);
	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		snprintf(name, sizeof(name), "%s", entry->d_name);
		if (doctor_read(doctor, list, sizeof(list), "/proc/irq/%s/effective_affinity_list",
				name) <= 0 &&
		    doctor_read(doctor, list, sizeof(list), "/proc/irq/%s/smp_affinity_list",
				name) <= 0)
			continue;
		if (resch_cpus_parse(list, &cpus) <= 0)
			continue;
		for (i = 0; i < RESCH_CPUS_MAX / 64; i++) {
			if (cpus.bits[i] & doctor->cpus.bits[i]) {
				count++;
				break;
			}
		}
	}
	closedir(dir);
	return count;
}

static void find_interrupts(struct doctor *doctor)
{
	struct resch_cpus rest;
	char fix[512];
	int count;

	if (!doctor->chosen || !doctor_others(doctor, &rest)) {
		doctor_find(
			doctor, "interrupts", OK, NULL, NULL,
			"not judged: say --cpus=LIST, or make a domain, to tell which CPUs are to be quiet");
		return;
	}
	count = count_interrupts(doctor);
	if (count < 0)
		return;
	if (!count) {
		doctor_find(doctor, "interrupts", OK, NULL, NULL, "no device interrupts CPUs %s",
			    cpus_text(&doctor->cpus));
		return;
	}
	snprintf(
		fix, sizeof(fix),
		"reschctl shield %s   (and threads and work queues, too; reschctl unshield puts all back)\n"
		"or: for i in /proc/irq/[0-9]*; do echo %s > $i/smp_affinity_list; done 2>/dev/null\n"
		"systemctl stop irqbalance   (it would undo that)\n"
		"to stay: irqaffinity=%s on the kernel's command line",
		cpus_text(&doctor->cpus), cpus_text(&rest), cpus_text(&rest));
	doctor_find(doctor, "interrupts", WARN,
		    "An interrupt takes its time from whatever task runs, real-time or not.", fix,
		    "%d interrupts may come to CPUs %s", count, cpus_text(&doctor->cpus));
}

static void find_host(struct doctor *doctor)
{
	char text[8192], vendor[128] = "";

	doctor_read(doctor, text, sizeof(text), "/proc/cpuinfo");
	if (!strstr(text, " hypervisor")) {
		doctor_find(doctor, "hypervisor", OK, NULL, NULL, "none");
		return;
	}
	doctor_read(doctor, vendor, sizeof(vendor), "/sys/class/dmi/id/sys_vendor");
	doctor_find(
		doctor, "hypervisor", WARN,
		"The host can take a CPU away at any time, for as long as it likes, and no guest can promise "
		"anything against that.",
		"run real-time tasks on hardware, or have the host pin each virtual CPU to one of its own",
		"this is a virtual machine%s%s", *vendor ? ": " : "", vendor);
}

void doctor_cpus(struct doctor *doctor)
{
	find_count(doctor);
	find_frequency(doctor);
	find_idle(doctor);
	find_siblings(doctor);
	find_interrupts(doctor);
	doctor_isolation(doctor);
	find_host(doctor);
}
