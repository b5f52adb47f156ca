// SPDX-License-Identifier: GPL-2.0
/* place.c - plugins, and which tasks they take where, as the core does it */
#include "fifo.h"
#include "chain.h"
#include "words.h"

/* clang-format off */
/*
 * SIM_PLUGINS is the list of plugins/Kbuild: one accessor for each resch_plugin_module() of theirs.
 */
#define SIM_PLUGIN(name) const struct resch_plugin *resch_##name(void);
SIM_PLUGINS
#undef SIM_PLUGIN

const struct resch_plugin *sim_plugin_at(u32 index)
{
#define SIM_PLUGIN(name) resch_##name,
	static const struct resch_plugin *(*const accessors[])(void) = { SIM_PLUGINS };
#undef SIM_PLUGIN
	/* clang-format on */

	if (!index)
		return &resch_plugin_fallback;
	return index <= sizeof(accessors) / sizeof(accessors[0]) ? accessors[index - 1]() : NULL;
}

const struct resch_plugin *sim_plugin_find(const char *name)
{
	const struct resch_plugin *plugin;
	u32 index;

	for (index = 0; (plugin = sim_plugin_at(index)); index++)
		if (!strcmp(plugin->name, name))
			return plugin;
	return NULL;
}

int sim_plugin_options(const struct resch_plugin *plugin, const char *options, u64 *domain)
{
	char copy[RESCH_OPTIONS_LEN], *rest = copy, *key;

	snprintf(copy, sizeof(copy), "%s", options);
	while ((key = strsep(&rest, ","))) {
		char *value = strchr(key, '=');

		if (!*key)
			continue;
		if (!value || !plugin->option)
			return -EINVAL;
		*value++ = '\0';
		if (plugin->option(domain, key, value))
			return -EINVAL;
	}
	return 0;
}

struct sim *sim_new(const struct sim_config *config, char *error, size_t size)
{
	const struct resch_plugin *plugin = sim_plugin_find(config->plugin);
	char unit[WORDS_TEXT];
	struct sim *sim;
	u32 i;

	if (!plugin) {
		snprintf(error, size, "no plugin '%s'", config->plugin);
		return NULL;
	}
	sim = calloc(1, sizeof(*sim));
	if (sim) {
		sim->cpus = calloc(config->cpus, sizeof(*sim->cpus));
		sim->peers = calloc(config->cpus, sizeof(struct resch_rq *));
		sim->ticks = calloc(config->cpus * config->nr_irqs + 1, sizeof(*sim->ticks));
	}
	if (!sim || !sim->cpus || !sim->peers || !sim->ticks) {
		snprintf(error, size, "no memory");
		if (sim)
			sim_free(sim);
		return NULL;
	}
	sim->config = *config;
	sim->plugin = plugin;
	if (sim_plugin_options(plugin, config->options, sim->domain)) {
		words_unit(config->options, unit, sizeof(unit));
		snprintf(error, size, "%s does not take the options '%s'%s", plugin->name,
			 config->options, unit);
		sim_free(sim);
		return NULL;
	}
	for (i = 0; i < config->cpus; i++) {
		struct sim_cpu *cpu = &sim->cpus[i];

		cpu->sim = sim;
		cpu->until = RESCH_NEVER;
		cpu->heard = RESCH_NEVER;
		cpu->random = config->seed * 0x9e3779b97f4a7c15ULL + i + 1;
		cpu->rq.domain = sim->domain;
		cpu->rq.peers = sim->peers;
		cpu->rq.nr_peers = config->cpus;
		cpu->rq.index = i;
		cpu->rq.cpu = i;
		sim->peers[i] = &cpu->rq;
		cpu->rq.capacity = config->capacity;
		cpu->rq.overhead = config->overhead;
	}
	return sim;
}

void sim_free(struct sim *sim)
{
	u32 i;

	if (!sim)
		return;
	for (i = 0; i < sim->nr_tasks; i++)
		free(sim->tasks[i]);
	sim_plan_free(sim);
	sim_server_free(sim);
	sim_chains_free(sim);
	free(sim->tasks);
	free(sim->events.heap);
	free(sim->ticks);
	free(sim->peers);
	free(sim->cpus);
	free(sim);
}

/* The newest task goes last, so that the list is in the order of ids. */
static void list_append(struct resch_rq *rq, struct resch_task *task)
{
	struct resch_task **link = &rq->tasks;

	while (*link)
		link = &(*link)->next;
	*link = task;
	rq->nr_tasks++;
}

static bool promised(const struct sim *sim, const struct resch_task *task)
{
	return !sim->config.force && !(task->params.flags & RESCH_F_SKIP_ADMISSION);
}

/*
 * The first CPU, or the wanted one, that takes the task. With all refusing, @verdict is the one
 * that came nearest.
 */
