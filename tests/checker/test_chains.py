# SPDX-License-Identifier: GPL-2.0
"""Chains: legal ones, and for each rule one that breaks it, and only it."""

import unittest

from common import CheckerTest, read, replay
from schedule import SPORADIC, ZERO, Line, simulated

from reschtrace import chains

MS = 1000000
DS, PM, MPM, RG1, RG = range(5)
HANDED, COMPLETE, LATE, LOST, SKIPPED = 1, 2, 4, 8, 32


def stamp(time):
    return ZERO + time * MS


class Story:
    """Tasks 1 and 2, or more, each alone on its CPU, stages of chain 5; times in ms. `ways`: masks
    of what releases each, `any`: whether the first of these does; without: not recorded."""

    def __init__(self, protocol, phase=0, period=10, deadline=20, tasks=2, ways=None, any=None):
        self.lines, self.jobs = [], {task: 0 for task in range(1, tasks + 1)}
        for cpu in range(tasks):
            task = cpu + 1
            self.say(0, 'resch_attach', cpu, id=task, pid=1000 + task, cpu=cpu, name=f't{task}',
                     plugin='edf', kind=SPORADIC,
                     period=period * MS, deadline=10 * MS, wcet=5 * MS, offset=0, priority=0,
                     overrun=0, miss=0)
        self.say(0, 'resch_chain_set', 0, chain=5, name='c', protocol=protocol,
                 stages=tasks, period=period * MS, deadline=deadline * MS)
        for stage in range(tasks):
            more = {'from_mask': ways[stage], 'any': any[stage]} if ways else {}
            self.say(0, 'resch_chain_stage', 0, chain=5, stage=stage, task=stage + 1,
                     phase=phase * MS if stage else 0, **more)

    def say(self, time, name, on, /, **fields):
        self.lines.append(Line(stamp(time), name, on, **fields))

    def job(self, task, release, begin, end, instance=None, what=None, origin=None):
        """A job, from its release on; the events are put in order at the end."""
        self.jobs[task] += 1
        cpu = task - 1
        for time, name in ((begin, 'resch_release'), (begin, 'resch_select'),
                           (end, 'resch_complete')):
            self.say(time, name, cpu, id=task, pid=1000 + task, cpu=cpu, job=self.jobs[task],
                     release=stamp(release),
                     deadline=stamp(release + 10), now=stamp(time),
                     value={'resch_select': 2 ** 64 - 1}.get(name, 0))
        self.say(end, 'resch_deselect', cpu, id=task, pid=1000 + task, cpu=cpu, job=self.jobs[task],
                 now=stamp(end),
                 why='complete')
        if instance:
            self.step(task, end, instance, what, release if origin is None else origin)

    def step(self, task, time, instance, what, origin):
        self.say(time, 'resch_chain', task - 1, chain=5, instance=instance, stage=task - 1,
                 task=task, what=what,
                 origin=stamp(origin), now=stamp(time))

    def text(self):
        self.lines.sort(key=lambda line: line.time)
        return simulated(self.lines)


def pipeline(protocol, second, phase=0, ends=(3, 15, 24), releases=(0, 10, 20)):
    """Three instances; `second`: of each, when stage 1 is released."""
    story = Story(protocol, phase)
    for number, (release, end, after) in enumerate(zip(releases, ends, second), 1):
        story.job(1, release, release, end, number, HANDED)
        late = after + 2 - release > 20
        story.job(2, after, after, after + 2, number, COMPLETE | (LATE if late else 0), release)
    return story


