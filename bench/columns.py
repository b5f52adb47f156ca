# SPDX-License-Identifier: GPL-2.0
"""Tables as text."""


def columns(rows):
    """Lines of equally wide columns: the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [(row[0].ljust(widths[0]) +
             ''.join('  ' + cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))).rstrip()
            for row in rows]
