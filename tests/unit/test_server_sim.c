// SPDX-License-Identifier: GPL-2.0
/*
 * test_server_sim - admitted two-level systems on simulated machines: nobody misses, and no server
 * gets more or less than it was promised
 *
 * The judge knows a server by its kind, budget and period alone. It watches who executes when, and
 * which servers have something to do.
 */
#include "sim_rig.h"

#define US 1000ULL
#define MS 1000000ULL

/*
 * How much: RESCH_TEST_LONG=1 in the environment asks for all of it, some minutes with sanitizers.
 */
static u32 long_or(u32 all, u32 usual)
{
	return getenv("RESCH_TEST_LONG") ? all : usual;
}

const struct resch_plugin *resch_server(void);

/* ---- the judge ------------------------------------------------------------------------------- */

/*
 * In any interval of length t a server that does not get its budgets early (hard CBS, CUS) executes
 * for at most U t + 2 Q (1 - U), and while it always has work for at least U t - 2 Q (1 - U): what
 * comes early comes from one budget, what comes late is missing from two. So with
 * F = T * executed - Q * time, the rise of F from any instant to a later one is at most 2 Q (T -
 * Q), and so is its fall while there is work. One that reclaims may have more.
 */
struct judged {
	__int128 f, lowest,
		highest; /* F, its least so far, its highest since there has been work */
};

struct judge {
	struct judged server[8];
	const char *wrong;
	u32 whose;
};

enum work { NONE, NEW, OLD };

/* Does the server have anything to do from @from on? NEW: all of it came just then. */
static enum work work_of(const struct sim *sim, const struct resch_server *server, u64 from)
{
	enum work work = NONE;
	u32 i;

	for (i = 0; i < sim->nr_tasks; i++) {
		const struct resch_task *task = &sim->tasks[i]->task;

		if (!task->ready || task->params.group != server->id)
			continue;
		if (task->job.release < from)
			return OLD;
		work = NEW;
	}
	return work;
}

static void watch_one(struct judge *judge, const struct sim *sim, u32 index, u64 executed, u64 from,
		      u64 to)
{
	const struct resch_server_params *params = &sim->servers[index]->server.params;
	struct judged *judged = &judge->server[index];
	__int128 bound = (__int128)2 * params->budget * (params->period - params->budget);
	enum work work = work_of(sim, &sim->servers[index]->server, from);

	if (work == NEW)
		judged->highest = judged->f;
	judged->f += (__int128)params->period * executed - (__int128)params->budget * (to - from);
	if (judged->f < judged->lowest)
		judged->lowest = judged->f;
	if (judged->f > judged->highest)
		judged->highest = judged->f;
	if (params->kind != RESCH_SERVER_CBS_HARD && params->kind != RESCH_SERVER_CUS)
		return;
	if (judged->f - judged->lowest > bound && !(params->flags & RESCH_SERVER_F_RECLAIM))
		judge->wrong = "a server got more than it may";
	else if (work != NONE && judged->highest - judged->f > bound)
		judge->wrong = "a server got less than it was promised";
	else
		return;
	judge->whose = index + 1;
}

static void watch(struct sim *sim, struct sim_task *task, u64 from, u64 to)
{
	u32 i, cpu = task ? task->cpu->rq.cpu : U32_MAX;
	struct judge *judge = sim->watcher;

	if (task && task->state != SIM_READY)
		task = NULL;
	assert_true(sim->config.cpus == 1 && (cpu == 0 || cpu == U32_MAX));
	for (i = 0; i < sim->nr_servers && !judge->wrong; i++) {
		bool own = task && task->task.params.group == i + 1;

		watch_one(judge, sim, i, own ? to - from : 0, from, to);
	}
}

/* ---- systems --------------------------------------------------------------------------------- */

static struct sim *world(u64 seed, u64 end, struct judge *judge)
{
	struct sim_config config = {
		.plugin = "server", .cpus = 1, .end = end, .seed = seed, .capacity = 1000000
	};
	char error[200] = "";
	struct sim *sim = sim_new(&config, error, sizeof(error));

	assert_string_equal(error, "");
	memset(judge, 0, sizeof(*judge));
	sim->watch = watch;
	sim->watcher = judge;
	return sim;
}

