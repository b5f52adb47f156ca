// SPDX-License-Identifier: GPL-2.0
/*
 * pretended_machine.c - what pretended_device.c answers where domains, servers and guards are to be
 * kept
 *
 * They live in the file that RESCH_MACHINE names, which is made where it is missing: four CPUs,
 * plugins edf, fp, server, artis and demo that can be loaded. Admission is the sum of the servers'
 * shares. Also
 *
 *   RESCH_MACHINE_FAIL=N         the Nth call of this process that changes anything gets EIO
 *   RESCH_MACHINE_DIE_BEFORE=N   the process is killed before it, or after it
 *   RESCH_MACHINE_DIE_AFTER=N
 *   RESCH_MACHINE_BUSY=ID        domain ID, and each of its servers, has a task
 */
#define _GNU_SOURCE
#include "pretended_machine.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/resch.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CPUS 4
#define PLUGINS 8
#define DOMAINS 8
#define SERVERS 32

struct domain {
	struct resch_domain_stat stat; /* domain 0: none */
	struct resch_calls exempt;
	uint32_t guard, policies;
};

static struct machine {
	char plugins[PLUGINS][RESCH_NAME_LEN];
	struct domain domains[DOMAINS];
	struct resch_server_stat servers[SERVERS]; /* id 0: none */
	uint32_t last_domain, last_server;
} * machine;

static int machine_open(void)
{
	const char *path = getenv("RESCH_MACHINE");
	int fd;

	if (machine || !path)
		return machine ? 0 : 1;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(*machine)))
		abort();
	machine = mmap(NULL, sizeof(*machine), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (machine == MAP_FAILED)
		abort();
	close(fd);
	strcpy(machine->plugins[0], "fifo");
	return 0;
}

static unsigned long demand(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : 0;
}

/* ---- plugins --------------------------------------------------------------------------------- */

static int plugin_load(const char *name)
{
	static const char *const installed[] = { "edf", "fp", "server", "artis", "demo" };
	unsigned int i;

	for (i = 0; i < PLUGINS; i++) {
		if (!strcmp(machine->plugins[i], name))
			return 0;
	}
	for (i = 0; i < sizeof(installed) / sizeof(installed[0]); i++) {
		if (!strcmp(installed[i], name))
			break;
	}
	if (i == sizeof(installed) / sizeof(installed[0]))
		return -ENOENT;
	for (i = 0; *machine->plugins[i];)
		i++;
	strcpy(machine->plugins[i], name);
	return 0;
}

static int plugin_stat(struct resch_plugin_stat *stat)
{
	uint32_t index = stat->index, i;

	for (i = 0; i < PLUGINS; i++) {
		if (!*machine->plugins[i] || index--)
			continue;
		strcpy(stat->name, machine->plugins[i]);
		stat->inner = 1;
		return 0;
	}
	return -ENOENT;
}

/* What rmmod does. */
static int plugin_unload(const char *module)
{
	unsigned int i, j;

	for (i = 1; i < PLUGINS; i++) {
		if (!*machine->plugins[i] || strcmp(machine->plugins[i], module + strlen("resch_")))
			continue;
		for (j = 0; j < DOMAINS; j++) {
			if (machine->domains[j].stat.domain &&
			    !strcmp(machine->domains[j].stat.plugin, machine->plugins[i]))
				return -EBUSY;
		}
		memset(machine->plugins[i], 0, RESCH_NAME_LEN);
		return 0;
	}
	return -ENOENT;
}

/* ---- domains --------------------------------------------------------------------------------- */

static struct domain *domain_find(uint32_t id)
{
	unsigned int i;

	for (i = 0; i < DOMAINS; i++) {
		if (id && machine->domains[i].stat.domain == id)
			return &machine->domains[i];
	}
	return NULL;
}

static bool busy(uint32_t domain)
{
	return domain && demand("RESCH_MACHINE_BUSY") == domain;
}

static int domain_make(struct resch_domain_set *want, struct domain **made)
{
	unsigned int i, room = DOMAINS;

	if (!want->cpus.bits[0] || want->cpus.bits[0] >> CPUS)
		return -ENODEV;
	for (i = 0; i < DOMAINS; i++) {
		if (!machine->domains[i].stat.domain)
			room = i;
		else if (machine->domains[i].stat.cpus.bits[0] & want->cpus.bits[0])
			return -EBUSY;
	}
	*made = &machine->domains[room];
	memset(*made, 0, sizeof(**made));
	return 0;
}

