# SPDX-License-Identifier: GPL-2.0
"""What `resch-check --jitter` says: the three jitters of measure.py, in short."""

from . import figures
from .figures import PAPER
from .measure import ABOUT, Measured

KINDS = ('ResJ', 'RelJ', 'CtswJ')
HISTOGRAM_WIDTH = 50


def us(ns):
    return '-' if ns is None else f'{ns / 1000:.3f}'


def measures_of(checker):
    """Those of KINDS, by name."""
    found = Measured(checker.model).measures
    return {kind: found[kind] for kind in KINDS}


def short(samples):
    """count, maximum, average"""
    found = figures.of(samples)
    return [str(found.count), us(found.max), us(found.avg)]


def text(checker, table):
    """As the paper has it: of each kind the task with the largest maximum, and the one with the
    smallest. `table`(head, rows, flush) makes columns."""
    measures, model = measures_of(checker), checker.model
    head = ['', 'MAX max', 'AVG', 'MIN max', 'AVG']
    wide = head + sum(([f'{name}: MAX max', 'AVG', 'MIN max', 'AVG'] for name in PAPER), [])
    rows = [[kind] + [us(value) for value in figures.row([measures[kind]]).values]
            + [f'{value:.3f}' for paper in PAPER.values() for value in paper[kind]]
            for kind in KINDS]
    out = [table(wide, rows, 'l'),
           'in µs; beside it Sousa et al. 2011: 4 cores (Table 1), 24 cores (Tables 2 and 5); '
           'more from resch-jitter', '']
    by_task = {kind: measures[kind].by_task() for kind in KINDS}
    rows = [[task.label(), '+'.join(map(str, task.cpus()))]
            + sum((short(by_task[kind].get(task, ())) for kind in KINDS), [])
            for task in model.task_list()]
    rows.append(['all', ''] + sum((short(measures[kind].samples) for kind in KINDS), []))
    heads = ['task', 'cpu'] + sum(([f'{kind}: count', 'max', 'avg'] for kind in KINDS), [])
    return '\n'.join(out + [table(heads, rows, 'll'), 'in µs'])


def histogram(checker):
    out = []
    for kind, measure in measures_of(checker).items():
        counts = figures.buckets([sample.value for sample in measure.samples])
        if not counts:
            continue
        most = max(count for _, _, count in counts)
        out += ['', f'{kind} ({ABOUT[kind].partition(":")[0]}), µs']
        for low, high, count in counts:
            bar = '#' * -(-count * HISTOGRAM_WIDTH // most)
            below = '' if high is None else f'{high / 1000:g}'
            out.append(f'{low / 1000:>9g} - {below:<9} {count:>8} {bar}'.rstrip())
    return '\n'.join(out)


def as_json(checker, with_histogram):
    def short_json(samples):
        found = figures.of(samples).as_json()
        return {name: found[name] for name in ('count', 'max_ns', 'avg_ns')}
    found = {}
    for kind, measure in measures_of(checker).items():
        one = dict(short_json(measure.samples),
                   paper_us={name: paper[kind] for name, paper in PAPER.items()},
                   tasks={task.id: short_json(samples)
                          for task, samples in measure.by_task().items()})
        if with_histogram:
            values = [sample.value for sample in measure.samples]
            one['histogram'] = [{'from_ns': low, 'below_ns': high, 'count': count}
                                for low, high, count in figures.buckets(values)]
        found[kind] = one
    return found
