# SPDX-License-Identifier: GPL-2.0
"""What tests/vm/guest/user left: each snapshot of a user function is of the program's own branches.

Three things say so, none of them lbrsnoop: the emulator's log, the program's own /proc/self/maps
(each runs at other addresses), and the source of tests/vm/workloads/userwork.c, which calls taken() or left()
for each bit of the number of the call. Lines are held against addr2line.
"""
import collections
import functools
import os
import subprocess

from lines import Program, program_errors
from verify_truth import REPORTED, branch_parse, stop_error

WORK_HITS = 1040


def code_ranges(path):
    ranges = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            span, perms = line.split()[:2]
            if "x" in perms:
                ranges.append(tuple(int(end, 16) for end in span.split("-")))
    return ranges


def functions_of(program):
    """{address: name} of a program's functions, by nm."""
    text = subprocess.run(["nm", "--defined-only", program], check=True, stdout=subprocess.PIPE,
                          universal_newlines=True).stdout
    return {int(line.split()[0], 16): line.split()[2] for line in text.splitlines()}


def in_ranges(addr, ranges):
    return addr >> 63 or any(start <= addr < end for start, end in ranges)


def ends(snapshot):
    """But for the page that the kernel maps for uprobes, when the first one is hit."""
    for branch in snapshot["branches"]:
        for end in (branch["from"], branch["to"]):
            if end["sym"] != "[uprobes]":
                yield int(end["addr"], 16)


def foreign(snapshot, ranges):
    """An address that is not in the code of the process, or None."""
    return next((addr for addr in ends(snapshot) if not in_ranges(addr, ranges)), None)


def call_order_error(snapshot, number, names, base):
    """The calls of taken() and left(), from the newest back, are the bits of @number from the
    highest down; as far as the record goes."""
    called = [names.get(int(branch["to"]["addr"], 16) - base) for branch in snapshot["branches"]
              if not int(branch["from"]["addr"], 16) >> 63]
    bits = [name for name in called if name in ("taken", "left")]
    # What the walk of the number before left: behind the call of reached() it is another's.
    if "walk" in called:
        after = len(called) - 1 - called[::-1].index("walk")
        bits = [name for name in called[after:] if name in ("taken", "left")]
    bits = bits[-8:]
    wanted = ["taken" if number >> bit & 1 else "left" for bit in range(8)]
    if bits != wanted[len(wanted) - len(bits):]:
        return f"call {number}: {' '.join(bits)}, must be the end of {' '.join(wanted)}"
    return None


def from_user(branch):
    """The driver leaves out what came from the kernel."""
    return not branch.source >> 63


def own_stop_error(snapshot, stop, reported):
    """Why a snapshot of a program's own branches is not of this stop, or None."""
    if stop.reason != "off":
        return f"stopped for the reason {stop.reason}"
    return stop_error(snapshot["branches"], stop, reported, from_user)


@functools.lru_cache(maxsize=2)
def by_newest_shown(truth, cpu):
    """{(source, target): stops} of a CPU by the newest branch that the driver lets through. It is not always the
    newest of the log: an interrupt right behind the return to the program leaves that return there."""
    found = collections.defaultdict(list)
    for stop in truth.by_cpu[cpu]:
        newest = next((b for b in map(branch_parse, reversed(stop.text)) if from_user(b)), None)
        if newest:
            found[newest.source, newest.target].append(stop)
    return found


def stops_near(found, snapshot):
    """The stops of by_newest_shown() with a snapshot's newest entry."""
    newest = snapshot["branches"][-1]
    return found.get((int(newest["from"]["addr"], 16), int(newest["to"]["addr"], 16)), [])


