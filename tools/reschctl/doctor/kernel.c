// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel.c - the kernel: version, preemption, configuration, what it takes from real-time
 * tasks
 */
#include <errno.h>
#include <string.h>

#include "doctor.h"
#include "common/kernels.h"

static bool is_rt(const struct doctor *doctor)
{
	return strstr(doctor->build, "PREEMPT_RT") ||
	       doctor_config(doctor, "CONFIG_PREEMPT_RT") == 'y';
}

/*
 * What it has decides (find_config), not its number; whether anybody has tried it is worth knowing.
 */
static void find_version(struct doctor *doctor)
{
	const char *flavour = is_rt(doctor) ? "PREEMPT_RT" : "not PREEMPT_RT";
	char meaning[256];

	if (kernel_tested(doctor->release)) {
		doctor_find(doctor, "kernel", OK, NULL, NULL, "Linux %s, %s", doctor->release,
			    flavour);
		return;
	}
	snprintf(meaning, sizeof(meaning),
		 "Nobody has run resch's tests on a kernel of this series; those of %s are tested.",
		 kernel_series());
	doctor_find(doctor, "kernel", WARN, meaning, NULL, "Linux %s, %s: not tested",
		    doctor->release, flavour);
}

/*
 * "none voluntary (full)" has the one in force in parentheses. Without the file: what was asked for
 * at boot, or built.
 */
static bool preemption(const struct doctor *doctor, char *model, size_t size)
{
	char text[128], *begin, *end;
	const char *boot = doctor_boot(doctor, "preempt");

	if (doctor_read(doctor, text, sizeof(text), "/sys/kernel/debug/sched/preempt") > 0) {
		begin = strchr(text, '(');
		end = begin ? strchr(begin, ')') : NULL;
		if (end) {
			snprintf(model, size, "%.*s", (int)(end - begin - 1), begin + 1);
			return true;
		}
	}
	if (boot)
		snprintf(model, size, "%s", boot);
	else if (doctor_config(doctor, "CONFIG_PREEMPT_VOLUNTARY") == 'y')
		snprintf(model, size, "voluntary");
	else if (doctor_config(doctor, "CONFIG_PREEMPT_LAZY") == 'y')
		snprintf(model, size, "lazy");
	else if (doctor_config(doctor, "CONFIG_PREEMPT") == 'y' ||
		 doctor_config(doctor, "CONFIG_PREEMPT_RT") == 'y')
		snprintf(model, size, "full");
	else if (doctor_config(doctor, "CONFIG_PREEMPT_NONE") == 'y')
		snprintf(model, size, "none");
	else
		return false;
	return true;
}

static void find_preemption(struct doctor *doctor)
{
	char model[64];

	if (is_rt(doctor)) {
		doctor_find(doctor, "preemption", OK, NULL, NULL,
			    "PREEMPT_RT: nearly all of the kernel is preemptible");
	} else if (!preemption(doctor, model, sizeof(model))) {
		doctor_find(doctor, "preemption", WARN,
			    "Run doctor as root, with debugfs mounted, to find out.",
			    "mount -t debugfs none /sys/kernel/debug",
			    "the preemption model is not to be found out");
	} else if (!strcmp(model, "none") || !strcmp(model, "voluntary")) {
		doctor_find(
			doctor, "preemption", WARN,
			"A system call of another program delays real-time tasks on its CPU until it is over, "
			"milliseconds at worst.",
			doctor_config(doctor, "CONFIG_PREEMPT_DYNAMIC") == 'n' ?
				"boot a PREEMPT_RT kernel: apt install linux-image-rt-amd64" :
				"echo full > /sys/kernel/debug/sched/preempt\n"
				"to stay: preempt=full in GRUB_CMDLINE_LINUX of /etc/default/grub, update-grub, reboot\n"
				"or boot a PREEMPT_RT kernel: apt install linux-image-rt-amd64",
			"preemption model %s: the kernel is not preemptible", model);
	} else {
		/*
		 * Lazy is about ordinary tasks among themselves: a real-time one still preempts at
		 * once.
		 */
		doctor_find(doctor, "preemption", OK, NULL, NULL, "preemption model %s", model);
	}
}

