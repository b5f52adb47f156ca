/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* resch-task.hpp - the calling thread's registration; see resch.hpp */
#ifndef _RESCH_TASK_HPP
#define _RESCH_TASK_HPP

#include <resch-device.hpp>
#include <resch-parameters.hpp>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <iterator>
#include <utility>

namespace resch
{

/**
 * task - the calling thread's registration, up to the end of the object
 *
 * wait(), delay() and jobs() are for the thread that has joined; the rest is for any.
 */
class task {
    public:
	/**
	 * join - make the calling thread a task
	 *
	 * The error is a sentence: of parameters that are out of range, or a refusal with what
	 * would pass.
	 */
	static result<task> join(const device &device, const parameters &parameters)
	{
		resch_register reg = parameters.raw();
		int returned = resch_register_self(device.fd(), &reg);

		if (!returned)
			return task(device, reg);
		if (returned == -EINVAL) {
			auto checked = parameters.check();

			if (!checked)
				return checked.error();
		}
		return detail::refusal(returned, reg.verdict);
	}

	task(const task &) = delete;
	task &operator=(const task &) = delete;

	task(task &&other) noexcept
		: device_(std::move(other.device_)), id_(std::exchange(other.id_, 0)),
		  cpu_(other.cpu_)
	{
	}

	task &operator=(task &&other) noexcept
	{
		if (this != &other) {
			leave();
			device_ = std::move(other.device_);
			id_ = std::exchange(other.id_, 0);
			cpu_ = other.cpu_;
		}
		return *this;
	}

	~task()
	{
		leave();
	}

	/** leave - the thread is an ordinary one again */
	void leave() noexcept
	{
		if (id_)
			resch_unregister(device_.fd(), std::exchange(id_, 0));
	}

	std::uint32_t id() const noexcept
	{
		return id_;
	}

	/** cpu - that it was given */
	int cpu() const noexcept
	{
		return cpu_;
	}

	/**
	 * wait - end the job, and sleep until the next one may run; the first call waits for the
	 * first one
	 *
	 * EINTR: a signal handler ran; call again, the job does not end twice. ECANCELED: the
	 * registration has ended.
	 */
	result<job> wait() const
	{
		struct resch_wait next{};
		const int returned = ::resch_wait(device_.fd(), &next);

		if (returned)
			return error(returned);
		return detail::made(next);
	}

	/** delay - suspend the job until then */
	result<void> delay(time_point until) const
	{
		return detail::done(::resch_delay(device_.fd(), detail::ns(until)));
	}

	/**
	 * lead - have it woken so much ahead of its releases, to begin with them; 0: not. See
	 * resch_lead_set(3)
	 */
	result<void> lead(duration time) const
	{
		resch_verdict verdict{};
		const int returned =
			resch_lead_set(device_.fd(), id_, detail::ns(time), &verdict);

		if (returned)
			return detail::refusal(returned, verdict);
		return {};
	}

	/** pace - releases are so far apart from now on: the period or more. resch_pace_set(3) */
	result<void> pace(duration distance) const
	{
		return detail::done(::resch_pace_set(device_.fd(), id_, detail::ns(distance)));
	}

	/** follow - in each job: releases stay where a clock has them. resch_pace_follow(3) */
	result<void> follow(const resch_pace_goal &goal, const job &present) const
	{
		return detail::done(::resch_pace_follow(device_.fd(), id_, &goal,
							detail::ns(present.release)));
	}

	/**
	 * offer - it may become a stage of a chain, by whoever is told the key; see resch-chain.hpp
	 * @key: a random number; 0: nobody may any more
	 */
	result<void> offer(std::uint64_t key) const
	{
		return detail::done(::resch_chain_offer(device_.fd(), id_, key));
	}

	result<statistics> stat() const
	{
		return device_.stat(id_);
	}

	class job_range;

	/**
	 * jobs - for (const resch::job &job : task.jobs()) ...: its body is the work of one job
	 * @stop: of a signal handler, for example: no more jobs when it is set
	 *
	 * Ends with @stop, and with the registration; job_range::end_of() says why.
	 */
	job_range jobs(const volatile std::sig_atomic_t *stop = nullptr) const;

    private:
	task(const device &device, const resch_register &reg)
		: device_(device), id_(reg.id), cpu_(reg.cpu)
	{
	}

	device device_;
	std::uint32_t id_;
	int cpu_;
};

/** task::job_range - what task::jobs() returns */
class task::job_range {
    public:
	class iterator {
	    public:
		using iterator_category = std::input_iterator_tag;
		using value_type = resch::job;
		using difference_type = std::ptrdiff_t;
		using pointer = const resch::job *;
		using reference = const resch::job &;

		explicit iterator(job_range *range) : range_(range)
		{
		}

		const job &operator*() const
		{
			return range_->job_;
		}

		const job *operator->() const
		{
			return &range_->job_;
		}

		iterator &operator++()
		{
			if (!range_->next())
				range_ = nullptr;
			return *this;
		}

		bool operator==(const iterator &other) const
		{
			return range_ == other.range_;
		}

		bool operator!=(const iterator &other) const
		{
			return range_ != other.range_;
		}

	    private:
		job_range *range_;
	};

	/* Waits for the first job. */
	iterator begin()
	{
		return iterator(next() ? this : nullptr);
	}

	iterator end()
	{
		return iterator(nullptr);
	}

	/** end_of - why there are no more jobs: done, for @stop, or an error */
	const result<void> &end_of() const
	{
		return end_;
	}

    private:
	friend class task;

	job_range(const task &task, const volatile std::sig_atomic_t *stop)
		: task_(task), stop_(stop)
	{
	}

	bool next()
	{
		for (;;) {
			if (stop_ && *stop_)
				return false;
			auto waited = task_.wait();

			if (waited) {
				job_ = *waited;
				return true;
			}
			if (waited.error().number() == EINTR)
				continue;
			end_ = waited.error();
			return false;
		}
	}

	const task &task_;
	const volatile std::sig_atomic_t *stop_;
	job job_{};
	result<void> end_;
};

inline task::job_range task::jobs(const volatile std::sig_atomic_t *stop) const
{
	return { *this, stop };
}

} /* namespace resch */

#endif /* _RESCH_TASK_HPP */
