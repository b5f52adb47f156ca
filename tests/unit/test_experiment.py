#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The experiment in short: what it says is so, and one that went wrong is noticed.

usage: RESCHCTL=PATH RESCH_SIM=PATH test_experiment.py
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
BUILD = TOP + '/build/host/obj'
RESCHCTL = os.environ.get('RESCHCTL', BUILD + '/tools/reschctl')
SIM = os.environ.get('RESCH_SIM', BUILD + '/bench/sim/resch-sim')
EXPERIMENT = TOP + '/bench/experiment'
RUN = EXPERIMENT + '/run'
sys.path.insert(0, EXPERIMENT)
import overheads  # noqa: E402
import sets  # noqa: E402

SECOND = 10**9

# Stand where the programs stand, and lie.
LYING_SIM = """#!/bin/sh
case "$*" in
*--json*) {sim} "$@" | sed '{json}' ;;
*) {sim} "$@" | sed '{trace}' ;;
esac
exit {status}
"""
STUBBORN = """#!/bin/sh
case "$*" in *{word}*) echo 'reschctl: {message}' >&2; exit 1 ;; esac
exec {reschctl} "$@"
"""


def call(*arguments, **programs):
    return subprocess.run([RUN, *arguments], capture_output=True, text=True, timeout=300,
                          env={**os.environ, 'RESCHCTL': RESCHCTL, 'RESCH_SIM': SIM, **programs})


