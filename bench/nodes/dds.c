// SPDX-License-Identifier: GPL-2.0
/*
 * dds.c - messages over DDS (OMG, Data Distribution Service 1.4), by Eclipse Cyclone DDS
 *
 * A stage that another node releases is the reader of a topic of its own, and the stage before it
 * the writer. Qualities of service say what the chain is: deadline, how long after one request the
 * next may come; transport priority, the stage's urgency. There is one socket and one thread that
 * reads it in each process, whatever the urgencies: that thread is in a server of its own
 * (receive.c), or a task above all stages, as the readers of connections are. It puts requests into
 * the lanes' queues itself.
 *
 * As with connections, nobody waits who sends, and what there is no room for is lost.
 */
#include "nodes.h"

#ifdef RESCH_HAS_DDS

#include <dds/dds.h>
#include <dirent.h>
#include <errno.h>
#include <resch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

#define DOMAIN_ID 72
#define KEPT 64 /* requests of a writer that a reader has not had yet */

/** struct place - a stage that another node releases */
struct place {
	uint32_t chain, stage;
	dds_entity_t entity; /* its reader, or here the writer to it; 0: neither */
};

static struct place places[CHAINS_MAX][RESCH_CHAIN_STAGES_MAX];

/* ---- how nodes find each other --------------------------------------------------------------- */

/* No multicast: the interfaces between nodes are pairs. */
static void configure(void)
{
	const struct plan *plan = here.plan;
	char text[4096], address[NET_ADDRESS];
	size_t used = 0;
	uint32_t i;

#define ADD(...) (used += (size_t)snprintf(text + used, sizeof(text) - used, __VA_ARGS__))
	ADD("<General><AllowMulticast>false</AllowMulticast><Interfaces>");
	if (plan->loopback)
		ADD("<NetworkInterface name='lo' multicast='false'/>");
	for (i = 0; !plan->loopback && i < plan->nodes; i++)
		if (i != here.self)
			ADD("<NetworkInterface name='rn%u.%u'/>", here.self, i);
	ADD("</Interfaces></General><Discovery><ParticipantIndex>auto</ParticipantIndex><Peers>");
	for (i = 0; i < plan->nodes; i++) {
		net_address(plan->loopback, here.self, i, address);
		if (i != here.self || plan->loopback)
			ADD("<Peer address='%s'/>", address);
	}
	ADD("</Peers></Discovery>");
#undef ADD
	setenv("CYCLONEDDS_URI", text, 1);
}

/* ---- the thread that reads ------------------------------------------------------------------- */

static bool is_receiver(const char *tid)
{
	char path[64], name[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%.16s/comm", tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(name, sizeof(name), file))
		name[0] = 0;
	fclose(file);
	return !strncmp(name, "recv", 4);
}

/* Return: 0 or -errno */
static int register_receivers(void)
{
	const struct plan *plan = here.plan;
	struct resch_register reg;
	struct dirent *entry;
	DIR *threads = opendir("/proc/self/task");
	int result = 0, found = 0;
	uint32_t lane = 0;

	if (!threads)
		return -errno;
	while (lane + 1 < plan->lanes && plan->lane[lane].node != here.self)
		lane++;
	while (!result && (entry = readdir(threads))) {
		if (!is_receiver(entry->d_name))
			continue;
		receive_params(&plan->lane[lane], &reg);
		result = resch_register_thread(here.device, atoi(entry->d_name), &reg);
		found++;
	}
	closedir(threads);
	return result || found ? result : -ESRCH;
}

/* A thread has its name once it has run: until then there seems to be none. */
static int await_receivers(void)
{
	int result, tries = 0;

	while ((result = register_receivers()) == -ESRCH && tries++ < 1000)
		usleep(10000);
	return result;
}

/* ---- requests -------------------------------------------------------------------------------- */

static void on_data(dds_entity_t reader, void *arg)
{
	const struct place *place = arg;
	void *samples[8] = { NULL };
	dds_sample_info_t infos[8];
	int count, i;

	while ((count = dds_take(reader, samples, infos, 8, 8)) > 0) {
		for (i = 0; i < count; i++) {
			const nodes_message *sample = samples[i];
			const struct request request = {
				.chain = place->chain,
				.stage = place->stage,
				.instance = sample->instance,
				.origin = sample->origin,
				.deadline = sample->deadline,
			};

			if (infos[i].valid_data)
				pool_put(&request, sample->urgency);
		}
		dds_return_loan(reader, samples, count);
	}
}

void dds_send(const struct request *request, uint64_t urgency)
{
	struct place *place = &places[request->chain][request->stage];
	static uint8_t nothing[65536];
	nodes_message sample = {
		.instance = request->instance,
		.origin = request->origin,
		.deadline = request->deadline,
		.urgency = urgency,
		.payload = { ._maximum = here.plan->payload,
			     ._length = here.plan->payload,
			     ._buffer = nothing },
	};

	if (wire_loses() || dds_write(place->entity, &sample))
		wire_lost(request);
}

/* ---- readers and writers --------------------------------------------------------------------- */

static dds_qos_t *quality(uint32_t chain, uint32_t stage)
{
	const struct resch_chain_spec *spec = &here.plan->set.model.chains[chain];
	uint64_t urgency = urgency_of(here.plan, &spec->stages[stage]);
	dds_qos_t *qos = dds_create_qos();

	dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, 0);
	dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, KEPT);
	dds_qset_deadline(qos, (dds_duration_t)(spec->period + spec->deadline));
	dds_qset_latency_budget(qos, 0);
	/* More is more urgent there. */
	dds_qset_transport_priority(qos, urgency < INT32_MAX ? (int32_t)(INT32_MAX - urgency) : 0);
	return qos;
}

