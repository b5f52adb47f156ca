#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Each word is spelt once: what reschctl lists of itself is in its manual, its help, completions
and the checker.

usage: RESCHCTL=PATH test_reschctl_words.py
"""

import glob
import os
import re
import subprocess
import sys
import unittest

from reschctl import RESCHCTL, call

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, TOP + "/tools/trace")
from reschtrace import budgets, report  # noqa: E402

# Lists that people write; the others are only printed.
WRITTEN = ["kinds", "reactions", "server-kinds", "server-policies", "balance-policies",
           "assign-methods", "chain-methods", "chain-rules", "chain-protocols", "chain-policies",
           "stage-kinds"]
PRINTED = ["states", "events", "ends"]


def listed(*what):
    """The words of a list, or the commands, and what is said of each."""
    lines = call("--list", *what).stdout.splitlines()
    return dict(line.split("\t") for line in lines)


def options(*command):
    """What may follow: options with what their values are, actions, arguments."""
    return [line.split("\t")[0] for line in call("--options", *command).stdout.splitlines()]


def ways():
    """Every command, and every action of those that have some."""
    for command in [*listed(), "release", "unregister"]:
        lines = options(command)
        actions = [line for line in lines if line[0] not in "-:"]
        yield from ([command, action] for action in actions) if actions else [[command]]
    yield ["shield", "status"]
    for level in ("rt0", "rt1", "linux"):
        yield ["level", level]


def complete(*words):
    """What bash completes the last word to."""
    script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _reschctl; printf "%s\\n" "${COMPREPLY[@]}"')
    env = dict(os.environ, PATH=os.path.dirname(RESCHCTL) + ":" + os.environ["PATH"])
    done = subprocess.run(["bash", "-c", script, "bash", TOP + "/tools/completion/reschctl.bash",
                           "reschctl", *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=True, env=env)
    assert done.stderr == "", done.stderr
    return done.stdout.split()


class Words(unittest.TestCase):
    def setUp(self):
        pages = []
        for path in sorted(glob.glob(TOP + "/tools/man/reschctl*.8")):
            with open(path, encoding="utf-8") as page:
                pages.append(page.read())
        self.manual = re.sub(r"\\f[BIRP]", "", "".join(pages).replace("\\-", "-"))

    def spelt(self, word):
        return re.search(r"(?<![\w-])" + re.escape(word) + r"(?![\w-])", self.manual)

    def test_lists(self):
        for what in WRITTEN + PRINTED:
            self.assertGreaterEqual(len(listed(what)), 2, what)
        self.assertEqual(listed("nonsense"), {})
        self.assertEqual(listed("time"), {})

    def test_manual_has_all_words(self):
        for what in WRITTEN:
            for word in listed(what):
                self.assertTrue(self.spelt(word), f"reschctl*.8 have nothing on {word} of {what}")

    def test_manual_has_all_options(self):
        missing = {f"{name} of {' '.join(way)}" for way in ways() for line in options(*way)
                   for name in [re.sub("=.*", "", line)] if name.startswith("--") and
                   not self.spelt(name)}
        self.assertEqual(sorted(missing), [])

    def test_words_mean_something(self):
        for what in WRITTEN:
            for word, about in listed(what).items():
                self.assertTrue(about, f"{word} of {what}")

    def test_values_are_known(self):
        """A value is a list, or one of the words of options.h: a typing error would complete
        nothing for ever."""
        plain = {"time", "times", "number", "cpu", "cpus", "share", "name", "rule", "task",
                 "overheads", "calls", "interrupts", "file", "directory", "plugins", "domains",
                 "servers", "chains", "tasks", "threads", "signals", "shields", "program", "users",
                 "groups"}
        for way in ways():
            for line in options(*way):
                value = line[1:] if line[0] == ":" else line.partition("=")[2]
                if value and value[0] != "," and value not in plain:
                    self.assertTrue(listed(value), f"{line} of {way}")

    def test_help_has_all_words(self):
        for command, lists in ((["server", "--help"], ["server-kinds", "server-policies"]),
                               (["run", "--help"], ["kinds", "reactions"]),
                               (["balance", "--help"], ["balance-policies"]),
                               (["assign", "--help"], ["assign-methods"]),
                               (["chain", "--help"], ["chain-methods", "chain-rules",
                                                      "chain-protocols", "chain-policies"])):
            text = call(*command).stdout
            self.assertNotIn("@", text.replace("[@CPU]", ""))
            for word, about in ((word, about) for what in lists
                                for word, about in listed(what).items()):
                self.assertIn(f"\n                          {word}: {about}\n",
                              re.sub(r"(KIND|METHOD|RULE) +", "\\g<0>\n" + 26 * " ", text))

    def test_refusals_have_all_words(self):
        for what, arguments in (("reactions", ["attach", "--miss=x"]),
                                ("kinds", ["attach", "--kind=x"]),
                                ("server-kinds", ["server", "add", "--kind=x"]),
                                ("server-policies", ["server", "add", "--policy=x"]),
                                ("chain-rules", ["chain", "assign", "--rule=x"]),
                                ("balance-policies", ["balance", "set", "1", "x"])):
            self.assertIn(" are " + ", ".join(listed(what)), call(*arguments).stderr)

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

    def test_no_option_for_a_value(self):
        """Wherever a value is expected no option is offered, whether one is known or not."""
        count = 0
        for way in ways():
            for line in options(*way):
                if line[0] != "-" or "=" not in line:
                    continue
                name = line.split("=")[0]
                for words in ([name, ""], [name, "=", ""])[:len(re.match("-*", name)[0])]:
                    count += 1
                    found = [word for word in complete(*way, *words) if word[0] == "-"]
                    self.assertEqual(found, [], f"{way} {words}")
        self.assertGreater(count, 200)

    def test_checker_has_all_words(self):
        """It shares nothing with what it judges: they are spelt there once more."""
        for words, what in ((budgets.KINDS, "server-kinds"), (budgets.POLICIES, "server-policies"),
                            (report.KINDS, "kinds")):
            self.assertEqual([words[number] for number in sorted(words)], list(listed(what)))


if __name__ == "__main__":
    unittest.main()
