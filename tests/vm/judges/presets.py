# SPDX-License-Identifier: GPL-2.0
"""What tests/vm/guest/preset left: the snapshots of presets, held against the emulator's log."""
import collections
import glob
import lzma
import os
import re
import subprocess

from costs import check_row
from user_functions import call_order_error, code_ranges, foreign, functions_of, in_ranges, ordered_errors
from verify_truth import REPORTED

SIGSEGV = 11
PAGE_BYTES = 4096
HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # tests/vm


def names_in_manual():
    """{preset:NAME} of the manual page's list of them: what a user is promised."""
    with open(os.path.join(HERE, "..", "..", "man", "lbrsnoop.8"), encoding="utf-8") as page:
        told = page.read().split(".It Cm preset\\&: Ns Ar name\n")[1].split("\n.El\n")[0]
    # A part stands in the words of the whole: .Cm bug
    words = re.findall(r"^\.(?:It )?Cm (.*)$", told, re.M)
    return {"preset:" + name for line in words for name in line.replace(",", " ").split()}


NAMES = names_in_manual()

Plain = collections.namedtuple("Plain", "name times function module near log command")


def plain_presets():
    """Rows of tests/vm/plain_presets"""
    with open(os.path.join(HERE, "plain_presets"), encoding="utf-8") as lines:
        return [Plain(*line.rstrip("\n").split("\t")) for line in lines if not line.startswith("#")]


PLAIN = plain_presets()


# --- what the kernel prints of itself: show_regs(), show_trace_log_lvl()

FRAME = re.compile(r" (\? )?([\w.]+)\+0x([0-9a-f]+)/0x[0-9a-f]+(?: \[(\w+)\])?$")
REGISTER = re.compile(r"\b([A-Z][A-Z0-9]{2,8}): (?:[0-9a-f]{4}:)?([0-9a-f]{8,16})\b")
REPORTED_REGISTERS = ["ip", "sp", "flags", "ax", "bx", "cx", "dx", "si", "di", "bp", "r8", "r9"] + \
    [f"r{number}" for number in range(10, 16)]


def register_name(word):
    """RAX: ax, R08: r8, EFLAGS: flags, as JSON has them; None for what is no such register."""
    if word == "EFLAGS":
        return "flags"
    name = re.sub(r"^r0", "r", word.lower()) if word[1:].isdigit() else word[1:].lower()
    return name if word[0] == "R" and name in REPORTED_REGISTERS else None


def kernel_report(snapshot):
    """Frames that the kernel is sure of and registers, of its report about this task: RIP first."""
    lines = snapshot["log"] or []
    start = next((i for i, line in enumerate(lines)
                  if re.match(rf"CPU: \d+ (UID: \d+ )?PID: {snapshot['pid']} Comm: ", line)), len(lines))
    frames, registers = [], {}
    for line in lines[start:]:
        if line.startswith(("---[ end trace", " </TASK>")):
            break
        rip = re.match(r"RIP: 0010:([\w.]+)\+0x([0-9a-f]+)/\S+(?: \[(\w+)\])?$", line)
        if rip:
            frames = [(rip[1], int(rip[2], 16), rip[3])]
        frame = FRAME.match(line)
        if frame and not frame[1]:
            frames.append((frame[2], int(frame[3], 16), frame[4]))
        if frames and line.startswith("RIP: 0033"):
            break
        for word, value in REGISTER.findall(line):
            if register_name(word):
                registers[register_name(word)] = int(value, 16)
    return frames, registers


def frames_of(snapshot):
    stack = snapshot["stack"] or {"frames": []}
    return [(f["sym"], f["off"], f["module"]) for f in stack["frames"]]


def context_error(snapshot):
    """Stack and registers are those that the kernel itself printed."""
    wanted, registers = kernel_report(snapshot)
    frames = frames_of(snapshot)
    if len(wanted) < 4 or wanted[-1][0] != "entry_SYSCALL_64_after_hwframe":
        return f"the kernel printed no stack: {wanted}: {snapshot['log']}"
    if frames != wanted or snapshot["stack"]["user"] or snapshot["stack"]["cut"]:
        return f"the stack is {frames}, the kernel's {wanted}"
    wrong = {name: (snapshot["registers"][name], hex(registers.get(name, -1)))
             for name in REPORTED_REGISTERS[1:]
             if int(snapshot["registers"][name], 16) != registers.get(name)}
    if wrong:
        return f"registers, ours and the kernel's: {wrong}"
    ip = int(snapshot["registers"]["ip"], 16)
    if ip != int(snapshot["stack"]["frames"][0]["addr"], 16):
        return f"ip {ip:#x}, stack {snapshot['stack']['frames'][0]}"
    return None


