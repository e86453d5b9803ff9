# SPDX-License-Identifier: GPL-2.0
"""lies.py - true captures with one lie each, for the judges to refuse

A lie takes snapshots, which are its own to change, and a source of random numbers; it returns them,
or others. SEED chooses which snapshot, which entry.
"""
import copy
import gc
import json
import lzma
import os
import pickle
import random
import re
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
DATA = os.path.join(TOP, "tests", "data", "judges")
sys.path.insert(0, os.path.join(TOP, "tests", "vm", "judges"))


def data(name):
    with lzma.open(os.path.join(DATA, name), "rt", encoding="utf-8") as file:
        return json.load(file)


def set_addr(place, addr):
    place["addr"] = f"{addr:#018x}"


def addr_of(place):
    return int(place["addr"], 16)


def entries_set(snapshot, entries):
    """With a header that agrees."""
    snapshot["branches"] = entries
    snapshot["lbr"]["valid"] = len(entries)
    snapshot["lbr"]["wasted"] = min(snapshot["lbr"]["wasted"], len(entries))


def filled(snapshots):
    """Those with entries enough to lie about"""
    return [s for s in snapshots if len(s["branches"]) > 3]


def source_changed(snapshots, dice):
    branch = dice.choice(dice.choice(filled(snapshots))["branches"])
    set_addr(branch["from"], addr_of(branch["from"]) + 1)


def target_changed(snapshots, dice):
    branch = dice.choice(dice.choice(filled(snapshots))["branches"])
    set_addr(branch["to"], addr_of(branch["to"]) - 1)


def entry_dropped(snapshots, dice):
    snapshot = dice.choice(filled(snapshots))
    entries = snapshot["branches"]
    del entries[dice.randrange(1, len(entries) - 1)]
    entries_set(snapshot, entries)


def newest_dropped(snapshots, dice):
    snapshot = dice.choice(filled(snapshots))
    entries_set(snapshot, snapshot["branches"][:-1])


def oldest_dropped(snapshots, dice):
    """Of several: what is left of one may be what the LBR held at another stop, behind a clear."""
    for snapshot in dice.sample(filled(snapshots), min(6, len(filled(snapshots)))):
        entries_set(snapshot, snapshot["branches"][1:])


def entry_doubled(snapshots, dice):
    snapshot = dice.choice(filled(snapshots))
    entries = snapshot["branches"]
    at = dice.randrange(1, len(entries))
    entries.insert(at, copy.deepcopy(entries[at]))
    entries_set(snapshot, entries[1:])


def entries_swapped(snapshots, dice):
    entries = dice.choice(filled(snapshots))["branches"]
    at = next(i for i in range(dice.randrange(len(entries) - 1), -1, -1) if entries[i] != entries[i + 1])
    entries[at], entries[at + 1] = entries[at + 1], entries[at]


def unique(snapshots):
    """Those whose record is no other's: of a hit that came twice, the log has two as well."""
    records = [s["branches"] for s in snapshots]
    return [s for s in filled(snapshots) if records.count(s["branches"]) == 1]


def other_cpu(snapshots, dice):
    for snapshot in dice.sample(unique(snapshots), min(3, len(unique(snapshots)))):
        snapshot["cpu"] ^= 1


def cut_to_one(snapshots, dice):
    snapshot = dice.choice(filled(snapshots))
    entries_set(snapshot, snapshot["branches"][-1:])


