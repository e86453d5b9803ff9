#!/usr/bin/python3
"""verify_truth.py - compare lbrsnoop's snapshots with the emulator's own log

Usage: verify_truth.py --model MODEL [--reason REASON] ENDS SNAPSHOTS...

ENDS is what truth_ends made of the log: for each time that the LBR was stopped, the branches
before it. A snapshot matches if its entries are, one by one, the last branches before a stop on
its CPU: source, target, mispredicted, cycles, and null for what the model does not report. All of
them: it has fewer entries than the LBR only where the log has no more since the guest cleared the
LBR, or since the CPU came up. A stop clears nothing. No two snapshots may show the same stop, and those of a CPU show
theirs in the order of their times. With --reason each must have been stopped for that reason: "db"
is a debug exception, "off" the kernel's own write to the register. lbr.stale is true where the stop is that of
somebody else's debug exception, and only there.

Prints one line a mismatch and a closing line; exit status 0 if there is no mismatch.
"""
import argparse
import bisect
import collections
import functools
import json
import sys

from spent import filter_error, name_error, trigger_error, wasted_error

# What each model reports beside the addresses. Source: SDM vol. 3B, chapter "Last Branch, ...
# Recording", Tables 17-8, 17-14, 17-16, 19-11; AMD APM vol. 2, 13.1.1.9. TSX is only
# there where the emulator makes it up (LBR_TSX=1): TSX below.
REPORTED = {
    "core2": (4, set()),
    "atom": (8, set()),
    "nehalem": (16, {"mispred"}),
    "sandybridge": (16, {"mispred"}),
    "haswell": (16, {"mispred"}),
    "skylake": (32, {"mispred", "cycles"}),
    "sapphirerapids": (32, {"mispred", "cycles", "type"}),
    "zen4": (16, {"mispred", "spec"}),
}

TSX = {"in_tx", "abort"}

# The emulator's names of branch types to those of the JSON, where the LBR reports the type.
TYPES = {"cond": "COND", "jmp": "UNCOND", "ijmp": "IND", "call": "CALL", "icall": "IND_CALL",
         "ret": "RET", "far": None, "irq": None}

# What stops the LBR, by kind of trigger; of all others the kernel itself does.
BY_KIND = {"hw": "db", "pmi": "pmu"}

Branch = collections.namedtuple("Branch", "source target type flags cycles")


@functools.lru_cache(maxsize=1 << 16)  # a stop is asked several times, and its neighbours have the same branches
def branch_parse(text):
    source, target, kind, flags, cycles = text.split(",")
    return Branch(int(source, 16), int(target, 16), kind, flags, int(cycles))


class Stop:
    """One time that the LBR was stopped; @text: the branches before it, oldest first. @writer: of
    the guest's own stops, the WRMSR and what called it."""

    __slots__ = ("cpu", "seq", "number", "reason", "writer", "text", "claimed")

    def __init__(self, line):
        cpu, seq, reason, *self.text = line.split()
        self.reason, _, self.writer = reason.partition("@")
        self.cpu, self.seq = int(cpu), int(seq)
        self.claimed = None

    def branches(self):
        return map(branch_parse, self.text)


# A listed instruction that was executed, with the registers as they were before (run --insns-at).
Executed = collections.namedtuple("Executed", "seq addr cr3 rsp rax rdi rsi")


def by_seq(stop):
    return stop.seq


