#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""reschtop without a module: its command line, and what it says is missing.

usage: RESCHTOP=PATH test_top.py
"""

import os
import re
import subprocess
import tempfile
import unittest

import completing

RESCHTOP = os.environ.get("RESCHTOP", "build/host/obj/tools/top/reschtop")
TRACING = "sys/kernel/tracing"
HERE = os.path.dirname(os.path.abspath(__file__))
COMMON = {"common_type": (0, 2), "common_flags": (2, 1), "common_preempt_count": (3, 1),
          "common_pid": (4, 4)}
C_TYPES = {"u32": 4, "s32": 4, "u64": 8, "s64": 8, "char": 1}


def call(*arguments):
    return subprocess.run([RESCHTOP, *arguments], capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, check=False)


def events(more=False):
    """{event: fields} of module/core/trace.h, as the kernel lays them out: {name: (offset, size)}.

    @more: a kernel whose events begin with a field more.
    """
    with open(HERE + "/../../module/core/trace.h", encoding="utf-8") as file:
        text = file.read()
    found = {}
    for name, body in re.findall(
            r"(?:TRACE_EVENT|DECLARE_EVENT_CLASS)"
            r"\(\s*(\w+),.*?TP_STRUCT__entry\((.*?)TP_fast_assign", text, re.S):
        offset, fields = (12, {"common_preempt_lazy_count": (8, 1)}) if more else (8, {})
        for array, kind, field, length in re.findall(
                r"__(field|array)\(\s*(\w+),\s*(\w+)(?:,\s*(\w+))?\)", body):
            size = C_TYPES[kind]
            offset += -offset % size
            count = (16 if length == "RESCH_NAME_LEN" else 96) if array == "array" else 1
            fields[field] = (offset, size * count)
            offset += size * count
        found[name] = fields
    for name in re.findall(r"^RESCH_JOB_EVENT\((\w+)\)", text, re.M):
        found[name] = found["resch_job_class"]
    return found


def form(event, fields):
    """An event's format, as the kernel writes it."""
    common = {name: at for name, at in fields.items() if name.startswith("common_")}
    lines = ["".join(f"\tfield:u64 {name};\toffset:{offset};\tsize:{size};\tsigned:0;\n"
                     for name, (offset, size) in some.items())
             for some in ({**COMMON, **common},
                          {name: at for name, at in fields.items() if name not in common})]
    return f'name: {event}\nID: 1\nformat:\n{lines[0]}\n{lines[1]}\nprint fmt: "x"\n'


