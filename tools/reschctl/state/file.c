// SPDX-License-Identifier: GPL-2.0-or-later
/* file.c - read a file of wanted states: YAML, of which JSON is a part */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "near.h"
#include "state.h"

/** struct reader - a file, as libyaml has it in memory */
struct reader {
	const char *path;
	yaml_document_t document;
};

int file_bad(const char *path, size_t line, const char *format, va_list arguments)
{
	char text[1024];

	vsnprintf(text, sizeof(text), format, arguments);
	text_clean(text);
	fail("%s:%zu: %s", path, line, text);
	return EXIT_USAGE;
}

static int bad(const struct reader *reader, size_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int bad(const struct reader *reader, size_t line, const char *format, ...)
{
	va_list arguments;
	int status;

	va_start(arguments, format);
	status = file_bad(reader->path, line, format, arguments);
	va_end(arguments);
	return status;
}

static yaml_node_t *node_at(struct reader *reader, int index)
{
	return yaml_document_get_node(&reader->document, index);
}

static size_t line_of(const yaml_node_t *node)
{
	return node->start_mark.line + 1;
}

/* NULL: it is no text, or has a zero in it. */
static const char *text_of(const yaml_node_t *node)
{
	const char *text = (const char *)node->data.scalar.value;

	return node->type == YAML_SCALAR_NODE && strlen(text) == node->data.scalar.length ? text :
											    NULL;
}

/* [1, 2] is "1,2". Return: 0, or an exit status after a message. */
static int list_join(struct reader *reader, yaml_node_t *node, char *to, size_t size)
{
	const yaml_node_item_t *each;
	size_t length = 0;

	*to = 0;
	for (each = node->data.sequence.items.start; each < node->data.sequence.items.top; each++) {
		const char *text = text_of(node_at(reader, *each));

		if (!text)
			return bad(reader, line_of(node), "a list of texts is wanted");
		length += (size_t)snprintf(to + length, size - length, "%s%s", length ? "," : "",
					   text);
		if (length >= size)
			return bad(reader, line_of(node), "too long");
	}
	return 0;
}

static int read_value(struct reader *reader, struct item *item, int key, yaml_node_t *node)
{
	const char *text, *why, *word = key_word((enum key)key);
	char list[VALUE_MAX];
	int status;

	if (node->type == YAML_SEQUENCE_NODE && key_is_list((enum key)key)) {
		status = list_join(reader, node, list, sizeof(list));
		if (status)
			return status;
		text = list;
	} else {
		text = text_of(node);
	}
	if (!text)
		return bad(reader, line_of(node), "%s: %s", word,
			   key_is_list((enum key)key) ? "a text or a list of texts is wanted" :
							"a text is wanted");
	item->lines[key] = (unsigned int)line_of(node);
	status = item_take(item, (enum key)key, text, &why);
	if (status == -EINVAL)
		return bad(reader, line_of(node), "%s: '%.200s': %s", word, text, why);
	return status ? fail("out of memory") : 0;
}

static int read_key(struct reader *reader, struct item *item, yaml_node_t *name, yaml_node_t *value)
{
	const char *word = text_of(name), *near;
	int key;

	if (!word)
		return bad(reader, line_of(name), "a key is a word");
	key = section_key(item->section, word);
	if (key >= 0 && item->values[key])
		return bad(reader, line_of(name), "%s is said twice", word);
	if (key >= 0)
		return read_value(reader, item, key, value);
	near = section_near(item->section, word);
	if (near)
		return bad(reader, line_of(name), "there is no '%s' in %s: did you mean %s?", word,
			   section_word(item->section), near);
	return bad(reader, line_of(name), "there is no '%s' in %s", word,
		   section_word(item->section));
}

static int read_item(struct reader *reader, enum section section, yaml_node_t *node,
		     struct items *items)
{
	struct item *item = items_add(items, section);
	yaml_node_pair_t *pair;
	int status = 0;

	if (!item)
		return EXIT_FAILED;
	item->file = reader->path;
	item->line = (unsigned int)line_of(node);
	/* A plugin is nothing but its name. */
	if (section == SECTION_PLUGINS && node->type == YAML_SCALAR_NODE)
		return read_value(reader, item, KEY_NAME, node);
	if (node->type != YAML_MAPPING_NODE)
		return bad(reader, line_of(node), "each of %s has keys and values, as name: x",
			   section_word(section));
	for (pair = node->data.mapping.pairs.start; !status && pair < node->data.mapping.pairs.top;
	     pair++)
		status = read_key(reader, item, node_at(reader, pair->key),
				  node_at(reader, pair->value));
	return status;
}

static int read_section(struct reader *reader, yaml_node_t *name, yaml_node_t *list,
			unsigned int *seen, struct items *items)
{
	const char *word = text_of(name);
	const yaml_node_item_t *each;
	int section, status = 0;

	for (section = 0; word && section < NR_FILE_SECTIONS; section++) {
		if (!strcmp(word, section_word((enum section)section)))
			break;
	}
	if (!word || section == NR_FILE_SECTIONS) {
		for (section = 0; word && section < NR_FILE_SECTIONS; section++) {
			if (word_near(word, section_word((enum section)section)))
				return bad(reader, line_of(name),
					   "there is no '%s' here: did you mean %s?", word,
					   section_word((enum section)section));
		}
		return bad(
			reader, line_of(name),
			"there is no '%s' here: there are plugins, domains, servers, shields, levels",
			word ?: "such key");
	}
	if (*seen & 1U << section)
		return bad(reader, line_of(name), "%s is said twice", word);
	*seen |= 1U << section;
	/* "servers:" and nothing below it */
	if (list->type == YAML_SCALAR_NODE && !list->data.scalar.length)
		return 0;
	if (list->type != YAML_SEQUENCE_NODE)
		return bad(reader, line_of(list), "%s: a list is wanted: each begins with a dash",
			   word);
	for (each = list->data.sequence.items.start;
	     !status && each < list->data.sequence.items.top; each++)
		status = read_item(reader, (enum section)section, node_at(reader, *each), items);
	return status;
}

static int read_document(struct reader *reader, struct items *items)
{
	yaml_node_t *root = yaml_document_get_root_node(&reader->document);
	yaml_node_pair_t *pair;
	unsigned int seen = 0;
	int status = 0;

	/* Comments are no document. */
	if (!root || (root->type == YAML_SCALAR_NODE && !root->data.scalar.length))
		return 0;
	if (root->type != YAML_MAPPING_NODE)
		return bad(reader, line_of(root), "the outermost are keys, as domains:");
	for (pair = root->data.mapping.pairs.start; !status && pair < root->data.mapping.pairs.top;
	     pair++)
		status = read_section(reader, node_at(reader, pair->key),
				      node_at(reader, pair->value), &seen, items);
	return status;
}

static int syntax(const struct reader *reader, const yaml_parser_t *parser)
{
	if (parser->error == YAML_MEMORY_ERROR)
		return fail("out of memory");
	if (parser->error == YAML_READER_ERROR)
		return bad(reader, 1, "no text: %s", parser->problem);
	return bad(reader, parser->problem_mark.line + 1, "%s", parser->problem ?: "no YAML");
}

int file_read(const char *path, struct items *items)
{
	struct reader reader = { .path = path };
	yaml_parser_t parser;
	yaml_document_t more;
	FILE *file = fopen(path, "re");
	int status;

	if (!file) {
		fail("%s: %s", path, strerror(errno));
		return EXIT_USAGE;
	}
	if (!yaml_parser_initialize(&parser)) {
		fclose(file);
		return fail("out of memory");
	}
	yaml_parser_set_input_file(&parser, file);
	if (!yaml_parser_load(&parser, &reader.document)) {
		status = syntax(&reader, &parser);
	} else {
		status = read_document(&reader, items);
		yaml_document_delete(&reader.document);
		if (!status && yaml_parser_load(&parser, &more)) {
			if (yaml_document_get_root_node(&more))
				status = bad(&reader, more.start_mark.line + 1,
					     "a file is one document");
			yaml_document_delete(&more);
		} else if (!status && parser.error) {
			status = syntax(&reader, &parser);
		}
	}
	/* A folder can be opened, and not be read. */
	if (ferror(file) && status)
		fail("%s: could not be read", path);
	yaml_parser_delete(&parser);
	fclose(file);
	return status;
}
