// SPDX-License-Identifier: GPL-2.0-or-later
/* doctor.c - reschctl doctor: what this kernel and machine can promise, and what to change */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/help.h"
#include "doctor.h"
#include "shield/shield.h"

static const char help[] =
	"usage: reschctl doctor [--cpus=LIST] [--json]\n"
	"\n"
	"Examines kernel and machine and says what real-time tasks can expect here, and what to change. Run it as root:\n"
	"some files are closed to others. Nothing is changed.\n"
	"\n"
	"      --cpus=LIST         CPUs that real-time tasks are to have (default: those of domains or shields, else all)\n"
	"      --root=DIR          look at the files below DIR instead of /, for the copy of another machine's\n"
	"  -j, --json              print JSON\n"
	"  -h, --help              this text\n"
	"\n"
	"ok: as it should be. warn: tasks may be late because of it. fail: does not work until it is changed; the exit\n"
	"status is then 1.\n";

/* ---- files ----------------------------------------------------------------------------------- */

static void join(const struct doctor *doctor, char *path, size_t size, const char *format,
		 va_list arguments)
{
	int n = snprintf(path, size, "%s", doctor->root);

	if (n >= 0 && (size_t)n < size)
		vsnprintf(path + n, size - (size_t)n, format, arguments);
}

int doctor_read(const struct doctor *doctor, char *text, size_t size, const char *format, ...)
{
	va_list arguments;
	char path[512];

	va_start(arguments, format);
	join(doctor, path, sizeof(path), format, arguments);
	va_end(arguments);
	return read_text(path, text, size);
}

int doctor_number(const struct doctor *doctor, long long *number, const char *format, ...)
{
	char path[512], text[64], *end;
	va_list arguments;
	int result;

	va_start(arguments, format);
	join(doctor, path, sizeof(path), format, arguments);
	va_end(arguments);
	result = read_text(path, text, sizeof(text));
	if (result < 0)
		return result;
	*number = strtoll(text, &end, 10);
	return end == text ? -EINVAL : 0;
}

bool doctor_exists(const struct doctor *doctor, const char *format, ...)
{
	va_list arguments;
	char path[512];

	va_start(arguments, format);
	join(doctor, path, sizeof(path), format, arguments);
	va_end(arguments);
	return !access(path, F_OK);
}

const char *doctor_boot(const struct doctor *doctor, const char *name)
{
	static char value[1024];
	const char *at = doctor->cmdline;
	size_t length = strlen(name), n;

	/* The last one counts. */
	bool found = false;

	while (*at) {
		n = strcspn(at, " ");
		if (!strncmp(at, name, length) &&
		    (n == length || (n > length && at[length] == '='))) {
			found = true;
			snprintf(value, sizeof(value), "%.*s",
				 n > length ? (int)(n - length - 1) : 0,
				 n > length ? at + length + 1 : "");
		}
		at += n;
		at += strspn(at, " ");
	}
	return found ? value : NULL;
}

char doctor_config(const struct doctor *doctor, const char *option)
{
	const char *at = doctor->config;
	size_t length = strlen(option);

	if (!at)
		return '?';
	/* Lines are CONFIG_NAME=y; what is off is a comment. */
	while ((at = strstr(at, option))) {
		if ((at == doctor->config || at[-1] == '\n') && at[length] == '=')
			return at[length + 1];
		at += length;
	}
	return 'n';
}

bool doctor_from(const struct doctor *doctor, unsigned int major, unsigned int minor)
{
	return doctor->major > major || (doctor->major == major && doctor->minor >= minor);
}

/* ---- findings -------------------------------------------------------------------------------- */

#define INDENT 20
#define WIDTH 100

/* What can be read well, or the terminal's. */
static int width(void)
{
	size_t columns = terminal_width();

	return columns && columns < WIDTH ? (int)columns : WIDTH;
}

