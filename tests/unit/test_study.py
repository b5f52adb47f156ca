#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The schedulability study in short: what is accepted holds, and a study that would not is noticed.

usage: RESCH_STUDY=PATH test_study.py
"""

import json
import os
import subprocess
import tempfile
import unittest

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
STUDY = os.environ.get('RESCH_STUDY', TOP + '/build/host/obj/bench/study/resch-study')
RUN = TOP + '/bench/study/run'

# Stands where resch-study stands, and lies: about what it took, or what its simulations have shown.
LIAR = """#!/bin/sh
case "$*" in *--tightness*) exec %(study)s "$@" ;; esac
%(study)s "$@" 2>"$0.err" | sed '%(lines)s'
sed '%(tally)s' "$0.err" >&2
exit %(status)s
"""


class Study(unittest.TestCase):
    def run_study(self, *arguments, program=STUDY):
        return subprocess.run([RUN, '--quick', '--sets=4', *arguments], capture_output=True,
                              text=True, timeout=120,
                              env={**os.environ, 'RESCH_STUDY': program})

    def test_quick(self):
        with tempfile.NamedTemporaryFile('r', suffix='.json') as file:
            result = self.run_study('--output', file.name)
            self.assertEqual(result.returncode, 0, result.stderr)
            found = json.load(file)
        self.assertIn(' 0 missed, 0 in parallel', result.stdout)
        self.assertGreater(found['simulated']['runs'], 300)
        self.assertEqual(sorted(found['curves']), ['12/none', '12/paper', '6/none', '6/paper'])
        for curves in found['curves'].values():
            self.assertEqual(curves['utilization'], [0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
            for ratios in curves.values():
                self.assertTrue(all(0 <= ratio <= 1 for ratio in ratios))
        self.assertEqual(len(found['tightness']), 20)

    def test_lies(self):
        cases = (('2,$s/^1/0/', '', 0, 'below its bound'),
                 ('2,$s/,1,\\([01]\\),\\([01]\\),\\([01]\\),\\([01]\\)$/,0,1,\\2,\\3,\\4/', '', 0,
                  'more than NPS-F'),
                 ('', 's/misses=0/misses=1/', 1, 'misses=1'),
                 ('', 's/parallel=0/parallel=3/', 0, 'simulations'),
                 ('', 's/shrunk_missed=[0-9]*/shrunk_missed=0/', 0, 'hardly anything'))
        with tempfile.TemporaryDirectory() as directory:
            liar = directory + '/liar'
            for lines, tally, status, message in cases:
                with open(liar, 'w', encoding='utf-8') as file:
                    file.write(LIAR % {'study': STUDY, 'lines': lines, 'tally': tally,
                                       'status': status})
                os.chmod(liar, 0o755)
                result = self.run_study(program=liar)
                self.assertEqual(result.returncode, 1, lines + tally)
                self.assertIn(message, result.stderr)

    def test_arguments(self):
        self.assertEqual(self.run_study(program='/nonexistent').returncode, 2)
        self.assertEqual(self.run_study('--points=1').returncode, 2)
        for arguments in (['--cpus=x'], ['--irq=5'], ['--nonsense']):
            self.assertEqual(subprocess.run([STUDY, *arguments], input='', capture_output=True,
                                            text=True).returncode, 2)
        self.assertEqual(subprocess.run([STUDY], input='1,2,3\n', capture_output=True,
                                        text=True).returncode, 1)


if __name__ == '__main__':
    unittest.main()
