#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Each -j filter gives the branches it should, and no others, by the emulator's log: the hardware's
filter decides what enters the LBR (and the log), Linux sorts out what the hardware cannot, and
lbrsnoop what Linux forgets. What a CPU cannot do at all has to be refused.

An entry of a class that was asked for must be there, one of another class must not. Where neither
can be asked for, keep() says why. Run as a program it prints the guests that test_models draws from.
"""
import collections
import random

from spent import filter_error, name_error, trigger_error, wasted_error
from verify_truth import REPORTED, TSX, branch_error

NEAR = {
    "any": {"cond", "jmp", "ijmp", "call", "icall", "ret"},
    "any_call": {"call", "icall"},
    "any_ret": {"ret"},
    "ind_call": {"icall"},
    "ind_jmp": {"ijmp"},
    "call": {"call"},
    "cond": {"cond"},
    "call_stack": {"call", "icall"},  # returns take their calls away: P lines of the log
}
RINGS = {"u", "k"}
TX = {"in_tx", "no_tx", "abort_tx"}
ALL = [*NEAR, "u", "k", "any_ret,u", "cond,ind_jmp,k", *sorted(TX), "hv"]
TSX_ALL = ["any", *sorted(TX), "call,in_tx", "abort_tx,call"]

# By hand: Table 17-11 has no EN_CALLSTACK, Linux's nhm_lbr_sel_map no entry for direct calls; AMD's
# LBR_SELECT ends with bit 8. Without LBR_SELECT Linux filters classes and rings, but cannot pop.
REFUSED = {
    "core2": {"call_stack"},
    "atom": {"call_stack"},
    "nehalem": {"call_stack", "call"},
    "sandybridge": {"call_stack"},
    "haswell": set(),
    "skylake": set(),
    "sapphirerapids": set(),
    "zen4": {"call_stack"},
}
WITHOUT_SELECT = {"core2", "atom"}


# The guests of the part matrix. AMD's snapshots came with Linux 6.10.
GUESTS = [*(f"{model}/{kernel}" for model in REFUSED for kernel in ("6.1", "6.12")
            if (model, kernel) != ("zen4", "6.1")),
          *(f"{model}+tsx/{kernel}" for model in ("haswell", "skylake", "sapphirerapids")
            for kernel in ("6.1", "6.12"))]
DRAWN_FILTERS = 3


def had_and_refused(model, tsx):
    """-j lists for a guest: those that its CPU has, those that it has not"""
    names = TSX_ALL if tsx else ALL
    refused = [text for text in names if is_refused(model, tsx, text.split(","))]
    return [text for text in names if text not in refused], refused


def drawn(model, tsx, kernel, seed):
    """Some of the filters that the CPU has, and one that it has not, if there is one"""
    dice = random.Random(f"{seed} filters {model} {tsx} {kernel}")
    had, refused = had_and_refused(model, tsx)
    return dice.sample(had, min(DRAWN_FILTERS, len(had))) + dice.sample(refused, min(1, len(refused)))


# What guest/matrix traces, and where. AMD's LBR is not stopped by breakpoints.
CPU = 1
BREAKPOINTS = ("hw:__x64_sys_getppid", "hw:handle_mm_fault", "hw:do_madvise", "hw:ksys_read")
TARGETS = {"zen4": ("fexit:ksys_read",)}


def is_refused(model, tsx, names):
    if "hv" in names or (set(names) & TX and not tsx):
        return True
    if "abort_tx" in names and set(names) & set(NEAR) - {"any"}:
        return True
    return bool(REFUSED[model] & set(names))


def is_user(address):
    return address < 1 << 63


def keep_far(branch, classes):
    """Far branches and interrupts, by the rings they join."""
    if "any" in classes:
        return True
    calls, returns = "any_call" in classes, "any_ret" in classes
    if is_user(branch.source) and not is_user(branch.target):
        # SYSCALL, or an interrupt: Linux counts both as calls. But it has to read the text at FROM,
        # which may not be there: its absence is what raised the page fault.
        return None if calls and branch.type == "irq" else calls
    if is_user(branch.target):
        return returns
    # Within the kernel: IRET and INT3 look alike here; and Linux takes an interrupt for the
    # instruction that it came before (branch_type() of arch/x86/events/utils.c).
    return None


def keep(branch, names, model):
    """Must the entry be in the snapshot (True), must it not (False), or can it be both (None)?"""
    rings = set(names) & RINGS or RINGS
    classes = [name for name in names if name in NEAR] or ["any"]
    # Where Linux reads the text for the class (branch_type() of arch/x86/events/utils.c), a branch
    # that aborted is an abort, and of no other class; architectural LBR tells it.
    if "A" in branch.flags and model != "sapphirerapids" and "any" not in classes:
        return False
    if ("u" if is_user(branch.target) else "k") not in rings:
        return False
    if "abort_tx" in names and "A" not in branch.flags:
        return False
    if "in_tx" in names and "X" not in branch.flags or "no_tx" in names and "X" in branch.flags:
        return False
    if rings != RINGS and is_user(branch.source) != is_user(branch.target):
        # The ring of a branch is its target's; but newer kernels, and those it was backported to,
        # also leave out what comes from the other ring, so that no address leaks ("from_plm" in
        # intel_pmu_lbr_filter() of Linux arch/x86/events/intel/lbr.c).
        return None
    if branch.type in ("far", "irq"):
        if branch.type == "irq" and "any" in classes and rings != RINGS:
            return None  # Linux classifies it before it looks at the ring, see keep_far()
        wanted = keep_far(branch, classes)
        if wanted is False and branch.type == "irq" and model in WITHOUT_SELECT:
            return None
        return wanted
    return any(branch.type in NEAR[name] for name in classes)


def same(entry, branch, model):
    source, target = int(entry["from"]["addr"], 16), int(entry["to"]["addr"], 16)
    if target != branch.target:
        return False
    # amd_pmu_lbr_filter() looks for a branch fused to the instruction at FROM, and finds one
    # behind an interrupted instruction as well.
    moved = 15 if model == "zen4" and branch.type == "irq" else 0
    return branch.source <= source <= branch.source + moved


def entry_differs(entry, branch, model, reported):
    """Why an entry is not this branch of the log, or None."""
    if not same(entry, branch, model):
        return f"is not {branch}"
    if branch.type == "irq" and model == "zen4":
        return None
    return branch_error(entry, branch, reported)


def is_doubled(branches, at, model, reported):
    """Does Haswell's driver drop it, because it follows an abort? See three.py."""
    return "abort" in reported and model == "haswell" and at > 0 and "A" in branches[at - 1].flags


