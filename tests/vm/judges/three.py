# SPDX-License-Identifier: GPL-2.0
"""One content of the LBR, told three times: by its registers (a dump that lbrsnoop decodes), by the
kernel's driver (a live snapshot), and by the emulator's log. What tests/vm/workloads/freeze.c left is held
against the log field by field, and the two against each other.

The registers have to agree with the log in everything. The driver may know less, but only what
KNOWS_LESS names; how often it did is said.
"""
import collections
import json
import os
import re
import subprocess

from verify_truth import TSX, TYPES, load, spec_of

# Fields that a model's registers hold. Source: SDM vol. 3B, Tables 17-8, 17-14, 17-16, chapter
# "Last Branch Records"; AMD APM vol. 2, 13.1.1.9.
MISPRED = {"mispred", "predicted"}
HELD = {
    "core2": set(),
    "atom": set(),
    "nehalem": MISPRED,
    "sandybridge": MISPRED,
    "haswell": MISPRED,
    "skylake": MISPRED | {"cycles"},
    "sapphirerapids": MISPRED | {"cycles", "type"},
    "zen4": MISPRED | {"spec"},
}
ROUNDS = 18  # of freeze.c: six for each way to stop the LBR
HAS_TSX = {"haswell", "skylake", "sapphirerapids"}
FIELDS = ("from", "to", "mispred", "predicted", "cycles", "in_tx", "abort", "type", "spec")

KNOWS_LESS = {
    "type": "BR_TYPE OTHER: the driver reads the text at FROM instead (branch_type() of Linux "
            "arch/x86/events/utils.c), and tells SYSCALL and SYSRET, but takes an interrupt for the "
            "instruction that it came before",
    "left-out": "architectural LBR: the driver drops an entry of BR_TYPE OTHER whose text it "
                "cannot read or place",
    "zero-cycles": "architectural LBR: the driver passes 0 on for a cycle count that is not valid "
                   "(get_lbr_cycles() of Linux arch/x86/events/intel/lbr.c)",
    "double-abort": "Haswell: the driver drops the entry that follows an abort "
                    "(lbr_double_abort of Linux arch/x86/events/intel/lbr.c)",
}


def expected(branch, model, tsx):
    """The fields of one line of the log, as the JSON of this model has them."""
    held = HELD[model] | (TSX if tsx and model in HAS_TSX else set())
    aborted = "A" in branch.flags
    kind = TYPES[branch.type] or ("ABORT" if tsx and aborted else "FAR")
    fields = {
        "from": branch.source,
        "to": branch.target,
        "mispred": "M" in branch.flags,
        "predicted": "M" not in branch.flags,
        "cycles": branch.cycles,
        "in_tx": "X" in branch.flags,
        "abort": aborted,
        "type": kind,
        "spec": spec_of(branch),
    }
    return {name: value if name in held or name in ("from", "to") else None
            for name, value in fields.items()}


def fields_of(snapshot):
    """Entries of a snapshot, oldest first, as expected() has them."""
    return [{name: int(entry[name]["addr"], 16) if name in ("from", "to") else entry[name]
             for name in FIELDS} for entry in snapshot["branches"]]


def difference(got, wanted):
    """The first field of two entries that differs, in words, or None."""
    for name in FIELDS:
        if got[name] != wanted[name]:
            form = hex if name in ("from", "to") else str
            return f"{name} is {form(got[name])}, must be {form(wanted[name])}"
    return None


def lists_differ(got, wanted):
    if len(got) != len(wanted):
        return f"{len(got)} entries, must be {len(wanted)}"
    for number, (one, other) in enumerate(zip(got, wanted)):
        why = difference(one, other)
        if why:
            return f"entry {number}: {why}"
    return None


def log_says(truth, cpu, entries, model, tsx, reason):
    """Why the log has no stop of this content, or None."""
    error = f"never did the LBR of cpu {cpu} stop behind " \
            f"{entries[-1]['from']:#x} -> {entries[-1]['to']:#x}"
    for stop in truth.by_newest.get((cpu, entries[-1]["from"], entries[-1]["to"]), []):
        error = lists_differ(entries, [expected(b, model, tsx) for b in stop.branches()])
        if not error and stop.reason != reason:
            error = f"stopped for the reason {stop.reason}, must be {reason}"
        if not error:
            return None
    return error


def double_aborts_dropped(registers):
    """What the driver makes of them: newest first, each abort undoes the entry before."""
    out = []
    for entry in reversed(registers):
        if entry["abort"] and out:
            out.pop()
        out.append(entry)
    return list(reversed(out))


