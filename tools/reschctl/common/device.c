// SPDX-License-Identifier: GPL-2.0-or-later
/* device.c - the device and what it says */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reschctl.h"
#include "words.h"

int device_open(void)
{
	int fd = resch_open();

	if (fd < 0) {
		fail("%s", resch_open_reason(fd));
		return -1;
	}
	return fd;
}

const char *error_text(int error)
{
	const char *missing;

	switch (error < 0 ? -error : error) {
	case EPERM:
		missing = rights_missing();
		return missing ? missing : "not permitted: it is another user's, or root's alone";
	case ENOTTY:
		return "the loaded module does not know this call: it is older than reschctl";
	case E2BIG:
		return "the loaded module does not know all of this request: it is older than reschctl";
	case EAGAIN:
		return "a plugin is being thrown out of this domain just now: try again";
	default:
		return strerror(error < 0 ? -error : error);
	}
}

static const char *not_permitted(const struct resch_register *reg)
{
	const char *missing = rights_missing();
	cpu_set_t cpus;

	if (missing)
		return missing;
	if (reg->params.cpu >= 0 && !sched_getaffinity(reg->pid, sizeof(cpus), &cpus) &&
	    !CPU_ISSET((size_t)reg->params.cpu, &cpus))
		return "not permitted: a container has the CPUs of its cpuset, and the thread's affinity lacks this "
		       "one: `taskset -c CPU` first, or another cpuset";
	return "not permitted: the thread is another user's, and you may not signal it: become that user, or root";
}

const char *refusal_text(int error, const struct resch_register *reg)
{
	static char text[RESCH_VERDICT_TEXT + 128];
	char why[RESCH_VERDICT_TEXT];

	switch (-error) {
	case EBUSY:
		verdict_words_of(reg->domain, &reg->verdict, why, sizeof(why));
		snprintf(text, sizeof(text), "refused: %s", why);
		break;
	case ENODEV:
		if (reg->params.cpu >= 0)
			snprintf(
				text, sizeof(text),
				"CPU %d is in no domain, or not in the one asked for: see `reschctl domain list`, make "
				"one with `reschctl domain set %d --plugin edf`",
				reg->params.cpu, reg->params.cpu);
		else
			snprintf(
				text, sizeof(text),
				"there is no such domain: make one with `reschctl domain set CPUS --plugin edf`");
		break;
	case EEXIST:
		return "the thread is registered already: see `reschctl tasks`";
	case ESRCH:
		return "the thread has ended";
	case EOPNOTSUPP:
		return "this kernel does not export task_work_add, so threads can only register themselves: use "
		       "`reschctl run` without --thread and --config";
	case EPERM:
		return not_permitted(reg);
	case ENOSPC:
		return "there are as many tasks in the server, or releases a second, as were delegated: see `reschctl "
		       "server list --json`";
	case EINVAL:
		if (reg->params.group)
			return "a parameter is out of range, the thread is under SCHED_DEADLINE, or the domain has no "
			       "such group or server for tasks, or not on that CPU";
		return "a parameter is out of range, the thread is under SCHED_DEADLINE, or the domain's plugin wants "
		       "a --group: see `reschctl server list`";
	default:
		return error_text(error);
	}
	return text;
}

int domain_of_cpu(int fd, unsigned int cpu, struct resch_domain_stat *stat)
{
	int result;

	*stat = (struct resch_domain_stat){};
	while ((result = resch_domain_next(fd, stat)) > 0) {
		if (resch_cpus_has(&stat->cpus, cpu))
			return (int)stat->domain;
	}
	return result;
}

int plugin_split(const char *text, struct resch_domain_set *want)
{
	size_t length = strcspn(text, ":");
	const char *options = text[length] ? text + length + 1 : "";

	if (!length || length >= sizeof(want->plugin)) {
		fail("'%s': a plugin's name has 1 to %zu characters", text,
		     sizeof(want->plugin) - 1);
		return -EINVAL;
	}
	if (strlen(options) >= sizeof(want->options)) {
		fail("'%s': options of a plugin have at most %zu characters", options,
		     sizeof(want->options) - 1);
		return -EINVAL;
	}
	memset(want->plugin, 0, sizeof(want->plugin));
	memset(want->options, 0, sizeof(want->options));
	memcpy(want->plugin, text, length);
	memcpy(want->options, options, strlen(options));
	return 0;
}

/*
 * Say which of them are not, and which are. Return: true: all are, or that is not to be found out
 */