static int domain_set(struct resch_domain_set *want)
{
	struct domain *domain = domain_find(want->domain);
	int result;

	if (want->domain && !domain)
		return -ENOENT;
	if (!strcmp(want->options, "bad=1"))
		return -EINVAL;
	result = plugin_load(want->plugin);
	if (!result && !want->domain)
		result = domain_make(want, &domain);
	if (result)
		return result;
	if (!want->domain) {
		domain->stat.cpus = want->cpus;
		want->domain = domain->stat.domain = ++machine->last_domain;
	}
	memcpy(domain->stat.plugin, want->plugin, RESCH_NAME_LEN);
	memcpy(domain->stat.options, want->options, RESCH_OPTIONS_LEN);
	domain->stat.capacity = want->capacity ? want->capacity : 950000;
	domain->stat.overhead = want->overhead;
	if (!strcmp(want->plugin, "artis")) {
		domain->guard = RESCH_GUARD_ON | RESCH_GUARD_ALL;
		domain->policies = RESCH_BALANCE_ALL;
	}
	return 0;
}

static int domain_stat(struct resch_domain_stat *stat)
{
	struct domain *found = NULL;
	unsigned int i;

	for (i = 0; i < DOMAINS; i++) {
		struct domain *domain = &machine->domains[i];
		uint32_t id = domain->stat.domain;

		if (id && (stat->next ? id > stat->domain && (!found || id < found->stat.domain) :
					id == stat->domain))
			found = domain;
	}
	if (!found)
		return -ENOENT;
	*stat = found->stat;
	stat->tasks = busy(stat->domain);
	return 0;
}

static int domain_del(const struct resch_domain_del *del)
{
	struct domain *domain = domain_find(del->domain);
	unsigned int i;

	if (!domain)
		return -ENOENT;
	if (busy(del->domain))
		return -EBUSY;
	for (i = 0; i < SERVERS; i++) {
		if (machine->servers[i].domain == del->domain)
			memset(&machine->servers[i], 0, sizeof(machine->servers[i]));
	}
	memset(domain, 0, sizeof(*domain));
	return 0;
}

/* ---- servers --------------------------------------------------------------------------------- */

/* Parts per million that the servers of a CPU have, without one (NULL: all). */
static uint64_t load(int cpu, const struct resch_server_stat *without)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < SERVERS; i++) {
		const struct resch_server_stat *server = &machine->servers[i];

		if (!server->id || server->params.cpu != cpu)
			continue;
		if (!without || without->id != server->id)
			sum += server->params.budget * 1000000 / server->params.period;
	}
	return sum;
}

static int admit(const struct domain *domain, const struct resch_server_params *params, int cpu,
		 const struct resch_server_stat *without, struct resch_verdict *verdict)
{
	uint64_t sum = load(cpu, without) + params->budget * 1000000 / params->period;

	if (params->budget < 10000 || params->budget > params->period)
		return -EINVAL;
	if (sum <= domain->stat.capacity)
		return 0;
	verdict->bound = RESCH_BOUND_UTILIZATION;
	verdict->value = sum;
	verdict->limit = domain->stat.capacity;
	return -EBUSY;
}

static struct resch_server_stat *server_find(uint32_t domain, uint32_t id)
{
	unsigned int i;

	for (i = 0; i < SERVERS; i++) {
		if (id && machine->servers[i].domain == domain && machine->servers[i].id == id)
			return &machine->servers[i];
	}
	return NULL;
}

static int resize(struct resch_server_stat *server, const struct resch_server_params *params)
{
	int cpu = server->params.cpu;

	if (params->kind != server->params.kind || params->policy != server->params.policy ||
	    params->flags != server->params.flags)
		return -EINVAL;
	server->params = *params;
	server->params.cpu = cpu;
	return 0;
}

static uint32_t server_new(uint32_t domain, const struct resch_server_params *params, int cpu,
			   uint32_t band, const char *plugin, const char *options)
{
	struct resch_server_stat *server = machine->servers;

	while (server->id)
		server++;
	memset(server, 0, sizeof(*server));
	server->domain = domain;
	server->id = ++machine->last_server;
	server->params = *params;
	server->params.cpu = cpu;
	server->band = band;
	memcpy(server->plugin, plugin, RESCH_NAME_LEN);
	memcpy(server->options, options, RESCH_OPTIONS_LEN);
	return server->id;
}

