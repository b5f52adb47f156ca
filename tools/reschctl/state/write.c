// SPDX-License-Identifier: GPL-2.0-or-later
/* write.c - items as a file, and as JSON */
#include <string.h>

#include "state.h"

/* Does YAML take it for a text as it stands? */
static bool plain(const char *text)
{
	const char *at;

	if (!*text || strchr("-.%", *text))
		return false;
	for (at = text; *at; at++) {
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,%=/",
			    *at))
			return false;
	}
	return true;
}

static void write_text(const char *text, FILE *to)
{
	struct json_object *quoted;

	if (plain(text)) {
		fputs(text, to);
		return;
	}
	/* JSON's texts are YAML's. */
	quoted = json_object_new_string(text);
	fputs(json_object_to_json_string_ext(quoted, JSON_C_TO_STRING_PLAIN |
							     JSON_C_TO_STRING_NOSLASHESCAPE),
	      to);
	json_object_put(quoted);
}

/* What is so anyway is not worth a line. */
static bool worthless(const struct item *item, int key)
{
	if (!item->values[key] || !section_has(item->section, (enum key)key))
		return true;
	switch (key) {
	case KEY_NAME:
	case KEY_OPTIONS:
	case KEY_IRQ:
	case KEY_KEEP_IRQ:
	case KEY_KEEP_TASK:
	case KEY_HOLDER:
		return !*item->values[key];
	case KEY_TOP_PRIORITY:
		return item_is(item, KEY_TOP_PRIORITY, "0");
	case KEY_RECLAIM:
	case KEY_THREADS:
	case KEY_UNGUARDED:
	case KEY_LATENCY:
	case KEY_MANUAL:
		return item_is(item, (enum key)key, "false");
	default:
		return false;
	}
}

static void write_item(const struct item *item, FILE *to)
{
	const char *before = "  - ";
	int key;

	for (key = 0; key < NR_KEYS; key++) {
		if (worthless(item, key))
			continue;
		fputs(before, to);
		if (item->section != SECTION_PLUGINS)
			fprintf(to, "%s: ", key_word((enum key)key));
		write_text(item->values[key], to);
		fputc('\n', to);
		before = "    ";
	}
}

void items_write(const struct items *items, FILE *to)
{
	int section;
	bool headed;
	size_t i;

	fputs("# Written by `reschctl save`; `reschctl apply` makes it so again.\n", to);
	for (section = 0; section < NR_FILE_SECTIONS; section++) {
		headed = false;
		for (i = 0; i < items->count; i++) {
			if (items->list[i].section != (enum section)section)
				continue;
			if (!headed)
				fprintf(to, "\n%s:\n", section_word((enum section)section));
			headed = true;
			write_item(&items->list[i], to);
		}
	}
}

struct json_object *item_json(const struct item *item)
{
	struct json_object *json = json_object_new_object();
	int key;

	for (key = 0; key < NR_KEYS; key++) {
		if (item->values[key])
			json_add_text(json, key_word((enum key)key), item->values[key]);
	}
	return json;
}
