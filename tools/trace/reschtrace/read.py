# SPDX-License-Identifier: GPL-2.0
"""From a file to a list of events in the order of time.

Four kinds of text say the same thing, line by line:

    TIME EVENT key=value ...                          the simulator (TIME in ns)
    COMM-PID [CPU] [FLAGS] SECONDS: EVENT: key=value  trace-cmd report, /sys/kernel/tracing/trace
    COMM PID [CPU] SECONDS: SYSTEM:EVENT: key=value   perf script

A trace.dat goes through `trace-cmd report`. Lines that are none of these, and events that are
neither resch_* nor sched_switch, are passed over, or shown to who wants them; places where the
recorder lost events are kept.
"""

import contextlib
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from array import array

from . import cli
from .events import Event, Events

TRACE_DAT_MAGIC = b'\x17\x08\x44tracing'

SIM_LINE = re.compile(
    r'\s*(?P<time>\d+)\s+(?P<event>resch_\w+|sched_switch):?(?:\s+(?P<rest>.*))?$')
TRACE_LINE = re.compile(
    r'.*?(?:-|\s)\d+(?:/\d+)?\s+(?:\([ \d-]+\)\s+)?\[(?P<cpu>\d+)\]\s+'
    r'(?:\S{4,8}\s+)?(?P<sec>\d+)\.(?P<frac>\d+):\s+(?:\w+:)?(?P<event>resch_\w+|sched_switch):'
    r'\s*(?P<rest>.*)$')
# trace-cmd says it before the first record after the hole, the tracing file likewise
LOST_LINE = re.compile(r'CPU:(?P<cpu>\d+) \[(?:LOST )?(?P<count>\d+ )?EVENTS(?: DROPPED)?\]')
ANY_LINE = re.compile(r'.*?\[(?P<cpu>\d+)\]\s+(?:\S{4,8}\s+)?(?P<sec>\d+)\.(?P<frac>\d+):')
# perf script, with --show-lost-events
PERF_LOST = re.compile(r'.*PERF_RECORD_LOST(?:_SAMPLES)?\s.*?(?P<count>\d+)\s*$')
FIELD = re.compile(r'(\w+)=(.*?)(?=\s+\w+=|\s+==>|\s*$)')
# what trace-cmd's own formatter makes of sched_switch
SWITCH_PLUGIN = re.compile(
    r'(?P<prev_comm>.*):(?P<prev_pid>\d+) \[(?P<prev_prio>-?\d+)\] (?P<state>\S+) '
    r'==> (?P<next_comm>.*):(?P<next_pid>\d+) \[(?P<next_prio>-?\d+)\]')
NUMBER = re.compile(r'-?(?:\d+|0x[0-9a-fA-F]+)')


NO_EVENTS = 'no resch or sched_switch events in it'
NONE_OF_OURS = 'no resch events in it: record with -e resch, while there are tasks'
NONE_CAME = ("resch's events were recorded, and none came: no task was registered meanwhile. Start the "
             'recording first, then the tasks')


class Unreadable(Exception):
    """There is no trace to be had from this file; says why."""


class Nothing(Unreadable):
    """There are no events in it that would be of use."""


class Hole:
    """Between `start` and `end`, `count` events of `cpu` are missing (None: not known how many)."""

    def __init__(self, start, end, cpu, count):
        self.start, self.end, self.cpu, self.count = start, end, cpu, count


class Trace:
    """`recorded`: it comes from a running kernel, so that stamps and events are a little apart.
    `shift`: what was taken from its stamps to make them those of CLOCK_MONOTONIC."""

    def __init__(self, source):
        self.shift = 0
        self.source = source
        self.events = Events()
        self.holes = []
        self.recorded = False
        self.notes = []

    @property
    def start(self):
        return self.events[0].time

    @property
    def end(self):
        return self.events[-1].time


def value(text):
    """A field's value: a number where it looks like one."""
    if NUMBER.fullmatch(text):
        negative = text.startswith('-')
        digits = text.lstrip('-')
        number = int(digits, 16) if digits.startswith('0x') else int(digits, 10)
        return -number if negative else number
    return text


# Names are names even when somebody calls a thread "42".
TEXT_FIELDS = {'name', 'plugin', 'from', 'to', 'reason', 'comm', 'prev_comm', 'next_comm', 'why'}


def fields_of(rest):
    return {k: v if k in TEXT_FIELDS else value(v) for k, v in FIELD.findall(rest)}


def seconds(sec, frac):
    return int(sec) * 1000000000 + int(frac[:9].ljust(9, '0'))


