// SPDX-License-Identifier: GPL-2.0
/* account.c - whether everything is what it was, see torture.h */
#include "torture.h"

#include <ctype.h>
#include <dirent.h>
#include <stdarg.h>
#include <sys/klog.h>

#include "thread-attr.h"

unsigned int complaints;
unsigned int affinities_lost;

void complain(const char *format, ...)
{
	va_list arguments;

	/* The first ones say what is wrong. */
	if (complaints++ >= 20)
		return;
	printf("# ");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
}

/*
 * What is given back may take a moment; where something is not, the rest of the account has had its
 * moment.
 */
static uint64_t patience_ends(void)
{
	return resch_now() + (complaints ? 0 : PATIENCE / 2 * SEC);
}

/* ---- threads --------------------------------------------------------------------------------- */

struct noted {
	pid_t tid;
	unsigned long long start; /* with the tid: this very thread */
	bool kernel;
	bool rescuer;
	char name[20];
	struct thread_attr attr;
	cpu_set_t cpus;
};

static struct noted *noted;
static size_t noted_count;

#define PF_WQ_WORKER 0x20
#define PF_KTHREAD 0x200000

/*
 * Who helps out where a work queue has no worker to be had keeps the affinity of where it last was:
 * "mm_percpu_wq" on 6.1, "kworker/R-mm_percpu_wq" on later kernels.
 */
static bool is_rescuer(unsigned long flags, const char *name)
{
	return flags & PF_KTHREAD && flags & PF_WQ_WORKER &&
	       (strncmp(name, "kworker/", 8) || !strncmp(name, "kworker/R", 9));
}

/* What the thread is now; false: it has gone. */
static bool thread_look(pid_t tid, struct noted *to)
{
	char path[64], text[1024], *name, *at;
	unsigned long flags;
	int field;

	memset(to, 0, sizeof(*to));
	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	if (!file_read(path, text, sizeof(text)))
		return false;
	name = strchr(text, '(');
	at = strrchr(text, ')');
	if (!name || !at)
		return false;
	snprintf(to->name, sizeof(to->name), "%.*s", (int)(at - name - 1), name + 1);
	/* The 9th field of the line is the flags, the 22nd the time of its start. */
	at = strtok(at + 1, " ");
	for (field = 3; at && field < 9; field++)
		at = strtok(NULL, " ");
	flags = at ? strtoul(at, NULL, 10) : 0;
	for (; at && field < 22; field++)
		at = strtok(NULL, " ");
	to->start = at ? strtoull(at, NULL, 10) : 0;
	to->kernel = flags & PF_KTHREAD;
	to->rescuer = is_rescuer(flags, to->name);
	to->tid = tid;
	if (thread_attr_get(tid, &to->attr) ||
	    sched_getaffinity(tid, sizeof(to->cpus), &to->cpus) < 0)
		return false;
	return true;
}

static bool thread_is(const struct noted *now, const struct noted *was)
{
	bool nice = was->attr.policy == SCHED_OTHER || was->attr.policy == SCHED_BATCH;

	if (now->attr.policy != was->attr.policy || now->attr.priority != was->attr.priority ||
	    (now->attr.flags ^ was->attr.flags) & FLAG_RESET_ON_FORK ||
	    (nice && now->attr.nice != was->attr.nice))
		return false;
	/* A CPU that goes offline changes those of the kernel's threads. */
	return (was->kernel && world->options.hotplug) || was->rescuer ||
	       CPU_EQUAL(&now->cpus, &was->cpus);
}

/*
 * An affinity, and nothing else, is not what it was: a defect that may have more causes than are
 * mended (docs/hardening.md, 11), which is told, and fails who asked for that.
 */
static bool affinity_excused(pid_t tid, const char *name)
{
	if (world->options.strict)
		return false;
	affinities_lost++;
	printf("# thread %d, %s: an affinity that is not what it was\n", tid, name);
	return true;
}

static unsigned int cpus_word(const cpu_set_t *cpus)
{
	unsigned int word = 0, cpu;

	for (cpu = 0; cpu < 32; cpu++)
		word |= (unsigned int)!!CPU_ISSET(cpu, cpus) << cpu;
	return word;
}

