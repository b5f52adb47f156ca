# SPDX-License-Identifier: GPL-2.0
"""Servers: did each get what it was promised, and no more, in the right order?

Goes through the events of a CPU, works out what the budgets of its servers must be, and compares
that with what was noted. After each note it goes on from what that says, so that small differences
do not add up.
"""

import bisect
from array import array

from . import budgets
from .sweep import Persistent
from .units import show
from .works import Works

ABOUT = {
    'servers': 'of the servers with jobs and a budget the earliest deadline serves',
    'inner': 'the jobs of a server go by its policy',
    'replenish': 'budgets and deadlines of servers follow the rules of their kinds',
    'supply': 'no server executes beyond its budgets, or its supply bound in any window',
    'promise': 'a server with jobs gets its budgets by their deadlines',
}
BEGINS = {'resch_release', 'resch_wake'}
ENDS = {'resch_complete': 'complete', 'resch_block': 'block', 'resch_throttle': 'throttle',
        'resch_detach': 'detach'}
# What a division that was rounded may be off by, ns.
ROUNDING = 2


class Sweep:
    """Over one CPU."""

    def __init__(self, checker, cpu):
        self.checker, self.cpu = checker, cpu
        self.tolerance = checker.tolerance
        self.plugin = None
        self.judging = False
        self.servers = {}        # id -> Server
        self.tasks = {}          # id -> Task: attached here
        self.ready = {}          # task id -> Job
        self.works = Works()
        self.selected = None     # a Task
        self.last = checker.model.start
        self.persistent = Persistent(self.report)
        self.all = []            # Servers, also those that are gone
        self.gone = []           # they count until their 0-lag times
        self.unknown = set()     # groups whose server was not seen to be made
        self.strangers = False   # tasks that were attached before the trace began
        self.erred = []          # (time, Server): the plugin inside it has erred
        self.events = ()
        self.notes = {}          # server id -> places among the events of what was noted
        self.turns = {}          # server id -> places where jobs came and went
        self.since = self.until = 0   # the places of this instant
        self.overloaded = False
        self.capacity = 1        # share of the CPU that servers may have

    # ---- events

    def run(self, events):
        self.events = events
        holes = sorted(hole.start for hole in self.checker.model.trace.holes)
        self.find_places()
        batch, now = [], None
        for place, event in enumerate(events):
            if holes and event.time >= holes[0]:
                break            # from here on anything may have happened
            if batch and event.now != now:
                self.until = place
                self.batch(now, batch)
                self.since, batch = place, []
            now = event.now
            batch.append(event)
        self.until = len(events)
        if batch:
            self.batch(now, batch)
        self.advance(self.checker.model.end if not holes else min(holes[0], self.checker.model.end))
        self.persistent.close(self.last)
        return self

    def find_places(self):
        """Of notes, and of where jobs come to servers and go."""
        groups = {event['id']: event.get('group', 0) for event in self.events
                  if event.name == 'resch_attach'}
        where = dict(groups)
        for place, event in enumerate(self.events):
            if event.name == 'resch_server' and event['what'] & ~budgets.FAULT:
                self.notes.setdefault(event['server'], array('Q')).append(place)
            elif event.name in BEGINS or event.name in ENDS:
                self.turns.setdefault(where.get(event['id']), array('Q')).append(place)
            elif event.name == 'resch_serve':
                provider = event['id']
                self.turns.setdefault(where.get(provider), array('Q')).append(place)
                where[provider] = (where.get(event['client']) if event['begin'] else
                                   groups.get(provider))
                self.turns.setdefault(where[provider], array('Q')).append(place)

    def batch(self, now, events):
        """One instant: what happened to jobs, what that means for servers, and who serves then."""
        self.advance(now)
        notes, choices = {}, []
        for event in events:
            name = event.name
            if name == 'resch_server':
                ident, what = event['server'], event['what'] & ~budgets.FAULT
                if what != event['what'] and ident in self.servers:
                    self.erred.append((event.time, self.servers[ident]))
                if what:
                    notes[ident] = (event, notes[ident][1] | what if ident in notes else what)
            elif name == 'resch_server_set':
                self.set(event)
            elif name == 'resch_attach':
                self.attach(event)
            elif name in ('resch_swap', 'resch_eject'):
                self.swap(event)
            elif name == 'resch_serve':
                self.serve_event(event)
            elif name in ('resch_select', 'resch_deselect'):
                choices.append(event)
            elif 'id' in event.fields:
                self.job_event(event)
        if self.judging:
            for ident, (event, what) in notes.items():
                if ident in self.servers:
                    self.noted(self.servers[ident], event, what)
        for event in choices:
            self.choice(event)

    def set(self, event):
        server = self.servers.get(event['server'])
        self.capacity = event.get('capacity', 1000000) / 1000000
        if not event['budget']:
            if server:
                server.gone = event.now
                if server.kind == budgets.LINUX:
                    server.jobs = []   # its work is nobody's concern any more
                self.gone.append(self.servers.pop(server.id))
        elif server:
            server.resize(event)
        else:
            server = self.servers[event['server']] = budgets.Server(event)
            self.all.append(server)
            if server.kind == budgets.LINUX and self.plugin is None:
                self.plugin = 'server'   # it needs no tasks
                self.judging = self.keeps(self.plugin)

    def attach(self, event):
        self.tasks[event['id']] = self.checker.model.tasks[event['id']]
        if self.plugin != event['plugin']:
            self.plugin = event['plugin']
            self.judging = self.keeps(self.plugin)

    def keeps(self, plugin):
        order = self.checker.orders.get(plugin)
        return order is not None and order.name == 'servers' and not self.strangers

    def swap(self, event):
        """All begins anew under another plugin; jobs under way come over in the order of the
        tasks."""
        self.plugin = event.get('to')
        self.judging = self.keeps(self.plugin)
        self.gone = []
        self.works.reset()
        for server in self.servers.values():
            server.reset()
        if self.judging:
            for ident in [ident for ident in self.tasks if ident in self.ready]:
                self.enqueue(self.ready[ident], False)

    def job_event(self, event):
        name, task = event.name, self.tasks.get(event['id'])
        if task is None:
            self.strangers, self.judging = True, False
            return
        if name in BEGINS:
            self.begin(task, event)
        elif name in ENDS:
            self.ready.pop(task.id, None)
            self.dequeue(task, ENDS[name])
            if name == 'resch_complete':
                self.works.complete(task)
            if name == 'resch_detach':
                del self.tasks[task.id]
                self.works.end(task)

    def begin(self, task, event):
        self.ready[task.id] = job = self.works.begin(task, event, self.ready.values())
        self.enqueue(job, event.name == 'resch_release' and job.of is job)

    def serve_event(self, event):
        """A task of a passive server goes to its client's, in the client's place, or back. While it
        sleeps nothing is given up."""
        task, client = self.tasks.get(event['id']), self.tasks.get(event['client'])
        if task is None or client is None or event['begin'] and not self.works.job_of(client):
            self.strangers, self.judging = True, False
            return
        job = self.ready.get(task.id)
        if job:
            self.dequeue(task, 'discard' if event.get('discard', 0) else 'block')
        self.works.serve(task, client if event['begin'] else None)
        if job:
            self.works.assign(job)
            self.enqueue(job, False)

    def discard(self, task):
        """What is left of the budget is given up, as if it had been used."""
        server = self.server_of(task)
        if server and self.judging:
            server.window.given_up += max(0, server.left)
            server.left = min(server.left, 0)

    # ---- what becomes of servers

    def serving(self):
        """Whose budget is running: when nobody is selected that of the rest of Linux, if it has
        one."""
        if self.selected:
            return self.server_of(self.selected)
        return next((server for server in self.servers.values() if server.kind == budgets.LINUX and
                     server.left > 0), None)

    def server_of(self, task):
        group = self.works.group(task)
        server = self.servers.get(group)
        if server is None and self.judging:
            self.unknown.add(group)
        return server

    def slack(self, server):
        """Of one that reclaims each charge is rounded, and sizes are."""
        return self.tolerance + (int(server.budget * 2e-5) + 1000 if server.reclaims else 0)

    def noted_now(self, server, wanted):
        """Whether a note that is wanted(note) was made of what happens at this instant: the next
        one of the server, and no job of it comes or goes before that. One of a budget that was used
        up is about something else."""
        notes, turns = self.notes.get(server.id, []), self.turns.get(server.id, [])
        at = bisect.bisect_left(notes, self.since)
        if at == len(notes):
            return False
        place, note = notes[at], self.events[notes[at]]
        after = bisect.bisect_left(turns, self.until)
        if after < len(turns) and turns[after] < place or note.now > self.last + self.tolerance:
            return False
        return (note['what'] & budgets.REPLENISHED and not note['what'] & budgets.EXHAUSTED and
                wanted(note))

    def renews(self, server):
        """At the limit, where clocks that differ a little decide, what was noted counts."""
        now, margin = self.last, self.slack(server)
        if not margin:
            return server.exceeds(now)
        least, most = server.exceeds(now - margin, -margin), server.exceeds(now + margin, margin)
        return least if least == most else self.noted_now(
            server, lambda note: abs(note['deadline'] - now - server.period) <= self.tolerance)

    def enqueue(self, job, released):
        server = self.server_of(job.task)
        if server is None or not self.judging:
            return
        now = self.last
        if any(other.task is job.task for other in server.jobs):
            server.drop(job.task)
        server.add(job)
        if len(server.jobs) > 1:
            return
        # the job before it was late, so that the server was never idle
        if released and server.idle_since == now and job.release < now:
            server.top_up(now)
        else:
            before, server.pending = server.pending, 0
            server.wake(now, self.renews)
            if server.pending:
                server.window.begin(now, 0)
            server.pending |= before
            server.window.wake()

    def dequeue(self, task, why):
        server, helps = self.server_of(task), task.id in self.works.clients
        if server is None or not self.judging:
            return
        if why == 'throttle':
            self.works.throttle(task)
        if why == 'discard':
            self.discard(task)
        if server.drop(task) is None:
            return
        now = self.last
        if server.jobs:
            if why == 'complete' and not helps:
                before = server.pending
                left = max(0, server.left)
                server.top_up(now)
                if server.pending != before:
                    server.window.begin(now, left)
            return
        server.idle_since = now
        if server.kind == budgets.CBS and self.used_up(server):
            start = min(now, server.deadline)
            server.fill(now)
            server.pending |= budgets.POSTPONED
            server.window.begin(start, 0)

    def used_up(self, server):
        slack = self.slack(server)
        if not slack or abs(server.left) > slack:
            return server.left <= 0
        return self.noted_now(server, lambda note: note['what'] & budgets.POSTPONED)

    def choice(self, event):
        task = self.tasks.get(event['id'])
        if event.name == 'resch_deselect':
            self.selected = None if self.selected is task else self.selected
            return
        self.selected = task
        server = self.server_of(task) if task else None
        if self.judging and server and server.policy == budgets.RR and len(server.jobs) > 1 and \
                server.jobs[0].task is not task and server.turn_over(self.tolerance):
            server.rotate()

    # ---- notes

    def noted(self, server, event, what):
        rule, now = self.checker.rules['replenish'], self.last
        rule.checked += 1
        wrong = None
        if what & budgets.EXHAUSTED:
            wrong = self.exhausted(server, what, now)
        elif what & budgets.REPLENISHED and not server.pending:
            wrong = self.waited(server, what, now)
        if wrong is None and server.pending | what & budgets.EXHAUSTED != what:
            wrong = 'that is not what happened to it'
        if wrong is None:
            wrong = self.differs(server, event) or server.correct(event['left'], event['deadline'])
        if wrong:
            self.violate('replenish', server, f'{words(what)} with {show(event["left"])} by '
                         f'{self.ago(event["deadline"])}: {wrong}', event.line)
        for at, bit in enumerate((budgets.REPLENISHED, budgets.EXHAUSTED, budgets.POSTPONED)):
            server.totals[at] += 1 if what & bit else 0
        server.left, server.deadline = event['left'], event['deadline']
        server.pending, server.pending_since = 0, None

    def exhausted(self, server, what, now):
        """Used up with jobs left. A hard one waits for its deadline, a soft one has the next budget
        at once."""
        rest = server.left
        # in time; what is late has been found so at the deadline
        self.checker.rules['promise'].checked += 1
        if not server.jobs:
            return 'it has no jobs'
        if rest > self.slack(server):
            return f'{show(int(rest))} of its budget were left'
        if not what & budgets.REPLENISHED:
            return 'it gets a new budget at once' if server.at_once() else \
                'its deadline has come' if now > server.deadline + self.tolerance else None
        if not server.at_once() and now < server.deadline:
            return f'its deadline comes {show(server.deadline - now)} later'
        self.renew(server)
        if server.at_once():
            server.pending |= budgets.POSTPONED
        return None

    def renew(self, server):
        """With a budget that follows on the last one."""
        start, carried = min(self.last, server.deadline), max(0, server.left)
        server.next(self.last)
        server.window.begin(start, carried if server.by_jobs() else 0)

    def waited(self, server, what, now):
        if not server.jobs:
            return 'it has no jobs'
        if server.left > self.slack(server):
            return f'{show(int(server.left))} of its budget were left'
        if server.at_once() or what & budgets.POSTPONED:
            return 'it had not used its budget up'
        if now < server.deadline:
            return f'its deadline comes {show(server.deadline - now)} later'
        if server.kind == budgets.LINUX and not server.deadline:
            server.deadline = now   # its first one
        late = now - server.deadline
        self.renew(server)
        if late > self.tolerance:
            return f'its deadline came {show(late)} before'
        self.checker.rules['replenish'].measure(late)
        return None

    def differs(self, server, event):
        server.accept(event['left'], self.tolerance)
        left, deadline = abs(server.left - event['left']), abs(server.deadline - event['deadline'])
        # a difference in the work is a larger one in the time that stands for it
        stretch = server.length / server.size if server.by_jobs() else 1
        slack = self.slack(server)
        if left > slack + (ROUNDING if slack else 0):
            return f'it must have {show(int(server.left))}'
        if deadline > self.tolerance * (1 + stretch) + (ROUNDING if self.tolerance else 0):
            return f'its deadline must be {self.ago(server.deadline)}'
        return None

    def ago(self, time):
        return f'{(time - self.checker.model.start) / 1000000000:.9f} s'

    def violate(self, rule, server, text, line=None):
        self.checker.violate(rule, self.last, f'{server.label()}: {text}', self.cpu, (), None, line)

    # ---- time

    def advance(self, now):
        """Time does not go back on a CPU."""
        if now <= self.last:
            return
        if self.judging:
            self.persistent.feed(self.last, self.conditions())
            self.stretch(now)
        else:
            self.persistent.close(self.last)
        self.last = now

    def stretch(self, now):
        serving = self.serving()
        length = now - self.last
        self.check_promises(serving, now)
        for server in self.servers.values():
            own = length if server is serving else 0
            before, busy, waited = server.left, bool(server.jobs), server.waits(self.last)
            if own:
                self.serve(server, own)
                self.judge_budget(server, before)
            above, below = server.window.step(length, own, busy)
            self.judge_window(server, above, below)
            if server.pending and now - server.pending_since > self.tolerance:
                self.violate('replenish', server, 'a new budget was due, and none was noted')
                server.pending = 0
            if (busy and waited and now - server.deadline > self.tolerance and
                server.deadline not in server.told):
                server.told.add(server.deadline)
                self.violate('replenish', server,
                             f'no new budget {show(now - server.deadline)} after its deadline')

    def serve(self, server, length):
        turn = min(0, server.turn)
        cost = self.reclaimed(length) if server.reclaims else length
        server.charge(length, self.selected and self.works.job_of(self.selected), cost)
        if server.policy == budgets.RR and len(server.jobs) > 1:
            over = max(0, turn - server.turn)
            self.checker.judge('inner', over,
                               self.last,
                               f'{self.selected.label()} went on for {show(over)} after its turn in '
                               f'{server.label()}', self.cpu, [self.selected])

    def reclaimed(self, length):
        """What the time from here on costs one that reclaims: -dq = U_active dt, with what the
        domain keeps for others as one more that is always active. Lipari, Baruah, ECRTS 2000."""
        end, active, rest = self.last + length, 0, 1 - self.capacity
        for server in (*self.servers.values(), *self.gone):
            until = min(end, server.gone + 2 * server.length) if server.gone else end
            active += server.active(self.last, until) * server.size / server.length
            if server.kind == budgets.LINUX and not server.gone:
                rest -= server.size / server.length   # the larger one of the two
        return min(length, active + max(0, rest) * length)

    def judge_budget(self, server, before):
        over, slack = max(0, -int(server.left)), self.slack(server)
        text = f'{server.label()} has executed for {show(over)} more than its budget'
        first = over > slack >= max(0, -before)
        self.checker.judge('supply', over, self.last, text, self.cpu, (), slack if first else over)
        if server.reclaims:
            return
        much = server.window.due(server.deadline)
        slack = 2 * self.tolerance + ROUNDING
        if much > slack and ('due', server.deadline) not in server.told:
            server.told.add(('due', server.deadline))
            self.violate('supply',
                         server,
                         f'{show(int(much))} more in budgets due by {self.ago(server.deadline)} than its '
                         'share of the time since they began')

    def judge_window(self, server, above, below):
        slack = 2 * self.tolerance + ROUNDING
        if server.at_once():
            return
        if above > slack and 'above' not in server.told and not server.reclaims:
            server.told.add('above')
            self.violate('supply', server,
                         f'{show(int(above))} more than its supply bound in a window that ends here')
        if below > slack and 'below' not in server.told and not self.overload():
            server.told.add('below')
            self.violate('promise',
                         server,
                         f'{show(int(below))} less than its share in a window that ends here, with jobs all along')

    def check_promises(self, serving, now):
        """Deadlines that pass while a server has jobs and something left."""
        for server in self.servers.values():
            if (not server.jobs or not self.last < server.deadline <= now or
                server.deadline in server.told):
                continue
            left = server.left - (server.deadline - self.last if server is serving else 0)
            if self.overload():
                continue
            text = f'{server.label()} still has {show(max(0, int(left)))} of its budget at its deadline'
            server.told.add(server.deadline)
            self.checker.judge('promise', max(0, int(left)), server.deadline, text, self.cpu, (),
                               self.slack(server))

    def overload(self):
        """More was given away than there is, as can be where admission was skipped: nothing is
        promised then."""
        much = sum(server.budget / server.period for server in self.servers.values()) > 1.000001
        self.overloaded |= much
        return much

    # ---- order

    def conditions(self):
        wrong = {}
        eligible = [server for server in self.servers.values() if server.jobs and server.left > 0]
        best = min(eligible, key=lambda server: server.deadline, default=None)
        serving = self.serving()
        if self.unknown:
            best = None          # whoever serves might be one of those
        self.checker.rules['servers'].checked += bool(best)
        if best and self.selected is None and serving is None:
            wrong['idle', best.id] = (best, None)
        elif best and serving and serving is not best and serving.deadline > best.deadline:
            wrong['order', best.id, serving.id] = (best, serving)
        if serving and len(serving.jobs) > 1:
            self.check_inner(serving, wrong)
        return wrong

    def check_inner(self, server, wrong):
        if server.policy == budgets.PLUGIN:
            return               # what it does inside is not in the trace
        self.checker.rules['inner'].checked += 1
        first = server.first()
        own = next((job for job in server.jobs if job.task is self.selected), None)
        if (own is None or own is first or server.policy != budgets.RR and
            own.key <= first.key):
            return
        wrong['inner', first.task.id, own.task.id] = (first.task, own.task, server)

    def report(self, key, start, end, detail):
        lasted = end - start
        if key[0] == 'inner':
            waiting, holder, server = detail
            self.checker.judge('inner', lasted, start,
                               f'{holder.label()} selected for {show(lasted)} while {waiting.label()} '
                               f'was first in {server.label()}, {budgets.POLICIES.get(server.policy)}',
                               self.cpu, [holder, waiting])
            return
        best, serving = detail
        who = f'{serving.label()} served' if serving else 'nobody served'
        self.checker.judge('servers', lasted, start,
                           f'{who} for {show(lasted)} while {best.label()} had jobs, a budget and '
                           f'{"an earlier deadline" if serving else "nobody before it"}', self.cpu)


