#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What every program answers alike: a table over all that `make install` installs, or of those in
the folder $PROGRAMS.

Statuses are those of tools/common/exit-status.h.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import completing
import terminal

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
PROGRAMS = os.environ.get('PROGRAMS', '')
MANY = 1000000
sys.path.insert(0, TOP + '/tools/trace')
sys.dont_write_bytecode = True
import test_install  # noqa: E402  pylint: disable=wrong-import-position
from reschtrace import cli, units  # noqa: E402  pylint: disable=wrong-import-position

# What each prints on standard output when all is well; {set} and {trace} are files. Those of bench/
# need real time.
PRINTS = {
    'reschctl': 'assign --cpus=0-3 --json {set}',
    'resch-sim': '-p edf -t 20ms {set}',
    'resch-check': '{trace}',
    'resch-draw': None,  # writes a file
    'resch-export': '-o - {trace}',
    'resch-jitter': '{trace}',
    'resch-gen': 'uunifast',
    'resch-latency': None,
    'resch-load': None,
    'resch-balance': None,
    'reschtop': None,
}
MAY_LACK = {'reschtop'}  # where what compiles it is missing


def setUpModule():  # noqa: N802
    global PROGRAMS
    PROGRAMS = PROGRAMS or test_install.programs()


def there():
    return [name for name in PRINTS if name not in MAY_LACK or
            os.path.exists(os.path.join(PROGRAMS, name))]


def call(name, arguments, **more):
    more = {'stdout': subprocess.PIPE, **more}
    return subprocess.run([os.path.join(PROGRAMS, name), *arguments], stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True,
                          check=False, **more)


class Completions(unittest.TestCase):
    """Shells offer the options that a program lists, and those of programs that list none by
    themselves are test_reschctl_completion.py's and test_top.py's."""

    def test_options(self):
        for name in set(there()) - {'reschctl', 'reschtop'}:
            path = os.path.join(PROGRAMS, name)
            listed = sorted(set(re.findall(r'^ +(?:-\w[^-\n]*, )?(--[a-z][a-z-]*)',
                                           call(name, ['--help']).stdout, re.M)))
            self.assertGreater(len(listed), 2, name)
            some = [word for word in listed if word.startswith('--h')]
            self.assertEqual(sorted(set(completing.bash(path, '--'))), listed)
            self.assertEqual(sorted(set(completing.bash(path, '--h'))), some)
            self.assertEqual(completing.bash(path, '--help', ''), [])
            if not completing.NO_FISH:
                self.assertEqual([sorted(set(words)) for words in
                                  completing.fish(path, '--', '--h')], [listed, some])
                self.assertEqual(completing.fish(path, '/etc/hostnam'), [['/etc/hostname']])
            if not completing.NO_ZSH:
                self.assertEqual(completing.zsh(path, '--', '--h', '/etc/hostnam'),
                                 [listed, some, ['hostname']])


