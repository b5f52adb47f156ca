#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""reschctl shield status --watch on trace buffers made here: who disturbed which CPU, and how long.

usage: RESCHCTL=PATH test_reschctl_watch.py
"""

import json
import os
import random
import re
import signal
import struct
import subprocess
import tempfile
import unittest

from terminal import Terminal

RESCHCTL = os.environ.get("RESCHCTL", "build/host/obj/tools/reschctl")
TRACING = "sys/kernel/tracing/instances/resch-watch-"
HEADER = """\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;
"""
COMMON = """\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;
"""
# id, fields with C type and size; in an order and with gaps that no kernel has
EVENTS = {
    "sched/sched_switch": (311, [("char next_comm[16]", 16), ("long prev_state", 8),
                                 ("pid_t prev_pid", 4), ("char prev_comm[16]", 16),
                                 ("pid_t next_pid", 4)]),
    "irq/irq_handler_entry": (20, [("int irq", 4), ("__data_loc char[] name", 4)]),
    "irq/irq_handler_exit": (21, [("int irq", 4)]),
    "irq/softirq_entry": (22, [("unsigned int vec", 4)]),
    "irq/softirq_exit": (23, [("unsigned int vec", 4)]),
    "timer/hrtimer_expire_entry": (30,
                                   [("void * hrtimer", 8), ("s64 now", 8), ("void *function", 8)]),
    "timer/hrtimer_expire_exit": (31, [("void * hrtimer", 8)]),
    "workqueue/workqueue_execute_start": (40, [("void * work", 8), ("void * function", 8)]),
    "workqueue/workqueue_execute_end": (41, [("void * work", 8), ("void * function", 8)]),
    "nmi/nmi_handler": (45, [("void * handler", 8), ("s64 delta_ns", 8), ("int handled", 4)]),
    "irq_vectors/local_timer_entry": (50, [("int vector", 4)]),
    "irq_vectors/local_timer_exit": (51, [("int vector", 4)]),
    "irq_vectors/call_function_single_entry": (52, [("int vector", 4)]),
    "irq_vectors/call_function_single_exit": (53, [("int vector", 4)]),
}
SENT = {
    "ipi/ipi_send_cpu": (60,
                         [("unsigned int cpu", 4), ("void *callsite", 8), ("void *callback", 8)]),
    "ipi/ipi_send_cpumask": (61, [("__data_loc unsigned long[] cpumask", 4), ("void *callsite", 8),
                                  ("void *callback", 8)]),
}
SYMBOLS = """ffffffff81000000 T _text
ffffffff81001000 t tick_nohz_handler
ffffffff81001080 d not_code
ffffffff81002000 T ipi_mb
ffffffff81003000 T membarrier_private
ffffffffc0001000 t net_work\t[e1000e]
"""


class Page:
    """A page of the ring buffer."""

    def __init__(self, time, lost=False):
        self.start = self.last = time
        self.lost = lost
        self.data = b""

    def add(self, time, body, long=False):
        delta = time - self.last
        self.last = time
        if delta >= 1 << 27:
            self.data += struct.pack("<II", 30 | (delta & (1 << 27) - 1) << 5, delta >> 27)
            delta = 0
        body += b"\0" * (-len(body) % 4)
        if long or len(body) > 28 * 4:
            self.data += struct.pack("<II", delta << 5, len(body) + 4) + body
        else:
            self.data += struct.pack("<I", len(body) // 4 | delta << 5) + body

    def hole(self, size):
        self.data += struct.pack("<II", 29 | 0 << 5 | 1 << 5, size - 4) + b"\xee" * (size - 8)
        self.last += 1

    def stamp(self, time):
        self.data += struct.pack("<II", 31 | (time & (1 << 27) - 1) << 5, time >> 27 & 0xffffffff)
        self.last = time

    def bytes(self):
        commit = len(self.data) | (0x80000000 if self.lost else 0)
        return (struct.pack("<QQ", self.start, commit) + self.data).ljust(4096, b"\x1d")


class Watch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.put("sys/devices/system/cpu/online", "0-3")
        self.put("proc/kallsyms", SYMBOLS)
        self.instance("cpus", EVENTS)
        self.thread(105, "control", "2", policy=1)
        self.thread(50, "rcuc/2", "2", flags=0x04200000)
        self.thread(60, "shell", "0-3")
        self.thread(70, "storm", "0")

    def put(self, name, content):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def instance(self, suffix, events):
        """What the kernel makes where somebody makes a folder."""
        self.put("sys/kernel/tracing/events/header_page", HEADER)
        self.places = getattr(self, "places", {})
        for name in ("tracing_on", "tracing_cpumask", "buffer_size_kb", "events/enable"):
            self.put(f"{TRACING}{suffix}/{name}", b"")
        for cpu in range(4):
            self.put(f"{TRACING}{suffix}/per_cpu/cpu{cpu}/buffer_size_kb", b"")
            self.put(f"{TRACING}{suffix}/per_cpu/cpu{cpu}/trace_pipe_raw", b"")
        for name, (number, fields) in events.items():
            offset, lines = 8, []
            for field, size in fields:
                offset = -(-offset // size) * size if size <= 8 else offset
                lines.append(f"\tfield:{field};\toffset:{offset};\tsize:{size};\tsigned:0;")
                self.places[name, field] = offset, size
                offset += size
            self.places[name] = number, offset
            self.put(f"{TRACING}{suffix}/events/{name}/format",
                     f"name: {name.split('/')[1]}\nID: {number}\nformat:\n{COMMON}\n"
                     + "\n".join(lines) + '\n\nprint fmt: "next_comm"\n')
            for file in ("enable", "filter"):
                self.put(f"{TRACING}{suffix}/events/{name}/{file}", b"")

    def written(self, name):
        with open(os.path.join(self.root, TRACING + name), encoding="ascii") as file:
            return file.read()

    def thread(self, tid, comm, cpus, flags=0, policy=0):
        self.put(f"proc/{tid}/task/{tid}/stat",
                 f"{tid} ({comm}) S 1 0 0 0 -1 {flags} 0 0 0 0 0 0 0 0 20 0 1 0 {tid}"
                 f" 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 2 0 {policy} 0 0 0")
        self.put(f"proc/{tid}/task/{tid}/status",
                 f"Name:\t{comm}\nCpus_allowed:\tf\nCpus_allowed_list:\t{cpus}\n")

    def record(self, name, pid=0, /, **values):
        number, size = self.places[name]
        body = bytearray(struct.pack("<HBBi", number, 0, 0, pid).ljust(size, b"\xa5"))
        for field, (offset, width) in [(key[1], place)
                                       for key, place in self.places.items() if key[0] == name]:
            word = field.rsplit(" ", 1)[1].lstrip("*").split("[")[0]
            value = values.get(word, 0)
            if "__data_loc" in field:
                value = value if isinstance(value, bytes) else value.encode() + b"\0"
                body[offset:offset + 4] = struct.pack("<HH", len(body), len(value))
                body += value
            elif isinstance(value, str):
                body[offset:offset + width] = value.encode().ljust(width, b"\0")
            else:
                body[offset:offset + width] = value.to_bytes(width, "little")
        return bytes(body)

    def buffer(self, cpu, *pages, suffix="cpus"):
        self.put(f"{TRACING}{suffix}/per_cpu/cpu{cpu}/trace_pipe_raw",
                 b"".join(page.bytes() for page in pages))

    def switch(self, previous, state, following, comm):
        return self.record("sched/sched_switch", previous, prev_pid=previous, prev_state=state,
                           next_pid=following,
                           next_comm=comm, prev_comm="?")

    def call(self, *arguments, status=0):
        result = subprocess.run([RESCHCTL, "shield", "status", *arguments, "--root", self.root],
                                capture_output=True,
                                text=True, timeout=120, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result

    def watch(self):
        lines = self.call("--watch=100ms", "--cpus=2-3", "--json").stdout.splitlines()
        report = json.loads(lines[-1])
        self.assertTrue(report["last"])
        rows = {(line["kind"], line["id"], line["name"]): line for line in report["disturbances"]}
        return report, rows

    def scene(self, page, base):
        """An RT0 task, a timer in it, and a kernel thread before it."""
        timer = 0xffffffff81001000
        page.add(base + 1000, self.switch(0, 0, 105, "control"))
        page.add(base + 2000, self.record("irq_vectors/local_timer_entry", 105, vector=236))
        page.add(base + 2300, self.record("timer/hrtimer_expire_entry", 105, function=timer),
                 long=True)
        page.add(base + 2800, self.record("timer/hrtimer_expire_exit", 105))
        page.add(base + 3000, self.record("irq_vectors/local_timer_exit", 105, vector=236))
        page.add(base + 4000, self.switch(105, 0, 50, "rcuc/2"))
        page.add(base + 4500, self.record("irq/irq_handler_entry", 50, irq=24, name="eth0-tx"))
        page.add(base + 4700, self.record("irq/irq_handler_exit", 50, irq=24))
        page.add(base + 6000, self.switch(50, 1, 105, "control"))
        page.add(base + 9000, self.switch(105, 1, 0, "swapper/2"))

    def figures(self, line):
        return [line[key] for key in ("count", "total", "longest", "rt0", "cpus")]

    def test_scene(self):
        page = Page(1000)
        self.scene(page, 0)
        self.buffer(2, page)
        report, rows = self.watch()
        self.assertEqual(self.figures(rows["interrupt", None, "local timer"]),
                         [1, 500, 500, 1, "2"])
        self.assertEqual(self.figures(rows["timer", None, "tick_nohz_handler"]),
                         [1, 500, 500, 0, "2"])
        self.assertEqual(self.figures(rows["kthread", 50, "rcuc/2"]), [1, 1800, 1800, 1, "2"])
        self.assertEqual(self.figures(rows["interrupt", 24, "eth0-tx"]), [1, 200, 200, 0, "2"])
        self.assertEqual(len(rows), 4, rows)
        self.assertEqual((report["interruptions"], report["longest"]), (2, 2000))
        self.assertEqual(report["lost"], 0)
        self.assertIsNone(report["senders"])
        text = self.call("--watch=100ms", "--cpus=2-3").stdout
        self.assertIn(
            "interrupted 2 times, at most for 2000 ns, on CPU 2; 1800 ns of that: kthread rcuc/2",
            text)
        self.assertRegex(text, r"timer +tick_nohz_handler +2 +1 +500 +500 +0")

    def test_asked(self):
        """What the kernel is told: which CPUs, how much memory, which events, and to stop."""
        self.instance("senders", SENT)
        self.watch()
        self.assertEqual(int(self.written("cpus/tracing_cpumask"), 16), 0b1100)
        self.assertEqual(int(self.written("senders/tracing_cpumask"), 16), 0b1111)
        self.assertEqual([self.written(f"cpus/per_cpu/cpu{cpu}/buffer_size_kb")
                          for cpu in range(4)], ["", "", "1024", "1024"])
        self.assertEqual([self.written(f"cpus/events/{name}/enable") for name in EVENTS],
                         ["1"] * len(EVENTS))
        self.assertEqual(self.written("senders/events/ipi/ipi_send_cpu/filter"),
                         "(cpu >= 2 && cpu <= 3)")
        for suffix in ("cpus", "senders"):
            self.assertEqual(self.written(f"{suffix}/events/enable"), "0")
        self.assertEqual(self.written("cpus/tracing_on"), "0")

    def test_no_task(self):
        """Who disturbs nobody is told, too, and no RT0 task has waited."""
        page = Page(0)
        page.add(10, self.switch(0, 0, 60, "shell"))
        page.add(500, self.record("irq/softirq_entry", 60, vec=3))
        page.add(900, self.record("irq/softirq_exit", 60, vec=3))
        page.add(1010,
                 self.record("workqueue/workqueue_execute_start", 60, function=0xffffffffc0001004))
        page.add(1100, self.record("nmi/nmi_handler", 60, delta_ns=30, handler=0xffffffff81002000))
        page.add(1110,
                 self.record("workqueue/workqueue_execute_end", 60, function=0xffffffffc0001004))
        page.add(2010, self.switch(60, 0, 0, "swapper/3"))
        page.add(9010, self.record("irq_vectors/local_timer_entry"))
        page.add(9011, self.record("irq_vectors/local_timer_exit"))
        self.buffer(3, page)
        self.buffer(2)
        report, rows = self.watch()
        self.assertEqual(self.figures(rows["task", 60, "shell"]),
                         [1, 2000 - 400 - 100, 1500, 0, "3"])
        self.assertEqual(self.figures(rows["softirq", None, "NET_RX"]), [1, 400, 400, 0, "3"])
        self.assertEqual(self.figures(rows["work", None, "net_work [e1000e]"]), [1, 70, 70, 0, "3"])
        self.assertEqual(self.figures(rows["nmi", None, "ipi_mb"]), [1, 30, 30, 0, "3"])
        self.assertEqual(self.figures(rows["interrupt", None, "local timer"]), [1, 1, 1, 0, "3"])
        self.assertEqual((report["interruptions"], report["longest"]), (0, 0))

    def test_buffer(self):
        """Pages, gaps, long times, absolute ones, and what ran over."""
        first, second, third = Page(0), Page(1 << 40), Page(1 << 41, lost=True)
        self.scene(first, 0)
        first.hole(64)
        self.scene(first, 1 << 34)
        second.stamp((1 << 40) + 77)
        self.scene(second, 1 << 40)
        third.add((1 << 41) + 5, self.record("irq_vectors/local_timer_exit"))
        self.scene(third, 1 << 41)
        self.buffer(2, first, second, third)
        report, rows = self.watch()
        self.assertEqual(self.figures(rows["kthread", 50, "rcuc/2"]), [4, 7200, 1800, 4, "2"])
        self.assertEqual(self.figures(rows["interrupt", None, "local timer"]),
                         [4, 2000, 500, 4, "2"])
        self.assertEqual((report["interruptions"], report["longest"], report["lost"]), (8, 2000, 1))

    def test_still_running(self):
        page = Page(0)
        page.add(10, self.switch(105, 0, 60, "shell"))
        page.add(5010, self.record("irq_vectors/local_timer_entry", 60))
        self.buffer(2, page)
        rows = self.watch()[1]
        self.assertEqual(self.figures(rows["task", 60, "shell"]), [1, 5000, 5000, 0, "2"])

    def test_senders(self):
        self.instance("senders", SENT)
        page = Page(0)
        for time in range(0, 500, 100):
            page.add(time, self.record("ipi/ipi_send_cpumask", 70, cpumask=struct.pack("<Q", 4),
                                       callback=0xffffffff81002000, callsite=0xffffffff81003010))
        page.add(500, self.record("ipi/ipi_send_cpumask", 70, cpumask=struct.pack("<Q", 3),
                                  callback=0xffffffff81002000))
        page.add(600, self.record("ipi/ipi_send_cpu", 0, cpu=3, callsite=0xffffffff81000010))
        page.add(700, self.record("ipi/ipi_send_cpu", 0, cpu=1, callsite=0xffffffff81000010))
        self.buffer(0, page, suffix="senders")
        senders = self.watch()[0]["senders"]
        self.assertEqual(sorted((line["id"], line["name"], line["cpu"], line["function"],
                                 line["from"], line["count"])
                                for line in senders),
                         [(0, "idle", 0, "", "_text", 1),
                          (70, "storm", 0, "ipi_mb", "membarrier_private", 5)])

    def test_refusals(self):
        self.assertIn("there is no shield", self.call("--watch=100ms", status=1).stderr)
        self.assertIn("not all online", self.call("--watch", "--cpus=7", status=1).stderr)
        self.assertIn("--watch=1ms", self.call("--watch=1ms", status=2).stderr)
        self.assertIn("go with --watch", self.call("--cpus=2", status=2).stderr)
        os.remove(os.path.join(self.root, TRACING + "cpus/events/sched/sched_switch/format"))
        self.assertIn("tracer", self.call("--watch=100ms", "--cpus=2", status=1).stderr)

    def test_terminal(self):
        """A page that renews itself, and the whole table on the terminal's own screen at the
        end."""
        page = Page(1000)
        self.scene(page, 0)
        self.buffer(2, page)
        terminal = Terminal([RESCHCTL, "shield", "status", "--watch", "--interval=100ms",
                             "--cpus=2-3", "--root", self.root], 70, 7)
        self.addCleanup(terminal.close)
        terminal.until(lambda t: t.lines()[-1:] == ["... 2 more"])
        self.assertIn("sorted by LONGEST", terminal.lines()[0])
        self.assertFalse(any("CPUS" in line for line in terminal.lines()[3:]))
        terminal.press("s")
        terminal.until(lambda t: "sorted by TOTAL" in t.lines()[0])
        terminal.press("f")
        terminal.until(lambda t: "FROZEN" in t.lines()[0])
        self.assertTrue(terminal.alternate and not terminal.cursor)
        terminal.press("q")
        self.assertEqual(terminal.ended(), (0, (False, True, True)))
        self.assertLessEqual(terminal.widest, 70)
        for name in ("local timer", "tick_nohz_handler", "rcuc/2", "eth0-tx", "CPUS"):
            self.assertIn(name, terminal.main)

    def page(self, columns, lines, *arguments, **more):
        """It runs on a terminal, and has seen the scene."""
        page = Page(1000)
        self.scene(page, 0)
        self.buffer(2, page)
        environment = {name: text for name, text in os.environ.items() if name != "NO_COLOR"}
        terminal = Terminal([RESCHCTL, "shield", "status", "--watch", "--interval=100ms",
                             "--cpus=2-3", "--root", self.root, *arguments], columns, lines,
                            env={**environment, **more})
        self.addCleanup(terminal.close)
        return terminal

    def test_sizes(self):
        """Columns go where there is no room for them, and lines; and come again."""
        terminal = self.page(120, 30)
        terminal.until(lambda t: any("CPUS" in line for line in t.lines()) and
                       any("eth0-tx" in line for line in t.lines()))
        self.assertFalse(any("more" in line for line in terminal.lines()))
        terminal.resize(50, 7)
        terminal.until(lambda t: len(t.lines()) == 7 and t.lines()[-1].startswith("... ") and
                       not any("CPUS" in line for line in t.lines()))
        self.assertLessEqual(max(map(len, terminal.lines())), 50 + len("[31][0]"))
        terminal.resize(1, 1)
        terminal.until(lambda t: len(t.lines()) == 1)
        terminal.resize(120, 30)
        terminal.until(lambda t: any("CPUS" in line for line in t.lines()) and
                       any("eth0-tx" in line for line in t.lines()))
        terminal.press("q")
        self.assertEqual(terminal.ended(), (0, (False, True, True)))

    def test_colours(self):
        """Red: a task of ours has waited. Not with NO_COLOR, nor on the page that stays."""
        for more, red in (({}, True), ({"NO_COLOR": "1"}, False)):
            terminal = self.page(120, 30, **more)
            line = terminal.until(lambda t: next((line for line in t.lines()
                                                  if re.search(r"kthread +50 +rcuc/2", line)),
                                                 None))
            self.assertEqual("[31]" in line, red, line)
            self.assertEqual(any("[31]" in line for line in terminal.lines()), red)
            terminal.press("q")
            self.assertEqual(terminal.ended()[0], 0)
            self.assertIn("rcuc/2", terminal.main)
            self.assertNotIn("[31]", "".join(terminal.lines()))

    def test_json_on_a_terminal(self):
        self.instance("senders", SENT)     # without there is a word of that
        terminal = self.page(120, 30, "--json")
        terminal.until(lambda t: t.main.count('"last"') > 1)
        terminal.process.send_signal(signal.SIGINT)
        self.assertEqual(terminal.ended(), (0, (False, True, True)))
        self.assertFalse(any("\033" in line or "[31]" in line for line in terminal.lines()))
        reports = terminal.objects()
        self.assertEqual([report["last"] for report in reports[-2:]], [False, True])
        self.assertIn("rcuc/2", [line["name"] for line in reports[-1]["disturbances"]])

    def test_any_bytes(self):
        """Whatever is in the buffers, it ends."""
        chance = random.Random(7)
        page = Page(0)
        self.scene(page, 0)
        whole = page.bytes()
        for _ in range(40):
            torn = bytearray(whole * 3)
            for _ in range(chance.randrange(1, 60)):
                torn[chance.randrange(len(torn))] = chance.randrange(256)
            self.put(f"{TRACING}cpus/per_cpu/cpu2/trace_pipe_raw",
                     bytes(torn[:chance.randrange(len(torn))]))
            self.watch()


if __name__ == "__main__":
    unittest.main()
