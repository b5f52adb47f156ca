// SPDX-License-Identifier: GPL-2.0
/* requests.c - every request of the ABI, with contents that it may well take, see torture.h */
#include "torture.h"

#define FILL(name)                                                         \
	static void fill_##name(__attribute__((unused)) struct life *life, \
				__attribute__((unused)) union argument *argument)

/* One that is missing fails the compilation: a new request needs its contents here. */
#define REQUEST(NAME, name, type) FILL(name);
#include "abi.h"
#undef REQUEST

static const struct {
	unsigned long number;
	const char *name;
	size_t size;
	void (*fill)(struct life *life, union argument *argument);
} requests[REQUESTS] = {
#define REQUEST(NAME, name, type) { RESCH_IOC_##NAME, #NAME, sizeof(type), fill_##name },
#include "abi.h"
#undef REQUEST
};

const char *request_name(int which)
{
	return requests[which].name;
}

unsigned long request_number(int which)
{
	return requests[which].number;
}

static void learn(struct life *life, int which, const union argument *argument)
{
	switch (which) {
	case REQUEST_REGISTER:
		if (!argument->register_.pid)
			life->task = argument->register_.id;
		break;
	case REQUEST_UNREGISTER:
		if (!argument->unregister.id || argument->unregister.id == life->task)
			life->task = 0;
		break;
	case REQUEST_SERVER_OPEN:
		close(argument->server_open.fd);
		break;
	case REQUEST_CHAIN_OPEN:
		close(argument->chain_open.fd);
		break;
	default:
		break;
	}
}

int request_counted(struct life *life, int which, union argument *argument)
{
	int result = call(life->fd, requests[which].number, argument);

	atomic_fetch_add_explicit(&world->requests[which].called, 1, memory_order_relaxed);
	if (result >= 0)
		atomic_fetch_add_explicit(&world->requests[which].succeeded, 1,
					  memory_order_relaxed);
	return result;
}

int request(struct life *life, int which, union argument *argument)
{
	uint32_t swapped = which == REQUEST_DOMAIN_SET ? argument->domain_set.domain : 0;
	int result = request_counted(life, which, argument);

	if (result < 0)
		return result;
	if (swapped)
		happened(EVENT_SWAPS);
	learn(life, which, argument);
	return result;
}

void request_fill(struct life *life, int which, union argument *argument)
{
	memset(argument, 0, sizeof(*argument));
	requests[which].fill(life, argument);
}

int request_likely(struct life *life, int which)
{
	union argument argument;

	request_fill(life, which, &argument);
	return request(life, which, &argument);
}

/* ---- names and parameters -------------------------------------------------------------------- */

static const struct {
	const char *name, *options[4];
} plugins[] = {
	{ "edf", { "" } },
	{ "fp", { "", "order=rm", "order=explicit,test=hyperbolic", "test=ll" } },
	{ "demo", { "", "quantum=500us" } },
	{ "fifo", { "" } },
	{ "server", { "" } },
	{ "server", { "" } },
	{ "npsf", { "", "handover=retry,retry=100us", "reclaim=1", "handover=notify" } },
	{ "sekg", { "", "handover=retry", "handover=notify" } },
	{ "artis", { "", "share=1", "share=0" } },
};

static unsigned int plugin_any(struct life *life)
{
	return below(life, sizeof(plugins) / sizeof(*plugins));
}

static void plugin_options(struct life *life, unsigned int plugin, char *options)
{
	const char *text = plugins[plugin].options[below(life, 4)];

	snprintf(options, RESCH_OPTIONS_LEN, "%s", text ? text : "");
}

/* A process that nobody minds being registered. */
static pid_t somebody(struct life *life)
{
	return one_in(life, 2) ? world->sentinels[below(life, SENTINELS)].pid : groups_any(life);
}

static void fill_params(struct life *life, struct resch_task_params *params)
{
	params->period = (2 + below(life, 60)) * MS;
	params->wcet = params->period / (8 + below(life, 60));
	if (one_in(life, 4))
		params->deadline = params->wcet + below(life, 2 * params->period);
	if (one_in(life, 6))
		params->offset = below(life, params->period);
	params->kind = below(life, 3);
	if (!one_in(life, 3)) {
		params->overrun = below(life, 6);
		params->miss = below(life, 6);
	}
	if (params->overrun == RESCH_SIGNAL || params->miss == RESCH_SIGNAL)
		params->signal = SIGURG;
	if (one_in(life, 2))
		params->priority = below(life, 100);
	params->cpu = one_in(life, 3) ? -1 : domain_cpu(life);
	params->flags = one_in(life, 2) ? RESCH_F_SKIP_ADMISSION : 0;
	if (one_in(life, 10))
		params->flags |= RESCH_F_SYNC;
	snprintf(params->name, sizeof(params->name), "torture%llu",
		 (unsigned long long)below(life, 100));
}

