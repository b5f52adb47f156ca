// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* names.c - words for the numbers of the ABI */
#include <string.h>

#include "request.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const kinds[] = { "periodic", "sporadic", "wakeup" };
static const char *const reacts[] = { "count", "notify", "signal", "skip", "throttle", "demote" };
static const char *const states[] = { "new",	 "sleeping",  "ready", "selected",
				      "blocked", "throttled", "gone" };
static const char *const events[] = { "?", "overrun", "miss", "gone" };
static const char *const gones[] = { "?", "exit", "exec", "eject", "offline", "sysrq" };

static const char *const server_kinds[] = { "cbs-hard", "cbs", "cus", "tbs", "passive", "linux" };
static const char *const server_policies[] = {
	"edf", "dm", "rm", "priority", "fifo", "rr", "plugin"
};

static const char *name(const char *const *names, size_t count, uint64_t value)
{
	return value < count ? names[value] : "?";
}

static int parse(const char *const *names, size_t count, const char *text)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (!strcmp(names[i], text))
			return (int)i;
	}
	return -EINVAL;
}

const char *resch_kind_name(uint32_t kind)
{
	return name(kinds, COUNT(kinds), kind);
}

const char *resch_react_name(uint32_t react)
{
	return name(reacts, COUNT(reacts), react);
}

const char *resch_state_name(uint32_t state)
{
	return name(states, COUNT(states), state);
}

const char *resch_event_name(uint32_t type)
{
	return name(events, COUNT(events), type);
}

const char *resch_gone_name(uint64_t gone)
{
	return name(gones, COUNT(gones), gone);
}

int resch_kind_parse(const char *text)
{
	return parse(kinds, COUNT(kinds), text);
}

int resch_react_parse(const char *text)
{
	return parse(reacts, COUNT(reacts), text);
}

const char *resch_server_kind_name(uint32_t kind)
{
	return name(server_kinds, COUNT(server_kinds), kind);
}

int resch_server_kind_parse(const char *text)
{
	return parse(server_kinds, COUNT(server_kinds), text);
}

const char *resch_server_policy_name(uint32_t policy)
{
	return name(server_policies, COUNT(server_policies), policy);
}

int resch_server_policy_parse(const char *text)
{
	return parse(server_policies, COUNT(server_policies), text);
}
