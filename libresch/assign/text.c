// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* text.c - refusals in words */
#include <inttypes.h>
#include <stdio.h>

#include "assign.h"

/* struct amounts - times of a refusal, as words */
struct amounts {
	char needed[RESCH_TIME_TEXT], available[RESCH_TIME_TEXT], slot[RESCH_TIME_TEXT];
};

/* Of what is known only once there are groups. */
static int group_text(const struct resch_assign_refusal *refusal, const struct amounts *amounts,
		      char *text, size_t size)
{
	const char *needed = amounts->needed, *slot = amounts->slot;
	uint32_t task = refusal->task + 1;

	switch (refusal->reason) {
	case RESCH_ASSIGN_SHORT:
		return snprintf(text, size,
				"group %" PRIu32 ", with task %" PRIu32
				", needs %s of each slot of %s, and has %s",
				refusal->group, task, needed, slot, amounts->available);
	case RESCH_ASSIGN_OVERLAP:
		return snprintf(text, size,
				"the reserves of group %" PRIu32
				" overlap others, or are not one window",
				refusal->group);
	case RESCH_ASSIGN_KEPT:
		return snprintf(text, size,
				"group %" PRIu32 ", which task %" PRIu32
				" keeps, needs %s of each slot of %s",
				refusal->group, task, needed, slot);
	case RESCH_ASSIGN_SWITCH:
		if (!refusal->group)
			return snprintf(text, size,
					"slots would be %s long, and those of the standing layout "
					"are not",
					slot);
		return snprintf(text, size,
				"group %" PRIu32 " would fall behind by %s, %s after the switch",
				refusal->group, amounts->available, needed);
	case RESCH_ASSIGN_BUSY:
		return snprintf(text, size,
				"group %" PRIu32 ", with task %" PRIu32
				", may be busy for longer than %s, and cannot be cut before it is "
				"idle once",
				refusal->group, task, needed);
	default:
		return snprintf(text, size, "reason number %" PRIu32, refusal->reason);
	}
}

int resch_assign_text(const struct resch_assign_refusal *refusal, char *text, size_t size)
{
	struct amounts amounts;
	const char *needed = amounts.needed, *available = amounts.available, *slot = amounts.slot;
	uint32_t task = refusal->task + 1;

	resch_time_format(refusal->needed, amounts.needed, sizeof(amounts.needed));
	resch_time_format(refusal->available, amounts.available, sizeof(amounts.available));
	resch_time_format(refusal->slot, amounts.slot, sizeof(amounts.slot));
	if (refusal->needed == ASSIGN_NEVER)
		snprintf(amounts.needed, sizeof(amounts.needed), "more than a slot");
	switch (refusal->reason) {
	case RESCH_ASSIGN_FITS:
		return snprintf(text, size, "everything fits");
	case RESCH_ASSIGN_TASK:
		return snprintf(text, size,
				"task %" PRIu32
				" needs a period of at most 1h, and a wcet from 1ns to its period "
				"and its deadline",
				task);
	case RESCH_ASSIGN_SLOT:
		return snprintf(text, size,
				"with a delta of %" PRIu32
				" slots are %s long, and at least %s is asked for",
				refusal->delta, available, needed);
	case RESCH_ASSIGN_ALONE:
		return snprintf(text, size,
				"task %" PRIu32 " alone needs %s, with overheads, of %s", task,
				needed, available);
	case RESCH_ASSIGN_HEAVY:
		return snprintf(text, size,
				"task %" PRIu32
				" needs a CPU of its own, as does each of the others that have the "
				"%" PRIu64 " CPUs",
				task, refusal->available);
	case RESCH_ASSIGN_FULL:
		return snprintf(text, size,
				"task %" PRIu32 " needs %s of each slot of %s, and %s is left "
				"(delta %" PRIu32 ")",
				task, needed, slot, available, refusal->delta);
	case RESCH_ASSIGN_BIN:
		return snprintf(text, size,
				"bin %" PRIu32 ", with task %" PRIu32
				", needs %s of each slot of %s, and %s is left (delta %" PRIu32 ")",
				refusal->group, task, needed, slot, available, refusal->delta);
	default:
		return group_text(refusal, &amounts, text, size);
	}
}