def content_error(entries, branches, names, model, reported):
    """(Why these entries are not @branches filtered, how many of these are older than all.)"""
    at = len(branches) - 1
    for age, entry in enumerate(reversed(entries)):
        while at >= 0:
            why = entry_differs(entry, branches[at], model, reported)
            if not why:
                break
            if keep(branches[at], names, model) and \
               not is_doubled(branches, at, model, reported):
                return f"entry {age} from the newest: {why}", 0
            at -= 1
        if at < 0:
            return f"entry {age} from the newest never entered the LBR", 0
        if keep(branches[at], names, model) is False:
            return f"{branches[at]} is of another class", 0
        at -= 1
    # Those that nobody wants need not be looked for.
    while at >= 0 and (keep(branches[at], names, model) is not True or
                       is_doubled(branches, at, model, reported)):
        at -= 1
    return None, at + 1


def header_error(snapshot, model, reported, targets):
    """Why what is said of a snapshot cannot be, but for its entries, or None."""
    lbr, depth = snapshot["lbr"], REPORTED[model][0]
    if snapshot["cpu"] != CPU:
        return f"of CPU {snapshot['cpu']}, traced was {CPU}"
    if lbr["depth"] != depth or lbr["valid"] != len(snapshot["branches"]) or lbr["valid"] > depth:
        return f"depth {lbr['depth']}, must be {depth}; {lbr['valid']} valid, {len(snapshot['branches'])} entries"
    if set(lbr["supported"]) - {"predicted"} != reported:
        return f"says that it reports {lbr['supported']}, must be {sorted(reported)}"
    if snapshot["trigger"]["target"] not in targets:
        return f"of {snapshot['trigger']['target']}, which was not traced"
    return None


