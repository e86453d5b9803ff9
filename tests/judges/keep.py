#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""keep.py - a few true captures, and what judges them, small enough to keep in tests/data/judges

Usage: keep.py truth OUTPUT DIRECTORY RUN:REASON:COUNT...   of tests/vm/judges/live.py --keep
       keep.py path OUTPUT DIRECTORY KERNEL PART:COUNT[:FIRST]...  of tests/vm/test_path --keep
       keep.py user OUTPUT DIRECTORY PROGRAM COUNT          of tests/vm/judges/live.py --keep: user-uprobe

OUTPUT is JSON, compressed by xz: snapshots, the stops that they show and those right before these,
and the lines of /proc/kallsyms for all addresses in them. The judges, as they are, have to accept
what is kept.
"""
import bisect
import collections
import json
import lzma
import os
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "vm", "judges"))
# pylint: disable=wrong-import-position
import executed
import kernel_text
import user_functions
from spent import SYSCALL_TRACEPOINTS, TRACEPOINTS, Symbols
from verify_truth import REPORTED, Truth, load, verify

STOPS_BEFORE = 3


def addresses(snapshots):
    for snapshot in snapshots:
        for branch in snapshot["branches"]:
            yield int(branch["from"]["addr"], 16)
            yield int(branch["to"]["addr"], 16)
        for block in snapshot["path"] or []:
            yield int(block["start"], 16)


def symbol_lines(snapshots, path):
    """Lines of the symbol table that say how these addresses, and what was traced, are called."""
    symbols = Symbols(path)
    functions = {s["trigger"]["function"] for s in snapshots}
    names = {"_stext", "_etext", *functions, *(f"{name}.cold" for name in functions),
             *SYSCALL_TRACEPOINTS, *(name.format(f) for name in TRACEPOINTS for f in functions)}
    wanted = {addr for name in names for addr in symbols.by_name.get(name, ())}
    wanted |= {symbols.start(addr) for addr in addresses(snapshots) if addr >> 63}
    # Where each of them ends.
    ends = [symbols.start(start) for start in wanted]
    places = {start: i for i, start in enumerate(symbols.starts)}
    wanted |= {symbols.starts[min(places[start] + 1, len(symbols.starts) - 1)] for start in ends}
    with open(path, encoding="ascii") as lines:
        return [line for line in lines if int(line.split()[0], 16) in wanted]


def few(snapshots, count):
    """@count of them in a row, from the middle on: with those that the judge compares them to"""
    first = max(0, (len(snapshots) - count) // 2)
    return snapshots[first:first + count]


def newest_clears(truth, cpu, first, last):
    """Those between two records, and the one before them"""
    clears = truth.clears[cpu]
    return clears[max(0, bisect.bisect(clears, first) - 1):bisect.bisect(clears, last)]


def keep_truth(directory, runs):
    truth, kept, needed = Truth(os.path.join(directory, "ends")), {}, set()
    with open(os.path.join(directory, "ends"), encoding="ascii") as lines:
        text = {tuple(line.split(" ", 2)[:2]): line for line in lines}
    for run in runs:
        name, reason, count = run.split(":")
        snapshots = few(load(os.path.join(directory, name + ".jsonl")), int(count))
        verdict = verify(snapshots, truth, snapshots[0]["lbr"]["model"], reason, name)
        if verdict.errors:
            sys.exit("\n".join(verdict.errors))
        kept[name] = {"reason": reason, "snapshots": snapshots}
    for stops in truth.by_cpu.values():
        for stop in stops:
            if stop.claimed:
                near = [before.seq for before in stops[max(0, stop.number - STOPS_BEFORE):stop.number + 1]]
                needed |= {(stop.cpu, seq) for seq in near}
                needed |= {(stop.cpu, seq) for seq in newest_clears(truth, stop.cpu, near[0], near[-1])}
    ends = [line for (cpu, seq), line in text.items() if (int(cpu), int(seq)) in needed]
    return {"runs": kept, "ends": ends,
            "kallsyms": symbol_lines([s for run in kept.values() for s in run["snapshots"]],
                                     os.path.join(directory, "kallsyms"))}


def held_by(snapshot):
    """CPU and branches, as the lines of truth_tail's file have them"""
    return str(snapshot["cpu"]), tuple(tuple(f"{int(branch[end]['addr'], 16):x}" for end in ("from", "to"))
                                       for branch in snapshot["branches"])


def held_at(line, count):
    """The same of a line of the file: its newest @count branches, or None"""
    branches = [tuple(word.split(",")[1:3]) for word in line.split() if word.startswith("B,")]
    return (line.split(" ", 1)[0], tuple(branches[-count:])) if count <= len(branches) else None


def record(snapshot):
    """As truth_tail writes it: FROM,TO of each entry, with flags and cycles"""
    return tuple((f"{int(b['from']['addr'], 16):x}", f"{int(b['to']['addr'], 16):x}",
                  "M" if b["mispred"] else "-", str(b["cycles"])) for b in snapshot["branches"])


