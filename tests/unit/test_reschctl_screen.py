#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""reschctl top in a terminal: whose screen it takes and gives back, sizes, keys and colours, with a
device that is only pretended (pretended_device.c).

usage: RESCHCTL=PATH test_reschctl_screen.py
"""

import os
import re
import signal
import subprocess
import termios
import unittest

from preloaded import Pretended
from reschctl import RESCHCTL
from terminal import Terminal

GIVEN_BACK = (False, True, True)


class Screen(Pretended):
    def tasks(self, *tasks):
        """(name, misses), with ids from 1."""
        with open(self.device + ".new", "w", encoding="utf-8") as file:
            file.write("domain 1 3 edf\n")
            for number, (name, misses) in enumerate(tasks, 1):
                file.write(f"task {number} 0 2000000 10000000 {name} {misses}\n")
        os.rename(self.device + ".new", self.device)

    def environment(self, **more):
        environment = super().environment(**more)
        if "NO_COLOR" not in more:
            environment.pop("NO_COLOR", None)
        return environment

    def top(self, columns=120, lines=30, arguments=(), **more):
        terminal = Terminal([RESCHCTL, "top", "--interval=100ms", *arguments], columns, lines,
                            env=self.environment(**more))
        self.addCleanup(terminal.close)
        return terminal

    def shown(self, terminal, text):
        return terminal.until(lambda t: next((line for line in t.lines() if text in line), None))

    def test_gives_the_screen_back(self):
        self.tasks(("control", 0))
        for end in ("q", signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            terminal = self.top()
            self.shown(terminal, "control")
            self.assertEqual((terminal.alternate, terminal.cursor), (True, False))
            self.assertFalse(termios.tcgetattr(terminal.slave)[3] & termios.ECHO)
            if end == "q":
                terminal.press("q")
            else:
                terminal.process.send_signal(end)
            self.assertEqual(terminal.ended(), (0, GIVEN_BACK), end)
            self.assertEqual(terminal.main, "", end)

    def test_gives_the_screen_back_when_it_fails(self):
        self.tasks(("control", 0))
        terminal = self.top()
        self.shown(terminal, "control")
        os.unlink(self.device)
        os.mkdir(self.device)
        terminal.until(lambda t: t.process.poll() is not None or "domain" not in "".join(t.lines()))
        terminal.press("q")
        self.assertEqual(terminal.ended()[1], GIVEN_BACK)

    def test_stopped_and_continued(self):
        """By a shell with job control, which goes on with it when told to."""
        self.tasks(("control", 0))
        told = os.path.join(self.directory.name, "told")
        os.mkfifo(told)
        terminal = Terminal(["bash", "-mc", '"$@"; read -r _ <"$TOLD"; fg >/dev/null', "bash",
                             RESCHCTL, "top", "--interval=100ms"],
                            env=self.environment(TOLD=told))
        self.addCleanup(terminal.close)
        self.shown(terminal, "control")
        terminal.press("\x1a")
        terminal.until(lambda t: not t.alternate and t.cursor and
                       termios.tcgetattr(t.slave) == t.before)
        with open(told, "w", encoding="utf-8") as shell:    # opens when the shell has the terminal
            shell.write("\n")
        terminal.until(lambda t: t.alternate and not t.cursor)
        self.shown(terminal, "control")
        terminal.press("q")
        self.assertEqual(terminal.ended(), (0, GIVEN_BACK))

    def test_width(self):
        """Columns go, the least wanted first; what is still too wide is cut."""
        self.tasks(("control", 0))
        self.assertEqual(self.shown(self.top(), "domain"), "domain 1: CPUs 0-1, edf, 1 task")
        for columns, there, gone in ((140, "EXEC MAX", None), (104, "RESP AVG", "EXEC MAX"),
                                     (94, "PERIOD", "RESP AVG"), (84, "RUNTIME", "PERIOD"),
                                     (24, "NAME", "RESP MAX")):
            terminal = self.top(columns)
            heading = self.shown(terminal, "NAME")
            self.assertIn(there, heading, columns)
            if gone:
                self.assertNotIn(gone, heading, columns)
            terminal.press("q")
            terminal.ended()
            self.assertLessEqual(terminal.widest, columns)

    def test_height(self):
        self.tasks(*((f"task{number}", 0) for number in range(1, 41)))
        terminal = self.top(lines=12)
        self.shown(terminal, "more")
        self.shown(terminal, "edf, 40 tasks")
        # four lines above the tasks, and the one that says it
        self.assertEqual(len(terminal.lines()), 12)
        self.assertEqual(terminal.lines()[-1], "... 33 more")
        self.assertIn("task7", terminal.lines()[-2])
        terminal.resize(120, 50)
        self.shown(terminal, "task40")
        self.assertFalse(any("more" in line for line in terminal.lines()))
        terminal.resize(60, 6)
        terminal.until(lambda t: t.lines()[-1:] == ["... 39 more"])
        terminal.press("q")
        terminal.ended()

    def order(self, terminal):
        return [name for line in terminal.lines() for name in ("first", "second", "third")
                if name in line]

    def test_sort(self):
        self.tasks(("first", 1), ("second", 7), ("third", 3))
        terminal = self.top()
        # a page arrives line by line: its first one does not say that the others are there
        terminal.until(lambda t: "sorted by ID" in "".join(t.lines()[:1]) and
                       self.order(t) == ["first", "second", "third"])
        terminal.press("s")
        terminal.until(lambda t: "sorted by MISS" in t.lines()[0] and
                       self.order(t) == ["second", "third", "first"])
        terminal.press("sss")
        terminal.until(lambda t: "sorted by ID" in t.lines()[0] and
                       self.order(t) == ["first", "second", "third"])

    def test_freeze(self):
        self.tasks(("old", 0))
        terminal = self.top()
        self.shown(terminal, "old")
        terminal.press("f")
        self.shown(terminal, "FROZEN")
        self.tasks(("new", 0))
        for columns in (121, 122, 123):     # drawn anew each time, from what was seen
            terminal.page.clear()
            terminal.resize(columns, 30)
            self.shown(terminal, "old")
        terminal.press("f")
        self.shown(terminal, "new")

    def test_colours(self):
        for more, red in (({}, True), ({"NO_COLOR": "1"}, False)):
            self.tasks(("calm", 5), ("late", 5))
            terminal = self.top(**more)
            self.assertNotIn("[", self.shown(terminal, "calm"))
            self.tasks(("calm", 5), ("late", 6))
            if red:
                self.assertIn("late", self.shown(terminal, "[31]"))
            else:
                terminal.until(lambda t: any("late" in line and " 6 " in line
                                             for line in t.lines()))
            self.assertEqual(any("[" in line for line in terminal.lines()), red)
            terminal.press("q")
            terminal.ended()

    def test_json(self):
        """An object, or one a line each interval, on a terminal as elsewhere: no screen, no
        colours."""
        self.tasks(("control", 3))
        for once in (["--once"], []):
            terminal = self.top(arguments=["--json", *once])
            if not once:
                terminal.until(lambda t: t.main.count('"interval"') > 1)
                terminal.process.send_signal(signal.SIGINT)
            self.assertEqual(terminal.ended(), (0, GIVEN_BACK))
            self.assertNotIn("[", "".join(terminal.lines()).replace(": [", "").replace(":[", ""))
            for look in terminal.objects():
                self.assertEqual([(task["name"], task["misses"]) for task in look["tasks"]],
                                 [("control", 3)])
                self.assertGreaterEqual(look["interval"], 100000000)

    def test_plain_where_there_is_no_terminal(self):
        self.tasks(("control", 0))
        with subprocess.Popen([RESCHCTL, "top", "--interval=100ms"], stdout=subprocess.PIPE,
                              stdin=subprocess.DEVNULL,
                              env=self.environment(), text=True) as process:
            lines = [process.stdout.readline() for _ in range(8)]
            process.send_signal(signal.SIGTERM)
            lines += process.stdout.readlines()
        self.assertEqual(process.returncode, 0)
        self.assertFalse(any("\033" in line or "sorted by" in line for line in lines))
        self.assertGreater(sum("control" in line for line in lines), 1)

    def test_once_takes_no_screen(self):
        self.tasks(("control", 0))
        terminal = self.top(arguments=["--once"])
        self.assertEqual(terminal.ended(), (0, GIVEN_BACK))
        self.assertIn("control", terminal.main)


class Narrow(unittest.TestCase):
    """Texts that are no screen: on a terminal their lines are no longer than it is wide."""

    def printed(self, columns, *arguments):
        terminal = Terminal([RESCHCTL, *arguments], columns)
        self.addCleanup(terminal.close)
        terminal.ended()
        return terminal.lines()

    def test_help(self):
        for command in ("run", "server", "assign", "chain", "domain", "level", "undo", "tasks"):
            whole = subprocess.run([RESCHCTL, command, "--help"], stdout=subprocess.PIPE, text=True,
                                   check=True).stdout
            for columns in (80, 60, 200):
                lines = self.printed(columns, command, "--help")
                # a word stays whole
                self.assertLessEqual(max(len(line) for line in lines if " " in line.strip()),
                                     columns, (command, lines))
                self.assertEqual(" ".join(lines).split(), whole.split())
            self.assertEqual(lines, whole.splitlines())

    def test_what_is_broken_goes_on_below_it(self):
        lines = self.printed(80, "run", "--help")
        at = next(number
                  for number, line in enumerate(lines) if line.startswith("  -o, --output=FILE"))
        self.assertEqual(lines[at + 1][:26].strip(), "")
        self.assertNotEqual(lines[at + 1][26], " ")

    def test_doctor(self):
        # commands, which stay whole to be copied, are further to the right
        lengths = [len(line) for line in self.printed(64, "doctor")
                   if re.match(r" {20}(?!->)\S", line)]
        self.assertGreater(len(lengths), 5)
        self.assertLessEqual(max(lengths), 64)


if __name__ == "__main__":
    unittest.main()
