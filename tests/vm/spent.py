"""spent.py - how many LBR entries a trigger spent, without asking lbrsnoop

Counted from the snapshot, which verify_truth.py has held against the emulator's log, and from the
kernel's own symbol table: the entries that are newer than the last branch of the traced function.
"""
import bisect
import collections

# Triggers of guest/table by target; the function that each is on.
TRIGGERS = (
    ("hw", "__sys_connect", "__sys_connect"),
    ("fexit", "fexit:do_sys_openat2", "do_sys_openat2"),
    ("kretprobe", "kretprobe:do_mkdirat", "do_mkdirat"),
    ("kprobe", "kprobe:do_unlinkat", "do_unlinkat"),
    ("fentry", "fentry:ksys_read", "ksys_read"),
)
ON_ENTRY = ("kprobe", "fentry")


class Symbols:
    """Where functions begin and end, from /proc/kallsyms of the guest."""

    def __init__(self, path):
        self.by_name = collections.defaultdict(list)
        self.starts = set()
        with open(path, encoding="ascii") as lines:
            for line in lines:
                addr, kind, name = line.split()[:3]
                if kind in "tTwW":
                    self.by_name[name].append(int(addr, 16))
                    self.starts.add(int(addr, 16))
        self.starts = sorted(self.starts)

    def ranges(self, function):
        """[(start, end)] of a function, its .cold part included."""
        for name in (function, function + ".cold"):
            for start in self.by_name.get(name, ()):
                yield start, self.starts[bisect.bisect_right(self.starts, start)]


def is_own(branch, kind, ranges):
    source, target = int(branch["from"]["addr"], 16), int(branch["to"]["addr"], 16)
    if kind in ON_ENTRY:
        return any(start <= target < start + 16 for start, _ in ranges)
    return any(start <= addr < end for start, end in ranges for addr in (source, target))


def spent(snapshot, kind, ranges):
    """Entries newer than the last own branch; None if there is none of the function left."""
    newest_first = snapshot["branches"][::-1]
    for age, branch in enumerate(newest_first):
        if is_own(branch, kind, ranges):
            # A return through a thunk is two branches.
            through = kind not in ON_ENTRY and age and branch["to"]["addr"] == newest_first[age - 1]["from"]["addr"]
            return age - bool(through)
    return None


def spent_by_trigger(snapshots, symbols):
    """{kind: entries spent, in the median; None if nothing is left; absent: no hit}

    The median, because an interrupt on the way to a snapshot takes its branches, too.
    """
    result = {}
    for kind, target, function in TRIGGERS:
        ranges = list(symbols.ranges(function))
        counts = [spent(s, kind, ranges) for s in snapshots if s["trigger"]["target"] == target]
        if counts:
            median = sorted(counts, key=lambda n: float("inf") if n is None else n)
            result[kind] = median[len(median) // 2]
    return result
