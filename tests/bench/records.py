#!/usr/bin/python3
"""records.py - snapshots of a capture file as records of the ring buffer

Usage: records.py CAPTURE OUT COUNT [TARGET KIND]

COUNT records with the branches of the capture's snapshots, over and over. No two are alike: cycles
and mispredictions vary from one to the next, as they would. Formats: src/capfile/format.h,
bpf/record.h, struct perf_branch_entry of Linux.
"""
import random
import struct
import subprocess
import sys

SNAPSHOT = 6
BRANCHES_MAX = 32
RAWTRACEPOINT = 6
MISPRED, PREDICTED = 1, 2
CYCLES_SHIFT, CYCLES = 4, 0xffff << 4


def snapshots(path):
    with open(path, "rb") as file:
        file.read(24)
        stream = subprocess.run(["zstd", "-dcq"], input=file.read(), stdout=subprocess.PIPE,
                                check=True).stdout
    at = 0
    while at < len(stream):
        kind, size = struct.unpack_from("<II", stream, at)
        if kind == SNAPSHOT:
            yield stream[at + 12:at + 12 + size]
        at += 12 + size


def vary(entry, dice):
    source, target, flags = entry
    flags &= ~(MISPRED | PREDICTED | CYCLES)
    flags |= MISPRED if dice.random() < 0.1 else PREDICTED
    flags |= min(65535, int(dice.expovariate(0.15)) + 1) << CYCLES_SHIFT
    return source, target, flags


def main():
    dice = random.Random(6)
    count = int(sys.argv[3])
    target = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    kind = int(sys.argv[5]) if len(sys.argv) > 5 else RAWTRACEPOINT
    # ts_ns, ip, retval, lost, trigger, cpu, pid, tid, flags, count, read, comm
    fixed = struct.Struct("<QQqQIIIIHHI16s")
    have = list(snapshots(sys.argv[1]))
    with open(sys.argv[2], "wb") as out:
        for i in range(count):
            payload = have[i % len(have)]
            _, ip, retval, _, _, cpu, pid, _, _, entries, read, comm = fixed.unpack_from(payload)
            branches = list(struct.iter_unpack("<QQQ", payload[fixed.size:fixed.size + 24 * entries]))
            branches = [vary(entry, dice) for entry in branches[:BRANCHES_MAX]]
            head = struct.pack("<QQqIHHIIIi16s", 0, ip, retval, target, cpu, kind, pid, 0,
                               len(branches), read, comm)
            flat = [number for entry in branches for number in entry]
            flat += [0] * (3 * BRANCHES_MAX - len(flat))
            out.write(head + struct.pack(f"<{3 * BRANCHES_MAX}Q", *flat))


main()
