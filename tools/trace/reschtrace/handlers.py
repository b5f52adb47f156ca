# SPDX-License-Identifier: GPL-2.0
"""Signal handlers between two jobs: they have the budget of the next one.

Where jobs are stopped at the end of their budgets, what handlers execute in a period is taken from
the budget of the job that is released in it; without one they have a job's budget a period.
"""

from .model import DEMOTE, THROTTLE
from .units import show


class Account:
    """What the handlers of a task, and the job that they share a budget with, have had of it."""

    def __init__(self, checker, task):
        self.judge, self.executed, self.task = checker.judge, checker.model.executed, task
        self.reset()

    def reset(self):
        self.spent, self.until, self.seen = 0, None, True

    def begins(self, handling):
        """Another budget begins, unless the last one still holds."""
        if self.until is not None and handling.start < self.until:
            return
        period = self.task.params['period']
        earliest = handling.start
        if handling.last is not None:
            earliest = max(earliest, handling.last + period)
        self.spent, self.until = 0, earliest + period

    def charge(self, start, end, line):
        wcet = self.task.params['wcet']
        self.spent += self.executed(self.task, start, end)
        self.judge('budget', max(0, self.spent - wcet), start, f'signal handlers of '
                   f'{self.task.label()} executed for {show(self.spent)} between two jobs, their '
                   f'budget was {show(wcet)}', self.task.cpu, [self.task], line=line)

    def handle(self, handling):
        if handling.partial:
            self.seen = False
        if not self.seen:
            return
        self.begins(handling)
        start = handling.start
        for again in handling.budgets:
            self.charge(start, again, handling.line)
            start = again
            self.spent, self.until = 0, again + self.task.params['period']
        end = handling.end if handling.demoted is None else handling.demoted
        self.charge(start, end, handling.line)

    def release(self, job):
        if not self.seen or (job.previous is None and job.index > 1):
            job.charge = None
        elif self.until is not None and job.nominal < self.until:
            job.charge = min(self.spent, self.task.params['wcet'])
        self.reset()


def check(checker, task):
    """Judges them, and says what each job finds taken: Job.charge."""
    if task.params is None or task.params['overrun'] not in (THROTTLE, DEMOTE):
        return
    account = Account(checker, task)
    handlings = [(handling.start, 0, handling) for handling in task.handlings]
    jobs = [(job.released, 1, job) for job in task.jobs if job.released is not None]
    for _, what, one in sorted(handlings + jobs, key=lambda entry: entry[:2]):
        account.release(one) if what else account.handle(one)
