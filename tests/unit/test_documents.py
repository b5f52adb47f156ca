#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""README.md, docs/ and manual pages: each command, example and picture is exercised by somebody,
and documents.list says by whom.

What a block that begins with ```console shows after "$ " is typed here, and prints what the
document has, to the digit; after "# " it is typed in a guest (tests/guest/documents), and
docs/tutorial.md by tests/guest/tutorial. What a manual page has after "$ " is typed, too, and
succeeds. All other command lines have an entry in documents.list, a test or a program with the
words by which it does so. Lines of reschctl are all taken by its parser. Code in C is
test_examples.py's, files of reschctl apply test_reschctl_apply.py's.
$RESCHCTL and $RESCH_SIM are the programs; DOCUMENT=docs/chains.md: that one alone.
"""

import fnmatch
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
sys.path.insert(0, TOP + '/tests/guest/lib')
sys.dont_write_bytecode = True
import pages  # noqa: E402  pylint: disable=wrong-import-position
import typed  # noqa: E402  pylint: disable=wrong-import-position

PROGRAMS = {
    'reschctl': os.path.abspath(os.environ.get('RESCHCTL', TOP + '/build/host/obj/tools/reschctl')),
    'resch-sim': os.path.abspath(os.environ.get('RESCH_SIM',
                                                TOP + '/build/host/obj/unit/resch-sim')),
    'resch-gen': TOP + '/bench/gen/resch_gen.py',
    **{name: f'{TOP}/tools/trace/{name}'
       for name in ('resch-check', 'resch-draw', 'resch-export', 'resch-jitter')},
}
# Rooms with files that the documents use.
LINKED = ('bench', 'libresch', 'tests', 'tools')
TYPED_ELSEWHERE = 'docs/tutorial.md'
# What a command line may begin with where there is no prompt.
KNOWN = re.compile(
    r'(sudo|make|modprobe|insmod|reschctl|reschtop|resch-\w+|trace-cmd|kernelshark|perf|bpftrace|'
    r'systemctl|dkms|cc|gcc|g\+\+|python3|cat|echo|tests/\S+|bench/\S+|tools/\S+|\.ci/\S+)( |$)')
# What is above a file, where a list has several, as `systemctl cat` has it.
NAMED = re.compile(r'# /etc/\S+')


def documents():
    only = os.environ.get('DOCUMENT')
    for path in ['README.md', 'CONTRIBUTING.md', *sorted(glob.glob('docs/*.md', root_dir=TOP))]:
        if path != TYPED_ELSEWHERE and only in (None, path):
            with open(os.path.join(TOP, path), encoding='utf-8') as file:
                yield path, file.read()
    for path in pages.names():
        if only in (None, path):
            yield path, pages.read(path)


def untyped(text):
    """[(line number, command)] of what is shown and not typed: after a prompt in blocks without a
    language and in indented ones, and where there is none, what begins with a known program."""
    indented = [(number, [line[4:] for line in block])
                for number, block in indented_blocks(re.sub(r'^```.*?^```',
                                                            lambda found: '\n' *
                                                            found[0].count('\n'), text,
                                                            flags=re.M | re.S))]
    for start, lines in typed.blocks(text, '') + indented:
        prompts = any(re.match(r'[$#] ', line) for line in lines)
        for number, line in enumerate(lines, start):
            if NAMED.fullmatch(line):
                continue
            if prompts and re.match(r'[$#] ', line):
                yield number, line[2:]
            elif not prompts and KNOWN.match(line):
                # what stands after two spaces, or a #, is said of it
                yield number, re.split(r'  +|\s#\s', line)[0]


def indented_blocks(text):
    block = None
    for number, line in enumerate([*text.splitlines(), ''], 1):
        if re.match(r'    \S', line):
            block = block or (number, [])
            block[1].append(line)
        elif block:
            yield block
            block = None


MEASURE = re.compile(r'(?<![\w.])\d[\d,.]*(?: to \d[\d,.]*)? '
                     r'(?:ns|us|µs|ms|s|min|%|MB|GB|instructions|cycles)(?!\w)')
FIGURE = re.compile(r'\b\d[\d,]*\.\d+|\b\d{2,}\b')


def sections(text):
    """[(heading, text)] of a document."""
    heading, lines, fenced = '', [], False
    for line in text.splitlines():
        fenced ^= line.startswith('```')
        if line.startswith('#') and not fenced:
            yield heading, '\n'.join(lines)
            heading, lines = line.lstrip('# '), []
        else:
            lines.append(line)
    yield heading, '\n'.join(lines)


