# SPDX-License-Identifier: GPL-2.0
"""What a KernelShark with the plugin has drawn: lanes, and what is where on them.

Environment: PICTURES, a folder for what was seen. The plugin is installed where KernelShark looks.
"""

import os
import sys
import tempfile
import time
import unittest

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
sys.dont_write_bytecode = True
sys.path[:0] = [TOP + '/tools/demo', TOP + '/tests/kernelshark']

import hidden  # noqa: E402

# draw.cpp's
BLUE, RED, GREEN, ORANGE = (31, 95, 160), (214, 0, 0), (0, 120, 40), (230, 120, 0)
COLOURS = [(86, 180, 233), (230, 159, 0), (0, 158, 115), (204, 121, 167), (240, 228, 66),
           (0, 114, 178)]
BOX, ARROW, BAND = 0.75, 0.95, 0.9
BLACK = (0, 0, 0)


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


class Looking(unittest.TestCase):
    """`schedules`: by name; `shown`: which lanes of each, options of KernelShark's."""

    schedules, shown, plain = {}, {}, None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.schedules, cls.shown = cls.opened(folder.name)
        if Looking.plain is None:
            name = next(iter(cls.schedules))
            with hidden.Hidden(cls.arguments(name, plugin=False)) as shark:
                Looking.plain = cls.await_picture(shark, name, Graph.learn, '-plain')

    @classmethod
    def arguments(cls, name, plugin=True):
        return ((['-p', 'resch'] if plugin else []) +
                ['-i', cls.schedules[name].path, *cls.shown[name]])

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
        """What lies at the same pixel hides one or the other: one of a few, too, unless all are
        wanted."""
        hidden_ones = (1 - wanted) * len(found)
        self.assertLessEqual(len(found) - sum(found), max(hidden_ones, 1) if wanted < 1 else 0,
                             f'{what}: {sum(found)} of {len(found)}')
        self.assertGreater(len(found), 4, what)

    def jobs_drawn(self, graph, lane, ident):
        self.releases_drawn(graph, lane, ident)
        self.ends_drawn(graph, lane, ident)

    def releases_drawn(self, graph, lane, ident):
        """And deadlines: those that jobs had in the end. Stopped ones take over later releases."""
        self.most([graph.near(lane, 0.6, event['release'], GREEN)
                   for event in graph.schedule.of('release', id=ident)], 0.95,
                  f'releases of {ident}')
        self.most([graph.near(lane, 0.1, event['deadline'], ORANGE, wide=5) or
                   graph.near(lane, 0.1, event['deadline'], RED, wide=5)
                   for event in graph.schedule.of('complete', id=ident)
                   if graph.inside(event['deadline'])], 0.7, f'deadlines of {ident}')

    def ends_drawn(self, graph, lane, ident):
        """Of jobs that their own arrow does not hide."""
        began = {event['job']: event['release']
                 for event in graph.schedule.of('release', id=ident)}
        self.most([graph.near(lane, 0.6, event['now'], BLUE) or
                   graph.near(lane, 0.6, event['now'], RED)
                   for event in graph.schedule.of('complete', id=ident)
                   if graph.column(event['now']) - graph.column(
                       began.get(event['job'], event['release'])) > 5], 0.95,
                  f'ends of {ident}')
