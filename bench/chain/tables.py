# SPDX-License-Identifier: GPL-2.0
"""What was played, as tables."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))

import systems  # noqa: E402
from columns import columns  # noqa: E402

MS = 1000000
NAMES = tuple(chain[0] for chain in systems.SLIDES)
BOUNDS = (('TC', 'ds', 'tc'), ('TC-bc', 'ds', 'tc-bc'), ('WCDO', 'ds', 'wcdo'),
          ('WCDO exact', 'ds', 'wcdo-exact'), ('SA/PM', 'rg', 'sapm'))
# Of random sets: what says that a set is schedulable, protocol and method; None: nothing was late
# when it was played.
VERDICTS = (('TC', 'ds', 'tc'), ('TC-bc', 'ds', 'tc-bc'), ('WCDO', 'ds', 'wcdo'),
            ('WCDO exact', 'ds', 'wcdo-exact'), ('SA/PM', 'rg', 'sapm'), ('ds played', 'ds', None),
            ('mpm played', 'mpm', None), ('rg1 played', 'rg1', None), ('rg played', 'rg', None))


def ms(time):
    return '-' if time is None else f'{time / MS:g}'


def find(records, **wanted):
    """The record that has these values."""
    return next(record for record in records
                if all(record[key] == value for key, value in wanted.items()))


def slides(records):
    lines = []
    for mapping in systems.MAPPINGS:
        for priorities in systems.PRIORITIES:
            some = [record for record in records
                    if (record['mapping'], record['priorities']) == (mapping, priorities)]
            rows = [['', *NAMES, '  average: ' + NAMES[0], *NAMES[1:]]]
            for label, protocol, method in BOUNDS:
                bounds = [chain['bounds'].get(method)
                          for chain in find(some, protocol=protocol)['chains']]
                rows.append([f'bound {label}', *(ms(bound) for bound in bounds),
                             *[''] * len(NAMES)])
            for record in some:
                chains = record['chains']
                rows.append([f'{record["protocol"]}, longest',
                             *(ms(chain['max']) for chain in chains),
                             *(f'{chain["avg"] / MS:.1f}' for chain in chains)])
            lines += [f'mapping {mapping}, priorities {priorities}; ms', *columns(rows), '']
    return '\n'.join(lines)


def one_cpu(records):
    rows = [['priorities', 'task 1', '2', '3', '4', 'late']]
    for record in records:
        chains = record['chains']
        late = sum(chain['max'] > chain['deadline'] for chain in chains)
        if any(chain['bounds']['sapm'] != chain['max'] for chain in chains):
            raise ValueError(f'{record["order"]}: the bound of tasks of one CPU is attained when all begin at once')
        rows.append([record['order'], *(ms(chain['max']) for chain in chains),
                     str(late) if late else 'none'])
    return '\n'.join(['one CPU, longest response = bound; ms', *columns(rows), ''])


def takes(run, method):
    """Does the method take all chains, or was none late?"""
    if method is None:
        return not any(chain['missed'] for chain in run)
    return all(chain['bounds'].get(method) is not None and
               chain['bounds'][method] <= chain['deadline'] for chain in run)


def accepted(records, protocol, method):
    """The share of sets."""
    return sum(takes(record['runs'][protocol], method) for record in records) / len(records)


def by_utilization(records):
    """(utilization, its records)."""
    return [(point, [record for record in records if record['utilization'] == point])
            for point in sorted({record['utilization'] for record in records})]


def mean_ratio(records, protocol, key):
    """The mean, over chains, of what a protocol makes of `key` against ds."""
    ratios = [one[key] / base[key] for record in records
              for one, base in zip(record['runs'][protocol], record['runs']['ds'])]
    return sum(ratios) / len(ratios)


def seen_of_bound(records, protocol, method):
    """The mean part of a bound that was seen, of chains that have one."""
    parts = [chain['max'] / chain['bounds'][method] for record in records
             for chain in record['runs'][protocol]
             if chain['bounds'].get(method)]
    return sum(parts) / len(parts) if parts else None


def random_sets(records):
    points = by_utilization(records)
    rows = [['utilization', *(f'{point:g}' for point, _ in points)]]
    for label, protocol, method in VERDICTS:
        rows.append([label,
                     *(f'{100 * accepted(some, protocol, method):.0f}' for _, some in points)])
    lines = [f'random sets, {len(points[0][1])} of each utilization: share that each analysis takes, or that was played without a '
             'miss, %', *columns(rows), '',
             'average response against ds, and the longest; means over chains']
    rows = [['utilization', *(f'{point:g}' for point, _ in points)]]
    for protocol in ('rg', 'rg1', 'mpm'):
        for key, label in (('avg', 'average'), ('max', 'longest')):
            rows.append([f'{protocol}, {label}',
                         *(f'{mean_ratio(some, protocol, key):.2f}' for _, some in points)])
    lines += [*columns(rows), '', 'longest response seen, part of the bound, %']
    rows = [['utilization', *(f'{point:g}' for point, _ in points)]]
    for label, protocol, method in VERDICTS[:4] + (('SA/PM, rg', 'rg', 'sapm'),
                                                   ('SA/PM, rg1', 'rg1', 'sapm'),
                                                   ('SA/PM, mpm', 'mpm', 'sapm')):
        parts = [seen_of_bound(some, protocol, method) for _, some in points]
        rows.append([label, *('-' if part is None else f'{100 * part:.0f}' for part in parts)])
    return '\n'.join(lines + columns(rows) + [''])
