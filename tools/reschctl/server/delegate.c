// SPDX-License-Identifier: GPL-2.0-or-later
/* delegate.c - reschctl server delegate: a server for a user or a group without rights */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server.h"

static const char help[] =
	"usage: reschctl server delegate DOMAIN:ID {--user=NAME | --group=NAME} [OPTION...]\n"
	"       reschctl server delegate DOMAIN:ID --withdraw\n"
	"\n"
	"Gives a server (of a band: all of it) to a user or a group: without any rights on the machine they may have\n"
	"their own programs and threads run in it, by `reschctl run`, `server run --in`, `server attach` or the\n"
	"library, and nothing more. They need the device open: see reschctl(8). To give it to somebody else, or to\n"
	"take it back, ends what they have in it.\n"
	"\n"
	"      --user=NAME         a user, or its number\n"
	"      --group=NAME        a group, or its number\n"
	"      --tasks=N           so many tasks there may be in it; new processes then wait (default: 64)\n"
	"      --priority=N        the most urgent --priority that they may ask for, from 1 (default: any)\n"
	"      --rate=N            releases a second of all their tasks together (default: 10000)\n"
	"      --withdraw          it is nobody's any more\n"
	"  -h, --help              this text\n";

/* ---- holders in words ------------------------------------------------------------------------ */

static int user_parse(const char *text, uint32_t *who)
{
	const struct passwd *user = getpwnam(text);
	uint64_t number;

	if (!user && (number_parse(text, UINT32_MAX - 1, &number)))
		return -EINVAL;
	*who = user ? user->pw_uid : (uint32_t)number;
	return 0;
}

static int group_parse(const char *text, uint32_t *who)
{
	const struct group *group = getgrnam(text);
	uint64_t number;

	if (!group && number_parse(text, UINT32_MAX - 1, &number))
		return -EINVAL;
	*who = group ? group->gr_gid : (uint32_t)number;
	return 0;
}

int holder_parse(const char *text, uint32_t *holder, uint32_t *who)
{
	*who = 0;
	if (!*text) {
		*holder = RESCH_HOLDER_NONE;
		return 0;
	}
	if (!strncmp(text, "user:", 5)) {
		*holder = RESCH_HOLDER_USER;
		return user_parse(text + 5, who);
	}
	if (!strncmp(text, "group:", 6)) {
		*holder = RESCH_HOLDER_GROUP;
		return group_parse(text + 6, who);
	}
	return -EINVAL;
}

void holder_format(uint32_t holder, uint32_t who, char *text, size_t size)
{
	const struct passwd *user = holder == RESCH_HOLDER_USER ? getpwuid(who) : NULL;
	const struct group *group = holder == RESCH_HOLDER_GROUP ? getgrgid(who) : NULL;
	const char *name = user ? user->pw_name : group ? group->gr_name : NULL;
	const char *kind = holder == RESCH_HOLDER_USER ? "user" : "group";

	if (holder == RESCH_HOLDER_NONE)
		*text = 0;
	else if (name)
		snprintf(text, size, "%s:%s", kind, name);
	else
		snprintf(text, size, "%s:%u", kind, who);
}

struct json_object *holder_json(const struct resch_server_stat *stat)
{
	struct json_object *holder = json_object_new_object();
	char text[HOLDER_TEXT];

	holder_format(stat->holder, stat->who, text, sizeof(text));
	json_add_text(holder, "who", text);
	json_add(holder, "id", json_object_new_int64(stat->who));
	json_add(holder, "tasks", json_object_new_int64(stat->holder_tasks));
	json_add(holder, "priority", json_object_new_int64(stat->holder_priority));
	json_add(holder, "rate", json_object_new_int64(stat->holder_rate));
	return holder;
}

/* ---- the command ----------------------------------------------------------------------------- */

/** struct wish - what the options say */
struct wish {
	const char *user, *group;
	uint64_t tasks, priority, rate;
	bool withdraw;
};

static int wish_parse(int argc, char **argv, struct wish *wish)
{
	const struct option_row rows[] = {
		{ "user", 0, "users", option_text, &wish->user },
		{ "group", 0, "groups", option_text, &wish->group },
		{ "tasks", 0, "number", option_number, &wish->tasks, 1, RESCH_DELEGATE_TASKS_MAX },
		{ "priority", 0, "number", option_number, &wish->priority, 1, 10000 },
		{ "rate", 0, "number", option_number, &wish->rate, 1, RESCH_DELEGATE_RATE_MAX },
		{ "withdraw", 0, NULL, option_flag, &wish->withdraw },
		{},
	};
	const struct option_table table = { "server", help, "servers", false, rows };
	int result = options_run(argc, argv, &table);

	if (result >= 0)
		return result;
	if (!!wish->user + !!wish->group + wish->withdraw != 1)
		return usage("server", "server delegate is to one of --user, --group, --withdraw");
	if (wish->withdraw && (wish->tasks || wish->priority || wish->rate))
		return usage("server", "--withdraw takes all back: no ceilings with it");
	return -1;
}

/* Return: 0, or an exit status after a message. */
static int wish_holder(const struct wish *wish, struct resch_delegate *want)
{
	if (wish->withdraw)
		return 0;
	want->tasks = wish->tasks ? (uint32_t)wish->tasks : (uint32_t)atoi(HOLDER_TASKS);
	want->priority = (uint32_t)wish->priority;
	want->rate = (uint32_t)wish->rate;
	want->holder = wish->user ? RESCH_HOLDER_USER : RESCH_HOLDER_GROUP;
	if (wish->user && user_parse(wish->user, &want->who))
		return fail("there is no user %s", wish->user);
	if (wish->group && group_parse(wish->group, &want->who))
		return fail("there is no group %s", wish->group);
	return 0;
}

int server_give(int fd, const struct resch_delegate *want)
{
	int result = resch_server_delegate(fd, want);

	switch (-result) {
	case 0:
		return 0;
	case ENOTTY:
		return fail("the module is older than reschctl, and delegates no servers");
	case EINVAL:
		return fail("server %u:%u is that of the rest of Linux, and takes no tasks",
			    want->domain, want->id);
	case ENODEV:
	case ENOENT:
		return fail("there is no server %u:%u: see `reschctl server list`", want->domain,
			    want->id);
	default:
		return fail("server delegate: %s", error_text(result));
	}
}

int server_delegate(int argc, char **argv)
{
	struct resch_delegate want = {};
	struct resch_server_stat stat;
	struct wish wish = {};
	int fd, result;

	result = wish_parse(argc, argv, &wish);
	if (result >= 0)
		return result;
	if (optind + 1 != argc || server_parse_id(argv[optind], &want.domain, &want.id))
		return usage("server",
			     "server delegate takes DOMAIN:ID, as `reschctl server list` shows it");
	result = wish_holder(&wish, &want);
	if (result)
		return result;
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	/* A band is given as a whole, whichever of its servers is named. */
	if (!resch_server_stat(fd, want.domain, want.id, &stat) && stat.band)
		want.id = stat.band;
	result = server_give(fd, &want);
	close(fd);
	return result;
}
