#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""KernelShark with the plugin, in a window that nobody sees: schedules of the simulator are drawn
where they should be.
"""

import os
import sys
import time
import unittest

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
sys.dont_write_bytecode = True
sys.path[:0] = [TOP + '/tools/demo', TOP + '/tests/kernelshark']

import hidden  # noqa: E402
from looking import ARROW, BAND, BLUE, BOX, COLOURS, GREEN, RED, Looking  # noqa: E402
from schedules import MS, SETS, Schedule  # noqa: E402

SHOWN = {'plan': ['--cpu', '0,1', '--pid', '1,2,3'], 'servers': ['--cpu', '0', '--pid', '1,2,3'],
         'swap': ['--cpu', '0', '--task', 'fast,slow'], 'chain': ['--cpu', '0,1', '--pid', '1,2,3']}


class Pictures(Looking):
    @classmethod
    def opened(cls, folder):
        return {name: Schedule(folder, name) for name in SETS}, SHOWN

    def test_without(self):
        for colour in (BLUE, RED, GREEN):
            self.assertEqual(self.plain.count(colour), 0)

    def test_jobs_and_reserves(self):
        def check(graph):
            for lane, ident in ((2, 1), (3, 2), (4, 3)):
                self.jobs_drawn(graph, lane, ident)
            for lane, group, middle in ((0, 1, 0.6), (0, 2, 1.6), (1, 2, 0.3), (1, 3, 1.3)):
                times = [at * 2 * MS + round(middle * MS)
                         for at in range(graph.schedule.last // (2 * MS) - 1)]
                self.most([graph.near(lane, BAND, at, COLOURS[group], wide=1, high=1)
                           for at in times], 0.95,
                          f'reserves of group {group} on CPU {lane}')

        graph = self.look('plan', check)
        # Nothing of that elsewhere: no reserve on lanes of tasks, no job on those of CPUs.
        self.assertFalse(any(graph.near(0, 0.4, event['now'], BLUE, wide=0)
                             for event in graph.schedule.of('complete')))
        self.assertFalse(any(graph.near(2, BAND, at * 2 * MS + 600000, COLOURS[1], high=0)
                             for at in range(100)))

    def test_misses_and_budgets(self):
        schedule = self.schedules['servers']
        missed = schedule.of('miss', id=2)
        self.assertGreaterEqual(len(missed), 3)
        self.assertFalse(schedule.of('miss', id=1))
        # Half of 4 ms is left after 2 ms.
        half = [event['now'] - 2 * MS for event in schedule.of('complete', id=1)]
        new = [event['now'] for event in schedule.of('server', server=2)
               if event['left'] == 10 * MS]

        def check(graph):
            self.jobs_drawn(graph, 1, 1)
            self.assertTrue(all(graph.near(2, BOX / 2, event['deadline'], RED) for event in missed))
            self.most([graph.near(0, ARROW / 2, at, COLOURS[1], wide=1) for at in half], 0.9,
                      'budgets of server 1')
            self.most([graph.near(0, ARROW, at, COLOURS[2]) for at in new], 0.9,
                      'budgets of server 2')

        graph = self.look('servers', check)
        self.assertFalse(any(graph.near(1, BOX / 2, event['deadline'], RED)
                             for event in schedule.of('release', id=1)))

    def test_swap(self):
        swap, = self.schedules['swap'].of('swap')

        def check(graph):
            self.assertTrue(graph.near(0, 1.1, swap.time, BLUE))
            self.jobs_drawn(graph, 1, 1)

        graph = self.look('swap', check)
        self.assertFalse(graph.near(0, 1.1, swap.time - 20 * MS, BLUE, wide=20))

    def test_chains(self):
        steps = [event for event in self.schedules['chain'].of('chain', stage=0)
                 if event['what'] & 1]
        self.assertGreater(len(steps), 4)

        def check(graph):
            # From the lane of stage 0 to that of stage 1: below the one, above the other.
            for event in steps:
                self.assertTrue(graph.near(3, 1.3, event['now'],
                                           COLOURS[event['instance'] % len(COLOURS)], wide=4),
                                event)

        self.look('chain', check)

    @staticmethod
    def open_menu(shark, graph):
        """The last of the menus is ours."""
        dark = [x for x in range(0, shark.width)
                if any(sum(graph.picture.at(x, y)) < 200 for y in range(2, 16))]
        before = graph.picture.row(graph.axis, 0, shark.width)
        shark.click(dark[-1] - 8, 8)
        end = time.monotonic() + hidden.LONG
        while shark.picture().row(graph.axis, 0, shark.width) == before and time.monotonic() < end:
            time.sleep(0.3)

    def test_options(self):
        """The first option of the menu are the jobs."""
        with hidden.Hidden(self.arguments('plan')) as shark:
            graph = self.await_picture(shark, 'plan',
                                       lambda graph: self.jobs_drawn(graph, 2, 1), '-before')
            blue, green = graph.count(BLUE), graph.count(GREEN)
            self.assertGreater(blue, 1000)
            self.open_menu(shark, graph)
            shark.tell('key', 'Down')
            shark.tell('key', 'Return')
            graph = self.await_picture(shark, 'plan',
                                       lambda graph: self.assertEqual(graph.count(GREEN), green),
                                       '-without-jobs')
            self.await_picture(shark, 'plan',
                               lambda graph: self.assertLess(graph.count(BLUE), blue // 10),
                               '-without-jobs')

    def test_lanes_and_double_click(self):
        """Opened without a word on lanes, it shows CPUs only; the menu's last entry brings those of
        tasks."""
        event = self.schedules['plan'].of('complete', id=1)[9]
        with hidden.Hidden(['-p', 'resch', '-i', self.schedules['plan'].path]) as shark:
            graph = self.await_picture(shark, 'plan',
                                       lambda graph: self.assertTrue(graph.count(COLOURS[1])),
                                       '-opened')
            self.open_menu(shark, graph)
            shark.tell('key', 'Up')
            shark.tell('key', 'Return')
            graph = self.await_picture(shark, 'plan',
                                       lambda graph: self.jobs_drawn(graph, 2, 1), '-lanes')
            shark.click(graph.column((event['release'] + event['now']) // 2),
                        graph.row(2, 0.6), times=2)
            shark.wait_window(f'^a/1, job {event["job"]}$')
            shark.settle().write(os.environ.get('PICTURES', '/tmp') + '/plan-numbers.png')


    def test_demo_command(self):
        """`make kernelshark` finds the lanes by itself, and compiles the plugin."""
        with hidden.Hidden(['-s', '-C', TOP, 'kernelshark', 'TRACE=' + self.schedules['swap'].path],
                           command='make') as shark:
            self.await_picture(shark, 'swap',
                               lambda graph: (self.jobs_drawn(graph, 1, 1),
                                              self.jobs_drawn(graph, 2, 2)), '-command')


if __name__ == '__main__':
    unittest.main(verbosity=2)
