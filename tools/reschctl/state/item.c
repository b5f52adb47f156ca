// SPDX-License-Identifier: GPL-2.0-or-later
/* item.c - the words of files of wanted states, and the one form of each value */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"
#include "near.h"
#include "server/server.h"
#include "state.h"
#include "words.h"

static const struct {
	const char *word, *one;
	uint64_t keys;
} sections[NR_SECTIONS] = {
	[SECTION_PLUGINS] = { "plugins", "plugin", KEY_BIT(KEY_NAME) },
	[SECTION_DOMAINS] = { "domains", "domain",
			      KEY_BIT(KEY_CPUS) | KEY_BIT(KEY_PLUGIN) | KEY_BIT(KEY_OPTIONS) |
				      KEY_BIT(KEY_CAPACITY) | KEY_BIT(KEY_OVERHEAD) |
				      KEY_BIT(KEY_GUARD) | KEY_BIT(KEY_MANUAL) |
				      KEY_BIT(KEY_EXEMPT) | KEY_BIT(KEY_BALANCE) },
	[SECTION_SERVERS] = { "servers", "server",
			      KEY_BIT(KEY_NAME) | KEY_BIT(KEY_CPU) | KEY_BIT(KEY_CPUS) |
				      KEY_BIT(KEY_KIND) | KEY_BIT(KEY_POLICY) |
				      KEY_BIT(KEY_PLUGIN) | KEY_BIT(KEY_OPTIONS) |
				      KEY_BIT(KEY_BUDGET) | KEY_BIT(KEY_PERIOD) |
				      KEY_BIT(KEY_QUANTUM) | KEY_BIT(KEY_RECLAIM) |
				      KEY_BIT(KEY_HOLDER) | KEY_BIT(KEY_TASKS) |
				      KEY_BIT(KEY_TOP_PRIORITY) | KEY_BIT(KEY_RATE) },
	[SECTION_SHIELDS] = { "shields", "shield",
			      KEY_BIT(KEY_CPUS) | KEY_BIT(KEY_KEEP_IRQ) | KEY_BIT(KEY_KEEP_TASK) |
				      KEY_BIT(KEY_LATENCY) | KEY_BIT(KEY_IRQ) },
	[SECTION_LEVELS] = { "levels", "level",
			     KEY_BIT(KEY_PROGRAM) | KEY_BIT(KEY_LEVEL) | KEY_BIT(KEY_CPU) |
				     KEY_BIT(KEY_POLICY) | KEY_BIT(KEY_PRIORITY) |
				     KEY_BIT(KEY_THREADS) | KEY_BIT(KEY_UNGUARDED) },
	[SECTION_THREADS] = { "threads", "thread",
			      KEY_BIT(KEY_ID) | KEY_BIT(KEY_START) | KEY_BIT(KEY_NAME) |
				      KEY_BIT(KEY_LEVEL) | KEY_BIT(KEY_CPU) | KEY_BIT(KEY_CPUS) |
				      KEY_BIT(KEY_POLICY) | KEY_BIT(KEY_PRIORITY) |
				      KEY_BIT(KEY_UNGUARDED) },
};

/* ---- the forms of values -------------------------------------------------------------------- */

/* Each: Return: 0 or -EINVAL; *@to gets the one form. */

static int take_cpus(const char *text, char *to)
{
	struct resch_cpus cpus;

	if (resch_cpus_parse(text, &cpus) <= 0)
		return -EINVAL;
	return resch_cpus_format(&cpus, to, VALUE_MAX) >= VALUE_MAX ? -EINVAL : 0;
}

static int take_number(const char *text, char *to, uint64_t least, uint64_t most)
{
	uint64_t number;

	if (number_parse(text, most, &number) || number < least)
		return -EINVAL;
	sprintf(to, "%lu", (unsigned long)number);
	return 0;
}

static int take_cpu(const char *text, char *to)
{
	return take_number(text, to, 0, RESCH_CPUS_MAX - 1);
}

static int take_priority(const char *text, char *to)
{
	return take_number(text, to, 0, 99);
}

static int take_holder(const char *text, char *to)
{
	uint32_t holder, who;

	if (holder_parse(text, &holder, &who))
		return -EINVAL;
	holder_format(holder, who, to, VALUE_MAX);
	return 0;
}

static int take_tasks(const char *text, char *to)
{
	return take_number(text, to, 1, RESCH_DELEGATE_TASKS_MAX);
}

