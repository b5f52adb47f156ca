// SPDX-License-Identifier: GPL-2.0-or-later
/* chainset-json.c - chains of stages from JSON files */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "chainset-reader.h"

/* A file that is longer is none of chains. */
#define JSON_MAX (1 << 24)

static bool is_time(enum chainset_column column)
{
	return column == COL_PERIOD || column == COL_DEADLINE || column == COL_JITTER ||
	       column == COL_WCET || column == COL_BCET || column == COL_BLOCKING ||
	       column == COL_LOCAL || column == COL_CLOCK || column == COL_OFFSET;
}

/* A value as it would be in a line: whole numbers for times are ns. */
static int value_text(const struct chainset_reader *reader, enum chainset_column column,
		      struct json_object *value, char *text, size_t size)
{
	bool number = json_object_is_type(value, json_type_int);

	if (!number && !json_object_is_type(value, json_type_string))
		return chainset_bad(reader, column, "neither a text nor a whole number:",
				    json_object_to_json_string(value));
	if (snprintf(text, size, "%s%s", json_object_get_string(value),
		     number && is_time(column) ? "ns" : "") >= (int)size)
		return chainset_bad(reader, column, "too long", NULL);
	return 0;
}

/*
 * Fields that a line has no column for are passed over: there may be more in what a program wrote.
 */
static int read_object(struct chainset_reader *reader, struct json_object *from,
		       struct resch_chain_spec *chain, struct resch_stage_spec *stage)
{
	struct json_object_iterator at = json_object_iter_begin(from);
	struct json_object_iterator end = json_object_iter_end(from);
	char text[96];
	int err = 0;

	for (; !json_object_iter_equal(&at, &end) && !err; json_object_iter_next(&at)) {
		const char *key = json_object_iter_peek_name(&at);
		struct json_object *value = json_object_iter_peek_value(&at);
		uint32_t i;

		for (i = 0; i < COLUMNS && strcmp(chainset_words[i], key); i++)
			;
		if (!strcmp(key, "name"))
			i = stage ? COL_STAGE : COL_CHAIN;
		if (i == COLUMNS || (i >= CHAIN_COLUMNS) != !!stage || !value)
			continue;
		err = value_text(reader, (enum chainset_column)i, value, text, sizeof(text));
		if (err || !*text)
			continue;
		reader->given |= 1U << i;
		if (stage)
			err = chainset_read_stage_field(reader, stage, (enum chainset_column)i,
							text);
		else
			err = chainset_read_chain_field(reader, chain, (enum chainset_column)i,
							text);
	}
	return err;
}

static int read_json_stages(struct chainset_reader *reader, struct json_object *from,
			    uint32_t number)
{
	struct json_object *list;
	size_t i, count;
	int err = 0;

	if (!json_object_object_get_ex(from, "stages", &list) ||
	    !json_object_is_type(list, json_type_array))
		return chainset_bad(reader, COL_STAGE, "there is no list of stages", NULL);
	count = json_object_array_length(list);
	for (i = 0; i < count && !err; i++) {
		struct json_object *object = json_object_array_get_idx(list, i);
		struct resch_stage_spec stage = { .cpu = -1 };

		snprintf(reader->place, sizeof(reader->place), "chain %u, stage %zu", number,
			 i + 1);
		reader->given = 0;
		if (!json_object_is_type(object, json_type_object))
			return chainset_bad(reader, COL_STAGE, "not an object", NULL);
		err = read_object(reader, object, NULL, &stage);
		if (!err)
			err = chainset_add_stage(reader, &stage);
	}
	return err;
}

static int read_json_chain(struct chainset_reader *reader, struct json_object *from,
			   uint32_t number)
{
	struct json_object *name;
	char text[16];
	int err;

	snprintf(reader->place, sizeof(reader->place), "chain %u", number);
	if (!json_object_is_type(from, json_type_object))
		return chainset_bad(reader, COL_CHAIN, "not an object", NULL);
	snprintf(text, sizeof(text), "%u", number);
	err = chainset_add_chain(reader, json_object_object_get_ex(from, "name", &name) ?
						 json_object_get_string(name) :
						 text);
	if (!err)
		err = read_object(reader, from, chainset_last(reader->set), NULL);
	return err ? err : read_json_stages(reader, from, number);
}

static int read_root(struct chainset_reader *reader, struct json_object *root)
{
	struct json_object *list;
	size_t i, count;
	int err = 0;

	if (!json_object_is_type(root, json_type_object) ||
	    !json_object_object_get_ex(root, "chains", &list) ||
	    !json_object_is_type(list, json_type_array)) {
		snprintf(reader->error, reader->size, "there is no list of chains");
		return -EINVAL;
	}
	count = json_object_array_length(list);
	for (i = 0; i < count && !err; i++)
		err = read_json_chain(reader, json_object_array_get_idx(list, i), (uint32_t)i + 1);
	return err;
}

int chainset_read_json(struct chainset_reader *reader, FILE *file)
{
	struct json_tokener *tokener = json_tokener_new();
	char *text = malloc(JSON_MAX);
	struct json_object *root = NULL;
	size_t length;
	int err = -ENOMEM;

	if (tokener && text) {
		length = fread(text, 1, JSON_MAX - 1, file);
		text[length] = 0;
		root = json_tokener_parse_ex(tokener, text, (int)length + 1);
		if (root) {
			err = read_root(reader, root);
		} else {
			snprintf(reader->error, reader->size, "not JSON: %s",
				 json_tokener_error_desc(json_tokener_get_error(tokener)));
			err = -EINVAL;
		}
	}
	json_object_put(root);
	if (tokener)
		json_tokener_free(tokener);
	free(text);
	return err;
}
