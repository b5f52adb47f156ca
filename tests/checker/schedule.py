# SPDX-License-Identifier: GPL-2.0
"""Legal schedules by brute force: a clock that ticks, and at each tick a look at every task.

Deliberately the dullest way to do it, so that what the checker is tested with shares no idea with
the plugins, the simulator or the checker. Everything happens at ticks; a schedule is a list of
Line.
"""

import random

TICK = 100000           # ns
ZERO = 5000000000       # the clock does not start at nought
PERIODIC, SPORADIC, WAKEUP = 0, 1, 2
COUNT, NOTIFY, SIGNAL, SKIP, THROTTLE, DEMOTE = range(6)


class Line:
    """One event. `on`: the CPU that records it."""

    def __init__(self, time, name, on, /, **fields):
        self.time, self.name, self.on, self.fields = time, name, on, fields

    def copy(self):
        return Line(self.time, self.name, self.on, **self.fields)

    def words(self):
        return ' '.join(f'{key.rstrip("_")}={value}' for key, value in self.fields.items())

    def simulated(self):
        return f'{self.time} {self.name} {self.words()}'

    def recorded(self, jitter=0):
        stamp = self.time + jitter
        return (f'{"some thing":>16}-{99:<5} [{self.on:03}] {stamp // 1000000000:5}.'
                f'{stamp % 1000000000:09}: {self.name + ":":<22} {self.words()}')

    def is_of(self, task):
        return self.fields.get('id') == task


def simulated(lines):
    return [line.simulated() for line in lines]


def recorded(lines, rng=None, jitter=0):
    """As trace-cmd report prints it; each stamp a little late, but none out of order on its CPU."""
    out = []
    for line in lines:
        out.append((line.time + (rng.randrange(jitter + 1) if rng and jitter else 0), line))
    # a CPU records one thing after the other
    last = {}
    stamped = []
    for stamp, line in out:
        stamp = max(stamp, last.get(line.on, 0))
        last[line.on] = stamp
        stamped.append((stamp, line))
    stamped.sort(key=lambda pair: pair[0])
    return [line.recorded(stamp - line.time) for stamp, line in stamped]


class Task:
    def __init__(self, ident, cpu=0, period=100, deadline=None, wcet=20, kind=PERIODIC, priority=0,
                 overrun=COUNT, miss=COUNT, offset=0, work=None, blocks=None, arrivals=None):
        self.id, self.cpu, self.period, self.wcet, self.kind = ident, cpu, period, wcet, kind
        self.deadline = period if deadline is None else deadline
        self.priority, self.overrun, self.miss, self.offset = priority, overrun, miss, offset
        self.pid = 1000 + ident
        self.work = work or (lambda job: self.wcet)         # job number -> ticks of execution
        self.blocks = blocks or (lambda job: None)          # job number -> (after ticks, for ticks)
        self.arrivals = arrivals                            # sporadic, wakeup: ticks
        # where it is
        self.job = 0
        self.state = 'sleeping'
        self.release = None
        self.due = None
        self.next = offset
        self.done = 0
        self.left = 0
        self.wake_at = None
        self.budget = wcet
        self.spent = 0          # of the budget
        self.missed = False
        self.overran = False
        self.skip = False
        self.skipped = 0


def ns(tick):
    return ZERO + tick * TICK


