"""errno_sites.py - where a function makes an errno, without asking lbrsnoop

From objdump's text of the kernel's image, and from the branch that the emulator's log says was the
last before the breakpoint: behind it the code runs straight ahead, and the first instruction there
that loads the errno is where the breakpoint must have been.
"""
import errno
import os
import re
import subprocess

from spent import Symbols

CACHE = os.environ.get("LBRSNOOP_CACHE") or os.path.expanduser("~/.cache/lbrsnoop")
CASES = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "errno_cases")


def cases():
    """[(run, kind, errno's name, function)]"""
    with open(CASES, encoding="ascii") as lines:
        return [tuple(line.split()) for line in lines if not line.startswith("#")]


def vmlinux_of(kernel):
    """The image that Debian ships, unpacked"""
    return os.path.join(CACHE, "direct", os.readlink(os.path.join(CACHE, "kernel", kernel)), "vmlinux")


def section_of(vmlinux, name):
    """(Where it is linked, its bytes)"""
    headers = subprocess.run(["objdump", "-h", vmlinux], capture_output=True, text=True, check=True).stdout
    size, linked, offset = (int(word, 16) for word in re.search(
        rf" {re.escape(name)} +(\S+) +(\S+) +\S+ +(\S+)", headers).groups())
    with open(vmlinux, "rb") as file:
        file.seek(offset)
        return linked, file.read(size)


class Image:
    """The kernel's text as Debian ships it, at the addresses of a guest."""

    def __init__(self, kernel, kallsyms):
        self.vmlinux = vmlinux_of(kernel)
        self.symbols = Symbols(kallsyms)
        linked, _ = section_of(self.vmlinux, ".text")
        self.offset = self.symbols.by_name["_stext"][0] - linked
        # Its calls are NOPs as long as nobody traces the function.
        self.fentry = self.symbols.by_name["__fentry__"][0] - self.offset

    def function(self, name):
        """[(address in the guest, instruction as text)], the cold part included"""
        code = []
        for start, end in self.symbols.ranges(name):
            text = subprocess.run(
                ["objdump", "-d", "--no-show-raw-insn", f"--start-address={start - self.offset:#x}",
                 f"--stop-address={end - self.offset:#x}", self.vmlinux],
                capture_output=True, text=True, check=True).stdout
            for line in text.splitlines():
                match = re.match(r"(ffffffff[0-9a-f]{8}):\s+(.*)", line)
                if match:
                    insn = "nop" if f"{self.fentry:x}" in match[2] else match[2].strip()
                    code.append((int(match[1], 16) + self.offset, insn))
        return code


def debug_vmlinux(kernel):
    """vmlinux with DWARF of tests/vm/setup --dbg, or None."""
    release = os.readlink(os.path.join(CACHE, "kernel", kernel))
    path = os.path.join(CACHE, "debug", release, "boot", "vmlinux-" + release)
    return path if os.path.exists(path) else None


def frames_at(vmlinux, linked):
    """[(function, FILE, LINE)] of a link-time address as addr2line -i has them, innermost first.

    The build directory is cut off.
    """
    said = subprocess.run(["addr2line", "-i", "-f", "-e", vmlinux, f"{linked:#x}"],
                          capture_output=True, text=True, check=True).stdout.splitlines()
    frames = []
    for function, place in zip(said[::2], said[1::2]):
        match = re.match(r"(?:.*/)?((?:arch|block|fs|include|kernel|lib|mm|net|ipc)/\S+):(\d+)",
                         place)
        frames.append((function, match and match[1], match and int(match[2])))
    return frames


def line_at(vmlinux, linked):
    """FILE:LINE of a link-time address: where an inlined function stands, its line."""
    _, file, line = frames_at(vmlinux, linked)[0]
    return file and f"{file}:{line}"


def errno_line(vmlinux, function, number):
    """FILE:LINE of the instruction of @function that loads -@number."""
    text = subprocess.run(["objdump", "-d", f"--disassemble={function}", "--no-show-raw-insn",
                           vmlinux], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        match = re.match(r"(ffffffff[0-9a-f]{8}):\s+(.*)", line)
        if match and loads(match[2].strip(), number):
            return line_at(vmlinux, int(match[1], 16))
    return None


def loads(text, number):
    """Does this instruction load -@number, or -1 where that is what is meant?"""
    match = re.match(r"mov[lq]?\s+\$0x([0-9a-f]+),", text)
    return bool(match) and int(match[1], 16) in (2**32 - number, 2**64 - number)


def expected_site(code, target, number):
    """Straight on from @target: (address, None), or (None, why there is none)."""
    index = next((i for i, (addr, _) in enumerate(code) if addr == target), None)
    if index is None:
        return None, f"the last branch went to {target:#x}, which is no instruction of the function"
    for addr, text in code[index:]:
        if loads(text, number):
            return addr, None
        if re.match(r"(jmp|ret|call|ud2|int3)\b", text):
            return None, f"behind {target:#x} control leaves at {addr:#x}: {text}"
    return None, f"behind {target:#x} nothing loads the errno"


def site_error(snapshot, code, err):
    """What is wrong with a snapshot that should end where @err is loaded, or None."""
    number = getattr(errno, err)
    trigger = snapshot["trigger"]
    target = int(snapshot["branches"][-1]["to"]["addr"], 16)
    where, why = expected_site(code, target, number)
    if trigger["kind"] != "hw":
        return f"taken by {trigger['kind']}"
    if trigger["errno"] != err or trigger["retval"] != -number:
        return f"returned {trigger['retval']} ({trigger['errno']}), must be -{err}"
    if why:
        return why
    if int(trigger["ip"], 16) != where:
        return f"breakpoint at {trigger['ip']}, must be {where:#x}"
    last = snapshot["path"][-1]
    if last["gap"] or int(last["start"], 16) != target or int(last["end"], 16) != where:
        return f"the path ends with {last['start']} to {last['end']}, must be {target:#x} to {where:#x}"
    if snapshot["lbr"]["wasted"]:
        return f"{snapshot['lbr']['wasted']} entries wasted"
    return None
