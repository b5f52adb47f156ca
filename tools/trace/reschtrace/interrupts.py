# SPDX-License-Identifier: GPL-2.0
"""What the recorder says besides resch and sched_switch: interrupts, and words that somebody put
into the trace.

An interrupt lasts from its entry event to its exit event on the same CPU (irq_vectors:*_entry and
*_exit, irq:irq_handler_entry and _exit, irq:softirq_entry and _exit); what of that went to other
ones inside is not its own. These events are tens of ns apart from the interrupt's real beginning
and end.
"""

import bisect
import re

LINE = re.compile(
    r'.*?(?:-|\s)\d+(?:/\d+)?\s+(?:\([ \d-]+\)\s+)?\[(?P<cpu>\d+)\]\s+(?:\S{4,8}\s+)?(?P<sec>\d+)\.(?P<frac>\d+):\s+'
    r'(?:\w+:)?(?P<event>\w+_(?:entry|exit)):\s*(?P<rest>.*)$')
PAIR = re.compile(r'(?P<what>\w+)_(?P<side>entry|exit)')
# Vectors of the interrupt controller itself, as /proc/interrupts has them.
VECTORS = {'local_timer': 'timer', 'reschedule': 'ipi', 'call_function': 'ipi',
           'call_function_single': 'ipi', 'irq_work': 'ipi', 'x86_platform_ipi': 'ipi',
           'thermal_apic': 'ipi', 'threshold_apic': 'ipi', 'deferred_error_apic': 'ipi',
           'error_apic': 'ipi', 'spurious_apic': 'ipi'}
TICKS = ('tick_sched_timer', 'tick_nohz_handler')   # the second from 6.8 on
SOFTIRQ = re.compile(r'vec=(?P<vec>\d+)(?:\s+\[action=(?P<name>\w+)\])?')
IRQ = re.compile(r'irq=(?P<irq>\d+)(?:\s+name=(?P<name>.*?)\s*$)?')
FUNCTION = re.compile(r'function=(?P<name>[\w.]+)')
# '# resch-sim plugin=sekg:handover=retry ...' before a schedule, or 'resch plugin=...' written to
# trace_marker
SAID = re.compile(r'(?:^#\s*|(?:print|tracing_mark_write):.*?)\bresch\b.*\bplugin=')
PLUGIN = re.compile(r'\b(?:plugin|swap)=(?P<plugin>[\w-]+)(?::(?P<options>[^\s@]+))?')


class Interrupt:
    """`kind`: timer (the CPU's own), ipi, irq (of a device), softirq; `own`: without what
    interrupted it, ns; `tick`: whether the kernel's tick was among the timers that it was for, None
    where that was not recorded."""

    __slots__ = ('kind', 'name', 'cpu', 'start', 'end', 'own', 'tick')

    def __init__(self, kind, name, cpu, start):
        self.kind, self.name, self.cpu, self.start = kind, name, cpu, start
        self.end = self.own = self.tick = None

    def label(self):
        return self.name if self.kind in ('timer', 'ipi') else f'{self.kind} {self.name}'


class Recorder:
    """Is shown the lines that the reader of schedules has no use for."""

    def __init__(self):
        self.by_cpu = {}         # cpu -> [Interrupt], by their ends until settle()
        self.stacks = {}         # cpu -> [[key, Interrupt, ns of others inside]]
        self.kinds = set()       # which were recorded at all
        self.has_hrtimers = False
        self.said = []           # (plugin, options)

    def line(self, line):
        if 'plugin=' in line and SAID.search(line):
            self.said += [(said['plugin'], said['options'] or '') for said in PLUGIN.finditer(line)]
            return
        if '_entry:' not in line and '_exit:' not in line:
            return
        match = LINE.match(line)
        if match:
            time = int(match['sec']) * 1000000000 + int(match['frac'][:9].ljust(9, '0'))
            self.event(match['event'], int(match['cpu']), time, match['rest'])

    def event(self, name, cpu, time, rest):
        pair = PAIR.fullmatch(name)
        what, enters = pair['what'], pair['side'] == 'entry'
        if what == 'hrtimer_expire':
            self.has_hrtimers = True
            if enters:
                self.timer(cpu, rest)
            return
        key, kind, label = self.identify(what, rest)
        if not key:
            return
        self.kinds.add(kind)
        if enters:
            self.stacks.setdefault(cpu, []).append([key, Interrupt(kind, label, cpu, time), 0])
        else:
            self.leave(cpu, key, time)

    @staticmethod
    def identify(what, rest):
        """(key that its exit has as well, kind, name), or three times None."""
        if what in VECTORS:
            return what, VECTORS[what], what
        if what == 'softirq' and (match := SOFTIRQ.match(rest)):
            return ('softirq', match['vec']), 'softirq', match['name'] or match['vec']
        if what == 'irq_handler' and (match := IRQ.match(rest)):
            name = match['name']
            return ('irq', match['irq']), 'irq', match['irq'] + (f' ({name})' if name else '')
        return None, None, None

    def timer(self, cpu, rest):
        """A timer expires: which interrupt is that in, and is it the tick?"""
        for _, interrupt, _ in reversed(self.stacks.get(cpu, ())):
            if interrupt.kind == 'timer':
                match = FUNCTION.search(rest)
                interrupt.tick = (bool(interrupt.tick) or bool(match) and
                                  match['name'].startswith(TICKS))
                return

    def leave(self, cpu, key, time):
        """Entries without an exit above it in the stack were lost, and so is an exit without an
        entry."""
        stack = self.stacks.get(cpu, [])
        at = next((at for at in range(len(stack) - 1, -1, -1) if stack[at][0] == key), None)
        if at is None:
            return
        _, interrupt, others = stack[at]
        del stack[at:]
        interrupt.end = time
        interrupt.own = time - interrupt.start - others
        if stack:
            stack[-1][2] += time - interrupt.start
        self.by_cpu.setdefault(cpu, []).append(interrupt)

    def settle(self, trace):
        """Once the whole trace was read: by their beginnings, in the trace's clock, none where
        events were lost."""
        for cpu, found in self.by_cpu.items():
            for one in found:
                one.start, one.end = one.start - trace.shift, one.end - trace.shift
                if self.has_hrtimers and one.kind == 'timer':
                    one.tick = bool(one.tick)
            holes = [hole for hole in trace.holes if hole.cpu in (cpu, None)]
            if holes:
                found = [one for one in found
                         if not any(one.start < hole.end and one.end > hole.start
                                    for hole in holes)]
            self.by_cpu[cpu] = sorted(found, key=lambda one: one.start)
        return self

    def all(self):
        for cpu in sorted(self.by_cpu):
            yield from self.by_cpu[cpu]

    def fired(self, cpu, start, end):
        """When the CPU's timer interrupt came that is the cause of a decision at `end`, due at
        `start`: the first one from `start` on; `start` itself, where one was going on; None: there
        was none, or it is not known."""
        found = self.by_cpu.get(cpu, ())
        at = bisect.bisect_left(found, start, key=lambda one: one.start)
        for one in reversed(found[max(0, at - 4):at]):
            if one.kind == 'timer' and one.end > start:
                return start
        while at < len(found) and found[at].start <= end:
            if found[at].kind == 'timer':
                return found[at].start
            at += 1
        return None
