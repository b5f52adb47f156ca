#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Commands within the sentences of README.md, docs/ and so on, `reschctl shield status` or
`--exempt` or `make demo`: the program is there, and has such a command and such options, the tree
such a target. So are files, and what begins with resch_. Blocks are test_documents.py's.

$PROGRAMS is a folder of installed programs; without it they are installed into one.
"""

import glob
import os
import re
import shlex
import subprocess
import unittest

import reschctl
import test_install
from test_documents import TOP, flags

PROGRAMS = os.environ.get('PROGRAMS', '')
MAY_LACK = {'reschtop'}  # where what compiles it is missing
# Options of others' programs, with whose they are.
FOREIGN = {'--privileged': 'docker', '--cpu-rt-runtime': 'docker', '--ulimit': 'docker',
           '--cgroupns': 'docker',
           '--userns': 'podman'}
QUOTED = {'--jsn: --json?'}  # what a program says
# A word that stands for one of the reader's: ID, NAME:OPTIONS, FILE...
PLACE = re.compile(r"[A-Z][A-Z:,.-]*[0-9]*(\.\.\.)?$|\.\.\.$|\[.*")
PATH = re.compile(r'(bench|debian|docs|libresch|module|plugins|tests|tools|uapi|\.ci)/[\w./{},*-]+$')
READERS = 'plugins/sjf.c'  # which the reader of writing-a-plugin.md writes
NAME = re.compile(r'resch_\w+[a-z0-9](?=$|[(.)])')
PLUGIN = re.compile(r'(?:--plugin[= ])?([a-z]+):([a-z]+)=')
VARIABLE = re.compile(r'([A-Z_]+)=')
OPTION = re.compile(r'--[a-z][\w-]*')


def setUpModule():  # noqa: N802
    global PROGRAMS
    PROGRAMS = PROGRAMS or test_install.programs()
    reschctl.RESCHCTL = PROGRAMS + '/reschctl'


def text_of(path):
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read()


def documents():
    for path in ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md',
                 *sorted(glob.glob('docs/*.md', root_dir=TOP))]:
        yield path, text_of(os.path.join(TOP, path))


def files(*folders):
    """Paths of all files below the folders of the tree."""
    for folder in folders:
        for at, _, names in os.walk(f'{TOP}/{folder}'):
            if '__pycache__' not in at:
                yield from (f'{at}/{name}' for name in names)


def inline(text):
    """[(line number, what stands between backticks)] outside of blocks; it may go over the end of a
    line."""
    text = re.sub(r'^```.*?^```', lambda found: '\n' * found[0].count('\n'), text,
                  flags=re.M | re.S)
    text = re.sub(r'^    .*', '', text, flags=re.M)
    for found in re.finditer(r'(`+)(?!`)((?:[^`\n]|\n(?!\n))+?)\1(?!`)', text):
        yield text.count('\n', 0, found.start()) + 1, ' '.join(found[2].split())


def commands(code):
    """The commands of a line, as lists of words."""
    for part in re.split(r'; | && | \|\|? ', code):
        try:
            words = shlex.split(part)
        except ValueError:  # a piece of something
            words = part.split()
        while words and (words[0] == 'sudo' or VARIABLE.match(words[0])):
            words.pop(0)
        if words:
            yield words


class Knowledge:
    """What programs say of themselves."""

    def __init__(self):
        self.helps, self.names = {}, set(os.listdir(PROGRAMS)) | test_install.IN_TREE | MAY_LACK
        self.shown = {}
        self.ways = {tuple(way): {line.split('=')[0] for line in reschctl.options(*way)}
                     for way in reschctl.ways()}
        self.values = self.listed_values()
        for command in {way[0] for way in self.ways}:
            self.ways.setdefault((command,), {line.split('=')[0]
                                              for line in reschctl.options(command)})
        self.all = {option for options in self.ways.values() for option in options} | {
            option for name in self.names for option in self.options(name)} | {
            option for path in self.scripts() for option in self.written(path)}

    def options(self, name):
        """Those that a program names when asked for help, and where it is not installed, those that
        its sources have."""
        if name not in self.helps:
            path = f'{PROGRAMS}/{name}'
            if os.path.exists(path) and name not in test_install.IN_TREE:
                text = subprocess.run([path, '--help'], capture_output=True, text=True,
                                      check=False).stdout
            else:
                text = re.sub(r'{ *"([a-z][\w-]*)", *\w', r'--\1', self.sources(name))
            self.helps[name] = set(OPTION.findall(text))
        return self.helps[name]

    @staticmethod
    def listed_values():
        """{option of reschctl: the words that it may be}, of those that have such a list, for
        every command alike."""
        found, lists = {}, {}
        for line in (line for way in reschctl.ways() for line in reschctl.options(*way)):
            option, _, value = line.partition('=')
            if option.startswith('--') and value:
                if value not in lists:
                    lists[value] = set(value[1:].split(',') if value[0] == ',' else
                                       reschctl.listed(value))
                found.setdefault(option, set()).update(lists[value] or {None})
        return {option: words for option, words in found.items() if None not in words}

    @staticmethod
    def sources(name):
        folder = 'tools/top' if name == 'reschtop' else 'bench/' + name.split('-')[1]
        return ''.join(text_of(path) for path in glob.glob(f'{TOP}/{folder}/*.[ch]'))

    @staticmethod
    def scripts():
        return [path for path in files('bench', 'tests', 'tools') if os.access(path, os.X_OK) and
                '/tests/unit/' not in path]

    @staticmethod
    def written(path):
        return OPTION.findall(text_of(path))


def own(words):
    """Those before a program that is run."""
    return words[:words.index('--')] if '--' in words else words


def strange(words, options):
    """The first option that is none of these, or nothing."""
    for word in own(words):
        found = OPTION.match(word)
        if found and found[0] not in options:
            return found[0]
    return None


def misspelt(known, words):
    """The first value of an option of reschctl that is not in the option's list, or nothing."""
    for word in own(words):
        option, _, value = word.partition('=')
        if value and option in known.values and not PLACE.match(value) and \
                not set(value.split(',')) <= known.values[option]:
            return word
    return None


