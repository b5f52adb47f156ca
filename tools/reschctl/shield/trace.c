// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace.c - an instance of the kernel's tracer: events, fields, pages of its ring buffer
 *
 * The layout of pages and records is what the kernel itself describes: events/header_page,
 * events/header_event and each event's format file.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "watch.h"

#define PREFIX "resch-watch-"
#define PAGE_MAX 65536

/* ---- files ----------------------------------------------------------------------------------- */

static int trace_write(const struct trace *trace, const char *name, const char *text)
{
	char path[400];
	int fd, result = 0;

	snprintf(path, sizeof(path), "%s/%s", trace->path, name);
	/* Below another root there need not be each of these. */
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return *trace->root ? 0 : -errno;
	if (write(fd, text, strlen(text)) < 0)
		result = -errno;
	close(fd);
	return result;
}

/* The kernel's mask files take words of 32 bits. */
static int write_mask(const struct trace *trace, const char *name, const struct resch_cpus *cpus)
{
	char text[RESCH_CPUS_MAX / 4 + RESCH_CPUS_MAX / 32 + 8], *at = text;
	bool begun = false;
	int i;

	for (i = RESCH_CPUS_MAX / 32 - 1; i >= 0; i--) {
		unsigned int word = (unsigned int)(cpus->bits[i / 2] >> (i % 2 * 32));

		if (begun || word || !i)
			at += sprintf(at, begun ? ",%08x" : "%x", word);
		begun |= word;
	}
	return trace_write(trace, name, text);
}

/* Where tracefs is; it is mounted where nobody has. NULL: there is none */
static const char *tracing(const char *root)
{
	if (!access(machine_path(root, "/sys/kernel/tracing/instances"), F_OK))
		return "/sys/kernel/tracing";
	if (!*root && !mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL))
		return "/sys/kernel/tracing";
	if (!access(machine_path(root, "/sys/kernel/debug/tracing/instances"), F_OK))
		return "/sys/kernel/debug/tracing";
	return NULL;
}

/* ---- the instance ---------------------------------------------------------------------------- */

static int read_layout(struct trace *trace)
{
	char path[400], text[4096];
	const char *at;

	snprintf(path, sizeof(path), "%s/events/header_page", trace->path);
	if (read_text(path, text, sizeof(text)) <= 0)
		return -EIO;
	at = strstr(text, " commit;");
	if (!at || sscanf(at, " commit; offset:%*u; size:%u", &trace->commit) != 1)
		return -EPROTO;
	at = strstr(text, " data;");
	if (!at || sscanf(at, " data; offset:%u", &trace->data) != 1)
		return -EPROTO;
	if ((trace->commit != 4 && trace->commit != 8) || trace->data != 8 + trace->commit)
		return -EPROTO;
	return 0;
}

static int open_buffers(struct trace *trace, unsigned int kb)
{
	char name[400], text[32];
	unsigned int cpu;
	int result;

	/* An instance begins with a buffer of more than a megabyte for each CPU of the machine. */
	result = trace_write(trace, "buffer_size_kb", "8");
	if (!result)
		result = write_mask(trace, "tracing_cpumask", &trace->cpus);
	snprintf(text, sizeof(text), "%u", kb);
	for (cpu = 0; !result && cpu < RESCH_CPUS_MAX; cpu++) {
		if (!resch_cpus_has(&trace->cpus, cpu))
			continue;
		snprintf(name, sizeof(name), "per_cpu/cpu%u/buffer_size_kb", cpu);
		result = trace_write(trace, name, text);
		snprintf(name, sizeof(name), "%s/per_cpu/cpu%u/trace_pipe_raw", trace->path, cpu);
		trace->fds[cpu] = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (!result && trace->fds[cpu] < 0)
			result = -errno;
	}
	return result;
}

