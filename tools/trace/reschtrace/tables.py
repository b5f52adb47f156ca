# SPDX-License-Identifier: GPL-2.0
"""Measured jitter as text: the paper's tables with the paper's figures beside, one row a trace, one
row a task."""

from . import figures
from .figures import CORES, MACHINE, PAPER, WHERE
from .jitter import us
from .report import plural, table
from .sets import missing, names, together, worst_of
from .units import show

NOT_RECORDED = 'not recorded'
SHORT = {'HandJ': 'hand-over', 'tick': 'tick'}
# Columns of one row a trace: (measure, with its average)
PER_SET = ('ResJ', 'RelJ', 'CtswJ', 'HandJ', 'tick')
PHASE_WORDS = {
    'ResJ': {'timer': "until the CPU's timer interrupt comes",
             'decide': 'from there until the selection',
             'hand-over': 'the same, where another CPU had the group',
             'switch': 'from the selection until it runs'},
    'RelJ': {'timer': 'until the timer interrupt comes',
             'ready': 'from there until the job is ready'},
    'HandJ': {'decide': 'until the giving CPU decides', 'leave': 'until its thread has left',
              'take': 'until the receiving CPU selects',
              'switch': 'from there until the task runs'},
}


def numbers(found):
    """count, average, maximum, 99 %, 99.9 %"""
    return [str(found.count), us(found.avg), us(found.max), us(found.p99), us(found.p99_9)]


NUMBERS = ['count', 'avg', 'max', '99 %', '99.9 %']


# ---- as in the paper

def paper_rows(sets):
    """(name in PAPER, label, values or None: not recorded)."""
    for name in ('ResJ', 'RelJ', 'CtswJ'):
        measures = together(sets, name)
        yield name, name, figures.row(measures).values if measures else None
    devices = [(one, measure) for one in sets for measure in one.devices()]
    worst = max((pair for pair in devices if pair[1].samples),
                key=lambda pair: figures.of(pair[1].samples).max, default=None)
    if worst:
        # as rare as they are: whatever ran there, and no averages
        yield 'irq', f'IntO - {worst[1].name}', (figures.of(worst[1].samples).max, None, None, None)
    else:
        yield 'irq', 'IntO - irq', None if missing(sets, 'irq') else (None,) * 4
    for name, label in (('tick', 'IntO - tick'), ('RelO', 'RelO')):
        measures = together(sets, name)
        yield name, label, figures.row(measures).values if measures else None


def paper_tables(sets):
    cpus = {len(one.cpus) for one in sets}
    count = ' or '.join(map(str, sorted(cpus)))
    mine = min(PAPER, key=lambda machine: abs(CORES[machine] - max(cpus)))
    out = []
    for machine, paper in PAPER.items():
        head = ['', 'MAX max', 'paper', 'AVG', 'paper', 'MIN max', 'paper', 'AVG', 'paper']
        rows = []
        for name, label, values in paper_rows(sets):
            cells = [NOT_RECORDED if values is None else us(values[0])]
            cells += [us(value) for value in (values or (None,) * 4)[1:]]
            if machine != mine:
                cells = ['-'] * 4
            theirs = ['-' if value is None else f'{value:.3f}' for value in paper[name]]
            rows.append([label] + [cell for pair in zip(cells, theirs) for cell in pair])
        measured = f'{count} CPU{"" if cpus == {1} else "s"}'
        here = (f'measured here: {measured}' if machine == mine else
                f'nothing was measured here on so many: {measured} stand beside {mine}')
        out += [f'{WHERE[machine]}: {machine} ({MACHINE[machine]}) in the columns "paper"; {here}; µs',
                table(head, rows, 'l'), '']
    out.append('MAX max: the largest value of all; AVG: the average of the task that had it; MIN max: the smallest of the '
               "tasks'\nlargest values; AVG: the average of that task. Paper: Sousa, Bletsas, Tovar, Andersson, "
               'HURRAY-TR-110903, 2011.\nIts Table 2 is the first two rows of Table 5; its irq is irq20, the disk\'s. It has no figure for '
               'RelO,\nwhich it counts as a part of RelJ.')
    return '\n'.join(out)


