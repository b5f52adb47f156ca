#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Does each file stand on what is below it only?

The list FOLDER/floors names the files of FOLDER from the ground up. A file may include, and call,
what stands on the lines before its own. A name without .c or .h is both, one that ends in / all of
a folder, whose files may use one another; # begins a comment.

Calls are found by name: functions, variables and macros that one file defines, wherever the code of
another one mentions them. In a header only the bodies of functions and macros are code; none of
what stands in include/, which is there for others, is. What stands in for the kernel's own names
elsewhere, behind the #else of an #ifdef __KERNEL__, defines nothing.

usage: floors.py FOLDER
"""
import os
import re
import sys

NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^">]+)[">]', re.M)
MACRO = re.compile(r"^#define ([A-Za-z_]\w*)((?:[^\n]*\\\n)*[^\n]*)", re.M)
# What stands before a body, or ends in a semicolon, at the margin of a file.
FUNCTION = re.compile(r"([A-Za-z_]\w*)\s*\((?:[^()]|\([^()]*\))*\)[\s\w]*$")
VARIABLE = re.compile(r"\b([A-Za-z_]\w*)(?:\[[^]]*\])*\s*(?:=.*)?$", re.S)
MADE = re.compile(r"^(?:static )?(?:DEFINE_\w+|LLIST_HEAD|LIST_HEAD)\((?:[^,()]*,\s*)?(\w+)\)$")
WORD = re.compile(r"[A-Za-z_]\w*")


def blank(match):
    """as many lines of nothing"""
    return " " + "\n" * match.group().count("\n")


def in_kernel(text):
    """the text without what only other programs see of it"""
    lines, conditions = [], []
    for line in text.split("\n"):
        word = re.match(r"#\s*(if\w*|else|elif|endif)\b\s*(.*)", line)
        if word and word[1].startswith("if"):
            conditions.append(word[0].startswith("#ifdef __KERNEL__"))
        elif word and word[1] == "else" and conditions[-1] is True:
            conditions[-1] = None
        elif word and word[1] == "endif":
            conditions.pop()
        lines.append("" if None in conditions else line)
    return "\n".join(lines)


def pieces(text):
    """(head, body or None, offset of the body) of what stands at the margin"""
    head, depth, start = 0, 0, 0
    for i, c in enumerate(text):
        if c == "{":
            if depth == 0:
                start = i
            depth += 1
        elif c == "}":
            depth -= 1
            if depth == 0 and not text[head:start].rstrip().endswith("="):
                yield text[head:start].strip(), text[start : i + 1], start
                head = i + 1
        elif c == ";" and depth == 0:
            yield text[head:i].strip(), None, head
            head = i + 1


class File:
    """a source: what it includes, what it defines for others, and what its code says, with the
    lines"""

    def __init__(self, folder, path):
        self.path = path
        with open(os.path.join(folder, path), encoding="utf-8") as file:
            raw = in_kernel(file.read())
        self.includes = [(raw.count("\n", 0, m.start()) + 1, m.group(1))
                         for m in INCLUDE.finditer(raw)]
        text = NOISE.sub(blank, raw)
        header = path.endswith(".h")
        self.defines, code = set(), []
        for macro in MACRO.finditer(text):
            self.defines.add(macro.group(1))
            code.append((macro.start(2), macro.group(2)))
        bare = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)
        for head, body, _ in pieces(bare):
            self.define(head, body, header)
        if path.startswith("include/"):
            code = []
        elif header:
            for head, body, at in pieces(bare):
                if body and FUNCTION.search(head):
                    code.append((at, body))
        else:
            code.append((0, bare))
        self.words = {}
        for at, piece in code:
            source = text if header else bare
            for word in WORD.finditer(piece):
                self.words.setdefault(word.group(), source.count("\n", 0, at + word.start()) + 1)

    def define(self, head, body, header):
        """what the piece defines that others can see"""
        head = head.split("\n\n")[-1]
        made = MADE.match(head)
        function = FUNCTION.search(head)
        if made and not head.startswith("static"):
            self.defines.add(made.group(1))
        elif body is not None and function:
            if header or not head.startswith("static"):
                self.defines.add(function.group(1))
        elif not header and not function and not re.match(
                r"(static|extern|typedef|MODULE|module|EXPORT)", head):
            variable = VARIABLE.search(head)
            if variable and " " in head and not re.match(r"(?:struct|enum|union) \w+$", head):
                self.defines.add(variable.group(1))


def sources(folder):
    """paths of the sources, from the folder"""
    for top, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith((".c", ".h")):
                yield os.path.relpath(os.path.join(top, name), folder)


def floors(folder, paths):
    """{path: line in the list}, complaints"""
    at, bad = {}, []
    with open(os.path.join(folder, "floors"), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            for name in line.partition("#")[0].split():
                if name.endswith("/"):
                    found = [p for p in paths if p.startswith(name)]
                else:
                    found = [p for p in paths if name in (p, p[:-2])]
                if not found:
                    bad.append(f"{folder}/floors:{number}: there is no {name}")
                for path in found:
                    if path not in at or name == path:
                        at[path] = number, name
    # a header that is named has its own place
    for number, line in enumerate(open(os.path.join(folder, "floors"), encoding="utf-8"), 1):
        for name in line.partition("#")[0].split():
            if name in paths:
                at[name] = number, name
    bad += [f"{folder}/{p}: is not on the list {folder}/floors" for p in paths if p not in at]
    return at, bad


def main(folder):
    """0: each stands on what is below"""
    paths = list(sources(folder))
    at, bad = floors(folder, paths)
    if bad:
        print("\n".join(bad))
        return 1
    files = [File(folder, path) for path in paths]
    home = {}
    for file in files:
        for name in file.defines:
            home.setdefault(name, file.path)

    def above(file, path):
        """is it no ground for the file?"""
        if path[:-2] == file.path[:-2]:
            return False
        mine, its = at[file.path], at[path]
        return its[0] >= mine[0] and not (mine == its and mine[1].endswith("/"))

    for file in files:
        for line, name in file.includes:
            for path in (os.path.normpath(os.path.join(os.path.dirname(file.path), name)), name,
                         "include/" + name):
                if path in at:
                    if above(file, path):
                        bad.append((file.path, line, f"includes {path}"))
                    break
        for name, line in file.words.items():
            path = home.get(name)
            if path and name not in file.defines and above(file, path):
                bad.append((file.path, line, f"uses {name} of {path}"))
    for path, line, what in sorted(bad):
        print(f"{folder}/{path}:{line}: {what}, which does not stand below it in {folder}/floors")
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1].rstrip("/")))
