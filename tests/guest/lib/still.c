// SPDX-License-Identifier: GPL-2.0
/* still.c - a CPU that stands still as it enters a function, see still.h */
#include "lib.h"
#include "still.h"

#define PARAMETERS "/sys/module/resch_still/parameters/"

/* One that is in vain takes as long as a CPU stands still at most, and that again. */
#define ATTEMPTS 5

static bool still_is(const char *parameter)
{
	char path[80], text[8];

	snprintf(path, sizeof(path), PARAMETERS "%s", parameter);
	return file_read(path, text, sizeof(text)) && text[0] == 'Y';
}

void still_next(void)
{
	file_write(PARAMETERS "expired", "0");
	file_write(PARAMETERS "stand", "1");
}

void still_await(void)
{
	await(still_is("stands") || still_is("expired"));
}

bool still_over(void)
{
	file_write(PARAMETERS "stand", "0");
	await(!still_is("stands"));
	return !still_is("expired");
}

void still_attempt(const char *function, bool (*attempt)(void))
{
	char params[80];
	int i;

	snprintf(params, sizeof(params), "function=%s", function);
	must(module_load("resch-still", params));
	for (i = 0; !attempt(); i++)
		check(i + 1 < ATTEMPTS, "the CPU in %s does not stand still for long enough",
		      function);
	must(module_unload("resch-still"));
}
