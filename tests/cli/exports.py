#!/usr/bin/python3
"""exports.py - do the exports of a capture say what --json says of it, and nothing else?

Usage: exports.py otlp JSON OTLP [--comm]
       exports.py metrics JSON METRICS SERIES
       exports.py journal JSON SUMMARY [HOSTS]
       exports.py fields ENTRIES NAME...
       exports.py captures EXPORT DIR
       exports.py story JSON STORY HOST
       exports.py lies OTLP

JSON: lines of lbrsnoop.snapshot/1. otlp: each line fits tests/data/otlp_logs.schema.json, and is the
snapshot of the same line. metrics: Prometheus's text format as its documentation has it, and the
counts are those of the snapshots. journal: what report --journal --json prints has each path and its
count; the path is of so many machines. fields: lines of journalctl -o json have those fields of ours, once
each, beside those of journald; a capture, which is binary, is null there. captures: EXPORT, of journalctl -o
export, has captures; each becomes DIR/HOST-PATH.lbr. story: STORY has the first snapshot of each path of JSON, with
nothing changed but the name of the task, and of HOST. lies: the schema refuses lines with one thing changed. Exit status
77: python3-jsonschema is not installed.
"""
import collections
import copy
import errno
import json
import os
import re
import struct
import sys

SCHEMA = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "data", "otlp_logs.schema.json")
SERIES = re.compile(r'lbrsnoop_path_snapshots_total\{function="((?:[^"\\\n]|\\["\\n])*)",errno="([A-Z0-9]*)",'
                    r'path_id="([0-9a-f]{16})"\} ([0-9]+)')
TOTALS = ("lbrsnoop_snapshots_total", "lbrsnoop_lost_events_total", "lbrsnoop_other_paths_snapshots_total")


def refuse(*text):
    print("exports:", *text, file=sys.stderr)
    sys.exit(1)


