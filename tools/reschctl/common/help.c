// SPDX-License-Identifier: GPL-2.0-or-later
/* help.c - help texts, on terminals narrower than they are */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/help.h"
#include "reschctl.h"
#include "words.h"

/* A terminal that is narrower shows what it can. */
#define NARROWEST 60
#define USAGE "usage: "
#define ABOUT 26 /* the column of what is said of options */

size_t terminal_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return 0;
	return size.ws_col > NARROWEST ? size.ws_col : NARROWEST;
}

static size_t blanks(const char *line)
{
	return strspn(line, " ");
}

/* The column where lines that go on with this one begin. */
static size_t column_of(const char *line)
{
	size_t indent = blanks(line);

	if (!strncmp(line, USAGE, sizeof(USAGE) - 1) || indent == sizeof(USAGE) - 1)
		return sizeof(USAGE "reschctl");
	return line[indent] == '-' ? ABOUT : indent;
}

/* Is it a line of a list of words, or a paragraph's first? Then nothing is put before it. */
static bool begins(const char *line)
{
	size_t word;

	line += blanks(line);
	word = strcspn(line, " :");
	return !*line || *line == '-' || line[word] == ':' ||
	       !strncmp(line, USAGE, sizeof(USAGE) - 1);
}

/*
 * Prints all of @line but what goes on in another one of at most @width. Return: how far that is;
 * a word that is wider stays whole.
 */
static size_t print_part(const char *line, size_t column, size_t width)
{
	size_t end = width;

	while (end > column && line[end] != ' ')
		end--;
	if (end <= column)
		end = column + strcspn(line + column, " ");
	printf("%.*s\n", (int)end, line);
	return end + blanks(line + end);
}

/* Prints @text but for what goes before a next line, which is returned; NULL: nothing does. */
static char *print_lines(char *text, size_t column, size_t width)
{
	while (strlen(text) > width) {
		size_t at = print_part(text, column, width);

		if (!text[at])
			return NULL;
		/* Where it has been printed there is room for blanks. */
		text += at - column;
		memset(text, ' ', column);
		if (strlen(text) <= width)
			return text;
	}
	puts(text);
	return NULL;
}

/* Lines that are too long are broken, and what is left of one goes before the next. */
static void print_folded(char *text, size_t width)
{
	char *line, *rest = NULL, *whole = NULL;
	size_t column = 0;

	while ((line = strsep(&text, "\n")) && (text || *line)) {
		char *next;

		if (rest && (begins(line) || blanks(line) != column)) {
			puts(rest);
			rest = NULL;
		}
		if (!rest)
			column = column_of(line);
		if (asprintf(&next, "%s%s%s", rest ? rest : "", rest ? " " : "",
			     line + (rest ? column : 0)) < 0)
			return;
		free(whole);
		whole = next;
		rest = print_lines(whole, column, width);
	}
	if (rest)
		puts(rest);
	free(whole);
}

void help_print(const char *help)
{
	size_t size, width = terminal_width();
	char *text = NULL;
	FILE *to = width ? open_memstream(&text, &size) : NULL;

	if (!to) {
		words_print(help, stdout);
		return;
	}
	words_print(help, to);
	fclose(to);
	print_folded(text, width);
	free(text);
}
