// SPDX-License-Identifier: GPL-2.0-or-later
/* shield.c - reschctl shield, unshield: make CPUs RT CPUs, and give them back */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shield.h"

static const char shield_help[] =
	"usage: reschctl shield CPUS [--irq=LIST] [--keep-irq=LIST] [--keep-task=LIST] [--latency]\n"
	"                       [--plugin=NAME[:options]] [--json]\n"
	"       reschctl shield status [--json]\n"
	"\n"
	"Makes RT CPUs: interrupts, kernel threads, unbound work queues and tasks leave them, as far as the kernel lets\n"
	"them, and newcomers are kept away. `reschctl unshield` puts all back; so does the end of the module, and of\n"
	"the processes that keep the shield, however they end. What somebody else changes meanwhile stays changed.\n"
	"\n"
	"      --keep-irq=LIST     interrupts to leave alone: numbers, ranges (24-26), names as in /proc/irq/*/, or patterns\n"
	"                          (eth1*), which count for those that come later, too; '-': none\n"
	"      --irq=LIST          interrupts to send to CPUs of the shield: NAME:CPU, as eth1*:2,24:3; '-': none\n"
	"      --keep-task=LIST    processes or threads to leave alone: their ids; '-': none\n"
	"      --latency           these CPUs don't sleep deeply and run at full frequency, timers stay where they are\n"
	"                          armed, statistics are folded every two minutes: that takes power\n"
	"  -p, --plugin=NAME[:KEY=VALUE,...]  make the CPUs a domain with this plugin, too\n"
	"      --root=DIR          work on the files below DIR instead of /, a copy of a machine's\n"
	"  -j, --json              print JSON\n"
	"  -h, --help              this text\n"
	"\n"
	"With the CPUs of a shield that stands, --irq, --keep-irq, --keep-task and --latency change it.\n"
	"\n"
	"Left alone: resch tasks, and SCHED_FIFO, SCHED_RR and SCHED_DEADLINE threads that are bound to RT CPUs only.\n"
	"Programs come to RT CPUs with `reschctl run`, or with taskset(1). What only the kernel's command line can do,\n"
	"`reschctl doctor` says.\n";

static const char unshield_help[] =
	"usage: reschctl unshield [CPUS] [--json]\n"
	"\n"
	"Gives the CPUs of a shield, or of all, back: interrupts, threads and settings get the affinity that they had,\n"
	"unless somebody else has changed it meanwhile.\n"
	"\n"
	"      --root=DIR          as in `reschctl shield`\n"
	"  -j, --json              print JSON\n"
	"  -h, --help              this text\n";

/** struct request - a command line */
struct request {
	const char *root, *plugin;
	struct shield shield;
	struct resch_domain_set domain;
	struct sweep sweep; /* what was done */
	bool json, found; /* found: there is a shield to be lowered */
	bool keeps_irqs, keeps_tasks, steers; /* that is said */
	bool changed; /* the shield stood already */
	bool boot; /* what is named may come later: a note is enough */
	struct json_object *gaps;
};

/* A list is a word of the journal. */
static int take_list(const struct option_table *table, const struct option_row *row,
		     const char *value)
{
	if (!*value)
		return usage(table->command, "--%s= names none: '-' says so", row->name);
	if (strlen(value) > row->most || strpbrk(value, " \t\n/"))
		return usage(table->command,
			     "--%s=%s: at most %llu characters, with commas and no spaces",
			     row->name, value, (unsigned long long)row->most);
	strcpy(row->to, value);
	return -1;
}

static int read_options(int argc, char **argv, bool up, struct request *request)
{
	struct shield *shield = &request->shield;
	const struct option_row rows[] = {
		{ "root", 0, "directory", option_text, &request->root },
		OPTION_JSON(&request->json),
		/* of shield alone */
		{ up ? "keep-irq" : NULL, 0, "interrupts", take_list, shield->keep_irqs,
		  .most = sizeof(shield->keep_irqs) - 1, .given = &request->keeps_irqs },
		{ "irq", 0, "interrupts", take_list, shield->irqs, .most = sizeof(shield->irqs) - 1,
		  .given = &request->steers },
		{ "keep-task", 0, "threads", take_list, shield->keep_tasks,
		  .most = sizeof(shield->keep_tasks) - 1, .given = &request->keeps_tasks },
		{ "latency", 0, NULL, option_flag, &shield->latency },
		{ "plugin", 'p', "plugins", option_text, &request->plugin },
		{ "policy", 0, "plugins", option_text, &request->plugin },
		{},
	};
	const struct option_table table = { up ? "shield" : "unshield",
					    up ? shield_help : unshield_help,
					    up ? ",status" : "shields", .rows = rows };

	return options_run(argc, argv, &table);
}

