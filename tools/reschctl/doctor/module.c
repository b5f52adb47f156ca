// SPDX-License-Identifier: GPL-2.0-or-later
/* module.c - the module: loaded, loadable, allowed to load */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor.h"

/* Bits of /proc/sys/kernel/tainted. */
#define TAINT_FORCED (1 << 1)
#define TAINT_DIED (1 << 7)

#define EFI_GLOBAL "8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define EFI_SHIM "605dab50-e046-4300-abb6-3dd810dd8b23"

static bool module_file(const struct doctor *doctor)
{
	static const char *const places[] = { "updates/dkms", "updates", "extra", "kernel/extra" };
	static const char *const suffixes[] = { "", ".xz", ".zst", ".gz" };
	size_t i, j;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		for (j = 0; j < sizeof(suffixes) / sizeof(suffixes[0]); j++) {
			if (doctor_exists(doctor, "/lib/modules/%s/%s/resch.ko%s", doctor->release,
					  places[i], suffixes[j]))
				return true;
		}
	}
	return false;
}

static void find_loaded(struct doctor *doctor)
{
	int fd;

	if (doctor->loaded) {
		doctor_find(doctor, "module", OK, NULL, NULL,
			    "resch %.*s is loaded, ABI %u: %u tasks in %u domains", RESCH_NAME_LEN,
			    doctor->info.version, doctor->info.abi, doctor->info.tasks,
			    doctor->info.domains);
		return;
	}
	fd = *doctor->root ? -ENOENT : resch_open();
	if (fd >= 0)
		close(fd);
	if (fd == -EACCES || fd == -EPERM || fd == -EPROTONOSUPPORT)
		doctor_find(doctor, "module", FAIL, NULL, NULL, "%s", resch_open_reason(fd));
	else if (module_file(doctor))
		doctor_find(doctor, "module", WARN, NULL, "modprobe resch",
			    "resch is installed, but not loaded");
	else
		doctor_find(
			doctor, "module", WARN, NULL,
			"apt install dkms linux-headers-amd64, then `sudo make install` in the sources of resch; "
			"`dkms status` shows how that went",
			"resch is not installed for this kernel");
}

/* A symbol in the list of a kernel's exports: a line "0x...\tSYMBOL\t...". */
static int exported(const struct doctor *doctor, const char *symbol)
{
	char path[512], line[512], tabbed[64];
	int result = -1;
	FILE *file;

	snprintf(path, sizeof(path), "%s/lib/modules/%s/build/Module.symvers", doctor->root,
		 doctor->release);
	snprintf(tabbed, sizeof(tabbed), "\t%s\t", symbol);
	file = fopen(path, "re");
	if (file) {
		result = 0;
		while (!result && fgets(line, sizeof(line), file))
			result = strstr(line, tabbed) != NULL;
		fclose(file);
		return result;
	}
	snprintf(path, sizeof(path), "%s/proc/kallsyms", doctor->root);
	snprintf(tabbed, sizeof(tabbed), " __ksymtab_%s\n", symbol);
	file = fopen(path, "re");
	if (!file)
		return -1;
	/* Without CONFIG_KALLSYMS_ALL exports are not in the list at all. */
	while (result != 1 && fgets(line, sizeof(line), file)) {
		if (strstr(line, tabbed))
			result = 1;
		else if (strstr(line, " __ksymtab_"))
			result = 0;
	}
	fclose(file);
	return result;
}

static void find_parking(struct doctor *doctor)
{
	static const char meaning[] =
		"Tasks are stopped by lowering their priority, which costs two more switches, and "
		"`reschctl run --thread` and `attach` do not work: threads must register themselves.";
	int found;

	if (doctor->loaded) {
		found = !!(doctor->info.features & RESCH_FEATURE_REMOTE);
		if (found && doctor->info.features & RESCH_FEATURE_DEMOTE) {
			doctor_find(
				doctor, "stopping", WARN, "Parking is cheaper.",
				"modprobe -r resch; modprobe resch",
				"task_work_add is exported, but the module was told to demote tasks");
			return;
		}
	} else {
		found = exported(doctor, "task_work_add");
	}
	if (found > 0)
		doctor_find(doctor, "stopping", OK, NULL, NULL,
			    "the kernel exports task_work_add: tasks are stopped by "
			    "parking, other programs' threads can be registered");
	else if (!found)
		doctor_find(doctor, "stopping", WARN, meaning,
			    "boot a kernel of Debian or Ubuntu, which export it",
			    "the kernel does not export task_work_add");
	else
		doctor_find(
			doctor, "stopping", WARN, NULL,
			"apt install linux-headers-amd64, or load the module, and run doctor again",
			"whether the kernel exports task_work_add is not to be found out");
}

/* The last byte of an EFI variable; -1: none. */
static int efi_variable(const struct doctor *doctor, const char *name, const char *vendor)
{
	unsigned char bytes[64];
	char path[512];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/sys/firmware/efi/efivars/%s-%s", doctor->root, name,
		 vendor);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, bytes, sizeof(bytes));
	close(fd);
	return n > 4 ? bytes[n - 1] : -1;
}

