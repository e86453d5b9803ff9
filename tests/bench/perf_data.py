#!/usr/bin/python3
"""perf_data.py - a perf.data of branches, for perf script to do what lbrsnoop does

Usage: perf_data.py ADDRESSES PERF_DATA SNAPSHOTS

ADDRESSES: lines "FROM TO" of kernel branches, oldest first, 32 a snapshot. One sample a snapshot.
Formats: tools/perf/Documentation/perf.data-file-format.txt, include/uapi/linux/perf_event.h.
"""
import struct
import sys

DEPTH = 32
ATTR_BYTES = 128
SAMPLE_IP, SAMPLE_TID, SAMPLE_TIME, SAMPLE_BRANCH_STACK = 1, 2, 4, 0x800
RECORD_MMAP, RECORD_SAMPLE = 1, 9
MISC_KERNEL = 1
TEXT, TEXT_END = 0xffffffff81000000, 0xffffffff82000000


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def main():
    addresses, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(addresses, encoding="ascii") as file:
        branches = [tuple(int(a, 16) for a in line.split()) for line in file]
    sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_BRANCH_STACK
    # type, size, config, period, sample_type, read_format, flags, wakeup, bp_type, config1,
    # config2, branch_sample_type (any, u, k)
    attr = struct.pack("<IIQQQQQIIQQQ", 0, ATTR_BYTES, 0, 1000, sample_type, 0, 0, 0, 0, 0,
                       0, 1 << 3 | 1 << 0 | 1 << 1)
    attr = attr.ljust(ATTR_BYTES, b"\0")
    name = b"[kernel.kallsyms]_text\0"
    name += b"\0" * (-len(name) % 8)
    data = record(RECORD_MMAP, MISC_KERNEL,
                  struct.pack("<iiQQQ", -1, 0, TEXT, TEXT_END - TEXT, TEXT) + name)
    for i in range(min(count, len(branches) // DEPTH)):
        # perf wants the newest first
        stack = branches[i * DEPTH:(i + 1) * DEPTH][::-1]
        body = struct.pack("<QIIQQ", stack[0][1], 1, 1, i + 1, len(stack))
        for source, target in stack:
            body += struct.pack("<QQQ", source, target, 2)
        data += record(RECORD_SAMPLE, MISC_KERNEL, body)
    attrs_at = 104
    data_at = attrs_at + ATTR_BYTES + 16
    header = struct.pack("<8sQQQQQQQQ4Q", b"PERFILE2", 104, ATTR_BYTES + 16, attrs_at,
                         ATTR_BYTES + 16, data_at, len(data), 0, 0, 0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(header + attr + struct.pack("<QQ", 0, 0) + data)


main()
