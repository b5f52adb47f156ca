// SPDX-License-Identifier: GPL-2.0-or-later
/* machine.c - affinities, as the kernel shows and takes them */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shield.h"

#define WORDS (RESCH_CPUS_MAX / 64)

bool cpus_equal(const struct resch_cpus *a, const struct resch_cpus *b)
{
	return !memcmp(a, b, sizeof(*a));
}

bool cpus_overlap(const struct resch_cpus *a, const struct resch_cpus *b)
{
	size_t i;

	for (i = 0; i < WORDS; i++) {
		if (a->bits[i] & b->bits[i])
			return true;
	}
	return false;
}

bool cpus_within(const struct resch_cpus *inner, const struct resch_cpus *outer)
{
	size_t i;

	for (i = 0; i < WORDS; i++) {
		if (inner->bits[i] & ~outer->bits[i])
			return false;
	}
	return true;
}

void cpus_subtract(struct resch_cpus *from, const struct resch_cpus *cpus)
{
	size_t i;

	for (i = 0; i < WORDS; i++)
		from->bits[i] &= ~cpus->bits[i];
}

void cpus_unite(struct resch_cpus *to, const struct resch_cpus *cpus)
{
	size_t i;

	for (i = 0; i < WORDS; i++)
		to->bits[i] |= cpus->bits[i];
}

/* ---- files ----------------------------------------------------------------------------------- */

const char *machine_path(const char *root, const char *format, ...)
{
	static char ring[4][512];
	static unsigned int next;
	char *path = ring[next++ % 4];
	va_list arguments;
	int n = snprintf(path, sizeof(ring[0]), "%s", root);

	if (n < 0 || (size_t)n >= sizeof(ring[0]))
		n = 0;
	va_start(arguments, format);
	vsnprintf(path + n, sizeof(ring[0]) - (size_t)n, format, arguments);
	va_end(arguments);
	return path;
}

int text_replace(const char *path, const char *text, size_t length)
{
	char fresh[600];
	int fd, result = 0;
	ssize_t n;

	snprintf(fresh, sizeof(fresh), "%s.new", path);
	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return -errno;
	while (!result && length) {
		n = write(fd, text, length);
		if (n < 0 && errno != EINTR)
			result = -errno;
		if (n > 0) {
			text += n;
			length -= (size_t)n;
		}
	}
	if (!result && fsync(fd) && errno != EINVAL)
		result = -errno;
	close(fd);
	if (!result && rename(fresh, path))
		result = -errno;
	if (result)
		unlink(fresh);
	return result;
}

/*
 * The kernel takes such a text at once or not at all. Below another root so do we: files that
 * nobody may write stand for what a kernel refuses.
 */
int text_write(const char *root, const char *path, const char *text)
{
	size_t length = strlen(text);
	struct stat stat;
	int fd, result = 0;

	if (*root) {
		if (lstat(path, &stat))
			return -errno;
		return stat.st_mode & 0200 ? text_replace(path, text, length) : -EIO;
	}
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, length) < 0)
		result = -errno;
	close(fd);
	return result;
}

int list_read(const char *path, struct resch_cpus *cpus)
{
	char text[LIST_MAX];
	int result = read_text(path, text, sizeof(text));

	return result < 0 ? result : resch_cpus_parse(text, cpus);
}

int list_write(const char *root, const char *path, const struct resch_cpus *cpus)
{
	char text[LIST_MAX];

	resch_cpus_format(cpus, text, sizeof(text) - 1);
	return text_write(root, path, strcat(text, "\n"));
}

/* A bitmap in the kernel's way: "3" or "0000000f,ffffffff", 32 bits to a comma. */
int mask_parse(const char *text, struct resch_cpus *cpus)
{
	unsigned int bit = 0;
	size_t length = strlen(text);
	const char *at;
	int digit;

	if (!length)
		return -EINVAL;
	*cpus = (struct resch_cpus){};
	for (at = text + length - 1; at >= text; at--) {
		if (*at == ',')
			continue;
		if (*at >= '0' && *at <= '9')
			digit = *at - '0';
		else if (*at >= 'a' && *at <= 'f')
			digit = *at - 'a' + 10;
		else
			return -EINVAL;
		if (digit && bit >= RESCH_CPUS_MAX)
			return -ERANGE;
		if (digit)
			cpus->bits[bit / 64] |= (uint64_t)digit << (bit % 64);
		bit += 4;
	}
	return resch_cpus_count(cpus);
}