static void find_signing(struct doctor *doctor)
{
	static const char enrol[] =
		"mokutil --import /var/lib/dkms/mok.pub, reboot, choose Enroll MOK";
	static const char trust[] =
		"mokutil --import /var/lib/dkms/mok.pub; mokutil --trust-mok; reboot, choose Enroll MOK "
		"and then Trust MOK";
	bool mok_trusted = efi_variable(doctor, "MokListTrustedRT", EFI_SHIM) >= 0 ||
			   !doctor_from(doctor, 6, 17);
	char enforce[8] = "";
	bool forced;

	doctor_read(doctor, enforce, sizeof(enforce), "/sys/module/module/parameters/sig_enforce");
	forced = enforce[0] == 'Y' || doctor_boot(doctor, "module.sig_enforce");
	if (!doctor->locked && !forced) {
		doctor_find(doctor, "signing", OK, NULL, NULL, "%s: unsigned modules can be loaded",
			    efi_variable(doctor, "SecureBoot", EFI_GLOBAL) == 1 ?
				    "Secure Boot without lockdown" :
				    "no lockdown");
		return;
	}
	if (doctor->loaded)
		doctor_find(doctor, "signing", OK, NULL, NULL,
			    "modules must be signed, and resch is loaded");
	else if (!doctor_exists(doctor, "/var/lib/dkms/mok.pub"))
		doctor_find(
			doctor, "signing", FAIL,
			"The module cannot be loaded without a key that the machine trusts.",
			"apt install dkms mokutil; dkms generate_mok; then what doctor says next",
			"%s", "modules must be signed, and there is no key in /var/lib/dkms");
	else
		doctor_find(
			doctor, "signing", WARN,
			mok_trusted ?
				"DKMS signs with its key, which the machine must have been told to trust, once." :
				"DKMS signs with its key, which the machine must have been told to trust, once. "
				"Debian's kernels from 6.17 on trust enrolled keys for modules only after "
				"`mokutil --trust-mok`.",
			mok_trusted ? enrol : trust, "%s",
			doctor->locked ? "lockdown (Secure Boot): modules must be signed" :
					 "module.sig_enforce: modules must be signed");
}

static void find_taint(struct doctor *doctor)
{
	long long taint;

	if (doctor_number(doctor, &taint, "/proc/sys/kernel/tainted"))
		return;
	if (taint & TAINT_FORCED)
		doctor_find(
			doctor, "taint", FAIL,
			"A module was loaded by force; the kernel then gives modules no tracepoints, and resch:* events "
			"are missing.",
			"rebuild that module for this kernel, and reboot",
			"the kernel is tainted by a forced module");
	else if (taint & TAINT_DIED)
		doctor_find(doctor, "taint", FAIL,
			    "Nothing can be promised of a kernel that has crashed.", "reboot",
			    "the kernel has had an oops since it was started: see dmesg");
	else
		doctor_find(doctor, "taint", OK, NULL, NULL, "no taint that matters (%lld)", taint);
}

static void find_history(struct doctor *doctor)
{
	if (!doctor->loaded)
		return;
	if (doctor->info.restored)
		doctor_find(
			doctor, "ejections", WARN, "Their promises ended.",
			"reschctl domain list; dmesg | grep resch",
			"%llu threads were given back after an ejection, an offline CPU or SysRq",
			(unsigned long long)doctor->info.restored);
	if (doctor->info.events_lost)
		doctor_find(doctor, "events", WARN, "A program reads its events too slowly.", NULL,
			    "%llu events were lost", (unsigned long long)doctor->info.events_lost);
}

static void find_permission(struct doctor *doctor)
{
	char status[4096], *at;
	unsigned long long effective;

	if (*doctor->root || read_text("/proc/self/status", status, sizeof(status)) <= 0)
		return;
	at = strstr(status, "CapEff:");
	effective = at ? strtoull(at + 7, NULL, 16) : 0;
	/* CAP_SYS_NICE is capability 23. */
	if (effective >> 23 & 1)
		doctor_find(doctor, "permission", OK, NULL, NULL,
			    "CAP_SYS_NICE: tasks may be registered");
	else
		doctor_find(doctor, "permission", WARN,
			    "Tasks can be registered only with CAP_SYS_NICE.",
			    "use sudo, or for one program: setcap cap_sys_nice+ep PROGRAM",
			    "no CAP_SYS_NICE");
}

static void find_sysrq(struct doctor *doctor)
{
	long long mask;

	if (doctor_number(doctor, &mask, "/proc/sys/kernel/sysrq"))
		return;
	/* 256: SYSRQ_ENABLE_RTNICE, which the module's key goes by. */
	if (mask == 1 || mask & 256)
		doctor_find(doctor, "sysrq", OK, NULL, NULL,
			    "Alt-SysRq-y gives all registered threads back by hand");
	else
		doctor_find(
			doctor, "sysrq", WARN,
			"Alt-SysRq-y cannot give threads back by hand when a real-time task runs wild.",
			"sysctl -w kernel.sysrq=1", "kernel.sysrq is %lld, without the bit 256",
			mask);
}

void doctor_module(struct doctor *doctor)
{
	find_loaded(doctor);
	find_parking(doctor);
	find_signing(doctor);
	find_taint(doctor);
	find_history(doctor);
	find_permission(doctor);
	find_sysrq(doctor);
}
