// SPDX-License-Identifier: GPL-2.0-or-later
/* undo.c - reschctl undo; and what apply takes back */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call.h"

static const char undo_help[] =
	"usage: reschctl undo [--all] [--json]\n"
	"\n"
	"Takes back what the last `reschctl apply` has changed, step by step; with --all, what all have since the machine\n"
	"was started. What somebody else has changed meanwhile stays as it is. What can't be taken back, as a domain with tasks,\n"
	"is said, and tried again by the next undo.\n"
	"\n"
	"  -a, --all               the work of all calls of apply\n"
	"      --root=DIR          as in `reschctl shield`\n"
	"  -j, --json              print JSON\n"
	"  -h, --help              this text\n";

size_t take_back(struct call *call, struct journal *journal, size_t first, bool aloud)
{
	struct step backwards;
	size_t i, left = 0;
	int result;

	for (i = journal->count; i-- > first;) {
		if (journal->undone[i])
			continue;
		result = step_undo(&call->machine, &journal->steps[i], &backwards);
		if (!result && aloud)
			call_tell(call, &backwards);
		if (result == 2 && aloud)
			note("%s: somebody else has changed it, or it has gone: left as it is",
			     item_title(journal->steps[i].deed == DEED_REMOVE ?
						&journal->steps[i].before :
						&journal->steps[i].after));
		if (result < 0)
			left++;
		else if (journal_undone(journal, i))
			fail("the journal of `apply` cannot be written: %s", strerror(errno));
	}
	return left;
}

static bool needs_device_back(const struct journal *journal, size_t first)
{
	size_t i;

	for (i = first; i < journal->count; i++) {
		if (!journal->undone[i] && journal->steps[i].part != PART_SHIELD &&
		    journal->steps[i].part != PART_THREAD)
			return true;
	}
	return false;
}

static int open_for(struct call *call, const struct journal *journal, size_t first)
{
	if (call->machine.fd >= 0 || !needs_device_back(journal, first))
		return 0;
	call->machine.fd = device_open();
	return call->machine.fd < 0 ? EXIT_NO_MODULE : 0;
}

int take_back_unfinished(struct call *call, struct journal *journal)
{
	size_t i = journal->kept;
	int status;

	while (i < journal->count && journal->undone[i])
		i++;
	if (i == journal->count)
		return 0;
	note("an earlier reschctl has left a file half applied: that is taken back");
	status = open_for(call, journal, i);
	if (!status && take_back(call, journal, i, false))
		status = fail("not all of it could be taken back: `reschctl undo` tries again");
	return status;
}

/* Of the last call that has steps that stand, or of all. */
static size_t undo_from(const struct journal *journal, bool all)
{
	size_t i, last = journal->count;

	while (last && journal->undone[last - 1])
		last--;
	for (i = last; i && (all || journal->runs[i - 1] == journal->runs[last - 1]);)
		i--;
	return i;
}

static int undo(struct call *call)
{
	struct journal *journal;
	int status;
	size_t left;

	status = journal_open(&journal, call->machine.root);
	if (status)
		return status;
	status = open_for(call, journal, undo_from(journal, call->all));
	if (!status) {
		left = take_back(call, journal, undo_from(journal, call->all), true);
		if (left)
			status = fail(
				"%zu steps could not be taken back: `reschctl undo` tries again",
				left);
	}
	journal_close(journal);
	call_told(call, "nothing to take back");
	return status;
}

int cmd_undo(int argc, char **argv)
{
	struct call call = { .command = "undo", .help = undo_help, .machine = { "", -1 } };
	int status = call_parse(argc, argv, &call, TAKES_ALL | TAKES_JSON);

	if (status >= 0)
		return status;
	if (optind != argc)
		return usage("undo", "undo takes options only");
	call.changes = call.json ? json_object_new_array() : NULL;
	status = undo(&call);
	call_end(&call);
	return status;
}
