// SPDX-License-Identifier: GPL-2.0
/* main.c - resch-nodes: chains whose stages are on several nodes, by messages over TCP or DDS */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <json-c/json.h>
#include <resch-text.h>
#include <resch.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asked.h"
#include "clock-ns.h"
#include "nodes.h"

static const char help[] =
	"usage: resch-nodes [OPTION...] FILE\n"
	"\n"
	"Chains of a file (reschctl chain --help) whose stages are on several nodes: a process each, in a network namespace of\n"
	"its own. A stage on another node than the one before it is released by a message over TCP, with which its urgency (its\n"
	"priority, or under edf its local deadline) and the instance's deadline travel. Each CPU of a node has lanes: a\n"
	"connection from each peer, and threads, for a band of urgencies.\n"
	"\n"
	"      --lanes=N           of a CPU at most; 1: all requests in one queue (default: one for each urgency)\n"
	"      --compare           with lanes as said, then with one for all\n"
	"      --transport=tcp|dds DDS: readers and writers of topics, and one thread a node that receives, instead of connections\n"
	"      --receive=BUDGET/PERIOD\n"
	"                          over dds: that thread of each node is in a server of so much, on the first CPU without\n"
	"                          stages (default: it is a task above all stages)\n"
	"      --threads=N         of a lane (default: 1)\n"
	"      --more=N            and so many more as all are busy (default: 0)\n"
	"      --duration=TIME     (default: 10s; Ctrl-C ends it before)\n"
	"      --load=PERCENT      how much of each wcet is computed (default: 90)\n"
	"      --policy=fp|edf     of the CPUs (default: fp)\n"
	"      --handover=TIME     that a message takes at most, for the bound, beside --receive's period (default: 0)\n"
	"      --payload=BYTES     of a message (default: 0)\n"
	"      --lose=N            throw away so many of a million messages (default: 0)\n"
	"      --cut=NODE@TIME     break all connections of a node then\n"
	"      --kill=NODE@TIME    kill a node then ...\n"
	"      --back=TIME         ... and have it come back so much later (default: it does not)\n"
	"      --loopback          no namespaces: all at the loopback interface, as where the kernel has no veth, or there is no\n"
	"                          ip(8)\n"
	"      --json              times in ns\n"
	"\n"
	"BEHIND: requests that came and had to wait until something was complete on their CPU that matters less; OVERTAKEN:\n"
	"how much there was of that. GUARDED: those that came sooner than a period after the one before them, and so waited.\n"
	"Exit status 0; 1: it could not be done; 2: a wrong command line.\n";

/** struct event - what is done to a node on the way */
struct event {
	char node[RESCH_CHAIN_NAME];
	uint64_t at; /* after the start; 0: never */
};

/** struct run - one call */
struct run {
	struct plan plan;
	struct shared *shared;
	const char *path;
	uint32_t policy;
	uint64_t duration, handover, back;
	struct event cut, kill;
	bool compare, json;
	int device;
	pid_t pids[NODES_MAX];
	int spaces[NODES_MAX]; /* their network namespaces, for who comes back */
	struct resch_chain_result bounds;
};

static volatile sig_atomic_t ended;

static void on_signal(int signal)
{
	(void)signal;
	ended = 1;
}

int say_failed(const char *what, int error)
{
	fprintf(stderr, "resch-nodes: %s: %s\n", what, strerror(-error));
	return -1;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* A child's part until it is a node. @go: when its interfaces are there. */
static int child(struct run *run, uint32_t node, int told, int go, bool late)
{
	int listener, result = 0;
	char byte = 0;

	if (!run->plan.loopback && late)
		result = setns(run->spaces[node], CLONE_NEWNET) ? -errno : 0;
	else if (!run->plan.loopback)
		result = net_leave();
	if (result || write(told, &byte, 1) != 1 || read(go, &byte, 1) != 1)
		return 1;
	if (!run->plan.loopback && !late && net_up(node, run->plan.nodes))
		return 1;
	listener = net_listen(run->plan.loopback, node);
	if (listener < 0)
		return -say_failed("a socket", listener);
	return node_main(&run->plan, run->shared, node, listener, late);
}

/* Return: 0, and the child waits for a byte at *@go; or -1. */
static int spawn(struct run *run, uint32_t node, bool late, int *go)
{
	int told[2], start[2];
	char byte, path[48];

	if (pipe2(told, O_CLOEXEC) || pipe2(start, O_CLOEXEC))
		return -1;
	fflush(stdout);
	run->pids[node] = fork();
	if (!run->pids[node]) {
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_DFL);
		close(told[0]);
		close(start[1]);
		_exit(child(run, node, told[1], start[0], late));
	}
	close(told[1]);
	close(start[0]);
	*go = start[1];
	if (run->pids[node] < 0 || read(told[0], &byte, 1) != 1)
		return say_failed("a node, or its namespace, cannot be made", -errno);
	close(told[0]);
	if (run->plan.loopback || late)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/ns/net", run->pids[node]);
	run->spaces[node] = open(path, O_RDONLY | O_CLOEXEC);
	return run->spaces[node] < 0 ? say_failed(path, -errno) : 0;
}