def driver_differs(live, registers, model, tsx, less):
    """Why the driver's entries are not the registers', beyond KNOWS_LESS, or None; counts in less."""
    if model == "haswell" and tsx:
        kept = double_aborts_dropped(registers)
        less["double-abort"] += len(registers) - len(kept)
        return lists_differ(live, kept)
    if model != "sapphirerapids":
        return lists_differ(live, registers)
    rest = list(live)
    for number, known in enumerate(registers):
        other = known["type"] in ("FAR", "ABORT")
        entry = rest[0] if rest else None
        if known["cycles"] == 0:
            known = dict(known, cycles=None)
            less["zero-cycles"] += entry is not None and entry["cycles"] is None
        if entry == known:
            rest.pop(0)
        elif other and entry == dict(known, type=entry and entry["type"]):
            less["type"] += 1
            rest.pop(0)
        elif other:
            less["left-out"] += 1
        else:
            return f"entry {number} of the registers: " \
                f"{difference(entry, known) if entry else 'missing'}"
    return f"{len(rest)} entries that are in no register" if rest else None


def decode(tool, path):
    """What lbrsnoop makes of a dump; it must have nothing to complain of.

    But for one thing: of an AMD dump it says what fused instructions do to FROM, without a vmlinux.
    """
    run = subprocess.run([tool, "decode", "--json", path], capture_output=True, check=False,
                         encoding="utf-8")
    said = [line for line in run.stderr.splitlines() if "may be of the instruction before the branch"
            not in line or "zen4" not in run.stdout]
    if run.returncode or said:
        raise ValueError(f"lbrsnoop decode {path}: status {run.returncode}: {' '.join(said)}")
    return json.loads(run.stdout)


def snapshot_header_differs(live, dump):
    for name in ("model", "format", "depth", "supported"):
        if live["lbr"][name] != dump["lbr"][name]:
            return f"lbr.{name} is {live['lbr'][name]} live, {dump['lbr'][name]} of the dump"
    return None


class Three:
    """Verdicts over all rounds of one guest."""

    def __init__(self, guest, tool):
        self.guest, self.tool = guest, tool
        self.less = dict.fromkeys(KNOWS_LESS, 0)
        self.entries = {}
        self.wrong = {"dump-log": [], "live-dump": [], "read-live": []}

    def path(self, name):
        return os.path.join(self.guest.directory, "three", name)

    def round(self, number, kind, live):
        dump = decode(self.tool, self.path(f"{number}.txt"))
        registers, entries = fields_of(dump), fields_of(live)
        where = f"round {number} ({kind}): "
        self.entries[kind] = self.entries.get(kind, 0) + len(registers)
        model, tsx = self.guest.model, self.guest.tsx
        why = log_says(self.guest.truth, dump["cpu"], registers, model, tsx,
                       "off" if kind == "off" else "db")
        if why:
            self.wrong["dump-log"].append(where + why)
        why = snapshot_header_differs(live, dump) or \
            driver_differs(entries, registers, model, tsx, self.less)
        if why:
            self.wrong["live-dump"].append(where + why)
        if os.path.exists(self.path(f"{number}.live")):
            why = lists_differ(fields_of(load(self.path(f"{number}.live"))[0]), registers)
            if why:
                self.wrong["read-live"].append(where + why)

    def told(self, report):
        said = ", ".join(f"{count} entries stopped by {kind}"
                         for kind, count in self.entries.items())
        for name, wrong in self.wrong.items():
            report(f"{self.guest.name}/three/{name}", wrong and f"{len(wrong)} rounds: {wrong[0]}",
                   said)
        for rule, count in self.less.items():
            if count:
                report.comment(f"driver-knows-less/{rule}: {count} of {sum(self.entries.values())} entries; "
                               f"{KNOWS_LESS[rule]}")


def check_three(guest, report, run, tool):
    """@run: the Run of lbrsnoop that freeze was the command of."""
    with open(os.path.join(guest.directory, "three.out"), encoding="utf-8") as lines:
        rounds = [match.groups() for match in
                  (re.fullmatch(r"(\d+) (off|user|kernel)\n", line) for line in lines) if match]
    live = [s for s in run.snapshots if s["cpu"] == 1 and s["comm"] == "freeze"]
    why = None
    kinds = collections.Counter(kind for _, kind in rounds)
    if run.status or len(dict(rounds)) != ROUNDS or len(live) != ROUNDS or \
            set(kinds.values()) != {ROUNDS // 3}:
        why = f"rounds {dict(kinds)} and {len(live)} snapshots, must be {ROUNDS}; status " \
              f"{run.status}; {run.err.strip()}"
    report(f"{guest.name}/three/rounds", why, f"{len(rounds)}")
    if why:
        return
    three = Three(guest, tool)
    for (number, kind), snapshot in zip(rounds, live):
        three.round(int(number), kind, snapshot)
    three.told(report)