/*
 * A text from column INDENT on, its label first, in lines of at most width() where @wrap; commands
 * stay whole to be copied.
 */
static void print_text(const char *label, const char *text, bool wrap)
{
	int indent = INDENT + (int)strlen(label), column = indent;

	fputs(label, stdout);
	while (*text) {
		int n = (int)strcspn(text, " \n");

		if (wrap && column > indent && column + 1 + n > width()) {
			printf("\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			column += printf(" ");
		}
		column += printf("%.*s", n, text);
		text += n;
		if (*text == '\n') {
			printf("\n%*s", indent, "");
			column = indent;
		}
		text += *text != 0;
	}
	putchar('\n');
}

void doctor_find(struct doctor *doctor, const char *check, enum severity severity,
		 const char *meaning, const char *fix, const char *format, ...)
{
	static const char *const words[] = { "ok", "warn", "fail" };
	static const char *const colours[] = { "\033[32m", "\033[33m", "\033[31m" };
	bool colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	struct json_object *finding;
	va_list arguments;
	char found[1024];

	va_start(arguments, format);
	vsnprintf(found, sizeof(found), format, arguments);
	va_end(arguments);
	text_clean(found);
	doctor->counts[severity]++;
	if (doctor->json) {
		finding = json_object_new_object();
		json_add_text(finding, "check", check);
		json_add_text(finding, "status", words[severity]);
		json_add_text(finding, "found", found);
		json_add(finding, "meaning", meaning ? json_object_new_string(meaning) : NULL);
		json_add(finding, "fix", fix ? json_object_new_string(fix) : NULL);
		json_object_array_add(doctor->findings, finding);
		return;
	}
	printf("%s%-4s%s  %-14s", colour ? colours[severity] : "", words[severity],
	       colour ? "\033[0m" : "", check);
	print_text("", found, true);
	if (meaning) {
		printf("%*s", INDENT, "");
		print_text("", meaning, true);
	}
	if (fix) {
		printf("%*s", INDENT, "");
		print_text("-> ", fix, false);
	}
}

/* ---- the examination ------------------------------------------------------------------------- */

/*
 * The configuration as a text, plain or packed; the kernel's own packing needs a program to read
 * it.
 */
static char *load_config(const struct doctor *doctor)
{
	size_t size = 1 << 20, length;
	char *text = malloc(size);
	char command[512];
	FILE *unpack;

	if (!text)
		return NULL;
	if (doctor_read(doctor, text, size, "/boot/config-%s", doctor->release) > 0 ||
	    doctor_read(doctor, text, size, "/lib/modules/%s/build/.config", doctor->release) > 0 ||
	    doctor_read(doctor, text, size, "/lib/modules/%s/config", doctor->release) > 0)
		return text;
	if (doctor_exists(doctor, "/proc/config.gz") && !strchr(doctor->root, '\'')) {
		snprintf(command, sizeof(command), "gzip -dc '%s/proc/config.gz' 2>/dev/null",
			 doctor->root);
		unpack = popen(command, "re");
		length = unpack ? fread(text, 1, size - 1, unpack) : 0;
		text[length] = 0;
		if (unpack)
			pclose(unpack);
		if (length)
			return text;
	}
	free(text);
	return NULL;
}

static void load_kernel(struct doctor *doctor)
{
	char lockdown[128];
	struct utsname name;

	uname(&name);
	if (doctor_read(doctor, doctor->release, sizeof(doctor->release),
			"/proc/sys/kernel/osrelease") <= 0)
		snprintf(doctor->release, sizeof(doctor->release), "%s", name.release);
	if (doctor_read(doctor, doctor->build, sizeof(doctor->build), "/proc/sys/kernel/version") <=
	    0)
		snprintf(doctor->build, sizeof(doctor->build), "%s", name.version);
	doctor_read(doctor, doctor->cmdline, sizeof(doctor->cmdline), "/proc/cmdline");
	if (sscanf(doctor->release, "%u.%u", &doctor->major, &doctor->minor) != 2)
		doctor->major = 0;
	doctor->config = load_config(doctor);
	if (doctor_read(doctor, lockdown, sizeof(lockdown), "/sys/kernel/security/lockdown") > 0)
		doctor->locked = strstr(lockdown, "[integrity]") ||
				 strstr(lockdown, "[confidentiality]");
}

/* The module tells only of the machine that we are on. */
static void load_module(struct doctor *doctor)
{
	struct resch_domain_stat stat = {};
	struct resch_cpus cpus = {};
	size_t i;
	int fd;

	if (*doctor->root)
		return;
	fd = resch_open();
	if (fd < 0)
		return;
	doctor->loaded = !resch_info(fd, &doctor->info);
	while (doctor->loaded && resch_domain_next(fd, &stat) > 0) {
		for (i = 0; i < RESCH_CPUS_MAX / 64; i++)
			cpus.bits[i] |= stat.cpus.bits[i];
	}
	close(fd);
	if (!doctor->chosen && resch_cpus_count(&cpus)) {
		doctor->cpus = cpus;
		doctor->chosen = true;
	}
}

/* Those of a shield, too, are to be quiet. */
static void load_shield(struct doctor *doctor)
{
	struct state *state = malloc(sizeof(*state));

	if (!state)
		return;
	if (!doctor->chosen && !state_open(state, doctor->root, false)) {
		state_cpus(state, &doctor->cpus);
		doctor->chosen = resch_cpus_count(&doctor->cpus) > 0;
		state_close(state);
	}
	free(state);
}

static void load_cpus(struct doctor *doctor)
{
	char text[1024];

	load_shield(doctor);
	if (doctor->chosen)
		return;
	if (doctor_read(doctor, text, sizeof(text), "/sys/devices/system/cpu/online") <= 0 ||
	    resch_cpus_parse(text, &doctor->cpus) <= 0)
		resch_cpus_add(&doctor->cpus, 0);
}

static int summary(struct doctor *doctor)
{
	struct json_object *out;

	if (doctor->json) {
		out = json_object_new_object();
		text_clean(doctor->release);
		json_add_text(out, "kernel", doctor->release);
		json_add_text(out, "cpus", cpus_text(&doctor->cpus));
		json_add(out, "findings", doctor->findings);
		json_add(out, "warnings", json_object_new_int(doctor->counts[WARN]));
		json_add(out, "failures", json_object_new_int(doctor->counts[FAIL]));
		json_show(out, stdout);
	} else {
		printf("\n%d ok, %d warnings, %d failures, looking at CPUs %s\n",
		       doctor->counts[OK], doctor->counts[WARN], doctor->counts[FAIL],
		       cpus_text(&doctor->cpus));
		json_object_put(doctor->findings);
	}
	free(doctor->config);
	return doctor->counts[FAIL] ? EXIT_FAILED : EXIT_DONE;
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor doctor = { .root = "" };
	const struct option_row rows[] = {
		{ "cpus", 0, "cpus", option_cpus, &doctor.cpus, .given = &doctor.chosen },
		{ "root", 0, "directory", option_text, &doctor.root },
		OPTION_JSON(&doctor.json),
		{},
	};
	const struct option_table table = { "doctor", help, .rows = rows };
	int result = options_run(argc, argv, &table);

	if (result >= 0)
		return result;
	if (optind != argc)
		return usage("doctor", "doctor takes no arguments");
	if (*doctor.root && !doctor_exists(&doctor, "/"))
		return fail("--root=%s: %s", doctor.root, strerror(errno));

	doctor.findings = json_object_new_array();
	load_kernel(&doctor);
	load_module(&doctor);
	load_cpus(&doctor);
	doctor_kernel(&doctor);
	doctor_module(&doctor);
	doctor_cpus(&doctor);
	doctor_memory(&doctor);
	return summary(&doctor);
}