static bool cpus_online(const struct resch_cpus *cpus)
{
	struct resch_cpus online, absent = {};
	char text[1024];
	size_t i;
	int count;

	if (read_text("/sys/devices/system/cpu/online", text, sizeof(text)) <= 0 ||
	    resch_cpus_parse(text, &online) <= 0)
		return true;
	for (i = 0; i < RESCH_CPUS_MAX / 64; i++)
		absent.bits[i] = cpus->bits[i] & ~online.bits[i];
	count = resch_cpus_count(&absent);
	if (count <= 0)
		return true;
	fail("CPU%s %s %s not online; those that are: %s", count > 1 ? "s" : "", cpus_text(&absent),
	     count > 1 ? "are" : "is", cpus_text(&online));
	return false;
}

/* A CPU of @cpus that another domain has: say which, and whose. Return: whether there is one */
static bool cpus_taken(int fd, const struct resch_cpus *cpus)
{
	struct resch_domain_stat stat;
	unsigned int cpu;

	for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
		if (!resch_cpus_has(cpus, cpu) || domain_of_cpu(fd, cpu, &stat) <= 0)
			continue;
		fail("CPU %u is in domain %u (%.*s): see `reschctl domain list`", cpu, stat.domain,
		     RESCH_NAME_LEN, stat.plugin);
		return true;
	}
	return false;
}

int domain_apply(int fd, struct resch_domain_set *want)
{
	struct resch_domain_stat standing;
	char why[RESCH_VERDICT_TEXT];
	int result = resch_domain_set(fd, want);

	switch (-result) {
	case 0:
		break;
	case EBUSY:
		if (want->verdict.bound != RESCH_BOUND_NONE) {
			verdict_words(want->plugin, &want->verdict, why, sizeof(why));
			fail("plugin %s refuses the standing tasks, so nothing has changed: %s",
			     want->plugin, why);
		} else if (!cpus_taken(fd, &want->cpus)) {
			fail("a CPU of %s is in another domain: see `reschctl domain list`",
			     cpus_text(&want->cpus));
		}
		break;
	case ENOENT:
		if (want->domain && resch_domain_stat(fd, want->domain, &standing))
			fail("there is no domain %u: see `reschctl domain list`", want->domain);
		else
			fail("there is no plugin %s: no module resch-%s is installed; `reschctl plugin list` shows what "
			     "is loaded",
			     want->plugin, want->plugin);
		break;
	case ENODEV:
		if (want->domain)
			fail("there is no domain %u: see `reschctl domain list`", want->domain);
		else if (cpus_online(&want->cpus))
			fail("CPUs %s are not all online", cpus_text(&want->cpus));
		break;
	case EINVAL:
		if (!want->domain && !cpus_online(&want->cpus))
			break;
		words_unit(want->options, why, sizeof(why));
		if (want->options[0])
			fail("plugin %s does not take the options '%s'%s", want->plugin,
			     want->options, why);
		else
			fail("capacity or overhead are out of range");
		break;
	default:
		fail("domain: %s", error_text(result));
	}
	return result;
}

int share_parse(const char *text, uint32_t *ppm)
{
	double value;
	char *end;

	value = strtod(text, &end);
	if (end == text || !(value > 0))
		return -EINVAL;
	if (!strcmp(end, "%"))
		value *= 10000;
	else if (*end)
		return -EINVAL;
	else if (strchr(text, '.'))
		value *= 1000000;
	if (value < 1 || value > 1000000)
		return -EINVAL;
	*ppm = (uint32_t)(value + 0.5);
	return 0;
}

int number_parse(const char *text, uint64_t max, uint64_t *number)
{
	unsigned long long value;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || value > max)
		return -EINVAL;
	*number = value;
	return 0;
}

int read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t n = 0;

	*text = 0;
	if (fd < 0)
		return -errno;
	while (length + 1 < size && (n = read(fd, text + length, size - 1 - length)) > 0)
		length += (size_t)n;
	if (n < 0)
		n = -errno;
	close(fd);
	text[length] = 0;
	if (n < 0)
		return (int)n;
	while (length && text[length - 1] == '\n')
		text[--length] = 0;
	return (int)length;
}

DIR *threads_open(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return opendir(path);
}

pid_t threads_next(DIR *dir)
{
	struct dirent *entry;
	uint64_t id;

	while ((entry = readdir(dir))) {
		if (!number_parse(entry->d_name, INT32_MAX, &id))
			return (pid_t)id;
	}
	return 0;
}

const char *thread_name(const struct resch_task_stat *stat)
{
	static char name[32];
	char path[64];

	if (stat->params.name[0]) {
		snprintf(name, sizeof(name), "%.*s", RESCH_NAME_LEN, stat->params.name);
		text_clean(name);
		return name;
	}
	snprintf(path, sizeof(path), "/proc/%d/comm", stat->pid);
	if (stat->pid <= 0 || read_text(path, name, sizeof(name)) <= 0)
		snprintf(name, sizeof(name), "-");
	text_clean(name);
	return name;
}

