# SPDX-License-Identifier: GPL-2.0
"""For each rule about plans a schedule that breaks it, and only it; and random ones with a random
fault."""

import unittest

from common import CheckerTest, T, broken, check, mutation_test, pick, report
from schedule import Task, ns, simulated
from slotted import Slots, Slotted, random_slotted
from test_plans_legal import RESERVES, split_set
from test_violations import at_tick, find, move, put


def base(plugin='npsf', switches=False, **options):
    """Group 1 in [0, 12) of 20 on CPU 0, group 2 in [12, 20) there and [0, 6) on CPU 1, group 3 in
    [6, 20)."""
    return Slotted(*split_set(), [Slots(20, RESERVES)], plugin, ticks=200, switches=switches,
                   **options).run()


class Reserve(CheckerTest):
    def test_base_is_legal(self):
        for plugin in ('sekg', 'npsf'):
            self.assert_legal(simulated(base(plugin)))
            self.assert_legal(simulated(base(plugin, True)))

    def test_too_early(self):
        # before tick 12, where CPU 0 has nobody from 8 on
        tasks = [Task(1, 0, period=60, wcet=8), Task(2, 0, period=100, wcet=30)]
        lines = Slotted(tasks, {1: 1, 2: 2}, [Slots(20, RESERVES)], 'npsf', ticks=100,
                        switches=False).run()
        self.assert_legal(simulated(lines))
        at = find(lines, 'resch_select', 2, cpu=0)
        self.assertEqual(lines[at].time, ns(12))
        move(lines, at, 10)
        checker = self.assert_broken(simulated(lines), 'reserve')
        violation = checker.violations()[0]
        self.assertEqual((violation.time, violation.amount, violation.cpu), (ns(10), 2 * T, 0))
        self.assertIn('t2/2 of group 2 was on the CPU for 200 µs in a reserve of group 1',
                      violation.text)

    def test_in_nobodys_time(self):
        plan = Slots(20, [(0, 0, 8, 1)])
        lines = Slotted([Task(1, 0, period=100, wcet=10)], {1: 1}, [plan], 'sekg', ticks=90,
                        switches=False).run()
        at = find(lines, 'resch_select', 1, count=2)
        move(lines, at, 17)
        self.assertIn('reserved for nobody',
                      self.assert_broken(simulated(lines), 'reserve').violations()[0].text)

    def test_what_a_split_task_wants_is_not_left_over(self):
        tasks = [Task(1, 0, period=100, wcet=60), Task(2, 0, period=100, wcet=10, offset=14)]
        lines = Slotted(tasks, {1: 1, 2: 2}, [Slots(20, RESERVES)], 'sekg', ticks=90,
                        switches=False).run()
        off, on = find(lines, 'resch_deselect', 1), find(lines, 'resch_select', 2)
        self.assertEqual((lines[off].time, lines[on].time), (ns(14), ns(14)))
        move(lines, on, 16)
        move(lines, off, 16)
        self.assert_broken(simulated(lines), 'reserve')
        self.assert_legal(simulated(lines), tolerance=2 * T)

    def test_ran_on(self):
        lines = base(switches=True)
        # at 12 task 1 has to go; it does not, for 3 ticks
        at = find(lines, 'sched_switch', prev_pid=1001)
        self.assertEqual(lines[at].time, ns(12))
        move(lines, at, 15)
        lines.remove(next(line for line in lines if line.name == 'resch_park' and
                          line.time == ns(12)))
        checker = check(simulated(lines))
        self.assertLessEqual({'reserve', 'stop', 'run'}, broken(checker), self.complain(checker))
        self.assertIn((ns(12), 3 * T),
                      [(one.time, one.amount) for one in checker.rules['reserve'].violations])