def figures(text):
    """Headings under which there are tables or blocks of figures that show no command of their
    own."""
    for heading, body in sections(text):
        blocks = [lines for _, lines in typed.blocks(body, '')]
        blocks += [lines for _, lines in indented_blocks(re.sub(r'^```.*?^```', '', body,
                                                                flags=re.M | re.S))]
        counts = [sum(len(FIGURE.findall(line)) for line in lines) for lines in blocks
                  if not any(re.match(r'\s*[$#] ', line) or KNOWN.match(line.strip())
                             for line in lines)]
        for rows in re.findall(r'^\|[-:| ]+\|\n((?:\|.*\n?)+)', body, re.M):
            cells = [cell.strip() for row in rows.splitlines()
                     for cell in row.strip('|').split('|')[1:]]
            # a row's worth, and a fifth of all
            found = sum(re.match(r'[\d,.]+( |$|%)', cell) is not None for cell in cells)
            counts.append(7 if 5 * found > len(cells) + 5 else 0)
        if any(count > 6 for count in counts):
            yield heading


def figures_in_prose(text):
    """Headings under whose sentences there are more than two figures with units, but in `code`."""
    for heading, body in sections(text):
        body = re.sub(r'^```.*?^```', '', body, flags=re.M | re.S)
        body = re.sub(r'^(    |\|).*', '', body, flags=re.M)
        if len(MEASURE.findall(re.sub(r'`[^`]*`', '', body))) > 2:
            yield heading


def lines_of_list():
    with open(TOP + '/tests/unit/documents.list', encoding='utf-8') as file:
        for line in file:
            if line.strip() and not line.startswith('#'):
                yield [word.strip() for word in line.split(' | ')]


def entries():
    """[(document, pattern, [(file, words)])] of documents.list, but its figures."""
    for document, pattern, *where in lines_of_list():
        if document != 'figures':
            yield document, pattern, [tuple(each.split(': ', 1)) for each in where]


def flags(command):
    """Whether the program that such a line names has such options; in words what is wrong, or
    nothing."""
    try:
        words = shlex.split(re.split(r' && | \| ', command)[0], comments=True)
    except ValueError:
        return ''
    while words and (words[0] == 'sudo' or re.match(r'[A-Z_]+=', words[0])):
        words.pop(0)
    if not words:
        return ''
    if words[0] == 'make':
        return make_target(words[1:])
    path = os.path.join(TOP, words[0])
    if '/' not in words[0] or words[0].startswith(('/', './', 'build/')):
        return ''
    if not os.access(path, os.X_OK):
        return f'there is no program {words[0]}'
    with open(path, encoding='utf-8') as file:
        text = file.read()
    for other in glob.glob(os.path.dirname(path) + '/*.py') + glob.glob(TOP + '/bench/*.py'):
        with open(other, encoding='utf-8') as file:
            text += file.read()
    rest = words[1:words.index('--')] if '--' in words else words[1:]
    strange = [word.split('=')[0] for word in rest if word.startswith('--') and
               word.split('=')[0] not in text]
    return f'{words[0]} has no {strange[0]}' if strange else ''


def make_target(words):
    folder = TOP
    if words[:1] == ['-C']:
        folder, words = os.path.join(TOP, words[1]), words[2:]
    targets = [word for word in words if '=' not in word and not word.startswith('-')]
    done = subprocess.run(['make', '-n', '-C', folder, *words], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True,
                          check=False)
    return f'make {targets}: {done.stderr}' if done.returncode else ''


