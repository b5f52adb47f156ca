# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Real-time scheduling by the resch kernel modules, over libresch.

    with resch.Device() as device, device.join(period='10ms', runtime='2ms', cpu=1) as task:
        for job in task:
            work(job.deadline)

Times go in as text with a unit ('10ms', '500us'), as datetime.timedelta, or as int: nanoseconds.
They come out as int nanoseconds; absolute ones are CLOCK_MONOTONIC, as time.monotonic_ns() reads
it. What fails raises resch.Error, an OSError with a sentence: which parameter is out of range, or,
of resch.Refused, why admission refused it and what would pass.

The interpreter itself pauses for longer than a small runtime now and then (its garbage collector,
other threads that have its lock): measure, and give the runtime room. A task is a thread: other
threads of the process stay ordinary.
"""

from __future__ import annotations

import ctypes
import dataclasses
import datetime
import enum
import os
import types
from collections.abc import Iterator
from typing import Optional, TypeVar, Union

from . import _library
from ._library import LIBRARY

__all__ = ['Device', 'Domain', 'Error', 'Event', 'EventType', 'Job', 'Kind', 'Reaction', 'Refused',
           'State', 'Statistics', 'Task', 'F_SKIP_ADMISSION', 'F_SYNC', 'NEVER', 'now',
           'nanoseconds', 'version']

Time = Union[int, str, datetime.timedelta]

F_SYNC = 1 << 0  # the first release waits for Device.start()
F_SKIP_ADMISSION = 1 << 1  # no test, and no promise
NEVER = 2 ** 64 - 1


class Kind(enum.IntEnum):
    """What releases the jobs of a task: resch_kind(3type)."""
    PERIODIC = 0
    SPORADIC = 1
    WAKEUP = 2


class Reaction(enum.IntEnum):
    """What happens when a job exceeds its runtime, or misses its deadline: resch_react(3type)."""
    COUNT = 0
    NOTIFY = 1
    SIGNAL = 2
    SKIP = 3
    THROTTLE = 4
    DEMOTE = 5


class State(enum.IntEnum):
    """Where a task is: resch_state(3type)."""
    NEW = 0
    SLEEPING = 1
    READY = 2
    SELECTED = 3
    BLOCKED = 4
    THROTTLED = 5
    GONE = 6


class EventType(enum.IntEnum):
    """What has happened: resch_event_type(3type), where the value is explained, too."""
    OVERRUN = 1
    MISS = 2
    GONE = 3
    CHAIN_COMPLETE = 4
    CHAIN_MISS = 5
    CHAIN_GONE = 6


class Error(OSError):
    """What the library could not do; errno and strerror say why."""


class Refused(Error):
    """Admission said no: str() says which bound would be broken, and what would pass."""

    #: parameters that would pass, ns; 0: none was found
    runtime: int = 0
    period: int = 0


def _raise(error: int, text: str = '') -> None:
    raise Error(-error, text or _library.text_of(error))


def _refuse(error: int, verdict: _library.Verdict) -> None:
    if error != _library.EBUSY or not verdict.bound:
        _raise(error)
    refused = Refused(-error, _library.verdict_text(verdict))
    refused.runtime = verdict.suggest_wcet
    refused.period = verdict.suggest_period
    raise refused


def now() -> int:
    """CLOCK_MONOTONIC, ns."""
    return int(LIBRARY.resch_now())


def version() -> str:
    """The release of the library."""
    return str(LIBRARY.resch_version().decode())


def nanoseconds(time: Time) -> int:
    """A time, as all calls here take it, in ns. ValueError: '10' (text needs a unit), a negative
    one."""
    if isinstance(time, datetime.timedelta):
        time = (time.days * 86400 + time.seconds) * 10 ** 9 + time.microseconds * 1000
    if isinstance(time, str):
        ns = ctypes.c_uint64()
        if LIBRARY.resch_time_parse(time.encode(), ctypes.byref(ns)):
            raise ValueError(f'{time!r} is no time: such as 500us, 2ms, 1.5s')
        return ns.value
    if not 0 <= time <= NEVER:
        raise ValueError(f'{time} is no time')
    return time


def _bytes(text: str, size: int, what: str) -> bytes:
    encoded = text.encode()
    if len(encoded) >= size:
        raise ValueError(f'{what} has at most {size - 1} bytes: {text!r}')
    return encoded


@dataclasses.dataclass(frozen=True)
class Job:
    """One piece of a task's work; absolute times, ns."""
    release: int
    deadline: int
    number: int
    skipped: int


