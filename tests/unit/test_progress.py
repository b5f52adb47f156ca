#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""resch-sim says how far it is on a terminal, and to nobody else; $RESCH_SIM is the program."""

import os
import subprocess
import tempfile
import unittest

import terminal

SIM = os.environ.get('RESCH_SIM', 'build/host/obj/unit/resch-sim')
SET = 'wcet,period\n1ms,10ms\n'


class Progress(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = self.folder.name + '/set.csv'
        with open(self.path, 'w', encoding='utf-8') as file:
            file.write(SET)

    def call(self, time):
        return [SIM, '-p', 'edf', '--cpus', '1', '-t', time, self.path]

    def test_terminal(self):
        screen = terminal.Terminal(self.call('100000h'))
        self.addCleanup(screen.close)
        screen.until(lambda seen: 'of 360000000.0 s simulated, 0.' in seen.main)
        # and nothing of it where there is nothing to wait for
        short = terminal.Terminal(self.call('1s'))
        self.addCleanup(short.close)
        short.until(lambda seen: seen.process.poll() is not None)
        short.read(1)
        self.assertNotIn('simulated', short.main)

    def test_nobody(self):
        with subprocess.Popen(self.call('100000h'), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as program:
            try:
                program.wait(5)
            except subprocess.TimeoutExpired:
                pass
            program.kill()
            self.assertEqual(program.communicate(), ('', ''))


if __name__ == '__main__':
    unittest.main(verbosity=1)
