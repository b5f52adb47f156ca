// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * source.cpp - the events of module/core/trace.h that are drawn, and their fields
 */
#include "source.hpp"

namespace shark
{

namespace
{

const std::vector<number> of_job = {
	{ "id", &event::id },	{ "pid", &event::pid },		{ "cpu", &event::cpu },
	{ "job", &event::job }, { "release", &event::release }, { "deadline", &event::deadline },
	{ "now", &event::now }, { "value", &event::value },
};

const std::vector<source> all = {
	{ kind::attach,
	  "resch_attach",
	  { { "id", &event::id },
	    { "pid", &event::pid },
	    { "cpu", &event::cpu },
	    { "group", &event::group },
	    { "period", &event::period },
	    { "deadline", &event::deadline },
	    { "wcet", &event::value } },
	  { { "name", &event::text }, { "plugin", &event::other } } },
	{ kind::detach,
	  "resch_detach",
	  { { "id", &event::id }, { "pid", &event::pid }, { "cpu", &event::cpu } },
	  {} },
	{ kind::release, "resch_release", of_job, {} },
	{ kind::complete, "resch_complete", of_job, {} },
	{ kind::select, "resch_select", of_job, {} },
	{ kind::deselect,
	  "resch_deselect",
	  { { "id", &event::id },
	    { "pid", &event::pid },
	    { "cpu", &event::cpu },
	    { "why", &event::what },
	    { "job", &event::job },
	    { "now", &event::now } },
	  {} },
	{ kind::miss, "resch_miss", of_job, {} },
	{ kind::overrun, "resch_overrun", of_job, {} },
	{ kind::throttle, "resch_throttle", of_job, {} },
	{ kind::budget, "resch_budget", of_job, {} },
	{ kind::plan,
	  "resch_plan",
	  { { "domain", &event::domain },
	    { "slot", &event::period },
	    { "from", &event::release },
	    { "count", &event::value } },
	  {} },
	{ kind::reserve,
	  "resch_reserve",
	  { { "domain", &event::domain },
	    { "group", &event::group },
	    { "cpu", &event::cpu },
	    { "begin", &event::release },
	    { "end", &event::deadline } },
	  {} },
	{ kind::server_set,
	  "resch_server_set",
	  { { "domain", &event::domain },
	    { "cpu", &event::cpu },
	    { "server", &event::id },
	    { "budget", &event::value },
	    { "period", &event::period } },
	  { { "name", &event::text } } },
	{ kind::server,
	  "resch_server",
	  { { "domain", &event::domain },
	    { "cpu", &event::cpu },
	    { "server", &event::id },
	    { "what", &event::what },
	    { "left", &event::value },
	    { "deadline", &event::deadline },
	    { "now", &event::now } },
	  {} },
	{ kind::serve,
	  "resch_serve",
	  { { "id", &event::id },
	    { "client", &event::task },
	    { "cpu", &event::cpu },
	    { "server", &event::group },
	    { "begin", &event::what },
	    { "now", &event::now } },
	  {} },
	{ kind::chain_set,
	  "resch_chain_set",
	  { { "chain", &event::id },
	    { "stages", &event::stage },
	    { "period", &event::period },
	    { "deadline", &event::deadline } },
	  { { "name", &event::text } } },
	{ kind::chain_stage,
	  "resch_chain_stage",
	  { { "chain", &event::id }, { "stage", &event::stage }, { "from_mask", &event::what } },
	  {} },
	{ kind::chain,
	  "resch_chain",
	  { { "chain", &event::id },
	    { "stage", &event::stage },
	    { "task", &event::task },
	    { "what", &event::what },
	    { "instance", &event::job },
	    { "origin", &event::release },
	    { "now", &event::now } },
	  {} },
	{ kind::swap,
	  "resch_swap",
	  { { "domain", &event::domain }, { "cpu", &event::cpu } },
	  { { "from", &event::text }, { "to", &event::other } } },
	{ kind::eject,
	  "resch_eject",
	  { { "domain", &event::domain }, { "cpu", &event::cpu } },
	  { { "plugin", &event::text }, { "reason", &event::other } } },
};

} // namespace

const std::vector<source> &sources()
{
	return all;
}

} // namespace shark
