// SPDX-License-Identifier: GPL-2.0-or-later
/* probe.c - the programs in the kernel: what they need, loading, letting go */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "events.h"
#include "reschtop.skel.h"
#include "top.h"

#define TRACING "/sys/kernel/tracing"

/* ---- what has to be there -------------------------------------------------------------------- */

#define FIELD(event, structure, field)                                             \
	{ #event, #field, (unsigned int)offsetof(struct event_##structure, field), \
	  (unsigned int)sizeof(((struct event_##structure *)NULL)->field) },

static const struct {
	const char *event, *field;
	unsigned int offset, size;
} fields[] = { EVENT_FIELDS(FIELD) };

/*
 * Does the event have the field where it is expected? A line of its format:
 *	field:u32 id;	offset:8;	size:4;	signed:0;
 */
static bool field_there(const char *format, const char *field, unsigned int offset,
			unsigned int size)
{
	char place[64];
	const char *at = format;
	size_t length = strlen(field);

	snprintf(place, sizeof(place), "offset:%u;\tsize:%u;", offset, size);
	while ((at = strstr(at, field)) != NULL) {
		const char *end = at + length;

		if (at[-1] == ' ' && (*end == ';' || *end == '[')) {
			end = strchr(end, ';');
			return end && !strncmp(end + 2, place, strlen(place));
		}
		at++;
	}
	return false;
}

static int formats_right(const char *root)
{
	char path[256], format[4096];
	const char *read = "";
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		snprintf(path, sizeof(path), "%s" TRACING "/events/resch/%s/format", root,
			 fields[i].event);
		if (strcmp(read, fields[i].event) && read_text(path, format, sizeof(format)) < 0)
			return fail("the loaded module has no event %s: it is older than reschtop",
				    fields[i].event);
		read = fields[i].event;
		if (!field_there(format, fields[i].field, fields[i].offset, fields[i].size))
			return fail(
				"the event %s of the loaded module has another form than reschtop knows: module and reschtop are not of one version",
				fields[i].event);
	}
	return EXIT_DONE;
}

static bool there(const char *root, const char *path)
{
	char all[256];

	snprintf(all, sizeof(all), "%s%s", root, path);
	return !access(all, F_OK);
}

int probe_possible(const char *root)
{
	if (!there(root, "/sys/module/resch")) {
		fail("the module resch is not loaded: `modprobe resch`; `reschctl doctor` says more");
		return EXIT_NO_MODULE;
	}
	if (!there(root, "/sys/kernel/btf/vmlinux"))
		return fail(
			"this kernel does not describe its structures (/sys/kernel/btf/vmlinux is missing): reschtop needs one with CONFIG_DEBUG_INFO_BTF=y, as Debian's are; `reschctl top` does without");
	if (!there(root, TRACING "/events")) {
		if (errno == EACCES)
			return fail("not permitted to read " TRACING ": run it as root");
		return fail(
			"the kernel's trace events are not to be seen: `mount -t tracefs nodev " TRACING
			"`; where that fails the kernel lacks CONFIG_FTRACE");
	}
	return formats_right(root);
}

/* ---- loading --------------------------------------------------------------------------------- */

/* Messages of libbpf: wanted where loading fails, and then all. */
static char *said;
static size_t said_size;
static FILE *saying;

static int hear(enum libbpf_print_level level, const char *format, va_list arguments)
{
	if (level > LIBBPF_INFO || !saying)
		return 0;
	return vfprintf(saying, format, arguments);
}

static int refused(int error)
{
	char lockdown[128];

	if (error < 0)
		error = -error;
	if ((error == EPERM || error == EACCES) && geteuid())
		return fail(
			"not permitted to load programs into the kernel: this needs root, or the capabilities bpf, perfmon and dac_read_search");
	if (error == EPERM &&
	    read_text("/sys/kernel/security/lockdown", lockdown, sizeof(lockdown)) > 0 &&
	    !strstr(lockdown, "[none]"))
		return fail(
			"the kernel is locked down and takes no programs that read its memory: /sys/kernel/security/lockdown is %s",
			lockdown);
	if (saying)
		fflush(saying);
	if (said && *said)
		fputs(said, stderr);
	return fail("the kernel does not take the programs: %s", strerror(error));
}

static void *map_begin(const struct bpf_map *map, size_t entries)
{
	size_t size = (bpf_map__value_size(map) + 7) / 8 * 8 * entries;
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return at == MAP_FAILED ? NULL : at;
}

/* A power of two, with room to find a place near the one that an id would have. */
static size_t places_for(size_t tasks)
{
	size_t places = 256;

	while (places < 2 * tasks)
		places *= 2;
	return places;
}

static int probe_load(struct probe *probe)
{
	struct reschtop_bpf *bpf = probe->bpf;
	int result;

	bpf->rodata->task_mask = (uint32_t)probe->places - 1;
	bpf->rodata->cpu_count = (uint32_t)probe->cpu_count;
	result = bpf_map__set_max_entries(bpf->maps.tasks, (uint32_t)probe->places);
	if (!result)
		result = bpf_map__set_max_entries(bpf->maps.cpus, (uint32_t)probe->cpu_count);
	if (!result)
		result = reschtop_bpf__load(bpf);
	if (result)
		return result;
	probe->tasks = map_begin(bpf->maps.tasks, probe->places);
	probe->cpus = map_begin(bpf->maps.cpus, probe->cpu_count);
	if (!probe->tasks || !probe->cpus)
		return -errno;
	for (size_t cpu = 0; cpu < probe->cpu_count; cpu++)
		probe->cpus[cpu].running = -1;
	return reschtop_bpf__attach(bpf);
}

int probe_begin(struct probe *probe, size_t tasks)
{
	int cpus = libbpf_num_possible_cpus(), result;

	*probe = (struct probe){ .places = places_for(tasks) };
	if (cpus < 0)
		return fail("number of CPUs: %s", strerror(-cpus));
	probe->cpu_count = (size_t)cpus;
	saying = open_memstream(&said, &said_size);
	libbpf_set_print(hear);
	probe->bpf = reschtop_bpf__open();
	result = probe->bpf ? probe_load(probe) : -errno;
	if (result) {
		result = refused(result);
		probe_end(probe);
	} else {
		probe->since = resch_now();
	}
	libbpf_set_print(NULL);
	if (saying)
		fclose(saying);
	saying = NULL;
	free(said);
	said = NULL;
	return result;
}

void probe_end(struct probe *probe)
{
	struct reschtop_bpf *bpf = probe->bpf;

	if (probe->tasks)
		munmap(probe->tasks, (sizeof(*probe->tasks) + 7) / 8 * 8 * probe->places);
	if (probe->cpus)
		munmap(probe->cpus, (sizeof(*probe->cpus) + 7) / 8 * 8 * probe->cpu_count);
	probe->tasks = NULL;
	probe->cpus = NULL;
	probe->bpf = NULL;
	reschtop_bpf__destroy(bpf);
}

uint64_t probe_left_out(const struct probe *probe)
{
	return probe->bpf->bss->tasks_left_out;
}
