"""spent.py - how many LBR entries a trigger spent, and what addresses are called, without asking
lbrsnoop

Counted from the snapshot, which verify_truth.py has held against the emulator's log, and from the
kernel's own symbol table: the entries that are newer than the last branch of the traced function.
"""
import bisect
import collections
import errno
import fnmatch

# Triggers of guest/table by target; the function that each is on.
TRIGGERS = (
    ("hw", "__sys_connect", "__sys_connect"),
    ("fexit", "fexit:do_sys_openat2", "do_sys_openat2"),
    ("kretprobe", "kretprobe:do_mkdirat", "do_mkdirat"),
    ("kprobe", "kprobe:do_unlinkat", "do_unlinkat"),
    ("fentry", "fentry:ksys_read", "ksys_read"),
    ("kprobe.multi", "kprobe.multi:do_rmdir", "do_rmdir"),
)
ON_ENTRY = ("kprobe", "fentry")


RETURNS = ("fexit", "kretprobe", "kprobe.multi")

# Where interrupts and exceptions go back, by arch/x86/entry/entry_64.S.
IRQ_EXIT = ("native_irq_return", "native_iret", "common_interrupt_return",
            "restore_regs_and_return_to_kernel", "swapgs_restore_regs", "asm_", "error_return")

# What the code of a tracepoint calls. Source: include/trace/bpf_probe.h, include/trace/perf.h,
# kernel/trace/trace_syscalls.c of Linux 6.1 and 6.12; by one name too many nothing is lost.
TRACEPOINTS = ("__traceiter_{}", "__bpf_trace_{}", "perf_trace_{}", "__SCT__tp_func_{}")
SYSCALL_TRACEPOINTS = ("__traceiter_sys_enter", "__traceiter_sys_exit", "perf_syscall_enter",
                       "perf_syscall_exit", "__bpf_trace_sys_exit", "__SCT__tp_func_sys_enter",
                       "__SCT__tp_func_sys_exit")


class Symbols:
    """Where functions begin and end, from /proc/kallsyms of the guest."""

    def __init__(self, path):
        self.by_name = collections.defaultdict(list)
        self.names = collections.defaultdict(set)
        with open(path, encoding="ascii") as lines:
            for line in lines:
                addr, kind, name, *module = line.split()
                # Tracing's own comes and goes.
                if kind in "tTwW" and module not in (["[bpf]"], ["[__builtin__ftrace]"],
                                                     ["[__builtin__kprobes]"]):
                    self.by_name[name].append(int(addr, 16))
                    self.names[int(addr, 16)].add((name, module[0][1:-1] if module else None))
        self.starts = sorted(self.names)
        self.modules = {module for names in self.names.values() for _, module in names}

    def start(self, addr):
        """Where the function begins that an address is in, or None."""
        place = bisect.bisect_right(self.starts, addr)
        return self.starts[place - 1] if place else None

    def ranges(self, function):
        """[(start, end)] of a function, its .cold part included."""
        for name in (function, function + ".cold"):
            for start in self.by_name.get(name, ()):
                yield start, self.starts[bisect.bisect_right(self.starts, start)]

    def is_at(self, addr, text):
        """Does SYMBOL+0xOFFSET, or SYMBOL, mean this address?"""
        name, _, offset = text.partition("+")
        return any(addr == start + int(offset or "0", 16) for start in self.by_name.get(name, ()))

    def is_image(self, addr):
        """In the kernel's own text?"""
        return self.by_name["_stext"][0] <= addr < self.by_name["_etext"][0]


# What the JSON says of code that tracing brings.
TRACING = ("bpf", "__builtin__ftrace", "__builtin__kprobes")


def place_error(place, symbols):
    """Is one end of a branch called something else than /proc/kallsyms calls it? Why, or None."""
    addr, name, module = int(place["addr"], 16), place["sym"], place["module"]
    if not addr >> 63:
        return None
    known = symbols.start(addr)
    # Or of a module that was loaded later.
    if name is None or module in TRACING or module not in symbols.modules:
        return symbols.is_image(addr) and f"{addr:#x} is {name} [{module}], must be {symbols.names[known]}"
    if addr - place["off"] != known or (name, module) not in symbols.names[known]:
        return f"{addr:#x} is {name}+{place['off']:#x} [{module}], must be " \
            f"{sorted(n for n, _ in symbols.names[known])}+{addr - known:#x}"
    return None


