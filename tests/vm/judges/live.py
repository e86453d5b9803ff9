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
import stat
import subprocess
import sys
import tempfile

import matrix
from kernels import why_missing
from errno_sites import Image, cases, debug_vmlinux, errno_line, frames_at, line_at, site_error
from spent import Symbols, spent_by_trigger
from captures import capture_error
from lines import kernel_errors
from perf_events import check_hotplug, check_perf
from presets import build_faults, check_faults, check_others, check_panic, check_presets, check_watch
from costs import check_row
from report import Report, guest_ended, log_text
from three import check_three
from user_functions import check_user
from verify_truth import BY_KIND, REPORTED, Truth, load, verify

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # tests/vm
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.join(TOP, "build", "tests", "vm")
LEFT = os.path.join(os.environ.get("LBRSNOOP_CHECK_LOGS", os.path.join(TOP, "build", "check")), "left")
ERRORS_SHOWN = 5
ALL_SHORT = 20  # Tasks are not switched right before each of so many hits
ONLY_MISSED = re.compile(r" captured, (\d+) lost: 0 ring buffer full, 0 too many at once, "
                         r"\1 while the program already ran, 0 not understood")
SUMMARY = re.compile(r"(\d+) snapshots captured, (\d+) lost(?:: (\d+) ring buffer full, (\d+) too many at "
                     r"once, (\d+) while the program already ran, (\d+) not understood)?")
