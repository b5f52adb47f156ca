#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The task-set generators: sums, ranges, and means against known values; the file that comes
out."""

import os
import random
import subprocess
import sys
import unittest
import unittest.mock

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
sys.path.insert(0, TOP + '/bench/gen')
import resch_gen as gen  # noqa: E402

PROGRAM = TOP + '/bench/gen/resch_gen.py'


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def variance(values):
    middle = mean(values)
    return mean((value - middle) ** 2 for value in values)


class Shares(unittest.TestCase):
    def setUp(self):
        self.rng = random.Random('shares')

    def test_retas(self):
        """On 4 CPUs, [.1, 1] and .88 to .885: 6.7 tasks on average, 4 to 12."""
        counts = []
        for _ in range(300):
            shares = gen.retas(self.rng, 4, (0.88, 0.885), 0.1, 1.0)
            self.assertTrue(all(0.1 <= share <= 1.0 for share in shares))
            self.assertTrue(0.88 <= sum(shares) / 4 <= 0.885)
            counts.append(len(shares))
        self.assertAlmostEqual(mean(counts), 6.7, delta=0.25)
        self.assertGreaterEqual(min(counts), 4)
        self.assertLessEqual(max(counts), 13)

    def test_kato(self):
        for _ in range(300):
            shares = gen.kato(self.rng, 3.0, 0.1, 0.5)
            self.assertAlmostEqual(sum(shares), 3.0, delta=1e-9)
            self.assertTrue(all(0.1 <= share <= 0.5 for share in shares[:-1]))
            self.assertTrue(0 < shares[-1] <= 0.5)

    def test_uunifast(self):
        """The share of sets without a task above 1 is 1 / (mean number of tries)."""
        for tasks, utilization, expected, sets, delta in ((8, 3, 1.8, 600, 0.15),
                                                          (16, 6, 4.3, 400, 0.6)):
            tries = []
            for _ in range(sets):
                shares, count = gen.uunifast_discard(self.rng, tasks, utilization)
                self.assertEqual(len(shares), tasks)
                self.assertAlmostEqual(sum(shares), utilization, delta=1e-12)
                self.assertTrue(all(0 <= share <= 1 for share in shares))
                tries.append(count)
            self.assertAlmostEqual(mean(tries), expected, delta=delta)

    def test_uunifast_simplex(self):
        """Uniform on the simplex: each has the mean U / n, and the variance of a Dirichlet(1)
        variable."""
        sets = [gen.uunifast(self.rng, 4, 2.0) for _ in range(4000)]
        for i in range(4):
            self.assertAlmostEqual(mean(s[i] for s in sets), 0.5, delta=0.03)
            self.assertAlmostEqual(variance([s[i] for s in sets]), 4 * 3 / (16 * 5), delta=0.015)

    def test_randfixedsum(self):
        """The same distribution as discarding, and no luck needed near n."""
        fixed, discard = [], []
        for _ in range(1500):
            shares = gen.randfixedsum(self.rng, 8, 3.0)
            self.assertAlmostEqual(sum(shares), 3.0, delta=1e-13)
            self.assertTrue(all(-1e-15 <= share <= 1 + 1e-15 for share in shares))
            fixed += shares
            discard += gen.uunifast_discard(self.rng, 8, 3.0)[0]
        self.assertAlmostEqual(mean(fixed), 3 / 8, delta=1e-9)
        self.assertAlmostEqual(variance(fixed), variance(discard), delta=0.004)
        self.assertAlmostEqual(variance(fixed), 0.069, delta=0.003)
        for part in (0.1, 0.25, 0.5, 0.75, 0.9):
            self.assertAlmostEqual(mean(share < part for share in fixed),
                                   mean(share < part for share in discard), delta=0.02)
        for tasks, utilization in ((10, 9.9), (10, 0.05), (5, 5.0), (1, 0.7), (64, 50.0)):
            shares = gen.randfixedsum(self.rng, tasks, utilization)
            self.assertAlmostEqual(sum(shares), utilization, delta=1e-11)
            self.assertLessEqual(max(shares), 1 + 1e-12)
            self.assertGreaterEqual(min(shares), -1e-12)

    def test_impossible(self):
        for function in (gen.randfixedsum, gen.uunifast_discard):
            self.assertRaises(gen.Impossible, function, self.rng, 3, 3.5)


class Periods(unittest.TestCase):
    def test_uniform(self):
        rng = random.Random('periods')
        periods = [gen.uniform_period(rng, 5, 50, 5) for _ in range(4000)]
        self.assertEqual(sorted(set(periods)), list(range(5, 51, 5)))
        self.assertAlmostEqual(mean(periods), 27.5, delta=0.8)

    def test_log_uniform(self):
        """[10, 1000] in steps of 10: 49.9 % are below 100."""
        rng = random.Random('periods')
        periods = [gen.log_uniform_period(rng, 10, 1000, 10) for _ in range(6000)]
        self.assertTrue(all(10 <= period <= 1000 and period % 10 == 0 for period in periods))
        self.assertAlmostEqual(mean(period < 100 for period in periods), 0.499, delta=0.02)


class Files(unittest.TestCase):
    def run_program(self, *arguments, status=0):
        result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stdout if not status else result.stderr

    def rows(self, *arguments):
        lines = self.run_program(*arguments).splitlines()
        self.assertTrue(lines[0].startswith('# resch-gen '))
        return [tuple(int(field) for field in line.split(',')) for line in lines[1:]]

    def test_rows(self):
        rows = self.rows('retas', '--seed=3')
        self.assertTrue(0.8799 <= sum(row[2] / row[3] for row in rows) / 4 <= 0.885)
        for number, row in enumerate(rows, 1):
            self.assertEqual(row[0], number)
            self.assertEqual((row[1], row[3], row[3], row[6]), (row[2], row[4], row[5], row[7]))
            self.assertTrue(5000000 <= row[3] <= 50000000)

    def test_factor_and_deadline(self):
        rows = self.rows('kato', '-u', '2', '--factor=2', '--offset=10ms', '--deadline=0.5,0.9')
        for row in rows:
            self.assertAlmostEqual(row[1], row[2] / 2, delta=1)
            self.assertEqual((row[4], row[6], row[7]), (2 * row[3], 10000000, 20000000))
            self.assertTrue(row[2] <= row[5] <= max(0.9 * row[3], row[2]))

    def test_reproducible(self):
        """The very lines: they are not to change with Python's version."""
        self.assertEqual(self.run_program('uunifast', '-n', '2', '-u', '1.5', '--step=1us'),
                         self.run_program('uunifast', '-n', '2', '-u', '1.5', '--step=1us'))
        self.assertEqual(self.rows('randfixedsum', '-n', '3', '-u', '1.5', '--step=1us'), GOLDEN)
        self.assertNotEqual(self.rows('randfixedsum', '-n', '3', '-u', '1.5', '--step=1us', '-s',
                                      '2'), GOLDEN)
        self.assertNotEqual(self.rows('randfixedsum', '-n', '3', '-u', '1.5', '--step=1us',
                                      '--number=2'),
                            GOLDEN)

    def test_bad(self):
        self.assertIn('cannot have', self.run_program('uunifast', '-n', '2', '-u', '2.5', status=1))
        for arguments in (['edf'], ['kato', '--umin=0'], ['kato', '--umin=.5', '--umax=.4'],
                          ['kato', '--tmin=5y'], ['kato', '--tmin=60ms'], ['retas', '--target=2,1'],
                          ['retas', '--factor=0.5'], ['kato', '-u', '0'], ['kato', '--tmax=3601s'],
                          ['kato', '--step=6ms'], ['kato', '-u', 'nan'], ['kato', '--factor=inf']):
            self.run_program(*arguments, status=2)

    def test_many(self):
        """A million tasks are made, by the terminal with the time that it takes (test_manners.py);
        more, or a table that no memory holds, are refused at once."""
        for arguments in (['uunifast', '-n', '1000001'], ['randfixedsum', '-n', '4097']):
            self.assertIn('at most', self.run_program(*arguments, status=2))
        for arguments in (['kato', '-u', '2000000'],
                          ['kato', '-u', '1', '--umin=1e-9', '--umax=1e-9']):
            self.assertIn('more than 1000000 tasks', self.run_program(*arguments, status=1))
        # hopeless: it gives up after so many random numbers, whatever the number of tasks
        with unittest.mock.patch.object(gen, 'DRAWS', 5 * 10**5):
            told = []
            self.assertRaises(gen.Impossible, gen.uunifast_discard, random.Random(1), 10**5, 9e4,
                              lambda *progress, **_: told.append(progress))
            self.assertEqual(told[-1], (5, 'sets with a task above 1', 5))
            self.assertRaises(gen.Impossible, gen.retas, random.Random(1), 1000, (0.5, 0.5), 0.1,
                              1.0)