int trace_make(struct trace *trace, const char *root, const char *suffix,
	       const struct resch_cpus *cpus, unsigned int kb)
{
	const char *folder = tracing(root);
	unsigned int cpu;
	int result;

	*trace = (struct trace){ .root = root, .cpus = *cpus };
	for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++)
		trace->fds[cpu] = -1;
	if (!folder)
		return -ENOENT;
	/* Below another root the instance is there, with records in it. */
	if (*root)
		snprintf(trace->path, sizeof(trace->path), "%s",
			 machine_path(root, "%s/instances/" PREFIX "%s", folder, suffix));
	else
		snprintf(trace->path, sizeof(trace->path), "%s/instances/" PREFIX "%d-%s", folder,
			 getpid(), suffix);
	if (mkdir(trace->path, 0750) && errno != EEXIST) {
		*trace->path = 0;
		return -errno;
	}
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

	if (!*trace->path)
		return;
	trace_write(trace, "events/enable", "0");
	for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
		if (trace->fds[cpu] >= 0)
			close(trace->fds[cpu]);
		trace->fds[cpu] = -1;
	}
	if (!*trace->root)
		rmdir(trace->path);
	*trace->path = 0;
}

void trace_sweep(const char *root)
{
	const char *folder = tracing(root);
	struct dirent *entry;
	DIR *dir;
	int pid;

	if (*root || !folder)
		return;
	dir = opendir(machine_path(root, "%s/instances", folder));
	while (dir && (entry = readdir(dir))) {
		if (sscanf(entry->d_name, PREFIX "%d-", &pid) == 1 &&
		    access(machine_path(root, "/proc/%d", pid), F_OK))
			rmdir(machine_path(root, "%s/instances/%s", folder, entry->d_name));
	}
	if (dir)
		closedir(dir);
}

int trace_on(const struct trace *trace, bool on)
{
	return trace_write(trace, "tracing_on", on ? "1" : "0");
}

/* ---- events ---------------------------------------------------------------------------------- */

/* "	field:char next_comm[16];	offset:40;	size:16;	signed:0;" */
static struct trace_field find_field(const char *format, const char *name)
{
	struct trace_field field = {};
	size_t length = strlen(name);
	const char *at = format, *end;

	while ((at = strstr(at, "field:"))) {
		at += strlen("field:");
		end = strchr(at, ';');
		if (!end)
			break;
		if (memchr(at, '[', (size_t)(end - at)) && end[-1] == ']') {
			while (*end != '[')
				end--;
		}
		if (end - at > (ptrdiff_t)length && strchr(" *", end[-(ptrdiff_t)length - 1]) &&
		    !strncmp(end - length, name, length)) {
			at = strchr(end, ';');
			if (sscanf(at, "; offset:%u; size:%u", &field.offset, &field.size) != 2)
				field.size = 0;
			break;
		}
	}
	return field;
}

int trace_load(const struct trace *trace, struct trace_event *event)
{
	char path[400], text[8192];
	const char *at;
	int result;
	size_t i;

	event->id = 0;
	snprintf(path, sizeof(path), "%s/events/%s/%s/format", trace->path, event->system,
		 event->name);
	result = read_text(path, text, sizeof(text));
	if (result < 0)
		return result;
	at = strstr(text, "\nID: ");
	if (!at)
		return -EPROTO;
	event->id = (unsigned int)strtoul(at + 5, NULL, 10);
	for (i = 0; i < TRACE_FIELDS && event->fields[i]; i++)
		event->at[i] = find_field(text, event->fields[i]);
	return 0;
}

int trace_filter(const struct trace *trace, const struct trace_event *event, const char *filter)
{
	char name[160];

	snprintf(name, sizeof(name), "events/%s/%s/filter", event->system, event->name);
	return trace_write(trace, name, filter);
}

int trace_enable(const struct trace *trace, const struct trace_event *event)
{
	char name[160];

	snprintf(name, sizeof(name), "events/%s/%s/enable", event->system, event->name);
	return trace_write(trace, name, "1");
}

/* ---- pages ----------------------------------------------------------------------------------- */