class Truth:
    """All stops, found by CPU and newest branch; by CPU, in order, and so the listed instructions."""

    def __init__(self, path):
        self.stops = 0
        self.by_newest = collections.defaultdict(list)
        self.by_cpu = collections.defaultdict(list)
        self.executed = collections.defaultdict(list)
        self.clears = collections.defaultdict(list)  # SEQ by CPU
        with open(path, encoding="ascii") as lines:
            for line in lines:
                cpu, seq, what, *words = line.split(" ", 8)
                if what == "insn":
                    self.executed[int(cpu)].append(
                        Executed(int(seq), *(int(word, 16) for word in words)))
                    continue
                if what.rstrip() == "clear":
                    self.clears[int(cpu)].append(int(seq))
                    continue
                stop = Stop(line)
                self.stops += 1
                stop.number = len(self.by_cpu[stop.cpu])
                self.by_cpu[stop.cpu].append(stop)
                if stop.text:
                    source, target = stop.text[-1].split(",")[:2]
                    self.by_newest[stop.cpu, int(source, 16), int(target, 16)].append(stop)

    def between(self, cpu, first, last):
        """How many branches there are between two records: each is one, but for stops, clears and
        listed instructions. (In call-stack mode it may be a return, which took one away.)"""
        stops, clears, executed = self.by_cpu[cpu], self.clears[cpu], self.executed[cpu]
        others = bisect.bisect_left(stops, last, key=by_seq) - bisect.bisect(stops, first, key=by_seq)
        others += bisect.bisect_left(clears, last) - bisect.bisect(clears, first)
        others += bisect.bisect_left(executed, (last,)) - bisect.bisect(executed, (first + 1,))
        return last - first - 1 - others

    def stop_before(self, stop, count):
        """The earlier stop with only @count branches since, or None."""
        for number in range(stop.number - 1, -1, -1):
            before = self.by_cpu[stop.cpu][number]
            since = self.between(stop.cpu, before.seq, stop.seq)
            if since >= count:
                return before if since == count else None
        return None

    def cleared(self, stop):
        """Did the guest clear the LBR right before the oldest branch that it held at a stop? Or the CPU
        came up there: record 0 is its first."""
        clears = self.clears[stop.cpu]
        at = bisect.bisect(clears, stop.seq)
        return self.between(stop.cpu, clears[at - 1] if at else -1, stop.seq) == len(stop.text)

    def short_error(self, stop, depth):
        """Why the LBR cannot have held so few branches at a stop, or None."""
        if len(stop.text) >= depth or self.cleared(stop):
            return None
        return f"the log has {len(stop.text)} branches before record {stop.seq}, and no clear before these"

    def shown_by(self, label):
        """{number: stop} that verify() found for snapshots of this label"""
        claims = ((stop.claimed.rsplit(":", 1), stop) for stops in self.by_cpu.values() for stop in stops
                  if stop.claimed)
        return {int(number): stop for (name, number), stop in claims if name == label}


def flag_error(name, reported, wanted, got):
    """The word of a mismatch, or None."""
    wanted = wanted if reported else None
    return None if got == wanted else f"{name} is {got}, must be {wanted}"


def spec_of(branch):
    """AMD: the emulator has no wrong paths, and speculates on near branches (qemu/README.md)."""
    return "NON_SPEC_CORRECT_PATH" if branch.type in ("far", "irq") else "SPEC_CORRECT_PATH"


def live_cycles(branch, reported):
    """Architectural LBR: Linux passes 0 on for a count that is not valid (get_lbr_cycles() of
    arch/x86/events/intel/lbr.c), so that nothing can be told from a 0 of a live snapshot."""
    return branch.cycles or None if "type" in reported else branch.cycles


def moved_by_linux(source, branch, reported):
    """AMD: an interrupt whose FROM was moved. amd_pmu_lbr_filter() looks for a branch fused to the
    instruction at FROM, in the 15 bytes from there, and finds one behind an interrupted instruction
    as well (get_branch_type() of arch/x86/events/utils.c)."""
    return "spec" in reported and branch.type == "irq" and 0 < source - branch.source < 15


