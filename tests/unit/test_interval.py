#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""resch-interval measures what it says, and bench/interval/jitter has all of it in its table."""

import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
LIBRESCH = os.path.abspath(os.environ.get('LIBRESCH', TOP + '/build/host/obj/libresch'))


def command():
    loader = importlib.machinery.SourceFileLoader('jitter', TOP + '/bench/interval/jitter')
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader('jitter', loader))
    loader.exec_module(module)
    return module


jitter = command()


class Program(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.program = cls.folder.name + '/resch-interval'
        subprocess.run([os.environ.get('CC', 'cc'), '-std=gnu11', '-D_GNU_SOURCE', '-Wall',
                        '-Wextra', '-Werror', '-DRESCH_VERSION="0"',
                        *(f'-I{TOP}/{path}' for path in ('libresch', 'uapi', 'tools/common',
                                                         'bench/common')),
                        '-o', cls.program, TOP + '/bench/interval/main.c',
                        TOP + '/tools/common/near.c', '-L' + LIBRESCH, '-lresch', '-ljson-c'],
                       check=True)

    def run_it(self, *args):
        return subprocess.run([self.program, *args], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=60, check=False,
                              env={**os.environ, 'LD_LIBRARY_PATH': LIBRESCH})

    def test_counts(self):
        done = self.run_it('--way=other', '-i', '1ms', '-n', '200')
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        histogram = found['histogram']
        self.assertEqual((found['way'], found['period'], found['count']), ('other', 1000000, 200))
        self.assertEqual(sum(count for _, _, count in histogram), 200)
        self.assertLessEqual(found['min'], found['mean'])
        self.assertLessEqual(found['mean'], found['max'])
        # Who is late once is early the next time: the spread is no more than the extremes.
        self.assertLessEqual(found['variance'], (found['max'] - found['min']) ** 2)
        for (low, high, count), (then, *_) in zip(histogram, histogram[1:] + [[2 ** 62]]):
            self.assertLess(low, high)
            self.assertGreater(count, 0)
            # The first beyond a millisecond begins a little below.
            self.assertLessEqual(high, then + (1 << 19))
        for extreme, (low, high, _) in ((found['min'], histogram[0]),
                                        (found['max'], histogram[-1])):
            self.assertLessEqual(low, extreme - 1000000)
            self.assertLessEqual(extreme - 1000000, high)

    def test_refusals(self):
        for args in (('-w', 'often'), ('-i', '1us'), ('-i', '5'), ('-n', '0'), ('-c', 'x'), ('x',)):
            done = self.run_it(*args)
            self.assertEqual((done.returncode, done.stdout), (2, ''), args)
            self.assertIn('resch-interval', done.stderr)

    @unittest.skipIf(os.path.exists('/dev/resch'), 'resch is loaded here')
    def test_without_the_module(self):
        done = self.run_it('-w', 'resch', '-n', '1')
        self.assertEqual((done.returncode, done.stdout), (1, ''))
        self.assertIn('not loaded', done.stderr)


class Command(unittest.TestCase):
    def record(self):
        return {'kernel': '6.1', 'emulated': True, 'runs': [
            {'load': load, 'way': way, 'period': 1000000, 'count': 10, 'min': 900000 + at,
             'max': 1100000, 'mean': 1e6, 'variance': 2.5e6, 'histogram': []}
            for load in jitter.LOADS for at, way in enumerate(jitter.WAYS)]}

    def test_table(self):
        lines = jitter.table(self.record()).split('\n')
        self.assertIn('6.1, emulated; 10 intervals of 1000.0 each', lines[0])
        self.assertEqual([line.split('  ')[0] for line in lines[2:]],
                         [*jitter.WAYS.values(), *(f'slides: {name}, {period}' for name, period, *_
                                                   in jitter.SLIDES)])
        self.assertEqual(lines[2].split()[1:4], ['900.0', '1100.0', '2.5'])

    def test_script(self):
        class Args:
            loads, ways, period, count = ['none', 'cpu'], ['fifo', 'shield'], '1ms', 7
        lines = jitter.script(Args, 4, '/disk', '/out').split('\n')
        self.assertEqual(sum('resch-interval' in line for line in lines), 4)
        self.assertEqual(sum('resch-load' in line for line in lines), 1)
        self.assertEqual(sum(line == 'kill $busy; busy=' for line in lines), 1)
        for line in lines:
            if 'reschctl shield 3' in line:
                self.assertIn('reschctl unshield', line)
                self.assertIn('-w resch ', line)

    def test_outline(self):
        self.assertEqual(jitter.outline([[-2000, -1000, 3], [1000, 2000, 4], [2000, 4000, 5]]),
                         ([3, 0, 4, 5], [-2000, -1000, 1000, 2000, 4000]))


if __name__ == '__main__':
    unittest.main()