@dataclasses.dataclass(frozen=True)
class Event:
    """What has happened to a task."""
    type: EventType
    task: int
    time: int
    job: int
    value: int


@dataclasses.dataclass(frozen=True)
class Statistics:
    """What a task has done, resch_task_stat(3type); times in ns."""
    id: int
    name: str
    pid: int
    cpu: int
    domain: int
    state: State
    period: int
    deadline: int
    runtime: int
    job: int
    completed: int
    misses: int
    overruns: int
    skipped: int
    preemptions: int
    migrations: int
    exec_total: int
    exec_max: int
    response_min: int
    response_max: int
    response_total: int
    tardiness_max: int
    lead: int
    lead_late: int
    lead_way: int
    distance: int


def _statistics(stat: _library.TaskStat) -> Statistics:
    params = stat.params
    plain = {name: getattr(stat, name) for name in (
        'id', 'pid', 'cpu', 'domain', 'job', 'completed', 'misses', 'overruns', 'skipped',
        'preemptions', 'migrations', 'exec_total', 'exec_max', 'response_min', 'response_max',
        'response_total', 'tardiness_max', 'lead', 'lead_late', 'lead_way',
        'distance')}
    return Statistics(name=params.name.decode(errors='replace'), state=State(stat.state),
                      period=params.period,
                      deadline=params.deadline, runtime=params.wcet, **plain)


@dataclasses.dataclass(frozen=True)
class Domain:
    """A set of CPUs with a plugin."""
    id: int
    cpus: frozenset[int]
    plugin: str
    options: str
    tasks: int


_Own = TypeVar('_Own', bound='_Ending')


class _Ending:
    """What the end of a with ends."""

    def _end(self) -> None:
        raise NotImplementedError

    def __enter__(self: _Own) -> _Own:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[types.TracebackType]) -> None:
        self._end()