/* As many servers as fit. */
static void add_servers(struct sim *sim, u64 *random)
{
	u32 count = (u32)rig_between(random, 1, 4), i;

	for (i = 0; i < count; i++) {
		u64 period = rig_between(random, 2, 40) * MS / 2;
		struct resch_server_params params = {
			.kind = (u32)rig_between(random, 0, 3),
			.policy = (u32)rig_between(random, 0, 5),
			.period = period,
			.budget = rig_between(random, period / 20, period * 3 / 4),
			.cpu = -1,
		};
		struct resch_verdict verdict = { 0 };

		if (params.kind <= RESCH_SERVER_CBS && rig_between(random, 0, 1))
			params.flags = RESCH_SERVER_F_RECLAIM;
		if (params.policy == RESCH_SERVER_RR)
			params.quantum = rig_between(random, 100, 3000) * US;
		if (sim_server_add(sim, &params, &verdict)) {
			params.budget = verdict.suggest_wcet;
			if (params.budget)
				assert_int_equal(sim_server_add(sim, &params, &verdict), 0);
		}
	}
}

/* A task that would be served, were it alone; cut down until it is. */
static void add_task(struct sim *sim, u64 *random, u32 group)
{
	const struct resch_server_params *server = &sim->servers[group - 1]->server.params;
	u64 period = rig_between(random, server->period, 8 * server->period);
	u64 share = period * server->budget / server->period;
	struct taskset_task spec =
		spec_of(rig_between(random, share / 8 + 1, share), period, period, 0);
	struct resch_verdict verdict = { 0 };
	bool early = rig_between(random, 0, 2) == 0, sporadic = rig_between(random, 0, 1);

	spec.params.group = group;
	spec.params.priority = (u32)rig_between(random, 0, 5);
	if (rig_between(random, 0, 2) == 0)
		spec.params.deadline =
			rig_between(random, max(spec.params.wcet, period / 2), period * 2);
	if (rig_between(random, 0, 1))
		spec.offset_max = period;
	if (sim_add(sim, &spec, &verdict)) {
		if (!verdict.suggest_wcet)
			return;
		spec.params.wcet = verdict.suggest_wcet;
		spec.exec_max = spec.params.wcet;
		spec.exec_min = spec.params.wcet;
		assert_int_equal(sim_add(sim, &spec, &verdict), 0);
	}
	/* The rest is nobody's business but the job's. */
	sim->tasks[sim->nr_tasks - 1]->spec.exec_min = early ? 1 : spec.params.wcet;
	sim->tasks[sim->nr_tasks - 1]->spec.gap_max = sporadic ? period * 3 / 2 : period;
}

static u64 misses_of(const struct sim *sim, u32 *late)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < sim->nr_tasks; i++) {
		const struct sim_task *task = sim->tasks[i];

		if (task->spec.params.flags & RESCH_F_SKIP_ADMISSION || !task->stats.misses)
			continue;
		sum += task->stats.misses;
		*late = task->task.id;
	}
	return sum;
}

static void describe(const struct sim *sim)
{
	u32 i;

	for (i = 0; i < sim->nr_servers; i++)
		print_error("server %u: %s %s %llu/%llu quantum %llu\n", i + 1,
			    sim_server_kind(sim->servers[i]), sim->servers[i]->policy,
			    (unsigned long long)sim->servers[i]->server.params.budget,
			    (unsigned long long)sim->servers[i]->server.params.period,
			    (unsigned long long)sim->servers[i]->server.params.quantum);
	sim_report_table(sim, stderr);
}

/* How many admitted tasks were in servers of each kind with each policy. */
struct covered {
	u32 tasks[4][6];
};

static void cover(const struct sim *sim, struct covered *covered)
{
	u32 i;

	for (i = 0; i < sim->nr_tasks; i++) {
		const struct resch_task_params *params = &sim->tasks[i]->spec.params;
		const struct resch_server_params *server;

		if (params->flags & RESCH_F_SKIP_ADMISSION || !sim->tasks[i]->stats.completed)
			continue;
		server = &sim->servers[params->group - 1]->server.params;
		covered->tasks[server->kind][server->policy]++;
	}
}

/* Nothing was against the rules, and all who were promised it were in time. */
static void judge_system(const struct sim *sim, const struct judge *judge, u32 round)
{
	u32 late = 0;

	if (!judge->wrong && !misses_of(sim, &late))
		return;
	describe(sim);
	fail_msg("system %u: %s %u", round, judge->wrong ? judge->wrong : "misses of task",
		 judge->wrong ? judge->whose : late);
}

