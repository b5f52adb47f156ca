# SPDX-License-Identifier: GPL-2.0
"""What happened: tasks, jobs, and spans of time.

A span says that something held from `start` to `end`: a job was ready, a task was selected on a
CPU, a thread was running there. Spans of the engine use its own times (`now`), spans of the kernel
(running) the stamps of sched_switch.

Where a trace begins in the middle, or events were lost, state is unknown until an event tells it
again. Nothing that rests on unknown state gets into a span: what is in the model was seen.
"""

import bisect
from array import array

from .plan import settle

PERIODIC, SPORADIC, WAKEUP = 0, 1, 2
COUNT, NOTIFY, SIGNAL, SKIP, THROTTLE, DEMOTE = range(6)
LEAD_MAX = 1000000   # RESCH_LEAD_MAX, ns

# enum resch_off, for recorders that could not tell its names
WHY = {'0': 'preempt', '1': 'complete', '2': 'block', '3': 'throttle', '4': 'detach'}
PARAMS = ('kind', 'period', 'deadline', 'wcet', 'offset', 'priority', 'overrun', 'miss', 'group')


class Span:
    __slots__ = ('start', 'end', 'cpu')

    def __init__(self, start, cpu, end=None):
        self.start, self.end, self.cpu = start, end, cpu

    def __repr__(self):
        return f'[{self.start}, {self.end}) cpu {self.cpu}'


class Run(Span):
    """A thread ran. `prio` and `left`: the kernel's priority (below 100: real-time) as it began and
    as it ended."""

    __slots__ = ('prio', 'left')

    def __init__(self, start, cpu, end, prio, left):
        super().__init__(start, cpu, end)
        self.prio, self.left = prio, left


class Ready(Span):
    """A job was ready."""

    __slots__ = ('release', 'deadline')

    def __init__(self, start, cpu, job):
        super().__init__(start, cpu)
        self.release, self.deadline = job.release, job.deadline


class Selection(Span):
    """`began` and `ended`: the stamps of the two events, where `start` and `end` are the times as
    of which the engine decided. `open`: it still held when the trace ended."""

    __slots__ = ('open', 'began', 'ended')

    def __init__(self, start, cpu, began):
        super().__init__(start, cpu)
        self.open, self.began, self.ended = False, began, None


class Job:
    """`partial`: its life was not seen whole, because the trace began, ended or has a hole."""

    __slots__ = ('index', 'release', 'deadline', 'nominal', 'first_deadline', 'released',
                 'recorded', 'freed', 'on', 'completed', 'exec', 'skipped', 'selected', 'begun',
                 'previous', 'moves', 'misses', 'overruns', 'budgets', 'budget', 'charge', 'used',
                 'stopped', 'demoted', 'partial', 'seen', 'line')

    def __init__(self, event, partial=False):
        self.index = event['job']
        self.release = event['release']
        self.deadline = event['deadline']
        self.nominal = self.release
        self.first_deadline = self.deadline
        self.released = None     # when the engine released it
        self.recorded = None     # the stamp of that
        self.freed = None        # when the last signal handler before it was over
        self.on = None           # the CPU that recorded it
        self.completed = None
        self.exec = None         # as the engine says
        self.skipped = 0
        self.selected = None     # first time
        self.begun = None        # where it was released ahead of its release: when it began
        self.previous = None     # the job before, where that was seen
        self.moves = ()          # (now, release, deadline): a replenished job takes over a release
        self.misses = ()         # (now, value, deadline)
        self.overruns = ()       # (now, value)
        self.budgets = ()        # (now, value)
        self.budget = None       # what it started with; the checker works it out
        self.charge = 0          # what signal handlers had taken from that; None: not known
        self.used = 0            # executed when the last of its budgets came
        self.stopped = False     # by an overrun or a miss, and has had no budget since
        self.demoted = None      # since when it finishes below all registered tasks
        self.partial = partial
        self.seen = event.now    # its first event
        self.line = event.line

    def begins(self):
        """From when on what its thread executes is the job's."""
        return max(self.released, self.nominal)

    def response(self):
        return None if self.completed is None else self.completed - self.nominal

    def tardiness(self):
        return None if self.completed is None else max(0, self.completed - self.deadline)


class Handling:
    """A signal's handler, or several at a time, between two jobs. `due`: the next job was known as
    it began."""

    __slots__ = ('start', 'end', 'due', 'last', 'budgets', 'stopped', 'demoted', 'partial', 'line')

    def __init__(self, event, before):
        self.start, self.end, self.line = event.now, None, event.line
        self.due = event['job'] > (before.index if before else 0)
        self.last = None if self.due or not before else before.release
        self.budgets = ()        # when it was stopped and got another one
        self.stopped = False     # and has had no budget since
        self.demoted = None      # since when it runs below all registered tasks
        self.partial = False


