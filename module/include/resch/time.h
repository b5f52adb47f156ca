/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * time.h - times as people write them: "10ms", "1.5us", "0"
 *
 * The one reader of all of resch: the options of plugins, in the kernel and in the simulator, and
 * what resch_time_parse() reads for programs.
 */
#ifndef _RESCH_TIME_H
#define _RESCH_TIME_H

#include <linux/errno.h>
#include <linux/types.h>
#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <string.h>
#endif

/*
 * 3.6e12 ns in the largest unit: decimals beyond the 13th are no whole nanosecond, so a fraction
 * has at most so many, and is below this.
 */
#define RESCH_TIME_SCALE_MAX 10000000000000ULL

static inline int resch_time_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Nanoseconds in a unit; 0: there is none of that name. */
static inline __u64 resch_time_unit(const char *name)
{
	static const struct resch_time_name {
		const char *name;
		__u64 ns;
	} units[] = {
		{ "h", 3600000000000ULL },
		{ "min", 60000000000ULL },
		{ "s", 1000000000 },
		{ "ms", 1000000 },
		{ "us", 1000 },
		{ "µs", 1000 },
		{ "ns", 1 },
		{ NULL, 0 },
	};
	const struct resch_time_name *unit = units;

	while (unit->name && strcmp(name, unit->name))
		unit++;
	return unit->ns;
}

/* A number: what is before its point, and @fraction / @scale. Return: how many digits; -errno */
static inline int resch_time_number(const char **text, __u64 *whole, __u64 *fraction, __u64 *scale)
{
	const char *at = *text;
	int digits = 0;

	for (*whole = 0; resch_time_is_digit(*at); at++, digits++) {
		if (__builtin_mul_overflow(*whole, (__u64)10, whole) ||
		    __builtin_add_overflow(*whole, (__u64)(*at - '0'), whole))
			return -ERANGE;
	}
	*fraction = 0;
	*scale = 1;
	if (*at == '.') {
		for (at++; resch_time_is_digit(*at); at++, digits++) {
			if (*scale >= RESCH_TIME_SCALE_MAX) {
				if (*at != '0')
					return -EINVAL;
				continue;
			}
			*scale *= 10;
			*fraction = *fraction * 10 + (__u64)(*at - '0');
		}
	}
	*text = at;
	return digits;
}

/*
 * resch_time_read - digits, perhaps with a decimal point, and one of ns, us, ms, s, min, h
 * @ns: gets it
 *
 * Decimals are kept as an integer and a power of ten: 0.1ms is 100,000 ns, and no binary fraction
 * says so. Return: 0; -EINVAL: not a time, or no whole number of nanoseconds; -ERANGE: longer than
 * 2^64 - 2 ns. Only 0 needs no unit: a bare number is refused because people mean different units
 * by it.
 */
static inline int resch_time_read(const char *text, __u64 *ns)
{
	__u64 whole, fraction, scale, unit, part;
	int digits = resch_time_number(&text, &whole, &fraction, &scale);

	if (digits <= 0)
		return digits ? digits : -EINVAL;
	if (!*text && !whole && !fraction) {
		*ns = 0;
		return 0;
	}
	unit = resch_time_unit(text);
	if (!unit)
		return -EINVAL;
	/*
	 * fraction * unit / scale without the common tens stays below 2^64: fraction < scale, and
	 * unit is a few tens.
	 */
	for (part = unit; scale > 1 && !(part % 10); scale /= 10)
		part /= 10;
	if (fraction * part % scale)
		return -EINVAL;
	part = fraction * part / scale;
	if (__builtin_mul_overflow(whole, unit, &whole) ||
	    __builtin_add_overflow(whole, part, &whole) || whole == ~(__u64)0)
		return -ERANGE;
	*ns = whole;
	return 0;
}

#endif /* _RESCH_TIME_H */