static int take_top_priority(const char *text, char *to)
{
	return take_number(text, to, 0, 10000);
}

static int take_rate(const char *text, char *to)
{
	return take_number(text, to, 1, RESCH_DELEGATE_RATE_MAX);
}

static int take_any_number(const char *text, char *to)
{
	return take_number(text, to, 0, UINT64_MAX);
}

static int take_plugin(const char *text, char *to)
{
	if (!*text || strlen(text) >= RESCH_NAME_LEN || strpbrk(text, ":/ "))
		return -EINVAL;
	strcpy(to, text);
	return 0;
}

static int take_options(const char *text, char *to)
{
	if (strlen(text) >= RESCH_OPTIONS_LEN)
		return -EINVAL;
	strcpy(to, text);
	return 0;
}

static int take_name(const char *text, char *to)
{
	if (strlen(text) >= RESCH_NAME_LEN)
		return -EINVAL;
	strcpy(to, text);
	return 0;
}

static int take_program(const char *text, char *to)
{
	if (!*text || strlen(text) >= 256)
		return -EINVAL;
	strcpy(to, text);
	return 0;
}

static int take_share(const char *text, char *to)
{
	uint32_t ppm;
	int n;

	if (share_parse(text, &ppm))
		return -EINVAL;
	n = sprintf(to, "%u.%04u", ppm / 10000, ppm % 10000);
	while (to[n - 1] == '0')
		n--;
	n -= to[n - 1] == '.';
	strcpy(to + n, "%");
	return 0;
}

static int take_time(const char *text, char *to)
{
	uint64_t ns;

	if (resch_time_parse(text, &ns) || ns == RESCH_NEVER)
		return -EINVAL;
	resch_time_format(ns, to, VALUE_MAX);
	return 0;
}

static int take_overhead(const char *text, char *to)
{
	uint64_t ns;

	return resch_time_parse(text, &ns) || ns >= MS ? -EINVAL : take_time(text, to);
}

static int take_truth(const char *text, char *to)
{
	static const char *const words[][2] = { { "true", "false" },
						{ "yes", "no" },
						{ "on", "off" } };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(text, words[i][0]) && strcmp(text, words[i][1]))
			continue;
		strcpy(to, strcmp(text, words[i][0]) ? "false" : "true");
		return 0;
	}
	return -EINVAL;
}

static int take_word(const char *text, char *to, const char *const *words)
{
	for (; *words; words++) {
		if (!strcmp(text, *words)) {
			strcpy(to, text);
			return 0;
		}
	}
	return -EINVAL;
}

static int take_guard(const char *text, char *to)
{
	static const char *const words[] = { "off", "on", "all", NULL };

	/* What some programs make of off and on. */
	if (!strcmp(text, "false") || !strcmp(text, "true"))
		text = *text == 'f' ? "off" : "on";
	return take_word(text, to, words);
}

static int take_kind(const char *text, char *to)
{
	int kind = resch_server_kind_parse(text);

	if (kind < 0)
		return -EINVAL;
	strcpy(to, resch_server_kind_name((uint32_t)kind));
	return 0;
}

/* Of servers, of levels, and of threads as they are. */
static int take_policy(const char *text, char *to)
{
	int policy = resch_server_policy_parse(text);

	if (policy >= 0 && policy != RESCH_SERVER_PLUGIN) {
		strcpy(to, text);
		return 0;
	}
	if (class_of(text) < 0)
		return -EINVAL;
	strcpy(to, text);
	return 0;
}

static int take_level(const char *text, char *to)
{
	if (level_of(text) < 0)
		return -EINVAL;
	strcpy(to, text);
	return 0;
}

static int take_balance(const char *text, char *to)
{
	uint32_t policies;

	if (resch_balance_parse(text, &policies))
		return -EINVAL;
	resch_balance_format(policies, to, VALUE_MAX);
	return 0;
}

static int take_calls(const char *text, char *to)
{
	struct resch_calls calls = {};

	if (guard_calls_parse(text, &calls))
		return -EINVAL;
	return guard_calls_format(&calls, to, VALUE_MAX);
}

/* A word of the shields' journal, see list_take() in shield.c. */
static int take_keep(const char *text, char *to)
{
	if (strlen(text) >= sizeof(((struct shield *)NULL)->keep_irqs) || strpbrk(text, " \t\n/"))
		return -EINVAL;
	strcpy(to, text);
	return 0;
}

