/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owner.h - what run and attach share: a domain to be in, tasks that this process registers and
 * owns
 */
#ifndef _RESCHCTL_OWNER_H
#define _RESCHCTL_OWNER_H

#include "reschctl.h"

/** struct place - where tasks are to run, as asked for; then where they do */
struct place {
	const char *policy; /* NAME[:options]; NULL: that of the domain there is */
	const char *domain_text; /* --domain */
	const char *cpus_text; /* --cpus */
	const char *capacity, *overhead; /* for a new domain */
	bool keep; /* leave a new domain standing */
	struct json_object *config; /* the texts above may be in it */
	uint32_t domain; /* the answer */
	bool made; /* ours to remove */
};

/* clang-format off */
#define PLACE_OPTIONS(place) \
	{ "policy", 'p', "plugins", option_text, &(place)->policy }, \
	{ "plugin", 0, "plugins", option_text, &(place)->policy }, \
	{ "domain", 0, "domains", option_text, &(place)->domain_text }, \
	{ "cpus", 0, "cpus", option_text, &(place)->cpus_text }, \
	{ "capacity", 0, "share", option_text, &(place)->capacity }, \
	{ "overhead", 0, "time", option_text, &(place)->overhead }, \
	{ "keep", 0, NULL, option_flag, &(place)->keep }
/* clang-format on */

#define PLACE_HELP                                                                                                   \
	"Where:\n"                                                                                                   \
	"  -p, --policy=NAME[:KEY=VALUE,...]  scheduling plugin. The domain of the CPUs asked for is joined if it\n" \
	"                          has this one; where there is none, one is made, and removed at the end\n"         \
	"      --cpus=LIST         CPUs of the domain (default: those of the tasks, else a free one)\n"              \
	"      --domain=ID         join this domain\n"                                                               \
	"      --capacity=SHARE, --overhead=TIME  for a new domain: see `reschctl domain --help`\n"                  \
	"      --keep              do not remove the new domain at the end\n"

/** place_find - join or make the domain. Return: 0, or an exit status after a message */
int place_find(int fd, struct place *place, const struct spec *specs, size_t count);
/**
 * place_leave - remove the domain if it was made here and nobody else has joined it; all our tasks
 * have left
 */
void place_leave(int fd, const struct place *place);

/** struct owned - a thread that this process has registered, or tried to */
struct owned {
	pid_t tid;
	uint64_t start_time;
	uint64_t seen; /* ns, when it was seen first */
	int order; /* the how manieth of its process it was */
	bool tried; /* no rule will be looked for any more */
	char name[RESCH_NAME_LEN]; /* for messages */
	uint32_t id; /* 0: refused, or no rule is for it */
	char refused[RESCH_VERDICT_TEXT + 128];
	/* as last seen: the module forgets it some time after its end */
	struct resch_task_stat stat;
};

/** struct owner - the descriptor and the tasks it owns */
struct owner {
	int fd;
	uint32_t domain;
	bool show_events, json;
	const char *output; /* NULL: standard error for tables, standard output for JSON */
	struct owned *tasks;
	size_t count, room;
};

/* clang-format off */
#define OWNER_OPTIONS(owner, quiet) \
	{ "events", 0, NULL, option_flag, &(owner)->show_events }, \
	{ "output", 'o', "file", option_text, &(owner)->output }, \
	{ "quiet", 'q', NULL, option_flag, quiet }, \
	OPTION_JSON(&(owner)->json)
/* clang-format on */

#define OWNER_HELP                                                                                                \
	"      --events            print each overrun and miss that was asked to be notified\n"                   \
	"  -o, --output=FILE       write the statistics there (default: standard error; JSON: standard output)\n" \
	"  -q, --quiet             no statistics\n"                                                               \
	"  -j, --json              statistics as JSON; times in ns\n"                                             \
	"  -h, --help              this text\n"

struct owned *owner_add(struct owner *owner, pid_t tid, uint64_t start_time);
struct owned *owner_find(struct owner *owner, pid_t tid, uint64_t start_time);
/** owner_register - register a thread from outside. Return: 0, or -errno after a message */
int owner_register(struct owner *owner, struct owned *owned, const struct spec *spec);
/** owner_refresh - read the statistics of all tasks again */
void owner_refresh(struct owner *owner);
/** owner_events - fetch and perhaps print what happened. Return: tasks that have ended */
int owner_events(struct owner *owner);
/** owner_report - print the statistics; @extra: more members for the JSON, taken */
void owner_report(struct owner *owner, struct json_object *extra);
/** owner_end - unregister what still stands, and free */
void owner_end(struct owner *owner);

/**
 * config_read - the JSON file of --config. Return: 0, or -EINVAL after a message; *@count specs are
 * added
 */
int config_read(const char *path, struct place *place, struct spec **specs, size_t *count);
/** specs_add - room for one more. Return: a fresh one, or NULL */
struct spec *specs_add(struct spec **specs, size_t *count);

#endif /* _RESCHCTL_OWNER_H */
