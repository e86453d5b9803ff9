#!/usr/bin/python3
"""live.py - boot guests with an LBR, capture in them, and hold it against the emulator's log

Usage: live.py [--keep DIR] [--whole-log] MODEL[+tsx]/KERNEL:PART[,PART...]...

Each argument is one guest, which runs the parts (tests/vm/guest/PART) one after the other; with
+tsx the emulator makes up TSX flags. Prints
"ok NAME", "not ok NAME: why" and "skip NAME: reason" lines and a closing count; exit status 0 if
nothing failed.
"""
import argparse
import collections
import errno
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import matrix
from kernels import why_missing
from errno_sites import Image, cases, debug_vmlinux, errno_line, frames_at, line_at, site_error
from spent import Symbols, spent_by_trigger
from perf_events import check_hotplug, check_perf
from presets import build_faults, check_faults, check_panic, check_presets, check_watch
from report import Report, guest_ended, log_text
from three import check_three
from user_functions import check_user
from verify_truth import REPORTED, Truth, load, verify

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(TOP, "build", "tests", "vm")
ERRORS_SHOWN = 5
# Of one guest; generous, for other work may keep the machine busy.
TIMEOUT_S = int(os.environ.get("LBRSNOOP_GUEST_TIMEOUT", "1800"))
# Of a guest that leaves a dump; and what tests/vm/run ends with then.
DUMP_MB = 640
PANICKED = 125


class Run:
    """What came of one lbrsnoop in the guest (snap of guest/lib.sh)."""

    def __init__(self, directory, name):
        def text(suffix):
            with open(os.path.join(directory, name + suffix), encoding="utf-8") as file:
                return file.read()

        self.name = name
        self.status = int(text(".status"))
        self.err = text(".err")
        self.out = text(".out")
        self.snapshots = load(os.path.join(directory, name + ".jsonl"))
        # What failcalls says at its end: NAME SYSCALL ERRNO COUNT
        self.calls = [line.split() for line in self.out.splitlines()
                      if re.fullmatch(r"\S+ \S+ E[A-Z0-9]+ \d+", line)]

    def failures(self, syscall, errno=None):
        """How many calls of a system call failed, by failcalls' own count."""
        return sum(int(count) for _, name, err, count in self.calls
                   if name == syscall and errno in (None, err))

    def by_target(self):
        return collections.Counter(s["trigger"]["target"] for s in self.snapshots)


