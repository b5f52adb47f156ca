# SPDX-License-Identifier: GPL-2.0
"""Results as records and as text: a line per set, with both algorithms side by side, and why
something was refused."""

import dataclasses

from layouts import Layout
from sets import Set
from simulate import Outcome


@dataclasses.dataclass(frozen=True)
class Row:
    """One set under one algorithm, on the machine that `where` names ("sim": the simulator);
    `outcome` is None where no layout was accepted."""
    set: Set
    layout: Layout
    where: str = 'sim'
    outcome: Outcome = None

    def holds(self):
        """Whether what was promised was kept: no misses, and in no case anything at two places at
        once."""
        if not self.outcome:
            return True
        if self.layout.promises():
            return self.outcome.kept()
        return not self.outcome.parallel

    def record(self):
        """For JSON: one flat object. Times in ns."""
        found = {'where': self.where}
        for part in (self.set, self.layout, self.outcome):
            found.update(dataclasses.asdict(part) if part else {})
        del found['text']
        found['refusals'] = [{'sizes': sizes, 'reason': reason}
                             for sizes, reason in self.layout.refusals]
        found['holds'] = self.holds()
        return found

    @classmethod
    def of(cls, record):
        """The Row that record() was made of, but for the texts of set and layout."""
        refusals = tuple((refusal['sizes'], refusal['reason']) for refusal in record['refusals'])
        layout = part_of(Layout, record, text='', refusals=refusals)
        outcome = (part_of(Outcome, record, broken=tuple(record['broken']))
                   if 'jobs' in record else None)
        return cls(part_of(Set, record, text=''), layout, record['where'], outcome)


def part_of(kind, record, **others):
    names = {field.name for field in dataclasses.fields(kind)} - set(others)
    return kind(**{name: record[name] for name in names}, **others)


# ---- numbers as people read them
# -------------------------------------------------------------------

def count(value):
    return f'{value:,}'


def rate(number, time):
    """Events a second."""
    return count(round(number * 10**9 / time))


def duration(ns):
    for unit, size in (('s', 10**9), ('ms', 10**6), ('µs', 10**3)):
        if ns >= size:
            return f'{ns / size:.4g} {unit}'
    return f'{ns} ns'


# ---- the table
# -------------------------------------------------------------------------------------

COLUMNS = ('set', 'tasks', 'util %', 'max', 'jobs')
OF_ALGORITHM = ('sizes', 'δ', 'slot', 'split', 'preempt', 'migrate', 'misses')


def cells(row):
    layout, outcome = row.layout, row.outcome
    if not outcome:
        return ('refused',) + ('-',) * (len(OF_ALGORITHM) - 1)
    return (layout.sizes, str(layout.delta), f'{layout.slot / 10**6:.3f}', str(layout.split),
            rate(outcome.preemptions, outcome.time), rate(outcome.migrations, outcome.time),
            count(outcome.misses))


def lines_of(rows):
    """(head, lines) of cells, for rows of one number of CPUs and one place."""
    algorithms = list(dict.fromkeys(row.layout.algorithm for row in rows))
    lines = []
    for number in sorted({row.set.number for row in rows}):
        mine = {row.layout.algorithm: row for row in rows if row.set.number == number}
        one = next(iter(mine.values()))
        jobs = [row.outcome.jobs for row in mine.values() if row.outcome]
        line = [str(number), str(one.set.tasks), f'{one.set.utilization * 100:.2f}',
                f'{one.set.largest * 100:.1f}', count(max(jobs)) if jobs else '-']
        for algorithm in algorithms:
            line += cells(mine[algorithm]) if algorithm in mine else ('-',) * len(OF_ALGORITHM)
        lines.append(line)
    return algorithms, list(COLUMNS) + list(OF_ALGORITHM) * len(algorithms), lines


def layout_lines(algorithms, head, lines):
    widths = [max(len(line[i]) for line in [head] + lines) for i in range(len(head))]
    groups = [len(COLUMNS)] + [len(OF_ALGORITHM)] * len(algorithms)

    def join(line):
        parts, at = [], 0
        for size in groups:
            parts.append('  '.join(cell.rjust(width) for cell, width in
                                   zip(line[at:at + size], widths[at:at + size])))
            at += size
        return ' | '.join(parts)

    spans, at = [], 0
    for size in groups:
        spans.append(sum(widths[at:at + size]) + 2 * (size - 1))
        at += size
    title = ' | '.join(name.ljust(span) for name, span in zip([''] + algorithms, spans))
    return [title.rstrip(), join(head)] + [join(line) for line in lines]


def summary(rows):
    """What the rows of one algorithm come to."""
    ran = [row for row in rows if row.outcome]
    if not ran:
        return 'nothing accepted'
    promised = [row for row in ran if row.layout.promises()]
    others = [row for row in ran if not row.layout.promises()]
    text = (f'{len(promised)} of {len(rows)} sets accepted with overheads: '
            f'{count(sum(row.outcome.jobs for row in promised))} jobs, '
            f'{count(sum(row.outcome.misses for row in promised))} misses')
    if others:
        missed = [row for row in others if row.outcome.misses]
        text += (f'; {len(others)} without: {count(sum(row.outcome.jobs for row in others))} jobs, '
                 f'{count(sum(row.outcome.misses for row in others))} misses in {len(missed)} of them, '
                 f'at most {duration(max(row.outcome.tardiness for row in others))} late')
    text += f'; on two CPUs at once: {sum(row.outcome.parallel for row in ran)}'
    judged = [row for row in ran if row.outcome.verdict]
    if judged:
        legal = sum(row.outcome.verdict == 'legal' for row in judged)
        text += f'; resch-check: {legal} of {len(judged)} traces of {duration(judged[0].outcome.judged)} legal'
    return text


def refusals(rows):
    """A line for each reason why a set did not get the kind of sizes that was asked for first."""
    for row in rows:
        for reason in dict.fromkeys(reason for _, reason in row.layout.refusals):
            which = ', '.join(sizes for sizes, why in row.layout.refusals if why == reason)
            yield f'set {row.set.number}, {row.layout.algorithm}, {which}: {reason}'


def text(rows):
    """All of it: a table for each place and number of CPUs."""
    out = []
    for place in dict.fromkeys((row.where, row.set.cpus) for row in rows):
        mine = [row for row in rows if (row.where, row.set.cpus) == place]
        times = {row.outcome.time for row in mine if row.outcome}
        algorithms, head, lines = lines_of(mine)
        lasted = duration(max(times)) if times else 'no time'
        out += [
            f'{place[0]}, {place[1]} CPUs, {lasted} a set, overheads {mine[0].layout.overheads}',
            '']
        out += layout_lines(algorithms, head, lines) + ['']
        for algorithm in algorithms:
            out.append(f'{algorithm}: ' +
                       summary([row for row in mine if row.layout.algorithm == algorithm]))
        out += ['refused: ' + line for line in refusals(mine)] + ['']
    return '\n'.join(out)
