#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""A camera, a filter and an arm: three threads on three CPUs, each released as the one before it
completes.

usage: stages.py [CPU CPU CPU [INSTANCES]], of one domain: `reschctl domain set 1-3 --plugin=edf`
"""

import queue
import sys
import threading
from typing import Union

import resch
from resch import chain

NAMES = ('camera', 'filter', 'arm')
# What a thread tells: its task, offered, or why there is none.
Told = Union[tuple[resch.Task, chain.Stage], resch.Error]


def run(device: resch.Device, number: int, cpu: int, done: threading.Event, count: int,
        told: 'queue.Queue[Told]') -> None:
    """A thread: a task, offered; then job by job, each part of an instance."""
    kind = resch.Kind.SPORADIC if number else resch.Kind.PERIODIC
    try:
        task = device.join(period='20ms', runtime='4ms', deadline='12ms', cpu=cpu, kind=kind,
                           name=NAMES[number])
        told.put((task, chain.Stage(task.id, chain.offer(task))))
    except resch.Error as error:
        told.put(error)
        return
    try:
        for _ in task:
            # The work goes here; what it is for is known.
            instance = chain.current(device)
            if instance and number == 2 and instance.number >= count:
                done.set()
    except resch.Error:
        pass  # the registration has ended


def main() -> int:
    cpus = [int(cpu) for cpu in sys.argv[1:4]] if len(sys.argv) > 3 else [1, 2, 3]
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 50
    done = threading.Event()
    told: 'queue.Queue[Told]' = queue.Queue()
    tasks, stages, threads = [], [], []
    with resch.Device() as device:
        try:
            for number, cpu in enumerate(cpus):
                thread = threading.Thread(target=run,
                                          args=(device, number, cpu, done, count, told))
                thread.start()
                threads.append(thread)
                answer = told.get()
                if isinstance(answer, resch.Error):
                    raise answer
                tasks.append(answer[0])
                stages.append(answer[1])
            with chain.make(device, stages, period='20ms', deadline='40ms', name='arm') as arm:
                while not done.wait(0.1) and not arm.stat().stopped:
                    pass
                stat = arm.stat()
            print(f'{stat.completed} instances, {stat.missed} late, the longest took '
                  f'{stat.response_max} ns')
        finally:
            # Who waits for a job that does not come any more has to be told.
            for task in tasks:
                task.leave()
            for thread in threads:
                thread.join()
    return 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except resch.Error as error:
        sys.exit(f'stages.py: {error.strerror}')
