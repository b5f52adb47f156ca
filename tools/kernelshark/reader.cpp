// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader.cpp - records to events, by the formats that the recording has
 */
#include "reader.hpp"

#include <cstring>

#include <event-parse.h>

#include "libkshark.h"
#include "libkshark-tepdata.h"

namespace shark
{

namespace
{

int64_t number_of(tep_format_field *field, const void *data)
{
	unsigned long long value = 0;

	if (tep_read_number_field(field, data, &value))
		return 0;
	/* a CPU's or thread's number may be -1 */
	if (field->size == 4 && field->flags & TEP_FIELD_IS_SIGNED)
		return static_cast<int32_t>(value);
	return static_cast<int64_t>(value);
}

std::string text_of(const tep_format_field *field, const void *data)
{
	const char *text = static_cast<const char *>(data) + field->offset;

	return std::string(text, strnlen(text, static_cast<size_t>(field->size)));
}

} // namespace

reader::reader(kshark_data_stream *stream)
{
	tep_handle *tep = kshark_is_tep(stream) ? kshark_get_tep(stream) : nullptr;

	if (!tep)
		return;
	for (const auto &source : sources()) {
		tep_event *event = tep_find_event_by_name(tep, "resch", source.name);
		if (!event)
			continue;
		format known = { source.kind, {}, {} };
		for (const auto &number : source.numbers)
			if (tep_format_field *field = tep_find_field(event, number.field))
				known.numbers.push_back({ field, number.to });
		for (const auto &text : source.texts)
			if (tep_format_field *field = tep_find_field(event, text.field))
				known.texts.push_back({ field, text.to });
		formats[event->id] = known;
		event_ids.push_back(event->id);
	}
}

void reader::read(const void *record, int id)
{
	const auto *rec = static_cast<const tep_record *>(record);
	const auto found = formats.find(id);

	if (found == formats.end())
		return;
	if (made) {
		made.reset();
		events.clear();
	}
	event event;
	event.kind = found->second.kind;
	event.ts = static_cast<int64_t>(rec->ts);
	for (const auto &number : found->second.numbers)
		event.*number.second = number_of(number.first, rec->data);
	for (const auto &text : found->second.texts)
		event.*text.second = text_of(text.first, rec->data);
	events.push_back(event);
}

const schedule &reader::schedule()
{
	if (!made) {
		made.reset(new shark::schedule(std::move(events)));
		events = {};
	}
	return *made;
}

} // namespace shark
