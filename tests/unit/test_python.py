#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The Python module: structures as the header has them, all of it on a device that is played,
types, pip.

Programs run in processes of their own, with played_device.c preloaded; $LIBRESCH is where the
library was built.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
LIBRESCH = os.path.abspath(os.environ.get('LIBRESCH', TOP + '/build/host/obj/libresch'))
MODULE = TOP + '/libresch/python'
# with its own modules and packages, as programs that are installed have it
PYTHON = '/usr/bin/python3'

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
sys.dont_write_bytecode = True
import test_structures  # noqa: E402  pylint: disable=wrong-import-position
from preloaded import preloaded  # noqa: E402  pylint: disable=wrong-import-position

LAYOUT = '''
import ctypes
from resch import _library
for name, kind in sorted(vars(_library).items()):
    if isinstance(kind, type) and issubclass(kind, ctypes.Structure):
        print(name, '.', ctypes.sizeof(kind), 0)
        for member, *_ in kind._fields_:
            field = getattr(kind, member)
            print(name, member, field.offset, field.size)
'''

VALUES = '''
import resch
from resch import _library, chain
for kind, prefix in ((resch.Kind, ''), (resch.Reaction, ''), (resch.State, 'STATE_'), (resch.EventType, 'EVENT_'),
                     (chain.Protocol, 'CHAIN_')):
    for each in kind:
        print('RESCH_' + prefix + each.name, int(each))
for name in ('F_SYNC', 'F_SKIP_ADMISSION', 'NEVER'):
    print('RESCH_' + name, getattr(resch, name))
for name in ('F_COMPLETE', 'F_MISS', 'F_SKIP_ADMISSION', 'F_SKIP_LATE'):
    print('RESCH_CHAIN_' + name, getattr(chain, name))
for name in ('NAME_LEN', 'OPTIONS_LEN', 'REASON_LEN', 'CPUS_MAX', 'VERDICT_TEXT', 'CHAIN_STAGES_MAX',
             'CHAIN_BUCKETS'):
    print('RESCH_' + name, getattr(_library, name))
'''

