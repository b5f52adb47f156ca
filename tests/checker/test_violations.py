# SPDX-License-Identifier: GPL-2.0
"""For each rule a schedule that breaks it, and only it; the checker must say so, and only that."""

import unittest

from common import CheckerTest, T, broken, check
from schedule import (NOTIFY, SPORADIC, THROTTLE, WAKEUP, ZERO, Line, Schedule, Task, ns, recorded,
                      simulated)


def base(switches=False, **options):
    """Two tasks under edf; the first one preempts the second at tick 40."""
    tasks = [Task(1, period=40, wcet=10), Task(2, period=60, deadline=100, wcet=35)]
    return Schedule(tasks, 'edf', ticks=240, switches=switches, **options).run()


def find(lines, name, task=None, count=1, **fields):
    """The place of the count-th such event."""
    for at, line in enumerate(lines):
        if line.name == name and (task is None or line.is_of(task)) and \
                all(line.fields.get(key) == value for key, value in fields.items()):
            count -= 1
            if not count:
                return at
    raise AssertionError(f'no {name} of {task} with {fields}')


def put(lines, line):
    """Puts a line where its time belongs, after those of the same time."""
    at = len([one for one in lines if one.time <= line.time])
    lines.insert(at, line)


def at_tick(line, tick):
    """The same event at another time."""
    line = line.copy()
    line.time = ns(tick)
    if 'now' in line.fields:
        line.fields['now'] = line.time
    return line


def move(lines, at, tick):
    line = at_tick(lines.pop(at), tick)
    put(lines, line)
    return line


