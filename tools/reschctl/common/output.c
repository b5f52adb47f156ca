// SPDX-License-Identifier: GPL-2.0-or-later
/* output.c - messages, tables, JSON */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reschctl.h"

/* Texts that live for one printf: a ring, so that one call may use several. */
static char *scratch(size_t *size)
{
	static char ring[16][256];
	static unsigned int next;

	*size = sizeof(ring[0]);
	return ring[next++ % 16];
}

/* Without the end of the line. */
static void message(const char *format, va_list arguments)
{
	fflush(stdout);
	fprintf(stderr, "%s: ", tool_name);
	vfprintf(stderr, format, arguments);
}

int fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	message(format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	return EXIT_FAILED;
}

void note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	message(format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

int usage(const char *command, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	message(format, arguments);
	fprintf(stderr, "\nTry `%s %s%s--help`.\n", tool_name, command, *command ? " " : "");
	va_end(arguments);
	return EXIT_USAGE;
}

int output_end(int status)
{
	int bad = ferror(stdout);

	errno = 0;
	/* Why it failed before is forgotten; it fails again. */
	if (bad && write(STDOUT_FILENO, "\n", 1) == 1)
		errno = 0;
	else if (!bad && fclose(stdout))
		bad = 1;
	/* Who reads no further, as head(1), has what he wants. */
	if (!bad || errno == EPIPE)
		return status;
	fprintf(stderr, "%s: standard output: %s\n", tool_name,
		errno ? strerror(errno) : "could not be written");
	return status == EXIT_DONE ? EXIT_FAILED : status;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void out_of_memory(void)
{
	fprintf(stderr, "%s: out of memory\n", tool_name);
	exit(EXIT_FAILED);
}

void table_begin(struct table *table, const char *const *headings)
{
	*table = (struct table){ .headings = headings };
	while (headings[table->columns])
		table->columns++;
}

void table_add(struct table *table, const char *format, ...)
{
	va_list arguments;
	char *cell;
	int n;

	if (table->count == table->room) {
		table->room = table->room ? 2 * table->room : 64;
		table->cells = reallocarray(table->cells, table->room, sizeof(*table->cells));
		if (!table->cells)
			out_of_memory();
	}
	va_start(arguments, format);
	n = vasprintf(&cell, format, arguments);
	va_end(arguments);
	if (n < 0)
		out_of_memory();
	table->cells[table->count++] = cell;
}

static const char *heading(const struct table *table, size_t column)
{
	return table->headings[column] + (table->headings[column][0] == '>');
}

static void print_row(const struct table *table, const char *const *row, const int *widths,
		      FILE *to, const char *style)
{
	const char *before = "";
	size_t column;

	if (style)
		fprintf(to, "\033[%sm", style);
	for (column = 0; column < table->columns; column++) {
		bool last = column + 1 == table->columns;

		if (widths[column] < 0)
			continue;
		fputs(before, to);
		before = "  ";
		if (table->headings[column][0] == '>')
			fprintf(to, "%*s", widths[column], row[column]);
		else
			fprintf(to, "%-*s", last ? 0 : widths[column], row[column]);
	}
	fputs(style ? "\033[0m\n" : "\n", to);
}

/* Columns that there is no room for get a width of -1. */
static void drop_columns(const struct table *table, int *widths)
{
	const char *const *name;
	size_t column, sum = 0;

	for (column = 0; column < table->columns; column++)
		sum += (size_t)widths[column] + 2;
	for (name = table->drop; name && *name && sum > table->width + 2; name++) {
		for (column = 0; column < table->columns; column++) {
			if (widths[column] < 0 || strcmp(heading(table, column), *name))
				continue;
			sum -= (size_t)widths[column] + 2;
			widths[column] = -1;
		}
	}
}

void table_style(struct table *table, const char *style)
{
	size_t row = (table->count - 1) / table->columns;

	table->styles = reallocarray(table->styles, row + 1, sizeof(*table->styles));
	if (!table->styles)
		out_of_memory();
	while (table->styled <= row)
		table->styles[table->styled++] = NULL;
	table->styles[row] = style;
}

void table_free(struct table *table)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		free(table->cells[i]);
	free(table->cells);
	free(table->styles);
	table->cells = NULL;
	table->styles = NULL;
	table->count = 0;
	table->room = 0;
	table->styled = 0;
}

void table_print(struct table *table, FILE *to)
{
	const char *row[table->columns];
	int widths[table->columns];
	size_t column, i;

	for (column = 0; column < table->columns; column++) {
		row[column] = heading(table, column);
		widths[column] = (int)strlen(row[column]);
	}
	for (i = 0; i < table->count; i++) {
		int width = (int)strlen(table->cells[i]);

		if (width > widths[i % table->columns])
			widths[i % table->columns] = width;
	}
	if (table->width)
		drop_columns(table, widths);
	print_row(table, row, widths, to, NULL);
	for (i = 0; i + table->columns <= table->count; i += table->columns)
		print_row(table, (const char *const *)table->cells + i, widths, to,
			  i / table->columns < table->styled ? table->styles[i / table->columns] :
							       NULL);
	table_free(table);
}

void text_clean(char *text)
{
	unsigned char *at = (unsigned char *)text;

	while (*at) {
		/*
		 * Bytes after the first, by what that begins with; overlong forms and the like are
		 * let through.
		 */
		int more = *at < 0x80 ? 0 :
			   *at < 0xc2 ? -1 :
			   *at < 0xe0 ? 1 :
			   *at < 0xf0 ? 2 :
			   *at < 0xf5 ? 3 :
					-1;
		int i;

		for (i = 1; i <= more; i++) {
			if ((at[i] & 0xc0) != 0x80)
				more = -1;
		}
		if (more < 0 || *at < ' ' || *at == 0x7f) {
			*at++ = '?';
			continue;
		}
		at += 1 + more;
	}
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void json_add(struct json_object *object, const char *key, struct json_object *value)
{
	json_object_object_add(object, key, value);
}

void json_add_time(struct json_object *object, const char *key, uint64_t ns)
{
	json_object_object_add(object, key, json_object_new_uint64(ns));
}

void json_add_number(struct json_object *object, const char *key, uint64_t number)
{
	json_object_object_add(object, key, json_object_new_uint64(number));
}

void json_add_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, json_object_new_string(text));
}