def lines(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return [json.loads(line) for line in file.read().split("\n")[:-1]]


def validator():
    try:
        import jsonschema
    except ImportError:
        sys.exit(77)
    with open(SCHEMA, encoding="utf-8") as file:
        return jsonschema.Draft202012Validator(json.load(file))


def name(snapshot):
    trigger = snapshot["trigger"]
    if trigger["function"]:
        return trigger["function"]
    return trigger["kind"] if trigger["kind"].startswith("u") else trigger["target"]


def values(attributes):
    keys = [attribute["key"] for attribute in attributes]
    if len(keys) != len(set(keys)):
        refuse("an attribute is there twice:", keys)
    return {attribute["key"]: next(iter(attribute["value"].values())) for attribute in attributes}


def wanted(snapshot, comm):
    trigger = snapshot["trigger"]
    number = getattr(errno, trigger["errno"], None) if trigger["errno"] else None
    have = {
        "lbrsnoop.path_id": snapshot["path_id"], "lbrsnoop.function": name(snapshot),
        "lbrsnoop.trigger": trigger["kind"], "error.type": trigger["errno"],
        "lbrsnoop.errno": str(number) if number else None, "lbrsnoop.cpu_model": snapshot["lbr"]["model"],
        "process.pid": str(snapshot["pid"]), "lbrsnoop.comm": snapshot["comm"] if comm else None,
    }
    return {key: value for key, value in have.items() if value}


def otlp(snapshots, records, comm):
    schema = validator()
    if len(snapshots) != len(records):
        refuse(len(records), "lines of", len(snapshots), "snapshots")
    for number, (snapshot, line) in enumerate(zip(snapshots, records), 1):
        for error in schema.iter_errors(line):
            refuse(f"line {number}: {error.json_path}: {error.message[:200]}")
        resource = values(line["resourceLogs"][0]["resource"]["attributes"])
        record = line["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0]
        have = values(record["attributes"])
        if set(resource) - {"service.name", "host.name", "os.type", "os.version"}:
            refuse(f"line {number}: of the resource", resource)
        if resource.get("host.name") != snapshot.get("host"):
            refuse(f"line {number}: host", resource, snapshot.get("host"))
        if record["timeUnixNano"] != str(snapshot["ts_ns"]):
            refuse(f"line {number}: time", record["timeUnixNano"], snapshot["ts_ns"])
        # logs.proto: 9 is SEVERITY_NUMBER_INFO, 17 SEVERITY_NUMBER_ERROR
        if record["severityNumber"] != (17 if snapshot["trigger"]["errno"] else 9):
            refuse(f"line {number}: severity", record["severityNumber"])
        for key, value in wanted(snapshot, comm).items():
            if have.pop(key, None) != value:
                refuse(f"line {number}: {key} is not {value}")
        if set(have) - {"lbrsnoop.origin", "lbrsnoop.origin_function", "lbrsnoop.kernel_build_id", "lbrsnoop.lost"}:
            refuse(f"line {number}: more than there is to say:", have)


def metrics(snapshots, path, limit):
    with open(path, encoding="utf-8", newline="\n") as file:
        text = file.read().split("\n")
    counts = collections.Counter((snapshot["path_id"], snapshot["trigger"]["errno"] or "") for snapshot in snapshots)
    names = {snapshot["path_id"]: name(snapshot) for snapshot in snapshots}
    seen, totals = {}, {}
    if text.pop():
        refuse("the last line does not end")
    for line in text:
        match = SERIES.fullmatch(line)
        if match:
            function = re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), match[1])
            # Control characters are written as \xNN.
            plain = re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda found: f"\\x{ord(found[0]):02x}", names[match[3]])
            if function != plain:
                refuse("a function's name:", repr(function), repr(plain))
            seen[match[3], match[2]] = int(match[4])
        elif line.startswith("#"):
            if not re.fullmatch(r"# (HELP lbrsnoop_[a-z_]+_total [A-Za-z ,.]+|TYPE lbrsnoop_[a-z_]+_total counter)", line):
                refuse("no comment of ours:", repr(line))
        else:
            key, value = line.split(" ")
            if key not in TOTALS or key in totals:
                refuse("no series of ours:", repr(line))
            totals[key] = int(value)
    most = counts.most_common(limit)
    if len(seen) != len(most) or any(counts[key] != value for key, value in seen.items()):
        refuse("counts differ:", seen, counts)
    if sorted(seen.values()) != sorted(value for _, value in most):
        refuse("these are not the most frequent ones")
    if [totals[key] for key in TOTALS] != [len(snapshots), 0, len(snapshots) - sum(seen.values())]:
        refuse("totals:", totals)


def journal(snapshots, rows, hosts):
    counts = collections.Counter(snapshot["path_id"] for snapshot in snapshots)
    about = {snapshot["path_id"]: (name(snapshot), snapshot["trigger"]["errno"], snapshot["trigger"]["kind"])
             for snapshot in snapshots}
    have = {row["path_id"]: row["count"] for row in rows}
    if have != {path: hosts * count for path, count in counts.items()} or len(have) != len(rows):
        refuse("counts:", have, counts)
    for row in rows:
        function, error, kind = about[row["path_id"]]
        plain = re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda found: f"\\x{ord(found[0]):02x}", function)
        if [row["function"], row["errno"], row["kind"], len(row["hosts"])] != [plain, error, kind, hosts]:
            refuse("a path:", row)


def fields(entries, names):
    # Of the sender, and how the journal names the entry: systemd.journal-fields(7)
    own = {"MESSAGE", "MESSAGE_ID", "PRIORITY", "SYSLOG_IDENTIFIER"}
    for entry in entries:
        ours = {name for name in entry if not name.startswith("_")}
        if ours - own - set(names):
            refuse("more than our fields:", ours - own - set(names))
        binary = {name for name in ours if not isinstance(entry[name], str)}
        if not own <= ours or binary - {"LBRSNOOP_CAPTURE"}:
            refuse("a field is missing, twice, or binary:", entry)
    if not entries:
        refuse("no entries")


