# SPDX-License-Identifier: GPL-2.0
"""What several boots of one kernel have in common: least, median and largest of each figure."""

import statistics

import results
import tables
from columns import columns


def name(record):
    """The kernel, with what it was told at boot."""
    return ' '.join(filter(None, (record['kernel'], record.get('arguments'))))


def groups(records):
    """[records of one kernel]: those that may be compared, in the order in which they came."""
    found = {}
    for record in records:
        found.setdefault((name(record), record['emulated']), []).append(record)
    return list(found.values())


def three(values, places=1):
    """A cell, or a dash where a boot lacks the figure."""
    if not values or None in values:
        return '-'
    return ' / '.join(f'{value:.{places}f}'
                      for value in (min(values), statistics.median(values), max(values)))


def _latency(records, phase, which, figure):
    found = [record['phases'][phase][which] for record in records]
    return three([stats[figure] / 1000 if stats else None for stats in found])


def _samples(records, phase):
    return ', '.join(sorted({str(record['phases'][phase]['user']['count'])
                             for record in records}))


def latencies(records):
    rows = [['us: least / median / largest', 'kernel 99.9%', 'max', 'user 99.9%', 'max',
             'samples a boot']]
    for phase in records[0]['phases']:
        rows.append([tables.NAMES.get(phase, phase),
                     *[_latency(records, phase, which, figure) for which in ('kernel', 'user')
                       for figure in ('p99.9', 'max')], _samples(records, phase)])
    return columns(rows)


def gains(records):
    """How many times shorter a phase's user latency is than the unshielded one of its own boot, and
    what the loads keep."""
    phases = [phase for phase in records[0]['phases']
              if phase not in ('idle', 'loaded') and 'loaded' in records[0]['phases']]
    kinds = list(records[0]['phases'].get('loaded', {}).get('loads', {}))
    if not phases or not kinds:
        return []
    rows = [['times shorter; throughput, %', 'user 99.9%', 'max', *kinds]]
    for phase in phases:
        rows.append([tables.NAMES.get(phase, phase),
                     *[three([results.better(record, phase, figure) for record in records])
                       for figure in ('p99.9', 'max')],
                     *[_kept(records, phase, kind) for kind in kinds]])
    return columns(rows)


def _kept(records, phase, kind):
    shares = [results.kept(record, phase, kind) for record in records]
    return three([None if share is None else 100 * share for share in shares], 0)


def reached(records):
    """In how many of the boots each goal was."""
    counts = {}
    for record in records:
        for phase, key, _, holds in tables.verdicts(record):
            held = counts.setdefault(phase, {})
            held[key] = held.get(key, 0) + holds
    if not counts:
        return []
    keys = list(next(iter(counts.values())))
    rows = [['boots that reach it', *keys]]
    rows += [[tables.NAMES.get(phase, phase), *(str(held.get(key, '-')) for key in keys)]
             for phase, held in counts.items()]
    return columns(rows)


def text(records):
    """The boots of one kernel."""
    where = 'emulated, on a clock that counts instructions' if records[0]['emulated'] else \
        'this machine'
    lines = [f'{name(records[0])} ({where}), {len(records)} boots', '', *latencies(records), '',
             *gains(records), '', *reached(records)]
    return '\n'.join(lines).rstrip()