def branch_error(entry, branch, reported):
    """What is wrong with one entry of a live snapshot, or None."""
    source, target = int(entry["from"]["addr"], 16), int(entry["to"]["addr"], 16)
    mispred = "M" in branch.flags
    if target != branch.target or \
            source != branch.source and not moved_by_linux(source, branch, reported):
        return f"{source:#x} -> {target:#x}, must be {branch.source:#x} -> {branch.target:#x}"
    errors = [
        flag_error("mispred", "mispred" in reported, mispred, entry["mispred"]),
        flag_error("predicted", "mispred" in reported, not mispred, entry["predicted"]),
        flag_error("cycles", "cycles" in reported, live_cycles(branch, reported), entry["cycles"]),
        flag_error("in_tx", "in_tx" in reported, "X" in branch.flags, entry["in_tx"]),
        flag_error("abort", "abort" in reported, "A" in branch.flags, entry["abort"]),
        flag_error("spec", "spec" in reported, spec_of(branch), entry["spec"]),
    ]
    # Of far branches and interrupts the driver tells what it makes of the text: three.py.
    if TYPES[branch.type] or "type" not in reported:
        errors.append(flag_error("type", "type" in reported, TYPES[branch.type], entry["type"]))
    return next(filter(None, errors), None)


def left_by_arch_driver(branch, shown):
    """Is it an interrupt or exception in the kernel that is not among the entries? The driver of
    architectural LBR throws away what it cannot classify (branch_type() of
    arch/x86/events/utils.c): all of them, but where the instruction is a branch itself."""
    return branch.type == "irq" and branch.source >> 63 and \
        (branch.source, branch.target) not in shown


def anything(_):
    return True


def stop_error(entries, stop, reported, wanted=anything):
    """Why these entries are not all that the LBR held at this stop, or None. @wanted: tells of a branch
    whether it is let through to snapshots"""
    branches = list(stop.branches())
    shown = {(int(e["from"]["addr"], 16), int(e["to"]["addr"], 16)) for e in entries}
    places = [i for i, branch in enumerate(branches) if wanted(branch) and
              not ("type" in reported and left_by_arch_driver(branch, shown))]
    cut = len(places) - len(entries)
    if cut < 0:
        return f"{len(entries)} entries, {len(places)} branches before the stop"
    # Newest first: the first difference then says how far the two agree.
    for age, (entry, place) in enumerate(zip(reversed(entries), reversed(places))):
        error = branch_error(entry, branches[place], reported)
        if error:
            return f"entry {age} from the newest: {error}"
    return f"{cut} older entries are missing, and nothing cleared the LBR" if cut else None


class Verdict:
    """Counts, and what was wrong."""

    def __init__(self):
        self.matched = self.short = 0  # short: the LBR held fewer entries than it has
        self.errors = []
        self.entries = 0

    @property
    def good(self):
        return self.matched > 0 and not self.errors


def check_header(snapshot, model):
    depth, reported = REPORTED[model]
    lbr = snapshot["lbr"]
    if lbr["depth"] != depth:
        return f"depth is {lbr['depth']}, must be {depth}"
    if lbr["valid"] != len(snapshot["branches"]) or not 0 < lbr["valid"] <= depth:
        return f"{lbr['valid']} valid, {len(snapshot['branches'])} entries, depth {depth}"
    supported = set(lbr["supported"]) - {"predicted"}
    if supported != reported:
        return f"says that it reports {sorted(supported)}, must be {sorted(reported)}"
    return None


def find_stop(snapshot, truth, model, reason, behind=-1):
    """(Stop, None) or (None, why not). @behind: seq of the stop that the CPU's snapshot before shows"""
    entries = snapshot["branches"]
    newest = entries[-1]
    key = (snapshot["cpu"], int(newest["from"]["addr"], 16), int(newest["to"]["addr"], 16))
    # Those that come too early are asked last, for the reason.
    candidates = sorted(truth.by_newest.get(key, []), key=lambda stop: (stop.seq <= behind, stop.seq))
    error = f"never did the LBR of cpu {key[0]} stop behind {key[1]:#x} -> {key[2]:#x}"
    shown = None  # what is wrong with a stop that it does show says more than what other stops have
    for stop in candidates:
        why = stop_error(entries, stop, REPORTED[model][1])
        same = not why
        if not why and stop.claimed is None and reason in (None, stop.reason) and stop.seq > behind:
            return stop, None
        if not why and stop.claimed is not None:
            why = f"shows the same stop as {stop.claimed}: record {stop.seq} of cpu {stop.cpu}"
        elif not why and stop.seq <= behind:
            why = f"shows record {stop.seq} of cpu {stop.cpu}, an earlier snapshot {behind}"
        elif not why:
            why = f"stopped for the reason {stop.reason}, must be {reason}"
        error = why
        shown = why if same else shown
    return None, shown or error


