#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Print a Skylake dump of many CPUs: many_cpus.py [CPUS] [text|csv|json|records]"""
import struct
import sys

cpus = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
form = sys.argv[2] if len(sys.argv) > 2 else "text"


def registers(cpu):
    base = 0xFFFFFFFF81000000 + cpu * 0x10000
    for i in range(32):
        yield 0x680 + i, base + i * 0x100
        yield 0x6C0 + i, base + i * 0x100 + 0x40
        yield 0xDC0 + i, (i % 3 == 0) << 63 | i
    yield 0x1C9, cpu % 32


def every():
    for cpu in range(cpus):
        for msr, value in registers(cpu):
            yield cpu, msr, value


if form == "text":
    print("CPUID signature: 0x506e3")
    for cpu, msr, value in every():
        print(f"CPU {cpu}: MSR 0x{msr:x} 0x{value:016x}")
elif form == "csv":
    print("# model: 06_5EH\ncpu,msr,value")
    for cpu, msr, value in every():
        print(f"{cpu},0x{msr:x},0x{value:x}")
elif form == "json":
    items = (f'{{"cpu": {c}, "msr": "0x{m:x}", "value": "0x{v:x}"}}' for c, m, v in every())
    print("[" + ",\n".join(items) + "]")
else:
    for cpu, msr, value in every():
        sys.stdout.buffer.write(struct.pack("<IIQ", msr, cpu, value))
