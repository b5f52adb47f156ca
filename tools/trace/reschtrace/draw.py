# SPDX-License-Identifier: GPL-2.0
"""A schedule as a picture: one lane a task, one lane a CPU."""

import os

import matplotlib

matplotlib.use('Agg')

from matplotlib import pyplot  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.patches import FancyArrowPatch, Patch, Rectangle  # noqa: E402

from . import chains  # noqa: E402
from .units import show  # noqa: E402

# Colours that stay apart for colour-blind readers too (Okabe and Ito), without the red of misses.
COLOURS = ('#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#8c6d31', '#6a3d9a', '#4d4d4d')
INK, FAINT, GRID, MISS, OTHER = '#222222', '#8a8a8a', '#e3e3e3', '#d62728', '#c9c9c9'
WAIT = 0.16         # how much of its colour a job's lane has while the job waits
BANDS = ('#f4f6f8', '#fdf6ec')
# Of the reserves of groups: pale, and other ones than those of tasks.
RESERVES = ('#9ecae1', '#fdbf6f', '#a1d99b', '#fa9fb5', '#bcbddc', '#d9d98a', '#a6cfc9', '#d8b59a')
BAND = 0.55
SLOTS_SHOWN = 400   # more edges than that are a grey area

# In units of a lane, from its lower edge. A release's arrow ends where that of a deadline begins,
# so that one at the same time does not hide the other.
BAR_LOW, BAR_HIGH, RELEASE_HIGH, DEADLINE_LOW, DEADLINE_HIGH = 0.14, 0.52, 0.70, 0.72, 1.02
# Inches that an entry of the legend takes, and letters of the title and of what stands beside it.
LEGEND, TITLE_LETTER, SMALL_LETTER = 1.45, 0.093, 0.066
HANDED_SHOWN = 400  # more arrows between stages than that hide what is below
JOBS_SHOWN = 14     # of the task with the shortest period, in the default window


def default_window(model):
    """Around the first swap, or from the first release on: as much as can be told apart."""
    periods = [task.param('period') for task in model.task_list() if task.param('period')]
    length = model.end - model.start
    if periods:
        length = min(length,
                     max(JOBS_SHOWN * min(periods), min(2 * max(periods), 40 * min(periods))))
    if model.swaps:
        start = model.swaps[0].time - length // 2
    else:
        start = min((job.seen for task in model.task_list() for job in task.jobs),
                    default=model.start)
        start -= length // 50
    start = max(model.start, min(start, model.end - length))
    return start, start + length


class Canvas:
    """`unit`: what the time axis counts in, ns; `zero`: where it counts from."""

    def __init__(self, axes, start, end):
        self.axes, self.start, self.end = axes, start, end
        self.unit, self.name = (1000000, 'ms') if end - start < 20000000000 else (1000000000, 's')
        if end - start < 2000000:
            self.unit, self.name = 1000, 'µs'
        self.zero = start

    def x(self, time):
        return (time - self.zero) / self.unit

    def seen(self, start, end):
        return start < self.end and end > self.start

    def box(self, start, end, low, high, **style):
        start, end = max(start, self.start), min(end, self.end)
        if end > start:
            self.axes.add_patch(Rectangle((self.x(start), low),
                                          self.x(end) - self.x(start), high - low, **style))

    def inside(self, time):
        return self.start <= time <= self.end


def outside(model, start, end):
    """What of note the window does not show, in words; nothing where there is nothing."""
    jobs = [job for task in model.task_list() for job in task.jobs]
    times = {'missed deadline': [job.deadline for job in jobs if missed(job)],
             'overrun': [now for job in jobs for now, _ in job.overruns],
             'plugin swap': [event.time for event in model.swaps],
             'plugin thrown out': [event.time for event in model.ejects],
             'hole': [hole.end for hole in model.trace.holes],
             'job': [job.release for job in jobs]}
    words = []
    for what, found in times.items():
        count = sum(not start <= time <= end for time in found)
        if count:
            plural = 'plugins thrown out' if what == 'plugin thrown out' else what + 's'
            words.append(f'{count} {what if count == 1 else plural}')
    return 'outside this window: ' + ', '.join(words) if words else ''


def missed(job):
    return bool(job.misses) or job.completed is not None and job.completed > job.deadline


