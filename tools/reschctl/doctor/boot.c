// SPDX-License-Identifier: GPL-2.0-or-later
/* boot.c - isolation: what only the kernel's command line can do, in its words */
#include <stdlib.h>
#include <string.h>

#include "doctor.h"

#define CPU "/sys/devices/system/cpu"

bool doctor_others(const struct doctor *doctor, struct resch_cpus *rest)
{
	char text[1024];
	size_t i;

	if (doctor_read(doctor, text, sizeof(text), CPU "/online") <= 0 ||
	    resch_cpus_parse(text, rest) <= 0)
		return false;
	for (i = 0; i < RESCH_CPUS_MAX / 64; i++)
		rest->bits[i] &= ~doctor->cpus.bits[i];
	return resch_cpus_count(rest) > 0;
}

static bool covers(const char *list, const struct resch_cpus *cpus)
{
	struct resch_cpus set;
	size_t i;

	/* nohz_full and rcu_nocbs may stand alone or as "all": taken as meant. */
	if (resch_cpus_parse(list, &set) < 0)
		return !*list || !strcmp(list, "all");
	for (i = 0; i < RESCH_CPUS_MAX / 64; i++) {
		if (cpus->bits[i] & ~set.bits[i])
			return false;
	}
	return true;
}

/* Of "managed_irq,domain,2-3": what comes after the flags. */
static const char *after_flags(const char *value)
{
	while (*value >= 'a' && *value <= 'z') {
		value += strcspn(value, ",");
		value += *value == ',';
	}
	return value;
}

/* "NAME=FLAGS,LIST " for our CPUs and those that the command line has for it already. */
static void add_word(const struct doctor *doctor, char *words, size_t size, const char *name,
		     const char *flags)
{
	const char *given = doctor_boot(doctor, name);
	struct resch_cpus cpus = {};
	size_t length = strlen(words), i;

	if (given && resch_cpus_parse(after_flags(given), &cpus) < 0)
		cpus = (struct resch_cpus){};
	for (i = 0; i < RESCH_CPUS_MAX / 64; i++)
		cpus.bits[i] |= doctor->cpus.bits[i];
	snprintf(words + length, size - length, "%s=%s%s ", name, flags, cpus_text(&cpus));
}

/** struct isolation - what the kernel does for our CPUs since its start */
struct isolation {
	bool isolated; /* load balancing leaves them alone */
	bool managed; /* and managed interrupts keep off */
	bool tickless;
	bool callbacks; /* RCU's, elsewhere */
};

static void boot_words(const struct doctor *doctor, const struct isolation *is, char *words,
		       size_t size)
{
	*words = 0;
	if (!is->isolated || !is->managed)
		add_word(doctor, words, size, "isolcpus", "managed_irq,domain,");
	if (!is->tickless && doctor_config(doctor, "CONFIG_NO_HZ_FULL") != 'n')
		add_word(doctor, words, size, "nohz_full", "");
	if (!is->callbacks && doctor_config(doctor, "CONFIG_RCU_NOCB_CPU") != 'n')
		add_word(doctor, words, size, "rcu_nocbs", "");
}

/* Those of isolcpus=, and of cpusets that are isolated partitions: in one list. */
static void read_isolated(const struct doctor *doctor, char *list, size_t size)
{
	struct resch_cpus cpus = {}, more;
	char text[512];
	size_t i;

	if (doctor_read(doctor, text, sizeof(text), CPU "/isolated") > 0 &&
	    resch_cpus_parse(text, &more) > 0)
		cpus = more;
	if (doctor_read(doctor, text, sizeof(text), "/sys/fs/cgroup/cpuset.cpus.isolated") > 0 &&
	    resch_cpus_parse(text, &more) > 0) {
		for (i = 0; i < RESCH_CPUS_MAX / 64; i++)
			cpus.bits[i] |= more.bits[i];
	}
	resch_cpus_format(&cpus, list, size);
}

/* Return: what comes to these CPUs all the same; NULL: nothing that a command line keeps off */
static const char *what_comes(const struct isolation *is)
{
	if (!is->isolated || !is->tickless)
		return "The kernel's balancing, its clock tick, its callbacks and managed interrupts come to these CPUs: "
		       "microseconds, but many times a second.";
	if (!is->managed)
		return "Managed interrupts, those of storage and network queues, come to these CPUs, and no shield can move "
		       "them.";
	return NULL;
}

void doctor_isolation(struct doctor *doctor)
{
	char isolated[512], nohz[512], words[600], fix[1024];
	const char *given = doctor_boot(doctor, "rcu_nocbs");
	struct isolation is = { .callbacks = given && covers(given, &doctor->cpus) };
	struct resch_cpus rest;
	const char *comes;

	read_isolated(doctor, isolated, sizeof(isolated));
	if (doctor_read(doctor, nohz, sizeof(nohz), CPU "/nohz_full") < 0 ||
	    !strcmp(nohz, "(null)"))
		*nohz = 0;
	if (!doctor->chosen || !doctor_others(doctor, &rest)) {
		doctor_find(doctor, "isolation", OK, NULL, NULL,
			    "isolated CPUs: %s; without clock tick: %s",
			    *isolated ? isolated : "none", *nohz ? nohz : "none");
		return;
	}
	given = doctor_boot(doctor, "isolcpus");
	is.isolated = *isolated && covers(isolated, &doctor->cpus);
	is.managed = given && strstr(given, "managed_irq") &&
		     covers(after_flags(given), &doctor->cpus);
	/* nohz_full implies rcu_nocbs. */
	is.tickless = *nohz && covers(nohz, &doctor->cpus);
	is.callbacks |= is.tickless;
	comes = what_comes(&is);
	if (!comes) {
		doctor_find(
			doctor, "isolation", OK, NULL, NULL,
			"CPUs %s are isolated, without clock tick and without managed interrupts",
			cpus_text(&doctor->cpus));
		return;
	}
	boot_words(doctor, &is, words, sizeof(words));
	snprintf(
		fix, sizeof(fix), "%s%s\nall else without a reboot: reschctl shield %s", words,
		doctor_exists(doctor, "/etc/default/grub") ?
			"in GRUB_CMDLINE_LINUX of /etc/default/grub, update-grub, reboot" :
			"on the kernel's command line, as this machine's boot loader takes it, reboot",
		cpus_text(&doctor->cpus));
	doctor_find(
		doctor, "isolation", WARN, comes, fix,
		"CPUs %s: isolated %s, without clock tick %s, callbacks %s, managed interrupts %s",
		cpus_text(&doctor->cpus), *isolated ? isolated : "none", *nohz ? nohz : "none",
		is.callbacks ? "elsewhere" : "here", is.managed ? "elsewhere" : "here");
}
