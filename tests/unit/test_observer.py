#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What bench/latency and bench/balance make of what they measured: values worked out by hand, and
pretended runs."""

import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

BENCH = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../bench'))
sys.path[:0] = [BENCH, BENCH + '/latency', BENCH + '/balance']
import observed  # noqa: E402
import results  # noqa: E402
import spread  # noqa: E402
import tables  # noqa: E402


def program(name):
    """A program of bench/latency as a module."""
    loader = importlib.machinery.SourceFileLoader(name, f'{BENCH}/latency/{name}')
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


path, workload = program('path'), program('workload')

SECOND = 10**9


def stats(count, p999, longest, least=1000):
    return {'count': count, 'min': least, 'avg': least, 'p50': least, 'p99': least, 'p99.9': p999,
            'p99.99': p999, 'p99.999': p999, 'max': longest, 'histogram': [[1024, count]]}


def look(time, idle, **loads):
    return {'time': time, 'idle': idle, 'cpus': 4,
            'loads': {kind: {'done': done, 'cpu': cpu} for kind, (done, cpu) in loads.items()}}


class Throughput(unittest.TestCase):
    # Two seconds: 300 pings more, 0.5 CPUs; 1.5 CPUs of computing; one CPU of four idle.
    BEFORE = look(5 * SECOND, SECOND, net=(100, 0), compute=(10, SECOND))
    AFTER = look(7 * SECOND, 3 * SECOND, net=(400, SECOND), compute=(50, 4 * SECOND))

    def test_on_a_machine_it_is_operations_a_second(self):
        found = results.throughput(self.BEFORE, self.AFTER, False)
        self.assertEqual(found,
                         {'net': {'rate': 150, 'cpu': 0.5}, 'compute': {'rate': 20, 'cpu': 1.5}})

    def test_an_emulated_cpu_is_faster_while_another_is_idle(self):
        found = results.throughput(self.BEFORE, self.AFTER, True)
        self.assertEqual(found['net']['rate'], 150 * 3 / 4)
        self.assertEqual(found['compute']['rate'], 1.5)

    def test_time_has_to_pass(self):
        with self.assertRaises(results.Broken):
            results.throughput(self.BEFORE, self.BEFORE, False)


class Latency(unittest.TestCase):
    def record(self, share=0.9, shielded=20000):
        def phase(user, compute=None):
            entry = {'user': user, 'kernel': stats(2000, 3000, 4000), 'overruns': 0,
                     'period': 500000,
                     'work': {'99': stats(30, 1500, 1600), '0': stats(30, 2500, 3000)}}
            if compute:
                entry['loads'] = {'compute': {'rate': compute, 'cpu': 2.0}}
            return entry
        return {'kernel': '6.12', 'emulated': True, 'phases': {
            'idle': phase(stats(2000, 5000, 6000)),
            'loaded': phase(stats(2000, 100000, 250000), 2.0),
            'shield': phase(stats(2000, shielded, 50000), 2.0 * share)}}

    def test_goals_are_met_at_exactly_five_times_and_nine_tenths(self):
        self.assertEqual([holds for *_, holds in tables.verdicts(self.record())],
                         [True, True, True])
        self.assertEqual([holds for *_, holds in tables.verdicts(self.record(share=0.89))],
                         [True, True, False])
        self.assertEqual([holds for *_, holds in tables.verdicts(self.record(shielded=20001))],
                         [False, True, True])

    def test_the_floor_says_what_protection_could_reach(self):
        record = self.record()
        self.assertNotIn('elsewhere', tables.text(record))
        record['phases']['floor'] = {**record['phases']['idle'], 'user': stats(2000, 12500, 50000)}
        self.assertEqual([(words.split('(')[-1], holds)
                          for _, _, words, holds in tables.verdicts(record)][:2],
                         [('8.0 times if all others only compute, elsewhere)', True),
                          ('5.0 times if all others only compute, elsewhere)', True)])

    def test_a_percentile_that_too_few_samples_have_is_not_given(self):
        row = next(line for line in tables.latencies(self.record())
                   if line.startswith('SCHED_FIFO 99, loaded'))
        self.assertEqual(row.split()[3:],
                         ['3.0', '-', '-', '4.0', '100.0', '-', '-', '250.0', '2000'])

    def test_variation_is_beyond_the_least_of_all(self):
        row = next(line for line in tables.variation(self.record())
                   if line.startswith('stock, loaded'))
        self.assertEqual(row.split()[2:], ['2.0', '200.00', '0.6', '60.00'])

    def test_costs_are_of_unshielded(self):
        lines = tables.costs(self.record(share=0.75))
        self.assertEqual([line.split()[-1] for line in lines], ['compute', '100', '75', '2.00'])

    def test_run_reads_what_phases_leave(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'records')
            with open(path, 'w', encoding='utf-8') as file:
                json.dump([self.record()], file)
            done = subprocess.run([BENCH + '/latency/run', '--from', path],
                                  capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('maximum: 5.0 times better', done.stdout)
        self.assertIn('load compute: 90 % of its throughput: yes', done.stdout)

    def test_every_load_is_in_the_goal(self):
        record = self.record()
        for phase, rate in (('loaded', 100), ('shield', 80)):
            record['phases'][phase]['loads']['disk'] = {'rate': rate, 'cpu': 1.0}
        self.assertEqual([(words, holds) for _, _, words, holds in tables.verdicts(record)][2:],
                         [('load compute: 90 % of its throughput', True),
                          ('load disk: 80 % of its throughput', False)])

    def test_what_kernels_offer_has_no_goal(self):
        record = self.record()
        record['phases']['full'] = record['phases']['shield']
        record['phases']['partition'] = record['phases']['shield']
        self.assertEqual({phase for phase, *_ in tables.verdicts(record)}, {'shield'})

    def test_boots_are_least_median_and_largest(self):
        records = [self.record(share, shielded)
                   for share, shielded in ((0.9, 20000), (0.5, 10000), (1.0, 25000))]
        found = spread.text([dict(record, arguments='isolcpus=3') for record in records])
        self.assertIn('6.12 isolcpus=3 (emulated, on a clock that counts instructions), 3 boots',
                      found)
        _, kept, reached = [[cell.strip() for cell in line.split('  ')[1:] if cell]
                            for line in found.splitlines() if line.startswith('shield, loaded')]
        self.assertEqual(kept[:3], ['4.0 / 5.0 / 10.0', '5.0 / 5.0 / 5.0', '50 / 90 / 100'])
        self.assertIn('10.0 / 20.0 / 25.0 50.0 / 50.0 / 50.0 2000', ' '.join(found.split()))
        self.assertEqual(reached[:3], ['2', '3', '2'])
        self.assertIn('boots that reach it  99.9 %: 5 times  maximum: 5 times  compute: 90 %',
                      found)

    def test_only_boots_of_one_kernel_and_one_command_line_are_compared(self):
        records = [self.record(), dict(self.record(), arguments='isolcpus=3'), self.record()]
        self.assertEqual([len(boots) for boots in spread.groups(records)], [2, 1])


class Workload(unittest.TestCase):
    # As cyclictest -q prints it.
    SAID = '# /dev/cpu_dma_latency set to 0us\nT: 0 (  211) P:80 I:1000 C:    150 Min:      4 Act:    9 Avg:   12 Max:     345\n'

    def test_cyclictest(self):
        self.assertEqual(workload.latencies(self.SAID), (4, 12, 345))
        with self.assertRaises(workload.Broken):
            workload.latencies('cyclictest: command not found\n')

    def test_table(self):
        entry = {'SCHED_OTHER': [(1, 2, 3)] * 6, 'SCHED_RR 80': [(1, 4, 6)] * 6,
                 'SCHED_FIFO 80': [(1, 5, 7)] * 6, 'interrupts': [150, 300, 30, 0, 1, 2],
                 'pin': {'SCHED_OTHER': {'edge': stats(1000, 2000, 9000),
                                         'toggle': stats(100, 300, 4000)}}}
        text = workload.text({'kernel': '7.2', 'pin': 'gpio:/dev/gpiochip0:0', 'count': 150,
                              'percents': list(workload.PERCENTS),
                              'configurations': {'stock': entry}})
        self.assertIn('17780', text)
        self.assertEqual(text.count('5 / 7'), 6)
        self.assertEqual(text.count('4 / 6'), 6)
        self.assertIn('2.00', text)
        self.assertIn('takes: at most', text)
        self.assertRegex(text, r'stock, SCHED_OTHER +1\.0 +1\.0 +9\.0 +1\.0 +1\.0 +4\.0')


class Path(unittest.TestCase):
    SYMBOLS = ['ffffffff81000000 T asm_sysvec_apic_timer_interrupt',
               'ffffffff81000100 t __pfx_do_nanosleep', 'ffffffff81000110 t do_nanosleep',
               'ffffffff81000200 D data', 'ffffffffc0000000 t hook\t[resch]']
    INTERRUPT, SLEEP, HOOK, USER = (0xffffffff81000004, 0xffffffff81000110,
                                    0xffffffffc0000010, 0x401000)

    def found(self, *executed):
        lines = [f'Trace {cpu}: 0x7f8707313f00 [00000000/{address:016x}/18c0c2b3/ff022201] \n'
                 for cpu, address in executed]
        return path.wakeups(['Linking TBs\n', *lines], path.Symbols(self.SYMBOLS), 3)

    def test_a_wakeup_is_from_the_interrupt_to_user_mode(self):
        found = self.found((3, self.SLEEP), (3, self.USER), (3, self.INTERRUPT), (0, self.USER),
                           (3, self.HOOK), (3, self.HOOK), (3, self.SLEEP), (3, self.SLEEP + 0xe0),
                           (3, self.USER), (3, self.INTERRUPT))
        self.assertEqual(found,
                         [['asm_sysvec_apic_timer_interrupt', 'hook [resch]', 'hook [resch]',
                           'do_nanosleep', 'do_nanosleep']])
        said = path.text('7.2', 'artis', found, 1)
        self.assertIn('1 wake-ups, instructions from the interrupt to user mode: 5 at least, '
                      '5 in the middle, 5 at most', said)
        self.assertIn('2 are of resch, 3 of the kernel', said)

    def test_an_interrupt_that_wakes_nobody_is_none(self):
        self.assertEqual(self.found((3, self.INTERRUPT), (3, self.USER)), [])


class Balance(unittest.TestCase):
    RECORD = {'kernel': '6.12', 'configuration': 'stock', 'cpus': 2, 'first': 4 * SECOND,
              'idle': [0, SECOND],
              'groups': [{'name': 'a', 'ends': True}, {'name': 'b', 'ends': False}],
              'tasks': [{'group': 0, 'time': 4 * SECOND, 'cpu': [3, 1], 'voluntary': 1,
                         'involuntary': 10},
                        {'group': 1, 'time': 9 * SECOND, 'cpu': [0, 7], 'voluntary': 2,
                         'involuntary': 0},
                        {'group': 0, 'time': 6 * SECOND, 'cpu': [2, 4], 'voluntary': 4,
                         'involuntary': 20}],
              'samples': [[0, [0, 1, 0]], [SECOND, [0, 1, 1]], [5 * SECOND, [-1, 1, 1]]]}

    def test_groups(self):
        first, second = observed.groups(self.RECORD)
        self.assertEqual(first['shares'], [0.5, 0.5])
        self.assertEqual(first['times'], (4, 5, 6))
        self.assertEqual((first['tasks'], first['voluntary'], first['involuntary']), (2, 2.5, 15))
        self.assertEqual(second['shares'], [0, 1])

    def test_moves_are_those_of_guarded_configurations(self):
        count = {'lent': 9, 'moved': 1, 'moved_other': 2, 'faults': 3, 'signals': 4, 'recalled': 5,
                 'to_load': 6, 'from_load': 7, 'pushed': 8, 'kept': 11}
        lines = observed.moves([{**self.RECORD, 'moves': {}},
                                {**self.RECORD, 'configuration': 'artis', 'moves': count}])
        self.assertEqual([line.split() for line in lines[2:]],
                         [['artis', '9', '8', '11', '10', '7', '5']])
        self.assertEqual(observed.moves([self.RECORD]), [])

    def test_idle_is_of_the_time_until_the_first_ends(self):
        self.assertEqual(observed.idle(self.RECORD), [0, 0.25])

    def test_over_time(self):
        self.assertEqual(observed.over_time(self.RECORD, 0), ([0, 1, 5], [[2, 1, 0], [0, 1, 1]]))

    def test_table_has_the_report_beside(self):
        text = observed.table('estimation', [self.RECORD])
        self.assertIn('50 50', text)
        self.assertIn('0.0 25.0', text)
        self.assertIn('220 / 245 / 264', text)


if __name__ == '__main__':
    unittest.main()
