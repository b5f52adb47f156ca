#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The examples of the library's manual pages and of docs/ compile, as C and as C++20; the public
headers do as what programs use.

Those of resch_cpp(7) are C++17, with and without exceptions.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
sys.path.insert(0, TOP + '/tests/guest/lib')
sys.dont_write_bytecode = True
import typed  # noqa: E402  pylint: disable=wrong-import-position
INCLUDES = ['-I' + TOP + '/libresch', '-I' + TOP + '/uapi']
HEADERS = sorted(os.path.basename(path) for path in glob.glob(TOP + '/libresch/resch*.h'))
CPP_LANGUAGES = tuple((' '.join(['C++17', *more]),
                       ['g++', '-x', 'c++', '-std=c++17', '-include', 'resch.hpp', *more])
                      for more in ([], ['-fno-exceptions']))
LANGUAGES = (('C', ['cc', '-x', 'c', '-std=gnu11']), ('C++', ['g++', '-x', 'c++', '-std=c++20']))

# What a page's fragment takes as given.
GIVEN = '''#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
%s
#ifdef __cplusplus
template <class... Any> static void work(Any...) {}
#else
#define work(...) ((void)0)
#endif
static int fd, result;
static void *data;
static __u32 domain;
static struct resch_jobs *jobs;
static struct resch_wait job;
static struct resch_register reg;
'''


def examples(text):
    """What stands between .nf and .fi, or .EX and .EE, below EXAMPLES."""
    section = re.search(r'^\.SH EXAMPLES?\n(.*?)(?=^\.SH )', text, re.M | re.S)
    for code in re.findall(r'^\.(?:nf|EX)\n(.*?)^\.(?:fi|EE)', section.group(1) if section else '',
                           re.M | re.S):
        # others are command lines
        if ';' in code:
            yield code.replace('\\e', '\\').replace('\\\\', '\\').replace('\\-', '-')


def program(code):
    """Functions at the top, statements in one; what a page leaves out is nothing."""
    code = code.replace('{ ... }', '{}').replace('...', 'work();')
    functions = ''.join(re.findall(r'^static .*?^}\n', code, re.M | re.S))
    for function in re.findall(r'^static .*?^}\n', code, re.M | re.S):
        code = code.replace(function, '')
    given = GIVEN % '\n'.join(f'#include <{name}>' for name in HEADERS)
    return given + functions + 'void example(void)\n{\n' + code + '}\n'


def in_documents():
    """[(document, what its reader has, code)] of docs/; a plugin's is compiled where it is typed,
    by test_documents.py, and part of one is the plugin's."""
    given = {'docs/providers.md': '''#include <sys/ioctl.h>
static __u32 provider;
static __u64 request;
''', 'docs/servers.md': '''static char text[RESCH_VERDICT_TEXT];
static struct resch_server_set want;
static inline void refine_the_result(void) {}
'''}
    for path in sorted(glob.glob('docs/*.md', root_dir=TOP)):
        with open(f'{TOP}/{path}', encoding='utf-8') as file:
            for _, lines in typed.blocks(file.read(), 'c'):
                if path != 'docs/writing-a-plugin.md':
                    yield path, given.get(path, ''), '\n'.join(lines) + '\n'


def compiled(command, source):
    with tempfile.NamedTemporaryFile('w', suffix='.txt') as file:
        file.write(source)
        file.flush()
        return subprocess.run([*command, *INCLUDES, '-Wall', '-Wextra', '-Werror', '-Wno-unused',
                               '-Wno-missing-field-initializers', '-fsyntax-only', file.name],
                              stderr=subprocess.PIPE, text=True, check=False)


class Examples(unittest.TestCase):
    def test_pages(self):
        count = 0
        for path in sorted(glob.glob(TOP + '/libresch/man/*.[37]')):
            with open(path, encoding='utf-8') as file:
                text = file.read()
            for code in examples(text):
                count += 1
                for name, command in CPP_LANGUAGES if '_cpp' in path else LANGUAGES:
                    done = compiled(command, program(code))
                    self.assertEqual(done.returncode, 0,
                                     f'{os.path.basename(path)} as {name}:\n{code}\n{done.stderr}')
        self.assertGreaterEqual(count, 8)

    def test_documents(self):
        count = 0
        for path, given, code in in_documents():
            count += 1
            for name, command in LANGUAGES:
                done = compiled(command, program(code).replace('static int fd',
                                                               given + 'static int fd', 1))
                self.assertEqual(done.returncode, 0, f'{path} as {name}:\n{code}\n{done.stderr}')
        self.assertGreaterEqual(count, 4)

    def test_order_of_members_is_seen(self):
        """The compiler tells what C++ doesn't take: the test is not about nothing."""
        code = 'struct resch_task_params params = { .kind = RESCH_PERIODIC, .period = 1 };\n'
        self.assertEqual(compiled(LANGUAGES[0][1], program(code)).returncode, 0)
        self.assertNotEqual(compiled(LANGUAGES[1][1], program(code)).returncode, 0)

    def test_headers(self):
        """Each alone, in old and new languages."""
        for name in HEADERS:
            for command in (['cc', '-x', 'c', '-std=c99'],
                            ['cc', '-x', 'c', '-std=c11', '-pedantic'],
                            ['g++', '-x', 'c++', '-std=c++11'], ['g++', '-x', 'c++', '-std=c++20']):
                done = compiled(command, f'#include <{name}>\n')
                self.assertEqual(done.returncode, 0, f'{name}, {command}:\n{done.stderr}')

    def test_command_line(self):
        """Libraries come after what needs them: elsewhere linkers drop them."""
        for path in glob.glob(TOP + '/libresch/man/*'):
            with open(path, encoding='utf-8') as file:
                for line in file.read().replace('\\-', '-').splitlines():
                    if 'pkg-config' in line and '--libs' in line:
                        self.assertRegex(line,
                                         r'c(c|\+\+ -std=c\+\+17) \S+\.c(pp)? \$\(pkg-config', path)


if __name__ == '__main__':
    unittest.main(verbosity=1)
