# SPDX-License-Identifier: GPL-2.0
"""What chains keep to: the end of a stage's job releases those of the stages that wait for it,
once, in order, when the protocol says."""

import bisect

from .model import following
from .units import show

DS, PM, MPM, RG1, RG = range(5)
HANDED, COMPLETE, LATE, LOST, GONE, SKIPPED = 1, 2, 4, 8, 16, 32
EVENTS = ('resch_chain_set', 'resch_chain_stage', 'resch_chain')

ABOUT = {
    'chain-order': 'instances keep their order, and no stage begins before what it waits for',
    'chain-once': 'what is handed on is done once by each stage that it releases',
    'chain-release': 'stages are released when the protocol says',
    'chain-late': 'what is handed on is released without delay',
    'chain-deadline': 'late instances are noted, or skipped, and only those',
}


class Step:
    """A job of a stage has ended; or, `skipped`, the stage has dropped an instance, with LOST for
    want of room where several had handed it over."""

    __slots__ = ('instance', 'origin', 'now', 'what', 'line', 'job')

    def __init__(self, event):
        self.instance, self.origin, self.now, self.what, self.line = (
            event['instance'], event['origin'], event.now, event['what'], event.line)
        self.job = None

    @property
    def skipped(self):
        return bool(self.what & SKIPPED)

    def find_job(self, ended):
        """`ended`: the stage's jobs by when they were complete."""
        self.job = None if self.skipped else ended.get(self.now)
        return self


class Chain:
    """`whole`: it was seen from its beginning on."""

    def __init__(self, event):
        self.id, self.protocol, self.deadline = event['chain'], event['protocol'], event['deadline']
        self.name = event.get('name', '')
        self.count = event['stages']
        self.begin, self.end = event.time, None
        self.tasks = [None] * self.count
        self.phases = [0] * self.count
        self.before = [range(max(0, stage - 1), stage) for stage in range(self.count)]
        self.any = [False] * self.count
        self.steps = [[] for _ in range(self.count)]

    def add(self, event):
        """A stage, and who releases it: in older recordings the stage before."""
        stage = event['stage']
        self.tasks[stage] = event['task']
        self.phases[stage] = event.get('phase', 0)
        self.any[stage] = bool(event.get('any', 0))
        if 'from_mask' in event.fields:
            self.before[stage] = [one for one in range(stage) if event['from_mask'] >> one & 1]

    def label(self):
        return f'chain {self.name or self.id}'

    def ways(self):
        """From which stage to which."""
        return [(one, stage) for stage in range(self.count) for one in self.before[stage]]

    def may_come_near(self, task, time):
        """Its releases need not be a period apart."""
        return self.protocol in (DS, RG) and task in self.tasks[1:] and self.begin <= time and \
            (self.end is None or time <= self.end)


def find(events):
    """Chains from their events, in the order of these; what happened to one that was made before is
    left out."""
    chains, current = [], {}
    for event in events:
        ident = event['chain']
        if event.name == 'resch_chain_set':
            if ident in current:
                current.pop(ident).end = event.time
            if event['stages']:
                current[ident] = Chain(event)
                chains.append(current[ident])
        elif ident not in current or event['stage'] >= current[ident].count:
            continue
        elif event.name == 'resch_chain_stage':
            current[ident].add(event)
        else:
            current[ident].steps[event['stage']].append(Step(event))
    return chains


def handed_over(model):
    """(instance, task, when its job was complete, task of a stage that this has released, nominal
    release of its job there), of every chain of a Model. A job that is under way may be the
    instance's that was handed over first."""
    for chain in model.chains:
        for at, stage in chain.ways():
            before, task = model.tasks.get(chain.tasks[at]), model.tasks.get(chain.tasks[stage])
            if not before or not task:
                continue
            ended = {job.completed: job for job in task.jobs if job.completed is not None}
            jobs = {step.instance: step.find_job(ended).job for step in chain.steps[stage]}
            open_jobs = [job for job in task.jobs if job.completed is None and
                         job.released is not None]
            for step in chain.steps[at]:
                if not step.what & HANDED:
                    continue
                job = jobs.get(step.instance)
                if step.instance not in jobs and open_jobs and open_jobs[0].released >= step.now:
                    job = open_jobs.pop(0)
                # Where the first of several did, the others released nothing.
                if job is not None and (not chain.any[stage] or step.now <= job.nominal):
                    yield step.instance, before, step.now, task, job.nominal


