# SPDX-License-Identifier: GPL-2.0
"""The kinds of text, lost events, and the program's face: options, exit status, JSON."""

import json
import os
import random
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

import trace_dat
from common import CHECK, CheckerTest, T, check, read
from schedule import Schedule, Task, ns, random_schedule, recorded, simulated

ATTACH = ('id=4 pid=812 cpu=1 name=my loop plugin=edf kind=0 period=100000000 deadline=90000000 wcet=5000000 '
          'offset=0 priority=0 overrun=0 miss=1')


class Lines(unittest.TestCase):
    def one(self, line):
        event = read.parse_line(line, 1)
        self.assertIsNotNone(event, line)
        return event

    def test_simulator(self):
        event = self.one(f'1500 resch_attach {ATTACH}')
        self.assertEqual((event.time, event.name, event.cpu), (1500, 'resch_attach', None))
        self.assertEqual((event['name'], event['period'], event['miss']), ('my loop', 100000000, 1))

    def test_trace_cmd(self):
        event = self.one('         rt-app-812   [001]    45.001000210: resch_attach:         ' +
                         ATTACH)
        self.assertEqual((event.time, event.cpu, event['plugin']), (45001000210, 1, 'edf'))

    def test_plan(self):
        event = self.one(
            '  thr-81   [001]    45.001000210: resch_plan:           domain=2 slot=2000000 '
            'from=45002000000 count=1')
        read.check_fields(event)
        self.assertEqual((event['from'], event['slot'], event['count']), (45002000000, 2000000, 1))
        event = self.one('7 resch_reserve domain=2 group=1 cpu=3 begin=0 end=2000000')
        self.assertEqual((event['group'], event['cpu'], event['end']), (1, 3, 2000000))

    def test_nonsense_in_plans(self):
        for line in ('7 resch_plan domain=2 slot=2000 from=soon count=1',
                     '7 resch_plan domain=2 slot=2000 count=1',
                     '7 resch_reserve domain=2 group=one cpu=3 begin=0 end=2000000'):
            with self.assertRaises(read.Unreadable):
                read.parse([line])

    def test_trace_cmd_raw_switch(self):
        event = self.one('     ksoftirqd/0-14    [000]    12.065098936: sched_switch:          '
                         'prev_comm=ksoftirqd/0 prev_pid=14 prev_prio=120 prev_state=1 next_comm=rcu_preempt '
                         'next_pid=15 next_prio=120')
        self.assertEqual((event.time, event.cpu, event['prev_pid'], event['next_pid'],
                          event['next_comm']),
                         (12065098936, 0, 14, 15, 'rcu_preempt'))

    def test_trace_cmd_plugin_switch(self):
        event = self.one(
            '  a: b-14    [000]    12.065098: sched_switch:          a: b:14 [120] R ==> '
            'kworker/1:2:15 [49]')
        self.assertEqual((event.time, event['prev_pid'], event['next_pid'], event['next_prio']),
                         (12065098000, 14, 15, 49))

    def test_tracing_file(self):
        event = self.one(
            '          <idle>-0       [001] d..2.  1234.565098: sched_switch: prev_comm=swapper/1 '
            'prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=two words next_pid=15 next_prio=49')
        self.assertEqual((event.cpu, event['prev_state'], event['next_comm'], event['next_pid']),
                         (1, 'R', 'two words', 15))

    def test_perf_script(self):
        event = self.one(
            'my loop   812 [001]  1234.565098: resch:resch_select: id=4 pid=812 cpu=1 job=3 '
            'release=5 deadline=7 now=1234565097123 value=18446744073709551615')
        self.assertEqual((event.name, event.cpu, event.now, event['value']),
                         ('resch_select', 1, 1234565097123, 2 ** 64 - 1))
        event = self.one(
            'swapper     0/0     [001] 1234.565098000: sched:sched_switch: prev_comm=swapper/1 '
            'prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=x next_pid=15 next_prio=49')
        self.assertEqual(event['next_pid'], 15)

    def test_names_are_no_numbers(self):
        event = self.one('1500 resch_attach ' + ATTACH.replace('my loop', '0x10'))
        self.assertEqual(event['name'], '0x10')
        event = self.one('1500 resch_attach ' + ATTACH.replace('my loop', ''))
        self.assertEqual((event['name'], event['plugin']), ('', 'edf'))

    def test_reasons_have_words(self):
        event = self.one(
            '9 resch_eject domain=2 cpu=1 plugin=bad reason=picked a task that is not ready')
        self.assertEqual(event['reason'], 'picked a task that is not ready')

    def test_other_events_and_other_text(self):
        for line in ('', 'cpus=2',
                     '  x-1 [000] 1.000000: sched_wakeup: comm=a pid=1 prio=2 target_cpu=000',
                     'version = 7', '# a comment',
                     '  x-1 [000] 1.000000: resch_move: pid=7 cpu=0 to=1 realtime=0 home=0',
                     '12 resch', 'trace-cmd: No such file'):
            self.assertIsNone(read.parse_line(line, 1), line)


