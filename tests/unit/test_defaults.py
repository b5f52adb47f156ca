#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Who says nothing harms nobody, in each language, and so do those who copy an example: what
docs/defaults.md has of programs."""

import ast
import glob
import os
import re
import subprocess
import tempfile
import unittest

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
# What a program that fills in nothing else asks for, member by member.
SAFE = {'period': 0, 'deadline': 0, 'wcet': 0, 'offset': 0, 'kind': 'RESCH_PERIODIC',
        'overrun': 'RESCH_THROTTLE', 'miss': 'RESCH_COUNT', 'signal': 0, 'priority': 0, 'cpu': -1,
        'flags': 0, 'group': 0}
# Structures, what begins them, and what has to be said where that doesn't: members.
BEGINNINGS = {'resch_register': ('RESCH_REGISTER_INIT', ('overrun', 'cpu')),
              'resch_task_params': ('RESCH_REGISTER_INIT', ('overrun', 'cpu')),
              'resch_server_set': ('RESCH_SERVER_INIT', ('cpu',)),
              'resch_servers_set': ('RESCH_SERVER_INIT', ('cpu',)),
              'resch_chain_set': ('RESCH_CHAIN_INIT', ('protocol',))}


def built(language, suffix, source):
    """What a program prints."""
    with tempfile.TemporaryDirectory() as folder:
        path = f'{folder}/a{suffix}'
        with open(path, 'w', encoding='utf-8') as file:
            file.write(source)
        subprocess.run([*language, '-O1', '-Wall', '-Wextra', '-Werror',
                        '-Wno-missing-field-initializers', f'-I{TOP}/libresch',
                        f'-I{TOP}/uapi', '-o', folder + '/a', path], check=True)
        return subprocess.run([folder + '/a'], check=True, stdout=subprocess.PIPE,
                              text=True).stdout.split()


def asserted(given):
    return '\n'.join(f'if ({given}.params.{member} != decltype({given}.params.{member})({value})) '
                     f'puts("{member}");' for member, value in SAFE.items())


def unsafe(text):
    """[(structure, member)] that are left to zeros where such a structure begins in C."""
    for name, (begin, members) in BEGINNINGS.items():
        for found in re.finditer(rf'struct {name} \w+(?:\[\])? = ', text):
            end = re.search(r'^\t*}?;|;$', text[found.end():], re.M)
            value = text[found.end():found.end() + end.end()]
            # one that stands has been made with all of it; or a function makes it, which is looked
            # at itself
            if begin not in value and not re.search(r'\.id\b|\.params = \w+\(', value):
                yield from ((name, member) for member in members
                            if not re.search(rf'\.{member}\b', value))


class Defaults(unittest.TestCase):
    def test_c_and_cpp(self):
        source = f'''#include <resch.hpp>
#include <cstdio>
int main()
{{
	resch_register c = RESCH_REGISTER_INIT;
	const resch_register cpp = resch::parameters{{}}.raw();
	{asserted('c')}
	{asserted('cpp')}
	if (c.domain || cpp.domain || *c.params.name || *cpp.params.name || c.pid || cpp.pid)
		puts("others");
	return 0;
}}
'''
        self.assertEqual(built(['g++', '-std=c++20'], '.cpp', source), [])
        # and it can fail
        other = source.replace('parameters{}.raw()', 'parameters{.cpu = 0}.raw()')
        self.assertEqual(built(['g++', '-std=c++20'], '.cpp', other), ['cpu'])

    def test_servers_and_chains(self):
        source = '''#include <resch.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
	struct resch_server_set server = RESCH_SERVER_INIT, no_server;
	struct resch_servers_set band = RESCH_SERVER_INIT, no_band;
	struct resch_chain_set chain = RESCH_CHAIN_INIT, no_chain;

	printf("%d %d %d %d\\n", server.params.cpu, server.params.kind == RESCH_SERVER_CBS_HARD,
	       band.params.cpu, chain.protocol == RESCH_CHAIN_RG);
	memset(&no_server, 0, sizeof(no_server));
	memset(&no_band, 0, sizeof(no_band));
	memset(&no_chain, 0, sizeof(no_chain));
	server.params.cpu = band.params.cpu = 0;
	chain.protocol = 0;
	printf("%d\\n", !memcmp(&server, &no_server, sizeof(server)) &&
	       !memcmp(&band, &no_band, sizeof(band)) && !memcmp(&chain, &no_chain, sizeof(chain)));
	return 0;
}
'''
        self.assertEqual(built(['cc', '-std=gnu11'], '.c', source), ['-1', '1', '-1', '1', '1'])

    def test_python(self):
        with open(TOP + '/libresch/python/resch/__init__.py', encoding='utf-8') as file:
            tree = ast.parse(file.read())
        join, = [node for node in ast.walk(tree)
                 if isinstance(node, ast.FunctionDef) and node.name == 'join']
        given = {name.arg: ast.unparse(value) for name, value in zip(join.args.kwonlyargs,
                                                                     join.args.kw_defaults)}
        for member, value in SAFE.items():
            if member in ('period', 'wcet'):  # have to be said
                continue
            word = str(value).replace('RESCH_', '')
            self.assertEqual(given[member].rpartition('.')[2], word, member)
        self.assertEqual(given['domain'], '0')

    def test_examples(self):
        """Whoever copies one gets no more than it shows."""
        count = 0
        for path in [*glob.glob(TOP + '/libresch/examples/*.c'), *glob.glob(TOP + '/docs/*.md'),
                     *glob.glob(TOP + '/libresch/man/*.[37]')]:
            with open(path, encoding='utf-8') as file:
                text = file.read()
            count += sum(len(re.findall(rf'struct {name} \w+ = ', text)) for name in BEGINNINGS)
            self.assertEqual(list(unsafe(text)), [], path)
        self.assertGreater(count, 12)

    def test_unsafe_ones_are_seen(self):
        for text, found in (('struct resch_register reg = {};\n', ['overrun', 'cpu']),
                            ('struct resch_register reg = { .params = { .cpu = 1 } };\n',
                             ['overrun']),
                            ('struct resch_register reg = RESCH_REGISTER_INIT;\n', []),
                            ('struct resch_server_set set = { .domain = 1 };\n', ['cpu']),
                            ('struct resch_server_set set = { .domain = 1, .id = 2 };\n', []),
                            ('\tstruct resch_chain_set want = {\n\t\t.count = 1,\n\t};\n'
                             '\tint protocol.x;\n', ['protocol'])):
            self.assertEqual([member for _, member in unsafe(text)], found, text)

    def test_table(self):
        """The document has each initializer, and what zeros of each request's structure mean."""
        with open(TOP + '/docs/defaults.md', encoding='utf-8') as file:
            text = file.read()
        with open(TOP + '/libresch/resch-init.h', encoding='utf-8') as file:
            for name in re.findall(r'^#define (RESCH_\w+_INIT)\b', file.read(), re.M):
                self.assertIn(name, text)
        with open(TOP + '/uapi/linux/resch.h', encoding='utf-8') as file:
            header = file.read()
        # those that change nothing, by what they do, and what has no choice to make
        plain = {'resch_info', 'resch_wait', 'resch_delay', 'resch_plan_get', 'resch_plugin_load',
                 'resch_call', 'resch_call_end', 'resch_serve', 'resch_guard_lend',
                 'resch_server_open', 'resch_chain_open', 'resch_chain_job'}
        asked = set(re.findall(r'_IOW?R?\(RESCH_IOC_MAGIC, \d+, struct (\w+)\)', header))
        # a server's are in both of its requests
        said = {'resch_server_set': 'resch_server_params', 'resch_servers_set':
                'resch_server_params'}
        for name in sorted(asked - plain):
            if not name.endswith('_stat'):
                self.assertIn('`' + said.get(name, name), text, name)


if __name__ == '__main__':
    unittest.main()
