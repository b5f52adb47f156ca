// SPDX-License-Identifier: GPL-2.0
/* still.c - a CPU that stands still as it enters a function, see still.h */
#include "lib.h"
#include "still.h"

#define PARAMETERS "/sys/module/resch_still/parameters/"

void still_begin(const char *function)
{
	char params[80];

	snprintf(params, sizeof(params), "function=%s", function);
	must(module_load("resch-still", params));
}

void still_next(void)
{
	file_write(PARAMETERS "stand", "1");
}

static bool still_is(void)
{
	char text[8];

	return file_read(PARAMETERS "stands", text, sizeof(text)) && text[0] == 'Y';
}

void still_await(void)
{
	await(still_is());
}

void still_over(void)
{
	file_write(PARAMETERS "stand", "0");
}

void still_end(void)
{
	must(module_unload("resch-still"));
}