/* Two levels, all policies and kinds, random tasks; in some servers somebody is never satisfied. */
static void campaign(void **state)
{
	u64 random = 2026, tasks = 0, jobs = 0;
	struct covered covered = { 0 };
	struct judge judge;
	u32 systems = long_or(10000, 1500), round, i;

	for (round = 0; round < systems; round++) {
		struct sim *sim = world(round, 300 * MS, &judge);

		add_servers(sim, &random);
		for (i = 1; i <= sim->nr_servers; i++) {
			u32 count = (u32)rig_between(&random, 0, 4);

			/*
			 * Who is never satisfied is alone: nothing is promised to the others there.
			 */
			if (!count || rig_between(&random, 0, 3) == 0)
				add_greedy(sim, i);
			else
				while (count--)
					add_task(sim, &random, i);
		}
		assert_int_equal(sim_run(sim), 0);
		judge_system(sim, &judge, round);
		for (i = 0; i < sim->nr_tasks; i++)
			jobs += sim->tasks[i]->stats.completed;
		tasks += sim->nr_tasks;
		cover(sim, &covered);
		sim_free(sim);
	}
	print_message("%u systems, %llu tasks, %llu jobs\n", systems, (unsigned long long)tasks,
		      (unsigned long long)jobs);
	for (i = 0; i < 24; i++)
		assert_true(covered.tasks[i / 6][i % 6] > 20);
	assert_true(tasks > 2 * systems && jobs > 20 * systems);
}

/*
 * The worst that can come together: all at once, again and again, beside servers that take it all.
 */
static void tight(void **state)
{
	u64 random = 7;
	struct judge judge;
	u32 systems = long_or(1000, 200), round, i;

	for (round = 0; round < systems; round++) {
		u64 period = rig_between(&random, 2, 20) * MS;
		struct resch_server_params params = { .kind = round % 4, .cpu = -1 };
		struct resch_verdict verdict;
		struct sim *sim = world(round, 2000 * MS, &judge);

		params.period = period;
		params.budget = period / 2;
		assert_int_equal(sim_server_add(sim, &params, &verdict), 0);
		params.kind = (u32)rig_between(&random, 0, 3);
		params.period = rig_between(&random, 1, 30) * MS;
		params.budget = params.period / 2;
		assert_int_equal(sim_server_add(sim, &params, &verdict), 0);
		add_greedy(sim, 2);
		for (i = 0; i < 3; i++)
			add_task(sim, &random, 1);
		assert_int_equal(sim_run(sim), 0);
		judge_system(sim, &judge, round);
		sim_free(sim);
	}
}

/*
 * An application of three: one that never gives the CPU up, one that crashes and is started again
 * (it ends anywhere, mostly too late, and comes back some time later), and one that keeps to what
 * it said: a million jobs, none late.
 */
static void together(void **state)
{
	static const struct resch_server_params sizes[] = {
		{ .budget = 300 * US, .period = MS, .cpu = -1 },
		{ .kind = RESCH_SERVER_CBS, .budget = MS, .period = 4 * MS, .cpu = -1 },
		{ .kind = RESCH_SERVER_TBS, .budget = 2 * MS, .period = 5 * MS, .cpu = -1 },
	};
	u64 jobs = 1000000;
	struct resch_verdict verdict;
	struct judge judge;
	struct sim *sim = world(1, (jobs + 1) * MS, &judge);
	struct taskset_task good = spec_of(300 * US, MS, MS, 0),
			    bad = spec_of(MS, 7 * MS, 7 * MS, 0);
	u32 i;

	for (i = 0; i < 3; i++)
		assert_int_equal(sim_server_add(sim, &sizes[i], &verdict), 0);
	good.params.group = 1;
	bad.params.group = 3;
	bad.exec_min = 1;
	bad.exec_max = 14 * MS;
	bad.gap_max = 40 * MS;
	add(sim, &good);
	add_greedy(sim, 2);
	add(sim, &bad);
	assert_int_equal(sim_run(sim), 0);
	assert_true(sim->tasks[0]->stats.completed >= jobs);
	assert_int_equal(sim->tasks[0]->stats.misses, 0);
	assert_true(sim->tasks[2]->stats.overruns > 1000);
	assert_true(sim->servers[1]->server.state.exhausted > 1000);
	assert_null(judge.wrong);
	sim_free(sim);
}