# Of one guest; generous, for other work may keep the machine busy.
TIMEOUT_S = int(os.environ.get("LBRSNOOP_GUEST_TIMEOUT", "1800"))
# Of a guest that leaves a dump; and what tests/vm/run ends with then.
DUMP_MB = 640
PANICKED = 125
# Variables that the parts read.
PASSED = ("SEED", "FUNCTIONS", "POOL", "RUNS", "LINE", "LINE_INLINED", "FULL", "CI")
# Parts that find places in the kernel's image or its dump: with KASLR, which others do without.
PLACES = {"load", "none", "errno", "line", "panic"}
# Parts that leave something to chance.
BY_CHANCE = {"auto", "matrix", "three"}
# What judges stumble over where a guest left something else than it should.
BAD_RESULTS = (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, StopIteration)


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

    def errnos(self, syscall):
        """How often a system call failed with each errno, by failcalls' own count."""
        return {err: self.failures(syscall, err) for _, name, err, _ in self.calls if name == syscall}

    def errnos_of(self, kinds):
        """The same, of these kinds of call; each of them was made."""
        made = collections.Counter()
        for kind, _, err, count in self.calls:
            made[err] += int(count) if kind in kinds else 0
        missing = set(kinds) - {kind for kind, *_ in self.calls}
        return dict(+made) if not missing else f"without calls of {sorted(missing)}"

    def told_lost(self):
        """What the snapshots say was lost between them, or None where that cannot be."""
        told = [s["lost"]["records"] for s in self.snapshots]
        return None if any(count < 0 for count in told) else sum(told)

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
        """-j lists for the part matrix: $FILTERS, or with FULL=1 all of them, or some drawn by SEED."""
        if "matrix" not in self.parts:
            return []
        given = os.environ.get("FILTERS")
        if given:
            return given.split()
        if os.environ.get("FULL"):
            return [text for texts in matrix.had_and_refused(self.model, self.tsx) for text in texts]
        return matrix.drawn(self.model, self.tsx, self.kernel, os.environ["SEED"])

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
        core, wanted, dump = self.path("core"), 0, []
        if "panic" in self.parts:
            dump, wanted = ["--core", core, "--memory", str(DUMP_MB)], PANICKED
        direct = [] if PLACES & set(self.parts) else ["--direct"]
        script = "set -e\n" + "".join(f"{HERE}/guest/{part}\n" for part in self.parts)
        command = [os.path.join(HERE, "run"), "--cpu", self.model, "--kernel", self.kernel,
                   "--append", "nmi_watchdog=0", "--timeout", str(TIMEOUT_S), *direct, *dump,
                   "--share", self.directory, "--truth", fifo,
                   "--env", f"out={self.directory}", "--env", f"MODEL={self.model}",
                   "--env", f"FILTERS={' '.join(self.filters())}",
                   *(word for name in PASSED for word in ("--env", name)), "--", "bash", "-c", script]
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

    def leave(self, report):
        """The log and the captures of what failed: without them nobody finds out why."""
        left = os.path.join(LEFT, self.name.replace("/", "-") + "-" + "-".join(self.parts))
        try:
            shutil.rmtree(left, ignore_errors=True)
            os.makedirs(LEFT, exist_ok=True)
            # Where that is another file system, the files are copied: the log's fifo cannot be.
            for name in os.listdir(self.directory):
                if stat.S_ISFIFO(os.lstat(self.path(name)).st_mode):
                    os.unlink(self.path(name))
            shutil.move(self.directory, left)
        except OSError as error:
            report.comment(f"{self.name}: what the guest left cannot be kept: {error}")
            return
        report.comment(f"{self.name}: what the guest left is in {os.path.relpath(left, TOP)}")

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
        elif verdict.short == verdict.matched >= ALL_SHORT:
            why = f"each of {verdict.matched} snapshots is of an LBR that was cleared shortly before"
        report(f"{self.name}/{run.name}/match{'/' if kind else ''}{kind or ''}", why,
               f"{verdict.matched} snapshots, {verdict.entries} entries, 0 mismatches" +
               (f", {verdict.short} of them behind a clear" if verdict.short else ""))
        if why:
            report.comment("\n".join(verdict.errors[:ERRORS_SHOWN]) + "\n" + run.err)

    def counts_match(self, report, run, wanted, others=False):
        """@wanted: snapshots by target, or by target and errno. @others: of other targets, too"""
        have, events = run.by_target(), 0
        wrong = [f"{target}: {count}, must be none" for target, count in have.items()
                 if not others and target not in wanted]
        for target, count in wanted.items():
            made = collections.Counter(s["trigger"]["errno"] for s in run.snapshots
                                       if s["trigger"]["target"] == target) \
                if isinstance(count, dict) else have[target]
            if made != count or not count:
                wrong.append(f"{target}: {made}, must be {count}")
            events += have[target]
        report(f"{self.name}/{run.name}/count", "; ".join(wrong),
               f"{events} events of {len(wanted)} targets, each captured")

    def none_lost(self, report, run, counted=False):
        """@counted: counts_match() checks that each event of the load was captured, of all targets.
        Then the kernel may have run a program less often than its function, as where an interrupt or
        another task calls the function while its program runs on that CPU: it counts hits of all
        tasks.
        """
        why, others = None, ONLY_MISSED.search(run.err) if counted else None
        said, told = SUMMARY.search(run.err), run.told_lost()
        if run.status:
            why = f"exit status {run.status}: {run.err.strip()}"
        elif not said:
            why = f"no summary: {run.err.strip()}"
        elif said[2] != "0" and not others:
            why = said[0]
        elif int(said[1]) != len(run.snapshots):
            why = f"{len(run.snapshots)} snapshots, but it says {said[1]}"
        elif told is None or told > int(said[2]):
            why = f"{told} lost by the JSON lines, {said[2]} by the summary"
        report(f"{self.name}/{run.name}/status", why, f"{others[1]} hits of others" if others else "")


# --- the parts --------------------------------------------------------------------------------

# The kinds of failcalls whose error a function below the system call returns. do_filp_open():
# open(2) but where build_open_flags() or getname() fails before (do_sys_openat2() of fs/open.c), and
# execve(2) by do_open_execat() (fs/exec.c). path_mount(): mount(2), but where user_path_at() fails
# before (do_mount() of fs/namespace.c).
BELOW = {
    "do_filp_open": ("open-enoent", "open-enoent-deep", "open-eacces", "open-enotdir", "open-eloop",
                     "open-eisdir", "open-eexist", "open-enxio", "execve-enoent", "execve-eacces"),
    "path_mount": ("mount-enodev", "mount-einval"),
}


