#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The experiment with the slides' chains, in short: its figures are those of the specification's
tables, and a response above a bound is noticed.

usage: RESCH_SIM=PATH test_chain_experiment.py
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
SIM = os.environ.get('RESCH_SIM', TOP + '/build/host/obj/bench/sim/resch-sim')
THAKER = TOP + '/bench/chain/thaker'
sys.path[:0] = [TOP + '/bench/chain']
import systems  # noqa: E402

# Stands where the simulator stands, and lies.
LYING_SIM = """#!/bin/sh
{sim} "$@" | sed '{edit}'
"""


def call(*arguments, sim=SIM):
    return subprocess.run([THAKER, *arguments], capture_output=True, text=True, timeout=300,
                          check=False,
                          env={**os.environ, 'RESCH_SIM': sim, 'PYTHONDONTWRITEBYTECODE': '1'})


def found_in(text, head, row):
    """Figures of a row in the table under a heading."""
    lines = text[text.index(head):].splitlines()
    return next(line for line in lines if line.startswith(row))[len(row):].split()


class Thaker(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.room = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.room.cleanup)
        cls.records = cls.room.name + '/records.json'
        cls.done = call('--sets=2', '--points', '0.3', '0.8', '--phases=3', '-v', '-o', cls.records)

    def test_one_cpu(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        for order, wanted in (('criticality', '26 16 13 8 2'), ('rate-monotonic', '7 3 15 30 1'),
                              ('deadline-monotonic', '4 7 15 30 none')):
            self.assertEqual(found_in(self.done.stdout, 'one CPU', order), wanted.split())

    def test_slides(self):
        for head, row, wanted in (('mapping pipeline, priorities rm', 'bound TC ', '167 25 66'),
                                  ('mapping pipeline, priorities rm', 'ds, longest',
                                   '117.5 25 48.5'),
                                  ('mapping pipeline, priorities rm', 'rg1, longest', '131 25 55'),
                                  ('mapping pipeline, priorities pdm', 'rg, longest',
                                   '115.5 25 61'),
                                  ('mapping slides, priorities pdm', 'bound TC ', '146 34 53'),
                                  ('mapping slides, priorities pdm', 'bound TC-bc', '115 34 48'),
                                  ('mapping slides, priorities pdm', 'bound WCDO exact',
                                   '89 25 42'),
                                  ('mapping slides, priorities pdm', 'rg1, longest', '89 25 42'),
                                  ('mapping slides, priorities pdm', 'ds, longest', '85.5 25 42')):
            self.assertEqual(found_in(self.done.stdout, head, row)[:3], wanted.split(), (head, row))

    def test_random_sets(self):
        """What an analysis takes is never late when played."""
        for rows, played in ((('TC ', 'TC-bc', 'WCDO ', 'WCDO exact'), 'ds played'),
                             (('SA/PM ',), 'rg1 played')):
            for row in rows:
                some = found_in(self.done.stdout, 'random sets', row)
                for share, of_played in zip(some,
                                            found_in(self.done.stdout, 'random sets', played)):
                    self.assertLessEqual(int(share), int(of_played))
        self.assertIn('utilization 0.8: 2 sets', self.done.stderr)

    def test_the_same_again(self):
        again = call('--sets=2', '--points', '0.3', '0.8', '--phases=3')
        self.assertEqual(again.stdout, self.done.stdout)
        self.assertEqual(call('--from', self.records).stdout, self.done.stdout)
        with open(self.records, encoding='utf-8') as file:
            self.assertEqual(json.loads(call('--from', self.records, '--json').stdout),
                             json.load(file))

    def test_sets_are_what_they_say(self):
        for seed in range(20):
            utilization = random.Random(seed).choice((0.2, 0.5, 0.9))
            load = [0.0] * systems.CPUS
            period = None
            for line in systems.random_set(seed, utilization).splitlines()[1:]:
                fields = line.split(',')
                period = int(fields[1][:-2]) if fields[1] else period
                load[int(fields[7])] += int(fields[5][:-2]) / period
            self.assertTrue(all(not share or abs(share - utilization) < 0.01 for share in load),
                            (seed, load))

    def lie(self, edit):
        path = self.room.name + '/sim'
        with open(path, 'w', encoding='utf-8') as file:
            file.write(LYING_SIM.format(sim=SIM, edit=edit))
        os.chmod(path, 0o755)
        return call('--quick', sim=path)

    def test_broken_promises(self):
        done = self.lie('s/"max": 117500000, "deadline"/"max": 167000001, "deadline"/')
        self.assertEqual(done.returncode, 1)
        self.assertIn('thaker: pipeline, rm, chain T0, ds: 167000001 ns, tc has 167000000',
                      done.stderr)
        done = self.lie('s/"lost": 0/"lost": 7/')
        self.assertEqual(done.returncode, 1)
        self.assertIn('7 instances are lost', done.stderr)

    def test_arguments(self):
        self.assertEqual(call('--points=2').returncode, 2)
        done = call('--quick', sim='/no/such/sim')
        self.assertEqual((done.returncode, done.stderr),
                         (2, 'thaker: no /no/such/sim: make -C bench/sim\n'))
        self.assertEqual(call('--from', '/no/such/records').returncode, 2)

    def test_pictures(self):
        if subprocess.run(['/usr/bin/python3', '-c', 'import matplotlib'],
                          stderr=subprocess.DEVNULL, check=False).returncode:
            self.skipTest('no python3-matplotlib')
        done = call('--from', self.records, '--pictures', self.room.name)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        for name in ('chains', 'chains-slides', 'chains-responses', 'chains-random'):
            with open(f'{self.room.name}/{name}.png', 'rb') as file:
                self.assertEqual(file.read(8), b'\x89PNG\r\n\x1a\n')


class Measured(unittest.TestCase):
    """What was measured on a kernel: how it is told, and judged."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.room = directory.name
        self.records = [{'mapping': mapping, 'protocol': protocol, 'chain': chain, 'method': 'sapm',
                         'bound': bound, 'simulated': bound, 'alike': bound,
                         'alike_avg': bound // 2, 'deadline': 8800000, 'lost': 0,
                         'responses': [bound // 2, bound]}
                        for mapping, protocol in (('pipeline', 'rg'), ('slides', 'ds'),
                                                  ('slides', 'rg1'), ('criticality', 'rg'))
                        for chain, bound in (('T0', 8900000), ('T2', 4200000))]

    def call(self, *arguments):
        with open(self.room + '/records', 'w', encoding='utf-8') as file:
            json.dump(self.records, file)
        return subprocess.run([TOP + '/bench/chain/measured', '--from', self.room + '/records',
                               *arguments], capture_output=True,
                              text=True, timeout=300, check=False,
                              env={**os.environ, 'PYTHONDONTWRITEBYTECODE': '1'})

    def test_table(self):
        done = self.call()
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertEqual(found_in(done.stdout, 'mapping slides', 'rg1'),
                         'T0 89.0 89.0 89.0 89.0 44.5 66.8 2 100.0'.split())
        self.assertRegex(done.stdout,
                         r'(?s)one CPU, by criticality;.*?\n +T0 +89\.0 +89\.0 +89\.0 +89\.0 +44\.5 +66\.8 ')

    def test_above_the_bound(self):
        self.records[3]['responses'].append(4300000)
        done = self.call()
        self.assertEqual((done.returncode, done.stderr),
                         (1, 'measured: slides, ds, T2: 43.0 of 42.0, 0 lost\n'))
        self.assertRegex(done.stdout, r'(?s)mapping slides;.*?\nds +T2 [^\n]* 66\.7\n')

    def test_arguments(self):
        self.assertEqual(self.call('--here').returncode, 2)

    def test_pictures(self):
        if subprocess.run(['/usr/bin/python3', '-c', 'import matplotlib'],
                          stderr=subprocess.DEVNULL, check=False).returncode:
            self.skipTest('no python3-matplotlib')
        done = self.call('--pictures', self.room)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        for name in ('chains-measured', 'chains-measured-responses'):
            with open(f'{self.room}/{name}.png', 'rb') as file:
                self.assertEqual(file.read(8), b'\x89PNG\r\n\x1a\n')


if __name__ == '__main__':
    unittest.main()