static const struct {
	const char *word;
	int (*take)(const char *text, char *to);
	const char *like; /* what values are like, or */
	bool list;
	const char *names; /* the list of resch_names() that they are of */
} keys[NR_KEYS] = {
	[KEY_NAME] = { "name", take_name, "a name has at most 15 bytes" },
	[KEY_CPUS] = { "cpus", take_cpus, "a list of CPUs is like 1-3 or 0,2", true },
	[KEY_CPU] = { "cpu", take_cpu, "it is the number of a CPU" },
	[KEY_PLUGIN] = { "plugin", take_plugin,
			 "the name of a plugin, as edf; `options` are a value of their own" },
	[KEY_OPTIONS] = { "options", take_options, "too long", true },
	[KEY_CAPACITY] = { "capacity", take_share, "a share is like 95% or 0.95" },
	[KEY_OVERHEAD] = { "overhead", take_overhead, "a time below 1ms with its unit: 10us" },
	[KEY_GUARD] = { "guard", take_guard, "it is off, on or all" },
	[KEY_MANUAL] = { "manual", take_truth, "it is true or false" },
	[KEY_EXEMPT] = { "exempt", take_calls, "a list of system calls is like getpid,39", true },
	[KEY_BALANCE] = { "balance", take_balance, .names = "balance-policies", .list = true },
	[KEY_KIND] = { "kind", take_kind, .names = "server-kinds" },
	[KEY_POLICY] = { "policy", take_policy, .names = "server-policies" },
	[KEY_BUDGET] = { "budget", take_time,
			 "a time is a number with its unit: 500us, 2ms, 1.5s" },
	[KEY_PERIOD] = { "period", take_time,
			 "a time is a number with its unit: 500us, 2ms, 1.5s" },
	[KEY_QUANTUM] = { "quantum", take_time,
			  "a time is a number with its unit: 500us, 2ms, 1.5s" },
	[KEY_RECLAIM] = { "reclaim", take_truth, "it is true or false" },
	[KEY_HOLDER] = { "holder", take_holder,
			 "it is user:NAME or group:NAME, of those that there are, or empty: nobody" },
	[KEY_TASKS] = { "tasks", take_tasks, "it is 1 to 4096" },
	[KEY_TOP_PRIORITY] = { "top_priority", take_top_priority, "it is 0 to 10000" },
	[KEY_RATE] = { "rate", take_rate, "releases a second: 1 to 1000000" },
	[KEY_KEEP_IRQ] = { "keep_irq", take_keep,
			   "numbers, names and patterns, with commas and no spaces, 1023 characters at most",
			   true },
	[KEY_KEEP_TASK] = { "keep_task", take_keep,
			    "ids, with commas and no spaces, 1023 characters at most", true },
	[KEY_IRQ] = { "irq", take_keep,
		      "NAME:CPU, with commas and no spaces, 1023 characters at most", true },
	[KEY_LATENCY] = { "latency", take_truth, "it is true or false" },
	[KEY_PROGRAM] = { "program", take_program,
			  "the name of a program, or its path; 255 bytes at most" },
	[KEY_LEVEL] = { "level", take_level, "levels are rt0, rt1, linux" },
	[KEY_PRIORITY] = { "priority", take_priority, "it is 1 to 98" },
	[KEY_THREADS] = { "threads", take_truth, "it is true or false" },
	[KEY_UNGUARDED] = { "unguarded", take_truth, "it is true or false" },
	[KEY_ID] = { "id", take_any_number, "it is a number" },
	[KEY_START] = { "start", take_any_number, "it is a number" },
};

/* ---- words ---------------------------------------------------------------------------------- */

const char *section_word(enum section section)
{
	return section < NR_FILE_SECTIONS ? sections[section].word : NULL;
}

bool section_has(enum section section, enum key key)
{
	return sections[section].keys & KEY_BIT(key);
}

/* Options have dashes where JSON has lines below. */
static bool same_word(const char *word, const char *key)
{
	while (*word && (*word == *key || (*word == '-' && *key == '_'))) {
		word++;
		key++;
	}
	return !*word && !*key;
}

int section_key(enum section section, const char *word)
{
	int key;

	for (key = 0; key < NR_KEYS; key++) {
		if (section_has(section, (enum key)key) && same_word(word, keys[key].word))
			return key;
	}
	return -1;
}

