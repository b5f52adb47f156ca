#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A schedule in text to a trace.dat, which trace-cmd and KernelShark open: for tests of what reads
those.

    resch-sim --trace - SET | trace_dat.py OUT.dat

The file is of version 6 (trace-cmd.dat.v6(5)). Where the text has no sched_switch, as the
simulator's, who was chosen by resch has the CPU, so that KernelShark has something to draw itself.
"""

import os
import re
import struct
import sys

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
sys.path.insert(0, TOP + '/tools/trace')

from reschtrace import read  # noqa: E402

PAGE = 4096
WHY = ['preempt', 'complete', 'block', 'throttle', 'detach']
TEXTS = {'name': 32, 'plugin': 32, 'to': 32, 'reason': 64, 'prev_comm': 16, 'next_comm': 16}
SMALL = {'id', 'cpu', 'group', 'kind', 'overrun', 'miss', 'priority', 'domain', 'count', 'server',
         'what', 'client', 'begin', 'chain', 'stage', 'stages', 'task', 'protocol', 'policy',
         'overhead', 'flags', 'capacity', 'why', 'gone', 'prev_prio', 'next_prio'}
COMMON = (('unsigned short', 'common_type', 2, 0), ('unsigned char', 'common_flags', 1, 0),
          ('unsigned char', 'common_preempt_count', 1, 0), ('int', 'common_pid', 4, 1))
SWITCH = ('prev_comm', 'prev_pid', 'prev_prio', 'prev_state', 'next_comm', 'next_pid', 'next_prio')


class Format:
    """An event as the kernel would lay it out: `fields` in the order of the first one seen."""

    def __init__(self, number, system, name, fields):
        self.number, self.system, self.name = number, system, name
        self.layout, at = [], 8
        for field in fields:
            text = field in TEXTS or (field == 'from' and name == 'resch_swap')
            size = TEXTS.get(field, 32) if text else 4 if self.small(field) else 8
            at += -at % (1 if text else size)
            self.layout.append((field, at, size, text))
            at += size
        self.size = at + -at % 4

    def small(self, field):
        return (field in SMALL and not (self.name == 'resch_reserve' and field == 'begin') or
                field.endswith('pid'))

    def text(self):
        lines = [f'name: {self.name}', f'ID: {self.number}', 'format:']
        at = 0
        for kind, name, size, signed in COMMON:
            lines.append(f'\tfield:{kind} {name};\toffset:{at};\tsize:{size};\tsigned:{signed};')
            at += size
        lines.append('')
        shown, given = [], []
        for name, offset, size, text in self.layout:
            kind = f'char {name}[{size}]' if text else f'{"int" if size == 4 else "u64"} {name}'
            signed = int(text or name.endswith('pid') or name == 'left')
            lines.append(f'\tfield:{kind};\toffset:{offset};\tsize:{size};\tsigned:{signed};')
            shown.append(
                f'{name}=%{"s" if text else "d" if size == 4 or name == "left" else "llu"}')
            given.append(f'REC->{name}')
        return '\n'.join(lines) + f'\n\nprint fmt: "{" ".join(shown)}", {", ".join(given)}\n'

    def pack(self, fields, pid):
        data = bytearray(self.size)
        struct.pack_into('<HBBi', data, 0, self.number, 0, 0, pid)
        for name, offset, size, text in self.layout:
            value = fields.get(name, 0)
            if text:
                data[offset:offset + size] = str(value or '').encode()[:size - 1].ljust(size, b'\0')
            else:
                struct.pack_into('<I' if size == 4 else '<Q', data, offset,
                                 number(name, value) % (1 << 8 * size))
        return bytes(data)


def number(name, value):
    if name == 'why':
        return WHY.index(value) if value in WHY else 0
    return int(value)


class Recording:
    """What each CPU would have recorded."""

    def __init__(self):
        self.formats, self.cpus, self.comms, self.current = {}, {}, {0: '<idle>'}, {}

    def put(self, cpu, time, system, name, fields):
        if name not in self.formats:
            self.formats[name] = Format(300 + len(self.formats), system, name, list(fields))
        # KernelShark takes a stamp of 0 for none.
        self.cpus.setdefault(cpu, []).append((max(time, 1),
                                              self.formats[name].pack(fields,
                                                                      self.current.get(cpu, 0))))

    def switch(self, cpu, time, pid, ready=True):
        before = self.current.get(cpu, 0)
        if before == pid:
            return
        self.put(cpu, time, 'sched', 'sched_switch', dict(zip(SWITCH, (
            self.comms.get(before, ''), before, 120, 0 if ready else 1,
            self.comms.get(pid, ''), pid, 40))))
        self.current[cpu] = pid

    def add(self, event, chosen):
        cpu = event.get('cpu', event.cpu or 0)
        if event.name == 'resch_attach':
            self.comms[event['pid']] = event.get('name', '')[:15]
        if event.name == 'sched_switch':
            for which in ('prev', 'next'):
                self.comms[event[which + '_pid']] = event.get(which + '_comm', '')
            self.put(event.cpu, event.time, 'sched', event.name,
                     {name: event.get(name, 0) for name in SWITCH} | {'prev_state': 0})
            self.current[event.cpu] = event['next_pid']
            return
        self.put(cpu, event.time, 'resch', event.name, event.fields)
        if chosen and event.name == 'resch_select':
            self.switch(cpu, event.time, event['pid'])
        elif chosen and event.name == 'resch_deselect':
            self.switch(cpu, event.time, 0, event.get('why') in ('preempt', 'throttle'))

    def pages(self, cpu):
        """A CPU's ring buffer: pages of a first stamp, how much of it is used, and events with
        their distances."""
        page, stamp, last, out = b'', 0, 0, []

        def close():
            if page:
                out.append((struct.pack('<QQ', stamp, len(page)) + page).ljust(PAGE, b'\0'))

        for time, data in self.cpus.get(cpu, ()):
            if not page or len(page) + len(data) + 16 > PAGE - 16 or time - last >= 1 << 27:
                close()
                page, stamp, last = b'', time, time
            words = len(data) // 4
            head = words if words <= 28 else 0
            page += struct.pack('<I', head | (time - last) << 5)
            if not head:
                page += struct.pack('<I', len(data) + 4)
            page += data
            last = time
        close()
        return b''.join(out)

    def write(self, path):
        def sized(text, form='<Q'):
            data = text.encode()
            return struct.pack(form, len(data)) + data

        systems = {}
        for form in self.formats.values():
            systems.setdefault(form.system, []).append(form)
        cpus = max(self.cpus, default=0) + 1
        out = b'\x17\x08\x44tracing6\0\0' + struct.pack('<BI', 8, PAGE)
        out += b'header_page\0' + sized('\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n'
                                        '\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n'
                                        '\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n'
                                        f'\tfield: char data;\toffset:16;\tsize:{PAGE - 16};\tsigned:1;\n')
        out += b'header_event\0' + sized(
            '# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n'
            '\tarray       :   32 bits\n\n\tpadding     : type == 29\n\ttime_extend : type == 30\n'
            '\ttime_stamp : type == 31\n\tdata max type_len  == 28\n')
        out += struct.pack('<II', 0, len(systems))   # no events of ftrace's own
        for system, forms in systems.items():
            out += system.encode() + b'\0' + struct.pack('<I', len(forms)) + b''.join(
                sized(form.text()) for form in forms)
        out += sized('', '<I') + sized('', '<I')     # symbols, formats of printk
        out += sized(''.join(f'{pid} {comm}\n' for pid, comm in self.comms.items() if pid and comm))
        out += struct.pack('<I', cpus) + b'options  \0' + struct.pack('<H', 0) + b'flyrecord\0'
        data = [self.pages(cpu) for cpu in range(cpus)]
        at = len(out) + 16 * cpus
        at = start = at + -at % PAGE
        for each in data:
            out += struct.pack('<QQ', at, len(each))
            at += len(each)
        with open(path, 'wb') as file:
            file.write(out.ljust(start, b'\0') + b''.join(data))


def write(lines, path):
    """Text of a trace to a file."""
    events = [item for item in read.Lines(lines) if isinstance(item, read.Event)]
    chosen = not any(event.name == 'sched_switch' for event in events)
    recording = Recording()
    for event in sorted(events, key=lambda event: event.time):
        recording.add(event, chosen)
    recording.write(path)
    return recording


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(re.sub(r'\n.*', '', __doc__))
    write(sys.stdin, sys.argv[1])