class Typed(unittest.TestCase):
    """The commands that need no kernel of their own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.shown = set()
        self.bin, self.work = folder.name + '/bin', folder.name + '/work'
        os.makedirs(self.bin)
        os.makedirs(self.work)
        for name, path in PROGRAMS.items():
            os.symlink(path, f'{self.bin}/{name}')
        for name in LINKED:
            os.symlink(f'{TOP}/{name}', f'{self.work}/{name}')

    def prepare(self, path, text):
        """writing-a-plugin.md makes a plugin: in a copy of what it is compiled from. Manual pages
        have task sets, traces and plans."""
        if pages.is_page(path) and typed.blocks(text):
            pages.prepare(self.bin, self.work)
        if path != 'docs/writing-a-plugin.md':
            return
        for name in LINKED:
            os.remove(f'{self.work}/{name}')
        for name in ('VERSION', 'bench/common', 'bench/sim', 'libresch', 'module/include',
                     'plugins', 'tools/common', 'tools/trace', 'uapi'):
            if os.path.isdir(f'{TOP}/{name}'):
                shutil.copytree(f'{TOP}/{name}', f'{self.work}/{name}')
            else:
                shutil.copy(f'{TOP}/{name}', f'{self.work}/{name}')
        first = text[text.index('## 1.'):text.index('## 2.')]
        with open(self.work + '/plugins/sjf.c', 'w', encoding='utf-8') as file:
            file.write('\n'.join('\n'.join(lines) + '\n' for _, lines in typed.blocks(first, 'c')))
        with open(self.work + '/plugins/Kbuild', encoding='utf-8') as file:
            kbuild = file.read()
        with open(self.work + '/plugins/Kbuild', 'w', encoding='utf-8') as file:
            file.write(re.sub(r'^(plugin-names := .*)$', r'\1 sjf', kbuild, flags=re.M))

    def show(self, command, expected):
        """A file that a document shows is one that its reader has."""
        words = command.split()
        if words[0] == 'cat' and len(words) == 2 and (words[1] in self.shown or
                                                      not os.path.exists(
                                                          f'{self.work}/{words[1]}')):
            self.shown.add(words[1])
            with open(f'{self.work}/{words[1]}', 'w', encoding='utf-8') as file:
                file.write('\n'.join(expected) + '\n')

    def type_document(self, path, text):
        count = 0
        self.prepare(path, text)
        shell = typed.Shell(self.work, 300, PATH=self.bin + ':' + os.environ['PATH'],
                            PYTHONDONTWRITEBYTECODE='1', CFLAGS='-O1')
        self.addCleanup(shell.close)
        for start, lines in typed.blocks(text):
            if not lines[0].startswith('$ '):
                continue
            for _, command, expected in typed.commands(lines):
                count += 1
                self.show(command, expected)
                status, printed = shell.type(command)
                self.assertNotIn(status, range(1, 128) if pages.is_page(path) else (124, 127),
                                 f'{path}:{start}: {command}\n{printed}')
                self.assertTrue(typed.alike(expected, printed, typed.exact), '\n'.join(
                    [f'{path}:{start}: {command}', '-- it has:', *expected,
                     '-- printed now:', *printed]))
        return count

    def test_typed(self):
        count = 0
        for path, text in documents():
            with self.subTest(path):
                count += self.type_document(path, text)
                self.doCleanups()
                self.setUp()
        if not os.environ.get('DOCUMENT'):
            self.assertGreater(count, 20)

    def test_difference_is_seen(self):
        with self.assertRaisesRegex(AssertionError, 'printed now:\n2'):
            self.type_document('a', '```console\n$ echo 2\n1\n```\n')
        with self.assertRaisesRegex(AssertionError, 'nosuch'):
            self.type_document('a', '```console\n$ nosuch\n```\n')
        with self.assertRaisesRegex(AssertionError, 'reschtop.8:2: resch-check nosuch'):
            self.type_document('tools/top/man/reschtop.8',
                               '```console\n$ resch-check nosuch\n...\n```\n')


class Plugins(unittest.TestCase):
    """docs/plugins.md has all plugins and their options, and these are taken."""

    def refused(self, plugin):
        done = subprocess.run([PROGRAMS['resch-sim'], '-p', plugin, '-t', '1ms',
                               TOP + '/tools/examples/set.csv'], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False)
        return 'does not take' in done.stderr or 'no such plugin' in done.stderr

    def test_plugins(self):
        with open(TOP + '/plugins/Kbuild', encoding='utf-8') as file:
            names = re.search(r'^plugin-names := (.*)', file.read(), re.M)[1].split() + ['fifo']
        with open(TOP + '/docs/plugins.md', encoding='utf-8') as file:
            purposes, options = re.findall(r'\|(?:---\|)+\n((?:\|.*\n)+)', file.read())
        self.assertEqual(sorted(row.split('|')[2].strip(' `') for row in purposes.splitlines()),
                         sorted(names))
        rows = {row.split('|')[1].strip(' `'): row.split('|')[3] for row in options.splitlines()}
        self.assertEqual(sorted(rows), sorted(names))
        for name, row in rows.items():
            said = re.findall(r'`(\w+)=(\w+)`', row)
            for key, value in said:
                self.assertFalse(self.refused(f'{name}:{key}={value}'), f'{name}: {key}={value}')
            with open(f'{TOP}/plugins/{name}.c', encoding='utf-8') as file:
                about = file.read().split('*/')[0]
            self.assertEqual({key for key, _ in said}, set(re.findall(r'\b([a-z]+)=', about)), name)

    def test_nonsense_is_seen(self):
        self.assertTrue(self.refused('fp:order=xx') and self.refused('nosuch'))


class Listed(unittest.TestCase):
    def test_commands(self):
        """Each command that is not typed has an entry, each entry a command, and what it names is
        there."""
        listed, used = list(entries()), set()
        for path, text in documents():
            for number, command in untyped(text):
                found = [at for at, (document, pattern, _) in enumerate(listed)
                         if document == path and fnmatch.fnmatchcase(command, pattern)]
                self.assertTrue(found, f'{path}:{number}: who exercises this? {command}')
                used.update(found)
                self.assertEqual(flags(command), '', f'{path}:{number}: {command}')
        if not os.environ.get('DOCUMENT'):
            others = {at for at, (kind, _, _) in enumerate(listed)
                      if kind in ('picture', 'constants')}
            self.assertEqual([listed[at] for at in range(len(listed)) if at not in used | others],
                             [], 'of no command')

    def test_entries(self):
        for document, pattern, where in entries():
            self.assertTrue(where, f'{document}: {pattern}')
            for name, *words in where:
                self.assertTrue(os.path.exists(os.path.join(TOP, name)),
                                f'{document}: {pattern}: {name}')
                if words:
                    with open(os.path.join(TOP, name), encoding='utf-8') as file:
                        self.assertTrue(words[0] in file.read(),
                                        f'{document}: {pattern}: no "{words[0]}" in {name}')

    def test_lines_of_reschctl(self):
        """All of them, typed or not, are understood; what comes of them is another machine's."""
        count = 0
        for path, text in documents():
            shown = [command for _, command in untyped(text)]
            shown += [command for _, lines in typed.blocks(text)
                      for _, command, _ in typed.commands(lines)]
            for line in shown:
                for command in re.split(r'; |\|| && ', line):
                    words = command.split(' #')[0].split('>')[0].strip(' &').split()
                    while words and words[0] in ('sudo', '...'):
                        words.pop(0)
                    if (words[:1] == ['reschctl'] and '...' not in words and "'" not in command and
                        '`' not in command):
                        count += 1
                        self.understood(path, words[1:])
        self.assertGreater(count, 30 if not os.environ.get('DOCUMENT') else 0)

    def test_units(self):
        """So is what systemd's units start, and that of a manual page; a guest has no systemd."""
        count = 0
        for path in [*sorted(glob.glob(TOP + '/tools/systemd/*.service')),
                     TOP + '/tools/man/resch.service.8']:
            with open(path, encoding='utf-8') as file:
                for line in re.findall(r'^Exec\w+=(?:@BINDIR@|/usr/bin)/reschctl (.*)$',
                                       file.read().replace('\\-', '-'), re.M):
                    count += 1
                    self.understood(path, line.split())
        self.assertEqual(count, 7)

    def understood(self, path, words):
        # without rights: a shield works without the module, too
        nobody = {'user': 65534, 'group': 65534, 'extra_groups': []} if os.geteuid() == 0 else {}
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            program = shutil.copy(PROGRAMS['reschctl'], folder)
            done = subprocess.run([program, *({'PID': '1'}.get(word, word) for word in words)],
                                  stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  timeout=60, check=False,
                                  cwd=folder, **nobody)
        # A file that is another machine's, or empty, has the status of wrong usage, too, but not
        # its sentence.
        self.assertFalse('unknown' in done.stderr or 'Try `' in done.stderr,
                         f'{path}: reschctl {" ".join(words)}: {done.returncode}: {done.stderr}')

    def test_nonsense_is_seen(self):
        with self.assertRaises(AssertionError):
            self.understood('a', ['domain', 'set', '2', '--plugn=edf'])
        self.assertIn('no program', flags('bench/nosuch 6.1'))
        self.assertIn('has no --nosuch', flags('bench/latency/run 6.1 --nosuch=1'))
        self.assertIn('nosuch', flags('make nosuch'))
        self.assertEqual(list(untyped('a\n\n    make check    all\n\n```\n# ls\nout\n```\n')),
                         [(6, 'ls'), (3, 'make check')])
        self.assertEqual(list(untyped('```\n# /etc/a.conf\n[Unit]\n# /etc/a now\n```\n')),
                         [(4, '/etc/a now')])

    def test_figures(self):
        """Figures have a command that makes them anew, which their document names; those in
        sentences may be settings instead, which are spelt somewhere."""
        made = {tuple(place.split(': ', 1)): command for kind, place, command, *_ in lines_of_list()
                if kind == 'figures'}
        texts = {path: text for path, text in documents() if not pages.is_page(path)}
        found = {(path, heading) for path, text in texts.items() for heading in figures(text)}
        said = {(path, heading) for path, text in texts.items()
                for heading in figures_in_prose(text)}
        settings = {tuple(place.split(': ', 1)) for kind, place, _ in entries()
                    if kind == 'constants'}
        self.assertEqual(settings & found, set(), 'figures need a command')
        found |= said - settings
        for place in sorted(found):
            self.assertIn(place, made, 'which command makes the figures there?')
            self.assertTrue(made[place] in ' '.join(texts[place[0]].split()),
                            f'{place}: the document does not name {made[place]}')
            self.assertEqual(flags(made[place]), '', place)
        if not os.environ.get('DOCUMENT'):
            self.assertEqual((set(made) - found) | (settings - said), set(), 'no figures there')

    def test_unnamed_figures_are_seen(self):
        table = '|---|---|---|\n| a | 12.5 ms | 3 |\n| b | 4.25 ms | 7 |\n'
        self.assertEqual(list(figures('# A\n\n| | x | y |\n' + table)), ['A'])
        self.assertEqual(list(figures('# B\n\n```\nedf 1.2 3.4 5.6\nfp 1.2 3.4 5.6 17\n```\n')),
                         ['B'])
        self.assertEqual(list(figures_in_prose('# D\n\nIt takes 2 ms, 3 to 4 µs or 5 %, not `6 ms`.\n'
                                               '# E\n\n1 ms, 2 ms\n\n    3 ms\n')), ['D'])
        self.assertEqual(list(figures('# C\n\n```\n$ bench/x\n1.2 3.4 5.6 1.2 3.4 5.6 17\n```\n')),
                         [])

    def test_pictures(self):
        """Each picture is shown, by its name, and made by a command that is there and takes such
        options."""
        made = {pattern: where for document, pattern, where in entries() if document == 'picture'}
        shown = {os.path.basename(name) for _, text in documents()
                 for name in re.findall(r'!\[[^]]*\]\(([^)]+)\)', text)}
        there = set(os.listdir(TOP + '/docs/img'))
        self.assertEqual(set(made) - {name for name in made if name in there}, set(),
                         'a picture that is not there')
        for name in there:
            self.assertTrue(name in made, f'docs/img/{name}: which command makes it?')
        if not os.environ.get('DOCUMENT'):
            self.assertEqual(shown - there, set())
            everything = ' '.join(text for _, text in documents())
            self.assertEqual({name for name in there if name not in everything}, set(),
                             'shown nowhere')

    def test_kept(self):
        """What has been measured and is kept in docs/measured can be drawn and printed again, by
        the command that the documents have for it."""
        everything = '\n'.join(text for _, text in documents())
        found = re.findall(r'`(bench/\S+\s+(?:--from\s+)?docs/measured/[^`]*)`', everything)
        kept = {name for command in found for name in re.findall(r'docs/measured/(\S+)', command)}
        if not os.environ.get('DOCUMENT'):
            self.assertEqual(kept, set(os.listdir(TOP + '/docs/measured')))
        for command in found:
            with self.subTest(command=command), tempfile.TemporaryDirectory() as folder:
                words = [word.replace('docs/img', folder) for word in command.split()]
                done = subprocess.run(words, cwd=TOP, capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ''))
                pictures = os.listdir(folder)
                self.assertTrue(pictures)
                for name in pictures:
                    self.assertTrue(os.path.exists(f'{TOP}/docs/img/{name}'), name)


if __name__ == '__main__':
    unittest.main(verbosity=1)