static int parse(int argc, char **argv, bool up, struct request *request)
{
	const char *command = up ? "shield" : "unshield";
	struct shield *shield = &request->shield;
	int result;

	*request = (struct request){ .root = "" };
	strcpy(shield->keep_irqs, "-");
	strcpy(shield->keep_tasks, "-");
	strcpy(shield->irqs, "-");
	result = read_options(argc, argv, up, request);
	if (result >= 0)
		return result;
	if (argc - optind > 1 || (up && argc == optind))
		return usage(command, up ? "shield takes one list of CPUs, or 'status'" :
					   "unshield takes one list of CPUs, or none");
	if (argc > optind && resch_cpus_parse(argv[optind], &shield->cpus) <= 0)
		return usage(command, "'%s' is no list of CPUs such as 1,3-5", argv[optind]);
	if (request->plugin && plugin_split(request->plugin, &request->domain))
		return EXIT_USAGE;
	if (request->plugin && *request->root)
		return usage(command, "--plugin and --root exclude each other");
	return -1;
}

/* Why nothing can be done here; said once, before anything is begun. Return: -1: it can. */
static int preflight(const char *root)
{
	char name[64];

	if (*root)
		return access(root, F_OK) ? fail("--root=%s: %s", root, strerror(errno)) : -1;
	if (geteuid())
		return fail(
			"affinities of interrupts and of other users' tasks are root's to change: run it as root");
	if (read_text("/proc/2/comm", name, sizeof(name)) <= 0 || strcmp(name, "kthreadd"))
		return fail(
			"this is a container: it sees only its own tasks, and a shield needs all; run it on the host");
	if (access("/proc/irq/default_smp_affinity", W_OK))
		return fail(
			"/proc/irq/default_smp_affinity: %s: a shield needs /proc and /sys writable, as they are on a host",
			strerror(errno));
	return -1;
}

static int open_state(struct state *state, const char *root)
{
	int result = state_open(state, root, true);

	if (result) {
		state_close(state);
		return fail("%s: %s", state->folder, strerror(-result));
	}
	/* What a crash has left. */
	result = shield_recover(state);
	if (result >= 0 && state_exists(state) && state->nr_shields &&
	    !state_holder(state, "keeper")) {
		struct sweep sweep;

		note("the standing shields had lost their keeper: they are taken down");
		result = shield_drop(state, NULL, &sweep);
	}
	if (result < 0) {
		state_close(state);
		return fail("cannot put back what an ended reschctl has left: %s",
			    strerror(-result));
	}
	return -1;
}

/* ---- shield ---------------------------------------------------------------------------------- */

static int check_cpus(const struct state *state, const struct resch_cpus *cpus)
{
	struct resch_cpus online, taken, rest;
	size_t i;

	if (machine_cpus(state->root, "online", &online) <= 0)
		return fail("/sys/devices/system/cpu/online cannot be read");
	if (!cpus_within(cpus, &online))
		return fail("CPUs %s are not all online: those that are: %s", cpus_text(cpus),
			    cpus_text(&online));
	for (i = 0; i < state->nr_shields; i++) {
		if (cpus_overlap(&state->shields[i].cpus, cpus))
			return fail(
				"CPUs %s are shielded already: `reschctl unshield %s` gives them back",
				cpus_text(&state->shields[i].cpus),
				cpus_text(&state->shields[i].cpus));
	}
	state_cpus(state, &taken);
	rest = online;
	cpus_subtract(&rest, &taken);
	cpus_subtract(&rest, cpus);
	if (!resch_cpus_count(&rest))
		return fail("no CPU would be left for everything else: online are %s",
			    cpus_text(&online));
	if (state->nr_shields == SHIELDS_MAX)
		return fail("there are %d shields already", SHIELDS_MAX);
	return -1;
}

