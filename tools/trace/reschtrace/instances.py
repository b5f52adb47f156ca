# SPDX-License-Identifier: GPL-2.0
"""What becomes of instances of chains, for a timeline: arrows from stage to stage, end-to-end
times, what is late, skipped or lost."""

from .chains import COMPLETE, HANDED, LATE, LOST, SKIPPED
from .traceevent import micro
from .units import show

# What a process is numbered by.
CHAINS = 30000
MARKS = 'instances'


class Instances:
    """Which job an instance is for a stage is known when the job ends. What a stage has handed over
    is kept until then, or until the stage does a later one."""

    def __init__(self):
        self.processes, self.names = {}, {}
        self.handed = {}         # (chain, stage) -> {instance: [(row, when)]}, in their order
        self.after = {}          # (chain, stage) -> the stages that it releases

    def set(self, event):
        chain = event['chain']
        for known in (self.handed, self.after):
            for key in [key for key in known if key[0] == chain]:
                del known[key]
        self.processes.pop(chain, None)
        self.names[chain] = event.get('name') or str(chain)

    def stage(self, event):
        """Which stages release it; in older recordings the one before."""
        chain, stage = event['chain'], event['stage']
        mask = event.get('from_mask', 1 << stage >> 1)
        for one in range(stage):
            if mask >> one & 1:
                self.after.setdefault((chain, one), []).append(stage)

    def process(self, writer, chain):
        if chain not in self.processes:
            self.processes[chain] = writer.process(CHAINS + chain,
                                                   f'chain {self.names.get(chain, chain)}')
        return self.processes[chain]

    def step(self, writer, event, done):
        """`done`: (row, from, to) of the slice of the job that has just ended; None: there is none.
        Return: what has been handed to it, [(from row, when, to row, when)]."""
        chain, stage, instance, what = (event['chain'], event['stage'], event['instance'],
                                        event['what'])
        waiting = self.handed.get((chain, stage), {})
        begins = waiting.get(instance, [])
        if what & SKIPPED:
            done = None   # the job that has just ended is of the one before
        for earlier in [number for number in waiting if number <= instance]:
            del waiting[earlier]
        if what & HANDED and done:
            row, start, end = done
            for after in self.after.get((chain, stage), [stage + 1]):
                to = self.handed.setdefault((chain, after), {})
                # Its last nanosecond, as with the arrows of jobs.
                to.setdefault(instance, []).append((row, max(start, end - 1)))
        self.tell(writer, event)
        # Where the first of several released it, the others come later.
        return [(*begin, *done[:2]) for begin in begins if done and begin[1] <= done[1]]

    def tell(self, writer, event):
        what, args = event['what'], {'instance': event['instance']}
        if not what & (COMPLETE | LATE | LOST | SKIPPED):
            return
        process = self.process(writer, event['chain'])
        took = event.now - event['origin']
        if what & COMPLETE:
            writer.counter(process, 'end to end', 'µs', event.now, micro(took))
        for bit, words in ((LATE, 'late'), (LOST, 'lost: the next stage has no room'),
                           (SKIPPED, 'skipped: it is late')):
            if what & bit:
                writer.instant(writer.row(process, MARKS), words, 'chain', event.now,
                               {**args, 'after': show(took)})
