# SPDX-License-Identifier: GPL-2.0
"""How much later than in theory things happen, and what interrupts take; by the definitions of
Sousa, Bletsas, Tovar and Andersson, On the implementation of real-time slot-based task-splitting
scheduling algorithms for multiprocessor systems, HURRAY-TR-110903, 2011, section 5:

ResJ    from the beginning of a reserve until the task whose turn it is runs
RelJ    from a job's nominal release until it is ready
CtswJ   from a task's selection until it runs, where no reserve began
HandJ   of ResJ, those where the group was on another CPU when its reserve began (the paper has no
figure of its own)
IntO    how long a task could not run for an interrupt
RelO    how long it could not for the releases of others (figure 6): the timer interrupts in which
jobs of others were released, all of each, for the release is not its only work
"""

import bisect
from array import array

from .model import WAKEUP, covered
from .policy import ORDERS, PLUGINS
from .slots import groups_of

ABOUT = {
    'ResJ': 'reserve jitter: from the beginning of a reserve until the task whose turn it is runs',
    'RelJ': "release jitter: from a job's nominal release until it is ready",
    'CtswJ': 'context-switch jitter: from a selection, where no reserve began, until the task runs',
    'HandJ': 'hand-over: of ResJ, where another CPU had the group when its reserve began',
    'RelO': 'release overhead: timer interrupts in which jobs of others were released',
    'tick': 'interrupt overhead of the tick',
    'timer': "interrupts of the CPUs' own timers, with and without tick",
}
# What a measure is made up of. None in a sample: it is not known, or there was no such part.
PHASES = {
    'ResJ': ('timer', 'decide', 'hand-over', 'switch'),
    'RelJ': ('timer', 'ready'),
    'HandJ': ('decide', 'leave', 'take', 'switch'),
}
NO_PLAN = 'no plan was recorded'
NO_KEEPER = 'no plugin that keeps to a plan was in charge'
NO_SWITCHES = 'sched_switch was not recorded'
NO_SPLIT = 'no group has reserves on several CPUs'
NO_VECTORS = 'irq_vectors was not recorded'
NO_IRQS = 'irq:irq_handler_* was not recorded'
BACK = 8        # so many spans before one that begins later may be open still


class Sample:
    """`value` and `phases` in ns; `at`: when it began; `task`: None where an interrupt met no
    task."""

    __slots__ = ('value', 'task', 'cpu', 'at', 'phases')

    def __init__(self, value, task, cpu, at, phases=()):
        self.value, self.task, self.cpu, self.at, self.phases = value, task, cpu, at, phases


class Measure:
    """`missing`: why the trace says nothing about it."""

    def __init__(self, name, about=None):
        self.name, self.about = name, about or ABOUT.get(name, '')
        self.phases = PHASES.get(name, ())
        self.samples = []
        self.missing = None

    def add(self, *arguments):
        self.samples.append(Sample(*arguments))

    def by_task(self):
        found = {}
        for sample in self.samples:
            if sample.task:
                found.setdefault(sample.task, []).append(sample)
        return found

    def by_cpu(self):
        found = {}
        for sample in self.samples:
            found.setdefault(sample.cpu, []).append(sample)
        return dict(sorted(found.items()))


class Domain:
    """The CPUs of the plans of one domain, and the tasks that were there."""

    def __init__(self, model, number):
        self.model, self.number = model, number
        self.plans = [plan for plan in model.plans if plan.domain == number and plan.whole()]
        self.cpus = sorted({cpu for plan in self.plans for cpu in plan.cpus()})
        self.tasks = [task for task in model.task_list() if set(task.cpus()) & set(self.cpus)]

    def keeps(self, cpu, time):
        """Whether the plugin in charge keeps to a plan; one that nobody knows does, for it has
        one."""
        name = self.model.policy_at(cpu, time)
        return name not in PLUGINS or ORDERS[PLUGINS[name]].leftover is not None

    def windows(self, cpu):
        for plan in self.plans:
            for window in plan.windows(cpu, self.model.start, self.model.end):
                if window.start > self.model.start and self.keeps(cpu, window.start):
                    yield window

    def split(self):
        return any(plan.split(group) for plan in self.plans for group in plan.cpus_of)