class Task:
    def __init__(self, ident, pid, cpu):
        self.id = ident
        self.pid = pid
        self.cpu = cpu
        self.name = ''
        self.params = None       # None: its attach was not seen
        self.attached = None
        self.detached = None
        self.why_gone = None
        self.jobs = []
        self.handlings = []      # between jobs
        self.escalations = []    # times
        self.leads = []          # (since, ns)
        self.paces = []          # likewise: the distance of its releases
        self.ready = []
        self.selected = []
        self.held = []           # from the stamp of a selection until it was seen to have stopped
        self.running = []
        self.controlled = None   # since when its running is the engine's affair
        # while replaying
        self.known = False       # whether `job` is
        self.job = None
        self.handling = None
        self.open_ready = None
        self.open_selected = {}
        self.open_held = None

    def param(self, name, default=None):
        return default if self.params is None else self.params.get(name, default)

    def group(self):
        """0: none; None: not known."""
        return None if self.params is None else self.params['group']

    def cpus(self):
        """Those that it was selected on; without, the one that it belongs to."""
        return sorted({span.cpu for span in self.selected}) or [self.cpu]

    def running_between(self, start, end):
        at = max(bisect.bisect_right(self.running, start, key=lambda run: run.start) - 1, 0)
        for run in following(self.running, at):
            if run.start >= end:
                break
            if run.end > start:
                yield run

    def lead_at(self, time):
        """How far ahead of its releases jobs may be released. A lead that was given before the
        trace began is not known."""
        past = [lead for since, lead in self.leads if since <= time]
        if past:
            return max(past[-2:])    # the timer of one job may be of the one before
        return 0 if self.attached is not None else LEAD_MAX

    def distances(self, since, until):
        """(the shortest, the longest) that two releases that follow each other may be apart. When
        the second one is set lies between. Before the first that was said, if any, it was the
        period, or not recorded."""
        period = self.params['period']
        past = [ns for at, ns in self.paces if at <= since]
        here = [ns for at, ns in self.paces if since < at <= until]
        first = past[-1:] or ([] if here and self.attached is None else [period])
        return min(first + here), max(first + here)

    def label(self):
        return f'{self.name or "task"}/{self.id}'


class Runs:
    """(start, end, pid, comm, prio) of threads, one after the other. Most of a trace is these."""

    NO_PRIO = -(1 << 31)

    def __init__(self):
        self.start, self.end, self.pid = array('q'), array('q'), array('q')
        self.comm, self.prio, self.left = array('L'), array('q'), array('q')
        self.comms, self.numbers = [], {}

    def append(self, start, end, pid, comm, prio, left):
        number = self.numbers.setdefault(comm, len(self.comms))
        if number == len(self.comms):
            self.comms.append(comm)
        self.start.append(start)
        self.end.append(end)
        self.pid.append(pid)
        self.comm.append(number)
        self.prio.append(self.NO_PRIO if prio is None else prio)
        self.left.append(self.NO_PRIO if left is None else left)

    def __len__(self):
        return len(self.start)

    def __getitem__(self, at):
        prio = self.prio[at]
        return (self.start[at], self.end[at], self.pid[at], self.comms[self.comm[at]],
                None if prio == self.NO_PRIO else prio)

    def of(self, pids):
        """(pid, start, end, prio, left) of these threads."""
        for at, pid in enumerate(self.pid):
            if pid in pids:
                prio, left = self.prio[at], self.left[at]
                yield (pid, self.start[at], self.end[at], None if prio == self.NO_PRIO else prio,
                       None if left == self.NO_PRIO else left)


class Cpu:
    def __init__(self, number):
        self.number = number
        self.policies = []       # (since, plugin)
        self.runs = Runs()
        self.current = None      # (start, pid, comm, prio)
        self.known = True        # whether it is known who is selected
        self.unknown = []        # spans (start, end) in which it is not


class Anomaly:
    """Events that contradict each other."""

    def __init__(self, rule, event, task, text):
        self.rule = rule
        self.time = event.now
        self.line = event.line
        self.cpu = event.get('cpu')
        self.task = task
        self.text = text


class Model:
    def __init__(self, trace):
        self.trace = trace
        self.tasks = {}
        self.cpus = {}
        self.anomalies = []
        self.swaps = []          # events
        self.ejects = []
        self.plans = []          # in the order of their events
        self.chains = []         # likewise
        self.has_switches = 'sched_switch' in trace.events.names()
        self.has_parks = 'resch_park' in trace.events.names()
        self.start = trace.start
        self.end = trace.end

    def cpu(self, number):
        if number not in self.cpus:
            self.cpus[number] = Cpu(number)
        return self.cpus[number]

    def may_come_near(self, task, time):
        """Whether a sporadic task's releases need not be its period apart: its chain has no
        guard."""
        return any(chain.may_come_near(task.id, time) for chain in self.chains)

    def task_list(self):
        return [self.tasks[ident] for ident in sorted(self.tasks)]

    def policy_at(self, cpu, time):
        """The plugin's name, None where it is not known."""
        found = None
        for since, name in self.cpu(cpu).policies:
            if since > time and found is not None:
                break
            found = name
        return found

    def settle_plans(self, table):
        """Until when each plan held, with a table plugin -> Order."""
        def keeps(plan):
            names = [self.policy_at(cpu, plan.event.time) for cpu in plan.cpus()]
            return any(name in table and table[name].leftover for name in names)
        settle(self.plans, keeps)

    def job_count(self):
        return sum(len(task.jobs) for task in self.tasks.values())

    def executed(self, task, start, end):
        """How long a task ran between two times; by its selection where nobody saw it run."""
        return covered(task.running if self.has_switches else task.selected, start, end)


def following(spans, at):
    """From the place `at` on, without a copy of all that follows."""
    for place in range(at, len(spans)):
        yield spans[place]


def covered(spans, start, end):
    """The part of [start, end) inside of spans, which are sorted and do not overlap."""
    total = 0
    at = max(bisect.bisect_right(spans, start, key=lambda span: span.start) - 1, 0)
    for span in following(spans, at):
        if span.start >= end:
            break
        total += max(0, min(span.end, end) - max(span.start, start))
    return total


def first_inside(spans, start):
    """The first time from `start` on that is inside of a span, or None."""
    at = max(bisect.bisect_right(spans, start, key=lambda span: span.start) - 1, 0)
    for span in following(spans, at):
        if span.end > start:
            return max(span.start, start)
    return None
