/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h - the records of the resch:* trace events, as module/core/trace.h has them
 *
 * The kernel tells where each field lies in events/resch/NAME/format of tracefs, and reschtop
 * compares before it begins: EVENT_FIELDS is for that.
 */
#ifndef _TOP_EVENTS_H
#define _TOP_EVENTS_H

#include <linux/types.h>

/** struct event_job - resch_release, _complete, _miss, _overrun, _select */
struct event_job {
	__u64 common;
	__u32 id;
	__s32 pid;
	__u32 cpu;
	__u64 job;
	__u64 release;
	__u64 deadline;
	__u64 now;
	__u64 value;
};

struct event_deselect {
	__u64 common;
	__u32 id;
	__s32 pid;
	__u32 cpu;
	__u32 why;
	__u64 job;
	__u64 now;
};

/* event_deselect.why: it was selected, and another one is now */
#define EVENT_PREEMPT 0

struct event_attach {
	__u64 common;
	__u32 id;
	__s32 pid;
	__u32 cpu;
	__u32 group;
	__u32 kind;
	__u32 overrun;
	__u32 miss;
	__u32 priority;
	__u64 period;
	__u64 deadline;
	__u64 wcet;
	__u64 offset;
	char name[16];
	char plugin[16];
};

struct event_detach {
	__u64 common;
	__u32 id;
	__s32 pid;
	__u32 cpu;
	__u32 gone;
};

/* clang-format off */

/* field(EVENT, STRUCTURE, FIELD) for each that is read */
#define EVENT_FIELDS_OF_JOB(event, field) \
	field(event, job, id) field(event, job, pid) field(event, job, cpu) \
	field(event, job, job) field(event, job, release) field(event, job, deadline) \
	field(event, job, now) field(event, job, value)

#define EVENT_FIELDS(field) \
	EVENT_FIELDS_OF_JOB(resch_release, field) \
	EVENT_FIELDS_OF_JOB(resch_complete, field) \
	EVENT_FIELDS_OF_JOB(resch_miss, field) \
	EVENT_FIELDS_OF_JOB(resch_overrun, field) \
	EVENT_FIELDS_OF_JOB(resch_select, field) \
	field(resch_deselect, deselect, id) field(resch_deselect, deselect, pid) \
	field(resch_deselect, deselect, cpu) field(resch_deselect, deselect, why) \
	field(resch_attach, attach, id) field(resch_attach, attach, pid) \
	field(resch_attach, attach, cpu) field(resch_attach, attach, group) \
	field(resch_attach, attach, kind) field(resch_attach, attach, period) \
	field(resch_attach, attach, deadline) field(resch_attach, attach, wcet) \
	field(resch_attach, attach, name) field(resch_attach, attach, plugin) \
	field(resch_detach, detach, id) field(resch_detach, detach, gone)

/* clang-format on */

#endif
