# SPDX-License-Identifier: GPL-2.0
"""Random legal schedules with one random fault each: the checker must find every one that
matters."""

import unittest

from common import CheckerTest, T, mutation_test, pick
from schedule import THROTTLE, random_schedule

SEEDS = range(400, 440)


def places(lines, *names):
    return [at for at, line in enumerate(lines) if line.name in names]


def same_decision(lines, at):
    """The lines of the same instant and CPU from here on."""
    return [line for line in lines[at:] if line.time == lines[at].time and line.on == lines[at].on]


def same_instant(lines, at):
    return [line for line in lines if line.time == lines[at].time]


# Each takes (rng, lines), see mutation_test().

def lose_completion(rng, lines):
    followed = [at for at in places(lines, 'resch_complete') if any(
        line.name == 'resch_release' and line.fields['id'] == lines[at].fields['id']
        for line in lines[at:])]
    at = pick(rng, followed)
    if at is None:
        return None
    lines.pop(at)
    return 'jobs'


def double_completion(rng, lines):
    at = pick(rng, places(lines, 'resch_complete'))
    if at is None:
        return None
    lines.insert(at, lines[at].copy())
    return 'jobs'


def lose_release(rng, lines):
    at = pick(rng, places(lines, 'resch_release'))
    if at is None or not any(line.name == 'resch_complete' and
                             line.is_of(lines[at].fields['id']) and
                             line.fields['job'] == lines[at].fields['job']
                             for line in lines[at + 1:]):
        return None
    lines.pop(at)
    return 'jobs'


def renumber(rng, lines):
    at = pick(rng, places(lines, 'resch_release'))
    lines[at].fields['job'] += rng.choice((1, 2, 1000))
    return 'jobs'


