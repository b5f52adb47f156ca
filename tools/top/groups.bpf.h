/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * groups.bpf.h - servers and chains
 *
 * The events of a server come from its CPU, one after another; those of a chain from the CPUs of
 * its stages: what several stages tell of is counted atomically.
 */
#ifndef _TOP_GROUPS_BPF_H
#define _TOP_GROUPS_BPF_H

static __always_inline __u64 server_id(__u32 domain, __u32 server)
{
	return (__u64)domain << 32 | server;
}

SEC("tp/resch/resch_server_set")
int on_server_set(void *record)
{
	struct event_server_set event;
	struct top_server *server;
	__u64 id;

	event_server_set_read(&event, record);
	id = server_id(event.domain, event.server);
	server = event.budget ? server_take(id) : server_find(id);
	if (!server)
		return 0;
	if (!event.budget) {
		server->ended = bpf_ktime_get_ns();
		server->gone = 1;
		return 0;
	}
	/* its number is another one's now: a domain has few of them */
	if (server->gone) {
		server->exhausted = 0;
		server->replenished = 0;
		server->postponed = 0;
		server->gone = 0;
	}
	server->cpu = event.cpu;
	server->kind = event.kind;
	server->budget = event.budget;
	server->period = event.period;
	__builtin_memcpy(server->name, event.name, TOP_NAME);
	server->known = 1;
	return 0;
}

SEC("tp/resch/resch_server")
int on_server(void *record)
{
	struct event_server event;
	struct top_server *server;

	event_server_read(&event, record);
	server = server_take(server_id(event.domain, event.server));
	if (!server)
		return 0;
	server->cpu = event.cpu;
	server->left = event.left;
	server->deadline = event.deadline;
	server->time = event.now;
	if (event.what & RESCH_SERVER_EXHAUSTED)
		server->exhausted++;
	if (event.what & RESCH_SERVER_REPLENISHED)
		server->replenished++;
	if (event.what & RESCH_SERVER_POSTPONED)
		server->postponed++;
	return 0;
}

SEC("tp/resch/resch_chain_set")
int on_chain_set(void *record)
{
	struct event_chain_set event;
	struct top_chain *chain;

	event_chain_set_read(&event, record);
	chain = event.stages ? chain_take(event.chain) : chain_find(event.chain);
	if (!chain)
		return 0;
	if (!event.stages) {
		chain->ended = bpf_ktime_get_ns();
		chain->gone = 1;
		return 0;
	}
	chain->stages = event.stages;
	chain->protocol = event.protocol;
	chain->period = event.period;
	chain->deadline = event.deadline;
	__builtin_memcpy(chain->name, event.name, TOP_NAME);
	chain->known = 1;
	chain->whole = 1;
	return 0;
}

SEC("tp/resch/resch_chain")
int on_chain(void *record)
{
	struct event_chain event;
	struct top_chain *chain;

	event_chain_read(&event, record);
	chain = chain_take(event.chain);
	if (!chain)
		return 0;
	if (event.what & RESCH_INSTANCE_GONE)
		chain->stopped = event.stage + 1;
	/* A registration that ends in the middle of the first stage's job ends an instance. */
	if (!event.stage && event.instance)
		chain->instances++;
	if (event.what & RESCH_INSTANCE_LOST)
		__sync_fetch_and_add(&chain->lost, 1);
	else if (event.what & RESCH_INSTANCE_SKIPPED)
		__sync_fetch_and_add(&chain->skipped, 1);
	if (event.what & RESCH_INSTANCE_LATE)
		chain->missed++;
	if (event.what & RESCH_INSTANCE_COMPLETE) {
		chain->completed++;
		histogram_add(&chain->response,
			      event.now > event.origin ? event.now - event.origin : 0);
	}
	return 0;
}

#endif