/*
 * Types of a header's low five bits; others are a length in words. The time is the upper 27 bits.
 */
#define TYPE_PADDING 29
#define TYPE_EXTEND 30
#define TYPE_STAMP 31
#define TIME_BITS 27
#define STAMP_BITS 59 /* an absolute time has no more */
/* In a page's length. */
#define MISSED 0x80000000U
#define LENGTH_MASK 0x3fffffffU

static uint32_t word_at(const unsigned char *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static void take(unsigned int cpu, uint64_t time, const unsigned char *data, size_t size,
		 void (*call)(void *arg, const struct record *record), void *arg)
{
	struct record record = { .cpu = cpu, .time = time, .data = data, .size = size };
	uint16_t id;

	if (size < 8)
		return;
	memcpy(&id, data, sizeof(id));
	record.id = id;
	record.pid = (pid_t)word_at(data + 4);
	call(arg, &record);
}

static void take_page(unsigned int cpu, uint64_t time, const unsigned char *at, size_t left,
		      void (*call)(void *arg, const struct record *record), void *arg)
{
	uint32_t type, delta;
	size_t size;

	while (left >= 4) {
		type = word_at(at) & 31;
		delta = word_at(at) >> 5;
		size = 4;
		if (type == 0 || type >= TYPE_PADDING) {
			if (left < 8 || (type == TYPE_PADDING && !delta))
				return;
			size = 8;
		}
		switch (type) {
		case TYPE_EXTEND:
			time += delta + ((uint64_t)word_at(at + 4) << TIME_BITS);
			break;
		case TYPE_STAMP:
			time = (time >> STAMP_BITS << STAMP_BITS) |
			       (delta + ((uint64_t)word_at(at + 4) << TIME_BITS));
			break;
		case TYPE_PADDING:
			time += delta;
			size = 4 + (size_t)word_at(at + 4);
			break;
		case 0:
			time += delta;
			size = 4 + (size_t)word_at(at + 4);
			if (size <= left && size >= 8)
				take(cpu, time, at + 8, size - 8, call, arg);
			break;
		default:
			time += delta;
			size = 4 + 4 * (size_t)type;
			if (size <= left)
				take(cpu, time, at + 4, size - 4, call, arg);
		}
		size = (size + 3) & ~(size_t)3;
		if (size > left || size < 4)
			return;
		at += size;
		left -= size;
	}
}

int trace_read(struct trace *trace, unsigned int cpu,
	       void (*call)(void *arg, const struct record *record),
	       void (*lost)(void *arg, unsigned int cpu), void *arg)
{
	static unsigned char page[PAGE_MAX];
	uint64_t time;
	uint32_t length;
	ssize_t n;

	for (;;) {
		n = read(trace->fds[cpu], page, *trace->root ? 4096 : sizeof(page));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		if ((size_t)n < trace->data)
			return 0;
		memcpy(&time, page, sizeof(time));
		length = word_at(page + 8);
		if (length & MISSED) {
			trace->lost++;
			if (lost)
				lost(arg, cpu);
		}
		length &= LENGTH_MASK;
		if (length > (size_t)n - trace->data)
			length = (uint32_t)((size_t)n - trace->data);
		take_page(cpu, time, page + trace->data, length, call, arg);
	}
}

/* ---- fields ---------------------------------------------------------------------------------- */

uint64_t trace_number(const struct record *record, struct trace_field field)
{
	uint64_t number = 0;

	if (field.size > sizeof(number) || (size_t)field.offset + field.size > record->size)
		return 0;
	memcpy(&number, record->data + field.offset, field.size);
	return number;
}

/* A field of variable length says where it is: the offset in 16 bits, then the length. */
static bool find_variable(const struct record *record, struct trace_field *field)
{
	uint32_t where;

	if (field->size != 4 || (size_t)field->offset + 4 > record->size)
		return false;
	where = word_at(record->data + field->offset);
	field->offset = where & 0xffff;
	field->size = where >> 16;
	return (size_t)field->offset + field->size <= record->size;
}

const char *trace_text(const struct record *record, struct trace_field field, char *text,
		       size_t size)
{
	*text = 0;
	if (field.size == 4 && !find_variable(record, &field))
		return text;
	if ((size_t)field.offset + field.size > record->size)
		return text;
	snprintf(text, size, "%.*s", (int)field.size, (const char *)record->data + field.offset);
	text_clean(text);
	return text;
}

void trace_cpumask(const struct record *record, struct trace_field field, struct resch_cpus *cpus)
{
	*cpus = (struct resch_cpus){};
	if (!find_variable(record, &field))
		return;
	memcpy(cpus->bits, record->data + field.offset,
	       field.size < sizeof(cpus->bits) ? field.size : sizeof(cpus->bits));
}

/* ---- symbols --------------------------------------------------------------------------------- */

/** struct kallsym - a function; the table is in the order of addresses */
struct kallsym {
	uint64_t address;
	size_t name; /* in the pool */
};

static struct {
	struct kallsym *table;
	char *pool;
	size_t count, room, used, size;
} kallsyms;

static int by_address(const void *a, const void *b)
{
	const struct kallsym *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static bool kallsym_add(uint64_t address, const char *name, size_t length)
{
	void *more;

	if (kallsyms.count == kallsyms.room) {
		kallsyms.room = kallsyms.room ? 2 * kallsyms.room : 65536;
		more = reallocarray(kallsyms.table, kallsyms.room, sizeof(struct kallsym));
		if (!more)
			return false;
		kallsyms.table = more;
	}
	if (kallsyms.used + length + 1 > kallsyms.size) {
		kallsyms.size = kallsyms.size ? 2 * kallsyms.size : 1 << 20;
		more = realloc(kallsyms.pool, kallsyms.size);
		if (!more)
			return false;
		kallsyms.pool = more;
	}
	memcpy(kallsyms.pool + kallsyms.used, name, length);
	kallsyms.pool[kallsyms.used + length] = 0;
	kallsyms.table[kallsyms.count++] = (struct kallsym){ address, kallsyms.used };
	kallsyms.used += length + 1;
	return true;
}

void symbols_load(const char *root)
{
	FILE *file = fopen(machine_path(root, "/proc/kallsyms"), "re");
	char line[512], *at, *tab;
	uint64_t address;

	while (file && fgets(line, sizeof(line), file)) {
		/* "ffffffffc0001000 t name	[module]" */
		address = strtoull(line, &at, 16);
		if (!address || *at != ' ' || !strchr("tTwW", at[1]) || at[2] != ' ')
			continue;
		tab = strchr(at, '\t');
		if (tab)
			*tab = ' ';
		if (!kallsym_add(address, at + 3, strcspn(at + 3, "\n")))
			break;
	}
	if (file)
		fclose(file);
	if (kallsyms.count)
		qsort(kallsyms.table, kallsyms.count, sizeof(struct kallsym), by_address);
}

void symbols_free(void)
{
	free(kallsyms.table);
	free(kallsyms.pool);
	memset(&kallsyms, 0, sizeof(kallsyms));
}

void symbol_find(struct symbol *symbol)
{
	size_t low = 0, high = kallsyms.count, middle;

	if (!symbol->address || *symbol->name)
		return;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (kallsyms.table[middle].address <= symbol->address)
			low = middle + 1;
		else
			high = middle;
	}
	/* A megabyte beyond the last function is none of its code. */
	if (low && symbol->address - kallsyms.table[low - 1].address < 1 << 20)
		snprintf(symbol->name, sizeof(symbol->name), "%.*s", (int)sizeof(symbol->name) - 1,
			 kallsyms.pool + kallsyms.table[low - 1].name);
	else
		snprintf(symbol->name, sizeof(symbol->name), "0x%llx",
			 (unsigned long long)symbol->address);
}