static int server_set(struct resch_server_set *want)
{
	struct domain *domain = domain_find(want->domain);
	struct resch_server_stat *server = server_find(want->domain, want->id);
	int cpu, result;

	if (!domain)
		return -ENODEV;
	if (strcmp(domain->stat.plugin, "server"))
		return -EOPNOTSUPP;
	if (want->id && !server)
		return -ENOENT;
	cpu = server ? server->params.cpu : want->params.cpu;
	if (cpu < 0 || cpu >= CPUS || !(domain->stat.cpus.bits[0] >> cpu & 1))
		return -ENODEV;
	if (server && server->band)
		return -EINVAL;
	result = admit(domain, &want->params, cpu, server, &want->verdict);
	if (result)
		return result;
	want->cpu = cpu;
	if (server)
		return resize(server, &want->params);
	want->id = server_new(want->domain, &want->params, cpu, 0, want->plugin, want->options);
	return 0;
}

static int servers_set(struct resch_servers_set *want)
{
	struct domain *domain = domain_find(want->domain);
	int cpu, result;
	uint32_t id;
	unsigned int i;

	if (!domain)
		return -ENODEV;
	if (strcmp(domain->stat.plugin, "server"))
		return -EOPNOTSUPP;
	for (i = 0; want->id && i < SERVERS; i++) {
		if (machine->servers[i].band != want->id)
			continue;
		result = admit(domain, &want->params, machine->servers[i].params.cpu,
			       &machine->servers[i], &want->verdict);
		if (result)
			return result;
	}
	for (i = 0; want->id && i < SERVERS; i++) {
		if (machine->servers[i].band == want->id)
			resize(&machine->servers[i], &want->params);
	}
	if (want->id)
		return 0;
	for (cpu = 0; cpu < CPUS; cpu++) {
		result = want->cpus.bits[0] >> cpu & 1 ?
				 admit(domain, &want->params, cpu, NULL, &want->verdict) :
				 0;
		if (result)
			return result;
	}
	for (cpu = 0; cpu < CPUS; cpu++) {
		if (!(want->cpus.bits[0] >> cpu & 1))
			continue;
		id = server_new(want->domain, &want->params, cpu, want->id, want->plugin,
				want->options);
		if (!want->id)
			server_find(want->domain, id)->band = want->id = id;
	}
	return 0;
}

static int server_del(const struct resch_server_del *del, bool band)
{
	bool found = false;
	unsigned int i;

	if (busy(del->domain))
		return -EBUSY;
	for (i = 0; i < SERVERS; i++) {
		struct resch_server_stat *server = &machine->servers[i];

		if (!server->id || server->domain != del->domain ||
		    (band ? server->band : server->id) != del->id)
			continue;
		if (!band && server->band)
			return -EINVAL;
		memset(server, 0, sizeof(*server));
		found = true;
	}
	return found ? 0 : -ENOENT;
}

static int delegate(const struct resch_delegate *want)
{
	bool found = false;
	unsigned int i;

	for (i = 0; i < SERVERS; i++) {
		struct resch_server_stat *server = &machine->servers[i];

		if (!server->id || server->domain != want->domain ||
		    (server->band ? server->band : server->id) != want->id)
			continue;
		server->holder = want->holder;
		server->who = want->who;
		server->holder_tasks = want->tasks;
		server->holder_priority = want->priority;
		server->holder_rate = want->holder && !want->rate ? 10000 : want->rate;
		found = true;
	}
	return found ? 0 : -ENOENT;
}

static int server_stat(struct resch_server_stat *stat)
{
	struct resch_server_stat *found = NULL;
	unsigned int i;

	for (i = 0; i < SERVERS; i++) {
		struct resch_server_stat *server = &machine->servers[i];

		if (server->id && server->domain == stat->domain &&
		    (stat->next ? server->id > stat->id && (!found || server->id < found->id) :
				  server->id == stat->id))
			found = server;
	}
	if (!found)
		return -ENOENT;
	*stat = *found;
	stat->tasks = busy(stat->domain);
	return 0;
}

/* ---- guards ---------------------------------------------------------------------------------- */

static int guard_set(const struct resch_guard_set *want)
{
	struct domain *domain = domain_find(want->domain);
	uint64_t rest = (1 << CPUS) - 1;
	unsigned int i;

	if (!domain)
		return -ENODEV;
	for (i = 0; i < DOMAINS; i++) {
		if (machine->domains[i].guard || &machine->domains[i] == domain)
			rest &= ~machine->domains[i].stat.cpus.bits[0];
	}
	if (want->flags && !rest)
		return -EINVAL;
	if (!domain->guard && want->flags) {
		domain->policies = RESCH_BALANCE_ALL;
		domain->exempt.bits[0] = 1 << 4; /* the default list */
	}
	if (want->flags & RESCH_GUARD_EXEMPT)
		domain->exempt = want->exempt;
	domain->guard = want->flags & ~RESCH_GUARD_EXEMPT;
	return 0;
}

