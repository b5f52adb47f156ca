# SPDX-License-Identifier: GPL-2.0
"""Events, as they come, to rows of slices: who had which CPU, what became of each job, which plugin
was in charge, what was left of budgets.

Nothing is kept but the state of the moment: a slice is written when it ends. So a recording of any
length goes through, as long as its lines come in the order of time, or nearly so.
"""

import heapq

from . import read
from .instances import Instances
from .model import DEMOTE, PARAMS
from .plan import Plan
from .traceevent import Writer, micro
from .units import show

# Lines may be out of order by so many.
WINDOW = 4096
# What a process is numbered by, so that CPUs come first.
DOMAINS, SERVERS, TASKS = 10000, 20000, 100000
CHOSEN, RUNS, LOST, RESERVES = 'chosen by resch', 'runs', 'events lost', 'reserves'
JOBS, HELD, PLUGIN, NOTES = 'jobs', 'sleeps, throttled', 'plugin', 'budgets'
NOTED = ((1, 'used up'), (2, 'new budget'), (4, 'deadline put off'),
         (8, 'the plugin inside has erred'))
FOREVER = 1 << 63
OF_JOBS = {'release', 'complete', 'select', 'block', 'wake', 'throttle', 'budget', 'miss',
           'overrun', 'escalate'}
OF_OTHERS = {'attach', 'detach', 'deselect', 'swap', 'eject', 'plan', 'reserve', 'server',
             'server_set', 'serve', 'chain_set', 'chain_stage',
             'chain'}


def in_order(items):
    """Events and holes sorted by time, with a window of WINDOW. Stamps of another clock are
    shifted."""
    heap, shift, last = [], None, None
    for number, item in enumerate(items):
        if isinstance(item, read.Hole) and item.end is None:
            continue             # there is nothing after it
        heapq.heappush(heap, (item.end if isinstance(item, read.Hole) else item.time, number, item))
        if len(heap) < WINDOW:
            continue
        if shift is None:
            shift = shift_of(heap)
        time, _, item = heapq.heappop(heap)
        if last is not None and time < last:
            where = f'line {item.line}' if isinstance(item, read.Event) else 'a hole'
            raise read.Unreadable(f'{where} is {show(last - time)} before what came earlier: sort the lines by time first')
        last = time
        yield shifted(item, shift)
    if shift is None:
        shift = shift_of(heap)
    while heap:
        yield shifted(heapq.heappop(heap)[2], shift)


def shift_of(heap):
    return read.shift_of([item for _, _, item in heap if isinstance(item, read.Event)])


def shifted(item, shift):
    if shift and isinstance(item, read.Hole):
        item.start = None if item.start is None else item.start - shift
        item.end -= shift
    elif shift:
        item.shift(shift)
    return item


class Cpu:
    def __init__(self, process):
        self.process = process
        self.current = None      # (start, pid, comm, prio) of who runs
        self.chosen = None       # (start, Task, job number)
        self.last = None         # stamp of the last switch
        self.domain = None
        self.plugin = None       # (since, name)


class Job:
    def __init__(self, event, began):
        self.number, self.began = event['job'], began
        self.release, self.deadline = event['release'], event['deadline']
        self.nominal = self.release
        self.whole = event.name == 'resch_release'
        self.choice = None       # the first: (its row, when)


class Task:
    def __init__(self, ident, pid, process):
        self.id, self.pid, self.process = ident, pid, process
        self.name = ''
        self.params = {}
        self.attached = None
        self.job = None
        self.known = False       # whether `job` is
        self.done = None         # (row, from, to) of its last slice
        self.runs = None         # (since, CPU)
        self.held = None         # (since, why)

    def label(self):
        return f'{self.name or "task"}/{self.id}'


