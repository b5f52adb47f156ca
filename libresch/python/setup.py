# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""The version is the tree's, and the tree stays clean; all else is in pyproject.toml."""

import atexit
import pathlib
import shutil
import tempfile

from setuptools import setup

work = tempfile.mkdtemp()
atexit.register(shutil.rmtree, work, ignore_errors=True)
setup(version=(pathlib.Path(__file__).resolve().parent /
               '../../VERSION').read_text(encoding='utf-8').strip(),
      options={'build': {'build_base': work}, 'egg_info': {'egg_base': work}})
