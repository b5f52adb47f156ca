// SPDX-License-Identifier: GPL-2.0-or-later
/* symbols.c - the kernel's functions by their addresses */
#include "symbols.h"

#include <event-parse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tep_handle *functions;
/* Beyond a function's address by so much is none of its code. */
#define FUNCTION_MAX (1U << 20)

void symbols_load(const char *root)
{
	uint64_t address, last = 0;
	char line[512], *at, *tab;
	FILE *file;

	snprintf(line, sizeof(line), "%s/proc/kallsyms", root);
	file = fopen(line, "re");
	functions = tep_alloc();
	while (functions && file && fgets(line, sizeof(line), file)) {
		/* "ffffffffc0001000 t name	[module]" */
		address = strtoull(line, &at, 16);
		if (!address || *at != ' ' || !strchr("tTwW", at[1]) || at[2] != ' ')
			continue;
		tab = strchr(at, '\t');
		if (tab)
			*tab = ' ';
		at[strcspn(at, "\n")] = 0;
		if (tep_register_function(functions, at + 3, address, NULL) < 0)
			break;
		last = address > last ? address : last;
	}
	/* Up to here the last one is looked for. */
	if (last)
		tep_register_function(functions, line, last + FUNCTION_MAX, NULL);
	if (file)
		fclose(file);
}

void symbols_free(void)
{
	tep_free(functions);
	functions = NULL;
}

void symbol_find(struct symbol *symbol)
{
	const char *name;

	if (!symbol->address || *symbol->name)
		return;
	name = functions ? tep_find_function(functions, symbol->address) : NULL;
	if (name &&
	    symbol->address - tep_find_function_address(functions, symbol->address) < FUNCTION_MAX)
		snprintf(symbol->name, sizeof(symbol->name), "%s", name);
	else
		snprintf(symbol->name, sizeof(symbol->name), "0x%llx",
			 (unsigned long long)symbol->address);
}
