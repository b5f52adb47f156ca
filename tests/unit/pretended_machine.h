/* SPDX-License-Identifier: GPL-2.0 */
/* pretended_machine.h - see pretended_machine.c */
#ifndef _RESCH_PRETENDED_MACHINE_H
#define _RESCH_PRETENDED_MACHINE_H

/* An ioctl() of the device. Return: 0 or -errno; 1: RESCH_MACHINE is not set */
int machine_ioctl(unsigned long request, void *arg) __attribute__((weak));

#endif /* _RESCH_PRETENDED_MACHINE_H */
