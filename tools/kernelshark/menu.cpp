// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * menu.cpp - options, and a window with the numbers of a job
 *
 * libkshark-dev has no header of KernelShark's main window: to Qt it is a QMainWindow, which is
 * enough for menus. What shows lanes, as --cpu and --pid do, is looked up by name; where it isn't
 * there the menu does not offer that.
 */
#include "menu.hpp"

#include "lane.hpp"

#include <QAction>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPointer>
#include <QVector>

#include <dlfcn.h>

namespace shark
{

namespace
{

const struct {
	unsigned option;
	const char *words;
} CHOICES[] = {
	{ JOBS, "Jobs" },
	{ ARROWS, "Releases and deadlines" },
	{ MISSES, "Missed deadlines, overruns" },
	{ BUDGETS, "Budgets of servers" },
	{ RESERVES, "Reserves of plans" },
	{ SWAPS, "Swaps of plugins" },
	{ CHAINS, "Arrows between stages of chains" },
};

unsigned chosen = ALL;
QPointer<QMainWindow> kernelshark;

void draw_again()
{
	if (!kernelshark)
		return;
	for (auto *widget : kernelshark->findChildren<QWidget *>())
		if (widget->inherits("QOpenGLWidget"))
			widget->update();
}

#if QT_VERSION < QT_VERSION_CHECK(6, 0, 0)
#define OF_NUMBERS "Ei7QVectorIiE"
#else
#define OF_NUMBERS "Ei5QListIiE"
#endif
/* KsMainWindow::setCPUPlots(int, QVector<int>), setTaskPlots(int, QVector<int>) */
using set_plots = void (*)(QMainWindow *, int, QVector<int>);

set_plots looked_up(const char *name)
{
	return reinterpret_cast<set_plots>(dlsym(RTLD_DEFAULT, name));
}

QVector<int> numbers_in(const std::vector<int> &numbers)
{
	QVector<int> made;

	for (int number : numbers)
		made.append(number);
	return made;
}

void offer_lanes(QMenu *menu, const std::function<std::vector<lanes>()> &all)
{
	const set_plots cpus = looked_up("_ZN12KsMainWindow11setCPUPlots" OF_NUMBERS);
	const set_plots tasks = looked_up("_ZN12KsMainWindow12setTaskPlots" OF_NUMBERS);

	if (!cpus || !tasks)
		return;
	menu->addSeparator();
	QObject::connect(menu->addAction("Show the lanes of its tasks and CPUs"),
			 &QAction::triggered, [cpus, tasks, all](bool) {
				 for (const auto &each : all()) {
					 cpus(kernelshark, each.stream, numbers_in(each.cpus));
					 tasks(kernelshark, each.stream, numbers_in(each.pids));
				 }
			 });
}

} // namespace

unsigned options()
{
	return chosen;
}

void *add_menu(void *main_window, std::function<std::vector<lanes>()> all)
{
	kernelshark = qobject_cast<QMainWindow *>(static_cast<QObject *>(main_window));
	if (!kernelshark)
		return nullptr;
	auto *menu = new QMenu("resch");
	for (const auto &choice : CHOICES) {
		QAction *action = menu->addAction(choice.words);
		action->setCheckable(true);
		action->setChecked(chosen & choice.option);
		QObject::connect(action, &QAction::toggled, [&choice](bool on) {
			chosen = on ? chosen | choice.option : chosen & ~choice.option;
			draw_again();
		});
	}
	offer_lanes(menu, all);
	kernelshark->menuBar()->addMenu(menu);
	return static_cast<QWidget *>(menu);
}

/* Beside the picture, which goes on: several can be compared. */
void show_numbers(const std::string &title, const std::string &numbers)
{
	auto *box = new QMessageBox(kernelshark);

	box->setAttribute(Qt::WA_DeleteOnClose);
	box->setModal(false);
	box->setWindowTitle(QString::fromStdString(title));
	box->setText(QString::fromStdString(title));
	box->setInformativeText(QString::fromStdString(numbers));
	box->show();
}

} // namespace shark
