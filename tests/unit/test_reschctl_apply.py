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
import time
import unittest

import pages
import typed
from applied import BEFORE, Applied
from reschctl import RESCHCTL
from shielded import Machine, until


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
  - {name: steady, cpu: 3, budget: 1500us, period: 10ms, holder: user:12345, tasks: 7}
  - {name: other, cpu: 3, budget: 2ms, period: 10ms, kind: cbs-hard, policy: fifo}
  - {name: many, cpus: 3, budget: 200us, period: 10ms, holder: group:root, top_priority: 5, rate: 99}
  - {name: crowd, cpus: 2-2, budget: 2ms, period: 10ms, plugin: fp, options: order=rm}
  - {cpu: 2, kind: linux, budget: 1ms, period: 10ms}
"""


class Apply(Applied):
    # ---- what is wanted is made, once

    def test_made_once(self):
        before = self.state()
        result = self.apply(WANTED)
        self.assertNotRegex(result.stderr, "server .*: it does not run")
        said = result.stdout
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
                                 s["budget"], s["band"] > 0, s["persistent"]) for s in servers), [
            ("", 2, "linux", "edf", "", 1000000, False, True),
            ("crowd", 2, "cbs-hard", "plugin", "fp", 2000000, True, True),
            ("many", 3, "cbs-hard", "edf", "", 200000, True, True),
            ("other", 3, "cbs-hard", "fifo", "", 2000000, False, True),
            ("steady", 3, "cbs-hard", "edf", "", 1500000, False, True)])
        holders = {s["name"]: s["holder"] for s in servers}
        self.assertEqual(holders["steady"], {"who": "user:12345", "id": 12345, "tasks": 7,
                                             "priority": 0, "rate": 10000})
        self.assertEqual(holders["many"], {"who": "group:root", "id": 0, "tasks": 64,
                                           "priority": 5, "rate": 99})
        self.assertIsNone(holders["other"])
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
        # a shield is changed as it stands: who had to leave is not let in meanwhile
        thread = machine.path("proc/100/task/100/status")
        written = os.stat(thread).st_ino
        self.assertEqual(self.apply("shields: [{cpus: 2, keep_irq: [24]}]").stdout,
                         "~ shield 2: keep_irq 24\n")
        self.assertEqual(os.stat(thread).st_ino, written)
        self.assertEqual(machine.get("proc/irq/24/smp_affinity_list"), "0,2-3")
        self.call("undo")
        self.assertEqual(machine.get("proc/irq/24/smp_affinity_list"), "0,3")
        # by a file more may be named than there is by now
        text = "shields: [{cpus: 2, irq: ['24:2', 'can0:2'], keep_task: [9999], latency: true}]"
        result = self.apply(text)
        for word in ("irq: can0:2: no interrupt", "keep_task: 9999: "):
            self.assertIn(word, result.stderr)
        self.assertEqual(machine.get("proc/irq/24/smp_affinity_list"), "2")
        self.assertEqual(self.apply(text).stdout, "nothing to change\n")
        self.call("save", self.path("saved.yaml"))
        with open(self.path("saved.yaml"), encoding="utf-8") as file:
            self.assertIn("latency: true", file.read())
        self.assertEqual(self.call("apply", self.path("saved.yaml")).stdout, "nothing to change\n")
        self.assertEqual(self.apply("shields: [{cpus: 2, irq: [], latency: false}]").returncode, 0)
        self.assertFalse(self.shields()["shields"][0]["latency"])
        self.call("undo")
        self.assertTrue(self.shields()["shields"][0]["latency"])
        self.call("undo")
        # what fails after them takes them down
        result = self.apply(
            "shields: [{cpus: 3}]\ndomains: [{cpus: 2, plugin: edf, guard: on, balance: none}]",
            status=1, fail=2)
        self.assertIn("could not be changed", result.stderr)
        self.assertEqual([shield["cpus"] for shield in self.shields()["shields"]], ["2", "1"])
        self.said("shields: [{cpus: 1-2}]", "shielded already")
        self.call("undo", "--all")
        self.assertEqual(machine.snapshot(), before)

    def test_files_of_documents(self):
        """What docs/boot.md and resch.yaml(5) show is applied, and then nothing is left to do."""
        with open(pages.TOP + "/docs/boot.md", encoding="utf-8") as file:
            boot, = typed.blocks(file.read(), "yaml")
        page, = (lines for _, lines in typed.blocks(pages.read("tools/man/resch.yaml.5"), ""))
        machine = self.shield_machine()
        before = machine.snapshot()
        for lines in (boot[1], page):
            said = self.apply("\n".join(lines)).stdout
            self.assertIn("+ shield 2-3", said)
            self.assertIn("control: ", said)
            self.assertEqual(self.call("diff", self.path("wanted.yaml")).stdout,
                             "nothing to change\n")
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

    def test_wait_blind(self):
        """Who cannot see whether the shields stand does not say that they do."""
        self.shield_machine()
        path = self.file("shields: [{cpus: 2-3}]")
        lock = self.root + "/run/resch/shield/lock"
        with subprocess.Popen([RESCHCTL, "apply", "--wait", path, "--root=" + self.root],
                              stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              text=True) as waiting:
            self.assertTrue(until(lambda: self.shields()["shields"]))
            os.rename(lock, lock + ".away")
            os.symlink("lock", lock)
            said = waiting.communicate(timeout=60)[1]
        os.unlink(lock)
        os.rename(lock + ".away", lock)
        self.assertEqual(waiting.returncode, 1)
        self.assertIn("journal cannot be read", said)

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
            rt0 = (f"levels:\n- {{program: {self.path(name)}, level: rt0, cpu: {cpu}, "
                   "unguarded: true}\n")
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
