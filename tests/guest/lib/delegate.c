// SPDX-License-Identifier: GPL-2.0
/* delegate.c - a server that is given to somebody, see delegate.h */
#include "delegate.h"

#include <grp.h>

uint32_t her_domain, her_server;

void become(uid_t uid, bool crew)
{
	gid_t groups[] = { CREW };

	must_libc(setgroups(crew, groups));
	must_libc(setresgid(uid, uid, uid));
	must_libc(setresuid(uid, uid, uid));
}

void server_with(uint64_t budget)
{
	pin(0, "0");
	her_domain = use("server");
	her_server = server_make(her_domain, budget, FAMILY_PERIOD);
}

struct resch_delegate to(uint32_t holder, uint32_t who)
{
	struct resch_delegate want = {
		.domain = her_domain, .id = her_server, .holder = holder, .who = who, .tasks = TASKS
	};

	return want;
}

void give(uint32_t holder, uint32_t who)
{
	struct resch_delegate want = to(holder, who);

	must(resch_server_delegate(dev, &want));
}

void take_back(void)
{
	struct resch_delegate none = { .domain = her_domain, .id = her_server };

	must(resch_server_delegate(dev, &none));
}

struct resch_register task_in_server(void)
{
	struct resch_register reg = sporadic(100 * MS, MS);

	reg.domain = her_domain;
	reg.params.cpu = -1;
	reg.params.group = her_server;
	reg.params.flags = 0;
	return reg;
}