/* Call @what for each thread of the machine. */
static void threads_each(void (*what)(pid_t tid))
{
	DIR *processes = opendir("/proc"), *threads;
	struct dirent *process, *thread;
	char path[300];

	while (processes && (process = readdir(processes))) {
		if (!isdigit(process->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/task", process->d_name);
		threads = opendir(path);
		while (threads && (thread = readdir(threads)))
			if (isdigit(thread->d_name[0]))
				what(atoi(thread->d_name));
		if (threads)
			closedir(threads);
	}
	closedir(processes);
}

static bool is_sentinel(pid_t tid)
{
	int i;

	for (i = 0; i < SENTINELS; i++)
		if (world->sentinels[i].pid == tid)
			return true;
	return false;
}

static void thread_note(pid_t tid)
{
	struct noted *more;

	if (is_sentinel(tid))
		return;
	more = realloc(noted, (noted_count + 1) * sizeof(*noted));
	if (!more)
		exit(2);
	noted = more;
	if (thread_look(tid, &noted[noted_count]))
		noted_count++;
}

void threads_note(void)
{
	noted_count = 0;
	threads_each(thread_note);
}

static const struct noted *thread_was(const struct noted *now)
{
	size_t i;

	for (i = 0; i < noted_count; i++)
		if (noted[i].tid == now->tid && noted[i].start == now->start)
			return &noted[i];
	return NULL;
}

static void thread_check(pid_t tid)
{
	uint64_t end = patience_ends();
	const struct noted *was;
	struct noted now, other;

	do {
		if (is_sentinel(tid) || !thread_look(tid, &now))
			return;
		was = thread_was(&now);
		if (was ? thread_is(&now, was) : now.kernel || now.attr.policy == SCHED_OTHER)
			return;
		sleep_ms(5);
	} while (resch_now() < end);
	if (!was) {
		complain("thread %d, %s, is left with policy %u priority %u", tid, now.name,
			 now.attr.policy, now.attr.priority);
		return;
	}
	other = now;
	other.cpus = was->cpus;
	if (thread_is(&other, was) && affinity_excused(tid, now.name))
		return;
	complain(
		"thread %d, %s, has policy %u priority %u nice %d flags %llx CPUs %x; it had %u %u %d %llx %x",
		tid, now.name, now.attr.policy, now.attr.priority, now.attr.nice,
		(unsigned long long)now.attr.flags, cpus_word(&now.cpus), was->attr.policy,
		was->attr.priority, was->attr.nice, (unsigned long long)was->attr.flags,
		cpus_word(&was->cpus));
}

void threads_check(void)
{
	threads_each(thread_check);
}

/* ---- sentinels ------------------------------------------------------------------------------- */

/*
 * Whether it has what it began with, or a policy and an affinity that it was given since; @cpus: or
 * any affinity.
 */
static bool sentinel_is(const struct sentinel *sentinel, const struct noted *now, bool cpus)
{
	unsigned int given = atomic_load(&sentinel->given), i;
	bool policy = false;

	for (i = 0; i < given; i++) {
		const struct sentinel_has *has = &sentinel->has[i];
		bool nice = has->policy == SCHED_OTHER || has->policy == SCHED_BATCH;

		policy |= now->attr.policy == has->policy && now->attr.priority == has->priority &&
			  (!nice || now->attr.nice == has->nice) &&
			  !(now->attr.flags & FLAG_RESET_ON_FORK);
		cpus |= cpus_word(&now->cpus) == has->cpus;
	}
	return policy && cpus;
}

/* The next round begins with what it has. */
static void sentinel_note(struct sentinel *sentinel, const struct noted *now)
{
	sentinel->has[0] = (struct sentinel_has){ now->attr.policy, now->attr.priority,
						  now->attr.nice, cpus_word(&now->cpus) };
	atomic_store(&sentinel->given, 1);
}

static void sentinel_check(int number)
{
	struct sentinel *sentinel = &world->sentinels[number];
	unsigned int given = atomic_load(&sentinel->given);
	uint64_t end = patience_ends();
	struct noted now;

	do {
		if (!thread_look(sentinel->pid, &now)) {
			complain("sentinel %d has gone", number);
			return;
		}
		if (sentinel_is(sentinel, &now, false)) {
			sentinel_note(sentinel, &now);
			return;
		}
		sleep_ms(5);
	} while (resch_now() < end);
	if (sentinel_is(sentinel, &now, true) && affinity_excused(sentinel->pid, now.name)) {
		sentinel_note(sentinel, &now);
		return;
	}
	complain(
		"sentinel %d has policy %u priority %u nice %d flags %llx CPUs %x; the last of %u that it was given is %u %u %d, CPUs %x",
		number, now.attr.policy, now.attr.priority, now.attr.nice,
		(unsigned long long)now.attr.flags, cpus_word(&now.cpus), given,
		sentinel->has[given - 1].policy, sentinel->has[given - 1].priority,
		sentinel->has[given - 1].nice, sentinel->has[given - 1].cpus);
}

void sentinels_check(void)
{
	int i;

	for (i = 0; i < SENTINELS; i++)
		sentinel_check(i);
}

/* ---- what is registered ---------------------------------------------------------------------- */

static bool registered(struct resch_info *now)
{
	memset(now, 0, sizeof(*now));
	return !resch_info(dev, now) && now->tasks;
}

void tasks_check(void)
{
	uint64_t end = resch_now() + PATIENCE * SEC;
	struct resch_domain_stat domain;
	struct resch_task_stat task;
	struct resch_info now;
	int err;

	while (registered(&now) && resch_now() < end)
		sleep_ms(5);
	if (now.tasks) {
		memset(&task, 0, sizeof(task));
		err = resch_task_next(dev, &task);
		complain(
			"%u tasks are registered though their processes are dead; %s%u, pid %d, state %s",
			now.tasks, err == 1 ? "the first is " : "none is found: ", task.id,
			task.pid, resch_state_name(task.state));
	}
	memset(&domain, 0, sizeof(domain));
	while (resch_domain_next(dev, &domain) == 1) {
		do
			err = resch_domain_del(dev, domain.domain);
		while (err == -EBUSY && resch_now() < end);
		if (err)
			complain("domain %u under %s, with %u tasks, can't be deleted: %s",
				 domain.domain, domain.plugin, domain.tasks, errno_name(err));
	}
}

/*
 * Plugins that were thrown out; a pause of the machine is taken for a plugin that is slow to pick.
 */
void ejections_check(void)
{
	static char text[1 << 22];
	char *line, *rest = text;
	int got = klogctl(3, text, sizeof(text) - 1);

	if (got < 0)
		return;
	text[got] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		if (!strstr(line, "is thrown out") && !strstr(line, "inside it"))
			continue;
		happened(EVENT_EJECTIONS);
		if (strstr(line, "took too long to pick"))
			printf("# %s\n", line);
		else
			complain("%s", line);
	}
}

/* ---- modules --------------------------------------------------------------------------------- */

void modules_check(void)
{
	char left[120];

	if (modules_unload(left, sizeof(left)))
		complain("the modules can't be unloaded: %s", left);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The kernel's own caches that this module's objects are in. */
#define CACHES "/sys/kernel/slab"
#define CACHES_MAX 64

static struct cache {
	char name[32];
	long first, now;
} caches[CACHES_MAX];
static unsigned int rounds;

static int cache_of(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "kmalloc-", 8);
}

void memory_note(void)
{
	struct dirent **names;
	char path[300], text[200];
	int count, i;

	rounds++;
	/*
	 * What was freed is to be seen as free: after a grace period, and not held for the next one
	 * who asks.
	 */
	file_write("/proc/sys/vm/drop_caches", "2");
	sleep_ms(200);
	count = scandir(CACHES, &names, cache_of, alphasort);
	for (i = 0; i < count; i++) {
		if (i < CACHES_MAX) {
			snprintf(path, sizeof(path), CACHES "/%s/shrink", names[i]->d_name);
			file_write(path, "1");
			snprintf(path, sizeof(path), CACHES "/%s/objects", names[i]->d_name);
			snprintf(caches[i].name, sizeof(caches[i].name), "%.31s", names[i]->d_name);
			caches[i].now = file_read(path, text, sizeof(text)) ? atol(text) : 0;
			if (rounds == 1)
				caches[i].first = caches[i].now;
		}
		free(names[i]);
	}
	if (count >= 0)
		free(names);
}

/*
 * The rest of the machine's memory goes up and down by some dozens of objects a cache; what is lost
 * at each registration, request or load comes to more.
 */
#define CACHES_MAY_GROW 600

void memory_check(void)
{
	unsigned int i;

	for (i = 0; i < CACHES_MAX && caches[i].name[0]; i++) {
		long more = caches[i].now - caches[i].first;

		if (world->options.verbose && more)
			printf("# %s: %ld objects, %+ld\n", caches[i].name, caches[i].now, more);
		if (more > CACHES_MAY_GROW)
			complain("%s has grown by %ld objects in %u rounds", caches[i].name, more,
				 rounds - 1);
	}
}