/* Who is named has to be there, or the name is wrong. Return: -1, or an exit status */
static int check_keeps(const struct request *request)
{
	static const char help_irq[] =
		"no interrupt has this number or name now: see /proc/interrupts; a pattern "
		"(eth1*) counts for those that come later, too";
	static const char help_task[] = "it is no id of a process or thread";
	const struct shield *shield = &request->shield;
	const char *word = keep_lacks_irq(request->root, shield->keep_irqs, false);

	if (word && request->boot)
		note("keep_irq: %s: %s", word, help_irq);
	else if (word)
		return fail("--keep-irq: %s: %s", word, help_irq);
	word = steer_outside(shield->irqs, &shield->cpus);
	if (word)
		return fail("--irq: %s: it is NAME:CPU, with a CPU of %s", word,
			    cpus_text(&shield->cpus));
	word = keep_lacks_irq(request->root, shield->irqs, true);
	if (word && request->boot)
		note("irq: %s: %s", word, help_irq);
	else if (word)
		return fail("--irq: %s: %s", word, help_irq);
	word = keep_lacks_task(request->root, shield->keep_tasks);
	if (word && request->boot)
		note("keep_task: %s: %s", word, help_task);
	else if (word)
		return fail("--keep-task: %s: %s", word, help_task);
	return -1;
}

static int make_domain(struct request *request, struct shield *shield)
{
	int fd, result;

	if (!request->plugin)
		return -1;
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	request->domain.cpus = shield->cpus;
	result = domain_apply(fd, &request->domain);
	close(fd);
	if (result)
		return EXIT_FAILED;
	shield->domain = request->domain.domain;
	return -1;
}

static void report_raised(const struct request *request)
{
	const struct shield *shield = &request->shield;
	const struct sweep *sweep = &request->sweep;
	struct json_object *out;
	unsigned int stuck = sweep->stuck[OBJECT_INTERRUPT] + sweep->stuck[OBJECT_THREAD] +
			     sweep->stuck[OBJECT_SETTING];

	size_t i;

	if (request->json) {
		out = json_object_new_object();
		json_add_text(out, "cpus", cpus_text(&shield->cpus));
		json_add(out, "domain", json_object_new_int64(shield->domain));
		json_add(out, "interrupts", json_object_new_int64(sweep->moved[OBJECT_INTERRUPT]));
		json_add(out, "threads", json_object_new_int64(sweep->moved[OBJECT_THREAD]));
		json_add(out, "settings", json_object_new_int64(sweep->moved[OBJECT_SETTING]));
		json_add(out, "values", json_object_new_int64(sweep->values));
		json_add(out, "refused", json_object_new_int64(stuck));
		json_add(out, "gaps", request->gaps);
		json_show(out, stdout);
		return;
	}
	if (request->changed)
		printf("shield %s stands: %u interrupts, %u threads moved, %u values set\n",
		       cpus_text(&shield->cpus), sweep->moved[OBJECT_INTERRUPT],
		       sweep->moved[OBJECT_THREAD], sweep->values);
	else
		printf("shield %s: %u interrupts, %u threads, %u settings of the kernel moved to CPUs %s\n",
		       cpus_text(&shield->cpus), sweep->moved[OBJECT_INTERRUPT],
		       sweep->moved[OBJECT_THREAD], sweep->moved[OBJECT_SETTING],
		       cpus_text(&sweep->nrt));
	if (!request->changed && shield->latency)
		printf("%u values for latency set\n", sweep->values);
	if (shield->domain)
		printf("domain %u: %s\n", shield->domain, request->domain.plugin);
	if (stuck)
		printf("%u could not be moved: `reschctl shield status` lists them\n", stuck);
	for (i = 0; i < json_object_array_length(request->gaps); i++)
		printf("note: %s\n",
		       json_object_get_string(json_object_array_get_idx(request->gaps, i)));
	json_object_put(request->gaps);
}

