#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""make install into a folder: all that pages and documents use is there; make uninstall leaves
nothing."""

import filecmp
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
OUT = os.environ.get('O', TOP + '/build/host')
# Words of that form that are no programs: the module's threads and files, packages, and an example
# of a plugin.
NOT_PROGRAMS = {'resch-guard', 'resch-guardian', 'resch-events', 'resch-shield', 'resch-slice',
                'resch-watch', 'resch-test', 'resch-sjf', 'resch-assign', 'resch-nosuch',
                'resch-trusted', 'resch-dkms', 'resch-trace-tools'}
with open(TOP + '/plugins/Kbuild', encoding='utf-8') as kbuild:
    NOT_PROGRAMS |= {f'resch-{name}' for line in kbuild if line.startswith('plugin-names := ')
                     for name in line.split()[2:]}
# Measurements that docs name, made and used in the tree by their own commands.
IN_TREE = {'resch-study', 'resch-overhead', 'resch-exchange', 'resch-nodes', 'resch-interval'}


def make(target, destdir, *more, env=None):
    return subprocess.run(['make', '-s', '-C', TOP, target, 'O=' + OUT,
                           'DESTDIR=' + destdir, *more],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env=env)


def programs():
    """What is installed, in a folder that is there for the tests of the module that asks."""
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    done = make('install', folder.name)
    assert done.returncode == 0, done.stdout
    return folder.name + '/usr/local/bin'


def files(folder):
    """Paths of all files and links below, and of empty folders."""
    found = []
    for at, folders, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(at, name), folder) for name in names]
        if not folders and not names:
            found.append(os.path.relpath(at, folder) + '/')
    return found


def documents():
    for pattern in ('README.md', 'docs/*.md', 'tools/man/*', 'tools/top/man/*', 'tools/trace/man/*',
                    'bench/man/*', 'libresch/man/*.[37]'):
        for path in glob.glob(os.path.join(TOP, pattern)):
            if not os.path.islink(path):
                with open(path, encoding='utf-8') as file:
                    yield os.path.relpath(path, TOP), file.read().replace('\\-', '-')


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.destdir = cls.folder.name + '/root'
        cls.said = make('install', cls.destdir)
        cls.files = files(cls.destdir)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_1_quiet(self):
        self.assertEqual(self.said.returncode, 0, self.said.stdout)
        lines = self.said.stdout.splitlines()
        self.assertLess(len(lines), 20, self.said.stdout)
        for line in lines:
            self.assertLess(len(line), 200)

    def test_2_programs(self):
        """Each program that is named somewhere is installed, with a page."""
        programs = {os.path.basename(name) for name in self.files if '/bin/' in name}
        pages = {os.path.basename(name)[:-2] for name in self.files
                 if re.search(r'/man/man[18]/', name)}
        self.assertEqual(programs - pages, set(), 'without a page')
        units = {os.path.basename(name) for name in self.files if '/systemd/system/' in name}
        # A command of reschctl may have a page of its own.
        commands = {page for page in pages if page.startswith('reschctl-')}
        self.assertEqual(pages - programs - units - commands, set(), 'a page without its program')
        for path, text in documents():
            named = set(re.findall(r'(?<![\w/{.-])resch-[a-z]+\b(?![-.][a-z]|/)', text))
            self.assertEqual(named - programs - NOT_PROGRAMS - IN_TREE, set(), path)
        # The words are found: the test is not about nothing.
        self.assertLessEqual({'reschctl', 'resch-sim', 'resch-check', 'resch-draw', 'resch-jitter',
                              'resch-gen', 'reschtop'}, programs)

    def test_2_completions(self):
        """Each shell finds those of both programs where it looks."""
        for name in ('reschctl', 'reschtop'):
            for path, source in ((f'bash-completion/completions/{name}', f'{name}.bash'),
                                 (f'zsh/site-functions/_{name}', f'_{name}'),
                                 (f'fish/vendor_completions.d/{name}.fish', f'{name}.fish')):
                self.assertIn(f'usr/local/share/{path}', self.files)
                self.assertTrue(filecmp.cmp(f'{TOP}/tools/completion/{source}',
                                            f'{self.destdir}/usr/local/share/{path}', False), path)
        with open(TOP + '/tools/completion/resch-tools.bash', encoding='utf-8') as file:
            named = re.search(r'^complete .*_resch_tools ([^|]*)', file.read(), re.M)[1]
        others = sorted(os.path.basename(name) for name in self.files if '/bin/resch-' in name)
        self.assertEqual(named.replace('\\\n', '').split(), others)
        for name in others:
            self.assertIn(f'usr/local/share/bash-completion/completions/{name}', self.files)
            self.assertIn(f'usr/local/share/fish/vendor_completions.d/{name}.fish', self.files)
        self.assertIn('usr/local/share/zsh/site-functions/_resch-tools', self.files)

    def test_3_pages_refer(self):
        """SEE ALSO of resch's own pages leads to pages that are installed."""
        pages = {os.path.basename(name) for name in self.files if '/man/man' in name}
        for path, text in documents():
            if '/man/' not in path:
                continue
            text = text.replace('\\-', '-')
            for name, section in re.findall(r'^\.BR "?(resch[-_a-z0-9]*)"? "?\((3type|[1378])\)',
                                            text, re.M):
                self.assertIn(f'{name}.{section}', pages, path)

    def test_3_system(self):
        """Services call what is installed, and each has its page; the device's rule, its group, and
        the module are there."""
        units = [name for name in self.files if '/systemd/system/' in name]
        self.assertEqual(sorted(os.path.basename(name) for name in units),
                         ['resch-shield.service', 'resch-slice@.service', 'resch.service'])
        for name in units:
            with open(os.path.join(self.destdir, name), encoding='utf-8') as file:
                text = file.read()
            self.assertNotIn('@', text.replace('modprobe@resch', ''))
            programs = re.findall(r'^Exec\w+=(\S+) (\w+)', text, re.M)
            self.assertTrue(programs)
            for path, command in programs:
                done = subprocess.run([self.destdir + path, command, '--help'],
                                      stdout=subprocess.PIPE, check=False)
                self.assertEqual(done.returncode, 0, path + ' ' + command)
            for page, section in re.findall(r'man:([a-z.-]+)\((\d)\)', text):
                self.assertTrue(any(name.endswith(f'/man{section}/{page}.{section}')
                                    for name in self.files), page)
        for name in ('udev/rules.d/60-resch.rules', 'sysusers.d/resch.conf',
                     'modules-load.d/resch.conf'):
            self.assertIn('usr/local/lib/' + name, self.files)

    def test_4_programs_run(self):
        for name in self.files:
            if '/bin/' not in name:
                continue
            path = os.path.join(self.destdir, name)
            done = subprocess.run([path, '--help'], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, name + ': ' + done.stderr)
            self.assertTrue(done.stdout.lower().startswith('usage'), name)
            # what all have for a command line that makes no sense: tools/common/exit-status.h
            done = subprocess.run([path, '--no-such-option'], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ''), name)

    def test_5_examples(self):
        """Examples of the library compile against what is installed, and nothing else."""
        usr = self.destdir + '/usr/local'
        for ending, least, compiler in (('.c', 4, ['cc']), ('.cpp', 1, ['c++', '-std=c++17'])):
            examples = [name for name in self.files if '/examples/' in name and
                        name.endswith(ending)]
            self.assertGreaterEqual(len(examples), least)
            for name in examples:
                done = subprocess.run([*compiler, '-Wall', '-Werror', '-I' + usr + '/include',
                                       os.path.join(self.destdir, name), '-L' + usr + '/lib',
                                       '-lresch', '-pthread', '-o', self.folder.name + '/example'],
                                      stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_5_examples_are_those_that_run(self):
        """test_bindings.py, test_python.py, tests/guest/chain-run and comm run the tree's."""
        installed = {os.path.basename(name): name for name in self.files if '/examples/' in name}
        tree = [name for name in os.listdir(TOP + '/libresch/examples') if name[0] != '.']
        self.assertEqual(set(tree) - set(installed), set())
        for name in tree:
            self.assertTrue(filecmp.cmp(f'{TOP}/libresch/examples/{name}',
                                        os.path.join(self.destdir, installed[name]), False), name)

    def test_5_python(self):
        """Debian's Python looks where the module is installed, and the module finds the library."""
        module, = [name for name in self.files if name.endswith('/resch/__init__.py')]
        folder = os.path.dirname(os.path.dirname(module))
        code = 'import resch, site; print("/" + ARG in site.getsitepackages(), resch.__file__)'
        done = subprocess.run(['/usr/bin/python3', '-B', '-c', code.replace('ARG', repr(folder))],
                              env={'PYTHONPATH': f'{self.destdir}/{folder}',
                                   'LD_LIBRARY_PATH': self.destdir + '/usr/local/lib'},
                              stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(done.stdout, f'True {self.destdir}/{module}\n')

    def test_5_without_kernelshark(self):
        """Where libkshark-dev is missing, all but KernelShark's plugin is installed, and a sentence
        says so."""
        plugins = [name for name in self.files if name.endswith('/plugin-resch.so')]
        self.assertLessEqual(len(plugins),
                             int(os.path.exists('/usr/include/kernelshark/KsCmakeDef.hpp')))
        done = subprocess.run(['make', '-s', '-C', TOP + '/tools/kernelshark',
                               'O=' + self.folder.name + '/plugin', 'KSHARK_INCLUDE=/nowhere',
                               'DESTDIR=' + self.folder.name + '/shark', 'install'],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0)
        # make may warn that it has no jobserver
        self.assertRegex(done.stdout,
                         r'(?m)^SKIP the plugin of KernelShark is not built, nor installed: it needs libkshark-dev \(apt install .*\)$')
        self.assertFalse(os.path.exists(self.folder.name + '/shark'))

    @unittest.skipUnless(os.geteuid() == 0, 'as root only')
    def test_5_tree_stays_its_owners(self):
        """sudo make install leaves nothing of root's in somebody's tree."""
        tree = self.folder.name + '/tree'
        shutil.copytree(TOP, tree, symlinks=True, ignore=shutil.ignore_patterns('build', '.git'))
        shutil.copytree(OUT, tree + '/build/host', symlinks=True)
        subprocess.run(['chown', '-hR', '65534:65534', tree], check=True)
        done = subprocess.run(['make', '-s', '-C', tree, 'install',
                               f'O={tree}/build/host', f'DESTDIR={self.folder.name}/owned'],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        found = subprocess.run(['find', tree, '!', '-uid', '65534'], stdout=subprocess.PIPE,
                               text=True, check=True)
        self.assertEqual(found.stdout, '')

    def test_6_sources(self):
        """DKMS gets every module, the needs, and nothing with a blank left in it."""
        conf, = [name for name in self.files if name.endswith('/dkms.conf')]
        with open(os.path.join(self.destdir, conf), encoding='utf-8') as file:
            text = file.read()
        self.assertNotIn('@', text)
        self.assertIn('CONFIG_PREEMPT_NOTIFIERS', text)
        modules = re.findall(r'^BUILT_MODULE_NAME\[(\d+)\]="(.*)"$', text, re.M)
        self.assertEqual([int(number) for number, _ in modules], list(range(len(modules))))
        self.assertLessEqual({'resch', 'resch-edf', 'resch-fp', 'resch-server'},
                             {name for _, name in modules})
        self.assertNotIn('BUILD_EXCLUSIVE_KERNEL', text)

    def test_6_same_kernels(self):
        """What `make install` says of a kernel is what `reschctl doctor` says of it."""
        with open(TOP + '/module/needs', encoding='utf-8') as file:
            needs = [line.split()[0] for line in file if line.startswith('CONFIG_')]
        reschctl = self.destdir + '/usr/local/bin/reschctl'
        for release in ('6.1.0-56-amd64', '7.2.13+deb14-rt-amd64', '5.10.0-30-amd64',
                        '6.8.0-45-generic', '7.3.4-amd64', '7.4.1-amd64'):
            for lacks in ('', 'CONFIG_PREEMPT_NOTIFIERS', 'CONFIG_HIGH_RES_TIMERS'):
                root = os.path.join(self.folder.name, 'machine')
                config = root + '/boot/config-' + release
                for path, text in ((config,
                                    ''.join(need + '=y\n' for need in needs if need != lacks)),
                                   (root + '/proc/sys/kernel/osrelease', release + '\n')):
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    with open(path, 'w', encoding='utf-8') as file:
                        file.write(text)
                check = subprocess.run([TOP + '/tests/harness/dkms.sh', 'check'],
                                       stderr=subprocess.PIPE, text=True,
                                       env={**os.environ, 'DKMS_KERNEL': release,
                                            'DKMS_CONFIG': config}, check=False)
                doctor = subprocess.run([reschctl, 'doctor', '--json', '--root=' + root],
                                        stdout=subprocess.PIPE,
                                        text=True, check=False)
                found = {each['check']: each for each in json.loads(doctor.stdout)['findings']}
                self.assertEqual(check.returncode, 1 if lacks else 0, check.stderr)
                self.assertEqual(found['config']['status'], 'fail' if lacks else 'ok')
                if lacks:
                    self.assertIn(lacks, check.stderr)
                    self.assertIn(lacks, found['config']['found'])
                else:
                    self.assertEqual('not tested' in check.stderr,
                                     'not tested' in found['kernel']['found'], release)

    @unittest.skipIf(os.geteuid(), 'only root gets as far')
    def test_6_kernel_is_asked_first(self):
        """Before a package is fetched, or a file is put anywhere."""
        folder = self.folder.name + '/first'
        os.makedirs(folder + '/bin')
        # no package is there
        for name in ('apt-get', 'dkms', 'sudo', 'modprobe', 'dpkg-query'):
            with open(f'{folder}/bin/{name}', 'w', encoding='utf-8') as file:
                file.write(f'#!/bin/sh\ntouch {folder}/called\nexit 1\n')
            os.chmod(f'{folder}/bin/{name}', 0o755)
        with open(folder + '/config', 'w', encoding='utf-8') as file:
            file.write('CONFIG_HIGH_RES_TIMERS=y\n')
        done = make('install', '', f'PREFIX={folder}/usr',
                    env={**os.environ, 'PATH': f'{folder}/bin:{os.environ["PATH"]}',
                         'RESCH_CACHE': folder + '/cache', 'DKMS_KERNEL': '6.18.44-amd64',
                         'DKMS_CONFIG': folder + '/config'})
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('kernel 6.18.44-amd64 lacks', done.stdout)
        self.assertEqual(sorted(os.listdir(folder)), ['bin', 'config'], done.stdout)

    def test_7_again_and_away(self):
        """An install over an older one takes the older one's files; uninstall leaves what others
        have put there."""
        listed = os.path.join(self.destdir, 'usr/local/share/resch/installed')
        stale = os.path.join(self.destdir, 'usr/local/bin/resch-gone')
        foreign = os.path.join(self.destdir, 'usr/local/share/man/man1/foreign.1')
        os.makedirs(os.path.join(self.destdir, 'usr/local/lib/resch/reschtrace/__pycache__'),
                    exist_ok=True)
        for path in (stale, foreign,
                     os.path.join(self.destdir,
                                  'usr/local/lib/resch/reschtrace/__pycache__/x.pyc')):
            with open(path, 'w', encoding='utf-8'):
                pass
        with open(listed, 'a', encoding='utf-8') as file:
            file.write('/usr/local/bin/resch-gone\n')
        self.assertEqual(make('install', self.destdir).returncode, 0)
        self.assertFalse(os.path.exists(stale))
        os.unlink(os.path.join(self.destdir, 'usr/local/bin/reschctl'))
        done = make('uninstall', self.destdir)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(files(self.destdir), ['usr/local/share/man/man1/foreign.1'])
        os.unlink(foreign)

    def test_7_goes_on(self):
        """What can't be removed is named, and all else goes."""
        destdir = self.folder.name + '/stays'
        self.assertEqual(make('install', destdir).returncode, 0)
        os.mkdir(self.folder.name + '/stand-ins')
        with open(self.folder.name + '/stand-ins/rm', 'w', encoding='utf-8') as file:
            file.write('#!/bin/sh\ncase "$*" in *bin/reschctl) echo "not $*" >&2; exit 1 ;; esac\n'
                       f'exec {shutil.which("rm")} "$@"\n')
            os.chmod(file.fileno(), 0o755)
        done = make('uninstall', destdir,
                    env={**os.environ,
                         'PATH': f'{self.folder.name}/stand-ins:{os.environ["PATH"]}'})
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f'not -f {destdir}/usr/local/bin/reschctl', done.stdout)
        self.assertIn('all else is removed, but not what is named above', done.stdout)
        self.assertEqual([name for name in files(destdir) if not name.endswith('/')],
                         ['usr/local/bin/reschctl'])

    def test_8_nothing_is_left(self):
        destdir = self.folder.name + '/other'
        self.assertEqual(make('install', destdir, 'PREFIX=/opt/resch').returncode, 0)
        self.assertTrue(os.path.exists(destdir + '/opt/resch/bin/reschctl'))
        self.assertEqual(make('uninstall', destdir, 'PREFIX=/opt/resch').returncode, 0)
        self.assertEqual(files(destdir), ['./'])
        again = make('uninstall', destdir, 'PREFIX=/opt/resch')
        self.assertEqual(again.returncode, 0)
        self.assertIn('nothing of resch is listed', again.stdout)


if __name__ == '__main__':
    unittest.main(verbosity=1)
