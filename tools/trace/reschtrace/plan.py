# SPDX-License-Identifier: GPL-2.0
"""Plans: time in slots, and of each slot the parts that belong to groups.

A window is a reserve at its place in time. Windows of a group that follow each other without a gap,
within a slot or from one to the next, are one.
"""

import bisect


class Window:
    __slots__ = ('start', 'end', 'cpu', 'group')

    def __init__(self, start, end, cpu, group):
        self.start, self.end, self.cpu, self.group = start, end, cpu, group


class Plan:
    """`start` is exact, and the beginning of slot 0; `end` is found once the plan after it is
    known."""

    def __init__(self, event):
        self.domain, self.slot = event['domain'], event['slot']
        self.count, self.start = event['count'], event['from']
        self.end = None
        self.event = event
        self.reserves = []       # (cpu, begin, end, group)
        self.cpus_of = {}        # group -> CPUs

    def add(self, event):
        if len(self.reserves) == self.count:
            return               # not of this plan: what it belongs to was not recorded
        bisect.insort(self.reserves, (event['cpu'], event['begin'], event['end'], event['group']))
        self.cpus_of.setdefault(event['group'], set()).add(event['cpu'])

    def whole(self):
        """Whether all its reserves were recorded, and make sense."""
        return len(self.reserves) == self.count and (self.slot > 0 or not self.count) and \
            all(0 <= begin < end <= self.slot for _, begin, end, _ in self.reserves)

    def cpus(self):
        return sorted({reserve[0] for reserve in self.reserves})

    def split(self, group):
        return len(self.cpus_of.get(group, ())) > 1

    def own(self, cpu):
        """The first group in the slot with all reserves on this CPU; 0: there is none."""
        for number, _, _, group in self.reserves:
            if number == cpu and not self.split(group):
                return group
        return 0

    def slot_at(self, time):
        return (time - self.start) // self.slot

    def windows(self, cpu, start, end):
        """Those of a CPU that touch [start, end), not before the plan's own beginning nor after its
        end."""
        start = max(start, self.start)
        end = end if self.end is None else min(end, self.end)
        mine = [reserve for reserve in self.reserves if reserve[0] == cpu]
        if start >= end or not mine:
            return
        last = None
        zero = self.start + self.slot_at(start) * self.slot
        while zero < end:
            for _, begin, stop, group in mine:
                begin, stop = zero + begin, min(zero + stop, end)
                if stop <= start or begin >= end:
                    continue
                if last and last.group == group and last.end == begin:
                    last.end = stop
                    continue
                if last:
                    yield last
                last = Window(begin, stop, cpu, group)
            zero += self.slot
        if last:
            yield last


def settle(plans, whole_at):
    """Fills in when each plan ends. `whole_at`(plan): whether a plugin that keeps to plans was in
    charge when the plan was set; if not, it took the place of the last one at once."""
    last = {}
    for plan in plans:
        before = last.get(plan.domain)
        if before:
            waits = plan.count and whole_at(plan)
            before.end = max(before.start, plan.start if waits else plan.event.time)
        last[plan.domain] = plan
        if not plan.count:
            plan.start = plan.event.time