class Arrival:
    """What has released a stage for an instance: `steps` of those that have handed it over. `sure`:
    it can't have been lost on its way."""

    def __init__(self, steps, first, sure):
        self.steps, self.first, self.sure = sorted(steps, key=lambda step: step.now), first, sure
        self.step = self.steps[0 if first else -1]

    def decides(self, done):
        """The last one; or the first. Two CPUs may see two of them in either order: then it is the
        one that the job was released by."""
        if self.first and done.job is not None:
            for step in self.steps:
                if step.now == done.job.nominal:
                    return step
        return self.step


class Chains:
    def __init__(self, checker):
        self.checker, self.model = checker, checker.model
        self.rules = checker.rules
        self.from_elsewhere = {chain.tasks[stage] for chain in self.model.chains
                               for at, stage in chain.ways()
                               if self.cpu(chain.tasks[at]) != self.cpu(chain.tasks[stage])}

    def cpu(self, task):
        task = self.model.tasks.get(task)
        return task.cpu if task else None

    def violate(self, rule, time, text, task=None, amount=None, line=None):
        cpu, task = self.cpu(task), self.model.tasks.get(task)
        self.checker.violate(rule, time, text, cpu, [task] if task else [], amount, line)

    def check(self, chain):
        for stage in range(chain.count):
            task = self.model.tasks.get(chain.tasks[stage])
            ended = ({job.completed: job for job in task.jobs if job.completed is not None}
                     if task else {})
            chain.steps[stage] = [step.find_job(ended) for step in chain.steps[stage]
                                  if not step.what & GONE]
            self.check_numbers(chain, stage)
            if stage:
                self.check_handed(chain, stage)
        for stage, steps in enumerate(chain.steps):
            for step in steps:
                if step.skipped:
                    self.check_skipped(chain, stage, step)
                elif stage == chain.count - 1:
                    self.check_deadline(chain, step)

    def check_numbers(self, chain, stage):
        """In the order of their numbers; the first stage leaves none out."""
        last = None
        for step in chain.steps[stage]:
            self.rules['chain-order'].checked += 1
            task = chain.tasks[stage]
            if last is not None and (step.instance != last + 1 if not stage else
                                     step.instance <= last):
                self.violate('chain-order', step.now,
                             f'{chain.label()}, stage {stage}: instance {step.instance} follows '
                             f'instance {last}', task, line=step.line)
            last = step.instance

    def check_handed(self, chain, stage):
        arrived = self.arrived(chain, stage)
        done = {}
        for step in chain.steps[stage]:
            done.setdefault(step.instance, []).append(step)
        ends = [step.instance for step in chain.steps[stage]]
        for instance, sent in arrived.items():
            self.rules['chain-once'].checked += 1
            here = done.pop(instance, [])
            if len(here) > 1:
                self.violate('chain-once', here[1].now,
                             f'{chain.label()}, stage {stage}: instance {instance} is done '
                             f'{len(here)} times', chain.tasks[stage], line=here[1].line)
            elif not here and ends and ends[-1] > instance and sent.sure:
                self.violate('chain-once', sent.step.now,
                             f'{chain.label()}, stage {stage}: instance {instance} was handed '
                             'to it, and it went on with a later one', chain.tasks[stage],
                             line=sent.step.line)
            if here:
                self.check_pair(chain, stage, sent.decides(here[0]), here[0])
        for instance, here in done.items():
            if not self.checker.holes_in(chain.begin, here[0].now):
                self.violate('chain-once', here[0].now,
                             f'{chain.label()}, stage {stage}: '
                             f'{"not all have" if len(chain.before[stage]) > 1 else "nobody has"} '
                             f'handed instance {instance} to it', chain.tasks[stage],
                             line=here[0].line)

    @staticmethod
    def arrived(chain, stage):
        """{instance: Arrival}, of those that all of the stages before have handed over, or one."""
        before = chain.before[stage]
        sent = {one: {step.instance: step for step in chain.steps[one] if step.what & HANDED}
                for one in before}
        last = {one: max(sent[one], default=0) for one in before}
        arrived = {}
        for instance in sorted(set().union(*sent.values())):
            here = [sent[one][instance] for one in before if instance in sent[one]]
            if chain.any[stage] or len(here) == len(before):
                # Of what one of several has lost, what the others do with it is not known.
                sure = (not any(step.what & LOST for step in here) and
                        all(instance in sent[one] or instance > last[one] for one in before))
                arrived[instance] = Arrival(here, chain.any[stage], sure)
        return arrived

    def check_pair(self, chain, stage, sent, done):
        task, job = self.model.tasks.get(chain.tasks[stage]), done.job
        if job is None or job.released is None or task.params is None:
            return
        where = f'{chain.label()}, stage {stage}, instance {done.instance}'
        self.rules['chain-order'].checked += 1
        if job.released < sent.now:
            early = sent.now - job.released
            self.violate('chain-order', job.released,
                         f'{where}: released {show(early)} before the stage before was complete',
                         task.id, early, job.line)
            return
        before = job.previous
        if sent.job is None or (before is None and job.index != 1):
            return
        guarded = wanted = self.wanted(chain, stage, sent)
        if before is not None:
            guarded = max(wanted,
                          before.release + (task.params['period'] if chain.protocol != DS else 0))
        self.rules['chain-release'].checked += 1
        off = abs(job.nominal - guarded)
        if chain.protocol == RG and wanted <= job.nominal < guarded:
            self.check_idle(task, job, where)
        elif off:
            self.violate('chain-release', job.released, f'{where}: its release is {show(off)} '
                         f'{"before" if job.nominal < guarded else "after"} it is due', task.id,
                         off, job.line)
        free = max(job.nominal, before.completed or 0) if before is not None else job.nominal
        self.checker.judge('chain-late', max(0, job.released - free), job.released,
                           f'{where}: released {show(job.released - free)} late', task.cpu, [task],
                           line=job.line)

    @staticmethod
    def wanted(chain, stage, sent):
        if chain.protocol == PM:
            return max(sent.now, sent.origin + chain.phases[stage])
        if chain.protocol == MPM:
            return max(sent.now, sent.job.release + chain.phases[stage])
        return sent.now

    def begun(self, task, job):
        """From when on its CPU had this job to do. What another one hands over has that one's time,
        and comes a moment later."""
        if task.id in self.from_elsewhere and job.released is not None:
            return max(job.nominal, job.released)
        return job.nominal

    def check_idle(self, task, job, where):
        """Rule 2 let it go: since its last release there was a moment at which all that had been
        released on its CPU before was complete."""
        since, until = job.previous.release, job.nominal
        spans = []
        for other in self.model.task_list():
            if other.cpu != task.cpu:
                continue
            at = max(bisect.bisect_left(other.jobs, since, key=lambda one: one.nominal) - 1, 0)
            for one in following(other.jobs, at):
                if one.nominal >= until:
                    break
                spans.append((self.begun(other, one),
                              self.model.end + 1 if one.completed is None else one.completed))
        moments = [until] + [end for _, end in spans if since < end <= until]
        if all(any(start < moment < end for start, end in spans) for moment in moments):
            self.violate('chain-release', job.released,
                         f'{where}: released as at an idle point of CPU {task.cpu}, of which '
                         'there was none', task.id, line=job.line)

    def check_skipped(self, chain, stage, step):
        if step.what & LOST:
            return
        early = step.origin + chain.deadline - step.now
        self.rules['chain-deadline'].checked += 1
        if early >= 0:
            self.violate('chain-deadline', step.now,
                         f'{chain.label()}, stage {stage}, instance {step.instance}: skipped '
                         f'{show(early)} before its deadline', chain.tasks[stage],
                         line=step.line)

    def check_deadline(self, chain, step):
        late = step.now - step.origin - chain.deadline
        self.rules['chain-deadline'].checked += 1
        if (late > 0) != bool(step.what & LATE):
            self.violate('chain-deadline', step.now,
                         f'{chain.label()}, instance {step.instance}: complete {show(abs(late))} '
                         f'{"after" if late > 0 else "before"} its deadline, and '
                         f'{"that was not noted" if late > 0 else "a miss was noted"}',
                         chain.tasks[-1], line=step.line)


def check(checker):
    """Fills in the rules about chains, where there are any."""
    if not checker.model.chains:
        return
    checker.add_rules(ABOUT)
    chains = Chains(checker)
    for chain in checker.model.chains:
        chains.check(chain)
