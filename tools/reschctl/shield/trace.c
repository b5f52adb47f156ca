// SPDX-License-Identifier: GPL-2.0-or-later
/* trace.c - an instance of the kernel's tracer, by libtracefs and libtraceevent */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "watch.h"

#define PREFIX "resch-watch-"

/* What the libraries return says that it failed; why, if they know, is in errno. */
static int outcome(int result)
{
	if (result >= 0)
		return 0;
	return errno ? -errno : -EIO;
}

/* ---- the instance ---------------------------------------------------------------------------- */

/* Where tracefs is; it is mounted where nobody has. Return: whether there is any */
static bool tracing(const char *root)
{
	/* What is missing is told by us. */
	tracefs_set_loglevel(TEP_LOG_NONE);
	if (*root)
		tracefs_set_tracing_dir((char *)machine_path(root, "/sys/kernel/tracing"));
	return tracefs_tracing_dir();
}

static int read_layout(struct trace *trace)
{
	int length, result;
	char *text = tracefs_instance_file_read(NULL, "events/header_page", &length);

	if (!text)
		return -EIO;
	trace->formats = tep_alloc();
	result = trace->formats ? tep_parse_header_page(trace->formats, text, (unsigned long)length,
							sizeof(long)) :
				  -1;
	free(text);
	if (result < 0)
		return -EPROTO;
	tep_set_long_size(trace->formats, tep_get_header_page_size(trace->formats));
	trace->buffer = kbuffer_alloc(
		tep_get_header_page_size(trace->formats) == 8 ? KBUFFER_LSIZE_8 : KBUFFER_LSIZE_4,
		KBUFFER_ENDIAN_SAME_AS_HOST);
	return trace->buffer ? 0 : -ENOMEM;
}

static int open_buffers(struct trace *trace, unsigned int kb)
{
	cpu_set_t set;
	unsigned int cpu;
	int result;

	_Static_assert(sizeof(set) == sizeof(trace->cpus), "both have 1024 bits");
	memcpy(&set, &trace->cpus, sizeof(set));
	/* An instance begins with a buffer of more than a megabyte for each CPU of the machine. */
	result = outcome(tracefs_instance_set_buffer_size(trace->instance, 8, -1));
	if (!result)
		result = outcome(
			tracefs_instance_set_affinity_set(trace->instance, &set, sizeof(set)));
	for (cpu = 0; !result && cpu < RESCH_CPUS_MAX; cpu++) {
		if (!resch_cpus_has(&trace->cpus, cpu))
			continue;
		result = outcome(tracefs_instance_set_buffer_size(trace->instance, kb, (int)cpu));
		trace->files[cpu] = tracefs_cpu_open(trace->instance, (int)cpu, true);
		if (!result && !trace->files[cpu])
			result = outcome(-1);
	}
	return result;
}

int trace_make(struct trace *trace, const char *root, const char *suffix,
	       const struct resch_cpus *cpus, unsigned int kb)
{
	char name[64];
	int result;

	*trace = (struct trace){ .cpus = *cpus };
	errno = 0;
	if (!tracing(root))
		return errno ? -errno : -ENOENT;
	/* Below another root the instance is there, with records in it. */
	if (*root)
		snprintf(name, sizeof(name), PREFIX "%s", suffix);
	else
		snprintf(name, sizeof(name), PREFIX "%d-%s", getpid(), suffix);
	trace->instance = tracefs_instance_create(name);
	if (!trace->instance)
		return outcome(-1);
	result = trace_on(trace, false);
	if (!result)
		result = read_layout(trace);
	if (!result)
		result = open_buffers(trace, kb);
	if (result)
		trace_remove(trace);
	return result;
}

void trace_remove(struct trace *trace)
{
	unsigned int cpu;

	if (!trace->instance)
		return;
	tracefs_instance_file_write(trace->instance, "events/enable", "0");
	for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++)
		tracefs_cpu_close(trace->files[cpu]);
	tracefs_instance_destroy(trace->instance);
	tracefs_instance_free(trace->instance);
	if (trace->buffer)
		kbuffer_free(trace->buffer);
	tep_free(trace->formats);
	*trace = (struct trace){};
}

static int sweep_one(const char *name, void *arg)
{
	struct tracefs_instance *instance;
	int pid;

	(void)arg;
	if (sscanf(name, PREFIX "%d-", &pid) != 1 ||
	    !access(machine_path("", "/proc/%d", pid), F_OK))
		return 0;
	instance = tracefs_instance_alloc(NULL, name);
	if (instance)
		tracefs_instance_destroy(instance);
	tracefs_instance_free(instance);
	return 0;
}

void trace_sweep(const char *root)
{
	if (!*root && tracing(root))
		tracefs_instances_walk(sweep_one, NULL);
}

int trace_on(const struct trace *trace, bool on)
{
	return outcome(on ? tracefs_trace_on(trace->instance) : tracefs_trace_off(trace->instance));
}

