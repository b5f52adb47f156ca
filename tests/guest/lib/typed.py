# SPDX-License-Identifier: GPL-2.0
"""What documents show of terminals: the commands, what they print, and a shell to type them into.

A block that begins with ```console is typed by a test. Numbers are those of the machine that
printed them, so each is as good as another where the reader says so; a line of "..." stands for any
lines.
"""

import os
import pwd
import re
import select
import signal
import subprocess
import time

PROMPT = re.compile(r'[$#] ')


def blocks(text, language='console'):
    """[(line number, [lines])] of the blocks in that language; '' is none."""
    found, block, kind = [], None, None
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r'```(\w*)$', line)
        if fence and block is None:
            block, kind = (number + 1, []), fence[1]
        elif fence:
            if kind == language:
                found.append(block)
            block = None
        elif block is not None:
            block[1].append(line)
    return found


def commands(lines):
    """[(prompt, command, [lines that it prints])] of a block, whose first line says what the prompt
    is. A command goes on in lines that begin with "> ", or in a document that ends where it
    says."""
    lines, found = list(lines), []
    assert PROMPT.match(lines[0]), f'no command: {lines[0]}'
    prompt = lines[0][:2]
    while lines:
        command = lines.pop(0)[2:]
        end = re.search(r"<<'(\w+)'", command)
        while end and command.splitlines()[-1] != end[1]:
            command += '\n' + lines.pop(0)
        while not end and lines and lines[0].startswith('> '):
            command += '\n' + lines.pop(0)[2:]
        printed = []
        while lines and not lines[0].startswith(prompt):
            printed.append(lines.pop(0))
        found.append((prompt[0], command, printed))
    return found


def plain(line):
    """A line with every number, and its unit, the same, and every space one."""
    line = re.sub(r'(?<![A-Za-z_])\d+(\.\d+)?( ?(ns|us|µs|ms|s|min|h))?\b', 'N', line)
    # lists of numbers are numbers, too
    line = re.sub(r'N([,-]N)+', 'N', line)
    return ' '.join(line.split())


def exact(line):
    """A line with every space one."""
    return ' '.join(line.split())


def alike(expected, printed, sight=plain):
    """Are they, in somebody's sight? "..." is any number of lines, also none; empty lines don't
    count."""
    pattern = ''.join(r'(.*\n)*' if line == '...' else re.escape(sight(line)) + r'\n'
                      for line in expected if line.strip())
    return (
        re.fullmatch(pattern,
                     ''.join(sight(line) + '\n' for line in printed if line.strip())) is not None)


def as_user(name):
    """What subprocess.Popen needs to become somebody, with no more rights than his."""
    if not name:
        return {}
    return {'user': name, 'group': pwd.getpwnam(name).pw_gid, 'extra_groups': []}


class Shell:
    """A shell with jobs, that says when a command is done."""

    def __init__(self, folder, limit, user=None, **environment):
        self.limit, self.count = limit, 0
        self.process = subprocess.Popen(['bash', '--norc'], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, cwd=folder,
                                        env={**os.environ, **environment},
                                        start_new_session=True, **as_user(user))
        os.set_blocking(self.process.stdout.fileno(), False)

    def type(self, command):
        """Status, 124 past the limit, and what it printed."""
        self.count += 1
        mark = f'typed-{self.count}'
        self.process.stdin.write(f'{command}\necho "{mark} $?"\n'.encode())
        self.process.stdin.flush()
        text, end = '', time.monotonic() + self.limit
        while not (done := re.search(rf'^{mark} (\d+)\n', text, re.M)):
            if time.monotonic() > end or self.process.poll() is not None:
                return 124, text.splitlines()
            if select.select([self.process.stdout], [], [], 1)[0]:
                text += (self.process.stdout.read() or b'').decode(errors='replace')
        return int(done[1]), text[:done.start()].splitlines()

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()
