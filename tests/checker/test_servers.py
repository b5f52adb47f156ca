# SPDX-License-Identifier: GPL-2.0
"""Servers: schedules by hand, those of the simulator, which runs the plugin's own source, and
faults in both."""

import random
import re
import unittest

from common import CheckerTest, broken, check, pick
from simulator import HEAD, SimulatorTest, put, random_task, simulate

MS = 1000000
HARD, CBS, CUS, TBS = range(4)
EDF, DM, RM, PRIORITY, FIFO, RR, PLUGIN = range(7)
USED, NEW, LATER, FAULT = 1, 2, 4, 8
KINDS = ('cbs-hard', 'cbs', 'cus', 'tbs', 'passive')
POLICIES = ('edf', 'dm', 'rm', 'priority', 'fifo', 'rr')
PLUGINS = ('plugin:edf', 'plugin:fp:order=rm', 'plugin:demo:quantum=200us', 'plugin:fifo')


class Tape:
    """A schedule as somebody writes it down; times in ms."""

    def __init__(self):
        self.lines, self.jobs = [], {}

    def say(self, time, words):
        self.lines.append(f'{round(time * MS)} {words}')

    def server(self, ident, kind, budget, period, policy=EDF, time=0, quantum=0):
        self.say(time,
                 f'resch_server_set domain=1 cpu=0 server={ident} name=s{ident} kind={kind} policy={policy} '
                 f'budget={round(budget * MS)} period={round(period * MS)} quantum={round(quantum * MS)} overhead=0')
        return self

    def task(self, ident, group, wcet, deadline=100):
        self.say(0,
                 f'resch_attach id={ident} pid={ident} cpu=0 name=t{ident} plugin=server kind=1 period={MS} '
                 f'deadline={deadline * MS} wcet={round(wcet * MS)} offset=0 priority=0 overrun=0 miss=0 group={group}')
        self.jobs[ident] = [0, 0, deadline]
        return self

    def job(self, time, event, ident, value=0):
        number, release, deadline = self.jobs[ident]
        self.say(time,
                 f'resch_{event} id={ident} pid={ident} cpu=0 job={number} release={round(release * MS)} '
                 f'deadline={round((release + deadline) * MS)} now={round(time * MS)} value={value}')

    def release(self, time, ident):
        self.jobs[ident][:2] = self.jobs[ident][0] + 1, time
        self.job(time, 'release', ident)
        return self

    def on(self, time, ident):
        self.job(time, 'select', ident)
        return self

    def off(self, time, ident, why='preempt'):
        if why == 'complete':
            self.job(time, 'complete', ident)
        self.say(time,
                 f'resch_deselect id={ident} pid={ident} cpu=0 job={self.jobs[ident][0]} now={round(time * MS)} why={why}')
        return self

    def done(self, time, ident):
        return self.off(time, ident, 'complete')

    def note(self, time, server, what, left, deadline):
        self.say(time,
                 f'resch_server domain=1 cpu=0 server={server} what={what} left={round(left * MS)} '
                 f'deadline={round(deadline * MS)} now={round(time * MS)}')
        return self


def hard():
    """Budget 2, period 6; jobs at 2 (3 long), 6 and 15 (1): finished at 9, 10 and 16."""
    tape = Tape().server(1, HARD, 2, 6).task(1, 1, 3).task(2, 1, 1).task(3, 1, 1)
    tape.release(2, 1).note(2, 1, NEW, 2, 8).on(2, 1).off(4, 1).note(4, 1, USED, 0, 8)
    tape.release(6, 2).note(8, 1, NEW, 2, 14).on(8, 1).done(9, 1).on(9, 2).done(10, 2)
    return tape.release(15, 3).note(15, 1, NEW, 2, 21).on(15, 3).done(16, 3)


