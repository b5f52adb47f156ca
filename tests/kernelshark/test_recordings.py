#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""KernelShark with the plugin, in a window that nobody sees: what a kernel has recorded is drawn
where it should be: jobs, misses, budgets of servers, reserves of a plan, what chains hand over.

Environment: RECORDINGS, a folder of what tests/checker/on-kernel has left, and make demo: demo.dat.
"""

import os
import sys
import unittest

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
sys.dont_write_bytecode = True
sys.path[:0] = [TOP + '/tools/demo', TOP + '/tests/kernelshark', TOP + '/tools/trace']

import hidden  # noqa: E402
from looking import ARROW, BAND, BLUE, BOX, COLOURS, RED, Looking  # noqa: E402
from reschtrace import plan  # noqa: E402
from schedules import Recording  # noqa: E402

FOLDER = os.environ.get('RECORDINGS', '')
# By name: so many tasks' lanes, of those with the most jobs; there is room for five lanes.
FILES = {'split-two-npsf': 3, 'load-servers-3': 4, 'chain': 3}


@unittest.skipUnless(all(os.path.exists(f'{FOLDER}/{name}.dat') for name in FILES),
                     'no recordings of a kernel: tests/checker/on-kernel leaves them')
class Recordings(Looking):
    tasks, cpus = {}, {}   # by name of the recording: {id: lane}, {number: lane}

    @classmethod
    def opened(cls, folder):
        schedules, shown = {}, {}
        for name, count in FILES.items():
            schedules[name] = schedule = Recording(f'{FOLDER}/{name}.dat')
            attached = sorted(schedule.of('attach'), reverse=True, key=lambda event:
                              len(schedule.of('complete', id=event['id'])))[:count]
            attached.sort(key=lambda event: event['pid'])
            cpus = sorted({event['cpu'] for event in attached})
            cls.cpus[name] = {cpu: lane for lane, cpu in enumerate(cpus)}
            cls.tasks[name] = {event['id']: len(cpus) + lane
                               for lane, event in enumerate(attached)}
            shown[name] = ['--cpu', ','.join(map(str, cpus)),
                           '--pid', ','.join(str(event['pid']) for event in attached)]
        return schedules, shown

    def tasks_drawn(self, graph, name):
        for ident, lane in self.tasks[name].items():
            self.jobs_drawn(graph, lane, ident)

    def test_plan(self):
        name = 'split-two-npsf'
        schedule = self.schedules[name]
        made = plan.Plan(schedule.of('plan')[0])
        for event in schedule.of('reserve'):
            made.add(event)
        self.assertTrue(made.whole() and len(self.cpus[name]) == 2 and
                        any(made.split(group) for group in made.cpus_of))
        end = schedule.of('plan', count=0)[0].time if schedule.of('plan', count=0) else \
            schedule.last

        def check(graph):
            self.tasks_drawn(graph, name)
            for cpu, lane in self.cpus[name].items():
                middles = [((window.start + window.end) // 2, window.group)
                           for window in made.windows(cpu, schedule.first, end)]
                self.most([graph.near(lane, BAND, at, COLOURS[group % len(COLOURS)], wide=1, high=1)
                           for at, group in middles], 0.95, f'reserves on CPU {cpu}')

        self.look(name, check)

    def test_servers(self):
        name = 'load-servers-3'
        schedule = self.schedules[name]
        missed = [event for event in schedule.of('miss') if event['id'] in self.tasks[name]]
        self.assertGreater(len(missed), 4)
        budgets = {event['server']: event['budget'] for event in schedule.of('server_set')
                   if event['budget']}
        self.assertGreater(len(budgets), 1)
        swaps = schedule.of('swap')
        self.assertGreater(len(swaps), 4)

        def check(graph):
            self.tasks_drawn(graph, name)
            self.most([graph.near(self.tasks[name][event['id']], BOX / 2, event['deadline'], RED)
                       for event in missed], 0.9, 'misses')
            self.most([graph.near(0, 1.1, event.time, BLUE) for event in swaps], 1, 'swaps')
            for server, budget in budgets.items():
                new = [event['now'] for event in schedule.of('server', server=server, left=budget)]
                self.most([graph.near(0, ARROW, at, COLOURS[server % len(COLOURS)]) for at in new],
                          0.7, f'budgets of server {server}')

        self.look(name, check)

    def test_chain(self):
        name = 'chain'
        schedule = self.schedules[name]
        stages = {event['stage']: event['task'] for event in schedule.of('chain_stage')}
        self.assertEqual(len(stages), 3)
        handed = [event for event in schedule.of('chain') if event['what'] & 1]

        def check(graph):
            # Their arrows lie on most others.
            self.releases_drawn(graph, self.tasks[name][stages[0]], stages[0])
            self.ends_drawn(graph, self.tasks[name][stages[2]], stages[2])
            # From the lane of a stage to that of the next one: halfway in between.
            self.most([graph.near(self.tasks[name][stages[event['stage']]] + 1, 1.3, event['now'],
                                  COLOURS[event['instance'] % len(COLOURS)], wide=4)
                       for event in handed], 0.95, 'what is handed over')

        self.look(name, check)


@unittest.skipUnless(os.path.exists(f'{FOLDER}/demo.dat'),
                     'no recording of the demo: make demo leaves one')
class Demo(Looking):
    attached = []

    @classmethod
    def opened(cls, folder):
        schedule = Recording(f'{FOLDER}/demo.dat')
        cls.attached = sorted(schedule.of('attach'), key=lambda event: event['pid'])
        return {'demo': schedule}, {'demo': [
            '--cpu', '0', '--pid', ','.join(str(event['pid']) for event in cls.attached)]}

    def test_command(self):
        """`make kernelshark`, which the README has, after `make demo`: each task's releases, in its
        lane; its jobs are too short for the whole of it."""
        self.assertEqual(len(self.attached), 4)

        def check(graph):
            for lane, event in enumerate(self.attached, 1):
                self.releases_drawn(graph, lane, event['id'])

        with hidden.Hidden(['-s', '-C', TOP, 'kernelshark', f'TRACE={FOLDER}/demo.dat'],
                           command='make') as shark:
            self.await_picture(shark, 'demo', check)


if __name__ == '__main__':
    unittest.main(verbosity=2)
