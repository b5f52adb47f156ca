# SPDX-License-Identifier: GPL-2.0
"""The simulator, which runs the plugins' own sources, against the checker, which knows none of
them."""

import os
import random
import unittest

from common import T, broken, check
from simulator import TREE, SimulatorTest, put, random_chains, random_set, simulate, simulate_chains
from slotted import random_slots

ORDERS = ('dm', 'rm', 'explicit')
PROTOCOLS = ('ds', 'pm', 'mpm', 'rg1', 'rg')


class Simulator(SimulatorTest):
    def test_random_sets(self):
        for seed in range(40):
            rng = random.Random(seed)
            fp, cpus = rng.choice(ORDERS), rng.choice((1, 1, 2, 4))
            plugins = ['edf', 'fifo', 'fp:order=' + fp, 'demo']
            options = ['-p', rng.choice(plugins), '-c', str(cpus), '-t', '40ms', '-s', str(seed)]
            for tick in sorted(rng.sample(range(1, 40), rng.randrange(3))):
                options += ['--swap', f'{rng.choice(plugins)}@{tick}ms']
            with self.subTest(seed=seed, options=options):
                self.assert_legal(simulate(random_set(rng, cpus), *options), fp=fp)

    def test_plans(self):
        for seed in range(24):
            rng = random.Random(seed)
            slots = random_slots(rng, rng.randrange(2, 4), 1)
            plugin = rng.choice(('sekg', 'npsf', 'npsf:reclaim=1'))
            late = rng.choice((0, 0, 5))
            options = ['-p', plugin, '-c', str(len(slots.table)), '-t', '60ms', '-s', str(seed),
                       '--plan', self.plan_file(slots), '--jitter', f'{late}us', '--stop-delay',
                       f'{late}us']
            tasks = 'name,period,deadline,wcet,group,kind\n'
            for group in sorted({reserve[3] for reserve in slots.reserves}):
                for _ in range(rng.randrange(1, 3)):
                    period = rng.randrange(2, 12)
                    tasks += f't{group},{period}ms,{period}ms,{period * rng.randrange(5, 25) * 10}us,{group},periodic\n'
            with self.subTest(seed=seed, options=options):
                # a hand-over has a timer, two kicks and a departure in it
                checker = self.assert_legal(simulate(tasks, *options), tolerance=6 * late * 1000,
                                            npsf='npsf-reclaim' if 'reclaim' in plugin else 'npsf')
                self.assertGreater(checker.rules['slot'].checked, 10)

    def plan_file(self, slots):
        return put('plan.txt', f'slot, {slots.slot * T}ns\nfrom, 0\n' + ''.join(
            f'{group}, {cpu}, {begin * T}ns, {end * T}ns\n'
            for cpu, begin, end, group in slots.reserves))

    def test_chains(self):
        handed = 0
        for seed in range(40):
            rng = random.Random(seed)
            protocols = PROTOCOLS if seed % 4 == 3 else [PROTOCOLS[seed % 5]]
            chains = random_chains(rng, rng.randrange(1, 4), protocols)
            options = ['-p', rng.choice(('fp', 'fp', 'edf')), '-t', '200ms', '-s', str(seed)]
            with self.subTest(seed=seed, options=options, chains=chains):
                checker = self.assert_legal(simulate_chains(chains, *options), fp='explicit')
                handed += checker.rules['chain-release'].checked
        self.assertGreater(handed, 500)

    def test_forks(self):
        handed = 0
        for seed in range(40):
            rng = random.Random(seed)
            chains = random_chains(rng, rng.randrange(1, 4), [('ds', 'pm', 'rg1', 'rg')[seed % 4]],
                                   forks=True)
            options = ['-p', rng.choice(('fp', 'fp', 'edf')), '-t', '200ms', '-s', str(seed)]
            options += ['--skip-late'] * (seed % 3 == 0)
            with self.subTest(seed=seed, options=options, chains=chains):
                checker = self.assert_legal(simulate_chains(chains, *options), fp='explicit')
                handed += checker.rules['chain-release'].checked
        self.assertGreater(handed, 2000)

    def test_one_protocol_is_not_another(self):
        """Of chains that say of themselves that they are released otherwise."""
        with open(os.path.join(TREE, 'bench/chain/thaker.csv'), encoding='utf-8') as file:
            chains = file.read()
        for number, protocol in enumerate(PROTOCOLS):
            lines = simulate_chains(chains, '--protocol', protocol, '-t', '3s')
            for other in range(len(PROTOCOLS)):
                # rg may be as late as rg1, and rg1 is pm and mpm whose phases have passed; the
                # trace of rg1 has none
                if other == number or (protocol, PROTOCOLS[other]) in (('rg1', 'rg'), ('rg1', 'pm'),
                                                                       ('rg1', 'mpm')):
                    continue
                told = [line.replace(f' protocol={number} ', f' protocol={other} ')
                        for line in lines]
                with self.subTest(protocol=protocol, told=PROTOCOLS[other]):
                    self.assertIn('chain-release', broken(check(told, fp='explicit')))

    def test_what_is_late_is_skipped(self):
        chains = 'chain,period,deadline,protocol,stage,wcet,cpu\na,10ms,30ms,PROTOCOL,x,2ms,0\na,,,,y,9ms,1\nb,10ms,10ms,PROTOCOL,z,3ms,1\n'
        for protocol in ('ds', 'rg1', 'rg'):   # the others have no phases then
            lines = simulate_chains(chains.replace('PROTOCOL', protocol), '-t', '1s', '--skip-late')
            with self.subTest(protocol=protocol):
                self.assertTrue(any('resch_chain ' in line and ' what=32 ' in line
                                    for line in lines))
                self.assertEqual(broken(check(lines, fp='explicit')) - {'deadline'}, set())

    def test_latencies_are_no_chains_of_the_trace(self):
        chains = 'chain,period,deadline,protocol,stage,wcet,cpu\na,10ms,20ms,rg,x,2ms,0\na,,,,y,3ms,1\n'
        self.assertTrue(any('resch_chain ' in line
                            for line in simulate_chains(chains, '-t', '50ms')))
        for options in (['--handover=1ms'], ['--clock-skew=1ms'], ['--lost=1']):
            self.assertFalse(any('resch_chain' in line
                                 for line in simulate_chains(chains, '-t', '50ms', *options)))

    def test_one_plugin_is_not_another(self):
        tasks = 'name,period,deadline,wcet,priority\na,10ms,10ms,3ms,3\nb,15ms,8ms,4ms,2\nc,35ms,35ms,14ms,1\n'
        for plugin in ('edf', 'fifo', 'fp:order=rm', 'fp:order=dm', 'fp:order=explicit'):
            lines = simulate(tasks, '-p', plugin, '-t', '300ms')
            name, _, option = plugin.partition(':order=')
            for order in ('edf', 'fifo') + ORDERS:
                with self.subTest(plugin=plugin, order=order):
                    found = broken(check(lines, **{name: order}))
                    self.assertEqual(found, set() if order == (option or name) else {'order'})


if __name__ == '__main__':
    unittest.main()
