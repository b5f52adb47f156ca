# SPDX-License-Identifier: GPL-2.0
"""Time slots for a task set, by reschctl assign: first with room for overheads, and if that is
refused, without.

  formula  the papers' sizes, with overheads; the least delta with which all fits
  exact    sizes by demand, with overheads; the least delta
  bare     the papers' sizes, without overheads and with delta 4: how the paper assigned its sets.
           Their utilization is below S-EKG's bound for delta 4, 0.8885, so that nothing is ever
           refused; but nothing is promised, either, on a machine that takes time for itself
"""

import dataclasses
import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.environ.get('RESCHCTL', os.path.join(HERE, '../../build/host/obj/tools/reschctl'))

ALGORITHMS = ('sekg', 'npsf')
SIZES = ('formula', 'exact', 'bare')
BARE_DELTA = 4


class Broken(Exception):
    """A program did what it should not."""


@dataclasses.dataclass(frozen=True)
class Layout:
    """An answer. `refusals`: (sizes, reason) of what was tried before; `sizes` None: nothing was
    accepted. Times in ns; `text` is the JSON that resch-sim reads."""
    algorithm: str
    overheads: str
    refusals: tuple
    sizes: str = None
    delta: int = 0
    slot: int = 0
    groups: int = 0
    split: int = 0           # tasks in groups that two CPUs share
    text: str = ''

    def promises(self):
        """Whether no deadline may be missed on a machine with these overheads."""
        return self.sizes in ('formula', 'exact')


def words_of(sizes, overheads):
    """Options of reschctl assign."""
    if sizes == 'bare':
        return [f'--delta={BARE_DELTA}']
    return [f'--overheads={overheads.words()}'] + (['--exact'] if sizes == 'exact' else [])


def ask(task_set, algorithm, options):
    """(text of the layout, None), or (None, why not)."""
    done = subprocess.run([PROGRAM, 'assign', '--json', f'--method={algorithm}',
                           f'--cpus=0-{task_set.cpus - 1}', *options, '-'], input=task_set.text,
                          capture_output=True, text=True)
    if not done.returncode:
        return done.stdout, None
    if 'refused: ' not in done.stderr:
        raise Broken(f'set {task_set.number}: reschctl assign: {done.stderr.strip()}')
    return None, done.stderr.strip().split('refused: ', 1)[1]


def assign(task_set, algorithm, overheads, sizes=SIZES):
    """A Layout, by the first of `sizes` that is accepted."""
    refusals = []
    for size in sizes:
        text, why = ask(task_set, algorithm, words_of(size, overheads))
        if why:
            refusals.append((size, why))
            continue
        found = json.loads(text)
        return Layout(algorithm, overheads.name, tuple(refusals), size, found['delta'],
                      found['slot'], len(found['groups']),
                      sum(task['split'] for task in found['tasks']), text)
    return Layout(algorithm, overheads.name, tuple(refusals))
