// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lane.cpp - from a schedule to shapes
 */
#include "lane.hpp"

#include <algorithm>
#include <cstddef>

namespace shark
{

namespace
{

/*
 * Closer together than that, in bins, arrows are a smear; misses and marks are drawn once in so
 * many.
 */
constexpr double ARROW_ROOM = 8, MARK_ROOM = 4;
/* A slot that is narrower is not drawn reserve by reserve. */
constexpr double SLOT_ROOM = 6;
/* Boxes of jobs narrower than that are drawn once a bin. */
constexpr double BOX_ROOM = 1;
constexpr size_t HANDOVERS = 200;

/* Lets through what is at least `room` from what it let through last. */
class sparse
{
      public:
	explicit sparse(double least) : room(least)
	{
	}
	bool operator()(double at)
	{
		if (any && at - last < room)
			return false;
		any = true;
		last = at;
		return true;
	}

      private:
	const double room;
	bool any = false;
	double last = 0;
};

/* The jobs that have something in the window; one of them before may have its deadline there. */
std::vector<const job *> jobs_in(const task &task, const window &window)
{
	std::vector<const job *> found;

	for (const auto &job : task.jobs) {
		const int64_t end =
			std::max(job.end, job.deadline == FOREVER ? job.end : job.deadline);
		if (job.release <= window.max && end >= window.min)
			found.push_back(&job);
	}
	return found;
}

void add_arrows(const task &task, const std::vector<const job *> &jobs, const window &window,
		std::vector<shape> &shapes)
{
	if (static_cast<double>(jobs.size()) * ARROW_ROOM > window.bins)
		return;
	for (const auto *job : jobs) {
		if (!window.has(job->release))
			continue;
		const double at = window.at(job->release);
		shapes.push_back({ figure::release, at, at, 0, 1, 0, &task, job });
	}
	/* On top: often one job's deadline is the next one's release. */
	const auto deadline = [&](const job *job, int64_t time, bool missed) {
		if (time == FOREVER || !window.has(time))
			return;
		const double at = window.at(time);
		shapes.push_back({ figure::deadline, at, at, 0, 1, missed, &task, job });
	};
	for (const auto *job : jobs) {
		for (const int64_t missed : job->missed)
			deadline(job, missed, true);
		if (job->missed.empty() || job->missed.back() != job->deadline)
			deadline(job, job->deadline, false);
	}
}

void add_boxes(const task &task, const std::vector<const job *> &jobs, const window &window,
	       std::vector<shape> &shapes)
{
	sparse box(BOX_ROOM);
	double left, right;

	for (const auto *job : jobs) {
		if (!window.cut(job->release, job->end, left, right))
			continue;
		if (right - left >= BOX_ROOM || box(left))
			shapes.push_back({ figure::job, left, right, 0, 1, 0, &task, job });
		if (!job->missed.empty() &&
		    window.cut(job->missed.front(), job->end, left, right))
			shapes.push_back({ figure::late, left, right, 0, 1, 0, &task, job });
	}
}

/*
 * A miss is at the deadline; nothing says when in a job an overrun was but its execution, so it is
 * at the job's end.
 */
void add_misses(const task &task, const std::vector<const job *> &jobs, const window &window,
		std::vector<shape> &shapes)
{
	sparse miss(MARK_ROOM), overrun(MARK_ROOM);

	for (const auto *job : jobs) {
		for (const int64_t deadline : job->missed) {
			if (deadline == FOREVER || !window.has(deadline))
				continue;
			const double at = window.at(deadline);
			if (miss(at))
				shapes.push_back({ figure::miss, at, at, 0, 1, 0, &task, job });
		}
		if (job->overruns && window.has(job->end)) {
			const double at = window.at(job->end);
			if (overrun(at))
				shapes.push_back({ figure::overrun, at, at, 0, 1, 0, &task, job });
		}
	}
}

void add_reserves(const plan &plan, int64_t cpu, const window &window, std::vector<shape> &shapes)
{
	const int64_t min = std::max(window.min, plan.from), max = std::min(window.max, plan.until);
	double left, right;

	if (min >= max || plan.slot <= 0)
		return;
	const bool fine = window.at(plan.slot) - window.at(0) >= SLOT_ROOM;
	for (const auto &reserve : plan.reserves) {
		if (reserve.cpu != cpu)
			continue;
		if (!fine) { /* whose it is cannot be told: there is a plan */
			if (window.cut(min, max, left, right))
				shapes.push_back({ figure::reserve, left, right, 0, 1, -1 });
			return;
		}
		int64_t slot = plan.from + (min - plan.from) / plan.slot * plan.slot;
		for (; slot < max; slot += plan.slot) {
			const int64_t from = std::max(min, slot + reserve.begin);
			const int64_t to = std::min(max, slot + reserve.end);
			if (from < to && window.cut(from, to, left, right))
				shapes.push_back({ figure::reserve, left, right, 0, 1,
						   reserve.group, nullptr, nullptr,
						   std::to_string(reserve.group) });
		}
	}
}

double share(const server &server, int64_t left)
{
	if (server.budget <= 0)
		return 0;
	return std::min(1.0, static_cast<double>(left) / static_cast<double>(server.budget));
}

/*
 * From each level to the next, and on; what is shorter than a bin goes into one line from the
 * lowest to the highest.
 */
void add_budget(const server &server, const window &window, std::vector<shape> &shapes)
{
	for (size_t i = 0; i + 1 < server.levels.size(); i++) {
		const level &a = server.levels[i], &b = server.levels[i + 1];
		if (b.time < window.min || a.time > window.max)
			continue;
		const double left = window.at(a.time), right = window.at(b.time);
		const double from = share(server, a.left), to = share(server, b.left);
		shape line = { figure::budget, left, right, from, to, server.id };
		if (left < 0 || right > window.bins) { /* cut where the window ends */
			const double wide = right - left, rise = to - from;
			line.left = std::max(0.0, left);
			line.right = std::min(static_cast<double>(window.bins), right);
			line.from = from + (wide > 0 ? rise * (line.left - left) / wide : 0);
			line.to = from + (wide > 0 ? rise * (line.right - left) / wide : rise);
		}
		if (!shapes.empty() && shapes.back().figure == figure::budget &&
		    shapes.back().colour == server.id && line.right - shapes.back().left < 1) {
			shape &before = shapes.back();
			before.from = std::max({ before.from, before.to, line.from, line.to });
			before.to = std::min({ before.from, before.to, line.from, line.to });
			before.right = line.right;
			continue;
		}
		shapes.push_back(line);
	}
}

} // namespace

double window::at(int64_t time) const
{
	return static_cast<double>(time - min) * bins /
	       static_cast<double>(std::max<int64_t>(1, max - min));
}

bool window::has(int64_t time) const
{
	return time >= min && time <= max;
}

bool window::cut(int64_t from, int64_t to, double &left, double &right) const
{
	if (to < min || from > max || to < from)
		return false;
	left = at(std::max(from, min));
	right = at(std::min(to, max));
	return true;
}

std::vector<shape> task_lane(const schedule &schedule, int64_t pid, const window &window,
			     unsigned options)
{
	std::vector<shape> shapes;

	for (const auto &task : schedule.tasks) {
		if (task.pid != pid)
			continue;
		const auto jobs = jobs_in(task, window);
		if (options & JOBS)
			add_boxes(task, jobs, window, shapes);
		if (options & ARROWS)
			add_arrows(task, jobs, window, shapes);
		if (options & MISSES)
			add_misses(task, jobs, window, shapes);
	}
	return shapes;
}

std::vector<shape> cpu_lane(const schedule &schedule, int64_t cpu, const window &window,
			    unsigned options)
{
	std::vector<shape> shapes;

	for (const auto &plan : schedule.plans)
		if (options & RESERVES)
			add_reserves(plan, cpu, window, shapes);
	for (const auto &server : schedule.servers)
		if (options & BUDGETS && server.cpu == cpu)
			add_budget(server, window, shapes);
	for (const auto &swap : schedule.swaps) {
		if (!(options & SWAPS) || swap.cpu != cpu || !window.has(swap.time))
			continue;
		const double at = window.at(swap.time);
		shapes.push_back({ swap.ejected ? figure::eject : figure::swap, at, at, 0, 1, 0,
				   nullptr, nullptr, swap.words });
	}
	return shapes;
}

std::vector<handover> handovers_in(const schedule &schedule, const window &window)
{
	std::vector<handover> found;

	for (const auto &one : schedule.handovers)
		if (window.has(one.complete) && window.has(one.release))
			found.push_back(one);
	if (found.size() > HANDOVERS)
		found.clear();
	return found;
}

} // namespace shark
