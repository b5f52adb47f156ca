#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Does each line end where it has to? Code at 100 columns, prose at 120; tabs are 8 wide.

Free of that are what would be worse in two pieces: messages, which are to be found by their text,
so a line that is one string behind what it is for; texts in other languages inside a Python string;
addresses, and words for other checkers; tables and code in Markdown, what a manual page shows as it
is.

usage: widths.py FILE..., or their names on standard input
"""

import ast
import io
import os
import re
import sys
import tokenize

CODE, PROSE, TAB = 100, 120, 8
STRING = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
ONE_STRING = {'C': re.compile(fr"""(?!\s*(?:\*|/\*|//)\s)[^"]*{STRING}(?: [A-Z_]+)?[\])}},;: ]*"""),
              'python': re.compile(fr"""[^'",#]*{STRING}[\])}},:.]*(?: [+%\\])?"""),
              'shell': re.compile(fr"""[^'"#]*{STRING}(?:[)}};]| \\| \|\|| &&| \|)*""")}
# What a comment tells others, which read it in one line.
TOLD = re.compile(r'#.*\b(noqa|pylint|shellcheck|resch-test)\b|://')


def language(name, first):
    """None: no code, and no prose."""
    ending = os.path.splitext(name)[1]
    if ending in ('.c', '.h', '.cpp', '.hpp', '.pml'):
        return 'C'
    if ending == '.md':
        return 'Markdown'
    if re.fullmatch(r'\.[1-9]', ending):
        return 'manual'
    if os.path.basename(name) in ('Makefile', 'Kbuild', 'rules') or ending == '.mk':
        return 'make'
    if ending == '.py' or re.match(r'#!.*\bpython3\b', first):
        return 'python'
    if ending in ('.sh', '.bash') or re.match(r'#!.*\b(ba|da)?sh\b|#compdef', first):
        return 'shell'
    return None


def inside_strings(text):
    """The lines of Python's strings of several lines, but for documentation."""
    documentation = {node.lineno for node in ast.walk(ast.parse(text))
                     if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if (token.type == tokenize.STRING and token.start[0] != token.end[0] and
                token.start[0] not in documentation):
            lines.update(range(token.start[0], token.end[0] + 1))
    return lines


def shown(lines):
    """The lines of Markdown or of a manual that are shown as they are: tables, code."""
    found, fence, code, blank = set(), False, False, True
    for number, line in enumerate(lines, 1):
        fence ^= line.lstrip().startswith('```')
        fence = (fence or line.startswith(('.EX', '.nf'))) and not line.startswith(('.EE', '.fi'))
        code = line.startswith('    ') and (blank or code)
        blank = not line
        if fence or code or line.startswith('|'):
            found.add(number)
    return found


def too_wide(name, text):
    """(number of the line, its columns, columns that it may have)"""
    lines = text.split('\n')
    spoken = language(name, lines[0])
    prose = spoken in ('Markdown', 'manual')
    most = PROSE if prose else CODE
    free = inside_strings(text) if spoken == 'python' else shown(lines) if prose else set()
    for number, line in enumerate(lines, 1):
        line = line.expandtabs(TAB)
        if spoken in ('C', 'make'):
            line = re.sub(r'\s*\\$', '', line)
        if spoken is None or len(line) <= most or number in free or TOLD.search(line):
            continue
        if spoken in ONE_STRING and ONE_STRING[spoken].fullmatch(line):
            continue
        yield number, len(line), most


def main():
    bad = False
    for name in sys.argv[1:] or sys.stdin.read().splitlines():
        try:
            with open(name, encoding='utf-8') as file:
                text = file.read()
        except UnicodeDecodeError:
            continue
        for number, columns, most in too_wide(name, text):
            print(f'{name}:{number}: {columns} columns, {most} at most')
            bad = True
    return bad


if __name__ == '__main__':
    sys.exit(main())
