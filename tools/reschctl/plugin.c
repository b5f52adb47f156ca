// SPDX-License-Identifier: GPL-2.0-or-later
/* plugin.c - reschctl plugin */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "reschctl.h"

static const char help[] =
	"usage: reschctl plugin list [--json]\n"
	"       reschctl plugin load NAME\n"
	"\n"
	"`list` shows the loaded plugins; `load` loads the module resch-NAME. \"inner\" in the JSON says\n"
	"which can run inside servers (`reschctl server add --plugin=NAME`).\n"
	"\n"
	"  -j, --json              print JSON\n"
	"  -h, --help              this text\n";

static int list_fill(int fd, struct table *table, struct json_object *list)
{
	static const char *const headings[] = { "NAME", ">DOMAINS", ">EJECTIONS", "ABOUT", NULL };
	struct resch_plugin_stat stat;
	uint32_t i;
	int result;

	table_begin(table, headings);
	for (i = 0; !(result = resch_plugin_stat(fd, i, &stat)); i++) {
		struct json_object *plugin = json_object_new_object();

		json_add_text(plugin, "name", stat.name);
		json_add(plugin, "domains", json_object_new_int64(stat.users));
		json_add(plugin, "servers", json_object_new_int64(stat.servers));
		json_add(plugin, "inner", json_object_new_boolean(stat.inner != 0));
		json_add(plugin, "ejections", json_object_new_int64(stat.ejections));
		json_add_text(plugin, "about", stat.about);
		json_object_array_add(list, plugin);
		table_add(table, "%s", stat.name);
		table_add(table, "%u", stat.users);
		table_add(table, "%u", stat.ejections);
		table_add(table, "%s", stat.about);
	}
	return result == -ENOENT ? 0 : result;
}

static int plugin_list(int argc, char **argv)
{
	static const struct listing listing = {
		"plugin",  "plugin list", help,
		"plugins", list_fill,	  "no plugins: `reschctl plugin load NAME` loads one"
	};

	return list_run(argc, argv, &listing);
}

int plugin_absent(const char *name)
{
	return fail(
		"there is no plugin %s: `modprobe resch-%s` says why (not installed for this kernel, or not "
		"signed: see `reschctl doctor`)",
		name, name);
}

static int plugin_load(int argc, char **argv)
{
	const char *name;
	int fd, result;
	bool json;

	result = options_plain(argc, argv, "plugin", help, "plugins", &json);
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
		return plugin_absent(name);
	case EINVAL:
		return fail("'%s' is no name of a plugin: they have 1 to 15 of a-z, 0-9 and -",
			    name);
	default:
		return fail("plugin load: %s", error_text(result));
	}
}

int cmd_plugin(int argc, char **argv)
{
	static const struct action actions[] = {
		{ "list", plugin_list },
		{ "load", plugin_load },
		{},
	};

	return action_run(argc, argv, actions, help, "plugin list or plugin load");
}
