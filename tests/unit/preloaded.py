# SPDX-License-Identifier: GPL-2.0
"""Libraries that are preloaded, so that programs find a device: compiled of tests/unit/NAME.c."""

import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def preloaded(case, *names):
    """Of one or several sources; it is there for as long as the tests of the class @case."""
    folder = tempfile.TemporaryDirectory()
    case.addClassCleanup(folder.cleanup)
    library = os.path.join(folder.name, names[0] + '.so')
    subprocess.run([os.environ.get('CC', 'cc'), '-std=gnu11', '-O1', '-Wall', '-Wextra', '-Werror',
                    '-shared', '-fPIC', '-I' + HERE + '/../../uapi', '-o', library,
                    *[f'{HERE}/{name}.c' for name in names], '-ldl', '-pthread'],
                   check=True, timeout=120)
    return library
