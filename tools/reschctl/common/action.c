// SPDX-License-Identifier: GPL-2.0-or-later
/* action.c - commands with actions, and the action that nearly all have: list */
#include <string.h>
#include <unistd.h>

#include "reschctl.h"

int action_run(int argc, char **argv, const struct action *actions, const char *help,
	       const char *names)
{
	if (argc >= 2 && options_help(argv[1], help))
		return EXIT_DONE;
	if (options_listing && argc < 2) {
		for (; actions->name; actions++)
			puts(actions->name);
		return EXIT_DONE;
	}
	for (; argc >= 2 && actions->name; actions++) {
		if (!strcmp(argv[1], actions->name))
			return actions->run(argc - 1, argv + 1);
	}
	return usage(argv[0], "%s", names);
}

int list_run(int argc, char **argv, const struct listing *listing)
{
	struct json_object *list;
	struct table table;
	int fd, result;
	bool json;

	result = options_plain(argc, argv, listing->command, listing->help, NULL, &json);
	if (result >= 0)
		return result;
	if (optind != argc)
		return usage(listing->command, "%s takes no arguments", listing->name);
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	list = json_object_new_array();
	result = listing->fill(fd, &table, list);
	close(fd);
	if (result < 0) {
		json_object_put(list);
		return fail("%s: %s", listing->name, error_text(result));
	}
	list_show(&table, list, listing->key, json, listing->none);
	return EXIT_DONE;
}

void list_show(struct table *table, struct json_object *list, const char *key, bool json,
	       const char *none)
{
	bool empty = !table->count;
	struct json_object *out;

	if (json) {
		out = json_object_new_object();
		json_add(out, key, list);
		json_show(out, stdout);
		table_free(table);
	} else {
		json_object_put(list);
		table_print(table, stdout);
		if (empty && none && isatty(STDOUT_FILENO))
			puts(none);
	}
}
