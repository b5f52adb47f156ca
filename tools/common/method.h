/* SPDX-License-Identifier: GPL-2.0-or-later */
/* method.h - methods of task splitting, and the plugins that carry out what they find */
#ifndef _COMMON_METHOD_H
#define _COMMON_METHOD_H

#include <stdint.h>

#include "resch-assign.h"

/* C-NPS-F differs from NPS-F in the plan alone. */
static inline const char *method_plugin(uint32_t method)
{
	return method == RESCH_ASSIGN_SEKG ? "sekg" : "npsf";
}

#endif /* _COMMON_METHOD_H */
