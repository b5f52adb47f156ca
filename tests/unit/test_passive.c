// SPDX-License-Identifier: GPL-2.0
/*
 * test_passive - tasks of a passive server that work for clients, on the clients' servers
 *
 * The judge knows nothing of providers: to it a client does all of its work itself, in its own
 * server, by the textbook's constant-bandwidth rules on plain arrays. Whom the plugin picks, what
 * each server has left, until when, and what it has consumed must be the same after each event.
 */
#include "passive_world.h"

/* ---- a round --------------------------------------------------------------------------------- */

static void make_server(u32 kind, u64 budget, u64 period)
{
	static const u32 policies[] = { RESCH_SERVER_EDF, RESCH_SERVER_FIFO, RESCH_SERVER_DM };
	struct resch_server *server = &world.servers[world.nr_servers];
	u32 policy = policies[draw(0, 2)];

	server->id = world.nr_servers + 1;
	server->params = (struct resch_server_params){
		.kind = kind, .policy = policy, .budget = budget, .period = period
	};
	server->next = world.rig.rq.servers;
	world.rig.rq.servers = server;
	world.judged[world.nr_servers++] = (struct judged){ .budget = budget,
							    .period = period,
							    .hard = kind != RESCH_SERVER_CBS,
							    .policy = policy };
}

static void make_client(u32 server, u64 work, u64 period)
{
	struct client *client = &world.clients[world.nr_clients++];

	client->task = rig_task(&world.rig, work, period, period);
	client->task->params.group = server + 1;
	client->task->server = &world.servers[server];
	client->server = server;
	client->need[0] = draw(1, work / 2);
	client->need[1] = draw(1, (work - client->need[0]) / 2);
	client->need[2] = work - client->need[0] - client->need[1];
	client->discards = !world.polite && draw(0, 3) == 0;
	client->next = draw(0, period);
	rig_join(&world.rig, client->task);
}

static void make_world(u64 seed, bool polite)
{
	u64 share = 1000, period;
	u32 servers, i, k;

	memset(&world, 0, sizeof(world));
	world.random = seed;
	world.polite = polite;
	rig_init(&world.rig, resch_server());
	servers = (u32)draw(1, SERVERS - 1);
	for (i = 0; i < servers; i++) {
		u64 own = draw(share / (2 * (servers - i)), share / (servers - i));
		u32 clients = polite ? 1 : (u32)draw(1, 2);

		period = draw(100000, 1000000);
		make_server(draw(0, 1) ? RESCH_SERVER_CBS : RESCH_SERVER_CBS_HARD,
			    max(period * own / 1100, 1000ULL), period);
		share -= own;
		for (k = 0; k < clients; k++) {
			u64 budget = world.servers[i].params.budget;

			make_client(i, draw(100, polite ? budget : 2 * budget),
				    polite ? draw(period, 3 * period) :
					     draw(period / 2, 3 * period));
		}
	}
	period = draw(100000, 1000000);
	make_server(RESCH_SERVER_PASSIVE, period / 50, period);
	world.nr_providers = polite ? world.nr_clients : (u32)draw(1, world.nr_clients);
	for (i = 0; i < world.nr_providers; i++) {
		struct resch_task *task = rig_task(&world.rig, 10, period, period);

		task->params.group = world.nr_servers;
		task->server = &world.servers[passive()];
		task->job.deadline = task->job.release = 1 + i;
		rig_join(&world.rig, task);
		world.providers[i].task = task;
	}
}

/* The plugin's answer is the judge's. Returns when to ask again. */
static u64 compare(const struct job *pick, bool found)
{
	struct resch_pick answer = { .until = RESCH_NEVER };
	u32 i;

	world.rig.plugin->pick(&world.rig.rq, world.now, &answer);
	if (world.tie)
		return 0;
	assert_ptr_equal(answer.task, found ? pick->task : NULL);
	assert_true(answer.until > world.now);
	for (i = 0; i < world.nr_servers; i++) {
		const struct resch_server_state *state = &world.servers[i].state;
		const struct judged *judged = &world.judged[i];

		assert_int_equal(state->consumed, judged->consumed);
		/* Who is not first yet gets its next budget when it is. */
		if (!state->left)
			continue;
		assert_int_equal(state->left, judged->left);
		assert_int_equal(state->deadline, judged->deadline);
	}
	return answer.until;
}