def check_truth(guest, report):
    fexit, mixed = Run(guest.directory, "fexit"), Run(guest.directory, "mixed")
    syscalls = ("openat", "read", "mount", "bpf", "connect", "mkdir", "unlink", "kill", "execve",
                "mmap")
    guest.none_lost(report, fexit, counted=True)
    guest.snapshots_match(report, fexit, "off", 200)
    wanted = {f"fexit:__x64_sys_{name}": fexit.errnos(name) for name in syscalls}
    wanted["fexit:do_sys_openat2"] = fexit.errnos("openat")
    wanted["fexit:ksys_read"] = fexit.errnos("read")
    wanted |= {f"fexit:{name}": fexit.errnos_of(kinds) for name, kinds in BELOW.items()}
    # All that is traced is counted: so what was missed, if anything, was no call of the load.
    guest.counts_match(report, fexit, wanted)
    guest.none_lost(report, mixed, counted=True)
    guest.snapshots_match(report, mixed, "off", 100)
    made = {kind for kind, *_ in mixed.calls}
    below = {name: sum(mixed.errnos_of(made.intersection(kinds)).values()) for name, kinds in BELOW.items()}
    guest.counts_match(report, mixed, {
        "kretprobe:do_sys_openat2": mixed.errnos("openat"),
        "kretprobe:__x64_sys_mkdir": mixed.errnos("mkdir"),
        "tracepoint:syscalls:sys_exit_openat": mixed.errnos("openat"),
        "tracepoint:syscalls:sys_enter_mount": mixed.failures("mount"),
        "kprobe:path_mount": below["path_mount"],
    }, others=True)
    # The C library makes such calls, too, as many as it likes.
    least = {"fentry:do_filp_open": below["do_filp_open"],
             "rawtracepoint:sys_exit": sum(int(call[-1]) for call in mixed.calls)}
    have = mixed.by_target()
    few = [f"{have[target]} of {target}, at least {count} expected" for target, count in least.items()
           if have[target] < max(count, 1)]
    report(f"{guest.name}/mixed/targets", "; ".join(few), f"{len(have)} targets")


def led_there(snapshot):
    """The newest branch leads to straight code that reaches the breakpoint; else why not."""
    target = int(snapshot["branches"][-1]["to"]["addr"], 16)
    ip, path = int(snapshot["trigger"]["ip"], 16), snapshot["path"]
    if not target <= ip < target + 4096:
        return f"breakpoint at {ip:#x}, newest branch to {target:#x}"
    if not path or path[-1]["gap"] or int(path[-1]["end"], 16) != ip:
        return f"breakpoint at {ip:#x}, where the path does not end: {path and path[-1]}"
    return None


def all_useful(snapshot):
    lbr = snapshot["lbr"]
    if lbr["wasted"] == 0 and lbr["valid"] == lbr["depth"]:
        return None
    return f"{lbr['valid']} entries of {lbr['depth']}, {lbr['wasted']} wasted"


# What switches the LBR on again when the scheduler has cleared it (intel_pmu_lbr_sched_task(),
# amd_pmu_lbr_sched_task()) returns to one of these: Linux 6.1 to 6.18.
SCHED_TASK = ("perf_pmu_sched_task", "__perf_pmu_sched_task", "__perf_event_task_sched_in")
# On the way there are four returns at most: from native_write_msr(), the driver's function for the LBR, that
# for the PMU, x86_pmu_enable(). Each is three branches where the return goes by way of a thunk (zen4).
WAY_BACK = 4 * 3 + 1
# Only what comes within one depth of the LBR behind a task switch is short. The loads sleep in none of the
# traced functions: they are switched by the timer, once in 4 ms, and by page faults that wait.
SHORT_SHARE = 10


def cleared_by_scheduler(guest, stop):
    """Do the oldest branches since the clear lead out of the scheduler? The log has no author of a clear, but
    a short stop has every branch since."""
    ranges = [place for name in SCHED_TASK for place in guest.symbols().ranges(name)]
    return guest.truth.cleared(stop) and any(
        start <= branch.target < end for branch in list(stop.branches())[:WAY_BACK] for start, end in ranges)


