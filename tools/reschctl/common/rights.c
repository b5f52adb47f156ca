// SPDX-License-Identifier: GPL-2.0-or-later
/* rights.c - which right is missing, and who has it to give */
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

#include "reschctl.h"

/* In the namespace of users that we are in, which need not be the machine's. */
static bool has_sys_nice(void)
{
	char status[4096], *line = NULL;

	if (read_text("/proc/self/status", status, sizeof(status)) > 0)
		line = strstr(status, "\nCapEff:");
	return line && strtoull(line + strlen("\nCapEff:"), NULL, 16) >> CAP_SYS_NICE & 1;
}

/* The machine's own has all ids, as they are. */
static bool is_contained(void)
{
	unsigned long long inside, outside, count;
	char map[4096];

	return read_text("/proc/self/uid_map", map, sizeof(map)) > 0 &&
	       sscanf(map, "%llu %llu %llu", &inside, &outside, &count) == 3 &&
	       (inside || outside || count < UINT32_MAX);
}

const char *rights_missing(void)
{
	if (is_contained())
		return "not permitted: this needs CAP_SYS_NICE in the machine's own user namespace, and this is "
		       "another one, as containers have: run it outside";
	if (!has_sys_nice())
		return "not permitted: this needs CAP_SYS_NICE: become root (sudo), or give it to the program "
		       "(`setcap cap_sys_nice+ep PROGRAM`) or its service (AmbientCapabilities=CAP_SYS_NICE); or have a "
		       "server delegated to you (`reschctl server delegate --help`)";
	return NULL;
}

bool thread_is_kernels(pid_t tid)
{
	char path[64], text[4096];

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	/* They have no memory; who has just ended has none, either. */
	return read_text(path, text, sizeof(text)) > 0 && !strstr(text, "\nVmSize:") &&
	       !strstr(text, "\nState:\tZ");
}
