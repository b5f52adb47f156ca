# SPDX-License-Identifier: GPL-2.0
"""Times: nanoseconds inside, something readable outside."""

import re

UNITS = {'': 1, 'ns': 1, 'us': 1000, 'µs': 1000, 'ms': 1000000, 's': 1000000000}


def parse_time(text):
    """'5ms' -> 5000000; a bare number is ns. ValueError if it is no time."""
    match = re.fullmatch(r'([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([a-zµ]*)', text.strip())
    if not match or match[2] not in UNITS:
        raise ValueError(f"'{text}' is not a time like 250us, 5ms or 1.5s")
    whole, _, part = match[1].partition('.')
    scale = UNITS[match[2]]
    return int(whole or 0) * scale + (int(part) * scale // 10 ** len(part) if part else 0)


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
