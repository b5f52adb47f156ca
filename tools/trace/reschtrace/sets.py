# SPDX-License-Identifier: GPL-2.0
"""Traces whose jitter is measured, each one a run of a task set: what they are, and all of it as
JSON."""

import os

from . import figures, interrupts, read, replay
from .measure import Measured
from .units import parse_time, show

FORMAT = 1
# What sekg and npsf do where their options do not say, ns
HANDOVER, RETRY = 'notify', 5000
HANDED = ('sekg', 'npsf')
MAIN = ('ResJ', 'RelJ', 'CtswJ', 'HandJ', 'tick')


def options_of(text):
    return dict(part.partition('=')[::2] for part in text.split(',') if part)


class Subject:
    """What is kept of a task. `cpus`: those that it was selected on."""

    __slots__ = ('id', 'name', 'label', 'cpus')

    def __init__(self, task):
        self.id, self.name, self.label, self.cpus = task.id, task.name, task.label(), task.cpus()


class Set:
    """One trace, measured; the trace itself is not kept. `stated`: a word for the option handover
    where it does not say. `measures`: name -> Measure, in whose samples tasks are Subjects."""

    def __init__(self, path, name, stated=None):
        recorder = interrupts.Recorder()
        trace = read.load(path, recorder.line)
        model = replay.build(trace)
        measured = Measured(model, recorder.settle(trace))
        self.path, self.name, self.recorded = path, name, trace.recorded
        self.start, self.end = model.start, model.end
        self.said, self.plugins = recorder.said, plugins_of(model)
        self.handover = handover_of(recorder.said) or stated
        self.measures, self.unserved = measured.measures, measured.unserved
        self.jobs, self.misses, self.lost = model.job_count(), misses_of(model), lost_of(trace)
        self.remarks = remarks_of(model, measured)
        self.tasks = self.keep(model)
        self.split = [task for task in self.tasks if len(task.cpus) > 1]
        self.cpus = sorted({cpu for task in self.tasks for cpu in task.cpus} |
                           {cpu for plan in model.plans for cpu in plan.cpus()})

    def keep(self, model):
        subjects = {task: Subject(task) for task in model.task_list()}
        for measure in self.measures.values():
            for sample in measure.samples:
                sample.task = sample.task and subjects[sample.task]
        return list(subjects.values())

    def devices(self):
        """The measures of devices' interrupts."""
        return [measure for name, measure in self.measures.items() if name.startswith('irq ')]

    def as_json(self):
        return {
            'name': self.name, 'source': self.path, 'recorded': self.recorded,
            'plugins': self.plugins, 'handover': self.handover,
            'said': [dict(plugin=plugin, options=text) for plugin, text in self.said],
            'duration_ns': self.end - self.start, 'cpus': self.cpus, 'tasks': len(self.tasks),
            'split_tasks': len(self.split), 'jobs': self.jobs, 'misses': self.misses,
            'lost_events': self.lost, 'unserved_reserves': self.unserved, 'remarks': self.remarks,
            'measures': {name: measure_json(self, measure)
                         for name, measure in self.measures.items()},
        }


def plugins_of(model):
    """Those that were in charge, in the order of time."""
    found = sorted((since, name) for cpu in model.cpus.values() for since, name in cpu.policies)
    return list(dict.fromkeys(name for _, name in found))


def retry_of(options):
    """Of what a person has written, too: what is no time stands there as it is."""
    try:
        return show(parse_time(options['retry']) if 'retry' in options else RETRY)
    except ValueError:
        return options['retry']


def handover_of(said):
    """'notify', 'retry 5 µs', several of these, or None: nobody wrote into the trace which."""
    words = []
    for plugin, text in said:
        options = options_of(text)
        if plugin not in HANDED:
            continue
        word = options.get('handover', HANDOVER)
        if word == 'retry':
            word += ' ' + retry_of(options)
        words.append(word)
    return ' + '.join(dict.fromkeys(words)) or None


def misses_of(model):
    return sum(1 for task in model.tasks.values() for job in task.jobs
               if job.misses or job.completed is not None and job.tardiness())


def lost_of(trace):
    """How many events are missing; None: some, nobody knows how many."""
    counts = [hole.count for hole in trace.holes]
    return None if None in counts else sum(counts)


