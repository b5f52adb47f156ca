/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor.h - findings about kernel and machine */
#ifndef _RESCHCTL_DOCTOR_H
#define _RESCHCTL_DOCTOR_H

#include "reschctl.h"

enum severity { OK, WARN, FAIL };

/**
 * struct doctor - one examination
 * @root:     directory that stands for /, "" on the machine itself
 * @cpus:     CPUs to look at: those asked for, else those of all domains, else all online ones
 * @chosen:   they were asked for or are in domains, so what disturbs just them is worth telling
 * @info:     of the loaded module
 * @locked:   the kernel is locked down (Secure Boot): modules must be signed, debugfs cannot be
 *            written
 * @findings: the JSON of all so far
 */
struct doctor {
	const char *root;
	struct resch_cpus cpus;
	bool chosen;
	bool json;
	bool loaded;
	struct resch_info info;
	char release[128], build[256], cmdline[4096];
	unsigned int major, minor;
	char *config; /* NULL: not found */
	bool locked;
	struct json_object *findings;
	int counts[FAIL + 1];
};

/**
 * doctor_find - tell of a finding
 * @check:   its name, for scripts
 * @meaning: what it means for real-time tasks; NULL where @found says all
 * @fix:     commands that change it; NULL: nothing to do
 * @format:  what was found
 */
void doctor_find(struct doctor *doctor, const char *check, enum severity severity,
		 const char *meaning, const char *fix, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/* A file below the root. Return: its length, or -errno. */
int doctor_read(const struct doctor *doctor, char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A number in one. Return: 0 or -errno. */
int doctor_number(const struct doctor *doctor, long long *number, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool doctor_exists(const struct doctor *doctor, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * A parameter of the kernel's command line: what follows "NAME=", or "" after a bare "NAME";
 * static. NULL: not there.
 */
const char *doctor_boot(const struct doctor *doctor, const char *name);
/*
 * An option of the kernel's configuration: 'y', 'm', 'n', or '?' where the configuration was not
 * found.
 */
char doctor_config(const struct doctor *doctor, const char *option);
/* Is the kernel at least this one? */
bool doctor_from(const struct doctor *doctor, unsigned int major, unsigned int minor);

/*
 * Everything but our CPUs: what interrupts and ordinary tasks are to have. False: that is nothing.
 */
bool doctor_others(const struct doctor *doctor, struct resch_cpus *rest);

/* What there is to look at. */
void doctor_kernel(struct doctor *doctor);
void doctor_module(struct doctor *doctor);
void doctor_cpus(struct doctor *doctor);
void doctor_isolation(struct doctor *doctor);
void doctor_memory(struct doctor *doctor);

#endif /* _RESCHCTL_DOCTOR_H */
