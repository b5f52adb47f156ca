# SPDX-License-Identifier: GPL-2.0
"""resch-draw: that there is a picture, and that it has in it what it should."""

import os
import re
import subprocess
import tempfile
import unittest

from common import DRAW, T
from schedule import Schedule, Task, recorded, simulated
from slotted import Slots, Slotted
from test_plans_legal import RESERVES, split_set


def matplotlib_is_there():
    done = subprocess.run(['/usr/bin/python3', '-c', 'import matplotlib'], stderr=subprocess.DEVNULL)
    return done.returncode == 0


@unittest.skipUnless(matplotlib_is_there(), 'no python3-matplotlib')
class Draw(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)

    def path(self, name):
        return os.path.join(self.dir.name, name)

    def draw(self, lines, name, *options):
        with open(self.path('schedule.txt'), 'w') as file:
            file.write('\n'.join(lines))
        return subprocess.run(['/usr/bin/python3', DRAW, self.path('schedule.txt'), '-o', self.path(name),
                               *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def lines(self, **options):
        tasks = [Task(1, period=40, wcet=25), Task(2, period=60, wcet=30)]
        return Schedule(tasks, 'edf', [(500, 0, 'fp')], **options).run()

    def test_png(self):
        for text in (simulated(self.lines(switches=False)), recorded(self.lines())):
            done = self.draw(text, 'a.png')
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, '', ''))
            with open(self.path('a.png'), 'rb') as file:
                self.assertEqual(file.read(8), b'\x89PNG\r\n\x1a\n')

    def svg(self, *options):
        done = self.draw(simulated(self.lines()), 'a.svg', *options)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        with open(self.path('a.svg')) as file:
            # matplotlib draws letters as shapes, and leaves the words as comments
            return re.findall(r'<!-- (.*?) -->', file.read())

    def test_words(self):
        words = self.svg('--title', 'a & b')
        for word in ('t1', 't2', 'CPU 0', 'edf', 'fp', 'release', 'deadline missed', 'plugin swap'):
            self.assertIn(word, words)

    def test_window(self):
        words = self.svg('--from', '1ms', '--to', '20ms')
        self.assertIn('edf', words)
        self.assertNotIn('fp', words)
        words = self.svg('--from', f'{600 * T}')
        self.assertNotIn('edf', words)
        self.assertIn('fp', words)

    def test_reserves_of_groups(self):
        text = simulated(Slotted(*split_set(), [Slots(20, RESERVES)], 'npsf', ticks=100).run())
        self.assertEqual(self.draw(text, 'a.svg').returncode, 0)
        with open(self.path('a.svg')) as file:
            words = re.findall(r'<!-- (.*?) -->', file.read())
        for word in ('CPU 0', 'CPU 1', 'CPU 0+1, group 2', 'reserve of a group', 'slot begins', '3'):
            self.assertIn(word, words)
        self.assertNotIn('reserve of a group', self.svg())

    def test_the_same_twice(self):
        pictures = []
        for _ in range(2):
            self.draw(simulated(self.lines()), 'a.svg')
            with open(self.path('a.svg')) as file:
                pictures.append(file.read())
        self.assertEqual(*pictures)

    def test_refusals(self):
        text = simulated(self.lines())
        for name, options in (('a.jpg', []), ('a.png', ['--from', '5s', '--to', '6s']),
                              ('a.png', ['--from', 'soon']), ('no/such/a.png', []),
                              ('a.png', ['--from', '20ms', '--to', '10ms'])):
            done = self.draw(text, name, *options)
            self.assertEqual((done.returncode, done.stdout), (2, ''), (name, options))
            self.assertNotIn('Traceback', done.stderr)
        done = self.draw(['nothing'], 'a.png')
        self.assertEqual(done.returncode, 2)
        self.assertNotIn('Traceback', done.stderr)


if __name__ == '__main__':
    unittest.main()