static int place(struct sim *sim, struct resch_task *task, struct resch_verdict *verdict)
{
	s32 wanted = task->params.cpu;
	int err = -ENODEV;
	u32 i;

	if (sim->plugin->flags & RESCH_PLUGIN_PLAN) {
		wanted = sim_plan_home(sim, &task->params);
		if (wanted < 0)
			return -EINVAL;
	}
	if (sim->plugin->flags & RESCH_PLUGIN_SERVERS) {
		wanted = sim_server_home(sim, &task->params);
		if (wanted < 0)
			return -EINVAL;
	}

	for (i = 0; i < sim->config.cpus; i++) {
		struct resch_verdict refusal = { 0 };

		if (wanted >= 0 && (u32)wanted != i)
			continue;
		task->rq = &sim->cpus[i].rq;
		if (!promised(sim, task) || !sim->plugin->admit(task->rq, task, &refusal))
			return 0;
		refusal.cpu = (s32)i;
		if (err == -ENODEV || refusal.suggest_wcet > verdict->suggest_wcet)
			*verdict = refusal;
		err = -EBUSY;
	}
	return err;
}

/* Room for one more, and for its events. */
static int grow(struct sim *sim)
{
	u32 events = 1 + (2 + sim->config.nr_irqs) * sim->config.cpus + 2 * (sim->nr_tasks + 1);
	struct sim_task **tasks;

	if (sim_events_grow(&sim->events, events))
		return -ENOMEM;

	if (sim->nr_tasks & (sim->nr_tasks - 1))
		return 0;
	tasks = realloc(sim->tasks, max(1U, 2 * sim->nr_tasks) * sizeof(*tasks));
	if (!tasks)
		return -ENOMEM;
	sim->tasks = tasks;
	return 0;
}

/* Into the group that it names, if there is one. */
static void join_group(struct sim *sim, struct sim_task *task)
{
	struct sim_group *group;
	u32 id = task->task.params.group;

	if (!sim->groups || id > RESCH_GROUPS_MAX || !sim->groups[id])
		return;
	task->task.group = sim->groups[id];
	group = container_of(sim->groups[id], struct sim_group, group);
	task->member = group->members;
	group->members = task;
}

int sim_add(struct sim *sim, const struct taskset_task *spec, struct resch_verdict *verdict)
{
	struct sim_task *task = calloc(1, sizeof(*task));
	struct sim_server *server = sim_server_find(sim, spec->params.group);
	int err;

	if (!task || grow(sim)) {
		free(task);
		return -ENOMEM;
	}
	task->sim = sim;
	task->spec = *spec;
	task->task.params = spec->params;
	task->task.id = sim->nr_tasks + 1;
	task->task.server = server ? &server->server : NULL;
	task->random = sim->config.seed * 0x2545f4914f6cdd1dULL + task->task.id;
	task->stats.response_min = RESCH_NEVER;
	task->life.distance = task->spec.params.period;
	err = place(sim, &task->task, verdict);
	if (err) {
		free(task);
		return err;
	}
	task->cpu = container_of(task->task.rq, struct sim_cpu, rq);
	task->home = task->cpu;
	join_group(sim, task);
	sim->tasks[sim->nr_tasks++] = task;
	list_append(task->task.rq, &task->task);
	if (sim->plugin->attach)
		sim->plugin->attach(task->task.rq, &task->task);
	return 0;
}

/* What admission looks at, beside the real thing: the CPUs of a domain, and copies of its tasks. */
struct copies {
	struct resch_rq *rqs;
	struct resch_rq **peers;
	struct resch_task *tasks;
	u32 count;
};

static int copies_make(struct copies *copies, const struct sim *sim, const u64 *domain,
		       const struct resch_plan *plan)
{
	u32 i, cpus = sim->config.cpus;

	copies->rqs = calloc(cpus, sizeof(*copies->rqs));
	copies->peers = calloc(cpus, sizeof(struct resch_rq *));
	copies->tasks = calloc(sim->nr_tasks + 1, sizeof(*copies->tasks));
	copies->count = 0;
	if (!copies->rqs || !copies->peers || !copies->tasks)
		return -ENOMEM;
	for (i = 0; i < cpus; i++) {
		copies->peers[i] = &copies->rqs[i];
		copies->rqs[i] = (struct resch_rq){ .domain = domain,
						    .plan = plan,
						    .peers = copies->peers,
						    .nr_peers = cpus,
						    .index = i,
						    .cpu = sim->cpus[i].rq.cpu,
						    .capacity = sim->cpus[i].rq.capacity,
						    .overhead = sim->cpus[i].rq.overhead,
						    .servers = sim->cpus[i].rq.servers };
	}
	return 0;
}

