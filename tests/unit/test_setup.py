#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Which packages setup.sh asks apt for, where none is installed: each once, and for what is
installed nothing of the tests."""

import os
import subprocess
import tempfile
import unittest

SETUP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../harness/setup.sh')
PROGRAMS = {'dpkg-query': 'exit 1', 'sudo': 'shift; exec "$@"', 'apt-get': 'echo "$@" >>"$ASKED"'}


class Setup(unittest.TestCase):
    def asked(self, *purposes):
        with tempfile.TemporaryDirectory() as folder:
            for name, body in PROGRAMS.items():
                with open(f'{folder}/{name}', 'w', encoding='utf-8') as file:
                    file.write(f'#!/bin/sh\n{body}\n')
                os.chmod(f'{folder}/{name}', 0o755)
            environment = {**os.environ, 'PATH': f'{folder}:{os.environ["PATH"]}',
                           'ASKED': folder + '/asked', 'RESCH_CACHE': folder + '/cache'}
            subprocess.run([SETUP, *purposes], env=environment, check=True, capture_output=True)
            with open(folder + '/asked', encoding='utf-8') as file:
                lines = file.read().splitlines()
        self.assertEqual(len(lines), 1, lines)
        return lines[0].partition(' install ')[2].split()[2:]

    def test_each_once(self):
        for purposes in (['guest', 'bench'], ['build', 'install', 'bpf'],
                         ['guest', 'lint', 'build', 'model', 'plot']):
            asked = self.asked(*purposes)
            self.assertEqual(len(asked), len(set(asked)), asked)

    def test_install_has_nothing_of_tests(self):
        asked = self.asked('install')
        self.assertIn('libjson-c-dev', asked)
        self.assertFalse({'libcmocka-dev', 'libelf-dev', 'python3-pyte'} & set(asked), asked)


if __name__ == '__main__':
    unittest.main(verbosity=1)