struct json_object *task_json(const struct resch_task_stat *stat)
{
	struct json_object *task = json_object_new_object();
	const struct resch_task_params *params = &stat->params;

	json_add(task, "id", json_object_new_int64(stat->id));
	json_add_text(task, "name", thread_name(stat));
	json_add(task, "pid", json_object_new_int(stat->pid));
	json_add(task, "cpu", json_object_new_int(stat->cpu));
	json_add(task, "domain", json_object_new_int64(stat->domain));
	json_add_text(task, "state", resch_state_name(stat->state));
	json_add_text(task, "kind", resch_kind_name(params->kind));
	json_add_time(task, "runtime", params->wcet);
	json_add_time(task, "period", params->period);
	json_add_time(task, "deadline", params->deadline ? params->deadline : params->period);
	json_add_time(task, "offset", params->offset);
	json_add(task, "priority", json_object_new_int64(params->priority));
	json_add_text(task, "overrun", resch_react_name(params->overrun));
	json_add_text(task, "miss", resch_react_name(params->miss));
	json_add_number(task, "job", stat->job);
	json_add_time(task, "job_release", stat->release);
	json_add_time(task, "job_deadline", stat->deadline);
	json_add_number(task, "completed", stat->completed);
	json_add_number(task, "misses", stat->misses);
	json_add_number(task, "overruns", stat->overruns);
	json_add_number(task, "skipped", stat->skipped);
	json_add_number(task, "preemptions", stat->preemptions);
	json_add_number(task, "migrations", stat->migrations);
	json_add_number(task, "escalations", stat->escalations);
	json_add_time(task, "exec_total", stat->exec_total);
	json_add_time(task, "exec_max", stat->exec_max);
	json_add_time(task, "response_min", stat->response_min);
	json_add_time(task, "response_avg",
		      stat->completed ? stat->response_total / stat->completed : 0);
	json_add_time(task, "response_max", stat->response_max);
	json_add_time(task, "tardiness_max", stat->tardiness_max);
	return task;
}

struct json_object *domain_json(const struct resch_domain_stat *stat)
{
	struct json_object *domain = json_object_new_object();

	json_add(domain, "id", json_object_new_int64(stat->domain));
	json_add_text(domain, "cpus", cpus_text(&stat->cpus));
	json_add_text(domain, "plugin", stat->plugin);
	json_add_text(domain, "options", stat->options);
	json_add(domain, "capacity", json_object_new_int64(stat->capacity));
	json_add_time(domain, "overhead", stat->overhead);
	json_add(domain, "tasks", json_object_new_int64(stat->tasks));
	json_add_number(domain, "swaps", stat->swaps);
	json_add_number(domain, "decisions", stat->decisions);
	json_add(domain, "ejections", json_object_new_int64(stat->ejections));
	if (stat->ejections) {
		json_add_text(domain, "eject_plugin", stat->eject_plugin);
		json_add_text(domain, "eject_reason", stat->eject_reason);
	}
	return domain;
}

void task_table_begin(struct table *table)
{
	static const char *const headings[] = {
		">ID",	    "NAME",	 ">PID",      ">CPU",	   "STATE", ">RUNTIME",
		">PERIOD",  ">DEADLINE", ">JOBS",     ">MISS",	   ">OVER", ">SKIP",
		">PREEMPT", ">RESP AVG", ">RESP MAX", ">EXEC MAX", NULL,
	};

	table_begin(table, headings);
}

void task_times_add(struct table *table, const struct resch_task_stat *stat)
{
	table_add(table, "%s",
		  stat->completed ? time_short(stat->response_total / stat->completed) : "-");
	table_add(table, "%s", stat->completed ? time_short(stat->response_max) : "-");
	table_add(table, "%s", stat->completed ? time_short(stat->exec_max) : "-");
}

void task_table_add(struct table *table, const struct resch_task_stat *stat)
{
	const struct resch_task_params *params = &stat->params;

	table_add(table, "%u", stat->id);
	table_add(table, "%s", thread_name(stat));
	table_add(table, "%d", stat->pid);
	table_add(table, "%d", stat->cpu);
	table_add(table, "%s", resch_state_name(stat->state));
	table_add(table, "%s", time_text(params->wcet));
	table_add(table, "%s", time_text(params->period));
	table_add(table, "%s", time_text(params->deadline ? params->deadline : params->period));
	table_add(table, "%llu", (unsigned long long)stat->completed);
	table_add(table, "%llu", (unsigned long long)stat->misses);
	table_add(table, "%llu", (unsigned long long)stat->overruns);
	table_add(table, "%llu", (unsigned long long)stat->skipped);
	table_add(table, "%llu", (unsigned long long)stat->preemptions);
	task_times_add(table, stat);
}
