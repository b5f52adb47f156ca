/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pages.h - draw what is shown of a look on a canvas */
#ifndef _TOP_PAGES_H
#define _TOP_PAGES_H

#include "canvas.h"
#include "view.h"

/**
 * struct scene - what there is to draw
 * @before: the look before it, or NULL
 * @rows:   the tasks to show, in their order; for the page of tasks alone
 * @count:  of the rows of the page; of tasks by view_rows(), of other pages by pages_draw()
 */
struct scene {
	const struct look *look, *before;
	const struct top_task **rows;
	size_t count;
};

/** pages_room - for how many rows a screen has room */
size_t pages_room(size_t lines);
/** pages_draw - the page of the view, which follows what there is */
void pages_draw(struct canvas *canvas, struct view *view, struct scene *scene);

#endif
