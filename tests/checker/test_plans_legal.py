# SPDX-License-Identifier: GPL-2.0
"""Groups in time slots: what is legal is found legal."""

import random
import unittest

from common import CheckerTest, T, broken, check, report
from schedule import DEMOTE, Line, Task, ns, simulated
from slotted import Slots, Slotted, late, random_slotted

# CPU 0: group 1, then the split group 2; CPU 1: the rest of that one, then group 3
RESERVES = [(0, 0, 12, 1), (0, 12, 20, 2), (1, 0, 6, 2), (1, 6, 20, 3)]


def split_set():
    tasks = [Task(1, 0, period=60, wcet=25), Task(2, 0, period=50, wcet=24),
             Task(3, 1, period=80, wcet=40)]
    return tasks, {1: 1, 2: 2, 3: 3}


class Dispatch(CheckerTest):
    def test_split_task_on_two_cpus(self):
        for plugin in ('sekg', 'npsf'):
            checker = self.assert_legal(
                simulated(Slotted(*split_set(), [Slots(20, RESERVES)], plugin).run()))
            self.assertEqual(checker.model.tasks[2].cpus(), [0, 1])
            for rule in ('reserve', 'notional', 'slot', 'idle', 'order'):
                self.assertGreater(checker.rules[rule].checked, 20, rule)
                self.assertEqual(checker.rules[rule].worst, 0, rule)

    def test_who_may_use_what_is_left_over(self):
        lines = simulated(Slotted(*split_set(), [Slots(20, RESERVES)], 'sekg').run())
        self.assert_broken(lines, 'reserve', 'slot', sekg='npsf')
        tasks, members = split_set()
        members[3] = 1          # two groups on CPU 0 alone
        reserves = [(0, 0, 6, 1), (0, 6, 14, 4), (0, 14, 20, 2), (1, 0, 10, 2)]
        tasks.append(Task(4, 0, period=90, wcet=20))
        members[4] = 4
        lines = simulated(Slotted(tasks, members, [Slots(20, reserves)], 'reclaim').run())
        self.assert_legal(lines, npsf='npsf-reclaim')
        self.assert_broken(lines, 'reserve', 'slot')

    def test_own_name(self):
        lines = [line.replace('plugin=sekg', 'plugin=mine')
                 for line in simulated(Slotted(*split_set(), [Slots(20, RESERVES)]).run())]
        checker = self.assert_legal(lines)
        self.assertEqual(checker.unordered, {'mine'})
        self.assertNotIn('reserve', checker.rules)
        self.assertIn('reserve', self.assert_legal(lines, mine='sekg').rules)

    def test_plan_changes(self):
        other = [(0, 0, 20, 1), (1, 0, 14, 2), (1, 14, 20, 3)]
        schedule = Slotted(*split_set(),
                           [Slots(20, RESERVES, 5), Slots(20, other, 405, 30)], 'npsf')
        checker = self.assert_legal(simulated(schedule.run()))
        self.assertEqual([plan.end for plan in checker.model.plans], [ns(405), None])
        self.assertIn('plan of domain 1: slots of 2 ms, 3 reserves, from 0.040500 s on',
                      report.text(checker))

    def test_demoted_jobs_belong_to_nobody(self):
        """From then on it is an ordinary thread, which runs where and when nobody else wants to."""
        tasks = [Task(1, 0, period=100, wcet=5, overrun=DEMOTE), Task(2, 0, period=100, wcet=20)]
        lines = Slotted(tasks, {1: 2, 2: 1}, [Slots(20, RESERVES)], 'npsf', ticks=90).run()
        at = next(at for at, line in enumerate(lines) if line.name ==
                  'resch_complete' and line.is_of(1))
        done, off, out = lines[at], lines[at + 1], next(
            line for line in lines[at:] if line.name == 'sched_switch' and
            line.fields['prev_pid'] == 1001)
        for name, where in (('resch_overrun', at), ('resch_throttle', at + 1)):
            lines.insert(where, Line(done.time, name, done.on, **done.fields))
        off.fields['why'] = 'throttle'
        # it runs on into what is reserved for others, until 50
        for line in (done, out):
            lines.remove(line)
            line.time = ns(50)
            line.fields.update({'now': ns(50), 'value': 50 * T} if line is done else {})
            lines.insert(len([one for one in lines if one.time <= ns(50)]), line)
        found = check(simulated(lines))
        self.assertEqual(broken(found) & {'reserve', 'notional', 'slot', 'stop'}, set(),
                         self.complain(found))

    def test_swaps_to_and_from(self):
        swaps = [(tick, cpu, plugin)
                 for tick, plugin in ((250, 'sekg'), (500, 'edf'), (711, 'npsf')) for cpu in (0, 1)]
        checker = self.assert_legal(
            simulated(Slotted(*split_set(), [Slots(20, RESERVES)], 'edf', swaps).run()))
        self.assertGreater(checker.rules['slot'].checked, 20)

    def test_without_the_plan(self):
        lines = [line for line in simulated(Slotted(*split_set(), [Slots(20, RESERVES)]).run())
                 if ' resch_plan ' not in line and ' resch_reserve ' not in line]
        checker = self.assert_legal(lines)
        self.assertIn('no plan was recorded', report.text(checker))
        self.assertEqual(checker.rules['slot'].checked, 0)

    def test_half_a_plan(self):
        lines = simulated(Slotted(*split_set(), [Slots(20, RESERVES)]).run())
        del lines[next(at for at, line in enumerate(lines) if ' resch_reserve ' in line)]
        self.assertIn('was not recorded whole', report.text(self.assert_legal(lines)))


class Random(CheckerTest):
    def test_simulated(self):
        for seed in range(40):
            rng = random.Random(seed)
            plugin = rng.choice(('sekg', 'npsf', 'reclaim'))
            lines = simulated(random_slotted(rng, plugin, switches=rng.random() < 0.5).run())
            with self.subTest(seed=seed):
                self.assert_legal(lines, npsf='npsf-reclaim' if plugin == 'reclaim' else 'npsf')

    def test_recorded_a_little_late(self):
        for seed in range(20):
            rng = random.Random(seed)
            lines = random_slotted(rng, rng.choice(('sekg', 'npsf'))).run()
            with self.subTest(seed=seed):
                self.assert_legal(late(lines, rng, T // 40), tolerance=T * 3 // 4)

    def test_every_beginning_and_end(self):
        lines = simulated(Slotted(*split_set(), [Slots(20, RESERVES)], ticks=300).run())
        for at in range(0, len(lines) - 20, 9):
            self.assert_legal(lines[at:], sekg='sekg')
            self.assert_legal(lines[:len(lines) - at])

    def test_no_plan_no_rule(self):
        lines = simulated(Slotted(*split_set(), [Slots(20, RESERVES)], 'edf').run())
        checker = check(lines)
        self.assertEqual((checker.verdict(), checker.domains), ('legal', []))
        self.assertNotIn('reserve', checker.rules)


if __name__ == '__main__':
    unittest.main()
