// SPDX-License-Identifier: GPL-2.0-or-later
/* main.c - find the subcommand */
#include <string.h>

#include "reschctl.h"
#include "shield.h"

static const struct command commands[] = {
	{ "doctor", "what this kernel and machine can promise, and what to change", cmd_doctor },
	{ "run", "run a program with real-time parameters", cmd_run },
	{ "attach", "give real-time parameters to a running thread", cmd_attach },
	{ "tasks", "list the registered tasks and their statistics", cmd_tasks },
	{ "top", "watch the registered tasks", cmd_top },
	{ "events", "watch misses, overruns, and tasks that come and go", cmd_events },
	{ "domain", "list, make, change and remove CPU domains", cmd_domain },
	{ "assign", "find time slots for a task set, with tasks split over CPUs", cmd_assign },
	{ "server", "list, make, resize and remove servers: budgets for groups of tasks",
	  cmd_server },
	{ "balance", "show and change who is sent to guarded CPUs", cmd_balance },
	{ "plugin", "list and load scheduling plugins", cmd_plugin },
	{ "shield", "make RT CPUs: keep interrupts and other tasks off them", cmd_shield },
	{ "unshield", "give RT CPUs back", cmd_unshield },
	{ "guard", "let only RT0 make system calls on the CPUs of a domain", cmd_guard },
	{ "level", "make a thread or program RT0, RT1+ or an ordinary one", cmd_level },
	{ "start", "give time zero to the tasks of a domain that wait for it", cmd_start },
	{ "release", "release a job of a sporadic task", cmd_release },
	{ "unregister", "make a task an ordinary thread again", cmd_unregister },
	{ "info", "what the loaded module is and does", cmd_info },
	{ "version", "versions of the tool, the library and the module", cmd_version },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void help(FILE *to)
{
	size_t i;

	fputs("usage: reschctl COMMAND [OPTION...] [ARGUMENT...]\n\nReal-time scheduling by loadable modules.\n\n",
	      to);
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(to, "  %-11s %s\n", commands[i].name, commands[i].about);
	fputs("\n`reschctl COMMAND --help` tells more; all commands that print take --json.\n"
	      "Exit status: 0 done, 1 failed or refused, 2 bad command line, 3 no module; `run`: the program's,\n"
	      "or 125 reschctl failed, 126 the program cannot be executed, 127 there is none.\n",
	      to);
}

int main(int argc, char **argv)
{
	size_t i;

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
	/* The kernel calls, see shield-agent.c. */
	if (argc == 2 && !strcmp(argv[1], AGENT_COMMAND))
		return agent_run();
	for (i = 0; i < NR_COMMANDS; i++) {
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	}
	return usage("", "there is no command '%s'", argv[1]);
}
