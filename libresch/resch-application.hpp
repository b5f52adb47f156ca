/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* resch-application.hpp - periodic functions that start together; see resch.hpp */
#ifndef _RESCH_APPLICATION_HPP
#define _RESCH_APPLICATION_HPP

#include <resch-device.hpp>
#include <resch-parameters.hpp>
#include <resch-server.h>

#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace resch
{

/**
 * application - periodic functions, each with a thread and a task of its own, that start together
 *
 * See resch_jobs_new(3). The end of the object ends them all, after the job that each is in.
 */
class application {
    public:
	/* Must not throw: it is called from C. */
	using work = std::function<void(const job &)>;

	/** in_domain - as its plugin has it; start() is for all who wait for it in the domain */
	static result<application> in_domain(const device &device, std::uint32_t domain)
	{
		struct resch_server_set want{};

		want.domain = domain;
		return made(device, want);
	}

	/**
	 * in_server - in a server of its own, with @budget each @period of a CPU
	 *
	 * The domain's plugin has servers.
	 */
	static result<application> in_server(const device &device, std::uint32_t domain,
					     duration budget, duration period,
					     std::optional<unsigned> cpu = {})
	{
		struct resch_server_set want{};

		want.domain = domain;
		want.params.budget = detail::ns(budget);
		want.params.period = detail::ns(period);
		want.params.cpu = cpu ? static_cast<std::int32_t>(*cpu) : -1;
		return made(device, want);
	}

	/**
	 * add - a function that is called once a job; see resch_jobs_add(3) for which parameters
	 * count
	 * @count: of jobs; 0: no end
	 */
	result<void> add(const parameters &parameters, work function, std::uint64_t count = 0)
	{
		resch_register reg = parameters.raw();
		auto own = std::make_unique<work>(std::move(function));
		const int returned = resch_jobs_add(jobs_.get(), &reg, count, run, own.get());

		if (!returned) {
			work_.push_back(std::move(own));
			return {};
		}
		if (returned == -EINVAL) {
			auto checked = parameters.check();

			if (!checked)
				return checked.error();
		}
		return detail::refusal(returned, reg.verdict);
	}

	/** start - time zero for all that were added; how many there are */
	result<int> start(std::optional<time_point> at = {})
	{
		const int returned = resch_jobs_start(jobs_.get(), at ? detail::ns(*at) : 0);

		if (returned < 0)
			return error(returned);
		return returned;
	}

	/** stop - no more jobs */
	void stop()
	{
		resch_jobs_stop(jobs_.get());
	}

	/** join - wait until all functions have had their jobs */
	void join()
	{
		resch_jobs_join(jobs_.get());
	}

	application(application &&) = default;
	/* The jobs that are there would lose their functions. */
	application &operator=(application &&) = delete;
	~application() = default;

    private:
	/* The device has to outlive the jobs, and these their functions: members go backwards. */
	device device_;
	std::vector<std::unique_ptr<work>> work_;
	struct free {
		void operator()(resch_jobs *jobs) const
		{
			resch_jobs_free(jobs);
		}
	};
	std::unique_ptr<resch_jobs, free> jobs_;

	application(const device &device, resch_jobs *jobs) : device_(device), jobs_(jobs)
	{
	}

	static result<application> made(const device &device, struct resch_server_set &want)
	{
		resch_jobs *jobs = nullptr;
		const int returned = resch_jobs_new(device.fd(), &want, &jobs);

		if (returned)
			return detail::refusal(returned, want.verdict, "budget");
		return application(device, jobs);
	}

	static void run(resch_job *job, void *data) noexcept
	{
		work &function = *static_cast<work *>(data);

		do
			function(detail::made(*resch_job_current(job)));
		while (resch_job_next(job) == 1);
	}
};

} /* namespace resch */

#endif /* _RESCH_APPLICATION_HPP */
