// SPDX-License-Identifier: GPL-2.0-or-later
/* guard.c - reschctl guard: who may make system calls on which CPUs, and who was sent away */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "guard.h"
#include "shield/shield.h"

static const char help[] =
	"usage: reschctl guard [list] [--json]\n"
	"       reschctl guard on DOMAIN [--all] [--manual] [--exempt=CALL,...]\n"
	"       reschctl guard off DOMAIN\n"
	"       reschctl guard lend TID CPU\n"
	"\n"
	"On the CPUs of a guarded domain only RT0 makes system calls: registered tasks, and threads under SCHED_FIFO\n"
	"with priority 99 that are bound to one of these CPUs. Others are moved to another CPU first. `lend` has a\n"
	"thread go on there until its next system call.\n"
	"\n"
	"      --all               threads may be lent to the CPUs whatever their affinity, if it has all others\n"
	"      --manual            no thread is sent to the CPUs but by `lend`\n"
	"      --exempt=CALL,...   these calls are made where the thread is: names or numbers; +CALL, -CALL: beside\n"
	"                          those of the list that stands, or not any more\n"
	"  -j, --json              print JSON\n"
	"  -h, --help              this text\n";

/* Made by the Makefile from the C library's header. */
static const struct {
	unsigned int nr;
	const char *name;
} calls[] = {
#include "calls.inc"
};

#define NR_CALLS (sizeof(calls) / sizeof(calls[0]))

/* Static; a number where the name is not known. */
static const char *call_name(unsigned int nr)
{
	static char text[16];
	size_t i;

	for (i = 0; i < NR_CALLS; i++) {
		if (calls[i].nr == nr)
			return calls[i].name;
	}
	snprintf(text, sizeof(text), "%u", nr);
	return text;
}

/* Return: its number, or -EINVAL. */
static int call_parse(const char *text)
{
	uint64_t nr;
	size_t i;

	for (i = 0; i < NR_CALLS; i++) {
		if (!strcmp(calls[i].name, text))
			return calls[i].nr < RESCH_CALLS_MAX ? (int)calls[i].nr : -EINVAL;
	}
	return number_parse(text, RESCH_CALLS_MAX - 1, &nr) ? -EINVAL : (int)nr;
}

static bool calls_have(const struct resch_calls *chosen, unsigned int nr)
{
	return chosen->bits[nr / 64] >> (nr % 64) & 1;
}

/* The call that there is not of the last list. */
static char no_call[64];

/* "getpid,+39,-umask": without signs it replaces what is in @chosen. */
int guard_calls_parse(const char *text, struct resch_calls *chosen)
{
	char copy[8192], *rest = copy, *word;

	snprintf(no_call, sizeof(no_call), "%.60s...", text);
	if (strlen(text) >= sizeof(copy))
		return -EINVAL;
	strcpy(copy, text);
	if (text[0] != '+' && text[0] != '-')
		*chosen = (struct resch_calls){};
	while ((word = strsep(&rest, ","))) {
		bool remove = word[0] == '-';
		int nr;

		if (!*word)
			continue;
		nr = call_parse(word + (remove || word[0] == '+'));
		if (nr < 0) {
			snprintf(no_call, sizeof(no_call), "%s", word);
			return -EINVAL;
		}
		if (remove)
			chosen->bits[nr / 64] &= ~(1ULL << (nr % 64));
		else
			chosen->bits[nr / 64] |= 1ULL << (nr % 64);
	}
	return 0;
}

int guard_calls_format(const struct resch_calls *chosen, char *text, size_t size)
{
	size_t length = 0;
	unsigned int nr;

	*text = 0;
	for (nr = 0; nr < RESCH_CALLS_MAX; nr++) {
		if (!calls_have(chosen, nr))
			continue;
		length += (size_t)snprintf(text + length, size - length, "%s%s", length ? "," : "",
					   call_name(nr));
		if (length >= size)
			return -E2BIG;
	}
	return 0;
}

/* ---- list ------------------------------------------------------------------------------------ */