class Legal(CheckerTest):
    def test_direct(self):
        checker = self.assert_legal(pipeline(DS, (3, 15, 24)).text())
        self.assertEqual(checker.rules['chain-release'].checked, 3)
        self.assertEqual(checker.rules['chain-once'].checked, 3)
        self.assertEqual(checker.rules['chain-deadline'].checked, 3)

    def test_guarded(self):
        self.assert_legal(pipeline(RG1, (3, 15, 25)).text())

    def test_phases(self):
        self.assert_legal(pipeline(PM, (6, 16, 26), phase=6).text())
        self.assert_legal(pipeline(MPM, (6, 16, 26), phase=6).text())

    def test_idle_point(self):
        # nobody else is on CPU 1
        self.assert_legal(pipeline(RG, (3, 15, 24)).text())
        self.assert_legal(pipeline(RG, (3, 15, 25)).text())

    def test_lost(self):
        story = pipeline(DS, (3, 15, 24))
        story.job(1, 30, 30, 33, 4, LOST)
        self.assert_legal(story.text())

    def test_skipped(self):
        # as the job before ends, and as it is handed over
        for when in (36, 41):
            story = Story(DS)
            story.job(1, 0, 0, 3, 1, HANDED)
            story.job(2, 3, 3, 36, 1, COMPLETE | LATE, 0)
            story.job(1, 10, 10, when, 2, HANDED)
            story.step(2, when, 2, SKIPPED, 10)
            story.job(1, 42, 42, 43, 3, HANDED)
            story.job(2, 43, 43, 45, 3, COMPLETE, 42)
            # the tasks' own deadlines are missed, which this story does not tell
            checker = self.assert_broken(story.text(), 'miss')
            self.assertEqual(checker.rules['chain-deadline'].checked, 3)

    def test_not_a_chain_any_more(self):
        story = pipeline(DS, (3, 15, 24))
        story.say(30, 'resch_chain_set', 0, chain=5, name='c', protocol=DS, stages=0,
                  period=0, deadline=0)
        story.job(2, 40, 40, 41)
        self.assert_legal(story.text())