GOLDEN = [(1, 10462644, 10462644, 11687000, 11687000, 11687000, 0, 0),
          (2, 2020386, 2020386, 15546000, 15546000, 15546000, 0, 0),
          (3, 16450881, 16450881, 34648000, 34648000, 34648000, 0, 0)]

class Manners(unittest.TestCase):
    """Times as everywhere, targets that there are, and a full disk."""

    def refused(self, says, *arguments):
        done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(says, done.stderr)

    def test_times(self):
        for text, ns in (('0', 0), ('5ms', 5000000), ('0.1ms', 100000), ('2.5us', 2500),
                         ('2.5µs', 2500), ('1.5min', 90 * 10**9), ('.5h', 1800 * 10**9),
                         ('3ns', 3)):
            self.assertEqual(gen.cli.duration(text), ns, text)
        for text in ('', '.', 'ms', '5', '-1ms', '1 ms', '1msx', '1e3ns', '0.5ns', '5m'):
            with self.assertRaises(Exception, msg=text):
                gen.cli.duration(text)
        self.refused("'5' has no unit: 5ms?", 'uunifast', '--tmin', '5')

    def test_target(self):
        self.refused('at most 1', 'retas', '--cpus=2', '--target=3,4')

    def test_full(self):
        with open('/dev/full', 'w', encoding='utf-8') as full:
            done = subprocess.run([PROGRAM, 'uunifast'], stdout=full, stderr=subprocess.PIPE,
                                  text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, 'resch-gen: standard output: No space left on device\n')


if __name__ == '__main__':
    unittest.main()
