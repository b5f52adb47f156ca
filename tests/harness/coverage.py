#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Tell which lines of the modules were reached, from the output of `gcov -jt`.

The first table has a line a file; after an empty line, each function with lines that were not
reached, these lines, and why, where tests/coverage.list says so. Status 1: less than 90 % were
reached, or lines were not that no reason is given for. What that list has and was reached is named:
a moment is met in one run and not in another.
"""

import argparse
import collections
import json
import os
import sys

ROOMS = ('module/', 'plugins/')
WANTED = 90


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('counts', help='what gcov wrote: an object a line')
    parser.add_argument('tree')
    return parser.parse_args()


def counted(path):
    """{file: {line: [count, function]}}, over all objects and guests that have the line"""
    files = collections.defaultdict(dict)
    with open(path) as counts:
        for text in counts:
            for file in json.loads(text)['files']:
                name = file['file'].split('/kbuild/')[-1].removeprefix('/src/')
                if not name.startswith(ROOMS) or '/compat/' in name and not name.endswith('.h'):
                    continue
                for line in file['lines']:
                    have = files[name].setdefault(line['line_number'], [0, None])
                    have[0] += line['count']
                    have[1] = have[1] or line.get('function_name')
    return files


def reasons(path):
    """{(file, function): reason}"""
    found = {}
    with open(path) as listed:
        for text in listed:
            if text.strip() and not text.startswith('#'):
                file, function, reason = text.split(None, 2)
                found[file, function] = reason.strip()
    return found


def table(files):
    """The first table. Returns the share that was reached, percent."""
    rows = []
    for name in sorted(files):
        lines = files[name].values()
        rows.append((sum(count > 0 for count, _ in lines), len(lines), name))
    reached, lines = (sum(row[i] for row in rows) for i in (0, 1))
    for row in [*rows, (reached, lines, 'in all')]:
        print(f'{row[0]:5} of {row[1]:5} {100 * row[0] / row[1]:6.1f} %  {row[2]}')
    return 100 * reached / lines


def unreached(files):
    """{(file, function): [line, ...]}"""
    found = collections.defaultdict(list)
    for name, lines in files.items():
        for number in sorted(lines):
            count, function = lines[number]
            if not count:
                found[name, function or '-'].append(number)
    return found


def main():
    args = arguments()
    files = counted(args.counts)
    why = reasons(os.path.join(args.tree, 'tests', 'coverage.list'))
    share = table(files)
    left = unreached(files)
    open_lines = 0
    print()
    for (name, function), numbers in sorted(left.items()):
        reason = why.get((name, function)) or why.get((name, '*'))
        open_lines += 0 if reason else len(numbers)
        print(f'{name}: {function}: {reason or "no reason given"}')
        with open(os.path.join(args.tree, name)) as file:
            text = file.read().splitlines()
        for number in numbers:
            print(f'{number:6} {text[number - 1]}')
    stale = [key for key in why if key not in left and key[1] != '*']
    for name, function in stale:
        print(f'tests/coverage.list: {name}: {function}: reached this time')
    print(f'{share:.1f} % reached, {open_lines} lines that were not without a reason')
    return share < WANTED or open_lines > 0


if __name__ == '__main__':
    sys.exit(main())
