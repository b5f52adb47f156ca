// SPDX-License-Identifier: GPL-2.0-or-later
/* probe.c - the programs in the kernel: what they need, loading, letting go */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <event-parse.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "events.h"
#include "reschtop.skel.h"
#include "rights.h"
#include "top.h"

#define TRACING "/sys/kernel/tracing"
/* The last one is for tracefs. */
#define RIGHTS "bpf, perfmon and dac_read_search"

/* ---- what has to be there -------------------------------------------------------------------- */

/* Where a field is where events begin with a field more, and where they don't. */
struct field {
	const char *name;
	unsigned int offset, offset_more, size;
};

/* clang-format off */
#define FIELD_JOB(type, name, dimension) FIELD(job, name)
#define FIELD_DESELECT(type, name, dimension) FIELD(deselect, name)
#define FIELD_ATTACH(type, name, dimension) FIELD(attach, name)
#define FIELD_DETACH(type, name, dimension) FIELD(detach, name)
#define FIELD_SERVER_SET(type, name, dimension) FIELD(server_set, name)
#define FIELD_SERVER(type, name, dimension) FIELD(server, name)
#define FIELD_CHAIN_SET(type, name, dimension) FIELD(chain_set, name)
#define FIELD_CHAIN(type, name, dimension) FIELD(chain, name)