/* The keeper comes first: from the first change on somebody must know the way back. */
static int raise_shield(struct state *state, struct request *request)
{
	struct sweep *moved = &request->sweep, back;
	struct guards *guards;
	struct shield *shield;
	int fd, result, status;

	result = keeper_start(state);
	if (result == -EAGAIN)
		return fail("the keeper of an earlier shield is just ending: try again");
	if (result)
		return fail("the shield's keeper does not start: %s", strerror(-result));
	/* Who has come to the standing shields must be known before their parents move again. */
	if (state->nr_shields)
		sweep_run(moved, state, NULL, false);
	shield = &state->shields[state->nr_shields++];
	*shield = request->shield;
	shield->module = !access(machine_path(state->root, "/sys/module/resch"), F_OK);
	status = -1;
	result = state_shield(state, shield, SHIELD_RISING);
	/* What threads had before can be seen without guards only. */
	fd = *state->root ? -1 : resch_open();
	guards = result ? NULL : guards_lift(fd);
	if (!result)
		result = sweep_run(moved, state, &shield->cpus, true);
	guards_return(fd, guards);
	if (fd >= 0)
		close(fd);
	if (result)
		status = fail("shield %s: %s", cpus_text(&shield->cpus), strerror(-result));
	else if (moved->denied)
		status = fail(
			"shield %s: /proc/irq/default_smp_affinity: %s: a shield needs /proc and /sys writable, as they are on a host",
			cpus_text(&shield->cpus), strerror(moved->denied));
	else
		status = make_domain(request, shield);
	if (status < 0) {
		result = state_shield(state, shield, SHIELD_STANDS);
		if (result)
			status = fail("%s/journal: %s", state->folder, strerror(-result));
	}
	if (status >= 0) {
		struct resch_cpus cpus = shield->cpus;

		shield_drop(state, &cpus, &back);
		return status;
	}
	baseline_write(state);
	request->shield = *shield;
	request->gaps = gaps_find(state);
	return EXIT_DONE;
}

/* Other lists for one that stands; who is kept from now on has what it had before. */
static int change_shield(struct state *state, struct request *request, struct shield *shield)
{
	int result;

	if (request->keeps_irqs)
		strcpy(shield->keep_irqs, request->shield.keep_irqs);
	if (request->keeps_tasks)
		strcpy(shield->keep_tasks, request->shield.keep_tasks);
	if (request->steers)
		strcpy(shield->irqs, request->shield.irqs);
	shield->latency |= request->shield.latency;
	result = state_shield(state, shield, SHIELD_STANDS);
	if (!result)
		result = sweep_run(&request->sweep, state, NULL, true);
	if (result)
		return fail("shield %s: %s", cpus_text(&shield->cpus), strerror(-result));
	request->changed = true;
	request->shield = *shield;
	request->gaps = gaps_find(state);
	return EXIT_DONE;
}

/* What @work does with the state of the shields. Return: an exit status */
static int with_state(struct request *request,
		      int (*work)(struct state *state, struct request *request))
{
	struct state *state = malloc(sizeof(*state));
	int status;

	if (!state)
		return fail("out of memory");
	status = open_state(state, request->root);
	if (status < 0) {
		status = work(state, request);
		state_close(state);
		keeper_poke(state);
	}
	free(state);
	return status;
}

static int add_shield(struct state *state, struct request *request)
{
	bool says = request->keeps_irqs || request->keeps_tasks || request->steers ||
		    request->shield.latency;
	int status = check_keeps(request);
	size_t i;

	for (i = 0; status < 0 && says && !request->plugin && i < state->nr_shields; i++) {
		if (cpus_equal(&state->shields[i].cpus, &request->shield.cpus))
			return change_shield(state, request, &state->shields[i]);
	}
	if (status < 0)
		status = check_cpus(state, &request->shield.cpus);
	return status < 0 ? raise_shield(state, request) : status;
}

int cmd_shield(int argc, char **argv)
{
	struct request request;
	int status;

	if (argc >= 2 && !strcmp(argv[1], "status"))
		return shield_status(argc - 1, argv + 1);
	status = parse(argc, argv, true, &request);
	if (status < 0)
		status = preflight(request.root);
	if (status >= 0)
		return status;
	status = with_state(&request, add_shield);
	if (!status)
		report_raised(&request);
	return status;
}

