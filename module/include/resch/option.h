/* SPDX-License-Identifier: GPL-2.0 */
/* option.h - the values of a plugin's options */
#ifndef _RESCH_OPTION_H
#define _RESCH_OPTION_H

#include "time.h"
#include "types.h"

/* The option()'s caller gets a number only; who reads the kernel's log finds what to write. */
#ifdef __KERNEL__
#include <linux/printk.h>
#define resch_option_refused(...) pr_err_ratelimited("resch: " __VA_ARGS__)
#else
/* The simulator and the tests see the same result, and say it in their own words. */
#define resch_option_refused(...) ((void)0)
#endif

/*
 * resch_option_time - a time with its unit: "500us"; a bare number is nobody's to interpret
 * @key: the option's name, for the message
 * @least, @most: ns, both allowed
 * @ns: gets it, if it is valid
 *
 * For option(), whose context is process context. Return: 0, -EINVAL
 */
static inline int resch_option_time(const char *key, const char *value, u32 least, u32 most,
				    u32 *ns)
{
	__u64 time;

	if (resch_time_read(value, &time)) {
		resch_option_refused("%s is a time with its unit: %s=%uus, for example\n", key, key,
				     least / 1000);
		return -EINVAL;
	}
	if (time < least || time > most) {
		resch_option_refused("%s is from %uus to %uus\n", key, least / 1000, most / 1000);
		return -EINVAL;
	}
	*ns = (u32)time;
	return 0;
}

#endif /* _RESCH_OPTION_H */
