/* SPDX-License-Identifier: GPL-2.0 */
/* pin.h - an output that a program can toggle and an oscilloscope can see */
#ifndef _LATENCY_PIN_H
#define _LATENCY_PIN_H

struct pin {
	int fd;
	int serial;
};

/*
 * gpio:/dev/gpiochip0:3 is line 3 of a GPIO chip (gpio-sim makes one without hardware);
 * rts:/dev/ttyS0 the serial port's "request to send". Returns 0 or -1, with errno.
 */
int pin_open(struct pin *pin, const char *name);

/* Returns 0 or -1, with errno. */
int pin_set(const struct pin *pin, int high);

#endif /* _LATENCY_PIN_H */
