// SPDX-License-Identifier: GPL-2.0-or-later
/* program.c - start a program that registers itself between fork() and execve() */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

/**
 * struct report - from the child, before execve(): how registering went; after it has failed: why
 */
struct report {
	int registered; /* 0 or -errno */
	int exec; /* errno; 0: not yet tried */
	struct resch_register reg;
};

int program_signals(sigset_t *mask)
{
	static const int passed[] = { SIGHUP,  SIGINT,	SIGQUIT, SIGTERM,
				      SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH };
	sigset_t set;
	int signals;
	size_t i;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
		sigaddset(&set, passed[i]);
	sigprocmask(SIG_BLOCK, &set, mask);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0)
		fail("signalfd: %s", strerror(errno));
	return signals;
}

static void child(const struct program *program, int pipe, const sigset_t *mask)
{
	struct report report = {};

	if (program->reg) {
		report.reg = *program->reg;
		report.registered = resch_register_self(program->device, &report.reg);
		if (write(pipe, &report, sizeof(report)) != sizeof(report) || report.registered)
			_exit(EXIT_RUN);
	}
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(program->words[0], program->words);
	report.exec = errno;
	if (write(pipe, &report, sizeof(report)) != sizeof(report))
		_exit(EXIT_RUN);
	_exit(EXIT_RUN);
}

/*
 * Return: true: a report came; false: the child has executed its program (the pipe closed) or died.
 */
static bool hear(int pipe, struct report *report)
{
	ssize_t n;

	do {
		n = read(pipe, report, sizeof(*report));
	} while (n < 0 && errno == EINTR);
	return n == sizeof(*report);
}

int program_start(struct program *program, const sigset_t *mask)
{
	struct report report = {};
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return fail("pipe: %s", strerror(errno)), EXIT_RUN;
	program->pid = fork();
	if (!program->pid) {
		close(fds[0]);
		child(program, fds[1], mask);
	}
	close(fds[1]);
	if (program->pid < 0) {
		close(fds[0]);
		return fail("fork: %s", strerror(errno)), EXIT_RUN;
	}
	while (!report.registered && !report.exec && hear(fds[0], &report)) {
		if (program->reg)
			*program->reg = report.reg;
	}
	close(fds[0]);
	if (!report.registered && !report.exec)
		return 0;
	waitpid(program->pid, NULL, 0);
	if (report.registered)
		return fail("%s", program->why(report.registered, &report.reg)), EXIT_RUN;
	return program_refused(program->words[0], report.exec);
}

int program_refused(const char *name, int error)
{
	fail("%s: %s", name, strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXEC;
}

int program_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

struct json_object *program_json(char **words)
{
	struct json_object *list = json_object_new_array();

	for (; *words; words++) {
		text_clean(*words);
		json_object_array_add(list, json_object_new_string(*words));
	}
	return list;
}
