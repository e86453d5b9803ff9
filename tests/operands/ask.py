# SPDX-License-Identifier: GPL-2.0
"""ask.py - gdb is asked what operand_facts says of a file; runs within gdb

FACTS, the environment's: the file of facts. Prints "ok FACTS N", or a line for each that gdb
contradicts, and the number of those that it was asked in vain.
"""
import os
import re
import sys

import gdb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stub  # noqa: E402

# The CPU's numbers of the registers, in gdb's order.
BY_CPU = (0, 2, 3, 1, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15)
ALL = (1 << 64) - 1
# What is read as a number where the source has bytes.
WIDTHS = {"u8": "unsigned char", "u16": "unsigned short", "u32": "unsigned int", "u64": "unsigned long"}
CURRENT = None


def current_task():
    """Where the kernel keeps it: from Linux 6.2 to 6.14 in a struct, arch/x86/include/asm/current.h."""
    if gdb.lookup_static_symbol("pcpu_hot") or gdb.lookup_global_symbol("pcpu_hot"):
        return "pcpu_hot.current_task"
    return "current_task"


class Contradiction(Exception):
    pass


class Held(Contradiction):
    """The variable is there, and holds something else: no outer function's one of that name is meant."""


class Silent(Exception):
    """gdb 13 runs into an error of its own, with variables that are in pieces."""


def register_value(cpu):
    return stub.register(BY_CPU[cpu])


def alternatives(text):
    found = re.search(r"\(([^()|]*(?:\|[^()|]*)+)\)", text)
    if not found:
        return [text]
    return [text[:found.start()] + name + text[found.end():] for name in found.group(1).split("|")
            if name != "..."]


def number(value):
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_PTR:
        return int(value) & ALL
    return int(value.cast(gdb.lookup_type("unsigned long"))) & ALL


def in_frames(addr, check):
    """A name is of the innermost inlined function that has it; what is optimised out, is not."""
    # Not "set var $rip": gdb looks for the frame that it had before, up a chain that has no end.
    gdb.execute("monitor %x" % addr, to_string=True)
    gdb.execute("maintenance flush register-cache", to_string=True)
    frame, why, broken = gdb.newest_frame(), [], False
    while frame:
        frame.select()
        try:
            check()
            return
        except Held:
            raise
        except Contradiction as error:
            why.append(str(error))
        except gdb.error as error:
            why.append("gdb: " + str(error).split("\n")[0])
        except KeyboardInterrupt:
            broken = True
        if frame.type() != gdb.INLINE_FRAME:
            break
        frame = frame.older()
    if broken:
        raise Silent
    raise Contradiction("; ".join(why))


def replace_call(text, name, size):
    """Functions of include/net/netlink.h that are inlined everywhere: so far behind their argument."""
    while name + "(" in text:
        begin = text.index(name + "(")
        end = begin + len(name)
        depth = 0
        while True:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
            if not depth:
                break
        inner = text[begin + len(name):end]
        text = "%s((char *)%s + %d)%s" % (text[:begin], inner, size, text[end:])
    return text


def as_gdb_knows(text):
    """`current` is a macro, and a call's result is nowhere."""
    text = text.replace("this_cpu ", "")
    for name, size in (("nla_data", 4), ("nlmsg_data", 16)):
        text = replace_call(text, name, size)
    for bits, kind in WIDTHS.items():
        text = text.replace("(%s *)" % bits, "(%s *)" % kind)
    text = re.sub(r"\bcurrent\b", "((struct task_struct *)0x1000)", text)

    def result(found):
        declared = str(gdb.parse_and_eval("&" + found.group(1)).type)
        return "((%s)0x1000)" % declared.split("(*)")[0]
    return re.sub(r"\b([A-Za-z_][\w.]*)\(\)", result, text)


def expect(what, is_, should):
    if is_ != should:
        raise Contradiction("%s: gdb %#x, said %#x" % (what, is_, should))