def useful(guest, report, run):
    """Nothing is wasted, and the LBR is full. One in SHORT_SHARE may have fewer entries, each behind a clear by
    the scheduler as it comes to another task: what stops the LBR for a snapshot, and for a hit that the
    filter drops, clears nothing."""
    shown, short, wrong = guest.truth.shown_by(run.name), 0, []
    for number, snapshot in enumerate(run.snapshots, 1):
        why, stop = all_useful(snapshot), shown.get(number)
        short += bool(why)
        if why and (snapshot["lbr"]["wasted"] or not stop or not cleared_by_scheduler(guest, stop)):
            wrong.append(f"{why}, and not behind a clear by the scheduler")
    if short * SHORT_SHARE > len(run.snapshots):
        wrong.append(f"at most one in {SHORT_SHARE} may be short")
    report(f"{guest.name}/{run.name}/useful",
           (wrong or not run.snapshots) and
           f"{len(wrong)} of {len(run.snapshots)}, {short} short: {wrong and wrong[0]}",
           f"{len(run.snapshots)} snapshots" + (f", {short} of them behind a clear" if short else ""))


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
    useful(guest, report, run)
    dropped = dropped_hits(guest, run, {0, 1})
    report(f"{guest.name}/hw-return/between", dropped < 100 and f"only {dropped} hits",
           f"{dropped} hits in between that the filter dropped")
    guest.counts_match(report, run, {
        "do_sys_openat2": run.errnos("openat"),
        "do_mkdirat": run.errnos("mkdir"),
        "__sys_connect": run.errnos("connect"),
        "__sys_bpf": run.errnos("bpf"),
    })
    return run


def check_hw_dropped(guest, report):
    """Each hit leaves the LBR off; the program switches it on again, whatever the filter says."""
    run = Run(guest.directory, "hw-dropped")
    guest.none_lost(report, run)
    guest.snapshots_match(report, run, "db", 2)
    each(guest, report, run, "newest", led_there)
    useful(guest, report, run)
    guest.counts_match(report, run, {"do_sys_openat2": {"ENOENT": 2}})
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


DISTURBED = 50  # calls, of guest/disturbed


def check_disturbed(guest, report):
    """Where the log has somebody else's stop before the hit and none of ours, it is told, and nowhere else
    (snapshots_match): by getpid's breakpoint, or by ours if the LBR was on again, as behind a task switch."""
    run = Run(guest.directory, "disturbed")
    guest.none_lost(report, run)
    guest.snapshots_match(report, run, "db", DISTURBED)
    guest.counts_match(report, run, {"ksys_read": {"EBADF": DISTURBED}})
    shown = guest.truth.shown_by(run.name)
    (start, end), *_ = guest.symbols().ranges("__x64_sys_getpid")
    foreign = [number for number, stop in shown.items() if start <= list(stop.branches())[-1].target < end]
    stale = [number for number, s in enumerate(run.snapshots, 1) if s["lbr"]["stale"]]
    untold = sum(s["lbr"]["stale"] is None for s in run.snapshots)
    report(f"{guest.name}/disturbed/stale", (not foreign or sorted(foreign) != stale or untold) and
           f"{len(stale)} stale, {len(foreign)} by the log, {untold} of which nothing is told",
           f"{len(stale)} stale, {len(run.snapshots) - len(stale)} fresh, as by the log")


HW_NEXT = ("hw:do_mkdirat", "hw:do_unlinkat")


def check_hw_next(guest, report):
    run = check_hw_run(guest, report, "hw-next", 60)
    have = run.by_target()
    guest.counts_match(report, run, {
        target: have[name] for name in HW_NEXT for target in
        (name, next((target for target in have if target.startswith(name + "+")), name + "+"))
    })


