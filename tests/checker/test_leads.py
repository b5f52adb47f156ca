# SPDX-License-Identifier: GPL-2.0
"""Jobs that are released ahead of their releases, and begin with them."""

import unittest

from common import CheckerTest, T
from schedule import THROTTLE, Line, Schedule, Task, ns, simulated

LEAD = T // 2


def led(**params):
    """A task alone, every job of which but the first is let go LEAD ahead."""
    lines = Schedule([Task(1, period=40, wcet=10, **params)], 'edf', ticks=240).run()
    out = []
    set_at = next(at for at, line in enumerate(lines) if line.name == 'resch_complete')
    for at, line in enumerate(lines):
        if at > set_at and line.time % T == 0 and is_begin(lines, at):
            if line.name == 'resch_select':
                out.append(begin(lines, line))
            line = line.copy()
            line.time -= LEAD
            if 'now' in line.fields:
                line.fields['now'] = line.time
        out.append(line)
        if at == set_at:
            mark = line.copy()
            mark.name, mark.fields['value'] = 'resch_lead', LEAD
            out.append(mark)
    return sorted(out, key=lambda line: line.time)


def is_begin(lines, at):
    """Whether it is of the instant in which a job is released."""
    return any(line.name == 'resch_release' for line in lines if line.time == lines[at].time)


def begin(lines, select):
    release = next(line for line in lines if line.name == 'resch_release' and
                   line.fields['job'] == select.fields['job'])
    line = release.copy()
    line.name, line.fields['value'] = 'resch_begin', LEAD
    return line


class Leads(CheckerTest):
    def test_legal(self):
        checker = self.assert_legal(simulated(led()))
        self.assertGreater(checker.rules['release'].checked, 5)
        self.assertEqual(checker.rules['exec'].worst, 0)
        self.assert_legal(simulated(led(overrun=THROTTLE)))

    def test_base_has_leads(self):
        early = [line for line in led() if line.name == 'resch_release' and
                 line.time < line.fields['release']]
        self.assertGreater(len(early), 3)

    def test_further_ahead_than_it_may(self):
        lines = led()
        mark = next(line for line in lines if line.name == 'resch_lead')
        mark.fields['value'] = LEAD - 1
        self.assert_broken(simulated(lines), 'release')

    def test_nobody_gave_it_one(self):
        lines = [line for line in led() if line.name != 'resch_lead']
        self.assert_broken(simulated(lines), 'release')

    def test_unknown_where_the_trace_began_later(self):
        lines = led()
        at = next(at for at, line in enumerate(lines) if line.name == 'resch_lead')
        self.assert_legal(simulated(lines[at + 1:]))

    def test_began_early(self):
        lines = led()
        early = next(line for line in lines if line.name == 'resch_begin')
        early.time -= 1
        early.fields['now'] = early.time
        checker = self.assert_broken(simulated(lines), 'release')
        self.assertEqual(checker.violations()[0].amount, 1)

    def test_did_not_wait(self):
        lines = led()
        lines.remove(next(line for line in lines if line.name == 'resch_begin'))
        self.assert_broken(simulated(lines), 'release')

    def test_waiting_is_not_its_execution(self):
        """What it executes ahead of its release counts for no job: here it is counted."""
        lines = led(overrun=THROTTLE)
        for line in lines:
            if line.name == 'resch_complete' and line.fields['job'] == 3:
                line.fields['value'] += LEAD
        self.assert_broken(simulated(lines), 'exec')

    def test_its_own_execution_is(self):
        """A job that goes on for longer than its budget, after its release."""
        lines = led(overrun=THROTTLE)
        attach = next(line for line in lines if line.name == 'resch_attach')
        attach.fields['wcet'] -= T
        self.assert_broken(simulated(lines), 'budget')

    def test_lead_before_attach_is_taken(self):
        """It is given before the task begins: then its first job may be ahead, too."""
        lines = led()
        attach = next(line for line in lines if line.name == 'resch_attach')
        lines.insert(0, Line(ns(0), 'resch_lead', 0, id=1, pid=attach.fields['pid'], cpu=0, job=0,
                             release=0, deadline=0, now=ns(0), value=LEAD))
        self.assert_legal(simulated(lines))


if __name__ == '__main__':
    unittest.main()
