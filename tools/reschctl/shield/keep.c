// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * keep.c - what a shield leaves alone, as it is named
 *
 * A list is one word of the journal: words with commas between them, each a number, a range of
 * numbers, or, of interrupts, a name or a pattern of names.
 */
#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "shield.h"

static bool number_end(const char *text, uint64_t *number, const char **end)
{
	char *after;

	if (*text < '0' || *text > '9')
		return false;
	*number = strtoull(text, &after, 10);
	*end = after;
	return true;
}

/* "24" or "24-26". */
static bool range_parse(const char *word, uint64_t *first, uint64_t *last)
{
	const char *end;

	if (!number_end(word, first, &end))
		return false;
	*last = *first;
	if (*end == '-' && !number_end(end + 1, last, &end))
		return false;
	return !*end && *first <= *last;
}

static bool is_pattern(const char *word)
{
	return strpbrk(word, "*?");
}

/* Return: the first word of @list of which @is is true, valid until the next call; or NULL */
static const char *first_word(const char *list, bool (*is)(void *arg, const char *word), void *arg)
{
	static char copy[KEEP_MAX];
	char *rest = copy, *word;

	if (!strcmp(list, "-"))
		return NULL;
	snprintf(copy, sizeof(copy), "%s", list);
	while ((word = strsep(&rest, ","))) {
		if (is(arg, word))
			return word;
	}
	return NULL;
}

static bool number_has(void *arg, const char *word)
{
	const uint64_t *number = arg;
	uint64_t first, last;

	return range_parse(word, &first, &last) && *number >= first && *number <= last;
}

bool number_listed(const char *list, uint64_t number)
{
	return first_word(list, number_has, &number);
}

/** struct look - for what a word means */
struct look {
	const char *root, *word;
	uint64_t irq;
	bool steers; /* it has a CPU behind it */
	bool found;
};

/* Each device that uses an interrupt has a folder there; some have brackets in their names. */
static bool irq_has(void *arg, const char *word)
{
	const struct look *look = arg;
	struct dirent *entry;
	bool found = false;
	uint64_t irq = look->irq;
	DIR *dir;

	if (number_has(&irq, word))
		return true;
	if (!*word || (*word >= '0' && *word <= '9' && !is_pattern(word)))
		return false;
	dir = opendir(machine_path(look->root, "/proc/irq/%llu", (unsigned long long)irq));
	while (dir && !found && (entry = readdir(dir)))
		found = entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
			(!strcmp(word, entry->d_name) || !fnmatch(word, entry->d_name, 0));
	if (dir)
		closedir(dir);
	return found;
}

bool interrupt_listed(const char *root, const char *list, uint64_t irq)
{
	struct look look = { .root = root, .irq = irq };

	return first_word(list, irq_has, &look);
}

/* ---- sent to a CPU --------------------------------------------------------------------------- */

/** struct steering - of an interrupt */
struct steering {
	struct look look;
	struct resch_cpus cpus;
};

/* "NAME:CPU" or "NAME:2-3"; names of some have colons, too. Return: where the name ends, or NULL */
static const char *steer_parse(const char *word, struct resch_cpus *cpus)
{
	const char *colon = strrchr(word, ':');

	return colon && colon > word && resch_cpus_parse(colon + 1, cpus) > 0 ? colon : NULL;
}

static bool steers(void *arg, const char *word)
{
	struct steering *steering = arg;
	const char *end = steer_parse(word, &steering->cpus);
	char name[KEEP_MAX];

	if (!end)
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(end - word), word);
	return irq_has(&steering->look, name);
}

bool interrupt_steered(const char *root, const char *list, uint64_t irq, struct resch_cpus *cpus)
{
	struct steering steering = { .look = { .root = root, .irq = irq } };

	if (!first_word(list, steers, &steering))
		return false;
	*cpus = steering.cpus;
	return true;
}

static bool steers_elsewhere(void *arg, const char *word)
{
	struct resch_cpus cpus;

	return !steer_parse(word, &cpus) || !cpus_within(&cpus, arg);
}

const char *steer_outside(const char *list, const struct resch_cpus *cpus)
{
	struct resch_cpus within = *cpus;

	return first_word(list, steers_elsewhere, &within);
}

/* ---- are they there? ------------------------------------------------------------------------- */

static void look_irq(void *arg, uint64_t irq)
{
	struct look *look = arg;

	look->irq = irq;
	look->found |= irq_has(look, look->word);
}

static bool irq_lacks(void *arg, const char *word)
{
	struct look *look = arg;
	size_t length = strlen(word);
	char name[KEEP_MAX];

	if (look->steers)
		length = (size_t)(strrchr(word, ':') - word);
	snprintf(name, sizeof(name), "%.*s", (int)length, word);
	look->word = name;
	/* A pattern is for those that come later, too. */
	look->found = is_pattern(name);
	each_interrupt(look->root, look_irq, look);
	return !look->found;
}

static void look_thread(void *arg, const struct thread *thread)
{
	struct look *look = arg;
	uint64_t tid = (uint64_t)thread->tid, tgid = (uint64_t)thread->tgid;

	look->found |= number_has(&tid, look->word) || number_has(&tgid, look->word);
}

static bool thread_lacks(void *arg, const char *word)
{
	struct look *look = arg;

	look->word = word;
	look->found = false;
	each_thread(look->root, look_thread, look);
	return !look->found;
}

const char *keep_lacks_irq(const char *root, const char *list, bool steers)
{
	struct look look = { .root = root, .steers = steers };

	return first_word(list, irq_lacks, &look);
}

const char *keep_lacks_task(const char *root, const char *list)
{
	struct look look = { .root = root };

	return first_word(list, thread_lacks, &look);
}
