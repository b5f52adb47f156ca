#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Every command that names a domain or a server says so when there is none, in the same words; on a
pretended machine."""

import os
import subprocess
import tempfile
import unittest

import reschctl

HERE = os.path.dirname(os.path.abspath(__file__))
NO_DOMAIN = 'reschctl: there is no domain 9: see `reschctl domain list`\n'
NO_SERVER = 'reschctl: there is no server 9:1: see `reschctl server list`\n'
COMMANDS = (
    ('guard on 9', 1, NO_DOMAIN), ('guard off 9', 1, NO_DOMAIN), ('domain del 9', 1, NO_DOMAIN),
    ('domain set --id=9 --plugin=edf', 1, NO_DOMAIN), ('balance set 9 none', 1, NO_DOMAIN),
    ('run --domain=9 --runtime=1ms --period=9ms true', 125, NO_DOMAIN),
    ('server del 9:1', 1, NO_SERVER), ('server set 9:1 --budget=1ms', 1, NO_SERVER),
)


class Nowhere(unittest.TestCase):
    def test_words(self):
        with tempfile.TemporaryDirectory() as folder:
            library = folder + '/pretended.so'
            subprocess.run(['cc', '-std=gnu11', '-shared', '-fPIC', '-I' + HERE + '/../../uapi',
                            '-o', library, HERE + '/pretended_device.c',
                            HERE + '/pretended_machine.c', '-ldl'], check=True)
            for command, status, said in COMMANDS:
                done = reschctl.call(*command.split(), env={**os.environ, 'LD_PRELOAD': library,
                                                            'RESCH_MACHINE': folder + '/machine',
                                                            'ASAN_OPTIONS':
                                                            'verify_asan_link_order=0'})
                self.assertEqual((done.returncode, done.stderr), (status, said), command)


if __name__ == '__main__':
    unittest.main(verbosity=1)
