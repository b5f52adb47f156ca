# SPDX-License-Identifier: GPL-2.0
"""Copies of a machine's /proc and /sys for `reschctl shield`, and what its tests do with them."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from reschctl import RESCHCTL

KTHREAD, FIXED = 0x00200000, 0x04200000


@contextlib.contextmanager
def preloaded(source):
    """What LD_PRELOAD takes: @source, compiled, as long as the context lasts."""
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "preloaded.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-D_GNU_SOURCE", "-w", "-x", "c", "-o", library,
                        "-", "-ldl"], input=source, text=True, check=True)
        yield library


def until(condition):
    for _ in range(3000):
        if condition():
            return True
        time.sleep(0.02)
    return False


class Machine:
    """A folder with what the kernel shows of interrupts and threads."""

    def __init__(self, root):
        self.root = root
        self.put("sys/devices/system/cpu/online", "0-3")
        self.put("sys/devices/system/cpu/possible", "0-3")
        self.put("proc/irq/default_smp_affinity", "f")
        self.put("proc/sys/kernel/watchdog_cpumask", "0-3")
        self.put("sys/devices/virtual/workqueue/cpumask", "f")
        self.thread(1, "init", "0-3")
        self.thread(2, "kthreadd", "0-3", ppid=0, flags=KTHREAD)

    def path(self, name):
        return os.path.join(self.root, name)

    def put(self, name, text, mode=0o644):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        # at once, as the kernel would
        with open(self.path(name) + "~", "w", encoding="ascii") as file:
            file.write(text + "\n")
        os.chmod(self.path(name) + "~", mode)
        os.rename(self.path(name) + "~", self.path(name))

    def get(self, name):
        with open(self.path(name), encoding="ascii") as file:
            return file.read().strip()

    def irq(self, number, cpus, device="", mode=0o644):
        self.put(f"proc/irq/{number}/smp_affinity_list", cpus, mode)
        if device:
            os.makedirs(self.path(f"proc/irq/{number}/{device}"))

    def thread(self, tid, comm, cpus, ppid=1, flags=0, start=None, policy=0, tgid=None, run="S"):
        folder = f"proc/{tgid or tid}/task/{tid}"
        self.put(folder +
                 "/stat",
                 f"{tid} ({comm}) {run} {ppid} 0 0 0 -1 {flags} 0 0 0 0 0 0 0 0 20 0 1 0 {start or tid * 10}"
                 f" 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 2 0 {policy} 0 0 0")
        self.put(folder + "/status",
                 f"Name:\t{comm}\nCpus_allowed:\tf\nCpus_allowed_list:\t{cpus}\nMems_allowed:\t1\n"
                 "voluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t2")

    def affinity(self, tid, tgid=None):
        text = self.get(f"proc/{tgid or tid}/task/{tid}/status")
        return text.split("Cpus_allowed_list:\t")[1].split("\n")[0]

    def bind(self, tid, cpus, tgid=None):
        name = f"proc/{tgid or tid}/task/{tid}/status"
        self.put(name, self.get(name).replace(f"Cpus_allowed_list:\t{self.affinity(tid, tgid)}",
                                              f"Cpus_allowed_list:\t{cpus}"))

    def ends(self, tid):
        shutil.rmtree(self.path(f"proc/{tid}"))

    def snapshot(self):
        found = {}
        for top, _, names in os.walk(self.root):
            if "/run" in top[len(self.root):]:
                continue
            for name in names:
                if name.endswith(".new"):
                    continue
                with open(os.path.join(top, name), encoding="ascii") as file:
                    found[os.path.join(top, name)[len(self.root) + 1:]] = file.read()
        return found


class Shielded(unittest.TestCase):
    """A test of `reschctl shield` on such a folder."""

    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(self.stop)
        self.machine = Machine(folder.name)

    def call(self, *arguments, status=0, **more):
        result = subprocess.run([RESCHCTL, *arguments, "--root", self.machine.root],
                                capture_output=True, text=True,
                                timeout=120, stdin=subprocess.DEVNULL, check=False, **more)
        if status is not None:
            self.assertEqual(result.returncode, status,
                             f"{arguments}: {result.stdout} {result.stderr}")
        return result

    def status(self):
        return json.loads(self.call("shield", "status", "--json").stdout)

    def kill(self, *roles):
        report = self.status()
        self.assertTrue(all(report[role] > 1 for role in roles), report)
        for sent in (signal.SIGSTOP, signal.SIGKILL):
            for role in roles:
                os.kill(report[role], sent)
        def dead(pid):
            try:
                with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                    return file.read().rsplit(") ", 1)[1][0] in "ZX"
            except (FileNotFoundError, ProcessLookupError):
                return True
        self.assertTrue(until(lambda: all(dead(report[role]) for role in roles)))

    def stop(self):
        """No test leaves a process: without a journal the keeper ends."""
        if not os.path.isdir(self.machine.path("run")):
            return
        self.call("unshield")
        self.assertTrue(until(lambda: not self.status()["keeper"]))

    def crowd(self):
        machine = self.machine
        for number, cpus in ((24, "0-3"), (25, "2"), (26, "0-1"), (27, "1-3")):
            machine.irq(number, cpus, f"eth{number}")
        machine.irq(28, "0-3", "nvme", 0o444)
        machine.thread(20, "ksoftirqd/2", "2", 2, FIXED)
        machine.thread(21, "kswapd0", "0-3", 2, KTHREAD)
        machine.thread(100, "shell", "0-3")
        machine.thread(101, "shell", "0-3", tgid=100)
        machine.thread(102, "narrow (x) y", "0-1", 100)
        machine.thread(103, "pinned", "2")
        machine.thread(104, "control", "2", policy=1)
        machine.thread(105, "zombie", "0-3", run="Z")
        machine.thread(106, "kept", "0-3")
        return machine
