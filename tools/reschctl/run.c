// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run.c - reschctl run
 *
 * The program registers itself, on our descriptor, between fork() and execve(): that works on every
 * kernel, no other thread of it can run before, and as a RESCH_WAKEUP task it stays registered
 * through execve() because we keep the descriptor. Its other threads are found in /proc and
 * registered from here.
 */
#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/owner.h"
#include "common/program.h"

/* Threads are looked for often while new ones appear, then now and then. ms, ns. */
#define SCAN_FAST 2
#define SCAN_SLOW 20
#define SCAN_FAST_TIME 3000000000
#define REFRESH 100
/*
 * A new thread has its creator's name until it gets its own: that long no rule for the creator's
 * name takes it. ns
 */
#define NAME_TIME 20000000

static const char help[] =
	"usage: reschctl run --policy=NAME --runtime=TIME --period=TIME [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
	"       reschctl run --policy=NAME --thread=MATCH:KEY=VALUE,... [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
	"       reschctl run --config=FILE [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
	"\n"
	"Runs a program with real-time parameters: its first thread with those of --runtime, --period, ...; other\n"
	"threads with those of the first --thread that matches. Threads that none matches stay ordinary.\n"
	"Signals are passed on to the program; at its end its statistics are printed.\n"
	"\n"
	"  -t, --thread=MATCH:KEY=VALUE,...  parameters of the threads whose name (/proc/PID/task/TID/comm) matches the\n"
	"                          pattern MATCH, or, with #N, of the thread that appeared N-th: #0 is the first.\n"
	"                          Keys are the parameters below. Needs a kernel that exports task_work_add\n"
	"      --config=FILE       JSON: {\"policy\": \"edf\", \"cpus\": \"1-2\", \"threads\": [{\"match\": \"worker*\",\n"
	"                          \"runtime\": \"2ms\", \"period\": \"10ms\", \"cpu\": 1}, ...]}\n" OWNER_HELP
	"\n" PLACE_HELP "\n" SPEC_HELP "\n"
	"Exit status: the program's, 128 + N if signal N killed it; 125: reschctl failed or the task was refused;\n"
	"126: the program cannot be executed; 127: there is none.\n";

/** struct run - one call of `reschctl run` */
struct run {
	struct owner owner;
	struct place place;
	struct spec *specs;
	size_t nr_specs;
	const struct spec *self; /* the program's own, NULL: none; points into specs */
	bool watch; /* some are for other threads */
	bool quiet;
	pid_t pid;
	int order; /* threads seen so far */
	uint64_t last_new; /* when the last one was, ns */
	char **program;
};

/* ---- the program ----------------------------------------------------------------------------- */

static void name_from_path(char *name, const char *path)
{
	const char *slash = strrchr(path, '/');

	snprintf(name, RESCH_NAME_LEN, "%s", slash ? slash + 1 : path);
}

static void own_program(struct run *run, const struct resch_register *reg)
{
	struct owned *owned;
	uint64_t start_time = 0;

	resch_start_time(run->pid, &start_time);
	owned = owner_add(&run->owner, run->pid, start_time);
	owned->order = run->order++;
	owned->tried = true;
	owned->id = reg->id;
	name_from_path(owned->name, run->program[0]);
	owned->stat.id = reg->id;
	owned->stat.pid = run->pid;
	owned->stat.cpu = reg->cpu;
	owned->stat.params = reg->params;
}

/* Return: 0: the program runs; else an exit status after a message, and the child is gone. */
static int launch(struct run *run, const sigset_t *mask)
{
	struct resch_register reg = { .domain = run->owner.domain };
	struct program program = {
		.words = run->program,
		.device = run->owner.fd,
		.reg = run->self ? &reg : NULL,
		.why = refusal_text,
	};
	int result;

	if (run->self) {
		reg.params = run->self->params;
		/* The thread has our name as yet. */
		if (!reg.params.name[0])
			name_from_path(reg.params.name, run->program[0]);
	}
	result = program_start(&program, mask);
	run->pid = program.pid;
	if (!result && reg.id)
		own_program(run, &reg);
	return result;
}

/* ---- its threads ----------------------------------------------------------------------------- */

static void thread_comm(const struct run *run, pid_t tid, char *comm, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", run->pid, tid);
	if (read_text(path, comm, size) < 0)
		*comm = 0;
}

