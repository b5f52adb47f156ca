# SPDX-License-Identifier: GPL-2.0
"""Work for others: a thread of a passive server that works for a client is in the client's server,
in the place of the client's job, and at its expense."""

from common import CheckerTest, broken, check
from test_servers import CBS, HARD, NEW, USED, Tape

PASSIVE = 4
CLIENT, OTHER, PROVIDER, LAST = 1, 2, 3, 4   # tasks, and their servers


class Calls(Tape):
    """A client with 4 of 10, another with 3 of 20, and a provider whose own server has 1 of 20."""

    def __init__(self, kind=HARD):
        super().__init__()
        self.server(CLIENT, kind, 4, 10).server(OTHER, HARD, 3, 20).server(PROVIDER, PASSIVE, 1, 20)
        self.task(CLIENT, CLIENT, 2, 20).task(OTHER, OTHER, 3).task(PROVIDER, PROVIDER, 1)

    def serve(self, time, begin, discard=0, who=PROVIDER, client=CLIENT):
        self.say(time, f'resch_serve id={who} client={client} cpu=0 '
                 f'server={CLIENT if begin else who} begin={begin} discard={discard} '
                 f'now={round(time * 1000000)}')
        return self

    def block(self, time, ident):
        self.job(time, 'block', ident)
        return self.off(time, ident, 'block')

    def wake(self, time, ident):
        self.job(time, 'wake', ident)
        return self

    def begin(self):
        """Both have jobs from 0 on; at 1 the client calls and sleeps, and the provider wakes."""
        self.release(0, CLIENT).release(0, OTHER)
        self.note(0, CLIENT, NEW, 4, 10).note(0, OTHER, NEW, 3, 20).on(0, CLIENT)
        return self.serve(1, 1).release(1, PROVIDER).block(1, CLIENT)

    def answer(self, time, discard=0):
        """The client is awake, the provider in its own server again, which was idle."""
        return self.wake(time, CLIENT).serve(time, 0, discard).note(time, PROVIDER, NEW, 1,
                                                                    time + 20)


class Nested(Calls):
    """The provider has another one do a part of it, whose server has 1 of 20, too."""

    def __init__(self):
        super().__init__()
        self.server(LAST, PASSIVE, 1, 20).task(LAST, LAST, 1)

    def begin(self, sleeps=True):
        super().begin().on(1, PROVIDER).serve(2, 1, 0, LAST, PROVIDER).release(2, LAST)
        return self.block(2, PROVIDER).on(2, LAST) if sleeps else self

    def end(self, time):
        self.serve(time, 0, 0, LAST, PROVIDER)
        return self.note(time, LAST, NEW, 1, time + 20)

    def answered(self, time):
        """At 3 the provider goes on, then its client, and then the other one."""
        self.off(3, LAST).wake(3, PROVIDER).end(3).on(3, PROVIDER)
        self.off(time, PROVIDER).answer(time).on(time, CLIENT).done(time + 0.4, CLIENT)
        return self.on(time + 0.4, OTHER).done(time + 3.4, OTHER)


def answered():
    """4 ms of work, of which the client's budget lasts for 3."""
    tape = Calls().begin().on(1, PROVIDER).off(4, PROVIDER).note(4, CLIENT, USED, 0, 10)
    tape.on(4, OTHER).done(7, OTHER)
    tape.note(10, CLIENT, NEW, 4, 20).on(10, PROVIDER).off(11, PROVIDER).answer(11)
    return tape.on(11, CLIENT).done(12, CLIENT).on(12, PROVIDER).block(12.5, PROVIDER)


