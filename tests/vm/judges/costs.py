# SPDX-License-Identifier: GPL-2.0
"""costs.py - cells of the tables of LBR entries in docs/COSTS.md"""
import os

import kernels

COSTS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))),
                     "docs", "COSTS.md")


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tables():
    """[(columns, [(model and entries, kernel, cells)])] of the tables of LBR entries"""
    found, inside = [], False
    with open(COSTS, encoding="utf-8") as lines:
        for line in lines:
            cells = cells_of(line)
            if line.startswith("| CPU, entries | kernel |"):
                found.append((tuple(cells[2:]), []))
                inside = True
            elif not line.startswith("|"):
                inside = False
            elif inside and not line.startswith("| --- |"):
                found[-1][1].append((cells[0], cells[1], tuple(cells[2:])))
    return found


def row_of(model, kernel, column):
    """{column: cell} of a model and a kernel in the table that has @column; None without such a row"""
    columns = None
    with open(COSTS, encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("|"):
                columns = None
            elif line.startswith("| CPU, entries | kernel |"):
                columns = cells_of(line)
            elif columns and column in columns:
                cells = cells_of(line)
                if (cells[0].split(",")[0], cells[1]) == (model, kernel):
                    return dict(zip(columns[2:], cells[2:]))
    return None


def check_row(guest, report, name, measured):
    """docs/COSTS.md says of this guest what was @measured: {column: entries}. Of the newest kernel it
    has some rows."""
    row = row_of(guest.model, guest.kernel, next(iter(measured)))
    if row is None and guest.kernel in kernels.OPTIONAL:
        report.comment(f"{guest.name}: docs/COSTS.md has no row of it for {name}")
        return
    said = row and {column: row.get(column) for column in measured}
    report(f"{guest.name}/costs/{name}", said != {column: str(count) for column, count in measured.items()} and
           f"docs/COSTS.md has {said}, measured are {measured}", str(measured))
