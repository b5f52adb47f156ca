#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""reschctl shield: what it is told to keep, what others change while it stands, and what it says
that it can't keep off.

usage: RESCHCTL=PATH test_reschctl_shield_keep.py
"""

import json
import time
import unittest

from shielded import KTHREAD, Shielded, until


class Keep(Shielded):
    def irqs(self, *numbers):
        return [self.machine.get(f"proc/irq/{number}/smp_affinity_list") for number in numbers]

    # ---- how things are named

    def test_ranges_and_patterns(self):
        machine = self.crowd()
        machine.irq(40, "0-3", "eth1-rx-0")
        machine.irq(41, "0-3", "eth1-tx-0")
        machine.irq(42, "0-3", "ahci[0000:00:1f.2]")
        before = machine.snapshot()
        self.call("shield", "2-3", "--keep-irq=24-25,eth1-*,ahci[0000:00:1f.2]")
        self.assertEqual(self.irqs(24, 25, 27, 40, 41, 42), ["0-3", "2", "1", "0-3", "0-3", "0-3"])
        # one that the pattern has, but that comes later, with what is the default by now
        machine.irq(43, "0-1", "eth1-rx-1")
        self.assertTrue(until(lambda: self.irqs(43) == ["0-3"]))
        machine.irq(44, "0-3", "eth2")
        self.assertTrue(until(lambda: self.irqs(44) == ["0-1"]))
        self.call("unshield")
        after = machine.snapshot()
        self.assertEqual({name: text for name, text in after.items() if name in before}, before)

    def test_names_of_nobody(self):
        machine = self.crowd()
        before = machine.snapshot()
        for option, word, said in (
                ("irq", "nosuch", "no interrupt"), ("irq", "24,99", "99: no interrupt"),
                ("irq", "90-95", "no interrupt"), ("irq", "26-24", "no interrupt"),
                ("task", "9999", "no id"), ("task", "shell", "no id")):
            with self.subTest(word=word):
                result = self.call("shield", "2-3", f"--keep-{option}={word}", status=1)
                self.assertIn(f"--keep-{option}: ", result.stderr)
                self.assertIn(said, result.stderr)
                self.assertEqual(machine.snapshot(), before)
        self.assertIn("names none", self.call("shield", "2-3", "--keep-irq=", status=2).stderr)
        # a pattern may have its first one later; threads are found within their process, too
        self.call("shield", "2-3", "--keep-irq=can*", "--keep-task=101")
        self.assertEqual([machine.affinity(101, 100), machine.affinity(100)], ["0-3", "0-1"])

    def test_long_lists(self):
        machine = self.machine
        for number in range(100, 300):
            machine.irq(number, "0-3")
        self.call("shield", "2-3", "--keep-irq=" + ",".join(str(n) for n in range(100, 300, 2)))
        self.assertEqual(self.irqs(100, 101, 298, 299), ["0-3", "0-1", "0-3", "0-1"])
        self.assertIn("1023", self.call("shield", "2", "--keep-irq=" + "1," * 600,
                                        status=2).stderr)

    def test_other_lists_while_it_stands(self):
        machine = self.crowd()
        before = machine.snapshot()
        self.call("shield", "2-3", "--keep-irq=24")
        self.assertEqual(self.irqs(24, 27), ["0-3", "1"])
        self.assertIn("shielded already", self.call("shield", "2-3", status=1).stderr)
        result = self.call("shield", "2-3", "--keep-irq=27", "--keep-task=100", "--json")
        self.assertEqual(json.loads(result.stdout)["interrupts"], 2)
        self.assertEqual(self.irqs(24, 27), ["0-1", "1-3"])
        # the process, all of it
        self.assertEqual([machine.affinity(100), machine.affinity(101, 100)], ["0-3", "0-3"])
        self.assertEqual(self.status()["shields"][0]["keep_irq"], "27")
        self.assertIn("stands", self.call("shield", "2-3", "--keep-task=-").stdout)
        self.assertEqual(machine.affinity(100), "0-1")
        self.assertEqual(self.irqs(27), ["1-3"], "what isn't named stays as it is")
        self.call("unshield")
        self.assertEqual(machine.snapshot(), before)

    def test_sent_to_a_cpu(self):
        machine = self.crowd()
        machine.irq(40, "0-3", "eth1-rx-0")
        machine.irq(42, "0-3", "ahci[0000:00:1f.2]")
        machine.thread(30, "irq/40-eth1", "2", 2, KTHREAD, policy=1)
        before = machine.snapshot()
        self.call("shield", "2-3", "--irq=eth1*:2,ahci[0000:00:1f.2]:3,24:2-3", "--keep-irq=27")
        self.assertEqual(self.irqs(40, 42, 24, 27, 26), ["2", "3", "2-3", "1-3", "0-1"])
        self.assertEqual(machine.affinity(30), "2", "its thread goes with it, by the kernel")
        report = self.status()
        self.assertEqual(report["shields"][0]["irq"], "eth1*:2,ahci[0000:00:1f.2]:3,24:2-3")
        why = {line["id"]: line["why"] for line in report["fixed"] if line["kind"] == "interrupt"}
        self.assertEqual([why[40], why[27]], ["sent there, as asked", "kept, as asked"])
        machine.irq(41, "0-1", "eth1-tx-0")
        self.assertTrue(until(lambda: self.irqs(41) == ["2"]), "one that comes later")
        self.call("shield", "2-3", "--irq=24:3")
        self.assertEqual(self.irqs(40, 42, 24), ["0-1", "0-1", "3"])
        self.call("unshield")
        after = machine.snapshot()
        self.assertEqual({name: text for name, text in after.items() if name in before}, before)
        for words, said in (("24:1", "CPU of 2-3"), ("24", "NAME:CPU"), (":2", "NAME:CPU"),
                            ("24:x", "NAME:CPU"), ("nosuch:2", "no interrupt"),
                            ("24:2,99:2", "99:2: no interrupt")):
            self.assertIn(said, self.call("shield", "2-3", f"--irq={words}", status=1).stderr)

    # ---- others change things

    def test_reset(self):
        """All CPUs, as container runtimes ask for, or some RT ones with others: no wish to be
        there. RT CPUs alone are one."""
        machine = self.crowd()
        machine.thread(200, "dockerd", "0-3")
        machine.thread(201, "narrow", "0-1")
        machine.thread(202, "chosen", "0-3")
        machine.thread(203, "daemon", "0-3", 2, KTHREAD)
        self.call("shield", "2-3")
        machine.bind(200, "0-3")
        machine.bind(201, "1,3")
        machine.bind(202, "3")
        machine.bind(203, "0,3")
        self.assertTrue(until(lambda: [machine.affinity(200), machine.affinity(201)] ==
                              ["0-1", "1"]))
        self.assertEqual([machine.affinity(202), machine.affinity(203)], ["3", "0,3"])
        why = {line["id"]: line["why"] for line in self.status()["fixed"]}
        self.assertEqual(why[202], "was put there under the shield")
        self.call("unshield")
        self.assertEqual([machine.affinity(tid) for tid in (200, 201, 202, 203)],
                         ["0-3", "1,3", "3", "0,3"])

    def test_settings_are_put_right(self):
        machine = self.crowd()
        workqueues = "sys/devices/virtual/workqueue/cpumask"
        self.call("shield", "2-3")
        machine.put("proc/irq/default_smp_affinity", "7")
        machine.put(workqueues, "f")
        machine.put("proc/sys/kernel/watchdog_cpumask", "0")
        self.assertTrue(until(lambda: machine.get("proc/irq/default_smp_affinity") == "3" and
                              machine.get(workqueues) == "3"))
        changed = [(line["kind"], line["name"]) for line in self.status()["changed"]]
        self.assertEqual(changed, [("setting", "/proc/sys/kernel/watchdog_cpumask")])
        self.call("unshield")
        self.assertEqual([machine.get(name) for name in (
            "proc/irq/default_smp_affinity", workqueues, "proc/sys/kernel/watchdog_cpumask")],
            ["7", "f", "0"])

    def test_interrupt_that_somebody_steers(self):
        machine = self.crowd()
        self.call("shield", "2-3")
        machine.put("proc/irq/24/smp_affinity_list", "2")
        report = self.status()
        self.assertEqual([line["why"] for line in report["fixed"] if line["id"] == 24],
                         ["was put there under the shield"])
        self.assertEqual(report["changed"], [], "it is told once")
        time.sleep(1.5)
        self.assertEqual(self.irqs(24), ["2"])

    # ---- packets

    def test_queues(self):
        machine = self.crowd()
        queue = "sys/class/net/eth0/queues/{}"
        machine.put("sys/class/net/eth0/ifindex", "2")
        for name, text in (("rx-0/rps_cpus", "f"), ("rx-1/rps_cpus", "0"), ("rx-2/rps_cpus", "8"),
                           ("tx-0/xps_cpus", "8")):
            machine.put(queue.format(name), text)
        before = machine.snapshot()
        self.call("shield", "2-3")
        self.assertEqual([machine.get(queue.format(name)) for name in (
            "rx-0/rps_cpus", "rx-1/rps_cpus", "rx-2/rps_cpus", "tx-0/xps_cpus")],
            ["3", "0", "3", "8"])
        self.call("unshield")
        self.assertEqual(machine.snapshot(), before)

    # ---- what a shield can't keep off

    def test_gaps(self):
        machine = self.crowd()
        cpu = "sys/devices/system/cpu/cpu{}/"
        for number, siblings in ((0, "0,2"), (2, "0,2"), (1, "1,3"), (3, "1,3")):
            machine.put(cpu.format(number) + "topology/thread_siblings_list", siblings)
            machine.put(cpu.format(number) + "power/pm_qos_resume_latency_us", "0")
            machine.put(cpu.format(number) + "cpufreq/scaling_governor", "schedutil")
            for state, latency in enumerate((0, 2, 133, 400)):
                machine.put(cpu.format(number) + f"cpuidle/state{state}/latency", str(latency))
                machine.put(cpu.format(number) + f"cpuidle/state{state}/disable",
                            str(int(latency == 400)))
        machine.thread(300, "irqbalance", "0-3")
        said = self.call("shield", "2").stdout
        self.assertEqual(len([line for line in said.splitlines() if line.startswith("note: ")]), 4)
        gaps = "\n".join(self.status()["gaps"])
        for part in ("CPU 2 shares its core with CPU 0,", "IRQBALANCE_BANNED_CPULIST=2 ",
                     "CPUs 2 take up to 133 us", "CPUs 2 may run below"):
            self.assertIn(part, gaps)
        self.assertIn("note: CPU 2 shares", self.call("shield", "status").stdout)
        self.call("shield", "2", "--latency")
        self.assertEqual(len(self.status()["gaps"]), 2)
        self.call("unshield")
        self.call("shield", "2,0")
        self.assertNotIn("shares", "\n".join(self.status()["gaps"]))


class Latency(Shielded):
    CPU = "sys/devices/system/cpu/cpu{}/"
    NAMES = ("power/pm_qos_resume_latency_us", "cpufreq/energy_performance_preference",
             "cpufreq/scaling_governor")
    MIGRATION, INTERVAL = "proc/sys/kernel/timer_migration", "proc/sys/vm/stat_interval"

    def values(self, cpu):
        return [self.machine.get(self.CPU.format(cpu) + name) for name in self.NAMES]

    def crowd(self):
        for cpu in range(4):
            for name, value in zip(self.NAMES, ("0", "balance_performance", "schedutil")):
                self.machine.put(self.CPU.format(cpu) + name, value)
        self.machine.put(self.MIGRATION, "1")
        self.machine.put(self.INTERVAL, "1")
        return super().crowd()

    def test_there_and_back(self):
        machine = self.crowd()
        before = machine.snapshot()
        self.call("shield", "2-3")
        self.assertEqual(self.values(2), ["0", "balance_performance", "schedutil"])
        result = self.call("shield", "2-3", "--latency", "--json")
        self.assertEqual(json.loads(result.stdout)["values"], 8)
        for cpu in (2, 3):
            self.assertEqual(self.values(cpu), ["2", "performance", "performance"])
        self.assertEqual(self.values(1), ["0", "balance_performance", "schedutil"])
        self.assertEqual([machine.get(self.MIGRATION), machine.get(self.INTERVAL)], ["0", "120"])
        self.assertTrue(self.status()["shields"][0]["latency"])
        self.assertIn("8 values", self.call("unshield").stdout)
        self.assertEqual(machine.snapshot(), before)

    def test_two_shields(self):
        machine = self.crowd()
        before = machine.snapshot()
        self.call("shield", "2", "--latency")
        self.call("shield", "3", "--latency")
        self.call("unshield", "2")
        self.assertEqual(self.values(2)[2], "schedutil")
        self.assertEqual(self.values(3)[2], "performance")
        self.assertEqual(machine.get(self.MIGRATION), "0")
        self.call("unshield")
        self.assertEqual(machine.snapshot(), before)

    def test_changed_refused_missing(self):
        machine = self.crowd()
        governor = self.CPU.format(2) + self.NAMES[2]
        preference = self.CPU.format(3) + self.NAMES[1]
        machine.put(preference, "balance_performance", 0o444)
        self.call("shield", "2-3", "--latency")
        machine.put(governor, "powersave")
        time.sleep(2.5)
        self.assertEqual(machine.get(governor), "powersave", "a shield does not quarrel")
        report = self.status()
        self.assertEqual([line["name"] for line in report["changed"]], ["/" + governor])
        self.assertEqual([line["name"] for line in report["fixed"] if line["kind"] == "value"],
                         ["/" + preference])
        with open(machine.path("run/resch/shield/journal"), encoding="ascii") as file:
            lines = len(file.readlines())
        time.sleep(2.5)
        with open(machine.path("run/resch/shield/journal"), encoding="ascii") as file:
            self.assertEqual(len(file.readlines()), lines, "refused, it isn't tried each second")
        self.call("unshield")
        self.assertEqual([machine.get(governor), self.values(3)[2], machine.get(self.MIGRATION)],
                         ["powersave", "schedutil", "1"])

    def test_keeper_killed(self):
        machine = self.crowd()
        before = machine.snapshot()
        self.call("shield", "2-3", "--latency")
        self.kill("keeper")
        self.assertTrue(until(lambda: machine.snapshot() == before))

    def test_earlier_version(self):
        """A shield that stood when the program was replaced by this one comes down all the same."""
        machine = self.crowd()
        before = machine.snapshot()
        self.call("shield", "2-3", "--keep-irq=24")
        with open(machine.path("run/resch/shield/journal"), encoding="ascii") as file:
            line = [words for words in map(str.split, file) if words[0] == "shield"][-1]
        self.assertEqual(line[1:], ["stands", "2-3", "24", "-", "0", "0"])
        self.call("unshield")
        self.assertEqual(machine.snapshot(), before)


if __name__ == "__main__":
    unittest.main()
