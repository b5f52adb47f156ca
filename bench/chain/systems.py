# SPDX-License-Identifier: GPL-2.0
"""Chains to play: the slides', on both of their mappings, and random ones. Times are in us."""

import random

# Thaker and others, 2002: name, period, deadline, what the stages take.
SLIDES = (('T0', 104, 88, (7, 8, 25)), ('T1', 30, 30, (9, 5, 11)), ('T2', 54, 54, (10, 6, 14)))
# Of the slides' mapping nothing is left but its figures, 89 and 42: this is the only one that has
# them.
MAPPINGS = {'pipeline': ((0, 1, 2), (0, 1, 2), (0, 1, 2)),
            'slides': ((0, 1, 0), (1, 0, 1), (2, 2, 0))}
PRIORITIES = {'rm': (3, 1, 2), 'pdm': None}
# One CPU. The slides' set is lost, too; this one shows the same: period, deadline, what a job
# takes.
TASKS = ((20, 6, 4), (10, 10, 3), (35, 30, 5), (60, 60, 8))
ORDERS = {'criticality': (4, 3, 2, 1), 'rate-monotonic': (2, 1, 3, 4),
          'deadline-monotonic': (1, 2, 3, 4)}

# A job takes all of its wcet: what it takes at least is the same.
HEAD = 'chain,period,deadline,protocol,stage,wcet,bcet,cpu,priority'
# They repeat every 120 ms.
PERIODS = (10, 12, 15, 20, 24, 30, 40, 60)
CPUS, CHAINS, STAGES = 3, 4, 3


def line(name, period, deadline, stages):
    """Lines of a file: a chain; `stages`: (what it takes, CPU, priority or '')."""
    lines = []
    for at, (wcet, cpu, priority) in enumerate(stages):
        head = f'{name},{period}us,{deadline}us,' if not at else f'{name},,,'
        lines.append(f'{head},s{at},{wcet}us,{wcet}us,{cpu},{priority}')
    return lines


def slides(mapping, priorities, unit=1000, first=0):
    """The text of a file, for resch-sim --chains; `unit` us are one of the slides, `first` is the
    first CPU."""
    lines = [HEAD]
    for at, (name, period, deadline, takes) in enumerate(SLIDES):
        given = PRIORITIES[priorities]
        lines += line(name, unit * period, unit * deadline,
                      [(unit * wcet, first + cpu, given[at] if given else '')
                       for wcet, cpu in zip(takes, MAPPINGS[mapping][at])])
    return '\n'.join(lines) + '\n'


def one_cpu(order, unit=1000, cpu=0):
    """Tasks, which are chains of a stage; `unit` us are one of the slides."""
    lines = [HEAD]
    for at, (period, deadline, wcet) in enumerate(TASKS):
        lines += line(f't{at + 1}', unit * period, unit * deadline,
                      [(unit * wcet, cpu, ORDERS[order][at])])
    return '\n'.join(lines) + '\n'


def shares(rng, count, total):
    """UUniFast: `count` random shares of `total`."""
    found = []
    for left in range(count - 1, 0, -1):
        rest = total * rng.random() ** (1 / left)
        found.append(total - rest)
        total = rest
    return found + [total]


def draw(rng, utilization):
    """(period, [(what a stage takes, CPU, '')]) of 4 chains of 3 stages, no two neighbours on one
    CPU; each CPU that has any is used for `utilization` but for what rounding to us takes."""
    places = []
    for _ in range(CHAINS):
        chain = [rng.randrange(CPUS)]
        while len(chain) < STAGES:
            chain.append(rng.choice([cpu for cpu in range(CPUS) if cpu != chain[-1]]))
        places.append(chain)
    counts = [sum(chain.count(cpu) for chain in places) for cpu in range(CPUS)]
    share = [shares(rng, count, utilization) if count else [] for count in counts]
    found = []
    for chain in places:
        period = 1000 * rng.choice(PERIODS)
        found.append((period, [(max(1, int(share[cpu].pop() * period)), cpu, '') for cpu in chain]))
    return found


def random_set(seed, utilization):
    """The first set drawn in which no chain alone takes longer than its deadline, which is its
    period."""
    rng = random.Random(f'{seed}/{utilization}')
    while True:
        found = draw(rng, utilization)
        if all(sum(stage[0] for stage in stages) <= period for period, stages in found):
            break
    lines = [HEAD]
    for number, (period, stages) in enumerate(found):
        lines += line(f'c{number}', period, period, stages)
    return '\n'.join(lines) + '\n'
