// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * info.cpp - the words of a job's events in KernelShark's list
 */
#include "info.hpp"

#include <cstring>

#include <event-parse.h>
#include <trace-seq.h>

#include "libkshark.h"
#include "libkshark-tepdata.h"

namespace shark
{

namespace
{

const char SYSTEM[] = "resch";

/* All fields of an event of a job are numbers. */
int print(trace_seq *to, tep_record *record, tep_event *event, void *)
{
	const char *between = "";

	for (tep_format_field *field = event->format.fields; field; field = field->next) {
		unsigned long long value = 0;
		if (tep_read_number_field(field, record->data, &value))
			continue;
		trace_seq_printf(to, "%s%s=%s", between, field->name,
				 field_words(field->name, value).c_str());
		between = " ";
	}
	return 0;
}

template <class Do> void each_of_jobs(kshark_data_stream *stream, Do what)
{
	tep_handle *tep = kshark_is_tep(stream) ? kshark_get_tep(stream) : nullptr;
	tep_event **event = tep ? tep_list_events(tep, TEP_EVENT_SORT_ID) : nullptr;

	for (; event && *event; event++)
		if (!std::strcmp((*event)->system, SYSTEM) && tep_find_field(*event, "job") &&
		    tep_find_field(*event, "now"))
			what(tep, (*event)->name);
}

} // namespace

void give_info(kshark_data_stream *stream)
{
	each_of_jobs(stream, [](tep_handle *tep, char *name) {
		tep_register_event_handler(tep, -1, SYSTEM, name, print, nullptr);
	});
}

void take_info_back(kshark_data_stream *stream)
{
	each_of_jobs(stream, [](tep_handle *tep, char *name) {
		tep_unregister_event_handler(tep, -1, SYSTEM, name, print, nullptr);
	});
}

} // namespace shark
