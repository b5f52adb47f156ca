# SPDX-License-Identifier: GPL-2.0
"""Tests of reschctl apply and its like, on a machine that is only pretended: pretended_machine.c,
and a folder for the files of shields."""

import json
import os
import subprocess
import tempfile
import unittest

from preloaded import preloaded
from reschctl import RESCHCTL

BEFORE = """
domains:
  - cpus: 3
    plugin: server
    capacity: 80%
  - cpus: 1
    plugin: edf
    guard: on
    exempt: [getpid, read]
    balance: weight
servers:
  - {name: steady, cpu: 3, budget: 1ms, period: 10ms, holder: user:777}
  - {name: other, cpu: 3, budget: 2ms, period: 10ms, kind: cbs, policy: rr, holder: user:778, rate: 5}
  - {name: many, cpus: 3, budget: 100us, period: 10ms}
"""


class Applied(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.pretended = preloaded(cls, "pretended_device", "pretended_machine")

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.root = self.path("root")
        os.mkdir(self.root)

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def file(self, text, name="wanted.yaml"):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def call(self, *arguments, status=0, root=None, **more):
        command = arguments[0]
        arguments = list(arguments)
        if command in ("apply", "diff", "save", "undo", "shield", "unshield"):
            arguments.append("--root=" + (root or self.root))
        environment = {**os.environ, "LD_PRELOAD": self.pretended,
                       "RESCH_MACHINE": self.path("machine"),
                       "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=1",
                       **{"RESCH_MACHINE_" + key.upper(): str(value)
                          for key, value in more.items()}}
        result = subprocess.run([RESCHCTL, *arguments], capture_output=True, text=True, timeout=120,
                                env=environment,
                                stdin=subprocess.DEVNULL, check=False)
        if status is not None:
            self.assertEqual(result.returncode, status,
                             f"{arguments}: {result.stdout}{result.stderr}")
        self.assertNotIn("Sanitizer", result.stderr)
        return result

    def apply(self, text, **more):
        return self.call("apply", self.file(text), **more)

    def changes(self, *arguments, **more):
        return json.loads(self.call(*arguments, "--json", **more).stdout)["changes"]

    def state(self):
        return self.call("save").stdout

    def journal(self):
        return os.path.exists(self.root + "/run/resch/apply/journal")

    def prepare(self):
        """What was there before the test, by a journal that nobody has any more."""
        os.mkdir(self.path("elsewhere"))
        self.call("apply", self.file(BEFORE, "before.yaml"), root=self.path("elsewhere"))
        return self.state()

    def said(self, text, word):
        result = self.apply(text, status=2)
        self.assertRegex(result.stderr, r"wanted.yaml:\d+: ")
        self.assertIn(word, result.stderr)