static void find_config(struct doctor *doctor)
{
	const struct kernel_need *need;
	char missing[512] = "";

	if (!doctor->config) {
		doctor_find(
			doctor, "config", WARN, NULL, NULL,
			"the kernel's configuration was not found (/boot/config-%s, /proc/config.gz)",
			doctor->release);
		return;
	}
	for (need = kernel_needs; need->option; need++) {
		if (doctor_config(doctor, need->option) == 'n')
			snprintf(missing + strlen(missing), sizeof(missing) - strlen(missing),
				 "%s %s (%s)", *missing ? "," : "", need->option, need->purpose);
	}
	if (*missing)
		doctor_find(doctor, "config", FAIL, "The module cannot be built or loaded without.",
			    "use a distribution's kernel: apt install linux-image-amd64",
			    "the kernel lacks%s", missing);
	else
		doctor_find(doctor, "config", OK, NULL, NULL,
			    "the kernel has the options that the module needs");
	if (doctor_config(doctor, "CONFIG_RT_GROUP_SCHED") == 'y')
		doctor_find(
			doctor, "rt-group", WARN,
			"Groups have real-time budgets of their own, zero at first: threads in them cannot be "
			"registered until they get some.",
			"boot with rt_group_sched=0 (from 6.16 on), or give the group a cpu.rt_runtime_us",
			"CONFIG_RT_GROUP_SCHED is on");
}

/*
 * Up to 6.11 real-time tasks are throttled; since then a server for ordinary tasks takes their time
 * (below).
 */
static void find_throttling(struct doctor *doctor)
{
	static const char meaning[] =
		"While ordinary tasks wait, real-time tasks get no more than that. Admission counts "
		"it, but the gap comes in one piece.";
	static const char fix[] =
		"sysctl -w kernel.sched_rt_runtime_us=-1\n"
		"to stay: echo kernel.sched_rt_runtime_us=-1 > /etc/sysctl.d/90-resch.conf\n"
		"(a real-time task that never sleeps then keeps its CPU: SysRq-y gives it back)";
	bool server = doctor_from(doctor, 6, 12) &&
		      doctor_config(doctor, "CONFIG_RT_GROUP_SCHED") != 'y';
	long long runtime, period;

	if (doctor_number(doctor, &runtime, "/proc/sys/kernel/sched_rt_runtime_us") ||
	    doctor_number(doctor, &period, "/proc/sys/kernel/sched_rt_period_us") || period <= 0) {
		doctor_find(doctor, "rt-throttling", WARN, NULL, NULL,
			    "sched_rt_runtime_us cannot be read");
		return;
	}
	if (runtime < 0 || runtime >= period)
		doctor_find(doctor, "rt-throttling", OK, NULL, NULL,
			    "real-time tasks are not throttled");
	else if (!runtime)
		doctor_find(doctor, "rt-throttling", FAIL, "No real-time task can run.", fix,
			    "sched_rt_runtime_us is 0");
	else if (server)
		doctor_find(
			doctor, "rt-throttling", OK, NULL, NULL,
			"sched_rt_runtime_us is %lld of %lld, which only SCHED_DEADLINE heeds on this kernel",
			runtime, period);
	else
		doctor_find(
			doctor, "rt-throttling", WARN, meaning, fix,
			"real-time tasks are stopped after %lld us of each %lld us: %lld ms at a time",
			runtime, period, (period - runtime) / 1000);
}

