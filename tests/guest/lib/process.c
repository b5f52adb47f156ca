// SPDX-License-Identifier: GPL-2.0
/* process.c - processes and files, see lib.h */
#include "lib.h"

#include <sys/prctl.h>

pid_t child(int (*body)(void *arg), void *arg)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork: %s", strerror(errno));
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(body(arg));
	}
	return pid;
}

int child_wait(pid_t pid)
{
	uint64_t end = resch_now() + PATIENCE * SEC;
	int status;
	pid_t got;

	while (!(got = waitpid(pid, &status, WNOHANG))) {
		if (resch_now() > end)
			fail("process %d (state %c) does not end", pid, proc_state(pid));
		sleep_ms(1);
	}
	check(got == pid, "waitpid: %s", strerror(errno));
	return status;
}

void child_ok(pid_t pid)
{
	int status = child_wait(pid);

	check(WIFEXITED(status), "process %d died of signal %d", pid, WTERMSIG(status));
	check(!WEXITSTATUS(status), "process %d ended with status %d", pid, WEXITSTATUS(status));
}

void *shared(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		fail("mmap: %s", strerror(errno));
	/* All there: whoever touches a page first may wait for somebody less urgent who does so. */
	memset(memory, 0, size);
	return memory;
}

char proc_state(pid_t tid)
{
	char path[64], text[512], *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	if (!file_read(path, text, sizeof(text)))
		return 'X';
	end = strrchr(text, ')');
	return end && end[1] ? end[2] : 'X';
}

bool file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done;

	if (fd < 0)
		return false;
	done = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (close(fd))
		done = false;
	return done;
}

bool file_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, text, size - 1);
	close(fd);
	if (got < 0)
		return false;
	text[got] = '\0';
	return true;
}
