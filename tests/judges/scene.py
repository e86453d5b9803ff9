# SPDX-License-Identifier: GPL-2.0
"""scene.py - what a guest leaves, made by hand, for judges of tests/vm that take a whole guest

A scene is a dictionary: "runs" by name (exit status, what was said and printed, snapshots), "files" by
name, "ends" (the emulator's log, as truth_ends writes it). A Maker fills a true one: each snapshot
with the stop that it shows. refusals() gives it to a judge of live.py.
"""
import copy
import json
import os
import random
import tempfile

import lies
import live
from report import Report
from verify_truth import REPORTED, TYPES, Branch, Truth, spec_of

BPF = 0xffffffffc0001000
STEXT, STRIDE = 0xffffffff81000000, 0x1000
USER = 0x555555555000
CALLED = ("arch_rethook_trampoline", "___perf_sw_event", "__traceiter_sys_exit", "perf_syscall_enter",
          "perf_syscall_exit", "quiet_walk", "quiet_sort", "quiet_hash")
SUPPORTED = {"mispred": ["mispred", "predicted"], "cycles": ["cycles"], "type": ["type"],
             "in_tx": ["in_tx"], "abort": ["abort"], "spec": ["spec"]}


class Maker:
    """A kernel with these functions, one after the other, and what is captured in it."""

    def __init__(self, functions, model="skylake", tsx=()):
        self.dice = random.Random(1)
        self.model, (self.depth, reported) = model, REPORTED[model]
        self.reported = reported | set(tsx)
        self.starts = {name: STEXT + STRIDE * i
                       for i, name in enumerate(dict.fromkeys((*CALLED, *functions)), 1)}
        self.seq, self.ts_ns = {0: 1000, 1: 1000}, 10 ** 18
        lines = [f"{addr:016x} T {name}\n" for name, addr in self.starts.items()]
        end = STEXT + STRIDE * (len(lines) + 1)
        self.scene = {"runs": {}, "ends": [], "files": {"kallsyms": "".join(
            [f"{STEXT:016x} T _stext\n", *lines, f"{end:016x} T _etext\n"])}}

    def place(self, addr):
        name, module = None, None
        if addr >= BPF:
            name, module, start = "bpf_trampoline_1", "bpf", BPF
        elif addr >> 63:
            name, start = max(((name, start) for name, start in self.starts.items() if start <= addr),
                              key=lambda item: item[1])
        return {"addr": f"{addr:#018x}", "sym": name, "off": addr - start if name else None,
                "module": module, "file": None, "line": None, "inlined": None}

    def entry(self, branch):
        """The entry of a snapshot that a branch of the log becomes."""
        source, target, kind, flags, cycles = branch
        reported = self.reported
        return {"from": self.place(source), "to": self.place(target),
                "type": TYPES[kind] if "type" in reported else None,
                "mispred": "M" in flags if "mispred" in reported else None,
                "predicted": "M" not in flags if "mispred" in reported else None,
                "cycles": cycles if "cycles" in reported else None,
                "in_tx": "X" in flags if "in_tx" in reported else None,
                "abort": "A" in flags if "abort" in reported else None,
                "spec": spec_of(Branch(*branch)) if "spec" in reported else None}

    def branch(self, source, target, kind="cond"):
        return source, target, kind, self.dice.choice("-M"), self.dice.randrange(1, 60)

    def noise(self, count, user=False):
        """Branches of functions that nobody traces, no two of them alike."""
        def where():
            if user:
                return USER + self.dice.randrange(0x1000)
            return self.starts[self.dice.choice(("quiet_walk", "quiet_sort", "quiet_hash"))] + \
                self.dice.randrange(0x20, STRIDE)
        return [self.branch(where(), where()) for _ in range(count)]

    def clear(self, cpu):
        self.seq[cpu] += 1
        self.scene["ends"].append(f"{cpu} {self.seq[cpu]} clear\n")

    def stop(self, cpu, reason, branches):
        """In the log; behind a clear where there are fewer than the LBR has."""
        if len(branches) < self.depth:
            self.clear(cpu)
        self.seq[cpu] += len(branches) + 1
        text = " ".join(f"{b[0]:#x},{b[1]:#x},{b[2]},{b[3]},{b[4]}" for b in branches)
        self.scene["ends"].append(f"{cpu} {self.seq[cpu]} {reason} {text}".rstrip() + "\n")

    def around(self, kind, function, offset=0):
        """(Branches that a trigger finds: those before it and those that it spent; ip; where the
        newest one that is its own leads)"""
        start = self.starts[function] if function in self.starts else None
        if kind == "hw":
            own, spent = [self.branch(self.starts["quiet_walk"], start + offset, "call")], 0
            return self.noise(self.depth - 1) + own, spent, start + offset
        if kind in ("kprobe", "fentry"):
            own, after = [self.branch(self.starts["quiet_walk"], start, "call")], self.noise(11)
        elif kind == "fexit":
            own, after = [self.branch(start + 0x80, BPF + 0x10, "ret")], self.noise(9)
        elif kind == "kretprobe":
            own = [self.branch(start + 0x80, self.starts["arch_rethook_trampoline"], "ret")]
            after = self.noise(10)
        elif kind == "kprobe.multi":  # its way is longer than the LBR
            return self.noise(self.depth), self.depth, start
        elif kind in ("tracepoint", "rawtracepoint"):
            own = [self.branch(self.starts["quiet_walk"], self.starts["__traceiter_sys_exit"], "call")]
            after = self.noise(8)
        else:
            return self.noise(self.depth), 0, start
        return self.noise(self.depth - 1 - len(after)) + own + after, len(after), start

    def snapshot(self, target, cpu=0, errno=None, function=None, ip=None, reason=None, branches=None,
                 kind=None, wasted=None, pid=100, retval=None, logged=None):
        """One of a trigger that stands in the log, too. @branches: others than the kind's usual;
        @logged: and those of the log"""
        name, _, offset = target.rsplit(":", 1)[-1].partition("+")
        kind = kind or (target.split(":")[0] if ":" in target else "hw")
        found, spent, place = self.around(kind, function or name, int(offset or 0))
        if kind == "hw" and ":" not in target and not ip:  # on the return
            place = self.starts[name] + 0x80
            found[-1] = self.branch(place - 0x20, place - 8)
        branches = found if branches is None else branches
        place = None if "tracepoint" in kind else place
        reason = reason or ("db" if kind == "hw" else "pmu" if kind == "pmi" else "off")
        self.stop(cpu, reason, branches if logged is None else logged)
        self.ts_ns += 1000
        number = retval if retval is not None else errno and -getattr(live.errno, errno)
        path = None
        if kind == "hw" and branches:
            path = [{"function": function or name, "module": None, "file": None, "line": None,
                     "start": f"{branches[-1][1]:#018x}", "end": f"{ip or place:#018x}", "depth": 0,
                     "gap": None, "interrupt": 0, "tracing": False, "ends": "trigger", "branch": None,
                     "decisions": []}]
        return {"schema": "lbrsnoop.snapshot/1", "ts_ns": self.ts_ns, "cpu": cpu, "pid": pid, "tid": pid,
                "comm": "work", "trigger": {
                    "target": target, "kind": kind, "function": function or name,
                    "ip": None if place is None and not ip else f"{ip or place:#018x}", "retval": number,
                    "signal": None, "fault": None, "errno": errno},
                "lbr": {"model": self.model, "format": 5, "depth": self.depth, "valid": len(branches),
                        "missing": 0, "wasted": spent if wasted is None else wasted, "shown_from": 0,
                        "tracing": 0, "stale": False, "mixed": False, "filter": "any,u,k",
                        "supported": [word for name in sorted(self.reported) for word in SUPPORTED[name]]},
                "branches": [self.entry(branch) for branch in branches], "path": path, "error": None,
                "stack": None, "registers": None, "log": None, "lost": {"records": 0}}

    def run(self, name, snapshots, out="", status=0, err=None):
        if err is None:
            err = f"lbrsnoop: {len(snapshots)} snapshots captured, 0 lost\n"
        self.scene["runs"][name] = {"status": status, "err": err, "out": out, "snapshots": snapshots}


