# SPDX-License-Identifier: GPL-2.0
"""Legal schedules are found legal, whatever they are made of."""

import random
import unittest

from common import CheckerTest, T, check
from schedule import (COUNT, NOTIFY, SKIP, SPORADIC, THROTTLE, WAKEUP, Schedule, Task,
                      random_schedule, recorded, simulated)


class Plugins(CheckerTest):
    def tasks(self):
        return [Task(1, period=40, wcet=10, priority=3), Task(2, period=60, wcet=15, priority=1),
                Task(3, period=100, deadline=35, wcet=20, priority=2)]

    def test_edf(self):
        checker = self.assert_legal(simulated(Schedule(self.tasks(), 'edf').run()))
        self.assertGreater(checker.rules['order'].checked, 40)
        self.assertEqual(checker.rules['order'].worst, 0)

    def test_fp_in_all_orders(self):
        for order in ('dm', 'rm', 'explicit'):
            lines = simulated(Schedule(self.tasks(), 'fp', fp=order).run())
            self.assert_legal(lines, fp=order)

    def test_fp_orders_differ(self):
        lines = simulated(Schedule(self.tasks(), 'fp', fp='explicit').run())
        self.assert_broken(lines, 'order', fp='rm')

    def test_fifo(self):
        self.assert_legal(simulated(Schedule(self.tasks(), 'fifo').run()))

    def test_plugins_are_not_the_same(self):
        lines = simulated(Schedule(self.tasks(), 'fifo').run())
        self.assert_broken(lines, 'order', fifo='edf')
        self.assert_broken(lines, 'order', fifo='dm')

    def test_swaps(self):
        swaps = [(150, 0, 'fp'), (410, 0, 'fifo'), (700, 0, 'edf')]
        checker = self.assert_legal(simulated(Schedule(self.tasks(), 'edf', swaps).run()))
        self.assertEqual(len(checker.model.swaps), 3)

    def test_swaps_of_one_of_two_cpus(self):
        tasks = self.tasks() + [Task(4, 1, 50, wcet=20), Task(5, 1, 70, wcet=30)]
        lines = simulated(Schedule(tasks, 'edf', [(300, 1, 'fifo')]).run())
        self.assert_legal(lines)

    def test_unknown_plugin_is_said(self):
        lines = [line.replace('plugin=edf', 'plugin=mine')
                 for line in simulated(Schedule(self.tasks(), 'edf').run())]
        checker = self.assert_legal(lines)
        self.assertEqual(checker.unordered, {'mine'})
        self.assertEqual(checker.rules['order'].checked, 0)
        self.assert_legal(lines, mine='edf')


class Jobs(CheckerTest):
    def test_overload_with_misses(self):
        tasks = [Task(1, period=40, wcet=30), Task(2, period=50, wcet=30)]
        checker = self.assert_legal(simulated(Schedule(tasks).run()))
        self.assertGreater(sum(len(job.misses) for job in checker.model.tasks[2].jobs), 5)

    def test_misses_noted_at_the_deadline(self):
        tasks = [Task(1, period=40, wcet=30, miss=NOTIFY), Task(2, period=50, wcet=30, miss=NOTIFY)]
        self.assert_legal(simulated(Schedule(tasks).run()))

    def test_skipped_releases(self):
        tasks = [Task(1, period=40, wcet=30, miss=SKIP), Task(2, period=50, wcet=30, miss=SKIP)]
        checker = self.assert_legal(simulated(Schedule(tasks).run()))
        self.assertGreater(sum(job.skipped for task in checker.model.tasks.values()
                               for job in task.jobs), 3)

    def test_blocking(self):
        tasks = [Task(1, period=40, wcet=12, blocks=lambda job: (4, 9)),
                 Task(2, period=90, wcet=40, blocks=lambda job: (11, 3))]
        self.assert_legal(simulated(Schedule(tasks).run()))

    def test_overruns_counted(self):
        tasks = [Task(1, period=40, wcet=10, overrun=COUNT, work=lambda job: 8 + job % 5)]
        checker = self.assert_legal(simulated(Schedule(tasks).run()))
        self.assertGreater(sum(len(job.overruns) for job in checker.model.tasks[1].jobs), 5)

    def test_throttled_jobs_take_over_releases(self):
        tasks = [Task(1, period=40, wcet=10, overrun=THROTTLE,
                      work=lambda job: 25 if job % 3 else 8),
                 Task(2, period=60, wcet=20)]
        checker = self.assert_legal(simulated(Schedule(tasks).run()))
        self.assertGreater(sum(len(job.moves) for job in checker.model.tasks[1].jobs), 5)

    def test_sporadic(self):
        tasks = [Task(1, period=40, wcet=12, kind=SPORADIC, arrivals=[3, 50, 60, 70, 300, 301])]
        self.assert_legal(simulated(Schedule(tasks).run()))

    def test_wakeup_keeps_and_renews_deadlines(self):
        tasks = [Task(1, period=50, wcet=20, kind=WAKEUP, arrivals=list(range(5, 900, 9)),
                      work=lambda job: 1 + job % 5),
                 Task(2, period=30, wcet=10)]
        checker = self.assert_legal(simulated(Schedule(tasks).run()))
        jobs = checker.model.tasks[1].jobs
        kept = [job for job in jobs[1:] if job.first_deadline == job.previous.deadline]
        self.assertTrue(0 < len(kept) < len(jobs) - 1)


class Endings(CheckerTest):
    """Traces that begin, or end, in the middle of things."""

    def lines(self):
        tasks = [Task(1, period=40, wcet=10),
                 Task(2, period=60, wcet=25, blocks=lambda job: (5, 8))]
        return simulated(Schedule(tasks, 'edf').run())

    def test_every_beginning(self):
        lines = self.lines()
        for start in range(0, len(lines) - 20, 3):
            self.assert_legal(lines[start:], edf='edf')

    def test_every_end(self):
        lines = self.lines()
        for end in range(3, len(lines), 3):
            self.assert_legal(lines[:end])

    def test_detach_with_a_job_under_way(self):
        lines = self.lines()
        for at in range(20, len(lines), 7):
            time = lines[at].split()[0]
            rest = [line for line in lines[:at] if int(line.split()[0]) < int(time)]
            rest.append(f'{time} resch_detach id=1 pid=1001 cpu=0 why=exit')
            rest.append(f'{time} resch_detach id=2 pid=1002 cpu=0 why=asked')
            self.assert_legal(rest)


class Random(CheckerTest):
    def test_simulated(self):
        for seed in range(100):
            rng = random.Random(seed)
            fp = rng.choice(('dm', 'rm', 'explicit'))
            lines = random_schedule(rng, cpus=rng.choice((1, 2)),
                                    switches=rng.random() < 0.6, fp=fp)
            with self.subTest(seed=seed):
                self.assert_legal(simulated(lines), fp=fp)

    def test_recorded_a_little_late(self):
        for seed in range(60):
            rng = random.Random(seed)
            lines = random_schedule(rng, cpus=2)
            with self.subTest(seed=seed):
                # each of the switches that an execution time is made of may be late
                self.assert_legal(recorded(lines, rng, T // 20), tolerance=T * 3 // 4)

    def test_recorded_text_is_seen_as_such(self):
        rng = random.Random(1)
        checker = check(recorded(random_schedule(rng)))
        self.assertTrue(checker.model.trace.recorded)


if __name__ == '__main__':
    unittest.main()
