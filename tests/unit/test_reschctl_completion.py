#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Completions of reschctl, in bash, fish and zsh: they ask it for commands, options and words.

usage: RESCHCTL=PATH test_reschctl_completion.py
"""

import re
import unittest

import completing
from reschctl import RESCHCTL, listed, options, ways


def complete(*words):
    return completing.bash(RESCHCTL, *words)


def expecting():
    """Every option that wants a value, of every way."""
    for way in ways():
        for line in options(*way):
            if line[0] == "-" and "=" in line:
                yield way, line.split("=")[0]


class Bash(unittest.TestCase):
    def test_completion(self):
        self.assertEqual(sorted(complete("")), sorted(listed()))
        self.assertEqual(complete("unsh"), ["unshield"])
        self.assertEqual(sorted(complete("server", "")),
                         ["add", "attach", "del", "delegate", "list", "run", "set", "size",
                          "tune"])
        self.assertIn("root", complete("server", "delegate", "1:1", "--user", "="))
        self.assertEqual(complete("server", "add", "--kind", "="), list(listed("server-kinds")))
        self.assertEqual(complete("server", "add", "--kind", "=", "pa"), ["passive"])
        self.assertEqual(complete("run", "--overrun", "=", "de"), ["demote"])
        self.assertEqual(complete("run", "--kind", "wake"), ["wakeup"])
        self.assertEqual(complete("domain", "set", "--guard", "="), ["off", "on", "all"])
        self.assertEqual(complete("chain", "check", "--method", "wc"), ["wcdo", "wcdo-exact"])
        self.assertEqual(complete("assign", "--del"), ["--delta", "--delta-max"])
        self.assertEqual(complete("top", "--on"), ["--once"])
        self.assertEqual(complete("guard", "of"), ["off"])
        self.assertEqual(complete("level", ""), [*options("level")[0][2:].split(",")])
        for value in (["--runtime", "="], ["--runtime"], ["--cpu"], ["--name"], ["--group"]):
            self.assertEqual(complete("run", *value, ""), [], value)
        self.assertEqual(complete("server", "add", "-k", "pa"), ["passive"])
        self.assertEqual(complete("server", "add", "-b", ""), [])
        self.assertEqual(complete("server", "add", "-"),
                         [line.split("=")[0] for line in options("server", "add")
                          if line[:2] == "--"])
        self.assertEqual(complete("nonsense", "x"), [])
        self.assertEqual(complete("apply", "/no/such.yaml", "--dr"), ["--dry-run"])

    def test_no_option_for_a_value(self):
        """Wherever a value is expected no option is offered, whether one is known or not."""
        count = 0
        for way, name in expecting():
            for words in ([name, ""], [name, "=", ""])[:len(re.match("-*", name)[0])]:
                count += 1
                found = [word for word in complete(*way, *words) if word[0] == "-"]
                self.assertEqual(found, [], f"{way} {words}")
        self.assertGreater(count, 200)


@unittest.skipIf(completing.NO_FISH, completing.NO_FISH)
class Fish(unittest.TestCase):
    def test_completion(self):
        kinds = list(listed("server-kinds"))
        wanted = {
            "": list(listed()),
            "unsh": ["unshield"],
            "server ": ["add", "attach", "del", "delegate", "list", "run", "set", "size", "tune"],
            "server delegate 1:1 --user=roo": ["--user=root"],
            "server add --kind=": ["--kind=" + kind for kind in kinds],
            "server add --kind ": kinds,
            "server add --kind=pa": ["--kind=passive"],
            "server add -k pa": ["passive"],
            "server add -b ": [],
            "run --overrun=de": ["--overrun=demote"],
            "run --kind wake": ["wakeup"],
            "run --signal=US": ["--signal=USR1", "--signal=USR2"],
            "run -- /usr/bin/basenam": ["/usr/bin/basename"],
            "domain set --guard=": ["--guard=off", "--guard=on", "--guard=all"],
            "chain check --method wc": ["wcdo", "wcdo-exact"],
            "assign --del": ["--delta=", "--delta-max="],
            "top --on": ["--once"],
            "guard of": ["off"],
            "level ": options("level")[0][2:].split(","),
            "shield status --root=/us": ["--root=/usr/"],
            "apply /etc/passw": ["/etc/passwd"],
            "apply /no/such.yaml --dr": ["--dry-run"],
            "server add -": [re.sub("=.*", "=", line) for line in options("server", "add")
                             if line[:2] == "--"],
            "run --cpu ": [],
            "run --cpu=": [],
            "nonsense x": [],
        }
        for line, words in zip(wanted, completing.fish(RESCHCTL, *wanted)):
            if line.startswith("apply /etc"):
                self.assertIn("/etc/passwd", words)
                continue
            self.assertEqual(sorted(words), sorted(wanted[line]), line)

    def test_no_option_for_a_value(self):
        """Wherever a value is expected no option is offered, whether one is known or not; and no
        option but that one with a value."""
        lines = [f"{' '.join(way)} {name} " for way, name in expecting()]
        lines += [f"{' '.join(way)} {name}=" for way, name in expecting() if name[:2] == "--"]
        self.assertGreater(len(lines), 200)
        for line, words in zip(lines, completing.fish(RESCHCTL, *lines)):
            begun = line.split(" ")[-1]
            self.assertEqual([word for word in words if not word.startswith(begun) or
                              word[len(begun):].startswith("-")], [], line)


@unittest.skipIf(completing.NO_ZSH, completing.NO_ZSH)
class Zsh(unittest.TestCase):
    def test_completion(self):
        kinds = sorted(listed("server-kinds"))
        wanted = {
            "": sorted(listed()),
            "unsh": ["unshield"],
            "server ": ["add", "attach", "del", "delegate", "list", "run", "set", "size", "tune"],
            "server at": ["attach"],
            "server delegate 1:1 --user=roo": ["--user=root"],
            "server add --kind=": ["--kind=" + kind for kind in kinds],
            "server add --kind ": kinds,
            "server add --kind=pa": ["--kind=passive"],
            "server add -k pa": ["passive"],
            "server add -b ": [],
            "server add --budget=1ms --ki": ["--kind"],
            "run --overrun=de": ["--overrun=demote"],
            "run --kind wake": ["wakeup"],
            "run --signal=US": ["--signal=USR1", "--signal=USR2"],
            "run --cpu 1 -- /usr/bin/basenam": ["basename"],
            "run --cpu 1 basenam": ["basename"],
            "run basename --zer": ["--zero"],
            "domain set --guard=": ["--guard=all", "--guard=off", "--guard=on"],
            "chain check --method wc": ["wcdo", "wcdo-exact"],
            "assign --del": ["--delta", "--delta-max"],
            "top --on": ["--once"],
            "guard of": ["off"],
            "guard off --js": ["--json"],
            "level ": ["linux", "rt0", "rt1"],
            "level rt0 --unguar": ["--unguarded"],
            "shield ": ["status"],
            "shield 2-3 --keep-i": ["--keep-irq"],
            "shield status --watch=1s --inter": ["--interval"],
            "shield status --root=/us": ["--root=usr"],
            "apply /etc/hostnam": ["hostname"],
            "apply /no/such.yaml --dr": ["--dry-run"],
            "run --cpu ": [],
            "run --cpu=": [],
            "nonsense x": [],
        }
        for line, words in zip(wanted, completing.zsh(RESCHCTL, *wanted)):
            self.assertEqual(words, sorted(wanted[line]), line)

    def test_all_options(self):
        """Of every way; short ones are there for their values."""
        lines = [" ".join(way) + " --" for way in ways()]
        for way, line, words in zip(ways(), lines, completing.zsh(RESCHCTL, *lines)):
            self.assertEqual([word for word in words if word[:2] == "--"],
                             sorted({re.sub("=.*", "", each) for each in options(*way)
                                     if each[:2] == "--"}), line)

    def test_no_option_for_a_value(self):
        """Wherever a value is expected no option is offered, whether one is known or not; and no
        option but that one with a value. It is slow: each option once."""
        once = {name: way for way, name in expecting()}
        lines = [f"{' '.join(way)} {name} " for name, way in once.items()]
        lines += [f"{' '.join(way)} {name}=" for name, way in once.items() if name[:2] == "--"]
        self.assertGreater(len(lines), 100)
        for line, words in zip(lines, completing.zsh(RESCHCTL, *lines)):
            begun = line.split(" ")[-1]
            self.assertEqual([word for word in words if not word.startswith(begun) or
                              word[len(begun):].startswith("-")], [], line)


if __name__ == "__main__":
    unittest.main()
