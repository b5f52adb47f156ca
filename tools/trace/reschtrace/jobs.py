# SPDX-License-Identifier: GPL-2.0
"""What becomes of each job: numbers, releases, deadlines, misses, budgets."""

from . import handlers
from .model import COUNT, PERIODIC, SPORADIC, THROTTLE, WAKEUP
from .units import show


class Jobs:
    """The rules about jobs, one task after the other."""

    def __init__(self, checker):
        self.model, self.rules, self.tolerance = checker.model, checker.rules, checker.tolerance
        self.judge, self.holes_in = checker.judge, checker.holes_in
        self.violate = checker.violate

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
                self.violate('jobs', job.released,
                             f'first job of {task.label()} has number {job.index}', task.cpu,
                             [task], line=job.line)
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
        if job.freed is not None:
            free = max(free, job.freed)
        self.rules['release'].checked += 1
        if at < nominal - task.lead_at(at):
            self.violate('release', at,
                         f'job {job.index} of {task.label()} released {show(nominal - at)} '
                         'before its time', task.cpu, [task], nominal - at, job.line)
        elif at < nominal:
            self.check_begin(task, job)
        else:
            self.judge('release', at - free, at, f'job {job.index} of {task.label()} released '
                       f'{show(at - free)} late', task.cpu, [task], line=job.line)
        if task.params is None:
            return
        if before is None:
            if job.index == 1 and task.attached is not None and kind != SPORADIC:
                early = task.attached - nominal
                if early > self.tolerance:
                    self.violate('release', at,
                                 f'first release of {task.label()} lies {show(early)} '
                                 'before its attach', task.cpu, [task], early, job.line)
            return
        step = nominal - before.release
        if kind == PERIODIC:
            self.check_distance(task, job, step)
        elif kind == SPORADIC and step < period and not self.model.may_come_near(task, at):
            self.violate('release', at,
                         f'job {job.index} of {task.label()}: released {show(step)} after '
                         f'the last one, minimum inter-arrival time {show(period)}',
                         task.cpu, [task], period - step, job.line)

    def check_distance(self, task, job, step):
        least, most = (distance * (1 + job.skipped)
                       for distance in task.distances(job.previous.released, job.released))
        if least <= step <= most:
            return
        skips = f' and {job.skipped} skipped' if job.skipped else ''
        wanted = show(least // (1 + job.skipped))
        if least < most:
            wanted += f' to {show(most // (1 + job.skipped))}'
        self.violate('release', job.released, f'job {job.index} of {task.label()}: nominal release '
                     f'{show(step)} after the last one, with period {wanted}{skips}',
                     task.cpu, [task], max(least - step, step - most), job.line)

    def check_begin(self, task, job):
        """A job that is released ahead of its release is not to begin before that."""
        if job.begun is not None and job.begun < job.nominal:
            self.violate('release', job.begun,
                         f'job {job.index} of {task.label()} began {show(job.nominal - job.begun)} '
                         'before its release', task.cpu, [task], job.nominal - job.begun, job.line)
        elif job.begun is None and job.completed is not None and not job.partial:
            self.violate('release', job.completed,
                         f'job {job.index} of {task.label()} was released ahead of its release, and '
                         'did not wait for it', task.cpu, [task], line=job.line)

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
                self.violate('deadline', job.released,
                             f'job {job.index} of {task.label()}: deadline '
                             f'{show(job.first_deadline - job.nominal)} after its release, declared '
                             f'{show(relative)}', task.cpu, [task], off, job.line)
        last = (job.nominal, job.first_deadline)
        for now, release, deadline in job.moves:
            self.rules['deadline'].checked += 1
            if kind == WAKEUP:
                right = (last[0], last[1] + relative)
            elif kind == PERIODIC:
                least, most = task.distances(now if job.released is None else job.released, now)
                at = min(max(release, last[0] + least), last[0] + most)
                right = (at, at + relative)
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
            self.violate('deadline', job.released,
                         f'job {job.index} of {task.label()} kept the last '
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
                         f'{show(late)} after its deadline, and no miss was noted',
                         task.cpu, [task], late, job.line)
        elif late < 0 and noted:
            self.violate('miss', job.completed, f'job {job.index} of {task.label()} completed '
                         f'{show(-late)} before its deadline, and a miss was noted',
                         task.cpu, [task], -late, job.line)
        if len(noted) > 1:
            self.violate('miss', noted[1][0],
                         f'job {job.index} of {task.label()}: {len(noted)} misses '
                         'noted for one deadline', task.cpu, [task], line=job.line)

    # ---- budgets

    def check_budget(self, task):
        if task.params is None:
            return
        wcet, reaction = task.params['wcet'], task.params['overrun']
        for job in task.jobs:
            allowed = job.budget if task.params['kind'] == WAKEUP else wcet
            if allowed is None or job.charge is None:
                continue
            allowed -= job.charge
            for now, executed in job.overruns:
                self.judge('budget', max(0, allowed - executed), now, f'job {job.index} of '
                           f'{task.label()}: overrun noted after {show(executed)}, its budget is '
                           f'{show(allowed)}', task.cpu, [task], line=job.line)
            if job.partial or job.completed is None or job.released is None:
                continue
            # what a replenishment wiped out is not held against the job when it ends
            if reaction == COUNT and job.exec is not None and not job.budgets and not job.overruns:
                self.judge('budget', max(0, job.exec - allowed), job.completed,
                           f'job {job.index} of '
                           f'{task.label()} executed for {show(job.exec)} of {show(allowed)}, and no '
                           'overrun was noted', task.cpu, [task], 0, job.line)
            if reaction == THROTTLE:
                self.check_throttled(task, job, allowed)

    def check_throttled(self, task, job, allowed):
        """Between two replenishments a job executes for its budget at most; until it is demoted, as
        it then runs in time that nobody else wants."""
        start = job.begins()
        for now, budget in (*job.budgets, (job.completed, 0)):
            if job.demoted is not None:
                now = min(now, job.demoted)
            executed = self.model.executed(task, start, now)
            self.judge('budget', max(0, executed - allowed), start,
                       f'job {job.index} of {task.label()} executed for {show(executed)}, its budget was '
                       f'{show(allowed)}', task.cpu, [task], line=job.line)
            start, allowed = now, budget


def check(checker):
    """Fills in the rules about jobs."""
    jobs = Jobs(checker)
    for task in checker.model.task_list():
        jobs.check_jobs(task)
        handlers.check(checker, task)
        jobs.check_budget(task)