PLAYED = '''
import datetime, errno, signal, threading, time
import resch

def fails(number, words, function, *arguments, **more):
    try:
        function(*arguments, **more)
    except resch.Error as error:
        assert error.errno == number and words in error.strerror, (error.errno, error.strerror)
        return error
    raise AssertionError('did not fail')

assert resch.nanoseconds('1.5ms') == resch.nanoseconds(1500000) == resch.nanoseconds(datetime.timedelta(microseconds=1500))
for wrong in ('10', '-1ms', -1, 'soon', 2 ** 64):
    try:
        resch.nanoseconds(wrong)
        raise AssertionError(wrong)
    except ValueError:
        pass
assert abs(resch.now() - time.monotonic_ns()) < 10 ** 9 and resch.version()

with resch.Device() as device:
    assert device.module_version() == 'played'
    fails(errno.EINVAL, 'the runtime, 199ms, is longer than the period, 10ms', device.join, '10ms', '199ms', cpu=1)
    fails(errno.ENODEV, '', device.join, '10ms', '1ms', cpu=9)
    refused = fails(errno.EBUSY, 'the utilization on CPU 1 would be 96 %', device.join, '10ms', '9.6ms', cpu=1)
    assert isinstance(refused, resch.Refused) and refused.runtime == 9500000 and 'a runtime of 9.5ms' in str(refused)
    try:
        device.join('10ms', '1ms', name='sixteen bytes...')
        raise AssertionError('name')
    except ValueError:
        pass

    with device.join('10ms', '2ms', deadline='8ms', offset='1ms', cpu=1, priority=7, name='one') as task:
        first = task.wait()
        assert first.number == 1 and first.deadline - first.release == 8000000 and task.cpu == 1
        for job in task:
            task.delay(job.release + 1000000)
            if job.number == 4:
                break
        stat = task.stat()
        assert (stat.completed, stat.name, stat.period, stat.runtime, stat.state) == (3, 'one', 10000000, 2000000, resch.State.SELECTED)
        assert stat.response_max >= 1000000 and device.stat() == stat
        task.lead('40us')
        assert task.stat().lead == 40000
        fails(errno.EINVAL, '', task.lead, '1ms')
        task.lead(0)
        assert [each.id for each in device.tasks()] == [task.id]
        fails(errno.EEXIST, '', device.join, '10ms', '1ms', cpu=1)
        mine = task.id
    assert device.stat(mine).state == resch.State.GONE
    fails(errno.ENOENT, '', task.wait)
    task.leave()

    # A signal's handler runs while a task waits, and may end it.
    class Enough(Exception):
        pass
    def enough(number, frame):
        raise Enough
    signal.signal(signal.SIGALRM, enough)
    with device.join('1ms', '1us', cpu=1) as task:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            for job in task:
                pass
        except Enough:
            pass

    # A sporadic task in a thread of its own, released from here, that takes too long.
    known = threading.Event()
    def sporadic():
        global released
        with device.join('1ms', 1, cpu=2, kind=resch.Kind.SPORADIC, overrun=resch.Reaction.NOTIFY) as task:
            released = task
            known.set()
            task.wait()
            task.wait()
    thread = threading.Thread(target=sporadic)
    thread.start()
    known.wait()
    task = released.id
    device.release(task)
    device.release(task)
    fails(errno.ENOENT, '', device.release, 4711)
    event = device.events(most=1)[0]
    while event.task != task:
        # of the one before: the machine was slow
        event = device.events(most=1)[0]
    assert (event.type, event.task, event.job) == (resch.EventType.OVERRUN, task, 1) and event.value > 1
    thread.join()
    while device.events(timeout=0):
        pass

    assert [(domain.id, sorted(domain.cpus), domain.plugin) for domain in device.domains()] == [(1, [1, 2, 3], 'edf')]
    made = device.make_domain('5,7', 'fp', 'order=rm')
    assert sorted(list(device.domains())[1].cpus) == [5, 7]
    fails(errno.EBUSY, '', device.make_domain, '5', 'edf')
    fails(errno.ENOENT, '', device.make_domain, '9', 'nosuch')
    device.delete_domain(made)
    assert device.start(1) == 0
    fails(errno.ENODEV, '', device.start, 99)
    assert device.fileno() >= 0
assert device.fileno() == -1
device.close()
print('done')
'''

# What mypy --strict has to refuse.
WRONG = '''
import resch
device = resch.Device()
device.join(period=1.5, runtime='2ms')
'''