def draw(model, path, start=None, end=None, title=None, width=14.0):
    """Writes a PNG or SVG, by the name of `path`. Times of the window are absolute."""
    window = default_window(model)
    start = window[0] if start is None else start
    end = window[1] if end is None else end
    tasks = [task for task in model.task_list() if shown(task, start, end)]
    groups = groups_shown(model, start, end)
    cpus = sorted({cpu for task in tasks for cpu in (task.cpus() if task.group() else [task.cpu])}
                  | {cpu for plan in model.plans if plan.whole() for cpu in plan.cpus() if groups})
    lanes = len(tasks) + len(cpus)
    pyplot.rcParams.update({'font.family': 'DejaVu Sans', 'font.size': 9, 'svg.hashsalt': 'resch'})
    handed = handed_in(model, start, end)
    legend = legend_entries(groups, handed)
    columns = max(1, min(len(legend), int(width / LEGEND)))
    foot = 0.60 + 0.22 * -(-len(legend) // columns)
    title, hidden = title or os.path.basename(model.trace.source), outside(model, start, end)
    beside = len(title) * TITLE_LETTER + len(hidden) * SMALL_LETTER < 0.85 * width
    foot += 0 if beside else 0.17
    height = 0.55 + foot + 0.62 * max(lanes, 1)
    figure, axes = pyplot.subplots(figsize=(width, height))
    canvas = Canvas(axes, start, end)
    colours = {task.id: COLOURS[at % len(COLOURS)] for at, task in enumerate(tasks)}
    backdrop(canvas, model, cpus, lanes)
    labels, lows = [], {task.id: lanes - 1 - at for at, task in enumerate(tasks)}
    for task in tasks:
        low = lows[task.id]
        task_lane(canvas, model, task, low, colours[task.id])
        labels.append((low + 0.35, lane_name(task)))
    for at, cpu in enumerate(cpus):
        low = len(cpus) - 1 - at
        reserve_bands(canvas, model, cpu, low, groups)
        cpu_lane(canvas, model, cpu, low, tasks, colours)
        labels.append((low + 0.35, f'CPU {cpu}'))
    slot_edges(canvas, model, len(cpus))
    for hand_over in handed:
        stage_arrow(canvas, lows, *hand_over)
    finish(canvas, lanes, len(cpus), labels)
    heading(axes, title, hidden if beside else '')
    since = (f'{canvas.name}; 0 is {show(start - model.start)} after the beginning of the trace'
             if start > model.start else \
        f'{canvas.name} since the beginning of the trace')
    axes.set_xlabel(since if beside else f'{since}\n{hidden}')
    margins(figure, axes, height, foot)
    figure.legend(handles=legend, loc='lower center', ncol=columns, frameon=False, fontsize=8.5,
                  bbox_to_anchor=(0.5, 0.0),
                  handletextpad=0.5, columnspacing=1.6)
    metadata = {'Date': None} if path.endswith('.svg') else {'Software': None}
    figure.savefig(path, dpi=110, metadata=metadata)
    pyplot.close(figure)


def handed_in(model, start, end):
    """What stages of chains hand over in the window; nothing where that is too much to be told
    apart."""
    handed = [one for one in chains.handed_over(model) if one[2] <= end and one[4] >= start and
              shown(one[1], start, end) and shown(one[3], start, end)]
    return handed if len(handed) <= HANDED_SHOWN else []


def stage_arrow(canvas, lows, instance, before, complete, task, release):
    """From the completion of a stage to the release of the next, in the instance's colour."""
    middle = (BAR_LOW + BAR_HIGH) / 2
    canvas.axes.add_patch(FancyArrowPatch(
        (canvas.x(complete), lows[before.id] + middle), (canvas.x(release), lows[task.id] + middle),
        arrowstyle='-|>',
        mutation_scale=9, linewidth=1.3, shrinkA=0, shrinkB=0,
        color=COLOURS[instance % len(COLOURS)], zorder=7))


def shown(task, start, end):
    return any(span.start < end and span.end > start
               for spans in (task.ready, task.selected, task.running) for span in spans) or \
        any(start <= job.release <= end for job in task.jobs)


def lane_name(task):
    name = task.name or f'task {task.id}'
    period, wcet = task.param('period'), task.param('wcet')
    if not period:
        return name
    where = f'CPU {"+".join(map(str, task.cpus()))}, group {task.group()}' if task.group() else ''
    return f'{name}\n{wcet / 1e6:g} of {period / 1e6:g} ms' + (f'\n{where}' if where else '')


def groups_shown(model, start, end):
    """Group -> colour, of the plans that hold in the window."""
    plans = [plan for plan in model.plans
             if plan.whole() and plan.start < end and (plan.end is None or plan.end > start)]
    groups = sorted({group for plan in plans for group in plan.cpus_of})
    return {group: RESERVES[at % len(RESERVES)] for at, group in enumerate(groups)}


def reserve_bands(canvas, model, number, low, colours):
    """Whose time it is on a CPU, behind what runs there; wide ones say it in letters."""
    for plan in model.plans:
        for window in plan.windows(number, canvas.start, canvas.end) if plan.whole() else ():
            canvas.box(window.start, window.end, low + 0.02, low + 0.98,
                       facecolor=colours[window.group], alpha=BAND,
                       edgecolor='none', zorder=1)
            start, end = max(window.start, canvas.start), min(window.end, canvas.end)
            if end - start > (canvas.end - canvas.start) // 60:
                canvas.axes.text(canvas.x((start + end) // 2), low + 0.77, str(window.group),
                                 color=INK, fontsize=7.5,
                                 ha='center', va='center', zorder=4)


def slot_edges(canvas, model, cpus):
    for plan in model.plans:
        if not plan.whole() or not plan.count:
            continue
        end = canvas.end if plan.end is None else min(canvas.end, plan.end)
        time = plan.start + max(0, -(-(canvas.start - plan.start) // plan.slot)) * plan.slot
        if (end - time) // plan.slot > SLOTS_SHOWN:
            continue
        while time <= end:
            canvas.axes.plot([canvas.x(time)] * 2, [0, cpus], color=INK, linewidth=0.6,
                             linestyle=(0, (1, 2)), zorder=2)
            time += plan.slot


def backdrop(canvas, model, cpus, lanes):
    """Which plugin is in charge, and where it changes; holes."""
    cpu = model.cpus.get(cpus[0]) if cpus else None
    policies = cpu.policies if cpu else []
    edges = [max(since, canvas.start) for since, _ in policies] + [canvas.end]
    shades = {}
    for at, (since, name) in enumerate(policies):
        begin, stop = edges[at], edges[at + 1]
        shade = BANDS[shades.setdefault(name, len(shades)) % len(BANDS)]
        if stop <= begin or begin >= canvas.end:
            continue
        canvas.box(begin, stop, 0, lanes + 0.32, facecolor=shade, edgecolor='none', zorder=0)
        canvas.axes.text(canvas.x(begin) + 0.004 * canvas.x(canvas.end), lanes + 0.16,
                         name, color=INK,
                         fontsize=9.5, fontweight='bold', va='center', ha='left', zorder=6,
                         clip_on=True)
        if at and canvas.inside(since):
            canvas.axes.plot([canvas.x(since)] * 2, [0, lanes + 0.32], color=INK, linewidth=1.1,
                             linestyle=(0, (5, 3)), zorder=5)
    for hole in model.trace.holes:
        canvas.box(hole.start, hole.end, 0, lanes, facecolor='none', edgecolor=FAINT, hatch='xx',
                   linewidth=0, zorder=4)


def task_lane(canvas, model, task, low, colour):
    axes = canvas.axes
    axes.plot([0, canvas.x(canvas.end)], [low + BAR_LOW] * 2, color=INK, linewidth=0.7, zorder=2)
    for job in task.jobs:
        began = job.released if job.released is not None else job.seen
        ended = job.completed if job.completed is not None else task.detached or model.end
        if canvas.seen(began, ended):
            canvas.box(began, ended, low + BAR_LOW, low + BAR_HIGH, facecolor=colour, alpha=WAIT,
                       edgecolor='none', zorder=1)
        if job.completed is not None and job.completed > job.deadline:
            canvas.box(job.deadline, job.completed, low + BAR_LOW, low + BAR_HIGH, facecolor=MISS,
                       alpha=0.28, edgecolor='none', zorder=1)
        marks(canvas, job, low)
    for span in (task.running if model.has_switches else task.selected):
        canvas.box(span.start, span.end, low + BAR_LOW, low + BAR_HIGH, facecolor=colour,
                   edgecolor='none', zorder=3)


def marks(canvas, job, low):
    """Release up, deadline down and hollow, from above; completion a dot, miss a cross."""
    arrow = {'arrowstyle': '-|>,head_width=0.16,head_length=0.32', 'linewidth': 0.9, 'shrinkA': 0,
             'shrinkB': 0, 'mutation_scale': 11}
    late = missed(job)
    if job.released is not None and canvas.inside(job.nominal):
        x = canvas.x(job.nominal)
        canvas.axes.annotate('', (x, low + RELEASE_HIGH), (x, low + BAR_LOW), zorder=4,
                             arrowprops=dict(arrow, color=INK))
    if canvas.inside(job.deadline):
        x = canvas.x(job.deadline)
        canvas.axes.annotate('', (x, low + DEADLINE_LOW), (x, low + DEADLINE_HIGH), zorder=4,
                             arrowprops=dict(arrow, edgecolor=MISS if late else INK,
                                             facecolor='white'))
    if job.completed is not None and canvas.inside(job.completed):
        canvas.axes.plot([canvas.x(job.completed)], [low + BAR_HIGH], marker='o', markersize=4.2,
                         markerfacecolor='white', markeredgecolor=MISS if late else INK,
                         markeredgewidth=0.9, zorder=5, linestyle='none')
    if late and canvas.inside(job.deadline):
        canvas.axes.plot([canvas.x(job.deadline)], [low + (DEADLINE_LOW + DEADLINE_HIGH) / 2],
                         marker='x', markersize=5.5,
                         color=MISS, markeredgewidth=1.6, zorder=6, linestyle='none')


def cpu_lane(canvas, model, number, low, tasks, colours):
    canvas.axes.plot([0, canvas.x(canvas.end)], [low + BAR_LOW] * 2, color=INK,
                     linewidth=0.7, zorder=2)
    high = low + BAR_HIGH
    if model.has_switches:
        mine = {task.pid: colours[task.id] for task in tasks}
        for start, end, pid, _, _ in model.cpu(number).runs:
            if pid and canvas.seen(start, end):
                canvas.box(start, end, low + BAR_LOW, high, facecolor=mine.get(pid, OTHER),
                           edgecolor='none', zorder=3)
        return
    for task in tasks:
        for span in task.selected:
            if span.cpu == number:
                canvas.box(span.start, span.end, low + BAR_LOW, high, facecolor=colours[task.id],
                           edgecolor='none', zorder=3)


def legend_entries(groups, handed):
    entries = [Patch(facecolor=COLOURS[0], label='runs'),
               Patch(facecolor=COLOURS[0], alpha=WAIT * 1.6, label='job not complete'),
               Line2D([], [], linestyle='none', marker=r'$\uparrow$', markersize=9, color=INK,
                      label='release'),
               Line2D([], [], linestyle='none', marker=r'$\Downarrow$', markersize=9, color=INK,
                      label='deadline'),
               Line2D([], [], linestyle='none', marker='o', markersize=5, markerfacecolor='white',
                      markeredgecolor=INK, label='completion'),
               Line2D([], [], linestyle='none', marker='x', markersize=6,
                      markeredgewidth=1.6, color=MISS,
                      label='deadline missed'),
               Line2D([], [], color=INK, linewidth=1.1, linestyle=(0, (5, 3)), label='plugin swap'),
               Patch(facecolor=OTHER, label='other programs')]
    if groups:
        entries += [Patch(facecolor=next(iter(groups.values())), alpha=BAND,
                          label='reserve of a group'),
                    Line2D([], [], color=INK, linewidth=0.6, linestyle=(0, (1, 2)),
                           label='slot begins')]
    if handed:
        entries.append(Line2D([], [], linestyle='none', marker=r'$\searrow$', markersize=9,
                              color=COLOURS[2],
                              label='to the next stage'))
    return entries


def finish(canvas, lanes, cpus, labels):
    axes = canvas.axes
    if cpus and lanes > cpus:
        axes.axhline(cpus, color=FAINT, linewidth=0.8, zorder=1)
    axes.set_xlim(0, canvas.x(canvas.end))
    axes.set_ylim(0, lanes + 0.32)
    axes.set_yticks([place for place, _ in labels], [name for _, name in labels])
    axes.tick_params(axis='y', length=0)
    axes.grid(axis='x', color=GRID, linewidth=0.8, zorder=0)
    axes.set_axisbelow(True)
    for side in ('top', 'right', 'left'):
        axes.spines[side].set_visible(False)


def heading(axes, title, hidden):
    """The title to the left; what is not to be seen to the right, in red where deadlines are missed
    there."""
    axes.set_title(title, loc='left', fontsize=11, fontweight='bold', color=INK)
    if hidden:
        bad = 'missed' in hidden or 'thrown' in hidden
        axes.set_title(hidden, loc='right', fontsize=8.5, color=MISS if bad else FAINT)


def margins(figure, axes, height, foot):
    """As wide as the names of the lanes are."""
    renderer = figure.canvas.get_renderer()
    widest = max((label.get_window_extent(renderer).width for label in axes.get_yticklabels()),
                 default=0)
    left = (widest + 14) / (figure.get_figwidth() * figure.dpi)
    figure.subplots_adjust(left=min(left, 0.5), right=0.985, top=1 - 0.36 / height,
                           bottom=foot / height)
