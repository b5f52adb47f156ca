/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.hpp - which event of the kernel becomes which of ours, field by field
 */
#ifndef RESCH_SHARK_SOURCE_HPP
#define RESCH_SHARK_SOURCE_HPP

#include "event.hpp"

#include <vector>

namespace shark
{

struct number {
	const char *field;
	int64_t event::*to;
};

struct text {
	const char *field;
	std::string event::*to;
};

struct source {
	shark::kind kind;
	const char *name;
	std::vector<number> numbers;
	std::vector<text> texts;
};

const std::vector<source> &sources();

} // namespace shark

#endif