def cut_to_half(snapshots, dice):
    snapshot = dice.choice(filled(snapshots))
    entries_set(snapshot, snapshot["branches"][len(snapshot["branches"]) // 2:])


def cut_at_a_stop(snapshots, ends, reason, dice):
    """The oldest entries of one are gone, and the log @ends, which truth_ends wrote, has one more stop
    right behind them: one that cleared nothing. Returns the log."""
    words = [line.split() for line in ends]
    held = {}
    for at, (cpu, _, _, *text) in enumerate(words):
        held[cpu, tuple(",".join(word.split(",")[:2]) for word in text)] = at
    able = []
    for snapshot in filled(snapshots):
        entries = snapshot["branches"]
        key = str(snapshot["cpu"]), tuple(",".join(f"{addr_of(b[end]):#x}" for end in ("from", "to")) for b in entries)
        if key in held and len(entries) > 8:
            able.append((snapshot, held[key]))
    snapshot, at = dice.choice(able)
    cut = len(snapshot["branches"]) // 4
    cpu, seq, _, *text = words[at]
    left = len(text) - cut
    entries_set(snapshot, snapshot["branches"][cut:])
    # It is a record of its own: those behind it have the next number.
    stop = int(seq) - left
    before = [line for line, (other, number, *_) in zip(ends, words) if other == cpu and int(number) < stop]
    behind = [" ".join([cpu, str(int(number) + 1), *line.split(" ")[2:]])
              for line, (other, number, *_) in zip(ends, words) if other == cpu and int(number) >= stop]
    return [line for line in ends if line.split()[0] != cpu] + \
        [*before, f"{cpu} {stop} {reason} {' '.join(text[:cut])}\n", *behind]


def emptied(snapshots, dice):
    entries_set(dice.choice(filled(snapshots)), [])


def some_emptied(snapshots, dice):
    """A third of them"""
    for snapshot in dice.sample(snapshots, len(snapshots) // 3):
        entries_set(snapshot, [])


def other_hit(snapshots, dice):
    """Two snapshots of a CPU have each other's record."""
    some = unique(snapshots)
    pairs = [(one, other) for i, one in enumerate(some) for other in some[i + 1:]
             if one["cpu"] == other["cpu"] and one["branches"] != other["branches"] and
             one["trigger"]["target"] == other["trigger"]["target"]]
    one, other = dice.choice(pairs)
    for name in ("branches", "lbr", "path"):
        one[name], other[name] = other[name], one[name]


def doubled(snapshots, dice):
    for snapshot in dice.sample(unique(snapshots), min(3, len(unique(snapshots)))):
        at = snapshots.index(snapshot)
        snapshots.insert(at, copy.deepcopy(snapshot))
        snapshots[at + 1]["ts_ns"] += 1


def mispredicted(snapshots, dice):
    branch = dice.choice(dice.choice(filled(snapshots))["branches"])
    branch["mispred"], branch["predicted"] = branch["predicted"], branch["mispred"]


def cycle_more(snapshots, dice):
    dice.choice(dice.choice(filled(snapshots))["branches"])["cycles"] += 1


def told_wasted(snapshots, dice, more):
    able = [s for s in snapshots if 0 <= s["lbr"]["wasted"] + more < s["lbr"]["valid"]]
    dice.choice(able)["lbr"]["wasted"] += more


def one_more_wasted(snapshots, dice):
    told_wasted(snapshots, dice, 1)


def one_less_wasted(snapshots, dice):
    told_wasted(snapshots, dice, -1)


def stale_flipped(snapshots, dice):
    """Of one that says it"""
    lbr = dice.choice([s for s in snapshots if s["lbr"]["stale"] is not None])["lbr"]
    lbr["stale"] = not lbr["stale"]


def kernel_end(snapshots, dice):
    """One end of a branch, in the kernel's own text"""
    return dice.choice([branch[end] for snapshot in snapshots for branch in snapshot["branches"]
                        for end in ("from", "to")
                        if addr_of(branch[end]) >> 63 and branch[end]["module"] is None and
                        branch[end]["sym"]])


def wrong_symbol(snapshots, dice):
    kernel_end(snapshots, dice)["sym"] = "vfs_write"


def no_symbol(snapshots, dice):
    place = kernel_end(snapshots, dice)
    place["sym"] = place["off"] = None


def wrong_offset(snapshots, dice):
    kernel_end(snapshots, dice)["off"] += 1


def wrong_module(snapshots, dice):
    kernel_end(snapshots, dice)["module"] = "faults"


def other_depth(snapshots, dice):
    dice.choice(snapshots)["lbr"]["depth"] //= 2


def fields_not_said(snapshots, dice):
    said = dice.choice(snapshots)["lbr"]["supported"]
    said.remove("cycles" if "cycles" in said else "mispred")


def other_filter(snapshots, dice):
    dice.choice(filled(snapshots))["lbr"]["filter"] = "any,k"


def other_filter_one_wasted(snapshots, dice):
    """What a trigger spends is counted where all branches were asked for."""
    snapshot = dice.choice([s for s in filled(snapshots) if s["lbr"]["wasted"] != 1])
    snapshot["lbr"].update(filter="any,k", wasted=1)


def other_kind(snapshots, dice):
    """By a program's probe: what that spends nobody says."""
    dice.choice(filled(snapshots))["trigger"]["kind"] = "uprobe"


def try_lies(report, judge, snapshots, lies, name, said=None):
    """@judge of the truth finds nothing, and of each lie something. @judge: what is wrong, a list"""
    seed = int(os.environ.get("SEED", "1"))
    print(f"# SEED={seed} tells these lies again")
    # Each lie is of a copy of all snapshots, and what they are made of has no cycles: a third of the time
    # would go into looking for them.
    gc.disable()
    kept = pickle.dumps(snapshots)
    wrong = judge(pickle.loads(kept))
    report(f"{name}/truth", wrong and f"{len(wrong)} wrong: {wrong[0]}",
           said or f"{len(snapshots)} snapshots")
    for lie in lies:
        told = pickle.loads(kept)
        lie(told, random.Random(f"{seed} {lie.__name__}"))
        if told == snapshots:
            report(f"{name}/{lie.__name__}", "it changes nothing")
            continue
        wrong = judge(told)
        report(f"{name}/{lie.__name__}", not wrong and "it is believed",
               f"refused: {str(wrong[0]).splitlines()[0] if wrong else ''}")


# Of programs.

def hit_hidden(snapshots, dice):
    del snapshots[dice.randrange(1, len(snapshots) - 1)]


def other_process(snapshots, dice):
    one = dice.choice(snapshots)
    one["pid"] = next(s["pid"] for s in snapshots if s["pid"] != one["pid"])


def probe_of_the_other(snapshots, dice):
    one = dice.choice(snapshots)
    one["trigger"]["ip"] = next(s["trigger"]["ip"] for s in snapshots if s["pid"] != one["pid"])


def of_the_other(snapshots, dice):
    """Has the entries of the other program."""
    one = dice.choice([s for s in snapshots if s["branches"]])
    other = dice.choice([s for s in snapshots if s["branches"] and s["pid"] != one["pid"]])
    entries_set(one, copy.deepcopy(other["branches"]))


def of_the_kernel(snapshots, dice):
    branch = dice.choice(dice.choice([s for s in snapshots if s["branches"]])["branches"])
    set_addr(branch["from"], 0xffffffff81000000)


def told_mixed(snapshots, dice):
    dice.choice(snapshots)["lbr"]["mixed"] = None


# Of paths, as report --json --insns has them.

def blocks_of(snapshots, dice, wanted):
    """(snapshot, number of the block) of one that fits"""
    return dice.choice([(snapshot, i) for snapshot in snapshots
                        for i, block in enumerate(snapshot["path"] or []) if wanted(snapshot, i, block)])


def whole(_, __, block):
    return not block["gap"] and len(block["insns"]) > 2


def block_dropped(snapshots, dice):
    snapshot, at = blocks_of(snapshots, dice, lambda s, i, b: 0 < i < len(s["path"]) - 1)
    del snapshot["path"][at]


def gap_after_lbr_off_dropped(snapshots, dice):
    """A path goes on as if recording had never been in doubt."""
    snapshot, at = blocks_of(snapshots, dice, lambda s, i, b: b["ends"] == "lbr-off" and i + 1 < len(s["path"]))
    del snapshot["path"][at + 1]


def last_block_dropped(snapshots, dice):
    snapshot, _ = blocks_of(snapshots, dice, lambda s, i, b: len(s["path"]) > 2)
    del snapshot["path"][-1]


def block_ends_early(snapshots, dice):
    snapshot, at = blocks_of(snapshots, dice, whole)
    del snapshot["path"][at]["insns"][-1]


def trigger_comes_early(snapshots, dice):
    """The last block, up to the trigger, lacks its last instruction."""
    snapshot, at = blocks_of(snapshots, dice, lambda s, i, b: b["ends"] == "trigger" and b["insns"])
    del snapshot["path"][at]["insns"][-1]


def gap_texts():
    """What the reasons for a gap are called, by the source's names of them. All: else some lies are not told"""
    with open(os.path.join(TOP, "src", "path", "describe.c"), encoding="ascii") as file:
        rows = re.findall(r'\[PATH_GAP_(\w+)\] =((?:\s*"[^"]*")+),', file.read())
    with open(os.path.join(TOP, "src", "path", "path.h"), encoding="utf-8") as file:
        missing = set(re.findall(r"^\tPATH_GAP_(\w+)", file.read(), re.M)) - {"COUNT"} - {name for name, _ in rows}
    if missing:
        raise ValueError(f"src/path/describe.c: no text is read of {sorted(missing)}")
    return {name: "".join(re.findall('"([^"]*)"', text)) for name, text in rows if name != "NONE"}


GAPS = gap_texts()


def gap_for(block, reason):
    """A gap instead of a block"""
    return dict(copy.deepcopy(block), gap=reason, insns=[], decisions=[], ends="unknown")


def lbr_off_early(snapshots, dice):
    """A block that ends early because, it says, recording was off."""
    snapshot, at = blocks_of(snapshots, dice, whole)
    block = snapshot["path"][at]
    off = block["insns"][1]["addr"]
    gap = dict(gap_for(block, GAPS["LBR_OFF"]), start=off, end=off, branch=None)
    block["insns"] = block["insns"][:1]
    block["decisions"] = []
    last = dict(copy.deepcopy(block), insns=[], ends="branch", branch=block["branch"])
    block.update(ends="lbr-off", branch=None)
    snapshot["path"][at + 1:at + 1] = [gap, last]


def at_wrmsr(snapshots, dice):
    """A block that ends at a WRMSR of which the path does not show what it writes"""
    return blocks_of(snapshots, dice, lambda s, i, b:
                     b["ends"] == "lbr-off" and b["insns"] and b["insns"][-1]["text"] == "wrmsr")


def msr_told(snapshots, dice):
    """It is known that the WRMSR writes another MSR, and still recording may have been off."""
    snapshot, at = at_wrmsr(snapshots, dice)
    snapshot["path"][at]["insns"][0]["text"] = "mov $0x38f,%edi"


def rest_after_wrmsr_dropped(snapshots, dice):
    snapshot, at = at_wrmsr(snapshots, dice)
    del snapshot["path"][at + 2]["insns"][0]


def before_wrmsr_dropped(snapshots, dice):
    snapshot, at = at_wrmsr(snapshots, dice)
    del snapshot["path"][at]["insns"][0]


def insn_changed(snapshots, dice):
    snapshot, at = blocks_of(snapshots, dice, whole)
    set_addr(dice.choice(snapshot["path"][at]["insns"]), 0xffffffff81000000)


def insn_dropped(snapshots, dice):
    snapshot, at = blocks_of(snapshots, dice, whole)
    del snapshot["path"][at]["insns"][1]


def deciding(_, __, block):
    return block["decisions"]


def decision_turned(snapshots, dice):
    snapshot, at = blocks_of(snapshots, dice, deciding)
    decision = dice.choice(snapshot["path"][at]["decisions"])
    decision["taken"] = not decision["taken"]


def decision_dropped(snapshots, dice):
    snapshot, at = blocks_of(snapshots, dice, deciding)
    del snapshot["path"][at]["decisions"][0]


def called(block, decision, text):
    """The instruction of a decision is called something else, and nothing was decided."""
    next(insn for insn in block["insns"] if insn["addr"] == decision["addr"])["text"] = text
    block["decisions"].remove(decision)


def in_image(snapshot, at, block):
    return deciding(snapshot, at, block) and block["module"] is None


def conditionals_are_nops_by(known):
    """In one path all that are not taken. @known: addresses of which the judge can tell whether a conditional
    branch is there"""
    def lie(snapshots, dice):
        snapshot, _ = blocks_of(snapshots, dice, lambda s, i, b: deciding(s, i, b) and not b["decisions"][0]["taken"]
                                and int(b["decisions"][0]["addr"], 16) in known)
        for block in snapshot["path"]:
            for decision in [decision for decision in block["decisions"] if not decision["taken"]]:
                called(block, decision, "nop")
    lie.__name__ = "conditionals_are_nops"
    return lie


def nop_is_conditional_by(known):
    """A decision where nothing is decided"""
    def lie(snapshots, dice):
        snapshot, at = blocks_of(snapshots, dice, lambda s, i, b: deciding(s, i, b) and
                                 b["insns"][0]["text"][0] != "j" and int(b["insns"][0]["addr"], 16) in known)
        block = snapshot["path"][at]
        block["insns"][0]["text"] = "je " + block["function"]
        block["decisions"].insert(0, dict(block["decisions"][0], addr=block["insns"][0]["addr"], taken=False))
    lie.__name__ = "nop_is_conditional"
    return lie


def taken_is_nop(snapshots, dice):
    snapshot, at = blocks_of(snapshots, dice, lambda s, i, b: in_image(s, i, b) and b["decisions"][-1]["taken"])
    block = snapshot["path"][at]
    called(block, block["decisions"][-1], "nop")


def decision_leads_elsewhere(snapshots, dice):
    snapshot, at = blocks_of(snapshots, dice, lambda s, i, b: b["decisions"] and b["decisions"][-1]["taken"])
    snapshot["path"][at]["decisions"][-1]["target"] = "0xffffffff81000000"


def gap_over(snapshot, at, count, reason):
    """@count blocks become one gap, whose ends are those of the branches there."""
    blocks, branches = snapshot["path"][at:at + count], snapshot["branches"]
    left = blocks[-1]["branch"]
    gap = dict(gap_for(blocks[0], reason), branch=left,
               end=blocks[-1]["end"] if left is None else branches[left]["from"]["addr"])
    snapshot["path"][at:at + count] = [gap]


def becomes_gap(name):
    """A block of the kernel becomes a gap with this reason."""
    def lie(snapshots, dice):
        snapshot, at = blocks_of(snapshots, dice, lambda s, i, b: whole(s, i, b) and b["branch"] is not None)
        gap_over(snapshot, at, 1, GAPS[name])
    lie.__name__ = f"a_gap_for_{name.lower()}"
    return lie


def ends_in_gap(name):
    """So does the block up to the trigger."""
    def lie(snapshots, dice):
        snapshot, at = blocks_of(snapshots, dice, lambda s, i, b: b["ends"] == "trigger" and b["insns"])
        gap_over(snapshot, at, 1, GAPS[name])
    lie.__name__ = f"ends_in_a_gap_for_{name.lower()}"
    return lie


def gap_for_nothing(snapshots, dice):
    """For a reason that there is not"""
    snapshot, at = blocks_of(snapshots, dice, whole)
    gap_over(snapshot, at, 1, "it is complicated")


def gaps_alone(snapshots, dice):
    """All of a path cannot be read."""
    snapshot, _ = blocks_of(snapshots, dice, whole)
    for at in range(len(snapshot["path"])):
        gap_over(snapshot, at, 1, GAPS["NO_TEXT"])


def in_user_space(_, __, block):
    return block["gap"] == GAPS["USER"]


def gap_moved(end):
    def lie(snapshots, dice):
        snapshot, at = blocks_of(snapshots, dice, in_user_space)
        block = snapshot["path"][at]
        block[end] = f"{int(block[end], 16) + 1:#018x}"
    lie.__name__ = f"gap_{end}_moved"
    return lie


def gap_with_insns(snapshots, dice):
    snapshot, at = blocks_of(snapshots, dice, in_user_space)
    other, whole_at = blocks_of(snapshots, dice, whole)
    snapshot["path"][at]["insns"] = copy.deepcopy(other["path"][whole_at]["insns"])


def user_space(snapshots, dice, count):
    """@count blocks of the kernel become one stay in user space."""
    snapshot, at = blocks_of(snapshots, dice, lambda s, i, b:
                             len(s["path"]) >= i + count and
                             all(not b["gap"] and b["branch"] is not None for b in s["path"][i:i + count]))
    gap_over(snapshot, at, count, GAPS["USER"])


def one_block_is_user_space(snapshots, dice):
    user_space(snapshots, dice, 1)


def ten_blocks_are_user_space(snapshots, dice):
    user_space(snapshots, dice, 10)


def all_is_user_space(snapshots, dice):
    snapshot, _ = blocks_of(snapshots, dice, lambda s, i, b: len(s["path"]) > 10)
    snapshot["path"] = [b for b in snapshot["path"] if b["branch"] is not None]
    gap_over(snapshot, 0, len(snapshot["path"]), GAPS["USER"])


def newest_block_is_an_overflow(snapshots, dice):
    """The last branch's own block: what a counter's overflow hides comes behind it."""
    snapshot, at = blocks_of(snapshots, dice, lambda s, i, b: whole(s, i, b) and b["branch"] is not None and
                             all(later["branch"] is None for later in s["path"][i + 1:]))
    gap_over(snapshot, at, 1, GAPS["OVERFLOW"])


def overflow_unseen(snapshots, dice):
    """Straight on to the interrupt, as if nothing had run unrecorded."""
    snapshot, at = blocks_of(snapshots, dice, lambda s, i, b: b["gap"] == GAPS["OVERFLOW"])
    del snapshot["path"][at]


def interrupt_elsewhere(snapshots, dice):
    snapshot, at = blocks_of(snapshots, dice, lambda s, i, b: i and s["path"][i - 1]["gap"] == GAPS["OVERFLOW"])
    snapshot["path"][at]["start"] = snapshot["path"][at]["end"] = "0xffffffff81000000"


def no_path(snapshots, dice):
    snapshot, _ = blocks_of(snapshots, dice, whole)
    snapshot["path"] = None


def no_path_all_wasted(snapshots, dice):
    snapshot, _ = blocks_of(snapshots, dice, whole)
    snapshot["path"] = None
    snapshot["lbr"]["wasted"] = snapshot["lbr"]["valid"]


def nothing_at_all(snapshots, dice):
    snapshot, _ = blocks_of(snapshots, dice, whole)
    snapshot["path"] = None
    entries_set(snapshot, [])


def path_of_the_newest(snapshots, dice):
    """Cut to the newest entries, and the path with it."""
    snapshot, _ = blocks_of(snapshots, dice, lambda s, i, b: len(s["path"]) > 2 and not s["lbr"]["wasted"])
    cut = len(snapshot["branches"]) - 9
    entries_set(snapshot, snapshot["branches"][cut:])
    path = [block for block in snapshot["path"] if block["branch"] is None or block["branch"] > cut]
    for block in path:
        block["branch"] = block["branch"] and block["branch"] - cut
    snapshot["path"] = path


def wrong_function(snapshots, dice):
    snapshot, at = blocks_of(snapshots, dice, lambda s, i, b: not b["gap"] and b["module"] is None and
                             addr_of({"addr": b["start"]}) >> 63)
    snapshot["path"][at]["function"] = "vfs_fsync_range"


def invented_module(snapshots, dice):
    """All blocks are in a function of a module that there is not."""
    snapshot, _ = blocks_of(snapshots, dice, whole)
    for block in snapshot["path"]:
        block.update(function="vfs_write", module="invented")


def pathless(snapshots, dice):
    """A snapshot that had a path, and all of it is called wasted"""
    snapshot, _ = blocks_of(snapshots, dice, whole)
    snapshot["path"] = None
    snapshot["lbr"]["wasted"] = snapshot["lbr"]["valid"]
    return snapshot


def all_of_a_program(snapshots, dice):
    pathless(snapshots, dice)["trigger"]["kind"] = "uprobe"


def other_target(snapshots, dice):
    """The target agrees."""
    pathless(snapshots, dice)["trigger"].update(kind="uprobe", target="uprobe:/bin/true:main")


def other_filter_all_wasted(snapshots, dice):
    pathless(snapshots, dice)["lbr"]["filter"] = "any,k"


def other_errno(snapshots, dice):
    trigger = dice.choice([s for s in snapshots if s["trigger"]["errno"]])["trigger"]
    trigger["errno"] = "EXDEV" if trigger["errno"] != "EXDEV" else "EIO"
