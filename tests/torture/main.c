// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - rounds of everything at once and at random, and an account after each, see torture.h
 *
 * usage: torture [--seconds N] [--round N] [--processes N] [--seed N] [--hotplug] [--eager]
 * [--plant WHAT] [--verbose] [--strict]
 */
#include "torture.h"

#include <getopt.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

#include "thread-attr.h"

struct world *world;
int dev = -1;

/* ---- what the functions of lib.h need -------------------------------------------------------- */

void fail_at(const char *file, int line, const char *format, ...)
{
	const char *name = strrchr(file, '/');
	char text[300];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (world && !world->failure[0])
		snprintf(world->failure, sizeof(world->failure), "%s:%d: %s",
			 name ? name + 1 : file, line, text);
	printf("# %s:%d: %s\n", name ? name + 1 : file, line, text);
	fflush(stdout);
	_exit(1);
}

/* ---- processes ------------------------------------------------------------------------------- */

#define PROCESSES_MAX 64

/* Lives first, then storms. */
static pid_t processes[PROCESSES_MAX + STORMS];

static void start(unsigned int slot)
{
	uint64_t number = atomic_fetch_add(&world->lives, 1);
	pid_t pid = fork();

	if (pid < 0)
		return; /* too many for a moment */
	processes[slot] = pid;
	if (pid)
		return;
	/* Where the output goes is nothing for those that are killed. */
	prctl(PR_SET_NAME, slot < PROCESSES_MAX ? "life" : "storm");
	close(dev);
	dev = -1;
	if (slot < PROCESSES_MAX)
		life_main(number);
	storm_main(slot - PROCESSES_MAX, number);
}

static void start_missing(void)
{
	unsigned int i;

	for (i = 0; i < world->options.processes; i++)
		if (!processes[i])
			start(i);
	for (i = PROCESSES_MAX; i < PROCESSES_MAX + STORMS; i++)
		if (!processes[i] && (i != PROCESSES_MAX + STORM_HOTPLUG || world->options.hotplug))
			start(i);
}

static void reap(void)
{
	unsigned int i;
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		for (i = 0; i < PROCESSES_MAX + STORMS; i++)
			if (processes[i] == pid)
				processes[i] = 0;
}

static void kill_any(struct life *life)
{
	unsigned int slot = below(life, world->options.processes);
	pid_t pid;

	if (one_in(life, 2)) {
		/* One of its children, mostly. */
		pid = groups_any(life);
	} else {
		/* Not that one: a CPU might stay away. */
		if (one_in(life, 40))
			slot = PROCESSES_MAX + below(life, STORM_HOTPLUG);
		pid = processes[slot];
	}
	if (pid && !kill(pid, SIGKILL))
		happened(EVENT_KILLS);
}

/* Who of those that were killed has not gone; 0: nobody. Some have been reaped with their group. */
static pid_t still_there(void)
{
	unsigned int i;

	reap();
	for (i = 0; i < PROCESSES_MAX + STORMS; i++) {
		if (processes[i] && !kill(processes[i], 0))
			return processes[i];
		processes[i] = 0;
	}
	return 0;
}

/* Who is dead may still be in a system call, and give somebody an affinity, say. */
static void kill_all(void)
{
	uint64_t end = resch_now() + PATIENCE * SEC;
	unsigned int i;

	for (i = 0; i < PROCESSES_MAX + STORMS; i++)
		if (processes[i])
			kill(processes[i], SIGKILL);
	groups_kill();
	while (still_there() && resch_now() < end)
		sleep_ms(5);
	if (still_there())
		complain("process %d does not die", still_there());
	descriptors_drop();
}

/* ---- planted faults -------------------------------------------------------------------------- */

/* In the first round memory grows by itself. */
#define PLANTED_FROM 1

