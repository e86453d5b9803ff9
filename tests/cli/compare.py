#!/usr/bin/python3
"""compare.py - count again what lbrsnoop compare --json says of a capture

Usage: compare.py SNAPSHOTS COMPARISON

SNAPSHOTS: of report --json; COMPARISON: of compare --json, of the same file. In a call a predicate is what
its branch did the last time it ran, interrupts and tracers aside. A branch that is not in the record did
not run, if the record begins with the function, or before, and no call runs it before that. Exit status
1, and why, if a number is another.
"""
import json
import sys


class Call:
    """What one snapshot shows."""

    def __init__(self, snapshot, entry):
        """@entry: address of the function"""
        blocks = snapshot["path"] or []
        self.errno = snapshot["trigger"]["errno"]
        self.value = snapshot["trigger"]["retval"]
        self.sides, self.before = {}, set()
        entries = [i for i, block in enumerate(blocks) if entry <= int(block["start"], 16) < entry + 16]
        self.complete = bool(entries) and all(block["gap"] in (None, "user") for block in blocks)
        for i, block in enumerate(blocks):
            if block["gap"] or block["tracing"] or block["interrupt"]:
                continue
            for decision in block["decisions"]:
                self.sides[decision["addr"]] = decision["taken"]
                if self.complete and i < entries[-1]:
                    self.before.add(decision["addr"])


def wrong(line, calls):
    """What is wrong with one line, or None"""
    failing = [call for call in calls if call.errno == line["errno"]]
    passing = [call for call in calls if not call.errno]
    before = set().union(*(call.before for call in calls))
    if line["passing"] != len(passing):
        return f"{line['passing']} passing, are {len(passing)}"
    if line["failing"] > len(failing):
        return f"{line['failing']} failing, are at most {len(failing)}"
    if line["passing_errnos"]:
        return f"{line['passing_errnos']} passing calls of an errno"
    values = [call.value for call in passing]
    if line["passing_values"] != {"known": len(values), "min": min(values), "max": max(values)}:
        return f"passing calls returned {line['passing_values']}, are {min(values)} to {max(values)}"
    if line["failing_values"]:
        return f"{line['failing_values']}: failing calls returned an errno"
    for item in line["decisions"]:
        addr = item["addr"]
        went = sum(call.sides.get(addr) == item["taken"] for call in passing)
        known = sum(addr in call.sides or call.complete and addr not in before for call in passing)
        if (item["passing"]["true"], item["passing"]["known"]) != (went, known):
            return f"{item['place']}: passing {item['passing']}, is {went} of {known}"
        # Reasons of one errno share its calls, and what came after the error is left out.
        went = sum(call.sides.get(addr) == item["taken"] for call in failing)
        if not item["failing"]["true"] <= min(went, item["failing"]["known"]) or \
                item["failing"]["known"] > line["failing"]:
            return f"{item['place']}: failing {item['failing']}, is at most {went}"
        tpr = item["failing"]["true"] / item["failing"]["known"]
        # A passing call that took the decision to fail would have failed.
        known = line["passing"] if item["decides"] else item["passing"]["known"]
        tnr = 1 - item["passing"]["true"] / known
        if (item["accuracy"] is None) != (item["decides"] and item["passing"]["known"] < min(3, line["passing"])):
            return f"{item['place']}: accuracy {item['accuracy']}, with {item['passing']['known']} passing calls that know"
        if item["accuracy"] is None:
            continue
        if abs(item["accuracy"] - (tpr + tnr) / 2) > 1e-9:
            return f"{item['place']}: accuracy {item['accuracy']}, is {(tpr + tnr) / 2}"
    return None


def main():
    with open(sys.argv[2], encoding="utf-8") as lines:
        reasons = [json.loads(line) for line in lines]
    entry = next(int(item["addr"], 16) - item["place"]["off"] for line in reasons
                 for item in line["decisions"] if item["place"]["function"] == line["function"])
    with open(sys.argv[1], encoding="utf-8") as lines:
        calls = [Call(json.loads(line), entry) for line in lines]
    for line in reasons:
        said = wrong(line, calls)
        if said:
            print(f"compare: {line['function']} {line['errno']}: {said}")
            return 1
    print(f"{len(reasons)} reasons of {len(calls)} calls, {sum(call.complete for call in calls)} of them whole")
    return not reasons


sys.exit(main())
