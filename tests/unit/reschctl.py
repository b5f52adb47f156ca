# SPDX-License-Identifier: GPL-2.0
"""reschctl as its tests call it: the program that $RESCHCTL names."""

import os
import subprocess

RESCHCTL = os.environ.get("RESCHCTL", "build/host/obj/tools/reschctl")
NO_DEVICE = not os.path.exists("/dev/resch")


def call(*arguments, **more):
    return subprocess.run([RESCHCTL, *arguments], capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, **more)


def listed(*what):
    """The words of a list, or the commands, and what is said of each."""
    lines = call("--list", *what).stdout.splitlines()
    return dict(line.split("\t") for line in lines)


def options(*command):
    """What may follow: options with what their values are, actions, arguments."""
    return [line.split("\t")[0] for line in call("--options", *command).stdout.splitlines()]


def ways():
    """Every command, and every action of those that have some."""
    for command in [*listed(), "release", "unregister"]:
        lines = options(command)
        actions = [line for line in lines if line[0] not in "-:"]
        yield from ([command, action] for action in actions) if actions else [[command]]
    yield ["shield", "status"]
    for level in ("rt0", "rt1", "linux"):
        yield ["level", level]
