# SPDX-License-Identifier: GPL-2.0
"""Going through spans of time from left to right: what held when, and for how long it was wrong."""

from array import array



class Segments:
    """Constant stretches of time over a set of spans: (start, end, set of active items)."""

    def __init__(self):
        self.items, self.starts, self.ends = [], array('q'), array('q')

    def add(self, start, end, item):
        if end > start:
            self.items.append(item)
            self.starts.append(start)
            self.ends.append(end)

    def __iter__(self):
        """Yields (start, end, added, removed): what changed at `start`."""
        starting, ending = Edges(self.starts, self.items), Edges(self.ends, self.items)
        time = min(starting.time, ending.time)
        while time != NEVER:
            added, removed = starting.pop(time), ending.pop(time)
            following = min(starting.time, ending.time)
            yield time, time if following == NEVER else following, added, removed
            time = following


NEVER = float('inf')


class Edges:
    """Of spans, in the order of their times; of one time in that of the spans. `time`: the next
    one's."""

    def __init__(self, times, items):
        self.times, self.items = times, items
        self.order = array('Q', sorted(range(len(times)), key=times.__getitem__))
        self.at = 0
        self.time = times[self.order[0]] if self.order else NEVER

    def pop(self, time):
        """The items of all that are at that time."""
        found = []
        while self.time == time:
            found.append(self.items[self.order[self.at]])
            self.at += 1
            self.time = self.times[self.order[self.at]] if self.at < len(self.order) else NEVER
        return found


class Persistent:
    """Puts together stretches in which the same thing was wrong."""

    def __init__(self, report):
        self.report = report     # report(key, start, end, detail)
        self.active = {}

    def feed(self, time, conditions):
        for key in [key for key in self.active if key not in conditions]:
            start, detail = self.active.pop(key)
            self.report(key, start, time, detail)
        for key, detail in conditions.items():
            self.active.setdefault(key, (time, detail))

    def close(self, time):
        self.feed(time, {})
