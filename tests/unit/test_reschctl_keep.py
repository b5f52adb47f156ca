#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""reschctl assign --keep: layouts beside tasks that run, with a device that is only pretended
(pretended_device.c).

usage: RESCHCTL=PATH test_reschctl_keep.py
"""

import json
import os
import subprocess
import unittest

from preloaded import Pretended
from reschctl import RESCHCTL

# groups of half a CPU in slots of 2 ms: two on CPU 0, one on CPU 1
STANDING = """domain 1 3 npsf
plan 2000000 123000000
reserve 2 0 0 1000000
reserve 1 0 1000000 2000000
reserve 7 1 0 1000000
task 11 2 5000000 10000000 second
task 12 1 5000000 10000000 first
task 13 7 5000000 10000000 seventh
"""


class Keep(Pretended):
    def assign(self, *arguments, tasks=None, device=STANDING):
        with open(self.device, "w", encoding="utf-8") as file:
            file.write(device)
        arguments = [RESCHCTL, "assign", "--cpus=0-1", *arguments]
        if tasks is not None:
            path = os.path.join(self.directory.name, "set.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("name, wcet, period\n" + tasks)
            arguments.append(path)
        return subprocess.run(arguments, capture_output=True, text=True, timeout=60,
                              env=self.environment(leaks=True), stdin=subprocess.DEVNULL)

    def answer(self, *arguments, **more):
        result = self.assign("--json", *arguments, **more)
        self.assertEqual(result.stderr, "")
        self.assertEqual(result.returncode, 0)
        return json.loads(result.stdout)

    def plans(self):
        """What the device was told: a list of (domain, slot, from, reserves)."""
        plans = []
        with open(self.device, encoding="utf-8") as file:
            for line in file:
                word, *rest = line.split()
                if word == "set":
                    plans.append((int(rest[0]), int(rest[1]), int(rest[2]), []))
                elif word == "to":
                    plans[-1][3].append(tuple(int(number) for number in rest))
        return plans

    def test_a_task_joins_and_others_move(self):
        answer = self.answer("--keep", "--exact", "--apply", tasks="new,2ms,10ms\n")
        self.assertEqual([(t["name"], t["group"], t["runs"]) for t in answer["tasks"]],
                         [("new", 1, False), ("second", 2, True), ("first", 1, True),
                          ("seventh", 7, True)])
        self.assertEqual([g["group"] for g in answer["groups"]], [1, 2, 7])
        self.assertEqual(answer["domain"], 1)
        self.assertEqual(answer["switch"]["steps"], 2)
        plans = self.plans()
        self.assertEqual(len(plans), 2)
        for domain, slot, begin, _ in plans:
            self.assertEqual((domain, slot, begin), (1, 2000000, 123000000))
        self.assertEqual(plans[0][3],
                         [(2, 0, 0, 1000000), (1, 0, 1000000, 2000000), (7, 1, 0, 1000000),
                          (2, 1, 1600000, 2000000)])
        self.assertEqual(plans[1][3],
                         [(2, 0, 0, 600000), (1, 0, 600000, 2000000), (7, 1, 0, 1000000),
                          (2, 1, 1600000, 2000000)])
        self.assertEqual([(r["group"], r["cpu"], r["begin"], r["end"]) for r in answer["reserves"]],
                         plans[1][3])

    def test_without_apply_nothing_is_said(self):
        result = self.assign("--keep", "--exact", tasks="new,2ms,10ms\n")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("not yet", result.stdout)
        self.assertIn("3 tasks stay in their groups", result.stdout)
        self.assertIn("2 changes of plan", result.stdout)
        self.assertEqual(self.plans(), [])

    def test_those_that_remain(self):
        """Without a file: what nobody is in any more goes, and groups become smaller."""
        left = STANDING.replace("task 11 2 5000000", "task 11 2 1000000").replace("task 13", "# 13")
        answer = self.answer("--keep", "--exact", "--apply", device=left)
        self.assertEqual(len(answer["tasks"]), 2)
        self.assertGreater(answer["switch"]["settle"], 0)
        self.assertEqual(answer["switch"]["rest"], 6000000)
        self.assertEqual(self.plans()[-1][3], [(2, 0, 0, 200000), (1, 0, 1000000, 2000000)])

    def test_join(self):
        # there is room as it is, in a group that has more than it needs
        room = STANDING.replace("task 13 7 5000000", "task 13 7 1000000")
        answer = self.answer("--keep", "--exact", "--join=1ms/10ms", "--apply", device=room)
        self.assertEqual(answer["join"],
                         {"group": 7, "new": False, "cpu": 1, "begin": 0, "end": 1000000})
        self.assertEqual(self.plans(), [])
        result = self.assign("--keep", "--exact", "--join=1ms/10ms", device=room)
        self.assertIn("has room in group 7 on CPU 1", result.stdout)
        # there is none, and then there is
        answer = self.answer("--keep", "--exact", "--join=2ms/10ms", "--apply")
        self.assertEqual(answer["join"]["group"], 1)
        self.assertEqual(len(self.plans()), 2)
        result = self.assign("--keep", "--exact", "--join=7ms/10ms", "--apply")
        self.assertEqual(result.returncode, 1)
        self.assertIn(
            "refused: bin 3, with task 1, needs 1.4ms of each slot of 2ms, and 1ms is left",
            result.stderr)
        self.assertEqual(self.plans(), [])

    def test_force(self):
        """Another slot is no safe way."""
        arguments = ["--keep", "--exact", "--apply", "--delta=4"]
        result = self.assign(*arguments)
        self.assertEqual(result.returncode, 1)
        self.assertIn("--force", result.stderr)
        self.assertEqual(self.plans(), [])
        self.assertEqual(self.assign(*arguments, "--force").returncode, 0)
        self.assertEqual([(plan[0], plan[1]) for plan in self.plans()], [(1, 2500000)])

    def test_the_kernel_refuses(self):
        result = self.assign("--keep", "--exact", "--apply", tasks="new,2ms,10ms\n",
                             device=STANDING + "refuse 12\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("a task that runs in domain 1 would lose its guarantee", result.stderr)
        self.assertEqual(self.plans(), [])

    def test_other_domains(self):
        # none of these CPUs: a new one
        answer = self.answer("--keep", "--apply", tasks="new,2ms,10ms\n",
                             device=STANDING.replace("domain 1 3", "domain 1 4"))
        self.assertEqual(answer["domain"], 9)
        self.assertEqual(len(answer["tasks"]), 1)
        self.assertNotIn("switch", answer)
        # one without tasks
        answer = self.answer("--keep", "--apply", tasks="new,2ms,10ms\n",
                             device="domain 1 3 npsf\n")
        self.assertEqual(answer["domain"], 1)
        # one that splits by S-EKG does so still
        answer = self.answer("--keep", "--exact", tasks="new,2ms,10ms\n",
                             device=STANDING.replace("npsf", "sekg"))
        self.assertEqual(answer["method"], "sekg")
        # tasks under a plugin without groups
        result = self.assign("--keep", device="domain 1 3 edf\ntask 5 0 1000000 10000000 other\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("task 5 (other) runs in no group", result.stderr)
        result = self.assign("--keep", device="domain 1 3 npsf\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no tasks run on CPUs 0-1", result.stderr)

    def test_arguments(self):
        for arguments in (["--force"], ["--force", "--keep"], ["--force", "--apply"]):
            result = self.assign(*arguments, tasks="new,2ms,10ms\n")
            self.assertEqual(result.returncode, 2)
            self.assertIn("--force goes with --keep and --apply", result.stderr)
        self.assertEqual(self.assign().returncode, 2)
        self.assertEqual(self.assign("--keep", "one", "two").returncode, 2)
        self.assertEqual(self.assign("--keep", "--join=1ms").returncode, 2)


if __name__ == "__main__":
    unittest.main()
