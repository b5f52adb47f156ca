#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""reschctl shield on copies of a machine's /proc and /sys: who is moved where, what is put back,
and that a death at any step leaves nothing behind.

usage: RESCHCTL=PATH test_reschctl_shield.py
"""

import json
import os
import shutil
import signal
import time
import unittest

from shielded import FIXED, KTHREAD, Machine, Shielded, preloaded, until

ASAN = {"ASAN_OPTIONS": "verify_asan_link_order=0"}

# Ends its process before the Nth change of a file: the tool's steps are all calls of these.
DEATH = r"""
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void step(void)
{
    static int steps, last = -1;

    if (last < 0)
        last = getenv("DIE_AT") ? atoi(getenv("DIE_AT")) : 0;
    if (++steps == last)
        kill(getpid(), SIGKILL);
}

ssize_t write(int fd, const void *data, size_t size)
{
    ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");

    step();
    return real(fd, data, size);
}

int rename(const char *from, const char *to)
{
    int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");

    step();
    return real(from, to);
}

int unlink(const char *path)
{
    int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");

    step();
    return real(path);
}
"""

# As the journal is told of thread 100 once more, just before the deed, somebody changes it.
MEDDLER = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t write(int fd, const void *data, size_t size)
{
    ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    static int times;

    if (size > 15 && !memcmp(data, "set thread 100 ", 15) && ++times == 2) {
        FILE *status = fopen(getenv("MEDDLE"), "w");

        fputs("Name:\tshell\nCpus_allowed:\t2\nCpus_allowed_list:\t1\n", status);
        fclose(status);
    }
    return real(fd, data, size);
}
"""


