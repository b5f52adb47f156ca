// SPDX-License-Identifier: GPL-2.0-or-later
/* progress.c - what a command is at that takes its time */
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "reschctl.h"
#include "progress.h"

#define PATIENCE 2000000000
#define EVERY 100000000

static uint64_t begun, told;
static char line[160];

static void say(void)
{
	if (write(STDERR_FILENO, line, strlen(line)) < 0)
		return; /* who does not see it has lost nothing */
}

void progress_begin(void)
{
	begun = resch_now();
	told = 0;
}

void progress(const char *what, uint64_t done, uint64_t count)
{
	uint64_t now = resch_now();

	snprintf(line, sizeof(line), "\rreschctl: %s: %llu of %llu\033[K", what,
		 (unsigned long long)done, (unsigned long long)count);
	if (now - begun < PATIENCE || now - told < EVERY || !isatty(STDERR_FILENO))
		return;
	told = now;
	say();
}

static void on_alarm(int signal)
{
	(void)signal;
	told = 1;
	say();
}

void progress_by_alarm(void)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct itimerval at = { .it_value.tv_sec = PATIENCE / 1000000000 };

	if (!isatty(STDERR_FILENO))
		return;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &at, NULL);
}

void progress_end(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){ .it_value.tv_sec = 0 }, NULL);
	if (told)
		fputs("\r\033[K", stderr);
	told = 0;
}