class Broken(CheckerTest):
    def test_before_the_stage_before(self):
        self.assert_broken(pipeline(DS, (2, 15, 24)).text(), 'chain-order')

    def test_out_of_order(self):
        story = pipeline(DS, (3, 15, 24))
        for line in story.lines:
            if (line.name == 'resch_chain' and line.fields['stage'] == 0 and
                line.fields['instance'] == 2):
                line.fields['instance'] = 1
        self.assert_broken(story.text(), 'chain-order', 'chain-once')

    def test_skipped_in_time(self):
        story = pipeline(DS, (3, 15, 24))
        story.job(1, 30, 30, 33, 4, HANDED)
        story.step(2, 50, 4, SKIPPED, 30)
        self.assert_broken(story.text(), 'chain-deadline')

    def test_skipped_and_done(self):
        story = pipeline(DS, (3, 15, 24))
        story.step(2, 45, 3, SKIPPED, 20)
        self.assert_broken(story.text(), 'chain-once', 'chain-order')

    def test_done_twice(self):
        story = pipeline(DS, (3, 15, 24))
        story.step(2, 26, 3, COMPLETE, 20)
        self.assert_broken(story.text(), 'chain-once', 'chain-order')

    def test_never_done(self):
        story = pipeline(DS, (3, 15, 24))
        story.lines = [line for line in story.lines
                       if not (line.name == 'resch_chain' and line.fields['stage'] == 1 and
                               line.fields['instance'] == 2)]
        self.assert_broken(story.text(), 'chain-once')

    def test_from_nowhere(self):
        story = pipeline(DS, (3, 15, 24))
        story.job(2, 40, 40, 41, 9, COMPLETE, 39)
        self.assert_broken(story.text(), 'chain-once')

    def test_too_early_for_the_guard(self):
        # and so too early for a sporadic task, too
        self.assert_broken(pipeline(RG1, (3, 15, 24)).text(), 'chain-release', 'release')

    def test_held_without_a_guard(self):
        self.assert_broken(pipeline(DS, (3, 15, 25)).text(), 'chain-release')

    @staticmethod
    def busy(release, seen):
        """Another task of CPU 1, which has the later deadline: released at `release`, which that
        CPU sees at `seen`, and under way from then on until after stage 1 is released at 24."""
        story = pipeline(RG, (3, 15, 24))
        fields = {'id': 3, 'pid': 1003, 'cpu': 1}
        story.say(0, 'resch_attach', 1, **fields, name='t3', plugin='edf', kind=SPORADIC,
                  period=100 * MS, deadline=100 * MS,
                  wcet=20 * MS, offset=0, priority=0, overrun=0, miss=0)
        job = {'job': 1, 'release': stamp(release), 'deadline': stamp(release + 100)}
        turns = [(seen, 15), (17, 24), (26, 38)] if seen < 15 else [(seen, 24), (26, 38)]
        story.say(seen, 'resch_release', 1, **fields, **job, now=stamp(seen), value=0)
        for begin, end in turns:
            story.say(begin, 'resch_select', 1, **fields, **job, now=stamp(begin),
                      value=2 ** 64 - 1)
            story.say(end, 'resch_deselect', 1, **fields, job=1, now=stamp(end),
                      why='complete' if end == 38 else 'preempt')
        story.say(38, 'resch_complete', 1, **fields, **job, now=stamp(38), value=0)
        order = {'resch_select': 2, 'resch_deselect': 1}
        story.lines.sort(key=lambda line: (line.time, order.get(line.name, 0)))
        return story

    def test_no_idle_point(self):
        self.assert_broken(simulated(self.busy(14, 14).lines), 'chain-release')
        # A release of its own CPU's is one from its time on.
        self.assert_broken(simulated(self.busy(16, 18).lines), 'chain-release', tolerance=2 * MS)

    def test_idle_before_it_is_seen(self):
        """What another CPU hands over is there when it has come: the CPU had nothing to do."""
        story = self.busy(16, 18)
        story.say(0, 'resch_attach', 2, id=4, pid=1004, cpu=2, name='t4', plugin='edf',
                  kind=SPORADIC, period=100 * MS, deadline=100 * MS, wcet=20 * MS, offset=0,
                  priority=0, overrun=0, miss=0)
        story.say(0, 'resch_chain_set', 2, chain=6, name='d', protocol=DS, stages=2,
                  period=100 * MS, deadline=200 * MS)
        for stage, task in enumerate((4, 3)):
            story.say(0, 'resch_chain_stage', 2, chain=6, stage=stage, task=task, phase=0)
        story.lines.sort(key=lambda line: line.time)
        self.assert_legal(simulated(story.lines), tolerance=2 * MS)

    def test_wrong_phase(self):
        self.assert_broken(pipeline(PM, (6, 17, 27), phase=6).text(), 'chain-release')
        self.assert_broken(pipeline(MPM, (7, 17, 27), phase=6).text(), 'chain-release')

    def test_late(self):
        story = Story(DS)
        story.job(1, 0, 0, 3, 1, HANDED)
        story.job(2, 3, 4, 6, 1, COMPLETE, 0)
        self.assert_broken(story.text(), 'chain-late', 'release')

    def test_miss_not_noted(self):
        story = pipeline(DS, (3, 15, 24))
        story.job(1, 30, 30, 49, 4, HANDED)
        story.job(2, 49, 49, 51, 4, COMPLETE, 30)
        text = story.text()
        self.assert_broken(text, 'chain-deadline', 'miss')
        self.assert_broken([line for line in text if 'id=1 ' not in line or 'job=4' not in line],
                           'chain-deadline')

    def test_miss_from_nowhere(self):
        story = pipeline(DS, (3, 15, 24))
        story.lines[-1].fields['what'] |= LATE
        self.assert_broken(story.text(), 'chain-deadline')


def diamond(last, *, first=False, protocol=DS, ends=(5, 8), what=HANDED):
    """Stage 0 releases 1 and 2, and 3 waits for both, or for the first; a CPU each. Two instances;
    `last`: when the last stage is released; `ends`: of the two between; `what`: of the latter."""
    story = Story(protocol, tasks=4, ways=(0, 1, 1, 6), any=(0, 0, 0, int(first)), deadline=20)
    for number, (origin, release) in enumerate(zip((0, 10), last), 1):
        story.job(1, origin, origin, origin + 3, number, HANDED, origin)
        story.job(2, origin + 3, origin + 3, origin + ends[0], number, HANDED, origin)
        story.job(3, origin + 3, origin + 3, origin + ends[1], number, what, origin)
        if release is not None:
            story.job(4, release, release, release + 1, number, COMPLETE, origin)
    return story


