# SPDX-License-Identifier: GPL-2.0
"""A terminal for programs under test: what they do to it, and keys."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unicodedata

LIMIT = 60      # s, for a state that has to come
TOKEN = re.compile(r"\033\[(\??)([\d;]*)([A-Za-z])|([\r\n\b])|([^\033\r\n\b]+)", re.S)


class Terminal:
    """`alternate`, `cursor`: whether the alternate screen is shown, and the cursor. `page`: {line:
    text} of the screen, colours as [31]. `widest`: the most columns that a line of the alternate
    screen has had."""

    def __init__(self, arguments, columns=100, lines=30, **more):
        self.master, self.slave = pty.openpty()
        self.resize(columns, lines)
        self.before = termios.tcgetattr(self.slave)
        self.alternate, self.cursor = False, True
        self.page, self.line, self.text = {}, 0, ""
        self.main = ""          # what was written to the other screen
        self.widest, self.pending = 0, b""
        self.process = subprocess.Popen(arguments, stdin=self.slave, stdout=self.slave,
                                        stderr=self.slave,
                                        start_new_session=True, preexec_fn=self.take, **more)

    def take(self):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def resize(self, columns, lines):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def press(self, keys):
        os.write(self.master, keys.encode())

    def read(self, wait):
        """Return: whether something came."""
        if not select.select([self.master], [], [], wait)[0]:
            return False
        self.pending += os.read(self.master, 65536)
        # an escape sequence or a letter may be cut
        cut = self.pending.rfind(b"\033")
        if cut < 0 or re.match(rb"\033\[\??[\d;]*[A-Za-z]", self.pending[cut:]):
            cut = len(self.pending)
        text, self.pending = self.pending[:cut].decode(errors="replace"), self.pending[cut:]
        for mark in TOKEN.finditer(text):
            self.obey(*mark.groups())
        return True

    def obey(self, private, numbers, command, control, plain):
        if private:
            if numbers == "1049":
                self.alternate = command == "h"
                self.page, self.line, self.text = {}, 0, ""
            elif numbers == "25":
                self.cursor = command == "h"
        elif command == "H":
            self.line, self.text = 0, ""
        elif command == "J":
            self.page = {line: text for line, text in self.page.items() if line <=
                         self.line and numbers != "2"}
        elif command == "K":
            self.page[self.line] = self.text
        elif command == "m":
            self.text += f"[{numbers}]"
        elif control == "\n":
            self.line, self.text = self.line + 1, ""
        elif plain:
            if not self.alternate:
                self.main += plain + "\n"
            self.text += plain
            self.page[self.line] = self.text
            letters = unicodedata.normalize("NFC", re.sub(r"\[\d+\]", "", self.text))
            if self.alternate:
                self.widest = max(self.widest, len(letters))

    def lines(self):
        return [self.page.get(line, "") for line in range(max(self.page, default=-1) + 1)]

    def until(self, state):
        """Reads until state(self); what it is. AssertionError if that does not come."""
        end = time.monotonic() + LIMIT
        while not (found := state(self)):
            if time.monotonic() > end:
                raise AssertionError("this does not come; on the screen:\n" +
                                     "\n".join(self.lines()) + "\n" + self.main)
            try:
                self.read(0.2)
            except OSError:          # nobody has it open any more
                pass
        return found

    def objects(self):
        """All JSON that was written to the main screen."""
        text, found = "".join(self.main.split("\n")), []
        while text:
            one, end = json.JSONDecoder().raw_decode(text)
            found.append(one)
            text = text[end:].lstrip()
        return found

    def ended(self):
        """Its exit status, and what it left of the terminal: (alternate screen, cursor, keys as
        before)."""
        self.until(lambda _: self.process.poll() is not None)
        while self.read(0):
            pass
        return self.process.returncode, (self.alternate, self.cursor,
                                         termios.tcgetattr(self.slave) == self.before)

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)
