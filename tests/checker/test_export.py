# SPDX-License-Identifier: GPL-2.0
"""resch-export: that its timelines keep to the format, and have in them what resch-check sees in
the same trace."""

import gzip
import io
import os
import random
import shutil
import subprocess
import tempfile
import unittest

from common import DRAW, TOOLS, T, read, replay
from schedule import Schedule, Task, random_schedule, recorded, simulated
from simulator import SimulatorTest, put, simulate
from slotted import Slots, Slotted
from test_chains import COMPLETE, DS, HANDED, LATE, RG1, SKIPPED, Story, diamond, pipeline
from test_plans_legal import RESERVES, split_set
from traceevent_format import Document, ns

from reschtrace import timeline  # noqa: E402

EXPORT = os.path.join(TOOLS, 'resch-export')


def export(lines, **options):
    file = io.StringIO()
    timeline.export(lines, 'test', file, **options)
    return file.getvalue()


def parts(spans, zero):
    """Spans of the model, those that touch joined, since `zero`."""
    joined = []
    for span in sorted(spans, key=lambda span: span.start):
        if joined and joined[-1][1] == span.start - zero:
            joined[-1][1] = span.end - zero
        else:
            joined.append([span.start - zero, span.end - zero])
    return [tuple(pair) for pair in joined if pair[1] > pair[0]]


def joined(slices):
    out = []
    for start, end, *_ in slices:
        if out and out[-1][1] == start:
            out[-1][1] = end
        else:
            out.append([start, end])
    return [tuple(pair) for pair in out if pair[1] > pair[0]]


class Same(unittest.TestCase):
    """A timeline against the model of the same lines."""

    def document(self, text):
        document = Document(text)
        self.assertEqual(document.problems[:5], [])
        return document

    def compare(self, lines, **options):
        document = self.document(export(lines, **options))
        trace = read.parse(lines)
        model = replay.build(trace)
        zero = min(trace.start, trace.events[0].now)
        for task in model.task_list():
            self.compare_task(document, task, model, zero)
        for number, cpu in model.cpus.items():
            name = f'CPU {number}'
            chosen = [span for task in model.task_list() for span in task.selected
                      if span.cpu == number]
            self.assertEqual(joined(document.on(name, 'chosen by resch')), parts(chosen, zero))
            runs = [(start - zero, end - zero) for start, end, pid, _, _ in cpu.runs if pid]
            self.assertEqual([item[:2] for item in document.on(name, 'runs')], runs)
        return document, model

    def compare_task(self, document, task, model, zero):
        name = task.label()
        done = [job for job in task.jobs if job.completed is not None]
        self.assertEqual([(end - ns_of(event, 'release_ns'), event['args']['job'])
                          for _, end, _, event in document.on(name, 'jobs')
                          if 'not complete' not in event['args']],
                         [(job.completed - zero - job.release, job.index) for job in done])
        self.assertEqual([(start, end) for start, end, _, event in document.on(name, 'jobs')
                          if 'not complete' not in event['args']],
                         [(job.released - zero, job.completed - zero) for job in done])
        self.assertEqual([(time, ns(value)) for time, value in document.counter(name, 'response')],
                         [(job.completed - zero, job.response()) for job in done])
        self.assertEqual([ns(value) for _, value in document.counter(name, 'execution')],
                         [job.exec for job in done])
        self.assertEqual(joined(document.on(name, 'runs')), parts(task.running, zero))
        self.assertEqual(len(document.instants(name, 'miss')),
                         sum(len(job.misses) for job in task.jobs))
        self.assertEqual(len(document.instants(name, 'overrun')),
                         sum(len(job.overruns) for job in task.jobs))


def ns_of(event, key):
    return event['args'][key]


