// SPDX-License-Identifier: GPL-2.0-or-later
/* apply.c - reschctl apply and diff */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "call.h"

static const char apply_help[] =
	"usage: reschctl apply FILE...|FOLDER [--dry-run] [--wait] [--json]\n"
	"\n"
	"Makes plugins, domains, servers, shields, guards, balancing and the levels of programs what files say (of a\n"
	"FOLDER: its *.yaml, in the order of their names); see reschctl(8) for their words. What they don't name stays as it\n"
	"is; what is so already is not touched. Each file is applied as a whole: where a step fails, all that its file has\n"
	"changed is taken back.\n"
	"\n"
	"  -n, --dry-run           say what would be changed, and change nothing\n"
	"      --wait              then wait while the files' shields stand; exit status 1 when one has fallen\n"
	"      --root=DIR          as in `reschctl shield`\n"
	"  -j, --json              print JSON\n"
	"  -h, --help              this text\n";

static const char diff_help[] =
	"usage: reschctl diff FILE...|FOLDER [--json]\n"
	"\n"
	"Says what `reschctl apply` would change. Exit status: 0 nothing, 1 something, 2 the files make no sense.\n"
	"\n"
	"      --root=DIR          as in `reschctl shield`\n"
	"  -j, --json              print JSON\n"
	"  -h, --help              this text\n";

/* ---- files ---------------------------------------------------------------------------------- */

static int add_path(struct call *call, char *path)
{
	char **grown = reallocarray(call->paths, call->nr_paths + 1, sizeof(*grown));

	if (!grown || !path) {
		free(path);
		return fail("out of memory");
	}
	call->paths = grown;
	grown[call->nr_paths++] = path;
	return 0;
}