def shown_once(lines, snapshots):
    """@lines without those that are like one that a snapshot shows: else two snapshots could have each
    other's record, and nothing be wrong."""
    records = collections.defaultdict(set)
    waiting = collections.defaultdict(list)
    for snapshot in sorted(snapshots, key=lambda s: s["ts_ns"]):
        records[str(snapshot["cpu"])].add(record(snapshot))
        waiting[str(snapshot["cpu"])].append(record(snapshot))
    for line in lines:
        cpu, _, *items = line.split()
        entries = tuple((source, target, flags, cycles) for source, target, _, flags, cycles in
                        (item.split(",")[1:] for item in items if item.startswith("B")))
        next_one = waiting[cpu][0] if waiting[cpu] else None
        if next_one and entries[-len(next_one):] == next_one:
            del waiting[cpu][0]
            yield line
        elif not any(entries[-len(one):] == one for one in records[cpu]):
            yield line


def conditionals_of(parts, kernel, symbols):
    """Those of the instructions listed, as hexadecimal words by "0" and "1": no kernel is there when it is judged."""
    text = kernel_text.KernelText(kernel, symbols.by_name["_stext"][0])
    known = kernel_text.conditionals([s for part in parts.values() for s in part], text)
    return {f"{wanted:d}": " ".join(f"{addr:x}" for addr, is_one in known.items() if is_one == wanted)
            for wanted in (False, True)}


def conditionals_kept(data):
    """{address: is it a conditional branch?}"""
    return {int(addr, 16): name == "1" for name, words in data["conditionals"].items() for addr in words.split()}


def keep_path(directory, items):
    kernel, *parts = items
    kept, wanted, asked = {}, set(), {}
    for part in parts:
        name, count, *first = part.split(":")
        told = executed.told(os.path.join(directory, name + ".lbr"), os.devnull)[1]
        kept[name] = told[int(first[0]):][:int(count)] if first else few(told, int(count))
        wanted |= {held_by(s) for s in kept[name]}
        with open(os.path.join(directory, name + ".args"), encoding="utf-8") as lines:
            asked[name] = list(lines)
    with open(os.path.join(directory, "stops"), encoding="ascii") as lines:
        stops = list(shown_once((line for line in lines if any(
            held_at(line, count) in wanted for count in {len(branches) for _, branches in wanted})),
            [s for part in kept.values() for s in part]))
    symbols = Symbols(os.path.join(directory, "kallsyms"))
    return {"parts": kept, "asked": asked, "stops": stops, "conditionals": conditionals_of(kept, kernel, symbols),
            "kallsyms": symbol_lines([s for part in kept.values() for s in part],
                                     os.path.join(directory, "kallsyms"))}


def slim(snapshot):
    """What its judges do not look at is left out."""
    return dict(snapshot, path=None, stack=None, registers=None, log=None)


def as_many_of_each(snapshots, least):
    """How many of the first snapshots are as many of each of the two programs, @least at least"""
    turns = collections.Counter()
    for number, snapshot in enumerate(snapshots, 1):
        turns[snapshot["pid"]] += 1
        if len(set(turns.values())) == 1 and len(turns) == 2 and number >= 2 * least:
            return number
    raise SystemExit("the two programs are never as far as each other")


def keep_user(directory, items):
    """The first calls of the two programs, @count of each or some more, and the log of them."""
    program, count = items[0], int(items[1])
    with open(os.path.join(directory, "user-uprobe.calls"), encoding="utf-8") as lines:
        pids = [int(line.split()[1]) for line in lines]
    snapshots = sorted(load(os.path.join(directory, "user-uprobe.jsonl")), key=lambda s: s["ts_ns"])
    snapshots = [slim(s) for s in snapshots[:as_many_of_each(snapshots, count)]]
    truth, (cpu,) = Truth(os.path.join(directory, "ends")), {s["cpu"] for s in snapshots}
    reported = REPORTED["skylake"][1]
    stops = user_functions.snapshot_stops(truth, snapshots, reported)
    shown = [stops[at].number for at in user_functions.stops_shown(snapshots, truth, stops, reported)]
    first, last = max(0, shown[0] - STOPS_BEFORE), shown[-1] + STOPS_BEFORE
    near = [stop.seq for stop in truth.by_cpu[cpu][first:last]]
    needed = {str(seq) for seq in (*near, *newest_clears(truth, cpu, near[0], near[-1]))}
    with open(os.path.join(directory, "ends"), encoding="ascii") as lines:
        ends = [line for line in lines if line.split(" ", 2)[0] == str(cpu) and
                line.split(" ", 2)[1] in needed]
    return {"snapshots": snapshots, "pids": pids, "ends": ends,
            "maps": [user_functions.code_ranges(os.path.join(directory, f"user-uprobe.maps{i}"))
                     for i in (1, 2)],
            "names": user_functions.functions_of(program)}


def main():
    what, output, directory, *items = sys.argv[1:]
    data = {"truth": keep_truth, "path": keep_path, "user": keep_user}[what](directory, items)
    with lzma.open(output, "wt", encoding="utf-8", preset=9) as file:
        json.dump(data, file)


if __name__ == "__main__":
    main()