class Manners(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.files = {'set': cls.folder.name + '/set.csv', 'trace': cls.folder.name + '/trace.txt'}
        with open(cls.files['set'], 'w', encoding='utf-8') as file:
            file.write('name,wcet,period\na,1ms,10ms\nb,2ms,20ms\n')
        assert call('resch-sim',
                    ['-p', 'edf', '-t', '100ms', '--trace', cls.files['trace'],
                     cls.files['set']]).returncode == 0

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def arguments(self, name):
        return [word.format(**self.files) for word in (PRINTS[name] or '--help').split()]

    def test_table_is_whole(self):
        self.assertEqual(set(PRINTS) - MAY_LACK, set(os.listdir(PROGRAMS)) - MAY_LACK)

    def test_asked(self):
        with open(TOP + '/VERSION', encoding='utf-8') as file:
            version = file.read().strip()
        self.assertEqual(cli.VERSION, version)
        for name in there():
            done = call(name, ['--help'])
            self.assertIn((done.returncode, done.stderr), ((0, ''), (-signal.SIGPIPE, '')), name)
            self.assertTrue(done.stdout.lower().startswith('usage'), name)
            done = call(name, ['--version'])
            self.assertIn((done.returncode, done.stderr), ((0, ''), (-signal.SIGPIPE, '')), name)
            self.assertTrue(done.stdout.startswith(f'{name} {version}'), done.stdout)

    def test_no_sense(self):
        for name in there():
            done = call(name, ['--no-such-option'])
            self.assertEqual((done.returncode, done.stdout), (2, ''), name)
            self.assertTrue(done.stderr, name)

    def meant(self):
        """Files that mean something to programs, or nothing to any."""
        texts = {'nonsense': b'nonsense: [\0\n', 'nothing.yaml': b'',
                 'shield.yaml': b'shields: [{cpus: 0}]\n',
                 'tight.csv': b'name,wcet,period\na,9ms,10ms\nb,20ms,100ms\n'}
        paths = {}
        for name, text in texts.items():
            paths[name] = f'{self.folder.name}/{name}'
            with open(paths[name], 'wb') as file:
                file.write(text)
        paths['fifo'] = self.folder.name + '/fifo'
        call('resch-sim', ['-p', 'fifo', '--force', '-t', '200ms', '--trace', paths['fifo'],
                           paths['tight.csv']])
        return paths

    def test_meaning(self):
        """0 is yes, 1 is no, and 2 is for input that is not there or makes no sense, in every
        program that reads any."""
        paths, root = self.meant(), '--root=' + self.folder.name
        ways = (f'reschctl apply {root}', f'reschctl diff {root}', 'reschctl assign --cpus=0-1',
                'reschctl server size', 'reschctl chain check', 'resch-sim -p edf', 'resch-check',
                f'resch-draw -o {self.folder.name}/x.png', 'resch-export -o -', 'resch-jitter',
                'resch-balance', 'resch-load -r')
        for way in ways:
            name, *arguments = way.split()
            for path in (self.folder.name + '/nosuch', paths['nonsense']):
                done = call(name, [*arguments, path])
                self.assertEqual((done.returncode, done.stdout), (2, ''),
                                 f'{way} {path}: {done.stderr}')
                self.assertTrue(done.stderr.startswith(name + ': '), done.stderr)
        for wanted, way, path in (
                (0, f'reschctl diff {root}', paths['nothing.yaml']),
                (1, f'reschctl diff {root}', paths['shield.yaml']),
                (0, f'reschctl apply {root}', paths['nothing.yaml']),
                (2, f'reschctl apply {root}', '--no-such-option'),
                (0, 'reschctl assign --cpus=0-1', self.files['set']),
                (1, 'reschctl assign --cpus=0', paths['tight.csv']),
                (0, 'reschctl server size', self.files['set']),
                (1, 'reschctl server size', paths['tight.csv']),
                (0, 'resch-sim -p edf -t 50ms', self.files['set']),
                (1, 'resch-sim -p edf -t 50ms', paths['tight.csv']),
                (0, 'resch-check', self.files['trace']),
                (1, 'resch-check --order fifo=edf', paths['fifo'])):
            name, *arguments = way.split()
            done = call(name, [*arguments, path])
            self.assertEqual(done.returncode, wanted, f'{way} {path}: {done.stdout}{done.stderr}')

    def test_nonsense(self):
        """Values that mean nothing are refused, not played: words, loads, ranges."""
        least = self.folder.name + '/least.csv'
        with open(least, 'w', encoding='utf-8') as file:
            file.write('name,wcet,period,min_exec,max_exec\na,2ms,10ms,5ms,2ms\n')
        headless = self.folder.name + '/headless.csv'
        with open(headless, 'w', encoding='utf-8') as file:
            file.write('1,5000000,2000000,10000000,10000000,10000000,0,0\n')
        least_said = 'the least execution time is above the greatest'
        for way, said in (('resch-jitter --handover=foo {trace}', "invalid choice: 'foo'"),
                          ('resch-gen retas --cpus=2 --target=3,4', 'at most 1'),
                          ('resch-load -u much compute', "'much' is not 0 to 100"),
                          ('resch-load compute=-1', "'-1' is not 1 to 64"),
                          ('resch-latency -n 0', "'0' is not 1 to"),
                          ('resch-balance -m 5000 x', "'5000' is not 0 to"),
                          (f'resch-sim -p edf {least}', least_said),
                          (f'resch-sim -p edf {headless}', least_said),
                          ('resch-sim -p demo:quantum=500000 {set}', 'if 500000 is a time'),
                          ('resch-sim -p npsf:retry=5000,reclaim=1 {set}', 'if 5000 is a time'),
                          ('resch-sim -p edf --swap=demo:quantum=9@1ms {set}', 'times have units'),
                          (f'reschctl assign --cpus=0-1 {least}', least_said),
                          (f'reschctl server size {headless}', least_said)):
            name, *arguments = way.format(**self.files).split()
            done = call(name, arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ''), f'{way}: {done.stderr}')
            self.assertIn(said, done.stderr)

    def test_near(self):
        """A slip of the finger is answered with what was meant, by every program."""
        for name, slip, meant in (('reschctl', 'tasks --jsn', '--json'),
                                  ('reschctl', 'taks', 'tasks'), ('reschctl', 'tpo', 'top'),
                                  ('resch-sim', '--protcol=x', '--protocol'),
                                  ('resch-check', '--tolerence=5ms x', '--tolerance'),
                                  ('resch-draw', '--frm=1s x', '--from'),
                                  ('resch-export', '--absolut x --absolout', '--absolute'),
                                  ('resch-jitter', '--handovr=notify x', '--handover'),
                                  ('resch-gen', '--taget 3', '--target'),
                                  ('resch-latency', '--perod=2ms', '--period'),
                                  ('resch-load', '--dsk=x compute', '--disk'),
                                  ('resch-load', 'cmopute', 'compute'),
                                  ('resch-balance', '--evry=2ms x', '--every'),
                                  ('reschtop', '--prometeus', '--prometheus')):
            if name in there():
                done = call(name, slip.split())
                self.assertEqual((done.returncode, done.stdout), (2, ''), name)
                self.assertIn(f'{meant}?', done.stderr, name)

    def test_full(self):
        """What was not written is an error that is told, whatever was to be said."""
        for name in there():
            for arguments in (['--help'], ['--version'], self.arguments(name)):
                done = call(name, arguments)
                self.assertEqual(done.returncode, 0, f'{name} {arguments}: {done.stderr}')
                with open('/dev/full', 'w', encoding='utf-8') as full:
                    done = call(name, arguments, stdout=full)
                self.assertEqual(done.returncode, 1, f'{name} {arguments}')
                self.assertRegex(done.stderr,
                                 f'^{name}: standard output: No space left on device\n$',
                                 f'{name} {arguments}')

    def test_unwritten(self):
        """So is a file that can't be written, which is no fault of the command line."""
        nowhere = self.folder.name + '/no/such/'
        for way in ('resch-sim -t 50ms --trace={nowhere}x {set}',
                    'resch-sim -t 50ms --trace=/dev/full {set}',
                    'resch-sim -t 50ms --draw={nowhere}x.png {set}',
                    'resch-draw -o {nowhere}x.png {trace}', 'resch-draw -o {nowhere}x.html {trace}',
                    'resch-export -o {nowhere}x.json {trace}', 'resch-export -o /dev/full {trace}',
                    'resch-jitter --histogram={nowhere}x.png {trace}',
                    'resch-gen uunifast -o {nowhere}x', 'resch-gen uunifast -o /dev/full',
                    'reschctl assign --cpus=0-3 --draw={nowhere}x.png {set}',
                    'resch-latency -p 0 -n 1 -s {nowhere}x', 'resch-load -f {nowhere}x compute'):
            name, *arguments = way.format(nowhere=nowhere, **self.files).split()
            done = call(name, arguments, env={**os.environ,
                                              'PATH': PROGRAMS + ':' + os.environ['PATH']})
            self.assertEqual(done.returncode, 1, f'{way}: {done.stderr}')
            self.assertRegex(done.stderr, r'No such file or directory|No space left on device')
        # nor through a link that somebody has laid where everybody may write
        link = self.folder.name + '/link'
        os.symlink(self.files['set'], link)
        done = call('resch-load', ['-f', link, 'compute'])
        self.assertEqual(done.returncode, 1)
        self.assertIn('symbolic link', done.stderr)

    def test_nobody_reads(self):
        """Who reads no more, as head does, hears no complaint, and gets the status all the same."""
        for name in there():
            read, write = os.pipe()
            os.close(read)
            with os.fdopen(write, 'w') as pipe:
                done = call(name, self.arguments(name), stdout=pipe)
            self.assertIn((done.returncode, done.stderr), ((0, ''), (-signal.SIGPIPE, '')), name)

    def test_times(self):
        """The parser in Python knows what the library's does: its vectors."""
        with open(TOP + '/tests/unit/test_libresch_text.c', encoding='utf-8') as file:
            table = re.search(r'static void test_time_parse.*?cases\[\] = \{\n(.*?)\n\t\};',
                              file.read(), re.S)[1]
        vectors = re.findall(r'\{ "([^"]*)", (0|-\w+), ([^ }]+(?: - 1)?) \}', table)
        self.assertGreater(len(vectors), 30)
        for text, result, number in vectors:
            number = 2 ** 64 - 2 if number.startswith('UINT64_MAX') else int(number)
            if result == '0':
                self.assertEqual(units.parse_time(text), number, text)
            else:
                with self.assertRaises(ValueError, msg=text):
                    units.parse_time(text)
        for name, option in (('resch-check', '-t'), ('resch-draw', '--from'),
                             ('resch-export', '--to'), ('resch-gen', '--tmin'),
                             ('resch-latency', '-i'), ('resch-balance', '-e'),
                             ('resch-balance', '-g')):
            done = call(name, [option, '5', self.files['trace']])
            self.assertEqual(done.returncode, 2, name)
            self.assertIn("'5' has no unit: 5ms?", done.stderr)