def worst_lines(sets):
    out = []
    for name in ('ResJ', 'RelJ', 'CtswJ', 'tick', 'RelO'):
        worst = worst_of(sets, name)
        if worst:
            one, sample = worst
            who = sample.task.label if sample.task else 'no task'
            where = f' of {one.name}' if len(sets) > 1 else ''
            cpu = '' if sample.cpu is None else f', CPU {sample.cpu}'
            out.append(f'largest {name}: {show(sample.value)}, {who}{where}{cpu}, at '
                       f'{(sample.at - one.start) / 1e9:.6f} s')
    return '\n'.join(out)


def overheads_line(sets):
    """The largest values in the words of `reschctl assign`, or nothing."""
    words = []
    for word, name in (('reserve', 'ResJ'), ('release', 'RelJ'), ('switch', 'CtswJ')):
        largest = figures.row(together(sets, name)).values[0]
        if largest is not None:
            words.append(f'{word}={largest}ns')
    return [f'these for reschctl assign: --overheads={",".join(words)}'] if words else []


# ---- one row a trace

def cells_of(sets, name):
    """average and maximum of a measure in these traces"""
    measures = together(sets, name)
    if not measures:
        return [NOT_RECORDED if missing(sets, name) else '-', '-']
    found = figures.Figures([sample.value for measure in measures for sample in measure.samples])
    return [us(found.avg), us(found.max)]


def hand_overs(sets):
    measures = together(sets, 'HandJ')
    return str(sum(len(measure.samples) for measure in measures)) if measures else '-'


def set_row(label, plugin, handover, sets):
    tasks, split = (sum(len(group) for group in of)
                    for of in zip(*((one.tasks, one.split) for one in sets)))
    cells = [label, plugin, handover, str(len({cpu for one in sets for cpu in one.cpus})),
             str(tasks), str(split), str(sum(one.jobs for one in sets)),
             str(sum(one.misses for one in sets))]
    for name in PER_SET:
        if name == 'HandJ':
            cells.append(hand_overs(sets))
        cells += cells_of(sets, name)
    return cells


def set_table(sets):
    """One row a trace, one for those with the same plugin and hand-over, one for all."""
    head = ['set', 'plugin', 'handover', 'CPUs', 'tasks', 'split', 'jobs', 'misses']
    for name in PER_SET:
        if name == 'HandJ':
            head.append('hand-overs')
        head += [f'{SHORT.get(name, name)}: avg', 'max']
    rows, kinds = [], {}
    for one in sets:
        plugin, handover = '+'.join(one.plugins) or '?', one.handover or '?'
        kinds.setdefault((plugin, handover), []).append(one)
        rows.append(set_row(one.name, plugin, handover, [one]))
    if 1 < len(kinds) < len(sets):
        rows += [set_row(f'{len(those)} sets', *kind, those) for kind, those in kinds.items()]
    if len(sets) > 1:
        rows.append(set_row(f'all {len(sets)}', '', '', sets))
    return table(head, rows, 'lll') + '\nin µs; "?": the trace does not say'


# ---- one row a task

def phase_cells(samples, phases):
    cells = []
    for found in figures.of_phases(samples, phases).values():
        cells += [us(found.avg), us(found.max)] if found else ['-', '-']
    return cells


def task_table(one, measure):
    """Of one measure in one trace."""
    title = f'{measure.name}, µs: {measure.about}'
    if measure.missing:
        return f'{measure.name}: {NOT_RECORDED} ({measure.missing})'
    if not measure.samples:
        return f'{title}\nnone seen'
    head = ['task', 'cpu'] + NUMBERS + sum(([f'{phase}: avg', 'max'] for phase in measure.phases),
                                           [])
    tasks, rows = measure.by_task(), []
    for task in one.tasks:
        if task in tasks:
            rows.append([task.label, '+'.join(map(str, task.cpus))] +
                        numbers(figures.of(tasks[task]))
                        + phase_cells(tasks[task], measure.phases))
    rows.append(['all', ''] + numbers(figures.of(measure.samples)) +
                phase_cells(measure.samples, measure.phases))
    return '\n'.join([title, table(head, rows, 'll')] + legend(measure))


