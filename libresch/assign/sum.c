// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * sum.c - sums of fractions, compared exactly
 *
 * Utilizations are fractions with denominators of 42 bits; a common one of a few tasks is beyond
 * any machine word. But digits of the sum are cheap: each part is divided on its own, 64 binary
 * digits at a time. Digits that are cut off leave an interval, [sum, sum + parts / 2^digits). Two
 * different sums differ by at least 1 over the product of all denominators, so with that many
 * digits what is still undecided is equal.
 */
#include "assign.h"

void resch_assign_sum_init(struct assign_sum *sum)
{
	*sum = (struct assign_sum){};
}

void resch_assign_sum_free(struct assign_sum *sum)
{
	free(sum->parts);
	resch_assign_sum_init(sum);
}

/* The next 64 binary digits of @rest / @den; @rest becomes what is left. */
static uint64_t next_digits(uint64_t *rest, uint64_t den)
{
	assign_u128 scaled = (assign_u128)*rest << 64;

	*rest = (uint64_t)(scaled % den);
	return (uint64_t)(scaled / den);
}

static void side_add(struct assign_side *side, assign_u128 num, uint64_t den, bool add)
{
	uint64_t whole = (uint64_t)(num / den), rest = (uint64_t)(num % den);
	assign_u128 digits = (assign_u128)next_digits(&rest, den) << 64;

	digits |= next_digits(&rest, den);
	if (add) {
		side->rest += digits;
		side->whole += whole + (side->rest < digits);
		side->inexact += rest != 0;
	} else {
		side->whole -= whole + (side->rest < digits);
		side->rest -= digits;
		side->inexact -= rest != 0;
	}
}

int resch_assign_sum_add(struct assign_sum *sum, assign_u128 num, uint64_t den, bool minus)
{
	struct assign_part *parts;
	size_t room;

	if (sum->nr == sum->room) {
		room = sum->room ? 2 * sum->room : 16;
		parts = realloc(sum->parts, room * sizeof(*parts));
		if (!parts)
			return -ENOMEM;
		sum->parts = parts;
		sum->room = room;
	}
	sum->parts[sum->nr++] = (struct assign_part){ num, den, minus };
	side_add(&sum->side[minus], num, den, true);
	return 0;
}

void resch_assign_sum_pop(struct assign_sum *sum)
{
	const struct assign_part *part = &sum->parts[--sum->nr];

	side_add(&sum->side[part->minus], part->num, part->den, false);
}

/*
 * Is a + x above, equal to, below b + y, for whatever x in [0, a.inexact) and y in [0, b.inexact),
 * in units of the last digit? Neither is in there where nothing was cut off. 2: cannot be told.
 */
static int side_compare(const struct assign_side *a, const struct assign_side *b)
{
	const struct assign_side *more = a, *less = b;
	assign_u128 gap;
	bool above;

	if (a->whole == b->whole && a->rest == b->rest && !a->inexact && !b->inexact)
		return 0;
	above = a->whole > b->whole || (a->whole == b->whole && a->rest >= b->rest);
	if (!above) {
		more = b;
		less = a;
	}
	if (more->whole - less->whole > 1 ||
	    (more->whole > less->whole && more->rest >= less->rest))
		return above ? 1 : -1;
	/* mod 2^128, which is right: the difference is below 1 */
	gap = more->rest - less->rest;
	if (gap > less->inexact || (gap == less->inexact && gap))
		return above ? 1 : -1;
	/* equal digits, and one of the two is more than its digits */
	if (!gap && !less->inexact)
		return above ? 1 : -1;
	if (!gap && !more->inexact)
		return above ? -1 : 1;
	return 2;
}

/* ---- as many digits as it takes -------------------------------------------------------------- */

/* limbs[0] holds the whole part, the others 64 digits each, both sides one after the other */
static void long_add(uint64_t *limbs, size_t nr, uint64_t *scratch, const struct assign_part *part)
{
	uint64_t rest = (uint64_t)(part->num % part->den), carry = 0;
	size_t i;

	scratch[0] = (uint64_t)(part->num / part->den);
	for (i = 1; i < nr; i++)
		scratch[i] = next_digits(&rest, part->den);
	for (i = nr; i-- > 0;) {
		assign_u128 sum = (assign_u128)limbs[i] + scratch[i] + carry;

		limbs[i] = (uint64_t)sum;
		carry = (uint64_t)(sum >> 64);
	}
}

