#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""disturbed.py - did something else run among the branches that a capture shows?

Usage: disturbed.py MODEL ENDS KALLSYMS SNAPSHOTS

An interrupt in the kernel or another task, by the emulator's log and by the names of the guest's
/proc/kallsyms. ENDS is what truth_ends made of the log.

Exit status 0: yes; 1: no; 2: SNAPSHOTS do not show what the log says. A line says why.
"""
import re
import sys

from spent import Symbols
from verify_truth import Truth, load, verify

OTHERS = re.compile("asm_sysvec_|asm_common_interrupt$|irq_entries_start$|native_irq_return_iret$|"
                    r"finish_task_switch(\.|$)|__schedule$")


def other(branch, symbols):
    """Whose code this branch is in, if it is an interrupt's or the scheduler's; else None."""
    if not (branch.source >> 63 and branch.target >> 63):
        return None
    names = (name for end in (branch.source, branch.target)
             for name, _ in symbols.names.get(symbols.start(end), ()))
    return next(filter(OTHERS.match, names), None)


def main():
    model, ends, kallsyms, path = sys.argv[1:]
    truth, symbols = Truth(ends), Symbols(kallsyms)
    snapshots = load(path)
    verdict = verify(snapshots, truth, model, "by kind", "it", symbols)
    if not snapshots or not verdict.good:
        print("; ".join(verdict.errors) or "no snapshot")
        return 2
    seen = {name for stop in truth.shown_by("it").values() for branch in stop.branches()
            if (name := other(branch, symbols))}
    print(", ".join(sorted(seen)) or "undisturbed")
    return 0 if seen else 1


if __name__ == "__main__":
    sys.exit(main())
