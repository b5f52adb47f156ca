# SPDX-License-Identifier: GPL-2.0
"""The simulator, built once for all tests, and random task sets for it."""

import atexit
import os
import shutil
import subprocess
import tempfile
import unittest

from common import CheckerTest

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SIM = os.path.join(TREE, 'bench', 'sim')
REACTIONS = ('count', 'notify', 'skip', 'throttle', 'demote')
ROOM = []


def room():
    """A directory with resch-sim in it, and for files."""
    if not os.path.exists(
            os.path.join(SIM, 'Makefile')) or not shutil.which('cc') or not shutil.which('make'):
        raise unittest.SkipTest('there is no simulator, or no compiler for it')
    if not ROOM:
        place = tempfile.TemporaryDirectory()
        atexit.register(place.cleanup)
        subprocess.run(['make', '-s', '-C', SIM, 'O=' + place.name], check=True,
                       stdout=subprocess.DEVNULL)
        ROOM.append(place)
    return ROOM[0].name


def put(name, text):
    path = os.path.join(room(), name)
    with open(path, 'w') as file:
        file.write(text)
    return path


def simulate(tasks, *options):
    """The lines of a simulated schedule; what admission thinks of it does not count."""
    return traced('--force', *options, put('set.csv', tasks))


def simulate_chains(chains, *options):
    """Likewise of a file of chains."""
    return traced(*options, '--chains', put('chains.csv', chains))


def traced(*options):
    done = subprocess.run([os.path.join(room(), 'resch-sim'), '--trace', '-', *options],
                          stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):   # 1: deadlines missed
        raise AssertionError(done.stderr)
    return done.stdout.splitlines()


class SimulatorTest(CheckerTest):
    @classmethod
    def setUpClass(cls):
        room()


HEAD = 'name,period,max_period,deadline,wcet,min_exec,max_exec,offset,max_offset,kind,priority,overrun,miss'


def random_task(rng, name, most):
    """A row; `most`: of its wcet, for a period in ns."""
    period = rng.choice((1000, 1500, 2000, 3300, 5000, 10000)) * 1000
    wcet = min(rng.randrange(1000, most(period)), period)
    kind = rng.choice(('periodic', 'periodic', 'sporadic'))
    longest = wcet if rng.random() < 0.5 else 3 * wcet
    offset = rng.randrange(period)
    times = (period, period if kind == 'periodic' else 2 * period,
             rng.choice((period, period, max(wcet, period // 2), 2 * period)), wcet,
             max(1, wcet // 3), longest, offset, offset)
    return ','.join((name, *(f'{time}ns' for time in times), kind, str(rng.randrange(1, 20)),
                     rng.choice(REACTIONS), rng.choice(REACTIONS)))


def random_set(rng, cpus):
    count = rng.randrange(1, 9)
    rows = [random_task(rng, f't{number}', lambda period: period * 12 // 10 // count + 2000)
            for number in range(count * cpus)]
    return '\n'.join([HEAD] + rows) + '\n'


def random_ways(rng, count):
    """What releases each of so many stages, by name; each but the last releases one at least."""
    ways = [set()] + [{rng.randrange(stage)} for stage in range(1, count)]
    for stage in range(2, count):
        ways[stage].update(one for one in range(stage) if rng.randrange(3) == 0)
    ways[-1].update(set(range(count - 1)).difference(*ways))
    return [rng.choice('+|').join(f's{one}' for one in sorted(way)) for way in ways]


def random_chains(rng, cpus, protocols, forks=False):
    """A file of 2 to 4 chains, of 1 to 4 stages each; no CPU has much more to do than it can. With
    `forks` of 4 to 7 stages, which release, and wait for, several."""
    rows, room_left = ['chain,period,deadline,protocol,stage,wcet,bcet,cpu,from'], [1000] * cpus
    for chain in range(rng.randrange(2, 5)):
        period = rng.choice((5, 6, 8, 10, 12, 15, 20))
        ways = random_ways(rng, rng.randrange(4, 8)) if forks else [''] * rng.randrange(1, 5)
        for stage, way in enumerate(ways):
            cpu = rng.randrange(cpus)
            share = max(20, rng.randrange(1 + max(0, min(room_left[cpu], 90 if forks else 300))))
            room_left[cpu] -= share
            head = f'{period}ms,{2 * period}ms,{rng.choice(protocols)}' if not stage else ',,'
            rows.append(f'c{chain},{head},s{stage},{period * share}us,{period * share // rng.choice((1, 2))}us,{cpu},{way}')
    return '\n'.join(rows) + '\n'
