/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schedule.hpp - what a recording says: jobs, budgets, plans, swaps, what stages of chains hand
 * over
 *
 * Nothing here knows of KernelShark. All times are stamps of the recording: where it was stamped
 * with another clock than CLOCK_MONOTONIC, what the module says in that is shifted.
 */
#ifndef RESCH_SHARK_SCHEDULE_HPP
#define RESCH_SHARK_SCHEDULE_HPP

#include "event.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace shark
{

constexpr int64_t FOREVER = INT64_MAX;

struct job {
	int64_t number = 0;
	int64_t release = 0, deadline = 0; /* nominal */
	int64_t released = 0; /* when the module noted it */
	int64_t started = -1; /* first had the CPU; -1: never */
	int64_t completed = -1; /* -1: not in the recording */
	int64_t end = 0; /* until when it is drawn */
	int64_t executed = -1;
	/* Those that it missed: a new budget of a periodic task is for a later one. */
	std::vector<int64_t> missed;
	int64_t late = 0; /* by how much it was complete after its last one */
	unsigned overruns = 0, throttled = 0, preempted = 0;
};

struct task {
	int64_t id = 0, pid = -1, cpu = 0, group = 0;
	int64_t period = 0, deadline = 0, wcet = 0;
	std::string name;
	std::vector<job> jobs; /* by time */

	std::string label() const;
};

struct reserve {
	int64_t cpu, group, begin, end;
};

/* From `from` on, each slot has these; until another plan of the domain begins. */
struct plan {
	int64_t domain = 0, slot = 0, from = 0, until = FOREVER;
	std::vector<reserve> reserves;
};

/* What was left of a budget; between two of these it is a line. */
struct level {
	int64_t time, left;
};

struct server {
	int64_t domain = 0, id = 0, cpu = 0, budget = 0, period = 0;
	std::string name;
	std::vector<level> levels;
};

/* Another plugin took over on a CPU; or, ejected, was thrown out of it. */
struct swap {
	int64_t time, cpu;
	bool ejected;
	std::string words;
};

/* A stage of a chain was complete, and another one released by that. */
struct handover {
	int64_t chain, instance;
	int64_t from_pid, complete, to_pid, release;
};

class schedule
{
      public:
	/* In any order: KernelShark reads CPU by CPU. */
	explicit schedule(std::vector<event> events);

	std::vector<task> tasks;
	std::vector<plan> plans;
	std::vector<server> servers;
	std::vector<swap> swaps;
	std::vector<handover> handovers;

      private:
	int64_t shift = 0, last = 0;
	std::map<int64_t, size_t> by_id; /* of the tasks there are now */
	std::map<int64_t, size_t> of_plan; /* domain: its last plan */
	std::map<std::pair<int64_t, int64_t>, size_t> of_server; /* domain, server */
	std::map<int64_t, size_t> serves; /* a selected task: its server */
	/* chain: stage: what was handed to it, and not yet done */
	std::map<int64_t, std::map<int64_t, std::vector<handover>>> chains;
	/* chain: stage: the stages that it releases; one that isn't there: the next one */
	std::map<int64_t, std::map<int64_t, std::vector<int64_t>>> ways;

	void align(const std::vector<event> &events);
	void add(const event &event);
	task &task_of(const event &event);
	job &job_of(const event &event);
	void attach(const event &event);
	void detach(const event &event);
	void release(const event &event);
	void note(const event &event);
	void spend(const event &event, bool selected);
	void add_plan(const event &event);
	void set_server(const event &event);
	void note_server(const event &event);
	void account(server &server, int64_t now, bool used);
	void chain_step(const event &event);
	void finish();
};

} // namespace shark

#endif