static void let_go(int go)
{
	if (go >= 0 && write(go, "", 1) != 1)
		perror("resch-nodes: pipe");
	if (go >= 0)
		close(go);
}

/* All nodes are as far as that. Return: 0, or -1: they never are. */
static int await(const struct run *run, uint32_t ready)
{
	uint64_t end = now_ns() + 60 * SECOND;
	uint32_t i, there = 0;

	while (there < run->plan.nodes && now_ns() < end && !ended) {
		there = 0;
		for (i = 0; i < run->plan.nodes; i++) {
			siginfo_t info = {};

			there += __atomic_load_n(&run->shared->ready[i], __ATOMIC_ACQUIRE) >= ready;
			waitid(P_PID, (id_t)run->pids[i], &info, WEXITED | WNOHANG | WNOWAIT);
			if (info.si_pid || count_read(run->shared->failed[i]))
				return -1;
		}
		sleep_for(5000000);
	}
	return there == run->plan.nodes ? 0 : -1;
}

static int spawn_all(struct run *run)
{
	int go[NODES_MAX], result = 0;
	uint32_t i;

	for (i = 0; i < run->plan.nodes; i++)
		go[i] = -1;
	for (i = 0; i < run->plan.nodes && !result; i++)
		result = spawn(run, i, false, &go[i]);
	if (!result && !run->plan.loopback && net_pairs(run->plan.nodes, run->pids)) {
		fprintf(stderr,
			"resch-nodes: no interfaces between the nodes; --loopback does without\n");
		result = -1;
	}
	for (i = 0; i < run->plan.nodes; i++) {
		if (result && go[i] >= 0)
			close(go[i]);
		else
			let_go(go[i]);
	}
	if (!result && await(run, 2)) {
		fprintf(stderr, "resch-nodes: not all nodes come up\n");
		result = -1;
	}
	return result;
}

static void end_all(struct run *run)
{
	uint32_t i;

	__atomic_store_n(&run->shared->phase, PHASE_END, __ATOMIC_RELEASE);
	for (i = 0; i < run->plan.nodes; i++) {
		if (run->pids[i] > 0) {
			/* It may be in the middle of making something. */
			sleep_for(100000000);
			kill(run->pids[i], SIGKILL);
			waitpid(run->pids[i], NULL, 0);
		}
		run->pids[i] = 0;
		if (run->spaces[i] > 0)
			close(run->spaces[i]);
		run->spaces[i] = 0;
	}
}

/* ---- a run ----------------------------------------------------------------------------------- */

static int make_domain(struct run *run)
{
	struct resch_domain_set want = {};
	uint32_t i, k;
	int result;

	strcpy(want.plugin, run->policy == RESCH_CHAIN_EDF ? "edf" : "fp");
	strcpy(want.options, run->policy == RESCH_CHAIN_EDF ? "" : "order=explicit");
	for (i = 0; i < run->plan.set.model.count; i++)
		for (k = 0; k < run->plan.set.model.chains[i].count; k++) {
			int cpu = stage_of(&run->plan, i, k)->cpu;

			want.cpus.bits[cpu / 64] |= 1ULL << cpu % 64;
		}
	result = resch_domain_set(run->device, &want);
	if (result)
		return say_failed("a domain of the file's CPUs", result);
	run->plan.domain = want.domain;
	return 0;
}

void domain_drop(int device, uint32_t domain)
{
	int tries;

	for (tries = 0; tries < 500 && resch_domain_del(device, domain) == -EBUSY; tries++)
		sleep_for(10000000);
}

static int node_named(const struct run *run, const char *name)
{
	uint32_t i;

	for (i = 0; i < run->plan.nodes; i++)
		if (!strcmp(run->plan.names[i], name))
			return (int)i;
	return -1;
}

static void do_kill(struct run *run, uint32_t node)
{
	kill(run->pids[node], SIGKILL);
	waitpid(run->pids[node], NULL, 0);
	run->pids[node] = 0;
	__atomic_store_n(&run->shared->ready[node], 0, __ATOMIC_RELEASE);
}

static void bring_back(struct run *run, uint32_t node)
{
	int go = -1;

	if (!spawn(run, node, true, &go))
		let_go(go);
}