def soft():
    """The same, soft: finished at 5, 7 and 16."""
    tape = Tape().server(1, CBS, 2, 6).task(1, 1, 3).task(2, 1, 1).task(3, 1, 1)
    tape.release(2, 1).note(2, 1, NEW, 2, 8).on(2, 1).note(4, 1, USED | NEW | LATER, 2, 14)
    tape.done(5, 1)
    tape.release(6, 2).on(6, 2).done(7, 2).note(7, 1, NEW | LATER, 2, 20)
    return tape.release(15, 3).note(15, 1, NEW, 2, 21).on(15, 3).done(16, 3)


def by_jobs(kind):
    """Size 1/4; jobs at 3 (1 long), 6.9 (2) and 14 (2): the deadlines are 7, 15 and 23."""
    tape = Tape().server(1, kind, 2, 8).task(1, 1, 1).task(2, 1, 2).task(3, 1, 2)
    tape.release(3, 1).note(3, 1, NEW, 1, 7).on(3, 1).done(4, 1).release(6.9, 2)
    begin = 6.9 if kind == TBS else 7
    tape.note(begin, 1, NEW, 2, 15).on(begin, 2).done(begin + 2, 2).release(14, 3)
    begin = 14 if kind == TBS else 15
    return tape.note(begin, 1, NEW, 2, 23).on(begin, 3).done(begin + 2, 3)


def two(first=1):
    """Two servers with jobs from 0 on, deadlines 10 and 20."""
    tape = Tape().server(1, HARD, 2, 10).server(2, HARD, 4, 20).task(1, 1, 2).task(2, 2, 4)
    tape.release(0, 1).release(0, 2).note(0, 1, NEW, 2, 10).note(0, 2, NEW, 4, 20)
    if first == 1:
        return tape.on(0, 1).done(2, 1).on(2, 2).done(6, 2)
    return tape.on(0, 2).done(4, 2).on(4, 1).done(6, 1)


