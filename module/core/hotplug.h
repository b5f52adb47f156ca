/* SPDX-License-Identifier: GPL-2.0 */
/* hotplug.h - CPUs come and go; where what calls upwards is set */
#ifndef _RESCH_CORE_HOTPLUG_H
#define _RESCH_CORE_HOTPLUG_H

#include <linux/init.h>

int __init resch_hotplug_init(void);
void resch_hotplug_exit(void);

#endif /* _RESCH_CORE_HOTPLUG_H */
