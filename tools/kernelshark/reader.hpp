/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.hpp - the events of one recording, as KernelShark hands them out while it loads, and the
 * schedule made of them
 */
#ifndef RESCH_SHARK_READER_HPP
#define RESCH_SHARK_READER_HPP

#include "schedule.hpp"
#include "source.hpp"

#include <map>
#include <memory>
#include <vector>

struct kshark_data_stream;
struct tep_format_field;

namespace shark
{

class reader
{
      public:
	/* How many events the recording can have that are drawn: 0, it is none of resch's. */
	explicit reader(kshark_data_stream *stream);

	const std::vector<int> &ids() const
	{
		return event_ids;
	}
	void read(const void *record, int id);
	/*
	 * Made at the first call; what is read after it begins anew, as KernelShark then loads
	 * everything again.
	 */
	const shark::schedule &schedule();

      private:
	struct format {
		shark::kind kind;
		std::vector<std::pair<tep_format_field *, int64_t event::*>> numbers;
		std::vector<std::pair<tep_format_field *, std::string event::*>> texts;
	};

	std::vector<int> event_ids;
	std::map<int, format> formats;
	std::vector<event> events;
	std::unique_ptr<shark::schedule> made;
};

} // namespace shark

#endif
