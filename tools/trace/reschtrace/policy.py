# SPDX-License-Identifier: GPL-2.0
"""What each plugin promises: in which order ready jobs get the CPU, and that none waits for
nothing.

An order is a key; of the ready jobs on a CPU the one with the smallest key is selected. A key needs
the task's parameters, or only what every job event carries.
"""


class Order:
    """`key`(task, span of a ready job) -> tuple, or None where it can't be told.
    `conserving`: while jobs are ready one of them is selected.
    `leftover`: of one that keeps to a plan, who may use a reserve while its group has no ready job:
    'nobody', 'own' (the CPU's own group, if the reserve is one of a split group), 'unsplit' (groups
    of that CPU alone); None: it knows no plan."""

    def __init__(self, name, about, key=None, conserving=True, leftover=None):
        self.name, self.about, self.key, self.conserving = name, about, key, conserving
        self.leftover = leftover


def by_param(name):
    def key(task, _span):
        return None if task.params is None else (task.params[name], task.id)
    return key


def by_priority(task, _span):
    if task.params is None:
        return None
    if task.params['priority']:
        return (0, task.params['priority'], task.id)
    return (1, task.params['deadline'], task.id)


ORDERS = {order.name: order for order in (
    Order('edf', 'earliest absolute deadline first', lambda task, span: (span.deadline,)),
    Order('fifo', 'earliest release first', lambda task, span: (span.release, task.id)),
    Order('dm', 'shortest relative deadline first', by_param('deadline')),
    Order('rm', 'shortest period first', by_param('period')),
    Order('explicit', 'smallest priority number first', by_priority),
    Order('any', 'any order, but no ready job waits for an idle CPU'),
    Order('servers', 'servers by earliest deadline, in each what it wants', conserving=False),
    Order('none', 'no promise that could be checked', conserving=False),
    Order('sekg',
          'groups by earliest deadline in their reserves, what split ones leave to the CPU\'s own',
          conserving=False, leftover='own'),
    Order('npsf', 'groups by earliest deadline in their reserves', conserving=False,
          leftover='nobody'),
    Order('npsf-reclaim',
          'groups by earliest deadline in their reserves, what they leave to unsplit ones',
          conserving=False, leftover='unsplit'),
)}

# fp's own default is dm; which of the three it was told to use is not in a trace. Likewise
# reclaim=1 of npsf.
PLUGINS = {'edf': 'edf', 'fifo': 'fifo', 'fp': 'dm', 'artis': 'explicit', 'demo': 'any',
           'sekg': 'sekg', 'npsf': 'npsf', 'server': 'servers'}


def orders(changes):
    """The table plugin -> Order, with the user's changes {plugin: name of an order}."""
    table = dict(PLUGINS, **changes)
    return {plugin: ORDERS[name] for plugin, name in table.items()}