def remarks_of(model, measured):
    """What one has to know to read the figures."""
    lines, lost = list(model.trace.notes), lost_of(model.trace)
    if model.trace.holes:
        lines.append(f'{"some" if lost is None else lost} events were lost: what happened there is not in the figures')
    for plan in model.plans:
        if not plan.whole():
            lines.append('a plan was not recorded whole: the reserves in it are not in the figures')
    if measured.unserved:
        lines.append(f'{measured.unserved} reserves passed without a task of their group, which had a job ready '
                     'throughout: they have no reserve jitter, and are not in the figures')
    if not model.has_switches:
        lines.append('there is no sched_switch in the trace: ResJ and HandJ end at the selection')
    unknown = sum(1 for task in model.tasks.values() if task.params is None)
    if unknown:
        lines.append(f'of {unknown} tasks neither the group nor the kind is known, they were attached before the trace '
                     'began: without ResJ and HandJ')
    return lines


# ---- JSON

def histogram_json(samples):
    return [{'from_ns': low, 'below_ns': high, 'count': count}
            for low, high, count in figures.buckets([sample.value for sample in samples])]


def phases_json(measure, samples):
    return {name: found and found.as_json()
            for name, found in figures.of_phases(samples, measure.phases).items()}


def measure_json(one, measure):
    if measure.missing:
        return {'missing': measure.missing}
    found = dict(figures.of(measure.samples).as_json(), missing=None, about=measure.about,
                 phases=phases_json(measure, measure.samples), **figures.row([measure]).as_json())
    worst = figures.worst([measure])
    found['worst'] = worst and worst_json(one, worst[1])
    tasks = measure.by_task()
    found['tasks'] = [dict({'id': task.id, 'name': task.name, 'cpus': task.cpus},
                           **figures.of(tasks[task]).as_json(),
                           phases=phases_json(measure, tasks[task]))
                      for task in one.tasks if task in tasks]
    found['per_cpu'] = [dict({'cpu': cpu}, **figures.of(samples).as_json())
                        for cpu, samples in measure.by_cpu().items()]
    found['histogram'] = histogram_json(measure.samples)
    return found


def worst_json(one, sample):
    return {'set': one.name, 'task': sample.task and sample.task.id,
            'name': sample.task and sample.task.name, 'cpu': sample.cpu,
            'since_start_ns': sample.at - one.start}


# ---- several together

def names(sets):
    """Of all measures, the usual ones first."""
    found = dict.fromkeys(MAIN)
    for one in sets:
        found.update(dict.fromkeys(one.measures))
    return list(found)


def together(sets, name):
    """The measure `name` of those sets that have it recorded."""
    return [one.measures[name] for one in sets if name in one.measures and
            not one.measures[name].missing]


def missing(sets, name):
    """Why no set has it, or None."""
    reasons = [one.measures[name].missing for one in sets if name in one.measures]
    return None if not reasons or None in reasons else ', '.join(dict.fromkeys(reasons))


def worst_of(sets, name):
    """(set, sample) with the largest value of a measure, or None."""
    found = [(one, sample) for one in sets if name in one.measures and
             (sample := figures.worst([one.measures[name]]))]
    if not found:
        return None
    one, (_, sample) = max(found, key=lambda pair: pair[1][1].value)
    return one, sample


def total_json(sets):
    found = {}
    for name in names(sets):
        measures = together(sets, name)
        if not measures:
            found[name] = {'missing': missing(sets, name)}
            continue
        samples = [sample for measure in measures for sample in measure.samples]
        worst = worst_of(sets, name)
        found[name] = dict(figures.of(samples).as_json(), missing=None, sets=len(measures),
                           phases=phases_json(measures[0], samples),
                           **figures.row(measures).as_json(),
                           worst=worst and worst_json(*worst), histogram=histogram_json(samples))
    return found


def as_json(sets, note=None):
    return {'format': FORMAT, 'note': note, 'sets': [one.as_json() for one in sets],
            'total': {'sets': len(sets), 'jobs': sum(one.jobs for one in sets),
                      'measures': total_json(sets)},
            'paper_us': figures.PAPER}


def label(paths):
    """A name for each file: its own, without the ending; with folders where that is not enough to
    tell them apart."""
    found = []
    for path in paths:
        parts = ('standard input' if path == '-' else os.path.splitext(path)[0]).split(os.sep)
        found.append([part for part in parts if part not in ('', '.')] or [path])
    depth = 1
    while depth < max(map(len, found),
                      default=1) and len({tuple(one[-depth:]) for one in found}) < len(found):
        depth += 1
    return [os.sep.join(one[-depth:]) for one in found]