def words(what):
    return ' and '.join(word for bit, word in ((budgets.EXHAUSTED, 'used up'),
                                               (budgets.REPLENISHED, 'a new budget'),
                                               (budgets.POSTPONED, 'a later deadline')) if what &
                        bit) or 'nothing'


def check(checker):
    """Fills in the rules about servers, where there are any."""
    events = checker.model.trace.events
    seen = {event['cpu'] for event in events.named(('resch_server_set',))}
    if not seen:
        return
    by_cpu = events.where(lambda form: form.name.startswith('resch_') and
                          'cpu' in form.keys).split(lambda event: event['cpu'])
    checker.add_rules(ABOUT)
    for cpu in sorted(seen):
        sweep = Sweep(checker, cpu)
        sweep.run(by_cpu[cpu])
        checker.servers += sweep.all
        checker.server_remarks += remarks(sweep)
    for name in ABOUT:
        rule = checker.rules[name]
        if rule.checked and rule.worst is None:
            rule.worst = 0


def remarks(sweep):
    for time, server in sweep.erred:
        yield (f'CPU {sweep.cpu}: {server.label()} went on by EDF from {(time - sweep.checker.model.start) / 1000000000:.9f} s on: '
               'the plugin inside it had erred')
    if sweep.strangers:
        yield (f'CPU {sweep.cpu}: tasks were attached before the trace began: servers were not judged from their first events on')
    if sweep.unknown:
        yield (f'CPU {sweep.cpu}: servers {", ".join(map(str, sorted(sweep.unknown)))} were made before the trace began: they were '
               'not judged, nor the order among servers')
    if sweep.overloaded:
        yield f'CPU {sweep.cpu}: the sizes of its servers add up to more than 1: nothing is promised there'
