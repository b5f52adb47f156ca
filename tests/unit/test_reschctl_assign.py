#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""reschctl assign: task sets to time slots.

usage: RESCHCTL=PATH test_reschctl_assign.py
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

from reschctl import RESCHCTL, call


class Assign(unittest.TestCase):
    """Task sets to time slots: what goes in, what comes out. The numbers are the library's tests'
    business."""

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
        self.assertEqual([g["need"] for g in layout["groups"]],
                         [1869919, 1983968, 1836735, 1397850])
        self.assertEqual({r["cpu"] for r in layout["reserves"]}, {2, 4, 5, 6})
        layout = self.layout(self.EXAMPLE, "--cpus=0-3", "-d", "4", "--exact")
        self.assertEqual([g["need"] for g in layout["groups"]],
                         [1840000, 1980000, 1800000, 1300000])

    def test_text(self):
        result = self.assign(self.EXAMPLE, "--cpus=0-3", "--delta=4")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("npsf: slots of 2ms (delta 4), 86.50% of 4 CPUs; 6 of 7 tasks are split",
                      result.stdout)
        self.assertRegex(result.stdout, r"(?m)^t5 +3.15ms +9ms +9ms +35% +4 +2-3$")
        self.assertRegex(result.stdout,
                         r"(?m)^ +3 +0 +1.088472ms +1.088472ms +4 +1.39785ms +split$")
        self.assertRegex(result.stdout, r"(?m)^CPU +3  \|-+4-+\| +\|$")
        widths = {len(line) for line in result.stdout.splitlines() if line.startswith("CPU  ") and
                  "|" in line}
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
        # and what resch-sim plays
        self.assertEqual({key: layout["tasks"][0][key]
                          for key in ("min_exec", "max_exec", "max_period", "offset",
                                      "max_offset", "overrun", "miss")},
                         {"min_exec": 500, "max_exec": 1000, "max_period": 30000, "offset": 10,
                          "max_offset": 20, "overrun": "count", "miss": "count"})

    def test_standard_input(self):
        result = subprocess.run([RESCHCTL, "assign", "--cpus=0", "-"], input=self.LISTING_15,
                                capture_output=True,
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
        self.assertEqual(layout["join"],
                         {"group": 5, "new": True, "cpu": 3, "begin": 1088472, "end": 1786147})
        result = self.assign(self.EXAMPLE, "--cpus=0-3", "-d", "4", "--join=2.7ms/9ms")
        self.assertIn("would join a new group 5 on CPU 3", result.stdout)
        result = self.assign(self.EXAMPLE, "--cpus=0-3", "-d", "4", "--join=5ms/9ms")
        self.assertEqual(result.returncode, 1)
        self.assertIn("task 8 needs ", result.stderr)

    def test_refusals(self):
        def refused(message, text, *arguments, status=1):
            result = self.assign(text, *arguments)
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertIn(message, result.stderr)
            self.assertTrue(result.stderr.startswith("reschctl: "), result.stderr)

        refused("refused: bin 4, with task 6, needs 1.39785ms of each slot of 2ms, and 309.378us is left (delta 4); "
                "task 6 is t5", self.EXAMPLE, "--cpus=0-2", "-d", "4")
        refused("slots are 200us long, and at least 1ms is asked for", self.EXAMPLE,
                "--cpus=0-3", "-d", "40", "--slot-min=1ms")
        # the rest of what is said of files: test_taskset.c
        refused(".csv: line 2: reactions are count, ",
                "name,wcet,period,miss\na,1ns,2ns,ig\x1bnore\n", status=2)
        refused(", not 'ig?nore'", "name,wcet,period,miss\na,1ns,2ns,ig\x1bnore\n", status=2)
        refused(": 16385 tasks, at most 16384", "name,wcet,period\n" + "a,1ns,2ns\n" * 16385)
        refused("no tasks in it", "# nothing\n", status=2)
        result = call("assign", "/nonexistent")
        self.assertEqual((result.returncode, result.stderr),
                         (2, "reschctl: /nonexistent: No such file or directory\n"))

    def test_bad_options(self):
        cases = [
            ("methods are", "--method=edf"), ("a list of CPUs", "--cpus=x"),
            ("a list of CPUs", "--cpus="), ("--delta", "--delta=0"), ("--delta", "--delta=1025"),
            ("--delta-max", "--delta-max=x"), ("--cluster", "--cluster=0"),
            ("needs --cluster", "--method=cnpsf"), ("--slot-min", "--slot-min=5"),
            ("NAME.png", "--draw=slots.gif"), ("keys are", "--overheads=speed=1us"),
            ("its unit", "--overheads=reserve=1"), ("KEY=TIME", "--overheads=reserve"),
            ("COST/PERIOD", "--overheads=irq=1us"),
            ("less than the period", "--overheads=irq=2us/1us"),
            ("no CPU comes after", "--overheads=irq=1us/1ms@x"),
            ("--apply needs --cpus", "--apply"), ("--run needs --cpus", "--run=1s"),
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
            result = call("assign", "--cpus=0-3", "--draw=" + picture, source,
                          env={"PATH": "/nonexistent"})
            self.assertEqual(result.returncode, 1)
            self.assertIn("resch-draw cannot be run", result.stderr)
            result = call("assign", "--cpus=0-3", "--draw=" + picture, source,
                          env={**os.environ, **path})
            if "python3-matplotlib" in result.stderr:
                self.skipTest("no matplotlib")
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(picture, encoding="utf-8") as file:
                self.assertIn("<svg", file.read())


class AssignOracle(unittest.TestCase):
    """Whole layouts against the published procedures, written down once more with Python's
    fractions."""

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
        result = subprocess.run([RESCHCTL, "assign", "--json", f"--method={method}",
                                 f"--cpus=0-{cpus - 1}", f"--delta={delta}", "--slot-min=1ns", "-"],
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
        """60 digits stand for the root: far more than any of these utilizations has of distance to
        it."""
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
                self.assertEqual(self.ask(method, tasks, cpus, delta), expected,
                                 (method, tasks, cpus, delta))
                found[method] += expected is not None
        self.assertGreater(found["sekg"], 20)
        self.assertGreater(found["npsf"], 20)


if __name__ == "__main__":
    unittest.main()