class Schedules(Same):
    def test_random(self):
        flows = late = 0
        for seed in range(24):
            rng = random.Random(seed)
            schedule = random_schedule(rng, cpus=rng.choice((1, 2)), switches=rng.random() < 0.7)
            lines = simulated(schedule) if seed % 2 else recorded(schedule, rng,
                                                                  rng.choice((0, 3000)))
            with self.subTest(seed=seed):
                document, model = self.compare(lines)
                complete = sum(job.completed is not None for task in model.task_list()
                               for job in task.jobs)
                self.assertEqual(len(document.flows), complete)
                flows += len(document.flows)
                late += sum(item[2] == 'late' for row in document.slices.values() for item in row)
        self.assertGreater(flows, 400)
        self.assertGreater(late, 0)

    def test_flow_goes_from_release_to_selection_to_end(self):
        document, model = self.compare(
            simulated(Schedule([Task(1, period=40, wcet=10), Task(2, period=60, wcet=20)]).run()))
        rows = {name: row for row, name in document.rows.items() if row[0] ==
                document.process('t1/1')}
        points = [points for points in document.flows.values() if points[0][2] == rows['jobs']]
        job = next(job for task in model.task_list() for job in task.jobs)
        self.assertEqual([(time, phase) for time, phase, _ in points[0]],
                         [(job.released - model.start, 's'), (job.selected - model.start, 't'),
                          (job.completed - model.start - 1, 'f')])
        self.assertEqual(document.rows[points[0][1][2]], 'chosen by resch')

    def test_chosen_for_one_job_after_the_other(self):
        """The choice stays on a task whose next job is there when one completes."""
        def line(time, name, job, rest='now={0} value=0'):
            return (f'{time} resch_{name} id=1 pid=5 cpu=0 job={job} release={time} '
                    f'deadline={time + 900} ' + rest.format(time))
        lines = [
            '0 resch_attach id=1 pid=5 cpu=0 name=t1 plugin=edf kind=2 period=9 deadline=9 wcet=9',
            line(1000, 'release', 1), line(1000, 'select', 1), line(1500, 'complete', 1),
            line(1600, 'release', 2), line(1900, 'complete', 2),
            line(1950, 'deselect', 2, 'now={0} why=complete')]
        document = self.document(export(lines))
        self.assertEqual([(*item[:2], item[3].get('args'))
                          for item in document.on('CPU 0', 'chosen by resch')],
                         [(1000, 1500, {'job': 1}), (1500, 1600, None), (1600, 1900, {'job': 2}),
                          (1900, 1950, None)])
        self.assertEqual(len(document.flows), 2)

    def test_signal_handlers_are_no_jobs(self):
        """What they do between two jobs names one of them: it has been complete, or is to come."""
        lines = ['0 resch_attach id=1 pid=5 cpu=0 name=t1 plugin=edf kind=0 period=1000 deadline=1000 wcet=300']
        lines += [f'{time} resch_{name} id=1 pid=5 cpu=0 job={job} release={1000 * job} '
                  f'deadline={1000 * job + 1000} now={time} value=0'
                  for time, name, job in ((500, 'wake', 1), (500, 'select', 1), (600, 'block', 1),
                                          (1000, 'release', 1), (1400, 'complete', 1),
                                          (1500, 'wake', 1), (1500, 'select', 1),
                                          (1600, 'throttle', 1), (2000, 'budget', 1),
                                          (2000, 'wake', 1), (2100, 'block', 2),
                                          (2100, 'release', 2), (2300, 'complete', 2))]
        document = self.document(export(lines))
        self.assertEqual([item[:3] for item in document.on('t1/1', 'jobs')],
                         [(1000, 1400, 'job 1'), (2100, 2300, 'job 2')])
        self.assertEqual([item[:3] for item in document.on('t1/1', 'sleeps, throttled')],
                         [(1600, 2000, 'throttled')])

    def test_decisions_that_overlap(self):
        """A release that another CPU decided before the last job's end was known: slices are cut,
        not crossed."""
        lines = [f'{time} resch_{name} id=1 pid=5 cpu=0 job={job} release={now} deadline=9000 now={now} value=0'
                 for time, now, name, job in ((1000, 1000, 'release', 1),
                                              (1500, 1500, 'complete', 1),
                                              (1510, 1400, 'release', 2),
                                              (1900, 1900, 'complete', 2))]
        document = self.document(export(lines))
        self.assertEqual([item[:2] for item in document.on('task 1', 'jobs')],
                         [(0, 500), (500, 900)])

    def test_swaps(self):
        tasks = [Task(1, period=40, wcet=25), Task(2, period=60, wcet=30)]
        document, model = self.compare(recorded(Schedule(tasks, 'edf', [(500, 0, 'fp')]).run()))
        plugins = document.on('domain 1, plugin of CPU 0', 'plugin')
        self.assertEqual([item[:3] for item in plugins],
                         [(0, 500 * T, 'edf'), (500 * T, model.end - model.start, 'fp')])
        swap, = document.instants('domain 1, plugin of CPU 0', 'swap')
        self.assertEqual((swap['name'], swap['s'], ns(swap['ts'])), ('edf -> fp', 'g', 500 * T))

    def test_thrown_out(self):
        lines = simulated(Schedule([Task(1)]).run())
        time = lines[-1].split()[0]
        lines.append(
            f'{time} resch_eject domain=2 cpu=0 plugin=bad reason=picked a task that is not ready')
        eject, = self.document(export(lines)).instants('plugin of CPU 0', 'eject')
        self.assertEqual(eject['args']['reason'], 'picked a task that is not ready')

    def test_plans(self):
        lines = simulated(Slotted(*split_set(), [Slots(20, RESERVES)], 'npsf', ticks=100).run())
        document, model = self.compare(lines)
        plan, = model.plans
        for number in plan.cpus():
            self.assertEqual([item[:3] for item in document.on(f'CPU {number}', 'reserves')],
                             [(window.start - model.start, window.end - model.start,
                               f'group {window.group}')
                              for window in plan.windows(number, model.start, model.end)])

    def test_chains(self):
        """An arrow for each instance that is handed over, from the one job's end to the other one's
        release."""
        lines = pipeline(RG1, (3, 15, 25)).text()
        document = self.document(export(lines))
        first, second = (next(name for name in document.processes.values()
                              if name.endswith(f'/{ident}')) for ident in (1, 2))
        jobs = [document.on(name, 'jobs') for name in (first, second)]
        arrows = [points for points in document.flows.values() if len(points) == 2]
        self.assertEqual([(points[0][0], points[1][0]) for points in arrows],
                         [(before[1] - 1, after[0]) for before, after in zip(*jobs)])
        self.assertEqual(len(arrows), 3)
        chain = next(name for name in document.processes.values() if name.startswith('chain '))
        origins = [event for event in read.parse(lines).events if event.name == 'resch_chain' and
                   event['what'] & 2]
        self.assertEqual([ns(value) for _, value in document.counter(chain, 'end to end')],
                         [event.now - event['origin'] for event in origins])
        self.assertFalse(document.instants(chain, 'chain'))
        late = self.document(export(pipeline(RG1, (3, 15, 45)).text()))
        self.assertEqual([mark['name'] for mark in late.instants(chain, 'chain')], ['late'])
        # An instance whose first job is not in the recording has no arrow; nor has one that is
        # lost.
        self.assertEqual(len([points for points in self.document(export(lines[8:])).flows.values()
                              if len(points) == 2]), 2)

    def test_forks(self):
        """An arrow from each that has released a stage: from all, or from the first."""
        for first, last in ((False, 8), (True, 5)):
            with self.subTest(first=first):
                document = self.document(export(
                    diamond((last, last + 10), first=first).text()))
                arrows = [points for points in document.flows.values() if len(points) == 2]
                self.assertEqual(len(arrows), 6 if first else 8)
                self.assertEqual([points for points in arrows if points[1][0] < points[0][0]], [])

    def test_chains_that_skip(self):
        """What is skipped as the job before it ends has a mark, and no arrow to that job."""
        story = Story(DS)
        story.job(1, 0, 0, 3, 1, HANDED)
        story.job(1, 10, 10, 12, 2, HANDED)
        story.job(2, 15, 15, 36, 1, COMPLETE | LATE, 0)
        story.step(2, 36, 2, SKIPPED, 10)
        document = self.document(export(story.text()))
        chain = next(name for name in document.processes.values() if name.startswith('chain '))
        self.assertEqual([mark['name'] for mark in document.instants(chain, 'chain')],
                         ['late', 'skipped: it is late'])
        self.assertEqual(len([points for points in document.flows.values() if len(points) == 2]), 1)

    def test_another_clock(self):
        schedule = Schedule([Task(1, period=40, wcet=10), Task(2, period=60, wcet=20)]).run()
        self.assertEqual(Document(export([line.recorded(-3000000000) for line in schedule])).events,
                         Document(export([line.recorded() for line in schedule])).events)

    def test_nearly_in_order(self):
        lines = recorded(Schedule([Task(1, 0), Task(2, 1), Task(3, 1, 70, wcet=30)]).run())
        mixed = list(lines)
        for at in range(0, len(mixed) - 20, 20):
            mixed[at:at + 20] = sorted(mixed[at:at + 20], key=lambda line: '[000]' in line)
        self.assertNotEqual(mixed, lines)
        self.compare(mixed)

    def test_absolute(self):
        lines = simulated(Schedule([Task(1, period=40, wcet=10)]).run())
        ours, theirs = Document(export(lines)), Document(export(lines, absolute=True))
        zero = read.parse(lines).start
        self.assertEqual([start + zero for start, *_ in ours.on('t1/1', 'jobs')],
                         [start for start, *_ in theirs.on('t1/1', 'jobs')])
        self.assertIn(str(zero), ours.about.values())

    def test_window(self):
        lines = recorded(Schedule([Task(1, period=40, wcet=10), Task(2, period=60, wcet=20)]).run())
        start, end = 333 * T + 7, 555 * T + 5
        document = self.document(export(lines, start=start, end=end))
        whole = Document(export(lines))
        for process, row in (('t1/1', 'jobs'), ('t2/2', 'runs'), ('CPU 0', 'chosen by resch')):
            self.assertEqual([item[:3] for item in document.on(process, row)],
                             [(max(item[0], start), min(item[1], end), item[2])
                              for item in whole.on(process, row)
                              if item[1] >= start and item[0] <= end])
        self.assertGreater(len(document.flows), 3)