def snapshot_stops(truth, snapshots, reported):
    """The stops of one CPU that were made to take snapshots, in order: those of the code that also
    stopped the LBR for most snapshots that show branches. Linux stops it at other places, too, and
    mostly finds nothing recorded there: of an empty snapshot nothing else tells whose stop it is."""
    stops = truth.by_cpu[snapshots[0]["cpu"]]
    found = by_newest_shown(truth, snapshots[0]["cpu"])
    fits = collections.Counter()
    # More than one are asked, for the first may be wrong, and more where these do not tell.
    for asked, snapshot in enumerate((s for s in snapshots if s["branches"]), 1):
        fits.update({stop.writer for stop in stops_near(found, snapshot)
                     if not own_stop_error(snapshot, stop, reported)})
        if asked % 9 == 0 and list(fits.values()).count(max(fits.values(), default=0)) == 1:
            break
    # Of those that one does not fit stops_shown() finds no stop.
    most = max(fits.values(), default=0)
    return [stop for stop in stops if stop.reason == "off" and fits[stop.writer] == most]


def stops_shown(snapshots, truth, stops, reported):
    """Numbers of the stops that snapshots of one CPU show, in order of time: until there is none"""
    at, shown = 0, []
    for snapshot in snapshots:
        while at < len(stops) and own_stop_error(snapshot, stops[at], reported):
            at += 1
        if at == len(stops):
            break
        shown.append(at)
        at += 1
    return shown


def stops_alike(truth, snapshot, reported, stops, shown):
    """Where the log has a snapshot's entries, though its stop was not found: to see why."""
    own = snapshot["branches"]
    near = stops_near(by_newest_shown(truth, snapshot["cpu"]), snapshot) if own else []
    alike = [stop for stop in near if not stop_error(own, stop, reported, from_user)]
    before = sum(stop.number <= stops[shown[-1]].number for stop in alike) if shown else 0
    by = sorted({f"{stop.reason}@{stop.writer}" for stop in alike})
    return (f"{len(near)} stops have its newest entry, {len(alike)} of them all, {before} before the last one shown, "
            f"by {' '.join(by) or 'none'}; asked of {' '.join(sorted({stop.writer for stop in stops}))}")


def empty_error(snapshots, truth, stops, reported):
    """Of which empty snapshot there is no stop, where each with branches has one; or None. An empty one takes
    any stop without branches, however late: then the next one is without its own."""
    filled = [i for i, s in enumerate(snapshots) if s["branches"]]
    shown = stops_shown([snapshots[i] for i in filled], truth, stops, reported)
    if len(shown) < len(filled):
        return None
    places = [(-1, -1), *zip(filled, shown), (len(snapshots), len(stops))]
    for (first, at), (last, end) in zip(places, places[1:]):
        fit = sum(not own_stop_error(snapshots[first + 1], stop, reported)
                  for stop in stops[at + 1:end]) if last > first + 1 else 0
        if fit < last - first - 1:
            near = " ".join(f"{stop.seq}:{len(stop.text)}" for stop in stops[max(at, 0):min(end + 1, at + 8)])
            return (f"of {last - first - 1} empty snapshots from {snapshots[first + 1]['ts_ns']} on, number {first + 1}, "
                    f"{fit} have a stop between those of their neighbours: {near}")
    return None


def cpu_errors(truth, snapshots, reported, each=True):
    """Why snapshots of one CPU are not of its stops, in their order. @each: of a uprobe each stop is
    shown; of a perf event those are not that came while other tasks ran."""
    snapshots = sorted(snapshots, key=lambda s: s["ts_ns"])
    stops = snapshot_stops(truth, snapshots, reported)
    shown = stops_shown(snapshots, truth, stops, reported)
    cpu = snapshots[0]["cpu"]
    if len(shown) < len(snapshots):
        snapshot = snapshots[len(shown)]
        error = empty_error(snapshots, truth, stops, reported)
        if error:
            return [f"cpu {cpu}: {error}"]
        return [f"no stop of cpu {cpu} is left for the one at {snapshot['ts_ns']}, number {len(shown)}, with "
                f"{len(snapshot['branches'])} entries; {stops_alike(truth, snapshot, reported, stops, shown)}"]
    for first, last in spans(snapshots) if each else []:
        error = unshown_error(truth, stops, shown[first:last + 1], len({s["pid"] for s in snapshots}))
        if error:
            return [f"before the snapshot at {snapshots[last]['ts_ns']} {error}"]
    return []


