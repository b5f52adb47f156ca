#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A release's tarball has what the commit has, the same bytes each time, with a checksum and a
signature that hold; and none is made of what is in no commit."""

import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
NAMES = ['VERSION', 'CHANGELOG.md', 'Makefile', 'tests/harness/dist.sh', 'tests/harness/lib.sh',
         'tests/kernels.list']


class Dist(unittest.TestCase):
    def setUp(self):
        self.room = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.room)
        self.tree = self.room + '/tree'
        for name in NAMES:
            os.makedirs(os.path.dirname(f'{self.tree}/{name}'), exist_ok=True)
            shutil.copy(f'{TREE}/{name}', f'{self.tree}/{name}')
        with open(self.tree + '/VERSION', encoding='utf-8') as file:
            self.version = file.read().strip()
        self.git('init', '-q')
        self.commit('first')

    def git(self, *words):
        return subprocess.run(
            ['git', '-c', 'user.name=somebody', '-c', 'user.email=somebody@example.org',
             '-c', 'commit.gpgsign=false', '-C', self.tree, *words],
            check=True, capture_output=True, text=True).stdout

    def commit(self, message):
        self.git('add', '-A')
        self.git('commit', '-q', '-m', message)

    def write(self, name, text):
        with open(f'{self.tree}/{name}', 'w', encoding='utf-8') as file:
            file.write(text)

    def dist(self, *words, out='out'):
        done = subprocess.run([self.tree + '/tests/harness/dist.sh', f'{self.room}/{out}', *words],
                              capture_output=True, text=True, check=False,
                              env={**os.environ, 'GNUPGHOME': self.room + '/keys'})
        self.tarball = f'{self.room}/{out}/dist/resch-{self.version}.tar.gz'
        return done

    def made(self, *words, out='out'):
        done = self.dist(*words, out=out)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.tarball, 'rb') as file:
            return file.read()

    def refused(self, why):
        done = self.dist()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(why, done.stderr)
        self.assertFalse(os.path.exists(self.tarball))

    def test_has_what_the_commit_has(self):
        first = self.made()
        with tarfile.open(self.tarball) as tar:
            files = {member.name: member for member in tar if member.isfile()}
            self.assertEqual(set(files), {f'resch-{self.version}/{name}' for name in NAMES})
            version = tar.extractfile(f'resch-{self.version}/VERSION').read().decode()
        self.assertEqual(version.strip(), self.version)
        self.assertEqual(first, self.made(out='again'))
        subprocess.run(['sha256sum', '-c', '--quiet', self.tarball + '.sha256'], check=True,
                       cwd=os.path.dirname(self.tarball))

    def test_of_commits_only(self):
        self.write('new', 'not added')
        self.refused('in no commit')
        self.commit('added')
        self.made()

    def test_versions_agree(self):
        self.write('VERSION', '99.0\n')
        self.commit('next')
        self.version = '99.0'
        self.refused('99.0')

    def test_a_version_is_one_commit(self):
        self.git('tag', 'v' + self.version)
        self.made()
        self.write('more', 'more')
        self.commit('more')
        shutil.rmtree(self.room + '/out')
        self.refused('is another commit')

    @unittest.skipUnless(shutil.which('gpg'), 'no gpg')
    def test_signed(self):
        keys = self.room + '/keys'
        os.mkdir(keys, 0o700)
        gpg = ['gpg', '--homedir', keys, '--batch', '--quiet']
        subprocess.run([*gpg, '--passphrase', '', '--quick-generate-key', 'maker@example.org',
                        'ed25519', 'sign', 'never'], check=True, capture_output=True)
        self.addCleanup(subprocess.run, ['gpgconf', '--homedir', keys, '--kill', 'all'],
                        check=False)
        self.made('maker@example.org')
        verify = [*gpg, '--verify', self.tarball + '.asc', self.tarball]
        subprocess.run(verify, check=True, capture_output=True)
        with open(self.tarball, 'ab') as file:
            file.write(b'more')
        self.assertNotEqual(subprocess.run(verify, check=False, capture_output=True).returncode, 0)
        self.assertNotEqual(self.dist('nobody@example.org').returncode, 0)

    def test_public_ci_runs_what_ci_run_does(self):
        with open(TREE + '/.github/workflows/check.yml', encoding='utf-8') as file:
            runs = re.findall(r'\brun: *(.*)', file.read())
        self.assertEqual(runs, ['.ci/run'])


if __name__ == '__main__':
    unittest.main(verbosity=1)
