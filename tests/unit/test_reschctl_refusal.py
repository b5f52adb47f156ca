#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What reschctl says of a plugin's own limits, of which the module gives two numbers; and what a
task is that says nothing.

On a device that is played (played_device.c), which refuses as it is told.
"""

import contextlib
import errno
import glob
import json
import os
import subprocess
import unittest

import reschctl
from preloaded import preloaded

RUN = ('run', '--cpu=1', '--runtime=1ms', '--period=10ms')
# Plugin, what it answers (RESCH_BOUND_PLUGIN is 6), what is said.
REFUSALS = (
    ('sekg', '6 0 0', 'the domain has no plan: `reschctl assign --apply` gives it one'),
    ('npsf', '6 3 2', 'the plan has groups 1 to 2, no 3'),
    ('npsf', '6 0 2', 'a task needs a group of the domain\'s plan: --group=1 to 2'),
    ('server', '6 9 0', 'there is no server 9 on that CPU: `reschctl server list`'),
    ('server', '6 0 0', 'a task needs a server: --group=ID, with an id of `reschctl server list`'),
    ('artis', '6 2 1',
     'artis takes one task a CPU, and CPU 1 has one; artis:share=1 takes several'),
    ('fp',
     '6 8000000 10000000',
     'tests ll and hyperbolic are for rate-monotonic order and deadlines equal to periods: use test=rta'),
    ('edf', '6 16777216 16777216',
     'the test takes more than 2^24 steps for this set: rounder periods, or --skip-admission'),
    # one of somebody else's: its numbers
    ('mine', '6 7 5', 'a limit of the plugin on CPU 1: 7, and at most 5'),
    ('edf', '1 1100000 950000',
     'the utilization on CPU 1 would be 110 %, and at most 95 % may be given away'),
)


class Refusals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.played = preloaded(cls, 'played_device')

    def call(self, *arguments, **environment):
        # the sanitizer, where there is one, is told that it does not come first
        return reschctl.call(*arguments,
                             env={**os.environ, 'LD_PRELOAD': self.played, **environment,
                                  'ASAN_OPTIONS': 'verify_asan_link_order=0'})

    def test_words(self):
        for plugin, refusal, said in REFUSALS:
            with self.subTest(plugin=plugin, refusal=refusal):
                done = self.call(*RUN, 'true', PLAYED_PLUGIN=plugin, PLAYED_REFUSAL=refusal)
                self.assertEqual((done.returncode, done.stderr),
                                 (125, f'reschctl: refused: {said}\n'))

    def rights(self, *before):
        """What is said where the module does not permit it."""
        done = subprocess.run(
            [*before, reschctl.RESCHCTL, *RUN, 'true'], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
            env={**os.environ, 'LD_PRELOAD': self.played, 'PLAYED_ERROR': str(errno.EPERM),
                 'ASAN_OPTIONS': 'verify_asan_link_order=0:detect_leaks=0'})
        self.assertEqual(done.returncode, 125, done.stderr)
        return done.stderr

    def test_rights(self):
        """The one right that is missing, and how one gets it."""
        root = os.geteuid() == 0
        said = self.rights(*(['setpriv', '--bounding-set=-sys_nice'] if root else []))
        self.assertIn('this needs CAP_SYS_NICE: become root', said)
        self.assertIn('setcap cap_sys_nice+ep', said)
        if root:
            self.assertIn('another user\'s, and you may not signal it', self.rights())
        if subprocess.run(['unshare', '-U', '-r', 'true'], stderr=subprocess.DEVNULL,
                          check=False).returncode == 0:
            self.assertIn("CAP_SYS_NICE in the machine's own user namespace",
                          self.rights('unshare', '-U', '-r'))

    def test_kernel_thread(self):
        """Where this machine shows any: a container does not."""
        for path in glob.glob('/proc/[0-9]*'):
            with contextlib.suppress(OSError), open(path + '/stat', encoding='utf-8') as file:
                head, _, rest = file.read().rpartition(')')
                if not int(rest.split()[6]) & 0x200000:   # PF_KTHREAD
                    continue
                pid, _, name = head.partition(' (')
                done = self.call('attach', '--pid=' + pid, '--runtime=1ms', '--period=10ms')
                self.assertEqual((done.returncode, done.stderr),
                                 (1, f'reschctl: thread {pid} ({name}) is a kernel thread: these '
                                     'cannot be registered\n'))
                return
        self.skipTest('no kernel thread is shown here; the guest test reschctl attaches to one')

    def test_who_says_nothing_is_contained(self):
        """An overrun stops the job, unless something else is asked for. Of threads and of attach:
        tests/guest/reschctl."""
        for more, overrun in (((), 'throttle'), (('--overrun=count',), 'count')):
            done = self.call(*RUN, '--json', *more, 'true')
            self.assertEqual(done.returncode, 0, done.stderr)
            task, = json.loads(done.stdout)['tasks']
            self.assertEqual((task['overrun'], task['miss']), (overrun, 'count'))


if __name__ == '__main__':
    unittest.main(verbosity=1)
