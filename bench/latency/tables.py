# SPDX-License-Identifier: GPL-2.0
"""Tables 1 and 2 of the ARTiS report, with its figures beside ours, and what protection costs the
loads."""

import results
from columns import columns

NAMES = {'idle': 'SCHED_FIFO 99, idle', 'floor': 'SCHED_FIFO 99, others compute elsewhere',
         'loaded': 'SCHED_FIFO 99, loaded', 'shield': 'shield, loaded',
         'artis': 'shield and guard, loaded', 'full': 'preempt=full, loaded',
         'partition': 'isolated partition, loaded'}
# (percentile, what one sample in is beyond it)
PERCENTILES = (('p99.9', 1000), ('p99.99', 10000), ('p99.999', 100000))
# É. Piel and others, INRIA RR-5781, 2005, tables 1 and 2: us; 99.999 % and maximum of 300 million.
PAPER_LATENCIES = (('standard Linux 2.6.11, idle', 1, 6, 5, 78),
                   ('standard Linux, loaded', 6, 63, 731, 49000),
                   ('with preemption, loaded', 4, 60, 258, 1155), ('ARTiS, loaded', 8, 43, 18, 104))
PAPER_VARIATION = (('standard Linux 2.6.12, idle', 592.6, 6.39, 8.30, 0.08),
                   ('standard Linux, loaded', 516100.0, 5567.49, 20.61, 0.22),
                   ('ARTiS, idle', 5675.0, 61.22, 27.07, 0.29),
                   ('ARTiS, loaded', 659700.0, 7116.43, 21.61, 0.23))
LEAST_BETTER, LEAST_KEPT = 5, 0.9


def us(ns):
    return f'{ns / 1000:.1f}'


def _figures(stats):
    """Cells of a Table 1: percentiles that there are enough samples for, and the maximum."""
    if not stats:
        return ['-'] * (len(PERCENTILES) + 1)
    return ([us(stats[key]) if stats['count'] >= least else '-' for key, least in PERCENTILES] +
            [us(stats['max'])])


def latencies(record, report=True):
    """Table 1; with `report` its rows, too."""
    rows = [['us', *['kernel ' + key[1:] + '%' for key, _ in PERCENTILES], 'max',
             *['user ' + key[1:] + '%' for key, _ in PERCENTILES], 'max', 'samples']]
    for phase, entry in record['phases'].items():
        rows.append([NAMES.get(phase, phase), *_figures(entry['kernel']), *_figures(entry['user']),
                     str(entry['user']['count'])])
    for name, kernel, kernel_max, user, user_max in PAPER_LATENCIES if report else ():
        rows.append(['RR-5781: ' + name, '', '', f'{kernel}', f'{kernel_max}', '', '', f'{user}',
                     f'{user_max}', '3e8'])
    return columns(rows)


def variation(record, report=True):
    """Table 2: the difference between T_min of all configurations and each one's maximum."""
    least = min(entry['work'][priority]['min'] for entry in record['phases'].values()
                for priority in ('0', '99'))
    rows = [['execution time: maximum above T_min', 'normal, us', '%', 'SCHED_FIFO 99, us', '%']]
    for phase, entry in record['phases'].items():
        row = [NAMES.get(phase, phase).replace('SCHED_FIFO 99', 'stock')]
        for priority in ('0', '99'):
            beyond = entry['work'][priority]['max'] - least
            row += [us(beyond), f'{100 * beyond / least:.2f}']
        rows.append(row)
    for name, normal, normal_percent, real_time, percent in PAPER_VARIATION if report else ():
        rows.append(['RR-5781: ' + name, f'{normal:g}', f'{normal_percent:.2f}', f'{real_time:g}',
                     f'{percent:.2f}'])
    return columns(rows) + [f'T_min: {us(least)} us (RR-5781: 9269 us)']


def costs(record):
    kinds = list(record['phases'].get('loaded', {}).get('loads', {}))
    if not kinds:
        return []
    rows = [['throughput, % of unshielded', *kinds]]
    for phase in record['phases']:
        if results.kept(record, phase, kinds[0]) is not None:
            rows.append([NAMES.get(phase, phase),
                         *[f'{100 * results.kept(record, phase, kind):.0f}' for kind in kinds]])
    rows.append(['CPUs that they had unshielded',
                 *[f'{record["phases"]["loaded"]["loads"][kind]["cpu"]:.2f}' for kind in kinds]])
    return columns(rows)


def verdicts(record):
    """[(phase, what was wanted, text, whether it holds)]."""
    found = []
    for phase in record['phases']:
        if phase in results.PEERS or 'loaded' not in record['phases']:
            continue
        for figure, name in (('p99.9', '99.9 %'), ('max', 'maximum')):
            times = results.better(record, phase, figure)
            words = f'user latency, {name}: {times:.1f} times better than unshielded, pinned to the same CPU'
            if 'floor' in record['phases']:
                words += f' ({results.better(record, "floor", figure):.1f} times if all others only compute, elsewhere)'
            found.append((phase, f'{name}: {LEAST_BETTER} times', words,
                          times >= LEAST_BETTER))
        for kind in record['phases']['loaded'].get('loads', {}):
            share = results.kept(record, phase, kind)
            if share is not None:
                found.append((phase, f'{kind}: {100 * LEAST_KEPT:.0f} %',
                              f'load {kind}: {100 * share:.0f} % of its throughput',
                              share >= LEAST_KEPT))
    return found


def text(record, report=True):
    where = ('emulated, on a clock that counts instructions' if record['emulated'] else
             'this machine')
    lines = [f'{record["kernel"]} ({where})', '', *latencies(record, report), '',
             *variation(record, report), '', *costs(record), '']
    lines += [f'{NAMES.get(phase, phase)}: {words}: {"yes" if holds else "NO"} '
              f'(wanted: {LEAST_BETTER} times, {100 * LEAST_KEPT:.0f} %)'
              for phase, _, words, holds in verdicts(record)]
    return '\n'.join(lines)