static struct json_object *guard_json(int cpu, const struct resch_guard_stat *stat,
				      const uint64_t *counts)
{
	struct json_object *guard = json_object_new_object(), *by_call = json_object_new_object();
	struct json_object *exempt = json_object_new_array();
	unsigned int nr;

	json_add(guard, "domain", json_object_new_int64(stat->domain));
	json_add(guard, "cpu", json_object_new_int(cpu));
	json_add(guard, "all", json_object_new_boolean(stat->flags & RESCH_GUARD_ALL));
	json_add(guard, "manual", json_object_new_boolean(stat->flags & RESCH_GUARD_MANUAL));
	json_add_number(guard, "moved", stat->moved);
	json_add_number(guard, "moved_other", stat->moved_other);
	json_add_number(guard, "faults", stat->faults);
	json_add_number(guard, "signals", stat->signals);
	json_add_number(guard, "exempted", stat->exempted);
	json_add_number(guard, "lent", stat->lent);
	json_add_number(guard, "recalled", stat->recalled);
	json_add_number(guard, "failed", stat->failed);
	for (nr = 0; nr < RESCH_CALLS_MAX; nr++) {
		if (counts[nr])
			json_add_number(by_call, call_name(nr), counts[nr]);
		if (calls_have(&stat->exempt, nr))
			json_object_array_add(exempt, json_object_new_string(call_name(nr)));
	}
	json_add(guard, "calls", by_call);
	json_add(guard, "exempt", exempt);
	return guard;
}

static void guard_print(const struct resch_guard_stat *stat)
{
	unsigned int nr;

	printf("\ndomain %u: exempt:", stat->domain);
	for (nr = 0; nr < RESCH_CALLS_MAX; nr++) {
		if (calls_have(&stat->exempt, nr))
			printf(" %s", call_name(nr));
	}
	printf("\n");
}

static int compare_count(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return *left < *right ? 1 : *left > *right ? -1 : 0;
}

/* The calls that sent most threads away. */
static void counts_print(const uint64_t *counts)
{
	struct {
		uint64_t count, nr;
	} sorted[RESCH_CALLS_MAX] = {};
	unsigned int nr;

	for (nr = 0; nr < RESCH_CALLS_MAX; nr++) {
		sorted[nr].count = counts[nr];
		sorted[nr].nr = nr;
	}
	qsort(sorted, RESCH_CALLS_MAX, sizeof(sorted[0]), compare_count);
	printf("sent away by:");
	for (nr = 0; nr < 12 && sorted[nr].count; nr++)
		printf(" %s %llu", call_name((unsigned int)sorted[nr].nr),
		       (unsigned long long)sorted[nr].count);
	printf("%s\n", sorted[0].count ? "" : " no call");
}

static void list_row(struct table *table, unsigned int cpu, const struct resch_guard_stat *stat)
{
	table_add(table, "%u", stat->domain);
	table_add(table, "%u", cpu);
	table_add(table, "%llu", (unsigned long long)stat->lent);
	table_add(table, "%llu", (unsigned long long)stat->moved);
	table_add(table, "%llu", (unsigned long long)stat->faults);
	table_add(table, "%llu", (unsigned long long)stat->signals);
	table_add(table, "%llu", (unsigned long long)stat->recalled);
	table_add(table, "%llu", (unsigned long long)stat->exempted);
	table_add(table, "%llu", (unsigned long long)stat->failed);
}

const char *const guard_headings[] = {
	">DOMAIN",  ">CPU",	 ">LENT",     ">CALLS",	 ">FAULTS",
	">SIGNALS", ">RECALLED", ">EXEMPTED", ">FAILED", NULL,
};

int guard_collect(int fd, const struct resch_cpus *cpus, struct table *table,
		  struct json_object *list)
{
	struct resch_domain_stat domain = {};
	struct resch_guard_stat stat;
	uint64_t counts[RESCH_CALLS_MAX];
	unsigned int cpu;
	int result;

	while ((result = resch_domain_next(fd, &domain)) > 0) {
		for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
			if (!resch_cpus_has(&domain.cpus, cpu) ||
			    (cpus && !resch_cpus_has(cpus, cpu)))
				continue;
			result = resch_guard_stat(fd, domain.domain, (int)cpu, &stat, counts);
			if (result || !stat.flags)
				break;
			if (list)
				json_object_array_add(list, guard_json((int)cpu, &stat, counts));
			if (table)
				list_row(table, cpu, &stat);
		}
	}
	return result;
}

int guard_stands(int fd, uint32_t cpu, uint32_t *domain)
{
	struct resch_domain_stat stat = {};
	struct resch_guard_stat guard;
	int result;

	*domain = 0;
	while ((result = resch_domain_next(fd, &stat)) > 0) {
		if (!resch_cpus_has(&stat.cpus, cpu))
			continue;
		*domain = stat.domain;
		result = resch_guard_stat(fd, stat.domain, -1, &guard, NULL);
		return result ?: !!guard.flags;
	}
	return result;
}

void guard_print_calls(int fd, const struct resch_cpus *cpus)
{
	struct resch_domain_stat domain = {};
	struct resch_guard_stat stat;
	uint64_t counts[RESCH_CALLS_MAX];

	while (resch_domain_next(fd, &domain) > 0) {
		if ((cpus && !cpus_overlap(cpus, &domain.cpus)) ||
		    resch_guard_stat(fd, domain.domain, -1, &stat, counts) || !stat.flags)
			continue;
		guard_print(&stat);
		counts_print(counts);
	}
}

