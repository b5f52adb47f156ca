# SPDX-License-Identifier: GPL-2.0
"""Layouts on a real kernel, where `reschctl assign --run` runs each set for a while under
trace-cmd: in the deterministic guest, or on this machine.

The guest's clock counts instructions, a nanosecond each, of all its CPUs together: they take turns,
and a CPU whose turn has yet to come is late by some tens of microseconds. So the periods are
stretched against the paper's. One CPU more than the sets need has the rest of the system.
"""

import dataclasses
import json
import os
import shutil
import subprocess
import sys

from layouts import Broken, words_of
from overheads import Overheads
from simulate import CHECKER, Outcome

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, '../..')
HARNESS = os.path.join(TOP, 'tests/harness')
JITTER = os.path.join(TOP, 'tools/trace/resch-jitter')
HANDOVERS = ('notify', 'retry')
# A boot, and so many seconds of the host's for one of the guest's, on a slow and busy host.
BOOT_LIMIT, SLOWNESS = 300, 150
# Emulated CPUs take turns, and a program that does not pause has one for as long.
TOLERANCE = '2ms'

# What is seen in such guests, but for one in a thousand, rounded up.
OF_GUEST = Overheads('guest', 150000, 60000, 60000, (20000, 4000000))


@dataclasses.dataclass(frozen=True)
class Run:
    """What the guest is to do: a layout of a set, with one way of handing tasks over."""
    task_set: object
    layout: object
    handover: str

    @property
    def name(self):
        return f'{self.layout.algorithm}-{self.task_set.number:02}-{self.handover}'

    @property
    def file(self):
        return f'{self.task_set.number:02}.csv'


class Machine:
    """This machine: as root, with the modules, reschctl and trace-cmd installed. `charges`:
    Overheads to leave room for. `folder`: for files that go in and out. `disk`: the last CPU of
    the sets is to have interrupts of a device."""
    name = 'here'
    note = None
    serial = False  # its serial port may stand for the disk

    def __init__(self, charges, folder, disk=False):
        self.charges = charges
        self.disk = disk
        self.folder = os.path.abspath(folder)
        self.out = os.path.join(self.folder, 'out')

    def build(self):
        """Nothing: it is installed."""
        if os.geteuid():
            raise Broken('only root can run task sets on this machine')

    def command(self, cpus, limit):
        return ['timeout', str(limit), os.path.join(HERE, 'play'),
                os.path.join(self.folder, 'files/experiment'), self.out]

    def prepare(self, runs, time, seed):
        files = os.path.join(self.folder, 'files/experiment')
        for old in (files, self.out):
            shutil.rmtree(old, ignore_errors=True)
            os.makedirs(old)
        shutil.copy(os.path.join(HERE, 'play'), files)
        for run in runs:
            with open(os.path.join(files, run.file), 'w', encoding='utf-8') as file:
                file.write(run.task_set.text)
        if self.disk and self.serial:
            with open(os.path.join(files, 'disk'), 'w', encoding='utf-8') as file:
                print(runs[0].task_set.cpus - 1, file=file)
        with open(os.path.join(files, 'todo'), 'w', encoding='utf-8') as file:
            for run in runs:
                print(run.name, run.layout.algorithm, run.handover,
                      f'0-{run.task_set.cpus - 1}', run.file, f'--run={time}ns --seed={seed}',
                      *words_of(run.layout.sizes, self.charges), file=file)

    def play(self, runs, time, seed, verbose):
        """Outcomes, in the order of the runs."""
        self.prepare(runs, time, seed)
        limit = BOOT_LIMIT + SLOWNESS * len(runs) * (time + 10**9) // 10**9
        command = self.command(runs[0].task_set.cpus, limit)
        with open(os.path.join(self.folder, 'log'), 'w', encoding='utf-8') as log:
            status = subprocess.run(command, stdout=sys.stderr if verbose else log,
                                    stderr=subprocess.STDOUT).returncode
        if status:
            raise Broken(f'it ended with status {status}: see {self.folder}')
        return [self.outcome(run, time) for run in runs]

    def trace(self, run):
        return os.path.join(self.out, run.name + '.txt')

    def outcome(self, run, time):
        with open(os.path.join(self.out, run.name + '.json'), encoding='utf-8') as file:
            tasks = json.load(file)['run']
        done = subprocess.run([sys.executable, CHECKER, '--json', '--tolerance', TOLERANCE,
                               self.trace(run)],
                              capture_output=True, text=True)
        if not done.stdout:
            raise Broken(f'resch-check: {done.stderr.strip()}')
        found = json.loads(done.stdout)
        broken = {name: rule['broken'] for name, rule in found['rules'].items() if rule['broken']}
        return Outcome(time, *(sum(task[what] for task in tasks) for what in
                               ('completed', 'preemptions', 'migrations', 'misses')),
                       max(task['tardiness_max'] for task in tasks), broken.get('notional', 0),
                       time, found['verdict'], tuple(broken))

    def jitter(self, runs, picture=None):
        """The tables of resch-jitter for all of these runs; with `picture` a histogram in that
        file."""
        options = (['--histogram', picture] if picture else []) + (['--note', self.note]
                                                                   if self.note else [])
        done = subprocess.run([sys.executable, JITTER, *options, *map(self.trace, runs)],
                              capture_output=True, text=True)
        if done.returncode:
            raise Broken(f'resch-jitter: {done.stderr.strip()}')
        return done.stdout


class Guest(Machine):
    """A kernel in the deterministic guest: all runs in one boot."""
    note = 'emulated: a clock that counts instructions'
    serial = True

    def __init__(self, kernel, charges, folder, disk=False):
        super().__init__(charges, folder, disk)
        self.kernel = kernel
        self.name = f'guest {kernel}'

    def build(self):
        """Kernel, modules and programs; installs what is missing."""
        for words in (['setup.sh', 'guest', 'bench'], ['root.sh', self.kernel],
                      ['build.sh', '--kbuild', self.kernel], ['build.sh', '--user', self.kernel]):
            done = subprocess.run([os.path.join(HARNESS, words[0]), *words[1:]],
                                  capture_output=True, text=True)
            if done.returncode:
                raise Broken(f'{" ".join(words)}: {(done.stderr or done.stdout).strip()[-2000:]}')

    def command(self, cpus, limit):
        return [os.path.join(HARNESS, 'guest'), '-k', self.kernel, '--icount', '-c',
                str(cpus + 1), '-m', '2G', '-t', str(limit), '-o', self.out, '--files',
                os.path.join(self.folder, 'files'), '--program', '/usr/bin/trace-cmd', '--', 'sh',
                '/experiment/play', '/experiment', '/out']