class Heard(Report):
    """Keeps what is wrong, says nothing."""

    def __init__(self):
        super().__init__()
        self.wrong = []

    def __call__(self, name, why=None, said=""):
        self.passed += not why
        if why:
            self.failed += 1
            self.wrong.append(f"{name}: {why}")

    def skip(self, name, why):
        self.skipped += 1

    def comment(self, text):
        pass


def write(scene, directory):
    def put(name, text):
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)

    for name, run in scene["runs"].items():
        put(name + ".status", f"{run['status']}\n")
        put(name + ".err", run["err"])
        put(name + ".out", run["out"])
        put(name + ".jsonl", "".join(json.dumps(s) + "\n" for s in run["snapshots"]))
    for name, text in scene["files"].items():
        put(name, text)
    put("ends", "".join(scene["ends"]))


def refusals(scene, part, model="skylake", tsx=False, judge=None):
    """What the judge of a part finds wrong; where it finds nothing to judge, that is wrong, too."""
    report = Heard()
    with tempfile.TemporaryDirectory() as directory:
        guest = live.Guest(model, tsx, "6.1", [part], directory)
        write(scene, guest.directory)
        guest.truth = Truth(guest.path("ends"))
        try:
            (judge or live.CHECKS[part])(guest, report)
        except live.BAD_RESULTS as error:
            report(part, f"{type(error).__name__}: {error}")
    if not report.passed and not report.failed and not report.skipped:
        report(part, "nothing was judged")
    return report.wrong