class Measured:
    """All measures of one trace. `interrupts`: a settled Recorder, or None. `measures`: name ->
    Measure; `unserved`: how many reserves began with a ready job, and passed without one of the
    group running there."""

    def __init__(self, model, interrupts=None):
        self.model, self.interrupts = model, interrupts
        self.measures = {name: Measure(name) for name in ('ResJ', 'RelJ', 'CtswJ', 'HandJ')}
        self.unserved = 0
        self.domains = [Domain(model, number)
                        for number in sorted({plan.domain for plan in model.plans})]
        self.begun = set()       # (task id, start of a selection): a reserve's doing, not EDF's
        self.edges = {}          # cpu -> beginnings of reserves
        for domain in self.domains:
            self.reserves(domain)
        for task in model.task_list():
            self.releases(task)
            self.switches(task)
        self.find_missing()
        if interrupts:
            self.interrupted()

    def find_missing(self):
        kept = any(True for domain in self.domains for cpu in domain.cpus
                   for _ in domain.windows(cpu))
        if not kept:
            why = NO_KEEPER if any(domain.plans for domain in self.domains) else NO_PLAN
            self.measures['ResJ'].missing = self.measures['HandJ'].missing = why
        elif not any(domain.split() for domain in self.domains):
            self.measures['HandJ'].missing = NO_SPLIT
        if not self.model.has_switches:
            self.measures['CtswJ'].missing = NO_SWITCHES

    def fired(self, cpu, start, end):
        return (self.interrupts.fired(cpu, start, end) if self.interrupts and
                cpu is not None else None)

    def runs_from(self, task, span, time):
        """When it runs from `time` on, where and while it is selected; None: it does not."""
        if not self.model.has_switches:
            return time
        for run in task.running_between(time, max(span.end, span.ended or span.end)):
            if run.cpu == span.cpu:
                return max(run.start, time)
        return None

    # ---- reserves

    def reserves(self, domain):
        groups = groups_of(domain)
        for cpu in domain.cpus:
            edges = self.edges.setdefault(cpu, set())
            for window in domain.windows(cpu):
                edges.add(window.start)
                group = groups.get(window.group)
                if group and group.ready_at(window.start):
                    self.reserve(window, group)

    def reserve(self, window, group):
        """Its group has a ready job as it begins."""
        cpu, start = window.cpu, window.start
        if group.across(cpu, start):
            return               # it goes on with what it had
        found = group.first(cpu, start, window.end)
        runs = None
        if found:
            span, task = found
            if not covered(task.ready, start, start + 1):
                return           # what was ready is gone, and this came later
            began = max(span.start, span.began)
            runs = self.runs_from(task, span, began)
        if runs is None:
            self.unserved += ready_throughout(group, start, window.end)
            return
        self.begun.add((task.id, span.start))
        fired = self.fired(cpu, start, began)
        given = giver(group, cpu, start)
        drift = None if fired is None else fired - start
        rest = began - start - (drift or 0)
        switch = runs - began if self.model.has_switches else None
        self.measures['ResJ'].add(runs - start, task, cpu, start,
                                  (drift, None, rest, switch) if given else (drift, rest,
                                                                             None, switch))
        if given:
            self.measures['HandJ'].add(runs - start, task, cpu, start,
                                       self.handed(group, *given, start, began) + (switch,))

    def handed(self, group, giver_cpu, left, start, taken):
        """How long until the giver decided, until its thread had left, until the receiver took the
        group."""
        last = group.across(giver_cpu, start)
        decided = min(max(start, last[0].ended if last and last[0].ended else start), taken)
        if not self.model.has_parks:
            return decided - start, None, taken - decided
        if last:
            # a thread that was stopped in the kernel does not park, but is switched away from
            runs = [run.end for run in last[1].running_between(start, taken)
                    if run.cpu == giver_cpu]
            left = min([left] + runs[-1:])
        left = min(max(decided, left), taken)
        return decided - start, left - decided, taken - left

    # ---- releases and switches

    def releases(self, task):
        if task.param('kind') == WAKEUP:
            return               # its releases have no nominal time but their own
        for job in task.jobs:
            late = job.previous is not None and job.previous.completed is not None and \
                job.previous.completed > job.nominal
            if job.recorded is None or late:
                continue
            seen = job.recorded
            if job.released < job.nominal:   # its timer is not meant to be at its release
                if job.begun is None:
                    continue
                seen = job.begun
            value = max(0, seen - job.nominal)
            fired = self.fired(job.on, job.nominal, seen)
            drift = None if fired is None else fired - job.nominal
            self.measures['RelJ'].add(value, task, task.cpu if job.on is None else job.on,
                                      job.nominal,
                                      (drift, value - (drift or 0)))

    def switches(self, task):
        if not self.model.has_switches:
            return               # nobody saw when it ran
        for span in task.selected:
            if (task.id, span.start) in self.begun or span.start in self.edges.get(span.cpu, ()):
                continue
            runs = self.runs_from(task, span, span.began)
            if runs is not None and runs > span.began:
                self.measures['CtswJ'].add(runs - span.began, task, span.cpu, span.began)

    # ---- interrupts

    def interrupted(self):
        for name, kind, why in (('tick', 'timer', NO_VECTORS), ('timer', 'timer', NO_VECTORS),
                                ('RelO', 'timer', NO_VECTORS), ('irq', 'irq', NO_IRQS)):
            if kind not in self.interrupts.kinds:
                self.measures[name] = Measure(name, ABOUT.get(name, 'interrupts of devices'))
                self.measures[name].missing = why
        victims = Victims(self.model)
        decided = stamps_by_cpu(self.model.trace.events)
        released = Releases(self.model)
        for one in self.interrupts.all():
            victim = victims.at(one.cpu, one.start)
            sample = (one.own, victim, one.cpu, one.start)
            if one.kind == 'timer':
                self.named('timer').add(*sample)
                if any(task is not victim for task in released.within(one)):
                    self.named('RelO').add(*sample)
                ours = any_between(decided.get(one.cpu, ()), one.start, one.end)
                if not ours and one.tick is not False:
                    self.named('tick').add(*sample)
            else:
                self.named(one.label()).add(*sample)
        if 'timer' in self.interrupts.kinds:
            for name in ('tick', 'timer', 'RelO'):
                self.named(name)

    def named(self, name):
        if name not in self.measures:
            self.measures[name] = Measure(name)
        return self.measures[name]