class ByHand(CheckerTest):
    def test_the_vectors_are_legal(self):
        for tape in (hard(), soft(), by_jobs(CUS), by_jobs(TBS), two()):
            checker = self.assert_legal(tape.lines)
            self.assertGreater(checker.rules['replenish'].checked, 1)
            self.assertGreater(checker.rules['supply'].checked, 1)

    def plant(self, tape, old, new, *rules):
        lines = [re.sub(old, new, line) for line in tape.lines]
        self.assertNotEqual(lines, tape.lines)
        found = broken(check(lines))
        self.assertTrue(set(rules) <= found, f'{found}, not {rules}')

    def test_a_budget_too_large(self):
        self.plant(hard(), 'what=2 left=2000000 deadline=14', 'what=2 left=2500000 deadline=14',
                   'replenish')

    def test_a_deadline_too_early(self):
        self.plant(soft(), 'what=7 left=2000000 deadline=14', 'what=7 left=2000000 deadline=13',
                   'replenish')

    def test_a_kept_budget_where_a_new_one_was_due(self):
        tape = hard()
        tape.lines = [line for line in tape.lines if 'now=15000000' not in line or
                      'resch_server ' not in line]
        self.assertIn('replenish', broken(check(tape.lines)))

    def test_a_new_budget_where_the_old_one_stands(self):
        tape = Tape().server(1, HARD, 2, 6).task(1, 1, 2).task(2, 1, 1)
        tape.release(2, 1).note(2, 1, NEW, 2, 8).on(2, 1).done(3.9, 1)
        tape.release(5, 2).note(5, 1, NEW, 2, 11).on(5, 2).done(6, 2)
        self.assert_broken(tape.lines, 'replenish')

    def test_a_hard_server_that_does_not_wait(self):
        tape = Tape().server(1, HARD, 2, 6).task(1, 1, 4)
        tape.release(0, 1).note(0, 1, NEW, 2, 6).on(0, 1).note(2, 1, USED | NEW | LATER, 2, 12)
        tape.done(4, 1)
        self.assert_broken(tape.lines, 'replenish')

    def test_a_hard_server_replenished_too_soon(self):
        tape = Tape().server(1, HARD, 2, 6).task(1, 1, 4)
        tape.release(0, 1).note(0, 1, NEW, 2, 6).on(0, 1).off(2, 1).note(2, 1, USED, 0, 6)
        tape.note(5, 1, NEW, 2, 12).on(5, 1).done(7, 1)
        self.assert_broken(tape.lines, 'replenish')

    def test_one_replenished_too_late(self):
        tape = Tape().server(1, HARD, 2, 6).task(1, 1, 4)
        tape.release(0, 1).note(0, 1, NEW, 2, 6).on(0, 1).off(2, 1).note(2, 1, USED, 0, 6)
        tape.note(7, 1, NEW, 2, 12).on(7, 1).done(9, 1)
        self.assertIn('replenish', broken(check(tape.lines)))
        self.assertEqual(broken(check(tape.lines, 1 * MS)), set())

    def test_one_that_goes_on_without_a_budget(self):
        tape = Tape().server(1, HARD, 2, 6).task(1, 1, 3)
        tape.release(0, 1).note(0, 1, NEW, 2, 6).on(0, 1).done(3, 1)
        self.assert_broken(tape.lines, 'supply')

    def test_more_than_its_bound_in_a_window(self):
        """Three budgets of 2 in 12: 6 of them in a row are one too many, whatever was noted."""
        tape = Tape().server(1, HARD, 2, 6).task(1, 1, 9)
        tape.release(0, 1).note(0, 1, NEW, 7, 6).on(0, 1).done(7, 1)
        found = check(tape.lines)
        self.assertTrue({'replenish', 'supply'} <= broken(found))
        self.assertTrue(any('window' in one.text for one in found.violations()))

    def test_more_than_its_share_by_the_deadlines(self):
        """A soft one whose deadlines are too near together."""
        tape = Tape().server(1, CBS, 2, 6).task(1, 1, 9)
        tape.release(0, 1).note(0, 1, NEW, 2, 6).on(0, 1)
        for number in range(1, 4):
            tape.note(2 * number, 1, USED | NEW | LATER, 2, 6 + 3 * number)
        tape.done(8, 1)
        found = check(tape.lines)
        self.assertTrue(any('due by' in one.text for one in found.violations()),
                        self.complain(found))

    def test_the_later_deadline_first(self):
        self.assert_broken(two(2).lines, 'servers')

    def test_nobody_while_a_server_has_a_budget(self):
        tape = Tape().server(1, HARD, 2, 10).task(1, 1, 2)
        tape.release(0, 1).note(0, 1, NEW, 2, 10).on(1, 1).done(3, 1)
        self.assert_broken(tape.lines, 'servers')
        self.assertEqual(broken(check(tape.lines, 1 * MS)), set())

    def test_less_than_it_was_promised(self):
        tape = Tape().server(1, HARD, 5, 10).task(1, 1, 5)
        tape.release(0, 1).note(0, 1, NEW, 5, 10).on(7, 1).done(12, 1)
        found = broken(check(tape.lines))
        self.assertTrue({'promise', 'servers'} <= found, found)

    def test_nothing_is_promised_where_too_much_was_given_away(self):
        tape = Tape().server(1, HARD, 6, 10).server(2, HARD, 6, 10).task(1, 1, 6).task(2, 2, 6)
        tape.release(0, 1).note(0, 1, NEW, 6, 10).release(0, 2).note(0, 2, NEW, 6, 10).on(0, 1)
        tape.done(6, 1).on(6, 2).done(12, 2)
        checker = self.assert_legal(tape.lines)
        self.assertIn('nothing is promised', self.complain(checker))

    def test_jobs_in_the_wrong_order(self):
        for policy, deadlines, legal in ((EDF, (30, 20), 0), (EDF, (20, 30), 1), (DM, (30, 20), 0),
                                         (DM, (20, 30), 1), (FIFO, (30, 20), 1), (RR, (30, 20), 1),
                                         (PLUGIN, (30, 20), 1)):
            tape = Tape().server(1, HARD, 5, 10, policy, quantum=2 if policy == RR else 0)
            tape.task(1, 1, 2, deadlines[0]).task(2, 1, 2, deadlines[1])
            tape.release(0, 1).note(0, 1, NEW, 5, 10).release(0, 2).on(0, 1).done(2, 1).on(2, 2)
            tape.done(4, 2)
            self.assertEqual(broken(check(tape.lines)), set() if legal else {'inner'},
                             (policy, deadlines))

    def test_turns(self):
        for turn, rules in ((2, set()), (1, {'inner'}), (3, {'inner'})):
            tape = Tape().server(1, HARD, 8, 10, RR, quantum=2).task(1, 1, 4).task(2, 1, 2)
            tape.release(0, 1).note(0, 1, NEW, 8, 10).release(0, 2).on(0, 1).off(turn, 1)
            tape.on(turn, 2).done(turn + 2, 2)
            tape.on(turn + 2, 1).done(6, 1)
            self.assertEqual(broken(check(tape.lines)), rules, turn)

    def test_a_plugin_inside_that_errs(self):
        tape = Tape().server(1, HARD, 5, 10, PLUGIN).task(1, 1, 2).task(2, 1, 2)
        tape.release(0, 1).note(0, 1, NEW, 5, 10).release(0, 2).on(0, 1).note(1, 1, FAULT, 4, 10)
        tape.off(1, 1).on(1, 2)
        checker = self.assert_legal(tape.done(3, 2).on(3, 1).done(4, 1).lines)
        self.assertIn('went on by EDF from 0.001', self.complain(checker))
        self.assertEqual(checker.rules['inner'].checked, 0)

    def test_servers_from_before_the_trace(self):
        tape = hard()
        checker = check(tape.lines[1:])
        self.assertEqual(checker.verdict(), 'legal')
        self.assertNotIn('supply', checker.rules)

    def test_a_new_size_holds_from_the_next_budget_on(self):
        tape = Tape().server(1, HARD, 2, 6).task(1, 1, 9)
        tape.release(0, 1).note(0, 1, NEW, 2, 6).server(1, HARD, 3, 6, time=0.5).on(0, 1).off(2, 1)
        tape.note(2, 1, USED, 0, 6)
        tape.note(6, 1, NEW, 3, 12).on(6, 1).off(9, 1).note(9, 1, USED, 0, 12)
        tape.lines.sort(key=lambda line: int(line.split()[0]))
        self.assert_legal(tape.lines)
        tape.lines = [line.replace('left=3000000 deadline=12', 'left=2000000 deadline=12')
                      for line in tape.lines]
        self.assertIn('replenish', broken(check(tape.lines)))