/* What a member of a server has: it and its children have no times of their own. */
static void fill_family(struct resch_task_params *params)
{
	uint32_t group = params->group;

	memset(params, 0, sizeof(*params));
	params->kind = RESCH_WAKEUP;
	params->flags = RESCH_F_FAMILY;
	params->cpu = -1;
	params->group = group;
}

static void fill_server(struct life *life, struct resch_server_params *params)
{
	params->period = (5 + below(life, 60)) * MS;
	params->budget = params->period / (2 + below(life, 20));
	params->kind = below(life, 8) % 6;
	params->policy = below(life, 7);
	if (params->policy == RESCH_SERVER_RR)
		params->quantum = (1 + below(life, 20)) * MS / 10;
	params->cpu = one_in(life, 2) ? -1 : domain_cpu(life);
	params->flags = one_in(life, 2) ? RESCH_SERVER_F_PERSIST : 0;
	if (one_in(life, 3) && params->kind <= RESCH_SERVER_CBS)
		params->flags |= RESCH_SERVER_F_RECLAIM;
	if (params->kind == RESCH_SERVER_LINUX)
		params->policy = RESCH_SERVER_EDF;
	if (params->policy == RESCH_SERVER_PLUGIN)
		params->kind = below(life, 2);
}

static void fill_inner(struct life *life, uint32_t policy, char *plugin, char *options)
{
	unsigned int which = plugin_any(life);

	if (policy != RESCH_SERVER_PLUGIN)
		return;
	snprintf(plugin, RESCH_NAME_LEN, "%s", plugins[which].name);
	plugin_options(life, which, options);
}

/* ---- each request ---------------------------------------------------------------------------- */

FILL(info)
{
}

FILL(register_)
{
	struct resch_register *reg = &argument->register_;

	if (domain_any(life))
		reg->domain = life->domain.domain;
	fill_params(life, &reg->params);
	if (!strcmp(life->domain.plugin, "server") && server_any(life, reg->domain)) {
		reg->params.group = life->server.id;
		if (one_in(life, 2))
			reg->params.cpu = -1;
		if (one_in(life, 4))
			fill_family(&reg->params);
	} else if (one_in(life, 3)) {
		reg->params.group = below(life, 8);
	}
	if (one_in(life, 4))
		reg->pid = somebody(life);
	else if (one_in(life, 20))
		reg->pid = 2;
}

FILL(unregister)
{
	argument->unregister.id = one_in(life, 3) ? task_any(life) :
				  one_in(life, 2) ? 0 :
						    life->task;
}

FILL(wait)
{
}

FILL(delay)
{
	argument->delay.until = resch_now() + below(life, 4 * MS);
}

FILL(release)
{
	argument->release.id = one_in(life, 3) ? task_any(life) : one_in(life, 2) ? 0 : life->task;
}

FILL(start)
{
	if (domain_any(life))
		argument->start.domain = life->domain.domain;
	if (one_in(life, 2))
		argument->start.time = resch_now() + below(life, 5 * MS);
	if (one_in(life, 4))
		argument->start.group = below(life, 8);
}

FILL(task_stat)
{
	argument->task_stat.id = id_any(life);
	argument->task_stat.next = !one_in(life, 4);
}

FILL(affinity)
{
	/* What others go back to is theirs, and accounted for. */
	argument->affinity.id = one_in(life, 2) ? task_any(life) : life->task;
	if (argument->affinity.id && argument->affinity.id != life->task)
		return;
	argument->affinity.flags = one_in(life, 2) ? RESCH_AFFINITY_F_SET : 0;
	argument->affinity.cpus.bits[0] = 1ULL << below(life, world->cpus);
}

FILL(lead)
{
	argument->lead.id = one_in(life, 4) ? task_any(life) : life->task;
	argument->lead.lead = one_in(life, 4) ? 0 : below(life, 11) * MS / 10;
}

FILL(pace)
{
	/* No shorter than a period, mostly, and mostly of one's own task: others' is no success. */
	argument->pace.id = one_in(life, 4) ? task_any(life) : life->task;
	argument->pace.distance = (one_in(life, 4) ? 0 : 60 * MS) + below(life, 60) * MS;
}

FILL(domain_set)
{
	struct resch_domain_set *want = &argument->domain_set;
	unsigned int plugin = plugin_any(life), cpus;

	if (!one_in(life, 4) && domain_any(life)) {
		want->domain = life->domain.domain;
	} else {
		/* CPU 0 has to do much else. */
		for (cpus = 1 + below(life, 2); cpus; cpus--)
			want->cpus.bits[0] |= 1ULL
					      << (one_in(life, 8) ? 0 : below(life, world->cpus));
	}
	snprintf(want->plugin, sizeof(want->plugin), "%s", plugins[plugin].name);
	plugin_options(life, plugin, want->options);
	if (one_in(life, 8))
		want->capacity = 1 + below(life, 1000000);
	if (one_in(life, 8))
		want->overhead = below(life, 100000);
}

