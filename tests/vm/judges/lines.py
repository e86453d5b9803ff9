# SPDX-License-Identifier: GPL-2.0
"""lines.py - symbols and source lines of places in the JSON, held against nm and addr2line"""
import bisect
import os
import re
import subprocess


def addr2line(program, addrs, section=None):
    """{address: [(function, file, line)], innermost first; [] where there is no line}

    @section: addresses are offsets into it, as of a module; None: of the program
    """
    command = ["addr2line", "-a", "-f", "-i", "-e", program, *(["-j", section] if section else [])]
    said = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE,
                          input="".join(f"{addr:#x}\n" for addr in addrs)).stdout
    chains = {}
    for text in re.split(r"^(?=0x[0-9a-f]+$)", said, flags=re.M)[1:]:
        addr, *words = text.splitlines()
        frames = [(function, *place.split(" ")[0].rsplit(":", 1)) for function, place in zip(words[::2], words[1::2])]
        known = frames[0][1] != "??" and frames[0][2].isdigit() and frames[0][2] != "0"
        chains[int(addr, 16)] = [(function, os.path.normpath(file), int(line) if line.isdigit() else None)
                                 for function, file, line in frames] if known else []
    return chains


def bare(function):
    """Without arguments, scopes and what GCC appends: DWARF has the name alone."""
    mangled = re.match(r"_ZN?K?(?:\d+\w+?)?(\d+)([A-Za-z_]\w*)", function)
    if mangled:
        words = re.findall(r"\d+", function)
        at, name = len("_ZN") if function.startswith("_ZN") else len("_Z"), function
        for word in words:
            if not function.startswith(word, at):
                break
            name = function[at + len(word):at + len(word) + int(word)]
            at += len(word) + int(word)
        return name
    return function.split("(")[0].rsplit("::", 1)[-1].split(".")[0]


def same_file(mine, theirs):
    """The kernel's files are shown from the top of its tree."""
    return mine is not None and ("/" + theirs).endswith("/" + os.path.normpath(mine).lstrip("/"))


def chain_error(place, frames, assembly=False):
    """What the JSON says of an address, against what addr2line says; why they differ, or None.

    @assembly: code may have lines and no function in DWARF; addr2line asks the symbol table then
    """
    mine = [(f["function"], f["file"], f["line"]) for f in place["inlined"] or []]
    if not frames:
        return (place["line"] is not None or place["file"] is not None or mine) and \
            f"{place['addr']}: {place['file']}:{place['line']}, addr2line has no line"
    if (place["file"], place["line"]) != (mine[0][1:] if mine else (place["file"], place["line"])) or \
            place["line"] != frames[0][2] or not same_file(place["file"], frames[0][1]):
        return f"{place['addr']}: {place['file']}:{place['line']}, addr2line {frames[0]}"
    chain = mine or [(place["sym"], place["file"], place["line"])]
    # An inlined function whose name addr2line does not find, as of a declaration in C++, it calls as
    # the whole.
    outer = bare(frames[-1][0])
    same = len(chain) == len(frames) and all(
        line == wanted[2] and same_file(file, wanted[1]) and
        (bare(function) == bare(wanted[0]) or function == "" and assembly and len(frames) == 1 or
         function and number + 1 < len(frames) and bare(wanted[0]) == outer)
        for number, ((function, file, line), wanted) in enumerate(zip(chain, frames)))
    return not same and f"{place['addr']}: {chain}, addr2line {frames}"


def kernel_errors(places, vmlinux, offset):
    """What is wrong with the lines of places in the kernel's image, which was moved by @offset"""
    chains = addr2line(vmlinux, {int(place["addr"], 16) - offset for place in places})
    wrong = (chain_error(place, chains[int(place["addr"], 16) - offset], True) for place in places)
    return [why for why in wrong if why]


class Program:
    """What nm and addr2line know of one"""

    def __init__(self, path):
        self.path = path
        said = subprocess.run(["nm", "-C", "--defined-only", path], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        words = [line.split(maxsplit=2) for line in said.splitlines()]
        self.names = {}
        for addr, kind, name in words:
            if kind in "tTwW":
                self.names.setdefault(int(addr, 16), set()).add(name.split("(")[0])
        self.starts = sorted(self.names)

        said = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        insns = re.findall(r"^ +([0-9a-f]+):\t(?:(?:bnd|rep\w*) )*(\w+)", said, re.M)
        addrs = [int(addr, 16) for addr, _ in insns]
        self.returns = {addr for addr, (_, word) in zip(addrs, insns) if word.startswith("ret")}
        self.behind_calls = {addr for addr, (_, word) in zip(addrs[1:], insns) if word.startswith("call")}

    def moved(self, function, entry):
        """By how much the program was moved, of which @function begins at @entry: whole pages"""
        return next(entry - addr for addr, names in self.names.items()
                    if function in names and not (entry - addr) % 4096)

    def is_return(self, source, target):
        """A branch to the program that comes from a library is known by where it leads."""
        return source in self.returns or not self.holds(source) and target in self.behind_calls

    def holds(self, addr):
        """In its code? The last function is of the linker, and short."""
        return self.starts[0] <= addr < self.starts[-1] + 64

    def symbol_error(self, place, addr):
        start = self.starts[bisect.bisect_right(self.starts, addr) - 1]
        if place["sym"] in self.names[start] and place["off"] == addr - start:
            return None
        return f"{place['addr']} is {place['sym']}+{place['off']}, must be {self.names[start]}+{addr - start}"


def program_errors(snapshots, program, module):
    """(what is wrong, places, functions) of both ends of all branches in a program. Where a return
    leads, the line is that of the call."""
    wrong, places = [], []
    for snapshot in snapshots:
        moved = program.moved(snapshot["trigger"]["function"], int(snapshot["trigger"]["ip"], 16))
        for branch in snapshot["branches"]:
            addrs = [int(branch[end]["addr"], 16) - moved for end in ("from", "to")]
            for place, addr, back in zip((branch["from"], branch["to"]), addrs, (0, program.is_return(*addrs))):
                if program.holds(addr):
                    places.append((place, addr, addr - back))
                if program.holds(addr) != (place["module"] == module):
                    wrong.append(f"{place['addr']} is of {place['module']}")
    chains = addr2line(program.path, {asked for _, _, asked in places})
    for place, addr, asked in places:
        # The linker's own, which has no line: nm knows nothing of a PLT.
        linked = not chains[asked] and place["sym"] and place["sym"].endswith("@plt")
        why = chain_error(place, chains[asked]) or not linked and program.symbol_error(place, addr)
        if why:
            wrong.append(why)
    return wrong, len(places), {place["sym"] for place, _, _ in places}
