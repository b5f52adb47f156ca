// SPDX-License-Identifier: GPL-2.0-or-later
/* save.c - reschctl save */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call.h"

static const char save_help[] =
	"usage: reschctl save [FILE]\n"
	"\n"
	"Writes the present state to standard output, or into FILE, such that `reschctl apply` of it changes nothing now,\n"
	"and makes it so again later. Servers that go with their programs are not in it.\n"
	"\n"
	"      --root=DIR          as in `reschctl shield`\n"
	"  -h, --help              this text\n";

static int save(const struct items *items, const char *path)
{
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);
	int result;

	if (!to)
		return fail("out of memory");
	items_write(items, to);
	if (fclose(to))
		return fail("out of memory");
	if (!path) {
		fwrite(text, 1, size, stdout);
		free(text);
		return EXIT_DONE;
	}
	result = text_replace(path, text, size);
	free(text);
	return result ? fail("%s: %s", path, strerror(-result)) : EXIT_DONE;
}

/* Numbers are no order: what is made anew gets another one. */
static int by_place(const void *a, const void *b)
{
	static const enum key keys[] = { KEY_NAME, KEY_BUDGET, KEY_PERIOD, KEY_PROGRAM };
	const struct item *one = a, *other = b;
	struct resch_cpus cpus, more;
	int result = (int)one->section - (int)other->section;
	size_t i;

	item_cpus(one, &cpus);
	item_cpus(other, &more);
	for (i = 0; i < RESCH_CPUS_MAX && !result; i++)
		result = resch_cpus_has(&more, (unsigned int)i) -
			 resch_cpus_has(&cpus, (unsigned int)i);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]) && !result; i++)
		result = strcmp(item_text(one, keys[i]), item_text(other, keys[i]));
	return result;
}

int cmd_save(int argc, char **argv)
{
	struct call call = { .command = "save", .help = save_help, .machine = { "", -1 } };
	struct items present = {}, levels = {};
	int status = call_parse(argc, argv, &call, 0);
	size_t i;

	if (status >= 0)
		return status;
	if (argc - optind > 1)
		return usage("save", "save takes one file, or none");
	call.machine.fd = device_open();
	if (call.machine.fd < 0)
		return EXIT_NO_MODULE;
	status = present_read(&call.machine, &present);
	if (!status && present_levels(&present, &levels))
		status = fail("levels of programs cannot be read");
	for (i = 0; !status && i < levels.count; i++) {
		struct item *item = items_add(&present, SECTION_LEVELS);

		if (!item || item_copy(item, &levels.list[i]))
			status = fail("out of memory");
	}
	if (present.count)
		qsort(present.list, present.count, sizeof(present.list[0]), by_place);
	if (!status)
		status = save(&present, argv[optind]);
	items_free(&present);
	items_free(&levels);
	call_end(&call);
	return status;
}