def check_register(fact, text):
    value = gdb.parse_and_eval(text)
    if value.is_optimized_out:
        raise Contradiction(text + ": optimized out")
    mask = (1 << 8 * value.type.sizeof) - 1
    try:
        expect(text, number(value) & mask, (register_value(fact.reg) + fact.offset) & mask)
    except Contradiction as error:
        # Where no function has it, gdb takes a global variable of that name.
        symbol = gdb.lookup_symbol(re.match(r"\w+", text).group())[0]
        if symbol and symbol.needs_frame:
            raise Held(str(error)) from error
        raise


def check_address(fact, text, should):
    if not fact.bytes:
        expect(text, number(gdb.parse_and_eval(text)), should & ALL)
        return
    value = gdb.parse_and_eval(text)
    expect("&" + text, number(gdb.parse_and_eval("&(%s)" % text)) + fact.part, should & ALL)
    size = value.type.sizeof
    if size != fact.bytes and not (fact.part_ok and fact.part + fact.bytes <= size):
        raise Contradiction("%s: %d bytes, said %d" % (text, size, fact.bytes))


def check_bits(fact, text):
    at = number(gdb.parse_and_eval(as_gdb_knows(fact.pointer))) + fact.offset
    shift = (fact.mask & -fact.mask).bit_length() - 1
    bits = int.from_bytes(stub.memory(at, 8), "little") & fact.mask
    value = gdb.parse_and_eval(text)
    expect(text, int(value) & (fact.mask >> shift), bits >> shift)
    if value.type.sizeof * 8 < bin(fact.mask).count("1"):
        raise Contradiction(text + ": is too small")


class Fact:
    def __init__(self, line):
        _, self.kind, at, reg, offset, size, part, mask, self.pointer, self.text = line.split("\t")
        self.at, self.reg, self.offset = int(at, 16), int(reg), int(offset)
        self.bytes, self.part, self.mask = int(size), int(part), int(mask, 16)
        # Bits were asked for: more of them may be beside.
        self.part_ok = True

    def check_one(self, text):
        if self.kind == "register":
            check_register(self, text)
        elif self.kind == "bits":
            check_bits(self, as_gdb_knows(text))
        elif self.kind == "stack":
            check_address(self, as_gdb_knows(text), register_value(self.reg) + self.offset)
        elif self.kind == "percpu" and text == "current":
            expect("current", number(gdb.parse_and_eval("&" + CURRENT)), self.offset)
        elif self.kind in ("global", "percpu"):
            check_address(self, as_gdb_knows(text), self.offset)
        else:
            pointer = gdb.parse_and_eval(as_gdb_knows(self.pointer))
            # Where no function inlined here has the variable gdb finds the program's function of that
            # name, and any number of "*" before that is still the function.
            if pointer.type.code == gdb.TYPE_CODE_FUNC:
                raise Contradiction(self.pointer + ": a function")
            base = number(pointer)
            check_address(self, as_gdb_knows(text), base + self.offset)

    def check(self):
        for text in alternatives(self.text):
            in_frames(self.at, lambda text=text: self.check_one(text))


def main():
    global CURRENT
    for command in ("set pagination off", "set confirm off", "set trust-readonly-sections on",
                    "set language c", "set osabi none", "set max-value-size unlimited",
                    "maintenance set internal-error quit no",
                    "maintenance set internal-error corefile no",
                    # Nothing runs: gdb would wait for ever for the end of a call.
                    "set may-call-functions off",
                    # A machine that is busy is slow to start the stub: an answer that comes late is
                    # taken for the next one.
                    "set remotetimeout 300",
                    "target remote | /usr/bin/python3 " + stub.__file__):
        gdb.execute(command, to_string=True)
    CURRENT = current_task()
    checked = wrong = 0
    seen = set()
    with open(os.environ["FACTS"], encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("F\t") or line in seen:
                continue
            seen.add(line)
            fact = Fact(line.rstrip("\n"))
            checked += 1
            try:
                fact.check()
            except Silent:
                checked -= 1
            except Contradiction as error:
                wrong += 1
                print("WRONG\t%s\t%s" % (error, line.rstrip("\n")))
    print("CHECKED\t%d\t%d" % (checked, wrong))


main()