def entries_of(stream):
    """Source: https://systemd.io/JOURNAL_EXPORT_FORMATS/"""
    entry = {}
    while line := stream.readline():
        line = line.rstrip(b"\n")
        if not line:
            yield entry
            entry = {}
        elif b"=" in line:
            name, _, value = line.partition(b"=")
            entry[name.decode()] = value
        else:
            size, = struct.unpack("<Q", stream.read(8))
            entry[line.decode()] = stream.read(size)
            stream.read(1)
    if entry:
        yield entry


def captures(path, directory):
    with open(path, "rb") as stream:
        for entry in entries_of(stream):
            if "LBRSNOOP_CAPTURE" not in entry:
                continue
            if len(entry["LBRSNOOP_CAPTURE"]) != int(entry["LBRSNOOP_CAPTURE_BYTES"]):
                refuse("LBRSNOOP_CAPTURE_BYTES:", entry["LBRSNOOP_CAPTURE_BYTES"])
            name = f"{entry['_HOSTNAME'].decode()}-{entry['LBRSNOOP_PATH_ID'].decode()}.lbr"
            with open(os.path.join(directory, name), "wb") as file:
                file.write(entry["LBRSNOOP_CAPTURE"])


def story(snapshots, shown, host):
    first = {}
    for snapshot in snapshots:
        first.setdefault(snapshot["path_id"], {**snapshot, "comm": None, "host": host})
    shown = [{**snapshot, "comm": None} for snapshot in shown]
    if list(first.values()) != shown:
        refuse(f"{len(first)} paths, {len(shown)} are shown, or they differ")


RECORD = ("resourceLogs", 0, "scopeLogs", 0, "logRecords", 0)
LIES = [
    (RECORD + ("timeUnixNano",), 17), (RECORD + ("timeUnixNano",), "1e9"), (RECORD + ("timeUnixNano",), "-1"),
    (RECORD + ("time_unix_nano",), "1"), (RECORD + ("observedTimeUnixNano",), None),
    (RECORD + ("severityNumber",), "SEVERITY_NUMBER_ERROR"), (RECORD + ("severityNumber",), "17"),
    (RECORD + ("severityNumber",), 0), (RECORD + ("severityNumber",), 25), (RECORD + ("body",), "text"),
    (RECORD + ("body",), {"string_value": "text"}), (RECORD + ("body",), {"stringValue": 5}),
    (RECORD + ("attributes",), {"a": "b"}), (RECORD + ("attributes", 0), {"key": "a", "value": "b"}),
    (RECORD + ("attributes", 0), {"key": "a", "value": {"intValue": 5}}),
    (RECORD + ("attributes", 0), {"key": "", "value": {"stringValue": "b"}}),
    (RECORD + ("attributes", 0), {"key": "a", "value": {"intValue": "5", "stringValue": "b"}}),
    (("resourceLogs",), []), (("resourceLogs", 0, "resource"), None), (("resource_logs",), []),
    (("resourceLogs", 0, "scopeLogs", 0, "logRecords"), []), (("resourceLogs", 0, "scopeLogs", 0, "scope"), {}),
]


def lies(records):
    schema = validator()
    for path, value in LIES:
        lie = copy.deepcopy(records[0])
        at = lie
        for step in path[:-1]:
            at = at[step]
        if value is None:
            del at[path[-1]]
        else:
            at[path[-1]] = value
        if schema.is_valid(lie):
            refuse("the schema takes", ".".join(map(str, path)), "=", value)


def main():
    if sys.argv[1] == "otlp":
        otlp(lines(sys.argv[2]), lines(sys.argv[3]), "--comm" in sys.argv)
    elif sys.argv[1] == "metrics":
        metrics(lines(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
    elif sys.argv[1] == "journal":
        journal(lines(sys.argv[2]), lines(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    elif sys.argv[1] == "fields":
        fields(lines(sys.argv[2]), sys.argv[3:])
    elif sys.argv[1] == "captures":
        captures(sys.argv[2], sys.argv[3])
    elif sys.argv[1] == "story":
        story(lines(sys.argv[2]), lines(sys.argv[3]), sys.argv[4])
    else:
        lies(lines(sys.argv[2]))


main()
