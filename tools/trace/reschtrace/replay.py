# SPDX-License-Identifier: GPL-2.0
"""From the events of a trace, one after the other, to a Model."""

from . import chains
from .model import (DEMOTE, PARAMS, WAKEUP, WHY, Anomaly, Handling, Job, Model, Ready, Run,
                    Selection, Span, Task)
from .plan import Plan
from .policy import orders


class Replay:
    """Goes through the events once and fills in a Model."""

    def __init__(self, trace):
        self.model = Model(trace)
        self.trace = trace
        self.depth = 0           # how many holes are open here
        self.floor = trace.start  # the time that the replay has reached
        self.last_job = {}       # task id -> last Job, for numbers

    def run(self):
        self.find_unknown_cpus()
        edges = self.edges()
        for event in self.trace.events:
            while edges and edges[0][:2] < (event.time, 1):
                self.cross(edges.pop(0))
            self.floor = event.time
            self.event(event)
        for edge in edges:
            self.cross(edge)
        self.finish()
        self.model.chains = chains.find(self.trace.events.named(chains.EVENTS))
        return self.model

    def edges(self):
        """Of holes: (time, order among what is at one time: 1 are events, the number of the hole,
        what to do)."""
        edges = []
        for at, hole in enumerate(self.trace.holes):
            edges.append((hole.start, 2, at, self.enter_hole))
            edges.append((hole.end, 0, at, self.leave_hole))
        return sorted(edges, key=lambda edge: edge[:3])

    def cross(self, edge):
        self.floor = edge[0]
        edge[3]()

    def find_unknown_cpus(self):
        """Where a task was attached before the trace began, it may be selected already."""
        attached = set()
        for event in self.trace.events.where(lambda form: 'id' in form.keys):
            if event.name == 'resch_attach':
                attached.add(event['id'])
            elif event['id'] not in attached:
                cpu = self.model.cpu(event['cpu'])
                cpu.known = False
                cpu.unknown = [[self.trace.start, None]]

    # ---- holes

    def enter_hole(self):
        self.cut()
        self.depth += 1

    def leave_hole(self):
        self.cut()
        self.depth -= 1

    def cut(self):
        """Forget all state: it may have changed unseen."""
        now = self.floor
        for task in self.model.tasks.values():
            self.end_spans(task, now)
            task.known = False
            task.job = None
            self.last_job.pop(task.id, None)
        for cpu in self.model.cpus.values():
            self.end_run(cpu, now)
            cpu.current = None
            if cpu.known:
                cpu.known = False
                cpu.unknown.append([now, None])

    # ---- spans

    def keep(self, spans, span, end):
        span.end = max(end, span.start)
        if not self.depth and span.end > span.start:
            spans.append(span)

    def open_ready(self, task, now):
        self.close_ready(task, now)
        if task.job:
            task.open_ready = Ready(now, task.cpu, task.job)

    def close_ready(self, task, now):
        if task.open_ready:
            self.keep(task.ready, task.open_ready, now)
            task.open_ready = None

    def close_selected(self, task, cpu, now):
        span = task.open_selected.pop(cpu, None)
        if span:
            span.ended = self.floor
            self.keep(task.selected, span, now)

    def close_held(self, task, now):
        if task.open_held:
            self.keep(task.held, task.open_held, now)
            task.open_held = None

    def end_spans(self, task, now):
        """Nothing is known of the task from here on."""
        self.close_ready(task, now)
        for cpu in list(task.open_selected):
            self.close_selected(task, cpu, now)
        self.close_held(task, now)
        if task.job:
            task.job.partial = True
        if task.handling:
            task.handling.partial = True
            self.end_handling(task, now)

    # ---- signal handlers between two jobs

    def handle(self, task, event):
        """One begins, or goes on. It competes like a job."""
        if task.handling and task.handling.stopped:   # it had called to wait instead
            self.end_handling(task, event.now)
        if not task.handling:
            task.handling = Handling(event, self.last_job.get(task.id))
            task.handlings.append(task.handling)
        task.open_ready = Ready(event.now, task.cpu, Job(event, partial=True))

    def end_handling(self, task, now):
        if task.handling:
            task.handling.end = now
            task.handling = None

    def end_run(self, cpu, now, left=None):
        if cpu.current is None:
            return
        start, pid, comm, prio = cpu.current
        if now > start and not self.depth:
            cpu.runs.append(start, now, pid, comm, prio, left)
        cpu.current = None

    def chosen(self, number):
        """A selection was seen on this CPU: from here on it is known."""
        cpu = self.model.cpu(number)
        if not cpu.known:
            cpu.known = True
            cpu.unknown[-1][1] = self.floor

    # ---- events

    def event(self, event):
        name = event.name
        if name == 'sched_switch':
            self.switch(event)
            return
        if name in ('resch_swap', 'resch_eject'):
            self.policy(event)
            return
        if name in ('resch_plan', 'resch_reserve'):
            self.plan(event)
            return
        if name in ('resch_server_set', 'resch_server', 'resch_serve') or name in chains.EVENTS:
            return
        handler = getattr(self, name[len('resch_'):], None)
        if name == 'resch_attach':
            self.attach(event)
        elif name == 'resch_detach':
            self.detach(event)
        elif handler:
            task = self.task(event)
            handler(task, event)

    def switch(self, event):
        number = event.cpu
        if number is None:
            return
        cpu = self.model.cpu(number)
        prev, now = event['prev_pid'], event.time
        if cpu.current is None or cpu.current[1] != prev:
            began = self.floor_of_run(cpu)
            self.end_run(cpu, began)
            cpu.current = (began, prev, event.get('prev_comm', ''), event.get('prev_prio'))
        self.end_run(cpu, now, event.get('prev_prio'))
        cpu.current = (now, event['next_pid'], event.get('next_comm', ''), event.get('next_prio'))

    def floor_of_run(self, cpu):
        """Since when a thread ran that was not seen to start: since the trace began or went on."""
        holes = [hole.end for hole in self.trace.holes if hole.end <= self.floor]
        last = cpu.runs[-1][1] if cpu.runs else self.trace.start
        return max([last, self.trace.start] + holes)

    def policy(self, event):
        cpu = self.model.cpu(event['cpu'])
        if event.name == 'resch_eject':
            self.model.ejects.append(event)
            return
        self.model.swaps.append(event)
        if not cpu.policies:
            cpu.policies.append((self.trace.start, event['from']))
        elif cpu.policies[-1][1] != event['from'] and not self.depth:
            self.anomaly('swap', event, None,
                         f"swap from '{event['from']}' where '{cpu.policies[-1][1]}' was in charge")
        cpu.policies.append((event.time, event['to']))

    def plan(self, event):
        if event.name == 'resch_plan':
            self.model.plans.append(Plan(event))
            return
        for plan in reversed(self.model.plans):
            if plan.domain == event['domain']:
                plan.add(event)
                return

    def attach(self, event):
        ident = event['id']
        task = self.model.tasks.get(ident)
        if task is None or task.detached is not None:
            task = self.model.tasks[ident] = Task(ident, event['pid'], event['cpu'])
            task.attached = event.time
            task.known = not self.depth
        task.cpu = event['cpu']
        task.name = event.get('name', '') or task.name
        task.params = {name: event.get(name, 0) for name in PARAMS}
        cpu = self.model.cpu(event['cpu'])
        if not cpu.policies:
            cpu.policies.append((self.trace.start, event['plugin']))
        elif cpu.policies[-1][1] != event['plugin']:
            cpu.policies.append((event.time, event['plugin']))

    def task(self, event):
        """The task of a job event; one that was attached before the trace began is unknown yet."""
        ident = event['id']
        task = self.model.tasks.get(ident)
        if task is None:
            task = self.model.tasks[ident] = Task(ident, event.get('pid', -1), event['cpu'])
        elif task.detached is not None:
            self.anomaly('jobs', event, task, f'{event.name} after the task was detached')
        if task.cpu != event['cpu']:
            task.cpu = event['cpu']
            if task.open_ready:
                self.open_ready(task, event.now)
        if task.controlled is None:
            task.controlled = event.now
        return task

    def detach(self, event):
        task = self.model.tasks.get(event['id'])
        if task is None:
            task = self.task(event)
        now = event.time
        self.end_spans(task, now)
        task.job = None
        task.detached = now
        task.why_gone = event.get('why', event.get('gone'))

    def current(self, task, event):
        """The job that an event is about. One that was not seen to be released counts only where
        the state was unknown."""
        if task.job and task.job.index != event['job']:
            self.anomaly('jobs', event, task,
                         f'{event.name} of job {event["job"]} while job {task.job.index} is current')
        if task.job is None:
            if task.known:
                self.anomaly('jobs', event, task,
                             f'{event.name} of job {event["job"]}, which is not '
                             'under way')
                return None
            last = task.jobs[-1] if task.jobs else None
            if last and last.index == event['job'] and last.completed is None:
                task.job = last
            elif 'release' in event.fields:
                task.job = Job(event, partial=True)
                task.jobs.append(task.job)
                self.last_job[task.id] = task.job
            task.known = True
        job = task.job
        if job and 'deadline' in event.fields and job.deadline != event['deadline']:
            job.deadline, job.release = event['deadline'], event['release']
            job.moves += ((event.now, job.release, job.deadline),)
            if task.open_ready:
                self.open_ready(task, event.now)
        return job

    def release(self, task, event):
        now = event.now
        if task.job:
            self.anomaly('jobs', event, task, f'job {event["job"]} was released, job '
                         f'{task.job.index} never completed')
            task.job.partial = True
        self.end_handling(task, now)
        previous = self.last_job.get(task.id)
        job = Job(event, partial=self.depth > 0)
        job.previous = previous
        job.released = now
        job.freed = task.handlings[-1].end if task.handlings else None
        job.recorded = event.time
        job.on = event.cpu
        job.skipped = event.get('value', 0)
        task.jobs.append(job)
        task.job = self.last_job[task.id] = job
        task.known = True
        if task.open_selected:
            job.selected = now
        self.open_ready(task, now)

    def complete(self, task, event):
        job = self.current(task, event)
        self.close_ready(task, event.now)
        self.close_held(task, event.time)
        if job:
            job.completed = event.now
            job.exec = event.get('value')
        task.job = None

    def block(self, task, event):
        if task.job or not task.handling:
            self.current(task, event)
        elif not task.open_selected:   # it is over: it ran in the kernel only
            self.end_handling(task, event.now)
        self.close_ready(task, event.now)
        self.close_held(task, event.time)

    def wake(self, task, event):
        if task.known and not task.job and task.param('kind') != WAKEUP:
            self.handle(task, event)
            return
        job = self.current(task, event)
        if job and job.budgets and job.budgets[-1][0] == event.now:
            job.used = event.get('value', 0)
        self.open_ready(task, event.now)

    def throttle(self, task, event):
        handling = task.handling
        if handling and not task.job:
            handling.stopped = True
            if task.param('overrun') == DEMOTE:
                handling.demoted = event.now
                self.close_held(task, event.time)
            self.close_ready(task, event.now)
            return
        job = self.current(task, event)
        if job:
            job.stopped = True
            for reaction, seen in (('overrun', job.overruns), ('miss', job.misses)):
                if task.param(reaction) == DEMOTE and seen and seen[-1][0] == event.now:
                    job.demoted = event.now
                    # from here on it runs in time that nobody wants
                    self.close_held(task, event.time)
        self.close_ready(task, event.now)

    def budget(self, task, event):
        if task.job is None:   # a budget between two jobs says nothing about a job
            if task.handling:
                task.handling.stopped = False
                task.handling.budgets += (event.now,)
            return
        job = self.current(task, event)
        if job:
            job.stopped = False
            job.budgets += ((event.now, event.get('value', 0)),)

    def miss(self, task, event):
        job = self.job_of(task, event)
        if job:
            job.misses += ((event.now, event.get('value', 0), event['deadline']),)

    def overrun(self, task, event):
        job = self.job_of(task, event)
        if job:
            job.overruns += ((event.now, event.get('value', 0)),)

    def job_of(self, task, event):
        """The job of an event that may come just after its completion."""
        for job in reversed(task.jobs[-2:]):
            if job.index == event['job']:
                return job
        return self.current(task, event)

    def select(self, task, event):
        now, cpu = event.now, event['cpu']
        if task.job is None and not task.known:
            self.current(task, event)
        self.chosen(cpu)
        if task.job and task.job.stopped and not task.job.partial:
            self.anomaly('budget', event, task,
                         f'job {event["job"]} was stopped, and is selected without a new budget')
        if task.job and task.job.selected is None:
            task.job.selected = now
        if task.job and not task.open_ready and task.job.partial:
            self.open_ready(task, now)
        if cpu not in task.open_selected:
            task.open_selected[cpu] = Selection(now, cpu, event.time)
        self.close_held(task, event.time)
        task.open_held = Span(event.time, cpu)

    def deselect(self, task, event):
        self.chosen(event['cpu'])
        self.close_selected(task, event['cpu'], event.now)
        if not self.model.has_parks:   # the recorder didn't have them: nobody knows when it stopped
            self.close_held(task, event.time)
        if task.job is None and WHY.get(event['why'], event['why']) == 'complete':
            self.close_ready(task, event.now)
            self.end_handling(task, event.now)

    def park(self, task, event):
        if not task.open_selected:
            self.close_held(task, event.time)

    def escalate(self, task, event):
        task.escalations.append(event.now)

    def begin(self, task, event):
        job = self.current(task, event)
        if job:
            job.begun = event.now

    def lead(self, task, event):
        task.leads.append((event.now, event.get('value', 0)))

    def pace(self, task, event):
        task.paces.append((event.now, event.get('value', 0)))

    def anomaly(self, rule, event, task, text):
        if not self.depth:
            self.model.anomalies.append(Anomaly(rule, event, task, text))

    # ---- the end

    def finish(self):
        model, end = self.model, self.trace.end
        for task in model.tasks.values():
            for span in task.open_selected.values():
                span.open = True
            self.end_spans(task, end)
        for cpu in model.cpus.values():
            self.end_run(cpu, end)
            for span in cpu.unknown:
                if span[1] is None:
                    span[1] = end
        for task in model.tasks.values():
            task.selected.sort(key=lambda span: span.start)
            task.ready.sort(key=lambda span: span.start)
        self.find_running()

    def find_running(self):
        """Of the runs of a thread those parts that fall into its time as a task."""
        by_pid = {}
        for task in self.model.tasks.values():
            if task.pid:
                by_pid.setdefault(task.pid, []).append(task)
        for cpu in self.model.cpus.values():
            for pid, start, end, prio, left in cpu.runs.of(by_pid):
                for task in by_pid[pid]:
                    begin = start if task.attached is None else max(start, task.attached)
                    until = end if task.detached is None else min(end, task.detached)
                    if until > begin:
                        task.running.append(Run(begin, cpu.number, until, prio, left))
        for task in self.model.tasks.values():
            task.running.sort(key=lambda span: span.start)


def build(trace):
    model = Replay(trace).run()
    model.settle_plans(orders({}))
    return model
