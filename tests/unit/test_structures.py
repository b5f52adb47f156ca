#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What is said of the structures is what they are: pages are made of the headers, and the headers
are read right.

The compiler is asked for every member's place; a member that the reader of headers left out would
be a hole. What hand-written pages print in italics has to be a parameter or a member of a structure
that the page is about.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
sys.path.insert(0, TOP + '/libresch')
sys.dont_write_bytecode = True
import headers  # noqa: E402  pylint: disable=wrong-import-position

INCLUDES = ['-I' + TOP + '/libresch', '-I' + TOP + '/uapi']
# In italics, and neither parameters nor members: terms where they are introduced, and the C
# library's errno.
TERMS = {'errno', 'params', 'domains', 'jobs', 'released', 'split', 'origin'}


def offsets(types):
    """{structure: (size, {member: (offset, size, alignment)})} as the compiler has them."""
    lines = []
    for kind in types:
        if kind.kind != 'struct':
            continue
        lines.append(f'printf("{kind.name} . %zu 0 0\\n", sizeof(struct {kind.name}));')
        for member in kind.members:
            at = f'((struct {kind.name} *)0)->{member.name}'
            lines.append(f'printf("{kind.name} {member.name} %zu %zu %zu\\n", offsetof(struct {kind.name}, {member.name}), '
                         f'sizeof({at}), __alignof__({at}));')
    names = sorted({kind.header for kind in types})
    source = (''.join(f'#include <{name}>\n' for name in ['stddef.h', 'stdio.h', *names]) +
              'int main(void)\n{\n' + '\n'.join(lines) + '\n}\n')
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['cc', *INCLUDES, '-x', 'c', '-', '-o', folder + '/offsets'], input=source,
                       text=True, check=True)
        said = subprocess.run([folder + '/offsets'], stdout=subprocess.PIPE, text=True,
                              check=True).stdout
    found = {}
    for line in said.splitlines():
        name, member, *numbers = line.split()
        first, size, alignment = map(int, numbers)
        if member == '.':
            found[name] = (first, {})
        else:
            found[name][1][member] = (first, size, alignment)
    return found