def callers_of(lines, function):
    """Frames behind @function's, up to the end of the stack that has it; None if none has."""
    wanted = None
    for line in lines:
        frame = FRAME.match(line)
        if wanted is None and frame and not frame[1] and frame[2].split(".")[0] == function:
            wanted = []
        elif wanted is not None and frame and not frame[1]:
            wanted.append((frame[2], int(frame[3], 16), frame[4]))
        elif wanted is not None and line.startswith(" </TASK>"):
            return wanted
    return wanted


def callers_error(snapshot, function):
    """What called @function, as the kernel printed it from within."""
    wanted, frames = callers_of(snapshot["log"] or [], function), frames_of(snapshot)
    if wanted is None:
        return f"the kernel printed no stack with {function}(): {snapshot['log']}"
    # fentry's call stands at the function's start.
    if not frames or frames[0][0] != function or frames[1:] != wanted or len(wanted) < 3:
        return f"the stack is {frames}, the kernel's {wanted}"
    return None


def user_context_error(snapshot, said):
    """A program's: where the kernel says that it was, called by main()."""
    sp = re.search(r" sp ([0-9a-f]+) ", said)
    frames = frames_of(snapshot)
    if not snapshot["stack"] or not snapshot["stack"]["user"] or \
            [name for name, _, _ in frames[:2]] != ["crash", "main"]:
        return f"the stack is {snapshot['stack']}"
    if snapshot["registers"]["ip"] != snapshot["trigger"]["ip"] or \
            int(snapshot["registers"]["sp"], 16) != int(sp[1], 16):
        return f"registers: {snapshot['registers']}; the kernel said {said}"
    return None


# Those whose LBR has no filter by privilege: SDM vol. 3B, 19.5 and 19.6 (Core 2, Atom), against
# MSR_LBR_SELECT of 19.7 and later.
WITHOUT_FILTER = {"core2", "atom"}


def stopped_for_snapshot(guest, stop):
    """Did the code that takes snapshots stop the LBR? None: the log does not tell who did."""
    symbols = guest.symbols()
    starts = [symbols.start(int(word, 16)) for word in stop.writer.split("@") if word]
    names = [name for start in starts if start for name, _ in symbols.names[start]]
    # intel_pmu_snapshot_branch_stack() and intel_pmu_snapshot_arch_branch_stack()
    return any(re.search(r"_snapshot_(arch_)?branch_stack$", name) for name in names) if names else None


def stop_order_error(stop, number, names, base):
    """call_order_error() of the branches that the log has before a stop"""
    branches = [{"from": {"addr": hex(branch.source)}, "to": {"addr": hex(branch.target)}}
                for branch in stop.branches()]
    return call_order_error({"branches": branches}, number, names, base)


def switched_error(guest, snapshot, number, names, base):
    """Why the log does not show that Linux emptied the LBR between crash() and its signal; None if it does.

    Linux clears the LBR as it comes to a task, intel_pmu_lbr_sched_task(): so the first stop behind the
    branch to crash() is one by a switch of tasks, and that of the snapshot comes later, with no branch
    since the stop before. Stops like the second one are everywhere in a log: the first one tells, of
    which there is one in a run.
    """
    truth = guest.truth
    crash = base + next(addr for addr, name in names.items() if name == "crash")
    at_crash = [stop for stops in truth.by_cpu.values() for stop in stops if stop.text and
                [*stop.branches()][-1].target == crash and not truth.stop_before(stop, 0)]
    mine = [stop for stop in at_crash if not stop_order_error(stop, number, names, base)]
    if len(mine) != 1:
        return f"the LBR was stopped {len(mine)} times at crash({number})"
    first = mine[0]
    if first.reason != "off" or stopped_for_snapshot(guest, first) is not False:
        return f"the LBR had {len(first.text)} branches up to crash({number}) when {first.reason} " \
               f"by {first.writer or 'nobody knows whom'} stopped it"
    end = min((stop.seq for stop in at_crash if stop.cpu == first.cpu and stop.seq > first.seq),
              default=float("inf"))
    taken = [stop for stop in truth.by_cpu[first.cpu]
             if first.seq < stop.seq < end and stopped_for_snapshot(guest, stop)][:1]
    # Or the task went to another CPU. Nothing tells the order of stops of two.
    if not taken and snapshot["cpu"] != first.cpu:
        taken = [stop for stop in truth.by_cpu[snapshot["cpu"]] if stopped_for_snapshot(guest, stop)]
    if not any(stop.cpu == snapshot["cpu"] and truth.stop_before(stop, 0) for stop in taken):
        return f"no stop for a snapshot without a branch on cpu {snapshot['cpu']}"
    return None


