# SPDX-License-Identifier: GPL-2.0
"""Measure in a guest whose clock counts instructions and whose CPUs take short turns."""

import os
import shutil
import subprocess
import sys

TOP = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
HARNESS = os.path.join(TOP, 'tests/harness')
BUILD = os.environ.get('RESCH_BUILD') or os.path.join(TOP, 'build')
CACHE = os.environ.get('RESCH_CACHE') or os.path.join(
    os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'resch')


def fresh(name):
    """An empty folder of this name for results, in build/bench."""
    folder = os.path.join(BUILD, 'bench', name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def tell(what):
    """On a terminal, for who waits: what begins now takes minutes."""
    if sys.stderr.isatty():
        print(what, file=sys.stderr, flush=True)


def build(kernel, folder):
    """The modules and programs for a kernel, and what guests and pictures need."""
    tell(f'{kernel}: modules and programs are built: {folder}/build.log')
    with open(os.path.join(folder, 'build.log'), 'w', encoding='utf-8') as log:
        for command in (['setup.sh', 'guest', 'plot'], ['qemu.sh'],
                        ['build.sh', '--kbuild', kernel], ['build.sh', '--user', kernel]):
            subprocess.run([os.path.join(HARNESS, command[0]), *command[1:]], check=True,
                           stdout=log, stderr=log)


def about(kernel, what):
    """A word about a kernel in the cache: "release", "suite"."""
    with open(os.path.join(CACHE, 'kernels', kernel, what), encoding='utf-8') as file:
        return file.read().strip()


def module(kernel, path):
    """A module of the kernel's own (kernel/drivers/...), unpacked; None where it has none."""
    import lzma
    path = os.path.join(CACHE, 'roots', about(kernel, 'suite'), 'lib/modules',
                        about(kernel, 'release'), path)
    if os.path.exists(path):
        with open(path, 'rb') as file:
            return file.read()
    if os.path.exists(path + '.xz'):
        with lzma.open(path + '.xz') as file:
            return file.read()
    return None


def play(kernel, folder, command, cpus=4, turns=5, timeout=1800, programs=(), arguments=''):
    """Run a shell command in a guest, with folder/files at /, and more arguments for its kernel;
    /out comes back into the folder."""
    options = ['-k', kernel, '--icount', '-c', str(cpus), '-t', str(timeout), '-o', folder,
               '--files', os.path.join(folder, 'files')]
    if cpus > 1:
        options += ['--turns', str(turns)]
    for program in programs:
        options += ['--program', program]
    if arguments:
        options += ['-a', arguments]
    tell(f'{kernel}: a guest measures, at most {timeout} s: {folder}')
    subprocess.run([os.path.join(HARNESS, 'guest'), *options, '--', 'sh', '-c', command],
                   check=True, stdout=sys.stderr)
