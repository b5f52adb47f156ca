// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * chain.c - a camera, a filter and an actuator on three CPUs, beside a planner: how late may the
 * actuator be?
 *
 * Pure computation: it needs neither the module nor any privilege.
 *
 * usage: chain [DEADLINE]
 */
#include <errno.h>
#include <resch-chain.h>
#include <stdio.h>

#define MS 1000000ULL

static struct resch_chain_spec chains[] = {
	{ .name = "arm",
	  .protocol = RESCH_CHAIN_RG,
	  .period = 20 * MS,
	  .deadline = 25 * MS,
	  .count = 3,
	  .stages = { { .name = "camera", .cpu = 0, .wcet = 4 * MS },
		      { .name = "filter", .cpu = 1, .wcet = 6 * MS },
		      { .name = "actuator", .cpu = 2, .wcet = 2 * MS } } },
	{ .name = "planner",
	  .protocol = RESCH_CHAIN_RG,
	  .period = 50 * MS,
	  .deadline = 50 * MS,
	  .count = 2,
	  .stages = { { .name = "map", .cpu = 1, .wcet = 15 * MS },
		      { .name = "path", .cpu = 2, .wcet = 10 * MS } } },
};

int main(int argc, char **argv)
{
	struct resch_chain_bound bounds[2];
	struct resch_chain_model model = { .chains = chains, .count = 2 };
	struct resch_chain_result result = { .chains = bounds };
	struct resch_chain_suggestion would;
	char text[RESCH_CHAIN_TEXT], time[RESCH_TIME_TEXT];
	int err;

	if (argc > 1 && resch_time_parse(argv[1], &chains[0].deadline))
		return 2;
	err = resch_chain_assign(&model, RESCH_CHAIN_PD);
	if (err == -EBUSY)
		printf("a deadline is shorter than the work of its chain\n");
	if (err)
		return 1;
	err = resch_chain_analyse(&model, RESCH_CHAIN_AUTO, &result);
	if (err && err != -EBUSY)
		return 1;
	resch_chain_text(&model, &result, text, sizeof(text));
	printf("%s\n", text);
	if (!err)
		return 0;
	resch_chain_suggest(&model, RESCH_CHAIN_AUTO, RESCH_CHAIN_PD, result.refusal.chain, &would);
	if (would.deadline) {
		resch_time_format(would.deadline, time, sizeof(time));
		printf("a deadline of %s would pass\n", time);
	}
	return 1;
}
