// SPDX-License-Identifier: GPL-2.0
/* storms.c - what is done to lives and to the machine meanwhile, see torture.h */
#include "torture.h"

#include <dirent.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>

#include "thread-attr.h"

/* ---- control groups -------------------------------------------------------------------------- */

#define GROUPS "/sys/fs/cgroup/torture"
#define GROUPS_COUNT 4

/* How much of the machine all lives may have. */
#define GROUPS_PIDS "300"

static bool group_write(int group, const char *file, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), GROUPS "/%d/%s", group, file);
	return file_write(path, text);
}

void groups_make(void)
{
	static const char *const controllers[] = { "+cpu", "+cpuset", "+pids", "+memory" };
	char path[PATH_MAX];
	unsigned int i;

	for (i = 0; i < 4; i++)
		file_write("/sys/fs/cgroup/cgroup.subtree_control", controllers[i]);
	if (mkdir(GROUPS, 0755) && errno != EEXIST)
		fail(GROUPS ": %s", strerror(errno));
	file_write(GROUPS "/pids.max", GROUPS_PIDS);
	for (i = 0; i < 4; i++)
		file_write(GROUPS "/cgroup.subtree_control", controllers[i]);
	for (i = 0; i < GROUPS_COUNT; i++) {
		snprintf(path, sizeof(path), GROUPS "/%u", i);
		mkdir(path, 0755);
	}
}

void groups_remove(void)
{
	static const char *const controllers[] = { "-cpu", "-cpuset", "-pids", "-memory" };
	char path[PATH_MAX];
	unsigned int i;

	for (i = 0; i < GROUPS_COUNT; i++) {
		snprintf(path, sizeof(path), GROUPS "/%u", i);
		rmdir(path);
	}
	rmdir(GROUPS);
	for (i = 0; i < 4; i++)
		file_write("/sys/fs/cgroup/cgroup.subtree_control", controllers[i]);
}

void groups_join(struct life *life)
{
	group_write(below(life, GROUPS_COUNT), "cgroup.procs", "0");
}

static bool groups_empty(void)
{
	char text[256];

	return file_read(GROUPS "/cgroup.events", text, sizeof(text)) &&
	       strstr(text, "populated 0");
}

static void groups_list(void)
{
	char path[PATH_MAX], text[4096], stack[4096], *line;
	int group;

	for (group = 0; group < GROUPS_COUNT; group++) {
		snprintf(path, sizeof(path), GROUPS "/%d/cgroup.threads", group);
		if (!file_read(path, text, sizeof(text)))
			continue;
		for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
			snprintf(path, sizeof(path), "/proc/%s/stack", line);
			if (!file_read(path, stack, sizeof(stack)))
				stack[0] = '\0';
			printf("# thread %s, state %c:\n%s", line, proc_state(atoi(line)), stack);
		}
	}
}

void groups_kill(void)
{
	uint64_t end = resch_now() + 3 * PATIENCE * SEC;

	do {
		file_write(GROUPS "/cgroup.kill", "1");
		sleep_ms(20);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	} while (!groups_empty() && resch_now() < end);
	if (groups_empty())
		return;
	groups_list();
	fail("processes do not end after they were killed");
}

pid_t groups_any(struct life *life)
{
	char path[64], text[2048], *at;
	unsigned int line;

	snprintf(path, sizeof(path), GROUPS "/%d/cgroup.procs", (int)below(life, GROUPS_COUNT));
	if (!file_read(path, text, sizeof(text)))
		return 0;
	at = text;
	for (line = below(life, 12); line && strchr(at, '\n') && strchr(at, '\n')[1]; line--)
		at = strchr(at, '\n') + 1;
	return atoi(at);
}