class Experiment(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def program(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        os.chmod(path, 0o755)
        return path

    def short(self, *arguments, **programs):
        return call('--quick', '--sets=1', '--time=500ms', *arguments, **programs)

    def test_quick(self):
        path = os.path.join(self.directory, 'records.json')
        result = call('--quick', '--output', path)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(path, encoding='utf-8') as file:
            records = json.load(file)
        self.assertEqual([(record['cpus'], record['number'], record['algorithm'])
                          for record in records],
                         [(4, number, name) for number in (1, 2, 3) for name in ('sekg', 'npsf')])
        for record in records:
            self.assertTrue(0.88 <= record['utilization'] <= 0.885, record)
            self.assertEqual((record['misses'], record['parallel'], record['verdict'],
                              record['broken']),
                             (0, 0, 'legal', []))
            self.assertEqual((record['where'], record['time'], record['judged']),
                             ('sim', 2 * SECOND, 2 * SECOND))
            self.assertIn(record['sizes'], ('formula', 'exact'))
            # the shortest period, less the release jitter
            self.assertEqual(record['slot'], (record['shortest'] - 31834) // record['delta'])
            self.assertTrue(0 < record['split'] <= record['tasks'])
            self.assertGreater(record['migrations'], 0)
            self.assert_jobs(record)
        # which is what the tables are made of
        again = call('--from', path)
        self.assertEqual((again.returncode, again.stdout), (0, result.stdout))
        self.assertIn('sekg: 3 of 3 sets accepted with overheads', result.stdout)
        self.assertIn('0 misses; on two CPUs at once: 0; resch-check: 3 of 3 traces of 2 s legal',
                      result.stdout)

    def test_disk(self):
        """There is room for it, on the last CPU, and it comes there."""
        for cpus, disk in ((4, (24226, 10000000, 3)), (24, (35584, 10000000, 23))):
            charges = overheads.of_machine(cpus, True)
            self.assertEqual(charges.disk, disk)
            text = '%dns/%dns@%d' % disk
            self.assertEqual(charges.options()[-2:], ['--irq', text])
            self.assertTrue(charges.words().endswith(',irq=' + text))
        plain, disk = (self.short('--algorithms', 'sekg', '--json', *more)
                       for more in ([], ['--disk']))
        self.assertEqual(disk.returncode, 0, disk.stderr)
        (plain,), (disk,) = json.loads(plain.stdout), json.loads(disk.stdout)
        self.assertEqual((disk['overheads'], disk['misses'], disk['verdict']),
                         ('paper4 and a disk', 0, 'legal'))
        self.assertNotEqual((plain['slot'], plain['preemptions']),
                            (disk['slot'], disk['preemptions']))

    def assert_jobs(self, record):
        """As many as the set, made anew, can have had."""
        text = subprocess.run([sys.executable, TOP + '/bench/gen/resch_gen.py',
                               *record['command'].split()[1:]],
                              capture_output=True, text=True, check=True).stdout
        rows = [[int(field) for field in line.split(',')] for line in text.splitlines()
                if line[0] != '#']
        self.assertEqual(len(rows), record['tasks'])
        self.assertAlmostEqual(sum(row[2] / row[3] for row in rows) / record['cpus'],
                               record['utilization'], places=6)
        most = sum((record['time'] - row[6]) // row[3] + 1 for row in rows)
        least = sum((record['time'] - row[7]) // row[4] - 1 for row in rows)
        self.assertTrue(least <= record['jobs'] <= most, (least, record['jobs'], most))

    def test_lies(self):
        """(of the statistics, of the trace, status of the program, what is said)"""
        cases = (('0,/"misses": 0/s//"misses": 1/', '', 0, 'misses=1'),
                 ('s/"parallel": 0/"parallel": 2/', '', 0, 'parallel=2'),
                 ('', '/resch_release/s/ deadline=/ deadline=1/', 0, "broken=('deadline'"),
                 ('', 's/ cpu=1 / cpu=0 /', 0, "broken=('one-task'"))
        for json_, trace, status, message in cases:
            sim = self.program('sim',
                               LYING_SIM.format(sim=SIM, json=json_, trace=trace, status=status))
            result = self.short('--algorithms', 'npsf', RESCH_SIM=sim)
            self.assertEqual(result.returncode, 1, json_ + trace + result.stderr)
            self.assertIn(message, result.stderr)
        sim = self.program('sim', LYING_SIM.format(sim=SIM, json='', trace='', status=4))
        self.assertEqual(self.short(RESCH_SIM=sim).returncode, 2)

    def test_refusals(self):
        """What is refused with overheads is assigned without, and says so; its misses are no
        failure."""
        reschctl = self.program('reschctl',
                                STUBBORN.format(word='overheads', message='refused: no room',
                                                reschctl=RESCHCTL))
        sim = self.program('sim', LYING_SIM.format(sim=SIM, json='0,/"misses": 0/s//"misses": 1/',
                                                   trace='', status=0))
        result = self.short('--algorithms', 'sekg', '--json', RESCHCTL=reschctl, RESCH_SIM=sim)
        self.assertEqual(result.returncode, 0, result.stderr)
        record = json.loads(result.stdout)[0]
        self.assertEqual((record['sizes'], record['delta'], record['misses']), ('bare', 4, 1))
        self.assertEqual(record['refusals'], [{'sizes': 'formula', 'reason': 'no room'},
                                              {'sizes': 'exact', 'reason': 'no room'}])
        text = self.short('--algorithms', 'sekg', RESCHCTL=reschctl, RESCH_SIM=sim).stdout
        self.assertIn('sekg: 0 of 1 sets accepted with overheads', text)
        self.assertIn('; 1 without: ', text)
        self.assertIn('refused: set 1, sekg, formula, exact: no room', text)
        # nothing at all
        result = self.short('--sizes', 'formula', RESCHCTL=reschctl)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn('npsf: nothing accepted', result.stdout)
        # but a group on two CPUs at once is one
        sim = self.program('sim', LYING_SIM.format(sim=SIM, json='s/"parallel": 0/"parallel": 2/',
                                                   trace='', status=0))
        self.assertEqual(self.short(RESCHCTL=reschctl, RESCH_SIM=sim).returncode, 1)
        # and what is no refusal
        reschctl = self.program('reschctl',
                                STUBBORN.format(word='overheads', message='out of memory',
                                                reschctl=RESCHCTL))
        result = self.short(RESCHCTL=reschctl)
        self.assertEqual(result.returncode, 2)
        self.assertIn('out of memory', result.stderr)

    def test_overheads(self):
        """The paper's have the same values here and in reschctl; a simulation comes up to them, and
        not beyond."""
        task_set = sets.generate(4, 2, 0.5, 1, 1.1)
        for name, charges in overheads.KNOWN.items():
            layouts = [subprocess.run([RESCHCTL, 'assign', '--json', '--cpus=0-3', '--exact',
                                       f'--overheads={words}', '-'],
                                      input=task_set.text, capture_output=True, text=True).stdout
                       for words in (name, charges.words())]
            self.assertIn('"reserves"', layouts[0])
            self.assertEqual(*layouts)
            simulator = subprocess.run([SIM, '--time=2s', '--overhead=0', *charges.options(),
                                        '--trace=-', '-'],
                                       input=layouts[0], capture_output=True, text=True)
            checker = subprocess.run([TOP + '/tools/trace/resch-check', '--jitter', '--json',
                                      f'-t{charges.tolerance()}ns', '-'], input=simulator.stdout,
                                     capture_output=True, text=True)
            self.assertEqual(checker.returncode, 0, checker.stdout + checker.stderr)
            worst = {kind: found['max_ns']
                     for kind, found in json.loads(checker.stdout)['jitter'].items()}
            # what is beyond the selection of a task is not in a simulated trace: it leaves, and the
            # next one comes
            self.assertTrue(0.8 < (worst['ResJ'] + charges.switch) / charges.reserve <= 1, worst)
            self.assertTrue(0.5 < worst['RelJ'] / charges.release <= 1, worst)

    def test_tasks(self):
        """As many as in the paper's sets: 6 to 28, 74 to 191."""
        for cpus, low, high in ((4, 6, 28), (24, 74, 191)):
            counts = [sets.generate(cpus, number, sets.umax_of(cpus, number, 17), 1, 1).tasks
                      for number in range(1, 18)]
            self.assertTrue(low * 0.8 <= min(counts) <= low * 1.2 and high * 0.8 <= max(counts) <=
                            high * 1.2, counts)
        self.assertEqual(sets.umax_of(4, 1, 17), 1)

    def test_pipe(self):
        tasks = 'name,min_exec,wcet,period,max_period\n1,6ms,12ms,20ms,30ms\n2,1ms,12ms,20ms,20ms\n3,12ms,12ms,20ms,\n'
        layout = subprocess.run([RESCHCTL, 'assign', '--json', '--method=sekg', '--cpus=2-3', '-'],
                                text=True,
                                capture_output=True, input=tasks).stdout
        result = subprocess.run([SIM, '--json', '--time=200ms', '-'], input=layout,
                                capture_output=True, text=True)
        found = json.loads(result.stdout)
        self.assertEqual((found['plugin'], found['cpus'], found['busy'][:2]), ('sekg', 4, [0, 0]))
        for arguments, text, message in (((), layout[:-9], 'no JSON: it ends too early'),
                                         (('--cpus=3',), layout, 'on CPUs that are not there'),
                                         ((), layout.replace('"wcet"', '"cost"'),
                                          'tasks[0].wcet: is missing')):
            result = subprocess.run([SIM, *arguments, '-'], input=text,
                                    capture_output=True, text=True)
            self.assertEqual(result.returncode, 2)
            self.assertIn(message, result.stderr)

    def test_arguments(self):
        for words in (['--sets=-1'], ['--cpus=1'], ['--umax=2'], ['--factor=0.5'], ['--time=x'],
                      ['--sizes=large'], ['--from', '/nonexistent'], ['--from', RUN]):
            self.assertEqual(call('--quick', *words).returncode, 2, words)
        self.assertEqual(self.short(RESCHCTL='/nonexistent').returncode, 2)
        self.assertEqual(self.short(RESCH_SIM='/nonexistent').returncode, 2)


if __name__ == '__main__':
    unittest.main()
