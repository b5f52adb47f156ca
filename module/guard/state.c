// SPDX-License-Identifier: GPL-2.0
/* state.c - which CPUs are RT CPUs, and what all who ask have to know of them */

#include "state.h"

DEFINE_PER_CPU(struct resch_guard_cpu, resch_guard_cpus);
cpumask_t resch_guard_rt;
struct resch_guard resch_guard_common;
bool resch_guard_estimates;
unsigned int resch_guard_changes;

DEFINE_MUTEX(resch_guard_mutex);

bool (*resch_guard_breathe)(void);