class Schedule:
    """`swaps`: [(tick, cpu, plugin)]. `orders`: plugin -> key of a task, smallest first."""

    def __init__(self, tasks, plugin='edf', swaps=(), ticks=1000, switches=True, fp='dm'):
        self.tasks, self.ticks, self.switches, self.fp = tasks, ticks, switches, fp
        self.swaps = sorted(swaps)
        self.cpus = sorted({task.cpu for task in tasks})
        self.plugin = {cpu: plugin for cpu in self.cpus}
        self.selected = {cpu: None for cpu in self.cpus}
        self.running = {cpu: None for cpu in self.cpus}
        self.lines = []
        self.now = 0

    def key(self, cpu, task):
        plugin = self.plugin[cpu]
        if plugin == 'edf':
            return (task.due, task.release, task.id)
        if plugin == 'fifo':
            return (task.release, task.id)
        if plugin == 'fp':
            return {'dm': task.deadline, 'rm': task.period,
                    'explicit': task.priority or 100000 + task.deadline}[self.fp], task.id
        raise KeyError(plugin)

    # ---- words

    def say(self, name, task, value=0):
        now = ns(self.now)
        self.lines.append(Line(now, name, task.cpu, id=task.id, pid=task.pid, cpu=task.cpu,
                               job=task.job,
                               release=ns(task.release), deadline=ns(task.due), now=now,
                               value=value))

    def say_off(self, task, why):
        now = ns(self.now)
        self.lines.append(Line(now, 'resch_deselect', task.cpu, id=task.id, pid=task.pid,
                               cpu=task.cpu,
                               job=task.job, now=now, why=why))
        self.selected[task.cpu] = None

    def attach(self, task):
        self.lines.append(Line(ns(self.now), 'resch_attach', task.cpu, id=task.id, pid=task.pid,
                               cpu=task.cpu, name=f't{task.id}', plugin=self.plugin[task.cpu],
                               kind=task.kind, period=task.period * TICK,
                               deadline=task.deadline * TICK,
                               wcet=task.wcet * TICK, offset=task.offset * TICK,
                               priority=task.priority, overrun=task.overrun, miss=task.miss))

    def switch(self, cpu):
        want = self.selected[cpu]
        if want is self.running[cpu]:
            return
        prev, self.running[cpu] = self.running[cpu], want
        if self.switches:
            self.lines.append(Line(ns(self.now), 'sched_switch', cpu, cpu=cpu,
                                   prev_comm=f't{prev.id}' if prev else f'swapper/{cpu}',
                                   prev_pid=prev.pid if prev else 0, prev_prio=49 if prev else 120,
                                   prev_state=0,
                                   next_comm=f't{want.id}' if want else f'swapper/{cpu}',
                                   next_pid=want.pid if want else 0, next_prio=49 if want else 120))

    # ---- a tick

    def run(self):
        for task in self.tasks:
            self.attach(task)
        for self.now in range(self.ticks):
            for task in self.tasks:
                self.finish(task)
            for task in self.tasks:
                self.expire(task)
            for tick, cpu, plugin in self.swaps:
                if tick == self.now:
                    self.lines.append(Line(ns(tick), 'resch_swap', cpu, domain=1, cpu=cpu,
                                           from_=self.plugin[cpu], to=plugin))
                    self.plugin[cpu] = plugin
            for cpu in self.cpus:
                self.decide(cpu)
                self.switch(cpu)
                if self.selected[cpu]:
                    self.selected[cpu].done += 1
                    self.selected[cpu].spent += 1
        return self.lines

    def finish(self, task):
        """What the execution of the last tick led to."""
        if self.selected[task.cpu] is not task:
            return
        if task.done >= task.left:
            self.complete(task)
            return
        if self.exhausted(task):
            return
        block = task.blocks(task.job)
        if block and task.done == block[0] and task.kind != WAKEUP:
            task.state, task.wake_at = 'blocked', self.now + block[1]
            self.say('resch_block', task, task.done * TICK)
            self.say_off(task, 'block')

    def exhausted(self, task):
        """Its budget is used up. True: that stopped it."""
        if task.overrun not in (NOTIFY, THROTTLE) or task.overran or task.spent < task.budget:
            return False
        task.overran = True
        self.say('resch_overrun', task, task.done * TICK)
        if task.overrun == NOTIFY:
            return False
        again = task.due if task.kind == WAKEUP else task.release + task.period
        task.state, task.wake_at = 'throttled', max(again, self.now + 1)
        self.say('resch_throttle', task, task.done * TICK)
        if self.selected[task.cpu] is task:
            self.say_off(task, 'throttle')
        return True

    def complete(self, task):
        if task.overrun == COUNT and task.spent > task.budget:
            self.say('resch_overrun', task, task.done * TICK)
        if self.now > task.due:
            if not task.missed:
                self.say('resch_miss', task, (self.now - task.due) * TICK)
            if task.miss == SKIP:
                task.skip = True
        self.say('resch_complete', task, task.done * TICK)
        self.say_off(task, 'complete')
        task.state = 'sleeping'
        if task.kind == PERIODIC:
            task.next = task.release + task.period
            if task.skip:
                while task.next < self.now:
                    task.next += task.period
                    task.skipped += 1
                task.skip = False

    def expire(self, task):
        if task.state == 'blocked' and task.wake_at <= self.now:
            task.state = 'ready'
            self.say('resch_wake', task, task.done * TICK)
        if task.state == 'throttled' and task.wake_at <= self.now:
            if task.kind == WAKEUP:
                task.due += task.deadline
            else:
                task.release += task.period
                task.due = task.release + task.deadline
            task.spent, task.budget, task.overran, task.missed = 0, task.wcet, False, False
            task.state = 'ready'
            self.say('resch_budget', task, task.wcet * TICK)
            self.say('resch_wake', task, task.done * TICK)
        if task.state == 'sleeping':
            self.arrive(task)
        if task.state in ('ready', 'blocked', 'throttled') and task.miss in (NOTIFY, SKIP) \
                and not task.missed and self.now >= task.due:
            task.missed = True
            self.say('resch_miss', task)
            if task.miss == SKIP:
                task.skip = True

    def arrive(self, task):
        value = 0
        if task.kind == PERIODIC:
            if task.next > self.now:
                return
            task.release, value = task.next, task.skipped
            task.skipped = 0
            task.due = task.release + task.deadline
        else:
            if not task.arrivals or task.arrivals[0] > self.now:
                return
            if task.kind == SPORADIC:
                nominal = task.arrivals[0] if task.job == 0 else \
                    max(task.arrivals[0], task.release + task.period)
                if nominal > self.now:
                    return
                task.release = nominal
                task.due = nominal + task.deadline
            else:
                left = max(0, task.budget - task.spent)
                fresh = task.job == 0 or self.now >= task.due or \
                    left * task.deadline >= (task.due - self.now) * task.wcet
                task.release = self.now
                task.budget = task.wcet if fresh else left
                if fresh:
                    task.due = self.now + task.deadline
            task.arrivals = task.arrivals[1:]
        task.job += 1
        task.left = max(1, task.work(task.job))
        task.done = task.spent = 0
        if task.kind != WAKEUP:
            task.budget = task.wcet
        task.missed = task.overran = False
        task.state = 'ready'
        self.say('resch_release', task, value)
        self.exhausted(task)     # the constant-bandwidth rule may have left it nothing

    def decide(self, cpu):
        ready = [task for task in self.tasks if task.cpu == cpu and task.state == 'ready']
        best = min(ready, key=lambda task: self.key(cpu, task), default=None)
        current = self.selected[cpu]
        if best is current:
            return
        if current:
            self.say_off(current, 'preempt')
        if best:
            self.say('resch_select', best, 2 ** 64 - 1)
            self.selected[cpu] = best


