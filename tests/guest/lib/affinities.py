# SPDX-License-Identifier: GPL-2.0
"""What tests of shields and guards share: TAP, reschctl, and every affinity of the machine, read
without reschctl.

CPUs 2 and 3 of four are the RT CPUs.
"""

import glob
import json
import os
import re
import subprocess
import time

RT = {2, 3}
NO_SETAFFINITY = 0x04000000
WQ_WORKER = 0x20
results = []


def ok(good, name, *why):
    results.append(bool(good))
    print(f"{'ok' if good else 'not ok'} {len(results)} - {name}", flush=True)
    if not good:
        for line in why:
            print("#", str(line)[:1500], flush=True)


def plan():
    """The last line. Return: an exit status."""
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


def reschctl(*arguments, **more):
    return subprocess.run(["reschctl", *arguments], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, **more)


def does(name, *arguments):
    result = reschctl(*arguments)
    ok(result.returncode == 0, name, result.stdout, result.stderr)
    return result


def status():
    return json.loads(reschctl("shield", "status", "--json").stdout)


def wait(what, condition):
    """Until it is so; the runner's limit ends a test in which it never is."""
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.2)
    print(f"# never: {what}", flush=True)
    return False


# ---- what there is, read without reschctl


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return None


def cpus(text):
    found = set()
    for part in (text or "").split(","):
        if part:
            first, _, last = part.partition("-")
            found |= set(range(int(first), int(last or first) + 1))
    return found


def threads():
    """(thread id, start time) -> (name, flags, affinity)"""
    found = {}
    for folder in glob.glob("/proc/[0-9]*/task/[0-9]*"):
        stat, text = read(folder + "/stat"), read(folder + "/status")
        allowed = re.search(r"^Cpus_allowed_list:\s*(\S*)", text or "", re.M)
        if not stat or not allowed:
            continue
        fields = stat[stat.rindex(")") + 2:].split()
        if fields[0] in "ZX":
            continue
        name = stat[stat.index("(") + 1:stat.rindex(")")]
        found[int(folder.rsplit("/", 1)[1]), int(fields[19])] = (name, int(fields[6]), allowed[1])
    return found


def files():
    paths = glob.glob("/proc/irq/*/smp_affinity_list") + ["/proc/irq/default_smp_affinity",
                                                          "/proc/sys/kernel/watchdog_cpumask"]
    for top, _, names in os.walk("/sys/devices/virtual/workqueue"):
        paths += [f"{top}/{name}" for name in names if name.startswith("cpumask")]
    for top, _, names in os.walk("/sys/fs/cgroup"):
        paths += [f"{top}/{name}" for name in names
                  if name.startswith("cpuset.") or name == "cgroup.subtree_control"]
    return {path: read(path) for path in paths}


def snapshot():
    """Work queues' threads, rescuers among them, come, go and move as the kernel likes, and those
    of interrupts follow their interrupt."""
    known = {key: entry for key, entry in threads().items()
             if not entry[1] & WQ_WORKER and not entry[0].startswith(("kworker/", "irq/"))}
    return files(), known


def difference(before, after, but=()):
    lines = [f"{path}: {before[0][path]} -> {after[0].get(path)}" for path in before[0]
             if before[0][path] != after[0].get(path) and path not in but]
    lines += [f"new file {path}" for path in after[0] if path not in before[0]]
    lines += [f"thread {key} {entry[0]}: {entry[2]} -> {after[1][key][2]}"
              for key, entry in before[1].items()
              if key in after[1] and entry[2] != after[1][key][2] and key[0] not in but]
    return lines


def same(name, before, but=()):
    lines = difference(before, snapshot(), but)
    ok(not lines, name, *lines)


def comes_back(name, before):
    wait(name, lambda: not difference(before, snapshot()))
    same(name, before)


def refuses(path):
    """Does the kernel refuse what is in the file already?"""
    text = read(path)
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return False
    except OSError:
        return True


def movable_on(rt):
    """What is on RT CPUs though it need not be."""
    found = []
    for (tid, _), (name, flags, allowed) in threads().items():
        if cpus(allowed) & rt and not flags & NO_SETAFFINITY:
            found.append(f"{tid} {name} {allowed}")
    for path in glob.glob("/proc/irq/*/smp_affinity_list"):
        if cpus(read(path)) & rt and not refuses(path):
            found.append(f"{path} {read(path)}")
    return found


def gone():
    return not os.path.exists("/run/resch/shield/journal")


def ended(pid):
    return not os.path.exists(f"/proc/{pid}") or (read(f"/proc/{pid}/stat") or
                                                  ") Z").rsplit(") ", 1)[1][0] == "Z"


def rmmod():
    for module in ("resch-artis", "resch-edf", "resch-fp", "resch"):
        subprocess.run(["rmmod", module], check=False, stderr=subprocess.DEVNULL)