/* Return: 0 or -errno */
static int open_place(dds_entity_t participant, uint32_t chain, uint32_t stage)
{
	struct place *place = &places[chain][stage];
	const uint8_t *node_of = here.plan->node_of[chain];
	dds_listener_t *listener;
	dds_entity_t topic;
	dds_qos_t *qos;
	char name[32];

	*place = (struct place){ .chain = chain, .stage = stage };
	if (node_of[stage] == node_of[stage - 1] ||
	    (node_of[stage] != here.self && node_of[stage - 1] != here.self))
		return 0;
	snprintf(name, sizeof(name), "chain%u_stage%u", chain, stage);
	topic = dds_create_topic(participant, &nodes_message_desc, name, NULL, NULL);
	qos = quality(chain, stage);
	if (node_of[stage] == here.self) {
		listener = dds_create_listener(place);
		dds_lset_data_available(listener, on_data);
		place->entity = dds_create_reader(participant, topic, qos, listener);
		dds_delete_listener(listener);
	} else {
		place->entity = dds_create_writer(participant, topic, qos, NULL);
	}
	dds_delete_qos(qos);
	return topic < 0 || place->entity < 0 ? -EIO : 0;
}

int dds_open(void)
{
	const struct resch_chain_model *model = &here.plan->set.model;
	dds_entity_t participant;
	int result;
	uint32_t i, k;

	configure();
	participant = dds_create_participant(DOMAIN_ID, NULL, NULL);
	if (participant < 0)
		return -EIO;
	result = await_receivers();
	for (i = 0; i < model->count && !result; i++)
		for (k = 1; k < model->chains[i].count && !result; k++)
			result = open_place(participant, i, k);
	return result;
}

/* Whether each writer of this node has its reader. */
bool dds_found(void)
{
	const struct resch_chain_model *model = &here.plan->set.model;
	dds_publication_matched_status_t status;
	uint32_t i, k;

	for (i = 0; i < model->count; i++)
		for (k = 1; k < model->chains[i].count; k++) {
			if (!places[i][k].entity || here.plan->node_of[i][k] == here.self)
				continue;
			if (dds_get_publication_matched_status(places[i][k].entity, &status) ||
			    !status.current_count)
				return false;
		}
	return true;
}

bool dds_there(void)
{
	return true;
}

#else

bool dds_there(void)
{
	return false;
}

int dds_open(void)
{
	return -1;
}

bool dds_found(void)
{
	return false;
}

void dds_send(const struct request *request, uint64_t urgency)
{
	(void)urgency;
	wire_lost(request);
}

#endif
