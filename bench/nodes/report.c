// SPDX-License-Identifier: GPL-2.0
/* report.c - what came of it */
#include <json-c/json.h>
#include <stdio.h>

#include "nodes.h"

static uint64_t lost(const struct chain_count *count)
{
	return count->instances > count->completed ? count->instances - count->completed : 0;
}

/* Of all stages of a chain. */
static struct stage_count sum(const struct plan *plan, const struct shared *shared, uint32_t chain)
{
	struct stage_count all = {};
	uint32_t k;

	for (k = 0; k < plan->set.model.chains[chain].count; k++) {
		const struct stage_count *one = &shared->stages[chain][k];

		all.lost += one->lost;
		all.refused += one->refused;
		all.behind += one->behind;
		all.overtaken += one->overtaken;
		all.guarded += one->guarded;
	}
	return all;
}

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

static void bound_text(const struct resch_chain_result *bounds, uint32_t chain, char *text,
		       size_t size)
{
	if (!bounds || bounds->chains[chain].response == RESCH_CHAIN_NEVER)
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%.3f", ms(bounds->chains[chain].response));
}

void report_text(const struct plan *plan, const struct shared *shared,
		 const struct resch_chain_result *bounds)
{
	uint32_t i;

	printf("%-15s %9s %9s %6s %6s %7s %10s %8s %9s %9s %9s %9s\n", "CHAIN", "INSTANCES",
	       "COMPLETE", "LOST", "MISSED", "BEHIND", "OVERTAKEN", "GUARDED", "MIN ms", "AVG ms",
	       "MAX ms", "BOUND ms");
	for (i = 0; i < plan->set.model.count; i++) {
		const struct chain_count *count = &shared->chains[i];
		const struct stage_count all = sum(plan, shared, i);
		char bound[32];

		bound_text(bounds, i, bound, sizeof(bound));
		printf("%-15.15s %9llu %9llu %6llu %6llu %7llu %10llu %8llu %9.3f %9.3f %9.3f %9s\n",
		       plan->set.model.chains[i].name, (unsigned long long)count->instances,
		       (unsigned long long)count->completed, (unsigned long long)lost(count),
		       (unsigned long long)count->missed, (unsigned long long)all.behind,
		       (unsigned long long)all.overtaken, (unsigned long long)all.guarded,
		       ms(count->response_min),
		       count->completed ? ms(count->response_total / count->completed) : 0,
		       ms(count->response_max), bound);
	}
	printf("\n%-15s %4s %12s %12s %7s %8s %5s %9s %6s\n", "NODE", "CPU", "FROM", "TO",
	       "THREADS", "REQUESTS", "QUEUE", "CONNECTED", "BROKEN");
	for (i = 0; i < plan->lanes; i++) {
		const struct lane *lane = &plan->lane[i];
		const struct lane_count *count = &shared->lanes[i];

		printf("%-15.15s %4d %12llu %12llu %7llu %8llu %5llu %9llu %6llu\n",
		       plan->names[lane->node], lane->cpu, (unsigned long long)lane->lo,
		       (unsigned long long)lane->hi, (unsigned long long)count->threads,
		       (unsigned long long)count->requests, (unsigned long long)count->waiting_max,
		       (unsigned long long)count->connected, (unsigned long long)count->broken);
	}
}

static void add(struct json_object *to, const char *key, uint64_t value)
{
	json_object_object_add(to, key, json_object_new_int64((int64_t)value));
}

static struct json_object *chain_json(const struct plan *plan, const struct shared *shared,
				      const struct resch_chain_result *bounds, uint32_t chain)
{
	const struct chain_count *count = &shared->chains[chain];
	const struct stage_count all = sum(plan, shared, chain);
	struct json_object *one = json_object_new_object(), *list = json_object_new_array();
	uint32_t k;

	json_object_object_add(one, "name",
			       json_object_new_string(plan->set.model.chains[chain].name));
	add(one, "instances", count->instances);
	add(one, "completed", count->completed);
	add(one, "lost", lost(count));
	add(one, "missed", count->missed);
	add(one, "not_sent", all.lost);
	add(one, "refused", all.refused);
	add(one, "behind", all.behind);
	add(one, "overtaken", all.overtaken);
	add(one, "guarded", all.guarded);
	add(one, "response_min", count->response_min);
	add(one, "response_avg", count->completed ? count->response_total / count->completed : 0);
	add(one, "response_max", count->response_max);
	json_object_object_add(
		one, "bound",
		bounds && bounds->chains[chain].response != RESCH_CHAIN_NEVER ?
			json_object_new_int64((int64_t)bounds->chains[chain].response) :
			NULL);
	for (k = 0; k < RESCH_CHAIN_BUCKETS; k++)
		json_object_array_add(list, json_object_new_int64((int64_t)count->histogram[k]));
	json_object_object_add(one, "histogram", list);
	list = json_object_new_array();
	for (k = 0; k < plan->set.model.chains[chain].count; k++) {
		struct json_object *stage = json_object_new_object();

		json_object_object_add(
			stage, "node",
			json_object_new_string(plan->names[plan->node_of[chain][k]]));
		add(stage, "arrived", shared->stages[chain][k].arrived);
		add(stage, "completed", shared->stages[chain][k].completed);
		add(stage, "behind", shared->stages[chain][k].behind);
		json_object_array_add(list, stage);
	}
	json_object_object_add(one, "stages", list);
	return one;
}

struct json_object *report_json(const struct plan *plan, const struct shared *shared,
				const struct resch_chain_result *bounds)
{
	struct json_object *out = json_object_new_object(), *list = json_object_new_array();
	uint32_t i;

	json_object_object_add(out, "network",
			       json_object_new_string(plan->loopback ? "loopback" : "namespaces"));
	json_object_object_add(out, "transport", json_object_new_string(plan->dds ? "dds" : "tcp"));
	add(out, "most_lanes", plan->most);
	if (plan->receive.budget) {
		add(out, "receive_budget", plan->receive.budget);
		add(out, "receive_period", plan->receive.period);
	}
	for (i = 0; i < plan->set.model.count; i++)
		json_object_array_add(list, chain_json(plan, shared, bounds, i));
	json_object_object_add(out, "chains", list);
	list = json_object_new_array();
	for (i = 0; i < plan->lanes; i++) {
		struct json_object *one = json_object_new_object();

		json_object_object_add(one, "node",
				       json_object_new_string(plan->names[plan->lane[i].node]));
		json_object_object_add(one, "cpu", json_object_new_int(plan->lane[i].cpu));
		add(one, "from", plan->lane[i].lo);
		add(one, "to", plan->lane[i].hi);
		add(one, "threads", shared->lanes[i].threads);
		add(one, "requests", shared->lanes[i].requests);
		add(one, "queue", shared->lanes[i].waiting_max);
		add(one, "connected", shared->lanes[i].connected);
		add(one, "broken", shared->lanes[i].broken);
		json_object_array_add(list, one);
	}
	json_object_object_add(out, "lanes", list);
	return out;
}
