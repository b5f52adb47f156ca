// SPDX-License-Identifier: GPL-2.0
/*
 * Which policies, quanta and flags go with which kind of server: what the plugin says of each
 * combination, beside a table by kind, and who asks it.
 */
#include "sim_rig.h"

#define MS 1000000ULL

const struct resch_plugin *resch_server(void);

/** struct kind - what servers of a kind may have, beside a policy of their own */
static const struct kind {
	bool policies; /* any but edf */
	bool inside;
	bool reclaims;
} kinds[RESCH_SERVER_KINDS] = {
	[RESCH_SERVER_CBS_HARD] = { true, true, true },
	[RESCH_SERVER_CBS] = { true, true, true },
	[RESCH_SERVER_CUS] = { true, false, false },
	[RESCH_SERVER_TBS] = { true, false, false },
	[RESCH_SERVER_PASSIVE] = { true, false, false },
	[RESCH_SERVER_LINUX] = { false, false, false },
};

static bool expected(const struct resch_server_params *params)
{
	const struct kind *kind = &kinds[params->kind];

	if (params->policy != RESCH_SERVER_EDF && !kind->policies)
		return false;
	if (params->policy == RESCH_SERVER_PLUGIN && !kind->inside)
		return false;
	if (params->flags & RESCH_SERVER_F_RECLAIM && !kind->reclaims)
		return false;
	return (params->policy == RESCH_SERVER_RR) == (params->quantum != 0);
}

static void combinations(void **state)
{
	static const u32 flags[] = { 0, RESCH_SERVER_F_PERSIST, RESCH_SERVER_F_RECLAIM,
				     RESCH_SERVER_F_ALL };
	struct resch_server_params params = { .budget = MS, .period = 10 * MS, .cpu = -1 };
	u32 yes = 0, i;

	for (params.kind = 0; params.kind < RESCH_SERVER_KINDS; params.kind++) {
		for (params.policy = 0; params.policy < RESCH_SERVER_POLICIES; params.policy++) {
			for (i = 0; i < 2 * (sizeof(flags) / sizeof(flags[0])); i++) {
				bool may;

				params.flags = flags[i / 2];
				params.quantum = i & 1 ? MS : 0;
				may = resch_server()->server_valid(&params);
				assert_int_equal(may, expected(&params));
				yes += may;
			}
		}
	}
	/* hard and soft: 7 policies, 4 flags; three kinds: 6 policies, 2 flags; Linux: 1, 2 */
	assert_int_equal(yes, 2 * 7 * 4 + 3 * 6 * 2 + 2);
	/* what there isn't */
	params = (struct resch_server_params){ .kind = RESCH_SERVER_KINDS };
	assert_false(resch_server()->server_valid(&params));
	params = (struct resch_server_params){ .policy = RESCH_SERVER_POLICIES };
	assert_false(resch_server()->server_valid(&params));
}

static bool only_hard(const struct resch_server_params *params)
{
	return params->kind == RESCH_SERVER_CBS_HARD;
}

/* The plugin is asked for a new server, and for those that stand when it takes over. */
static void asked(void **state)
{
	struct resch_server_params params = { .kind = RESCH_SERVER_CUS,
					      .budget = MS,
					      .period = 10 * MS,
					      .cpu = -1,
					      .flags = RESCH_SERVER_F_RECLAIM };
	struct resch_plugin picky = *resch_server();
	struct resch_verdict verdict = { 0 };
	struct sim *sim = make("server", "", 1, MS);

	assert_int_equal(sim_server_add(sim, &params, &verdict), -EINVAL);
	assert_int_equal(sim->nr_servers, 0);
	params.flags = 0;
	assert_int_equal(sim_server_add(sim, &params, &verdict), 0);
	assert_int_equal(sim_server_admit(sim, &picky, &sim->cpus[0].rq, &verdict), 0);
	picky.server_valid = only_hard;
	assert_int_equal(sim_server_admit(sim, &picky, &sim->cpus[0].rq, &verdict), -EBUSY);
	assert_int_equal(verdict.bound, RESCH_BOUND_PLUGIN);
	assert_int_equal(verdict.value, RESCH_SERVER_CUS);
	sim_free(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(combinations),
					    cmocka_unit_test(asked) };

	return cmocka_run_group_tests_name("server_kinds", tests, NULL, NULL);
}