# ---- random systems
# --------------------------------------------------------------------------------

def random_servers(rng, reclaim=False, room=0.95, plugins=False):
    """They fill nearly all of a CPU."""
    count, lines = rng.randrange(1, 5), []
    for left in range(count, 0, -1):
        period = rng.randrange(200, 4000) * 1000
        size = room / left * rng.uniform(0.6, 1)
        room -= size
        kind, policy = rng.choice(KINDS), rng.choice(POLICIES)
        if plugins and kind in ('cbs', 'cbs-hard'):
            policy = rng.choice(PLUGINS)
        lines.append(f'{kind}, {max(10000, int(period * size))}ns, {period}ns, {policy}, 0, '
                     + (f'{rng.randrange(100, 900)}us' if policy == 'rr' else '')
                     + (', reclaim' if reclaim and kind in ('cbs', 'cbs-hard') and
                        rng.random() < 0.7 else ''))
    return lines


def random_system(seed, time='60ms', *options, reclaim=False, rest=0.0, plugins=False):
    """`rest`: the share of the rest of Linux."""
    rng = random.Random(seed)
    servers = random_servers(rng, reclaim, 0.95 - rest, plugins)
    rows = [random_task(rng, f't{group}', lambda period: period * 4 // 10) + f',{group + 1}'
            for group in range(len(servers)) for _ in range(rng.randrange(1, 5))]
    if rest:
        period = rng.randrange(200, 4000) * 1000
        servers.append(f'linux, {int(rest * period)}ns, {period}ns, edf')
    return simulate('\n'.join([HEAD + ',group'] + rows) + '\n', '-p', 'server', '--servers',
                    put('servers.txt', '\n'.join(servers) + '\n'), '-t', time, '-s',
                    str(seed), *options)


def notes(lines, wanted):
    """Places of resch_server with a `what` for which wanted(what) holds."""
    return [at for at, line in enumerate(lines)
            if (found := re.search(r'resch_server .*what=(\d)', line)) and wanted(int(found[1]))]


def field(line, name):
    return int(re.search(fr' {name}=(-?\d+)', line)[1])


def change(lines, at, name, by):
    lines[at] = re.sub(fr'( {name}=)-?\d+',
                       lambda found: f'{found[1]}{field(lines[at], name) + by}', lines[at])


# Each takes (rng, lines), changes them and returns the rule that must be broken; None: there was no
# place.

def richer(rng, lines):
    at = pick(rng, notes(lines, lambda what: what & NEW))
    if at is None:
        return None
    change(lines, at, 'left', rng.choice((1, 1000, 500000)))
    return 'replenish'


def sooner(rng, lines):
    at = pick(rng, notes(lines, lambda what: what & NEW))
    if at is None:
        return None
    change(lines, at, 'deadline', -rng.choice((1, 1000, 100000)))
    return 'replenish'


def unnoted(rng, lines):
    at = pick(rng, (at for at in notes(lines, lambda what: what == NEW)
                    if at < len(lines) * 9 // 10 and not any(
        lines[other].split()[0] == lines[at].split()[0] for other in notes(lines, bool)
        if other != at)))
    if at is None:
        return None
    lines.pop(at)
    return 'replenish'


