#!/usr/bin/python3
"""compare.py - count again what lbrsnoop compare --json says of captures

Usage: compare.py SNAPSHOTS COMPARISON

SNAPSHOTS: of report --json; COMPARISON: of compare --json, of the same files. A predicate's true calls
are those whose path has the branch with that side, interrupts and tracers aside; it is known at least
there, and where the branch went the other way. Exit status 1, and why, if a number is another.
"""
import collections
import json
import sys


def decisions(snapshot):
    """{address: {sides}} of the program's own blocks"""
    found = collections.defaultdict(set)
    for block in snapshot["path"] or []:
        if not block["gap"] and not block["tracing"] and not block["interrupt"]:
            for decision in block["decisions"]:
                found[decision["addr"]].add(decision["taken"])
    return found


def wrong(line, calls):
    """What is wrong with one line, or None; @calls: [(errno, decisions)]"""
    failing = [seen for err, seen in calls if err == line["errno"]]
    passing = [seen for err, seen in calls if not err]
    if line["passing"] != len(passing):
        return f"{line['passing']} passing, are {len(passing)}"
    if line["failing"] > len(failing):
        return f"{line['failing']} failing, are at most {len(failing)}"
    before = None
    for item in line["decisions"]:
        for kind, these in (("failing", failing), ("passing", passing)):
            went = sum(item["taken"] in seen.get(item["addr"], ()) for seen in these)
            known = sum(item["addr"] in seen for seen in these)
            said = item[kind]
            # Reasons of one errno share its calls, and what came after the error is left out.
            if said["true"] > went or kind == "passing" and said["true"] != went:
                return f"{item['place']}: {kind}: true in {said['true']}, is {went}"
            if not said["true"] <= said["known"] <= len(these) or kind == "passing" and said["known"] < known:
                return f"{item['place']}: {kind}: known in {said['known']}, is {known} of {len(these)}"
        tpr = item["failing"]["true"] / item["failing"]["known"]
        tnr = 1 - item["passing"]["true"] / item["passing"]["known"]
        if abs(item["accuracy"] - (tpr + tnr) / 2) > 1e-9:
            return f"{item['place']}: accuracy {item['accuracy']}, is {(tpr + tnr) / 2}"
        if before and item["accuracy"] > before and item["failing"]["known"] >= line["failing"] and \
                item["passing"]["known"] >= line["passing"]:
            return f"{item['place']}: known of all calls, better than the one before it"
        before = item["accuracy"]
    return None


def main():
    with open(sys.argv[1], encoding="utf-8") as lines:
        calls = [(snapshot["trigger"]["errno"], decisions(snapshot)) for snapshot in map(json.loads, lines)]
    count = 0
    with open(sys.argv[2], encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            count += 1
            said = wrong(line, calls)
            if said:
                print(f"compare: {line['function']} {line['errno']}: {said}")
                return 1
    print(f"{count} reasons of {len(calls)} calls")
    return not count


sys.exit(main())
