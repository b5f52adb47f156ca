#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The C++ header, and the installed examples: compiled as users do, and run on a device that is
played.

The device is played_device.c, preloaded: tasks are released by the clock, and nobody is kept from a
CPU, so it is what the programs say and how they end that counts, and no time. $LIBRESCH is where
the library was built.
"""

import glob
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from preloaded import preloaded

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
LIBRESCH = os.path.abspath(os.environ.get('LIBRESCH', TOP + '/build/host/obj/libresch'))
EXAMPLES = TOP + '/libresch/examples/'
USE = ['-I' + TOP + '/libresch', '-I' + TOP + '/uapi', '-L' + LIBRESCH, '-pthread']
STRICT = ['-Wall', '-Wextra', '-Werror']

# What examples print on the played device: a pattern for all of it.
PRINTS = {
    'application.c': (['1', '5'], r'server: \d+ of \d+ ns\nfast: 5 jobs, .*\nslow: 5 jobs, .*\n'),
    'chain.c': ([], r'(?s).+'),
    'events.c': ([], r'(task 1, job \d+: (overrun|miss)\n)+task 1, job 20: gone\n'),
    'periodic.c': (['1', '5'], r'4 jobs, \d+ misses, response at most \d+ ns\n'),
    'periodic.cpp': (['1', '5'], r'4 jobs, \d+ misses, response at most \d+ ns\n'),
    'sporadic.c': (['1'], r'50 jobs handled\n'),
    'sync.c': (['1'], r'2 tasks started; first releases at zero \+ 0 ns and zero \+ \d+ ns\n'),
    'threads.c': (['1'], r'(thread \d: first release at zero \+ \d+ ns\n)+'),
}
# A server and its client: test_pair; tests/guest/comm runs them with budgets.
PAIR = {'comm-client.c', 'comm-server.c'}
# Stages of a chain: compiled here, run by tests/guest/chain-run and chain-bindings.
CHAIN = {'pipes.c', 'robot.c', 'stages.cpp'}
# RT0 and RT1+; one that looks for its domain: compiled here, run by tests/guest/reschctl.
LEVELS = {'acquire.c', 'oris.c'}
# Run by test_python.py, and by tests/guest/chain-bindings.
PYTHON = {'periodic.py', 'stages.py'}
# Read by programs: test_documents.py.
FILES = {'fusion.csv'}


class Bindings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        cls.played = preloaded(cls, 'played_device')

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def compiled(self, source, *compiler):
        program = os.path.join(self.folder, os.path.basename(source) + '.program')
        done = subprocess.run([*compiler, *STRICT, source, *USE, '-lresch', '-o', program],
                              stderr=subprocess.PIPE, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, f'{source}: {compiler}\n{done.stderr}')
        return program

    def run_played(self, *command, device=True):
        environment = {**os.environ, 'LD_LIBRARY_PATH': LIBRESCH}
        if device:
            environment['LD_PRELOAD'] = self.played
        return subprocess.run(command, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=120,
                              check=False)

    def test_cpp(self):
        """All of resch.hpp, by several languages and compilers."""
        compilers = [name for name in ('g++', 'clang++') if shutil.which(name)]
        for compiler in compilers:
            for standard in ('c++17', 'c++20'):
                program = self.compiled(TOP + '/tests/unit/binding_cpp.cpp', compiler,
                                        '-std=' + standard, '-Wconversion')
            done = self.run_played(program)
            self.assertEqual((done.returncode, done.stdout), (0, 'done\n'), done.stderr)
        if not os.path.exists('/dev/resch'):
            self.assertEqual(self.run_played(program, device=False).stdout, 'no device\n')

    def test_cpp_headers(self):
        """Each may be included alone, and resch.hpp includes all."""
        headers = {os.path.basename(path) for path in glob.glob(TOP + '/libresch/resch-*.hpp')}
        with open(TOP + '/libresch/resch.hpp', encoding='utf-8') as file:
            self.assertEqual(set(re.findall(r'<(resch-\w+\.hpp)>', file.read())), headers)
        for name in sorted(headers):
            with self.subTest(header=name):
                source = self.folder + '/alone.cpp'
                with open(source, 'w', encoding='utf-8') as file:
                    file.write(f'#include <{name}>\n')
                subprocess.run(['g++', '-std=c++17', '-fsyntax-only', '-Wall', '-Wextra', '-Werror',
                                *USE[:2], source], check=True)

    def test_cpp_without_exceptions(self):
        program = self.compiled(TOP + '/tests/unit/binding_cpp.cpp', 'g++', '-std=c++17',
                                '-fno-exceptions', '-fno-rtti')
        done = self.run_played(program)
        # what value() does where it can't throw
        self.assertEqual((done.returncode, done.stdout), (-6, 'ends\n'), done.stderr)
        self.assertEqual(done.stderr,
                         'resch: the runtime, 199ms, is longer than the period, 10ms\n')

    def test_unread_result_is_told(self):
        """A result that nobody looks at is a warning."""
        source = self.folder + '/unread.cpp'
        with open(source, 'w', encoding='utf-8') as file:
            file.write('#include <resch.hpp>\nvoid f(const resch::parameters &p);\nvoid f(const resch::parameters &p) { p.check(); }\n')
        done = subprocess.run(['g++', '-std=c++17', '-fsyntax-only', '-Wall', *USE[:2], source],
                              stderr=subprocess.PIPE, text=True,
                              check=False)
        self.assertIn('nodiscard', done.stderr)

    def test_examples(self):
        found = {os.path.basename(path) for path in glob.glob(EXAMPLES + '*.[!h]*')}
        self.assertEqual(found, set(PRINTS) | PAIR | CHAIN | LEVELS | PYTHON | FILES)
        for name in sorted(found - PYTHON - FILES):
            with self.subTest(example=name):
                compiler = ['g++', '-std=c++17'] if name.endswith('.cpp') else ['cc', '-std=gnu11']
                program = self.compiled(EXAMPLES + name, *compiler)
                if name in PAIR | CHAIN | LEVELS:
                    continue
                arguments, pattern = PRINTS[name]
                done = self.run_played(program, *arguments)
                self.assertEqual(done.returncode, 0, f'{name}: {done.stdout}{done.stderr}')
                self.assertTrue(re.fullmatch(pattern, done.stdout), f'{name}: {done.stdout}')

    def test_pair(self):
        """Without a domain nobody pays, and what they do is the same."""
        def echo():
            connection, _ = listening.accept()
            with connection:
                while part := connection.recv(4096):
                    connection.sendall(part)
        server, client = (self.compiled(f'{EXAMPLES}comm-{name}.c', 'cc', '-std=gnu11')
                          for name in ('server', 'client'))
        path = self.folder + '/comm.socket'
        with socket.create_server(('127.0.0.1', 0)) as listening, \
                subprocess.Popen([server, path], env={**os.environ,
                                                      'LD_LIBRARY_PATH': LIBRESCH}) as serving:
            threading.Thread(target=echo, daemon=True).start()
            while not os.path.exists(path) and serving.poll() is None:
                time.sleep(0.01)
            port = str(listening.getsockname()[1])
            # The socket has its name a moment before somebody listens there.
            while True:
                done = self.run_played(client, path, '127.0.0.1', port, device=False)
                if 'refused' not in done.stderr or serving.poll() is not None:
                    break
            serving.terminate()
        self.assertRegex(done.stdout, r'^\d+ of 100 jobs complete in time\n$', done.stderr)

    def test_examples_without_a_device(self):
        """They say what is missing."""
        if os.path.exists('/dev/resch'):
            self.skipTest('there is a device')
        for name in ('periodic.c', 'periodic.cpp'):
            done = self.run_played(self.compiled(EXAMPLES + name, 'g++' if name.endswith('p') else
                                                 'cc'), device=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn('is not loaded', done.stderr)


if __name__ == '__main__':
    unittest.main(verbosity=1)
