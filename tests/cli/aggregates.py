#!/usr/bin/python3
"""aggregates.py - do --trace-json, --summary and --dot say what the snapshots say?

Usage: aggregates.py trace|summary|text|dot SNAPSHOTS FILE

SNAPSHOTS are the lines of --json; FILE is what one of the others wrote of the same captures. The
first difference goes to stderr, and the exit status is 1.
"""
import collections
import json
import re
import sys


def fail(text):
    sys.exit(f"aggregates: {text}")


def same(what, have, must):
    if have != must:
        fail(f"{what}: {have!r}, must be {must!r}")


# Kinds of triggers that stop a program, not the kernel: its functions have names.
OF_PROGRAMS = ("uprobe", "uretprobe", "signal", "perf")


def is_kernel(address):
    return int(address, 16) >> 63


def end_of(snapshot):
    """Branches that the capture itself did not spend."""
    return len(snapshot["branches"]) - snapshot["lbr"]["wasted"]


# --- --trace-json ------------------------------------------------------------------------------

def has_cycles(snapshot):
    """Do all branches but the oldest tell their cycles?"""
    cycles = [branch["cycles"] for branch in snapshot["branches"][1:end_of(snapshot)]]
    return bool(cycles) and None not in cycles


def wanted_name(snapshot, address, function, module):
    """What the slice of a run in this function is called."""
    if not is_kernel(address) and snapshot["trigger"]["kind"] not in OF_PROGRAMS:
        return "user space"
    return (function or address) + (f" [{module}]" if module else "")


def wanted_runs(snapshot):
    """(function, depth, start, end, gap, branch that ends it) of each straight run."""
    branches, end = snapshot["branches"], end_of(snapshot)
    if snapshot["path"]:
        for block in snapshot["path"]:
            number = block["branch"]
            yield (wanted_name(snapshot, block["start"], block["function"], block["module"]),
                   block["depth"], block["start"], block["end"], block["gap"],
                   branches[number] if number is not None else None)
        return
    for before, after in zip(branches[:end], branches[1:end]):
        place = before["to"]
        yield (wanted_name(snapshot, place["addr"], place["sym"], place["module"]), 0,
               place["addr"], after["from"]["addr"], None, after)


def check_run(event, run, cycles, now):
    """One slice of a run; returns how long it is."""
    _, _, start, end, gap, branch = run
    args = event["args"]
    same("start of a run", (args["start"], args["end"]), (start, end))
    if gap and not event["name"].startswith("unknown: "):
        fail(f"a gap ({gap}) is called {event['name']}")
    if not gap:
        offsets = [int(offset, 16) for offset in
                   re.fullmatch(r"\+(0x[0-9a-f]+) to \+(0x[0-9a-f]+)", event["name"]).groups()]
        same("length of a run", offsets[1] - offsets[0], int(end, 16) - int(start, 16))
    for key, name in (("cycles", "cycles"), ("mispredicted", "mispred")):
        same(key, args.get(key), branch[name] if branch else None)
    took = branch["cycles"] if cycles and branch else 1
    same("place of a run", (event["ts"], event["dur"]), (now, took))
    return took


def check_functions(runs, slices):
    """Every function's slices hold its runs, at its depth; what holds no run is none."""
    wanted = collections.Counter()
    stack, now = [], 0
    for (name, depth, *_), took in runs:
        while stack and (stack[-1][1] > depth or
                         (stack[-1][1] == depth and stack[-1][0] != name)):
            top = stack.pop()
            wanted[top[0], top[2], now] += 1
        if not stack or stack[-1][1] < depth:
            stack.append((name, depth, now))
        now += took
    while stack:
        top = stack.pop()
        wanted[top[0], top[2], now] += 1
    have = collections.Counter((event["name"], event["ts"], event["ts"] + event["dur"])
                               for event in slices)
    same("slices of functions", sorted((have - wanted).items()), [])
    same("slices of functions that are missing", sorted((wanted - have).items()), [])


