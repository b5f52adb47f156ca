# SPDX-License-Identifier: GPL-2.0
"""resch-jitter: what was put in, to the nanosecond, is what comes out, of hand-made recordings and
of simulations."""

import os
import random
import shutil
import subprocess
import tempfile
import unittest

import common
from planted import FIRST, MS, SLOT, US, ZERO, Recording
from reschtrace import figures, interrupts, read, replay
from reschtrace.measure import Measured, Sample

TREE = os.path.dirname(os.path.dirname(common.HERE))
SIM = os.path.join(TREE, 'bench', 'sim')


def measured(lines):
    recorder = interrupts.Recorder()
    trace = read.parse(lines, other=recorder.line)
    return Measured(replay.build(trace), recorder.settle(trace))


def values(found, name):
    return sorted(sample.value for sample in found.measures[name].samples)


def parts(found, name, phase):
    measure = found.measures[name]
    at = measure.phases.index(phase)
    return sorted(sample.phases[at] for sample in measure.samples if sample.phases[at] is not None)


def event(time, cpu, name, words):
    return f'  prog-77 [{cpu:03}] d.h1. {time // 10 ** 9}.{time % 10 ** 9:09}: {name}: {words}'


class Planted(unittest.TestCase):
    def both(self, **options):
        recording = Recording(random.Random(1), **options)
        return {kind: sorted(drawn)
                for kind, drawn in recording.drawn.items()}, measured(recording.text())

    def test_all(self):
        for seed in range(5):
            recording = Recording(random.Random(seed))
            drawn, found = recording.drawn, measured(recording.text())
            self.assertEqual(values(found, 'ResJ'), sorted(drawn['ResJ']))
            for name in ('HandJ', 'RelJ'):
                self.assertEqual(values(found, name), sorted(drawn[name]))
            for phase in ('timer', 'decide', 'hand-over', 'switch'):
                self.assertEqual(parts(found, 'ResJ', phase), sorted(drawn[phase]), phase)
            for phase, kind in (('decide', 'giver'), ('leave', 'leave'), ('take', 'take')):
                self.assertEqual(parts(found, 'HandJ', phase), sorted(drawn[kind]), phase)
            self.assertEqual((len(drawn['HandJ']), len(drawn['ResJ']), found.unserved), (19, 80, 0))
            # all of these selections were the reserves' doing
            self.assertEqual(values(found, 'CtswJ'), [])

    def test_parts_add_up(self):
        for name in ('ResJ', 'HandJ'):
            for sample in self.both()[1].measures[name].samples:
                self.assertEqual(sum(part or 0 for part in sample.phases), sample.value)

    def test_by_task_and_cpu(self):
        found = self.both()[1].measures
        self.assertEqual({task.id: len(samples)
                          for task, samples in found['ResJ'].by_task().items()},
                         {1: 20, 2: 40, 3: 20})
        self.assertEqual({cpu: len(samples) for cpu, samples in found['HandJ'].by_cpu().items()},
                         {1: 19})

    def test_a_hole_hides_only_what_was_in_it(self):
        lines = Recording(random.Random(3)).text()
        out, said = [], False
        for line in lines:
            time = int(line.split(']')[1].split(':')[0].replace('.', ''))
            if ('[001]' in line and ZERO + 4 * SLOT + FIRST // 2 <= time < ZERO + 6 * SLOT +
                FIRST // 2):
                continue
            if '[001]' in line and time >= ZERO + 6 * SLOT + FIRST // 2 and not said:
                out.append('CPU:1 [20 EVENTS DROPPED]')
                said = True
            out.append(line)
        whole, holed = measured(lines), measured(out)
        for name in ('ResJ', 'HandJ'):
            self.assertLess(len(values(holed, name)), len(values(whole, name)))
            self.assertGreater(len(values(holed, name)), 10)
            self.assertLessEqual(set(values(holed, name)), set(values(whole, name)))

    def test_without_parks(self):
        drawn, found = self.both(parks=False)
        self.assertEqual(values(found, 'HandJ'), drawn['HandJ'])
        self.assertEqual(parts(found, 'HandJ', 'leave'), [])
        self.assertEqual(sum(parts(found, 'HandJ', 'take')),
                         sum(drawn['leave']) + sum(drawn['take']))

    def test_a_thread_that_never_parks(self):
        """The engine stopped it in the kernel; it is gone when another thread runs there."""
        recording = Recording(random.Random(1))
        at = next(at for at, line in enumerate(recording.lines) if line[0] > ZERO + 8 * SLOT
                  and line[2] == 'resch_park' and line[3].startswith('id=2 pid=1002 cpu=0'))
        del recording.lines[at]
        self.assertEqual(parts(measured(recording.text()), 'HandJ', 'leave'),
                         sorted(recording.drawn['leave']))

    def test_without_vectors(self):
        drawn, found = self.both(vectors=False)
        self.assertEqual(values(found, 'ResJ'), drawn['ResJ'])
        self.assertEqual(parts(found, 'ResJ', 'timer'), [])
        for name in ('tick', 'RelO'):
            self.assertEqual(found.measures[name].missing, 'irq_vectors was not recorded')

    def test_without_switches(self):
        drawn, found = self.both(switches=False)
        self.assertEqual(sum(values(found, 'ResJ')), sum(drawn['ResJ']) - sum(drawn['switch']))
        self.assertEqual(parts(found, 'ResJ', 'switch'), [])
        self.assertEqual(found.measures['CtswJ'].missing, 'sched_switch was not recorded')

    def test_an_edge_within_an_interrupt(self):
        """The timer comes no later than the interrupt that goes on already."""
        recording = Recording(random.Random(1))
        edge = ZERO + 5 * SLOT + FIRST
        at = next(at for at, line in enumerate(recording.lines) if line[0] >= edge and line[1] == 1
                  and line[2] == 'local_timer_entry')
        drift = recording.lines[at][0] - edge
        recording.lines[at] = (edge - 3 * US, *recording.lines[at][1:])
        recording.lines.sort(key=lambda line: line[0])
        drawn = recording.drawn['timer']
        drawn[drawn.index(drift)] = 0
        self.assertEqual(parts(measured(recording.text()), 'ResJ', 'timer'), sorted(drawn))

    def test_reserves_that_nobody_used(self):
        """One edge at which CPU 1 let the old group go, and never came to the new one."""
        edge = ZERO + 5 * SLOT + FIRST
        lines = [line for line in Recording(random.Random(4)).lines if not (
            edge <= line[0] < edge + 200 * US and
            ('resch_select' in line[2] or 'next_pid=1003' in line[3]))]
        recording = Recording(random.Random(4))
        recording.lines = lines
        found = measured(recording.text())
        self.assertEqual((len(values(found, 'ResJ')), found.unserved), (79, 1))

    def test_reserves_that_nobody_needed_to_the_end(self):
        """The same, but the job slept for a while."""
        recording = Recording(random.Random(4))
        edge = ZERO + 5 * SLOT + FIRST
        recording.lines = [line for line in recording.lines if not (
            edge <= line[0] < edge + 200 * US and
            ('resch_select' in line[2] or 'next_pid=1003' in line[3]))]
        for name, at in (('resch_block', edge + 40 * US), ('resch_wake', edge + 90 * US)):
            recording.job(at, 1, name, 3, at)
        recording.lines.sort(key=lambda line: line[0])
        found = measured(recording.text())
        self.assertEqual((len(values(found, 'ResJ')), found.unserved), (79, 0))

    def test_a_job_that_came_after_the_edge_does_not_count(self):
        """At one edge of CPU 1, task 4 of the same group is the first that runs, released after the
        edge."""
        recording = Recording(random.Random(4))
        edge = ZERO + 5 * SLOT + FIRST
        recording.lines = [line for line in recording.lines if not (
            edge <= line[0] < edge + 200 * US and
            ('resch_select' in line[2] or 'next_pid=1003' in line[3]))]
        attach = next(line for line in recording.lines if line[2] == 'resch_attach' and
                      'id=3' in line[3])
        recording.lines.insert(recording.lines.index(attach),
                               (attach[0], 1, 'resch_attach', attach[3].replace(
            'id=3 pid=1003', 'id=4 pid=1004')))
        at = edge + 300 * US
        recording.job(at, 1, 'resch_release', 4, at)
        recording.on[1] = 0
        recording.select(at, 1, 4, at + 5)
        recording.leave(at + 50 * US, 1, 4, at + 50 * US)
        recording.lines.sort(key=lambda line: line[0])
        found = measured(recording.text())
        self.assertEqual((len(values(found, 'ResJ')), found.unserved), (79, 0))

    def test_who_stays_where_it_was_is_not_handed_over(self):
        """A thread that is on its way out until its own CPU selects it again."""
        recording = Recording(random.Random(6))
        parks = [line for line in recording.lines if line[2] == 'resch_park' and
                 line[3].startswith('id=1 ')]
        recording.lines.remove(parks[7])
        found = measured(recording.text())
        self.assertEqual((len(values(found, 'HandJ')), len(values(found, 'ResJ'))), (19, 80))

    def test_another_clock(self):
        shifted = Recording(random.Random(2))
        shifted.lines = [(time - 3000 * MS, *rest) for time, *rest in shifted.lines]
        found, plain = measured(shifted.text()), measured(Recording(random.Random(2)).text())
        # clocks are aligned by the closest pair, and the last event is no ns late
        for name in ('ResJ', 'HandJ', 'timer'):
            self.assertEqual(values(found, name), values(plain, name))
        self.assertEqual(parts(found, 'ResJ', 'timer'), parts(plain, 'ResJ', 'timer'))

    def test_plugin_without_plans(self):
        lines = [line.replace('plugin=sekg', 'plugin=edf')
                 for line in Recording(random.Random(5)).text()]
        found = measured(lines)
        self.assertEqual(values(found, 'ResJ'), [])
        self.assertEqual(found.measures['HandJ'].missing,
                         'no plugin that keeps to a plan was in charge')
        lines = [line.replace('plugin=edf', 'plugin=mine') for line in lines]
        self.assertEqual(len(values(measured(lines), 'ResJ')), 80)


class Releases(unittest.TestCase):
    """One CPU under edf: task 2 runs on, task 1 has the earlier deadline and comes every 10 ms."""

    def lines(self, rng, jobs=40):
        attach = 'id={} pid={} cpu=0 name=t plugin=edf kind={} period={} deadline={} wcet=1000000 offset=0 ' \
                 'priority=0 overrun=0 miss=0 group=0'
        out = [event(ZERO - 2, 0, 'resch_attach', attach.format(1, 1001, 0, 10 * MS, 10 * MS)),
               event(ZERO - 1, 0, 'resch_attach', attach.format(2, 1002, 2, 9000 * MS, 9000 * MS)),
               self.job(ZERO, 'resch_release', 2, 1, ZERO, ZERO),
               self.job(ZERO, 'resch_select', 2, 1, ZERO, ZERO), self.switch(ZERO, 0, 1002)]
        drawn = {'RelJ': [], 'timer': [], 'CtswJ': []}
        for number in range(1, jobs + 1):
            nominal = ZERO + number * 10 * MS
            drift, ready, select, switch = (rng.randrange(1, 30 * US) for _ in range(4))
            at = nominal + drift
            out.append(event(at, 0, 'local_timer_entry', 'vector=236'))
            out.append(self.job(at + ready, 'resch_release', 1, number, nominal, nominal))
            out.append(f'  prog-77 [000] {(at + ready) // 10 ** 9}.{(at + ready) % 10 ** 9:09}: resch_deselect: id=2 pid=1002 '
                       f'cpu=0 job=1 now={nominal} why=preempt')
            at += ready + select
            out.append(self.job(at, 'resch_select', 1, number, nominal, nominal))
            out.append(event(at + 1, 0, 'local_timer_exit', 'vector=236'))
            out.append(self.switch(at + switch, 1002, 1001))
            drawn['RelJ'].append(drift + ready)
            drawn['timer'].append(drift)
            drawn['CtswJ'].append(switch)
            at += switch + MS
            again = rng.randrange(1, 9 * US)
            out.append(self.job(at, 'resch_complete', 1, number, nominal, at, MS))
            out.append(event(at, 0, 'resch_deselect',
                             f'id=1 pid=1001 cpu=0 job={number} now={at} why=complete'))
            out.append(self.job(at, 'resch_select', 2, 1, ZERO, at))
            out.append(self.switch(at + again, 1001, 1002))
            drawn['CtswJ'].append(again)
        out.append(self.switch(at + 2 * MS, 1002, 0))
        return out, drawn

    @staticmethod
    def job(time, name, task, number, release, now, value=0):
        return event(time, 0, name,
                     f'id={task} pid={1000 + task} cpu=0 job={number} release={release} '
                     f'deadline={release + (10 if task == 1 else 9000) * MS} now={now} value={value}')

    @staticmethod
    def switch(time, prev, pid):
        return event(time, 0, 'sched_switch',
                     f'prev_comm=x prev_pid={prev} prev_prio=1 prev_state=R ==> next_comm=y '
                     f'next_pid={pid} next_prio=1')

    def test_all(self):
        lines, drawn = self.lines(random.Random(1))
        found = measured(lines)
        self.assertEqual(values(found, 'RelJ'), sorted(drawn['RelJ']))
        self.assertEqual(parts(found, 'RelJ', 'timer'), sorted(drawn['timer']))
        self.assertEqual(values(found, 'CtswJ'), sorted(drawn['CtswJ']))
        self.assertEqual({sample.task.id for sample in found.measures['RelJ'].samples}, {1})
        self.assertEqual(found.measures['ResJ'].missing, 'no plan was recorded')
        # there was something to decide in all of them
        self.assertEqual((len(values(found, 'timer')), values(found, 'tick')), (40, []))

    def test_late_for_the_job_before(self):
        """A job that waits for the one before it is late, but no timer was."""
        lines, drawn = self.lines(random.Random(2), 2)
        first = next(at for at, line in enumerate(lines) if 'resch_complete' in line)
        at = lines[first].split(' now=')[1].split()[0]
        lines[first] = lines[first].replace(f'now={at}', f'now={ZERO + 20 * MS + 1}')
        self.assertEqual(values(measured(lines), 'RelJ'), drawn['RelJ'][:1])


class Interrupts(unittest.TestCase):
    def found(self, *events):
        recording = Recording(random.Random(1), vectors=False)
        lines = recording.text() + [event(ZERO + 90 * MS + time, 0, name, words)
                                    for time, name, words in events]
        return measured(lines)

    TICK = [(100, 'local_timer_entry', 'vector=236'), (700, 'local_timer_exit', 'vector=236')]

    def test_tick(self):
        found = self.found(*self.TICK)
        self.assertEqual((values(found, 'tick'), values(found, 'timer')), ([600], [600]))
        self.assertEqual(found.measures['irq'].missing, 'irq:irq_handler_* was not recorded')

    def test_whose_time_it_was(self):
        lines = Recording(random.Random(1), vectors=False)
        ran = next(time for time, cpu, name, words in lines.lines if name ==
                   'sched_switch' and 'next_pid=1003' in words)
        text = lines.text() + [event(ran + 100 * US, 1, 'local_timer_entry', 'vector=236'),
                               event(ran + 107 * US, 1, 'local_timer_exit', 'vector=236')]
        samples = measured(text).measures['tick'].samples
        self.assertEqual([(sample.value, sample.task.id) for sample in samples], [(7 * US, 3)])

    def test_nested(self):
        """The time of the inner one is not the outer one's."""
        found = self.found((0, 'softirq_entry', 'vec=1 [action=TIMER]'),
                           (100, 'irq_handler_entry', 'irq=20 name=disk'),
                           (150, 'irq_handler_exit', 'irq=20 ret=handled'),
                           (200, 'softirq_exit', 'vec=1 [action=TIMER]'))
        self.assertEqual((values(found, 'softirq TIMER'), values(found, 'irq 20 (disk)')),
                         ([150], [50]))
        self.assertNotIn('irq', found.measures)

    def test_half_ones(self):
        found = self.found((0, 'local_timer_exit', 'vector=236'),
                           (10, 'reschedule_entry', 'vector=253'),
                           (20, 'local_timer_entry', 'vector=236'),
                           (60, 'local_timer_exit', 'vector=236'),
                           (70, 'local_timer_entry', 'vector=236'))
        self.assertEqual(values(found, 'tick'), [40])
        self.assertNotIn('reschedule', found.measures)

    def test_exits_that_were_lost(self):
        softirq = 'vec=1 [action=TIMER]'
        found = self.found((0, 'softirq_entry', softirq),
                           (10, 'irq_handler_entry', 'irq=20 name=disk'),
                           (100, 'softirq_exit', softirq), (300, 'softirq_exit', softirq))
        self.assertEqual(values(found, 'softirq TIMER'), [100])
        self.assertNotIn('irq 20 (disk)', found.measures)

    def test_with_decisions_it_is_no_tick(self):
        decision = (300,
                    'resch_miss',
                    f'id=1 pid=1001 cpu=0 job=1 release={ZERO} deadline={ZERO} now={ZERO + 90 * MS} value=0')
        found = self.found(self.TICK[0], decision, self.TICK[1])
        self.assertEqual((values(found, 'tick'), values(found, 'timer')), ([], [600]))

    def test_releases_of_others(self):
        """RelO is a task's time that others' releases took: not its own's, nor an idle CPU's."""
        recording = Recording(random.Random(1), vectors=False)
        ran = next(time for time, _, name, words in recording.lines
                   if name == 'sched_switch' and 'next_pid=1003' in words)
        text = recording.text()
        for task, job, after, length in ((1, 2, 100, 7), (3, 2, 200, 5), (1, 3, 300, 3)):
            now = ran + after * US
            text += [event(now, 1, 'local_timer_entry', 'vector=236'),
                     event(now + US, 1, 'resch_release',
                           f'id={task} pid={1000 + task} cpu=1 job={job} release={now} '
                           f'deadline={now + 3600000 * MS} now={now + US} value=0'),
                     event(now + length * US, 1, 'local_timer_exit', 'vector=236')]
        found = measured(text)
        self.assertEqual([(sample.value, sample.task.id)
                          for sample in found.measures['RelO'].samples],
                         [(7 * US, 3), (3 * US, 3)])
        self.assertEqual(values(found, 'timer'), [3 * US, 5 * US, 7 * US])

    def test_timers_say_which_is_the_tick(self):
        for function, ticks in (('tick_sched_timer', [600]), ('tick_nohz_handler', [600]),
                                ('hrtimer_wakeup', [])):
            found = self.found(self.TICK[0], (200, 'hrtimer_expire_entry',
                                              f'hrtimer=0xff function={function} now=5'),
                               (300, 'hrtimer_expire_exit', 'hrtimer=0xff'), self.TICK[1])
            self.assertEqual((values(found, 'tick'), values(found, 'timer')),
                             (ticks, [600]), function)

    def test_perf(self):
        recorder = interrupts.Recorder()
        for line in ('swapper     0 [003]  9.000000100: irq_vectors:local_timer_entry: vector=236',
                     'swapper     0 [003]  9.000000400: irq_vectors:local_timer_exit: vector=236'):
            recorder.line(line)
        self.assertEqual([(one.cpu, one.own) for one in recorder.all()], [(3, 300)])

    def test_not_across_holes(self):
        lines = Recording(random.Random(1), vectors=False).text()
        end = ZERO + 90 * MS
        lines += [event(end, 0, 'local_timer_entry', 'vector=236'), 'CPU:0 [3 EVENTS DROPPED]',
                  event(end + 9000, 0, 'local_timer_exit', 'vector=236'),
                  event(end + 9500, 0, 'local_timer_entry', 'vector=236'),
                  event(end + 9600, 0, 'local_timer_exit', 'vector=236')]
        self.assertEqual(values(measured(lines), 'tick'), [100])

    def test_what_was_said(self):
        recorder = interrupts.Recorder()
        for line in ('# resch-sim plugin=edf swap=npsf:handover=retry,retry=3us@5000ns cpus=2',
                     ' sh-9 [000] ..... 9.5: print: tracing_mark_write: resch plugin=sekg:handover=notify',
                     ' sh-9 [000] 9.5: tracing_mark_write: resch plugin=sekg',
                     ' # something plugin=x',
                     ' t-1 [001] 1.5: resch_attach: id=1 name=resch plugin=edf kind=0'):
            recorder.line(line)
        self.assertEqual(recorder.said, [('edf', ''), ('npsf', 'handover=retry,retry=3us'),
                                         ('sekg', 'handover=notify'), ('sekg', '')])


class Arithmetic(unittest.TestCase):
    def test_percentiles(self):
        found = figures.Figures(range(1, 1001))
        self.assertEqual((found.count, found.avg, found.max, found.p99, found.p99_9),
                         (1000, 500.5, 1000, 990, 999))
        found = figures.Figures([5])
        self.assertEqual((found.max, found.p99, found.p99_9), (5, 5, 5))
        found = figures.Figures([])
        self.assertEqual((found.count, found.avg, found.max, found.p99), (0, None, None, None))


    def test_columns_of_the_paper(self):
        tasks = [[Sample(value, None, 0, 0) for value in values]
                 for values in ([2, 10], [7, 8, 3], [1, 9], [])]
        self.assertEqual(figures.Row(tasks).values, (10, 6, 8, 6))
        self.assertEqual(figures.Row(tasks[:1] + [[Sample(4, None, 0, 0)]]).values, (10, 6, 4, 4))
        self.assertEqual(figures.Row([[]]).values, (None,) * 4)


@unittest.skipUnless(shutil.which('cc') and shutil.which('make'), 'no compiler for the simulator')
class Simulated(unittest.TestCase):
    """A machine that is told how late to be."""

    PLAN = 'slot, 2ms\nfrom, 0\n1, 0, 0, 1200us\n2, 0, 1200us, 2ms\n2, 1, 0, 600us\n3, 1, 600us, 2ms\n'
    SET = ('name,period,deadline,wcet,group,kind\na,10300us,10300us,4ms,1,periodic\nb,9700us,9700us,4500us,2,periodic\n'
           'c,12100us,12100us,5ms,3,periodic\n')

    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.dir.cleanup)
        subprocess.run(['make', '-s', '-C', SIM, 'O=' + cls.dir.name], check=True,
                       stdout=subprocess.DEVNULL)
        for name, text in (('plan.txt', cls.PLAN), ('set.csv', cls.SET)):
            with open(os.path.join(cls.dir.name, name), 'w') as file:
                file.write(text)

    def simulate(self, plugin, *options):
        done = subprocess.run([os.path.join(self.dir.name, 'resch-sim'), '-p', plugin, '-c', '2',
                               '-t', '2s', '--force', '--plan',
                               os.path.join(self.dir.name, 'plan.txt'), '--trace', '-', *options,
                               os.path.join(self.dir.name, 'set.csv')],
                              stdout=subprocess.PIPE, text=True)
        self.assertIn(done.returncode, (0, 1))
        return measured(done.stdout.splitlines())

    def test_nothing_late(self):
        found = self.simulate('npsf')
        for name in ('ResJ', 'RelJ', 'HandJ'):
            self.assertEqual(set(values(found, name)), {0}, name)
        self.assertEqual(found.measures['CtswJ'].missing, 'sched_switch was not recorded')

    def test_slow_hand_over(self):
        """The receiver is told at once, or asks again until it is so."""
        for plugin in ('sekg', 'npsf'):
            for option, delay in (('notify', 7), ('retry,retry=5us', 10), ('retry,retry=3us', 9)):
                found = values(self.simulate(f'{plugin}:handover={option}', '--stop-delay',
                                             '7us-7us'), 'HandJ')
                self.assertGreater(len(found), 100)
                # under sekg the receiver has something to do until then, the end of which is one
                # more reason to ask
                self.assertGreater(found.count(delay * US),
                                   len(found) * (0.95 if plugin == 'sekg' else 0.999))
                self.assertGreaterEqual(found[0], 7 * US)

    def test_late_timers(self):
        """Uniform between 0 and 20 us: almost all of that comes up, and nothing else."""
        found = self.simulate('npsf', '--jitter', '20us')
        for name, task in (('RelJ', (1, 2, 3)), ('ResJ', (1, 3))):
            late = [sample.value for sample in found.measures[name].samples
                    if sample.task.id in task
                    and sample.phases[2:3] in ((), (None,))]
            self.assertGreater(len(late), 300)
            self.assertLessEqual(max(late), 20 * US)
            self.assertGreater(max(late), 19 * US)
            self.assertTrue(8 * US < sum(late) / len(late) < 12 * US, (name, sum(late) / len(late)))
        # the giver's timer, and the kick that follows
        self.assertTrue(20 * US < max(values(found, 'HandJ')) <= 40 * US)


if __name__ == '__main__':
    unittest.main()
