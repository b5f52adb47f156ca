# SPDX-License-Identifier: GPL-2.0
"""Signal handlers between two jobs: schedules written by hand, and what is wrong with others."""

import unittest

from common import CheckerTest, T
from schedule import COUNT, DEMOTE, PERIODIC, SPORADIC, THROTTLE, TICK, Line, ns, simulated

PID = 1001


class Hand:
    """One task under edf: period and deadline 40, a budget of 10."""

    def __init__(self, overrun=THROTTLE, kind=PERIODIC):
        self.job, self.release, self.due = 0, 0, 40
        self.lines = [Line(ns(0), 'resch_attach', 0, id=1, pid=PID, cpu=0, name='t1', plugin='edf',
                           kind=kind, period=40 * TICK, deadline=40 * TICK, wcet=10 * TICK,
                           offset=0, priority=0, overrun=overrun, miss=COUNT)]

    def say(self, tick, *names, value=0):
        for name in names:
            self.lines.append(Line(ns(tick), f'resch_{name}', 0, id=1, pid=PID, cpu=0, job=self.job,
                                   release=ns(self.release), deadline=ns(self.due), now=ns(tick),
                                   value=value))

    def off(self, tick, why):
        self.lines.append(Line(ns(tick), 'resch_deselect', 0, id=1, pid=PID, cpu=0, job=self.job,
                               now=ns(tick), why=why))

    def next(self, release, job=1):
        self.job, self.release, self.due = self.job + job, release, release + 40

    def a_job(self, start, end):
        self.say(start, 'release', 'select')
        self.complete(end, end - start)

    def complete(self, tick, executed):
        self.say(tick, 'complete', value=executed * TICK)
        self.off(tick, 'complete')

    def handler(self, start, end):
        self.say(start, 'wake', 'select')
        self.over(end)

    def throttled(self, tick, executed):
        self.say(tick, 'throttle', value=executed * TICK)
        self.off(tick, 'throttle')

    def over(self, tick):
        """The handler's thread waits for its job again."""
        self.say(tick, 'block')
        self.off(tick, 'complete')


def between(overrun=THROTTLE):
    """After job 1, which ended at 5, and before job 2, of 40."""
    hand = Hand(overrun)
    hand.next(0)
    hand.a_job(0, 5)
    hand.next(40)
    return hand


def charged(handler=4, job=6, overrun=THROTTLE):
    """Job 1, a handler at 10, and job 2."""
    hand = between(overrun)
    hand.handler(10, 10 + handler)
    hand.a_job(40, 40 + job)
    return hand.lines


def stopped():
    """The handler at 10 uses up the budget of job 2, and goes on with that of the one after."""
    hand = between()
    hand.say(10, 'wake', 'select')
    hand.throttled(20, 10)
    hand.next(80, 0)
    hand.say(80, 'budget', value=10 * TICK)
    hand.say(80, 'wake', 'select')
    hand.over(84)
    hand.say(84, 'release', value=1)
    hand.say(84, 'select')
    hand.complete(90, 6)
    return hand.lines


class Handlers(CheckerTest):
    def test_charged(self):
        self.assert_legal(simulated(charged()))
        for name, lines in (('handler', charged(5)), ('job', charged(job=7))):
            with self.subTest(name):
                checker = self.assert_broken(simulated(lines), 'budget')
                self.assertEqual([violation.amount for violation in checker.violations()], [T])
                self.assert_legal(simulated(lines), tolerance=T)

    def test_no_budget_no_limit(self):
        self.assert_legal(simulated(charged(25, 10, COUNT)))

    def test_too_long(self):
        checker = self.assert_broken(simulated(charged(13, 1)), 'budget')
        self.assertEqual(checker.violations()[0].amount, 3 * T)

    def test_several(self):
        """Each has what the others have left."""
        for second, legal in ((5, True), (6, False)):
            hand = between()
            hand.handler(10, 15)
            hand.handler(20, 20 + second)
            lines = simulated(hand.lines)
            self.assert_legal(lines) if legal else self.assert_broken(lines, 'budget')

    def test_stopped(self):
        self.assert_legal(simulated(stopped()))

    def test_let_off(self):
        """It is stopped, and goes on without a budget."""
        hand = between()
        hand.say(10, 'wake', 'select')
        hand.throttled(20, 10)
        hand.handler(30, 31)
        self.assert_broken(simulated(hand.lines), 'budget')

    def test_overrun_after_what_is_left(self):
        """Job 2 has 6 left: it is stopped after these, and not before."""
        for executed, legal in ((6, True), (5, False)):
            hand = between()
            hand.handler(10, 14)
            hand.say(40, 'release', 'select')
            hand.say(40 + executed, 'overrun', value=executed * TICK)
            hand.throttled(40 + executed, executed)
            lines = simulated(hand.lines)
            self.assert_legal(lines) if legal else self.assert_broken(lines, 'budget')

    def test_demoted(self):
        """Demoted it may run for as long as nobody else wants to."""
        hand = between(DEMOTE)
        hand.say(10, 'wake', 'select')
        hand.throttled(20, 10)
        hand.say(40, 'release', 'select')
        hand.say(40, 'overrun')
        self.assert_legal(simulated(hand.lines))

    def test_blocks(self):
        """A handler sleeps: what it executes before and after counts."""
        for end, legal in ((26, True), (27, False)):
            hand = between()
            hand.say(10, 'wake', 'select')
            hand.say(14, 'block')
            hand.off(14, 'block')
            hand.say(20, 'wake', 'select')
            hand.over(end)
            lines = simulated(hand.lines)
            self.assert_legal(lines) if legal else self.assert_broken(lines, 'budget')

    def test_waits_while_stopped(self):
        """It was stopped in the kernel, and has called to wait: its job finds nothing left."""
        hand = between()
        hand.say(10, 'wake', 'select')
        hand.throttled(20, 10)
        hand.say(40, 'release', 'select', 'overrun', 'throttle')
        hand.off(40, 'throttle')
        hand.next(80, 0)
        hand.say(80, 'budget', value=10 * TICK)
        hand.say(80, 'wake', 'select')
        hand.complete(90, 10)
        self.assert_legal(simulated(hand.lines))

    def test_not_asked_for(self):
        """A sporadic task: not before 40 there could be another job, which is in [40, 80) here."""
        for executed, legal in ((6, True), (7, False)):
            hand = Hand(kind=SPORADIC)
            hand.next(0)
            hand.a_job(0, 5)
            hand.due = 80
            hand.handler(10, 14)
            hand.next(75)
            hand.a_job(75, 75 + executed)
            lines = simulated(hand.lines)
            self.assert_legal(lines) if legal else self.assert_broken(lines, 'budget')
        hand = Hand(kind=SPORADIC)
        hand.next(0)
        hand.a_job(0, 5)
        hand.due = 80
        hand.handler(10, 14)
        hand.next(80)
        hand.a_job(80, 90)
        self.assert_legal(simulated(hand.lines))


if __name__ == '__main__':
    unittest.main()
