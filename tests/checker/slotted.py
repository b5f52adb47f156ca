# SPDX-License-Identifier: GPL-2.0
"""Legal schedules of groups in time slots, by brute force as in schedule.py: at each tick each CPU
looks up in a table, one entry a tick, whose time it is."""

from schedule import TICK, Line, Schedule, ns, random_task

PLANNED = ('sekg', 'npsf', 'reclaim')


class Slots:
    """`reserves`: [(cpu, begin, end, group)] in ticks; it holds from tick `start` on, and is
    announced `ahead` of it."""

    def __init__(self, slot, reserves, start=0, ahead=0):
        self.slot, self.reserves, self.start, self.said = slot, reserves, start, max(0,
                                                                                     start - ahead)
        cpus = max(reserve[0] for reserve in reserves) + 1
        self.table = [[0] * slot for _ in range(cpus)]
        for cpu, begin, end, group in reserves:
            self.table[cpu][begin:end] = [group] * (end - begin)

    def owner(self, cpu, tick):
        return self.table[cpu][(tick - self.start) % self.slot] if cpu < len(self.table) else 0

    def places(self, group):
        return [cpu for cpu, row in enumerate(self.table) if group in row]

    def native(self, cpu):
        """The first group in the slot that is nowhere else."""
        return next((group for group in self.table[cpu] if group and self.places(group) == [cpu]),
                    0)

    def next_edge(self, cpu, tick):
        """The next tick at which another group has the CPU."""
        return next((later for later in range(tick + 1, tick + self.slot + 1)
                     if self.owner(cpu, later) != self.owner(cpu, tick)), None)


class Slotted(Schedule):
    """`members`: task id -> group; `plans`: [Slots]; the plugin `reclaim` calls itself npsf."""

    def __init__(self, tasks, members, plans, plugin='sekg', swaps=(), ticks=1000, switches=True):
        super().__init__(tasks, plugin, swaps, ticks, switches)
        self.members, self.plans = members, plans
        self.cpus = list(range(max(len(plan.table) for plan in plans)))
        self.plugin = {cpu: plugin for cpu in self.cpus}
        self.selected = {cpu: None for cpu in self.cpus}
        self.running = {cpu: None for cpu in self.cpus}
        self.announced = 0

    def attach(self, task):
        super().attach(task)
        fields = self.lines[-1].fields
        fields['group'] = self.members[task.id]
        fields['plugin'] = fields['plugin'].replace('reclaim', 'npsf')

    def run(self):
        super().run()
        lines, self.lines = self.lines, []
        for plan in self.plans:
            self.announce(plan)
        at = 0
        for line in self.lines:
            while at < len(lines) and lines[at].time < line.time:
                at += 1
            lines.insert(at, line)
            at += 1
        return lines

    def announce(self, plan):
        time = ns(plan.said)
        self.lines.append(Line(time, 'resch_plan', 0, domain=1, slot=plan.slot * TICK,
                               from_=ns(plan.start),
                               count=len(plan.reserves)))
        for cpu, begin, end, group in plan.reserves:
            self.lines.append(Line(time, 'resch_reserve', 0, domain=1, group=group, cpu=cpu,
                                   begin=begin * TICK,
                                   end=end * TICK))

    def plan(self):
        return next((plan for plan in reversed(self.plans) if plan.start <= self.now), None)

    def decide(self, cpu):
        if self.plugin[cpu] not in PLANNED:
            super().decide(cpu)
        elif cpu == self.cpus[0]:
            self.decide_all()

    def decide_all(self):
        wanted = {cpu: self.choose(cpu) for cpu in self.cpus}
        for cpu in self.cpus:
            if self.selected[cpu] and self.selected[cpu] is not wanted[cpu]:
                task = self.selected[cpu]
                self.say_off(task, 'preempt')
                self.say('resch_park', task)
        for cpu in self.cpus:
            task = wanted[cpu]
            if task and self.selected[cpu] is not task:
                task.cpu = cpu
                self.say('resch_select', task, 2 ** 64 - 1)
                self.selected[cpu] = task

    def switch(self, cpu):
        """All at the end of the tick: first threads leave their CPUs, then they go to others."""
        if cpu != self.cpus[-1]:
            return
        want = dict(self.selected)
        moving = {task for other, task in self.running.items() if task and task is not want[other]}
        for other in self.cpus:
            if self.running[other] in moving and want[other] in moving:
                self.selected[other] = None
                super().switch(other)
        self.selected = want
        for other in sorted(self.cpus, key=lambda other: want[other] is not None):
            super().switch(other)

    def choose(self, cpu):
        plan = self.plan()
        if plan is None:
            return None
        group = plan.owner(cpu, self.now)
        found = self.first(group) if group else None
        if found or not group:
            return found
        if self.plugin[cpu] == 'sekg' and len(plan.places(group)) > 1:
            return self.first(plan.native(cpu))
        if self.plugin[cpu] == 'reclaim':
            for other in sorted(set(self.members.values())):
                if plan.places(other) == [cpu] and self.first(other):
                    return self.first(other)
        return None

    def first(self, group):
        ready = [task for task in self.tasks if self.members[task.id] == group and
                 task.state == 'ready']
        return min(ready, key=lambda task: (task.due, task.release, task.id), default=None)


def late(lines, rng, jitter):
    """As trace-cmd report prints them, each stamp a little late, and none before what it follows
    from."""
    out, last = [], 0
    for line in lines:
        last = max(last, line.time + rng.randrange(jitter + 1))
        out.append(line.recorded(last - line.time))
    return out


# ---- random ones

def random_slots(rng, cpus, whole, start=0):
    """A split group between each CPU and the next, and `whole` groups of each CPU's own in
    between."""
    slot = rng.randrange(10, 24)
    reserves, begin = [], 0
    for cpu in range(cpus):
        last = cpu == cpus - 1
        end = slot if last else rng.randrange(max(begin + 3, slot * 2 // 3), slot)
        cuts = sorted(rng.sample(range(begin + 1, end), min(whole - 1, end - begin - 1)))
        for place, (left, right) in enumerate(zip([begin] + cuts, cuts + [end])):
            reserves.append((cpu, left, right, 100 + 10 * cpu + place))
        if begin:
            reserves.append((cpu, 0, begin, cpu))
        if not last:
            reserves.append((cpu, end, slot, cpu + 1))
            begin = rng.randrange(1, end // 2)
    if rng.random() < 0.3:       # somebody's time is nobody's
        reserves = [reserve for reserve in reserves if reserve[3] != 100]
    return Slots(slot, sorted(reserves), start, rng.randrange(3))


def random_slotted(rng, plugin='sekg', ticks=700, switches=True, cpus=None, wakeups=True):
    cpus = cpus or rng.randrange(2, 5)
    whole = 1 if plugin == 'sekg' else rng.randrange(1, 3)
    plans = [random_slots(rng, cpus, whole, rng.choice((0, 0, 7)))]
    if rng.random() < 0.4:
        plans.append(random_slots(rng, cpus, whole,
                                  plans[0].start + plans[0].slot * rng.randrange(5, 20)))
    groups = sorted({reserve[3] for plan in plans for reserve in plan.reserves})
    tasks, members = [], {}
    for group in groups:
        for _ in range(rng.choice((1, 1, 2)) if group < 100 else rng.choice((1, 2, 3))):
            task = random_task(rng, len(tasks) + 1,
                               plans[0].places(group)[0] if plans[0].places(group) else 0, wakeups)
            tasks.append(task)
            members[task.id] = group
    return Slotted(tasks, members, plans, plugin, ticks=ticks, switches=switches)