def check_segfault(guest, report, run, rounds, program):
    """One snapshot; its newest branches are those before crash(), of the last call. Or none: then the
    log shows that tasks were switched on the way from the fault to the signal. Linux 6.18 may do so
    wherever an interrupt comes (CONFIG_PREEMPT_LAZY), as while the kernel prints that of the fault."""
    if guest.model in WITHOUT_FILTER:
        refused = "cannot leave the kernel's branches out of its LBR" in run.err
        report(f"{guest.name}/{run.name}/refused",
               (run.status != 2 or not refused or run.snapshots) and
               f"{len(run.snapshots)} snapshots, exit status {run.status}: {run.err}", "and said why")
        return
    guest.none_lost(report, run)
    if len(run.snapshots) != 1:
        report(f"{guest.name}/{run.name}", f"{len(run.snapshots)} snapshots: {run.err}")
        return
    snapshot = run.snapshots[0]
    names = functions_of(program)
    crash = next(addr for addr, name in names.items() if name == "crash")
    trigger, ip = snapshot["trigger"], int(snapshot["trigger"]["ip"], 16)
    newest = snapshot["branches"][-1]["to"] if snapshot["branches"] else None
    base = int(newest["addr"], 16) - crash if newest else (ip - crash) & ~(PAGE_BYTES - 1)
    own = code_ranges(guest.path(run.name + ".maps"))
    said = [line for line in snapshot["log"] or []
            if f"userwork[{snapshot['pid']}]: segfault at 0 ip {ip:016x} " in line]
    why = call_order_error(snapshot, rounds - 1, names, base)
    if (trigger["kind"], trigger["signal"], trigger["function"]) != ("signal", SIGSEGV, "crash"):
        why = f"{trigger}"
    elif newest and newest["sym"] != "crash" or not base + crash <= ip < base + crash + 64 or \
            not in_ranges(ip, own):
        why = f"ip {ip:#x}, newest branch to {newest}"
    elif foreign(snapshot, own) is not None or snapshot["lbr"]["mixed"] is not False:
        why = f"not its own: {foreign(snapshot, own)}, mixed {snapshot['lbr']['mixed']}"
    elif useful(snapshot) != len(snapshot["branches"]):
        why = f"{useful(snapshot)} entries of {len(snapshot['branches'])}, all are its own"
    elif not said:
        why = f"the kernel's log has no segfault at ip {ip:016x}: {snapshot['log']}"
    else:
        why = why or user_context_error(snapshot, said[0])
    if not newest:
        why = why or switched_error(guest, snapshot, rounds - 1, names, base)
    report(f"{guest.name}/{run.name}/crash", why,
           f"{len(snapshot['branches'])} entries, up to {trigger['function']}()" if newest else
           "0 entries: tasks were switched between the fault and its signal")
    errors = ordered_errors(guest, run, *REPORTED[guest.model])
    report(f"{guest.name}/{run.name}/match", errors and errors[0],
           f"{len(snapshot['branches'])} entries, 0 mismatches")


