# SPDX-License-Identifier: GPL-2.0
"""A checked schedule in words, as tables, as JSON."""

import json

from . import budgets, jitter
from .model import PERIODIC, SPORADIC, WAKEUP, first_inside
from .units import ms, show

KINDS = {PERIODIC: 'periodic', SPORADIC: 'sporadic', WAKEUP: 'wakeup'}
LONGEST_LIST = 40


class Figures:
    """What there is to count about a task. Times in ns; None where nothing was seen."""

    def __init__(self, model, task):
        done = [job for job in task.jobs if job.completed is not None and job.released is not None]
        responses = [job.response() for job in done]
        self.jobs = len(task.jobs)
        self.completed = len([job for job in task.jobs if job.completed is not None])
        self.misses = sum(1 for job in task.jobs
                          if job.misses or job.completed is not None and job.tardiness())
        self.overruns = sum(len(job.overruns) for job in task.jobs)
        self.skipped = sum(job.skipped for job in task.jobs)
        self.tardiness_max = max((job.tardiness() for job in done), default=None)
        self.response_min = min(responses, default=None)
        self.response_avg = sum(responses) // len(responses) if responses else None
        self.response_max = max(responses, default=None)
        execs = [job.exec for job in done if job.exec is not None]
        self.exec_avg = sum(execs) // len(execs) if execs else None
        self.exec_max = max(execs, default=None)
        self.late_max = max((max(0, job.released - job.nominal) for job in task.jobs
                             if job.released is not None and not waited(job)), default=None)
        latencies = [latency for job in task.jobs
                     if (latency := self.latency(model, task, job)) is not None]
        self.latency_avg = sum(latencies) // len(latencies) if latencies else None
        self.latency_max = max(latencies, default=None)

    @staticmethod
    def latency(model, task, job):
        """From a job's first selection until its thread runs."""
        if not model.has_switches or job.selected is None or job.released is None:
            return None
        start = first_inside(task.running, job.selected)
        if start is None or job.completed is not None and start > job.completed:
            return None
        return start - job.selected


def waited(job):
    """Whether the job before it was in the way of its release."""
    return job.previous is not None and job.previous.completed is not None and \
        job.previous.completed > job.nominal


def table(head, rows, flush='l'):
    """Columns as wide as they must be. `flush`: l or r for each column, the rest is r."""
    widths = [max(len(row[at]) for row in [head] + rows) for at in range(len(head))]
    flush = flush.ljust(len(head), 'r')
    return '\n'.join('  '.join(cell.ljust(width) if side == 'l' else cell.rjust(width)
                               for cell, width, side in zip(row, widths, flush)).rstrip()
                     for row in [head] + rows)


def task_table(model):
    """In ms. Columns that have nothing to say are left out."""
    head = ['task', 'id', 'cpu', 'kind', 'period', 'jobs', 'misses', 'overruns', 'skipped',
            'response: min', 'avg', 'max', 'exec max', 'release late', 'select to run: avg', 'max']
    rows = []
    for task in model.task_list():
        figures = Figures(model, task)
        cpus = '+'.join(map(str, task.cpus())) if task.group() else str(task.cpu)
        rows.append([task.name or '?', str(task.id), cpus, KINDS.get(task.param('kind'), '?'),
                     ms(task.param('period')), str(figures.jobs), str(figures.misses),
                     str(figures.overruns), str(figures.skipped), ms(figures.response_min),
                     ms(figures.response_avg), ms(figures.response_max), ms(figures.exec_max),
                     ms(figures.late_max), ms(figures.latency_avg), ms(figures.latency_max)])
    idle = {at for at, name in enumerate(head) if name in ('overruns', 'skipped', 'release late')
            and all(row[at] in ('0', '0.000', '-') for row in rows)}
    idle |= {at for at, name in enumerate(head) if all(row[at] == '-' for row in rows)}
    keep = [at for at in range(len(head)) if at not in idle]
    return table([head[at] for at in keep], [[row[at] for at in keep] for row in rows], 'lrrl')


def server_table(servers):
    head = ['server', 'id', 'cpu', 'kind', 'policy', 'budget', 'period', 'executed', 'budgets',
            'used up', 'postponed']
    rows = [[server.name or '?', str(server.id), str(server.cpu),
             budgets.KINDS.get(server.kind, '?'), budgets.POLICIES.get(server.policy, '?'),
             ms(server.budget), ms(server.period), ms(server.consumed), *map(str, server.totals)]
            for server in servers]
    return table(head, rows, 'lrrll')