static int guard_list(int fd, bool json)
{
	struct json_object *list = json_object_new_array();
	struct table table;
	int result;

	table_begin(&table, guard_headings);
	result = guard_collect(fd, NULL, &table, list);
	list_show(&table, list, "guards", json,
		  "no domain is guarded: `reschctl guard on` guards one");
	if (!json)
		guard_print_calls(fd, NULL);
	return result < 0 ? fail("guard list: %s", error_text(result)) : EXIT_DONE;
}

/* What came of asking for a guard of @domain. Return: an exit status */
static int guard_answer(const char *action, uint32_t domain, int result)
{
	if (result == -ENODEV || result == -ENOENT)
		return fail("there is no domain %u: see `reschctl domain list`", domain);
	return result ? fail("guard %s: %s", action, error_text(result)) : EXIT_DONE;
}

/* ---- on, off, lend --------------------------------------------------------------------------- */

static int guard_on(int fd, uint32_t domain, uint32_t flags, const char *exempt)
{
	struct resch_guard_stat stat;
	struct resch_calls chosen = {};
	int result = 0;

	if (exempt)
		result = resch_guard_stat(fd, domain, -1, &stat, NULL);
	/* What is to be changed has to be there first. */
	if (!result && exempt && !stat.flags && (exempt[0] == '+' || exempt[0] == '-')) {
		result = resch_guard_set(fd, domain, flags, NULL);
		if (!result)
			result = resch_guard_stat(fd, domain, -1, &stat, NULL);
	}
	if (!result && exempt) {
		chosen = stat.exempt;
		if (guard_calls_parse(exempt, &chosen))
			return usage("guard", "--exempt: there is no system call '%s'", no_call);
	}
	if (!result)
		result = resch_guard_set(fd, domain, flags, exempt ? &chosen : NULL);
	if (result == -EINVAL)
		return fail(
			"no CPU would be left unguarded, or a call that makes threads or programs is "
			"to be exempt");
	return guard_answer("on", domain, result);
}

struct guard_options {
	bool all, manual, json;
	const char *exempt;
};

static int guard_parse(int argc, char **argv, struct guard_options *given)
{
	const struct option_row rows[] = {
		{ "all", 0, NULL, option_flag, &given->all },
		{ "manual", 0, NULL, option_flag, &given->manual },
		{ "exempt", 0, "calls", option_text, &given->exempt },
		OPTION_JSON(&given->json),
		{},
	};
	const struct option_table table = { "guard", help,
					    argc > 1 ? "domains" : ",list,on,off,lend",
					    .rows = rows };

	return options_run(argc, argv, &table);
}

/* @words: what is left of the command line, with the action first. */
static int guard_act(int fd, int count, char **words, const struct guard_options *given)
{
	uint32_t flags = RESCH_GUARD_ON | (given->all ? RESCH_GUARD_ALL : 0) |
			 (given->manual ? RESCH_GUARD_MANUAL : 0);
	uint64_t first = 0, second = 0;
	int result;

	if (!strcmp(words[0], "lend")) {
		if (count != 3 || number_parse(words[1], INT32_MAX, &first) || !first ||
		    number_parse(words[2], RESCH_CPUS_MAX - 1, &second))
			return usage("guard", "guard lend takes a thread id and a CPU");
		result = resch_guard_lend(fd, (pid_t)first, (uint32_t)second);
		if (result == -EINVAL)
			return fail("CPU %lu is not guarded, or not for that thread",
				    (unsigned long)second);
		return result ? fail("guard lend: %s", error_text(result)) : EXIT_DONE;
	}
	if (count != 2 || number_parse(words[1], UINT32_MAX, &first) || !first)
		return usage("guard", "guard %s takes the id of a domain", words[0]);
	if (!strcmp(words[0], "on"))
		return guard_on(fd, (uint32_t)first, flags, given->exempt);
	result = resch_guard_set(fd, (uint32_t)first, 0, NULL);
	return guard_answer("off", (uint32_t)first, result);
}

int cmd_guard(int argc, char **argv)
{
	struct guard_options given = {};
	const char *action;
	int fd, result;
	bool list;

	result = guard_parse(argc, argv, &given);
	if (result >= 0)
		return result;
	action = optind < argc ? argv[optind] : "list";
	list = !strcmp(action, "list");
	if (!list && strcmp(action, "on") && strcmp(action, "off") && strcmp(action, "lend"))
		return usage("guard", "guard list, guard on, guard off or guard lend");
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	result = list ? guard_list(fd, given.json) :
			guard_act(fd, argc - optind, argv + optind, &given);
	close(fd);
	return result;
}