def spans(snapshots):
    """Numbers (first, last) from each snapshot with branches, or the first one, to the next. Which stop an
    empty one between them shows may be open."""
    filled = [i for i, s in enumerate(snapshots) if s["branches"] or i in (0, len(snapshots) - 1)]
    return zip(filled, filled[1:])


def unshown_error(truth, stops, shown, tasks):
    """Why stops that were made for a snapshot, between those that are shown, must be shown; or None.

    uprobe_stepped() of bpf/uprobe.bpf.c takes a snapshot of its own, which nobody sees, to switch the
    LBR on again after the single step of each hit. It stops the LBR only where a switch of tasks has
    switched it on before: then no branch has come since the stop before, and there was a single step.
    Of each other one of the @tasks that step may be before a hit that came in between.
    """
    unshown = [stops[at] for at in range(shown[0], shown[-1]) if at not in shown]
    lost = [stop for stop in unshown if not truth.stop_before(stop, 0)]
    if lost:
        return f"cpu {lost[0].cpu} has {len(lost)} stops with branches that no snapshot shows"
    between = truth.by_cpu[stops[0].cpu][stops[shown[0]].number:stops[shown[-1]].number]
    steps = sum(stop.reason == "db" for stop in between)
    if len(unshown) > steps + tasks - 1:
        near = " ".join(f"{stop.seq}:{stop.reason}" for stop in between[:12])
        return f"{len(unshown)} stops of cpu {stops[0].cpu} are not shown, for {steps} single steps: {near}"
    return None


def ordered_errors(guest, run, depth, reported, each=False):
    """Snapshots of a CPU in order of time are of stops in order of the log; empty ones, too: each
    lacks what the log lacks. Programs do the same again and again: hence the order."""
    wrong = [f"depth {s['lbr']['depth']}, {s['lbr']['valid']} valid, {len(s['branches'])} entries"
             for s in run.snapshots
             if s["lbr"]["depth"] != depth or s["lbr"]["valid"] != len(s["branches"])]
    for cpu in sorted({s["cpu"] for s in run.snapshots}):
        wrong += cpu_errors(guest.truth, [s for s in run.snapshots if s["cpu"] == cpu], reported,
                            each)
    return wrong


