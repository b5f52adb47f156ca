/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.hpp - an event of resch's, as the schedule is made of it: numbers and two texts
 */
#ifndef RESCH_SHARK_EVENT_HPP
#define RESCH_SHARK_EVENT_HPP

#include <cstdint>
#include <string>

namespace shark
{

/*
 * In the order of `sources` in source.cpp, which says what they are called and which field goes
 * where.
 */
enum class kind {
	attach,
	detach,
	release,
	complete,
	select,
	deselect,
	miss,
	overrun,
	throttle,
	budget,
	plan,
	reserve,
	server_set,
	server,
	serve,
	chain_set,
	chain_stage,
	chain,
	swap,
	eject,
	count
};

/* What an event has no field for is 0. `ts` is its stamp; absolute times are CLOCK_MONOTONIC. */
struct event {
	shark::kind kind = shark::kind::count;
	int64_t ts = 0, now = 0;
	int64_t id = 0; /* of the task, server, chain or domain that it is about */
	int64_t pid = 0, cpu = 0, domain = 0;
	int64_t job = 0; /* or the instance of a chain */
	int64_t release = 0, deadline = 0, period = 0, value = 0;
	int64_t group = 0, stage = 0, task = 0, what = 0;
	std::string text, other;
};

} // namespace shark

#endif