def name_error(snapshot, symbols):
    """What is called something else than in /proc/kallsyms, or None."""
    return next(filter(None, (place_error(branch[end], symbols) for branch in snapshot["branches"]
                              for end in ("from", "to"))), None)


# Of a target that names its trigger: the kind.
KERNEL_KINDS = ("hw", "fexit", "fentry", "kprobe", "kretprobe", "kprobe.multi", "tracepoint", "rawtracepoint")
KINDS = (*KERNEL_KINDS, "uprobe", "uretprobe")
# A kernel function alone is taken on its return, by what can be had.
BY_NAME = ("hw", "fexit", "kretprobe", "kprobe.multi")
# What perf: events come as: where a counter overflows, and where the kernel tells of one.
OF_EVENTS = ("pmi", "perf")
RINGS = {"u", "k"}


def kinds_of_target(target, symbols):
    """Kinds of trigger that what was asked for can be taken by; None where the target does not say"""
    named, _, rest = target.partition(":")
    if rest and named in KINDS:
        return (named,)
    if rest and named == "perf":
        return OF_EVENTS
    return BY_NAME if target.partition("+")[0] in symbols.by_name else None


def filter_names(text):
    """What a -j list asks for: all branches where it names rings alone, both rings where it names none"""
    names = set(text.split(","))
    return names | (set() if names & RINGS else RINGS) | (set() if names - RINGS else {"any"})


def filter_error(snapshot, symbols, asked=None):
    """Is another filter named than the run's -j list @asked, or without one than the default, which is for
    the kernel's functions both rings? Why, or None."""
    kinds = kinds_of_target(snapshot["trigger"]["target"], symbols)
    told = snapshot["lbr"]["filter"]
    if not asked and not (kinds and set(kinds) <= set(KERNEL_KINDS)):
        return None
    must = filter_names(asked or "any,u,k")
    return f"the filter is said to be {told}, must be {','.join(sorted(must))}" if set(told.split(",")) != must else None


class Asked:
    """The command line of a run, from the file that the guest wrote: an argument a line"""

    WITH_VALUE = ("-T", "-e", "-n", "-j", "--at")

    def __init__(self, lines):
        self.targets, self.options, words = [], {}, iter([line.rstrip("\n") for line in lines])
        for word in words:
            if word in self.WITH_VALUE:
                self.options[word] = next(words)
            elif word.startswith("-"):
                raise ValueError(f"{word}: is it an option with a value?")
            else:
                self.targets.append(word)

    def kinds(self, target, symbols):
        """Those that a target of the command line is taken by"""
        kinds = kinds_of_target(target, symbols)
        if target.partition(":")[0] in (*KINDS, "perf"):
            return kinds
        if "--at" in self.options:
            return ("hw",)
        return (self.options["-T"],) if "-T" in self.options else BY_NAME

    def error(self, snapshot, symbols):
        """Is a snapshot of something else than was asked for? Why, or None."""
        trigger = snapshot["trigger"]
        # Of a glob the snapshot has the function alone.
        wanted = [target for target in self.targets if trigger["target"] == target or
                  "*" in target and fnmatch.fnmatchcase(trigger["target"], target.rpartition(":")[2])]
        if not wanted:
            return f"{trigger['target']} was not asked for"
        if not any(trigger["kind"] in self.kinds(target, symbols) for target in wanted):
            return f"{trigger['target']} is said to be taken by {trigger['kind']}, which was not asked for"
        return filter_error(snapshot, symbols, self.options.get("-j", "any,u,k"))


