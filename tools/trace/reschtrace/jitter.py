# SPDX-License-Identifier: GPL-2.0
"""How much later than in theory things happen, by the definitions of Sousa, Bletsas, Tovar and Andersson, On the
implementation of real-time slot-based task-splitting scheduling algorithms for multiprocessor systems (2011):

ResJ    from the beginning of a reserve until the task that is due runs
RelJ    from a job's nominal release until it is ready
CtswJ   from a task's selection until it runs, where no reserve began
"""

from .model import WAKEUP, covered
from .slots import groups_of

KINDS = {'ResJ': 'reserve jitter', 'RelJ': 'release jitter', 'CtswJ': 'context-switch jitter'}

# The paper's: largest, average of the task that had it, smallest of the tasks' maxima, average of that task; µs.
PAPER = {
    '4 cores': {'ResJ': (8.824, 5.255, 7.919, 5.833), 'RelJ': (31.834, 0.329, 10.029, 0.369),
                'CtswJ': (2.218, 0.424, 0.587, 0.305)},
    '24 cores': {'ResJ': (48.087, 8.493, 19.243, 9.498), 'RelJ': (37.264, 0.731, 11.609, 0.848),
                 'CtswJ': (9.743, 1.223, 1.009, 0.542)},
}
HISTOGRAM_WIDTH = 50


class Jitter:
    """`values`: kind -> {task: [ns]}."""

    def __init__(self, checker):
        self.model = checker.model
        self.values = {kind: {} for kind in KINDS}
        begun = set()            # (task id, start of a selection): accounted for by ResJ
        for domain in checker.domains:
            self.reserves(domain, begun)
        for task in self.model.task_list():
            self.releases(task)
            self.switches(task, begun)

    def add(self, kind, task, value):
        self.values[kind].setdefault(task, []).append(value)

    def runs_from(self, task, span, time):
        """When it runs from `time` on, where and while it is selected; None: it does not."""
        if not self.model.has_switches:
            return time
        for run in task.running_between(time, span.end):
            if run.cpu == span.cpu:
                return max(run.start, time)
        return None

    def reserves(self, domain, begun):
        groups = groups_of(domain)
        for cpu in domain.cpus:
            for _, window in domain.windows(cpu):
                group = groups.get(window.group)
                if not group or window.start <= self.model.start or not domain.order_at(cpu, window.start) \
                        or not group.ready_at(window.start):
                    continue
                before = group.across(cpu, window.start)
                found = group.first(cpu, window.start, window.end)
                if not found or before and before[0].end > window.start:
                    continue     # it goes on with what it had
                self.reserve(window, *found, begun)

    def reserve(self, window, span, task, begun):
        """`span`: the first selection of the window's group in it. Its job was to be ready when the window began."""
        if not covered(task.ready, window.start, window.start + 1):
            return
        runs = self.runs_from(task, span, max(span.start, span.began))
        if runs is not None:
            begun.add((task.id, span.start))
            self.add('ResJ', task, runs - window.start)

    def releases(self, task):
        if task.param('kind') == WAKEUP:
            return               # its releases have no nominal time but their own
        for job in task.jobs:
            late = job.previous is not None and job.previous.completed is not None and \
                job.previous.completed > job.nominal
            if job.recorded is not None and not late:
                self.add('RelJ', task, max(0, job.recorded - job.nominal))

    def switches(self, task, begun):
        if not self.model.has_switches:
            return               # nobody saw when it ran
        for span in task.selected:
            runs = self.runs_from(task, span, span.began)
            if (task.id, span.start) not in begun and runs is not None and runs > span.began:
                self.add('CtswJ', task, runs - span.began)

    def row(self, kind):
        """(largest, average of that task, smallest of the tasks' maxima, average of that task), ns, or None."""
        tasks = self.values[kind].values()
        if not tasks:
            return None
        worst, best = max(tasks, key=max), min(tasks, key=max)
        return max(worst), average(worst), max(best), average(best)

    def all_of(self, kind):
        return [value for values in self.values[kind].values() for value in values]


def average(values):
    return sum(values) / len(values)


def us(ns):
    return '-' if ns is None else f'{ns / 1000:.3f}'


def text(jitter, table):
    """As the paper has it: of each kind the task with the largest maximum, and the one with the smallest.
    `table`(head, rows, flush) makes columns."""
    head = ['', 'MAX max', 'AVG', 'MIN max', 'AVG']
    wide = head + sum(([f'{name}: MAX max', 'AVG', 'MIN max', 'AVG'] for name in PAPER), [])
    rows = []
    for kind in KINDS:
        row = jitter.row(kind) or [None] * 4
        rows.append([kind] + [us(value) for value in row]
                    + [f'{value:.3f}' for paper in PAPER.values() for value in paper[kind]])
    out = [table(wide, rows, 'l'), 'in µs; beside it Sousa et al. 2011: 4 cores (Table 1), 24 cores (Tables 2 and 5)', '']
    rows = []
    for task in jitter.model.task_list():
        cells = [task.label(), '+'.join(map(str, task.cpus()))]
        for kind in KINDS:
            values = jitter.values[kind].get(task)
            cells += [str(len(values)), us(max(values)), us(average(values))] if values else ['0', '-', '-']
        rows.append(cells)
    totals = ['all', '']
    for kind in KINDS:
        values = jitter.all_of(kind)
        totals += [str(len(values)), us(max(values)), us(average(values))] if values else ['0', '-', '-']
    heads = ['task', 'cpu'] + sum(([f'{kind}: count', 'max', 'avg'] for kind in KINDS), [])
    return '\n'.join(out + [table(heads, rows + [totals], 'll'), 'in µs'])


def buckets(values):
    """[(from, below, count)] in steps 1, 2, 5, ns; without empty ones at either end."""
    edges = [0] + [step * 10 ** power for power in range(2, 10) for step in (1, 2, 5)]
    counts = [[low, high, sum(low <= value < high for value in values)]
              for low, high in zip(edges, edges[1:] + [None]) if high]
    counts.append([edges[-1], None, sum(value >= edges[-1] for value in values)])
    while counts and not counts[-1][2]:
        counts.pop()
    while counts and not counts[0][2]:
        counts.pop(0)
    return [tuple(one) for one in counts]


def histogram(jitter):
    out = []
    for kind, about in KINDS.items():
        counts = buckets(jitter.all_of(kind))
        if not counts:
            continue
        most = max(count for _, _, count in counts)
        out += ['', f'{kind} ({about}), µs']
        for low, high, count in counts:
            bar = '#' * -(-count * HISTOGRAM_WIDTH // most)
            below = '' if high is None else f'{high / 1000:g}'
            out.append(f'{low / 1000:>9g} - {below:<9} {count:>8} {bar}'.rstrip())
    return '\n'.join(out)


def as_json(jitter, with_histogram):
    def figures(values):
        return {'count': len(values), 'max_ns': max(values, default=None),
                'avg_ns': round(average(values)) if values else None}
    found = {}
    for kind in KINDS:
        one = dict(figures(jitter.all_of(kind)), paper_us=dict((name, paper[kind]) for name, paper in PAPER.items()),
                   tasks={task.id: figures(values) for task, values in jitter.values[kind].items()})
        if with_histogram:
            one['histogram'] = [{'from_ns': low, 'below_ns': high, 'count': count}
                                for low, high, count in buckets(jitter.all_of(kind))]
        found[kind] = one
    return found
