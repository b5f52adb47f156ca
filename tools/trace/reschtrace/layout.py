# SPDX-License-Identifier: GPL-2.0
"""A layout of time slots, as `reschctl assign --json` prints it, as a picture: one lane a CPU."""

import json
import os
import sys

from . import draw, read

# A group number needs about this share of the width.
NUMBER_WIDTH = 0.016


def load(path):
    """The layout in the file, or from standard input."""
    try:
        if path == '-':
            text = sys.stdin.read()
        else:
            with open(path, encoding='utf-8') as file:
                text = file.read()
        layout = json.loads(text)
        for reserve in layout['reserves']:
            if not 0 <= reserve['begin'] < reserve['end'] <= layout['slot'] or reserve['group'] < 1:
                raise ValueError('a reserve outside of its slot')
        return layout
    except OSError as error:
        raise read.Unreadable(error.strerror) from error
    except (ValueError, KeyError, TypeError) as error:
        raise read.Unreadable(f'no layout of `reschctl assign --json`: {error}') from error


def cpus_of(layout):
    """The CPUs by number, also those without any reserve."""
    cpus = {reserve['cpu'] for reserve in layout['reserves']}
    for part in layout.get('cpus', '').split(','):
        first, _, last = part.partition('-')
        if first.isdigit():
            cpus.update(range(int(first), int(last or first) + 1))
    return sorted(cpus)


def names_of(layout):
    """What is written next to each group's number: its tasks."""
    names = {}
    for task in layout.get('tasks', ()):
        names.setdefault(task['group'], []).append(task['name'])
    return {group: ', '.join(tasks[:6]) + (', ...' if len(tasks) > 6 else '')
            for group, tasks in names.items()}


def draw_layout(layout, path, title=None, width=14.0):
    """One slot, and the beginning of the next one, where split groups go on."""
    cpus = cpus_of(layout)
    slot = layout['slot']
    height = 0.42 * len(cpus) + 1.1
    figure, axes = draw.pyplot.subplots(figsize=(width, height))
    canvas = draw.Canvas(axes, 0, slot)
    names = names_of(layout)
    counts = {}
    for reserve in layout['reserves']:
        counts[reserve['group']] = counts.get(reserve['group'], 0) + 1
    for reserve in layout['reserves']:
        group = reserve['group']
        low = len(cpus) - 1 - cpus.index(reserve['cpu'])
        split = counts[group] > 1
        canvas.box(reserve['begin'], reserve['end'], low + 0.12, low + 0.88,
                   facecolor=draw.COLOURS[(group - 1) % len(draw.COLOURS)], edgecolor='white',
                   hatch='//' if split else None, linewidth=0.8, zorder=3)
        label(canvas, reserve, low, f'{group}: {names.get(group, "")}')
    axes.set_xlim(0, canvas.x(slot))
    axes.set_ylim(0, len(cpus))
    axes.set_yticks([len(cpus) - 0.5 - i for i in range(len(cpus))], [f'CPU {cpu}' for cpu in cpus])
    axes.tick_params(axis='y', length=0)
    for side in ('top', 'right', 'left'):
        axes.spines[side].set_visible(False)
    axes.set_xlabel(f'{canvas.name} since the beginning of the slot; hatched: groups that are split over two CPUs')
    axes.set_title(title or f'{layout.get("method", "")}: slots of {slot / 1e6:g} ms', loc='left',
                   fontsize=11,
                   fontweight='bold', color=draw.INK)
    figure.tight_layout()
    figure.savefig(path, dpi=110,
                   metadata={'Date': None} if os.fspath(path).endswith('.svg') else None)
    draw.pyplot.close(figure)


def label(canvas, reserve, low, text):
    """The group's tasks where there is room for them, or its number, or nothing."""
    share = (reserve['end'] - reserve['begin']) / canvas.end
    if share < NUMBER_WIDTH:
        return
    if share < len(text) * 0.0072:
        text = str(reserve['group'])
    canvas.axes.text(canvas.x((reserve['begin'] + reserve['end']) / 2), low + 0.5, text,
                     ha='center',
                     va='center', fontsize=8.5, color='white', zorder=4,
                     bbox={'facecolor': draw.COLOURS[(reserve['group'] - 1) % len(draw.COLOURS)],
                           'edgecolor': 'none', 'pad': 1.2})