class Many(unittest.TestCase):
    """A million tasks are refused or taken, and what takes its time says so."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = folder.name + '/many.csv'
        with open(self.path, 'w', encoding='utf-8') as file:
            file.write('name,wcet,period\n')
            file.writelines(f't{i},1us,1s\n' for i in range(MANY))

    def test_refused(self):
        for arguments in (['assign', '--cpus=0-1', self.path],
                          ['server', 'size', '--kind=cbs', '--policy=edf', self.path]):
            done = call('reschctl', arguments)
            self.assertEqual((done.returncode, done.stdout), (1, ''), f'{arguments}: {done.stderr}')
            self.assertRegex(done.stderr, f'{MANY} tasks, at most (16384|4096)')

    def test_told(self):
        screen = terminal.Terminal([PROGRAMS + '/resch-sim', '-p', 'edf', self.path])
        try:
            screen.until(lambda seen: re.search(fr'of {MANY} tasks admitted\n?; \d+ (min|h) to go',
                                                seen.main))
        finally:
            screen.close()

    def test_made(self):
        """Within two seconds, or it is said how long it goes on."""
        for arguments, said in ((['-n', str(MANY)], fr'\d+ tasks of {MANY}; \d+ (s|min) to go'),
                                (['-n', str(MANY // 10), '-u', str(MANY // 11)],
                                 r'\d+ sets with a task above 1 of 200; \d+ (s|min) to go')):
            screen = terminal.Terminal([PROGRAMS + '/resch-gen', 'uunifast', *arguments,
                                        '-o', self.path])
            begin = time.monotonic()
            try:
                screen.until(lambda seen, said=said: re.search(said, seen.main) or
                             seen.process.poll() is not None)
                self.assertTrue(screen.main or time.monotonic() - begin < 3)
            finally:
                screen.close()

    def test_servers(self):
        path = self.path + '.some'
        with open(path, 'w', encoding='utf-8') as file:
            file.write('name,wcet,period\n')
            file.writelines(f't{i},{1 + i % 7}us,{100 + i % 997 * 10}ms\n' for i in range(1000))
        screen = terminal.Terminal([PROGRAMS + '/reschctl', 'server', 'size', path])
        try:
            screen.until(lambda seen: 'kinds and policies of servers sized: ' in seen.main)
        finally:
            screen.close()

    def test_searched(self):
        """What is all one search says for how long; chains are sized one by one."""
        tasks, chains = self.path + '.many', self.path + '.chains'
        with open(tasks, 'w', encoding='utf-8') as file:
            file.write('name,wcet,period\n')
            file.writelines(f't{i},{1 + i % 7}us,{100 + i % 997 * 10}ms\n' for i in range(10000))
        with open(chains, 'w', encoding='utf-8') as file:
            file.write('chain,period,deadline,protocol,stage,wcet,node,cpu,priority\n')
            for i in range(200):
                file.write(f'T{i},{100 + i}ms,{100 + i}ms,ds,a,100us,,0,{i + 1}\n'
                           f'T{i},,,,b,100us,,1,{i + 1}\n')
        for arguments, said in ((['assign', '--exact', '--cpus=0-63', tasks],
                                 r'looking for time slots: \d+ s'),
                                (['chain', 'size', chains], r'chains sized: \d+ of 200')):
            screen = terminal.Terminal([PROGRAMS + '/reschctl', *arguments])
            try:
                screen.until(lambda seen, said=said: re.search(said, seen.main))
            finally:
                screen.close()

    def test_measured(self):
        """A program that measures says how long it has been at it, by another process."""
        screen = terminal.Terminal([PROGRAMS + '/resch-latency', '-p', '0', '-i', '10ms',
                                    '-n', '100000'])
        try:
            screen.until(lambda seen: 'of about 1000 s' in seen.main)
        finally:
            screen.close()

    def test_lines(self):
        """resch-check and its like, at a trace that does not end."""
        screen = terminal.Terminal(['sh', '-c', 'while :; do echo nothing of ours; done | "$0" -',
                                    PROGRAMS + '/resch-check'])
        try:
            screen.until(lambda seen: 'lines read' in seen.main)
        finally:
            screen.close()

    def test_nobody(self):
        """Into a file there is no word of it."""
        begin = time.monotonic()
        with subprocess.Popen([PROGRAMS + '/resch-sim', '-p', 'edf', self.path],
                              stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as program:
            while program.poll() is None and time.monotonic() - begin < 6:
                time.sleep(0.2)
            program.kill()
            self.assertEqual(program.communicate(), ('', ''))


if __name__ == '__main__':
    unittest.main(verbosity=1)
