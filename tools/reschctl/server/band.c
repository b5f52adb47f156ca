// SPDX-License-Identifier: GPL-2.0-or-later
/* band.c - reschctl server with --cpus: bands of servers, one on each of several CPUs */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

struct resch_server_stat *server_band_stats(int fd, const struct resch_server_stat *stat,
					    size_t *count)
{
	struct resch_server_stat *stats = malloc(RESCH_SERVERS_MAX * sizeof(*stats));
	struct resch_server_stat next = { .domain = stat->domain };

	*count = 0;
	if (!stats)
		return NULL;
	while (stat->band && *count < RESCH_SERVERS_MAX && resch_server_next(fd, &next) > 0) {
		if (next.band == stat->band)
			stats[(*count)++] = next;
	}
	if (!*count)
		stats[(*count)++] = *stat;
	return stats;
}

static void show(int fd, const struct resch_servers_set *want, bool json)
{
	struct resch_server_stat any = { .domain = want->domain, .band = want->id }, *stats;
	struct resch_cpus cpus = {};
	struct json_object *list;
	size_t count, i;

	stats = server_band_stats(fd, &any, &count);
	if (!stats)
		return;
	list = json_object_new_array();
	for (i = 0; i < count; i++) {
		resch_cpus_add(&cpus, (unsigned int)stats[i].params.cpu);
		json_object_array_add(list, server_json(&stats[i]));
	}
	if (json) {
		struct json_object *out = json_object_new_object();

		json_add(out, "band", json_object_new_int64(want->id));
		json_add(out, "servers", list);
		json_show(out, stdout);
	} else {
		printf("servers %u:%u: CPUs %s, %s of %s each\n", want->domain, want->id,
		       cpus_text(&cpus), time_text(want->params.budget),
		       time_text(want->params.period));
		json_object_put(list);
	}
	free(stats);
}

static int explain(int error, const struct resch_servers_set *want)
{
	if (error == -ENOTTY)
		return fail("the module is older than reschctl, and has no bands of servers");
	return server_explain(error, want->domain, want->id, &want->verdict);
}

int server_band_make(int fd, const struct server_given *given, uint32_t flags,
		     struct resch_servers_set *want)
{
	int result;

	*want = (struct resch_servers_set){ .cpus = given->cpus };
	result = server_fill(fd, given, flags, &want->params, want->plugin, want->options,
			     &want->domain);
	if (result)
		return result;
	result = resch_servers_set(fd, want);
	if (!result)
		return 0;
	return server_explain_plugin(fd, result, given) ?: explain(result, want);
}

int server_band_add(int fd, const struct server_given *given)
{
	struct resch_servers_set want;
	int result;

	result = server_band_make(fd, given, RESCH_SERVER_F_PERSIST, &want);
	if (!result)
		show(fd, &want, given->json);
	return result;
}

int server_band_resize(int fd, const struct resch_server_stat *stat,
		       const struct resch_server_params *params, bool json)
{
	struct resch_servers_set want = { .domain = stat->domain,
					  .id = stat->band,
					  .params = *params };
	int result;

	want.params.cpu = -1;
	result = resch_servers_set(fd, &want);
	if (result)
		return explain(result, &want);
	show(fd, &want, json);
	return EXIT_DONE;
}