/* Something that has to be found by the account: see tests/modules/resch-plant.c. */
static void plant(void)
{
	char params[64];

	if (!world->options.plant)
		return;
	snprintf(params, sizeof(params), "fault=%s process=%d", world->options.plant,
		 world->sentinels[0].pid);
	must(module_load("resch-plant", params));
	must(module_unload("resch-plant"));
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static void modules_start(struct life *life, unsigned int number)
{
	char params[160];

	snprintf(params, sizeof(params), TEST_PARAMS " members=%d escalate_us=%d stop=%s",
		 (int)(2 + below(life, 12)), (int)(100 + below(life, 2000)),
		 number % 3 == 2 ? "demote" : "auto");
	must(module_load("resch", params));
	happened(EVENT_LOADS);
	dev = must(resch_open());
	plugins_load();
	printf("# round %u: %s\n", number + 1, params);
}

static void domains_start(struct life *life)
{
	union argument argument;
	unsigned int cpu;

	life->fd = dev;
	for (cpu = 1; cpu < world->cpus; cpu++) {
		memset(&argument, 0, sizeof(argument));
		argument.domain_set.cpus.bits[0] = 1ULL << cpu;
		snprintf(argument.domain_set.plugin, RESCH_NAME_LEN, "%s",
			 cpu == 1 ? "server" : "edf");
		must(request(life, REQUEST_DOMAIN_SET, &argument));
	}
}

static unsigned long long calls_made(void)
{
	unsigned long long made = 0;
	int i;

	for (i = 0; i < REQUESTS; i++)
		made += atomic_load_explicit(&world->requests[i].called, memory_order_relaxed);
	return made;
}

/*
 * Where a process needs long to begin, as in a debug kernel, it would be killed before it did
 * anything.
 */
#define CALLS_BETWEEN_KILLS 20
#define KILLS_MAX_APART SEC

static void between_kills(struct life *life)
{
	unsigned long long made = calls_made();
	uint64_t end = resch_now() + KILLS_MAX_APART;

	sleep_ms(5 + below(life, 60));
	while (calls_made() < made + CALLS_BETWEEN_KILLS && resch_now() < end)
		sleep_ms(10);
}

static void round_play(struct life *life, unsigned int number, uint64_t seconds)
{
	uint64_t end;

	modules_start(life, number);
	domains_start(life);
	groups_make();
	for (end = resch_now() + seconds * SEC; resch_now() < end;) {
		reap();
		start_missing();
		if (world->failure[0])
			break;
		between_kills(life);
		kill_any(life);
	}
	kill_all();
	storms_calm();
	if (number >= PLANTED_FROM)
		plant();
	tasks_check();
	sentinels_check();
	threads_check();
	close(dev);
	dev = -1;
	groups_remove();
	modules_check();
	happened(EVENT_UNLOADS);
	memory_note();
	if (world->failure[0])
		complain("%s", world->failure);
}

/*
 * A request that nobody has made with success is one that nothing is known about. Who makes them
 * one after the other hardly ever has what the next one needs.
 */
static int never(void)
{
	int i;

	if (world->options.eager)
		return NONE;
	for (i = 0; i < REQUESTS; i++)
		if (!atomic_load(&world->requests[i].succeeded))
			return i;
	return NONE;
}

/* On a slow machine it takes longer: until each request has been made, or the fault planted. */
static bool rounds_suffice(unsigned int number, uint64_t gone)
{
	const struct options *options = &world->options;
	int missing;

	if (gone < options->seconds)
		return false;
	if (options->plant)
		return number > PLANTED_FROM;
	missing = never();
	world->wanting = missing != NONE;
	if (!world->wanting || gone >= 12 * options->seconds)
		return true;
	printf("# after %llu s: it goes on until a %s has succeeded\n", (unsigned long long)gone,
	       request_name(missing));
	return false;
}

static unsigned int rounds_play(struct life *life)
{
	struct options *options = &world->options;
	uint64_t begin = resch_now();
	unsigned int number;

	world->wanting = false;
	for (number = 0; !complaints; number++) {
		if (rounds_suffice(number, (resch_now() - begin) / SEC))
			break;
		round_play(life, number, options->round);
	}
	if (!complaints && !options->plant && never() != NONE)
		complain("no %s has succeeded", request_name(never()));
	return number;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void report(unsigned int rounds, uint64_t begin)
{
	static const char *const texts[] = {
#define X(NAME, text) text,
		EVENTS(X)
#undef X
	};
	unsigned long long called = 0, succeeded = 0;
	int i;

	for (i = 0; i < REQUESTS; i++) {
		printf("# %-14s %9llu calls, %9llu succeeded\n", request_name(i),
		       (unsigned long long)atomic_load(&world->requests[i].called),
		       (unsigned long long)atomic_load(&world->requests[i].succeeded));
		called += atomic_load(&world->requests[i].called);
		succeeded += atomic_load(&world->requests[i].succeeded);
	}
	for (i = 0; i < EVENTS_COUNT; i++)
		printf("# %-50s %9llu\n", texts[i],
		       (unsigned long long)atomic_load(&world->events[i]));
	printf("# seed %llu: %llu calls, %llu succeeded, %u rounds, %llu s\n",
	       (unsigned long long)world->options.seed, called, succeeded, rounds,
	       (unsigned long long)((resch_now() - begin) / SEC));
}

static void options_parse(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "round", required_argument, NULL, 'r' },
		{ "processes", required_argument, NULL, 'p' },
		{ "seed", required_argument, NULL, 'S' },
		{ "hotplug", no_argument, NULL, 'h' },
		{ "eager", no_argument, NULL, 'e' },
		{ "plant", required_argument, NULL, 'P' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "strict", no_argument, NULL, 't' },
		{},
	};
	int option;

	*options =
		(struct options){ .seed = time(NULL), .seconds = 60, .round = 15, .processes = 10 };
	while ((option = getopt_long(argc, argv, "", known, NULL)) >= 0) {
		switch (option) {
		case 's':
			options->seconds = atoi(optarg);
			break;
		case 'r':
			options->round = atoi(optarg);
			break;
		case 'p':
			options->processes = atoi(optarg);
			break;
		case 'S':
			options->seed = strtoull(optarg, NULL, 0);
			break;
		case 'h':
			options->hotplug = true;
			break;
		case 'e':
			options->eager = true;
			break;
		case 'P':
			options->plant = optarg;
			break;
		case 'v':
			options->verbose = true;
			break;
		case 't':
			options->strict = true;
			break;
		default:
			exit(2);
		}
	}
	if (options->processes > PROCESSES_MAX)
		options->processes = PROCESSES_MAX;
}

