/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trim.h - a text without the blanks around it */
#ifndef _RESCH_TRIM_H
#define _RESCH_TRIM_H

#include <ctype.h>
#include <string.h>

/** trim - cuts @text at its end. Return: where it begins */
static inline char *trim(char *text)
{
	char *end = text + strlen(text);

	while (isspace((unsigned char)*text))
		text++;
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = 0;
	return text;
}

#endif /* _RESCH_TRIM_H */