/* ---- events ---------------------------------------------------------------------------------- */

int trace_load(const struct trace *trace, struct trace_event *event)
{
	struct tep_event *found;
	int length;
	size_t i;
	char *text;

	event->id = 0;
	text = tracefs_event_file_read(trace->instance, event->system, event->name, "format",
				       &length);
	if (!text)
		return -ENOENT;
	tep_parse_event(trace->formats, text, (unsigned long)length, event->system);
	free(text);
	/* What is printed of it we need not understand. */
	found = tep_find_event_by_name(trace->formats, event->system, event->name);
	if (!found)
		return -EPROTO;
	event->id = (unsigned int)found->id;
	for (i = 0; i < TRACE_FIELDS && event->fields[i]; i++)
		event->at[i] = tep_find_field(found, event->fields[i]);
	return 0;
}

static int event_write(const struct trace *trace, const struct trace_event *event, const char *file,
		       const char *text)
{
	return outcome(
		tracefs_event_file_write(trace->instance, event->system, event->name, file, text));
}

int trace_filter(const struct trace *trace, const struct trace_event *event, const char *filter)
{
	return event_write(trace, event, "filter", filter);
}

int trace_enable(const struct trace *trace, const struct trace_event *event)
{
	return event_write(trace, event, "enable", "1");
}

/* ---- records --------------------------------------------------------------------------------- */

/* @end: of what was read; no record is longer, whatever it says. */
static void read_page(struct trace *trace, unsigned int cpu, const char *end,
		      void (*call)(void *arg, const struct record *record), void *arg)
{
	struct record record = { .cpu = cpu };
	char *data;

	for (data = kbuffer_read_event(trace->buffer, &record.event.ts); data;
	     data = kbuffer_next_event(trace->buffer, &record.event.ts)) {
		record.event.data = data;
		record.event.size = kbuffer_event_size(trace->buffer);
		if (record.event.size < 8 || record.event.size > end - data)
			return;
		record.id = (unsigned int)tep_data_type(trace->formats, &record.event);
		record.pid = tep_data_pid(trace->formats, &record.event);
		call(arg, &record);
	}
}

int trace_read(struct trace *trace, unsigned int cpu,
	       void (*call)(void *arg, const struct record *record),
	       void (*lost)(void *arg, unsigned int cpu), void *arg)
{
	struct tracefs_cpu *file = trace->files[cpu];
	char *page;
	int n, result = 0;

	if (!file)
		return 0;
	page = malloc((size_t)tracefs_cpu_read_size(file));
	if (!page)
		return -ENOMEM;
	for (;;) {
		n = tracefs_cpu_read(file, page, true);
		if (n < 0 && errno == EINTR)
			continue;
		result = outcome(n);
		if (n <= 0 || kbuffer_load_subbuffer(trace->buffer, page) < 0 ||
		    kbuffer_start_of_data(trace->buffer) + kbuffer_subbuffer_size(trace->buffer) >
			    n)
			break;
		if (kbuffer_missed_events(trace->buffer)) {
			trace->lost++;
			if (lost)
				lost(arg, cpu);
		}
		read_page(trace, cpu, page + n, call, arg);
	}
	free(page);
	return result;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static bool inside(const struct record *record, size_t offset, size_t size)
{
	return offset + size <= (size_t)record->event.size;
}

uint64_t trace_number(const struct record *record, const struct tep_format_field *field)
{
	unsigned long long number;

	if (!field || !inside(record, (size_t)field->offset, (size_t)field->size) ||
	    tep_read_number_field((struct tep_format_field *)field, record->event.data, &number))
		return 0;
	return number;
}

/* Where a field's content is. NULL: it has none, or it is not in the record */
static const void *content(const struct record *record, const struct tep_format_field *field,
			   size_t *size)
{
	struct tep_record event = record->event;
	const char *at;
	int length;

	if (!field || !inside(record, (size_t)field->offset, (size_t)field->size))
		return NULL;
	at = tep_get_field_raw(NULL, field->event, field->name, &event, &length, 0);
	if (!at || length < 0 ||
	    !inside(record, (size_t)(at - (const char *)event.data), (size_t)length))
		return NULL;
	*size = (size_t)length;
	return at;
}

const char *trace_text(const struct record *record, const struct tep_format_field *field,
		       char *text, size_t size)
{
	size_t length = 0;
	const char *at = content(record, field, &length);

	snprintf(text, size, "%.*s", (int)length, at ? at : "");
	text_clean(text);
	return text;
}

void trace_cpumask(const struct record *record, const struct tep_format_field *field,
		   struct resch_cpus *cpus)
{
	size_t size = 0;
	const void *at = content(record, field, &size);

	*cpus = (struct resch_cpus){};
	if (at)
		memcpy(cpus->bits, at, size < sizeof(cpus->bits) ? size : sizeof(cpus->bits));
}
