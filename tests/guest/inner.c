// SPDX-License-Identifier: GPL-2.0
/*
 * inner.c - plugins inside servers: the order is theirs, they stay loaded, and one that errs harms
 * nobody
 */
#include "lib.h"

#define PERIOD (20 * MS)

/*
 * A domain under `server`, with this plugin at hand; where modules are installed it is found by
 * itself.
 */
static uint32_t use_with(const char *plugin)
{
	uint32_t domain = use("server");
	char name[64];

	snprintf(name, sizeof(name), "resch-%s", plugin);
	must(module_load(name, ""));
	return domain;
}

static struct resch_server_set with_plugin(uint32_t domain, const char *plugin, const char *options)
{
	struct resch_server_set want = server_of(domain, 8 * MS, PERIOD);

	want.params.policy = RESCH_SERVER_PLUGIN;
	snprintf(want.plugin, sizeof(want.plugin), "%s", plugin);
	snprintf(want.options, sizeof(want.options), "%s", options);
	return want;
}

static uint32_t plugin_make(uint32_t domain, const char *plugin, const char *options)
{
	struct resch_server_set want = with_plugin(domain, plugin, options);

	must(server_set(&want));
	return want.id;
}

static void in_use(const char *module)
{
	check(module_unload(module) < 0, "%s is unloaded while it is inside a server", module);
	check(module_loaded(module), "%s has gone while it is inside a server", module);
}

TEST(refused, "what can't be inside a server is refused, and nothing is held")
{
	uint32_t domain = use_with("fp"), id;
	struct resch_server_set want;

	must(module_load("resch-edf", ""));
	must(module_load("resch-npsf", ""));
#define REFUSED(error, plugin, options, change)              \
	do {                                                 \
		want = with_plugin(domain, plugin, options); \
		change;                                      \
		refused(server_set(&want), error);           \
		check_is(servers_of(domain), 0);             \
	} while (0)
	REFUSED(ENOENT, "nosuch", "", (void)0);
	REFUSED(ENOENT, "", "", (void)0);
	REFUSED(ENOENT, "no.such", "", (void)0);
	REFUSED(EINVAL, "fp", "order=best", (void)0);
	REFUSED(EINVAL, "fp", "order", (void)0);
	REFUSED(EINVAL, "edf", "order=rm", (void)0);
	REFUSED(EINVAL, "server", "", (void)0);
	REFUSED(EINVAL, "npsf", "", (void)0);
	REFUSED(EINVAL, "fp", "", memset(want.plugin, 'f', sizeof(want.plugin)));
	REFUSED(EINVAL, "fp", "", memset(want.options, 'f', sizeof(want.options)));
	REFUSED(EINVAL, "fp", "", want.params.policy = RESCH_SERVER_EDF);
	REFUSED(EINVAL, "", "order=rm", want.params.policy = RESCH_SERVER_EDF);
	REFUSED(EINVAL, "fp", "", want.params.policy = RESCH_SERVER_POLICIES);
	REFUSED(EINVAL, "fp", "", want.params.kind = RESCH_SERVER_CUS);
	REFUSED(EINVAL, "fp", "", want.params.kind = RESCH_SERVER_TBS);
	REFUSED(EINVAL, "fp", "", want.params.kind = RESCH_SERVER_PASSIVE);
	REFUSED(EINVAL, "fp", "", want.params.quantum = MS);
	REFUSED(EBUSY, "fp", "", want.params.budget = PERIOD);
	check_is(plugin_stat("fp").servers, 0);
	check_is(plugin_stat("fp").inner, 1);
	check_is(plugin_stat("npsf").inner, 0);
	must(module_unload("resch-fp"));
	must(module_load("resch-fp", ""));
	id = plugin_make(domain, "fp", "order=rm,test=ll");
	check_is(plugin_stat("fp").servers, 1);
	check_is(plugin_stat("fp").users, 0);
	check(!strcmp(server_stat(domain, id).plugin, "fp"), "the plugin is not told");
	check(!strcmp(server_stat(domain, id).options, "order=rm,test=ll"),
	      "the options are not told");
	want = with_plugin(domain, "edf", "");
	want.id = id;
	refused(server_set(&want), EINVAL);
	want = with_plugin(domain, "fp", "");
	want.id = id;
	refused(server_set(&want), EINVAL);
	want = with_plugin(domain, "fp", "order=rm,test=ll");
	want.id = id;
	want.params.budget = 5 * MS;
	must(server_set(&want));
	want = with_plugin(domain, "", "");
	want.id = id;
	must(server_set(&want));
	check_is(server_stat(domain, id).params.budget, 8 * MS);
}

/* One never ends, one is short; who goes before the other is said by `priority`. */
static void pair_start(struct task *greedy, struct task *brief, uint32_t id, uint32_t first)
{
	*greedy = (struct task){ .reg = in_server(id, PERIOD, 1) };
	greedy->reg.params.flags = RESCH_F_SKIP_ADMISSION;
	greedy->reg.params.priority = 2;
	task_start(greedy, body_spin);
	*brief = (struct task){ .number = 1, .reg = in_server(id, PERIOD, MS) };
	brief->reg.params.flags = RESCH_F_SKIP_ADMISSION;
	brief->reg.params.priority = first;
	task_start(brief, body_short);
}

static void pair_join(struct task *greedy, struct task *brief)
{
	task_join(greedy);
	task_join(brief);
}