def unasked(rng, lines):
    """A budget that nobody has used up is said to be new."""
    at = pick(rng, (at for at in notes(lines, lambda what: what & NEW)))
    places = [place for place in range((at or 0) + 1, len(lines)) if 'resch_select' in lines[place]]
    if at is None or not places:
        return None
    server, now = field(lines[at], 'server'), field(lines[places[0]], 'now')
    if now == field(lines[at], 'now') or any(f'server={server} ' in line for line in lines[at + 1:]
                                             if f'now={now}' in line):
        return None
    lines.insert(places[0] +
                 1,
                 f'{now} resch_server domain=1 cpu=0 server={server} what={NEW | LATER} left={field(lines[at], "left")} '
                 f'deadline={field(lines[at], "deadline") + 100000000} now={now}')
    return 'replenish'


def slept(rng, lines):
    """A selection comes later than it should."""
    at = pick(rng, (at for at in range(len(lines)) if 'resch_select' in lines[at]))
    if at is None:
        return None
    now = field(lines[at], 'now')
    later = next((place for place in range(at, len(lines)) if int(lines[place].split()[0]) > now),
                 None)
    if later is None or int(lines[later].split()[0]) - now < 2:
        return None
    time = (now + int(lines[later].split()[0])) // 2
    line = lines.pop(at).split(' ', 1)[1]
    lines.insert(later - 1, f'{time} ' + line.replace(f' now={now} ', f' now={time} '))
    return 'servers'


