// SPDX-License-Identifier: GPL-2.0
/* pin.c - an output that a program can toggle and an oscilloscope can see */
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "pin.h"

static int open_line(struct pin *pin, const char *name)
{
	struct gpio_v2_line_request request = { .num_lines = 1, .consumer = "resch-latency" };
	const char *colon = strrchr(name, ':');
	char chip[100];
	int fd, error;

	if (!colon || (size_t)(colon - name) >= sizeof(chip)) {
		errno = EINVAL;
		return -1;
	}
	memcpy(chip, name, (size_t)(colon - name));
	chip[colon - name] = '\0';
	fd = open(chip, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -1;
	request.offsets[0] = (unsigned int)strtoul(colon + 1, NULL, 10);
	request.config.flags = GPIO_V2_LINE_FLAG_OUTPUT;
	error = ioctl(fd, GPIO_V2_GET_LINE_IOCTL, &request);
	close(fd);
	pin->fd = error ? -1 : request.fd;
	return error;
}

int pin_open(struct pin *pin, const char *name)
{
	pin->serial = !strncmp(name, "rts:", 4);
	if (pin->serial) {
		pin->fd = open(name + 4, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
		return pin->fd < 0 ? -1 : 0;
	}
	if (!strncmp(name, "gpio:", 5))
		return open_line(pin, name + 5);
	errno = EINVAL;
	return -1;
}

int pin_set(const struct pin *pin, int high)
{
	struct gpio_v2_line_values values = { .bits = high ? 1 : 0, .mask = 1 };
	int rts = TIOCM_RTS;

	if (pin->serial)
		return ioctl(pin->fd, high ? TIOCMBIS : TIOCMBIC, &rts);
	return ioctl(pin->fd, GPIO_V2_LINE_SET_VALUES_IOCTL, &values);
}
