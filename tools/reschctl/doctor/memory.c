// SPDX-License-Identifier: GPL-2.0-or-later
/* memory.c - memory: what makes a task wait for a page */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "doctor.h"

static void find_swap(struct doctor *doctor)
{
	char text[4096];

	if (doctor_read(doctor, text, sizeof(text), "/proc/swaps") < 0)
		return;
	/* A heading, then a line each. */
	if (strchr(text, '\n'))
		doctor_find(
			doctor, "swap", WARN,
			"A page of a task that was swapped out takes milliseconds to come back.",
			"call mlockall(MCL_CURRENT | MCL_FUTURE) in each real-time program, or: swapoff -a",
			"there is swap space");
	else
		doctor_find(doctor, "swap", OK, NULL, NULL, "no swap space");
}

static void find_memlock(struct doctor *doctor)
{
	struct rlimit limit;

	if (*doctor->root || getrlimit(RLIMIT_MEMLOCK, &limit))
		return;
	if (limit.rlim_cur == RLIM_INFINITY || geteuid() == 0)
		doctor_find(doctor, "memlock", OK, NULL, NULL,
			    "programs may lock all of their memory");
	else
		doctor_find(
			doctor, "memlock", WARN, "mlockall() fails in programs that need more.",
			"echo \"$USER - memlock unlimited\" | sudo tee /etc/security/limits.d/resch.conf, log in again",
			"programs may lock %lu KiB of memory",
			(unsigned long)(limit.rlim_cur / 1024));
}

static void find_balancing(struct doctor *doctor)
{
	long long on;
	char text[128];

	if (!doctor_number(doctor, &on, "/proc/sys/kernel/numa_balancing") && on)
		doctor_find(
			doctor, "numa", WARN,
			"The kernel unmaps pages now and then to see who uses them: page faults.",
			"sysctl -w kernel.numa_balancing=0", "NUMA balancing is on");
	if (doctor_read(doctor, text, sizeof(text), "/sys/kernel/mm/transparent_hugepage/enabled") >
		    0 &&
	    strstr(text, "[always]"))
		doctor_find(
			doctor, "hugepages", WARN,
			"The kernel merges pages in the background; a task that touches one meanwhile waits.",
			"echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
			"transparent huge pages are always on");
	if (!doctor_number(doctor, &on, "/sys/kernel/mm/ksm/run") && on == 1)
		doctor_find(doctor, "ksm", WARN, "Writing to a merged page takes a page fault.",
			    "echo 2 > /sys/kernel/mm/ksm/run", "same-page merging is on");
}

void doctor_memory(struct doctor *doctor)
{
	find_swap(doctor);
	find_memlock(doctor);
	find_balancing(doctor);
}
