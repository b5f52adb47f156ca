/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * resch.hpp - real-time scheduling by the resch kernel modules, for C++17 programs
 *
 * A thin layer over <resch.h>, in headers alone, of which this one has all; link with -lresch.
 *
 * - What may fail returns a resch::result<T>, which has the value or a resch::error, as
 *   std::expected of C++23 does. Nothing throws by itself, and all compiles with -fno-exceptions.
 *   Who prefers exceptions asks for one: value() throws resch::failure where there is none (and
 *   ends the program where exceptions are off).
 * - Descriptors, registrations, domains, chains and applications end with their objects (RAII). An
 *   object that needs the device keeps it open.
 * - Times are std::chrono: durations in nanoseconds, and points of std::chrono::steady_clock, which
 *   is CLOCK_MONOTONIC in the C++ libraries of Linux.
 * - The structures and constants of <linux/resch.h> stay what they are; what is named alike here
 *   has what they mean.
 */
#ifndef _RESCH_HPP
#define _RESCH_HPP

#include <resch-application.hpp>
#include <resch-chain.hpp>
#include <resch-device.hpp>
#include <resch-domain.hpp>
#include <resch-parameters.hpp>
#include <resch-result.hpp>
#include <resch-task.hpp>
#include <resch-time.hpp>

#endif /* _RESCH_HPP */