def check_loss(guest, report):
    run = Run(guest.directory, "loss")
    captured, told = len(run.snapshots), run.told_lost()
    summary = SUMMARY.search(run.err)
    made = run.failures("openat")
    why = None
    if run.status:
        why = f"exit status {run.status}: {run.err.strip()}"
    elif not summary or made != 10000:
        why = f"{made} calls failed; {run.err.strip()}"
    elif captured != int(summary[1]):
        why = f"{captured} snapshots, but it says {summary[1]}"
    elif captured + int(summary[2]) != made:
        why = f"{captured} captured + {summary[2]} lost is not {made}"
    elif not told or not told <= int(summary[2]) or int(summary[2]) == 0:
        why = f"{told} lost by the JSON lines, {summary[2]} in all: nothing was lost, or too much"
    elif summary.groups()[2:] != (summary[2], "0", "0", "0"):
        why = f"not all for the ring buffer's sake: {summary[0]}"
    report(f"{guest.name}/loss", why, summary and f"{captured} captured + {summary[2]} lost")
    guest.snapshots_match(report, run, "off", 1)
    guest.counts_match(report, run, {"fexit:do_sys_openat2": {"ENOENT": captured}})


# Of what has to be told of: triggers, and what guest/load and guest/none ask besides.
LOAD_PROGRAMS = tuple(prefix + name for prefix in ("", "no_slot_") for name in (
    "hw", "hw_return_s32", "hw_return_s64", "hw_errno_site", "fexit_s32", "fexit_s64", "fentry", "kprobe",
    "kretprobe_s32", "kretprobe_s64", "tracepoint", "tracepoint_sys_exit", "raw_tracepoint", "uprobe",
    "uretprobe"))
LOAD_VERDICTS = {
    "load": (*LOAD_PROGRAMS, "multi_return", "multi_sys_exit", "multi_task_exit", "quick_symbols", "lbr_off", "missed", "missed_told", "module_init", "hidden", "bpf_listed", "bpf_refused", "thunks_refused"),
    "none": LOAD_PROGRAMS,
}
# Functions of which guest/load asks whether list is right; which, the seed says.
LOAD_LISTED = {"load": 7 if os.environ.get("FULL") else 2, "none": 0}


def check_programs(guest, report, part):
    """What load_programs, no_slot, quick_symbols, lbr_off and missed said."""
    missing, listed = set(LOAD_VERDICTS[part]), 0
    with open(guest.path("load.verdicts"), encoding="utf-8") as lines:
        for line in lines:
            match = re.match(r"(ok|not ok|skip) (load/\w+)(?:: (.*))?$", line)
            missing -= {match[2].split("/")[1]} if match else set()
            listed += bool(match and match[2].startswith("load/list_"))
            if not match and not line.startswith(("ok ", "not ok ", "skip ")):
                report.comment(line)
            elif not match:
                report(f"{guest.name}/load", f"no verdict: {line.strip()}")
            elif match[1] == "skip":
                # On these kernels nothing may be missing.
                report(f"{guest.name}/{match[2]}", match[3])
            else:
                report(f"{guest.name}/{match[2]}",
                       match[1] != "ok" and (match[3] or "no reason given"))
    few = listed < LOAD_LISTED[part] and f"{listed} functions of list"
    report(f"{guest.name}/load/verdicts", missing and f"nothing of {' '.join(sorted(missing))}" or few)


# Of the targets of guest/load those that cat hits.
LOADED = ("fexit:do_sys_openat2", "fentry:do_filp_open", "tracepoint:syscalls:sys_exit_openat",
          "tracepoint:syscalls:sys_enter_openat", "rawtracepoint:sys_exit")


# Runs of guest/load that are counted and held against the log: kind of trigger, target, and the system
# call whose errors the load counts.
COUNTED = {"load-errno": ("hw", "ksys_read", "read"),
           "load-bpf": ("fexit", "bpf:denies_short_packets", "bpf")}


