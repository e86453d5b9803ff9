"""kernel_text.py - which instructions of the kernel's image are conditional branches, by their bytes

The image is Debian's, the bytes are read here: neither lbrsnoop nor its decoder is asked.
"""
import functools
import struct

from errno_sites import section_of, vmlinux_of

# Intel SDM vol. 2, 2.1.1 "Instruction Prefixes", 2.2.1 "REX Prefixes"
PREFIXES = bytes((0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3, *range(0x40, 0x50)))
INSN_BYTES_MAX = 15


def is_conditional(code):
    """Does this code begin with Jcc, LOOPcc or JrCXZ? SDM vol. 2, appendix A, tables A-2 and A-3"""
    code = code[:INSN_BYTES_MAX].lstrip(PREFIXES)
    first, second = (*code[:2], 0, 0)[:2]
    return 0x70 <= first <= 0x7f or 0xe0 <= first <= 0xe3 or first == 0x0f and 0x80 <= second <= 0x8f


def alternatives(linked, size, rows, replacements):
    """{address: the other codes that may be there} where the CPU decides which code runs: struct alt_instr of
    arch/x86/include/asm/alternative.h, 12 bytes up to Linux 6.2, then 14. Behind a replacement that is shorter
    are NOPs. @rows, @replacements: (where the section is linked, its bytes)"""
    start, table = rows
    other, code = replacements
    for row_bytes, lengths in ((12, 10), (14, 12)):
        ats = range(0, len(table) - row_bytes + 1, row_bytes)
        places = [(start + at + struct.unpack_from("<i", table, at)[0], table[at + lengths],
                   start + at + 4 + struct.unpack_from("<i", table, at + 4)[0] - other, table[at + lengths + 1])
                  for at in ats]
        # Of the wrong size nearly all lead nowhere.
        inside = sum(linked <= addr < linked + size for addr, *_ in places)
        if len(table) % row_bytes == 0 and inside * 2 > len(places):
            patched = {}
            for addr, count, begin, length in places:
                for i in range(count):
                    patched.setdefault(addr + i, []).append(code[begin:begin + length][i:])
            return patched
    raise ValueError(".altinstructions: rows of another size")


@functools.lru_cache  # of all parts of a guest
def image_of(kernel):
    """(Where .text is linked, its bytes, alternatives() of it)"""
    vmlinux = vmlinux_of(kernel)
    linked, code = section_of(vmlinux, ".text")
    return linked, code, alternatives(linked, len(code), section_of(vmlinux, ".altinstructions"),
                                      section_of(vmlinux, ".altinstr_replacement"))


class KernelText:
    """.text of a kernel's image, at the addresses of a guest whose _stext is there"""

    def __init__(self, kernel, stext):
        self.linked, self.code, self.patched = image_of(kernel)
        self.moved = stext - self.linked

    def is_conditional(self, addr):
        """None: it cannot be told"""
        at = addr - self.moved - self.linked
        if not 0 <= at < len(self.code):
            return None
        codes = [self.code[at:at + INSN_BYTES_MAX], *self.patched.get(addr - self.moved, [])]
        told = {is_conditional(code) for code in codes}
        return told.pop() if len(told) == 1 else None


def conditionals(snapshots, text):
    """{address: is it a conditional branch?} of the instructions that paths list, where it can be told"""
    listed = {int(insn["addr"], 16) for s in snapshots for block in s["path"] or [] for insn in block["insns"] or []}
    told = {addr: text.is_conditional(addr) for addr in sorted(listed)}
    return {addr: is_one for addr, is_one in told.items() if is_one is not None}
