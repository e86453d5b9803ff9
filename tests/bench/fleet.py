#!/usr/bin/python3
"""fleet.py - journals of many hosts, as systemd-journal-remote takes them on stdin

Usage: fleet.py HOSTS RECORDS [HOST]    HOST: the records of this one alone, from 0
       fleet.py --check HOSTS RECORDS   is stdin the summary of those? What report --journal --json prints
       fleet.py --day                   what a host sends in a day, for 1, 100 and 10,000 failures a second

Each host has RECORDS / HOSTS records of lbrsnoop watch: each of 50 paths in full once an hour, counts
otherwise; with those in full a capture goes, a file of 32 branches. All hosts have them all; the last host alone has one more. Fields are those of
src/export/journal.c, and those that journald adds.
"""
import collections
import functools
import json
import os
import struct
import sys

FULL = "0fa067c5e94549c6bac266c297feb233"
COUNT = "27577d07b258490283af9e243f8b5689"
START_US = 1_795_000_000_000_000
FUNCTIONS = ["do_sys_openat2", "vfs_mkdir", "do_mount", "tcp_v4_connect", "ext4_create"]
ERRNOS = [("EACCES", 13), ("ENOENT", 2), ("ENOSPC", 28), ("EPERM", 1), ("EIO", 5)]
PATHS = 50
ALONE = 999  # the path that one host alone has
# What lbrsnoop watch has where its configuration says nothing.
INTERVAL_S = 60
RECORDS_PER_S = 20
BYTES_PER_S = 16 << 10
SNAPSHOTS_PER_S = 1000
CAPTURE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "data", "export", "skylake-errno.lbr")


def ident_of(path):
    return f"{0x9E3779B97F4A7C15 * (path + 1) % 2**64:016x}"


def ours(path, full, count):
    """The fields that lbrsnoop itself sends."""
    name, number = ERRNOS[path % 5]
    function = FUNCTIONS[path // 5 % 5]
    fields = [
        ("MESSAGE_ID", FULL if full else COUNT), ("SYSLOG_IDENTIFIER", "lbrsnoop"), ("PRIORITY", 4 if full else 6),
        ("MESSAGE", f"path {ident_of(path)}, {count} times more"), ("LBRSNOOP_PATH_ID", ident_of(path)),
        ("LBRSNOOP_FUNCTION", function), ("LBRSNOOP_ERRNO", name), ("LBRSNOOP_COUNT", count),
    ]
    if full:
        fields += [
            ("LBRSNOOP_ORIGIN", f"{function}+0x{path:x}"), ("LBRSNOOP_ORIGIN_FUNCTION", function),
            ("LBRSNOOP_TRIGGER", "hw"), ("LBRSNOOP_BUILD_ID", "4a5a9b0affb66c437ab0" * 2),
            ("LBRSNOOP_KERNEL", "6.1.0-41-amd64"), ("LBRSNOOP_CPU_MODEL", "skylake"), ("ERRNO", number),
            ("LBRSNOOP_PID", 12345), ("LBRSNOOP_CGROUP", "/system.slice/nginx.service"), ("LBRSNOOP_UNIT", "nginx.service"),
            ("LBRSNOOP_CAPTURE_BYTES", len(capture())),
        ]
    return fields


@functools.lru_cache(maxsize=1)
def capture():
    with open(CAPTURE, "rb") as file:
        return file.read()


def exported(fields, full):
    """Source: https://systemd.io/JOURNAL_EXPORT_FORMATS/"""
    text = "".join(f"{key}={value}\n" for key, value in fields).encode()
    return text + (b"LBRSNOOP_CAPTURE\n" + struct.pack("<Q", len(capture())) + capture() + b"\n" if full else b"")


def records_of(hosts, records, one=None):
    """HOST, number, path, in full, count"""
    each = records // hosts
    for number in range(each):
        for host in range(hosts) if one is None else [one]:
            alone = host == hosts - 1 and number == each - 1
            yield host, number, ALONE if alone else number % PATHS, alone or number % 3000 < PATHS, number % 7 + 1


def make(hosts, records, alone):
    for host, number, path, full, count in records_of(hosts, records, alone):
        us = START_US + number * 1_200_000 + host
        fields = [
            ("__REALTIME_TIMESTAMP", us), ("__MONOTONIC_TIMESTAMP", us - START_US + 1),
            ("_BOOT_ID", f"{host + 1:032x}"), ("_MACHINE_ID", f"{host + 4096:032x}"), ("_HOSTNAME", f"host{host:04}"),
            ("_UID", 0), ("_GID", 0), ("_PID", 700), ("_TRANSPORT", "journal"), ("_COMM", "lbrsnoop"),
            ("_EXE", "/usr/sbin/lbrsnoop"), ("_CMDLINE", "lbrsnoop watch"), ("_SYSTEMD_UNIT", "lbrsnoop-watch.service"),
        ]
        sys.stdout.buffer.write(exported(fields + ours(path, full, count), full) + b"\n")


def check(hosts, records):
    wanted, where = collections.Counter(), collections.defaultdict(set)
    for host, _, path, _, count in records_of(hosts, records):
        wanted[ident_of(path)] += count
        where[ident_of(path)].add(host)
    rows = {row["path_id"]: row for row in map(json.loads, sys.stdin)}
    if {ident: row["count"] for ident, row in rows.items()} != dict(wanted):
        sys.exit("fleet: the counts differ")
    alone = [row["hosts"] for row in rows.values() if len(row["hosts"]) == 1]
    if alone != [[f"host{hosts - 1:04}"]]:
        sys.exit(f"fleet: paths of one host alone: {alone}")


def day():
    """A day of a host with PATHS paths, all of them at any time: the most that there is to tell."""
    size = {full: len(exported(ours(42, full, 1234), full)) for full in (True, False)}
    print(f"a record: {size[True]} bytes in full, {len(capture())} of them the capture, {size[False]} to count; "
          f"of {PATHS} paths, at most:")
    for failures in (1, 100, 10000):
        looked_at = min(failures, SNAPSHOTS_PER_S)
        full = 24 * PATHS
        # A path that was not taken in an interval has no count.
        counts = int(86400 / INTERVAL_S * min(PATHS, looked_at * INTERVAL_S)) - full
        records = min(full + counts, RECORDS_PER_S * 86400)
        size_all = min(full * size[True] + counts * size[False], BYTES_PER_S * 86400)
        print(f"  {failures:6} failures/s: {records:7} records, {size_all / 1e6:6.1f} MB a day; "
              f"{(failures - looked_at) * 86400} snapshots left out")


def main():
    if sys.argv[1] == "--day":
        day()
    elif sys.argv[1] == "--check":
        check(int(sys.argv[2]), int(sys.argv[3]))
    else:
        make(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else None)


main()
