/* SPDX-License-Identifier: GPL-2.0 */
/* chardev.h - /dev/resch */
#ifndef _RESCH_DEVICE_CHARDEV_H
#define _RESCH_DEVICE_CHARDEV_H

#include <linux/init.h>

int __init resch_chardev_init(void);
void resch_chardev_exit(void);

#endif /* _RESCH_DEVICE_CHARDEV_H */