# Of the module, but about threads that are no tasks.
OTHER_EVENTS = {'resch_move'}


def parse_line(line, number):
    """An Event, or None."""
    match = TRACE_LINE.match(line)
    if match and match['event'] in OTHER_EVENTS:
        return None
    if match:
        rest = match['rest']
        fields = fields_of(rest)
        if match['event'] == 'sched_switch' and 'next_pid' not in fields:
            switch = SWITCH_PLUGIN.match(rest)
            if not switch:
                return None
            fields = {k: v if k.endswith('comm') else value(v)
                      for k, v in switch.groupdict().items()}
        return Event(seconds(match['sec'], match['frac']), int(match['cpu']), match['event'],
                     fields, number)
    match = SIM_LINE.match(line)
    if match:
        fields = fields_of(match['rest'] or '')
        cpu = fields.get('cpu') if match['event'] == 'sched_switch' else None
        return Event(int(match['time']), cpu, match['event'], fields, number)
    return None


NEEDED = {
    'sched_switch': ('prev_pid', 'next_pid'),
    'resch_swap': ('cpu', 'from', 'to'),
    'resch_eject': ('cpu',),
    'resch_attach': ('id', 'pid', 'cpu', 'plugin', 'kind', 'period', 'deadline', 'wcet'),
    'resch_detach': ('id', 'cpu'),
    'resch_deselect': ('id', 'cpu', 'why'),
    'resch_plan': ('domain', 'slot', 'from', 'count'),
    'resch_reserve': ('domain', 'group', 'cpu', 'begin', 'end'),
    'resch_server_set': ('domain', 'server', 'cpu', 'kind', 'policy', 'budget', 'period'),
    'resch_server': ('domain', 'server', 'cpu', 'what', 'left', 'deadline', 'now'),
    'resch_serve': ('id', 'client', 'cpu', 'server', 'begin', 'now'),
    'resch_chain_set': ('chain', 'protocol', 'stages', 'period', 'deadline'),
    'resch_chain_stage': ('chain', 'stage', 'task', 'phase'),
    'resch_chain': ('chain', 'instance', 'stage', 'task', 'what', 'origin', 'now'),
}
# What has to be a number, wherever another event has a name there.
NUMBERS = {name: NEEDED[name] for name in (
    'resch_plan', 'resch_reserve', 'resch_server_set', 'resch_server', 'resch_chain_set',
    'resch_chain_stage', 'resch_chain')}
NEEDED_OF_JOBS = ('id', 'cpu', 'job', 'release', 'deadline')


def check_fields(event):
    for name in NEEDED.get(event.name, NEEDED_OF_JOBS):
        if name not in event.fields:
            raise Unreadable(f'line {event.line}: {event.name} has no field "{name}"')
    for name in NUMBERS.get(event.name, ()):
        event.fields[name] = value(str(event.fields[name]))
        if not isinstance(event.fields[name], int):
            raise Unreadable(f'line {event.line}: {event.name}: "{name}" is not a number')


class Lines:
    """Events and holes out of text, in the order of its lines, one at a time: nothing is kept.

    `recorded`: a line of a running kernel was among them. A hole comes before the event that showed
    it; that of events which were lost at the very end comes last, with an `end` of None. `start` is
    None where the CPU had said nothing yet."""

    def __init__(self, lines, other=None):
        self.lines, self.other = lines, other
        self.recorded = False

    def __iter__(self):
        last = {}   # by CPU: stamp of the last record of any kind
        lost = {}   # by CPU: how many were lost since
        for number, line in enumerate(self.lines, 1):
            line = line.rstrip('\n')
            match = LOST_LINE.search(line)
            if match:
                lost[int(match['cpu'])] = int(match['count']) if match['count'] else None
                continue
            match = PERF_LOST.match(line)
            if match:
                lost[None] = int(match['count'])
                continue
            event = parse_line(line, number)
            if event:
                time, cpu = event.time, event.cpu
                check_fields(event)
                self.recorded |= '[' in line and TRACE_LINE.match(line) is not None
            else:
                if self.other:
                    self.other(line)
                match = ANY_LINE.match(line)
                if not match:
                    continue
                time, cpu = seconds(match['sec'], match['frac']), int(match['cpu'])
            for hole in (cpu, None):
                if hole in lost and (hole is not None or cpu is not None):
                    yield Hole(last.get(cpu), time, cpu, lost.pop(hole))
            if event:
                yield event
            if cpu is not None:
                last[cpu] = time
        for cpu, count in lost.items():   # lost at the very end
            yield Hole(last.get(cpu), None, cpu, count)


