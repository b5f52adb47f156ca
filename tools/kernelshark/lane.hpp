/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lane.hpp - what is to be seen of a schedule on the lane of a task or a CPU, in a window of time
 *
 * Shapes lie in a window `bins` wide, 0 to 1 high: where that is on the screen, and in which
 * colours, draw.cpp knows.
 */
#ifndef RESCH_SHARK_LANE_HPP
#define RESCH_SHARK_LANE_HPP

#include "schedule.hpp"

namespace shark
{

/* What the menu turns on and off. */
enum option : unsigned {
	JOBS = 1 << 0,
	ARROWS = 1 << 1,
	MISSES = 1 << 2,
	BUDGETS = 1 << 3,
	RESERVES = 1 << 4,
	SWAPS = 1 << 5,
	CHAINS = 1 << 6,
	ALL = (1 << 7) - 1,
};

enum class figure {
	job, /* a box; from the first deadline that it missed on it is late */
	late,
	release, /* an arrow up */
	deadline, /* an arrow down */
	miss, /* a cross */
	overrun, /* a mark */
	reserve, /* a band */
	budget, /* a line */
	swap, /* a line across, with words */
	eject,
};

struct shape {
	shark::figure figure;
	double left, right; /* bins */
	double from = 0, to = 1; /* heights, of lines */
	int64_t colour = 0; /* whose: a group, a server; of a deadline: 1: missed */
	const shark::task *task = nullptr;
	const shark::job *job = nullptr;
	std::string words = {};
};

struct window {
	int64_t min, max;
	int bins;

	double at(int64_t time) const;
	bool has(int64_t time) const;
	/* of what lies in it in part; false: nothing does */
	bool cut(int64_t from, int64_t to, double &left, double &right) const;
};

std::vector<shape> task_lane(const schedule &schedule, int64_t pid, const window &window,
			     unsigned options);
std::vector<shape> cpu_lane(const schedule &schedule, int64_t cpu, const window &window,
			    unsigned options);

/* Hand-overs that both lie in the window; none where they are too many to be told apart. */
std::vector<handover> handovers_in(const schedule &schedule, const window &window);

/* A job's numbers: a title, and lines. */
std::string title_of(const task &task, const job &job);
std::string numbers_of(const task &task, const job &job);

/* 1234567 -> "1.235 ms" */
std::string show(int64_t ns);

} // namespace shark

#endif