def check_trace(snapshots, file):
    events = json.load(file)["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    same("processes of the trace", sorted(names), list(range(1, len(snapshots) + 1)))
    for number, snapshot in enumerate(snapshots, 1):
        mine = [e for e in events if e["ph"] == "X" and e["pid"] == number]
        same("threads", {e["tid"] for e in mine} - {number}, set())
        cycles, now = has_cycles(snapshot), 0
        parts = [f"#{number} ", f" {snapshot['comm']}[{snapshot['pid']}] cpu {snapshot['cpu']} ",
                 "1 us = 1 core cycle" if cycles else "branch: order, not time"]
        if snapshot["trigger"]["errno"]:
            parts.append(f"() = -{snapshot['trigger']['errno']} ")
        for part in parts:
            if part not in names[number]:
                fail(f"{part!r} is not in the name of process {number}: {names[number]}")
        slices = [e for e in mine if "start" in e["args"]]
        wanted = list(wanted_runs(snapshot))
        same(f"runs of snapshot {number}", len(slices), len(wanted))
        runs = []
        for event, run in zip(slices, wanted):
            took = check_run(event, run, cycles, now)
            runs.append((run, took))
            now += took
        check_functions(runs, [e for e in mine if "start" not in e["args"]])


# --- --summary ---------------------------------------------------------------------------------

def identity(snapshot):
    """What path_ident() says that a path is made of, without its hash."""
    def place(end):
        if not is_kernel(end["addr"]) and not user:
            return "user"
        if end["sym"] is None:
            return end["addr"]
        name = "bpf_trampoline" if end["sym"].startswith("bpf_trampoline_") else end["sym"]
        return name, end["module"], end["off"]

    trigger = snapshot["trigger"]
    user = trigger["kind"] in OF_PROGRAMS
    shown = snapshot["branches"][snapshot["lbr"]["shown_from"]:end_of(snapshot)]
    return (trigger["function"] or trigger["target"], trigger["errno"],
            tuple((place(b["from"]), place(b["to"])) for b in shown))


def groups_of(snapshots):
    groups = collections.defaultdict(list)
    for snapshot in snapshots:
        groups[identity(snapshot)].append(snapshot)
    return groups


def check_summary(snapshots, file):
    groups = groups_of(snapshots)
    rows = [json.loads(line) for line in file]
    by_id = {}
    for members in groups.values():
        ids = {s["path_id"] for s in members}
        same("path IDs of one path", len(ids), 1)
        by_id[ids.pop()] = members
    same("different paths have different IDs", len(by_id), len(groups))
    same("paths", sorted(row["path_id"] for row in rows), sorted(by_id))
    same("the most frequent come first", [row["count"] for row in rows],
         sorted((len(members) for members in groups.values()), reverse=True))
    for row in rows:
        members = by_id[row["path_id"]]
        times = [s["ts_ns"] for s in members]
        same("count", row["count"], len(members))
        same("first and last", (row["first_ns"], row["last_ns"]), (min(times), max(times)))
        same("processes", set(row["pids"]), {s["pid"] for s in members})
        same("hosts", set(row["hosts"]), {s["host"] for s in members})
        same("snapshots", row["snapshots"], len(snapshots))
        for key in ("target", "function", "kind", "errno"):
            if row[key] not in {s["trigger"][key] for s in members}:
                fail(f"{key}: {row[key]!r} is of none of its snapshots")


def check_text(snapshots, file):
    groups, lines = groups_of(snapshots), file.read().splitlines()
    same("first line", lines[0],
         f"{len(groups)} paths of {len(snapshots)} snapshots, 0 events lost")
    row_of = re.compile(r" +(\d+) +([\d.]+) % +(\w{16}) ").match
    rest_of = re.compile(r" +(\d+) +([\d.]+) %  other paths: (\d+)$").match
    rows = [match for match in map(row_of, lines) if match]
    rest = [match for match in map(rest_of, lines) if match]
    counts = collections.Counter(snapshot["path_id"] for snapshot in snapshots)
    for row in rows:
        same(f"count of {row[3]}", int(row[1]), counts[row[3]])
    same("all of them", sum(int(row[1]) for row in rows + rest), len(snapshots))
    same("paths left out", sum(int(row[3]) for row in rest), len(groups) - len(rows))
    for row in rows + rest:
        same("share", row[2], f"{100 * int(row[1]) / len(snapshots):.1f}")


# --- --dot -------------------------------------------------------------------------------------

def check_dot(snapshots, file):
    """Every decision of the drawn function's path is a bold edge, and no other one is."""
    text = file.read()
    nodes = sorted(int(node, 16) for node in re.findall(r"^  n([0-9a-f]+) \[label", text, re.M))
    edges = {(int(a, 16), int(b, 16), label) for a, b, label in
             re.findall(r'^  n([0-9a-f]+) -> n([0-9a-f]+) \[label="((?:not )?taken)", '
                        r'color="#b00020"', text, re.M)}
    title = re.search(r'^  label="(\w+)\(\)', text, re.M)[1]
    for snapshot in snapshots:
        wanted, undrawn = set(), 0
        for block in snapshot["path"] or ():
            if block["function"] != title:
                continue
            for decision in block["decisions"]:
                at = max((n for n in nodes if n <= int(decision["addr"], 16)), default=None)
                label = "taken" if decision["taken"] else "not taken"
                if at is None:
                    undrawn += 1
                elif decision["taken"]:
                    wanted.add((at, int(decision["target"], 16), label))
                else:
                    wanted.update(e for e in edges if e[0] == at and e[2] == label)
                    undrawn += not any(e[0] == at and e[2] == label for e in edges)
        if wanted and wanted == edges and not undrawn:
            return
    fail(f"bold edges of {title}() are those of no snapshot: {sorted(edges)}")


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        snapshots = [json.loads(line) for line in file]
    if not snapshots:
        fail("no snapshots")
    with open(sys.argv[3], encoding="utf-8") as file:
        {"trace": check_trace, "summary": check_summary, "text": check_text,
         "dot": check_dot}[sys.argv[1]](snapshots, file)


if __name__ == "__main__":
    main()