class Device(_Ending):
    """The module's door. Closing it, which the end of a with does, ends all registrations that were
    made through it."""

    def __init__(self) -> None:
        self._fd = -1
        fd = LIBRARY.resch_open()
        if fd < 0:
            _raise(fd, LIBRARY.resch_open_reason(fd).decode())
        self._fd = fd

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    _end = close

    def fileno(self) -> int:
        """For select and the like: readable when there are events."""
        return self._fd

    def module_version(self) -> str:
        info = _library.Info()
        error = LIBRARY.resch_info(self._fd, ctypes.byref(info))
        if error:
            _raise(error)
        return str(info.version.decode())

    def join(self, period: Time, runtime: Time, *, deadline: Time = 0, offset: Time = 0,
             kind: Kind = Kind.PERIODIC, cpu: int = -1, domain: int = 0,
             overrun: Reaction = Reaction.THROTTLE, miss: Reaction = Reaction.COUNT,
             signal: int = 0, priority: int = 0, group: int = 0, flags: int = 0, name: str = '',
             thread: Optional[int] = None) -> Task:
        """Make the calling thread a task, or another one, by its native thread id.

        Units, ranges and what 0 means: resch_task_params(3type), runtime being its wcet; cpu -1:
        any of the domain. A job that exceeds its runtime is throttled unless overrun says
        otherwise.
        """
        reg = _library.Register()
        reg.params = _library.TaskParams(nanoseconds(period), nanoseconds(deadline),
                                         nanoseconds(runtime), nanoseconds(offset), kind, overrun,
                                         miss, signal, priority, cpu, flags, group,
                                         _bytes(name, _library.NAME_LEN, 'a name'))
        reg.domain = domain
        if thread is None:
            error = LIBRARY.resch_register_self(self._fd, ctypes.byref(reg))
        else:
            error = LIBRARY.resch_register_thread(self._fd, thread, ctypes.byref(reg))
        if error == _library.EINVAL:
            _raise(error, _library.params_text(reg.params))
        if error:
            _refuse(error, reg.verdict)
        return Task(self, reg.id, reg.cpu)

    def stat(self, task: int = 0) -> Statistics:
        """Of a task by its id; 0: the calling thread's."""
        stat = _library.TaskStat()
        error = LIBRARY.resch_task_stat(self._fd, task, ctypes.byref(stat))
        if error:
            _raise(error)
        return _statistics(stat)

    def tasks(self) -> Iterator[Statistics]:
        """All tasks of the machine."""
        stat = _library.TaskStat()
        while (error := LIBRARY.resch_task_next(self._fd, ctypes.byref(stat))) > 0:
            yield _statistics(stat)
        if error:
            _raise(error)

    def release(self, task: int) -> None:
        """Release a job of a sporadic task."""
        error = LIBRARY.resch_release(self._fd, task)
        if error:
            _raise(error)

    def start(self, domain: int, at: Time = 0) -> int:
        """Time zero for the tasks of a domain that wait for it (F_SYNC); at 0: soon. How many there
        were."""
        count = LIBRARY.resch_start(self._fd, domain, nanoseconds(at))
        if count < 0:
            _raise(count)
        return int(count)

    def events(self, timeout: Optional[float] = None, most: int = 16) -> list[Event]:
        """What has happened to the tasks of this device. timeout: seconds to wait for the first
        one; None: as long as it takes."""
        ready = _library.EINTR
        while ready == _library.EINTR:
            # a signal's Python handler runs between two of these, and may raise
            ready = LIBRARY.resch_event_wait(self._fd,
                                             -1 if timeout is None else int(timeout * 1000))
        if ready < 0:
            _raise(ready)
        if not ready:
            return []
        room = (_library.Event * most)()
        count = LIBRARY.resch_event_read(self._fd, room, most)
        if count < 0:
            _raise(count)
        return [Event(EventType(event.type), event.task, event.time, event.job, event.value)
                for event in room[:count]]

    def domains(self) -> Iterator[Domain]:
        stat = _library.DomainStat()
        while (error := LIBRARY.resch_domain_next(self._fd, ctypes.byref(stat))) > 0:
            cpus = frozenset(cpu for cpu in range(_library.CPUS_MAX)
                             if stat.cpus.bits[cpu // 64] >> cpu % 64 & 1)
            yield Domain(stat.domain, cpus, stat.plugin.decode(), stat.options.decode(), stat.tasks)
        if error:
            _raise(error)

    def make_domain(self, cpus: str, plugin: str, options: str = '') -> int:
        """A new domain of these CPUs, '1' or '2-3,5'; it stays until delete_domain(). Its id."""
        request = _library.DomainSet()
        if LIBRARY.resch_cpus_parse(cpus.encode(), ctypes.byref(request.cpus)) < 0:
            raise ValueError(f'{cpus!r} is no list of CPUs')
        request.plugin = _bytes(plugin, _library.NAME_LEN, 'the name of a plugin')
        request.options = _bytes(options, _library.OPTIONS_LEN, 'its options')
        error = LIBRARY.resch_domain_set(self._fd, ctypes.byref(request))
        if error:
            _refuse(error, request.verdict)
        return int(request.domain)

    def delete_domain(self, domain: int) -> None:
        error = LIBRARY.resch_domain_del(self._fd, domain)
        if error:
            _raise(error)


class Task(_Ending):
    """A thread's registration; the end of a with ends it. Device.join() makes one.

    wait(), delay() and iteration are for the thread that has joined.
    """

    def __init__(self, device: Device, task: int, cpu: int) -> None:
        self.device = device
        self.id = task
        self.cpu = cpu

    def leave(self) -> None:
        """The thread is an ordinary one again; one that has ended is none already."""
        if self.id and self.device.fileno() >= 0:
            LIBRARY.resch_unregister(self.device.fileno(), self.id)
        self.id = 0

    _end = leave

    def wait(self) -> Job:
        """End the job, and sleep until the next one may run; the first call waits for the first
        one.

        errno.ECANCELED: the registration has ended. A signal's Python handler runs while this
        waits, and may raise.
        """
        job = _library.Wait()
        error = _library.EINTR
        while error == _library.EINTR:
            error = LIBRARY.resch_wait(self.device.fileno(), ctypes.byref(job))
        if error:
            _raise(error)
        return Job(job.release, job.deadline, job.job, job.skipped)

    def __iter__(self) -> Iterator[Job]:
        """The jobs: the body of a for is the work of one."""
        while True:
            yield self.wait()

    def delay(self, until: Time) -> None:
        """Suspend the job until an absolute time."""
        error = LIBRARY.resch_delay(self.device.fileno(), nanoseconds(until))
        if error:
            _raise(error)

    def lead(self, time: Time) -> None:
        """Have it woken so much ahead of its releases, to begin with them: resch_lead_set(3). 0:
        not."""
        verdict = _library.Verdict()
        error = LIBRARY.resch_lead_set(self.device.fileno(), self.id, nanoseconds(time),
                                       ctypes.byref(verdict))
        if error:
            _refuse(error, verdict)

    def pace(self, distance: Time) -> None:
        """Have its releases so far apart from now on: its period or more. resch_pace_set(3)."""
        error = LIBRARY.resch_pace_set(self.device.fileno(), self.id, nanoseconds(distance))
        if error:
            _raise(error)

    def stat(self) -> Statistics:
        return self.device.stat(self.id)
