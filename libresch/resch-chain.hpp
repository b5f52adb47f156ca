/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* resch-chain.hpp - tasks whose jobs release each other's; see resch.hpp */
#ifndef _RESCH_CHAIN_HPP
#define _RESCH_CHAIN_HPP

#include <resch-chain.h>
#include <resch-device.hpp>
#include <resch-parameters.hpp>

#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace resch
{

/** protocol - when the next stage of an instance is released: resch_chain_protocol(3type) */
enum class protocol : std::uint32_t {
	ds = RESCH_CHAIN_DS,
	pm = RESCH_CHAIN_PM,
	mpm = RESCH_CHAIN_MPM,
	rg1 = RESCH_CHAIN_RG1,
	rg = RESCH_CHAIN_RG,
};

/** stage - a task that is to be one */
struct stage {
	std::uint32_t task;
	std::uint64_t key; /* that its owner has offered it with: task::offer() */
	duration phase{}; /* pm: from the origin; mpm: from the release of the stage before it */
	/* numbers, from 0, of the stages that release it; none: the one before it, if any */
	std::vector<std::uint32_t> after{};
	bool any = false; /* the first of them does, not all */
};

/** chain_parameters - as in resch_chain_set(3type) */
struct chain_parameters {
	duration period{}; /* least time between two instances */
	duration deadline{}; /* end to end */
	resch::protocol protocol = resch::protocol::rg;
	std::uint32_t flags = 0; /* RESCH_CHAIN_F_* */
	std::string name; /* cut to RESCH_NAME_LEN - 1 bytes */
};

/** instance - what a stage works on */
struct instance {
	std::uint32_t chain;
	std::uint32_t stage; /* from 0 */
	std::uint64_t number;
	time_point origin;
	time_point deadline;
};

/** chain_statistics - members are in resch_chain_stat(3type) */
struct chain_statistics : resch_chain_stat {
	std::vector<resch_stage_stat> of_stages;
	std::array<std::uint64_t, RESCH_CHAIN_BUCKETS> of_responses;

	duration longest_response() const
	{
		return detail::time(response_max);
	}

	duration longest_tardiness() const
	{
		return detail::time(tardiness_max);
	}
};

/**
 * chain_page - which instances a chain's stages work on, without a system call
 *
 * For who has CAP_SYS_NICE or made the chain, and for processes with a thread that is a stage.
 */
class chain_page {
    public:
	static result<chain_page> open(const device &device, std::uint32_t chain)
	{
		const int number = ::resch_chain_open(device.fd(), chain);

		if (number < 0)
			return error(number);
		const struct resch_chain_page *page = ::resch_chain_map(number);
		const int failed = errno;

		::close(number);
		if (!page)
			return error(-failed);
		return chain_page(page);
	}

	chain_page(const chain_page &) = delete;
	chain_page &operator=(const chain_page &) = delete;

	chain_page(chain_page &&other) noexcept : page_(std::exchange(other.page_, nullptr))
	{
	}

	chain_page &operator=(chain_page &&other) noexcept
	{
		std::swap(page_, other.page_);
		return *this;
	}

	~chain_page()
	{
		if (page_)
			::munmap(const_cast<struct resch_chain_page *>(page_), sizeof(*page_));
	}

	/** at - what stage @stage, from 0, works on. ENOENT: nothing; EINVAL: no such stage */
	result<instance> at(std::uint32_t stage) const
	{
		struct resch_stage_page copy{};
		const int returned = ::resch_chain_read(page_, stage, &copy);

		if (returned)
			return error(returned);
		return instance{ page_->id, stage, copy.instance, detail::point(copy.origin),
				 detail::point(copy.deadline) };
	}

	/**
	 * slack - how much later that stage may complete its instance than now; see
	 * resch_chain_slack(3). Negative: it will be late; none: it has no instance
	 */
	std::optional<duration> slack(std::uint32_t stage) const
	{
		const std::int64_t slack = ::resch_chain_slack(page_, stage);

		if (slack == INT64_MAX)
			return {};
		return duration(slack);
	}

    private:
	explicit chain_page(const struct resch_chain_page *page) : page_(page)
	{
	}

	const struct resch_chain_page *page_;
};

/** chain - stages that release each other; it ends with its object, the tasks stay */
class chain {
    public:
	/**
	 * make - of tasks that their owners have offered, in their order
	 *
	 * The error is a sentence where admission refused it: the local deadlines add up to more
	 * than the chain's.
	 */
	static result<chain> make(const device &device, const std::vector<stage> &stages,
				  const chain_parameters &parameters)
	{
		std::vector<resch_chain_stage> table;
		struct resch_chain_set want{};

		for (const stage &each : stages) {
			resch_chain_stage one{};

			one.task = each.task;
			one.key = each.key;
			one.phase = detail::ns(each.phase);
			one.flags = each.any ? RESCH_STAGE_F_ANY : 0;
			for (const std::uint32_t number : each.after) {
				/* What can't be is refused by the module: -EINVAL. */
				one.from_mask |= 1U << (number < 31 ? number : 31);
			}
			if (each.after.empty() && !table.empty())
				one.from_mask = 1U << (table.size() - 1) % 32;
			table.push_back(one);
		}
		want.count = static_cast<std::uint32_t>(table.size());
		want.protocol = static_cast<std::uint32_t>(parameters.protocol);
		want.flags = parameters.flags;
		want.period = detail::ns(parameters.period);
		want.deadline = detail::ns(parameters.deadline);
		detail::copy(want.name, sizeof(want.name), parameters.name);
		const int returned = ::resch_chain_set(device.fd(), &want, table.data());

		if (returned)
			return detail::refusal(returned, want.verdict, "deadline");
		return chain(device, want.id);
	}

	/** current - what the calling thread's job is part of. ENOENT: of nothing */
	static result<instance> current(const device &device)
	{
		struct resch_chain_job job{};
		const int returned = ::resch_chain_current(device.fd(), &job);

		if (returned)
			return error(returned);
		return instance{ job.chain, job.stage, job.instance, detail::point(job.origin),
				 detail::point(job.deadline) };
	}

	chain(const chain &) = delete;
	chain &operator=(const chain &) = delete;

	chain(chain &&other) noexcept
		: device_(std::move(other.device_)), id_(std::exchange(other.id_, 0))
	{
	}

	chain &operator=(chain &&other) noexcept
	{
		std::swap(device_, other.device_);
		std::swap(id_, other.id_);
		return *this;
	}

	~chain()
	{
		if (id_)
			::resch_chain_del(device_.fd(), id_);
	}

	std::uint32_t id() const noexcept
	{
		return id_;
	}

	result<chain_statistics> stat() const
	{
		chain_statistics stat{};

		stat.of_stages.resize(RESCH_CHAIN_STAGES_MAX);
		const int returned =
			::resch_chain_stat(device_.fd(), id_, &stat, stat.of_stages.data(),
					   RESCH_CHAIN_STAGES_MAX, stat.of_responses.data());

		if (returned)
			return error(returned);
		stat.of_stages.resize(stat.count);
		return stat;
	}

	/** page - see chain_page */
	result<chain_page> page() const
	{
		return chain_page::open(device_, id_);
	}

    private:
	chain(const device &device, std::uint32_t id) : device_(device), id_(id)
	{
	}

	device device_;
	std::uint32_t id_;
};

} /* namespace resch */

#endif /* _RESCH_CHAIN_HPP */
