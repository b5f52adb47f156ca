/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * resch-text.h - what the library writes for people, and reads: refusals, names, times, CPUs
 *
 * A part of resch.h, which includes it.
 */
#ifndef _RESCH_TEXT_H
#define _RESCH_TEXT_H

#include "resch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- texts ----------------------------------------------------------------------------------- */

/**
 * resch_verdict_text - why something was refused, and what would pass, as a sentence without its
 * full stop
 * @text: gets the sentence, cut to @size bytes with the terminating zero
 *
 * Return: the length that it has or would have had, as snprintf(3).
 */
int resch_verdict_text(const struct resch_verdict *verdict, char *text, size_t size);

/**
 * resch_verdict_text_for - the same, of a server: what would pass is @word, "budget", and no
 * runtime
 */
int resch_verdict_text_for(const struct resch_verdict *verdict, const char *word, char *text,
			   size_t size);

/**
 * resch_params_check - are @params in the ranges of the ABI, where registering says only -EINVAL?
 * @text: gets a sentence about what is not, or "", cut to @size bytes with the terminating zero;
 *	RESCH_VERDICT_TEXT suffices
 *
 * Return: 0 or -EINVAL.
 */
int resch_params_check(const struct resch_task_params *params, char *text, size_t size);

/**
 * resch_names - all the words of a list, in the order of their numbers: "periodic, sporadic,
 * wakeup"
 * @what: "kinds", "reactions", "states", "events", "ends", "server-kinds", "server-policies",
 *	"balance-policies"; of resch-assign.h "assign-methods"; of resch-chain.h "chain-methods",
 *	"chain-rules", "chain-protocols", "chain-policies", "stage-kinds"
 *
 * Return: as snprintf(3); -EINVAL: there is no such list, and "" in @text.
 */
int resch_names(const char *what, char *text, size_t size);
/** resch_name_of - the word for @value in the list @what, of balance-policies for a bit; or "?" */
const char *resch_name_of(const char *what, uint64_t value);
/** resch_name_parse - the way back. Return: the number; -EINVAL: none */
int resch_name_parse(const char *what, const char *name);
/** resch_name_about - what the word @name of the list @what means, in a line for people; or "" */
const char *resch_name_about(const char *what, const char *name);

/*
 * Lower-case words for the enums of <linux/resch.h>, "?" for values that they lack, and the way
 * back: -EINVAL.
 */
const char *resch_kind_name(uint32_t kind);
const char *resch_react_name(uint32_t react);
const char *resch_state_name(uint32_t state);
const char *resch_event_name(uint32_t type);
const char *resch_gone_name(uint64_t gone);
int resch_kind_parse(const char *name);
int resch_react_parse(const char *name);
const char *resch_server_kind_name(uint32_t kind);
int resch_server_kind_parse(const char *name);
const char *resch_server_policy_name(uint32_t policy);
int resch_server_policy_parse(const char *name);

/**
 * resch_time_parse - read a time: digits, perhaps a decimal point, and one of ns, us, ms, s, min, h
 * @ns: gets it
 *
 * Return: 0; -EINVAL: not a time, or no whole number of nanoseconds; -ERANGE: longer than 2^64 - 2
 * ns. Only 0 needs no unit: a bare number is refused because people mean different units by it.
 */
int resch_time_parse(const char *text, uint64_t *ns);

/**
 * resch_time_format - write a time exactly, in the largest unit that leaves something before the
 * point: "1.5ms"
 *
 * Return: as snprintf(3); RESCH_TIME_TEXT bytes always suffice. RESCH_NEVER becomes "never".
 */
int resch_time_format(uint64_t ns, char *text, size_t size);

/** resch_now - CLOCK_MONOTONIC, ns */
uint64_t resch_now(void);

/* ---- threads and CPUs ------------------------------------------------------------------------ */

/**
 * resch_start_time - when a thread was started, in the unit of struct resch_register. Return: 0;
 * -ESRCH.
 */
int resch_start_time(pid_t tid, uint64_t *start_time);

/**
 * resch_start_time_parse - the same from the text of a /proc/PID/stat. Return: 0; -EINVAL: it is
 * none.
 */
int resch_start_time_parse(const char *stat, uint64_t *start_time);

/**
 * resch_cpus_parse - read a list such as "0,2-5", as the files in /sys/devices/system/cpu have it
 *
 * Return: how many CPUs it has; -EINVAL: not a list; -ERANGE: a CPU from RESCH_CPUS_MAX on.
 */
int resch_cpus_parse(const char *text, struct resch_cpus *cpus);

/** resch_cpus_format - write such a list. Return: as snprintf(3). */
int resch_cpus_format(const struct resch_cpus *cpus, char *text, size_t size);

/** resch_cpus_count - how many CPUs are in the set */
int resch_cpus_count(const struct resch_cpus *cpus);

/** resch_cpus_has - is @cpu in the set? */
static inline int resch_cpus_has(const struct resch_cpus *cpus, unsigned int cpu)
{
	return cpu < RESCH_CPUS_MAX && (cpus->bits[cpu / 64] >> (cpu % 64) & 1);
}

/** resch_cpus_add - put @cpu into the set; below RESCH_CPUS_MAX */
static inline void resch_cpus_add(struct resch_cpus *cpus, unsigned int cpu)
{
	if (cpu < RESCH_CPUS_MAX)
		cpus->bits[cpu / 64] |= (uint64_t)1 << (cpu % 64);
}

#ifdef __cplusplus
}
#endif

#endif /* _RESCH_TEXT_H */