class Timeline:
    """Goes through the events once. `writer` is made by `begin`(time of the first event)."""

    def __init__(self, begin):
        self.begin = begin
        self.writer = None
        self.start = self.now = None
        self.cpus, self.tasks, self.by_pid, self.servers, self.domains = {}, {}, {}, {}, {}
        self.plans = {}          # domain -> the last Plan
        self.instances = Instances()
        self.flows = 0
        self.jobs = 0
        self.ours = 0            # events

    def run(self, items):
        for item in in_order(items):
            if isinstance(item, read.Hole):
                if self.writer:
                    self.hole(item)
                continue
            if self.writer is None:
                self.start = min(item.time, item.now)
                self.writer = self.begin(self.start)
            self.now = item.time
            self.event(item)
        if self.writer is None:
            raise read.Nothing(read.NO_EVENTS)
        self.finish()
        if not self.ours:
            raise read.Nothing(read.NONE_OF_OURS)

    def event(self, event):
        if event.name == 'sched_switch':
            self.switch(event)
            return
        self.ours += 1
        name = event.name[len('resch_'):]
        if name in OF_JOBS:
            getattr(self, name)(self.task(event), event)
        elif name in OF_OTHERS:
            getattr(self, name)(event)

    # ---- CPUs

    def cpu(self, number):
        cpu = self.cpus.get(number)
        if cpu is None:
            cpu = self.cpus[number] = Cpu(self.writer.process(number, f'CPU {number}'))
            self.writer.row(cpu.process, CHOSEN)
        return cpu

    def switch(self, event):
        if event.cpu is None:
            return
        cpu, now = self.cpu(event.cpu), event.time
        if cpu.current is None or cpu.current[1] != event['prev_pid']:
            began = cpu.last if cpu.last is not None else self.start
            self.end_run(cpu, began)
            cpu.current = (began, event['prev_pid'], event.get('prev_comm', ''),
                           event.get('prev_prio'))
            self.thread_runs(cpu, event.cpu, began)
        self.end_run(cpu, now)
        cpu.current = (now, event['next_pid'], event.get('next_comm', ''), event.get('next_prio'))
        cpu.last = now
        self.thread_runs(cpu, event.cpu, now)

    def thread_runs(self, cpu, number, since):
        """Of a task that runs from now on."""
        task = self.by_pid.get(cpu.current[1])
        if task:
            task.runs = (since, number)

    def end_run(self, cpu, now):
        if cpu.current is None:
            return
        start, pid, comm, prio = cpu.current
        task = self.by_pid.get(pid)
        if pid and now > start:
            name = task.label() if task else comm or f'thread {pid}'
            self.writer.slice(self.writer.row(cpu.process, RUNS), name,
                              'task' if task else 'other', start, now,
                              {'pid': pid, 'comm': comm, 'prio': prio}, None if task else 'grey')
        if task:
            self.end_task_run(task, now)
        cpu.current = None

    def end_task_run(self, task, now):
        if task.runs:
            since, number = task.runs
            self.writer.slice(self.writer.row(task.process, RUNS), f'CPU {number}',
                              'execution', since, now)
            task.runs = None

    def end_chosen(self, cpu, now):
        if cpu.chosen is None:
            return
        start, task, job = cpu.chosen
        cpu.chosen = None
        if job is not None or now > start:
            args = None if job is None else {'job': job}
            self.writer.slice(self.writer.row(cpu.process, CHOSEN), task.label(), 'choice',
                              start, now, args)

    def hole(self, hole):
        """What a CPU did, and what became of jobs on it, is not known in between."""
        start = self.start if hole.start is None else hole.start
        for number in [hole.cpu] if hole.cpu is not None else list(self.cpus):
            cpu = self.cpu(number)
            self.end_run(cpu, start)
            self.end_chosen(cpu, start)
            cpu.last = hole.end
            for task in self.tasks.values():
                if task.params.get('cpu', number) == number:
                    self.leave(task, start, 'events were lost')
            self.writer.slice(self.writer.row(cpu.process, LOST),
                              f'{hole.count or "some"} events lost', 'lost', start, hole.end,
                              None, 'terrible')

    # ---- tasks and jobs

    def task(self, event):
        ident = event['id']
        task = self.tasks.get(ident)
        if task is None:
            task = self.tasks[ident] = Task(ident, event.get('pid', -1),
                                            self.writer.process(TASKS + ident, f'task {ident}'))
            self.by_pid[task.pid] = task
            self.runs_already(task, event.time)
        task.params['cpu'] = event['cpu']
        return task

    def runs_already(self, task, now):
        for number, cpu in self.cpus.items():
            if cpu.current and cpu.current[1] == task.pid:
                task.runs = (now, number)

    def attach(self, event):
        self.tasks.pop(event['id'], None)
        task = self.task(event)
        task.known = True
        task.name = event.get('name', '')
        task.params.update({name: event.get(name, 0) for name in PARAMS})
        params = task.params
        words = f'{show(params["wcet"])} of {show(params["period"])}, CPU {event["cpu"]}'
        self.writer.name_process(task.process, task.label(), words)
        self.writer.instant(self.writer.row(task.process, JOBS), f'joins {event["plugin"]}',
                            'task', event.time, dict(params, pid=task.pid))
        cpu = self.cpu(event['cpu'])
        if cpu.plugin is None:
            cpu.plugin = (self.start, event['plugin'])
        elif cpu.plugin[1] != event['plugin']:
            self.take_over(event['cpu'], cpu, event.time, event['plugin'])

    def detach(self, event):
        task = self.task(event)
        self.leave(task, event.time, f'{event.get("why", "")} (detached)')
        self.end_task_run(task, event.time)
        for cpu in self.cpus.values():
            if cpu.chosen and cpu.chosen[1] is task:
                self.end_chosen(cpu, event.time)
        self.writer.instant(self.writer.row(task.process, JOBS), f'leaves: {event.get("why", "")}',
                            'task', event.time)
        self.by_pid.pop(task.pid, None)
        del self.tasks[task.id]

    def leave(self, task, now, why):
        """Its job has no end that was seen."""
        self.end_held(task, now)
        if task.job:
            self.end_job(task, now, {'not complete': why})
        task.known = False
        self.end_task_run(task, now)

    def job_of(self, task, event):
        """The job that an event is about: one that is under way since before the trace, or a hole,
        begins here. None: it is about a signal handler between two jobs."""
        job = task.job
        if job is None and task.known:
            return None
        if job is None or job.number != event['job']:
            self.leave_job(task, event.now)
            job = task.job = Job(event, event.now)
            task.known = True
        job.release, job.deadline = event['release'], event['deadline']
        return job

    def leave_job(self, task, now):
        if task.job:
            self.end_job(task, now, {'not complete': 'the next one was released'})

    def end_job(self, task, now, args):
        """`args`: what else is to be said of it."""
        job, row = task.job, self.writer.row(task.process, JOBS)
        task.job = task.done = None
        began = max(job.began, row.last or job.began)
        said = {'job': job.number, 'release_ns': job.release, 'deadline_ns': job.deadline, **args}
        late = now > job.deadline
        if not self.writer.slice(row, f'job {job.number}', 'job', job.began, now, said,
                                 'bad' if late else None):
            return
        task.done = row, max(began, self.writer.start), min(now, self.writer.end)
        if late:
            self.writer.part(row, 'late', 'miss', max(job.deadline, began), now,
                             {'by': show(now - job.deadline)}, 'terrible')

    def release(self, task, event):
        self.leave_job(task, event.now)
        task.job = Job(event, event.now)
        task.known = True
        for cpu in self.cpus.values():   # chosen already: for the job before
            if cpu.chosen and cpu.chosen[1] is task:
                self.end_chosen(cpu, event.now)
                self.choose(cpu, task, event.now)

    def complete(self, task, event):
        job = self.job_of(task, event)
        now = event.now
        self.end_held(task, now)
        if job is None:
            return
        for cpu in self.cpus.values():
            if cpu.chosen and cpu.chosen[1] is task:
                self.end_chosen(cpu, now)
                # until it is deselected, or its next job is released
                cpu.chosen = (now, task, None)
        response = now - job.nominal
        row = self.writer.row(task.process, JOBS)
        self.end_job(task, now,
                     {'response': show(response), 'executed': show(event.get('value', 0))})
        self.jobs += 1
        if job.whole and self.writer.inside(job.began) and self.writer.inside(now):
            self.flows += 1
            self.writer.flow('s', row, 'job', self.flows, job.began)
            if job.choice:
                self.writer.flow('t', job.choice[0], 'job', self.flows, job.choice[1])
            # Its last nanosecond: viewers don't count the end itself as inside of a slice.
            self.writer.flow('f', row, 'job', self.flows, max(job.began, now - 1))
        self.writer.counter(task.process, 'response', 'µs', now, micro(response))
        self.writer.counter(task.process, 'execution', 'µs', now, micro(event.get('value', 0)))

    def select(self, task, event):
        if task.job is None and task.held is None:
            self.job_of(task, event)
        cpu = self.cpu(event['cpu'])
        if cpu.chosen and cpu.chosen[1] is task and task.job and cpu.chosen[2] == task.job.number:
            return
        self.end_chosen(cpu, event.now)
        self.choose(cpu, task, event.now)

    def choose(self, cpu, task, now):
        job = task.job
        cpu.chosen = (now, task, job.number if job else None)
        if job and job.choice is None:
            job.choice = (self.writer.row(cpu.process, CHOSEN), now)

    def deselect(self, event):
        cpu = self.cpu(event['cpu'])
        if cpu.chosen and cpu.chosen[1].id == event['id']:
            self.end_chosen(cpu, event.now)

    # ---- what holds jobs up, and what is noted of them

    def mark(self, task, event, name, **args):
        self.writer.instant(self.writer.row(task.process, JOBS), name,
                            event.name[len('resch_'):], event.now,
                            {'job': event['job'], **args})

    def hold(self, task, event, why):
        self.end_held(task, event.now)
        task.held = (event.now, why)

    def end_held(self, task, now):
        if task.held:
            since, why = task.held
            self.writer.slice(self.writer.row(task.process, HELD), why, 'held', since, now)
            task.held = None

    def block(self, task, event):
        if self.job_of(task, event):
            self.hold(task, event, 'sleeps')

    def wake(self, task, event):
        if task.job:
            self.job_of(task, event)
        self.end_held(task, event.now)

    def throttle(self, task, event):
        self.job_of(task, event)
        if DEMOTE in (task.params.get('overrun'), task.params.get('miss')):
            self.mark(task, event, 'demoted')
            return
        self.hold(task, event, 'throttled')

    def budget(self, task, event):
        if task.job:
            self.job_of(task, event)
        self.mark(task, event, 'new budget', budget=show(event.get('value', 0)))

    def miss(self, task, event):
        self.mark(task, event, 'miss', late=show(event.get('value', 0)))

    def overrun(self, task, event):
        self.mark(task, event, 'overrun', executed=show(event.get('value', 0)))

    def escalate(self, task, event):
        self.mark(task, event, 'demoted: it did not stop', after=show(event.get('value', 0)))

    # ---- domains, plans and servers

    def in_charge(self, number, cpu):
        """The row of a CPU's plugins."""
        name = f'plugin of CPU {number}'
        process = self.domains.get(number)
        if process is None:
            where = '' if cpu.domain is None else f'domain {cpu.domain}, '
            process = self.domains[number] = self.writer.process(DOMAINS + number, f'{where}{name}')
        return self.writer.row(process, PLUGIN)

    def take_over(self, number, cpu, now, name):
        if cpu.plugin:
            self.writer.slice(self.in_charge(number, cpu), cpu.plugin[1], 'plugin',
                              cpu.plugin[0], now)
        cpu.plugin = (now, name)

    def swap(self, event):
        number = event['cpu']
        cpu = self.cpu(number)
        cpu.domain = event['domain'] if 'domain' in event.fields else cpu.domain
        if cpu.plugin is None:
            cpu.plugin = (self.start, event['from'])
        self.take_over(number, cpu, event.time, event['to'])
        self.writer.instant(self.in_charge(number, cpu), f'{event["from"]} -> {event["to"]}',
                            'swap', event.time, dict(event.fields), everywhere=True)

    def eject(self, event):
        cpu = self.cpu(event['cpu'])
        self.writer.instant(self.in_charge(event['cpu'], cpu),
                            f'{event.get("plugin", "plugin")} is thrown out', 'eject', event.time,
                            dict(event.fields), everywhere=True)

    def plan(self, event):
        self.end_plan(event['domain'],
                      event.time if not event['count'] else max(event.time, event['from']))
        self.plans[event['domain']] = Plan(event)

    def reserve(self, event):
        if event['domain'] in self.plans:
            self.plans[event['domain']].add(event)

    def end_plan(self, domain, now):
        plan = self.plans.pop(domain, None)
        if plan is None or not plan.whole():
            return
        for number in plan.cpus():
            row = self.writer.row(self.cpu(number).process, RESERVES)
            for window in plan.windows(number, self.writer.start, min(now, self.writer.end)):
                self.writer.slice(row, f'group {window.group}', 'reserve', window.start, window.end)

    def server(self, event):
        process = self.server_process(event)
        self.writer.counter(process, 'budget left', 'µs', event.now, micro(event['left']))
        for bit, words in NOTED:
            if event['what'] & bit:
                self.writer.instant(self.writer.row(process, NOTES), words, 'server', event.now,
                                    {'left_ns': event['left'], 'deadline_ns': event['deadline']})

    def server_process(self, event):
        key = event['domain'], event['server']
        if key not in self.servers:
            self.servers[key] = self.writer.process(SERVERS + len(self.servers),
                                                    f'server {event["server"]}')
        return self.servers[key]

    def server_set(self, event):
        process = self.server_process(event)
        row = self.writer.row(process, NOTES)
        if not event['budget']:
            self.writer.instant(row, 'is gone', 'server', event.time)
            self.servers.pop((event['domain'], event['server']))
            return
        name = event.get('name', '')
        self.writer.name_process(process, f'server {name}/{event["server"]}' if name else
                                 f'server {event["server"]}',
                                 f'{show(event["budget"])} of {show(event["period"])}, CPU {event["cpu"]}')
        self.writer.instant(row, 'is made, or resized', 'server', event.time, dict(event.fields))

    def serve(self, event):
        task = self.task(event)
        client = self.tasks.get(event['client'])
        whom = client.label() if client else f'task {event["client"]}'
        self.writer.instant(self.writer.row(task.process, JOBS),
                            f'serves {whom}' if event.get('begin') else f'has served {whom}',
                            'serve', event.get('now', event.time), {'server': event['server']})

    # ---- chains

    def chain_set(self, event):
        self.instances.set(event)

    def chain_stage(self, event):
        self.instances.stage(event)

    def chain(self, event):
        task = self.tasks.get(event['task'])
        for arrow in self.instances.step(self.writer, event, task.done if task else None):
            self.flows += 1
            self.writer.flow('s', arrow[0], 'handed over', self.flows, arrow[1])
            self.writer.flow('f', arrow[2], 'handed over', self.flows, arrow[3])

    # ---- the end

    def finish(self):
        end = self.now
        for number, cpu in self.cpus.items():
            self.end_run(cpu, end)
            self.end_chosen(cpu, end)
            if cpu.plugin:
                self.take_over(number, cpu, end, '')
        for task in self.tasks.values():
            self.leave(task, end, 'the trace ended')
        for domain in list(self.plans):
            self.end_plan(domain, end)


def export(lines, source, file, start=None, end=None, absolute=False):
    """Text of a trace to trace-event JSON. `start`, `end`: ns since its first event. Return: the
    Timeline."""
    timeline = None

    def begin(first):
        about = {'source': source, 'first event (ns, CLOCK_MONOTONIC)': str(first),
                 'times': 'CLOCK_MONOTONIC' if absolute
                 else 'since the first event'}
        return Writer(file, 0 if absolute else first, first + (start or 0),
                      FOREVER if end is None else first + end, about)

    timeline = Timeline(begin)
    timeline.run(read.Lines(lines))
    timeline.writer.close()
    return timeline