class Shield(Shielded):
    # ---- what goes where

    def test_moves_and_back(self):
        machine = self.crowd()
        before = machine.snapshot()
        result = self.call("shield", "2-3", "--keep-task=106", "--json")
        self.assertEqual(json.loads(result.stdout),
                         {"cpus": "2-3", "domain": 0, "interrupts": 3, "threads": 6,
                          "settings": 3, "values": 0, "refused": 1, "gaps": []})
        moved = {name: text for name, text in machine.snapshot().items() if text != before[name]}
        self.assertEqual(moved.pop("proc/irq/default_smp_affinity"), "3\n")
        self.assertEqual(moved.pop("sys/devices/virtual/workqueue/cpumask"), "3\n")
        self.assertEqual(moved.pop("proc/sys/kernel/watchdog_cpumask"), "0-1\n")
        self.assertEqual(moved.pop("proc/irq/24/smp_affinity_list"), "0-1\n")
        self.assertEqual(moved.pop("proc/irq/25/smp_affinity_list"), "0-1\n")
        self.assertEqual(moved.pop("proc/irq/27/smp_affinity_list"), "1\n")
        self.assertEqual(sorted(moved), sorted(f"proc/{name}/status" for name in (
            "1/task/1", "2/task/2", "21/task/21", "100/task/100", "100/task/101", "103/task/103")))
        self.assertEqual(machine.affinity(103), "0-1")
        self.call("unshield")
        self.assertEqual(machine.snapshot(), before)

    def test_large_machine(self):
        machine = self.machine
        machine.put("sys/devices/system/cpu/online", "0-71")
        machine.put("proc/irq/default_smp_affinity", "ff,ffffffff,ffffffff")
        machine.put("sys/devices/virtual/workqueue/cpumask", "ff,ffffffff,ffffffff")
        machine.irq(24, "0-71")
        machine.irq(25, "1,33,65")
        before = machine.snapshot()
        self.call("shield", "32-40,64-71")
        self.assertEqual(machine.get("proc/irq/default_smp_affinity"), "fffffe00,ffffffff")
        self.assertEqual(machine.get("proc/irq/24/smp_affinity_list"), "0-31,41-63")
        self.assertEqual(machine.get("proc/irq/25/smp_affinity_list"), "1")
        self.call("unshield", "32-40,64-71")
        self.assertEqual(machine.snapshot(), before)

    def test_keep_irq(self):
        machine = self.crowd()
        machine.thread(30, "irq/24-eth24", "2", 2, KTHREAD, policy=1)
        self.call("shield", "2-3", "--keep-irq=24,eth27")
        self.assertEqual(machine.get("proc/irq/24/smp_affinity_list"), "0-3")
        self.assertEqual(machine.get("proc/irq/25/smp_affinity_list"), "0-1")
        self.assertEqual(machine.get("proc/irq/27/smp_affinity_list"), "1-3")
        self.assertEqual(machine.affinity(30), "2")
        fixed = {(line["kind"], line["id"]): line["why"] for line in self.status()["fixed"]}
        self.assertEqual(fixed["interrupt", 24], "kept, as asked")
        self.assertEqual(fixed["thread", 30], "kept, as asked")

    def test_status(self):
        self.crowd()
        self.assertIn("there is no shield", self.call("shield", "status").stdout)
        self.call("shield", "2-3")
        report = self.status()
        self.assertEqual([shield["cpus"] for shield in report["shields"]], ["2-3"])
        self.assertEqual(report["away"], {"interrupts": 3, "threads": 7, "settings": 3})
        why = {(line["kind"], line["name"]): line["why"] for line in report["fixed"]}
        self.assertEqual(sorted(why),
                         [("interrupt", "nvme"), ("thread", "control"), ("thread", "ksoftirqd/2")])
        self.assertEqual(why["thread", "control"], "real-time thread bound to RT CPUs")
        self.assertIn("the kernel manages it", why["interrupt", "nvme"])
        self.assertTrue(os.path.isdir(f"/proc/{report['keeper']}"))
        self.assertTrue(os.path.isdir(f"/proc/{report['guardian']}"))
        text = self.call("shield", "status").stdout
        self.assertIn("shield 2-3: stands", text)
        self.assertIn("ksoftirqd/2", text)

    def test_counters(self):
        machine = self.crowd()
        line = " 24: {} 5 {} 9   PCI-MSI 24-edge eth24\nLOC: 1 1 1 {} Local timer interrupts\n"
        machine.put("proc/interrupts",
                    "     CPU0 CPU1 CPU2 CPU3\n" + line.format(1, 100, 1) + "ERR:  3")
        self.call("shield", "2-3")
        machine.put("proc/interrupts",
                    "     CPU0 CPU1 CPU2 CPU3\n" + line.format(77, 130, 3) + "ERR:  9")
        name = "proc/20/task/20/status"
        machine.put(name, machine.get(name).replace("switches:\t7", "switches:\t19"))
        ran = {(line["kind"], line["id"]): line["count"] for line in self.status()["ran"]}
        self.assertEqual(ran, {("interrupt", 24): 30, ("interrupt", None): 2, ("thread", 20): 12})
        self.assertIn("LOC Local timer interrupts", self.call("shield", "status").stdout)

    # ---- others change things, come and go

    def test_changed_meanwhile(self):
        machine = self.crowd()
        before = machine.snapshot()
        self.call("shield", "2-3")
        machine.bind(100, "1")
        machine.put("proc/irq/24/smp_affinity_list", "3")
        machine.put("proc/irq/default_smp_affinity", "1")
        changed = sorted((line["kind"], line["id"]) for line in self.status()["changed"])
        self.assertEqual(changed, [("setting", 0), ("thread", 100)])
        fixed = {line["id"]: line["why"] for line in self.status()["fixed"]
                 if line["kind"] == "interrupt"}
        self.assertEqual(fixed[24], "was put there under the shield")
        result = self.call("unshield", "--json")
        self.assertEqual(json.loads(result.stdout)["changed"], 3)
        after = machine.snapshot()
        self.assertEqual(machine.affinity(100), "1")
        self.assertEqual(after["proc/irq/24/smp_affinity_list"], "3\n")
        self.assertEqual(after["proc/irq/default_smp_affinity"], "1\n")
        self.assertEqual(len([name for name in before if before[name] != after[name]]), 3)

    def test_changed_at_that_moment(self):
        machine = self.crowd()
        status = machine.path("proc/100/task/100/status")
        with preloaded(MEDDLER) as library:
            self.call("shield", "2-3", env={"LD_PRELOAD": library, "MEDDLE": status, **ASAN})
        self.assertEqual(machine.affinity(100), "1")
        self.call("unshield")
        self.assertEqual(machine.affinity(100), "1")

    def test_newcomers(self):
        machine = self.crowd()
        self.call("shield", "2-3")
        machine.irq(40, "0-3")
        machine.irq(41, "0-1")
        machine.thread(200, "wide", "0-3", 100)
        machine.thread(201, "child", "0-1", 100)
        machine.thread(202, "grandchild", "0-1", 201)
        machine.thread(203, "thread", "0-1", tgid=100)
        machine.thread(204, "own", "1", 100)
        machine.thread(205, "sent", "2", 100)
        machine.thread(206, "kthread", "0-3", 2, KTHREAD)
        machine.thread(207, "kthread/2", "2", 2, FIXED)
        machine.thread(208, "narrow's", "0-1", 102)
        self.assertTrue(until(lambda: machine.affinity(206) == "0-1" and
                              machine.affinity(200) == "0-1" and
                              machine.get("proc/irq/40/smp_affinity_list") == "0-1"))
        self.assertEqual(machine.affinity(205), "2")
        machine.thread(210, "late", "0-1", 202)
        self.call("unshield")
        for tid in (200, 201, 202, 206, 210):
            self.assertEqual(machine.affinity(tid), "0-3", tid)
        self.assertEqual(machine.affinity(203, 100), "0-3")
        for irq in (40, 41):
            self.assertEqual(machine.get(f"proc/irq/{irq}/smp_affinity_list"), "0-3")
        self.assertEqual([machine.affinity(tid) for tid in (204, 205, 207, 208)],
                         ["1", "2", "2", "0-1"])

    def test_number_used_again(self):
        """Another thread that has got an ended one's id is not what we moved."""
        machine = self.crowd()
        self.call("shield", "2-3")
        machine.ends(103)
        machine.thread(103, "other", "0-1", 102, start=99999)
        self.call("unshield")
        self.assertEqual(machine.affinity(103), "0-1")

    def test_cpus_offline(self):
        """Where nothing of its place is online any more the kernel sends it anywhere, RT CPUs
        included."""
        machine = self.crowd()
        before = machine.snapshot()
        self.call("shield", "2-3")
        self.assertEqual(machine.get("proc/irq/27/smp_affinity_list"), "1")
        machine.put("sys/devices/system/cpu/online", "0,2-3")
        machine.put("proc/irq/27/smp_affinity_list", "0,2-3")
        self.assertTrue(until(lambda: machine.get("proc/irq/27/smp_affinity_list") == "0"))
        machine.put("sys/devices/system/cpu/online", "0-3")
        self.assertTrue(until(lambda: machine.get("proc/irq/27/smp_affinity_list") == "1"))
        self.call("unshield")
        self.assertEqual(machine.snapshot(), before)

    def test_kernel_cuts(self):
        """Where CPUs are possible and not online (SMT off) the kernel leaves them out of what is
        set."""
        machine = self.crowd()
        machine.put("sys/devices/system/cpu/possible", "0-7")
        machine.thread(30, "wide", "0-7")
        self.call("shield", "2-3")
        self.assertEqual(machine.affinity(30), "0-1,4-7")
        machine.bind(30, "0-1")
        self.assertEqual(self.status()["changed"], [])
        time.sleep(2.5)
        self.assertEqual(machine.affinity(30), "0-1", "nobody sets it again and again")
        self.assertEqual(self.status()["changed"], [])
        self.call("unshield")
        self.assertEqual(machine.affinity(30), "0-7")

    def test_kernel_sets_anew(self):
        """A kernel thread gets all that is online when a CPU goes and when it comes; what somebody
        chose is narrower."""
        machine = self.crowd()
        machine.thread(30, "rcub/0", "0-3", 2, KTHREAD, policy=1)
        machine.thread(31, "chosen", "0-3", 2, KTHREAD)
        machine.thread(32, "sent", "0-3", 2, KTHREAD)
        machine.thread(33, "late", "0-3", 2, KTHREAD)
        machine.put("sys/devices/system/cpu/online", "0-2")
        machine.bind(33, "0-2")
        before = machine.snapshot()
        self.call("shield", "2")
        machine.bind(31, "1-2")
        machine.bind(32, "2")
        for online, away in (("0,2", ["0-1,3", "0-1"]), ("0-3", ["0-1,3", "0-1,3"])):
            machine.put("sys/devices/system/cpu/online", online)
            machine.bind(30, online)
            machine.bind(33, online)
            self.assertTrue(until(lambda away=away: [machine.affinity(30), machine.affinity(33)] ==
                                  away), online)
        self.assertEqual([machine.affinity(tid) for tid in (31, 32)], ["1-2", "2"])
        self.call("unshield")
        self.assertEqual([machine.affinity(tid) for tid in (30, 31, 32, 33)],
                         ["0-3", "1-2", "2", "0-3"])
        machine.put("sys/devices/system/cpu/online", "0-2")
        machine.bind(31, "0-3")
        machine.bind(32, "0-3")
        machine.bind(33, "0-2")
        self.assertEqual(machine.snapshot(), before)

    # ---- several

    def test_two_shields(self):
        for order in (("2", "3"), ("3", "2")):
            with self.subTest(order=order):
                shutil.rmtree(self.machine.path("proc"))
                Machine.__init__(self.machine, self.machine.root)
                machine = self.crowd()
                before = machine.snapshot()
                self.call("shield", "2", "--keep-task=106")
                once = machine.snapshot()
                machine.thread(300, "between", "0-1,3", 100)
                self.call("shield", "3")
                self.assertEqual(machine.affinity(100), "0-1")
                self.assertEqual(machine.affinity(300), "0-1")
                # each shield keeps for itself
                self.assertEqual(machine.affinity(106), "0-2")
                self.call("unshield", order[0])
                self.assertEqual(machine.affinity(100), "0-2" if order[0] == "2" else "0-1,3")
                if order[0] == "3":
                    self.assertEqual(machine.affinity(300), "0-1,3")
                    machine.ends(300)
                    self.assertEqual(machine.snapshot(), once)
                self.call("unshield", order[1])
                if order[0] == "2":
                    self.assertEqual(machine.affinity(300), "0-3")
                    machine.ends(300)
                self.assertEqual(machine.snapshot(), before)

    def test_refusals(self):
        self.crowd()
        before = self.machine.snapshot()
        self.assertIn("not all online", self.call("shield", "4", status=1).stderr)
        self.assertIn("no CPU would be left", self.call("shield", "0-3", status=1).stderr)
        self.assertIn("is no list", self.call("shield", "x", status=2).stderr)
        self.assertIn("is no list", self.call("unshield", "x", status=2).stderr)
        self.assertIn("one list", self.call("shield", status=2).stderr)
        self.assertIn("no spaces", self.call("shield", "2", "--keep-irq=1 2", status=2).stderr)
        self.assertIn("exclude", self.call("shield", "2", "--plugin=edf", status=2).stderr)
        self.assertEqual(self.call("unshield").stdout, "there is no shield\n")
        self.call("shield", "2")
        self.assertIn("shielded already", self.call("shield", "2-3", status=1).stderr)
        self.assertIn("no CPU would be left", self.call("shield", "0-1,3", status=1).stderr)
        self.assertIn("there is no shield", self.call("unshield", "3", status=1).stderr)
        self.call("unshield")
        self.assertEqual(self.machine.snapshot(), before)

    def test_read_only(self):
        machine = self.crowd()
        machine.put("proc/irq/default_smp_affinity", "f", 0o444)
        before = machine.snapshot()
        self.assertIn("writable", self.call("shield", "2-3", status=1).stderr)
        self.assertEqual(machine.snapshot(), before)
        self.assertEqual(self.status()["shields"], [])

    # ---- ends

    def test_module_goes(self):
        machine = self.crowd()
        machine.put("sys/module/resch/refcnt", "0")
        self.call("shield", "2-3")
        shutil.rmtree(machine.path("sys/module"))
        self.assertTrue(until(lambda: not self.status()["shields"]))
        self.assertEqual(machine.affinity(100), "0-3")
        self.call("shield", "2-3")
        time.sleep(2)
        self.assertEqual(machine.affinity(100), "0-1",
                         "a shield without the module does not end with it")

    def test_keeper_killed(self):
        before = self.crowd().snapshot()
        self.call("shield", "2-3")
        self.kill("keeper")
        self.assertTrue(until(lambda: not self.status()["shields"]))
        self.assertTrue(until(lambda: not self.status()["keeper"]))
        self.assertEqual(self.machine.snapshot(), before)

    def test_keeper_ended(self):
        before = self.crowd().snapshot()
        self.call("shield", "2-3")
        os.kill(self.status()["keeper"], signal.SIGTERM)
        self.assertTrue(until(lambda: not self.status()["shields"]))
        self.assertEqual(self.machine.snapshot(), before)

    def test_guardian_killed(self):
        before = self.crowd().snapshot()
        self.call("shield", "2-3")
        old = self.status()["guardian"]
        self.kill("guardian")
        self.assertTrue(until(lambda: self.status()["guardian"] not in (0, old)))
        self.kill("keeper")
        self.assertTrue(until(lambda: not self.status()["shields"]))
        self.assertEqual(self.machine.snapshot(), before)

    def test_all_killed(self):
        before = self.crowd().snapshot()
        for after in (("unshield",), ("shield", "3")):
            self.call("shield", "2-3")
            self.kill("keeper", "guardian")
            self.assertIn("was killed", self.call("shield", "status").stdout)
            result = self.call(*after)
            self.assertIn("taken down", result.stderr)
        self.assertEqual(self.machine.affinity(100), "0-2")
        self.call("unshield")
        self.assertEqual(self.machine.snapshot(), before)

    def test_another_boot(self):
        """What a journal tells of another boot is gone."""
        machine = self.crowd()
        machine.put("proc/sys/kernel/random/boot_id", "one")
        self.call("shield", "2-3")
        self.kill("keeper", "guardian")
        machine.put("proc/sys/kernel/random/boot_id", "two")
        self.assertEqual(self.status()["shields"], [])
        self.call("unshield")
        self.assertEqual(machine.affinity(100), "0-1")
        before = machine.snapshot()
        self.call("shield", "1")
        self.call("unshield")
        self.assertEqual(machine.snapshot(), before)

    def test_died_at_each_step(self):
        """The tool, and whoever it starts, is killed before its first, second... change of a
        file."""
        machine = self.machine
        machine.irq(24, "0-3")
        machine.irq(25, "2", mode=0o444)
        machine.thread(100, "shell", "0-3")
        machine.put("sys/class/net/eth0/ifindex", "3")
        machine.put("sys/class/net/eth0/queues/rx-0/rps_cpus", "c")
        machine.put("proc/sys/kernel/timer_migration", "1")
        machine.put("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "schedutil")
        with preloaded(DEATH) as library:
            for first, then in ((None, "shield"), ("shield", "unshield"), ("shield", "second")):
                self.died_at_each_step(library, first, then)

    def died_at_each_step(self, library, first, then):
        before = self.machine.snapshot()
        words = {"shield": ("shield", "2-3", "--latency"), "unshield": ("unshield",),
                 "second": ("shield", "1")}[then]
        deaths, step = 0, 0
        while True:
            step += 1
            if first:
                self.call("shield", "2-3" if then == "unshield" else "2", "--latency")
                self.kill("keeper", "guardian") if step % 2 else None
            result = self.call(*words, status=None, env={
                "LD_PRELOAD": library, "DIE_AT": str(step), **ASAN})
            died = result.returncode == -signal.SIGKILL
            deaths += died
            if step % 3 == 0:
                # nobody helps: the keeper, where one is left, does it
                until(lambda: not self.status()["keeper"] or
                      all(shield["state"] == "stands" for shield in self.status()["shields"]))
            self.call("unshield")
            self.assertEqual(self.machine.snapshot(), before,
                             f"{then}: killed before step {step}")
            self.assertTrue(until(lambda: not self.status()["keeper"]))
            self.assertFalse(os.path.exists(self.machine.path("run/resch/shield/journal")), step)
            if not died and result.returncode == 0:
                break
        self.assertGreater(deaths, 10)


if __name__ == "__main__":
    unittest.main()
