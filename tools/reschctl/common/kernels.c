// SPDX-License-Identifier: GPL-2.0-or-later
/* kernels.c - which kernels can have the module, by the lists that the build and DKMS go by */
#include <stddef.h>
#include <string.h>

#include "common/kernels.h"

#define NEED(option, purpose) { option, purpose },
#define TESTED(series)
const struct kernel_need kernel_needs[] = {
#include "kernel.inc"
	{ NULL, NULL },
};
#undef NEED
#undef TESTED

#define NEED(option, purpose)
#define TESTED(series) " " series
/* " 6.1 6.12": each after a space. */
static const char series_list[] = ""
#include "kernel.inc"
	;

const char *kernel_series(void)
{
	return series_list + 1;
}

bool kernel_tested(const char *release)
{
	const char *at = kernel_series();
	size_t length;

	while (*at) {
		length = strcspn(at, " ");
		if (!strncmp(release, at, length) && strchr(".-", release[length]))
			return true;
		at += length;
		at += strspn(at, " ");
	}
	return false;
}