static void advance(const struct job *pick, bool found, u64 until)
{
	u64 time = world.now + draw(1, 200000);
	u32 i;

	/* Something else may happen in between. */
	if (!world.polite)
		until = min(until, time);
	for (i = 0; i < world.nr_clients; i++) {
		if (world.clients[i].phase == IDLE)
			until = min(until, world.clients[i].next);
	}
	if (found)
		until = min(until, world.now + *pick->left);
	assert_true(until != RESCH_NEVER && until > world.now);
	time = until - world.now;
	world.now = until;
	if (!found)
		return;
	*pick->left -= time;
	world.judged[pick->server].left -= time;
	world.judged[pick->server].consumed += time;
	world.exhausted += !world.judged[pick->server].left;
}

static void happen(void)
{
	u32 i;

	progress();
	for (i = 0; i < world.nr_clients; i++) {
		if (world.clients[i].phase == IDLE && world.clients[i].next <= world.now)
			client_released(&world.clients[i]);
	}
	if (world.polite || draw(0, 60))
		return;
	i = (u32)draw(0, world.nr_clients - 1);
	if (world.clients[i].phase == SERVED || world.clients[i].phase == WAITS)
		client_gives_up(&world.clients[i], draw(0, 9) == 0);
}

static bool play(u32 events)
{
	u64 until;

	while (events--) {
		struct job pick;
		bool found;

		happen();
		judge_replenishes();
		found = judge_picks(&pick);
		until = compare(&pick, found);
		if (world.tie)
			return false;
		world.picked += found;
		if (!found && until == RESCH_NEVER) {
			u32 i, alive = 0;

			for (i = 0; i < world.nr_clients; i++)
				alive += world.clients[i].phase != DEAD;
			if (!alive)
				return true;
		}
		advance(&pick, found, until);
	}
	return true;
}

/* Providers change nothing: each server has what it would have if its clients did the work. */
static void inherits(void **state)
{
	u32 rounds = long_or(20000, 2000), round, ties = 0;
	u64 calls = 0, exhausted = 0;

	for (round = 0; round < rounds; round++) {
		make_world(round, false);
		ties += !play(300);
		calls += world.calls;
		exhausted += world.exhausted;
	}
	print_message("%u rounds, %llu calls, %llu budgets used up, %u undecided\n", rounds,
		      (unsigned long long)calls, (unsigned long long)exhausted, ties);
	assert_true(calls > 10 * rounds && exhausted > 10 * rounds && ties < rounds / 100);
}

/* Clients whose jobs fit a budget, the provider's part of them included, miss no deadline. */
static void keeps_deadlines(void **state)
{
	u32 rounds = long_or(5000, 500), round, i, ties = 0;
	u64 calls = 0;

	for (round = 0; round < rounds; round++) {
		make_world(round, true);
		ties += !play(500);
		calls += world.calls;
		for (i = 0; i < world.nr_clients; i++)
			assert_int_equal(world.clients[i].late, 0);
	}
	assert_true(calls > 30 * rounds && ties < rounds / 100);
}

/* ---- vectors, by hand ------------------------------------------------------------------------ */

static u64 picks(const struct resch_task *task, u64 now)
{
	struct resch_pick pick = { .until = RESCH_NEVER };

	world.rig.plugin->pick(&world.rig.rq, now, &pick);
	assert_ptr_equal(pick.task, task);
	return pick.until;
}

static struct resch_task *join(u32 server, u64 wcet, u64 period)
{
	struct resch_task *task = rig_task(&world.rig, wcet, period, period);

	task->params.group = server + 1;
	task->server = &world.servers[server];
	task->job.deadline = 1000000;
	rig_join(&world.rig, task);
	return task;
}

static void goes_to(struct resch_task *provider, u32 server, struct resch_task *client, u64 now)
{
	if (provider->ready)
		world.rig.plugin->dequeue(&world.rig.rq, provider, RESCH_WHY_BLOCK, now);
	provider->server = &world.servers[server];
	provider->client = client;
	provider->ready = true;
	world.rig.plugin->enqueue(&world.rig.rq, provider, RESCH_WHY_WAKE, now);
}

