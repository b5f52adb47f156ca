// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * stages.cpp - a camera, the halves of its picture filtered side by side, and an arm that waits for
 * both: four threads on three CPUs, each released as what it waits for completes
 *
 * c++ -std=c++17 stages.cpp $(pkg-config --cflags --libs resch)
 *
 * usage: stages [CPU CPU CPU [INSTANCES]], of one domain: `reschctl domain set 1-3 --plugin=edf`
 */
#include <resch.hpp>

#include <atomic>
#include <cstdlib>
#include <future>
#include <iostream>
#include <random>
#include <string>
#include <thread>

using namespace std::chrono_literals;

static const char *const names[] = { "camera", "left", "right", "arm" };
/* The CPU of each, of those that the caller names, and the stages that it waits for. */
static const int place[] = { 0, 1, 2, 0 };
static const std::vector<std::uint32_t> after[] = { {}, { 0 }, { 0 }, { 1, 2 } };
static std::atomic<std::uint64_t> last; /* instance that the arm has done */
static std::atomic<bool> stop;

/* A thread: a task, offered; then job by job, each part of an instance. */
static void run(const resch::device &device, int stage, int cpu,
		std::promise<resch::result<resch::stage>> told)
{
	resch::parameters parameters;
	std::random_device random;

	parameters.period = 20ms;
	parameters.runtime = 1ms;
	parameters.deadline = 12ms;
	parameters.cpu = cpu;
	parameters.name = names[stage];
	if (stage)
		parameters.kind = resch::kind::sporadic;
	auto task = resch::task::join(device, parameters);
	if (!task)
		return told.set_value(task.error());
	const std::uint64_t key = (std::uint64_t{ random() } << 32 | random()) | 1;
	auto offered = task->offer(key);
	if (!offered)
		return told.set_value(offered.error());
	told.set_value(resch::stage{ task->id(), key });

	while (!stop && task->wait()) {
		/* The work goes here; what it is for is known. */
		auto instance = resch::chain::current(device);

		if (instance && stage == 3)
			last = instance->number;
	}
}

static int fail(const resch::error &error)
{
	std::cerr << "stages: " << error.message() << '\n';
	return 1;
}

int main(int argc, char **argv)
{
	const std::uint64_t count = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 50;
	std::vector<resch::stage> stages;
	std::vector<std::thread> threads;
	int status = 0;

	auto device = resch::device::open();
	if (!device)
		return fail(device.error());
	for (int i = 0; i < 4 && !status; i++) {
		const int at = place[i];
		std::promise<resch::result<resch::stage>> told;
		auto hears = told.get_future();

		threads.emplace_back(run, *device, i, argc > 3 ? std::atoi(argv[1 + at]) : 1 + at,
				     std::move(told));
		auto stage = hears.get();
		if (stage) {
			stage->after = after[i];
			stages.push_back(*stage);
		} else {
			status = fail(stage.error());
		}
	}
	if (!status) {
		resch::chain_parameters parameters;

		parameters.period = 20ms;
		parameters.deadline = 40ms;
		parameters.name = "arm";
		auto arm = resch::chain::make(*device, stages, parameters);
		if (arm) {
			auto stat = arm->stat();
			while (stat && !stat->stopped && last < count) {
				std::this_thread::sleep_for(20ms);
				stat = arm->stat();
			}
			if (stat)
				std::cout << stat->completed << " instances, " << stat->missed
					  << " late, the longest took "
					  << stat->longest_response().count() << " ns\n";
		} else {
			status = fail(arm.error());
		}
	}
	/* Who waits for a job that does not come any more has to be told. */
	stop = true;
	for (const resch::stage &stage : stages)
		resch_unregister(device->fd(), stage.task);
	for (std::thread &thread : threads)
		thread.join();
	return status;
}
