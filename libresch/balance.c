// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* balance.c - which threads a guard has sent to its CPUs */
#include <stdio.h>
#include <string.h>

#include "request.h"

/* By bit. */
static const char *const balance_names[] = { "weight", "push", "estimate", "associate" };
#define BALANCE_NAMES (sizeof(balance_names) / sizeof(balance_names[0]))

int resch_balance_set(int fd, uint32_t domain, uint32_t policies)
{
	struct resch_balance_set set = { .domain = domain, .policies = policies };

	return resch_request(fd, RESCH_IOC_BALANCE_SET, &set);
}

int resch_balance_stat(int fd, uint32_t domain, int cpu, struct resch_balance_stat *stat)
{
	*stat = (struct resch_balance_stat){ .domain = domain, .cpu = cpu };
	return resch_request(fd, RESCH_IOC_BALANCE_STAT, stat);
}

/* The bit of one name of @length bytes, or 0. */
static uint32_t balance_bit(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < BALANCE_NAMES; i++) {
		if (strlen(balance_names[i]) == length && !memcmp(balance_names[i], name, length))
			return 1U << i;
	}
	return 0;
}

int resch_balance_parse(const char *text, uint32_t *policies)
{
	uint32_t sum = 0, bit;
	size_t length;

	if (!strcmp(text, "all") || !strcmp(text, "none")) {
		*policies = *text == 'a' ? RESCH_BALANCE_ALL : 0;
		return 0;
	}
	for (;; text += length + 1) {
		length = strcspn(text, ",");
		bit = balance_bit(text, length);
		if (!bit)
			return -EINVAL;
		sum |= bit;
		if (!text[length])
			break;
	}
	*policies = sum;
	return 0;
}

int resch_balance_format(uint32_t policies, char *text, size_t size)
{
	char all[64] = "none";
	int length = 4;
	size_t i;

	for (i = 0; i < BALANCE_NAMES; i++) {
		if (!(policies >> i & 1))
			continue;
		if (all[0] == 'n')
			length = 0;
		length += snprintf(all + length, sizeof(all) - (size_t)length, "%s%s",
				   length ? "," : "", balance_names[i]);
	}
	if (size) {
		size_t fit = (size_t)length < size ? (size_t)length : size - 1;

		memcpy(text, all, fit);
		text[fit] = 0;
	}
	return length;
}
