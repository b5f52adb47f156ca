#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""bench/overhead/spreads: what share of all takes at most so long, and what it prints."""

import importlib.machinery
import importlib.util
import json
import os
import random
import subprocess
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(TOP, 'bench/overhead/spreads')

loader = importlib.machinery.SourceFileLoader('spreads', PROGRAM)
spreads = importlib.util.module_from_spec(importlib.util.spec_from_loader('spreads', loader))
loader.exec_module(spreads)


def grouped(plain):
    return [[value, plain.count(value)] for value in sorted(set(plain))]


class At(unittest.TestCase):
    def test_against_all_of_them(self):
        draw = random.Random(1)
        for count in (1, 2, 7, 100, 1000):
            plain = [draw.randrange(20) for _ in range(count)]
            for share in spreads.SHARES:
                value = spreads.at(grouped(plain), share)
                self.assertIn(value, plain)
                self.assertGreaterEqual(sum(each <= value for each in plain) * 100, share * count)
                if share:
                    self.assertLess(sum(each < value for each in plain) * 100, share * count)
                else:
                    self.assertEqual(value, min(plain))


class Program(unittest.TestCase):
    def run_with(self, results, *more):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'boot.json')
            with open(path, 'w', encoding='utf-8') as file:
                json.dump({'about': 'a kernel, instructions', 'results': results}, file)
            more = [word.format(folder=folder) for word in more]
            done = subprocess.run([PROGRAM, path, *more], stdout=subprocess.PIPE, text=True,
                                  check=True)
            return done.stdout, os.listdir(folder)

    def test_table_and_picture(self):
        results = [{'measure': 'trip', 'state': 'absent', 'n': 4, 'median': 11, 'min': 10,
                    'max': 30, 'values': [[10, 1], [11, 2], [30, 1]]}]
        results += [{'measure': 'cycle', 'policy': policy, 'n': 2, 'median': 7, 'min': 7, 'max': 7,
                     'values': [[7, 2]]} for policy in ('edf', 'fifo')]
        text, files = self.run_with(results, '--picture', '{folder}/picture.png')
        words = [line.split() for line in text.splitlines()]
        self.assertIn('module not loaded 10 10 10 11 11 30 30 30 4'.split(), words)
        # In the order in which they are named, not measured.
        self.assertLess(text.index('SCHED_FIFO'), text.index('resch edf'))
        self.assertNotIn('servers', text)
        self.assertIn('picture.png', files)


if __name__ == '__main__':
    unittest.main()
