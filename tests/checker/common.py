# SPDX-License-Identifier: GPL-2.0
"""What the tests of the checker share."""

import os
import random
import sys
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
TOOLS = os.path.join(os.path.dirname(os.path.dirname(HERE)), 'tools', 'trace')
sys.path[:0] = [TOOLS, HERE]
sys.dont_write_bytecode = True

from reschtrace import policy, read, replay, report, rules  # noqa: E402, F401
import schedule  # noqa: E402

CHECK = os.path.join(TOOLS, 'resch-check')
DRAW = os.path.join(TOOLS, 'resch-draw')
JITTER = os.path.join(TOOLS, 'resch-jitter')
T = schedule.TICK


def check(text, tolerance=0, **orders):
    """A Checker that has run over lines of text."""
    return rules.check(replay.build(read.parse(text)), policy.orders(orders), tolerance)


def broken(checker):
    """The names of the rules that it found broken."""
    return {name for name, rule in checker.rules.items() if rule.violations}


class CheckerTest(unittest.TestCase):
    def complain(self, checker):
        return '\n' + report.text(checker)

    def assert_legal(self, lines, tolerance=0, **orders):
        checker = check(lines, tolerance, **orders)
        self.assertEqual(checker.verdict(), 'legal', self.complain(checker))
        return checker

    def assert_broken(self, lines, *names, tolerance=0, **orders):
        """Exactly these rules are broken."""
        checker = check(lines, tolerance, **orders)
        self.assertEqual(broken(checker), set(names), self.complain(checker))
        self.assertEqual(checker.verdict(), 'illegal')
        return checker


def pick(rng, candidates):
    """One of them, or None where there are none."""
    candidates = list(candidates)
    return rng.choice(candidates) if candidates else None


def mutation_test(mutate, draw, seeds, least):
    """A test: in more than `least` of the schedules that draw(rng) makes, mutate(rng, lines) finds
    a place for its fault, and the checker finds the fault. mutate changes the lines and returns the
    rule that must be reported, among others perhaps; None: there was no place."""
    def test(self):
        planted = 0
        for seed in seeds:
            rng = random.Random(seed)
            lines = draw(rng)
            rule = mutate(rng, lines)
            if rule is None:
                continue
            planted += 1
            checker = check(schedule.simulated(lines))
            with self.subTest(seed=seed):
                self.assertIn(rule, broken(checker), self.complain(checker))
                self.assertEqual(checker.verdict(), 'illegal')
        self.assertGreater(planted, least)
    test.__doc__ = mutate.__doc__
    return test
