# SPDX-License-Identifier: GPL-2.0
"""What the completion-rate experiment plays, and what came of it."""

import os
import re

from columns import columns

# How client and provider are scheduled; the load has SCHED_FIFO, SCHED_DEADLINE or a server as they
# have.
WAYS = {'other': 'SCHED_OTHER', 'fifo': 'SCHED_FIFO', 'rate': 'SCHED_FIFO by rate',
        'deadline': 'SCHED_DEADLINE', 'rest': 'servers, provider in none',
        'active': 'servers, provider in its own', 'passive': 'servers, passive provider'}
# The client waits for the provider to read a request, twice, and for the service.
WAITS, MESSAGES = 3, 2


class Broken(Exception):
    """Results that are absent or make no sense."""


def guaranteed(sizes):
    """us of its server's time that a client's job may take with all that is done for it, and be
    complete in time.

    A constant-bandwidth server of size U gives a job the time W by W / U + period after its
    release; each wait in it costs what it takes, and up to a period: a budget that is left then may
    be given up for a later deadline. A provider in a server of its own, the passive one, reads a
    request within one period of that; the second one within two, for its budget may be used up.
    """
    share = sizes['budget'] / sizes['server_period']
    waits = (2 * MESSAGES - 1) * sizes['provider_period'] + sizes['service']
    return share * (sizes['period'] - (WAITS + 1) * sizes['server_period'] - waits)


def shares(sizes):
    """The sizes of the client's server and of the provider's."""
    return (sizes['budget'] / sizes['server_period'],
            sizes['provider_budget'] / sizes['provider_period'])


def load_of(percent, sizes):
    """(budget, work) in us of the load that makes it so many percent, with client and provider;
    budget 0: there is none.

    What is not work is for the switches and interrupts that come in between.
    """
    budget = max(0, round((percent / 100 - sum(shares(sizes))) * sizes['load_period']))
    return budget, max(0, int(budget * 0.96) - 100)


def plan(ways, percents, sizes):
    """Lines for guest/completion: NAME PERCENT CLIENT PROVIDER LOAD LOAD_WORK."""
    client, provider = shares(sizes)
    period = sizes['period']
    own = f"server={sizes['budget']}/{sizes['server_period']}"
    short = f"{sizes['provider_budget']}/{sizes['provider_period']}"
    lines = []
    whole = f'{round(provider * period)}/{period}'
    for way in ways:
        for percent in percents:
            budget, work = load_of(percent, sizes)
            size = f"{budget}/{sizes['load_period']}"
            client_way, provider_way, load = {
                'other': ('other', 'other', 'fifo=50'),
                'fifo': ('fifo=50', 'fifo=50', 'fifo=50'),
                'rate': ('fifo=60', 'fifo=60', 'fifo=50'),
                # It looks at budgets when there is a tick or a thread blocks: the client gains
                # nothing by a short period.
                'deadline': (f'deadline={round(client * period)}/{period}', f'deadline={short}',
                             f'deadline={size}'),
                'rest': (own, 'other', f'server={size}'),
                'active': (own, f'server={whole}', f'server={size}'),
                'passive': (own, f'passive={short}', f'server={size}'),
            }[way]
            lines.append(
                f"{way} {percent} {client_way} {provider_way} {load if budget else '-'} {work}")
    return lines


def _result(path):
    """What a program has said: {"refused": why}, its figures, or None where it was not started."""
    try:
        with open(path, encoding='utf-8') as file:
            text = file.read()
    except FileNotFoundError:
        return None
    refused = re.search(r'^refused: (.*)', text, re.MULTILINE)
    if refused:
        return {'refused': refused[1]}
    figures = {name: int(value) for name, value in re.findall(r'(\w+)=(\d+)', text)}
    return figures or None


def read(folder, ways, percents):
    """All runs of guest/completion."""
    runs = []
    for way in ways:
        for percent in percents:
            found = {who: _result(os.path.join(folder, f'{way}.{percent}.{who}'))
                     for who in ('client', 'provider', 'load')}
            run = {'way': way, 'percent': percent}
            refused = [result['refused'] for result in found.values() if result and
                       'refused' in result]
            if refused:
                run['refused'] = refused[0]
            elif not found['client'] or 'jobs' not in found['client']:
                raise Broken(f'{folder}: nothing of the client of {way} at {percent} %')
            else:
                run['client'], run['load'] = found['client'], found['load']
            runs.append(run)
    return runs


def joined(records):
    """One record for each kernel: of runs of the same way at the same load the last."""
    found = {}
    for record in records:
        about = {name: record[name] for name in record if name != 'runs'}
        known = found.setdefault((record['kernel'], record['emulated']), {**about, 'runs': []})
        if about != {name: known[name] for name in known if name != 'runs'}:
            raise Broken(f"{record['kernel']}: runs of different sizes")
        runs = {(run['way'], run['percent']): run for run in known['runs'] + record['runs']}
        order = list(WAYS)
        known['runs'] = sorted(runs.values(),
                               key=lambda run: (order.index(run['way']), run['percent']))
    return list(found.values())


def rate(result):
    """In percent; None where there is no load. One that has no whole job to show has missed
    none."""
    if not result:
        return None
    return 100 * result['complete'] / result['jobs'] if result['jobs'] else 100.0


def _cell(run):
    if not run:
        return ''
    if 'refused' in run:
        return 'refused'
    client, load = rate(run['client']), rate(run['load'])
    text = f'{client:.0f}' if client in (0, 100) else f'{client:.1f}'
    return text if load in (None, 100) else f'{text} ({load:.0f})'


def _of(record, way, percent):
    return next((run for run in record['runs'] if (run['way'], run['percent']) == (way, percent)),
                None)


def _both(record, key):
    ways = list(dict.fromkeys(run['way'] for run in record['runs']))
    return ways, sorted({run[key] for run in record['runs']})


def text(record):
    """A table, and what it takes."""
    ways, percents = _both(record, 'percent')
    sizes = record['sizes']
    lines = [f"{record['kernel']}{', emulated' if record['emulated'] else ''}, {record['network']}: completion rate of the client, %"
             ' (in parentheses: of the load, if not all)']
    lines += columns([['load, %', *ways]] +
                     [[str(percent), *(_cell(_of(record, way, percent)) for way in ways)]
                      for percent in percents])
    lines.append('')
    for way in ways:
        runs = [run for run in record['runs'] if run['way'] == way and 'refused' not in run]
        if runs:
            client = [run['client'] for run in runs]
            lines.append(f"{way + ':':10} {WAYS[way]}; jobs {sum(c['jobs'] for c in client)}, longest response "
                         f"{max(c['longest'] for c in client) / 1e6:.3f} ms, most executed for one "
                         f"{max(c['costliest'] for c in client) / 1e6:.3f} ms")
    lines.append(f"a server of {sizes['budget']} us every {sizes['server_period']} us guarantees the client "
                 f"{guaranteed(sizes) / 1000:.3f} ms in {sizes['period'] / 1000:g} ms")
    return '\n'.join(lines)


def broken_promises(record):
    """Where a way that promises everything admitted a set and was late."""
    return [run for run in record['runs'] if run['way'] == 'passive' and 'refused' not in run
            and (rate(run['client']) < 100 or rate(run['load']) not in (None, 100))]