void json_show(struct json_object *object, FILE *to)
{
	fprintf(to, "%s\n",
		json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
							       JSON_C_TO_STRING_SPACED |
							       JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

void json_show_line(struct json_object *object, FILE *to)
{
	fprintf(to, "%s\n", json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
	json_object_put(object);
}

/* ---- texts ----------------------------------------------------------------------------------- */

const char *time_short(uint64_t ns)
{
	static const struct {
		uint64_t unit;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" } };
	size_t size, i;
	char *text = scratch(&size);

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		double value = (double)ns / (double)units[i].unit;

		if (ns < units[i].unit)
			continue;
		if (ns % units[i].unit == 0 || value >= 100)
			snprintf(text, size, "%.0f%s", value, units[i].name);
		else
			snprintf(text, size, "%.*f%s", value < 10 ? 2 : 1, value, units[i].name);
		return text;
	}
	snprintf(text, size, ns ? "%luns" : "0", (unsigned long)ns);
	return text;
}

const char *time_text(uint64_t ns)
{
	size_t size;
	char *text = scratch(&size);

	resch_time_format(ns, text, size);
	return text;
}

const char *share_text(uint64_t ppm)
{
	size_t size;
	char *text = scratch(&size);

	snprintf(text, size, "%.*f%%", ppm % 10000 ? 2 : 0, (double)ppm / 10000);
	return text;
}

const char *cpus_text(const struct resch_cpus *cpus)
{
	size_t size;
	char *text = scratch(&size);

	resch_cpus_format(cpus, text, size);
	return text;
}