class Missing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def put(self, path, text=""):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def says(self, status, text):
        done = call("--once", "--root=" + self.root)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertIn(text, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertTrue(done.stderr.startswith("reschtop: "))

    def test_one_after_another(self):
        self.says(3, "modprobe resch")
        self.put("sys/module/resch/x")
        self.says(1, "CONFIG_DEBUG_INFO_BTF")
        self.put("sys/kernel/btf/vmlinux")
        self.says(1, "mount -t tracefs")
        os.makedirs(os.path.join(self.root, TRACING + "/events"))
        self.says(1, "no event resch_release: it is older")
        for name, fields in events().items():
            self.put(f"{TRACING}/events/resch/{name}/format", form(name, fields))
        # as far as here: and then there is no device
        self.says(3, "the kernel module resch")

    def test_rights(self):
        """What is missing has its name: of capabilities the numbers are those of
        <linux/capability.h>."""
        admin, bpf, perfmon = 1 << 21, 1 << 39, 1 << 38
        self.put("sys/module/resch/x")
        self.put("sys/kernel/btf/vmlinux")
        for effective, lacks in ((0, "bpf and perfmon"), (bpf, "perfmon"), (perfmon, "bpf"),
                                 (~(admin | bpf | perfmon), "bpf and perfmon")):
            self.put("proc/self/status",
                     f"Name:\tx\nCapPrm:\t{(1 << 41) - 1:016x}\n"
                     f"CapEff:\t{effective & (1 << 41) - 1:016x}\n")
            self.says(1, "not permitted to load programs into the kernel: this needs root, or the "
                      f"capabilities bpf, perfmon and dac_read_search; missing: {lacks}\n")
        for effective in (admin, bpf | perfmon):
            self.put("proc/self/status", f"Name:\tx\nCapEff:\t{effective:016x}\n")
            self.says(1, "mount -t tracefs")
        self.put("proc/sys/kernel/perf_event_paranoid", "3\n")
        self.says(1, "kernel.perf_event_paranoid is 3, so that this needs root, or the capability "
                  "sys_admin; or `sysctl kernel.perf_event_paranoid=2`\n")
        self.put("proc/sys/kernel/perf_event_paranoid", "2\n")
        self.says(1, "mount -t tracefs")
        self.put("proc/sys/kernel/perf_event_paranoid", "3\n")
        self.put("proc/self/status", f"Name:\tx\nCapEff:\t{admin:016x}\n")
        self.says(1, "mount -t tracefs")

    @unittest.skipIf(os.geteuid(), "only root can be somebody else")
    def test_unreadable(self):
        self.put("sys/module/resch/x")
        self.put("sys/kernel/btf/vmlinux")
        os.makedirs(os.path.join(self.root, TRACING + "/events"))
        os.chmod(self.root, 0o755)
        os.chmod(os.path.join(self.root, TRACING), 0o700)
        for rights, text in ((["--bounding-set=-all"], "not permitted to read /sys/kernel/tracing: "
                              "this needs root, or the capabilities bpf, perfmon and "
                              "dac_read_search; missing: dac_read_search\n"),
                             (["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"],
                              "no event resch_release: it is older")):
            done = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", *rights, RESCHTOP,
                                   "--once", "--root=" + self.root],
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.assertIn(text, done.stderr)

    def test_field_more(self):
        """Debian's 6.1 with PREEMPT_RT; and what is wrong there is seen."""
        self.put("sys/module/resch/x")
        self.put("sys/kernel/btf/vmlinux")
        for name, fields in events(True).items():
            self.put(f"{TRACING}/events/resch/{name}/format", form(name, fields))
        self.says(3, "the kernel module resch")
        self.put(f"{TRACING}/events/resch/resch_server/format",
                 form("resch_server",
                      {**events()["resch_server"], "common_preempt_lazy_count": (8, 1)}))
        self.says(1, "the event resch_server of the loaded module has another form")

    def test_other_versions(self):
        """A field elsewhere, or of another size, or not there, of each event that is read."""
        self.put("sys/module/resch/x")
        self.put("sys/kernel/btf/vmlinux")
        for name, fields in events().items():
            self.put(f"{TRACING}/events/resch/{name}/format", form(name, fields))
        for event, field in (("resch_release", "deadline"), ("resch_select", "pid"),
                             ("resch_deselect", "why"), ("resch_attach", "name"),
                             ("resch_detach", "gone"), ("resch_miss", "id"),
                             ("resch_complete", "value"), ("resch_server_set", "budget"),
                             ("resch_server", "left"), ("resch_chain_set", "stages"),
                             ("resch_chain", "origin")):
            fields = events()[event]
            offset, size = fields[field]
            for other in ((offset + 8, size), (offset, size * 2), None):
                changed = {**fields, field: other} if other else {name: at
                                                                  for name, at in fields.items()
                                                                  if name != field}
                self.put(f"{TRACING}/events/resch/{event}/format", form(event, changed))
                self.says(1, f"the event {event} of the loaded module has another form")
            self.put(f"{TRACING}/events/resch/{event}/format", form(event, fields))
        self.says(3, "the kernel module resch")


