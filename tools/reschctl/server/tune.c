// SPDX-License-Identifier: GPL-2.0-or-later
/* tune.c - reschctl server tune: a server's budget follows what its tasks use */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include <resch-server.h>

#include "common/screen.h"
#include "server.h"

static const char help[] =
	"usage: reschctl server tune DOMAIN:ID [OPTION...]\n"
	"\n"
	"Has the budget of a server follow what its tasks use, until it is interrupted or the server is gone, and says\n"
	"each change: to so much over the most that was used on an average in one of the last samples, as far as\n"
	"admission allows. While the budget is used up it grows by that each time; when less is used it becomes\n"
	"smaller after the last sample of more has gone. The period should be the one that the program works in.\n"
	"Interrupted, it leaves the budget as it is.\n"
	"\n"
	"      --min=TIME          the budget is not to be less (default: a hundredth of the period, or 10us)\n"
	"      --max=TIME          nor more (default: the period)\n"
	"      --interval=TIME     between two looks, a period or more: a sample (default: 10 periods, at least 100ms)\n"
	"      --spare=PERCENT     more than what was used, 5 to 400 (default: 20)\n"
	"      --window=N          so many samples count, 1 to 64 (default: 16)\n"
	"      --ignore=N          but not so many of the largest, less than the window (default: 0)\n"
	"      --changes=N         end after so many changes\n"
	"  -q, --quiet             nothing but errors\n"
	"  -j, --json              print a line of JSON for each change; times in ns\n"
	"  -h, --help              this text\n";

#define MS 1000000ULL
#define HOUR 3600000000000ULL

/** struct tuning - a run of it */
struct tuning {
	struct resch_tune tune;
	struct resch_server_set want;
	uint64_t interval, changes;
	bool json, quiet;
	uint64_t refused; /* the budget up to which admission went last, which has been said */
};

static int tuning_parse(int argc, char **argv, struct tuning *tuning)
{
	uint64_t spare = 20, window = 16, ignore = 0;
	const struct option_row rows[] = {
		{ "min", 0, "time", option_time, &tuning->tune.least, 1, HOUR },
		{ "max", 0, "time", option_time, &tuning->tune.most, 1, HOUR },
		{ "interval", 0, "time", option_time, &tuning->interval, 1, 10 * HOUR },
		{ "spare", 0, "number", option_number, &spare, RESCH_TUNE_SPARE_MIN,
		  RESCH_TUNE_SPARE_MAX },
		{ "window", 0, "number", option_number, &window, 1, RESCH_TUNE_WINDOW },
		{ "ignore", 0, "number", option_number, &ignore, 0, RESCH_TUNE_WINDOW - 1 },
		{ "changes", 0, "number", option_number, &tuning->changes, 1, INT32_MAX },
		{ "quiet", 'q', NULL, option_flag, &tuning->quiet },
		OPTION_JSON(&tuning->json),
		{},
	};
	const struct option_table table = { "server", help, "servers", false, rows };
	int result = options_run(argc, argv, &table);

	if (result >= 0)
		return result;
	tuning->tune.spare = (uint32_t)spare;
	tuning->tune.window = (uint32_t)window;
	tuning->tune.ignore = (uint32_t)ignore;
	if (ignore >= window)
		return usage("server",
			     "--ignore=%" PRIu64 " leaves nothing of a window of %" PRIu64, ignore,
			     window);
	if (tuning->tune.most && tuning->tune.least > tuning->tune.most)
		return usage("server", "--min=%s is more than --max=%s",
			     time_text(tuning->tune.least), time_text(tuning->tune.most));
	if (optind + 1 != argc ||
	    server_parse_id(argv[optind], &tuning->want.domain, &tuning->want.id))
		return usage("server",
			     "server tune takes DOMAIN:ID, as `reschctl server list` shows it");
	return -1;
}