class Guest:
    """One boot of a model and a kernel."""

    def __init__(self, model, tsx, kernel, parts, keep=None, whole_log=False):
        self.model, self.tsx, self.kernel, self.parts = model, tsx, kernel, parts
        self.whole_log = whole_log
        self.name = f"{model}{'+tsx' if tsx else ''}/{kernel}"
        os.makedirs(BUILD, exist_ok=True)
        self.directory = keep and os.path.join(keep, self.name.replace("/", "-"))
        if keep:
            shutil.rmtree(self.directory, ignore_errors=True)
            os.makedirs(self.directory)
        else:
            self.directory = tempfile.mkdtemp(prefix="live.", dir=BUILD)
        self.truth = self.known = None

    def path(self, name):
        return os.path.join(self.directory, name)

    def filters(self):
        """-j lists for the part matrix; $FILTERS, or all of them."""
        given = os.environ.get("FILTERS")
        return given.split() if given else matrix.TSX_ALL if self.tsx else matrix.ALL

    def run(self, report):
        """Return: True if the guest lived through all parts and its log is whole."""
        fifo = self.path("truth")
        os.mkfifo(fifo)
        depth = REPORTED[self.model][0] if self.model in REPORTED else 32
        environment = dict(os.environ)
        if not self.whole_log:
            environment["LBR_TRUTH_LAST"] = str(depth)
        if self.tsx:
            environment["LBR_TSX"] = "1"
        # The part panic is the last, and ends with a dump.
        core, wanted = self.path("core"), 0
        dump = []
        if "panic" in self.parts:
            dump, wanted = ["--core", core, "--memory", str(DUMP_MB)], PANICKED
        script = "set -e\n" + "".join(f"{HERE}/guest/{part}\n" for part in self.parts)
        command = [os.path.join(HERE, "run"), "--cpu", self.model, "--kernel", self.kernel,
                   "--append", "nmi_watchdog=0", "--timeout", str(TIMEOUT_S), *dump, "--share", self.directory, "--truth", fifo,
                   "--env", f"out={self.directory}", "--env", f"MODEL={self.model}",
                   "--env", f"FILTERS={' '.join(self.filters())}",
                   "--env", "SEED", "--env", "FUNCTIONS", "--env", "POOL", "--env", "RUNS", "--env", "LINE",
                   "--env", "LINE_INLINED",
                   "--env", "FULL", "--env", "CI",
                   "--", "bash", "-c", script]
        with open(self.path("run.log"), "w", encoding="utf-8") as log, \
             subprocess.Popen([os.path.join(BUILD, "truth_ends"), str(depth), fifo,
                               self.path("ends")], stdout=log, stderr=log) as ends:
            # Held open so that truth_ends ends with us, even where QEMU never opens the log.
            writer = os.open(fifo, os.O_RDWR)
            status = subprocess.run(command, stdout=log, stderr=log, env=environment,
                                    check=False).returncode
            os.close(writer)
            ends.wait()
        why = guest_ended(status, log_text(self.path("run.log")), wanted)
        if not why and ends.returncode:
            why = "the emulator's log is not whole"
        report(f"{self.name}/guest", why)
        if why:
            report.comment(log_text(self.path("run.log")))
            return False
        if dump:
            self.read_dump(core)
        self.truth = Truth(self.path("ends"))
        return True

    def read_dump(self, core):
        """The flight recorder's snapshots and the log out of the dump, as the run panic."""
        command = [os.path.join(TOP, "lbrsnoop"), "postmortem", "--no-lines", core]
        with open(self.path("panic.jsonl"), "wb") as lines, \
             open(self.path("panic.out"), "wb") as text, open(self.path("panic.err"), "wb") as err, \
             open(self.path("panic.status"), "w", encoding="ascii") as status:
            done = [subprocess.run([*command, *options], stdout=file, stderr=err, check=False)
                    for options, file in ((["--json"], lines), (["--log", "200"], text))]
            status.write(str(max(one.returncode for one in done)))
        os.unlink(core)

    def remove(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def symbols(self):
        """The kernel's, as they were when the first part began."""
        if not self.known:
            self.known = Symbols(self.path("kallsyms"))
        return self.known

    def snapshots_match(self, report, run, reason, least, kind=None):
        """Every snapshot of @run (by @kind) is what the LBR held when it stopped for @reason."""
        snapshots = [s for s in run.snapshots if kind in (None, s["trigger"]["kind"])]
        if not snapshots and not least:
            return
        verdict = verify(snapshots, self.truth, self.model, reason, run.name, self.symbols())
        why = None
        if verdict.errors:
            why = f"{len(verdict.errors)} of {len(snapshots)} snapshots do not match"
        elif verdict.matched < least:
            why = f"{verdict.matched} snapshots, at least {least} expected"
        report(f"{self.name}/{run.name}/match{'/' if kind else ''}{kind or ''}", why,
               f"{verdict.matched} snapshots, {verdict.entries} entries, 0 mismatches")
        if why:
            report.comment("\n".join(verdict.errors[:ERRORS_SHOWN]) + "\n" + run.err)

    def counts_match(self, report, run, wanted):
        """@wanted: snapshots by target."""
        have = run.by_target()
        wrong = [f"{target}: {have[target]}, must be {count}"
                 for target, count in wanted.items() if have[target] != count or not count]
        report(f"{self.name}/{run.name}/count", "; ".join(wrong),
               f"{sum(wanted.values())} events of {len(wanted)} targets, each captured")

    def none_lost(self, report, run):
        why = None
        if run.status:
            why = f"exit status {run.status}: {run.err.strip()}"
        elif " 0 lost" not in run.err:
            why = next((line for line in run.err.splitlines() if " lost" in line), run.err.strip())
        report(f"{self.name}/{run.name}/status", why)


# --- the parts --------------------------------------------------------------------------------

def check_truth(guest, report):
    fexit, mixed = Run(guest.directory, "fexit"), Run(guest.directory, "mixed")
    syscalls = ("openat", "read", "mount", "bpf", "connect", "mkdir", "unlink", "kill", "execve",
                "mmap")
    guest.none_lost(report, fexit)
    guest.snapshots_match(report, fexit, "off", 200)
    wanted = {f"fexit:__x64_sys_{name}": fexit.failures(name) for name in syscalls}
    wanted["fexit:do_sys_openat2"] = fexit.failures("openat")
    wanted["fexit:ksys_read"] = fexit.failures("read")
    guest.counts_match(report, fexit, wanted)
    guest.none_lost(report, mixed)
    guest.snapshots_match(report, mixed, "off", 100)
    guest.counts_match(report, mixed, {
        "kretprobe:do_sys_openat2": mixed.failures("openat"),
        "kretprobe:__x64_sys_mkdir": mixed.failures("mkdir"),
        "tracepoint:syscalls:sys_exit_openat": mixed.failures("openat"),
    })
    have = mixed.by_target()
    silent = [target for target in ("fentry:do_filp_open", "kprobe:path_mount",
                                    "tracepoint:syscalls:sys_enter_mount",
                                    "rawtracepoint:sys_exit") if not have[target]]
    report(f"{guest.name}/mixed/targets", silent and f"nothing of {' '.join(silent)}",
           f"{len(have)} targets")


def led_there(snapshot):
    """The newest branch leads to straight code that reaches the breakpoint; else why not."""
    target = int(snapshot["branches"][-1]["to"]["addr"], 16)
    ip = int(snapshot["trigger"]["ip"], 16)
    if target <= ip < target + 4096:
        return None
    return f"breakpoint at {ip:#x}, newest branch to {target:#x}"


def all_useful(snapshot):
    lbr = snapshot["lbr"]
    if lbr["wasted"] == 0 and lbr["valid"] == lbr["depth"]:
        return None
    return f"{lbr['valid']} entries of {lbr['depth']}, {lbr['wasted']} wasted"


def each(guest, report, run, name, judge):
    wrong = [why for why in map(judge, run.snapshots) if why]
    report(f"{guest.name}/{run.name}/{name}",
           wrong and f"{len(wrong)} of {len(run.snapshots)}: {wrong[0]}",
           f"{len(run.snapshots)} snapshots")


def check_hw_run(guest, report, name, least):
    run = Run(guest.directory, name)
    guest.none_lost(report, run)
    guest.snapshots_match(report, run, "db", least)
    each(guest, report, run, "newest", led_there)
    cpus = {s["cpu"] for s in run.snapshots}
    report(f"{guest.name}/{name}/cpus", cpus != {0, 1} and f"on CPUs {sorted(cpus)}", "0 and 1")
    return run


def dropped_hits(guest, run, cpus):
    """How often a breakpoint of @run was hit on @cpus, by the log, and the filter said no."""
    places = {int(s["trigger"]["ip"], 16) for s in run.snapshots}
    return sum(stop.reason == "db" and stop.claimed is None and stop.cpu in cpus and
               any(target <= place < target + 256 for place in places)
               for (_, _, target), stops in guest.truth.by_newest.items() for stop in stops)


def check_hw_return(guest, report):
    run = check_hw_run(guest, report, "hw-return", 100)
    each(guest, report, run, "useful", all_useful)
    dropped = dropped_hits(guest, run, {0, 1})
    report(f"{guest.name}/hw-return/between", dropped < 100 and f"only {dropped} hits",
           f"{dropped} hits in between that the filter dropped")
    guest.counts_match(report, run, {
        "do_sys_openat2": run.failures("openat"),
        "do_mkdirat": run.failures("mkdir"),
        "__sys_connect": run.failures("connect"),
        "__sys_bpf": run.failures("bpf"),
    })
    return run


def check_hw_dropped(guest, report):
    """Each hit leaves the LBR off; the program switches it on again, whatever the filter says."""
    run = Run(guest.directory, "hw-dropped")
    guest.none_lost(report, run)
    guest.snapshots_match(report, run, "db", 2)
    each(guest, report, run, "useful", all_useful)
    guest.counts_match(report, run, {"do_sys_openat2": 2})
    dropped = dropped_hits(guest, run, {s["cpu"] for s in run.snapshots} & {0})
    report(f"{guest.name}/hw-dropped/between", dropped < 1000 and f"only {dropped} hits",
           f"{dropped} hits in between that the filter dropped, then {run.snapshots[-1]['lbr']['valid']}"
           f" entries of {REPORTED[guest.model][0]}")


def check_hw(guest, report):
    runs = [check_hw_run(guest, report, "hw-entry", 200),
            check_hw_run(guest, report, "hw-entry2", 100),
            check_hw_return(guest, report)]
    hits = sum(len(run.snapshots) for run in runs)
    functions = {s["trigger"]["function"] for run in runs for s in run.snapshots}
    report(f"{guest.name}/hw/hits",
           (hits < 500 or len(functions) < 10) and f"{hits} hits over {len(functions)} functions",
           f"{hits} hits over {len(functions)} functions")


def check_hw_next(guest, report):
    run = check_hw_run(guest, report, "hw-next", 60)
    have = run.by_target()
    guest.counts_match(report, run, {
        target: have[target.split("+")[0]] for target in have if "+" in target
    } or {"hw:do_mkdirat+": 1})


def check_loss(guest, report):
    run = Run(guest.directory, "loss")
    captured = len(run.snapshots)
    told = sum(s["lost"]["records"] for s in run.snapshots)
    summary = re.search(r"(\d+) snapshots captured, (\d+) lost", run.err)
    made = run.failures("openat")
    why = None
    if not summary or made != 10000:
        why = f"{made} calls failed; {run.err.strip()}"
    elif captured != int(summary[1]):
        why = f"{captured} snapshots, but it says {summary[1]}"
    elif captured + int(summary[2]) != made:
        why = f"{captured} captured + {summary[2]} lost is not {made}"
    elif not told <= int(summary[2]) or int(summary[2]) == 0:
        why = f"{told} lost by the JSON lines, {summary[2]} in all: nothing was lost, or too much"
    report(f"{guest.name}/loss", why, summary and f"{captured} captured + {summary[2]} lost")


def check_programs(guest, report):
    """What load_programs, no_slot and quick_symbols said."""
    with open(guest.path("load.verdicts"), encoding="utf-8") as lines:
        for line in lines:
            match = re.match(r"(ok|not ok|skip) (load/\w+)(?:: (.*))?$", line)
            if not match:
                report.comment(line)
            elif match[1] == "skip":
                # On these kernels nothing may be missing.
                report(f"{guest.name}/{match[2]}", match[3])
            else:
                report(f"{guest.name}/{match[2]}",
                       match[1] != "ok" and (match[3] or "no reason given"))


def check_load(guest, report):
    check_programs(guest, report)
    for name in ("load", "load-errno"):
        run = Run(guest.directory, name)
        report(f"{guest.name}/attach/{name}", run.status and run.err.strip().replace("\n", "; "),
               f"{len(run.snapshots)} snapshots of {len(run.by_target())} targets")


    run = Run(guest.directory, "load-freed")
    report(f"{guest.name}/attach/freed-text",
           (run.status != 2 or "freed after boot" not in run.err) and
           f"exit status {run.status}: {run.err.strip()}", run.err.strip())


def check_none(guest, report):
    run = Run(guest.directory, "none")
    why = None
    if run.status != 3 or "no usable LBR" not in run.err:
        why = f"exit status {run.status}: {run.err.strip()}"
    report(f"{guest.name}/exit-status", why, run.err.strip())
    status, text, said = read_doctor(guest)
    why = None
    if status != 3 or "usable        no: no usable LBR" not in text:
        why = f"exit status {status}: {text}"
    elif said["usable"] or "no usable LBR" not in said["why_not"] or said["triggers"]:
        why = f"--json: {said}"
    report(f"{guest.name}/doctor", why, "says why not")
    check_programs(guest, report)


def read_doctor(guest):
    """(exit status, text, JSON)"""
    with open(guest.path("doctor.status"), encoding="ascii") as file:
        status = int(file.read())
    text = None  # without FULL the table is not measured twice
    if os.path.exists(guest.path("doctor.text")):
        with open(guest.path("doctor.text"), encoding="utf-8") as file:
            text = file.read()
    with open(guest.path("doctor.json"), encoding="utf-8") as file:
        return status, text, json.load(file)


# Rows of doctor's table, and what spent.py calls them.
DOCTOR_ROWS = {"hw, on the return": "hw", "fexit": "fexit", "kretprobe": "kretprobe",
               "kprobe": "kprobe", "fentry": "fentry"}


def check_doctor(guest, report):
    """What doctor measures is what spent.py counts in snapshots that match the log."""
    status, text, said = read_doctor(guest)
    depth = REPORTED[guest.model][0]
    why = None
    if status or not said["usable"] or said["lbr"]["model"] != guest.model or \
            said["lbr"]["depth"] != depth:
        why = f"exit status {status}, usable {said['usable']}, LBR {said['lbr']}"
    elif text and (not re.search(r"^usable +yes$", text, re.M) or
                   not re.search(r"^debug regs +4 of 4 free", text, re.M)):
        why = text
    report(f"{guest.name}/doctor/usable", why)
    table = Run(guest.directory, "table")
    guest.snapshots_match(report, table, None, 10)
    spent = spent_by_trigger(table.snapshots, Symbols(guest.path("kallsyms")))
    rows = {row["trigger"]: row for row in said["triggers"]}
    for label, kind in DOCTOR_ROWS.items():
        must = 0 if spent[kind] is None else depth - spent[kind]
        row = rows[label]
        why = None
        if row["error"] or row["left"] != must:
            why = f"{row['left']} entries left, must be {must}; {row['error']}"
        elif text and not re.search(rf"^  {re.escape(label)} +{must} of {depth} ", text, re.M):
            why = f"the text has another number than {must}: {text}"
        report(f"{guest.name}/doctor/{kind}", why, f"{must} of {depth} entries left")


def check_table(guest, report):
    """For check_doctor(), and table_useful."""
    guest.none_lost(report, Run(guest.directory, "table"))


def check_rotate(guest, report):
    run = Run(guest.directory, "rotate")
    guest.none_lost(report, run)
    guest.snapshots_match(report, run, "db", 20)
    each(guest, report, run, "useful", all_useful)
    have = run.by_target()
    why = None
    if "2 groups of hardware breakpoints take turns" not in run.err:
        why = run.err
    elif len(have) != 6:
        why = f"snapshots of {sorted(have)} only"
    report(f"{guest.name}/rotate/turns", why, f"{len(have)} targets had their turns")


# Run of guest/line, variable with its FILE:LINE, and where that is: function and errno that it
# loads there; system call. The second one stands in a function that is inlined.
LINES = (
    ("line", "LINE", "generic_read_dir", "read", "EISDIR"),
    ("line-inlined", "LINE_INLINED", "path_mount", "mount", "ENODEV"),
)


def frames_differ(said, frames):
    """Is a place's chain of inlined functions in the JSON what addr2line -i has?"""
    chain = [(f["function"], f["file"], f["line"]) for f in said["inlined"] or []] or \
        [(said["sym"], said["file"], said["line"])]
    # A clone's name (".part.0") is the symbol's, not the source's.
    chain = [(function.split(".")[0], file, line) for function, file, line in chain]
    return chain != frames and f"{said['addr']}: {chain}, must be {frames}"


def check_one_line(guest, report, image, case):
    name, variable, _, syscall, err = case
    vmlinux, wanted, run = debug_vmlinux(guest.kernel), os.environ[variable], \
        Run(guest.directory, name)
    guest.none_lost(report, run)
    guest.snapshots_match(report, run, "db", 1)
    lines = {line_at(vmlinux, int(s["trigger"]["ip"], 16) - image.offset) for s in run.snapshots}
    have, made = len(run.snapshots), run.failures(syscall, err)
    report(f"{guest.name}/{name}/place", (lines != {wanted} or have != made) and
           f"{have} snapshots of {made} calls, at {lines}, must be {wanted}",
           f"{have} snapshots at {wanted}")
    if name == "line-inlined":
        depth = {len(frames_at(vmlinux, int(s["trigger"]["ip"], 16) - image.offset))
                 for s in run.snapshots}
        places = {s["branches"][-1]["to"]["addr"]: s["branches"][-1]["to"] for s in run.snapshots}
        wrong = [why for why in (
            frames_differ(place, frames_at(vmlinux, int(addr, 16) - image.offset))
            for addr, place in places.items()) if why]
        report(f"{guest.name}/{name}/frames", wrong and wrong[0] or min(depth) < 2 and
               f"nothing is inlined there: {depth}", f"{len(places)} places, as addr2line -i has them")


def check_line(guest, report):
    image = Image(guest.kernel, guest.path("kallsyms"))
    for case in LINES:
        check_one_line(guest, report, image, case)
    for name, pattern in (("none", "the compiler made no code for this line"),
                          ("file", "no source file .*did you mean"),
                          ("debug", "build ID|no debug information|debug information"),
                          ("no-image", "/proc/kcore: no memory image; nor is there a vmlinux")):
        run = Run(guest.directory, f"line-{name}")
        report(f"{guest.name}/line/{name}",
               (run.status != 2 or not re.search(pattern, run.err)) and
               f"exit status {run.status}: {run.err.strip()}", run.err.strip())
    run = Run(guest.directory, "line-image")
    guest.none_lost(report, run)
    guest.snapshots_match(report, run, "db", 1)
    have, made = len(run.snapshots), run.failures("read")
    report(f"{guest.name}/line-image/count",
           (have != made or "no path, and returns are looked for in " not in run.err) and
           f"{have} snapshots of {made} calls: {run.err.strip()}", f"{have} snapshots")


def check_auto(guest, report):
    """auto and fexit, armed at once, count the same error returns of each function."""
    with open(guest.path("chosen"), encoding="utf-8") as lines:
        groups = [line.split() for line in lines]
    functions = by_hw = 0
    for number, names in enumerate(groups, 1):
        run = Run(guest.directory, f"auto{number}")
        guest.none_lost(report, run)
        guest.snapshots_match(report, run, None, 1)
        have = run.by_target()
        hardware = {s["trigger"]["target"] for s in run.snapshots if s["trigger"]["kind"] == "hw"}
        for name in names:
            functions += 1
            by_hw += name in hardware
            auto, fexit = have[name], have["fexit:" + name]
            report(f"{guest.name}/auto/{name}",
                   (auto != fexit or not fexit) and f"auto {auto}, fexit {fexit}",
                   f"{auto} error returns, {'hw' if name in hardware else 'not hw'}")
    wanted = int(os.environ.get("FUNCTIONS", "20"))
    why = None
    if functions != wanted:
        why = f"{functions} functions instead of {wanted}"
    elif not by_hw:
        why = "auto chose no hardware breakpoint at all"
    report(f"{guest.name}/auto/functions", why,
           f"seed {os.environ['SEED']}: {functions} functions, {by_hw} by hardware breakpoint")


def check_errno(guest, report):
    """--at errno ends at the block that loads the errno, for each failing call."""
    runs, image, good = {}, Image(guest.kernel, guest.path("kallsyms")), set()
    for number, kind, err, function in cases():
        if not os.path.exists(guest.path(f"errno{number}.status")):
            continue
        if number not in runs:
            run = runs[number] = Run(guest.directory, f"errno{number}")
            guest.none_lost(report, run)
            guest.snapshots_match(report, run, "db", 1, "hw")
            guest.snapshots_match(report, run, "off", 0, "fexit")
        made = sum(int(count) for name, _, _, count in runs[number].calls if name == kind)
        mine = [s for s in runs[number].snapshots
                if s["trigger"]["target"] == function and s["trigger"]["errno"] == err]
        code = image.function(function)
        wrong = [why for why in (site_error(s, code, err) for s in mine) if why]
        why = wrong and f"{len(wrong)} of {len(mine)}: {wrong[0]}"
        if not why and (len(mine) != made or not made):
            why = f"{len(mine)} snapshots of {made} calls"
        if not why:
            good.add((err, function))
        report(f"{guest.name}/errno/{kind}", why, f"{function}, {len(mine)} snapshots")
    errnos = {err for err, _ in good}
    report(f"{guest.name}/errno/calls", len(good) < 15 and f"only {len(good)} kinds of failing call",
           f"{len(good)} kinds of failing call, {len(errnos)} errnos")


def check_three_ways(guest, report):
    check_three(guest, report, Run(guest.directory, "three"), os.path.join(TOP, "lbrsnoop"))


def check_matrix(guest, report):
    matrix.check_matrix(guest, report, guest.filters(), lambda name: Run(guest.directory, name))


CHECKS = {
    "doctor": check_doctor,
    "errno": check_errno,
    "line": check_line,
    "watch": lambda guest, report: check_watch(guest, report,
                                               lambda name: Run(guest.directory, name)),
    "fault": lambda guest, report: check_faults(guest, report,
                                                lambda name: Run(guest.directory, name)),
    "preset": lambda guest, report: check_presets(guest, report,
                                                  lambda name: Run(guest.directory, name), BUILD),
    "panic": lambda guest, report: check_panic(guest, report, Run(guest.directory, "panic")),
    "perf": lambda guest, report: check_perf(guest, report,
                                             lambda name: Run(guest.directory, name)),
    "hotplug": lambda guest, report: check_hotplug(guest, report,
                                                   lambda name: Run(guest.directory, name)),
    "rotate": check_rotate,
    "table": check_table,
    "auto": check_auto,
    "truth": check_truth,
    "hw": check_hw,
    "hw-few": check_hw_return,
    "hw-dropped": check_hw_dropped,
    "hw-next": check_hw_next,
    "loss": check_loss,
    "load": check_load,
    "none": check_none,
    "matrix": check_matrix,
    "three": check_three_ways,
    "user": lambda guest, report: check_user(guest, report,
                                             lambda name: Run(guest.directory, name), BUILD),
}


def first_difference(live, again):
    """Number of the line, and what stands there, from a little before it differs."""
    for number, (ours, theirs) in enumerate(zip(live.splitlines(), again.splitlines()), 1):
        if ours != theirs:
            at = max(0, len(os.path.commonprefix([ours, theirs])) - 200)
            return f"line {number} differs: live {ours[at:at + 500]}, report {theirs[at:at + 500]}"
    return f"{len(live.splitlines())} lines live, {len(again.splitlines())} of the report"


def check_captures(guest, report):
    """What report prints of a capture file, here, is what the trace printed that wrote it."""
    names = sorted(name[:-4] for name in os.listdir(guest.directory) if name.endswith(".lbr"))
    snapshots, failed = 0, report.failed
    for name in names:
        with open(guest.path(name + ".jsonl"), "rb") as file:
            live = file.read()
        # Of those with lines: the host has the guest's debug information, too.
        lines = ["--vmlinux", debug_vmlinux(guest.kernel)] if name == "line-inlined" else \
            ["--no-lines"]
        again = subprocess.run([os.path.join(TOP, "lbrsnoop"), "report", "--json", *lines,
                                guest.path(name + ".lbr")],
                               check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        snapshots += live.count(b"\n")
        if again.returncode != (0 if live else 1):
            report(f"{guest.name}/report/{name}", again.stderr.decode() or
                   f"exit status {again.returncode}")
        elif again.stdout != live:
            report(f"{guest.name}/report/{name}", first_difference(live, again.stdout))
    if names and report.failed == failed:
        report(f"{guest.name}/report", None,
               f"{len(names)} captures, {snapshots} snapshots, as they were printed live")


def check_schema(guest, report):
    """Lines of every run fit the schema: a few of each target, since each takes milliseconds."""
    lines = []
    for name in sorted(name for name in os.listdir(guest.directory) if name.endswith(".jsonl")):
        with open(guest.path(name), "rb") as file:
            seen = collections.Counter()
            for line in file:
                target = re.search(rb'"trigger":{"target":"([^"]*)"', line)
                seen[target and target[1]] += 1
                if seen[target and target[1]] <= 3:
                    lines.append(line)
    if not lines:
        return
    run = subprocess.run([os.path.join(TOP, "tests", "json_check"), "-"], input=b"".join(lines),
                         check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = run.stdout.decode(errors="replace").strip()
    if run.returncode == 77:
        report.skip(f"{guest.name}/schema", said)
    else:
        report(f"{guest.name}/schema", run.returncode and said, f"{len(lines)} lines fit")


def check_guest(guest, report):
    if why_missing(guest.kernel):
        report.skip(guest.name, why_missing(guest.kernel))
        return
    if "line" in guest.parts and debug_vmlinux(guest.kernel):
        for _, variable, function, _, err in LINES:
            os.environ[variable] = errno_line(debug_vmlinux(guest.kernel), function,
                                              getattr(errno, err))
    elif "line" in guest.parts:
        guest.parts.remove("line")
        report.skip(f"{guest.name}/line", "no debug information: tests/vm/setup --dbg")
    if {"fault", "watch"} & set(guest.parts):
        build_faults(guest)
    if not guest.run(report):
        return
    check_captures(guest, report)
    check_schema(guest, report)
    for part in guest.parts:
        try:
            CHECKS[part](guest, report)
        except (OSError, ValueError, KeyError, IndexError) as error:
            report(f"{guest.name}/{part}", f"{type(error).__name__}: {error}")


def guest_of(argument, keep, whole_log):
    match = re.fullmatch(r"(\w+)(\+tsx)?/([\d.]+):([\w,-]+)", argument)
    parts = match[4].split(",") if match else []
    if not match or not set(parts) <= set(CHECKS) or "panic" in parts[:-1]:
        sys.exit(f"live.py: {argument}: not MODEL[+tsx]/KERNEL:PART[,PART...], or no such part")
    return Guest(match[1], bool(match[2]), match[3], parts, keep, whole_log)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", metavar="DIR", help="keep what the guests left in DIR")
    parser.add_argument("--whole-log", action="store_true",
                        help="let the emulator write every branch, not those before a stop alone")
    parser.add_argument("guests", nargs="+", metavar="MODEL/KERNEL:PARTS")
    args = parser.parse_args()
    report = Report()
    os.environ.setdefault("SEED", str(random.randrange(1000000)))
    for argument in args.guests:
        guest = guest_of(argument, args.keep and os.path.realpath(args.keep), args.whole_log)
        try:
            check_guest(guest, report)
        finally:
            if not args.keep:
                guest.remove()
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
