// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* params.c - what is wrong with a task's parameters, as a sentence */
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "request.h"

/* As the module has them. */
#define PERIOD_MIN 1000
#define TIME_MAX 3600000000000

struct answer {
	char *text;
	size_t size;
};

__attribute__((format(printf, 2, 3))) static int wrong(const struct answer *answer,
						       const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(answer->text, answer->size, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

/* Two times that are the wrong way round. */
static int longer(const struct answer *answer, const char *what, uint64_t ns, const char *than,
		  uint64_t limit)
{
	char time[RESCH_TIME_TEXT], most[RESCH_TIME_TEXT];

	resch_time_format(ns, time, sizeof(time));
	resch_time_format(limit, most, sizeof(most));
	return wrong(answer, "the %s, %s, is longer than the %s, %s", what, time, than, most);
}

static int check_times(const struct answer *answer, const struct resch_task_params *params)
{
	if (!params->wcet)
		return wrong(answer, "the runtime (wcet) is missing");
	if (!params->period)
		return wrong(answer, "the period is missing");
	if (params->period < PERIOD_MIN || params->period > TIME_MAX)
		return wrong(answer, "a period is 1us to 1h");
	if (params->deadline > TIME_MAX)
		return wrong(answer, "a deadline is at most 1h");
	if (params->offset > TIME_MAX)
		return wrong(answer, "an offset is at most 1h");
	if (params->wcet > params->period)
		return longer(answer, "runtime", params->wcet, "period", params->period);
	if (params->deadline && params->wcet > params->deadline)
		return longer(answer, "runtime", params->wcet, "deadline", params->deadline);
	return 0;
}

static int check_reactions(const struct answer *answer, const struct resch_task_params *params)
{
	int signals = params->overrun == RESCH_SIGNAL || params->miss == RESCH_SIGNAL;

	if (params->kind >= RESCH_KINDS)
		return wrong(answer, "there is no kind %" PRIu32, params->kind);
	if (params->overrun >= RESCH_REACTIONS || params->miss >= RESCH_REACTIONS)
		return wrong(answer, "there is no reaction %" PRIu32,
			     params->overrun >= RESCH_REACTIONS ? params->overrun : params->miss);
	if (params->signal > (uint32_t)SIGRTMAX)
		return wrong(answer, "there is no signal %" PRIu32, params->signal);
	if (signals && !params->signal)
		return wrong(answer, "the reaction signal needs signal=...");
	if (!signals && params->signal)
		return wrong(answer, "a signal is sent only with overrun=signal or miss=signal");
	return 0;
}

/* A member of a server says no times, and can't react to what does not happen to it. */
static int check_family(const struct answer *answer, const struct resch_task_params *params)
{
	if (params->period || params->deadline || params->wcet || params->offset)
		return wrong(answer, "with RESCH_F_FAMILY there are no times: the server has them");
	if (params->kind != RESCH_WAKEUP || params->overrun || params->miss || params->signal)
		return wrong(answer, "with RESCH_F_FAMILY the kind is wakeup, and nothing reacts");
	if (!params->group)
		return wrong(answer, "RESCH_F_FAMILY needs a server: group");
	return 0;
}

int resch_params_check(const struct resch_task_params *params, char *text, size_t size)
{
	struct answer answer = { .text = text, .size = size };
	int result;

	if (size)
		*text = 0;
	result = params->flags & RESCH_F_FAMILY ? check_family(&answer, params) :
						  check_times(&answer, params);
	if (!result && !(params->flags & RESCH_F_FAMILY))
		result = check_reactions(&answer, params);
	if (result)
		return result;
	if (params->priority > RESCH_PRIORITY_MAX)
		return wrong(&answer, "a priority is 0 to %d", RESCH_PRIORITY_MAX);
	if (params->cpu < -1 || params->cpu >= RESCH_CPUS_MAX)
		return wrong(&answer, "a CPU is 0 to %d, or -1 for any", RESCH_CPUS_MAX - 1);
	if (params->group > RESCH_GROUPS_MAX)
		return wrong(&answer, "a group is 0 to %d", RESCH_GROUPS_MAX);
	if (params->flags & ~(uint32_t)RESCH_F_ALL)
		return wrong(&answer, "there are flags that are none: 0x%" PRIx32,
			     params->flags & ~(uint32_t)RESCH_F_ALL);
	if (strnlen(params->name, RESCH_NAME_LEN) == RESCH_NAME_LEN)
		return wrong(&answer, "a name has at most %d bytes", RESCH_NAME_LEN - 1);
	return 0;
}