class Served(CheckerTest):
    def test_it_is_judged_to_the_end(self):
        tape = answered()
        checker = self.assert_legal(tape.lines)
        self.assertNotIn('not judged', self.complain(checker))
        client, _, own = checker.servers
        self.assertEqual((client.consumed, own.consumed), (6000000, 500000))

    def test_a_provider_that_goes_on_without_the_clients_budget(self):
        """As if its own server, or nobody, were charged."""
        tape = Calls().begin().on(1, PROVIDER).off(5, PROVIDER).answer(5)
        self.assert_broken(tape.on(5, OTHER).done(8, OTHER).lines, 'supply')

    def test_work_that_was_not_charged(self):
        tape = answered()
        tape.lines = [line.replace('what=1 left=0', 'what=1 left=3000000') for line in tape.lines]
        self.assertIn('replenish', broken(check(tape.lines)))

    def test_a_provider_that_is_not_in_its_clients_place(self):
        tape = Calls().begin().on(1, OTHER).done(4, OTHER).on(4, PROVIDER).off(6, PROVIDER)
        self.assert_broken(tape.answer(6).on(6, CLIENT).done(7, CLIENT).lines, 'servers')

    def test_a_provider_that_goes_on_after_the_withdrawal(self):
        """It has a budget of its own, and that is 1."""
        tape = Calls().begin().on(1, PROVIDER).off(2, PROVIDER).answer(2).on(2, CLIENT)
        tape.done(3, CLIENT).on(3, OTHER).done(6, OTHER).on(6, PROVIDER).off(8, PROVIDER)
        self.assert_broken(tape.lines, 'supply')

    def test_a_client_goes_before_its_provider(self):
        tape = Calls().begin().wake(1, CLIENT).on(1, PROVIDER).off(2, PROVIDER)
        self.assert_broken(tape.on(2, CLIENT).lines, 'inner')
        tape = Calls().begin().wake(1, CLIENT).on(1, CLIENT).done(2, CLIENT).on(2, PROVIDER)
        tape.off(3, PROVIDER).serve(3, 0).note(3, PROVIDER, NEW, 1, 23).on(3, OTHER)
        self.assert_legal(tape.lines)

    def test_a_budget_that_is_given_up(self):
        for discard in (1, 0):
            tape = Calls().begin().on(1, PROVIDER).off(2, PROVIDER).answer(2, discard)
            tape.note(2, CLIENT, USED, 0, 10).on(2, OTHER).done(5, OTHER).on(5, PROVIDER)
            tape.block(5.5, PROVIDER).note(10, CLIENT, NEW, 4, 20).on(10, CLIENT).done(11, CLIENT)
            if discard:
                self.assert_legal(tape.lines)
            else:
                self.assert_broken(tape.lines, 'replenish')

    def test_nothing_is_given_up_for_one_that_sleeps(self):
        tape = Calls().begin().on(1, PROVIDER).block(2, PROVIDER).wake(2, CLIENT).serve(2, 0, 1)
        self.assert_legal(tape.on(2, CLIENT).done(3, CLIENT).on(3, OTHER).done(6, OTHER).lines)

    def test_a_soft_one_whose_provider_uses_its_budget_up(self):
        tape = Calls(CBS).begin().on(1, PROVIDER).off(4, PROVIDER).note(4, CLIENT, 7, 4, 20)
        self.assert_legal(tape.on(4, PROVIDER).off(5, PROVIDER).answer(5).on(5, CLIENT).lines)

    def test_a_client_from_before_the_trace(self):
        tape = answered()
        lines = [line for line in tape.lines if f'resch_attach id={CLIENT} ' not in line]
        self.assertIn('were attached before the trace began',
                      self.complain(self.assert_legal(lines)))


class Deeper(CheckerTest):
    def test_a_provider_of_a_provider(self):
        checker = self.assert_legal(Nested().begin().answered(3.5).lines)
        consumed = [server.consumed for server in checker.servers]
        self.assertEqual(consumed, [3900000, 3000000, 0, 0])

    def test_one_at_its_own_expense(self):
        """As if its own server were charged: the client's has too much left then."""
        tape = Nested().begin().answered(4.5)
        self.assert_broken(tape.lines, 'supply')

    def test_one_that_is_not_in_the_clients_place(self):
        tape = Nested().begin().off(2, LAST).on(2, OTHER).done(5, OTHER).on(5, LAST).off(6, LAST)
        self.assert_broken(tape.lines, 'servers')

    def test_one_goes_before_whom_it_has_called(self):
        tape = Nested().begin(sleeps=False).block(3, PROVIDER).on(3, LAST).off(3.5, LAST)
        self.assert_legal(tape.lines)
        tape = Nested().begin(sleeps=False).off(2, PROVIDER).on(2, LAST).off(3, LAST)
        self.assert_broken(tape.on(3, PROVIDER).off(3.5, PROVIDER).lines, 'inner')
