# SPDX-License-Identifier: GPL-2.0
"""The rules of the trace-event format, as its description has them and its viewers need them;
shares nothing with the program that writes it."""

import bisect
import json
import re

MICRO = re.compile(r'\d+\.\d{3}')
NEEDED = {'X': {'name', 'cat', 'ts', 'dur'}, 'i': {'name', 'ts', 's'}, 'C': {'name', 'ts', 'args'},
          'M': {'name', 'args'}, 's': {'name', 'cat', 'id', 'ts'}, 't': {'name', 'cat', 'id', 'ts'},
          'f': {'name', 'cat', 'id', 'ts', 'bp'}}
ALLOWED = {'X': {'args', 'cname'}, 'i': {'cat', 'args'}, 'C': {'cat'}, 't': {'bp'}}
NAMES = {'process_name': ('name', str), 'process_labels': ('labels', str),
         'process_sort_index': ('sort_index', int), 'thread_name': ('name', str),
         'thread_sort_index': ('sort_index', int)}
COLOURS = {'terrible', 'bad', 'grey', None}


class Decimal(str):
    """A number with a point, as it was written."""


def ns(text):
    """Of microseconds with three decimals, exactly."""
    whole, part = text.split('.')
    return int(whole) * 1000 + int(part)


class Document:
    """`problems`: what is wrong with it. `slices`: row -> [(start, end, name, event)], by time."""

    def __init__(self, text):
        self.problems = []
        self.slices, self.flows, self.rows, self.processes = {}, {}, {}, {}
        data = json.loads(text, parse_float=Decimal)
        self.events = data['traceEvents']
        self.about = data.get('otherData', {})
        if data.get('displayTimeUnit') not in ('ms', 'ns'):
            self.problems.append('displayTimeUnit')
        for number, event in enumerate(self.events):
            for problem in self.shape(event):
                self.problems.append(f'event {number}: {problem}: {event}')
        if not self.problems:
            self.nesting()
            self.names()
            self.arrows()

    def shape(self, event):
        phase = event.get('ph')
        if phase not in NEEDED:
            yield 'unknown phase'
            return
        if not all(isinstance(event.get(key), int) and 0 < event[key] < 1 << 32
                   for key in ('pid', 'tid')):
            yield 'pid or tid'
            return
        keys = set(event) - {'ph', 'pid', 'tid'}
        if not NEEDED[phase] <= keys or keys - NEEDED[phase] - ALLOWED.get(phase, set()):
            yield f'fields {sorted(keys)}'
            return
        for key in ('ts', 'dur'):
            if key in event and not (isinstance(event[key], Decimal) and
                                     MICRO.fullmatch(event[key])):
                yield f'{key} is not microseconds with three decimals'
                return
        if not isinstance(event['name'], str) or not event['name']:
            yield 'name'
        if event.get('cname') not in COLOURS:
            yield 'colour'
        row = event['pid'], event['tid']
        if phase == 'X':
            start = ns(event['ts'])
            self.slices.setdefault(row, []).append((start, start + ns(event['dur']),
                                                    event['name'], event))
        elif phase == 'i' and event['s'] not in ('g', 'p', 't'):
            yield 'scope'
        elif phase == 'C' and not (event['args'] and all(isinstance(value, Decimal)
                                                         for value in event['args'].values())):
            yield 'a counter without values'
        elif phase in 'stf':
            if not isinstance(event['id'], int) or phase != 's' and event['bp'] != 'e':
                yield 'id or bp'
            self.flows.setdefault((event['cat'], event['name'], event['id']),
                                  []).append((ns(event['ts']), phase, row))
        elif phase == 'M':
            key, kind = NAMES.get(event['name'], (None, None))
            if key is None or set(event['args']) != {key} or not isinstance(event['args'][key],
                                                                            kind):
                yield 'metadata'
            elif event['name'] == 'process_name':
                self.processes[event['pid']] = event['args']['name']
            elif event['name'] == 'thread_name':
                self.rows[row] = event['args']['name']

    def nesting(self):
        """Slices of a row lie one after the other, or one inside of the other."""
        for row, slices in self.slices.items():
            slices.sort(key=lambda item: (item[0], -item[1]))
            around = []
            for start, end, name, _ in slices:
                while around and around[-1] <= start:
                    around.pop()
                if around and end > around[-1]:
                    self.problems.append(
                        f'{name} on {row} from {start} to {end} reaches out of the slice around it')
                around.append(end)

    def names(self):
        """Every row has a name, and a number that no other process's row has: Perfetto names
        threads by that alone."""
        owner = {}
        for event in self.events:
            row = event['pid'], event['tid']
            if owner.setdefault(event['tid'], event['pid']) != event['pid']:
                self.problems.append(f'thread {event["tid"]} is of two processes')
            if event['pid'] not in self.processes:
                self.problems.append(f'process {event["pid"]} has no name')
            if event['ph'] in 'Xistf' and row not in self.rows:
                self.problems.append(f'row {row} has no name')

    def arrows(self):
        """A flow begins once, ends once, goes forward in time, and each of its points lies inside
        of a slice."""
        for key, points in self.flows.items():
            phases = ''.join(phase for _, phase, _ in points)
            if not re.fullmatch('st*f', phases):
                self.problems.append(f'flow {key} is {phases}')
            if points != sorted(points, key=lambda point: point[0]):
                self.problems.append(f'flow {key} goes back in time')
            for time, _, row in points:
                if not self.covered(row, time):
                    self.problems.append(f'flow {key} at {time} is on no slice of {row}')

    def covered(self, row, time):
        """Whether a slice of the row is there; what lies inside of another says nothing more."""
        slices = self.slices.get(row, [])
        at = bisect.bisect_right(slices, time, key=lambda item: item[0])
        return any(time < end or start == time == end
                   for start, end, _, _ in slices[max(0, at - 4):at])

    # ---- what is in it

    def process(self, name):
        return next(pid for pid, other in self.processes.items() if other == name)

    def on(self, process, row):
        """[(start, end, name, event)] of a row, by names; without those that lie inside of
        another."""
        pid = self.process(process)
        found = []
        for key, name in self.rows.items():
            if key[0] == pid and name == row:
                for item in self.slices.get(key, ()):
                    if not found or item[0] >= found[-1][1]:
                        found.append(item)
        return found

    def instants(self, process, category):
        pid = self.process(process)
        return [event for event in self.events if event['ph'] == 'i' and event['pid'] == pid and
                event.get('cat') == category]

    def counter(self, process, name):
        """[(time, value in ns)]"""
        pid = self.process(process)
        return [(ns(event['ts']), value) for event in self.events if event['ph'] == 'C' and
                event['pid'] == pid
                and event['name'] == name for value in event['args'].values()]