def move_deadline(rng, lines):
    at = pick(rng, (at for at in places(lines, 'resch_release')))
    line, by = lines[at], rng.choice((1, T // 2, 3 * T))
    for other in lines:
        if other.is_of(line.fields['id']) and other.fields.get('job') == line.fields['job'] and \
                'deadline' in other.fields:
            other.fields['deadline'] += by
    return 'deadline'


def move_release(rng, lines):
    kinds = {line.fields['id']: line.fields['kind'] for line in lines
             if line.name == 'resch_attach'}
    at = pick(rng, (at for at in places(lines, 'resch_release')
                    if lines[at].fields['job'] > 1 and kinds[lines[at].fields['id']] == 0))
    if at is None:
        return None
    line, by = lines[at], rng.choice((1, T))
    for other in lines:
        if other.is_of(line.fields['id']) and other.fields.get('job') == line.fields['job'] and \
                'release' in other.fields:
            other.fields['release'] -= by
            other.fields['deadline'] -= by
    return 'release'


def lose_miss(rng, lines):
    done = {(line.fields['id'], line.fields['job'], line.fields['deadline'])
            for line in lines if line.name == 'resch_complete' and
            line.time > line.fields['deadline']}
    at = pick(rng, (at for at in places(lines, 'resch_miss') if
                    tuple(lines[at].fields[key] for key in ('id', 'job', 'deadline')) in done))
    if at is None:
        return None
    lines.pop(at)
    return 'miss'


def invent_miss(rng, lines):
    at = pick(rng, (at for at in places(lines, 'resch_complete')
                    if lines[at].time < lines[at].fields['deadline']))
    if at is None:
        return None
    line = lines[at].copy()
    line.name, line.fields['value'] = 'resch_miss', 0
    lines.insert(at, line)
    return 'miss'


def keep_selected(rng, lines):
    """A preempted task stays selected beside its successor."""
    at = pick(rng,
              (at for at in places(lines, 'resch_deselect') if lines[at].fields['why'] == 'preempt'
               and any(line.name == 'resch_select' for line in same_decision(lines, at))
               and any(line.time > lines[at].time for line in lines[at:])))
    if at is None:
        return None
    lines.pop(at)
    return 'one-task'


def late_preemption(rng, lines):
    """The preempted one goes on for half a tick."""
    at = pick(rng,
              (at for at in places(lines, 'resch_deselect') if lines[at].fields['why'] == 'preempt'
               and not any(line.name == 'resch_swap' for line in same_instant(lines, at))
               and any(line.name == 'resch_select' for line in same_decision(lines, at))
               and any(line.time > lines[at].time for line in lines[at:])))
    if at is None:
        return None
    select = next(line for line in same_decision(lines, at) if line.name == 'resch_select')
    off = lines[at]
    where = next(other for other in range(at, len(lines)) if lines[other].time > off.time)
    for line in (off, select):
        lines.remove(line)
        line.time += T // 2
        line.fields['now'] += T // 2
    lines[where - 2:where - 2] = [off, select]
    return 'order'


def late_selection(rng, lines):
    """Nobody is selected for half a tick while somebody is ready."""
    at = pick(rng, places(lines, 'resch_select'))
    if at is None:
        return None
    line = lines[at].copy()
    where = next((other for other in range(at, len(lines)) if lines[other].time > line.time), None)
    if where is None:
        return None
    lines.pop(at)
    line.time += T // 2
    line.fields['now'] += T // 2
    lines.insert(where - 1, line)
    return 'idle'


def idle_selection(rng, lines):
    """A task is selected some time before its job is released."""
    at = pick(rng,
              (at for at in places(lines, 'resch_release') if lines[at].fields['job'] > 1 and any(
        line.name == 'resch_select' and line.is_of(lines[at].fields['id'])
        for line in same_decision(lines, at)) and not any(
        line.name == 'resch_complete' and line.is_of(lines[at].fields['id'])
        for line in same_instant(lines, at))))
    if at is None:
        return None
    line = next(line for line in same_decision(lines, at) if line.name == 'resch_select')
    lines.remove(line)
    line.time -= T // 2
    line.fields['now'] -= T // 2
    lines.insert(next(other for other, one in enumerate(lines) if one.time > line.time), line)
    return 'ready'


def ignore_throttle(rng, lines):
    """A task that nothing throttles says that it is to be throttled."""
    tasks = {line.fields['id']: line.fields for line in lines if line.name == 'resch_attach'
             and line.fields['kind'] != 2}
    over = {line.fields['id'] for line in lines if line.name == 'resch_complete'
            and line.fields['id'] in tasks and tasks[line.fields['id']]['overrun'] != THROTTLE
            and line.fields['value'] > tasks[line.fields['id']]['wcet']}
    task = pick(rng, sorted(over))
    if task is None:
        return None
    tasks[task]['overrun'] = THROTTLE
    return 'budget'


def wrong_execution(rng, lines):
    if not places(lines, 'sched_switch'):
        return None
    at = pick(rng, places(lines, 'resch_complete'))
    if at is None:
        return None
    lines[at].fields['value'] += 1
    return 'exec'


def late_switch(rng, lines):
    """A thread leaves the CPU half a tick after it was told to."""
    at = pick(rng, (at for at in places(lines, 'sched_switch') if lines[at].fields['prev_pid']
                    and any(line.name == 'resch_deselect' and line.time == lines[at].time
                            and line.fields['pid'] == lines[at].fields['prev_pid']
                            for line in lines)
                    and lines[-1].time > lines[at].time))
    if at is None:
        return None
    line = lines.pop(at)
    where = next((other for other, one in enumerate(lines) if one.time > line.time), len(lines))
    line.time += T // 2
    lines.insert(where, line)
    return 'stop'


def late_record(rng, lines):
    at = pick(rng,
              (at for at, line in enumerate(lines) if 'now' in line.fields and at + 1 < len(lines)))
    lines[at].fields['now'] -= 1
    return 'clock'


def lose_swap(rng, lines):
    swaps = places(lines, 'resch_swap')
    cpus = [lines[at].fields['cpu'] for at in swaps]
    at = pick(rng, (at for at in swaps if cpus.count(lines[at].fields['cpu']) > 1
                    and any(lines[other].fields['cpu'] == lines[at].fields['cpu'] for other in swaps
                            if other > at)))
    if at is None:
        return None
    lines.pop(at)
    return 'swap'


MUTATIONS = (lose_completion, double_completion, lose_release, renumber, move_deadline,
             move_release, lose_miss, invent_miss, keep_selected, late_preemption, late_selection,
             idle_selection, ignore_throttle, wrong_execution, late_switch, late_record, lose_swap)


def draw(rng):
    return random_schedule(rng, ticks=500, cpus=rng.choice((1, 2)))


class Mutations(CheckerTest):
    """One test each; it must have found enough places to plant its fault in."""


for mutation in MUTATIONS:
    setattr(Mutations, 'test_' + mutation.__name__,
            mutation_test(mutation, draw, SEEDS, len(SEEDS) // 10))


if __name__ == '__main__':
    unittest.main()