def own_errors(snapshots, pids, maps, names, hits):
    """What says that snapshots of the two programs of run_all() are not theirs, but for the log: the
    number of the call, the program's maps, and the source of what it does."""
    entry = next(addr for addr, name in names.items() if name == "reached")
    numbers, wrong, programs = collections.Counter(), [], collections.defaultdict(set)
    for snapshot in snapshots:
        number = numbers[snapshot["pid"]]
        numbers[snapshot["pid"]] += 1
        trigger = snapshot["trigger"]
        if trigger["retval"] != (number if trigger["kind"] == "uretprobe" else None):
            wrong.append(f"call {number} returned {trigger['retval']}")
        ip = int(trigger["ip"], 16)
        own = [ranges for ranges in maps if in_ranges(ip, ranges)]
        if len(own) != 1:
            wrong.append(f"ip {ip:#x} is in the code of {len(own)} of the two programs")
            continue
        programs[snapshot["pid"]].add(maps.index(own[0]))
        strange = foreign(snapshot, own[0])
        if strange is not None or snapshot["lbr"]["mixed"] is not False:
            wrong.append(f"{strange and hex(strange)} is not the process's, mixed: "
                         f"{snapshot['lbr']['mixed']}")
        # What the kernel did on the way to the snapshot was not recorded.
        if snapshot["lbr"]["wasted"]:
            wrong.append(f"{snapshot['lbr']['wasted']} entries are called wasted")
        error = call_order_error(snapshot, number, names, ip - entry)
        if error:
            wrong.append(error)
    # Of a snapshot without entries nothing else says whose probe was hit.
    for pid, some in programs.items():
        if len(some) > 1:
            wrong.append(f"process {pid} hit probes of both programs")
    if len(snapshots) != hits or sorted(numbers.values()) != [hits // 2] * 2:
        wrong.insert(0, f"{dict(numbers)} hits, must be {hits}")
    if not set(numbers) <= set(pids):
        wrong.insert(0, f"snapshots of processes {sorted(numbers)}, traced were {pids}")
    return wrong


def check_own(guest, report, run, program):
    """Snapshots of the two programs of run_all(), by process."""
    with open(guest.path(run.name + ".calls"), encoding="utf-8") as lines:
        pids = [int(line.split()[1]) for line in lines]
    maps = [code_ranges(guest.path(f"{run.name}.maps{i}")) for i in (1, 2)]
    wrong = own_errors(run.snapshots, pids, maps, functions_of(program), WORK_HITS)
    counts = [len(s["branches"]) for s in run.snapshots]
    whole = sum(len(s["branches"]) == s["lbr"]["depth"] for s in run.snapshots)
    empty = counts.count(0)
    cut = len(counts) - whole - empty
    report(f"{guest.name}/{run.name}/own", wrong and f"{len(wrong)}: {wrong[0]}",
           f"{len(counts)} hits, {sum(counts)} entries of the task itself; {whole} snapshots "
           f"full, {cut} since a switch of tasks, {empty} empty")
    # Else nothing was tested.
    report(f"{guest.name}/{run.name}/switches", not cut and "no switch of tasks in any snapshot",
           f"{cut} snapshots since a switch")
    return len(counts) - empty


LINE_HITS = 8


def check_lines(guest, report, run, program, module, wanted):
    """Functions and lines of the branches in the program are those of nm and addr2line."""
    guest.none_lost(report, run)
    wrong, places, functions = program_errors(run.snapshots, Program(program), module)
    if len(run.snapshots) != LINE_HITS or not places or not functions >= wanted:
        wrong.insert(0, f"{len(run.snapshots)} snapshots, {places} places, functions {sorted(functions)}")
    report(f"{guest.name}/{run.name}/lines", wrong and f"{len(wrong)}: {wrong[0]}",
           f"{places} places in {sorted(functions)}, as addr2line says")


def check_user(guest, report, run_of, build):
    if guest.model == "core2":
        run = run_of("user")
        report(f"{guest.name}/user/refused",
               (run.status != 2 or "cannot leave the kernel's branches out" not in run.err) and
               f"exit status {run.status}: {run.err}", "no filter by ring")
        return
    work = os.path.join(build, "userwork")
    # As guest/user chooses
    more = os.environ.get("CI") or os.environ.get("FULL")
    for kind in ("uprobe", "uretprobe") if more else ("uprobe",):
        run = run_of(f"user-{kind}")
        guest.none_lost(report, run)
        filled = check_own(guest, report, run, work)
        wrong = ordered_errors(guest, run, *REPORTED[guest.model], each=run.name == "user-uprobe")
        report(f"{guest.name}/{run.name}/match", wrong and wrong[0],
               f"{filled} snapshots, {sum(len(s['branches']) for s in run.snapshots)} entries, "
               "0 mismatches")
        if kind == "uretprobe":
            continue  # since the probe at the entry there are not branches enough to reach back
        # Debian's vDSO names it so, and as __vdso_clock_gettime.
        vdso = {b["to"]["sym"] for s in run.snapshots for b in s["branches"]
                if b["to"]["module"] == "[vdso]"}
        report(f"{guest.name}/{run.name}/vdso", not any("clock_gettime" in name for name in vdso) and
               f"no clock_gettime among {sorted(vdso)}", f"{len(vdso)} functions")
    check_lines(guest, report, run_of("user-c"), work, "userwork", {"walk", "reached"})
    check_lines(guest, report, run_of("user-stripped"), work, "userwork.stripped", {"walk", "reached"})
    check_lines(guest, report, run_of("user-cc"), os.path.join(build, "userclass"), "userclass",
                {"main", "shop::Till::add"})
    run = run_of("user-inside")
    modules = collections.Counter(b["to"]["module"] for s in run.snapshots for b in s["branches"]
                                  if b["to"]["sym"] in ("taken", "left", "walk"))
    report(f"{guest.name}/user-inside/names",
           (len(run.snapshots) != 20 or set(modules) != {"hidden"}) and
           f"{len(run.snapshots)} snapshots, {dict(modules)}; {run.err}",
           f"{len(run.snapshots)} snapshots in a mount namespace of its own")