def ready_throughout(group, start, end):
    at = bisect.bisect_right(group.ready, start, key=lambda span: span[0]) - 1
    return at >= 0 and group.ready[at][1] >= end


def giver(group, cpu, time):
    """(CPU, until when) of another one that had the group as `time` came, or None."""
    at = bisect.bisect_left(group.held, time, key=lambda one: one[0])
    for _, end, number in reversed(group.held[max(0, at - BACK):at]):
        if number != cpu and end >= time:
            return number, end
    return None


class Victims:
    """Which task's thread had a CPU when."""

    def __init__(self, model):
        self.model = model
        self.tasks = {}          # pid -> tasks
        for task in model.task_list():
            self.tasks.setdefault(task.pid, []).append(task)

    def at(self, cpu, time):
        runs = self.model.cpu(cpu).runs
        at = bisect.bisect_right(runs, time, key=lambda run: run[0]) - 1
        if at < 0 or runs[at][1] <= time:
            return None
        for task in self.tasks.get(runs[at][2], ()):
            if (task.attached is None or task.attached <= time) and (task.detached is None or
                                                                     time < task.detached):
                return task
        return None


class Releases:
    """Whose jobs became ready on a CPU when."""

    def __init__(self, model):
        self.by_cpu = {}         # cpu -> [(time, task)]
        for task in model.task_list():
            for job in task.jobs:
                if job.recorded is not None and job.on is not None:
                    self.by_cpu.setdefault(job.on, []).append((job.recorded, task))
        for found in self.by_cpu.values():
            found.sort(key=lambda one: one[0])

    def within(self, interrupt):
        found = self.by_cpu.get(interrupt.cpu, ())
        at = bisect.bisect_left(found, interrupt.start, key=lambda one: one[0])
        while at < len(found) and found[at][0] <= interrupt.end:
            yield found[at][1]
            at += 1


def stamps_by_cpu(events):
    """When each CPU recorded events of the engine."""
    found = {}
    for event in events.where(lambda form: form.name != 'sched_switch'):
        if event.cpu is not None:
            found.setdefault(event.cpu, array('q')).append(event.time)
    return found


def any_between(times, start, end):
    at = bisect.bisect_left(times, start)
    return at < len(times) and times[at] <= end