def check_oom(guest, report, run, kind="hw"):
    snapshots = [s for s in run.snapshots if s["trigger"]["target"] == "preset:oom"]
    why = None
    guest.none_lost(report, run)
    if len(snapshots) != 1 or run.status:
        why = f"{len(snapshots)} snapshots, exit status {run.status}: {run.err}"
    else:
        log = "\n".join(snapshots[0]["log"] or [])
        why = kind == "hw" and up_to_error(snapshots[0], "oom_kill_process")
        if snapshots[0]["trigger"]["kind"] != kind:
            why = f"by {snapshots[0]['trigger']['kind']}, not {kind}"
        elif "invoked oom-killer" not in log or \
                not re.search(r"Killed process \d+ \(sleep\)", log):
            why = f"the kernel's log: {log}"
        elif kind == "hw" and \
                snapshots[0]["registers"]["ip"] != snapshots[0]["stack"]["frames"][0]["addr"]:
            why = f"registers: {snapshots[0]['registers']}, stack: {snapshots[0]['stack']}"
        why = why or callers_error(snapshots[0], "oom_kill_process")
    report(f"{guest.name}/{run.name}/oom", why,
           f"{useful(snapshots[0]) if snapshots else 0} entries, up to oom_kill_process()")
    guest.snapshots_match(report, run, "db" if kind == "hw" else "off", 1)


def up_to_error(snapshot, function):
    """By a breakpoint on @function: all entries are from before it, and the newest leads there."""
    lbr, newest = snapshot["lbr"], snapshot["branches"][-1]["to"]
    if (newest["sym"], newest["off"]) != (function, 0):
        return f"the newest branch leads to {newest}"
    elif lbr["wasted"] or not is_full(lbr):
        return f"{lbr['valid']} entries, {lbr['wasted']} wasted"
    return None


def is_full(lbr):
    """The driver of architectural LBR throws interrupts in the kernel away, and page faults: whether
    it is these that are missing is asked of the log, by snapshots_match()."""
    return "type" in lbr["supported"] or lbr["valid"] == lbr["depth"]


def useful(snapshot):
    lbr = snapshot["lbr"]
    return lbr["valid"] - lbr["wasted"]


# --- entries from before what a preset tells of, counted without asking lbrsnoop

# What khungtaskd runs, kernel/hung_task.c: the compiler chooses what is inlined.
KHUNGTASKD = {"watchdog", "check_hung_uninterruptible_tasks", "check_hung_task"}


def enters(branch, function):
    """Before ftrace's call: that stands at the start, or behind endbr64. An interrupt may have been
    there and come back."""
    return branch["to"]["sym"] == function and branch["to"]["off"] <= 4


# The newest entry from before it. A breakpoint's end is checked by up_to_error(), a fault's by
# fault_error(): there useful() is right.
NEWEST = {
    "hung-task": lambda branch: branch["from"]["sym"].split(".")[0] in KHUNGTASKD,
    "soft-lockup": lambda branch: enters(branch, "vprintk_emit"),
    "rcu-stall": lambda branch: enters(branch, "vprintk_emit"),
}


def kept(snapshot):
    """Entries up to the kernel's function or tracepoint that tells of it, its call included; of a
    fault, up to the exception."""
    newest = NEWEST.get(snapshot["trigger"]["target"].removeprefix("preset:"))
    if not newest:
        return useful(snapshot)
    branches = snapshot["branches"]
    return next((i + 1 for i in reversed(range(len(branches))) if newest(branches[i])), 0)


# The other presets, and the runs that have snapshots of them. In the order of docs/COSTS.md's columns
RUNS = {"panic": ("panic",), "oom": ("preset-oom",),
        "segfault": ("segfault-5", "segfault-100", "segfault-171"),
        "machine-check": ("machine-check",), "error-report": ("error", "error-oops"),
        "printk": ("printk",), "soft-lockup": ("watch",), "hung-task": ("watch",),
        "rcu-stall": ("watch",)}
RUNS.update((row.name, (row.name,)) for row in PLAIN if row.name not in RUNS)


def most_of_others(guest, snapshots_of, sure=False):
    """{column: entries} of docs/COSTS.md's table of the presets that are not the kernel's own faults, by what
    the guest's parts have made. @sure: without snapshots that are short, or that an interrupt took some of."""
    most = {}
    for preset, names in RUNS.items():
        counts = [kept(s) for name in names for s in snapshots_of(guest, name)
                  if s["trigger"]["target"] == "preset:" + preset and not (sure and (
                      s["lbr"]["valid"] < s["lbr"]["depth"] or {b["from"]["sym"] for b in s["branches"][kept(s):]} & IRET))]
        if counts:
            most[f"`{preset}`"] = max(counts)
    # Both are checked: that it is refused, and that it cannot be had.
    if "preset" in guest.parts and guest.model in WITHOUT_FILTER:
        most.setdefault("`segfault`", "refused")
    if "fault" in guest.parts and not os.path.exists(guest.path("kfence")):
        most.setdefault("`error-report`", "none here")
    return most


