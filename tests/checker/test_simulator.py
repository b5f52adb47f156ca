# SPDX-License-Identifier: GPL-2.0
"""The simulator, which runs the plugins' own sources, against the checker, which knows none of them."""

import os
import random
import shutil
import subprocess
import tempfile
import unittest

from common import CheckerTest, T, broken, check
from slotted import random_slots

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SIM = os.path.join(TREE, 'bench', 'sim')
ORDERS = ('dm', 'rm', 'explicit')
REACTIONS = ('count', 'notify', 'skip', 'throttle', 'demote')


def random_set(rng, cpus):
    rows = ['name,period,max_period,deadline,wcet,min_exec,max_exec,offset,max_offset,kind,priority,overrun,miss']
    count = rng.randrange(1, 9)
    for number in range(count * cpus):
        period = rng.choice((1000, 1500, 2000, 3300, 5000, 10000)) * 1000
        wcet = min(rng.randrange(1000, period * 12 // 10 // count + 2000), period)
        kind = rng.choice(('periodic', 'periodic', 'sporadic'))
        longest = wcet if rng.random() < 0.5 else 3 * wcet
        offset = rng.randrange(period)
        rows.append(','.join(map(str, (
            f't{number}', period, period if kind == 'periodic' else 2 * period,
            rng.choice((period, period, max(wcet, period // 2), 2 * period)), wcet, max(1, wcet // 3), longest,
            offset, offset, kind, rng.randrange(1, 20), rng.choice(REACTIONS), rng.choice(REACTIONS)))))
    return '\n'.join(rows) + '\n'


class Simulator(CheckerTest):
    @classmethod
    def setUpClass(cls):
        if not os.path.exists(os.path.join(SIM, 'Makefile')) or not shutil.which('cc') \
                or not shutil.which('make'):
            raise unittest.SkipTest('there is no simulator, or no compiler for it')
        cls.dir = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.dir.cleanup)
        subprocess.run(['make', '-s', '-C', SIM, 'O=' + cls.dir.name], check=True,
                       stdout=subprocess.DEVNULL)

    def simulate(self, tasks, *options):
        path = os.path.join(self.dir.name, 'set.csv')
        with open(path, 'w') as file:
            file.write(tasks)
        done = subprocess.run([os.path.join(self.dir.name, 'resch-sim'), '--force', '--trace', '-', *options,
                               path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)   # 1: deadlines missed
        return done.stdout.splitlines()

    def test_random_sets(self):
        for seed in range(40):
            rng = random.Random(seed)
            fp, cpus = rng.choice(ORDERS), rng.choice((1, 1, 2, 4))
            plugins = ['edf', 'fifo', 'fp:order=' + fp, 'demo']
            options = ['-p', rng.choice(plugins), '-c', str(cpus), '-t', '40ms', '-s', str(seed)]
            for tick in sorted(rng.sample(range(1, 40), rng.randrange(3))):
                options += ['--swap', f'{rng.choice(plugins)}@{tick}ms']
            with self.subTest(seed=seed, options=options):
                self.assert_legal(self.simulate(random_set(rng, cpus), *options), fp=fp)

    def test_servers(self):
        for seed in range(20):
            rng = random.Random(seed)
            path = os.path.join(self.dir.name, 'servers.txt')
            count = rng.randrange(1, 5)
            with open(path, 'w') as file:
                for _ in range(count):
                    kind, policy = rng.choice(('cbs-hard', 'cbs', 'cus', 'tbs')), rng.choice(('edf', 'dm', 'fifo', 'rr'))
                    file.write(f'{kind}, {rng.randrange(100, 900)}us, {rng.randrange(2, 9) * count}ms, {policy}, 0'
                               + (', 300us' if policy == 'rr' else '') + '\n')
            rows = random_set(rng, 1).splitlines()
            tasks = '\n'.join([rows[0] + ',group'] + [f'{row},{rng.randrange(count) + 1}' for row in rows[1:]]) + '\n'
            with self.subTest(seed=seed):
                self.assert_legal(self.simulate(tasks, '-p', 'server', '--servers', path, '-t', '60ms', '-s', str(seed)))

    def test_plans(self):
        for seed in range(24):
            rng = random.Random(seed)
            slots = random_slots(rng, rng.randrange(2, 4), 1)
            plugin = rng.choice(('sekg', 'npsf', 'npsf:reclaim=1'))
            late = rng.choice((0, 0, 5))
            options = ['-p', plugin, '-c', str(len(slots.table)), '-t', '60ms', '-s', str(seed),
                       '--plan', self.plan_file(slots), '--jitter', f'{late}us', '--stop-delay', f'{late}us']
            tasks = 'name,period,deadline,wcet,group,kind\n'
            for group in sorted({reserve[3] for reserve in slots.reserves}):
                for _ in range(rng.randrange(1, 3)):
                    period = rng.randrange(2, 12)
                    tasks += f't{group},{period}ms,{period}ms,{period * rng.randrange(5, 25) * 10}us,{group},periodic\n'
            with self.subTest(seed=seed, options=options):
                # a hand-over has a timer, two kicks and a departure in it
                checker = self.assert_legal(self.simulate(tasks, *options), tolerance=6 * late * 1000,
                                            npsf='npsf-reclaim' if 'reclaim' in plugin else 'npsf')
                self.assertGreater(checker.rules['slot'].checked, 10)

    def plan_file(self, slots):
        path = os.path.join(self.dir.name, 'plan.txt')
        with open(path, 'w') as file:
            file.write(f'slot, {slots.slot * T}\nfrom, 0\n')
            for cpu, begin, end, group in slots.reserves:
                file.write(f'{group}, {cpu}, {begin * T}, {end * T}\n')
        return path

    def test_one_plugin_is_not_another(self):
        tasks = 'name,period,deadline,wcet,priority\na,10ms,10ms,3ms,3\nb,15ms,8ms,4ms,2\nc,35ms,35ms,14ms,1\n'
        for plugin in ('edf', 'fifo', 'fp:order=rm', 'fp:order=dm', 'fp:order=explicit'):
            lines = self.simulate(tasks, '-p', plugin, '-t', '300ms')
            name, _, option = plugin.partition(':order=')
            for order in ('edf', 'fifo') + ORDERS:
                with self.subTest(plugin=plugin, order=order):
                    found = broken(check(lines, **{name: order}))
                    self.assertEqual(found, set() if order == (option or name) else {'order'})


if __name__ == '__main__':
    unittest.main()
