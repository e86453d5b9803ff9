"""sites.py - instructions that load an errno, in the kernel and its modules, by objdump alone

A site is (address or offset, errno number, class). Classes:
  load      mov, movl or movq to memory, push, or: the value is there when it has run
  masked    and behind sbb, neg or sar of that register: the value or 0; neg of 0 or 1, or 1 less
  computed  lea, add, sub or neg that may make an errno out of a truth value or an errno's
            positive number: which one is not in the instruction; its number is 0
"""
import bisect
import errno
import json
import os
import re
import subprocess
import tempfile

CACHE = os.environ.get("LBRSNOOP_CACHE") or os.path.expanduser("~/.cache/lbrsnoop")
# Those within the kernel (ERESTARTSYS to ENOIOCTLCMD, EOPENSTALE, ENOPARAM, EBADHANDLE on) end as
# others, or are seen by no program.
NUMBERS = frozenset(errno.errorcode) | frozenset((524,))
# Of two names of one number, the one that strace prints.
NAMES = {**errno.errorcode, errno.EOPNOTSUPP: "EOPNOTSUPP", errno.EAGAIN: "EAGAIN",
         errno.EDEADLK: "EDEADLK"}
VERSION = 5

INSN = re.compile(r"\s*([0-9a-f]+):\t(?:[0-9a-f]{2} )*\s*(\S.*)")
NEGATIVE = re.compile(r"\$0xf{5,13}([0-9a-f]{3})(?![0-9a-f])")
LOAD = re.compile(r"(?:mov[lq]?|movabs|push[q]?|or[lq]?)\s+\$0x(f{5,13}[0-9a-f]{3})(?:,|$)")
MASK = re.compile(r"and[lq]?\s+\$0x(f{5,13}[0-9a-f]{3}),%(\w+)$")
LEA = re.compile(r"lea\s+-0x([0-9a-f]{1,2})\([^)]*\),%(\w+)$")
TRUTH = re.compile(r"(?:sbb|neg|sar|set\w+|movzbl|not|shr)\b.*%(\w+)$")
BIT = re.compile(r"(?:set\w+|movzbl|and[lq]?\s+\$0x1,).*%(\w+)$")
ADD = re.compile(r"(?:add|sub)[lq]?\s+\$0x([0-9a-f]+),%(\w+)$")
MINUS = re.compile(r"(?:neg[lq]?\s+|sub[lq]?\s+\$0x1,)%(\w+)$")
WINDOW = 4
# -1 is EPERM, and much else: a register that holds it is followed this far.
FOLLOWED = 10
MINUS_ONE = re.compile(r"(?:mov|or)[lq]?\s+\$0xf+,%(\w+)$")
ARGUMENTS = frozenset(("di", "si", "d", "c", "r8", "r9"))
LEAVES = re.compile(r"(jmp|ret|call|ud2|int3)")


def _register(name):
    """One name for the parts of a register."""
    name = re.sub(r"^r([0-9]+)[dwb]?$", r"r\1", name)
    match = re.match(r"^[re]?([abcd])[xl]$", name) or re.match(r"^[re]?([sd]i|[sb]p)l?$", name)
    return match[1] if match else name


def _value(digits):
    """The errno that 0xff...ea stands for, 32 or 64 bits wide, or None."""
    number = int(digits, 16)
    for bits in (32, 64):
        if (1 << bits) - number in NUMBERS and len(digits) * 4 == bits:
            return (1 << bits) - number
    return None


def _site(text, before):
    """(errno number, class) of an instruction, or None; @before: texts of those before it"""
    match = LOAD.match(text)
    if match:
        number = _value(match[1])
        return (number, "load") if number else None
    truths = {_register(t[1]) for t in map(TRUTH.match, before) if t}
    match = MASK.match(text)
    if match:
        number = _value(match[1])
        return (number, "masked") if number and _register(match[2]) in truths else None
    bits = {_register(bit[1]) for bit in map(BIT.match, before) if bit}
    match = MINUS.match(text)
    if match and _register(match[1]) in bits:
        return (errno.EPERM, "masked")
    match = ADD.match(text)
    if match and _register(match[2]) in truths:
        return (0, "computed")
    match = LEA.match(text)
    if match and truths:
        return (0, "computed")
    return None


def _is_eperm(register, texts):
    """Is the -1 in @register an errno, as far as @texts, the instructions behind it, tell?

    No, where it is an operand of anything but a move, or goes to a function as its argument.
    """
    for text in texts:
        used = {_register(name) for name in re.findall(r"%(\w+)", text)}
        if LEAVES.match(text):
            return not (text.startswith("call") and register in ARGUMENTS)
        if register in used:
            # 16 bits are a port, or an offset that is not set.
            return bool(re.match(r"(mov[lq]?\s+%(?!([abcd]x|[sd]i|[sb]p|r\d+w),)\w+,|cmov)", text))
    return True


def _without_minus_ones(found, texts):
    """@found without the instructions that load a -1 that is not EPERM.

    @texts: those of the section, {address: (text, [those behind it])}
    """
    kept = []
    for site in found:
        if site[2:] == (errno.EPERM, "load"):
            text, behind = texts[site[:2]]
            match = MINUS_ONE.match(text)
            if not match or not _is_eperm(_register(match[1]), behind):
                continue
        kept.append(site)
    return kept


