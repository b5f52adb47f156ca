# SPDX-License-Identifier: GPL-2.0
"""What the kernel made of the decisions: who really ran, by its sched_switch events."""

import bisect

from .model import covered, first_inside, following
from .units import show

# Up to 6.11 real-time throttling, later the fair server, takes this share of the CPU.
KERNEL_TAKES, KERNEL_WINDOW = 50000000, 1000000000
FAIR_PRIO = 100


class Running:
    """The rules about running, one task after the other."""

    def __init__(self, checker):
        self.model, self.rules, self.tolerance = checker.model, checker.rules, checker.tolerance
        self.judge, self.holes_in = checker.judge, checker.holes_in
        self.note = checker.note

    def check_stop(self, task):
        """Each time between two selections: for how long did it run?"""
        if task.controlled is None:
            return
        end = self.model.end if task.detached is None else task.detached
        edges = [task.controlled]
        for span in task.selected:
            edges += [span.start, span.end]
        edges.append(end)
        for start, stop in zip(edges[::2], edges[1::2]):
            if stop <= start or self.holes_in(start, stop):
                continue
            ran = covered(task.running, start, stop) - self.background(task, start, stop)
            if ran > self.tolerance and self.escalated(task, start, stop):
                self.rules['stop'].checked += 1
                self.note('blocking', start, f'{task.label()} stayed in the kernel and ran for '
                          f'{show(ran)} while not selected; it was demoted', task.cpu, [task], ran)
                continue
            if ran > self.tolerance and ran - self.ordinary(task, start, stop) <= self.tolerance:
                self.rules['stop'].checked += 1
                self.note('kernel', start, f'{task.label()} ran for {show(ran)} while not '
                          'selected, in time for ordinary threads; it was demoted', task.cpu,
                          [task], ran)
                continue
            first = first_inside(task.running, start)
            self.judge('stop', ran, start if first is None else first, f'{task.label()} ran for '
                       f'{show(ran)} while it was not selected', task.cpu, [task])

    @staticmethod
    def ordinary(task, start, stop):
        """How long it ran there as an ordinary thread, demoted some time before: whenever nobody
        else wants the CPU, or the kernel gives ordinary threads their share."""
        return covered([run for run in task.running_between(start, stop)
                        if run.prio is not None and run.prio >= FAIR_PRIO and
                        run.left is not None and run.left >= FAIR_PRIO], start, stop)

    @staticmethod
    def background(task, start, stop):
        """How long it ran there for jobs, and signal handlers, that finish below all registered
        tasks."""
        total = 0
        for entries, begin, finish in ((task.jobs, 'seen', 'completed'),
                                       (task.handlings, 'start', 'end')):
            at = bisect.bisect_right(entries, start, key=lambda entry: getattr(entry, begin))
            for entry in following(entries, max(at - 1, 0)):
                if getattr(entry, begin) >= stop:
                    break
                if entry.demoted is not None:
                    end = getattr(entry, finish)
                    total += covered(task.running, max(start, entry.demoted),
                                     stop if end is None else min(stop, end))
        return total

    def check_run(self, task):
        """Each selection: for how long at a time did the task not run?"""
        for span in task.selected:
            if self.holes_in(span.start, span.end):
                continue
            at, gaps = span.start, []
            index = max(bisect.bisect_right(task.running, at, key=lambda run: run.start) - 1, 0)
            for run in following(task.running, index):
                if run.start >= span.end:
                    break
                if run.end <= at:
                    continue
                if run.start > at:
                    gaps.append((at, run.start))
                at = max(at, run.end)
            if at < span.end:
                gaps.append((at, span.end))
            for start, stop in gaps or [(span.start, span.start)]:
                self.held_off(task, span, start, stop)

    def held_off(self, task, span, start, stop):
        amount = stop - start
        who = self.who_ran(span.cpu, start, stop)
        if amount and not who:       # nobody saw who ran there
            return
        instead = f'; meanwhile ran {who[0]}' if who else ''
        text = f'{task.label()} was selected and did not run for {show(amount)}{instead}'
        if amount > self.tolerance and self.stuck(who[2], start, stop):
            self.rules['run'].checked += 1
            self.note('blocking', start, text, span.cpu, [task], amount)
            return
        if amount > self.tolerance and self.kernel_took(task, span.cpu, start, amount, who):
            self.rules['run'].checked += 1
            self.note('kernel', start, text, span.cpu, [task], amount)
            return
        if amount > self.tolerance and self.resigned(task, start):
            self.rules['run'].checked += 1
            self.note('policy', start, f'{text}; it has given its real-time policy up', span.cpu,
                      [task], amount)
            return
        self.judge('run', amount, start, text, span.cpu, [task])

    @staticmethod
    def resigned(task, start):
        """Whether it has made itself an ordinary thread, as programs do before they exit: its
        priority changed while it ran. (The engine changes it from another thread, so while this one
        does not run.)"""
        at = bisect.bisect_right(task.running, start, key=lambda run: run.start)
        for place in range(at - 1, -1, -1):
            run = task.running[place]
            if run.prio is None or run.left is None:
                return False
            if run.prio < FAIR_PRIO:
                return run.left >= FAIR_PRIO
        return False

    def stuck(self, pid, start, stop):
        """Whether that is a task that stayed in the kernel, as the engine noticed."""
        return any(self.escalated(task, start, stop) for task in self.model.tasks.values()
                   if task.pid == pid)

    @staticmethod
    def escalated(task, start, stop):
        """Whether the engine found it in the kernel, and running: others merely wait to run."""
        at = bisect.bisect_left(task.escalations, start)
        for time in task.escalations[at:]:
            if time > stop:
                break
            if covered(task.running, time - 1, time + 1):
                return True
        return False

    def who_ran(self, number, start, stop):
        """(name, prio, pid) of the one that ran longest, or None."""
        best = None
        for begin, end, pid, comm, prio in self.runs_between(number, start, stop):
            time = min(end, stop) - max(begin, start)
            if best is None or time > best[0]:
                best = (time, comm or f'pid {pid}', prio, pid)
        return best and best[1:]

    def runs_between(self, number, start, stop):
        runs = self.model.cpu(number).runs
        at = max(bisect.bisect_right(runs, start, key=lambda run: run[0]) - 1, 0)
        for run in following(runs, at):
            if run[0] >= stop:
                break
            if run[1] > start:
                yield run

    def kernel_took(self, task, number, start, amount, who):
        """Whether that was somebody above our tasks, or the share that the kernel takes from
        real-time tasks that have used up theirs."""
        _, prio, pid = who
        own = task.running[0].prio if task.running else None
        if prio is not None and own is not None and prio < own:
            return True
        if amount > KERNEL_TAKES * 3 // 2 or (prio is not None and prio < FAIR_PRIO):
            return False
        window = start - KERNEL_WINDOW
        busy = sum(min(run[1], start) - max(run[0], window)
                   for run in self.runs_between(number, window, start)
                   if run[4] is not None and run[4] < FAIR_PRIO)
        return busy > (KERNEL_WINDOW - KERNEL_TAKES) * 9 // 10

    def check_exec(self, task):
        for job in task.jobs:
            if job.partial or job.exec is None or job.released is None:
                continue
            ran = self.model.executed(task, job.begins(), job.completed)
            off = abs(ran - job.exec)
            self.judge('exec', off, job.completed,
                       f'job {job.index} of {task.label()}: execution time '
                       f'{show(job.exec)} noted, it ran for {show(ran)}', task.cpu, [task],
                       line=job.line)


def check(checker):
    """Fills in the rules about what runs. The trace has sched_switch events."""
    running = Running(checker)
    for task in checker.model.task_list():
        running.check_stop(task)
        running.check_run(task)
        running.check_exec(task)
