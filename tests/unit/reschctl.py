# SPDX-License-Identifier: GPL-2.0
"""reschctl as its tests call it: the program that $RESCHCTL names."""

import os
import subprocess

RESCHCTL = os.environ.get("RESCHCTL", "build/host/obj/tools/reschctl")
NO_DEVICE = not os.path.exists("/dev/resch")


def call(*arguments, **more):
    return subprocess.run([RESCHCTL, *arguments], capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, **more)
