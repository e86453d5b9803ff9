# SPDX-License-Identifier: GPL-2.0
"""What tests/vm/guest/preset left: the snapshots of presets, held against the emulator's log."""
import os
import re
import subprocess

from user_functions import call_order_error, code_ranges, foreign, functions_of, ordered_errors
from verify_truth import REPORTED

SIGSEGV = 11
HERE = os.path.dirname(os.path.realpath(__file__))
NAMES = {"preset:" + name for name in (
    "warn", "oops", "bug", "page-fault", "general-protection", "panic", "oom", "segfault",
    "machine-check", "error-report", "printk", "soft-lockup", "hung-task", "rcu-stall")}


def check_segfault(guest, report, run, rounds, program):
    """One snapshot; its newest branches are those before crash(), of the last call."""
    if len(run.snapshots) != 1:
        report(f"{guest.name}/{run.name}", f"{len(run.snapshots)} snapshots: {run.err}")
        return
    snapshot = run.snapshots[0]
    names = functions_of(program)
    crash = next(addr for addr, name in names.items() if name == "crash")
    trigger, ip = snapshot["trigger"], int(snapshot["trigger"]["ip"], 16)
    newest = snapshot["branches"][-1]["to"]
    base = int(newest["addr"], 16) - crash
    own = code_ranges(guest.path(run.name + ".maps"))
    said = [line for line in snapshot["log"] or []
            if f"userwork[{snapshot['pid']}]: segfault at 0 ip {ip:016x} " in line]
    why = call_order_error(snapshot, rounds - 1, names, base)
    if (trigger["kind"], trigger["signal"], trigger["function"]) != ("signal", SIGSEGV, "crash"):
        why = f"{trigger}"
    elif newest["sym"] != "crash" or not base + crash <= ip < base + crash + 64:
        why = f"ip {ip:#x}, newest branch to {newest}"
    elif foreign(snapshot, own) is not None or snapshot["lbr"]["mixed"] is not False:
        why = f"not its own: {foreign(snapshot, own)}, mixed {snapshot['lbr']['mixed']}"
    elif not said:
        why = f"the kernel's log has no segfault at ip {ip:016x}: {snapshot['log']}"
    report(f"{guest.name}/{run.name}/crash", why,
           f"{len(snapshot['branches'])} entries, up to {trigger['function']}()")
    errors = ordered_errors(guest, run, *REPORTED[guest.model])
    report(f"{guest.name}/{run.name}/match", errors and errors[0],
           f"{len(snapshot['branches'])} entries, 0 mismatches")


def check_oom(guest, report, run, kind="hw"):
    snapshots = [s for s in run.snapshots if s["trigger"]["target"] == "preset:oom"]
    why = None
    if len(snapshots) != 1 or run.status:
        why = f"{len(snapshots)} snapshots, exit status {run.status}: {run.err}"
    else:
        lbr, log = snapshots[0]["lbr"], "\n".join(snapshots[0]["log"] or [])
        newest = snapshots[0]["branches"][-1]["to"]
        if kind == "hw" and (newest["sym"] != "oom_kill_process" or newest["off"]):
            why = f"the newest branch leads to {newest}"
        elif snapshots[0]["trigger"]["kind"] != kind:
            why = f"by {snapshots[0]['trigger']['kind']}, not {kind}"
        elif kind == "hw" and (lbr["wasted"] or lbr["valid"] != lbr["depth"]):
            why = f"{lbr['valid']} entries, {lbr['wasted']} wasted"
        elif "invoked oom-killer" not in log or \
                not re.search(r"Killed process \d+ \(sleep\)", log):
            why = f"the kernel's log: {log}"
    report(f"{guest.name}/{run.name}/oom", why,
           f"{useful(snapshots[0]) if snapshots else 0} entries, up to oom_kill_process()")
    guest.snapshots_match(report, run, "db" if kind == "hw" else "off", 1)


def useful(snapshot):
    lbr = snapshot["lbr"]
    return lbr["valid"] - lbr["wasted"]


def build_faults(guest):
    """The module of tests/vm/module, for this guest's kernel."""
    subprocess.run([os.path.join(HERE, "module", "build"), guest.kernel, guest.path("faults.ko")],
                   check=True)


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
    if len(branches) != lbr["depth"] or lbr["stale"]:
        return f"{len(branches)} entries, stale {lbr['stale']}"
    if not useful(snapshot):
        return None
    # What is spent begins with the exception, or with the call that prints a text.
    ours, spent = branches[:useful(snapshot)], branches[useful(snapshot)]
    if spent["from"]["addr"] != trigger["ip"] or spent["from"]["sym"] != function:
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
    if len(run.snapshots) != len(wanted) or run.status:
        why = f"{len(run.snapshots)} snapshots, exit status {run.status}: {run.err}"
    report(f"{guest.name}/{run.name}/count", why, f"{len(wanted)} snapshots")
    for snapshot, (name, target) in zip(run.snapshots, wanted):
        report(f"{guest.name}/{run.name}/{name}", fault_error(snapshot, name, target),
               f"{useful(snapshot)} of {snapshot['lbr']['depth']} entries kept")
    guest.snapshots_match(report, run, "db", len(wanted))


def printk_error(snapshot):
    newest = snapshot["branches"][-1]["to"]
    if newest["sym"] != "vprintk_emit" or newest["off"]:
        return f"the newest branch leads to {newest}"
    if not any("faults: an error, number 7" in line for line in snapshot["log"] or []):
        return f"the log: {snapshot['log']}"
    if snapshot["lbr"]["depth"] == 32 and \
            not any(b["from"]["sym"] in IRET | {"odd_ones"} for b in snapshot["branches"]):
        return "nothing of odd_ones() is left"
    return None


WATCHED = {
    "hung-task": r"INFO: task cat:\d+ blocked for more than \d+ seconds",
    "soft-lockup": r"BUG: soft lockup - CPU#\d+ stuck for \d+s! \[cat:\d+\]",
    "rcu-stall": r"rcu: INFO: rcu_\w+ (self-)?detected (expedited )?stalls? on CPU",
}


def check_faults(guest, report, run_of):
    check_fault_run(guest, report, run_of("warn"), [
        (name, "preset:warn") for name in ("warn", "warn-once", "warn-text", "warn")])
    check_fault_run(guest, report, run_of("oops"), [
        (name, "preset:oops") for name in ("bug", "null", "wild", "gp")])
    check_fault_run(guest, report, run_of("parts"), [
        ("bug", "preset:bug"), ("null", "preset:page-fault"), ("wild", "preset:page-fault"),
        ("gp", "preset:general-protection")])
    check_fault_run(guest, report, run_of("all"), [("warn", "preset:warn"), ("null", "preset:oops")])
    run = run_of("printk")
    why = len(run.snapshots) != 2 and f"{len(run.snapshots)} snapshots: {run.err}"
    report(f"{guest.name}/printk", why or next(filter(None, map(printk_error, run.snapshots)), None),
           "2 snapshots, of lines at level err")
    guest.snapshots_match(report, run, "db", 2)


def check_watch(guest, report, run_of):
    run = run_of("watch")
    for name, said in WATCHED.items():
        mine = [s for s in run.snapshots if s["trigger"]["target"] == "preset:" + name]
        logs = ["\n".join(s["log"] or []) for s in mine]
        why = None
        if not mine:
            why = f"no snapshot, exit status {run.status}: {run.err}"
        elif not any(re.search(said, log) for log in logs):
            why = f"the log has no {said!r}: {logs}"
        report(f"{guest.name}/{name}", why, f"{len(mine)} snapshots, and the log tells")


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