class Files(CheckerTest):
    def lines(self):
        return Schedule([Task(1, period=40, wcet=10), Task(2, period=60, wcet=20)]).run()

    def test_empty_or_nothing_of_ours(self):
        for text in ([], ['hello'], ['  x-1 [000] 1.0000: sched_switch: prev_pid=1 next_pid=2']):
            with self.assertRaises(read.Unreadable):
                read.parse(text)

    def test_missing_fields_are_named(self):
        with self.assertRaisesRegex(read.Unreadable, 'line 1.*deadline'):
            read.parse(['5 resch_release id=1 pid=3 cpu=0 job=1 release=5 now=5 value=0'])

    def test_noise_between(self):
        lines = []
        for line in recorded(self.lines()):
            lines += ['  x-1     [000]     1.000000: sched_wakeup:   comm=a pid=1', line]
        self.assert_legal(lines, tolerance=T)

    def test_any_order_of_cpus(self):
        tasks = [Task(1, 0), Task(2, 1), Task(3, 1, 70, wcet=30)]
        lines = recorded(Schedule(tasks).run())
        by_cpu = [line for line in lines if '[000]' in line] + [line for line in lines
                                                                if '[001]' in line]
        self.assert_legal(by_cpu)

    def test_another_clock(self):
        lines = self.lines()
        shifted = [line.recorded(-3000000000) for line in lines]
        checker = self.assert_legal(shifted)
        self.assertIn('monotonic', checker.model.trace.notes[0])

    def test_numbers_for_reasons(self):
        lines = simulated(self.lines())
        for number, name in enumerate(('preempt', 'complete', 'block', 'throttle', 'detach')):
            lines = [line.replace(f'why={name}', f'why={number}') for line in lines]
        self.assert_legal(lines)


class Holes(CheckerTest):
    def cut(self, lines, begin, end, cpu, say='CPU:{} [{} EVENTS DROPPED]'):
        """The text without what a CPU recorded between two lines."""
        out, gone, said = [], 0, False
        for at, line in enumerate(lines):
            if begin <= at < end and f'[{cpu:03}]' in line:
                gone += 1
                continue
            if at >= end and gone and not said and f'[{cpu:03}]' in line:
                out.append(say.format(cpu, gone))
                said = True
            out.append(line)
        return out, gone

    def test_losses_make_it_unknown_not_illegal(self):
        for seed in range(40):
            rng = random.Random(seed)
            lines = recorded(random_schedule(rng, cpus=2))
            begin = rng.randrange(len(lines))
            text, gone = self.cut(lines, begin, begin + rng.randrange(2, 80), rng.randrange(2))
            checker = check(text)
            with self.subTest(seed=seed):
                if any('DROPPED' in line for line in text):
                    self.assertEqual(checker.verdict(), 'unknown', self.complain(checker))
                    self.assertEqual(checker.model.trace.holes[0].count, gone)

    def test_without_the_mark_it_is_illegal(self):
        lines = recorded(Schedule([Task(1, period=40, wcet=10), Task(2, period=60, wcet=20)]).run())
        text, _ = self.cut(lines, 40, 60, 0)
        self.assertEqual(check(text).verdict(), 'unknown')
        text = [line for line in text if 'DROPPED' not in line]
        self.assertEqual(check(text).verdict(), 'illegal')

    def test_a_violation_elsewhere_counts(self):
        lines = Schedule([Task(1, period=40, wcet=10), Task(2, period=60, wcet=20)]).run()
        for line in lines:
            if line.is_of(2) and line.fields.get('job') == 10 and 'deadline' in line.fields:
                line.fields['deadline'] += 5
        for begin, illegal in ((20, True), (len(lines) - 20, True)):
            text, _ = self.cut(recorded(lines), begin, begin + 10, 0)
            self.assertEqual(check(text).verdict() == 'illegal', illegal)

    def test_other_ways_to_say_it(self):
        for say in ('CPU:{} [LOST {} EVENTS]', 'CPU:{} [EVENTS DROPPED]'):
            lines = recorded(Schedule([Task(1, period=40, wcet=10)]).run())
            text, _ = self.cut(lines, 30, 40, 0, say)
            self.assertEqual(check(text).verdict(), 'unknown')


