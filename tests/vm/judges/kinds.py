# SPDX-License-Identifier: GPL-2.0
"""kinds.py - by each kind of trigger of the kernel, instructions are compared with the log; but by those
that spend all entries of the LBR, of which no path is left to compare"""
import collections

# At least so many of each kind; of hw by where the breakpoint is, too.
KINDS = ("fexit", "fentry", "kprobe", "kretprobe", "tracepoint", "rawtracepoint", "pmi",
         "hw on an entry", "hw on a return", "hw on an errno site", "kprobe.multi")
LEAST_OF_KIND = 20
# Of the captures of test_path. By docs/COSTS.md, but for the entry or two that a limit (-n) spends: tests/judges/
# test_path compares them. kprobe.multi has no column there.
SPEND_ALL = {
    ("skylake", "6.1"): {"kprobe", "kretprobe"},
    ("skylake", "6.12"): {"kprobe", "kretprobe", "kprobe.multi"},
    ("skylake", "6.18"): {"kretprobe", "kprobe.multi"},
    ("sapphirerapids", "6.12"): set(),
}


def kind_of(snapshot, part, symbols):
    trigger = snapshot["trigger"]
    if trigger["kind"] != "hw":
        return trigger["kind"]
    if part == "sites":
        return "hw on an errno site"
    ip = int(trigger["ip"], 16)
    return f"hw on {'an entry' if symbols.start(ip) == ip else 'a return'}"


class Tally:
    """Of each kind: snapshots, those with entries that the trigger did not spend, those with instructions
    that were compared"""

    def __init__(self):
        self.taken, self.left, self.compared = (collections.Counter() for _ in range(3))

    def count(self, snapshot, kind, instructions):
        """@instructions: how many of its path verify_path held against the log"""
        self.taken[kind] += 1
        self.left[kind] += snapshot["lbr"]["valid"] > snapshot["lbr"]["wasted"]
        self.compared[kind] += instructions > 0

    def error(self, kind, spends_all):
        """What is wrong with this kind, or None"""
        taken, left, compared = self.taken[kind], self.left[kind], self.compared[kind]
        if taken < LEAST_OF_KIND:
            return f"{kind}: {taken} snapshots"
        if spends_all:
            return f"{kind} spends all entries, it is said: {left} of {taken} have some left, " \
                f"{compared} are compared" if left or compared else None
        return f"{kind}: {compared} of {taken} snapshots are compared, {left} have entries left" \
            if compared < LEAST_OF_KIND else None


def check_kinds(report, name, tally, kinds, spend_all):
    """@spend_all: those of @kinds that leave no entry"""
    wrong = [why for why in (tally.error(kind, kind in spend_all) for kind in kinds) if why]
    said = ", ".join(f"{kind} {'not compared: spends all entries' if kind in spend_all else tally.compared[kind]}"
                     for kind in kinds)
    report(f"{name}/kinds", "; ".join(wrong), said)
