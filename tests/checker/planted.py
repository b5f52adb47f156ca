# SPDX-License-Identifier: GPL-2.0
"""Recordings of two CPUs with a plan, in which everything is late by amounts that were drawn
beforehand.

Each slot of 2 ms: CPU 0 belongs to group 1 until 1.2 ms, then to group 2; CPU 1 to group 2 until
0.6 ms, then to group
3. One task each, with a single long job, so that somebody is due at every edge. At the beginning of
a slot CPU 0 hands group 2 over to CPU 1. What is drawn is kept beside the text: that is what a
measurement has to find."""

MS, US = 1000000, 1000
ZERO = 7000 * MS
SLOT, FIRST, SECOND = 2 * MS, 600 * US, 1200 * US
FAR = ZERO + 3600000 * MS


class Recording:
    """`drawn`: kind -> [ns]. `parks`, `vectors`: whether the recorder had these events."""

    def __init__(self, rng, slots=20, parks=True, vectors=True, switches=True):
        self.rng, self.parks, self.vectors, self.switches = rng, parks, vectors, switches
        self.lines = []
        self.drawn = {kind: [] for kind in ('ResJ', 'HandJ', 'RelJ', 'timer', 'decide', 'hand-over',
                                            'switch', 'giver', 'leave', 'take')}
        self.on = {0: 0, 1: 0}       # pid by CPU
        self.begin()
        for number in range(slots):
            self.slot(ZERO + number * SLOT)
        self.end = ZERO + slots * SLOT - 1
        # so that it is known what they did up to here
        self.job(self.end, 0, 'resch_miss', 1, self.end)
        self.lines.sort(key=lambda line: line[0])

    def text(self):
        return [f'{"prog":>16}-77    [{cpu:03}] {time // 10 ** 9:5}.{time % 10 ** 9:09}: {name}: {words}'
                for time, cpu, name, words in self.lines]

    def say(self, time, cpu, name, words):
        self.lines.append((time, cpu, name, words))

    def job(self, time, cpu, name, task, now, value=0, on=None):
        self.say(time, cpu if on is None else on, name,
                 f'id={task} pid={1000 + task} cpu={cpu} job=1 release={ZERO - 5 * MS} deadline={FAR} now={now} value={value}')

    def begin(self):
        self.say(ZERO - 9 * MS, 0, 'resch_plan', f'domain=1 slot={SLOT} from={ZERO} count=4')
        for group, cpu, begin, end in ((1, 0, 0, SECOND), (2, 0, SECOND, SLOT), (2, 1, 0, FIRST),
                                       (3, 1, FIRST, SLOT)):
            self.say(ZERO - 9 * MS + group, 0, 'resch_reserve',
                     f'domain=1 group={group} cpu={cpu} begin={begin} end={end}')
        for task, cpu in ((1, 0), (2, 0), (3, 1)):
            self.say(ZERO - 8 * MS, cpu, 'resch_attach',
                     f'id={task} pid={1000 + task} cpu={cpu} name=t{task} plugin=sekg kind=0 period=3600000000000 '
                     f'deadline=3600000000000 wcet=1000000000 offset=0 priority=0 overrun=0 miss=0 group={task}')
            late = self.rng.randrange(1, 40 * US)
            self.job(ZERO - 5 * MS + late, cpu, 'resch_release', task, ZERO - 5 * MS)
            self.drawn['RelJ'].append(late)

    def switch(self, time, cpu, pid):
        if self.switches:
            self.say(time, cpu, 'sched_switch',
                     f'prev_comm=x prev_pid={self.on[cpu]} prev_prio=10 prev_state=R ==> '
                     f'next_comm=y next_pid={pid} next_prio=10')
        self.on[cpu] = pid

    def leave(self, time, cpu, task, now):
        self.say(time, cpu, 'resch_deselect',
                 f'id={task} pid={1000 + task} cpu={cpu} job=1 now={now} why=preempt')

    def park(self, time, cpu, task, now):
        """The thread has gone, and so it is not on its CPU any more."""
        if self.parks:
            self.job(time, cpu, 'resch_park', task, now)
        self.switch(time, cpu, 0)

    def select(self, edge, cpu, task, at):
        """Returns when it runs."""
        switch = self.rng.randrange(1, 9 * US)
        self.job(at, cpu, 'resch_select', task, edge, edge + MS)
        self.switch(at + switch, cpu, 1000 + task)
        self.drawn['switch'].append(switch)
        return at + switch

    def timer(self, cpu, edge, start, length):
        if self.vectors:
            self.say(start, cpu, 'local_timer_entry', 'vector=236')
            self.say(start + length, cpu, 'local_timer_exit', 'vector=236')
        self.drawn['timer'].append(start - edge)

    def plain(self, edge, cpu, last, task):
        """From one group to the next, on the same CPU alone."""
        drift, decide = self.rng.randrange(1, 30 * US), self.rng.randrange(10, 20 * US)
        now = edge + drift + decide
        if self.on[cpu]:
            self.leave(now - 5, cpu, last, edge)
            self.park(now - 3, cpu, last, edge)
        self.timer(cpu, edge, edge + drift, decide + 100)
        runs = self.select(edge, cpu, task, now)
        self.drawn['decide'].append(decide)
        self.drawn['ResJ'].append(runs - edge)

    def hand_over(self, edge):
        """CPU 0 goes over to group 1 and lets group 2 go; CPU 1 takes it once that is done."""
        drift, decide = self.rng.randrange(1, 30 * US), self.rng.randrange(10, 20 * US)
        decided = edge + drift + decide
        left = decided + self.rng.randrange(1, 15 * US)
        self.leave(decided, 0, 2, edge)
        self.park(left, 0, 2, edge)
        self.timer(0, edge, edge + drift, decide + 100)
        runs = self.select(edge, 0, 1, left + 7)
        self.drawn['decide'].append(left + 7 - edge - drift)
        self.drawn['ResJ'].append(runs - edge)

        drift = self.rng.randrange(1, 30 * US)
        self.leave(edge + drift + 5, 1, 3, edge)
        self.park(edge + drift + 6, 1, 3, edge)
        self.timer(1, edge, edge + drift, 50)
        taken = max(left, edge + drift + 10) + self.rng.randrange(1, 25 * US)
        runs = self.select(edge, 1, 2, taken)
        self.drawn['hand-over'].append(taken - edge - drift)
        self.drawn['giver'].append(decided - edge)
        self.drawn['leave'].append(left - decided)
        self.drawn['take'].append(taken - left)
        self.drawn['HandJ'].append(runs - edge)
        self.drawn['ResJ'].append(runs - edge)

    def slot(self, zero):
        if self.on[0]:
            self.hand_over(zero)
        else:                        # nobody is there yet
            self.plain(zero, 0, None, 1)
            self.plain(zero, 1, None, 2)
        self.plain(zero + FIRST, 1, 2, 3)
        self.plain(zero + SECOND, 0, 1, 2)
