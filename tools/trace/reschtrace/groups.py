# SPDX-License-Identifier: GPL-2.0
"""Who may use which CPU when, under a plugin that keeps to a plan: groups, their reserves, and
hand-overs.

A domain's CPUs are looked at together, for a group's ready jobs wait for all of them. A group is
*in hand* on a CPU from a selection there until the thread was seen to stop; until then no other CPU
can take it, and that one is waiting for a hand-over, which is measured and no fault of its own.
"""

from . import slots
from .sweep import Persistent, Segments
from .units import show


ABOUT = {
    'reserve': 'a task is on a CPU only in reserves of its group',
    'notional': 'a group is executed by one CPU at a time',
    'slot': 'reserves begin and end when the plan says, and the slots do not drift',
}


class Domain:
    """CPUs that share plans. `orders`: cpu -> [(since, until, Order)], in time, where that one
    keeps to a plan."""

    def __init__(self, checker, number, cpus):
        self.checker, self.model = checker, checker.model
        self.number, self.cpus = number, sorted(cpus)
        self.plans = [plan for plan in self.model.plans if plan.domain == number and plan.whole()]
        self.orders = {cpu: self.find_orders(cpu) for cpu in self.cpus}
        self.tasks = [task for task in self.model.task_list()
                      if any(cpu in self.orders for cpu in task.cpus())]
        self.handovers = []      # (start, how long, cpu, group)

    def find_orders(self, number):
        policies = self.model.cpu(number).policies
        # where nothing was attached nor swapped the peers' plugin is in charge
        for peer in self.cpus:
            policies = policies or self.model.cpu(peer).policies
        ends = [since for since, _ in policies[1:]] + [self.model.end]
        return [(since, end, order) for (since, name), end in zip(policies, ends)
                if (order := self.checker.orders.get(name)) and order.leftover and end > since]

    def kept(self):
        """Whether a plugin that keeps to plans was ever in charge."""
        return any(self.orders.values())

    def order_at(self, cpu, time):
        for since, end, order in self.orders.get(cpu, ()):
            if since <= time < end:
                return order
        return None

    def windows(self, cpu):
        """(plan, Window) of one CPU, in the order of time."""
        for plan in self.plans:
            for window in plan.windows(cpu, self.model.start, self.model.end):
                yield plan, window


def domains(checker):
    """The domains where a plugin that keeps to plans was in charge."""
    model = checker.model
    model.settle_plans(checker.orders)
    cpus = {}
    for plan in model.plans:
        cpus.setdefault(plan.domain, set()).update(plan.cpus())
    for event in model.swaps:
        cpus.setdefault(event.get('domain'), set()).add(event['cpu'])
    known = set().union(*cpus.values()) if cpus else set()
    rest = set(model.cpus) - known
    if rest:
        cpus[None] = rest        # neither plans nor swaps were seen
    found = [Domain(checker, number, those) for number, those in cpus.items()]
    return [domain for domain in found if domain.kept()]


def used(model, task):
    """[(start, end, cpu)]: where it was selected, or ran on after that until it was seen to
    stop."""
    pieces = [(span.start, span.end, span.cpu) for span in task.selected]
    for held in task.held if model.has_switches else ():
        for run in task.running_between(held.start, held.end):
            if run.cpu == held.cpu:
                pieces.append((max(run.start, held.start), min(run.end, held.end), held.cpu))
    merged = []
    for start, end, cpu in sorted(pieces, key=lambda piece: (piece[2], piece[0])):
        if merged and merged[-1][2] == cpu and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]), cpu)
        else:
            merged.append((start, end, cpu))
    return merged