static void storm_groups(struct life *life)
{
	int group = below(life, GROUPS_COUNT);
	char text[64];
	pid_t pid;

	switch (below(life, 6)) {
	case 0:
		happened(EVENT_FREEZES);
		group_write(group, "cgroup.freeze", "1");
		sleep_ms(below(life, 100));
		group_write(group, "cgroup.freeze", "0");
		break;
	case 1:
		happened(EVENT_LIMITS);
		snprintf(text, sizeof(text), "%d 20000", (int)(1000 + below(life, 30000)));
		group_write(group, "cpu.max", one_in(life, 3) ? "max" : text);
		break;
	case 2:
		happened(EVENT_LIMITS);
		snprintf(text, sizeof(text), "0,%d", (int)below(life, world->cpus));
		group_write(group, "cpuset.cpus", one_in(life, 2) ? "\n" : text);
		break;
	case 3:
		happened(EVENT_LIMITS);
		snprintf(text, sizeof(text), "%dM", (int)(8 + below(life, 64)));
		group_write(group, "memory.high", one_in(life, 2) ? "max" : text);
		break;
	default:
		pid = groups_any(life);
		snprintf(text, sizeof(text), "%d", pid);
		/* 0 would be ourselves. */
		if (pid && group_write(group, "cgroup.procs", text))
			happened(EVENT_GROUPS);
		break;
	}
	sleep_ms(below(life, 50));
}

/* ---- strangers ------------------------------------------------------------------------------- */

/*
 * An affinity that is given while a CPU is offline is without that CPU: one at a time. A lock of a
 * file goes with who holds it.
 */
static int cpus_hold(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	flock(fd, LOCK_EX);
	return fd;
}

/* What may be found afterwards is noted before it is done. */
static void give(struct life *life)
{
	struct sentinel *to = &world->sentinels[SENTINELS_LEFT_ALONE +
						below(life, SENTINELS - SENTINELS_LEFT_ALONE)];
	unsigned int given = atomic_load(&to->given), cpu;
	struct sentinel_has has = to->has[given - 1];
	struct thread_attr attr;
	cpu_set_t cpus;
	int held;

	if (given >= sizeof(to->has) / sizeof(*to->has))
		return;
	if (one_in(life, 2)) {
		has.cpus = 1 | (1 + below(life, (1U << world->cpus) - 1));
		to->has[given] = has;
		atomic_store(&to->given, given + 1);
		CPU_ZERO(&cpus);
		for (cpu = 0; cpu < world->cpus; cpu++)
			if (has.cpus & 1U << cpu)
				CPU_SET(cpu, &cpus);
		held = cpus_hold();
		sched_setaffinity(to->pid, sizeof(cpus), &cpus);
		close(held);
		happened(EVENT_AFFINITIES);
		return;
	}
	has.policy = below(life, 4); /* SCHED_OTHER, FIFO, RR, BATCH */
	has.priority = has.policy == SCHED_FIFO || has.policy == SCHED_RR ? 1 + below(life, 30) : 0;
	has.nice = has.priority ? 0 : (int)below(life, 20) - 5;
	to->has[given] = has;
	atomic_store(&to->given, given + 1);
	attr = (struct thread_attr){ .policy = has.policy,
				     .priority = has.priority,
				     .nice = has.nice };
	thread_attr_set(to->pid, &attr);
	happened(EVENT_POLICIES);
}

/* Lives don't outlive the round, so they can be given anything. */
static void meddle(struct life *life, pid_t pid)
{
	struct thread_attr attr = { .policy = below(life, 4), .nice = below(life, 20) };
	cpu_set_t cpus;

	if (one_in(life, 2)) {
		CPU_ZERO(&cpus);
		CPU_SET(below(life, world->cpus), &cpus);
		CPU_SET(below(life, world->cpus), &cpus);
		sched_setaffinity(pid, sizeof(cpus), &cpus);
		happened(EVENT_AFFINITIES);
		return;
	}
	if (attr.policy == SCHED_FIFO || attr.policy == SCHED_RR)
		attr.priority = 1 + below(life, 40);
	thread_attr_set(pid, &attr);
	happened(EVENT_POLICIES);
}

static void trace(struct life *life, pid_t pid)
{
	int turns;

	if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACESYSGOOD))
		return;
	happened(EVENT_TRACES);
	ptrace(PTRACE_INTERRUPT, pid, 0, 0);
	for (turns = below(life, 6); turns; turns--) {
		sleep_ms(1 + below(life, 5));
		if (waitpid(pid, NULL, __WALL | WNOHANG) > 0)
			ptrace(one_in(life, 2) ? PTRACE_SYSCALL : PTRACE_CONT, pid, 0, 0);
	}
	/* Who is not stopped now can't be let go; it is when we end, or by a kill. */
	if (ptrace(PTRACE_DETACH, pid, 0, 0))
		_exit(0);
}