def legend(measure):
    """What the parts are, and which of them the trace does not have."""
    if not measure.phases:
        return []
    found = figures.of_phases(measure.samples, measure.phases)
    words = PHASE_WORDS[measure.name]
    out = ['; '.join(f'{phase}: {words[phase]}' for phase in measure.phases)]
    if 'timer' in found and not found['timer']:
        out.append(f'timer: {NOT_RECORDED} (irq_vectors), it is in the part after it')
    elif 'timer' in found and found['timer'].count < len(measure.samples):
        out.append(f'timer: of {found["timer"].count}, the others were decided outside of timer interrupts')
    if 'leave' in found and not found['leave']:
        out.append(f'leave: {NOT_RECORDED} (resch_park), it is in take')
    if 'switch' in found and not found['switch']:
        out.append(f'switch: {NOT_RECORDED} (sched_switch)')
    return out


def cpu_table(one):
    """The largest values, by CPU."""
    shown = [name for name in PER_SET if name in one.measures and not one.measures[name].missing]
    by_cpu = {name: one.measures[name].by_cpu() for name in shown}
    cpus = sorted({cpu for found in by_cpu.values() for cpu in found if cpu is not None})
    rows = [[str(cpu)] + [us(figures.of(by_cpu[name].get(cpu, ())).max) for name in shown]
            for cpu in cpus]
    return 'largest values by CPU, µs\n' + table(['cpu'] + [SHORT.get(name, name)
                                                            for name in shown], rows, '')


def interrupt_table(sets):
    """All kinds of interrupts; how many of them a task had to wait for."""
    rows = []
    rest = sorted(name for name in names(sets)
                  if name not in (*PER_SET, 'timer', 'RelO', 'irq'))
    for name in ['tick', 'timer', 'RelO'] + rest + ['irq']:
        measures = together(sets, name)
        if not measures:
            if why := missing(sets, name):
                rows.append([name, NOT_RECORDED + f' ({why})'] + [''] * 7)
            continue
        samples = [sample for measure in measures for sample in measure.samples]
        met = figures.of([sample for sample in samples if sample.task])
        rows.append([name] + numbers(figures.of(samples)) +
                    [str(met.count), us(met.avg), us(met.max)])
    return ('interrupts, µs: on any CPU, and while a task ran\n'
            + columns(['', *NUMBERS, 'on tasks: count', 'avg', 'max'], rows)
            + '\ntick: timer interrupts without decisions of resch; RelO: those that released jobs of others')


def columns(head, rows):
    """A table where some rows have words in place of figures."""
    whole = [row for row in rows if row[2] or not row[1]]
    text = table(head, whole or [[''] * len(head)], 'l').splitlines()
    width = max([len(row[0]) for row in rows] + [0])
    said = [f'{row[0].ljust(width)}  {row[1]}' for row in rows if row not in whole]
    return '\n'.join(([text[0]] + text[1:] if whole else []) + said)


def summary(one):
    cpus = ', '.join(map(str, one.cpus))
    parts = [show(one.end - one.start), '+'.join(one.plugins) or 'plugin not known',
             plural(len(one.tasks), 'task') + f', {len(one.split)} of them on several CPUs',
             plural(one.jobs, 'job'), plural(one.misses, 'missed deadline'), f'CPU {cpus}',
             'recorded' if one.recorded else 'simulated',
             f'handover: {one.handover or "the trace does not say"}']
    return f'{one.name}: ' + '; '.join(parts)


def details(one):
    """All of one trace."""
    out = [summary(one)] + ['note ' + line for line in one.remarks] + ['']
    for name in ('ResJ', 'HandJ', 'RelJ', 'CtswJ'):
        out += [task_table(one, one.measures[name]), '']
    out += [cpu_table(one), '']
    return '\n'.join(out)


def text(sets, note=None, tasks=False):
    out = [f'note: {note}', ''] if note else []
    if len(sets) == 1 or tasks:
        out += [details(one) for one in sets]
    if len(sets) > 1:
        out += [set_table(sets), '']
        out += [f'note {one.name}: {line}' for one in sets
                for line in one.remarks] if not tasks else []
        out += [''] if out[-1] else []
    out += [interrupt_table(sets), '', paper_tables(sets), '', worst_lines(sets)]
    out += overheads_line(sets)
    return '\n'.join(out).rstrip()
