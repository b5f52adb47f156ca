/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * menu.hpp - what there is of windows: KernelShark's menu "resch", and a job's numbers. The one
 * part that knows Qt.
 */
#ifndef RESCH_SHARK_MENU_HPP
#define RESCH_SHARK_MENU_HPP

#include <functional>
#include <string>
#include <vector>

namespace shark
{

/* What is drawn: a sum of enum option. */
unsigned options();
/* A recording's CPUs and threads that have to do with resch. */
struct lanes {
	int stream;
	std::vector<int> cpus, pids;
};
/*
 * `all`: those of the recordings that are open. Return: a QWidget, which KernelShark deletes before
 * it ends.
 */
void *add_menu(void *main_window, std::function<std::vector<lanes>()> all);
void show_numbers(const std::string &title, const std::string &numbers);

} // namespace shark

#endif
