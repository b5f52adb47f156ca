/* SPDX-License-Identifier: GPL-2.0 */
/* main.h - the device, SysRq, and what the module counts */
#ifndef _RESCH_MAIN_H
#define _RESCH_MAIN_H

#include <linux/init.h>
#include <linux/types.h>

/* threads given back after an ejection, an offline CPU or SysRq */
extern atomic64_t resch_restored;

int __init resch_chardev_init(void);
void resch_chardev_exit(void);

int __init resch_sysrq_init(void);
void resch_sysrq_exit(void);

#endif /* _RESCH_MAIN_H */
