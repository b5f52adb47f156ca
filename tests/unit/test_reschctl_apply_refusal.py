#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What reschctl apply and diff refuse, and where they say that it stands.

usage: RESCHCTL=PATH test_reschctl_apply_refusal.py
"""

import os
import unittest

from applied import Applied


class Refusal(Applied):
    def refused(self, text, line, *words, status=2):
        path = self.file(text)
        for command in (["apply"], ["diff"], ["apply", "--dry-run"]):
            # What it would come to is no matter of files that make no sense.
            expected = 2 if command == ["diff"] and status == 1 else status
            result = self.call(*command, path, status=None)
            self.assertIn(result.returncode, (status, expected),
                          f"{text}: {result.stdout}{result.stderr}")
            self.assertIn(f"{path}:{line}: ", result.stderr)
            for word in words:
                self.assertIn(word, result.stderr)
            self.assertEqual(result.stdout, "")
        self.assertFalse(self.journal())

    def test_refused_words(self):
        self.refused("domain:\n- cpus: 1\n", 1, "did you mean domains?")
        self.refused("\ntasks: []\n", 2, "there are plugins, domains, servers, shields, levels")
        self.refused("domains:\n- cpus: 1\n  plugn: edf\n", 3,
                     "'plugn' in domains: did you mean plugin?")
        self.refused("servers:\n- name: a\n  colour: red\n", 3, "there is no 'colour' in servers")
        self.refused("domains:\n- cpus: 1\n  cpus: 2\n", 3, "cpus is said twice")
        self.refused("domains: []\nservers: []\ndomains: []\n", 3, "said twice")
        self.refused("domains:\n  cpus: 1\n", 2, "a list is wanted")
        self.refused("domains:\n- 1\n", 2, "keys and values")
        self.refused("- domains\n", 1, "outermost")
        self.refused("domains:\n- cpus: {a: 1}\n", 2, "a text or a list")
        self.refused("domains:\n- plugin: [edf]\n", 2, "a text is wanted")
        self.refused("domains: [\n", 2)
        self.refused("domains:\n- cpus: 1\n - plugin\n", 3)
        self.refused("--- {}\n--- {}\n", 2, "one document")
        self.refused("a: &a [*a]\n", 1)

    def test_refused_values(self):
        domain = "domains:\n- cpus: 1\n  plugin: edf\n  "
        for value, word in (("capacity: 120%", "a share"), ("capacity: 0", "a share"),
                            ("overhead: 10", "unit"), ("overhead: 1ms", "below 1ms"),
                            ("guard: maybe", "off, on or all"), ("balance: speed", "policies are"),
                            ("exempt: [getpod]", "system calls"),
                            ("options: " + 300 * "x", "too long"),
                            ("guard: off\n  balance: push", "guard is off"),
                            ("manual: true", "guard: on")):
            self.refused(domain + value, 4 + value.count("\n"), word)
        self.refused("domains:\n- plugin: edf\n", 2, "cpus is missing")
        self.refused("domains:\n- cpus: 1\n", 2, "plugin is missing")
        self.refused("domains:\n- cpus: 2-1\n  plugin: edf", 2, "list of CPUs")
        self.refused("domains:\n- cpus: 1\n  plugin: edf:a=1", 3, "`options`")
        server = "servers:\n- name: a\n  cpu: 1\n  budget: 2ms\n  period: 10ms\n  "
        for value, word in (("cpus: 1", "either cpu, or cpus"), ("kind: cbr", "kinds are"),
                            ("policy: batch", "policies are"),
                            ("policy: rr\n  plugin: fp", "either policy or plugin"),
                            ("options: a=1", "which?"), ("quantum: 1ms", "policy rr"),
                            ("reclaim: perhaps", "true or false")):
            self.said(server + value, word)
        self.refused("servers:\n- cpu: 1\n  budget: 2ms\n", 2, "period is missing")
        self.refused("servers:\n- cpu: 1\n  budget: 20ms\n  period: 10ms", 3,
                     "longer than the period")
        self.refused("servers:\n- cpu: 1\n  budget: 2000000\n", 3, "unit")
        self.refused("servers:\n- name: sixteen-letters.", 2, "15 bytes")
        self.refused("servers:\n- cpu: 1024", 2, "number of a CPU")
        self.refused("shields:\n- cpus: 1\n  keep_irq: 'a b'", 3, "no spaces")
        self.refused("levels:\n- level: rt0\n", 2, "program is missing")
        level = "levels:\n- program: a\n  level: "
        self.refused(level + "rt0\n", 3, "which CPU")
        self.refused(level + "rt1\n  cpu: 1", 4, "cpu is for rt0")
        self.refused(level + "rt1\n  priority: 99", 4, "1 to 98")
        self.refused(level + "rt1\n  policy: edf", 4, "fifo or rr")
        self.refused(level + "linux\n  policy: rr", 4, "for rt1")
        self.refused(level + "rt2", 3, "levels are")

    def test_refused_together(self):
        self.refused("domains:\n- {cpus: 1-2, plugin: edf}\n- {cpus: 2, plugin: fp}\n", 3,
                     "wanted.yaml:2 has a CPU of that")
        server = "- {name: a, cpu: 1, budget: 1ms, period: 9ms}\n"
        self.refused("servers:\n" + server + server, 3, "has that name")
        self.refused("shields:\n- {cpus: 1-2}\n- {cpus: 2}\n", 3, "has a CPU of that")
        other = self.file("domains:\n- {cpus: 2, plugin: fp}\n", "other.yaml")
        result = self.call("apply", self.file("domains:\n- {cpus: 1-2, plugin: edf}\n"),
                           other, status=2)
        self.assertIn(f"{other}:2: domain 2: {self.path('wanted.yaml')}:2 has a CPU of that",
                      result.stderr)

    def test_refused_by_what_there_is(self):
        self.prepare()
        self.said("domains:\n- {cpus: 2-3, plugin: edf}",
                  "domain 1 has a CPU of that, and is of CPUs 3")
        self.said("servers:\n- {name: a, cpu: 0, budget: 1ms, period: 9ms}", "no domain with CPU 0")
        text = "servers:\n- {name: other, cpu: 3, budget: 1ms, period: 9ms}"
        result = self.apply(text, status=2, busy=1)
        self.assertIn("server 1:2 has tasks", result.stderr)
        self.apply(text)

    def test_no_files(self):
        self.assertIn("No such file", self.call("apply", self.path("nosuch.yaml"), status=2).stderr)
        self.call("apply", status=2)
        os.mkdir(self.path("empty"))
        self.assertEqual(self.call("apply", self.path("empty")).stdout, "nothing to change\n")
        self.assertEqual(self.apply("# nothing\n").stdout, "nothing to change\n")
        for data in (b"\0", b"\xff\xfe\xff", b"domains: \"\\x00\"\n", b"[" * 5000,
                     b"domains:\n- cpus: \"1\\0\"\n"):
            with open(self.path("bytes.yaml"), "wb") as file:
                file.write(data)
            self.call("apply", self.path("bytes.yaml"), status=2)


if __name__ == "__main__":
    unittest.main()