static void begin(u32 kind, u64 budget, u64 period)
{
	memset(&world, 0, sizeof(world));
	rig_init(&world.rig, resch_server());
	make_server(kind, budget, period);
	world.servers[0].params.policy = RESCH_SERVER_EDF;
	make_server(RESCH_SERVER_PASSIVE, 10, 1000);
}

/*
 * Suspended when the client's budget is used up, on again with the next; its own server has no
 * part.
 */
static void is_suspended(void **state)
{
	struct resch_task *client, *provider;

	begin(RESCH_SERVER_CBS_HARD, 100, 1000);
	client = join(0, 300, 5000);
	provider = join(1, 10, 1000);
	client->ready = true;
	client->job.deadline = 5000;
	world.rig.plugin->enqueue(&world.rig.rq, client, RESCH_WHY_RELEASE, 5000);
	assert_int_equal(picks(client, 5000), 5100);
	goes_to(provider, 0, client, 5040);
	client->ready = false;
	world.rig.plugin->dequeue(&world.rig.rq, client, RESCH_WHY_BLOCK, 5040);
	assert_int_equal(picks(provider, 5040), 5100);
	assert_int_equal(picks(NULL, 5100), 6000);
	assert_int_equal(picks(provider, 6000), 6100);
	/* Back on its own account: 10 in 1000. */
	goes_to(provider, 1, NULL, 6020);
	assert_int_equal(picks(provider, 6020), 6030);
	assert_int_equal(picks(NULL, 6030), 7020);
	assert_int_equal(world.servers[0].state.consumed, 120);
	assert_int_equal(world.servers[0].state.left, 80);
	assert_int_equal(world.servers[1].state.consumed, 10);
}

/*
 * In servers whose budgets follow jobs the provider's is what the client's job has still to come.
 */
static void needs_the_rest(void **state)
{
	struct resch_task *client, *provider;

	begin(RESCH_SERVER_CUS, 100, 400);
	client = join(0, 60, 5000);
	provider = join(1, 10, 1000);
	client->ready = true;
	world.rig.plugin->enqueue(&world.rig.rq, client, RESCH_WHY_RELEASE, 5000);
	assert_int_equal(picks(client, 5000), 5060);
	assert_int_equal(world.servers[0].state.deadline, 5240);
	client->ready = false;
	world.rig.plugin->dequeue(&world.rig.rq, client, RESCH_WHY_BLOCK, 5020);
	assert_true(picks(NULL, 5020) == RESCH_NEVER);
	/*
	 * Its budget stands for as long as it is within the size; then one of 40, for 160 from the
	 * deadline.
	 */
	goes_to(provider, 0, client, 5300);
	assert_int_equal(picks(provider, 5300), 5340);
	assert_int_equal(world.servers[0].state.left, 40);
	assert_int_equal(world.servers[0].state.deadline, 5460);
	/* More than the client declared: anything, up to a whole budget. */
	assert_int_equal(picks(NULL, 5340), 5460);
	assert_int_equal(picks(provider, 5460), 5560);
	assert_int_equal(world.servers[0].state.deadline, 5860);
}

/* Whose client is due first goes first, whatever the providers themselves are. */
static void goes_by_clients(void **state)
{
	struct resch_task *early, *late, *one, *two;

	begin(RESCH_SERVER_CBS_HARD, 100, 1000);
	early = join(0, 10, 500);
	late = join(0, 10, 500);
	one = join(1, 10, 100);
	two = join(1, 10, 900);
	early->job.deadline = 6000;
	late->job.deadline = 7000;
	goes_to(one, 0, late, 5000);
	picks(one, 5000);
	goes_to(two, 0, early, 5010);
	picks(two, 5010);
	world.rig.plugin->dequeue(&world.rig.rq, two, RESCH_WHY_DISCARD, 5020);
	two->ready = false;
	two->client = NULL;
	/* What was left is gone, for the other one, too. */
	assert_int_equal(picks(NULL, 5020), 6000);
	assert_int_equal(picks(one, 6000), 6100);
	assert_int_equal(world.servers[0].state.consumed, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inherits),	   cmocka_unit_test(keeps_deadlines),
		cmocka_unit_test(is_suspended),	   cmocka_unit_test(needs_the_rest),
		cmocka_unit_test(goes_by_clients),
	};

	return cmocka_run_group_tests_name("passive", tests, NULL, NULL);
}