def at(model, time):
    """A point in time for people: since the beginning of the trace."""
    return f'{(time - model.start) / 1000000000:.6f} s'


def rule_table(checker):
    rows = []
    for rule in checker.rules.values():
        if rule.skipped:
            result = f'not checked: {rule.skipped}'
        elif rule.violations:
            count = len(rule.violations)
            result = f'BROKEN {count} time{"s" if count > 1 else ""}'
        elif not rule.checked:
            result = 'nothing to check'
        else:
            result = 'kept'
        worst = '-' if rule.worst is None else show(rule.worst)
        rows.append([rule.name, rule.about, str(rule.checked), worst, result])
    return table(['rule', '', 'checked', 'largest', 'result'], rows, 'llrrl')


def plural(count, word):
    return f'{count} {word}' + ('' if count == 1 else 's')


def summary(checker):
    model = checker.model
    cpus = sorted({cpu for task in model.tasks.values()
                   for cpu in (task.cpus() if task.group() else [task.cpu])})
    parts = [f'{show(model.end - model.start)}', plural(len(model.tasks), 'task'),
             plural(model.job_count(), 'job'),
             'CPU ' + ', '.join(map(str, cpus)) if cpus else 'no CPU',
             plural(len(model.swaps), 'swap')]
    if model.plans:
        parts.append(plural(len(model.plans), 'plan'))
    return f'{model.trace.source}: ' + ', '.join(parts) + f'; tolerance {show(checker.tolerance)}'


def remarks(checker):
    """What the reader has to know to judge the verdict."""
    model, lines = checker.model, list(checker.model.trace.notes)
    for hole in model.trace.holes:
        count = 'some' if hole.count is None else str(hole.count)
        lines.append(
            f'{count} events of CPU {"?" if hole.cpu is None else hole.cpu} were lost between '
            f'{at(model, hole.start)} and {at(model, hole.end)}: unknown what happened there')
    for task in model.task_list():
        if task.params is None:
            lines.append(
                f'{task.label()} was attached before the trace began: its parameters are unknown, '
                'its releases and deadlines were not checked')
    for name in sorted(checker.unordered):
        lines.append(
            f"no order is known for plugin '{name}': rules 'order' and 'idle' were not checked "
            'under it (see --order)')
    for event in model.ejects:
        lines.append(f"plugin '{event.get('plugin')}' was ejected from CPU {event['cpu']} at "
                     f'{at(model, event.time)}: {event.get("reason", "")}')
    return lines + plan_remarks(checker) + checker.server_remarks


def plan_remarks(checker):
    """What is unknown of plans, and how long hand-overs took."""
    model, lines = checker.model, []
    for plan in model.plans:
        if not plan.whole():
            lines.append(f'the plan of {at(model, plan.event.time)} was not recorded whole: '
                         "rules 'reserve', 'idle' and 'slot' were not checked by it")
    for domain in checker.domains:
        if not domain.plans:
            lines.append("no plan was recorded: rules 'reserve', 'idle' and 'slot' were not checked where a plugin "
                         'kept to one')
        if domain.handovers:
            times = [lasted for _, lasted, _, _ in domain.handovers]
            start, worst, cpu, group = max(domain.handovers, key=lambda one: one[1])
            lines.append(f'{plural(len(times), "time")} a CPU waited in a reserve until another one had let its group '
                         f'go: {show(sum(times) // len(times))} on average, at most {show(worst)} (group {group}, CPU '
                         f'{cpu}, {at(model, start)})')
    return lines


def verdict_line(checker):
    verdict = checker.verdict()
    if verdict == 'legal':
        within = f' (within {show(checker.tolerance)})' if checker.tolerance else ''
        return f'verdict: legal{within}'
    if verdict == 'unknown':
        return 'verdict: unknown: events were lost; legal where they were not'
    return f'verdict: ILLEGAL: {plural(len(checker.violations()), "violation")}'


def swap_lines(model):
    changes = [(event.time, f'CPU {event["cpu"]}: {event["from"]} -> {event["to"]}')
               for event in model.swaps]
    for plan in model.plans:
        cut = (f'slots of {show(plan.slot)}, {plural(plan.count, "reserve")}'
               if plan.count else 'none')
        changes.append((plan.event.time,
                        f'plan of domain {plan.domain}: {cut}, from {at(model, plan.start)} on'))
    return [f'{at(model, time)}  {what}'
            for time, what in sorted(changes, key=lambda change: change[0])]


