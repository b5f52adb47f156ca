# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Chains: tasks whose jobs release each other's, on other CPUs, in other threads and processes.

    key = chain.offer(task)                         # who owns a task lets it become a stage
    with chain.make(device, [chain.Stage(one, key), chain.Stage(two, other)], period='20ms',
                    deadline='50ms') as arm:
        ...

The first stage is any task, and its jobs begin the instances; later ones are Kind.SPORADIC, and
each of their jobs is released as the one before it completes, when the protocol lets it. A stage
says with wait() that its part is done, as every task does. See resch_chain_set(3).
"""

from __future__ import annotations

import ctypes
import dataclasses
import enum
import errno
import mmap
import os
import secrets
from collections.abc import Iterator, Sequence
from typing import Optional

from . import Device, Task, Time, _bytes, _Ending, _library, _raise, _refuse, nanoseconds
from ._library import LIBRARY

__all__ = ['Chain', 'Instance', 'Page', 'Protocol', 'Stage', 'StageStatistics', 'Statistics',
           'chains', 'current', 'make', 'offer', 'F_COMPLETE', 'F_MISS', 'F_SKIP_ADMISSION',
           'F_SKIP_LATE']

F_COMPLETE = 1 << 0  # an event for each instance that is complete
F_MISS = 1 << 1  # an event for each that was not in time, skipped, or lost
F_SKIP_ADMISSION = 1 << 2  # no test, and no promise
F_SKIP_LATE = 1 << 3  # an instance that is late already is dropped by its next stage

_F_ANY = 1 << 0
_NO_INSTANCE = 2 ** 63 - 1


class Protocol(enum.IntEnum):
    """When the next stage of an instance is released: resch_chain_protocol(3type)."""
    DS = 0
    PM = 1
    MPM = 2
    RG1 = 3
    RG = 4


@dataclasses.dataclass(frozen=True)
class Stage:
    """A task that is to be a stage. phase: for Protocol.PM from the origin, for MPM from the
    release of the stage before it. after: numbers of the stages, from 0, that release it, when all
    have completed the instance or, with any, the first; none: the stage before it."""
    task: int
    key: int
    phase: Time = 0
    after: Sequence[int] = ()
    any: bool = False


@dataclasses.dataclass(frozen=True)
class Instance:
    """What a stage works on; absolute times, ns. stage: from 0."""
    chain: int
    stage: int
    number: int
    origin: int
    deadline: int


@dataclasses.dataclass(frozen=True)
class StageStatistics:
    """What a stage has done for its chain, resch_stage_stat(3type); responses from the origin,
    ns."""
    task: int
    cpu: int
    completed: int
    held: int
    held_total: int
    late: int
    lost: int
    skipped: int
    response_min: int
    response_max: int
    response_total: int
    waiting: int
    waiting_max: int


@dataclasses.dataclass(frozen=True)
class Statistics:
    """What a chain has done, resch_chain_stat(3type); responses end to end, ns."""
    id: int
    name: str
    protocol: Protocol
    flags: int
    stopped: int
    ruled: bool
    period: int
    deadline: int
    instances: int
    completed: int
    missed: int
    skipped: int
    lost: int
    response_min: int
    response_max: int
    response_total: int
    tardiness_max: int
    #: bucket 0: responses of 0 ns; bucket n: of 2**(n-1) ns up to 2**n ns
    histogram: tuple[int, ...]
    stages: tuple[StageStatistics, ...]


def offer(task: Task, key: Optional[int] = None) -> int:
    """A task may become a stage, by whoever is told the key: a random one, which comes back, or a
    given one; 0: by nobody any more."""
    if key is None:
        key = secrets.randbelow(2 ** 64 - 1) + 1
    error = LIBRARY.resch_chain_offer(task.device.fileno(), task.id, key)
    if error:
        _raise(error)
    return key


def _from(stage: Stage, number: int) -> int:
    """Which stages release stage `number`, a bit each."""
    after = stage.after or range(max(0, number - 1), number)
    if not all(0 <= one < number for one in after):
        raise ValueError(f'stage {number} can only be released by stages before it, not by '
                         f'{tuple(after)}')
    return sum(1 << one for one in set(after))


def make(device: Device, stages: Sequence[Stage], period: Time, deadline: Time, *,
         protocol: Protocol = Protocol.RG, flags: int = 0, name: str = '') -> Chain:
    """A chain of tasks that their owners have offered; period: the least time between two
    instances; deadline: end to end.

    resch.Refused: the local deadlines add up to more than the deadline.
    """
    if not 1 <= len(stages) <= _library.CHAIN_STAGES_MAX:
        raise ValueError(f'a chain has 1 to {_library.CHAIN_STAGES_MAX} stages, not {len(stages)}')
    table = (_library.ChainStage * len(stages))()
    for number, stage in enumerate(stages):
        table[number].task = stage.task
        table[number].key = stage.key
        table[number].phase = nanoseconds(stage.phase)
        table[number].from_mask = _from(stage, number)
        table[number].flags = _F_ANY if stage.any else 0
    want = _library.ChainSet()
    want.count = len(stages)
    want.protocol = protocol
    want.flags = flags
    want.period = nanoseconds(period)
    want.deadline = nanoseconds(deadline)
    want.name = _bytes(name, _library.NAME_LEN, 'a name')
    error = LIBRARY.resch_chain_set(device.fileno(), ctypes.byref(want), table)
    if error:
        _refuse(error, want.verdict)
    return Chain(device, want.id)


def current(device: Device) -> Optional[Instance]:
    """What the calling thread's job is part of; None: of nothing."""
    job = _library.ChainJob()
    error = LIBRARY.resch_chain_current(device.fileno(), ctypes.byref(job))
    if error == -errno.ENOENT:
        return None
    if error:
        _raise(error)
    return Instance(job.chain, job.stage, job.instance, job.origin, job.deadline)


