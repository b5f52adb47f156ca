# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""libresch and the structures of <linux/resch.h>, as ctypes has them.

Nothing here is for programs; tests compare every member's place with what the compiler makes of the
header.
"""

import ctypes
import errno
import os
from typing import Any

NAME_LEN = 16
OPTIONS_LEN = 64
REASON_LEN = 96
CPUS_MAX = 1024
VERDICT_TEXT = 320
CHAIN_STAGES_MAX = 16
CHAIN_BUCKETS = 64

_u32 = ctypes.c_uint32
_s32 = ctypes.c_int32
_u64 = ctypes.c_uint64


class TaskParams(ctypes.Structure):
    _fields_ = [('period', _u64), ('deadline', _u64), ('wcet', _u64), ('offset', _u64),
                ('kind', _u32), ('overrun', _u32), ('miss', _u32), ('signal', _u32),
                ('priority', _u32), ('cpu', _s32), ('flags', _u32), ('group', _u32),
                ('name', ctypes.c_char * NAME_LEN)]


class Verdict(ctypes.Structure):
    _fields_ = [('bound', _u32), ('task', _u32), ('cpu', _s32), ('reserved', _u32), ('value', _u64),
                ('limit', _u64), ('suggest_wcet', _u64), ('suggest_period', _u64)]


class Register(ctypes.Structure):
    _fields_ = [('params', TaskParams), ('pid', _s32), ('reserved', _u32), ('start_time', _u64),
                ('domain', _u32), ('id', _u32), ('cpu', _s32), ('reserved2', _u32),
                ('verdict', Verdict)]


class Wait(ctypes.Structure):
    _fields_ = [('release', _u64), ('deadline', _u64), ('job', _u64), ('skipped', _u64)]


class TaskStat(ctypes.Structure):
    _fields_ = [('id', _u32), ('next', _u32), ('params', TaskParams), ('pid', _s32), ('cpu', _s32),
                ('domain', _u32), ('state', _u32), ('job', _u64), ('release', _u64),
                ('deadline', _u64), ('completed', _u64), ('misses', _u64), ('overruns', _u64),
                ('skipped', _u64), ('preemptions', _u64), ('migrations', _u64),
                ('exec_total', _u64), ('exec_max', _u64), ('response_min', _u64),
                ('response_max', _u64), ('response_total', _u64), ('tardiness_max', _u64),
                ('escalations', _u64), ('lead', _u64), ('lead_late', _u64), ('lead_way', _u64),
                ('distance', _u64)]


class Cpus(ctypes.Structure):
    _fields_ = [('bits', _u64 * (CPUS_MAX // 64))]


class DomainSet(ctypes.Structure):
    _fields_ = [('domain', _u32), ('flags', _u32), ('cpus', Cpus),
                ('plugin', ctypes.c_char * NAME_LEN), ('options', ctypes.c_char * OPTIONS_LEN),
                ('capacity', _u32), ('overhead', _u32), ('verdict', Verdict)]


class DomainStat(ctypes.Structure):
    _fields_ = [('domain', _u32), ('next', _u32), ('cpus', Cpus),
                ('plugin', ctypes.c_char * NAME_LEN), ('options', ctypes.c_char * OPTIONS_LEN),
                ('capacity', _u32), ('overhead', _u32), ('tasks', _u32), ('ejections', _u32),
                ('swaps', _u64), ('decisions', _u64), ('eject_plugin', ctypes.c_char * NAME_LEN),
                ('eject_reason', ctypes.c_char * REASON_LEN)]


class Info(ctypes.Structure):
    _fields_ = [('abi', _u32), ('level', _u32), ('features', _u64), ('tasks', _u32),
                ('domains', _u32), ('plugins', _u32), ('reserved', _u32), ('escalate', _u64),
                ('restored', _u64), ('events_lost', _u64), ('version', ctypes.c_char * NAME_LEN)]


class Event(ctypes.Structure):
    _fields_ = [('type', _u32), ('task', _u32), ('time', _u64), ('job', _u64), ('value', _u64)]


class ChainStage(ctypes.Structure):
    _fields_ = [('task', _u32), ('from_mask', _u32), ('key', _u64), ('phase', _u64),
                ('flags', _u32), ('reserved32', _u32), ('reserved', _u64 * 2)]


class ChainSet(ctypes.Structure):
    _fields_ = [('id', _u32), ('count', _u32), ('protocol', _u32), ('flags', _u32),
                ('period', _u64), ('deadline', _u64), ('stages', _u64),
                ('name', ctypes.c_char * NAME_LEN), ('verdict', Verdict)]


class StageStat(ctypes.Structure):
    _fields_ = [('task', _u32), ('cpu', _s32), ('completed', _u64), ('held', _u64),
                ('held_total', _u64), ('late', _u64), ('lost', _u64), ('skipped', _u64),
                ('response_min', _u64), ('response_max', _u64), ('response_total', _u64),
                ('waiting', _u32), ('waiting_max', _u32)]


class ChainStat(ctypes.Structure):
    _fields_ = [('id', _u32), ('next', _u32), ('room', _u32), ('count', _u32), ('stages', _u64),
                ('histogram', _u64), ('protocol', _u32), ('flags', _u32), ('stopped', _u32),
                ('ruled', _u32), ('period', _u64), ('deadline', _u64), ('instances', _u64),
                ('completed', _u64), ('missed', _u64), ('skipped', _u64), ('lost', _u64),
                ('response_min', _u64), ('response_max', _u64), ('response_total', _u64),
                ('tardiness_max', _u64), ('name', ctypes.c_char * NAME_LEN)]


class ChainJob(ctypes.Structure):
    _fields_ = [('chain', _u32), ('stage', _u32), ('instance', _u64), ('origin', _u64),
                ('deadline', _u64)]


class StagePage(ctypes.Structure):
    _fields_ = [('sequence', _u32), ('task', _u32), ('instance', _u64), ('origin', _u64),
                ('deadline', _u64), ('release', _u64), ('rest', _u64), ('reserved', _u64 * 2)]


_pointer = ctypes.POINTER
# Results and arguments; the results are 0 or more, or a negative error number, where they are
# c_int.
_PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {
    'resch_open': (ctypes.c_int, []),
    'resch_open_reason': (ctypes.c_char_p, [ctypes.c_int]),
    'resch_version': (ctypes.c_char_p, []),
    'resch_now': (_u64, []),
    'resch_info': (ctypes.c_int, [ctypes.c_int, _pointer(Info)]),
    'resch_register_self': (ctypes.c_int, [ctypes.c_int, _pointer(Register)]),
    'resch_register_thread': (ctypes.c_int, [ctypes.c_int, ctypes.c_int, _pointer(Register)]),
    'resch_unregister': (ctypes.c_int, [ctypes.c_int, _u32]),
    'resch_wait': (ctypes.c_int, [ctypes.c_int, _pointer(Wait)]),
    'resch_delay': (ctypes.c_int, [ctypes.c_int, _u64]),
    'resch_pace_set': (ctypes.c_int, [ctypes.c_int, _u32, _u64]),
    'resch_lead_set': (ctypes.c_int, [ctypes.c_int, _u32, _u64, _pointer(Verdict)]),
    'resch_release': (ctypes.c_int, [ctypes.c_int, _u32]),
    'resch_start': (ctypes.c_int, [ctypes.c_int, _u32, _u64]),
    'resch_task_stat': (ctypes.c_int, [ctypes.c_int, _u32, _pointer(TaskStat)]),
    'resch_task_next': (ctypes.c_int, [ctypes.c_int, _pointer(TaskStat)]),
    'resch_domain_set': (ctypes.c_int, [ctypes.c_int, _pointer(DomainSet)]),
    'resch_domain_del': (ctypes.c_int, [ctypes.c_int, _u32]),
    'resch_domain_next': (ctypes.c_int, [ctypes.c_int, _pointer(DomainStat)]),
    'resch_chain_offer': (ctypes.c_int, [ctypes.c_int, _u32, _u64]),
    'resch_chain_set': (ctypes.c_int, [ctypes.c_int, _pointer(ChainSet), _pointer(ChainStage)]),
    'resch_chain_del': (ctypes.c_int, [ctypes.c_int, _u32]),
    'resch_chain_stat': (ctypes.c_int, [ctypes.c_int, _u32, _pointer(ChainStat),
                                        _pointer(StageStat), _u32, _pointer(_u64)]),
    'resch_chain_next': (ctypes.c_int, [ctypes.c_int, _pointer(ChainStat), _pointer(StageStat),
                                        _u32, _pointer(_u64)]),
    'resch_chain_current': (ctypes.c_int, [ctypes.c_int, _pointer(ChainJob)]),
    'resch_chain_open': (ctypes.c_int, [ctypes.c_int, _u32]),
    'resch_chain_map': (ctypes.c_void_p, [ctypes.c_int]),
    'resch_chain_read': (ctypes.c_int, [ctypes.c_void_p, _u32, _pointer(StagePage)]),
    'resch_chain_slack': (ctypes.c_int64, [ctypes.c_void_p, _u32]),
    'resch_event_read': (ctypes.c_int, [ctypes.c_int, _pointer(Event), ctypes.c_size_t]),
    'resch_event_wait': (ctypes.c_int, [ctypes.c_int, ctypes.c_int]),
    'resch_params_check': (ctypes.c_int, [_pointer(TaskParams), ctypes.c_char_p, ctypes.c_size_t]),
    'resch_verdict_text': (ctypes.c_int, [_pointer(Verdict), ctypes.c_char_p, ctypes.c_size_t]),
    'resch_time_parse': (ctypes.c_int, [ctypes.c_char_p, _pointer(_u64)]),
    'resch_cpus_parse': (ctypes.c_int, [ctypes.c_char_p, _pointer(Cpus)]),
}


def _load() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL('libresch.so.0', use_errno=True)
    except OSError as error:
        raise ImportError('the library libresch.so.0 is missing: install the package libresch0, or '
                          f'`sudo make install` in the source tree ({error})') from error
    for name, (result, arguments) in _PROTOTYPES.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


LIBRARY = _load()


_C_LIBRARY = ctypes.CDLL(None)
_C_LIBRARY.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def unmap(page: int, size: int) -> None:
    """What a call of the library has mapped."""
    _C_LIBRARY.munmap(page, size)


def text_of(error: int) -> str:
    """What the C library says of a negative error number."""
    return os.strerror(-error)


def verdict_text(verdict: Verdict) -> str:
    buffer = ctypes.create_string_buffer(VERDICT_TEXT)
    LIBRARY.resch_verdict_text(ctypes.byref(verdict), buffer, VERDICT_TEXT)
    return buffer.value.decode()


def params_text(params: TaskParams) -> str:
    """What is wrong with parameters; '': nothing."""
    buffer = ctypes.create_string_buffer(VERDICT_TEXT)
    LIBRARY.resch_params_check(ctypes.byref(params), buffer, VERDICT_TEXT)
    return buffer.value.decode()


EINTR = -errno.EINTR
EBUSY = -errno.EBUSY
EINVAL = -errno.EINVAL
