#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""reschctl where there is no module: command lines, help, exit statuses.

usage: RESCHCTL=PATH test_reschctl.py
"""

import json
import os
import signal
import subprocess
import tempfile
import unittest

from reschctl import NO_DEVICE, RESCHCTL, call

# For a task's owner alone: commands that explain themselves, and are not in the list.
HIDDEN = ["release", "unregister"]
COMMANDS = [line.split("\t")[0] for line in call("--list").stdout.splitlines()] + HIDDEN


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
            (self.assertNotIn if command in HIDDEN else self.assertIn)("\n  " + command,
                                                                       overview.stdout)
            for line in result.stdout.splitlines():
                self.assertLessEqual(len(line), 120, line)

    def test_all_commands_are_documented(self):
        top = os.path.join(os.path.dirname(__file__), "../../tools")
        with open(top + "/man/reschctl.8", encoding="utf-8") as page:
            manual = page.read()
        for command in COMMANDS:
            self.assertTrue(command in manual, f"reschctl.8 has nothing on {command}")

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
            if "--help\t" not in call("--options", command).stdout:
                continue  # an action comes first
            self.refused(125 if command == "run" else 2, "--nonsense", command, "--nonsense")
        self.refused(2, "--nonsense", "domain", "list", "--nonsense")
        self.refused(2, "--nonsense", "plugin", "list", "--nonsense")
        self.refused(2, "--nonsense", "level", "rt1", "--nonsense")
        self.refused(2, "--nonsense", "server", "list", "--nonsense")
        self.refused(2, "--nonsense", "server", "add", "--nonsense")

    def test_what_was_meant(self):
        """One letter more, less, other or swapped is a word; three are none. Which of the three is
        wrong with an option."""
        for typed, meant in (("tasts", "tasks"), ("domian", "domain"), ("shild", "shield"),
                             ("doctorr", "doctor")):
            self.refused(2, f"there is no command '{typed}': {meant}?", typed)
        for typed in ("rlease", "zzz", "x"):
            result = call(typed)
            self.assertEqual(result.returncode, 2)
            self.assertNotIn("?", result.stderr.splitlines()[0])
        self.refused(2, "unknown option --jsn: --json?", "tasks", "--jsn")
        self.refused(2, "unknown option --priod: --period?", "attach", "--priod=1ms")
        self.refused(2, "--json takes no value", "tasks", "--json=1")
        self.refused(2, "--plugin needs a value", "domain", "set", "1", "--plugin")
        self.refused(2, "unknown option -z", "doctor", "-z")
        self.refused(2, "-p needs a value", "domain", "set", "1", "-p")
        self.refused(2, "--p can be --period or --policy", "server", "add", "--p=1")

    def test_standard_output_is_full(self):
        """What can't be written is no success, whatever prints it; who reads no further is nobody's
        failure."""
        for arguments in (["--help"], ["tasks", "--help"], ["version"], ["version", "--json"],
                          ["doctor", "--json"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([RESCHCTL, *arguments], stdout=full, stderr=subprocess.PIPE,
                                      text=True, check=False)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("standard output: No space left on device", done.stderr)
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([RESCHCTL, "--help"], stdout=write, stderr=subprocess.PIPE, text=True,
                              check=False,
                              preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN))
        os.close(write)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_level_spares_the_vital(self):
        self.refused(1, "--force if you mean it", "level", "rt0", "--cpu=0", "1")
        self.refused(1, "--force if you mean it", "level", "rt1", "1")

    def test_server(self):
        add = ["server", "add", "--budget=1ms"]
        self.refused(2, "server list, server add", "server")
        self.refused(2, "needs --budget and --period", *add)
        for option, value in (("budget", "1"), ("period", "0s"), ("kind", "cbr"),
                              ("policy", "lifo"), ("quantum", "x"), ("cpu", "-1"), ("domain", "0"),
                              ("name", "x" * 16)):
            self.refused(2, f"--{option}={value}", *add, "--period=9ms", f"--{option}={value}")
        self.refused(2, "the budget, 30ms, is longer than the period, 20ms", "server", "add",
                     "--budget=30ms", "--period=20ms")
        self.refused(2, "options only", *add, "--period=9ms", "1")
        self.refused(2, "is for --policy=rr", *add, "--period=9ms", "--quantum=1ms")
        for wrong in ("1", "1:", ":1", "0:1", "1:0", "1:2:3", "a:b", "99999999999999999999:1"):
            self.refused(2, "takes DOMAIN:ID", "server", "set", wrong, "--budget=1ms")
            self.refused(2, "takes DOMAIN:ID", "server", "del", wrong)
        self.refused(2, "make another one", "server", "set", "1:1", "--kind=cbs")
        self.refused(2, "make another one", "server", "set", "1:1", "--cpus=1-2")
        for wrong in ("", "x", "3-1", "9999"):
            self.refused(2, f"--cpus={wrong}: a list of CPUs", *add, "--period=9ms",
                         f"--cpus={wrong}")
        self.refused(2, "--cpu is for one server", *add, "--period=9ms", "--cpus=1-2", "--cpu=1")
        self.refused(2, "is for server run", *add, "--period=9ms", "--quiet")

    def test_server_run(self):
        run = ["server", "run", "--budget=1ms"]
        self.refused(125, "which program", *run, "--period=9ms")
        self.refused(125, "needs --budget and --period", *run, "--", "true")
        self.refused(125, "is for --policy=rr", *run, "--period=9ms", "--policy=edf",
                     "--quantum=1ms", "true")
        self.refused(125, "--kind=cbr", *run, "--kind=cbr", "true")
        self.refused(125, "takes no tasks", *run, "--period=9ms", "--kind=linux", "true")
        for wrong in ([], ["1:1"], ["1", "1"]):
            self.refused(2, "takes a server and process ids", "server", "attach", *wrong)
        self.refused(2, "process ids are numbers", "server", "attach", "1:1", "1", "x")

    def test_server_tune(self):
        tune = ["server", "tune"]
        for wrong in ([], ["1"], ["1:1", "1:2"]):
            self.refused(2, "takes DOMAIN:ID", *tune, *wrong)
        self.refused(2, "leaves nothing of a window of 4", *tune, "1:1", "--window=4", "--ignore=4")
        self.refused(2, "--min=2ms is more than --max=1ms", *tune, "1:1", "--min=2ms", "--max=1ms")
        for wrong in ("--spare=4", "--spare=401", "--window=0", "--window=65"):
            self.refused(2, wrong, *tune, "1:1", wrong)
        self.refused(3, "modprobe resch", *tune, "1:1")

    def test_server_size(self):
        self.refused(2, "takes one FILE", "server", "size")
        for option, value in (("kind", "cbr"), ("policy", "lifo"), ("period", "9us"),
                              ("quantum", "2s"), ("overhead", "x")):
            self.refused(2, f"--{option}={value}", "server", "size", f"--{option}={value}", "-")
        self.refused(2, "have no tasks", "server", "size", "--kind=linux", "-")
        self.refused(2, "No such file", "server", "size", "/nonexistent")
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as tasks:
            tasks.write("name,wcet,period\na,1ms,10ms\nb,4ms,40ms\n")
            tasks.flush()
            # One budget for both; at 10 ms everything that is left is blackout.
            done = call("server", "size", "--json", "--overhead=0ns", "--period=10ms", tasks.name)
            answers = {(a["kind"], a["policy"]): a for a in json.loads(done.stdout)["servers"]}
            self.assertEqual(len(answers), 24)
            self.assertEqual(answers["cbs-hard", "edf"]["budget"], 5000000)
            self.assertEqual(answers["tbs", "fifo"]["budget"], 5000000)
            done = call("server", "size", "--kind=cbs-hard", "--policy=edf", tasks.name)
            self.assertEqual(len(done.stdout.splitlines()), 2)
            tasks.write("c,9ms,10ms\n")
            tasks.flush()
            done = call("server", "size", tasks.name)
            self.assertEqual(done.returncode, 1)
            self.assertIn("utilization", done.stdout)

    def test_balance(self):
        self.refused(2, "balance list or balance set", "balance")
        self.refused(2, "takes no arguments", "balance", "list", "1")
        for wrong in ([], ["1"], ["0", "all"], ["x", "all"], ["1", "all", "none"]):
            self.refused(2, "takes the id of a domain, and policies", "balance", "set", *wrong)
        for wrong in ("", "weigh", "weight,", "all,push"):
            self.refused(2, "policies are weight, push", "balance", "set", "1", wrong)
            self.refused(2, "policies are weight, push", "domain", "set", "1", "--plugin=fifo",
                         "--balance=" + wrong)

    def test_guard(self):
        self.refused(2, "guard list, guard on, guard off or guard lend", "guard", "raise")
        self.refused(2, "which CPU", "level", "rt0", "1")
        self.refused(2, "", "level", "rt2", "1")

    def test_extra_arguments(self):
        for command in ("doctor", "tasks", "top", "events", "info", "version"):
            self.refused(2, "takes no arguments", command, "extra")

    @unittest.skipUnless(NO_DEVICE, "there is a device")
    def test_no_module(self):
        for arguments in (["tasks"], ["info"], ["events"], ["top", "--once"], ["domain", "list"],
                          ["server", "list"], ["server", "add", "-b", "1ms", "--period", "9ms"],
                          ["server", "del", "1:1"], ["server", "set", "1:1", "-b", "1ms"],
                          ["domain", "del", "1"], ["domain", "set", "1", "--plugin", "edf"],
                          ["balance", "list"], ["balance", "set", "1", "push"],
                          ["guard"], ["guard", "on", "1"], ["guard", "off", "1"],
                          ["guard", "lend", "1", "1"], ["plugin", "list"],
                          ["plugin", "load", "edf"], ["start", "1"], ["release", "1"],
                          ["unregister", "1"],
                          ["attach", "--pid", str(os.getpid()), "--runtime=1ms", "--period=9ms"]):
            self.refused(3, "modprobe resch", *arguments)
        self.refused(125, "modprobe resch", "run", "--runtime=1ms", "--period=9ms", "--", "true")
        self.refused(125, "modprobe resch", "server", "run", "-b", "1ms", "--period", "9ms", "true")
        self.refused(3, "modprobe resch", "server", "attach", "1:1", "1")

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
        self.refused(2, "plugin list or plugin load", "plugin")
        self.refused(2, "one name", "plugin", "load")

    def test_parameters(self):
        """Each bad parameter, for run and attach alike; its sentence names what is wrong."""
        good = ["--runtime=2ms", "--period=10ms"]
        cases = [
            ("--period is missing", ["--runtime=1ms"]),
            ("--runtime is missing", ["--period=1ms"]),
            ("a number with its unit", ["--runtime=2", "--period=10ms"]),
            ("a number with its unit", ["--runtime=2ms", "--period=ten"]),
            ("1us to 1h", ["--runtime=1ns", "--period=999ns"]),
            ("1us to 1h", ["--runtime=1ms", "--period=2h"]),
            ("the runtime, 11ms, is longer than the period, 10ms",
             ["--runtime=11ms", "--period=10ms"]),
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
        for name in ("USR1", "SIGUSR1", "10", "RTMIN", "RTMIN+3", "64"):
            result = call("attach", "--runtime=1ms", "--period=9ms", "--miss=signal", "--signal",
                          name)
            self.assertIn("which thread", result.stderr, name)

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
        refused("thread worker: --period is missing", "worker:runtime=1ms")
        refused("thread #1: the runtime, 9ms, is longer", "worker:runtime=1ms,period=9ms",
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


if __name__ == "__main__":
    unittest.main()
