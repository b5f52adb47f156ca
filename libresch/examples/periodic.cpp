// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * periodic.cpp - a job every 10 ms, with 2 ms of execution time promised to it, until ^C
 *
 * c++ -std=c++17 periodic.cpp $(pkg-config --cflags --libs resch)
 *
 * usage: periodic [CPU [JOBS]]; the CPU must be in a domain: `reschctl domain set 1 --plugin edf`
 */
#include <resch.hpp>

#include <sys/mman.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

using namespace std::chrono_literals;

static volatile std::sig_atomic_t stop;

int main(int argc, char **argv)
{
	resch::parameters parameters;

	parameters.period = 10ms;
	parameters.runtime = 2ms;
	parameters.cpu = argc > 1 ? std::atoi(argv[1]) : 1;
	parameters.name = "periodic++";
	const auto count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 100;

	/* A page fault in a job takes longer than the job. */
	mlockall(MCL_CURRENT | MCL_FUTURE);
	std::signal(SIGINT, [](int) { stop = 1; });

	auto device = resch::device::open();
	if (!device) {
		std::cerr << "periodic: " << device.error().message() << '\n';
		return 1;
	}
	auto task = resch::task::join(*device, parameters);
	if (!task) {
		std::cerr << "periodic: cannot register: " << task.error().message() << '\n';
		return 1;
	}

	auto jobs = task->jobs(&stop);
	for (const resch::job &job : jobs) {
		if (job.number >= count)
			break;
		/* The work of one job goes here, and is complete before job.deadline. */
	}
	if (!jobs.end_of()) {
		std::cerr << "periodic: the registration ended: "
			  << jobs.end_of().error().message() << '\n';
		return 1;
	}

	const auto stat = task->stat();
	if (stat)
		std::cout << stat->completed << " jobs, " << stat->misses
			  << " misses, response at most " << stat->longest_response().count()
			  << " ns\n";
	/* The object goes, and with it the registration. */
	return 0;
}
