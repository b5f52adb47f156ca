/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hrtimer_setup() takes the callback and replaces hrtimer_init() with .function; 6.13 brought it,
 * 6.15 removed the old way. Needed for 6.1 to 6.12; can go with them.
 */
#ifndef _RESCH_COMPAT_HRTIMER_H
#define _RESCH_COMPAT_HRTIMER_H

#include <linux/hrtimer.h>

#ifndef RESCH_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif /* _RESCH_COMPAT_HRTIMER_H */