class Notional(CheckerTest):
    def test_selected_at_once(self):
        tasks = [Task(1, 0, period=200, deadline=150, wcet=30),
                 Task(2, 0, period=100, wcet=8, offset=20)]
        lines = Slotted(tasks, {1: 2, 2: 2}, [Slots(20, RESERVES)], 'npsf', ticks=100,
                        switches=False).run()
        # at 20 the other one is released, and has the group; the first one is still selected on CPU
        # 0
        off = find(lines, 'resch_deselect', 1, count=2)
        self.assertEqual((lines[off].time, lines[off].fields['cpu']), (ns(20), 0))
        lines[off].time += 1
        lines[off].fields['now'] += 1
        put(lines, lines.pop(off))
        checker = self.assert_broken(simulated(lines), 'notional', tolerance=T)
        violation = checker.violations()[0]
        self.assertEqual((violation.amount, {task.id for task in violation.tasks}), (1, {1, 2}))

    def test_executed_at_once(self):
        tasks = [Task(1, 0, period=200, deadline=150, wcet=30),
                 Task(2, 0, period=100, wcet=8, offset=20)]
        lines = Slotted(tasks, {1: 2, 2: 2}, [Slots(20, RESERVES)], 'npsf', ticks=100).run()
        self.assert_legal(simulated(lines))
        for name, fields in (('resch_park', {'id': 1}), ('sched_switch', {'prev_pid': 1001})):
            at = next(at for at, line in enumerate(lines) if line.name ==
                      name and line.time == ns(20)
                      and all(line.fields[key] == value for key, value in fields.items()))
            line = lines.pop(at)
            line.time += 1
            put(lines, line)
        checker = self.assert_broken(simulated(lines), 'notional', tolerance=T)
        self.assertIn('executed at once on CPUs 0 and 1 for 1 ns', checker.violations()[0].text)

    def test_one_thread_on_two_cpus(self):
        lines = base(switches=True)
        at = next(at for at, line in enumerate(lines) if line.name ==
                  'sched_switch' and line.time == ns(20)
                  and line.fields['prev_pid'] == 1002)
        line = lines.pop(at)
        line.time += 1
        put(lines, line)
        self.assert_broken(simulated(lines), 'one-cpu', tolerance=T)


class Grid(CheckerTest):
    def test_late_as_of_the_edge(self):
        lines = base()
        at = find(lines, 'resch_deselect', 1)
        self.assertEqual(lines[at].time, ns(12))
        # both decisions of that moment are made 2 ticks late, as of the edge
        for line in [one for one in lines if one.time == ns(12) and one.on == 0 and
                     one.name != 'resch_park']:
            lines.remove(line)
            line.time += 2 * T
            put(lines, line)
        checker = self.assert_broken(simulated(lines), 'slot')
        self.assertEqual(checker.rules['slot'].worst, 2 * T)
        self.assertIn('slot 0: the reserve of group 1 ended, the CPU decided 200 µs later',
                      checker.violations()[0].text)

    def test_decides_late(self):
        lines = base()
        for line in [one for one in lines if one.time == ns(12) and one.on == 0]:
            lines.remove(line)
            put(lines, at_tick(line, 14))
        # it was late, and so somebody was where he should not be, or nobody where somebody should
        self.assert_broken(simulated(lines), 'slot', 'reserve')
        lines = base()
        move(lines, find(lines, 'resch_select', 2, cpu=0), 14)
        self.assert_broken(simulated(lines), 'slot', 'idle')

    def test_drift(self):
        tasks = [Task(1, 0, period=1000, wcet=600), Task(2, 0, period=1000, wcet=300)]
        lines = Slotted(tasks, {1: 1, 2: 2}, [Slots(20, [(0, 0, 12, 1), (0, 12, 20, 2)])], 'npsf',
                        ticks=990).run()
        # each slot is 100 ns too long
        for line in lines:
            if line.name in ('resch_select', 'resch_deselect', 'resch_park', 'sched_switch'):
                line.time += (line.time - ns(0)) // (20 * T) * 100
                if 'now' in line.fields:
                    line.fields['now'] = line.time
        lines.sort(key=lambda line: line.time)
        checker = self.assert_broken(simulated(lines), 'slot', tolerance=T)
        self.assertTrue(all('drift' in violation.text for violation in checker.violations()))


