// SPDX-License-Identifier: GPL-2.0-or-later
/* canvas.c - what a screen is to show */
#include "canvas.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

int canvas_begin(struct canvas *canvas, size_t rows, size_t columns)
{
	*canvas = (struct canvas){};
	canvas->cells = calloc(rows * columns + 1, sizeof(*canvas->cells));
	if (!canvas->cells)
		return -ENOMEM;
	canvas->rows = rows;
	canvas->columns = columns;
	for (size_t i = 0; i < rows * columns; i++)
		canvas->cells[i].text[0] = ' ';
	return 0;
}

void canvas_end(struct canvas *canvas)
{
	free(canvas->cells);
	*canvas = (struct canvas){};
}

/* The next letter of a text. Return: its bytes, 0: the end; @width: its columns */
static size_t letter(const char *text, int *width)
{
	mbstate_t state = {};
	wchar_t wide;
	size_t bytes = mbrtowc(&wide, text, strlen(text), &state);

	*width = 1;
	if (!*text)
		return 0;
	if (bytes == (size_t)-1 || bytes == (size_t)-2)
		return 1;
	*width = wcwidth(wide);
	return bytes;
}

size_t canvas_put(struct canvas *canvas, size_t row, size_t column, enum style style,
		  const char *text)
{
	size_t bytes;
	int width;

	if (row >= canvas->rows)
		return column;
	for (; (bytes = letter(text, &width)) > 0; text += bytes) {
		struct cell *cell = &canvas->cells[row * canvas->columns + column];

		/* what belongs to the letter before it */
		if (!width)
			continue;
		if (column + (size_t)(width < 1 ? 1 : width) > canvas->columns)
			break;
		memset(cell->text, 0, sizeof(cell->text));
		cell->style = (uint8_t)style;
		if (width < 0 || bytes >= sizeof(cell->text) ||
		    (bytes == 1 && (unsigned char)*text >= 0x80))
			cell->text[0] = '?';
		else
			memcpy(cell->text, text, bytes);
		column++;
		if (width == 2) {
			memset(cell[1].text, 0, sizeof(cell[1].text));
			cell[1].style = (uint8_t)style;
			column++;
		}
	}
	return column;
}

void canvas_style(struct canvas *canvas, size_t row, size_t column, size_t count, enum style style)
{
	if (row >= canvas->rows)
		return;
	for (; count && column < canvas->columns; count--, column++)
		canvas->cells[row * canvas->columns + column].style = (uint8_t)style;
}

char *canvas_row(const struct canvas *canvas, size_t row)
{
	char *text = calloc(canvas->columns + 1, sizeof(canvas->cells[0].text));
	size_t end = 0;

	if (!text)
		return NULL;
	for (size_t i = 0; i < canvas->columns; i++)
		strcat(text, canvas->cells[row * canvas->columns + i].text);
	for (size_t i = 0; text[i]; i++) {
		if (text[i] != ' ')
			end = i + 1;
	}
	text[end] = 0;
	return text;
}
