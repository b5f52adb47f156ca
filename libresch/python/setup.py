# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""The version is the tree's; all else is in pyproject.toml."""

import pathlib

from setuptools import setup

setup(version=(pathlib.Path(__file__).resolve().parent /
               '../../VERSION').read_text(encoding='utf-8').strip())
