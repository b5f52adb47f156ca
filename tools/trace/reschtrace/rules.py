# SPDX-License-Identifier: GPL-2.0
"""What a legal schedule keeps to, and where this one does not.

Each rule looks at a Model and fills in a Rule: how often it had something to look at, the largest
deviation that it saw, and a Violation for each one that was larger than is allowed. What the engine
decides it stamps with its own time, `now`, so decisions can be compared exactly; what the kernel does
after that (switching, timers) takes time, and that is what the tolerance is for.
"""

import bisect

from . import groups
from .model import COUNT, PERIODIC, SPORADIC, THROTTLE, WAKEUP, covered, first_inside
from .sweep import Persistent, Segments
from .units import show

# Up to 6.11 real-time throttling, later the fair server, takes this share of the CPU.
KERNEL_TAKES, KERNEL_WINDOW = 50000000, 1000000000
FAIR_PRIO = 100
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
        self.edges = set()       # (cpu, now) of decisions that the rule 'slot' judges

    def run(self):
        for anomaly in self.model.anomalies:
            self.rules[anomaly.rule].violations.append(Violation(
                anomaly.rule, anomaly.time, anomaly.text, anomaly.cpu,
                [anomaly.task] if anomaly.task else [], line=anomaly.line))
        for number in sorted(self.model.cpus):
            self.check_cpu(self.model.cpus[number])
        groups.check(self)
        self.check_one_cpu()
        for task in self.model.task_list():
            self.check_jobs(task)
            self.check_budget(task)
        self.check_clock()
        self.rules['swap'].checked = len(self.model.swaps)
        if self.model.has_switches:
            self.check_running()
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

    # ---- a CPU: who is selected among those who are ready

    def order_at(self, cpu, time):
        name = self.model.policy_at(cpu.number, time)
        order = self.orders.get(name)
        if order is None and name is not None:
            self.unordered.add(name)
        return name, order

    def check_cpu(self, cpu):
        segments = Segments()
        for task in self.model.tasks.values():
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
                segments.add(since, self.model.end, ('policy', None, None))
        View(self, cpu).sweep(segments)

    # ---- a task on one CPU

    def check_one_cpu(self):
        """Selected, or running, on two CPUs at once."""
        for task in self.model.task_list():
            # a task that moves by plan is never in two places, however short
            running = 0 if task.group() and self.domains else None
            for spans, what, allowed in ((task.selected, 'selected', 0), (task.running, 'running', running)):
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

    # ---- jobs

    def check_jobs(self, task):
        for job in task.jobs:
            if job.released is not None:
                self.check_number(task, job)
                self.check_release(task, job)
            self.check_deadline(task, job)
            self.check_miss(task, job)
            self.rules['jobs'].checked += 1

    def check_number(self, task, job):
        before = job.previous
        if before is None:
            if task.attached is not None and job is task.jobs[0] and job.index != 1 \
                    and not self.holes_in(task.attached, job.released):
                self.violate('jobs', job.released, f'first job of {task.label()} has number {job.index}',
                             task.cpu, [task], line=job.line)
            return
        if job.index != before.index + 1:
            self.violate('jobs', job.released, f'job {job.index} of {task.label()} follows job '
                         f'{before.index}', task.cpu, [task], line=job.line)

    def check_release(self, task, job):
        kind, period = task.param('kind'), task.param('period')
        at, nominal, before = job.released, job.nominal, job.previous
        free = nominal
        if before is not None and before.completed is not None:
            free = max(free, before.completed)
        self.rules['release'].checked += 1
        if at < nominal:
            self.violate('release', at, f'job {job.index} of {task.label()} released {show(nominal - at)} '
                         'before its time', task.cpu, [task], nominal - at, job.line)
        else:
            self.judge('release', at - free, at, f'job {job.index} of {task.label()} released '
                       f'{show(at - free)} late', task.cpu, [task], line=job.line)
        if task.params is None:
            return
        if before is None:
            if job.index == 1 and task.attached is not None and kind != SPORADIC:
                early = task.attached - nominal
                if early > self.tolerance:
                    self.violate('release', at, f'first release of {task.label()} lies {show(early)} '
                                 'before its attach', task.cpu, [task], early, job.line)
            return
        step = nominal - before.release
        if kind == PERIODIC and step != period * (1 + job.skipped):
            off = abs(step - period * (1 + job.skipped))
            skips = f' and {job.skipped} skipped' if job.skipped else ''
            self.violate('release', at, f'job {job.index} of {task.label()}: nominal release '
                         f'{show(step)} after the last one, with period {show(period)}{skips}',
                         task.cpu, [task], off, job.line)
        elif kind == SPORADIC and step < period:
            self.violate('release', at, f'job {job.index} of {task.label()}: released {show(step)} after '
                         f'the last one, minimum inter-arrival time {show(period)}', task.cpu, [task],
                         period - step, job.line)

    def check_deadline(self, task, job):
        if task.params is None:
            return
        relative, period, kind = (task.params[name] for name in ('deadline', 'period', 'kind'))
        if job.released is not None:
            self.rules['deadline'].checked += 1
            fresh = job.nominal + relative
            if kind == WAKEUP:
                self.check_cbs(task, job, fresh)
            elif job.first_deadline != fresh:
                off = abs(job.first_deadline - fresh)
                self.violate('deadline', job.released, f'job {job.index} of {task.label()}: deadline '
                             f'{show(job.first_deadline - job.nominal)} after its release, declared '
                             f'{show(relative)}', task.cpu, [task], off, job.line)
        last = (job.nominal, job.first_deadline)
        for now, release, deadline in job.moves:
            self.rules['deadline'].checked += 1
            if kind == WAKEUP:
                right = (last[0], last[1] + relative)
            else:
                right = (last[0] + period, last[0] + period + relative)
            if (release, deadline) != right:
                self.violate('deadline', now, f'job {job.index} of {task.label()} was moved by '
                             f'{show(deadline - last[1])}, a replenishment moves it by '
                             f'{show(right[1] - last[1])}', task.cpu, [task],
                             abs(deadline - right[1]), job.line)
            last = (release, deadline)

    def check_cbs(self, task, job, fresh):
        """The constant-bandwidth rule: the old deadline stands while what is left of the budget is
        less than the task's share of what is left until that deadline."""
        before = job.previous
        relative, wcet = task.params['deadline'], task.params['wcet']
        job.budget = wcet
        if before is None:
            job.budget = None if job.index != 1 else wcet
            if job.index == 1 and job.first_deadline != fresh:
                self.violate('deadline', job.released, f'first deadline of {task.label()} lies '
                             f'{show(job.first_deadline - job.nominal)} after its release, declared '
                             f'{show(relative)}', task.cpu, [task], abs(job.first_deadline - fresh),
                             job.line)
            return
        left = None
        if before.budget is not None and before.exec is not None:
            full = wcet if before.budgets else before.budget
            left = max(0, full - (before.exec - before.used))
        kept = job.first_deadline == before.deadline
        if job.first_deadline == fresh:
            kept = False
        elif not kept:
            self.violate('deadline', job.released, f'job {job.index} of {task.label()}: deadline '
                         f'{show(job.first_deadline - job.nominal)} after its release is neither a fresh '
                         'one nor the last one', task.cpu, [task], line=job.line)
            return
        if left is None:
            job.budget = None if kept else wcet
            return
        job.budget = left if kept else wcet
        remaining = before.deadline - job.nominal
        share = remaining * wcet // relative if remaining > 0 else 0
        slack = self.tolerance * wcet // relative + 1
        if kept and (remaining <= 0 or left > share + slack):
            self.violate('deadline', job.released, f'job {job.index} of {task.label()} kept the last '
                         f'deadline with a budget of {show(left)} where {show(share)} is its share',
                         task.cpu, [task], left - share, job.line)
        elif not kept and remaining > 0 and left < share - slack:
            self.violate('deadline', job.released, f'job {job.index} of {task.label()} got a fresh '
                         f'deadline with a budget of {show(left)} left, {show(share)} is its share of '
                         'the last one', task.cpu, [task], share - left, job.line)

    def check_miss(self, task, job):
        rule = self.rules['miss']
        for now, tardiness, deadline in job.misses:
            rule.checked += 1
            if now < deadline:
                self.violate('miss', now, f'job {job.index} of {task.label()}: miss noted '
                             f'{show(deadline - now)} before the deadline', task.cpu, [task],
                             deadline - now, job.line)
            elif tardiness and job.completed is not None and tardiness != job.completed - deadline:
                self.violate('miss', now, f'job {job.index} of {task.label()}: tardiness '
                             f'{show(tardiness)} noted, it completed {show(job.completed - deadline)} '
                             'after its deadline', task.cpu, [task],
                             abs(tardiness - (job.completed - deadline)), job.line)
        if job.completed is None or job.partial:
            return
        rule.checked += 1
        noted = [miss for miss in job.misses if miss[2] == job.deadline]
        late = job.completed - job.deadline
        if late > 0 and not noted:
            self.violate('miss', job.completed, f'job {job.index} of {task.label()} completed '
                         f'{show(late)} after its deadline, and no miss was noted', task.cpu, [task],
                         late, job.line)
        elif late < 0 and noted:
            self.violate('miss', job.completed, f'job {job.index} of {task.label()} completed '
                         f'{show(-late)} before its deadline, and a miss was noted', task.cpu, [task],
                         -late, job.line)
        if len(noted) > 1:
            self.violate('miss', noted[1][0], f'job {job.index} of {task.label()}: {len(noted)} misses '
                         'noted for one deadline', task.cpu, [task], line=job.line)

    # ---- budgets

    def check_budget(self, task):
        if task.params is None:
            return
        wcet, reaction = task.params['wcet'], task.params['overrun']
        for job in task.jobs:
            allowed = job.budget if task.params['kind'] == WAKEUP else wcet
            if allowed is None:
                continue
            for now, executed in job.overruns:
                self.judge('budget', max(0, allowed - executed), now, f'job {job.index} of '
                           f'{task.label()}: overrun noted after {show(executed)}, its budget is '
                           f'{show(allowed)}', task.cpu, [task], line=job.line)
            if job.partial or job.completed is None or job.released is None:
                continue
            # what a replenishment wiped out is not held against the job when it ends
            if reaction == COUNT and job.exec is not None and not job.budgets and not job.overruns:
                self.judge('budget', max(0, job.exec - allowed), job.completed, f'job {job.index} of '
                           f'{task.label()} executed for {show(job.exec)} of {show(allowed)}, and no '
                           'overrun was noted', task.cpu, [task], 0, job.line)
            if reaction == THROTTLE:
                self.check_throttled(task, job, allowed)

    def check_throttled(self, task, job, allowed):
        """Between two replenishments a job executes for its budget at most; until it is demoted, as it then runs
        in time that nobody else wants."""
        start = job.released
        for now, budget in job.budgets + [(job.completed, 0)]:
            if job.demoted is not None:
                now = min(now, job.demoted)
            executed = self.model.executed(task, start, now)
            self.judge('budget', max(0, executed - allowed), start,
                       f'job {job.index} of {task.label()} executed for {show(executed)}, its budget was '
                       f'{show(allowed)}', task.cpu, [task], line=job.line)
            start, allowed = now, budget

    # ---- the recorder

    def check_clock(self):
        for event, late in self.model.stamps:
            if (event.get('cpu'), event.now) in self.edges and event.name in CHOICES and late > 0:
                continue
            self.judge('clock', abs(late), event.time, f'{event.name} says that it happened '
                       f'{show(abs(late))} {"before" if late > 0 else "after"} it was recorded',
                       event.get('cpu'), (), line=event.line)

    # ---- what the kernel made of it

    def check_running(self):
        for task in self.model.task_list():
            self.check_stop(task)
            self.check_run(task)
            self.check_exec(task)

    def holes_in(self, start, end):
        return any(hole.start < end and hole.end > start for hole in self.model.trace.holes)

    def check_stop(self, task):
        """Each time between two selections: for how long did it run?"""
        if task.controlled is None:
            return
        end = self.model.end if task.detached is None else task.detached
        edges = [task.controlled]
        for span in task.selected:
            edges += [span.start, span.end]
        edges.append(end)
        for start, stop in zip(edges[::2], edges[1::2]):
            if stop <= start or self.holes_in(start, stop):
                continue
            ran = covered(task.running, start, stop) - self.background(task, start, stop)
            if ran > self.tolerance and self.escalated(task, start, stop):
                self.rules['stop'].checked += 1
                self.notes.append(Note('blocking', start, f'{task.label()} stayed in the kernel and ran '
                                       f'for {show(ran)} while not selected; it was demoted', task.cpu,
                                       [task], ran))
                continue
            first = first_inside(task.running, start)
            self.judge('stop', ran, start if first is None else first, f'{task.label()} ran for '
                       f'{show(ran)} while it was not selected', task.cpu, [task])

    @staticmethod
    def background(task, start, stop):
        """How long it ran there for jobs that finish below all registered tasks."""
        total = 0
        at = max(bisect.bisect_right(task.jobs, start, key=lambda job: job.seen) - 1, 0)
        for job in task.jobs[at:]:
            if job.seen >= stop:
                break
            if job.demoted is not None:
                end = stop if job.completed is None else min(stop, job.completed)
                total += covered(task.running, max(start, job.demoted), end)
        return total

    def check_run(self, task):
        """Each selection: for how long at a time did the task not run?"""
        for span in task.selected:
            if self.holes_in(span.start, span.end):
                continue
            at, gaps = span.start, []
            index = max(bisect.bisect_right(task.running, at, key=lambda run: run.start) - 1, 0)
            for run in task.running[index:]:
                if run.start >= span.end:
                    break
                if run.end <= at:
                    continue
                if run.start > at:
                    gaps.append((at, run.start))
                at = max(at, run.end)
            if at < span.end:
                gaps.append((at, span.end))
            for start, stop in gaps or [(span.start, span.start)]:
                self.held_off(task, span, start, stop)

    def held_off(self, task, span, start, stop):
        amount = stop - start
        who = self.who_ran(span.cpu, start, stop)
        if amount and not who:       # nobody saw who ran there
            return
        instead = f'; meanwhile ran {who[0]}' if who else ''
        text = f'{task.label()} was selected and did not run for {show(amount)}{instead}'
        if amount > self.tolerance and self.stuck(who[2], start, stop):
            self.rules['run'].checked += 1
            self.notes.append(Note('blocking', start, text, span.cpu, [task], amount))
            return
        if amount > self.tolerance and self.kernel_took(task, span.cpu, start, amount, who):
            self.rules['run'].checked += 1
            self.notes.append(Note('kernel', start, text, span.cpu, [task], amount))
            return
        if amount > self.tolerance and self.resigned(task, start):
            self.rules['run'].checked += 1
            self.notes.append(Note('policy', start, f'{text}; it has given its real-time policy up', span.cpu,
                                   [task], amount))
            return
        self.judge('run', amount, start, text, span.cpu, [task])

    @staticmethod
    def resigned(task, start):
        """Whether it has made itself an ordinary thread, as programs do before they exit: its priority changed
        while it ran. (The engine changes it from another thread, so while this one does not run.)"""
        at = bisect.bisect_right(task.running, start, key=lambda run: run.start)
        for run in reversed(task.running[:at]):
            if run.prio is None or run.left is None:
                return False
            if run.prio < FAIR_PRIO:
                return run.left >= FAIR_PRIO
        return False

    def stuck(self, pid, start, stop):
        """Whether that is a task that stayed in the kernel, as the engine noticed."""
        return any(self.escalated(task, start, stop) for task in self.model.tasks.values()
                   if task.pid == pid)

    @staticmethod
    def escalated(task, start, stop):
        """Whether the engine found it in the kernel, and running: others merely wait to run."""
        at = bisect.bisect_left(task.escalations, start)
        for time in task.escalations[at:]:
            if time > stop:
                break
            if covered(task.running, time - 1, time + 1):
                return True
        return False

    def who_ran(self, number, start, stop):
        """(name, prio, pid) of the one that ran longest, or None."""
        best = None
        for begin, end, pid, comm, prio in self.runs_between(number, start, stop):
            time = min(end, stop) - max(begin, start)
            if best is None or time > best[0]:
                best = (time, comm or f'pid {pid}', prio, pid)
        return best and best[1:]

    def runs_between(self, number, start, stop):
        runs = self.model.cpu(number).runs
        at = max(bisect.bisect_right(runs, start, key=lambda run: run[0]) - 1, 0)
        for run in runs[at:]:
            if run[0] >= stop:
                break
            if run[1] > start:
                yield run

    def kernel_took(self, task, number, start, amount, who):
        """Whether that was somebody above our tasks, or the share that the kernel takes from real-time
        tasks that have used up theirs."""
        _, prio, pid = who
        own = task.running[0].prio if task.running else None
        if prio is not None and own is not None and prio < own:
            return True
        if amount > KERNEL_TAKES * 3 // 2 or (prio is not None and prio < FAIR_PRIO):
            return False
        window = start - KERNEL_WINDOW
        busy = sum(min(run[1], start) - max(run[0], window)
                   for run in self.runs_between(number, window, start)
                   if run[4] is not None and run[4] < FAIR_PRIO)
        return busy > (KERNEL_WINDOW - KERNEL_TAKES) * 9 // 10

    def check_exec(self, task):
        for job in task.jobs:
            if job.partial or job.exec is None or job.released is None:
                continue
            ran = self.model.executed(task, job.released, job.completed)
            off = abs(ran - job.exec)
            self.judge('exec', off, job.completed, f'job {job.index} of {task.label()}: execution time '
                       f'{show(job.exec)} noted, it ran for {show(ran)}', task.cpu, [task],
                       line=job.line)


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
            checker.judge('one-task', lasted, start, f'{detail[0].label()} and {detail[1].label()} selected '
                          f'at once for {show(lasted)}', number, detail, 0)
        elif key[0] == 'ready':
            checker.judge('ready', lasted, start, f'{detail[0].label()} selected for {show(lasted)} without '
                          'a ready job', number, detail)
        elif key[0] == 'idle':
            names = ', '.join(task.label() for task in detail)
            checker.judge('idle', lasted, start, f'nobody selected for {show(lasted)} while {names} ready',
                          number, detail)
        elif key[0] == 'order':
            waiting, holder, plugin, order = detail
            checker.judge('order', lasted, start, f'{holder.label()} selected for {show(lasted)} while '
                          f'{waiting.label()} was ready; {plugin}: {order.about}', number,
                          [holder, waiting])


def check(model, orders, tolerance):
    return Checker(model, orders, tolerance).run()
