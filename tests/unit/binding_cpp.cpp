// SPDX-License-Identifier: GPL-2.0
/*
 * binding_cpp.cpp - resch.hpp, by test_bindings.py: over the played device, with and without
 * exceptions
 */
#include <resch.hpp>

#include <atomic>
#include <thread>
#include <type_traits>

using namespace std::chrono_literals;

#define CHECK(what)                                                                   \
	do {                                                                          \
		if (!(what)) {                                                        \
			std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
			std::exit(1);                                                 \
		}                                                                     \
	} while (0)

static bool has(const std::string &text, const char *part)
{
	if (text.find(part) == std::string::npos)
		std::fprintf(stderr, "'%s' is not in '%s'\n", part, text.c_str());
	return text.find(part) != std::string::npos;
}

static resch::parameters every(std::chrono::nanoseconds period, std::chrono::nanoseconds runtime)
{
	resch::parameters parameters;

	parameters.period = period;
	parameters.runtime = runtime;
	parameters.cpu = 1;
	return parameters;
}

static_assert(!std::is_copy_constructible_v<resch::task>);
static_assert(std::is_nothrow_move_constructible_v<resch::task>);
static_assert(!std::is_copy_constructible_v<resch::domain>);
static_assert(std::is_move_constructible_v<resch::application>);
static_assert(std::is_copy_constructible_v<resch::device>);

/* What parameters become, and what is said of those that are wrong. */
static void parameters()
{
	resch::parameters all = every(10ms, 2ms);

	all.deadline = 8ms;
	all.offset = 1us;
	all.kind = resch::kind::sporadic;
	all.miss = resch::reaction::signal;
	all.signal = 10;
	all.priority = 7;
	all.group = 3;
	all.flags = RESCH_F_SYNC;
	all.domain = 5;
	all.name = "a name that is too long";
	const auto raw = all.raw();
	CHECK(raw.params.period == 10000000 && raw.params.wcet == 2000000);
	CHECK(raw.params.deadline == 8000000 && raw.params.offset == 1000);
	CHECK(raw.params.kind == RESCH_SPORADIC && raw.params.miss == RESCH_SIGNAL);
	CHECK(raw.params.overrun == RESCH_THROTTLE && raw.params.signal == 10);
	CHECK(raw.params.priority == 7 && raw.params.group == 3 && raw.params.cpu == 1);
	CHECK(raw.params.flags == RESCH_F_SYNC && raw.domain == 5);
	CHECK(std::string(raw.params.name) == "a name that is ");
	CHECK(all.check());
	all.cpu.reset();
	CHECK(all.raw().params.cpu == -1);

	auto wrong = every(10ms, 199ms).check();
	CHECK(!wrong && wrong.error().number() == EINVAL && !wrong.error().refused());
	CHECK(has(wrong.error().message(), "the runtime, 199ms, is longer than the period, 10ms"));
	CHECK(!every(10ms, -1ms).check());
	CHECK(wrong.error().code() == std::errc::invalid_argument);
}

/* Joining, refusals, jobs, the end of it with the object. */
static void tasks(const resch::device &device)
{
	CHECK(device.info() && device.info()->level == 80);
	auto refused = resch::task::join(device, every(10ms, 9600us));
	CHECK(!refused && refused.error().refused());
	CHECK(has(refused.error().message(), "the utilization on CPU 1 would be 96 %"));
	CHECK(has(refused.error().message(), "a runtime of 9.5ms"));
	auto wrong = resch::task::join(device, every(10ms, 0ms));
	CHECK(!wrong && has(wrong.error().message(), "the runtime (wcet) is missing"));
	auto nowhere = every(10ms, 1ms);
	nowhere.cpu = 9;
	CHECK(resch::task::join(device, nowhere).error().number() == ENODEV);

	std::uint32_t id;
	{
		auto joined = resch::task::join(device, every(10ms, 2ms));
		CHECK(joined && joined->cpu() == 1);
		id = joined->id();
		CHECK(resch::task::join(device, every(10ms, 1ms)).error().number() == EEXIST);
		resch::task task = std::move(*joined);
		CHECK(joined->id() == 0 && task.id() == id);
		auto first = task.wait();
		CHECK(first && first->number == 1 && first->deadline - first->release == 10ms);
		CHECK(first->release <= std::chrono::steady_clock::now());
		CHECK(first->release > std::chrono::steady_clock::now() - 10s);
		auto jobs = task.jobs();
		std::uint64_t last = 1;
		for (const resch::job &job : jobs) {
			CHECK(job.number == ++last);
			CHECK(task.delay(job.release + 1ms));
			if (last == 5)
				break;
		}
		CHECK(jobs.end_of());
		auto stat = task.stat();
		CHECK(stat && stat->completed == 4 && stat->longest_response() >= 1ms);
		CHECK(device.stat(id)->state == RESCH_STATE_SELECTED);
		CHECK(task.lead(40us) && task.stat()->lead_time() == 40us);
		CHECK(task.lead(1ms).error().number() == EINVAL);
		CHECK(task.lead(0ms) && task.stat()->lead == 0);

		volatile std::sig_atomic_t stop = 1;
		auto none = task.jobs(&stop);
		for (const resch::job &job : none)
			CHECK(!job.number);
		CHECK(none.end_of());
		task.leave();
		auto after = task.jobs();
		for (const resch::job &job : after)
			CHECK(!job.number);
		CHECK(!after.end_of() && after.end_of().error().number() == ENOENT);
	}
	CHECK(device.stat(id)->state == RESCH_STATE_GONE);
	auto again = resch::task::join(device, every(10ms, 9ms));
	CHECK(again);
}

