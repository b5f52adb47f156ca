/* SPDX-License-Identifier: GPL-2.0-or-later */
/* info.hpp - the words of a job's events in KernelShark's list */
#ifndef RESCH_SHARK_INFO_HPP
#define RESCH_SHARK_INFO_HPP

#include <cstdint>
#include <string>

struct kshark_data_stream;

namespace shark
{

/*
 * A field as it is to be read: stamps in seconds, as the list's own, and what lies beyond all time
 * is "never".
 */
std::string field_words(const std::string &name, uint64_t value);

/*
 * From now on the list has the events of jobs in these words, where the kernel's have figures of
 * eleven and twenty digits; take_info_back() before the plugin is unloaded.
 */
void give_info(kshark_data_stream *stream);
void take_info_back(kshark_data_stream *stream);

} // namespace shark

#endif