def check_load(guest, report):
    check_programs(guest, report, "load")
    for name, targets in (("load", LOADED), *((name, (row[1],)) for name, row in COUNTED.items())):
        run = Run(guest.directory, name)
        have, said = run.by_target(), SUMMARY.search(run.err)
        silent = [target for target in targets if not have[target]]
        why = run.status and f"exit status {run.status}: " + run.err.strip().replace("\n", "; ")
        if not why and (silent or not said or int(said[1]) != len(run.snapshots)):
            why = f"nothing of {silent}; {len(run.snapshots)} snapshots, and it says: {run.err.strip()}"
        report(f"{guest.name}/attach/{name}", why, f"{len(run.snapshots)} snapshots of {len(have)} targets")
    for name, (kind, target, call) in COUNTED.items():
        run = Run(guest.directory, name)
        kinds = {s["trigger"]["kind"] for s in run.snapshots}
        report(f"{guest.name}/{name}/kind", kinds - {kind} and f"taken by {sorted(kinds)}, must be {kind}")
        guest.snapshots_match(report, run, BY_KIND.get(kind, "off"), 1)
        guest.counts_match(report, run, {target: run.errnos(call)})
    run = Run(guest.directory, "load-freed")
    report(f"{guest.name}/attach/freed-text",
           (run.status != 2 or "freed after boot" not in run.err) and
           f"exit status {run.status}: {run.err.strip()}", run.err.strip())


def check_none(guest, report):
    run = Run(guest.directory, "none")
    why = None
    if run.status != 3 or "no usable LBR" not in run.err or run.snapshots:
        why = f"exit status {run.status}: {run.err.strip()}"
    report(f"{guest.name}/exit-status", why, run.err.strip())
    status, text, said = read_doctor(guest)
    why = None
    if status != 3 or "usable        no: no usable LBR" not in text:
        why = f"exit status {status}: {text}"
    elif said["usable"] or "no usable LBR" not in said["why_not"] or said["triggers"] or \
            (said["lbr"]["model"], said["lbr"]["depth"]) != ("skylake", 32):  # the CPU without its PMU
        why = f"--json: {said}"
    report(f"{guest.name}/doctor", why, "says why not")
    check_programs(guest, report, "none")


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
               "kprobe": "kprobe", "fentry": "fentry", "kprobe.multi": "kprobe.multi"}


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
    elif said["why_not"] or said["debug_registers_free"] != 4 or not said["breakpoints_fire"]:
        why = f"{said['why_not']}; {said['debug_registers_free']} debug registers, {said['breakpoints_fire']}"
    report(f"{guest.name}/doctor/usable", why)
    table = Run(guest.directory, "table")
    guest.snapshots_match(report, table, "by kind", 10)
    spent = spent_by_trigger(table.snapshots, Symbols(guest.path("kallsyms")))
    rows = {row["trigger"]: row for row in said["triggers"]}
    report(f"{guest.name}/doctor/rows", len(rows) != len(said["triggers"]) and f"one twice: {list(rows)}")
    for label, kind in DOCTOR_ROWS.items():
        if kind == "kprobe.multi" and kind not in spent:
            report(f"{guest.name}/doctor/{kind}",
                   "has no kprobe.multi" not in (rows[label]["error"] or "") and f"{rows[label]}")
            continue
        must = 0 if spent[kind] is None else depth - spent[kind]
        row = rows[label]
        why = None
        if row["error"] or row["left"] != must or row["depth"] != depth or \
                row["wasted"] != depth - must or not row["hits"]:
            why = f"{row['left']} entries left, must be {must}: {row}"
        elif text and not re.search(rf"^  {re.escape(label)} +{must} of {depth} ", text, re.M):
            why = f"the text has another number than {must}: {text}"
        report(f"{guest.name}/doctor/{kind}", why, f"{must} of {depth} entries left")


def check_table(guest, report):
    """For check_doctor(), and table_useful, whose row docs/COSTS.md has."""
    run, depth = Run(guest.directory, "table"), REPORTED[guest.model][0]
    guest.none_lost(report, run)
    spent = spent_by_trigger(run.snapshots, guest.symbols())
    # kprobe.multi has no column: docs/COSTS.md says that it spends the LBR.
    check_row(guest, report, "triggers", {kind: 0 if count is None else depth - count
                                          for kind, count in spent.items() if kind != "kprobe.multi"})


