#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The completion-rate experiment: what it plays, and how it reads and judges what came of it."""

import os
import random
import sys
import tempfile
import unittest

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
sys.path[:0] = [TOP + '/bench/server', TOP + '/bench']
import rates  # noqa: E402

SIZES = {'period': 20000, 'budget': 240, 'server_period': 500, 'provider_budget': 20,
         'provider_period': 1000, 'service': 100, 'load_period': 50000}


class Server:
    """A constant-bandwidth server that waits for its budgets, on a CPU that is as unkind as it may
    be: what is asked for comes at any time up to the server's deadline."""

    def __init__(self, sizes, dice):
        self.budget, self.period, self.dice = sizes['budget'], sizes['server_period'], dice
        self.left = self.deadline = 0

    def part(self, time, need):
        """When a part of a job that comes to the idle server is complete."""
        if time >= self.deadline or self.left > (self.deadline - time) * self.budget / self.period:
            self.left, self.deadline = self.budget, time + self.period
        while need > 0:
            if self.left <= 0:
                time, self.left, self.deadline = (self.deadline, self.budget,
                                                  self.deadline + self.period)
            some = min(need, self.left)
            time = max(time + some, self.deadline) if self.dice.random() < 0.9 else time + some
            need -= some
            self.left -= some
        return time


def longest_response(sizes, work, dice):
    """Of a few jobs with waits of any length up to the longest, anywhere in the work."""
    server, longest = Server(sizes, dice), 0
    message = sizes['provider_period']
    for job in range(4):
        time = release = job * sizes['period']
        cuts = sorted(dice.choice((0.02, 0.5, 0.98)) * dice.random() * work for _ in range(3))
        parts = [b - a for a, b in zip([0, *cuts], [*cuts, work])]
        for part, wait in zip(parts, (message, 2 * message, sizes['service'], 0)):
            time = server.part(time, part) + wait * dice.choice((1, 1, dice.random()))
        longest = max(longest, time - release)
    return longest


class Plan(unittest.TestCase):
    def test_all_sizes_add_up(self):
        for line in rates.plan(['passive', 'deadline'], [50, 55, 95], SIZES):
            _, percent, *ways, work = line.split()
            total = 0
            for way in ways:
                if way != '-':
                    budget, period = map(int, way.split('=')[1].split('/'))
                    total += 100 * budget / period
            self.assertAlmostEqual(total, int(percent), places=6)
            if ways[2] != '-':
                self.assertLess(int(work), int(ways[2].split('=')[1].split('/')[0]))

    def test_no_load(self):
        for way in rates.WAYS:
            name, percent, _, _, load, _ = rates.plan([way], [50], SIZES)[0].split()
            self.assertEqual((name, percent, load), (way, '50', '-'))

    def test_what_is_guaranteed_is_complete_in_time(self):
        dice = random.Random(1)
        for sizes in (SIZES, {**SIZES, 'server_period': 250, 'budget': 100}):
            longest = max(longest_response(sizes, rates.guaranteed(sizes), dice)
                          for _ in range(600))
            self.assertLessEqual(longest, sizes['period'])
            # and not because it could have been anything
            self.assertGreater(longest, 0.95 * sizes['period'])


class Results(unittest.TestCase):
    def read(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in files.items():
                with open(os.path.join(folder, 'passive.90.' + name), 'w',
                          encoding='utf-8') as file:
                    file.write(content)
            runs = rates.read(folder, ['passive'], [90])
        return {'kernel': '6.12', 'emulated': True, 'network': 'veth', 'sizes': SIZES, 'runs': runs}

    def figures(self, complete, jobs=50):
        return f'jobs={jobs} complete={complete} longest=15000000 total=700000000 costliest=7000000\n'

    def test_all_in_time(self):
        record = self.read(client=self.figures(50), load='running\n' + self.figures(20, 20),
                           provider='running\n')
        self.assertEqual(rates.broken_promises(record), [])
        self.assertIn('100', rates.text(record).splitlines()[2].split())
        self.assertNotIn('(', rates.text(record).splitlines()[2])

    def test_late_client(self):
        record = self.read(client=self.figures(49), load='running\n' + self.figures(20, 20),
                           provider='running\n')
        self.assertEqual(len(rates.broken_promises(record)), 1)
        self.assertIn('98.0', rates.text(record))

    def test_late_load(self):
        record = self.read(client=self.figures(50), load='running\n' + self.figures(10, 20),
                           provider='running\n')
        self.assertEqual(len(rates.broken_promises(record)), 1)
        self.assertIn('100 (50)', rates.text(record))

    def test_pieces_are_joined(self):
        late = self.read(client=self.figures(49), load='running\n' + self.figures(20, 20),
                         provider='running\n')
        good = self.read(client=self.figures(50), load='running\n' + self.figures(20, 20),
                         provider='running\n')
        other = {**good, 'runs': [{**good['runs'][0], 'way': 'other'}]}
        whole = rates.joined([late, good, other])
        self.assertEqual([(run['way'], run['client']['complete']) for run in whole[0]['runs']],
                         [('other', 50), ('passive', 50)])
        self.assertEqual(len(rates.joined([good, {**good, 'kernel': '6.1'}])), 2)
        self.assertRaises(rates.Broken, rates.joined,
                          [good, {**good, 'sizes': {**SIZES, 'period': 10000}}])

    def test_refused(self):
        for who in ('client', 'provider', 'load'):
            record = self.read(**{who: f'running\nrefused: {who}: too much\n'})
            self.assertEqual(record['runs'][0]['refused'], f'{who}: too much')
            self.assertEqual(rates.broken_promises(record), [])
            self.assertIn('refused', rates.text(record))

    def test_nothing_is_not_a_result(self):
        self.assertRaises(rates.Broken, self.read, provider='running\n', load='running\n')
        self.assertRaises(rates.Broken, self.read, client='running\n', provider='running\n')


if __name__ == '__main__':
    unittest.main()
