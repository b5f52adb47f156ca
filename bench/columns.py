# SPDX-License-Identifier: GPL-2.0
"""Tables as text."""


def columns(rows):
    """Lines of equally wide columns: the first to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [(row[0].ljust(widths[0]) +
             ''.join('  ' + cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))).rstrip()
            for row in rows]


def titled(title, heads, rows):
    """Prints a table under a title and heads, with anything in its cells; None: a dash."""
    cells = [['-' if cell is None else str(cell) for cell in row] for row in [heads, *rows]]
    rule = ['-' * max(map(len, column)) for column in zip(*cells)]
    print(f'\n{title}\n')
    for line in columns([cells[0], rule, *cells[1:]]):
        print('  ' + line)