static int is_yaml(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 5 && *entry->d_name != '.' && !strcmp(entry->d_name + length - 5, ".yaml");
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int add_folder(struct call *call, const char *folder)
{
	struct dirent **entries;
	int i, status = 0, count = scandir(folder, &entries, is_yaml, by_bytes);
	char *path;

	if (count < 0) {
		fail("%s: %s", folder, strerror(errno));
		return EXIT_USAGE;
	}
	for (i = 0; i < count; i++) {
		if (asprintf(&path, "%s/%s", folder, entries[i]->d_name) < 0)
			path = NULL;
		status = status ?: add_path(call, path);
		free(entries[i]);
	}
	free(entries);
	return status;
}

static int read_files(struct call *call, int count, char **paths)
{
	struct stat stat_of;
	int status = 0;
	size_t i;

	for (; count && !status; count--, paths++) {
		if (!stat(*paths, &stat_of) && S_ISDIR(stat_of.st_mode))
			status = add_folder(call, *paths);
		else
			status = add_path(call, strdup(*paths));
	}
	for (i = 0; i < call->nr_paths && !status; i++)
		status = file_read(call->paths[i], &call->wanted);
	return status ?: items_check(&call->wanted);
}

/* Shields need no module, nor do levels but for the guard of rt0. */
static bool needs_device(const struct items *wanted)
{
	size_t i;

	for (i = 0; i < wanted->count; i++) {
		if (wanted->list[i].section <= SECTION_SERVERS ||
		    item_is(&wanted->list[i], KEY_UNGUARDED, "false"))
			return true;
	}
	return false;
}

/* ---- apply, diff ---------------------------------------------------------------------------- */

/* Each file is thought out on what those before it will have made. */
static int think(struct call *call)
{
	struct items present;
	struct plan plan = {};
	int status = present_read(&call->machine, &present);
	size_t i, j;

	for (i = 0; i < call->nr_paths && !status; i++) {
		status = plan_make(&call->wanted, call->paths[i], &present, &plan);
		for (j = 0; j < plan.count && !status; j++)
			call_tell(call, &plan.list[j]);
		plan_free(&plan);
	}
	items_free(&present);
	if (!status)
		call_told(call, "nothing to change");
	return status;
}

static int failed_at(struct call *call, struct journal *journal, const struct step *step,
		     size_t first)
{
	size_t left, taken = journal->count - first - 1;

	fail("%s:%u: %s could not be %s", step->file, step->line,
	     item_title(step->deed == DEED_REMOVE ? &step->before : &step->after),
	     step->deed == DEED_MAKE   ? "made" :
	     step->deed == DEED_REMOVE ? "removed" :
					 "changed");
	left = take_back(call, journal, first, false);
	if (left)
		fail("%s: %zu steps could not be taken back: `reschctl undo` tries again",
		     step->file, left);
	else if (taken)
		note("%s: %zu steps were taken back: all is as it was before this file", step->file,
		     taken);
	else
		note("%s: nothing of it was changed", step->file);
	return EXIT_FAILED;
}

static int carry_out(struct call *call, struct journal *journal, const struct plan *plan)
{
	size_t i, first = journal->count;
	int result;

	for (i = 0; i < plan->count; i++) {
		result = journal_step(journal, &plan->list[i]);
		if (result)
			fail("the journal of `apply` cannot be written: %s", strerror(-result));
		if (result || step_do(&call->machine, &plan->list[i]))
			return failed_at(call, journal, &plan->list[i], first);
	}
	result = plan->count ? journal_keep(journal) : 0;
	if (result)
		return fail("the journal of `apply` cannot be written: %s", strerror(-result));
	for (i = 0; i < plan->count; i++)
		call_tell(call, &plan->list[i]);
	return 0;
}

/* What stands of the files goes by what is there now. */
static int apply_file(struct call *call, struct journal *journal, const char *path, bool *begun)
{
	struct items present;
	struct plan plan = {};
	int result, status = present_read(&call->machine, &present);

	if (!status)
		status = plan_make(&call->wanted, path, &present, &plan);
	if (!status && plan.count && !*begun) {
		result = journal_run(journal);
		if (result)
			status = fail("the journal of `apply` cannot be written: %s",
				      strerror(-result));
		*begun = true;
	}
	if (!status)
		status = carry_out(call, journal, &plan);
	plan_free(&plan);
	items_free(&present);
	return status;
}

static int apply(struct call *call)
{
	struct journal *journal;
	bool begun = false;
	int status, worst;
	size_t i;

	status = journal_open(&journal, call->machine.root);
	if (status)
		return status;
	worst = take_back_unfinished(call, journal);
	for (i = 0; i < call->nr_paths && (i || !worst); i++) {
		status = apply_file(call, journal, call->paths[i], &begun);
		worst = worst ?: status;
	}
	journal_close(journal);
	call_told(call, worst ? "nothing was changed" : "nothing to change");
	return worst;
}

/* ---- apply --wait --------------------------------------------------------------------------- */

static volatile sig_atomic_t ending;

static void on_signal(int signal)
{
	(void)signal;
	ending = 1;
}

/*
 * @missing: the first wanted shield that does not stand, or NULL: all @count of them do. Return: as
 * present_read()
 */
static int look_for_fallen(const struct call *call, const struct item **missing, size_t *count)
{
	struct machine shields = { .root = call->machine.root, .fd = -1 };
	struct items present;
	size_t i, j;
	int result;

	*count = 0;
	*missing = NULL;
	result = present_read(&shields, &present);
	if (result)
		return result;
	for (i = 0; i < call->wanted.count && !*missing; i++) {
		const struct item *want = &call->wanted.list[i];

		if (want->section != SECTION_SHIELDS)
			continue;
		++*count;
		for (j = 0; j < present.count; j++) {
			if (item_is(&present.list[j], KEY_CPUS, item_text(want, KEY_CPUS)))
				break;
		}
		if (j == present.count)
			*missing = want;
	}
	items_free(&present);
	return 0;
}

static int wait_for_shields(const struct call *call)
{
	const struct timespec moment = { .tv_nsec = 500 * (long)MS };
	struct sigaction action = { .sa_handler = on_signal };
	const struct item *missing;
	size_t count;
	int result;

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	fflush(stdout);
	do {
		result = look_for_fallen(call, &missing, &count);
		if (result)
			return result;
		if (missing)
			return fail("%s has fallen: all is where it was before it",
				    item_title(missing));
		if (count)
			nanosleep(&moment, NULL);
	} while (count && !ending);
	return EXIT_DONE;
}

/* ---- the commands --------------------------------------------------------------------------- */

static int begin(int argc, char **argv, struct call *call, unsigned int takes)
{
	int status = call_parse(argc, argv, call, takes | TAKES_JSON);

	if (status >= 0)
		return status;
	if (optind == argc)
		return usage(call->command, "%s takes files, or a folder of them", call->command);
	status = read_files(call, argc - optind, argv + optind);
	if (status)
		return status;
	if (needs_device(&call->wanted)) {
		call->machine.fd = device_open();
		if (call->machine.fd < 0)
			return EXIT_NO_MODULE;
	}
	call->changes = call->json ? json_object_new_array() : NULL;
	return -1;
}

int cmd_apply(int argc, char **argv)
{
	struct call call = { .command = "apply", .help = apply_help, .machine = { "", -1 } };
	int status = begin(argc, argv, &call, TAKES_DRY | TAKES_WAIT);

	if (status < 0)
		status = call.dry ? think(&call) : apply(&call);
	if (!status && call.wait)
		status = wait_for_shields(&call);
	call_end(&call);
	return status;
}

int cmd_diff(int argc, char **argv)
{
	struct call call = { .command = "diff", .help = diff_help, .machine = { "", -1 } };
	int status = begin(argc, argv, &call, 0);

	if (status < 0)
		status = think(&call) ?: call.count ? EXIT_FAILED : EXIT_DONE;
	call_end(&call);
	return status;
}
