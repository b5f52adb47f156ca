#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Generate random task sets, as resch-sim and reschctl assign read them.

methods:
  retas         utilizations from [umin, umax] until their sum, as a share of all CPUs, is in
                --target; begin anew when it is above (appendix A of Sousa, Bletsas, Tovar,
                Andersson, 2011)
  uunifast      --tasks utilizations that add up to --utilization, uniformly among all such with
                none above 1: UUniFast-Discard (Bini, Buttazzo, 2005; Davis, Burns, 2011)
  randfixedsum  the same distribution without discarding (Stafford, 2006; Emberson, Stafford, Davis,
                2010)
  kato          utilizations from [umin, umax] until they add up to --utilization; the last one is
                cut

Each line is id,min_C,max_C,min_T,max_T,D,min_off,max_off in ns. The same options and seed give the
same file everywhere.
"""

import argparse
import math
import os
import random
import sys

# Beside it where it is installed, or in the tree.
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '../../tools/trace')]

from reschtrace import cli  # noqa: E402  pylint: disable=wrong-import-position

# What is tried at most: sets, and random numbers, which are a minute.
TRIES, DRAWS = 10**6, 2 * 10**7
# Tasks at most; the table of randfixedsum grows as their square.
MOST, MOST_FIXED = 10**6, 4096
EVERY = 1024


class Impossible(Exception):
    """No set has these properties, or none was found."""


def silent(*_, **__):
    """For whom no progress is told."""


# ---- utilizations --------------------------------------------------------------------------------

def uniform(rng, low, high):
    """By random() alone, whose sequence Python promises to keep."""
    return low + (high - low) * rng.random()


def too_many():
    return Impossible(f'it would have more than {MOST} tasks')


def retas(rng, cpus, target, umin, umax, tell=silent):
    """Utilizations whose sum is in [target[0], target[1]] times cpus."""
    draws = 0
    for number in range(TRIES):
        tell(number, 'tries', TRIES)
        shares, total = [], 0.0
        while total / cpus <= target[1]:
            share = uniform(rng, umin, umax)
            shares.append(share)
            total += share
            if target[0] <= total / cpus <= target[1]:
                return shares
            if len(shares) == MOST:
                raise too_many()
        draws += len(shares)
        if draws > DRAWS:
            break
    raise Impossible('no sum came into the target')


def kato(rng, utilization, umin, umax):
    """Utilizations from [umin, umax] with this sum, of which the last may be less than umin."""
    if utilization / umax > MOST:
        raise too_many()
    shares, total = [], 0.0
    while total < utilization:
        if len(shares) == MOST:
            raise too_many()
        share = min(uniform(rng, umin, umax), utilization - total)
        # what is left of a subtraction is no task
        if share < 1e-9:
            break
        shares.append(share)
        total += share
    return shares


def uunifast(rng, tasks, utilization):
    """One point of the simplex; utilizations may be above 1."""
    shares, rest = [], utilization
    for i in range(tasks - 1, 0, -1):
        keep = rest * rng.random() ** (1.0 / i)
        shares.append(rest - keep)
        rest = keep
    shares.append(rest)
    return shares


def uunifast_discard(rng, tasks, utilization, tell=silent):
    """The same until none is above 1; also says how many tries it took."""
    if utilization > tasks:
        raise Impossible(f'{tasks} tasks cannot have a utilization of {utilization:g}')
    most = min(TRIES, max(1, DRAWS // tasks))
    for tries in range(1, most + 1):
        shares = uunifast(rng, tasks, utilization)
        if max(shares) <= 1.0:
            return shares, tries
        tell(tries, 'sets with a task above 1', most)
    raise Impossible('every set had a task above 1; randfixedsum needs no luck')


def randfixedsum_table(tasks, utilization, tell=silent):
    """Probabilities of the transitions between simplices; the same for all sets of this kind."""
    k = min(int(utilization), tasks - 1)
    low = [utilization - (k - j) for j in range(tasks)]
    high = [(k + tasks - j) - utilization for j in range(tasks)]
    volume = [0.0] * (tasks + 2)
    volume[1] = sys.float_info.max
    table = []
    for i in range(2, tasks + 1):
        tell(i, 'rows of the table', tasks, power=2)
        row, new = [0.0] * i, [0.0] * (tasks + 2)
        for j in range(1, i + 1):
            a = volume[j] * low[j - 1] / i
            b = volume[j - 1] * high[tasks - i + j - 1] / i
            new[j] = a + b
            both = a + b or sys.float_info.min
            row[j - 1] = b / both if high[tasks - i + j - 1] > low[j - 1] else 1.0 - a / both
        table.append(row)
        volume = new
    return k, table


def shuffle(rng, values):
    for i in range(len(values) - 1, 0, -1):
        j = int(rng.random() * (i + 1))
        values[i], values[j] = values[j], values[i]


def randfixedsum(rng, tasks, utilization, prepared=None):
    """Uniform among all sets of so many utilizations in [0, 1] with this sum."""
    if not 0 < utilization <= tasks:
        raise Impossible(f'{tasks} tasks cannot have a utilization of {utilization:g}')
    k, table = prepared or randfixedsum_table(tasks, utilization)
    shares, rest, column, base, scale = [], utilization, k + 1, 0.0, 1.0
    for i in range(tasks - 1, 0, -1):
        edge = 1 if rng.random() <= table[i - 1][column - 1] else 0
        keep = rng.random() ** (1.0 / i)
        base += (1.0 - keep) * scale * rest / (i + 1)
        scale *= keep
        shares.append(base + scale * edge)
        rest -= edge
        column -= edge
    shares.append(base + scale * rest)
    shuffle(rng, shares)
    return shares


# ---- periods -------------------------------------------------------------------------------------

def uniform_period(rng, tmin, tmax, step):
    return tmin + int(rng.random() * ((tmax - tmin) // step + 1)) * step


def log_uniform_period(rng, tmin, tmax, step):
    """As many between 1 and 10 ms as between 10 and 100 (Emberson, Stafford, Davis, 2010)."""
    period = math.exp(uniform(rng, math.log(tmin), math.log(tmax + step)))
    return max(tmin, min(int(period // step) * step, tmax // step * step))


PERIODS = {'uniform': uniform_period, 'log-uniform': log_uniform_period}


# ---- sets ----------------------------------------------------------------------------------------

def task_rows(rng, shares, period, tmin, tmax, step=1, deadline=(1.0, 1.0), factor=1.0, offset=0):
    """Rows of the file for these utilizations, one by one."""
    for number, share in enumerate(shares, 1):
        gap = PERIODS[period](rng, tmin, tmax, step)
        wcet = max(1, int(gap * share))
        due = gap
        if deadline != (1.0, 1.0):
            due = max(wcet, int(gap * uniform(rng, *deadline)))
        yield (number, max(1, int(wcet / factor)), wcet, gap, int(gap * factor), due, offset,
               int(offset * factor))


def task_set(*args, **more):
    return list(task_rows(*args, **more))


def shares_of(rng, args, tell):
    if args.method == 'retas':
        return retas(rng, args.cpus, args.target, args.umin, args.umax, tell)
    if args.method == 'kato':
        return kato(rng, args.utilization, args.umin, args.umax)
    if args.method == 'uunifast':
        return uunifast_discard(rng, args.tasks, args.utilization, tell)[0]
    prepared = None
    if 0 < args.utilization <= args.tasks:
        prepared = randfixedsum_table(args.tasks, args.utilization, tell)
    return randfixedsum(rng, args.tasks, args.utilization, prepared)


def generate(args, number):
    """The rows of set number `number` of those that the options describe. Raises: Impossible"""
    rng = random.Random(f'{args.seed}/{number}')
    progress = cli.Progress()
    try:
        shares = shares_of(rng, args, progress.tell)
    finally:
        progress.end()
    rows = task_rows(rng, shares, args.periods, args.tmin, args.tmax, args.step, args.deadline,
                     args.factor, args.offset)
    return told(rows, len(shares), progress)


def told(rows, count, progress):
    for row in rows:
        if row[0] % EVERY == 0:
            progress.tell(row[0], 'tasks', count)
        yield row
    progress.end()


def write(rows, file):
    file.write('# resch-gen ' + ' '.join(sys.argv[1:]) + '\n')
    file.writelines(','.join(str(field) for field in row) + '\n' for row in rows)


# ---- the command line ----------------------------------------------------------------------------

def number(text):
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def pair(text):
    low, comma, high = text.partition(',')
    try:
        values = number(low), number(high if comma else low)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"'{text}' is not LOW,HIGH") from error
    if not 0 < values[0] <= values[1]:
        raise argparse.ArgumentTypeError(f"'{text}' is not LOW,HIGH with 0 < LOW <= HIGH")
    return values


def arguments(argv=None):
    parser = cli.Parser(prog='resch-gen', description=__doc__.split('\n', 1)[0],
                    epilog=__doc__.split('\n', 2)[2],
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('method', choices=('retas', 'uunifast', 'randfixedsum', 'kato'))
    parser.add_argument('-m', '--cpus', type=int, default=4, metavar='N',
                        help='for retas (default: 4)')
    parser.add_argument('--target', type=pair, default=(0.88, 0.885), metavar='LOW,HIGH',
                        help='sum of utilizations / CPUs, for retas (default: 0.88,0.885)')
    parser.add_argument('-n', '--tasks', type=int, default=8, metavar='N', help='default: 8')
    parser.add_argument('-u', '--utilization', type=number, default=1.0, metavar='SUM',
                        help='default: 1')
    parser.add_argument('--umin', type=number, default=0.1, metavar='SHARE', help='default: 0.1')
    parser.add_argument('--umax', type=number, default=1.0, metavar='SHARE', help='default: 1')
    parser.add_argument('--periods', choices=sorted(PERIODS), default='uniform',
                        help='default: uniform')
    parser.add_argument('--tmin', type=cli.duration, default=cli.duration('5ms'), metavar='TIME',
                        help='default: 5ms')
    parser.add_argument('--tmax', type=cli.duration, default=cli.duration('50ms'), metavar='TIME',
                        help='default: 50ms')
    parser.add_argument('--step', type=cli.duration, default=1, metavar='TIME',
                        help='periods are multiples of this above tmin (uniform), or of this (default: 1ns)')
    parser.add_argument('--deadline', type=pair, default=(1.0, 1.0), metavar='LOW,HIGH',
                        help='deadline / period, uniform in between (default: 1)')
    parser.add_argument('--factor', type=number, default=1.0, metavar='F',
                        help='max_T = F T, min_C = C / F, max_off = F min_off (default: 1)')
    parser.add_argument('--offset', type=cli.duration, default=0, metavar='TIME',
                        help='min_off (default: 0)')
    parser.add_argument('-s', '--seed', type=int, default=1, metavar='N', help='default: 1')
    parser.add_argument('--number', type=int, default=1, metavar='N',
                        help='the N-th set of this seed (default: 1)')
    parser.add_argument('-o', '--output', metavar='FILE', help='default: standard output')
    cli.add_version(parser)
    args = parser.parse_args(argv)
    if args.tasks < 1 or args.cpus < 1 or args.utilization <= 0:
        parser.error('tasks, CPUs and utilization are positive')
    if args.tasks > MOST and args.method == 'uunifast':
        parser.error(f'at most {MOST} tasks')
    if args.tasks > MOST_FIXED and args.method == 'randfixedsum':
        parser.error(f'randfixedsum takes at most {MOST_FIXED} tasks, since its table grows as '
                     f'their square; uunifast takes {MOST}')
    if args.target[1] > 1:
        parser.error('--target is a share of all CPUs, at most 1')
    if not 0 < args.umin <= args.umax <= 1:
        parser.error('0 < umin <= umax <= 1')
    if not 0 < args.step or not args.step <= args.tmin <= args.tmax <= 3600 * 10**9:
        parser.error('0 < step <= tmin <= tmax <= 1h')
    if args.factor < 1:
        parser.error('a factor is at least 1')
    return args


def main():
    args = arguments()
    try:
        rows = generate(args, args.number)
    except Impossible as error:
        return cli.fail('resch-gen', error, cli.FAILED)
    try:
        if not args.output:
            write(rows, sys.stdout)
            return 0
        with open(args.output, 'w', encoding='utf-8') as file:
            write(rows, file)
    except OSError as error:
        if not args.output:
            raise
        return cli.fail('resch-gen', f'{args.output}: {error.strerror}', cli.FAILED)
    return 0


if __name__ == '__main__':
    cli.run('resch-gen', main)
