# SPDX-License-Identifier: GPL-2.0
"""What a run of guest/phases has left in its folder, as one record."""

import json
import os

# Which cannot be told from their operations where emulated CPUs take turns: they compute all the
# time that they have.
COMPUTING = ('compute', 'cache')
# Phases without protection.
STOCK = ('idle', 'floor', 'loaded')
# Nothing of ours protects there.
PEERS = (*STOCK, 'full', 'partition')


class Broken(Exception):
    """Results that are absent or make no sense."""


def _json(folder, name):
    path = os.path.join(folder, name)
    try:
        with open(path, encoding='utf-8') as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        raise Broken(f'{path}: {error}') from error


def throughput(before, after, emulated):
    """What each load got done a second between two readings of resch-load -r: {kind: {"rate",
    "cpu"}}.

    "cpu" is CPUs that it had (1: one all the time); "rate" is operations a second. Emulated CPUs
    that count instructions take turns, so each is as fast as the number of others that are idle
    allows. There "rate" is what it would be if a busy CPU's speed were always that of a machine
    with all CPUs busy: operations, times busy CPUs / CPUs; and for loads that only compute, the CPU
    time itself.
    """
    elapsed = after['time'] - before['time']
    if elapsed <= 0:
        raise Broken('no time between two looks at the loads')
    busy = after['cpus'] - (after['idle'] - before['idle']) / elapsed
    found = {}
    for kind, end in after['loads'].items():
        begin = before['loads'][kind]
        cpu = (end['cpu'] - begin['cpu']) / elapsed
        rate = (end['done'] - begin['done']) * 1e9 / elapsed
        if emulated:
            rate = cpu if kind in COMPUTING else rate * busy / after['cpus']
        found[kind] = {'rate': rate, 'cpu': cpu}
    return found


def read(folder, phases, kernel, emulated):
    """The record: {"kernel", "emulated", "phases": {name: {"user", "kernel", "overruns", "work",
    "loads"}}}."""
    record = {'kernel': kernel, 'emulated': emulated, 'phases': {}}
    for phase in phases:
        latency = _json(folder, f'{phase}.latency')
        entry = {'user': latency['user'], 'kernel': _json(folder, f'{phase}.kernel').get('kernel'),
                 'overruns': latency['overruns'], 'period': latency['period'],
                 'work': {str(priority): _json(folder, f'{phase}.work-{priority}')['work']
                          for priority in (99, 0)}}
        if os.path.exists(os.path.join(folder, f'{phase}.before')):
            entry['loads'] = throughput(_json(folder, f'{phase}.before'),
                                        _json(folder, f'{phase}.after'), emulated)
        record['phases'][phase] = entry
    return record


def kept(record, phase, kind):
    """The part of its unshielded throughput that a load has in a phase; None where it was not
    measured."""
    try:
        before = record['phases']['loaded']['loads'][kind]['rate']
        return record['phases'][phase]['loads'][kind]['rate'] / before
    except (KeyError, ZeroDivisionError):
        return None


def better(record, phase, figure):
    """How many times less a figure ("p99.9", "max") of the user latency is in a phase than
    unshielded; None: unknown."""
    try:
        return record['phases']['loaded']['user'][figure] / record['phases'][phase]['user'][figure]
    except (KeyError, ZeroDivisionError):
        return None
