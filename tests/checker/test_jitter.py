# SPDX-License-Identifier: GPL-2.0
"""resch-check --jitter: delays that were put in are what comes out."""

import json
import os
import subprocess
import tempfile
import unittest

from common import CHECK, CheckerTest, T, check
from reschtrace import figures, measure
from schedule import Schedule, Task, recorded, simulated
from slotted import Slots, Slotted
from test_plans_legal import RESERVES, split_set

US = 1000


def delayed(lines, by):
    """`by`: name of an event -> how late it is recorded, ns. What is late moves behind what it
    depends on."""
    for line in lines:
        line.time += by.get(line.name, 0)
    lines.sort(key=lambda line: line.time)
    return lines


def row(found, kind):
    return figures.row([found[kind]]).values


class Measured(CheckerTest):
    def measure(self, by, **options):
        lines = Slotted(*split_set(), [Slots(20, RESERVES)], 'npsf', ticks=400, **options).run()
        checker = check(recorded(delayed(lines, by)), tolerance=T)
        self.assertEqual(checker.verdict(), 'legal', self.complain(checker))
        return measure.Measured(checker.model).measures

    def test_nothing_late(self):
        found = self.measure({})
        self.assertEqual([row(found, kind)[0] for kind in ('ResJ', 'RelJ', 'HandJ')], [0, 0, 0])
        self.assertEqual(row(found, 'CtswJ'), (None,) * 4)

    def test_each_is_what_it_is(self):
        found = self.measure({'resch_release': 3 * US, 'resch_select': 4 * US,
                              'sched_switch': 9 * US})
        self.assertEqual(row(found, 'RelJ'), (3 * US,) * 4)
        self.assertEqual(row(found, 'CtswJ'), (5 * US,) * 4)
        self.assertEqual(row(found, 'ResJ'), (9 * US,) * 4)

    def test_reserves_of_a_split_task_on_both_cpus(self):
        found = self.measure({})
        task = next(task for task in found['ResJ'].by_task() if task.id == 2)
        begins = [span.start for span in task.selected if any(
            one.start <= span.start - 1 < one.end for one in task.ready)]
        self.assertEqual({span.cpu for span in task.selected}, {0, 1})
        # those that its job waited for, and those that began as it was released
        self.assertGreaterEqual(len(found['ResJ'].by_task()[task]), len(begins))

    def test_without_plans(self):
        checker = check(recorded(delayed(Schedule([Task(1), Task(2, period=70)]).run(),
                                         {'sched_switch': US})),
                        tolerance=T)
        found = measure.Measured(checker.model).measures
        self.assertEqual((row(found, 'ResJ'), found['ResJ'].missing),
                         ((None,) * 4, 'no plan was recorded'))
        self.assertEqual(row(found, 'CtswJ')[0], US)

    def test_buckets(self):
        self.assertEqual(figures.buckets([]), [])
        self.assertEqual(figures.buckets([0, 99, 100, 450]),
                         [(0, 100, 2), (100, 200, 1), (200, 500, 1)])
        self.assertEqual(figures.buckets([3000, 10 ** 11])[0], (2000, 5000, 1))
        self.assertEqual(figures.buckets([3000, 10 ** 11])[-1], (5 * 10 ** 9, None, 1))


class Program(CheckerTest):
    def run_check(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'trace.txt')
            with open(path, 'w') as file:
                file.write('\n'.join(simulated(Slotted(*split_set(), [Slots(20, RESERVES)]).run())))
            done = subprocess.run(['/usr/bin/python3', CHECK, *options, path],
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return done.stdout

    def test_tables(self):
        text = self.run_check('--jitter')
        for figure in ('8.824', '31.834', '2.218', '48.087', '37.264', '9.743', 'Tables 2 and 5',
                       't2/2  0+1'):
            self.assertIn(figure, text)
        self.assertNotIn('#', text)
        self.assertIn('verdict: legal', text)

    def test_histogram(self):
        self.assertIn('ResJ (reserve jitter), µs\n        0 - 0.1',
                      self.run_check('--histogram', '-q'))

    def test_json(self):
        found = json.loads(self.run_check('--json', '--jitter'))
        self.assertEqual(found['jitter']['ResJ']['max_ns'], 0)
        self.assertEqual(found['jitter']['ResJ']['paper_us']['4 cores'][0], 8.824)
        self.assertNotIn('histogram', found['jitter']['ResJ'])
        self.assertEqual(found['plans'][0]['reserves'][0],
                         {'cpu': 0, 'begin_ns': 0, 'end_ns': 12 * T, 'group': 1})
        self.assertEqual(found['handovers'], [])
        self.assertNotIn('jitter', json.loads(self.run_check('--json')))


if __name__ == '__main__':
    unittest.main()
