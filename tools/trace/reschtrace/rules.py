# SPDX-License-Identifier: GPL-2.0
"""What a legal schedule keeps to, and where this one does not.

Each rule looks at a Model and fills in a Rule: how often it had something to look at, the largest
deviation that it saw, and a Violation for each one that was larger than is allowed. What the engine
decides it stamps with its own time, `now`, so decisions can be compared exactly; what the kernel
does after that (switching, timers) takes time, and that is what the tolerance is for.
"""

from . import chains, choice, groups, jobs, running, servers
from .units import show

CHOICES = ('resch_select', 'resch_deselect')


class Violation:
    """`amount`: by how much, ns, or None where there is no such measure."""

    def __init__(self, rule, time, text, cpu=None, tasks=(), amount=None, line=None):
        self.rule, self.time, self.text, self.cpu = rule, time, text, cpu
        self.tasks, self.amount, self.line = list(tasks), amount, line


class Rule:
    def __init__(self, name, about):
        self.name, self.about = name, about
        self.checked = 0
        self.worst = None        # largest deviation, ns
        self.violations = []
        self.skipped = None      # why it was not checked at all

    def measure(self, amount):
        self.checked += 1
        if self.worst is None or amount > self.worst:
            self.worst = amount


class Note:
    """Something worth knowing that is no violation."""

    def __init__(self, kind, time, text, cpu=None, tasks=(), amount=None):
        self.kind, self.time, self.text, self.cpu = kind, time, text, cpu
        self.tasks, self.amount = list(tasks), amount


ABOUT = {
    'one-task': 'at most one selected task per CPU',
    'one-cpu': 'a task is selected on, and runs on, one CPU at a time',
    'order': "the plugin's order of ready jobs",
    'idle': 'a CPU with ready jobs has a selected task',
    'ready': 'only a task with a ready job is selected',
    'jobs': 'no job is lost, none completes twice',
    'release': 'releases lie at their nominal times',
    'deadline': 'deadlines follow from releases',
    'budget': 'overruns are noted, throttled jobs keep to their budget',
    'miss': 'misses are noted where deadlines were missed, and only there',
    'stop': 'a task that is not selected stops running',
    'run': 'the selected task runs',
    'exec': 'execution times are what the kernel ran',
    'clock': 'events are recorded as they happen',
    'swap': 'plugins change only by swaps',
}


class Checker:
    def __init__(self, model, orders, tolerance):
        self.model = model
        self.orders = orders
        self.tolerance = tolerance
        self.rules = {name: Rule(name, about) for name, about in ABOUT.items()}
        self.notes = []
        self.unordered = set()   # plugins without a known order
        self.domains = []        # groups.Domain: where a plugin kept to a plan
        self.servers = []        # budgets.Server
        self.server_remarks = []
        self.edges = set()       # (cpu, now) of decisions that the rule 'slot' judges

    def run(self):
        for anomaly in self.model.anomalies:
            self.rules[anomaly.rule].violations.append(Violation(
                anomaly.rule, anomaly.time, anomaly.text, anomaly.cpu,
                [anomaly.task] if anomaly.task else [], line=anomaly.line))
        for number in sorted(self.model.cpus):
            choice.check(self, self.model.cpus[number])
        groups.check(self)
        servers.check(self)
        self.check_one_cpu()
        jobs.check(self)
        chains.check(self)
        self.check_clock()
        self.rules['swap'].checked = len(self.model.swaps)
        if self.model.has_switches:
            running.check(self)
        else:
            for name in ('stop', 'run', 'exec'):
                self.rules[name].skipped = 'no sched_switch events'
        for rule in self.rules.values():
            rule.violations.sort(key=lambda violation: violation.time)
        self.notes.sort(key=lambda note: note.time)
        return self

    def add_rules(self, about):
        self.rules.update((name, Rule(name, text)) for name, text in about.items())

    def violations(self):
        return sorted((violation for rule in self.rules.values() for violation in rule.violations),
                      key=lambda violation: violation.time)

    def verdict(self):
        if self.violations():
            return 'illegal'
        return 'unknown' if self.model.trace.holes else 'legal'

    def violate(self, rule, time, text, cpu=None, tasks=(), amount=None, line=None):
        self.rules[rule].violations.append(Violation(rule, time, text, cpu, tasks, amount, line))

    def judge(self, rule, amount, time, text, cpu=None, tasks=(), allowed=None, line=None):
        """A deviation was measured; is it too large?"""
        self.rules[rule].measure(amount)
        if amount > (self.tolerance if allowed is None else allowed):
            self.violate(rule, time, text, cpu, tasks, amount, line)

    def note(self, kind, time, text, cpu=None, tasks=(), amount=None):
        self.notes.append(Note(kind, time, text, cpu, tasks, amount))

    def holes_in(self, start, end):
        return any(hole.start < end and hole.end > start for hole in self.model.trace.holes)

    def order_at(self, cpu, time):
        name = self.model.policy_at(cpu.number, time)
        order = self.orders.get(name)
        if order is None and name is not None:
            self.unordered.add(name)
        return name, order

    # ---- a task on one CPU

    def check_one_cpu(self):
        """Selected, or running, on two CPUs at once."""
        for task in self.model.task_list():
            # a task that moves by plan is never in two places, however short
            apart = 0 if task.group() and self.domains else None
            for spans, what, allowed in ((task.selected, 'selected', 0),
                                         (task.running, 'running', apart)):
                self.rules['one-cpu'].checked += len(spans)
                last = None
                for span in spans:
                    if last and span.start < last.end and span.cpu != last.cpu:
                        both = min(span.end, last.end) - span.start
                        self.judge('one-cpu', both, span.start,
                                   f'{task.label()} {what} on CPUs {last.cpu} and {span.cpu} at once for '
                                   f'{show(both)}', span.cpu, [task], allowed)
                    if last is None or span.end > last.end:
                        last = span

    # ---- the recorder

    def check_clock(self):
        for event in self.model.trace.events.where(
                lambda form: 'now' in form.keys and form.name != 'sched_switch'):
            late = event.time - event.now
            if (event.get('cpu'), event.now) in self.edges and event.name in CHOICES and late > 0:
                continue
            self.judge('clock', abs(late), event.time, f'{event.name} says that it happened '
                       f'{show(abs(late))} {"before" if late > 0 else "after"} it was recorded',
                       event.get('cpu'), (), line=event.line)


def check(model, orders, tolerance):
    return Checker(model, orders, tolerance).run()
