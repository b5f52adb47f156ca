# SPDX-License-Identifier: GPL-2.0
"""resch-jitter, the program: tables with the paper's figures, several traces, JSON, pictures,
refusals."""

import json
import os
import random
import re
import subprocess
import tempfile
import unittest

from common import JITTER
from planted import Recording
from schedule import Schedule, Task, simulated
from test_draw import matplotlib_is_there

# From the paper's tables, by hand: 1 and 5, of which 2 is the beginning.
TABLE_1 = {'ResJ': (8.824, 5.255, 7.919, 5.833), 'RelJ': (31.834, 0.329, 10.029, 0.369),
           'CtswJ': (2.218, 0.424, 0.587, 0.305), 'IntO - tick': (0.571, 0.272, 0.408, 0.243)}
TABLE_5 = {'ResJ': (48.087, 8.493, 19.243, 9.498), 'RelJ': (37.264, 0.731, 11.609, 0.848),
           'CtswJ': (9.743, 1.223, 1.009, 0.542), 'IntO - tick': (6.431, 1.307, 1.064, 0.755)}


def us(ns):
    return f'{ns / 1000:.3f}'


def cells(line):
    return re.split(r'\s{2,}', line.strip())


class Program(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.drawn = {}

    def path(self, name):
        return os.path.join(self.dir.name, name)

    def write(self, name, lines):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), 'w') as file:
            file.write('\n'.join(lines) + '\n')
        return self.path(name)

    def plant(self, name, seed, said=None, **options):
        recording = Recording(random.Random(seed), **options)
        self.drawn[name] = recording.drawn
        return self.write(name, ([f'# resch plugin={said}'] if said else []) + recording.text())

    def call(self, *arguments):
        return subprocess.run(['/usr/bin/python3', JITTER, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE,
                              text=True)

    def run_jitter(self, *arguments):
        done = self.call(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return done.stdout

    def rows(self, text, title):
        """{first cell: other cells} of the table below the line that begins with `title`."""
        lines = text.splitlines()
        at = next(at for at, line in enumerate(lines) if line.startswith(title))
        found = {}
        for line in lines[at + 2:]:
            if not line:
                break
            found[cells(line)[0]] = cells(line)[1:]
        return found

    def test_beside_the_paper(self):
        text = self.run_jitter(self.plant('a.txt', 1))
        largest = us(max(self.drawn['a.txt']['ResJ']))
        for title, paper in (('Table 1: 4 cores', TABLE_1), ('Tables 2 and 5: 24 cores', TABLE_5)):
            rows = self.rows(text, title)
            # two CPUs stand beside four, not beside 24
            self.assertEqual(rows['ResJ'][0], largest if title.startswith('Table 1') else '-')
            for name, figures in paper.items():
                self.assertEqual(rows[name][1::2], [f'{figure:.3f}' for figure in figures],
                                 (title, name))
        self.assertEqual(self.rows(text, 'Table 1')['IntO - irq'][:2], ['not recorded', '24.226'])
        self.assertEqual(self.rows(text, 'Tables 2')['IntO - irq'][:2], ['-', '35.584'])
        self.assertIn('nothing was measured here on so many: 2 CPUs', text)
        drawn = self.drawn['a.txt']
        self.assertIn(
            f'--overheads=reserve={max(drawn["ResJ"])}ns,release={max(drawn["RelJ"])}ns\n', text)
        # all its timer interrupts had something to decide
        self.assertEqual(self.rows(text, 'Table 1')['IntO - tick'][0], '-')

    def test_one_trace(self):
        text = self.run_jitter(self.plant('a.txt', 1, said='sekg:handover=retry'))
        self.assertIn('a: 49 ms; sekg; 3 tasks, 1 of them on several CPUs; 3 jobs; 1 missed deadline; CPU 0, 1; recorded; handover: '
                      'retry 5 µs', text)
        rows = self.rows(text, 'ResJ, µs')
        self.assertEqual([rows['all'][at] for at in (0, 2)],
                         ['80', us(max(self.drawn['a.txt']['ResJ']))])
        self.assertEqual(rows['t2/2'][:2], ['0+1', '40'])
        rows = self.rows(text, 'HandJ, µs')
        drawn = sorted(self.drawn['a.txt']['HandJ'])
        self.assertEqual(rows['all'][:5],
                         ['19', us(sum(drawn) / 19), us(drawn[-1]), us(drawn[18]), us(drawn[18])])
        self.assertEqual(float(rows['all'][8]), float(us(max(self.drawn['a.txt']['leave']))))

    def test_never_zero_where_nothing_was_recorded(self):
        text = self.run_jitter(self.plant('a.txt', 1, vectors=False, parks=False, switches=False))
        for words in ('timer: not recorded (irq_vectors)', 'leave: not recorded (resch_park)',
                      'switch: not recorded (sched_switch)',
                      'CtswJ: not recorded (sched_switch was not recorded)',
                      'tick   not recorded (irq_vectors was not recorded)'):
            self.assertIn(words, text)
        self.assertEqual(self.rows(text, 'Table 1')['CtswJ'][0], 'not recorded')
        self.assertNotIn(' 0.000', text)
        text = self.run_jitter(self.write('b.txt',
                                          simulated(Schedule([Task(1)], switches=False).run())))
        self.assertIn('ResJ: not recorded (no plan was recorded)', text)
        self.assertIn('HandJ: not recorded (no plan was recorded)', text)
        self.assertIn('handover: the trace does not say', text)

    def test_several(self):
        paths = [self.plant(f'{plugin}/1.txt', seed, said) for seed, (plugin, said) in
                 enumerate((('sekg', 'sekg:handover=notify'),
                            ('npsf', 'sekg:handover=retry,retry=3us')))]
        paths.append(self.plant('more/2.txt', 7, vectors=False))
        text = self.run_jitter('--note', 'an emulated machine', *paths)
        self.assertEqual(text.splitlines()[0], 'note: an emulated machine')
        lines = text.splitlines()
        head = next(at for at, line in enumerate(lines) if line.startswith('set '))
        self.assertEqual([cells(line)[:3] for line in lines[head + 1:head + 4]],
                         [['sekg/1', 'sekg', 'notify'], ['npsf/1', 'sekg', 'retry 3 µs'],
                          ['more/2', 'sekg', '?']])
        every = [value for drawn in self.drawn.values() for value in drawn['ResJ']]
        total = cells(lines[head + 4])
        self.assertEqual((total[0], total[6], total[7]),
                         ('all 3', us(sum(every) / len(every)), us(max(every))))
        self.assertEqual(self.rows(text, 'Table 1')['ResJ'][0], us(max(every)))
        self.assertNotIn('t2/2  0+1', text)
        self.assertIn('t2/2  0+1', self.run_jitter('--tasks', *paths))
        text = self.run_jitter('--handover', 'notify', *paths)
        self.assertIn('2 sets  ', text)     # those with the same plugin and hand-over
        self.assertNotIn('?', text.splitlines()[3])

    def test_json(self):
        paths = [self.plant('a.txt', 1, 'sekg'), self.plant('b.txt', 2)]
        found = json.loads(self.run_jitter('--json', '--note', 'emulated', *paths))
        self.assertEqual((found['format'], found['note'], len(found['sets'])), (1, 'emulated', 2))
        self.assertEqual(found['paper_us']['24 cores']['ResJ'], list(TABLE_5['ResJ']))
        for one, name in zip(found['sets'], 'ab'):
            drawn = self.drawn[name + '.txt']
            self.assertEqual((one['name'], one['plugins'], one['cpus'], one['split_tasks'],
                              one['lost_events']),
                             (name, ['sekg'], [0, 1], 1, 0))
            hand = one['measures']['HandJ']
            self.assertEqual((hand['missing'], hand['count'], hand['max_ns'], hand['avg_ns']),
                             (None, 19, max(drawn['HandJ']), round(sum(drawn['HandJ']) / 19)))
            self.assertEqual(hand['phases']['take']['max_ns'], max(drawn['take']))
            self.assertEqual([task['id'] for task in one['measures']['ResJ']['tasks']], [1, 2, 3])
            self.assertEqual(sum(bar['count'] for bar in one['measures']['ResJ']['histogram']), 80)
            self.assertEqual(one['measures']['irq'],
                             {'missing': 'irq:irq_handler_* was not recorded'})
        self.assertEqual([one['handover'] for one in found['sets']], ['notify', None])
        total = found['total']['measures']['ResJ']
        every = self.drawn['a.txt']['ResJ'] + self.drawn['b.txt']['ResJ']
        self.assertEqual((total['count'], total['max_ns'], total['max_max_ns'], total['sets']),
                         (160, max(every), max(every), 2))
        where = 'a' if max(every) in self.drawn['a.txt']['ResJ'] else 'b'
        self.assertEqual(total['worst']['set'], where)

    def test_events_lost(self):
        lines = Recording(random.Random(1)).text()
        lines.insert(400, 'CPU:1 [20 EVENTS DROPPED]')
        text = self.run_jitter(self.write('a.txt', lines))
        self.assertIn('note 20 events were lost', text)

    @unittest.skipUnless(matplotlib_is_there(), 'no python3-matplotlib')
    def test_picture(self):
        path = self.plant('a.txt', 1, 'sekg:handover=retry')
        self.run_jitter('--histogram', self.path('a.png'), path)
        with open(self.path('a.png'), 'rb') as file:
            self.assertEqual(file.read(8), b'\x89PNG\r\n\x1a\n')
        pictures = []
        for _ in range(2):
            self.run_jitter('--histogram', self.path('a.svg'), '--note', 'emulated', path)
            with open(self.path('a.svg')) as file:
                pictures.append(file.read())
        self.assertEqual(*pictures)
        words = re.findall(r'<!-- (.*?) -->', pictures[0])
        for word in ('reserve jitter (ResJ)', 'hand-overs', 'sekg, retry 5 µs', 'n = 80',
                     'a; emulated', 'largest in the paper, 4 cores'):
            self.assertIn(word, words)
        # one job each, long ago; no EDF switches; no ticks
        self.assertNotIn('tick', words)

    def test_refusals(self):
        good = self.plant('a.txt', 1)
        unwritten = ('--histogram', self.path('no/such/x.png'), good)
        for arguments in ((self.write('none.txt', ['nothing']),),
                          (good, self.path('no-such-file')), (), ('--histogram', 'x.jpg', good),
                          ('--handover', 'foo', good), unwritten):
            done = self.call(*arguments)
            self.assertEqual((done.returncode, done.stdout),
                             (1 if arguments == unwritten else 2, ''), arguments)
            self.assertNotIn('Traceback', done.stderr)
            self.assertIn('resch-jitter', done.stderr)


if __name__ == '__main__':
    unittest.main()