static int guard_stat(struct resch_guard_stat *stat)
{
	struct domain *domain = domain_find(stat->domain);

	if (!domain)
		return -ENODEV;
	stat->flags = domain->guard;
	stat->exempt = domain->exempt;
	return 0;
}

static int balance(uint32_t id, uint32_t *policies, bool set)
{
	struct domain *domain = domain_find(id);

	if (!domain)
		return -ENODEV;
	if (!domain->guard)
		return -ENOENT;
	if (set)
		domain->policies = *policies;
	else
		*policies = domain->policies;
	return 0;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool changes(unsigned long request)
{
	switch (request) {
	case RESCH_IOC_DOMAIN_SET:
	case RESCH_IOC_DOMAIN_DEL:
	case RESCH_IOC_SERVER_SET:
	case RESCH_IOC_SERVERS_SET:
	case RESCH_IOC_DELEGATE:
	case RESCH_IOC_SERVER_DEL:
	case RESCH_IOC_SERVERS_DEL:
	case RESCH_IOC_GUARD_SET:
	case RESCH_IOC_BALANCE_SET:
	case RESCH_IOC_PLUGIN_LOAD:
		return true;
	default:
		return false;
	}
}

static int answer(unsigned long request, void *arg)
{
	switch (request) {
	case RESCH_IOC_INFO:
		memset(arg, 0, sizeof(struct resch_info));
		((struct resch_info *)arg)->abi = RESCH_ABI_VERSION;
		return 0;
	case RESCH_IOC_PLUGIN_LOAD:
		return plugin_load(((struct resch_plugin_load *)arg)->name);
	case RESCH_IOC_PLUGIN_STAT:
		return plugin_stat(arg);
	case RESCH_IOC_DOMAIN_SET:
		return domain_set(arg);
	case RESCH_IOC_DOMAIN_STAT:
		return domain_stat(arg);
	case RESCH_IOC_DOMAIN_DEL:
		return domain_del(arg);
	case RESCH_IOC_SERVER_SET:
		return server_set(arg);
	case RESCH_IOC_SERVERS_SET:
		return servers_set(arg);
	case RESCH_IOC_SERVER_DEL:
	case RESCH_IOC_SERVERS_DEL:
		return server_del(arg, request == RESCH_IOC_SERVERS_DEL);
	case RESCH_IOC_DELEGATE:
		return delegate(arg);
	case RESCH_IOC_SERVER_STAT:
		return server_stat(arg);
	case RESCH_IOC_GUARD_SET:
		return guard_set(arg);
	case RESCH_IOC_GUARD_STAT:
		return guard_stat(arg);
	case RESCH_IOC_BALANCE_SET:
		return balance(((struct resch_balance_set *)arg)->domain,
			       &((struct resch_balance_set *)arg)->policies, true);
	case RESCH_IOC_BALANCE_STAT:
		return balance(((struct resch_balance_stat *)arg)->domain,
			       &((struct resch_balance_stat *)arg)->policies, false);
	default:
		return -ENOTTY;
	}
}

int machine_ioctl(unsigned long request, void *arg)
{
	static unsigned long count;
	int result = machine_open();

	if (result || !changes(request))
		return result ? result : answer(request, arg);
	count++;
	if (count == demand("RESCH_MACHINE_DIE_BEFORE"))
		kill(getpid(), SIGKILL);
	result = count == demand("RESCH_MACHINE_FAIL") ? -EIO : answer(request, arg);
	if (count == demand("RESCH_MACHINE_DIE_AFTER"))
		kill(getpid(), SIGKILL);
	return result;
}

/* Plugins are taken out with delete_module(2), which the C library has no function for. */
long syscall(long number, ...)
{
	long (*next)(long nr, long a, long b, long c, long d, long e, long f) =
		dlsym(RTLD_NEXT, "syscall");
	long words[6], result;
	va_list list;
	int i;

	va_start(list, number);
	for (i = 0; i < 6; i++)
		words[i] = va_arg(list, long);
	va_end(list);
	if (number != SYS_delete_module)
		return next(number, words[0], words[1], words[2], words[3], words[4], words[5]);
	result = machine_open() ? -EPERM : plugin_unload((const char *)words[0]);
	if (!result)
		return 0;
	errno = (int)-result;
	return -1;
}