/* Servers stand while another plugin is in charge, and are admitted again. */
static void swaps(void **state)
{
	struct resch_server_params params = { .budget = 2 * MS, .period = 10 * MS, .cpu = -1 };
	struct sim *sim = make("server", "", 1, 300 * MS);
	struct taskset_task spec = spec_of(2 * MS, 10 * MS, 10 * MS, 0);
	struct resch_verdict verdict;
	u64 at[] = { 33 * MS, 101 * MS, 157 * MS };
	const char *to[] = { "edf", "server", "fp" };
	u32 i;

	for (i = 0; i < 2; i++)
		assert_int_equal(sim_server_add(sim, &params, &verdict), 0);
	spec.params.group = 1;
	add(sim, &spec);
	spec.params.group = 2;
	add(sim, &spec);
	for (i = 0; i < 3; i++) {
		struct sim_swap *swap = &sim->config.swaps[sim->config.nr_swaps++];

		snprintf(swap->plugin, sizeof(swap->plugin), "%s", to[i]);
		swap->at = at[i];
	}
	assert_int_equal(sim_run(sim), 0);
	assert_string_equal(sim->plugin->name, "fp");
	for (i = 0; i < 2; i++) {
		assert_int_equal(sim->tasks[i]->stats.completed, 30);
		assert_int_equal(sim->tasks[i]->stats.misses, 0);
	}
	sim_free(sim);
}

/* Who names no server, or one of another CPU, has no place; servers need a plugin that has them. */
static void refuses(void **state)
{
	struct resch_server_params params = { .budget = 2 * MS, .period = 10 * MS, .cpu = 1 };
	struct taskset_task spec = spec_of(2 * MS, 10 * MS, 10 * MS, 0);
	struct sim_swap swap = { .plugin = "server" };
	struct resch_verdict verdict = { 0 };
	struct sim *sim = make("server", "", 2, MS);

	assert_int_equal(sim_add(sim, &spec, &verdict), -EINVAL);
	assert_int_equal(sim_server_add(sim, &params, &verdict), 0);
	spec.params.group = 1;
	spec.params.cpu = 0;
	assert_int_equal(sim_add(sim, &spec, &verdict), -EINVAL);
	spec.params.cpu = -1;
	add(sim, &spec);
	assert_int_equal(sim->tasks[0]->cpu->rq.cpu, 1);
	assert_int_equal(sim_add(sim, &spec, &verdict), -EBUSY);
	params.budget = 9 * MS;
	assert_int_equal(sim_server_add(sim, &params, &verdict), -EBUSY);
	assert_int_equal(verdict.suggest_wcet, 8 * MS);
	params.cpu = 2;
	assert_int_equal(sim_server_add(sim, &params, &verdict), -ENODEV);
	sim_free(sim);
	sim = make("edf", "", 2, MS);
	assert_int_equal(sim_server_add(sim, &params, &verdict), -EOPNOTSUPP);
	add(sim, &spec);
	assert_int_equal(sim_swap(sim, &swap, &verdict), -EBUSY);
	assert_int_equal(verdict.task, 1);
	sim_free(sim);
}

static struct sim_server_file file;
static char error[200];

static int read_text(const char *text)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	int err = sim_server_read(in, &file, error, sizeof(error));

	fclose(in);
	return err;
}

static void files(void **state)
{
	static const char *const bad[] = {
		"cbs, 1ms, 10ms",
		"cbs, 1ms, 10ms, lifo",
		"xyz, 1ms, 10ms, edf",
		"cbs, 11ms, 10ms, edf",
		"cbs, 1us, 10ms, edf",
		"cbs, 10us, 1s, edf",
		"cbs, 1ms, 10ms, edf, x",
		"cbs, 1ms, 2h, edf",
		"cbs, 1ms, 3601s, edf",
		"cbs, 1ms, 10ms, edf, 0, , 1",
		"cbs, 1ms, 10ms, rr, 0, 1ns",
		"cbs, 1ms, 10ms, edf, 0, , reclaims",
		"cbs, 1ms, 10ms, edf, 0, , reclaim, 1",
	};
	u32 i;

	assert_int_equal(
		read_text(
			"# two\ncbs-hard, 1ms, 10ms, edf, , , reclaim\n\n tbs , 2ms,8ms, rr,1,500us # x\n"),
		0);
	assert_int_equal(file.count, 2);
	assert_int_equal(file.params[0].cpu, -1);
	assert_int_equal(file.params[0].flags, RESCH_SERVER_F_RECLAIM);
	assert_int_equal(file.params[1].flags, 0);
	assert_int_equal(file.params[1].kind, RESCH_SERVER_TBS);
	assert_int_equal(file.params[1].policy, RESCH_SERVER_RR);
	assert_int_equal(file.params[1].budget, 2 * MS);
	assert_int_equal(file.params[1].cpu, 1);
	assert_int_equal(file.params[1].quantum, 500 * US);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(read_text(bad[i]), -EINVAL);
		assert_non_null(strstr(error, "line 1"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(campaign), cmocka_unit_test(tight),   cmocka_unit_test(together),
		cmocka_unit_test(swaps),    cmocka_unit_test(refuses), cmocka_unit_test(files),
	};

	return cmocka_run_group_tests_name("server_sim", tests, NULL, NULL);
}
