/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* resch-device.hpp - the module's door; see resch.hpp */
#ifndef _RESCH_DEVICE_HPP
#define _RESCH_DEVICE_HPP

#include <resch-result.hpp>
#include <resch-time.hpp>
#include <resch.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <unistd.h>

namespace resch
{

namespace detail
{

/* Closes when the last one who has it is gone. */
class descriptor {
    public:
	explicit descriptor(int number) noexcept : number_(number)
	{
	}

	descriptor(const descriptor &) = delete;
	descriptor &operator=(const descriptor &) = delete;

	~descriptor()
	{
		::close(number_);
	}

	int number() const noexcept
	{
		return number_;
	}

    private:
	int number_;
};

} /* namespace detail */

/** statistics - of a task; members are in resch_task_stat(3type) */
struct statistics : resch_task_stat {
	duration longest_execution() const
	{
		return detail::time(exec_max);
	}

	duration longest_response() const
	{
		return detail::time(response_max);
	}

	duration lead_time() const
	{
		return detail::time(lead);
	}

	duration longest_tardiness() const
	{
		return detail::time(tardiness_max);
	}
};

/** device - the module's door; copies are the same one, which closes with the last of them */
class device {
    public:
	/** open - the error says what is wrong and what to do */
	static result<device> open()
	{
		const int number = resch_open();

		if (number < 0)
			return error(number, resch_open_reason(number));
		return device(number);
	}

	/** fd - for the calls of <resch.h>, poll(2), and the like */
	int fd() const noexcept
	{
		return descriptor_->number();
	}

	result<struct resch_info> info() const
	{
		struct resch_info info{};
		const int returned = ::resch_info(fd(), &info);

		if (returned)
			return error(returned);
		return info;
	}

	/** stat - of the task @id, 0: the calling thread's */
	result<statistics> stat(std::uint32_t id = 0) const
	{
		statistics stat{};
		const int returned = ::resch_task_stat(fd(), id, &stat);

		if (returned)
			return error(returned);
		return stat;
	}

	/** release - a job of a sporadic task that was registered through this device */
	result<void> release(std::uint32_t id) const
	{
		return detail::done(resch_release(fd(), id));
	}

	/** start - time zero for the tasks of a domain that wait for it (RESCH_F_SYNC); how many */
	result<int> start(std::uint32_t domain, std::optional<time_point> at = {}) const
	{
		const int returned = ::resch_start(fd(), domain, at ? detail::ns(*at) : 0);

		if (returned < 0)
			return error(returned);
		return returned;
	}

	/**
	 * events - what has happened to the tasks of this device: up to @most of them
	 * @timeout: how long to wait for the first one; none: as long as it takes
	 *
	 * Empty: nothing has happened. The error may be EINTR.
	 */
	result<std::vector<resch_event>>
	events(std::optional<std::chrono::milliseconds> timeout = {}, std::size_t most = 16) const
	{
		std::vector<resch_event> events(most);
		int returned =
			resch_event_wait(fd(), timeout ? static_cast<int>(timeout->count()) : -1);

		if (returned > 0)
			returned = resch_event_read(fd(), events.data(), most);
		if (returned < 0)
			return error(returned);
		events.resize(static_cast<std::size_t>(returned));
		return events;
	}

    private:
	explicit device(int number) : descriptor_(std::make_shared<detail::descriptor>(number))
	{
	}

	std::shared_ptr<const detail::descriptor> descriptor_;
};

} /* namespace resch */

#endif /* _RESCH_DEVICE_HPP */