def text(checker, limit=LONGEST_LIST):
    model = checker.model
    out = [summary(checker), '']
    changes = swap_lines(model)
    if changes:
        out += changes + ['']
    out += [rule_table(checker), '']
    violations = checker.violations()
    for violation in violations[:limit]:
        where = '' if violation.cpu is None else f' CPU {violation.cpu}'
        line = '' if violation.line is None else f' (line {violation.line})'
        out.append(f'VIOLATION {at(model, violation.time)}{where} {violation.rule}: {violation.text}{line}')
    if len(violations) > limit:
        out.append(f'... and {len(violations) - limit} more')
    for note in checker.notes[:limit]:
        where = '' if note.cpu is None else f' CPU {note.cpu}'
        out.append(f'note {at(model, note.time)}{where} {note.kind}: {note.text}')
    if len(checker.notes) > limit:
        out.append(f'... and {len(checker.notes) - limit} more notes')
    out += ['note ' + line for line in remarks(checker)]
    if out[-1]:
        out.append('')
    out += [task_table(model), '']
    if checker.servers:
        out += [server_table(checker.servers), '']
    out[-1:] = ['times in ms', '', verdict_line(checker)]
    return '\n'.join(out)


def jitter_text(checker, with_histogram):
    return jitter.text(checker, table) + ('\n' + jitter.histogram(checker)
                                          if with_histogram else '')


def plans_json(checker):
    """What only a trace with plans has."""
    model = checker.model
    return {'plans': [{'domain': plan.domain, 'slot_ns': plan.slot, 'from_ns': plan.start,
                       'until_ns': plan.end,
                       'reserves': [{'cpu': cpu, 'begin_ns': begin, 'end_ns': end, 'group': group}
                                    for cpu, begin, end, group in plan.reserves]}
                      for plan in model.plans],
            'handovers': [{'time_ns': start, 'lasted_ns': lasted, 'cpu': cpu, 'group': group}
                          for domain in checker.domains
                          for start, lasted, cpu, group in domain.handovers]}


def as_json(checker, with_jitter=False, with_histogram=False):
    model = checker.model
    more = plans_json(checker) if model.plans else {}
    if checker.servers:
        more['servers'] = [{'id': server.id, 'name': server.name, 'cpu': server.cpu,
                            'kind': budgets.KINDS.get(server.kind),
                            'policy': budgets.POLICIES.get(server.policy),
                            'budget_ns': server.budget, 'period_ns': server.period,
                            'executed_ns': server.consumed,
                            **dict(zip(('budgets', 'exhausted', 'postponed'), server.totals))}
                           for server in checker.servers]
    if with_jitter:
        more['jitter'] = jitter.as_json(checker, with_histogram)
    return json.dumps({
        'source': model.trace.source,
        'verdict': checker.verdict(),
        'tolerance_ns': checker.tolerance,
        'start_ns': model.start,
        'end_ns': model.end,
        'rules': {rule.name: {'about': rule.about, 'checked': rule.checked,
                              'largest_ns': rule.worst, 'broken': len(rule.violations),
                              'skipped': rule.skipped}
                  for rule in checker.rules.values()},
        'violations': [{'rule': one.rule, 'time_ns': one.time, 'cpu': one.cpu,
                        'tasks': [task.id for task in one.tasks], 'amount_ns': one.amount,
                        'text': one.text, 'line': one.line} for one in checker.violations()],
        'notes': [{'kind': one.kind, 'time_ns': one.time, 'cpu': one.cpu,
                   'tasks': [task.id for task in one.tasks], 'amount_ns': one.amount,
                   'text': one.text}
                  for one in checker.notes],
        'remarks': remarks(checker),
        'holes': [{'start_ns': hole.start, 'end_ns': hole.end, 'cpu': hole.cpu,
                   'events': hole.count}
                  for hole in model.trace.holes],
        'swaps': [{'time_ns': event.time, 'cpu': event['cpu'], 'from': event['from'],
                   'to': event['to']}
                  for event in model.swaps],
        'tasks': [dict({'id': task.id, 'pid': task.pid, 'name': task.name, 'cpu': task.cpu,
                        'params': task.params}, **vars(Figures(model, task)))
                  for task in model.task_list()],
        **more,
    }, indent=2)
