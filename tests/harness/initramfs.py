# SPDX-License-Identifier: GPL-2.0
"""The part of an initramfs that belongs to one run: a cpio archive (newc)."""

import os
import subprocess

LIBRARY_FOLDERS = ('lib/x86_64-linux-gnu', 'usr/lib/x86_64-linux-gnu', 'lib64', 'lib', 'usr/lib')


class Initramfs:
    def __init__(self, root):
        self.root = root        # where programs and missing libraries come from
        self.entries = {}       # path inside: (mode, data)
        self.programs = []      # paths of ELF files on the host

    def folder(self, inside):
        """A directory, and those that lead to it."""
        inside = inside.strip('/')
        if inside and inside not in self.entries:
            self.folder(os.path.dirname(inside))
            self.entries[inside] = (0o40755, b'')

    def file(self, inside, data, mode=0o755):
        self.folder(os.path.dirname(inside))
        self.entries[inside] = (0o100000 | mode, data)

    def copy(self, path, inside):
        with open(path, 'rb') as f:
            data = f.read()
        self.file(inside, data, os.stat(path).st_mode & 0o777)
        if data[:4] == b'\x7fELF' and not path.endswith('.ko'):
            self.programs.append(path)

    def tree(self, top, inside=''):
        """Everything below a directory of the host."""
        for folder, dirs, files in os.walk(top):
            dirs.sort()
            base = os.path.join(inside, os.path.relpath(folder, top))
            for name in dirs + sorted(files):
                path = os.path.join(folder, name)
                to = os.path.normpath(os.path.join(base, name))
                if os.path.islink(path):
                    self.folder(os.path.dirname(to))
                    self.entries[to] = (0o120777, os.readlink(path).encode())
                elif os.path.isdir(path):
                    self.folder(to)
                else:
                    self.copy(path, to)

    def libraries(self):
        """What the programs need and isn't there yet, from the root."""
        present = {os.path.basename(path) for path in self.entries}
        while self.programs:
            path = self.programs.pop()
            for name in needed(path):
                if name in present:
                    continue
                present.add(name)
                source = self.find(name)
                if source is None:
                    raise SystemExit(f'guest: {path} needs {name}, which {self.root} has not')
                self.copy(source, f'lib/{name}')
                if name.startswith('ld-linux'):
                    self.file(f'lib64/{name}', self.entries[f'lib/{name}'][1])

    def find(self, name):
        for folder in LIBRARY_FOLDERS:
            path = os.path.join(self.root, folder, name)
            if os.path.exists(path):
                return path
        return None

    def archive(self):
        out = []
        for number, (path, (mode, data)) in enumerate(self.entries.items(), 1):
            out.append(newc(number, path, mode, data))
        out.append(newc(0, 'TRAILER!!!', 0, b''))
        return b''.join(out)


def needed(path):
    """Names of the libraries and the loader that an ELF file asks for."""
    text = subprocess.run(['readelf', '-W', '-l', '-d', path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False).stdout.decode()
    names = []
    for line in text.splitlines():
        if '(NEEDED)' in line:
            names.append(line.split('[')[1].split(']')[0])
        elif 'Requesting program interpreter' in line:
            names.append(os.path.basename(line.split(': ')[1].rstrip(']')))
    return names


def newc(number, path, mode, data):
    name = path.encode() + b'\0'
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0)
    head = b'070701' + b''.join(b'%08X' % field for field in fields) + name
    return head + b'\0' * (-len(head) % 4) + data + b'\0' * (-len(data) % 4)