def of_reschctl(known, words):
    if words[0].startswith('--'):
        return ''
    command = words[0]
    if (command,) not in known.ways:
        return f'reschctl has no {command}'
    way, actions = (command,), {each[1] for each in known.ways if len(each) == 2 and
                                each[0] == command}
    rest = words[1:]
    if rest[:1] and not rest[0].startswith('-') and rest[0] in actions:
        way, rest = (command, rest[0]), rest[1:]
    elif actions - {'status'} and rest and re.match(r'[a-z]+$', rest[0]):
        return f'reschctl {command} has no {rest[0]}'
    odd = strange(rest, known.ways[way] | {'--help'}) or misspelt(known, rest)
    return f'reschctl {" ".join(way)} has no {odd}' if odd else ''


def of_make(words):
    """Targets there are, and variables are asked for by somebody."""
    wrong = flags(shlex.join(['make', *(word for word in words if not VARIABLE.match(word))]))
    if wrong:
        return wrong
    asking = [*files('tests/harness', 'bench'), TOP + '/Makefile']
    for name in (VARIABLE.match(word)[1] for word in words if VARIABLE.match(word)):
        form = re.compile(rf'^{name} [?:]?=|\$[({{]{name}[)}}:-]|\$\(or \$\({name}|\b{name}=', re.M)
        if not any(form.search(text_of(path)) for path in asking):
            return f'nobody asks for {name}'
    return ''


