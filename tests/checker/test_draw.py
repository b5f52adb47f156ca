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
from test_chains import RG1, pipeline
from test_plans_legal import RESERVES, split_set


def matplotlib_is_there():
    done = subprocess.run(['/usr/bin/python3', '-c', 'import matplotlib'],
                          stderr=subprocess.DEVNULL)
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
        return subprocess.run(['/usr/bin/python3', DRAW, self.path('schedule.txt'), '-o',
                               self.path(name), *options], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)

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
        words = self.svg('--from', f'{600 * T}ns')
        self.assertNotIn('edf', words)
        self.assertIn('fp', words)

    def test_what_the_window_does_not_show(self):
        tasks = [Task(1, period=40, wcet=10, work=lambda job: 45 if job == 1 else 10),
                 Task(2, period=60, wcet=20)]
        lines = simulated(Schedule(tasks, 'edf', [(500, 0, 'fp')]).run())
        for options, wanted in (
                (['--from', f'{600 * T}ns', '--to', f'{700 * T}ns'],
                 'outside this window: 2 missed deadlines, 1 overrun, 1 plugin swap, 37 jobs'),
                (['--from', '0', '--to', f'{400 * T}ns'],
                 'outside this window: 1 plugin swap, 24 jobs'),
                (['--from', '0', '--to', f'{400 * T}ns', '--width', '5'],
                 'outside this window: 1 plugin swap, 24 jobs'),
                (['--from', '0', '--to', '1s'], None)):
            self.assertEqual(self.draw(lines, 'a.svg', *options).returncode, 0)
            with open(self.path('a.svg')) as file:
                words = ' '.join(re.findall(r'<!-- (.*?) -->', file.read(), re.S))
            if wanted:
                self.assertIn(wanted, words)
            else:
                self.assertNotIn('outside', words)

    def test_axis_counts_from_the_window(self):
        self.assertIn('ms; 0 is 60 ms after the beginning of the trace',
                      self.svg('--from', '60ms', '--to', '70ms'))
        self.assertIn('ms since the beginning of the trace',
                      self.svg('--from', '0', '--to', '70ms'))

    def test_names_of_lanes_fit(self):
        """The longest name begins inside of the picture."""
        lines = [line.replace('name=t1 ', 'name=a_name_of_31_letters_that_is_long ')
                 for line in simulated(self.lines())]
        self.assertEqual(self.draw(lines, 'a.svg', '--width', '6').returncode, 0)
        with open(self.path('a.svg')) as file:
            places = re.findall(r'<!-- a_name.*?translate\((-?[0-9.]+) ', file.read(), re.S)
        self.assertGreater(float(places[0]), 0)

    def test_reserves_of_groups(self):
        text = simulated(Slotted(*split_set(), [Slots(20, RESERVES)], 'npsf', ticks=100).run())
        self.assertEqual(self.draw(text, 'a.svg').returncode, 0)
        with open(self.path('a.svg')) as file:
            words = re.findall(r'<!-- (.*?) -->', file.read())
        for word in ('CPU 0', 'CPU 1', 'CPU 0+1, group 2', 'reserve of a group',
                     'slot begins', '3'):
            self.assertIn(word, words)
        self.assertNotIn('reserve of a group', self.svg())

    def stage_arrows(self, lines, *options):
        """(colour, how far it goes to the right) of each, and the words of the legend."""
        self.assertEqual(self.draw(lines, 'a.svg', *options).returncode, 0)
        with open(self.path('a.svg')) as file:
            text = file.read()
        shafts = re.findall(r'd="M ([0-9.]+) [0-9.]+\s+Q [0-9.]+ [0-9.]+ ([0-9.]+) [0-9.]+\s+"[^>]*'
                            r'fill: none; stroke: (#[0-9a-f]+); stroke-width: 1.3', text)
        return [(colour, round(float(to) - float(at)))
                for at, to, colour in shafts], 'to the next stage' in text

    def test_stages_of_chains(self):
        """An arrow for each instance that is handed over, in its colour; one that a guard holds
        back slopes."""
        lines = pipeline(RG1, (3, 15, 25)).text()
        arrows, told = self.stage_arrows(lines)
        self.assertEqual([colour for colour, _ in arrows], ['#e69f00', '#009e73', '#cc79a7'])
        self.assertEqual([far > 5 for _, far in arrows], [False, False, True])
        self.assertTrue(told)
        self.assertEqual(len(self.stage_arrows(lines, '--from', '10ms', '--to', '20ms')[0]), 1)
        self.assertEqual(self.stage_arrows([line for line in lines if 'resch_chain' not in line]),
                         ([], False))

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
            status = 1 if name.startswith('no/') else 2
            self.assertEqual((done.returncode, done.stdout), (status, ''), (name, options))
            self.assertNotIn('Traceback', done.stderr)
        done = self.draw(['nothing'], 'a.png')
        self.assertEqual(done.returncode, 2)
        self.assertNotIn('Traceback', done.stderr)


if __name__ == '__main__':
    unittest.main()
