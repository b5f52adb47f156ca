// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* verdict.c - refusals as sentences */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

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

static void add_bound(struct text *text, const struct resch_verdict *verdict)
{
	unsigned long long value = verdict->value, limit = verdict->limit;
	char where[32] = "";

	if (verdict->cpu >= 0)
		snprintf(where, sizeof(where), " on CPU %d", verdict->cpu);

	switch (verdict->bound) {
	case RESCH_BOUND_UTILIZATION:
		add(text, "the utilization%s would be ", where);
		add_share(text, value);
		add(text, ", and at most ");
		add_share(text, limit);
		add(text, " may be given away");
		return;
	case RESCH_BOUND_DEMAND:
		add(text, "the jobs that must both start and end within some ");
		add_time(text, limit);
		add(text, "%s could need ", where);
		add_time(text, value);
		break;
	case RESCH_BOUND_RESPONSE:
		if (verdict->task)
			add(text, "task %" PRIu32, verdict->task);
		else
			add(text, "the new task");
		add(text, "%s could take ", where);
		add_time(text, value);
		add(text, " from release to completion, past its deadline of ");
		add_time(text, limit);
		return;
	case RESCH_BOUND_LIU_LAYLAND:
		add(text, "the utilization%s would be ", where);
		add_share(text, value);
		add(text, ", above the Liu and Layland bound of ");
		add_share(text, limit);
		break;
	case RESCH_BOUND_HYPERBOLIC:
		add(text, "the product of (utilization + 1)%s would be %llu.%06llu", where,
		    value / 1000000, value % 1000000);
		add(text, ", above the hyperbolic bound of %llu.%06llu", limit / 1000000,
		    limit % 1000000);
		break;
	case RESCH_BOUND_RESERVE:
		add(text, "the group%s could need ", where);
		add_time(text, value);
		add(text, " where its reserves are sure to supply only ");
		add_time(text, limit);
		break;
	case RESCH_BOUND_SERVER:
		add(text, "the server%s could take ", where);
		add_time(text, value);
		add(text, " for what is to be complete ");
		add_time(text, limit);
		add(text, " after its release");
		break;
	case RESCH_BOUND_PLUGIN:
		add(text, "a limit of the plugin%s: %llu, and at most %llu", where, value, limit);
		break;
	case RESCH_BOUND_NONE:
		add(text, "no test gave a reason");
		break;
	default:
		add(text, "test number %" PRIu32 "%s: %llu against %llu", verdict->bound, where,
		    value, limit);
	}
}

int resch_verdict_text(const struct resch_verdict *verdict, char *text, size_t size)
{
	struct text out = { .at = text, .size = size };

	if (size)
		*text = 0;
	add_bound(&out, verdict);
	if (verdict->suggest_wcet || verdict->suggest_period)
		add(&out, "; it would pass with a ");
	if (verdict->suggest_wcet) {
		add(&out, "runtime of ");
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
