# SPDX-License-Identifier: GPL-2.0
"""What tests/vm/guest/perf left: snapshots of perf events are what the LBR held, by the emulator's
log: when the kernel read it, for its own events, and when the PMU froze it, for a counter's overflow.
"""
import re

from user_functions import ordered_errors
from verify_truth import REPORTED

PAGES, SLEEPS = 200, 100
# ___perf_sw_event() of Linux 6.1 and 6.12: page faults; context switches come by __perf_sw_event()
# or ___perf_sw_event(), with the latter inlined.
TOLD_BY = ("___perf_sw_event", "__perf_sw_event")


def starts_of(guest):
    """{address: name} of the functions that software's events are told by, of the guest."""
    with open(guest.path("kallsyms"), encoding="ascii") as lines:
        return {int(line.split()[0], 16) for line in lines if line.split()[2] in TOLD_BY}


def left_by_log(snapshot, starts):
    """Entries up to the newest call of what tells of the event, or none."""
    targets = [int(branch["to"]["addr"], 16) for branch in snapshot["branches"]]
    return max((i + 1 for i, target in enumerate(targets) if target in starts), default=0)


def useful(snapshot):
    return snapshot["lbr"]["valid"] - snapshot["lbr"]["wasted"]


def median(numbers):
    return sorted(numbers)[len(numbers) // 2] if numbers else None


# Of each run: kind, target, and the CPU where -C says so.
TRACED = {
    "perf-clock": ("perf", "perf:cpu-clock:20000000", None),
    "perf-instructions": ("pmi", "perf:instructions:50021", None),
    "perf-throttled": ("pmi", "perf:instructions:5003", None),
    "perf-raw": ("pmi", "perf:r00c4:50021", 1),
    "perf-thinned": ("perf", "perf:context-switches", None),
    "perf-faults": ("perf", "perf:page-faults", None),
    "perf-kernel": ("perf", "perf:page-faults:5", None),
    "perf-switches": ("perf", "perf:context-switches", None),
    "perf-seventh": ("perf", "perf:context-switches:7", None),
    "hotplug-switches": ("perf", "perf:context-switches", 1),
    "hotplug-instructions": ("pmi", "perf:instructions:20011", 1),
    "hotplug-gone": ("pmi", "perf:instructions:20011", 1),
}


def strangers(run):
    """Snapshots of something else than was traced: why, or None."""
    kind, target, cpu = TRACED[run.name]
    have = {(s["trigger"]["kind"], s["trigger"]["target"], cpu and s["cpu"]) for s in run.snapshots}
    return have - {(kind, target, cpu)} and f"snapshots of {sorted(have)}, must be {TRACED[run.name]}"


def counts(guest, run):
    """What eventwork said: {"until": ns, "faults": N, "switches": N, "faults-before": N, ...}"""
    with open(guest.path(run.name + ".out"), encoding="utf-8") as file:
        words = file.read().split()
    return dict(zip(words[::2], map(int, words[1::2])))


def check_count(guest, report, run, event):
    """As many as the program itself was told of, but for some before its main(), as while it was not
    traced yet, and no more: those after it has asked, as of its exit, are left out."""
    said = counts(guest, run)
    made = said[event]
    least = made - said[event + "-before"]
    have = sum(s["ts_ns"] <= said["until"] for s in run.snapshots)
    pids = {s["pid"] for s in run.snapshots}
    told = f"{have} of {len(run.snapshots)} snapshots by then, {least} {event} since main(), {made} in all"
    report(f"{guest.name}/{run.name}/count", strangers(run) or
           len(pids) != 1 and f"of processes {pids}" or
           not 0 < least <= have <= made and f"{told}; {run.err.strip()}", told)


def check_touched(guest, report, run):
    """Each page that was touched found touch_page() at work."""
    have = sum(s["trigger"]["function"] == "touch_page" for s in run.snapshots)
    report(f"{guest.name}/{run.name}/function", have != PAGES and
           f"{have} in touch_page(), must be {PAGES}; {run.err.strip()}",
           f"{have} in touch_page()")


def check_kernel(guest, report, run):
    """With the kernel's branches: what is spent is what came since the call that tells of the event."""
    guest.none_lost(report, run)
    guest.snapshots_match(report, run, "off", PAGES // 10)
    starts = starts_of(guest)
    wrong = [f"{useful(s)} useful, must be {left_by_log(s, starts)}" for s in run.snapshots
             if useful(s) != left_by_log(s, starts)]
    report(f"{guest.name}/{run.name}/spent", strangers(run) or wrong and f"{len(wrong)} of {len(run.snapshots)}: {wrong[0]}",
           f"{median([useful(s) for s in run.snapshots])} entries left in the median")


def check_own(guest, report, run, least):
    """The program's own branches, as in the log, and nothing spent."""
    depth, reported = REPORTED[guest.model]
    guest.none_lost(report, run)
    wrong = ordered_errors(guest, run, depth, reported)
    ends = {int(b[end]["addr"], 16) >> 63 for s in run.snapshots for b in s["branches"]
            for end in ("from", "to")}
    wasted, mixed = ({s["lbr"][name] for s in run.snapshots} for name in ("wasted", "mixed"))
    whole = sum(s["lbr"]["valid"] > 0 for s in run.snapshots)
    why = strangers(run) or wrong and f"{len(wrong)} of {len(run.snapshots)}: {wrong[0]}"
    if not why and (ends != {0} or wasted != {0} or True in mixed):
        why = f"ends in the kernel: {ends}, wasted {wasted}, mixed {mixed}"
    if not why and whole < least:
        why = f"{whole} snapshots with branches of {len(run.snapshots)}, at least {least} expected"
    entries = median([s["lbr"]["valid"] for s in run.snapshots])
    report(f"{guest.name}/{run.name}/own", why,
           f"{len(run.snapshots)} snapshots, {entries} entries in the median, all the program's, none spent")


def check_pmi(guest, report, run, least):
    guest.none_lost(report, run)
    guest.snapshots_match(report, run, "pmu", least)
    # The driver empties the LBR when it comes to another task: soon behind that fewer are there, for
    # which snapshots_match() has asked the log.
    wasted = {s["lbr"]["wasted"] for s in run.snapshots}
    whole = sum(s["lbr"]["valid"] == s["lbr"]["depth"] for s in run.snapshots)
    report(f"{guest.name}/{run.name}/useful", strangers(run) or
           (wasted != {0} or not whole) and
           f"wasted {wasted}, {whole} of {len(run.snapshots)} whole",
           f"{len(run.snapshots)} snapshots, none spent, {whole} whole")


def throttled(run):
    """How many times the kernel has stopped an event, as was told; or 0"""
    said = re.search(r"the kernel stopped perf events (\d+) times? until its next tick", run.err)
    return int(said[1]) if said else 0


def check_throttled(guest, report, free, run):
    """What the kernel takes away is told, and only then. Its period is a tenth of @free's, so it would have ten
    times as many; the kernel lets two through in each tick."""
    guest.none_lost(report, run)
    guest.snapshots_match(report, run, "pmu", 5)
    times = throttled(run)
    report(f"{guest.name}/{run.name}", strangers(run) or
           (throttled(free) or times < 5 or len(run.snapshots) >= 5 * len(free.snapshots)) and
           f"{len(run.snapshots)} snapshots, stopped {times} times; {len(free.snapshots)} and {throttled(free)} where "
           "the kernel lets all through",
           f"{len(run.snapshots)} snapshots of about {10 * len(free.snapshots)}, stopped {times} times, as is told")


def check_perf(guest, report, run_of):
    faults, switches, seventh, clock = (
        run_of("perf-" + name) for name in ("faults", "switches", "seventh", "clock"))
    for run, least in ((faults, PAGES), (switches, SLEEPS // 2), (seventh, 1), (clock, 1)):
        check_own(guest, report, run, least)
    check_count(guest, report, faults, "faults")
    check_touched(guest, report, faults)
    check_count(guest, report, switches, "switches")
    check_kernel(guest, report, run_of("perf-kernel"))
    # The period counts all tasks' switches on a CPU.
    have = len(seventh.snapshots)
    report(f"{guest.name}/perf-seventh/count", have >= SLEEPS and f"{have} snapshots", f"{have} snapshots")
    check_pmi(guest, report, run_of("perf-instructions"), 20)
    check_throttled(guest, report, run_of("perf-instructions"), run_of("perf-throttled"))
    raw = run_of("perf-raw")
    check_pmi(guest, report, raw, 40)
    cpus = {s["cpu"] for s in raw.snapshots}
    report(f"{guest.name}/perf-raw/cpus", cpus != {1} and f"on CPUs {sorted(cpus)}", "-C 1: on 1 alone")
    nothing = run_of("perf-nothing")
    report(f"{guest.name}/perf-nothing", (nothing.status != 1 or "function" in nothing.err or
                                          "no counter has counted anything" not in nothing.err or
                                          nothing.snapshots) and
           f"exit status {nothing.status}: {nothing.err.strip()}", "an event that the PMU lacks is said")
    check_last(guest, report, run_of("perf-last"))
    thinned = run_of("perf-thinned")
    said = re.search(r"more than the 0\.02 % allowed; now one in \d+ events", thinned.err)
    report(f"{guest.name}/perf-thinned", strangers(thinned) or (thinned.status or not said) and
           f"exit status {thinned.status}: {thinned.err.strip()}", "over budget fewer are looked at")


def check_last(guest, report, run):
    """The way into the last function of a program's text is there, down to its last instruction."""
    guest.none_lost(report, run)
    last = [s["path"][-1] for s in run.snapshots if s["path"]]
    report(f"{guest.name}/{run.name}/path",
           ([(b["function"], b["ends"], b["gap"]) for b in last] != [("_fini", "trigger", None)] or
            {s["trigger"]["kind"] for s in run.snapshots} != {"uprobe"} or len(run.snapshots) != 1) and
           f"{len(run.snapshots)} snapshots, which end with {last}", "to the end of _fini()")
    wrong = ordered_errors(guest, run, *REPORTED[guest.model])
    report(f"{guest.name}/{run.name}/match", wrong and wrong[0])


def stages(guest, run):
    """What guest/hotplug said: [(stage, ns when it began)]"""
    with open(guest.path(run.name + ".stages"), encoding="utf-8") as file:
        return [(name, int(ns)) for name, ns in (line.split() for line in file)]


def check_followed(guest, report, run, wanted):
    """Each stage was reached, with snapshots from the CPU, and nothing but the usual was said."""
    reached = sorted(stages(guest, run), key=lambda stage: stage[1])
    ends = [ns for _, ns in reached[1:]] + [1 << 63]
    have = {name: sum(ns < s["ts_ns"] < end and s["cpu"] == 1 for s in run.snapshots)
            for (name, ns), end in zip(reached, ends)}
    silent = [name for name in wanted if name not in ("gone", "comes") and not have.get(name)]
    odd = [line for line in run.err.splitlines()
           if "warning" in line or not line.startswith("lbrsnoop: ")]
    report(f"{guest.name}/{run.name}/followed", strangers(run) or (tuple(name for name, _ in reached) != wanted or silent or have["gone"]) and
           f"snapshots: {have}", f"snapshots from CPU 1: {have}")
    report(f"{guest.name}/{run.name}/said", odd and "; ".join(odd), "nothing but what is so")


def check_hotplug(guest, report, run_of):
    there_again = ("first", "gone", "comes", "back", "again")
    switches, instructions, gone = (
        run_of("hotplug-" + name) for name in ("switches", "instructions", "gone"))
    check_followed(guest, report, switches, there_again)
    check_own(guest, report, switches, 3)
    check_followed(guest, report, instructions, there_again)
    check_pmi(guest, report, instructions, 3)
    # What was counted on the CPU that is gone is not nothing.
    check_followed(guest, report, gone, ("first", "gone"))
    check_pmi(guest, report, gone, 1)
