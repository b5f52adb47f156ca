/* SPDX-License-Identifier: GPL-2.0-or-later */
/* softirq.h - the names that the kernel gives its softirqs */
#ifndef _RESCH_SOFTIRQ_H
#define _RESCH_SOFTIRQ_H

#include <stddef.h>
#include <stdint.h>

/** softirq_name - as in /proc/softirqs. Return: "?": it is none */
static inline const char *softirq_name(uint64_t vector)
{
	static const char *const names[] = {
		"HI",	    "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
		"IRQ_POLL", "TASKLET", "SCHED",	 "HRTIMER", "RCU",
	};

	return vector < sizeof(names) / sizeof(names[0]) ? names[vector] : "?";
}

#endif /* _RESCH_SOFTIRQ_H */