class WithinTheGroup(CheckerTest):
    def test_order(self):
        tasks = [Task(1, 0, period=200, deadline=150, wcet=30),
                 Task(2, 0, period=100, wcet=4, offset=15)]
        lines = Slotted(tasks, {1: 2, 2: 2}, [Slots(20, RESERVES)], 'npsf', ticks=100,
                        switches=False).run()
        off, on = find(lines, 'resch_deselect', 1, count=2), find(lines, 'resch_select', 2)
        self.assertEqual((lines[off].time, lines[on].time), (ns(15), ns(15)))
        move(lines, on, 17)
        move(lines, off, 17)
        checker = self.assert_broken(simulated(lines), 'order')
        self.assertEqual(checker.violations()[0].amount, 2 * T)

    def test_idle(self):
        tasks = [Task(1, 0, period=100, wcet=5, offset=3)]
        lines = Slotted(tasks, {1: 1}, [Slots(20, RESERVES)], 'npsf', ticks=50,
                        switches=False).run()
        move(lines, find(lines, 'resch_select', 1), 5)
        self.assertEqual(self.assert_broken(simulated(lines), 'idle').violations()[0].amount, 2 * T)

    def test_hand_over_is_no_idleness(self):
        """CPU 0 keeps the group's thread in the kernel until 22; CPU 1 waits for it, and is not to
        blame."""
        lines = base(switches=True)
        move(lines,
             next(at for at, line in enumerate(lines) if line.name == 'resch_park' and line.is_of(2)
                  and line.time == ns(20)), 22)
        select = next(at for at, line in enumerate(lines) if line.name ==
                      'resch_select' and line.is_of(2)
                      and line.time == ns(20))
        move(lines, select, 22)
        found = check(simulated(lines))
        self.assertNotIn('idle', broken(found), self.complain(found))
        self.assertEqual([(start, lasted) for start, lasted, _, _ in found.domains[0].handovers],
                         [(ns(20), 2 * T)])
        self.assertIn('1 time a CPU waited in a reserve', report.text(found))


# ---- random faults; each returns the rule that must be reported, among others perhaps, or None: no
# place for it

def edges(lines, name, why=None):
    """Places of decisions at a moment at which nothing was released nor ended: they belong to an
    edge."""
    busy = {line.time for line in lines
            if line.name in ('resch_release', 'resch_complete', 'resch_wake', 'resch_block',
                             'resch_throttle', 'resch_budget', 'resch_plan')}
    return [at for at, line in enumerate(lines) if line.name == name and line.time not in busy
            and (why is None or line.fields['why'] == why) and line.time + T < lines[-1].time]


def steal(rng, lines):
    """A task of another group gets a CPU where nobody is selected."""
    at = pick(rng, edges(lines, 'resch_select'))
    if at is None:
        return None
    line = lines[at].copy()
    other = [cpu for cpu in {one.on for one in lines if one.name == 'resch_select'}
             if cpu != line.on]
    if not other:
        return None
    lines[at].fields['cpu'] = lines[at].on = other[0]
    off = next((one for one in lines[at:] if one.name == 'resch_deselect' and
                one.is_of(line.fields['id'])), None)
    if off is None:
        return None
    off.fields['cpu'] = off.on = other[0]
    return 'reserve'


def overstay(rng, lines):
    """A reserve ends half a tick later than it should, for the CPU that has it."""
    at = pick(rng, edges(lines, 'resch_deselect', 'preempt'))
    if at is None:
        return None
    time, cpu = lines[at].time, lines[at].on
    for line in [one for one in lines if one.time == time and one.on == cpu and
                 'now' in one.fields]:
        lines.remove(line)
        line.time += T // 2
        line.fields['now'] += T // 2
        put(lines, line)
    return 'slot'


def forget(rng, lines):
    """Nobody is selected at the beginning of a reserve."""
    at = pick(rng, edges(lines, 'resch_select'))
    if at is None:
        return None
    line = lines.pop(at)
    line.time += T // 2
    line.fields['now'] += T // 2
    put(lines, line)
    return 'idle'


def linger(rng, lines):
    """A task that continues on another CPU is selected on the first one for a moment more, with no
    right to it."""
    at = pick(rng, [at for at in edges(lines, 'resch_deselect', 'preempt') if any(
        one.name == 'resch_select' and one.time == lines[at].time and one.on != lines[at].on
        and one.is_of(lines[at].fields['id']) for one in lines)])
    if at is None:
        return None
    line = lines.pop(at)
    line.time += 1
    line.fields['now'] += 1
    put(lines, line)
    return 'one-cpu'


def shift_plan(rng, lines):
    """The plan says something else than what was done."""
    by, rule = rng.choice(((T // 2, 'reserve'), (-T // 2, 'slot')))
    for line in lines:
        if line.name == 'resch_plan':
            line.fields['from_'] += by
    return rule


def draw(rng):
    return random_slotted(rng, rng.choice(('sekg', 'npsf')), ticks=300, switches=False,
                          wakeups=False).run()


class Mutations(CheckerTest):
    """One test each; it must have found enough places to plant its fault in."""


for mutation in (steal, overstay, forget, linger, shift_plan):
    setattr(Mutations, 'test_' + mutation.__name__,
            mutation_test(mutation, draw, range(1000, 1024), 8))


if __name__ == '__main__':
    unittest.main()
