/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * draw.hpp - shapes as KernelShark draws them
 */
#ifndef RESCH_SHARK_DRAW_HPP
#define RESCH_SHARK_DRAW_HPP

#include "lane.hpp"

#include "KsPlugins.hpp"

namespace shark
{

/* `lane`: a thread's or a CPU's number, as `action` says. */
void draw(KsCppArgV *argv, const schedule &schedule, int lane, int action, unsigned options);

} // namespace shark

#endif
