/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernels.h - which kernels can have the module */
#ifndef _RESCHCTL_KERNELS_H
#define _RESCHCTL_KERNELS_H

#include <stdbool.h>

/* An option that the kernel has to have, and what for. */
struct kernel_need {
	const char *option;
	const char *purpose;
};

/* All of them (module/needs); a NULL option ends the list. */
extern const struct kernel_need kernel_needs[];

/* The series that the tests boot, with spaces in between (tests/kernels.list). */
const char *kernel_series(void);

/* Is @release, "6.12.117+deb13-amd64", of one of them? */
bool kernel_tested(const char *release);

#endif /* _RESCHCTL_KERNELS_H */
