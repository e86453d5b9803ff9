#!/usr/bin/python3
"""multiply.py - a capture file with the snapshots of another over and over

Usage: multiply.py IN OUT SNAPSHOTS

Times go on by 10 us a snapshot. Format: src/capfile/format.h.
"""
import struct
import subprocess
import sys
import zlib

SNAPSHOT, END = 6, 7


def record(kind, payload):
    head = struct.pack("<II", kind, len(payload))
    return head + struct.pack("<I", zlib.crc32(payload, zlib.crc32(head))) + payload


def main():
    with open(sys.argv[1], "rb") as file:
        head = file.read(24)
        stream = subprocess.run(["zstd", "-dcq"], input=file.read(), stdout=subprocess.PIPE,
                                check=True).stdout
    before, snapshots, at = [], [], 0
    while at < len(stream):
        kind, size = struct.unpack_from("<II", stream, at)
        payload = stream[at + 12:at + 12 + size]
        at += 12 + size
        if kind == SNAPSHOT:
            snapshots.append(payload)
        elif kind != END:
            before.append(record(kind, payload))
    count = int(sys.argv[3])
    start = struct.unpack_from("<Q", snapshots[0])[0]
    with open(sys.argv[2], "wb") as out:
        out.write(head)
        out.flush()
        with subprocess.Popen(["zstd", "-1", "-cq", "--check", "--no-progress"], stdin=subprocess.PIPE,
                              stdout=out) as zstd:
            zstd.stdin.write(b"".join(before))
            for i in range(count):
                payload = snapshots[i % len(snapshots)]
                zstd.stdin.write(record(SNAPSHOT, struct.pack("<Q", start + 10000 * i) + payload[8:]))
            zstd.stdin.write(record(END, struct.pack("<QQ", count, 0)))
            zstd.stdin.close()
            zstd.wait()


main()
