#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""reschctl apply, diff, save and undo, on a machine that is only pretended (pretended_machine.c,
and a folder for the files of shields): what is wanted is made, once; what fails anywhere leaves
everything as it was.

usage: RESCHCTL=PATH test_reschctl_apply.py
"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from preloaded import preloaded
from reschctl import RESCHCTL
from test_reschctl_shield import Machine, until


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
  - {name: steady, cpu: 3, budget: 1ms, period: 10ms}
  - {name: other, cpu: 3, budget: 2ms, period: 10ms, kind: cbs, policy: rr}
  - {name: many, cpus: 3, budget: 100us, period: 10ms}
"""
# Every kind of step: makes, changes, and replaces.
WANTED = """
plugins: [demo]
domains:
  - cpus: 2
    plugin: server
    options: rest=1
    capacity: 90%
    overhead: 10us
  - cpus: 3
    plugin: server
    capacity: 85.5%
  - cpus: 1
    plugin: artis
    guard: all
    manual: true
    balance: [push, estimate]
servers:
  - {name: steady, cpu: 3, budget: 1500us, period: 10ms}
  - {name: other, cpu: 3, budget: 2ms, period: 10ms, kind: cbs-hard, policy: fifo}
  - {name: many, cpus: 3, budget: 200us, period: 10ms}
  - {name: crowd, cpus: 2-2, budget: 2ms, period: 10ms, plugin: fp, options: order=rm}
  - {cpu: 2, kind: linux, budget: 1ms, period: 10ms}