class Record(unittest.TestCase):
    """What it has trace-cmd do."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def record(self, *arguments, status=0, **environment):
        done = subprocess.run([RESCHTOP, "record", "--root=" + self.root, *arguments],
                              capture_output=True, text=True, timeout=60,
                              check=False, env={**os.environ, **environment})
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr if status else done.stdout

    def test_record(self):
        self.assertIn("modprobe resch", self.record(status=3))
        os.makedirs(self.root + "/sys/module/resch")
        begin = "trace-cmd record -C mono -b 20000 -o trace.dat -e resch -e sched_switch"
        self.assertEqual(self.record("-n"), begin + "\n")
        os.makedirs(f"{self.root}/{TRACING}/events/irq")
        self.assertEqual(self.record("-n"), begin + " -e irq\n")
        os.makedirs(f"{self.root}/{TRACING}/events/irq_vectors")
        os.makedirs(f"{self.root}/{TRACING}/events/timer/hrtimer_expire_entry")
        self.assertEqual(self.record("--dry-run", "--output=x", "-b", "500", "--", "ls", "-l"),
                         "trace-cmd record -C mono -b 500 -o x -e resch -e sched_switch -e irq -e irq_vectors "
                         "-e timer:hrtimer_expire_entry ls -l\n")
        self.assertIn("apt install trace-cmd", self.record("ls", status=1, PATH=self.root))
        with open(self.root + "/trace-cmd", "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nfor word; do echo "<$word>"; done\nexit 7\n')
        os.chmod(self.root + "/trace-cmd", 0o755)
        path = self.root + ":" + os.environ["PATH"]
        done = subprocess.run([RESCHTOP, "record", "--root=" + self.root, "echo", "a b"],
                              capture_output=True, text=True, check=False,
                              timeout=60, env={**os.environ, "PATH": path})
        self.assertEqual((done.returncode, done.stdout.splitlines()[-2:]), (7, ["<echo>", "<a b>"]))
        for arguments, text in ((("--buffer=5",), "100"), (("-x",), "unknown option")):
            told = self.record(*arguments, status=2)
            self.assertIn(text, told)
            self.assertIn("Try `reschtop record --help`.", told)
        self.assertTrue(self.record("--help").startswith("usage: reschtop record"))


def complete(*words):
    return completing.bash(RESCHTOP, *words)


class Completion(unittest.TestCase):
    def options(self, *way):
        return [re.sub("[=\t].*", "", line) for line in call("--options", *way).stdout.splitlines()
                if line.startswith("--")]

    def test_words(self):
        self.assertEqual(complete("rec"), ["record"])
        self.assertEqual(complete("--pr"), ["--prometheus"])
        self.assertEqual(complete("--interval", "="), [])
        self.assertEqual(complete("record", "--o"), ["--output"])
        self.assertEqual(complete("record", "--"), self.options("record"))
        self.assertEqual(complete("record", "-o", HERE + "/test_top.p"), [HERE + "/test_top.py"])
        self.assertEqual(complete("record", "/etc/x", "--dr"), ["--dry-run"])

    @unittest.skipIf(completing.NO_FISH, completing.NO_FISH)
    def test_fish(self):
        path = HERE + "/test_top.p"
        options = [re.sub("[=\t].*", "=" if "=" in line.split("\t")[0] else "", line)
                   for line in call("--options", "record").stdout.splitlines()
                   if line.startswith("--")]
        wanted = {"rec": ["record"], "--pr": ["--prometheus="], "--interval=": [], "-i ": [],
                  "record --o": ["--output="], "record -": options,
                  "record -o " + path: [path + "y"], "record --output=" + path:
                  ["--output=" + path + "y"], "-- /usr/bin/basenam": ["/usr/bin/basename"]}
        for line, words in zip(wanted, completing.fish(RESCHTOP, *wanted)):
            self.assertEqual(sorted(words), sorted(wanted[line]), line)

    @unittest.skipIf(completing.NO_ZSH, completing.NO_ZSH)
    def test_zsh(self):
        wanted = {"rec": ["record"], "--pr": ["--prometheus"], "--interval=": [],
                  "--on": ["--once"], "record --o": ["--output"],
                  "record --": self.options("record"),
                  "record --output=" + HERE + "/test_top.p": ["--output=test_top.py"],
                  "record -- /usr/bin/basenam": ["basename"], "record basenam": ["basename"]}
        for line, words in zip(wanted, completing.zsh(RESCHTOP, *wanted)):
            self.assertEqual(words, sorted(wanted[line]), line)

    def test_manual_has_all_options(self):
        with open(HERE + "/../../tools/top/man/reschtop.8", encoding="utf-8") as file:
            manual = re.sub(r"\\f[BIRP]", "", file.read().replace("\\-", "-"))
        self.assertLessEqual({"--interval", "--once", "--json", "--prometheus", "--version",
                              "--help"}, set(self.options()))
        for name in self.options() + self.options("record"):
            self.assertIn(name, manual)


class Commandline(unittest.TestCase):
    def test_help(self):
        done = call("--help")
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stdout.startswith("usage: reschtop"))
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 90)
        self.assertIn("reschtop ", call("--version").stdout)

    def test_wrong(self):
        for arguments, text in ((("--nosuch",), "unknown option --nosuch"), (("--jsn",), "--json?"),
                                (("--interval",), "needs a value"),
                                (("--interval=5",), "from 100ms to 1h"),
                                (("--interval=1ms",), "from 100ms to 1h"),
                                (("--json", "--prometheus"), "--prometheus=FILE"),
                                (("ls",), "stands behind --"), (("--json=x",), "takes no value"),
                                (("-x",), "unknown option -x")):
            done = call(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(text, done.stderr)
            self.assertTrue(done.stderr.startswith("reschtop: ") and ": :" not in done.stderr,
                            done.stderr)
            self.assertIn("Try `reschtop --help`.", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
