#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""RT0 is for guarded CPUs, by `reschctl level` and in files of `reschctl apply`, on a pretended
machine: elsewhere SCHED_FIFO 99 would take the CPU from everybody, so that has to be asked for.

usage: RESCHCTL=PATH test_reschctl_level.py
"""

import os
import shutil
import subprocess
import unittest

import reschctl
from applied import Applied

CPU = min(os.sched_getaffinity(0))


def may():
    """May this process, and so reschctl, have SCHED_FIFO 99?"""
    done = subprocess.run(['chrt', '-f', '99', 'true'], capture_output=True, check=False)
    return done.returncode == 0


class Level(Applied):
    def setUp(self):
        super().setUp()
        self.name = f'lvl{os.getpid()}'
        shutil.copy(shutil.which('sleep'), self.path(self.name))

    def sleeper(self):
        """A program that is there to become something."""
        program = subprocess.Popen([self.path(self.name), '1000'])
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        return program.pid

    def unchanged(self, pid):
        self.assertEqual(os.sched_getscheduler(pid), os.SCHED_OTHER)

    def test_unguarded(self):
        pid = self.sleeper()
        level = ['level', 'rt0', f'--cpu={CPU}']
        said = self.call(*level, str(pid), status=1).stderr
        self.assertIn(f'CPU {CPU} is not guarded', said)
        self.assertIn(f'`reschctl domain set {CPU} --plugin=artis`', said)
        self.assertIn('--unguarded', said)
        self.call('domain', 'set', str(CPU), '--plugin=edf')
        self.assertIn('`reschctl guard on 1`', self.call(*level, str(pid), status=1).stderr)
        done = self.call(*level, '--', 'echo', 'runs', status=125)
        self.assertIn('`reschctl guard on 1`', done.stderr)
        self.assertEqual(done.stdout, '')
        self.call(*level, '--threads', str(pid), status=1)
        self.unchanged(pid)
        self.assertIn('--unguarded is for rt0',
                      self.call('level', 'rt1', '--unguarded', '1', status=2).stderr)

    def test_guarded(self):
        if not may():
            self.skipTest('needs the right to SCHED_FIFO')
        self.call('domain', 'set', str(CPU), '--plugin=edf')
        self.call('guard', 'on', '1')
        pid = self.sleeper()
        self.assertIn(f'is RT0 on CPU {CPU}',
                      self.call('level', 'rt0', f'--cpu={CPU}', str(pid)).stderr)
        self.assertEqual(os.sched_getparam(pid).sched_priority, 99)
        self.call('guard', 'off', '1')
        other = self.sleeper()
        self.call('level', 'rt0', f'--cpu={CPU}', str(other), status=1)
        self.call('level', 'rt0', f'--cpu={CPU}', '--unguarded', str(other))
        self.assertEqual(os.sched_getparam(other).sched_priority, 99)

    @unittest.skipUnless(reschctl.NO_DEVICE, 'there is a device')
    def test_no_module(self):
        pid = self.sleeper()
        done = reschctl.call('level', 'rt0', f'--cpu={CPU}', str(pid))
        self.assertEqual((done.returncode, done.stdout), (3, ''))
        self.assertIn('not loaded', done.stderr)
        self.assertIn('no CPU is guarded', done.stderr)
        self.unchanged(pid)

    def level(self, more=''):
        return f'levels:\n- {{program: {self.name}, level: rt0, cpu: {CPU}{more}}}\n'

    def domain(self, more):
        return f'domains:\n- {{cpus: {CPU}, {more}}}\n'

    def test_file(self):
        """What is not guarded is refused before anything is done; or, where only the plugin could
        have told, by what has become of it, and then all is taken back."""
        pid = self.sleeper()
        for text in (self.level(), self.domain('plugin: edf, guard: off') + self.level()):
            line = text.count('\n')
            for command in ('apply', 'diff'):
                said = self.call(command, self.file(text), status=2).stderr
                self.assertIn(f'wanted.yaml:{line}: ', said)
                self.assertIn(f'CPU {CPU} is not guarded', said)
                self.assertIn('unguarded: true', said)
        self.assertIn('CPU', self.call('apply', self.file(self.domain('plugin: fp') + self.level()),
                                       status=1).stderr)
        self.assertNotIn('fp', self.call('domain', 'list').stdout)
        self.unchanged(pid)
        self.assertIn('unguarded is for rt0', self.call(
            'apply', self.file('levels:\n- {program: a, level: rt1, unguarded: true}\n'),
            status=2).stderr)

    def test_file_guarded(self):
        if not may():
            self.skipTest('needs the right to SCHED_FIFO')
        pid = self.sleeper()
        for text in (self.domain('plugin: artis') + self.level(),
                     self.domain('plugin: edf, guard: on') + self.level(),
                     self.level(', unguarded: true')):
            self.call('apply', self.file(text))
            self.assertEqual(os.sched_getparam(pid).sched_priority, 99)
            self.assertEqual(self.call('apply', self.file(text)).stdout, 'nothing to change\n')
            self.call('undo', '--all')
            self.unchanged(pid)


if __name__ == '__main__':
    unittest.main()