"""


class Apply(unittest.TestCase):
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

    # ---- what is wanted is made, once

    def test_made_once(self):
        before = self.state()
        said = self.apply(WANTED).stdout
        self.assertIn("+ domain 2: plugin server, options rest=1, capacity 90%, overhead 10us\n",
                      said)
        self.assertIn("+ plugin fp\n", said)
        made = self.state()
        domains = json.loads(self.call("domain", "list", "--json").stdout)["domains"]
        self.assertEqual([(d["cpus"], d["plugin"], d["options"], d["capacity"], d["overhead"])
                          for d in domains],
                         [("2", "server", "rest=1", 900000, 10000), ("3", "server", "", 855000, 0),
                          ("1", "artis", "", 950000, 0)])
        servers = json.loads(self.call("server", "list", "--json").stdout)["servers"]
        self.assertEqual(sorted((s["name"], s["cpu"], s["kind"], s["policy"], s["plugin"],
                                 s["budget"], s["set"] > 0, s["persistent"]) for s in servers), [
            ("", 2, "linux", "edf", "", 1000000, False, True),
            ("crowd", 2, "cbs-hard", "plugin", "fp", 2000000, True, True),
            ("many", 3, "cbs-hard", "edf", "", 200000, True, True),
            ("other", 3, "cbs-hard", "fifo", "", 2000000, False, True),
            ("steady", 3, "cbs-hard", "edf", "", 1500000, False, True)])
        guard, = json.loads(self.call("guard", "list", "--json").stdout)["guards"]
        self.assertEqual((guard["cpu"], guard["all"], guard["manual"]), (1, True, True))

        self.assertEqual(self.apply(WANTED).stdout, "nothing to change\n")
        self.assertEqual(self.changes("apply", self.path("wanted.yaml")), [])
        self.assertEqual(self.state(), made)
        self.call("undo")
        self.assertEqual(self.state(), before)
        self.assertFalse(self.journal())
        self.assertEqual(self.call("undo").stdout, "nothing to take back\n")

    def test_changed(self):
        before = self.prepare()
        said = self.apply(WANTED).stdout
        self.assertIn("~ domain 3: capacity 80% -> 85.5%\n", said)
        self.assertIn("~ domain 1: plugin edf -> artis\n", said)
        self.assertIn("~ server steady: budget 1ms -> 1.5ms\n", said)
        self.assertIn("- server other\n+ server other:", said)
        self.assertEqual(self.apply(WANTED).stdout, "nothing to change\n")
        self.call("undo")
        self.assertEqual(self.state(), before)

    def test_what_is_not_named_stays(self):
        self.prepare()
        said = self.apply(
            "domains:\n- {cpus: 1, plugin: edf}\n- {cpus: 3, plugin: server}\nservers:\n").stdout
        self.assertEqual(said, "nothing to change\n")
        said = self.apply("domains:\n- {cpus: 1, plugin: edf, guard: off}\n").stdout
        self.assertEqual(said.splitlines(), ["~ domain 1: guard on -> off"])
        self.call("undo")
        self.assertIn("exempt: read,getpid\n    balance: weight\n", self.state())

    def test_a_plugin_brings_a_guard(self):
        """Which is off as soon as somebody says so, in the same call; and gone with the plugin when
        that is undone."""
        self.apply("domains: [{cpus: 1, plugin: edf}]")
        before = self.state()
        self.apply("domains: [{cpus: 1, plugin: artis, guard: off}]")
        self.assertEqual(self.apply("domains: [{cpus: 1, plugin: artis, guard: off}]").stdout,
                         "nothing to change\n")
        self.call("undo")
        self.apply("domains: [{cpus: 1, plugin: artis}]")
        self.assertIn("guard: all", self.state())
        self.call("undo")
        self.assertEqual(self.state(), before)

    def test_diff_and_dry_run_change_nothing(self):
        before = self.prepare()
        path = self.file(WANTED)
        said = self.call("diff", path, status=1).stdout
        self.assertEqual(self.call("apply", "--dry-run", path).stdout, said)
        planned = self.changes("apply", "--dry-run", path)
        self.assertEqual(self.changes("diff", path, status=1), planned)
        self.assertEqual(self.state(), before)
        self.assertFalse(self.journal())
        self.assertEqual(self.call("apply", path).stdout, said)
        self.call("undo")
        self.assertEqual(self.changes("apply", path), planned)
        self.assertEqual(self.call("diff", path).stdout, "nothing to change\n")

    def test_saved_is_the_same(self):
        for text in (BEFORE, WANTED):
            self.apply(text)
            self.call("save", self.path("saved.yaml"))
            self.assertEqual(self.call("apply", self.path("saved.yaml")).stdout,
                             "nothing to change\n")
            saved = self.state()
            # and on a machine that has nothing yet
            os.rename(self.path("machine"), self.path("machine.old"))
            self.call("apply", self.path("saved.yaml"))
            self.assertEqual(sorted(self.state().splitlines()), sorted(saved.splitlines()))
            os.rename(self.path("machine.old"), self.path("machine"))
            shutil.rmtree(self.root + "/run")

    def test_same_servers_without_names(self):
        text = ("domains: [{cpus: 2, plugin: server}]\nservers:\n" +
                2 * "- {cpu: 2, budget: 1ms, period: 10ms}\n")
        self.apply(text)
        self.assertEqual(self.call("apply", self.path("wanted.yaml")).stdout, "nothing to change\n")
        self.assertEqual(len(json.loads(self.call("server", "list", "--json").stdout)["servers"]),
                         2)

    def test_json_is_yaml(self):
        wanted = {"domains": [{"cpus": "2-3", "plugin": "server", "capacity": "90%"}],
                  "servers": [{"name": "a", "cpu": 2, "budget": "2ms", "period": "10ms",
                               "reclaim": True}]}
        self.apply(json.dumps(wanted))
        self.assertIn("reclaim: true", self.state())

    # ---- refusals

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

    def said(self, text, word):
        result = self.apply(text, status=2)
        self.assertRegex(result.stderr, r"wanted.yaml:\d+: ")
        self.assertIn(word, result.stderr)

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
        self.assertIn("No such file", self.call("apply", self.path("nosuch.yaml"), status=1).stderr)
        self.call("apply", status=2)
        os.mkdir(self.path("empty"))
        self.assertEqual(self.call("apply", self.path("empty")).stdout, "nothing to change\n")
        self.assertEqual(self.apply("# nothing\n").stdout, "nothing to change\n")
        for data in (b"\0", b"\xff\xfe\xff", b"domains: \"\\x00\"\n", b"[" * 5000,
                     b"domains:\n- cpus: \"1\\0\"\n"):
            with open(self.path("bytes.yaml"), "wb") as file:
                file.write(data)
            self.call("apply", self.path("bytes.yaml"), status=2)

    # ---- failures

    def test_failure_at_each_step(self):
        before = self.prepare()
        path = self.file(WANTED)
        failures = 0
        for step in range(1, 100):
            result = self.call("apply", path, status=None, fail=step)
            if not result.returncode:
                break
            failures += 1
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr,
                             r"wanted\.yaml:\d+: .* could not be (made|changed|removed)")
            self.assertEqual(result.stdout, "nothing was changed\n")
            self.assertEqual(self.state(), before, f"step {step}")
            self.assertFalse(self.journal(), step)
        self.assertGreater(failures, 12)
        self.call("undo")
        self.assertEqual(self.state(), before)

    def test_death_at_each_step(self):
        before = self.prepare()
        path = self.file(WANTED)
        self.call("apply", path)
        wanted = self.state()
        self.call("undo")
        for when in ("die_before", "die_after"):
            for then in ("undo", "apply"):
                for step in range(1, 100):
                    result = self.call("apply", path, status=None, **{when: step})
                    if not result.returncode:
                        break
                    self.assertEqual(result.returncode, -signal.SIGKILL)
                    if then == "apply":
                        self.assertIn("half applied", self.call("apply", path).stderr)
                        self.assertEqual(sorted(self.state().splitlines()),
                                         sorted(wanted.splitlines()), step)
                    self.call("undo")
                    self.assertEqual(self.state(), before, f"{when} {step}, then {then}")
                    self.assertFalse(self.journal())
                self.assertGreater(step, 12)
                self.call("undo")

    def test_death_of_undo(self):
        before = self.prepare()
        path = self.file(WANTED)
        for step in range(1, 100):
            self.call("apply", path)
            if not self.call("undo", status=None, die_after=step).returncode:
                break
            self.call("undo")
            self.assertEqual(self.state(), before, step)
        self.assertGreater(step, 12)
        self.assertEqual(self.state(), before)

    def test_a_refusal_says_why(self):
        before = self.prepare()
        result = self.apply("domains:\n- {cpus: 2, plugin: edf}\nservers:\n- {name: a, cpu: 3, budget: 9ms, period: 10ms}\n",
                            status=1)
        self.assertIn("refused: ", result.stderr)
        self.assertIn("wanted.yaml:4: server a could not be made", result.stderr)
        self.assertIn("1 steps were taken back", result.stderr)
        self.assertEqual(self.state(), before)
        for text, word in (("domains: [{cpus: 2, plugin: nosuch}]", "no plugin nosuch"),
                           ("domains: [{cpus: 0, plugin: edf, options: bad=1}]",
                            "does not take the options"),
                           ("domains: [{cpus: 2, plugin: edf}]\nservers: [{cpu: 2, budget: 1ms, period: 9ms}]",
                            "has no servers"),
                           ("domains: [{cpus: 0-1, plugin: edf}]", "domain 2 has a CPU")):
            self.assertIn(word, self.apply(text, status=None).stderr)
            self.assertEqual(self.state(), before)

    def test_files_are_applied_one_by_one(self):
        first = self.file("domains: [{cpus: 2, plugin: edf}]", "d/10.yaml")
        self.file("domains: [{cpus: 1, plugin: edf}, {cpus: 0, plugin: nosuch}]", "d/20.yaml")
        self.file("domains: [{cpus: 3, plugin: edf}]", "d/30.yaml")
        self.file("nonsense", "d/readme.txt")
        result = self.call("apply", self.path("d"), status=1)
        self.assertIn("nosuch", result.stderr)
        domains = json.loads(self.call("domain", "list", "--json").stdout)["domains"]
        self.assertEqual([d["cpus"] for d in domains], ["2", "3"])
        self.assertEqual(self.call("apply", first).stdout, "nothing to change\n")
        # One call is undone as one.
        self.call("undo")
        self.assertEqual(json.loads(self.call("domain", "list", "--json").stdout)["domains"], [])

    # ---- undo

    def test_undo_of_calls(self):
        states = [self.state()]
        for cpu in "123":
            self.apply(f"domains: [{{cpus: {cpu}, plugin: edf}}]")
            states.append(self.state())
        self.call("undo")
        self.assertEqual(self.state(), states[2])
        self.call("undo")
        self.assertEqual(self.state(), states[1])
        self.apply("domains: [{cpus: 2, plugin: edf}]")
        self.call("undo", "--all")
        self.assertEqual(self.state(), states[0])
        self.assertFalse(self.journal())

    def test_undo_leaves_what_others_did(self):
        self.apply(
            "domains:\n- {cpus: 2, plugin: server, capacity: 80%}\n- {cpus: 1, plugin: edf}\n"
            "servers:\n- {name: a, cpu: 2, budget: 1ms, period: 10ms}\n")
        self.apply("domains: [{cpus: 2, plugin: server, capacity: 70%}]\n"
                   "servers: [{name: a, cpu: 2, budget: 2ms, period: 10ms}]")
        self.call("domain", "set", "2", "--capacity=60%")
        self.call("domain", "del", "2")
        result = self.call("undo")
        self.assertIn("domain 2: somebody else has changed it", result.stderr)
        self.assertIn("capacity: 60%", self.state())
        self.assertIn("budget: 1ms", self.state())
        self.call("undo")
        self.assertNotIn("domains", self.state())

    def test_undo_of_what_is_in_use(self):
        self.apply("domains:\n- {cpus: 2, plugin: server}\n- {cpus: 1, plugin: edf}\n"
                   "servers:\n- {name: a, cpu: 2, budget: 1ms, period: 10ms}\n")
        result = self.call("undo", status=1, busy=1)
        self.assertIn("has tasks", result.stderr)
        self.assertIn("could not be taken back", result.stderr)
        self.assertIn("name: a", self.state())
        self.assertNotIn("cpus: 1", self.state())
        self.call("undo")
        self.assertNotIn("domains", self.state())

    def test_another_boot(self):
        """What a journal tells of another boot is gone."""
        self.apply("domains: [{cpus: 2, plugin: edf}]")
        path = self.root + "/run/resch/apply/journal"
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(['{"boot":"another"}\n'] + lines[1:])
        self.assertEqual(self.call("undo").stdout, "nothing to take back\n")
        self.assertIn("cpus: 2", self.state())

    # ---- shields

    def shield_machine(self):
        shutil.rmtree(self.root)
        machine = Machine(self.root)
        machine.irq(24, "0-3")
        machine.thread(100, "shell", "0-3")
        self.addCleanup(self.end_shields)
        return machine

    def shields(self):
        return json.loads(self.call("shield", "status", "--json").stdout)

    def end_shields(self):
        self.call("unshield")
        self.assertTrue(until(lambda: not self.shields()["keeper"]))

    def test_shields(self):
        machine = self.shield_machine()
        before = machine.snapshot()
        text = "domains: [{cpus: 2, plugin: edf}]\nshields:\n- {cpus: 2}\n- {cpus: [1]}\n"
        self.assertEqual(self.apply(text).stdout.splitlines()[-2:], ["+ shield 2", "+ shield 1"])
        self.assertEqual(machine.affinity(100), "0,3")
        self.assertEqual(self.apply(text).stdout, "nothing to change\n")
        self.call("save", self.path("saved.yaml"))
        self.assertEqual(self.call("apply", self.path("saved.yaml")).stdout, "nothing to change\n")
        self.assertEqual(self.apply("shields: [{cpus: 2, keep_irq: [24]}]").stdout,
                         "- shield 2\n+ shield 2: keep_irq 24\n")
        self.assertEqual(machine.get("proc/irq/24/smp_affinity_list"), "0,2-3")
        self.call("undo")
        self.assertEqual(machine.get("proc/irq/24/smp_affinity_list"), "0,3")
        # what fails after them takes them down
        result = self.apply(
            "shields: [{cpus: 3}]\ndomains: [{cpus: 2, plugin: edf, guard: on, balance: none}]",
            status=1, fail=2)
        self.assertIn("could not be changed", result.stderr)
        self.assertEqual([shield["cpus"] for shield in self.shields()["shields"]], ["1", "2"])
        self.said("shields: [{cpus: 1-2}]", "shielded already")
        self.call("undo", "--all")
        self.assertEqual(machine.snapshot(), before)

    def test_shields_need_no_module(self):
        machine = self.shield_machine()
        before = machine.snapshot()
        environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
        path = self.file("shields: [{cpus: 3}]")
        for arguments, end in ((("apply", path), "0-2"), (("undo",), "0-3")):
            subprocess.run([RESCHCTL, *arguments, "--root=" + self.root], check=True,
                           env=environment, timeout=60,
                           stdout=subprocess.DEVNULL)
            self.assertEqual(machine.affinity(100), end)
        self.assertEqual(machine.snapshot(), before)

    def test_wait(self):
        """A shield that dies leaves everything where it was, and who waits for it ends with 1 and
        can raise it again."""
        machine = self.shield_machine()
        before = machine.snapshot()
        path = self.file("shields: [{cpus: 2-3}]")
        for _ in range(2):
            with subprocess.Popen([RESCHCTL, "apply", "--wait", path, "--root=" + self.root],
                                  stderr=subprocess.PIPE,
                                  stdout=subprocess.DEVNULL, text=True) as waiting:
                self.assertTrue(until(lambda: self.shields()["shields"]))
                self.assertEqual(machine.affinity(100), "0-1")
                time.sleep(0.1)
                self.assertIsNone(waiting.poll())
                os.kill(self.shields()["keeper"], signal.SIGKILL)
                said = waiting.communicate(timeout=60)[1]
                self.assertEqual(waiting.returncode, 1)
                self.assertIn("shield 2-3 has fallen", said)
            self.assertTrue(until(lambda: machine.affinity(100) == "0-3"))
            self.assertTrue(until(lambda: not self.shields()["keeper"]))
            self.assertEqual(machine.snapshot(), before)
        self.assertEqual(self.call("apply", "--wait",
                                   self.file("domains: [{cpus: 2, plugin: edf}]")).returncode, 0)

    # ---- levels

    def test_levels(self):
        try:
            subprocess.run(["true"], check=True, preexec_fn=lambda: os.sched_setscheduler(
                0, os.SCHED_FIFO, os.sched_param(1)))
        except subprocess.SubprocessError:
            self.skipTest("needs the right to SCHED_FIFO")
        name = f"lvl{os.getpid()}"
        shutil.copy(shutil.which("sleep"), self.path(name))
        text = f"levels:\n- {{program: {name}, level: rt1, policy: rr, priority: 7}}\n"
        result = self.apply(text)
        self.assertIn("it does not run", result.stderr)
        self.assertEqual(result.stdout, "nothing to change\n")
        with subprocess.Popen([self.path(name), "1000"]) as sleeper:
            self.addCleanup(sleeper.kill)
            pid = sleeper.pid
            until(lambda: os.readlink(f"/proc/{pid}/exe").endswith(name))
            before = os.sched_getaffinity(pid)
            self.assertIn(f"~ thread {pid} ({name}): ordinary -> rr 7", self.apply(text).stdout)
            self.assertEqual((os.sched_getscheduler(pid), os.sched_getparam(pid).sched_priority),
                             (os.SCHED_RR, 7))
            self.assertEqual(self.apply(text).stdout, "nothing to change\n")
            cpu = min(before)
            rt0 = f"levels:\n- {{program: {self.path(name)}, level: rt0, cpu: {cpu}}}\n"
            self.apply(rt0)
            self.assertEqual((os.sched_getscheduler(pid), os.sched_getaffinity(pid)),
                             (os.SCHED_FIFO, {cpu}))
            self.call("undo")
            self.assertEqual((os.sched_getscheduler(pid), os.sched_getaffinity(pid)),
                             (os.SCHED_RR, before))
            # somebody else's since
            os.sched_setscheduler(pid, os.SCHED_FIFO, os.sched_param(3))
            self.assertIn("left as it is", self.call("undo").stderr)
            self.assertEqual(os.sched_getscheduler(pid), os.SCHED_FIFO)
            sleeper.kill()


if __name__ == "__main__":
    unittest.main()