class Program(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)

    def file(self, lines, name='schedule.txt'):
        path = os.path.join(self.dir.name, name)
        with open(path, 'w') as file:
            file.write('\n'.join(lines) + '\n')
        return path

    def run_check(self, *args, **more):
        return subprocess.run(['/usr/bin/python3', CHECK, *args], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, **more)

    def lines(self):
        return Schedule([Task(1, period=40, wcet=10), Task(2, period=60, wcet=20)]).run()

    def test_legal(self):
        done = self.run_check(self.file(simulated(self.lines())))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.endswith('verdict: legal\n'), done.stdout)
        self.assertIn('tolerance 0 ns', done.stdout)

    def test_recorded_has_a_tolerance(self):
        done = self.run_check('-q', self.file(recorded(self.lines())))
        self.assertEqual((done.returncode, done.stdout), (0, 'verdict: legal (within 1 ms)\n'))
        done = self.run_check('-q', '--tolerance', '2.5ms', self.file(recorded(self.lines())))
        self.assertEqual(done.stdout, 'verdict: legal (within 2.5 ms)\n')

    def test_standard_input(self):
        done = self.run_check('-q', '-', input='\n'.join(simulated(self.lines())))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_illegal(self):
        lines = self.lines()
        lines[12].time += 0
        text = [line for line in simulated(lines) if f'{ns(60)} resch_complete' not in line]
        text = [line.replace('why=preempt', 'why=preempt') for line in text]
        text.remove(next(line for line in text if 'resch_complete' in line and 'job=2 ' in line))
        done = self.run_check(self.file(text))
        self.assertEqual(done.returncode, 1)
        self.assertIn('VIOLATION', done.stdout)
        self.assertIn('verdict: ILLEGAL', done.stdout)

    def test_unreadable(self):
        for path in ('/nowhere', self.dir.name, self.file(['nothing'])):
            done = self.run_check(path)
            self.assertEqual((done.returncode, done.stdout), (2, ''))
            self.assertIn('resch-check: ', done.stderr)
            self.assertNotIn('Traceback', done.stderr)

    def test_damaged_trace_dat(self):
        path = os.path.join(self.dir.name, 'trace.dat')
        with open(path, 'wb') as file:
            file.write(b'\x17\x08\x44tracing' + b'7\0' + bytes(100))
        done = self.run_check(path)
        self.assertEqual(done.returncode, 2)
        self.assertNotIn('Traceback', done.stderr)

    def trace_dat(self):
        path = os.path.join(self.dir.name, 'whole.dat')
        trace_dat.write(recorded(self.lines()), path)
        with open(path, 'rb') as file:
            return file.read()

    def refused(self, data, said):
        """By each of those that read it."""
        path = os.path.join(self.dir.name, 'trace.dat')
        with open(path, 'wb') as file:
            file.write(data)
        for name, more in (('resch-check', []), ('resch-jitter', []),
                           ('resch-export', ['-o', os.path.join(self.dir.name, 'x.json')])):
            done = subprocess.run([os.path.join(os.path.dirname(CHECK), name), *more, path],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (2, '', f'{name}: {path}: {said}\n'))

    @unittest.skipUnless(shutil.which('trace-cmd'), 'needs trace-cmd')
    def test_cut_off(self):
        whole = self.trace_dat()
        self.refused(whole[:-3000], f'the file is cut off: {len(whole) - 3000:,} bytes of '
                     f'{len(whole):,}. Copy or record it again')
        # version 7, which trace-cmd writes now, begins so and has its index at the end
        head = b'\x17\x08\x44tracing7\0\0' + struct.pack('<BI', 8, 4096) + b'none\0\0' + \
            struct.pack('<Q', 900000)
        self.refused(head.ljust(5000, b'\0'), 'the file is cut off after 5,000 bytes: its index, '
                     'which is written last, is missing. Copy or record it again')

    @unittest.skipUnless(shutil.which('trace-cmd'), 'needs trace-cmd')
    def test_none_came(self):
        """sched_switch alone: resch's events were recorded, and none came; or they were not."""
        whole = re.sub(rb'(name: resch_\w+\nID: )3', rb'\g<1>9', self.trace_dat())
        self.refused(whole, read.NONE_CAME)
        for old, new in ((b'name: resch_', b'name: other_'), (b'resch\0', b'other\0')):
            whole = whole.replace(old, new)
        self.refused(whole, read.NONE_OF_OURS)

    def test_bad_options(self):
        path = self.file(simulated(self.lines()))
        for options in (['--tolerance', '5 parsecs'], ['--order', 'edf=best'], ['--nonsense']):
            done = self.run_check(*options, path)
            self.assertEqual(done.returncode, 2)
            self.assertNotIn('Traceback', done.stderr)

    def test_json(self):
        done = self.run_check('--json', self.file(simulated(self.lines())))
        data = json.loads(done.stdout)
        self.assertEqual((data['verdict'], data['violations'], data['tolerance_ns']),
                         ('legal', [], 0))
        first = data['tasks'][0]
        self.assertEqual((first['id'], first['jobs'], first['misses'], first['response_max']),
                         (1, 25, 0, 10 * T))
        self.assertEqual(data['rules']['order']['largest_ns'], 0)

    def test_order_option(self):
        path = self.file(simulated(Schedule([Task(1, period=40, deadline=60, wcet=10),
                                             Task(2, period=60, deadline=30, wcet=20)],
                                            'fp').run()))
        self.assertEqual(self.run_check(path).returncode, 0)
        self.assertEqual(self.run_check('--order', 'fp=rm', path).returncode, 1)
        self.assertEqual(self.run_check('--order', 'fp=any', path).returncode, 0)


if __name__ == '__main__':
    unittest.main()
