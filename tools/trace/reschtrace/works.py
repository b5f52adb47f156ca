# SPDX-License-Identifier: GPL-2.0
"""Who works for whom, and so on which job's account: a thread of a passive server that works for a
client, or for one that does, is in the place of that one's job, at its expense."""

from . import budgets


class Works:
    def __init__(self):
        self.current = {}        # task id -> its last Job, ready or not
        self.clients = {}        # id of a task that works for another -> that Task

    def payer(self, task):
        """The task at whose expense it works: its client, if it has one, or that one's; and by how
        many calls."""
        depth = 0
        while task.id in self.clients:
            task, depth = self.clients[task.id], depth + 1
        return task, depth

    def group(self, task):
        return self.payer(task)[0].group()

    def job_of(self, task):
        """The job that is charged for what the task does."""
        return self.current.get(self.payer(task)[0].id)

    def assign(self, job):
        """Its place is its client's."""
        payer, job.depth = self.payer(job.task)
        job.of = self.current[payer.id] if job.depth else job

    def begin(self, task, event, ready):
        """A job of the task, released or woken; `ready`: all that are."""
        before, job = self.current.get(task.id), budgets.Job(task, event)
        if before and event.name == 'resch_wake' and before.index == job.index:
            job.done = before.done
        for work in ready:
            if work.of is before and work is not before:
                work.of = job    # who works for it
        self.current[task.id] = job
        self.assign(job)
        return job

    def complete(self, task):
        """What comes before its next job, a signal handler, has done nothing yet."""
        if task.id in self.current:
            self.current[task.id].done = 0

    def end(self, task):
        self.current.pop(task.id, None)

    def serve(self, task, client):
        """It works for the client from here on, or for nobody."""
        if client:
            self.clients[task.id] = client
        else:
            self.clients.pop(task.id, None)

    def throttle(self, task):
        """Its job goes on with a budget of its own as large as the first."""
        if task.id not in self.clients and task.id in self.current:
            self.current[task.id].done = 0

    def reset(self):
        """Another plugin: all calls have ended, and nothing is charged yet."""
        self.clients = {}
        for job in self.current.values():
            job.of, job.depth, job.done = job, 0, 0
