#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""`reschctl shield` beside irqbalance: a balancer that speaks its protocol, and says what it was
told only after its next look around."""

import os
import socket
import struct
import threading
import unittest

from shielded import Shielded, until


def mask(cpus):
    return f"00000000,{sum(1 << cpu for cpu in cpus):08x}"


def numbers(text):
    found = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


class Balancer:
    """One irqbalance. `configured`: the CPUs that it bans by itself; `told`: what it was told, in
    order; `hangs`: it doesn't answer."""

    def __init__(self, machine, pid, configured=(), hangs=False):
        self.configured, self.banned, self.next = set(configured), set(configured), None
        self.told, self.users, self.hangs, self.unanswered = [], set(), hangs, []
        self.path = machine.path(f"run/irqbalance/irqbalance{pid}.sock")
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.bind(self.path)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.socket.listen(5)
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            if self.hangs:
                self.unanswered.append(client)
                continue
            with client:
                data, ancillary, _, _ = client.recvmsg(16384, 1024)
                for _, kind, what in ancillary:
                    if kind == socket.SCM_CREDENTIALS:
                        self.users.add(struct.unpack("iII", what)[1])
                self.answer(client, data.decode())

    def answer(self, client, text):
        if text.startswith("setup"):
            client.sendall(f"SLEEP 10 IRQ 5 LOAD 0 DIFF 0 CLASS 0 BANNED {mask(self.banned)}"
                           .encode())
        elif text.startswith("settings cpus "):
            self.told.append(text[len("settings cpus "):])
            self.next = (self.configured if self.told[-1] == "NULL" else
                         numbers(self.told[-1]))

    def looks(self):
        if self.next is not None:
            self.banned = set(self.next)

    def ends(self):
        """Once; a second time is nothing."""
        if not self.thread.is_alive():
            return
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        for one in (self.socket, *self.unanswered):
            one.close()
        os.unlink(self.path)


class Irqbalance(Shielded):
    def balancer(self, pid=77, **more):
        made = Balancer(self.machine, pid, **more)
        self.addCleanup(made.ends)
        return made

    def test_told_and_told_again(self):
        """Also where both are within one of its looks around."""
        for looks in (True, False):
            with self.subTest(looks=looks):
                balancer = self.balancer()
                self.call("shield", "2-3")
                self.assertEqual(set(balancer.told), {"2-3"})
                if looks:
                    balancer.looks()
                self.call("unshield")
                self.assertEqual(balancer.told[-1], "NULL")
                self.assertEqual(balancer.users, {os.geteuid()})
                balancer.looks()
                self.assertEqual(balancer.banned, set())
                balancer.ends()

    def test_its_configuration(self):
        balancer = self.balancer(configured=[1])
        self.call("shield", "3")
        balancer.looks()
        self.assertEqual(balancer.banned, {1, 3})
        self.call("unshield")
        balancer.looks()
        self.assertEqual(balancer.banned, {1})

    def test_two_shields(self):
        for looks in (True, False):
            with self.subTest(looks=looks):
                balancer = self.balancer(pid=80 + looks)
                self.call("shield", "2")
                if looks:
                    balancer.looks()
                self.call("shield", "3")
                self.assertEqual(balancer.told[-1], "2-3")
                if looks:
                    balancer.looks()
                self.call("unshield", "2")
                self.assertEqual(balancer.told[-1], "3")
                self.call("unshield")
                self.assertEqual(balancer.told[-1], "NULL")
                balancer.ends()

    def test_started_anew(self):
        first = self.balancer()
        self.call("shield", "2-3")
        first.looks()
        first.ends()
        second = self.balancer(pid=78)
        self.assertTrue(until(lambda: second.told == ["2-3"] or len(second.told) > 1))
        self.assertEqual(set(second.told), {"2-3"})
        self.call("unshield")
        self.assertEqual(second.told[-1], "NULL")

    def test_somebody_elses_word_stands(self):
        """irqbalance-ui has banned one more: that is not undone."""
        balancer = self.balancer()
        self.call("shield", "3")
        balancer.looks()
        balancer.banned = {0, 3}
        self.assertTrue(until(lambda: "setting" in str(self.status().get("changed"))))
        self.call("unshield")
        self.assertNotIn("NULL", balancer.told)

    def test_one_that_hangs(self):
        self.balancer(hangs=True)
        self.call("shield", "2-3")
        self.call("unshield")

    def test_note(self):
        self.machine.thread(300, "irqbalance", "0-3")
        self.call("shield", "3")
        self.assertIn("irqbalance has no socket", "\n".join(self.status()["gaps"]))
        self.balancer()
        self.assertNotIn("irqbalance", "\n".join(self.status()["gaps"]))


if __name__ == "__main__":
    unittest.main()