def random_tasks(rng, cpus=1, wakeups=True):
    """A few tasks a CPU, not too much for it most of the time."""
    tasks = []
    for cpu in range(cpus):
        for _ in range(rng.randrange(2, 5)):
            tasks.append(random_task(rng, len(tasks) + 1, cpu, wakeups))
    return tasks


def random_task(rng, ident, cpu, wakeups):
    period = rng.choice((40, 50, 60, 80, 100, 130, 160))
    wcet = rng.randrange(3, max(4, period // 4))
    kind = rng.choice((PERIODIC, PERIODIC, SPORADIC) + ((WAKEUP,) if wakeups else ()))
    deadline = rng.choice((period, period, period // 2 + wcet, period + 20))
    overrun = rng.choice((COUNT, NOTIFY, THROTTLE))
    miss = rng.choice((COUNT, NOTIFY, SKIP)) if kind == PERIODIC else rng.choice((COUNT, NOTIFY))
    seed = rng.randrange(1 << 30)

    def work(job):
        draw = random.Random(seed + job)
        return (draw.randrange(1, wcet + 1) if draw.random() < 0.9 else
                wcet + draw.randrange(1, 2 * wcet))

    def blocks(job):
        draw = random.Random(seed - job)
        ticks = work(job)
        if ticks < 3 or draw.random() < 0.7:
            return None
        return draw.randrange(1, ticks - 1), draw.randrange(1, 25)

    arrivals, tick = [], rng.randrange(30)
    while kind != PERIODIC and tick < 3000:
        arrivals.append(tick)
        tick += rng.randrange(period // 2, 2 * period)
    return Task(ident, cpu, period, deadline, wcet, kind, rng.randrange(0, 6), overrun, miss,
                rng.randrange(0, 30) if kind == PERIODIC else 0, work, blocks, arrivals)


def random_schedule(rng, ticks=1200, cpus=1, switches=True, fp='dm'):
    tasks = random_tasks(rng, cpus)
    plugins = ['edf', 'fp', 'fifo']
    swaps, current = [], {cpu: rng.choice(plugins) for cpu in range(cpus)}
    first = current[0]
    current = {cpu: first for cpu in range(cpus)}
    for tick in sorted(rng.sample(range(1, ticks), rng.randrange(0, 4))):
        plugin = rng.choice(plugins)
        for cpu in range(cpus):
            if current[cpu] != plugin:
                swaps.append((tick, cpu, plugin))
                current[cpu] = plugin
    return Schedule(tasks, first, swaps, ticks, switches, fp).run()