class View:
    """The sweep over one domain."""

    def __init__(self, domain):
        self.domain, self.checker, self.cpus = domain, domain.checker, domain.cpus
        self.ready = {}          # group -> {task id: (task, span)}
        self.selected = {cpu: {} for cpu in self.cpus}
        self.used = {cpu: {} for cpu in self.cpus}      # task id -> [task, how many]
        self.held = {}           # group -> {cpu: how many}
        self.window = {cpu: 0 for cpu in self.cpus}
        self.unknown = {cpu: 0 for cpu in self.cpus}
        self.order = {cpu: None for cpu in self.cpus}
        self.plan = None
        self.persistent = Persistent(self.report)

    def segments(self):
        segments, domain, model = Segments(), self.domain, self.checker.model
        for task in domain.tasks:
            for span in task.ready:
                segments.add(span.start, span.end, ('ready', task, span))
            for span in task.selected:
                segments.add(span.start, span.end, ('selected', task, span))
            for start, end, cpu in used(model, task):
                segments.add(start, end, ('used', task, cpu))
            for span in task.held:
                segments.add(span.start, span.end, ('held', task, span))
        for plan in domain.plans:
            segments.add(plan.start, model.end if plan.end is None else plan.end,
                         ('plan', plan, None))
        for cpu in self.cpus:
            for _, window in domain.windows(cpu):
                segments.add(window.start, window.end, ('window', window, None))
            for start, end in model.cpu(cpu).unknown:
                segments.add(start, end, ('unknown', cpu, None))
            for start, end, order in domain.orders[cpu]:
                segments.add(start, end, ('order', cpu, order))
        return segments

    def sweep(self):
        end = None
        for start, end, added, removed in self.segments():
            for item in removed:
                self.change(*item, False)
            for item in added:
                self.change(*item, True)
            if end > start:
                self.persistent.feed(start, self.conditions())
        if end is not None:
            self.persistent.close(end)
        for name in ('reserve', 'order', 'idle'):
            rule = self.checker.rules[name]
            if rule.checked and rule.worst is None:
                rule.worst = 0

    def change(self, what, thing, more, on):
        rules = self.checker.rules
        if what == 'unknown':
            self.unknown[thing] += 1 if on else -1
        elif what == 'order':
            self.order[thing] = more if on else None
        elif what == 'plan':
            self.plan = thing if on else None
        elif what == 'window':
            self.window[thing.cpu] = thing.group if on else 0
        elif what == 'ready':
            self.change_ready(thing, more, on)
        elif what == 'held':
            here = self.held.setdefault(thing.group(), {})
            here[more.cpu] = here.get(more.cpu, 0) + (1 if on else -1)
        elif more in self.cpus or what == 'selected' and more.cpu in self.cpus:
            here = self.selected[more.cpu] if what == 'selected' else self.used[more]
            if not on:
                if what == 'used' or here.get(thing.id, (None, None))[1] is more:
                    here.pop(thing.id, None)
                return
            here[thing.id] = (thing, more)
            if what == 'selected' and self.order[more.cpu]:
                rules['reserve'].checked += 1

    def change_ready(self, task, span, on):
        here = self.ready.setdefault(task.group(), {})
        if on:
            here[task.id] = (task, span)
            if any(self.order.values()):
                self.checker.rules['order'].checked += 1
                self.checker.rules['idle'].checked += 1
        elif here.get(task.id, (None, None))[1] is span:
            del here[task.id]

    # ---- what is wrong right now

    def conditions(self):
        wrong = {}
        for cpu in self.cpus:
            order = self.order[cpu]
            if not order:
                continue
            for task, _ in self.selected[cpu].values():
                self.find_earlier(task, wrong)
            if self.plan:
                self.look(cpu, order, self.window[cpu], wrong)
        return wrong

    def look(self, cpu, order, group, wrong):
        waiting = self.ready.get(group) if group else None
        elsewhere = waiting and self.in_hand(group, cpu)
        for task, _ in self.used[cpu].values():
            if task.group() is not None and not self.may_use(cpu, order, group, task,
                                                             waiting and not elsewhere):
                wrong['reserve', cpu, task.id] = (task, group, bool(waiting))
        if self.unknown[cpu]:
            return
        if elsewhere and not any(task.group() == group for task, _ in self.selected[cpu].values()):
            wrong['handover', cpu, group] = ()
        if self.selected[cpu]:
            return
        if waiting and not elsewhere:
            wrong['idle', cpu, group] = tuple(task for task, _ in list(waiting.values())[:4])
        elif order.leftover == 'own' and self.plan.split(group) and self.ready.get(
                own := self.plan.own(cpu)) \
                and not self.in_hand(own, cpu):
            wrong['idle', cpu, own] = tuple(task for task, _ in list(self.ready[own].values())[:4])

    def may_use(self, cpu, order, group, task, wanted):
        """Whether a task may be on a CPU in the window of a group, 0: in nobody's. `wanted`: the
        group has use for it."""
        if task.group() == group:
            return True
        if not group or wanted or order.leftover == 'nobody':
            return False
        if order.leftover == 'own':
            return self.plan.split(group) and task.group() == self.plan.own(cpu)
        return self.plan.cpus_of.get(task.group()) == {cpu}

    def in_hand(self, group, cpu):
        """Whether another CPU has the group still."""
        return any(count and number != cpu
                   for number, count in self.held.get(group, {}).items()) or \
            any(number != cpu and task.group() == group for number in self.cpus
                for task, _ in self.selected[number].values())

    def find_earlier(self, task, wrong):
        """Ready jobs of the same group with an earlier deadline, that nobody has selected."""
        group = self.ready.get(task.group())
        mine = group.get(task.id) if group else None
        if not mine or len(group) < 2 or task.group() is None:
            return
        for ident, (other, span) in group.items():
            if span.deadline < mine[1].deadline and not any(ident in chosen
                                                            for chosen in self.selected.values()):
                wrong['order', ident] = (other, task)

    # ---- and for how long

    def report(self, key, start, end, detail):
        checker, lasted = self.checker, end - start
        if key[0] == 'handover':
            self.domain.handovers.append((start, lasted, key[1], key[2]))
        elif key[0] == 'reserve':
            task, group, waiting = detail
            whose = f'a reserve of group {group}' if group else 'time that is reserved for nobody'
            if waiting:
                whose += ', which had a ready job'
            checker.judge('reserve', lasted, start,
                          f'{task.label()} of group {task.group()} was on the CPU for '
                          f'{show(lasted)} in {whose}', key[1], [task])
        elif key[0] == 'idle':
            names = ', '.join(task.label() for task in detail)
            checker.judge('idle', lasted, start,
                          f'nobody selected for {show(lasted)} while {names} of group '
                          f'{key[2]} ready, whose time it was', key[1], detail)
        elif key[0] == 'order':
            waiting, holder = detail
            checker.judge('order', lasted, start,
                          f'{holder.label()} selected for {show(lasted)} while '
                          f'{waiting.label()} of the same group was ready, with an earlier deadline',
                          holder.cpu, [holder, waiting])


