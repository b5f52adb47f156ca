# SPDX-License-Identifier: GPL-2.0
"""What a kernel takes, as Sousa and others measured it in 2011, and the same for resch-sim.

reschctl assign --overheads leaves room for the largest values. The simulator is to come up to them,
and no further:

  CtswJ  a deselected thread takes up to `leave` to leave its CPU, and the next one `switch`   leave
         + switch
  ResJ   the giving CPU's timer is late, its thread leaves, the receiving CPU's interrupt is   2
         late + 2 leave + switch late, the thread that it had meanwhile leaves, and it switches
  RelJ   the release is late; the CPU whose turn it is may be another one, and hear later
         release + late

Each is drawn at random, uniformly from 0 on, but for the switch, which always takes its time.
"""

import dataclasses

from sets import gen


DISK_FORM = '%dns/%dns@%d'


@dataclasses.dataclass(frozen=True)
class Overheads:
    """Times in ns. `tick`: (cost, period) on each CPU. `disk`: (cost, least distance, CPU) or
    None."""
    name: str
    reserve: int
    release: int
    switch: int
    tick: tuple
    disk: tuple = None

    def options(self):
        """For resch-sim."""
        leave = self.switch // 2
        switch = self.switch - leave
        late = (self.reserve - 2 * leave - switch) // 2
        return ['--jitter', f'{late}ns', '--release-jitter', f'{self.release - late}ns',
                '--stop-delay', f'{leave}ns', '--switch-cost', f'{switch}ns', '--irq',
                '%dns/%dns' % self.tick, *(['--irq', DISK_FORM % self.disk] if self.disk else [])]

    def words(self):
        """What reschctl assign knows by name, in full."""
        return 'reserve=%dns,release=%dns,switch=%dns,irq=%dns/%dns' % (
            self.reserve, self.release, self.switch, *self.tick) + (
                ',irq=' + DISK_FORM % self.disk if self.disk else '')

    def tolerance(self):
        """For resch-check: nothing may be later than this."""
        return max(self.reserve, self.release)


# The largest values of tables 1 and 5. The disk's interrupt, rare and on the last CPU, is in DISKS;
# the release overhead is part of the release jitter.
KNOWN = {
    'paper4': Overheads('paper4', 8824, 31834, 2218, (571, 1000000)),
    'paper24': Overheads('paper24', 48087, 37264, 9743, (6431, 1000000)),
}


# What a disk's interrupt took at most there, and the distance that the study assumes.
DISKS = {'paper4': (24226, 10000000), 'paper24': (35584, 10000000)}


def of_text(text):
    """Those of reserve=TIME,release=TIME,switch=TIME, as resch-jitter prints them. ValueError"""
    words = dict(word.split('=', 1) for word in text.split(','))
    if set(words) != {'reserve', 'release', 'switch'}:
        raise ValueError(f"'{text}' is not reserve=TIME,release=TIME,switch=TIME")
    return Overheads('measured', *(gen.cli.units.parse_time(words[name])
                                   for name in ('reserve', 'release', 'switch')), (0, 1000000))


def of_machine(cpus, disk=False):
    """Those of the paper's machine that is nearest from below: 4 CPUs up to 23, 24 from there
    on; with its disk's interrupt on the last CPU."""
    name = 'paper4' if cpus < 24 else 'paper24'
    if not disk:
        return KNOWN[name]
    return dataclasses.replace(KNOWN[name], name=f'{name} and a disk',
                               disk=(*DISKS[name], cpus - 1))