class Unknown(Same):
    """Where the trace begins in the middle, or has a hole."""

    def test_from_the_middle(self):
        for seed in range(20):
            lines = recorded(random_schedule(random.Random(seed), cpus=2))
            with self.subTest(seed=seed):
                self.document(export(lines[len(lines) // 2:]))

    def test_lost_events(self):
        schedule = recorded(
            Schedule([Task(1, period=40, wcet=10), Task(2, period=60, wcet=20)]).run())
        lines = schedule[:40] + ['CPU:0 [60 EVENTS DROPPED]'] + schedule[100:]
        document = self.document(export(lines))
        lost, = document.on('CPU 0', 'events lost')
        self.assertEqual(lost[2], '60 events lost')
        for process, row in (('t1/1', 'jobs'), ('t2/2', 'runs'), ('CPU 0', 'runs'),
                             ('CPU 0', 'chosen by resch')):
            for start, end, *_ in document.on(process, row):
                self.assertTrue(end <= lost[0] or start >= lost[1],
                                (process, row, start, end, lost))

    def test_random_holes(self):
        for seed in range(20):
            rng = random.Random(seed)
            lines = recorded(random_schedule(rng, cpus=2))
            begin = rng.randrange(len(lines) - 40)
            end = begin + rng.randrange(2, 40)
            cpu = f'[{rng.randrange(2):03}]'
            kept = [line for line in lines[begin:end] if cpu not in line]
            gone = end - begin - len(kept)
            after = next((at for at in range(end, len(lines)) if cpu in lines[at]), len(lines))
            text = (lines[:begin] + kept + lines[end:after] +
                    [f'CPU:{int(cpu[1:4])} [{gone} EVENTS DROPPED]'] + lines[after:])
            with self.subTest(seed=seed):
                self.document(export(text))


class Simulated(SimulatorTest, Same):
    def test_servers(self):
        servers = put('servers.txt', 'cbs-hard, 4ms, 20ms, edf\ncbs, 10ms, 20ms, rr, , 500us\n')
        tasks = (
            'name,period,wcet,max_exec,group\ncontrol,20ms,4ms,4ms,1\ngreedy,40ms,20ms,60ms,2\n'
            'other,50ms,3ms,3ms,2\n')
        lines = simulate(tasks, '-p', 'server', '--servers', servers, '-t', '1s')
        last = read.parse(lines).end
        lines.append(f'{last} resch_server domain=1 cpu=0 server=1 what=1 left=-1500 deadline={last} now={last}')
        document = self.document(export(lines))
        zero = read.parse(lines).start
        for server in (1, 2):
            said = [event for event in read.parse(lines).events
                    if event.name == 'resch_server' and event['server'] == server]
            name = next(name for name in document.processes.values()
                        if name == f'server {server}' or name.startswith('server ') and
                        name.endswith(f'/{server}'))
            self.assertEqual([(time, signed(value))
                              for time, value in document.counter(name, 'budget left')],
                             [(event.now - zero, event['left']) for event in said])
            self.assertGreater(len(said), 20)
            used_up = [event for event in document.instants(name, 'server')
                       if event['name'] == 'used up']
            self.assertEqual(len(used_up), sum(event['what'] & 1 for event in said))


def signed(text):
    return -ns(text[1:]) if text.startswith('-') else ns(text)


class Planted(unittest.TestCase):
    """That the rules of the format are asked for at all."""

    def test_faults(self):
        plain = export(
            simulated(Schedule([Task(1, period=40, wcet=10), Task(2, period=60, wcet=20)]).run()))
        self.assertEqual(Document(plain).problems, [])
        lines = plain.split('\n')
        job = next(at for at, line in enumerate(lines) if '"cat":"job"' in line)
        flow = next(at for at, line in enumerate(lines) if '"ph":"f"' in line)
        name = next(at for at, line in enumerate(lines) if '"thread_name"' in line and
                    '"jobs"' in line)
        for at, old, new in ((job, '"dur":1000.000', '"dur":4500.000'),
                             (job, '"dur":', '"dur":1e3,"x":'), (flow, '"ts":', '"ts":9'),
                             (flow, '"ph":"f"', '"ph":"t"'),
                             (name, 'thread_name', 'process_labels'), (job, '"X"', '"Y"'),
                             (flow, '"bp":"e"', '"bp":"s"'), (job, '"pid":', '"pid":7'),
                             (flow, '"id":', '"id":99')):
            self.assertIn(old, lines[at])
            document = Document('\n'.join(lines[:at] + [lines[at].replace(old, new)] +
                                          lines[at + 1:]))
            self.assertNotEqual(document.problems, [], (old, new))


class Page(unittest.TestCase):
    """resch-draw -o NAME.html"""

    def page(self, lines, *options):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, 'schedule.txt'), 'w') as file:
                file.write('\n'.join(lines) + '\n')
            path = os.path.join(folder, 'a.html')
            done = subprocess.run(['/usr/bin/python3', DRAW, os.path.join(folder, 'schedule.txt'),
                                   '-o', path, *options],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, '', ''))
            with open(path, encoding='utf-8') as file:
                return file.read()

    def test_has_the_timeline_in_it(self):
        """And a thread's name does not end the script that it is in."""
        lines = [line.replace('name=t1 ', 'name=</script><b> ') for line in simulated(
            Schedule([Task(1, period=40, wcet=10), Task(2, period=60, wcet=20)]).run())]
        for options, more in (((), {}), (('--from', '10ms', '--to', '30ms'),
                                         {'start': 10000000, 'end': 30000000})):
            text = self.page(lines, '--title', 'a <b> & c', *options)
            self.assertIn('<title>a &lt;b&gt; &amp; c</title>', text)
            self.assertEqual(text.count('</script>'), 2)
            data = Document(
                text[text.index('id="data">') + len('id="data">'):text.index('</script>')])
            self.assertEqual(data.problems, [])
            self.assertEqual(data.events, Document(export(lines, **more)).events)

    @unittest.skipUnless(shutil.which('node'), 'no node')
    def test_is_a_program(self):
        text = self.page(simulated(Schedule([Task(1, period=40, wcet=10)]).run()))
        script = text[text.rindex('<script>') + len('<script>'):text.rindex('</script>')]
        done = subprocess.run(['node', '--check', '-'], input=script,
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


class Program(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)

    def path(self, name):
        return os.path.join(self.dir.name, name)

    def lines(self):
        return simulated(Schedule([Task(1, period=40, wcet=10), Task(2, period=60, wcet=20)]).run())

    def export(self, *args, lines=None):
        with open(self.path('schedule.txt'), 'w') as file:
            file.write('\n'.join(self.lines() if lines is None else lines) + '\n')
        return subprocess.run(['/usr/bin/python3', EXPORT, self.path('schedule.txt'), *args],
                              stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)

    def test_letters(self):
        """UTF-8 as it is, whatever the terminal's letters are: Perfetto does not read the escapes
        of JSON in the unit of a counter."""
        lines = [line.replace('name=t1 ', 'name=tèst ') for line in self.lines()]
        with open(self.path('letters.txt'), 'w', encoding='utf-8') as file:
            file.write('\n'.join(lines) + '\n')
        for source, output in (('letters.txt', self.path('a.json')), ('letters.txt', '-'),
                               ('-', self.path('a.json')), ('-', '-')):
            with open(self.path('letters.txt'), 'rb') as file:
                done = subprocess.run(['/usr/bin/python3', EXPORT, '-o', output,
                                       source if source == '-' else self.path(source)],
                                      stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      env={'PATH': os.environ['PATH'], 'LC_ALL': 'C'})
            self.assertEqual((done.returncode, done.stderr), (0, b''))
            text = done.stdout
            if output != '-':
                with open(output, 'rb') as file:
                    text = file.read()
            text = text.decode()
            self.assertNotIn('\\u', text)
            self.assertIn('"µs":', text)
            self.assertIn('tèst/1', Document(text).processes.values())

    def test_files(self):
        done = self.export('-o', '-')
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertEqual(Document(done.stdout).problems, [])
        for name, opener in (('a.json', open), ('a.json.gz', gzip.open)):
            said = self.export('-o', self.path(name))
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertIn('42 jobs', said.stdout)
            with opener(self.path(name), 'rt') as file:
                self.assertEqual(file.read(), done.stdout)

    def test_refusals(self):
        for args, lines in ((['-o', self.path('no/such/a.json')], None),
                            (['-o', '/dev/full'], None), (['--from', 'soon'], None),
                            (['--from', '2ms', '--to', '1ms'], None),
                            (['-o', self.path('a.json')], ['nothing']),
                            (['-o', self.path('a.json')],
                             ['1500 sched_switch cpu=0 prev_pid=0 next_pid=3']),
                            (['-o', self.path('a.json')], self.lines()[5:6] +
                             5000 * ['99999999999 ' + self.lines()[1].split(' ', 1)[1]]
                             + self.lines()[2:3])):
            done = self.export(*args, lines=lines)
            unwritten = args[1] in ('/dev/full', self.path('no/such/a.json'))
            self.assertEqual((done.returncode, done.stdout), (1 if unwritten else 2, ''), args)
            self.assertNotIn('Traceback', done.stderr)
            self.assertFalse(os.path.exists(self.path('a.json')))

    def test_no_network(self):
        """A browser would wait for ever for a viewer that nobody finds; the file is there."""
        done = self.export('-o', self.path('a.json'), '--open', '--viewer=https://viewer.invalid/')
        self.assertEqual(done.returncode, 1)
        self.assertIn('viewer.invalid: ', done.stderr)
        self.assertIn(f'no network? vizviewer opens {self.path("a.json")} ', done.stderr)
        with open(self.path('a.json')) as file:
            self.assertEqual(Document(file.read()).problems, [])

    def peak(self, repeats):
        """Kilobytes that it had at most, on so many lines."""
        jobs = ('import sys\nfor n in range(1, {0}):\n  t = n * 1000000\n  for at, name in enumerate("release select complete".split()):\n'
                '    sys.stdout.write(f"{{t + at * 1000}} resch_{{name}} id=1 pid=5 cpu=0 job={{n}} release={{t}} deadline={{t + 900000}} '
                'now={{t + at * 1000}} value=7\\n")\n').format(repeats)
        with subprocess.Popen(['/usr/bin/python3', '-c', jobs], stdout=subprocess.PIPE) as source, \
                subprocess.Popen(['/usr/bin/python3', EXPORT, '-', '-o', '/dev/null'],
                                 stdin=source.stdout,
                                 stdout=subprocess.DEVNULL) as program:
            source.stdout.close()
            _, status, used = os.wait4(program.pid, 0)
            program.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(program.returncode, 0)
        return used.ru_maxrss

    def test_memory_does_not_grow(self):
        few, many = self.peak(3000), self.peak(20000)
        self.assertLess(many, few + 4096)


if __name__ == '__main__':
    unittest.main()
