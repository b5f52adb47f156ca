# SPDX-License-Identifier: GPL-2.0
"""Task sets, from the ReTAS generator (bench/gen, appendix A of the paper).

The paper's 17 sets have periods from 5 to 50 ms, a utilization of 0.88 to 0.885 of all CPUs, and
tasks of 0.1 to 1. With utilizations uniform in that range 4 CPUs get 4 to 12 tasks, and 24 CPUs 31
to 47; but the paper had 6 to 28, and 74 to 191. So its largest utilization must have varied from
set to set; umax_of() lets it.
"""

import dataclasses
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '../gen'))
import resch_gen as gen  # noqa: E402

TARGET = (0.88, 0.885)
UMIN, UMAX = 0.1, 1.0
# Numbers of tasks in the paper's sets, for each CPU: sections 5.3 and C.
TASKS_PER_CPU = {4: (6 / 4, 28 / 4), 24: (74 / 24, 191 / 24)}
OFFSET = '100ms'


@dataclasses.dataclass(frozen=True)
class Set:
    """A task set; `text` is the file, `command` makes it again. `utilization` is a share of all
    CPUs."""
    cpus: int
    number: int
    tasks: int
    utilization: float
    umax: float
    shortest: int            # period, ns
    largest: float           # utilization of a task
    command: str
    text: str


def umax_of(cpus, number, count):
    """Largest utilization of a task in set `number` of `count`: such that the expected numbers of
    tasks go, in equal ratios, from the paper's least to its most. Expected are target / ((UMIN +
    umax) / 2) tasks; rounded to 0.001."""
    low, high = TASKS_PER_CPU.get(cpus, TASKS_PER_CPU[4 if cpus < 24 else 24])
    share = (number - 1) / (count - 1) if count > 1 else 0
    tasks = cpus * low * (high / low) ** share
    return round(min(UMAX, 2 * cpus * sum(TARGET) / 2 / tasks - UMIN), 3)


def generate(cpus, number, umax, seed, factor):
    """Set `number`. Jobs execute for wcet / factor to wcet, and releases are 1 to `factor` periods
    apart."""
    words = ['retas', '--cpus', str(cpus), '--target', '%g,%g' % TARGET, '--umin', f'{UMIN:g}',
             '--umax', f'{umax:g}', '--tmin', '5ms', '--tmax', '50ms', '--factor', f'{factor:g}',
             '--offset', OFFSET, '--seed', str(seed), '--number', str(number)]
    rows = list(gen.generate(gen.arguments(words), number))
    shares = [row[2] / row[3] for row in rows]
    command = 'resch-gen ' + ' '.join(words)
    text = f'# {command}\n' + ''.join(','.join(map(str, row)) + '\n' for row in rows)
    return Set(cpus, number, len(rows), sum(shares) / cpus, umax, min(row[3] for row in rows),
               max(shares), command, text)


def generate_all(cpus, count, umax, seed, factor):
    """`count` sets; with `umax` 0 as many tasks as in the paper's."""
    return [generate(cpus, number, umax or umax_of(cpus, number, count), seed, factor)
            for number in range(1, count + 1)]


def read(path, cpus, number):
    """A set of one's own, as the ReTAS generator writes them:
    id,min_C,max_C,min_T,max_T,D,min_off,max_off in ns. ValueError, OSError"""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    rows = [list(map(int, line.split(','))) for line in text.splitlines() if line.strip() and
            not line.startswith('#')]
    if not rows or any(len(row) != 8 or row[3] <= 0 for row in rows):
        raise ValueError('not lines of id,min_C,max_C,min_T,max_T,D,min_off,max_off')
    shares = [row[2] / row[3] for row in rows]
    return Set(cpus, number, len(rows), sum(shares) / cpus, max(shares),
               min(row[3] for row in rows), max(shares), path, text)


def stretched(task_set, factor):
    """The set with all times `factor` times as long, but for the offsets."""
    rows = []
    for line in task_set.text.splitlines():
        if line.startswith('#'):
            rows.append(f'{line}, times {factor}')
        elif line.strip():
            numbers = line.split(',')
            rows.append(','.join(numbers[:1] +
                                 [str(int(number) * factor) for number in numbers[1:6]] +
                                 numbers[6:]))
    return dataclasses.replace(task_set, shortest=task_set.shortest * factor,
                               text='\n'.join(rows) + '\n')
