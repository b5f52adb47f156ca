/* SPDX-License-Identifier: GPL-2.0-or-later */
/* canvas.h - what a screen is to show: letters in rows and columns, each in a style */
#ifndef _TOP_CANVAS_H
#define _TOP_CANVAS_H

#include <stddef.h>
#include <stdint.h>

enum style {
	STYLE_PLAIN,
	STYLE_TITLE, /* of a page */
	STYLE_HEADING, /* of a column */
	STYLE_SORTED, /* ... by which rows are sorted */
	STYLE_CHOSEN, /* the row that keys are for */
	STYLE_BAD, /* a deadline was missed lately */
	STYLE_PALE, /* it has gone */
	STYLE_BAR, /* of a histogram */
	STYLES,
};

/** struct cell - a letter: @text of several bytes; "": the one before it is two columns wide */
struct cell {
	char text[8];
	uint8_t style;
};

struct canvas {
	size_t rows, columns;
	struct cell *cells;
};

/** canvas_begin - an empty one. Return: 0 or -ENOMEM; then it has no rows */
int canvas_begin(struct canvas *canvas, size_t rows, size_t columns);
void canvas_end(struct canvas *canvas);

/**
 * canvas_put - write a text, as much of it as there is room for
 *
 * What does not fit into the row is cut. Return: the column behind it.
 */
size_t canvas_put(struct canvas *canvas, size_t row, size_t column, enum style style,
		  const char *text);
/** canvas_style - give what is in a row from @column on another style, @count columns */
void canvas_style(struct canvas *canvas, size_t row, size_t column, size_t count, enum style style);
/** canvas_row - a row as text, without the spaces at its end; to be freed; NULL: no memory */
char *canvas_row(const struct canvas *canvas, size_t row);

#endif
