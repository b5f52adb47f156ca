# SPDX-License-Identifier: GPL-2.0
"""Counts, averages, maxima and percentiles of measures; of several traces together; and what the
paper measured."""

import bisect
from collections import Counter

# Sousa, Bletsas, Tovar and Andersson, HURRAY-TR-110903, 2011, tables 1, 2 and 5, µs: the largest
# value, the average of the task that had it, the smallest of the tasks' maxima, the average of that
# task. Each is the result of 17 task sets under S-EKG and NPS-F, 1000 s each. irq is the disk's,
# irq20.
PAPER = {
    '4 cores': {'ResJ': (8.824, 5.255, 7.919, 5.833), 'RelJ': (31.834, 0.329, 10.029, 0.369),
                'CtswJ': (2.218, 0.424, 0.587, 0.305), 'irq': (24.226, None, None, None),
                'tick': (0.571, 0.272, 0.408, 0.243), 'RelO': (None,) * 4},
    '24 cores': {'ResJ': (48.087, 8.493, 19.243, 9.498), 'RelJ': (37.264, 0.731, 11.609, 0.848),
                 'CtswJ': (9.743, 1.223, 1.009, 0.542), 'irq': (35.584, None, None, None),
                 'tick': (6.431, 1.307, 1.064, 0.755), 'RelO': (None,) * 4},
}
WHERE = {'4 cores': 'Table 1', '24 cores': 'Tables 2 and 5'}
CORES = {'4 cores': 4, '24 cores': 24}
MACHINE = {'4 cores': 'Intel Core i7 at 2.67 GHz', '24 cores': 'AMD Opteron 6168 at 1.9 GHz'}
SHARES = ((99, 100), (999, 1000))


class Figures:
    """Of values in ns; all but `count` None where there are none. A percentile is the smallest
    value that at least so many are not above."""

    def __init__(self, values):
        values = sorted(values)
        self.count = len(values)
        self.avg = sum(values) / len(values) if values else None
        self.max = values[-1] if values else None
        self.p99, self.p99_9 = (values[-(-len(values) * part // whole) - 1] if values else None
                                for part, whole in SHARES)

    def as_json(self):
        return {'count': self.count, 'avg_ns': None if self.avg is None else round(self.avg),
                'max_ns': self.max, 'p99_ns': self.p99, 'p99_9_ns': self.p99_9}


def of(samples):
    return Figures([sample.value for sample in samples])


def of_phases(samples, names):
    """{name of a phase: Figures, None: not in any sample}."""
    found = {}
    for at, name in enumerate(names):
        values = [sample.phases[at] for sample in samples if sample.phases[at] is not None]
        found[name] = Figures(values) if values else None
    return found


class Row:
    """A line of the paper's tables, over the tasks of any number of traces: ns, or None."""

    def __init__(self, lists):
        """`lists`: for each task its samples."""
        tasks = [of(samples) for samples in lists if samples]
        worst = max(tasks, key=lambda one: one.max, default=None)
        best = min(tasks, key=lambda one: one.max, default=None)
        self.values = (worst.max, worst.avg, best.max, best.avg) if tasks else (None,) * 4

    def as_json(self):
        names = ('max_max_ns', 'avg_of_max_ns', 'min_max_ns', 'avg_of_min_ns')
        return {name: None if value is None else round(value)
                for name, value in zip(names, self.values)}


def row(measures):
    """The Row of one measure in several traces."""
    return Row([samples for measure in measures for samples in measure.by_task().values()])


def worst(measured):
    """(measure, sample) with the largest value of one measure in several traces, or None."""
    found = [(measure, sample) for measure in measured for sample in measure.samples]
    return max(found, key=lambda one: one[1].value, default=None)


def buckets(values):
    """[(from, below, count)] in steps 1, 2, 5, ns; without empty ones at either end. The last one
    has no end: None."""
    edges = [0] + [step * 10 ** power for power in range(2, 10) for step in (1, 2, 5)]
    counts = Counter(bisect.bisect_right(edges, value) - 1 for value in values)
    if not counts:
        return []
    ends = edges[1:] + [None]
    return [(edges[at], ends[at], counts[at]) for at in range(min(counts), max(counts) + 1)]