/* What is not given goes by the server's period. Return: 0, or an exit status after a message. */
static int tuning_complete(struct tuning *tuning, const struct resch_server_stat *stat)
{
	uint64_t period = stat->params.period;
	struct resch_tune *tune = &tuning->tune;

	if (stat->band)
		return fail(
			"server %u:%u is of a band, whose servers have one size: tune a single one",
			stat->domain, stat->id);
	if (!tune->least)
		tune->least = period / 100 > 10000 ? period / 100 : 10000;
	if (!tune->most)
		tune->most = period;
	if (!tuning->interval)
		tuning->interval = 10 * period > 100 * MS ? 10 * period : 100 * MS;
	if (tuning->interval < period)
		return fail("an interval of %s is less than the server's period, %s",
			    time_text(tuning->interval), time_text(period));
	if (tune->least > tune->most)
		return fail("a budget of %s or more is not %s at most: see --min, --max",
			    time_text(tune->least), time_text(tune->most));
	return 0;
}

static void say(const struct tuning *tuning)
{
	const struct resch_tune *tune = &tuning->tune;
	const struct resch_server_set *want = &tuning->want;
	uint64_t used = tune->seen ? tune->used[(tune->seen - 1) % tune->window] : 0;
	struct json_object *line;

	if (tuning->json) {
		line = json_object_new_object();
		json_add(line, "domain", json_object_new_int64(want->domain));
		json_add(line, "id", json_object_new_int64(want->id));
		json_add_time(line, "budget", want->params.budget);
		json_add_time(line, "period", want->params.period);
		json_add_time(line, "used", used);
		json_add(line, "refused", json_object_new_boolean(want->verdict.bound != 0));
		puts(json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN));
		json_object_put(line);
	} else if (!tuning->quiet) {
		printf("server %u:%u: %s of %s; used: %s%s\n", want->domain, want->id,
		       time_text(want->params.budget), time_text(want->params.period),
		       time_short(used), want->verdict.bound ? "; more is refused" : "");
	}
	fflush(stdout);
}

/* A refusal is said once, until there is another budget. */
static void say_refused(struct tuning *tuning)
{
	char why[RESCH_VERDICT_TEXT];

	if (tuning->refused == tuning->want.params.budget)
		return;
	tuning->refused = tuning->want.params.budget;
	resch_verdict_text_for(&tuning->want.verdict, "budget", why, sizeof(why));
	if (!tuning->quiet)
		note("server %u:%u stays at %s: %s", tuning->want.domain, tuning->want.id,
		     time_text(tuning->want.params.budget), why);
}

/* Return: an exit status. */
static int tuning_run(int fd, struct tuning *tuning)
{
	uint64_t changes = 0;
	int result;

	watch_signals();
	do {
		result = resch_server_tune(fd, &tuning->tune, &tuning->want);
		if (result == 1) {
			say(tuning);
			if (++changes == tuning->changes)
				return EXIT_DONE;
		} else if (result == -EBUSY) {
			say_refused(tuning);
		} else if (result == -ENOENT || result == -ENODEV) {
			if (!tuning->quiet)
				note("server %u:%u is gone", tuning->want.domain, tuning->want.id);
			return EXIT_DONE;
		} else if (result) {
			return server_explain(result, tuning->want.domain, tuning->want.id,
					      &tuning->want.verdict);
		}
	} while (!watch_wait(tuning->interval));
	return EXIT_DONE;
}

int server_tune(int argc, char **argv)
{
	struct tuning tuning = {};
	struct resch_server_stat stat;
	int fd, result;

	result = tuning_parse(argc, argv, &tuning);
	if (result >= 0)
		return result;
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	result = resch_server_stat(fd, tuning.want.domain, tuning.want.id, &stat);
	if (result)
		result = server_explain(result, tuning.want.domain, tuning.want.id,
					&tuning.want.verdict);
	else
		result = tuning_complete(&tuning, &stat);
	if (!result)
		result = tuning_run(fd, &tuning);
	close(fd);
	return result;
}