#define FIELD(kind, name) \
	{ #name, (unsigned int)offsetof(struct event_##kind, name), \
	  (unsigned int)offsetof(struct event_##kind##_more, name), \
	  (unsigned int)sizeof(((struct event_##kind *)NULL)->name) },

static const struct field fields_of_job[] = { EVENT_JOB(FIELD_JOB) {} };
static const struct field fields_of_deselect[] = { EVENT_DESELECT(FIELD_DESELECT) {} };
static const struct field fields_of_attach[] = { EVENT_ATTACH(FIELD_ATTACH) {} };
static const struct field fields_of_detach[] = { EVENT_DETACH(FIELD_DETACH) {} };
static const struct field fields_of_server_set[] = { EVENT_SERVER_SET(FIELD_SERVER_SET) {} };
static const struct field fields_of_server[] = { EVENT_SERVER(FIELD_SERVER) {} };
static const struct field fields_of_chain_set[] = { EVENT_CHAIN_SET(FIELD_CHAIN_SET) {} };
static const struct field fields_of_chain[] = { EVENT_CHAIN(FIELD_CHAIN) {} };

#define EVENT(event, kind, fields) { #event, fields_of_##kind },

static const struct {
	const char *name;
	const struct field *fields;
} events[] = { EVENTS(EVENT) };
/* clang-format on */

/* All events begin with a field more. */
static bool more;

/* Does the event have its fields where they are expected? @text: its format file */
static bool format_right(const char *text, const char *name, const struct field *field)
{
	struct tep_handle *formats = tep_alloc();
	const struct tep_format_field *at;
	struct tep_event *event = NULL;
	bool right;

	tep_set_loglevel(TEP_LOG_NONE);
	if (formats) {
		tep_parse_event(formats, text, strlen(text), "resch");
		event = tep_find_event_by_name(formats, "resch", name);
	}
	right = event;
	more = event && tep_find_common_field(event, "common_preempt_lazy_count");
	for (; right && field->name; field++) {
		at = tep_find_field(event, field->name);
		right = at && (unsigned int)at->size == field->size &&
			(unsigned int)at->offset == (more ? field->offset_more : field->offset);
	}
	tep_free(formats);
	return right;
}

static int formats_right(const char *root)
{
	char path[256], format[4096];
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		snprintf(path, sizeof(path), "%s" TRACING "/events/resch/%s/format", root,
			 events[i].name);
		if (read_text(path, format, sizeof(format)) < 0)
			return fail("the loaded module has no event %s: it is older than reschtop",
				    events[i].name);
		if (!format_right(format, events[i].name, events[i].fields))
			return fail(
				"the event %s of the loaded module has another form than reschtop knows: module and reschtop are not of one version",
				events[i].name);
	}
	return EXIT_DONE;
}

static bool there(const char *root, const char *path)
{
	char all[256];

	snprintf(all, sizeof(all), "%s%s", root, path);
	/* access() does not count the capabilities of who is not root. */
	return !faccessat(AT_FDCWD, all, F_OK, AT_EACCESS);
}

int probe_possible(const char *root)
{
	char lacks[RIGHTS_TEXT];

	if (!there(root, "/sys/module/resch")) {
		fail("the module resch is not loaded: `modprobe resch`; `reschctl doctor` says more");
		return EXIT_NO_MODULE;
	}
	if (!there(root, "/sys/kernel/btf/vmlinux"))
		return fail(
			"this kernel does not describe its structures (/sys/kernel/btf/vmlinux is missing): reschtop needs one with CONFIG_DEBUG_INFO_BTF=y, as Debian's are; `reschctl top` does without");
	if (capabilities_missing(root, lacks, sizeof(lacks)))
		return fail(
			"not permitted to load programs into the kernel: this needs root, or the capabilities " RIGHTS
			"; missing: %s",
			lacks);
	if (perf_capability_missing(root))
		return fail(
			"not permitted to attach to the kernel's trace events: kernel.perf_event_paranoid is 3, so that this needs root, or the capability sys_admin; or `sysctl kernel.perf_event_paranoid=2`");
	if (!there(root, TRACING "/events")) {
		if (errno == EACCES)
			return fail("not permitted to read " TRACING
				    ": this needs root, or the capabilities " RIGHTS
				    "; missing: dac_read_search");
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
	if (error == EPERM &&
	    read_text("/sys/kernel/security/lockdown", lockdown, sizeof(lockdown)) > 0 &&
	    !strstr(lockdown, "[none]"))
		return fail(
			"the kernel is locked down and takes no programs that read its memory: /sys/kernel/security/lockdown is %s",
			lockdown);
	/* EACCES is the verifier's. */
	if (error == EPERM)
		return fail(
			"not permitted to load programs into the kernel, with all capabilities that this takes: they don't count in a container's user namespace, nor where a security module forbids it");
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

static bool event_there(const struct btf *btf, const char *event, const char *which)
{
	char type[64];

	snprintf(type, sizeof(type), "btf_trace_%s_%s", event, which);
	return btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF) > 0;
}

/*
 * The programs that fit this kernel: with calls that stop preemption where it has them. Both are
 * compiled from one source, and what the program has of maps and variables is the same.
 */
static struct reschtop_bpf *programs_open(const struct btf *btf)
{
	struct reschtop_bpf *bpf = calloc(1, sizeof(*bpf));
	int result;

	if (!bpf)
		return NULL;
	result = reschtop_bpf__create_skeleton(bpf);
	if (result)
		goto refuse;
	if (btf__find_by_name_kind(btf, "bpf_preempt_disable", BTF_KIND_FUNC) > 0)
		bpf->skeleton->data = alone_bpf__elf_bytes(&bpf->skeleton->data_sz);
	result = bpf_object__open_skeleton(bpf->skeleton, NULL);
	if (!result)
		return bpf;
refuse:
	reschtop_bpf__destroy(bpf);
	errno = -result;
	return NULL;
}

/* Interrupts of which this kernel, or this processor, does not tell. */
static void leave_out_own_irqs(struct reschtop_bpf *bpf, const struct btf *btf)
{
	bool all;

#define LEAVE_OUT(event, word)                                                       \
	all = event_there(btf, #event, "entry") && event_there(btf, #event, "exit"); \
	bpf_program__set_autoload(bpf->progs.on_##event, all);                       \
	bpf_program__set_autoload(bpf->progs.on_##event##_end, all);

	TOP_OWN_IRQS(LEAVE_OUT)
}

static int probe_open(struct probe *probe)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int result = 0;

	if (!btf)
		return -errno;
	probe->bpf = programs_open(btf);
	if (probe->bpf)
		leave_out_own_irqs(probe->bpf, btf);
	else
		result = -errno;
	btf__free(btf);
	return result;
}

static int probe_load(struct probe *probe, bool stacks)
{
	struct reschtop_bpf *bpf = probe->bpf;
	int result;

	bpf->rodata->task_mask = (uint32_t)probe->places - 1;
	bpf->rodata->event_more = more;
	bpf->rodata->stacks = stacks;
	result = bpf_map__set_max_entries(bpf->maps.tasks, (uint32_t)probe->places);
	if (!result)
		result = bpf_map__set_max_entries(bpf->maps.cpus, (uint32_t)probe->cpu_count);
	if (!result)
		result = reschtop_bpf__load(bpf);
	if (result)
		return result;
	probe->tasks = map_begin(bpf->maps.tasks, probe->places);
	probe->cpus = map_begin(bpf->maps.cpus, probe->cpu_count);
	probe->servers = map_begin(bpf->maps.servers, TOP_SERVERS);
	probe->chains = map_begin(bpf->maps.chains, TOP_CHAINS);
	if (!probe->tasks || !probe->cpus || !probe->servers || !probe->chains)
		return -errno;
	for (size_t cpu = 0; cpu < probe->cpu_count; cpu++)
		probe->cpus[cpu].running = -1;
	result = reschtop_bpf__attach(bpf);
	if (!result)
		__atomic_store_n(&bpf->bss->watching, 1, __ATOMIC_RELEASE);
	return result;
}

int probe_begin(struct probe *probe, size_t tasks, bool stacks)
{
	int cpus = libbpf_num_possible_cpus(), result;

	*probe = (struct probe){ .places = places_for(tasks) };
	if (cpus < 0)
		return fail("number of CPUs: %s", strerror(-cpus));
	probe->cpu_count = (size_t)cpus;
	saying = open_memstream(&said, &said_size);
	libbpf_set_print(hear);
	result = probe_open(probe);
	if (!result)
		result = probe_load(probe, stacks);
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

static void map_end(void *at, size_t value, size_t entries)
{
	if (at)
		munmap(at, (value + 7) / 8 * 8 * entries);
}

void probe_end(struct probe *probe)
{
	map_end(probe->tasks, sizeof(*probe->tasks), probe->places);
	map_end(probe->cpus, sizeof(*probe->cpus), probe->cpu_count);
	map_end(probe->servers, sizeof(*probe->servers), TOP_SERVERS);
	map_end(probe->chains, sizeof(*probe->chains), TOP_CHAINS);
	reschtop_bpf__destroy(probe->bpf);
	*probe = (struct probe){};
}

uint64_t probe_left_out(const struct probe *probe)
{
	return probe->bpf->bss->tasks_left_out;
}

uint64_t probe_groups_left_out(const struct probe *probe)
{
	return probe->bpf->bss->servers_left_out + probe->bpf->bss->chains_left_out;
}
