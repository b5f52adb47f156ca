// SPDX-License-Identifier: GPL-2.0
/* jobs.c - registered threads with jobs, as programs are, see torture.h */
#include <unistd.h>

#include "torture.h"

bool life_register(struct life *life, uint32_t kind)
{
	union argument argument;
	struct resch_task_params *params = &argument.register_.params;

	life_leave(life);
	if (!domain_under(life, one_in(life, 2) ? "edf" : "fp"))
		return false;
	memset(&argument, 0, sizeof(argument));
	argument.register_.domain = life->domain.domain;
	params->kind = kind;
	params->flags = RESCH_F_SKIP_ADMISSION;
	params->cpu = -1;
	params->period = (2 + below(life, 20)) * MS;
	params->wcet = params->period / 8;
	params->priority = 1 + below(life, 50);
	return !request(life, REQUEST_REGISTER, &argument);
}

/* At random hardly any task is one that may have a lead or a pace. */
static bool jobs_begin(struct life *life)
{
	union argument argument;
	int err;

	if (!one_in(life, 4)) {
		request_fill(life, REQUEST_REGISTER, &argument);
		argument.register_.pid = 0;
		err = request(life, REQUEST_REGISTER, &argument);
		return !err || err == -EEXIST;
	}
	if (!life_register(life, RESCH_PERIODIC))
		return false;
	request_likely(life, REQUEST_LEAD);
	request_likely(life, REQUEST_PACE);
	return true;
}

void live_jobs(struct life *life)
{
	unsigned int jobs;

	if (!jobs_begin(life))
		return;
	for (jobs = below(life, 30); jobs; jobs--) {
		if (one_in(life, 4))
			fdatasync(life->fd);
		else
			request_likely(life, REQUEST_WAIT);
		life_something(life);
		if (one_in(life, 6))
			request_likely(life, one_in(life, 2) ? REQUEST_RELEASE : REQUEST_START);
	}
	if (!one_in(life, 4))
		life_leave(life);
}