static bool matches(const struct spec *spec, const struct owned *owned, const char *comm,
		    bool settled)
{
	uint64_t order;

	if (spec->match[0] == '#' && !number_parse(spec->match + 1, INT32_MAX, &order))
		return (uint64_t)owned->order == order;
	return settled && !fnmatch(spec->match, comm, 0);
}

static void try_rules(struct run *run, struct owned *owned, const char *leader)
{
	char comm[32];
	bool settled;
	size_t i;

	thread_comm(run, owned->tid, comm, sizeof(comm));
	settled = owned->tid == run->pid || strcmp(comm, leader) ||
		  resch_now() - owned->seen > NAME_TIME;
	for (i = 0; i < run->nr_specs; i++) {
		struct spec *spec = &run->specs[i];

		if (!spec->match[0] || !matches(spec, owned, comm, settled))
			continue;
		snprintf(owned->name, sizeof(owned->name), "%.15s", comm);
		text_clean(owned->name);
		spec->matched = true;
		owner_register(&run->owner, owned, spec);
		return;
	}
}

struct found {
	pid_t tid;
	uint64_t start_time;
};

static int by_age(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->start_time != y->start_time)
		return x->start_time < y->start_time ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void scan(struct run *run)
{
	struct found found[64];
	size_t count = 0, i;
	char leader[32];
	uint64_t start_time;
	struct owned *owned;
	DIR *dir = threads_open(run->pid);
	pid_t tid;

	if (!dir)
		return;
	while (count < sizeof(found) / sizeof(found[0]) && (tid = threads_next(dir))) {
		if (resch_start_time(tid, &start_time) || owner_find(&run->owner, tid, start_time))
			continue;
		found[count].tid = tid;
		found[count++].start_time = start_time;
	}
	closedir(dir);
	/*
	 * The order in which they came, also for those that came since the last look. More than fit
	 * come next time.
	 */
	qsort(found, count, sizeof(found[0]), by_age);
	for (i = 0; i < count; i++) {
		owned = owner_add(&run->owner, found[i].tid, found[i].start_time);
		owned->order = run->order++;
		run->last_new = owned->seen;
	}

	thread_comm(run, run->pid, leader, sizeof(leader));
	for (i = 0; i < run->owner.count; i++) {
		owned = &run->owner.tasks[i];
		if (!owned->tried)
			try_rules(run, owned, leader);
	}
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Return: true: the program has ended, with *@status as from waitpid(2). */
static bool take_signals(const struct run *run, int signals, int *status)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			if (waitpid(run->pid, status, WNOHANG) == run->pid)
				return true;
			continue;
		}
		/* What the terminal sends, the program has had from it, too. */
		if (info.ssi_code != SI_KERNEL)
			kill(run->pid, (int)info.ssi_signo);
	}
	return false;
}

/* Return: the status as from waitpid(2). */
static int supervise(struct run *run, int signals)
{
	struct pollfd fds[2] = { { .fd = signals, .events = POLLIN },
				 { .fd = run->owner.fd, .events = POLLIN } };
	uint64_t refreshed = 0;
	int status = 0;

	run->last_new = resch_now();
	for (;;) {
		uint64_t now = resch_now();
		int timeout = REFRESH;

		if (run->watch) {
			scan(run);
			timeout = now - run->last_new < SCAN_FAST_TIME ? SCAN_FAST : SCAN_SLOW;
		}
		if (now - refreshed >= REFRESH * 1000000ULL) {
			owner_refresh(&run->owner);
			refreshed = now;
		}
		poll(fds, 2, timeout);
		/* The last figures of a thread that has ended can be had just now. */
		if (owner_events(&run->owner))
			owner_refresh(&run->owner);
		if (take_signals(run, signals, &status))
			return status;
	}
}

static void finish(struct run *run, int status)
{
	struct json_object *out;
	size_t i;

	owner_events(&run->owner);
	owner_refresh(&run->owner);
	for (i = 0; i < run->owner.count; i++)
		run->owner.tasks[i].stat.state = RESCH_STATE_GONE;
	for (i = 0; i < run->nr_specs; i++) {
		if (run->specs[i].match[0] && !run->specs[i].matched)
			note("no thread matched '%s'", run->specs[i].match);
	}
	if (run->quiet)
		return;
	out = json_object_new_object();
	json_add(out, "program", program_json(run->program));
	json_add(out, "status", json_object_new_int(status));
	owner_report(&run->owner, out);
}