static void find_server(struct doctor *doctor, const char *name, const char *check,
			const char *whom)
{
	struct resch_cpus busy = {};
	long long runtime, most = 0;
	char fix[512], meaning[256];
	unsigned int cpu;
	bool seen = false;

	for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
		if (!resch_cpus_has(&doctor->cpus, cpu) ||
		    doctor_number(doctor, &runtime, "/sys/kernel/debug/sched/%s/cpu%u/runtime",
				  name, cpu))
			continue;
		seen = true;
		if (runtime > 0)
			resch_cpus_add(&busy, cpu);
		if (runtime > most)
			most = runtime;
	}
	if (!seen) {
		/* The second server came later and is not everywhere. */
		if (!strcmp(check, "fair-server"))
			doctor_find(
				doctor, check, WARN,
				"Kernels from 6.12 on take about 50 ms of each second from real-time tasks while ordinary "
				"ones wait.",
				"run doctor as root, with debugfs mounted: mount -t debugfs none /sys/kernel/debug",
				"what the kernel keeps for ordinary tasks is not to be found out");
		return;
	}
	if (!most) {
		doctor_find(doctor, check, OK, NULL, NULL,
			    "the kernel keeps no time for %s tasks on these CPUs", whom);
		return;
	}
	snprintf(
		meaning, sizeof(meaning),
		"While %s tasks wait, they get that much of each period on each CPU before real-time tasks; "
		"sched_rt_runtime_us does not change it. Keep other tasks off these CPUs, or:",
		whom);
	snprintf(fix, sizeof(fix),
		 "for c in /sys/kernel/debug/sched/%s/cpu*; do echo 0 > $c/runtime; done%s", name,
		 doctor->locked ? "\n(lockdown forbids it while Secure Boot is on)" : "");
	doctor_find(doctor, check, WARN, meaning, fix,
		    "the kernel keeps %s of each second for %s tasks on CPUs %s",
		    time_text((uint64_t)most), whom, cpus_text(&busy));
}

/*
 * On PREEMPT_RT what RCU has to do on a CPU is done by threads at SCHED_FIFO 1, below registered
 * tasks.
 */
static void find_rcu(struct doctor *doctor)
{
	long long priority, level;

	if (!is_rt(doctor) ||
	    doctor_number(doctor, &priority, "/sys/module/rcutree/parameters/kthread_prio"))
		return;
	if (doctor_number(doctor, &level, "/sys/module/resch/parameters/level"))
		level = 80;
	if (priority > level)
		doctor_find(doctor, "rcu", OK, NULL, NULL,
			    "the kernel's RCU threads (SCHED_FIFO %lld) are above registered tasks",
			    priority);
	else
		doctor_find(
			doctor, "rcu", WARN,
			"A job that computes for seconds holds up the whole machine meanwhile: CPUs that go "
			"offline, control groups that change, modules that are unloaded wait for its end.",
			"rcutree.kthread_prio=90 in GRUB_CMDLINE_LINUX of /etc/default/grub, update-grub, reboot\n"
			"(not needed where every job is short)",
			"the kernel's RCU threads (SCHED_FIFO %lld) are below registered tasks",
			priority);
}

static void find_clock(struct doctor *doctor)
{
	char source[64], available[256];

	if (doctor_read(doctor, source, sizeof(source),
			"/sys/devices/system/clocksource/clocksource0/current_clocksource") <= 0)
		return;
	if (doctor_read(doctor, available, sizeof(available),
			"/sys/devices/system/clocksource/clocksource0/available_clocksource") < 0)
		*available = 0;
	if (!strcmp(source, "hpet") || !strcmp(source, "acpi_pm") || !strcmp(source, "jiffies") ||
	    !strcmp(source, "refined-jiffies"))
		doctor_find(
			doctor, "clock", WARN,
			"Reading the time takes a microsecond or more, several times a job. The kernel does not trust the "
			"processor's counter.",
			strstr(available, "tsc") ?
				"echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource" :
				"if the machine's counter is good after all: boot with tsc=reliable",
			"the clock source is %s", source);
	else
		doctor_find(doctor, "clock", OK, NULL, NULL, "the clock source is %s", source);
	if (doctor_boot(doctor, "highres") && !strcmp(doctor_boot(doctor, "highres"), "off"))
		doctor_find(
			doctor, "timers", FAIL,
			"Releases come with the clock tick, milliseconds late.",
			"remove highres=off from GRUB_CMDLINE_LINUX in /etc/default/grub, update-grub, reboot",
			"high-resolution timers are off");
}

void doctor_kernel(struct doctor *doctor)
{
	find_version(doctor);
	find_preemption(doctor);
	find_config(doctor);
	find_throttling(doctor);
	if (doctor_from(doctor, 6, 12)) {
		find_server(doctor, "fair_server", "fair-server", "ordinary");
		find_server(doctor, "ext_server", "ext-server", "sched_ext");
	}
	find_rcu(doctor);
	find_clock(doctor);
}
