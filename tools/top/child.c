// SPDX-License-Identifier: GPL-2.0-or-later
/* child.c - a command that runs while it is watched */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reschctl.h"
#include "screen.h"

static void become(char **command, int gate)
{
	char go;

	if (read(gate, &go, 1) != 1)
		_exit(EXIT_FAILED);
	execvp(command[0], command);
	fail("%s: %s", command[0], strerror(errno));
	_exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXEC);
}

int child_begin(struct child *child, char **command)
{
	int gate[2];

	if (pipe2(gate, O_CLOEXEC))
		return fail("%s: %s", command[0], strerror(errno));
	child->pid = fork();
	if (child->pid < 0)
		return fail("%s: %s", command[0], strerror(errno));
	if (!child->pid) {
		close(gate[1]);
		become(command, gate[0]);
	}
	close(gate[0]);
	child->gate = gate[1];
	return EXIT_DONE;
}

int child_go(struct child *child)
{
	ssize_t n = write(child->gate, "", 1);

	close(child->gate);
	child->gate = 0;
	return n == 1 ? EXIT_DONE : fail("the command has ended before it began");
}

int child_wait(struct child *child)
{
	int status;
	pid_t pid;

	/* A signal to the whole foreground, ^C, ends the command, too. */
	while (!(pid = waitpid(child->pid, &status, WNOHANG)) && !watch_wait(10 * MS))
		;
	if (pid != child->pid)
		return EXIT_DONE;
	child->pid = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) >= EXIT_NOT_EXEC)
		return EXIT_FAILED;
	return EXIT_DONE;
}

void child_end(struct child *child)
{
	if (child->gate)
		close(child->gate);
	if (child->pid <= 0)
		return;
	kill(child->pid, SIGTERM);
	waitpid(child->pid, NULL, 0);
	child->pid = 0;
}