static int run_program(struct run *run)
{
	sigset_t mask;
	int signals, result;

	signals = program_signals(&mask);
	if (signals < 0)
		return EXIT_RUN;
	result = launch(run, &mask);
	if (!result) {
		result = program_status(supervise(run, signals));
		finish(run, result);
	}
	owner_end(&run->owner);
	close(signals);
	return result;
}

/* ---- the command line ------------------------------------------------------------------------ */

static int take_thread(const struct option_table *table, const struct option_row *row,
		       const char *value)
{
	struct run *run = row->to;
	struct spec *spec = specs_add(&run->specs, &run->nr_specs);

	(void)table;
	return spec && !spec_parse(spec, value) ? -1 : EXIT_USAGE;
}

static int take_config(const struct option_table *table, const struct option_row *row,
		       const char *value)
{
	struct run *run = row->to;

	(void)table;
	return config_read(value, &run->place, &run->specs, &run->nr_specs) ? EXIT_USAGE : -1;
}

/*
 * The program's own parameters are the first of the specs while options are read; @given: there
 * were any.
 */
static int parse(int argc, char **argv, struct run *run, bool *given)
{
	const struct option_row rows[] = {
		PLACE_OPTIONS(&run->place),
		SPEC_OPTIONS(&run->specs, given),
		OWNER_OPTIONS(&run->owner, &run->quiet),
		{ "thread", 't', "rule", take_thread, run },
		{ "config", 0, "file", take_config, run },
		{},
	};
	const struct option_table table = { "run", help, "program", true, rows };

	return options_run(argc, argv, &table);
}

/*
 * Which specs are for the program itself, and which for threads to be found. Return: 0, or an exit
 * status.
 */
static int sort_specs(struct run *run, bool given)
{
	struct resch_info info;
	size_t i;

	if (!given) {
		run->nr_specs--;
		memmove(run->specs, run->specs + 1, run->nr_specs * sizeof(*run->specs));
	}
	if (!run->nr_specs)
		return usage("run", "no parameters: --runtime and --period, --thread, or --config");
	for (i = 0; i < run->nr_specs; i++) {
		struct spec *spec = &run->specs[i];

		if (spec_check(spec))
			return EXIT_USAGE;
		/* Other kinds end with execve(), so these are registered after it, from outside. */
		if (!spec->match[0] && spec->params.kind != RESCH_WAKEUP)
			snprintf(spec->match, sizeof(spec->match), "#0");
		if (spec->match[0]) {
			run->watch = true;
			continue;
		}
		if (run->self)
			return usage("run", "two sets of parameters for the program itself");
		run->self = spec;
	}
	if (run->watch && !resch_info(run->owner.fd, &info) &&
	    !(info.features & RESCH_FEATURE_REMOTE))
		return fail(
			"this kernel does not export task_work_add, so only the program's first thread can be "
			"registered, as kind wakeup: leave --thread, --config and --kind out");
	return 0;
}

/* Return: 0, or an exit status after a message. */
static int run_prepare(struct run *run, bool given)
{
	int result;

	/* Complain of parameters even where there is no module. */
	run->owner.fd = resch_open();
	result = sort_specs(run, given);
	if (result)
		return result;
	if (run->owner.fd < 0)
		return fail("%s", resch_open_reason(run->owner.fd));
	result = place_find(run->owner.fd, &run->place, run->specs, run->nr_specs);
	run->owner.domain = run->place.domain;
	return result;
}

int cmd_run(int argc, char **argv)
{
	struct run run = { .owner.fd = -1 };
	bool given = false;
	int result;

	if (!specs_add(&run.specs, &run.nr_specs))
		return EXIT_RUN;
	result = parse(argc, argv, &run, &given);
	if (result == EXIT_DONE)
		goto out;
	run.program = argv + optind;
	if (result < 0 && optind == argc)
		result = usage("run", "which program?");
	if (result < 0 && !run_prepare(&run, given)) {
		result = run_program(&run);
		place_leave(run.owner.fd, &run.place);
	} else {
		/*
		 * Small numbers are the program's: ours are told apart from them, as env(1) and
		 * timeout(1) do.
		 */
		result = EXIT_RUN;
	}
	if (run.owner.fd >= 0)
		close(run.owner.fd);
out:
	json_object_put(run.place.config);
	free(run.specs);
	return result;
}
