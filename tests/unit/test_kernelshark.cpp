// SPDX-License-Identifier: GPL-2.0
/*
 * test_kernelshark.cpp - the plugin of KernelShark, without KernelShark: events to a schedule, to
 * shapes on lanes, to words
 */
#include "info.hpp"
#include "lane.hpp"

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstring>

#include <resch/trace-words.h>

extern "C" {
#include <cmocka.h>
}

using namespace shark;

namespace
{

constexpr int64_t MS = 1000000;

event about(kind kind, int64_t now, int64_t id = 1)
{
	event event;

	event.kind = kind;
	event.ts = event.now = now;
	event.id = id;
	event.pid = 100 + id;
	return event;
}

event attach(int64_t id, int64_t period, int64_t group = 0)
{
	event event = about(kind::attach, 1, id);

	event.now = 0;
	event.period = event.deadline = period;
	event.value = period / 2;
	event.group = group;
	event.text = "t";
	return event;
}

/* A job, which begins at number * period. */
event of_job(kind kind, int64_t now, int64_t number, int64_t period = 10 * MS, int64_t value = 0)
{
	event event = about(kind, now);

	event.job = number;
	event.release = number * period;
	event.deadline = event.release + period;
	event.value = value;
	return event;
}

std::vector<shape> only(const std::vector<shape> &shapes, figure figure)
{
	std::vector<shape> found;

	for (const auto &shape : shapes)
		if (shape.figure == figure)
			found.push_back(shape);
	return found;
}

bool has(const std::string &text, const char *part)
{
	if (text.find(part) != std::string::npos)
		return true;
	print_error("'%s' is not in '%s'\n", part, text.c_str());
	return false;
}

#define assert_at(value, wanted) assert_true((value) > (wanted)-0.01 && (value) < (wanted) + 0.01)

/* KernelShark reads one CPU after the other: what comes first may have happened last. */
void order_of_reading(void **)
{
	const schedule made({ of_job(kind::complete, 14 * MS, 1, 10 * MS, 3 * MS),
			      attach(1, 10 * MS), of_job(kind::select, 11 * MS, 1),
			      of_job(kind::release, 10 * MS, 1) });

	assert_int_equal(made.tasks.size(), 1);
	assert_string_equal(made.tasks[0].label().c_str(), "t/1");
	assert_int_equal(made.tasks[0].jobs.size(), 1);
	const job &job = made.tasks[0].jobs[0];
	assert_int_equal(job.release, 10 * MS);
	assert_int_equal(job.started, 11 * MS);
	assert_int_equal(job.completed, 14 * MS);
	assert_int_equal(job.executed, 3 * MS);
	assert_true(job.missed.empty());
}

/* Stamps of another clock: everything is where the stamps are. */
void another_clock(void **)
{
	std::vector<event> events = { of_job(kind::release, 10 * MS, 1),
				      of_job(kind::complete, 14 * MS, 1) };

	events[0].ts += 5000 * MS + 3000;
	events[1].ts += 5000 * MS;
	const schedule made(events);
	assert_int_equal(made.tasks[0].jobs[0].release, 5010 * MS);
	assert_int_equal(made.tasks[0].jobs[0].completed, 5014 * MS);
	/* the same clock, a little late */
	events[0].ts = 10 * MS + 3000;
	events[1].ts = 14 * MS + 1000;
	assert_int_equal(schedule(events).tasks[0].jobs[0].release, 10 * MS);
}

void boxes(void **)
{
	const schedule made({ attach(1, 10 * MS), of_job(kind::release, 10 * MS, 1),
			      of_job(kind::complete, 15 * MS, 1), of_job(kind::release, 20 * MS, 2),
			      of_job(kind::miss, 30 * MS, 2), of_job(kind::overrun, 26 * MS, 2),
			      of_job(kind::complete, 35 * MS, 2), of_job(kind::release, 36 * MS, 3),
			      about(kind::detach, 60 * MS) });
	const window window = { 0, 100 * MS, 1000 };
	const auto shapes = task_lane(made, 101, window, ALL);
	const auto jobs = only(shapes, figure::job), late = only(shapes, figure::late);

	assert_int_equal(task_lane(made, 102, window, ALL).size(), 0);
	assert_int_equal(jobs.size(), 3);
	assert_at(jobs[0].left, 100);
	assert_at(jobs[0].right, 150);
	assert_at(jobs[2].right, 600); /* never complete: until the recording ends */
	assert_int_equal(late.size(), 1);
	assert_at(late[0].left, 300);
	assert_at(late[0].right, 350);
	assert_int_equal(only(shapes, figure::release).size(), 3);
	assert_int_equal(only(shapes, figure::deadline).size(), 3);
	assert_int_equal(only(shapes, figure::miss).size(), 1);
	assert_at(only(shapes, figure::miss)[0].left, 300);
	assert_int_equal(only(shapes, figure::overrun).size(), 1);
	assert_int_equal(only(task_lane(made, 101, window, ALL & ~JOBS), figure::job).size(), 0);
	assert_int_equal(task_lane(made, 101, window, ARROWS).size(), 6);
	assert_int_equal(task_lane(made, 101, window, MISSES).size(), 2);
	assert_int_equal(task_lane(made, 101, window, 0).size(), 0);
}

void cut_by_the_window(void **)
{
	const schedule made(
		{ of_job(kind::release, 10 * MS, 1), of_job(kind::complete, 18 * MS, 1) });
	const auto shapes = task_lane(made, 101, { 12 * MS, 16 * MS, 100 }, ALL);

	assert_int_equal(shapes.size(), 1);
	assert_at(shapes[0].left, 0);
	assert_at(shapes[0].right, 100);
	assert_int_equal(task_lane(made, 101, { 30 * MS, 40 * MS, 100 }, ALL).size(), 0);
	/* its deadline alone */
	assert_int_equal(
		only(task_lane(made, 101, { 19 * MS, 30 * MS, 100 }, ALL), figure::deadline).size(),
		1);
}

/*
 * A long recording on few pixels: boxes once a pixel, no arrows, but each place with misses has
 * one.
 */
void seen_from_afar(void **)
{
	std::vector<event> events;

	for (int64_t i = 1; i <= 10000; i++) {
		events.push_back(of_job(kind::release, i * 10 * MS, i));
		if (i == 5000)
			events.push_back(of_job(kind::miss, (i + 1) * 10 * MS, i));
		events.push_back(of_job(kind::complete, (i * 10 + 3) * MS, i));
	}
	const schedule made(events);
	const auto shapes = task_lane(made, 101, { 0, 100000 * MS, 500 }, ALL);
	assert_int_equal(only(shapes, figure::release).size(), 0);
	assert_int_equal(only(shapes, figure::miss).size(), 1);
	assert_in_range(only(shapes, figure::job).size(), 100, 501);
}

/* Signal handlers execute there: no jobs, and no other deadline of the one before. */
void between_jobs(void **)
{
	event budget = of_job(kind::budget, 20 * MS, 1);

	budget.release = 20 * MS;
	budget.deadline = 30 * MS;
	const schedule made({ attach(1, 10 * MS), of_job(kind::select, 5 * MS, 1),
			      of_job(kind::release, 10 * MS, 1), of_job(kind::complete, 12 * MS, 1),
			      of_job(kind::throttle, 16 * MS, 1), budget,
			      of_job(kind::select, 21 * MS, 2) });

	assert_int_equal(made.tasks[0].jobs.size(), 1);
	const job &job = made.tasks[0].jobs[0];
	assert_int_equal(job.deadline, 20 * MS);
	assert_int_equal(job.started, -1);
	assert_int_equal(job.throttled, 0);
}

/* A job that is stopped takes the next release over. */
void new_budget(void **)
{
	event budget = of_job(kind::budget, 20 * MS, 1);

	budget.release = 20 * MS;
	budget.deadline = 30 * MS;
	const schedule made({ attach(1, 10 * MS), of_job(kind::release, 10 * MS, 1),
			      of_job(kind::throttle, 15 * MS, 1), budget });
	const job &job = made.tasks[0].jobs[0];

	assert_int_equal(job.release, 10 * MS);
	assert_int_equal(job.deadline, 30 * MS);
	assert_int_equal(job.throttled, 1);
}

/* The next owner of an id, or of a thread's number, is another task. */
void attached_again(void **)
{
	std::vector<event> events = { attach(1, 10 * MS), of_job(kind::release, 10 * MS, 1),
				      about(kind::detach, 15 * MS), attach(1, 20 * MS) };
	event release = of_job(kind::release, 40 * MS, 2, 20 * MS);

	events[3].ts = 16 * MS;
	events.push_back(release);
	const schedule made(events);
	assert_int_equal(made.tasks.size(), 2);
	/* A job that was never complete ends with its task. */
	assert_int_equal(made.tasks[0].jobs[0].end, 15 * MS);
	assert_int_equal(made.tasks[1].period, 20 * MS);
	assert_int_equal(only(task_lane(made, 101, { 0, 100 * MS, 1000 }, ALL), figure::job).size(),
			 2);
}

event plan_event(int64_t ts, int64_t from, int64_t slot, int64_t count)
{
	event event = about(kind::plan, 0);

	event.ts = ts;
	event.domain = 1;
	event.period = slot;
	event.release = from;
	event.value = count;
	return event;
}

event reserve_event(int64_t ts, int64_t cpu, int64_t group, int64_t begin, int64_t end)
{
	event event = about(kind::reserve, 0);

	event.ts = ts;
	event.domain = 1;
	event.cpu = cpu;
	event.group = group;
	event.release = begin;
	event.deadline = end;
	return event;
}

void reserves(void **)
{
	const schedule made({ plan_event(1, 0, 10 * MS, 3), reserve_event(2, 0, 1, 0, 4 * MS),
			      reserve_event(3, 0, 2, 4 * MS, 10 * MS),
			      reserve_event(4, 1, 2, 0, 2 * MS),
			      plan_event(40 * MS, 50 * MS, 0, 0) });
	const window window = { 0, 100 * MS, 1000 };
	auto bands = cpu_lane(made, 0, window, RESERVES);

	assert_int_equal(bands.size(), 8); /* four slots: the plan is taken away at 40 ms */
	assert_at(bands[1].left, 100);
	assert_at(bands[1].right, 140);
	assert_int_equal(bands[4].colour, 2);
	assert_string_equal(bands[4].words.c_str(), "2");
	assert_int_equal(cpu_lane(made, 1, window, RESERVES).size(), 4);
	assert_int_equal(cpu_lane(made, 2, window, RESERVES).size(), 0);
	assert_int_equal(cpu_lane(made, 0, window, ALL & ~RESERVES).size(), 0);
	/* from the middle of a reserve on */
	bands = cpu_lane(made, 0, { 12 * MS, 16 * MS, 400 }, RESERVES);
	assert_int_equal(bands.size(), 2);
	assert_at(bands[0].left, 0);
	assert_at(bands[0].right, 200);
	/* slots too narrow to be told apart: one band, of nobody */
	bands = cpu_lane(made, 0, { 0, 10000 * MS, 1000 }, RESERVES);
	assert_int_equal(bands.size(), 1);
	assert_int_equal(bands[0].colour, -1);
	assert_at(bands[0].right, 4);
}

event server_event(kind kind, int64_t now, int64_t value, int64_t what = 0)
{
	event event = about(kind, now, 7);

	event.domain = 1;
	event.period = 20 * MS;
	event.value = value;
	event.what = what;
	return event;
}

/*
 * It falls while a task of the server has the CPU, is level otherwise, and goes up to what a note
 * says.
 */
void budgets(void **)
{
	std::vector<event> events = { server_event(kind::server_set, 1, 8 * MS),
				      attach(1, 20 * MS, 7),
				      of_job(kind::select, 10 * MS, 1),
				      of_job(kind::deselect, 14 * MS, 1),
				      of_job(kind::select, 20 * MS, 1),
				      server_event(kind::server, 24 * MS, 8 * MS, 1 | 2),
				      of_job(kind::complete, 30 * MS, 2),
				      server_event(kind::server_set, 40 * MS, 0) };
	const schedule made(events);

	assert_int_equal(made.servers.size(), 1);
	const auto &levels = made.servers[0].levels;
	const std::vector<std::pair<int64_t, int64_t>> wanted = {
		{ 1, 8 * MS },	{ 10 * MS, 8 * MS }, { 14 * MS, 4 * MS }, { 20 * MS, 4 * MS },
		{ 24 * MS, 0 }, { 24 * MS, 8 * MS }, { 40 * MS, 8 * MS }
	};
	assert_int_equal(levels.size(), wanted.size());
	for (size_t i = 0; i < wanted.size(); i++) {
		assert_int_equal(levels[i].time, wanted[i].first);
		assert_int_equal(levels[i].left, wanted[i].second);
	}
	const auto lines = cpu_lane(made, 0, { 0, 100 * MS, 1000 }, BUDGETS);
	assert_int_equal(lines.size(), 6);
	assert_at(lines[1].left, 100);
	assert_at(lines[1].right, 140);
	assert_at(lines[1].from, 1.0);
	assert_at(lines[1].to, 0.5);
	/* half of a line: from the middle of its fall */
	const auto cut = cpu_lane(made, 0, { 12 * MS, 13 * MS, 100 }, BUDGETS);
	assert_int_equal(cut.size(), 1);
	assert_at(cut[0].left, 0);
	assert_at(cut[0].right, 100);
	assert_at(cut[0].from, 0.75);
	assert_at(cut[0].to, 0.625);
	assert_int_equal(cpu_lane(made, 1, { 0, 100 * MS, 1000 }, BUDGETS).size(), 0);
}

void swaps(void **)
{
	event swap = about(kind::swap, 0), eject = about(kind::eject, 0);

	swap.ts = 10 * MS;
	swap.text = "edf";
	swap.other = "fp";
	eject.ts = 20 * MS;
	eject.text = "fp";
	eject.other = "it chose nobody";
	const schedule made({ swap, eject });
	const auto shapes = cpu_lane(made, 0, { 0, 100 * MS, 1000 }, SWAPS);
	assert_int_equal(shapes.size(), 2);
	assert_true(shapes[0].figure == figure::swap && shapes[1].figure == figure::eject);
	assert_at(shapes[0].left, 100);
	assert_string_equal(shapes[0].words.c_str(), "edf -> fp");
	assert_true(has(shapes[1].words, "fp is thrown out: it chose nobody"));
	assert_int_equal(cpu_lane(made, 1, { 0, 100 * MS, 1000 }, SWAPS).size(), 0);
}

event step(int64_t now, int64_t stage, int64_t task, int64_t instance, int64_t what)
{
	event event = about(kind::chain, now, 3);

	event.stage = stage;
	event.task = task;
	event.job = instance;
	event.what = what;
	return event;
}

event of_task(event event, int64_t id, int64_t release)
{
	event.id = id;
	event.pid = 100 + id;
	event.release = release;
	return event;
}

/* From a stage's completion to the release of the job that did the same instance next. */
void chains(void **)
{
	const schedule made({ of_task(of_job(kind::release, 10 * MS, 1), 1, 10 * MS),
			      of_task(of_job(kind::complete, 12 * MS, 1), 1, 10 * MS),
			      step(12 * MS, 0, 1, 5, 1),
			      of_task(of_job(kind::release, 13 * MS, 9), 2, 13 * MS),
			      of_task(of_job(kind::complete, 15 * MS, 9), 2, 13 * MS),
			      step(15 * MS, 1, 2, 5, 2), step(22 * MS, 0, 1, 6, 1),
			      /* skipped by the next stage, lost before it */
			      step(23 * MS, 1, 2, 6, 32), step(32 * MS, 0, 1, 7, 8) });

	assert_int_equal(made.handovers.size(), 1);
	const handover &one = made.handovers[0];
	assert_int_equal(one.instance, 5);
	assert_int_equal(one.from_pid, 101);
	assert_int_equal(one.complete, 12 * MS);
	assert_int_equal(one.to_pid, 102);
	assert_int_equal(one.release, 13 * MS);
	assert_int_equal(handovers_in(made, { 0, 100 * MS, 1000 }).size(), 1);
	assert_int_equal(handovers_in(made, { 0, 12 * MS, 1000 }).size(), 0);
}

event way(int64_t stage, int64_t from_mask)
{
	event event = about(kind::chain_stage, 1 * MS, 3);

	event.stage = stage;
	event.what = from_mask;
	return event;
}

/* A job of the task, alone on its CPU, that is the instance's for the stage. */
void add_job(std::vector<event> &events, int64_t task, int64_t begin, int64_t end)
{
	events.push_back(of_task(of_job(kind::release, begin * MS, 1), task, begin * MS));
	events.push_back(of_task(of_job(kind::complete, end * MS, 1), task, begin * MS));
	events.push_back(step(end * MS, task - 1, task, 5, task < 4 ? 1 : 2));
}

/* Stages 1 and 2 wait for 0, and 3 for both, or for the first. */
void forks(void **)
{
	std::vector<event> events = { about(kind::chain_set, 1 * MS, 3), way(1, 1), way(2, 1),
				      way(3, 6) };

	add_job(events, 1, 10, 12);
	add_job(events, 2, 12, 14);
	add_job(events, 3, 12, 16);
	std::vector<event> first = events;
	add_job(events, 4, 16, 18);
	const schedule all(events);
	assert_int_equal(all.handovers.size(), 4);
	for (const handover &one : all.handovers)
		assert_int_equal(one.release, one.to_pid == 104 ? 16 * MS : 12 * MS);
	add_job(first, 4, 14, 15);
	const schedule any(first);
	assert_int_equal(any.handovers.size(), 3);
	for (const handover &one : any.handovers)
		assert_true(one.to_pid != 104 || one.from_pid == 102);
}

void words(void **)
{
	const schedule made({ attach(1, 10 * MS), of_job(kind::release, 10 * MS + 2000, 1),
			      of_job(kind::select, 11 * MS, 1), of_job(kind::deselect, 12 * MS, 1),
			      of_job(kind::select, 13 * MS, 1), of_job(kind::miss, 20 * MS, 1),
			      of_job(kind::complete, 21 * MS, 1, 10 * MS, 6 * MS),
			      of_job(kind::release, 22 * MS, 2) });
	const task &task = made.tasks[0];
	const std::string text = numbers_of(task, task.jobs[0]);

	assert_string_equal(title_of(task, task.jobs[0]).c_str(), "t/1, job 1");
	for (const char *line :
	     { "task: 5.000 ms of 10.000 ms\n", "released: 0.010000 s\n", "noted: 2.000 µs later\n",
	       "had the CPU: 1.000 ms after its release\n",
	       "complete: 11.000 ms after its release\n", "executed: 6.000 ms of 5.000 ms\n",
	       "late: 1.000 ms\n", "preempted: 1\n" })
		assert_true(has(text, line));
	assert_true(has(numbers_of(task, task.jobs[1]), "complete: not in this recording\n"));
	assert_string_equal(show(1500000000).c_str(), "1.500 s");
}

/* ... which now has a deadline so much later than its first. */
event put_off(event event, int64_t by)
{
	event.release += by;
	event.deadline += by;
	return event;
}

/* A throttled job whose new budgets are for later deadlines: two missed, the third kept. */
void deadlines(void **)
{
	const schedule made({ attach(1, 10 * MS), of_job(kind::release, 10 * MS, 1),
			      of_job(kind::miss, 20 * MS, 1), of_job(kind::throttle, 20 * MS, 1),
			      put_off(of_job(kind::budget, 20 * MS, 1), 10 * MS),
			      put_off(of_job(kind::miss, 30 * MS, 1), 10 * MS),
			      put_off(of_job(kind::budget, 30 * MS, 1), 20 * MS),
			      put_off(of_job(kind::complete, 35 * MS, 1), 20 * MS) });
	const auto shapes = task_lane(made, 101, { 0, 100 * MS, 1000 }, ALL);
	const auto arrows = only(shapes, figure::deadline), crosses = only(shapes, figure::miss),
		   late = only(shapes, figure::late);

	assert_int_equal(crosses.size(), 2);
	assert_at(crosses[0].left, 200);
	assert_at(crosses[1].left, 300);
	assert_int_equal(arrows.size(), 3);
	assert_true(arrows[0].colour && arrows[1].colour && !arrows[2].colour);
	assert_at(arrows[2].left, 400);
	assert_int_equal(late.size(), 1);
	assert_at(late[0].left, 200);
	assert_at(late[0].right, 350);
	const std::string text = numbers_of(made.tasks[0], made.tasks[0].jobs[0]);
	assert_true(has(text, "deadlines missed: 2\n") && has(text, "to spare: 5.000 ms\n"));
	assert_true(text.find("late:") == std::string::npos);
}

void fields(void **)
{
	assert_string_equal(field_words("value", UINT64_MAX).c_str(), "never");
	assert_string_equal(field_words("deadline", UINT64_MAX).c_str(), "never");
	assert_string_equal(field_words("deadline", 10836974105).c_str(), "10.836974105");
	assert_string_equal(field_words("now", 5).c_str(), "0.000000005");
	assert_string_equal(field_words("value", 10836974105).c_str(), "10836974105");
	assert_string_equal(field_words("why", RESCH_OFF_BLOCK).c_str(), "block");
	assert_string_equal(field_words("pid", static_cast<uint64_t>(-1) >> 32).c_str(), "-1");
}

} // namespace

int main()
{
	const CMUnitTest tests[] = {
		cmocka_unit_test(order_of_reading),
		cmocka_unit_test(another_clock),
		cmocka_unit_test(boxes),
		cmocka_unit_test(cut_by_the_window),
		cmocka_unit_test(seen_from_afar),
		cmocka_unit_test(between_jobs),
		cmocka_unit_test(new_budget),
		cmocka_unit_test(attached_again),
		cmocka_unit_test(reserves),
		cmocka_unit_test(budgets),
		cmocka_unit_test(swaps),
		cmocka_unit_test(chains),
		cmocka_unit_test(forks),
		cmocka_unit_test(words),
		cmocka_unit_test(deadlines),
		cmocka_unit_test(fields),
	};

	return cmocka_run_group_tests(tests, nullptr, nullptr);
}
