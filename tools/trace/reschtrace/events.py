# SPDX-License-Identifier: GPL-2.0
"""The events of a trace, in an eighth of the memory that they would take as objects.

An event is a row of numbers: its time, its line, the CPU that recorded it, and its fields. Texts,
and what does not fit into 64 bits, are in a table; the names of the fields are those of its form,
which thousands of events have in common. Whoever asks for an event gets one that was made for him.
"""

from array import array

UNKNOWN = -1                     # no CPU
LEAST, MOST = -(1 << 63), (1 << 63) - 1


class Event:
    """One line. `time`: its stamp; `now`: when the engine says that it happened; `cpu`: which CPU
    recorded it, None where that is not known."""

    __slots__ = ('time', 'now', 'cpu', 'name', 'fields', 'line')

    def __init__(self, time, cpu, name, fields, line):
        self.time = time
        self.cpu = cpu
        self.name = name
        self.fields = fields
        self.now = fields.get('now', time)
        self.line = line

    def shift(self, difference):
        """Another clock's stamp becomes one of CLOCK_MONOTONIC."""
        self.time -= difference
        if 'now' not in self.fields:
            self.now = self.time

    def __getitem__(self, key):
        return self.fields[key]

    def get(self, key, default=None):
        return self.fields.get(key, default)

    def __repr__(self):
        return f'line {self.line}: {self.time} {self.name} {self.fields}'


class Form:
    """What events of one kind have in common. `tabled`: by field, whether it is in the table;
    None: none is."""

    __slots__ = ('name', 'keys', 'tabled')

    def __init__(self, name, keys, tabled):
        self.name, self.keys = name, keys
        self.tabled = tabled if any(tabled) else None


# Of a row: the place of its form, its line, its CPU, its time; behind these the fields.
FORM, LINE, CPU, TIME, FIELDS = range(5)


class Events:
    """A list of events: append(), and once all are there sort()."""

    def __init__(self):
        self.rows, self.begins = array('q'), array('Q')
        self.forms, self.numbers = [], {}
        self.table, self.places = [], {}

    def append(self, event):
        values, tabled = [], []
        for value in event.fields.values():
            plain = type(value) is int and LEAST <= value <= MOST
            tabled.append(not plain)
            values.append(value if plain else self.place(value))
        self.begins.append(len(self.rows))
        self.rows.extend((self.number(event.name, tuple(event.fields), tuple(tabled)), event.line,
                          UNKNOWN if event.cpu is None else event.cpu, event.time, *values))

    def place(self, value):
        found = self.places.get(value)
        if found is None:
            found = self.places[value] = len(self.table)
            self.table.append(value)
        return found

    def number(self, *form):
        found = self.numbers.get(form)
        if found is None:
            found = self.numbers[form] = len(self.forms)
            self.forms.append(Form(*form))
        return found

    def sort(self):
        """By their times; of one time as they came."""
        times = array('q', (self.rows[begin + TIME] for begin in self.begins))
        if any(times[at] > times[at + 1] for at in range(len(times) - 1)):
            self.begins = array('Q', (self.begins[at] for at in sorted(range(len(times)),
                                                                       key=times.__getitem__)))

    def shift(self, difference):
        """As Event.shift(), all of them."""
        for begin in self.begins:
            self.rows[begin + TIME] -= difference

    def names(self):
        """Of all events that there are."""
        return {form.name for form in self.forms}

    def make(self, begin):
        rows = self.rows
        form = self.forms[rows[begin]]
        start = begin + FIELDS
        values = rows[start:start + len(form.keys)]
        if form.tabled:
            values = [self.table[value] if tabled else value
                      for value, tabled in zip(values, form.tabled)]
        cpu = rows[begin + CPU]
        return Event(rows[begin + TIME], None if cpu == UNKNOWN else cpu, form.name,
                     dict(zip(form.keys, values)), rows[begin + LINE])

    def __len__(self):
        return len(self.begins)

    def __getitem__(self, at):
        return self.make(self.begins[at])

    def __iter__(self):
        return map(self.make, self.begins)

    def named(self, names):
        """Those of these names."""
        return self.where(lambda form: form.name in names)

    def where(self, wanted):
        """Those whose Form is wanted(form)."""
        numbers = {number for number, form in enumerate(self.forms) if wanted(form)}
        rows = self.rows
        return Part(self, array('Q', (begin for begin in self.begins if rows[begin] in numbers)))


class Part:
    """Some of the events of a list."""

    def __init__(self, events, begins):
        self.events, self.begins = events, begins

    def split(self, key):
        """{key(event): the Part of those that have it}"""
        found = {}
        for begin in self.begins:
            found.setdefault(key(self.events.make(begin)), array('Q')).append(begin)
        return {value: Part(self.events, begins) for value, begins in found.items()}

    def __len__(self):
        return len(self.begins)

    def __getitem__(self, at):
        return self.events.make(self.begins[at])

    def __iter__(self):
        return map(self.events.make, self.begins)