TEST(order, "fixed priorities and EDF inside servers order their tasks, and stay while they do")
{
	struct task greedy[2], brief[2];
	uint32_t domain, fp, edf;
	uint64_t exhausted;
	uint64_t jobs;

	pin(0, "0");
	domain = use_with("fp");
	must(module_load("resch-edf", ""));
	fp = plugin_make(domain, "fp", "order=explicit");
	edf = plugin_make(domain, "edf", "");
	pair_start(&greedy[0], &brief[0], fp, 1);
	pair_start(&greedy[1], &brief[1], edf, 1);
	/* The urgent one has its jobs, whatever the other one takes. */
	jobs = atomic_load(&brief[0].jobs);
	await(atomic_load(&brief[0].jobs) >= jobs + 5);
	in_use("resch-fp");
	in_use("resch-edf");
	refused(server_del(domain, fp), EBUSY);
	/* Servers, and what is inside them, stand while another plugin has the CPU. */
	must(domain_swap(domain, "fifo", ""));
	in_use("resch-fp");
	must(domain_swap(domain, "server", ""));
	jobs = atomic_load(&brief[0].jobs);
	await(atomic_load(&brief[0].jobs) >= jobs + 2);
	pair_join(&greedy[0], &brief[0]);
	pair_join(&greedy[1], &brief[1]);
	/* And now the other way round: the one that never ends goes first, and no job gets done. */
	pair_start(&greedy[0], &brief[0], fp, 3);
	exhausted = server_stat(domain, fp).exhausted;
	await(server_stat(domain, fp).exhausted >= exhausted + 2);
	jobs = atomic_load(&brief[0].jobs);
	exhausted = server_stat(domain, fp).exhausted;
	await(server_stat(domain, fp).exhausted >= exhausted + 3);
	check_is(atomic_load(&brief[0].jobs), jobs);
	atomic_store(&greedy[0].stop, 1);
	await(atomic_load(&brief[0].jobs) >= jobs + 2);
	pair_join(&greedy[0], &brief[0]);
	check(!server_stat(domain, fp).fault[0], "a fault: %s", server_stat(domain, fp).fault);
	check_is(domain_stat(domain).ejections, 0);
	must(server_del(domain, fp));
	must(module_unload("resch-fp"));
	must(resch_domain_del(dev, domain));
	must(module_unload("resch-edf"));
}

TEST(faulty, "a plugin that errs inside a server harms nobody, not even its server's tasks")
{
	struct task greedy, brief, good = { .number = 1 };
	uint32_t domain, bad, id;
	uint64_t jobs;

	pin(0, "0");
	domain = use_with("bad-inner");
	bad = plugin_make(domain, "bad-inner", "");
	id = server_make(domain, 4 * MS, PERIOD);
	good.reg = in_server(id, PERIOD, 4 * MS);
	task_start(&good, body_short);
	pair_start(&greedy, &brief, bad, 1);
	await(server_stat(domain, bad).fault[0]);
	check(strstr(server_stat(domain, bad).fault, "nobody"), "the fault is '%s'",
	      server_stat(domain, bad).fault);
	jobs = atomic_load(&good.jobs);
	await(atomic_load(&good.jobs) >= jobs + 5);
	/* By EDF the one that never ends is ever more urgent; it gets its budgets. */
	await(server_stat(domain, bad).exhausted >= 3);
	check_is(tasks_registered(), 3);
	atomic_store(&greedy.stop, 1);
	jobs = atomic_load(&brief.jobs);
	await(atomic_load(&brief.jobs) >= jobs + 2);
	check(!server_stat(domain, id).fault[0], "another server has a fault");
	check_is(domain_stat(domain).ejections, 0);
	in_use("resch-bad-inner");
	pair_join(&greedy, &brief);
	task_join(&good);
	must(server_del(domain, bad));
	must(module_unload("resch-bad-inner"));
}

static void body_calls_out(struct task *task)
{
	struct resch_call out = { .server = task->number };

	task_wait(task);
	refused(call(dev, RESCH_IOC_CALL, &out), EOPNOTSUPP);
	atomic_store(&task->step, 1);
}

TEST(members,
     "members are ordered by a plugin, clients are not, and what is held goes with its owner")
{
	struct resch_servers_set want = { .params = { .budget = 4 * MS,
						      .period = PERIOD,
						      .cpu = -1,
						      .policy = RESCH_SERVER_PLUGIN },
					  .plugin = "demo",
					  .options = "quantum=500us" };
	struct resch_server_set passive;
	struct task client = {};
	int other = resch_open();
	struct resch_register reg;

	pin(0, "0");
	want.domain = use_with("demo");
	passive = server_of(want.domain, 2 * MS, PERIOD);
	passive.params.kind = RESCH_SERVER_PASSIVE;
	must(server_set(&passive));
	client.reg = in_server(plugin_make(want.domain, "fifo", ""), PERIOD, MS);
	client.number = (int)passive.id;
	task_start(&client, body_calls_out);
	await(atomic_load(&client.step) == 1);
	task_join(&client);
	want.cpus.bits[0] = 2;
	must(call(other, RESCH_IOC_SERVERS_SET, &want));
	reg = (struct resch_register){ .domain = want.domain,
				       .params = { .kind = RESCH_WAKEUP,
						   .cpu = -1,
						   .group = want.id,
						   .flags = RESCH_F_FAMILY } };
	must(resch_register_self(dev, &reg));
	spin(10 * MS);
	check(server_stat(want.domain, want.id).consumed, "nothing was charged");
	in_use("resch-demo");
	close(other);
	check_is(server_stat(want.domain, want.id).tasks, 1);
	in_use("resch-demo");
	must(resch_unregister(dev, 0));
	await(servers_of(want.domain) == 2);
	must(module_unload("resch-demo"));
}
