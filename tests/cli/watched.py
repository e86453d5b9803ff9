#!/usr/bin/python3
"""watched.py - is each snapshot that a service captured delivered once, or counted as left out?

Usage: watched.py journal KINDS TIMES CAPTURED ENTRIES
       watched.py otlp KINDS TIMES CAPTURED LINES
       watched.py metrics KINDS TIMES CAPTURED FILE

Of failures.py, run TIMES times; KINDS is what its --kinds takes, CAPTURED what the service itself says
it has captured. ENTRIES: journalctl -o json of its messages. Each path is sent in full once, the counts
of the paths of each kind add up to what has failed; what is missing there is what is told as left out.
Prints "DELIVERED LEFT_OUT".
"""
import collections
import json
import os
import re
import subprocess
import sys

FULL = "0fa067c5e94549c6bac266c297feb233"
COUNT = "27577d07b258490283af9e243f8b5689"


def refuse(*text):
    print("watched:", *text, file=sys.stderr)
    sys.exit(1)


def kinds(names, times):
    script = os.path.join(os.path.dirname(os.path.realpath(__file__)), "failures.py")
    lines = subprocess.run([sys.executable, script, "--kinds", names], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {(function, name): times * int(count) for function, name, count in map(str.split, lines.splitlines())}


def lines_of(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        text = file.read()
    if text and not text.endswith("\n"):
        refuse("the last line is not whole")
    return [json.loads(line) for line in text.split("\n")[:-1]]


def journal(path):
    full, counts, left = collections.Counter(), collections.Counter(), 0
    for entry in lines_of(path):
        if entry["MESSAGE_ID"] not in (FULL, COUNT):
            continue
        left += int(entry.get("LBRSNOOP_LEFT_OUT", 0))
        if "LBRSNOOP_PATH_ID" not in entry:
            continue
        key = entry["LBRSNOOP_FUNCTION"], entry["LBRSNOOP_ERRNO"]
        counts[key] += int(entry["LBRSNOOP_COUNT"])
        full[entry["LBRSNOOP_PATH_ID"]] += entry["MESSAGE_ID"] == FULL
    return full, counts, left


def otlp(path):
    full, counts = collections.Counter(), collections.Counter()
    for line in lines_of(path):
        record = line["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0]
        have = {item["key"]: next(iter(item["value"].values())) for item in record["attributes"]}
        key = have["lbrsnoop.function"], have["error.type"]
        counts[key] += int(have["lbrsnoop.count"])
        # A line that had to wait has no process.
        full[have["lbrsnoop.path_id"]] += "process.pid" in have
    return full, counts, None


def metrics(path):
    counts, left = collections.Counter(), 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.match(r'lbrsnoop_path_snapshots_total{function="(.*)",errno="(.*)",path_id=".*"} (\d+)', line)
            if match:
                counts[match[1], match[2]] += int(match[3])
            elif line.startswith("lbrsnoop_other_paths_snapshots_total "):
                left = int(line.split()[1])
    return collections.Counter(), counts, left


def main():
    what, times, captured = sys.argv[1], int(sys.argv[3]), int(sys.argv[4])
    wanted = kinds(sys.argv[2], times)
    full, counts, left = {"journal": journal, "otlp": otlp, "metrics": metrics}[what](sys.argv[5])
    delivered = sum(counts.values())
    if captured != sum(wanted.values()):
        refuse("captured", captured, "of", sum(wanted.values()))
    if left is None:
        left = captured - delivered
    if delivered + left != captured:
        refuse("delivered", delivered, "left out", left, "captured", captured)
    for key, count in counts.items():
        if count > wanted.get(key, 0):
            refuse("more than there were:", key, count)
    if set(full.values()) - {0, 1}:
        refuse("in full, but not once:", full)
    if not left and (counts != wanted or (what == "journal" and set(full.values()) != {1})):
        refuse("counts", counts, "in full", full)
    print(delivered, left)


main()