def of_file(path):
    """[(section, address, number, class)] of an ELF file"""
    found, before, section, texts, followed = [], [], "", {}, []
    with subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", "-w", path],
                          stdout=subprocess.PIPE, text=True, errors="replace") as objdump:
        for line in objdump.stdout:
            match = INSN.match(line)
            if not match:
                if line.startswith("Disassembly of section "):
                    section = line.split()[-1].rstrip(":")
                before = [] if line.endswith(">:\n") else before
                continue
            text = match[2].split("  #")[0].split(" <")[0].rstrip()
            followed = [behind for behind in followed if len(behind) < FOLLOWED]
            for behind in followed:
                behind.append(text)
            site = _site(text, before)
            if site:
                found.append((section, int(match[1], 16), *site))
                if site == (errno.EPERM, "load"):
                    followed.append([])
                    texts[found[-1][:2]] = text, followed[-1]
            before = before[1 - WINDOW:] + [text]
    if objdump.returncode:
        raise OSError(f"objdump {path}: status {objdump.returncode}")
    return _without_minus_ones(found, texts)


def _kallsyms(path):
    """Sorted [(address, name, module or "")] of text, as the guest shows it."""
    found = []
    with open(path, encoding="ascii") as lines:
        for line in lines:
            fields = line.split()
            if fields[1] in "tTwW":
                module = fields[3].strip("[]") if len(fields) > 3 else ""
                found.append((int(fields[0], 16), fields[2], module))
    return sorted(found)


def _cached(release, name, make):
    """@make's JSON, kept in the cache."""
    directory = os.path.join(CACHE, "sites", release)
    path = os.path.join(directory, f"{name}.{VERSION}.json")
    if not os.path.exists(path):
        os.makedirs(directory, exist_ok=True)
        made = make()
        with open(f"{path}.{os.getpid()}", "w", encoding="ascii") as out:
            json.dump(made, out)
        os.rename(out.name, path)
    with open(path, encoding="ascii") as lines:
        return json.load(lines)


def of_kernel(release):
    """[(address, number, class)], as linked"""
    vmlinux = os.path.join(CACHE, "direct", release, "vmlinux")
    return _cached(release, "vmlinux", lambda: [site[1:] for site in of_file(vmlinux)])


def _call_ends(release, start, end):
    """Where do_syscall_64 puts what a system call returned into pt_regs."""
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", f"--start-address={start:#x}",
                              f"--stop-address={end:#x}",
                              os.path.join(CACHE, "direct", release, "vmlinux")],
                             capture_output=True, text=True, check=True).stdout
    ends = re.findall(r"^\s*([0-9a-f]{16}):\s+mov\s+%rax,0x50\(%\w+\)", listing, re.M)
    if not ends:
        raise ValueError("do_syscall_64 stores no result, as far as we see")
    return frozenset(int(addr, 16) for addr in ends)


def module_path(release, module):
    """The .ko file of a module by its name in /sys/module, or None."""
    directory = os.path.join(CACHE, "kernel", release, "lib", "modules", release)
    with open(os.path.join(directory, "modules.dep"), encoding="ascii") as lines:
        for line in lines:
            path = line.split(":")[0]
            if re.sub(r"\.ko.*", "", os.path.basename(path)).replace("-", "_") == module:
                return os.path.join(directory, path)
    return None


def of_module(release, module):
    """[(section, offset, number, class)]"""
    path = module_path(release, module)
    if not path:
        return []

    def make():
        with tempfile.NamedTemporaryFile(suffix=".ko") as plain:
            unpack = {"xz": ["xz", "-dc"], "zst": ["zstd", "-dcq"]}.get(path.rsplit(".", 1)[1],
                                                                      ["cat"])
            subprocess.run(unpack + [path], stdout=plain, check=True)
            plain.flush()
            return of_file(plain.name)

    return _cached(release, module, make)


class Sites:
    """What may load an errno in a guest: the kernel as linked (--direct), modules where loaded."""

    def __init__(self, kernel, sections, kallsyms):
        """@sections, @kallsyms: files of guest_rows; the first: MODULE SECTION ADDRESS"""
        self.release = os.readlink(os.path.join(CACHE, "kernel", kernel))
        self.symbols = _kallsyms(kallsyms)
        self.starts = [symbol[0] for symbol in self.symbols]
        self.entry = next(addr for addr, name, _ in self.symbols if name == "do_syscall_64")
        end = self.starts[bisect.bisect_right(self.starts, self.entry)]
        self.exits = _call_ends(self.release, self.entry, end)
        self.at = {addr: (number, kind) for addr, number, kind in of_kernel(self.release)}
        where = {}
        with open(sections, encoding="ascii") as lines:
            for line in lines:
                module, section, addr = line.split()
                where.setdefault(module, {})[section] = int(addr, 16)
        for module, bases in where.items():
            for section, offset, number, kind in of_module(self.release, module):
                if section in bases and not section.startswith(".init"):
                    self.at[bases[section] + offset] = (number, kind)

    def addresses(self):
        """What the emulator is to log."""
        return sorted(set(self.at) | self.exits | {self.entry})

    def name(self, addr):
        """(function, offset, module or "")"""
        start, name, module = self.symbols[bisect.bisect_right(self.starts, addr) - 1]
        return name, addr - start, module
