# SPDX-License-Identifier: GPL-2.0
"""Times: nanoseconds inside, something readable outside."""

import re

UNITS = {'ns': 1, 'us': 1000, 'µs': 1000, 'ms': 1000000, 's': 1000000000, 'min': 60000000000,
         'h': 3600000000000}
NEVER = 2 ** 64 - 1


def parse_time(text):
    """'5ms' -> 5000000, by the grammar of resch_time_parse(): a number with its unit, exactly, or
    0. ValueError, and why."""
    match = re.fullmatch(r'([0-9]*)(?:\.([0-9]*))?([a-zµ]*)', text)
    whole, part, unit = (each or '' for each in match.groups()) if match else ('', '', '')
    digits = whole + part
    if digits and not unit:
        if not int(digits):
            return 0
        raise ValueError(f"'{text}' has no unit: {text}ms?")
    if not digits or unit not in UNITS or int(digits) * UNITS[unit] % 10 ** len(part):
        raise ValueError(f"'{text}' is not a time like 250us, 5ms or 1.5s")
    time = int(digits) * UNITS[unit] // 10 ** len(part)
    if time >= NEVER:
        raise ValueError(f"'{text}' is too long")
    return time


def show(ns):
    """5000000 -> '5 ms', 1234567 -> '1.235 ms'."""
    if ns is None:
        return '-'
    if ns < 0:
        return '-' + show(-ns)
    for unit, scale in (('s', 1000000000), ('ms', 1000000), ('µs', 1000)):
        if ns >= scale:
            text = f'{ns / scale:.3f}'.rstrip('0').rstrip('.')
            return f'{text} {unit}'
    return f'{ns} ns'


def ms(ns):
    """For columns headed ms."""
    return '-' if ns is None else f'{ns / 1000000:.3f}'
