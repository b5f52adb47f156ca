// SPDX-License-Identifier: GPL-2.0
/*
 * rpc.c - the library's remote procedure calls, between clients and the providers of a passive
 * server
 *
 * resch-test: timeout=240
 */
#include <sys/socket.h>

#include "passive.h"

static int listening;

static ssize_t do_spin(void *data, struct resch_rpc_peer *peer, uint32_t method,
		       const void *request, size_t size, void *reply, size_t room)
{
	(void)data;
	(void)method;
	(void)request;
	(void)size;
	(void)room;
	spin(12 * MS);
	memcpy(reply, &peer->pid, sizeof(peer->pid));
	return sizeof(peer->pid);
}

static void body_rpc_provider(struct task *task)
{
	struct resch_rpc_service service = { .fd = dev, .server = theirs, .serve = do_spin };
	int fd = must_libc(accept(listening, NULL, NULL));

	task->result = resch_rpc_serve(&service, fd);
	close(fd);
}

static void body_rpc_client(struct task *task)
{
	struct resch_server_stat before;
	struct resch_rpc rpc;
	pid_t pid = 0;
	int i;

	must(resch_rpc_open(&rpc, dev, "/tmp/rpc.socket"));
	check_is(rpc.server, theirs);
	for (i = 0; i < 4; i++) {
		before = server_stat(domain, ours);
		rpc.flags = i & 1 ? RESCH_CALL_F_DISCARD : 0;
		check_is(resch_rpc_call(&rpc, 1, NULL, 0, &pid, sizeof(pid)), sizeof(pid));
		check_is(pid, getpid());
		check(rpc.consumed > 8 * MS, "it is said to have cost %llu ns",
		      (unsigned long long)rpc.consumed);
		check(server_stat(domain, ours).consumed - before.consumed > 8 * MS,
		      "the client's server has paid %llu ns",
		      (unsigned long long)(server_stat(domain, ours).consumed - before.consumed));
	}
	resch_rpc_close(&rpc);
	task->result = 1;
}

TEST(rpc, "requests over a socket are paid by those who make them")
{
	struct task client, provider;

	servers();
	listening = must(resch_rpc_listen("/tmp/rpc.socket", 0600));
	start(&provider, theirs, body_rpc_provider);
	start(&client, ours, body_rpc_client);
	task_join(&client);
	task_join(&provider);
	unlink("/tmp/rpc.socket");
	check_is(provider.result, 0);
	check_is(client.result, 1);
	check_is(domain_stat(domain).ejections, 0);
}