def check_others(guest, report, snapshots_of):
    """What is kept is docs/COSTS.md's row. @snapshots_of: guest, name of a run"""
    most = most_of_others(guest, snapshots_of, sure=True)
    if most:
        check_row(guest, report, "presets", most)


def build_faults(guest):
    """The module of tests/vm/module, for this guest's kernel; and the kernel's own mce-inject."""
    subprocess.run([os.path.join(HERE, "module", "build"), guest.kernel, guest.path("faults.ko")],
                   check=True)
    kernel = os.path.join(os.environ.get("LBRSNOOP_CACHE", os.path.expanduser("~/.cache/lbrsnoop")),
                          "kernel", guest.kernel)
    inject, = glob.glob(f"{kernel}/lib/modules/*/kernel/arch/x86/kernel/cpu/mce/mce-inject.ko*")
    with (lzma.open if inject.endswith(".xz") else open)(inject, "rb") as packed, \
            open(guest.path("mce-inject.ko"), "wb") as module:
        module.write(packed.read())


def line_of(function, macro):
    """Line in the module's source of the use of a macro in a function."""
    with open(os.path.join(HERE, "module", "faults.c"), encoding="utf-8") as file:
        inside = False
        for number, line in enumerate(file, 1):
            inside = line.startswith("static") and f" {function}(" in line or \
                inside and not line.startswith("}")
            if inside and macro in line:
                return number
    raise ValueError(f"no {macro} in {function}()")


# Where interrupts end: arch/x86/entry/entry_64.S
IRET = {"native_irq_return_iret", "native_iret", "common_interrupt_return",
        "restore_regs_and_return_to_kernel"}

# --- faults: what each is called, the function at fault, what the log says of it

FAULTS = {
    "warn": ("WARN", "fault_warn", r"WARNING: CPU: \d+ PID: {pid} at faults\.c:{line} fault_warn\+"),
    "warn-once": ("WARN", "fault_warn_once", r"WARNING: CPU: .* at faults\.c:{line} fault_warn_once\+"),
    "warn-text": ("WARN", "fault_warn_text", r"faults: a text of 5 words"),
    "bug": ("BUG", "fault_bug", r"kernel BUG at faults\.c:{line}!"),
    "null": ("exception", "read_byte",
             r"BUG: kernel NULL pointer dereference, address: 0000000000000030"),
    "wild": ("exception", "read_byte",
             r"BUG: unable to handle page fault for address: ffffbb0000000030"),
    "gp": ("exception", "read_byte",
           r"general protection fault, .*non-canonical address 0x6b6b6b6b6b6b6b6b"),
    "freed": ("exception", "read_byte", r"BUG: KFENCE: use-after-free read in read_byte\+0x"),
}


