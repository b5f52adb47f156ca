#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""bench/overhead/moves: what it prints of moves, and whose instructions it counts."""

import array
import json
import os
import subprocess
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(TOP, 'bench/overhead/moves')

BASE = 0xffffffff80000000
# Functions of 16 bytes each, one instruction a byte.
NAMES = [('schedule', ''), ('asm_sysvec_apic_timer_interrupt', ''),
         ('resch_clock_timer', '[resch]'), ('npsf_pick', '[resch_npsf]'), ('kthread', '[other]')]
KALLSYMS = ''.join(f'{BASE + 16 * i:016x} t {name}\t{module}\n'
                   for i, (name, module) in enumerate(NAMES))
END, BEGIN = 2, 1


def run(name, count):
    return [BASE + 16 * [each for each, _ in NAMES].index(name) + i for i in range(count)]


def window(*parts):
    inside = [word for part in parts for word in part]
    return [END, 0x400000, *inside, 0x400000, BEGIN]


CALL = window(run('schedule', 9))
OVER = window(run('asm_sysvec_apic_timer_interrupt', 3), run('resch_clock_timer', 5),
              run('npsf_pick', 4), run('kthread', 8))
# The first interrupt is the one by which it was stopped.
BACK = window(run('asm_sysvec_apic_timer_interrupt', 3), run('resch_clock_timer', 5),
              run('schedule', 9), run('asm_sysvec_apic_timer_interrupt', 3),
              run('resch_clock_timer', 6), run('npsf_pick', 1))


class Program(unittest.TestCase):
    def test_table(self):
        results = []
        for by, medians in (('call', (50, 40)), ('sekg', (60, 30)), ('npsf', (45, 31))):
            results += [{'measure': 'move', 'by': by, 'way': way, 'median': median,
                         'min': median - 1, 'max': median + 1}
                        for way, median in zip(('over', 'back'), medians)]
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ('json', 'trace', 'kallsyms')]
            with open(paths[0], 'w', encoding='utf-8') as file:
                json.dump({'about': 'a kernel', 'results': results}, file)
            with open(paths[1], 'wb') as file:
                array.array('Q', 2 * (CALL + CALL) + 4 * (OVER + BACK)).tofile(file)
            with open(paths[2], 'w', encoding='utf-8') as file:
                file.write(KALLSYMS)
            text = subprocess.run([PROGRAM, *paths], stdout=subprocess.PIPE, text=True,
                                  check=True).stdout
        words = [line.split() for line in text.splitlines()]
        self.assertIn('sched_setaffinity(), there and back 90 0 1.000'.split(), words)
        self.assertIn('split by S-EKG, as one reserve ends and the next begins '
                      '60 9 0.667 59-61'.split(), words)
        self.assertIn('split by NPS-F, asleep, as its reserve begins '
                      '31 7 0.344 30-32'.split(), words)
        self.assertIn('split by S-EKG, asleep, as its reserve begins: '
                      '0.333, at most 0.333: met'.split(), words)


if __name__ == '__main__':
    unittest.main()