const char *section_near(enum section section, const char *word)
{
	int key;

	for (key = 0; key < NR_KEYS; key++) {
		if (section_has(section, (enum key)key) && word_near(word, keys[key].word))
			return keys[key].word;
	}
	return NULL;
}

const char *key_word(enum key key)
{
	return keys[key].word;
}

bool key_is_list(enum key key)
{
	return keys[key].list;
}

/* ---- items ---------------------------------------------------------------------------------- */

static int set_value(struct item *item, enum key key, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(item->values[key]);
	item->values[key] = copy;
	return 0;
}

int item_take(struct item *item, enum key key, const char *text, const char **why)
{
	static char words[WORDS_TEXT + 64];
	char form[VALUE_MAX];

	*why = keys[key].like;
	if (keys[key].names) {
		words_refusal(keys[key].names, words, sizeof(words));
		*why = words;
	}
	if (strlen(text) >= VALUE_MAX || keys[key].take(text, form))
		return -EINVAL;
	return set_value(item, key, form);
}

int item_put(struct item *item, enum key key, const char *format, ...)
{
	char text[VALUE_MAX];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return set_value(item, key, text);
}

const char *item_text(const struct item *item, enum key key)
{
	return item->values[key] ?: "";
}

int item_level(const struct item *item)
{
	return level_of(item_text(item, KEY_LEVEL));
}

int item_class(const struct item *item)
{
	return class_of(item_text(item, KEY_POLICY));
}

bool item_is(const struct item *item, enum key key, const char *text)
{
	return item->values[key] && !strcmp(item->values[key], text);
}

void item_cpus(const struct item *item, struct resch_cpus *cpus)
{
	*cpus = (struct resch_cpus){};
	resch_cpus_parse(item_text(item, item->values[KEY_CPUS] ? KEY_CPUS : KEY_CPU), cpus);
}

uint64_t item_time(const struct item *item, enum key key)
{
	uint64_t ns = 0;

	if (item->values[key] && resch_time_parse(item->values[key], &ns))
		return 0;
	return ns;
}

uint32_t item_share(const struct item *item, enum key key)
{
	uint32_t ppm = 0;

	if (item->values[key] && share_parse(item->values[key], &ppm))
		return 0;
	return ppm;
}

bool item_differs(const struct item *want, const struct item *have, enum key key)
{
	return want->values[key] && !item_is(have, key, want->values[key]);
}

const char *item_title(const struct item *item)
{
	static char texts[2][512];
	static unsigned int next;
	char *text = texts[next++ % 2];
	const char *of, *one = sections[item->section].one;

	if (item->section == SECTION_THREADS)
		snprintf(text, sizeof(texts[0]), "thread %.32s (%.200s)", item_text(item, KEY_ID),
			 item_text(item, KEY_NAME));
	else if (item->section == SECTION_LEVELS)
		snprintf(text, sizeof(texts[0]), "level of %.300s", item_text(item, KEY_PROGRAM));
	else if (*item_text(item, KEY_NAME))
		snprintf(text, sizeof(texts[0]), "%s %.300s", one, item_text(item, KEY_NAME));
	else {
		of = item_text(item, item->values[KEY_CPUS] ? KEY_CPUS : KEY_CPU);
		snprintf(text, sizeof(texts[0]), "%s %s%.300s", one,
			 item->section == SECTION_SERVERS ? "of CPU " : "", of);
	}
	return text;
}

int item_copy(struct item *to, const struct item *from)
{
	int key;

	*to = *from;
	memset(to->values, 0, sizeof(to->values));
	for (key = 0; key < NR_KEYS; key++) {
		if (from->values[key] && set_value(to, (enum key)key, from->values[key])) {
			item_free(to);
			return -ENOMEM;
		}
	}
	return 0;
}

void item_free(struct item *item)
{
	int key;

	for (key = 0; key < NR_KEYS; key++) {
		free(item->values[key]);
		item->values[key] = NULL;
	}
}

struct item *items_add(struct items *items, enum section section)
{
	struct item *grown = reallocarray(items->list, items->count + 1, sizeof(*grown));

	if (!grown) {
		fail("out of memory");
		return NULL;
	}
	items->list = grown;
	grown[items->count] = (struct item){ .section = section };
	return &grown[items->count++];
}

void items_free(struct items *items)
{
	size_t i;

	for (i = 0; i < items->count; i++)
		item_free(&items->list[i]);
	free(items->list);
	*items = (struct items){};
}
