# SPDX-License-Identifier: GPL-2.0
"""What was played, as pictures."""

import os

import systems
import tables

BLUE, ORANGE, GREEN, PINK, SKY, BROWN, GREY, RED = ('#0072b2', '#e69f00', '#009e73', '#cc79a7',
                                                    '#56b4e9', '#8c6d31', '#4d4d4d',
                                                    '#d62728')
BARS = (('bound', 'TC', 'ds', 'tc', '#d9d9d9'), ('bound', 'TC-bc', 'ds', 'tc-bc', '#b5b5b5'),
        ('bound', 'WCDO exact', 'ds', 'wcdo-exact', '#8a8a8a'),
        ('bound', 'SA/PM', 'rg', 'sapm', GREY), ('seen', 'ds', 'ds', None, ORANGE),
        ('seen', 'rg', 'rg', None, BLUE), ('seen', 'rg1', 'rg1', None, SKY),
        ('seen', 'mpm', 'mpm', None, GREEN))


def pyplot_of():
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    return pyplot


def plain(axes):
    axes.grid(axis='y', color='#e3e3e3', linewidth=0.7)
    axes.set_axisbelow(True)
    for side in ('top', 'right'):
        axes.spines[side].set_visible(False)


def save(pyplot, figure, directory, name):
    figure.savefig(os.path.join(directory, name), dpi=100, metadata={'Software': None})
    pyplot.close(figure)


def slides(records, directory):
    """Bars, as the slide has them: theory beside simulation."""
    pyplot = pyplot_of()
    figure, panels = pyplot.subplots(1, 2, figsize=(11, 4.4), sharey=True)
    for axes, (mapping, priorities) in zip(panels, (('pipeline', 'rm'), ('slides', 'pdm'))):
        some = [record for record in records
                if (record['mapping'], record['priorities']) == (mapping, priorities)]
        for at, (kind, label, protocol, method, colour) in enumerate(BARS):
            chains = tables.find(some, protocol=protocol)['chains']
            values = [(chain['bounds'][method] if method else chain['max']) / tables.MS
                      for chain in chains]
            axes.bar([place + (at - 3.5) / 10 for place in range(len(values))], values, width=0.095,
                     color=colour,
                     label=('' if kind == 'bound' else 'simulated, ') + label)
        for place, chain in enumerate(chains):
            axes.plot([place - 0.45, place + 0.45], [chain['deadline'] / tables.MS] * 2, color=RED,
                      linewidth=1.2,
                      label='deadline' if not place else None)
        axes.set_xticks(range(len(tables.NAMES)), tables.NAMES)
        axes.set_title(f'mapping {mapping}, priorities {priorities}', fontsize=10, loc='left')
        plain(axes)
    panels[0].set_ylabel('longest end-to-end response, ms')
    handles, labels = panels[0].get_legend_handles_labels()
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    figure.legend(handles, labels, loc='lower center', ncol=9, frameon=False, fontsize=8.5)
    save(pyplot, figure, directory, 'chains-slides.png')


# Of a histogram: so many of its steps are one here; and where its axis begins, %.
TOGETHER, LEAST = 4, 0.03


def steps(chain):
    """% of the instances, and what is between them, in ms."""
    bars = chain['histogram']
    starts = range(0, len(bars['counts']), TOGETHER)
    values = [100 * sum(bars['counts'][at:at + TOGETHER]) / chain['complete'] for at in starts]
    edges = [(bars['from'] + at * bars['width']) / tables.MS
             for at in (*starts, len(bars['counts']))]
    return [max(value, LEAST) for value in values], edges


def histograms(records, directory):
    """Completion times of T0 and T2 on the slides' mapping, with the bound as a line."""
    pyplot = pyplot_of()
    figure, panels = pyplot.subplots(1, 2, figsize=(11, 3.8))
    for axes, name, place in zip(panels, ('T0', 'T2'), ('upper left', 'upper right')):
        at = tables.NAMES.index(name)
        for protocol, colour in (('ds', ORANGE), ('rg1', BLUE), ('mpm', GREEN)):
            record = tables.find(records, mapping='slides', priorities='pdm', protocol=protocol)
            chain = record['chains'][at]
            values, edges = steps(chain)
            axes.stairs(values, edges, color=colour, linewidth=1.4, label=protocol, baseline=LEAST)
        bound = tables.find(records, mapping='slides', priorities='pdm',
                            protocol='ds')['chains'][at]['bounds']['wcdo-exact']
        axes.axvline(bound / tables.MS, color=GREY, linewidth=1.3, linestyle='--',
                     label=f'bound of ds, WCDO: {bound / tables.MS:g} ms')
        axes.axvline(systems.SLIDES[at][2], color=RED, linewidth=1.3,
                     label=f'deadline: {systems.SLIDES[at][2]} ms')
        axes.set_yscale('log')
        axes.set_ylim(bottom=LEAST)
        axes.set_title(f'{name}, mapping slides, priorities pdm', fontsize=10, loc='left')
        axes.set_xlabel('end-to-end response, ms')
        # not where matplotlib finds best, which takes long on a slow machine, and says so
        axes.legend(loc=place, frameon=False, fontsize=8.5)
        plain(axes)
    panels[0].set_ylabel('% of the instances')
    figure.tight_layout()
    save(pyplot, figure, directory, 'chains-responses.png')


LINES = {'TC': (GREY, ':'), 'TC-bc': (GREY, '--'), 'WCDO': (BROWN, '--'),
         'WCDO exact': (BROWN, '-'), 'SA/PM': (BLUE, '-'), 'ds played': (ORANGE, ':'),
         'mpm played': (GREEN, ':'), 'rg1 played': (SKY, ':'), 'rg played': (PINK, ':')}


def random_sets(records, directory):
    """Shares of sets that are taken; and what holding back costs on average."""
    pyplot = pyplot_of()
    points = tables.by_utilization(records)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.4))
    places = [point for point, _ in points]
    for label, protocol, method in tables.VERDICTS:
        colour, style = LINES[label]
        left.plot(places, [100 * tables.accepted(some, protocol, method) for _, some in points],
                  style, color=colour,
                  linewidth=1.7, label=label)
    left.set_ylabel('% of the sets')
    left.set_title('taken by the analysis, or played without a miss', fontsize=10, loc='left')
    for protocol, colour in (('rg', BLUE), ('rg1', SKY), ('mpm', GREEN)):
        for key, style, word in (('avg', '-', 'average'), ('max', ':', 'longest')):
            right.plot(places, [tables.mean_ratio(some, protocol, key) for _, some in points],
                       style, color=colour,
                       linewidth=1.7, label=f'{protocol}, {word}')
    right.set_title('response against that under ds', fontsize=10, loc='left')
    for axes in (left, right):
        axes.set_xlabel('utilization of each CPU')
        axes.legend(loc='upper right', frameon=False, fontsize=8.5)
        plain(axes)
    figure.tight_layout()
    save(pyplot, figure, directory, 'chains-random.png')