int mask_read(const char *path, struct resch_cpus *cpus)
{
	char text[LIST_MAX];
	int length = read_text(path, text, sizeof(text));

	return length < 0 ? length : mask_parse(text, cpus);
}

void mask_format(const struct resch_cpus *cpus, char *text)
{
	size_t length = 0;
	unsigned int word;
	int i;

	for (i = RESCH_CPUS_MAX / 32 - 1; i >= 0; i--) {
		word = (unsigned int)(cpus->bits[i / 2] >> (i % 2 * 32));
		if (length)
			length += (size_t)sprintf(text + length, ",%08x", word);
		else if (word || !i)
			length += (size_t)sprintf(text, "%x", word);
	}
}

int mask_write(const char *root, const char *path, const struct resch_cpus *cpus)
{
	char text[MASK_TEXT];

	mask_format(cpus, text);
	return text_write(root, path, strcat(text, "\n"));
}

int machine_cpus(const char *root, const char *which, struct resch_cpus *cpus)
{
	return list_read(machine_path(root, "/sys/devices/system/cpu/%s", which), cpus);
}

/* ---- interrupts ------------------------------------------------------------------------------ */

int interrupt_get(const char *root, uint64_t irq, struct resch_cpus *cpus)
{
	return list_read(machine_path(root, "/proc/irq/%llu/smp_affinity_list",
				      (unsigned long long)irq),
			 cpus);
}

int interrupt_set(const char *root, uint64_t irq, const struct resch_cpus *cpus)
{
	return list_write(root,
			  machine_path(root, "/proc/irq/%llu/smp_affinity_list",
				       (unsigned long long)irq),
			  cpus);
}

int interrupt_effective(const char *root, uint64_t irq, struct resch_cpus *cpus)
{
	return list_read(machine_path(root, "/proc/irq/%llu/effective_affinity_list",
				      (unsigned long long)irq),
			 cpus);
}

/* Each device that uses an interrupt has a folder there. */
const char *interrupt_name(const char *root, uint64_t irq)
{
	static char name[64];
	struct dirent *entry;
	DIR *dir;

	*name = 0;
	dir = opendir(machine_path(root, "/proc/irq/%llu", (unsigned long long)irq));
	while (dir && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%.60s", entry->d_name);
		text_clean(name);
		break;
	}
	if (dir)
		closedir(dir);
	return name;
}

int each_interrupt(const char *root, void (*call)(void *arg, uint64_t irq), void *arg)
{
	DIR *dir = opendir(machine_path(root, "/proc/irq"));
	struct dirent *entry;
	uint64_t irq;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		if (!number_parse(entry->d_name, UINT32_MAX, &irq))
			call(arg, irq);
	}
	closedir(dir);
	return 0;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* From /proc/TID/stat: the name is in parentheses, and may have some itself. */
static int parse_stat(const char *text, struct thread *thread)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	int ppid, cpu;
	unsigned int policy;
	unsigned long long start;

	if (!open || !close || close < open)
		return -EINVAL;
	snprintf(thread->comm, sizeof(thread->comm), "%.*s", (int)(close - open - 1), open + 1);
	text_clean(thread->comm);
	if (sscanf(close + 1,
		   " %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu "
		   "%*u %*d %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %d %*u %u",
		   &thread->run, &ppid, &thread->flags, &start, &cpu, &policy) != 6)
		return -EINVAL;
	thread->ppid = ppid;
	thread->cpu = cpu;
	thread->policy = (int)policy;
	thread->start = start;
	return 0;
}

static const char *line_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? at + strlen(key) : NULL;
}