def trigger_error(snapshot, symbols):
    """Does what is said of the trigger contradict itself, or /proc/kallsyms? Why, or None."""
    trigger = snapshot["trigger"]
    kind, err, value = trigger["kind"], trigger["errno"], trigger["retval"]
    named, _, rest = trigger["target"].partition(":")
    can_be = kinds_of_target(trigger["target"], symbols)
    if can_be and kind not in can_be:
        return f"{trigger['target']} was taken by {kind}"
    if err is not None and (value is None or getattr(errno, err, -value) != -value):
        return f"returned {value}, called {err}"
    name, _, offset = rest.partition("+")
    starts = symbols.by_name.get(name)
    whole = trigger["target"] if trigger["target"] in symbols.by_name else \
        rest.rpartition(":")[2] if named in ("tracepoint", "rawtracepoint") else None
    # Of several names of one place the trigger may have another.
    alike = symbols.by_name.get(trigger["function"], ())
    if whole and trigger["function"] != whole and not set(symbols.by_name.get(whole, ())) & set(alike):
        return f"{trigger['target']} is of {trigger['function']}"
    if named in ("hw", "fexit", "fentry", "kprobe", "kretprobe") and starts and \
       all(symbols.is_image(start) for start in starts):
        if trigger["function"] != name and not set(starts) & set(alike):
            return f"{trigger['target']} is of {trigger['function']}"
        # At the entry an endbr64 may be left out.
        places = {start + int(offset or "0", 0) + skip for start in starts for skip in (0, 0 if offset else 4)}
        if int(trigger["ip"], 16) not in places:
            return f"{trigger['target']} is at {trigger['ip']}, must be {[hex(place) for place in places]}"
    return None


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


def path_name_error(snapshot, symbols):
    """Is a block of the path called something else than in /proc/kallsyms? Why, or None."""
    for block in snapshot["path"] or []:
        start = int(block["start"], 16)
        if not start >> 63:
            continue
        names, called = symbols.names[symbols.start(start)], (block["function"], block["module"])
        # As place_error(): code of tracing, or of a module that was loaded later, is not in the image.
        if called[0] is None or called[1] in TRACING or called[1] not in symbols.modules:
            wrong = symbols.is_image(start)
        else:
            wrong = called not in names
        if wrong:
            return f"block {start:#x} is {called[0]} [{called[1]}], must be {sorted(map(str, names))}"
    return None


def ends(snapshot):
    """[(source, target)], oldest first"""
    return [(int(b["from"]["addr"], 16), int(b["to"]["addr"], 16)) for b in snapshot["branches"]]


def is_named(symbols, addr, *beginnings):
    return any(name.startswith(beginnings) for name, _ in symbols.names[symbols.start(addr)])


def is_thunk(symbols, addr):
    """Do returns and indirect branches go through this? By arch/x86/lib/retpoline.S and static calls"""
    return any(name.startswith(("__x86_indirect_", "__SCT__", "srso_")) or
               name.endswith("_return_thunk") for name, _ in symbols.names[symbols.start(addr)])


def origin_of(branches, i, symbols):
    """Where a branch comes from, through thunks"""
    while i and is_thunk(symbols, branches[i][0]):
        i -= 1
    return branches[i][0]


def returns_from_program(branches, i, symbols, ranges):
    """Does branch @i bring a trampoline of fexit back from an earlier program of its own?

    A trampoline calls the function, then one program after the other. All its calls but that of a
    function through a register have 5 bytes (arch/x86/net/bpf_jit_comp.c).
    """
    calls = [target for source, target in branches[:i] if source == branches[i][1] - 5]
    if calls:
        return not any(start <= calls[-1] < end for start, end in ranges)
    # The call is no longer recorded: __bpf_prog_exit_recur() ends in this.
    return is_named(symbols, origin_of(branches, i, symbols), "__bpf_prog_exit", "__rcu_read_unlock")


