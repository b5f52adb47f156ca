# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""What the public headers declare and say: structures with their members, enumerations, constants.

Not a C parser: it reads the form that these headers have, and complains of what it can't place
(ValueError) rather than leave it out.
"""

import dataclasses
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = [os.path.join(HERE, '../uapi/linux/resch.h')] + [
    os.path.join(HERE, name)
    for name in ('resch.h', 'resch-text.h', 'resch-server.h', 'resch-assign.h', 'resch-chain.h',
                 'resch-pace.h', 'resch-fifo.h')]


@dataclasses.dataclass
class Member:
    """A member of a structure; count: of an array, as it is written, or ''."""
    type: str
    name: str
    count: str
    text: str = ''
    # of a pointer to a function: its arguments, as they are written
    arguments: str = ''
    # what is said after it and is about those that follow
    after: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Constant:
    name: str
    value: str
    text: str = ''


@dataclasses.dataclass
class Type:
    """A structure or an enumeration."""
    kind: str  # struct, enum
    name: str
    header: str  # as programs include it
    summary: str
    members: list  # Member, or Constant
    paragraphs: list  # what is said of the whole
    source: str  # without comments


def _plain(comment):
    """The text of a comment, its lines joined."""
    text = re.sub(r'^\s*/\*+|\*+/\s*$', '', comment.strip())
    return ' '.join(re.sub(r'^\s*\*? ?', '', line).strip() for line in text.splitlines()).strip()


def _uncomment(text):
    return re.sub(r'/\*.*?\*/', '', text, flags=re.S)


def _document(comment, where):
    """A comment above a type: (name, summary, [['member', names, text] or ['text', '', text]])."""
    lines = [re.sub(r'^\s*\* ?', '', line).rstrip() for line in
             re.sub(r'^\s*/\*+ ?|\s*\*+/\s*$', '', comment.strip()).splitlines()]
    while not lines[0]:
        lines.pop(0)
    items, blank = [['text', '', '']], False
    for line in lines:
        named = re.match(r'(@\w+(?:, @\w+)*):\s*(.*)', line)
        if named:
            items.append(['member', re.findall(r'@(\w+)', named[1]), named[2]])
        elif not line:
            blank = True
            continue
        elif blank or (items[-1][0] == 'member' and not line.startswith('  ')):
            items.append(['text', '', line])
        else:
            items[-1][2] += ' ' + line.strip()
        blank = False
    head = re.match(r'(struct|enum) (\w+)(?: - (.*))?$', items.pop(0)[2].strip())
    if not head:
        raise ValueError(f'{where}: a comment that says of nothing what it is: {lines[0]}')
    return head[2], head[3] or '', items


def _declared(body, where):
    """Pairs of a declaration and what its own comments say."""
    pending, result = '', []
    for part in re.finditer(r'/\*.*?\*/|(?:[^;/]|/(?!\*))+;|\S', body, re.S):
        text = part[0]
        if not text.startswith('/*'):
            if not text.endswith(';'):
                raise ValueError(f'{where}: {text}')
            result.append([' '.join(text.split()), pending])
            pending = ''
        elif result and '\n' not in body[:part.start()].rpartition(';')[2]:
            result[-1][1] = _plain(text)
        else:
            pending = _plain(text)
    return result


def _member(text, where):
    function = re.fullmatch(r'([\w *]+?)\(\*(\w+)\)\((.*)\);', text)
    if function:
        return Member(function[1].strip(), function[2], '', arguments=function[3])
    plain = re.fullmatch(r'((?:const |struct |unsigned )*\w+(?: \*+)?)\s*(\w+)(?:\[(.*)\])?;', text)
    if not plain:
        raise ValueError(f'{where}: what is {text}')
    return Member(plain[1].strip(), plain[2], plain[3] or '')


def _structure(body, items, where):
    """(members, paragraphs) of a structure, each member with its text."""
    members = []
    for text, own in _declared(body, where):
        member = _member(text, where)
        member.text = own
        members.append(member)
    named = {member.name: member for member in members}
    paragraphs, last = [], None
    for index, (kind, names, text) in enumerate(items):
        if kind == 'text':
            more = any(item[0] == 'member' for item in items[index:])
            (last.after if last and more else paragraphs).append(text)
            continue
        for name in names:
            if name not in named:
                raise ValueError(f'{where}: @{name} is no member')
            last = named[name]
            last.text = text
    for member in members:
        if member.name.startswith('reserved'):
            member.text = member.text or 'zero'
    silent = [member.name for member in members if not member.text]
    if silent:
        raise ValueError(f'{where}: nothing says what these are: {" ".join(silent)}')
    return members, paragraphs


def _enumeration(body, where):
    """The constants of an enumeration, each with its text and its value."""
    constants, pending, value = [], '', -1
    for part in re.finditer(r'/\*.*?\*/|(\w+)(?:\s*=\s*(\w+))?\s*,', body, re.S):
        if not part[1]:
            # on the line of a constant: of that one
            if constants and '\n' not in body[:part.start()].rpartition(',')[2]:
                constants[-1].text = _plain(part[0])
            else:
                pending = _plain(part[0])
            continue
        value = int(part[2], 0) if part[2] else value + 1
        constants.append(Constant(part[1], str(value), pending))
        pending = ''
    if not constants:
        raise ValueError(f'{where}: no constants')
    return constants


def _constants(text):
    """#define NAME VALUE, with what is said on the line or in a comment right above it."""
    text = text.replace('\\\n', ' ')
    for found in re.finditer(
            r'((?:^/\*(?:(?!\*/).)*\*/\n)?)^#define[ ](RESCH_\w+)[ \t]+(.*?)[ \t]*(/\*.*?\*/)?$',
            text, re.M | re.S):
        yield Constant(found[2], ' '.join(found[3].split()), _plain(found[4] or found[1] or ''))


def read(path):
    """A header: ([Type], [Constant])."""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    header = ('linux/' if '/linux/' in path else '') + os.path.basename(path)
    types = []
    form = r'((?:/\*\*(?:(?!\*/).)*\*/\n)?)^(struct|enum) (\w+) \{\n(.*?)^\};'
    for comment, kind, name, body in re.findall(form, text, re.M | re.S):
        where = f'{header}: {kind} {name}'
        if not comment:
            raise ValueError(f'{where}: nothing is said of it')
        said, summary, items = _document(comment, where)
        if said != name:
            raise ValueError(f'{where}: what is above it is about {said}')
        if kind == 'struct':
            members, paragraphs = _structure(body, items, where)
        else:
            members, paragraphs = _enumeration(body, where), [text for _, _, text in items]
        if not summary:
            raise ValueError(f'{where}: its first line does not say what it is')
        source = f'{kind} {name} {{\n' + re.sub(r'\n\s*\n', '\n', _uncomment(body)) + '};'
        types.append(Type(kind, name, header, summary, members, paragraphs,
                          '\n'.join(line.rstrip() for line in source.splitlines() if line.strip())))
    return types, list(_constants(text))


def read_all(paths=None):
    types, constants = [], []
    for path in paths or FILES:
        more = read(path)
        types += more[0]
        constants += more[1]
    return types, constants