static uint64_t switches_of(const char *status)
{
	const char *yielded = line_of(status, "\nvoluntary_ctxt_switches:");
	const char *forced = line_of(status, "\nnonvoluntary_ctxt_switches:");

	return (yielded ? strtoull(yielded, NULL, 10) : 0) +
	       (forced ? strtoull(forced, NULL, 10) : 0);
}

int thread_read(const char *root, pid_t tgid, pid_t tid, struct thread *thread)
{
	char text[8192], list[LIST_MAX];
	const char *allowed;
	int result;

	*thread = (struct thread){ .tid = tid, .tgid = tgid };
	result = read_text(machine_path(root, "/proc/%d/task/%d/stat", tgid, tid), text,
			   sizeof(text));
	if (result < 0)
		return result;
	result = parse_stat(text, thread);
	if (result)
		return result;
	result = read_text(machine_path(root, "/proc/%d/task/%d/status", tgid, tid), text,
			   sizeof(text));
	if (result < 0)
		return result;
	allowed = line_of(text, "\nCpus_allowed_list:\t");
	if (!allowed)
		return -EINVAL;
	snprintf(list, sizeof(list), "%.*s", (int)strcspn(allowed, "\n"), allowed);
	thread->switches = switches_of(text);
	result = resch_cpus_parse(list, &thread->allowed);
	return result < 0 ? result : 0;
}

/* Below another root there is no kernel to ask: change the line that it would show. */
static int thread_set_copy(const char *path, const struct resch_cpus *cpus)
{
	char text[8192], after[8192 + LIST_MAX], list[LIST_MAX];
	const char *line;
	int result = read_text(path, text, sizeof(text));

	if (result < 0)
		return result;
	line = line_of(text, "\nCpus_allowed_list:\t");
	if (!line)
		return -EINVAL;
	resch_cpus_format(cpus, list, sizeof(list));
	snprintf(after, sizeof(after), "%.*s%s%s\n", (int)(line - text), text, list,
		 line + strcspn(line, "\n"));
	return text_write("/", path, after);
}

/*
 * Who had all CPUs there may be gets all that can be named: since 6.2 the kernel remembers what was
 * asked for, and a task that asked for today's CPUs would not get those that its cpuset gains
 * later.
 */
int thread_set(const char *root, const struct thread *thread, const struct resch_cpus *cpus)
{
	struct resch_cpus possible;
	struct thread now;
	cpu_set_t set;
	int result;

	_Static_assert(sizeof(set) == sizeof(*cpus), "both have 1024 bits");
	/* The number may be another thread's by now. */
	result = thread_read(root, thread->tgid, thread->tid, &now);
	if (result)
		return result;
	if (now.start != thread->start)
		return -ESRCH;
	/* The kernel knows no exchange: what comes after this look is lost. */
	if (!cpus_equal(&now.allowed, &thread->allowed))
		return -EAGAIN;
	if (*root)
		return now.flags & PF_NO_SETAFFINITY ?
			       -EINVAL :
			       thread_set_copy(machine_path(root, "/proc/%d/task/%d/status",
							    thread->tgid, thread->tid),
					       cpus);
	memcpy(&set, cpus, sizeof(set));
	if (machine_cpus(root, "possible", &possible) > 0 && cpus_equal(cpus, &possible))
		memset(&set, 0xff, sizeof(set));
	return sched_setaffinity(thread->tid, sizeof(set), &set) ? -errno : 0;
}

static void each_of_process(const char *root, pid_t tgid,
			    void (*call)(void *arg, const struct thread *thread), void *arg)
{
	DIR *dir = opendir(machine_path(root, "/proc/%d/task", tgid));
	struct thread thread;
	pid_t tid;

	while (dir && (tid = threads_next(dir))) {
		if (!thread_read(root, tgid, tid, &thread))
			call(arg, &thread);
	}
	if (dir)
		closedir(dir);
}

int each_thread(const char *root, void (*call)(void *arg, const struct thread *thread), void *arg)
{
	DIR *dir = opendir(machine_path(root, "/proc"));
	pid_t pid;

	if (!dir)
		return -errno;
	while ((pid = threads_next(dir)))
		each_of_process(root, pid, call, arg);
	closedir(dir);
	return 0;
}