class Python(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        cls.played = preloaded(cls, 'played_device')
        cls.library = cls.folder + '/lib'
        os.mkdir(cls.library)
        shutil.copy(LIBRESCH + '/libresch.so.0', cls.library + '/libresch.so.0')

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def python(self, *arguments, played=True, module=MODULE, check=True):
        environment = {**os.environ, 'LD_LIBRARY_PATH': self.library, 'PYTHONPATH': module,
                       'PYTHONDONTWRITEBYTECODE': '1'}
        if played:
            environment['LD_PRELOAD'] = self.played
        done = subprocess.run([PYTHON, *arguments], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True,
                              cwd=self.folder, timeout=120, check=False)
        if check:
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def test_no_library(self):
        """Where the library is missing it is said what to do."""
        done = subprocess.run([PYTHON, '-c', 'import resch'], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False, cwd=self.folder,
                              env={'PYTHONPATH': MODULE, 'PYTHONDONTWRITEBYTECODE': '1'})
        if not done.returncode:
            self.skipTest('this machine has it installed')
        self.assertIn('install the package libresch0', done.stderr)

    def test_layout(self):
        """Every member is where the compiler has it, and none is missing."""
        found = {}
        for line in self.python('-c', LAYOUT, played=False).stdout.splitlines():
            name, member, offset, size = line.split()
            # TaskStat: struct resch_task_stat
            name = 'resch' + re.sub(r'([A-Z])', lambda letter: '_' + letter[1].lower(), name)
            found.setdefault(name, {})[member] = (int(offset), int(size))
        types = [kind for kind in test_structures.headers.read_all()[0] if kind.name in found]
        self.assertGreaterEqual(len(types), 10)
        self.assertEqual(len(types), len(found))
        for name, (size, members) in test_structures.offsets(types).items():
            expected = {member: place[:2] for member, place in members.items()}
            expected['.'] = (size, 0)
            self.assertEqual(found[name], expected, name)

    def test_values(self):
        """Constants have the header's values, and no member of an enumeration is missing."""
        values = dict(line.split()
                      for line in self.python('-c', VALUES, played=False).stdout.splitlines())
        checks = ''.join(
            f'_Static_assert({name} == {value}{"ULL" if int(value) >> 32 else ""}, "{name}");\n'
            for name, value in values.items())
        done = subprocess.run(['cc', *test_structures.INCLUDES, '-fsyntax-only', '-x', 'c', '-'],
                              input='#include <resch.h>\n' + checks,
                              text=True, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        for kind in test_structures.headers.read_all()[0]:
            if kind.name in ('resch_kind', 'resch_react', 'resch_state', 'resch_event_type',
                             'resch_chain_protocol'):
                self.assertLessEqual({member.name for member in kind.members}, set(values))

    def test_played(self):
        self.assertEqual(self.python('-c', PLAYED).stdout, 'done\n')

    def test_no_device(self):
        if os.path.exists('/dev/resch'):
            self.skipTest('there is a device')
        done = self.python('-c', 'import resch; resch.Device()', played=False, check=False)
        self.assertIn('is not loaded: run `modprobe resch`', done.stderr)

    def test_example(self):
        done = self.python(TOP + '/libresch/examples/periodic.py', '1', '5')
        self.assertRegex(done.stdout, r'^4 jobs, \d+ misses, response at most \d+ ns\n$')
        done = self.python(TOP + '/libresch/examples/periodic.py', '0', check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ''))

    @unittest.skipUnless(shutil.which('mypy', path='/usr/bin'), 'no mypy')
    def test_types(self):
        """mypy --strict likes the module and the examples, and a program that uses it; and not a
        wrong one."""
        def mypy(*arguments):
            return subprocess.run(['/usr/bin/mypy', '--strict', '--cache-dir',
                                   self.folder + '/mypy', *arguments], cwd=self.folder,
                                  env={**os.environ, 'MYPYPATH': MODULE}, stdout=subprocess.PIPE,
                                  text=True, check=False)
        done = mypy(MODULE + '/resch', *glob.glob(TOP + '/libresch/examples/*.py'))
        self.assertEqual(done.returncode, 0, done.stdout)
        with open(self.folder + '/wrong.py', 'w', encoding='utf-8') as file:
            file.write(WRONG)
        done = mypy('wrong.py')
        self.assertIn('Argument "period" to "join" of "Device" has incompatible type "float"',
                      done.stdout)

    @unittest.skipUnless(subprocess.run([PYTHON, '-c', 'import setuptools, wheel, pip'],
                                        stderr=subprocess.DEVNULL, check=False).returncode
                         == 0, 'no pip, setuptools or wheel')
    def test_pip(self):
        """pip installs it from the tree, with its types and the tree's version."""
        tree = self.folder + '/tree'
        shutil.copytree(MODULE, tree + '/libresch/python')
        shutil.copy(TOP + '/VERSION', tree)
        target = self.folder + '/site'
        self.python('-m', 'pip', 'install', '-q', '--no-index', '--no-build-isolation', '--no-deps',
                    '--target', target, tree + '/libresch/python', played=False)
        self.assertEqual(sorted(os.listdir(target + '/resch')),
                         ['__init__.py', '__pycache__', '_library.py', 'chain.py', 'py.typed'])
        self.assertEqual(sorted(os.listdir(tree + '/libresch/python')), sorted(os.listdir(MODULE)),
                         'the tree stays as it was')
        with open(TOP + '/VERSION', encoding='utf-8') as file:
            version = file.read().strip()
        code = 'import importlib.metadata, resch; print(resch.__file__, importlib.metadata.version("resch"))'
        self.assertEqual(self.python('-c', code, module=target).stdout,
                         f'{target}/resch/__init__.py {version}\n')


if __name__ == '__main__':
    unittest.main(verbosity=1)
