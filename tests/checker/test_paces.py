# SPDX-License-Identifier: GPL-2.0
"""Periodic jobs that are further apart than the period, as their program says."""

import unittest

from common import CheckerTest, T
from schedule import SKIP, Schedule, Task, simulated

PERIOD, DISTANCE = 30 * T, 40 * T


def paced(distance=DISTANCE, job=1, **params):
    """A task alone, which says in that job that the next ones are so far away; they are 40 T
    apart."""
    lines = Schedule([Task(1, period=40, wcet=10, **params)], 'edf', ticks=240).run()
    next(line for line in lines if line.name == 'resch_attach').fields['period'] = PERIOD
    at = next(at for at, line in enumerate(lines) if line.name == 'resch_select' and
              line.fields['job'] == job)
    mark = lines[at].copy()
    mark.name, mark.fields['value'] = 'resch_pace', distance
    return lines[:at + 1] + [mark] + lines[at + 1:]


class Paces(CheckerTest):
    def test_legal(self):
        checker = self.assert_legal(simulated(paced()))
        self.assertGreater(checker.rules['release'].checked, 5)

    def test_another_distance(self):
        for distance in (DISTANCE - 1, DISTANCE + 1):
            self.assert_broken(simulated(paced(distance)), 'release')

    def test_nobody_said_so(self):
        lines = [line for line in paced() if line.name != 'resch_pace']
        self.assert_broken(simulated(lines), 'release')

    def test_not_yet(self):
        """Said in the second job, when the second release had been a period after the first."""
        self.assert_broken(simulated(paced(job=3)), 'release')

    def test_in_the_middle_of_a_job(self):
        """Two in one job: either may have been in force when the next release was set."""
        lines = paced()
        at = next(at for at, line in enumerate(lines) if line.name == 'resch_pace')
        mark = lines[at].copy()
        mark.fields['value'] = DISTANCE + 5 * T
        legal = lines[:at] + [mark] + lines[at:]
        self.assert_legal(simulated(legal))

    def test_left_out(self):
        lines = paced(miss=SKIP)
        self.assert_legal(simulated(lines))


if __name__ == '__main__':
    unittest.main()
