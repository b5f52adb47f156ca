/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * histogram.h - log-linear histograms: which bucket a time falls into
 *
 * Each power of two is divided into HISTOGRAM_PARTS buckets of one width, so that a bucket is at
 * most 1 / HISTOGRAM_PARTS of its times wide. Below HISTOGRAM_PARTS ns each ns has its own. For the
 * kernel's side and for programs.
 */
#ifndef _TOP_HISTOGRAM_H
#define _TOP_HISTOGRAM_H

#include <linux/types.h>

#define HISTOGRAM_BITS 4
#define HISTOGRAM_PARTS (1U << HISTOGRAM_BITS)
/* The last bucket has all from 2^HISTOGRAM_TOP ns on: 68 s. */
#define HISTOGRAM_TOP 36
#define HISTOGRAM_BUCKETS ((HISTOGRAM_TOP - HISTOGRAM_BITS + 1) * HISTOGRAM_PARTS + 1)

/**
 * struct histogram - times, ns, since they are counted
 * @least: one more than the least one, so that 0 is for none
 */
struct histogram {
	__u64 count;
	__u64 sum;
	__u64 least;
	__u64 most;
	__u32 buckets[HISTOGRAM_BUCKETS];
	__u32 reserved;
};

/** histogram_bucket - the one that @ns falls into */
static inline __u32 histogram_bucket(__u64 ns)
{
	__u32 power = 0, high;

	if (ns < HISTOGRAM_PARTS)
		return (__u32)ns;
	if (ns >> HISTOGRAM_TOP)
		return HISTOGRAM_BUCKETS - 1;
	/* the number of its highest bit, without a loop; BPF has no instruction for it */
	high = (__u32)(ns >> HISTOGRAM_BITS);
	if (high >> 16) {
		power += 16;
		high >>= 16;
	}
	if (high >> 8) {
		power += 8;
		high >>= 8;
	}
	if (high >> 4) {
		power += 4;
		high >>= 4;
	}
	if (high >> 2) {
		power += 2;
		high >>= 2;
	}
	power += high >> 1;
	return (power + 1) * HISTOGRAM_PARTS + (__u32)(ns >> power) - HISTOGRAM_PARTS;
}

/** histogram_add - one more time, of @ns */
static inline __attribute__((always_inline)) void histogram_add(struct histogram *histogram,
								__u64 ns)
{
	__u32 bucket = histogram_bucket(ns);

	histogram->count++;
	histogram->sum += ns;
	if (!histogram->least || ns < histogram->least - 1)
		histogram->least = ns + 1;
	if (ns > histogram->most)
		histogram->most = ns;
	/* always so: for the verifier */
	if (bucket < HISTOGRAM_BUCKETS)
		histogram->buckets[bucket]++;
}

/** histogram_begin - the least time of a bucket, ns; of the one behind the last: where it ends */
static inline __u64 histogram_begin(__u32 bucket)
{
	__u32 power = bucket >> HISTOGRAM_BITS;

	if (!power)
		return bucket;
	return (__u64)(HISTOGRAM_PARTS + (bucket & (HISTOGRAM_PARTS - 1))) << (power - 1);
}

#endif
