# SPDX-License-Identifier: GPL-2.0
"""The edges of reserves: whether the decisions that belong to them come when they should, and stay
on the grid.

At the end of a window a task that has no right to what follows is deselected; at the beginning of
one its group, if it has a ready job and no other CPU has the group still, is selected. A CPU may
decide late, as of the edge: the stamp says how late. What it says itself must lie on the same grid
from the first slot to the last.
"""

import bisect

from .units import show

# The best of many decisions is as good at the end as at the beginning; a module's are exact, a
# simulated timer's may be late at random, and then the best one of n is hardly ever later than this
# many n-ths of the average.
DRIFT, CHANCE = 1000, 20
ENOUGH = 8          # decisions in a quarter of the trace, to compare the first one with the last


class Edge:
    """`at`: where it should be; `now`: as of when the CPU decided, `stamp`: when it did."""

    def __init__(self, at, cpu, plan, group, task, ends, now, stamp):
        self.at, self.cpu, self.plan, self.group, self.task = at, cpu, plan, group, task
        self.ends, self.now, self.stamp = ends, now, stamp


class Group:
    """When it had a ready job, and who was selected of it where."""

    def __init__(self):
        self.ready, self.held = [], []
        self.selected = {}       # cpu -> [(start, span, task)]

    def add(self, task):
        self.ready += [(span.start, span.end) for span in task.ready]
        self.held += [(span.start, span.end, span.cpu) for span in task.held]
        for span in task.selected:
            self.selected.setdefault(span.cpu, []).append((span.start, id(span), span, task))

    def settle(self):
        self.ready, self.held = union(self.ready), sorted(self.held)
        for spans in self.selected.values():
            spans.sort(key=lambda one: one[:2])
        return self

    def ready_at(self, time):
        at = bisect.bisect_right(self.ready, time, key=lambda span: span[0]) - 1
        return at >= 0 and self.ready[at][1] > time

    def across(self, cpu, time):
        """(span, task) that was selected on this CPU when that time came, or None."""
        spans = self.selected.get(cpu, [])
        at = bisect.bisect_left(spans, time, key=lambda one: one[0]) - 1
        return spans[at][2:] if at >= 0 and spans[at][2].end >= time else None

    def first(self, cpu, start, end):
        """(span, task) of the first selection there in [start, end), or None."""
        spans = self.selected.get(cpu, [])
        at = bisect.bisect_left(spans, start, key=lambda one: one[0])
        return spans[at][2:] if at < len(spans) and spans[at][0] < end else None

    def in_hand(self, cpu, start, end):
        """Whether another CPU had the group in [start, end]."""
        at = bisect.bisect_right(self.held, end, key=lambda one: one[0])
        for begin, stop, number in self.held[max(0, at - ENOUGH):at]:
            if number != cpu and begin <= end and stop > start:
                return True
        return False


def union(spans):
    merged = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def groups_of(domain):
    groups = {}
    for task in domain.tasks:
        if task.group():
            groups.setdefault(task.group(), Group()).add(task)
    return {number: group.settle() for number, group in groups.items()}


def edges_of(domain, cpu, groups):
    """The edges at which this CPU had something to decide."""
    windows = list(domain.windows(cpu))
    for at, (plan, window) in enumerate(windows):
        group = groups.get(window.group)
        following = (windows[at + 1][1] if at + 1 < len(windows) and
                     windows[at + 1][1].start == window.end else None)
        if group and window.start > domain.model.start and domain.order_at(cpu, window.start):
            yield from beginning(domain, plan, window, group)
        if window.end < domain.model.end and domain.order_at(cpu, window.end):
            yield from ending(domain, plan, window, following, groups)


def beginning(domain, plan, window, group):
    cpu, start = window.cpu, window.start
    found = group.first(cpu, start, window.end)
    if not found or not group.ready_at(start):
        return
    span, task = found
    before = group.across(cpu, start)
    if before and before[0].end > start:     # as the CPU's own it had what others left
        return
    if group.in_hand(cpu, start, span.began - 1):
        return
    yield Edge(start, cpu, plan, window.group, task, False, span.start, span.began)


def ending(domain, plan, window, following, groups):
    cpu, end = window.cpu, window.end
    order = domain.order_at(cpu, end)
    for number, group in groups.items():
        found = group.across(cpu, end)
        if not found or found[0].open or found[0].ended is None:
            continue
        span, task = found
        if span.end > end and following and stays(order, plan, cpu, number, following, groups):
            continue
        yield Edge(end, cpu, plan, number, task, True, span.end, span.ended)


def stays(order, plan, cpu, number, following, groups):
    """Whether a task of the group may go on in the window that follows."""
    if number == following.group:
        return True
    if order.leftover == 'nobody':
        return False
    wanted = groups.get(following.group)
    if wanted and wanted.ready_at(following.start):
        # it may have to wait until another CPU lets the group go
        return wanted.in_hand(cpu, following.start, following.start)
    if order.leftover == 'own':
        return plan.split(following.group) and number == plan.own(cpu)
    return plan.cpus_of.get(number) == {cpu}


def check(domain):
    groups = groups_of(domain)
    for cpu in domain.cpus:
        edges = sorted(edges_of(domain, cpu, groups), key=lambda edge: edge.at)
        for edge in edges:
            judge(domain.checker, edge)
        drift(domain.checker, cpu, edges)


def judge(checker, edge):
    late = edge.stamp - edge.at
    checker.edges.add((edge.cpu, edge.at))
    if edge.now < edge.at:
        return                   # it ended or began before: that is another rule's affair
    what = 'ended' if edge.ends else 'began'
    checker.judge('slot', late, edge.at,
                  f'slot {edge.plan.slot_at(edge.at)}: the reserve of group {edge.group} {what}, '
                  f'the CPU decided {show(late)} later ({edge.task.label()})', edge.cpu,
                  [edge.task])


def drift(checker, cpu, edges):
    edges = [edge for edge in edges if edge.now >= edge.at]
    quarter = len(edges) // 4
    if quarter < ENOUGH:
        return
    first, last = (min(edge.now - edge.at for edge in part)
                   for part in (edges[:quarter], edges[-quarter:]))
    average = sum(edge.now - edge.at for edge in edges[:quarter]) // quarter
    moved = abs(last - first)
    checker.judge('slot', moved, edges[-1].at,
                  f'the slots drift: decisions come at least {show(first)} after '
                  f'the edges at first, at least {show(last)} in the end', cpu, (),
                  min(DRIFT + CHANCE * average // quarter, checker.tolerance))
