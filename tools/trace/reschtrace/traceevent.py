# SPDX-License-Identifier: GPL-2.0
"""The trace-event format, JSON that the viewers of Perfetto and Chrome open, written one event at a
time.

Its description is Google's document "Trace Event Format". An event has a phase `ph`: X a slice with
a beginning and a length, i an instant, C a counter, M a name, and s, t, f the beginning, a step and
the end of a flow. Times are microseconds, here with three decimals made of integers, counted from
`zero`, so that a viewer that takes them for doubles loses no nanosecond.

A viewer tells rows apart by `pid` and `tid`. What is a process here is a CPU, a domain's CPU, a
server or a task, and its threads are rows of slices. Perfetto names threads by `tid` alone, so that
no two rows have the same.
"""

import json

# UTF-8 as it is: Perfetto shows \u00b5 in the name of a counter's unit as these six letters.
encode = json.JSONEncoder(separators=(',', ':'), ensure_ascii=False).encode
ROWS = 10   # of a process at most, its own number included


class Unwritable(Exception):
    """The output took no more; says why."""


def micro(ns):
    """1234567 -> '1234.567', exactly."""
    sign, ns = ('-', -ns) if ns < 0 else ('', ns)
    return f'{sign}{ns // 1000}.{ns % 1000:03}'


class Process:
    """A heading with rows under it. `number`: from 0, different for each."""

    def __init__(self, number):
        self.pid = ROWS * (number + 1)
        self.rows = {}


class Row:
    """Slices one after the other; `last`: where the last one ended."""

    def __init__(self, process, tid):
        self.pid, self.tid = process.pid, tid
        self.last = None


class Writer:
    """`file`: text; `zero`: the time (ns) that becomes 0; `start`, `end`: what is outside of them
    is left out or cut."""

    def __init__(self, file, zero, start, end, about):
        self.file, self.zero, self.start, self.end = file, zero, start, end
        self.count = 0
        self.put('{"displayTimeUnit":"ns","otherData":' + encode(about) + ',"traceEvents":[')

    def put(self, text):
        try:
            self.file.write(text)
        except OSError as error:
            raise Unwritable(error.strerror) from error

    def close(self):
        self.put('\n]}\n')

    def event(self, phase, pid, tid, fields, args=None):
        """`fields`: (key, JSON text), in this order."""
        text = ''.join(f',"{key}":{value}' for key, value in fields)
        if args:
            text += ',"args":' + encode(args)
        self.put(f'{"," if self.count else ""}\n{{"ph":"{phase}","pid":{pid},"tid":{tid}{text}}}')
        self.count += 1

    def stamp(self, time):
        return 'ts', micro(time - self.zero)

    def inside(self, time):
        return self.start <= time <= self.end

    # ---- names

    def process(self, number, name, labels=None):
        """Announces one; `labels`: a few words beside its name."""
        process = Process(number)
        self.name_process(process, name, labels)
        self.event('M', process.pid, process.pid, [('name', '"process_sort_index"')],
                   {'sort_index': number})
        return process

    def name_process(self, process, name, labels=None):
        self.event('M', process.pid, process.pid, [('name', '"process_name"')], {'name': name})
        if labels:
            self.event('M', process.pid, process.pid, [('name', '"process_labels"')],
                       {'labels': labels})

    def row(self, process, name):
        """That one of a process's rows, announced at its first use."""
        row = process.rows.get(name)
        if row is None:
            row = process.rows[name] = Row(process, process.pid + 1 + len(process.rows))
            self.event('M', row.pid, row.tid, [('name', '"thread_name"')], {'name': name})
            self.event('M', row.pid, row.tid, [('name', '"thread_sort_index"')],
                       {'sort_index': len(process.rows)})
        return row

    # ---- what happened

    def slice(self, row, name, kind, start, end, args=None, colour=None):
        """One after the other on a row: what began before the last one ended is cut, so that none
        overlap. Return: whether there is something of it to see."""
        if row.last is not None:
            start = max(start, row.last)
        start, end = max(start, self.start), min(end, self.end)
        if end < start:
            return False
        row.last = end
        self.part(row, name, kind, start, end, args, colour)
        return True

    def part(self, row, name, kind, start, end, args=None, colour=None):
        """As slice(), but inside of the last one."""
        start, end = max(start, self.start), min(end, self.end)
        if end < start:
            return
        fields = [('name', encode(name)), ('cat', encode(kind)), self.stamp(start),
                  ('dur', micro(end - start))]
        if colour:
            fields.append(('cname', encode(colour)))
        self.event('X', row.pid, row.tid, fields, args)

    def instant(self, row, name, kind, time, args=None, everywhere=False):
        """A mark on a row, or (`everywhere`) across all of them."""
        if self.inside(time):
            self.event('i', row.pid, row.tid,
                       [('name', encode(name)), ('cat', encode(kind)), self.stamp(time),
                        ('s', '"g"' if everywhere else '"t"')], args)

    def counter(self, process, name, unit, time, text):
        """`text`: the value in figures."""
        if self.inside(time):
            self.event('C', process.pid, process.pid,
                       [('name', encode(name)), ('cat', '"counter"'), self.stamp(time),
                        ('args', f'{{{encode(unit)}:{text}}}')])

    def flow(self, phase, row, name, number, time):
        """Binds to the slice of the row that encloses the time, which has to be written before."""
        fields = [('name', encode(name)), ('cat', '"flow"'), ('id', str(number)), self.stamp(time)]
        if phase != 's':
            fields.append(('bp', '"e"'))
        self.event(phase, row.pid, row.tid, fields)