static void world_make(int argc, char **argv)
{
	/* Not close-on-exec: lives execute other programs. */
	int fd = memfd_create("world", 0);

	must_libc(fd);
	must_libc(ftruncate(fd, sizeof(*world)));
	world = mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	check(world != MAP_FAILED, "mmap: %s", strerror(errno));
	options_parse(argc, argv, &world->options);
	world->fd = fd;
	world->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	must_libc(socketpair(AF_UNIX, SOCK_DGRAM, 0, world->pool));
}

int main(int argc, char **argv)
{
	struct thread_attr attr = { .policy = SCHED_FIFO,
				    .priority = 98,
				    .flags = FLAG_RESET_ON_FORK };
	uint64_t begin = resch_now();
	struct life life = { .fd = -1 };
	unsigned int rounds;

	if (argc > 1 && !strcmp(argv[1], "--again"))
		life_again(argv + 2);
	setvbuf(stdout, NULL, _IOLBF, 0);
	world_make(argc, argv);
	life.seed = world->options.seed * 2 + 1;
	printf("# seed %llu, %u CPUs, %u processes, rounds of %u s%s\n",
	       (unsigned long long)world->options.seed, world->cpus, world->options.processes,
	       world->options.round, world->options.hotplug ? ", hotplug" : "");
	check(world->cpus > 1, "needs two CPUs");
	/*
	 * Whoever keeps a CPU busy has to be killed nevertheless; and who has lost its parent is
	 * ours.
	 */
	must_libc(thread_attr_set(0, &attr));
	must_libc(prctl(PR_SET_CHILD_SUBREAPER, 1));
	sentinels_start();
	threads_note();
	rounds = rounds_play(&life);
	ejections_check();
	memory_check();
	sentinels_end();
	report(rounds, begin);
	printf("%sok 1 - everything is as it was%s\n", complaints ? "not " : "",
	       complaints ? ": see above" : "");
	printf("%sok 2 - every affinity%s\n1..2\n", affinities_lost ? "not " : "",
	       affinities_lost ? " # TODO docs/hardening.md, 11" : "");
	return complaints != 0;
}
