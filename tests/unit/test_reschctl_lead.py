#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""reschctl lead: tasks of a device that is only pretended (pretended_device.c). What `measure` does
is for a guest: tests/guest/reschctl.

usage: RESCHCTL=PATH test_reschctl_lead.py
"""

import json
import subprocess
import unittest

from preloaded import Pretended
from reschctl import RESCHCTL

TASKS = '''domain 1 2 edf
task 3 0 2000000 10000000 plain
task 4 0 2000000 10000000 servo
lead 4 40000 33400 7
'''


class Lead(Pretended):
    def call(self, *arguments, status=0, said=''):
        result = subprocess.run([RESCHCTL, 'lead', *arguments], env=self.environment(),
                                capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertIn(said, result.stderr)
        return result.stdout

    def setUp(self):
        super().setUp()
        with open(self.device, 'w', encoding='utf-8') as file:
            file.write(TASKS)

    def test_list(self):
        lines = self.call('list').splitlines()
        self.assertEqual(lines[0].split(), 'ID NAME CPU LEAD WAY MAX LATE JOBS'.split())
        self.assertEqual(lines[1].split(), '4 servo 0 40us 33.4us 7 0'.split())
        self.assertEqual(len(lines), 2)
        tasks = json.loads(self.call('list', '--json'))['tasks']
        self.assertEqual(tasks, [{'id': 4, 'name': 'servo', 'cpu': 0, 'lead': 40000,
                                  'way_max': 33400, 'late': 7, 'jobs': 0}])

    def test_set(self):
        self.call('set', '3', '25us')
        with open(self.device, encoding='utf-8') as file:
            self.assertIn('lead 3 25000 ', file.read())
        self.call('set', '4', '0')

    def test_refused(self):
        self.call('set', '9', '25us', status=1, said='there is no task 9')
        self.call('set', '3', '2ms', status=1, said='a lead is below 1ms and the period')
        with open(self.device, 'a', encoding='utf-8') as file:
            file.write('refuse 3\n')
        self.call('set', '3', '25us', status=1, said='with that lead in each job: ')
        self.call('set', '4', '25us')

    def test_command_line(self):
        self.call('set', '3', '25', status=2, said="'25' is no time: 40us")
        self.call('set', '3', status=2, said='the id of a task, and a time')
        self.call('set', 'x', '1us', status=2, said='the id of a task, and a time')
        self.call('measure', status=2, said='which CPU? --cpu=N')
        self.call('measure', '--cpu=1', '--period=1us', status=2, said='100us')
        self.call('measure', '--cpu=1', '--jobs=1', status=2, said='10')
        self.call('measure', '--cpu=1', 'x', status=2, said='takes no arguments')
        self.call('nosuch', status=2)


if __name__ == '__main__':
    unittest.main()
