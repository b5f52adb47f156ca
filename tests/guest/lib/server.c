// SPDX-License-Identifier: GPL-2.0
/* server.c - servers and their members, see lib.h */
#include "lib.h"

struct resch_server_set server_of(uint32_t domain, uint64_t budget, uint64_t period)
{
	struct resch_server_set want = {
		.domain = domain,
		.params = { .budget = budget,
			    .period = period,
			    .cpu = -1,
			    .flags = RESCH_SERVER_F_PERSIST },
	};

	return want;
}

int server_set(struct resch_server_set *want)
{
	return call(dev, RESCH_IOC_SERVER_SET, want);
}

uint32_t server_make(uint32_t domain, uint64_t budget, uint64_t period)
{
	struct resch_server_set want = server_of(domain, budget, period);

	must(server_set(&want));
	check_is(want.cpu, CPU);
	return want.id;
}

int server_del(uint32_t domain, uint32_t id)
{
	struct resch_server_del del = { .domain = domain, .id = id };

	return call(dev, RESCH_IOC_SERVER_DEL, &del);
}

struct resch_server_stat server_stat(uint32_t domain, uint32_t id)
{
	struct resch_server_stat stat = { .domain = domain, .id = id };

	must(call(dev, RESCH_IOC_SERVER_STAT, &stat));
	return stat;
}

uint32_t servers_of(uint32_t domain)
{
	struct resch_server_stat stat = { .domain = domain };
	uint32_t id = 0, count = 0;

	while (resch_server_next(dev, &stat) > 0) {
		check(stat.id > id, "server %u comes after %u", stat.id, id);
		id = stat.id;
		count++;
	}
	return count;
}

static bool share_holds(const struct resch_server_stat *before,
			const struct resch_server_stat *after, uint64_t time)
{
	uint64_t budget = before->params.budget, period = before->params.period;

	/* Two budgets may come together. */
	return (after->consumed - before->consumed) * period <= time * budget + 2 * budget * period;
}

struct resch_server_stat share_await(const struct resch_server_stat *before, uint64_t begin,
				     uint64_t least, uint64_t most)
{
	struct resch_server_stat after;
	uint64_t now;

	do {
		now = resch_now();
		after = server_stat(before->domain, before->id);
		sleep_ms(20);
	} while (now < begin + most &&
		 (now < begin + least || after.exhausted <= before->exhausted + 3 ||
		  !share_holds(before, &after, now - begin)));
	check(share_holds(before, &after, now - begin),
	      "%llu of %llu ns have become %llu of %llu ns",
	      (unsigned long long)before->params.budget, (unsigned long long)before->params.period,
	      (unsigned long long)(after.consumed - before->consumed),
	      (unsigned long long)(now - begin));
	check(after.exhausted > before->exhausted + 3, "exhausted %llu times",
	      (unsigned long long)(after.exhausted - before->exhausted));
	return after;
}

struct resch_register in_server(uint32_t id, uint64_t period, uint64_t wcet)
{
	struct resch_register reg = periodic(period, wcet);

	reg.params.flags = 0;
	reg.params.group = id;
	reg.params.cpu = -1;
	return reg;
}