/*
 * The sign of a - b, if that is more than @slack units of the last digit; else 0. a and b change.
 */
static int long_compare(uint64_t *a, uint64_t *b, size_t nr, uint64_t slack)
{
	uint64_t *more = a, *less = b, borrow = 0;
	bool small = true;
	size_t i;

	for (i = 0; i < nr && a[i] == b[i]; i++)
		;
	if (i < nr && a[i] < b[i]) {
		more = b;
		less = a;
	}
	for (i = nr; i-- > 0;) {
		uint64_t from = more[i], take = less[i];

		more[i] = from - take - borrow;
		borrow = from < take || (from == take && borrow);
		small = small && more[i] <= (i + 1 == nr ? slack : 0);
	}
	if (small)
		return 0;
	return more == a ? 1 : -1;
}

static int compare_exactly(const struct assign_sum *sum, const struct assign_part *other)
{
	uint64_t bits = 64, slack = sum->nr + 1;
	uint64_t *limbs;
	size_t nr, i;
	int sign;

	for (i = 0; i < sum->nr; i++)
		bits += 64 - (uint64_t)__builtin_clzll(sum->parts[i].den);
	bits += 64 - (uint64_t)__builtin_clzll(other->den);
	nr = (size_t)(bits / 64) + 2;
	limbs = calloc(3 * nr, sizeof(*limbs));
	if (!limbs)
		return 1;
	for (i = 0; i < sum->nr; i++)
		long_add(limbs + sum->parts[i].minus * nr, nr, limbs + 2 * nr, &sum->parts[i]);
	long_add(limbs + nr, nr, limbs + 2 * nr, other);
	sign = long_compare(limbs, limbs + nr, nr, slack);
	free(limbs);
	return sign;
}

int resch_assign_sum_compare(const struct assign_sum *sum, assign_u128 num, uint64_t den)
{
	const struct assign_part other = { num, den, true };
	struct assign_side minus = sum->side[1];
	int sign;

	side_add(&minus, num, den, true);
	sign = side_compare(&sum->side[0], &minus);
	return sign == 2 ? compare_exactly(sum, &other) : sign;
}

uint64_t resch_assign_sum_ceil(const struct assign_sum *sum)
{
	uint64_t guess;

	if (resch_assign_sum_compare(sum, 0, 1) <= 0)
		return 0;
	guess = sum->side[0].whole - sum->side[1].whole;
	/* fractions and digits that were left out are worth less than 2 */
	guess = guess > 2 ? guess - 2 : 0;
	while (resch_assign_sum_compare(sum, guess, 1) > 0)
		guess++;
	return guess;
}

/* ---- square roots ---------------------------------------------------------------------------- */

void resch_assign_root(uint32_t delta, struct assign_part *low, struct assign_part *high)
{
	/*
	 * sqrt(d^2 + d) = d + 1 / (2 + 1 / (2 d + 1 / (2 + ...))): the convergents of the continued
	 * fraction are below and above it in turn, and two neighbours differ by 1 / (q q').
	 */
	assign_u128 p = 1, q = 0, next_p = delta, next_q = 1;
	unsigned int i;

	for (i = 0;; i++) {
		uint64_t factor = i % 2 ? 2ULL * delta : 2;
		assign_u128 new_p = factor * next_p + p, new_q = factor * next_q + q;

		if (new_q >> 56)
			break;
		p = next_p;
		q = next_q;
		next_p = new_p;
		next_q = new_q;
	}
	/* after an even number of steps the newest one is below */
	*(i % 2 ? high : low) = (struct assign_part){ .num = next_p, .den = (uint64_t)next_q };
	*(i % 2 ? low : high) = (struct assign_part){ .num = p, .den = (uint64_t)q };
}
