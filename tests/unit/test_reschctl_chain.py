#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""reschctl chain: files, refusals, what would pass. The figures are the library's tests' business.

usage: RESCHCTL=PATH test_reschctl_chain.py
"""

import json
import os
import subprocess
import unittest

from preloaded import Pretended
from reschctl import RESCHCTL, call
from terminal import Terminal

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
SLIDES = open(os.path.join(TOP, "bench/chain/thaker.csv"), encoding="utf-8").read()
PASSES = SLIDES.replace("88ms", "131ms").replace("30ms,30ms", "30ms,25ms").replace("54ms,54ms",
                                                                                   "54ms,55ms")
HEADER = "chain,period,deadline,protocol,stage,wcet,bcet,node,cpu,priority,local,kind,clock,offset\n"


def chain(action, text, *arguments):
    return subprocess.run([RESCHCTL, "chain", action, *arguments, "-"], input=text,
                          capture_output=True, text=True,
                          timeout=120, check=False)


def asked(action, text, *arguments):
    return json.loads(chain(action, text, "--json", *arguments).stdout)


class Check(unittest.TestCase):
    def test_slides_set_is_refused_with_a_sentence(self):
        result = chain("check", SLIDES)
        self.assertEqual(result.returncode, 1)
        self.assertIn("chain T0, stage c: by the sum of the stages' responses (SA/PM) 131ms from the origin to its end, "
                      "at most 88ms are allowed; a deadline of 131ms, or a wcet of 7ms of stage c would pass",
                      result.stderr)
        self.assertIn("chain T2, stage c:", result.stderr)
        self.assertNotIn("chain T1", result.stderr)
        self.assertRegex(result.stdout, r"(?m)^T0 +a +0 +3 +7ms +- +0 +26ms +26ms$")
        self.assertIn("T0, rg: 131ms, deadline 88ms: NOT MET\nT1, rg: 25ms, deadline 30ms: met\n",
                      result.stdout)

    def test_and_passes_with_these_deadlines(self):
        result = chain("check", PASSES)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        # with priorities made by proportional deadlines, too; and not with 1 ns less
        self.assertEqual(chain("check", PASSES, "--rule=pd").returncode, 0)
        for tight in ("131ms", "25ms", "55ms"):
            less = tight[:-2] + "000000ns"
            less = str(int(less[:-2]) - 1) + "ns"
            self.assertEqual(chain("check",
                                   PASSES.replace("," + tight + ",rg",
                                                  "," + less + ",rg")).returncode, 1)

    def test_methods(self):
        for method, wanted in (("tc", 167), ("tc-bc", 131), ("wcdo", 131), ("wcdo-exact", 131)):
            answer = asked("check", SLIDES, "--protocol=ds", "-m", method)
            self.assertEqual((answer["method"], answer["chains"][0]["response"]),
                             (method, wanted * 1000000))
        answer = asked("check", SLIDES, "--protocol=ds")
        self.assertEqual(answer["method"], "wcdo-exact")
        self.assertIs(answer["accepted"], False)
        self.assertEqual([one["chain"] for one in answer["refused"]], ["T0", "T2"])
        # no bound for these protocols
        for protocol, method in (("ds", "sapm"), ("rg", "wcdo"), ("ds", "decomposed")):
            result = chain("check", PASSES, "--protocol", protocol, "--method", method)
            self.assertEqual(result.returncode, 1)
            self.assertIn("is no bound for protocol " + protocol, result.stderr)

    def test_edf(self):
        result = chain("check", SLIDES, "--policy=edf")
        self.assertEqual(result.returncode, 1)
        self.assertIn("chain T0, stage a: on CPU 0 jobs of 16ms are due within 15.4ms, under edf",
                      result.stderr)
        easy = SLIDES.replace("88ms", "180ms").replace("30ms,30ms",
                                                       "30ms,60ms").replace("54ms,54ms",
                                                                            "54ms,110ms")
        self.assertEqual(chain("check", easy, "--policy=edf").returncode, 0)

    def test_overheads(self):
        answer = asked("check", SLIDES, "--overhead=1ms", "--handover=1ms-2ms")
        self.assertGreater(answer["chains"][1]["response"], 25000000 + 3000000 + 4000000 - 1)

    def test_output_is_input(self):
        first = asked("check", SLIDES)
        again = asked("check", json.dumps(first))
        self.assertEqual(first, again)
        lines = chain("assign", SLIDES, "--rule=hopa").stdout
        self.assertEqual(chain("assign", lines, "--rule=hopa").stdout, lines)
        found = asked("check", chain("assign", SLIDES).stdout)["chains"][0]
        self.assertEqual([stage["local"] for stage in found["stages"]],
                         [15400000, 17600000, 55000000])

    def test_clocks_and_messages(self):
        text = HEADER + ("c,10ms,60ms,rg,a,2ms,,,0,1,,,,\nc,,,,m,1ms,,bus,0,1,,message,,\nc,,,,t,3ms,1ms,,,,,delay,,\n"
                         "c,,,,b,3ms,,arm,1,1,,,,\nc,,,,s,4ms,,,0,2,,,20ms,5ms\n")
        answer = asked("check", text)
        self.assertTrue(answer["accepted"], answer)
        self.assertEqual([stage["kind"] for stage in answer["chains"][0]["stages"]],
                         ["cpu", "message", "delay", "cpu", "cpu"])
        # 10 + 9 for what the chain releases, 20 + 6 for the clock's stage
        self.assertEqual(answer["chains"][0]["response"], 45000000)
        self.assertEqual(asked("check", chain("assign", text).stdout)["accepted"], True)


FORKS = """chain,period,deadline,protocol,stage,wcet,cpu,from
g,40ms,30ms,rg,a,2ms,0,
g,,,,b,3ms,1,
g,,,,c,5ms,2,a
g,,,,d,1ms,3,b+c
"""


class Forks(unittest.TestCase):
    def test_all_and_any(self):
        for text, wanted in ((FORKS, 8000000), (FORKS.replace("b+c", "b|c"), 6000000),
                             (FORKS.replace("b+c", "c+b"), 8000000)):
            answer = asked("check", text)
            self.assertTrue(answer["accepted"])
            self.assertEqual(answer["chains"][0]["response"], wanted)
        stages = asked("check", FORKS)["chains"][0]["stages"]
        self.assertEqual([stage.get("from") for stage in stages], [None, None, "a", "b+c"])
        self.assertRegex(chain("check", FORKS).stdout, r"(?m)^ +d +b\+c +3 ")

    def test_output_is_input(self):
        for text in (FORKS, FORKS.replace("b+c", "b|c")):
            first = asked("check", text)
            self.assertEqual(asked("check", json.dumps(first))["chains"], first["chains"])
            lines = chain("assign", text).stdout
            self.assertEqual(chain("assign", lines, "--rule=pd").stdout, lines)
            self.assertIn(text.splitlines()[-1].rsplit(",", 1)[1] + "\n", lines)

    def refused(self, text, *words):
        result = chain("check", text)
        self.assertEqual(result.returncode, 2, result)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_refused(self):
        self.refused(FORKS.replace("b+c", "b+e"), "line 5, from", "no stage before it", "'e'")
        self.refused(FORKS.replace("b+c", "b+"), "line 5, from", "no stage before it")
        self.refused(FORKS.replace("2,a", "2,d"), "line 4, from", "'d'")
        self.refused(FORKS.replace("b+c", "a+b|c"), "line 5, from", "not both")
        self.refused(FORKS.replace("b+c", "c"), "no stage waits for it", "'b'")
        self.refused(FORKS.replace(",rg,", ",mpm,"), "under mpm", "'d'")
        self.refused(FORKS.replace("cpu,from", "cpu,from,clock").replace("2,a", "2,,10ms")
                     .replace("b+c", "b+c,").replace("0,\n", "0,,\n").replace("1,\n", "1,,\n"),
                     "clock", "has forks")



class Size(unittest.TestCase):
    def test_slides_set(self):
        first, second, third = asked("size", SLIDES)["chains"]
        self.assertEqual((first["least_deadline"], first["stage"], first["largest_wcet"],
                          first["least_period"]),
                         (131000000, "c", 7000000, 0))
        self.assertEqual((second["least_deadline"], second["largest_wcet"]), (25000000, 16000000))
        self.assertEqual((third["least_deadline"], third["largest_wcet"]), (55000000, 13000000))
        self.assertRegex(chain("size", SLIDES).stdout,
                         r"(?m)^T0 +131ms +88ms +131ms +104ms +none +c +25ms +7ms$")


class Running(Pretended):
    """Chains of a device that is only pretended: a chain completes 10 instances from look to
    look."""

    def setUp(self):
        super().setUp()
        with open(self.device, "w", encoding="utf-8") as file:
            file.write("chain 3 arm 0\nchain 8 planner 2\n")

    def chain(self, *arguments):
        return call("chain", *arguments, env=self.environment(NO_COLOR="1"))

    def test_top(self):
        answer = json.loads(self.chain("top", "--once", "--json", "--interval=100ms").stdout)
        self.assertGreaterEqual(answer["interval"], 100000000)
        self.assertEqual([one["id"] for one in answer["chains"]], [3, 8])
        self.assertEqual([one["recent"] for one in answer["chains"]], [10, 10])
        self.assertEqual([one["recent_missed"] for one in answer["chains"]], [0, 2])
        self.assertEqual([one["missed"] for one in answer["chains"]], [0, 4])
        for one in answer["chains"]:
            self.assertEqual((one["recent_avg"], one["longest_stage"], one["longest_percent"]),
                             (5000000, 0, 60))
        result = self.chain("top", "-1", "-i", "100ms")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout,
                         r"(?m)^ *3 +arm +rg +0 +\d+\.\d +20 +0 +0 +0 +3 +5ms +5\.00ms +0, 60 %$")

    def test_top_in_a_terminal(self):
        terminal = Terminal([RESCHCTL, "chain", "top", "--interval=100ms"], 120, 20,
                            env=self.environment(NO_COLOR="1"))
        self.addCleanup(terminal.close)

        def first():
            rows = [line.split() for line in terminal.lines()]
            return next((row[1] for row in rows if row[:1] in (["3"], ["8"])), None)
        terminal.until(lambda t: first() == "arm")
        terminal.press("s")
        terminal.until(lambda t: "sorted by MISSED" in t.lines()[0] and first() == "planner")
        terminal.press("f")
        terminal.until(lambda t: "FROZEN" in t.lines()[0])
        terminal.press("q")
        self.assertEqual(terminal.ended()[0], 0)

    def test_del(self):
        self.assertEqual(self.chain("del", "3").returncode, 0)
        result = self.chain("del", "4")
        self.assertEqual(result.returncode, 1)
        self.assertIn("there is no chain 4", result.stderr)

    def test_what_they_take(self):
        for words, why in ((("del",), "takes the ID"), (("del", "x"), "takes the ID"),
                           (("del", "0"), "takes the ID"), (("top", "3"), "takes no arguments"),
                           (("top", "--interval=1ms"), "100ms")):
            result = self.chain(*words)
            self.assertEqual(result.returncode, 2, words)
            self.assertIn(why, result.stderr, words)


class Files(unittest.TestCase):
    def refused(self, text, *words):
        result = chain("check", text)
        self.assertEqual(result.returncode, 2, result.stdout)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_words(self):
        line = "a,10ms,10ms,rg,s,1ms,,,0,1,,,,\n"
        self.refused("", "there are none")
        self.refused(HEADER, "there are none")
        self.refused("chain,perod\n", "line 1", "unknown column 'perod'")
        self.refused("# a comment\n\n" + HEADER + line.replace("10ms,10", "10,10"),
                     "line 4, period", "unit", "'10'")
        self.refused(HEADER + line.replace("1ms,", "1,"), "line 2, wcet", "unit", "'1'")
        self.refused(HEADER + line.replace("1ms,", ","), "line 2, wcet", "there is none")
        self.refused(HEADER + line.replace("1ms,", "11ms,"), "line 2, wcet",
                     "longer than the period")
        self.refused(HEADER + line.replace("1ms,,", "1ms,2ms,"), "line 2, bcet", "longer than wcet")
        self.refused(HEADER + line.replace("rg", "gr"), "line 2, protocol", "'gr'")
        self.refused(HEADER + line.replace(",0,1,", ",,1,"), "line 2, cpu", "there is none")
        self.refused(HEADER + line.replace(",0,1,", ",-1,1,"), "line 2, cpu", "'-1'")
        self.refused(HEADER + line.replace(",0,1,", ",0,0,"), "line 2, priority", "begin with 1")
        self.refused(HEADER + line.replace("a,10ms", "a,"), "line 2, period", "there is none")
        self.refused(HEADER + line.replace("10ms,rg", ",rg"), "line 2, deadline", "there is none")
        self.refused(HEADER + line.replace("a,", ",", 1), "line 2, chain", "there is none")
        self.refused(HEADER + line + line, "line 3, period", "first line of the chain")
        self.refused(HEADER + line + line.replace("a,", "b,", 1) + "a,,,,x,1ms,,,0,1,,,,\n",
                     "line 4, chain", "follow each other")
        self.refused(HEADER + line + "a,,,,x,1ms,,,0,,,,,\n", "priority", "some stages have one")
        self.refused(HEADER + line + "a,,,,x,1ms,,,0,1,,,10ms,10ms\n", "line 3, offset",
                     "less than clock")
        self.refused(HEADER + line.replace("s,1ms", "a stage with a long name,1ms"),
                     "line 2, stage", "15 bytes")
        self.refused(HEADER + "a,10ms\n", "line 2, deadline", "fewer fields")
        self.refused(HEADER + line.strip() + ",,7,\n", "line 2", "more fields")
        self.refused(HEADER + line + "a,,,,x,1ms,,,0,1,,,,\n" * 16, "line 18, stage",
                     "more than 16")

    def test_json_words(self):
        good = {"chains": [{"name": "a", "period": "10ms", "deadline": 10000000,
                            "stages": [{"wcet": "1ms", "cpu": 0}]}]}
        self.assertEqual(chain("check", json.dumps(good)).returncode, 0)
        self.refused("{", "not JSON")
        self.refused('{"tasks": []}', "no list of chains")
        self.refused('{"chains": [{"name": "a"}]}', "chain 1", "no list of stages")
        for key, value, word in (("wcet", "1", "unit"), ("wcet", 1.5, "whole number"),
                                 ("cpu", "x", "number"), ("kind", "gpu", "kinds")):
            bad = json.loads(json.dumps(good))
            bad["chains"][0]["stages"][0][key] = value
            self.refused(json.dumps(bad), "chain 1, stage 1, " + key, word)

    def test_command_line(self):
        for arguments in (["check"], ["check", "a", "b"], ["chek", "a"], [],
                          ["check", "-m", "ds", "a"], ["check", "--handover=2ms-1ms", "a"],
                          ["check", "--overhead=1", "a"]):
            result = subprocess.run([RESCHCTL, "chain", *arguments], capture_output=True, text=True,
                                    timeout=60, check=False)
            self.assertEqual(result.returncode, 2, arguments)
        self.assertEqual(subprocess.run([RESCHCTL, "chain", "check", "/nowhere"],
                                        capture_output=True, timeout=60,
                                        check=False).returncode, 2)
        self.assertEqual(chain("assign", SLIDES.replace("88ms", "30ms")).returncode, 1)


class Run(unittest.TestCase):
    """What `run` says before it asks the module for anything; the rest: tests/guest/chain-run."""

    def test_refused(self):
        result = chain("run", SLIDES)
        self.assertEqual(result.returncode, 1)
        self.assertIn("131ms from the origin to its end", result.stderr)
        self.assertIn("--force runs it all the same", result.stderr)

    def test_options_of_run_alone(self):
        for option in ("--duration=1s", "--load=50", "--force"):
            self.assertIn("unknown option", chain("check", PASSES, option).stderr)
        self.assertIn("--load", chain("run", PASSES, "--load=101").stderr)
        self.assertEqual(chain("run", PASSES, "--load=0").returncode, 2)

    def test_show(self):
        for arguments in ([], ["0"], ["x"], ["1", "2"]):
            result = subprocess.run([RESCHCTL, "chain", "show", *arguments], capture_output=True,
                                    text=True, check=False)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("takes the ID of a chain", result.stderr)


if __name__ == "__main__":
    unittest.main()
