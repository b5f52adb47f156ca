# SPDX-License-Identifier: GPL-2.0
"""Histograms of latencies, and one picture of what protection gives and costs."""

import statistics

import matplotlib
matplotlib.use('Agg')
from matplotlib import pyplot  # noqa: E402

import results  # noqa: E402
import spread  # noqa: E402
import tables  # noqa: E402

COLOURS = {'idle': '#7f7f7f', 'floor': '#bcbd22', 'loaded': '#d62728', 'full': '#9467bd',
           'partition': '#8c564b', 'shield': '#1f77b4', 'artis': '#2ca02c'}


def _bin_end(start):
    """Where a bin of resch-latency's ends: four an octave."""
    return start + 1 if start < 4 else start + (1 << (start.bit_length() - 3))


def _steps(bins):
    """Edges, us, and heights of a histogram's bins; between bins that are not side by side there is
    an empty one, so that nothing is drawn where nothing was seen."""
    edges, heights = [], []
    for start, count in bins:
        if edges and edges[-1] != start:
            heights.append(0)
            edges.append(start)
        elif not edges:
            edges.append(start)
        edges.append(_bin_end(start))
        heights.append(count)
    return [edge / 1000 for edge in edges], heights


def _together(boots, phase):
    """The user latencies of all boots of a kernel."""
    counts = {}
    for record in boots:
        for start, count in record['phases'][phase]['user']['histogram']:
            counts[start] = counts.get(start, 0) + count
    return sorted(counts.items())


def _title(boots):
    return spread.name(boots[0]) + (f', {len(boots)} boots' if len(boots) > 1 else '')


def _emulated(records):
    return any(record['emulated'] for record in records)


def histogram(records, path):
    """User latencies, both axes logarithmic, one row a kernel."""
    groups = spread.groups(records)
    figure, axes = pyplot.subplots(len(groups), 1, figsize=(9, 1.2 + 2.6 * len(groups)),
                                   squeeze=False, sharex=True, layout='constrained')
    for axis, boots in zip(axes[:, 0], groups):
        for phase in boots[0]['phases']:
            edges, heights = _steps(_together(boots, phase))
            colour = COLOURS.get(phase)
            axis.stairs(heights, edges, baseline=0.5, fill=True, alpha=0.15, color=colour)
            axis.stairs(heights, edges, baseline=0.5, color=colour,
                        label=tables.NAMES.get(phase, phase))
            longest = max(record['phases'][phase]['user']['max'] for record in boots)
            axis.axvline(longest / 1000, color=colour, linestyle=':', linewidth=1)
        axis.set(xscale='log', yscale='log', ylabel='samples', title=_title(boots))
    axes[-1, 0].set_xlabel('user latency, µs (dotted: the longest)'
                           + (', emulated' if _emulated(records) else ''))
    # Above all of them: no place within is free in each.
    named = {name: line for axis in axes[:, 0]
             for line, name in zip(*axis.get_legend_handles_labels())}
    axes[0, 0].legend(named.values(), named.keys(), loc='lower center', bbox_to_anchor=(0.5, 1.08),
                      ncol=3, fontsize='small', frameon=False)
    figure.savefig(path, dpi=100)


def _whiskers(values):
    """For a bar of the median: (median, how far the least and the largest are from it)."""
    middle = statistics.median(values)
    return middle, [[middle - min(values)], [max(values) - middle]]


def summary(records, path):
    """To the left how late the task is, to the right what that costs the loads; a row a kernel."""
    groups = spread.groups(records)
    figure, axes = pyplot.subplots(len(groups), 2, figsize=(11, 0.8 + 2.4 * len(groups)),
                                   squeeze=False, layout='constrained')
    for (late, cost), boots in zip(axes, groups):
        _latencies(late, boots)
        _costs(cost, boots)
    # Above all of them, as in the histograms.
    axes[0, 1].legend(loc='lower center', bbox_to_anchor=(0.5, 1.12), ncol=3, fontsize='small',
                      frameon=False)
    several = any(len(boots) > 1 for boots in groups)
    axes[-1, 0].set_xlabel('user latency, µs: 99.9 % (dark), longest (light)'
                           + ('; of the boots the median, and their range' if several else ''))
    figure.suptitle('How late a periodic task is beside five loads, and what they pay'
                    + (' (emulated)' if _emulated(records) else ''))
    figure.savefig(path, dpi=100)


def _latencies(axis, boots):
    phases = list(boots[0]['phases'])
    for y, phase in enumerate(phases):
        colour = COLOURS.get(phase)
        users = [record['phases'][phase]['user'] for record in boots]
        longest, range_ = _whiskers([user['max'] / 1000 for user in users])
        axis.barh(-y, longest, color=colour, alpha=0.35)
        axis.barh(-y, statistics.median(user['p99.9'] / 1000 for user in users), color=colour,
                  height=0.5)
        if len(boots) > 1:
            axis.errorbar(longest, -y, xerr=range_, color='black', linewidth=1, capsize=2)
        axis.annotate(f'{longest:.0f}', (longest + range_[1][0], -y), xytext=(4, 0),
                      textcoords='offset points', va='center', fontsize='small')
    axis.set_yticks([-y for y in range(len(phases))],
                    [tables.NAMES.get(phase, phase) for phase in phases], fontsize='small')
    axis.set_xscale('log')
    axis.margins(x=0.12)
    axis.set_title(_title(boots), fontsize='small')


def _costs(axis, boots):
    kinds = list(boots[0]['phases'].get('loaded', {}).get('loads', {}))
    phases = [phase for phase in boots[0]['phases'] if phase not in results.STOCK]
    width = 0.8 / max(1, len(phases))
    for i, phase in enumerate(phases):
        for x, kind in enumerate(kinds):
            middle, range_ = _whiskers([100 * (results.kept(record, phase, kind) or 0)
                                        for record in boots])
            axis.bar(x - 0.4 + (i + 0.5) * width, middle, width, color=COLOURS.get(phase),
                     edgecolor='white', yerr=range_ if len(boots) > 1 else None,
                     error_kw={'linewidth': 1, 'capsize': 1},
                     label=None if x else tables.NAMES.get(phase, phase).split(',')[0])
    axis.axhline(100, color='black', linewidth=1)
    axis.axhline(100 * tables.LEAST_KEPT, color='black', linewidth=1, linestyle=':',
                 label=f'{100 * tables.LEAST_KEPT:.0f} %: wanted')
    axis.set_xticks(range(len(kinds)), kinds)
    axis.set_ylabel('% of unshielded', fontsize='small')
    axis.set_title('throughput', fontsize='small')