def try_scene(report, part, scene, told, **how):
    lies.try_lies(report, lambda scene: refusals(scene, part, **how), scene, told, part,
                  f"{sum(len(run['snapshots']) for run in scene['runs'].values())} snapshots")


# --- lies ---------------------------------------------------------------------------------------

def named(lie, *names):
    lie.__name__ = "/".join(names)
    return lie


def of_run(run, *some):
    """Lies about the snapshots of one run"""
    return [named(lambda scene, dice, lie=lie: lie(scene["runs"][run]["snapshots"], dice), run,
                  lie.__name__) for lie in some]


def status_is(run, status):
    def lie(scene, _):
        scene["runs"][run]["status"] = status
    return named(lie, run, f"status_{status}")


def says(run, name, wrong, right=None, field="err"):
    """The run says something else: all of it, or instead of a part."""
    def lie(scene, _):
        had = scene["runs"][run][field]
        scene["runs"][run][field] = had.replace(right, wrong, 1) if right else wrong
    return named(lie, run, name)


def file_says(file, name, wrong, right=None):
    def lie(scene, _):
        had = scene["files"][file]
        scene["files"][file] = had.replace(right, wrong, 1) if right else wrong
    return named(lie, file, name)


def hidden(scene, run, which):
    """A snapshot less, and a summary that agrees."""
    snapshots = scene["runs"][run]["snapshots"]
    del snapshots[which]
    scene["runs"][run]["err"] = scene["runs"][run]["err"].replace(
        f"{len(snapshots) + 1} snapshots", f"{len(snapshots)} snapshots")


def one_hidden(run, which=lambda snapshot: True):
    """@which: of those that the judge can know to be missing"""
    def lie(scene, dice):
        snapshots = scene["runs"][run]["snapshots"]
        hidden(scene, run, dice.choice([i for i, snapshot in enumerate(snapshots) if which(snapshot)]))
    return named(lie, run, "one_hidden")


def all_hidden(run):
    def lie(scene, _):
        for _ in range(len(scene["runs"][run]["snapshots"])):
            hidden(scene, run, -1)
    return named(lie, run, "all_hidden")


def one_dropped(snapshots, dice):
    del snapshots[dice.randrange(len(snapshots))]


def one_lost(snapshots, dice):
    dice.choice(snapshots)["lost"]["records"] = 1


def trigger_set(name, value):
    def lie(snapshots, dice):
        dice.choice([s for s in snapshots if s["trigger"][name] not in (None, value)])["trigger"][name] = value
    return named(lie, f"{name}_is_{value}")


def ip_moved(snapshots, dice):
    trigger = dice.choice([s for s in snapshots if s["trigger"]["ip"]])["trigger"]
    trigger["ip"] = f"{int(trigger['ip'], 16) + 1:#018x}"


def other_errno(snapshots, dice):
    """With a value that agrees."""
    dice.choice([s for s in snapshots if s["trigger"]["errno"]])["trigger"].update(
        errno="EXDEV", retval=-live.errno.EXDEV)


def time_swapped(snapshots, dice):
    """Two of a CPU have each other's time."""
    at = dice.randrange(len(snapshots) - 1)
    other = next(s for s in (*snapshots[at + 1:], *snapshots[:at])
                 if s["cpu"] == snapshots[at]["cpu"] and s["branches"] != snapshots[at]["branches"])
    snapshots[at]["ts_ns"], other["ts_ns"] = other["ts_ns"], snapshots[at]["ts_ns"]


def one_cpu(snapshots, _):
    """Those of CPU 1 are gone."""
    snapshots[:] = [s for s in snapshots if s["cpu"] == 0]


def invented(snapshots, dice):
    """One more, of nothing that the log has"""
    snapshot = copy.deepcopy(dice.choice([s for s in snapshots if s["branches"]]))
    snapshot["ts_ns"] += 1
    lies.set_addr(snapshot["branches"][-1]["from"], STEXT + STRIDE + 3)
    snapshots.append(snapshot)


# What any judge refuses that holds snapshots of the kernel's branches against the log
MATCHED = (lies.source_changed, lies.target_changed, lies.entry_dropped, lies.newest_dropped,
           lies.entry_doubled, lies.entries_swapped, lies.other_cpu, lies.cut_to_one, lies.emptied,
           lies.doubled, lies.mispredicted, lies.wrong_symbol, lies.other_depth,
           lies.fields_not_said, time_swapped, invented)