ROTATED = ("do_sys_openat2", "do_mkdirat", "__sys_connect", "__sys_bpf", "do_unlinkat", "ksys_read")


def check_rotate(guest, report):
    run = Run(guest.directory, "rotate")
    guest.none_lost(report, run)
    guest.snapshots_match(report, run, "db", 20)
    each(guest, report, run, "newest", led_there)
    useful(guest, report, run)
    have = run.by_target()
    why = None
    if "2 groups of hardware breakpoints take turns" not in run.err:
        why = run.err
    elif set(have) != set(ROTATED):
        why = f"snapshots of {sorted(have)} only"
    report(f"{guest.name}/rotate/turns", why, f"{len(have)} targets had their turns")


# Run of guest/line, variable with its FILE:LINE, and where that is: function and errno that it
# loads there; system call. The second one stands in a function that is inlined.
LINES = (
    ("line", "LINE", "generic_read_dir", "read", "EISDIR"),
    ("line-inlined", "LINE_INLINED", "path_mount", "mount", "ENODEV"),
)


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
        # Where a return leads, the line is the call's: of targets the newest, which a jump led to.
        places = [s["branches"][-1]["to"] for s in run.snapshots] + \
            [branch["from"] for s in run.snapshots for branch in s["branches"]
             if image.symbols.is_image(int(branch["from"]["addr"], 16))]
        wrong = kernel_errors(places, vmlinux, image.offset)
        report(f"{guest.name}/{name}/frames", wrong and wrong[0] or min(depth) < 2 and
               f"nothing is inlined there: {depth}", f"{len(places)} places, as addr2line -i has them")


def check_line(guest, report):
    image = Image(guest.kernel, guest.path("kallsyms"))
    for case in LINES:
        check_one_line(guest, report, image, case)
    for name, pattern in (("none", "the compiler made no code for this line"),
                          ("file", "no source file .*did you mean"),
                          ("debug", "build ID|no debug information|debug information"),
                          ("no-image", "/proc/kcore: no memory image, and no image of this kernel was found")):
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
        guest.snapshots_match(report, run, "by kind", 1)
        have = collections.defaultdict(collections.Counter)
        for snapshot in run.snapshots:
            have[snapshot["trigger"]["target"]][snapshot["trigger"]["errno"]] += 1
        hardware = {s["trigger"]["target"] for s in run.snapshots if s["trigger"]["kind"] == "hw"}
        for name in names:
            functions += 1
            by_hw += name in hardware
            auto, fexit = have[name], have["fexit:" + name]
            report(f"{guest.name}/auto/{name}",
                   (auto != fexit or not fexit) and f"auto {auto}, fexit {fexit}",
                   f"{sum(auto.values())} error returns, {'hw' if name in hardware else 'not hw'}")
    wanted = int(os.environ.get("FUNCTIONS", "20"))
    why = None
    if functions != wanted or len(set(sum(groups, []))) != wanted:
        why = f"{functions} functions instead of {wanted}: {groups}"
    elif not by_hw:
        why = "auto chose no hardware breakpoint at all"
    report(f"{guest.name}/auto/functions", why,
           f"seed {os.environ['SEED']}: {functions} functions, {by_hw} by hardware breakpoint")


def check_errno(guest, report):
    """--at errno ends at the block that loads the errno, for each failing call."""
    runs, image, good = {}, Image(guest.kernel, guest.path("kallsyms")), []
    chosen = os.environ.get("RUNS", "").split()
    wanted = [case for case in cases() if not chosen or case[0] in chosen]
    for number, kind, err, function in wanted:
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
            good.append(err)
        report(f"{guest.name}/errno/{kind}", why, f"{function}, {len(mine)} snapshots")
    report(f"{guest.name}/errno/calls", (len(good) != len(wanted) or not wanted) and
           f"{len(good)} of {len(wanted)} kinds of failing call",
           f"{len(good)} kinds of failing call, {len(set(good))} errnos")