FILL(domain_del)
{
	argument->domain_del.domain = domain_any(life) ? life->domain.domain : 0;
}

FILL(domain_stat)
{
	argument->domain_stat.domain = id_any(life);
	argument->domain_stat.next = !one_in(life, 4);
}

FILL(plugin_load)
{
	snprintf(argument->plugin_load.name, RESCH_NAME_LEN, "%s", plugins[plugin_any(life)].name);
}

FILL(plugin_stat)
{
	argument->plugin_stat.index = below(life, 10);
}

FILL(plan_set)
{
	struct resch_plan_set *want = &argument->plan_set;
	unsigned int cpu, part, parts, group = 1;
	uint64_t at;

	/* A plan is for who goes by one; to others it does no harm. */
	if (one_in(life, 3) ? domain_any(life) :
			      domain_under(life, one_in(life, 2) ? "npsf" : "sekg"))
		want->domain = life->domain.domain;
	want->slot = (10 + below(life, 40)) * MS;
	want->reserves = (uintptr_t)life->reserves;
	if (one_in(life, 8))
		return;
	for (cpu = 0; cpu < world->cpus; cpu++) {
		if (!resch_cpus_has(&life->domain.cpus, cpu))
			continue;
		parts = 1 + below(life, 4);
		for (part = 0, at = 0; part < parts; part++) {
			struct resch_reserve *reserve = &life->reserves[want->count++];

			reserve->cpu = cpu;
			reserve->group = group++;
			reserve->begin = at;
			at += want->slot / parts;
			reserve->end = at;
		}
		/* The last one of a CPU goes on, at another time, on the next. */
		if (one_in(life, 2))
			group--;
	}
}

FILL(server_set)
{
	struct resch_server_set *want = &argument->server_set;

	if (domain_under(life, "server"))
		want->domain = life->domain.domain;
	fill_server(life, &want->params);
	if (one_in(life, 3) && server_any(life, want->domain)) {
		/* Another size. */
		want->id = life->server.id;
		want->params.kind = life->server.params.kind;
		want->params.policy = life->server.params.policy;
		want->params.flags = life->server.params.flags;
		want->params.quantum = life->server.params.quantum;
		want->params.cpu = -1;
		return;
	}
	fill_inner(life, want->params.policy, want->plugin, want->options);
}

FILL(server_del)
{
	if (domain_any(life))
		argument->server_del.domain = life->domain.domain;
	if (server_any(life, life->domain.domain))
		argument->server_del.id = life->server.id;
}

FILL(delegate)
{
	struct resch_delegate *want = &argument->delegate;

	if (domain_any(life))
		want->domain = life->domain.domain;
	if (server_any(life, life->domain.domain))
		want->id = life->server.band ? life->server.band : life->server.id;
	want->holder = below(life, RESCH_HOLDERS);
	if (!want->holder)
		return;
	want->who = one_in(life, 2) ? 0 : 65534;
	want->tasks = 1 + below(life, 64);
	want->priority = one_in(life, 2) ? below(life, 100) : 0;
	want->rate = one_in(life, 2) ? 1 + below(life, 10000) : 0;
}

FILL(server_stat)
{
	if (domain_any(life))
		argument->server_stat.domain = life->domain.domain;
	argument->server_stat.id = id_any(life);
	argument->server_stat.next = !one_in(life, 4);
}

FILL(plan_get)
{
	if (domain_any(life))
		argument->plan_get.domain = life->domain.domain;
	argument->plan_get.count = below(life, 16);
	argument->plan_get.reserves = (uintptr_t)life->reserves;
}

FILL(guard_set)
{
	struct resch_guard_set *want = &argument->guard_set;

	if (domain_any(life))
		want->domain = life->domain.domain;
	if (one_in(life, 2))
		want->flags = RESCH_GUARD_ON | (below(life, 4) * RESCH_GUARD_ALL);
	if (want->flags && one_in(life, 3)) {
		want->flags |= RESCH_GUARD_EXEMPT;
		want->exempt.bits[below(life, 5)] = 1ULL << below(life, 56);
	}
}

FILL(guard_stat)
{
	if (domain_any(life))
		argument->guard_stat.domain = life->domain.domain;
	argument->guard_stat.cpu = one_in(life, 2) ? -1 : domain_cpu(life);
	if (one_in(life, 2))
		argument->guard_stat.calls = (uintptr_t)life->reserves;
}

