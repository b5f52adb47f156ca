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
static size_t seconds_at; /* where in the line they are; 0: it says something else */

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

/* The seconds until now, at the end of the line; without what a signal's handler may not call. */
static void count_seconds(void)
{
	static const char end[] = " s\033[K";
	uint64_t seconds = (resch_now() - begun) / 1000000000, rest;
	size_t at = seconds_at + 1;

	for (rest = seconds; rest >= 10; rest /= 10)
		at++;
	memcpy(line + at, end, sizeof(end));
	for (; at > seconds_at; seconds /= 10)
		line[--at] = (char)('0' + seconds % 10);
}

static void on_alarm(int signal)
{
	(void)signal;
	told = 1;
	if (seconds_at)
		count_seconds();
	say();
}

void progress_by_alarm(void)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	struct itimerval at = { .it_value.tv_sec = PATIENCE / 1000000000, .it_interval.tv_sec = 1 };

	if (!isatty(STDERR_FILENO))
		return;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &at, NULL);
}

void progress_while(const char *what)
{
	progress_begin();
	snprintf(line, sizeof(line) - 32, "\rreschctl: %s: ", what);
	seconds_at = strlen(line);
	progress_by_alarm();
}

void progress_end(void)
{
	seconds_at = 0;
	setitimer(ITIMER_REAL, &(struct itimerval){ .it_value.tv_sec = 0 }, NULL);
	if (told)
		fputs("\r\033[K", stderr);
	told = 0;
}