def parse(lines, source='-', other=None):
    """Text to a Trace. `other`(line): is shown what is no event of a schedule."""
    trace = Trace(source)
    reader = Lines(lines, other)
    for item in reader:
        (trace.holes if isinstance(item, Hole) else trace.events).append(item)
    trace.recorded = reader.recorded
    if not trace.events:
        raise Nothing(NO_EVENTS)
    if not any(name.startswith('resch_') for name in trace.events.names()):
        raise Nothing(NONE_OF_OURS)
    trace.events.sort()
    for hole in trace.holes:
        if hole.start is None:
            hole.start = trace.start
        if hole.end is None:
            hole.end = trace.end
    align(trace)
    return trace


def shift_of(events):
    """What to take from the stamps of another clock than CLOCK_MONOTONIC, 0 where it is that one:
    the least difference seen."""
    differences = array('q', (event.time - event.now for event in events if 'now' in event.fields))
    if not differences or abs(statistics.median(differences)) < 500000000:
        return 0
    return min(differences)


def align(trace):
    """Stamps of another clock than CLOCK_MONOTONIC are shifted."""
    shift = trace.shift = shift_of(trace.events)
    if not shift:
        return
    trace.events.shift(shift)
    for hole in trace.holes:
        hole.start -= shift
        hole.end -= shift
    trace.notes.append('the recorder stamped with another clock than the monotonic one; aligned by '
                       'the closest pair of stamps (record with -C mono)')


def report_lines(path):
    """What trace-cmd makes of a trace.dat, line by line."""
    if not shutil.which('trace-cmd'):
        raise Unreadable('reading a trace.dat needs the program trace-cmd (apt install trace-cmd)')
    # -N: no plugins, so that every event appears in its own key=value words
    command = ['trace-cmd', 'report', '-t', '-N', '-i', path]
    with tempfile.TemporaryFile() as said, \
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True,
                             errors='replace') as report:
        last = ''
        for line in report.stdout:
            yield line
            last = line
        if report.wait():
            said.seek(0)
            complaint = said.read().decode(
                errors='replace').strip() or last.strip() or 'no reason given'
            raise Unreadable(cut_off(path) or
                             f'trace-cmd cannot read it: {complaint.splitlines()[-1].strip()}')


def dump(what, path):
    return subprocess.run(['trace-cmd', 'dump', what, '-i', path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, errors='replace', check=False)


def cut_off(path):
    """Of a trace.dat: that it ends too early, in words, or nothing."""
    size, done = os.path.getsize(path), dump('--flyrecord', path)
    # before version 7 of the format the parts have no numbers
    whole = max((int(offset) + int(length) for offset, length in
                 re.findall(r'^\s+(?:\d+ )?(\d+)\s+(\d+)\s+\[.*offset', done.stdout, re.M)),
                default=0)
    if whole > size:
        return f'the file is cut off: {size:,} bytes of {whole:,}. Copy or record it again'
    # from then on an index at its end says what it has
    return (f'the file is cut off after {size:,} bytes: its index, which is written last, is missing. '
            'Copy or record it again') if done.returncode else ''


def why_nothing(path, said):
    """Of a trace.dat without events that would be of use, in words."""
    if cut_off(path):
        return cut_off(path)
    return NONE_CAME if re.search(r'^name: resch_', dump('--events', path).stdout, re.M) else said


@contextlib.contextmanager
def lines_of(path):
    """The lines of a file ('-': standard input), those of a trace.dat as trace-cmd report prints
    them. Unreadable, with the reason."""
    try:
        if path == '-':
            yield cli.told(sys.stdin)
            return
        with open(path, 'rb') as file:
            magic = file.read(len(TRACE_DAT_MAGIC))
        if magic == TRACE_DAT_MAGIC:
            try:
                with contextlib.closing(report_lines(path)) as lines:
                    yield cli.told(lines)
            except Nothing as error:
                raise Unreadable(why_nothing(path, str(error))) from error
            return
        with open(path, errors='replace') as file:
            yield cli.told(file)
    except OSError as error:
        raise Unreadable(error.strerror) from error


def name_of(path):
    return 'standard input' if path == '-' else path


def load(path, other=None):
    """A Trace from a file name ('-': standard input); `other` as in parse(). Unreadable, with the
    reason."""
    with lines_of(path) as lines:
        return parse(lines, name_of(path), other)
