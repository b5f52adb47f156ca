// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * schedule.cpp - from events to jobs, and to what else lanes show
 */
#include "schedule.hpp"

#include <algorithm>
#include <cstdlib>

#include <resch/trace-words.h>

namespace shark
{

namespace
{

/* Stamps that are further off come from another clock. */
constexpr int64_t NEAR = 500000000;

bool has_now(const event &event)
{
	return event.now != 0;
}

} // namespace

std::string task::label() const
{
	return (name.empty() ? "task" : name) + "/" + std::to_string(id);
}

schedule::schedule(std::vector<event> events)
{
	std::stable_sort(events.begin(), events.end(),
			 [](const event &a, const event &b) { return a.ts < b.ts; });
	align(events);
	for (auto &event : events)
		add(event);
	finish();
}

/* As resch-check does it: by the closest pair of stamps, if the clocks differ at all. */
void schedule::align(const std::vector<event> &events)
{
	std::vector<int64_t> differences;

	for (const auto &event : events)
		if (has_now(event))
			differences.push_back(event.ts - event.now);
	if (differences.empty())
		return;
	std::sort(differences.begin(), differences.end());
	if (std::llabs(differences[differences.size() / 2]) >= NEAR)
		shift = differences[0];
}

void schedule::add(const event &event)
{
	last = event.ts;
	switch (event.kind) {
	case kind::attach:
		return attach(event);
	case kind::detach:
		return detach(event);
	case kind::release:
		return release(event);
	case kind::complete:
	case kind::miss:
	case kind::overrun:
	case kind::throttle:
	case kind::budget:
		return note(event);
	case kind::select:
		return spend(event, true);
	case kind::deselect:
		return spend(event, false);
	case kind::plan:
	case kind::reserve:
		return add_plan(event);
	case kind::server_set:
		return set_server(event);
	case kind::server:
		return note_server(event);
	case kind::serve:
		task_of(event).group = event.group;
		return;
	case kind::chain_set:
		chains.erase(event.id);
		ways.erase(event.id);
		return;
	case kind::chain_stage:
		for (int64_t from = 0; from < event.stage; from++)
			if (event.what >> from & 1)
				ways[event.id][from].push_back(event.stage);
		return;
	case kind::chain:
		return chain_step(event);
	case kind::swap:
		swaps.push_back({ event.ts, event.cpu, false, event.text + " -> " + event.other });
		return;
	case kind::eject:
		swaps.push_back({ event.ts, event.cpu, true,
				  event.text + " is thrown out: " + event.other });
		return;
	case kind::count:
		return;
	}
}

// ---- tasks and jobs

/* The one with that id; one that was attached before the recording is made of what is known. */
task &schedule::task_of(const event &event)
{
	auto found = by_id.find(event.id);

	if (found == by_id.end()) {
		found = by_id.emplace(event.id, tasks.size()).first;
		tasks.emplace_back();
		tasks.back().id = event.id;
		tasks.back().pid = event.pid;
		tasks.back().cpu = event.cpu;
	}
	return tasks[found->second];
}

void schedule::attach(const event &event)
{
	by_id.erase(event.id);
	task &task = task_of(event);
	task.group = event.group;
	task.period = event.period;
	task.deadline = event.deadline;
	task.wcet = event.value;
	task.name = event.text;
}

void schedule::detach(const event &event)
{
	task &task = task_of(event);

	if (!task.jobs.empty() && task.jobs.back().completed < 0)
		task.jobs.back().end = event.ts;
	by_id.erase(event.id);
	serves.erase(event.id);
}

/* The task's job that the event is about. */
job &schedule::job_of(const event &event)
{
	task &task = task_of(event);

	if (task.jobs.empty() || task.jobs.back().number != event.job) {
		job job;
		job.number = event.job;
		job.released = event.now + shift;
		job.release = event.release ? event.release + shift : job.released;
		job.deadline = event.deadline ? event.deadline + shift : FOREVER;
		task.jobs.push_back(job);
	}
	return task.jobs.back();
}

void schedule::release(const event &event)
{
	job &job = job_of(event);

	job.release = event.release + shift;
	job.deadline = event.deadline + shift;
	job.released = event.now + shift;
}

/* Where signal handlers execute: their events name the job before them, or the one after. */
static bool between_jobs(const task &task)
{
	const bool was_attached = task.period > 0;

	return task.jobs.empty() ? was_attached : task.jobs.back().completed >= 0;
}

/* Once each: at the deadline, and, by some tasks, at the end. */
static void miss(job &job, int64_t deadline)
{
	if (job.missed.empty() || job.missed.back() != deadline)
		job.missed.push_back(deadline);
}

void schedule::note(const event &event)
{
	if (between_jobs(task_of(event)) &&
	    (event.kind == kind::throttle || event.kind == kind::budget))
		return;
	job &job = job_of(event);

	switch (event.kind) {
	case kind::complete:
		job.completed = job.end = event.now + shift;
		job.executed = event.value;
		if (job.completed > job.deadline) {
			job.late = job.completed - job.deadline;
			miss(job, job.deadline);
		}
		break;
	case kind::miss:
		miss(job, event.deadline + shift);
		break;
	case kind::overrun:
		job.overruns++;
		break;
	case kind::throttle:
		job.throttled++;
		break;
	case kind::budget: /* of a periodic task: it may have taken over the next release with it */
		job.release = std::min(job.release, event.release + shift);
		job.deadline = event.deadline + shift;
		break;
	default:
		break;
	}
}

/* A job gets the CPU, or loses it; so does the server that it is in. */
void schedule::spend(const event &event, bool selected)
{
	const int64_t now = event.now + shift;
	task &task = task_of(event);

	task.cpu = event.cpu;
	if (selected) {
		job *job = between_jobs(task) ? nullptr : &job_of(event);
		if (job && job->started < 0)
			job->started = now;
	} else if (!task.jobs.empty() && task.jobs.back().number == event.job &&
		   event.what == RESCH_OFF_PREEMPT) {
		task.jobs.back().preempted++;
	}
	auto serving = serves.find(task.id);
	if (serving != serves.end())
		account(servers[serving->second], now, true);
	serves.erase(task.id);
	if (!selected || !task.group)
		return;
	for (auto &known : of_server) {
		server &server = servers[known.second];
		if (server.id != task.group || server.cpu != event.cpu)
			continue;
		account(server, now, false);
		serves[task.id] = known.second;
	}
}

// ---- plans

void schedule::add_plan(const event &event)
{
	auto found = of_plan.find(event.domain);

	if (event.kind == kind::reserve) {
		if (found != of_plan.end())
			plans[found->second].reserves.push_back(
				{ event.cpu, event.group, event.release, event.deadline });
		return;
	}
	const int64_t from = std::max(event.ts, event.value ? event.release + shift : event.ts);
	if (found != of_plan.end())
		plans[found->second].until = std::min(plans[found->second].until, from);
	of_plan.erase(event.domain);
	if (!event.value || !event.period)
		return;
	plan plan;
	plan.domain = event.domain;
	plan.slot = event.period;
	plan.from = event.release + shift;
	of_plan[event.domain] = plans.size();
	plans.push_back(plan);
}

// ---- servers

void schedule::set_server(const event &event)
{
	const auto key = std::make_pair(event.domain, event.id);
	auto found = of_server.find(key);

	if (!event.value) {
		if (found != of_server.end())
			account(servers[found->second], event.ts, false);
		of_server.erase(key);
		return;
	}
	if (found == of_server.end()) {
		found = of_server.emplace(key, servers.size()).first;
		servers.emplace_back();
		servers.back().levels.push_back({ event.ts, event.value });
	}
	server &server = servers[found->second];
	server.domain = event.domain;
	server.id = event.id;
	server.cpu = event.cpu;
	server.budget = event.value;
	server.period = event.period;
	server.name = event.text;
}

/* What is left now, if it was `used` since the last time. */
void schedule::account(server &server, int64_t now, bool used)
{
	if (server.levels.empty() || server.levels.back().time > now)
		return;
	level level = server.levels.back();
	if (used)
		level.left = std::max<int64_t>(0, level.left - (now - level.time));
	level.time = now;
	server.levels.push_back(level);
}

void schedule::note_server(const event &event)
{
	const auto found = of_server.find(std::make_pair(event.domain, event.id));
	const int64_t now = event.now + shift;

	if (found == of_server.end())
		return;
	server &server = servers[found->second];
	bool used = false;
	for (const auto &serving : serves)
		used |= serving.second == found->second;
	account(server, now, used);
	if (event.what & RESCH_SERVER_EXHAUSTED && !server.levels.empty())
		server.levels.back().left = 0;
	server.levels.push_back({ now, std::max<int64_t>(0, event.value) });
}

// ---- chains

/*
 * A stage's job has ended, just before: it was the instance's, which the stage before handed over.
 * Which job that is isn't known before it ends.
 */
void schedule::chain_step(const event &event)
{
	const auto found = by_id.find(event.task);

	if (event.what & RESCH_INSTANCE_GONE || found == by_id.end())
		return;
	const task &task = tasks[found->second];
	auto &handed = chains[event.id][event.stage];
	size_t done = 0;
	for (; done < handed.size() && handed[done].instance <= event.job; done++) {
		handover &one = handed[done];

		if (one.instance != event.job || task.jobs.empty() ||
		    event.what & RESCH_INSTANCE_SKIPPED)
			continue;
		one.to_pid = task.pid;
		one.release = task.jobs.back().release;
		/* Where the first of several released it, the others come later. */
		if (one.complete <= one.release)
			handovers.push_back(one);
	}
	handed.erase(handed.begin(), handed.begin() + done); /* they are done in order */
	if (!(event.what & RESCH_INSTANCE_HANDED))
		return;
	auto &next = ways[event.id][event.stage];
	if (next.empty())
		next.push_back(event.stage + 1);
	for (int64_t stage : next)
		chains[event.id][stage].push_back(
			{ event.id, event.job, task.pid, event.now + shift, -1, 0 });
}

/* What has no end ends where its successor begins, or with the recording. */
void schedule::finish()
{
	for (auto &task : tasks) {
		int64_t next = last;
		for (auto job = task.jobs.rbegin(); job != task.jobs.rend(); ++job) {
			if (!job->end)
				job->end = std::max(job->release, next);
			next = job->release;
		}
	}
	for (auto &known : of_server)
		account(servers[known.second], last, false);
}

} // namespace shark
