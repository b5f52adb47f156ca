/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* resch-parameters.hpp - what a task asks for, and the jobs that it gets; see resch.hpp */
#ifndef _RESCH_PARAMETERS_HPP
#define _RESCH_PARAMETERS_HPP

#include <resch-result.hpp>
#include <resch-time.hpp>
#include <resch.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace resch
{

namespace detail
{

/* Cut to @size bytes, the last one of which is zero. */
inline void copy(char *to, std::size_t size, std::string_view from)
{
	const std::size_t length = std::min(from.size(), size - 1);

	std::memcpy(to, from.data(), length);
	std::memset(to + length, 0, size - length);
}

} /* namespace detail */

enum class kind : std::uint32_t {
	periodic = RESCH_PERIODIC, /* a job each period */
	sporadic = RESCH_SPORADIC, /* a job for each device::release(), at most one each period */
	wakeup = RESCH_WAKEUP, /* a job each wake-up: for threads that don't call task::wait() */
};

/** reaction - what happens when a job exceeds its runtime, or misses its deadline */
enum class reaction : std::uint32_t {
	count = RESCH_COUNT,
	notify = RESCH_NOTIFY, /* an event, see device::events() */
	signal = RESCH_SIGNAL, /* and parameters::signal */
	skip = RESCH_SKIP, /* and skip the releases that it is too late for */
	throttle = RESCH_THROTTLE, /* and stop it until the next release */
	demote = RESCH_DEMOTE, /* and let it go on below all tasks */
};

/**
 * parameters - what a task asks for; those that stay 0 or empty: as in struct resch_task_params
 *
 * A job that exceeds its runtime is stopped until the next release unless you say otherwise: so a
 * mistake harms its own task.
 */
struct parameters {
	duration period{}; /* 1 us to 1 h */
	duration runtime{}; /* worst-case execution time of a job: 1 ns to the period */
	duration deadline{}; /* relative, at most 1 h; 0: the period */
	duration offset{}; /* of the first release, at most 1 h */
	resch::kind kind = resch::kind::periodic;
	reaction overrun = reaction::throttle;
	reaction miss = reaction::count;
	std::optional<unsigned> cpu{}; /* none: where there is room */
	std::uint32_t domain = 0; /* 0: the one that cpu is in */
	std::uint32_t priority = 0; /* 1 (most urgent) to 10000, for plugins with explicit ones */
	std::uint32_t group = 0; /* of the domain's plan, or a server */
	int signal = 0; /* with reaction::signal: 1 to 64 */
	std::uint32_t flags = 0; /* RESCH_F_* */
	std::string_view name{}; /* for people, up to 15 bytes; read by the calls that get it */

	/** raw - as the library has them */
	resch_register raw() const
	{
		resch_register reg{};

		reg.params.period = detail::ns(period);
		reg.params.wcet = detail::ns(runtime);
		reg.params.deadline = detail::ns(deadline);
		reg.params.offset = detail::ns(offset);
		reg.params.kind = static_cast<std::uint32_t>(kind);
		reg.params.overrun = static_cast<std::uint32_t>(overrun);
		reg.params.miss = static_cast<std::uint32_t>(miss);
		reg.params.cpu = cpu ? static_cast<std::int32_t>(*cpu) : -1;
		reg.params.priority = priority;
		reg.params.group = group;
		reg.params.signal = static_cast<std::uint32_t>(signal);
		reg.params.flags = flags;
		detail::copy(reg.params.name, sizeof(reg.params.name), name);
		reg.domain = domain;
		return reg;
	}

	/** check - are they in their ranges? The error says which is not, and why; no device */
	result<void> check() const
	{
		const resch_register reg = raw();
		char text[RESCH_VERDICT_TEXT];
		const int returned = resch_params_check(&reg.params, text, sizeof(text));

		if (returned)
			return error(returned, text);
		return {};
	}
};

/** job - one piece of a task's work */
struct job {
	time_point release;
	time_point deadline;
	std::uint64_t number; /* from 1 */
	std::uint64_t skipped; /* releases left out just before it */
};

namespace detail
{

inline job made(const struct resch_wait &from)
{
	return { point(from.release), point(from.deadline), from.job, from.skipped };
}

} /* namespace detail */

} /* namespace resch */

#endif /* _RESCH_PARAMETERS_HPP */
