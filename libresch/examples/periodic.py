#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""A job every 10 ms, with 2 ms of execution time promised to it, until ^C.

usage: periodic.py [CPU [JOBS]]; the CPU must be in a domain: `reschctl domain set 1 --plugin edf`
"""

import sys

import resch


def main() -> int:
    cpu = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    with resch.Device() as device, device.join(period='10ms', runtime='2ms', cpu=cpu,
                                               name='periodic.py') as task:
        try:
            for job in task:
                if job.number >= count:
                    break
                # The work of one job goes here, and is complete before job.deadline.
        except KeyboardInterrupt:
            pass
        stat = task.stat()
    print(f'{stat.completed} jobs, {stat.misses} misses, response at most {stat.response_max} ns')
    return 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except resch.Refused as refused:
        sys.exit(f'periodic.py: refused: {refused.strerror}')
    except resch.Error as error:
        sys.exit(f'periodic.py: {error.strerror}')
