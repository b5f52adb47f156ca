/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lead.h - what a lead costs and brings on a CPU */
#ifndef _RESCHCTL_LEAD_H
#define _RESCHCTL_LEAD_H

#include "reschctl.h"

/** struct lead_measure - what is asked: @jobs jobs without a lead and as many with one */
struct lead_measure {
	int32_t cpu;
	uint64_t jobs, period;
	bool json;
};

/** lead_measure - measure, and print. Return: an exit status */
int lead_measure(const struct lead_measure *asked);

/** lead_refused - say why resch_lead_set() has failed. Return: EXIT_FAILED */
int lead_refused(int error, const struct resch_verdict *verdict);

#endif /* _RESCHCTL_LEAD_H */
