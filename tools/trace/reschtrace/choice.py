# SPDX-License-Identifier: GPL-2.0
"""Who is selected on a CPU, and who should be, at each moment."""

import bisect

from .sweep import Persistent, Segments
from .units import show


class View:
    """The sweep over one CPU."""

    def __init__(self, checker, cpu):
        self.checker = checker
        self.cpu = cpu
        self.ready = {}          # task id -> (task, span)
        self.selected = {}
        self.unknown = 0
        self.plugin = None
        self.order = None
        self.keys = []           # sorted (key, task id) of the ready jobs
        self.key_of = {}
        self.persistent = Persistent(self.report)

    def sweep(self, segments):
        end = None
        for start, end, added, removed in segments:
            for item in removed:
                self.change(item, False)
            for item in added:
                self.change(item, True)
            plugin, order = self.checker.order_at(self.cpu, start)
            if order is not self.order or plugin != self.plugin:
                self.plugin, self.order = plugin, order
                self.persistent.close(start)   # another rule from here on
                self.rekey()
            if end > start:
                self.persistent.feed(start, self.conditions())
        if end is not None:
            self.persistent.close(end)
        for name in ('one-task', 'order', 'idle', 'ready'):
            rule = self.checker.rules[name]
            if rule.checked and rule.worst is None:
                rule.worst = 0

    def change(self, item, on):
        what, task, span = item
        if what == 'unknown':
            self.unknown += 1 if on else -1
        elif what == 'selected':
            if on:
                self.selected[task.id] = (task, span)
                self.checker.rules['one-task'].checked += 1
                self.checker.rules['ready'].checked += 1
            elif self.selected.get(task.id, (None, None))[1] is span:
                del self.selected[task.id]
        elif what == 'ready':
            if on:
                self.drop(task)
                self.ready[task.id] = (task, span)
                self.insert(task, span)
                if self.order and self.order.conserving:
                    self.checker.rules['idle'].checked += 1
                if self.order and self.order.key:
                    self.checker.rules['order'].checked += 1
            elif self.ready.get(task.id, (None, None))[1] is span:
                self.drop(task)

    def drop(self, task):
        self.ready.pop(task.id, None)
        key = self.key_of.pop(task.id, None)
        if key is not None:
            del self.keys[bisect.bisect_left(self.keys, (key, task.id))]

    def insert(self, task, span):
        key = self.order.key(task, span) if self.order and self.order.key else None
        if key is not None:
            self.key_of[task.id] = key
            bisect.insort(self.keys, (key, task.id))

    def rekey(self):
        self.keys, self.key_of = [], {}
        for task, span in self.ready.values():
            self.insert(task, span)

    def conditions(self):
        """What is wrong right now: key -> detail."""
        wrong = {}
        chosen = list(self.selected.values())
        for first in range(len(chosen)):
            for second in chosen[first + 1:]:
                wrong['one-task', chosen[first][0].id, second[0].id] = (chosen[first][0], second[0])
        for task, _ in chosen:
            if task.id not in self.ready:
                wrong['ready', task.id] = (task,)
        if not chosen and self.ready and not self.unknown and self.order and self.order.conserving:
            wrong['idle',] = tuple(task for task, _ in list(self.ready.values())[:4])
        keys = [self.key_of[task.id] for task, _ in chosen if task.id in self.key_of]
        if keys:
            best = min(keys)
            for key, ident in self.keys:
                if key >= best:
                    break
                holder = next(task for task, _ in chosen if self.key_of.get(task.id) == best)
                wrong['order', ident] = (self.ready[ident][0], holder, self.plugin, self.order)
        return wrong

    def report(self, key, start, end, detail):
        checker, number, lasted = self.checker, self.cpu.number, end - start
        if key[0] == 'one-task':
            checker.judge('one-task', lasted, start,
                          f'{detail[0].label()} and {detail[1].label()} selected '
                          f'at once for {show(lasted)}', number, detail, 0)
        elif key[0] == 'ready':
            checker.judge('ready', lasted, start,
                          f'{detail[0].label()} selected for {show(lasted)} without '
                          'a ready job', number, detail)
        elif key[0] == 'idle':
            names = ', '.join(task.label() for task in detail)
            checker.judge('idle', lasted, start,
                          f'nobody selected for {show(lasted)} while {names} ready', number, detail)
        elif key[0] == 'order':
            waiting, holder, plugin, order = detail
            checker.judge('order', lasted, start,
                          f'{holder.label()} selected for {show(lasted)} while '
                          f'{waiting.label()} was ready; {plugin}: {order.about}', number,
                          [holder, waiting])


def check(checker, cpu):
    """Fills in the rules about who is selected among those who are ready."""
    segments = Segments()
    for task in checker.model.tasks.values():
        for span in task.ready:
            if span.cpu == cpu.number:
                segments.add(span.start, span.end, ('ready', task, span))
        for span in task.selected:
            if span.cpu == cpu.number:
                segments.add(span.start, span.end, ('selected', task, span))
    for start, end in cpu.unknown:
        segments.add(start, end, ('unknown', None, None))
    for number, (since, _) in enumerate(cpu.policies):
        if number:               # so that a stretch has one policy
            segments.add(since, checker.model.end, ('policy', None, None))
    View(checker, cpu).sweep(segments)
