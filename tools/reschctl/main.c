// SPDX-License-Identifier: GPL-2.0-or-later
/* main.c - find the subcommand */
#include <string.h>

#include "near.h"
#include "reschctl.h"
#include "shield/shield.h"
#include "words.h"

const char tool_name[] = "reschctl";

static const struct command commands[] = {
	{ "doctor", "what this kernel and machine can promise, and what to change", cmd_doctor },
	{ "run", "run a program with real-time parameters", cmd_run },
	{ "attach", "give real-time parameters to a running thread", cmd_attach },
	{ "tasks", "list the registered tasks and their statistics", cmd_tasks },
	{ "top", "watch the registered tasks", cmd_top },
	{ "events", "watch misses, overruns, and tasks that come and go", cmd_events },
	{ "domain", "list, make, change and remove CPU domains", cmd_domain },
	{ "assign", "find time slots for a task set, with tasks split over CPUs", cmd_assign },
	{ "chain", "bound the end-to-end responses of task chains, and divide their deadlines",
	  cmd_chain },
	{ "server", "list, make, resize and remove servers: budgets for groups of tasks",
	  cmd_server },
	{ "balance", "show and change who is sent to guarded CPUs", cmd_balance },
	{ "plugin", "list and load scheduling plugins", cmd_plugin },
	{ "shield", "make RT CPUs: keep interrupts and other tasks off them", cmd_shield },
	{ "unshield", "give RT CPUs back", cmd_unshield },
	{ "guard", "let only RT0 make system calls on the CPUs of a domain", cmd_guard },
	{ "lead", "have tasks woken ahead of their releases, and measure what that brings",
	  cmd_lead },
	{ "level", "make a thread or program RT0, RT1+ or an ordinary one", cmd_level },
	{ "apply", "make domains, servers, shields and levels what a file says", cmd_apply },
	{ "diff", "say what `apply` would change", cmd_diff },
	{ "save", "write the present state as such a file", cmd_save },
	{ "undo", "take back what `apply` has done", cmd_undo },
	{ "start", "give time zero to the tasks of a domain that wait for it", cmd_start },
	/* For a task's owner alone, which no other program is: they say so. Not in the list. */
	{ "release", NULL, cmd_release },
	{ "unregister", NULL, cmd_unregister },
	{ "info", "what the loaded module is and does", cmd_info },
	{ "version", "versions of the tool, the library and the module", cmd_version },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void help(FILE *to)
{
	size_t i;

	fputs("usage: reschctl COMMAND [OPTION...] [ARGUMENT...]\n\nReal-time scheduling by loadable modules.\n\n",
	      to);
	for (i = 0; i < NR_COMMANDS; i++) {
		if (commands[i].about)
			fprintf(to, "  %-11s %s\n", commands[i].name, commands[i].about);
	}
	fputs("\n`reschctl COMMAND --help` tells more; all commands that print take --json.\n"
	      "Exit status: 0 done, 1 failed or refused, 2 bad command line, 3 no module; `run`: the program's,\n"
	      "or 125 reschctl failed, 126 the program cannot be executed, 127 there is none.\n",
	      to);
}

static int no_command(const char *name)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++) {
		if (commands[i].about && word_near(name, commands[i].name))
			return usage("", "there is no command '%s': %s?", name, commands[i].name);
	}
	return usage("", "there is no command '%s'", name);
}

static const struct command *find(const char *name)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++) {
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	}
	return NULL;
}

/*
 * For completions: `--list`: the commands; `--list WHAT`: the words of a list of resch_names();
 * each with what it means after a tab. Of what isn't known there is nothing to complete.
 */
static int list(const char *what)
{
	char words[WORDS_TEXT], *rest = words, *word;
	size_t i;

	for (i = 0; !what && i < NR_COMMANDS; i++) {
		if (commands[i].about)
			printf("%s\t%s\n", commands[i].name, commands[i].about);
	}
	if (!what || resch_names(what, words, sizeof(words)) < 0)
		return EXIT_DONE;
	while ((word = strsep(&rest, ","))) {
		word += *word == ' ';
		printf("%s\t%s\n", word, resch_name_about(what, word));
	}
	return EXIT_DONE;
}

/* Likewise: `--options COMMAND [ACTION]`: what may follow, see common/options.h. */
static int options(int argc, char **argv)
{
	const struct command *command = argc ? find(argv[0]) : NULL;

	options_listing = true;
	return command ? command->run(argc, argv) : EXIT_DONE;
}

static int run(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help(stdout);
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		argv[1] = (char *)"version";
	/* The kernel calls, see shield/agent.c. */
	if (argc == 2 && !strcmp(argv[1], AGENT_COMMAND))
		return agent_run();
	if (!strcmp(argv[1], "--list"))
		return list(argv[2]);
	if (!strcmp(argv[1], "--options"))
		return options(argc - 2, argv + 2);
	command = find(argv[1]);
	return command ? command->run(argc - 1, argv + 1) : no_command(argv[1]);
}

int main(int argc, char **argv)
{
	return output_end(run(argc, argv));
}
