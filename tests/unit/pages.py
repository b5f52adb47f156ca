# SPDX-License-Identifier: GPL-2.0
"""Manual pages as documents: what they show of terminals, and what that needs.

What is displayed outside of SYNOPSIS is a block; one with "$ " is typed, whatever it prints.
"""

import glob
import os
import re
import subprocess
import sys

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
sys.path.insert(0, TOP + '/tests/guest/lib')  # typed.py is there
FOLDERS = ('bench/man', 'libresch/man', 'tools/man', 'tools/top/man', 'tools/trace/man')
SET = 'name,group,wcet,period\na,1,1ms,10ms\nb,1,2ms,20ms\n'
PLAN = 'slot, 10ms\nfrom, 0\n1, 0, 0ns, 10ms\n'


def is_page(path):
    return os.path.dirname(path) in FOLDERS


def names():
    return [path for folder in FOLDERS
            for path in sorted(glob.glob(folder + '/*.[0-9]', root_dir=TOP))]


def read(path):
    """The displays of a page as the blocks of a document."""
    with open(os.path.join(TOP, path), encoding='utf-8') as file:
        return '\n'.join(lines(file.read()))


def lines(text):
    block, synopsis = None, False
    for line in text.splitlines():
        synopsis = 'SYNOPSIS' in line if line.startswith('.SH') else synopsis
        if re.match(r'\.(nf|EX)', line) and not synopsis:
            block = []
        elif re.match(r'\.(fi|EE)', line) and block is not None:
            kind = 'console' if any(each.startswith('$ ') for each in block) else ''
            yield f'```{kind}'
            yield from shown(block, kind)
            yield '```'
            block = None
        elif block is not None:
            block += [] if re.match(r'\.(RS|RE|P)', line) else [plain(line)]


def shown(block, kind):
    for line in block:
        # what only root types is another document's
        if not kind or line.startswith('$ '):
            yield line
        if kind and line.startswith('$ '):
            yield '...'
    if kind and any(line.startswith('# ') for line in block):
        yield from ['```', '```', *(line for line in block if line.startswith('# '))]


def plain(line):
    for escape, means in (('\\-', '-'), ('\\(aq', "'"), ('\\(ti', '~'), ('\\&', ''),
                          ('\\e', '\\')):
        line = line.replace(escape, means)
    return re.sub(r'^\.[BI]R? ', '', line)


def prepare(programs, folder):
    """Task sets, a plan, and traces that these leave: one for trace-cmd, too."""
    sim = programs + '/resch-sim'
    for name, text in (('set.csv', SET), ('plan.txt', PLAN)):
        with open(f'{folder}/{name}', 'w', encoding='utf-8') as file:
            file.write(text)
    for name in ('sekg', 'npsf'):
        os.makedirs(f'{folder}/{name}', exist_ok=True)
        subprocess.run([sim, '-p', name, '--plan', 'plan.txt', '-t', '100ms', '--trace',
                        name + '/1.dat', 'set.csv'], cwd=folder, stdout=subprocess.DEVNULL,
                       check=True)
    trace = subprocess.run([sim, '-p', 'edf', '-t', '2s', '--trace', '-', 'set.csv'], cwd=folder,
                           stdout=subprocess.PIPE, check=True)
    subprocess.run([sys.executable, '-B', TOP + '/tests/checker/trace_dat.py',
                    folder + '/trace.dat'], input=trace.stdout, check=True)