# ---- a notional processor is one processor

def alone(domain):
    """No two CPUs have a group at once: as selected, and as executed. The stamps say what came
    first, for a CPU may decide late, as of a time that is past."""
    chosen, ran = {}, {}
    for task in domain.tasks:
        if not task.group():
            continue
        for span in task.selected:
            if span.ended is not None and domain.order_at(span.cpu, span.began):
                chosen.setdefault(task.group(), []).append((span.began, span.ended, span.cpu, task))
        for held in task.held if domain.model.has_switches else ():
            for run in task.running_between(held.start, held.end):
                if domain.order_at(run.cpu, run.start):
                    ran.setdefault(task.group(), []).append(
                        (max(run.start, held.start), min(run.end, held.end), run.cpu, task))
    for what, spans_of in (('selected', chosen), ('executed', ran)):
        for group, spans in spans_of.items():
            apart(domain.checker, what, group, sorted(spans, key=lambda one: one[:3]))


def apart(checker, what, group, spans):
    checker.rules['notional'].checked += len(spans)
    last = None
    for one in spans:
        # one thread on two CPUs is an affair of the rule one-cpu
        if last and one[0] < last[1] and one[2] != last[2] and one[3] is not last[3]:
            both = min(one[1], last[1]) - one[0]
            checker.judge('notional', both, one[0],
                          f'{last[3].label()} and {one[3].label()} of group {group} '
                          f'{what} at once on CPUs {last[2]} and {one[2]} for {show(both)}', one[2],
                          [last[3], one[3]], 0)
        if last is None or one[1] > last[1]:
            last = one
    rule = checker.rules['notional']
    if rule.checked and rule.worst is None:
        rule.worst = 0


def check(checker):
    """Fills in the rules that are about plans. Without a plugin that keeps to them there is nothing
    to do."""
    checker.domains = domains(checker)
    if checker.domains:
        checker.add_rules(ABOUT)
    for domain in checker.domains:
        View(domain).sweep()
        alone(domain)
        slots.check(domain)