class Forks(CheckerTest):
    def test_all(self):
        checker = self.assert_legal(diamond((8, 18)).text())
        self.assertEqual(checker.rules['chain-once'].checked, 6)
        self.assertEqual(checker.rules['chain-release'].checked, 6)
        self.assert_legal(diamond((8, 18), protocol=RG1).text())
        self.assert_legal(diamond((5, 15), first=True).text())
        # Whatever the order that two CPUs see.
        self.assert_legal(diamond((6, 16), first=True, ends=(6, 5)).text())

    def test_before_all(self):
        self.assert_broken(diamond((5, 15)).text(), 'chain-order')

    def test_not_at_once(self):
        self.assert_broken(diamond((9, 19)).text(), 'chain-release')
        self.assert_broken(diamond((6, 16), first=True).text(), 'chain-release')

    def test_left_out(self):
        for first in (False, True):
            story = diamond((5, 15) if first else (8, 18), first=first)
            story.lines = [line for line in story.lines
                           if not (line.name == 'resch_chain' and line.fields['stage'] == 3 and
                                   line.fields['instance'] == 1)]
            self.assert_broken(story.text(), 'chain-once')

    def test_not_all_have_handed_it(self):
        self.assert_legal(diamond((None, None), what=LOST).text())
        self.assert_broken(diamond((8, 18), what=LOST).text(), 'chain-once')

    def test_no_room_where_they_join(self):
        story = diamond((8, None))
        story.step(4, 18, 2, SKIPPED | LOST, 10)
        self.assert_legal(story.text())

    def test_done_for_each(self):
        story = diamond((5, 15), first=True)
        story.step(4, 19, 2, COMPLETE, 10)
        self.assert_broken(story.text(), 'chain-once', 'chain-order')

    def test_arrows(self):
        self.assertEqual(sorted(HandedOver.of(diamond((8, None)))),
                         [(1, 1, 3, 2, 3), (1, 1, 3, 3, 3), (1, 2, 5, 4, 8), (1, 3, 8, 4, 8),
                          (2, 1, 13, 2, 13), (2, 1, 13, 3, 13)])
        self.assertEqual(sorted(HandedOver.of(diamond((5, None), first=True))),
                         [(1, 1, 3, 2, 3), (1, 1, 3, 3, 3), (1, 2, 5, 4, 5),
                          (2, 1, 13, 2, 13), (2, 1, 13, 3, 13)])


class HandedOver(unittest.TestCase):
    """What pictures show."""

    @staticmethod
    def of(story):
        found = chains.handed_over(replay.build(read.parse(story.text())))
        return [(instance, before.id, (complete - ZERO) // MS, task.id, (release - ZERO) // MS)
                for instance, before, complete, task, release in found]

    def test_from_completion_to_release(self):
        self.assertEqual(self.of(pipeline(DS, (3, 15, 24))),
                         [(1, 1, 3, 2, 3), (2, 1, 15, 2, 15), (3, 1, 24, 2, 24)])
        self.assertEqual(self.of(pipeline(RG1, (3, 15, 25))),
                         [(1, 1, 3, 2, 3), (2, 1, 15, 2, 15), (3, 1, 24, 2, 25)])

    def test_under_way(self):
        story = pipeline(DS, (3, 15, 24))
        last = [line for line in story.lines if line.fields.get('id') == 2 and
                line.fields.get('job') == 3]
        story.lines = [line for line in story.lines if line.name != 'resch_chain' or
                       line.fields['stage'] == 0 or
                       line.fields['instance'] != 3]
        story.lines = [line for line in story.lines if line not in last or
                       line.name in ('resch_release', 'resch_select')]
        self.assertEqual(self.of(story)[-1], (3, 1, 24, 2, 24))
        # not released yet
        story.lines = [line for line in story.lines if line not in last]
        self.assertEqual(len(self.of(story)), 2)

    def test_lost(self):
        story = pipeline(DS, (3, 15, 24))
        story.job(1, 30, 30, 33, 4, LOST)
        self.assertEqual(len(self.of(story)), 3)


if __name__ == '__main__':
    unittest.main()
