# SPDX-License-Identifier: GPL-2.0
"""Recordings, and what is in them: schedules of the simulator, and what guests have recorded.

Environment: RESCH_SIM, the simulator.
"""

import os
import subprocess
import sys

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
sys.dont_write_bytecode = True
sys.path[:0] = [TOP + '/tests/checker', TOP + '/tools/trace']

import trace_dat  # noqa: E402
from reschtrace import read  # noqa: E402

MS = 1000000

SETS = {
    'plan':
    ('name,period,deadline,wcet,group,kind\na,10300us,10300us,4ms,1,periodic\nb,9700us,9700us,4500us,2,periodic\n'
     'c,12100us,12100us,5ms,3,sporadic\n'),
    'servers': ('name,period,wcet,max_exec,group\ncontrol,20ms,4ms,4ms,1\ngreedy,40ms,20ms,60ms,2\n'
                'other,50ms,3ms,3ms,2\n'),
    'swap': 'name,period,wcet\nfast,10ms,4900us\nslow,14ms,6100us\n',
    'chain':
    ('chain,period,deadline,protocol,stage,wcet,bcet,cpu,priority\nT,30ms,30ms,rg,a,5ms,5ms,0,1\nT,,,,b,6ms,6ms,1,1\n'
     'T,,,,c,7ms,7ms,0,2\n'),
}
MORE = {'plan':
        'slot, 2ms\nfrom, 0\n1, 0, 0, 1.2ms\n2, 0, 1.2ms, 2ms\n2, 1, 0, 0.6ms\n3, 1, 0.6ms, 2ms\n',
        'servers': 'cbs-hard, 4ms, 20ms, edf\ncbs, 10ms, 20ms, rr, , 500us\n'}
OPTIONS = {'plan': ['-p', 'npsf', '-c', '2', '-t', '300ms', '--plan'],
           'servers': ['-p', 'server', '--force', '-t', '300ms', '--servers'],
           'swap': ['-p', 'edf', '--force', '-t', '280ms', '--swap', 'fp@140ms'],
           'chain': ['--protocol', 'rg', '-t', '200ms', '--chains']}


class Events:
    """`path`: a trace.dat; `events`: what is in it; `first`, `last`: what KernelShark shows."""

    def of(self, name, **fields):
        return [event for event in self.events if event.name == 'resch_' + name and
                all(event.get(key) == value for key, value in fields.items())]


class Schedule(Events):
    """A recording of one of SETS; `events`: what is in it."""

    def __init__(self, folder, name):
        files = []
        for kind, text in (('more', MORE.get(name)), ('set', SETS[name])):
            if text:
                files.append(f'{folder}/{name}.{kind}.csv')
                with open(files[-1], 'w', encoding='utf-8') as file:
                    file.write(text)
        self.path = f'{folder}/{name}.dat'
        # 1: somebody was late
        done = subprocess.run([os.environ['RESCH_SIM'], '--trace', self.path + '.txt',
                               *OPTIONS[name], *files],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False)
        assert done.returncode in (0, 1), done.stderr
        with open(self.path + '.txt', encoding='utf-8') as file:
            lines = file.readlines()
        self.events = [item for item in read.Lines(lines) if isinstance(item, read.Event)]
        trace_dat.write(lines, self.path)
        self.first, self.last = max(self.events[0].time,
                                    1), max(event.time for event in self.events)


class Recording(Events):
    """What somebody else has recorded, of resch's events and sched_switch."""

    def __init__(self, path):
        self.path = path
        trace = read.load(path)
        assert not trace.shift and not trace.holes, path
        self.events = trace.events
        self.first, self.last = trace.start, trace.end
