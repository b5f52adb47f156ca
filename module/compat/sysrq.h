/* SPDX-License-Identifier: GPL-2.0 */
/* The handler's key became a u8 in 6.7. Needed for 6.1; can go with it. */
#ifndef _RESCH_COMPAT_SYSRQ_H
#define _RESCH_COMPAT_SYSRQ_H

#include <linux/sysrq.h>

#ifdef RESCH_HAVE_SYSRQ_U8
typedef u8 resch_sysrq_key;
#else
typedef int resch_sysrq_key;
#endif

#endif /* _RESCH_COMPAT_SYSRQ_H */
