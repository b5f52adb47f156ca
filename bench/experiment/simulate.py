# SPDX-License-Identifier: GPL-2.0
"""A layout on a simulated machine: resch-sim, which runs the plugins' own sources.

Twice: for the whole time, of which the simulator's statistics remain, and, since its first part is
the same to the byte, for as long as the trace stays readable, which resch-check judges.
"""

import dataclasses
import json
import os
import subprocess
import sys

from layouts import Broken

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.environ.get('RESCH_SIM',
                         os.path.join(HERE, '../../build/host/obj/bench/sim/resch-sim'))
CHECKER = os.path.join(HERE, '../../tools/trace/resch-check')
# Statuses of resch-sim: done; misses, or a group on two CPUs at once.
DONE = (0, 1)


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of a layout on a machine, simulated or not. Times in ns. `parallel`: how often a
    group was on two CPUs at once. `verdict`: resch-check's of the first `judged`, with the rules
    that were broken; None: it was not asked."""
    time: int
    jobs: int
    preemptions: int
    migrations: int
    misses: int
    tardiness: int
    parallel: int
    judged: int = 0
    verdict: str = None
    broken: tuple = ()

    def kept(self):
        return not self.misses and not self.parallel and self.verdict in (None, 'legal')


def start(layout, overheads, seed, time, *options):
    # The layout was found with these overheads, so admission has none to add.
    return subprocess.Popen([PROGRAM, '--time', f'{time}ns', '--seed', str(seed), '--overhead', '0',
                             *overheads.options(), *options, '-'], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def statistics(layout, overheads, seed, time):
    simulator = start(layout, overheads, seed, time, '--json')
    out, errors = simulator.communicate(layout.text)
    # a set that is refused has no statistics
    if simulator.returncode not in DONE or not out:
        raise Broken(f'resch-sim: {errors.strip()}')
    return json.loads(out)


def judge(layout, overheads, seed, time):
    """(verdict, rules that were broken) of a trace of that length."""
    simulator = start(layout, overheads, seed, time, '--trace', '-')
    checker = subprocess.Popen([sys.executable, CHECKER, '--json', '--tolerance',
                                f'{overheads.tolerance()}ns', '-'],
                               stdin=simulator.stdout, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    simulator.stdout.close()
    with simulator.stdin as pipe:
        pipe.write(layout.text)
    out, errors = checker.communicate()
    errors += simulator.stderr.read()
    simulator.stderr.close()
    if simulator.wait() not in DONE or not out:
        raise Broken(f'resch-sim and resch-check: {errors.strip()}')
    found = json.loads(out)
    return found['verdict'], tuple(name for name, rule in found['rules'].items() if rule['broken'])


def run(layout, overheads, seed, time, judged):
    """An Outcome of `time` ns, of which resch-check judges the first `judged` (0: none)."""
    found = statistics(layout, overheads, seed, time)
    tasks = found['tasks']
    verdict, broken = judge(layout, overheads, seed, min(judged, time)) if judged else (None, ())
    return Outcome(time, *(sum(task[what] for task in tasks) for what in
                           ('completed', 'preemptions', 'migrations', 'misses')),
                   max(task['tardiness_max'] for task in tasks), found['parallel'],
                   min(judged, time), verdict, broken)
