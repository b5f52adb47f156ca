/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reschctl.h - what the subcommands share */
#ifndef _RESCHCTL_H
#define _RESCHCTL_H

#include <dirent.h>
#include <json-c/json.h>
#include <resch.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "exit-status.h"

#include "common/options.h"

/* ns */
#define MS 1000000ULL
#define HOUR 3600000000000ULL

/** struct command - a subcommand: run() gets its own name as argv[0] and returns an exit status */
struct command {
	const char *name;
	const char *about;
	int (*run)(int argc, char **argv);
};

int cmd_apply(int argc, char **argv);
int cmd_assign(int argc, char **argv);
int cmd_attach(int argc, char **argv);
int cmd_balance(int argc, char **argv);
int cmd_chain(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_domain(int argc, char **argv);
int cmd_events(int argc, char **argv);
int cmd_guard(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_lead(int argc, char **argv);
int cmd_level(int argc, char **argv);
int cmd_plugin(int argc, char **argv);
int cmd_release(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_save(int argc, char **argv);
int cmd_server(int argc, char **argv);
int cmd_shield(int argc, char **argv);
int cmd_start(int argc, char **argv);
int cmd_tasks(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_undo(int argc, char **argv);
int cmd_unregister(int argc, char **argv);
int cmd_unshield(int argc, char **argv);
int cmd_version(int argc, char **argv);

/* ---- plugin.c -------------------------------------------------------------------------------- */

/** plugin_absent - say that there is no module for the plugin @name. Return: EXIT_FAILED */
int plugin_absent(const char *name);

/* ---- reason.c -------------------------------------------------------------------------------- */

/**
 * verdict_words - resch_verdict_text(), and of a limit of the plugin itself what that is about
 * @plugin: the domain's; NULL: not known
 */
void verdict_words(const char *plugin, const struct resch_verdict *verdict, char *text,
		   size_t size);
/**
 * verdict_words_of - likewise, of the plugin of a domain by its id, 0: of the domain of the
 * verdict's CPU
 */
void verdict_words_of(uint32_t domain, const struct resch_verdict *verdict, char *text,
		      size_t size);

/* ---- output.c: messages, tables, JSON -------------------------------------------------------- */

/* What messages begin with: the program's name, which its main.c has. */
extern const char tool_name[];

/** fail - print "reschctl: ..." on standard error. Return: EXIT_FAILED */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** usage - likewise, and where to read on. Return: EXIT_USAGE */
int usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** note - likewise, for what is worth knowing but no failure */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * output_end - flush standard output. Return: @status, or EXIT_FAILED after a message where it
 * can't be written
 */
int output_end(int status);

/**
 * struct table - rows of texts, printed in columns as wide as they need to be
 *
 * Columns whose heading begins with '>' are flush right.
 */
struct table {
	const char *const *headings; /* ends with NULL */
	char **cells;
	size_t count, room, columns;
	const char **styles; /* of rows that have one */
	size_t styled;
	size_t width; /* of the terminal; 0: no limit */
	/* columns to do without, the first one first, where it is too narrow; ends with NULL */
	const char *const *drop;
};

void table_begin(struct table *table, const char *const *headings);
void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/**
 * table_style - the last row begun is in that style, the number of an escape sequence: "31"; a
 * static text
 */
void table_style(struct table *table, const char *style);
/** table_print - print and free */
void table_print(struct table *table, FILE *to);
void table_free(struct table *table);

/**
 * text_clean - put a ? for what is not printable UTF-8: names of threads are any bytes, and
 * terminals obey some
 */
void text_clean(char *text);
/** json_add - obj[key] = value; takes the reference */
void json_add(struct json_object *object, const char *key, struct json_object *value);
void json_add_time(struct json_object *object, const char *key, uint64_t ns);
void json_add_number(struct json_object *object, const char *key, uint64_t number);
void json_add_text(struct json_object *object, const char *key, const char *text);
/** json_show - print and free */
void json_show(struct json_object *object, FILE *to);
/** json_show_line - likewise, on one line */
void json_show_line(struct json_object *object, FILE *to);

/**
 * time_short - a measured time with three digits or so: "1.23ms"; for one call each of eight in a
 * printf
 */
const char *time_short(uint64_t ns);
/** time_text - a time exactly, with the same lifetime */
const char *time_text(uint64_t ns);
/** share_text - parts per million as "95%", with the same lifetime */
const char *share_text(uint64_t ppm);
/** cpus_text - a CPU list, with the same lifetime */
const char *cpus_text(const struct resch_cpus *cpus);

/* ---- action.c: commands with actions, such as reschctl domain list --------------------------- */

/**
 * struct action - run() gets its own name as argv[0] and returns an exit status; name NULL: the
 * last
 */
struct action {
	const char *name;
	int (*run)(int argc, char **argv);
};

/**
 * action_run - the one that argv[1] names, or the help
 * @names: what there is, for a message
 *
 * Return: an exit status.
 */
int action_run(int argc, char **argv, const struct action *actions, const char *help,
	       const char *names);

/** struct listing - an action that prints a table, or JSON */
struct listing {
	const char *command, *name; /* "domain", "domain list" */
	const char *help;
	const char *key; /* of the list in the JSON */
	/* begins the table, and fills both. Return: 0 or -errno */
	int (*fill)(int fd, struct table *table, struct json_object *list);
	const char *none; /* see list_show() */
};

/** list_run - Return: an exit status */
int list_run(int argc, char **argv, const struct listing *listing);
/**
 * list_show - print the table, or @list as member @key of an object; frees both
 * @none: what a terminal is told below a table without rows; NULL: nothing
 */
void list_show(struct table *table, struct json_object *list, const char *key, bool json,
	       const char *none);

/* ---- device.c: the device and what it says --------------------------------------------------- */

/** device_open - resch_open(), with the reason printed. Return: a descriptor, or -1 */
int device_open(void);
/** error_text - what an error of the library means in this tool's words */
const char *error_text(int error);
/** refusal_text - why a registration failed and what to do; static buffer */
const char *refusal_text(int error, const struct resch_register *reg);
/** domain_of_cpu - the domain that has a CPU. Return: its id, 0: none, or -errno; *@stat as read */
int domain_of_cpu(int fd, unsigned int cpu, struct resch_domain_stat *stat);
/**
 * plugin_split - "fp:order=rm,test=ll" into name and options of @want
 *
 * Return: 0, or -EINVAL after a message.
 */
int plugin_split(const char *text, struct resch_domain_set *want);
/**
 * domain_apply - resch_domain_set() with the refusal explained. Return: 0, or -errno after a
 * message
 */
int domain_apply(int fd, struct resch_domain_set *want);
/** balance_apply - resch_balance_set(), explained. Return: 0, or -errno after a message */
int balance_apply(int fd, uint32_t domain, uint32_t policies);
/** balance_policies - their names. Return: 0, or -EINVAL after a message */
int balance_policies(const char *command, const char *text, uint32_t *policies);
/** share_parse - "95%", "0.95" or "950000" (parts per million). Return: 0 or -EINVAL */
int share_parse(const char *text, uint32_t *ppm);
/** number_parse - a decimal number up to @max. Return: 0 or -EINVAL */
int number_parse(const char *text, uint64_t max, uint64_t *number);

struct json_object *task_json(const struct resch_task_stat *stat);
struct json_object *domain_json(const struct resch_domain_stat *stat);
/** task_table - the columns that tasks, run and attach print; then a row a task */
void task_table_begin(struct table *table);
void task_table_add(struct table *table, const struct resch_task_stat *stat);
/** task_times_add - three columns: responses on average and at most, execution at most */
void task_times_add(struct table *table, const struct resch_task_stat *stat);
/** thread_name - the name of a task: its own, else the thread's comm; static buffer */
const char *thread_name(const struct resch_task_stat *stat);
/**
 * threads_open - the threads of a process, for threads_next() and closedir(3). NULL: there is none
 */
DIR *threads_open(pid_t pid);
/** threads_next - Return: a thread id; of /proc itself: a process id; 0: there are no more */
pid_t threads_next(DIR *dir);
/** read_text - a whole small file, without the newline at its end. Return: its length, or -errno */
int read_text(const char *path, char *text, size_t size);

/* ---- rights.c: who may ---------------------------------------------------------------------- */

/** rights_missing - which right this process lacks to change something, in words; NULL: none */
const char *rights_missing(void);
/** thread_is_kernels - is it one of the kernel's own? */
bool thread_is_kernels(pid_t tid);

/* ---- spec.c: parameters of a task, as people write them -------------------------------------- */

/** struct spec - parameters that were given for a task, and for which threads (run) */
struct spec {
	struct resch_task_params params;
	/* "": the program itself; "#2": the third thread; else a pattern for the thread's name */
	char match[64];
	bool matched;
};

/* A program that says nothing of overruns is kept to what it asked for, as SCHED_DEADLINE does. */
#define SPEC_INIT                                                                       \
	{                                                                               \
		.params = {.cpu = -1, .kind = RESCH_WAKEUP, .overrun = RESCH_THROTTLE } \
	}

/**
 * spec_set - one parameter; @key as the long options are called. Return: 0, or -EINVAL after a
 * message
 */
int spec_set(struct spec *spec, const char *key, const char *value);
/** spec_parse - "COMM:runtime=2ms,period=10ms". Return: 0, or -EINVAL after a message */
int spec_parse(struct spec *spec, const char *text);
/** spec_check - is the whole in the ranges of the ABI? Return: 0, or -EINVAL after a message */
int spec_check(const struct spec *spec);

/** option_spec - option_row.take: spec_set() of the first spec of those at @to, a struct spec ** */
int option_spec(const struct option_table *table, const struct option_row *row, const char *value);

/* clang-format off */
#define SPEC_OPTION(name, value, specs, given) { name, 0, value, option_spec, specs, 0, 0, given }
#define SPEC_OPTIONS(specs, given) \
	SPEC_OPTION("runtime", "time", specs, given), SPEC_OPTION("period", "time", specs, given), \
	SPEC_OPTION("deadline", "time", specs, given), SPEC_OPTION("offset", "time", specs, given), \
	SPEC_OPTION("kind", "kinds", specs, given), SPEC_OPTION("signal", "signals", specs, given), \
	SPEC_OPTION("overrun", "reactions", specs, given), \
	SPEC_OPTION("miss", "reactions", specs, given), \
	SPEC_OPTION("priority", "number", specs, given), SPEC_OPTION("cpu", "cpu", specs, given), \
	SPEC_OPTION("group", "number", specs, given), SPEC_OPTION("name", "name", specs, given), \
	SPEC_OPTION("sync", NULL, specs, given), SPEC_OPTION("skip-admission", NULL, specs, given)
/* clang-format on */

#define SPEC_HELP                                                                                       \
	"Parameters of a task (times: 500us, 2ms, 1.5s):\n"                                             \
	"      --runtime=TIME      worst-case execution time of a job (required)\n"                     \
	"      --period=TIME       period, or minimum time between jobs (required)\n"                   \
	"      --deadline=TIME     relative deadline (default: the period)\n"                           \
	"      --offset=TIME       first release after the start\n"                                     \
	"      --kind=KIND         what begins a job (default: wakeup)\n"                               \
	"                          @kinds?@\n"                                                          \
	"      --overrun=REACTION  when a job exceeds its runtime (default: throttle)\n"                \
	"                          @reactions?@\n"                                                      \
	"      --miss=REACTION     when a job misses its deadline (default: count)\n"                   \
	"      --signal=SIGNAL     for the reaction signal: USR1, RTMIN+3, 34\n"                        \
	"      --priority=N        1 (most urgent) to 10000, for plugins with explicit priorities\n"    \
	"      --group=N           group of the domain's plan, for sekg and npsf; server, for server\n" \
	"      --cpu=N             CPU to run on (default: one where there is room)\n"                  \
	"      --name=NAME         for people; up to 15 bytes\n"                                        \
	"      --sync              first release waits for `reschctl start`\n"                          \
	"      --skip-admission    no test, and no promise\n"

#endif /* _RESCHCTL_H */
