/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events.h - the records of the resch:* trace events, as module/core/trace.h has them
 *
 * The kernel tells where each field lies in events/resch/NAME/format of tracefs, and reschtop
 * compares before it begins. What all events begin with has one of two lengths: kernels with
 * PREEMPT_RT had a field more there (common_preempt_lazy_count), as Debian's 6.1.
 */
#ifndef _TOP_EVENTS_H
#define _TOP_EVENTS_H

#include <linux/types.h>

/* clang-format off */

/* Of each kind of record: field(TYPE, NAME, DIMENSION) for each of its fields, in their order. */
#define EVENT_JOB(field) \
	field(__u32, id,) field(__s32, pid,) field(__u32, cpu,) field(__u64, job,) \
	field(__u64, release,) field(__u64, deadline,) field(__u64, now,) field(__u64, value,)

#define EVENT_DESELECT(field) \
	field(__u32, id,) field(__s32, pid,) field(__u32, cpu,) field(__u32, why,) \
	field(__u64, job,) field(__u64, now,)

#define EVENT_ATTACH(field) \
	field(__u32, id,) field(__s32, pid,) field(__u32, cpu,) field(__u32, group,) \
	field(__u32, kind,) field(__u32, overrun,) field(__u32, miss,) field(__u32, priority,) \
	field(__u64, period,) field(__u64, deadline,) field(__u64, wcet,) field(__u64, offset,) \
	field(char, name, [16]) field(char, plugin, [16])

#define EVENT_DETACH(field) \
	field(__u32, id,) field(__s32, pid,) field(__u32, cpu,) field(__u32, gone,)

#define EVENT_SERVER_SET(field) \
	field(__u32, domain,) field(__u32, cpu,) field(__u32, server,) field(__u32, kind,) \
	field(__u32, policy,) field(__u32, overhead,) field(__u32, flags,) \
	field(__u32, capacity,) field(__u64, budget,) field(__u64, period,) \
	field(__u64, quantum,) field(char, name, [16])

#define EVENT_SERVER(field) \
	field(__u32, domain,) field(__u32, cpu,) field(__u32, server,) field(__u32, what,) \
	field(__s64, left,) field(__u64, deadline,) field(__u64, now,)

#define EVENT_CHAIN_SET(field) \
	field(__u32, chain,) field(__u32, protocol,) field(__u32, stages,) \
	field(__u64, period,) field(__u64, deadline,) field(char, name, [16])

#define EVENT_CHAIN(field) \
	field(__u32, chain,) field(__u32, stage,) field(__u32, task,) field(__u32, what,) \
	field(__u64, instance,) field(__u64, origin,) field(__u64, now,)

/* event(NAME, its kind of record, the fields of that) for each event that is read */
#define EVENTS(event) \
	event(resch_release, job, EVENT_JOB) \
	event(resch_complete, job, EVENT_JOB) \
	event(resch_miss, job, EVENT_JOB) \
	event(resch_overrun, job, EVENT_JOB) \
	event(resch_select, job, EVENT_JOB) \
	event(resch_deselect, deselect, EVENT_DESELECT) \
	event(resch_attach, attach, EVENT_ATTACH) \
	event(resch_detach, detach, EVENT_DETACH) \
	event(resch_server_set, server_set, EVENT_SERVER_SET) \
	event(resch_server, server, EVENT_SERVER) \
	event(resch_chain_set, chain_set, EVENT_CHAIN_SET) \
	event(resch_chain, chain, EVENT_CHAIN)

#define EVENT_MEMBER(type, name, dimension) type name dimension;

/* struct event_job, and struct event_job_more: where all events begin with a field more */
#define EVENT_STRUCTURES(kind, fields) \
	struct event_##kind { \
		__u64 common; \
		fields(EVENT_MEMBER) \
	}; \
	struct event_##kind##_more { \
		__u32 common[3]; \
		fields(EVENT_MEMBER) \
	};

/* clang-format on */

EVENT_STRUCTURES(job, EVENT_JOB)
EVENT_STRUCTURES(deselect, EVENT_DESELECT)
EVENT_STRUCTURES(attach, EVENT_ATTACH)
EVENT_STRUCTURES(detach, EVENT_DETACH)
EVENT_STRUCTURES(server_set, EVENT_SERVER_SET)
EVENT_STRUCTURES(server, EVENT_SERVER)
EVENT_STRUCTURES(chain_set, EVENT_CHAIN_SET)
EVENT_STRUCTURES(chain, EVENT_CHAIN)

#endif