/* Until the time is over, with what happens on the way. */
static void last(struct run *run)
{
	uint64_t begin = now_ns(), past = 0;
	int cut = node_named(run, run->cut.node), killed = node_named(run, run->kill.node);
	bool has_cut = !run->cut.at, has_killed = !run->kill.at, is_back = !run->back;

	while (!ended && past < run->duration) {
		if (!has_cut && past >= run->cut.at) {
			__atomic_store_n(&run->shared->cut[cut], 1, __ATOMIC_RELAXED);
			has_cut = true;
		}
		if (!has_killed && past >= run->kill.at) {
			do_kill(run, (uint32_t)killed);
			has_killed = true;
		}
		if (has_killed && run->kill.at && !is_back && past >= run->kill.at + run->back) {
			bring_back(run, (uint32_t)killed);
			is_back = true;
		}
		sleep_for(10000000);
		past = now_ns() - begin;
	}
}

/* No new instances; those under way are waited for while any complete. */
static void drain(const struct run *run)
{
	uint64_t before = UINT64_MAX, done = 0;
	uint32_t i, k;

	__atomic_store_n(&run->shared->phase, PHASE_DRAIN, __ATOMIC_RELEASE);
	while (done != before) {
		before = done;
		sleep_for(SECOND);
		done = 0;
		for (i = 0; i < run->plan.set.model.count; i++)
			for (k = 0; k < run->plan.set.model.chains[i].count; k++)
				done += count_read(run->shared->stages[i][k].completed);
	}
}

/* Return: 0, or -1 after a message. */
static int play(struct run *run)
{
	int result = plan_lanes(&run->plan);

	memset(run->shared, 0, sizeof(*run->shared));
	if (!result)
		result = make_domain(run);
	if (result)
		return result;
	result = receive_open(run->device, &run->plan);
	if (!result)
		result = spawn_all(run);
	if (!result) {
		__atomic_store_n(&run->shared->phase, PHASE_RUN, __ATOMIC_RELEASE);
		resch_start(run->device, run->plan.domain, 0);
		last(run);
		drain(run);
	}
	end_all(run);
	receive_close(run->device, &run->plan);
	domain_drop(run->device, run->plan.domain);
	return result;
}

static int play_and_tell(struct run *run, struct json_object *list)
{
	/* The bound is that of guarded stages, each with a thread of its own. */
	const struct resch_chain_result *bounds =
		!run->plan.most && run->plan.threads == 1 && !run->plan.more ? &run->bounds : NULL;
	int result = play(run);

	if (result)
		return result;
	if (run->json) {
		json_object_array_add(list, report_json(&run->plan, run->shared, bounds));
		return 0;
	}
	printf("%s%s, %s%s, %s:\n", run->plan.dds ? "DDS" : "TCP",
	       run->plan.receive.budget ? " received in servers" : "",
	       run->plan.most == 1 ? "one lane for all" : "lanes",
	       run->plan.most > 1 ? " for bands" : "",
	       run->plan.loopback ? "at the loopback interface" : "namespaces");
	report_text(&run->plan, run->shared, bounds);
	return 0;
}

static int run_all(struct run *run)
{
	struct json_object *out = json_object_new_object(), *list = json_object_new_array();
	int result;

	json_object_object_add(out, "runs", list);
	run->plan.set.model.handover_max = run->handover + run->plan.receive.period;
	run->plan.loopback = run->plan.loopback || !net_has_pairs();
	result = resch_chain_analyse(&run->plan.set.model, RESCH_CHAIN_AUTO, &run->bounds);
	if (result && result != -EBUSY)
		return say_failed(run->path, result);
	result = play_and_tell(run, list);
	if (!result && run->compare && !ended) {
		run->plan.most = 1;
		if (!run->json)
			printf("\n");
		result = play_and_tell(run, list);
	}
	if (!result && run->json)
		printf("%s\n", json_object_to_json_string_ext(out, JSON_C_TO_STRING_PRETTY));
	json_object_put(out);
	return result;
}

/* ---- the command line ------------------------------------------------------------------------ */

static _Noreturn void usage(const char *why)
{
	fprintf(stderr, "resch-nodes: %s: see resch-nodes --help\n", why);
	exit(2);
}

static uint64_t number(const char *text, uint64_t least, uint64_t most)
{
	char *end;
	uint64_t value = strtoull(text, &end, 10);

	if (!*text || *end || value < least || value > most)
		usage(text);
	return value;
}

static uint64_t time_of(const char *text)
{
	uint64_t value;

	if (resch_time_parse(text, &value))
		usage(text);
	return value;
}

static struct receive receive_of(char *text)
{
	char *slash = strchr(text, '/');
	struct receive receive = {};

	if (!slash)
		usage(text);
	*slash = 0;
	receive.budget = time_of(text);
	receive.period = time_of(slash + 1);
	if (!receive.budget || receive.budget > receive.period)
		usage("a budget is up to its period");
	return receive;
}

static struct event event_of(const char *text)
{
	const char *at = strchr(text, '@');
	struct event event = {};