FILL(guard_lend)
{
	domain_any(life);
	argument->guard_lend.cpu = domain_cpu(life);
	if (!one_in(life, 3))
		argument->guard_lend.pid = somebody(life);
}

FILL(balance_set)
{
	if (domain_any(life))
		argument->balance_set.domain = life->domain.domain;
	argument->balance_set.policies = below(life, RESCH_BALANCE_ALL + 1);
}

FILL(balance_stat)
{
	if (domain_any(life))
		argument->balance_stat.domain = life->domain.domain;
	argument->balance_stat.cpu = one_in(life, 2) ? -1 : domain_cpu(life);
}

FILL(call)
{
	if (domain_any(life) && server_any(life, life->domain.domain))
		argument->call.server = life->server.id;
	argument->call.flags = below(life, 4);
	argument->call.data = below(life, 1000);
}

FILL(call_end)
{
	argument->call_end.flags = one_in(life, 2) ? RESCH_CALL_F_WAIT : 0;
}

FILL(serve)
{
	argument->serve.flags = one_in(life, 2) ? RESCH_SERVE_F_WAIT : 0;
}

FILL(serve_end)
{
}

FILL(server_open)
{
	if (domain_any(life))
		argument->server_open.domain = life->domain.domain;
	if (server_any(life, life->domain.domain))
		argument->server_open.id = life->server.id;
}

FILL(servers_set)
{
	struct resch_servers_set *want = &argument->servers_set;

	if (domain_under(life, "server"))
		want->domain = life->domain.domain;
	fill_server(life, &want->params);
	want->params.cpu = -1;
	if (one_in(life, 4) && server_any(life, want->domain) && life->server.band) {
		want->id = life->server.band;
		return;
	}
	want->cpus = life->domain.cpus;
	want->params.budget /= 4;
	fill_inner(life, want->params.policy, want->plugin, want->options);
}

FILL(servers_del)
{
	if (domain_under(life, "server"))
		argument->servers_del.domain = life->domain.domain;
	if (server_any(life, life->domain.domain))
		argument->servers_del.id = life->server.band;
}

bool domain_under(struct life *life, const char *name)
{
	union argument argument;
	int turns;

	for (turns = 0; turns < 4; turns++)
		if (domain_any(life) && !strcmp(life->domain.plugin, name))
			return true;
	memset(&argument, 0, sizeof(argument));
	if (!one_in(life, 3) && domain_any(life))
		argument.domain_set.domain = life->domain.domain;
	else
		argument.domain_set.cpus.bits[0] = 2ULL << below(life, world->cpus - 1);
	snprintf(argument.domain_set.plugin, RESCH_NAME_LEN, "%s", name);
	if (request(life, REQUEST_DOMAIN_SET, &argument))
		return domain_any(life);
	life->domain.domain = argument.domain_set.domain;
	if (argument.domain_set.cpus.bits[0])
		life->domain.cpus = argument.domain_set.cpus;
	snprintf(life->domain.plugin, RESCH_NAME_LEN, "%s", name);
	return true;
}

FILL(chain_offer)
{
	if (one_in(life, 3))
		argument->chain_offer.task = life->task;
	argument->chain_offer.key = !one_in(life, 8);
}

FILL(chain_set)
{
	struct resch_chain_set *want = &argument->chain_set;
	uint32_t i;

	want->count = 1 + below(life, 4);
	want->protocol = below(life, 5);
	want->flags = below(life, RESCH_CHAIN_F_ALL + 1);
	want->period = 100 * MS;
	want->deadline = (1 + below(life, 400)) * MS;
	want->stages = (uintptr_t)life->stages;
	memset(life->stages, 0, want->count * sizeof(*life->stages));
	for (i = 0; i < want->count; i++) {
		life->stages[i].task = i || one_in(life, 2) ? task_any(life) : life->task;
		/* In a row, or as chance has it: what releases nobody is refused. */
		life->stages[i].from_mask = i ? 1U << (i - 1) : 0;
		if (i && one_in(life, 3))
			life->stages[i].from_mask |= below(life, 1U << i);
		if (i && one_in(life, 4))
			life->stages[i].flags = RESCH_STAGE_F_ANY;
		life->stages[i].key = 1;
		if (i && (want->protocol == RESCH_CHAIN_PM || want->protocol == RESCH_CHAIN_MPM))
			life->stages[i].phase = below(life, 50 * MS);
	}
}

FILL(chain_del)
{
	argument->chain_del.id = id_any(life);
}

FILL(chain_stat)
{
	argument->chain_stat.id = id_any(life);
	argument->chain_stat.next = !one_in(life, 4);
}

FILL(chain_open)
{
	argument->chain_open.id = id_any(life);
}

FILL(chain_job)
{
}