class _Read:
    """Room for what is asked of a chain."""

    def __init__(self, chain: int = 0) -> None:
        self.stat = _library.ChainStat()
        self.stat.id = chain
        self.stages = (_library.StageStat * _library.CHAIN_STAGES_MAX)()
        self.histogram = (ctypes.c_uint64 * _library.CHAIN_BUCKETS)()

    def rest(self) -> tuple[object, ...]:
        """Arguments of the library's calls."""
        return (ctypes.byref(self.stat), self.stages, _library.CHAIN_STAGES_MAX, self.histogram)

    def statistics(self) -> Statistics:
        stat = self.stat
        plain = {name: getattr(stat, name) for name in (
            'id', 'flags', 'stopped', 'period', 'deadline', 'instances', 'completed', 'missed',
            'skipped', 'lost', 'response_min', 'response_max', 'response_total', 'tardiness_max')}
        names = [field.name for field in dataclasses.fields(StageStatistics)]
        stages = tuple(StageStatistics(**{name: getattr(stage, name) for name in names})
                       for stage in self.stages[:stat.count])
        return Statistics(name=stat.name.decode(errors='replace'), protocol=Protocol(stat.protocol),
                          ruled=bool(stat.ruled), histogram=tuple(self.histogram), stages=stages,
                          **plain)


def chains(device: Device) -> Iterator[Statistics]:
    """All chains of the machine."""
    read = _Read()
    while (error := LIBRARY.resch_chain_next(device.fileno(), *read.rest())) > 0:
        yield read.statistics()
    if error:
        _raise(error)


class Chain(_Ending):
    """A chain that make() has made; the end of a with ends it, its tasks stay."""

    def __init__(self, device: Device, chain: int) -> None:
        self.device = device
        self.id = chain

    def delete(self) -> None:
        """End it; its tasks are tasks like any other then."""
        if self.id and self.device.fileno() >= 0:
            LIBRARY.resch_chain_del(self.device.fileno(), self.id)
        self.id = 0

    _end = delete

    def stat(self) -> Statistics:
        read = _Read(self.id)
        error = LIBRARY.resch_chain_stat(self.device.fileno(), self.id, *read.rest())
        if error:
            _raise(error)
        return read.statistics()

    def page(self) -> Page:
        """What its stages work on, without system calls."""
        return Page(self.device, self.id)


class Page(_Ending):
    """A mapped page that says which instances a chain's stages work on; see resch_chain_map(3). For
    who has CAP_SYS_NICE or made the chain, and for processes with a thread that is a stage."""

    def __init__(self, device: Device, chain: int) -> None:
        self._page: Optional[int] = None
        self.chain = chain
        fd = LIBRARY.resch_chain_open(device.fileno(), chain)
        if fd < 0:
            _raise(fd)
        self._page = LIBRARY.resch_chain_map(fd)
        error = ctypes.get_errno()
        os.close(fd)
        if not self._page:
            _raise(-error)

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        if self._page:
            _library.unmap(self._page, mmap.PAGESIZE)
        self._page = None

    _end = close

    def _mapped(self) -> int:
        if not self._page:
            raise ValueError('the page is closed')
        return self._page

    def instance(self, stage: int) -> Optional[Instance]:
        """What a stage, from 0, works on; None: it has nothing to do. resch.Error: there is no such
        stage."""
        copy = _library.StagePage()
        error = LIBRARY.resch_chain_read(self._mapped(), stage, ctypes.byref(copy))
        if error == -errno.ENOENT:
            return None
        if error:
            _raise(error)
        return Instance(self.chain, stage, copy.instance, copy.origin, copy.deadline)

    def slack(self, stage: int) -> Optional[int]:
        """How much later a stage may complete its instance than now, ns, by what its successors'
        runtimes allow; negative: it will be late; None: it has no instance."""
        slack = int(LIBRARY.resch_chain_slack(self._mapped(), stage))
        return None if slack == _NO_INSTANCE else slack
