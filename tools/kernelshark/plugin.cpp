// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plugin.cpp - what KernelShark calls: plugin-resch.so
 *
 * As libkshark-plugin.h has it: for each recording that is opened, its events are handed to us one
 * by one, and whenever a lane is drawn we are asked for what comes on top of it.
 */
#include "draw.hpp"
#include "info.hpp"
#include "menu.hpp"
#include "reader.hpp"

#include <map>
#include <memory>
#include <set>

#include "libkshark.h"
#include "libkshark-plugin.h"

namespace
{

/* By the recording's number; KernelShark may have several open. */
std::map<int, std::unique_ptr<shark::reader>> readers;

shark::reader *reader_of(int stream)
{
	const auto found = readers.find(stream);

	return found == readers.end() ? nullptr : found->second.get();
}

void take(kshark_data_stream *stream, void *record, kshark_entry *entry)
{
	if (shark::reader *reader = reader_of(stream->stream_id))
		reader->read(record, entry->event_id);
}

void draw(kshark_cpp_argv *argv, int stream, int lane, int action)
{
	if (shark::reader *reader = reader_of(stream))
		shark::draw(KS_ARGV_TO_CPP(argv), reader->schedule(), lane, action,
			    shark::options());
}

std::vector<shark::lanes> lanes()
{
	std::vector<shark::lanes> all;

	for (const auto &reader : readers) {
		const shark::schedule &schedule = reader.second->schedule();
		std::set<int> cpus, pids;
		for (const auto &task : schedule.tasks) {
			cpus.insert(static_cast<int>(task.cpu));
			pids.insert(static_cast<int>(task.pid));
		}
		for (const auto &plan : schedule.plans)
			for (const auto &reserve : plan.reserves)
				cpus.insert(static_cast<int>(reserve.cpu));
		all.push_back({ reader.first,
				{ cpus.begin(), cpus.end() },
				{ pids.begin(), pids.end() } });
	}
	return all;
}

} // namespace

#define SEEN __attribute__((visibility("default")))

extern "C" {

/* Return: whether it has to do with the recording. */
SEEN int KSHARK_PLOT_PLUGIN_INITIALIZER(kshark_data_stream *stream)
{
	std::unique_ptr<shark::reader> reader(new shark::reader(stream));

	if (reader->ids().empty())
		return 0;
	for (int id : reader->ids())
		kshark_register_event_handler(stream, id, take);
	kshark_register_draw_handler(stream, draw);
	shark::give_info(stream);
	readers[stream->stream_id] = std::move(reader);
	return 1;
}

SEEN int KSHARK_PLOT_PLUGIN_DEINITIALIZER(kshark_data_stream *stream)
{
	shark::reader *reader = reader_of(stream->stream_id);

	if (!reader)
		return 0;
	for (int id : reader->ids())
		kshark_unregister_event_handler(stream, id, take);
	kshark_unregister_draw_handler(stream, draw);
	shark::take_info_back(stream);
	readers.erase(stream->stream_id);
	return 1;
}

SEEN void *KSHARK_MENU_PLUGIN_INITIALIZER(void *main_window)
{
	return shark::add_menu(main_window, lanes);
}
}