	if (!at || at - text >= RESCH_CHAIN_NAME)
		usage(text);
	memcpy(event.node, text, (size_t)(at - text));
	event.at = time_of(at + 1);
	return event;
}

enum {
	LANES = 1,
	COMPARE,
	TRANSPORT,
	RECEIVE,
	THREADS,
	MORE,
	DURATION,
	LOAD,
	POLICY,
	HANDOVER,
	PAYLOAD,
	LOSE,
	CUT,
	KILL,
	BACK,
	LOOPBACK,
	JSON
};

static const struct option options[] = {
	{ "lanes", 1, NULL, LANES },
	{ "compare", 0, NULL, COMPARE },
	{ "transport", 1, NULL, TRANSPORT },
	{ "receive", 1, NULL, RECEIVE },
	{ "threads", 1, NULL, THREADS },
	{ "more", 1, NULL, MORE },
	{ "duration", 1, NULL, DURATION },
	{ "load", 1, NULL, LOAD },
	{ "policy", 1, NULL, POLICY },
	{ "handover", 1, NULL, HANDOVER },
	{ "payload", 1, NULL, PAYLOAD },
	{ "lose", 1, NULL, LOSE },
	{ "cut", 1, NULL, CUT },
	{ "kill", 1, NULL, KILL },
	{ "back", 1, NULL, BACK },
	{ "loopback", 0, NULL, LOOPBACK },
	{ "json", 0, NULL, JSON },
	{},
};

static void option(struct run *run, int which)
{
	struct plan *plan = &run->plan;
	int policy;

	switch (which) {
	case LANES:
		plan->most = (uint32_t)number(optarg, 1, LANES_MAX);
		break;
	case COMPARE:
		run->compare = true;
		break;
	case TRANSPORT:
		plan->dds = !strcmp(optarg, "dds");
		if (!plan->dds && strcmp(optarg, "tcp"))
			usage(optarg);
		if (plan->dds && !dds_there())
			usage("it was compiled where there is no Cyclone DDS (cyclonedds-dev, cyclonedds-tools)");
		break;
	case RECEIVE:
		plan->receive = receive_of(optarg);
		break;
	case THREADS:
		plan->threads = (uint32_t)number(optarg, 1, POOL_MAX);
		break;
	case MORE:
		plan->more = (uint32_t)number(optarg, 0, POOL_MAX);
		break;
	case DURATION:
		run->duration = time_of(optarg);
		break;
	case LOAD:
		plan->load = (uint32_t)number(optarg, 1, 100);
		break;
	case POLICY:
		policy = resch_name_parse("chain-policies", optarg);
		if (policy < 0)
			usage(optarg);
		run->policy = (uint32_t)policy;
		break;
	case HANDOVER:
		run->handover = time_of(optarg);
		break;
	case PAYLOAD:
		plan->payload = (uint32_t)number(optarg, 0, 65536);
		break;
	case LOSE:
		plan->lose = (uint32_t)number(optarg, 0, 1000000);
		break;
	case CUT:
		run->cut = event_of(optarg);
		break;
	case KILL:
		run->kill = event_of(optarg);
		break;
	case BACK:
		run->back = time_of(optarg);
		break;
	case LOOPBACK:
		plan->loopback = true;
		break;
	case JSON:
		run->json = true;
		break;
	default:
		usage("the command line");
	}
}

int main(int argc, char **argv)
{
	static struct run run = { .plan = { .threads = 1, .load = 90 }, .duration = 10 * SECOND };
	const struct sigaction action = { .sa_handler = on_signal };
	int which;

	answer_if_asked(argv, "resch-nodes", help);
	opterr = 0;
	while ((which = getopt_long(argc, argv, "", options, NULL)) >= 0)
		option(&run, which);
	if (optind + 1 != argc)
		usage("there is to be one FILE");
	run.path = argv[optind];
	if (plan_read(&run.plan, run.path, run.policy))
		return 2;
	if ((run.cut.at && node_named(&run, run.cut.node) < 0) ||
	    (run.kill.at && node_named(&run, run.kill.node) < 0))
		usage("there is no such node");
	if (run.cut.at && run.plan.dds)
		usage("--cut breaks connections, which there are over tcp");
	if (run.plan.receive.budget && !run.plan.dds)
		usage("--receive is about one thread for all, which there is over dds");
	run.bounds.chains = calloc(run.plan.set.model.count, sizeof(*run.bounds.chains));
	run.shared = mmap(NULL, sizeof(*run.shared), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	run.device = resch_open();
	if (run.device < 0 || run.shared == MAP_FAILED || !run.bounds.chains) {
		fprintf(stderr, "resch-nodes: %s\n",
			run.device < 0 ? resch_open_reason(run.device) : "out of memory");
		return 1;
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	return run_all(&run) ? 1 : 0;
}
