#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""KernelShark with the plugin, in a window that nobody sees: schedules of the simulator are drawn
where they should be.

Environment: RESCH_SIM, the simulator; PICTURES, a folder for what was seen. The plugin is installed
where KernelShark looks.
"""

import os
import subprocess
import sys
import tempfile
import time
import unittest

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
sys.dont_write_bytecode = True
sys.path[:0] = [TOP + '/tools/demo', TOP + '/tests/checker', TOP + '/tools/trace']

import hidden  # noqa: E402
import trace_dat  # noqa: E402
from reschtrace import read  # noqa: E402

MS = 1000000
# draw.cpp's
BLUE, RED, GREEN, ORANGE = (31, 95, 160), (214, 0, 0), (0, 120, 40), (230, 120, 0)
COLOURS = [(86, 180, 233), (230, 159, 0), (0, 158, 115), (204, 121, 167), (240, 228, 66),
           (0, 114, 178)]
BOX, ARROW, BAND = 0.75, 0.95, 0.9
BLACK = (0, 0, 0)

SETS = {
    'plan':
    ('name,period,deadline,wcet,group,kind\na,10300us,10300us,4ms,1,periodic\nb,9700us,9700us,4500us,2,periodic\n'
     'c,12100us,12100us,5ms,3,sporadic\n'),
    'servers': ('name,period,wcet,max_exec,group\ncontrol,20ms,4ms,4ms,1\ngreedy,40ms,20ms,60ms,2\n'
                'other,50ms,3ms,3ms,2\n'),
    'swap': 'name,period,wcet\nfast,10ms,4900us\nslow,14ms,6100us\n',
    'chain':
    ('chain,period,deadline,protocol,stage,wcet,bcet,cpu,priority\nT,30ms,30ms,rg,a,5ms,5ms,0,1\nT,,,,b,6ms,6ms,1,1\n'
     'T,,,,c,7ms,7ms,0,2\n'),
}
MORE = {'plan':
        'slot, 2ms\nfrom, 0\n1, 0, 0, 1.2ms\n2, 0, 1.2ms, 2ms\n2, 1, 0, 0.6ms\n3, 1, 0.6ms, 2ms\n',
        'servers': 'cbs-hard, 4ms, 20ms, edf\ncbs, 10ms, 20ms, rr, , 500us\n'}
OPTIONS = {'plan': ['-p', 'npsf', '-c', '2', '-t', '300ms', '--plan'],
           'servers': ['-p', 'server', '--force', '-t', '300ms', '--servers'],
           'swap': ['-p', 'edf', '--force', '-t', '280ms', '--swap', 'fp@140ms'],
           'chain': ['--protocol', 'rg', '-t', '200ms', '--chains']}
SHOWN = {'plan': ['--cpu', '0,1', '--pid', '1,2,3'], 'servers': ['--cpu', '0', '--pid', '1,2,3'],
         'swap': ['--cpu', '0', '--task', 'fast,slow'], 'chain': ['--cpu', '0,1', '--pid', '1,2,3']}


class Schedule:
    """A recording of one of SETS; `events`: what is in it."""

    def __init__(self, folder, name):
        files = []
        for kind, text in (('more', MORE.get(name)), ('set', SETS[name])):
            if text:
                files.append(f'{folder}/{name}.{kind}.csv')
                with open(files[-1], 'w', encoding='utf-8') as file:
                    file.write(text)
        self.path = f'{folder}/{name}.dat'
        # 1: somebody was late
        done = subprocess.run([os.environ['RESCH_SIM'], '--trace', self.path + '.txt',
                               *OPTIONS[name], *files],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)
        assert done.returncode in (0, 1), done.stderr
        with open(self.path + '.txt', encoding='utf-8') as file:
            lines = file.readlines()
        self.events = [item for item in read.Lines(lines) if isinstance(item, read.Event)]
        trace_dat.write(lines, self.path)
        self.first, self.last = max(self.events[0].time,
                                    1), max(event.time for event in self.events)

    def of(self, name, **fields):
        return [event for event in self.events if event.name == 'resch_' + name and
                all(event.get(key) == value for key, value in fields.items())]


class Graph:
    """The lanes of a picture, the whole recording from left to right."""

    first_lane = height = None   # below the axis; they are the same in all pictures

    def __init__(self, schedule, picture):
        self.schedule, self.picture = schedule, picture
        axis = hidden.axis(picture)
        assert axis, 'no axis in the picture'
        self.axis, self.left, self.right = axis

    def learn(self):
        """Where lanes are, from one whose base lines are to be seen."""
        black = [self.picture.row(y, self.left, self.right).count(BLACK) >
                 (self.right - self.left) // 6
                 for y in range(self.axis, self.axis + 300)]
        lines = [y for y in range(12, 299) if black[y] and not black[y + 1]]
        assert len(lines) == 5, 'no lanes in the picture'
        Graph.first_lane, Graph.height = lines[0], lines[1] - lines[0] - 20

    def column(self, ns):
        schedule = self.schedule
        return round(self.left + (ns - schedule.first) /
                     (schedule.last - schedule.first) * (self.right - self.left))

    def row(self, lane, height):
        return self.axis + self.first_lane + lane * (self.height + 20) - round(height * self.height)

    def near(self, lane, height, ns, colour, wide=2, high=2):
        """Whether that colour is near there."""
        x, y = self.column(ns), self.row(lane, height)
        return any(self.picture.at(at_x, at_y) == colour
                   for at_x in range(max(x - wide, 0), min(x + wide + 1, self.picture.width))
                   for at_y in range(y - high, y + high + 1))

    def count(self, colour):
        return sum(self.picture.row(y, self.left, self.right + 1).count(colour)
                   for y in range(self.axis, self.row(5, 0)))

    def inside(self, ns):
        return self.schedule.first <= ns <= self.schedule.last


class Pictures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.schedules = {name: Schedule(folder.name, name) for name in SETS}
        with hidden.Hidden(cls.arguments('plan', plugin=False)) as shark:
            cls.plain = cls.await_picture(shark, 'plan', Graph.learn, '-plain')

    @classmethod
    def arguments(cls, name, plugin=True):
        return (['-p', 'resch'] if plugin else []) + ['-i', cls.schedules[name].path, *SHOWN[name]]

    @classmethod
    def await_picture(cls, shark, name, check, what=''):
        """A machine may be slow: looks until `check`, given the Graph, finds nothing to say.
        Return: the Graph."""
        end = time.monotonic() + hidden.LONG
        while True:
            shark.fits()
            picture = shark.picture()
            try:
                graph = Graph(cls.schedules[name], picture)
                check(graph)
                return graph
            except (AssertionError, IndexError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.5)
            finally:
                if os.environ.get('PICTURES') and (time.monotonic() > end or
                                                   sys.exc_info()[0] is None):
                    picture.write(f'{os.environ["PICTURES"]}/{name}{what}.png')

    def look(self, name, check):
        with hidden.Hidden(self.arguments(name)) as shark:
            return self.await_picture(shark, name, check)

    def most(self, found, wanted, what):
        """What lies at the same pixel hides one or the other."""
        self.assertGreaterEqual(sum(found), wanted * len(found),
                                f'{what}: {sum(found)} of {len(found)}')
        self.assertGreater(len(found), 4, what)

    def jobs_drawn(self, graph, lane, ident):
        schedule = graph.schedule
        released = schedule.of('release', id=ident)
        self.most([graph.near(lane, 0.6, event['release'], GREEN) for event in released], 0.95,
                  f'releases of {ident}')
        self.most([graph.near(lane, 0.1, event['deadline'], ORANGE, wide=5) or
                   graph.near(lane, 0.1, event['deadline'], RED, wide=5)
                   for event in released if graph.inside(event['deadline'])], 0.7,
                  f'deadlines of {ident}')
        self.most([graph.near(lane, 0.6, event['now'], BLUE) or
                   graph.near(lane, 0.6, event['now'], RED)
                   for event in schedule.of('complete', id=ident)], 0.95, f'ends of {ident}')

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