# Triggers that the kernel's own code takes: their way is in the LBR, if it was on.
BY_CODE = ("fexit", "fentry", "kprobe", "kretprobe", "tracepoint", "rawtracepoint")
STRAIGHT_BYTES = 4096


def was_off(snapshot, stop):
    """Was the LBR off when the event came, by the log? A debug exception of somebody else stopped it before: then
    the newest branch led to their breakpoint, not to ours. (It is not asked whether two breakpoints
    of one function are on one straight way.) None: not known of such a trigger, or with such a filter."""
    trigger = snapshot["trigger"]
    if trigger["kind"] == "hw" and stop.text:
        way = int(trigger["ip"], 16) - branch_parse(stop.text[-1]).target
        return stop.reason != "db" or not 0 <= way < STRAIGHT_BYTES
    if trigger["kind"] in BY_CODE and "k" in (snapshot["lbr"]["filter"] or "").split(","):
        return stop.reason != "off"
    return None


def stale_error(snapshot, stop):
    """Is lbr.stale other than the log has it? Why, or None. Null claims nothing: of text that is not known."""
    said, must = snapshot["lbr"]["stale"], was_off(snapshot, stop)
    if must is None or said is None or said == must:
        return None
    return f"stale is {said}, must be {must}: record {stop.seq} of cpu {stop.cpu} is a stop for {stop.reason} behind " \
        f"{stop.text[-1] if stop.text else 'nothing'}"


def verify(snapshots, truth, model, reason=None, label="", symbols=None):
    """Compare; each stop of @truth that a snapshot shows is claimed by it. With @symbols, names and
    what is called wasted as well. @reason: "by kind" is that of each one's trigger."""
    verdict = Verdict()
    behind = collections.defaultdict(lambda: -1)
    for number, snapshot in sorted(enumerate(snapshots, 1), key=lambda item: item[1]["ts_ns"]):
        name = f"{label}:{number}"
        error = check_header(snapshot, model)
        stop = None
        if not error:
            wanted = BY_KIND.get(snapshot["trigger"]["kind"], "off") if reason == "by kind" else reason
            stop, error = find_stop(snapshot, truth, model, wanted, behind[snapshot["cpu"]])
        if not error:
            error = truth.short_error(stop, REPORTED[model][0]) or stale_error(snapshot, stop)
        if not error and symbols:
            error = filter_error(snapshot, symbols) or name_error(snapshot, symbols) or \
                wasted_error(snapshot, symbols) or trigger_error(snapshot, symbols)
        if error:
            trigger = snapshot["trigger"]
            verdict.errors.append(f"{name} ({trigger['target']}, cpu {snapshot['cpu']}): {error}")
            continue
        stop.claimed = name
        behind[stop.cpu] = stop.seq
        verdict.matched += 1
        verdict.entries += snapshot["lbr"]["valid"]
        verdict.short += len(stop.text) < snapshot["lbr"]["depth"]
    return verdict


def load(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n", 1)[1])
    parser.add_argument("--model", required=True, choices=sorted(REPORTED))
    parser.add_argument("--reason")
    parser.add_argument("ends")
    parser.add_argument("snapshots", nargs="+")
    args = parser.parse_args()
    truth = Truth(args.ends)
    good = True
    for path in args.snapshots:
        verdict = verify(load(path), truth, args.model, args.reason, path)
        for error in verdict.errors:
            print(error)
        print(f"{path}: {verdict.matched} matched ({verdict.entries} entries, {verdict.short} of "
              f"them short), {len(verdict.errors)} mismatched")
        good &= verdict.good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