int shield_up(const char *root, const struct shield *shield)
{
	struct request request = { .root = root, .shield = *shield, .boot = true };
	int status = preflight(root);

	if (status < 0)
		status = with_state(&request, add_shield);
	json_object_put(request.gaps);
	return status;
}

static int make_equal(struct state *state, struct request *request)
{
	int status = check_keeps(request);
	size_t i;

	for (i = 0; status < 0 && i < state->nr_shields; i++) {
		if (!cpus_equal(&state->shields[i].cpus, &request->shield.cpus))
			continue;
		state->shields[i].latency = request->shield.latency;
		return change_shield(state, request, &state->shields[i]);
	}
	return status < 0 ?
		       fail("CPUs %s are not shielded any more", cpus_text(&request->shield.cpus)) :
		       status;
}

int shield_change(const char *root, const struct shield *shield)
{
	struct request request = { .root = root,
				   .shield = *shield,
				   .boot = true,
				   .keeps_irqs = true,
				   .keeps_tasks = true,
				   .steers = true };
	int status = preflight(root);

	if (status < 0)
		status = with_state(&request, make_equal);
	json_object_put(request.gaps);
	return status;
}

/* ---- unshield -------------------------------------------------------------------------------- */

static int lower_shields(struct state *state, struct request *request)
{
	bool all = !resch_cpus_count(&request->shield.cpus);
	size_t i;
	int result;

	for (i = 0; i < state->nr_shields; i++)
		request->found |= all || cpus_equal(&state->shields[i].cpus, &request->shield.cpus);
	if (!request->found && !all)
		return fail("there is no shield of CPUs %s: see `reschctl shield status`",
			    cpus_text(&request->shield.cpus));
	result = request->found ?
			 shield_drop(state, all ? NULL : &request->shield.cpus, &request->sweep) :
			 0;
	if (result)
		return fail("not all is back: %s; `reschctl unshield` tries again",
			    strerror(-result));
	if (state_exists(state))
		keeper_start(state);
	else
		agent_leave(state->root);
	return EXIT_DONE;
}

static void report_lowered(const struct request *request)
{
	const struct sweep *sweep = &request->sweep;
	struct json_object *out;

	if (request->json) {
		out = json_object_new_object();
		json_add(out, "interrupts", json_object_new_int64(sweep->moved[OBJECT_INTERRUPT]));
		json_add(out, "threads", json_object_new_int64(sweep->moved[OBJECT_THREAD]));
		json_add(out, "settings", json_object_new_int64(sweep->moved[OBJECT_SETTING]));
		json_add(out, "values", json_object_new_int64(sweep->values));
		json_add(out, "changed", json_object_new_int64(sweep->theirs));
		json_add(out, "pending", json_object_new_int64(sweep->pending));
		json_show(out, stdout);
		return;
	}
	if (!request->found) {
		puts("there is no shield");
		return;
	}
	printf("%u interrupts, %u threads, %u settings of the kernel are back\n",
	       sweep->moved[OBJECT_INTERRUPT], sweep->moved[OBJECT_THREAD],
	       sweep->moved[OBJECT_SETTING]);
	if (sweep->values)
		printf("%u values that were set for latency are back\n", sweep->values);
	if (sweep->theirs)
		printf("%u stay as somebody else has set them meanwhile\n", sweep->theirs);
	if (sweep->pending)
		printf("%u are resch tasks: they go back when their registration ends\n",
		       sweep->pending);
}

int shield_down(const char *root, const struct resch_cpus *cpus)
{
	struct request request = { .root = root, .shield = { .cpus = *cpus } };
	int status = preflight(root);

	return status < 0 ? with_state(&request, lower_shields) : status;
}

int cmd_unshield(int argc, char **argv)
{
	struct request request;
	int status = parse(argc, argv, false, &request);

	if (status < 0)
		status = preflight(request.root);
	if (status >= 0)
		return status;
	status = with_state(&request, lower_shields);
	if (!status)
		report_lowered(&request);
	return status;
}
