/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * records.bpf.h - read the records of events, wherever their fields lie
 *
 * A program may read its record at offsets known to the compiler only. So there are both forms, and
 * the kernel leaves out the code of the one that it does not have, as event_more is constant.
 */
#ifndef _TOP_RECORDS_BPF_H
#define _TOP_RECORDS_BPF_H

/* Set before the programs are loaded: all events begin with a field more. */
const volatile bool event_more;

/* clang-format off */

#define RECORD_COPY(type, name, dimension) \
	__builtin_memcpy(&to->name, &from->name, sizeof(to->name));

#define RECORD_READ(kind, fields) \
	static __always_inline void event_##kind##_read(struct event_##kind *to, void *record) \
	{ \
		if (event_more) { \
			struct event_##kind##_more copy, *from = &copy; \
			\
			bpf_probe_read_kernel(&copy, sizeof(copy), record); \
			fields(RECORD_COPY) \
		} else { \
			const struct event_##kind *from = record; \
			\
			fields(RECORD_COPY) \
		} \
	}

/* clang-format on */

RECORD_READ(job, EVENT_JOB)
RECORD_READ(deselect, EVENT_DESELECT)
RECORD_READ(attach, EVENT_ATTACH)
RECORD_READ(detach, EVENT_DETACH)
RECORD_READ(server_set, EVENT_SERVER_SET)
RECORD_READ(server, EVENT_SERVER)
RECORD_READ(chain_set, EVENT_CHAIN_SET)
RECORD_READ(chain, EVENT_CHAIN)

#endif
