# SPDX-License-Identifier: GPL-2.0
"""What resch-balance saw, by groups of equal tasks; tables 3 to 5 of the ARTiS report; a picture
over time."""

from columns import columns

SECOND = 1e9
ROWS = 4   # of a picture
# RR-5781, tables 3, 4, 5: {scenario: [(configuration, group, CPU shares, completion, involuntary
# switches)]}
PAPER = {
    'weighting': [('stock', 'Linux', '70 11 8.5 10.5', '190 / 315 / 447', ''),
                  ('normal LB', 'Linux', '68.5 11 10.5 10', '188 / 312 / 438', ''),
                  ('enhanced LB', 'Linux', '68 11 11 10', '377 / 381 / 485', '')],
    'estimation': [('stock', 'infrequent', '25 37.5 37.5 0', '191 / 191 / 192', '575'),
                   ('stock', 'often', '25 12.5 12.5 50', '191 / 191 / 192', '535'),
                   ('normal LB', 'infrequent', '10 53 18 19', '191 / 239 / 277', '400'),
                   ('normal LB', 'often', '63 21 15 1', '191 / 221 / 278', '7200'),
                   ('enhanced LB', 'infrequent', '15 50 20 15', '144 / 247 / 316', '310'),
                   ('enhanced LB', 'often', '68 31 1 0', '220 / 245 / 264', '845')],
    'association': [('stock', 'Linux', '25 25 25 25', '94 / 132 / 142', '541'),
                    ('stock', 'RT50', '25 25 25 25', '50 / 83 / 103', '230'),
                    ('normal LB', 'Linux', '34 25 21 21', '113 / 155 / 187', '496'),
                    ('normal LB', 'RT50', '16 25 29 30', '48 / 81 / 113', '230'),
                    ('enhanced LB', 'Linux', '40 33 4 23', '109 / 145 / 167', '500'),
                    ('enhanced LB', 'RT50', '12 18 43 27', '47 / 136 / 167', '350')],
}


def groups(record):
    """One entry a group of equal tasks: {"name", "ends", "tasks", "shares", "times", "voluntary",
    "involuntary"}.

    "shares" is the part of the group's CPU time on each CPU, 0 to 1; "times" the completion times
    (least, mean, most), s; switches are means of a task.
    """
    found = []
    for number, group in enumerate(record['groups']):
        tasks = [task for task in record['tasks'] if task['group'] == number]
        on_cpu = [sum(task['cpu'][cpu] for task in tasks) for cpu in range(record['cpus'])]
        times = [task['time'] / SECOND for task in tasks]
        found.append({'name': group['name'], 'ends': group['ends'], 'tasks': len(tasks),
                      'shares': [part / (sum(on_cpu) or 1) for part in on_cpu],
                      'times': (min(times), sum(times) / len(times), max(times)),
                      'voluntary': sum(task['voluntary'] for task in tasks) / len(tasks),
                      'involuntary': sum(task['involuntary'] for task in tasks) / len(tasks)})
    return found


def idle(record):
    """The part of the time until the first task ended in which each CPU was idle."""
    return [min(part / record['first'], 1) if record['first'] else 0 for part in record['idle']]


def over_time(record, number):
    """(times in s, for each CPU how many tasks of group `number` were on it then)."""
    members = [i for i, task in enumerate(record['tasks']) if task['group'] == number]
    times = [at / SECOND for at, _ in record['samples']]
    counts = [[sum(cpus[i] == cpu for i in members) for _, cpus in record['samples']]
              for cpu in range(record['cpus'])]
    return times, counts


def table(scenario, records):
    """Of one scenario, a few configurations."""
    rows = [['configuration', 'tasks', 'share of CPUs, %', 'completion, s (min / mean / max)',
             'voluntary', 'involuntary']]
    for record in records:
        for group in groups(record):
            times = ' / '.join(f'{time:.3f}' for time in group['times']) if group['ends'] else '-'
            rows.append([record['configuration'], f'{group["tasks"]} {group["name"]}',
                         ' '.join(f'{100 * share:.0f}' for share in group['shares']), times,
                         f'{group["voluntary"]:.0f}', f'{group["involuntary"]:.0f}'])
        rows.append([record['configuration'], 'idle until the first ends',
                     ' '.join(f'{100 * i:.1f}' for i in idle(record)), '', '', ''])
    for configuration, group, shares, times, involuntary in PAPER.get(scenario, ()):
        rows.append(['RR-5781: ' + configuration, group, shares, times, '', involuntary])
    return '\n'.join([f'{scenario} ({records[0]["kernel"]})', '', *columns(rows), *moves(records)])


def moves(records):
    """How often threads were sent to RT CPUs, and why they left them: lines, none without
    guards."""
    rows = [['moves of threads', 'sent to RT CPUs', 'of these by push', 'kept by the estimate',
             'left: kernel', 'left: load', 'left: no time']]
    for record in records:
        count = record.get('moves')
        if count:
            entered = sum(count[name] for name in ('moved', 'moved_other', 'faults', 'signals'))
            rows.append([record['configuration'], *(str(value) for value in (
                count['lent'], count['pushed'], count['kept'], entered, count['from_load'],
                count['recalled']))])
    return ['', *columns(rows)] if len(rows) > 1 else []


def picture(scenario, records, path):
    """How many tasks of each group are on each CPU, over time: a row a configuration, a column a
    CPU; of more than ROWS configurations the first ones and the last."""
    if len(records) > ROWS:
        records = records[:ROWS - 1] + records[-1:]
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    from matplotlib.ticker import MaxNLocator
    cpus = records[0]['cpus']
    # One axis of time: how long it took is to be compared, too.
    figure, axes = pyplot.subplots(len(records), cpus,
                                   figsize=(2.6 * cpus + 1, 1.6 * len(records) + 0.9),
                                   squeeze=False,
                                   sharey=True, sharex=True, layout='constrained')
    for row, record in zip(axes, records):
        series = [(group['name'], *over_time(record, number))
                  for number, group in enumerate(record['groups'])
                  if group['ends']]
        for cpu, axis in enumerate(row):
            axis.stackplot(series[0][1], *[counts[cpu] for _, _, counts in series],
                           labels=[name for name, _, _ in series],
                           step='post')
            axis.tick_params(labelsize='small')
        row[0].set_ylabel(f'{record["configuration"]}\ntasks', fontsize='small')
    axes[0][0].yaxis.set_major_locator(MaxNLocator(5, integer=True))
    for cpu, axis in enumerate(axes[0]):
        axis.set_title(f'CPU {cpu}', fontsize='small')
    axes[0][-1].legend(fontsize='x-small')
    for axis in axes[-1]:
        axis.set_xlabel('s', fontsize='small')
    figure.suptitle(f'{scenario}: which tasks are on which CPU ({records[0]["kernel"]}, emulated)'
                    if records[0].get('emulated') else f'{scenario}: which tasks are on which CPU',
                    fontsize='medium')
    figure.savefig(path, dpi=90)