class Decisions(CheckerTest):
    def test_base_is_legal(self):
        self.assert_legal(simulated(base()))
        self.assert_legal(simulated(base(True)))

    def test_two_selected(self):
        lines = base()
        # task 2 is preempted at 40; say so 3 ticks late
        at = find(lines, 'resch_deselect', 2, why='preempt')
        move(lines, at, 43)
        checker = self.assert_broken(simulated(lines), 'one-task')
        violation = checker.violations()[0]
        self.assertEqual((violation.time, violation.amount), (ns(40), 3 * T))
        self.assertEqual({task.id for task in violation.tasks}, {1, 2})
        self.assertEqual(violation.cpu, 0)

    def test_two_selected_is_no_matter_of_tolerance(self):
        lines = base()
        move(lines, find(lines, 'resch_deselect', 2, why='preempt'), 43)
        self.assert_broken(simulated(lines), 'one-task', tolerance=100 * T)

    def test_selected_on_two_cpus(self):
        lines = base()
        at = find(lines, 'resch_select', 1)
        twin = lines[at].copy()
        twin.fields['cpu'] = 1
        lines.insert(at + 1, twin)
        off = find(lines, 'resch_deselect', 1)
        twin = lines[off].copy()
        twin.fields['cpu'] = 1
        lines.insert(off + 1, twin)
        # the job is ready on its own CPU only
        self.assert_broken(simulated(lines), 'one-cpu', 'ready')

    def test_running_on_two_cpus(self):
        lines = base(True)
        # while it runs on CPU 0, ticks 0 to 10, CPU 1 says that it runs there too
        for tick, prev, following in ((4, 0, 1001), (8, 1001, 0)):
            put(lines,
                Line(ns(tick), 'sched_switch', 1, cpu=1, prev_comm='x', prev_pid=prev, prev_prio=49,
                     prev_state=0, next_comm='y', next_pid=following, next_prio=49))
        # so it also executed for longer than the engine says
        self.assert_broken(simulated(lines), 'one-cpu', 'exec')

    def test_edf_order(self):
        lines = base()
        # task 1's release at 40 preempts task 2 only at 44
        move(lines, find(lines, 'resch_deselect', 2, why='preempt'), 44)
        move(lines, find(lines, 'resch_select', 1, count=2), 44)
        checker = self.assert_broken(simulated(lines), 'order')
        self.assertEqual(checker.violations()[0].amount, 4 * T)
        self.assert_legal(simulated(lines), tolerance=4 * T)
        self.assert_broken(simulated(lines), 'order', tolerance=4 * T - 1)

    def test_fp_order(self):
        tasks = [Task(1, period=40, wcet=10, priority=2), Task(2, period=60, wcet=20, priority=1)]
        lines = Schedule(tasks, 'fp', ticks=200, switches=False, fp='explicit').run()
        self.assert_legal(simulated(lines), fp='explicit')
        self.assert_broken(simulated(lines), 'order', fp='rm')
        self.assert_broken(simulated(lines), 'order', fp='dm')

    def test_fifo_order(self):
        lines = Schedule([Task(1, period=40, wcet=10), Task(2, period=60, wcet=20, offset=1)],
                         'fifo',
                         ticks=200, switches=False).run()
        self.assert_legal(simulated(lines))
        # from 1 to 6 the job that was released later, then back
        put(lines, at_tick(lines[find(lines, 'resch_deselect', 1)], 3))
        lines[-1 + len([line for line in lines if line.time <= ns(3)])].fields['why'] = 'preempt'
        put(lines, at_tick(lines[find(lines, 'resch_select', 2)], 3))
        off = at_tick(lines[find(lines, 'resch_deselect', 2)], 6)
        off.fields['why'] = 'preempt'
        put(lines, off)
        put(lines, at_tick(lines[find(lines, 'resch_select', 1)], 6))
        self.assert_broken(simulated(lines), 'order')

    def test_the_rule_changes_with_the_plugin(self):
        tasks = [Task(1, period=40, wcet=10), Task(2, period=60, deadline=100, wcet=35)]
        lines = Schedule(tasks, 'fifo', [(60, 0, 'edf')], ticks=240, switches=False).run()
        self.assert_legal(simulated(lines))
        # at 80 task 1 preempts, as edf has it; were fifo still in charge that would be wrong
        lines.pop(find(lines, 'resch_swap'))
        checker = self.assert_broken(simulated(lines), 'order')
        self.assertEqual(checker.violations()[0].time, ns(80))

    def test_swap_from_nowhere(self):
        lines = base()
        put(lines, Line(ns(90), 'resch_swap', 0, domain=1, cpu=0, from_='fifo', to='edf'))
        self.assert_broken(simulated(lines), 'swap')

    def test_nobody_selected(self):
        lines = base()
        move(lines, find(lines, 'resch_select', 1, count=2), 43)
        checker = self.assert_broken(simulated(lines), 'idle')
        self.assertEqual(checker.violations()[0].amount, 3 * T)

    def test_never_selected(self):
        lines = [line for line in base() if line.name not in ('resch_select', 'resch_deselect')]
        self.assert_broken(simulated(lines), 'idle')

    def test_selected_without_a_job(self):
        lines = base()
        # for two ticks after its job was done, while nobody else is ready
        at = next(at for at, line in enumerate(lines) if line.name == 'resch_deselect'
                  and lines[at + 1].time > line.time + 2 * T)
        line = lines.pop(at)
        put(lines, at_tick(line, (line.time - ZERO) // T + 2))
        self.assert_broken(simulated(lines), 'ready')


class JobsOfTasks(CheckerTest):
    def test_completion_lost(self):
        lines = base()
        lines.pop(find(lines, 'resch_complete', 1, count=2))
        # nothing says that the job stopped being ready
        self.assert_broken(simulated(lines), 'jobs', 'idle', 'order')

    def test_release_lost(self):
        lines = [line for line in base() if line.is_of(1)]
        begin = find(lines, 'resch_release', count=3)
        gone = [at for at, line in enumerate(lines) if line.fields.get('job') == 3]
        self.assertIn(begin, gone)
        self.assert_broken(simulated([line for at, line in enumerate(lines) if at not in gone]),
                           'jobs', 'release')

    def test_completed_twice(self):
        lines = base()
        at = find(lines, 'resch_complete', 1)
        lines.insert(at + 1, lines[at].copy())
        self.assert_broken(simulated(lines), 'jobs')

    def test_first_number(self):
        lines = base()
        for line in lines:
            if line.is_of(2) and 'job' in line.fields:
                line.fields['job'] += 4
        self.assert_broken(simulated(lines), 'jobs')

    def test_number_skipped(self):
        lines = base()
        for line in lines:
            if line.is_of(1) and line.fields.get('job', 0) >= 3:
                line.fields['job'] += 1
        self.assert_broken(simulated(lines), 'jobs')

    def test_event_of_another_job(self):
        lines = base()
        lines[find(lines, 'resch_complete', 1, count=2)].fields['job'] = 7
        self.assert_broken(simulated(lines), 'jobs')

    def test_job_after_detach(self):
        lines = base()
        for task in (1, 2):
            put(lines, Line(ns(5), 'resch_detach', 0, id=task, pid=1000 + task, cpu=0, why='asked'))
        self.assertIn('jobs', broken(check(simulated(lines))))


class Releases(CheckerTest):
    def one(self, **options):
        return Schedule([Task(1, period=40, wcet=10, **options)], ticks=240, switches=False).run()

    def shift(self, lines, job, field, ticks):
        for line in lines:
            if line.fields.get('job') == job and field in line.fields:
                line.fields[field] += ticks * T

    def test_late(self):
        lines = self.one()
        for name in ('resch_release', 'resch_select'):
            move(lines, find(lines, name, 1, count=3), 83)
        checker = self.assert_broken(simulated(lines), 'release')
        self.assertEqual(checker.violations()[0].amount, 3 * T)
        self.assert_legal(simulated(lines), tolerance=3 * T)

    def test_early(self):
        lines = self.one()
        for name in ('resch_release', 'resch_select'):
            move(lines, find(lines, name, 1, count=3), 78)
        self.assert_broken(simulated(lines), 'release', tolerance=20 * T)

    def test_drift(self):
        lines = self.one()
        # from the third job on all nominal releases lie one tick later
        for line in lines:
            if line.fields.get('job', 0) >= 3:
                if 'release' in line.fields:
                    line.fields['release'] += T
                    line.fields['deadline'] += T
                line.time += T
                line.fields['now'] += T
        checker = self.assert_broken(simulated(lines), 'release')
        self.assertEqual(len(checker.violations()), 1)

    def test_tolerance_does_not_excuse_drift(self):
        lines = self.one()
        self.shift(lines, 3, 'release', -1)
        self.shift(lines, 3, 'deadline', -1)
        self.assert_broken(simulated(lines), 'release', tolerance=10 * T)

    def test_skipped_without_saying_so(self):
        lines = Schedule([Task(1, period=40, wcet=30, miss=3), Task(2, period=50, wcet=30, miss=3)],
                         ticks=900, switches=False).run()
        self.assert_legal(simulated(lines))
        at = next(at for at, line in enumerate(lines) if line.name == 'resch_release'
                  and line.fields['value'])
        lines[at].fields['value'] -= 1
        self.assert_broken(simulated(lines), 'release')

    def test_sporadic_too_often(self):
        lines = self.one(kind=SPORADIC, arrivals=[0, 45, 120])
        self.assert_legal(simulated(lines))
        lines[0].fields['period'] = 60 * T
        lines[0].fields['deadline'] = 40 * T
        self.assert_broken(simulated(lines), 'release')

    def test_deadline(self):
        lines = self.one()
        self.shift(lines, 4, 'deadline', 2)
        checker = self.assert_broken(simulated(lines), 'deadline')
        self.assertEqual(checker.violations()[0].amount, 2 * T)

    def test_replenished_job_moves_by_a_period(self):
        tasks = [Task(1, period=40, wcet=10, overrun=THROTTLE,
                      work=lambda job: 25 if job == 2 else 8)]
        lines = Schedule(tasks, ticks=300, switches=False).run()
        self.assert_legal(simulated(lines))
        at = find(lines, 'resch_budget')
        for line in lines[at:]:
            if line.fields.get('job') == 2 and 'deadline' in line.fields:
                line.fields['deadline'] += 5 * T
        checker = self.assert_broken(simulated(lines), 'deadline')
        self.assertIn('replenishment', checker.violations()[0].text)

    def wakeup(self, arrivals, work):
        tasks = [Task(1, period=50, wcet=20, kind=WAKEUP, arrivals=arrivals, work=work)]
        return Schedule(tasks, ticks=200, switches=False).run()

    def test_wakeup_deadline_kept_too_long(self):
        # 5 of 20 used up at 5, waking at 10: 15 left exceed the share of 40 * 20 / 50 = 16? no:
        # kept
        lines = self.wakeup([0, 10], lambda job: 5)
        self.assertEqual(lines[find(lines, 'resch_release', count=2)].fields['deadline'], ns(50))
        self.assert_legal(simulated(lines))
        # at 20 it would be 15 against 12: the deadline must be a fresh one
        lines = self.wakeup([0, 20], lambda job: 5)
        self.assertEqual(lines[find(lines, 'resch_release', count=2)].fields['deadline'], ns(70))
        for line in lines:
            if line.fields.get('job') == 2 and 'deadline' in line.fields:
                line.fields['deadline'] = ns(50)
        self.assert_broken(simulated(lines), 'deadline')

    def test_wakeup_deadline_renewed_too_early(self):
        lines = self.wakeup([0, 10], lambda job: 5)
        for line in lines:
            if line.fields.get('job') == 2 and 'deadline' in line.fields:
                line.fields['deadline'] = ns(60)
        self.assert_broken(simulated(lines), 'deadline')

    def test_wakeup_deadline_from_nowhere(self):
        lines = self.wakeup([0, 10], lambda job: 5)
        for line in lines:
            if line.fields.get('job') == 2 and 'deadline' in line.fields:
                line.fields['deadline'] = ns(55)
        self.assert_broken(simulated(lines), 'deadline')


class Misses(CheckerTest):
    def late(self, **options):
        return Schedule([Task(1, period=40, deadline=12, wcet=10,
                              work=lambda job: 15 if job == 3 else 9,
                              **options)], ticks=240, switches=False).run()

    def test_not_noted(self):
        for options in ({}, {'miss': NOTIFY}):
            lines = self.late(**options)
            self.assert_legal(simulated(lines))
            lines.pop(find(lines, 'resch_miss'))
            self.assert_broken(simulated(lines), 'miss')

    def test_noted_without_need(self):
        lines = self.late()
        at = find(lines, 'resch_complete', count=2)
        line = lines[at].copy()
        line.name, line.fields['value'] = 'resch_miss', 0
        line.time = line.fields['now'] = line.fields['deadline']
        put(lines, line)
        self.assert_broken(simulated(lines), 'miss')

    def test_noted_before_the_deadline(self):
        lines = self.late(miss=NOTIFY)
        move(lines, find(lines, 'resch_miss'), 80 + 11)
        self.assert_broken(simulated(lines), 'miss')

    def test_wrong_tardiness(self):
        lines = self.late()
        lines[find(lines, 'resch_miss')].fields['value'] += 1
        self.assert_broken(simulated(lines), 'miss')

    def test_noted_twice(self):
        lines = self.late()
        at = find(lines, 'resch_miss')
        lines.insert(at, lines[at].copy())
        self.assert_broken(simulated(lines), 'miss')


class Budgets(CheckerTest):
    def tasks(self, overrun):
        return [Task(1, period=40, wcet=10, overrun=overrun,
                     work=lambda job: 14 if job == 2 else 9)]

    def test_overrun_not_noted(self):
        lines = Schedule(self.tasks(0), ticks=240, switches=False).run()
        self.assert_legal(simulated(lines))
        lines.pop(find(lines, 'resch_overrun'))
        self.assert_broken(simulated(lines), 'budget')

    def test_overrun_noted_too_early(self):
        lines = Schedule(self.tasks(NOTIFY), ticks=240, switches=False).run()
        at = find(lines, 'resch_overrun')
        lines[at].fields['value'] -= 2 * T
        self.assert_broken(simulated(lines), 'budget')

    def test_throttle_that_does_not_throttle(self):
        for switches in (False, True):
            lines = Schedule(self.tasks(0), ticks=240, switches=switches).run()
            lines[0].fields['overrun'] = THROTTLE
            checker = self.assert_broken(simulated(lines), 'budget')
            self.assertEqual(checker.violations()[0].amount, 4 * T)
            self.assert_legal(simulated(lines), tolerance=4 * T)

    def test_stopped_job_is_let_off(self):
        """It goes on without a new budget, and is not complete when the recording ends."""
        lines = Schedule(self.tasks(THROTTLE), ticks=240, switches=False).run()
        self.assert_legal(simulated(lines))
        at = find(lines, 'resch_budget')
        woken = find(lines, 'resch_select', now=lines[at].fields['now'])
        goes_on = lines[:woken + 1]
        self.assert_legal(simulated(goes_on))
        goes_on.pop(at)
        self.assert_broken(simulated(goes_on), 'budget')


class Kernel(CheckerTest):
    """What the recorder saw of the kernel is not what the engine decided."""

    def switch(self, tick, cpu, prev, following, prio=49):
        return Line(ns(tick), 'sched_switch', cpu, cpu=cpu, prev_comm=f'p{prev}', prev_pid=prev,
                    prev_prio=49, prev_state=0, next_comm=f'p{following}', next_pid=following,
                    next_prio=prio)

    def test_goes_on_running(self):
        lines = base(True)
        # task 2 is preempted at 40 and leaves the CPU at 45
        at = find(lines, 'sched_switch', prev_pid=1002, next_pid=1001)
        self.assertEqual(lines[at].time, ns(40))
        move(lines, at, 45)
        checker = self.assert_broken(simulated(lines), 'stop', 'run', 'exec')
        stop = checker.rules['stop'].violations[0]
        self.assertEqual((stop.tasks[0].id, stop.amount), (2, 5 * T))
        self.assertEqual(checker.rules['run'].violations[0].amount, 5 * T)
        self.assert_legal(simulated(lines), tolerance=5 * T)

    def test_goes_on_as_an_ordinary_thread(self):
        """It was demoted before; what the kernel gives ordinary threads is not for us to judge."""
        lines = base(True)
        at = find(lines, 'sched_switch', prev_pid=1002, next_pid=1001)
        move(lines, at, 45)
        for line in lines:
            for side in ('prev', 'next'):
                if line.fields.get(f'{side}_pid') == 1002:
                    line.fields[f'{side}_prio'] = 120
        checker = check(simulated(lines))
        self.assertNotIn('stop', broken(checker))
        self.assertIn(('kernel', 2), {(note.kind, note.tasks[0].id) for note in checker.notes})

    def test_stays_in_the_kernel(self):
        lines = base(True)
        move(lines, find(lines, 'sched_switch', prev_pid=1002, next_pid=1001), 45)
        put(lines, Line(ns(43), 'resch_escalate', 0, id=2, pid=1002, cpu=0, job=1, release=ns(0),
                        deadline=ns(100), now=ns(43), value=3 * T))
        # the engine has noticed, and could do no more: that is blocking, for both of them
        checker = self.assert_broken(simulated(lines), 'exec')
        self.assertEqual({(note.kind, note.tasks[0].id) for note in checker.notes},
                         {('blocking', 1), ('blocking', 2)})

    def test_runs_between_jobs(self):
        lines = base(True)
        # CPU idle, nobody selected: and yet task 1 gets the CPU for 2 ticks
        idle = next(line for at, line in enumerate(lines) if line.name == 'sched_switch'
                    and line.fields['next_pid'] == 0)
        tick = (idle.time - ZERO) // T
        put(lines, self.switch(tick + 1, 0, 0, 1001))
        put(lines, self.switch(tick + 3, 0, 1001, 0))
        self.assert_broken(simulated(lines), 'stop')

    def test_selected_and_not_running(self):
        lines = base(True)
        # somebody else, an ordinary program, has the CPU from 2 to 6, while task 1 is selected
        put(lines, self.switch(2, 0, 1001, 77, 120))
        put(lines, self.switch(6, 0, 77, 1001))
        checker = self.assert_broken(simulated(lines), 'run', 'exec')
        self.assertIn('p77', checker.rules['run'].violations[0].text)

    def test_gives_its_policy_up(self):
        for left, kinds in ((120, ['policy']), (49, [])):
            lines = base(True)
            # task 1 leaves the CPU to somebody as the ordinary thread that it has made itself, or
            # not
            leaves = self.switch(2, 0, 1001, 77, 120)
            leaves.fields['prev_prio'] = left
            put(lines, leaves)
            put(lines, self.switch(6, 0, 77, 1001))
            lines[find(lines, 'resch_complete', 1)].fields['value'] -= 4 * T
            if kinds:
                checker = self.assert_legal(simulated(lines))
            else:
                checker = self.assert_broken(simulated(lines), 'run')
            self.assertEqual([note.kind for note in checker.notes], kinds)

    def test_somebody_above_all_tasks(self):
        lines = base(True)
        put(lines, self.switch(2, 0, 1001, 77, 0))
        put(lines, self.switch(6, 0, 77, 1001))
        at = find(lines, 'resch_complete', 1)
        lines[at].fields['value'] -= 4 * T
        checker = self.assert_legal(simulated(lines))
        self.assertEqual([note.kind for note in checker.notes], ['kernel'])

    def test_execution_time(self):
        lines = base(True)
        lines[find(lines, 'resch_complete', 2)].fields['value'] -= 3 * T
        self.assert_broken(simulated(lines), 'exec')
        self.assert_legal(simulated(lines), tolerance=3 * T)

    def test_recorded_long_after(self):
        lines = base()
        at = find(lines, 'resch_complete', 1, count=3)
        lines[at].time += 2 * T
        lines[at].fields['now'] = lines[at].time - 2 * T
        lines.sort(key=lambda line: line.time)
        checker = self.assert_broken(recorded(lines), 'clock')
        self.assertEqual(checker.rules['clock'].worst, 2 * T)


if __name__ == '__main__':
    unittest.main()