/* They join in the order of CPUs, and there of ids. */
static int copies_join(struct copies *copies, const struct sim *sim,
		       const struct resch_plugin *plugin, const struct resch_task *task, u32 index,
		       struct resch_verdict *verdict)
{
	struct resch_task *copy = &copies->tasks[copies->count];
	const struct resch_plan *plan = copies->rqs[0].plan;
	u32 group = task->params.group;
	int err = 0;

	copy->id = task->id;
	copy->params = task->params;
	copy->server = task->server;
	if (plugin->flags & RESCH_PLUGIN_PLAN) {
		if (plan && group && group <= plan->nr_groups && plan->parts[group].count)
			index = plan->parts[group].part[0].index;
		else
			err = resch_verdict_refuse(verdict, RESCH_BOUND_PLUGIN, task->id, group,
						   plan ? plan->nr_groups : 0);
	}
	if (plugin->flags & RESCH_PLUGIN_SERVERS &&
	    sim_server_home(sim, &task->params) != (int)index)
		err = resch_verdict_refuse(verdict, RESCH_BOUND_PLUGIN, task->id, group, 0);
	copy->rq = &copies->rqs[index];
	if (!err && promised(sim, copy))
		err = plugin->admit(copy->rq, copy, verdict);
	if (err) {
		verdict->cpu = (s32)copy->rq->cpu;
		verdict->task = verdict->task ? verdict->task : copy->id;
		return err;
	}
	list_append(copy->rq, copy);
	copies->count++;
	return 0;
}

int sim_readmit(const struct sim *sim, const struct resch_plugin *plugin, const u64 *domain,
		const struct resch_plan *plan, struct resch_verdict *verdict)
{
	struct resch_task *task;
	struct copies copies;
	int err = copies_make(&copies, sim, domain, plan);
	u32 i;

	for (i = 0; i < sim->config.cpus && !err; i++)
		err = sim_server_admit(sim, plugin, &copies.rqs[i], verdict);
	for (i = 0; i < sim->config.cpus && !err; i++)
		for (task = sim->cpus[i].rq.tasks; task && !err; task = task->next)
			err = copies_join(&copies, sim, plugin, task, i, verdict);
	free(copies.rqs);
	free(copies.peers);
	free(copies.tasks);
	return err;
}

/* The tasks that live on the CPU leave the plugin, and go back there, wherever they are. */
static void take_off(struct sim_cpu *cpu, const struct resch_plugin *from)
{
	struct resch_task *task;

	resch_rq_for_each(&cpu->rq, task) {
		struct sim_task *owner = container_of(task, struct sim_task, task);

		if (task->ready)
			from->dequeue(task->rq, task, RESCH_WHY_DETACH, cpu->sim->now);
		if (from->detach)
			from->detach(task->rq, task);
		memset(task->private, 0, sizeof(task->private));
		task->outer = 0;
		memset(&task->node, 0, sizeof(task->node));
		if (owner->cpu == cpu)
			continue;
		if (owner->cpu->selected == owner)
			sim_deselect(owner->cpu, RESCH_OFF_PREEMPT);
		sim_move(owner, cpu);
	}
}

static void hand_over(struct sim_cpu *cpu, const struct resch_plugin *from)
{
	const struct resch_plugin *to = cpu->sim->plugin;
	struct resch_task *task;

	resch_rq_for_each(&cpu->rq, task) {
		if (to->attach)
			to->attach(&cpu->rq, task);
	}
	resch_rq_for_each(&cpu->rq, task) {
		if (task->ready)
			to->enqueue(&cpu->rq, task, RESCH_WHY_TAKEOVER, cpu->sim->now);
	}
	sim_trace_swap(cpu, from->name, to->name);
}

int sim_swap(struct sim *sim, const struct sim_swap *swap, struct resch_verdict *verdict)
{
	const struct resch_plugin *to = sim_plugin_find(swap->plugin), *from = sim->plugin;
	u64 domain[RESCH_DOMAIN_PRIVATE] = { 0 };
	u32 i;
	int err;

	if (!to)
		return -ENOENT;
	if (sim_plugin_options(to, swap->options, domain))
		return -EINVAL;
	err = sim_readmit(sim, to, domain, sim_plan_latest(sim), verdict);
	if (err)
		return err;
	/* the old plugin may read its options, and other CPUs, up to the last detach() */
	for (i = 0; i < sim->config.cpus; i++)
		take_off(&sim->cpus[i], from);
	memcpy(sim->domain, domain, sizeof(domain));
	sim->plugin = to;
	sim_server_reset(sim);
	for (i = 0; i < sim->config.cpus; i++)
		memset(sim->cpus[i].rq.private, 0, sizeof(sim->cpus[i].rq.private));
	for (i = 0; i < sim->config.cpus; i++)
		hand_over(&sim->cpus[i], from);
	for (i = 0; i < sim->config.cpus; i++)
		sim_flush_kicks(sim, &sim->cpus[i].rq);
	return 0;
}
