# SPDX-License-Identifier: GPL-2.0
"""Histograms of latencies, and one picture of what protection gives and costs."""

import matplotlib
matplotlib.use('Agg')
from matplotlib import pyplot  # noqa: E402

import results  # noqa: E402
import tables  # noqa: E402

COLOURS = {'idle': '#7f7f7f', 'floor': '#bcbd22', 'loaded': '#d62728', 'shield': '#1f77b4',
           'artis': '#2ca02c'}
# Of kernels, so that bars of one colour can be told apart.
HATCHES = ('', '//', '..', 'xx', '\\\\', '++')


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


def histogram(records, path):
    """User latencies, both axes logarithmic, one row a kernel."""
    figure, axes = pyplot.subplots(len(records), 1, figsize=(9, 1.2 + 2.6 * len(records)),
                                   squeeze=False, sharex=True, layout='constrained')
    for axis, record in zip(axes[:, 0], records):
        for phase, entry in record['phases'].items():
            edges, heights = _steps(entry['user']['histogram'])
            colour = COLOURS.get(phase)
            axis.stairs(heights, edges, baseline=0.5, fill=True, alpha=0.25, color=colour)
            axis.stairs(heights, edges, baseline=0.5, color=colour,
                        label=tables.NAMES.get(phase, phase))
            axis.axvline(entry['user']['max'] / 1000, color=colour, linestyle=':', linewidth=1)
        axis.set(xscale='log', yscale='log', ylabel='samples', title=record['kernel'])
    axes[-1, 0].set_xlabel('user latency, µs (dotted: the longest)'
                           + (', emulated' if any(record['emulated'] for record in records) else
                              ''))
    # Above all of them: no place within is free in each.
    named = {name: line for axis in axes[:, 0]
             for line, name in zip(*axis.get_legend_handles_labels())}
    axes[0, 0].legend(named.values(), named.keys(), loc='lower center', bbox_to_anchor=(0.5, 1.08),
                      ncol=3, fontsize='small', frameon=False)
    figure.savefig(path, dpi=100)


def summary(records, path):
    """To the left how late the task is, to the right what that costs the loads."""
    figure, (late, cost) = pyplot.subplots(1, 2, figsize=(11, 2 + 1.4 * len(records)),
                                           layout='constrained')
    ticks, y = [], 0
    for record in records:
        for phase, entry in record['phases'].items():
            colour = COLOURS.get(phase)
            late.barh(y, entry['user']['max'] / 1000, color=colour, alpha=0.35)
            late.barh(y, entry['user']['p99.9'] / 1000, color=colour, height=0.5)
            late.text(entry['user']['max'] / 1000, y, f' {entry["user"]["max"] / 1000:.0f}',
                      va='center', fontsize='small')
            ticks.append((y, f'{record["kernel"]}: {tables.NAMES.get(phase, phase)}'))
            y -= 1
        y -= 0.6
    late.set_yticks([at for at, _ in ticks], [name for _, name in ticks], fontsize='small')
    late.set_xscale('log')
    late.margins(x=0.12)
    late.set(xlabel='user latency, µs: 99.9 % (dark), longest (light)')
    _costs(cost, records)
    figure.suptitle('How late a periodic task is beside five loads, and what they pay'
                    + (' (emulated)' if any(record['emulated'] for record in records) else ''))
    figure.savefig(path, dpi=100)


def _costs(axis, records):
    kinds = list(records[0]['phases'].get('loaded', {}).get('loads', {}))
    bars = [(record, phase) for record in records for phase in record['phases']
            if phase not in results.STOCK]
    kernels = [record['kernel'] for record in records]
    for i, (record, phase) in enumerate(bars):
        width = 0.8 / len(bars)
        shares = [100 * (results.kept(record, phase, kind) or 0) for kind in kinds]
        axis.bar([x - 0.4 + (i + 0.5) * width for x in range(len(kinds))], shares, width,
                 color=COLOURS.get(phase), edgecolor='white',
                 hatch=HATCHES[kernels.index(record['kernel']) % len(HATCHES)],
                 label=f'{record["kernel"]}: {tables.NAMES.get(phase, phase).split(",")[0]}')
    axis.axhline(100, color='black', linewidth=1)
    axis.axhline(100 * tables.LEAST_KEPT, color='black', linewidth=1, linestyle=':',
                 label=f'{100 * tables.LEAST_KEPT:.0f} %: wanted')
    axis.set_xticks(range(len(kinds)), kinds)
    axis.set_ylabel('throughput, % of unshielded')
    if bars:
        axis.legend(fontsize='small', loc='lower right', bbox_to_anchor=(1, 1), frameon=False,
                    ncol=2)
