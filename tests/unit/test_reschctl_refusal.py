#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What reschctl says of a plugin's own limits, of which the module gives two numbers; and what a
task is that says nothing.

On a device that is played (played_device.c), which refuses as it is told.
"""

import json
import os
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
