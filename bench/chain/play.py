# SPDX-License-Identifier: GPL-2.0
"""Chains into resch-sim, figures out of it."""

import json
import os
import subprocess

import systems

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
SIM = os.environ.get('RESCH_SIM', TOP + '/build/host/obj/bench/sim/resch-sim')
DRAW = TOP + '/tools/trace/resch-draw'
PROTOCOLS = ('ds', 'pm', 'mpm', 'rg1', 'rg')
# What bounds which protocol, besides; sapm is one of all but ds.
METHODS = ('tc', 'tc-bc', 'wcdo', 'wcdo-exact', 'sapm')
MS = 1000000


class Broken(Exception):
    """What must not be."""


def simulate(text, *options):
    """What resch-sim says of the chains of a file's text."""
    done = subprocess.run([SIM, '--chains', '/dev/stdin', '--json', *options], input=text,
                          capture_output=True, text=True,
                          check=False)
    if done.returncode not in (0, 1):   # 1: deadlines missed
        raise Broken(f'resch-sim {" ".join(options)}: {done.stderr.strip()}')
    return json.loads(done.stdout)['chains']


def judge(what, chains):
    """No response is above a bound, so no chain that is admitted has missed; nothing is lost."""
    for chain in chains:
        for method, bound in chain['bounds'].items():
            if method in METHODS and bound is not None and chain['max'] > bound:
                raise Broken(f'{what}, chain {chain["name"]}, {chain["protocol"]}: {chain["max"]} ns, {method} has {bound}')
        if chain['lost']:
            raise Broken(f'{what}, chain {chain["name"]}, {chain["protocol"]}: {chain["lost"]} instances are lost')


def play_slides(say):
    """Every mapping, priorities and protocol, from all phasings that differ."""
    records = []
    for mapping in systems.MAPPINGS:
        for priorities in systems.PRIORITIES:
            for protocol in PROTOCOLS:
                chains = simulate(systems.slides(mapping, priorities), '--protocol', protocol,
                                  '--phases', 'all', '--histogram')
                judge(f'{mapping}, {priorities}', chains)
                records.append({'mapping': mapping, 'priorities': priorities, 'protocol': protocol,
                                'chains': chains})
                say(f'{mapping}, {priorities}, {protocol}: ' +
                    ', '.join(f'{chain["max"] / MS:g}' for chain in chains))
    return records


def play_one_cpu(say):
    """All begin at once: there is nothing worse for tasks of one CPU."""
    records = []
    for order in systems.ORDERS:
        chains = simulate(systems.one_cpu(order), '--protocol', 'rg')
        judge(order, chains)
        records.append({'order': order, 'chains': chains})
        say(f'{order}: ' + ', '.join(f'{chain["max"] / MS:g}' for chain in chains))
    return records


def play_random(points, sets, phases, seed, say):
    """Of each utilization `sets` sets, under each protocol from `phases` phasings at random."""
    records = []
    for utilization in points:
        for number in range(sets):
            text = systems.random_set(f'{seed}/{number}', utilization)
            runs = {}
            for protocol in ('ds', 'mpm', 'rg1', 'rg'):
                chains = simulate(text, '--protocol', protocol, '--phases', str(phases), '--seed',
                                  str(seed + number))
                judge(f'utilization {utilization}, set {number}', chains)
                runs[protocol] = [{key: chain[key]
                                   for key in ('avg', 'p99', 'max', 'missed', 'deadline', 'bounds')}
                                  for chain in chains]
            records.append({'utilization': utilization, 'set': number, 'runs': runs})
        say(f'utilization {utilization}: {sets} sets')
    return records
