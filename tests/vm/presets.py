# SPDX-License-Identifier: GPL-2.0
"""What tests/vm/guest/preset left: the snapshots of presets, held against the emulator's log."""
import os
import re

from user_functions import call_order_error, code_ranges, foreign, functions_of, ordered_errors
from verify_truth import REPORTED

SIGSEGV = 11
NAMES = {"preset:panic", "preset:oom", "preset:segfault"}


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


def check_oom(guest, report, run):
    snapshots = [s for s in run.snapshots if s["trigger"]["target"] == "preset:oom"]
    why = None
    if len(snapshots) != 1 or run.status:
        why = f"{len(snapshots)} snapshots, exit status {run.status}: {run.err}"
    else:
        lbr, log = snapshots[0]["lbr"], "\n".join(snapshots[0]["log"] or [])
        newest = snapshots[0]["branches"][-1]["to"]
        if newest["sym"] != "oom_kill_process" or newest["off"]:
            why = f"the newest branch leads to {newest}"
        elif lbr["wasted"] or lbr["valid"] != lbr["depth"]:
            why = f"{lbr['valid']} entries, {lbr['wasted']} wasted"
        elif "invoked oom-killer" not in log or \
                not re.search(r"Killed process \d+ \(sleep\)", log):
            why = f"the kernel's log: {log}"
    report(f"{guest.name}/{run.name}/oom", why, "all entries, up to oom_kill_process()")
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
    check_oom(guest, report, run_of("preset-all"))