def holes(types):
    """Bytes of structures that no member has, and that no alignment asks for."""
    found = []
    for name, (size, members) in offsets(types).items():
        end = 0
        places = sorted(members.items(), key=lambda item: item[1][0])
        for member, (offset, length, alignment) in places:
            if offset != -(-end // alignment) * alignment:
                found.append(f'{name}: before {member}')
            end = offset + length
        largest = max(alignment for _, _, alignment in members.values())
        if size != -(-end // largest) * largest:
            found.append(f'{name}: at the end')
    return found


def reachable(types, text):
    """Members of the structures that a page names, and of those inside them."""
    own = {kind.name: kind for kind in types if kind.kind == 'struct'}
    queue = [name for name in own if re.search(rf'\b{name}\b', text)]
    seen, members = set(), set()
    while queue:
        name = queue.pop()
        if name in seen:
            continue
        seen.add(name)
        for member in own[name].members:
            members.add(member.name)
            queue += [word for word in re.findall(r'\w+', member.type) if word in own]
    return members


def strangers(types, text):
    """Words in italics that a page has no right to."""
    text = text.replace('\\-', '-')
    synopsis = re.search(r'^\.SH SYNOPSIS\n(.*?)^\.SH ', text, re.M | re.S)
    parameters = set(re.findall(r'\w+', synopsis[1])) if synopsis else set()
    # what a task asks for is spoken of everywhere
    known = parameters | reachable(types, text + ' resch_task_params') | TERMS
    words = (re.findall(r'^\.I (\S+)$', text, re.M) + re.findall(r'^\.IR (\S+)', text, re.M) +
             re.findall(r'\\fI(\S+?)\\f[RP]', text))
    for word in (word for word in words if '/' not in word):
        for part in re.split(r'->|\.', word.strip('.')):
            if re.fullmatch(r'[a-z_]+', part) and part not in known:
                yield part


class Structures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.types, cls.constants = headers.read_all()
        cls.named = {kind.name: kind for kind in cls.types}

    def test_all_are_read(self):
        """No structure, enumeration or member is passed over."""
        for path in headers.FILES:
            with open(path, encoding='utf-8') as file:
                text = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S)
            for kind, name in re.findall(r'\b(struct|enum|union) (\w+)\s*\{', text):
                self.assertEqual(self.named[name].kind, kind, path)
        self.assertGreater(len(self.types), 70)
        self.assertEqual(holes(self.types), [])

    def test_left_out_member_is_seen(self):
        """The measure of holes is no measure of nothing."""
        server, = (kind for kind in headers.read_all()[0] if kind.name == 'resch_server_set')
        del server.members[4]
        self.assertEqual(holes([server]), ['resch_server_set: before verdict'])

    def test_values(self):
        """Constants of enumerations have the values that the pages give."""
        checks = [f'_Static_assert({member.name} == {member.value}, "");' for kind in self.types
                  if kind.kind == 'enum'
                  for member in kind.members]
        includes = ''.join(f'#include <{name}>\n'
                           for name in sorted({kind.header for kind in self.types}))
        done = subprocess.run(['cc', *INCLUDES, '-fsyntax-only', '-x', 'c', '-'],
                              input=includes + '\n'.join(checks) + '\n',
                              text=True, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(len(checks), 80)

    def test_pages(self):
        """A page a type, that groff takes, with every member and what is said of it."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, '-B', TOP + '/libresch/structures', folder], check=True)
            self.assertEqual(sorted(os.listdir(folder)),
                             sorted(name + '.3type' for name in self.named))
            for kind in self.types:
                with open(f'{folder}/{kind.name}.3type', encoding='utf-8') as file:
                    text = file.read()
                for member in kind.members:
                    self.assertRegex(text, rf'(?m)^\.TP\n\.B {member.name}\b.*\n.+', kind.name)
                self.assertNotRegex(text, r'[^\x00-\x7f]', kind.name)
                for name, section in re.findall(r'^\.BR (resch\w*) \((3type|3|7)\)', text, re.M):
                    self.assertTrue(name in self.named or
                                    os.path.exists(f'{TOP}/libresch/man/{name}.{section}'), name)
            with open(folder + '/resch_task_params.3type', encoding='utf-8') as file:
                text = file.read()
            # units, ranges, flags
            for words in ('1 \\(mcs to 1 h', '1 ns to \\fIdeadline\\fR', '1 (most urgent) to 10000',
                          '.B RESCH_F_SYNC'):
                self.assertIn(words, text)
            with open(folder + '/resch_register.3type', encoding='utf-8') as file:
                self.assertIn('.B \\-EBUSY\nadmission refused it', file.read())

    def test_undescribed_member_is_refused(self):
        """A member about which nothing is said stops the build, as does a description of no
        member."""
        with open(headers.FILES[0], encoding='utf-8') as file:
            text = file.read()
        with tempfile.TemporaryDirectory() as folder:
            path = folder + '/resch.h'
            for old, new, said in (('__aligned_u64 wcet;\n', '__aligned_u64 wcet;\n\t__u64 more;\n',
                                    'what these are: more'),
                                   (' * @wcet:', ' * @wcte:', '@wcte is no member'),
                                   ('/** enum resch_gone - why', '/* enum resch_gone - why',
                                    'nothing is said of it')):
                self.assertIn(old, text)
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(text.replace(old, new, 1))
                with self.assertRaisesRegex(ValueError, said):
                    headers.read(path)

    def test_words_of_pages(self):
        found = {}
        for path in sorted(glob.glob(TOP + '/libresch/man/*.[37]')):
            with open(path, encoding='utf-8') as file:
                words = set(strangers(self.types, file.read()))
            if words:
                found[os.path.basename(path)] = words
        self.assertEqual(found, {})

    def test_strange_word_is_seen(self):
        with open(TOP + '/libresch/man/resch_task_stat.3', encoding='utf-8') as file:
            text = file.read()
        self.assertEqual(set(strangers(self.types, text)), set())
        self.assertEqual(set(strangers(self.types, text + '.I misssed\n.IR stat\\->idd .\n')),
                         {'misssed', 'idd'})


if __name__ == '__main__':
    unittest.main(verbosity=1)
