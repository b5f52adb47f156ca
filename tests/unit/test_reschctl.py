#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""reschctl where there is no module: command lines, help, exit statuses, doctor.

usage: RESCHCTL=PATH test_reschctl.py
"""

import decimal
import fractions
import json
import math
import os
import random
import subprocess
import tempfile
import unittest

RESCHCTL = os.environ.get("RESCHCTL", "build/host/obj/tools/reschctl")
COMMANDS = ["doctor", "run", "attach", "tasks", "top", "events", "domain", "plugin", "assign",
            "start", "release", "unregister", "info", "version"]
NO_DEVICE = not os.path.exists("/dev/resch")


def call(*arguments, **more):
    return subprocess.run([RESCHCTL, *arguments], capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, **more)


class Arguments(unittest.TestCase):
    def refused(self, status, message, *arguments):
        result = call(*arguments)
        self.assertEqual(result.returncode, status, f"{arguments}: {result.stderr}")
        self.assertIn(message, result.stderr)
        self.assertTrue(result.stderr.startswith("reschctl: "), result.stderr)
        self.assertEqual(result.stdout, "")

    def test_help(self):
        overview = call("--help")
        self.assertEqual(overview.returncode, 0)
        for command in COMMANDS:
            result = call(command, "--help")
            self.assertEqual(result.returncode, 0, command)
            self.assertTrue(result.stdout.startswith("usage: reschctl " + command), command)
            self.assertEqual(result.stderr, "")
            self.assertIn("\n  " + command, overview.stdout)
            for line in result.stdout.splitlines():
                self.assertLessEqual(len(line), 120, line)

    def test_all_commands_are_documented(self):
        top = os.path.join(os.path.dirname(__file__), "../../tools")
        with open(top + "/man/reschctl.8", encoding="utf-8") as page:
            manual = page.read()
        for name in ("reschctl.bash", "_reschctl"):
            with open(f"{top}/completion/{name}", encoding="utf-8") as file:
                completion = file.read()
            for command in COMMANDS:
                self.assertIn(command, completion)
                self.assertIn(command, manual)

    def test_no_command(self):
        result = call()
        self.assertEqual(result.returncode, 2)
        self.assertIn("usage:", result.stderr)
        self.refused(2, "no command 'nonsense'", "nonsense")

    def test_version(self):
        result = call("version", "--json")
        self.assertEqual(result.returncode, 0)
        version = json.loads(result.stdout)
        self.assertEqual(version["abi"], 1)
        self.assertRegex(version["reschctl"], r"^\d+\.\d+")
        self.assertEqual(call("--version").returncode, 0)

    def test_unknown_options(self):
        for command in COMMANDS:
            if command in ("domain", "plugin"):
                continue
            self.refused(125 if command == "run" else 2, "--nonsense", command, "--nonsense")
        self.refused(2, "--nonsense", "domain", "list", "--nonsense")
        self.refused(2, "--nonsense", "plugin", "list", "--nonsense")

    def test_extra_arguments(self):
        for command in ("doctor", "tasks", "top", "events", "info", "version"):
            self.refused(2, "takes no arguments", command, "extra")

    @unittest.skipUnless(NO_DEVICE, "there is a device")
    def test_no_module(self):
        for arguments in (["tasks"], ["info"], ["events"], ["top", "--once"], ["domain", "list"],
                          ["domain", "del", "1"], ["domain", "set", "1", "--plugin", "edf"],
                          ["plugin", "list"], ["plugin", "load", "edf"], ["start", "1"],
                          ["release", "1"], ["unregister", "1"],
                          ["attach", "--pid", str(os.getpid()), "--runtime=1ms", "--period=9ms"]):
            self.refused(3, "modprobe resch", *arguments)
        self.refused(125, "modprobe resch", "run", "--runtime=1ms", "--period=9ms", "--", "true")

    def test_domain(self):
        self.refused(2, "domain list, domain set or domain del", "domain")
        self.refused(2, "domain list, domain set or domain del", "domain", "nonsense")
        self.refused(2, "one list of CPUs", "domain", "set", "--plugin=edf")
        self.refused(2, "one list of CPUs", "domain", "set", "1", "2", "--plugin=edf")
        for cpus in ("", "x", "3-2", "1,", "1024", "-"):
            self.refused(2, "is no list of CPUs", "domain", "set", "--plugin=edf", "--", cpus)
        for share in ("0", "101%", "x", "-5%", "1.5", "2000000", "95%%"):
            self.refused(2, "--capacity", "domain", "set", "1", "--plugin=edf",
                         "--capacity=" + share)
        for time in ("10", "1ms", "x", ""):
            self.refused(2, "--overhead", "domain", "set", "1", "--plugin=edf",
                         "--overhead=" + time)
        self.refused(2, "--id", "domain", "set", "--id=0", "--plugin=edf")
        self.refused(2, "1 to 15 characters", "domain", "set", "1", "--plugin=" + "x" * 16)
        self.refused(2, "1 to 15 characters", "domain", "set", "1", "--plugin=:a=b")
        self.refused(2, "at most 63 characters", "domain", "set", "1", "--plugin=x:" + "y" * 64)
        for identity in ("0", "x", "-1", "4294967296", ""):
            self.refused(2, "id of a domain", "domain", "del", "--", identity)

    def test_ids_and_times(self):
        for command in ("start", "release", "unregister"):
            self.refused(2, "takes the id", command)
            self.refused(2, "takes the id", command, "zero")
            self.refused(2, "takes the id", command, "0")
        self.refused(2, "--at", "start", "1", "--at=soon")
        self.refused(2, "--at", "start", "1", "--at=+5")
        self.refused(2, "--interval", "top", "--interval=1ms")
        self.refused(2, "--interval", "events", "--interval=2h")
        self.refused(2, "--json goes with --once", "top", "--json")
        self.refused(2, "plugin list or plugin load", "plugin")
        self.refused(2, "one name", "plugin", "load")

    def test_parameters(self):
        """Each bad parameter, for run and attach alike; its sentence names what is wrong."""
        good = ["--runtime=2ms", "--period=10ms"]
        cases = [
            ("required", ["--runtime=1ms"]),
            ("required", ["--period=1ms"]),
            ("a number with its unit", ["--runtime=2", "--period=10ms"]),
            ("a number with its unit", ["--runtime=2ms", "--period=ten"]),
            ("1us to 1h", ["--runtime=1ns", "--period=999ns"]),
            ("1us to 1h", ["--runtime=1ms", "--period=2h"]),
            ("longer than the period", ["--runtime=11ms", "--period=10ms"]),
            ("longer than the deadline", good + ["--deadline=1ms"]),
            ("deadline is at most", good + ["--deadline=61min"]),
            ("offset is at most", good + ["--offset=61min"]),
            ("kinds are", good + ["--kind=daily"]),
            ("reactions are", good + ["--overrun=panic"]),
            ("reactions are", good + ["--miss=?"]),
            ("needs signal=", good + ["--overrun=signal"]),
            ("is sent only with", good + ["--signal=USR1"]),
            ("a signal is", good + ["--miss=signal", "--signal=USR7"]),
            ("a signal is", good + ["--miss=signal", "--signal=65"]),
            ("0 to 10000", good + ["--priority=10001"]),
            ("0 to 1023", good + ["--cpu=1024"]),
            ("0 to 1023", good + ["--cpu=-1"]),
            ("at most 15 bytes", good + ["--name=sixteen-letters-"]),
        ]
        for message, arguments in cases:
            self.refused(125, message, "run", *arguments, "--", "true")
            self.refused(2, message, "attach", "--pid=1", *arguments)
        self.refused(125, "no parameters", "run", "--", "true")
        self.refused(2, "required", "attach", "--pid=1")
        self.refused(125, "which program", "run", *good)
        self.refused(125, "which program", "run", *good, "--")
        self.refused(2, "which thread", "attach", *good)
        self.refused(2, "--pid", "attach", *good, "--pid=0")
        self.refused(1, "no thread", "attach", *good, "--pid=2147483647")

    def test_good_signals(self):
        for signal in ("USR1", "SIGUSR1", "10", "RTMIN", "RTMIN+3", "64"):
            result = call("attach", "--runtime=1ms", "--period=9ms", "--miss=signal", "--signal",
                          signal)
            self.assertIn("which thread", result.stderr, signal)

    def test_threads(self):
        def refused(message, *rules):
            options = [f"--thread={rule}" for rule in rules]
            self.refused(125, message, "run", *options, "--", "true")

        refused("it is NAME:runtime", "")
        refused("it is NAME:runtime", "worker")
        refused("it is NAME:runtime", ":runtime=1ms")
        refused("too long", "x" * 64 + ":runtime=1ms")
        refused("is no parameter", "worker:speed=1")
        refused("needs a value", "worker:runtime")
        refused("thread worker: runtime and period are required", "worker:runtime=1ms")
        refused("thread #1: the runtime is longer", "worker:runtime=1ms,period=9ms",
                "#1:runtime=9ms,period=1ms")

    def test_config(self):
        cases = [
            ("", "failed"),
            ("{", "failed"),
            ("[]", "outermost"),
            ('{"speed": 1}', "is no key"),
            ('{"policy": null}', "is no key"),
            ('{"threads": 5}', "is an array"),
            ('{"threads": [5]}', "is an object"),
            ('{"threads": [{"runtime": null}]}', "null"),
            ('{"threads": [{"runtime": 5}]}', "a number with its unit"),
            ('{"threads": [{"runtime": "1ms"}]}', "required"),
            ('{"threads": [{"match": "%s"}]}' % ("x" * 64), "too long"),
            ('{"threads": [{"runtime": "1ms", "period": "9ms"},'
             ' {"runtime": "1ms", "period": "9ms"}]}', "two sets"),
        ]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            for text, message in cases:
                file.seek(0)
                file.truncate()
                file.write(text)
                file.flush()
                result = call("run", "--config", file.name, "--", "true")
                self.assertEqual(result.returncode, 125, text)
                self.assertTrue(result.stderr.startswith("reschctl: "), result.stderr)
                if message != "failed":
                    self.assertIn(message, result.stderr)
        self.refused(125, "/nonexistent", "run", "--config=/nonexistent", "--", "true")


class Assign(unittest.TestCase):
    """Task sets to time slots: what goes in, what comes out. The numbers are the library's tests' business."""

    EXAMPLE = ("name, wcet, period\nt0,9.2ms,10ms\nt1,4.4ms,8ms\nt2,5.28ms,12ms\nt3,8ms,16ms\nt4,8ms,20ms\n"
               "t5,3.15ms,9ms\nt6,9ms,30ms\n")
    # as in the paper, with a comma at the end
    LISTING_15 = ("1,2049267,2049267,15989152,15989152,15989152,2500000000,2500000000,\n"
                  "2,4696466,4696466,20601285,20601285,20601285,2500000000,2500000000,\n"
                  "3,1704351,1704351,15847839,15847839,15847839,2500000000,2500000000,\n"
                  "4,4304547,4304547,21097998,21097998,21097998,2500000000,2500000000,\n"
                  "5,1369002,1369002,6049432,6049432,6049432,2500000000,2500000000,\n")

    def assign(self, text, *arguments):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write(text)
            file.flush()
            return call("assign", *arguments, file.name)

    def layout(self, text, *arguments):
        result = self.assign(text, "--json", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        layout = json.loads(result.stdout)
        ends = {}
        sizes = {}
        for reserve in layout["reserves"]:
            self.assertLessEqual(ends.get(reserve["cpu"], 0), reserve["begin"])
            self.assertLess(reserve["begin"], reserve["end"])
            self.assertLessEqual(reserve["end"], layout["slot"])
            ends[reserve["cpu"]] = reserve["end"]
            sizes.setdefault(reserve["group"], []).append(reserve["end"] - reserve["begin"])
        for group in layout["groups"]:
            self.assertEqual(group["size"], sum(sizes[group["group"]]))
            self.assertEqual(group["split"], len(sizes[group["group"]]) == 2)
            self.assertLessEqual(group["need"], group["size"])
        return layout

    def test_worked_example(self):
        layout = self.layout(self.EXAMPLE, "--method=sekg", "--cpus=0-3", "--delta=4")
        self.assertEqual((layout["method"], layout["delta"], layout["slot"]), ("sekg", 4, 2000000))
        split = [r for r in layout["reserves"] if r["group"] == 3]
        self.assertEqual(split, [{"cpu": 1, "group": 3, "begin": 1267184, "end": 2000000},
                                 {"cpu": 2, "group": 3, "begin": 0, "end": 258641}])
        self.assertEqual([t["name"] for t in layout["tasks"] if t["split"]], ["t2", "t4"])
        layout = self.layout(self.EXAMPLE, "-c", "2,4-6", "-d", "4")
        self.assertEqual([g["need"] for g in layout["groups"]], [1869919, 1983968, 1836735, 1397850])
        self.assertEqual({r["cpu"] for r in layout["reserves"]}, {2, 4, 5, 6})
        layout = self.layout(self.EXAMPLE, "--cpus=0-3", "-d", "4", "--exact")
        self.assertEqual([g["need"] for g in layout["groups"]], [1840000, 1980000, 1800000, 1300000])

    def test_text(self):
        result = self.assign(self.EXAMPLE, "--cpus=0-3", "--delta=4")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("npsf: slots of 2ms (delta 4), 86.50% of 4 CPUs; 6 of 7 tasks are split", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^t5 +3.15ms +9ms +9ms +35% +4 +2-3$")
        self.assertRegex(result.stdout, r"(?m)^ +3 +0 +1.088472ms +1.088472ms +4 +1.39785ms +split$")
        self.assertRegex(result.stdout, r"(?m)^CPU +3  \|-+4-+\| +\|$")
        widths = {len(line) for line in result.stdout.splitlines() if line.startswith("CPU  ") and "|" in line}
        self.assertEqual(len(widths), 1)

    def test_listing_15(self):
        layout = self.layout(self.LISTING_15, "--cpus=0")
        self.assertEqual([t["period"] for t in layout["tasks"]],
                         [15989152, 20601285, 15847839, 21097998, 6049432])
        self.assertEqual([t["name"] for t in layout["tasks"]], ["1", "2", "3", "4", "5"])
        self.assertEqual(layout["slot"], 6049432)
        # min and max forms: the longest execution, the shortest distance
        layout = self.layout("1,500,1000,20000,30000,15000,10,20\n", "--cpus=0", "--slot-min=1ns")
        self.assertEqual((layout["tasks"][0]["wcet"], layout["tasks"][0]["period"],
                          layout["tasks"][0]["deadline"]), (1000, 20000, 15000))

    def test_standard_input(self):
        result = subprocess.run([RESCHCTL, "assign", "--cpus=0", "-"], input=self.LISTING_15, capture_output=True,
                                text=True, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_overheads(self):
        plain = self.layout(self.EXAMPLE, "--cpus=0-3", "-d", "4", "--exact")
        more = self.layout(self.EXAMPLE, "--cpus=0-3", "-d", "4", "--exact", "--overheads",
                           "reserve=9us,release=32us,switch=3us,cost=1us,cache=500ns,irq=571ns/1ms",
                           "-o", "irq=25us/20ms@3")
        self.assertEqual(more["slot"], (8000000 - 32000) // 4)
        for before, after in zip(plain["groups"], more["groups"]):
            self.assertGreater(after["need"] * plain["slot"], before["need"] * more["slot"])
        self.layout(self.EXAMPLE, "--cpus=0-3", "-e", "-o", "paper4")
        # too much for short slots that are that full
        result = self.assign(self.EXAMPLE, "-m", "sekg", "--cpus=0-3", "-d", "16", "-o", "paper24")
        self.assertEqual(result.returncode, 1)

    def test_join(self):
        layout = self.layout(self.EXAMPLE, "--cpus=0-3", "-d", "4", "--join=2.7ms/9ms")
        self.assertEqual(layout["join"], {"group": 5, "new": True, "cpu": 3, "begin": 1088472, "end": 1786147})
        result = self.assign(self.EXAMPLE, "--cpus=0-3", "-d", "4", "--join=2.7ms/9ms")
        self.assertIn("would join a new group 5 on CPU 3", result.stdout)
        result = self.assign(self.EXAMPLE, "--cpus=0-3", "-d", "4", "--join=5ms/9ms")
        self.assertEqual(result.returncode, 1)
        self.assertIn("task 8 needs ", result.stderr)

    def test_refusals(self):
        def refused(message, text, *arguments):
            result = self.assign(text, *arguments)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn(message, result.stderr)
            self.assertTrue(result.stderr.startswith("reschctl: "), result.stderr)

        refused("refused: bin 4, with task 6, needs 1.39785ms of each slot of 2ms, and 309.378us is left (delta 4); "
                "task 6 is t5", self.EXAMPLE, "--cpus=0-2", "-d", "4")
        refused("slots are 200us long, and at least 1ms is asked for", self.EXAMPLE, "--cpus=0-3", "-d", "40",
                "--slot-min=1ms")
        # the rest of what is said of files: test_taskset.c
        refused(".csv: line 2: reactions are count, notify, signal, skip, throttle, demote, not 'ig?nore'",
                "name,wcet,period,miss\na,1,2,ig\x1bnore\n")
        refused(": 16385 tasks, at most 16384", "name,wcet,period\n" + "a,1,2\n" * 16385)
        refused("no tasks in it", "# nothing\n")
        result = call("assign", "/nonexistent")
        self.assertEqual((result.returncode, result.stderr), (1, "reschctl: /nonexistent: No such file or directory\n"))

    def test_bad_options(self):
        cases = [
            ("methods are", "--method=edf"), ("no list of CPUs", "--cpus=x"), ("no list of CPUs", "--cpus="),
            ("--delta", "--delta=0"), ("--delta", "--delta=1025"), ("--delta-max", "--delta-max=x"),
            ("--cluster", "--cluster=0"), ("needs --cluster", "--method=cnpsf"), ("--slot-min", "--slot-min=5"),
            ("NAME.png", "--draw=slots.gif"), ("keys are", "--overheads=speed=1us"),
            ("its unit", "--overheads=reserve=1"), ("KEY=TIME", "--overheads=reserve"),
            ("COST/PERIOD", "--overheads=irq=1us"), ("less than the period", "--overheads=irq=2us/1us"),
            ("no CPU comes after", "--overheads=irq=1us/1ms@x"),
        ]
        for message, argument in cases:
            result = self.assign(self.EXAMPLE, argument)
            self.assertEqual(result.returncode, 2, argument)
            self.assertIn(message, result.stderr)
            self.assertEqual(result.stdout, "")
        self.assertEqual(call("assign").returncode, 2)
        self.assertEqual(self.assign(self.EXAMPLE, "extra").returncode, 2)
        self.assertEqual(self.assign(self.EXAMPLE, "--cpus=0-3", "--join=1ms").returncode, 2)

    def test_draw(self):
        tools = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/trace")
        path = {"PATH": tools + ":" + os.environ["PATH"]}
        with tempfile.TemporaryDirectory() as directory:
            picture = os.path.join(directory, "slots.svg")
            source = os.path.join(directory, "set.csv")
            with open(source, "w", encoding="utf-8") as file:
                file.write(self.EXAMPLE)
            result = call("assign", "--cpus=0-3", "--draw=" + picture, source, env={"PATH": "/nonexistent"})
            self.assertEqual(result.returncode, 1)
            self.assertIn("resch-draw cannot be run", result.stderr)
            result = call("assign", "--cpus=0-3", "--draw=" + picture, source, env={**os.environ, **path})
            if "python3-matplotlib" in result.stderr:
                self.skipTest("no matplotlib")
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(picture, encoding="utf-8") as file:
                self.assertIn("<svg", file.read())


class AssignOracle(unittest.TestCase):
    """Whole layouts against the published procedures, written down once more with Python's fractions."""

    def sets(self):
        rng = random.Random("oracle")
        for _ in range(60):
            tasks, cpus, total = [], rng.choice((2, 3, 4, 8)), 0
            delta = rng.choice((1, 2, 3, 4, 8))
            limit = fractions.Fraction(rng.randrange(50, 96), 100) * cpus
            while True:
                period = rng.randrange(1000, 40000) * 1000 + rng.choice((0, 0, rng.randrange(1000)))
                wcet = max(1, int(period * rng.uniform(0.05, rng.choice((0.4, 1.0)))))
                total += fractions.Fraction(wcet, period)
                if total > limit:
                    break
                tasks.append((wcet, period))
            if tasks:
                yield tasks, cpus, delta

    def ask(self, method, tasks, cpus, delta):
        text = "".join(f"{i},{c},{c},{t},{t},{t},0,0\n" for i, (c, t) in enumerate(tasks, 1))
        result = subprocess.run([RESCHCTL, "assign", "--json", f"--method={method}", f"--cpus=0-{cpus - 1}",
                                 f"--delta={delta}", "--slot-min=1ns", "-"],
                                input=text, capture_output=True, text=True, timeout=60)
        if result.returncode:
            self.assertIn("refused: ", result.stderr)
            return None
        layout = json.loads(result.stdout)
        return [(r["cpu"], r["begin"], r["end"],
                 [i for i, task in enumerate(layout["tasks"]) if task["group"] == r["group"]])
                for r in layout["reserves"]]

    @staticmethod
    def sekg(tasks, cpus, delta):
        """60 digits stand for the root: far more than any of these utilizations has of distance to it."""
        with decimal.localcontext() as context:
            context.prec = 60
            root = fractions.Fraction(decimal.Decimal(delta * (delta + 1)).sqrt())
        alpha = fractions.Fraction(1, 2) - root + delta
        sep = 1 - 4 * alpha
        slot = min(period for _, period in tasks) // delta
        shares = [fractions.Fraction(*task) for task in tasks]
        reserves = [(cpu, 0, slot, [task]) for cpu, task in
                    enumerate(i for i, share in enumerate(shares) if share > sep)]
        at, used, start, own = len(reserves), 0, 0, []
        if at > cpus:
            return None
        for task, share in enumerate(shares):
            if share > sep:
                continue
            if at == cpus:
                return None
            if used + share <= sep:
                used += share
                own.append(task)
                continue
            if at + 1 == cpus:
                return None
            high = sep - used
            y, x = math.ceil(slot * (high + alpha)), math.ceil(slot * (share - high + alpha))
            reserves += [(at, start, slot - y, own)] if own else []
            reserves += [(at, slot - y, slot, [task]), (at + 1, 0, x, [task])]
            at, used, start, own = at + 1, share - high, x, []
        return sorted(reserves + ([(at, start, slot, own)] if own else []))

    @staticmethod
    def npsf(tasks, cpus, delta):
        slot = min(period for _, period in tasks) // delta
        bins = []
        for task, (wcet, period) in enumerate(tasks):
            share = fractions.Fraction(wcet, period)
            for one in bins:
                if one[0] + share <= 1:
                    one[0] += share
                    one[1].append(task)
                    break
            else:
                bins.append([share, [task]])
        at, reserves = 0, []
        for share, members in bins:
            left = math.ceil(slot * (delta + 1) * share / (share + delta))
            while left:
                if at >= cpus * slot:
                    return None
                part = min(left, slot - at % slot)
                reserves.append((at // slot, at % slot, at % slot + part, members))
                at += part
                left -= part
        return reserves

    def test_oracle(self):
        found = {"sekg": 0, "npsf": 0}
        for tasks, cpus, delta in self.sets():
            for method, oracle in (("sekg", self.sekg), ("npsf", self.npsf)):
                expected = oracle(tasks, cpus, delta)
                self.assertEqual(self.ask(method, tasks, cpus, delta), expected, (method, tasks, cpus, delta))
                found[method] += expected is not None
        self.assertGreater(found["sekg"], 20)
        self.assertGreater(found["npsf"], 20)


class Doctor(unittest.TestCase):
    """doctor on this machine, and on made-up ones."""

    def examine(self, *arguments):
        result = call("doctor", "--json", *arguments)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual(report["failures"] > 0, result.returncode == 1)
        for finding in report["findings"]:
            self.assertEqual(sorted(finding), ["check", "fix", "found", "meaning", "status"])
            self.assertIn(finding["status"], ("ok", "warn", "fail"))
            self.assertTrue(finding["found"])
        counted = [f["status"] for f in report["findings"]]
        self.assertEqual(counted.count("warn"), report["warnings"])
        self.assertEqual(counted.count("fail"), report["failures"])
        return {finding["check"]: finding for finding in report["findings"]}

    def test_here(self):
        findings = self.examine()
        self.assertIn(os.uname().release, findings["kernel"]["found"])
        text = call("doctor", "--cpus=0")
        self.assertIn(text.returncode, (0, 1))
        self.assertIn("looking at CPUs 0\n", text.stdout)
        self.assertNotIn("\033", text.stdout)
        for line in text.stdout.splitlines():
            self.assertEqual(line, line.rstrip())

    def test_bad_arguments(self):
        self.assertEqual(call("doctor", "--cpus=x").returncode, 2)
        self.assertEqual(call("doctor", "--root=/nonexistent").returncode, 1)

    def machine(self, files):
        """A root with these files; gone with the test."""
        root = tempfile.TemporaryDirectory()
        self.addCleanup(root.cleanup)
        base = {
            "proc/sys/kernel/osrelease": "6.1.0-56-amd64\n",
            "proc/sys/kernel/version": "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2\n",
            "proc/cmdline": "root=/dev/vda1 quiet\n",
            "boot/config-6.1.0-56-amd64": "CONFIG_SMP=y\nCONFIG_MODULES=y\nCONFIG_IRQ_WORK=y\n"
                                          "CONFIG_HIGH_RES_TIMERS=y\nCONFIG_TRACEPOINTS=y\n"
                                          "CONFIG_PREEMPT_DYNAMIC=y\nCONFIG_PREEMPT_VOLUNTARY=y\n"
                                          "# CONFIG_RT_GROUP_SCHED is not set\n",
            "proc/sys/kernel/sched_rt_runtime_us": "950000\n",
            "proc/sys/kernel/sched_rt_period_us": "1000000\n",
            "proc/sys/kernel/tainted": "12288\n",
            "sys/devices/system/cpu/online": "0-3\n",
        }
        base.update(files)
        for name, text in base.items():
            if text is None:
                continue
            path = os.path.join(root.name, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode())
        return "--root=" + root.name

    def test_debian_6_1(self):
        found = self.examine(self.machine({}))
        self.assertEqual(found["kernel"]["status"], "ok")
        self.assertEqual(found["config"]["status"], "ok")
        self.assertEqual(found["preemption"]["status"], "warn")
        self.assertIn("voluntary", found["preemption"]["found"])
        self.assertIn("preempt=full", found["preemption"]["fix"])
        self.assertEqual(found["rt-throttling"]["status"], "warn")
        self.assertIn("sched_rt_runtime_us=-1", found["rt-throttling"]["fix"])
        self.assertNotIn("fair-server", found)
        self.assertEqual(found["taint"]["status"], "ok")
        self.assertEqual(found["module"]["status"], "warn")

    def test_preemption(self):
        debug = "sys/kernel/debug/sched/preempt"
        found = self.examine(self.machine({debug: "none voluntary (full)\n"}))
        self.assertEqual(found["preemption"]["status"], "ok")
        found = self.examine(self.machine({debug: "full (lazy)\n"}))
        self.assertEqual(found["preemption"]["status"], "ok")
        found = self.examine(self.machine({debug: "(none) voluntary full\n"}))
        self.assertEqual(found["preemption"]["status"], "warn")
        found = self.examine(self.machine({"proc/cmdline": "preempt=none quiet preempt=full\n"}))
        self.assertEqual(found["preemption"]["status"], "ok")
        found = self.examine(self.machine({"proc/sys/kernel/version": "#1 SMP PREEMPT_RT x\n"}))
        self.assertEqual(found["preemption"]["status"], "ok")
        self.assertIn("PREEMPT_RT", found["kernel"]["found"])

    def test_rcu_on_preempt_rt(self):
        rt = {"proc/sys/kernel/version": "#1 SMP PREEMPT_RT x\n"}
        name = "sys/module/rcutree/parameters/kthread_prio"
        for priority, status in (("1", "warn"), ("80", "warn"), ("81", "ok")):
            found = self.examine(self.machine({**rt, name: priority + "\n"}))
            self.assertEqual(found["rcu"]["status"], status, priority)
        self.assertNotIn("rcu", self.examine(self.machine({name: "1\n"})))

    def test_old_kernel(self):
        root = self.machine({"proc/sys/kernel/osrelease": "5.10.0-30-amd64\n"})
        self.assertEqual(self.examine(root)["kernel"]["status"], "fail")

    def test_config_lacks(self):
        root = self.machine({"boot/config-6.1.0-56-amd64": "CONFIG_SMP=y\n# CONFIG_TRACEPOINTS is "
                                                           "not set\nCONFIG_RT_GROUP_SCHED=y\n"})
        found = self.examine(root)
        self.assertEqual(found["config"]["status"], "fail")
        self.assertIn("CONFIG_TRACEPOINTS", found["config"]["found"])
        self.assertEqual(found["rt-group"]["status"], "warn")

    def test_throttling(self):
        name = "proc/sys/kernel/sched_rt_runtime_us"
        for value, status in (("-1", "ok"), ("1000000", "ok"), ("0", "fail"), ("500000", "warn")):
            found = self.examine(self.machine({name: value + "\n"}))
            self.assertEqual(found["rt-throttling"]["status"], status, value)

    def test_fair_server(self):
        """From 6.12 on the sysctl is no news, the server is."""
        new = {"proc/sys/kernel/osrelease": "6.12.117+deb13-amd64\n"}
        found = self.examine(self.machine(new))
        self.assertEqual(found["rt-throttling"]["status"], "ok")
        self.assertEqual(found["fair-server"]["status"], "warn")
        for cpu in range(4):
            new[f"sys/kernel/debug/sched/fair_server/cpu{cpu}/runtime"] = "50000000\n"
        found = self.examine(self.machine(new))
        self.assertIn("50ms", found["fair-server"]["found"])
        self.assertIn("0-3", found["fair-server"]["found"])
        found = self.examine(self.machine(new), "--cpus=2")
        self.assertIn("CPUs 2", found["fair-server"]["found"])
        new["sys/kernel/debug/sched/fair_server/cpu2/runtime"] = "0\n"
        found = self.examine(self.machine(new), "--cpus=2")
        self.assertEqual(found["fair-server"]["status"], "ok")

    def test_task_work(self):
        symvers = "lib/modules/6.1.0-56-amd64/build/Module.symvers"
        found = self.examine(self.machine({
            symvers: "0x1\tother\tvmlinux\tEXPORT_SYMBOL\t\n"
                     "0x2\ttask_work_add\tvmlinux\tEXPORT_SYMBOL_GPL\t\n"}))
        self.assertEqual(found["stopping"]["status"], "ok")
        found = self.examine(self.machine({symvers: "0x1\tother\tvmlinux\tEXPORT_SYMBOL\t\n"}))
        self.assertEqual(found["stopping"]["status"], "warn")
        self.assertIn("does not export", found["stopping"]["found"])
        found = self.examine(self.machine({"proc/kallsyms": "0 r __ksymtab_task_work_add\n"}))
        self.assertEqual(found["stopping"]["status"], "ok")
        found = self.examine(self.machine({"proc/kallsyms": "0 T task_work_add\n"}))
        self.assertIn("not to be found out", found["stopping"]["found"])

    def test_secure_boot(self):
        locked = {"sys/kernel/security/lockdown": "none [integrity] confidentiality\n"}
        self.assertEqual(self.examine(self.machine(locked))["signing"]["status"], "fail")
        locked["var/lib/dkms/mok.pub"] = "key"
        found = self.examine(self.machine(locked))["signing"]
        self.assertEqual(found["status"], "warn")
        self.assertIn("mokutil --import", found["fix"])
        self.assertNotIn("--trust-mok", found["fix"])
        locked["proc/sys/kernel/osrelease"] = "7.2.13+deb14-amd64\n"
        found = self.examine(self.machine(locked))
        self.assertIn("--trust-mok", found["signing"]["fix"])
        locked["sys/firmware/efi/efivars/MokListTrustedRT-605dab50-e046-4300-abb6-3dd810dd8b23"] = \
            b"\7\0\0\0\1"
        self.assertNotIn("--trust-mok", self.examine(self.machine(locked))["signing"]["fix"])

    def test_taint(self):
        for taint, status in (("0", "ok"), ("4096", "ok"), ("2", "fail"), ("128", "fail")):
            root = self.machine({"proc/sys/kernel/tainted": taint + "\n"})
            self.assertEqual(self.examine(root)["taint"]["status"], status, taint)

    def test_cpus(self):
        cpu = "sys/devices/system/cpu/"
        files = {
            cpu + "smt/active": "1\n",
            cpu + "cpu1/cpufreq/scaling_governor": "schedutil\n",
            cpu + "cpu1/cpuidle/state0/latency": "0\n",
            cpu + "cpu1/cpuidle/state0/disable": "0\n",
            cpu + "cpu1/cpuidle/state0/name": "POLL\n",
            cpu + "cpu1/cpuidle/state1/latency": "133\n",
            cpu + "cpu1/cpuidle/state1/disable": "0\n",
            cpu + "cpu1/cpuidle/state1/name": "C6\n",
            "proc/irq/0/smp_affinity_list": "0-3\n",
            "proc/irq/1/effective_affinity_list": "1\n",
            "proc/irq/2/effective_affinity_list": "0\n",
            "proc/cpuinfo": "flags\t\t: fpu vme hypervisor\n",
            "sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet\n",
            "sys/devices/system/clocksource/clocksource0/available_clocksource": "hpet acpi_pm\n",
        }
        found = self.examine(self.machine(files), "--cpus=1")
        for check in ("smt", "frequency", "idle", "interrupts", "isolation", "hypervisor", "clock"):
            self.assertEqual(found[check]["status"], "warn", check)
        self.assertIn("schedutil", found["frequency"]["found"])
        self.assertIn("133 us", found["idle"]["found"])
        self.assertTrue(found["interrupts"]["found"].startswith("2 interrupts"))
        self.assertIn("0,2-3", found["interrupts"]["fix"])
        self.assertIn("isolcpus=1", found["isolation"]["fix"])

        files.update({
            cpu + "smt/active": "0\n",
            cpu + "cpu1/cpufreq/scaling_governor": "performance\n",
            cpu + "cpu1/cpuidle/state1/disable": "1\n",
            cpu + "isolated": "1-2\n",
            cpu + "nohz_full": "1-2\n",
            "proc/irq/0/smp_affinity_list": "0\n",
            "proc/irq/1/effective_affinity_list": "0\n",
            "proc/cpuinfo": "flags\t\t: fpu vme\n",
            "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
        })
        found = self.examine(self.machine(files), "--cpus=1")
        for check in ("smt", "frequency", "idle", "interrupts", "isolation", "hypervisor", "clock"):
            self.assertEqual(found[check]["status"], "ok", check)

    def test_memory(self):
        found = self.examine(self.machine({
            "proc/swaps": "Filename\tType\tSize\n/dev/vda2\tpartition\t1\n",
            "proc/sys/kernel/numa_balancing": "1\n",
            "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n",
            "sys/kernel/mm/ksm/run": "1\n",
        }))
        for check in ("swap", "numa", "hugepages", "ksm"):
            self.assertEqual(found[check]["status"], "warn", check)
        found = self.examine(self.machine({"proc/swaps": "Filename\tType\tSize\n"}))
        self.assertEqual(found["swap"]["status"], "ok")

    def test_nonsense(self):
        """Files that are empty, cut or not what they should be."""
        names = ["proc/sys/kernel/osrelease", "proc/sys/kernel/version", "proc/cmdline",
                 "proc/sys/kernel/tainted", "proc/sys/kernel/sched_rt_runtime_us",
                 "proc/sys/kernel/sched_rt_period_us", "sys/devices/system/cpu/online",
                 "sys/kernel/debug/sched/preempt", "boot/config-6.1.0-56-amd64", "proc/swaps",
                 "sys/kernel/security/lockdown", "proc/cpuinfo", "proc/irq/5/smp_affinity_list",
                 "sys/devices/system/cpu/isolated", "sys/devices/system/cpu/nohz_full"]
        for text in (b"", b"\n", b"\xff\xfe\x00", b"(", b")(", b"-", b"9" * 5000, b" " * 300):
            for name in names:
                self.examine(self.machine({name: text}), "--cpus=1")


if __name__ == "__main__":
    unittest.main()