def wrong(known, words):
    """What is wrong with a command, or nothing."""
    program, *rest = words
    if OPTION.match(program):
        odd = strange(words, known.all | set(FOREIGN)) or misspelt(known, words)
        return f'nothing has {odd}' if odd else ''
    if program == 'reschctl':
        return of_reschctl(known, rest) if rest and not PLACE.match(rest[0]) else ''
    if program in known.names:
        odd = strange(rest, known.options(program))
        return f'{program} has no {odd}' if odd else ''
    if program == 'make':
        return of_make([word for word in rest if not PLACE.match(word)])
    if re.match(r'(bench|tests|tools|\.ci)/', program) and rest:
        return flags(shlex.join(words))
    return ''


def braces(path):
    """a/{b,c} is two."""
    found = re.search(r'{([^}]*)}', path)
    return [path] if not found else [each for word in found[1].split(',')
                                     for each in braces(path.replace(found[0], word, 1))]


def missing(code, names):
    """What a word names and the tree has not: a file, or something of C or of the trace."""
    if PATH.match(code) and not re.search('[A-Z]{4}', code) and code != READERS:
        return [path for path in braces(code) if not glob.glob(path, root_dir=TOP) and
                not os.path.exists(f'{TOP}/{path}.c')]  # a program of that
    plugin = PLUGIN.match(code)
    if plugin and os.path.exists(f'{TOP}/plugins/{plugin[1]}.c'):
        return [] if f'{plugin[2]}=' in text_of(f'{TOP}/plugins/{plugin[1]}.c') else [plugin[0]]
    name = NAME.match(code)
    return [name[0]] if name and name[0] not in names else []


class Inline(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.known = Knowledge()

    def test_commands(self):
        found, count = [], 0
        for path, text in documents():
            for number, code in inline(text):
                for words in commands(code) if code not in QUOTED else ():
                    count += len(words) > 1
                    what = wrong(self.known, words)
                    found += [f'{path}:{number}: `{code}`: {what}'] if what else []
        self.assertEqual(found, [], '\n'.join(found))
        self.assertGreater(count, 250)

    def test_names(self):
        names = {name for path in files('bench', 'libresch', 'module', 'plugins', 'tools', 'uapi')
                 for name in re.findall(r'\bresch_\w+', text_of(path))}
        found = []
        for path, text in documents():
            for number, code in inline(text):
                found += [f'{path}:{number}: `{code}`: there is no {each}'
                          for each in missing(code, names)]
        self.assertEqual(found, [], '\n'.join(found))

    def test_nonsense_is_seen(self):
        for code, what in (
                ('reschctl domian list', 'reschctl has no domian'),
                ('reschctl server enlarge 1:1', 'reschctl server has no enlarge'),
                ('reschctl shield 2-3 --keep-irqs=1', 'reschctl shield has no --keep-irqs'),
                ('reschctl run --overrun=trottle', 'reschctl run has no --overrun=trottle'),
                ('sudo reschctl tasks --jsn && make help', 'reschctl tasks has no --jsn'),
                ('resch-sim --protocl=ds', 'resch-sim has no --protocl'),
                ('resch-nodes --lane=1', 'resch-nodes has no --lane'),
                ('--exept', 'nothing has --exept'),
                ('--miss=nothing', 'nothing has --miss=nothing'),
                ('bench/latency/run --nosuch', 'bench/latency/run has no --nosuch'),
                ('bench/latency/rnu 6.1', 'there is no program bench/latency/rnu'),
                ('make check NOSUCH=1', 'nobody asks for NOSUCH')):
            self.assertIn(what, [wrong(self.known, words) for words in commands(code)], code)
        self.assertIn("No rule to make target 'chekc'", wrong(self.known, ['make', 'chekc']))
        self.assertEqual(list(inline('a\n\n```\n`b`\n```\n`c\nd` and ``e``\n')),
                         [(6, 'c d'), (7, 'e')])
        for code, what in (('docs/{map,pam}.md', ['docs/pam.md']), ('docs/*.md', []),
                           ('resch_nosuch(3)', ['resch_nosuch']), ('fp:ordr=rm', ['fp:ordr=']),
                           ('fp:order=rm', [])):
            self.assertEqual(missing(code, set()), what)


if __name__ == '__main__':
    unittest.main()
