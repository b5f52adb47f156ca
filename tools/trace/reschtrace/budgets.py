# SPDX-License-Identifier: GPL-2.0
"""What each kind of server does with its budgets and deadlines, and how much that may be in all.

U is the size, budget / period. A CBS has a whole budget by a deadline one period later (Abeni,
Buttazzo, RTSS 1998, section 3; hard: not before the old deadline), a CUS or TBS what the first job
needs, by a deadline that is that divided by U later (Deng, Liu, Sun, Euromicro RTS 1997; Spuri,
Buttazzo, Real-Time Systems 10(2), 1996).
"""

CBS_HARD, CBS, CUS, TBS, PASSIVE, LINUX = range(6)
KINDS = {CBS_HARD: 'cbs-hard', CBS: 'cbs', CUS: 'cus', TBS: 'tbs', PASSIVE: 'passive',
         LINUX: 'linux'}
EDF, DM, RM, PRIORITY, FIFO, RR, PLUGIN = range(7)
POLICIES = {EDF: 'edf', DM: 'dm', RM: 'rm', PRIORITY: 'priority', FIFO: 'fifo', RR: 'rr',
            PLUGIN: 'plugin'}
EXHAUSTED, REPLENISHED, POSTPONED, FAULT = 1, 2, 4, 8
RECLAIM = 2                      # of `flags`


class Job:
    """A ready job in its server. `done`: what it has been charged for since its budget began; `of`:
    whose work it is, a client's job where its thread works for a client, by `depth` calls in a row;
    `key`: its place in its server."""

    def __init__(self, task, event):
        self.task, self.index, self.release, self.deadline, self.done = (task, event['job'],
                                                                         event['release'],
                                                                         event['deadline'], 0)
        self.of, self.depth, self.key = self, 0, ()


class Rest:
    """What the rest of Linux always has to do."""

    task, key = None, ()


