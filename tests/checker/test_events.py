# SPDX-License-Identifier: GPL-2.0
"""Events that are kept as rows of numbers come back as they were; and a trace takes little
memory."""

import random
import tracemalloc

from common import CheckerTest, check
from schedule import Schedule, Task, recorded

from reschtrace.events import Event, Events


def said(event):
    return (event.time, event.now, event.cpu, event.name, event.fields, event.line)


def some(rng, number):
    """An event of any kind of values, small and great, with and without a CPU."""
    values = [0, -1, 5, 1 << 63, -(1 << 63), (1 << 63) - 1, (1 << 64) - 1, 'a', '', 'b c', '17']
    keys = rng.sample(('now', 'id', 'cpu', 'name', 'why', 'value'), rng.randrange(7))
    fields = {key: rng.choice(values) for key in keys}
    if 'now' in fields:
        fields['now'] = rng.randrange(1000)
    return Event(rng.randrange(100), rng.choice((None, 0, 3)), rng.choice(('resch_a', 'resch_b')),
                 fields, number)


class Packed(CheckerTest):
    def setUp(self):
        rng = random.Random(3)
        self.plain = [some(rng, number) for number in range(500)]
        self.packed = Events()
        for event in self.plain:
            self.packed.append(event)

    def test_come_back(self):
        self.assertEqual(len(self.packed), 500)
        self.assertEqual([said(event) for event in self.packed],
                         [said(event) for event in self.plain])
        for at in (0, 7, -1):
            self.assertEqual(said(self.packed[at]), said(self.plain[at]))
        with self.assertRaises(IndexError):
            self.packed[500]

    def test_order_and_clock(self):
        """Of one time they stay as they came; another clock's stamps are shifted."""
        self.plain.sort(key=lambda event: event.time)
        self.packed.sort()
        for event in self.plain:
            event.shift(40)
        self.packed.shift(40)
        self.assertEqual([said(event) for event in self.packed],
                         [said(event) for event in self.plain])

    def test_some_of_them(self):
        self.packed.sort()
        self.plain.sort(key=lambda event: event.time)
        self.assertEqual(self.packed.names(), {'resch_a', 'resch_b'})
        self.assertEqual([event.line for event in self.packed.named(('resch_b',))],
                         [event.line for event in self.plain if event.name == 'resch_b'])
        parts = self.packed.where(lambda form: 'id' in form.keys).split(lambda event: event['id'])
        for value, part in parts.items():
            wanted = [event.line for event in self.plain if event.get('id') == value]
            self.assertEqual([event.line for event in part], wanted)
            self.assertEqual((len(part), part[-1].line), (len(wanted), wanted[-1]))
        self.assertEqual(sum(map(len, parts.values())),
                         sum('id' in event.fields for event in self.plain))


class Memory(CheckerTest):
    def lines(self, ticks):
        return list(recorded(Schedule([Task(1, period=4, wcet=1), Task(2, period=6, wcet=2)],
                                      ticks=ticks).run()))

    def most(self, ticks):
        """(events, bytes at the worst moment)"""
        lines = self.lines(ticks)
        tracemalloc.start()
        try:
            checker = check(iter(lines), 1000000)
            return len(checker.model.trace.events), tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    def test_of_a_long_trace(self):
        """Twice as long: that much more for each event, all in all. With an object for each it
        would be 1,500, with its fields."""
        few, some_bytes = self.most(2000)
        many, more_bytes = self.most(4000)
        self.assertGreater(many, 1.9 * few)
        self.assertLess((more_bytes - some_bytes) / (many - few), 400)
