// SPDX-License-Identifier: GPL-2.0-or-later
/* call.c - a command line of apply, diff, save or undo, and what has come of it */
#include <stdlib.h>
#include <unistd.h>

#include "call.h"

int call_parse(int argc, char **argv, struct call *call, unsigned int takes)
{
	struct option_row rows[6] = {
		{ "root", 0, "directory", option_text, &call->machine.root },
	};
	const struct option_table table = { call->command, call->help,
					    takes & TAKES_ALL ? NULL : "file", .rows = rows };
	int result, n = 1;

	if (takes & TAKES_DRY)
		rows[n++] = (struct option_row){ "dry-run", 'n', NULL, option_flag, &call->dry };
	if (takes & TAKES_WAIT)
		rows[n++] = (struct option_row){ "wait", 0, NULL, option_flag, &call->wait };
	if (takes & TAKES_ALL)
		rows[n++] = (struct option_row){ "all", 'a', NULL, option_flag, &call->all };
	if (takes & TAKES_JSON)
		rows[n++] = (struct option_row)OPTION_JSON(&call->json);
	result = options_run(argc, argv, &table);
	if (result < 0 && call->dry && call->wait)
		return usage(call->command, "--dry-run and --wait exclude each other");
	return result;
}

void call_tell(struct call *call, const struct step *step)
{
	call->count++;
	if (call->changes)
		json_object_array_add(call->changes, step_json(step));
	else
		step_print(step, stdout);
}

void call_told(struct call *call, const char *text)
{
	struct json_object *out;

	if (!call->changes) {
		if (!call->count)
			puts(text);
		return;
	}
	out = json_object_new_object();
	json_add(out, "changes", call->changes);
	json_show(out, stdout);
}

void call_end(struct call *call)
{
	size_t i;

	for (i = 0; i < call->nr_paths; i++)
		free(call->paths[i]);
	free(call->paths);
	items_free(&call->wanted);
	if (call->machine.fd >= 0)
		close(call->machine.fd);
}
