/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* resch-time.hpp - durations, and points of time; see resch.hpp */
#ifndef _RESCH_TIME_HPP
#define _RESCH_TIME_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace resch
{

using duration = std::chrono::nanoseconds;
using time_point = std::chrono::time_point<std::chrono::steady_clock, duration>;

namespace detail
{

inline std::uint64_t ns(duration time)
{
	/* A negative time is no time: the library refuses what is that long. */
	return static_cast<std::uint64_t>(time.count());
}

inline std::uint64_t ns(time_point time)
{
	return ns(time.time_since_epoch());
}

inline duration time(std::uint64_t ns)
{
	return duration(static_cast<duration::rep>(std::min<std::uint64_t>(ns, INT64_MAX)));
}

inline time_point point(std::uint64_t ns)
{
	return time_point(time(ns));
}

} /* namespace detail */

} /* namespace resch */

#endif /* _RESCH_TIME_HPP */
