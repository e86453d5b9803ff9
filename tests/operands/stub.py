#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""stub.py - a stopped machine for gdb: settable registers, and memory of which each byte is known

Speaks gdb's remote protocol on stdin and stdout. Nothing runs: gdb is to evaluate expressions at
an address, with registers whose values tell them apart.
"""
import sys

GENERAL = ("rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12",
           "r13", "r14", "r15")
# rip; eflags and six segments; st0-7; eight of the FPU's; xmm0-15; mxcsr
SIZE = 16 * 8 + 8 + 7 * 4 + 8 * 10 + 8 * 4 + 16 * 16 + 4


def register(i):
    """All of its 8, 16, 32 and 64 lowest bits differ from every other register's."""
    return 0xffff888000000000 + ((i + 1) << 32) + (i + 1) * 0x01030507


def byte_at(addr):
    return (addr * 0x9e3779b97f4a7c15 >> 29 ^ addr >> 3) & 0xff


def memory(addr, size):
    return bytes(byte_at(a & 0xffffffffffffffff) for a in range(addr, addr + size))


class Stub:
    def __init__(self):
        self.registers = bytearray(SIZE)
        for i in range(16):
            self.registers[8 * i:8 * i + 8] = register(i).to_bytes(8, "little")

    def answer(self, packet):
        command, rest = packet[:1], packet[1:]
        if command == "?":
            return "S05"
        if command == "g":
            return self.registers.hex()
        if packet.startswith("qRcmd,"):  # "monitor ADDRESS"
            addr = int(bytes.fromhex(packet[6:]).decode(), 16)
            self.registers[16 * 8:17 * 8] = addr.to_bytes(8, "little")
            return "OK"
        if command == "m":
            addr, size = (int(x, 16) for x in rest.split(","))
            return memory(addr, size).hex()
        if command == "H" or packet.startswith("qAttached"):
            return "OK" if command == "H" else "1"
        return ""

    def run(self):
        source, sink = sys.stdin.buffer, sys.stdout.buffer
        while True:
            char = source.read(1)
            if not char:
                return
            if char != b"$":
                continue
            packet = b""
            while not packet.endswith(b"#"):
                packet += source.read(1)
            source.read(2)
            text = packet[:-1].decode()
            if text.startswith("k"):
                return
            reply = self.answer(text).encode()
            sink.write(b"+$" + reply + b"#%02x" % (sum(reply) & 0xff))
            sink.flush()


if __name__ == "__main__":
    Stub().run()