def check_three_ways(guest, report):
    check_three(guest, report, Run(guest.directory, "three"), os.path.join(TOP, "lbrsnoop"))


def check_matrix(guest, report):
    matrix.check_matrix(guest, report, guest.filters(), lambda name: Run(guest.directory, name))


CHECKS = {
    "doctor": check_doctor,
    "errno": check_errno,
    "line": check_line,
    "line-few": lambda guest, report: check_one_line(
        guest, report, Image(guest.kernel, guest.path("kallsyms")), LINES[0]),
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
    "disturbed": check_disturbed,
    "loss": check_loss,
    "load": check_load,
    "none": check_none,
    "matrix": check_matrix,
    "three": check_three_ways,
    "user": lambda guest, report: check_user(guest, report,
                                             lambda name: Run(guest.directory, name), BUILD),
}


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
        why = capture_error(live, again.returncode, again.stdout, again.stderr)
        if why:
            report(f"{guest.name}/report/{name}", why)
    if names and report.failed == failed:
        report(f"{guest.name}/report", None,
               f"{len(names)} captures, {snapshots} snapshots, as they were printed live")


def check_schema(guest, report):
    """Lines of every run fit the schema: a few of each target, since each takes milliseconds."""
    lines = []
    for name in sorted(name for name in os.listdir(guest.directory) if name.endswith((".jsonl", "doctor.json"))):
        with open(guest.path(name), "rb") as file:
            seen = collections.Counter()
            for line in file:
                target = re.search(rb'"trigger":{"target":"([^"]*)"', line)
                seen[target and target[1]] += 1
                if seen[target and target[1]] <= 3:
                    lines.append(line)
    if not lines:
        said = [SUMMARY.search(log_text(guest.path(name))) for name in os.listdir(guest.directory)
                if name.endswith(".err")]
        report(f"{guest.name}/schema", any(match and match[1] != "0" for match in said) and
               "snapshots were captured, and no line of them is there", "no snapshot")
        return
    run = subprocess.run([os.path.join(TOP, "tests", "json_check"), "-"], input=b"".join(lines),
                         check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = run.stdout.decode(errors="replace").strip()
    if run.returncode == 77:
        report.skip(f"{guest.name}/schema", said)
    else:
        report(f"{guest.name}/schema", run.returncode and said, f"{len(lines)} lines fit")


def snapshots_of(guest, name):
    """Of a run, if there was one"""
    return Run(guest.directory, name).snapshots if os.path.exists(guest.path(name + ".status")) else []


def check_guest(guest, report):
    if why_missing(guest.kernel):
        report.skip(guest.name, why_missing(guest.kernel))
        return
    with_lines = [part for part in guest.parts if part in ("line", "line-few")]
    if with_lines and debug_vmlinux(guest.kernel):
        for _, variable, function, _, err in LINES:
            os.environ[variable] = errno_line(debug_vmlinux(guest.kernel), function,
                                              getattr(errno, err))
    else:
        for part in with_lines:
            guest.parts.remove(part)
            report.skip(f"{guest.name}/{part}", "no debug information: tests/vm/setup --dbg")
    if {"fault", "watch"} & set(guest.parts):
        build_faults(guest)
    if BY_CHANCE & set(guest.parts):
        report.comment(f"SEED={os.environ['SEED']} does the same in {guest.name} again")
    if not guest.run(report):
        return
    check_captures(guest, report)
    check_schema(guest, report)
    for part in guest.parts:
        try:
            CHECKS[part](guest, report)
        except BAD_RESULTS as error:
            report(f"{guest.name}/{part}", f"{type(error).__name__}: {error}")
    if {"preset", "watch", "fault", "panic"} & set(guest.parts):
        check_others(guest, report, snapshots_of)


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
        failed = report.failed
        try:
            check_guest(guest, report)
            if report.failed > failed and not args.keep:
                guest.leave(report)
        except Exception:
            if not args.keep:
                guest.leave(report)
            raise
        finally:
            if not args.keep:
                guest.remove()
    return report.close()


if __name__ == "__main__":
    sys.exit(main())
