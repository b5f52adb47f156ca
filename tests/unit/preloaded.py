# SPDX-License-Identifier: GPL-2.0
"""Libraries that are preloaded, so that programs find a device: compiled of tests/unit/NAME.c."""

import os
import subprocess
import tempfile
import unittest

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


class Pretended(unittest.TestCase):
    """A device that is only pretended (pretended_device.c): what it has is said in the file
    self.device, which a test writes."""

    @classmethod
    def setUpClass(cls):
        cls.pretended = preloaded(cls, 'pretended_device')

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.device = os.path.join(self.directory.name, 'device')

    def environment(self, leaks=False, **more):
        """That of a program which finds it; a sanitizer is told that it does not come first."""
        return {**os.environ, 'LD_PRELOAD': self.pretended, 'RESCH_FAKE': self.device,
                'ASAN_OPTIONS': f'verify_asan_link_order=0:detect_leaks={leaks:d}', **more}
