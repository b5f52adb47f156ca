// SPDX-License-Identifier: GPL-2.0-or-later
/* info.c - reschctl info, version */
#include <sys/utsname.h>
#include <unistd.h>

#include "common/kernels.h"
#include "reschctl.h"

static const char info_help[] = "usage: reschctl info [--json]\n"
				"\n"
				"What the loaded module is and does.\n"
				"\n"
				"  -j, --json              print JSON; times in ns\n"
				"  -h, --help              this text\n";

static void info_json(const struct resch_info *info)
{
	struct json_object *out = json_object_new_object();
	struct json_object *features = json_object_new_array();
	struct utsname name;

	if (info->features & RESCH_FEATURE_PARK)
		json_object_array_add(features, json_object_new_string("park"));
	if (info->features & RESCH_FEATURE_DEMOTE)
		json_object_array_add(features, json_object_new_string("demote"));
	if (info->features & RESCH_FEATURE_REMOTE)
		json_object_array_add(features, json_object_new_string("remote"));
	json_add_text(out, "version", info->version);
	json_add(out, "abi", json_object_new_int64(info->abi));
	if (!uname(&name)) {
		json_add_text(out, "kernel", name.release);
		json_add(out, "kernel_tested",
			 json_object_new_boolean(kernel_tested(name.release)));
	}
	json_add(out, "features", features);
	json_add(out, "level", json_object_new_int64(info->level));
	json_add_time(out, "escalate", info->escalate);
	json_add(out, "tasks", json_object_new_int64(info->tasks));
	json_add(out, "domains", json_object_new_int64(info->domains));
	json_add(out, "plugins", json_object_new_int64(info->plugins));
	json_add_number(out, "restored", info->restored);
	json_add_number(out, "events_lost", info->events_lost);
	json_show(out, stdout);
}

static void print_kernel(void)
{
	struct utsname name;

	if (uname(&name))
		return;
	if (kernel_tested(name.release))
		printf("kernel       %s\n", name.release);
	else
		printf("kernel       %s: of a series that is not tested; tested are %s\n",
		       name.release, kernel_series());
}

int cmd_info(int argc, char **argv)
{
	struct resch_info info;
	int fd, result;
	bool json;

	result = options_plain(argc, argv, "info", info_help, NULL, &json);
	if (result >= 0)
		return result;
	if (optind != argc)
		return usage("info", "info takes no arguments");
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	result = resch_info(fd, &info);
	close(fd);
	if (result)
		return fail("info: %s", error_text(result));
	if (json) {
		info_json(&info);
		return EXIT_DONE;
	}
	printf("module       %.*s, ABI %u\n", RESCH_NAME_LEN, info.version, info.abi);
	print_kernel();
	printf("tasks        %u, at SCHED_FIFO %u\n", info.tasks, info.level);
	printf("stopped by   %s\n", info.features & RESCH_FEATURE_PARK ? "parking" : "demotion");
	printf("other        threads %s be registered\n",
	       info.features & RESCH_FEATURE_REMOTE ? "can" : "cannot");
	printf("domains      %u\n", info.domains);
	printf("plugins      %u\n", info.plugins);
	printf("escalation   after %s in the kernel\n", time_text(info.escalate));
	printf("restored     %llu threads, after ejections, offline CPUs and SysRq\n",
	       (unsigned long long)info.restored);
	printf("events lost  %llu\n", (unsigned long long)info.events_lost);
	return EXIT_DONE;
}

static const char version_help[] =
	"usage: reschctl version [--json]\n"
	"\n"
	"Versions of this tool, of its library, and of the module where it is loaded.\n"
	"\n"
	"  -j, --json              print JSON\n"
	"  -h, --help              this text\n";

int cmd_version(int argc, char **argv)
{
	struct json_object *out;
	struct resch_info info;
	bool loaded, json;
	int fd, result;

	result = options_plain(argc, argv, "version", version_help, NULL, &json);
	if (result >= 0)
		return result;
	if (optind != argc)
		return usage("version", "version takes no arguments");
	fd = resch_open();
	loaded = fd >= 0 && !resch_info(fd, &info);
	if (fd >= 0)
		close(fd);
	if (json) {
		out = json_object_new_object();
		json_add_text(out, "reschctl", resch_version());
		json_add(out, "abi", json_object_new_int(RESCH_ABI_VERSION));
		json_add(out, "module", loaded ? json_object_new_string(info.version) : NULL);
		json_show(out, stdout);
		return EXIT_DONE;
	}
	printf("reschctl %s, ABI %d\n", resch_version(), RESCH_ABI_VERSION);
	if (loaded)
		printf("module resch %.*s, ABI %u\n", RESCH_NAME_LEN, info.version, info.abi);
	else
		printf("module resch: %s\n", resch_open_reason(fd));
	return EXIT_DONE;
}