static pid_t victim(struct life *life)
{
	return one_in(life, 3) ? world->sentinels[below(life, SENTINELS)].pid : groups_any(life);
}

static void storm_stranger(struct life *life)
{
	pid_t pid = victim(life);

	if (!pid)
		return;
	switch (below(life, 8)) {
	case 0:
		kill(pid, SIGSTOP);
		happened(EVENT_STOPS);
		sleep_ms(below(life, 30));
		kill(pid, SIGCONT);
		break;
	case 1:
		trace(life, pid);
		break;
	case 2:
		kill(pid, SIGURG);
		happened(EVENT_SIGNALS);
		break;
	case 3:
	case 4:
		give(life);
		break;
	default:
		pid = groups_any(life);
		if (pid)
			meddle(life, pid);
	}
	usleep(below(life, 20000));
}

/* ---- modules --------------------------------------------------------------------------------- */

/* Modules that only tests need (tests/modules). */
static const char *const not_plugins[] = { "resch-bad", "resch-plant", "resch-away",
					   "resch-culprit" };

static int plugin_of(const struct dirent *entry)
{
	size_t i;

	for (i = 0; i < sizeof(not_plugins) / sizeof(not_plugins[0]); i++) {
		if (!strncmp(entry->d_name, not_plugins[i], strlen(not_plugins[i])))
			return false;
	}
	return strstr(entry->d_name, ".ko") && !strncmp(entry->d_name, "resch-", 6);
}

/* Call @what for each plugin there is, or for any one. */
static void plugins_each(struct life *life, void (*what)(const char *name))
{
	const char *modules = getenv("RESCH_MODULES");
	struct dirent **names;
	int count, i, any;

	count = scandir(modules ? modules : "/resch/modules", &names, plugin_of, alphasort);
	any = life && count > 0 ? (int)below(life, count) : -1;
	for (i = 0; i < count; i++) {
		*strstr(names[i]->d_name, ".ko") = '\0';
		if (any < 0 || i == any)
			what(names[i]->d_name);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
}

static void plugin_load(const char *name)
{
	if (!module_loaded(name) && !module_load(name, ""))
		happened(EVENT_LOADS);
}

static void plugin_unload(const char *name)
{
	int err = module_unload(name);

	happened(err ? EVENT_REFUSALS : EVENT_UNLOADS);
}

void plugins_load(void)
{
	plugins_each(NULL, plugin_load);
}

static void storm_modules(struct life *life)
{
	switch (below(life, 5)) {
	case 0:
		/* main.c has the device open. */
		check(module_unload("resch"), "the module went while its device is open");
		happened(EVENT_REFUSALS);
		break;
	case 1:
	case 2:
		plugins_each(life, plugin_unload);
		break;
	default:
		plugins_each(life, plugin_load);
	}
	sleep_ms(below(life, 60));
}

/* ---- CPUs ------------------------------------------------------------------------------------ */

static bool cpu_online(unsigned int cpu, bool online)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	return file_write(path, online ? "1" : "0");
}

static void storm_hotplug(struct life *life)
{
	unsigned int cpu = 1 + below(life, world->cpus - 1);
	int held = cpus_hold();

	if (cpu_online(cpu, false)) {
		sleep_ms(below(life, 100));
		if (cpu_online(cpu, true))
			happened(EVENT_HOTPLUGS);
	}
	close(held);
	sleep_ms(below(life, 400));
}

/* ---- all of them ----------------------------------------------------------------------------- */

void storms_calm(void)
{
	unsigned int i;

	for (i = 1; i < world->cpus; i++)
		cpu_online(i, true);
	for (i = 0; i < GROUPS_COUNT; i++) {
		group_write(i, "cgroup.freeze", "0");
		group_write(i, "cpu.max", "max");
		group_write(i, "cpuset.cpus", "\n");
		group_write(i, "memory.high", "max");
	}
	for (i = 0; i < SENTINELS; i++)
		kill(world->sentinels[i].pid, SIGCONT);
}

void storm_main(enum storm storm, uint64_t number)
{
	static void (*const storms[STORMS])(struct life *) = {
		storm_stranger,
		storm_groups,
		storm_modules,
		storm_hotplug,
	};
	struct life life = { .seed = (world->options.seed ^ number * 0x9e3779b97f4a7c15) | 1 };

	/* Not to be frozen or moved by its like; but to end with them. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		storms[storm](&life);
}
