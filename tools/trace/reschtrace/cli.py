# SPDX-License-Identifier: GPL-2.0
"""What all programs here do alike: their version, what is said while they read, and what they could
not write."""

import argparse
import difflib
import os
import sys
import time

from . import units

VERSION = '0.1.0'
PATIENCE, EVERY, LINES = 2, 0.1, 4096
# of tools/common/exit-status.h
DONE, FAILED, USAGE = 0, 1, 2


class Parser(argparse.ArgumentParser):
    """Says what may have been meant instead of an option that there is not."""

    def error(self, message):
        options = list(self._option_string_actions)
        for word in sys.argv[1:]:
            name = word.split('=')[0]
            if not name.startswith('--') or any(option.startswith(name) for option in options):
                continue
            nearest = difflib.get_close_matches(name, options, 1)
            message = f'unknown option {name}' + ''.join(f': {near}?' for near in nearest)
            break
        super().error(message)


def duration(text):
    """For add_argument(): a time in ns."""
    try:
        return units.parse_time(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def add_version(parser):
    parser.add_argument('--version', action='version', version=f'{parser.prog} {VERSION}')


def fail(program, message, status=USAGE):
    """Says why there is no more to come. Return: status"""
    print(f'{program}: {message}', file=sys.stderr)
    return status


def run(program, main):
    """Ends with the status of main(), or with FAILED where all was well but standard output does
    not take it. Who reads no more of it hears no complaint, which is no failure."""
    status = DONE
    try:
        try:
            status = main()
        except SystemExit as end:
            status = end.code
        sys.stdout.flush()
    except BrokenPipeError:
        # Python would try to write the rest once more.
        os._exit(status)
    except OSError as error:
        os._exit(fail(program, f'standard output: {error.strerror}', status or FAILED))
    sys.exit(status)


class Progress:
    """On a terminal, of what takes its time: how much is done, and for how long it goes on."""

    def __init__(self):
        self.first = self.begin = self.last = time.monotonic()
        self.silent = not sys.stderr.isatty()

    def tell(self, done, what, most=None, power=1):
        """`done` of `what`, of `most` that are to come; it takes its time as done ** power."""
        now = time.monotonic()
        if self.silent or now - self.first < PATIENCE or now - self.last < EVERY:
            return
        self.last = now
        text = f'{done} {what}'
        if most and done:
            left = (now - self.begin) * ((most / done) ** power - 1)
            text += f' of {most}; {left:.0f} s to go' if left < 120 else (
                f' of {most}; {left / 60:.0f} min to go')
        print(f'\r{text}\033[K', end='', file=sys.stderr, flush=True)

    def end(self):
        """The next piece of work begins, if there is one."""
        if self.last != self.begin:
            print('\r\033[K', end='', file=sys.stderr, flush=True)
        self.begin = self.last = time.monotonic()


def told(lines):
    """The same lines; on a terminal it is said how many there were, when that takes its time."""
    progress = Progress()
    if progress.silent:
        yield from lines
        return
    for number, line in enumerate(lines):
        if number % LINES == 0:
            progress.tell(number, 'lines read')
        yield line
    progress.end()
