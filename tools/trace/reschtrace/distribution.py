# SPDX-License-Identifier: GPL-2.0
"""How measured jitter is distributed, as a picture: a panel for each kind, a line for each plugin
and hand-over."""

import os

import matplotlib

matplotlib.use('Agg')

from matplotlib import pyplot  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402

from .figures import PAPER  # noqa: E402
from .sets import missing, together  # noqa: E402

COLOURS = ('#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#8c6d31', '#6a3d9a', '#4d4d4d')
INK, FAINT, GRID = '#222222', '#8a8a8a', '#e3e3e3'
PANELS = {'ResJ': 'reserve jitter (ResJ)', 'RelJ': 'release jitter (RelJ)',
          'CtswJ': 'context-switch jitter (CtswJ)', 'HandJ': 'hand-overs', 'tick': 'tick'}
STEPS = 10          # bars for each factor of ten
LEAST = 100         # ns: what is below is in the first bar
STYLES = {'4 cores': ':', '24 cores': '--'}
WIDTH, HEIGHT, ACROSS = 4.6, 3.3, 3
FOOT = 0.35         # for the legend, inches


def kinds_of(sets):
    """{words: sets}: by plugin and hand-over."""
    found = {}
    for one in sets:
        plugin = '+'.join(one.plugins) or '?'
        found.setdefault(plugin + (f', {one.handover}' if one.handover else ''), []).append(one)
    return found


def edges_of(values):
    """Logarithmic, ns, from LEAST on."""
    most, edges = max(values, default=LEAST), [LEAST]
    while edges[-1] <= most:
        edges.append(LEAST * 10 ** (len(edges) / STEPS))
    return edges if len(edges) > 1 else [LEAST, 2 * LEAST]


def values_of(sets, name):
    return [sample.value for measure in together(sets, name) for sample in measure.samples]


def panel(axes, sets, name, title):
    axes.set_title(title, loc='left', fontsize=10, fontweight='bold', color=INK)
    for side in ('top', 'right'):
        axes.spines[side].set_visible(False)
    values = values_of(sets, name)
    if not values:
        why = missing(sets, name)
        axes.text(0.5, 0.5, f'not recorded\n({why})' if why else 'none seen', ha='center',
                  va='center',
                  transform=axes.transAxes, color=FAINT, fontsize=9)
        axes.set_xticks([])
        axes.set_yticks([])
        return
    edges, kinds = edges_of(values), kinds_of(sets)
    style = {'histtype': 'stepfilled', 'alpha': 0.6} if len(kinds) == 1 else {'histtype': 'step',
                                                                              'linewidth': 1.3}
    for number, those in enumerate(kinds.values()):
        mine = values_of(those, name)
        if mine:
            axes.hist([max(value, LEAST) / 1000 for value in mine], [edge / 1000 for edge in edges],
                      color=COLOURS[number % len(COLOURS)], zorder=3, **style)
    for machine, paper in PAPER.items():
        if name in paper:
            axes.axvline(paper[name][0], color=INK, linewidth=1,
                         linestyle=STYLES[machine], zorder=4)
    axes.set_title(f'n = {len(values)}', loc='right', fontsize=8.5, color=FAINT)
    axes.set_xscale('log')
    axes.set_yscale('log')
    axes.set_xlabel('µs', fontsize=9)
    axes.set_ylabel('how often', fontsize=9)
    axes.grid(color=GRID, linewidth=0.8, zorder=0)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8)
    axes.set_ylim(0.7)


def legend(sets):
    """What colours and lines are."""
    found = [Patch(facecolor=COLOURS[number % len(COLOURS)], label=words)
             for number, words in enumerate(kinds_of(sets))]
    return found + [Line2D([], [], color=INK, linewidth=1, linestyle=style,
                           label=f'largest in the paper, {machine}')
                    for machine, style in STYLES.items()]


def draw(sets, path, note=None):
    """PNG or SVG. OSError if it can't be written."""
    matplotlib.rcParams['svg.hashsalt'] = 'resch'
    shown = [name for name in PANELS if name in ('ResJ', 'RelJ') or values_of(sets, name)]
    across = min(len(shown), ACROSS)
    down = -(-len(shown) // across)
    figure, panels = pyplot.subplots(down, across, figsize=(WIDTH * across, HEIGHT * down),
                                     squeeze=False, sharex='row')
    for axes in panels.flat[len(shown):]:
        axes.set_visible(False)
    for axes, name in zip(panels.flat, shown):
        panel(axes, sets, name, PANELS[name])
    names = sets[0].name if len(sets) == 1 else f'{len(sets)} traces'
    figure.suptitle(names + (f'; {note}' if note else ''), fontsize=10, x=0.01,
                    ha='left', color=INK)
    handles = legend(sets)
    figure.tight_layout(rect=(0, FOOT / (HEIGHT * down), 1, 1))
    figure.legend(handles=handles, loc='lower center', ncol=min(len(handles), 2 + 2 * (across - 1)),
                  frameon=False,
                  fontsize=8.5)
    figure.savefig(path, dpi=110,
                   metadata={'Date': None} if os.fspath(path).endswith('.svg') else None)
    pyplot.close(figure)
