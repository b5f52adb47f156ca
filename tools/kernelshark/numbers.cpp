// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * numbers.cpp - a job, and the fields of its events, in words
 */
#include "info.hpp"
#include "lane.hpp"

#include <cstdio>
#include <iterator>

#include <resch/trace-words.h>

namespace shark
{

namespace
{

void line(std::string &text, const char *name, const std::string &value)
{
	text += std::string(name) + ": " + value + "\n";
}

std::string stamp(int64_t time)
{
	char text[40];

	std::snprintf(text, sizeof(text), "%lld.%06lld s",
		      static_cast<long long>(time / 1000000000),
		      static_cast<long long>(time % 1000000000 / 1000));
	return text;
}

} // namespace

std::string show(int64_t ns)
{
	const double value = static_cast<double>(ns);
	char text[40];

	if (ns >= 1000000000)
		std::snprintf(text, sizeof(text), "%.3f s", value / 1e9);
	else if (ns >= 1000000)
		std::snprintf(text, sizeof(text), "%.3f ms", value / 1e6);
	else
		std::snprintf(text, sizeof(text), "%.3f µs", value / 1e3);
	return text;
}

std::string field_words(const std::string &name, uint64_t value)
{
	char text[40];

#define WORD(name, word) word,
	static const char *const why[] = { RESCH_OFFS(WORD, WORD) };
#undef WORD

	if (value == UINT64_MAX)
		return "never";
	if (name == "why" && value < std::size(why))
		return why[value];
	if (name == "pid")
		return std::to_string(static_cast<int32_t>(value));
	if (name != "release" && name != "deadline" && name != "now")
		return std::to_string(value);
	std::snprintf(text, sizeof(text), "%llu.%09llu",
		      static_cast<unsigned long long>(value / 1000000000),
		      static_cast<unsigned long long>(value % 1000000000));
	return text;
}

std::string title_of(const task &task, const job &job)
{
	return task.label() + ", job " + std::to_string(job.number);
}

std::string numbers_of(const task &task, const job &job)
{
	std::string text;

	if (task.period)
		line(text, "task", show(task.wcet) + " of " + show(task.period));
	line(text, "released", stamp(job.release));
	if (job.released > job.release)
		line(text, "noted", show(job.released - job.release) + " later");
	if (job.started >= 0)
		line(text, "had the CPU", show(job.started - job.release) + " after its release");
	if (job.completed >= 0)
		line(text, "complete", show(job.completed - job.release) + " after its release");
	else
		line(text, "complete", "not in this recording");
	if (job.executed >= 0)
		line(text, "executed",
		     show(job.executed) + (task.wcet ? " of " + show(task.wcet) : std::string()));
	if (job.deadline != FOREVER)
		line(text, "deadline", show(job.deadline - job.release) + " after its release");
	if (job.missed.size() > 1)
		line(text, "deadlines missed", std::to_string(job.missed.size()));
	if (job.late || (!job.missed.empty() && job.completed < 0))
		line(text, "late", job.late ? show(job.late) : std::string("yes"));
	else if (job.completed >= 0 && job.deadline != FOREVER)
		line(text, "to spare", show(job.deadline - job.completed));
	line(text, "preempted", std::to_string(job.preempted));
	if (job.overruns)
		line(text, "overruns", std::to_string(job.overruns));
	if (job.throttled)
		line(text, "throttled", std::to_string(job.throttled));
	return text;
}

} // namespace shark