def fault_error(snapshot, name, target):
    """Why a snapshot is not that of a fault; None if it is."""
    kind, function, said = FAULTS[name]
    trigger, fault, lbr = snapshot["trigger"], snapshot["trigger"]["fault"], snapshot["lbr"]
    line = line_of(function, "BUG_INSN") if kind != "exception" else None
    branches = snapshot["branches"]
    if trigger["target"] != target or trigger["kind"] != "fault":
        return f"{trigger['target']} by {trigger['kind']}"
    if trigger["function"] != function or fault["kind"] != kind or fault["line"] != line or \
            fault["file"] != (line and "faults.c"):
        return f"{trigger}"
    said = said.format(pid=snapshot["pid"], line=line)
    if not re.search(said, "\n".join(snapshot["log"] or [])):
        return f"the log has no {said!r}: {snapshot['log']}"
    # The driver of architectural LBR throws the exception away, and interrupts in the kernel.
    arch = "type" in lbr["supported"]
    if lbr["stale"] or not is_full(lbr):
        return f"{len(branches)} entries, stale {lbr['stale']}"
    if not useful(snapshot):
        # None of the entries is from before the exception then.
        ours = [b for b in branches[1:] if "faults" in (b["from"]["module"], b["to"]["module"])]
        if ours:
            return f"0 entries kept, but {ours[-1]}"
        # 32 are enough, but for an interrupt as soon as the handler of #UD or #GP lets them in.
        if lbr["depth"] == 32 and not arch and not {b["from"]["sym"] for b in branches} & IRET:
            return f"0 entries kept, and no interrupt was there: {branches}"
        return None
    # What is spent begins with the exception, or with the call that prints a text.
    ours, spent = branches[:useful(snapshot)], branches[useful(snapshot)]
    if (spent["from"]["addr"] != trigger["ip"] or spent["from"]["sym"] != function) and \
            not (arch and spent["from"]["sym"].startswith("asm_exc_")):
        return f"the first entry spent is from {spent['from']}, ip {trigger['ip']}"
    if ours[-1]["to"]["sym"] != function or ours[-1]["to"]["module"] != "faults":
        return f"the newest entry of the story is {ours[-1]}"
    # An interrupt may have come; what is before it does not matter.
    foreign = [i for i, b in enumerate(ours) if b["from"]["module"] != "faults"]
    if foreign and ours[foreign[-1]]["from"]["sym"] not in IRET:
        return f"neither the module's nor an interrupt's end: {ours[foreign[-1]]}"
    # Rounds of the loop, its return, and what the function does then.
    ways = [(b["from"]["sym"], b["to"]["sym"]) for b in ours[foreign[-1] + 1 if foreign else 0:]]
    while ways and ways[-1] == (function, function):
        ways.pop()
    if ways and ways.pop() != ("odd_ones", function) or set(ways) - {("odd_ones", "odd_ones")}:
        return f"not rounds of odd_ones() and its return: {ways}"
    return None


def check_fault_run(guest, report, run, wanted):
    """@wanted: (fault, target) in the order in which they were made."""
    why = None
    guest.none_lost(report, run)
    if len(run.snapshots) != len(wanted) or run.status:
        why = f"{len(run.snapshots)} snapshots, exit status {run.status}: {run.err}"
    report(f"{guest.name}/{run.name}/count", why, f"{len(wanted)} snapshots")
    for snapshot, (name, target) in zip(run.snapshots, wanted):
        report(f"{guest.name}/{run.name}/{name}",
               fault_error(snapshot, name, target) or context_error(snapshot),
               f"{useful(snapshot)} of {snapshot['lbr']['depth']} entries kept")
    guest.snapshots_match(report, run, "db", len(wanted))


WATCHED = {
    "hung-task": r"INFO: task cat:\d+ blocked for more than \d+ seconds",
    "soft-lockup": r"BUG: soft lockup - CPU#\d+ stuck for \d+s! \[cat:\d+\]",
    "rcu-stall": r"rcu: INFO: rcu_\w+ (self-)?detected (expedited )?stalls? on CPU",
}


def plain_error(snapshot, row):
    """Why it is not the snapshot of a row of plain_presets"""
    frames, log = frames_of(snapshot), "\n".join(snapshot["log"] or [])
    why = up_to_error(snapshot, row.function)
    if why:
        return why
    if frames[0] != (row.function, 0, None) or row.module not in ("-", frames[1][2]):
        return f"the stack is {frames}"
    if row.log not in log:
        return f"the log: {log}"
    if row.near != "-" and snapshot["lbr"]["depth"] == 32 and \
            not any(b["from"]["sym"] in IRET | {row.near} for b in snapshot["branches"]):
        return f"nothing of {row.near}() is left"
    return None


def check_plain(guest, report, run, row):
    guest.none_lost(report, run)
    why, times = None, int(row.times)
    if len(run.snapshots) != times or run.status:
        why = f"{len(run.snapshots)} snapshots, exit status {run.status}: {run.err}"
    else:
        why = next(filter(None, (plain_error(snapshot, row) for snapshot in run.snapshots)), None)
    report(f"{guest.name}/{row.name}", why, f"{times} snapshots, up to {row.function}()")
    guest.snapshots_match(report, run, "db", times)


