// SPDX-License-Identifier: GPL-2.0
/* servers.c - requests that are about servers, see faults.h */
#include "faults.h"

static uint32_t made;

static void no_server(void)
{
	struct resch_server_stat stat = { .domain = domain };

	while (resch_server_next(dev, &stat) == 1)
		must(stat.band ? resch_servers_del(dev, domain, stat.band) :
				 resch_server_del(dev, domain, stat.id));
}

static void a_server(void)
{
	if (!servers_of(domain))
		asked.server_del.id = server_make(domain, 10 * MS, 50 * MS);
}

/* Its size is as it was. */
static void old_size(void)
{
	struct resch_server_set want = server_of(domain, 10 * MS, 50 * MS);

	want.id = asked.server_set.id;
	must(server_set(&want));
}

TRIALS(server_set)
{
	must(module_load("resch-edf", ""));
	domain = use("server");
	asked.server_set = server_of(domain, 10 * MS, 50 * MS);
	fails(no_server);
	asked.server_set.params.policy = RESCH_SERVER_PLUGIN;
	strcpy(asked.server_set.plugin, "edf");
	fails(no_server);
	asked.server_set = server_of(domain, 20 * MS, 60 * MS);
	asked.server_set.id = server_make(domain, 10 * MS, 50 * MS);
	fails(old_size);
}

TRIALS(server_del)
{
	domain = use("server");
	asked.server_del.domain = domain;
	fails(a_server);
}

TRIALS(server_stat)
{
	domain = use("server");
	a_server();
	asked.server_stat = (struct resch_server_stat){ .domain = domain, .next = 1 };
	fails(NULL);
}

TRIALS(server_open)
{
	domain = use("server");
	asked.server_open.id = server_make(domain, 10 * MS, 50 * MS);
	asked.server_open.domain = domain;
	files_begin();
	fails(no_file);
}

static struct resch_servers_set band_of(uint64_t budget)
{
	struct resch_servers_set want = {
		.domain = domain,
		.params = server_of(domain, budget, 50 * MS).params,
	};

	return want;
}

static void a_band(void)
{
	struct resch_servers_set want = band_of(10 * MS);

	if (servers_of(domain))
		return;
	must(resch_cpus_parse("1-2", &want.cpus));
	must(resch_servers_set(dev, &want));
	asked.servers_del.id = made = want.id;
}

static void old_band(void)
{
	struct resch_servers_set want = band_of(10 * MS);

	want.id = asked.servers_set.id;
	must(resch_servers_set(dev, &want));
}

TRIALS(servers_set)
{
	domain = domain_on("1-2", "server", NULL);
	asked.servers_set = band_of(10 * MS);
	must(resch_cpus_parse("1-2", &asked.servers_set.cpus));
	fails(no_server);
	a_band();
	asked.servers_set = band_of(20 * MS);
	asked.servers_set.id = made;
	fails(old_band);
}

TRIALS(servers_del)
{
	domain = domain_on("1-2", "server", NULL);
	asked.servers_del.domain = domain;
	fails(a_band);
}

static struct resch_delegate delegated(uint32_t holder)
{
	struct resch_delegate want = { .domain = domain, .id = made, .holder = holder };

	if (holder != RESCH_HOLDER_NONE)
		want.who = want.tasks = 1000;
	return want;
}

static void nobodys(void)
{
	struct resch_delegate want = delegated(RESCH_HOLDER_NONE);

	must(resch_server_delegate(dev, &want));
}

static void somebodys(void)
{
	struct resch_delegate want = delegated(RESCH_HOLDER_USER);

	must(resch_server_delegate(dev, &want));
}

TRIALS(delegate)
{
	domain = use("server");
	made = server_make(domain, 10 * MS, 50 * MS);
	asked.delegate = delegated(RESCH_HOLDER_USER);
	fails(nobodys);
	asked.delegate = delegated(RESCH_HOLDER_NONE);
	fails(somebodys);
}
