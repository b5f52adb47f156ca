#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Every command that names a domain or a server says so when there is none, in the same words; on a
pretended machine."""

import contextlib
import json
import os
import subprocess
import tempfile
import unittest

import reschctl
from terminal import Terminal

HERE = os.path.dirname(os.path.abspath(__file__))
NO_DOMAIN = 'reschctl: there is no domain 9: see `reschctl domain list`\n'
NO_SERVER = 'reschctl: there is no server 9:1: see `reschctl server list`\n'
COMMANDS = (
    ('guard on 9', 1, NO_DOMAIN), ('guard off 9', 1, NO_DOMAIN), ('domain del 9', 1, NO_DOMAIN),
    ('domain set --id=9 --plugin=edf', 1, NO_DOMAIN), ('balance set 9 none', 1, NO_DOMAIN),
    ('run --domain=9 --runtime=1ms --period=9ms true', 125, NO_DOMAIN),
    ('server del 9:1', 1, NO_SERVER), ('server set 9:1 --budget=1ms', 1, NO_SERVER),
)
NO_PLUGIN = ('reschctl: there is no plugin nosuch: no module resch-nosuch is installed; '
             '`reschctl plugin list` shows what is loaded\n')
# With a domain that stands, and what the commands before have done to it.
STANDING = (
    ('domain set 1 --plugin=artis', 0, ''),
    ('domain set --id=1 --plugin=nosuch', 1, NO_PLUGIN),
    ('domain set 1 --plugin=edf', 0, 'reschctl: domain 1 is still guarded, as under artis: '
                                     '`reschctl guard off 1` ends that\n'),
    ('domain set 1 --plugin=fp', 0, 'reschctl: domain 1 is still guarded, as under edf: '
                                    '`reschctl guard off 1` ends that\n'),
    ('guard off 1', 0, ''),
    ('domain set 1 --plugin=edf', 0, ''),
)
# What `domain list` has of its guard after each.
GUARDS = ['all', 'all', 'all', 'all', 'off', 'off']

# What lists without rows say below their headings, on a terminal.
EMPTY = (
    ('domain list', 'no domains: `reschctl domain set` makes one'),
    ('server list', 'no servers: `reschctl server add` makes one'),
    ('balance list', 'no CPU is guarded: `reschctl guard on` guards a domain'),
    ('guard', 'no domain is guarded: `reschctl guard on` guards one'),
    ('tasks', 'no tasks: `reschctl run` makes a program one'),
    ('chain list', 'no chains: `reschctl chain run` makes those of a file'),
    ('lead list', 'no task has a lead: `reschctl lead set` gives one'),
)


@contextlib.contextmanager
def pretended():
    """The environment in which reschctl sees a machine of its own, without domains."""
    with tempfile.TemporaryDirectory() as folder:
        library = folder + '/pretended.so'
        subprocess.run(['cc', '-std=gnu11', '-shared', '-fPIC', '-I' + HERE + '/../../uapi',
                        '-o', library, HERE + '/pretended_device.c',
                        HERE + '/pretended_machine.c', '-ldl'], check=True)
        yield {**os.environ, 'LD_PRELOAD': library, 'RESCH_MACHINE': folder + '/machine',
               'ASAN_OPTIONS': 'verify_asan_link_order=0'}


class Nowhere(unittest.TestCase):
    def test_words(self):
        self.say(COMMANDS)

    def test_standing(self):
        """A plugin that there is not is what is said, not the domain; and a guard that outlives
        its plugin is told of, by `domain set` and in the list."""
        self.assertEqual(self.say(STANDING, 'domain list --json'), GUARDS)

    def test_empty_lists(self):
        """A terminal is told how something comes there; who reads it otherwise is not."""
        with pretended() as env:
            # tasks and chains are the pretended device's without a machine
            alone = {name: value for name, value in env.items() if name != 'RESCH_MACHINE'}
            for command, said in EMPTY:
                if command in ('tasks', 'lead list', 'chain list'):
                    env = {**alone, 'RESCH_FAKE': '/dev/null'}
                terminal = Terminal([reschctl.RESCHCTL, *command.split()], 160, env=env)
                self.addCleanup(terminal.close)
                terminal.ended()
                self.assertEqual(terminal.lines()[1:], [said], command)
                done = reschctl.call(*command.split(), env=env)
                self.assertEqual(done.stdout, terminal.lines()[0] + '\n')

    def say(self, commands, look=None):
        guards = []
        with pretended() as env:
            for command, status, said in commands:
                done = reschctl.call(*command.split(), env=env)
                self.assertEqual((done.returncode, done.stderr), (status, said), command)
                if look:
                    done = reschctl.call(*look.split(), env=env)
                    guards.append(json.loads(done.stdout)['domains'][0]['guard'])
        return guards


if __name__ == '__main__':
    unittest.main(verbosity=1)