def freed_error(snapshot):
    """Why it is not KFENCE's report about read_byte() of the module, called by fault_freed()."""
    why = fault_error(snapshot, "freed", "preset:error-report")
    log, frames = "\n".join(snapshot["log"] or []), frames_of(snapshot)
    said = re.search(r"BUG: KFENCE: use-after-free read in read_byte\+0x([0-9a-f]+)/", log)
    stack = re.search(r"^Use-after-free read at .*:\n((?: .+\n)+)", log, re.M)
    if why or not said or not stack:
        return why or f"the log: {log}"
    wanted = [(line[2], int(line[3], 16), line[4]) for line in map(FRAME.match, stack[1].split("\n"))
              if line]
    if [frame[0] for frame in wanted[:2]] != ["read_byte", "fault_freed"] or \
            wanted[0][1] != int(said[1], 16):
        return f"the kernel's stack: {stack[0]}"
    if frames != wanted:
        return f"the stack is {frames}, the kernel's {wanted}"
    return None


def check_error_report(guest, report, run_of):
    """Memory that is read when it is freed, seen by KFENCE: no oops, which comes after it."""
    run = run_of("error")
    if not os.path.exists(guest.path("kfence")):
        report(f"{guest.name}/error-report",
               (run.status != 2 or "preset:error-report is not available here" not in run.err) and
               f"exit status {run.status}: {run.err}", "no KASAN nor KFENCE in this kernel")
        return
    both = run_of("error-oops")
    guest.none_lost(report, run)
    guest.none_lost(report, both)
    targets = [s["trigger"]["target"] for s in run.snapshots + both.snapshots]
    why = None
    if targets != ["preset:error-report"] * 2 + ["preset:oops"] or run.status or both.status:
        why = f"snapshots of {targets}, exit status {run.status}, {both.status}: {both.err}"
    else:
        why = freed_error(run.snapshots[0]) or freed_error(both.snapshots[0]) or \
            fault_error(both.snapshots[1], "null", "preset:oops") or context_error(both.snapshots[1])
    report(f"{guest.name}/error-report", why, "2 snapshots, of the reads that KFENCE tells of; "
           f"{', '.join(str(kept(s)) for s in run.snapshots + both.snapshots[:1])} entries kept")
    guest.snapshots_match(report, run, "db", 1)
    guest.snapshots_match(report, both, "db", 2)


# Columns of docs/COSTS.md's table, by fault
COLUMNS = {"warn": "WARN_ON", "warn-text": "WARN with a text", "bug": "BUG", "null": "NULL pointer",
           "wild": "bad kernel address", "gp": "general protection"}


def check_table(guest, report, runs):
    """What is kept at most is docs/COSTS.md's, but where an interrupt took some. @runs: [(Run, faults)]"""
    most = {}
    for run, faults in runs:
        for snapshot, name in zip(run.snapshots, faults):
            spent = snapshot["branches"][useful(snapshot):]
            if name in COLUMNS and not {branch["from"]["sym"] for branch in spent} & IRET:
                most[COLUMNS[name]] = max(most.get(COLUMNS[name], 0), useful(snapshot))
    check_row(guest, report, "faults", most)


def check_faults(guest, report, run_of):
    check_table(guest, report, [(run_of("warn"), ("warn", "warn-once", "warn-text", "warn")), *(
        (run_of(name), ("bug", "null", "wild", "gp")) for name in ("oops", "parts"))])
    check_fault_run(guest, report, run_of("warn"), [
        (name, "preset:warn") for name in ("warn", "warn-once", "warn-text", "warn")])
    check_fault_run(guest, report, run_of("oops"), [
        (name, "preset:oops") for name in ("bug", "null", "wild", "gp")])
    check_fault_run(guest, report, run_of("parts"), [
        ("bug", "preset:bug"), ("null", "preset:page-fault"), ("wild", "preset:page-fault"),
        ("gp", "preset:general-protection")])
    check_fault_run(guest, report, run_of("all"), [("warn", "preset:warn"), ("null", "preset:oops")])
    for row in PLAIN:
        check_plain(guest, report, run_of(row.name), row)
    check_error_report(guest, report, run_of)
    run = run_of("hung-oopsed")
    why = run.status != 1 or "preset:hung-task: this kernel has oopsed" not in run.err
    report(f"{guest.name}/hung-oopsed", why and f"exit status {run.status}: {run.err}",
           "said that nobody looks any more")


