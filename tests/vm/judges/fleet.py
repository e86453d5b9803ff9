#!/usr/bin/python3
"""fleet.py - the journal of test_fleet's hosts, and what report --journal says of it

Usage: fleet.py ENTRIES ROWS STORY HOST=RUNS...

ENTRIES: journalctl -o json of the merged journal. ROWS: report --journal --json of it. STORY: the same with
--story, which has to have each path of each host once. Each host has run
failures.py RUNS times; with "+" behind that, 7 calls more that fail with ENAMETOOLONG. Each path has to be there
once in full on each host, the counts of each kind are exact, the rows are the sums of the entries, and what one
host alone has is what the rows have of it.
"""
import collections
import json
import os
import subprocess
import sys

FULL = "0fa067c5e94549c6bac266c297feb233"
COUNT = "27577d07b258490283af9e243f8b5689"


def refuse(*text):
    print("fleet:", *text, file=sys.stderr)
    sys.exit(1)


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def wanted(runs):
    script = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "cli", "failures.py")
    kinds = subprocess.run([sys.executable, script, "--kinds", "functions"], check=True, stdout=subprocess.PIPE, text=True)
    counts = {(function, name): int(runs.rstrip("+")) * int(count)
              for function, name, count in map(str.split, kinds.stdout.splitlines())}
    if runs.endswith("+"):
        counts["do_sys_openat2", "ENAMETOOLONG"] = 7
    return counts


def main():
    hosts = dict(word.split("=") for word in sys.argv[4:])
    full, kinds, paths = collections.Counter(), collections.Counter(), collections.Counter()
    have = collections.defaultdict(set)
    boots = collections.defaultdict(set)
    for entry in lines(sys.argv[1]):
        if entry.get("MESSAGE_ID") not in (FULL, COUNT):
            continue
        host, path, count = entry["_HOSTNAME"], entry.get("LBRSNOOP_PATH_ID"), int(entry.get("LBRSNOOP_COUNT", 0))
        if not path:
            refuse("something is lost or left out:", entry["MESSAGE"])
        boots[host].add(entry["_BOOT_ID"])
        have[path].add(host)
        kinds[host, entry["LBRSNOOP_FUNCTION"], entry["LBRSNOOP_ERRNO"]] += count
        paths[path] += count
        full[host, path] += entry["MESSAGE_ID"] == FULL
    for key, count in full.items():
        if count != 1:
            refuse("in full", count, "times:", *key)
    counts = {(host, *kind): count for host, runs in hosts.items() for kind, count in wanted(runs).items()}
    if dict(kinds) != counts:
        refuse("counts:", dict(kinds), "wanted", counts)
    rows = {row["path_id"]: row for row in lines(sys.argv[2])}
    if {path: row["count"] for path, row in rows.items()} != dict(paths):
        refuse("report --journal has other counts:", rows)
    if any(set(row["hosts"]) != have[path] for path, row in rows.items()):
        refuse("report --journal has other hosts:", rows)
    story = collections.Counter((row["host"], row["path_id"]) for row in lines(sys.argv[3]))
    if story != full:
        refuse("--story has other paths:", story, "wanted", full)
    both = sum(len(names) > 1 for names in have.values())
    if not both:
        refuse("no path is on both hosts")
    print(f"{len(have)} paths of {sum(paths.values())} snapshots, {both} of them on both hosts; boots: "
          + ", ".join(f"{host} {len(boots[host])}" for host in sorted(boots)))


main()