class Matcher:
    """Finds stops in the order they came: those by breakpoints, but where these do not stop the LBR."""

    def __init__(self, truth, cpu, reason):
        self.stops = [(stop, list(stop.branches())) for stop in truth.by_cpu[cpu]]
        self.reason, self.next = reason, 0  # None: any
        self.passed_over = 0  # stops with wanted branches, to find one for a snapshot without any

    def find(self, entries, names, model, reported):
        """(Branches, None) or (None, why). Of no entries, too: then the log has none either that must be
        there, since the LBR was cleared. (In call-stack mode a return takes one away, of the log as well.)"""
        why = None
        for number in range(self.next, len(self.stops)):
            stop, branches = self.stops[number]
            if self.reason not in (None, stop.reason) or \
               entries and not any(same(entries[-1], branch, model) for branch in branches):
                continue
            error, older = content_error(entries, branches, names, model, reported)
            if not error and older:
                error = f"{older} older entries are missing, and nothing cleared the LBR"
            if not error:
                self.next = number + 1
                return branches, None
            why = why or error
            self.passed_over += not entries
        if not entries:
            return None, f"is empty, and no stop is left that is: {why}"
        return None, why or f"never was {entries[-1]['from']['addr']} -> {entries[-1]['to']['addr']} there"


def check_filter(guest, report, run, text, matcher):
    """One filter that the CPU has."""
    names, reported = text.split(","), REPORTED[guest.model][1] | (TSX if guest.tsx else set())
    wrong, seen, empty = [], collections.Counter(), 0
    passed_over = matcher.passed_over
    for number, snapshot in enumerate(sorted(run.snapshots, key=lambda s: s["ts_ns"])):
        entries = snapshot["branches"]
        error = header_error(snapshot, guest.model, reported, TARGETS.get(guest.model, BREAKPOINTS)) or \
            filter_error(snapshot, guest.symbols(), text) or name_error(snapshot, guest.symbols()) or \
            trigger_error(snapshot, guest.symbols()) or wasted_error(snapshot, guest.symbols())
        branches, error = (None, error) if error else \
            matcher.find(entries, names, guest.model, reported)
        if branches is None:
            wrong.append(f"snapshot {number}: {error}")
            continue
        empty += not entries
        targets = {(b.source, b.target): b.type for b in branches}
        seen.update(targets.get((int(e["from"]["addr"], 16), int(e["to"]["addr"], 16)), "irq")
                    for e in entries)
    matched = len(run.snapshots) - empty - len(wrong)
    why = None
    if run.status or len(run.snapshots) < 60:
        why = f"status {run.status}, {len(run.snapshots)} snapshots: {run.err.strip()}"
    elif wrong:
        why = f"{len(wrong)} of {len(run.snapshots)}: {wrong[0]}"
    if not why and not matched:
        # Of 4 or 8 entries there may be none of the kind: the rest was not recorded. Before those of
        # the program stands the entry code, where the kernel refuses breakpoints (noinstr).
        if guest.model in WITHOUT_SELECT and matcher.passed_over == passed_over:
            report.skip(f"{guest.name}/matrix/{text}", "no such branch was among the entries")
            return
        why = "no entry in any snapshot"
    kinds = ", ".join(f"{count} {kind}" for kind, count in seen.most_common())
    report(f"{guest.name}/matrix/{text}", why,
           f"{matched} snapshots, as old as the log: {kinds}")


def check_matrix(guest, report, filters, run_of):
    """@run_of: name of a run to what came of it."""
    matcher = Matcher(guest.truth, CPU, None if guest.model in TARGETS else "db")
    for text in filters:
        run = run_of(f"matrix-{text}")
        if not is_refused(guest.model, guest.tsx, text.split(",")):
            check_filter(guest, report, run, text, matcher)
            continue
        said = run.status == 2 and "is not available here" in run.err and \
            "offers any,u,k" in run.err and not run.snapshots
        report(f"{guest.name}/matrix/{text}",
               not said and f"must be refused: status {run.status}: {run.err.strip()}",
               f"refused: {run.err.strip()}")


if __name__ == "__main__":
    print(*GUESTS, sep="\n")