/* A sporadic task, released by another thread; events of the one that takes too long. */
static void sporadic(const resch::device &device)
{
	std::atomic<std::uint32_t> id{ 0 };
	std::thread thread([&] {
		auto parameters = every(10ms, 1ns);

		parameters.kind = resch::kind::sporadic;
		parameters.overrun = resch::reaction::notify;
		auto task = resch::task::join(device, parameters);
		CHECK(task);
		id = task->id();
		CHECK(task->wait() && task->wait());
	});

	while (!id)
		std::this_thread::sleep_for(1ms);
	CHECK(device.release(id) && device.release(id));
	CHECK(device.release(4711).error().number() == ENOENT);
	auto events = device.events();
	CHECK(events && !events->empty() && (*events)[0].type == RESCH_EVENT_OVERRUN &&
	      (*events)[0].task == id);
	thread.join();
	while (device.events(0ms).value().size())
		;
}

static void domains(const resch::device &device)
{
	std::uint32_t id;

	CHECK(resch::domain::of(device, 2)->id() == 1);
	CHECK(has(resch::domain::of(device, 0).error().message(), "CPU 0 is in no domain"));
	CHECK(has(resch::domain::make(device, "four", "edf").error().message(), "four is no list"));
	CHECK(resch::domain::make(device, "1-2", "edf").error().number() == EBUSY);
	CHECK(resch::domain::make(device, "5", "nosuch").error().number() == ENOENT);
	CHECK(resch::domain::make(device, "5", std::string(99, 'x')).error().number() == EINVAL);
	{
		auto domain = resch::domain::make(device, "5", "fp", "order=rm");
		CHECK(domain);
		id = domain->id();
		resch::domain moved = std::move(*domain);
		CHECK(resch::domain::of(device, 5)->id() == id);
	}
	CHECK(!resch::domain::of(device, 5));
	{
		auto domain = resch::domain::make(device, "5", "fp");
		domain->keep();
	}
	CHECK(resch::domain::of(device, 5));
}

static void application(const resch::device &device, bool server)
{
	auto app = server ? resch::application::in_server(device, 1, 3ms, 10ms) :
			    resch::application::in_domain(device, 1);
	std::atomic<int> one{ 0 }, two{ 0 };
	resch::time_point first[2];

	CHECK(app);
	CHECK(has(app->add(every(10ms, 11ms), [](const resch::job &) {}).error().message(),
		  "longer than"));
	CHECK(app->add(
		every(10ms, 1ms),
		[&](const resch::job &job) {
			if (job.number == 1)
				first[0] = job.release;
			one++;
		},
		5));
	CHECK(app->add(every(20ms, 1ms), [&](const resch::job &job) {
		if (job.number == 1)
			first[1] = job.release;
		two++;
	}));
	const auto now = std::chrono::steady_clock::now();
	const auto zero = std::chrono::time_point_cast<resch::duration>(now) + 20ms;
	CHECK(app->start(zero).value() == 2);
	while (one < 5 || two < 2)
		std::this_thread::sleep_for(1ms);
	app->stop();
	app->join();
	CHECK(one == 5 && first[0] == zero && first[1] == zero);
}

/* value() of what is not there. */
static void failures()
{
#if defined(__cpp_exceptions)
	try {
		every(10ms, 199ms).check().value();
		CHECK(false);
	} catch (const resch::failure &failure) {
		CHECK(has(failure.what(), "199ms"));
		CHECK(failure.error().number() == EINVAL);
	}
#else
	/* Ends the program, with a sentence: the last thing here. */
	std::puts("ends");
	std::fflush(stdout);
	every(10ms, 199ms).check().value();
#endif
}

int main()
{
	parameters();
	auto device = resch::device::open();
	if (!device) {
		CHECK(has(device.error().message(), "is not loaded"));
		std::puts("no device");
		return 0;
	}
	tasks(*device);
	sporadic(*device);
	domains(*device);
	application(*device, true);
	application(*device, false);
	failures();
	std::puts("done");
	return 0;
}
