#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""`reschctl shield` beside irqbalance: a balancer that takes its requests, and does what it was
told only at its next look around."""

import os
import socket
import struct
import threading
import unittest

from shielded import Shielded, until


def numbers(text):
    found = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


class Balancer:
    """One irqbalance. `configured`: the CPUs that it bans by itself; `told`: what it was told, in
    order; `asked`: other requests; `hangs`: it takes none."""

    def __init__(self, machine, pid, configured=(), hangs=False):
        self.configured, self.banned, self.next = set(configured), set(configured), None
        self.told, self.asked, self.users, self.hangs = [], [], set(), hangs
        if configured:
            words = ",".join(map(str, configured))
            machine.put(f"proc/{pid}/environ", f"A=1\0IRQBALANCE_BANNED_CPULIST={words}\0B=2\0")
        self.path = machine.path(f"run/irqbalance/irqbalance{pid}.sock")
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.bind(self.path)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.socket.listen(0 if hangs else 5)
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while not self.hangs:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            with client:
                data, ancillary, _, _ = client.recvmsg(16384, 1024)
                for _, kind, what in ancillary:
                    if kind == socket.SCM_CREDENTIALS:
                        self.users.add(struct.unpack("iII", what)[1])
                self.takes(data.decode())

    def takes(self, text):
        if not text.startswith("settings cpus "):
            self.asked.append(text)
            return
        word = text[len("settings cpus "):]
        self.next = self.configured if word == "NULL" else numbers(word)
        self.told.append(word)

    def looks(self):
        if self.next is not None:
            self.banned = set(self.next)

    def ends(self):
        """Once; a second time is nothing."""
        if self.socket.fileno() < 0:
            return
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.socket.close()
        os.unlink(self.path)


class Irqbalance(Shielded):
    def balancer(self, pid=77, **more):
        made = Balancer(self.machine, pid, **more)
        self.addCleanup(made.ends)
        return made

    def hears(self, balancer, word):
        """In the end; who tells it doesn't wait."""
        self.assertTrue(until(lambda: balancer.told and balancer.told[-1] == word), balancer.told)
        # who goes before it has answered kills some versions
        self.assertEqual(balancer.asked, [])

    def test_told_and_told_again(self):
        """Also where both are within one of its looks around."""
        for looks in (True, False):
            with self.subTest(looks=looks):
                balancer = self.balancer()
                self.call("shield", "2-3")
                self.hears(balancer, "2-3")
                if looks:
                    balancer.looks()
                self.call("unshield")
                self.hears(balancer, "NULL")
                self.assertEqual(balancer.users, {os.geteuid()})
                balancer.looks()
                self.assertEqual(balancer.banned, set())
                balancer.ends()

    def test_its_configuration(self):
        balancer = self.balancer(configured=[1])
        self.call("shield", "3")
        self.hears(balancer, "1,3")
        balancer.looks()
        self.assertEqual(balancer.banned, {1, 3})
        self.call("unshield")
        self.hears(balancer, "NULL")
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
                self.hears(balancer, "2-3")
                if looks:
                    balancer.looks()
                self.call("unshield", "2")
                self.hears(balancer, "3")
                self.call("unshield")
                self.hears(balancer, "NULL")
                balancer.ends()

    def test_started_anew(self):
        first = self.balancer()
        self.call("shield", "2-3")
        first.looks()
        first.ends()
        second = self.balancer(pid=78)
        self.hears(second, "2-3")
        self.call("unshield")
        self.hears(second, "NULL")

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