class Server:
    """One server, as the rules have it. `budget` and `period` are those that were asked for, `size`
    and `length` those in force: a change holds from the next budget on."""

    def __init__(self, event):
        self.id, self.cpu = event['server'], event['cpu']
        self.kind, self.policy = event['kind'], event['policy']
        self.resize(event)
        self.totals = [0, 0, 0]  # budgets, used up, postponed
        self.consumed = 0
        self.made, self.gone = event.now, None
        self.reset()

    def resize(self, event):
        self.name = event.get('name', '')
        self.budget, self.period = event['budget'], event['period']
        self.quantum, self.overhead = event.get('quantum', 0), event.get('overhead', 0)
        self.reclaims = bool(event.get('flags', 0) & RECLAIM)

    def reset(self):
        self.left, self.deadline = 0, 0
        self.size, self.length = self.budget, self.period
        self.window = Window(self)
        self.jobs = [Rest()] if self.kind == LINUX else []   # in the order in which they came
        self.turn, self.loose = 0, False
        self.idle_since = None
        self.pending = 0         # of `what`: done, and not noted yet
        self.pending_since = None
        self.told = set()        # deadlines that it was found late for

    def label(self):
        return f'server {self.id}' + (f' ({self.name})' if self.name else '')

    def by_jobs(self):
        return self.kind in (CUS, TBS)

    def at_once(self):
        return self.kind in (CBS, TBS)

    def waits(self, now):
        """For its deadline, with jobs."""
        return self.left <= 0 and not self.at_once() and now < self.deadline

    def exceeds(self, now, margin=0):
        """Is what is left at least U of the time up to the deadline?"""
        return now >= self.deadline or self.left >= 0 and \
            (self.left + margin) * self.length >= self.size * (self.deadline - now)

    # ---- the order of its jobs

    def place(self, job):
        """A client goes before who works for it, which has its place."""
        depth, job = job.depth, job.of
        params = job.task.params
        if self.policy == EDF:
            return (job.deadline + depth,)
        if self.policy == FIFO:
            return (job.release, job.task.id, depth)
        if self.policy == DM:
            return (params['deadline'], job.task.id, depth)
        if self.policy == RM:
            return (params['period'], job.task.id, depth)
        if self.policy == PRIORITY:
            urgent = params['priority']
            return (0 if urgent else 1, urgent or params['deadline'], job.task.id, depth)
        return ()

    def first(self):
        """Of equals the one that came first."""
        return self.jobs[0] if self.policy == RR else min(self.jobs, key=lambda job: job.key)

    def add(self, job):
        job.key = self.place(job)
        # one that was alone may have begun another turn at any time, since there was nobody to wait
        if len(self.jobs) == 1 and self.turn <= 0:
            self.turn, self.loose = self.quantum, True
        self.jobs.append(job)
        if len(self.jobs) == 1:
            self.begin_turn()

    def drop(self, task):
        """The job that has gone, or None."""
        for at, job in enumerate(self.jobs):
            if job.task is task:
                self.jobs.pop(at)
                if at == 0:
                    self.begin_turn()
                return job
        return None

    def rotate(self):
        self.jobs.append(self.jobs.pop(0))
        self.begin_turn()

    def begin_turn(self):
        self.turn, self.loose = self.quantum, False

    def turn_over(self, tolerance):
        return self.loose or self.turn <= tolerance

    # ---- budgets

    def need(self, job):
        """What the job may still need by its declaration; one that has overrun may need
        anything."""
        job = job.of
        cost = job.task.params['wcet'] + self.overhead
        return min(cost - job.done, self.budget) if job.done < cost else self.budget

    def renew(self, now, what):
        self.size, self.length = self.budget, self.period
        self.pending |= what
        if self.pending_since is None:
            self.pending_since = now

    def put_off(self, by, now):
        self.deadline += by
        if self.deadline <= now:   # the machine stood still
            self.deadline = now + self.length

    def fill(self, now):
        """Whole budgets, as many as it takes to be out of debt."""
        self.renew(now, REPLENISHED)
        count = 1 + int(max(0, -self.left) // self.size)
        self.left += count * self.size
        self.put_off(count * self.length, now)

    def cut(self, now):
        """What the first job needs."""
        self.renew(now, REPLENISHED)
        grant = min(self.need(self.first()), self.size)
        self.deadline = max(self.deadline, now)
        self.put_off(-((self.left - grant) * self.length // self.size), now)
        self.left = grant

    def next(self, now):
        self.cut(now) if self.by_jobs() else self.fill(now)

    def wake(self, now, renews):
        """Jobs come to the idle server. `renews`(server): whether what is left, which is at the
        limit, counts as too much."""
        if self.by_jobs():
            self.wake_for_job(now)
        elif renews(self):
            self.left, self.deadline = min(self.left, 0), now
            self.fill(now)

    def wake_for_job(self, now):
        need = self.need(self.first())
        if self.left > 0:
            share = max(0, self.deadline - now) * self.size // self.length
            self.left = min(self.left, share)
        if (now >= self.deadline or self.at_once()) and self.left < need:
            self.cut(now)

    def top_up(self, now):
        """TBS: a job has ended, and there is another."""
        need = self.need(self.first())
        if self.kind == TBS and (self.left <= 0 or self.left < need):
            self.cut(now)

    def accept(self, left, tolerance):
        """A job that is about to overrun counts as one that has, or has not, as was noted."""
        if not self.by_jobs() or not self.jobs or not 0 < left <= self.size:
            return
        job = self.first().of
        if abs(job.task.params['wcet'] + self.overhead - job.done) <= tolerance:
            self.deadline += (left - self.left) * self.length // self.size
            self.left = left

    def correct(self, left, deadline):
        """What clocks that differ a little make of the time that it has executed is not to add
        up."""
        off = ((deadline - self.deadline) * self.size // self.length if self.by_jobs() else
               self.left - left)
        self.consumed += off
        self.window.f += off

    def active(self, start, end):
        """How long it is, of [start, end): while it has jobs, and until its 0-lag time, deadline -
        left / U."""
        if self.jobs or not self.deadline:
            return end - start if self.jobs else 0
        return max(0, min(end, self.deadline - max(0, self.left) * self.length / self.size) - start)

    def charge(self, time, job, cost):
        # a machine that stood still gave it nothing, whatever the clock says
        if self.kind == LINUX:
            time = cost = min(time, max(0, self.left + self.size))
        self.left -= cost
        self.consumed += time
        self.turn -= time
        if job:
            job.done += time


class Window:
    """How much a server may execute in any window of time, whatever its budgets were said to be.

    hard CBS, CUS: at most U t + 2 Q (1 - U) in a window of length t, and while it has work at least
    U t - 2 Q (1 - U): a budget at the end of its period and one at the beginning of the next lie
    side by side, or one at the beginning and one at the end as far apart as can be. So F = executed
    - U time rises and falls by 2 Q (1 - U) at most. The linear form of the periodic resource model:
    Shin, Lee, RTSS 2003.

    all: what it executes in budgets that begin and are due within [s, e] is at most U (e - s).
    Abeni, Buttazzo, RTSS 1998, lemma 1; for TBS Spuri, Buttazzo, 1996, lemma 1.
    """

    def __init__(self, server):
        self.server = server
        self.f = self.lowest = self.highest = 0.0
        self.given_up = 0        # of budgets: nothing more is promised for that
        self.burst = 0.0
        self.by = None           # the most of U s - executed before s, over all budgets of one size
        self.of = None           # that size

    def rate(self):
        return self.server.size / self.server.length

    def step(self, length, executed, busy):
        """`length` went by. Returns how far the two bounds were overstepped (0: not at all)."""
        u = self.rate()
        self.burst = max(self.burst, 2 * self.server.size * (1 - u))
        self.f += executed - u * length
        had = self.f + self.given_up
        self.lowest, self.highest = min(self.lowest, self.f), max(self.highest, had)
        return max(0, self.f - self.lowest -
                   self.burst), max(0, self.highest - had - self.burst) if busy else 0

    def wake(self):
        """It has work from here on."""
        self.highest = self.f + self.given_up

    def begin(self, start, carried):
        """A budget begins, of which `carried` belongs to the last one."""
        mark = self.rate() * (start - self.server.made) - self.server.consumed - carried
        self.by = max(self.by, mark) if self.of == self.rate() else mark
        self.of = self.rate()

    def due(self, deadline):
        """By how much it has executed too much in budgets due by then."""
        return 0 if self.by is None else max(0, self.server.consumed -
                                             self.of * (deadline - self.server.made) + self.by)
