# SPDX-License-Identifier: GPL-2.0
"""Going through spans of time from left to right: what held when, and for how long it was wrong."""


class Segments:
    """Constant stretches of time over a set of spans: (start, end, set of active items)."""

    def __init__(self):
        self.edges = []

    def add(self, start, end, item):
        if end > start:
            self.edges.append((start, 1, len(self.edges), item))
            self.edges.append((end, 0, len(self.edges), item))

    def __iter__(self):
        """Yields (start, end, added, removed): what changed at `start`."""
        self.edges.sort(key=lambda edge: edge[:3])
        at, edges = 0, self.edges
        while at < len(edges):
            time = edges[at][0]
            added, removed = [], []
            while at < len(edges) and edges[at][0] == time:
                (added if edges[at][1] else removed).append(edges[at][3])
                at += 1
            yield time, edges[at][0] if at < len(edges) else time, added, removed


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