def watch_error(snapshot):
    """The watchdog's own branches up to its word, and none of who is to blame."""
    lbr = snapshot["lbr"]
    if kept(snapshot) != useful(snapshot):
        return f"{useful(snapshot)} entries, counted are {kept(snapshot)}: {snapshot['branches']}"
    if not is_full(lbr):
        return f"{len(snapshot['branches'])} entries of {lbr['depth']}"
    culprit = [b for b in snapshot["branches"] if "faults" in (b["from"]["module"], b["to"]["module"])]
    return culprit and f"of the culprit: {culprit[-1]}"


def check_watch(guest, report, run_of):
    run = run_of("watch")
    guest.none_lost(report, run)
    for name, said in WATCHED.items():
        mine = [s for s in run.snapshots if s["trigger"]["target"] == "preset:" + name]
        logs = ["\n".join(s["log"] or []) for s in mine]
        why = None
        if not mine:
            why = f"no snapshot, exit status {run.status}: {run.err}"
        elif not any(re.search(said, log) for log in logs):
            why = f"the log has no {said!r}: {logs}"
        elif name == "soft-lockup" and not any(
                module == "faults" for s in mine for _, _, module in frames_of(s)):
            why = f"the culprit is in no stack: {[frames_of(s) for s in mine]}"
        else:
            why = next(filter(None, map(watch_error, mine)), None)
        report(f"{guest.name}/{name}", why, f"{len(mine)} snapshots, and the log tells; "
               f"{', '.join(str(kept(s)) for s in mine)} entries kept")
    guest.snapshots_match(report, run, "off", len(WATCHED))


def panic_stack_error(text, snapshot):
    """@text: what postmortem prints with --log; panic() went on to print its own stack there."""
    said = [FRAME.match(re.sub(r"^  \[ *\d+\.\d+\] ", "", line))
            for line in text.splitlines() if line.startswith("  [")]
    sure = [(frame[2], int(frame[3], 16), frame[4]) for frame in said if frame and not frame[1]]
    inside = [i for i, frame in enumerate(sure) if frame[0].split(".")[0] == "panic"]
    wanted = sure[inside[-1] + 1:] if inside else []
    frames = frames_of(snapshot)
    if len(wanted) < 4 or frames != [("panic", 0, None)] + wanted:
        return f"the stack is {frames}, the kernel's {sure}"
    return None


def check_panic(guest, report, run):
    """Out of the dump: the panic that the part of that name made, and nothing else."""
    if [s["trigger"]["target"] for s in run.snapshots] != ["preset:panic"] or run.status:
        why = f"{len(run.snapshots)} snapshots, exit status {run.status}: {run.err}"
    else:
        why = up_to_error(run.snapshots[0], "panic") or \
            panic_stack_error(run.out, run.snapshots[0])
        if "Kernel panic - not syncing: sysrq triggered crash" not in run.out:
            why = why or f"the log's end: {run.out[-1000:]}"
    report(f"{guest.name}/panic", why,
           f"{kept(run.snapshots[0]) if run.snapshots else 0} entries, up to panic()")
    guest.snapshots_match(report, run, "db", 1)


def check_presets(guest, report, run_of, build):
    with open(guest.path("presets"), encoding="utf-8") as lines:
        names = {line.split("\t")[0] for line in lines}
    report(f"{guest.name}/preset/list", names != NAMES and f"{sorted(names)}",
           f"{len(names)} presets")
    for rounds in (5, 100, 171):
        check_segfault(guest, report, run_of(f"segfault-{rounds}"), rounds,
                       os.path.join(build, "userwork"))
    check_oom(guest, report, run_of("preset-oom"))
    # The debug registers are for faults then, and that is said.
    run = run_of("preset-all")
    check_oom(guest, report, run, "fentry")
    gave_way = re.findall(r"^lbrsnoop: (preset:[\w-]+): .*which spends LBR entries: the places before "
                          "it need all debug registers", run.err, re.M)
    missing = {"preset:panic", "preset:oom", "preset:printk"} - set(gave_way)
    report(f"{guest.name}/preset-all/gave-way", missing and f"not said of {missing}: {run.err}",
           ", ".join(gave_way))
