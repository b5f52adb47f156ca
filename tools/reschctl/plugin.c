// SPDX-License-Identifier: GPL-2.0-or-later
/* plugin.c - reschctl plugin */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "reschctl.h"

static const char help[] = "usage: reschctl plugin list [--json]\n"
			   "       reschctl plugin load NAME\n"
			   "\n"
			   "`list` shows the loaded plugins; `load` loads the module resch-NAME.\n"
			   "\n"
			   "  -j, --json              print JSON\n"
			   "  -h, --help              this text\n";

static int plugin_list(int argc, char **argv)
{
	static const char *const headings[] = { "NAME", ">DOMAINS", ">EJECTIONS", "ABOUT", NULL };
	struct resch_plugin_stat stat;
	struct json_object *list, *out;
	struct table table;
	int fd, result;
	uint32_t i;
	bool json;

	result = options_plain(argc, argv, "plugin", help, &json);
	if (result >= 0)
		return result;
	if (optind != argc)
		return usage("plugin", "plugin list takes no arguments");
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;

	list = json_object_new_array();
	table_begin(&table, headings);
	for (i = 0; !(result = resch_plugin_stat(fd, i, &stat)); i++) {
		struct json_object *plugin = json_object_new_object();

		json_add_text(plugin, "name", stat.name);
		json_add(plugin, "domains", json_object_new_int64(stat.users));
		json_add(plugin, "ejections", json_object_new_int64(stat.ejections));
		json_add_text(plugin, "about", stat.about);
		json_object_array_add(list, plugin);
		table_add(&table, "%s", stat.name);
		table_add(&table, "%u", stat.users);
		table_add(&table, "%u", stat.ejections);
		table_add(&table, "%s", stat.about);
	}
	close(fd);
	if (result != -ENOENT) {
		json_object_put(list);
		return fail("plugin list: %s", error_text(result));
	}
	if (json) {
		out = json_object_new_object();
		json_add(out, "plugins", list);
		json_show(out, stdout);
	} else {
		json_object_put(list);
		table_print(&table, stdout, false);
	}
	return EXIT_DONE;
}

static int plugin_load(int argc, char **argv)
{
	const char *name;
	int fd, result;
	bool json;

	result = options_plain(argc, argv, "plugin", help, &json);
	if (result >= 0)
		return result;
	if (optind + 1 != argc)
		return usage("plugin", "plugin load takes one name");
	name = argv[optind];
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	result = resch_plugin_load(fd, name);
	close(fd);
	switch (-result) {
	case 0:
		return EXIT_DONE;
	case ENOENT:
		return fail(
			"there is no plugin %s: `modprobe resch-%s` says why (not installed for this kernel, or not "
			"signed: see `reschctl doctor`)",
			name, name);
	case EINVAL:
		return fail("'%s' is no name of a plugin: they have 1 to 15 of a-z, 0-9 and -",
			    name);
	default:
		return fail("plugin load: %s", error_text(result));
	}
}

int cmd_plugin(int argc, char **argv)
{
	if (argc >= 2 && !strcmp(argv[1], "list"))
		return plugin_list(argc - 1, argv + 1);
	if (argc >= 2 && !strcmp(argv[1], "load"))
		return plugin_load(argc - 1, argv + 1);
	if (argc >= 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(help, stdout);
		return EXIT_DONE;
	}
	return usage("plugin", "plugin list or plugin load");
}
