#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Each word is spelt once: what reschctl lists of itself is in its manual, its help and the
checker; for completions see test_reschctl_completion.py.

usage: RESCHCTL=PATH test_reschctl_words.py
"""

import glob
import os
import re
import sys
import unittest

from reschctl import call, listed, options, ways

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, TOP + "/tools/trace")
from reschtrace import budgets, report  # noqa: E402

# Lists that people write; the others are only printed.
WRITTEN = ["kinds", "reactions", "server-kinds", "server-policies", "balance-policies",
           "assign-methods", "chain-methods", "chain-rules", "chain-protocols", "chain-policies",
           "stage-kinds"]
PRINTED = ["states", "events", "ends"]


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

    def test_checker_has_all_words(self):
        """It shares nothing with what it judges: they are spelt there once more."""
        for words, what in ((budgets.KINDS, "server-kinds"), (budgets.POLICIES, "server-policies"),
                            (report.KINDS, "kinds")):
            self.assertEqual([words[number] for number in sorted(words)], list(listed(what)))


if __name__ == "__main__":
    unittest.main()
