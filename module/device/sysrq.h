/* SPDX-License-Identifier: GPL-2.0 */
/* sysrq.h - SysRq gives all tasks back */
#ifndef _RESCH_DEVICE_SYSRQ_H
#define _RESCH_DEVICE_SYSRQ_H

#include <linux/init.h>

int __init resch_sysrq_init(void);
void resch_sysrq_exit(void);

#endif /* _RESCH_DEVICE_SYSRQ_H */