def smaller(rng, lines):
    """What was promised is said to be half of it: then it had too much."""
    used = {field(lines[at], 'server') for at in notes(lines, lambda what: what & USED)}
    at = pick(rng, (at for at in range(len(lines)) if 'resch_server_set' in lines[at] and
                    field(lines[at], 'server') in used
                    and field(lines[at], 'kind') != CUS and field(lines[at], 'kind') != TBS))
    if at is None:
        return None
    change(lines, at, 'budget', -field(lines[at], 'budget') // 2)
    return ('supply'
            if sum(field(line, 'server') == field(lines[at], 'server') for line in lines
                   if 'resch_server ' in line) > 12 else 'replenish')


def larger(rng, lines):
    """... or half as much again: then it got too little, or too late."""
    used = {field(lines[at], 'server') for at in notes(lines, lambda what: what & USED)}
    at = pick(rng, (at for at in range(len(lines)) if 'resch_server_set' in lines[at] and
                    field(lines[at], 'server') in used))
    if at is None or field(lines[at], 'budget') * 3 // 2 > field(lines[at], 'period'):
        return None
    change(lines, at, 'budget', field(lines[at], 'budget') // 2)
    return 'replenish'


class Random(SimulatorTest):
    def test_legal(self):
        for seed in range(30):
            with self.subTest(seed=seed):
                lines = random_system(seed, reclaim=seed % 2)
                self.assertGreater(self.assert_legal(lines).rules['supply'].checked, 3)
                # what is exact is legal within any tolerance, too
                for tolerance in (1000, 50000, 300000):
                    self.assert_legal(lines, tolerance)

    def test_that_reclaim(self):
        """Legal, and not what it would have been without."""
        differ = 0
        for seed in range(20):
            with self.subTest(seed=seed):
                lines = random_system(seed, reclaim=True)
                self.assert_legal(lines)
                denied = [re.sub('(resch_server_set .*) flags=2', r'\1 flags=0', line)
                          for line in lines]
                if denied != lines:
                    differ += bool(broken(check(denied)))
        self.assertGreater(differ, 5)

    def test_beside_the_rest_of_linux(self):
        """Legal; and not if that is said to have had, or to be promised, more."""
        found = set()
        for seed in range(12):
            with self.subTest(seed=seed):
                lines = random_system(seed, reclaim=seed % 2, rest=0.1 + seed % 4 / 10)
                self.assert_legal(lines)
                more = [re.sub(r'( kind=5 .*budget=)(\d+)',
                               lambda match: f'{match[1]}{int(match[2]) + 5000}', line)
                        for line in lines]
                self.assertNotEqual(more, lines)
                found |= broken(check(more))
                # it is not served in all of its budget
                self.assertTrue(
                    broken(check([line for line in lines if 'resch_deselect' not in line])))
        self.assertIn('replenish', found)

    def test_with_plugins_inside(self):
        for seed in range(5):
            with self.subTest(seed=seed):
                lines = random_system(seed, reclaim=seed % 2, plugins=True)
                self.assertGreater(self.assert_legal(lines).rules['supply'].checked, 3)

    def test_under_other_plugins_for_a_while(self):
        for seed in range(8):
            with self.subTest(seed=seed):
                self.assert_legal(random_system(seed, '60ms', '--swap', 'edf@17ms', '--swap',
                                                'server@31ms'))

    def test_other_orders_are_told_apart(self):
        for seed in range(8):
            lines = random_system(seed)
            for old in range(4):
                lines = [re.sub(f'(resch_server_set .*policy=){old} ',
                                fr'\g<1>{(old + 1) % 4 + 10} ', line) for line in lines]
            lines = [re.sub('(resch_server_set .*policy=)1([0-3])', r'\g<1>\2', line)
                     for line in lines]
            found = broken(check(lines))
            if found:
                self.assertIn('inner', found)
                return
        self.fail('no system was wide enough to tell')


def planted(mutate, seeds, least):
    def test(self):
        count = 0
        for seed in seeds:
            rng, lines = random.Random(seed), random_system(seed, '30ms')
            rule = mutate(rng, lines)
            if rule is None:
                continue
            count += 1
            with self.subTest(seed=seed):
                checker = check(lines)
                self.assertIn(rule, broken(checker), self.complain(checker))
        self.assertGreater(count, least)
    return test


for function in (richer, sooner, unnoted, unasked, slept, smaller, larger):
    setattr(Random, 'test_' + function.__name__, planted(function, range(500, 512), 3))


if __name__ == '__main__':
    unittest.main()
