// SPDX-License-Identifier: GPL-2.0
/* lib/basic.c - calls and their errors, and time, see lib.h */
#include "lib.h"

#include <time.h>

const char *errno_name(long error)
{
	static __thread char number[32];
	const char *name;

	if (error >= 0) {
		snprintf(number, sizeof(number), error ? "%ld" : "success", error);
		return number;
	}
	name = strerrorname_np(-error);
	if (name)
		return name;
	snprintf(number, sizeof(number), "error %ld", -error);
	return number;
}

long call(int fd, unsigned long request, void *argument)
{
	long result = ioctl(fd, request, argument);

	return result < 0 ? -errno : result;
}

/* ---- time ------------------------------------------------------------------------------------ */

void sleep_ms(unsigned int ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&time, &time) && errno == EINTR)
		;
}

uint64_t cpu_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * SEC + time.tv_nsec;
}

/*
 * Where an emulated machine's clock goes by instructions it hardly goes at all while a CPU does
 * nothing but pause: to take turns is what costs the time.
 */
void compute_a_while(void)
{
	volatile unsigned int n;

	for (n = 0; n < 3000; n++)
		;
	relax();
}

void spin(uint64_t ns)
{
	uint64_t end = cpu_time() + ns;

	while (cpu_time() < end)
		relax();
}

void spin_until(const atomic_int *flag)
{
	while (!atomic_load(flag))
		compute_a_while();
}
