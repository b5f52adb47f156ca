// SPDX-License-Identifier: GPL-2.0-or-later
/* rights.c - which right is missing */
#include <linux/capability.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reschctl.h"
#include "rights.h"

/* From 5.8 on; older headers have no name for them. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

/* @instead: the kernel takes that one as well. */
static const struct {
	unsigned int number, instead;
	const char *name;
} needed[] = {
	{ CAP_BPF, CAP_SYS_ADMIN, "bpf" },
	{ CAP_PERFMON, CAP_SYS_ADMIN, "perfmon" },
};

/* Of a number behind @name in a small file; @otherwise: there is none. */
static unsigned long long number_in(const char *root, const char *file, const char *name, int base,
				    unsigned long long otherwise)
{
	char path[256], text[4096], *at;

	snprintf(path, sizeof(path), "%s%s", root, file);
	if (read_text(path, text, sizeof(text)) <= 0)
		return otherwise;
	at = strstr(text, name);
	return at ? strtoull(at + strlen(name), NULL, base) : otherwise;
}

static bool has(const char *root, unsigned int number)
{
	return number_in(root, "/proc/self/status", "CapEff:", 16, ~0ULL) >> number & 1;
}

bool capabilities_missing(const char *root, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (!has(root, needed[i].number) && !has(root, needed[i].instead))
			used += (size_t)snprintf(text + used, size - used, "%s%s",
						 used ? " and " : "", needed[i].name);
	}
	return used;
}

bool perf_capability_missing(const char *root)
{
	return number_in(root, "/proc/sys/kernel/perf_event_paranoid", "", 10, 0) == 3 &&
	       !has(root, CAP_SYS_ADMIN);
}
