// SPDX-License-Identifier: GPL-2.0
/* trace.c - where the trace events are defined */

#define CREATE_TRACE_POINTS
#include "trace.h"
