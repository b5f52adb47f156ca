// SPDX-License-Identifier: GPL-2.0-or-later
/* text.c - steps as lines for people, and as JSON and back */
#include <errno.h>
#include <string.h>

#include "state.h"

void step_free(struct step *step)
{
	item_free(&step->before);
	item_free(&step->after);
}

static const char *const deed_words[] = { "make", "change", "remove" };

/* What a thread is, or is to be, in a word or two. */
static void print_thread(const struct item *item, FILE *to)
{
	if (item_level(item) == LEVEL_RT0)
		fprintf(to, "rt0 on CPU %s", item_text(item, KEY_CPU));
	else if (item->values[KEY_PRIORITY] && !item_is(item, KEY_PRIORITY, "0"))
		fprintf(to, "%s %s", item_text(item, KEY_POLICY), item_text(item, KEY_PRIORITY));
	else
		fputs(item_level(item) == LEVEL_LINUX ? class_word(SCHED_OTHER) :
							item_text(item, KEY_POLICY),
		      to);
}

static bool in_title(const struct item *item, int key)
{
	if (key == KEY_NAME)
		return true;
	return (key == KEY_CPUS || key == KEY_CPU) && !*item_text(item, KEY_NAME);
}

/* One value that is made, or that is another one now. Return: was there something to print? */
static bool print_value(const struct step *step, int key, const char *separator, FILE *to)
{
	const char *before = item_text(&step->before, (enum key)key);
	const char *after = item_text(&step->after, (enum key)key);

	if (!part_has(step->part, (enum key)key) || !strcmp(before, after) ||
	    (step->deed == DEED_MAKE && in_title(&step->after, key)) ||
	    (!*before && !strcmp(after, "false")) ||
	    (!*after && (key == KEY_MANUAL || key == KEY_EXEMPT)))
		return false;
	fprintf(to, "%s%s ", separator, key_word((enum key)key));
	if (*before)
		fprintf(to, "%s -> %s", before, *after ? after : "-");
	else
		fputs(after, to);
	return true;
}

void step_print(const struct step *step, FILE *to)
{
	const char *separator = ": ";
	int key;

	fprintf(to, "%c %s", "+~-"[step->deed],
		item_title(step->deed == DEED_REMOVE ? &step->before : &step->after));
	if (step->part == PART_THREAD) {
		fputs(": ", to);
		print_thread(&step->before, to);
		fputs(" -> ", to);
		print_thread(&step->after, to);
	}
	for (key = 0; key < NR_KEYS && step->part != PART_THREAD && step->deed != DEED_REMOVE;
	     key++) {
		if (print_value(step, key, separator, to))
			separator = ", ";
	}
	fputc('\n', to);
}

struct json_object *step_json(const struct step *step)
{
	struct json_object *json = json_object_new_object();

	json_add_text(json, "do", deed_words[step->deed]);
	json_add_text(json, "what", part_word(step->part));
	if (step->deed != DEED_MAKE)
		json_add(json, "before", item_json(&step->before));
	if (step->deed != DEED_REMOVE)
		json_add(json, "after", item_json(&step->after));
	return json;
}

static int parse_item(struct json_object *json, enum section section, struct item *item)
{
	*item = (struct item){ .section = section };
	if (!json)
		return 0;
	if (!json_object_is_type(json, json_type_object))
		return -EINVAL;
	json_object_object_foreach(json, word, value)
	{
		int key = section_key(section, word);

		if (key < 0 ||
		    item_put(item, (enum key)key, "%s", json_object_get_string(value) ?: ""))
			return -EINVAL;
	}
	return 0;
}

int step_parse(struct json_object *json, struct step *step)
{
	static const enum section sections[NR_PARTS] = {
		[PART_PLUGIN] = SECTION_PLUGINS,  [PART_DOMAIN] = SECTION_DOMAINS,
		[PART_SERVER] = SECTION_SERVERS,  [PART_HOLDER] = SECTION_SERVERS,
		[PART_SHIELD] = SECTION_SHIELDS,  [PART_GUARD] = SECTION_DOMAINS,
		[PART_BALANCE] = SECTION_DOMAINS, [PART_THREAD] = SECTION_THREADS,
	};
	struct json_object *action, *what, *before = NULL, *after = NULL;
	int i, part;

	*step = (struct step){};
	if (!json_object_object_get_ex(json, "do", &action) ||
	    !json_object_object_get_ex(json, "what", &what))
		return -EINVAL;
	for (i = 0; i < 3 && strcmp(deed_words[i], json_object_get_string(action));)
		i++;
	for (part = 0;
	     part < NR_PARTS && strcmp(part_word((enum part)part), json_object_get_string(what));)
		part++;
	if (i == 3 || part == NR_PARTS)
		return -EINVAL;
	step->deed = (enum deed)i;
	step->part = (enum part)part;
	json_object_object_get_ex(json, "before", &before);
	json_object_object_get_ex(json, "after", &after);
	if (!parse_item(before, sections[part], &step->before) &&
	    !parse_item(after, sections[part], &step->after))
		return 0;
	step_free(step);
	return -EINVAL;
}
