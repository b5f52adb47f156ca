// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* verdict.c - refusals as sentences */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "request.h"

struct text {
	char *at;
	size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
	size_t done = text->length < text->size ? text->length : text->size;
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(text->size > done ? text->at + done : NULL, text->size - done, format,
		      arguments);
	va_end(arguments);
	if (n > 0)
		text->length += (size_t)n;
}

static void add_time(struct text *text, uint64_t ns)
{
	char time[RESCH_TIME_TEXT];

	resch_time_format(ns, time, sizeof(time));
	add(text, "%s", time);
}

/*
 * Parts per million as per cent: 1 % is 10,000 of them. Four decimals, of which trailing zeros go.
 */
static void add_share(struct text *text, uint64_t ppm)
{
	uint64_t whole = ppm / 10000, rest = ppm % 10000;
	int digits = 4;

	while (digits && !(rest % 10)) {
		rest /= 10;
		digits--;
	}
	if (digits)
		add(text, "%" PRIu64 ".%0*" PRIu64 " %%", whole, digits, rest);
	else
		add(text, "%" PRIu64 " %%", whole);
}

enum unit { COUNT, TIME, SHARE, PRODUCT };

static void add_unit(struct text *text, enum unit unit, uint64_t value)
{
	if (unit == TIME)
		add_time(text, value);
	else if (unit == SHARE)
		add_share(text, value);
	else if (unit == PRODUCT)
		add(text, "%" PRIu64 ".%06" PRIu64, value / 1000000, value % 1000000);
	else
		add(text, "%" PRIu64, value);
}

/*
 * @unit: of value and limit. In the sentences V and L are these, W is where, " on CPU 1", and T the
 *        task whose
 * deadline it is.
 */
/* clang-format off */
static const struct bound {
	enum unit unit;
	const char *sentence;
} bounds[] = {
	[RESCH_BOUND_NONE] = { COUNT, "no test gave a reason" },
	[RESCH_BOUND_UTILIZATION] = { SHARE, "the utilization%W would be %V, and at most %L may be given away" },
	[RESCH_BOUND_DEMAND] = { TIME, "the jobs that must both start and end within some %L%W could need %V" },
	[RESCH_BOUND_RESPONSE] = { TIME, "%T%W could take %V from release to completion, past its deadline of %L" },
	[RESCH_BOUND_LIU_LAYLAND] = { SHARE, "the utilization%W would be %V, above the Liu and Layland bound of %L" },
	[RESCH_BOUND_HYPERBOLIC] = { PRODUCT, "the product of (utilization + 1)%W would be %V, above the hyperbolic bound of %L" },
	[RESCH_BOUND_PLUGIN] = { COUNT, "a limit of the plugin%W: %V, and at most %L" },
	[RESCH_BOUND_RESERVE] = { TIME, "the group%W could need %V where its reserves are sure to supply only %L" },
	[RESCH_BOUND_SERVER] = { TIME, "the server%W could take %V for what is to be complete %L after its release" },
	[RESCH_BOUND_CHAIN] = { TIME, "the local deadlines of the chain's stages, and its phases, add up to %V, past its deadline of %L" },
};
/* clang-format on */

/* of later modules */
static const struct bound unknown = { COUNT, "test number %N%W: %V against %L" };

static void add_bound(struct text *text, const struct resch_verdict *verdict)
{
	const struct bound *bound = verdict->bound < sizeof(bounds) / sizeof(bounds[0]) ?
					    &bounds[verdict->bound] :
					    &unknown;
	const char *at = bound->sentence;

	for (;;) {
		int plain = (int)strcspn(at, "%");

		add(text, "%.*s", plain, at);
		at += plain;
		if (!*at)
			return;
		if (at[1] == 'V')
			add_unit(text, bound->unit, verdict->value);
		else if (at[1] == 'L')
			add_unit(text, bound->unit, verdict->limit);
		else if (at[1] == 'N')
			add(text, "%" PRIu32, verdict->bound);
		else if (at[1] == 'W' && verdict->cpu >= 0)
			add(text, " on CPU %" PRId32, verdict->cpu);
		else if (at[1] == 'T' && verdict->task)
			add(text, "task %" PRIu32, verdict->task);
		else if (at[1] == 'T')
			add(text, "the new task");
		at += 2;
	}
}

int resch_verdict_text(const struct resch_verdict *verdict, char *text, size_t size)
{
	return resch_verdict_text_for(verdict, "runtime", text, size);
}

int resch_verdict_text_for(const struct resch_verdict *verdict, const char *word, char *text,
			   size_t size)
{
	struct text out = { .at = text, .size = size };

	if (size)
		*text = 0;
	add_bound(&out, verdict);
	if (verdict->suggest_wcet || verdict->suggest_period)
		add(&out, "; it would pass with a ");
	if (verdict->suggest_wcet) {
		add(&out, "%s of ", word);
		add_time(&out, verdict->suggest_wcet);
	}
	if (verdict->suggest_wcet && verdict->suggest_period)
		add(&out, ", or with a ");
	if (verdict->suggest_period) {
		add(&out, "period of ");
		add_time(&out, verdict->suggest_period);
	}
	return (int)out.length;
}