def spent_on_return(branches, symbols, ranges):
    """Entries newer than the function's return, the thunk that it goes through included: all if it is
    no longer there."""
    own = [i for i, (source, _) in enumerate(branches)
           if any(start <= source < end for start, end in ranges)]
    if own:
        newest = own[-1]
        while newest + 1 < len(branches) and is_thunk(symbols, branches[newest][1]) and \
                is_thunk(symbols, branches[newest + 1][0]):
            newest += 1
        back = branches[newest][1]
        # What was called by it only returns into the kernel's or a module's text.
        if is_named(symbols, back, "arch_rethook", "kretprobe", "__kretprobe") or \
           not symbols.is_image(back):
            return len(branches) - 1 - newest
    # Ended with a jump to another function, whose return it then is: behind it the trampoline of
    # fexit begins with a call. Of a thunk alone, whose way in is lost, nobody can say whose return
    # it is: it is spent.
    borders = [i for i in range(len(branches) - 1)
               if (not symbols.is_image(branches[i][1]) and
                   is_named(symbols, branches[i + 1][1], "__bpf_prog_enter") and
                   not returns_from_program(branches, i, symbols, ranges) or
                   is_named(symbols, branches[i][1], "arch_rethook_tramp", "__kretprobe_tramp")) and
               symbols.is_image(origin_of(branches, i, symbols)) and
               not is_thunk(symbols, origin_of(branches, i, symbols)) and
               not is_named(symbols, origin_of(branches, i, symbols), *IRQ_EXIT,
                            "arch_rethook_tramp", "__kretprobe_tramp")]
    return len(branches) - 1 - (borders[-1] if borders else -1)


def held_up(branches, symbols):
    """Did an interrupt or exception that came in the kernel, or another BPF program, end in these
    branches?"""
    return any(source >> 63 and target >> 63 and
               is_named(symbols, source, *IRQ_EXIT, "__bpf_prog_exit", "__bpf_tramp_exit")
               for source, target in branches)


def spent_of(snapshot, symbols):
    """Entries that the trigger spent, which may be all; None where nothing can be told."""
    trigger, branches = snapshot["trigger"], ends(snapshot)
    kind, function = trigger["kind"], trigger["function"]
    ranges = list(symbols.ranges(function or ""))
    if kind in ("hw", "pmi"):
        return 0  # the CPU itself stops the LBR
    if snapshot["lbr"]["filter"] not in ("any", "any,u,k"):
        return None
    if kind in RETURNS and ranges:
        return spent_on_return(branches, symbols, ranges)
    if kind in ON_ENTRY and ranges:
        entered = [i for i, (_, target) in enumerate(branches) if any(start == target for start, _ in ranges)]
        # The breakpoint or call is at the entry, or behind an endbr64: all that is newer is spent.
        return len(branches) - 1 - (entered[-1] if entered else -1)
    if kind in ("tracepoint", "rawtracepoint"):
        names = [name.format(function) for name in TRACEPOINTS] + \
            (list(SYSCALL_TRACEPOINTS) if kind == "tracepoint" else [])
        machinery = {addr for name in names for addr in symbols.by_name.get(name, ())}
        calls = [i for i, (_, target) in enumerate(branches) if target in machinery and
                 symbols.start(origin_of(branches, i, symbols)) not in machinery and
                 not is_thunk(symbols, origin_of(branches, i, symbols)) and
                 # An interrupt that came in a thunk goes back there: that is no call.
                 not is_named(symbols, origin_of(branches, i, symbols), *IRQ_EXIT)]
        return len(branches) - 1 - (calls[-1] if calls else -1)
    return None


def wasted_error(snapshot, symbols):
    """Is what is called wasted something else than what the trigger spent? Why, or None."""
    lbr, must = snapshot["lbr"], spent_of(snapshot, symbols)
    if must is not None and lbr["wasted"] != must:
        return f"{lbr['wasted']} entries are called wasted, must be {must}"
    # The way to the snapshot is shorter than the LBR, but for an interrupt or another program.
    # Architectural LBR's driver leaves interrupts out.
    if lbr["wasted"] == lbr["depth"] >= 32 and "type" not in lbr["supported"] and \
       snapshot["trigger"]["kind"] in ("fexit", "fentry") and not held_up(ends(snapshot), symbols):
        return "all is called wasted, and neither an interrupt nor another program has run"
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
