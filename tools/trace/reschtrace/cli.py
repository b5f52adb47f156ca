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


def run(program, main, failed, unread=None):
    """Ends with the status of main(), or with `failed` where standard output does not take all. Who
    reads no more of it hears no complaint; the status is `unread` then, if there is one."""
    try:
        try:
            status = main()
        except SystemExit as end:
            status = end.code
        sys.stdout.flush()
    except BrokenPipeError:
        os._exit(failed if unread is None else unread)
    except OSError as error:
        print(f'{program}: standard output: {error.strerror}', file=sys.stderr)
        # Python would try to write the rest once more.
        os._exit(failed)
    sys.exit(status)


def told(lines):
    """The same lines; on a terminal it is said how many there were, when that takes its time."""
    if not sys.stderr.isatty():
        yield from lines
        return
    begin = last = time.monotonic()
    for number, line in enumerate(lines):
        if number % LINES == 0:
            now = time.monotonic()
            if now - begin > PATIENCE and now - last > EVERY:
                last = now
                print(f'\r{number} lines read\033[K', end='', file=sys.stderr, flush=True)
        yield line
    if last != begin:
        print('\r\033[K', end='', file=sys.stderr, flush=True)
